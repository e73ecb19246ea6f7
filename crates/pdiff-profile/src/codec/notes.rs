//! The byte form of notes: rows of kind, count, weight and examples.

use super::bytes::{ByteReader, ByteWriter};
use super::codes::Code;
use super::{CodecError, expect_version, table};
use crate::notes::{Note, Notes};
use crate::weight::Weight;

/// Raised with every change of the form.
const VERSION: u64 = 1;

impl Notes {
    /// The byte form.
    #[must_use]
    pub fn to_bytes(&self) -> Vec<u8> {
        let mut out = ByteWriter::new();
        out.number(VERSION);
        write_notes(&mut out, self);
        out.into_bytes()
    }

    /// The notes of these bytes.
    ///
    /// # Errors
    /// If they are of another version or damaged.
    ///
    /// ```
    /// use pdiff_profile::{NoteKind, Notes, Weight};
    /// let mut notes = Notes::new();
    /// notes.add(NoteKind::NoTime, 3, Weight(30), || "line 7".into());
    /// assert_eq!(Notes::from_bytes(&notes.to_bytes())?, notes);
    /// # Ok::<(), pdiff_profile::codec::CodecError>(())
    /// ```
    pub fn from_bytes(bytes: &[u8]) -> Result<Self, CodecError> {
        let mut reader = ByteReader::new(bytes);
        expect_version(&mut reader, VERSION)?;
        table("notes", read_notes(&mut reader).filter(|_| reader.is_empty()))
    }
}

pub(super) fn write_notes(out: &mut ByteWriter, notes: &Notes) {
    out.count(notes.iter().count());
    for note in notes.iter() {
        out.byte(note.kind.to_code());
        out.number(note.count);
        out.number(note.weight.0);
        out.count(note.examples.len());
        note.examples.iter().for_each(|example| out.text(example));
    }
}

pub(super) fn read_notes(reader: &mut ByteReader<'_>) -> Option<Notes> {
    let count = reader.count(4)?;
    (0..count).map(|_| read_note(reader)).collect()
}

fn read_note(reader: &mut ByteReader<'_>) -> Option<Note> {
    let kind = Code::from_code(reader.byte()?)?;
    let (count, weight) = (reader.number()?, Weight(reader.number()?));
    let examples = reader.count(1).filter(|examples| *examples <= Notes::MAX_EXAMPLES)?;
    let examples = (0..examples).map(|_| reader.text().map(Into::into)).collect::<Option<_>>()?;
    Some(Note { kind, count, weight, examples })
}
