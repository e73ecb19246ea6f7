//! The index of one object: from an address to its chain of functions, in one block of bytes.
//!
//! The same bytes are in memory and in the cache file, so loading is checking a sum. Nothing in them is trusted: every
//! access is checked, a node's parent comes before it, so that no chain can loop.
//!
//! ```text
//! header     magic, format, base, whole, counts
//! segments   addr[], node[]        from this address on, this node (sorted; addresses less base)
//! nodes      parent, function, call file, call line
//! lines      addr[], place[]       from this address on, this place (sorted)
//! places     file, line
//! functions  name, linkage name
//! strings    end[], bytes
//! ```
//!
//! Two arrays beside each other keep the search for an address in few cache lines.

use std::sync::Arc;

use object::LittleEndian as Le;
use object::pod::slice_from_bytes;

use pdiff_profile::{InlineChain, InlineFrame, Reason, Resolution};
use rayon::prelude::*;

use crate::binary::function_name::display_name;

type Word = object::U32<Le>;

/// First bytes of an index.
pub(crate) const MAGIC: [u8; 8] = *b"pdiffidx";
/// Changes whenever the bytes or what they say changes.
pub(crate) const FORMAT: u32 = 3;
/// Number of 32-bit words before the arrays.
pub(crate) const HEADER_WORDS: usize = 12;
/// No string, no place.
pub(crate) const NONE: u32 = u32::MAX;
/// A node that says: looked for, and nothing is there.
pub(crate) const NOTHING: u32 = u32::MAX;
/// A node that says: not looked for yet.
pub(crate) const UNKNOWN: u32 = u32::MAX - 1;

/// The index in a block of bytes.
#[derive(Clone, Copy, Debug)]
pub(crate) struct AddressIndex<'a> {
    pub(crate) base: u64,
    /// Whether the whole file is indexed.
    pub(crate) is_whole: bool,
    pub(crate) segment_addrs: &'a [Word],
    pub(crate) segment_nodes: &'a [Word],
    pub(crate) nodes: &'a [[Word; 4]],
    pub(crate) line_addrs: &'a [Word],
    pub(crate) line_places: &'a [Word],
    pub(crate) places: &'a [[Word; 2]],
    pub(crate) functions: &'a [[Word; 2]],
    string_ends: &'a [Word],
    /// Known to be UTF-8 since the index was parsed: a million look-ups read 800 MB of names.
    strings: &'a str,
}

/// What the index says of an address.
#[derive(Clone, Copy, Debug)]
pub(crate) enum Found<'a> {
    /// Not indexed.
    Unknown,
    /// No function there.
    Nothing,
    /// A chain of functions.
    Chain(Chain<'a>),
}

impl<'a> Found<'a> {
    /// The chain, if there is one.
    pub(crate) fn chain(self) -> Option<Chain<'a>> {
        match self {
            Self::Chain(chain) => Some(chain),
            Self::Nothing | Self::Unknown => None,
        }
    }
}

/// The functions at an address, innermost first.
#[derive(Clone, Copy, Debug)]
pub struct Chain<'a> {
    index: &'a AddressIndex<'a>,
    node: u32,
    place: u32,
}

/// One function of a chain, borrowed from the index.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct FrameRef<'a> {
    /// Demangled, with template arguments, without parameters. An index leaves it out where it is the linkage name
    /// demangled, unless it is one of some addresses and kept in a cache: nobody reads most of a hundred thousand names.
    pub name: Option<&'a str>,
    /// The mangled name, where there is one.
    pub linkage_name: Option<&'a str>,
    /// Source file with `..` folded, if known.
    pub file: Option<&'a str>,
    /// Line of the address in the innermost frame, of the call in the outer frames; from 1.
    pub line: Option<u32>,
    /// Whether this function's code is inside its caller's.
    pub inlined: bool,
}

/// Where a search left off, so that sorted addresses are found by steps forward.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct Cursor {
    segment: usize,
    line: usize,
}

/// One function of a chain, with the place in it, as numbers of the index.
struct NumberedFrame {
    function: u32,
    file: u32,
    line: Option<u32>,
    inlined: bool,
}

/// One function of a chain, as numbers.
struct ChainNode {
    function: u32,
    call_file: u32,
    call_line: u32,
    is_inlined: bool,
}

impl<'a> AddressIndex<'a> {
    /// The index in `bytes`; `None` if they are not one of this format.
    pub(crate) fn parse(bytes: &'a [u8]) -> Option<Self> {
        let rest = bytes.strip_prefix(&MAGIC)?;
        let (header, mut rest) = take::<Word>(rest, HEADER_WORDS)?;
        let word = |at: usize| header.get(at).map(|word| word.get(Le));
        if word(0)? != FORMAT {
            return None;
        }
        let base = u64::from(word(2)?) << 32 | u64::from(word(1)?);
        let count = |at: usize| word(at).map(|count| count as usize);
        let mut index = Self::empty();
        (index.base, index.is_whole) = (base, word(3)? != 0);
        (index.segment_addrs, rest) = take(rest, count(4)?)?;
        (index.segment_nodes, rest) = take(rest, count(4)?)?;
        (index.nodes, rest) = take(rest, count(5)?)?;
        (index.line_addrs, rest) = take(rest, count(6)?)?;
        (index.line_places, rest) = take(rest, count(6)?)?;
        (index.places, rest) = take(rest, count(7)?)?;
        (index.functions, rest) = take(rest, count(8)?)?;
        (index.string_ends, rest) = take(rest, count(9)?)?;
        index.strings = std::str::from_utf8(rest.get(..count(10)?)?).ok()?;
        Some(index)
    }

    /// An index that knows no address.
    pub(crate) fn empty() -> Self {
        Self {
            base: 0,
            is_whole: false,
            segment_addrs: &[],
            segment_nodes: &[],
            nodes: &[],
            line_addrs: &[],
            line_places: &[],
            places: &[],
            functions: &[],
            string_ends: &[],
            strings: "",
        }
    }

    /// What is at an address; faster when addresses are asked in order.
    pub(crate) fn find(&'a self, cursor: &mut Cursor, addr: u64) -> Found<'a> {
        let outside = if self.is_whole { Found::Nothing } else { Found::Unknown };
        let Some(relative) = addr.checked_sub(self.base).and_then(|addr| u32::try_from(addr).ok()) else {
            return outside;
        };
        let Some(segment) = step_to(self.segment_addrs, &mut cursor.segment, relative) else {
            return outside;
        };
        match self.segment_nodes.get(segment).map_or(UNKNOWN, |node| node.get(Le)) {
            UNKNOWN => outside,
            NOTHING => Found::Nothing,
            node => {
                let line = step_to(self.line_addrs, &mut cursor.line, relative);
                let place =
                    line.and_then(|line| self.line_places.get(line)).map_or(NONE, |place| place.get(Le));
                Found::Chain(Chain { index: self, node, place })
            }
        }
    }

    pub(crate) fn string(&self, id: u32) -> Option<&'a str> {
        let at = id as usize;
        let end = self.string_ends.get(at)?.get(Le) as usize;
        let start = match at.checked_sub(1) {
            Some(before) => self.string_ends.get(before)?.get(Le) as usize,
            None => 0,
        };
        self.strings.get(start..end)
    }

    fn name(&self, function: u32) -> Option<&'a str> {
        self.functions.get(function as usize).and_then(|[name, _]| self.string(name.get(Le)))
    }

    fn linkage_name(&self, function: u32) -> Option<&'a str> {
        self.functions.get(function as usize).and_then(|[_, linkage]| self.string(linkage.get(Le)))
    }

    /// The file's number, and the line.
    fn place(&self, id: u32) -> (u32, Option<u32>) {
        let Some([file, line]) = self.places.get(id as usize) else { return (NONE, None) };
        (file.get(Le), Some(line.get(Le)).filter(|line| *line > 0))
    }
}

impl<'a> Chain<'a> {
    /// The functions, INNERMOST FIRST.
    pub fn innermost_first(self) -> impl Iterator<Item = FrameRef<'a>> {
        let index = self.index;
        self.numbered().map(|frame| FrameRef {
            name: index.name(frame.function),
            linkage_name: index.linkage_name(frame.function),
            file: index.string(frame.file),
            line: frame.line,
            inlined: frame.inlined,
        })
    }

    /// The functions, innermost first, as numbers.
    fn numbered(self) -> impl Iterator<Item = NumberedFrame> {
        let (mut file, mut line) = self.index.place(self.place);
        self.nodes().map(move |node| {
            let frame = NumberedFrame { function: node.function, file, line, inlined: node.is_inlined };
            (file, line) = (node.call_file, Some(node.call_line).filter(|line| *line > 0));
            frame
        })
    }

    fn nodes(self) -> impl Iterator<Item = ChainNode> {
        let mut next = Some(self.node);
        std::iter::from_fn(move || {
            let node = next?;
            let [parent, function, call_file, call_line] =
                self.index.nodes.get(node as usize)?.map(|word| word.get(Le));
            next = Some(parent).filter(|parent| *parent < node);
            Some(ChainNode { function, call_file, call_line, is_inlined: next.is_some() })
        })
    }

    /// The functions as a resolution; one that has no name at all is left out.
    pub(crate) fn to_resolution(self, texts: &ChainTexts) -> Resolution {
        let frames = self.numbered().take(InlineChain::MAX_DEPTH);
        let mut frames: Vec<InlineFrame> = frames.filter_map(|frame| texts.frame(frame)).collect();
        frames.reverse();
        InlineChain::new(frames).map_or(Resolution::Unresolved(Reason::NoSymbol), Resolution::Resolved)
    }
}

/// The texts that a batch of chains of one index needs, each once.
#[derive(Debug, Default)]
pub(crate) struct ChainTexts {
    functions: Vec<Option<FunctionTexts>>,
    /// By number of the string.
    files: Vec<Option<Arc<str>>>,
}

#[derive(Debug)]
struct FunctionTexts {
    name: Arc<str>,
    linkage_name: Option<Arc<str>>,
}

impl ChainTexts {
    /// The texts that `chains` of one index need. Names that the index leaves out are demangled in parallel.
    pub(crate) fn of<'a>(index: &AddressIndex<'a>, chains: impl Iterator<Item = Chain<'a>>) -> Self {
        let mut asks_function = vec![false; index.functions.len()];
        let mut asks_file = vec![false; index.string_ends.len()];
        let ask = |asked: &mut [bool], number: u32| {
            asked.get_mut(number as usize).into_iter().for_each(|asked| *asked = true);
        };
        for frame in chains.flat_map(Chain::numbered) {
            ask(&mut asks_function, frame.function);
            ask(&mut asks_file, frame.file);
        }
        let function = |(function, is_asked): (usize, bool)| {
            let function = u32::try_from(function).ok().filter(|_| is_asked)?;
            let linkage_name: Option<Arc<str>> = index.linkage_name(function).map(Into::into);
            let name = match index.name(function) {
                Some(name) => name.into(),
                None => display_name(linkage_name.as_deref()?).into(),
            };
            Some(FunctionTexts { name, linkage_name })
        };
        let file = |(file, is_asked): (usize, bool)| {
            u32::try_from(file).ok().filter(|_| is_asked).and_then(|file| index.string(file)).map(Into::into)
        };
        Self {
            functions: asks_function.into_par_iter().enumerate().map(function).collect(),
            files: asks_file.into_iter().enumerate().map(file).collect(),
        }
    }

    /// A function with its texts; `None` if it has no name at all.
    fn frame(&self, frame: NumberedFrame) -> Option<InlineFrame> {
        let texts = self.functions.get(frame.function as usize)?.as_ref()?;
        Some(InlineFrame {
            name: Arc::clone(&texts.name),
            linkage_name: texts.linkage_name.clone(),
            file: self.files.get(frame.file as usize).cloned().flatten(),
            line: frame.line,
            inlined: frame.inlined,
        })
    }
}

/// The place of the last entry that is not after `addr`: by doubling steps from where the last search ended.
fn step_to(addrs: &[Word], from: &mut usize, addr: u32) -> Option<usize> {
    let is_not_after = |at: usize| addrs.get(at).is_some_and(|start| start.get(Le) <= addr);
    let mut low = if is_not_after(*from) { *from } else { 0 };
    let mut step = 1;
    while is_not_after(low + step) {
        low += step;
        step *= 2;
    }
    let high = (low + step).min(addrs.len());
    let window = addrs.get(low..high).unwrap_or(&[]);
    let at = (low + window.partition_point(|start| start.get(Le) <= addr)).checked_sub(1)?;
    *from = at;
    Some(at)
}

fn take<T: object::pod::Pod>(bytes: &[u8], count: usize) -> Option<(&[T], &[u8])> {
    slice_from_bytes(bytes, count).ok()
}
