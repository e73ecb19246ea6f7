//! The functions of a unit: what their entries and those they refer to say, put together.

use gimli::UnitOffset;
use pdiff_profile::census::InlineAttribute;
use rustc_hash::FxHashMap;

use super::facts::{
    CallSiteRow, ForeignFunction, InlineRow, Place, Root, SourcePlace, UnitFacts, UnitFunction,
};
use super::paths::Paths;
use super::records::{Link, NO_FILE, Records, Subprogram, Target};
use super::source::Source;
use crate::binary::content_hash::ContentHash;
use crate::binary::dwarf::Unit;
use crate::binary::scoped_name::{CALL, plain_name};
use crate::binary::strings::{KeptText, Strings};

/// Most references followed from one entry to the next; compilers need three.
const MAX_LINKS: usize = 16;

/// Puts the records of a unit together.
pub(super) fn facts_of<'a>(
    source: &Source<'_, 'a>,
    strings: Strings<'a>,
    unit: &Unit<'a>,
    records: Records<'a>,
) -> UnitFacts {
    let mut functions = FunctionList::new(&records, source, strings, unit);
    let root_of = |functions: &mut FunctionList<'_, 'a>, (index, ranges): &(usize, Vec<_>)| Root {
        function: functions.id_of(*index),
        ranges: ranges.clone(),
    };
    let roots = records.roots.iter().map(|root| root_of(&mut functions, root)).collect();
    let sites = functions.sites();
    let call_sites = functions.call_sites();
    let (functions, paths) = functions.finish();
    let producer = strings.get(records.producer).into();
    let covered = records.covered;
    UnitFacts { producer, covered, paths, functions, roots, sites, call_sites }
}

/// The functions at some offsets of a unit, for other units that refer to them.
pub(super) fn functions_at<'a>(
    source: &Source<'_, 'a>,
    strings: Strings<'a>,
    unit: &Unit<'a>,
    records: &Records<'a>,
    offsets: &[UnitOffset],
) -> Vec<(UnitOffset, ForeignFunction)> {
    let mut list = FunctionList::new(records, source, strings, unit);
    let mut found = Vec::new();
    for offset in offsets {
        let Some(index) = records.subprogram_at(*offset) else { continue };
        let function = list.describe(index);
        let path = list.paths.get(function.path).map(Box::from);
        found.push((*offset, ForeignFunction { function, path }));
    }
    found
}

/// The functions of a unit that have code or instances, as they turn up.
struct FunctionList<'u, 'a> {
    records: &'u Records<'a>,
    paths: Paths<'u, 'a>,
    /// By subprogram: the place in `functions` plus one.
    ids: Vec<u32>,
    elsewhere: FxHashMap<Place, u32>,
    functions: Vec<UnitFunction>,
    strings: Strings<'a>,
    unit_name: Option<String>,
}

impl<'u, 'a> FunctionList<'u, 'a> {
    fn new(
        records: &'u Records<'a>,
        source: &Source<'u, 'a>,
        strings: Strings<'a>,
        unit: &'u Unit<'a>,
    ) -> Self {
        Self {
            records,
            paths: Paths::new(source.dwarf, unit),
            ids: vec![0; records.subprograms.len()],
            elsewhere: FxHashMap::default(),
            functions: Vec::new(),
            strings,
            unit_name: unit.name.map(|name| String::from_utf8_lossy(name.slice()).into_owned()),
        }
    }

    fn finish(self) -> (Vec<UnitFunction>, Vec<Box<str>>) {
        (self.functions, self.paths.into_paths())
    }

    /// The function of a subprogram: that of its abstract instance.
    fn id_of(&mut self, subprogram: usize) -> u32 {
        let mut index = subprogram;
        for _ in 0..MAX_LINKS {
            match self.records.subprograms.get(index).map(|s| s.link) {
                Some(Link::Abstract(Target::Here(offset))) => match self.records.subprogram_at(offset) {
                    Some(next) => index = next,
                    None => break,
                },
                Some(Link::Abstract(Target::Elsewhere(place))) => return self.id_elsewhere(place),
                _ => break,
            }
        }
        if let Some(known) = self.ids.get(index).and_then(|id| id.checked_sub(1)) {
            return known;
        }
        let function = self.describe(index);
        let id = self.push(function);
        if let Some(slot) = self.ids.get_mut(index) {
            *slot = id + 1;
        }
        id
    }

    fn id_elsewhere(&mut self, at: Place) -> u32 {
        if let Some(id) = self.elsewhere.get(&at) {
            return *id;
        }
        let function = UnitFunction {
            linkage_name: KeptText::Absent,
            name: None,
            place: SourcePlace(0),
            path: 0,
            line: 0,
            inline: InlineAttribute::Absent,
            is_external: false,
            elsewhere: Some(at),
        };
        let id = self.push(function);
        self.elsewhere.insert(at, id);
        id
    }

    fn push(&mut self, function: UnitFunction) -> u32 {
        let id = u32::try_from(self.functions.len()).expect("a unit has fewer functions than bytes");
        self.functions.push(function);
        id
    }

    fn id_at(&mut self, target: Target) -> Option<u32> {
        match target {
            Target::Here(offset) => self.records.subprogram_at(offset).map(|index| self.id_of(index)),
            Target::Elsewhere(place) => Some(self.id_elsewhere(place)),
        }
    }

    /// What a subprogram and those it refers to say; the first to say a thing is right.
    fn describe(&mut self, index: usize) -> UnitFunction {
        let mut said = self.records.subprograms.get(index).copied().unwrap_or(Subprogram::NOTHING);
        let mut elsewhere = None;
        let mut link = said.link;
        for _ in 0..MAX_LINKS {
            match link {
                Link::None => break,
                Link::Abstract(Target::Elsewhere(place)) | Link::Declaration(Target::Elsewhere(place)) => {
                    elsewhere = Some(place);
                    break;
                }
                Link::Abstract(Target::Here(offset)) | Link::Declaration(Target::Here(offset)) => {
                    let next =
                        self.records.subprogram_at(offset).and_then(|at| self.records.subprograms.get(at));
                    let Some(next) = next else { break };
                    complete(&mut said, next);
                    link = next.link;
                }
            }
        }
        self.function_of(&said, elsewhere)
    }

    fn function_of(&mut self, said: &Subprogram<'a>, elsewhere: Option<Place>) -> UnitFunction {
        let path = self.paths.id(said.file);
        let linkage_name = said.linkage_name;
        let mut place = self.place_of(said);
        place.bytes(self.paths.get(path).unwrap_or("").as_bytes());
        // Lambdas are in no file, and their classes have no name: only what is around them distinguishes them.
        if path == 0 && self.strings.get(said.name) == CALL {
            place.bytes(self.spell(said).as_bytes());
        }
        place.number(u64::from(said.line));
        UnitFunction {
            linkage_name: KeptText::of(linkage_name),
            name: linkage_name.is_absent().then(|| self.spell(said).into()),
            place: SourcePlace(place.finish()),
            path,
            line: said.line,
            inline: said.inline.map_or(InlineAttribute::Absent, InlineAttribute::from_dwarf),
            is_external: said.is_external,
            elsewhere,
        }
    }

    /// The qualified name.
    fn spell(&self, said: &Subprogram<'a>) -> String {
        let around = self.records.scopes.around(said.scope, &self.strings, |offset| {
            let function = self.named_in(offset);
            (function.name, function.scope)
        });
        plain_name(&around, self.strings.get(said.name), self.unit_name.as_deref())
    }

    /// What the subprogram at an offset and those it refers to in the unit say of its name; the scope is the last one's.
    fn named_in(&self, offset: UnitOffset) -> Subprogram<'a> {
        let at = |offset| self.records.subprogram_at(offset).and_then(|at| self.records.subprograms.get(at));
        let mut said = at(offset).copied().unwrap_or(Subprogram::NOTHING);
        for _ in 0..MAX_LINKS {
            let (Link::Abstract(Target::Here(next)) | Link::Declaration(Target::Here(next))) = said.link
            else {
                break;
            };
            let Some(next) = at(next) else { break };
            said = Subprogram { name: said.name.or(next.name), ..*next };
        }
        said
    }

    /// A hash of the qualified name, which need not be read for it.
    fn place_of(&self, said: &Subprogram<'a>) -> ContentHash {
        let mut place = ContentHash::new();
        self.strings.hash(said.name, &mut place);
        self.records.scopes.names(said.scope).for_each(|name| self.strings.hash(name, &mut place));
        place
    }

    fn sites(&mut self) -> Vec<InlineRow> {
        // Callee, root, path and line as one number sort in half the time: there are millions.
        let mut rows: Vec<u128> = Vec::with_capacity(self.records.sites.len());
        for site in &self.records.sites {
            let Some(callee) = self.id_at(site.origin) else { continue };
            let parts = [callee, site.root, self.paths.id(site.file), site.line];
            rows.push(parts.into_iter().fold(0, |row, part| row << 32 | u128::from(part)));
        }
        rows.sort_unstable();
        let row = |same: &[u128]| {
            let part = |shift: u32| same.first().map_or(0, |row| (row >> shift) as u32);
            let count = u32::try_from(same.len()).unwrap_or(u32::MAX);
            InlineRow { callee: part(96), root: part(64), path: part(32), line: part(0), count }
        };
        rows.chunk_by(|a, b| a == b).map(row).collect()
    }

    fn call_sites(&mut self) -> Vec<CallSiteRow> {
        let mut rows = Vec::with_capacity(self.records.calls.len());
        for call in &self.records.calls {
            let Some(callee) = self.id_at(call.origin) else { continue };
            rows.push(CallSiteRow { callee, root: call.root, is_tail: call.is_tail, count: 1 });
        }
        rows.sort_unstable();
        rows.dedup_by(|next, kept| {
            let key = |row: &CallSiteRow| (row.callee, row.root, row.is_tail);
            let same = key(next) == key(kept);
            kept.count = if same { kept.count.saturating_add(next.count) } else { kept.count };
            same
        });
        rows
    }
}

/// Takes from `next` what `said` leaves open. The scope is that of the last entry: the declaration is in its class.
fn complete<'a>(said: &mut Subprogram<'a>, next: &Subprogram<'a>) {
    said.name = said.name.or(next.name);
    said.linkage_name = said.linkage_name.or(next.linkage_name);
    if said.file == NO_FILE {
        said.file = next.file;
    }
    if said.line == 0 {
        said.line = next.line;
    }
    said.inline = said.inline.or(next.inline);
    said.is_external |= next.is_external;
    said.scope = next.scope.or(said.scope);
}
