//! What no part holds, where that is a large part of the change: whether it is many places, what all have in common, or the kernel.

use pdiff_analysis::{Comparison, Cost, KernelKind, KernelPart, KernelWork};

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

/// Says what the kernel does more or less, in the direction of the whole, that no part tells: below a function that has most of the
/// program, it is no part.
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
    let left = kinds.into_iter().map(|kind| {
        let all: f64 = work(kind).filter_map(KernelWork::delta_per_op).sum();
        (all - in_parts(kind), kind)
    });
    let (left, kind) = left.max_by(|a, b| (a.0 * whole.signum()).total_cmp(&(b.0 * whole.signum())))?;
    let main = work(kind).filter(|work| work.significant && work.delta_per_op().unwrap_or(0.0) * left > 0.0);
    let size = |work: &KernelWork| work.delta_per_op().unwrap_or(0.0).abs();
    let main = main.max_by(|a, b| size(a).total_cmp(&size(b)))?;
    let caller = main
        .caller
        .as_deref()
        .map_or_else(String::new, |caller| format!(", most of it below {}", visible(caller)));
    (left / whole >= LEAST_KERNEL_PART).then(|| {
        let text = format!(
            "{} {} per operation that is in no part: {}{caller}",
            unit.signed(left),
            unit.name,
            work_text(kind),
        );
        Line::block("kernel", text)
    })
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
    use pdiff_analysis::{FindingSide, KernelKind, KernelPart, KernelWork};
    use pdiff_profile::PerSide;

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
            [(KernelKind::ReadWrite, 900.0), (KernelKind::Other, 4_000.0), (KernelKind::Futex, -4_000.0)]
        {
            of.findings.kernel = vec![work(kind, more)];
            assert!(!told(&of), "{kind:?} {more}");
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
