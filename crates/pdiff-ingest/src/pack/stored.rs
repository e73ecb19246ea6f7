//! Bytes packed by zstd, and the limits under which they are unpacked.

use std::io::Read;

use super::error::PackError;
use crate::compressed::MAX_WINDOW_LOG;

/// The most bytes that a section may hold unpacked. A full census of a server of 195 MB has an eighth of it.
pub const MAX_SECTION_BYTES: usize = 1 << 30;

/// The zstd level. At level 19, packs of a server are 6 to 7 % smaller, but compressing alone takes sixteen times as long.
const LEVEL: i32 = 9;

/// Unpacking reserves at most so many times the packed size at once; the rest grows as bytes really come.
const RESERVE_RATIO: usize = 64;

/// Bytes as a pack stores them.
#[derive(Clone, PartialEq, Eq, Debug)]
pub(super) struct Stored {
    /// Packed by zstd.
    pub(super) bytes: Vec<u8>,
    /// Their number unpacked.
    pub(super) len: u64,
}

impl Stored {
    pub(super) fn pack(section: &'static str, bytes: &[u8]) -> Result<Self, PackError> {
        if bytes.len() > MAX_SECTION_BYTES {
            return Err(PackError::Unpackable { section, what: "it is larger than a gigabyte" });
        }
        let failed = |_| PackError::Unpackable { section, what: "zstd failed" };
        Ok(Self { bytes: zstd::bulk::compress(bytes, LEVEL).map_err(failed)?, len: bytes.len() as u64 })
    }

    pub(super) fn unpack(&self, section: &'static str) -> Result<Vec<u8>, PackError> {
        unpack(section, &self.bytes, self.len)
    }
}

/// Unpacks bytes that hold `len`, no more and no fewer.
pub(super) fn unpack(section: &'static str, stored: &[u8], len: u64) -> Result<Vec<u8>, PackError> {
    let damaged = |what| PackError::Damaged { section, what };
    let len = usize::try_from(len).ok().filter(|len| *len <= MAX_SECTION_BYTES);
    let len = len.ok_or_else(|| damaged("it is larger than a gigabyte"))?;
    let zstd_failed = |_| damaged("zstd failed");
    let mut decoder = zstd::stream::read::Decoder::with_buffer(stored).map_err(zstd_failed)?;
    decoder.window_log_max(MAX_WINDOW_LOG).map_err(zstd_failed)?;
    let mut bytes = Vec::with_capacity(len.min(stored.len().saturating_mul(RESERVE_RATIO)));
    decoder.take(len as u64 + 1).read_to_end(&mut bytes).map_err(zstd_failed)?;
    if bytes.len() == len { Ok(bytes) } else { Err(damaged("its length is wrong")) }
}
