//! The arguments of `pdiff compare`.

use clap::Args;

use super::{ComparisonArgs, GateArgs, OutputArgs, PairArgs, ServerArgs, WaitArgs};

const COMPARE_EXAMPLES: &str = "\
Examples:
  pdiff compare                  # perf.data.old and perf.data of this directory
  pdiff compare 57.data 80.data --top 20
  pdiff compare --before a1.perf a2.perf --after b1.perf b2.perf --by subsystem
  pdiff compare 57.perf 80.perf --tps-before 69818 --tps-after 47509 --dso mysqld
  pdiff compare 57.data 80.data --windows w.tsv --event cycles --beside instructions,cache-misses
  pdiff compare 57.perf 80.perf --format json | jq '.functions[] | select(.significant) | .name'
  pdiff compare main.perf branch.perf --fail-on 'delta_self_pp > 0.5'

Shares are percent of the denominator, changes are points (after minus before; positive is more).
`~` marks changes that are not more than noise.";

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
    pub(crate) waits: WaitArgs,
    /// Divide costs per operation into a count and a price by other events of the recordings, as instructions: does a
    /// function do more, or the same more slowly? Needs operations
    #[arg(long, value_name = "EVENT", value_delimiter = ',', help_heading = "Output")]
    pub(crate) beside: Vec<String>,
    /// Print the cause of each part of the change; reads the binaries
    #[arg(long, help_heading = "Output")]
    pub(crate) causes: bool,
    #[command(flatten)]
    pub(crate) output: OutputArgs,
    #[command(flatten)]
    pub(crate) gates: GateArgs,
}
