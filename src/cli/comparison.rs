//! How recordings are compared: what the commands that compare have in common.

use std::path::PathBuf;

use clap::{Args, ValueHint};

use super::{DebugInfoArgs, numbers};

/// How recordings are compared, whatever is made of it.
#[derive(Args, Debug)]
pub(crate) struct ComparisonArgs {
    #[command(flatten)]
    pub(crate) filters: FilterArgs,
    #[command(flatten)]
    pub(crate) names: NameArgs,
    #[command(flatten)]
    pub(crate) debug_info: DebugInfoArgs,
    #[command(flatten)]
    pub(crate) work: WorkArgs,
    #[command(flatten)]
    pub(crate) shares: ShareArgs,
}

/// Which samples count. Shares are of what is left.
#[derive(Args, Debug)]
#[command(
    next_help_heading = "Filters (regular expressions; write before:REGEX or after:REGEX for one side)"
)]
pub(crate) struct FilterArgs {
    /// Keep only threads with this name (repeatable)
    #[arg(long, value_name = "REGEX")]
    pub(crate) comm: Vec<String>,
    /// Keep only these thread ids (repeatable, or comma-separated)
    #[arg(long, value_name = "TID", value_delimiter = ',')]
    pub(crate) tid: Vec<String>,
    /// Keep only threads of this group, named as in --by thread-group (repeatable)
    #[arg(long, value_name = "REGEX")]
    pub(crate) thread_group: Vec<String>,
    /// Keep only samples whose leaf is in this object (repeatable)
    #[arg(long, value_name = "REGEX")]
    pub(crate) dso: Vec<String>,
    /// Keep only this part of the recording: START,END in seconds, +START,+END from the first sample, or 10%-20%
    #[arg(long, value_name = "WINDOW", allow_hyphen_values = true)]
    pub(crate) time: Vec<String>,
    /// Keep only samples taken on these CPUs: 0-3,7
    #[arg(long, value_name = "LIST")]
    pub(crate) cpu: Vec<String>,
    /// Keep only samples of cgroups whose path matches, if the recording has cgroups (repeatable)
    #[arg(long, value_name = "REGEX")]
    pub(crate) cgroup: Vec<String>,
    /// Keep only samples whose stack contains this function (repeatable)
    #[arg(long, value_name = "REGEX")]
    pub(crate) stack_contains: Vec<String>,
    /// Keep only samples in the kernel
    #[arg(long, conflicts_with = "no_kernel")]
    pub(crate) kernel: bool,
    /// Keep only samples outside the kernel
    #[arg(long)]
    pub(crate) no_kernel: bool,
}

/// When functions of two builds are the same.
#[derive(Args, Debug)]
#[command(next_help_heading = "Names")]
pub(crate) struct NameArgs {
    /// How strictly to match function names: linkage, signature, qualified or loose
    #[arg(long = "match", value_name = "LEVEL", default_value = "qualified")]
    pub(crate) match_level: String,
    /// Renames between the builds (TOML), tried before the built-in ones (repeatable)
    #[arg(long, value_name = "FILE", value_hint = ValueHint::FilePath)]
    pub(crate) aliases: Vec<PathBuf>,
    /// Ignore the built-in renames
    #[arg(long)]
    pub(crate) no_builtin_aliases: bool,
    /// Whether inlined functions get their own rows: expand or collapse
    #[arg(long, value_name = "HOW", default_value = "expand")]
    pub(crate) inlines: String,
    /// Whether instances of a template, of generics or of type parameters get their own rows: keep or collapse
    #[arg(long, value_name = "HOW", default_value = "keep")]
    pub(crate) templates: String,
}

/// What was done while the recordings were made: for cost per operation and the gap.
#[derive(Args, Debug)]
#[command(next_help_heading = "Operations (one value per recording)")]
pub(crate) struct WorkArgs {
    /// Operations done during the base recording
    #[arg(long, value_name = "N", num_args = 1.., allow_negative_numbers = true, value_parser = numbers::amount)]
    pub(crate) operations_before: Vec<f64>,
    /// Operations done during the other recording
    #[arg(long, value_name = "N", num_args = 1.., allow_negative_numbers = true, value_parser = numbers::amount)]
    pub(crate) operations_after: Vec<f64>,
    /// Operations per second of the base side
    #[arg(long, value_name = "TPS", num_args = 1.., allow_negative_numbers = true, value_parser = numbers::amount)]
    pub(crate) tps_before: Vec<f64>,
    /// Operations per second of the other side
    #[arg(long, value_name = "TPS", num_args = 1.., allow_negative_numbers = true, value_parser = numbers::amount)]
    pub(crate) tps_after: Vec<f64>,
    /// CPU seconds that the base process used; weights are scaled to match
    #[arg(long, value_name = "S", num_args = 1.., allow_negative_numbers = true, value_parser = numbers::amount)]
    pub(crate) cpu_seconds_before: Vec<f64>,
    /// CPU seconds that the process of the other side used; weights are scaled to match
    #[arg(long, value_name = "S", num_args = 1.., allow_negative_numbers = true, value_parser = numbers::amount)]
    pub(crate) cpu_seconds_after: Vec<f64>,
    /// Operations, throughput and CPU seconds of all recordings, by file stem (tab separated; columns capture, operations,
    /// tps, cpu_seconds, window_s). These CPU seconds show how much of the window the samples cover; they scale no weights
    #[arg(long, value_name = "FILE", value_hint = ValueHint::FilePath)]
    pub(crate) windows: Option<PathBuf>,
}

/// Recordings of waiting.
#[derive(Args, Debug)]
#[command(next_help_heading = "Waiting (perf record -a -e sched:sched_switch --call-graph dwarf,4096)")]
pub(crate) struct WaitArgs {
    /// Recordings of waiting of the base build under the same load: perf.data or text with sched:sched_switch, or folded
    /// stacks of offcputime (docs/waiting.md)
    #[arg(long, value_name = "FILE", value_hint = ValueHint::FilePath, num_args = 1.., requires = "waits_after")]
    pub(crate) waits_before: Vec<PathBuf>,
    /// The same of the other build
    #[arg(long, value_name = "FILE", value_hint = ValueHint::FilePath, num_args = 1.., requires = "waits_before")]
    pub(crate) waits_after: Vec<PathBuf>,
    /// Functions that wait for their callers, and where idle threads wait (TOML), instead of the built-in list
    #[arg(long, value_name = "FILE", value_hint = ValueHint::FilePath, requires = "waits_before")]
    pub(crate) wait_list: Option<PathBuf>,
}

/// What rows and shares are.
#[derive(Args, Debug)]
#[command(next_help_heading = "Rows and shares")]
pub(crate) struct ShareArgs {
    /// What 100 % is: all samples, the row's object, its thread-group, or work (without busy waiting and idle)
    #[arg(long, value_name = "WHAT", default_value = "all")]
    pub(crate) denominator: String,
    /// One row per: function, object, comm, thread-group, subsystem, file or directory
    #[arg(long, value_name = "WHAT", default_value = "function")]
    pub(crate) by: String,
    /// Rules for parts of the program (TOML), tried before the built-in ones
    #[arg(long, value_name = "FILE", value_hint = ValueHint::FilePath)]
    pub(crate) subsystems: Option<PathBuf>,
    /// Rules for thread groups (TOML), instead of the built-in ones
    #[arg(long, value_name = "FILE", value_hint = ValueHint::FilePath)]
    pub(crate) thread_groups: Option<PathBuf>,
    /// Functions that busy-wait (TOML), instead of the built-in list
    #[arg(long, value_name = "FILE", value_hint = ValueHint::FilePath)]
    pub(crate) spin_list: Option<PathBuf>,
    /// Run-to-run variation to assume, in percent [default: 12 with one recording per side, 8 in addition to what repeated recordings show]
    #[arg(long, value_name = "PERCENT", allow_negative_numbers = true, value_parser = numbers::variation)]
    pub(crate) assumed_cv: Option<f64>,
    /// Smallest change that matters, in points of share; 0 shows every change beyond noise
    #[arg(long, value_name = "POINTS", default_value_t = 0.1, allow_negative_numbers = true, value_parser = numbers::percent)]
    pub(crate) floor_pp: f64,
    /// Smallest change that matters, in percent of the function's larger share
    #[arg(long, value_name = "PERCENT", default_value_t = 10.0, allow_negative_numbers = true, value_parser = numbers::percent)]
    pub(crate) floor_relative: f64,
    /// Highest accepted share of false discoveries among significant rows
    #[arg(long, value_name = "RATE", default_value_t = 0.05, allow_negative_numbers = true, value_parser = numbers::rate)]
    pub(crate) fdr: f64,
}
