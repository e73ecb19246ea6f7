//! A table of texts: the lengths, then all texts in a row.

use super::bytes::{ByteReader, ByteWriter};

pub(crate) fn write_texts<'a>(out: &mut ByteWriter, texts: impl ExactSizeIterator<Item = &'a str> + Clone) {
    out.count(texts.len());
    texts.clone().for_each(|text| out.count(text.len()));
    texts.for_each(|text| out.0.extend_from_slice(text.as_bytes()));
}

pub(crate) fn read_texts<'a>(reader: &mut ByteReader<'a>) -> Option<Vec<&'a str>> {
    let count = reader.count(1)?;
    let lens: Vec<usize> =
        (0..count).map(|_| usize::try_from(reader.number()?).ok()).collect::<Option<_>>()?;
    let total = lens.iter().try_fold(0_usize, |sum, len| sum.checked_add(*len))?;
    let mut rest = std::str::from_utf8(reader.take(total)?).ok()?;
    lens.into_iter()
        .map(|len| {
            let (text, after) = rest.split_at_checked(len)?;
            rest = after;
            Some(text)
        })
        .collect()
}
