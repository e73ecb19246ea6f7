//! pdiff as a library: read recordings, symbolise them, compare them.
//!
//! ```no_run
//! use pdiff::{Build, By, Comparer};
//!
//! let prepared = Comparer::new()
//!     .before(Build::recordings(["57.perf"]).binary("57/bin/mysqld"))
//!     .after(Build::recordings(["80.perf"]).binary("80/bin/mysqld"))
//!     .prepare()?;
//! for row in prepared.compare(By::Function).rows.iter().filter(|row| row.significant) {
//!     println!("{:+.2} points  {}", row.delta_self_pp(), row.name);
//! }
//! # Ok::<(), pdiff::Error>(())
//! ```
//!
//! The types of this crate describe what is read and how. The contents of a comparison come from `pdiff-analysis`, and each
//! package below has a module here.

#![forbid(unsafe_code)]

mod binary;
mod binary_facts;
mod branch_counts;
mod build;
mod build_series;
mod call_levels;
mod code_paths;
mod comparer;
mod error;
mod evidence;
#[cfg(feature = "output")]
mod firefox;
mod function_code;
mod inferred_names;
mod lookup;
mod packer;
mod plan;
mod pprof;
mod prepared;
mod progress;
mod read;
mod recording;
mod samples;
mod sides;
#[cfg(feature = "store")]
mod stored_runs;
#[cfg(feature = "store")]
mod summed_runs;
mod verdicts;
mod waits;
#[cfg(feature = "output")]
mod write;

pub use binary::Binary;
pub use binary_facts::BinaryFacts;
pub use branch_counts::{BranchCounter, BranchCounts};
pub use build::Build;
pub use build_series::{ReadSeries, Series};
pub use comparer::Comparer;
pub use error::Error;
pub use lookup::Lookup;
pub use packer::Packer;
pub use pprof::PprofView;
pub use prepared::Prepared;
pub use progress::{Progress, Warning};
pub use recording::{Recording, stem};
pub use samples::{SampleReader, Samples};
#[cfg(feature = "store")]
pub use stored_runs::{RunFiling, UNKNOWN_HOST, check_store, store_run};
#[cfg(feature = "store")]
pub use summed_runs::summed_recording;
pub use verdicts::Verdicts;
#[cfg(feature = "parquet")]
pub use write::write_parquet;
#[cfg(feature = "output")]
pub use write::{
    write_csv, write_json, write_markdown, write_parts_csv, write_table, write_verdicts_csv,
    write_verdicts_json, write_verdicts_markdown, write_verdicts_table,
};

pub use pdiff_analysis::GroupBy as By;
pub use pdiff_analysis::{
    Aliases, Align, AlignedBy, Architectural, ArchitecturalRule, AtDefault, BlockSide, BlockState,
    CPU_SCALE_TOLERANCE, CallTree, CodeBlock, CodeMeasure, CodeSide, CodeUnit, CompareSettings, Comparison,
    Cost, CostChange, CostExtent, Design, Doubt, EventError, Experiment, Family, FieldGroup, FieldValue,
    Filters, Finding, FindingKind, FindingMember, FindingSetting, FindingSide, FindingWaits, Findings,
    FindingsRest, FoldedSettings, Forecast, FrameChange, FrameChanges, FrameWeight, FunctionCode,
    FunctionLines, FunctionPlace, Gap, GapParts, Gate, GateError, GateOutcome, GroupBy, HotLine,
    InlineChange, InlineFlip, InlinedInto, InlinedQuantities, Inlines, JoinedNames, KernelFilter, KernelKind,
    KernelPart, KernelWork, Knowledge, KnowledgeError, KnownSetting, MatchedBy, MeasureChange,
    MisleadingSetting, NoiseSummary, NotPlanned, ObjectFacts, OnSide, OneSidedSetting, Pair, Pattern,
    PatternError, PerOperation, Plan, PlanError, PlanSettings, PlannedFactor, PlannedRun, Policy,
    PreparedSides, Preset, Program, Quantities, RenamedFunction, Row, RowField, RowFunction, RowGap,
    RowInline, RowMatch, RunInput, RunSeconds, RunSummary, Sampled, SampledCall, SampledCalls, Seconds,
    SettingChange, SettingGate, SettingsDiff, SettingsKnowledge, Severity, Share, SideFact, SideInput,
    SideLines, SideObject, SideSummary, Sides, SourceLine, SpinList, Subsystem, Subsystems, Templates,
    ThreadGroups, ThreadTimes, TreeFrame, TreeFunction, TreeNode, TreeSettings, Trip, UNRESOLVED,
    UnknownChoice, WaitChange, WaitList, WaitNoise, WaitPlace, Waiting, WaitingGroup, Waits, WantedFactor,
    WhyNotPlanned, assumed_log_half, beside, choose_events, classify, compare, inlines, is_kernel_object,
    is_other_version, matching, noise, settings_diff, side_fact,
};
pub use pdiff_ingest::{
    CpuList, Error as ReadError, ReadOptions, Source, TimeWindow, Windows, is_pack, is_packed, is_perf_data,
    parse_counts, parse_inline_remarks, parse_settings, read_pack, read_profile, write_packed,
};
pub use pdiff_profile as profile;
#[cfg(feature = "output")]
pub use pdiff_render as render;
#[cfg(feature = "store")]
pub use pdiff_store as store;
#[cfg(feature = "study")]
pub use pdiff_study as study;
pub use pdiff_symbolize as symbolize;
