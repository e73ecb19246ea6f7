//! The bytes of a packed form to the census.

use super::names::read_names;
use super::{DESCRIBED, HASHED, SPIN_SHIFT};
use crate::address::ObjectAddr;
use crate::census::body::{Body, BodyHash, BodyPart};
use crate::census::builder::index_of;
use crate::census::codec::{ids_are_known, read_coverage, read_producers, spin_of};
use crate::census::edge::{CallEdge, EdgeSource};
use crate::census::function_facts::{FunctionFacts, FunctionId, Linkage};
use crate::census::late_names::LateNames;
use crate::census::left_out::LeftOut;
use crate::census::producer::ProducerId;
use crate::census::site::InlineSite;
use crate::census::table::{Census, Index, Visibility};
use crate::census::text::{TextId, TextTable};
use crate::codec::{ByteReader, read_texts};

/// Everything after the version.
pub(super) fn read(reader: &mut ByteReader<'_>) -> Option<Census> {
    let mut texts = TextTable::default();
    let visibility = *Visibility::ALL.get(usize::from(reader.byte()?))?;
    let coverage = read_coverage(reader)?;
    let producers = read_producers(reader)?;
    let files: Vec<TextId> = read_texts(reader)?.into_iter().map(|file| texts.push(file)).collect();
    let functions = read_functions(reader, &files, &mut texts)?;
    let (bodies, body_functions) = read_bodies(reader, functions.len())?;
    let sites = read_sites(reader, functions.len(), &files)?;
    let edges = read_edges(reader, functions.len())?;
    let left_out = LeftOut::read(reader)?;
    let mut census = Census {
        visibility,
        coverage,
        texts,
        producers,
        late_names: LateNames::new(functions.len(), functions.len()),
        functions,
        bodies,
        body_functions,
        sites,
        edges,
        left_out,
        index: Index::default(),
    };
    census.index = index_of(&census)?;
    ids_are_known(&census).then_some(census)
}

fn read_functions(
    reader: &mut ByteReader<'_>,
    files: &[TextId],
    texts: &mut TextTable,
) -> Option<Vec<FunctionFacts>> {
    let count = reader.count(4)?;
    let names = read_names(reader, count, texts)?;
    let mut functions: Vec<FunctionFacts> = names
        .into_iter()
        .map(|named| FunctionFacts {
            parameters: named.parameters,
            linkage_name: named.linkage,
            is_demangled: named.is_demangled,
            ..FunctionFacts::named(named.name)
        })
        .collect();
    for facts in &mut functions {
        facts.file = file(reader, files)?;
    }
    for facts in &mut functions {
        facts.line = reader.number32()?;
    }
    for facts in &mut functions {
        facts.linkage = *Linkage::ALL.get(usize::from(reader.byte()?))?;
    }
    for facts in &mut functions {
        facts.producer = reader.number32()?.checked_sub(1).map(ProducerId);
    }
    for facts in &mut functions {
        facts.alias_of = reader.number32()?.checked_sub(1).map(FunctionId);
    }
    Some(functions)
}

/// A source file by its number; 0 means none.
fn file(reader: &mut ByteReader<'_>, files: &[TextId]) -> Option<Option<TextId>> {
    match usize::try_from(reader.number()?).ok()?.checked_sub(1) {
        None => Some(None),
        Some(index) => files.get(index).map(|id| Some(*id)),
    }
}

/// How many rows each function has; `None` if all together cannot be left.
fn counts(reader: &mut ByteReader<'_>, functions: usize, row_bytes: usize) -> Option<Vec<FunctionId>> {
    let counts: Vec<usize> =
        (0..functions).map(|_| usize::try_from(reader.number()?).ok()).collect::<Option<_>>()?;
    let total = counts.iter().try_fold(0_usize, |sum, count| sum.checked_add(*count))?;
    if total.checked_mul(row_bytes)? > reader.left() {
        return None;
    }
    let rows = (0..).zip(counts).flat_map(|(id, count)| std::iter::repeat_n(FunctionId(id), count));
    Some(rows.collect())
}

fn read_bodies(reader: &mut ByteReader<'_>, functions: usize) -> Option<(Vec<Body>, Vec<FunctionId>)> {
    let body_functions = counts(reader, functions, 2)?;
    let sizes: Vec<u64> = body_functions.iter().map(|_| reader.number()).collect::<Option<_>>()?;
    let flags = reader.take(body_functions.len())?;
    let mut body = |(bytes, flags): (u64, &u8)| {
        let hash = match flags & HASHED {
            0 => None,
            _ => Some(BodyHash(u32::from_le_bytes(reader.take(4)?.try_into().ok()?))),
        };
        Some(Body {
            addr: ObjectAddr(0),
            bytes,
            part: *BodyPart::ALL.get(usize::from(flags & 0b11))?,
            hash,
            spin: spin_of(flags >> SPIN_SHIFT)?,
            described: flags & DESCRIBED != 0,
        })
    };
    let bodies = sizes.into_iter().zip(flags).map(&mut body).collect::<Option<_>>()?;
    Some((bodies, body_functions))
}

fn read_sites(reader: &mut ByteReader<'_>, functions: usize, files: &[TextId]) -> Option<Vec<InlineSite>> {
    let callees = counts(reader, functions, 3)?;
    let mut caller = 0;
    let mut sites = Vec::with_capacity(callees.len());
    for callee in callees {
        caller = reader.difference32(caller)?;
        sites.push(InlineSite { callee, caller: FunctionId(caller), file: None, line: 0, count: 0 });
    }
    for site in &mut sites {
        site.count = reader.number32()?;
    }
    let has_place = reader.take(sites.len())?;
    let with_place = |sites: &mut [InlineSite], set: &mut dyn FnMut(&mut InlineSite) -> Option<()>| {
        let placed = sites.iter_mut().zip(has_place).filter(|(_, has_place)| **has_place != 0);
        placed.map(|(site, _)| set(site)).collect::<Option<()>>()
    };
    with_place(&mut sites, &mut |site| {
        site.file = file(reader, files)?;
        Some(())
    })?;
    with_place(&mut sites, &mut |site| {
        site.line = reader.number32()?;
        Some(())
    })?;
    Some(sites)
}

fn read_edges(reader: &mut ByteReader<'_>, functions: usize) -> Option<Vec<CallEdge>> {
    let callees = counts(reader, functions, 4)?;
    let mut caller = 0;
    let mut edges = Vec::with_capacity(callees.len());
    for callee in callees {
        caller = reader.difference32(caller)?;
        let (calls, tail_jumps, source) = (0, 0, EdgeSource::Disassembly);
        edges.push(CallEdge { caller: FunctionId(caller), callee, calls, tail_jumps, source });
    }
    for edge in &mut edges {
        edge.calls = reader.number32()?;
    }
    for edge in &mut edges {
        edge.tail_jumps = reader.number32()?;
    }
    for edge in &mut edges {
        edge.source = *EdgeSource::ALL.get(usize::from(reader.byte()?))?;
    }
    edges.sort_unstable_by_key(CallEdge::key);
    Some(edges)
}
