//! Records that `perf record -z` packed: one stream of zstd, cut into `PERF_RECORD_COMPRESSED` records.

use std::io;

use zstd::stream::raw::{Decoder, Operation as _};

/// How much is unpacked at once.
const STEP_BYTES: usize = 256 << 10;

/// Unpacks; what is left of a record that continues in the next piece is kept.
#[derive(Default)]
pub(super) struct Inflater {
    decoder: Option<Decoder<'static>>,
    unpacked: Vec<u8>,
}

impl Inflater {
    /// Unpacks a piece. `take` is called with what is there and says how much of it it took.
    pub(super) fn inflate(
        &mut self,
        mut packed: &[u8],
        mut take: impl FnMut(&[u8]) -> usize,
    ) -> io::Result<()> {
        let decoder = match &mut self.decoder {
            Some(decoder) => decoder,
            none => none.insert(Decoder::new()?),
        };
        loop {
            let from = self.unpacked.len();
            self.unpacked.resize(from + STEP_BYTES, 0);
            let room = self.unpacked.get_mut(from..).unwrap_or(&mut []);
            let status = decoder.run_on_buffers(packed, room);
            let written = status.as_ref().map_or(0, |status| status.bytes_written);
            self.unpacked.truncate(from + written);
            let status = status?;
            let taken = take(&self.unpacked).min(self.unpacked.len());
            self.unpacked.drain(..taken);
            packed = packed.get(status.bytes_read..).unwrap_or(&[]);
            if written < STEP_BYTES && (packed.is_empty() || status.bytes_read == 0) {
                return Ok(());
            }
        }
    }

    /// Bytes of a record whose rest never came.
    pub(super) fn left(&self) -> usize {
        self.unpacked.len()
    }
}
