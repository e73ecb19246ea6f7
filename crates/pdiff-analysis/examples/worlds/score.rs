//! What a comparison said, held against the truth.

use std::collections::HashMap;

use crate::truth::{TrueRow, Truth};
use crate::world::Change;

/// Lower and upper end of an interval.
pub(crate) type Interval = (f64, f64);

/// What a comparison said.
pub(crate) struct Seen {
    pub(crate) rows: Vec<SeenRow>,
    /// 95 % interval of the logarithm of the cost of an operation after over that before.
    pub(crate) log_cost_interval: Option<Interval>,
    /// The same of throughput.
    pub(crate) log_gap_interval: Option<Interval>,
    /// It warned that shares drift, or that the load runs in phases.
    pub(crate) is_warned: bool,
    /// It warned that the gap is hardly more than noise.
    pub(crate) is_gap_warned: bool,
}

/// What it said of a function.
pub(crate) struct SeenRow {
    pub(crate) name: String,
    /// 95 % interval of the change of share, where that was tested.
    pub(crate) interval_pp: Option<Interval>,
    pub(crate) significant: bool,
    /// Whether its cost changed on its own, where that was tested.
    pub(crate) has_own_cost: Option<bool>,
    /// 95 % interval of its part of the gap in throughput, in percent.
    pub(crate) gap_share_interval_pct: Option<Interval>,
    /// 95 % intervals of the logarithms of the ratios of its instructions per operation, and of their price.
    pub(crate) log_ratio_intervals: Option<[Interval; 2]>,
}

/// A part of a whole, with sums over worlds: what is seen in one world hangs together.
#[derive(Default)]
struct Part {
    /// Hits and cases of the world that is being looked at.
    world: (f64, f64),
    hits: f64,
    of: f64,
    /// Sums over worlds of hits squared, of hits times cases, and of cases squared.
    squares: [f64; 3],
}

impl Part {
    /// Whether an interval contains the truth, where there is one.
    fn add_interval(&mut self, interval: Option<Interval>, truth: f64) {
        if let Some((low, high)) = interval {
            self.add(low <= truth && truth <= high);
        }
    }

    fn add(&mut self, hit: bool) {
        let (hits, of) = self.world;
        self.world = (hits + f64::from(u8::from(hit)), of + 1.0);
    }

    fn end_world(&mut self) {
        let (hits, of) = std::mem::take(&mut self.world);
        self.hits += hits;
        self.of += of;
        let squares = [hits * hits, hits * of, of * of];
        self.squares.iter_mut().zip(squares).for_each(|(sum, square)| *sum += square);
    }

    /// In percent, with its standard error: that of a ratio of two sums over worlds.
    fn percent(&self) -> String {
        if self.of == 0.0 {
            return "-".to_owned();
        }
        let part = self.hits / self.of;
        let [hits, both, of] = self.squares;
        let squares = (hits - 2.0 * part * both + part * part * of).max(0.0);
        let error = squares.sqrt() / self.of;
        format!("{:.1} +- {:.1}", 100.0 * part, 100.0 * error)
    }
}

/// Sums over worlds.
#[derive(Default)]
pub(crate) struct Score {
    worlds: f64,
    any_false: Part,
    warned: Part,
    divided: Part,
    gap_warned: Part,
    /// Sum over worlds of the false part of the rows shown, and of its square.
    false_part: f64,
    false_part_squares: f64,
    found: f64,
    rows: Part,
    cost: Part,
    gap: Part,
    gap_shares: Part,
    counts: Part,
    prices: Part,
    own_found: Part,
    any_false_own: Part,
}

impl Score {
    pub(crate) const HEADINGS: [&str; 13] = [
        "any false row %",
        "warned %",
        "false part of rows shown %",
        "true rows shown",
        "share intervals hold %",
        "cost intervals hold %",
        "gap intervals hold %",
        "gap divided %",
        "gap warned of, if divided %",
        "gap share intervals hold %",
        "count and price intervals hold %",
        "own cost found %",
        "any false own cost %",
    ];

    pub(crate) fn add(&mut self, truth: &Truth, seen: &Seen) {
        let by_name: HashMap<&str, &SeenRow> = seen.rows.iter().map(|row| (&*row.name, row)).collect();
        let (mut right, mut wrong, mut false_own, mut has_own_tests) = (0.0, 0.0, false, false);
        for of_row in &truth.rows {
            let Some(row) = by_name.get(of_row.name.as_str()) else { continue };
            self.add_intervals(of_row, row);
            let is_changed = of_row.delta_pp.abs() > 1e-9;
            if row.significant {
                *(if is_changed { &mut right } else { &mut wrong }) += 1.0;
            }
            has_own_tests |= row.has_own_cost.is_some();
            false_own |= row.has_own_cost == Some(true) && !of_row.has_own_cost;
        }
        self.worlds += 1.0;
        self.any_false.add(wrong > 0.0);
        self.warned.add(seen.is_warned);
        if seen.log_gap_interval.is_some() {
            let is_divided = seen.rows.iter().any(|row| row.gap_share_interval_pct.is_some());
            self.divided.add(is_divided);
            if is_divided {
                self.gap_warned.add(seen.is_gap_warned);
            }
        }
        let false_part: f64 = if wrong > 0.0 { wrong / (right + wrong) } else { 0.0 };
        self.false_part += false_part;
        self.false_part_squares += false_part * false_part;
        self.found += right;
        if has_own_tests {
            self.any_false_own.add(false_own);
        }
        let heavy = by_name.get("function_0").filter(|_| truth.change == Change::OneHeavy);
        if let Some(has_own_cost) = heavy.and_then(|row| row.has_own_cost) {
            self.own_found.add(has_own_cost);
        }
        self.cost.add_interval(seen.log_cost_interval, truth.log_cost);
        self.gap.add_interval(seen.log_gap_interval, truth.log_gap);
        for part in self.parts() {
            part.end_world();
        }
    }

    fn parts(&mut self) -> [&mut Part; 12] {
        [
            &mut self.any_false,
            &mut self.warned,
            &mut self.divided,
            &mut self.gap_warned,
            &mut self.rows,
            &mut self.cost,
            &mut self.gap,
            &mut self.gap_shares,
            &mut self.counts,
            &mut self.prices,
            &mut self.own_found,
            &mut self.any_false_own,
        ]
    }

    fn add_intervals(&mut self, truth: &TrueRow, row: &SeenRow) {
        self.rows.add_interval(row.interval_pp, truth.delta_pp);
        if let Some(share_pct) = truth.gap_share_pct {
            self.gap_shares.add_interval(row.gap_share_interval_pct, share_pct);
        }
        if let Some([count, price]) = row.log_ratio_intervals {
            self.counts.add_interval(Some(count), 0.0);
            self.prices.add_interval(Some(price), truth.log_cost);
        }
    }

    pub(crate) fn columns(&self) -> [String; 13] {
        let mean = self.false_part / self.worlds;
        let error = ((self.false_part_squares / self.worlds - mean * mean).max(0.0) / self.worlds).sqrt();
        [
            self.any_false.percent(),
            self.warned.percent(),
            format!("{:.1} +- {:.1}", 100.0 * mean, 100.0 * error),
            format!("{:.1}", self.found / self.worlds),
            self.rows.percent(),
            self.cost.percent(),
            self.gap.percent(),
            self.divided.percent(),
            self.gap_warned.percent(),
            self.gap_shares.percent(),
            format!("{}, {}", self.counts.percent(), self.prices.percent()),
            self.own_found.percent(),
            self.any_false_own.percent(),
        ]
    }
}
