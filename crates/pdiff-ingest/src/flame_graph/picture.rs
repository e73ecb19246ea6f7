//! The frames of a picture, out of its XML.
//!
//! A frame is a group (`g`, or `a` if it is a link) with a `title` and a `rect`. Scripts, styles and other text are skipped. Entities of the
//! document are not expanded: neither tool writes any, and what they expand to may be larger than memory.

use std::io::{self, BufRead};
use std::sync::Arc;

use quick_xml::Reader;
use quick_xml::events::{BytesRef, BytesStart, Event};
use quick_xml::name::QName;

use super::error::FlameGraphError;
use super::title::Title;
use crate::digits;

/// The most bytes of a picture, unpacked; one of 100,000 frames has 25 million.
const MAX_BYTES: u64 = 1 << 29;

/// The most frames of a picture; a browser shows some 100,000.
const MAX_FRAMES: usize = 1 << 19;

/// How deep elements may lie within each other. Both tools need five, however deep the stacks are.
const MAX_NESTING: usize = 64;

/// Parts of a pixel that positions are counted in.
pub(super) const PARTS_OF_PIXEL: f64 = 1000.0;

/// What a picture shows.
#[derive(Default, Debug)]
pub(super) struct Picture {
    /// In the order of the file, without the one below all others.
    pub(super) frames: Vec<DrawnFrame>,
    /// The frame below all others.
    pub(super) root: Option<DrawnFrame>,
    /// How many samples of which event the picture represents, if it says it.
    pub(super) samples: Option<(u64, Box<str>)>,
    /// Whether positions are in samples, not in parts of a pixel.
    pub(super) is_exact: bool,
    /// How many titles had bytes that are not UTF-8.
    pub(super) not_utf8: u64,
}

/// A rectangle with its title.
#[derive(Clone, Debug)]
pub(super) struct DrawnFrame {
    pub(super) what: What,
    /// Upper edge, in parts of a pixel.
    pub(super) row: u64,
    /// Left edge and width, in samples or parts of a pixel.
    pub(super) start: u64,
    pub(super) width: u64,
    pub(super) weight: u64,
}

/// What a frame represents.
#[derive(Clone, PartialEq, Eq, Debug)]
pub(super) enum What {
    /// A function, with its mark if the picture has kept it.
    Function(Box<str>),
    /// A function of an object.
    Of(Box<str>, Box<str>),
    /// Frames that were summed up as one.
    Pruned,
}

/// Why a picture could not be read.
pub(super) enum ReadError {
    Io(io::Error),
    Wrong(FlameGraphError),
}

impl From<FlameGraphError> for ReadError {
    fn from(error: FlameGraphError) -> Self {
        Self::Wrong(error)
    }
}

fn damaged(why: impl Into<Box<str>>) -> ReadError {
    FlameGraphError::Damaged(why.into()).into()
}

/// Reads all frames.
pub(super) fn read(input: impl BufRead) -> Result<Picture, ReadError> {
    let mut reader = Reader::from_reader(input.take(MAX_BYTES + 1));
    let mut pending = Pending::default();
    let mut buffer = Vec::new();
    loop {
        buffer.clear();
        let event = reader.read_event_into(&mut buffer);
        if reader.buffer_position() > MAX_BYTES {
            return Err(FlameGraphError::TooLarge { limit: MAX_BYTES, what: "bytes" }.into());
        }
        match event.map_err(of_xml)? {
            Event::Start(element) => pending.start(&element)?,
            Event::Empty(element) => {
                pending.start(&element)?;
                pending.end(element.name())?;
            }
            Event::End(element) => pending.end(element.name())?,
            Event::Text(text) => pending.text(&text),
            Event::CData(text) => pending.text(&text),
            Event::GeneralRef(reference) => pending.reference(&reference)?,
            Event::Eof => return pending.finish(),
            Event::Comment(_) | Event::Decl(_) | Event::PI(_) | Event::DocType(_) => {}
        }
    }
}

fn of_xml(error: quick_xml::Error) -> ReadError {
    match error {
        quick_xml::Error::Io(error) => {
            ReadError::Io(Arc::try_unwrap(error).unwrap_or_else(|shared| shared.kind().into()))
        }
        // What it quotes may be long, and may hold anything.
        error => {
            let text: String = error.to_string().chars().take(120).flat_map(char::escape_debug).collect();
            damaged(text)
        }
    }
}

/// Edges of a rectangle as far as they were given.
#[derive(Clone, Copy, Default, Debug)]
struct Rectangle {
    row: Option<u64>,
    pixels: [Option<u64>; 2],
    samples: [Option<u64>; 2],
}

/// A group that was begun and not ended.
#[derive(Default, Debug)]
struct Group {
    title: Option<Vec<u8>>,
    rectangle: Option<Rectangle>,
}

#[derive(Default, Debug)]
struct Pending {
    picture: Picture,
    nesting: usize,
    /// Innermost last.
    groups: Vec<Group>,
    /// The title being read.
    title: Option<Vec<u8>>,
    total: Option<u64>,
    with_samples: usize,
}

impl Pending {
    fn start(&mut self, element: &BytesStart<'_>) -> Result<(), ReadError> {
        self.nesting += 1;
        if self.nesting > MAX_NESTING {
            return Err(damaged(format!("its elements are nested more than {MAX_NESTING} deep")));
        }
        match element.local_name().as_ref() {
            b"g" | b"a" => self.groups.push(Group::default()),
            b"title" => self.title = Some(Vec::new()),
            b"rect" => {
                let rectangle = Rectangle::read(element)?;
                if let Some(group) = self.groups.last_mut() {
                    group.rectangle = Some(rectangle);
                }
            }
            b"svg" => {
                let total = attribute(element, b"total_samples")?;
                self.total = total.and_then(|total| digits::decimal(&total)).or(self.total);
            }
            _ => {}
        }
        Ok(())
    }

    fn end(&mut self, name: QName<'_>) -> Result<(), ReadError> {
        // The reader has checked that each end has its start.
        self.nesting = self.nesting.saturating_sub(1);
        match name.local_name().as_ref() {
            b"title" => {
                let title = self.title.take();
                if let Some(group) = self.groups.last_mut() {
                    group.title = title;
                }
            }
            b"g" | b"a" => {
                if let Some(Group { title: Some(title), rectangle: Some(rectangle) }) = self.groups.pop() {
                    self.frame(&title, rectangle)?;
                }
            }
            _ => {}
        }
        Ok(())
    }

    fn text(&mut self, text: &[u8]) {
        if let Some(title) = &mut self.title {
            title.extend_from_slice(text);
        }
    }

    /// `&lt;` and similar.
    fn reference(&mut self, reference: &BytesRef<'_>) -> Result<(), ReadError> {
        let Some(title) = &mut self.title else { return Ok(()) };
        let character = match reference.as_ref() {
            b"lt" => '<',
            b"gt" => '>',
            b"amp" => '&',
            b"quot" => '"',
            b"apos" => '\'',
            _ => match reference.resolve_char_ref() {
                Ok(Some(character)) => character,
                _ => return Err(damaged("a title has an entity that SVG does not have")),
            },
        };
        title.extend_from_slice(character.encode_utf8(&mut [0; 4]).as_bytes());
        Ok(())
    }

    /// A group with title and rectangle.
    fn frame(&mut self, title: &[u8], rectangle: Rectangle) -> Result<(), ReadError> {
        let text = String::from_utf8_lossy(title);
        let title = Title::parse(&text);
        let (row, place) = (rectangle.row, rectangle.place()?);
        let (Some(row), Some((is_exact, start, width))) = (row, place) else { return Ok(()) };
        let (what, samples) = match title {
            Title::Difference => return Err(FlameGraphError::Difference.into()),
            Title::Root(samples) => (None, Some(samples)),
            Title::RootOfPdiff(samples) => {
                self.picture.samples = samples.map(|(samples, event)| (samples, event.into()));
                (None, None)
            }
            Title::Frame(name, samples) => (Some(What::Function(name.into())), Some(samples)),
            Title::OfPdiff(name, object) => (Some(What::Of(name.into(), object.into())), None),
            Title::Pruned => (Some(What::Pruned), None),
            Title::Other(name) => (Some(What::Function(name.into())), None),
        };
        let Some(weight) = (if is_exact { Some(width) } else { samples }) else { return Ok(()) };
        if self.picture.frames.len() >= MAX_FRAMES {
            return Err(FlameGraphError::TooLarge { limit: MAX_FRAMES as u64, what: "frames" }.into());
        }
        self.with_samples += usize::from(is_exact);
        self.picture.not_utf8 += u64::from(matches!(text, std::borrow::Cow::Owned(_)));
        match what {
            Some(what) => self.picture.frames.push(DrawnFrame { what, row, start, width, weight }),
            None if self.picture.root.is_some() => return Err(damaged("two frames are below all others")),
            None => {
                let what = What::Function("all".into());
                self.picture.root = Some(DrawnFrame { what, row, start, width, weight });
            }
        }
        Ok(())
    }

    fn finish(self) -> Result<Picture, ReadError> {
        if self.nesting > 0 {
            return Err(damaged("its last element does not end"));
        }
        let Some(root) = &self.picture.root else {
            let why = match self.picture.frames.is_empty() {
                true => "it has no frames",
                false => "it has no frame 'all' below the others",
            };
            return Err(FlameGraphError::OtherPicture(why).into());
        };
        let is_exact = self.with_samples > 0;
        if is_exact && self.with_samples != self.picture.frames.len() + 1 {
            return Err(damaged("some frames have sample positions, others do not"));
        }
        if is_exact && self.total.is_some_and(|total| total != root.weight) {
            return Err(damaged("the width of its frames differs from its stated number of samples"));
        }
        Ok(Picture { is_exact, ..self.picture })
    }
}

impl Rectangle {
    fn read(element: &BytesStart<'_>) -> Result<Self, ReadError> {
        let mut rectangle = Self::default();
        for attribute in element.attributes() {
            let attribute = attribute.map_err(|error| damaged(error.to_string()))?;
            let value = attribute.value.as_ref();
            match attribute.key.as_ref() {
                b"x" => rectangle.pixels[0] = pixels(value),
                b"width" => rectangle.pixels[1] = pixels(value),
                b"y" => rectangle.row = pixels(value),
                b"fg:x" => rectangle.samples[0] = digits::decimal(value),
                b"fg:w" => rectangle.samples[1] = digits::decimal(value),
                _ => {}
            }
        }
        Ok(rectangle)
    }

    /// Left edge and width, and whether they are in samples; nothing if it has none that a frame has.
    fn place(&self) -> Result<Option<(bool, u64, u64)>, ReadError> {
        Ok(match (self.samples, self.pixels) {
            ([Some(start), Some(width)], _) => Some((true, start, width)),
            ([None, None], [Some(start), Some(width)]) => Some((false, start, width)),
            ([None, None], _) => None,
            _ => return Err(damaged("a frame has no place in samples")),
        })
    }
}

/// A number of pixels in whole parts; nothing for percentages and what no picture has.
fn pixels(value: &[u8]) -> Option<u64> {
    let number: f64 = std::str::from_utf8(value).ok()?.trim().parse().ok()?;
    let parts = (number * PARTS_OF_PIXEL).round();
    (0.0..1e12).contains(&parts).then_some(parts as u64)
}

fn attribute(element: &BytesStart<'_>, name: &[u8]) -> Result<Option<Vec<u8>>, ReadError> {
    for attribute in element.attributes() {
        let attribute = attribute.map_err(|error| damaged(error.to_string()))?;
        if attribute.key.as_ref() == name {
            return Ok(Some(attribute.value.into_owned()));
        }
    }
    Ok(None)
}
