//! Tables of unwind rules that lead nowhere.

use pdiff_profile::{FileOffset, MappedCode, Object, Processor, RecordedStack, RuntimeAddr, Unwinder as _};
use pdiff_symbolize::{FileUnwinder, SymbolizeOptions};

/// Functions whose unwind rules have every operation of DWARF expressions: some lead to the same frame again.
const FILE: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/../../fuzz/seeds/unwinding/ops-1.elf");

#[test]
fn a_stack_has_no_more_frames_than_return_addresses() {
    const BASE: u64 = 0x40_0000;
    const BYTES: usize = 512;
    let len = std::fs::metadata(FILE).unwrap().len();
    let code = [MappedCode {
        object: Object::from_text(FILE),
        addrs: RuntimeAddr(BASE)..RuntimeAddr(BASE + len),
        offset: FileOffset(0),
    }];
    // Every word of the stack is an address in the file.
    let bytes: Vec<u8> =
        (0..BYTES as u64 / 8).flat_map(|word| (BASE + 0x100 + word * 8).to_le_bytes()).collect();
    let stack = |ip: u64| RecordedStack {
        processor: Processor::X86_64,
        ip,
        sp: 0x7fff_0000,
        fp: 0x7fff_0040,
        lr: ip,
        bytes: bytes.clone().into(),
    };
    let stacks: Vec<RecordedStack> = (BASE..BASE + len).step_by(16).map(stack).collect();
    let unwound =
        FileUnwinder::new(SymbolizeOptions::new()).unwind(&code, &stacks.iter().collect::<Vec<_>>());
    let longest = unwound.iter().max_by_key(|of| of.addrs.len()).unwrap();
    assert!(longest.addrs.len() > 2 && !longest.is_whole, "{}", longest.addrs.len());
    assert!(longest.addrs.len() <= BYTES / 8 + 2, "{}", longest.addrs.len());
}
