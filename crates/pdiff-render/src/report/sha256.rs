//! SHA-256 in base64, by which a page names the one script that may run in it (FIPS 180-4, RFC 4648).
//!
//! A few lines instead of two packages: it hashes some kilobytes of the page's own script, and secures nothing secret.

const START: [u32; 8] =
    [0x6a09_e667, 0xbb67_ae85, 0x3c6e_f372, 0xa54f_f53a, 0x510e_527f, 0x9b05_688c, 0x1f83_d9ab, 0x5be0_cd19];

/// The first 32 bits of the fractions of the cube roots of the first 64 primes.
#[rustfmt::skip]
const ROUNDS: [u32; 64] = [
    0x428a_2f98, 0x7137_4491, 0xb5c0_fbcf, 0xe9b5_dba5, 0x3956_c25b, 0x59f1_11f1, 0x923f_82a4, 0xab1c_5ed5,
    0xd807_aa98, 0x1283_5b01, 0x2431_85be, 0x550c_7dc3, 0x72be_5d74, 0x80de_b1fe, 0x9bdc_06a7, 0xc19b_f174,
    0xe49b_69c1, 0xefbe_4786, 0x0fc1_9dc6, 0x240c_a1cc, 0x2de9_2c6f, 0x4a74_84aa, 0x5cb0_a9dc, 0x76f9_88da,
    0x983e_5152, 0xa831_c66d, 0xb003_27c8, 0xbf59_7fc7, 0xc6e0_0bf3, 0xd5a7_9147, 0x06ca_6351, 0x1429_2967,
    0x27b7_0a85, 0x2e1b_2138, 0x4d2c_6dfc, 0x5338_0d13, 0x650a_7354, 0x766a_0abb, 0x81c2_c92e, 0x9272_2c85,
    0xa2bf_e8a1, 0xa81a_664b, 0xc24b_8b70, 0xc76c_51a3, 0xd192_e819, 0xd699_0624, 0xf40e_3585, 0x106a_a070,
    0x19a4_c116, 0x1e37_6c08, 0x2748_774c, 0x34b0_bcb5, 0x391c_0cb3, 0x4ed8_aa4a, 0x5b9c_ca4f, 0x682e_6ff3,
    0x748f_82ee, 0x78a5_636f, 0x84c8_7814, 0x8cc7_0208, 0x90be_fffa, 0xa450_6ceb, 0xbef9_a3f7, 0xc671_78f2,
];

/// The digest of a text in base64.
pub(super) fn sha256_base64(text: &str) -> String {
    let mut message = text.as_bytes().to_vec();
    let bits = (message.len() as u64) * 8;
    message.push(0x80);
    message.resize(message.len().next_multiple_of(64), 0);
    if message.len() - text.len() < 9 {
        message.resize(message.len() + 64, 0);
    }
    let end = message.len() - 8;
    message.truncate(end);
    message.extend(bits.to_be_bytes());
    let mut state = START;
    for block in message.chunks_exact(64) {
        compress(&mut state, block);
    }
    let digest: Vec<u8> = state.iter().flat_map(|word| word.to_be_bytes()).collect();
    base64(&digest)
}

fn compress(state: &mut [u32; 8], block: &[u8]) {
    let mut words: Vec<u32> = block
        .chunks_exact(4)
        .map(|bytes| bytes.iter().fold(0, |word, byte| (word << 8) | u32::from(*byte)))
        .collect();
    for at in 16..64 {
        let (a, b) = (words[at - 15], words[at - 2]);
        let low = a.rotate_right(7) ^ a.rotate_right(18) ^ (a >> 3);
        let high = b.rotate_right(17) ^ b.rotate_right(19) ^ (b >> 10);
        words.push(words[at - 16].wrapping_add(low).wrapping_add(words[at - 7]).wrapping_add(high));
    }
    let [mut a, mut b, mut c, mut d, mut e, mut f, mut g, mut h] = *state;
    for (word, round) in words.iter().zip(ROUNDS) {
        let mixed = e.rotate_right(6) ^ e.rotate_right(11) ^ e.rotate_right(25);
        let choice = (e & f) ^ (!e & g);
        let first = h.wrapping_add(mixed).wrapping_add(choice).wrapping_add(round).wrapping_add(*word);
        let mixed = a.rotate_right(2) ^ a.rotate_right(13) ^ a.rotate_right(22);
        let majority = (a & b) ^ (a & c) ^ (b & c);
        let second = mixed.wrapping_add(majority);
        (h, g, f, e, d, c, b, a) = (g, f, e, d.wrapping_add(first), c, b, a, first.wrapping_add(second));
    }
    for (word, more) in state.iter_mut().zip([a, b, c, d, e, f, g, h]) {
        *word = word.wrapping_add(more);
    }
}

fn base64(bytes: &[u8]) -> String {
    const LETTERS: &[u8; 64] = b"ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
    let mut out = String::new();
    for three in bytes.chunks(3) {
        let word =
            (0..3).fold(0_u32, |word, at| (word << 8) | u32::from(three.get(at).copied().unwrap_or(0)));
        for at in 0..4 {
            let letter = LETTERS[(word >> (18 - 6 * at) & 63) as usize];
            out.push(if at > three.len() { '=' } else { char::from(letter) });
        }
    }
    out
}

#[cfg(test)]
mod tests {
    use super::sha256_base64;

    #[test]
    fn digests_are_those_of_the_standard() {
        assert_eq!(sha256_base64(""), "47DEQpj8HBSa+/TImW+5JCeuQeRkm5NMpJWZG3hSuFU=");
        assert_eq!(sha256_base64("abc"), "ungWv48Bz+pBQUDeXa4iI7ADYaOWF3qctBD/YfIAFa0=");
        let million = "a".repeat(1_000_000);
        assert_eq!(sha256_base64(&million), "zcduXJkU+5KBocfihNc+Z/GAmkiklyAOBG05zMcRLNA=");
        assert_eq!(sha256_base64(&"a".repeat(55)), "n0OQ+NMMLdkuyfCVtl4rmumwqSWlJY4kHJ8ekQ9zQxg=");
        assert_eq!(sha256_base64(&"a".repeat(56)), "s1Q5pKxvCUi21vnjxq8PX1kM4g8b3nCQ73lwaG7Gc4o=");
        assert_eq!(sha256_base64(&"a".repeat(64)), "/+BU/nrgy23GXDr5th1SCfQ5hR20PQulmXM33xVGaOs=");
    }
}
