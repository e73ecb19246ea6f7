//! Answers about the code of both builds, for tests.

use std::ops::Range;

use pdiff_analysis::classify::{
    CodePaths, ConditionAround, SampledCode, SamplesAround, SamplesAtOne, SamplesOnce, TurnsAround,
};
use pdiff_profile::{CodeChange, OtherNumber, PerSide, Side};

/// Answers for one function's calls of another, base first; the places of both are those of their names in order.
#[derive(Debug, Default)]
pub(crate) struct Ways {
    pub(crate) caller: u64,
    pub(crate) callee: u64,
    /// Where another function begins that contains the same code.
    pub(crate) alike: u64,
    pub(crate) can_skip: PerSide<Option<bool>>,
    /// The calls that every way makes at least.
    pub(crate) least_calls: PerSide<Option<u32>>,
    /// Where a function with a loop begins.
    pub(crate) looping: u64,
    /// Whether it has none before.
    pub(crate) is_looping_after_only: bool,
    /// Whether ways without a call lead through code that hardly runs.
    pub(crate) is_hardly_taken: bool,
    /// Samples on ways without a call, and all.
    pub(crate) around: PerSide<Option<[u64; 2]>>,
    /// The length of the code on these ways, of 200 bytes.
    pub(crate) around_bytes: u64,
    /// Samples outside of loops on these ways, and the length of that code.
    pub(crate) around_once: SampledCode,
    /// Whether the call is in a loop.
    pub(crate) repeats: bool,
    /// Whether it only follows another one.
    pub(crate) is_in_no_loop: bool,
    /// What it asks where it may leave a way to the call, with the samples there, the bytes, and the samples in as
    /// many bytes on the other way, and in that code itself: `null:3 small:40/8 kind:0/8/2/1`.
    pub(crate) conditions: PerSide<Option<&'static str>>,
    /// Samples in the callee's code outside of loops, and in all of it; by default a tenth, and ten times as many after.
    pub(crate) once: PerSide<Option<[u64; 2]>>,
    /// Samples in what every call of it runs; by default not known.
    pub(crate) in_every_call: PerSide<Option<u64>>,
    /// The same of the caller.
    pub(crate) every_call_of_caller: PerSide<Option<u64>>,
    /// The length of that code of the caller; by default 40 bytes.
    pub(crate) every_call_bytes: PerSide<Option<u64>>,
    /// The most samples at one instruction of the callee, and those in all of its code; by default not known.
    pub(crate) at_one: PerSide<Option<[u64; 2]>>,
    /// How many calls lead to another one.
    pub(crate) in_a_row: PerSide<usize>,
    /// Samples under each call.
    pub(crate) under_calls: PerSide<&'static [u64]>,
    /// What conditions ask before, with the samples on the less taken way: `one:40`.
    pub(crate) beside: &'static str,
    /// What all conditions in the caller's code ask.
    pub(crate) asks: PerSide<Option<&'static str>>,
    /// Where a function above begins, and what all conditions in its code ask.
    pub(crate) above: (u64, PerSide<&'static str>),
    /// Where other functions begin, and what all conditions in their code ask.
    pub(crate) asks_of: Vec<(u64, PerSide<&'static str>)>,
    /// Where a function above begins, and what it asks where it may go past what it calls.
    pub(crate) past: (u64, PerSide<&'static str>),
    /// The bytes that functions take of the stack.
    pub(crate) frames: PerSide<u64>,
    /// The numbers that differ in the code of functions, by where these begin before.
    pub(crate) numbers: Vec<(u64, OtherNumber)>,
    /// Whether a turn of the loop around the call can go on without it, and the samples there.
    pub(crate) turns: PerSide<Option<(bool, u64)>>,
    /// Whether a turn may make several calls.
    pub(crate) makes_several: bool,
    /// The length of the code of turns without the call; by default more than next to nothing.
    pub(crate) turn_bytes: Option<u64>,
    /// Samples in the loop's own code, and its length.
    pub(crate) in_loop: PerSide<u64>,
    pub(crate) loop_bytes: PerSide<u64>,
    /// What is asked where that loop may be left.
    pub(crate) exits: PerSide<&'static str>,
    /// How many other calls that loop has.
    pub(crate) other_calls: PerSide<usize>,
    /// Where functions begin before whose instructions are other ones.
    pub(crate) rewritten: Vec<u64>,
}

impl Ways {
    fn is_asked(&self, bodies: &[Range<u64>], callees: &[u64]) -> bool {
        let is_it = |body: &Range<u64>| body.start == self.caller || body.start == self.alike;
        bodies.first().is_some_and(is_it) && callees == [self.callee]
    }
}

impl CodePaths for Ways {
    fn has_files(&self) -> bool {
        true
    }

    fn can_skip(&self, side: Side, bodies: &[Range<u64>], callees: &[u64]) -> Option<bool> {
        self.can_skip[side].filter(|_| self.is_asked(bodies, callees))
    }

    fn least_calls(&self, side: Side, bodies: &[Range<u64>], callees: &[u64]) -> Option<u32> {
        self.least_calls[side].filter(|_| self.is_asked(bodies, callees))
    }

    fn samples_around(&self, side: Side, bodies: &[Range<u64>], callees: &[u64]) -> Option<SamplesAround> {
        let samples = |[around, all]: [u64; 2]| SamplesAround {
            around,
            own: all / 100,
            all,
            around_bytes: self.around_bytes,
            own_bytes: 200,
            around_once: self.around_once,
            own_once: SampledCode { samples: all / 100, bytes: 200 },
            is_hardly_taken: self.is_hardly_taken,
        };
        self.around[side].filter(|_| self.is_asked(bodies, callees)).map(samples)
    }

    fn conditions_around(
        &self,
        side: Side,
        bodies: &[Range<u64>],
        callees: &[u64],
    ) -> Option<Vec<ConditionAround>> {
        if bodies.first().is_some_and(|body| body.start == self.past.0) {
            let asks = self.past.1[side].split_whitespace();
            return Some(
                asks.map(|asks| ConditionAround {
                    asks: asks.into(),
                    bytes: 100,
                    ..ConditionAround::default()
                })
                .collect(),
            );
        }
        let condition = |word: &str| {
            let (asks, samples) = word.split_once(':')?;
            let mut numbers = samples.split('/').map(|number| number.parse().ok());
            let mut next = |by_default: u64| numbers.next().unwrap_or(Some(by_default));
            let (samples, bytes) = (next(0)?, next(100)?);
            Some(ConditionAround {
                asks: asks.into(),
                samples,
                bytes,
                other_way: SampledCode { samples: next(0)?, bytes },
                other_way_once: SampledCode { samples: next(0)?, bytes },
            })
        };
        let mut conditions: Vec<ConditionAround> = self.conditions[side]
            .filter(|_| self.is_asked(bodies, callees))?
            .split_whitespace()
            .filter_map(condition)
            .collect();
        conditions.sort_unstable();
        Some(conditions)
    }

    fn conditions(&self, side: Side, bodies: &[Range<u64>]) -> Option<Vec<Box<str>>> {
        let start = bodies.first()?.start;
        let of_caller = || self.asks[side].filter(|_| start == self.caller);
        let of_above = || Some(self.above.1[side]).filter(|_| start == self.above.0);
        let of_other = || self.asks_of.iter().find(|(at, _)| *at == start).map(|(_, asks)| asks[side]);
        let asks = of_caller().or_else(of_above).or_else(of_other)?;
        Some(asks.split_whitespace().map(Into::into).collect())
    }

    fn turns_around(&self, side: Side, bodies: &[Range<u64>], callees: &[u64]) -> Option<TurnsAround> {
        let turns = |(can_skip, taken)| TurnsAround {
            can_skip,
            makes_several: self.makes_several,
            taken,
            bytes: self.turn_bytes.unwrap_or(17),
            own: self.in_loop[side],
            own_bytes: self.loop_bytes[side],
            exits: self.exits[side].split_whitespace().map(Into::into).collect(),
            other_calls: self.other_calls[side],
            all: 10_000,
        };
        self.turns[side].filter(|_| self.is_asked(bodies, callees)).map(turns)
    }

    fn samples_under_calls(&self, side: Side, bodies: &[Range<u64>], callees: &[u64]) -> Option<Vec<u64>> {
        self.is_asked(bodies, callees).then(|| self.under_calls[side].to_vec())
    }

    fn calls_in_a_row(&self, side: Side, bodies: &[Range<u64>], callees: &[u64]) -> Option<usize> {
        self.is_asked(bodies, callees).then_some(self.in_a_row[side])
    }

    fn repeats(&self, _: Side, _: &[Range<u64>], _: &[u64]) -> Option<bool> {
        Some(self.repeats)
    }

    fn calls_in_loop(&self, _: Side, _: &[Range<u64>], _: &[u64]) -> Option<bool> {
        Some(self.repeats && !self.is_in_no_loop)
    }

    fn samples_beside(&self, _: Side, _: &[Range<u64>], asks: &[String]) -> Option<Vec<ConditionAround>> {
        let beside = |word: &str| {
            let (of, samples) = word.split_once(':')?;
            Some(ConditionAround {
                asks: of.into(),
                samples: samples.parse().ok()?,
                bytes: 100,
                ..ConditionAround::default()
            })
        };
        let mut conditions: Vec<ConditionAround> =
            self.beside.split_whitespace().filter_map(beside).collect();
        conditions.retain(|condition| asks.iter().any(|asks| **asks == *condition.asks));
        conditions.sort_unstable();
        Some(conditions)
    }

    fn samples_once(&self, side: Side, bodies: &[Range<u64>]) -> Option<SamplesOnce> {
        let is_caller = bodies.first().is_some_and(|body| body.start == self.caller);
        let in_every_call =
            if is_caller { self.every_call_of_caller[side] } else { self.in_every_call[side] };
        let bytes = if is_caller { self.every_call_bytes[side].unwrap_or(40) } else { 40 };
        let in_every_call = in_every_call.map(|samples| SampledCode { samples, bytes });
        let samples = |[once, own]: [u64; 2]| SamplesOnce { once, in_every_call, own, all: 10_000 };
        let by_default = PerSide::new([10, 100], [100, 1000]);
        Some(samples(self.once[side].unwrap_or(by_default[side])))
    }

    fn samples_at_one(&self, side: Side, _: &[Range<u64>]) -> Option<SamplesAtOne> {
        self.at_one[side].map(|[most, own]| SamplesAtOne { most, own })
    }

    fn has_loop(&self, side: Side, bodies: &[Range<u64>]) -> Option<bool> {
        let has = side == Side::After || !self.is_looping_after_only;
        bodies.first().map(|body| has && body.start == self.looping)
    }

    fn frame_bytes(&self, side: Side, _: &[Range<u64>]) -> Option<u64> {
        Some(self.frames[side])
    }

    fn change(&self, bodies: PerSide<&[Range<u64>]>) -> Option<CodeChange> {
        let start = bodies.before.first()?.start;
        if self.rewritten.contains(&start) {
            return Some(CodeChange::Instructions);
        }
        let of_it = self.numbers.iter().filter(|(at, _)| *at == start);
        let numbers: Vec<OtherNumber> = of_it.map(|(_, number)| *number).collect();
        (!numbers.is_empty()).then_some(CodeChange::Numbers(numbers))
    }

    fn ways_to(&self, _: Side, function: &str) -> Vec<u64> {
        if function == "lock" { vec![self.callee] } else { Vec::new() }
    }
}
