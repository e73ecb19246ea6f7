//! A comparison for a build pipeline: the output of a step, a comment, test results, annotations, and numbers to keep.

pub(crate) mod annotations;
pub(crate) mod bencher;
pub(crate) mod junit;
pub(crate) mod page;

use pdiff_analysis::classify::{Classification, FindingCause};
use pdiff_analysis::{Comparison, FunctionLines, Trip};

/// What a pipeline shows.
#[derive(Clone, Copy, Debug)]
pub struct CiInput<'a> {
    /// The name of this check, because pipelines may have several.
    pub name: &'a str,
    /// Rows by function.
    pub comparison: &'a Comparison,
    /// Why they changed.
    pub classification: &'a Classification,
    /// The cause of each finding, in their order.
    pub causes: &'a [FindingCause],
    /// What the gates found, in the order given, failing ones before warning ones.
    pub gates: &'a [GateResult],
    /// How the gates' numbers were raised to what recordings of one build show; empty if they were not.
    pub calibration: &'a [String],
    /// Hot lines of the functions that are annotated.
    pub lines: &'a [FunctionLines],
}

/// What one gate found.
#[derive(Clone, PartialEq, Debug)]
pub struct GateResult {
    /// The gate.
    pub gate: String,
    /// It warns, and does not fail the build.
    pub is_warning: bool,
    /// What it found.
    pub status: GateStatus,
    /// Why it passed without being tested, or cannot be judged.
    pub why: Option<String>,
    /// The rows that tripped it, in the comparison's order.
    pub trips: Vec<Trip>,
}

/// What a gate found.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum GateStatus {
    /// Nothing trips it.
    Passed,
    /// Nothing has the name that it is on.
    MetNothing,
    /// Something trips it.
    Failed,
    /// It cannot be judged.
    Inconclusive,
}

impl GateResult {
    /// What a reader calls it.
    pub(crate) fn word(&self) -> &'static str {
        match (self.status, self.is_warning) {
            (GateStatus::Passed, _) => "passed",
            (GateStatus::MetNothing, _) => "passed, matched no row",
            (GateStatus::Failed, false) => "failed",
            (GateStatus::Failed, true) => "warns",
            (GateStatus::Inconclusive, _) => "inconclusive",
        }
    }

    /// Whether a reader has to know of it.
    pub(crate) fn is_news(&self) -> bool {
        matches!(self.status, GateStatus::Failed | GateStatus::Inconclusive)
    }

    /// What tripped it or why it cannot be judged, in one line; empty if there is nothing to say.
    pub(crate) fn detail(&self) -> String {
        const MOST: usize = 3;
        if let Some(why) = &self.why {
            return why.clone();
        }
        let trips = self.trips.iter().take(MOST).map(|trip| format!("{} {:.4}", trip.name, trip.value));
        let text = trips.collect::<Vec<_>>().join(", ");
        match self.trips.len().saturating_sub(MOST) {
            0 => text,
            more => format!("{text} and {more} more"),
        }
    }
}
