//! Compressed sections to their bytes: zlib and zstd.
//!
//! The size is in the file and cannot be trusted: a size that the stream cannot reach is refused before memory is
//! allocated. A ratio that no real debug information has is refused too, so memory stays in proportion to the file.
//!
//! Large pages are not asked for. Tried in a virtual machine, they saved a quarter of the processor time in runs back to back, and cost
//! four times the system's time in a run after some idle seconds.

use std::io::Read;

use object::CompressionFormat;

/// The most bytes of one section: the largest `.debug_info` seen has 5 GB.
const MAX_BYTES: u64 = 1 << 36;
/// Up to this size any ratio goes: tables of zeros pack well.
const FREE_BYTES: u64 = 16 << 20;
/// The most bytes of one packed byte in larger sections. Debug information packs 2 to 8 to 1, strings of templates 20 to 1.
const MAX_RATIO: u64 = 100;

/// The bytes of a compressed section; `None` if it is damaged or of an unknown format.
pub(crate) fn inflate(format: CompressionFormat, data: &[u8], size: u64) -> Option<Vec<u8>> {
    let most = (data.len() as u64).saturating_mul(MAX_RATIO).clamp(FREE_BYTES, MAX_BYTES);
    if size > most {
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
    let size = usize::try_from(size).ok()?;
    // What the system would not give is damage, not the end of the program.
    Vec::<u8>::new().try_reserve_exact(size).ok()?;
    let mut bytes = vec![0; size];
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

#[cfg(test)]
mod tests {
    use super::*;

    fn zlib(bytes: &[u8]) -> Vec<u8> {
        let mut packer = libdeflater::Compressor::new(libdeflater::CompressionLvl::default());
        let mut packed = vec![0; packer.zlib_compress_bound(bytes.len())];
        let len = packer.zlib_compress(bytes, &mut packed).unwrap();
        packed.truncate(len);
        packed
    }

    #[test]
    fn what_is_packed_comes_back_and_a_wrong_size_does_not() {
        let bytes = b"debug information".repeat(100);
        let forms = [
            (CompressionFormat::Zlib, zlib(&bytes)),
            (CompressionFormat::Zstandard, zstd::encode_all(&bytes[..], 1).unwrap()),
        ];
        for (format, packed) in forms {
            let len = bytes.len() as u64;
            assert_eq!(inflate(format, &packed, len).as_ref(), Some(&bytes));
            for wrong in [0, len - 1, len + 1, u64::MAX] {
                assert_eq!(inflate(format, &packed, wrong), None, "{format:?} {wrong}");
            }
            assert_eq!(inflate(format, &packed[..packed.len() / 2], len), None, "{format:?}");
        }
    }

    #[test]
    fn a_bomb_is_refused() {
        let zeros = vec![0; FREE_BYTES as usize + 1];
        let forms = [
            (CompressionFormat::Zlib, zlib(&zeros)),
            (CompressionFormat::Zstandard, zstd::encode_all(&zeros[..], 1).unwrap()),
        ];
        for (format, packed) in forms {
            assert!((packed.len() as u64) < FREE_BYTES / MAX_RATIO, "{format:?}");
            assert_eq!(inflate(format, &packed, zeros.len() as u64), None, "{format:?}");
            // A size that lies gives no more than it says.
            assert_eq!(inflate(format, &packed, 1000), None, "{format:?}");
        }
    }
}
