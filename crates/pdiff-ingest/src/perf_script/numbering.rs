//! The profile's numbers of frames, strings and objects, given out in the order in which they come.

use pdiff_profile::{Frame, FrameId, Object, ObjectIndex, ProfileBuilder, StringId};

use super::chain::{Assembler, FrameRef, PlacedFrame};
use super::lines::Lines;
use super::read_line::NameIndex;

/// Gives out numbers.
pub(super) struct Numbering<'l> {
    lines: &'l Lines,
    /// By line.
    frames: Vec<Option<FrameId>>,
    /// By name, which may be that of a symbol and of an object.
    strings: Vec<Option<StringId>>,
    objects: Vec<Option<ObjectIndex>>,
}

/// The numbers of the [`PlacedFrame`]s of an [`Assembler`].
pub(super) struct PlacedIds(Vec<Option<FrameId>>);

impl<'l> Numbering<'l> {
    /// No numbers yet.
    pub(super) fn new(lines: &'l Lines) -> Self {
        Self {
            lines,
            frames: vec![None; lines.len()],
            strings: vec![None; lines.name_count()],
            objects: vec![None; lines.name_count()],
        }
    }

    /// Numbers the frames of stacks in their order, and tells the numbers of those that are more than their line.
    pub(super) fn number(&mut self, stacks: &Assembler<'_>, builder: &mut ProfileBuilder) -> PlacedIds {
        let mut placed = vec![None; stacks.placed_count()];
        for frame in &stacks.firsts {
            let place = *frame as usize;
            let is_known = matches!(self.frames.get(place), Some(Some(_)));
            if is_known {
                continue;
            }
            let value = self.frame(stacks.placed(*frame), builder);
            let slot = match place.checked_sub(self.frames.len()) {
                Some(place) => placed.get_mut(place),
                None => self.frames.get_mut(place),
            };
            slot.into_iter().for_each(|slot| *slot = Some(builder.frame(value)));
        }
        PlacedIds(placed)
    }

    /// The number of a frame of stacks whose frames were numbered.
    #[inline]
    pub(super) fn id_of(&self, frame: FrameRef, placed: &PlacedIds) -> FrameId {
        let place = frame as usize;
        let id = match self.frames.get(place) {
            Some(id) => *id,
            None => placed.0.get(place - self.frames.len()).copied().flatten(),
        };
        id.expect("all frames of the stacks were numbered")
    }

    fn frame(&mut self, placed: PlacedFrame, builder: &mut ProfileBuilder) -> Frame {
        let lines = self.lines;
        let line = lines.frame(placed.line).expect("frames are of lines that are frames");
        let position = placed.source.and_then(|line| lines.source(line));
        let object = match line.object.or(placed.object) {
            Some(name) => self.object(name, builder),
            None => builder.object(Object::unknown()),
        };
        let source = position.and_then(|position| position.source);
        Frame {
            addr: Some(line.addr),
            symbol: line.symbol.map(|name| self.string(name, builder)),
            symbol_offset: line.symbol_offset,
            object,
            source: source.map(|name| self.string(name, builder)),
            inlined: line.inlined || position.is_some_and(|position| position.inlined),
        }
    }

    fn string(&mut self, name: NameIndex, builder: &mut ProfileBuilder) -> StringId {
        let lines = self.lines;
        *self.strings[name as usize].get_or_insert_with(|| builder.string(&lines.name(name)))
    }

    fn object(&mut self, name: NameIndex, builder: &mut ProfileBuilder) -> ObjectIndex {
        let lines = self.lines;
        *self.objects[name as usize]
            .get_or_insert_with(|| builder.object(Object::from_text(&lines.name(name))))
    }
}
