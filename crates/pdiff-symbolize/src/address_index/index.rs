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

    fn place(&self, id: u32) -> (Option<&'a str>, Option<u32>) {
        let Some([file, line]) = self.places.get(id as usize) else { return (None, None) };
        (self.string(file.get(Le)), Some(line.get(Le)).filter(|line| *line > 0))
    }
}

impl<'a> Chain<'a> {
    /// The functions, INNERMOST FIRST.
    pub fn innermost_first(self) -> impl Iterator<Item = FrameRef<'a>> {
        self.numbered().map(|(_, frame)| frame)
    }

    /// The functions, innermost first, each with its number in the index.
    fn numbered(self) -> impl Iterator<Item = (u32, FrameRef<'a>)> {
        let index = self.index;
        let (mut file, mut line) = index.place(self.place);
        self.nodes().map(move |node| {
            let frame = FrameRef {
                name: index.name(node.function),
                linkage_name: index.linkage_name(node.function),
                file,
                line,
                inlined: node.is_inlined,
            };
            (file, line) = (index.string(node.call_file), Some(node.call_line).filter(|line| *line > 0));
            (node.function, frame)
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
    pub(crate) fn to_resolution(self, names: &DemangledNames) -> Resolution {
        let mut frames: Vec<InlineFrame> = self
            .numbered()
            .take(InlineChain::MAX_DEPTH)
            .filter_map(|(function, frame)| frame.to_inline_frame(names.of_function(function)))
            .collect();
        frames.reverse();
        InlineChain::new(frames).map_or(Resolution::Unresolved(Reason::NoSymbol), Resolution::Resolved)
    }
}

impl FrameRef<'_> {
    fn to_inline_frame(self, demangled: Option<&str>) -> Option<InlineFrame> {
        Some(InlineFrame {
            name: self.name.or(demangled).or(self.linkage_name)?.into(),
            linkage_name: self.linkage_name.map(Into::into),
            file: self.file.map(Into::into),
            line: self.line,
            inlined: self.inlined,
        })
    }
}

/// Names that the index leaves out, made for one batch of chains.
#[derive(Debug, Default)]
pub(crate) struct DemangledNames {
    by_function: Vec<Option<Box<str>>>,
}

impl DemangledNames {
    /// The names that `chains` of one index need, demangled in parallel.
    pub(crate) fn of<'a>(index: &AddressIndex<'a>, chains: impl Iterator<Item = Chain<'a>>) -> Self {
        let mut is_asked = vec![false; index.functions.len()];
        for node in chains.flat_map(Chain::nodes) {
            if let Some(is_asked) = is_asked.get_mut(node.function as usize) {
                *is_asked = true;
            }
        }
        let name = |(function, is_asked): (usize, bool)| {
            let function = u32::try_from(function).ok().filter(|_| is_asked)?;
            let is_left_out = index.name(function).is_none();
            index.linkage_name(function).filter(|_| is_left_out).map(display_name)
        };
        Self { by_function: is_asked.into_par_iter().enumerate().map(name).collect() }
    }

    fn of_function(&self, function: u32) -> Option<&str> {
        self.by_function.get(function as usize)?.as_deref()
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
