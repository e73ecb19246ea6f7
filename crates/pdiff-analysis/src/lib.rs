//! The analysis of pdiff: pure functions from profiles to comparisons. Nothing is read, printed or remembered here.

#![forbid(unsafe_code)]

mod aggregate;
mod c_library;
mod choose_event;
pub mod classify;
mod compare;
mod filter;
mod findings;
mod gate;
pub mod inlines;
mod knowledge;
pub mod matching;
pub mod noise;
mod normalize;
mod objects;
mod one_sided;
mod packages;
mod pattern;
mod plan;
mod policy;
mod settings_diff;
mod side_by_side;
mod source_roots;
mod threads;

pub use choose_event::{EventError, choose_events};
pub use compare::{
    Align, Beside, BesideRow, CPU_SCALE_TOLERANCE, CallTree, CompareSettings, Comparison, Cost, CostChange,
    CostExtent, CostParts, CostReason, CostScale, Coverage, Family, FieldGroup, FieldValue, FindingWaits,
    FrameChange, FrameChanges, FrameWeight, FunctionLines, Gap, GapParts, HotLine, InlineChange, InlineFlip,
    InlinedInto, InlinedQuantities, Interval, JoinedNames, Knowledge, LeafFrame, MatchedBy, MeasureChange,
    MissingCallers, NoiseSummary, ObjectFacts, OwnCostChange, Pair, PerOperation, PreparedSides, Program,
    Quantities, RenamedFunction, Row, RowField, RowFields, RowFunction, RowGap, RowInline, RowMatch,
    RunInput, RunSeconds, RunStacks, RunSummary, SINGLE_RUN_WAIT_CV, Sampled, SampledCall, SampledCalls,
    Seconds, Severity, SideFact, SideInput, SideLines, SideObject, SideSummary, Sides, SourceLine,
    StackLevel, ThreadTimes, TreeFrame, TreeFunction, TreeNode, TreeSettings, WaitChange, WaitNoise,
    WaitPlace, Waiting, WaitingGroup, WaitingSides, Waits, assumed_log_half, beside, compare,
    is_other_version, side_fact, waiting,
};
pub use filter::{Filters, KernelFilter, OnSide};
pub use findings::{
    Finding, FindingKind, FindingMember, FindingSetting, FindingSide, Findings, FindingsRest, KernelKind,
    KernelPart, KernelWork, is_kernel_object, is_system_library,
};
pub use gate::{Gate, GateError, GateOutcome, Trip};
pub use knowledge::{
    Aliases, Architectural, ArchitecturalRule, FunctionPlace, KnowledgeError, KnownSetting, Preset, Requests,
    SettingsKnowledge, SpinList, Subsystem, Subsystems, ThreadGroups, WaitList,
};
pub use normalize::{UNRESOLVED, is_nameless};
pub use packages::{PackageChange, package_changes};
pub use pattern::{Pattern, PatternError};
pub use plan::{
    Design, Doubt, Experiment, Forecast, NotPlanned, Plan, PlanError, PlanSettings, PlannedFactor,
    PlannedRun, WantedFactor, WhyNotPlanned,
};
pub use policy::{GroupBy, Inlines, Policy, Share, Templates, UnknownChoice};
pub use settings_diff::{
    AtDefault, FoldedSettings, MisleadingSetting, OneSidedSetting, SettingChange, SettingGate, SettingsDiff,
    settings_diff,
};
pub use side_by_side::{
    AlignedBy, BlockSide, BlockState, CodeBlock, CodeMeasure, CodeSide, CodeUnit, FunctionCode, SampledCode,
};
