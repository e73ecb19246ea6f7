//! Compressed sections to their bytes: zlib and zstd.
//!
//! The size stands in the file and is not to be trusted: what a stream cannot reach is refused before memory is taken.
//! So is what no debug information packs to, so that memory stays in proportion to the file.

use std::io::Read;
use std::ops::Deref;

use memmap2::MmapMut;
use object::CompressionFormat;

/// The most bytes of one section: the largest `.debug_info` seen has 5 GB.
const MAX_BYTES: u64 = 1 << 36;
/// Up to this size any ratio goes: tables of zeros pack well.
const FREE_BYTES: u64 = 64 << 20;
/// The most bytes of one packed byte in larger sections. Debug information packs 2 to 8 to 1, strings of templates 20 to 1.
const MAX_RATIO: u64 = 100;

/// From this size on a section is put into pages of 2 MiB. First touch of 4 KiB pages takes half as long as inflating.
const LARGE_BYTES: usize = 4 << 20;

/// What a section was inflated to.
#[derive(Debug)]
pub(crate) enum Inflated {
    Small(Vec<u8>),
    Large(MmapMut),
}

impl Inflated {
    /// Zeros; `None` if the system has no such memory: that is damage of the file, not the end of the program.
    fn zeros(size: usize) -> Option<Self> {
        if size >= LARGE_BYTES {
            let map = MmapMut::map_anon(size).ok()?;
            // Where the system has no large pages, small ones do.
            #[cfg(target_os = "linux")]
            let _ = map.advise(memmap2::Advice::HugePage);
            return Some(Self::Large(map));
        }
        Some(Self::Small(vec![0; size]))
    }

    fn bytes_mut(&mut self) -> &mut [u8] {
        match self {
            Self::Small(bytes) => bytes,
            Self::Large(map) => map,
        }
    }
}

impl Deref for Inflated {
    type Target = [u8];

    fn deref(&self) -> &[u8] {
        match self {
            Self::Small(bytes) => bytes,
            Self::Large(map) => map,
        }
    }
}

/// The bytes of a compressed section; `None` if it is damaged or of an unknown format.
pub(crate) fn inflate(format: CompressionFormat, data: &[u8], size: u64) -> Option<Inflated> {
    let most = (data.len() as u64).saturating_mul(MAX_RATIO).clamp(FREE_BYTES, MAX_BYTES);
    if size > most {
        return None;
    }
    let mut bytes = Inflated::zeros(usize::try_from(size).ok()?)?;
    let len = match format {
        CompressionFormat::Zlib => inflate_zlib(data, bytes.bytes_mut()),
        CompressionFormat::Zstandard => inflate_zstd(data, bytes.bytes_mut()),
        _ => None,
    }?;
    (len == bytes.len()).then_some(bytes)
}

/// The length written; `None` if `bytes` are too few.
fn inflate_zlib(data: &[u8], bytes: &mut [u8]) -> Option<usize> {
    libdeflater::Decompressor::new().zlib_decompress(data, bytes).ok()
}

fn inflate_zstd(data: &[u8], bytes: &mut [u8]) -> Option<usize> {
    let mut decoder = zstd::stream::read::Decoder::new(data).ok()?;
    decoder.read_exact(bytes).ok()?;
    let is_over = decoder.read(&mut [0]).ok()? == 0;
    is_over.then_some(bytes.len())
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
            assert_eq!(inflate(format, &packed, len).as_deref(), Some(&bytes[..]));
            for wrong in [0, len - 1, len + 1, u64::MAX] {
                assert!(inflate(format, &packed, wrong).is_none(), "{format:?} {wrong}");
            }
            assert!(inflate(format, &packed[..packed.len() / 2], len).is_none(), "{format:?}");
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
            assert!(inflate(format, &packed, zeros.len() as u64).is_none(), "{format:?}");
            // A size that lies gives no more than it says.
            assert!(inflate(format, &packed, 1000).is_none(), "{format:?}");
        }
    }
}
