//! Records in the order of time.
//!
//! perf empties the buffers of all CPUs in turn and writes each unchanged, so records of one round are out of order. A mark
//! ends a round (`PERF_RECORD_FINISHED_ROUND`). A record of a round may be older than those of the round before, but not
//! older than those of the round before that: what is as old as the round before may go out when a round ends. So at most
//! two rounds are held, and what goes out is all of the older one and the first part of the newer one.
//!
//! Their bytes stay in the buffers that they were read into. Those of records that were packed lie in pieces, which go from
//! one round to the next: after a large round, the next one needs no memory of its own.

use super::byte_stream::{BUFFER_BYTES, Buffers, Place};

/// A round of more is ended early. perf's own buffers are half a megabyte a CPU; a recording without marks of its rounds
/// comes out in order within this much.
const MAX_ROUND_BYTES: usize = 128 << 20;

/// The length of a piece of memory; no record is longer.
const PIECE_BYTES: usize = BUFFER_BYTES;

/// A record that waits for its turn.
#[derive(Clone, Copy, Debug)]
struct Waiting {
    time_ns: u64,
    /// Where its bytes are: in a buffer of the stream, or in a piece of the round.
    place: Place,
    is_in_piece: bool,
    len: u16,
    misc: u16,
    /// The kernel's have numbers below 64.
    kind: u8,
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
    /// The stream's first buffer with bytes of it.
    first_buffer: Option<u32>,
    pieces: Vec<Vec<u8>>,
    records: Vec<Waiting>,
    /// How many of them, the oldest, went out. They stay where they are: to move the others up would take longer than all else here.
    gone: usize,
}

impl Round {
    fn record<'a>(&'a self, record: &Waiting, buffers: &'a Buffers) -> Record<'a> {
        let (start, len) = (record.place.start as usize, usize::from(record.len));
        let body = if record.is_in_piece {
            let piece = self.pieces.get(record.place.buffer as usize);
            piece.and_then(|piece| piece.get(start..start + len)).unwrap_or(&[])
        } else {
            buffers.get(record.place, len)
        };
        Record { kind: record.kind.into(), misc: record.misc, body }
    }

    fn push(&mut self, time_ns: u64, record: &Record<'_>, at: Option<Place>, spare: &mut Vec<Vec<u8>>) {
        let place = match at {
            Some(place) => {
                self.first_buffer.get_or_insert(place.buffer);
                place
            }
            None => self.copy(record.body, spare),
        };
        let len = u16::try_from(record.body.len()).expect("the length of a record has 16 bits");
        let kind = u8::try_from(record.kind).expect("only the kernel's records wait");
        let is_in_piece = at.is_none();
        self.records.push(Waiting { time_ns, place, is_in_piece, len, misc: record.misc, kind });
    }

    fn copy(&mut self, body: &[u8], spare: &mut Vec<Vec<u8>>) -> Place {
        let has_room = |piece: &Vec<u8>| piece.len() + body.len() <= PIECE_BYTES;
        if !self.pieces.last().is_some_and(has_room) {
            self.pieces.push(spare.pop().unwrap_or_default());
        }
        let at = self.pieces.len() - 1;
        let piece = &mut self.pieces[at];
        let place = Place { buffer: at as u32, start: piece.len() as u32 };
        piece.extend_from_slice(body);
        place
    }

    /// Whether so much is held that the round should end; `at` is where the last record is.
    fn is_full(&self, at: Option<Place>) -> bool {
        let buffers = at.zip(self.first_buffer).map_or(0, |(at, first)| at.buffer.wrapping_sub(first));
        self.pieces.len() + buffers as usize >= MAX_ROUND_BYTES / PIECE_BYTES
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
        self.first_buffer = None;
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
    pub(super) fn iter<'a>(&'a self, buffers: &'a Buffers) -> impl Iterator<Item = Record<'a>> {
        let mut older = self.older.left().iter().peekable();
        let mut newer = self.newer.left().iter().take(self.ready_of_newer).peekable();
        std::iter::from_fn(move || {
            let is_older_next = match (older.peek(), newer.peek()) {
                (Some(older), Some(newer)) => older.time_ns <= newer.time_ns,
                (older, _) => older.is_some(),
            };
            if is_older_next {
                older.next().map(|record| self.older.record(record, buffers))
            } else {
                newer.next().map(|record| self.newer.record(record, buffers))
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
    /// Adds a record, whose bytes stay at their place in the stream, or are copied if they have none; whether so much is
    /// held back that a round should end here.
    #[inline]
    pub(super) fn push(&mut self, time_ns: u64, record: &Record<'_>, at: Option<Place>) -> bool {
        self.newest_ns = self.newest_ns.max(time_ns);
        self.newer.push(time_ns, record, at, &mut self.spare);
        self.newer.is_full(at)
    }

    /// The first buffer of the stream whose bytes are needed.
    #[inline]
    pub(super) fn first_buffer(&self) -> Option<u32> {
        self.older.first_buffer.or(self.newer.first_buffer)
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
    use super::super::byte_stream::ByteStream;
    use super::*;

    fn none() -> ByteStream<&'static [u8]> {
        ByteStream::new(&[])
    }

    fn push(rounds: &mut Rounds, times: &[u64]) {
        for time in times {
            rounds.push(*time, &Record { kind: 9, misc: 0, body: &time.to_le_bytes() }, None);
        }
    }

    fn times(rounds: &mut Rounds, batch: Batch) -> Vec<u64> {
        let times = batch
            .iter(none().buffers())
            .map(|record| u64::from_le_bytes(record.body.try_into().unwrap()))
            .collect();
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
            (0..9).for_each(|_| assert!(!rounds.push(round, &record, None)));
            let batch = rounds.finish_round();
            assert!(batch.iter(none().buffers()).all(|record| record.body == body));
            rounds.recycle(batch);
            assert_eq!(held(&rounds), [3, 0]);
        }
        assert_eq!(rounds.spare.len(), 3);
    }

    #[test]
    fn records_stay_in_the_buffers_of_the_stream_until_they_went_out() {
        let numbers: Vec<u8> = (0..100_000_u64).flat_map(u64::to_le_bytes).collect();
        let mut stream = ByteStream::new(numbers.as_slice());
        let mut rounds = Rounds::default();
        let mut seen = Vec::new();
        for round in 0..10_u64 {
            for number in round * 10_000..(round + 1) * 10_000 {
                stream.keep_from(rounds.first_buffer());
                let body = stream.peek(8).unwrap().to_vec();
                // Two CPUs in turn, and one of each round is packed.
                let place = Some(stream.place()).filter(|_| number % 10_000 != 77);
                rounds.push(number ^ 1, &Record { kind: 9, misc: 0, body: &body }, place);
                stream.consume(8);
            }
            let batch = if round == 9 { rounds.finish() } else { rounds.finish_round() };
            seen.extend(
                batch
                    .iter(stream.buffers())
                    .map(|record| u64::from_le_bytes(record.body.try_into().unwrap())),
            );
            rounds.recycle(batch);
        }
        assert!(seen.into_iter().eq((0..100_000).map(|number| number ^ 1)));
        // A buffer holds three rounds.
        assert_eq!((rounds.first_buffer(), stream.place().buffer), (Some(2), 3));
    }

    #[test]
    fn a_round_of_many_buffers_is_ended() {
        let record = Record { kind: 9, misc: 0, body: &[] };
        let mut rounds = Rounds::default();
        let most = (MAX_ROUND_BYTES / PIECE_BYTES) as u32;
        let is_full = [0, 1, most - 1, most].map(|buffer| {
            let at = Place { buffer: buffer + 7, start: 0 };
            rounds.push(1, &record, Some(at))
        });
        assert_eq!(is_full, [false, false, false, true]);
    }

    #[test]
    fn a_round_without_an_end_is_ended() {
        let body = vec![7; usize::from(u16::MAX)];
        let record = Record { kind: 9, misc: 0, body: &body };
        let mut rounds = Rounds::default();
        let pushed = (1..).find(|time| rounds.push(*time, &record, None)).unwrap_or(0);
        assert_eq!(pushed, (MAX_ROUND_BYTES / PIECE_BYTES - 1) as u64 * 4 + 1);
    }
}
