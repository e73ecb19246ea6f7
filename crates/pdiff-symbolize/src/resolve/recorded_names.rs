//! The names that perf would print: functions of the symbol tables, for recordings that have addresses alone.
//!
//! The text of `perf script` has a symbol for each frame, and machine functions are called by it. So that a recording gives
//! the same rows as its text, frames of a recording get the symbol that perf would choose of the same files.

use pdiff_profile::{FrameId, ObjectIndex, ObjectKind, Profile};
use rayon::prelude::*;
use rustc_hash::FxHashMap;

use crate::binary::function_name::display_name;
use crate::binary::object_files::ObjectFiles;
use crate::binary::symbol_table::Symbol;
use crate::options::SymbolizeOptions;
use crate::resolve::address_map::map_for;
use crate::resolve::candidate::{Lookout, find_binary};
use crate::resolve::positions::{Positions, parts};
use crate::symbolizer::drop_aside;

/// A frame's symbol, and how far into it the frame is.
type Named = (FrameId, Box<str>, u64);

/// Gives the frames of a recording the symbols that perf would print. Frames that have one keep it.
///
/// What cannot be found is left alone: [`resolve_profile`](crate::resolve_profile) says why.
pub fn name_frames(profile: &mut Profile, options: &SymbolizeOptions) {
    let objects: Vec<ObjectIndex> = (0..).map(ObjectIndex).take(profile.objects.len()).collect();
    let of_object = |object: &ObjectIndex| named_of(profile, *object, options);
    let named: Vec<Named> = objects.par_iter().flat_map_iter(of_object).collect();
    profile.name_frames(named);
}

fn named_of(profile: &Profile, index: ObjectIndex, options: &SymbolizeOptions) -> Vec<Named> {
    let is_wanted = |frame: &&(FrameId, u64)| {
        profile.frames.get(frame.0.index()).is_some_and(|frame| frame.symbol.is_none())
    };
    let Some(object) = profile.objects.get(index.index()) else { return Vec::new() };
    if !matches!(object.kind, ObjectKind::File | ObjectKind::Vdso | ObjectKind::Jit)
        || parts(profile, index).next().is_none()
    {
        return Vec::new();
    }
    let frames = (0..).map(FrameId).zip(&profile.frames).filter(|(_, frame)| frame.object == index);
    let frames: Vec<(FrameId, u64)> = frames.filter_map(|(id, frame)| Some((id, frame.addr?.0))).collect();
    let Ok(Lookout::Candidate(candidate)) = find_binary(object, options) else { return Vec::new() };
    let Some(positions) = Positions::of(profile, index, &candidate.file) else { return Vec::new() };
    if positions.has_other_size && !candidate.is_proved && !options.allow_mismatch {
        return Vec::new();
    }
    let files = ObjectFiles::find(candidate.file, options);
    let place = |(frame, raw): &(FrameId, u64)| {
        Some((*frame, raw.wrapping_add(map_for(&positions.maps, *raw)?.bias)))
    };
    let placed: Vec<(FrameId, u64)> = frames.iter().filter(is_wanted).filter_map(place).collect();
    let mut addrs: Vec<u64> = placed.iter().map(|(_, addr)| *addr).collect();
    addrs.sort_unstable();
    addrs.dedup();
    let symbols = files.symbols_as_perf(&addrs);
    let find = |(frame, addr): (FrameId, u64)| Some((frame, symbols.find(addr)?, addr));
    let found: Vec<(FrameId, &Symbol, u64)> = placed.into_iter().filter_map(find).collect();
    // Many frames are in one function, and a name takes longer to spell than anything else here.
    let hit: FxHashMap<u64, &Symbol> = found.iter().map(|(_, symbol, _)| (symbol.start, *symbol)).collect();
    let names: FxHashMap<u64, Box<str>> =
        hit.into_par_iter().map(|(start, symbol)| (start, display_name(&symbol.name()))).collect();
    let named = |(frame, symbol, addr): (FrameId, &Symbol, u64)| {
        Some((frame, names.get(&symbol.start)?.clone(), addr - symbol.entry))
    };
    let named = found.into_iter().filter_map(named).collect();
    drop_aside(files);
    named
}
