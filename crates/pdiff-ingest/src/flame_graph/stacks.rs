//! What frames weigh of their own, as stacks.
//!
//! ```text
//! caller   |<------------------ weight ------------------>|
//! called             |<-- a -->|<-- b -->|    |<-- c -->|
//!          |<-own -->|                   |lost|         |lost|
//! ```
//!
//! What a frame weighs beyond the frames on it is its own up to where the first of them begins; the rest was too narrow to
//! draw. "all" has nothing of its own. Positions in pixels are rounded: what they cannot tell from nothing is the frame's
//! own.

use pdiff_profile::{EventId, Frame, FrameId, NoteKind, Object, ProfileBuilder, StackTable, Thread, Weight};

use super::error::FlameGraphError;
use super::layout::{Called, Caller, Layout};
use super::picture::{DrawnFrame, PARTS_OF_PIXEL, Picture, What};
use crate::counted_samples::set_samples;
use crate::named_frames::NamedFrames;

/// The most frames of all stacks together: 128 MB, as long as the stacks of 524,288 frames that lie 64 deep.
const MAX_STACKED: usize = 1 << 25;

/// The object of what was too narrow to draw.
const PRUNED: &str = "[pruned]";

/// The name of an unknown function in pictures of `pdiff flame`.
const UNRESOLVED: &str = "[unresolved]";

/// The parts of a frame's weight that no frame on it has.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
struct Rest {
    own: u64,
    lost: u64,
}

/// Counts each frame's own weight, and what is lost.
pub(super) fn count(
    picture: &Picture,
    layout: &Layout,
) -> Result<(ProfileBuilder, NamedFrames), FlameGraphError> {
    let mut stacks = Stacks::new(picture);
    let Some(root) = &picture.root else { return Ok((stacks.builder, stacks.named)) };
    let scale = Scale::new(picture, root);
    let mut lost = Lost::default();
    let rest = scale.rest(root, layout.called.last().copied().unwrap_or_default())?;
    lost.add(rest.own + rest.lost, "all");
    let pruned = [stacks.pruned];
    stacks.count(&pruned, rest.own + rest.lost)?;
    for number in &layout.order {
        let (Some(frame), Some(called)) = (picture.frames.get(*number), layout.called.get(*number)) else {
            continue;
        };
        let rest = scale.rest(frame, *called)?;
        match &frame.what {
            What::Pruned => lost.add(rest.own, PRUNED),
            What::Function(name) | What::Of(name, _) => lost.add(rest.lost, name),
        }
        if rest.own + rest.lost == 0 {
            continue;
        }
        let mut root_first = stacks.path(layout, *number);
        stacks.count(&root_first, rest.own)?;
        root_first.push(stacks.pruned);
        stacks.count(&root_first, rest.lost)?;
    }
    let mut builder = stacks.builder;
    if lost.weight > 0 {
        let example = || format!("at least this weight is not drawn, most of it below {}", lost.heaviest.1);
        builder.notes.add(NoteKind::NarrowFrames, lost.callers, Weight(lost.weight), example);
    }
    set_samples(&mut builder, stacks.event, picture.samples.as_ref().map(|(samples, _)| *samples));
    if picture.not_utf8 > 0 {
        builder.notes.add(NoteKind::NotUtf8, picture.not_utf8, Weight::ZERO, String::new);
    }
    Ok((builder, stacks.named))
}

/// What was lost so far.
#[derive(Default)]
struct Lost<'a> {
    callers: u64,
    weight: u64,
    heaviest: (u64, &'a str),
}

impl<'a> Lost<'a> {
    fn add(&mut self, weight: u64, caller: &'a str) {
        self.callers += u64::from(weight > 0);
        self.weight = self.weight.saturating_add(weight);
        if weight > self.heaviest.0 {
            self.heaviest = (weight, caller);
        }
    }
}

/// How far positions tell samples.
struct Scale {
    is_exact: bool,
    /// Samples that one part of a pixel is wide.
    samples: f64,
}

impl Scale {
    fn new(picture: &Picture, root: &DrawnFrame) -> Self {
        let samples = if root.width == 0 { 0.0 } else { root.weight as f64 / root.width as f64 };
        Self { is_exact: picture.is_exact, samples }
    }

    fn rest(&self, frame: &DrawnFrame, called: Called) -> Result<Rest, FlameGraphError> {
        // Titles are rounded if the picture was made with a factor, each by a half at most.
        let excess = called.weight.saturating_sub(frame.weight);
        if excess > 0 && (self.is_exact || excess > called.count.div_ceil(2)) {
            return Err(FlameGraphError::Damaged("the callees of a frame weigh more than the frame".into()));
        }
        let rest = frame.weight.saturating_sub(called.weight);
        let own = match called.first.map(|first| first.saturating_sub(frame.start)) {
            None => rest,
            Some(gap) if self.is_exact => gap.min(rest),
            Some(gap) => self.own(gap, rest),
        };
        Ok(Rest { own, lost: rest - own })
    }

    /// How much of the rest a gap of parts of a pixel takes.
    fn own(&self, gap: u64, rest: u64) -> u64 {
        let rounding = (PARTS_OF_PIXEL / 10.0 * self.samples).max(0.5);
        let lost = rest as f64 - gap as f64 * self.samples;
        if lost < rounding { rest } else { rest.saturating_sub(lost.round() as u64) }
    }
}

/// Stacks in the making.
struct Stacks {
    builder: ProfileBuilder,
    named: NamedFrames,
    /// By number in the picture.
    frames: Vec<FrameId>,
    pruned: FrameId,
    event: EventId,
    stacked: usize,
}

impl Stacks {
    fn new(picture: &Picture) -> Self {
        let mut builder = ProfileBuilder::new();
        let pruned = unresolved(&mut builder, PRUNED);
        let mut named = NamedFrames::default();
        let of = |drawn: &DrawnFrame| frame(&mut builder, &mut named, &drawn.what);
        let frames = picture.frames.iter().map(of).collect();
        let event = builder.event(picture.samples.as_ref().map_or("", |(_, event)| event));
        Self { builder, named, frames, pruned, event, stacked: 0 }
    }

    /// The frame of this number below those that called it, root first; one more than is kept if they are too many.
    fn path(&self, layout: &Layout, number: usize) -> Vec<FrameId> {
        let mut leaf_first = Vec::new();
        let mut next = Caller::Frame(number);
        while let Caller::Frame(number) = next {
            if leaf_first.len() > StackTable::MAX_DEPTH {
                break;
            }
            leaf_first.extend(self.frames.get(number));
            next = layout.callers.get(number).copied().unwrap_or(Caller::Root);
        }
        leaf_first.reverse();
        leaf_first
    }

    fn count(&mut self, root_first: &[FrameId], weight: u64) -> Result<(), FlameGraphError> {
        if weight == 0 {
            return Ok(());
        }
        let from = root_first.len().saturating_sub(StackTable::MAX_DEPTH);
        if from > 0 {
            self.builder.notes.add(NoteKind::StackTooDeep, 1, Weight(weight), String::new);
        }
        let root_first = root_first.get(from..).unwrap_or(&[]);
        self.stacked += root_first.len();
        if self.stacked > MAX_STACKED {
            return Err(FlameGraphError::TooLarge {
                limit: MAX_STACKED as u64,
                what: "frames in its stacks",
            });
        }
        let comm = self.builder.string("");
        let thread = self.builder.thread(Thread { comm, pid: None, tid: None });
        let stack = self.builder.stack(root_first);
        let samples = u32::try_from(weight).unwrap_or(u32::MAX);
        self.builder.count(self.event, 0, thread, stack, samples, Weight(weight));
        Ok(())
    }
}

fn frame(builder: &mut ProfileBuilder, named: &mut NamedFrames, what: &What) -> FrameId {
    match what {
        What::Function(name) => named.frame(builder, name, None).0,
        What::Pruned => unresolved(builder, PRUNED),
        What::Of(name, object) if **name == *UNRESOLVED => unresolved(builder, object),
        What::Of(name, object) => {
            let object = builder.object(Object::from_text(object));
            let symbol = Some(builder.string(name));
            builder.frame(Frame {
                addr: None,
                symbol,
                symbol_offset: None,
                object,
                source: None,
                inlined: false,
            })
        }
    }
}

/// Code of an object whose function is not known.
fn unresolved(builder: &mut ProfileBuilder, object: &str) -> FrameId {
    let object = builder.object(Object::from_text(object));
    builder.frame(Frame {
        addr: None,
        symbol: None,
        symbol_offset: None,
        object,
        source: None,
        inlined: false,
    })
}
