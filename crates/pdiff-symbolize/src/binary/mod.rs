//! The one reader of ELF files and DWARF: sections, symbols, units, entries; compressed, split and shared ones, too.
//!
//! In: a path and where files that belong to it may be. Out: parts that the two views are made of: the address index
//! ([`crate::address_index`]) and the census ([`crate::census`]). Nothing here knows either of them.
//!
//! ```text
//! object_files   which files belong to a binary: its debug file, what that shares (dwz), split units
//! elf_file       segments, code, build-id, sections, inflated on demand
//! symbol_entries what symbol tables say; symbol_table: which function an address is in; plt: stubs
//! call_targets   where a call leads; slots: the table of addresses that some calls go through
//! function_ranges where functions begin and end by the unwind tables, which stripped files have, too
//! sections       the DWARF sections of those files; split: those of split units; kept_sections: inflated once for both views
//! units          compilation units and their ranges; entries: a walk over one unit
//! code_ranges, reference, strings, scopes    what attributes of entries say
//! line_rows      lines and source files of a unit
//! ```

pub(crate) mod branch_target;
pub(crate) mod budget;
pub(crate) mod call_fields;
pub(crate) mod call_targets;
pub(crate) mod code_ranges;
pub(crate) mod content_hash;
pub(crate) mod dwarf;
pub(crate) mod elf_file;
pub(crate) mod entries;
pub(crate) mod file_bytes;
pub(crate) mod function_name;
pub(crate) mod function_ranges;
pub(crate) mod gap;
pub(crate) mod inflate;
pub(crate) mod kept_sections;
pub(crate) mod layout;
pub(crate) mod line_rows;
pub(crate) mod object_files;
pub(crate) mod plt;
pub(crate) mod ranges;
pub(crate) mod reference;
pub(crate) mod scoped_name;
pub(crate) mod scopes;
pub(crate) mod sections;
pub(crate) mod slots;
pub(crate) mod source_path;
pub(crate) mod split;
pub(crate) mod strings;
pub(crate) mod symbol_entries;
pub(crate) mod symbol_name;
pub(crate) mod symbol_table;
pub(crate) mod unit_root;
pub(crate) mod units;
