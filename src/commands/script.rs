//! `pdiff script`: the samples of a recording, as they were read.

use anyhow::{Context as _, Result, anyhow};
use pdiff::profile::{EventId, NoteKind};
use pdiff::render::{ScriptOptions, write_script};
use pdiff::{CpuList, Pattern, Recording, SampleReader, Samples, TimeWindow};

use crate::cli::ScriptArgs;
use crate::output::Output;
use crate::settings::{check_files, complain_of_missing, lookup, parse, parse_all, source};
use crate::watching::Watching;

/// What a recording lacks, samples with it.
const MISSING: [NoteKind; 6] = [
    NoteKind::LostSamples,
    NoteKind::CutRecording,
    NoteKind::DamagedRecord,
    NoteKind::UnparsedLine,
    NoteKind::TruncatedSample,
    NoteKind::LineTooLong,
];

/// Reads, finds functions and prints.
pub(crate) fn run(args: &ScriptArgs) -> Result<()> {
    let output = Output::new(args.file.output.as_deref())?;
    check_files("--binary", &args.binary)?;
    let time = args.time.as_deref().map(TimeWindow::parse).transpose().context("--time")?;
    let reader = SampleReader::new(Recording::new(source(&args.recording)))
        .lookup(lookup(&args.lookup, args.quiet)?)
        .lenient(args.lenient)
        .time(time.unwrap_or(TimeWindow::All))
        .watch(Watching::start(args.quiet).watch());
    let cpus: Option<CpuList> = args.cpu.as_deref().map(|list| parse("--cpu", list)).transpose()?;
    let cgroups: Vec<Pattern> = parse_all("--cgroup", &args.cgroup)?;
    let reader = cpus.into_iter().fold(reader, SampleReader::cpus);
    let reader = cgroups.into_iter().fold(reader, SampleReader::cgroup);
    let reader = args.binary.iter().fold(reader, SampleReader::binary);
    let samples = args.threads.into_iter().fold(reader, SampleReader::threads).read()?;
    let event = args.event.as_deref().map(|name| event_of(&samples, name)).transpose()?;
    if !samples.are_single() {
        crate::complain(&format!(
            "pdiff: note: {} does not keep samples one by one; samples with the same thread, second and stack are printed as one",
            samples.path()
        ));
    }
    // The text that is printed cannot say so.
    if !args.quiet {
        let notes = &samples.profile().notes;
        complain_of_missing(samples.path(), notes, "samples may be missing", &MISSING);
    }
    let options = ScriptOptions { inlines: !args.no_inline, event };
    output.write_by(|out| {
        Ok(write_script(samples.profile(), samples.resolutions(), samples.taken(), options, out)?)
    })
}

/// The event of a name, with or without its modifiers.
fn event_of(samples: &Samples, name: &str) -> Result<EventId> {
    let events = &samples.profile().events;
    let exact = events.iter().position(|event| *event.name == *name);
    let found = exact.or_else(|| events.iter().position(|event| event.base_name() == name));
    let id = found.and_then(|at| u32::try_from(at).ok()).map(EventId);
    id.ok_or_else(|| {
        let names: Vec<&str> = events.iter().map(|event| &*event.name).collect();
        anyhow!("--event: {} has no event '{name}'; hint: it has {}", samples.path(), names.join(", "))
    })
}
