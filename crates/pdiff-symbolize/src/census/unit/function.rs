//! The functions of a unit: what their entries and those they refer to say, put together.

use gimli::UnitOffset;
use pdiff_profile::census::InlineAttribute;
use rustc_hash::FxHashMap;

use super::Reading;
use super::facts::{
    CallSiteRow, ForeignFunction, InlineRow, LeftOut, Place, Root, SourcePlace, UnitFacts, UnitFunction,
};
use super::paths::Paths;
use super::records::{Link, NO_FILE, NO_SITE_FILE, Records, Subprogram, Target};
use super::source::Source;
use crate::binary::content_hash::ContentHash;
use crate::binary::dwarf::Unit;
use crate::binary::scoped_name::{CALL, plain_name};
use crate::binary::strings::{KeptText, RawText, Strings};
use crate::census::background::Background;

/// Most references followed from one entry to the next; compilers need three.
const MAX_LINKS: usize = 16;

/// Puts the records of a unit together.
pub(super) fn facts_of<'a>(
    source: &Source<'_, 'a>,
    reading: &Reading<'_, 'a>,
    unit: &Unit<'a>,
    records: &Records<'a>,
) -> UnitFacts {
    let strings = reading.strings;
    let mut functions = FunctionList::new(records, source, strings, unit);
    let root_of = |functions: &mut FunctionList<'_, 'a>, (index, ranges): &(usize, Vec<_>)| Root {
        function: functions.id_of(*index),
        ranges: ranges.clone(),
    };
    let roots = records.roots.iter().map(|root| root_of(&mut functions, root)).collect();
    // What has code here or is called is listed before copies are looked at, so that it is not left out.
    let call_sites = functions.call_sites();
    let sites = functions.sites(reading.background);
    let with_instances = functions.functions.len();
    functions.add_inlined_without_instance(reading.background);
    let (functions, paths, left_out) = functions.finish();
    let producer = strings.get(records.producer).into();
    let covered = records.covered.clone();
    UnitFacts { producer, covered, paths, functions, with_instances, roots, sites, call_sites, left_out }
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

/// In the place of a function's id: it is left out.
const LEFT_OUT: u32 = u32::MAX;

/// The functions of a unit that have code or were inlined, as they turn up.
struct FunctionList<'u, 'a> {
    records: &'u Records<'a>,
    paths: Paths<'u, 'a>,
    /// By subprogram: the place in `functions` plus one; 0 where it is not known, or [`LEFT_OUT`].
    ids: Vec<u32>,
    elsewhere: FxHashMap<Place, u32>,
    functions: Vec<UnitFunction>,
    left_out: Vec<LeftOut>,
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
            left_out: Vec::new(),
            strings,
            unit_name: unit.name.map(|name| String::from_utf8_lossy(name.slice()).into_owned()),
        }
    }

    fn finish(self) -> (Vec<UnitFunction>, Vec<Box<str>>, Vec<LeftOut>) {
        (fitted(self.functions), fitted(self.paths.into_paths()), fitted(self.left_out))
    }

    /// The function of a subprogram: that of its abstract instance.
    fn id_of(&mut self, subprogram: usize) -> u32 {
        match self.abstract_of(subprogram) {
            Abstract::Here(index) => self.id_here(index),
            Abstract::Elsewhere(place) => self.id_elsewhere(place),
        }
    }

    fn abstract_of(&self, subprogram: usize) -> Abstract {
        let mut index = subprogram;
        for _ in 0..MAX_LINKS {
            match self.records.subprograms.get(index).map(|s| s.link) {
                Some(Link::Abstract(Target::Here(offset))) => match self.records.subprogram_at(offset) {
                    Some(next) => index = next,
                    None => break,
                },
                Some(Link::Abstract(Target::Elsewhere(place))) => return Abstract::Elsewhere(place),
                _ => break,
            }
        }
        Abstract::Here(index)
    }

    fn id_here(&mut self, index: usize) -> u32 {
        let known = self.ids.get(index).filter(|id| **id != LEFT_OUT);
        if let Some(known) = known.and_then(|id| id.checked_sub(1)) {
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

    /// The function of a copy; `None` where it is left out.
    fn id_of_copy(&mut self, origin: Target, background: Option<&Background<'_>>) -> Option<u32> {
        let Target::Here(offset) = origin else { return self.id_at(origin) };
        let index = match self.abstract_of(self.records.subprogram_at(offset)?) {
            Abstract::Here(index) => index,
            Abstract::Elsewhere(place) => return Some(self.id_elsewhere(place)),
        };
        match (self.ids.get(index).copied().unwrap_or(0), background) {
            (LEFT_OUT, _) => return None,
            (0, Some(background)) => {
                let (linkage_name, name) = self.names_of(index);
                if background.contains(&self.strings, linkage_name, name) {
                    self.leave_out(index);
                    return None;
                }
            }
            _ => {}
        }
        Some(self.id_here(index))
    }

    /// Functions that the compiler says it inlined, and of which no instance is left: all of their work was folded or moved.
    fn add_inlined_without_instance(&mut self, background: Option<&Background<'_>>) {
        let is_inlined = |said: &Subprogram<'_>| {
            let inline = said.inline.map_or(InlineAttribute::Absent, InlineAttribute::from_dwarf);
            inline.is_inlined() && !matches!(said.link, Link::Abstract(_))
        };
        for (index, _) in self.records.subprograms.iter().enumerate().filter(|(_, said)| is_inlined(said)) {
            let is_known = self.ids.get(index).is_some_and(|id| *id != 0);
            let (linkage_name, name) = self.names_of(index);
            let is_background =
                || background.is_some_and(|of| of.contains(&self.strings, linkage_name, name));
            if !is_known && !is_background() {
                self.id_here(index);
            }
        }
    }

    fn leave_out(&mut self, index: usize) {
        self.ids.get_mut(index).into_iter().for_each(|id| *id = LEFT_OUT);
        let (said, _) = self.said_of(index);
        let path = self.paths.id(said.file);
        let mut name = ContentHash::new();
        self.strings.hash(said.linkage_name, &mut name);
        self.left_out.push(LeftOut { place: self.place_at(&said, path), name: name.finish() });
    }

    /// The linkage name of a subprogram and its name without scope, as it or what it refers to in the unit says.
    fn names_of(&self, index: usize) -> (RawText<'a>, RawText<'a>) {
        let (mut at, mut name) = (index, RawText::Absent);
        for _ in 0..MAX_LINKS {
            let Some(said) = self.records.subprograms.get(at) else { break };
            name = name.or(said.name);
            if !said.linkage_name.is_absent() {
                return (said.linkage_name, name);
            }
            let (Link::Abstract(Target::Here(next)) | Link::Declaration(Target::Here(next))) = said.link
            else {
                break;
            };
            let Some(next) = self.records.subprogram_at(next) else { break };
            at = next;
        }
        (RawText::Absent, name)
    }

    /// What a subprogram and those it refers to say; the first to say a thing is right.
    fn describe(&mut self, index: usize) -> UnitFunction {
        let (said, elsewhere) = self.said_of(index);
        self.function_of(&said, elsewhere)
    }

    fn said_of(&self, index: usize) -> (Subprogram<'a>, Option<Place>) {
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
        (said, elsewhere)
    }

    fn function_of(&mut self, said: &Subprogram<'a>, elsewhere: Option<Place>) -> UnitFunction {
        let path = self.paths.id(said.file);
        let linkage_name = said.linkage_name;
        UnitFunction {
            linkage_name: KeptText::of(linkage_name),
            name: linkage_name.is_absent().then(|| self.spell(said).into()),
            place: self.place_at(said, path),
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

    /// Where a function is declared, in the file of a path. The qualified name need not be read for it.
    fn place_at(&self, said: &Subprogram<'a>, path: u32) -> SourcePlace {
        let mut place = ContentHash::new();
        self.strings.hash(said.name, &mut place);
        self.records.scopes.names(said.scope).for_each(|name| self.strings.hash(name, &mut place));
        place.bytes(self.paths.get(path).unwrap_or("").as_bytes());
        // Lambdas are in no file, and their classes have no name: only what is around them distinguishes them.
        if path == 0 && self.strings.get(said.name) == CALL {
            place.bytes(self.spell(said).as_bytes());
        }
        place.number(u64::from(said.line));
        SourcePlace(place.finish())
    }

    fn sites(&mut self, background: Option<&Background<'_>>) -> Vec<InlineRow> {
        let origins = &self.records.origins;
        let callees: Vec<Option<u32>> =
            origins.iter().map(|origin| self.id_of_copy(*origin, background)).collect();
        // Callee, root, path and line as one number sort in half the time: there are millions.
        let mut rows: Vec<u128> = Vec::new();
        for site in &self.records.sites {
            let Some(callee) = callees.get(site.origin as usize).copied().flatten() else { continue };
            let file = if site.file == NO_SITE_FILE { NO_FILE } else { u64::from(site.file) };
            let parts = [callee, site.root, self.paths.id(file), site.line];
            rows.push(parts.into_iter().fold(0, |row, part| row << 32 | u128::from(part)));
        }
        rows.sort_unstable();
        let row = |same: &[u128]| {
            let part = |shift: u32| same.first().map_or(0, |row| (row >> shift) as u32);
            let count = u32::try_from(same.len()).unwrap_or(u32::MAX);
            InlineRow { callee: part(96), root: part(64), path: part(32), line: part(0), count }
        };
        fitted(rows.chunk_by(|a, b| a == b).map(row).collect())
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
        fitted(rows)
    }
}

/// Without room for more: the facts of all units are kept while the rest is read, and memory is at its peak then.
fn fitted<T>(mut values: Vec<T>) -> Vec<T> {
    values.shrink_to_fit();
    values
}

/// The entry that describes a function.
enum Abstract {
    /// The subprogram of this place in the unit.
    Here(usize),
    Elsewhere(Place),
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
