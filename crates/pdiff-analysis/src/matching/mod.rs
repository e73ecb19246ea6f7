//! Which function of Before is which function of After.
//!
//! In: the census of each build, and known renames ([`Aliases`](crate::Aliases)). Out: pairs, one to one, each with the
//! level of its match ([`FoundBy`]); functions without a partner stay alone. Levels are tried strictest first, each on the
//! functions that are left:
//!
//! ```text
//! linkage > signature > qualified > unscoped > alias > loose > unqualified > fuzzy > code
//! ```
//!
//! The first three levels are tried again with namespaces that carry a version called as in After; such pairs are of level alias.
//! Where several functions share a spelling, source file and parameters decide; if these do not either, overloads are
//! paired in order and marked ambiguous, and looser matches stay alone. Every guess is marked.

mod candidates;
mod codec;
mod fuzzy;
mod group;
mod groups;
mod held;
mod lambda;
mod level;
mod matcher;
mod matches;
mod neighbours;
mod source_file;
mod spelling;
mod versioned_scopes;

pub use codec::MATCHING_VERSION;
pub(crate) use held::held;
pub use level::FoundBy;
pub use matcher::match_functions;
pub(crate) use matcher::{TELLING_BYTES, plain_names, same_calls};
pub use matches::{Match, Matching};
pub use source_file::SourceMove;
pub(crate) use source_file::{are_one_header, likeness as file_likeness, source_move, stem as file_stem};
pub(crate) use spelling::{LIBRARIES, beside_scope, is_library, is_library_function};
pub(crate) use versioned_scopes::VersionedScopes;

#[cfg(test)]
mod tests;
