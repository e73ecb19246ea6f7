//! The byte form of a [`Matching`], for caches.
//!
//! ```text
//! matching = count match*
//! match    = before:difference after:difference kind:byte score:fixed?
//! kind     = level x 4, + 2 if there is a score, + 1 if it is ambiguous
//! ```
//!
//! The reader checks every number, so that no bytes make it panic. There is no checksum: a cache file has its own.

use pdiff_profile::PerSide;
use pdiff_profile::census::{Census, FunctionId};
use pdiff_profile::codec::{ByteReader, ByteWriter};

use super::level::FoundBy;
use super::matches::{Match, Matching};

/// Raised with every change of the form, or of what [`match_functions`](super::match_functions) finds.
pub const MATCHING_VERSION: u32 = 11;

/// The bytes of the shortest match.
const LEAST_BYTES: usize = 3;

impl Matching {
    /// The byte form.
    #[must_use]
    pub fn to_bytes(&self) -> Vec<u8> {
        let mut out = ByteWriter::new();
        out.count(self.matches().len());
        let (mut before, mut after) = (0, 0);
        for found in self.matches() {
            out.difference(before, u64::from(found.before.0));
            out.difference(after, u64::from(found.after.0));
            (before, after) = (u64::from(found.before.0), u64::from(found.after.0));
            let level = (0_u8..).zip(FoundBy::ALL).find(|(_, level)| *level == found.level);
            let level = level.map(|(number, _)| number).expect("ALL lists every level");
            out.byte(level << 2 | u8::from(found.score.is_some()) << 1 | u8::from(found.is_ambiguous));
            found.score.iter().for_each(|score| out.fixed(score.to_bits()));
        }
        out.into_bytes()
    }

    /// The pairs of these functions; `None` if the bytes are of another form.
    #[must_use]
    pub fn from_bytes(bytes: &[u8], builds: PerSide<&Census>) -> Option<Self> {
        let functions = builds.map(|census| census.functions().len());
        let mut reader = ByteReader::new(bytes);
        let count = reader.count(LEAST_BYTES)?;
        let mut matching = Self::default();
        let (mut before, mut after) = (0, 0);
        for _ in 0..count {
            (before, after) = (reader.difference(before)?, reader.difference(after)?);
            let kind = reader.byte()?;
            let id = |id: u64, functions: usize| {
                let id = FunctionId(u32::try_from(id).ok()?);
                (id.index() < functions).then_some(id)
            };
            matching.push(Match {
                before: id(before, functions.before)?,
                after: id(after, functions.after)?,
                level: *FoundBy::ALL.get(usize::from(kind >> 2))?,
                is_ambiguous: kind & 1 == 1,
                score: if kind & 2 == 2 { Some(f64::from_bits(reader.fixed()?)) } else { None },
            });
        }
        (reader.is_empty() && matching.matches().len() == count).then_some(matching)
    }
}

#[cfg(test)]
mod tests {
    use pdiff_profile::census::{CensusBuilder, FunctionFacts, Visibility};

    use super::*;

    fn census(functions: u8) -> Census {
        let mut builder = CensusBuilder::new(Visibility::DebugInfo);
        for number in 0..functions {
            let name = builder.text(&format!("f{number}"));
            builder.function(FunctionFacts::named(name));
        }
        builder.finish()
    }

    fn matching() -> Matching {
        let pair = |before, after| Match {
            before: FunctionId(before),
            after: FunctionId(after),
            level: FoundBy::Linkage,
            is_ambiguous: false,
            score: None,
        };
        let mut matching = Matching::default();
        matching.push(pair(2, 0));
        matching.push(Match { level: FoundBy::Qualified, is_ambiguous: true, ..pair(0, 3) });
        matching.push(Match { level: FoundBy::Fuzzy, score: Some(0.625), ..pair(1, 1) });
        matching
    }

    #[test]
    fn pairs_come_back() {
        let (before, after) = (census(3), census(4));
        let builds = PerSide::new(&before, &after);
        for matching in [matching(), Matching::default()] {
            assert_eq!(Matching::from_bytes(&matching.to_bytes(), builds), Some(matching));
        }
    }

    #[test]
    fn what_is_not_a_matching_of_these_builds_is_refused() {
        let (before, after) = (census(3), census(4));
        let builds = PerSide::new(&before, &after);
        let bytes = matching().to_bytes();
        for length in 0..bytes.len() {
            assert_eq!(Matching::from_bytes(&bytes[..length], builds), None, "cut at {length}");
        }
        assert_eq!(Matching::from_bytes(&[&bytes[..], &[0]].concat(), builds), None, "longer");
        assert_eq!(Matching::from_bytes(&bytes, PerSide::new(&after, &before)), None, "other builds");
        // Two pairs of one function, and a level that does not exist.
        assert_eq!(Matching::from_bytes(&[2, 0, 0, 0, 0, 2, 0], builds), None);
        assert_eq!(Matching::from_bytes(&[1, 0, 0, (FoundBy::ALL.len() as u8) << 2], builds), None);
    }
}
