//! `AArch64`: YIELD, WFE and ISB, backward branches, and short loops around an acquiring load that store nothing.

use std::ops::Range;

use super::{Body, MAX_READ_LOOP_BYTES};

const YIELD: u32 = 0xd503_203f;
const WFE: u32 = 0xd503_205f;
/// ISB, which programs use as the longer pause.
const ISB: u32 = 0xd503_3fdf;

/// What the instructions of a function say of loops.
pub(super) fn decode(start: u64, bytes: &[u8]) -> Body {
    let words: Vec<u32> = bytes.as_chunks::<4>().0.iter().map(|word| u32::from_le_bytes(*word)).collect();
    let mut body = Body::default();
    for (at, word) in words.iter().enumerate() {
        let ip = start.wrapping_add(4 * at as u64);
        if [YIELD, WFE, ISB].contains(word) {
            body.pauses.push(ip);
        }
        let Some(target) = branch(ip, *word).filter(|target| *target >= start && *target <= ip) else {
            continue;
        };
        let range = target..ip.wrapping_add(4);
        if range.end - range.start <= MAX_READ_LOOP_BYTES && only_reads_again(inside(&words, start, &range)) {
            body.read_loops.push(range.clone());
        }
        body.loops.push(range);
    }
    body
}

fn inside<'w>(words: &'w [u32], start: u64, range: &Range<u64>) -> &'w [u32] {
    let place = |addr: u64| usize::try_from((addr - start) / 4).unwrap_or(usize::MAX);
    words.get(place(range.start)..place(range.end)).unwrap_or(&[])
}

/// The target of a direct branch that is not a call.
fn branch(ip: u64, word: u32) -> Option<u64> {
    let offset = if word & 0xfc00_0000 == 0x1400_0000 {
        signed(word, 26)
    } else if word & 0xff00_0000 == 0x5400_0000 || word & 0x7e00_0000 == 0x3400_0000 {
        signed(word >> 5, 19)
    } else if word & 0x7e00_0000 == 0x3600_0000 {
        signed(word >> 5, 14)
    } else {
        return None;
    };
    Some(ip.wrapping_add_signed(offset * 4))
}

/// The lowest `width` bits as a signed number.
fn signed(word: u32, width: u32) -> i64 {
    i64::from((word << (32 - width)).cast_signed() >> (32 - width))
}

/// Whether a loop has an acquiring load whose address it does not change, compares, branches, and nothing else.
fn only_reads_again(words: &[u32]) -> bool {
    let loads: Vec<u32> = words.iter().copied().filter(|word| is_acquiring_load(*word)).collect();
    let target = |word: u32| word & 31;
    let base = |word: u32| word >> 5 & 31;
    let is_fixed = loads.iter().all(|load| loads.iter().all(|other| target(*other) != base(*load)));
    let is_plain = |word: &u32| is_acquiring_load(*word) || is_compare(*word) || branch(0, *word).is_some();
    !loads.is_empty() && is_fixed && words.iter().all(is_plain)
}

/// LDAR, LDAXR and LDAPR of all sizes.
fn is_acquiring_load(word: u32) -> bool {
    let shape = word & 0x3fff_fc00;
    shape == 0x08df_fc00 || shape == 0x085f_fc00 || shape == 0x38bf_c000
}

/// CMP and TST: subtraction and AND that keep nothing but flags.
fn is_compare(word: u32) -> bool {
    let keeps_nothing = word & 31 == 31;
    let is_subs = word & 0x7f00_0000 == 0x7100_0000 || word & 0x7f20_0000 == 0x6b00_0000;
    let is_ands = word & 0x7f80_0000 == 0x7200_0000 || word & 0x7f20_0000 == 0x6a00_0000;
    keeps_nothing && (is_subs || is_ands)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn polling(words: &[u32]) -> Vec<(u64, u64)> {
        let bytes: Vec<u8> = words.iter().flat_map(|word| word.to_le_bytes()).collect();
        decode(0x1000, &bytes).polling().map(|range| (range.start, range.end)).collect()
    }

    #[test]
    fn loops_around_a_hint_and_around_an_acquiring_load_wait() {
        // nop; 1: isb; cbz w0, 1b
        assert_eq!(polling(&[0xd503_201f, ISB, 0x34ff_ffe0]), [(0x1004, 0x100c)]);
        // 1: ldar w0, [x1]; cbz w0, 1b
        assert_eq!(polling(&[0x88df_fc20, 0x34ff_ffe0]), [(0x1000, 0x1008)]);
        // 1: ldar x1, [x1]; cbnz x1, 1b: a list is walked
        assert_eq!(polling(&[0xc8df_fc21, 0xb5ff_ffe1]), []);
        // 1: add w2, w2, #1; ldar w0, [x1]; cmp w0, w2; b.ne 1b
        assert_eq!(polling(&[0x1100_0442, 0x88df_fc20, 0x6b02_001f, 0x54ff_ffa1]), []);
        assert_eq!(polling(&[YIELD]), []);
    }
}
