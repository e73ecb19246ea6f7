//! The group of each thread of a profile: by its name, else by the root functions in its samples.

use pdiff_profile::{Cell, Profile, StackId};
use rustc_hash::FxHashMap;

use crate::knowledge::ThreadGroups;
use crate::normalize::NormalStacks;

/// The group of each thread, by thread index. Threads of one tid share a group, whatever their comm was at the time.
/// `by_key` has the group that each function tells as a root.
pub(crate) fn group_threads(
    profile: &Profile,
    cells: &[Cell],
    stacks: &NormalStacks,
    by_key: &[Option<usize>],
    groups: &ThreadGroups,
) -> Vec<String> {
    let by_stack: Vec<Option<usize>> = (0..stacks.len())
        .map(|stack| {
            let levels = stacks.get(StackId(u32::try_from(stack).unwrap_or(u32::MAX)));
            levels.iter().find_map(|level| by_key.get(level.key.0 as usize).copied().flatten())
        })
        .collect();
    // A cell has a thread by its place; which places are one thread is looked up once a place.
    let mut tallies = vec![vec![0_u64; groups.len()]; profile.threads.len()];
    for cell in cells {
        let group = by_stack.get(cell.stack.index()).copied().flatten();
        let tally = tallies.get_mut(cell.thread.index());
        if let Some(vote) = tally.zip(group).and_then(|(tally, group)| tally.get_mut(group)) {
            *vote = vote.saturating_add(cell.weight.0);
        }
    }
    let mut votes: FxHashMap<Tid, Vec<u64>> = FxHashMap::default();
    for (thread, tally) in
        tallies.into_iter().enumerate().filter(|(_, tally)| tally.iter().any(|vote| *vote > 0))
    {
        let sum = votes.entry(Tid::of(profile, thread)).or_insert_with(|| vec![0; groups.len()]);
        sum.iter_mut().zip(tally).for_each(|(sum, vote)| *sum = sum.saturating_add(vote));
    }
    let name = |thread: usize| {
        let comm = profile.threads.get(thread).map_or("", |thread| profile.string(thread.comm));
        let by_root = || votes.get(&Tid::of(profile, thread)).and_then(|tally| winner(tally));
        match groups.by_comm(comm).or_else(by_root) {
            Some(group) => groups.name(group).to_owned(),
            None => format!("other ({comm})"),
        }
    };
    (0..profile.threads.len()).map(name).collect()
}

/// A thread's id, or its place in the table where none was printed.
#[derive(Clone, Copy, PartialEq, Eq, Hash)]
enum Tid {
    Printed(Option<u32>, u32),
    Index(usize),
}

impl Tid {
    fn of(profile: &Profile, thread: usize) -> Self {
        match profile.threads.get(thread).and_then(|thread| Some((thread.pid, thread.tid?))) {
            Some((pid, tid)) => Self::Printed(pid, tid),
            None => Self::Index(thread),
        }
    }
}

fn winner(tally: &[u64]) -> Option<usize> {
    let best = tally.iter().copied().max().filter(|best| *best > 0)?;
    tally.iter().position(|vote| *vote == best)
}
