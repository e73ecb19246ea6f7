//! Verdicts on small profiles and small builds: one case a cause, and cases where the right answer is to abstain.

#![expect(clippy::unwrap_used, reason = "a test that cannot go on may panic")]

#[expect(dead_code, reason = "verdicts need profiles and sides, not comparisons")]
#[path = "../support/mod.rs"]
mod support;

mod abstaining;
mod build;
mod called_more;
mod causes;
mod changed_callees;
mod code_differences;
mod consequences;
mod copies;
mod costs_by_calls;
mod counted;
mod doubts;
mod early_returns;
mod edges;
mod fast_paths;
mod fewer_ways;
mod goes_on_always;
mod in_between;
mod laws;
mod left_conditions;
mod left_copies;
mod less_code;
mod lost_checks;
mod lost_frames;
mod moved_calls;
mod no_fast_path;
mod own_work;
mod partial_flips;
mod parts;
mod per_operation;
mod pointer_flips;
mod quick_ways;
mod replaced_in_code;
mod same_code;
mod settings;
mod shared_callers;
mod shifts;
mod successors;
mod ways;
mod written_anew;
