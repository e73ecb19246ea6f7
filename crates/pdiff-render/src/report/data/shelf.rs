//! Room shared out: things of one kind in the order of their worth, each with its price in bytes.

/// Things of one kind.
#[derive(Clone, Debug, Default)]
pub(super) struct Shelf {
    prices: Vec<usize>,
    taken: usize,
}

impl Shelf {
    /// Prices in order of worth.
    pub(super) fn new(prices: Vec<usize>) -> Self {
        Self { prices, taken: 0 }
    }

    /// Takes the next things as long as they fit. Gives the room left.
    pub(super) fn take(&mut self, mut room: usize) -> usize {
        for price in self.prices.iter().skip(self.taken).copied() {
            if price > room {
                break;
            }
            room -= price;
            self.taken += 1;
        }
        room
    }

    /// What was taken costs this much.
    pub(super) fn cost(&self) -> usize {
        self.prices.iter().take(self.taken).sum()
    }

    /// How many were taken: the first ones.
    pub(super) fn taken(&self) -> usize {
        self.taken
    }
}

/// Shares `room` out: each shelf first gets its percentage, then what others left, in the order of the shelves.
pub(super) fn share_out<const N: usize>(room: usize, shelves: &mut [(Shelf, usize); N]) {
    let mut left = room;
    for (shelf, percent) in shelves.iter_mut() {
        let own = (room / 100 * *percent).min(left);
        left -= own - shelf.take(own);
    }
    for (shelf, _) in shelves {
        left = shelf.take(left);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn room_is_shared_out_and_what_is_left_goes_on() {
        let check = |room: usize, expected: [usize; 3]| {
            let mut shelves = [
                (Shelf::new(vec![10; 30]), 50),
                (Shelf::new(vec![10, 10]), 30),
                (Shelf::new(vec![10; 100]), 20),
            ];
            share_out(room, &mut shelves);
            let taken = shelves.each_ref().map(|(shelf, _)| shelf.taken());
            assert_eq!(taken, expected, "{room}");
            assert!(taken.iter().sum::<usize>() * 10 <= room);
        };
        check(0, [0, 0, 0]);
        check(100, [6, 2, 2]);
        check(500, [30, 2, 18]);
        check(10_000, [30, 2, 100]);
    }

    #[test]
    fn nothing_is_taken_behind_what_does_not_fit() {
        let mut shelf = Shelf::new(vec![5, 50, 1]);
        assert_eq!((shelf.take(20), shelf.taken(), shelf.cost()), (15, 1, 5));
        assert_eq!((shelf.take(51), shelf.taken(), shelf.cost()), (0, 3, 56));
    }
}
