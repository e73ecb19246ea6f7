//! The data of a report as JSON inside HTML: the documented schemas, in no more bytes than the page has for it.
//!
//! Real numbers have five significant digits and long texts are cut. `compare.functions` holds rows that are
//! significant, have a verdict or reach [`LEAST_PCT`], and at least [`LEAST_ROWS`]; verdicts that say noise, and evidence of kind `weight`, whose
//! numbers the verdict has, are left out. What is then still too much is cut by worth: the room is shared out between
//! significant rows, verdicts, frames, evidence and rows within noise, the largest changes and the widest frames first,
//! and what one kind does not need goes to the others in that order. What is left out is counted beside what is
//! there, so that sums still close, and told in words. `pdiff compare`, `classify`, `explain` and `flame` give every
//! row, digit, fact and frame.
//!
//! Cost: rows are turned into JSON only as far as they could possibly fit.

mod code;
mod frames;
mod json_text;
mod left_out;
mod other_trees;
mod seconds;
mod shelf;

use std::collections::HashSet;

use pdiff_analysis::Row;
use pdiff_analysis::classify::{Cause, Verdict};
use serde_json::{Map, Value, json};

use super::ReportInput;
use crate::attribution::json::attribution_value;
use crate::compare::json::{row_value, value_without_rows};
use crate::error::Error;
use crate::files::written_bytes::{json_refused, json_value};
use crate::flame::{CostTerms, FlameInput, tree_value};
use crate::settings::json::settings_json;
use crate::verdicts::hot_lines::FunctionLinesReport;
use crate::verdicts::json::{value_without_verdicts, verdict_value};
use json_text::{bytes, economise, shorten_lists, without_markup};
pub(super) use left_out::LeftOut;
use shelf::{Shelf, share_out};

/// Percent of the denominator of self or self by symbol that brings a function into the table whatever became of it.
const LEAST_PCT: f64 = 0.2;

/// Functions that are in the table however small they are.
const LEAST_ROWS: usize = 100;

/// Bytes that no row and no verdict is smaller than: more of them than fit are not looked at.
const LEAST_BYTES: usize = 400;

/// Bytes of what is neither row, verdict nor frame: sides, families, settings, runs.
const MOST_OTHER_BYTES: usize = 300_000;

/// Percent of the room that is kept for trees other than the first one; they also get what is left over.
const OTHER_TREES_PCT: usize = 15;

/// Lines of code on one side of a function: fewer than a page of it.
const MOST_LINES: usize = 8;

/// Bytes that the words on what is left out take inside the data.
const LEFT_OUT_BYTES: usize = 1000;

/// Characters of the command that makes the report.
pub(super) const MOST_COMMAND: usize = 20_000;

/// The data in a page.
pub(super) struct Embedded {
    /// JSON with every character escaped that HTML could take for something else.
    pub(super) json: String,
    pub(super) left_out: LeftOut,
}

/// The data in at most `most_bytes`.
pub(super) fn embedded(input: &ReportInput<'_>, most_bytes: usize) -> Result<Embedded, Error> {
    let mut data = others(input)?;
    let mut left_out = LeftOut::of_lists(shorten_lists(&mut data, MOST_OTHER_BYTES));
    (data["code"], data["code_left_out"]) = code::value(input)?;
    let room = most_bytes.saturating_sub(bytes(&data) + LEFT_OUT_BYTES);
    let kept = room / 100 * OTHER_TREES_PCT;
    let room = room - kept;

    let most = room / LEAST_BYTES;
    let verdicts = verdicts(input);
    let rows = rows(input, &verdicts);
    let level = input.comparison.policy.match_level;
    let terms =
        CostTerms::new(&FlameInput { comparison: input.comparison, tree: input.tree, verdicts: None });
    let mut row_values = values(rows.iter().take(most), |row| {
        let mut value = row_value(row.of, level)?;
        if let Some((half, significant)) = terms.of_row(row.of) {
            value["self_per_op_half"] = Value::from(half);
            value["self_per_op_significant"] = Value::from(significant);
        }
        Ok(value)
    })?;
    let mut verdict_values = values(verdicts.iter().take(most), |verdict| verdict_value(verdict.of))?;
    let mut evidence: Vec<Value> = verdict_values.iter_mut().map(take_evidence).collect();
    let frames = frames::by_width(input.tree);
    let significant = rows.iter().take(most).filter(|row| row.significant).count();
    let prices = |values: &[Value]| Shelf::new(values.iter().map(bytes).collect());
    let verdict_prices =
        verdict_values.iter().map(|value| bytes(value) + EVIDENCE_LEFT_OUT.len() + 10).collect();
    let mut shelves = [
        (prices(row_values.get(..significant).unwrap_or_default()), 20),
        (Shelf::new(verdict_prices), 30),
        (Shelf::new(frames::prices(input.tree, &frames, &terms)), 25),
        (prices(&evidence), 15),
        (prices(row_values.get(significant..).unwrap_or_default()), 10),
    ];
    share_out(room, &mut shelves);
    let [_, _, (shown_frames, _), ..] = &shelves;
    let tree_bytes = embed_tree(input, &frames, shown_frames.taken(), &mut data, &mut left_out)?;
    let [(sure_rows, _), (told, _), (shown_frames, _), (proved, _), (noise_rows, _)] = &mut shelves;
    // Frames were taken for costlier than they are.
    let saved = proved.take(shown_frames.cost().saturating_sub(tree_bytes));
    noise_rows.take(saved);

    let order = (0..sure_rows.taken()).chain(significant..significant + noise_rows.taken());
    data["compare"]["functions"] = in_place(&rows, order.clone(), &mut row_values);
    let kept = order.filter_map(|at| rows.get(at)).map(|row| row.place).collect();
    left_out.rows(&input.comparison.rows, &kept);
    data["compare"]["functions_left_out"] = left_out.functions_value();

    let (told, proved) = (told.taken(), proved.taken().min(told.taken()));
    for (at, (verdict, facts)) in verdict_values.iter_mut().zip(&mut evidence).enumerate().take(told) {
        if at < proved {
            verdict["evidence"] = facts.take();
        } else {
            verdict[EVIDENCE_LEFT_OUT] = Value::from(facts.as_array().map_or(0, Vec::len));
        }
    }
    data["classify"]["verdicts"] = in_place(&verdicts, 0..told, &mut verdict_values);
    data["classify"]["noise_left_out"] = Value::from(input.classification.verdicts.len() - verdicts.len());
    data["classify"]["verdicts_left_out"] = Value::from(verdicts.len() - told);
    let changes: Vec<f64> = verdicts.iter().map(|verdict| verdict.delta_judged_pp().abs()).collect();
    left_out.verdicts(&changes, told, proved);
    let left = most_bytes.saturating_sub(bytes(&data) + LEFT_OUT_BYTES);
    data["other_trees"] = other_trees::value(input, left)?;
    Ok(Embedded { json: without_markup(&data.to_string()), left_out })
}

/// Those chosen, in the order of the comparison.
fn in_place<T>(all: &[Placed<'_, T>], chosen: impl Iterator<Item = usize>, values: &mut [Value]) -> Value {
    let mut chosen: Vec<usize> = chosen.collect();
    chosen.sort_by_key(|at| all.get(*at).map(|one| one.place));
    chosen.into_iter().filter_map(|at| values.get_mut(at).map(Value::take)).collect()
}

/// Puts the first `shown` frames into the data. Gives the bytes that they and their functions take.
fn embed_tree(
    input: &ReportInput<'_>,
    frames: &[frames::Wide],
    shown: usize,
    data: &mut Value,
    left_out: &mut LeftOut,
) -> Result<usize, Error> {
    left_out.frames(frames, shown);
    let narrowed = frames::narrowed(input.tree, frames, shown);
    let tree = narrowed.as_ref().unwrap_or(input.tree);
    let mut tree = tree_value(&FlameInput { comparison: input.comparison, tree, verdicts: None })?;
    economise(&mut tree);
    let mut taken = 0;
    for key in ["functions", "subsystems", "frames"] {
        taken += bytes(&tree[key]);
        data["tree"][key] = tree[key].take();
    }
    if let Some((_, widest_pct)) = left_out.frames {
        data["tree"]["left_out_pct"] = Value::from(widest_pct);
    }
    Ok(taken)
}

const EVIDENCE_LEFT_OUT: &str = "evidence_left_out";

/// Everything but rows, verdicts and frames.
fn others(input: &ReportInput<'_>) -> Result<Value, Error> {
    let parsed = |bytes: &[u8]| serde_json::from_slice::<Value>(bytes).map_err(json_refused);
    let mut data = Map::new();
    data.insert("compare".to_owned(), value_without_rows(input.comparison)?);
    let classify = value_without_verdicts(input.comparison, input.classification)?;
    data.insert("classify".to_owned(), classify);
    if let Some(settings) = input.settings {
        data.insert("settings".to_owned(), parsed(&settings_json(settings)?)?);
    }
    if let Some(view) = &input.attribution {
        data.insert("attribute".to_owned(), attribution_value(view));
    }
    let bare = input.tree.narrowed(|_| false);
    let mut tree = tree_value(&FlameInput { comparison: input.comparison, tree: &bare, verdicts: None })?;
    for key in ["functions", "subsystems", "frames"] {
        tree[key] = json!([]);
    }
    data.insert("tree".to_owned(), tree);
    data.insert("seconds".to_owned(), seconds::value(input.seconds));
    let lines =
        input.lines.iter().map(|of| json_value(&FunctionLinesReport::new(of, input.texts, MOST_LINES)));
    data.insert("hot_lines".to_owned(), Value::Array(lines.collect::<Result<_, _>>()?));
    let mut data = Value::Object(data);
    economise(&mut data);
    data["command"] = Value::from(super::text::cut(input.command, MOST_COMMAND));
    Ok(data)
}

/// Something of the comparison, with its place there.
#[derive(Clone, Copy)]
struct Placed<'a, T> {
    place: usize,
    of: &'a T,
}

impl<T> std::ops::Deref for Placed<'_, T> {
    type Target = T;

    fn deref(&self) -> &T {
        self.of
    }
}

fn placed<T>(all: &[T]) -> impl Iterator<Item = Placed<'_, T>> {
    all.iter().enumerate().map(|(place, of)| Placed { place, of })
}

/// Rows that have a place in the table, in the order of their worth: significant ones by their change, then others by
/// their size.
fn rows<'a>(input: &ReportInput<'a>, verdicts: &[Placed<'a, Verdict>]) -> Vec<Placed<'a, Row>> {
    let told: HashSet<_> = verdicts
        .iter()
        .map(|verdict| (verdict.of.function.as_str(), verdict.of.object.as_str(), verdict.of.file.as_deref()))
        .collect();
    let is_told = |row: &Row| told.contains(&(&*row.name, &*row.object, row.file.as_deref()));
    let is_shown = |row: &Row| row.significant || size_pct(row) >= LEAST_PCT || is_told(row);
    let worth = |row: &Row| if row.significant { row.delta_self_pp().abs() } else { size_pct(row) };
    let mut rows: Vec<_> = placed(&input.comparison.rows)
        .map(|row| ((row.significant, is_shown(row.of)), worth(row.of), row))
        .collect();
    rows.sort_by(|(a, a_worth, a_row), (b, b_worth, b_row)| {
        b.cmp(a).then(b_worth.total_cmp(a_worth)).then(a_row.place.cmp(&b_row.place))
    });
    let shown = rows.iter().take_while(|((_, is_shown), _, _)| *is_shown).count();
    rows.truncate(shown.max(LEAST_ROWS));
    rows.into_iter().map(|(_, _, row)| row).collect()
}

/// Largest share of self or self by symbol on any side.
fn size_pct(row: &Row) -> f64 {
    [&row.before, &row.after].into_iter().flat_map(|of| [of.self_pct, of.booked_self_pct]).fold(0.0, f64::max)
}

/// Verdicts that do not say noise, the largest changes first.
fn verdicts<'a>(input: &ReportInput<'a>) -> Vec<Placed<'a, Verdict>> {
    let mut verdicts: Vec<Placed<'a, Verdict>> =
        placed(&input.classification.verdicts).filter(|verdict| verdict.cause != Cause::Noise).collect();
    let size = |verdict: &Verdict| verdict.delta_judged_pp().abs();
    verdicts.sort_by(|a, b| size(b).total_cmp(&size(a)).then(a.place.cmp(&b.place)));
    verdicts
}

fn values<'a, T: 'a>(
    all: impl Iterator<Item = &'a T>,
    value: impl Fn(&'a T) -> Result<Value, Error>,
) -> Result<Vec<Value>, Error> {
    let economised = |of| {
        let mut value = value(of)?;
        economise(&mut value);
        Ok(value)
    };
    all.map(economised).collect()
}

/// A verdict's evidence, which it is without from then on.
fn take_evidence(verdict: &mut Value) -> Value {
    let mut evidence = std::mem::replace(&mut verdict["evidence"], json!([]));
    if let Some(facts) = evidence.as_array_mut() {
        facts.retain(|fact| fact["kind"] != "weight");
    }
    evidence
}
