//! A share of the work for each core.

/// The results of `work` for each share, in order. This thread does the first share itself, so a single share wakes no
/// other thread.
pub(super) fn work_on_all<S: Send, R: Send>(shares: Vec<S>, work: impl Fn(S) -> R + Sync) -> Vec<R> {
    let mut results: Vec<Option<R>> = shares.iter().map(|_| None).collect();
    let work = &work;
    rayon::in_place_scope(|scope| {
        let mut slots = results.iter_mut().zip(shares);
        let first = slots.next();
        for (slot, share) in slots {
            scope.spawn(move |_| *slot = Some(work(share)));
        }
        first.into_iter().for_each(|(slot, share)| *slot = Some(work(share)));
    });
    results.into_iter().flatten().collect()
}

/// The results of `this` and `other`, computed at the same time if there is more than one worker; the thread that waits for
/// both runs `this`.
pub(super) fn both<A, B: Send>(
    workers: usize,
    this: impl FnOnce() -> A,
    other: impl FnOnce() -> B + Send,
) -> (A, B) {
    if workers < 2 {
        return (this(), other());
    }
    let mut made = None;
    let this = rayon::in_place_scope(|scope| {
        scope.spawn(|_| made = Some(other()));
        this()
    });
    (this, made.expect("a scope ends when all work in it has ended"))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn results_stand_in_the_order_of_shares() {
        let squares = |count: u64| work_on_all((0..count).collect(), |share| share * share);
        assert_eq!(squares(5), [0, 1, 4, 9, 16]);
        assert_eq!(squares(1), [0]);
        assert!(squares(0).is_empty());
    }

    #[test]
    fn one_worker_does_both() {
        let here = || std::thread::current().id();
        assert_eq!(both(1, here, here), (here(), here()));
        assert_eq!(both(2, here, || 7), (here(), 7));
    }
}
