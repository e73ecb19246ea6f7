//! Which frame lies on which: by rows and by what they cover.
//!
//! The frame "all" lies in the lowest row, or in the highest of an inverted picture. A frame's caller is the one in the row before that
//! covers it. Rounding to pixels keeps the order of edges, so a frame that has any width is covered by its caller alone.

use super::error::FlameGraphError;
use super::picture::{DrawnFrame, PARTS_OF_PIXEL, Picture};

/// A tenth of a pixel: what positions are rounded to.
const ROUNDING: u64 = (PARTS_OF_PIXEL / 10.0) as u64;

/// The frames of a picture as a tree.
#[derive(Debug)]
pub(super) struct Layout {
    /// Callers before what they call; by number in the picture.
    pub(super) order: Vec<usize>,
    /// By number in the picture: the caller.
    pub(super) callers: Vec<Caller>,
    /// By number in the picture, and that of "all" after the last.
    pub(super) called: Vec<Called>,
}

/// What a frame lies on.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum Caller {
    /// The frame "all".
    Root,
    /// A frame, by number.
    Frame(usize),
    /// The frame has no width, so its caller cannot be known.
    NotTold,
}

/// What lies on a frame.
#[derive(Clone, Copy, Default, Debug)]
pub(super) struct Called {
    /// The weight of all frames on it.
    pub(super) weight: u64,
    /// How many they are.
    pub(super) count: u64,
    /// Left edge of the first.
    pub(super) first: Option<u64>,
}

impl Layout {
    /// Lays frames upon each other.
    pub(super) fn new(picture: &Picture) -> Result<Self, FlameGraphError> {
        let frames = &picture.frames;
        let mut layout = Self {
            order: Vec::with_capacity(frames.len()),
            callers: vec![Caller::NotTold; frames.len()],
            called: vec![Called::default(); frames.len() + 1],
        };
        let Some(root) = &picture.root else { return Ok(layout) };
        let slack = if picture.is_exact { 0 } else { ROUNDING };
        let mut below: Vec<(Caller, &DrawnFrame)> = vec![(Caller::Root, root)];
        for row in rows(frames, root)? {
            layout.lay_row(&row, &below, frames, slack)?;
            below = row.iter().map(|number| (Caller::Frame(*number), &frames[*number])).collect();
        }
        Ok(layout)
    }

    /// Lays a row on the one below; both go from left to right.
    fn lay_row(
        &mut self,
        row: &[usize],
        below: &[(Caller, &DrawnFrame)],
        frames: &[DrawnFrame],
        slack: u64,
    ) -> Result<(), FlameGraphError> {
        let mut below = below.iter().peekable();
        let mut last_end = 0;
        for number in row {
            let Some(frame) = frames.get(*number) else { continue };
            let (start, end) = (frame.start, frame.end());
            while below.next_if(|(_, caller)| caller.end() <= start).is_some() {}
            let covers = |caller: &DrawnFrame| caller.start <= start && end <= caller.end() + slack;
            let Some((caller, _)) = below.peek().filter(|(_, caller)| covers(caller)) else {
                return Err(FlameGraphError::Damaged("a frame does not lie on its caller".into()));
            };
            if start + slack < last_end {
                return Err(FlameGraphError::Damaged("two frames overlap".into()));
            }
            last_end = end;
            self.order.push(*number);
            self.callers[*number] = *caller;
            let of_caller = match caller {
                Caller::Frame(caller) => *caller,
                Caller::Root | Caller::NotTold => frames.len(),
            };
            if let Some(called) = self.called.get_mut(of_caller) {
                called.weight = called.weight.saturating_add(frame.weight);
                called.count += 1;
                called.first = called.first.or(Some(start));
            }
        }
        Ok(())
    }
}

impl DrawnFrame {
    fn end(&self) -> u64 {
        self.start.saturating_add(self.width)
    }
}

/// The rows above the frame "all", each from left to right, without frames that have no width.
fn rows(frames: &[DrawnFrame], root: &DrawnFrame) -> Result<Vec<Vec<usize>>, FlameGraphError> {
    let is_above = frames.iter().any(|frame| frame.row < root.row);
    let is_inverted = frames.iter().any(|frame| frame.row > root.row);
    if (is_above && is_inverted) || frames.iter().any(|frame| frame.row == root.row) {
        return Err(FlameGraphError::Damaged(
            "the frame 'all' is not in a row of its own at the edge".into(),
        ));
    }
    let mut numbers: Vec<usize> = (0..frames.len()).filter(|number| frames[*number].width > 0).collect();
    let distance = |number: &usize| frames[*number].row.abs_diff(root.row);
    numbers.sort_by_key(|number| (distance(number), frames[*number].start, frames[*number].end()));
    Ok(numbers.chunk_by(|a, b| distance(a) == distance(b)).map(<[usize]>::to_vec).collect())
}
