//! The census of a build: what functions it has, where each was inlined, who calls whom, and who compiled it.
//!
//! In: rows from the reader of the binary ([`CensusBuilder`]). Out: [`Census`], sorted and indexed, with a byte form for
//! caches. No IO, no ELF, no DWARF here.
//!
//! Constraints: one large server has 130 thousand functions, 2.1 million inlined instances at 1.2 million different call
//! sites, and half a million call edges. So rows are fixed-size structs of ids, each text is stored once in one table, and
//! the byte form is columns of variable-length numbers.
//!
//! A census contains no weights, and of indirect calls only those through the linker's table of addresses: the file does not name the
//! targets of others.

mod body;
mod builder;
mod codec;
mod edge;
mod function;
mod function_facts;
mod index;
mod late_names;
mod left_out;
mod packed;
mod producer;
mod site;
mod table;
mod text;

pub use body::{Body, BodyHash, BodyPart, Spin};
pub use builder::CensusBuilder;
pub use codec::CensusBytesError;
pub use edge::{CallEdge, EdgeSource};
pub use function::Function;
pub use function_facts::{FunctionFacts, FunctionId, InlineAttribute, Linkage};
pub use packed::{Detail, TOLD_CALLERS};
pub use producer::{Compiler, Producer, ProducerId};
pub use site::InlineSite;
pub use table::{Census, Coverage, InlinedInto, Visibility};
pub use text::TextId;

#[cfg(test)]
mod tests;
