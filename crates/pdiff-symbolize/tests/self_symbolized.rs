//! The test program symbolizes itself: what the compiler said of a place must come back.

#![expect(clippy::unwrap_used, reason = "helpers of tests fail and skip as tests do")]

use std::hint::black_box;

use pdiff_profile::{InlineChain, ObjectAddr, Resolution};
use pdiff_symbolize::{SymbolizeOptions, Symbolizer};

#[inline(never)]
extern "C" fn outer(x: u64) -> u64 {
    inner(x) + 1
}

#[inline(always)]
fn inner(x: u64) -> u64 {
    black_box(black_box(x).wrapping_mul(black_box(0x1234_5677)))
}

/// The address of `outer` in the file: its runtime address less where the program was loaded.
fn outer_addr() -> u64 {
    let maps = std::fs::read_to_string("/proc/self/maps").unwrap();
    let program = std::env::current_exe().unwrap();
    let line = maps.lines().find(|line| line.ends_with(program.to_str().unwrap())).unwrap();
    let start = u64::from_str_radix(line.split('-').next().unwrap(), 16).unwrap();
    outer as *const () as u64 - start
}

fn chain_of(symbolizer: &mut Symbolizer, addr: u64) -> Option<InlineChain> {
    match symbolizer.symbolize(&[ObjectAddr(addr)]).pop() {
        Some(Resolution::Resolved(chain)) => Some(chain),
        _ => None,
    }
}

#[test]
fn a_function_and_what_is_inlined_into_it_are_found() {
    black_box(outer(black_box(1)));
    let program = std::env::current_exe().unwrap();
    let mut symbolizer = Symbolizer::open(&program, &SymbolizeOptions::new()).unwrap();
    assert!(symbolizer.has_debug_info());
    let start = outer_addr();
    let first = chain_of(&mut symbolizer, start).unwrap();
    assert_eq!(&*first.outermost().name, "self_symbolized::outer");
    assert!(first.outermost().file.as_deref().unwrap().ends_with("tests/self_symbolized.rs"));

    let chains: Vec<_> = (start..start + 256).filter_map(|addr| chain_of(&mut symbolizer, addr)).collect();
    let inlined = chains.iter().find(|chain| chain.frames().iter().any(|f| f.name.ends_with("inner")));
    let frames = inlined.unwrap_or_else(|| panic!("{chains:#?}")).frames();
    assert_eq!((&*frames[0].name, frames[0].inlined), ("self_symbolized::outer", false));
    // Without full debug information the plain name is all there is.
    assert!(["inner", "self_symbolized::inner"].contains(&&*frames[1].name) && frames[1].inlined);
    let call_line = include_str!("self_symbolized.rs").lines().position(|line| line.contains("inner(x) + 1"));
    assert_eq!(frames[0].line, call_line.map(|line| line as u32 + 1));
}

#[test]
fn the_index_answers_as_the_debug_information_does() {
    let program = std::env::current_exe().unwrap();
    let directory = tempfile::tempdir().unwrap();
    let mut options = SymbolizeOptions::new();
    let start = outer_addr();
    let addrs: Vec<ObjectAddr> = (start - 2000..start + 2000).map(ObjectAddr).collect();
    let expected = Symbolizer::open(&program, &options).unwrap().symbolize(&addrs);
    options.cache_dir = Some(directory.path().to_path_buf());
    let halves = [&addrs[..2000], &addrs[1000..], &addrs[..]];
    for some in halves {
        Symbolizer::open(&program, &options).unwrap().symbolize(some);
    }
    let cached = Symbolizer::open(&program, &options).unwrap().symbolize(&addrs);
    assert_eq!(cached, expected, "parts joined in the cache");
    let mut whole = Symbolizer::open(&program, &options).unwrap();
    whole.index_all();
    assert_eq!(whole.symbolize(&addrs), expected, "the whole index");
    assert_eq!(
        Symbolizer::open(&program, &options).unwrap().symbolize(&addrs),
        expected,
        "the whole index, kept"
    );
}
