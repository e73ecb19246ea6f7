//! The command line as the user types it: names, help and examples. Nothing is decided here; see `settings`.

mod attribute;
mod compare;
mod comparison;
mod completions;
mod debug_info;
mod flame;
mod inlines;
mod man;
mod numbers;
mod output;
mod pack;
mod recordings;
mod report;
mod series;
mod server_settings;
mod symbolize;
mod verdicts;

use clap::{Parser, Subcommand};

pub(crate) use attribute::{AttributeArgs, AttributeFormat, DesignArgs};
pub(crate) use compare::CompareArgs;
pub(crate) use comparison::{ComparisonArgs, FilterArgs, NameArgs, ShareArgs, WorkArgs};
pub(crate) use completions::CompletionsArgs;
pub(crate) use debug_info::{DebugInfoArgs, LookupArgs};
pub(crate) use flame::{ColorBy, FlameArgs, FlameFormat, PictureArgs, View};
pub(crate) use inlines::{InlinesArgs, InlinesFormat};
pub(crate) use man::ManArgs;
pub(crate) use output::{ColorArgs, ColorChoice, FileArgs, Format, OutputArgs, ProgressArgs};
pub(crate) use pack::PackArgs;
pub(crate) use recordings::{PairArgs, RecordingArgs};
pub(crate) use report::ReportArgs;
pub(crate) use series::{SeriesArgs, SeriesFormat};
pub(crate) use server_settings::{ServerArgs, SettingsArgs, SettingsFormat};
pub(crate) use symbolize::{AddressFormat, SymbolizeArgs};
pub(crate) use verdicts::{ClassifyArgs, ExamineArgs, ExplainArgs, ExplainFormat};

/// Where a performance regression comes from: compares CPU profiles of two builds of one program.
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

The files are perf.data, its text, folded stacks or packs, base first; gz, zst and xz are read as
they are.
Data goes to standard output, all else to standard error.
Exit status: 0 ran; 1 a gate given with --fail-on tripped; 2 usage or input trouble; 3 gates inconclusive.";

#[derive(Subcommand, Debug)]
pub(crate) enum Command {
    /// Show how CPU moved between two builds, function by function.
    Compare(Box<CompareArgs>),
    /// Say why functions cost more: inlining lost, new code, a fast path missed, and how sure that is.
    Classify(Box<ClassifyArgs>),
    /// Print everything that is known of one function on both sides.
    Explain(Box<ExplainArgs>),
    /// Draw one profile, or how two differ, as a flame graph.
    Flame(Box<FlameArgs>),
    /// Write everything about two profiles into one HTML file.
    Report(Box<ReportArgs>),
    /// Write one recording with its functions and inline chains into one small file, to compare elsewhere.
    Pack(Box<PackArgs>),
    /// Show what changed in inlining between two binaries, without any profile.
    Inlines(Box<InlinesArgs>),
    /// Show how the settings of two servers differ, those that matter first.
    Settings(SettingsArgs),
    /// Attribute the gap to settings, from benchmark runs.
    Attribute(Box<AttributeArgs>),
    /// Show many builds in order: relative throughput, and in which build each cost arrived.
    Series(Box<SeriesArgs>),
    /// Print the functions at addresses of a binary, inlined ones included.
    Symbolize(SymbolizeArgs),
    /// Print a completion script for a shell.
    Completions(CompletionsArgs),
    /// Write the manual pages.
    Man(ManArgs),
}
