//! The analysis of pdiff: pure functions from profiles to comparisons. Nothing is read, printed or remembered here.

#![forbid(unsafe_code)]

mod aggregate;
mod choose_event;
mod compare;
mod filter;
mod gate;
mod knowledge;
pub mod noise;
mod normalize;
mod objects;
mod pattern;
mod policy;
mod threads;

pub use choose_event::{EventError, choose_events};
pub use compare::{
    CompareSettings, Comparison, Cost, Fact, Gap, GapParts, Gravity, Knowledge, MatchedBy, NoiseSummary,
    ObjectFacts, Pair, Quantities, Row, RowMatch, RunInput, RunSummary, SideInput, SideSummary, Sides,
    compare,
};
pub use filter::{Filters, KernelFilter, OnSide};
pub use gate::{Gate, GateError, GateOutcome, Trip};
pub use knowledge::{Aliases, FunctionPlace, KnowledgeError, SpinList, Subsystems, ThreadGroups};
pub use normalize::UNRESOLVED;
pub use pattern::{Pattern, PatternError};
pub use policy::{GroupBy, Inlines, Policy, Share, UnknownChoice};
