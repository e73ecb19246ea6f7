//! Rows of the census from merged functions, units and the code, which is decoded meanwhile.
//!
//! Rows are sorted here, in parallel, so that the builder finds them in order.

use pdiff_profile::ObjectAddr;
use pdiff_profile::census::{
    Body, CallEdge, Census, CensusBuilder, Coverage, EdgeSource, FunctionFacts, FunctionId, InlineSite,
    Producer, ProducerId, TextId, Visibility,
};
use rayon::prelude::*;

use super::code::{Decoded, decode_bodies};
use super::functions::{Functions, Merged};
use super::identity::Name;
use super::image::Image;
use super::symbols::Symbols;
use super::unit::{UnitFacts, Units};

/// The finished census.
pub(super) fn assemble(
    image: &Image<'_>,
    units: &Units,
    symbols: &Symbols<'_>,
    functions: Functions<'_>,
) -> Census {
    let has_units = units.units.iter().any(|unit| !unit.functions.is_empty());
    let visibility = if has_units { Visibility::DebugInfo } else { symbols.visibility };
    let mut builder = CensusBuilder::new(visibility);
    let producers = add_producers(&mut builder, image, units);
    let (code, ids) = rayon::join(
        || decode_bodies(image, &functions),
        || add_functions(&mut builder, &functions, &producers),
    );
    builder.coverage(coverage(units, &code));
    add_bodies(&mut builder, &functions, &code, &ids);
    add_sites(&mut builder, units, &functions, &ids);
    add_edges(&mut builder, units, &functions, &code, &ids);
    // Freeing a million small pieces takes as long as sorting.
    rayon::join(|| builder.finish(), || drop(functions)).0
}

fn coverage(units: &Units, code: &Decoded) -> Coverage {
    Coverage {
        units: units.units.len() as u64 + units.unreadable + units.split,
        unreadable_units: units.unreadable,
        split_units: units.split,
        undecoded_bodies: code.bodies.iter().filter(|body| body.hash.is_none()).count() as u64,
    }
}

/// The producer of each unit; without units, those of the `.comment` section.
fn add_producers(builder: &mut CensusBuilder, image: &Image<'_>, units: &Units) -> Vec<ProducerId> {
    let ids =
        units.units.iter().map(|unit| builder.producer(Producer::from_text(&unit.producer, 1))).collect();
    if units.units.is_empty() {
        for text in image.comments() {
            builder.producer(Producer::from_text(text, 0));
        }
    }
    ids
}

/// Adds the functions in the order of their names; the new id of each, by its old.
fn add_functions(
    builder: &mut CensusBuilder,
    functions: &Functions<'_>,
    producers: &[ProducerId],
) -> Vec<FunctionId> {
    let named = |(id, merged)| Some((id, functions.name(merged)?, merged));
    let mut order: Vec<(u32, &Name, &Merged<'_>)> =
        (0_u32..).zip(&functions.merged).filter_map(named).collect();
    order.par_sort_unstable_by(|a, b| {
        a.1.qualified.cmp(&b.1.qualified).then_with(|| rest_of(a).cmp(&rest_of(b)))
    });
    let mut ids = vec![FunctionId(0); functions.merged.len()];
    for (new, (old, ..)) in (0_u32..).zip(&order) {
        if let Some(id) = ids.get_mut(*old as usize) {
            *id = FunctionId(new);
        }
    }
    // A name and a linkage name each.
    builder.reserve_text(2 * order.len(), order.iter().map(|(_, name, _)| text_bytes(name)).sum());
    for (_, name, merged) in order {
        let facts = FunctionFacts {
            name: builder.text(&name.qualified),
            parameters: name.parameters.as_deref().map(|text| builder.text(text)),
            linkage_name: name.linkage.as_deref().map(|text| builder.text(text)),
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

/// What orders functions of one name: as the builder orders them.
fn rest_of<'m>(
    (id, name, merged): &(u32, &'m Name, &'m Merged<'_>),
) -> (&'m str, &'m str, u32, &'m str, u32) {
    let parameters = name.parameters.as_deref().unwrap_or("");
    let linkage = name.linkage.as_deref().unwrap_or("");
    (parameters, merged.path.unwrap_or(""), merged.line, linkage, *id)
}

fn add_bodies(builder: &mut CensusBuilder, functions: &Functions<'_>, code: &Decoded, ids: &[FunctionId]) {
    for (place, facts) in functions.code.iter().zip(&code.bodies) {
        let Some(function) = ids.get(place.function as usize) else { continue };
        let body = Body {
            addr: ObjectAddr(place.addr),
            bytes: place.bytes,
            part: place.part,
            hash: facts.hash,
            spin: facts.spins.iter().map(|(_, spin)| *spin).min(),
            described: place.described,
        };
        builder.body(*function, body);
    }
}

fn add_sites(builder: &mut CensusBuilder, units: &Units, functions: &Functions<'_>, ids: &[FunctionId]) {
    let path_ids: Vec<Vec<TextId>> =
        units.units.iter().map(|unit| unit.paths.iter().map(|path| builder.text(path)).collect()).collect();
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
    let inputs = units.units.par_iter().zip(&functions.of_units).zip(&path_ids);
    let mut sites: Vec<InlineSite> = inputs.flat_map_iter(rows_of).collect();
    sites.par_sort_unstable_by_key(|site| (site.callee, site.caller, site.file, site.line));
    builder.sites(sites);
}

fn add_edges(
    builder: &mut CensusBuilder,
    units: &Units,
    functions: &Functions<'_>,
    code: &Decoded,
    ids: &[FunctionId],
) {
    for call in &code.calls {
        let (caller, callee) = (ids.get(call.caller as usize), ids.get(call.callee as usize));
        let (Some(caller), Some(callee)) = (caller, callee) else { continue };
        let (calls, tail_jumps) = (call.calls, call.tail_jumps);
        builder.edge(CallEdge {
            caller: *caller,
            callee: *callee,
            calls,
            tail_jumps,
            source: EdgeSource::Disassembly,
        });
    }
    for (unit, of_unit) in units.units.iter().zip(&functions.of_units) {
        let id = |function: u32| ids.get(*of_unit.get(function as usize)? as usize).copied();
        for row in &unit.call_sites {
            let caller = unit.roots.get(row.root as usize).and_then(|root| id(root.function));
            let (Some(caller), Some(callee)) = (caller, id(row.callee)) else { continue };
            let (calls, tail_jumps) = if row.is_tail { (0, row.count) } else { (row.count, 0) };
            builder.edge(CallEdge { caller, callee, calls, tail_jumps, source: EdgeSource::CallSite });
        }
    }
}
