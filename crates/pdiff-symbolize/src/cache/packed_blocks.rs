//! Large sections of a cache file, packed by zstd in blocks, so that all cores pack and unpack.
//!
//! ```text
//! magic      8 bytes  "pdblocks"
//! size       u64      bytes unpacked
//! ends       u64 per block: where it ends among the packed bytes
//! blocks     zstd frames of BLOCK_BYTES each, the last one of the rest
//! ```
//!
//! Names are most of a census: that of a server of 195 MB shrinks from 125 MB to 10 MB, and less is written than it takes
//! to pack it.

use rayon::prelude::*;

const MAGIC: &[u8; 8] = b"pdblocks";
const BLOCK_BYTES: usize = 4 << 20;
const HEADER_BYTES: usize = 16;
/// Fast, and no worse on names than what takes twice as long.
const LEVEL: i32 = 1;
/// The most bytes of one packed byte: zstd packs 128 KiB of one value to 4 bytes. More is damage.
const MAX_RATIO: usize = 1 << 16;

/// The packed form of `head` and what `tail` returns after it, which is made while `head` is packed; `None` only if zstd
/// has no memory.
pub(crate) fn pack(head: &[u8], tail: impl FnOnce() -> Vec<u8> + Send) -> Option<Vec<u8>> {
    let (whole, rest) = head.split_at_checked(head.len() / BLOCK_BYTES * BLOCK_BYTES)?;
    let (blocks, rest) = rayon::join(|| pack_blocks(whole), || [rest, &tail()].concat());
    let mut blocks = blocks?;
    blocks.extend(pack_blocks(&rest)?);
    let mut packed = MAGIC.to_vec();
    packed.extend_from_slice(&((whole.len() + rest.len()) as u64).to_le_bytes());
    let mut end = 0;
    for block in &blocks {
        end += block.len() as u64;
        packed.extend_from_slice(&end.to_le_bytes());
    }
    blocks.iter().for_each(|block| packed.extend_from_slice(block));
    Some(packed)
}

fn pack_blocks(bytes: &[u8]) -> Option<Vec<Vec<u8>>> {
    bytes.par_chunks(BLOCK_BYTES).map(|block| zstd::bulk::compress(block, LEVEL).ok()).collect()
}

/// What was packed; `None` if it is damaged or of another form.
pub(crate) fn unpack(packed: &[u8]) -> Option<Vec<u8>> {
    let rest = packed.strip_prefix(MAGIC)?;
    let size = usize::try_from(number_at(rest, 0)?).ok()?;
    if size > packed.len().saturating_mul(MAX_RATIO) {
        return None;
    }
    let count = size.div_ceil(BLOCK_BYTES);
    let content = packed.get(HEADER_BYTES + 8 * count..)?;
    let ends: Vec<usize> =
        (1..=count).map(|index| usize::try_from(number_at(rest, index)?).ok()).collect::<Option<_>>()?;
    if ends.last().copied().unwrap_or(0) != content.len() {
        return None;
    }
    let starts = std::iter::once(0).chain(ends.iter().copied());
    let blocks: Vec<&[u8]> =
        starts.zip(&ends).map(|(start, end)| content.get(start..*end)).collect::<Option<_>>()?;
    // What the system would not give is damage, not the end of the program.
    Vec::<u8>::new().try_reserve_exact(size).ok()?;
    let mut bytes = vec![0; size];
    let unpack_block = |(block, place): (&[u8], &mut [u8])| {
        let unpacked = zstd::bulk::decompress_to_buffer(block, place).ok();
        unpacked == Some(place.len())
    };
    let is_whole = blocks.into_par_iter().zip(bytes.par_chunks_mut(BLOCK_BYTES)).all(unpack_block);
    is_whole.then_some(bytes)
}

/// A number among those after the magic.
fn number_at(bytes: &[u8], index: usize) -> Option<u64> {
    let word = bytes.get(index * 8..index * 8 + 8)?;
    word.try_into().ok().map(u64::from_le_bytes)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_packed_comes_back() {
        for len in [0, 1, 1000, BLOCK_BYTES, BLOCK_BYTES + 1, 2 * BLOCK_BYTES + 77] {
            let bytes: Vec<u8> = (0..len).map(|at| (at % 251 + at / BLOCK_BYTES) as u8).collect();
            let (head, tail) = bytes.split_at(len / 3 * 2);
            let packed = pack(head, || tail.to_vec()).unwrap();
            assert_eq!(pack(&bytes, Vec::new), Some(packed.clone()), "{len}");
            assert!(packed.len() < 1100 || packed.len() < len / 10, "{len}: {}", packed.len());
            assert_eq!(unpack(&packed), Some(bytes), "{len}");
        }
    }

    #[test]
    fn damage_is_seen() {
        let bytes: Vec<u8> = (0..20_000_u32).flat_map(|at| (at * at).to_le_bytes()).collect();
        let packed = pack(&bytes, Vec::new).unwrap();
        for len in (0..40).chain([packed.len() / 2, packed.len() - 1]) {
            assert_eq!(unpack(&packed[..len]), None, "cut at {len}");
        }
        assert_eq!(unpack(&[&packed[..], &[0]].concat()), None, "longer");
        for (at, bit) in [(0, 1), (8, 1), (15, 0x80), (16, 1), (23, 0x80), (24, 1)] {
            let mut damaged = packed.clone();
            damaged[at] ^= bit;
            assert_eq!(unpack(&damaged), None, "flipped at {at}");
        }
        assert_eq!(unpack(b"pdcensus is another form"), None);
    }
}
