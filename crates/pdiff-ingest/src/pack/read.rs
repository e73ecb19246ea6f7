//! The bytes of a pack to the run.

use pdiff_profile::codec::CodecError;
use pdiff_profile::{FrameCalls, PollingFrames, Profile, Resolutions};

use super::container::{Kind, Section, read_sections};
use super::error::PackError;
use super::packed_run::{PackedCensus, PackedObject, PackedRun};
use super::run_facts::{self, RunFacts};
use super::stored::{Stored, unpack};

/// The run that a pack holds. Every checksum is verified; censuses stay packed.
///
/// # Errors
/// [`PackError`] if the bytes are not a pack, of another version, cut off or changed. See [`write_pack`](super::write_pack)
/// for an example.
pub fn read_pack(bytes: &[u8]) -> Result<PackedRun, PackError> {
    let sections = read_sections(bytes)?;
    let RunFacts { tool_version, measures, notes, mut objects } =
        required(&sections, Kind::Run, run_facts::from_bytes)?;
    let profile = required(&sections, Kind::Profile, Profile::from_bytes)?;
    let mut resolutions = optional(&sections, Kind::Resolutions, Resolutions::from_bytes)?;
    if let Some(resolutions) = &mut resolutions {
        // Packs of earlier versions have neither.
        let polling = optional(&sections, Kind::Polling, PollingFrames::from_bytes)?;
        resolutions.set_polling(polling.unwrap_or_default());
        let calls = optional(&sections, Kind::Calls, FrameCalls::from_bytes)?;
        resolutions.set_calls(calls.unwrap_or_default());
    }
    if resolutions.as_ref().is_some_and(|known| known.frame_count() != profile.frames.len()) {
        return Err(damaged(Kind::Resolutions, "they belong to another profile"));
    }
    for section in sections.iter().filter(|section| section.kind == Kind::Census) {
        attach(&mut objects, section)?;
    }
    Ok(PackedRun { tool_version, profile, resolutions, notes, objects, measures })
}

fn damaged(kind: Kind, what: &'static str) -> PackError {
    PackError::Damaged { section: kind.name(), what }
}

fn required<T>(
    sections: &[Section<'_>],
    kind: Kind,
    read: impl Fn(&[u8]) -> Result<T, CodecError>,
) -> Result<T, PackError> {
    optional(sections, kind, read)?.ok_or(damaged(kind, "it is missing"))
}

fn optional<T>(
    sections: &[Section<'_>],
    kind: Kind,
    read: impl Fn(&[u8]) -> Result<T, CodecError>,
) -> Result<Option<T>, PackError> {
    let mut of_kind = sections.iter().filter(|section| section.kind == kind);
    let Some(section) = of_kind.next() else { return Ok(None) };
    if of_kind.next().is_some() {
        return Err(damaged(kind, "it occurs twice"));
    }
    let bytes = unpack(kind.name(), section.stored, section.len)?;
    read(&bytes).map(Some).map_err(|error| PackError::from_codec(kind.name(), error))
}

fn attach(objects: &mut [PackedObject], section: &Section<'_>) -> Result<(), PackError> {
    let object = objects.get_mut(section.number as usize).filter(|object| object.census.is_none());
    let object = object.ok_or(damaged(Kind::Census, "it belongs to no object, or is a duplicate"))?;
    object.census = Some(PackedCensus(Stored { bytes: section.stored.to_vec(), len: section.len }));
    Ok(())
}
