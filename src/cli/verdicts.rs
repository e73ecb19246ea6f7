//! The arguments of `pdiff classify` and `pdiff explain`.

use std::path::PathBuf;

use clap::{Args, ValueEnum, ValueHint};

use super::numbers;
use super::{ColorArgs, ComparisonArgs, FileArgs, GateArgs, OutputArgs, PairArgs, ServerArgs};

const CLASSIFY_EXAMPLES: &str = "\
Examples:
  pdiff classify 57.perf 80.perf --binary-before 57/mysqld --binary-after 80/mysqld --inline-check
  pdiff classify --before a1.perf a2.perf --after b1.perf b2.perf --all --top 0
  pdiff classify 57.perf 80.perf --format json | jq '.verdicts[] | select(.confidence==\"proved\")'

Proofs of inlining and of new code come from the binaries: give unstripped ones, or their debug
files.
docs/verdicts.md describes each rule.";

const CLASSIFY_FORMS: &str = "Output format: table, markdown, json, csv or parts-csv; json and csv have every function, parts-csv the parts of the change";

/// Why functions cost more: by the parts of the change, or by cause.
#[derive(Args, Debug)]
#[command(
    after_help = CLASSIFY_EXAMPLES,
    mut_arg("format", |format| format.help(CLASSIFY_FORMS).hide_possible_values(true)),
    mut_arg("sort", |sort| sort.hide(true)),
    mut_arg("top", |top| {
        top.default_value("10").help("Functions outside the parts, or per cause with --all; 0 shows all")
    })
)]
pub(crate) struct ClassifyArgs {
    #[command(flatten)]
    pub(crate) examined: ExamineArgs,
    /// List functions by cause, not by part of the change (table and markdown)
    #[arg(long, help_heading = "Output")]
    pub(crate) all: bool,
    #[command(flatten)]
    pub(crate) output: OutputArgs,
    #[command(flatten)]
    pub(crate) gates: GateArgs,
}

/// What verdicts are made of. They are on functions by their qualified names, with inlines expanded.
#[derive(Args, Debug)]
#[command(
    mut_arg("by", |by| by.hide(true)),
    mut_arg("match_level", |level| level.hide(true)),
    mut_arg("inlines", |inlines| inlines.hide(true)),
    mut_arg("templates", |templates| templates.hide(true))
)]
pub(crate) struct ExamineArgs {
    #[command(flatten)]
    pub(crate) inputs: PairArgs,
    #[command(flatten)]
    pub(crate) evidence: EvidenceArgs,
    #[command(flatten)]
    pub(crate) comparison: ComparisonArgs,
    #[command(flatten)]
    pub(crate) servers: ServerArgs,
}

/// What verdicts may rest on.
#[derive(Args, Debug)]
#[command(next_help_heading = "Evidence")]
pub(crate) struct EvidenceArgs {
    /// Require debug information as proof for every claim about inlining; otherwise say "unclear" and what is missing
    #[arg(long)]
    pub(crate) inline_check: bool,
    /// Costs inherent in the new design (TOML), instead of the built-in list
    #[arg(long, value_name = "FILE", value_hint = ValueHint::FilePath)]
    pub(crate) architectural: Option<PathBuf>,
    /// Calls per operation: function or `caller -> callee`, before, after; tab-separated (docs/verdicts.md)
    #[arg(long, value_name = "FILE", value_hint = ValueHint::FilePath)]
    pub(crate) counts: Option<PathBuf>,
    /// Counted calls of the base build: callgrind, branch records (perf.data or text), bpftrace, funccount, perf stat or a table
    /// (docs/verdicts.md); several files are added up
    #[arg(long, value_name = "FILE", value_hint = ValueHint::FilePath, num_args = 1.., requires = "counts_after", conflicts_with = "counts")]
    pub(crate) counts_before: Vec<PathBuf>,
    /// The same for the other build
    #[arg(long, value_name = "FILE", value_hint = ValueHint::FilePath, num_args = 1.., requires = "counts_before", conflicts_with = "counts")]
    pub(crate) counts_after: Vec<PathBuf>,
    /// Operations done while the calls of the base build were counted; without it, both counts must be of the same work
    #[arg(long, value_name = "N", value_parser = numbers::amount, requires_all = ["counts_before", "counts_operations_after"])]
    pub(crate) counts_operations_before: Option<f64>,
    /// The same for the other build
    #[arg(long, value_name = "N", value_parser = numbers::amount, requires_all = ["counts_after", "counts_operations_before"])]
    pub(crate) counts_operations_after: Option<f64>,
    #[command(flatten)]
    pub(crate) remarks: RemarkArgs,
}

/// What the compilers said.
#[derive(Args, Debug)]
pub(crate) struct RemarkArgs {
    /// What the compiler of the base build reported about inlining: GCC's -fopt-info-inline-optimized-missed, or Clang's
    /// -fsave-optimization-record (docs/inlines.md)
    #[arg(long, value_name = "FILE", value_hint = ValueHint::FilePath, num_args = 1.., help_heading = "Evidence")]
    pub(crate) remarks_before: Vec<PathBuf>,
    /// The same for the other build
    #[arg(long, value_name = "FILE", value_hint = ValueHint::FilePath, num_args = 1.., help_heading = "Evidence")]
    pub(crate) remarks_after: Vec<PathBuf>,
}

const EXPLAIN_EXAMPLES: &str = "\
Examples:
  pdiff explain 57.perf 80.perf cmp_dtuple_rec_with_match_low
  pdiff explain 57.perf 80.perf info_low --binary-before 57/bin/mysqld --binary-after 80/bin/mysqld
  pdiff explain 57.perf 80.perf '#1'
  pdiff explain 57.perf 80.perf cmp_data --code --binary-before 57/mysqld --binary-after 80/mysqld
  pdiff explain 57.perf 80.perf 'ReadView::' --source-root-before src/57 --source-root-after src/80
  pdiff explain --before a1.perf a2.perf --after b1.perf b2.perf --function info_low --format json";

/// Where the source of both builds is.
#[derive(Args, Debug)]
pub(crate) struct SourceArgs {
    /// Source directory of both builds, to print hot lines; reads no file outside it
    #[arg(long, value_name = "DIR", value_hint = ValueHint::DirPath, help_heading = "Source")]
    pub(crate) source_root: Option<PathBuf>,
    /// Source directory of the base build
    #[arg(long, value_name = "DIR", value_hint = ValueHint::DirPath, help_heading = "Source")]
    pub(crate) source_root_before: Option<PathBuf>,
    /// Source directory of the other build
    #[arg(long, value_name = "DIR", value_hint = ValueHint::DirPath, help_heading = "Source")]
    pub(crate) source_root_after: Option<PathBuf>,
}

#[derive(Args, Debug)]
#[command(after_help = EXPLAIN_EXAMPLES)]
pub(crate) struct ExplainArgs {
    #[command(flatten)]
    pub(crate) examined: ExamineArgs,
    /// Qualified name of the function, its last part, or a regular expression; or a part of the change, such as #1
    #[arg(index = 3, value_name = "FUNC", required_unless_present_any = ["named", "after_runs"], help_heading = None::<&str>)]
    pub(crate) function: Option<String>,
    /// Name of the function, if recordings are given with --before and --after
    #[arg(long = "function", value_name = "NAME", conflicts_with = "function", help_heading = "Input")]
    pub(crate) named: Option<String>,
    #[command(flatten)]
    pub(crate) source: SourceArgs,
    /// Hot lines per side in text and markdown; 0 shows all
    #[arg(long, value_name = "N", default_value_t = 10, help_heading = "Source")]
    pub(crate) lines: usize,
    /// Show the machine code of both builds side by side with its samples: this many code blocks, the largest changes
    /// first; 0 shows all (docs/proof.md) [default with --code: 5]
    #[arg(long, value_name = "BLOCKS", num_args = 0..=1, require_equals = true, default_missing_value = "5", help_heading = "Source")]
    pub(crate) code: Option<usize>,
    /// Output format
    #[arg(long, value_name = "FORM", value_enum, default_value_t = ExplainFormat::Text, help_heading = "Output")]
    pub(crate) format: ExplainFormat,
    #[command(flatten)]
    pub(crate) file: FileArgs,
    #[command(flatten)]
    pub(crate) color: ColorArgs,
    /// Hide the progress bar
    #[arg(short, long, help_heading = "Output")]
    pub(crate) quiet: bool,
}

impl ExplainArgs {
    /// `--after b1.perf b2.perf NAME`: clap takes the name for one more recording. What is no file is the name.
    pub(crate) fn take_name_from_recordings(&mut self) {
        let runs = &mut self.examined.inputs.recordings.after_runs;
        let is_named = self.function.is_some() || self.named.is_some();
        if !is_named && runs.len() > 1 && runs.last().is_some_and(|run| !run.exists()) {
            self.function = runs.pop().map(|name| name.to_string_lossy().into_owned());
        }
    }
}

#[derive(ValueEnum, Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum ExplainFormat {
    Text,
    Markdown,
    Json,
}
