//! From the counts of all workers to one profile, the same for any number of workers.
//!
//! Workers number texts as they meet them, so their numbers depend on who read which block. Here all is put in the order
//! of the text: events, threads and chains by their first sample, wherever it was read.

use foldhash::fast::FixedState;
use hashbrown::HashMap;
use pdiff_profile::{
    BuildId, EventId, FileOffset, Mapping, NoteKind, Object, Profile, ProfileBuilder, RuntimeAddr, Span,
    StackId, Thread, ThreadId, Weight,
};

use crate::error::Error;
use crate::options::ReadOptions;

use super::chain::{ChainParser, Flaws, ParsedLine, ParsedText};
use super::counts::{Chain, Counts};
use super::findings::{Findings, OwnedMap};
use super::note_log::NoteLog;
use super::position::{LineNumbers, Position};
use super::tail_memo::TailMemo;
use super::thread_text::parse_thread;
use super::worker::{FirstSeen, Worker};
use super::{comment_line, too_many_unparsed};

/// What one worker's numbers are in the profile.
struct Ids {
    /// By place in [`Counts::lanes`].
    lanes: Vec<(EventId, ThreadId)>,
    /// By place in [`Counts::chains`].
    stacks: Vec<(StackId, Flaws)>,
}

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
    let stacks = merge_stacks(&mut parts, &mut builder);
    builder.reserve_cells(parts.iter().flat_map(|part| &part.counts.chunks).map(Vec::len).sum());
    let firsts = first_flaws(&parts, &stacks);
    for (((part, events), threads), stacks) in parts.into_iter().zip(events).zip(threads).zip(stacks) {
        let lane = |(thread, event): &(u32, u32)| {
            Some(((*events.get(*event as usize)?)?, (*threads.get(*thread as usize)?)?))
        };
        let lanes = part.counts.lanes.iter().map_while(lane).collect();
        merge_cells(part.counts, &Ids { lanes, stacks }, &firsts, &mut builder, &mut findings.log);
    }
    finish(builder, findings, path, options)
}

/// The counts of a worker and the texts that they speak of.
struct Part {
    threads: Vec<(Option<Position>, Box<[u8]>)>,
    events: Vec<(Option<Position>, Box<[u8]>)>,
    without_period: Vec<bool>,
    leaves: Vec<Box<[u8]>>,
    tails: TailMemo,
    counts: Counts,
}

impl Part {
    fn split(worker: Worker) -> (Self, Findings) {
        let (leaves, tails) = worker.chains.into_parts();
        let part = Self {
            threads: in_pairs(worker.threads),
            events: in_pairs(worker.events),
            without_period: worker.without_period,
            leaves,
            tails,
            counts: worker.counts,
        };
        (part, worker.findings)
    }
}

fn in_pairs(seen: FirstSeen) -> Vec<(Option<Position>, Box<[u8]>)> {
    seen.firsts.into_iter().zip(seen.memo.into_texts()).collect()
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

/// Stacks in the order of their first samples, by part and chain. The texts are not needed after it, and are freed.
fn merge_stacks(parts: &mut [Part], builder: &mut ProfileBuilder) -> Vec<Vec<(StackId, Flaws)>> {
    let stacks = stacks_of(parts, builder);
    for part in parts {
        (part.leaves, part.tails) = (Vec::new(), TailMemo::default());
        part.counts.forget_ids();
    }
    stacks
}

fn stacks_of(parts: &[Part], builder: &mut ProfileBuilder) -> Vec<Vec<(StackId, Flaws)>> {
    let mut order: Vec<(Position, usize, usize)> = Vec::new();
    for (place, part) in parts.iter().enumerate() {
        order.extend(part.counts.chains.iter().enumerate().map(|(chain, known)| (known.first, place, chain)));
    }
    order.sort_unstable();
    let mut parser = ChainParser::default();
    let mut texts: Vec<ParsedTexts> = parts.iter().map(ParsedTexts::new).collect();
    for (_, place, chain) in &order {
        let Some((part, parsed)) = parts.get(*place).zip(texts.get_mut(*place)) else { continue };
        if let Some(chain) = part.counts.chains.get(*chain) {
            parsed.parse(part, *chain, &mut parser, builder);
        }
    }
    let mut stacks: Vec<Vec<(StackId, Flaws)>> =
        parts.iter().map(|part| vec![(StackId(0), Flaws::default()); part.counts.chains.len()]).collect();
    let mut frames = Vec::new();
    for (_, place, chain) in order {
        let Some((part, parsed)) = parts.get(place).zip(texts.get(place)) else { continue };
        let Some((leaf, tail)) = part.counts.chains.get(chain).and_then(|chain| parsed.get(*chain)) else {
            continue;
        };
        let flaws = parser.assemble(leaf, tail, builder, &mut frames);
        if let Some(slot) = stacks.get_mut(place).and_then(|stacks| stacks.get_mut(chain)) {
            *slot = (builder.stack(&frames), flaws);
        }
    }
    stacks
}

/// The texts of a part, parsed as they are needed.
struct ParsedTexts {
    leaves: Vec<Option<ParsedText>>,
    tails: Vec<Option<ParsedText>>,
    /// The lines of tails.
    lines: Vec<Option<ParsedLine>>,
}

impl ParsedTexts {
    fn new(part: &Part) -> Self {
        Self {
            leaves: vec![None; part.leaves.len()],
            tails: vec![None; part.tails.len()],
            lines: vec![None; part.tails.line_count()],
        }
    }

    fn parse(&mut self, part: &Part, chain: Chain, parser: &mut ChainParser, builder: &mut ProfileBuilder) {
        if let Some(slot @ None) = self.leaves.get_mut(chain.leaf as usize) {
            let text = part.leaves.get(chain.leaf as usize).filter(|text| !text.is_empty());
            let line = text.map(|text| parser.line(text, builder));
            *slot = Some(parser.text(line.into_iter()));
        }
        if let Some(slot @ None) = self.tails.get_mut(chain.tail as usize) {
            let ids = part.tails.line_ids_of(chain.tail);
            for id in ids {
                if let Some(line @ None) = self.lines.get_mut(*id as usize) {
                    *line = Some(parser.line(part.tails.line(*id), builder));
                }
            }
            let lines = ids.iter().filter_map(|id| *self.lines.get(*id as usize)?);
            *slot = Some(parser.text(lines));
        }
    }

    fn get(&self, chain: Chain) -> Option<(&ParsedText, &ParsedText)> {
        let leaf = self.leaves.get(chain.leaf as usize)?.as_ref()?;
        Some((leaf, self.tails.get(chain.tail as usize)?.as_ref()?))
    }
}

/// Where each flawed stack stands first in the text, whichever worker met it there.
type FirstFlaws = HashMap<(StackId, Flaws), Position, FixedState>;

fn first_flaws(parts: &[Part], stacks: &[Vec<(StackId, Flaws)>]) -> FirstFlaws {
    let mut firsts = FirstFlaws::default();
    for (part, stacks) in parts.iter().zip(stacks) {
        let flawed = part.counts.chains.iter().zip(stacks).filter(|(_, (_, flaws))| !flaws.is_empty());
        for (chain, key) in flawed {
            firsts.entry(*key).and_modify(|first| *first = chain.first.min(*first)).or_insert(chain.first);
        }
    }
    firsts
}

/// Adds the cells of a part, whose memory is freed on the way.
fn merge_cells(
    counts: Counts,
    ids: &Ids,
    firsts: &FirstFlaws,
    builder: &mut ProfileBuilder,
    log: &mut NoteLog,
) {
    for cell in counts.chunks.into_iter().flatten() {
        let lane = ids.lanes.get(cell.lane as usize);
        let Some((&(event, thread), &(stack, flaws))) = lane.zip(ids.stacks.get(cell.chain as usize)) else {
            continue;
        };
        builder.count(event, cell.block, thread, stack, cell.samples, Weight(cell.weight));
        if !flaws.is_empty() {
            let first = firsts.get(&(stack, flaws)).copied();
            note_flaws(flaws, u64::from(cell.samples), cell.weight, first, log);
        }
    }
}

#[cold]
fn note_flaws(flaws: Flaws, samples: u64, weight: u64, first: Option<Position>, log: &mut NoteLog) {
    let Some(first) = first else { return };
    let kinds = [
        (NoteKind::UnparsedLine, flaws.unparsed),
        (NoteKind::LineTooLong, flaws.too_long),
        (NoteKind::NotUtf8, flaws.not_utf8),
        (NoteKind::SkippedField, flaws.skipped),
        (NoteKind::DoubledFrame, flaws.doubled),
    ];
    for (kind, per_sample) in kinds.into_iter().filter(|(_, per_sample)| *per_sample > 0) {
        let example = || "in the stack of this sample".into();
        log.add_many(kind, u64::from(per_sample).saturating_mul(samples), weight, first, example);
    }
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
