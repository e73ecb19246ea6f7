//! The first screen: the verdict in a line, and where the change is, part by part with bars and intervals.
//!
//! The words are those of `pdiff compare`. Without a part beyond noise there is no table, and nothing is explained.

use pdiff_analysis::classify::{Classification, Confidence, Fact, FindingCause, finding_causes};
use pdiff_analysis::{Finding, FindingKind};

use super::ReportInput;
use super::axis::axis;
use super::blocks;
use super::measure::Measure;
use super::text::{escaped, escaped_within};
use super::threads;
use crate::document::number::{fixed, interval};
use crate::document::{Block, Line};
use crate::findings::first_screen::{self, setting_text};
use crate::findings::grid::what;
use crate::findings::inside::Inside;
use crate::verdicts::inlining;
use crate::verdicts::words::cause_text;

/// Characters of what words of the table mean.
const MOST_OF_MARKS: usize = 1000;

/// Functions that are named of one part.
const MOST_MEMBERS: usize = 8;

/// The verdict line, what an operation costs, and the parts of the change.
pub(super) fn first_screen(input: &ReportInput<'_>) -> String {
    let comparison = input.comparison;
    let causes = finding_causes(&comparison.findings, input.classification);
    let (mut out, mut threads_table) = (String::new(), String::new());
    let unlisted = inlining::blocks(comparison, input.classification);
    for block in first_screen::blocks(comparison, &causes, None, None).into_iter().chain(unlisted) {
        match block {
            Block::Line(line) => push_line(line, &mut out),
            Block::Grid(_) => {
                out.push_str(&parts_table(input, &causes));
                threads_table = threads::table(input);
            }
            Block::Command(_) | Block::Gap => {}
        }
    }
    out + &threads_table
}

fn push_line(line: Line, out: &mut String) {
    match line.label {
        "result" => out.push_str(&format!("<p class=\"verdict\">{}</p>\n", escaped(&line.text))),
        "marks" => {
            // The page shows whole intervals.
            let text = line.text.split("; ").filter(|text| !text.starts_with("95 %")).collect::<Vec<_>>();
            out.push_str(&format!(
                "<p class=\"dim\">{}</p>\n",
                escaped_within(&text.join("; "), MOST_OF_MARKS)
            ));
        }
        "where" => out.push_str(&format!("<h3>{}</h3>\n", escaped(&capitalised(&line.text)))),
        _ => out.push_str(&blocks::lines(&[Block::Line(line)])),
    }
}

fn capitalised(text: &str) -> String {
    let mut letters = text.chars();
    letters.next().map_or_else(String::new, |first| first.to_uppercase().chain(letters).collect())
}

/// One row of the table.
#[derive(Default)]
struct Part {
    rank: String,
    delta: f64,
    interval: Option<(f64, f64)>,
    what: String,
    cause: String,
    /// What switches it, or is known of its code: markup.
    why: String,
    /// Markup.
    name: String,
    class: &'static str,
}

fn parts_table(input: &ReportInput<'_>, causes: &[FindingCause]) -> String {
    let comparison = input.comparison;
    let measure = Measure::of(comparison);
    let findings = &comparison.findings;
    let mut parts: Vec<Part> = findings
        .list
        .iter()
        .zip(causes)
        .map(|(finding, cause)| part(measure, (finding, cause), input.classification))
        .collect();
    say_once(&mut parts);
    let rest = match measure {
        Measure::Cost(_) => findings.rest.delta_per_op().unwrap_or(0.0),
        Measure::Points => findings.rest.delta_pp(),
    };
    let whole = comparison.cost.as_ref().map_or(0.0, |cost| cost.per_op.after - cost.per_op.before);
    let sum = |name: &str, delta: f64| Part { delta, name: name.to_owned(), class: "sum", ..Part::default() };
    // The whole may be many times as long as its parts, which are what readers compare.
    let scale = Scale::new(&parts);
    parts.push(sum("all else", rest));
    parts.push(sum("the whole", whole));
    let has_share = findings.list.iter().any(|finding| finding.share_of_change_pct.is_some());
    let share = if has_share { "<th scope=\"col\" class=\"number share\">of all</th>" } else { "" };
    let mut out = format!(
        "<div class=\"wide\"><table class=\"chart parts\"><thead><tr><th scope=\"col\" class=\"number\">#</th>\
         <th scope=\"col\">part of the program</th><th scope=\"col\" class=\"bars\">change, with its 95 % interval{}</th>\
         <th scope=\"col\" class=\"number\">{}</th><th scope=\"col\" class=\"number between\">95 %</th>{share}\
         <th scope=\"col\" class=\"what\">what</th><th scope=\"col\" class=\"cause\">cause</th></tr></thead>\n<tbody>\n",
        axis(measure.in_unit(scale.low), measure.in_unit(scale.high), true),
        measure.title()
    );
    for part in &parts {
        push_part(part, measure, &scale, has_share.then_some(whole), &mut out);
    }
    out.push_str("</tbody></table></div>\n");
    out
}

/// What is known of several parts is said of the first.
fn say_once(parts: &mut [Part]) {
    let mut said: Vec<(String, String)> = Vec::new();
    for part in parts.iter_mut().filter(|part| !part.why.is_empty()) {
        match said.iter().find(|(why, _)| *why == part.why) {
            Some((_, rank)) => part.why = format!("<span class=\"why\">as part {rank}</span>"),
            None => said.push((part.why.clone(), part.rank.clone())),
        }
    }
}

fn part(measure: Measure, (finding, cause): (&Finding, &FindingCause), of: &Classification) -> Part {
    let function = shown_function(finding);
    let mut name = format!(
        "<a href=\"#flame\" class=\"name\" data-function=\"{}\">{}</a>",
        escaped(function),
        escaped(&finding.name)
    );
    name.push_str(&members(measure, finding));
    Part {
        rank: finding.rank.to_string(),
        delta: measure.delta(finding),
        interval: measure.interval(finding),
        what: what(finding),
        // The change itself stands beside it.
        cause: match cause.confidence {
            Confidence::Unclear => String::new(),
            confidence => cause_text(cause.cause, confidence),
        },
        why: why(finding, of),
        name,
        class: "",
    }
}

/// The function that the picture shows of a part: its own, or, of one that is no function, the one of its members that
/// changed most.
fn shown_function(finding: &Finding) -> &str {
    let member = || finding.members.iter().map(|member| member.name.as_str()).find(|name| !name.is_empty());
    if finding.kind == FindingKind::Interrupts {
        member().unwrap_or(&finding.name)
    } else {
        finding.function()
    }
}

/// The settings that switch a part; where none is known to differ, what a rule says of its function.
fn why(finding: &Finding, of: &Classification) -> String {
    let mut out = String::new();
    for setting in &finding.settings {
        out.push_str(&format!("<span class=\"why\">setting {}</span>", escaped(&setting_text(setting))));
    }
    if out.is_empty() {
        let is_it = |verdict: &&pdiff_analysis::classify::Verdict| {
            verdict.function == finding.function() && verdict.object == finding.object
        };
        let facts = of.verdicts.iter().filter(is_it).flat_map(|verdict| &verdict.evidence);
        let reasons = facts.filter_map(|evidence| match &evidence.fact {
            Fact::Rule { reason, .. } => Some(reason),
            _ => None,
        });
        for reason in reasons.take(1) {
            out.push_str(&format!("<span class=\"why\">known: {}</span>", escaped(reason)));
        }
    }
    out
}

/// What the part is made of, on demand.
fn members(measure: Measure, finding: &Finding) -> String {
    let all = Inside::all(finding);
    if all.len() < 2 {
        return String::new();
    }
    let mut out = String::from("<details><summary>made of</summary><ul>");
    for inside in all.iter().take(MOST_MEMBERS) {
        let delta = measure.signed(measure.of_change(inside.delta()));
        let name = match inside.function() {
            Some(member) => format!("<code>{}</code>", escaped(&member.name)),
            None => escaped(&inside.text()).to_string(),
        };
        out.push_str(&format!("<li>{delta} {name}</li>"));
    }
    if all.len() > MOST_MEMBERS {
        out.push_str(&format!("<li>and {} more</li>", all.len() - MOST_MEMBERS));
    }
    out.push_str("</ul></details>");
    out
}

/// From where to where the bars go.
struct Scale {
    low: f64,
    high: f64,
}

impl Scale {
    fn new(parts: &[Part]) -> Self {
        let ends = parts.iter().flat_map(|part| {
            let (low, high) = part.interval.unwrap_or((part.delta, part.delta));
            [low, high, part.delta]
        });
        let ends = ends.filter(|end| end.is_finite());
        let (low, high) = ends.fold((0.0, 0.0), |(low, high): (f64, f64), end| (low.min(end), high.max(end)));
        Self { low, high: if high > low { high } else { low + 1.0 } }
    }

    fn place(&self, value: f64) -> f64 {
        (100.0 * (value - self.low) / (self.high - self.low)).clamp(0.0, 100.0)
    }

    /// What a bar to a value is called that goes on outside.
    fn beyond(&self, value: f64) -> &'static str {
        match value {
            _ if value > self.high => " beyond",
            _ if value < self.low => " beyond left",
            _ => "",
        }
    }

    /// Style of an element from one value to another.
    fn span(&self, from: f64, to: f64) -> String {
        let (left, right) = (self.place(from.min(to)), self.place(from.max(to)));
        format!("left:{}%;width:{}%", fixed(left, 2), fixed((right - left).max(0.3), 2))
    }
}

fn push_part(part: &Part, measure: Measure, scale: &Scale, whole: Option<f64>, out: &mut String) {
    let direction = match part.class {
        "sum" => "level",
        _ if part.delta > 0.0 => "up",
        _ => "down",
    };
    let whisker = part.interval.map_or_else(String::new, |(low, high)| {
        format!("<span class=\"whisker\" style=\"{}\"></span>", scale.span(low, high))
    });
    let between = part.interval.map_or_else(String::new, |(low, high)| match measure {
        Measure::Cost(unit) => format!("{}..{}", unit.signed(low), unit.signed(high)),
        Measure::Points => interval((low, high), 2),
    });
    let share = whole.map_or_else(String::new, |whole| {
        format!("<td class=\"number share\">{} %</td>", fixed(100.0 * part.delta / whole, 0))
    });
    let beyond = scale.beyond(part.delta);
    out.push_str(&format!(
        "<tr class=\"{}\"><td class=\"number\">{}</td><th scope=\"row\">{}</th><td class=\"bars\">\
         <span class=\"track\"><span class=\"bar {direction}{beyond}\" style=\"{}\"></span>{whisker}\
         <span class=\"zero\" style=\"left:{}%\"></span></span></td><td class=\"number\">{}</td>\
         <td class=\"number between\">{between}</td>{share}<td class=\"what\">{}</td>\
         <td class=\"cause\">{}{}</td></tr>\n",
        part.class,
        part.rank,
        part.name,
        scale.span(0.0, part.delta),
        fixed(scale.place(0.0), 2),
        measure.signed(part.delta),
        part.what,
        part.cause,
        part.why,
    ));
}
