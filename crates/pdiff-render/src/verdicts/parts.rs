//! Verdicts as an answer: the parts of the change with the functions inside that make them, then the largest of the other
//! functions, then in one line each what a reader may skip.

use std::collections::BTreeSet;

use pdiff_analysis::classify::{Cause, Classification, Fact, FindingCause, Tag, Verdict};
use pdiff_analysis::{Comparison, Finding, FindingKind};

use crate::document::number::{CostUnit, signed};
use crate::document::options::TableOptions;
use crate::document::short_name::shorten;
use crate::document::visible_text::{cut_end, visible};
use crate::document::{Block, Line, Tone};
use crate::findings::inside::Inside;
use crate::findings::one::polling_line;
use crate::verdicts::kernel::is_of_kernel;
use crate::verdicts::lists::{self, is_of_others, reason, size};
use crate::verdicts::words::{as_a_whole, cause_text, fact_text, measure, part_limit_text};

/// Functions inside a part that are listed.
const MOST_INSIDE: usize = 3;

/// What makes less of its part's change is not listed.
const LEAST_OF_PART: f64 = 0.05;

/// A page on all parts leaves out busy waiting below this percentage of a part; `pdiff explain` reports it.
const LEAST_POLLING_PCT: f64 = 5.0;

/// Columns of a name in a sentence.
const NAME_WIDTH: usize = 60;

/// Letters of a reason.
const REASON_WIDTH: usize = 160;

/// Letters of what differs in the code of a function.
const DIFF_WIDTH: usize = 220;

/// A new function below this many points is folded: there are hundreds in an upgrade.
const SMALL_NEW_PP: f64 = 0.2;

/// A function by its name and its object.
type Key<'a> = (&'a str, &'a str);

/// Everything from the parts to the folded lines.
pub(super) fn blocks(
    comparison: &Comparison,
    of: &Classification,
    causes: &[FindingCause],
    options: &TableOptions,
    width: Option<usize>,
) -> Vec<Vec<Block>> {
    let list = &comparison.findings.list;
    let parts = list.iter().zip(causes).map(|(finding, cause)| part(comparison, of, finding, cause));
    let inside: BTreeSet<Key<'_>> = list
        .iter()
        .flat_map(|finding| {
            let members = main_inside(finding).into_iter().filter_map(Inside::function);
            let members = members.map(|member| (member.name.as_str(), member.object.as_str()));
            members.chain([(finding.function(), finding.object.as_str())])
        })
        .collect();
    let least = options.min_delta_pp.unwrap_or(0.0);
    let mut left: Vec<&Verdict> = of
        .verdicts
        .iter()
        .filter(|of| of.cause != Cause::Noise && !is_of_kernel(of) && of.delta_judged_pp().abs() >= least)
        .filter(|of| !inside.contains(&(of.function.as_str(), of.object.as_str())))
        .collect();
    let grew = comparison.cost.as_ref().is_some_and(|cost| cost.log_ratio > 0.0);
    let is_gain = |of: &Verdict| grew && of.delta_judged_pp() < 0.0;
    left.sort_by(|a, b| {
        let larger = size(b).total_cmp(&size(a));
        is_gain(a).cmp(&is_gain(b)).then(larger).then_with(|| a.function.cmp(&b.function))
    });
    let (folded, told): (Vec<&Verdict>, Vec<&Verdict>) =
        left.into_iter().partition(|of| Fold::ALL.iter().any(|fold| fold.holds(of)));
    let mut sections: Vec<Vec<Block>> = parts.collect();
    sections.push(others(&told, options.top.unwrap_or(usize::MAX), width));
    sections.push(folds(&folded));
    sections
}

/// What makes most of a part's change; of a net with callers, what got lighter, too.
fn main_inside(finding: &Finding) -> Vec<Inside<'_>> {
    let whole = finding.delta_per_op().unwrap_or(finding.delta_pp());
    let is_main = |inside: &Inside<'_>| {
        let change = inside.change();
        let goes_along = finding.with_callers || change * whole > 0.0;
        goes_along && change.abs() >= LEAST_OF_PART * whole.abs()
    };
    Inside::all(finding).into_iter().filter(is_main).take(MOST_INSIDE).collect()
}

fn part(comparison: &Comparison, of: &Classification, finding: &Finding, cause: &FindingCause) -> Vec<Block> {
    let change = change_text(comparison, finding.delta_pp(), finding.delta_per_op());
    let title =
        format!("{} {}: {change}; {}", finding.rank, finding.name, cause_text(cause.cause, cause.confidence));
    let mut blocks = vec![Line::toned("part", title, Tone::Strong)];
    blocks
        .extend(cause.limited_by.as_ref().map(|why| Line::toned("limited", part_limit_text(why), Tone::Dim)));
    blocks.extend(polling_line(finding, LEAST_POLLING_PCT));
    let named = verdict_on(of, finding.function(), &finding.object);
    let listed = main_inside(finding);
    let mut members = listed.iter().filter_map(|inside| inside.function());
    let is_listed = members.any(|member| member.name == finding.function());
    // A spread part is what lies below the function apart from other parts, so the function's own total says nothing about
    // it.
    let is_its_own = finding.kind != FindingKind::Spread && !is_listed;
    if let Some(verdict) = named.filter(|of| is_its_own && of.cause != Cause::Noise) {
        blocks.push(Line::block("itself", verdict_text(verdict)));
        blocks.extend(diff_line(verdict));
    }
    blocks.extend(listed.into_iter().flat_map(|inside| {
        let (points, per_op) = inside.delta();
        let change = change_text(comparison, points, per_op);
        let verdict = inside.function().and_then(|member| verdict_on(of, &member.name, &member.object));
        let told = verdict.filter(|of| of.cause != Cause::Noise);
        let text = told.map_or_else(String::new, |verdict| {
            format!(": {}{}", as_a_whole(verdict.cause, inside.change()), verdict_text(verdict))
        });
        let line = Line::block("inside", format!("{change} in {}{text}", inside.text()));
        std::iter::once(line).chain(verdict.and_then(diff_line))
    }));
    blocks
}

/// What differs in the code that a verdict rests on, where its cause is not told by the code alone.
fn diff_line(of: &Verdict) -> Option<Block> {
    let is_open = matches!(
        of.cause,
        Cause::Heavier
            | Cause::Lighter
            | Cause::MissingFastPath
            | Cause::MoreCalls
            | Cause::NewlyActive
            | Cause::Moved
            | Cause::Noise
    );
    let facts = of.evidence.iter().map(|evidence| &evidence.fact);
    let other = facts.filter(|fact| matches!(fact, Fact::CodeDiffers(_))).map(fact_text).next();
    other.filter(|_| is_open).map(|text| Line::toned("diff", cut_end(&visible(&text), DIFF_WIDTH), Tone::Dim))
}

fn verdict_on<'a>(of: &'a Classification, function: &str, object: &str) -> Option<&'a Verdict> {
    of.verdicts.iter().find(|of| of.function == function && of.object == object)
}

fn verdict_text(of: &Verdict) -> String {
    let why = reason(of);
    format!("{}; {}", cause_text(of.cause, of.confidence), cut_end(&visible(&why), REASON_WIDTH))
}

fn change_text(comparison: &Comparison, pp: f64, per_op: Option<f64>) -> String {
    match comparison.cost.as_ref().zip(per_op) {
        Some((cost, delta)) => {
            let unit = CostUnit::of(cost);
            format!("{} {}/op", unit.signed(delta), unit.name)
        }
        None => format!("{} points", signed(pp, 2)),
    }
}

/// The largest functions that are in no part above.
fn others(told: &[&Verdict], most: usize, width: Option<usize>) -> Vec<Block> {
    if told.is_empty() {
        return Vec::new();
    }
    let shown = &told[..told.len().min(most)];
    let title = match shown.len() {
        1 => "one function in no part above".to_owned(),
        count if count < told.len() => {
            format!("the {count} largest of {} functions in no part above", told.len())
        }
        count => format!("{count} functions in no part above"),
    };
    vec![Line::toned("beside", title, Tone::Strong), Block::Grid(lists::causes_grid(shown, width))]
}

/// What a reader may skip, each kind in one line.
#[derive(Clone, Copy)]
enum Fold {
    Architectural,
    SmallNew,
    OfOthers,
    Reshaped,
}

impl Fold {
    const ALL: [Self; 4] = [Self::Architectural, Self::OfOthers, Self::Reshaped, Self::SmallNew];

    fn holds(self, of: &Verdict) -> bool {
        match self {
            Self::Architectural => of.tags.contains(&Tag::Architectural),
            Self::OfOthers => is_of_others(of),
            Self::Reshaped => {
                matches!(of.cause, Cause::Moved | Cause::Split | Cause::Merged | Cause::InlineChange)
            }
            Self::SmallNew => {
                matches!(of.cause, Cause::NewOverhead | Cause::Gone)
                    && of.delta_judged_pp().abs() < SMALL_NEW_PP
            }
        }
    }

    fn text(self) -> String {
        match self {
            Self::Architectural => "costs of design".to_owned(),
            Self::OfOthers => "changed only by what they call, inline or are called from".to_owned(),
            Self::Reshaped => "renamed, moved, split, merged or inlined differently".to_owned(),
            Self::SmallNew => format!("new or gone, below {SMALL_NEW_PP} points each"),
        }
    }
}

fn folds(folded: &[&Verdict]) -> Vec<Block> {
    let mut left: Vec<&Verdict> = folded.to_vec();
    let mut blocks = Vec::new();
    for fold in Fold::ALL {
        let (of, others): (Vec<&Verdict>, Vec<&Verdict>) = left.into_iter().partition(|of| fold.holds(of));
        left = others;
        let Some(largest) = of.iter().max_by(|a, b| size(a).total_cmp(&size(b))) else { continue };
        let own: f64 = of.iter().map(|of| of.delta_self_pp()).sum();
        let functions =
            if of.len() == 1 { "1 function".to_owned() } else { format!("{} functions", of.len()) };
        let text = format!(
            "{functions} {}: together {} points of self; the largest {} ({} of {})",
            fold.text(),
            signed(own, 2),
            shorten(&visible(&largest.function), NAME_WIDTH),
            signed(largest.delta_judged_pp(), 2),
            measure(largest.judged)
        );
        blocks.push(Line::block("folded", text));
    }
    blocks
}

/// How many functions have each cause, and how to list them.
pub(super) fn counts(of: &Classification) -> Vec<Block> {
    let mut parts = Vec::new();
    for cause in lists::SHOWN {
        let count = of.verdicts.iter().filter(|of| of.cause == cause).count();
        if count > 0 {
            parts.push(format!("{cause} {count}"));
        }
    }
    if parts.is_empty() {
        return Vec::new();
    }
    vec![Line::toned("causes", format!("{}; --all lists them", parts.join(", ")), Tone::Dim)]
}
