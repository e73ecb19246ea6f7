//! The first screen: the change of throughput and of CPU per operation, and the few parts that contain the change.

use pdiff_analysis::classify::{FindingCause, FunctionCause};
use pdiff_analysis::{Comparison, Finding, FindingKind, FindingSetting};

use crate::document::number::CostUnit;
use crate::document::short_name::shorten;
use crate::document::visible_text::visible;
use crate::document::{Block, Line, Tone};
use crate::findings::grid::{self, is_gone, is_new};
use crate::findings::inside::{Inside, NAME_WIDTH, work_name};
use crate::findings::result::{basis_of_shares, cost_text, few_samples, has_few_samples, result_text};
use crate::findings::{next, packages, rest};
use crate::verdicts::words::cause_text;

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
        let grid = grid::grid(comparison, causes, width);
        let marks = marks_text(comparison, |title| grid.has_column(title));
        blocks.push(Block::Grid(grid));
        blocks.extend(rest::kernel(comparison));
        blocks.extend(rest::shared(comparison));
        blocks.extend(rest::few_runs(comparison));
        blocks.extend(rest::function_outside(comparison));
        blocks.extend(packages::line(comparison));
        blocks.extend(next::missing_callers(comparison));
        blocks.extend(inside(comparison, causes));
        if causes.is_empty() {
            blocks.extend(largest_members(&comparison.findings.list));
        }
        blocks.extend(origins(comparison, causes));
        blocks.extend(settings(comparison));
        if causes.is_empty() {
            blocks.extend(next::maybe_renamed(&comparison.findings.list));
        }
        blocks.push(Line::toned("marks", marks, Tone::Dim));
        blocks.extend(next::blocks(comparison, causes, explain));
    } else {
        blocks.extend(rest::kernel(comparison));
        blocks.extend(rest::function_outside(comparison));
    }
    blocks
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

/// What the columns and words of the parts mean; only what is there, where columns that found no room are not.
fn marks_text(comparison: &Comparison, has_column: impl Fn(&str) -> bool) -> String {
    let list = &comparison.findings.list;
    let (has_interval, has_what) = (has_column(grid::INTERVAL), has_column(grid::WHAT));
    let any = |is: fn(&Finding) -> bool| list.iter().any(is);
    let mut kernel: Vec<&str> = list.iter().filter_map(Finding::main_kernel_work).map(work_name).collect();
    kernel.sort_unstable();
    kernel.dedup();
    let rest = &comparison.findings.rest;
    let unlisted = match rest.unlisted {
        0 => String::new(),
        1 => ", of which 1 smaller part is beyond noise".to_owned(),
        more => format!(", of which {more} smaller parts are beyond noise"),
    };
    let meanings = [
        (has_interval, "95 %: the confidence interval is the change plus and minus this".to_owned()),
        (list.len() > 1, order_text(comparison)),
        (
            has_column(grid::PART_OF_CHANGE),
            "of all: part of the change in CPU per operation, not what removing it would gain".to_owned(),
        ),
        (has_what && any(is_new), "new: no sample before".to_owned()),
        (has_what && any(is_gone), "gone: no sample after".to_owned()),
        (
            has_what && any(|of| of.kind == FindingKind::Replaced),
            "net: new and gone callees below it taken together".to_owned(),
        ),
        (
            has_what && any(|of| of.kind == FindingKind::Spread),
            "spread: over many places below it".to_owned(),
        ),
        (
            has_what && any(|of| of.kind == FindingKind::CrossCutting && !of.with_callers),
            "shared: many functions call it".to_owned(),
        ),
        (
            has_what && any(|of| of.with_callers),
            "with callers: inlined in its callers, so it is compared together with their own code".to_owned(),
        ),
        (
            has_what && !kernel.is_empty(),
            format!("{}: most of it is that work of the kernel", kernel.join(", ")),
        ),
        (
            has_what && any(|of| of.kind == FindingKind::NoCaller),
            "no caller: the stacks do not show who called it".to_owned(),
        ),
        (
            has_interval && any(may_be_nothing),
            "an interval across 0: its share changed beyond noise, its cost may not have".to_owned(),
        ),
        (
            has_interval && any(may_be_nothing_but_relative),
            "an interval across 0: it changed beyond noise in comparison with the shares of all places"
                .to_owned(),
        ),
        (
            true,
            format!("all else: everything outside the parts above{unlisted}{}", share_of_rest(comparison)),
        ),
    ];
    let texts: Vec<String> = meanings.into_iter().filter(|(there, _)| *there).map(|(_, text)| text).collect();
    texts.join("; ")
}

/// Why the share of all else changed, where operations do not tell what it costs.
fn share_of_rest(comparison: &Comparison) -> &'static str {
    let of_parts: f64 = comparison.findings.list.iter().map(Finding::delta_pp).sum();
    match (&comparison.cost, comparison.findings.rest.delta_pp() < 0.0, of_parts < 0.0) {
        (None, true, false) => ", whose share falls as that of the parts grows, at the same cost, too",
        (None, false, true) => ", whose share grows as that of the parts falls, at the same cost, too",
        _ => "",
    }
}

/// Whether the cost of a part may not have changed, though its share did.
fn may_be_nothing(finding: &Finding) -> bool {
    finding.interval_per_op.is_some_and(|(low, high)| low <= 0.0 && high >= 0.0)
}

/// Whether the share of a part may not have changed, though without operations it went another way than the shares of all places.
fn may_be_nothing_but_relative(finding: &Finding) -> bool {
    let (low, high) = finding.interval_pp;
    finding.interval_per_op.is_none() && low <= 0.0 && high >= 0.0
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

/// A line for each part with most of its change in a function that it is not named by.
fn inside(comparison: &Comparison, causes: &[FindingCause]) -> Vec<Block> {
    let line = |(finding, of): (&Finding, &FindingCause)| {
        let inside = of.inside.as_ref()?;
        let (rank, name) = (finding.rank, visible(&inside.function));
        let cause = cause_text(inside.cause, inside.confidence);
        Some(Line::block("mostly", format!("part {rank}: most of its change is in {name} ({cause})")))
    };
    comparison.findings.list.iter().zip(causes).filter_map(line).collect()
}

/// For so many of the first parts, the function with most of the change is named.
const TOLD_MEMBERS: usize = 3;

/// A member that has so much of the change of its part is most of it.
const MOST_OF_PART: f64 = 0.5;

/// Which other function has most of the change of the first parts: what a part is named after may be no more than what calls it.
fn largest_members(list: &[Finding]) -> Option<Block> {
    let mut text = String::new();
    for finding in list.iter().filter(|finding| finding.is_function()).take(TOLD_MEMBERS) {
        let all = Inside::all(finding);
        let Some(largest) = all.first() else { continue };
        let of_part = finding.delta_per_op().unwrap_or(finding.delta_pp());
        let other = largest.function().filter(|member| member.name != finding.function());
        let Some(other) = other.filter(|_| largest.change() / of_part >= MOST_OF_PART) else { continue };
        let (start, is) =
            if text.is_empty() { ("most of the change of part", " is") } else { (", of part", "") };
        text += &format!("{start} {}{is} in {}", finding.rank, shorten(&other.name, NAME_WIDTH));
    }
    (!text.is_empty()).then(|| Line::block("mostly", text))
}

/// A line for each function that most of the change of parts begins in, if others name them.
fn origins(comparison: &Comparison, causes: &[FindingCause]) -> Vec<Block> {
    let mut of: Vec<(&FunctionCause, Vec<String>)> = Vec::new();
    for (finding, cause) in comparison.findings.list.iter().zip(causes) {
        let Some(origin) = &cause.origin else { continue };
        match of.iter_mut().find(|(known, _)| *known == origin) {
            Some((_, ranks)) => ranks.push(finding.rank.to_string()),
            None => of.push((origin, vec![finding.rank.to_string()])),
        }
    }
    let line = |(origin, ranks): (&FunctionCause, Vec<String>)| {
        let (name, cause) = (visible(&origin.function), cause_text(origin.cause, origin.confidence));
        let text = match &*ranks {
            [rank] => format!("part {rank} in {name} ({cause}): most of its change is in what that calls"),
            _ => format!(
                "parts {} in one function, {name} ({cause}): most of their change is in what that calls",
                ranks.join(", ")
            ),
        };
        Line::block("begins", text)
    };
    of.into_iter().map(line).collect()
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
    use pdiff_analysis::classify::{Cause, Confidence, FindingCause, FunctionCause};
    use pdiff_analysis::{Comparison, FindingMember, FindingSide};

    use crate::compare::page::{markdown, table, table_with_causes};
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
    fn functions_inside_the_first_parts_are_named_where_they_have_most_of_the_change() {
        let mut of = sample::with_findings();
        let told =
            |of: &Comparison| super::largest_members(&of.findings.list).map(|block| format!("{block:?}"));
        let functions: Vec<usize> =
            (0..of.findings.list.len()).filter(|at| of.findings.list[*at].is_function()).collect();
        let [first, second, ..] = functions[..] else { panic!("two parts are functions") };
        let set_member = |of: &mut Comparison, at: usize, name: &str, part: f64| {
            let finding = &mut of.findings.list[at];
            let whole = finding.after;
            let before = FindingSide { per_op: whole.per_op.map(|_| 0.0), pct: 0.0, ..whole };
            let per_op = finding.delta_per_op().map(|change| part * change);
            let after = FindingSide { per_op, pct: part * finding.delta_pp(), ..whole };
            let member = FindingMember { name: name.to_owned(), object: "mysqld".to_owned(), before, after };
            (finding.members, finding.kernel) = (vec![member], Vec::new());
        };
        of.findings.list.iter_mut().for_each(|finding| finding.members.clear());
        assert_eq!(told(&of), None);
        set_member(&mut of, first, "emit_row", 0.6);
        set_member(&mut of, second, "strcmp", 0.5);
        let ranks = [first, second].map(|at| of.findings.list[at].rank);
        let expected =
            format!("most of the change of part {} is in emit_row, of part {} in strcmp", ranks[0], ranks[1]);
        assert!(told(&of).is_some_and(|text| text.contains(&expected)), "{:?}", told(&of));
        // Less than half of it, and the function that the part is named after.
        set_member(&mut of, first, "emit_row", 0.4);
        let named = of.findings.list[second].function().to_owned();
        set_member(&mut of, second, &named, 0.9);
        assert_eq!(told(&of), None);
        // It shrank, and the part grew.
        set_member(&mut of, first, "emit_row", -0.9);
        assert_eq!(told(&of), None);
    }

    #[test]
    fn a_part_whose_interval_holds_nothing_is_explained_with_and_without_operations() {
        let mut of = sample::with_findings();
        let tells = |of: &Comparison, text: &str| super::marks_text(of, |_| true).contains(text);
        let [of_cost, of_share] = ["its cost may not have", "in comparison with the shares of all places"];
        assert!(!tells(&of, of_cost) && !tells(&of, of_share));
        of.findings.list[0].interval_per_op = Some((-1.0, 2.0));
        assert!(tells(&of, of_cost) && !tells(&of, of_share));
        (of.findings.list[0].interval_per_op, of.findings.list[0].interval_pp) = (None, (-0.25, 2.75));
        assert!(!tells(&of, of_cost) && tells(&of, of_share));
    }

    #[test]
    fn columns_that_found_no_room_are_not_explained() {
        let marks = |columns: usize| {
            let text = screen(columns).split_once("\nmarks ").unwrap().1.to_owned();
            let text = text.split("\nnext ").next().unwrap();
            text.split_whitespace().collect::<Vec<_>>().join(" ")
        };
        let of_columns = ["95 %: ", "of all: ", "new: ", "shared: many"];
        let (wide, narrow) = (marks(132), marks(40));
        for text in of_columns {
            assert_eq!((wide.contains(text), narrow.contains(text)), (true, false), "{text}{wide}; {narrow}");
        }
        assert!(narrow.starts_with("order: "), "{narrow}");
    }

    #[test]
    fn without_operations_all_else_is_said_to_change_with_the_shares_of_the_parts() {
        let mut of = sample::with_findings();
        let told = |of: &Comparison| {
            super::marks_text(of, |_| true).split(", whose share ").nth(1).map(str::to_owned)
        };
        assert_eq!(told(&of), None);
        of.cost = None;
        let parts: f64 = of.findings.list.iter().map(super::Finding::delta_pp).sum();
        let rest = &mut of.findings.rest;
        rest.after.pct = rest.before.pct - parts;
        assert!(
            parts > 0.0 && told(&of).is_some_and(|text| text.starts_with("falls as that of the parts grows"))
        );
        // Both grew: something is in neither.
        of.findings.rest.after.pct = of.findings.rest.before.pct + parts;
        assert_eq!(told(&of), None);
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
    fn parts_that_begin_in_one_function_are_said_to_have_one_cause() {
        let of = sample::with_findings();
        let function = |name: &str| {
            let (cause, confidence) = (Cause::MissingFastPath, Confidence::Proved);
            Some(FunctionCause { function: name.to_owned(), cause, confidence })
        };
        let cause = |origin| FindingCause {
            cause: Cause::Heavier,
            confidence: Confidence::Likely,
            limited_by: None,
            code_is_new: None,
            inside: None,
            origin,
        };
        let causes = [function("compare"), None, function("compare")].map(cause);
        let explain = vec!["pdiff".to_owned(), "explain".to_owned()];
        let options =
            |explain| TableOptions { width: Some(200), explain: Some(explain), ..sample::options() };
        let text = table_with_causes(&of, &causes, &options(explain.clone()));
        let line = "begins   parts 1, 3 in one function, compare (missing-fast-path, proved): most of their change is in what that calls\n";
        assert!(text.contains(line), "{text}");
        assert!(text.contains("next     pdiff explain --function compare\n"), "{text}");
        let alone = [None, function("compare"), None].map(cause);
        let text = table_with_causes(&of, &alone, &options(explain));
        let line = "begins   part 2 in compare (missing-fast-path, proved): most of its change is in what that calls\n";
        assert!(text.contains(line) && !text.contains("--function compare"), "{text}");
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
}
