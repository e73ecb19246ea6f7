//! An ELF file: where its code is, its identity, and its sections' bytes.
//!
//! In: a path. Out: program headers, code ranges, build-id, links to debug files, sections inflated on demand. Reads only
//! what is requested: opening a file of 200 MB takes microseconds.

use std::ops::{Deref, Range};
use std::path::{Path, PathBuf};
use std::sync::{Arc, OnceLock};
use std::time::SystemTime;

use object::{Object, ObjectSection, ObjectSegment};
use pdiff_profile::{BuildId, ObjectId};

use crate::binary::content_hash::ContentHash;
use crate::binary::file_bytes::FileBytes;
use crate::binary::inflate::inflate;
use crate::binary::ranges::{disjoint, range_at};
use crate::error::Error;

/// A loadable segment.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) struct Segment {
    /// Address in the file's own address space.
    pub(crate) addr: u64,
    /// Position in the file.
    pub(crate) offset: u64,
    /// Bytes in the file.
    pub(crate) file_size: u64,
}

/// The name and checksum of a debug file beside the stripped one.
#[derive(Clone, PartialEq, Eq, Debug)]
pub(crate) struct DebugLink {
    pub(crate) name: Vec<u8>,
    pub(crate) crc: u32,
}

/// The path and build-id of a file that several debug files share (dwz).
#[derive(Clone, PartialEq, Eq, Debug)]
pub(crate) struct DebugAltLink {
    pub(crate) name: Vec<u8>,
    pub(crate) build_id: Option<BuildId>,
}

/// An open ELF file.
#[derive(Debug)]
pub(crate) struct ElfFile {
    path: PathBuf,
    bytes: Arc<FileBytes>,
    segments: Vec<Segment>,
    /// Executable sections (segments, if there are no sections): addresses, and where they begin in the file.
    code_bytes: Vec<(Range<u64>, u64)>,
    code: Vec<Range<u64>>,
    build_id: Option<BuildId>,
    /// Known once somebody asked: all of code and symbols is read for it.
    content_hash: OnceLock<u64>,
    is_relocated: bool,
}

/// The bytes of a section: in the file, or inflated.
#[derive(Debug)]
pub(crate) enum SectionBytes<'a> {
    InFile(&'a [u8]),
    Inflated(Arc<Vec<u8>>),
    /// There is such a section, and it cannot be read or inflated.
    Damaged,
}

impl Deref for SectionBytes<'_> {
    type Target = [u8];

    fn deref(&self) -> &[u8] {
        match self {
            Self::InFile(bytes) => bytes,
            Self::Inflated(bytes) => bytes,
            Self::Damaged => &[],
        }
    }
}

impl Default for SectionBytes<'_> {
    fn default() -> Self {
        Self::InFile(&[])
    }
}

impl ElfFile {
    /// Opens a file.
    ///
    /// # Errors
    /// If it cannot be read or its headers make no sense.
    pub(crate) fn open(path: &Path) -> Result<Self, Error> {
        let bytes =
            FileBytes::open(path).map_err(|source| Error::Read { path: path.to_path_buf(), source })?;
        let not_elf = |detail: String| Error::NotElf { path: path.to_path_buf(), detail };
        let file = parse(&bytes).map_err(not_elf)?;
        let segments = file.segments().map(|segment| segment_of(&segment)).collect();
        let code_bytes = code_bytes(&file);
        let code = disjoint(code_bytes.iter().map(|(range, _)| range.clone()).collect());
        let build_id = file.build_id().ok().flatten().and_then(BuildId::from_bytes);
        let is_relocated = !matches!(file.kind(), object::ObjectKind::Executable);
        drop(file);
        let bytes = Arc::new(bytes);
        let content_hash = OnceLock::new();
        let path = path.to_path_buf();
        Ok(Self { path, bytes, segments, code_bytes, code, build_id, content_hash, is_relocated })
    }

    pub(crate) fn path(&self) -> &Path {
        &self.path
    }

    /// Whether the program's code and debug information are of the only kind whose facts are taken.
    pub(crate) fn is_64_bit_little_endian(&self) -> bool {
        self.object().is_some_and(|object| object.is_64() && object.is_little_endian())
    }

    /// The bytes, for what outlives a borrow of the file.
    pub(crate) fn shared_bytes(&self) -> Arc<FileBytes> {
        Arc::clone(&self.bytes)
    }

    pub(crate) fn size(&self) -> u64 {
        self.bytes.len() as u64
    }

    /// Gives the memory of a part of the file back; see [`FileBytes::forget`].
    pub(crate) fn forget(&self, part: &[u8]) {
        self.bytes.forget(part);
    }

    /// Gives the memory of all that was read back.
    pub(crate) fn forget_all(&self) {
        self.bytes.forget(&self.bytes);
    }

    /// When it was last written before it was opened.
    pub(crate) fn modified(&self) -> Option<SystemTime> {
        self.bytes.modified()
    }

    /// The file as the ELF reader has it; `None` only if the file changed under the mapping.
    pub(crate) fn object(&self) -> Option<object::File<'_>> {
        parse(&self.bytes).ok()
    }

    pub(crate) fn segments(&self) -> &[Segment] {
        &self.segments
    }

    /// The segments that the program cannot write.
    pub(crate) fn read_only_segments(&self) -> Vec<Segment> {
        const PF_W: u32 = 2;
        let is_read_only = |flags| match flags {
            object::SegmentFlags::Elf { p_flags, .. } => p_flags.0 & PF_W == 0,
            _ => false,
        };
        let object = self.object();
        let segments = object.iter().flat_map(|object| object.segments());
        segments.filter(|segment| is_read_only(segment.flags())).map(|segment| segment_of(&segment)).collect()
    }

    /// Executable sections (executable segments, if there are no sections), sorted, not overlapping.
    pub(crate) fn code(&self) -> &[Range<u64>] {
        &self.code
    }

    /// Whether the address lies in code.
    pub(crate) fn is_code(&self, addr: u64) -> bool {
        range_at(&self.code, addr).is_some()
    }

    /// The executable section that contains an address; where sections overlap, what is left of it.
    pub(crate) fn code_at(&self, addr: u64) -> Option<&Range<u64>> {
        range_at(&self.code, addr)
    }

    /// The instructions from `start` on, `length` bytes at most; empty where the file has none.
    pub(crate) fn instructions(&self, start: u64, length: u64) -> &[u8] {
        let after = self.code_bytes.partition_point(|(range, _)| range.start <= start);
        let holding = after.checked_sub(1).and_then(|at| self.code_bytes.get(at));
        let Some((range, offset)) = holding.filter(|(range, _)| start < range.end) else { return &[] };
        let length = length.min(range.end - start);
        let place = |offset: u64| usize::try_from(offset).unwrap_or(usize::MAX);
        let from = place(offset.saturating_add(start - range.start));
        let to = from.saturating_add(place(length)).min(self.bytes.len());
        self.bytes.get(from..to).unwrap_or(&[])
    }

    /// Whether the loader chooses where the file goes (shared libraries and position-independent programs).
    pub(crate) fn is_relocated(&self) -> bool {
        self.is_relocated
    }

    pub(crate) fn build_id(&self) -> Option<&BuildId> {
        self.build_id.as_ref()
    }

    /// The build-id, else size and a hash of code and symbol tables.
    pub(crate) fn object_id(&self) -> ObjectId {
        match &self.build_id {
            Some(build_id) => ObjectId::BuildId(build_id.clone()),
            None => {
                let hash = *self.content_hash.get_or_init(|| self.hash_content());
                ObjectId::Content { size: self.size(), hash }
            }
        }
    }

    fn hash_content(&self) -> u64 {
        let mut hash = ContentHash::new();
        let Some(file) = self.object() else { return hash.finish() };
        for section in file.sections() {
            let is_symbols = [".symtab", ".strtab", ".dynsym", ".dynstr"].map(str::as_bytes);
            if is_code_section(&section) || section.name_bytes().is_ok_and(|name| is_symbols.contains(&name))
            {
                let data = section.data().unwrap_or(&[]);
                hash.bytes(data);
                self.forget(data);
            }
        }
        hash.finish()
    }

    /// A checksum over the whole file, as `.gnu_debuglink` has it.
    pub(crate) fn crc(&self) -> u32 {
        crc32fast::hash(&self.bytes)
    }

    pub(crate) fn debug_link(&self) -> Option<DebugLink> {
        let file = self.object()?;
        let (name, crc) = file.gnu_debuglink().ok().flatten()?;
        Some(DebugLink { name: name.to_vec(), crc })
    }

    pub(crate) fn debug_alt_link(&self) -> Option<DebugAltLink> {
        let file = self.object()?;
        let (name, build_id) = file.gnu_debugaltlink().ok().flatten()?;
        Some(DebugAltLink { name: name.to_vec(), build_id: BuildId::from_bytes(build_id) })
    }

    /// Whether a section of that name has content in the file.
    pub(crate) fn has_section(&self, name: &str) -> bool {
        self.object()
            .and_then(|file| find_section(&file, name).map(|section| section.file_range().is_some()))
            .unwrap_or(false)
    }

    /// A section's bytes, inflated where they are compressed; empty if there is no such section.
    pub(crate) fn section(&self, name: &str) -> SectionBytes<'_> {
        self.object().map(|file| section_bytes(&self.bytes, &file, name)).unwrap_or_default()
    }

    /// The ELF address of a position in the file.
    pub(crate) fn addr_of_offset(&self, offset: u64) -> Option<u64> {
        let holds =
            |segment: &&Segment| offset >= segment.offset && offset - segment.offset < segment.file_size;
        let segment = self.segments.iter().find(holds)?;
        segment.addr.checked_add(offset - segment.offset)
    }
}

/// A section by name; before 2015 compressed ones were named `.zdebug_*`.
fn find_section<'a: 'f, 'f, F: Object<'a>>(file: &'f F, name: &str) -> Option<F::Section<'f>> {
    file.section_by_name(name).or_else(|| file.section_by_name(&format!(".z{}", name.strip_prefix('.')?)))
}

fn section_bytes<'a>(bytes: &FileBytes, file: &object::File<'a>, name: &str) -> SectionBytes<'a> {
    let Some(section) = find_section(file, name) else { return SectionBytes::default() };
    let Ok(data) = section.compressed_data() else { return SectionBytes::Damaged };
    match data.format {
        object::CompressionFormat::None => SectionBytes::InFile(data.data),
        _ => {
            let inflated = inflate(data.format, data.data, data.uncompressed_size);
            bytes.forget(data.data);
            inflated.map_or(SectionBytes::Damaged, |bytes| SectionBytes::Inflated(Arc::new(bytes)))
        }
    }
}

fn parse(bytes: &[u8]) -> Result<object::File<'_>, String> {
    if !bytes.starts_with(b"\x7fELF") {
        return Err("it does not begin with the ELF magic number".to_owned());
    }
    let file = object::File::parse(bytes).map_err(|error| error.to_string().to_lowercase())?;
    match file {
        object::File::Elf32(_) | object::File::Elf64(_) => Ok(file),
        _ => Err("it is of another format".to_owned()),
    }
}

fn segment_of<'a>(segment: &impl ObjectSegment<'a>) -> Segment {
    let (offset, file_size) = segment.file_range();
    Segment { addr: segment.address(), offset, file_size }
}

fn is_code_section<'a>(section: &impl ObjectSection<'a>) -> bool {
    const SHF_EXECINSTR: u64 = 4;
    match section.flags() {
        object::SectionFlags::Elf { sh_flags, .. } => {
            sh_flags.0 & SHF_EXECINSTR != 0 && section.file_range().is_some()
        }
        _ => false,
    }
}

fn code_bytes(file: &object::File<'_>) -> Vec<(Range<u64>, u64)> {
    let range = |addr: u64, size: u64| addr..addr.saturating_add(size);
    let mut code: Vec<(Range<u64>, u64)> = file
        .sections()
        .filter(is_code_section)
        .filter_map(|section| Some((range(section.address(), section.size()), section.file_range()?.0)))
        .collect();
    if code.is_empty() {
        let is_code = |segment: &object::Segment<'_, '_>| match segment.flags() {
            object::SegmentFlags::Elf { p_flags, .. } => p_flags.0 & 1 != 0,
            _ => false,
        };
        let segments = file.segments().filter(is_code);
        code = segments.map(|s| (range(s.address(), s.size()), s.file_range().0)).collect();
    }
    code.sort_by_key(|(range, _)| range.start);
    code
}
