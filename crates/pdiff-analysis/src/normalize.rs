//! Recorded stacks to stacks of functions: inlines expanded, names canonical, addresses gone.
//!
//! In: a profile and, where there are binaries, its [`Resolutions`]. Out: for each stack its functions, root first, as
//! keys that are equal on both sides for the same function. Each unique frame is named once.

mod naming;
mod same_named;

use std::borrow::Cow;
use std::hash::BuildHasher;
use std::sync::Arc;

use hashbrown::HashTable;
use pdiff_profile::names::{FunctionName, MatchLevel, collapse_instances};
use pdiff_profile::{
    FrameId, InlineFrame, Lookups, PerSide, Profile, Resolutions, Side, StackId, is_unnamed,
};
use rustc_hash::{FxBuildHasher, FxHashMap, FxHashSet};

use crate::objects::ObjectLabels;
use crate::one_sided::OneSidedInlines;
use crate::policy::{Policy, Templates};
use crate::source_roots::SourceRoots;
use naming::Naming;
use same_named::{Parts, may_be_local};

/// The name of the row that takes what has no function.
pub const UNRESOLVED: &str = "[unresolved]";

/// Whether a row's name represents code whose function has no name: the row of all such code of an object, or one unnamed
/// function.
#[must_use]
pub fn is_nameless(name: &str) -> bool {
    name.starts_with(UNRESOLVED) || is_unnamed(name)
}

/// A function, on both sides and in all runs of one comparison.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub(crate) struct KeyId(pub(crate) u32);

/// What a key represents.
#[derive(Clone, PartialEq, Eq, Debug)]
pub(crate) struct Key {
    /// Name at the policy's match level, or [`UNRESOLVED`].
    pub(crate) name: Arc<str>,
    /// Qualified name, for rules about names.
    pub(crate) qualified: Arc<str>,
    /// Label of the object.
    pub(crate) object: Arc<str>,
    /// Source file on each side, if known.
    pub(crate) files: PerSide<Option<Arc<str>>>,
    /// Sides that have it.
    pub(crate) seen: PerSide<bool>,
    /// Other functions of this name have rows of their own, distinguished by their files.
    pub(crate) is_by_file: bool,
    /// The row represents several functions of this name, for not all samples tell which.
    pub(crate) is_mixed: bool,
    /// Of an unnamed function: what tells it from those of other builds.
    pub(crate) unnamed: Option<Box<str>>,
}

impl Key {
    /// What tells it from other functions of its object.
    fn identity(&self) -> &str {
        self.unnamed.as_deref().unwrap_or(&self.name)
    }

    fn hash(identity: &str, object: &str) -> u64 {
        FxBuildHasher.hash_one((identity, object))
    }

    /// Whether it represents code whose function has no name.
    pub(crate) fn is_nameless(&self) -> bool {
        self.unnamed.is_some() || *self.name == *UNRESOLVED
    }

    /// Source file, if known: After's where both sides have one, for that is the code at hand.
    pub(crate) fn file(&self) -> Option<&str> {
        self.shared_file().map(|file| &**file)
    }

    /// The same, shared.
    pub(crate) fn shared_file(&self) -> Option<&Arc<str>> {
        self.files.values().rev().flatten().next()
    }

    /// The file on each side, where that is what tells the function from others of its name.
    pub(crate) fn files_if_told_apart(&self) -> Option<PerSide<Option<String>>> {
        self.is_by_file.then(|| self.files.as_ref().map(|file| file.as_deref().map(str::to_owned)))
    }
}

/// The functions of one comparison.
#[derive(Debug)]
pub(crate) struct Keys {
    policy: Policy,
    labels: ObjectLabels,
    one_sided: OneSidedInlines,
    /// By identity and object; those of [`Parts`] are not in it. Names are only in `keys`, for there are many.
    ids: HashTable<KeyId>,
    objects: FxHashSet<Arc<str>>,
    keys: Vec<Key>,
    /// At the loose level: which qualified names are behind a key, by side.
    variants: FxHashMap<(KeyId, Side), FxHashSet<Box<str>>>,
    /// Functions of one name in several files.
    parts: Parts,
}

/// One call level of a normalised stack.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) struct Level {
    pub(crate) key: KeyId,
    /// Its code is inside its caller's.
    pub(crate) inlined: bool,
}

/// The stacks of one profile as functions, root first.
#[derive(Debug)]
pub(crate) struct NormalStacks {
    levels: Vec<Level>,
    ends: Vec<usize>,
    /// By a frame that calls: the function that it calls by the instruction before its address, where stacks have that, too.
    called: FxHashMap<FrameId, KeyId>,
}

impl NormalStacks {
    pub(crate) fn get(&self, stack: StackId) -> &[Level] {
        let end = self.ends.get(stack.index()).copied().unwrap_or(0);
        let start =
            stack.index().checked_sub(1).and_then(|before| self.ends.get(before)).copied().unwrap_or(0);
        self.levels.get(start..end).unwrap_or(&[])
    }

    pub(crate) fn len(&self) -> usize {
        self.ends.len()
    }

    /// The same stacks with other levels: `rewrite` appends those of each.
    pub(crate) fn rewritten(&self, mut rewrite: impl FnMut(StackId, &[Level], &mut Vec<Level>)) -> Self {
        let mut stacks = Self {
            levels: Vec::with_capacity(self.levels.len()),
            ends: Vec::with_capacity(self.ends.len()),
            called: FxHashMap::default(),
        };
        for stack in (0..).map(StackId).take(self.len()) {
            rewrite(stack, self.get(stack), &mut stacks.levels);
            stacks.ends.push(stacks.levels.len());
        }
        stacks
    }

    /// Puts other functions in the place of some: by key, those that `by` has.
    pub(crate) fn replace(&mut self, by: &[KeyId]) {
        if by.is_empty() {
            return;
        }
        let levels = self.levels.iter_mut().map(|level| &mut level.key);
        for key in levels.chain(self.called.values_mut()) {
            *key = by.get(key.0 as usize).copied().unwrap_or(*key);
        }
    }

    /// Whether it is known which function a frame calls.
    pub(crate) fn knows_called(&self, caller: FrameId) -> bool {
        self.called.contains_key(&caller)
    }

    /// Takes in which function a frame calls.
    pub(crate) fn add_called(&mut self, caller: FrameId, called: KeyId) {
        self.called.insert(caller, called);
    }

    /// The same stacks with the functions that they lack by `gaps`, as far as other stacks have these.
    pub(crate) fn with_called(&self, gaps: &FxHashMap<StackId, Box<[Gap]>>) -> Self {
        self.rewritten(|stack, levels, out| {
            let mut gaps = gaps.get(&stack).map_or(&[][..], |gaps| gaps).iter().peekable();
            if gaps.peek().is_none() {
                return out.extend_from_slice(levels);
            }
            let mut machine = 0;
            for level in levels {
                if !level.inlined {
                    let gap = gaps.next_if(|gap| gap.below == machine);
                    let called =
                        gap.and_then(|gap| self.called.get(&gap.caller)).filter(|key| **key != level.key);
                    out.extend(called.map(|key| Level { key: *key, inlined: false }));
                    machine += 1;
                }
                out.push(*level);
            }
        })
    }
}

/// Where a stack lacks a function.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) struct Gap {
    /// The frame that called it.
    pub(crate) caller: FrameId,
    /// The machine function that stands in its place, counted from the root.
    pub(crate) below: usize,
}

impl Keys {
    pub(crate) fn new(policy: Policy, labels: ObjectLabels, one_sided: OneSidedInlines) -> Self {
        Self {
            policy,
            labels,
            one_sided,
            ids: HashTable::new(),
            objects: FxHashSet::default(),
            keys: Vec::new(),
            variants: FxHashMap::default(),
            parts: Parts::default(),
        }
    }

    /// No functions yet, of the same objects under the same policy.
    pub(crate) fn fresh(&self) -> Self {
        Self::new(self.policy, self.labels.clone(), self.one_sided.clone())
    }

    /// Takes in the functions that were met on a side of which this knows none yet, as if it had met them itself; gives by
    /// their keys there what they are here.
    pub(crate) fn absorb(&mut self, other: Self, side: Side) -> Vec<KeyId> {
        let mut ids = Vec::with_capacity(other.keys.len());
        // A name in another file is a part, which is under no name.
        let mut is_part = vec![true; other.keys.len()];
        other.ids.iter().for_each(|id| is_part[id.0 as usize] = false);
        for (mut key, is_part) in other.keys.into_iter().zip(is_part) {
            let next = self.next_id();
            let known = self.find(key.identity(), &key.object).filter(|_| !is_part);
            let id = known.unwrap_or(next);
            if id == next {
                key.object = self.object(&key.object);
                self.keys.push(key);
                if !is_part {
                    self.index(next);
                }
            } else if let Some(known) = self.keys.get_mut(id.0 as usize) {
                known.files[side] = key.files[side].take();
                known.seen[side] = key.seen[side];
            }
            ids.push(id);
        }
        let id_of = |key: KeyId| ids.get(key.0 as usize).copied().unwrap_or(key);
        self.variants.extend(other.variants.into_iter().map(|((key, side), of)| ((id_of(key), side), of)));
        self.parts.absorb(other.parts, id_of);
        ids
    }

    /// The name of an object of one side in rows.
    pub(crate) fn label(&self, object: &pdiff_profile::Object, side: Side) -> String {
        self.labels.label(object, side)
    }

    /// Objects whose inlined functions one side alone can tell.
    pub(crate) fn one_sided(&self) -> &OneSidedInlines {
        &self.one_sided
    }

    pub(crate) fn get(&self, id: KeyId) -> &Key {
        &self.keys[id.0 as usize]
    }

    pub(crate) fn iter(&self) -> impl Iterator<Item = (KeyId, &Key)> {
        self.keys.iter().enumerate().map(|(index, key)| (KeyId(index as u32), key))
    }

    /// How many functions there are.
    pub(crate) fn len(&self) -> usize {
        self.keys.len()
    }

    /// Gives back the room for more functions, once all are known.
    pub(crate) fn shrink_to_fit(&mut self) {
        self.keys.shrink_to_fit();
    }

    /// How many functions of one side a key represents.
    pub(crate) fn variants(&self, key: KeyId, side: Side) -> usize {
        self.variants.get(&(key, side)).map_or(1, FxHashSet::len)
    }

    fn function(&mut self, name: &FunctionName, place: (&str, Side), file: Option<&str>) -> KeyId {
        let (object, side) = place;
        let id = match self.instances_share(name) {
            Some((shown, qualified)) => self.intern(&shown, object, || qualified.into()),
            None => self.intern(name.at(self.policy.match_level), object, || name.qualified().into()),
        };
        if self.policy.match_level == MatchLevel::Loose {
            let variants = self.variants.entry((id, side)).or_default();
            if !variants.contains(name.qualified()) {
                variants.insert(name.qualified().into());
            }
        }
        let Some(key) = self.keys.get_mut(id.0 as usize) else { return id };
        let known = &mut key.files[side];
        let is_first = !std::mem::replace(&mut key.seen[side], true);
        if is_first || known.as_deref() == file || !may_be_local(name.linkage()) {
            if known.is_none() {
                *known = file.map(Into::into);
            }
            return id;
        }
        self.part(id, side, file)
    }

    /// The common name of all instances of a template, at the policy's level and qualified; `None` if each has its own row,
    /// or if the name is not that of an instance.
    fn instances_share(&self, name: &FunctionName) -> Option<(String, String)> {
        if self.policy.templates == Templates::Keep {
            return None;
        }
        let shown = collapse_instances(name.at(self.policy.match_level))?;
        let qualified = collapse_instances(name.qualified()).unwrap_or_else(|| name.qualified().to_owned());
        Some((shown, qualified))
    }

    /// The function of a name in another file than the first one.
    fn part(&mut self, of: KeyId, side: Side, file: Option<&str>) -> KeyId {
        if let Some(part) = self.parts.find(of, side, file) {
            return part;
        }
        let next = self.next_id();
        let mut key = self.get(of).clone();
        (key.files, key.seen) = Default::default();
        key.files[side] = file.map(Into::into);
        key.seen[side] = true;
        self.keys.push(key);
        self.parts.add(of, side, file, next);
        next
    }

    fn next_id(&self) -> KeyId {
        KeyId(u32::try_from(self.keys.len()).expect("fewer than 2^32 functions fit in memory"))
    }

    /// Gives functions of one name in several files of one object keys of their own, or puts them back together where they
    /// cannot be distinguished; gives what represents what on each side, by key. After [`Self::fold_source_roots`].
    pub(crate) fn settle_files(&mut self, resolutions: &[Option<&Resolutions>]) -> PerSide<Vec<KeyId>> {
        let parts = std::mem::take(&mut self.parts);
        let settled = parts.settle(self, resolutions);
        if settled.is_empty() {
            return PerSide::default();
        }
        let same: Vec<KeyId> = (0..self.next_id().0).map(KeyId).collect();
        let mut by = PerSide::new(same.clone(), same);
        for row in settled {
            let mut id = row.base;
            if row.key.is_by_file {
                id = self.next_id();
                self.keys.push(row.key);
            } else if let Some(base) = self.keys.get_mut(id.0 as usize) {
                *base = row.key;
            }
            for side in Side::BOTH {
                for part in &row.parts[side] {
                    by[side].get_mut(part.0 as usize).into_iter().for_each(|key| *key = id);
                }
            }
        }
        by
    }

    /// Takes the directories off source files in which the two builds' sources lie, so that one file of both has one
    /// name.
    pub(crate) fn fold_source_roots(&mut self) {
        let pairs = self.keys.iter().filter_map(|key| match &key.files {
            PerSide { before: Some(before), after: Some(after) } => Some((&**before, &**after)),
            _ => None,
        });
        let Some(roots) = SourceRoots::vote(pairs) else { return };
        for key in &mut self.keys {
            for side in Side::BOTH {
                if let Some(file) = &mut key.files[side] {
                    let relative: Arc<str> = roots.relative(side, file).into();
                    *file = relative;
                }
            }
        }
    }

    /// A function that no symbol names: the same on both sides only in one build.
    fn unnamed(&mut self, frame: &InlineFrame, identity: &str, place: (&str, Side)) -> KeyId {
        let (object, side) = place;
        let id = self.intern(identity, object, || (*frame.name).into());
        if let Some(key) = self.keys.get_mut(id.0 as usize) {
            (key.name, key.unnamed) = ((*frame.name).into(), Some(identity.into()));
            key.seen[side] = true;
        }
        id
    }

    fn unresolved(&mut self, object: &str) -> KeyId {
        self.intern(UNRESOLVED, object, || UNRESOLVED.into())
    }

    fn intern<'n>(&mut self, name: &str, object: &str, qualified: impl FnOnce() -> Cow<'n, str>) -> KeyId {
        if let Some(known) = self.find(name, object) {
            return known;
        }
        let id = self.next_id();
        let shared: Arc<str> = name.into();
        let qualified = match qualified() {
            same if same == name => Arc::clone(&shared),
            other => other.into(),
        };
        let object = self.object(object);
        self.keys.push(Key {
            name: shared,
            qualified,
            object,
            files: PerSide::default(),
            seen: PerSide::default(),
            is_by_file: false,
            is_mixed: false,
            unnamed: None,
        });
        self.index(id);
        id
    }

    /// The function of that name if the stacks of the other side alone have it.
    pub(crate) fn of_other_side(&self, name: &FunctionName, (object, side): (&str, Side)) -> Option<KeyId> {
        let id = match self.instances_share(name) {
            Some((shown, _)) => self.find(&shown, object),
            None => self.find(name.at(self.policy.match_level), object),
        };
        id.filter(|id| !self.get(*id).seen[side])
    }

    /// The function of an identity, unless it is a part.
    fn find(&self, identity: &str, object: &str) -> Option<KeyId> {
        let is_it = |id: &KeyId| {
            let key = self.get(*id);
            key.identity() == identity && *key.object == *object
        };
        self.ids.find(Key::hash(identity, object), is_it).copied()
    }

    /// Makes a function known that [`Self::find`] does not find.
    fn index(&mut self, id: KeyId) {
        let keys = &self.keys;
        let hash = |id: &KeyId| {
            let key = &keys[id.0 as usize];
            Key::hash(key.identity(), &key.object)
        };
        self.ids.insert_unique(hash(&id), id, hash);
    }

    /// The label of an object, kept once for all functions in it.
    fn object(&mut self, label: &str) -> Arc<str> {
        if let Some(known) = self.objects.get(label) {
            return Arc::clone(known);
        }
        let label: Arc<str> = label.into();
        self.objects.insert(Arc::clone(&label));
        label
    }

    /// The profile's stacks as functions.
    pub(crate) fn normalize(
        &mut self,
        profile: &Profile,
        resolutions: Option<&Resolutions>,
        side: Side,
    ) -> NormalStacks {
        if self.keys.is_empty() {
            // Most texts of a profile are names of functions, so that the list need not move while it grows.
            self.keys.reserve(profile.strings.len());
        }
        let lookups = Lookups::new(profile);
        let mut naming = Naming::new(self, profile, resolutions, side);
        let (levels, ends) = (Vec::new(), Vec::with_capacity(profile.stacks.len()));
        let mut stacks = NormalStacks { levels, ends, called: FxHashMap::default() };
        for stack in profile.stacks.iter() {
            naming.append(&lookups, stack, &mut stacks.levels);
            stacks.ends.push(stacks.levels.len());
        }
        stacks.levels.shrink_to_fit();
        stacks.called = naming.called();
        let chains = naming.into_chains();
        self.parts.add_run(side, chains);
        stacks
    }
}
