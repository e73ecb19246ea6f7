//! Rows of the census from units, symbols and names: functions are merged and put in order while code is decoded.
//!
//! Rows are sorted here, each kind on a core, so that the builder finds them in order.

use pdiff_profile::ObjectAddr;
use pdiff_profile::census::{
    Body, CallEdge, Census, CensusBuilder, Coverage, EdgeSource, FunctionFacts, FunctionId, InlineSite,
    Producer, ProducerId, TextId, Visibility,
};
use rayon::prelude::*;

use super::code::{BodyFacts, decode_bodies};
use super::code_places::{CodePlace, CodePlaces};
use super::functions::{Functions, Merged};
use super::identity::{Name, Names};
use super::symbols::Symbols;
use super::text_order::sort_by_text;
use super::unit::{UnitFacts, Units};
use crate::binary::elf_file::ElfFile;

/// The finished census.
pub(super) fn assemble(
    file: &ElfFile,
    units: &Units,
    symbols: &Symbols<'_>,
    names: Names<'_>,
    code: &CodePlaces,
) -> Census {
    let has_units = units.units.iter().any(|unit| !unit.functions.is_empty());
    let visibility = if has_units { Visibility::DebugInfo } else { symbols.visibility };
    let mut builder = CensusBuilder::new(visibility);
    let producers = add_producers(&mut builder, file, units);
    let (decoded, (functions, ids)) = rayon::join(
        || decode_bodies(file, &code.places),
        || {
            let mut functions = Functions::merge(units, symbols, names, code);
            let ids = add_functions(&mut builder, &functions, &producers);
            functions.free_names();
            (functions, ids)
        },
    );
    builder.coverage(coverage(units, &decoded));
    let paths = add_paths(&mut builder, units);
    let bodies = Bodies { code: &code.places, decoded: &decoded, functions: &functions, ids: &ids };
    let (sites, (edges, of_functions)) = rayon::join(
        || inline_sites(units, &functions, &paths, &ids),
        || (call_edges(&bodies, units, &functions, &ids), bodies.of_functions()),
    );
    builder.sites(sites);
    edges.into_iter().for_each(|edge| builder.edge(edge));
    of_functions.into_iter().for_each(|(function, body)| builder.body(function, body));
    // Freeing a million small pieces takes as long as sorting.
    rayon::join(|| builder.finish(), || drop((functions, decoded))).0
}

fn coverage(units: &Units, decoded: &[BodyFacts]) -> Coverage {
    Coverage {
        units: units.units.len() as u64 + units.unreadable + units.split,
        unreadable_units: units.unreadable,
        split_units: units.split,
        undecoded_bodies: decoded.iter().filter(|body| body.hash.is_none()).count() as u64,
    }
}

/// The producer of each unit; without units, those of the `.comment` section.
fn add_producers(builder: &mut CensusBuilder, file: &ElfFile, units: &Units) -> Vec<ProducerId> {
    let ids =
        units.units.iter().map(|unit| builder.producer(Producer::from_text(&unit.producer, 1))).collect();
    if units.units.is_empty() {
        for text in comments(&file.section(".comment")) {
            builder.producer(Producer::from_text(text, 0));
        }
    }
    ids
}

/// The compilers that the `.comment` section names.
fn comments(section: &[u8]) -> Vec<&str> {
    let texts = section.split(|byte| *byte == 0).filter_map(|text| std::str::from_utf8(text).ok());
    let mut texts: Vec<&str> = texts.filter(|text| !text.is_empty()).collect();
    texts.sort_unstable();
    texts.dedup();
    texts
}

/// Adds the functions in the order of their names; the new id of each, by its old.
fn add_functions(
    builder: &mut CensusBuilder,
    functions: &Functions<'_>,
    producers: &[ProducerId],
) -> Vec<FunctionId> {
    let rows = |is_mangled: bool| {
        let named = move |(id, merged)| {
            let name = functions.name(merged).filter(|name| name.is_mangled == is_mangled)?;
            Some((if is_mangled { name.linkage.as_deref()? } else { &*name.qualified }, (id, name, merged)))
        };
        (0_u32..).zip(&functions.merged).filter_map(named)
    };
    let mut order: Vec<(&str, Row<'_>)> = sort_by_text(rows(false), |a, b| rest_of(a).cmp(&rest_of(b)));
    order.extend(sort_by_text(rows(true), |a, b| rest_of(a).cmp(&rest_of(b))));
    let mut ids = vec![FunctionId(0); functions.merged.len()];
    for (new, (_, (old, ..))) in (0_u32..).zip(&order) {
        if let Some(id) = ids.get_mut(*old as usize) {
            *id = FunctionId(new);
        }
    }
    // A name and a linkage name each.
    builder.reserve_text(2 * order.len(), order.iter().map(|(_, (_, name, _))| text_bytes(name)).sum());
    // Equal names stand together, and linkage names are all different: neither is looked for among the texts.
    let mut last: Option<(&str, TextId)> = None;
    for (text, (_, name, merged)) in order {
        let known = last.filter(|(last, _)| *last == text);
        let name_id = known.map_or_else(|| builder.new_text(text), |(_, id)| id);
        last = Some((text, name_id));
        let linkage_name = name.linkage.as_deref();
        let linkage_name =
            linkage_name.map(|linkage| if linkage == text { name_id } else { builder.new_text(linkage) });
        let facts = FunctionFacts {
            name: name_id,
            is_mangled: name.is_mangled,
            is_demangled: name.is_demangled,
            parameters: name.parameters.as_deref().map(|text| builder.text(text)),
            linkage_name,
            file: merged.path.map(|text| builder.text(text)),
            line: merged.line,
            inline: merged.inline,
            linkage: merged.linkage,
            producer: merged.unit.and_then(|unit| producers.get(unit)).copied(),
            alias_of: merged.alias_of.and_then(|target| ids.get(target as usize)).copied(),
        };
        builder.function(facts);
    }
    ids
}

/// About how many bytes of text a function brings: parameters of many are the same.
fn text_bytes(name: &Name) -> usize {
    name.qualified.len() + name.linkage.as_ref().map_or(0, |linkage| linkage.len())
}

/// A merged function in the making of its row: its id, its name and what is known about it.
type Row<'m> = (u32, &'m Name, &'m Merged<'m>);

/// What orders functions of one name: as the builder orders them.
fn rest_of<'m>((id, name, merged): &Row<'m>) -> (&'m str, &'m str, u32, &'m str, u32) {
    let parameters = name.parameters.as_deref().unwrap_or("");
    let linkage = name.linkage.as_deref().unwrap_or("");
    (parameters, merged.path.unwrap_or(""), merged.line, linkage, *id)
}

/// The code of functions, decoded.
struct Bodies<'a> {
    code: &'a [CodePlace],
    /// By piece of code.
    decoded: &'a [BodyFacts],
    functions: &'a Functions<'a>,
    /// By merged function.
    ids: &'a [FunctionId],
}

impl Bodies<'_> {
    /// The function whose code begins at an address.
    fn function_at(&self, addr: u64) -> Option<FunctionId> {
        self.ids.get(*self.functions.starts.get(&addr)? as usize).copied()
    }

    /// The bodies by function and address.
    fn of_functions(&self) -> Vec<(FunctionId, Body)> {
        let body = |(place, facts): (&CodePlace, &BodyFacts)| {
            let body = Body {
                addr: ObjectAddr(place.addr),
                bytes: place.bytes,
                part: place.part,
                hash: facts.hash,
                spin: facts.spins.iter().map(|(_, spin)| *spin).min(),
                described: place.described,
            };
            Some((self.function_at(place.addr)?, body))
        };
        let mut bodies: Vec<(FunctionId, Body)> =
            self.code.iter().zip(self.decoded).filter_map(body).collect();
        // They are sorted by address, and that order stays.
        bodies.sort_by_key(|(function, _)| *function);
        bodies
    }

    fn calls_of(&self, place: &CodePlace, facts: &BodyFacts) -> impl Iterator<Item = CallEdge> {
        let caller = self.function_at(place.addr);
        facts.transfers.iter().filter_map(move |transfers| {
            let (caller, callee) = (caller?, self.function_at(transfers.target)?);
            // Jumps between the parts of a function are not calls; calls to itself are.
            let tail_jumps = if caller == callee { 0 } else { transfers.jumps };
            let (calls, source) = (transfers.calls, EdgeSource::Disassembly);
            (calls > 0 || tail_jumps > 0).then_some(CallEdge { caller, callee, calls, tail_jumps, source })
        })
    }
}

/// The ids of the paths of each unit.
fn add_paths(builder: &mut CensusBuilder, units: &Units) -> Vec<Vec<TextId>> {
    let mut of_unit = |unit: &UnitFacts| unit.paths.iter().map(|path| builder.text(path)).collect();
    units.units.iter().map(&mut of_unit).collect()
}

/// Inlined instances in the order of the census.
fn inline_sites(
    units: &Units,
    functions: &Functions<'_>,
    paths: &[Vec<TextId>],
    ids: &[FunctionId],
) -> Vec<InlineSite> {
    let rows_of = |((unit, of_unit), paths): ((&UnitFacts, &Vec<u32>), &Vec<TextId>)| {
        let id = |function: u32| ids.get(*of_unit.get(function as usize)? as usize).copied();
        let row = |row: &super::unit::InlineRow| {
            let root = unit.roots.get(row.root as usize)?;
            let file = (row.path as usize).checked_sub(1).and_then(|index| paths.get(index)).copied();
            let (callee, caller) = (id(row.callee)?, id(root.function)?);
            Some(InlineSite { callee, caller, file, line: row.line, count: row.count })
        };
        unit.sites.iter().filter_map(row).collect::<Vec<_>>()
    };
    let inputs = units.units.par_iter().zip(&functions.of_units).zip(paths);
    let mut sites = by_callee(inputs.flat_map_iter(rows_of).collect(), ids.len());
    for of_callee in sites.chunk_by_mut(|a, b| a.callee == b.callee) {
        of_callee.sort_unstable_by_key(InlineSite::key);
    }
    sites
}

/// Groups rows by callee, in the order of callees: they are counted, so each row's place is known and nothing is compared.
fn by_callee(sites: Vec<InlineSite>, functions: usize) -> Vec<InlineSite> {
    let mut places = vec![0_usize; functions + 1];
    for site in &sites {
        if let Some(count) = places.get_mut(site.callee.index() + 1) {
            *count += 1;
        }
    }
    let mut next = 0;
    for place in &mut places {
        next += *place;
        *place = next;
    }
    let mut grouped = sites.clone();
    for site in sites {
        let Some(place) = places.get_mut(site.callee.index()) else { continue };
        if let Some(slot) = grouped.get_mut(*place) {
            *slot = site;
        }
        *place += 1;
    }
    grouped
}

/// Direct calls in the order of the census.
fn call_edges(
    bodies: &Bodies<'_>,
    units: &Units,
    functions: &Functions<'_>,
    ids: &[FunctionId],
) -> Vec<CallEdge> {
    let decoded = bodies.code.par_iter().zip(bodies.decoded);
    let mut edges: Vec<CallEdge> =
        decoded.flat_map_iter(|(place, facts)| bodies.calls_of(place, facts)).collect();
    for (unit, of_unit) in units.units.iter().zip(&functions.of_units) {
        let id = |function: u32| ids.get(*of_unit.get(function as usize)? as usize).copied();
        for row in &unit.call_sites {
            let caller = unit.roots.get(row.root as usize).and_then(|root| id(root.function));
            let (Some(caller), Some(callee)) = (caller, id(row.callee)) else { continue };
            let (calls, tail_jumps) = if row.is_tail { (0, row.count) } else { (row.count, 0) };
            edges.push(CallEdge { caller, callee, calls, tail_jumps, source: EdgeSource::CallSite });
        }
    }
    edges.par_sort_unstable_by_key(CallEdge::order);
    edges
}
