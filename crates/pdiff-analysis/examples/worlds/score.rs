//! What a comparison said, held against the truth.

use std::collections::HashMap;

use crate::cells::Truth;
use crate::world::{Change, function_name};

/// What a comparison said.
pub(crate) struct Seen {
    pub(crate) rows: Vec<SeenRow>,
    /// 95 % interval of the logarithm of the cost of an operation after over that before.
    pub(crate) log_cost_interval: Option<(f64, f64)>,
    /// It warned that shares drift.
    pub(crate) is_warned: bool,
}

/// What it said of a function.
pub(crate) struct SeenRow {
    pub(crate) name: String,
    /// 95 % interval of the change of share, where that was tested.
    pub(crate) interval_pp: Option<(f64, f64)>,
    pub(crate) significant: bool,
    pub(crate) has_own_cost: bool,
}

/// A part of a whole.
#[derive(Default)]
struct Part {
    hits: f64,
    of: f64,
}

impl Part {
    fn add(&mut self, hit: bool) {
        self.hits += f64::from(u8::from(hit));
        self.of += 1.0;
    }

    /// In percent, with its standard error.
    fn percent(&self) -> String {
        if self.of == 0.0 {
            return "-".to_owned();
        }
        let part = self.hits / self.of;
        format!("{:.1} +- {:.1}", 100.0 * part, 100.0 * (part * (1.0 - part) / self.of).sqrt())
    }
}

/// Sums over worlds.
#[derive(Default)]
pub(crate) struct Score {
    worlds: f64,
    any_false: Part,
    any_false_without_warning: Part,
    /// Sum over worlds of the false part of the rows shown, and of its square.
    false_part: f64,
    false_part_squares: f64,
    found: f64,
    rows: Part,
    cost: Part,
    own_found: Part,
    any_false_own: Part,
}

impl Score {
    pub(crate) const HEADINGS: [&str; 8] = [
        "any false row %",
        "and no warning %",
        "false part of rows shown %",
        "true rows shown",
        "share intervals hold %",
        "cost intervals hold %",
        "own cost found %",
        "any false own cost %",
    ];

    pub(crate) fn add(&mut self, truth: &Truth, seen: &Seen) {
        let by_name: HashMap<&str, &SeenRow> = seen.rows.iter().map(|row| (row.name.as_str(), row)).collect();
        let (mut right, mut wrong, mut false_own) = (0.0, 0.0, false);
        for (function, delta_pp) in truth.delta_pp.iter().enumerate() {
            let name = function_name(function);
            let Some(row) = by_name.get(name.as_str()) else { continue };
            if let Some((low, high)) = row.interval_pp {
                self.rows.add(low <= *delta_pp && *delta_pp <= high);
            }
            let is_changed = delta_pp.abs() > 1e-9;
            if row.significant {
                *(if is_changed { &mut right } else { &mut wrong }) += 1.0;
            }
            false_own |= row.has_own_cost && !truth.has_own_cost(function);
        }
        self.worlds += 1.0;
        self.any_false.add(wrong > 0.0);
        self.any_false_without_warning.add(wrong > 0.0 && !seen.is_warned);
        let false_part: f64 = if wrong > 0.0 { wrong / (right + wrong) } else { 0.0 };
        self.false_part += false_part;
        self.false_part_squares += false_part * false_part;
        self.found += right;
        self.any_false_own.add(false_own);
        if truth.change == Change::OneHeavy {
            self.own_found.add(by_name.get("function_0").is_some_and(|row| row.has_own_cost));
        }
        if let Some((low, high)) = seen.log_cost_interval {
            self.cost.add(low <= truth.log_cost && truth.log_cost <= high);
        }
    }

    pub(crate) fn columns(&self) -> [String; 8] {
        let mean = self.false_part / self.worlds;
        let error = ((self.false_part_squares / self.worlds - mean * mean).max(0.0) / self.worlds).sqrt();
        [
            self.any_false.percent(),
            self.any_false_without_warning.percent(),
            format!("{:.1} +- {:.1}", 100.0 * mean, 100.0 * error),
            format!("{:.1}", self.found / self.worlds),
            self.rows.percent(),
            self.cost.percent(),
            self.own_found.percent(),
            self.any_false_own.percent(),
        ]
    }
}

impl Truth {
    /// Whether a function's own cost changed.
    fn has_own_cost(&self, function: usize) -> bool {
        match self.change {
            Change::Nothing | Change::AllDearer => false,
            Change::OneHeavy => function == 0,
            Change::Twenty | Change::ManyLight => {
                self.delta_pp.get(function).is_some_and(|delta| *delta != 0.0)
            }
        }
    }
}
