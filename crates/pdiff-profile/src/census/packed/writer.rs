//! A census to the bytes of its packed form.

use std::cmp::Reverse;

use rustc_hash::{FxHashMap, FxHashSet};

use super::names::{Named, is_demangled, write_names};
use super::{DESCRIBED, Detail, HASHED, SPIN_SHIFT, TOLD_CALLERS};
use crate::census::body::{Body, BodyHash, BodyPart, Spin};
use crate::census::codec::{position, write_coverage, write_producers};
use crate::census::edge::{CallEdge, EdgeSource};
use crate::census::function::Function;
use crate::census::function_facts::{FunctionFacts, FunctionId, Linkage};
use crate::census::left_out::LeftOut;
use crate::census::table::{Census, Visibility};
use crate::census::text::TextId;
use crate::codec::{ByteWriter, write_texts};

/// Everything after the version.
pub(super) fn write(census: &Census, keep: impl Fn(Function<'_>) -> Detail) -> Vec<u8> {
    let kept = Kept::new(census, keep);
    let sites = kept.sites();
    let files = kept.files(&sites);
    let mut out = ByteWriter::new();
    out.byte(position(&Visibility::ALL, census.visibility()));
    write_coverage(&mut out, census.coverage());
    write_producers(&mut out, census.producers());
    write_texts(&mut out, files.texts.iter().copied());
    kept.write_functions(&mut out, &files);
    kept.write_bodies(&mut out);
    write_sites(&mut out, &sites, &files);
    kept.write_edges(&mut out);
    kept.left_out().write(&mut out);
    out.into_bytes()
}

/// The functions that are written.
struct Kept<'a> {
    census: &'a Census,
    functions: Vec<Function<'a>>,
    /// Of each of them, whether it is written in full.
    in_full: Vec<bool>,
    /// The new id of each function of the census.
    ids: Vec<Option<u32>>,
}

/// The copies of one function in another.
struct Site {
    caller: u32,
    count: u32,
    place: Option<(Option<TextId>, u32)>,
}

/// Copies by callee, as many as `callers` says for each.
struct Sites {
    callers: Vec<usize>,
    rows: Vec<Site>,
}

/// Source files, numbered from 1; 0 is none.
#[derive(Default)]
struct Files<'a> {
    texts: Vec<&'a str>,
    numbers: FxHashMap<TextId, u64>,
}

impl Files<'_> {
    fn number(&self, id: Option<TextId>) -> u64 {
        id.and_then(|id| self.numbers.get(&id).copied()).unwrap_or(0)
    }
}

impl<'a> Kept<'a> {
    fn new(census: &'a Census, keep: impl Fn(Function<'_>) -> Detail) -> Self {
        let all: Vec<Function<'a>> = census.functions().collect();
        let mut ids: Vec<Option<u32>> = Vec::with_capacity(all.len());
        let mut functions = Vec::new();
        let mut next = 0..;
        for group in all.chunk_by(|a, b| a.name() == b.name()) {
            let is_kept =
                group.iter().any(|function| is_in_code(census, *function) || keep(*function) > Detail::None);
            ids.extend(group.iter().map(|_| if is_kept { next.next() } else { None }));
            functions.extend(group.iter().filter(|_| is_kept));
        }
        let in_full = functions.iter().map(|function| keep(*function) == Detail::Full).collect();
        Self { census, functions, in_full, ids }
    }

    fn id(&self, old: FunctionId) -> Option<u32> {
        self.ids.get(old.index()).copied().flatten()
    }

    fn left_out(&self) -> LeftOut {
        let left = self.census.functions().zip(&self.ids).filter(|(_, id)| id.is_none());
        LeftOut::of(left.map(|(function, _)| function.name()))
    }

    fn sites(&self) -> Sites {
        let mut sites = Sites { callers: Vec::with_capacity(self.functions.len()), rows: Vec::new() };
        let mut in_full = self.in_full.iter();
        for group in self.functions.chunk_by(|a, b| a.name() == b.name()) {
            let in_full: Vec<bool> = in_full.by_ref().take(group.len()).copied().collect();
            let is_any_in_full = in_full.contains(&true);
            let told = if is_any_in_full { told_callers(self.census, group) } else { FxHashSet::default() };
            for (function, in_full) in group.iter().zip(in_full) {
                let first_row = sites.rows.len();
                for copies in self.census.sites_of(function.id()).chunk_by(|a, b| a.caller == b.caller) {
                    let caller = copies.first().map(|site| site.caller);
                    let Some((old, caller)) = caller.and_then(|old| Some((old, self.id(old)?))) else {
                        continue;
                    };
                    let count = copies.iter().fold(0_u32, |sum, site| sum.saturating_add(site.count));
                    let place = copies.iter().find(|site| site.line > 0);
                    let place = place.filter(|_| in_full && told.contains(&old));
                    let place = place.map(|site| (site.file, site.line));
                    sites.rows.push(Site { caller, count, place });
                }
                sites.callers.push(sites.rows.len() - first_row);
            }
        }
        sites
    }

    fn files(&self, sites: &Sites) -> Files<'a> {
        let mut files = Files::default();
        let of_functions = self.functions.iter().filter_map(|function| function.facts.file);
        let of_sites = sites.rows.iter().filter_map(|site| site.place?.0);
        for id in of_functions.chain(of_sites) {
            files.numbers.entry(id).or_insert_with(|| {
                files.texts.push(self.census.text(id));
                files.texts.len() as u64
            });
        }
        files
    }

    fn write_functions(&self, out: &mut ByteWriter, files: &Files<'_>) {
        out.count(self.functions.len());
        let named = |f: &Function<'a>| {
            let (name, parameters, linkage) = (f.name(), f.parameters(), f.linkage_name());
            // What a name that was not asked for before looks like, only demangling it shows.
            let is_late =
                || f.is_mangled() && linkage.is_some_and(|linkage| is_demangled(linkage, name, parameters));
            Named { name, parameters, linkage, is_demangled: f.facts.is_demangled || is_late() }
        };
        write_names(out, &self.functions.iter().map(named).collect::<Vec<_>>());
        let facts = || self.functions.iter().map(|function| function.facts);
        facts().for_each(|facts| out.number(files.number(facts.file)));
        let line = |(facts, in_full): (&FunctionFacts, &bool)| if *in_full { facts.line } else { 0 };
        facts().zip(&self.in_full).map(line).for_each(|line| out.number(u64::from(line)));
        facts().for_each(|facts| out.byte(position(&Linkage::ALL, facts.linkage)));
        facts().for_each(|facts| out.number(facts.producer.map_or(0, |id| u64::from(id.0) + 1)));
        let alias = |id: Option<FunctionId>| id.and_then(|id| self.id(id)).map_or(0, |id| u64::from(id) + 1);
        facts().for_each(|facts| out.number(alias(facts.alias_of)));
    }

    fn write_bodies(&self, out: &mut ByteWriter) {
        let bodies_of = |function: &Function<'_>| self.census.bodies_of(function.id());
        self.functions.iter().for_each(|function| out.count(bodies_of(function).len()));
        let bodies = || self.functions.iter().flat_map(bodies_of);
        bodies().for_each(|body| out.number(body.bytes));
        let in_full = self.functions.iter().zip(&self.in_full);
        let in_full = in_full.flat_map(|(function, in_full)| bodies_of(function).iter().map(|_| *in_full));
        let hashed: Vec<(&Body, Option<BodyHash>)> =
            bodies().zip(in_full).map(|(body, in_full)| (body, body.hash.filter(|_| in_full))).collect();
        hashed.iter().for_each(|(body, hash)| out.byte(flags_of(body, hash.is_some())));
        let hashes = hashed.iter().filter_map(|(_, hash)| *hash);
        hashes.for_each(|hash| hash.0.to_le_bytes().into_iter().for_each(|byte| out.byte(byte)));
    }

    fn write_edges(&self, out: &mut ByteWriter) {
        let mut edges: Vec<(u32, &CallEdge)> = Vec::new();
        for function in &self.functions {
            let first_row = edges.len();
            let calls = self.census.calls_to(function.id());
            edges.extend(calls.filter_map(|edge| Some((self.id(edge.caller)?, edge))));
            out.count(edges.len() - first_row);
        }
        write_differences(out, edges.iter().map(|(caller, _)| *caller));
        edges.iter().for_each(|(_, edge)| out.number(u64::from(edge.calls)));
        edges.iter().for_each(|(_, edge)| out.number(u64::from(edge.tail_jumps)));
        edges.iter().for_each(|(_, edge)| out.byte(position(&EdgeSource::ALL, edge.source)));
    }
}

fn write_sites(out: &mut ByteWriter, sites: &Sites, files: &Files<'_>) {
    let rows = || sites.rows.iter();
    let places = || rows().filter_map(|site| site.place);
    sites.callers.iter().for_each(|callers| out.count(*callers));
    write_differences(out, rows().map(|site| site.caller));
    rows().for_each(|site| out.number(u64::from(site.count)));
    rows().for_each(|site| out.byte(u8::from(site.place.is_some())));
    places().for_each(|(file, _)| out.number(files.number(file)));
    places().for_each(|(_, line)| out.number(u64::from(line)));
}

fn write_differences(out: &mut ByteWriter, numbers: impl Iterator<Item = u32>) {
    let mut before = 0;
    for number in numbers {
        out.difference(before, u64::from(number));
        before = u64::from(number);
    }
}

/// Whether it has code, contains copies, or is at an end of a call.
fn is_in_code(census: &Census, function: Function<'_>) -> bool {
    let id = function.id();
    !function.bodies().is_empty()
        || census.sites_by_caller(id).next().is_some()
        || !census.calls_from(id).is_empty()
        || census.calls_to(id).next().is_some()
}

/// The callers that are named with a place when one of the functions of a name, or all of them, are described.
fn told_callers(census: &Census, group: &[Function<'_>]) -> FxHashSet<FunctionId> {
    let mut told = FxHashSet::default();
    let mut of_all: FxHashMap<FunctionId, u64> = FxHashMap::default();
    for function in group {
        let copies: Vec<(FunctionId, u64)> =
            census.inlined_into(function.id()).map(|into| (into.caller, into.sites)).collect();
        copies.iter().for_each(|(caller, count)| *of_all.entry(*caller).or_default() += count);
        told.extend(most_copies(census, copies));
    }
    if group.len() > 1 {
        told.extend(most_copies(census, of_all.into_iter().collect()));
    }
    told
}

/// The callers with the most copies, by name where they have as many.
fn most_copies(census: &Census, mut copies: Vec<(FunctionId, u64)>) -> impl Iterator<Item = FunctionId> {
    let key = |(caller, count): &(FunctionId, u64)| {
        (Reverse(*count), census.function(*caller).map_or("", Function::name), *caller)
    };
    if copies.len() > TOLD_CALLERS {
        // Which they are matters, not their order: an allocator's functions have thousands of callers.
        copies.select_nth_unstable_by(TOLD_CALLERS, |a, b| key(a).cmp(&key(b)));
        copies.truncate(TOLD_CALLERS);
    }
    copies.into_iter().map(|(caller, _)| caller)
}

fn flags_of(body: &Body, is_hashed: bool) -> u8 {
    let spin = body.spin.map_or(0, |spin| position(&Spin::ALL, spin) + 1) << SPIN_SHIFT;
    let described = if body.described { DESCRIBED } else { 0 };
    let hashed = if is_hashed { HASHED } else { 0 };
    position(&BodyPart::ALL, body.part) | described | hashed | spin
}
