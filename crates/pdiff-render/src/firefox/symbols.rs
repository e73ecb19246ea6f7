//! The machine functions of a profile.
//!
//! The profiler takes two of one object and one address for the same, in whatever thread they are, so each needs an address of its own.

use std::collections::{HashMap, HashSet};

/// Machine functions by number, in the order of their first use.
#[derive(Default, Debug)]
pub(super) struct Symbols {
    numbers: HashMap<(usize, Box<str>), usize>,
    rows: Vec<Symbol>,
}

#[derive(Debug)]
struct Symbol {
    lib: usize,
    /// Where it begins, or the lowest address sampled in it.
    start: Option<u64>,
}

/// Where a machine function lies.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) struct Place {
    pub(super) lib: usize,
    pub(super) address: u64,
}

impl Symbols {
    pub(super) fn number(&mut self, lib: usize, name: &str, start: Option<u64>) -> usize {
        let next = self.rows.len();
        let number = *self.numbers.entry((lib, name.into())).or_insert(next);
        if number == next {
            self.rows.push(Symbol { lib, start });
        } else if let Some(known) = self.rows.get_mut(number) {
            known.start = known.start.into_iter().chain(start).min();
        }
        number
    }

    /// The place of each; those whose address is not known, or that of another, have the first addresses that nothing has.
    pub(super) fn places(&self) -> Vec<Place> {
        let mut taken = HashSet::new();
        let known = |symbol: &Symbol| symbol.start.filter(|start| taken.insert((symbol.lib, *start)));
        let known: Vec<Option<u64>> = self.rows.iter().map(known).collect();
        let mut free: HashMap<usize, u64> = HashMap::new();
        let place = |(symbol, known): (&Symbol, Option<u64>)| {
            let address = known.unwrap_or_else(|| {
                let next = free.entry(symbol.lib).or_default();
                while !taken.insert((symbol.lib, *next)) {
                    *next += 1;
                }
                *next
            });
            Place { lib: symbol.lib, address }
        };
        self.rows.iter().zip(known).map(place).collect()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn no_two_functions_of_an_object_have_one_address() {
        let mut symbols = Symbols::default();
        let used =
            [(0, "f", Some(9)), (0, "g", None), (1, "f", Some(9)), (0, "h", Some(4)), (0, "f", Some(4))];
        let numbers = used.map(|(lib, name, start)| symbols.number(lib, name, start));
        assert_eq!(numbers, [0, 1, 2, 3, 0]);
        let addresses: Vec<u64> = symbols.places().iter().map(|place| place.address).collect();
        assert_eq!(addresses, [4, 0, 9, 1], "f begins at 4, and h has an address of its own");
    }
}
