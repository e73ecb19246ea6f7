//! Calls that something other than samples counted on one side: per function and, where known, per caller.

use std::collections::BTreeMap;
use std::fmt;

/// What counted the calls.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum CallSource {
    /// valgrind's callgrind: every call of the program, with its caller.
    Callgrind,
    /// Branch records of sampled moments: calls with their callers, but only a part of them.
    BranchRecords,
    /// bpftrace: the functions that were asked for.
    Bpftrace,
    /// funccount of bcc: the functions that were asked for.
    Funccount,
    /// `perf stat` with probes: the functions that were asked for.
    PerfStat,
    /// A table written by hand or by a script, per operation.
    Table,
}

impl CallSource {
    /// Whether a function or an edge that is missing was not called: true if all calls were counted.
    #[must_use]
    pub fn counts_all(self) -> bool {
        self == Self::Callgrind
    }

    /// Whether the numbers are only a sample, so that nothing but their ratios is known.
    #[must_use]
    pub fn is_sampled(self) -> bool {
        self == Self::BranchRecords
    }

    /// Whether callers are known.
    #[must_use]
    pub fn has_callers(self) -> bool {
        matches!(self, Self::Callgrind | Self::BranchRecords)
    }
}

impl fmt::Display for CallSource {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::Callgrind => "callgrind",
            Self::BranchRecords => "branch records",
            Self::Bpftrace => "bpftrace",
            Self::Funccount => "funccount",
            Self::PerfStat => "perf stat",
            Self::Table => "table",
        })
    }
}

/// The calls counted on one side, by qualified name.
#[derive(Clone, PartialEq, Debug)]
pub struct CountedCalls {
    /// What counted them.
    pub source: CallSource,
    /// Calls of each function.
    pub functions: BTreeMap<Box<str>, f64>,
    /// Calls of a callee from a caller: (caller, callee).
    pub entries: BTreeMap<(Box<str>, Box<str>), f64>,
}

impl CountedCalls {
    /// No call yet.
    #[must_use]
    pub fn new(source: CallSource) -> Self {
        Self { source, functions: BTreeMap::new(), entries: BTreeMap::new() }
    }

    /// Adds calls of a function whose caller is not known. Zero calls are a count, too.
    pub fn add(&mut self, function: &str, calls: f64) {
        *self.functions.entry(function.into()).or_default() += calls;
    }

    /// Adds calls of a function from a caller.
    pub fn add_entries(&mut self, caller: &str, callee: &str, calls: f64) {
        self.add(callee, calls);
        *self.entries.entry((caller.into(), callee.into())).or_default() += calls;
    }

    /// Adds what another file of the same source counted.
    pub fn merge(&mut self, other: Self) {
        for (function, calls) in other.functions {
            *self.functions.entry(function).or_default() += calls;
        }
        for (edge, calls) in other.entries {
            *self.entries.entry(edge).or_default() += calls;
        }
    }

    /// The calls of one operation.
    #[must_use]
    pub fn divided_by(mut self, operations: f64) -> Self {
        let counts = self.functions.values_mut().chain(self.entries.values_mut());
        counts.for_each(|calls| *calls /= operations);
        self
    }
}
