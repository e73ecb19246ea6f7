//! The names that perf would print: functions of the symbol tables, for recordings that have addresses alone.
//!
//! The text of `perf script` has a symbol for each frame, and machine functions are called by it. So that a recording gives
//! the same rows as its text, frames of a recording get the symbol that perf would choose of the same files.

use pdiff_profile::{FrameId, Notes, ObjectIndex, ObjectKind, Profile};
use rayon::prelude::*;

use crate::binary::object_files::ObjectFiles;
use crate::options::SymbolizeOptions;
use crate::resolve::address_map::map_for;
use crate::resolve::candidate::{Lookout, find_binary};
use crate::resolve::perf_names::PerfNames;
use crate::resolve::positions::{Positions, parts};
use crate::symbolizer::drop_aside;

/// The frames of one object that get a name.
#[derive(Default)]
struct NamedFrames {
    names: Vec<Box<str>>,
    /// Each with the place of its name, and how far into the function it is.
    frames: Vec<(FrameId, usize, u64)>,
    notes: Notes,
}

impl NamedFrames {
    fn named(&self) -> impl Iterator<Item = (FrameId, &str, u64)> {
        let frames = self.frames.iter();
        frames.filter_map(|(frame, place, offset)| Some((*frame, &**self.names.get(*place)?, *offset)))
    }
}

/// Gives the frames of a recording the symbols that perf would print. Frames that have one keep it.
///
/// What cannot be found is left alone: [`resolve_profile`](crate::resolve_profile) says why.
pub fn name_frames(profile: &mut Profile, options: &SymbolizeOptions) {
    let objects: Vec<ObjectIndex> = (0..).map(ObjectIndex).take(profile.objects.len()).collect();
    let of_object = |object: &ObjectIndex| named_of(profile, *object, options);
    let named: Vec<NamedFrames> = objects.par_iter().filter_map(of_object).collect();
    profile.name_frames(named.iter().flat_map(NamedFrames::named));
    named.iter().for_each(|of| profile.notes.merge(&of.notes));
}

fn named_of(profile: &Profile, index: ObjectIndex, options: &SymbolizeOptions) -> Option<NamedFrames> {
    let object = profile.objects.get(index.index())?;
    if !matches!(object.kind, ObjectKind::File | ObjectKind::Vdso | ObjectKind::Jit)
        || parts(profile, index).next().is_none()
    {
        return None;
    }
    let Ok(Lookout::Candidate(candidate)) = find_binary(object, options) else { return None };
    let positions = Positions::of(profile, index, &candidate.file)?;
    if positions.has_other_size && !candidate.is_proved && !options.allow_mismatch {
        return None;
    }
    let files = ObjectFiles::find(candidate.file, options);
    let frames = (0..).map(FrameId).zip(&profile.frames);
    let nameless = frames.filter(|(_, frame)| frame.object == index && frame.symbol.is_none());
    let placed = nameless.filter_map(|(id, frame)| {
        let raw = frame.addr?.0;
        Some((id, raw.wrapping_add(map_for(&positions.maps, raw)?.bias)))
    });
    let placed: Vec<(FrameId, u64)> = placed.collect();
    let mut addrs: Vec<u64> = placed.iter().map(|(_, addr)| *addr).collect();
    addrs.sort_unstable();
    addrs.dedup();
    let mut notes = Notes::new();
    let names = PerfNames::at(&files, &addrs, options, &mut notes);
    drop_aside(files);
    let find = |(frame, addr)| names.find(addr).map(|(place, offset)| (frame, place, offset));
    let frames = placed.into_iter().filter_map(find).collect();
    Some(NamedFrames { frames, names: names.into_names().collect(), notes })
}
