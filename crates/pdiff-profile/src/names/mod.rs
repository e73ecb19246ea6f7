//! Names of functions: how symbols of two builds are matched to one function.
//!
//! In: a symbol as a symbol table, debug information or a profile spells it, mangled or not. Out: its [`FunctionName`], one
//! spelling per [`MatchLevel`]. Everything here is a pure function of one name: none of it knows the other build, an alias
//! file or an address, so callers must detect ambiguity between names.
//!
//! ```text
//! symbol --version, clone suffix off--> base --demangle--> signature --cut parameters--> qualified --> loose
//!                                         \--not mangled: text --normalize spelling--/
//! ```

mod bounded_text;
mod brackets;
mod clang_closure;
mod clone_suffix;
mod demangle;
mod demangled;
mod forks;
mod function_name;
mod instances;
mod integer_type;
mod itanium;
mod libc_variant;
mod loose;
mod marker_symbol;
mod match_level;
mod operator_symbol;
mod parameters;
mod plain_itanium;
mod plain_words;
mod special_name;
mod spelled;
mod spelling;
mod symbol_version;
mod symbol_words;
mod well_formed;

pub use clone_suffix::{is_split_part, split_clone_suffix};
pub use demangle::{demangle, is_rust};
pub use demangled::Demangled;
pub use function_name::{FunctionName, loose_name};
pub use instances::collapse_instances;
pub use marker_symbol::is_marker_symbol;
pub use match_level::{MatchLevel, ParseMatchLevelError};
pub use symbol_words::SymbolWords;

#[cfg(test)]
mod tests;
