//! How the addresses that perf printed for one object become addresses of its file.
//!
//! perf prints runtime addresses for flat samples, positions in the file (or in the mapping) for call chains, and other
//! versions differ. It does not say which. But most frames carry `symbol+offset`, and address less offset is where the
//! symbol begins; the file has symbols too, and the distance between the two is a whole number of pages, the same for
//! all frames of one kind in one process. So frames vote for a distance (bias), names confirm it, and program headers
//! and MMAP2 lines say whether it can be. Several biases of one object are several processes or kinds.
//!
//! ```text
//! perf    b5bcf5 Sql_cmd_update::update_single_table+0x2a5      begins at b5ba50
//! file    f5ba50 _ZN14Sql_cmd_update19update_single_tableEP3THD
//! bias    400000                                                 as segment 0xc6b000 is at 0x86b000 in the file
//! ```

use rustc_hash::FxHashMap;

use crate::binary::elf_file::{ElfFile, Segment};
use crate::binary::function_name::names_agree;
use crate::binary::symbol_table::{Symbol, SymbolTable};

/// Loaders move files by whole pages.
pub(crate) const PAGE: u64 = 0x1000;
/// Most frames that vote.
const MAX_VOTERS: usize = 256;
/// Up to this many voters each looks for its own name; more vote by position alone first.
const FEW_VOTERS: usize = 16;
/// Most biases kept of one object: processes that map it at different places.
pub(crate) const MAX_MAPS: usize = 64;
/// Most biases of a ballot whose names are compared.
const MAX_CHECKED: usize = 8;

/// What kind of address perf printed.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub enum AddressKind {
    /// The file's own address (also the address in the process, for programs that are not relocated).
    Object,
    /// A position in the file, or relative to the mapping of the file.
    FileOffset,
    /// The address in a process where the file was relocated.
    Runtime,
}

/// One way by which perf's addresses become addresses of the file.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct AddressMap {
    /// What kind of address it is.
    pub kind: AddressKind,
    /// What is added to perf's address, modulo 2^64.
    pub bias: u64,
    /// How many functions of the profile bear it out; 0 if it was assumed.
    pub votes: u32,
    /// The first address of perf's that bears it out.
    pub first: u64,
    /// The last address of perf's that bears it out.
    pub last: u64,
}

impl AddressMap {
    fn distance(&self, raw: u64) -> u64 {
        self.first.saturating_sub(raw).max(raw.saturating_sub(self.last))
    }
}

/// A function that perf named, and where perf has it begin.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) struct Voter<'p> {
    pub(crate) start: u64,
    pub(crate) symbol: &'p str,
}

/// An address that perf printed, and the function it named there.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug)]
pub(crate) struct Witness<'p> {
    pub(crate) addr: u64,
    pub(crate) symbol: &'p str,
}

/// What a vote came to.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub(crate) struct Ballot {
    /// The best first.
    pub(crate) maps: Vec<AddressMap>,
    /// Voters that a map explains.
    pub(crate) agree: usize,
    /// Voters.
    pub(crate) checked: usize,
}

/// The kind of a bias, if it is one that this file can have.
pub(crate) fn kind_of(file: &ElfFile, bias: u64) -> Option<AddressKind> {
    if bias == 0 {
        return Some(AddressKind::Object);
    }
    let is_position = |bias: u64| {
        file.segments().iter().any(|s| s.addr.wrapping_sub(s.offset) == bias || s.addr & !(PAGE - 1) == bias)
    };
    match (is_position(bias), file.is_relocated()) {
        (true, _) => Some(AddressKind::FileOffset),
        (false, true) => Some(AddressKind::Runtime),
        (false, false) => None,
    }
}

/// Biases that are likely before anyone votes: of positions in the file, then of the file's own addresses.
pub(crate) fn likely_biases(file: &ElfFile) -> Vec<u64> {
    let holds_code = |segment: &&Segment| {
        let end = segment.addr.saturating_add(segment.file_size);
        file.code().iter().any(|code| code.start < end && code.end > segment.addr)
    };
    let segments = file.segments().iter().filter(holds_code);
    let mut biases: Vec<u64> = segments.map(|segment| segment.addr.wrapping_sub(segment.offset)).collect();
    biases.push(0);
    biases.dedup();
    biases
}

/// At most [`MAX_VOTERS`], evenly from all, by address, each start once.
pub(crate) fn choose_voters(mut voters: Vec<Voter<'_>>) -> Vec<Voter<'_>> {
    voters.sort_unstable_by_key(|voter| (voter.start, voter.symbol));
    voters.dedup_by_key(|voter| voter.start);
    thin(voters)
}

/// The same of witnesses, each once.
pub(crate) fn choose_witnesses(mut witnesses: Vec<Witness<'_>>) -> Vec<Witness<'_>> {
    witnesses.sort_unstable();
    witnesses.dedup();
    thin(witnesses)
}

fn thin<T>(all: Vec<T>) -> Vec<T> {
    let step = all.len().div_ceil(MAX_VOTERS).max(1);
    all.into_iter().step_by(step).collect()
}

/// Lets the voters find the biases.
pub(crate) fn vote(voters: &[Voter<'_>], file: &ElfFile, symbols: &SymbolTable) -> Ballot {
    let places = Places::of(symbols);
    let mut ballot = Ballot { checked: voters.len(), ..Ballot::default() };
    let mut left: Vec<Voter<'_>> = voters.to_vec();
    while !left.is_empty() && ballot.maps.len() < MAX_MAPS {
        let Some(bias) = places.best_bias(&left, file) else { break };
        let (agree, others): (Vec<Voter<'_>>, Vec<Voter<'_>>) =
            left.iter().copied().partition(|voter| places.agrees(voter, bias));
        let (Some(kind), Some(first), Some(last)) = (kind_of(file, bias), agree.first(), agree.last()) else {
            break;
        };
        let votes = u32::try_from(agree.len()).unwrap_or(u32::MAX);
        ballot.maps.push(AddressMap { kind, bias, votes, first: first.start, last: last.start });
        ballot.agree += agree.len();
        left = others;
    }
    ballot.maps.sort_by_key(|map| std::cmp::Reverse(map.votes));
    ballot
}

/// The map for an address: of several the one whose voters are nearest.
pub(crate) fn map_for(maps: &[AddressMap], raw: u64) -> Option<&AddressMap> {
    maps.iter().min_by_key(|map| map.distance(raw))
}

/// Where the file's symbols begin, by position in the page.
struct Places<'s> {
    by_low_bits: FxHashMap<u64, Vec<&'s Symbol>>,
    by_entry: FxHashMap<u64, &'s Symbol>,
}

impl<'s> Places<'s> {
    fn of(symbols: &'s SymbolTable) -> Self {
        let mut places = Self { by_low_bits: FxHashMap::default(), by_entry: FxHashMap::default() };
        for symbol in symbols.symbols().iter().filter(|symbol| symbol.start == symbol.entry) {
            places.by_low_bits.entry(symbol.entry % PAGE).or_default().push(symbol);
            places.by_entry.insert(symbol.entry, symbol);
        }
        places
    }

    fn agrees(&self, voter: &Voter<'_>, bias: u64) -> bool {
        let symbol = self.by_entry.get(&voter.start.wrapping_add(bias));
        symbol.is_some_and(|symbol| names_agree(voter.symbol, &symbol.name()))
    }

    /// The bias that most voters agree with.
    fn best_bias(&self, voters: &[Voter<'_>], file: &ElfFile) -> Option<u64> {
        let mut counts: FxHashMap<u64, u32> = FxHashMap::default();
        for voter in voters {
            for symbol in self.by_low_bits.get(&(voter.start % PAGE)).into_iter().flatten() {
                if voters.len() > FEW_VOTERS || names_agree(voter.symbol, &symbol.name()) {
                    *counts.entry(symbol.entry.wrapping_sub(voter.start)).or_default() += 1;
                }
            }
        }
        let mut biases: Vec<(u32, u64)> = counts
            .into_iter()
            .filter(|(bias, _)| kind_of(file, *bias).is_some())
            .map(|(bias, count)| (count, bias))
            .collect();
        biases.sort_unstable_by_key(|(count, bias)| (std::cmp::Reverse(*count), *bias));
        let agreeing = |bias: u64| voters.iter().filter(|voter| self.agrees(voter, bias)).count();
        let checked = biases.iter().take(MAX_CHECKED).map(|(_, bias)| (agreeing(*bias), *bias));
        // Of two as good the smaller: file positions before far places.
        let best = checked.max_by_key(|(agree, bias)| (*agree, std::cmp::Reverse(*bias)))?;
        (best.0 > 0).then_some(best.1)
    }
}
