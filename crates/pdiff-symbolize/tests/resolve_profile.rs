//! Profiles whose addresses are of every kind come to the same functions; another build is refused.

#![expect(clippy::unwrap_used, reason = "helpers of tests fail as tests do")]

use std::path::Path;

use object::{Object as _, ObjectSection as _};
use pdiff_profile::{
    Frame, FrameId, Lookup, Object, Profile, ProfileBuilder, RawAddr, Reason, Resolution, Thread, Weight,
};
use pdiff_symbolize::{AddressKind, Error, Resolved, SymbolizeOptions, resolve_profile};

/// Samples stand in the first bytes of functions, so many.
const SAMPLED_BYTES: u64 = 5;

/// Functions of the test program by symbol: name and address in the file.
fn symbols(program: &Path) -> Option<Vec<(String, u64)>> {
    let output = pdiff_testing::tool("nm")?.arg("--print-size").arg(program).output().unwrap();
    let text = String::from_utf8(output.stdout).unwrap();
    let symbol = |line: &str| {
        let words: Vec<&str> = line.split_whitespace().collect();
        match words.as_slice() {
            [addr, size, "t" | "T", name] if name.contains("pdiff_profile") => {
                let [addr, size] = [addr, size].map(|number| u64::from_str_radix(number, 16).unwrap());
                (size >= SAMPLED_BYTES).then(|| ((*name).to_owned(), addr))
            }
            _ => None,
        }
    };
    Some(text.lines().filter_map(symbol).take(40).collect())
}

/// How far the addresses of the program's code are from its places in the file.
fn code_shift(program: &Path) -> u64 {
    let bytes = std::fs::read(program).unwrap();
    let file = object::File::parse(&*bytes).unwrap();
    let text = file.section_by_name(".text").unwrap();
    text.address().wrapping_sub(text.file_range().unwrap().0)
}

/// A chain of one frame per symbol, 5 bytes into each, and one frame without symbol.
fn profile(object: &str, symbols: &[(String, u64)], shift: u64, is_chain: bool) -> Profile {
    let mut builder = ProfileBuilder::new();
    let object = builder.object(Object::from_text(object));
    let mut frames = Vec::new();
    for (name, addr) in symbols {
        let symbol = Some(builder.string(name));
        let addr = Some(RawAddr((addr + 5).wrapping_sub(shift)));
        let offset = Some(5);
        frames.push(Frame { addr, symbol, symbol_offset: offset, object, source: None, inlined: false });
    }
    let nameless = Frame { symbol: None, symbol_offset: None, ..frames[0] };
    frames.push(nameless);
    let ids: Vec<FrameId> = frames.into_iter().map(|frame| builder.frame(frame)).collect();
    let event = builder.event("cycles");
    let comm = builder.string("x");
    let thread = builder.thread(Thread { comm, pid: None, tid: None });
    let stacks: Vec<Vec<FrameId>> =
        if is_chain { vec![ids] } else { ids.into_iter().map(|id| vec![id]).collect() };
    for stack in stacks {
        let stack = builder.stack(&stack);
        builder.count(event, 0, thread, stack, 1, Weight(1));
    }
    builder.finish().unwrap()
}

fn resolve(profile: &Profile, program: &Path) -> Result<Resolved, Error> {
    let mut options = SymbolizeOptions::new();
    options.binaries.push(program.to_path_buf());
    resolve_profile(profile, &options)
}

#[test]
fn addresses_of_every_kind_come_to_the_same_functions() {
    let program = std::env::current_exe().unwrap();
    let Some(symbols) = symbols(&program) else { return };
    assert!(symbols.len() > 20);
    let mut kinds = vec![(0, AddressKind::Object), (0xffff_8000_0001_0000, AddressKind::Runtime)];
    let positions = code_shift(&program);
    if positions == 0 {
        eprintln!("SKIPPED: addresses of this program are positions in its file");
    } else {
        kinds.push((positions, AddressKind::FileOffset));
    }
    for (shift, kind) in kinds {
        for is_chain in [true, false] {
            let profile = profile(program.to_str().unwrap(), &symbols, shift, is_chain);
            let resolved = resolve(&profile, &program).unwrap();
            let maps = &resolved.objects[0].address_maps;
            assert!(maps.iter().all(|map| map.bias == shift), "{maps:?}");
            assert_eq!(maps[0].kind, kind, "{maps:?}");
            let last = FrameId(profile.frames.len() as u32 - 1);
            let lookup = Lookup::Exact;
            let Some(Resolution::Resolved(chain)) = resolved.resolutions.get(last, lookup) else {
                panic!("the frame without symbol is resolved by the bias of the others");
            };
            assert_eq!(chain.outermost().linkage_name.as_deref(), Some(&*symbols[0].0));
        }
    }
}

/// Samples of one frame each with bare names: `(name, address)`.
fn bare_profile(object: &str, samples: &[(String, u64)]) -> Profile {
    let mut builder = ProfileBuilder::new();
    let object = builder.object(Object::from_text(object));
    let event = builder.event("cycles");
    let comm = builder.string("x");
    let thread = builder.thread(Thread { comm, pid: None, tid: None });
    for (name, addr) in samples {
        let symbol = Some(builder.string(name));
        let addr = Some(RawAddr(*addr));
        let frame = Frame { addr, symbol, symbol_offset: None, object, source: None, inlined: false };
        let frame = builder.frame(frame);
        let stack = builder.stack(&[frame]);
        builder.count(event, 0, thread, stack, 1, Weight(1));
    }
    builder.finish().unwrap()
}

/// Addresses in the functions, at changing places of them, in two processes that have the file at other places.
fn bare_samples(symbols: &[(String, u64)], shifts: &[u64]) -> Vec<(String, u64)> {
    let places = symbols.iter().enumerate().flat_map(|(index, (name, addr))| {
        shifts
            .iter()
            .map(move |shift| (name.clone(), (addr + index as u64 % SAMPLED_BYTES).wrapping_sub(*shift)))
    });
    places.collect()
}

#[test]
fn flat_samples_with_bare_names_are_placed_by_all_names_together() {
    let program = std::env::current_exe().unwrap();
    let Some(symbols) = symbols(&program) else { return };
    for shifts in [&[0xffff_aa8e_3479_c000][..], &[0xffff_aa8e_3479_c000, 0xffff_80ff_1230_1000]] {
        let samples = bare_samples(&symbols, shifts);
        let resolved = resolve(&bare_profile(program.to_str().unwrap(), &samples), &program).unwrap();
        let mut biases: Vec<u64> =
            resolved.objects[0].address_maps.iter().filter(|map| map.votes > 0).map(|map| map.bias).collect();
        biases.sort_unstable_by_key(|bias| std::cmp::Reverse(*bias));
        assert_eq!(biases, shifts);
        for (frame, (name, _)) in samples.iter().enumerate() {
            let resolution = resolved.resolutions.get(FrameId(frame as u32), Lookup::Exact);
            let Some(Resolution::Resolved(chain)) = resolution else { panic!("{name}: {resolution:?}") };
            assert_eq!(chain.outermost().linkage_name.as_deref(), Some(&**name));
        }
    }
}

#[test]
fn flat_samples_whose_names_do_not_agree_are_not_placed() {
    let program = std::env::current_exe().unwrap();
    let Some(symbols) = symbols(&program) else { return };
    let shift = 0xffff_aa8e_3479_c000;
    let check = |samples: &[(String, u64)]| {
        let resolved = resolve(&bare_profile(program.to_str().unwrap(), samples), &program).unwrap();
        assert!(resolved.objects[0].address_maps.iter().all(|map| map.votes == 0));
        let is_left = |frame| resolved.resolutions.get(FrameId(frame), Lookup::Exact).is_none();
        assert!((0..samples.len() as u32).all(is_left), "perf's symbols are kept");
    };
    // Too few functions.
    check(&bare_samples(&symbols[..2], &[shift]));
    // Names of other places: of another build.
    let mut others = bare_samples(&symbols, &[shift]);
    let names: Vec<String> = others.iter().map(|(name, _)| name.clone()).collect();
    for (sample, name) in others.iter_mut().zip(names.iter().skip(7).chain(&names)) {
        sample.0.clone_from(name);
    }
    check(&others);
}

#[test]
fn another_build_is_refused_unless_allowed() {
    let program = std::env::current_exe().unwrap();
    let Some(mut symbols) = symbols(&program) else { return };
    let names: Vec<String> = symbols.iter().map(|(name, _)| name.clone()).collect();
    for (symbol, name) in symbols.iter_mut().zip(names.iter().skip(7).chain(&names)) {
        symbol.0.clone_from(name);
    }
    let profile = profile(program.to_str().unwrap(), &symbols, 0, true);
    let error = resolve(&profile, &program).unwrap_err();
    assert!(matches!(error, Error::WrongSymbols { .. }), "{error}");
    assert!(error.to_string().contains("hint: "));

    let found = resolve_profile(&profile, &SymbolizeOptions::new()).unwrap();
    assert!(found.objects.is_empty(), "a file that was only found is left aside");
    let last = FrameId(profile.frames.len() as u32 - 1);
    let resolution = found.resolutions.get(last, Lookup::Exact);
    assert_eq!(resolution, Some(&Resolution::Unresolved(Reason::WrongFile)));
    assert!(!found.notes.is_empty());

    let mut options = SymbolizeOptions::new();
    options.allow_mismatch = true;
    assert_eq!(resolve_profile(&profile, &options).unwrap().objects.len(), 1);
}

#[test]
fn what_has_no_file_keeps_the_symbol_of_perf() {
    let symbols = [("f".to_owned(), 0x1000)];
    let no_elf = concat!(env!("CARGO_MANIFEST_DIR"), "/Cargo.toml");
    for (path, reason) in [("/nowhere/program", Reason::FileNotFound), (no_elf, Reason::Unreadable)] {
        let profile = profile(path, &symbols, 0, true);
        let resolved = resolve_profile(&profile, &SymbolizeOptions::new()).unwrap();
        assert_eq!(resolved.resolutions.get(FrameId(0), Lookup::MinusOne), None);
        let nameless = resolved.resolutions.get(FrameId(1), Lookup::Exact);
        assert_eq!(nameless, Some(&Resolution::Unresolved(reason)));
    }
}
