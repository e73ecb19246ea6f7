//! The functions of all frames of a profile, and how a frame's address is to be looked up.
//!
//! A caller's address is a return address: the call is before it. So one recorded frame may be looked up in two ways,
//! as the leaf of one stack and as a caller in another. [`lookups`] is the one place where that is decided.

use crate::object::ObjectKind;
use crate::profile::{FrameId, Profile};
use crate::resolution::Resolution;

/// How the address of a frame is looked up.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub enum Lookup {
    /// As printed: the leaf, and a user frame that the kernel interrupted.
    Exact,
    /// One byte before: a return address.
    MinusOne,
}

/// How each frame of a stack (root first) is looked up.
///
/// The leaf is looked up as it is, and so is the user frame right under a kernel interrupt entry (`asm_sysvec_*`,
/// `asm_exc_*`, `asm_common_interrupt`): it was interrupted, not calling. All others are return addresses.
pub fn lookups<'a>(
    profile: &'a Profile,
    root_first: &'a [FrameId],
) -> impl Iterator<Item = (FrameId, Lookup)> + 'a {
    root_first.iter().enumerate().map(|(at, &id)| {
        let interrupted = match root_first.get(at + 1) {
            None => true,
            Some(&callee) => is_interrupt_entry(profile, callee) && !is_kernel(profile, id),
        };
        (id, if interrupted { Lookup::Exact } else { Lookup::MinusOne })
    })
}

fn is_kernel(profile: &Profile, id: FrameId) -> bool {
    let object = profile.frames.get(id.index()).and_then(|frame| profile.objects.get(frame.object.index()));
    object.is_some_and(|object| object.kind.is_kernel() || object.kind == ObjectKind::Unknown)
}

fn is_interrupt_entry(profile: &Profile, id: FrameId) -> bool {
    let symbol =
        profile.frames.get(id.index()).and_then(|frame| frame.symbol).map(|symbol| profile.string(symbol));
    symbol.is_some_and(|symbol| {
        symbol.starts_with("asm_sysvec_")
            || symbol.starts_with("asm_exc_")
            || symbol == "asm_common_interrupt"
    })
}

/// What each frame of one profile resolves to.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct Resolutions {
    table: Vec<Resolution>,
    exact: Vec<Option<u32>>,
    minus_one: Vec<Option<u32>>,
}

impl Resolutions {
    /// Nothing resolved, for a profile of `frames` frames.
    #[must_use]
    pub fn new(frames: usize) -> Self {
        Self { table: Vec::new(), exact: vec![None; frames], minus_one: vec![None; frames] }
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

    /// All resolutions, by number.
    #[must_use]
    pub fn table(&self) -> &[Resolution] {
        &self.table
    }
}
