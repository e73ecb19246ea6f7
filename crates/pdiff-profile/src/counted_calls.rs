//! Calls that something other than samples counted on one side: per function and, where known, per caller.

use std::collections::BTreeMap;
use std::fmt;
use std::ops::AddAssign;

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

/// How often something was called.
#[derive(Clone, Copy, PartialEq, Debug, Default)]
pub struct Calls {
    /// The number; of records, what they represent.
    pub count: f64,
    /// The branch records of these calls, where calls are sampled.
    pub records: u64,
    /// How many of the records the processor mispredicted.
    pub mispredicted: u64,
}

impl AddAssign for Calls {
    fn add_assign(&mut self, other: Self) {
        self.count += other.count;
        self.records = self.records.saturating_add(other.records);
        self.mispredicted = self.mispredicted.saturating_add(other.mispredicted);
    }
}

impl From<f64> for Calls {
    fn from(count: f64) -> Self {
        Self { count, ..Self::default() }
    }
}

/// The calls counted on one side, by qualified name.
#[derive(Clone, PartialEq, Debug)]
pub struct CountedCalls {
    /// What counted them.
    pub source: CallSource,
    /// Calls of each function.
    pub functions: BTreeMap<Box<str>, Calls>,
    /// Calls of a callee from a caller: (caller, callee).
    pub entries: BTreeMap<(Box<str>, Box<str>), Calls>,
}

/// A branch between functions, as a processor recorded it.
#[derive(Clone, Copy, PartialEq, Debug)]
pub struct NamedBranch<'a> {
    /// The function that it is in, if known.
    pub from: Option<&'a str>,
    /// The function that entered `from` by the branch before, where `from` is a stub.
    pub through: Option<&'a str>,
    /// The function that it led to, if known.
    pub to: Option<&'a str>,
    /// Whether it led to the first byte of that function.
    pub is_entry: bool,
    /// Whether it is a call, if that is known.
    pub is_call: bool,
    /// What it counts.
    pub calls: Calls,
}

/// Whether a function is a stub of the procedure linkage table, which only jumps to a function of another object. perf 6.1 calls
/// all of them by the function before the table.
fn is_stub(function: &str) -> bool {
    function.ends_with("@plt") || function == "_init"
}

impl CountedCalls {
    /// No call yet.
    #[must_use]
    pub fn new(source: CallSource) -> Self {
        Self { source, functions: BTreeMap::new(), entries: BTreeMap::new() }
    }

    /// Adds calls of a function whose caller is not known. Zero calls are a count, too.
    pub fn add(&mut self, function: &str, calls: impl Into<Calls>) {
        *self.functions.entry(function.into()).or_default() += calls.into();
    }

    /// Adds calls of a function from a caller.
    pub fn add_entries(&mut self, caller: &str, callee: &str, calls: impl Into<Calls>) {
        let calls = calls.into();
        self.add(callee, calls);
        *self.entries.entry((caller.into(), callee.into())).or_default() += calls;
    }

    /// Adds a branch if it is a call: it leads to the first byte of another function (a jump in tail position enters that as well),
    /// or of its own and is known to be a call. A call through a stub is one of the function that entered the stub.
    pub fn add_branch(&mut self, branch: NamedBranch<'_>) {
        let Some(to) = branch.to.filter(|to| branch.is_entry && !is_stub(to)) else { return };
        match branch.from {
            Some(from) if is_stub(from) => match branch.through.filter(|caller| !is_stub(caller)) {
                Some(caller) => self.add_entries(caller, to, branch.calls),
                None => self.add(to, branch.calls),
            },
            Some(from) if from == to && !branch.is_call => {}
            Some(from) => self.add_entries(from, to, branch.calls),
            None => self.add(to, branch.calls),
        }
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
        counts.for_each(|calls| calls.count /= operations);
        self
    }
}
