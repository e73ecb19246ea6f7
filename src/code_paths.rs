//! The ways through the code of the program's builds, and what was sampled on them, read when a verdict asks for them.

use std::collections::{BTreeMap, BTreeSet};
use std::ops::Range;
use std::path::PathBuf;
use std::sync::OnceLock;

use pdiff_analysis::classify::{
    CodePaths, ConditionAround, SampledCode, SamplesAround, SamplesAtOne, SamplesOnce, TurnsAround,
};
use pdiff_profile::{CodeChange, FrameId, Lookup, Lookups, PerSide, Side, StackId};
use pdiff_symbolize::{BothWays, CallPaths, CodeFile, CodeSamples, RunOnce, WayAround};

use crate::function_code::frame_addrs;
use crate::prepared::Prepared;

/// With so many samples in what a function calls, its stacks show which of its calls are made.
const SURE_OF_CALLS: u64 = 100;

/// The stacks of a side with samples: addresses in the program's file, leaf first, and the samples.
#[derive(Debug, Default)]
struct SampledStacks {
    /// By stack: where its addresses end.
    ends: Vec<usize>,
    /// Those of leaves where they are, of callers where they called, and whether it is the leaf of the stack.
    addrs: Vec<(u64, bool)>,
    samples: Vec<u64>,
    /// Of stacks without an address in the program, too.
    all: u64,
}

impl SampledStacks {
    fn push(&mut self, leaf_first: impl Iterator<Item = (u64, bool)>, samples: u64) {
        self.all += samples;
        let from = self.addrs.len();
        self.addrs.extend(leaf_first);
        if self.addrs.len() > from {
            self.ends.push(self.addrs.len());
            self.samples.push(samples);
        }
    }

    /// Where each sample lies in some code: the address nearest to the leaf, whether it is the leaf, and how many there are.
    fn within<'s>(&'s self, code: &'s [Range<u64>]) -> impl Iterator<Item = (u64, bool, u64)> + 's {
        let starts = std::iter::once(0).chain(self.ends.iter().copied());
        starts.zip(&self.ends).zip(&self.samples).filter_map(|((from, to), samples)| {
            let mut addrs = self.addrs.get(from..*to)?.iter();
            let (addr, is_leaf) = addrs.find(|(addr, _)| code.iter().any(|part| part.contains(addr)))?;
            Some((*addr, *is_leaf, *samples))
        })
    }

    /// Where some code made its calls; `None` if it has too few samples under them to tell.
    fn calls_made(&self, code: &[Range<u64>]) -> Option<BTreeSet<u64>> {
        let under_calls = self.within(code).filter(|(_, is_leaf, _)| !is_leaf);
        let (made, samples): (BTreeSet<u64>, Vec<u64>) =
            under_calls.map(|(addr, _, samples)| (addr, samples)).unzip();
        (samples.iter().sum::<u64>() >= SURE_OF_CALLS).then_some(made)
    }
}

/// The code that two lists have both, each in order.
fn both(one: &[Range<u64>], other: &[Range<u64>]) -> Vec<Range<u64>> {
    let of = |a: &Range<u64>| {
        let from = other.partition_point(|b| b.end <= a.start);
        let shared = other.iter().skip(from).take_while(|b| b.start < a.end);
        shared.map(|b| a.start.max(b.start)..a.end.min(b.end)).collect::<Vec<_>>()
    };
    one.iter().flat_map(of).collect()
}

/// The length of some code.
fn bytes(code: &[Range<u64>]) -> u64 {
    code.iter().map(|range| range.end.saturating_sub(range.start)).sum()
}

/// Whether an address lies in some code, given in order.
fn is_within(code: &[Range<u64>], addr: u64) -> bool {
    let after = code.partition_point(|range| range.start <= addr);
    after.checked_sub(1).and_then(|at| code.get(at)).is_some_and(|range| range.contains(&addr))
}

/// Whether a call was made, as far as is known.
fn was_made(made: Option<&BTreeSet<u64>>, call: &Range<u64>) -> bool {
    made.is_none_or(|made| made.range(call.clone()).next().is_some())
}

/// The files of both builds, opened when they are asked for.
#[derive(Debug)]
pub(crate) struct ProgramPaths<'a> {
    prepared: &'a Prepared,
    files: PerSide<Option<PathBuf>>,
    opened: PerSide<OnceLock<Option<CallPaths>>>,
    sampled: PerSide<OnceLock<Option<SampledStacks>>>,
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

    /// Where some code made its calls; `None` if that is not known. A callee without a frame hides its caller.
    fn calls_made(&self, side: Side, bodies: &[Range<u64>], callees: &[u64]) -> Option<BTreeSet<u64>> {
        self.of(side)?.have_frames(callees).then(|| self.sampled(side)?.calls_made(bodies))?
    }

    fn sampled(&self, side: Side) -> Option<&SampledStacks> {
        self.sampled[side].get_or_init(|| self.read_samples(side)).as_ref()
    }

    /// The samples of all runs of a side; `None` if no address of the program was recorded.
    fn read_samples(&self, side: Side) -> Option<SampledStacks> {
        let file = self.files[side].as_deref()?;
        let program = self.prepared.normal().program()?;
        let paths: BTreeSet<&str> = program.paths[side].iter().map(String::as_str).collect();
        let build = self.prepared.build_side(side);
        let lookup = self.prepared.given().reading.lookup.as_ref()?;
        let code = CodeFile::open(file, &lookup.options(&build.given.binaries)).ok()?;
        let samples = self.prepared.normal().samples_of_stacks(&self.prepared.sides(), side);
        let mut sampled = SampledStacks::default();
        for (run, samples) in build.read.runs.iter().zip(samples) {
            let addrs = frame_addrs(run, &paths, file, &code);
            let lookups = Lookups::new(&run.profile);
            let is_inlined = |id: FrameId| run.profile.frames.get(id.index()).is_some_and(|of| of.inlined);
            for (stack, samples) in (0..).map(StackId).zip(samples).filter(|(_, samples)| *samples > 0) {
                let frames: Vec<(FrameId, Lookup)> = lookups.of(run.profile.stacks.get(stack)).collect();
                let last = frames.last().map(|(id, _)| *id);
                let addr = |(id, lookup): &(FrameId, Lookup)| {
                    let addr = addrs.get(id.index()).copied().flatten().filter(|_| !is_inlined(*id))?;
                    let before_return = addr.0.saturating_sub(u64::from(*lookup == Lookup::MinusOne));
                    Some((before_return, Some(*id) == last))
                };
                sampled.push(frames.iter().rev().filter_map(addr), samples);
            }
        }
        (!sampled.ends.is_empty()).then_some(sampled)
    }
}

impl CodePaths for ProgramPaths<'_> {
    fn look_ahead(&self) {
        let read = |side: Side| self.of(side).iter().for_each(|paths| paths.look_ahead());
        rayon::join(|| read(Side::Before), || read(Side::After));
    }

    fn has_files(&self) -> bool {
        Side::BOTH.into_iter().all(|side| self.of(side).is_some())
    }

    fn can_skip(&self, side: Side, bodies: &[Range<u64>], callees: &[u64]) -> Option<bool> {
        self.of(side)?.can_skip(bodies, callees)
    }

    fn samples_around(&self, side: Side, bodies: &[Range<u64>], callees: &[u64]) -> Option<SamplesAround> {
        let ways = self.of(side)?.ways_around(bodies, callees)?;
        let sampled = self.sampled(side)?;
        let once = self.of(side)?.run_once(bodies).map(|once| once.at_most).unwrap_or_default();
        let around_once = both(&once, &ways);
        let mut samples = SamplesAround {
            all: sampled.all,
            around_bytes: bytes(&ways),
            own_bytes: bytes(bodies),
            around_once: SampledCode { samples: 0, bytes: bytes(&around_once) },
            own_once: SampledCode { samples: 0, bytes: bytes(&once) },
            ..SamplesAround::default()
        };
        let mut by_addr: BTreeMap<u64, CodeSamples> = BTreeMap::new();
        for (addr, is_leaf, count) in sampled.within(bodies) {
            let at = by_addr.entry(addr).or_default();
            at.leaves += if is_leaf { count } else { 0 };
            at.all += count;
            samples.own += if is_leaf { count } else { 0 };
            samples.around += if is_within(&ways, addr) { count } else { 0 };
            samples.around_once.samples += if is_leaf && is_within(&around_once, addr) { count } else { 0 };
            samples.own_once.samples += if is_leaf && is_within(&once, addr) { count } else { 0 };
        }
        let within = |code: &Range<u64>| {
            by_addr.range(code.clone()).fold(CodeSamples::default(), |sum, (_, at)| CodeSamples {
                leaves: sum.leaves + at.leaves,
                all: sum.all + at.all,
            })
        };
        samples.is_hardly_taken = self.of(side)?.hardly_skips(bodies, callees, &within) == Some(true);
        Some(samples)
    }

    fn least_calls(&self, side: Side, bodies: &[Range<u64>], callees: &[u64]) -> Option<u32> {
        self.of(side)?.least_calls(bodies, callees)
    }

    fn conditions_around(
        &self,
        side: Side,
        bodies: &[Range<u64>],
        callees: &[u64],
    ) -> Option<Vec<ConditionAround>> {
        let ways = self.of(side)?.conditions_around(bodies, callees)?;
        let at: Vec<(u64, bool, u64)> = self.sampled(side)?.within(bodies).collect();
        let samples = |code: &[Range<u64>]| {
            at.iter().filter(|(addr, ..)| is_within(code, *addr)).map(|(.., count)| count).sum()
        };
        let own = |code: &[Range<u64>]| {
            let own = at.iter().filter(|(addr, is_leaf, _)| *is_leaf && is_within(code, *addr));
            SampledCode { samples: own.map(|(.., count)| count).sum(), bytes: bytes(code) }
        };
        let condition = |way: WayAround| ConditionAround {
            samples: samples(&way.code),
            bytes: bytes(&way.code),
            other_way: SampledCode { samples: samples(&way.other_way), bytes: bytes(&way.other_way) },
            other_way_once: own(&way.other_way_once),
            asks: way.asks,
        };
        let mut conditions: Vec<ConditionAround> = ways.into_iter().map(condition).collect();
        conditions.sort_unstable();
        Some(conditions)
    }

    fn conditions(&self, side: Side, bodies: &[Range<u64>]) -> Option<Vec<Box<str>>> {
        self.of(side)?.conditions(bodies)
    }

    fn samples_beside(
        &self,
        side: Side,
        bodies: &[Range<u64>],
        asks: &[String],
    ) -> Option<Vec<ConditionAround>> {
        let ways = self.of(side)?.both_ways(bodies, asks)?;
        let at: Vec<(u64, bool, u64)> = self.sampled(side)?.within(bodies).collect();
        let samples = |code: &Vec<Range<u64>>| {
            at.iter().filter(|(addr, ..)| is_within(code, *addr)).map(|(.., count)| count).sum::<u64>()
        };
        let less_taken = |ways: BothWays| {
            let of = ways.code.iter().map(|code| (samples(code), bytes(code)));
            let (samples, bytes) = of.min().unwrap_or_default();
            ConditionAround { asks: ways.asks, samples, bytes, ..ConditionAround::default() }
        };
        let mut conditions: Vec<ConditionAround> = ways.into_iter().map(less_taken).collect();
        conditions.sort_unstable();
        Some(conditions)
    }

    fn turns_around(&self, side: Side, bodies: &[Range<u64>], callees: &[u64]) -> Option<TurnsAround> {
        let turns = self.of(side)?.turns_around(bodies, callees)?;
        let sampled = self.sampled(side)?;
        let [mut taken, mut own] = [0; 2];
        for (addr, is_leaf, count) in sampled.within(bodies) {
            taken += if is_within(&turns.code, addr) { count } else { 0 };
            own += if is_leaf && is_within(&turns.once, addr) { count } else { 0 };
        }
        Some(TurnsAround {
            can_skip: turns.can_skip,
            makes_several: turns.makes_several,
            taken,
            bytes: bytes(&turns.code),
            own,
            own_bytes: bytes(&turns.once),
            exits: turns.exits,
            other_calls: turns.other_calls,
            all: sampled.all,
        })
    }

    fn samples_under_calls(&self, side: Side, bodies: &[Range<u64>], callees: &[u64]) -> Option<Vec<u64>> {
        let calls = self.of(side)?.calls(bodies, callees)?;
        let mut samples = vec![0; calls.len()];
        for (addr, _, count) in self.sampled(side)?.within(bodies).filter(|(_, is_leaf, _)| !is_leaf) {
            let under = calls.iter().position(|call| call.contains(&addr)).and_then(|at| samples.get_mut(at));
            under.into_iter().for_each(|samples| *samples += count);
        }
        Some(samples)
    }

    fn calls_in_a_row(&self, side: Side, bodies: &[Range<u64>], callees: &[u64]) -> Option<usize> {
        self.of(side)?.calls_in_a_row(bodies, callees)
    }

    fn repeats(&self, side: Side, bodies: &[Range<u64>], callees: &[u64]) -> Option<bool> {
        let made = self.calls_made(side, bodies, callees);
        self.of(side)?.repeats(bodies, callees, &|call| was_made(made.as_ref(), call))
    }

    fn calls_in_loop(&self, side: Side, bodies: &[Range<u64>], callees: &[u64]) -> Option<bool> {
        let made = self.calls_made(side, bodies, callees);
        self.of(side)?.calls_in_loop(bodies, callees, &|call| was_made(made.as_ref(), call))
    }

    fn samples_once(&self, side: Side, bodies: &[Range<u64>]) -> Option<SamplesOnce> {
        let RunOnce { at_most, always } = self.of(side)?.run_once(bodies)?;
        let sampled = self.sampled(side)?;
        let mut samples = SamplesOnce { all: sampled.all, ..SamplesOnce::default() };
        let mut in_every_call = 0;
        for (addr, _, count) in sampled.within(bodies).filter(|(_, is_leaf, _)| *is_leaf) {
            samples.own += count;
            samples.once += if is_within(&at_most, addr) { count } else { 0 };
            in_every_call += always.as_ref().filter(|code| is_within(code, addr)).map_or(0, |_| count);
        }
        samples.in_every_call =
            always.map(|code| SampledCode { samples: in_every_call, bytes: bytes(&code) });
        Some(samples)
    }

    fn samples_at_one(&self, side: Side, bodies: &[Range<u64>]) -> Option<SamplesAtOne> {
        let mut by_address: BTreeMap<u64, u64> = BTreeMap::new();
        for (addr, _, count) in self.sampled(side)?.within(bodies).filter(|(_, is_leaf, _)| *is_leaf) {
            *by_address.entry(addr).or_default() += count;
        }
        let most = by_address.values().copied().max().unwrap_or(0);
        Some(SamplesAtOne { most, own: by_address.values().sum() })
    }

    fn has_loop(&self, side: Side, bodies: &[Range<u64>]) -> Option<bool> {
        self.of(side)?.has_loop(bodies)
    }

    fn frame_bytes(&self, side: Side, bodies: &[Range<u64>]) -> Option<u64> {
        self.of(side)?.frame_bytes(bodies)
    }

    fn change(&self, bodies: PerSide<&[Range<u64>]>) -> Option<CodeChange> {
        let (before, after) = (self.of(Side::Before)?, self.of(Side::After)?);
        before.change(bodies.before, (after, bodies.after))
    }

    fn ways_to(&self, side: Side, function: &str) -> Vec<u64> {
        self.of(side).map(|paths| paths.ways_to(function)).unwrap_or_default()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn calls_without_a_sample_were_not_made_where_others_have_many() {
        let code = [0x100..0x200, 0x300..0x310];
        let made_with = |samples: u64| {
            let mut sampled = SampledStacks::default();
            // The leaf is elsewhere, called from 0x110; then it is at 0x120 itself, which calls nothing.
            sampled.push([(0x900, true), (0x110, false), (0x150, false)].into_iter(), samples);
            sampled.push([(0x120, true)].into_iter(), 1000);
            sampled.push([(0x900, true), (0x800, false)].into_iter(), 1000);
            sampled.calls_made(&code)
        };
        assert_eq!(made_with(SURE_OF_CALLS), Some(BTreeSet::from([0x110])));
        assert_eq!(made_with(SURE_OF_CALLS - 1), None);
    }
}
