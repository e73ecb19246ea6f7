//! The first screen: the change of throughput and of CPU per operation, and the few parts that contain the change.

use std::borrow::Cow;

use pdiff_analysis::classify::FindingCause;
use pdiff_analysis::{Comparison, Cost, Finding, FindingKind, FindingSetting, Gap, Row, SideSummary};

use crate::document::number::{CostUnit, fixed, grouped, interval, percent_of_log, signed};
use crate::document::visible_text::visible;
use crate::document::{Block, Line, Tone};
use crate::findings::grid::{self, is_gone, is_new};
use crate::findings::{next, rest};

/// Busy waiting below this many percent of CPU does not change how costs read.
const LEAST_POLLING_PCT: f64 = 5.0;

/// What is compared if operations are not known.
fn basis_of_shares(comparison: &Comparison) -> String {
    format!(
        "shares of {}, because operations are not known: give --windows, or --operations-before and --operations-after, to see what \
         an operation costs",
        measured(comparison)
    )
}

/// What shares are shares of.
pub(crate) fn measured(comparison: &Comparison) -> Cow<'_, str> {
    visible(comparison.measured())
}

/// Instead of parts, if the sides cannot be compared.
const INCOMPARABLE: &str =
    "not known: the sides cannot be compared, as the lines with !! say; rows are as recorded";

/// The blocks of the first screen, for lines of at most `width` columns; `causes` are those of the findings, or none, and `explain` is
/// the command that explains a function, without its name.
pub(crate) fn blocks(
    comparison: &Comparison,
    causes: &[FindingCause],
    width: Option<usize>,
    explain: Option<&[String]>,
) -> Vec<Block> {
    let mut blocks = vec![Line::toned("result", result_text(comparison), Tone::Strong)];
    blocks.extend(comparison.cost.as_ref().map(|cost| Line::block("cost", cost_text(comparison, cost))));
    if comparison.cost.is_none() {
        blocks.push(Line::block("basis", basis_of_shares(comparison)));
    }
    if comparison.has_nothing_in_common() {
        blocks.push(Line::toned("where", INCOMPARABLE, Tone::Strong));
        return blocks;
    }
    blocks.push(Line::toned("where", where_text(comparison), Tone::Strong));
    if !comparison.findings.list.is_empty() {
        blocks.push(Block::Grid(grid::grid(comparison, causes, width)));
        blocks.extend(rest::kernel(comparison));
        blocks.extend(rest::shared(comparison));
        blocks.extend(settings(comparison));
        if causes.is_empty() {
            blocks.extend(next::maybe_renamed(&comparison.findings.list));
        }
        blocks.push(Line::toned("marks", marks_text(comparison), Tone::Dim));
        blocks.extend(next::blocks(comparison, !causes.is_empty(), explain));
    }
    blocks
}

fn result_text(comparison: &Comparison) -> String {
    let (before, after) = (&comparison.before.label, &comparison.after.label);
    match (&comparison.cost, comparison.cost.as_ref().and_then(|cost| cost.gap.as_ref())) {
        (Some(cost), Some(gap)) => {
            let throughput = throughput_text(before, after, gap, runs_text(comparison));
            match excludes_zero(gap.interval_pct) || !cost.log_interval.is_some_and(excludes_zero) {
                true => throughput,
                // Where operations/s say nothing, as of a fixed amount of work on a busy machine, the cost is the result.
                false => format!("{}; {throughput}", cost_change_text(comparison, cost)),
            }
        }
        (Some(cost), None) => cost_change_text(comparison, cost),
        (None, _) if comparison.has_nothing_in_common() => {
            format!("what changed between {before} and {after} is not known: the sides cannot be compared")
        }
        (None, _) => share_text(comparison),
    }
}

fn cost_change_text(comparison: &Comparison, cost: &Cost) -> String {
    let (before, after) = (&comparison.before.label, &comparison.after.label);
    let change = percent_of_log(cost.log_ratio);
    let more = if change < 0.0 { "less" } else { "more" };
    let what = measured(comparison);
    format!("an operation costs {} % {more} {what} in {after} than in {before}", fixed(change.abs(), 1))
}

fn excludes_zero((low, high): (f64, f64)) -> bool {
    low > 0.0 || high < 0.0
}

/// Without operations: the first part that is one place.
fn share_text(comparison: &Comparison) -> String {
    let (before, after) = (&comparison.before.label, &comparison.after.label);
    let (list, what) = (&comparison.findings.list, measured(comparison));
    // A share of CPU in a function is that of one place: spread parts are only some of the places below theirs.
    let Some(first) = list.iter().find(|finding| finding.kind != FindingKind::Spread) else {
        if let Some(row) = changed_row(comparison).filter(|_| list.is_empty()) {
            return format!(
                "{after} spends {} % of {what} in {}, {before} {} %: the largest change of a row",
                fixed(row.after.self_pct, 1),
                visible(&row.name),
                fixed(row.before.self_pct, 1),
            );
        }
        return match list.len() {
            0 if has_few_samples(comparison) => {
                format!("what changed between {before} and {after} is not known: {}", few_samples(comparison))
            }
            0 => format!("{after} spends its {what} on the same parts as {before}, as far as noise shows"),
            _ => format!("{after} spends its {what} on other parts than {before}, in many small changes"),
        };
    };
    format!(
        "{after} spends {} % of {what} in {}, {before} {} %: the largest {} in one place",
        fixed(first.after.pct, 1),
        visible(&first.name),
        fixed(first.before.pct, 1),
        if first.delta_pp() > 0.0 { "growth" } else { "drop" }
    )
}

/// Fewer samples of a side show no change but that of the whole program.
const FEW_SAMPLES: u64 = 100;

/// Whether that nothing was found says nothing.
fn has_few_samples(comparison: &Comparison) -> bool {
    comparison.noise.tests == 0 || comparison.before.samples.min(comparison.after.samples) < FEW_SAMPLES
}

/// Why nothing was found.
fn few_samples(comparison: &Comparison) -> String {
    let (before, after) = (comparison.before.samples, comparison.after.samples);
    format!("too few samples, {} before and {} after", grouped(before), grouped(after))
}

/// The significant row that changed most.
fn changed_row(comparison: &Comparison) -> Option<&Row> {
    comparison.rows.iter().find(|row| row.significant)
}

fn throughput_text(before: &str, after: &str, gap: &Gap, runs: String) -> String {
    let (low, high) = gap.interval_pct;
    let assumed = if gap.assumed { ", run-to-run variation assumed" } else { "" };
    let numbers = format!(
        "{} -> {} operations/s ({} %, 95 % interval {}; {runs}{assumed})",
        rate(gap.tps.before),
        rate(gap.tps.after),
        signed(gap.gap_pct, 1),
        interval((low, high), 0),
    );
    let size = gap.gap_pct.abs();
    let size = fixed(size, if size < 1.0 { 2 } else { 0 });
    let is_nothing = size.parse() == Ok(0.0);
    match (low > 0.0 && !is_nothing, high < 0.0 && !is_nothing) {
        (_, true) => format!("{after} does {size} % less work than {before}: {numbers}"),
        (true, _) => format!("{after} does {size} % more work than {before}: {numbers}"),
        _ => format!("{after} and {before} do not differ in work beyond noise: {numbers}"),
    }
}

/// A rate as a whole number, with decimals where it is small; rates are positive and far below 2^53.
fn rate(rate: f64) -> String {
    match rate {
        ..10.0 => fixed(rate, 2),
        ..100.0 => fixed(rate, 1),
        _ => grouped(rate.round().max(0.0) as u64),
    }
}

fn runs_text(comparison: &Comparison) -> String {
    match (comparison.before.runs.len(), comparison.after.runs.len()) {
        (1, 1) => "one run a side".to_owned(),
        (before, after) if before == after => format!("{before} runs a side"),
        (before, after) => format!("{before} and {after} runs"),
    }
}

fn cost_text(comparison: &Comparison, cost: &Cost) -> String {
    let unit = CostUnit::of(cost);
    let what = if cost.is_time { "CPU" } else { "of the event" };
    let noise = match cost.log_interval {
        Some((low, high)) => {
            format!(", 95 % interval {}", interval((percent_of_log(low), percent_of_log(high)), 1))
        }
        None => String::new(),
    };
    let cores = cost.gap.map_or_else(String::new, |gap| {
        format!(" on {} -> {} cores", fixed(gap.cores.before, 1), fixed(gap.cores.after, 1))
    });
    let lacks = match cost.cpu_coverage.filter(|_| cost.lacks_cpu) {
        Some(part) => format!(
            "; only sampled CPU counts, {} % of what was measured before, {} % after",
            fixed(100.0 * part.before, 0),
            fixed(100.0 * part.after, 0)
        ),
        None => String::new(),
    };
    let text = format!(
        "{} -> {} {} {what} per operation ({} %{noise}){cores}{lacks}{}",
        unit.fixed(cost.per_op.before),
        unit.fixed(cost.per_op.after),
        unit.name,
        signed(percent_of_log(cost.log_ratio), 1),
        polling_text(comparison)
    );
    text.replace("  ", " ")
}

/// Busy waiting, where there is enough of it to change how costs read.
fn polling_text(comparison: &Comparison) -> String {
    let (before, after) = (comparison.before.spin_pct, comparison.after.spin_pct);
    if before.max(after) < LEAST_POLLING_PCT {
        return String::new();
    }
    let known = [&comparison.after, &comparison.before].map(has_code);
    let at_least = |is_known: bool| if is_known { "" } else { "at least " };
    let hint =
        if known == [true, true] { "" } else { " (recognised by name; give binaries to find the rest)" };
    // Where polling is known on one side alone, what is left is not comparable.
    let without =
        comparison.cost.as_ref().filter(|_| known == [true, true]).map_or_else(String::new, |cost| {
            let (unit, left) = (CostUnit::of(cost), cost.per_op_without_spin);
            let change = 100.0 * (left.after / left.before - 1.0);
            format!(
                ", without it {} -> {} ({} %)",
                unit.fixed(left.before),
                unit.fixed(left.after),
                signed(change, 1)
            )
        });
    format!(
        "; {}{} -> {}{} % of CPU is polling{without}{hint}",
        at_least(known[1]),
        fixed(before, 1),
        at_least(known[0]),
        fixed(after, 1)
    )
}

/// Whether the code of a side's program was read: loops that busy-wait are found in it, while names tell a few only.
pub(crate) fn has_code(of: &SideSummary) -> bool {
    let program = of.objects.iter().find(|object| !object.path.contains(".so"));
    program.is_none_or(|program| program.object_id.is_some())
}

fn where_text(comparison: &Comparison) -> String {
    let change = comparison.cost.as_ref().map(|cost| {
        let unit = CostUnit::of(cost);
        format!("{} {} per operation", unit.signed(cost.per_op.after - cost.per_op.before), unit.name)
    });
    let count = comparison.findings.list.len();
    // One run per side does not tell how the cost of the whole varies: there, shares are tested.
    let is_known = comparison.cost.as_ref().is_some_and(|cost| cost.log_interval.is_some());
    let some_rows = match comparison.rows.iter().filter(|row| row.significant).count() {
        0 => String::new(),
        1 => "; of the rows below, 1 did".to_owned(),
        more => format!("; of the rows below, {more} did"),
    };
    match (count, change) {
        (0, Some(change)) if has_few_samples(comparison) => {
            format!("{change}: in which part is not known: {}", few_samples(comparison))
        }
        (0, None) if has_few_samples(comparison) => format!("not known: {}", few_samples(comparison)),
        (0, Some(change)) => {
            format!(
                "{change}: no part of the program changed beyond noise and beyond what all have in common{some_rows}"
            )
        }
        (0, None) => format!("no part of the program changed beyond noise{some_rows}"),
        (1, Some(change)) => format!("{change}: one part beyond noise, and all else"),
        (_, Some(change)) if is_known => {
            format!("{change}: the {count} largest parts beyond noise, and all else")
        }
        (_, Some(change)) => {
            format!("{change}: the {count} largest parts whose share changed beyond noise, and all else")
        }
        (1, None) => "one part changed beyond noise".to_owned(),
        (_, None) => format!("the {count} largest parts beyond noise, in points of share"),
    }
}

/// What the columns and words of the parts mean; only what is there.
fn marks_text(comparison: &Comparison) -> String {
    let list = &comparison.findings.list;
    let has = |kind: FindingKind| list.iter().any(|finding| finding.kind == kind);
    let rest = &comparison.findings.rest;
    let unlisted = match rest.unlisted {
        0 => String::new(),
        1 => ", of which 1 smaller part is beyond noise".to_owned(),
        more => format!(", of which {more} smaller parts are beyond noise"),
    };
    let meanings = [
        (true, "95 %: the confidence interval is the change plus and minus this".to_owned()),
        (list.len() > 1, order_text(comparison)),
        (
            list.iter().any(|finding| finding.share_of_change_pct.is_some()),
            "of all: part of the change in CPU per operation, not what removing it would gain".to_owned(),
        ),
        (list.iter().any(is_new), "new: no sample before".to_owned()),
        (list.iter().any(is_gone), "gone: no sample after".to_owned()),
        (has(FindingKind::Replaced), "net: new and gone callees below it taken together".to_owned()),
        (has(FindingKind::Spread), "spread: over many places below it".to_owned()),
        (
            list.iter().any(|finding| finding.kind == FindingKind::CrossCutting && !finding.with_callers),
            "shared: many functions call it".to_owned(),
        ),
        (
            list.iter().any(|finding| finding.with_callers),
            "with callers: inlined in its callers, so it is compared together with their own code".to_owned(),
        ),
        (has(FindingKind::NoCaller), "no caller: the stacks do not show who called it".to_owned()),
        (
            list.iter().any(may_be_nothing),
            "an interval across 0: its share changed beyond noise, its cost may not have".to_owned(),
        ),
        (true, format!("all else: everything outside the parts above{unlisted}")),
    ];
    let texts: Vec<String> = meanings.into_iter().filter(|(there, _)| *there).map(|(_, text)| text).collect();
    texts.join("; ")
}

/// Whether the cost of a part may not have changed, though its share did.
fn may_be_nothing(finding: &Finding) -> bool {
    finding.interval_per_op.is_some_and(|(low, high)| low <= 0.0 && high >= 0.0)
}

/// Why the parts are in this order.
fn order_text(comparison: &Comparison) -> String {
    let list = &comparison.findings.list;
    let change = |finding: &Finding| finding.delta_per_op().unwrap_or(finding.delta_pp());
    let goes_both_ways = list.iter().any(|one| change(one) < 0.0) && list.iter().any(|one| change(one) > 0.0);
    let is_spread = |finding: &Finding| finding.kind == FindingKind::Spread;
    let ways = match list.first().map(change) {
        Some(first) if goes_both_ways && first > 0.0 => "parts that grew first, each way ",
        Some(_) if goes_both_ways => "parts that shrank first, each way ",
        _ => "",
    };
    let size = match comparison.cost.as_ref().and_then(|cost| cost.log_interval) {
        Some(_) => "by size minus what noise may add",
        None => "by size",
    };
    let spread = if list.iter().any(is_spread) { ", those gathered from smaller parts last" } else { "" };
    format!("order: {ways}{size}{spread}")
}

/// A line for each setting that switches findings.
fn settings(comparison: &Comparison) -> Vec<Block> {
    let mut lines: Vec<(String, Vec<String>)> = Vec::new();
    for finding in &comparison.findings.list {
        for text in finding.settings.iter().map(setting_text) {
            match lines.iter_mut().find(|(known, _)| *known == text) {
                Some((_, ranks)) => ranks.push(finding.rank.to_string()),
                None => lines.push((text, vec![finding.rank.to_string()])),
            }
        }
    }
    let line = |(text, ranks): (String, Vec<String>)| {
        Line::block(
            "setting",
            format!("of {} {}: {text}", if ranks.len() == 1 { "part" } else { "parts" }, ranks.join(", ")),
        )
    };
    lines.into_iter().map(line).collect()
}

pub(crate) fn setting_text(setting: &FindingSetting) -> String {
    let values = match (&setting.values.before, &setting.values.after) {
        (Some(before), Some(after)) => format!("{before} before, {after} after"),
        (None, Some(after)) => format!("= {after}, a setting that Before does not have"),
        (Some(before), None) => format!("= {before} before, a setting that After does not have"),
        (None, None) => String::new(),
    };
    let why = if setting.why.is_empty() { String::new() } else { format!(" ({})", setting.why) };
    let to_try = setting.value_to_try().map_or_else(String::new, |value| format!("; try After with {value}"));
    visible(&format!("{} {values}{why}{to_try}", setting.name)).into_owned()
}

#[cfg(test)]
mod tests {
    use pdiff_analysis::Comparison;

    use crate::compare::page::{markdown, table};
    use crate::compare::sample;
    use crate::document::options::TableOptions;
    use crate::document::visible_text::width;

    fn screen(columns: usize) -> String {
        let options = TableOptions { width: Some(columns), ..sample::options() };
        let text = table(&sample::with_findings(), &options);
        let end = text.find("\nrows ").unwrap();
        text.get(..end).unwrap().to_owned()
    }

    #[test]
    fn parts_and_all_else_sum_to_the_whole() {
        let text = screen(100);
        let numbers = |what: &str| -> f64 {
            let mut rows = text.lines().skip_while(|line| !line.starts_with('#'));
            let line =
                rows.find(|line| line.trim_end().ends_with(what)).unwrap_or_else(|| panic!("{what}: {text}"));
            line.split_whitespace().find(|word| word.starts_with(['+', '-'])).unwrap().parse().unwrap()
        };
        let parts: f64 =
            ["log_writer", "Sql_cmd_dml::execute", "ut_delay", "all else"].map(numbers).iter().sum();
        let whole = numbers("the whole");
        assert!((parts - whole).abs() < 0.02 && whole == 13.0, "{parts} in {text}");
    }

    #[test]
    fn what_polls_and_what_switches_it_stand_beside_it() {
        let text = screen(132);
        assert!(text.contains("new, polling"), "{text}");
        assert!(
            text.contains(
                "setting  of part 1: innodb_log_writer_threads = ON, a setting that Before does not have"
            ),
            "{text}"
        );
        assert!(text.contains("After with OFF\n"), "{text}");
        assert!(text.contains("next     why: pdiff explain "), "{text}");
    }

    #[test]
    fn it_fits_every_width_and_names_stay_whole_where_there_is_room() {
        for columns in [40, 56, 80, 100, 132, 200] {
            for line in screen(columns).lines() {
                assert!(width(line) <= columns, "{columns}: {line}");
            }
        }
        assert!(screen(132).contains("mysql_execute_command -> Sql_cmd_dml::execute"));
        assert!(screen(80).contains("execute"), "{}", screen(80));
        let page = markdown(&sample::with_findings(), &sample::options());
        assert!(page.contains("`mysql_execute_command -> Sql_cmd_dml::execute`"), "{page}");
    }

    #[test]
    fn the_order_of_parts_is_explained() {
        let order = |log_interval| {
            let mut of = sample::with_findings();
            of.cost.as_mut().unwrap().log_interval = log_interval;
            let options = TableOptions { width: Some(400), ..sample::options() };
            table(&of, &options)
        };
        let (one_run, several) = (order(None), order(Some((0.1, 0.4))));
        // One of the sample's parts goes the other way.
        let ways = "order: parts that grew first, each way by size";
        assert!(one_run.contains(&format!("{ways};")), "{one_run}");
        assert!(several.contains(&format!("{ways} minus what noise may add;")), "{several}");
    }

    #[test]
    fn without_findings_it_says_so() {
        let options = TableOptions { width: Some(100), ..sample::options() };
        let text = table(&sample::full(), &options);
        assert!(text.contains("no part of the program changed beyond noise"), "{text}");
        assert!(!text.contains("\nnext "), "{text}");
    }

    #[test]
    fn without_operations_it_begins_with_the_largest_change() {
        let options = TableOptions { width: Some(200), ..sample::options() };
        let text = table(&Comparison { cost: None, ..sample::with_findings() }, &options);
        let at = |what: &str| text.find(what).unwrap_or_else(|| panic!("{what} in {text}"));
        let result = at("result   80 spends ");
        assert!(result < at("% of CPU in log_writer, 57 ") && at("basis    shares of CPU") < at("where "));
        assert!(at("the largest growth in one place") < at("basis "));
        let mut full = Comparison { cost: None, ..sample::full() };
        let rows_alone = table(&full, &options);
        assert!(!rows_alone.contains("on the same parts"), "{rows_alone}");
        assert!(rows_alone.contains("the largest change of a row"), "{rows_alone}");
        assert!(
            rows_alone.contains("no part of the program changed beyond noise; of the rows below, "),
            "{rows_alone}"
        );
        full.rows.iter_mut().for_each(|row| row.significant = false);
        let alike = table(&full, &options);
        assert!(alike.contains("result   80 spends its CPU on the same parts as 57"), "{alike}");
        assert!(alike.contains("no part of the program changed beyond noise\n"), "{alike}");
    }

    #[test]
    fn a_profile_of_the_heap_is_not_called_cpu() {
        let mut of = Comparison { cost: None, ..sample::with_findings() };
        for side in [&mut of.before, &mut of.after] {
            side.runs.iter_mut().for_each(|run| run.event = "inuse_space".to_owned());
        }
        let text = table(&of, &TableOptions { width: Some(200), ..sample::options() });
        assert!(
            text.contains("% of inuse_space in log_writer") && text.contains("shares of inuse_space"),
            "{text}"
        );
        assert!(!text.lines().take(3).any(|line| line.contains("CPU")), "{text}");
    }

    #[test]
    fn a_cost_that_lacks_cpu_says_so_beside_its_numbers() {
        let mut of = sample::full();
        let cost = of.cost.as_mut().unwrap();
        cost.cpu_coverage = Some(pdiff_analysis::Pair { before: 0.914, after: 0.493 });
        let text = |of: &Comparison| table(of, &TableOptions { width: Some(400), ..sample::options() });
        let told = "; only sampled CPU counts, 91 % of what was measured before, 49 % after";
        assert!(!text(&of).contains(told));
        of.cost.as_mut().unwrap().lacks_cpu = true;
        assert!(text(&of).contains(told), "{}", text(&of));
    }

    #[test]
    fn a_cost_that_changed_is_the_result_where_operations_per_second_did_not() {
        let text = |interval_pct, log_interval| {
            let mut of = sample::full();
            let cost = of.cost.as_mut().unwrap();
            cost.log_interval = log_interval;
            cost.gap.as_mut().unwrap().interval_pct = interval_pct;
            super::result_text(&of)
        };
        let noisy = text((-22.0, 79.0), Some((0.1, 0.4)));
        assert!(
            noisy.starts_with(
                "an operation costs 31.0 % more CPU in 80 than in 57; 80 and 57 do not differ in work beyond"
            ),
            "{noisy}"
        );
        assert!(text((-40.0, -22.0), Some((0.1, 0.4))).starts_with("80 does 32 % less work"));
        for unknown in [None, Some((-0.1, 0.4))] {
            assert!(text((-22.0, 79.0), unknown).starts_with("80 and 57 do not differ in work beyond noise"));
        }
    }

    #[test]
    fn a_small_gap_has_its_digits_and_none_is_no_difference() {
        let text = |gap_pct, interval_pct| {
            let gap =
                pdiff_analysis::Gap { gap_pct, interval_pct, ..sample::full().cost.unwrap().gap.unwrap() };
            super::throughput_text("a", "b", &gap, String::new())
        };
        assert!(text(-0.4, (-0.5, -0.3)).starts_with("b does 0.40 % less work than a"));
        assert!(text(0.0, (-1e-9, -1e-12)).starts_with("b and a do not differ in work beyond noise"));
    }
}
