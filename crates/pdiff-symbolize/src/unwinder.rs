//! Callers in recorded stacks, by the unwind tables of the binaries (`.eh_frame`, else `.debug_frame`).
//!
//! framehop does the work: it keeps the rule for an address once it is found, so a frame costs some 50 ns. Files are opened
//! once, and a process's files are put together again for each batch of its stacks.

use std::ops::{Deref, Range};
use std::sync::{Arc, Mutex, PoisonError};

use framehop::aarch64::{CacheAarch64, PtrAuthMask, UnwindRegsAarch64, UnwinderAarch64};
use framehop::x86_64::{CacheX86_64, UnwindRegsX86_64, UnwinderX86_64};
use framehop::{ExplicitModuleSectionInfo, Module, Unwinder as _};
use gimli::{BaseAddresses, EhFrameHdr, LittleEndian};
use object::{Object as _, ObjectSection as _};
use pdiff_profile::{BuildId, MappedCode, Processor, RecordedStack, Unwinder, UnwoundStack};
use rayon::prelude::*;
use rustc_hash::FxHashMap;

use crate::binary::elf_file::{ElfFile, Segment};
use crate::binary::file_bytes::FileBytes;
use crate::binary::object_files::ObjectFiles;
use crate::options::SymbolizeOptions;
use crate::resolve::candidate::{Lookout, find_binary};

/// The most frames of one stack: deeper ones come of damaged tables.
const MAX_FRAMES: usize = 4096;
/// A frame has a return address in the stack, but for the first two of a processor that keeps one in a register. Damaged tables lead to the
/// same one again and again.
const BYTES_OF_FRAME: usize = 8;
const FRAMES_IN_REGISTERS: usize = 2;
/// Stacks that one thread unwinds at once.
const STACKS_A_THREAD: usize = 64;

/// Processes whose files are kept put together: most recordings have samples of fewer at a time.
const MAX_SPACES: usize = 16;

/// Path and build-id of an object.
type FileKey = (Box<str>, Option<BuildId>);

/// Finds callers by the files that options name.
pub struct FileUnwinder {
    options: SymbolizeOptions,
    files: Mutex<FxHashMap<FileKey, Option<Arc<UnwindFile>>>>,
    /// The latest last.
    spaces: Mutex<Vec<Arc<Space>>>,
}

/// The files of one process, put together.
struct Space {
    processor: Processor,
    code: Vec<MappedCode>,
    unwinder: ByProcessor,
}

enum ByProcessor {
    X86_64(WithRules<UnwinderX86_64<SectionPart>, CacheX86_64>),
    Aarch64(WithRules<UnwinderAarch64<SectionPart>, CacheAarch64>, PtrAuthMask),
}

/// An unwinder, and the rules that it found so far: each thread takes some of them.
struct WithRules<U, C> {
    unwinder: U,
    rules: Mutex<Vec<C>>,
}

/// Bytes of a section, which keep their file mapped.
#[derive(Clone)]
struct SectionPart {
    bytes: Arc<FileBytes>,
    range: Range<usize>,
}

impl Deref for SectionPart {
    type Target = [u8];

    fn deref(&self) -> &[u8] {
        self.bytes.get(self.range.clone()).unwrap_or(&[])
    }
}

/// A section: its addresses in the file's own space, and its bytes.
type Section = (Range<u64>, SectionPart);

/// The unwind tables of one file.
struct UnwindFile {
    file: ElfFile,
    text: Option<Section>,
    got: Option<Section>,
    eh_frame: Option<Section>,
    eh_frame_hdr: Option<Section>,
    debug_frame: Option<Section>,
}

impl FileUnwinder {
    /// Looks for files as the symboliser does.
    #[must_use]
    pub fn new(options: SymbolizeOptions) -> Self {
        Self { options, files: Mutex::default(), spaces: Mutex::default() }
    }

    fn file(&self, code: &MappedCode) -> Option<Arc<UnwindFile>> {
        let key = (code.object.path.clone(), code.object.build_id.clone());
        let mut files = self.files.lock().unwrap_or_else(PoisonError::into_inner);
        files.entry(key).or_insert_with(|| UnwindFile::find(code, &self.options).map(Arc::new)).clone()
    }

    fn space(&self, code: &[MappedCode], processor: Processor) -> Arc<Space> {
        let mut spaces = self.spaces.lock().unwrap_or_else(PoisonError::into_inner);
        let known = spaces.iter().position(|space| space.processor == processor && space.code == code);
        let space = match known {
            Some(at) => spaces.remove(at),
            None => Arc::new(Space::new(code.to_vec(), processor, self)),
        };
        if spaces.len() >= MAX_SPACES {
            spaces.remove(0);
        }
        spaces.push(Arc::clone(&space));
        space
    }
}

impl std::fmt::Debug for FileUnwinder {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("FileUnwinder").field("options", &self.options).finish_non_exhaustive()
    }
}

impl Unwinder for FileUnwinder {
    fn unwind(&self, code: &[MappedCode], stacks: &[&RecordedStack]) -> Vec<UnwoundStack> {
        let Some(processor) = stacks.first().map(|stack| stack.processor) else { return Vec::new() };
        let space = self.space(code, processor);
        stacks.par_chunks(STACKS_A_THREAD).flat_map_iter(|stacks| space.unwind(stacks)).collect()
    }
}

impl Space {
    fn new(code: Vec<MappedCode>, processor: Processor, files: &FileUnwinder) -> Self {
        let modules = code.iter().filter_map(|code| files.file(code)?.module(code));
        let unwinder = match processor {
            Processor::Aarch64 => {
                let mut unwinder = UnwinderAarch64::new();
                modules.for_each(|module| unwinder.add_module(module));
                // Of no file nothing is known.
                let mask = match unwinder.max_known_code_address() {
                    0 => PtrAuthMask::new_no_strip(),
                    highest => PtrAuthMask::from_max_known_address(highest),
                };
                ByProcessor::Aarch64(WithRules::new(unwinder), mask)
            }
            _ => {
                let mut unwinder = UnwinderX86_64::new();
                modules.for_each(|module| unwinder.add_module(module));
                ByProcessor::X86_64(WithRules::new(unwinder))
            }
        };
        Self { processor, code, unwinder }
    }

    fn unwind(&self, stacks: &[&RecordedStack]) -> Vec<UnwoundStack> {
        match &self.unwinder {
            ByProcessor::X86_64(with_rules) => with_rules.unwind(stacks, CacheX86_64::new, |stack| {
                UnwindRegsX86_64::new(stack.ip, stack.sp, stack.fp)
            }),
            ByProcessor::Aarch64(with_rules, mask) => with_rules.unwind(stacks, CacheAarch64::new, |stack| {
                UnwindRegsAarch64::new_with_ptr_auth_mask(*mask, stack.lr, stack.sp, stack.fp)
            }),
        }
    }
}

impl<U: framehop::Unwinder<Cache = C>, C> WithRules<U, C> {
    fn new(unwinder: U) -> Self {
        Self { unwinder, rules: Mutex::new(Vec::new()) }
    }

    fn unwind(
        &self,
        stacks: &[&RecordedStack],
        new_rules: impl FnOnce() -> C,
        registers: impl Fn(&RecordedStack) -> U::UnwindRegs,
    ) -> Vec<UnwoundStack> {
        let all_rules = || self.rules.lock().unwrap_or_else(PoisonError::into_inner);
        let kept = all_rules().pop();
        let mut rules = kept.unwrap_or_else(new_rules);
        let unwind = |stack: &&RecordedStack| callers(&self.unwinder, stack, registers(stack), &mut rules);
        let unwound = stacks.iter().map(unwind).collect();
        all_rules().push(rules);
        unwound
    }
}

/// The callers in one stack.
fn callers<U: framehop::Unwinder>(
    unwinder: &U,
    stack: &RecordedStack,
    registers: U::UnwindRegs,
    rules: &mut U::Cache,
) -> UnwoundStack {
    let mut read = |addr: u64| {
        let from = usize::try_from(addr.checked_sub(stack.sp).ok_or(())?).map_err(|_| ())?;
        let bytes = stack.bytes.get(from..from.checked_add(8).ok_or(())?).ok_or(())?;
        Ok(u64::from_le_bytes(bytes.try_into().map_err(|_| ())?))
    };
    let mut frames = unwinder.iter_frames(stack.ip, registers, rules, &mut read);
    let most = MAX_FRAMES.min(stack.bytes.len() / BYTES_OF_FRAME + FRAMES_IN_REGISTERS);
    let mut addrs = Vec::new();
    let is_whole = loop {
        match frames.next() {
            // The last byte of the call: the address it returns to may be another function's.
            Ok(Some(frame)) if addrs.len() < most => addrs.push(frame.address_for_lookup()),
            Ok(None) => break true,
            _ => break false,
        }
    };
    UnwoundStack { addrs, is_whole }
}

impl UnwindFile {
    fn find(code: &MappedCode, options: &SymbolizeOptions) -> Option<Self> {
        let Ok(Lookout::Candidate(candidate)) = find_binary(&code.object, options) else { return None };
        let files = ObjectFiles::find(candidate.file, options);
        let eh_frame = section(&files.file, ".eh_frame");
        let debug_frame = || section(files.with_dwarf(), ".debug_frame");
        Some(Self {
            text: section(&files.file, ".text"),
            got: section(&files.file, ".got"),
            eh_frame_hdr: section(&files.file, ".eh_frame_hdr").filter(points_into_rules),
            debug_frame: if eh_frame.is_none() { debug_frame() } else { None },
            eh_frame,
            file: files.file,
        })
    }

    /// The file where a process had it mapped.
    fn module(&self, code: &MappedCode) -> Option<Module<SectionPart>> {
        let (start, end) = (code.addrs.start.0, code.addrs.end.0);
        let last = code.offset.0.checked_add(end.checked_sub(start)?)?;
        let segment = segment_within(self.file.segments(), code.offset.0..last)?;
        let own_start = code.offset.0.wrapping_add(segment.addr).wrapping_sub(segment.offset);
        let (addrs, bytes) = (
            |section: &Option<Section>| section.as_ref().map(|section| section.0.clone()),
            |section: &Option<Section>| section.as_ref().map(|section| section.1.clone()),
        );
        let sections = ExplicitModuleSectionInfo {
            base_svma: 0,
            text_svma: addrs(&self.text),
            text: bytes(&self.text),
            got_svma: addrs(&self.got),
            eh_frame_svma: addrs(&self.eh_frame),
            eh_frame: bytes(&self.eh_frame),
            eh_frame_hdr_svma: addrs(&self.eh_frame_hdr),
            eh_frame_hdr: bytes(&self.eh_frame_hdr),
            debug_frame: bytes(&self.debug_frame),
            stubs_svma: None,
            stub_helper_svma: None,
            unwind_info: None,
            text_segment_svma: None,
            text_segment: None,
        };
        Some(Module::new(code.object.path.to_string(), start..end, start.wrapping_sub(own_start), sections))
    }
}

/// The segment that a mapped part of a file is there for. Whole pages are mapped, and the first and the last one may have
/// bytes of the segments beside it, too.
fn segment_within(segments: &[Segment], part: Range<u64>) -> Option<&Segment> {
    let mapped_bytes = |segment: &&Segment| {
        let end = segment.offset.saturating_add(segment.file_size).min(part.end);
        end.saturating_sub(segment.offset.max(part.start))
    };
    segments.iter().max_by_key(mapped_bytes).filter(|segment| mapped_bytes(segment) > 0)
}

/// Whether the table that has unwind rules by address points behind where the rules begin: framehop subtracts without a look.
/// Without a table it makes its own.
fn points_into_rules((addrs, bytes): &Section) -> bool {
    const ADDRESS_BYTES: u8 = 8;
    let bases = BaseAddresses::default().set_eh_frame_hdr(addrs.start);
    let header = EhFrameHdr::new(bytes, LittleEndian);
    let Ok(header) = header.parse(&bases, ADDRESS_BYTES) else { return false };
    let (Some(table), Ok(rules)) = (header.table(), header.eh_frame_ptr().direct()) else { return false };
    let mut entries = table.iter(&bases);
    loop {
        match entries.next() {
            Ok(Some((_, rule))) if rule.direct().is_ok_and(|rule| rule >= rules) => {}
            Ok(None) => break true,
            _ => break false,
        }
    }
}

/// A section that is in the file unchanged.
fn section(file: &ElfFile, name: &str) -> Option<Section> {
    let bytes = file.shared_bytes();
    let object = file.object()?;
    let section = object.section_by_name(name)?;
    let is_plain = section.compressed_file_range().ok()?.format == object::CompressionFormat::None;
    let (offset, size) = section.file_range().filter(|_| is_plain)?;
    let start = usize::try_from(offset).ok()?;
    let range = start..start.checked_add(usize::try_from(size).ok()?)?;
    let addrs = section.address()..section.address().checked_add(section.size())?;
    bytes.get(range.clone())?;
    Some((addrs, SectionPart { bytes: Arc::clone(&bytes), range }))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_stack_of_aarch64_without_files_begins_where_the_program_was() {
        let stack = RecordedStack {
            processor: Processor::Aarch64,
            ip: 0x40_1000,
            sp: 0x7fff_0000,
            fp: 0x7fff_0000,
            lr: 0x40_2000,
            bytes: [0; 64].into(),
        };
        let unwound = FileUnwinder::new(SymbolizeOptions::new()).unwind(&[], &[&stack]);
        assert_eq!(unwound[0].addrs.first(), Some(&stack.ip));
    }

    #[test]
    fn a_table_whose_rules_are_elsewhere_is_left_aside() {
        // Version 1; the rules at 0x1100 by distance; two entries of start and rule, by distance from the table.
        let table = |rules: i32, entries: [[i32; 2]; 2], claimed: i32| {
            let numbers = [rules, claimed].into_iter().chain(entries.into_iter().flatten());
            let bytes = [1, 0x1b, 0x03, 0x3b].into_iter().chain(numbers.flat_map(i32::to_le_bytes));
            let bytes: Vec<u8> = bytes.collect();
            let file = tempfile::NamedTempFile::new().unwrap();
            std::fs::write(file.path(), &bytes).unwrap();
            let range = 0..bytes.len();
            let bytes = Arc::new(FileBytes::open(file.path()).unwrap());
            points_into_rules(&(0x1000..0x1000 + range.len() as u64, SectionPart { bytes, range }))
        };
        let entries = [[0x2000, 0x100], [0x2100, 0x120]];
        assert!(table(0xfc, entries, 2));
        assert!(!table(0x200, entries, 2), "rules before their start");
        assert!(!table(0xfc, entries, 3), "an entry that is not there");
    }

    #[test]
    fn a_part_is_there_for_the_segment_that_fills_it() {
        // As lld lays files out: each segment begins in the page of the file where the one before ends.
        let segment = |addr, offset, file_size| Segment { addr, offset, file_size };
        let segments =
            [segment(0, 0, 0x18068), segment(0x19080, 0x18080, 0x5000), segment(0x20000, 0x1d080, 8)];
        let check = |part, expected: Option<usize>| {
            assert_eq!(segment_within(&segments, part), expected.map(|at| &segments[at]));
        };
        check(0..0x19000, Some(0));
        check(0x18000..0x1e000, Some(1));
        check(0x40000..0x41000, None);
    }
}
