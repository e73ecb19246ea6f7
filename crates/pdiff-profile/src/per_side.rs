//! One value for each side of a comparison.

use std::ops::{Index, IndexMut};

use crate::Side;

/// Two values of one type: one of the base build and one of the build compared with it.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug, Default)]
pub struct PerSide<T> {
    /// The value of the base build.
    pub before: T,
    /// The value of the build compared with it.
    pub after: T,
}

impl<T> PerSide<T> {
    /// Puts two values together.
    #[must_use]
    pub const fn new(before: T, after: T) -> Self {
        Self { before, after }
    }

    /// Calls a function for the base build, then for the other.
    #[must_use]
    pub fn from_fn(mut value: impl FnMut(Side) -> T) -> Self {
        Self { before: value(Side::Before), after: value(Side::After) }
    }

    /// Calls a function for each side until one fails.
    ///
    /// # Errors
    /// Returns the first error of the function.
    pub fn try_from_fn<E>(mut value: impl FnMut(Side) -> Result<T, E>) -> Result<Self, E> {
        Ok(Self { before: value(Side::Before)?, after: value(Side::After)? })
    }

    /// References to the two values.
    #[must_use]
    pub const fn as_ref(&self) -> PerSide<&T> {
        PerSide { before: &self.before, after: &self.after }
    }

    /// Mutable references to the two values.
    #[must_use]
    pub const fn as_mut(&mut self) -> PerSide<&mut T> {
        PerSide { before: &mut self.before, after: &mut self.after }
    }

    /// Turns each value into another, the base build's first.
    #[must_use]
    pub fn map<U>(self, mut change: impl FnMut(T) -> U) -> PerSide<U> {
        PerSide { before: change(self.before), after: change(self.after) }
    }

    /// Pairs each value with another value of its side.
    #[must_use]
    pub fn zip<U>(self, other: PerSide<U>) -> PerSide<(T, U)> {
        PerSide { before: (self.before, other.before), after: (self.after, other.after) }
    }

    /// Changes each value by another value of its side, as a sum takes up what is added to it.
    pub fn update<U>(&mut self, other: PerSide<U>, mut change: impl FnMut(&mut T, U)) {
        change(&mut self.before, other.before);
        change(&mut self.after, other.after);
    }

    /// Exchanges the sides.
    #[must_use]
    pub fn swap(self) -> Self {
        Self { before: self.after, after: self.before }
    }

    /// The values with their sides, the base build's first.
    pub fn iter(&self) -> impl DoubleEndedIterator<Item = (Side, &T)> {
        [(Side::Before, &self.before), (Side::After, &self.after)].into_iter()
    }

    /// The values without their sides, the base build's first.
    pub fn values(&self) -> impl DoubleEndedIterator<Item = &T> + Clone {
        [&self.before, &self.after].into_iter()
    }

    /// The values with their sides, the base build's first, to be changed.
    pub fn iter_mut(&mut self) -> impl DoubleEndedIterator<Item = (Side, &mut T)> {
        [(Side::Before, &mut self.before), (Side::After, &mut self.after)].into_iter()
    }

    /// The two values as an array, the base build's first.
    #[must_use]
    pub fn into_array(self) -> [T; 2] {
        [self.before, self.after]
    }
}

impl<T> PerSide<Option<T>> {
    /// Both values, if both are known.
    #[must_use]
    pub fn both(self) -> Option<PerSide<T>> {
        Some(PerSide { before: self.before?, after: self.after? })
    }
}

impl<T> Index<Side> for PerSide<T> {
    type Output = T;

    fn index(&self, side: Side) -> &T {
        match side {
            Side::Before => &self.before,
            Side::After => &self.after,
        }
    }
}

impl<T> IndexMut<Side> for PerSide<T> {
    fn index_mut(&mut self, side: Side) -> &mut T {
        match side {
            Side::Before => &mut self.before,
            Side::After => &mut self.after,
        }
    }
}

impl<T> IntoIterator for PerSide<T> {
    type Item = (Side, T);
    type IntoIter = std::array::IntoIter<(Side, T), 2>;

    fn into_iter(self) -> Self::IntoIter {
        [(Side::Before, self.before), (Side::After, self.after)].into_iter()
    }
}

impl<T> From<[T; 2]> for PerSide<T> {
    fn from([before, after]: [T; 2]) -> Self {
        Self { before, after }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_side_chooses_its_value() {
        let mut of = PerSide::new("old", "new");
        assert_eq!((of[Side::Before], of[Side::After]), ("old", "new"));
        of[Side::After] = "newer";
        assert_eq!(of.into_array(), ["old", "newer"]);
        assert_eq!(PerSide::from_fn(Side::as_str), PerSide::from(["before", "after"]));
    }

    #[test]
    fn values_stay_on_their_sides() {
        let of = PerSide::new(1, 2);
        assert_eq!(of.map(|value| value * 10).zip(of.swap()), PerSide::new((10, 2), (20, 1)));
        assert_eq!(of.swap().swap(), of);
        let with_sides = vec![(Side::Before, 1), (Side::After, 2)];
        assert_eq!(of.iter().map(|(side, value)| (side, *value)).collect::<Vec<_>>(), with_sides);
        assert_eq!(of.into_iter().collect::<Vec<_>>(), with_sides);
        assert_eq!(of.values().copied().collect::<Vec<_>>(), [1, 2]);
    }

    #[test]
    fn changes_reach_the_values() {
        let mut of = PerSide::new(vec!['a'], Vec::new());
        let _ = of.as_mut().map(|list| list.push('z'));
        for (side, list) in of.iter_mut() {
            list.extend(side.as_str().chars().take(1));
        }
        of.update(PerSide::new('1', '2'), Vec::push);
        assert_eq!(of.as_ref().map(|list| list.iter().collect::<String>()).into_array(), ["azb1", "za2"]);
    }

    #[test]
    fn both_needs_both() {
        assert_eq!(PerSide::new(Some(1), Some(2)).both(), Some(PerSide::new(1, 2)));
        assert_eq!(PerSide::new(None, Some(2)).both(), None);
    }

    #[test]
    fn the_first_failure_ends_it() {
        let mut asked = Vec::new();
        let of: Result<PerSide<()>, Side> = PerSide::try_from_fn(|side| {
            asked.push(side);
            Err(side)
        });
        assert_eq!((of, asked), (Err(Side::Before), vec![Side::Before]));
    }
}
