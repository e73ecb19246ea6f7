//! The arguments of `pdiff ci`.

use std::path::PathBuf;

use clap::{Args, ValueEnum, ValueHint};

use super::{ColorArgs, ExamineArgs, GateArgs, ProgressArgs, numbers};

const CI_EXAMPLES: &str = "\
Examples:
  pdiff ci --before base/*.data --after head/*.data --fail-on 'delta_self_pp > 0.5'
  pdiff ci --before base/*.data --after head/*.data --warn 'total:cost_change_pct > 1' \\
      --fail-on 'total:cost_change_pct > 3' --windows windows.tsv --null base/1.data base/2.data
  pdiff ci base.data head.data --fail-on 'function=^parse:delta_total_pp > 1' --dir out --name parser

Written to --dir: summary.md, comment.md (only if there is something to report), junit.xml, bencher.json,
comparison.json, annotations.txt and report.html. On GitHub, the summary is appended to the step's own and
annotations go to standard output.
Exit status: 0 passed, or warnings only; 1 a gate given with --fail-on failed; 2 wrong usage or input; 3 one of them
cannot be judged. docs/ci.md has pipelines for GitHub, GitLab and Jenkins.";

#[derive(Args, Debug)]
#[command(
    after_help = CI_EXAMPLES,
    mut_arg("inconclusive", |arg| arg.help("Exit status if a gate of --fail-on cannot be judged: as if it passed (0) or failed (1) [default: exit with status 3]"))
)]
pub(crate) struct CiArgs {
    #[command(flatten)]
    pub(crate) examined: ExamineArgs,
    #[command(flatten)]
    pub(crate) gates: GateArgs,
    /// Warn if a row matches, and exit with status 0; the form is that of --fail-on (repeatable)
    #[arg(long, value_name = "GATE", help_heading = "Gates")]
    pub(crate) warn: Vec<String>,
    /// Two or more recordings of the base build: gates are raised to the largest difference among these
    #[arg(
        long, value_name = "FILE", num_args = 2.., value_hint = ValueHint::FilePath, help_heading = "Gates"
    )]
    pub(crate) null: Vec<PathBuf>,
    /// Operations done in each of the recordings of --null, for gates on cost
    #[arg(long, value_name = "N", num_args = 1.., requires = "null", value_parser = numbers::amount, help_heading = "Gates")]
    pub(crate) operations_null: Vec<f64>,
    /// Directory for the files; created if missing
    #[arg(long, value_name = "DIR", value_hint = ValueHint::DirPath, default_value = "pdiff-ci", help_heading = "Output")]
    pub(crate) dir: PathBuf,
    /// Name of this check, in titles and in the marker of the comment
    #[arg(long, value_name = "TEXT", default_value = "pdiff", help_heading = "Output")]
    pub(crate) name: String,
    /// Print annotations for GitHub to standard output; auto: if GITHUB_ACTIONS is true
    #[arg(long, value_name = "WHEN", value_enum, default_value_t = Annotate::Auto, help_heading = "Output")]
    pub(crate) annotate: Annotate,
    /// Directory that the sources were compiled in; annotations name files below it [default: GITHUB_WORKSPACE]
    #[arg(long, value_name = "DIR", value_hint = ValueHint::DirPath, help_heading = "Output")]
    pub(crate) source_prefix: Option<String>,
    #[command(flatten)]
    pub(crate) color: ColorArgs,
    #[command(flatten)]
    pub(crate) progress: ProgressArgs,
}

#[derive(ValueEnum, Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum Annotate {
    Auto,
    Always,
    Never,
}
