//! Records in the order of time.
//!
//! perf empties the buffers of all CPUs in turn and writes each as it is, so records of one round are out of order. A
//! mark ends a round (`PERF_RECORD_FINISHED_ROUND`). A record of a round may be older than those of the round before, but
//! not older than those of the round before that: what is as old as the round before may go out when a round ends.

/// The most that is held back. perf's own buffers are half a megabyte a CPU; a recording without marks of its rounds comes
/// out in order within this much.
const MAX_HELD_BYTES: usize = 256 << 20;

/// A record that waits for its turn.
#[derive(Clone, Copy, Debug)]
struct Waiting {
    time_ns: u64,
    start: usize,
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

/// Some records, oldest first.
#[derive(Debug, Default)]
pub(super) struct Batch {
    bytes: Vec<u8>,
    records: Vec<Waiting>,
}

impl Batch {
    /// The records, oldest first.
    pub(super) fn iter(&self) -> impl Iterator<Item = Record<'_>> {
        self.records.iter().map(|record| self.record(record))
    }

    fn record(&self, record: &Waiting) -> Record<'_> {
        let end = record.start + usize::from(record.len);
        let body = self.bytes.get(record.start..end).unwrap_or(&[]);
        Record { kind: record.kind, misc: record.misc, body }
    }

    fn push(&mut self, time_ns: u64, record: &Record<'_>) {
        let start = self.bytes.len();
        self.bytes.extend_from_slice(record.body);
        let len = u16::try_from(record.body.len()).expect("the length of a record has 16 bits");
        self.records.push(Waiting { time_ns, start, len, misc: record.misc, kind: record.kind });
    }

    fn clear(&mut self) {
        self.bytes.clear();
        self.records.clear();
    }
}

/// Holds records back until none that is older can come.
#[derive(Debug, Default)]
pub(super) struct Rounds {
    waiting: Batch,
    /// Kept for its memory.
    spare: Batch,
    newest_ns: u64,
    /// The newest time of the round before.
    safe_ns: u64,
}

impl Rounds {
    /// Adds a record; whether so much is held back that a round should end here.
    #[inline]
    pub(super) fn push(&mut self, time_ns: u64, record: &Record<'_>) -> bool {
        self.newest_ns = self.newest_ns.max(time_ns);
        self.waiting.push(time_ns, record);
        self.waiting.bytes.len() >= MAX_HELD_BYTES
    }

    /// Ends a round: the records that may go out.
    pub(super) fn finish_round(&mut self) -> Batch {
        let safe_ns = std::mem::replace(&mut self.safe_ns, self.newest_ns);
        self.take_until(safe_ns)
    }

    /// All records.
    pub(super) fn finish(&mut self) -> Batch {
        self.take_until(u64::MAX)
    }

    /// Gives back a batch's memory.
    pub(super) fn recycle(&mut self, mut batch: Batch) {
        batch.clear();
        self.spare = batch;
    }

    fn take_until(&mut self, until_ns: u64) -> Batch {
        // Records of one CPU are in order: the sort meets long runs.
        self.waiting.records.sort_by_key(|record| record.time_ns);
        let ready = self.waiting.records.partition_point(|record| record.time_ns <= until_ns);
        let mut left = std::mem::take(&mut self.spare);
        for record in self.waiting.records.get(ready..).unwrap_or(&[]) {
            left.push(record.time_ns, &self.waiting.record(record));
        }
        self.waiting.records.truncate(ready);
        std::mem::replace(&mut self.waiting, left)
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
}
