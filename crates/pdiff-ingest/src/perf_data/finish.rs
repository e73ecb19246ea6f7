//! The profile of what was read: events get their names, objects their build-ids, kernel frames their functions.

use pdiff_profile::{
    Frame, FrameId, KernelImages, NoteKind, Object, ObjectIndex, ObjectKind, Profile, Span, Weight,
};
use rustc_hash::FxHashMap;

use super::error::PerfDataError;
use super::jit_dump::Unusable;
use super::jit_symbols::JitSymbols;
use super::kernel_symbols::{ImageSymbols, KernelSymbols, RecordedKernel};
use super::reader::Reader;
use crate::error::Error;
use crate::kernel_lists::KernelLists;
use crate::options::ReadOptions;
use crate::symbol_places::SymbolPlaces;
use crate::waits::note_lost_returns;

/// More than one damaged record in so many is an error.
const MAX_DAMAGED_ONE_IN: u64 = 100;

/// What a recording lacks at its end.
#[derive(Clone, Copy)]
pub(super) struct End {
    /// Records.
    pub(super) is_unfinished: bool,
    /// Only what follows the records: build-ids, names, facts on the machine.
    pub(super) lacks_features: bool,
}

/// The profile of a recording that was read to its end.
pub(super) fn finish(
    mut reader: Reader<'_>,
    path: &str,
    end: End,
    options: &ReadOptions<'_>,
) -> Result<Profile, Error> {
    check(&reader, end, options.lenient).map_err(|source| Error::PerfData { path: path.into(), source })?;
    check_places(&reader, path, options)?;
    check_switches(&reader, path)?;
    check_branches(&reader, path, options)?;
    if reader.span.is_none()
        && let Some((first_ns, last_ns)) = reader.seen_span
    {
        return Err(Error::NothingInWindow { path: path.into(), first_ns, last_ns });
    }
    note(&mut reader, end);
    let mut builder = std::mem::take(&mut reader.builder);
    builder.notes = std::mem::take(&mut reader.notes);
    builder.span = reader.span.map(|(first_ns, last_ns)| Span { first_ns, last_ns });
    let header = reader.features.header.iter();
    builder.header.extend(header.map(|(key, value)| ((*key).into(), value.as_str().into())));
    builder.mappings = reader.objects.mappings();
    let mut profile = builder.finish().map_err(|source| Error::Build { path: path.into(), source })?;
    for (event, name) in profile.events.iter_mut().zip(reader.events.names()) {
        event.name = name;
    }
    let kernel = add_build_ids(&mut profile, &reader);
    name_frames(&mut profile, &kernel, options);
    Ok(profile)
}

/// Refuses what has nothing to read, or too much that cannot be read.
fn check(reader: &Reader<'_>, end: End, lenient: bool) -> Result<(), PerfDataError> {
    let counts = &reader.counts;
    if reader.features.is_directory {
        return Err(PerfDataError::Directory);
    }
    if counts.damaged.saturating_mul(MAX_DAMAGED_ONE_IN) > counts.records && !lenient {
        let (damaged, records) = (counts.damaged, counts.records.max(counts.damaged));
        let example = counts.first_damage.clone().unwrap_or_default().into();
        return Err(PerfDataError::TooManyDamaged { damaged, records, example });
    }
    if counts.samples > 0 {
        return Ok(());
    }
    if reader.features.is_statistics {
        return Err(PerfDataError::Statistics);
    }
    if end.is_unfinished || counts.cut_bytes > 0 {
        return Err(PerfDataError::CutBeforeSamples);
    }
    let events: Vec<Box<str>> = reader.events.all_names().collect();
    let of = if events.is_empty() { String::new() } else { format!(" of {}", events.join(", ")) };
    Err(PerfDataError::NoSamples(of.into()))
}

/// Refuses a choice of CPUs or cgroups that leaves nothing.
fn check_places(reader: &Reader<'_>, path: &str, options: &ReadOptions<'_>) -> Result<(), Error> {
    /// Names that an error lists.
    const MOST: usize = 5;
    if reader.counts.kept > 0 || (options.cpus.is_none() && options.cgroup.is_none()) {
        return Ok(());
    }
    let path = path.into();
    if options.cpus.is_some() && !reader.counts.has_cpus {
        return Err(Error::NoCpus { path });
    }
    if options.cgroup.is_some() && !reader.counts.has_cgroups {
        return Err(Error::NoCgroups { path });
    }
    let mut known: Vec<Box<str>> = reader.cgroups.values().map(|(path, _)| path.clone()).collect();
    known.sort();
    known.truncate(if options.cgroup.is_some() { MOST } else { 0 });
    Err(Error::NothingThere { path, known })
}

/// Refuses recordings that do not say who waits.
fn check_switches(reader: &Reader<'_>, path: &str) -> Result<(), Error> {
    let Some(switches) = &reader.switches else { return Ok(()) };
    let path = path.into();
    if switches.threads.is_empty() || switches.has_other_events(&reader.events) {
        return Err(Error::NoSwitches { path, found: "it has no sched:sched_switch samples" });
    }
    if switches.threads.lacks_returns() { Err(Error::NoReturns { path }) } else { Ok(()) }
}

/// Refuses recordings without branch records where those are asked for.
fn check_branches(reader: &Reader<'_>, path: &str, options: &ReadOptions<'_>) -> Result<(), Error> {
    if options.each_branch.is_none() || reader.counts.branches > 0 {
        return Ok(());
    }
    let path = path.into();
    if reader.counts.call_stacks > 0 {
        Err(Error::CallStacks { path })
    } else {
        Err(Error::NoBranches { path })
    }
}

/// What is imperfect, in notes.
fn note(reader: &mut Reader<'_>, end: End) {
    let Reader { counts, notes, stacks, processes, unwinding, jit, switches, .. } = reader;
    note_lost_returns(notes, switches.as_ref().map_or(0, |switches| switches.threads.missed()));
    let mut add = |kind, count: u64, example: String| {
        if count > 0 {
            notes.add(kind, count, Weight::ZERO, || example);
        }
    };
    // The kernel counts losses by event, perf those of each buffer: of the same samples.
    let lost = counts.lost.max(counts.lost_samples);
    let share = 100.0 * lost as f64 / lost.saturating_add(counts.samples).max(1) as f64;
    add(NoteKind::LostSamples, lost, format!("{share:.2} % of all samples"));
    add(NoteKind::Throttled, counts.throttled, "the kernel throttled sampling".into());
    let partly =
        format!("of {} stacks: the recorded stack memory ends, or unwind tables are missing", unwinding.all);
    add(NoteKind::PartlyUnwound, unwinding.partly, partly);
    add(NoteKind::StackTooDeep, stacks.cut, String::new());
    add(NoteKind::DamagedRecord, processes.maps_dropped, "maps of more code than is kept".into());
    if let Some(unused) = jit.unused.first() {
        let why = match unused.why {
            Unusable::Unreadable => "it cannot be read; hint: read the recording where it was made",
            Unusable::OtherClock => "its times come from another clock; hint: record with `perf record -k 1`",
        };
        add(NoteKind::NoJitSymbols, jit.unused.len() as u64, format!("{}: {why}", unused.path));
    }
    if counts.unread_bytes > 0 {
        let (unread, all) = (counts.unread_bytes, counts.all_bytes);
        let pct = 100.0 * unread as f64 / all.max(1) as f64;
        let text =
            format!("{unread} of {all} bytes are behind a damaged record and were not read ({pct:.1} %)");
        add(NoteKind::CutRecording, 1, text);
    } else if end.is_unfinished || counts.cut_bytes > 0 {
        let text = "the recording was cut off; names and build-ids at its end may be missing".into();
        add(NoteKind::CutRecording, 1, text);
    } else if end.lacks_features {
        let text = "it was cut off behind its samples; names and build-ids at its end may be missing".into();
        add(NoteKind::CutRecording, 1, text);
    }
}

/// Objects get their build-ids; what is known about the kernel.
fn add_build_ids(profile: &mut Profile, reader: &Reader<'_>) -> RecordedKernel {
    let listed = &reader.features.build_ids;
    let by_path: FxHashMap<Box<str>, _> = listed
        .iter()
        .map(|listed| (Object::from_text(&String::from_utf8_lossy(&listed.path)).path, &listed.build_id))
        .collect();
    for object in &mut profile.objects {
        let listed = || by_path.get(&object.path).map(|id| (*id).clone());
        object.build_id = object.build_id.take().or_else(listed);
    }
    let files = || profile.objects.iter().filter(|object| object.kind == ObjectKind::File);
    if files().next().is_some() && files().all(|object| object.build_id.is_none()) {
        let text = || {
            "the recording has no build-ids (perf record leaves them out with -z, in pipes and when it is killed), so \
             binaries are found by path; hint: record with --buildid-mmap"
                .to_owned()
        };
        profile.notes.add(NoteKind::NoBuildIds, 1, Weight::ZERO, text);
    }
    let is_image = |path: &[u8]| Object::from_text(&String::from_utf8_lossy(path)).kind == ObjectKind::Kernel;
    let of_kernel = listed.iter().find(|listed| listed.is_kernel && is_image(&listed.path));
    RecordedKernel {
        build_id: of_kernel.map(|listed| listed.build_id.clone()),
        release: reader.features.value("os release").map(str::to_owned),
        reference: reader.kernel_reference.clone(),
    }
}

/// Names the frames of code that no file has.
fn name_frames(profile: &mut Profile, kernel: &RecordedKernel, options: &ReadOptions<'_>) {
    let mut symbols = Symbols {
        kernel,
        images: options.kernel_images,
        places: &options.symbols,
        lists: options.kernel_lists,
        of_image: None,
        of_kernel: None,
        of_jit: FxHashMap::default(),
        nameless: 0,
    };
    let frames = (0..).map(FrameId).zip(&profile.frames);
    let nameless = frames.filter(|(_, frame)| frame.symbol.is_none());
    let named = nameless.filter_map(|(id, frame)| {
        let (name, offset) = symbols.name(profile.objects.get(frame.object.index())?, frame)?;
        Some((id, name, offset))
    });
    let named: Vec<_> = named.collect();
    let nameless = symbols.nameless;
    profile.name_frames(named);
    if nameless > 0 {
        let text = || {
            "the kernel's functions are not known, so the kernel is one row; hint: read the recording where it was made, copy \
             ~/.debug from there, or give the kernel's vmlinux with --binary"
                .to_owned()
        };
        profile.notes.add(NoteKind::NoKernelSymbols, nameless, Weight::ZERO, text);
    }
}

/// Functions that no file has, read when they are asked for.
struct Symbols<'a> {
    kernel: &'a RecordedKernel,
    images: Option<&'a dyn KernelImages>,
    places: &'a SymbolPlaces,
    lists: Option<&'a KernelLists>,
    of_image: Option<Option<ImageSymbols>>,
    of_kernel: Option<Option<KernelSymbols>>,
    /// By the object's number.
    of_jit: FxHashMap<ObjectIndex, Option<JitSymbols>>,
    /// Kernel frames without a list of functions.
    nameless: u64,
}

impl Symbols<'_> {
    fn image(&mut self) -> Option<&ImageSymbols> {
        if self.of_image.is_none() {
            let (kernel, images) = (self.kernel, self.images);
            let found =
                images.and_then(|images| ImageSymbols::of_kernel(kernel, |wanted| images.find(wanted)));
            let is_missing = found.is_none() && self.list().is_none();
            let fetched = images
                .filter(|_| is_missing)
                .and_then(|images| ImageSymbols::of_kernel(kernel, |wanted| images.fetch(wanted)));
            self.of_image = Some(found.or(fetched));
        }
        self.of_image.as_ref()?.as_ref()
    }

    fn list(&mut self) -> Option<&KernelSymbols> {
        let (kernel, places, own) = (self.kernel, self.places, KernelLists::default());
        let (lists, running) = (self.lists.unwrap_or(&own), places.running_kernel.as_ref());
        let find = || KernelSymbols::find(kernel, &places.build_id_dirs, running, lists);
        self.of_kernel.get_or_insert_with(find).as_ref()
    }

    fn name(&mut self, object: &Object, frame: &Frame) -> Option<(Box<str>, u64)> {
        let addr = frame.addr?.0;
        match object.kind {
            // Code made at run time is one function, by whose name it is mapped.
            ObjectKind::KernelModule if !object.path.starts_with('[') => Some((object.path.clone(), addr)),
            ObjectKind::Kernel | ObjectKind::KernelModule => {
                if object.kind == ObjectKind::Kernel
                    && let Some(image) = self.image()
                {
                    return image.name(addr).map(|(name, offset)| (name.into(), offset));
                }
                let named =
                    self.list().map(|list| list.name(addr).map(|(name, offset)| (name.into(), offset)));
                self.nameless += u64::from(named.is_none());
                named.flatten()
            }
            ObjectKind::Jit => {
                let places = self.places;
                let read = || JitSymbols::read(&places.perf_map_dir.as_ref()?.join(object.file_name()));
                let symbols = self.of_jit.entry(frame.object).or_insert_with(read).as_ref();
                symbols?.name(addr).map(|(name, offset)| (name.into(), offset))
            }
            _ => None,
        }
    }
}
