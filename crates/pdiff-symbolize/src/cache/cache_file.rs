//! One file per object with the derived facts: the address index, the names that perf prints, and the census. One per pair of
//! objects with what is derived from both.
//!
//! ```text
//! magic      8 bytes  "pdiffobj"
//! format     u32      FORMAT
//! sections   u32      how many
//! directory  per section: tag u32, crc32 of the content u32, source u64, offset u64, length u64
//! crc32      u32      of all before
//! contents   each from a multiple of 8 on
//! ```
//!
//! A section is made from files, of which `source` is a fingerprint: when debug information is installed later, the section
//! is made again. A file is written beside its place and moved there, so a reader has the old one or the new one whole; if
//! two processes write, the later one wins, and the facts of the other are derived again. A damaged file counts as missing,
//! but is reported.

use std::fmt::Display;
use std::fs;
use std::io::{self, Write};
use std::ops::Range;
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicU32, Ordering};

use pdiff_profile::{NoteKind, Notes, ObjectId, PerSide, Weight};

use crate::binary::file_bytes::FileBytes;

const MAGIC: &[u8; 8] = b"pdiffobj";
/// Changes with the layout of the file; contents have formats of their own.
const FORMAT: u32 = 1;
const HEADER_BYTES: usize = 16;
const ENTRY_BYTES: usize = 32;
/// More than there are kinds of sections.
const MAX_SECTIONS: usize = 16;

/// What a section holds.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug)]
#[repr(u32)]
pub(crate) enum SectionTag {
    AddressIndex = 1,
    Census = 2,
    /// The census without library functions that are only inlined and not asked for.
    SampledCensus = 3,
    /// Which functions of two objects are the same.
    Matching = 4,
    /// The functions at addresses, as perf names them.
    PerfNames = 5,
}

/// The place of one object's file.
#[derive(Clone, Debug)]
pub(crate) struct CacheFile {
    path: PathBuf,
}

/// What is wrong with a file.
#[derive(Clone, Copy, PartialEq, Eq, Debug, thiserror::Error)]
pub(crate) enum Damage {
    #[error("it is not a cache file")]
    Magic,
    #[error("it has another format")]
    Format,
    #[error("it is cut off")]
    Truncated,
    #[error("its checksum is wrong")]
    Checksum,
    #[error("others can write it or its directory, so it is not trusted; hint: chmod go-w")]
    OfOthers,
}

#[derive(Clone, Copy, Debug)]
struct Entry {
    tag: u32,
    crc: u32,
    source: u64,
    offset: u64,
    len: u64,
}

/// The content of a section.
#[derive(Debug)]
pub(crate) struct Section {
    /// Those of the file.
    bytes: FileBytes,
    range: Range<usize>,
    pub(crate) stamp: Stamp,
}

impl Section {
    pub(crate) fn content(&self) -> &[u8] {
        self.bytes.get(self.range.clone()).unwrap_or(&[])
    }
}

/// Tells the content of a section from others.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub(crate) struct Stamp {
    crc: u32,
    len: u64,
}

impl CacheFile {
    pub(crate) fn of(directory: &Path, id: &ObjectId) -> Self {
        Self { path: directory.join(format!("{id}.pdx")) }
    }

    /// The place of what is derived from two objects.
    pub(crate) fn of_pair(directory: &Path, ids: PerSide<&ObjectId>) -> Self {
        Self { path: directory.join(format!("{}-{}.pdx", ids.before, ids.after)) }
    }

    #[cfg(test)]
    pub(crate) fn path(&self) -> &Path {
        &self.path
    }

    /// Notes what is wrong with the file, or why something is not kept in it.
    pub(crate) fn note(&self, what: impl Display, notes: &mut Notes) {
        let path = self.path.display();
        notes.add(NoteKind::CacheRebuilt, 1, Weight::ZERO, || format!("{path}: {what}"));
    }

    /// The section made from `source`; `None` if there is none.
    pub(crate) fn load(&self, tag: SectionTag, source: u64) -> Result<Option<Section>, Damage> {
        let Ok(bytes) = FileBytes::open(&self.path) else { return Ok(None) };
        if !self.is_own() {
            return Err(Damage::OfOthers);
        }
        let entries = directory(&bytes)?;
        let Some(entry) = entries.iter().find(|entry| entry.tag == tag as u32 && entry.source == source)
        else {
            return Ok(None);
        };
        let range = entry.range().filter(|range| range.end <= bytes.len()).ok_or(Damage::Truncated)?;
        let content = bytes.get(range.clone()).ok_or(Damage::Truncated)?;
        if crc32fast::hash(content) != entry.crc {
            return Err(Damage::Checksum);
        }
        Ok(Some(Section { bytes, range, stamp: Stamp { crc: entry.crc, len: entry.len } }))
    }

    /// Puts a section into the file, beside what else is there.
    pub(crate) fn store(&self, tag: SectionTag, source: u64, content: &[u8]) -> io::Result<Stamp> {
        let old = FileBytes::open(&self.path).ok().filter(|_| self.is_own());
        let mut sections: Vec<(Entry, &[u8])> = Vec::new();
        if let Some(bytes) = &old {
            let kept = directory(bytes).unwrap_or_default();
            let with_content = |entry: Entry| Some((entry, bytes.get(entry.range()?)?));
            sections
                .extend(kept.into_iter().filter(|entry| entry.tag != tag as u32).filter_map(with_content));
        }
        let crc = crc32fast::hash(content);
        let len = content.len() as u64;
        sections.push((Entry { tag: tag as u32, crc, source, offset: 0, len }, content));
        sections.sort_by_key(|(entry, _)| entry.tag);
        self.write(&mut sections)?;
        Ok(Stamp { crc, len })
    }

    /// Whether nobody but the user (or root) can have written the file.
    #[cfg(target_os = "linux")]
    fn is_own(&self) -> bool {
        use std::os::unix::fs::MetadataExt as _;
        let Ok(user) = fs::metadata("/proc/self").map(|process| process.uid()) else { return true };
        let is_own = |path: &Path, writable: u32| {
            fs::metadata(path)
                .is_ok_and(|found| [0, user].contains(&found.uid()) && found.mode() & writable == 0)
        };
        // A file that the user's group may write is usual where groups are of one user; its directory keeps others out.
        is_own(&self.path, 0o002) && self.path.parent().is_none_or(|directory| is_own(directory, 0o022))
    }

    /// Elsewhere it is not known.
    #[cfg(not(target_os = "linux"))]
    fn is_own(&self) -> bool {
        true
    }

    fn write(&self, sections: &mut [(Entry, &[u8])]) -> io::Result<()> {
        static NUMBER: AtomicU32 = AtomicU32::new(0);
        if let Some(directory) = self.path.parent() {
            make_private(directory)?;
        }
        let number = NUMBER.fetch_add(1, Ordering::Relaxed);
        let beside = self.path.with_extension(format!("tmp-{}-{number}", std::process::id()));
        let written = fs::File::create_new(&beside)
            .and_then(|file| write_sections(file, sections))
            .and_then(|()| fs::rename(&beside, &self.path));
        if written.is_err() {
            let _best_effort = fs::remove_file(&beside);
        }
        written
    }
}

impl Entry {
    fn range(&self) -> Option<Range<usize>> {
        let start = usize::try_from(self.offset).ok()?;
        Some(start..start.checked_add(usize::try_from(self.len).ok()?)?)
    }
}

fn write_sections(mut file: fs::File, sections: &mut [(Entry, &[u8])]) -> io::Result<()> {
    let mut offset = padded(HEADER_BYTES + ENTRY_BYTES * sections.len() + 4);
    let mut head = MAGIC.to_vec();
    head.extend_from_slice(&FORMAT.to_le_bytes());
    head.extend_from_slice(&(sections.len() as u32).to_le_bytes());
    for (entry, content) in sections.iter_mut() {
        entry.offset = offset as u64;
        offset = padded(offset + content.len());
        head.extend_from_slice(&entry.tag.to_le_bytes());
        head.extend_from_slice(&entry.crc.to_le_bytes());
        [entry.source, entry.offset, entry.len]
            .iter()
            .for_each(|word| head.extend_from_slice(&word.to_le_bytes()));
    }
    head.extend_from_slice(&crc32fast::hash(&head).to_le_bytes());
    head.resize(padded(head.len()), 0);
    file.write_all(&head)?;
    for (_, content) in sections.iter() {
        file.write_all(content)?;
        let padding = padded(content.len()) - content.len();
        file.write_all([0; 8].get(..padding).unwrap_or(&[]))?;
    }
    Ok(())
}

fn padded(len: usize) -> usize {
    len.next_multiple_of(8)
}

fn directory(bytes: &[u8]) -> Result<Vec<Entry>, Damage> {
    if bytes.get(..8) != Some(MAGIC) {
        return Err(if bytes.len() < 8 { Damage::Truncated } else { Damage::Magic });
    }
    if u32_at(bytes, 8)? != FORMAT {
        return Err(Damage::Format);
    }
    let count = u32_at(bytes, 12)? as usize;
    if count > MAX_SECTIONS {
        return Err(Damage::Checksum);
    }
    let end = HEADER_BYTES + ENTRY_BYTES * count;
    let head = bytes.get(..end).ok_or(Damage::Truncated)?;
    if crc32fast::hash(head) != u32_at(bytes, end)? {
        return Err(Damage::Checksum);
    }
    (0..count).map(|index| entry_at(head, HEADER_BYTES + ENTRY_BYTES * index)).collect()
}

fn entry_at(bytes: &[u8], at: usize) -> Result<Entry, Damage> {
    Ok(Entry {
        tag: u32_at(bytes, at)?,
        crc: u32_at(bytes, at + 4)?,
        source: u64_at(bytes, at + 8)?,
        offset: u64_at(bytes, at + 16)?,
        len: u64_at(bytes, at + 24)?,
    })
}

fn u32_at(bytes: &[u8], at: usize) -> Result<u32, Damage> {
    let word = bytes.get(at..at + 4).and_then(|word| word.try_into().ok()).ok_or(Damage::Truncated)?;
    Ok(u32::from_le_bytes(word))
}

fn u64_at(bytes: &[u8], at: usize) -> Result<u64, Damage> {
    let word = bytes.get(at..at + 8).and_then(|word| word.try_into().ok()).ok_or(Damage::Truncated)?;
    Ok(u64::from_le_bytes(word))
}

/// Makes a directory, and those above it, that only the user can enter.
fn make_private(directory: &Path) -> io::Result<()> {
    let mut builder = fs::DirBuilder::new();
    #[cfg(unix)]
    std::os::unix::fs::DirBuilderExt::mode(&mut builder, 0o700);
    builder.recursive(true).create(directory)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn file() -> (tempfile::TempDir, CacheFile) {
        let directory = tempfile::tempdir().unwrap();
        let id = ObjectId::Content { size: 1, hash: 2 };
        let file = CacheFile::of(&directory.path().join("sub"), &id);
        (directory, file)
    }

    fn content(file: &CacheFile, tag: SectionTag, source: u64) -> Option<Vec<u8>> {
        file.load(tag, source).unwrap().map(|section| section.content().to_vec())
    }

    #[test]
    fn sections_stand_beside_each_other() {
        let (_directory, file) = file();
        assert_eq!(content(&file, SectionTag::AddressIndex, 7), None);
        file.store(SectionTag::AddressIndex, 7, b"index").unwrap();
        file.store(SectionTag::AddressIndex, 7, b"larger index").unwrap();
        assert_eq!(content(&file, SectionTag::AddressIndex, 7).unwrap(), b"larger index");
        assert_eq!(content(&file, SectionTag::AddressIndex, 8), None);
        assert_eq!(file.path().parent().unwrap().read_dir().unwrap().count(), 1);
    }

    #[cfg(target_os = "linux")]
    #[test]
    fn what_others_can_write_is_not_believed() {
        use std::os::unix::fs::PermissionsExt as _;
        let (_directory, file) = file();
        let own = [(file.path().to_path_buf(), 0o600), (file.path().parent().unwrap().to_path_buf(), 0o700)];
        let allow = |path: &Path, mode| fs::set_permissions(path, fs::Permissions::from_mode(mode)).unwrap();
        file.store(SectionTag::Census, 7, b"of others").unwrap();
        assert_eq!(fs::metadata(&own[1].0).unwrap().permissions().mode() & 0o777, 0o700);
        for (path, mode) in &own {
            allow(path, 0o777);
            let found = file.load(SectionTag::Census, 7).map(|_| ());
            assert_eq!(found, Err(Damage::OfOthers), "{}", path.display());
            // Nor is it kept beside what is added.
            file.store(SectionTag::AddressIndex, 7, b"own").unwrap();
            allow(path, *mode);
            assert_eq!(content(&file, SectionTag::Census, 7), None);
            file.store(SectionTag::Census, 7, b"of others").unwrap();
        }
    }

    #[test]
    fn every_damage_is_seen() {
        let (_directory, file) = file();
        file.store(SectionTag::AddressIndex, 7, b"some content of an index").unwrap();
        let whole = fs::read(file.path()).unwrap();
        for len in 0..whole.len() {
            fs::write(file.path(), &whole[..len]).unwrap();
            assert!(len == 0 || file.load(SectionTag::AddressIndex, 7).is_err(), "cut at {len}");
        }
        for at in 0..whole.len() {
            let mut damaged = whole.clone();
            damaged[at] ^= 0x10;
            fs::write(file.path(), &damaged).unwrap();
            let is_padding = (52..56).contains(&at);
            assert!(is_padding || file.load(SectionTag::AddressIndex, 7).is_err(), "flipped at {at}");
        }
    }
}
