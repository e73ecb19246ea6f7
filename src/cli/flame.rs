//! The arguments of `pdiff flame`.

use clap::{Args, ValueEnum};

use super::{ComparisonArgs, FileArgs, ProgressArgs, RecordingArgs, numbers};

const FLAME_EXAMPLES: &str = "\
Examples:
  pdiff flame 80.perf -o 80.svg
  pdiff flame --diff 57.perf 80.perf -o diff.svg
  pdiff flame --diff 57.perf 80.perf --view gone -o gone.svg
  pdiff flame --diff 57.perf 80.perf --reverse --focus '^ut_delay$' -o who-waits.svg
  pdiff flame --diff 57.perf 80.perf --format folded | inferno-flamegraph > leaves.svg
  pdiff flame --diff 57.perf 80.perf --format pprof -o diff.pb.gz && go tool pprof -top diff.pb.gz
  pdiff flame --diff 57.perf 80.perf --format firefox -o diff.json.gz

Blue is less, orange is more, grey is no more than noise; hatched frames are on one side only.
profiler.firefox.com opens what --format firefox writes (Load a profile from file).
docs/flame.md explains widths and colours.";

/// One profile is no comparison.
const BEFORE: &str = "Recording: perf.data, its text, folded stacks, pprof, a flame graph (SVG) or a pack; - for standard input; of two, that of the base build";
const EVENT: &str = "Event to draw [default: the heaviest event like cycles that all recordings have]";

#[derive(Args, Debug)]
#[command(
    after_help = FLAME_EXAMPLES,
    mut_arg("before", |before| before.help(BEFORE)),
    mut_arg("event", |event| event.help(EVENT)),
    mut_arg("by", |by| by.hide(true))
)]
pub(crate) struct FlameArgs {
    /// Compare two recordings (implied if two are given)
    #[arg(long, help_heading = "Input")]
    pub(crate) diff: bool,
    #[command(flatten)]
    pub(crate) inputs: RecordingArgs,
    #[command(flatten)]
    pub(crate) picture: PictureArgs,
    #[command(flatten)]
    pub(crate) comparison: ComparisonArgs,
    /// Output format: svg, folded stacks for other tools (two weights for two sides), pprof (two sides as
    /// its own difference), firefox for profiler.firefox.com (two sides as two processes), or json
    #[arg(long, value_name = "FORM", value_enum, default_value_t = FlameFormat::Svg, help_heading = "Output")]
    pub(crate) format: FlameFormat,
    #[command(flatten)]
    pub(crate) file: FileArgs,
    #[command(flatten)]
    pub(crate) progress: ProgressArgs,
}

/// What holds the stacks of both sides together.
#[derive(ValueEnum, Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum AlignBy {
    /// Functions that both sides ran; what one side alone ran is drawn inside them.
    Anchors,
    /// Equal callers.
    Exact,
}

/// What the picture shows.
#[derive(Args, Debug)]
#[command(next_help_heading = "Picture")]
pub(crate) struct PictureArgs {
    /// Side to draw; gone: stacks that only Before has [default: after; folded: both]
    #[arg(long, value_name = "SIDE", value_enum)]
    pub(crate) view: Option<View>,
    /// Measure that decides the colour of a frame
    #[arg(long, value_name = "MEASURE", value_enum, default_value_t = ColorBy::Total)]
    pub(crate) color: ColorBy,
    /// Colour by cost per operation instead of share; needs operations on both sides
    #[arg(long)]
    pub(crate) operations: bool,
    /// Align stacks at functions that both sides ran, or only at equal callers [default: anchors; folded, json,
    /// --reverse: exact]
    #[arg(long, value_name = "HOW", value_enum)]
    pub(crate) align: Option<AlignBy>,
    /// Draw callers on top of leaf functions
    #[arg(long)]
    pub(crate) reverse: bool,
    /// Keep only stacks with a matching function, starting there
    #[arg(long, value_name = "REGEX")]
    pub(crate) focus: Option<String>,
    /// Group stacks by the subsystem of their leaf
    #[arg(long)]
    pub(crate) by_subsystem: bool,
    /// Merge frames narrower than this on both sides, in percent of all samples [default: 0.05; folded, json: 0]
    #[arg(long, value_name = "PERCENT", allow_negative_numbers = true, value_parser = numbers::percent)]
    pub(crate) min_width: Option<f64>,
    /// Title of the picture [default: the labels of both sides]
    #[arg(long, value_name = "TEXT")]
    pub(crate) title: Option<String>,
    /// Leave verdicts out of the titles; with binaries, verdicts take some seconds
    #[arg(long)]
    pub(crate) no_verdicts: bool,
}

#[derive(ValueEnum, Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum FlameFormat {
    Svg,
    Folded,
    Pprof,
    Firefox,
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
