//! The names of functions of which a census keeps the linkage name alone, made when they are first asked for.

use std::sync::OnceLock;

use super::function_facts::FunctionId;
use crate::names::FunctionName;

/// The names of the last functions of a census.
#[derive(Debug, Default)]
pub(super) struct LateNames {
    /// How many functions are before these.
    named: usize,
    made: Box<[OnceLock<LateName>]>,
}

/// A name that was asked for.
#[derive(Debug)]
pub(super) struct LateName {
    pub(super) qualified: Box<str>,
    pub(super) parameters: Option<Box<str>>,
}

impl LateNames {
    /// For functions of which the first `named` have names.
    pub(super) fn new(named: usize, functions: usize) -> Self {
        Self { named, made: (named..functions).map(|_| OnceLock::new()).collect() }
    }

    /// How many functions have names.
    pub(super) fn named(&self) -> usize {
        self.named
    }

    /// The name of a function with this linkage name; `None` where it has a name.
    pub(super) fn get(&self, function: FunctionId, linkage: &str) -> Option<&LateName> {
        let slot = self.made.get(function.index().checked_sub(self.named)?)?;
        Some(slot.get_or_init(|| LateName::of(linkage)))
    }
}

impl LateName {
    fn of(linkage: &str) -> Self {
        let name = FunctionName::with_linkage(linkage, Some(linkage));
        let qualified = name.qualified();
        let parameters = name.signature().and_then(|signature| signature.strip_prefix(qualified));
        let parameters = parameters.filter(|parameters| !parameters.is_empty()).map(Box::from);
        Self { qualified: qualified.into(), parameters }
    }
}

impl Clone for LateNames {
    fn clone(&self) -> Self {
        Self::new(self.named, self.named + self.made.len())
    }
}

/// Which of them were asked for makes no difference.
impl PartialEq for LateNames {
    fn eq(&self, other: &Self) -> bool {
        (self.named, self.made.len()) == (other.named, other.made.len())
    }
}

impl Eq for LateNames {}
