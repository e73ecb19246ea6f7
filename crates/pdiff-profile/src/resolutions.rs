//! The functions of all frames of a profile, and how a frame's address is to be looked up.

use crate::frame_calls::FrameCalls;
use crate::id::FrameId;
use crate::lookups::Lookup;
use crate::polling::PollingFrames;
use crate::resolution::Resolution;

/// What each frame of one profile resolves to.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct Resolutions {
    table: Vec<Resolution>,
    frames: usize,
    /// By frame; empty while no frame is set.
    exact: Vec<Option<u32>>,
    /// The same.
    minus_one: Vec<Option<u32>>,
    polling: PollingFrames,
    calls: FrameCalls,
}

impl Resolutions {
    /// Nothing resolved, for a profile of `frames` frames.
    #[must_use]
    pub fn new(frames: usize) -> Self {
        Self {
            table: Vec::new(),
            frames,
            exact: Vec::new(),
            minus_one: Vec::new(),
            polling: PollingFrames::default(),
            calls: FrameCalls::default(),
        }
    }

    /// Adds a resolution that several frames may share; gives its number for [`Self::set`].
    pub fn add(&mut self, resolution: Resolution) -> u32 {
        self.table.push(resolution);
        u32::try_from(self.table.len() - 1).expect("fewer than 2^32 resolutions fit in memory")
    }

    /// Says that `frame`, looked up in this way, is resolution `number`.
    pub fn set(&mut self, frame: FrameId, lookup: Lookup, number: u32) {
        let column = match lookup {
            Lookup::Exact => &mut self.exact,
            Lookup::MinusOne => &mut self.minus_one,
        };
        if column.is_empty() {
            column.resize(self.frames, None);
        }
        if let Some(entry) = column.get_mut(frame.index()) {
            *entry = Some(number);
        }
    }

    /// The resolution of a frame; `None` where the symboliser had nothing to say (kernel, no binaries): then perf's
    /// own symbol holds.
    #[must_use]
    pub fn get(&self, frame: FrameId, lookup: Lookup) -> Option<&Resolution> {
        self.table.get(self.number(frame, lookup)? as usize)
    }

    /// The number of a frame's resolution, equal for frames that share one.
    #[must_use]
    pub fn number(&self, frame: FrameId, lookup: Lookup) -> Option<u32> {
        let column = match lookup {
            Lookup::Exact => &self.exact,
            Lookup::MinusOne => &self.minus_one,
        };
        column.get(frame.index()).copied().flatten()
    }

    /// Says which frames' addresses lie in loops that busy-wait. It has a byte form of its own.
    pub fn set_polling(&mut self, polling: PollingFrames) {
        self.polling = polling;
    }

    /// The frames whose addresses lie in loops that busy-wait.
    #[must_use]
    pub fn polling(&self) -> &PollingFrames {
        &self.polling
    }

    /// Says what the calls that return to frames call. It has a byte form of its own.
    pub fn set_calls(&mut self, calls: FrameCalls) {
        self.calls = calls;
    }

    /// What the calls that return to frames call.
    #[must_use]
    pub fn calls(&self) -> &FrameCalls {
        &self.calls
    }

    /// Number of frames of the profile.
    #[must_use]
    pub fn frame_count(&self) -> usize {
        self.frames
    }

    /// All resolutions, by number.
    #[must_use]
    pub fn table(&self) -> &[Resolution] {
        &self.table
    }
}
