//! Progress of reading and comparing recordings, for callers that show it.

use std::fmt;
use std::path::PathBuf;
use std::sync::Arc;

use pdiff_profile::{NoteKind, Side};

/// Something that happened.
#[derive(Clone, Copy, Debug)]
#[non_exhaustive]
pub enum Progress<'a> {
    /// So many bytes are read, of so many where that is known.
    Reading {
        /// What is read, in words.
        what: &'a str,
        /// Bytes of the file, compressed or not.
        bytes: u64,
        /// Its size.
        total: Option<u64>,
    },
    /// A stage came to its end.
    Finished {
        /// Which, in words.
        stage: &'a str,
        /// How much it read, where that is known.
        bytes: Option<u64>,
    },
    /// Something is odd, and work continues. It is kept, too: see [`crate::Prepared::warnings`].
    Warning(&'a Warning),
}

/// A warning about odd input.
#[derive(Clone, PartialEq, Eq, Debug, thiserror::Error)]
#[non_exhaustive]
pub enum Warning {
    /// One recording is given twice on one side.
    #[error(
        "{path} is given twice on one side: a recording is no replicate of itself, and noise looks smaller than it is"
    )]
    Repeated {
        /// The recording.
        path: String,
    },
    /// A recording that was cut off or damaged is packed, or added to a store.
    #[error("{path} is imperfect: {kind} x{count}, such as {example}")]
    Imperfect {
        /// The recording.
        path: String,
        /// What was met.
        kind: NoteKind,
        /// How often.
        count: u64,
        /// An example, with its place.
        example: String,
    },
    /// Two recordings of one side have the same samples.
    #[error(
        "{path} has the same samples as {other}: one recording is no replicate of itself, and noise looks smaller than it is"
    )]
    SameSamples {
        /// The recording that came later.
        path: String,
        /// The one with the same samples.
        other: String,
    },
    /// Operations without their time, of a recording of which only a part counts.
    #[error(
        "operations of {path} are taken for those of the time that --time selects; hint: if they are of the whole recording, give \
         operations per second instead (--tps-before, --tps-after), or window_s in the file of --windows"
    )]
    OperationsOfPart {
        /// The recording.
        path: String,
    },
    /// A binary that no object of the recordings is.
    #[error("{} is not used: no object of {} has its build-id or file name", path.display(), of_side(*side))]
    UnusedBinary {
        /// The binary.
        path: PathBuf,
        /// The side that it was given for, where sides are compared.
        side: Option<Side>,
    },
}

/// What is read, in words.
pub(crate) fn of_side(side: Option<Side>) -> &'static str {
    match side {
        Some(Side::Before) => "the before side",
        Some(Side::After) => "the after side",
        None => "the recording",
    }
}

/// What is told.
type Watch = dyn Fn(Progress<'_>) + Send + Sync;

/// Who watches; nobody at first.
#[derive(Clone, Default)]
pub(crate) struct Watcher(Option<Arc<Watch>>);

impl Watcher {
    pub(crate) fn new(watch: impl Fn(Progress<'_>) + Send + Sync + 'static) -> Self {
        Self(Some(Arc::new(watch)))
    }

    pub(crate) fn tell(&self, progress: Progress<'_>) {
        if let Some(watch) = &self.0 {
            watch(progress);
        }
    }

    pub(crate) fn finished(&self, stage: &str, bytes: Option<u64>) {
        self.tell(Progress::Finished { stage, bytes });
    }
}

impl fmt::Debug for Watcher {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_tuple("Watcher").field(&self.0.is_some()).finish()
    }
}
