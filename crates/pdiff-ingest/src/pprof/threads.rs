//! The labels of a sample that name its thread. All others are ignored: they are the program's own.
//!
//! ```text
//! Label = 1 key  2 str  3 num  4 num_unit         numbers of strings, but num
//! ```
//!
//! There is no standard: these are the names that perf_to_profile, Parca, py-spy, Datadog and pprof's own converters use.

use pdiff_profile::{ProfileBuilder, Thread, ThreadId};
use rustc_hash::FxHashMap;

use super::error::PprofError;
use super::frames::text;
use super::tables::{Tables, Text};
use super::wire::Fields;

/// A label's information about a thread.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
enum Says {
    /// Its name; of several the first of [`NAMES`].
    Name(usize),
    Pid,
    Tid,
}

/// Labels with a thread's name, the best first: `comm` may be that of the process.
const NAMES: [&str; 5] = ["thread_comm", "thread_name", "thread name", "thread", "comm"];
const PIDS: [&str; 3] = ["pid", "process_id", "process id"];
const TIDS: [&str; 3] = ["tid", "thread_id", "thread id"];

/// Finds the threads of samples.
#[derive(Debug)]
pub(super) struct Threads<'t> {
    tables: &'t Tables<'t>,
    keys: FxHashMap<Text, Says>,
}

/// The information from the labels of a sample.
#[derive(Clone, Copy, Default, Debug)]
pub(super) struct Labels {
    name: Option<(usize, Name)>,
    pid: Option<u32>,
    tid: Option<u32>,
}

/// A name as a text, or as a number.
#[derive(Clone, Copy, Debug)]
enum Name {
    Text(Text),
    Number(u64),
}

impl<'t> Threads<'t> {
    /// Of a profile's samples.
    pub(super) fn new(tables: &'t Tables<'t>) -> Self {
        let keys = tables.texts().filter_map(|(text, key)| Some((text, says(key)?))).collect();
        Self { tables, keys }
    }

    /// Takes in a label.
    pub(super) fn label(&self, message: &[u8], labels: &mut Labels) -> Result<(), PprofError> {
        let (mut key, mut text, mut number) = (Text(0), Text(0), 0);
        for field in Fields::new(message) {
            match field? {
                (1, value) => key = Text(value.number()?),
                (2, value) => text = Text(value.number()?),
                (3, value) => number = value.number()?,
                _ => {}
            }
        }
        let id = || -> Result<Option<u32>, PprofError> {
            let written = str::from_utf8(self.tables.text(text)?).ok().and_then(|text| text.parse().ok());
            Ok(if text == Text(0) { u32::try_from(number).ok() } else { written })
        };
        match self.keys.get(&key) {
            Some(Says::Pid) => labels.pid = id()?,
            Some(Says::Tid) => labels.tid = id()?,
            Some(Says::Name(rank)) if labels.name.is_none_or(|(known, _)| *rank < known) => {
                let name = if text == Text(0) { Name::Number(number) } else { Name::Text(text) };
                labels.name = Some((*rank, name));
            }
            Some(Says::Name(_)) | None => {}
        }
        Ok(())
    }

    /// The thread that labels tell.
    pub(super) fn thread(
        &self,
        labels: Labels,
        builder: &mut ProfileBuilder,
    ) -> Result<ThreadId, PprofError> {
        let name = match labels.name {
            None => String::new(),
            Some((_, Name::Number(number))) => number.to_string(),
            Some((_, Name::Text(name))) => text(self.tables, name, builder)?,
        };
        let comm = builder.string(&name);
        Ok(builder.thread(Thread { comm, pid: labels.pid, tid: labels.tid }))
    }
}

fn says(key: &[u8]) -> Option<Says> {
    let is_one = |names: &[&str]| names.iter().any(|name| name.as_bytes() == key);
    if is_one(&PIDS) {
        return Some(Says::Pid);
    }
    if is_one(&TIDS) {
        return Some(Says::Tid);
    }
    NAMES.iter().position(|name| name.as_bytes() == key).map(Says::Name)
}
