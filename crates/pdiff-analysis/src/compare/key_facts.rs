//! The knowledge about each function: its subsystem, and whether it waits.

use std::sync::Arc;

use rayon::prelude::*;
use rustc_hash::{FxHashMap, FxHashSet};

use super::input::Knowledge;
use crate::knowledge::{ObjectSubsystems, Subsystem};
use crate::normalize::{Key, KeyId, Keys, Level};

/// Whether a function busy-waits or idles.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum Waits {
    No,
    Spins,
    Idles,
}

/// By key: what is known about the function.
#[derive(Debug)]
pub(super) struct KeyFacts {
    /// Each once: functions are many, and subsystems few.
    subsystems: Vec<Subsystem>,
    /// By key: which of them it is of.
    subsystem_of: Vec<u32>,
    /// Functions that threads begin with.
    starts: Vec<bool>,
    waits: Vec<Waits>,
}

impl KeyFacts {
    pub(super) fn new(keys: &Keys, knowledge: &Knowledge) -> Self {
        let mut files: FxHashMap<&str, FxHashSet<&str>> = FxHashMap::default();
        for (_, key) in keys.iter() {
            files.entry(&key.object).or_default().extend(key.file());
        }
        let of_object = |(object, files)| (object, knowledge.subsystems.of_object(object, &files));
        let of_objects: FxHashMap<&str, ObjectSubsystems<'_>> = files.into_iter().map(of_object).collect();
        let subsystem = |key: &Key| of_objects[&*key.object].subsystem(&key.qualified, key.file());
        let waits = |name: &str| match (knowledge.spin.is_spin(name), knowledge.spin.is_idle(name)) {
            (true, _) => Waits::Spins,
            (false, true) => Waits::Idles,
            (false, false) => Waits::No,
        };
        // Some sixty patterns a function: the one part of a comparison that is worth a second core.
        let all: Vec<_> = keys.iter().collect();
        let (subsystems, subsystem_of) = each_once(all.par_iter().map(|(_, key)| subsystem(key)).collect());
        Self {
            subsystems,
            subsystem_of,
            starts: all
                .par_iter()
                .map(|(_, key)| knowledge.subsystems.is_thread_start(&key.qualified))
                .collect(),
            waits: all.par_iter().map(|(_, key)| waits(&key.qualified)).collect(),
        }
    }

    fn of(&self, key: KeyId) -> Option<&Subsystem> {
        self.subsystems.get(*self.subsystem_of.get(key.0 as usize)? as usize)
    }

    pub(super) fn subsystem(&self, key: KeyId) -> &str {
        self.of(key).map_or("", |subsystem| &subsystem.name)
    }

    /// The same, shared.
    pub(super) fn shared_subsystem(&self, key: KeyId) -> Arc<str> {
        self.of(key).map(|subsystem| Arc::clone(&subsystem.name)).unwrap_or_default()
    }

    /// The function whose subsystem a level of a stack counts for: that of the caller, where the copy of a template is
    /// inlined into it.
    pub(super) fn charged(&self, levels: &[Level], at: usize) -> Option<KeyId> {
        let is_of_callers = |level: &Level| {
            level.inlined && self.of(level.key).is_some_and(|subsystem| subsystem.is_of_callers)
        };
        levels.get(..=at)?.iter().rfind(|level| !is_of_callers(level)).map(|level| level.key)
    }

    /// How many levels a thread begins with, before its own work.
    pub(super) fn thread_start(&self, levels: &[Level]) -> usize {
        levels.iter().take_while(|level| self.is_start(level.key)).count()
    }

    /// Whether threads begin with a function.
    pub(super) fn is_start(&self, key: KeyId) -> bool {
        self.starts.get(key.0 as usize).copied().unwrap_or(false)
    }

    pub(super) fn waits(&self, key: KeyId) -> Waits {
        self.waits.get(key.0 as usize).copied().unwrap_or(Waits::No)
    }
}

/// The different ones of many subsystems, and for each of the many which it is.
fn each_once(many: Vec<Subsystem>) -> (Vec<Subsystem>, Vec<u32>) {
    let mut numbers: FxHashMap<Subsystem, u32> = FxHashMap::default();
    let mut number = |subsystem: Subsystem| {
        let next = numbers.len() as u32;
        *numbers.entry(subsystem).or_insert(next)
    };
    let numbered = many.into_iter().map(&mut number).collect();
    let mut different: Vec<(Subsystem, u32)> = numbers.into_iter().collect();
    different.sort_unstable_by_key(|(_, number)| *number);
    (different.into_iter().map(|(subsystem, _)| subsystem).collect(), numbered)
}
