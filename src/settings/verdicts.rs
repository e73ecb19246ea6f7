//! What the commands that give verdicts work with.

use anyhow::{Result, bail};
use pdiff::classify::{CallCounts, Demands};
use pdiff::{Architectural, By, Comparer};

use super::counted_calls::call_counts;
use super::remarks::inline_reasons;
use super::server_settings::with_servers;
use super::{Compared, KNOWLEDGE, LIST, read_file};
use crate::cli::ExamineArgs;

/// A comparison by function, with all that verdicts may rest on. Checks the arguments and reads the files that they name.
pub(crate) fn examined(args: &ExamineArgs, quiet: bool) -> Result<(Comparer, bool)> {
    let compared = Compared::new(&args.inputs.recordings, &args.comparison, quiet)?;
    if compared.by != By::Function {
        bail!(pdiff::Error::NotByFunction);
    }
    let mut comparer = with_servers(compared.comparer, &args.servers, compared.reads_stdin)?;
    let evidence = &args.evidence;
    if let Some(path) = &evidence.architectural {
        comparer = comparer.architectural(read_file(path, KNOWLEDGE, Architectural::parse)?);
    }
    if let Some(path) = &evidence.counts {
        comparer = comparer.counts(read_file(path, LIST, CallCounts::parse)?);
    }
    if let Some(counts) =
        call_counts(evidence, &args.comparison.debug_info, args.inputs.recordings.lenient, quiet)?
    {
        comparer = comparer.counts(counts);
    }
    comparer = comparer.inline_reasons(inline_reasons(&evidence.remarks)?);
    if evidence.inline_check {
        comparer = comparer.demands(Demands::InlineProof);
    }
    Ok((comparer.before_verdicts(), compared.reads_stdin))
}
