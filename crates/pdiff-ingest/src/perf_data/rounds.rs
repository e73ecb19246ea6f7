//! Records in the order of time.
//!
//! perf empties the buffers of all CPUs in turn and writes each unchanged, so records of one round are out of order. A mark
//! ends a round (`PERF_RECORD_FINISHED_ROUND`). A record of a round may be older than those of the round before, but not
//! older than those of the round before that: what is as old as the round before may go out when a round ends. So at most
//! two rounds are held, and what goes out is all of the older one and the first part of the newer one.
//!
//! Their bytes lie in pieces, which go from one round to the next: after a large round, the next one needs no memory of its own.

/// A round of more is ended early. perf's own buffers are half a megabyte a CPU; a recording without marks of its rounds
/// comes out in order within this much.
const MAX_ROUND_BYTES: usize = 128 << 20;

/// The length of a piece of memory; no record is longer.
const PIECE_BYTES: usize = 256 << 10;

/// A record that waits for its turn.
#[derive(Clone, Copy, Debug)]
struct Waiting {
    time_ns: u64,
    /// The piece with its bytes, and where they begin in it.
    piece: u32,
    start: u32,
    len: u16,
    misc: u16,
    kind: u32,
}

/// A record: what it is, and its bytes after the header.
#[derive(Clone, Copy, Debug)]
pub(super) struct Record<'a> {
    /// `type` of its header.
    pub(super) kind: u32,
    pub(super) misc: u16,
    pub(super) body: &'a [u8],
}

/// The records between two marks.
#[derive(Debug, Default)]
struct Round {
    pieces: Vec<Vec<u8>>,
    records: Vec<Waiting>,
    /// How many of them, the oldest, went out. They stay where they are: to move the others up would take longer than all else here.
    gone: usize,
}

impl Round {
    fn record(&self, record: &Waiting) -> Record<'_> {
        let piece = self.pieces.get(record.piece as usize).map_or(&[][..], |piece| piece);
        let start = record.start as usize;
        let body = piece.get(start..start + usize::from(record.len)).unwrap_or(&[]);
        Record { kind: record.kind, misc: record.misc, body }
    }

    fn push(&mut self, time_ns: u64, record: &Record<'_>, spare: &mut Vec<Vec<u8>>) {
        let has_room = |piece: &Vec<u8>| piece.len() + record.body.len() <= PIECE_BYTES;
        if !self.pieces.last().is_some_and(has_room) {
            self.pieces.push(spare.pop().unwrap_or_default());
        }
        let at = self.pieces.len() - 1;
        let piece = &mut self.pieces[at];
        let (at, start) = (at as u32, piece.len() as u32);
        piece.extend_from_slice(record.body);
        let len = u16::try_from(record.body.len()).expect("the length of a record has 16 bits");
        self.records.push(Waiting { time_ns, piece: at, start, len, misc: record.misc, kind: record.kind });
    }

    /// Whether so much is held that the round should end.
    fn is_full(&self) -> bool {
        self.pieces.len() >= MAX_ROUND_BYTES / PIECE_BYTES
    }

    /// The records that did not go out.
    fn left(&self) -> &[Waiting] {
        self.records.get(self.gone..).unwrap_or(&[])
    }

    fn clear(&mut self, spare: &mut Vec<Vec<u8>>) {
        spare.extend(self.pieces.drain(..).map(|mut piece| {
            piece.clear();
            piece
        }));
        self.records.clear();
        self.gone = 0;
    }
}

/// Records that may go out: all of the older round, and the first ones of the newer.
#[derive(Debug)]
pub(super) struct Batch {
    older: Round,
    newer: Round,
    ready_of_newer: usize,
}

impl Batch {
    /// The records, oldest first.
    pub(super) fn iter(&self) -> impl Iterator<Item = Record<'_>> {
        let mut older = self.older.left().iter().peekable();
        let mut newer = self.newer.left().iter().take(self.ready_of_newer).peekable();
        std::iter::from_fn(move || {
            let is_older_next = match (older.peek(), newer.peek()) {
                (Some(older), Some(newer)) => older.time_ns <= newer.time_ns,
                (older, _) => older.is_some(),
            };
            if is_older_next {
                older.next().map(|record| self.older.record(record))
            } else {
                newer.next().map(|record| self.newer.record(record))
            }
        })
    }
}

/// Holds records back until none that is older can come.
#[derive(Debug, Default)]
pub(super) struct Rounds {
    /// The rest of the round before, oldest first.
    older: Round,
    newer: Round,
    /// Pieces that hold nothing.
    spare: Vec<Vec<u8>>,
    newest_ns: u64,
    /// The newest time of the round before.
    safe_ns: u64,
}

impl Rounds {
    /// Adds a record; whether so much is held back that a round should end here.
    #[inline]
    pub(super) fn push(&mut self, time_ns: u64, record: &Record<'_>) -> bool {
        self.newest_ns = self.newest_ns.max(time_ns);
        self.newer.push(time_ns, record, &mut self.spare);
        self.newer.is_full()
    }

    /// Ends a round: the records that may go out. They are to be given back to [`Self::recycle`].
    pub(super) fn finish_round(&mut self) -> Batch {
        let safe_ns = std::mem::replace(&mut self.safe_ns, self.newest_ns);
        self.take_until(safe_ns)
    }

    /// All records.
    pub(super) fn finish(&mut self) -> Batch {
        self.take_until(u64::MAX)
    }

    /// Takes back a batch whose records went out: what is left of it, and its memory.
    pub(super) fn recycle(&mut self, batch: Batch) {
        let Batch { mut older, mut newer, ready_of_newer } = batch;
        older.clear(&mut self.spare);
        newer.gone += ready_of_newer;
        (self.older, self.newer) = (newer, older);
    }

    fn take_until(&mut self, until_ns: u64) -> Batch {
        let (older, mut newer) = (std::mem::take(&mut self.older), std::mem::take(&mut self.newer));
        // Records of one CPU are in order: the sort meets long runs.
        newer.records.sort_by_key(|record| record.time_ns);
        let ready_of_newer = newer.records.partition_point(|record| record.time_ns <= until_ns);
        Batch { older, newer, ready_of_newer }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn push(rounds: &mut Rounds, times: &[u64]) {
        for time in times {
            rounds.push(*time, &Record { kind: 9, misc: 0, body: &time.to_le_bytes() });
        }
    }

    fn times(rounds: &mut Rounds, batch: Batch) -> Vec<u64> {
        let times = batch.iter().map(|record| u64::from_le_bytes(record.body.try_into().unwrap())).collect();
        rounds.recycle(batch);
        times
    }

    #[test]
    fn records_go_out_when_no_older_one_can_come() {
        let mut rounds = Rounds::default();
        let end_round = |rounds: &mut Rounds| {
            let batch = rounds.finish_round();
            times(rounds, batch)
        };
        push(&mut rounds, &[1, 2, 3, 2, 4]);
        assert_eq!(end_round(&mut rounds), []);
        push(&mut rounds, &[3, 5, 6, 7, 4, 5]);
        assert_eq!(end_round(&mut rounds), [1, 2, 2, 3, 3, 4, 4]);
        push(&mut rounds, &[6, 8, 9, 7, 10]);
        assert_eq!(end_round(&mut rounds), [5, 5, 6, 6, 7, 7]);
        let last = rounds.finish();
        assert_eq!(times(&mut rounds, last), [8, 9, 10]);
    }

    #[test]
    fn what_went_out_leaves_its_memory_to_the_next_round() {
        let body = vec![7; usize::from(u16::MAX)];
        let record = Record { kind: 9, misc: 0, body: &body };
        let mut rounds = Rounds::default();
        let held = |rounds: &Rounds| [&rounds.older, &rounds.newer].map(|round| round.pieces.len());
        for round in 0..5 {
            // Four of them fill a piece.
            (0..9).for_each(|_| assert!(!rounds.push(round, &record)));
            let batch = rounds.finish_round();
            assert!(batch.iter().all(|record| record.body == body));
            rounds.recycle(batch);
            assert_eq!(held(&rounds), [3, 0]);
        }
        assert_eq!(rounds.spare.len(), 3);
    }

    #[test]
    fn a_round_without_an_end_is_ended() {
        let body = vec![7; usize::from(u16::MAX)];
        let record = Record { kind: 9, misc: 0, body: &body };
        let mut rounds = Rounds::default();
        let pushed = (1..).find(|time| rounds.push(*time, &record)).unwrap_or(0);
        assert_eq!(pushed, (MAX_ROUND_BYTES / PIECE_BYTES - 1) as u64 * 4 + 1);
    }
}
