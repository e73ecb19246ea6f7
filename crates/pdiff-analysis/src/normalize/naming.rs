//! The frames of one profile named, each once: by the symboliser, else by perf's own symbols.

use pdiff_profile::names::FunctionName;
use pdiff_profile::{
    Frame, FrameId, InlineChain, Lookup, Profile, Resolution, Resolutions, Side, StringId, lookups,
};
use rustc_hash::FxHashMap;

use super::{KeyId, Keys, Level};
use crate::same_named::ChainOfRun;

/// Names the frames of one profile, each once.
pub(super) struct Naming<'a> {
    pub(super) keys: &'a mut Keys,
    pub(super) profile: &'a Profile,
    pub(super) resolutions: Option<&'a Resolutions>,
    pub(super) objects: Vec<String>,
    /// By object: inlined functions have no rows of their own.
    pub(super) collapsed: Vec<bool>,
    pub(super) side: Side,
    /// A function inlined at a thousand places is demangled once.
    pub(super) names: FxHashMap<Spelling<'a>, FunctionName>,
    pub(super) symbols: FxHashMap<FrameId, KeyId>,
    pub(super) chains: FxHashMap<(u32, u32, Option<StringId>), Chain>,
    /// Where there are resolutions: frames that have none.
    pub(super) unresolved: Vec<ChainOfRun>,
}

/// A resolved machine frame.
pub(super) struct Chain {
    /// Where the machine function begins, by perf.
    pub(super) start: Option<u64>,
    pub(super) levels: Box<[Level]>,
}

/// How a name was written: by perf, or with its linkage name by the debug information.
#[derive(Clone, Copy, PartialEq, Eq, Hash)]
pub(super) struct Spelling<'a> {
    name: &'a str,
    linkage: Option<&'a str>,
}

impl Spelling<'_> {
    fn function_name(&self) -> FunctionName {
        FunctionName::with_linkage(self.name, self.linkage)
    }
}

impl<'a> Naming<'a> {
    /// Appends the functions of a stack, root first; what has none stands as unresolved.
    pub(super) fn append(&mut self, stack: &[FrameId], levels: &mut Vec<Level>) {
        let start = levels.len();
        let mut expanded = false;
        for (id, lookup) in lookups(self.profile, stack) {
            let Some(&frame) = self.profile.frames.get(id.index()) else { continue };
            if frame.inlined && (expanded || self.is_collapsed(&frame)) {
                continue;
            }
            expanded = self.append_resolved(id, &frame, lookup, levels);
            if !expanded {
                levels.push(Level { key: self.symbol(id, &frame), inlined: frame.inlined });
            }
        }
        if levels.len() == start {
            levels.push(Level { key: self.keys.unresolved("[unknown]"), inlined: false });
        }
    }

    /// Appends what the symboliser found; false if it had nothing to say of this frame.
    fn append_resolved(
        &mut self,
        id: FrameId,
        frame: &Frame,
        lookup: Lookup,
        levels: &mut Vec<Level>,
    ) -> bool {
        let Some(resolutions) = self.resolutions else { return false };
        let Some(number) = resolutions.number(id, lookup) else { return false };
        // perf looked a return address up as it is: at offset 0 its symbol is the next function.
        let sound = !(lookup == Lookup::MinusOne && frame.symbol_offset == Some(0));
        let symbol = frame.symbol.filter(|_| sound);
        let place = (number, frame.object.0, symbol);
        if !self.chains.contains_key(&place) {
            let start = start_of(frame);
            let levels = match resolutions.table().get(number as usize) {
                Some(Resolution::Resolved(chain)) => self.chain(chain, frame, symbol),
                _ => {
                    let object = self.object(frame).to_owned();
                    Box::new([Level { key: self.keys.unresolved(&object), inlined: false }])
                }
            };
            self.chains.insert(place, Chain { start: start.filter(|_| symbol.is_some()), levels });
        }
        levels.extend(self.chains.get(&place).into_iter().flat_map(|chain| &chain.levels));
        true
    }

    /// The machine function is called as perf calls it where perf had a symbol: of several names for one address both
    /// sides then have the same one, debug information or not.
    fn chain(&mut self, chain: &'a InlineChain, frame: &Frame, symbol: Option<StringId>) -> Box<[Level]> {
        let object = self.object(frame).to_owned();
        let kept = if self.is_collapsed(frame) { chain.frames().get(..1) } else { Some(chain.frames()) };
        let profile = self.profile;
        let mut perf_spelling = symbol.map(|symbol| Spelling { name: profile.string(symbol), linkage: None });
        let mut levels = Vec::with_capacity(chain.frames().len());
        for inline in kept.into_iter().flatten() {
            let dwarf = Spelling { name: &inline.name, linkage: inline.linkage_name.as_deref() };
            let perf = perf_spelling.take().unwrap_or(dwarf);
            for spelling in [dwarf, perf] {
                self.names.entry(spelling).or_insert_with(|| spelling.function_name());
            }
            let (Some(dwarf), Some(perf)) = (self.names.get(&dwarf), self.names.get(&perf)) else { continue };
            let name = if perf.qualified() == dwarf.qualified() { dwarf } else { perf };
            let key = self.keys.function(name, (&object, self.side), inline.file.as_deref());
            levels.push(Level { key, inlined: inline.inlined });
        }
        levels.into()
    }

    fn is_collapsed(&self, frame: &Frame) -> bool {
        self.collapsed.get(frame.object.index()).copied().unwrap_or(false)
    }

    fn symbol(&mut self, id: FrameId, frame: &Frame) -> KeyId {
        if let Some(key) = self.symbols.get(&id) {
            return *key;
        }
        let object = self.object(frame).to_owned();
        let key = match frame.symbol {
            Some(symbol) => {
                let name = FunctionName::parse(self.profile.string(symbol));
                self.keys.function(&name, (&object, self.side), None)
            }
            None => self.keys.unresolved(&object),
        };
        self.symbols.insert(id, key);
        if self.resolutions.is_some() {
            let levels = Box::new([Level { key, inlined: frame.inlined }]);
            let start = start_of(frame).filter(|_| !frame.inlined);
            self.unresolved.push(ChainOfRun { number: None, start, levels });
        }
        key
    }

    fn object(&self, frame: &Frame) -> &str {
        self.objects.get(frame.object.index()).map_or("[unknown]", String::as_str)
    }
}

/// Where a frame's machine function begins, by perf.
fn start_of(frame: &Frame) -> Option<u64> {
    frame.addr.zip(frame.symbol_offset).and_then(|(addr, offset)| addr.0.checked_sub(offset))
}
