//! The byte form of resolutions.
//!
//! ```text
//! version  texts  functions  chains  frames
//! functions = count  name*  linkage-name*  file*
//! chains    = count  depth*  reason*  inlined*  function*  line*
//! frames    = count  is-exact*  number*  is-minus-one*  number*
//! ```
//!
//! A function is a name, a linkage name and a file; an inlined function occurs in thousands of chains and is written once.
//! A line is the difference from the function's line before. A chain of depth zero is a reason.

use std::sync::Arc;

use super::bytes::{ByteReader, ByteWriter};
use super::chains::{frames_of, read_chains, read_functions, write_chains};
use super::newest::Newest;
use super::objects::{read_bool, write_optional};
use super::texts::{read_texts, write_texts};
use super::{CodecError, expect_version, table};
use crate::id::FrameId;
use crate::interner::Interner;
use crate::lookups::Lookup;
use crate::resolution::InlineFrame;
use crate::resolutions::Resolutions;

/// Raised with every change of the form or of what its rows mean.
const VERSION: u64 = 1;

impl Resolutions {
    /// The byte form: the same resolutions give the same bytes.
    #[must_use]
    pub fn to_bytes(&self) -> Vec<u8> {
        let mut tables = Tables::default();
        let frames = self.table().iter().flat_map(frames_of);
        let functions: Vec<u32> = frames.map(|frame| tables.function(frame)).collect();
        let mut out = ByteWriter::new();
        out.number(VERSION);
        write_texts(&mut out, tables.texts.values().iter().copied());
        tables.write_functions(&mut out);
        write_chains(&mut out, self.table(), &functions, tables.functions.values().len());
        out.count(self.frame_count());
        write_numbers(&mut out, self, Lookup::Exact);
        write_numbers(&mut out, self, Lookup::MinusOne);
        out.into_bytes()
    }

    /// The resolutions of these bytes.
    ///
    /// # Errors
    /// If they are of another version or damaged.
    ///
    /// ```
    /// use pdiff_profile::{FrameId, Lookup, Reason, Resolution, Resolutions};
    /// let mut resolutions = Resolutions::new(1);
    /// let number = resolutions.add(Resolution::Unresolved(Reason::NoSymbol));
    /// resolutions.set(FrameId(0), Lookup::Exact, number);
    /// assert_eq!(Resolutions::from_bytes(&resolutions.to_bytes())?, resolutions);
    /// # Ok::<(), pdiff_profile::codec::CodecError>(())
    /// ```
    pub fn from_bytes(bytes: &[u8]) -> Result<Self, CodecError> {
        let mut reader = ByteReader::new(bytes);
        expect_version(&mut reader, VERSION)?;
        let texts = table("texts", read_texts(&mut reader))?;
        let texts: Vec<Arc<str>> = texts.into_iter().map(Into::into).collect();
        let functions = table("functions", read_functions(&mut reader, &texts))?;
        let chains = table("chains", read_chains(&mut reader, &functions))?;
        let frames = table("frames", reader.count(2))?;
        let mut resolutions = Self::new(frames);
        for resolution in chains {
            resolutions.add(resolution);
        }
        for lookup in [Lookup::Exact, Lookup::MinusOne] {
            table("frames", read_numbers(&mut reader, &mut resolutions, lookup))?;
        }
        table("frames", reader.is_empty().then_some(resolutions))
    }
}

/// A function as places in the table of texts.
type FunctionRow = (u32, Option<u32>, Option<u32>);

/// Texts and functions, each once.
#[derive(Default)]
struct Tables<'a> {
    texts: Interner<&'a str>,
    functions: Interner<FunctionRow>,
}

impl<'a> Tables<'a> {
    fn function(&mut self, frame: &'a InlineFrame) -> u32 {
        let mut number = |text: &'a str| self.texts.intern_by(text, || text);
        let name = number(&frame.name);
        let row =
            (name, frame.linkage_name.as_deref().map(&mut number), frame.file.as_deref().map(&mut number));
        self.functions.intern_by(&row, || row)
    }

    fn write_functions(&self, out: &mut ByteWriter) {
        let rows = self.functions.values();
        let mut names = Newest::default();
        out.count(rows.len());
        rows.iter().for_each(|(name, ..)| names.write(out, *name));
        rows.iter().for_each(|(_, linkage_name, _)| write_optional(out, *linkage_name));
        rows.iter().for_each(|(.., file)| write_optional(out, *file));
    }
}

/// The resolutions of all frames in one way of looking up.
fn write_numbers(out: &mut ByteWriter, resolutions: &Resolutions, lookup: Lookup) {
    let known = resolutions.table().len();
    let number =
        |frame| resolutions.number(FrameId(frame), lookup).filter(|number| (*number as usize) < known);
    let frames = 0..resolutions.frame_count() as u32;
    frames.clone().for_each(|frame| out.byte(u8::from(number(frame).is_some())));
    let mut newest = Newest::default();
    frames.filter_map(number).for_each(|number| newest.write(out, number));
}

fn read_numbers(reader: &mut ByteReader<'_>, resolutions: &mut Resolutions, lookup: Lookup) -> Option<()> {
    let mut is_set = ByteReader::new(reader.take(resolutions.frame_count())?);
    let mut newest = Newest::default();
    for frame in 0..u32::try_from(resolutions.frame_count()).ok()? {
        if read_bool(&mut is_set)? {
            let number =
                newest.read(reader).filter(|number| (*number as usize) < resolutions.table().len())?;
            resolutions.set(FrameId(frame), lookup, number);
        }
    }
    Some(())
}
