//! The command line as the user types it: names, help and examples. Nothing is decided here; see `settings`.

mod attribute;
mod ci;
mod compare;
mod comparison;
mod completions;
mod counts;
mod debug_info;
mod flame;
mod gates;
mod inlines;
mod man;
mod numbers;
mod output;
mod pack;
mod plan;
mod recordings;
mod report;
mod script;
mod series;
mod server_settings;
mod short_help;
mod store;
mod symbolize;
mod verdicts;

use clap::{CommandFactory as _, Parser, Subcommand};

#[cfg(feature = "parquet")]
pub(crate) use attribute::AttributeFormat;
pub(crate) use attribute::{AttributeArgs, DesignArgs};
pub(crate) use ci::{Annotate, CiArgs};
pub(crate) use compare::CompareArgs;
pub(crate) use comparison::{ComparisonArgs, FilterArgs, NameArgs, ShareArgs, WaitArgs, WorkArgs};
pub(crate) use completions::CompletionsArgs;
pub(crate) use counts::{CountsArgs, CountsFormat};
pub(crate) use debug_info::{DebugInfoArgs, LookupArgs};
pub(crate) use flame::{AlignBy, ColorBy, FlameArgs, FlameFormat, PictureArgs, View};
pub(crate) use gates::{GateArgs, Inconclusive};
pub(crate) use inlines::{InlinesArgs, InlinesFormat};
pub(crate) use man::ManArgs;
pub(crate) use output::{ColorArgs, ColorChoice, FileArgs, Format, OutputArgs, ProgressArgs};
pub(crate) use pack::PackArgs;
pub(crate) use plan::{PlanArgs, PlanDesign, PlanFormat};
pub(crate) use recordings::{PairArgs, RecordingArgs};
pub(crate) use report::ReportArgs;
pub(crate) use script::ScriptArgs;
pub(crate) use series::SeriesArgs;
#[cfg(feature = "parquet")]
pub(crate) use series::SeriesFormat;
pub(crate) use server_settings::{ServerArgs, SettingsArgs, SettingsFormat};
pub(crate) use store::StoreArgs;
#[cfg(feature = "store")]
pub(crate) use store::{
    StoreAddArgs, StoreCheckArgs, StoreCommand, StorePruneArgs, StoreRunsArgs, StoreSumsArgs, SumsFormat,
};
pub(crate) use symbolize::{AddressFormat, AddressMeaning, SymbolizeArgs};
pub(crate) use verdicts::{
    ClassifyArgs, EvidenceArgs, ExamineArgs, ExplainArgs, ExplainFormat, RemarkArgs, SourceArgs,
};

impl Command {
    /// How its result is shown, if that is a page of a comparison.
    pub(crate) fn comparison_shown(&mut self) -> Option<&mut OutputArgs> {
        match self {
            Self::Compare(args) => Some(&mut args.output),
            Self::Classify(args) => Some(&mut args.output),
            _ => None,
        }
    }
}

/// The command line as clap knows it: `-h` shows what most people need, `--help` everything.
pub(crate) fn program() -> clap::Command {
    short_help::shorten(Cli::command(), std::env::args_os())
}

/// Compare CPU profiles of two builds of one program, and explain where a regression comes from.
#[derive(Parser, Debug)]
#[command(name = "pdiff", version, max_term_width = 100, after_help = EXAMPLES)]
pub(crate) struct Cli {
    #[command(subcommand)]
    pub(crate) command: Command,
}

const EXAMPLES: &str = "\
Examples:
  pdiff compare 57.perf 80.perf
  perf script -i after.data | pdiff compare before.perf -
  pdiff compare --before a1.perf a2.perf --after b1.perf b2.perf --by subsystem

The files are perf.data, its text, folded stacks, pprof profiles, flame graphs (SVG) or packs,
base first; gz, zst and xz are read as they are.
Data goes to standard output, everything else to standard error.
Exit status: 0 success, all gates passed; 1 a gate given with --fail-on failed;
2 wrong usage or input; 3 a gate cannot be judged.";

#[derive(Subcommand, Debug)]
pub(crate) enum Command {
    /// Compare two profiles function by function: what changed, beyond noise, and by how much.
    Compare(Box<CompareArgs>),
    /// Explain why functions changed: no longer inlined, new code, a lost fast path, and how certain that is.
    Classify(Box<ClassifyArgs>),
    /// Print everything known about one function: verdict, evidence, callers, hot lines.
    Explain(Box<ExplainArgs>),
    /// Draw a flame graph of one profile, or of the difference between two.
    Flame(Box<FlameArgs>),
    /// Write a comparison with verdicts and flame graph into one HTML file.
    Report(Box<ReportArgs>),
    /// Judge a change in a build pipeline: gates, a step summary, a comment, test results, a report.
    Ci(Box<CiArgs>),
    /// Pack a recording with its symbols into one small file, to compare it on another machine.
    Pack(Box<PackArgs>),
    /// Compare inlining in two binaries; needs no profile.
    Inlines(Box<InlinesArgs>),
    /// Compare the settings of two servers, the important ones first.
    Settings(SettingsArgs),
    /// Plan benchmark runs that show which setting causes a change, and predict their results from the profile.
    Plan(Box<PlanArgs>),
    /// Split the throughput gap between two builds among settings, from benchmark runs.
    Attribute(Box<AttributeArgs>),
    /// Compare several builds in order, and show in which build each cost appeared.
    Series(Box<SeriesArgs>),
    /// Keep runs of many builds and hosts in a directory of Parquet files, and compare any of them.
    Store(Box<StoreArgs>),
    /// Print the functions at addresses of a binary, including inlined ones.
    Symbolize(SymbolizeArgs),
    /// Print the samples of a recording as they were read, in the manner of perf script.
    Script(ScriptArgs),
    /// Print the calls that a tool counted, as pdiff reads them: callgrind, probes, branch records.
    Counts(CountsArgs),
    /// Print a completion script for a shell.
    Completions(CompletionsArgs),
    /// Write manual pages.
    Man(ManArgs),
}
