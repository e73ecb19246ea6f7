//! The functions of a file: by symbols and unwind tables, with their bodies.

use rayon::prelude::*;
use rustc_hash::FxHashMap;

use super::body::Body;
use super::data::Data;
use crate::binary::call_targets::CallTargets;
use crate::binary::function_ranges::all_functions;
use crate::binary::layout::{Layout, Processor};
use crate::binary::object_files::ObjectFiles;

/// Larger functions are not decoded.
const MAX_FUNCTION_BYTES: u64 = 4 << 20;

/// Where a function ends, and its symbol.
type Place = (u64, Option<Box<str>>);

/// A function.
#[derive(Debug)]
pub(super) struct Function {
    pub(super) start: u64,
    /// As the symbol table has it; with `@plt` for stubs of the procedure linkage table.
    pub(super) name: Option<Box<str>>,
    pub(super) body: Body,
}

/// The functions of a file, by address.
#[derive(Debug, Default)]
pub(super) struct Functions {
    pub(super) all: Vec<Function>,
    /// By function: those that it calls, in order.
    pub(super) callees: Vec<Vec<usize>>,
}

impl Functions {
    /// All functions of a file; none where its code cannot be decoded.
    pub(super) fn read(files: &ObjectFiles) -> Self {
        let file = &files.file;
        let Some(object) = file.object().filter(|_| Processor::of(file) == Processor::X86) else {
            return Self::default();
        };
        let (layout, targets) = (Layout::read(file), CallTargets::read(file));
        let data = Data::read(file, &object);
        let mut places: FxHashMap<u64, Place> = FxHashMap::default();
        for range in all_functions(file) {
            places.insert(range.start, (range.end, None));
        }
        for symbol in files.symbols().symbols().iter().filter(|symbol| symbol.start == symbol.entry) {
            let name = Some(symbol.name().into());
            let place = places.entry(symbol.start).or_insert((symbol.end, None));
            place.1 = name;
        }
        let mut places: Vec<(u64, Place)> = places.into_iter().collect();
        places.sort_unstable_by_key(|(start, _)| *start);
        let function = |(start, (end, name)): (u64, (u64, Option<Box<str>>))| {
            let length = end.saturating_sub(start);
            let bytes = if length <= MAX_FUNCTION_BYTES { file.instructions(start, length) } else { &[] };
            let is_stub = name.as_deref().is_some_and(|name| name.ends_with("@plt"));
            let body =
                if is_stub { Body::default() } else { Body::decode(start, bytes, &layout, &targets, &data) };
            Function { start, name, body }
        };
        let all: Vec<Function> = places.into_par_iter().map(function).collect();
        let at: FxHashMap<u64, usize> = all.iter().enumerate().map(|(at, of)| (of.start, at)).collect();
        let callees =
            all.iter().map(|of| of.body.targets.iter().filter_map(|to| at.get(to).copied()).collect());
        let callees = callees.collect();
        Self { all, callees }
    }
}
