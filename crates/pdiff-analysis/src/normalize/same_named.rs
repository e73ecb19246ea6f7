//! Functions that share a name and an object and are in different files: `static int flush()` in two files is two.
//!
//! In: for each such name the files that its samples are in, and the resolved chains. Out: which of them are the same
//! function, and how they are paired between the builds. A function whose body lies in two files (by `#include` or `#line`)
//! is one: where a machine function, or one inlined instance of it, shows both files, they are joined, in the other build
//! too. Builds are paired by file. If some samples of the name have no file, their function is unknown: all stay in one row, which is marked.
//!
//! Cost: unique chains, and only where a build shows a name in two files.

use std::hash::{Hash as _, Hasher as _};
use std::ops::Range;
use std::sync::Arc;

use pdiff_profile::{InlineFrame, PerSide, Resolutions, Side};
use rustc_hash::{FxHashMap, FxHashSet, FxHasher};

use super::{Key, KeyId, Keys, Level};
use crate::matching::{are_one_header, file_likeness};

/// A machine frame of a run.
#[derive(Debug)]
pub(crate) struct ChainOfRun {
    /// Of the run's resolutions; `None` for a frame that perf alone named.
    pub(crate) number: Option<u32>,
    /// Where the machine function begins, by perf.
    pub(crate) start: Option<u64>,
    /// Where its levels are among those of all frames.
    pub(crate) levels: Range<u32>,
}

/// The machine frames of a run.
#[derive(Debug)]
pub(crate) struct ChainsOfRun {
    pub(crate) chains: Vec<ChainOfRun>,
    /// Those of each chain, one after the other.
    pub(crate) levels: Vec<Level>,
}

impl ChainsOfRun {
    fn levels_of(&self, chain: &ChainOfRun) -> &[Level] {
        self.levels.get(chain.levels.start as usize..chain.levels.end as usize).unwrap_or(&[])
    }
}

/// A file of a name, and its key.
type Part = (Option<Box<str>>, KeyId);

/// Names in several files on one side, while runs are read.
#[derive(Debug, Default)]
pub(crate) struct Parts {
    /// By the first key of a name, and the side: the keys for its other files.
    others: FxHashMap<(KeyId, Side), Vec<Part>>,
    runs: Vec<(Side, ChainsOfRun)>,
}

/// A row that parts belong to.
pub(crate) struct SettledRow {
    /// The first key of the name.
    pub(crate) base: KeyId,
    /// The parts of each side.
    pub(crate) parts: PerSide<Vec<KeyId>>,
    /// What it represents.
    pub(crate) key: Key,
}

/// Parts of one side that are one function.
#[derive(Clone, Debug, Default)]
struct Component {
    parts: Vec<KeyId>,
    /// Sorted.
    files: Vec<Arc<str>>,
}

impl Parts {
    pub(crate) fn find(&self, of: KeyId, side: Side, file: Option<&str>) -> Option<KeyId> {
        let others = self.others.get(&(of, side))?;
        others.iter().find(|(known, _)| known.as_deref() == file).map(|(_, key)| *key)
    }

    /// Takes in a part whose file [`Self::find`] does not know.
    pub(crate) fn add(&mut self, of: KeyId, side: Side, file: Option<&str>, part: KeyId) {
        self.others.entry((of, side)).or_default().push((file.map(Into::into), part));
    }

    /// Takes in the chains of a run.
    pub(crate) fn add_run(&mut self, side: Side, chains: ChainsOfRun) {
        self.runs.push((side, chains));
    }

    /// Takes in the parts and chains of a side of which this has none; `id_of` says what their keys are here.
    pub(crate) fn absorb(&mut self, other: Self, id_of: impl Fn(KeyId) -> KeyId) {
        for ((base, side), mut parts) in other.others {
            parts.iter_mut().for_each(|(_, key)| *key = id_of(*key));
            self.others.insert((id_of(base), side), parts);
        }
        for (side, mut chains) in other.runs {
            for level in &mut chains.levels {
                level.key = id_of(level.key);
            }
            self.runs.push((side, chains));
        }
    }

    /// The rows of all names with parts. `resolutions` are those of the runs, in the order in which they came.
    pub(crate) fn settle(&self, keys: &Keys, resolutions: &[Option<&Resolutions>]) -> Vec<SettledRow> {
        let mut bases: Vec<KeyId> = self.others.keys().map(|(base, _)| *base).collect();
        bases.sort_unstable();
        bases.dedup();
        let joined = self.join(resolutions);
        bases.iter().flat_map(|base| self.rows(*base, keys, &joined)).collect()
    }

    /// The parts of a name on a side.
    fn of(&self, base: KeyId, side: Side, keys: &Keys) -> Vec<KeyId> {
        let others = self.others.get(&(base, side)).into_iter().flatten().map(|(_, key)| *key);
        keys.get(base).seen[side].then_some(base).into_iter().chain(others).collect()
    }

    /// Which parts are seen in one instance of code.
    fn join(&self, resolutions: &[Option<&Resolutions>]) -> Joined {
        let mut joined = Joined::default();
        let mut wanted: FxHashMap<(KeyId, Side), KeyId> = FxHashMap::default();
        for ((base, side), others) in &self.others {
            wanted.insert((*base, *side), *base);
            wanted.extend(others.iter().map(|(_, part)| ((*part, *side), *base)));
        }
        if wanted.is_empty() {
            return joined;
        }
        let mut instances: FxHashMap<(KeyId, u64), KeyId> = FxHashMap::default();
        for ((side, chains), resolutions) in self.runs.iter().zip(resolutions) {
            for chain in &chains.chains {
                let frames = resolutions.zip(chain.number).and_then(|(all, number)| frames(all, number));
                let frames = frames.unwrap_or(&[]);
                for (depth, level) in chains.levels_of(chain).iter().enumerate() {
                    let Some(base) = wanted.get(&(level.key, *side)) else { continue };
                    let instance = (*base, instance(*side, chain.start, frames, depth));
                    let known = *instances.entry(instance).or_insert(level.key);
                    joined.join(known, level.key);
                }
            }
        }
        joined
    }

    fn rows(&self, base: KeyId, keys: &Keys, joined: &Joined) -> Vec<SettledRow> {
        let mut components =
            PerSide::from_fn(|side| joined.components(&self.of(base, side, keys), keys, side));
        for side in Side::BOTH {
            let others = std::mem::take(&mut components[side.other()]);
            components[side] = joined_as_in(&others, std::mem::take(&mut components[side]));
            components[side.other()] = others;
        }
        let known = |of: &[Component]| of.iter().filter(|one| !one.files.is_empty()).count();
        let is_several = components.values().any(|of| known(of) > 1);
        let is_told = components.values().flatten().all(|one| !one.files.is_empty());
        let row = |parts: PerSide<&Component>, is_by_file: bool| {
            let mut key = keys.get(base).clone();
            key.files = parts.map(|of| of.files.first().cloned());
            key.is_by_file = is_by_file;
            key.is_mixed = is_several && !is_by_file;
            SettledRow { base, parts: parts.map(|of| of.parts.clone()), key }
        };
        let PerSide { before, after } = &components;
        if !(is_several && is_told) {
            // The file that is told is that of the name's first sample with a file, as for any other function.
            let merged = components.as_ref().map(|of| Component {
                parts: of.iter().flat_map(|one| one.parts.iter().copied()).collect(),
                files: of.iter().find_map(|one| one.files.first().cloned()).into_iter().collect(),
            });
            return vec![row(merged.as_ref(), false)];
        }
        let nothing = Component::default();
        let pairs = pairs(before, after);
        let pair = |(before_at, after_at): &(usize, usize)| {
            row(PerSide::new(&before[*before_at], &after[*after_at]), true)
        };
        let mut rows: Vec<SettledRow> = pairs.iter().map(pair).collect();
        let (lone_before, lone_after): (FxHashSet<usize>, FxHashSet<usize>) = pairs.into_iter().unzip();
        let left = before.iter().enumerate().filter(|(at, _)| !lone_before.contains(at));
        rows.extend(left.map(|(_, one)| row(PerSide::new(one, &nothing), true)));
        let left = after.iter().enumerate().filter(|(at, _)| !lone_after.contains(at));
        rows.extend(left.map(|(_, one)| row(PerSide::new(&nothing, one), true)));
        rows
    }
}

fn frames(resolutions: &Resolutions, number: u32) -> Option<&[InlineFrame]> {
    Some(resolutions.table().get(number as usize)?.chain()?.frames())
}

/// The instance of code that the frame at `depth` is of: the machine function, and the calls inlined down to it.
fn instance(side: Side, start: Option<u64>, frames: &[InlineFrame], depth: usize) -> u64 {
    let mut hash = FxHasher::default();
    (side, start).hash(&mut hash);
    for frame in frames.iter().take(depth) {
        (&frame.name, &frame.file, frame.line).hash(&mut hash);
    }
    hash.finish()
}

/// The components of one side, those joined whose files lie in one function of the other side.
fn joined_as_in(others: &[Component], mut components: Vec<Component>) -> Vec<Component> {
    for other in others {
        let is_in = |one: &mut Component| one.files.iter().any(|file| other.files.contains(file));
        let mut same = components.extract_if(.., is_in).collect::<Vec<_>>().into_iter();
        let Some(mut first) = same.next() else { continue };
        for one in same {
            first.parts.extend(one.parts);
            first.files.extend(one.files);
        }
        first.files.sort();
        components.push(first);
    }
    components
}

/// Which components of the two sides are one function: those whose files are most alike, each other's only ones; then what is
/// left, if it is one on each side.
fn pairs(before: &[Component], after: &[Component]) -> Vec<(usize, usize)> {
    let mut left: PerSide<Vec<usize>> = PerSide::new((0..before.len()).collect(), (0..after.len()).collect());
    let mut pairs = Vec::new();
    for wanted in (1..=MOST_ALIKE).rev() {
        let are_alike = |a: usize, b: usize| alike(&before[a], &after[b]) >= wanted;
        let only = |a: usize, rights: &[usize]| {
            let mut found = rights.iter().copied().filter(|b| are_alike(a, *b));
            found.next().filter(|_| found.next().is_none())
        };
        let found: Vec<(usize, usize)> = left
            .before
            .iter()
            .filter_map(|a| Some((*a, only(*a, &left.after)?)))
            .filter(|(_, b)| left.before.iter().filter(|a| are_alike(**a, *b)).count() == 1)
            .collect();
        left.before.retain(|a| found.iter().all(|pair| pair.0 != *a));
        left.after.retain(|b| found.iter().all(|pair| pair.1 != *b));
        pairs.extend(found);
    }
    if let ([a], [b]) = (left.before.as_slice(), left.after.as_slice()) {
        pairs.push((*a, *b));
    }
    pairs
}

/// What equal paths count.
const MOST_ALIKE: u32 = 3;

fn alike(before: &Component, after: &Component) -> u32 {
    let of = |a: &str, b: &str| if a == b { MOST_ALIKE } else { file_likeness(Some(a), Some(b)) };
    let all = before.files.iter().flat_map(|a| after.files.iter().map(move |b| of(a, b)));
    all.max().unwrap_or(0)
}

/// Parts that are one function.
#[derive(Default)]
struct Joined {
    parent: FxHashMap<KeyId, KeyId>,
}

impl Joined {
    fn root(&self, mut key: KeyId) -> KeyId {
        while let Some(parent) = self.parent.get(&key) {
            key = *parent;
        }
        key
    }

    fn join(&mut self, a: KeyId, b: KeyId) {
        let (a, b) = (self.root(a), self.root(b));
        if a != b {
            self.parent.insert(a.max(b), a.min(b));
        }
    }

    fn components(&self, parts: &[KeyId], keys: &Keys, side: Side) -> Vec<Component> {
        let mut components: Vec<(KeyId, Component)> = Vec::new();
        for part in parts {
            let root = self.root(*part);
            let file = keys.get(*part).files[side].as_deref();
            let is_its = |of: &Component| file.is_some_and(|a| of.files.iter().any(|b| are_one_header(a, b)));
            let known = components.iter().position(|(known, of)| *known == root || is_its(of));
            let at = known.unwrap_or_else(|| {
                components.push((root, Component::default()));
                components.len() - 1
            });
            let component = &mut components[at].1;
            component.parts.push(*part);
            component.files.extend(keys.get(*part).files[side].clone());
        }
        components
            .into_iter()
            .map(|(_, mut component)| {
                component.files.sort();
                component
            })
            .collect()
    }
}

/// Whether a function may be one of several of its name: its linkage name says that it is local to its file, or there is
/// none, as in C.
pub(crate) fn may_be_local(linkage: Option<&str>) -> bool {
    let Some(linkage) = linkage else { return true };
    linkage.contains("_GLOBAL__N_") || linkage.strip_prefix("_Z").is_some_and(is_local)
}

/// `L4step` and `N2ns4stepL…`: an `L` before the length of a name marks internal linkage.
fn is_local(mangled: &str) -> bool {
    let mut rest = mangled.strip_prefix('N').unwrap_or(mangled);
    rest = rest.trim_start_matches(['r', 'V', 'K']);
    loop {
        if rest.strip_prefix('L').is_some_and(|name| name.starts_with(|c: char| c.is_ascii_digit())) {
            return true;
        }
        let digits = rest.len() - rest.trim_start_matches(|c: char| c.is_ascii_digit()).len();
        let Some(length) = rest.get(..digits).and_then(|digits| digits.parse::<usize>().ok()) else {
            return false;
        };
        let Some(next) = digits.checked_add(length).and_then(|end| rest.get(end..)) else { return false };
        rest = next;
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn local_functions_are_known_by_their_linkage_names() {
        for local in ["_ZL10flush_stepm", "_ZN2nsL4stepEv", "_ZN12_GLOBAL__N_14stepEv"] {
            assert!(may_be_local(Some(local)), "{local}");
        }
        assert!(may_be_local(None));
        for global in
            ["_Z10flush_stepm", "_ZN2ns4stepEv", "_ZN1LC1Ev", "_ZN9999999999999999999999a", "main", "_Z"]
        {
            assert!(!may_be_local(Some(global)), "{global}");
        }
    }

    fn components(files: &[&str]) -> Vec<Component> {
        let of = |file: &&str| Component { parts: Vec::new(), files: vec![(*file).into()] };
        files.iter().map(of).collect()
    }

    #[test]
    fn builds_are_paired_by_file() {
        let check = |before: &[&str], after: &[&str], expected: &[(usize, usize)]| {
            assert_eq!(pairs(&components(before), &components(after)), expected, "{before:?} {after:?}");
        };
        check(&["sql/a.cc", "sql/b.cc"], &["sql/b.cc", "sql/a.cc"], &[(0, 1), (1, 0)]);
        check(&["sql/a.cc", "sql/b.cc"], &["sql/b.cc"], &[(1, 0)]);
        check(&["sql/a.h", "sql/b.cc"], &["sql/b.cc", "sql/a.cc"], &[(1, 0), (0, 1)]);
        check(&["x/a.cc", "y/a.cc"], &["y/a.cc", "x/a.cc"], &[(0, 1), (1, 0)]);
        // What is left on each side is one, if it is one on each.
        check(&["a.cc", "b.cc"], &["a.cc", "c.cc"], &[(0, 0), (1, 1)]);
        check(&["a.cc", "b.cc"], &["c.cc"], &[]);
    }
}
