//! What is made of a file is in proportion to it: small files that say a lot cost little memory, and are said to.

#![expect(clippy::unwrap_used, reason = "helpers of tests fail as tests do")]

#[path = "crafted/elf.rs"]
mod elf;

use std::alloc::{GlobalAlloc, Layout, System};
use std::path::Path;
use std::sync::atomic::{AtomicUsize, Ordering};

use elf::{CODE, Parts, SHF_COMPRESSED, Symbol, program};
use gimli::write::{Address, AttributeValue, DwarfUnit, EndianVec, Range, RangeList, Sections};
use gimli::{Encoding, Format, LittleEndian, constants as dw};
use pdiff_symbolize::{SymbolizeOptions, Symbolizer, census_of};

/// The most bytes of memory that a byte of a file may cost, and what any file may.
const BYTES_PER_BYTE: usize = 100;
const BYTES_OF_ANY: usize = 150 << 20;

struct Counting;

static NOW: AtomicUsize = AtomicUsize::new(0);
static MOST: AtomicUsize = AtomicUsize::new(0);

#[expect(unsafe_code, reason = "the only way to count what is allocated")]
// SAFETY: all calls go on to the system's allocator as they are.
unsafe impl GlobalAlloc for Counting {
    unsafe fn alloc(&self, layout: Layout) -> *mut u8 {
        let now = NOW.fetch_add(layout.size(), Ordering::Relaxed) + layout.size();
        MOST.fetch_max(now, Ordering::Relaxed);
        // SAFETY: as above.
        unsafe { System.alloc(layout) }
    }

    unsafe fn dealloc(&self, pointer: *mut u8, layout: Layout) {
        NOW.fetch_sub(layout.size(), Ordering::Relaxed);
        // SAFETY: as above.
        unsafe { System.dealloc(pointer, layout) }
    }
}

#[global_allocator]
static ALLOCATOR: Counting = Counting;

/// The peak of what both views of a file allocate.
fn peak(path: &Path) -> usize {
    let before = NOW.load(Ordering::Relaxed);
    MOST.store(before, Ordering::Relaxed);
    let options = SymbolizeOptions::new();
    let _census = census_of(path, &options).unwrap();
    let mut symbolizer = Symbolizer::open(path, &options).unwrap();
    symbolizer.index_all();
    MOST.load(Ordering::Relaxed) - before
}

fn check(what: &str, bytes: &[u8]) {
    let directory = tempfile::tempdir().unwrap();
    let path = directory.path().join("program");
    std::fs::write(&path, bytes).unwrap();
    let (peak, most) = (peak(&path), BYTES_OF_ANY + BYTES_PER_BYTE * bytes.len());
    assert!(peak <= most, "{what}: {peak} bytes for a file of {}", bytes.len());
}

/// Functions that all have the ranges of one list.
fn shared_ranges(functions: usize, ranges: u64) -> Vec<u8> {
    let encoding = Encoding { format: Format::Dwarf32, version: 5, address_size: 8 };
    let mut dwarf = DwarfUnit::new(encoding);
    let range = |at: u64| {
        let begin = Address::Constant(CODE.start + at % (CODE.end - CODE.start - 1));
        Range::StartLength { begin, length: 1 }
    };
    let list = dwarf.unit.ranges.add(RangeList((0..ranges).map(range).collect()));
    let root = dwarf.unit.root();
    for number in 0..functions {
        let function = dwarf.unit.add(root, dw::DW_TAG_subprogram);
        let entry = dwarf.unit.get_mut(function);
        entry.set(dw::DW_AT_name, AttributeValue::String(format!("f{number}").into()));
        entry.set(dw::DW_AT_ranges, AttributeValue::RangeListRef(list));
    }
    let mut sections = Sections::new(EndianVec::new(LittleEndian));
    dwarf.write(&mut sections).unwrap();
    let mut written = Vec::new();
    let each = |id: gimli::SectionId, section: &EndianVec<LittleEndian>| -> Result<(), gimli::write::Error> {
        written.push((id.name().to_owned(), 0, section.slice().to_vec()));
        Ok(())
    };
    sections.for_each(each).unwrap();
    program(Parts { sections: written, ..Parts::default() })
}

/// A unit of entries of one byte each, packed as well as zlib packs: a hundred bytes and more of one.
fn deflated_entries(bytes: usize) -> Vec<u8> {
    // One code: a variable without attributes and without children.
    let abbrev = vec![1, 0x11, 1, 0, 0, 2, 0x34, 0, 0, 0, 0];
    // Version 4, addresses of eight bytes, the root, then the entries.
    let mut unit = vec![4, 0, 0, 0, 0, 0, 8, 1];
    unit.resize(unit.len() + bytes, 2);
    unit.push(0);
    let mut info = (unit.len() as u32).to_le_bytes().to_vec();
    info.extend(unit);
    let mut packer = libdeflater::Compressor::new(libdeflater::CompressionLvl::best());
    let mut packed = vec![0; packer.zlib_compress_bound(info.len())];
    let length = packer.zlib_compress(&info, &mut packed).unwrap();
    packed.truncate(length);
    // The head of a packed section: zlib, its size, its alignment.
    let mut section = 1_u64.to_le_bytes().to_vec();
    section.extend((info.len() as u64).to_le_bytes());
    section.extend(1_u64.to_le_bytes());
    section.extend(packed);
    let sections =
        vec![(".debug_abbrev".to_owned(), 0, abbrev), (".debug_info".to_owned(), SHF_COMPRESSED, section)];
    program(Parts { sections, ..Parts::default() })
}

/// Functions whose names are the ends of one another.
fn shared_names(count: usize) -> Vec<u8> {
    let symbol = |at: usize| Symbol { name: Vec::new(), addr: CODE.start + (at as u64 % 0x1f00), size: 1 };
    let mut bytes = program(Parts { symbols: (0..count).map(symbol).collect(), ..Parts::default() });
    // Empty names: a table of as many zeros. All but the last become letters.
    let zeros = bytes.chunk_by(|a, b| *a == 0 && *b == 0).max_by_key(|run| run.len()).unwrap();
    let (start, length) = (zeros.as_ptr() as usize - bytes.as_ptr() as usize, zeros.len());
    assert!(length >= count);
    bytes[start + length - count..start + length - 1].fill(b'a');
    bytes
}

#[test]
fn small_files_that_say_a_lot_cost_little() {
    check("a plain file", &program(Parts::default()));
    check("functions with one list of ranges", &shared_ranges(8_000, 8_000));
    check("names that end alike", &shared_names(59_000));
    // As much as is inflated of any file, and more: the first reads as a unit beyond its budget, the second not at all.
    check("a small section of many entries", &deflated_entries(15 << 20));
    check("a small section that inflates to much", &deflated_entries(200 << 20));
}
