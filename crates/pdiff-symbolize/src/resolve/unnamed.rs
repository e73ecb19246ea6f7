//! Functions that no symbol names: one resolution each, by where the unwind tables say that it begins.

use std::cell::OnceCell;

use pdiff_profile::{InlineChain, InlineFrame, Object, Resolution};
use rustc_hash::FxHashMap;

use crate::binary::function_ranges::FunctionRanges;
use crate::symbolizer::Symbolizer;

/// The unnamed functions of one object, each once.
pub(super) struct UnnamedFunctions<'a> {
    symbolizer: &'a Symbolizer,
    /// Read for the first one.
    ranges: OnceCell<FunctionRanges<'a>>,
    /// What the object is called, and the identity of its file.
    object: &'a str,
    build: String,
    /// The lowest address of the file: functions are named by the distance from it.
    base: u64,
    /// By first address: where the resolution is.
    known: FxHashMap<u64, usize>,
}

impl<'a> UnnamedFunctions<'a> {
    pub(super) fn new(object: &'a Object, symbolizer: &'a Symbolizer) -> Self {
        Self {
            symbolizer,
            ranges: OnceCell::new(),
            object: object.file_name(),
            build: symbolizer.object_id().to_string(),
            base: symbolizer.file().segments().iter().map(|segment| segment.addr).min().unwrap_or(0),
            known: FxHashMap::default(),
        }
    }

    /// The place, in `resolutions`, of the function that contains an address; it is added if it is not there.
    pub(super) fn at(&mut self, addr: u64, resolutions: &mut Vec<Resolution>) -> Option<usize> {
        let start = self.ranges.get_or_init(|| FunctionRanges::new(self.symbolizer.file())).at(addr)?.start;
        if let Some(known) = self.known.get(&start) {
            return Some(*known);
        }
        let frame = InlineFrame::unnamed(self.object, &self.build, start.checked_sub(self.base)?);
        resolutions.push(Resolution::Resolved(InlineChain::new(vec![frame])?));
        let at = resolutions.len() - 1;
        self.known.insert(start, at);
        Some(at)
    }
}
