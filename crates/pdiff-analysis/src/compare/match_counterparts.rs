//! Looks in the builds for functions that the samples of one side alone hold.

use pdiff_profile::census::Census;
use pdiff_profile::{PerSide, Side};
use rustc_hash::{FxHashMap, FxHashSet};

use super::build_functions::BuildFunctions;
use super::comparison::RenamedFunction;
use super::counterparts::Counterparts;
use super::input::Sides;
use super::prepare::{Prepared, PreparedSides, seen};
use crate::matching::{Matching, held};
use crate::normalize::KeyId;

impl PreparedSides {
    /// The same, with what the builds of the program (base first) tell of functions that the samples of one side alone hold.
    /// Where the sides differ is then looked for as if renamed functions had kept their names. Rows stay unchanged.
    #[must_use]
    pub fn with_counterparts(
        self,
        sides: &Sides<'_>,
        label: &str,
        builds: PerSide<&Census>,
        matching: &Matching,
    ) -> Self {
        let counterparts = counterparts(&self.view(sides), label, builds, matching);
        self.knowing(counterparts)
    }

    /// The same, with functions whose verdict is that they have another name after: both names are of one function where the sides
    /// are searched for differences. Rows stay unchanged.
    #[must_use]
    pub fn with_renamed(self, renamed: &[RenamedFunction]) -> Self {
        let mut counterparts = self.counterparts.clone().unwrap_or_default();
        let keys = self.keys().iter().map(|(id, key)| (&*key.name, &*key.object, id));
        for names in RenamedFunction::pairs(renamed, keys) {
            counterparts.add(names.before, names.after);
        }
        self.knowing(counterparts)
    }
}

fn counterparts(
    prepared: &Prepared<'_>,
    label: &str,
    builds: PerSide<&Census>,
    matching: &Matching,
) -> Counterparts {
    let seen = PerSide::from_fn(|side| {
        let keys = seen(&prepared.runs, side).into_iter().map(|key| prepared.renames.canonical(key));
        keys.collect::<FxHashSet<KeyId>>()
    });
    let alone = PerSide::from_fn(|side| {
        let other = &seen[side.other()];
        let is_alone = |key: &&KeyId| {
            let of = prepared.keys.get(**key);
            !other.contains(*key) && &*of.object == label && !of.is_nameless()
        };
        let mut alone: Vec<KeyId> = seen[side].iter().filter(is_alone).copied().collect();
        alone.sort_unstable();
        alone
    });
    let absent = Side::BOTH.into_iter().flat_map(|side| {
        let other = builds[side.other()];
        let is_absent = move |key: &&KeyId| held(other, &prepared.keys.get(**key).name).is_empty();
        alone[side].iter().filter(is_absent).copied()
    });
    let absent = absent.collect();
    let PerSide { mut before, mut after } =
        PerSide::from_fn(|side| BuildFunctions::new(prepared.keys, (label, builds[side]), side));
    let mut heirs: Vec<(KeyId, KeyId)> = Vec::new();
    for key in &alone[Side::Before] {
        let pairs = before.of_key(*key).iter().map(|id| matching.after_of(*id));
        let pairs: Vec<_> = pairs.map(|pair| pair.filter(|pair| !pair.is_ambiguous)).collect();
        // A name of several functions is renamed only where all of them are, to one name.
        let mut names = pairs.into_iter().map(|pair| after.key_of(pair?.after));
        let Some(Some(heir)) = names.next() else { continue };
        let is_alone = alone[Side::After].binary_search(&heir).is_ok();
        if is_alone && names.all(|name| name == Some(heir)) {
            heirs.push((*key, heir));
        }
    }
    let mut names: FxHashMap<KeyId, usize> = FxHashMap::default();
    heirs.iter().for_each(|(_, heir)| *names.entry(*heir).or_default() += 1);
    let renamed = heirs.into_iter().filter(|(_, heir)| names.get(heir) == Some(&1)).collect();
    Counterparts { renamed, absent }
}
