//! What no part holds, where that is a large part of the change: whether it is many places, what all have in common, one function, or the
//! kernel.

use pdiff_analysis::{
    Comparison, Cost, GroupBy, KernelKind, KernelPart, KernelWork, Row, Share, is_kernel_object,
    is_system_library,
};
use pdiff_profile::{Presence, Side};

use crate::document::number::{CostUnit, signed};
use crate::document::visible_text::visible;
use crate::document::{Block, Line};
use crate::findings::inside::work_text;

/// A rest of less than this part of the whole change is not explained.
const LEAST_PART: f64 = 0.2;

/// The part of the rest's change, as logarithms, that three of four places must reach, so that it is most of it.
const MOST: f64 = 0.7;

/// Work of the kernel outside the parts has a line if it is at least this part of the whole change.
const LEAST_KERNEL_PART: f64 = 0.1;

/// And, whatever the whole did, if it is this part of what an operation cost, and grew or shrank by this factor.
const LEAST_OF_COST: f64 = 0.03;
const LEAST_FACTOR: f64 = 1.25;

/// Says what the kernel does more or less that no part tells: below a function that has most of the program, it is no part, nor where
/// the cost of an operation varies too much.
pub(super) fn kernel(comparison: &Comparison) -> Option<Block> {
    let cost = comparison.cost.as_ref()?;
    let (whole, unit) = (cost.per_op.after - cost.per_op.before, CostUnit::of(cost));
    let work = |kind: KernelKind| comparison.findings.kernel.iter().filter(move |work| work.kind == kind);
    let in_parts = |kind: KernelKind| -> f64 {
        let parts = comparison.findings.list.iter().flat_map(|finding| &finding.kernel);
        parts.filter(|part| part.kind == kind).filter_map(KernelPart::delta_per_op).sum()
    };
    // Interrupts strike anywhere, and are a part of their own; other work says nothing.
    let mut kinds: Vec<KernelKind> = comparison.findings.kernel.iter().map(|work| work.kind).collect();
    kinds.retain(|kind| !matches!(kind, KernelKind::Interrupts | KernelKind::Other));
    kinds.sort_unstable();
    kinds.dedup();
    let size = |work: &KernelWork| work.delta_per_op().unwrap_or(0.0).abs();
    let of_kind = |kind: KernelKind| {
        let all: f64 = work(kind).filter_map(KernelWork::delta_per_op).sum();
        let left = all - in_parts(kind);
        let goes_there = |work: &&KernelWork| work.delta_per_op().unwrap_or(0.0) * left > 0.0;
        let main = work(kind).filter(|work| work.significant).filter(goes_there);
        Some((left, kind, main.max_by(|a, b| size(a).total_cmp(&size(b)))?))
    };
    let is_told = |(left, _, main): &(f64, KernelKind, &KernelWork)| {
        let is_large = left.abs() >= LEAST_OF_COST * cost.per_op.before;
        left / whole >= LEAST_KERNEL_PART || is_large && has_factor(main)
    };
    let told = kinds.into_iter().filter_map(of_kind).filter(is_told);
    let (left, kind, main) = told.max_by(|a, b| a.0.abs().total_cmp(&b.0.abs()))?;
    let caller = main
        .caller
        .as_deref()
        .map_or_else(String::new, |caller| format!(", most of it below {}", visible(caller)));
    let text = format!(
        "{} {} per operation that is in no part: {}{caller}",
        unit.signed(left),
        unit.name,
        work_text(kind),
    );
    Some(Line::block("kernel", text))
}

/// Whether work of the kernel grew or shrank by the factor that a line asks for.
fn has_factor(work: &KernelWork) -> bool {
    let (before, after) = (work.before.per_op.unwrap_or(0.0), work.after.per_op.unwrap_or(0.0));
    before.max(after) >= LEAST_FACTOR * before.min(after)
}

/// A function of the program grew as a whole if its total grew by this part of its self: else the work came from elsewhere.
const GROWN_AS_A_WHOLE: f64 = 0.7;

/// A function outside the parts has a line if it changed by at least this part of what the largest of them did.
const LEAST_OF_LARGEST: f64 = 0.5;

/// A function that changed beyond noise in places that are no part, and by how many points there. One of a system library belongs to the
/// functions that call it, and what each of these spends in it may be within noise. One of the program must have grown as a whole: it may
/// run in many places, or be compared with its callers' own lines.
pub(super) fn outside(comparison: &Comparison) -> Option<(&Row, f64)> {
    if comparison.group_by != GroupBy::Function || comparison.share != Share::All {
        return None;
    }
    let parts = &comparison.findings.list;
    let largest = parts.iter().map(|part| part.delta_pp().abs()).fold(0.0, f64::max);
    let in_parts = |row: &Row| -> f64 {
        let members = parts.iter().flat_map(|part| &part.members);
        let of_row = members.filter(|member| *member.name == *row.name && *member.object == *row.object);
        of_row.map(|member| member.after.pct - member.before.pct).sum()
    };
    let is_own = |row: &Row| {
        let as_a_whole =
            row.total.significant && row.delta_total_pp() >= GROWN_AS_A_WHOLE * row.delta_self_pp();
        row.delta_self_pp() > 0.0 && as_a_whole && row.presence == Presence::Both && !row.unresolved
    };
    let told = comparison.rows.iter().filter(|row| row.significant);
    let told =
        told.filter(|row| is_system_library(&row.object) || (!is_kernel_object(&row.object) && is_own(row)));
    let left = told.map(|row| (row.delta_self_pp() - in_parts(row), row));
    // What grew takes share from all: a place that did not change loses some, too. The same for swapped sides.
    let factor = comparison.findings.rest.common_factor;
    let own = |left: f64, row: &Row| (left - (factor - 1.0) * row.before.self_pct) * factor.recip().min(1.0);
    let is_large = |(left, row): &(f64, &Row)| {
        let own = own(*left, row);
        own * left > 0.0 && own.abs().min(left.abs()) >= LEAST_OF_LARGEST * largest
    };
    let largest = left.filter(is_large).max_by(|a, b| a.0.abs().total_cmp(&b.0.abs()));
    largest.map(|(left, row)| (row, left))
}

/// Says which function that is.
pub(super) fn function_outside(comparison: &Comparison) -> Option<Block> {
    let (row, left) = outside(comparison)?;
    let is_copied = Side::BOTH
        .into_iter()
        .any(|side| !row.inlined_into(side).is_empty() && row.side(side.other()).booked_self_pct > 0.0);
    let why = if is_system_library(&row.object) {
        "what each function above it in the stacks spends there is within noise"
    } else if is_copied {
        "a part compares it with its callers' own lines, which can vary more"
    } else {
        "no single place in the call tree where it runs is one of the largest parts"
    };
    let text = format!(
        "{} ({}) itself has {:.2} -> {:.2} % of CPU, beyond noise; {} points of that are in no part, because {why}",
        visible(&row.name),
        visible(&row.object),
        row.before.self_pct,
        row.after.self_pct,
        signed(left, 2),
    );
    Some(Line::block("outside", text))
}

/// With one run of a side, so much of the change in no part makes readers ask why.
const MOST_UNTOLD: f64 = 0.5;

/// Says why most of the change is in no part, and what helps, if a side has one run.
pub(super) fn few_runs(comparison: &Comparison) -> Option<Block> {
    let (cost, rest) = (comparison.cost.as_ref()?, &comparison.findings.rest);
    let runs = [&comparison.before, &comparison.after].map(|side| side.runs.len()).into_iter().min()?;
    let untold = (rest.after.per_op? - rest.before.per_op?) / (cost.per_op.after - cost.per_op.before);
    let is_large = (MOST_UNTOLD..=1.0).contains(&untold) && shared(comparison).is_none();
    let text = format!(
        "{:.0} % of the change is in no part: how much one run differs from the next is not known from a single run, so only large changes of \
         a place count as beyond noise; three runs of each side show smaller ones",
        100.0 * untold
    );
    (runs == 1 && is_large).then(|| Line::block("all else", text))
}

/// Says that most of what the parts leave is a change of all places, where it is.
pub(super) fn shared(comparison: &Comparison) -> Option<Block> {
    let (cost, rest) = (comparison.cost.as_ref()?, &comparison.findings.rest);
    let (before, after) = (rest.before.per_op?, rest.after.per_op?);
    let whole = cost.per_op.after - cost.per_op.before;
    let (shared, of_rest) = (rest.common_cost_ratio?.ln(), (after / before).ln());
    let is_large = (after - before) / whole >= LEAST_PART;
    let is_most = shared / of_rest >= MOST;
    (is_large && is_most).then(|| Line::block("all else", text(cost, (before, after), shared.exp())))
}

fn text(cost: &Cost, (before, after): (f64, f64), shared: f64) -> String {
    let unit = CostUnit::of(cost);
    let percent = |ratio: f64| signed(100.0 * (ratio - 1.0), 0);
    format!(
        "{} -> {} {} ({} %), and three of four places of the program {} % or {}: most of it is no single place, but what all code \
         shares, such as the machine, its load, or the compiler and its options",
        unit.fixed(before).trim(),
        unit.fixed(after).trim(),
        unit.name,
        percent(after / before),
        percent(shared),
        if shared > 1.0 { "more" } else { "lower" },
    )
}

#[cfg(test)]
mod tests {
    use pdiff_analysis::{
        FindingSide, InlinedInto, KernelKind, KernelPart, KernelWork, MissingCallers, RowInline,
    };
    use pdiff_profile::{PerSide, Weight};

    use crate::compare::sample;

    #[test]
    fn work_of_the_kernel_that_no_part_has_is_told() {
        let mut of = sample::with_findings();
        let rest = of.findings.rest;
        let work = |kind: KernelKind, more: f64| KernelWork {
            caller: Some("main".to_owned()),
            object: "mysqld".to_owned(),
            kind,
            before: rest.before,
            after: FindingSide { per_op: rest.before.per_op.map(|of| of + more), ..rest.after },
            interval_pp: (1.0, 2.0),
            q_value: Some(0.001),
            significant: true,
            functions: 3,
        };
        let told = |of: &pdiff_analysis::Comparison| super::kernel(of).is_some();
        assert!(!told(&of));
        of.findings.kernel = vec![work(KernelKind::ReadWrite, 4_000.0)];
        assert!(told(&of));
        // A part has it, it is little, it says nothing, or it goes the other way.
        let PerSide { before, after } = PerSide::new(rest.before, of.findings.kernel[0].after);
        of.findings.list[0].kernel = vec![KernelPart { kind: KernelKind::ReadWrite, before, after }];
        assert!(!told(&of));
        of.findings.list[0].kernel.clear();
        for (kind, more) in
            [(KernelKind::ReadWrite, 900.0), (KernelKind::Other, 4_000.0), (KernelKind::Futex, -900.0)]
        {
            of.findings.kernel = vec![work(kind, more)];
            assert!(!told(&of), "{kind:?} {more}");
        }
        // It is much of the cost of an operation, whatever the whole did.
        of.findings.kernel = vec![work(KernelKind::Futex, 0.5 * -rest.before.per_op.unwrap())];
        assert!(told(&of));
        of.cost.as_mut().unwrap().per_op.after = of.cost.as_ref().unwrap().per_op.before - 100.0;
        of.findings.kernel = vec![work(KernelKind::ReadWrite, rest.before.per_op.unwrap())];
        assert!(told(&of));
    }

    #[test]
    fn one_run_is_why_most_of_the_change_is_in_no_part() {
        let of = |part: f64, runs: usize| {
            let mut of = sample::with_findings();
            let (whole, before) = (of.cost.as_ref().unwrap().per_op, of.findings.rest.before.per_op.unwrap());
            of.findings.rest.after.per_op = Some(before + part * (whole.after - whole.before));
            of.findings.rest.common_cost_ratio = None;
            let run = of.before.runs[0].clone();
            of.before.runs = vec![run; runs];
            super::few_runs(&of).map(|block| format!("{block:?}"))
        };
        assert!(of(0.71, 1).is_some_and(|text| text.contains("71 % of the change is in no part")));
        // Most of it is in parts; the parts cancel; the runs tell.
        assert_eq!(of(0.4, 1), None);
        assert_eq!(of(1.3, 1), None);
        let mut both = sample::with_findings();
        both.after.runs = vec![both.after.runs[0].clone(); 3];
        both.before.runs = both.after.runs.clone();
        assert!(super::few_runs(&both).is_none());
    }

    #[test]
    fn a_function_of_a_library_that_changed_more_than_the_parts_is_told() {
        let mut of = sample::with_findings();
        let largest = of.findings.list.iter().map(|part| part.delta_pp().abs()).fold(0.0, f64::max);
        let row = |object: &str, before: f64, after: f64| {
            let mut row = sample::row("strcmp", (before, after));
            (row.significant, row.object) = (true, object.into());
            row
        };
        let told = |of: &pdiff_analysis::Comparison| {
            super::function_outside(of).map(|block| format!("{block:?}").contains("strcmp (libc.so) itself"))
        };
        of.findings.rest.common_factor = 1.0;
        of.rows.retain(|row| !row.significant);
        assert_eq!(told(&of), None);
        of.rows.push(row("libc.so", 1.0, 1.0 + 0.6 * largest));
        assert_eq!(told(&of), Some(true));
        let missing = |told_pct| MissingCallers { told_pct, unknown_pct: 7.5 };
        of.missing_callers = Some(PerSide::new(missing(3.0), missing(41.5)));
        let json = serde_json::to_value(crate::findings::json::rest(&of)).unwrap();
        assert_eq!(
            (&json["outside"]["function"], &json["outside"]["object"]),
            (&"strcmp".into(), &"libc.so".into())
        );
        assert!((json["outside"]["delta_pp"].as_f64().unwrap() - 0.6 * largest).abs() < 1e-9);
        let of_missing = &json["missing_callers"];
        assert_eq!(of_missing["told_pct"], serde_json::json!({ "before": 3.0, "after": 41.5 }));
        assert_eq!(of_missing["unknown_pct"]["after"], 7.5);
        // Without any part, too.
        let parts = std::mem::take(&mut of.findings.list);
        assert_eq!(told(&of), Some(true));
        of.findings.list = parts;
        // Half of it is in a part.
        let PerSide { before, after } = PerSide::new(of.findings.rest.before, of.findings.rest.after);
        of.findings.list[0].members.push(pdiff_analysis::FindingMember {
            name: "strcmp".to_owned(),
            object: "libc.so".to_owned(),
            before: FindingSide { pct: 0.5, ..before },
            after: FindingSide { pct: 0.5 + 0.3 * largest, ..after },
        });
        assert_eq!(told(&of), None);
        of.findings.list[0].members.clear();
        // It is a place of the program that did not grow as a whole, within noise, or lost no more than all do.
        let last = of.rows.len() - 1;
        of.rows[last] = row("mysqld", 1.0, 1.0 + 0.6 * largest);
        assert_eq!(told(&of), None);
        of.rows[last].total.significant = true;
        of.rows[last].after.total_pct = of.rows[last].before.total_pct + 0.5 * largest;
        let own = super::function_outside(&of).map(|block| format!("{block:?}"));
        assert!(
            own.is_some_and(
                |text| text.contains("strcmp (mysqld) itself") && text.contains("no single place")
            )
        );
        // It is inlined before, and called after.
        let copy = InlinedInto { caller: "main".into(), caller_file: None, weight: Weight(1) };
        let inline = RowInline { before: vec![copy], after: Vec::new(), change: None, family: None };
        of.rows[last].inline = Some(Box::new(inline));
        of.rows[last].after.booked_self_pct = 1.0;
        let own = super::function_outside(&of).map(|block| format!("{block:?}"));
        assert!(own.is_some_and(|text| text.contains("its callers' own lines")));
        of.rows[last] = row("mysqld", 1.0, 1.0 + 1.2 * largest);
        of.rows[last].total.significant = true;
        of.rows[last].after.total_pct = of.rows[last].before.total_pct + 1.2 * largest;
        of.cost = None;
        let result = crate::findings::result::result_text(&of);
        assert!(
            result.ends_with("the largest growth of a function") && result.contains("in strcmp itself"),
            "{result}"
        );
        of.rows[last] = row("libc.so", 1.0, 1.0 + 0.6 * largest);
        of.rows[last].significant = false;
        assert_eq!(told(&of), None);
        of.findings.rest.common_factor = 0.5;
        of.rows[last] = row("libc.so", 2.0 * largest, largest);
        assert_eq!(told(&of), None);
        // With swapped sides, the line is the same.
        for (factor, before, after) in [(0.5, 0.2, 0.8), (2.0, 0.8, 0.2)] {
            of.findings.rest.common_factor = factor;
            of.rows[last] = row("libc.so", before * largest, after * largest);
            assert_eq!(told(&of), Some(true), "{factor}");
        }
    }

    #[test]
    fn what_all_places_share_is_told_where_it_is_most_of_the_rest() {
        let mut of = sample::with_findings();
        let told = |of: &pdiff_analysis::Comparison| super::shared(of).is_some();
        of.findings.rest.common_cost_ratio = Some(1.5);
        // The rest costs less, the median place more.
        assert!(!told(&of));
        of.findings.rest.before.per_op = Some(20_000.0);
        of.findings.rest.after.per_op = Some(30_000.0);
        assert!(told(&of));
        of.findings.rest.common_cost_ratio = Some(1.1);
        assert!(!told(&of));
        // Little of the change is left.
        of.findings.rest.common_cost_ratio = Some(1.5);
        of.findings.rest.before.per_op = Some(28_000.0);
        assert!(!told(&of));
    }
}
