//! Why recordings could not be compared.

use std::path::PathBuf;

use pdiff_analysis::EventError;
use pdiff_profile::Side;

use crate::progress::of_side;

/// Why recordings could not be compared.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum Error {
    /// A recording could not be read.
    #[error(transparent)]
    Read(#[from] pdiff_ingest::Error),
    /// A pprof profile could not be made.
    #[error(transparent)]
    Pprof(#[from] pdiff_ingest::PprofError),
    /// A binary could not be read.
    #[error(transparent)]
    Symbolize(#[from] pdiff_symbolize::Error),
    /// A file could not be read.
    #[error("cannot read {}", path.display())]
    Unreadable {
        /// The file.
        path: PathBuf,
        /// What the system says.
        source: std::io::Error,
    },
    /// A file that begins like a pack is not a valid pack.
    #[error("{}", path.display())]
    NotAPack {
        /// The file.
        path: PathBuf,
        /// Why.
        source: pdiff_ingest::PackError,
    },
    /// A pack without anything of the program's code.
    #[error("{} has no census; hint: make it with `pdiff pack --full-census --binary FILE`", path.display())]
    NoCensus {
        /// The pack.
        path: PathBuf,
    },
    /// A pack without what its run had nothing to do with.
    #[error(
        "{} has only the part of the census that verdicts need; hint: make it with `pdiff pack --full-census --binary FILE`",
        path.display()
    )]
    PartOfCensus {
        /// The pack.
        path: PathBuf,
    },
    /// Branch records of which no function is known.
    #[error(
        "{path}: its branch records have no call of a known function; hint: give the binaries that ran (--binary; for classify, \
         --binary-before and --binary-after)"
    )]
    NoNamedBranches {
        /// The recording.
        path: String,
    },
    /// The recordings have no event in common.
    #[error(transparent)]
    Event(#[from] EventError),
    /// A recording without a row in the table of windows.
    #[error(
        "--windows has no row for '{recording}'; hint: column capture holds file stems (it has {known} ...); where two sides are compared, --operations-before and --operations-after do instead"
    )]
    NotListed {
        /// The stem of the recording.
        recording: String,
        /// Some that it knows.
        known: String,
    },
    /// The binaries of a recording could not be read.
    #[error("symbols of {}", of_side(*side))]
    Symbols {
        /// Its side, where sides are compared.
        side: Option<Side>,
        /// Why.
        source: pdiff_symbolize::Error,
    },
    /// The filters leave no samples on a side: a mistake, not a result.
    #[error("the filters ({filters}) leave no samples on the {side} side; hint: {}", threads_named(threads))]
    NoSamples {
        /// The filters.
        filters: String,
        /// The side.
        side: Side,
        /// Some of its threads.
        threads: String,
    },
    /// The functions of a binary could not be read.
    #[error("functions of {}", path.display())]
    BinaryFacts {
        /// The binary.
        path: PathBuf,
        /// Why.
        source: pdiff_symbolize::Error,
    },
    /// A binary given together with packs that were made from another one.
    #[error("{} is another build than the pack of the {side} side was made of; hint: give that one, or use --ignore-build-id", path.display())]
    OtherBuild {
        /// The binary.
        path: PathBuf,
        /// The side.
        side: Side,
    },
    /// A binary given together with packs that were made without it: which build ran is not known.
    #[error("the recordings of the {side} side were packed without {}; hint: pack or add them again with --binary", path.display())]
    PackedWithout {
        /// The binary.
        path: PathBuf,
        /// The side.
        side: Side,
    },
    /// The contents of a pack for a binary are damaged.
    #[error(transparent)]
    Pack(#[from] pdiff_ingest::PackError),
    /// The contents of a pack for a binary are damaged.
    #[error("the census in a pack")]
    PackedFacts {
        /// Why.
        source: pdiff_profile::census::CensusBytesError,
    },
    /// Verdicts were asked for on rows that are not functions of both builds.
    #[error(
        "verdicts are on functions by their qualified names, with inlines expanded and templates kept; hint: leave out \
         --by, --match, --inlines, --templates and --denominator thread-group"
    )]
    NotByFunction,
    /// Some recordings of waiting have times, and others do not.
    #[error(
        "{without} has no times and {with} has, so their waits cannot be compared; hint: give switches of threads, or folded \
         stacks, on both sides"
    )]
    MixedWaits {
        /// A recording without times.
        without: String,
        /// One with times.
        with: String,
    },
    /// All of the program's code is to be packed, and none was found.
    #[error("no binary of the program was found, so there is no census; hint: give it with --binary")]
    NothingToPack,
    /// A recording could not be packed.
    #[error("packing {path}")]
    NotPacked {
        /// The recording.
        path: String,
        /// Why.
        source: pdiff_ingest::PackError,
    },
    /// A store could not be read or written.
    #[cfg(feature = "store")]
    #[error(transparent)]
    Store(#[from] pdiff_store::StoreError),
    /// A step is of two builds that are there.
    #[error("there is no build {number} in a series of {builds}")]
    NoBuild {
        /// Its place, from 0.
        number: usize,
        /// How many there are.
        builds: usize,
    },
}

fn threads_named(threads: &str) -> String {
    if threads.is_empty() {
        "its threads have no names".to_owned()
    } else {
        format!("its threads are named {threads}")
    }
}
