//! Frames whose address lies in a loop that busy-waits.

use crate::codec::{ByteReader, ByteWriter, CodecError, expect_version};
use crate::id::FrameId;
use crate::lookups::{Lookup, Lookups};
use crate::profile::Profile;

/// Raised with every change of the byte form.
const VERSION: u64 = 1;

/// The frames of one profile whose address lies in a loop that busy-waits, by how they are looked up.
///
/// ```
/// use pdiff_profile::{FrameId, Lookup, PollingFrames};
/// let frames: PollingFrames = [(FrameId(7), Lookup::Exact)].into_iter().collect();
/// assert!(frames.contains(FrameId(7), Lookup::Exact) && !frames.contains(FrameId(7), Lookup::MinusOne));
/// assert_eq!(PollingFrames::from_bytes(&frames.to_bytes())?, frames);
/// # Ok::<(), pdiff_profile::codec::CodecError>(())
/// ```
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct PollingFrames {
    /// Twice the frame's number, and one more where it is a return address; sorted, each once.
    codes: Vec<u64>,
}

impl PollingFrames {
    /// Whether there is none.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.codes.is_empty()
    }

    /// Whether the address of a frame, looked up in this way, lies in such a loop.
    #[must_use]
    pub fn contains(&self, frame: FrameId, lookup: Lookup) -> bool {
        self.codes.binary_search(&code(frame, lookup)).is_ok()
    }

    /// By stack of the profile: whether some frame is in such a loop. Callees of the loop, and interrupts of it, count as
    /// waiting too.
    #[must_use]
    pub fn stacks(&self, profile: &Profile) -> Vec<bool> {
        let lookups = Lookups::new(profile);
        // Stacks have many frames and few different ones: each is looked for once.
        let mut polls = vec![[false; 2]; profile.frames.len()];
        for code in &self.codes {
            let frame = usize::try_from(code >> 1).ok().and_then(|frame| polls.get_mut(frame));
            frame.into_iter().for_each(|polls| polls[(code & 1) as usize] = true);
        }
        let is_polling = |(frame, lookup): (FrameId, Lookup)| {
            polls.get(frame.index()).is_some_and(|polls| polls[usize::from(lookup == Lookup::MinusOne)])
        };
        profile.stacks.iter().map(|stack| lookups.of(stack).any(is_polling)).collect()
    }

    /// The byte form: a version, a count, and the differences between frames.
    #[must_use]
    pub fn to_bytes(&self) -> Vec<u8> {
        let mut out = ByteWriter::new();
        out.number(VERSION);
        out.count(self.codes.len());
        let mut last = 0;
        for code in &self.codes {
            out.number(code - last);
            last = *code;
        }
        out.into_bytes()
    }

    /// The frames of these bytes.
    ///
    /// # Errors
    /// If they are of another version or damaged.
    pub fn from_bytes(bytes: &[u8]) -> Result<Self, CodecError> {
        let mut reader = ByteReader::new(bytes);
        let damaged = CodecError::Damaged { table: "polling frames" };
        expect_version(&mut reader, VERSION)?;
        let count = reader.count(1).ok_or(damaged)?;
        let mut codes = Vec::with_capacity(count);
        let mut last = 0_u64;
        for _ in 0..count {
            last = reader.number().and_then(|step| last.checked_add(step)).ok_or(damaged)?;
            codes.push(last);
        }
        let is_whole = reader.is_empty() && codes.is_sorted_by(|a, b| a < b);
        is_whole.then_some(Self { codes }).ok_or(damaged)
    }
}

impl FromIterator<(FrameId, Lookup)> for PollingFrames {
    fn from_iter<T: IntoIterator<Item = (FrameId, Lookup)>>(frames: T) -> Self {
        let mut codes: Vec<u64> = frames.into_iter().map(|(frame, lookup)| code(frame, lookup)).collect();
        codes.sort_unstable();
        codes.dedup();
        Self { codes }
    }
}

fn code(frame: FrameId, lookup: Lookup) -> u64 {
    2 * u64::from(frame.0) + u64::from(lookup == Lookup::MinusOne)
}
