//! Which function was called where a chain continues: what the instruction before a return address says.

use crate::codec::{ByteReader, ByteWriter, CodecError, expect_version};
use crate::id::FrameId;

/// Raised with every change of the byte form.
const VERSION: u64 = 1;

/// A call.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Call {
    /// Of the function that is the outermost one of the resolution with this number.
    Function(u32),
    /// Through a pointer: any function may have been called.
    Pointer,
}

/// The calls that return to the frames of one profile; frames whose call is not known have none.
///
/// ```
/// use pdiff_profile::{Call, FrameCalls, FrameId};
/// let calls: FrameCalls = [(FrameId(7), Call::Function(3)), (FrameId(2), Call::Pointer)].into_iter().collect();
/// assert_eq!(calls.by_frame(8)[7], Some(Call::Function(3)));
/// assert_eq!(FrameCalls::from_bytes(&calls.to_bytes())?, calls);
/// # Ok::<(), pdiff_profile::codec::CodecError>(())
/// ```
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct FrameCalls {
    /// By frame, each once.
    calls: Vec<(FrameId, Call)>,
}

impl FrameCalls {
    /// Whether no call is known.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.calls.is_empty()
    }

    /// The calls by frame, of the first `frames` ones.
    #[must_use]
    pub fn by_frame(&self, frames: usize) -> Vec<Option<Call>> {
        let mut by_frame = vec![None; frames];
        for (frame, call) in &self.calls {
            by_frame.get_mut(frame.index()).into_iter().for_each(|of| *of = Some(*call));
        }
        by_frame
    }

    /// The calls, by frame in rising order.
    pub fn iter(&self) -> impl Iterator<Item = (FrameId, Call)> {
        self.calls.iter().copied()
    }

    /// The byte form: a version, a count, and for each call the distance from the last frame and what is called.
    #[must_use]
    pub fn to_bytes(&self) -> Vec<u8> {
        let mut out = ByteWriter::new();
        out.number(VERSION);
        out.count(self.calls.len());
        let mut next = 0;
        for (frame, call) in &self.calls {
            out.number(u64::from(frame.0) - next);
            next = u64::from(frame.0) + 1;
            out.number(match call {
                Call::Pointer => 0,
                Call::Function(number) => u64::from(*number) + 1,
            });
        }
        out.into_bytes()
    }

    /// The calls of these bytes.
    ///
    /// # Errors
    /// If they are of another version or damaged.
    pub fn from_bytes(bytes: &[u8]) -> Result<Self, CodecError> {
        let mut reader = ByteReader::new(bytes);
        let damaged = CodecError::Damaged { table: "calls of frames" };
        expect_version(&mut reader, VERSION)?;
        let count = reader.count(2).ok_or(damaged)?;
        let mut calls = Vec::with_capacity(count);
        let mut next = 0_u64;
        for _ in 0..count {
            let frame = reader.number().and_then(|step| next.checked_add(step)).ok_or(damaged)?;
            let frame = u32::try_from(frame).map_err(|_| damaged)?;
            let call = match reader.number().ok_or(damaged)? {
                0 => Call::Pointer,
                number => Call::Function(u32::try_from(number - 1).map_err(|_| damaged)?),
            };
            calls.push((FrameId(frame), call));
            next = u64::from(frame) + 1;
        }
        reader.is_empty().then_some(Self { calls }).ok_or(damaged)
    }
}

impl FromIterator<(FrameId, Call)> for FrameCalls {
    fn from_iter<T: IntoIterator<Item = (FrameId, Call)>>(calls: T) -> Self {
        let mut calls: Vec<(FrameId, Call)> = calls.into_iter().collect();
        calls.sort_unstable_by_key(|(frame, _)| *frame);
        calls.dedup_by_key(|(frame, _)| *frame);
        Self { calls }
    }
}
