//! The census of an ELF file: its functions, what was inlined where, and who calls whom.
//!
//! In: the bytes of a program or library and, where its debug information lies in another file, of that. Out: a
//! [`Census`]. Deliberately not here: opening files, caches, addresses of samples.
//!
//! ```text
//! image --symbols--> names by address ---------------------\
//!       --inflate--> DWARF --walk, by unit--> facts --merge--> functions, sites ----------\
//!                                               \--places of code--decode, by body--> calls, hashes --> Census
//! ```
//!
//! Constraints: DWARF 2 to 5 of GCC, Clang and rustc; 64-bit little-endian ELF; entries are visited once, without
//! recursion; nothing in the file may make it panic. Calls are decoded for x86-64 and `AArch64`; elsewhere only call
//! sites in the debug information tell of them. Indirect calls are never seen.

mod code;
mod code_places;
mod digest;
mod error;
mod functions;
mod identity;
mod image;
mod raw_text;
mod rows;
mod sections;
mod symbols;
mod text_order;
mod unit;
mod variants;

use pdiff_profile::census::Census;

pub(crate) use error::CensusError;

use code_places::CodePlaces;
use identity::Names;
use image::Image;
use raw_text::Strings;
use sections::Sections;
use symbols::Symbols;

/// Takes the census of an ELF file.
///
/// `image` is the file that holds the code; `debug` the one that holds its symbols and debug information where `image`
/// was stripped of them.
///
/// # Errors
/// If `image` or `debug` is no 64-bit little-endian ELF file, or its sections cannot be read.
pub(crate) fn take_census(image: &[u8], debug: Option<&[u8]>) -> Result<Census, CensusError> {
    let image = Image::parse(image)?;
    let debug = debug.map(Image::parse).transpose()?;
    let described = debug.as_ref().unwrap_or(&image);
    let (symbols, sections) =
        rayon::join(|| Symbols::read(&image, described), || Sections::inflate(described));
    let sections = sections?;
    let units = unit::read_units(&sections);
    let strings = sections.into_strings();
    let (names, code) = rayon::join(
        || Names::collect(&units, &symbols, Strings::new(&strings)),
        || CodePlaces::find(&units, &symbols),
    );
    drop(strings);
    Ok(rows::assemble(&image, &units, &symbols, names, &code))
}

#[cfg(test)]
mod tests;
