//! Whether bytes are a pprof profile, which has no mark at its start.
//!
//! Every writer puts the sample types at the start; Go's runtime puts time and period before them. Text may look like a field,
//! but not like a sample type: it has no control characters such as its tags.

use super::wire::{Fields, Value};

/// The fields with a sample type, and with the type of the period, which looks like one.
const TYPES: [u64; 2] = [1, 11];
/// The field with a sample.
const SAMPLE: u64 = 2;
/// Fields with one number: times, period, and numbers of strings.
const NUMBERS: [u64; 7] = [7, 8, 9, 10, 12, 14, 15];

/// Whether `start`, the first bytes of an input, begins a profile.
pub(crate) fn is_pprof(start: &[u8]) -> bool {
    let is_number = |field: &_| matches!(field, Ok((field, Value::Number(_))) if NUMBERS.contains(field));
    let mut fields = Fields::new(start).skip_while(is_number);
    match fields.next() {
        // A type without name or unit, as some tools write, is followed by samples.
        Some(Ok((1, Value::Bytes([])))) => matches!(fields.next(), Some(Ok((SAMPLE, Value::Bytes(_))))),
        Some(Ok((field, Value::Bytes(of)))) => TYPES.contains(&field) && is_sample_type(of),
        _ => false,
    }
}

/// Whether bytes are the number of a name and that of a unit.
fn is_sample_type(bytes: &[u8]) -> bool {
    let is_name = |field| matches!(field, Ok((1 | 2, Value::Number(_))));
    !bytes.is_empty() && Fields::new(bytes).all(is_name)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn profiles_begin_with_a_sample_type() {
        let check = |bytes: &[u8], expected| assert_eq!(is_pprof(bytes), expected, "{bytes:x?}");
        check(&[0x0a, 4, 8, 1, 16, 2], true);
        check(&[0x0a, 4, 8, 1, 16, 2, 0x12, 9, 10], true);
        check(&[0x48, 0xc4, 1, 0x0a, 4, 8, 1, 16, 2], true);
        check(&[0x5a, 4, 8, 1, 16, 2, 0x0a], true);
        check(&[0x10, 5, 0x0a, 4, 8, 1, 16, 2], false);
        check(&[0x0a, 0], false);
        check(&[0x0a, 0, 0x0a, 0], false);
        check(&[0x0a, 0, 0x12, 2, 0x0a, 0], true);
        check(&[0x0a, 4, 8, 1], false);
        check(b"", false);
        check(b"\n\n\n\n\n\n\n\n\n\n\n\n\n\n", false);
        check(b"\n\tfunction line\n", false);
        check(b"HaPb\n main;work 3\nmain;rest 4\nmain;more 5\n", false);
    }
}
