//! The kernel's work by the function that entered it and the reason: one change instead of a row for each function of the
//! kernel.
//!
//! In: both sides' stacks. Out: every sample with a frame of the kernel in one [`KernelWork`], tested against noise as rows
//! are. The caller is the function of own code nearest above the kernel, else what is above it.

use pdiff_profile::{Object, PerSide, Side, Weight};
use rustc_hash::{FxHashMap, FxHashSet};

use super::code::{Code, CodeKinds};
use super::finding::{FindingSide, KernelWork};
use super::groups::{Groups, RunWeights};
use super::input::{Amount, Input};
use super::kernel_kind::KernelKind;
use super::stacks::{Stack, Stacks};
use crate::noise::{Denominator, Row, judge};
use crate::normalize::KeyId;

/// Who entered the kernel in a stack, and why.
pub(super) type GroupKey = (Option<KeyId>, KernelKind);

/// By stack: who entered the kernel, and why; `None` where the stack has no frame of the kernel.
pub(super) fn entries(input: &Input<'_>, stacks: &Stacks, codes: &CodeKinds) -> Vec<Option<GroupKey>> {
    stacks.iter().map(|stack| entry_of(input, codes, &stack)).collect()
}

/// All work of the kernel, the largest change first.
pub(super) fn kernel_work(
    input: &Input<'_>,
    stacks: &Stacks,
    keys: &[Option<GroupKey>],
    groups: &Groups,
) -> Vec<KernelWork> {
    let mut all: Vec<GroupKey> = keys.iter().flatten().copied().collect();
    all.sort_unstable();
    all.dedup();
    let numbers: FxHashMap<GroupKey, usize> = all.iter().enumerate().map(|(at, key)| (*key, at)).collect();
    let of_stacks: Vec<Option<usize>> = keys.iter().map(|key| numbers.get(&(*key)?).copied()).collect();
    let (mut amounts, mut leaves) =
        (vec![PerSide::<Amount>::default(); all.len()], vec![FxHashSet::default(); all.len()]);
    for (stack, group) in stacks.iter().zip(&of_stacks) {
        let Some(group) = *group else { continue };
        amounts[group].update(stack.amounts, Amount::add);
        leaves[group].extend(stack.functions.last().copied());
    }
    let runs: Vec<(Side, RunWeights)> = input
        .runs
        .iter()
        .zip(&stacks.of_runs)
        .map(|(run, of_run)| {
            let group_of = |stack: usize| of_stacks[of_run[stack]? as usize];
            (run.side, RunWeights::new(run.side, run.cells, group_of, all.len()))
        })
        .collect();
    let rows_of = |group: usize, side: Side| {
        runs.iter().filter(|(of, _)| *of == side).map(|(_, run)| run.row(&[group])).collect::<Vec<_>>()
    };
    let rows: Vec<Row> = (0..all.len())
        .map(|group| {
            let PerSide { before, after } = PerSide::from_fn(|side| rows_of(group, side));
            Row { denominator: 0, before, after }
        })
        .collect();
    let PerSide { before, after } = PerSide::from_fn(|side| groups.denominators(side));
    let noise = judge(&[Denominator { before, after }], &rows, &input.noise).rows;
    let mut works: Vec<KernelWork> = all
        .iter()
        .zip(&noise)
        .enumerate()
        .map(|(at, ((caller, kind), noise))| {
            let PerSide { before, after } = PerSide::from_fn(|side| {
                let (amount, total) = (amounts[at][side], groups.totals[side].weight);
                let (pct, cost) = match side {
                    Side::Before => (noise.before_pct, input.cost.map(|cost| cost.per_op.before)),
                    Side::After => (noise.after_pct, input.cost.map(|cost| cost.per_op.after)),
                };
                FindingSide {
                    weight: Weight(amount.weight),
                    samples: amount.samples,
                    pct,
                    per_op: cost.filter(|_| total > 0).map(|cost| cost * amount.weight as f64 / total as f64),
                    polling: Weight::ZERO,
                }
            });
            let caller = caller.map(|key| input.keys.get(key));
            KernelWork {
                caller: caller.map(|key| key.name.to_string()),
                object: caller.map_or_else(String::new, |key| key.object.to_string()),
                kind: *kind,
                before,
                after,
                interval_pp: (noise.ci_low_pp, noise.ci_high_pp),
                q_value: noise.test.q(),
                significant: noise.significant,
                functions: leaves[at].len(),
            }
        })
        .collect();
    works.sort_by(|a, b| {
        let size = |work: &KernelWork| work.delta_pp().abs();
        size(b)
            .total_cmp(&size(a))
            .then_with(|| (&a.caller, &a.object, a.kind).cmp(&(&b.caller, &b.object, b.kind)))
    });
    works
}

/// The function that entered the kernel in a stack, and the reason; `None` if the stack has no kernel frame.
fn entry_of(input: &Input<'_>, codes: &CodeKinds, stack: &Stack<'_>) -> Option<GroupKey> {
    let is_kernel =
        |key: &KeyId| matches!(codes.get(*key), Code::Kernel | Code::SystemCall | Code::Interrupt);
    let entry = stack.functions.iter().position(is_kernel)?;
    if stack.is_struck() {
        return Some((None, KernelKind::Interrupts));
    }
    let (above, inside) = stack.functions.split_at(entry);
    let own = above.iter().rfind(|key| codes.get(**key) == Code::Own);
    let named = || above.iter().rfind(|key| !codes.is_unresolved(**key));
    let names = inside.iter().map(|key| &*input.keys.get(*key).qualified);
    // On the way in, and on the way out, only the library's function says what was asked for.
    let wrapper = above.last().filter(|key| codes.get(**key) == Code::Library);
    let asked = wrapper.map(|key| &*input.keys.get(*key).name);
    Some((own.or_else(named).or(above.last()).copied(), KernelKind::of(names, asked)))
}

/// Whether a row's object is the kernel, whose work is listed by the function that entered it.
#[must_use]
pub fn is_kernel_object(label: &str) -> bool {
    Object::from_text(label).kind.is_kernel()
}
