//! `pdiff pack`: one recording with its functions in one small file.

use anyhow::{Context, Result, anyhow, bail};
use pdiff_ingest::write_pack;
use pdiff_profile::Side;

use crate::builds::census_to_pack;
use crate::cli::PackArgs;
use crate::output::Output;
use crate::pipeline::read_run;
use crate::settings::Packing;
use crate::timings::Timings;

/// Reads, symbolises and writes the pack.
pub(crate) fn run(args: &PackArgs) -> Result<()> {
    let output = Output::new(Some(&args.output))?;
    if output.is_terminal() {
        bail!("a pack is nothing for a terminal; hint: write it to a file by -o FILE, or pipe it");
    }
    let packing = Packing::new(args)?;
    let recording = packing.inputs.before.recordings.first().ok_or_else(|| anyhow!("no recording given"))?;
    let debug_info = packing.debug_info.as_ref();
    let run =
        read_run(recording, &packing.inputs, debug_info, Side::Before, args.quiet, &mut Timings::start())?;
    let census = match debug_info {
        Some(debug_info) => census_to_pack(&run, debug_info, args.full_census)?,
        None => None,
    };
    if census.is_none() && args.full_census {
        bail!("no binary of the program was found, so there is no census; hint: give it by --binary");
    }
    let bytes =
        write_pack(&run.into_pack(census)).with_context(|| format!("packing {}", recording.source))?;
    output.write(&bytes)
}
