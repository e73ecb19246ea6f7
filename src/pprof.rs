//! Both sides' samples as a pprof profile.
//!
//! Functions have the names of the rows. Addresses, files, lines, threads and build-ids, which rows do not have, come from
//! the recordings.

use pdiff_analysis::RunStacks;
use pdiff_ingest::{PprofLocation, PprofMapping, PprofSide, PprofThread, PprofWriter};
use pdiff_profile::{
    Event, Frame, Lookups, Mapping, Object, ObjectIndex, Profile, RuntimeAddr, Side, StackId, Weight,
};

use crate::call_levels::{CallLevel, call_levels};
use crate::error::Error;
use crate::prepared::Prepared;

/// Which samples a pprof profile has.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum PprofView {
    /// Those of one side.
    Side(Side),
    /// After's, and Before's with negative values.
    Difference,
}

impl Prepared {
    /// The samples that passed the filters as a pprof profile, packed by gzip. Several runs of a side are added up.
    ///
    /// # Errors
    /// If the weight of a stack does not fit in 63 bits.
    pub fn pprof(&self, view: PprofView) -> Result<Vec<u8>, Error> {
        let sides = self.sides();
        let runs = self.normal().run_stacks(&sides);
        let is_wanted = |run: &&RunStacks<'_>| match view {
            PprofView::Side(side) => run.side == side,
            PprofView::Difference => true,
        };
        let runs: Vec<&RunStacks<'_>> = runs.iter().filter(is_wanted).collect();
        let events = runs.iter().rev().filter_map(|run| run.run.profile.events.get(run.run.event.index()));
        let nothing = Event { name: "samples".into(), samples: 0, weight: Weight::ZERO, has_period: false };
        let mut writer = PprofWriter::new(events.into_iter().next().unwrap_or(&nothing), duration_ns(&runs));
        self.begin_with_program(&runs, &mut writer);
        for run in runs {
            let is_base = view == PprofView::Difference && run.side == Side::Before;
            write_run(run, if is_base { PprofSide::Base } else { PprofSide::Profile }, &mut writer);
        }
        Ok(writer.finish()?)
    }

    /// Readers call a profile by its first object.
    fn begin_with_program(&self, runs: &[&RunStacks<'_>], writer: &mut PprofWriter) {
        let Some(program) = self.normal().program() else { return };
        for run in runs.iter().rev() {
            let paths = &program.paths[run.side];
            let mut objects = (0..).map(ObjectIndex).zip(&run.run.profile.objects);
            if let Some((index, object)) =
                objects.find(|(_, object)| paths.iter().any(|path| **path == *object.path))
            {
                let part = run.run.profile.mappings.iter().find(|part| is_part(part, index));
                writer.mapping(object, part);
                return;
            }
        }
    }
}

/// How long the runs took together.
fn duration_ns(runs: &[&RunStacks<'_>]) -> Option<u64> {
    let spans = runs.iter().filter_map(|run| run.run.profile.span);
    let durations = spans.map(|span| span.last_ns.saturating_sub(span.first_ns));
    durations.reduce(u64::saturating_add).filter(|duration| i64::try_from(*duration).is_ok())
}

fn write_run(run: &RunStacks<'_>, side: PprofSide, writer: &mut PprofWriter) {
    let profile = run.run.profile;
    let lookups = Lookups::new(profile);
    let mut stacks: Vec<Option<Vec<PprofLocation>>> = vec![None; profile.stacks.len()];
    for cell in run.cells {
        let Some(stack) = stacks.get_mut(cell.stack.index()) else { continue };
        let locations = stack.get_or_insert_with(|| locations(run, &lookups, cell.stack, writer));
        let thread = profile.threads.get(cell.thread.index());
        let thread = thread.map_or_else(PprofThread::default, |thread| PprofThread {
            name: profile.string(thread.comm),
            pid: thread.pid,
            tid: thread.tid,
        });
        writer.sample(locations, thread, side, [u64::from(cell.samples), cell.weight.0]);
    }
}

/// The call levels of a stack, root first.
fn locations(
    run: &RunStacks<'_>,
    lookups: &Lookups<'_>,
    stack: StackId,
    writer: &mut PprofWriter,
) -> Vec<PprofLocation> {
    let location = |level: CallLevel<'_>| {
        let mapping = match level.frame {
            Some(frame) => mapping(run.run.profile, frame, writer),
            None => writer.mapping(&Object::unknown(), None),
        };
        writer.location(mapping, level.frame.and_then(|frame| frame.addr), &level.functions)
    };
    call_levels(run, lookups, stack).into_iter().map(location).collect()
}

/// The object of a frame, and its part where the frame has a position in a file.
fn mapping(profile: &Profile, frame: &Frame, writer: &mut PprofWriter) -> PprofMapping {
    let Some(object) = profile.objects.get(frame.object.index()) else {
        return writer.mapping(&Object::unknown(), None);
    };
    let holds = |part: &&Mapping| {
        is_part(part, frame.object)
            && frame.addr.is_some_and(|addr| part.file_offset(RuntimeAddr(addr.0)).is_some())
    };
    writer.mapping(object, profile.mappings.iter().find(holds))
}

/// Whether a mapping is a part of an object's file, in which frames have positions.
fn is_part(mapping: &Mapping, object: ObjectIndex) -> bool {
    mapping.object == object && mapping.pid.is_none() && mapping.start.0 == mapping.offset.0
}
