//! The head of a `perf.data` file, and the features at its end.
//!
//! ```text
//! file     = head ids attrs data feature-table features
//! head     = "PERFILE2" size:u64=104 attr-size:u64 attrs:section data:section event-types:section feature-bits:256
//! section  = offset:u64 size:u64
//! attrs    = (attribute ids:section)*             attr-size bytes each
//! pipe     = "PERFILE2" size:u64=16 records       what `perf record -o -` writes: all else comes as records
//! ```
//!
//! (`tools/perf/Documentation/perf.data-file-format.txt`; big-endian machines write the magic number backwards.) It is read
//! from front to back, so that a file need not be a file. `perf record` writes the size of the data and the features when
//! it ends: where it was killed, the size is zero and the data continue to the end.

use std::io::{self, Read};

use super::byte_stream::ByteStream;
use super::error::PerfDataError;
use super::event_attr::EventAttr;
use super::features::Features;
use super::fields::{ByteOrder, Fields};

/// Bytes of a file's head.
const HEAD_BYTES: usize = 104;
/// Bytes of a stream's head.
const PIPE_HEAD_BYTES: usize = 16;
/// The most before the data: identifiers and attributes of 10,000 events on 1,000 CPUs.
const MAX_BEFORE_DATA: u64 = 128 << 20;
/// The most after the data.
const MAX_BEHIND_DATA: u64 = 256 << 20;

/// An event as the file's head has it.
#[derive(Clone, PartialEq, Eq, Debug)]
pub(super) struct DescribedEvent {
    pub(super) attr: EventAttr,
    pub(super) ids: Vec<u64>,
}

/// How the recording is stored.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum Layout {
    /// A file: so many bytes of records, then features with these bits.
    File { data_bytes: u64, feature_bits: [u64; 4] },
    /// Records until the end: a stream, or a file whose writer was killed.
    Unbounded { is_unfinished: bool },
}

/// What is before the records.
#[derive(Clone, PartialEq, Eq, Debug)]
pub(super) struct Head {
    pub(super) order: ByteOrder,
    pub(super) events: Vec<DescribedEvent>,
    pub(super) layout: Layout,
}

/// Whether bytes are the start of a recording.
pub(crate) fn is_perf_data(start: &[u8]) -> bool {
    [&b"PERFILE2"[..], b"2ELIFREP", b"PERFFILE"].iter().any(|magic| start.starts_with(magic))
}

/// Why a head was not read.
pub(super) enum HeadError {
    Io(io::Error),
    Wrong(PerfDataError),
}

impl From<io::Error> for HeadError {
    fn from(error: io::Error) -> Self {
        Self::Io(error)
    }
}

impl From<PerfDataError> for HeadError {
    fn from(error: PerfDataError) -> Self {
        Self::Wrong(error)
    }
}

/// Reads up to the first record.
pub(super) fn read_head<R: Read>(stream: &mut ByteStream<R>) -> Result<Head, HeadError> {
    let start = stream.peek(HEAD_BYTES)?.to_vec();
    let cut = || PerfDataError::CutHead(start.len() as u64);
    let order = match start.get(..8).ok_or_else(cut)? {
        b"PERFILE2" => ByteOrder::Little,
        b"2ELIFREP" => ByteOrder::Big,
        _ => return Err(PerfDataError::FirstForm.into()),
    };
    let mut fields = Fields::new(start.get(8..).unwrap_or(&[]), order);
    let size = fields.number64().ok_or_else(cut)?;
    if size == PIPE_HEAD_BYTES as u64 {
        stream.consume(PIPE_HEAD_BYTES);
        return Ok(Head { order, events: Vec::new(), layout: Layout::Unbounded { is_unfinished: false } });
    }
    let mut number = || fields.number64().ok_or_else(cut);
    let attr_bytes = number()?;
    let (attrs, data) = ((number()?, number()?), (number()?, number()?));
    number()?;
    number()?;
    let feature_bits = [number()?, number()?, number()?, number()?];
    stream.consume(HEAD_BYTES);
    let between = data.0.checked_sub(HEAD_BYTES as u64).filter(|between| *between <= MAX_BEFORE_DATA);
    let between = between.ok_or(PerfDataError::DamagedHead("it does not say where its records begin"))?;
    let bytes = stream.read(between)?;
    if (bytes.len() as u64) < between {
        return Err(PerfDataError::CutHead(HEAD_BYTES as u64 + bytes.len() as u64).into());
    }
    let events = described_events(&bytes, attrs, attr_bytes, order);
    let events = events.ok_or(PerfDataError::DamagedHead(
        "the list of events is outside of the header, or its end is no event's",
    ))?;
    let layout = match data.1 {
        0 => Layout::Unbounded { is_unfinished: true },
        data_bytes => Layout::File { data_bytes, feature_bits },
    };
    Ok(Head { order, events, layout })
}

/// The bytes at a section of a file of which `bytes` follow the head.
fn section(bytes: &[u8], (offset, size): (u64, u64)) -> Option<&[u8]> {
    let start = usize::try_from(offset.checked_sub(HEAD_BYTES as u64)?).ok()?;
    bytes.get(start..start.checked_add(usize::try_from(size).ok()?)?)
}

fn described_events(
    bytes: &[u8],
    attrs: (u64, u64),
    attr_bytes: u64,
    order: ByteOrder,
) -> Option<Vec<DescribedEvent>> {
    const SECTION_BYTES: usize = 16;
    let attr_bytes = usize::try_from(attr_bytes).ok().filter(|bytes| *bytes > SECTION_BYTES)?;
    let event = |entry: &[u8]| {
        let (attr, ids) = entry.split_at_checked(attr_bytes - SECTION_BYTES)?;
        let (attr, _) = EventAttr::parse(attr, order)?;
        let mut fields = Fields::new(ids, order);
        let ids = section(bytes, (fields.number64()?, fields.number64()?)).unwrap_or(&[]);
        Some(DescribedEvent { attr, ids: order.numbers64(ids).collect() })
    };
    let list = section(bytes, attrs).filter(|list| list.len().is_multiple_of(attr_bytes))?;
    list.chunks_exact(attr_bytes).map(event).collect()
}

/// Reads the features after the records, and says whether all are there.
pub(super) fn read_features<R: Read>(
    stream: &mut ByteStream<R>,
    order: ByteOrder,
    bits: [u64; 4],
) -> io::Result<(Features, bool)> {
    let base = stream.position();
    let bytes = stream.read(MAX_BEHIND_DATA)?;
    let mut table = Fields::new(&bytes, order);
    let (mut features, mut is_whole) = (Features::default(), true);
    let set = (0..256_u32)
        .filter(|bit| bits.get(*bit as usize / 64).is_some_and(|bits| bits >> (bit % 64) & 1 == 1));
    for bit in set {
        let (Some(offset), Some(size)) = (table.number64(), table.number64()) else {
            is_whole = false;
            break;
        };
        let place = offset.checked_sub(base).and_then(|start| {
            let start = usize::try_from(start).ok()?;
            bytes.get(start..start.checked_add(usize::try_from(size).ok()?)?)
        });
        match place {
            Some(content) => features.add(bit, content, order),
            None => is_whole = false,
        }
    }
    Ok((features, is_whole))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn head(numbers: &[u64]) -> Vec<u8> {
        let mut bytes = b"PERFILE2".to_vec();
        numbers.iter().for_each(|number| bytes.extend(number.to_le_bytes()));
        bytes
    }

    fn error(bytes: &[u8]) -> String {
        match read_head(&mut ByteStream::new(bytes)) {
            Err(HeadError::Wrong(error)) => error.to_string(),
            Err(HeadError::Io(error)) => error.to_string(),
            Ok(head) => panic!("{head:?}"),
        }
    }

    #[test]
    fn a_stream_has_a_head_of_16_bytes() {
        let stream = head(&[16, 1, 2]);
        let mut stream = ByteStream::new(stream.as_slice());
        let head = read_head(&mut stream).ok().expect("it is whole");
        assert_eq!(head.layout, Layout::Unbounded { is_unfinished: false });
        assert_eq!(stream.position(), 16);
    }

    #[test]
    fn hostile_heads_are_refused() {
        assert!(error(b"PERFILE2\x68\0\0").contains("ends within its header, after 11 bytes"));
        let far = head(&[104, 144, 104, 144, u64::MAX, 8, 0, 0, 0, 0, 0, 0]);
        assert!(error(&far).contains("it does not say where its records begin"));
        let cut = head(&[104, 144, 104, 144, 1 << 20, 8, 0, 0, 0, 0, 0, 0]);
        assert!(error(&cut).contains("ends within its header, after 104 bytes"));
        let outside = head(&[104, 144, 1 << 40, 144, 104, 8, 0, 0, 0, 0, 0, 0]);
        assert!(error(&outside).contains("outside of the header"));
        let half = [head(&[104, 144, 104, 216, 320, 8, 0, 0, 0, 0, 0, 0]), vec![0; 216]].concat();
        assert!(error(&half).contains("its end is no event's"));
        assert!(error(b"PERFFILE........").contains("2009"));
    }
}
