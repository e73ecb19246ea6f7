//! The byte forms of objects, threads, events and mappings: tables of few rows, written row by row.

use super::bytes::{ByteReader, ByteWriter};
use super::codes::Code;
use crate::address::{FileOffset, RuntimeAddr};
use crate::id::{ObjectIndex, StringId};
use crate::object::{BuildId, Object};
use crate::profile::{Event, Mapping, Thread};
use crate::weight::Weight;

pub(super) fn write_objects(out: &mut ByteWriter, objects: &[Object]) {
    out.count(objects.len());
    for object in objects {
        out.text(&object.path);
        out.byte(object.kind.to_code());
        out.block(object.build_id.as_ref().map_or(&[], BuildId::as_bytes));
    }
}

pub(super) fn read_objects(reader: &mut ByteReader<'_>) -> Option<Vec<Object>> {
    let count = reader.count(3)?;
    let mut object = || {
        let path = reader.text()?.into();
        let kind = Code::from_code(reader.byte()?)?;
        let build_id = match reader.block()? {
            [] => None,
            bytes => Some(BuildId::from_bytes(bytes)?),
        };
        Some(Object { path, kind, build_id })
    };
    (0..count).map(|_| object()).collect()
}

pub(super) fn write_threads(out: &mut ByteWriter, threads: &[Thread]) {
    out.count(threads.len());
    for thread in threads {
        out.number(u64::from(thread.comm.0));
        write_optional(out, thread.pid);
        write_optional(out, thread.tid);
    }
}

pub(super) fn read_threads(reader: &mut ByteReader<'_>) -> Option<Vec<Thread>> {
    let count = reader.count(3)?;
    let mut thread = || {
        let comm = StringId(reader.number32()?);
        Some(Thread { comm, pid: read_optional(reader)?, tid: read_optional(reader)? })
    };
    (0..count).map(|_| thread()).collect()
}

pub(super) fn write_events(out: &mut ByteWriter, events: &[Event]) {
    out.count(events.len());
    for event in events {
        out.text(&event.name);
        out.number(event.samples);
        out.number(event.weight.0);
        out.byte(u8::from(event.has_period));
    }
}

pub(super) fn read_events(reader: &mut ByteReader<'_>) -> Option<Vec<Event>> {
    let count = reader.count(4)?;
    let mut event = || {
        Some(Event {
            name: reader.text()?.into(),
            samples: reader.number()?,
            weight: Weight(reader.number()?),
            has_period: read_bool(reader)?,
        })
    };
    (0..count).map(|_| event()).collect()
}

pub(super) fn write_mappings(out: &mut ByteWriter, mappings: &[Mapping]) {
    out.count(mappings.len());
    let mut end = 0;
    for mapping in mappings {
        write_optional(out, mapping.pid);
        out.difference(end, mapping.start.0);
        out.number(mapping.len);
        out.number(mapping.offset.0);
        out.number(u64::from(mapping.object.0));
        end = mapping.start.0.wrapping_add(mapping.len);
    }
}

pub(super) fn read_mappings(reader: &mut ByteReader<'_>) -> Option<Vec<Mapping>> {
    let count = reader.count(5)?;
    let mut end = 0_u64;
    let mut mapping = || {
        let pid = read_optional(reader)?;
        let start = RuntimeAddr(reader.difference(end)?);
        let (len, offset) = (reader.number()?, FileOffset(reader.number()?));
        end = start.0.wrapping_add(len);
        Some(Mapping { pid, start, len, offset, object: ObjectIndex(reader.number32()?) })
    };
    (0..count).map(|_| mapping()).collect()
}

/// Zero for nothing, else one more.
pub(super) fn write_optional(out: &mut ByteWriter, number: Option<u32>) {
    out.number(number.map_or(0, |number| u64::from(number) + 1));
}

pub(super) fn read_optional(reader: &mut ByteReader<'_>) -> Option<Option<u32>> {
    match reader.number()?.checked_sub(1) {
        None => Some(None),
        Some(number) => u32::try_from(number).ok().map(Some),
    }
}

pub(super) fn read_bool(reader: &mut ByteReader<'_>) -> Option<bool> {
    match reader.byte()? {
        0 => Some(false),
        1 => Some(true),
        _ => None,
    }
}
