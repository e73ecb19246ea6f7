//! What the knowledge of a program says of each function: its subsystem, and whether it waits.

use rayon::prelude::*;

use super::input::Knowledge;
use crate::knowledge::FunctionPlace;
use crate::normalize::{Key, KeyId, Keys};

/// Whether a function waits busily or idles.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum Waits {
    No,
    Spins,
    Idles,
}

/// By key: what is known of the function.
#[derive(Debug)]
pub(super) struct KeyFacts {
    subsystems: Vec<Box<str>>,
    waits: Vec<Waits>,
}

impl KeyFacts {
    pub(super) fn new(keys: &Keys, knowledge: &Knowledge) -> Self {
        let subsystem = |key: &Key| {
            let place = FunctionPlace { name: &key.qualified, object: &key.object, file: key.file() };
            knowledge.subsystems.subsystem(place).into()
        };
        let waits = |name: &str| match (knowledge.spin.is_spin(name), knowledge.spin.is_idle(name)) {
            (true, _) => Waits::Spins,
            (false, true) => Waits::Idles,
            (false, false) => Waits::No,
        };
        // Some sixty patterns a function: the one part of a comparison that is worth a second core.
        let all: Vec<_> = keys.iter().collect();
        Self {
            subsystems: all.par_iter().map(|(_, key)| subsystem(key)).collect(),
            waits: all.par_iter().map(|(_, key)| waits(&key.qualified)).collect(),
        }
    }

    pub(super) fn subsystem(&self, key: KeyId) -> &str {
        self.subsystems.get(key.0 as usize).map_or("", |name| name)
    }

    pub(super) fn waits(&self, key: KeyId) -> Waits {
        self.waits.get(key.0 as usize).copied().unwrap_or(Waits::No)
    }
}
