//! The texts and numbers that a file's code refers to.

use std::ops::Range;

use object::{Object as _, ObjectSection as _};

use crate::binary::elf_file::ElfFile;

/// Shorter texts are found by chance.
const LEAST_TEXT: usize = 5;
/// The longest part of a text that is compared.
const MAX_TEXT: usize = 200;

/// The read-only bytes of a file.
pub(super) struct Data<'f> {
    file: &'f ElfFile,
    sections: Vec<(Range<u64>, &'f [u8])>,
}

impl<'f> Data<'f> {
    pub(super) fn read(file: &'f ElfFile, object: &object::File<'f>) -> Self {
        let is_data =
            |name: &str| name.starts_with(".rodata") || name.starts_with(".data.rel.ro") || name == ".data";
        let section = |section: object::Section<'f, '_>| {
            let name = section.name().ok()?.to_owned();
            let end = section.address().checked_add(section.size())?;
            is_data(&name).then_some((section.address()..end, section.data().ok()?))
        };
        Self { file, sections: object.sections().filter_map(section).collect() }
    }

    /// The text that begins at an address: printable, ended by a zero byte.
    pub(super) fn text_at(&self, addr: u64) -> Option<&'f [u8]> {
        let (range, bytes) = self.sections.iter().find(|(range, _)| range.contains(&addr))?;
        let rest = bytes.get(usize::try_from(addr - range.start).ok()?..)?;
        let length = rest.iter().take(MAX_TEXT).take_while(|byte| is_printable(**byte)).count();
        let is_whole = length == MAX_TEXT || rest.get(length) == Some(&0);
        rest.get(..length).filter(|text| is_whole && text.len() >= LEAST_TEXT)
    }

    pub(super) fn is_code(&self, addr: u64) -> bool {
        self.file.is_code(addr)
    }
}

fn is_printable(byte: u8) -> bool {
    matches!(byte, b' '..=b'~' | b'\n' | b'\t')
}
