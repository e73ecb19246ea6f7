//! The outer form of a pack: a table of sections, each packed and with its own checksum.
//!
//! ```text
//! magic     8 bytes
//! version   u32
//! sections  u32
//! table     a section: kind u32, number u32, stored length u64, unpacked length u64, crc32 of the stored bytes u32
//! crc32     u32, of all before
//! contents  of the sections in the order of the table, nothing between or behind them
//! ```
//!
//! The checksum is CRC-32: it is sure to find any change of up to 32 bits in a row, runs at the speed of memory, and is
//! part of the tree already for `.gnu_debuglink`. It is against damage, not malice. It covers stored bytes, so a census
//! is checked without being unpacked, and damaged bytes never get to zstd.

use pdiff_profile::codec::ByteReader;

use super::error::PackError;

/// The magic bytes of a pack: no text begins with them, and a transfer that rewrites line ends damages them.
pub(super) const MAGIC: &[u8; 8] = b"\x89pdiff\r\n";

/// Raised when an older reader would misread; a section of a kind that it can do without does not raise it.
pub(super) const VERSION: u32 = 1;

/// The most sections of a pack: one a census, and few others.
pub(super) const MAX_SECTIONS: usize = 4096;

const START_BYTES: usize = 16;
const ENTRY_BYTES: usize = 28;
const CRC_BYTES: usize = 4;

/// The name of the checksum of the table of sections.
const HEADER: &str = "header";

/// The kind of a section. The numbers are never reused.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum Kind {
    /// Tool, measures, objects, notes.
    Run,
    /// The profile.
    Profile,
    /// The resolutions of its frames.
    Resolutions,
    /// The census of one object.
    Census,
    /// The frames in loops that busy-wait.
    Polling,
    /// What the calls that return to frames call.
    Calls,
    /// Something that a newer pdiff knows, and this one can do without.
    Other(u32),
}

impl Kind {
    fn code(self) -> u32 {
        match self {
            Self::Run => 1,
            Self::Profile => 2,
            Self::Resolutions => 3,
            Self::Census => 4,
            Self::Polling => 5,
            Self::Calls => 6,
            Self::Other(code) => code,
        }
    }

    fn from_code(code: u32) -> Self {
        let known = [Self::Run, Self::Profile, Self::Resolutions, Self::Census, Self::Polling, Self::Calls];
        known.into_iter().find(|kind| kind.code() == code).unwrap_or(Self::Other(code))
    }

    pub(super) fn name(self) -> &'static str {
        match self {
            Self::Run => "run",
            Self::Profile => "profile",
            Self::Resolutions => "resolutions",
            Self::Census => "census",
            Self::Polling => "polling",
            Self::Calls => "calls",
            Self::Other(_) => "section of unknown kind",
        }
    }
}

/// One section as it is stored.
#[derive(Clone, Copy, Debug)]
pub(super) struct Section<'a> {
    pub(super) kind: Kind,
    /// Which of several of one kind: a census has that of its object.
    pub(super) number: u32,
    /// Packed by zstd.
    pub(super) stored: &'a [u8],
    /// The number of bytes unpacked.
    pub(super) len: u64,
}

/// Whether bytes begin like a pack.
///
/// ```
/// assert!(!pdiff_ingest::is_pack(b"mysqld 12 [000] 1.000001: 1 cycles:"));
/// ```
#[must_use]
pub fn is_pack(bytes: &[u8]) -> bool {
    bytes.starts_with(MAGIC)
}

pub(super) fn write_sections(sections: &[Section<'_>]) -> Vec<u8> {
    let contents: usize = sections.iter().map(|section| section.stored.len()).sum();
    let mut out = Vec::with_capacity(START_BYTES + sections.len() * ENTRY_BYTES + CRC_BYTES + contents);
    out.extend_from_slice(MAGIC);
    out.extend_from_slice(&VERSION.to_le_bytes());
    out.extend_from_slice(&(sections.len() as u32).to_le_bytes());
    for section in sections {
        out.extend_from_slice(&section.kind.code().to_le_bytes());
        out.extend_from_slice(&section.number.to_le_bytes());
        out.extend_from_slice(&(section.stored.len() as u64).to_le_bytes());
        out.extend_from_slice(&section.len.to_le_bytes());
        out.extend_from_slice(&crc32fast::hash(section.stored).to_le_bytes());
    }
    out.extend_from_slice(&crc32fast::hash(&out).to_le_bytes());
    sections.iter().for_each(|section| out.extend_from_slice(section.stored));
    out
}

/// The sections of a pack, every checksum verified.
pub(super) fn read_sections(bytes: &[u8]) -> Result<Vec<Section<'_>>, PackError> {
    if !is_pack(bytes) {
        return Err(PackError::NotAPack);
    }
    let truncated = |expected| PackError::Truncated { found: bytes.len() as u64, expected };
    let start = bytes.get(..START_BYTES).ok_or_else(|| truncated(START_BYTES as u64))?;
    let mut reader = ByteReader::new(start.get(MAGIC.len()..).unwrap_or_default());
    let (version, count) = (word(&mut reader).unwrap_or(0), word(&mut reader).unwrap_or(0));
    if version != VERSION {
        let (found, expected) = (u64::from(version), u64::from(VERSION));
        return Err(PackError::OtherVersion { section: HEADER, found, expected });
    }
    let count = count as usize;
    if count > MAX_SECTIONS {
        return Err(PackError::Damaged { section: HEADER, what: "too many sections" });
    }
    let table_end = START_BYTES + count * ENTRY_BYTES;
    let mut rest = ByteReader::new(bytes);
    let header = rest.take(table_end).zip(word(&mut rest));
    let (header, crc) = header.ok_or_else(|| truncated((table_end + CRC_BYTES) as u64))?;
    if crc32fast::hash(header) != crc {
        return Err(PackError::Checksum { section: HEADER });
    }
    let entries = header.get(START_BYTES..).unwrap_or_default().chunks_exact(ENTRY_BYTES);
    let damaged = |what| PackError::Damaged { section: HEADER, what };
    let entries: Option<Vec<Entry>> = entries.map(read_entry).collect();
    let entries = entries.ok_or(damaged("an entry of the table"))?;
    let before = (bytes.len() - rest.left()) as u64;
    let expected = entries.iter().fold(before, |sum, entry| sum.saturating_add(entry.stored_len));
    let sections = entries.iter().map(|entry| {
        let stored = usize::try_from(entry.stored_len).ok().and_then(|len| rest.take(len));
        read_section(entry, stored.ok_or_else(|| truncated(expected))?)
    });
    let sections = sections.collect::<Result<_, _>>()?;
    if rest.is_empty() { Ok(sections) } else { Err(damaged("bytes behind the sections")) }
}

/// A row of the table of sections.
struct Entry {
    kind: Kind,
    number: u32,
    stored_len: u64,
    len: u64,
    crc: u32,
}

fn read_entry(bytes: &[u8]) -> Option<Entry> {
    let mut reader = ByteReader::new(bytes);
    Some(Entry {
        kind: Kind::from_code(word(&mut reader)?),
        number: word(&mut reader)?,
        stored_len: reader.fixed()?,
        len: reader.fixed()?,
        crc: word(&mut reader)?,
    })
}

fn read_section<'a>(entry: &Entry, stored: &'a [u8]) -> Result<Section<'a>, PackError> {
    let Entry { kind, number, len, crc, .. } = *entry;
    if crc32fast::hash(stored) != crc {
        return Err(PackError::Checksum { section: kind.name() });
    }
    Ok(Section { kind, number, stored, len })
}

/// Four bytes, lowest first.
fn word(reader: &mut ByteReader<'_>) -> Option<u32> {
    reader.take(4)?.try_into().ok().map(u32::from_le_bytes)
}
