//! The command line as the user types it: names, help and examples. Nothing is decided here; see `settings`.

mod attribute;
mod flame;
mod report;
mod series;
mod server_settings;
mod verdicts;

use std::num::NonZeroUsize;
use std::path::PathBuf;

use clap::{ArgAction, Args, Parser, Subcommand, ValueEnum, ValueHint};

pub(crate) use attribute::{AttributeArgs, AttributeFormat, DesignArgs};
pub(crate) use flame::{ColorBy, FlameArgs, FlameFormat, PictureArgs, View};
pub(crate) use report::ReportArgs;
pub(crate) use series::{SeriesArgs, SeriesFormat};
pub(crate) use server_settings::{ServerArgs, SettingsArgs, SettingsFormat};
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

The files are text of `perf script` (gz, zst and xz are read as they are), base first.
Data goes to standard output, all else to standard error.
Exit status: 0 ran; 1 a gate given with --fail-on tripped; 2 usage or input trouble.";

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
    /// Say what each setting makes of the gap, from benchmark runs.
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

const COMPARE_EXAMPLES: &str = "\
Examples:
  pdiff compare 57.perf 80.perf --top 20
  pdiff compare --before a1.perf a2.perf --after b1.perf b2.perf --by subsystem
  pdiff compare 57.perf 80.perf --tps-before 69818 --tps-after 47509 --dso mysqld
  pdiff compare 57.perf 80.perf --format json | jq '.functions[] | select(.significant) | .name'
  pdiff compare main.perf branch.perf --fail-on 'delta_self_pp > 0.5'

Shares are percent of the denominator, changes are points (after minus before; positive is more).
A `~` stands where the change is not more than noise.";

#[derive(Args, Debug)]
#[command(after_help = COMPARE_EXAMPLES)]
pub(crate) struct CompareArgs {
    #[command(flatten)]
    pub(crate) inputs: PairArgs,
    #[command(flatten)]
    pub(crate) comparison: ComparisonArgs,
    #[command(flatten)]
    pub(crate) servers: ServerArgs,
    #[command(flatten)]
    pub(crate) output: OutputArgs,

    /// Exit with status 1 if a row trips this gate: '[all:][SCOPE:]FIELD OP NUMBER' (repeatable)
    ///
    /// FIELD is a number of a row as in --format json (delta_self_pp, delta_total_pp, q_value, gap_share_pct, ...); OP is one
    /// of > >= < <= == !=; SCOPE is any, function=REGEX, object=REGEX, subsystem=NAME or total. Only significant rows
    /// count unless `all:` stands in front.
    #[arg(long, value_name = "GATE", help_heading = "Gates")]
    pub(crate) fail_on: Vec<String>,
}

/// Two sides: each has recordings.
#[derive(Args, Debug)]
#[command(
    mut_arg("after", |after| after.required_unless_present("after_runs")),
    mut_arg("before_runs", |runs| runs.requires("after_runs"))
)]
pub(crate) struct PairArgs {
    #[command(flatten)]
    pub(crate) recordings: RecordingArgs,
}

/// What is read. The side after may be left out. Places are written out, as `mut_arg` puts an argument behind the others.
#[derive(Args, Debug)]
#[command(next_help_heading = "Input")]
pub(crate) struct RecordingArgs {
    /// Recording of the base build: text of `perf script`, or - for standard input
    #[arg(index = 1, value_name = "BEFORE", value_hint = ValueHint::FilePath, required_unless_present = "before_runs")]
    pub(crate) before: Option<PathBuf>,
    /// Recording of the build compared with it
    #[arg(index = 2, value_name = "AFTER", value_hint = ValueHint::FilePath)]
    pub(crate) after: Option<PathBuf>,
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
    /// Event to compare [default: the heaviest event like cycles that all recordings have]
    #[arg(long, value_name = "NAME")]
    pub(crate) event: Option<String>,
    /// Go on even if more than 1 % of the lines cannot be parsed
    #[arg(long)]
    pub(crate) lenient: bool,
    /// Worker threads [default: one a core]; the result does not depend on it
    #[arg(long, value_name = "N")]
    pub(crate) threads: Option<NonZeroUsize>,
}

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
    /// Only threads of this name (repeatable)
    #[arg(long, value_name = "REGEX")]
    pub(crate) comm: Vec<String>,
    /// Only these threads (repeatable, or separated by commas)
    #[arg(long, value_name = "TID", value_delimiter = ',')]
    pub(crate) tid: Vec<String>,
    /// Only samples whose leaf is in this object (repeatable)
    #[arg(long, value_name = "REGEX")]
    pub(crate) dso: Vec<String>,
    /// Only samples in this part of the recording: START,END in seconds, +START,+END from the first sample, or 10%-20%
    #[arg(long, value_name = "WINDOW", allow_hyphen_values = true)]
    pub(crate) time: Vec<String>,
    /// Only samples with this function anywhere in the stack (repeatable)
    #[arg(long, value_name = "REGEX")]
    pub(crate) stack_contains: Vec<String>,
    /// Only samples in the kernel
    #[arg(long, conflicts_with = "no_kernel")]
    pub(crate) kernel: bool,
    /// Only samples outside the kernel
    #[arg(long)]
    pub(crate) no_kernel: bool,
}

/// When functions of two builds are the same.
#[derive(Args, Debug)]
#[command(next_help_heading = "Names")]
pub(crate) struct NameArgs {
    /// How strictly functions are identified: linkage, signature, qualified or loose
    #[arg(long = "match", value_name = "LEVEL", default_value = "qualified")]
    pub(crate) match_level: String,
    /// Known renames (TOML), before the built-in ones (repeatable)
    #[arg(long, value_name = "FILE", value_hint = ValueHint::FilePath)]
    pub(crate) aliases: Vec<PathBuf>,
    /// Forget the built-in renames
    #[arg(long)]
    pub(crate) no_builtin_aliases: bool,
    /// Whether inlined functions have rows of their own: expand or collapse
    #[arg(long, value_name = "HOW", default_value = "expand")]
    pub(crate) inlines: String,
}

/// Where binaries and their debug information are.
#[derive(Args, Debug)]
#[command(next_help_heading = "Debug information")]
pub(crate) struct DebugInfoArgs {
    /// Binary or debug file of the base build, found by build-id or name (repeatable)
    #[arg(long, value_name = "PATH", value_hint = ValueHint::FilePath)]
    pub(crate) binary_before: Vec<PathBuf>,
    /// Binary or debug file of the build compared with it (repeatable)
    #[arg(long, value_name = "PATH", value_hint = ValueHint::FilePath)]
    pub(crate) binary_after: Vec<PathBuf>,
    #[command(flatten)]
    pub(crate) lookup: LookupArgs,
}

/// Where else binaries and their debug information are.
#[derive(Args, Debug)]
#[command(next_help_heading = "Debug information")]
pub(crate) struct LookupArgs {
    /// Look for the profile's objects under this directory
    #[arg(long, value_name = "DIR", value_hint = ValueHint::DirPath)]
    pub(crate) symfs: Option<PathBuf>,
    /// Build-ids of the objects, as `perf buildid-list` prints them (repeatable)
    #[arg(long, value_name = "FILE", value_hint = ValueHint::FilePath)]
    pub(crate) buildid_list: Vec<PathBuf>,
    /// Use a binary even if it is visibly another build than the one profiled
    #[arg(long)]
    pub(crate) ignore_build_id: bool,
    /// Use perf's own symbols only
    #[arg(long)]
    pub(crate) no_symbolize: bool,
    /// Where index files are kept [default: the user's cache directory]
    #[arg(long, value_name = "DIR", value_hint = ValueHint::DirPath)]
    pub(crate) cache_dir: Option<PathBuf>,
    /// Keep no index files
    #[arg(long, conflicts_with = "cache_dir")]
    pub(crate) no_cache: bool,
}

/// What was done while the recordings were made: for cost per operation and the gap.
#[derive(Args, Debug)]
#[command(next_help_heading = "Operations (one value a recording)")]
pub(crate) struct WorkArgs {
    /// Operations done while the base side was recorded
    #[arg(long, value_name = "N", num_args = 1..)]
    pub(crate) operations_before: Vec<f64>,
    /// Operations done while the other side was recorded
    #[arg(long, value_name = "N", num_args = 1..)]
    pub(crate) operations_after: Vec<f64>,
    /// Operations per second of the base side
    #[arg(long, value_name = "TPS", num_args = 1..)]
    pub(crate) tps_before: Vec<f64>,
    /// Operations per second of the other side
    #[arg(long, value_name = "TPS", num_args = 1..)]
    pub(crate) tps_after: Vec<f64>,
    /// CPU seconds that the base side's process used; weights are scaled to them
    #[arg(long, value_name = "S", num_args = 1..)]
    pub(crate) cpu_seconds_before: Vec<f64>,
    /// CPU seconds that the other side's process used; weights are scaled to them
    #[arg(long, value_name = "S", num_args = 1..)]
    pub(crate) cpu_seconds_after: Vec<f64>,
    /// Operations, throughput and CPU seconds of all recordings, by file stem (tab separated; columns capture, operations,
    /// tps, cpu_seconds, window_s)
    #[arg(long, value_name = "FILE", value_hint = ValueHint::FilePath)]
    pub(crate) windows: Option<PathBuf>,
}

/// What rows and shares are.
#[derive(Args, Debug)]
#[command(next_help_heading = "Rows and shares")]
pub(crate) struct ShareArgs {
    /// What shares are shares of: all, object, thread-group or work (neither busy waiting nor idle)
    #[arg(long, value_name = "WHAT", default_value = "all")]
    pub(crate) denominator: String,
    /// What a row is: function, object, comm, thread-group, subsystem, file or directory
    #[arg(long, value_name = "WHAT", default_value = "function")]
    pub(crate) by: String,
    /// Parts of the program (TOML), before the built-in ones
    #[arg(long, value_name = "FILE", value_hint = ValueHint::FilePath)]
    pub(crate) subsystems: Option<PathBuf>,
    /// Groups of threads (TOML), instead of the built-in ones
    #[arg(long, value_name = "FILE", value_hint = ValueHint::FilePath)]
    pub(crate) thread_groups: Option<PathBuf>,
    /// Functions that wait busily (TOML), instead of the built-in ones
    #[arg(long, value_name = "FILE", value_hint = ValueHint::FilePath)]
    pub(crate) spin_list: Option<PathBuf>,
    /// Run-to-run variation taken for granted with one recording a side, in percent
    #[arg(long, value_name = "PERCENT", default_value_t = 8.0)]
    pub(crate) assumed_cv: f64,
    /// Share of false alarms among the rows called significant
    #[arg(long, value_name = "RATE", default_value_t = 0.05)]
    pub(crate) fdr: f64,
}

/// How the result is shown.
#[derive(Args, Debug)]
#[command(next_help_heading = "Output")]
pub(crate) struct OutputArgs {
    /// Form of the result; json, csv and parquet hold every row
    #[arg(long, value_name = "FORM", value_enum, default_value_t = Format::Table)]
    pub(crate) format: Format,
    /// Write to this file instead of standard output
    #[arg(short, long, value_name = "FILE", value_hint = ValueHint::FilePath)]
    pub(crate) output: Option<PathBuf>,
    /// Rows in table and markdown; 0 for all
    #[arg(short = 'n', long, value_name = "N", default_value_t = 30)]
    pub(crate) top: usize,
    /// Order of rows in table and markdown
    #[arg(long, value_name = "BY", default_value = "delta")]
    pub(crate) sort: String,
    /// Leave out rows that changed less, in points (table and markdown)
    #[arg(long, value_name = "POINTS")]
    pub(crate) min_delta: Option<f64>,
    /// When to use colour; NO_COLOR and CLICOLOR_FORCE are obeyed
    #[arg(long, value_name = "WHEN", value_enum, default_value_t = ColorChoice::Auto)]
    pub(crate) color: ColorChoice,
    /// No progress bar
    #[arg(short, long, action = ArgAction::SetTrue)]
    pub(crate) quiet: bool,
    /// Print time, bytes and peak memory of each stage to standard error
    #[arg(long)]
    pub(crate) timings: bool,
}

#[derive(ValueEnum, Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum Format {
    Table,
    Markdown,
    Json,
    Csv,
    Parquet,
}

#[derive(ValueEnum, Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum ColorChoice {
    Auto,
    Always,
    Never,
}

const PACK_EXAMPLES: &str = "\
Examples:
  pdiff pack 80.perf --binary /usr/sbin/mysqld -o 80.pdiff
  perf script -i perf.data | pdiff pack - -o 80.pdiff
  pdiff pack 80.perf --tps 47509 -o 80.pdiff && pdiff compare 57.pdiff 80.pdiff
  pdiff pack 80.perf --binary mysqld --full-census -o 80.pdiff && pdiff inlines 57.pdiff 80.pdiff

Symbolise where the binaries are, compare where you sit: every command takes a pack where it takes text.";

/// What goes into a pack.
#[derive(Args, Debug)]
#[command(after_help = PACK_EXAMPLES)]
pub(crate) struct PackArgs {
    /// Recording: text of `perf script`, or - for standard input
    #[arg(value_name = "RECORDING", value_hint = ValueHint::FilePath)]
    pub(crate) recording: PathBuf,
    /// The pack to write; - for standard output
    #[arg(short, long, value_name = "FILE", value_hint = ValueHint::FilePath)]
    pub(crate) output: PathBuf,
    /// Go on even if more than 1 % of the lines cannot be parsed
    #[arg(long)]
    pub(crate) lenient: bool,
    /// Worker threads [default: one a core]; the result does not depend on it
    #[arg(long, value_name = "N")]
    pub(crate) threads: Option<NonZeroUsize>,
    /// No progress bar
    #[arg(short, long)]
    pub(crate) quiet: bool,
    /// Binary or debug file, found by build-id or name (repeatable)
    #[arg(long, value_name = "PATH", value_hint = ValueHint::FilePath, help_heading = "Debug information")]
    pub(crate) binary: Vec<PathBuf>,
    /// Pack the census of all of the program's code, for `pdiff inlines`, not only of what verdicts need
    #[arg(long, help_heading = "Debug information")]
    pub(crate) full_census: bool,
    #[command(flatten)]
    pub(crate) lookup: LookupArgs,
    /// Operations done while it was recorded
    #[arg(long, value_name = "N", help_heading = "Operations")]
    pub(crate) operations: Option<f64>,
    /// Operations per second
    #[arg(long, value_name = "TPS", help_heading = "Operations")]
    pub(crate) tps: Option<f64>,
    /// CPU seconds that the process used
    #[arg(long, value_name = "S", help_heading = "Operations")]
    pub(crate) cpu_seconds: Option<f64>,
}

const INLINES_EXAMPLES: &str = "\
Examples:
  pdiff inlines 57/bin/mysqld 80/bin/mysqld
  pdiff inlines old/mysqld new/mysqld --change lost,mixed --function '^row_|^btr_'
  pdiff inlines a.out b.out --format json | jq '.functions[].confirmed_lost[].caller_after'

Debug information is needed on both sides (-g1 is enough), in the binary or separate.
Confirmed: a caller held the function inlined on one side; on the other it calls it and holds no copy.";

/// Which binaries are compared, and how the result is shown.
#[derive(Args, Debug)]
#[command(after_help = INLINES_EXAMPLES)]
pub(crate) struct InlinesArgs {
    /// ELF file of the base build, program or library; or a pack with a full census
    #[arg(value_name = "BIN_A", value_hint = ValueHint::FilePath)]
    pub(crate) before: PathBuf,
    /// The same of the build compared with it
    #[arg(value_name = "BIN_B", value_hint = ValueHint::FilePath)]
    pub(crate) after: PathBuf,
    /// Only these changes: new, gone, lost, gained, mixed, grew, shrank, same, not-visible (separated by commas)
    #[arg(long, value_name = "CHANGE", value_delimiter = ',')]
    pub(crate) change: Vec<String>,
    /// Only functions in whose name, on either side, this is found
    #[arg(long, value_name = "REGEX")]
    pub(crate) function: Option<String>,
    /// Known renames (TOML), before the built-in ones (repeatable)
    #[arg(long, value_name = "FILE", value_hint = ValueHint::FilePath, help_heading = "Names")]
    pub(crate) aliases: Vec<PathBuf>,
    /// Forget the built-in renames
    #[arg(long, help_heading = "Names")]
    pub(crate) no_builtin_aliases: bool,
    /// Look for separate debug information under this directory, too (repeatable)
    #[arg(long, value_name = "DIR", value_hint = ValueHint::DirPath, help_heading = "Debug information")]
    pub(crate) debug_root: Vec<PathBuf>,
    /// Where what was found out about binaries is kept [default: the user's cache directory]
    #[arg(long, value_name = "DIR", value_hint = ValueHint::DirPath, help_heading = "Debug information")]
    pub(crate) cache_dir: Option<PathBuf>,
    /// Keep no such files
    #[arg(long, conflicts_with = "cache_dir", help_heading = "Debug information")]
    pub(crate) no_cache: bool,
    /// Form of the result; json holds every row that the filters take
    #[arg(long, value_name = "FORM", value_enum, default_value_t = InlinesFormat::Table, help_heading = "Output")]
    pub(crate) format: InlinesFormat,
    /// Write to this file instead of standard output
    #[arg(short, long, value_name = "FILE", value_hint = ValueHint::FilePath, help_heading = "Output")]
    pub(crate) output: Option<PathBuf>,
    /// Rows of each change in table and markdown; 0 for all
    #[arg(short = 'n', long, value_name = "N", default_value_t = 15, help_heading = "Output")]
    pub(crate) top: usize,
    /// When to use colour; NO_COLOR and CLICOLOR_FORCE are obeyed
    #[arg(long, value_name = "WHEN", value_enum, default_value_t = ColorChoice::Auto, help_heading = "Output")]
    pub(crate) color: ColorChoice,
}

#[derive(ValueEnum, Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum InlinesFormat {
    Table,
    Markdown,
    Json,
}

const SYMBOLIZE_EXAMPLES: &str = "\
Examples:
  pdiff symbolize /usr/sbin/mysqld 0x1e704c5 0x1e913a0
  cut -f2 addresses.tsv | pdiff symbolize /usr/sbin/mysqld -
  pdiff symbolize a.out 0x1139 --format json | jq -r '.frames[-1].function'

Addresses are those of the ELF file itself (what nm and addr2line speak of), in hexadecimal, looked up as they are.
Text is as of `addr2line -f -i -C`: innermost first, a blank line between addresses.";

/// Which addresses of which file.
#[derive(Args, Debug)]
#[command(after_help = SYMBOLIZE_EXAMPLES)]
pub(crate) struct SymbolizeArgs {
    /// ELF file: program, library or debug file
    #[arg(value_name = "BINARY", value_hint = ValueHint::FilePath)]
    pub(crate) binary: PathBuf,
    /// Addresses in hexadecimal; - or none reads them from standard input, one or more a line
    #[arg(value_name = "ADDR")]
    pub(crate) addresses: Vec<String>,
    /// Form of the result
    #[arg(long, value_name = "FORM", value_enum, default_value_t = AddressFormat::Text)]
    pub(crate) format: AddressFormat,
    /// Write to this file instead of standard output
    #[arg(short, long, value_name = "FILE", value_hint = ValueHint::FilePath)]
    pub(crate) output: Option<PathBuf>,
    /// Look for separate debug information under this directory, too (repeatable)
    #[arg(long, value_name = "DIR", value_hint = ValueHint::DirPath)]
    pub(crate) debug_root: Vec<PathBuf>,
}

#[derive(ValueEnum, Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum AddressFormat {
    Text,
    Json,
}

const COMPLETIONS_EXAMPLES: &str = "\
Examples:
  pdiff completions bash > ~/.local/share/bash-completion/completions/pdiff
  pdiff completions zsh > ~/.zfunc/_pdiff
  pdiff completions fish > ~/.config/fish/completions/pdiff.fish";

#[derive(Args, Debug)]
#[command(after_help = COMPLETIONS_EXAMPLES)]
pub(crate) struct CompletionsArgs {
    /// The shell
    #[arg(value_enum)]
    pub(crate) shell: clap_complete::Shell,
}

const MAN_EXAMPLES: &str = "\
Examples:
  pdiff man | man -l -
  pdiff man --dir ~/.local/share/man/man1
  pdiff man --dir /usr/local/share/man/man1";

#[derive(Args, Debug)]
#[command(after_help = MAN_EXAMPLES)]
pub(crate) struct ManArgs {
    /// Write one page a command into this directory [default: the main page to standard output]
    #[arg(long, value_name = "DIR", value_hint = ValueHint::DirPath)]
    pub(crate) dir: Option<PathBuf>,
}
