//! A run to the bytes of a pack.

use std::borrow::Borrow;

use pdiff_profile::codec::CodecError;
use pdiff_profile::{FrameCalls, PollingFrames, Profile, Resolutions};

use super::container::{Kind, MAX_SECTIONS, Section, write_sections};
use super::error::PackError;
use super::packed_run::{PackedObject, PackedRun};
use super::run_facts;
use super::stored::Stored;

/// The bytes of a pack. The same run gives the same bytes. The bytes are read back once, so no pack is returned that cannot
/// be read.
///
/// # Errors
/// [`PackError::Unpackable`] if the run refers to something that it does not contain, or is larger than a reader accepts.
///
/// ```
/// use pdiff_ingest::{PackedRun, read_pack, write_pack};
/// use pdiff_profile::{Notes, ProfileBuilder, RunMeasures};
///
/// let run = PackedRun {
///     tool_version: "pdiff 0.1.0".into(),
///     profile: ProfileBuilder::new().finish()?,
///     resolutions: None,
///     notes: Notes::new(),
///     objects: Vec::new(),
///     measures: RunMeasures::default(),
/// };
/// assert_eq!(read_pack(&write_pack(&run)?)?, run);
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
pub fn write_pack(run: &PackedRun) -> Result<Vec<u8>, PackError> {
    write(run_part(run)?, &run.profile, run.resolutions.as_ref(), &run.objects)
}

/// The bytes of a pack as [`write_pack`] gives them. The profile is freed before its bytes are read back, so that a recording of
/// millions of stacks is in memory once.
///
/// # Errors
/// Those of [`write_pack`].
pub fn into_pack(run: PackedRun) -> Result<Vec<u8>, PackError> {
    let run_part = run_part(&run)?;
    let PackedRun { profile, resolutions, objects, .. } = run;
    write(run_part, profile, resolutions.as_ref(), &objects)
}

fn run_part(run: &PackedRun) -> Result<(Kind, Stored), PackError> {
    part(Kind::Run, run_facts::to_bytes(run), run_facts::from_bytes)
}

fn write(
    run_part: (Kind, Stored),
    profile: impl Borrow<Profile>,
    resolutions: Option<&Resolutions>,
    objects: &[PackedObject],
) -> Result<Vec<u8>, PackError> {
    let (profile_bytes, profile_frames) = (profile.borrow().to_bytes(), profile.borrow().frames.len());
    drop(profile);
    let mut parts = vec![run_part, part(Kind::Profile, profile_bytes, Profile::from_bytes)?];
    if let Some(resolutions) = resolutions {
        let frames = resolutions.frame_count();
        if frames != profile_frames {
            let what = "they belong to another profile";
            return Err(PackError::Unpackable { section: Kind::Resolutions.name(), what });
        }
        parts.push(part(Kind::Resolutions, resolutions.to_bytes(), Resolutions::from_bytes)?);
        if !resolutions.polling().is_empty() {
            parts.push(part(Kind::Polling, resolutions.polling().to_bytes(), PollingFrames::from_bytes)?);
        }
        if !resolutions.calls().is_empty() {
            parts.push(part(Kind::Calls, resolutions.calls().to_bytes(), FrameCalls::from_bytes)?);
        }
    }
    let census = (0..).zip(objects).filter_map(|(number, object)| Some((number, &object.census.as_ref()?.0)));
    let parts = parts.iter().map(|(kind, stored)| (*kind, 0, stored));
    let sections: Vec<Section<'_>> = parts
        .chain(census.map(|(number, stored)| (Kind::Census, number, stored)))
        .map(|(kind, number, stored)| Section { kind, number, stored: &stored.bytes, len: stored.len })
        .collect();
    if sections.len() > MAX_SECTIONS {
        return Err(PackError::Unpackable { section: Kind::Census.name(), what: "there are too many" });
    }
    Ok(write_sections(&sections))
}

fn part<T>(
    kind: Kind,
    bytes: Vec<u8>,
    read: impl Fn(&[u8]) -> Result<T, CodecError>,
) -> Result<(Kind, Stored), PackError> {
    let section = kind.name();
    let unpackable = |error| match error {
        CodecError::Damaged { table } => PackError::Unpackable { section, what: table },
        other => PackError::from_codec(section, other),
    };
    read(&bytes).map_err(unpackable)?;
    Ok((kind, Stored::pack(section, &bytes)?))
}
