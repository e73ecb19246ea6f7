//! How call chains were unwound, as far as a recording shows it: by debug information or by frame pointers.
//!
//! perf gives a caller as its return address where it follows frame pointers, and as the byte before where it unwinds by
//! debug information. So a caller in a library that both sides have is one byte apart: `start_thread+0x305` and
//! `start_thread+0x304`. An unwinder that cannot continue leaves a last frame at the highest address, which frame pointers
//! never do.

use pdiff_profile::{Cell, ObjectKind, PerSide, Profile, RawAddr};
use rustc_hash::FxHashMap;

use super::super::input::{SideInput, Sides};
use super::super::side_fact::Unwinding;

/// Stacks that end at the highest address, above which chains were unwound by debug information.
const BROKEN_OFF: f64 = 0.01;

/// How much more weight callers one byte apart must have than callers at the same place.
const APART_RATIO: f64 = 3.0;

/// Part of the callers' weight that must be in common libraries before they tell anything.
const LEAST_COMMON: f64 = 0.02;

/// The way of each side, where it can be told.
pub(in crate::compare) fn unwinding(sides: &Sides<'_>) -> PerSide<Option<Unwinding>> {
    let [before, after] = [&sides.before, &sides.after].map(of_side);
    match (before, after) {
        (None | Some(Unwinding::DebugInformation), None | Some(Unwinding::DebugInformation)) => {
            match one_byte_apart(&sides.before, &sides.after) {
                Some(1) => PerSide::new(Some(Unwinding::FramePointers), Some(Unwinding::DebugInformation)),
                Some(_) => PerSide::new(Some(Unwinding::DebugInformation), Some(Unwinding::FramePointers)),
                None => PerSide::new(before, after),
            }
        }
        (before, after) => PerSide::new(before, after),
    }
}

fn of_side(side: &SideInput<'_>) -> Option<Unwinding> {
    let runs = || side.runs.iter().filter(|run| run.profile.has_callchains);
    let told = runs().find_map(|run| {
        let command =
            run.profile.header.iter().find(|(key, _)| &**key == "cmdline").map(|(_, value)| &**value)?;
        by_command(command)
    });
    told.or_else(|| {
        let is_broken = |profile: &Profile| {
            let (broken, all) = broken_off(profile, &profile.cells);
            broken as f64 > BROKEN_OFF * all as f64
        };
        runs().any(|run| is_broken(run.profile)).then_some(Unwinding::DebugInformation)
    })
}

fn by_command(command: &str) -> Option<Unwinding> {
    let mut words = command.split_whitespace();
    while let Some(word) = words.next() {
        let how = match word.split_once('=') {
            Some(("--call-graph", how)) => how,
            _ if word == "--call-graph" => words.next()?,
            _ if word == "-g" => "fp",
            _ => continue,
        };
        return match how.split(',').next()? {
            "dwarf" => Some(Unwinding::DebugInformation),
            "fp" => Some(Unwinding::FramePointers),
            "lbr" => Some(Unwinding::BranchRecords),
            _ => None,
        };
    }
    None
}

/// The part of a side's samples whose stacks were broken off, in percent.
pub(in crate::compare) fn cut_off_pct(side: &SideInput<'_>) -> f64 {
    let (mut cut, mut all) = (0, 0);
    for run in &side.runs {
        let (of_run, samples) = broken_off(run.profile, run.profile.cells_of(run.event));
        cut += of_run;
        all += samples;
    }
    if all == 0 { 0.0 } else { 100.0 * cut as f64 / all as f64 }
}

/// The samples of the stacks whose root is at the highest address, and of all.
fn broken_off(profile: &Profile, cells: &[Cell]) -> (u64, u64) {
    let is_broken = |cell: &&Cell| {
        let root = profile.stacks.get(cell.stack).first();
        let root = root.and_then(|root| profile.frames.get(root.index()));
        root.is_some_and(|root| root.addr == Some(RawAddr(u64::MAX)))
    };
    let samples = |cell: &Cell| u64::from(cell.samples);
    (cells.iter().filter(is_broken).map(samples).sum(), cells.iter().map(samples).sum())
}

/// Samples of callers in libraries: by library, function and place in it.
type Callers<'a> = FxHashMap<(&'a str, &'a str), FxHashMap<u64, u64>>;

fn callers<'a>(side: &'a SideInput<'_>) -> (Callers<'a>, u64) {
    let (mut callers, mut all) = (Callers::default(), 0_u64);
    for run in &side.runs {
        let profile = run.profile;
        let mut counts = vec![0_u64; profile.frames.len()];
        for cell in profile.cells_of(run.event) {
            // The outermost callers are enough: every stack of a thread has them.
            let stack = profile.stacks.get(cell.stack);
            let outermost = stack.get(..stack.len().saturating_sub(1).min(OUTERMOST)).unwrap_or(&[]);
            for frame in outermost {
                if let Some(count) = counts.get_mut(frame.index()) {
                    *count += u64::from(cell.samples);
                }
            }
            all += u64::from(cell.samples);
        }
        for (frame, count) in profile.frames.iter().zip(counts).filter(|(_, count)| *count > 0) {
            let object = profile.objects.get(frame.object.index());
            let library =
                object.filter(|object| object.kind == ObjectKind::File && object.path.contains(".so"));
            if let (Some(library), Some(symbol), Some(offset)) = (library, frame.symbol, frame.symbol_offset)
            {
                let places = callers.entry((&*library.path, profile.string(symbol))).or_default();
                *places.entry(offset).or_default() += count;
            }
        }
    }
    (callers, all)
}

/// Callers looked at, from the root.
const OUTERMOST: usize = 4;

/// 1 if callers of the before side are a byte beyond those of the after side, -1 if a byte short of them.
fn one_byte_apart(before: &SideInput<'_>, after: &SideInput<'_>) -> Option<i32> {
    let ((before, all), (after, _)) = (callers(before), callers(after));
    let (mut same, mut beyond, mut short) = (0_u64, 0_u64, 0_u64);
    for (function, places) in &before {
        let Some(others) = after.get(function) else { continue };
        for (place, count) in places {
            if others.contains_key(place) {
                same += count;
            } else if place.checked_sub(1).is_some_and(|place| others.contains_key(&place)) {
                beyond += count;
            } else if others.contains_key(&(place + 1)) {
                short += count;
            }
        }
    }
    let is_clear = |apart: u64| {
        let apart = apart as f64;
        apart > LEAST_COMMON * all as f64 && apart > APART_RATIO * same as f64
    };
    match (is_clear(beyond), is_clear(short)) {
        (true, false) => Some(1),
        (false, true) => Some(-1),
        _ => None,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_command_of_a_recording_tells_how_it_was_unwound() {
        let check = |command: &str, expected| assert_eq!(by_command(command), expected, "{command}");
        check("perf record -F 99 --call-graph dwarf,16384 -p 1", Some(Unwinding::DebugInformation));
        check("perf record --call-graph=lbr", Some(Unwinding::BranchRecords));
        check("perf record -g -a", Some(Unwinding::FramePointers));
        check("perf record -a", None);
    }
}
