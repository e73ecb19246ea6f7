//! Calls counted by the branch records of a recording.

use std::collections::HashMap;
use std::path::PathBuf;
use std::sync::{Mutex, PoisonError};

use pdiff_profile::names::{FunctionName, MatchLevel};
use pdiff_profile::{
    CallSource, Calls, CountedCalls, EventId, FrameId, Lookup as FrameLookup, NamedBranch, Notes, Resolution,
    TakenBranch,
};

use crate::build::Build;
use crate::error::Error;
use crate::lookup::Lookup;
use crate::read::{Reading, Run};
use crate::recording::Recording;

/// Counts calls by the branch records of a recording (`perf record -b`).
#[derive(Clone, Debug)]
#[must_use]
pub struct BranchCounter {
    build: Build,
    reading: Reading,
}

/// The calls that a recording's branch records counted.
#[derive(Clone, PartialEq, Debug)]
pub struct BranchCounts {
    /// The calls.
    pub calls: CountedCalls,
    /// What was imperfect about the recording: calls in lost samples are not counted.
    pub notes: Notes,
}

/// Branches that count together.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
struct Branch {
    from: FrameId,
    to: FrameId,
    through: Option<FrameId>,
    is_call: bool,
}

impl BranchCounter {
    /// Of one recording, with binaries where it names them.
    pub fn new(recording: impl Into<Recording>) -> Self {
        let reading = Reading { lookup: Some(Lookup::new()), ..Reading::default() };
        Self { build: Build::recordings([recording.into()]), reading }
    }

    /// A binary or debug file of the build.
    pub fn binary(mut self, path: impl Into<PathBuf>) -> Self {
        self.build = self.build.binary(path);
        self
    }

    /// Where else binaries are looked for; `None` if they are not to be.
    pub fn lookup(mut self, lookup: Option<Lookup>) -> Self {
        self.reading.lookup = lookup;
        self
    }

    /// Continues even if many records cannot be read.
    pub fn lenient(mut self, lenient: bool) -> Self {
        self.reading.lenient = lenient;
        self
    }

    /// Reads the recording, finds the functions of its branches, and counts calls. If several events have branch records, those
    /// of the first count: the records of another event may show the same branches again.
    ///
    /// # Errors
    /// Returns an error if the recording or a binary cannot be read, or if no call of a known function is recorded.
    pub fn count(self) -> Result<BranchCounts, Error> {
        let recorded: Mutex<Recorded> = Mutex::default();
        let add = |branch: TakenBranch| recorded.lock().unwrap_or_else(PoisonError::into_inner).add(branch);
        let run = self.reading.read_branches(&self.build, &add)?;
        let calls = recorded.into_inner().unwrap_or_else(PoisonError::into_inner).counts(&run);
        match calls.functions.is_empty() {
            true => Err(Error::NoNamedBranches { path: run.path }),
            false => Ok(BranchCounts { calls, notes: run.profile.notes }),
        }
    }
}

/// The branches of a recording's first event that has any.
#[derive(Default)]
struct Recorded {
    event: Option<EventId>,
    branches: HashMap<Branch, Calls>,
}

impl Recorded {
    fn add(&mut self, branch: TakenBranch) {
        if *self.event.get_or_insert(branch.event) != branch.event {
            return;
        }
        let TakenBranch { from, to, through, is_call, is_mispredicted, weight, .. } = branch;
        let calls = Calls { count: weight, records: 1, mispredicted: u64::from(is_mispredicted) };
        *self.branches.entry(Branch { from, to, through, is_call }).or_default() += calls;
    }

    fn counts(self, run: &Run) -> CountedCalls {
        let mut counts = CountedCalls::new(CallSource::BranchRecords);
        let mut branches: Vec<_> = self.branches.into_iter().collect();
        // Sums of fractions depend on their order.
        branches.sort_unstable_by_key(|(branch, _)| *branch);
        let mut names: HashMap<FrameId, Option<String>> = HashMap::default();
        let mut name = |frame: FrameId| {
            names.entry(frame).or_insert_with(|| function(run, frame, FrameLookup::Exact)).clone()
        };
        for (branch, calls) in branches {
            counts.add_branch(NamedBranch {
                from: name(branch.from).as_deref(),
                through: branch.through.and_then(&mut name).as_deref(),
                to: name(branch.to).as_deref(),
                is_entry: is_entry(run, branch.to),
                is_call: branch.is_call,
                calls,
            });
        }
        counts
    }
}

/// The machine function at a frame's address, as counts name it.
fn function(run: &Run, frame: FrameId, lookup: FrameLookup) -> Option<String> {
    let resolutions = run.resolutions.as_ref();
    let name = match resolutions.and_then(|resolutions| resolutions.get(frame, lookup)) {
        Some(Resolution::Resolved(chain)) => {
            let machine = chain.outermost();
            FunctionName::with_linkage(&machine.name, machine.linkage_name.as_deref())
        }
        Some(Resolution::Unresolved(_)) => return None,
        None => FunctionName::parse(run.profile.string(run.profile.frames.get(frame.index())?.symbol?)),
    };
    Some(name.at(MatchLevel::Qualified).to_owned())
}

/// Whether an address is the first byte of its function: the byte before is in none, or in another.
fn is_entry(run: &Run, frame: FrameId) -> bool {
    let at = |lookup| match run.resolutions.as_ref()?.get(frame, lookup)? {
        Resolution::Resolved(chain) => Some(Some(chain.outermost())),
        Resolution::Unresolved(_) => Some(None),
    };
    match (at(FrameLookup::Exact), at(FrameLookup::MinusOne)) {
        (Some(Some(here)), Some(before)) => before
            .is_none_or(|before| (&here.name, &here.linkage_name) != (&before.name, &before.linkage_name)),
        (Some(_), _) => false,
        (None, _) => {
            run.profile.frames.get(frame.index()).is_some_and(|frame| frame.symbol_offset == Some(0))
        }
    }
}
