//! Code of an object whose debug information should be there and could not be read.

use std::collections::BTreeSet;

/// The machine functions of an object that debug information should describe and does not, because a unit is damaged or a
/// file that belongs to it is missing. What was inlined into them is unknown, so they can be compared by symbol only.
///
/// Only functions that were sampled are here: of others nothing is compared.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct Uncovered {
    functions: BTreeSet<Box<str>>,
    causes: BTreeSet<Box<str>>,
    /// Whether none of its functions is described.
    is_whole: bool,
}

impl Uncovered {
    /// The most functions that are named; an object with more is uncovered as a whole.
    pub const MAX_FUNCTIONS: usize = 10_000;

    /// From functions by their qualified names, and why they are not described.
    #[must_use]
    pub fn new<'t>(
        functions: impl IntoIterator<Item = &'t str>,
        causes: impl IntoIterator<Item = &'t str>,
    ) -> Self {
        let texts = |texts: &mut dyn Iterator<Item = &'t str>| texts.map(Box::from).collect();
        let (functions, causes) = (texts(&mut functions.into_iter()), texts(&mut causes.into_iter()));
        Self { functions, causes, is_whole: false }
    }

    /// All functions of the object, whatever their names are, and why they are not described.
    #[must_use]
    pub fn whole(cause: &str) -> Self {
        Self { functions: BTreeSet::new(), causes: BTreeSet::from([cause.into()]), is_whole: true }
    }

    /// Adds a function by its qualified name, and why it is not described.
    pub fn add(&mut self, function: &str, cause: &str) {
        if !self.is_whole() && !self.functions.contains(function) {
            self.functions.insert(function.into());
        }
        if !self.causes.contains(cause) {
            self.causes.insert(cause.into());
        }
    }

    /// Adds what another recording of the same object says.
    pub fn merge(&mut self, other: &Self) {
        self.functions.extend(other.functions.iter().cloned());
        self.causes.extend(other.causes.iter().cloned());
        self.is_whole |= other.is_whole;
    }

    /// Whether all sampled code is described.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.causes.is_empty()
    }

    /// Whether no function is taken for described: none is, or there are too many to name those that are not.
    #[must_use]
    pub fn is_whole(&self) -> bool {
        self.is_whole || self.functions.len() >= Self::MAX_FUNCTIONS
    }

    /// Whether a function, by its qualified name, is not described.
    #[must_use]
    pub fn contains(&self, function: &str) -> bool {
        self.is_whole() || self.functions.contains(function)
    }

    /// The functions by their qualified names, sorted.
    pub fn functions(&self) -> impl ExactSizeIterator<Item = &str> {
        self.functions.iter().map(|function| &**function)
    }

    /// Why they are not described, sorted.
    pub fn causes(&self) -> impl ExactSizeIterator<Item = &str> {
        self.causes.iter().map(|cause| &**cause)
    }
}
