//! What a pack holds.

use pdiff_profile::{Notes, ObjectId, Profile, Resolutions, RunMeasures, Uncovered};

use super::error::PackError;
use super::stored::Stored;

/// One recording with all that is needed to compare it without its binaries.
#[derive(Clone, PartialEq, Debug)]
pub struct PackedRun {
    /// Name and version of the program that wrote the pack.
    pub tool_version: String,
    /// The samples. Their times are known by second.
    pub profile: Profile,
    /// The resolutions of its frames; `None` if no binary was available. They do not depend on a policy of names.
    pub resolutions: Option<Resolutions>,
    /// Notes on imperfect resolutions.
    pub notes: Notes,
    /// Facts about its objects beyond the profile.
    pub objects: Vec<PackedObject>,
    /// Operations, throughput and CPU time.
    pub measures: RunMeasures,
}

/// Facts about one object of the run.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct PackedObject {
    /// Path as the profile has it.
    pub path: String,
    /// Its identity, where its file was read.
    pub object_id: Option<ObjectId>,
    /// Build-id in hexadecimal, where known.
    pub build_id: Option<String>,
    /// Whether debug information was found for it.
    pub has_debug_info: bool,
    /// Its sampled functions that debug information should describe and does not.
    pub uncovered: Uncovered,
    /// Whether its file was used although nothing confirms that this file is the one that ran.
    pub is_unverified: bool,
    /// Compilers and flags, where debug information names them.
    pub producers: Vec<String>,
    /// The census of its code, where one was packed.
    pub census: Option<PackedCensus>,
}

/// The bytes of a census, kept packed until they are asked for: comparing needs none.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct PackedCensus(pub(super) Stored);

impl PackedCensus {
    pub(super) const SECTION: &str = "census";

    /// Packs the byte form of a census.
    ///
    /// # Errors
    /// [`PackError::Unpackable`] if it is larger than [`MAX_SECTION_BYTES`](super::MAX_SECTION_BYTES).
    ///
    /// ```
    /// let census = pdiff_ingest::PackedCensus::from_bytes(b"pdcensus")?;
    /// assert_eq!(census.to_bytes()?, b"pdcensus");
    /// # Ok::<(), pdiff_ingest::PackError>(())
    /// ```
    pub fn from_bytes(census: &[u8]) -> Result<Self, PackError> {
        Stored::pack(Self::SECTION, census).map(Self)
    }

    /// The byte form of the census.
    ///
    /// # Errors
    /// [`PackError::Damaged`] if it was not packed as a pack packs it.
    pub fn to_bytes(&self) -> Result<Vec<u8>, PackError> {
        self.0.unpack(Self::SECTION)
    }
}
