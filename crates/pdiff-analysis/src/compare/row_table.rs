//! Which row per function or thread counts for, by the grouping asked for.

use std::sync::Arc;

use pdiff_profile::StackId;
use rustc_hash::FxHashMap;

use super::input::CompareSettings;
use super::key_facts::KeyFacts;
use super::matching::Renames;
use super::prepare::{Prepared, PreparedRun};
use crate::aggregate::{DenominatorId, LeafRows, RowId, RowLists};
use crate::normalize::{KeyId, Keys, Level, UNRESOLVED};
use crate::policy::{GroupBy, Share};

/// What a row is of.
#[derive(Clone, PartialEq, Eq, Hash, Debug)]
pub(super) struct RowKey {
    /// The function, for rows that are functions.
    pub(super) function: Option<KeyId>,
    /// The group's name, for others.
    pub(super) label: Option<Arc<str>>,
    /// Which denominator the row is over.
    pub(super) scope: DenominatorId,
}

/// The rows and denominators of one comparison.
pub(super) struct RowTable<'a> {
    keys: &'a Keys,
    renames: &'a Renames,
    settings: &'a CompareSettings,
    /// Of rows that `ids_of_keys` does not have.
    ids: FxHashMap<RowKey, RowId>,
    /// By key, where a function has one row whatever thread ran it.
    ids_of_keys: Vec<Option<RowId>>,
    rows: Vec<RowKey>,
    /// By row: the last round of `add_rows` that took it.
    rounds: Vec<u32>,
    round: u32,
    scopes: Vec<Arc<str>>,
    scope_ids: FxHashMap<Arc<str>, DenominatorId>,
    facts: &'a KeyFacts,
}

/// The properties of a thread that rows and denominators use.
pub(super) struct ThreadClass {
    pub(super) comm: String,
    pub(super) group: String,
}

impl<'a> RowTable<'a> {
    pub(super) fn new(prepared: &Prepared<'a>, settings: &'a CompareSettings) -> Self {
        // Most functions get a row: a list that grows is in memory twice.
        let rows = if settings.group_by == GroupBy::Function { prepared.keys.len() } else { 0 };
        Self {
            facts: prepared.facts,
            scopes: if matches!(settings.share, Share::All | Share::Work) {
                vec!["".into()]
            } else {
                Vec::new()
            },
            scope_ids: FxHashMap::default(),
            keys: prepared.keys,
            renames: prepared.renames,
            settings,
            ids: FxHashMap::default(),
            ids_of_keys: vec![None; prepared.keys.len()],
            rows: Vec::with_capacity(rows),
            rounds: Vec::with_capacity(rows),
            round: 0,
        }
    }

    /// Gives back what finding rows needs, once all are found.
    pub(super) fn forget_ids(&mut self) {
        (self.ids, self.ids_of_keys, self.rounds) = Default::default();
        self.rows.shrink_to_fit();
    }

    /// The rows in order of their ids.
    pub(super) fn rows(&self) -> &[RowKey] {
        &self.rows
    }

    /// The name of a denominator: an object or a thread group.
    pub(super) fn scope_name(&self, scope: DenominatorId) -> Arc<str> {
        self.scopes.get(scope.index()).cloned().unwrap_or_default()
    }

    /// How many denominators there are.
    pub(super) fn scopes(&self) -> usize {
        self.scopes.len()
    }

    /// The subsystem of a function.
    pub(super) fn subsystem(&self, key: KeyId) -> Arc<str> {
        self.facts.shared_subsystem(key)
    }

    /// Whether the stack busy-waits or idles: it is not work.
    pub(super) fn waits(&self, run: &PreparedRun<'_>, stack: StackId) -> bool {
        run.waits(self.facts, stack)
    }

    /// The rows that a stack of a thread counts for: those of its leaf, and all in the lists.
    pub(super) fn stack_rows(
        &mut self,
        run: &PreparedRun<'_>,
        class: &ThreadClass,
        stack: StackId,
        lists: &mut RowLists,
    ) -> LeafRows {
        let of_subsystems;
        let levels = match self.settings.group_by {
            GroupBy::Subsystem => {
                of_subsystems = self.levels_of_subsystems(run.stacks.get(stack));
                &of_subsystems[..]
            }
            _ => run.stacks.get(stack),
        };
        let Some(leaf) = levels.last() else { unreachable!("a normalised stack has at least one level") };
        let machine = levels.iter().rfind(|level| !level.inlined).unwrap_or(leaf);
        let leaf_object = &self.keys.get(leaf.key).object;
        let own = self.row(leaf.key, class, leaf_object);
        let booked = self.row(machine.key, class, leaf_object);
        self.add_rows(levels, class, leaf_object, &mut lists.total);
        let machine_at = levels.iter().rposition(|level| !level.inlined).unwrap_or(0);
        let chain = levels.get(machine_at..).unwrap_or(&[]);
        self.add_rows(chain, class, leaf_object, &mut lists.chain);
        let denominator = match self.settings.share {
            Share::All => Some(DenominatorId::ALL),
            Share::Work => (!self.waits(run, stack)).then_some(DenominatorId::ALL),
            Share::Object => Some(self.scope(leaf_object)),
            Share::ThreadGroup => Some(self.scope(&class.group)),
        };
        LeafRows { own, booked, inlined: leaf.inlined, denominator }
    }

    /// Levels as they count for subsystems: without what the thread begins with, unless the sample lies there, and inlined
    /// templates as the function that contains them.
    fn levels_of_subsystems(&self, levels: &[Level]) -> Vec<Level> {
        let machine_at = levels.iter().rposition(|level| !level.inlined).unwrap_or(0);
        let first = self.facts.thread_start(levels).min(machine_at);
        let charged = |(at, level): (usize, &Level)| Level {
            key: self.facts.charged(levels, at).unwrap_or(level.key),
            ..*level
        };
        levels.iter().enumerate().skip(first).map(charged).collect()
    }

    /// Appends the rows of some levels, each once, in order.
    fn add_rows(&mut self, levels: &[Level], class: &ThreadClass, leaf_object: &str, rows: &mut Vec<RowId>) {
        self.round = self.round.checked_add(1).unwrap_or_else(|| {
            self.rounds.fill(0);
            1
        });
        for level in levels {
            let row = self.row(level.key, class, leaf_object);
            let taken = &mut self.rounds[row.index()];
            if *taken != self.round {
                *taken = self.round;
                rows.push(row);
            }
        }
    }

    fn row(&mut self, key: KeyId, class: &ThreadClass, leaf_object: &str) -> RowId {
        let of_function =
            self.settings.group_by == GroupBy::Function && self.settings.share != Share::ThreadGroup;
        if !of_function {
            return self.find_row(key, class, leaf_object);
        }
        let known = |ids: &[Option<RowId>], key: KeyId| ids.get(key.0 as usize).copied().flatten();
        if let Some(id) = known(&self.ids_of_keys, key) {
            return id;
        }
        let heir = self.renames.canonical(key);
        let id = known(&self.ids_of_keys, heir).unwrap_or_else(|| {
            let scope = match self.settings.share {
                Share::Object => self.scope(&self.keys.get(heir).object),
                _ => DenominatorId::ALL,
            };
            self.push(RowKey { function: Some(heir), label: None, scope })
        });
        for key in [key, heir] {
            if let Some(known) = self.ids_of_keys.get_mut(key.0 as usize) {
                *known = Some(id);
            }
        }
        id
    }

    fn find_row(&mut self, key: KeyId, class: &ThreadClass, leaf_object: &str) -> RowId {
        let key = self.renames.canonical(key);
        let of_thread = matches!(self.settings.group_by, GroupBy::Comm | GroupBy::ThreadGroup);
        let scope = match self.settings.share {
            Share::All | Share::Work => DenominatorId::ALL,
            Share::Object if of_thread => self.scope(leaf_object),
            Share::Object => self.scope(&self.keys.get(key).object),
            Share::ThreadGroup => self.scope(&class.group),
        };
        let label = self.label(key, class);
        let function = label.is_none().then_some(key);
        let row = RowKey { function, label, scope };
        if let Some(id) = self.ids.get(&row) {
            return *id;
        }
        let id = self.push(row.clone());
        self.ids.insert(row, id);
        id
    }

    fn push(&mut self, row: RowKey) -> RowId {
        let id = RowId(u32::try_from(self.rows.len()).expect("fewer than 2^32 rows fit in memory"));
        self.rows.push(row);
        self.rounds.push(0);
        id
    }

    fn scope(&mut self, name: &str) -> DenominatorId {
        if let Some(known) = self.scope_ids.get(name) {
            return *known;
        }
        let (next, name): (_, Arc<str>) = (DenominatorId::new(self.scopes.len()), name.into());
        self.scopes.push(Arc::clone(&name));
        self.scope_ids.insert(name, next);
        next
    }

    /// The group of a function or thread; `None` where rows are functions.
    fn label(&self, id: KeyId, class: &ThreadClass) -> Option<Arc<str>> {
        let key = self.keys.get(id);
        match self.settings.group_by {
            GroupBy::Function => None,
            GroupBy::Object => Some(Arc::clone(&key.object)),
            GroupBy::Comm => Some(class.comm.as_str().into()),
            GroupBy::ThreadGroup => Some(class.group.as_str().into()),
            GroupBy::Subsystem if key.is_nameless() => Some(format!("{UNRESOLVED} ({})", key.object).into()),
            GroupBy::Subsystem => Some(self.subsystem(id)),
            GroupBy::File => Some(file_or_object(key.file(), &key.object)),
            GroupBy::Directory => {
                let directory = key.file().map(|file| file.rsplit_once('/').map_or(".", |(dir, _)| dir));
                Some(file_or_object(directory, &key.object))
            }
        }
    }
}

fn file_or_object(file: Option<&str>, object: &str) -> Arc<str> {
    file.map_or_else(|| format!("no file ({object})").into(), Into::into)
}
