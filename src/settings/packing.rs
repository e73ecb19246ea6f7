//! What `pdiff pack` works with.

use anyhow::Result;
use pdiff_ingest::TimeWindow;
use pdiff_profile::RunMeasures;

use super::debug_info::check_files;
use super::inputs::{source, workers};
use super::{DebugInfo, Inputs, Recording, SideFiles, debug_info};
use crate::cli::PackArgs;

/// What `pdiff pack` works with: one recording, on the before side.
pub(crate) struct Packing {
    pub(crate) inputs: Inputs,
    pub(crate) debug_info: Option<DebugInfo>,
}

impl Packing {
    /// Checks the arguments.
    pub(crate) fn new(args: &PackArgs) -> Result<Self> {
        let measures = RunMeasures {
            operations: args.operations,
            tps: args.tps,
            cpu_seconds: args.cpu_seconds,
            window_s: None,
        };
        let recording = Recording { source: source(&args.recording), measures };
        let side = |recordings| SideFiles { label: String::new(), recordings, time: TimeWindow::All };
        let inputs = Inputs {
            before: side(vec![recording]),
            after: side(Vec::new()),
            event: None,
            lenient: args.lenient,
            threads: workers(args.threads),
        };
        check_files("--binary", &args.binary)?;
        let debug_info = debug_info(&args.lookup, args.quiet)?
            .map(|found| DebugInfo { binaries_before: args.binary.clone(), ..found });
        Ok(Self { inputs, debug_info })
    }
}
