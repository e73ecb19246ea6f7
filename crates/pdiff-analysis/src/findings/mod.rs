//! The answer in few lines: where the CPU of two builds differs, in parts that sum to the whole change.
//!
//! Rows tell the change of every function; a refactoring changes hundreds of them. Here both sides' stacks are aligned at
//! the functions that both sides ran ([`tree`]), each stack counts in one place ([`places`]), and of the places that
//! changed beyond noise ([`judged`]) the few that contain the change are picked ([`select`]); functions whose inlining
//! changed count together with their callers' own code ([`flips`]).
//!
//! Laws: findings and rest sum to each side's weight, to the last unit; a side against itself has none; swapped sides have
//! the same with opposite sign; names, wrappers, moves and inlining alone make none.
//!
//! A second view is the work of the kernel, by the function that entered it and the reason ([`kernel`]).
//!
//! Cost: unique stacks x depth, and cells twice.

mod aligned;
mod anchors;
mod code;
mod finding;
mod flips;
mod groups;
mod input;
mod judged;
mod kernel;
mod kernel_kind;
mod listed;
mod places;
mod select;
mod settings;
mod stacks;
mod switched;
mod tree;

pub(crate) use aligned::AlignedStacks;
pub use code::is_system_library;
pub(crate) use code::{Code, CodeKinds, is_go_runtime, is_interrupt};
pub use finding::{
    Finding, FindingKind, FindingMember, FindingSetting, FindingSide, Findings, FindingsRest, KernelPart,
    KernelWork,
};
pub(crate) use input::{Amount, Input, RunOfStacks};
pub use kernel::is_kernel_object;
pub use kernel_kind::KernelKind;
pub(crate) use switched::{MOST_SWITCHES, Switched, SwitchedCode, SwitchedPart, switched};

use pdiff_profile::PerSide;

use anchors::Anchors;
use flips::Flipped;
use groups::Groups;
use judged::Judge;
use places::{Place, Places};
use stacks::Stacks;
use tree::AnchorTree;

/// Finds the parts that contain the change.
pub(crate) fn findings(input: &Input<'_>) -> Findings {
    let codes = CodeKinds::new(input);
    let (flipped, aligned) = rayon::join(
        || Flipped::new(input),
        || {
            let stacks = Stacks::new(input, &codes);
            let anchors = Anchors::find(input.keys, &stacks, &codes);
            let tree = AnchorTree::new(&stacks, &anchors);
            let places = Places::new(&stacks, &anchors, &tree, &codes);
            (stacks, anchors, tree, places)
        },
    );
    let (stacks, anchors, tree, places) = aligned;
    let groups = Groups::new(input, &stacks, &places, &tree, anchors.len());
    let (judge, changes) = Judge::new(input, &groups);
    let picks = select::select(&groups, &judge, &changes, &flipped.nodes(&anchors, &groups));
    let picks = flips::with_callers(input, &stacks, &anchors, &groups, (&judge, &changes), &flipped, picks);
    let entries = kernel::entries(input, &stacks, &codes);
    let kernel = kernel::kernel_work(input, &stacks, &entries, &groups);
    let found = listed::list(
        &listed::Listing {
            input,
            stacks: &stacks,
            anchors: &anchors,
            tree: &tree,
            groups: &groups,
            judge: &judge,
            kernel: &entries,
        },
        picks,
    );
    Findings { kernel, no_caller_pct: no_caller_pct(&stacks, &places), ..found }
}

/// The part of each side's weight that is below no function of the program.
fn no_caller_pct(stacks: &Stacks, places: &Places) -> PerSide<f64> {
    let mut lost = PerSide::new(0_u64, 0_u64);
    for (stack, place) in stacks.iter().zip(&places.of_stacks) {
        if matches!(place, Place::NoCaller(_)) {
            lost.update(stack.amounts, |lost, amount| *lost += amount.weight);
        }
    }
    let totals = stacks.totals();
    PerSide::from_fn(|side| {
        let total = totals[side].weight;
        if total == 0 { 0.0 } else { 100.0 * lost[side] as f64 / total as f64 }
    })
}
