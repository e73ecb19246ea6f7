//! Which changes of waits are more than noise.
//!
//! A wait is tested as a share of a constant: the seconds of the recording times the most threads that had work at once on
//! average, in any recording of either side. Unlike a share of all waits, such a share does not fall if another wait grows, and
//! times that constant it is seconds of waiting per second. Shares of places and findings are judged as those of functions
//! are ([`judge`]). If operations are known, what is tested is the change beyond what the change of throughput explains.
//!
//! Waits vary more from run to run than CPU time does: they depend on which threads meet. With one recording a side, this
//! variation is assumed ([`SINGLE_RUN_WAIT_CV`]).

use std::collections::BTreeMap;

use pdiff_profile::{PerSide, Profile, Side};

use super::comparison::Cost;
use super::prepare::PreparedRun;
use super::waiting::{WaitChange, WaitNoise};
use crate::noise::{
    CommonFactor, Denominator, Excess, JudgedExcess, Judgement, NoiseSettings, Row, RowNoise, RowRun,
    RunBlocks, SINGLE_RUN_CV_DF, ShareChange, Test, critical_t, judge, judge_excesses,
};

/// Run-to-run coefficient of variation of a wait that is assumed with one recording a side.
pub const SINGLE_RUN_WAIT_CV: f64 = 0.25;

/// Waits in a second of waiting, where recordings do not count them (folded stacks).
const ASSUMED_WAITS_PER_S: f64 = 1000.0;

const NS_PER_S: u64 = 1_000_000_000;

/// A recording, with all that its threads did except waiting for work.
struct Recorded<'a> {
    side: Side,
    profile: &'a Profile,
    host: Option<u32>,
    /// Seconds of all threads.
    busy_s: f64,
    /// Number of waits.
    waits: u64,
}

/// The recordings of both sides, each once: it is in all states that its threads were in.
#[derive(Default)]
pub(super) struct Recordings<'a>(Vec<Recorded<'a>>);

/// One recording's waits at a place or in a finding.
#[derive(Default)]
struct RunWaits {
    /// Seconds of waiting that began in each second of the recorder's clock.
    of_seconds: BTreeMap<u32, f64>,
    count: u64,
}

/// The waits at a place or in a finding, by recording.
#[derive(Default)]
pub(super) struct WaitTimes(BTreeMap<usize, RunWaits>);

impl WaitTimes {
    pub(super) fn add(&mut self, recording: usize, second: u32, seconds: f64, count: u64) {
        let of_run = self.0.entry(recording).or_default();
        *of_run.of_seconds.entry(second).or_default() += seconds;
        of_run.count += count;
    }
}

impl<'a> Recordings<'a> {
    /// The number of a recording.
    pub(super) fn number(&mut self, run: &PreparedRun<'a>) -> usize {
        let profile = run.input.profile;
        let is_it = |known: &Recorded<'_>| known.side == run.side && std::ptr::eq(known.profile, profile);
        self.0.iter().position(is_it).unwrap_or_else(|| {
            self.0.push(Recorded { side: run.side, profile, host: run.host, busy_s: 0.0, waits: 0 });
            self.0.len() - 1
        })
    }

    /// Adds time that threads had work.
    pub(super) fn add(&mut self, recording: usize, seconds: f64, waits: u64) {
        if let Some(recorded) = self.0.get_mut(recording) {
            recorded.busy_s += seconds;
            recorded.waits += waits;
        }
    }

    /// Judges the changes of waits, in the order given.
    pub(super) fn judge(
        &self,
        waits: &[&WaitTimes],
        noise: &NoiseSettings,
        cost: Option<&Cost>,
    ) -> (Vec<WaitChange>, WaitNoise) {
        let is_repeated = Side::BOTH.into_iter().any(|side| self.of_side(side).count() > 1);
        let assumed_cv = noise.assumed_cv.or((!is_repeated).then_some(SINGLE_RUN_WAIT_CV));
        let noise = NoiseSettings { assumed_cv, ..*noise };
        let threads = self.0.iter().map(|run| run.busy_s / run.span_s().unwrap_or(1.0)).fold(0.0, f64::max);
        let blocks: Vec<Vec<f64>> = self.0.iter().map(|run| run.blocks(threads)).collect();
        let PerSide { before, after } = PerSide::from_fn(|side| {
            let of_side = self.0.iter().zip(&blocks).filter(|(run, _)| run.side == side);
            of_side.map(|(run, blocks)| run.denominator(blocks)).collect::<Vec<_>>()
        });
        let rows: Vec<Row> = waits.iter().map(|waits| self.row(waits, &blocks)).collect();
        let judgement = judge(&[Denominator { before, after }], &rows, &noise);
        let factor =
            Throughput::new(cost, &noise).filter(|_| self.0.iter().all(|run| run.span_s().is_some()));
        let changes = match &factor {
            Some(throughput) => throughput.changes(&judgement, threads, &noise),
            None => changes_of_rates(&judgement, threads),
        };
        let summary = WaitNoise {
            method: judgement.method,
            run_variation: judgement.run_variation,
            tests: judgement.tests,
        };
        (changes, summary)
    }

    fn of_side(&self, side: Side) -> impl Iterator<Item = &Recorded<'a>> {
        self.0.iter().filter(move |run| run.side == side)
    }

    fn row(&self, waits: &WaitTimes, blocks: &[Vec<f64>]) -> Row {
        let PerSide { before, after } = PerSide::from_fn(|side| {
            let of_side = self.0.iter().zip(blocks).enumerate().filter(|(_, (run, _))| run.side == side);
            of_side
                .map(|(at, (run, blocks))| {
                    waits.0.get(&at).map_or_else(RowRun::default, |waits| run.row(waits, blocks))
                })
                .collect::<Vec<_>>()
        });
        Row { denominator: 0, before, after }
    }
}

impl Recorded<'_> {
    fn span_s(&self) -> Option<f64> {
        self.profile.span.map(|span| span.seconds()).filter(|seconds| *seconds > 0.0)
    }

    /// The time of so many threads in each second of the recording; a single block without times.
    fn blocks(&self, threads: f64) -> Vec<f64> {
        let Some(span) = self.profile.span.filter(|_| self.span_s().is_some()) else { return vec![threads] };
        let of_second = |second: u64| {
            let begin = span.first_ns.max(second * NS_PER_S);
            let end = span.last_ns.min(second.saturating_add(1).saturating_mul(NS_PER_S));
            threads * end.saturating_sub(begin) as f64 / NS_PER_S as f64
        };
        (span.first_ns / NS_PER_S..=span.last_ns / NS_PER_S).map(of_second).collect()
    }

    fn denominator(&self, blocks: &[f64]) -> RunBlocks {
        let waits = self.waits.max(self.least_waits(self.busy_s));
        RunBlocks { host: self.host, ..RunBlocks::from_blocks(blocks, waits) }
    }

    fn row(&self, waits: &RunWaits, blocks: &[f64]) -> RowRun {
        let first = self.profile.span.map_or(0, |span| span.first_ns / NS_PER_S);
        let mut weights = vec![0.0; blocks.len()];
        for (second, seconds) in &waits.of_seconds {
            let at = u64::from(*second).saturating_sub(first).min(blocks.len().saturating_sub(1) as u64);
            weights.get_mut(at as usize).into_iter().for_each(|weight| *weight += seconds);
        }
        let all: f64 = weights.iter().sum();
        RowRun::from_blocks(&weights, blocks, waits.count.max(self.least_waits(all)))
    }

    /// The number of waits that is assumed where none are counted.
    fn least_waits(&self, seconds: f64) -> u64 {
        if self.span_s().is_some() { 0 } else { (ASSUMED_WAITS_PER_S * seconds) as u64 }
    }
}

/// The changes of rates: of seconds per second, or of seconds where recordings have no times.
fn changes_of_rates(judgement: &Judgement, threads: f64) -> Vec<WaitChange> {
    let rows = judgement.rows.iter();
    rows.map(|row| WaitChange {
        half: threads * (row.ci_high_pp - row.ci_low_pp) / 2.0 / 100.0,
        test: row.test,
        significant: row.significant,
    })
    .collect()
}

/// Operations per second, with how well their ratio is known.
struct Throughput {
    /// The factor on rates of waits that take as long per operation as before.
    factor: CommonFactor,
    tps_after: f64,
}

impl Throughput {
    fn new(cost: Option<&Cost>, noise: &NoiseSettings) -> Option<Self> {
        let gap = cost?.gap.as_ref()?;
        let measured = cost.map(|cost| cost.log_degrees_of_freedom).filter(|df| !gap.assumed && *df > 0.0);
        let degrees_of_freedom = measured.unwrap_or(SINGLE_RUN_CV_DF);
        let log = |pct: f64| (pct / 100.0).ln_1p();
        let half = (log(gap.interval_pct.1) - log(gap.interval_pct.0)) / 2.0;
        let log_se = half / critical_t(0.05, degrees_of_freedom);
        let log_se = if log_se.is_finite() { log_se } else { noise.single_run_cv() };
        let ratio = gap.tps.after / gap.tps.before;
        let is_usable = ratio.is_finite() && ratio > 0.0 && gap.tps.after > 0.0;
        let factor = CommonFactor { ratio, log_se, degrees_of_freedom };
        is_usable.then_some(Self { factor, tps_after: gap.tps.after })
    }

    fn changes(&self, judgement: &Judgement, threads: f64, noise: &NoiseSettings) -> Vec<WaitChange> {
        let excess = |row: &RowNoise| {
            self.factor.excess(ShareChange {
                before_pct: row.before_pct,
                after_pct: row.after_pct,
                se_pp: row.se_pp,
                degrees_of_freedom: row.degrees_of_freedom,
            })
        };
        let excesses: Vec<Excess> = judgement.rows.iter().map(excess).collect();
        let rows = || judgement.rows.iter().zip(&excesses);
        let tested: Vec<Option<Excess>> =
            rows().map(|(row, excess)| row.test.p().is_some().then_some(*excess)).collect();
        let judged = judge_excesses(&tested, &noise.floor, noise.false_discovery_rate);
        let ns_per_op = 1e9 * threads / 100.0 / self.tps_after;
        let change = |((row, excess), judged): ((&RowNoise, &Excess), Option<JudgedExcess>)| WaitChange {
            half: ns_per_op * excess.half_pp(),
            test: judged.map_or(row.test, |judged| Test::Tested { p: judged.p, q: judged.q }),
            significant: judged.is_some_and(|judged| judged.significant),
        };
        rows().zip(judged).map(change).collect()
    }
}
