//! Where an inlined call says what it calls and from where: the most frequent entry that is read.
//!
//! In: an abbreviation. Out: where in its entries these few numbers are, if all have forms that are read in one step; calls with
//! others are read as all entries are.

use gimli::{Abbreviation, AttributeSpecification, UnitOffset};

use crate::binary::dwarf::Unit;

/// What an inlined call says.
#[derive(Clone, Copy, PartialEq, Eq, Default, Debug)]
pub(crate) struct InlinedCall {
    /// The function, in the same unit.
    pub(crate) origin: Option<UnitOffset>,
    /// The file of the call, by the line table.
    pub(crate) file: Option<u64>,
    /// The line of the call.
    pub(crate) line: Option<u64>,
    pub(super) sibling: Option<UnitOffset>,
}

/// One number of an entry.
#[derive(Clone, Copy, Debug)]
pub(super) struct CallField {
    what: What,
    place: usize,
    bytes: Bytes,
}

#[derive(Clone, Copy, Debug)]
enum What {
    Origin,
    File,
    Line,
    Sibling,
}

#[derive(Clone, Copy, Debug)]
enum Bytes {
    One,
    Two,
    Four,
    Eight,
}

/// The fields of an inlined call, in an abbreviation of a fixed size and a file of the usual byte order; `None` if one of them is
/// written in another way.
pub(super) fn call_fields(abbreviation: &Abbreviation, unit: &Unit<'_>) -> Option<Box<[CallField]>> {
    let mut place = 0;
    let mut fields = Vec::new();
    for spec in abbreviation.attributes() {
        if let Some(what) = what_of(spec) {
            fields.push(CallField { what, place, bytes: bytes_of(what, spec)? });
        }
        place += spec.size(&unit.header)?;
    }
    Some(fields.into())
}

fn what_of(spec: &AttributeSpecification) -> Option<What> {
    match spec.name() {
        gimli::DW_AT_abstract_origin => Some(What::Origin),
        gimli::DW_AT_call_file => Some(What::File),
        gimli::DW_AT_call_line => Some(What::Line),
        gimli::DW_AT_sibling => Some(What::Sibling),
        _ => None,
    }
}

fn bytes_of(what: What, spec: &AttributeSpecification) -> Option<Bytes> {
    match (what, spec.form()) {
        (What::Origin | What::Sibling, gimli::DW_FORM_ref4) => Some(Bytes::Four),
        (What::File | What::Line, gimli::DW_FORM_data1) => Some(Bytes::One),
        (What::File | What::Line, gimli::DW_FORM_data2) => Some(Bytes::Two),
        (What::File | What::Line, gimli::DW_FORM_data4) => Some(Bytes::Four),
        (What::File | What::Line, gimli::DW_FORM_data8) => Some(Bytes::Eight),
        _ => None,
    }
}

/// The call of an entry; `None` if it is cut off.
#[inline]
pub(super) fn read_call(entry: &[u8], fields: &[CallField]) -> Option<InlinedCall> {
    let mut call = InlinedCall::default();
    for field in fields {
        let bytes = entry.get(field.place..)?;
        let number = match field.bytes {
            Bytes::One => u64::from(*bytes.first()?),
            Bytes::Two => u64::from(u16::from_le_bytes(*bytes.first_chunk()?)),
            Bytes::Four => u64::from(u32::from_le_bytes(*bytes.first_chunk()?)),
            Bytes::Eight => u64::from_le_bytes(*bytes.first_chunk()?),
        };
        let offset = UnitOffset(number as usize);
        match field.what {
            What::Origin => call.origin = Some(offset),
            What::File => call.file = Some(number),
            What::Line => call.line = Some(number),
            What::Sibling => call.sibling = Some(offset),
        }
    }
    Some(call)
}
