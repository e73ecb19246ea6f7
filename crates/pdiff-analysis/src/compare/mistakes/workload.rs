//! Whether the sides did the same work: the functions that threads dispatch to, as shares of each side.
//!
//! Where the kinds of requests are known ([`Requests`]), their shares are compared by total variation distance, half the
//! sum of the absolute differences: 0 is the same mix, 1 has nothing in common. For other programs the dispatcher is the
//! first function from the root that calls several functions, and only work that one side alone has counts. A renamed
//! function does the same work as before, so its leaves are compared, too, and two names of which one begins with the other count as
//! one; and where the builds are known, a function that the other build does not hold tells nothing of the load.

use pdiff_profile::{PerSide, Side, StackId};
use rustc_hash::{FxHashMap, FxHashSet};

use super::super::input::Sides;
use super::super::prepare::{Prepared, PreparedRun, seen};
use super::super::side_fact::{Concern, Severity, SideFact, Subject};
use crate::knowledge::Requests;
use crate::normalize::{KeyId, Level};

/// Distance above which the sides did different work.
const MOST_DISTANCE: f64 = 0.25;

/// How much further apart the sides must be than replicates of one side.
const REPLICATES_RATIO: f64 = 2.0;

/// Part of a side's samples that must belong to requests before these tell anything.
const LEAST_REQUESTS: f64 = 0.05;

/// A function that holds this part of what reached its caller is on the way to the dispatcher.
const ON_THE_WAY: f64 = 0.5;

/// A kind of work that differs by less than this part of a side's work is not named.
const LEAST_NAMED: f64 = 0.01;

/// A shorter name is the beginning of many.
const LEAST_LETTERS: usize = 6;

/// Part of a side's samples that must reach the dispatcher.
const LEAST_DISPATCHED: f64 = 0.3;

/// Functions on the way to a dispatcher, at most.
const DEEPEST: usize = 40;

/// Functions named, those that differ most.
const NAMED: usize = 3;

/// A warning, if the sides did different work.
pub(super) fn workload(sides: &Sides<'_>, prepared: &Prepared<'_>, requests: &Requests) -> Option<SideFact> {
    // Samples without callers do not say what they were part of.
    let has_chains = |side: Side| sides.get(side).runs.iter().all(|run| run.profile.has_callchains);
    if !Side::BOTH.into_iter().all(has_chains) {
        return None;
    }
    // Without the builds a renamed function is not known from another one.
    let (kinds, or_names) = match of_requests(prepared, requests) {
        Known::Alike => return None,
        Known::Differ(kinds) => (kinds, false),
        Known::No => (of_dispatcher(prepared)?, prepared.counterparts.is_none()),
    };
    Some(SideFact::new(Subject::Workload(kinds), Severity::Suspect, Concern::OtherWork { or_names }))
}

/// The kinds of work that differ most, with their part of each side's work in percent.
type KindsOfWork = PerSide<Vec<(String, f64)>>;

enum Known {
    No,
    Alike,
    Differ(KindsOfWork),
}

/// Shares that sum to 1.
type Shares<K> = FxHashMap<K, f64>;

fn normalized<K: Copy + Eq + std::hash::Hash>(weights: &FxHashMap<K, f64>) -> Shares<K> {
    let all: f64 = weights.values().sum();
    weights.iter().map(|(key, weight)| (*key, if all > 0.0 { weight / all } else { 0.0 })).collect()
}

/// Total variation distance.
fn distance<K: Copy + Eq + std::hash::Hash>(a: &Shares<K>, b: &Shares<K>) -> f64 {
    let keys: FxHashSet<K> = a.keys().chain(b.keys()).copied().collect();
    let share = |shares: &Shares<K>, key| shares.get(&key).copied().unwrap_or(0.0);
    keys.into_iter().map(|key| (share(a, key) - share(b, key)).abs()).sum::<f64>() / 2.0
}

fn summed<K: Copy + Eq + std::hash::Hash>(runs: &[&FxHashMap<K, f64>]) -> FxHashMap<K, f64> {
    let mut sum = FxHashMap::default();
    for (key, weight) in runs.iter().flat_map(|run| run.iter()) {
        *sum.entry(*key).or_default() += weight;
    }
    sum
}

/// By kinds of requests.
fn of_requests(prepared: &Prepared<'_>, requests: &Requests) -> Known {
    let kinds: Vec<Option<usize>> =
        prepared.keys.iter().map(|(_, key)| requests.kind(&key.qualified)).collect();
    if kinds.iter().all(Option::is_none) {
        return Known::No;
    }
    let runs: Vec<(Side, FxHashMap<usize, f64>, f64)> =
        prepared.runs.iter().map(|run| requests_of(run, &kinds)).collect();
    let of = |side: Side| runs.iter().filter(move |(of, ..)| *of == side).collect::<Vec<_>>();
    let sides = PerSide::from_fn(of);
    let is_enough = |runs: &Vec<&(Side, FxHashMap<usize, f64>, f64)>| {
        let known: f64 = runs.iter().flat_map(|(_, known, _)| known.values()).sum();
        known > LEAST_REQUESTS * runs.iter().map(|(_, _, all)| all).sum::<f64>()
    };
    if !sides.values().all(is_enough) {
        return Known::No;
    }
    let shares = sides
        .as_ref()
        .map(|runs| normalized(&summed(&runs.iter().map(|(_, known, _)| known).collect::<Vec<_>>())));
    let within = sides.values().flat_map(|runs| {
        let shares: Vec<_> = runs.iter().map(|(_, known, _)| normalized(known)).collect();
        (0..shares.len())
            .flat_map(|at| (0..at).map(|other| distance(&shares[at], &shares[other])).collect::<Vec<_>>())
            .collect::<Vec<_>>()
    });
    let within = within.fold(0.0, f64::max);
    if distance(&shares.before, &shares.after) <= MOST_DISTANCE.max(REPLICATES_RATIO * within) {
        return Known::Alike;
    }
    let most = most_different(&shares, |kind| requests.name(kind).to_owned());
    Known::Differ(most)
}

/// The keys that differ most, with their shares on each side.
fn most_different<K: Copy + Eq + std::hash::Hash>(
    shares: &PerSide<Shares<K>>,
    name: impl Fn(K) -> String,
) -> KindsOfWork {
    let keys: FxHashSet<K> = shares.values().flat_map(|shares| shares.keys().copied()).collect();
    let share = |side: Side, key: K| shares[side].get(&key).copied().unwrap_or(0.0);
    let mut rows: Vec<(f64, String, PerSide<f64>)> = keys
        .into_iter()
        .map(|key| {
            let shares = PerSide::from_fn(|side| share(side, key));
            ((shares.before - shares.after).abs(), name(key), shares)
        })
        .collect();
    rows.retain(|(differ, ..)| *differ >= LEAST_NAMED);
    rows.sort_by(|a, b| b.0.total_cmp(&a.0).then_with(|| a.1.cmp(&b.1)));
    PerSide::from_fn(|side| {
        rows.iter().take(NAMED).map(|(_, name, shares)| (name.clone(), 100.0 * shares[side])).collect()
    })
}

fn requests_of(run: &PreparedRun<'_>, kinds: &[Option<usize>]) -> (Side, FxHashMap<usize, f64>, f64) {
    let mut weights: FxHashMap<usize, f64> = FxHashMap::default();
    let mut all = 0.0;
    for (stack, weight) in (0..).map(StackId).zip(run.stack_weights()).filter(|(_, weight)| *weight > 0) {
        all += weight as f64;
        let levels = run.stacks.get(stack).iter();
        let kind = levels.filter_map(|level| *kinds.get(level.key.0 as usize)?).next();
        if let Some(kind) = kind {
            *weights.entry(kind).or_default() += weight as f64;
        }
    }
    (run.side, weights, all)
}

/// One stack with its part of its side. There may be millions.
struct Part<'a> {
    run: &'a PreparedRun<'a>,
    stack: StackId,
    /// How many of its functions lead to the dispatcher.
    skipped: u32,
    share: f64,
}

impl Part<'_> {
    /// The functions from what the dispatcher calls on.
    fn levels(&self) -> &[Level] {
        self.run.stacks.get(self.stack).get(self.skipped as usize..).unwrap_or(&[])
    }

    /// The first of them.
    fn first(&self, prepared: &Prepared<'_>) -> Option<KeyId> {
        self.levels().first().map(|level| prepared.heir(level.key))
    }

    /// The last of them.
    fn last(&self, prepared: &Prepared<'_>) -> Option<KeyId> {
        self.levels().last().map(|level| prepared.heir(level.key))
    }
}

/// By the calls of the dispatcher.
fn of_dispatcher(prepared: &Prepared<'_>) -> Option<KindsOfWork> {
    let parts = dispatched(parts(prepared), prepared)?;
    let shares = PerSide::from_fn(|side| {
        let mut weights: FxHashMap<KeyId, f64> = FxHashMap::default();
        for part in parts.iter().filter(|part| part.run.side == side) {
            if let Some(key) = part.first(prepared) {
                *weights.entry(key).or_default() += part.share;
            }
        }
        normalized(&weights)
    });
    // What the other dispatcher calls the other side has: often that is enough to know, and no stack is to be walked for it.
    let unshared = |side: Side| {
        let shared = &shares[side.other()];
        shares[side].iter().filter(|(key, _)| !shared.contains_key(key)).map(|(_, share)| share).sum::<f64>()
    };
    if unshared(Side::Before).min(unshared(Side::After)) <= MOST_DISTANCE {
        return None;
    }
    let seen = PerSide::from_fn(|side| {
        let keys = seen(&prepared.runs, side).into_iter().map(|key| prepared.heir(key));
        keys.collect::<FxHashSet<KeyId>>()
    });
    let is_known = |side: Side, key: KeyId| seen[side].contains(&key);
    let is_absent = |key| prepared.counterparts.is_some_and(|counterparts| counterparts.is_absent(key));
    let is_own = |side: Side, key: KeyId| !is_known(side.other(), key) && !is_absent(key);
    let own = PerSide::from_fn(|side| -> FxHashSet<KeyId> {
        shares[side].keys().copied().filter(|key| is_own(side, *key)).collect()
    });
    let name = |key: &KeyId| &*prepared.keys.get(*key).name;
    let has_version = |key: &KeyId, others: &FxHashSet<KeyId>| {
        others.iter().any(|other| is_version_of(name(key), name(other)))
    };
    let own = PerSide::from_fn(|side| -> FxHashSet<KeyId> {
        own[side].iter().copied().filter(|key| !has_version(key, &own[side.other()])).collect()
    });
    let sum = |side: Side| own[side].iter().filter_map(|key| shares[side].get(key)).sum::<f64>();
    if sum(Side::Before).min(sum(Side::After)) <= MOST_DISTANCE {
        return None;
    }
    let leaves = PerSide::from_fn(|side| {
        let mut weights: FxHashMap<KeyId, f64> = FxHashMap::default();
        for part in parts.iter().filter(|part| part.run.side == side) {
            if let (Some(first), Some(last)) = (part.first(prepared), part.last(prepared))
                && own[side].contains(&first)
            {
                *weights.entry(last).or_default() += part.share;
            }
        }
        normalized(&weights)
    });
    let is_renamed = distance(&leaves.before, &leaves.after) <= 2.0 * MOST_DISTANCE;
    (!is_renamed).then(|| most_different(&shares, |key| prepared.keys.get(key).name.to_string()))
}

/// Whether one name is the other one with something behind it: `compress_row` for `compress`.
fn is_version_of(a: &str, b: &str) -> bool {
    a.len().min(b.len()) >= LEAST_LETTERS && (a.starts_with(b) || b.starts_with(a))
}

/// The stacks whose functions all have names: others do not say what they were part of.
fn parts<'a>(prepared: &'a Prepared<'_>) -> Vec<Part<'a>> {
    let mut parts = Vec::new();
    let mut totals = PerSide::new(0.0, 0.0);
    for run in &prepared.runs {
        for (stack, weight) in (0..).map(StackId).zip(run.stack_weights()).filter(|(_, weight)| *weight > 0) {
            totals[run.side] += weight as f64;
            let mut keys = run.stacks.get(stack).iter().map(|level| prepared.heir(level.key));
            if !keys.any(|key| prepared.keys.get(key).is_nameless()) {
                parts.push(Part { run, stack, skipped: 0, share: weight as f64 });
            }
        }
    }
    for part in &mut parts {
        part.share /= totals[part.run.side];
    }
    parts
}

/// The stacks that reach the dispatcher, from what it calls on.
fn dispatched<'a>(mut parts: Vec<Part<'a>>, prepared: &Prepared<'_>) -> Option<Vec<Part<'a>>> {
    for _ in 0..DEEPEST {
        parts.retain(|part| !part.levels().is_empty());
        let mut calls: FxHashMap<KeyId, PerSide<f64>> = FxHashMap::default();
        let mut all = PerSide::new(0.0_f64, 0.0_f64);
        for part in &parts {
            if let Some(key) = part.first(prepared) {
                calls.entry(key).or_default()[part.run.side] += part.share;
            }
            all[part.run.side] += part.share;
        }
        if all.before.min(all.after) < LEAST_DISPATCHED {
            return None;
        }
        let both = |shares: &PerSide<f64>| shares.before + shares.after;
        let (heaviest, shares) =
            calls.into_iter().max_by(|a, b| both(&a.1).total_cmp(&both(&b.1)).then(b.0.cmp(&a.0)))?;
        if shares.zip(all).values().any(|(share, all)| *share < ON_THE_WAY * all) {
            return Some(parts);
        }
        parts.retain_mut(|part| {
            let is_on_the_way = part.first(prepared) == Some(heaviest);
            part.skipped += 1;
            is_on_the_way
        });
    }
    None
}
