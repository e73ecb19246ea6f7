//! Compressed sections to their bytes: zlib and zstd.
//!
//! The size stands in the file and is not to be trusted: what a stream cannot reach is refused before memory is taken.

use std::io::Read;

use object::CompressionFormat;

/// The most bytes of one section: the largest `.debug_info` seen has 5 GB.
const MAX_BYTES: u64 = 1 << 36;
/// deflate makes at most 1,032 bytes of one.
const MAX_DEFLATE_RATIO: u64 = 1032;

/// The bytes of a compressed section; `None` if it is damaged or of an unknown format.
pub(crate) fn inflate(format: CompressionFormat, data: &[u8], size: u64) -> Option<Vec<u8>> {
    if size > MAX_BYTES {
        return None;
    }
    let bytes = match format {
        CompressionFormat::Zlib => inflate_zlib(data, size),
        CompressionFormat::Zstandard => inflate_zstd(data, size),
        _ => None,
    }?;
    (bytes.len() as u64 == size).then_some(bytes)
}

fn inflate_zlib(data: &[u8], size: u64) -> Option<Vec<u8>> {
    if size > (data.len() as u64).saturating_mul(MAX_DEFLATE_RATIO) {
        return None;
    }
    let mut bytes = vec![0; usize::try_from(size).ok()?];
    let len = libdeflater::Decompressor::new().zlib_decompress(data, &mut bytes).ok()?;
    bytes.truncate(len);
    Some(bytes)
}

fn inflate_zstd(data: &[u8], size: u64) -> Option<Vec<u8>> {
    let mut bytes = Vec::new();
    let decoder = zstd::stream::read::Decoder::new(data).ok()?;
    decoder.take(size.saturating_add(1)).read_to_end(&mut bytes).ok()?;
    Some(bytes)
}
