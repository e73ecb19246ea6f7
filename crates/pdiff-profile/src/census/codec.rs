//! The byte form of a census, for caches.
//!
//! ```text
//! text payload "pdcensus" version:fixed payload-bytes:fixed text-bytes:fixed
//! payload = visibility coverage text-ends producers functions bodies sites edges
//! ```
//!
//! The text, names and paths back to back, is most of the bytes. It comes first so that a reader that owns the bytes can
//! keep it in place, and a writer need not copy it. Each part of the payload is a count and rows of variable-length
//! numbers; sorted columns contain differences. There is no checksum: a cache file has its own. The reader checks every id
//! and every order, so its result is as valid as that of a builder; it never panics. Estimate: 1.3 M sites x 5 numbers =
//! 0.05 s.

use super::body::{Body, BodyHash, BodyPart, Spin};
use super::builder::index_of;
use super::edge::{CallEdge, EdgeSource};
use super::function_facts::{FunctionFacts, FunctionId, InlineAttribute, Linkage};
use super::late_names::LateNames;
use super::left_out::LeftOut;
use super::producer::{Producer, ProducerId};
use super::site::InlineSite;
use super::table::{Census, Coverage, Index, Visibility};
use super::text::{TextId, TextTable};
use crate::address::ObjectAddr;
use crate::codec::{ByteReader, ByteWriter};

const MAGIC: &[u8; 8] = b"pdcensus";
/// Raised with every change of the form or of what its rows mean.
const VERSION: u64 = 13;
/// Up to this version the magic came first.
const LAST_WITH_HEAD: u64 = 4;
const FOOT_BYTES: usize = 32;
/// About what a row takes, so that bytes are not moved as they grow.
const ROW_BYTES: usize = 10;

/// Why bytes are not a census.
#[derive(Clone, Copy, PartialEq, Eq, Debug, thiserror::Error)]
#[non_exhaustive]
pub enum CensusBytesError {
    /// They do not begin like one.
    #[error("the bytes are not a census")]
    NotACensus,
    /// Another version wrote them.
    #[error("the census has version {found}, this program reads {expected}")]
    OtherVersion {
        /// The version in the bytes.
        found: u64,
        /// The version of this program.
        expected: u64,
    },
    /// They were cut short or changed.
    #[error("the census is damaged")]
    Damaged,
}

impl Census {
    /// The byte form.
    #[must_use]
    pub fn to_bytes(&self) -> Vec<u8> {
        [self.text_bytes(), &self.row_bytes()].concat()
    }

    /// The first piece of the byte form, the greater one: the texts.
    #[must_use]
    pub fn text_bytes(&self) -> &[u8] {
        self.texts.as_parts().0.as_bytes()
    }

    /// The second piece of the byte form: all but the texts.
    #[must_use]
    pub fn row_bytes(&self) -> Vec<u8> {
        let (text, ends) = self.texts.as_parts();
        let rows =
            ends.len() + self.functions.len() + self.bodies.len() + self.sites.len() + self.edges.len();
        let mut out = ByteWriter(Vec::with_capacity(rows * ROW_BYTES));
        out.byte(position(&Visibility::ALL, self.visibility));
        write_coverage(&mut out, self.coverage);
        write_ends(&mut out, ends);
        write_producers(&mut out, &self.producers);
        write_functions(&mut out, &self.functions);
        write_bodies(&mut out, &self.bodies, &self.body_functions);
        write_sites(&mut out, &self.sites);
        write_edges(&mut out, &self.edges);
        let payload_bytes = out.0.len() as u64;
        out.0.extend_from_slice(MAGIC);
        [VERSION, payload_bytes, text.len() as u64].into_iter().for_each(|number| out.fixed(number));
        out.0
    }

    /// The census of these bytes; its text stays where it is in them.
    ///
    /// # Errors
    /// If they are not a census, of another version, or damaged so that no census can be made of them.
    pub fn from_bytes(mut bytes: Vec<u8>) -> Result<Self, CensusBytesError> {
        let [version, payload_bytes, text_bytes] = foot_of(&bytes)?;
        if version != VERSION {
            return Err(CensusBytesError::OtherVersion { found: version, expected: VERSION });
        }
        bytes.truncate(bytes.len() - FOOT_BYTES);
        if text_bytes.checked_add(payload_bytes) != Some(bytes.len() as u64) {
            return Err(CensusBytesError::Damaged);
        }
        read_census(bytes, text_bytes).ok_or(CensusBytesError::Damaged)
    }
}

/// Version, and lengths of the payload and of the text.
fn foot_of(bytes: &[u8]) -> Result<[u64; 3], CensusBytesError> {
    let foot = bytes.len().checked_sub(FOOT_BYTES).and_then(|start| bytes.get(start..));
    if let Some(numbers) = foot.and_then(|foot| foot.strip_prefix(MAGIC)) {
        let mut reader = ByteReader(numbers);
        let mut next = || reader.fixed().ok_or(CensusBytesError::Damaged);
        return Ok([next()?, next()?, next()?]);
    }
    let earlier = bytes.strip_prefix(MAGIC).and_then(|rest| ByteReader(rest).fixed());
    match earlier {
        Some(found @ 1..=LAST_WITH_HEAD) => Err(CensusBytesError::OtherVersion { found, expected: VERSION }),
        _ => Err(CensusBytesError::NotACensus),
    }
}

/// The census of text and payload.
fn read_census(mut bytes: Vec<u8>, text_bytes: u64) -> Option<Census> {
    let text_bytes = usize::try_from(text_bytes).ok()?;
    let (mut census, ends) = read_payload(&mut ByteReader(bytes.get(text_bytes..)?))?;
    bytes.truncate(text_bytes);
    bytes.shrink_to_fit();
    census.texts = TextTable::from_parts(String::from_utf8(bytes).ok()?, ends)?;
    ids_are_known(&census).then_some(census)
}

/// The census without its texts, and where these end.
fn read_payload(reader: &mut ByteReader<'_>) -> Option<(Census, Vec<u32>)> {
    let visibility = *Visibility::ALL.get(usize::from(reader.byte()?))?;
    let coverage = read_coverage(reader)?;
    let ends = read_ends(reader)?;
    let mut census = Census {
        visibility,
        coverage,
        texts: TextTable::default(),
        producers: read_producers(reader)?,
        functions: read_functions(reader)?,
        late_names: LateNames::default(),
        bodies: Vec::new(),
        body_functions: Vec::new(),
        sites: Vec::new(),
        edges: Vec::new(),
        left_out: LeftOut::default(),
        index: Index::default(),
    };
    let named = census.functions.iter().take_while(|facts| !facts.is_mangled).count();
    if census.functions.iter().skip(named).any(|facts| !facts.is_mangled) {
        return None;
    }
    census.late_names = LateNames::new(named, census.functions.len());
    (census.bodies, census.body_functions) = read_bodies(reader)?;
    census.sites = read_sites(reader)?;
    census.edges = read_edges(reader)?;
    census.index = index_of(&census)?;
    reader.0.is_empty().then_some((census, ends))
}

pub(super) fn ids_are_known(census: &Census) -> bool {
    let text = |id: Option<TextId>| TextId::to_raw(id) as usize <= census.texts.len();
    let function = |id: FunctionId| id.index() < census.functions.len();
    let facts_known = census.functions.iter().all(|facts| {
        [Some(facts.name), facts.parameters, facts.linkage_name, facts.file].into_iter().all(text)
            && facts.producer.is_none_or(|id| (id.0 as usize) < census.producers.len())
            && facts.alias_of.is_none_or(function)
    });
    facts_known
        && census.sites.iter().all(|site| text(site.file))
        && census.sites.is_sorted_by_key(InlineSite::key)
        && census.edges.is_sorted_by_key(CallEdge::key)
}

pub(super) fn write_coverage(out: &mut ByteWriter, coverage: Coverage) {
    let Coverage { units, unreadable_units, split_units, undecoded_bodies } = coverage;
    [units, unreadable_units, split_units, undecoded_bodies]
        .into_iter()
        .for_each(|number| out.number(number));
}

pub(super) fn read_coverage(reader: &mut ByteReader<'_>) -> Option<Coverage> {
    Some(Coverage {
        units: reader.number()?,
        unreadable_units: reader.number()?,
        split_units: reader.number()?,
        undecoded_bodies: reader.number()?,
    })
}

fn write_ends(out: &mut ByteWriter, ends: &[u32]) {
    out.number(ends.len() as u64);
    let mut before = 0;
    for end in ends {
        out.difference(before, u64::from(*end));
        before = u64::from(*end);
    }
}

fn read_ends(reader: &mut ByteReader<'_>) -> Option<Vec<u32>> {
    let count = reader.count(1)?;
    let mut before = 0;
    let mut ends = Vec::with_capacity(count);
    for _ in 0..count {
        before = reader.difference32(before)?;
        ends.push(before);
    }
    Some(ends)
}

pub(super) fn write_producers(out: &mut ByteWriter, producers: &[Producer]) {
    out.number(producers.len() as u64);
    for producer in producers {
        out.text(&producer.text);
        out.number(u64::from(producer.units));
    }
}

pub(super) fn read_producers(reader: &mut ByteReader<'_>) -> Option<Vec<Producer>> {
    let count = reader.count(2)?;
    (0..count).map(|_| Some(Producer::from_text(reader.text()?, reader.number32()?))).collect()
}

fn write_functions(out: &mut ByteWriter, functions: &[FunctionFacts]) {
    out.number(functions.len() as u64);
    for facts in functions {
        for text in [Some(facts.name), facts.parameters, facts.linkage_name, facts.file] {
            out.number(u64::from(TextId::to_raw(text)));
        }
        out.number(u64::from(facts.line));
        out.byte(position(&InlineAttribute::ALL, facts.inline));
        let name_form = u8::from(facts.is_demangled) << 1 | u8::from(facts.is_mangled);
        out.byte(position(&Linkage::ALL, facts.linkage) << 2 | name_form);
        out.number(facts.producer.map_or(0, |id| u64::from(id.0) + 1));
        out.number(facts.alias_of.map_or(0, |id| u64::from(id.0) + 1));
    }
}

fn read_functions(reader: &mut ByteReader<'_>) -> Option<Vec<FunctionFacts>> {
    let count = reader.count(9)?;
    (0..count).map(|_| read_function(reader)).collect()
}

fn read_function(reader: &mut ByteReader<'_>) -> Option<FunctionFacts> {
    let [name, parameters, linkage_name, file, line] = [(); 5].map(|()| reader.number32());
    let (inline, visibility) = (reader.byte()?, reader.byte()?);
    Some(FunctionFacts {
        name: TextId::from_raw(name?)?,
        is_mangled: visibility & 1 == 1,
        is_demangled: visibility & 2 == 2,
        parameters: TextId::from_raw(parameters?),
        linkage_name: TextId::from_raw(linkage_name?),
        file: TextId::from_raw(file?),
        line: line?,
        inline: *InlineAttribute::ALL.get(usize::from(inline))?,
        linkage: *Linkage::ALL.get(usize::from(visibility >> 2))?,
        producer: reader.number32()?.checked_sub(1).map(ProducerId),
        alias_of: reader.number32()?.checked_sub(1).map(FunctionId),
    })
}

fn write_bodies(out: &mut ByteWriter, bodies: &[Body], functions: &[FunctionId]) {
    out.number(bodies.len() as u64);
    let (mut function_before, mut addr_before) = (0, 0);
    for (body, function) in bodies.iter().zip(functions) {
        out.difference(function_before, u64::from(function.0));
        out.difference(addr_before, body.addr.0);
        out.number(body.bytes);
        out.byte(position(&BodyPart::ALL, body.part));
        out.byte(body.spin.map_or(0, |spin| position(&Spin::ALL, spin) + 1));
        out.byte(u8::from(body.described) | u8::from(body.hash.is_some()) << 1);
        body.hash.iter().for_each(|hash| out.number(u64::from(hash.0)));
        (function_before, addr_before) = (u64::from(function.0), body.addr.0);
    }
}

fn read_bodies(reader: &mut ByteReader<'_>) -> Option<(Vec<Body>, Vec<FunctionId>)> {
    let count = reader.count(6)?;
    let mut bodies = Vec::with_capacity(count);
    let mut functions = Vec::with_capacity(count);
    let (mut function, mut addr) = (0, 0);
    for _ in 0..count {
        function = reader.difference32(function)?;
        addr = reader.difference(addr)?;
        let bytes = reader.number()?;
        let part = *BodyPart::ALL.get(usize::from(reader.byte()?))?;
        let spin = spin_of(reader.byte()?)?;
        let flags = reader.byte()?;
        let hash = if flags & 2 != 0 { Some(BodyHash(reader.number32()?)) } else { None };
        let described = flags & 1 != 0;
        bodies.push(Body { addr: ObjectAddr(addr), bytes, part, hash, spin, described });
        functions.push(FunctionId(function));
    }
    Some((bodies, functions))
}

pub(super) fn spin_of(byte: u8) -> Option<Option<Spin>> {
    match usize::from(byte).checked_sub(1) {
        None => Some(None),
        Some(index) => Spin::ALL.get(index).map(|spin| Some(*spin)),
    }
}

fn write_sites(out: &mut ByteWriter, sites: &[InlineSite]) {
    out.number(sites.len() as u64);
    let (mut callee, mut caller, mut line) = (0, 0, 0);
    for site in sites {
        out.difference(callee, u64::from(site.callee.0));
        out.difference(caller, u64::from(site.caller.0));
        out.number(u64::from(TextId::to_raw(site.file)));
        out.difference(line, u64::from(site.line));
        out.number(u64::from(site.count));
        (callee, caller, line) = (u64::from(site.callee.0), u64::from(site.caller.0), u64::from(site.line));
    }
}

fn read_sites(reader: &mut ByteReader<'_>) -> Option<Vec<InlineSite>> {
    let count = reader.count(5)?;
    let (mut callee, mut caller, mut line) = (0, 0, 0);
    let mut sites = Vec::with_capacity(count);
    for _ in 0..count {
        callee = reader.difference32(callee)?;
        caller = reader.difference32(caller)?;
        let file = TextId::from_raw(reader.number32()?);
        line = reader.difference32(line)?;
        let count = reader.number32()?;
        sites.push(InlineSite { callee: FunctionId(callee), caller: FunctionId(caller), file, line, count });
    }
    Some(sites)
}

fn write_edges(out: &mut ByteWriter, edges: &[CallEdge]) {
    out.number(edges.len() as u64);
    let (mut caller, mut callee) = (0, 0);
    for edge in edges {
        out.difference(caller, u64::from(edge.caller.0));
        out.difference(callee, u64::from(edge.callee.0));
        out.number(u64::from(edge.calls));
        out.number(u64::from(edge.tail_jumps));
        out.byte(position(&EdgeSource::ALL, edge.source));
        (caller, callee) = (u64::from(edge.caller.0), u64::from(edge.callee.0));
    }
}

fn read_edges(reader: &mut ByteReader<'_>) -> Option<Vec<CallEdge>> {
    let count = reader.count(5)?;
    let (mut caller, mut callee) = (0, 0);
    let mut edges = Vec::with_capacity(count);
    for _ in 0..count {
        caller = reader.difference32(caller)?;
        callee = reader.difference32(callee)?;
        edges.push(CallEdge {
            caller: FunctionId(caller),
            callee: FunctionId(callee),
            calls: reader.number32()?,
            tail_jumps: reader.number32()?,
            source: *EdgeSource::ALL.get(usize::from(reader.byte()?))?,
        });
    }
    Some(edges)
}

/// The index of a value in the list of all values, which represents it in the bytes.
pub(super) fn position<T: PartialEq>(all: &[T], value: T) -> u8 {
    let index = all.iter().position(|known| *known == value).expect("ALL lists every variant");
    u8::try_from(index).expect("enums here have few variants")
}
