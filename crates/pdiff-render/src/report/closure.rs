//! The chart of where the CPU goes: parts of the program before and after, and the steps from Before to After.
//!
//! A part is a subsystem; weight without a function is a separate part, and comes last, because it explains nothing. Self
//! sums over parts to the whole, so the bars close. Bars are elements with a width: they follow the window, the theme and
//! the printer, and say their number.

use std::collections::{BTreeMap, HashSet};

use pdiff_analysis::Comparison;

use super::ReportInput;
use super::axis::axis;
use super::text::escaped;
use crate::document::number::{CostUnit, fixed, signed};
use crate::flame::{CostTerms, FlameInput};

/// Parts that get a bar; the others are one.
const MOST_PARTS: usize = 14;

/// One part of the program.
struct Part {
    name: String,
    before: f64,
    after: f64,
    /// Percent of the throughput gap.
    gap_pct: Option<f64>,
    /// It has no function.
    is_unresolved: bool,
    /// Its change is beyond noise.
    is_significant: bool,
}

impl Part {
    fn change(&self) -> f64 {
        self.after - self.before
    }
}

/// All parts, the largest change first.
struct Parts {
    parts: Vec<Part>,
    unit: Unit,
}

/// What the parts' numbers are.
#[derive(Clone, Copy)]
enum Unit {
    Cost(CostUnit),
    Share,
}

impl Unit {
    fn value(self, value: f64) -> String {
        match self {
            Self::Cost(unit) => format!("{} {}", unit.fixed(value), unit.name),
            Self::Share => format!("{} %", fixed(value, 2)),
        }
    }

    /// The change of a part with its unit.
    fn change(self, part: &Part) -> String {
        match self {
            Self::Cost(unit) => format!("{} {}", unit.signed(part.change()), unit.name),
            Self::Share => format!("{} points", signed(part.change(), 2)),
        }
    }

    fn name(self) -> &'static str {
        match self {
            Self::Cost(unit) => unit.name,
            Self::Share => "%",
        }
    }

    /// A value as the axis has it.
    fn in_unit(self, value: f64) -> f64 {
        match self {
            Self::Cost(unit) => unit.in_unit(value),
            Self::Share => value,
        }
    }

    fn title(self) -> &'static str {
        match self {
            Self::Cost(_) => "CPU per operation, by part of the program",
            Self::Share => "Share of CPU, by part of the program",
        }
    }
}

/// The names of the parts that changed beyond noise, in the page's measure.
fn significant_parts<'a>(input: &ReportInput<'a>) -> HashSet<&'a str> {
    let of = FlameInput { comparison: input.comparison, tree: input.tree, verdicts: None };
    let terms = CostTerms::over_rows(&of, &input.subsystems.rows);
    let is_significant =
        |row: &pdiff_analysis::Row| terms.of_row(row).map_or(row.significant, |(_, significant)| significant);
    let rows = input.subsystems.rows.iter();
    rows.filter(|row| is_significant(row)).map(|row| &*row.name).collect()
}

/// The parts of the program, their self per operation, or as shares where operations are not known.
fn parts(input: &ReportInput<'_>) -> Parts {
    let comparison = input.comparison;
    let significant = significant_parts(input);
    let mut sums: BTreeMap<(bool, String), (f64, f64, Option<f64>)> = BTreeMap::new();
    for row in &comparison.rows {
        let name = match &row.subsystem {
            _ if row.unresolved => format!("without function ({})", row.object),
            Some(subsystem) if !subsystem.is_empty() => subsystem.to_string(),
            _ => row.object.to_string(),
        };
        let entry = sums.entry((row.unresolved, name)).or_default();
        let is_cost = comparison.cost.is_some();
        let value = |of: &pdiff_analysis::Quantities| {
            if is_cost { of.self_per_op().unwrap_or(0.0) } else { of.self_pct }
        };
        entry.0 += value(&row.before);
        entry.1 += value(&row.after);
        if let Some(gap) = row.gap_share_pct() {
            entry.2 = Some(entry.2.unwrap_or(0.0) + gap);
        }
    }
    let mut parts: Vec<Part> = sums
        .into_iter()
        .map(|((is_unresolved, name), (before, after, gap_pct))| {
            let is_significant = significant.contains(name.as_str());
            Part { name, before, after, gap_pct, is_unresolved, is_significant }
        })
        .collect();
    parts.sort_by(|a, b| {
        let largest = b.change().abs().total_cmp(&a.change().abs());
        a.is_unresolved.cmp(&b.is_unresolved).then(largest).then_with(|| a.name.cmp(&b.name))
    });
    let unit = comparison.cost.as_ref().map_or(Unit::Share, |cost| Unit::Cost(CostUnit::of(cost)));
    Parts { parts, unit }
}

pub(super) fn charts(input: &ReportInput<'_>) -> String {
    let comparison = input.comparison;
    let parts = parts(input);
    let mut out = sides_chart(&parts);
    // Steps explain a change; where no part changed beyond noise, there is nothing to explain.
    if comparison.cost.is_some() && !comparison.findings.list.is_empty() {
        out.push_str(&steps_chart(comparison, &parts));
    }
    out
}

/// The parts shown, and the rest as one.
fn shown(parts: &Parts) -> Vec<Part> {
    // What has no function keeps its own row, at the end, if it is large enough to mention.
    let is_first = |part: &&Part| !part.is_unresolved;
    let (named, unresolved): (Vec<&Part>, Vec<&Part>) = parts.parts.iter().partition(is_first);
    let (first, rest) = named.split_at(named.len().min(MOST_PARTS));
    let copy = |part: &Part| Part {
        name: part.name.clone(),
        before: part.before,
        after: part.after,
        gap_pct: part.gap_pct,
        is_unresolved: part.is_unresolved,
        is_significant: part.is_significant,
    };
    let mut shown: Vec<Part> = first.iter().copied().map(copy).collect();
    if !rest.is_empty() {
        let gaps: Option<f64> = rest.iter().map(|part| part.gap_pct).sum();
        shown.push(Part {
            name: format!("{} more", rest.len()),
            before: rest.iter().map(|part| part.before).sum(),
            after: rest.iter().map(|part| part.after).sum(),
            gap_pct: gaps,
            is_unresolved: false,
            is_significant: rest.iter().any(|part| part.is_significant),
        });
    }
    shown.extend(unresolved.into_iter().map(copy));
    shown
}

fn sides_chart(parts: &Parts) -> String {
    let shown = shown(parts);
    // What is left over is many parts: on the scale of single ones its bar would be the longest.
    let is_rest = |at: usize, part: &Part| at >= MOST_PARTS && !part.is_unresolved;
    let named = shown.iter().enumerate().filter(|(at, part)| !is_rest(*at, part)).map(|(_, part)| part);
    let full = named.map(|part| part.before.max(part.after)).fold(f64::MIN_POSITIVE, f64::max);
    let has_gap = shown.iter().any(|part| part.gap_pct.is_some());
    let mut out = format!(
        "<h3>{}</h3>\n<div class=\"wide\"><table class=\"chart\"><thead><tr><th scope=\"col\">part</th>\
         <th scope=\"col\" class=\"bars\">before, after, {}{}</th><th scope=\"col\" class=\"number\">before</th>\
         <th scope=\"col\" class=\"number\">after</th><th scope=\"col\" class=\"number\">change</th>{}</tr></thead>\n<tbody>\n",
        parts.unit.title(),
        parts.unit.name(),
        axis(0.0, parts.unit.in_unit(full), false),
        if has_gap { "<th scope=\"col\" class=\"number\">of the gap</th>" } else { "" }
    );
    for (at, part) in shown.iter().enumerate() {
        let part_of_scale = if is_rest(at, part) { 0.0 } else { 100.0 };
        let (tone, mark) = match (part.is_significant, part.is_unresolved) {
            (true, _) if part.change() > 0.0 => ("worse", ""),
            (true, _) => ("better", ""),
            (false, true) => ("dim", " not judged"),
            (false, false) => ("dim", " noise"),
        };
        let width = |value: f64| fixed((part_of_scale * value / full).clamp(0.0, 100.0), 2);
        let gap = match part.gap_pct {
            Some(gap) => format!("<td class=\"number\">{} %</td>", signed(gap, 1)),
            None if has_gap => "<td class=\"number\">-</td>".to_owned(),
            None => String::new(),
        };
        out.push_str(&format!(
            "<tr><th scope=\"row\">{}</th><td class=\"bars\"><span class=\"bar before\" style=\"width:{}%\"></span>\
             <span class=\"bar after\" style=\"width:{}%\"></span></td><td class=\"number\">{}</td>\
             <td class=\"number\">{}</td><td class=\"number {tone}\">{}{mark}</td>{gap}</tr>\n",
            escaped(&part.name),
            width(part.before),
            width(part.after),
            parts.unit.value(part.before),
            parts.unit.value(part.after),
            parts.unit.change(part),
        ));
    }
    out.push_str("</tbody></table></div>\n");
    out
}

/// One step of the waterfall.
struct Step {
    name: String,
    from: f64,
    to: f64,
    text: String,
    tone: StepTone,
}

/// What a step does.
#[derive(Clone, Copy)]
enum StepTone {
    Level,
    Worse,
    Better,
}

/// From Before to After: throughput where there is a gap to divide, else cost.
fn steps_chart(comparison: &Comparison, parts: &Parts) -> String {
    let Some(cost) = &comparison.cost else { return String::new() };
    let divided = cost.gap.as_ref().and_then(|gap| gap.parts.map(|of| (gap, of)));
    let shown = shown(parts);
    let mut steps = Vec::new();
    // Where throughput is divided, Before is 100; else the steps are costs.
    let in_unit = |value: f64| if divided.is_some() { value } else { parts.unit.in_unit(value) };
    let title = match divided {
        Some((gap, of)) => {
            let mut at = 100.0;
            steps.push(level(
                &comparison.before.label,
                at,
                format!("{} operations/s", fixed(gap.tps.before, 0)),
            ));
            let changes = shown.iter().map(|part| (part.name.as_str(), part.gap_pct.unwrap_or(0.0)));
            let used = std::iter::once(("CPU cores used", of.utilisation_pct));
            for (name, share) in changes.chain(used) {
                let points = share / 100.0 * gap.gap_pct;
                steps.push(step(
                    name,
                    (at, at + points),
                    points < 0.0,
                    format!("{} points", signed(points, 2)),
                ));
                at += points;
            }
            let end = 100.0 + gap.gap_pct;
            steps.push(level(
                &comparison.after.label,
                end,
                format!("{} operations/s", fixed(gap.tps.after, 0)),
            ));
            "The gap in throughput, step by step (Before is 100; the steps are shares of the gap, scaled to it)"
        }
        None => {
            let mut at = cost.per_op.before;
            steps.push(level(&comparison.before.label, at, parts.unit.value(at)));
            for part in &shown {
                steps.push(step(
                    &part.name,
                    (at, at + part.change()),
                    part.change() > 0.0,
                    parts.unit.change(part),
                ));
                at += part.change();
            }
            steps.push(level(
                &comparison.after.label,
                cost.per_op.after,
                parts.unit.value(cost.per_op.after),
            ));
            "The change of cost per operation, step by step"
        }
    };
    draw_steps(title, &steps, in_unit)
}

fn level(name: &str, to: f64, text: String) -> Step {
    Step { name: name.to_owned(), from: 0.0, to, text, tone: StepTone::Level }
}

/// A step that is worse if it is `worse`.
fn step(name: &str, (from, to): (f64, f64), worse: bool, text: String) -> Step {
    let tone = if worse { StepTone::Worse } else { StepTone::Better };
    Step { name: name.to_owned(), from, to, text, tone }
}

fn draw_steps(title: &str, steps: &[Step], in_unit: impl Fn(f64) -> f64) -> String {
    let full = steps.iter().map(|step| step.from.max(step.to)).fold(f64::MIN_POSITIVE, f64::max);
    let least = axis_start(steps, full);
    let cut = if least > 0.0 { "; bars of the sides are cut off at the left" } else { "" };
    let mut out = format!(
        "<h3>{title}</h3>\n<div class=\"wide\"><table class=\"chart steps\"><thead><tr><th scope=\"col\">step</th>\
         <th scope=\"col\" class=\"bars\">from Before to After{cut}{}</th><th scope=\"col\" class=\"number\">change</th></tr>\
         </thead>\n<tbody>\n",
        axis(in_unit(least), in_unit(full), false)
    );
    for step in steps {
        let percent = |value: f64| (100.0 * (value - least) / (full - least)).clamp(0.0, 100.0);
        let (left, right) = (percent(step.from.min(step.to)), percent(step.from.max(step.to)));
        let class = match step.tone {
            StepTone::Level => "level",
            StepTone::Worse => "up",
            StepTone::Better => "down",
        };
        out.push_str(&format!(
            "<tr><th scope=\"row\">{}</th><td class=\"bars\"><span class=\"bar {class}\" style=\"margin-left:{}%;width:{}%\">\
             </span></td><td class=\"number\">{}</td></tr>\n",
            escaped(&step.name),
            fixed(left, 2),
            fixed((right - left).max(0.2), 2),
            step.text,
        ));
    }
    out.push_str("</tbody></table></div>\n");
    out
}

/// The part of the axis that steps shall take at least.
const STEPS_PART: f64 = 0.5;

/// Where the axis starts: at zero, or so late that the steps take half of it.
fn axis_start(steps: &[Step], full: f64) -> f64 {
    let is_step = |step: &&Step| !matches!(step.tone, StepTone::Level);
    let lowest = steps.iter().filter(is_step).map(|step| step.from.min(step.to)).fold(full, f64::min);
    if lowest <= full * (1.0 - STEPS_PART) { 0.0 } else { (full - (full - lowest) / STEPS_PART).max(0.0) }
}
