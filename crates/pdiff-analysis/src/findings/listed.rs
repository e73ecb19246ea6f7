//! Picks to findings: named, measured, ranked, the largest kept; all other samples are the rest.

use std::collections::BTreeMap;

use pdiff_profile::{PerSide, Side, Weight};
use rustc_hash::FxHashMap;

use super::anchors::{AnchorId, Anchors};
use super::finding::{Finding, FindingKind, FindingMember, FindingSide, Findings, FindingsRest, KernelPart};
use super::groups::Groups;
use super::input::{Amount, Input};
use super::judged::{Judge, share_change};
use super::kernel::GroupKey;
use super::kernel_kind::KernelKind;
use super::places::Place;
use super::select::{self, Pick, Shape, Untold};
use super::stacks::Stacks;
use super::tree::AnchorTree;
use crate::compare::Cost;
use crate::noise::CommonFactor;
use crate::normalize::{KeyId, UNRESOLVED};

/// The most findings: what a reader takes in at once.
const MOST_FINDINGS: usize = 10;

/// Members below this many points are counted together.
const LEAST_MEMBER_PP: f64 = 0.02;

/// Half an interval in standard errors.
const HALF_WIDTH_SE: f64 = 1.96;

/// The most callers named.
const MOST_CALLERS: usize = 5;

/// What findings are listed from.
pub(super) struct Listing<'a> {
    pub(super) input: &'a Input<'a>,
    pub(super) stacks: &'a Stacks,
    pub(super) anchors: &'a Anchors,
    pub(super) tree: &'a AnchorTree,
    pub(super) groups: &'a Groups,
    pub(super) judge: &'a Judge<'a>,
    /// By stack: who entered the kernel, and why.
    pub(super) kernel: &'a [Option<GroupKey>],
}

/// Lists the largest picks.
pub(super) fn list(of: &Listing<'_>, mut picks: Vec<Pick>) -> Findings {
    let significant_points: f64 = picks.iter().map(|pick| pick.change.points.abs()).sum();
    let by_size = |a: &Pick, b: &Pick| {
        let by_size = of.sure_size(b).total_cmp(&of.sure_size(a));
        let by_size = by_size.then_with(|| of.delta(b).abs().total_cmp(&of.delta(a).abs()));
        by_size.then_with(|| of.identity(a).1.cmp(&of.identity(b).1)).then_with(|| a.node.cmp(&b.node))
    };
    picks.sort_by(by_size);
    // Operations tell what the program pays; a share that fell because others grew is no gain.
    let change = |pick: &Pick| if of.input.cost.is_some() { of.delta(pick) } else { pick.change.points };
    let untold = select::gather(of.groups, of.judge, &mut picks, MOST_FINDINGS, change);
    // What goes the way of the whole is first: a gain explains no loss. Smaller places are behind larger ones.
    let goes_along = |pick: &Pick| (of.delta(pick) < 0.0) == of.whole_shrank();
    let size =
        |pick: &Pick| if of.cost_variation_is_known() { of.likely_size(pick) } else { of.delta(pick).abs() };
    picks.sort_by(|a, b| size(b).total_cmp(&size(a)).then_with(|| by_size(a, b)));
    picks.sort_by_key(|pick| (!goes_along(pick), pick.shape == Shape::Gathered));
    let mut of_node = vec![None; of.groups.nodes.len()];
    for (at, pick) in picks.iter().enumerate() {
        pick.nodes.iter().for_each(|node| of_node[*node] = Some(at));
    }
    let of_stack = |stack: usize| of.groups.of_stacks[stack].and_then(|node| of_node[node]);
    let mut members = of.members(picks.len(), of_stack);
    let mut kernel = of.kernel(picks.len(), of_stack);
    let mut callers = of.callers(&picks, of_stack);
    let (polling, polling_rest) = of.polling(picks.len(), of_stack);
    let mut list: Vec<Finding> = Vec::with_capacity(picks.len());
    for (at, pick) in picks.iter().enumerate() {
        let mut finding = of.finding(pick);
        finding.rank = at + 1;
        finding.members = std::mem::take(&mut members[at]);
        finding.kernel = std::mem::take(&mut kernel[at]);
        finding.callers = std::mem::take(&mut callers[at]);
        [finding.before.polling, finding.after.polling] = polling[at].map(Weight).into_array();
        list.push(finding);
    }
    let mut rest = of.rest(&list, untold, significant_points);
    [rest.before.polling, rest.after.polling] = polling_rest.map(Weight).into_array();
    Findings { list, rest, kernel: Vec::new(), no_caller_pct: PerSide::default() }
}

impl Listing<'_> {
    /// A change: per operation where that is known, else of the share.
    fn delta(&self, pick: &Pick) -> f64 {
        let PerSide { before, after } = self.sides(pick);
        match before.per_op.zip(after.per_op) {
            Some((before, after)) => after - before,
            None => after.pct - before.pct,
        }
    }

    /// Whether several runs tell how the cost of an operation varies, so that intervals are of it.
    fn cost_variation_is_known(&self) -> bool {
        self.input.cost.is_some_and(|cost| cost.log_interval.is_some())
    }

    /// The interval of a change: per operation where that is known, else of the share. What one run a side cannot tell, how
    /// the cost of the whole varies, is left out: it is the same for all.
    fn interval(&self, pick: &Pick) -> (f64, f64) {
        let noise = &pick.change.noise;
        let known = self.cost_variation_is_known();
        let factor = self.judge.of_cost().map(|factor| match known {
            true => factor,
            false => CommonFactor { log_se: 0.0, ..factor },
        });
        let per_op = factor.and_then(|factor| self.interval_under(factor, pick, self.delta(pick)));
        per_op.unwrap_or((noise.ci_low_pp, noise.ci_high_pp))
    }

    /// How large a change is at least: the end of its interval that is nearer to zero. What may be nothing stands last.
    fn sure_size(&self, pick: &Pick) -> f64 {
        let (low, high) = self.interval(pick);
        if low <= 0.0 && high >= 0.0 { 0.0 } else { low.abs().min(high.abs()) }
    }

    /// How large a change is, less what noise adds to it: the square of its standard error over itself.
    fn likely_size(&self, pick: &Pick) -> f64 {
        let (low, high) = self.interval(pick);
        let (size, se) = ((low + high).abs() / 2.0, (high - low) / (2.0 * HALF_WIDTH_SE));
        if size > 0.0 { (size - se * se / size).max(0.0) } else { 0.0 }
    }

    /// Whether an operation costs less than it did. Where that may be noise, and without operations, growth is first.
    fn whole_shrank(&self) -> bool {
        self.input.cost.is_some_and(|cost| cost.per_op.after < cost.per_op.before && is_beyond_noise(cost))
    }

    fn sides(&self, pick: &Pick) -> PerSide<FindingSide> {
        let amounts = pick.amounts(self.groups);
        let pct = PerSide::new(pick.change.noise.before_pct, pick.change.noise.after_pct);
        PerSide::from_fn(|side| self.side(side, amounts[side], pct[side]))
    }

    fn side(&self, side: Side, amount: Amount, pct: f64) -> FindingSide {
        FindingSide {
            weight: Weight(amount.weight),
            samples: amount.samples,
            pct,
            per_op: self.per_op(side, amount.weight),
            polling: Weight::ZERO,
        }
    }

    fn per_op(&self, side: Side, weight: u64) -> Option<f64> {
        let cost = self.input.cost?;
        let of_side = match side {
            Side::Before => cost.per_op.before,
            Side::After => cost.per_op.after,
        };
        let total = self.groups.totals[side].weight;
        (total > 0).then(|| of_side * weight as f64 / total as f64)
    }

    fn finding(&self, pick: &Pick) -> Finding {
        let PerSide { before, after } = self.sides(pick);
        let noise = &pick.change.noise;
        let (kind, name, key) = self.identity(pick);
        let delta = before.per_op.zip(after.per_op).map(|(before, after)| after - before);
        Finding {
            rank: 0,
            kind,
            name,
            object: key.map_or_else(String::new, |key| self.input.keys.get(key).object.to_string()),
            subsystem: key
                .and_then(|key| self.input.subsystems.get(key.0 as usize))
                .map(|name| (*name).to_owned()),
            before,
            after,
            interval_pp: (noise.ci_low_pp, noise.ci_high_pp),
            interval_per_op: delta.and_then(|delta| self.interval_per_op(pick, delta)),
            q_value: self.judge.q(&pick.change).unwrap_or(1.0),
            share_of_change_pct: delta.and_then(|delta| share_of_change(self.input.cost?, delta)),
            members: Vec::new(),
            kernel: Vec::new(),
            callers: Vec::new(),
            elsewhere: self.elsewhere(pick, key, PerSide::new(before.samples, after.samples)),
            with_callers: pick.shape == Shape::WithCallers,
            settings: Vec::new(),
        }
    }

    /// On which sides without samples in a part the function that it is named by ran elsewhere. An edge is one of its places.
    fn elsewhere(&self, pick: &Pick, key: Option<KeyId>, samples: PerSide<u64>) -> PerSide<bool> {
        let is_edge = matches!(self.groups.nodes[pick.node].place, Place::Edge(..));
        let Some(key) = key.filter(|_| !is_edge) else { return PerSide::default() };
        PerSide::from_fn(|side| {
            let mut of_key = self.stacks.iter().filter(|stack| stack.amounts[side].samples > 0);
            samples[side] == 0 && of_key.any(|stack| stack.functions.contains(&key))
        })
    }

    /// The change per operation is what the share changed beyond the cost of an operation, times that cost.
    fn interval_per_op(&self, pick: &Pick, delta: f64) -> Option<(f64, f64)> {
        self.interval_under(self.judge.of_cost()?, pick, delta)
    }

    /// The same if this is known of the cost of an operation.
    fn interval_under(&self, factor: CommonFactor, pick: &Pick, delta: f64) -> Option<(f64, f64)> {
        let cost = self.input.cost?;
        let half = cost.half_per_op(&factor.excess(share_change(&pick.change.noise)));
        half.is_finite().then_some((delta - half, delta + half))
    }

    fn identity(&self, pick: &Pick) -> (FindingKind, String, Option<KeyId>) {
        let name = |key: KeyId| self.input.keys.get(key).name.to_string();
        let place = |kind: FindingKind| match pick.shape {
            Shape::Net => FindingKind::Replaced,
            Shape::Spread | Shape::Gathered => FindingKind::Spread,
            Shape::Place | Shape::WithCallers => kind,
        };
        match self.groups.nodes[pick.node].place {
            Place::Anchor(anchor) if pick.shape == Shape::Net => {
                let key = self.anchors.key(anchor.index());
                // What took over says more than who calls it.
                let callee = self.main_callee(pick, anchor);
                let name =
                    callee.map_or_else(|| name(key), |callee| format!("{} -> {}", name(key), name(callee)));
                (FindingKind::Replaced, name, callee.or(Some(key)))
            }
            Place::Anchor(anchor) => {
                let key = self.anchors.key(anchor.index());
                let kind = if self.tree.is_helper(anchor.index()) {
                    FindingKind::CrossCutting
                } else {
                    FindingKind::Region
                };
                (place(kind), name(key), Some(key))
            }
            Place::Edge(anchor, callee) => {
                let caller = name(self.anchors.key(anchor.index()));
                (place(FindingKind::Edge), format!("{caller} -> {}", name(callee)), Some(callee))
            }
            Place::Region(key) => (place(FindingKind::Region), name(key), Some(key)),
            Place::Interrupts => (FindingKind::Interrupts, "[interrupts]".to_owned(), None),
            Place::NoCaller(key) => (FindingKind::NoCaller, name(key), Some(key)),
            Place::Unresolved(key) => (FindingKind::Unresolved, UNRESOLVED.to_owned(), Some(key)),
        }
    }

    /// Of the callees of an anchor that a net is of, the one that changed most in the net's direction, unless the anchor's
    /// own code did so more.
    fn main_callee(&self, pick: &Pick, anchor: AnchorId) -> Option<KeyId> {
        let share =
            |amount: Amount, side: Side| amount.weight as f64 / self.groups.totals[side].weight.max(1) as f64;
        let changes = pick.nodes.iter().filter_map(|node| {
            let node = &self.groups.nodes[*node];
            let callee = match node.place {
                Place::Anchor(own) if own == anchor => None,
                Place::Edge(caller, callee) if caller == anchor => Some(callee),
                _ => return None,
            };
            let PerSide { before, after } = node.own;
            let change =
                (share(after, Side::After) - share(before, Side::Before)) * pick.change.points.signum();
            (change > 0.0).then_some((callee, change))
        });
        changes.max_by(|a, b| a.1.total_cmp(&b.1).then(b.0.cmp(&a.0))).and_then(|(callee, _)| callee)
    }

    /// The busy-waiting weight of each finding's stacks, and of all others.
    fn polling(
        &self,
        count: usize,
        of_stack: impl Fn(usize) -> Option<usize>,
    ) -> (Vec<PerSide<u64>>, PerSide<u64>) {
        let (mut sums, mut rest) = (vec![PerSide::<u64>::default(); count], PerSide::default());
        for (number, polling) in self.stacks.polling() {
            let sum = of_stack(number).and_then(|at| sums.get_mut(at)).unwrap_or(&mut rest);
            sum.update(polling, |sum, amount| *sum = sum.saturating_add(amount.weight));
        }
        (sums, rest)
    }

    /// Functions at the leaves of each finding's stacks.
    fn members(&self, count: usize, of_stack: impl Fn(usize) -> Option<usize>) -> Vec<Vec<FindingMember>> {
        let mut sums: Vec<FxHashMap<KeyId, PerSide<Amount>>> = vec![FxHashMap::default(); count];
        for (number, stack) in self.stacks.iter().enumerate() {
            if let (Some(finding), Some(leaf)) = (of_stack(number), stack.functions.last()) {
                let sum = sums[finding].entry(*leaf).or_default();
                sum.update(stack.amounts, Amount::add);
            }
        }
        sums.into_iter().map(|sums| self.named_members(sums)).collect()
    }

    fn named_members(&self, sums: FxHashMap<KeyId, PerSide<Amount>>) -> Vec<FindingMember> {
        let mut light = PerSide::<Amount>::default();
        let mut members = Vec::new();
        for (key, amounts) in sums {
            let key = self.input.keys.get(key);
            let member = self.member(key.name.to_string(), key.object.to_string(), amounts);
            if member.delta_pp().abs() < LEAST_MEMBER_PP {
                light.update(amounts, Amount::add);
            } else {
                members.push(member);
            }
        }
        members.sort_by(|a, b| {
            let size = |member: &FindingMember| member.delta_per_op().unwrap_or(member.delta_pp()).abs();
            size(b).total_cmp(&size(a)).then_with(|| (&a.name, &a.object).cmp(&(&b.name, &b.object)))
        });
        if light.values().any(|amount| amount.samples > 0) {
            members.push(self.member(String::new(), String::new(), light));
        }
        members
    }

    fn member(&self, name: String, object: String, amounts: PerSide<Amount>) -> FindingMember {
        let PerSide { before, after } = self.sides_of(amounts);
        FindingMember { name, object, before, after }
    }

    fn sides_of(&self, amounts: PerSide<Amount>) -> PerSide<FindingSide> {
        PerSide::from_fn(|side| {
            let amount = amounts[side];
            let total = self.groups.totals[side].weight.max(1) as f64;
            self.side(side, amount, 100.0 * amount.weight as f64 / total)
        })
    }

    /// The work of the kernel in each finding's stacks, by reason.
    fn kernel(&self, count: usize, of_stack: impl Fn(usize) -> Option<usize>) -> Vec<Vec<KernelPart>> {
        let mut sums: Vec<BTreeMap<KernelKind, PerSide<Amount>>> = vec![BTreeMap::new(); count];
        for (number, (stack, entry)) in self.stacks.iter().zip(self.kernel).enumerate() {
            if let (Some((_, kind)), Some(finding)) = (entry, of_stack(number)) {
                sums[finding].entry(*kind).or_default().update(stack.amounts, Amount::add);
            }
        }
        let parts = |sums: BTreeMap<KernelKind, PerSide<Amount>>| {
            let part = |(kind, amounts)| {
                let PerSide { before, after } = self.sides_of(amounts);
                KernelPart { kind, before, after }
            };
            let mut parts: Vec<KernelPart> = sums.into_iter().map(part).collect();
            let size = |part: &KernelPart| part.delta_per_op().unwrap_or(part.delta_pp()).abs();
            parts.sort_by(|a, b| size(b).total_cmp(&size(a)));
            parts
        };
        sums.into_iter().map(parts).collect()
    }

    /// Callers of functions that many call, of interrupted code, and of code that only one side ran.
    fn callers(&self, picks: &[Pick], of_stack: impl Fn(usize) -> Option<usize>) -> Vec<Vec<String>> {
        let mut sums: Vec<FxHashMap<KeyId, f64>> = vec![FxHashMap::default(); picks.len()];
        for (number, stack) in self.stacks.iter().enumerate() {
            let Some(finding) = of_stack(number) else { continue };
            let caller = match self.groups.nodes[picks[finding].node].place {
                Place::Interrupts => self.last_anchor(stack.before_interrupt(), None),
                Place::Anchor(helper) if self.tree.is_helper(helper.index()) => {
                    self.last_anchor(stack.functions, Some(helper.index()))
                }
                Place::Region(key) if picks[finding].is_one_sided(self.groups) => {
                    let at = stack.functions.iter().position(|function| *function == key);
                    at.and_then(|at| stack.functions.get(at.checked_sub(1)?).copied())
                }
                _ => None,
            };
            if let Some(caller) = caller {
                let totals = self.groups.totals.map(|total| total.weight.max(1) as f64);
                let shares = stack.amounts.zip(totals).map(|(amount, total)| amount.weight as f64 / total);
                let share: f64 = shares.values().sum();
                *sums[finding].entry(caller).or_default() += share;
            }
        }
        sums.into_iter().map(|sums| self.named_callers(sums)).collect()
    }

    /// The anchor nearest the leaf, or nearest above another one.
    fn last_anchor(&self, functions: &[KeyId], above: Option<usize>) -> Option<KeyId> {
        let until = above
            .and_then(|anchor| functions.iter().rposition(|key| self.anchors.number(*key) == Some(anchor)));
        let functions = functions.get(..until.unwrap_or(functions.len())).unwrap_or(&[]);
        functions.iter().rev().copied().find(|key| self.anchors.number(*key).is_some())
    }

    fn named_callers(&self, sums: FxHashMap<KeyId, f64>) -> Vec<String> {
        let mut callers: Vec<(KeyId, f64)> = sums.into_iter().collect();
        callers.sort_by(|a, b| b.1.total_cmp(&a.1).then(a.0.cmp(&b.0)));
        callers.truncate(MOST_CALLERS);
        callers.into_iter().map(|(key, _)| self.input.keys.get(key).name.to_string()).collect()
    }

    fn rest(&self, list: &[Finding], untold: Untold, significant_pp: f64) -> FindingsRest {
        let PerSide { before, after } = PerSide::from_fn(|side| {
            let mut left = self.groups.totals[side];
            let mut pct = if left.weight > 0 { 100.0 } else { 0.0 };
            for finding in list {
                let of = finding.side(side);
                left.weight = left.weight.saturating_sub(of.weight.0);
                left.samples = left.samples.saturating_sub(of.samples);
                pct -= of.pct;
            }
            self.side(side, left, pct)
        });
        FindingsRest {
            before,
            after,
            common_factor: self.judge.common().ratio,
            common_cost_ratio: self.judge.common_cost_ratio(),
            unlisted: untold.count,
            unlisted_pp: untold.points,
            significant_pp,
        }
    }
}

/// A part of the change of cost per operation, in percent of it; `None` where that is within its noise.
fn share_of_change(cost: &Cost, delta: f64) -> Option<f64> {
    let whole = cost.per_op.after - cost.per_op.before;
    (whole != 0.0 && is_beyond_noise(cost)).then(|| 100.0 * delta / whole)
}

/// Whether the change of cost per operation is beyond its noise, as far as that is known.
fn is_beyond_noise(cost: &Cost) -> bool {
    cost.log_interval.is_none_or(|(low, high)| low > 0.0 || high < 0.0)
}
