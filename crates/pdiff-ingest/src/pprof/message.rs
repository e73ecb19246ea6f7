//! Messages of protocol buffers in the making; see `wire` for their form.

use crate::compressed::gzip;

/// A message, field after field.
#[derive(Clone, Default, Debug)]
pub(super) struct Message {
    bytes: Vec<u8>,
}

impl Message {
    /// Adds a number. Zero is what a field without one means, so it is left out.
    pub(super) fn number(&mut self, field: u64, number: u64) -> &mut Self {
        if number != 0 {
            varint(field << 3, &mut self.bytes);
            varint(number, &mut self.bytes);
        }
        self
    }

    /// Adds a text.
    pub(super) fn text(&mut self, field: u64, text: &str) -> &mut Self {
        self.bytes_of(field, text.as_bytes());
        self
    }

    /// Adds a message within this one.
    pub(super) fn message(&mut self, field: u64, message: &Self) -> &mut Self {
        self.bytes_of(field, &message.bytes);
        self
    }

    /// Adds all fields of another one.
    pub(super) fn append(&mut self, other: &Self) {
        self.bytes.extend_from_slice(&other.bytes);
    }

    /// Adds numbers in a row.
    pub(super) fn numbers(&mut self, field: u64, numbers: impl IntoIterator<Item = u64>) -> &mut Self {
        let mut row = Vec::new();
        numbers.into_iter().for_each(|number| varint(number, &mut row));
        self.bytes_of(field, &row);
        self
    }

    /// Its bytes, packed by gzip, as all readers of pprof expect them.
    pub(super) fn gzip(&self) -> Vec<u8> {
        gzip(&self.bytes)
    }

    fn bytes_of(&mut self, field: u64, bytes: &[u8]) {
        varint(field << 3 | 2, &mut self.bytes);
        varint(bytes.len() as u64, &mut self.bytes);
        self.bytes.extend_from_slice(bytes);
    }
}

fn varint(mut number: u64, out: &mut Vec<u8>) {
    while number > 0x7f {
        out.push((number & 0x7f) as u8 | 0x80);
        number >>= 7;
    }
    out.push(number as u8);
}
