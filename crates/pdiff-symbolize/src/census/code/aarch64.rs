//! `AArch64`: what of an instruction depends on addresses, where control goes, what spins.
//!
//! Instructions have four bytes and direct branches four encodings, so masks and shifts of the architecture manual
//! (C4.1) do; a decoder crate would bring ten thousand lines for them.
//!
//! ```text
//! B, BL            x00101 imm26                 CBZ, CBNZ   x011010x imm19 Rt
//! B.cond           01010100 imm19 x cond        TBZ, TBNZ   x011011x b40 imm14 Rt
//! ADR, ADRP        xii10000 imm19 Rd            LDR literal xx011x00 imm19 Rt
//! ADD immediate    x0010001 0 s imm12 Rn Rd     LDR/STR     xx111x01 xx imm12 Rn Rt
//! ```
//!
//! An address is a page (ADRP) and the lower 12 bits in the instruction that uses the register; so those 12 bits are
//! blanked after an ADRP into the base register.

use pdiff_profile::census::Spin;

use super::sketch::{Sketch, TransferKind};

const YIELD: u32 = 0xd503_203f;
/// ISB, which programs use as the longer pause.
const ISB: u32 = 0xd503_3fdf;
const IMM26: u32 = 0x03ff_ffff;
const IMM19: u32 = 0x00ff_ffe0;
const IMM14: u32 = 0x0007_ffe0;
const IMM12: u32 = 0x003f_fc00;
const ADR_IMM: u32 = 0x60ff_ffe0;

/// Decodes the body in `sketch`.
pub(super) fn decode(sketch: &mut Sketch) {
    let bytes = std::mem::take(&mut sketch.bytes);
    // Registers that contain the page of an address, a bit each.
    let mut pages = 0_u32;
    for (index, word) in bytes.as_chunks::<4>().0.iter().enumerate() {
        let at = index * 4;
        let word = u32::from_le_bytes(*word);
        let ip = sketch.addr.wrapping_add(at as u64);
        if let Some((target, bits)) = branch(ip, word) {
            let leaves = target.wrapping_sub(sketch.addr) >= bytes.len() as u64;
            let is_call = word >> 26 == 0b100_101;
            if leaves {
                sketch.mask_bits(at, bits);
            }
            if is_call || leaves {
                sketch.transfer(if is_call { TransferKind::Call } else { TransferKind::Jump }, target);
            }
        } else if word == YIELD || word == ISB {
            sketch.spins.push((ip, Spin::Pause));
        } else {
            let moved = moving_bits(word, &mut pages);
            sketch.mask_bits(at, moved);
        }
    }
    sketch.bytes = bytes;
}

/// The target of a direct branch, and the bits that contain it.
fn branch(ip: u64, word: u32) -> Option<(u64, u32)> {
    let (offset, bits) = if word & 0x7c00_0000 == 0x1400_0000 {
        (signed(word, 26), IMM26)
    } else if word & 0xff00_0000 == 0x5400_0000 || word & 0x7e00_0000 == 0x3400_0000 {
        (signed(word >> 5, 19), IMM19)
    } else if word & 0x7e00_0000 == 0x3600_0000 {
        (signed(word >> 5, 14), IMM14)
    } else {
        return None;
    };
    Some((ip.wrapping_add_signed(offset * 4), bits))
}

/// The lowest `width` bits as a signed number.
fn signed(word: u32, width: u32) -> i64 {
    i64::from((word << (32 - width)).cast_signed() >> (32 - width))
}

/// The bits of an instruction that depend on addresses.
fn moving_bits(word: u32, pages: &mut u32) -> u32 {
    let (target, base) = (1_u32 << (word & 31), 1_u32 << (word >> 5 & 31));
    if word & 0x1f00_0000 == 0x1000_0000 {
        // ADR, ADRP
        *pages |= target;
        ADR_IMM
    } else if word & 0x3b00_0000 == 0x1800_0000 {
        // LDR literal
        IMM19
    } else if word & 0x7fc0_0000 == 0x1100_0000 {
        // ADD immediate, not shifted
        let moves = *pages & base != 0;
        *pages &= !target;
        if moves { IMM12 } else { 0 }
    } else if word & 0x3b00_0000 == 0x3900_0000 && *pages & base != 0 {
        // LDR, STR with unsigned offset
        IMM12
    } else {
        0
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn direct_branches_have_targets() {
        let check =
            |word, target| assert_eq!(branch(0x1000, word).map(|found| found.0), target, "{word:08x}");
        check(0x9400_0004, Some(0x1010)); // bl +16
        check(0x17ff_ffff, Some(0x0ffc)); // b -4
        check(0x5400_0040, Some(0x1008)); // b.eq +8
        check(0xb400_0060, Some(0x100c)); // cbz x0, +12
        check(0x3707_ffc0, Some(0x0ff8)); // tbnz w0, #0, -8
        check(0xd65f_03c0, None); // ret
    }

    #[test]
    fn bodies_at_other_addresses_hash_alike() {
        let hash = |addr: u64, words: &[u32]| {
            let mut sketch = Sketch::default();
            let bytes: Vec<u8> = words.iter().flat_map(|word| word.to_le_bytes()).collect();
            sketch.begin(addr, &bytes);
            decode(&mut sketch);
            (sketch.hash(), sketch.transfers.len())
        };
        // adrp x0, page; add x0, x0, #low; bl away; ret
        let here = hash(0x1000, &[0x9000_0000, 0x9104_0000, 0x9400_0100, 0xd65f_03c0]);
        let there = hash(0x9000, &[0xb000_0020, 0x9108_0000, 0x9400_0777, 0xd65f_03c0]);
        let other = hash(0x1000, &[0x9000_0001, 0x9104_0021, 0x9400_0100, 0xd65f_03c0]);
        assert_eq!(here, there);
        assert_eq!(here.1, 1);
        assert_ne!(here.0, other.0);
    }
}
