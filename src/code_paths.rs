//! The ways through the code of the program's builds, and what was sampled on them, read when a verdict asks for them.

use std::collections::{BTreeMap, BTreeSet};
use std::ops::Range;
use std::path::PathBuf;
use std::sync::OnceLock;

use pdiff_analysis::classify::{CodePaths, SamplesAround};
use pdiff_profile::{FrameId, Lookup, Lookups, PerSide, Side};
use pdiff_symbolize::{CallPaths, CodeFile};

use crate::function_code::frame_addrs;
use crate::prepared::Prepared;

/// Samples by address in the file: of leaves where they are, of callers where they called.
type SamplesByAddress = BTreeMap<u64, u64>;

/// The files of both builds, opened when they are asked for.
#[derive(Debug)]
pub(crate) struct ProgramPaths<'a> {
    prepared: &'a Prepared,
    files: PerSide<Option<PathBuf>>,
    opened: PerSide<OnceLock<Option<CallPaths>>>,
    sampled: PerSide<OnceLock<Option<SamplesByAddress>>>,
}

impl<'a> ProgramPaths<'a> {
    /// Of the program's files.
    pub(crate) fn new(prepared: &'a Prepared, files: PerSide<Option<PathBuf>>) -> Self {
        Self { prepared, files, opened: PerSide::default(), sampled: PerSide::default() }
    }

    fn of(&self, side: Side) -> Option<&CallPaths> {
        let open = || CallPaths::open(self.files[side].as_deref()?).ok();
        self.opened[side].get_or_init(open).as_ref()
    }

    fn sampled(&self, side: Side) -> Option<&SamplesByAddress> {
        self.sampled[side].get_or_init(|| self.read_samples(side)).as_ref()
    }

    /// The samples of all runs of a side; `None` if no address of the program was recorded.
    fn read_samples(&self, side: Side) -> Option<SamplesByAddress> {
        let file = self.files[side].as_deref()?;
        let program = self.prepared.normal().program()?;
        let paths: BTreeSet<&str> = program.paths[side].iter().map(String::as_str).collect();
        let build = self.prepared.build_side(side);
        let lookup = self.prepared.given().reading.lookup.as_ref()?;
        let code = CodeFile::open(file, &lookup.options(&build.given.binaries)).ok()?;
        let mut samples = SamplesByAddress::new();
        let sides = self.prepared.sides();
        let inputs = match side {
            Side::Before => &sides.before.runs,
            Side::After => &sides.after.runs,
        };
        for (run, input) in build.read.runs.iter().zip(inputs) {
            let addrs = frame_addrs(run, &paths, file, &code);
            let lookups = Lookups::new(&run.profile);
            for cell in run.profile.cells_of(input.event) {
                for (frame, lookup) in lookups.of(run.profile.stacks.get(cell.stack)) {
                    let FrameId(number) = frame;
                    let Some(addr) = addrs.get(number as usize).copied().flatten() else { continue };
                    let addr = if lookup == Lookup::MinusOne { addr.0.saturating_sub(1) } else { addr.0 };
                    *samples.entry(addr).or_default() += u64::from(cell.samples);
                }
            }
        }
        (!samples.is_empty()).then_some(samples)
    }
}

impl CodePaths for ProgramPaths<'_> {
    fn can_skip(&self, side: Side, bodies: &[Range<u64>], callees: &[u64]) -> Option<bool> {
        self.of(side)?.can_skip(bodies, callees)
    }

    fn samples_around(&self, side: Side, bodies: &[Range<u64>], callees: &[u64]) -> Option<SamplesAround> {
        let around = self.of(side)?.ways_around(bodies, callees)?;
        let samples = self.sampled(side)?;
        let within = |ranges: &[Range<u64>]| -> u64 {
            ranges.iter().flat_map(|range| samples.range(range.clone())).map(|(_, samples)| samples).sum()
        };
        Some(SamplesAround { around: within(&around), all: within(bodies) })
    }

    fn ways_to(&self, side: Side, function: &str) -> Vec<u64> {
        self.of(side).map(|paths| paths.ways_to(function)).unwrap_or_default()
    }
}
