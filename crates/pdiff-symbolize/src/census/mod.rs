//! The census of an ELF file: its functions, what was inlined where, and who calls whom.
//!
//! In: the files of a program or library. Out: a [`Census`]. Deliberately not here: finding files, caches, addresses of
//! samples.
//!
//! ```text
//! files --symbols--> names by address ---------------------\
//!       --inflate--> DWARF --walk, by unit--> facts --merge--> functions, sites ----------\
//!                                               \--places of code--decode, by body--> calls, hashes --> Census
//! ```
//!
//! Constraints: DWARF 2 to 5 of GCC, Clang and rustc; entries are visited once, without
//! recursion; nothing in the file may make it panic. Calls are decoded for x86-64 and `AArch64`; elsewhere only call
//! sites in the debug information tell of them. Indirect calls are never seen.

mod code;
mod code_places;
mod functions;
mod identity;
mod rows;
mod symbols;
mod text_order;
mod unit;
mod variants;

use pdiff_profile::census::Census;

use crate::binary::object_files::ObjectFiles;
use crate::binary::sections::DebugSections;
use code_places::CodePlaces;
use identity::Names;
use symbols::Symbols;

/// Takes the census of an object.
pub(crate) fn take_census(files: &ObjectFiles) -> Census {
    let (symbols, sections) = rayon::join(
        || Symbols::read(&files.file, files.symbol_entries()),
        || DebugSections::load(files.with_dwarf(), files.shared.as_ref(), |_| ()),
    );
    let units = unit::read_units(&sections, files);
    let strings = sections.into_strings();
    let (names, code) = rayon::join(
        || Names::collect(&units, &symbols, strings.strings()),
        || CodePlaces::find(&units, &symbols),
    );
    drop(strings);
    rows::assemble(&files.file, &units, &symbols, names, &code)
}

#[cfg(test)]
mod tests;
