//! The machine code of functions of one file: instructions, their places in the source, and where code blocks begin.
//!
//! In: a file, and the symbols and sampled addresses of a function. Out: [`MachineCode`]. A function may be several
//! symbols: parts that the compiler moved away (`.cold`), clones, functions that differ in their parameters. Jump tables are
//! not followed: where one leads is known only if a direct jump or the end of a block leads there, too.
//!
//! Cost: the file's symbols, and debug information for the addresses that the index does not have yet.

mod always;
mod both_ways;
mod call_paths;
mod conditions;
mod conditions_around;
mod dominators;
mod frame_bytes;
mod hardly_taken;
mod jump_tables;
mod least_calls;
mod no_return;
mod numbers;
mod once;
mod pointer_jumps;
mod return_call;
mod steps;
mod turns;
mod x86_64;

use std::cell::LazyCell;
use std::collections::{BTreeMap, BTreeSet};
use std::ops::Range;
use std::path::Path;
use std::sync::OnceLock;

use pdiff_profile::names::{FunctionName, split_clone_suffix};
use pdiff_profile::{
    CodePlace, Instruction, MachineCode, NoCode, ObjectAddr, ObjectIndex, Profile, Resolution,
};
use rayon::prelude::*;

use crate::binary::call_targets::CallTargets;
use crate::binary::elf_file::ElfFile;
use crate::binary::function_ranges::FunctionRanges;
use crate::binary::layout::Processor;
use crate::binary::ranges::disjoint;
use crate::binary::symbol_table::{Symbol, SymbolTable};
use crate::error::Error;
use crate::options::SymbolizeOptions;
use crate::resolve::frame_addrs;
use crate::symbolizer::Symbolizer;
pub use both_ways::BothWays;
pub use call_paths::CallPaths;
pub use conditions_around::WayAround;
pub use hardly_taken::CodeSamples;
pub use once::RunOnce;
pub(crate) use return_call::{ReturnCall, ReturnCalls};
pub use turns::TurnsAround;
use x86_64::Decoded;

/// Bytes of one function that are disassembled: 30 times the largest one of a large server.
const MAX_CODE_BYTES: u64 = 1 << 20;

/// A function whose code is wanted.
#[derive(Clone, Copy, Debug)]
pub struct WantedCode<'w> {
    /// Its symbols, see [`CodeFile::symbols_at`].
    pub symbols: &'w BTreeSet<String>,
    /// Addresses in it: they find what has no symbol.
    pub addrs: &'w [ObjectAddr],
    /// Its qualified name, which finds it if neither does.
    pub name: &'w str,
}

/// A file whose functions are disassembled.
#[derive(Debug)]
pub struct CodeFile {
    symbolizer: Symbolizer,
    targets: OnceLock<CallTargets>,
}

impl CodeFile {
    /// Opens a file.
    ///
    /// # Errors
    /// Returns an error if it cannot be read as ELF.
    pub fn open(path: &Path, options: &SymbolizeOptions) -> Result<Self, Error> {
        Ok(Self { symbolizer: Symbolizer::open(path, options)?, targets: OnceLock::new() })
    }

    /// The addresses in the file of a profile's frames, by frame, if they are of this object.
    #[must_use]
    pub fn frame_addrs(&self, profile: &Profile, object: ObjectIndex) -> Vec<Option<ObjectAddr>> {
        frame_addrs(profile, object, &self.symbolizer)
    }

    /// The symbols that contain addresses, without what compilers add for parts and clones.
    #[must_use]
    pub fn symbols_at(&self, addrs: &[ObjectAddr]) -> BTreeSet<String> {
        let symbols = addrs.iter().filter_map(|addr| self.symbols().find(addr.0));
        symbols.map(|symbol| base_name(&symbol.name()).to_owned()).collect()
    }

    /// The machine code of functions, in the order given, or why there is none.
    #[must_use]
    pub fn codes(&mut self, wanted: &[WantedCode<'_>]) -> Vec<Result<MachineCode, NoCode>> {
        let mut decoded: Vec<Result<Decoded, NoCode>> =
            self.bodies(wanted).into_iter().map(|bodies| self.decoded(&bodies)).collect();
        let instructions = || decoded.iter().flatten().flat_map(|decoded| &decoded.instructions);
        let addrs: Vec<ObjectAddr> = instructions().map(|instruction| instruction.addr).collect();
        // All at once: debug information is read again for each question.
        let mut found = self.symbolizer.symbolize(&addrs).into_iter();
        let code = |decoded: Result<Decoded, NoCode>| {
            let Decoded { mut instructions, block_starts } = decoded?;
            let places = add_places(&mut instructions, &mut found);
            Ok(MachineCode::new(instructions, places, &block_starts))
        };
        decoded.drain(..).map(code).collect()
    }

    fn decoded(&self, bodies: &[Range<u64>]) -> Result<Decoded, NoCode> {
        if bodies.is_empty() {
            return Err(NoCode::NoBody);
        }
        if bodies.iter().map(|body| body.end - body.start).sum::<u64>() > MAX_CODE_BYTES {
            return Err(NoCode::TooLarge);
        }
        if Processor::of(self.file()) != Processor::X86 {
            return Err(NoCode::OtherProcessor);
        }
        let targets = self.targets.get_or_init(|| CallTargets::read(self.file()));
        let mut decoded = Decoded::default();
        for body in bodies {
            let bytes = self.file().instructions(body.start, body.end - body.start);
            decoded.add(body.start, bytes, bodies, targets, &|target| self.callee(target));
        }
        Ok(decoded)
    }

    /// Where the code of each function is: sorted, not overlapping. What has none by its symbols and addresses is looked for by
    /// its name.
    fn bodies(&self, wanted: &[WantedCode<'_>]) -> Vec<Vec<Range<u64>>> {
        let mut by_symbol: BTreeMap<&str, Vec<usize>> = BTreeMap::new();
        for (number, wanted) in wanted.iter().enumerate() {
            wanted.symbols.iter().for_each(|symbol| by_symbol.entry(symbol).or_default().push(number));
        }
        let ranges = LazyCell::new(|| FunctionRanges::new(self.file()));
        let mut bodies: Vec<Vec<Range<u64>>> =
            wanted.iter().map(|wanted| self.nameless(wanted.addrs, &|addr| ranges.at(addr))).collect();
        self.add_bodies(&mut bodies, |symbol| by_symbol.get(base_name(symbol)).cloned());
        let is_lacking = |number: &usize| bodies[*number].is_empty();
        let mut by_name: BTreeMap<&str, Vec<usize>> = BTreeMap::new();
        for number in (0..wanted.len()).filter(is_lacking) {
            by_name.entry(wanted[number].name).or_default().push(number);
        }
        if !by_name.is_empty() {
            self.add_bodies(&mut bodies, |symbol| {
                by_name.get(FunctionName::parse(base_name(symbol)).qualified()).cloned()
            });
        }
        bodies.into_iter().map(disjoint).collect()
    }

    /// Adds the code of all symbols to the functions that each is of.
    fn add_bodies(
        &self,
        bodies: &mut [Vec<Range<u64>>],
        functions: impl Fn(&str) -> Option<Vec<usize>> + Sync,
    ) {
        let of_symbol = |symbol: &Symbol| {
            let body = symbol.start..symbol.end;
            Some((functions(&symbol.name())?, body)).filter(|(_, body)| self.is_code(body))
        };
        let found: Vec<(Vec<usize>, Range<u64>)> =
            self.symbols().symbols().par_iter().filter_map(of_symbol).collect();
        for (functions, body) in found {
            functions.into_iter().for_each(|number| bodies[number].push(body.clone()));
        }
    }

    /// The code around addresses that no symbol contains.
    fn nameless(
        &self,
        addrs: &[ObjectAddr],
        function: &dyn Fn(u64) -> Option<Range<u64>>,
    ) -> Vec<Range<u64>> {
        let nameless = addrs.iter().filter(|addr| self.symbols().find(addr.0).is_none());
        nameless.filter_map(|addr| function(addr.0)).filter(|body| self.is_code(body)).collect()
    }

    fn is_code(&self, body: &Range<u64>) -> bool {
        body.start < body.end && self.file().is_code(body.start)
    }

    fn file(&self) -> &ElfFile {
        self.symbolizer.file()
    }

    fn symbols(&self) -> &SymbolTable {
        self.symbolizer.symbols()
    }

    /// The function that begins at an address, or that an address is in.
    fn callee(&self, target: u64) -> Option<String> {
        let name = self.symbols().find(target)?.name();
        Some(FunctionName::parse(&name).qualified().to_owned())
    }
}

/// Adds to instructions where in the source they come from, by what is at their addresses; gives the places.
fn add_places(
    instructions: &mut [Instruction],
    found: &mut impl Iterator<Item = Resolution>,
) -> Vec<CodePlace> {
    let (mut places, mut known) = (Vec::new(), BTreeMap::new());
    for (instruction, resolution) in instructions.iter_mut().zip(found) {
        let Resolution::Resolved(chain) = resolution else { continue };
        let Some(innermost) = chain.frames().last() else { continue };
        let place = CodePlace {
            function: innermost.name.clone(),
            inlined: innermost.inlined,
            file: innermost.file.clone(),
            line: innermost.line,
        };
        let number = *known.entry(place).or_insert_with_key(|place| {
            places.push(place.clone());
            places.len() - 1
        });
        instruction.place = Some(number);
    }
    places
}

/// A symbol's name without clone suffix.
fn base_name(symbol: &str) -> &str {
    split_clone_suffix(symbol).0
}
