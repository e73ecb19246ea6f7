//! Numbers as digits, without sign, blanks or prefix.

/// The value of decimal digits; `None` if empty, if anything else is there, or past 64 bits.
pub(crate) fn decimal(text: &[u8]) -> Option<u64> {
    if text.is_empty() {
        return None;
    }
    text.iter().try_fold(0_u64, |value, byte| {
        let digit = byte.wrapping_sub(b'0');
        if digit > 9 { None } else { value.checked_mul(10)?.checked_add(u64::from(digit)) }
    })
}

/// What is no hexadecimal digit has a value with one of these bits.
const NO_DIGIT: u8 = 0xf0;

/// The value of each byte as a hexadecimal digit: recordings and lists of symbols have millions of them.
const DIGITS: [u8; 256] = {
    let mut values = [NO_DIGIT; 256];
    let mut digit = 0;
    while digit < 16 {
        let letter = b"0123456789abcdef"[digit];
        values[letter as usize] = digit as u8;
        values[letter.to_ascii_uppercase() as usize] = digit as u8;
        digit += 1;
    }
    values
};

/// The value of up to 16 hexadecimal digits; `None` if empty, longer, or if anything else is there.
pub(crate) fn hexadecimal(text: &[u8]) -> Option<u64> {
    if text.is_empty() || text.len() > 16 {
        return None;
    }
    let (mut value, mut all) = (0_u64, 0_u8);
    for byte in text {
        let digit = DIGITS[usize::from(*byte)];
        all |= digit;
        value = value << 4 | u64::from(digit & !NO_DIGIT);
    }
    (all & NO_DIGIT == 0).then_some(value)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_whole_numbers_that_fit_are_read() {
        assert_eq!(decimal(b"18446744073709551615"), Some(u64::MAX));
        assert_eq!(decimal(b"18446744073709551616"), None);
        assert_eq!((decimal(b""), decimal(b"-1"), decimal(b"1 ")), (None, None, None));
        assert_eq!(hexadecimal(b"fFffffffffffffff"), Some(u64::MAX));
        assert_eq!(
            (hexadecimal(b""), hexadecimal(b"0x1"), hexadecimal(b"10000000000000000")),
            (None, None, None)
        );
    }
}
