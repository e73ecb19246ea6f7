//! The locations of a profile as frames, and what functions the profile says are there.
//!
//! A location is one call level: a frame with the position in its file, and the chain of functions that its lines name. Frames
//! with a chain are not looked up again, for a file at the same path may be a later build. Those without lines get
//! their functions from the file, which the mapping's build-id names.

use std::sync::Arc;

use pdiff_profile::names::demangle;
use pdiff_profile::{
    BuildId, FileOffset, Frame, FrameId, InlineChain, InlineFrame, Mapping, NoteKind, Object, ObjectIndex,
    ObjectKind, ProfileBuilder, RawAddr, Resolutions, RuntimeAddr, Weight,
};
use rustc_hash::FxHashMap;

use super::error::PprofError;
use super::tables::{Line, Location, MappedFile, Tables, Text};
use crate::named_frames::resolutions_of;
use crate::profiler_name::ProfilerName;

/// A function's name, and what a linker calls it.
#[derive(Clone, Debug)]
struct Named {
    name: Arc<str>,
    linkage_name: Option<Arc<str>>,
    file: Option<Arc<str>>,
    /// The line that its name tells, for profiles without lines.
    line: Option<u32>,
}

/// An object, and whether addresses of it are positions in a file.
#[derive(Clone, Copy, Debug)]
struct Place {
    object: ObjectIndex,
    has_positions: bool,
}

/// Makes frames of locations, each once.
#[derive(Debug)]
pub(super) struct Frames<'t> {
    tables: &'t Tables<'t>,
    by_location: FxHashMap<u64, FrameId>,
    places: FxHashMap<u64, Place>,
    functions: FxHashMap<u64, Option<Named>>,
    chains: FxHashMap<FrameId, InlineChain>,
    /// Mappings that are in the profile.
    is_mapped: FxHashMap<u64, ()>,
}

impl<'t> Frames<'t> {
    /// None yet.
    pub(super) fn new(tables: &'t Tables<'t>) -> Self {
        Self {
            tables,
            by_location: FxHashMap::default(),
            places: FxHashMap::default(),
            functions: FxHashMap::default(),
            chains: FxHashMap::default(),
            is_mapped: FxHashMap::default(),
        }
    }

    /// The frame of a location.
    pub(super) fn frame(&mut self, id: u64, builder: &mut ProfileBuilder) -> Result<FrameId, PprofError> {
        if let Some(frame) = self.by_location.get(&id) {
            return Ok(*frame);
        }
        let location = self.tables.location(id)?;
        let place = self.place(location.mapping, builder)?;
        let mapping = self.tables.mapping(location.mapping)?.filter(|_| place.has_positions);
        let position = mapping.and_then(|mapping| position(mapping, location.address));
        let frame = match self.chain(&location, builder)? {
            Some(chain) => self.named(id, position.unwrap_or(location.address), place.object, chain, builder),
            None => {
                if let (Some(_), Some(mapping)) = (position, mapping) {
                    self.add_mapping(location.mapping, mapping, place.object, builder);
                }
                let addr = Some(position.unwrap_or(location.address)).filter(|_| location.address != 0);
                builder.frame(frame(addr.map(RawAddr), place.object))
            }
        };
        self.by_location.insert(id, frame);
        Ok(frame)
    }

    /// The profile's functions at its frames; `None` if it has none.
    pub(super) fn into_resolutions(self, frames: usize) -> Option<Resolutions> {
        resolutions_of(self.chains, frames)
    }

    /// The frame of a location whose functions are known. Locations that differ in them alone are different frames.
    fn named(
        &mut self,
        id: u64,
        position: u64,
        object: ObjectIndex,
        chain: InlineChain,
        builder: &mut ProfileBuilder,
    ) -> FrameId {
        let symbol = builder.string(&chain.outermost().name);
        let mut frame = Frame { symbol: Some(symbol), ..frame(Some(RawAddr(position)), object) };
        // Where addresses do not distinguish locations (Python has none), their numbers do, which start at 1.
        for addr in [position, id, !id] {
            frame.addr = Some(RawAddr(addr));
            let frame = builder.frame(frame);
            match self.chains.get(&frame) {
                None => {
                    self.chains.insert(frame, chain);
                    return frame;
                }
                Some(known) if *known == chain => return frame,
                Some(_) => {}
            }
        }
        builder.frame(frame)
    }

    /// The functions at a location, outermost first; `None` if the profile names none.
    fn chain(
        &mut self,
        location: &Location<'_>,
        builder: &mut ProfileBuilder,
    ) -> Result<Option<InlineChain>, PprofError> {
        let lines = location.lines()?;
        if lines.len() > InlineChain::MAX_DEPTH {
            builder.notes.add(NoteKind::StackTooDeep, 1, Weight::ZERO, || "inlined functions".to_owned());
        }
        let mut chain = Vec::with_capacity(lines.len().min(InlineChain::MAX_DEPTH));
        for Line { function, line } in lines.into_iter().rev().take(InlineChain::MAX_DEPTH) {
            let Some(Named { name, linkage_name, file, line: of_name }) = self.function(function, builder)?
            else {
                continue;
            };
            let line = u32::try_from(line).ok().filter(|line| *line > 0).or(of_name);
            chain.push(InlineFrame { name, linkage_name, file, line, inlined: !chain.is_empty() });
        }
        Ok(InlineChain::new(chain))
    }

    fn function(&mut self, id: u64, builder: &mut ProfileBuilder) -> Result<Option<Named>, PprofError> {
        if let Some(known) = self.functions.get(&id) {
            return Ok(known.clone());
        }
        let named = match self.tables.function(id)? {
            None => None,
            Some(function) => {
                let mut text = |of| text(self.tables, of, builder);
                named(text(function.name)?, text(function.system_name)?, text(function.file)?)
            }
        };
        self.functions.insert(id, named.clone());
        Ok(named)
    }

    fn place(&mut self, mapping: u64, builder: &mut ProfileBuilder) -> Result<Place, PprofError> {
        if let Some(place) = self.places.get(&mapping) {
            return Ok(*place);
        }
        let object = match self.tables.mapping(mapping)? {
            None => Object::unknown(),
            Some(mapping) => {
                let path = text(self.tables, mapping.path, builder)?;
                let build_id = BuildId::from_hex(&text(self.tables, mapping.build_id, builder)?);
                Object { build_id, ..Object::from_text(if path.is_empty() { "[unknown]" } else { &path }) }
            }
        };
        let has_positions = matches!(object.kind, ObjectKind::File | ObjectKind::Vdso);
        let place = Place { object: builder.object(object), has_positions };
        self.places.insert(mapping, place);
        Ok(place)
    }

    /// Says which part of a file was mapped, once.
    fn add_mapping(
        &mut self,
        id: u64,
        mapping: MappedFile,
        object: ObjectIndex,
        builder: &mut ProfileBuilder,
    ) {
        if self.is_mapped.insert(id, ()).is_none() {
            let MappedFile { start, limit, offset, .. } = mapping;
            let (len, at) = (limit.saturating_sub(start), offset);
            let (start, offset) = (RuntimeAddr(at), FileOffset(at));
            builder.mappings.push(Mapping { pid: None, start, len, offset, object });
        }
    }
}

fn frame(addr: Option<RawAddr>, object: ObjectIndex) -> Frame {
    Frame { addr, symbol: None, symbol_offset: None, object, source: None, inlined: false }
}

/// The position in the file of an address, if the mapping contains it.
fn position(mapping: MappedFile, address: u64) -> Option<u64> {
    let into = address.checked_sub(mapping.start).filter(|_| address < mapping.limit)?;
    into.checked_add(mapping.offset)
}

/// A function's names; `None` if it has none.
fn named(name: String, system_name: String, file: String) -> Option<Named> {
    let shown = if name.is_empty() { &system_name } else { &name };
    if shown.is_empty() {
        return None;
    }
    let file: Option<Arc<str>> = Some(file).filter(|file| !file.is_empty()).map(Into::into);
    // Converters of other profiles write files, lines and marks into names.
    let parsed = ProfilerName::parse(shown);
    if parsed.function != *shown {
        let (own, line) = parsed.file.unzip();
        return Some(Named {
            name: parsed.function.into(),
            linkage_name: None,
            file: file.or_else(|| own.map(Into::into)),
            line: line.flatten(),
        });
    }
    if let Some(demangled) = demangle(shown) {
        return Some(Named {
            name: demangled.qualified.into(),
            linkage_name: Some(shown.as_str().into()),
            file,
            line: None,
        });
    }
    let is_other = !system_name.is_empty() && system_name != *shown;
    let linkage_name = is_other.then(|| system_name.as_str().into());
    Some(Named { name: shown.as_str().into(), linkage_name, file, line: None })
}

/// A text of the profile.
pub(super) fn text(
    tables: &Tables<'_>,
    of: Text,
    builder: &mut ProfileBuilder,
) -> Result<String, PprofError> {
    let bytes = tables.text(of)?;
    let text = String::from_utf8_lossy(bytes);
    if matches!(text, std::borrow::Cow::Owned(_)) {
        builder.notes.add(NoteKind::NotUtf8, 1, Weight::ZERO, || text.escape_debug().to_string());
    }
    Ok(text.into_owned())
}
