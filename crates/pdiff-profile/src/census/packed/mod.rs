//! The byte form of a census for packs: small, and optionally with only a part of the functions.
//!
//! ```text
//! "pdcenpak" version:byte payload
//! payload   = visibility:byte coverage producers files functions bodies sites edges left-out
//! files     = texts
//! functions = count names file:number* line:number* linkage:byte* producer:number* alias:number*
//! bodies    = count:number* bytes:number* flags:byte* hash:(4 bytes)*
//! sites     = callers:number* caller:difference* count:number* has-place:byte* file:number* line:number*
//! edges     = callers:number* caller:difference* calls:number* tail-jumps:number* source:byte*
//! left-out  = count block
//! ```
//!
//! It differs from the cache format. Addresses and declarations of `inline` are not kept, because no comparison of builds
//! needs them. Lines, hashes and the places of copies are kept for functions in full detail only. A pair of callee and
//! caller is one row, with the first known place, kept only for the [`TOLD_CALLERS`] callers with the most copies, because
//! no output names more. Rows are columns, for zstd. There is no checksum: a pack has its own. The reader checks every id
//! and order; it never panics.

mod join;
mod names;
mod reader;
mod writer;

#[cfg(test)]
mod tests;

use super::codec::CensusBytesError;
use super::function::Function;
use super::table::Census;
use crate::codec::ByteReader;

const MAGIC: &[u8; 8] = b"pdcenpak";

/// Raised with every change of the form or of what its rows mean.
const VERSION: u8 = 2;
/// This version hashed code in another way, so that its hashes equal none.
const WITH_OTHER_HASHES: u8 = 1;

/// How much of a function is packed.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub enum Detail {
    /// That the build contains its name; all the same more is packed where it has code, or a namesake that is packed.
    None,
    /// Everything but what [`Detail::Full`] adds.
    Rows,
    /// Also its line, the hash of its code, and where the recorded copies are called.
    Full,
}

/// How many callers of a function are told with the place of a copy, those with the most copies first.
pub const TOLD_CALLERS: usize = 5;

/// Flags of a body: its part in the two lowest bits, then these, then the sign of busy waiting.
const DESCRIBED: u8 = 1 << 2;
const HASHED: u8 = 1 << 3;
const SPIN_SHIFT: u32 = 4;

impl Census {
    /// The byte form for packs, of the functions with code and of those without of which `keep` wants more than
    /// [`Detail::None`]. All functions of one name are kept or left out together; of names left out it is kept that
    /// they are in the build ([`Census::leaves_out`]).
    #[must_use]
    pub fn to_packed_bytes(&self, keep: impl Fn(Function<'_>) -> Detail) -> Vec<u8> {
        let mut out = MAGIC.to_vec();
        out.push(VERSION);
        out.extend(writer::write(self, keep));
        out
    }

    /// The census, or the part of one, that [`Census::to_packed_bytes`] wrote.
    ///
    /// # Errors
    /// If they are not of that form, of another version, or damaged.
    pub fn from_packed_bytes(bytes: &[u8]) -> Result<Self, CensusBytesError> {
        let rest = bytes.strip_prefix(MAGIC).ok_or(CensusBytesError::NotACensus)?;
        let mut reader = ByteReader::new(rest);
        let found = reader.byte().ok_or(CensusBytesError::Damaged)?;
        if ![WITH_OTHER_HASHES, VERSION].contains(&found) {
            let (found, expected) = (u64::from(found), u64::from(VERSION));
            return Err(CensusBytesError::OtherVersion { found, expected });
        }
        let census = reader::read(&mut reader).filter(|_| reader.is_empty());
        let mut census = census.ok_or(CensusBytesError::Damaged)?;
        if found == WITH_OTHER_HASHES {
            census.bodies.iter_mut().for_each(|body| body.hash = None);
        }
        Ok(census)
    }
}
