//! Names the frames of one profile, each once: from the symboliser, else from perf's own symbols.

use std::borrow::Cow;
use std::ops::Range;
use std::sync::Arc;

use pdiff_profile::names::FunctionName;
use pdiff_profile::{
    Call, Frame, FrameId, InlineChain, InlineFrame, Lookup, Lookups, ObjectIndex, Profile, Resolution,
    Resolutions, Side, StringId,
};
use rustc_hash::FxHashMap;

use super::same_named::{ChainOfRun, ChainsOfRun};
use super::{KeyId, Keys, Level};
use crate::policy::Inlines;

/// Names the frames of one profile, each once.
pub(super) struct Naming<'a> {
    keys: &'a mut Keys,
    profile: &'a Profile,
    resolutions: Option<&'a Resolutions>,
    objects: Vec<String>,
    /// By object: inlined functions have no rows of their own.
    collapsed: Vec<bool>,
    side: Side,
    /// A function inlined at a thousand places is demangled once.
    names: FxHashMap<Spelling<'a>, FunctionName>,
    /// By object and where the texts of an inlined function are, which chains share.
    of_texts: FxHashMap<(ObjectIndex, [usize; 3]), KeyId>,
    /// By object and where the texts of a machine function are, and how these are written; `None` if it is shown as several.
    machine_functions: FxHashMap<(ObjectIndex, [usize; 3]), (Spelling<'a>, Option<KeyId>)>,
    /// By perf's symbol and object: the function, for frames that perf alone named.
    of_symbols: FxHashMap<(StringId, ObjectIndex), KeyId>,
    /// The display of each frame: looked up with its address unchanged, and as a return address.
    shown: [Vec<Option<Shown>>; 2],
    /// The levels of all that is shown.
    levels: Vec<Level>,
    chains: FxHashMap<(u32, u32, Option<StringId>), Chain>,
    /// Where there are resolutions: frames that have none.
    unresolved: Vec<ChainOfRun>,
}

/// A resolved machine frame.
struct Chain {
    /// Where the machine function begins, by perf.
    start: Option<u64>,
    shown: Shown,
}

/// The display of one frame.
#[derive(Clone, Copy)]
struct Shown {
    /// Its first level in [`Naming::levels`].
    first: u32,
    /// The number of its levels.
    count: u32,
    /// Whether the symboliser found it.
    is_resolved: bool,
}

impl Shown {
    fn levels(self) -> Range<u32> {
        self.first..self.first + self.count
    }
}

/// How a name was written: by perf, or with its linkage name by the debug information.
#[derive(Clone, Copy, PartialEq, Eq, Hash)]
struct Spelling<'a> {
    name: &'a str,
    linkage: Option<&'a str>,
}

impl<'a> Spelling<'a> {
    /// As debug information writes it.
    fn of(function: &'a InlineFrame) -> Self {
        Self { name: &function.name, linkage: function.linkage_name.as_deref() }
    }

    fn function_name(&self) -> FunctionName {
        FunctionName::with_linkage(self.name, self.linkage)
    }
}

impl<'a> Naming<'a> {
    /// Names nothing yet.
    pub(super) fn new(
        keys: &'a mut Keys,
        profile: &'a Profile,
        resolutions: Option<&'a Resolutions>,
        side: Side,
    ) -> Self {
        let objects: Vec<String> = profile.objects.iter().map(|object| keys.label(object, side)).collect();
        let all = keys.policy.inlines == Inlines::Collapse;
        let collapsed = objects.iter().map(|label| all || keys.one_sided.side(label).is_some()).collect();
        Self {
            keys,
            profile,
            resolutions,
            objects,
            collapsed,
            side,
            names: FxHashMap::default(),
            of_texts: FxHashMap::default(),
            machine_functions: FxHashMap::default(),
            of_symbols: FxHashMap::default(),
            shown: [vec![None; profile.frames.len()], vec![None; profile.frames.len()]],
            levels: Vec::new(),
            chains: FxHashMap::default(),
            unresolved: Vec::new(),
        }
    }

    /// Appends the functions of a stack, root first; what has none stands as unresolved.
    pub(super) fn append(&mut self, lookups: &Lookups<'_>, stack: &[FrameId], levels: &mut Vec<Level>) {
        let start = levels.len();
        let mut expanded = false;
        for (id, lookup) in lookups.of(stack) {
            // The frame itself is far away in memory, and of those that were shown before not needed.
            if lookups.is_inlined(id) && (expanded || self.frame(id).is_some_and(|of| self.is_collapsed(of)))
            {
                continue;
            }
            let Some(shown) = self.shown(id, lookup) else { continue };
            expanded = shown.is_resolved;
            levels.extend(self.levels_of(shown));
        }
        if levels.len() == start {
            levels.push(Level { key: self.keys.unresolved(UNKNOWN_OBJECT), inlined: false });
        }
    }

    /// By frame: the machine function that it calls by the instruction before its address, if stacks have it, and no other of its name in
    /// the same object.
    pub(super) fn called(&self) -> FxHashMap<FrameId, KeyId> {
        let Some(resolutions) = self.resolutions.filter(|known| !known.calls().is_empty()) else {
            return FxHashMap::default();
        };
        let mut by_name: FxHashMap<(Spelling<'a>, ObjectIndex), Option<KeyId>> = FxHashMap::default();
        for ((object, _), (name, key)) in &self.machine_functions {
            let known = by_name.entry((*name, *object)).or_insert(*key);
            *known = known.filter(|known| Some(*known) == *key);
        }
        // Calls are many more than functions that are called.
        let mut by_number: FxHashMap<(u32, ObjectIndex), Option<KeyId>> = FxHashMap::default();
        let called = resolutions.calls().iter().filter_map(|(caller, call)| {
            let Call::Function(number) = call else { return None };
            let object = self.frame(caller)?.object;
            let key = by_number.entry((number, object)).or_insert_with(|| {
                let chain = resolutions.table().get(number as usize)?.chain()?;
                by_name.get(&(Spelling::of(chain.outermost()), object)).copied().flatten()
            });
            Some((caller, (*key)?))
        });
        called.collect()
    }

    /// The machine frames that were named.
    pub(super) fn into_chains(self) -> ChainsOfRun {
        let chain = |(place, chain): (&(u32, u32, Option<StringId>), &Chain)| ChainOfRun {
            number: Some(place.0),
            start: chain.start,
            levels: chain.shown.levels(),
        };
        let mut chains: Vec<ChainOfRun> = self.chains.iter().map(chain).collect();
        chains.extend(self.unresolved);
        ChainsOfRun { chains, levels: self.levels }
    }

    fn levels_of(&self, shown: Shown) -> &[Level] {
        let first = shown.first as usize;
        self.levels.get(first..first + shown.count as usize).unwrap_or(&[])
    }

    /// Takes in what a frame is shown as.
    fn show(&mut self, levels: &[Level], is_resolved: bool) -> Shown {
        let number = |len: usize| u32::try_from(len).expect("fewer than 2^32 levels fit in memory");
        let shown = Shown { first: number(self.levels.len()), count: number(levels.len()), is_resolved };
        self.levels.extend_from_slice(levels);
        shown
    }

    /// The display of a frame, computed once.
    fn shown(&mut self, id: FrameId, lookup: Lookup) -> Option<Shown> {
        let column = usize::from(lookup == Lookup::MinusOne);
        if let Some(Some(shown)) = self.shown[column].get(id.index()) {
            return Some(*shown);
        }
        let frame = self.frame(id)?;
        let by_symbol = self.shown[1 - column].get(id.index()).copied().flatten();
        let by_symbol = by_symbol.filter(|shown| !shown.is_resolved);
        let shown = self.resolved(id, frame, lookup).or(by_symbol).unwrap_or_else(|| self.symbol(frame));
        if let Some(known) = self.shown[column].get_mut(id.index()) {
            *known = Some(shown);
        }
        Some(shown)
    }

    fn frame(&self, id: FrameId) -> Option<&'a Frame> {
        self.profile.frames.get(id.index())
    }

    /// The symboliser's result; `None` if it has none for this frame.
    fn resolved(&mut self, id: FrameId, frame: &Frame, lookup: Lookup) -> Option<Shown> {
        let resolutions = self.resolutions?;
        let number = resolutions.number(id, lookup)?;
        // perf looked a return address up unchanged: at offset 0 its symbol is the next function.
        let sound = !(lookup == Lookup::MinusOne && frame.symbol_offset == Some(0));
        let symbol = frame.symbol.filter(|_| sound);
        let place = (number, frame.object.0, symbol);
        if let Some(chain) = self.chains.get(&place) {
            return Some(chain.shown);
        }
        let levels = match resolutions.table().get(number as usize) {
            Some(Resolution::Resolved(chain)) => self.chain(chain, frame, symbol),
            _ => {
                let object = self.object(frame).to_owned();
                Box::new([Level { key: self.keys.unresolved(&object), inlined: false }])
            }
        };
        let shown = self.show(&levels, true);
        self.chains.insert(place, Chain { start: start_of(frame).filter(|_| symbol.is_some()), shown });
        Some(shown)
    }

    /// The machine function is called as perf calls it where perf had a symbol: of several names for one address both
    /// sides then have the same one, debug information or not.
    fn chain(&mut self, chain: &'a InlineChain, frame: &Frame, symbol: Option<StringId>) -> Box<[Level]> {
        let object = self.object(frame).to_owned();
        let profile = self.profile;
        let mut perf_spelling = symbol.map(|symbol| Spelling { name: profile.string(symbol), linkage: None });
        let is_collapsed =
            self.is_collapsed(frame) || self.is_by_symbol(&object, chain.outermost(), perf_spelling);
        let kept = if is_collapsed { chain.frames().get(..1) } else { Some(chain.frames()) };
        let mut levels = Vec::with_capacity(chain.frames().len());
        for inline in kept.into_iter().flatten() {
            let texts = (frame.object, places_of_texts(inline));
            // What is inlined, perf has no other name for.
            if let Some(key) = self.of_texts.get(&texts).filter(|_| perf_spelling.is_none()) {
                levels.push(Level { key: *key, inlined: inline.inlined });
                continue;
            }
            if let Some(identity) = inline.unnamed_identity() {
                let key = self.keys.unnamed(inline, identity, (&object, self.side));
                levels.push(Level { key, inlined: false });
                continue;
            }
            let dwarf = Spelling::of(inline);
            let by_perf = perf_spelling.take();
            let perf = by_perf.unwrap_or(dwarf);
            for spelling in [dwarf, perf] {
                self.names.entry(spelling).or_insert_with(|| spelling.function_name());
            }
            let (Some(dwarf), Some(perf)) = (self.names.get(&dwarf), self.names.get(&perf)) else { continue };
            let name = if perf.qualified() == dwarf.qualified() { dwarf } else { perf };
            let key = self.keys.function(name, (&object, self.side), inline.file.as_deref());
            if by_perf.is_none() {
                self.of_texts.insert(texts, key);
            }
            levels.push(Level { key, inlined: inline.inlined });
        }
        if let Some(level) = levels.first() {
            let outermost = chain.outermost();
            let place = (frame.object, places_of_texts(outermost));
            let known =
                self.machine_functions.entry(place).or_insert((Spelling::of(outermost), Some(level.key)));
            known.1 = known.1.filter(|key| *key == level.key);
        }
        levels.into()
    }

    /// Whether a machine function, by either of its names, is one that debug information does not describe.
    fn is_by_symbol(&self, object: &str, outermost: &InlineFrame, perf: Option<Spelling<'_>>) -> bool {
        let coverage = self.keys.one_sided.coverage();
        if coverage.is_complete() {
            return false;
        }
        let dwarf = Spelling::of(outermost);
        let mut spellings = std::iter::once(dwarf).chain(perf);
        spellings.any(|spelling| coverage.is_by_symbol(object, spelling.function_name().qualified()))
    }

    fn is_collapsed(&self, frame: &Frame) -> bool {
        self.collapsed.get(frame.object.index()).copied().unwrap_or(false)
    }

    fn symbol(&mut self, frame: &Frame) -> Shown {
        let key = match frame.symbol {
            Some(symbol) => self.of_symbol(symbol, frame.object),
            None => {
                let object = self.object(frame).to_owned();
                self.keys.unresolved(&object)
            }
        };
        let levels = [Level { key, inlined: frame.inlined }];
        let shown = self.show(&levels, false);
        if self.resolutions.is_some() {
            let start = start_of(frame).filter(|_| !frame.inlined);
            self.unresolved.push(ChainOfRun { number: None, start, levels: shown.levels() });
        }
        shown
    }

    /// The function that perf named. Names are many, so what is kept of one is its number.
    fn of_symbol(&mut self, symbol: StringId, object: ObjectIndex) -> KeyId {
        if let Some(known) = self.of_symbols.get(&(symbol, object)) {
            return *known;
        }
        let spelling = Spelling { name: self.profile.string(symbol), linkage: None };
        let name =
            self.names.get(&spelling).map_or_else(|| Cow::Owned(spelling.function_name()), Cow::Borrowed);
        let label = self.objects.get(object.index()).map_or(UNKNOWN_OBJECT, String::as_str);
        let key = self.keys.function(&name, (label, self.side), None);
        self.of_symbols.insert((symbol, object), key);
        key
    }

    fn object(&self, frame: &Frame) -> &str {
        self.objects.get(frame.object.index()).map_or(UNKNOWN_OBJECT, String::as_str)
    }
}

/// Where the texts of a function are: of equal places the texts are the same.
fn places_of_texts(inline: &InlineFrame) -> [usize; 3] {
    let place = |text: &Arc<str>| Arc::as_ptr(text).cast::<u8>() as usize;
    let of_optional = |text: &Option<Arc<str>>| text.as_ref().map_or(0, place);
    [place(&inline.name), of_optional(&inline.linkage_name), of_optional(&inline.file)]
}

/// The label of an object that the profile does not have.
const UNKNOWN_OBJECT: &str = "[unknown]";

/// Where a frame's machine function begins, by perf.
fn start_of(frame: &Frame) -> Option<u64> {
    frame.addr.zip(frame.symbol_offset).and_then(|(addr, offset)| addr.0.checked_sub(offset))
}
