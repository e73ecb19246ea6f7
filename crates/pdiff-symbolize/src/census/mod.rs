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
//! sites in the debug information tell of them. Of indirect calls, only those of x86-64 through the linker's table of addresses are
//! seen.

mod asked;
mod background;
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
pub(crate) use asked::AskedNames;
use background::Background;
use code_places::CodePlaces;
use identity::Names;
use symbols::Symbols;

/// Which functions a census must have, and which names of them.
#[derive(Clone, Copy, Debug)]
pub(crate) enum WantedCensus<'w> {
    /// All functions with all names.
    All,
    /// All functions; of those of libraries with the linkage names alone, where they have one.
    LateNames,
    /// The same, without library functions that are only inlined and not asked for. Those that are have all names.
    Sampled(&'w AskedNames),
}

/// What was taken of a file.
pub(crate) struct Taken {
    pub(crate) census: Census,
    /// Whether functions that nobody asked for were left out, or their names.
    pub(crate) is_part: bool,
}

/// Takes the census of an object.
pub(crate) fn take_census(files: &ObjectFiles, wanted: WantedCensus<'_>) -> Taken {
    let (symbols, sections) = rayon::join(
        || Symbols::read(&files.file, files.symbol_entries()),
        || DebugSections::load(files.with_dwarf(), files.shared.as_ref(), files.kept.as_ref(), |_| ()),
    );
    files.forget_kept();
    // While units are read, memory is at its peak; few names of symbols are needed then.
    files.give_back();
    let none = AskedNames::default();
    let background = match wanted {
        WantedCensus::All => None,
        WantedCensus::LateNames => Some(Background::of_names(&none)),
        WantedCensus::Sampled(asked) => Some(Background::new(asked, &symbols, || files.give_back())),
    };
    let left_out = background.as_ref().filter(|_| matches!(wanted, WantedCensus::Sampled(_)));
    let units = unit::read_units(&sections, files, left_out);
    files.give_back();
    let strings = sections.into_strings();
    let (names, code) = rayon::join(
        || Names::collect(&units, &symbols, strings.strings(), background.as_ref()),
        || CodePlaces::find(&units, &symbols),
    );
    drop(strings);
    files.give_back();
    let census = rows::assemble(&files.file, &units, &symbols, names, &code);
    let is_part = left_out.is_some_and(Background::has_some);
    Taken { census, is_part }
}

#[cfg(test)]
mod tests;
