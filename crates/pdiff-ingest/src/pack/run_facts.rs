//! The bytes of the section `run`: who wrote the pack, what was measured, what is known about the objects.
//!
//! ```text
//! run     = tool:text measures notes:block count object*
//! measures = flags:byte f64*                      operations, tps, CPU seconds, window, where flagged; positive
//! object  = path:text id build-id:text flags:byte count producer*
//! id      = 0 | 1 build-id:block | 2 size hash:fixed
//! ```

use pdiff_profile::codec::{ByteReader, ByteWriter, CodecError};
use pdiff_profile::{BuildId, Notes, ObjectId, RunMeasures, Uncovered};

use super::packed_run::{PackedObject, PackedRun};

const HAS_BUILD_ID: u8 = 1;
const HAS_DEBUG_INFO: u8 = 2;
const HAS_UNCOVERED: u8 = 4;
const IS_UNVERIFIED: u8 = 8;
const ALL_FLAGS: u8 = HAS_BUILD_ID | HAS_DEBUG_INFO | HAS_UNCOVERED | IS_UNVERIFIED;

/// What the section holds.
pub(super) struct RunFacts {
    pub(super) tool_version: String,
    pub(super) measures: RunMeasures,
    pub(super) notes: Notes,
    /// Without their censuses, which are sections of their own.
    pub(super) objects: Vec<PackedObject>,
}

pub(super) fn to_bytes(run: &PackedRun) -> Vec<u8> {
    let mut out = ByteWriter::new();
    out.text(&run.tool_version);
    write_measures(&mut out, run.measures);
    out.block(&run.notes.to_bytes());
    out.count(run.objects.len());
    run.objects.iter().for_each(|object| write_object(&mut out, object));
    out.into_bytes()
}

pub(super) fn from_bytes(bytes: &[u8]) -> Result<RunFacts, CodecError> {
    let damaged = |table| CodecError::Damaged { table };
    let mut reader = ByteReader::new(bytes);
    let tool_version = reader.text().ok_or(damaged("tool"))?.to_owned();
    let measures = read_measures(&mut reader).ok_or(damaged("measures"))?;
    let notes = Notes::from_bytes(reader.block().ok_or(damaged("notes"))?)?;
    let objects = read_objects(&mut reader).filter(|_| reader.is_empty()).ok_or(damaged("objects"))?;
    Ok(RunFacts { tool_version, measures, notes, objects })
}

fn write_measures(out: &mut ByteWriter, measures: RunMeasures) {
    let RunMeasures { operations, tps, cpu_seconds, window_s } = measures;
    let fields = [operations, tps, cpu_seconds, window_s];
    let flags = fields.iter().rev().fold(0, |flags, field| flags << 1 | u8::from(field.is_some()));
    out.byte(flags);
    fields.into_iter().flatten().for_each(|field| out.fixed(field.to_bits()));
}

fn read_measures(reader: &mut ByteReader<'_>) -> Option<RunMeasures> {
    let flags = reader.byte().filter(|flags| *flags < 16)?;
    let mut field = |flag: u8| match flags & flag {
        0 => Some(None),
        _ => {
            Some(f64::from_bits(reader.fixed()?)).filter(|value| value.is_finite() && *value > 0.0).map(Some)
        }
    };
    Some(RunMeasures { operations: field(1)?, tps: field(2)?, cpu_seconds: field(4)?, window_s: field(8)? })
}

fn write_object(out: &mut ByteWriter, object: &PackedObject) {
    out.text(&object.path);
    match &object.object_id {
        None => out.byte(0),
        Some(ObjectId::BuildId(id)) => {
            out.byte(1);
            out.block(id.as_bytes());
        }
        Some(ObjectId::Content { size, hash }) => {
            out.byte(2);
            out.number(*size);
            out.fixed(*hash);
        }
    }
    out.text(object.build_id.as_deref().unwrap_or_default());
    let flag = |is_set: bool, flag: u8| if is_set { flag } else { 0 };
    out.byte(
        flag(object.build_id.is_some(), HAS_BUILD_ID)
            | flag(object.has_debug_info, HAS_DEBUG_INFO)
            | flag(!object.uncovered.is_empty(), HAS_UNCOVERED)
            | flag(object.is_unverified, IS_UNVERIFIED),
    );
    out.count(object.producers.len());
    object.producers.iter().for_each(|producer| out.text(producer));
    if !object.uncovered.is_empty() {
        write_texts(out, object.uncovered.functions());
        write_texts(out, object.uncovered.causes());
    }
}

fn write_texts<'t>(out: &mut ByteWriter, texts: impl ExactSizeIterator<Item = &'t str>) {
    out.count(texts.len());
    texts.for_each(|text| out.text(text));
}

fn read_texts<'t>(reader: &mut ByteReader<'t>) -> Option<Vec<&'t str>> {
    let count = reader.count(1)?;
    (0..count).map(|_| reader.text()).collect()
}

/// Functions and causes; without a cause nothing is uncovered.
fn read_uncovered(reader: &mut ByteReader<'_>) -> Option<Uncovered> {
    let (functions, causes) = (read_texts(reader)?, read_texts(reader)?);
    Some(Uncovered::new(functions, causes)).filter(|uncovered| !uncovered.is_empty())
}

fn read_objects(reader: &mut ByteReader<'_>) -> Option<Vec<PackedObject>> {
    let count = reader.count(5)?;
    (0..count).map(|_| read_object(reader)).collect()
}

fn read_object(reader: &mut ByteReader<'_>) -> Option<PackedObject> {
    let path = reader.text()?.to_owned();
    let object_id = match reader.byte()? {
        0 => None,
        1 => Some(ObjectId::BuildId(BuildId::from_bytes(reader.block()?)?)),
        2 => Some(ObjectId::Content { size: reader.number()?, hash: reader.fixed()? }),
        _ => return None,
    };
    let build_id = reader.text()?.to_owned();
    let flags = reader.byte().filter(|flags| flags & !ALL_FLAGS == 0)?;
    let producers = reader.count(1)?;
    let producers = (0..producers).map(|_| reader.text().map(str::to_owned)).collect::<Option<_>>()?;
    let is_uncovered = flags & HAS_UNCOVERED != 0;
    Some(PackedObject {
        uncovered: if is_uncovered { read_uncovered(reader)? } else { Uncovered::default() },
        path,
        object_id,
        build_id: (flags & HAS_BUILD_ID != 0).then_some(build_id),
        has_debug_info: flags & HAS_DEBUG_INFO != 0,
        is_unverified: flags & IS_UNVERIFIED != 0,
        producers,
        census: None,
    })
}
