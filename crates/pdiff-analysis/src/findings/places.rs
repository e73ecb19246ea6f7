//! The one place of each stack: the deepest anchor, or another place if it has none.

use pdiff_profile::PerSide;
use rayon::prelude::*;
use rustc_hash::FxHashMap;

use super::anchors::{AnchorId, Anchors};
use super::code::{Code, CodeKinds};
use super::input::Amount;
use super::stacks::{Stack, Stacks};
use super::tree::AnchorTree;
use crate::normalize::KeyId;

/// Samples of a function below known callers, so that stacks that begin with it can be given to them.
const LEAST_ATTESTED: u64 = 20;

/// The part of those that must lie in one place.
const ATTESTED_PART: f64 = 0.8;

/// Where a stack's samples count.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub(super) enum Place {
    /// An anchor.
    Anchor(AnchorId),
    /// Below an anchor, a function that it calls.
    Edge(AnchorId, KeyId),
    /// Own code that no anchor is above, by its first function.
    Region(KeyId),
    /// Below an asynchronous interrupt.
    Interrupts,
    /// No own code, by its first function.
    NoCaller(KeyId),
    /// Own code without symbols, by the row that has it.
    Unresolved(KeyId),
}

/// The place of every distinct stack.
pub(super) struct Places {
    pub(super) of_stacks: Vec<Place>,
}

impl Places {
    pub(super) fn new(stacks: &Stacks, anchors: &Anchors, tree: &AnchorTree, codes: &CodeKinds) -> Self {
        let finder = Finder { anchors, tree, codes };
        let mut of_stacks: Vec<Place> = stacks.par_iter().map(|stack| finder.place(&stack)).collect();
        let attested = Attested::new(stacks, &of_stacks, codes);
        for (stack, place) in stacks.iter().zip(&mut of_stacks) {
            if let Some(there) = attested.caller_of(&stack, *place) {
                *place = there;
            }
        }
        Self { of_stacks }
    }
}

struct Finder<'a> {
    anchors: &'a Anchors,
    tree: &'a AnchorTree,
    codes: &'a CodeKinds,
}

impl Finder<'_> {
    fn place(&self, stack: &Stack<'_>) -> Place {
        if stack.is_struck() { Place::Interrupts } else { self.of_functions(stack.functions) }
    }

    fn of_functions(&self, functions: &[KeyId]) -> Place {
        let Some((at, anchor)) = self.deepest(functions) else { return self.without_anchor(functions) };
        let below = functions.get(at + 1..).unwrap_or(&[]);
        let callee = below
            .iter()
            .find(|key| self.codes.get(**key) == Code::Own && self.anchors.number(**key) != Some(anchor));
        let anchor = AnchorId::new(anchor);
        callee.map_or(Place::Anchor(anchor), |callee| Place::Edge(anchor, *callee))
    }

    /// The anchor that a stack belongs to, and its last position. What one caller alone calls more or less is the caller's. Below the
    /// helper nearest the leaf it is a function that an anchor above the helper has nearly all of, if there is one. Else it is one below
    /// that helper, or the helper, and without helpers the one deepest in the tree.
    fn deepest(&self, functions: &[KeyId]) -> Option<(usize, usize)> {
        let found =
            || functions.iter().enumerate().filter_map(|(at, key)| Some((at, self.anchors.number(*key)?)));
        if self.tree.has_any_of_caller() {
            let mut calls = found().rev().skip(1).zip(found().rev());
            let of_caller = calls.find(|((_, caller), (_, callee))| self.tree.is_of_caller(*caller, *callee));
            if let Some((caller, _)) = of_caller {
                return Some(caller);
            }
        }
        let by_depth = |(at, anchor): &(usize, usize)| (self.tree.depth(*anchor), *at);
        let helper = found().rfind(|(_, anchor)| self.tree.is_helper(*anchor));
        let Some((from, helper)) = helper else { return found().max_by_key(by_depth) };
        let is_owned = |(at, anchor): &(usize, usize)| {
            let is_above = |owner: usize| found().any(|(at, above)| at < from && above == owner);
            *at > from && self.tree.owners(*anchor).any(is_above)
        };
        let of_owner = found().filter(is_owned).max_by_key(by_depth);
        let of_helper = || found().filter(|(at, anchor)| *at >= from && self.tree.is_below(*anchor, helper));
        of_owner.or_else(|| of_helper().max_by_key(by_depth))
    }

    fn without_anchor(&self, functions: &[KeyId]) -> Place {
        let first = |code: Code| functions.iter().copied().find(|key| self.codes.get(*key) == code);
        if let Some(own) = first(Code::Own).or_else(|| first(Code::Toolchain)) {
            return Place::Region(own);
        }
        if let Some(unresolved) = first(Code::Unresolved) {
            return Place::Unresolved(self.codes.unresolved_of(unresolved));
        }
        let is_named = |key: &KeyId| !self.codes.is_unresolved(*key);
        // Where every thread starts tells nothing, as long as something is below.
        let tells = |key: &KeyId| is_named(key) && !self.codes.is_start(*key);
        let named = functions.iter().copied();
        let first = named.clone().find(tells).or_else(|| named.clone().find(is_named));
        Place::NoCaller(first.or_else(|| functions.first().copied()).unwrap_or(KeyId(0)))
    }
}

/// In which places each function is called, by the stacks that show callers.
struct Attested {
    /// By function: its place, if nearly all of it lies in one.
    places: FxHashMap<KeyId, Place>,
}

/// What counts of a stack that shows callers.
struct Shown<'a> {
    place: Place,
    /// The functions below the first one of an own object.
    called: &'a [KeyId],
    amounts: PerSide<Amount>,
}

impl<'a> Shown<'a> {
    /// What it calls, but for what all calls of the kernel go through.
    fn functions(&self, codes: &'a CodeKinds) -> impl Iterator<Item = KeyId> + use<'a> {
        self.called.iter().copied().filter(|key| codes.get(*key) != Code::SystemCall)
    }
}

impl Attested {
    fn new(stacks: &Stacks, places: &[Place], codes: &CodeKinds) -> Self {
        let shown = || {
            let of_stacks = stacks.iter().zip(places).filter(|(_, place)| {
                !matches!(place, Place::Interrupts | Place::NoCaller(_) | Place::Unresolved(_))
            });
            of_stacks.map(|(stack, place)| {
                let first = stack.functions.iter().position(|key| codes.get(*key).is_own_object());
                let called = stack.functions.get(first.map_or(0, |at| at + 1)..).unwrap_or(&[]);
                Shown { place: *place, called, amounts: stack.amounts }
            })
        };
        let is_asked = Self::asked(stacks, places, codes.len());
        // Most functions of many have too few samples: places are summed for the others alone.
        let mut samples = vec![0_u64; codes.len()];
        for stack in shown() {
            let of_stack: u64 = stack.amounts.values().map(|amount| amount.samples).sum();
            let asked = stack.functions(codes).filter(|key| is_asked[key.0 as usize]);
            asked.for_each(|key| samples[key.0 as usize] += of_stack);
        }
        let totals = stacks.totals().map(|total| total.weight.max(1) as f64);
        let mut sums: FxHashMap<(KeyId, Place), f64> = FxHashMap::default();
        for stack in shown() {
            let shares = stack.amounts.zip(totals).map(|(amount, total)| amount.weight as f64 / total);
            let share: f64 = shares.values().sum();
            for key in stack.functions(codes).filter(|key| samples[key.0 as usize] >= LEAST_ATTESTED) {
                *sums.entry((key, stack.place)).or_default() += share;
            }
        }
        let mut sums: Vec<(KeyId, Place, f64)> =
            sums.into_iter().map(|((key, place), share)| (key, place, share)).collect();
        // The heaviest place of each function first.
        sums.sort_unstable_by(|a, b| a.0.cmp(&b.0).then(b.2.total_cmp(&a.2)).then(a.1.cmp(&b.1)));
        let of_functions = sums.chunk_by(|a, b| a.0 == b.0);
        Self {
            places: of_functions.filter_map(|places| Some((places.first()?.0, settled(places)?))).collect(),
        }
    }

    /// Which of all functions are on a stack that lost its callers.
    fn asked(stacks: &Stacks, places: &[Place], functions: usize) -> Vec<bool> {
        let mut is_asked = vec![false; functions];
        for (stack, _) in stacks.iter().zip(places).filter(|(_, place)| place.may_lack_callers()) {
            stack.functions.iter().for_each(|key| is_asked[key.0 as usize] = true);
        }
        is_asked
    }

    /// The place of a stack that lost its callers, where one of its functions is called in one place.
    fn caller_of(&self, stack: &Stack<'_>, place: Place) -> Option<Place> {
        if !place.may_lack_callers() {
            return None;
        }
        let mut known = stack.functions.iter().filter_map(|key| self.places.get(key).copied());
        known.next().filter(|there| *there != place)
    }
}

/// The place in which nearly all calls of a function lie; its places come heaviest first.
fn settled(places: &[(KeyId, Place, f64)]) -> Option<Place> {
    let sum = |of: &dyn Fn(Place) -> bool| -> f64 {
        places.iter().filter(|(_, place, _)| of(*place)).map(|(.., share)| share).sum()
    };
    let total = sum(&|_| true);
    let (_, place, most) = *places.first()?;
    if most >= ATTESTED_PART * total {
        return Some(place);
    }
    // Several callees of one anchor: then it is the anchor's.
    let anchor = place.anchor()?;
    (sum(&|place| place.anchor() == Some(anchor)) >= ATTESTED_PART * total).then_some(Place::Anchor(anchor))
}

impl Place {
    /// Whether its stacks may have lost their callers.
    fn may_lack_callers(self) -> bool {
        matches!(self, Self::NoCaller(_) | Self::Region(_))
    }

    /// The anchor that it is or that it lies below.
    pub(super) fn anchor(self) -> Option<AnchorId> {
        match self {
            Self::Anchor(anchor) | Self::Edge(anchor, _) => Some(anchor),
            _ => None,
        }
    }
}
