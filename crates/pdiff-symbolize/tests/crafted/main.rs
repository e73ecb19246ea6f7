//! Binaries made to do harm: their symbols overlap, their inline chains loop, their sections explode, their links lead
//! elsewhere. Nothing panics, nothing runs away, and what is sound in them is still found.

#![expect(clippy::unwrap_used, reason = "helpers of tests fail as tests do")]

mod elf;

use std::fs;
use std::path::{Path, PathBuf};

use elf::{CODE, Parts, SHF_COMPRESSED, Symbol, program};
use gimli::write::{Address, AttributeValue, DwarfUnit, EndianVec, Sections, UnitEntryId};
use gimli::{Encoding, Format, LittleEndian, constants as dw};
use pdiff_profile::census::Visibility;
use pdiff_profile::{
    Frame, Lookup, NoteKind, Object, ObjectAddr, ProfileBuilder, RawAddr, Resolution, Thread, Weight,
};
use pdiff_symbolize::{SymbolizeOptions, Symbolizer, census_of, resolve_profile};

/// Names, innermost first, at some addresses; the whole index and the census are taken too.
fn names_at(path: &Path, addrs: &[u64]) -> Vec<Vec<String>> {
    let options = SymbolizeOptions::new();
    // A census may be refused, not panic.
    let _refused = census_of(path, &options).is_err();
    let mut symbolizer = Symbolizer::open(path, &options).unwrap();
    let addrs: Vec<ObjectAddr> = addrs.iter().copied().map(ObjectAddr).collect();
    let few = symbolizer.symbolize(&addrs);
    symbolizer.index_all();
    assert_eq!(symbolizer.symbolize(&addrs), few, "by unit and by index");
    let names = |resolution: &Resolution| match resolution {
        Resolution::Resolved(chain) => {
            chain.frames().iter().rev().map(|frame| frame.name.to_string()).collect()
        }
        Resolution::Unresolved(_) => Vec::new(),
    };
    few.iter().map(names).collect()
}

struct Files(tempfile::TempDir);

impl Files {
    fn new() -> Self {
        Self(tempfile::tempdir().unwrap())
    }

    fn put(&self, name: &str, bytes: &[u8]) -> PathBuf {
        let path = self.0.path().join(name);
        fs::create_dir_all(path.parent().unwrap()).unwrap();
        fs::write(&path, bytes).unwrap();
        path
    }
}

/// One compile unit of a program at [`CODE`], filled by `fill`, as sections; packed if they are to be.
fn debug_info(fill: impl FnOnce(&mut DwarfUnit, UnitEntryId)) -> Vec<(String, u64, Vec<u8>)> {
    let encoding = Encoding { format: Format::Dwarf32, version: 5, address_size: 8 };
    let mut dwarf = DwarfUnit::new(encoding);
    let root = dwarf.unit.root();
    place(&mut dwarf, root, CODE.start, CODE.end - CODE.start);
    fill(&mut dwarf, root);
    let mut sections = Sections::new(EndianVec::new(LittleEndian));
    dwarf.write(&mut sections).unwrap();
    let mut bytes = Vec::new();
    let each = |id: gimli::SectionId, section: &EndianVec<LittleEndian>| -> Result<(), gimli::write::Error> {
        bytes.push((id.name().to_owned(), 0, section.slice().to_vec()));
        Ok(())
    };
    sections.for_each(each).unwrap();
    bytes
}

fn set(dwarf: &mut DwarfUnit, entry: UnitEntryId, attribute: gimli::DwAt, value: AttributeValue) {
    dwarf.unit.get_mut(entry).set(attribute, value);
}

fn place(dwarf: &mut DwarfUnit, entry: UnitEntryId, addr: u64, size: u64) {
    set(dwarf, entry, dw::DW_AT_low_pc, AttributeValue::Address(Address::Constant(addr)));
    set(dwarf, entry, dw::DW_AT_high_pc, AttributeValue::Udata(size));
}

fn name(dwarf: &mut DwarfUnit, entry: UnitEntryId, name: &str) {
    set(dwarf, entry, dw::DW_AT_name, AttributeValue::String(name.into()));
}

fn refer(dwarf: &mut DwarfUnit, entry: UnitEntryId, attribute: gimli::DwAt, to: UnitEntryId) {
    set(dwarf, entry, attribute, AttributeValue::UnitRef(to));
}

/// A function of 0x100 bytes at `addr`.
fn function(dwarf: &mut DwarfUnit, root: UnitEntryId, addr: u64, called: &str) -> UnitEntryId {
    let entry = dwarf.unit.add(root, dw::DW_TAG_subprogram);
    name(dwarf, entry, called);
    place(dwarf, entry, addr, 0x100);
    entry
}

fn inlined(dwarf: &mut DwarfUnit, into: UnitEntryId, addr: u64, size: u64) -> UnitEntryId {
    let entry = dwarf.unit.add(into, dw::DW_TAG_inlined_subroutine);
    place(dwarf, entry, addr, size);
    entry
}

#[test]
fn origins_that_lead_in_circles_end() {
    let sections = debug_info(|dwarf, root| {
        for (at, attribute) in [dw::DW_AT_abstract_origin, dw::DW_AT_specification].into_iter().enumerate() {
            let base = CODE.start + 0x400 * at as u64;
            // Of itself.
            let sound = function(dwarf, root, base, "sound");
            let own = inlined(dwarf, sound, base + 0x10, 0x20);
            refer(dwarf, own, attribute, own);
            // Of one that is of the first.
            let (one, other) = (inlined(dwarf, sound, base + 0x40, 8), inlined(dwarf, sound, base + 0x50, 8));
            refer(dwarf, one, attribute, other);
            refer(dwarf, other, attribute, one);
            // A function without a name whose declaration is itself, and one that is inlined into itself.
            let nameless = dwarf.unit.add(root, dw::DW_TAG_subprogram);
            place(dwarf, nameless, base + 0x100, 0x80);
            refer(dwarf, nameless, attribute, nameless);
            let recursive = function(dwarf, root, base + 0x200, "recursive");
            let mut within = recursive;
            for step in 0..3 {
                within = inlined(dwarf, within, base + 0x200, 0x40 - step * 8);
                refer(dwarf, within, dw::DW_AT_abstract_origin, recursive);
            }
        }
    });
    let path = Files::new();
    let path = (path.put("circles", &program(Parts { sections, ..Parts::default() })), path);
    for base in [CODE.start, CODE.start + 0x400] {
        let names =
            names_at(&path.0, &[base, base + 0x11, base + 0x41, base + 0x51, base + 0x101, base + 0x201]);
        assert_eq!(names[0], ["sound"], "{names:?}");
        assert!(
            names[1..4].iter().all(|chain| chain.last().is_some_and(|name| name == "sound")),
            "{names:?}"
        );
        assert_eq!(names[5], ["recursive"; 4], "{names:?}");
    }
}

#[test]
fn a_hundred_thousand_inlined_functions_in_each_other_are_cut() {
    let nested = |dwarf: &mut DwarfUnit, root| {
        let outer = function(dwarf, root, CODE.start, "outer");
        let inner = dwarf.unit.add(root, dw::DW_TAG_subprogram);
        name(dwarf, inner, "inner");
        let mut within = outer;
        for _ in 0..100_000 {
            within = inlined(dwarf, within, CODE.start, 0x80);
            refer(dwarf, within, dw::DW_AT_abstract_origin, inner);
        }
    };
    // Only the writer needs so large a stack: it calls itself for each level.
    let writer = std::thread::Builder::new().stack_size(1 << 30).spawn(move || debug_info(nested));
    let sections = writer.unwrap().join().unwrap();
    let files = Files::new();
    let path = files.put("deep", &program(Parts { sections, ..Parts::default() }));
    let names = names_at(&path, &[CODE.start, CODE.start + 0x81]);
    assert!((2..=pdiff_profile::InlineChain::MAX_DEPTH).contains(&names[0].len()), "{}", names[0].len());
    assert_eq!(names[0].last().unwrap(), "outer");
    assert_eq!(names[1], ["outer"]);
}

#[test]
fn ranges_without_an_end_do_no_harm() {
    let sections = debug_info(|dwarf, root| {
        function(dwarf, root, CODE.start, "sound");
        for (addr, size) in
            [(u64::MAX - 1, u64::MAX), (0, u64::MAX), (CODE.start + 0x800, 0), (1 << 63, 1 << 63)]
        {
            let odd = dwarf.unit.add(root, dw::DW_TAG_subprogram);
            name(dwarf, odd, "odd");
            place(dwarf, odd, addr, size);
        }
    });
    let files = Files::new();
    let path = files.put("ranges", &program(Parts { sections, ..Parts::default() }));
    names_at(&path, &[0, CODE.start + 1, CODE.end - 1, CODE.end, u64::MAX, u64::MAX - 1, 1 << 63]);
}

#[test]
fn symbols_without_size_in_each_other_or_past_the_end_are_all_looked_at() {
    let symbol = |name: &[u8], addr, size| Symbol { name: name.to_vec(), addr, size };
    let symbols = vec![
        symbol(b"first", CODE.start, 0),
        symbol(b"second", CODE.start + 0x100, 0),
        symbol(b"outer", CODE.start + 0x200, 0x100),
        symbol(b"inner", CODE.start + 0x240, 0x10),
        symbol(b"across", CODE.start + 0x2f0, 0x40),
        symbol(b"endless", CODE.start + 0x400, u64::MAX),
        symbol(b"last", u64::MAX, 0x10),
        symbol(b"\x1b[2J\xff", CODE.start + 0x500, 0x10),
        symbol(b"", CODE.start + 0x600, 0x10),
    ];
    let files = Files::new();
    let path = files.put("symbols", &program(Parts { symbols, ..Parts::default() }));
    let at = |offset: u64| CODE.start + offset;
    let names = names_at(&path, &[at(0x50), at(0x180), at(0x245), at(0x210), at(0x320), at(0x508), u64::MAX]);
    assert_eq!(names[0], ["first"]);
    assert_eq!(names[1], ["second"]);
    assert_eq!(names[2], ["inner"]);
    assert_eq!(names[3], ["outer"]);
    assert_eq!(names[4], ["across"]);
    assert!(names[6].is_empty());
}

#[test]
fn segments_past_the_end_of_addresses_hold_what_they_can() {
    let symbols = vec![Symbol { name: b"sound".to_vec(), addr: CODE.end - 0x100, size: 0x100 }];
    let segments = vec![(CODE.start, u64::MAX), (u64::MAX, u64::MAX), (0, u64::MAX)];
    let files = Files::new();
    let path = files.put("segments", &program(Parts { symbols, segments, ..Parts::default() }));
    let mut builder = ProfileBuilder::new();
    let object = builder.object(Object::from_text(path.to_str().unwrap()));
    let addr = Some(RawAddr(CODE.end - 5));
    let frame = Frame { addr, symbol: None, symbol_offset: None, object, source: None, inlined: false };
    let frame = builder.frame(frame);
    let (event, stack, comm) = (builder.event("cycles"), builder.stack(&[frame]), builder.string("x"));
    let thread = builder.thread(Thread { comm, pid: None, tid: None });
    builder.count(event, 0, thread, stack, 1, Weight(1));
    let resolved = resolve_profile(&builder.finish().unwrap(), &SymbolizeOptions::new()).unwrap();
    let found = resolved.resolutions.get(frame, Lookup::Exact);
    assert!(
        matches!(found, Some(Resolution::Resolved(chain)) if &*chain.outermost().name == "sound"),
        "{found:?}"
    );
}

#[test]
fn a_bomb_in_a_debug_section_is_refused_and_symbols_stay() {
    // ch_type, reserved, ch_size, ch_addralign, then the stream.
    let packed = |kind: u32, size: u64, stream: &[u8]| {
        let mut bytes = kind.to_le_bytes().to_vec();
        bytes.extend_from_slice(&[0; 4]);
        bytes.extend_from_slice(&size.to_le_bytes());
        bytes.extend_from_slice(&1_u64.to_le_bytes());
        bytes.extend_from_slice(stream);
        bytes
    };
    let zeros = zstd::encode_all(&vec![0; 100 << 20][..], 1).unwrap();
    let bombs = [
        packed(1, u64::MAX, b"\x78\x9c"),
        packed(1, 1 << 36, &[0x78; 5000]),
        packed(2, 100 << 20, &zeros),
        packed(2, 1 << 50, &zeros),
        packed(99, 10, b"what"),
        packed(1, 0, b""),
    ];
    let files = Files::new();
    for (number, bomb) in bombs.into_iter().enumerate() {
        let symbols = vec![Symbol { name: b"sound".to_vec(), addr: CODE.start, size: 0x100 }];
        let sections = [".debug_info", ".debug_abbrev", ".debug_str", ".debug_line"]
            .map(|name| (name.to_owned(), SHF_COMPRESSED, bomb.clone()));
        let path =
            files.put("bomb", &program(Parts { symbols, sections: sections.to_vec(), ..Parts::default() }));
        assert_eq!(names_at(&path, &[CODE.start + 5])[0], ["sound"], "bomb {number}");
        let taken = census_of(&path, &SymbolizeOptions::new()).unwrap();
        assert_eq!(taken.census.visibility(), Visibility::Symbols, "bomb {number}");
        let told = taken.notes.get(NoteKind::NoDebugInfo).unwrap();
        assert!(told.examples.iter().any(|example| example.contains("damaged")), "{told:?}");
    }
}

#[test]
fn links_to_debug_files_lead_nowhere_but_into_the_places_given() {
    let debug = program(Parts {
        symbols: vec![Symbol { name: b"secret".to_vec(), addr: CODE.start, size: 0x100 }],
        ..Parts::default()
    });
    let files = Files::new();
    files.put("secret", &debug);
    files.put("a/b/secret", &debug);
    let root = files.0.path().join("root");
    fs::create_dir(&root).unwrap();
    let absolute = files.0.path().join("secret").into_os_string().into_string().unwrap();
    let link = |name: &str| {
        let mut bytes = name.as_bytes().to_vec();
        bytes.push(0);
        bytes.resize(bytes.len().next_multiple_of(4), 0);
        bytes.extend_from_slice(&crc32fast(&debug).to_le_bytes());
        let sections = vec![(".gnu_debuglink".to_owned(), 0, bytes)];
        files.put("a/program", &program(Parts { sections, ..Parts::default() }))
    };
    let options = SymbolizeOptions { debug_roots: vec![root], ..SymbolizeOptions::new() };
    let found = |path: &Path| {
        let mut symbolizer = Symbolizer::open(path, &options).unwrap();
        matches!(symbolizer.symbolize(&[ObjectAddr(CODE.start)])[0], Resolution::Resolved(_))
    };
    for outside in ["../secret", "b/../../secret", "b/secret", "./../secret", "..", ".", "/", "", &absolute] {
        assert!(!found(&link(outside)), "{outside}");
    }
    // The same link as a plain name is followed, so it was the path that was refused.
    files.put("a/plain", &debug);
    assert!(found(&link("plain")));
}

/// The checksum of links, bit by bit.
fn crc32fast(bytes: &[u8]) -> u32 {
    let step = |crc: u32, byte: &u8| {
        (0..8).fold(crc ^ u32::from(*byte), |crc, _| (crc >> 1) ^ (0xedb8_8320 & (crc & 1).wrapping_neg()))
    };
    !bytes.iter().fold(u32::MAX, step)
}
