//! A small ELF file from parts: only what a reader of functions looks at.

/// Flag of a section that is packed.
pub(crate) const SHF_COMPRESSED: u64 = 0x800;
/// Where the code of the file stands, and how long it is.
pub(crate) const CODE: std::ops::Range<u64> = 0x1000..0x3000;

const SHT_PROGBITS: u32 = 1;
const SHT_SYMTAB: u32 = 2;
const SHT_STRTAB: u32 = 3;
const HEADER_BYTES: usize = 64;

/// A function in the symbol table.
pub(crate) struct Symbol {
    pub(crate) name: Vec<u8>,
    pub(crate) addr: u64,
    pub(crate) size: u64,
}

/// What the file is made of beside code.
#[derive(Default)]
pub(crate) struct Parts {
    /// Address and size of loadable segments.
    pub(crate) segments: Vec<(u64, u64)>,
    pub(crate) symbols: Vec<Symbol>,
    /// Name, flags, bytes.
    pub(crate) sections: Vec<(String, u64, Vec<u8>)>,
}

struct Header {
    name: String,
    kind: u32,
    flags: u64,
    addr: u64,
    size: u64,
    link: u32,
    entry: u64,
    bytes: Vec<u8>,
}

impl Header {
    fn new(name: &str, kind: u32, bytes: Vec<u8>) -> Self {
        let (name, size) = (name.to_owned(), bytes.len() as u64);
        Self { name, kind, flags: 0, addr: 0, size, link: 0, entry: 0, bytes }
    }
}

/// The bytes of an x86-64 program whose code does nothing.
pub(crate) fn program(parts: Parts) -> Vec<u8> {
    let (mut table, mut names) = (vec![0; 24], vec![0]);
    for symbol in &parts.symbols {
        table.extend_from_slice(&(names.len() as u32).to_le_bytes());
        // STB_GLOBAL, STT_FUNC, section 1.
        table.extend_from_slice(&[0x12, 0, 1, 0]);
        table.extend_from_slice(&symbol.addr.to_le_bytes());
        table.extend_from_slice(&symbol.size.to_le_bytes());
        names.extend_from_slice(&symbol.name);
        names.push(0);
    }
    let code = vec![0x90; (CODE.end - CODE.start) as usize];
    let text = Header { flags: 6, addr: CODE.start, ..Header::new(".text", SHT_PROGBITS, code) };
    let symbols = Header { link: 3, entry: 24, ..Header::new(".symtab", SHT_SYMTAB, table) };
    let mut headers = vec![Header::new("", 0, Vec::new()), text, symbols];
    headers.push(Header::new(".strtab", SHT_STRTAB, names));
    let more = parts.sections.into_iter();
    headers
        .extend(more.map(|(name, flags, bytes)| Header { flags, ..Header::new(&name, SHT_PROGBITS, bytes) }));
    headers.push(Header::new(".shstrtab", SHT_STRTAB, Vec::new()));
    write(headers, &parts.segments)
}

fn write(mut headers: Vec<Header>, segments: &[(u64, u64)]) -> Vec<u8> {
    let mut names = Vec::new();
    let mut places = Vec::new();
    for header in &headers {
        places.push(names.len() as u32);
        names.extend_from_slice(header.name.as_bytes());
        names.push(0);
    }
    if let Some(last) = headers.last_mut() {
        (last.size, last.bytes) = (names.len() as u64, names);
    }
    let mut bytes = vec![0; HEADER_BYTES];
    for (addr, size) in segments {
        // PT_LOAD, to be read and run; offset, address twice, size twice, alignment.
        [1_u32, 5].iter().for_each(|word| bytes.extend_from_slice(&word.to_le_bytes()));
        [0, *addr, *addr, *size, *size, 1]
            .iter()
            .for_each(|word| bytes.extend_from_slice(&word.to_le_bytes()));
    }
    let mut table = Vec::new();
    for (header, name) in headers.iter().zip(places) {
        let offset = bytes.len() as u64;
        bytes.extend_from_slice(&header.bytes);
        table.extend_from_slice(&name.to_le_bytes());
        table.extend_from_slice(&header.kind.to_le_bytes());
        [header.flags, header.addr, offset, header.size]
            .iter()
            .for_each(|word| table.extend_from_slice(&word.to_le_bytes()));
        table.extend_from_slice(&header.link.to_le_bytes());
        table.extend_from_slice(&1_u32.to_le_bytes());
        [1, header.entry].iter().for_each(|word: &u64| table.extend_from_slice(&word.to_le_bytes()));
    }
    let table_at = bytes.len() as u64;
    bytes.extend_from_slice(&table);
    let mut head = b"\x7fELF\x02\x01\x01\0\0\0\0\0\0\0\0\0".to_vec();
    [2_u16, 62].iter().for_each(|half| head.extend_from_slice(&half.to_le_bytes()));
    head.extend_from_slice(&1_u32.to_le_bytes());
    [CODE.start, HEADER_BYTES as u64, table_at]
        .iter()
        .for_each(|word| head.extend_from_slice(&word.to_le_bytes()));
    head.extend_from_slice(&0_u32.to_le_bytes());
    let count = headers.len() as u16;
    [64, 56, segments.len() as u16, 64, count, count - 1]
        .iter()
        .for_each(|half: &u16| head.extend_from_slice(&half.to_le_bytes()));
    bytes[..HEADER_BYTES].copy_from_slice(&head);
    bytes
}
