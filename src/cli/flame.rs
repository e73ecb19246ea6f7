//! The arguments of `pdiff flame`.

use std::num::NonZeroUsize;
use std::path::PathBuf;

use clap::{Args, ValueEnum, ValueHint};

use super::{DebugInfoArgs, FilterArgs, NameArgs, ShareArgs, WorkArgs};

const FLAME_EXAMPLES: &str = "\
Examples:
  pdiff flame 80.perf -o 80.svg
  pdiff flame --diff 57.perf 80.perf -o diff.svg
  pdiff flame --diff 57.perf 80.perf --view gone -o gone.svg
  pdiff flame --diff 57.perf 80.perf --reverse --focus '^ut_delay$' -o who-waits.svg
  pdiff flame --diff 57.perf 80.perf --format folded | inferno-flamegraph > leaves.svg

Blue is less, orange is more, grey is no more than noise; hatched frames are on one side only.
docs/flame.md says what widths and colours mean.";

#[derive(Args, Debug)]
#[command(after_help = FLAME_EXAMPLES)]
pub(crate) struct FlameArgs {
    #[command(flatten)]
    pub(crate) inputs: FlameInputArgs,
    #[command(flatten)]
    pub(crate) picture: PictureArgs,
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
    /// Form of the result: a picture, folded stacks for other tools (two columns of weights for two sides), or json
    #[arg(long, value_name = "FORM", value_enum, default_value_t = FlameFormat::Svg, help_heading = "Output")]
    pub(crate) format: FlameFormat,
    /// Write to this file instead of standard output
    #[arg(short, long, value_name = "FILE", value_hint = ValueHint::FilePath, help_heading = "Output")]
    pub(crate) output: Option<PathBuf>,
    /// No progress bar
    #[arg(short, long, help_heading = "Output")]
    pub(crate) quiet: bool,
    /// Print time, bytes and peak memory of each stage to standard error
    #[arg(long, help_heading = "Output")]
    pub(crate) timings: bool,
}

/// What to draw.
#[derive(Args, Debug)]
#[command(next_help_heading = "Input")]
pub(crate) struct FlameInputArgs {
    /// Recording: text of `perf script`, or - for standard input; with --diff that of the base build
    #[arg(value_name = "BEFORE", value_hint = ValueHint::FilePath, required_unless_present = "before_runs")]
    pub(crate) before: Option<PathBuf>,
    /// Recording of the build compared with it
    #[arg(value_name = "AFTER", value_hint = ValueHint::FilePath)]
    pub(crate) after: Option<PathBuf>,
    /// Compare two recordings; two names alone mean the same
    #[arg(long)]
    pub(crate) diff: bool,
    /// Several recordings of the base build, as replicates
    #[arg(long = "before", value_name = "FILE", num_args = 1.., value_hint = ValueHint::FilePath,
          conflicts_with = "before")]
    pub(crate) before_runs: Vec<PathBuf>,
    /// Several recordings of the build compared with it, as replicates
    #[arg(long = "after", value_name = "FILE", num_args = 1.., value_hint = ValueHint::FilePath,
          conflicts_with = "after", requires = "before_runs")]
    pub(crate) after_runs: Vec<PathBuf>,
    /// What to call the base side [default: the stem of its first file]
    #[arg(long, value_name = "TEXT")]
    pub(crate) label_before: Option<String>,
    /// What to call the other side [default: the stem of its first file]
    #[arg(long, value_name = "TEXT")]
    pub(crate) label_after: Option<String>,
    /// Event to draw [default: the heaviest event like cycles that all recordings have]
    #[arg(long, value_name = "NAME")]
    pub(crate) event: Option<String>,
    /// Go on even if more than 1 % of the lines cannot be parsed
    #[arg(long)]
    pub(crate) lenient: bool,
    /// Worker threads [default: one a core]; the result does not depend on it
    #[arg(long, value_name = "N")]
    pub(crate) threads: Option<NonZeroUsize>,
}

/// What the picture shows.
#[derive(Args, Debug)]
#[command(next_help_heading = "Picture")]
pub(crate) struct PictureArgs {
    /// Which side is drawn; gone is what only Before has [default: after; folded: both]
    #[arg(long, value_name = "SIDE", value_enum)]
    pub(crate) view: Option<View>,
    /// Which measure of a frame gives its colour
    #[arg(long, value_name = "MEASURE", value_enum, default_value_t = ColorBy::Total)]
    pub(crate) color: ColorBy,
    /// Colour by cost per operation instead of share; operations must be known on both sides
    #[arg(long)]
    pub(crate) operations: bool,
    /// Leaf functions at the root, their callers on them
    #[arg(long)]
    pub(crate) reverse: bool,
    /// Only stacks with such a function, from it on
    #[arg(long, value_name = "REGEX")]
    pub(crate) focus: Option<String>,
    /// The subsystems of the leaf functions as lowest frames
    #[arg(long)]
    pub(crate) by_subsystem: bool,
    /// Frames narrower than this on both sides are drawn as one; percent of all samples [default: 0.05; folded, json: 0]
    #[arg(long, value_name = "PERCENT")]
    pub(crate) min_width: Option<f64>,
    /// First line of the picture [default: the labels of both sides]
    #[arg(long, value_name = "TEXT")]
    pub(crate) title: Option<String>,
    /// Leave verdicts out of the frames' titles; with binaries they take some seconds
    #[arg(long)]
    pub(crate) no_verdicts: bool,
}

#[derive(ValueEnum, Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum FlameFormat {
    Svg,
    Folded,
    Json,
}

#[derive(ValueEnum, Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum View {
    After,
    Before,
    Gone,
    Both,
}

#[derive(ValueEnum, Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum ColorBy {
    #[value(name = "self")]
    OwnSelf,
    Total,
}
