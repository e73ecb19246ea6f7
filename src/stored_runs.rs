//! Recordings into a store, and the packs of a store checked. Reading back needs nothing of this: the pack of a stored run
//! is a recording like any other.

use std::path::Path;

use pdiff_ingest::{ReadOptions, Source, read_profile};
use pdiff_store::{Added, CheckReport, NewRun, RunKey, Store};

use crate::error::Error;
use crate::packer::Packer;
use crate::read::TOOL_VERSION;

/// What is said of a run when it is stored.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct RunFiling {
    /// The program or service that ran.
    pub service: String,
    /// Its build.
    pub build: String,
    /// The machine; else the one that the recording names, else `unknown`.
    pub host: Option<String>,
    /// The day of the recording, as `2026-11-24`.
    pub day: String,
    /// The name of the recording's file, without directory.
    pub recording: String,
}

/// The host of a stored run whose recording does not name it.
pub const UNKNOWN_HOST: &str = "unknown";

/// Reads and symbolises a recording as for a pack, and adds it to a store.
///
/// # Errors
/// Returns an error if the recording or a binary cannot be read, or the store cannot be written.
pub fn store_run(store: &Store, filing: &RunFiling, packer: Packer) -> Result<Added, Error> {
    let read = packer.read()?;
    let run = read.run();
    let named = run.profile.header.iter().find(|(key, _)| **key == *"hostname").map(|(_, host)| host.trim());
    let named = named.filter(|host| !host.is_empty());
    let host = filing.host.as_deref().or(named).unwrap_or(UNKNOWN_HOST);
    let key = RunKey::new(&filing.service, &filing.build, host, &filing.day)?;
    let new = NewRun {
        key: &key,
        recording: &filing.recording,
        written_by: TOOL_VERSION,
        profile: &run.profile,
        resolutions: run.resolutions.as_ref(),
        binaries: run.objects.iter().filter(|object| object.object_id.is_some()).count() as u64,
        measures: run.measures,
    };
    let id = new.id();
    if let Some(known) = store.known(&new, id)? {
        return Ok(known);
    }
    // Each keeps a core busy for about as long as the other.
    let (files, census) = rayon::join(|| new.files(id), || read.census());
    let files = files?;
    Ok(store.add(files, &read.into_pack(census?)?)?)
}

/// Reads every file of a store, packs included.
///
/// # Errors
/// Returns an error if a directory cannot be read; what is wrong with files is in the report.
pub fn check_store(store: &Store) -> Result<CheckReport, Error> {
    let read_pack = |path: &Path| {
        let bytes = std::fs::read(path).map_err(|error| error.to_string())?;
        if !pdiff_ingest::is_pack(&bytes) {
            return Err("this is not a pack".to_owned());
        }
        let source = Source::Bytes { name: "the pack".into(), bytes: bytes.into() };
        read_profile(&source, &ReadOptions::new()).map_err(|error| with_causes(&error))
    };
    Ok(store.check(&read_pack)?)
}

fn with_causes(error: &dyn std::error::Error) -> String {
    let causes = std::iter::successors(Some(error), |error| error.source());
    causes.map(ToString::to_string).collect::<Vec<_>>().join(": ")
}
