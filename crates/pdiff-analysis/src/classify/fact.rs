//! A checked statement: [`Fact`], one variant per kind of statement, with its numbers. Its words are in `pdiff-render`.

use pdiff_profile::census::{Spin, Visibility};
use pdiff_profile::{PerSide, RemarkPlace, Side};

use super::cause::Judged;
use super::code_difference::CodeDifference;
use super::code_paths::{FewerWays, SamplesAround, TurnsAround};
use super::counts::CallUnit;
use super::evidence_kind::EvidenceKind;
use super::setting::SettingValues;
use crate::compare::{CostChange, Pair};
use crate::matching::{FoundBy, SourceMove};

/// A checked statement, with its numbers.
#[derive(Clone, PartialEq, Debug)]
pub enum Fact {
    /// A measure's shares and what happened to them.
    Measure {
        /// The measure.
        measure: Judged,
        /// Before and after, in percent.
        pct: Pair,
        /// The 95 % interval of the change, in points.
        interval_pp: (f64, f64),
        /// The q-value, where it was tested.
        q_value: Option<f64>,
        /// Whether the change is beyond noise.
        significant: bool,
    },
    /// A measure's cost per operation.
    Cost {
        /// The measure.
        measure: Judged,
        /// Its change.
        change: CostChange,
        /// The change of the whole profile's cost, in percent.
        whole_pct: f64,
    },
    /// A build's code of the function.
    Held {
        /// Bodies out of line.
        out_of_line: usize,
        /// Their bytes.
        code_bytes: u64,
        /// Inlined instances.
        inlined_instances: u64,
        /// Whether inlined instances can be seen.
        sees_inlined: bool,
        /// Where its source is.
        place: Option<SourcePlace>,
    },
    /// Library code that exists only inlined, and that the run does not use.
    Background,
    /// The build does not have it.
    InNoForm {
        /// Whether a renamed twin was looked for, too.
        nor_twin: bool,
    },
    /// It was sampled, and the build has no function of its name.
    NotFoundByName,
    /// The build's compiler inlined it and left no instance.
    InlinedWithoutInstance,
    /// The build does not let it be seen, for this is all it shows.
    NotVisible(Visibility),
    /// No binary of the build was read.
    NoBinary,
    /// Inlined copies are not counted separately, because one side does not show inlining.
    CopiesNotTold {
        /// The side that shows it.
        with: Side,
    },
    /// The functions it is inlined into.
    InlinedInto {
        /// Those with most sites.
        callers: Vec<InlinedCopies>,
        /// How many more there are.
        more: usize,
    },
    /// The functions that call it in the code.
    CalledBy {
        /// Those with most calls, and the calls.
        callers: Vec<(String, u64)>,
        /// How many more there are.
        more: usize,
    },
    /// How it was found on both sides.
    Matched {
        /// The level.
        level: FoundBy,
        /// How alike the two are, of 1, where that was measured.
        score: Option<f64>,
        /// Whether other pairs match as well.
        ambiguous: bool,
        /// The side that has it under another name, and that name.
        other_name: Option<(Side, String)>,
    },
    /// Its source moved.
    SourceMoved(SourceMove),
    /// Where its source went, and so who decided on its inlining.
    InliningDecided(SourceMove),
    /// The code is the same in both builds.
    SameCode,
    /// The code of a renamed pair is the same.
    SameCodeOfPair,
    /// What differs in its code, in that of the function which contains it, or in that of the caller that calls it more.
    CodeDiffers(CodeDifference),
    /// Its code grew.
    GrownCode {
        /// Bytes before.
        before: u64,
        /// Bytes after.
        after: u64,
    },
    /// Its source grew.
    GrownSource {
        /// The lines up to the next function, which is the same one.
        lines: PerSide<u32>,
    },
    /// It is called where it was inlined: at no more places, by callers whose own code costs as before.
    CalledAsCopied {
        /// Those that have most of its weight.
        callers: Vec<String>,
    },
    /// The compiler's own words on why a call was not inlined.
    CompilerSaid {
        /// The caller.
        caller: String,
        /// Its words.
        words: String,
        /// Where the call is.
        place: RemarkPlace,
        /// How many more calls of that caller it gave the same words for.
        more: usize,
    },
    /// Who compiled it.
    Compilers {
        /// The producer before.
        before: String,
        /// The producer after.
        after: String,
    },
    /// Its callers in the stacks.
    SampledCallers(Vec<SampledCaller>),
    /// Its callees in the stacks, with their shares in percent.
    SampledCallees(Vec<(String, f64)>),
    /// A callee whose weight under it changed.
    CalleeChange {
        /// The callee.
        callee: String,
        /// The change, in points.
        change_pp: f64,
    },
    /// A callee that only one run entered from here.
    Entered {
        /// The callee.
        callee: String,
        /// Its share here after, in percent.
        after_pct: f64,
        /// The call in the before build's code.
        before_code: CallInCode,
    },
    /// A callee that this function alone calls where the stacks show its callers.
    OnlyCaller {
        /// The callee.
        callee: String,
        /// The caller.
        caller: String,
        /// The callee's share here after, in percent.
        after_pct: f64,
    },
    /// A callee that is there after only, so that its weight is not in the change of self.
    NotInSelf {
        /// The callee.
        callee: String,
        /// Its share here after, in percent.
        after_pct: f64,
        /// The change of self, in points.
        self_pp: f64,
    },
    /// A caller that contains the function inlined on one side and calls it on the other.
    Flip {
        /// The caller.
        caller: String,
        /// Its inlined instances.
        sites: u64,
        /// The side that contains them.
        inlined_on: Side,
        /// How the caller was found on both sides.
        level: FoundBy,
        /// What calls it on the other side.
        calls_there: CallsThere,
        /// How many copies the caller contains there all the same...
        still: u64,
        /// ...fewer than before; else they are of its beginning, which calls the rest.
        is_partial: bool,
    },
    /// Two rows as one function.
    AsOne {
        /// Shares before and after, in percent.
        pct: Pair,
        /// The change without the common factor, in points.
        net_pp: f64,
        /// The common factor.
        factor: f64,
        /// The size that the change must exceed, in points.
        half_width_pp: f64,
    },
    /// One run has no sample of it.
    Idle {
        /// That side.
        idle: Side,
        /// The largest share that zero samples can hide, in percent.
        bound_pct: f64,
        /// A caller with its samples on that side.
        caller: Option<(String, u64)>,
        /// The lower end of the other side's share, in percent.
        low_pct: f64,
    },
    /// Where the counts of calls are from.
    CountedBy(String),
    /// Calls per operation.
    Calls {
        /// The calls.
        calls: Pair,
        /// What they are per.
        unit: CallUnit,
    },
    /// Calls and time grew, both as a factor.
    CallsAndTime {
        /// Calls per operation.
        calls: Pair,
        /// Calls after over before.
        more_calls: f64,
        /// Time after over before.
        more_time: f64,
        /// What that is the time of.
        time_of: TimeOf,
    },
    /// Entries of a callee from a caller.
    Entries {
        /// The caller.
        caller: String,
        /// The callee.
        callee: String,
        /// The caller's calls; absent if only ratios are known.
        calls: Option<Pair>,
        /// What they are per.
        unit: CallUnit,
        /// Entries of the callee per call of the caller.
        per_call: Pair,
    },
    /// The code of both builds: before, there is a way through a caller without a call of a callee; now there is none.
    NoWayAround {
        /// The caller.
        caller: String,
        /// The callee.
        callee: String,
    },
    /// The code of both builds: so many calls of a callee every way through a caller makes at least.
    MoreLeastCalls {
        /// The caller.
        caller: String,
        /// The callee.
        callee: String,
        /// The calls.
        least: PerSide<u32>,
    },
    /// The code of both builds and the samples of each side: a caller lost conditions around a callee whose ways have hardly any code, and the
    /// before run did not go on to it, though the same callers asked as often.
    NeverWentOn {
        /// The caller.
        caller: String,
        /// The callee.
        callee: String,
        /// Its share under the caller, in percent.
        pct: PerSide<f64>,
        /// What the conditions asked that are gone.
        asks: Vec<String>,
        /// The callers that call it as before.
        callers: Vec<String>,
    },
    /// The code of both builds and the samples in it: conditions are gone under which a caller returned without a call of a callee, and so many of
    /// its runs went past those that are left that these cannot be why the callee is called so much more.
    LeftPassed {
        /// The caller.
        caller: String,
        /// The callee.
        callee: String,
        /// What the conditions asked that are gone.
        asks: Vec<String>,
        /// The part of the runs before that went past each that is left, in percent, at least.
        part_pct: f64,
        /// How many times as much the callee costs under the caller.
        times: f64,
    },
    /// The code of both builds and the samples under its calls: a caller calls a function again right after a call of it, which it did not.
    CalledAgain {
        /// The caller.
        caller: String,
        /// The callee.
        callee: String,
        /// The samples under each call that is made, most first.
        samples: PerSide<Vec<u64>>,
    },
    /// The code of both builds and the samples of its callers: a function has less code, asks nothing new and is called as before, and now
    /// calls another one, which it did not.
    OwnWorkGone {
        /// The function.
        caller: String,
        /// What it calls now.
        callee: String,
        /// The length of its code.
        bytes: PerSide<u64>,
        /// The callers that call it as before.
        callers: Vec<String>,
    },
    /// The code of both builds: before, the loop in a caller could go on without a call of a callee, and the run did so; now no turn can.
    NoTurnAround {
        /// The caller.
        caller: String,
        /// The callee.
        callee: String,
        /// These turns before.
        turns: TurnsAround,
    },
    /// The code of both builds: fewer conditions let a caller return without a call of a callee, and before's run took the ways that are
    /// gone.
    FewerWaysAround {
        /// The caller.
        caller: String,
        /// The callee.
        callee: String,
        /// These ways.
        ways: FewerWays,
    },
    /// The samples of each side on ways through a caller without a call of a callee. Before's run took these ways, and after's hardly
    /// does.
    WayNotTaken {
        /// The caller.
        caller: String,
        /// The callee.
        callee: String,
        /// Those samples, and all.
        samples: PerSide<SamplesAround>,
    },
    /// It busy-waits.
    Spin {
        /// What says so.
        sign: SpinSign,
        /// Its share of CPU, in percent.
        share_pct: f64,
    },
    /// A setting that switches it.
    Setting {
        /// The setting.
        setting: SettingValues,
        /// Why it matters, as the file of knowledge says.
        why: String,
    },
    /// A rule of the user's names it.
    Rule {
        /// The rule.
        name: String,
        /// The rule's reason.
        reason: String,
    },
}

/// What a time is that of.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum TimeOf {
    /// Not of an operation, because none are known: a share of CPU.
    Share,
    /// An operation.
    Operation,
    /// An operation, without what the typical function costs more there.
    OperationBeyondTypical,
}

/// A function that stacks show as the caller of another.
#[derive(Clone, PartialEq, Debug)]
pub struct SampledCaller {
    /// Its name.
    pub name: String,
    /// What the other function has under it, in percent.
    pub pct: f64,
    /// Whether others call that function in the code, and this one does not: the stacks may lack one of those.
    pub is_indirect: bool,
}

/// A place in the source.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct SourcePlace {
    /// The file; `None` if it is not known.
    pub file: Option<String>,
    /// The line, if it is known.
    pub line: Option<u32>,
}

/// A function that contains copies.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct InlinedCopies {
    /// Its name.
    pub caller: String,
    /// How many sites.
    pub sites: u64,
    /// The place of one of them, if it is known.
    pub place: Option<SourcePlace>,
}

/// How a function is called where a caller does not contain its copy any more.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum CallsThere {
    /// By a direct call in the caller.
    InCaller,
    /// By direct calls in other functions.
    InOthers,
    /// By no direct call: through pointers alone.
    ThroughPointers,
}

/// A call in a build's code.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum CallInCode {
    /// The call is there.
    Present,
    /// There is no such direct call.
    Absent,
    /// There is no such function.
    NoFunction,
    /// It is not visible.
    NotVisible,
}

/// The sign that a function busy-waits.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum SpinSign {
    /// A list names it.
    Listed,
    /// Its code.
    Code(Spin),
}

impl Fact {
    /// What it is about.
    #[must_use]
    pub fn kind(&self) -> EvidenceKind {
        match self {
            Self::Measure { .. } | Self::Cost { .. } => EvidenceKind::Weight,
            Self::Held { .. }
            | Self::Background
            | Self::InNoForm { .. }
            | Self::NotFoundByName
            | Self::InlinedWithoutInstance
            | Self::NotVisible(_)
            | Self::SameCode
            | Self::SameCodeOfPair
            | Self::GrownCode { .. }
            | Self::CalledAsCopied { .. }
            | Self::NoWayAround { .. }
            | Self::MoreLeastCalls { .. }
            | Self::NoTurnAround { .. }
            | Self::OwnWorkGone { .. }
            | Self::LeftPassed { .. }
            | Self::CalledAgain { .. }
            | Self::NeverWentOn { .. }
            | Self::FewerWaysAround { .. } => EvidenceKind::Code,
            Self::CodeDiffers(_) => EvidenceKind::Diff,
            Self::NoBinary | Self::CopiesNotTold { .. } => EvidenceKind::Missing,
            Self::InlinedInto { .. } => EvidenceKind::Inlined,
            Self::CalledBy { .. } => EvidenceKind::Call,
            Self::Matched { .. } | Self::AsOne { .. } => EvidenceKind::Match,
            Self::SourceMoved(_) | Self::InliningDecided(_) | Self::GrownSource { .. } => {
                EvidenceKind::Source
            }
            Self::Compilers { .. } | Self::CompilerSaid { .. } => EvidenceKind::Compiler,
            Self::SampledCallers(_)
            | Self::SampledCallees(_)
            | Self::CalleeChange { .. }
            | Self::Entered { .. }
            | Self::OnlyCaller { .. }
            | Self::WayNotTaken { .. }
            | Self::NotInSelf { .. }
            | Self::Idle { .. } => EvidenceKind::Sampled,
            Self::Flip { .. } => EvidenceKind::Flip,
            Self::CountedBy(_) | Self::Calls { .. } | Self::CallsAndTime { .. } | Self::Entries { .. } => {
                EvidenceKind::Counts
            }
            Self::Spin { .. } => EvidenceKind::Spin,
            Self::Setting { .. } => EvidenceKind::Settings,
            Self::Rule { .. } => EvidenceKind::Rule,
        }
    }
}
