//! The wire format of protocol buffers, as far as `profile.proto` needs it.
//!
//! ```text
//! message = *(tag value)
//! tag     = varint: field number << 3 | wire type
//! value   = varint (type 0) | 8 bytes (1) | varint, that many bytes (2) | 4 bytes (5)
//! varint  = up to ten bytes of 7 bits, the lowest first; the top bit says that more follow
//! ```

use super::error::Damage;

/// The value of a field.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum Value<'a> {
    /// A number.
    Number(u64),
    /// Text, a message, or numbers in a row.
    Bytes(&'a [u8]),
    /// A number of fixed width, which `profile.proto` does not have.
    Fixed,
}

impl<'a> Value<'a> {
    /// The number of a field that has one.
    pub(super) fn number(self) -> Result<u64, Damage> {
        match self {
            Self::Number(number) => Ok(number),
            Self::Bytes(_) | Self::Fixed => Err(Damage::OtherType),
        }
    }

    /// The bytes of a field that has such.
    pub(super) fn bytes(self) -> Result<&'a [u8], Damage> {
        match self {
            Self::Bytes(bytes) => Ok(bytes),
            Self::Number(_) | Self::Fixed => Err(Damage::OtherType),
        }
    }

    /// Puts the numbers of a repeated field into a list: one, or several in a row. The list grows to `most` and no further.
    pub(super) fn push_numbers(self, into: &mut Vec<u64>, most: usize) -> Result<(), Damage> {
        let mut push = |number| {
            if into.len() < most {
                into.push(number);
            }
        };
        match self {
            Self::Number(number) => push(number),
            Self::Bytes(bytes) => {
                let mut rest = bytes;
                while !rest.is_empty() {
                    push(varint(&mut rest)?);
                }
            }
            Self::Fixed => return Err(Damage::OtherType),
        }
        Ok(())
    }
}

/// The fields of a message, in order; nothing follows an error.
#[derive(Clone, Debug)]
pub(super) struct Fields<'a> {
    rest: &'a [u8],
}

impl<'a> Fields<'a> {
    /// Of all of `message`.
    pub(super) fn new(message: &'a [u8]) -> Self {
        Self { rest: message }
    }

    fn field(&mut self) -> Result<(u64, Value<'a>), Damage> {
        let rest = &mut self.rest;
        let tag = varint(rest)?;
        let value = match tag & 7 {
            0 => Value::Number(varint(rest)?),
            1 => take(rest, 8).map(|_| Value::Fixed)?,
            2 => {
                let len = usize::try_from(varint(rest)?).map_err(|_| Damage::CutOff)?;
                Value::Bytes(take(rest, len)?)
            }
            5 => take(rest, 4).map(|_| Value::Fixed)?,
            _ => return Err(Damage::UnknownType),
        };
        Ok((tag >> 3, value))
    }
}

impl<'a> Iterator for Fields<'a> {
    type Item = Result<(u64, Value<'a>), Damage>;

    fn next(&mut self) -> Option<Self::Item> {
        if self.rest.is_empty() {
            return None;
        }
        let field = self.field();
        if field.is_err() {
            self.rest = &[];
        }
        Some(field)
    }
}

/// The number at the start of `rest`, which is taken off.
fn varint(rest: &mut &[u8]) -> Result<u64, Damage> {
    let mut number = 0;
    for at in 0..10_u32 {
        let Some((byte, after)) = rest.split_first() else { return Err(Damage::CutOff) };
        *rest = after;
        number |= u64::from(byte & 0x7f) << (7 * at);
        if byte & 0x80 == 0 {
            return Ok(number);
        }
    }
    Err(Damage::LongNumber)
}

fn take<'a>(rest: &mut &'a [u8], len: usize) -> Result<&'a [u8], Damage> {
    let (taken, after) = rest.split_at_checked(len).ok_or(Damage::CutOff)?;
    *rest = after;
    Ok(taken)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn fields_are_read_in_order() {
        let check = |bytes: &[u8], expected: &[Result<(u64, Value<'_>), Damage>]| {
            assert_eq!(Fields::new(bytes).collect::<Vec<_>>(), expected, "{bytes:x?}");
        };
        check(&[0x08, 0x96, 0x01], &[Ok((1, Value::Number(150)))]);
        check(&[0x12, 2, b'h', b'i', 0x18, 0], &[Ok((2, Value::Bytes(b"hi"))), Ok((3, Value::Number(0)))]);
        check(&[0x09, 1, 2, 3, 4, 5, 6, 7, 8, 0x0d, 1, 2, 3, 4], &[Ok((1, Value::Fixed)); 2]);
        check(&[0x12, 3, b'h', b'i'], &[Err(Damage::CutOff)]);
        check(&[0x08, 0x80], &[Err(Damage::CutOff)]);
        check(&[0x0b], &[Err(Damage::UnknownType)]);
        check(&[&[0x08][..], &[0xff; 10]].concat(), &[Err(Damage::LongNumber)]);
        let minus_one = [&[0x08][..], &[0xff; 9], &[1]].concat();
        check(&minus_one, &[Ok((1, Value::Number(u64::MAX)))]);
    }

    #[test]
    fn repeated_numbers_stand_in_a_row_or_alone() {
        let mut numbers = Vec::new();
        Value::Bytes(&[1, 0x96, 0x01]).push_numbers(&mut numbers, 9).unwrap();
        Value::Number(7).push_numbers(&mut numbers, 9).unwrap();
        Value::Bytes(&[1, 2, 3]).push_numbers(&mut numbers, 4).unwrap();
        assert_eq!(numbers, [1, 150, 7, 1]);
        assert_eq!(Value::Bytes(&[0x80]).push_numbers(&mut numbers, 9), Err(Damage::CutOff));
    }
}
