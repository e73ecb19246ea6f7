//! `pdiff pack`: one recording with its functions in one small file.

use anyhow::{Result, bail};
use pdiff::{Packer, Recording};

use crate::cli::PackArgs;
use crate::output::Output;
use crate::settings::{check_files, lookup, source};
use crate::watching::Watching;

/// Reads, symbolises and writes the pack.
pub(crate) fn run(args: &PackArgs) -> Result<()> {
    let output = Output::new(Some(&args.output))?;
    if output.is_terminal() {
        bail!("refusing to write a pack to a terminal; hint: use -o FILE, or pipe it");
    }
    check_files("--binary", &args.binary)?;
    let recording = Recording::new(source(&args.recording));
    let recording = args.operations.into_iter().fold(recording, Recording::operations);
    let recording = args.tps.into_iter().fold(recording, Recording::tps);
    let recording = args.cpu_seconds.into_iter().fold(recording, Recording::cpu_seconds);
    let packer = Packer::new(recording)
        .lookup(lookup(&args.lookup, args.quiet)?)
        .lenient(args.lenient)
        .full_census(args.full_census)
        .watch(Watching::start(args.quiet).watch());
    let packer = args.binary.iter().fold(packer, Packer::binary);
    let packer = args.threads.into_iter().fold(packer, Packer::threads);
    output.write(&packer.pack()?)
}
