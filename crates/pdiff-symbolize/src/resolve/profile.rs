//! A whole profile: every frame's functions.
//!
//! The kernel's frames and those of objects without a file keep the symbol that perf printed, and so do frames in whose
//! place the file has none. A file without debug information knows less than perf did when it had the symbol table at
//! hand (`recv` for `__libc_recv`), so there perf's symbol holds, too. Where neither has a name, a frame is in an unnamed function
//! (`mysqld+0x7a12b0`) if the unwind tables say where that begins, else unresolved.

use std::ops::Range;
use std::path::PathBuf;

use pdiff_profile::names::FunctionName;
use pdiff_profile::{
    Call, Frame, FrameCalls, FrameId, InlineFrame, Lookup, NoteKind, Notes, Object, ObjectAddr, ObjectId,
    ObjectIndex, ObjectKind, Profile, Reason, Resolution, Resolutions, Uncovered, Weight,
};
use rayon::prelude::*;
use rustc_hash::FxHashMap;

use crate::binary::gap::Gap;
use crate::disassembly::ReturnCalls;
use crate::error::Error;
use crate::options::SymbolizeOptions;
use crate::polling::{is_in, polling_loops};
use crate::resolve::address_map::AddressMap;
use crate::resolve::candidate::{Candidate, Lookout, Source, find_binary};
use crate::resolve::frame_calls::{CallsFound, numbered};
use crate::resolve::frames::{ObjectFrames, uses_of_frames};
use crate::resolve::identity::{Identity, identify};
use crate::resolve::unnamed::UnnamedFunctions;
use crate::symbolizer::{Symbolizer, drop_aside};

/// What happened to one object of a profile.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct ResolvedObject {
    /// The object.
    pub object: ObjectIndex,
    /// The stable identity of the file.
    pub id: ObjectId,
    /// The file found.
    pub file: PathBuf,
    /// The file that contains its debug information, where that is another one.
    pub debug_file: Option<PathBuf>,
    /// Whether a build-id, or the recording's own symbols, say that the file is the one that ran.
    pub is_verified: bool,
    /// Whether debug information was found.
    pub has_debug_info: bool,
    /// Sampled functions that debug information should describe and does not.
    pub uncovered: Uncovered,
    /// How perf's addresses become addresses of the file: of call chains, then of samples of one frame.
    pub address_maps: Vec<AddressMap>,
}

/// What the frames of a profile are.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct Resolved {
    /// The functions by frame. A frame without resolution keeps perf's own symbol.
    pub resolutions: Resolutions,
    /// The objects for which a file was found and used.
    pub objects: Vec<ResolvedObject>,
    /// Those whose file is another build, which was not used.
    pub other_builds: Vec<ObjectIndex>,
    /// What was imperfect.
    pub notes: Notes,
}

/// Finds the functions of all frames of a profile.
///
/// ```
/// use pdiff_profile::ProfileBuilder;
/// use pdiff_symbolize::{SymbolizeOptions, resolve_profile};
///
/// let profile = ProfileBuilder::new().finish()?;
/// let resolved = resolve_profile(&profile, &SymbolizeOptions::new())?;
/// assert!(resolved.objects.is_empty() && resolved.notes.is_empty());
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
///
/// # Errors
/// If a binary given by the user cannot be read or is another build than the one profiled.
pub fn resolve_profile(profile: &Profile, options: &SymbolizeOptions) -> Result<Resolved, Error> {
    resolve_rest(profile, Resolutions::new(profile.frames.len()), options)
}

/// The same where some frames are known: these stay unchanged. Of objects that have only such a file is found if the user
/// gave it or its build-id says that it ran.
///
/// # Errors
/// As [`resolve_profile`].
pub fn resolve_rest(
    profile: &Profile,
    known: Resolutions,
    options: &SymbolizeOptions,
) -> Result<Resolved, Error> {
    resolve(profile, known, options, Looks::Anywhere).map(Option::unwrap_or_default)
}

/// As [`resolve_profile`], by cache files alone; `None` if they lack anything that debug information or symbol tables may have, or
/// if there is an error.
#[must_use]
pub fn resolve_indexed(profile: &Profile, options: &SymbolizeOptions) -> Option<Resolved> {
    let known = Resolutions::new(profile.frames.len());
    resolve(profile, known, options, Looks::InIndex).ok().flatten()
}

/// Where functions are looked for.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Looks {
    Anywhere,
    /// In what cache files have.
    InIndex,
}

/// The functions of all frames; `None` if not all are where they may be looked for.
fn resolve(
    profile: &Profile,
    known: Resolutions,
    options: &SymbolizeOptions,
    looks: Looks,
) -> Result<Option<Resolved>, Error> {
    let is_known = |frame| {
        [Lookup::Exact, Lookup::MinusOne].into_iter().any(|lookup| known.number(frame, lookup).is_some())
    };
    let mut by_object: Vec<ObjectFrames> = vec![ObjectFrames::default(); profile.objects.len()];
    let mut is_named = vec![false; profile.objects.len()];
    for (frame, uses) in (0..).map(FrameId).zip(uses_of_frames(profile)) {
        let Some(recorded) = profile.frames.get(frame.index()).filter(|_| uses.is_any()) else { continue };
        if is_known(frame) {
            is_named.get_mut(recorded.object.index()).into_iter().for_each(|is_named| *is_named = true);
        } else if let Some(frames) = by_object.get_mut(recorded.object.index()) {
            frames.frames.push((frame, *recorded, uses));
        }
    }
    let objects = profile.objects.iter().zip(by_object.iter().zip(is_named)).enumerate();
    let resolved = objects
        .par_bridge()
        .map(|(index, (object, (frames, is_named)))| {
            let result = match is_named && frames.frames.is_empty() {
                true => Some(find_object(object, options)?),
                false => resolve_object(profile, object, frames, options, looks)?,
            };
            Ok(result.map(|result| (index, result)))
        })
        .collect::<Result<Option<Vec<_>>, Error>>()?;
    Ok(resolved.map(|resolved| put_together(known, sorted_by_index(resolved))))
}

/// What happened to one object's frames.
#[derive(Default)]
struct ObjectResult {
    object: Option<ResolvedObject>,
    is_other_build: bool,
    resolutions: Vec<Resolution>,
    /// Where in `resolutions` frames without function find their reason.
    unresolved: FxHashMap<Reason, usize>,
    frames: Vec<(FrameId, Lookup, usize)>,
    /// Frames in loops that busy-wait.
    polling: Vec<(FrameId, Lookup)>,
    /// What the calls that return to frames call: a place in `resolutions`; `None` where it is a pointer.
    calls: Vec<(FrameId, Option<usize>)>,
    notes: Notes,
    uncovered: Uncovered,
}

fn sorted_by_index(mut results: Vec<(usize, ObjectResult)>) -> Vec<ObjectResult> {
    results.sort_by_key(|(index, _)| *index);
    results.into_iter().map(|(_, result)| result).collect()
}

fn put_together(known: Resolutions, results: Vec<ObjectResult>) -> Resolved {
    let mut resolved = Resolved { resolutions: known, ..Resolved::default() };
    let (mut polling, mut calls) = (Vec::new(), Vec::<(FrameId, Call)>::new());
    for (index, result) in (0..).zip(results) {
        polling.extend(result.polling);
        let numbers: Vec<u32> =
            result.resolutions.into_iter().map(|resolution| resolved.resolutions.add(resolution)).collect();
        for (frame, lookup, at) in result.frames {
            if let Some(number) = numbers.get(at) {
                resolved.resolutions.set(frame, lookup, *number);
            }
        }
        let call = |(frame, place)| Some((frame, numbered(place, |at| numbers.get(at).copied())?));
        calls.extend(result.calls.into_iter().filter_map(call));
        resolved
            .objects
            .extend(result.object.map(|object| ResolvedObject { object: ObjectIndex(index), ..object }));
        resolved.other_builds.extend(result.is_other_build.then_some(ObjectIndex(index)));
        resolved.notes.merge(&result.notes);
    }
    resolved.resolutions.set_polling(polling.into_iter().collect());
    resolved.resolutions.set_calls(calls.into_iter().collect::<FrameCalls>());
    resolved
}

/// The file of an object whose functions are known.
fn find_object(object: &Object, options: &SymbolizeOptions) -> Result<ObjectResult, Error> {
    let mut result = ObjectResult::default();
    if let Lookout::Candidate(Candidate { file, source, is_proved }) = find_binary(object, options)?
        && (is_proved || source == Source::Given)
    {
        let symbolizer = Symbolizer::of(file, options);
        result.object = Some(ResolvedObject {
            object: ObjectIndex(0),
            id: symbolizer.object_id().clone(),
            file: symbolizer.path().to_path_buf(),
            debug_file: symbolizer.debug_path(),
            is_verified: is_proved,
            has_debug_info: symbolizer.has_debug_info(),
            uncovered: Uncovered::default(),
            address_maps: Vec::new(),
        });
    }
    Ok(result)
}

/// The functions of an object's frames; `None` if not all are where they may be looked for.
fn resolve_object(
    profile: &Profile,
    object: &Object,
    frames: &ObjectFrames,
    options: &SymbolizeOptions,
    looks: Looks,
) -> Result<Option<ObjectResult>, Error> {
    let mut result = ObjectResult::default();
    if frames.frames.is_empty() {
        return Ok(Some(result));
    }
    let candidate = match find_binary(object, options)? {
        Lookout::Candidate(candidate) => candidate,
        Lookout::Other(path, why) => {
            let path = path.display().to_string();
            result.note_wrong_file(&path, &why);
            result.leave_to_perf(frames, Reason::WrongFile);
            return Ok(Some(result));
        }
        Lookout::Unreadable => {
            result.leave_to_perf(frames, Reason::Unreadable);
            return Ok(Some(result));
        }
        Lookout::Nothing => {
            result.leave_to_perf(frames, reason_without_file(object.kind));
            return Ok(Some(result));
        }
    };
    let (source, is_proved) = (candidate.source, candidate.is_proved);
    let mut symbolizer = Symbolizer::of(candidate.file, options);
    let identity = identify(profile, frames, &symbolizer);
    if !is_proved && !options.allow_mismatch && identity.is_contradicted() {
        let wrong = identity.wrong_symbols(symbolizer.path(), object);
        if source == Source::Given {
            return Err(wrong);
        }
        let (path, why) = (symbolizer.path().display().to_string(), identity.to_string());
        result.note_wrong_file(&path, &why);
        result.leave_to_perf(frames, Reason::WrongFile);
        return Ok(Some(result));
    }
    let asked = asked(frames, &identity);
    let mut addrs: Vec<ObjectAddr> = asked.iter().filter_map(|asked| asked.2).collect();
    addrs.sort_unstable();
    addrs.dedup();
    let calls = CallsFound::new(&callers(&asked), &ReturnCalls::new(symbolizer.file()));
    let has_indexed = || symbolizer.has_indexed(&addrs) && symbolizer.has_indexed(&calls.targets);
    if looks == Looks::InIndex && !has_indexed() {
        return Ok(None);
    }
    result.symbolize(object, asked, (&addrs, calls), &mut symbolizer);
    result.finish(object, &identity, &symbolizer, is_proved || identity.is_borne_out());
    drop_aside(symbolizer);
    Ok(Some(result))
}

fn reason_without_file(kind: ObjectKind) -> Reason {
    match kind {
        ObjectKind::Unknown | ObjectKind::Anonymous => Reason::NoObject,
        ObjectKind::Kernel | ObjectKind::KernelModule | ObjectKind::Jit | ObjectKind::Vdso => {
            Reason::NoSymbol
        }
        ObjectKind::File => Reason::FileNotFound,
    }
}

/// A frame, how it is looked up, where that is in the file, and what perf's symbol is worth.
type Asked = (FrameId, Lookup, Option<ObjectAddr>, PerfSymbol);

/// What perf's symbol of a frame is worth.
#[derive(Clone, Copy, PartialEq, Eq)]
enum PerfSymbol {
    None,
    /// perf looked the return address up unchanged, and it is the start of the next function.
    NextFunction,
    Sound,
}

impl PerfSymbol {
    fn of(frame: &Frame, lookup: Lookup) -> Self {
        match (frame.symbol, frame.symbol_offset, lookup) {
            (None, ..) => Self::None,
            (Some(_), Some(0), Lookup::MinusOne) => Self::NextFunction,
            (Some(_), ..) => Self::Sound,
        }
    }
}

/// What is asked of an object's frames. Inlined ones have no address of their own.
fn asked(frames: &ObjectFrames, identity: &Identity) -> Vec<Asked> {
    let mut asked = Vec::new();
    for (frame, recorded, uses) in frames.frames.iter().filter(|(_, recorded, _)| !recorded.inlined) {
        let addr = identity.object_addr(recorded, *uses);
        for lookup in uses.lookups() {
            let addr = match lookup {
                Lookup::Exact => addr,
                Lookup::MinusOne => addr.and_then(|addr| addr.checked_sub(1)),
            };
            asked.push((*frame, lookup, addr, PerfSymbol::of(recorded, lookup)));
        }
    }
    asked
}

/// The frames with return addresses, and the bytes before those.
fn callers(asked: &[Asked]) -> Vec<(FrameId, u64)> {
    let callers = asked.iter().filter(|(_, lookup, ..)| *lookup == Lookup::MinusOne);
    callers.filter_map(|(frame, _, addr, _)| Some((*frame, addr.as_ref()?.0))).collect()
}

impl ObjectResult {
    fn note_wrong_file(&mut self, path: &str, why: &str) {
        let text = || format!("{path} is not used: it is another build than the one profiled: {why}");
        self.notes.add(NoteKind::NoDebugInfo, 1, Weight::ZERO, text);
        self.is_other_build = true;
    }

    /// Frames that perf has no symbol for are unresolved, the others keep it.
    fn leave_to_perf(&mut self, frames: &ObjectFrames, reason: Reason) {
        let nameless = frames.frames.iter().filter(|(_, frame, _)| frame.symbol.is_none());
        for (frame, recorded, uses) in nameless {
            let reason = if recorded.addr.is_none() { Reason::NoAddress } else { reason };
            for lookup in uses.lookups() {
                self.set_unresolved(*frame, lookup, reason);
            }
        }
    }

    fn set_unresolved(&mut self, frame: FrameId, lookup: Lookup, reason: Reason) {
        let at = *self.unresolved.entry(reason).or_insert_with(|| {
            self.resolutions.push(Resolution::Unresolved(reason));
            self.resolutions.len() - 1
        });
        self.frames.push((frame, lookup, at));
    }

    /// Finds the functions of what is asked for, whose addresses are sorted, and of what is called there.
    fn symbolize(
        &mut self,
        object: &Object,
        asked: Vec<Asked>,
        (addrs, calls): (&[ObjectAddr], CallsFound),
        symbolizer: &mut Symbolizer,
    ) {
        self.find_polling(&asked, addrs, symbolizer);
        let found = symbolizer.symbolize(&[addrs, &calls.targets].concat());
        let places: FxHashMap<ObjectAddr, usize> = addrs.iter().copied().zip(0..).collect();
        self.uncovered = uncovered(addrs, &found, symbolizer);
        self.resolutions = found;
        let mut unnamed = UnnamedFunctions::new(object, symbolizer);
        self.calls = calls.named(addrs.len(), &mut unnamed, &mut self.resolutions);
        let perf_knows_more = !symbolizer.has_debug_info();
        for (frame, lookup, addr, symbol) in asked {
            let has_symbol = symbol != PerfSymbol::None;
            let at = addr.and_then(|addr| places.get(&addr)).copied();
            match at.and_then(|at| Some((at, self.resolutions.get(at)?))) {
                _ if perf_knows_more && symbol == PerfSymbol::Sound => {}
                Some((at, Resolution::Resolved(_))) => self.frames.push((frame, lookup, at)),
                _ if has_symbol => {}
                Some((at, Resolution::Unresolved(reason))) => {
                    let reason = *reason;
                    let in_code = addr.filter(|_| reason == Reason::NoSymbol);
                    match in_code.and_then(|addr| unnamed.at(addr.0, &mut self.resolutions)) {
                        Some(at) => self.frames.push((frame, lookup, at)),
                        None => {
                            self.unresolved.entry(reason).or_insert(at);
                            self.set_unresolved(frame, lookup, reason);
                        }
                    }
                }
                None => self.set_unresolved(frame, lookup, Reason::NoAddress),
            }
        }
    }

    /// Says which debug information was not read.
    fn note_uncovered(&mut self, path: &str) {
        for cause in self.uncovered.causes() {
            let text =
                || format!("{path}: {cause}: sampled functions that it describes are compared by symbol");
            self.notes.add(NoteKind::NoDebugInfo, 1, Weight::ZERO, text);
        }
    }

    /// Finds the frames in loops that busy-wait; `addrs` are sorted.
    fn find_polling(&mut self, asked: &[Asked], addrs: &[ObjectAddr], symbolizer: &Symbolizer) {
        let sorted: Vec<u64> = addrs.iter().map(|addr| addr.0).collect();
        let loops = polling_loops(symbolizer.file(), &sorted);
        let polls = |(_, _, addr, _): &&Asked| addr.is_some_and(|addr| is_in(&loops, addr.0));
        self.polling = asked.iter().filter(polls).map(|(frame, lookup, ..)| (*frame, *lookup)).collect();
    }

    fn finish(&mut self, object: &Object, identity: &Identity, symbolizer: &Symbolizer, is_verified: bool) {
        let path = symbolizer.path().display().to_string();
        if !is_verified {
            let text = || {
                format!(
                    "{path}: identity not verified: the recording has neither its build-id nor symbols of it to check"
                )
            };
            self.notes.add(NoteKind::IdentityNotVerified, 1, Weight::ZERO, text);
        }
        self.notes.merge(symbolizer.notes());
        if !symbolizer.has_debug_info() {
            let text = || format!("{path}: no debug information; functions by symbol, no inlines");
            self.notes.add(NoteKind::NoDebugInfo, 1, Weight::ZERO, text);
        }
        self.note_uncovered(&path);
        let at = self.unresolved.get(&Reason::OutsideObject);
        let count = self.frames.iter().filter(|frame| Some(&frame.2) == at).count() as u64;
        if count > 0 {
            self.notes.add(NoteKind::AddressOutside, count, Weight::ZERO, || object.path.to_string());
        }
        self.object = Some(ResolvedObject {
            object: ObjectIndex(0),
            id: symbolizer.object_id().clone(),
            file: symbolizer.path().to_path_buf(),
            debug_file: symbolizer.debug_path(),
            is_verified,
            has_debug_info: symbolizer.has_debug_info(),
            uncovered: std::mem::take(&mut self.uncovered),
            address_maps: identity.maps().copied().collect(),
        });
    }
}

/// The functions at addresses whose debug information was not read. Both are sorted, and so are the gaps, by their start.
fn uncovered(addrs: &[ObjectAddr], found: &[Resolution], symbolizer: &Symbolizer) -> Uncovered {
    let mut uncovered = Uncovered::default();
    let gaps = symbolizer.gaps();
    if gaps.is_empty() {
        return uncovered;
    }
    let mut at_gap = 0;
    // Gaps may overlap: of those begun, the one that reaches furthest.
    let mut furthest: Option<&(Range<u64>, Gap)> = None;
    for (addr, resolution) in addrs.iter().zip(found) {
        while let Some(gap) = gaps.get(at_gap).filter(|(range, _)| range.start <= addr.0) {
            furthest = furthest.filter(|(range, _)| range.end >= gap.0.end).or(Some(gap));
            at_gap += 1;
        }
        let Some((_, gap)) = furthest.filter(|(range, _)| addr.0 < range.end) else { continue };
        if let Resolution::Resolved(chain) = resolution {
            let InlineFrame { name, linkage_name, .. } = chain.outermost();
            let name = FunctionName::with_linkage(name, linkage_name.as_deref());
            uncovered.add(name.qualified(), &gap.to_string());
        }
    }
    uncovered
}
