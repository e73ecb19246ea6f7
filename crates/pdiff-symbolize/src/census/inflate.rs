//! Inflating compressed sections: zlib and zstd, in the ELF form and in the older GNU form (`.zdebug_*`).

use std::borrow::Cow;

use flate2::{Decompress, FlushDecompress};
use object::{CompressedData, CompressionFormat};

/// The largest section that is inflated. The largest of a big server has 70 MB; of a browser, 2 GB.
const MAX_SECTION_BYTES: u64 = 8 << 30;
/// No format packs more than this many bytes into one, so a header that claims more is damaged.
const MAX_RATIO: u64 = 1 << 15;

/// The plain bytes of a section, or what is wrong.
pub(super) fn inflate<'a>(data: &CompressedData<'a>) -> Result<Cow<'a, [u8]>, String> {
    if data.format == CompressionFormat::None {
        return Ok(Cow::Borrowed(data.data));
    }
    let claimed = data.uncompressed_size;
    if claimed > MAX_SECTION_BYTES || claimed > (data.data.len() as u64).saturating_mul(MAX_RATIO) {
        return Err(format!("{claimed} bytes from {} are not plausible", data.data.len()));
    }
    let size = usize::try_from(claimed).map_err(|_| format!("{claimed} bytes are too many"))?;
    match data.format {
        CompressionFormat::Zlib => inflate_zlib(data.data, size).map(Cow::Owned),
        CompressionFormat::Zstandard => inflate_zstd(data.data, size).map(Cow::Owned),
        _ => Err("unknown compression".to_owned()),
    }
}

fn inflate_zlib(packed: &[u8], size: usize) -> Result<Vec<u8>, String> {
    let mut plain = Vec::with_capacity(size);
    let mut stream = Decompress::new(true);
    stream.decompress_vec(packed, &mut plain, FlushDecompress::Finish).map_err(|error| error.to_string())?;
    if plain.len() == size { Ok(plain) } else { Err(format!("{} of {size} bytes", plain.len())) }
}

fn inflate_zstd(packed: &[u8], size: usize) -> Result<Vec<u8>, String> {
    let plain = zstd::bulk::decompress(packed, size).map_err(|error| error.to_string())?;
    if plain.len() == size { Ok(plain) } else { Err(format!("{} of {size} bytes", plain.len())) }
}
