//! From the counts of all workers to one profile, the same for any number of workers.
//!
//! Workers number texts as they meet them, so their numbers depend on who read which block. Here all is put in the order
//! of the text: events, threads and chains by their first sample, wherever it was read.

use foldhash::fast::FixedState;
use hashbrown::HashMap;
use pdiff_profile::{
    BuildId, EventId, FileOffset, Mapping, NoteKind, Object, Profile, ProfileBuilder, RuntimeAddr, Span,
    Thread, ThreadId,
};

use crate::error::Error;
use crate::options::ReadOptions;

use super::chain_memo::ChainTexts;
use super::counts::Counts;
use super::findings::{Findings, OwnedMap};
use super::known_texts::PartTexts;
use super::merged_cells::{CountedPart, Lane, count_cells, gather_cells};
use super::merged_stacks::Chains;
use super::note_log::NoteLog;
use super::position::{LineNumbers, Position};
use super::shares::both;
use super::thread_text::parse_thread;
use super::worker::{FirstSeen, Worker};
use super::{comment_line, too_many_unparsed};

/// The profile of all samples that the workers counted.
pub(super) fn merge(workers: Vec<Worker>, path: &str, options: &ReadOptions<'_>) -> Result<Profile, Error> {
    let mut builder = ProfileBuilder::new();
    let mut findings = Findings::default();
    let mut parts = Vec::new();
    for worker in workers {
        let (part, found) = Part::split(worker);
        findings.merge(found);
        parts.push(part);
    }
    let events = merge_events(&parts, &mut builder);
    let threads = merge_threads(&parts, &mut builder, &mut findings.log);
    let (lanes, counted) = lanes_and_cells(&mut parts, &events, &threads);
    let texts: Vec<PartTexts<'_>> = parts.iter().map(Part::chain_texts).collect();
    let (chains, places) = Chains::read(&texts);
    let assembled = chains.assemble();
    let workers = texts.len();
    // One worker gives out numbers; the others gather cells meanwhile.
    let number = || chains.number(assembled, &mut builder);
    let (stacks, seconds) =
        both(workers, number, || gather_cells(counted, &places, workers.saturating_sub(1)));
    // The texts are not needed any more.
    drop(chains);
    drop(parts);
    count_cells(seconds, &lanes, &stacks, &mut builder, &mut findings.log);
    finish(builder, findings, path, options)
}

/// The lanes of all parts in the order of the profile, and what each part counted.
fn lanes_and_cells(
    parts: &mut [Part],
    events: &[Vec<Option<EventId>>],
    threads: &[Vec<Option<ThreadId>>],
) -> (Vec<Lane>, Vec<CountedPart>) {
    let numbers = parts.iter().zip(events.iter().zip(threads));
    let of_part = |(part, (events, threads)): (&Part, (&Vec<_>, &Vec<_>))| -> Vec<Lane> {
        let lane = |(thread, event): &(u32, u32)| {
            Some(((*events.get(*event as usize)?)?, (*threads.get(*thread as usize)?)?))
        };
        part.counts.lanes.iter().map_while(lane).collect()
    };
    let of_parts: Vec<Vec<Lane>> = numbers.map(of_part).collect();
    let mut lanes: Vec<Lane> = of_parts.iter().flatten().copied().collect();
    lanes.sort_unstable();
    lanes.dedup();
    let place = |lane: &Lane| {
        u32::try_from(lanes.partition_point(|known| known < lane))
            .expect("fewer than 2^32 lanes fit in memory")
    };
    let counted = |(part, of_part): (&mut Part, &Vec<Lane>)| CountedPart {
        lanes: of_part.iter().map(place).collect(),
        chunks: std::mem::take(&mut part.counts.chunks),
    };
    let counted = parts.iter_mut().zip(&of_parts).map(counted).collect();
    (lanes, counted)
}

/// The counts of a worker and the texts they refer to.
struct Part {
    threads: Vec<(Option<Position>, Box<[u8]>)>,
    events: Vec<(Option<Position>, Box<[u8]>)>,
    without_period: Vec<bool>,
    texts: ChainTexts,
    counts: Counts,
}

impl Part {
    fn split(worker: Worker) -> (Self, Findings) {
        let part = Self {
            threads: in_pairs(worker.threads),
            events: in_pairs(worker.events),
            without_period: worker.without_period,
            texts: worker.chains.into_texts(),
            counts: worker.counts,
        };
        (part, worker.findings)
    }

    fn chain_texts(&self) -> PartTexts<'_> {
        PartTexts { texts: &self.texts, counts: &self.counts }
    }
}

fn in_pairs(seen: FirstSeen) -> Vec<(Option<Position>, Box<[u8]>)> {
    seen.firsts.into_iter().zip(seen.memo.texts().map(Box::from)).collect()
}

/// Interns the texts of all parts in the order of the recording; the ids by part and text, `None` for texts without a
/// sample.
fn merge_texts<'p, T: Copy>(
    parts: &'p [Part],
    texts: impl Fn(&'p Part) -> &'p [(Option<Position>, Box<[u8]>)],
    mut intern: impl FnMut(Position, &'p [u8]) -> T,
) -> Vec<Vec<Option<T>>> {
    let all = parts.iter().flat_map(&texts);
    let mut all: Vec<_> = all.filter_map(|(first, text)| Some(((*first)?, &**text))).collect();
    all.sort_unstable();
    let mut ids: HashMap<&[u8], T, FixedState> = HashMap::default();
    for (first, text) in all {
        ids.entry(text).or_insert_with(|| intern(first, text));
    }
    let of_part = |part| texts(part).iter().map(|(_, text)| ids.get(&**text).copied()).collect();
    parts.iter().map(of_part).collect()
}

fn merge_events(parts: &[Part], builder: &mut ProfileBuilder) -> Vec<Vec<Option<EventId>>> {
    let events = merge_texts(
        parts,
        |part| part.events.as_slice(),
        |_, text| builder.event(&String::from_utf8_lossy(text)),
    );
    for (part, events) in parts.iter().zip(&events) {
        let flagged = part.without_period.iter().zip(events).filter(|(without_period, _)| **without_period);
        flagged.filter_map(|(_, event)| *event).for_each(|event| builder.without_period(event));
    }
    events
}

fn merge_threads(
    parts: &[Part],
    builder: &mut ProfileBuilder,
    log: &mut NoteLog,
) -> Vec<Vec<Option<ThreadId>>> {
    let intern = |first, text| {
        let thread = parse_thread(text);
        if thread.has_skipped {
            log.add(NoteKind::SkippedField, 0, first, text);
        }
        let comm = String::from_utf8_lossy(thread.comm);
        if matches!(comm, std::borrow::Cow::Owned(_)) {
            log.add(NoteKind::NotUtf8, 0, first, text);
        }
        let comm = builder.string(&comm);
        builder.thread(Thread { comm, pid: thread.pid, tid: thread.tid })
    };
    merge_texts(parts, |part| part.threads.as_slice(), intern)
}

fn finish(
    mut builder: ProfileBuilder,
    mut findings: Findings,
    path: &str,
    options: &ReadOptions<'_>,
) -> Result<Profile, Error> {
    let numbers = LineNumbers::new(std::mem::take(&mut findings.lines_of_blocks));
    findings.note_times_between_blocks();
    let (unparsed, lines) = (findings.log.count(NoteKind::UnparsedLine), numbers.total());
    let examples = |log: &NoteLog| log.examples(NoteKind::UnparsedLine, &numbers);
    let has_samples = findings.has_samples || findings.log.count(NoteKind::FilteredOut) > 0;
    if !has_samples {
        return Err(Error::NoSamples { path: path.into(), lines, examples: examples(&findings.log) });
    }
    if too_many_unparsed(unparsed, lines) && !options.lenient {
        let examples = examples(&findings.log);
        return Err(Error::TooManyUnparsed { path: path.into(), unparsed, lines, examples });
    }
    if !findings.has_samples && options.cpus.is_some() {
        let path = path.into();
        return Err(match findings.has_cpus {
            true => Error::NothingThere { path, known: Vec::new() },
            false => Error::NoCpus { path },
        });
    }
    if !findings.has_samples {
        let (first_ns, last_ns) = findings.seen_span.unwrap_or((0, 0));
        return Err(Error::NothingInWindow { path: path.into(), first_ns, last_ns });
    }
    findings.maps.sort_by_key(|(position, _)| *position);
    findings.comments.sort_by_key(|(position, _)| *position);
    for (_, map) in &findings.maps {
        let mapping = mapping(map, &mut builder);
        builder.mappings.push(mapping);
    }
    let header = findings.comments.iter().filter_map(|(_, line)| comment_line::parse(line));
    builder.header.extend(header.map(|(key, value)| (key.into(), value.into())));
    builder.span = findings.span.map(|(first_ns, last_ns)| Span { first_ns, last_ns });
    builder.notes = findings.log.into_notes(&numbers);
    builder.finish().map_err(|source| Error::Build { path: path.into(), source })
}

fn mapping(map: &OwnedMap, builder: &mut ProfileBuilder) -> Mapping {
    let mut object = Object::from_text(&String::from_utf8_lossy(&map.path));
    let hexadecimal = map.build_id.as_deref().and_then(|id| std::str::from_utf8(id).ok());
    object.build_id = hexadecimal.and_then(BuildId::from_hex);
    Mapping {
        pid: map.pid,
        start: RuntimeAddr(map.start),
        len: map.len,
        offset: FileOffset(map.offset),
        object: builder.object(object),
    }
}
