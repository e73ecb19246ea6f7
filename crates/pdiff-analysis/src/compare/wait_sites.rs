//! Recordings of waiting to [`Waiting`]: each wait belongs to the function of the program that began it, and waits for work are
//! told from waits of work.
//!
//! The function that waits is the innermost one of the program, wrappers of waiting left out ([`WaitList`]). A wait is idle if a
//! function of its stack is known to wait for work only; or if it sleeps where idle threads do (in `epoll_wait`,
//! `pthread_cond_timedwait`, ...) and the loop of its thread called that, itself or by a function that does nothing else: the loop is
//! what all stacks of a thread group begin with. A wait for a lock or a file is never idle, whoever called it.
//!
//! Cost: unique stacks x depth, and cells once.

use std::collections::{BTreeMap, BTreeSet};

use pdiff_profile::{NoteKind, PerSide, Profile, Side, StackId, ThreadState};
use rustc_hash::{FxHashMap, FxHashSet};

use super::comparison::{Comparison, Cost};
use super::findings_input::stacks_of_both;
use super::input::{CompareSettings, Sides};
use super::prepare::{Prepared, PreparedRun, PreparedSides, Program};
use super::wait_changes::{Recordings, WaitTimes};
use super::waiting::{FindingWaits, ThreadTimes, WaitPlace, Waiting, WaitingGroup, Waits};
use crate::findings::{Code, CodeKinds, Finding};
use crate::knowledge::WaitList;
use crate::noise::NoiseSettings;
use crate::normalize::{KeyId, Level};

/// Callers that a place names.
const MOST_CALLERS: usize = 3;

const NS_PER_S: f64 = 1e9;

/// The same recordings three times, by the states of threads; a side has no runs in a state that none of its recordings has.
#[derive(Debug)]
pub struct WaitingSides<'a> {
    /// Sleeping.
    pub blocked: Sides<'a>,
    /// Without a CPU.
    pub runnable: Sides<'a>,
    /// Running.
    pub on_cpu: Sides<'a>,
}

impl<'a> WaitingSides<'a> {
    fn get(&self, state: ThreadState) -> &Sides<'a> {
        match state {
            ThreadState::Blocked => &self.blocked,
            ThreadState::Runnable => &self.runnable,
            ThreadState::OnCpu => &self.on_cpu,
        }
    }
}

/// Finds out where threads of the program wait.
#[must_use]
pub fn waiting(
    sides: &WaitingSides<'_>,
    settings: &CompareSettings,
    program: Option<&Program>,
    comparison: &Comparison,
) -> Waiting {
    let prepared = ThreadState::ALL.map(|state| PreparedSides::new(sides.get(state), settings));
    let views: Vec<View<'_>> = ThreadState::ALL
        .into_iter()
        .zip(&prepared)
        .map(|(state, prepared)| View::new(state, prepared.view(sides.get(state)), settings))
        .collect();
    let labels = program.map(Labels::new);
    let counted = labels.as_ref().map(|labels| Processes::that_run(labels, &views));
    let loops = Loops::new(&views, counted.as_ref(), &settings.knowledge.waits);
    let findings: FxHashMap<(&str, &str), usize> = comparison
        .findings
        .list
        .iter()
        .enumerate()
        .rev()
        .map(|(at, finding)| (name_of(finding), at))
        .collect();
    let mut sums = Sums::new(comparison.findings.list.len());
    for view in &views {
        sums.add(view, counted.as_ref(), &loops, &settings.knowledge.waits, &findings);
    }
    let recorded = PerSide::from_fn(|side| recorded(sides, side));
    let span_s = recorded.as_ref().map(|profiles| span_s(profiles));
    let lost_returns = recorded.as_ref().map(|profiles| lost_returns(profiles));
    let heading = Heading { span_s, lost_returns, program: program.map(|program| program.label.clone()) };
    sums.finish(heading, comparison.cost.as_ref(), &settings.noise)
}

fn name_of(finding: &Finding) -> (&str, &str) {
    (finding.function(), &finding.object)
}

/// A side's recordings, each once: it is in all states that its threads were in.
fn recorded<'a>(sides: &WaitingSides<'a>, side: Side) -> Vec<&'a Profile> {
    let runs = ThreadState::ALL.into_iter().flat_map(|state| &sides.get(state).get(side).runs);
    let by_place = runs.map(|run| (std::ptr::from_ref(run.profile), run.profile));
    by_place.collect::<BTreeMap<_, _>>().into_values().collect()
}

/// Length of a side's recordings.
fn span_s(profiles: &[&Profile]) -> Option<f64> {
    let mut sum = 0.0;
    for profile in profiles {
        let span = profile.span?;
        sum += span.last_ns.saturating_sub(span.first_ns) as f64 / NS_PER_S;
    }
    (sum > 0.0).then_some(sum)
}

fn lost_returns(profiles: &[&Profile]) -> u64 {
    profiles
        .iter()
        .filter_map(|profile| profile.notes.get(NoteKind::LostReturns))
        .map(|note| note.count)
        .sum()
}

/// What a side calls the objects of the program.
struct Labels {
    of_sides: PerSide<BTreeSet<String>>,
}

impl Labels {
    fn new(program: &Program) -> Self {
        let of_side = |paths: &Vec<String>| {
            let names = paths.iter().filter_map(|path| path.rsplit('/').next());
            names.map(str::to_owned).chain([program.label.clone()]).collect()
        };
        Self { of_sides: program.paths.as_ref().map(of_side) }
    }
}

/// A process, or a thread where processes are not known, of a recording.
type Owner<'a> = (Side, &'a str, Option<u32>, Option<u32>);

/// The processes that run the program.
struct Processes<'a>(FxHashSet<Owner<'a>>);

impl<'a> Processes<'a> {
    fn that_run(labels: &Labels, views: &'a [View<'a>]) -> Self {
        let mut found = FxHashSet::default();
        for view in views {
            for run in &view.prepared.runs {
                let of_side = &labels.of_sides[run.side];
                let runs_it: Vec<bool> = (0..)
                    .map(StackId)
                    .take(run.stacks.len())
                    .map(|stack| {
                        let mut levels = run.stacks.get(stack).iter();
                        levels.any(|level| of_side.contains(&*view.prepared.keys.get(level.key).object))
                    })
                    .collect();
                let cells = run.cells.iter();
                let those = cells.filter(|cell| runs_it.get(cell.stack.index()).copied().unwrap_or(false));
                found.extend(those.map(|cell| owner(run, cell.thread.index())));
            }
        }
        Self(found)
    }

    fn has(&self, owner: &Owner<'_>) -> bool {
        self.0.contains(owner)
    }
}

fn owner<'a>(run: &PreparedRun<'a>, thread: usize) -> Owner<'a> {
    let thread = run.input.profile.threads.get(thread);
    let pid = thread.and_then(|thread| thread.pid);
    let tid = thread.and_then(|thread| thread.tid).filter(|_| pid.is_none());
    (run.side, &run.input.path, pid, tid)
}

/// Recordings in one state.
struct View<'a> {
    state: ThreadState,
    prepared: Prepared<'a>,
    codes: CodeKinds,
    /// By key: whether it is a function of the program that does not wait for its callers.
    is_site: Vec<bool>,
}

impl<'a> View<'a> {
    fn new(state: ThreadState, prepared: Prepared<'a>, settings: &CompareSettings) -> Self {
        let codes = CodeKinds::new(&stacks_of_both(&prepared, None, settings.noise));
        let list = &settings.knowledge.waits;
        let keys = prepared.keys.iter();
        let is_site = keys.map(|(id, key)| {
            let is_start = prepared.facts.is_start(id);
            codes.get(id) == Code::Own && !is_start && !list.is_wrapper(&key.qualified)
        });
        let is_site = is_site.collect();
        Self { state, prepared, codes, is_site }
    }

    fn is_site(&self, key: KeyId) -> bool {
        self.is_site.get(key.0 as usize).copied().unwrap_or(false)
    }

    /// The functions of the program in a stack, root first, each with its level.
    fn sites<'l>(&'l self, levels: &'l [Level]) -> impl DoubleEndedIterator<Item = (usize, &'l str)> {
        let sites = levels.iter().enumerate().filter(|(_, level)| self.is_site(level.key));
        sites.map(|(at, level)| (at, self.name(level.key)))
    }

    /// Whether the innermost function of the program sleeps where threads do that have nothing to do.
    fn sleeps(&self, levels: &[Level], list: &WaitList) -> bool {
        let at = self.sites(levels).next_back().map_or(0, |(at, _)| at + 1);
        let mut below = levels.get(at..).unwrap_or(&[]).iter();
        below.any(|level| list.is_sleep(&self.prepared.keys.get(level.key).qualified))
    }

    fn name(&self, key: KeyId) -> &str {
        &self.prepared.keys.get(self.prepared.renames.canonical(key)).name
    }
}

/// What all stacks of each thread group begin with, and the functions that do more than sleep.
struct Loops<'a> {
    by_group: FxHashMap<(Side, &'a str), Vec<&'a str>>,
    busy: FxHashSet<(Side, &'a str, &'a str)>,
}

impl<'a> Loops<'a> {
    fn new(views: &'a [View<'a>], counted: Option<&Processes<'_>>, list: &WaitList) -> Self {
        let mut busy = FxHashSet::default();
        let mut stacks: FxHashMap<(Side, &str), BTreeMap<Vec<&str>, StackTime>> = FxHashMap::default();
        // A thread leaves the CPU with the stack with which it then waits.
        for view in views.iter().filter(|view| view.state != ThreadState::OnCpu) {
            for run in &view.prepared.runs {
                let mut weights: FxHashMap<(StackId, &str), u64> = FxHashMap::default();
                for cell in run.cells {
                    let is_counted =
                        counted.is_none_or(|counted| counted.has(&owner(run, cell.thread.index())));
                    let group = run.groups.get(cell.thread.index()).filter(|_| is_counted);
                    let Some(group) = group else { continue };
                    *weights.entry((cell.stack, group.as_str())).or_default() += cell.weight.0;
                }
                for ((stack, group), weight) in weights {
                    let levels = run.stacks.get(stack);
                    let names: Vec<&str> = view.sites(levels).map(|(_, name)| name).collect();
                    // A thread that is preempted on its way into a sleep or out of it does nothing else either.
                    if !view.sleeps(levels, list) {
                        busy.extend(names.iter().map(|name| (run.side, group, *name)));
                    }
                    let of_stack = stacks.entry((run.side, group)).or_default().entry(names).or_default();
                    of_stack.weight += weight;
                    of_stack.has_root |= view.prepared.facts.thread_start(levels) > 0;
                }
            }
        }
        let by_group = stacks.into_iter().map(|(group, stacks)| (group, common_beginning(&stacks)));
        Self { by_group: by_group.collect(), busy }
    }

    /// Whether the loop of a group sleeps at the end of these functions, itself or by a function that does nothing else.
    fn is_at_top(&self, group: (Side, &str), names: &[&str]) -> bool {
        let Some(of_group) = self.by_group.get(&group) else { return false };
        let common = of_group.iter().zip(names).take_while(|(a, b)| a == b).count();
        let (side, group) = group;
        let is_pure = || names.last().is_some_and(|last| !self.busy.contains(&(side, group, *last)));
        let beneath = names.len() - common;
        common == of_group.len() && (beneath == 0 || beneath == 1 && is_pure())
    }
}

/// How long threads of a group were off the CPU with a stack, and whether it reaches to where threads start.
#[derive(Clone, Copy, Default)]
struct StackTime {
    weight: u64,
    has_root: bool,
}

/// What all stacks begin with that begin with the function with most time below it. Others lost their roots, or are of threads that
/// have not taken their name yet. If some stacks reach to where threads start, only those decide.
fn common_beginning<'a>(stacks: &BTreeMap<Vec<&'a str>, StackTime>) -> Vec<&'a str> {
    let any_has_root = stacks.iter().any(|(stack, of)| of.has_root && !stack.is_empty());
    let mut firsts: BTreeMap<&str, u64> = BTreeMap::new();
    for (stack, of) in stacks {
        if let Some(first) = stack.first().filter(|_| of.has_root || !any_has_root) {
            *firsts.entry(first).or_default() += of.weight;
        }
    }
    let Some((first, _)) = firsts.into_iter().max_by_key(|(_, weight)| *weight) else { return Vec::new() };
    let mut whole = stacks.keys().filter(|stack| stack.first() == Some(&first));
    let Some(mut common) = whole.next().cloned() else { return Vec::new() };
    for stack in whole {
        let same = common.iter().zip(stack).take_while(|(a, b)| a == b).count();
        common.truncate(same);
    }
    common
}

/// A wait's place in the sums: function, object, what it waits in, whether it is idle.
type PlaceKey = (Option<String>, String, String, bool);

#[derive(Default)]
struct PlaceSums {
    seconds: PerSide<f64>,
    count: PerSide<u64>,
    groups: BTreeMap<String, f64>,
    callers: BTreeMap<Vec<String>, f64>,
    times: WaitTimes,
}

#[derive(Default)]
struct FindingSums {
    waits: PerSide<Waits>,
    times: WaitTimes,
}

/// What is known about the recordings as a whole.
struct Heading {
    span_s: PerSide<Option<f64>>,
    lost_returns: PerSide<u64>,
    program: Option<String>,
}

/// A thread of a run: comm, process, thread and the run's number.
type ThreadOfRun = (String, Option<u32>, Option<u32>, usize);

/// All that is counted.
struct Sums<'a> {
    recordings: Recordings<'a>,
    groups: BTreeMap<String, PerSide<ThreadTimes>>,
    threads: BTreeMap<String, PerSide<BTreeSet<ThreadOfRun>>>,
    places: BTreeMap<PlaceKey, PlaceSums>,
    findings: Vec<FindingSums>,
}

/// One stack's meaning.
struct Site<'a> {
    function: Option<(&'a str, &'a str)>,
    waits_in: &'a str,
    /// Functions of the program, root first, the one that waits last.
    names: Vec<&'a str>,
    is_known_idle: bool,
    is_never_idle: bool,
    sleeps: bool,
    finding: Option<usize>,
}

impl<'a> Sums<'a> {
    fn new(findings: usize) -> Self {
        Self {
            recordings: Recordings::default(),
            groups: BTreeMap::new(),
            threads: BTreeMap::new(),
            places: BTreeMap::new(),
            findings: std::iter::repeat_with(FindingSums::default).take(findings).collect(),
        }
    }

    fn add(
        &mut self,
        view: &View<'a>,
        counted: Option<&Processes<'_>>,
        loops: &Loops<'_>,
        list: &WaitList,
        findings: &FxHashMap<(&str, &str), usize>,
    ) {
        for run in &view.prepared.runs {
            let recording = self.recordings.number(run);
            let mut sites: FxHashMap<StackId, Site<'_>> = FxHashMap::default();
            for cell in run.cells {
                if counted.is_some_and(|counted| !counted.has(&owner(run, cell.thread.index()))) {
                    continue;
                }
                let group = run.groups.get(cell.thread.index()).map_or("", String::as_str);
                let site = sites
                    .entry(cell.stack)
                    .or_insert_with(|| site_of(view, run.stacks.get(cell.stack), list, findings));
                let is_idle = view.state == ThreadState::Blocked
                    && !site.is_never_idle
                    && (site.is_known_idle || site.sleeps && loops.is_at_top((run.side, group), &site.names));
                let seconds = cell.weight.0 as f64 / NS_PER_S;
                self.add_cell(view.state, (run, recording), cell, group, site, is_idle, seconds);
            }
        }
    }

    #[expect(clippy::too_many_arguments, reason = "each is a fact about one cell")]
    fn add_cell(
        &mut self,
        state: ThreadState,
        (run, recording): (&PreparedRun<'_>, usize),
        cell: &pdiff_profile::Cell,
        group: &str,
        site: &Site<'_>,
        is_idle: bool,
        seconds: f64,
    ) {
        let side = run.side;
        let thread = run.input.profile.threads.get(cell.thread.index());
        let tid = thread.and_then(|thread| thread.tid);
        let number = if tid.is_some() { 0 } else { cell.thread.index() };
        let id = (run.input.path.clone(), thread.and_then(|thread| thread.pid), tid, number);
        self.threads.entry(group.to_owned()).or_default()[side].insert(id);
        let sleeps = if state == ThreadState::Blocked { u64::from(cell.samples) } else { 0 };
        if !is_idle {
            self.recordings.add(recording, seconds, sleeps);
        }
        let times = &mut self.groups.entry(group.to_owned()).or_default()[side];
        match (state, is_idle) {
            (ThreadState::OnCpu, _) => {
                times.cpu_s = Some(times.cpu_s.unwrap_or(0.0) + seconds);
                return;
            }
            (ThreadState::Runnable, _) => times.waits.runnable_s += seconds,
            (ThreadState::Blocked, true) => times.idle_s += seconds,
            (ThreadState::Blocked, false) => {
                times.waits.blocked_s += seconds;
                times.waits.count += sleeps;
            }
        }
        if let Some(of_finding) = site.finding.filter(|_| !is_idle).and_then(|at| self.findings.get_mut(at)) {
            let waits = &mut of_finding.waits[side];
            match state {
                ThreadState::Runnable => waits.runnable_s += seconds,
                _ => {
                    waits.blocked_s += seconds;
                    waits.count += sleeps;
                    of_finding.times.add(recording, cell.block, seconds, sleeps);
                }
            }
        }
        if state == ThreadState::Blocked {
            let (function, object) = site.function.unzip();
            let (function, object) = (function.map(str::to_owned), object.unwrap_or_default().to_owned());
            let place = self.places.entry((function, object, site.waits_in.to_owned(), is_idle)).or_default();
            place.seconds[side] += seconds;
            place.count[side] += sleeps;
            place.times.add(recording, cell.block, seconds, sleeps);
            *place.groups.entry(group.to_owned()).or_default() += seconds;
            let callers = site.names.iter().rev().skip(1).take(MOST_CALLERS);
            let callers = callers.map(|name| (*name).to_owned()).collect();
            *place.callers.entry(callers).or_default() += seconds;
        }
    }

    fn finish(self, heading: Heading, cost: Option<&Cost>, noise: &NoiseSettings) -> Waiting {
        let (idle, work): (Vec<_>, Vec<_>) = self.places.into_iter().partition(|((.., is_idle), _)| *is_idle);
        let of_places = work.iter().map(|(_, sums)| &sums.times);
        let times: Vec<&WaitTimes> = of_places.chain(self.findings.iter().map(|sums| &sums.times)).collect();
        let (changes, noise) = self.recordings.judge(&times, noise, cost);
        let mut changes = changes.into_iter();
        let work = work.into_iter().zip(changes.by_ref());
        let places: Vec<WaitPlace> = work
            .map(|((key, sums), change)| WaitPlace { change: Some(change), ..place(key, sums) })
            .collect();
        let findings = self.findings.iter().zip(changes);
        let findings = findings.map(|(sums, change)| FindingWaits { waits: sums.waits, change }).collect();
        let mut waiting = Waiting {
            span_s: heading.span_s,
            lost_returns: heading.lost_returns,
            tps: cost.and_then(|cost| cost.gap.as_ref()).map(|gap| gap.tps),
            program: heading.program,
            groups: groups(self.groups, &self.threads),
            places: Vec::new(),
            idle: idle.into_iter().map(|(key, sums)| place(key, sums)).collect(),
            findings,
            noise,
        };
        waiting.idle.sort_by(|a, b| longest(b).total_cmp(&longest(a)));
        waiting.places = significant_first(places, &waiting);
        waiting
    }
}

/// Groups of threads, the longest waits first.
fn groups(
    of: BTreeMap<String, PerSide<ThreadTimes>>,
    threads: &BTreeMap<String, PerSide<BTreeSet<ThreadOfRun>>>,
) -> Vec<WaitingGroup> {
    let of = of.into_iter().map(|(name, mut times)| {
        if let Some(threads) = threads.get(&name) {
            times.before.threads = threads.before.len();
            times.after.threads = threads.after.len();
        }
        WaitingGroup { name, times }
    });
    let mut groups: Vec<WaitingGroup> = of.collect();
    let waits = |of: &ThreadTimes| of.waits.blocked_s + of.waits.runnable_s;
    let size = |group: &WaitingGroup| waits(&group.times.before).max(waits(&group.times.after));
    groups.sort_by(|a, b| size(b).total_cmp(&size(a)));
    groups
}

fn place((function, object, waits_in, _): PlaceKey, sums: PlaceSums) -> WaitPlace {
    let PlaceSums { seconds, count, groups, callers, .. } = sums;
    let callers = heaviest(callers).unwrap_or_default();
    let group = heaviest(groups).unwrap_or_default();
    WaitPlace { function, object, waits_in, callers, group, seconds, count, change: None }
}

fn longest(place: &WaitPlace) -> f64 {
    place.seconds.before.max(place.seconds.after)
}

/// Significant changes first, then the largest.
fn significant_first(mut places: Vec<WaitPlace>, waiting: &Waiting) -> Vec<WaitPlace> {
    let is_significant = |place: &WaitPlace| place.change.is_some_and(|change| change.significant);
    let size = |place: &WaitPlace| {
        let measured = waiting.measured(place.seconds);
        (measured.after - measured.before).abs()
    };
    places.sort_by(|a, b| {
        let significant = is_significant(b).cmp(&is_significant(a));
        let size = || size(b).total_cmp(&size(a));
        significant.then_with(size).then_with(|| longest(b).total_cmp(&longest(a)))
    });
    places
}

fn heaviest<K: Ord>(weights: BTreeMap<K, f64>) -> Option<K> {
    // The first of equal ones.
    weights.into_iter().rev().max_by(|(_, a), (_, b)| a.total_cmp(b)).map(|(key, _)| key)
}

fn site_of<'a>(
    view: &'a View<'_>,
    levels: &'a [Level],
    list: &WaitList,
    findings: &FxHashMap<(&str, &str), usize>,
) -> Site<'a> {
    let keys = view.prepared.keys;
    let key = |level: &Level| keys.get(view.prepared.renames.canonical(level.key));
    let at = view.sites(levels).next_back().map(|(at, _)| at);
    let below = levels.get(at.map_or(0, |at| at + 1)..).unwrap_or(&[]);
    let is_toolchain = |level: &&Level| {
        let code = view.codes.get(level.key);
        code == Code::Toolchain || view.prepared.facts.is_start(level.key) || code == Code::SystemCall
    };
    let waits_in = below.iter().find(|level| !is_toolchain(level)).map_or("", |level| &*key(level).name);
    let finding = levels
        .iter()
        .rev()
        .find_map(|level| findings.get(&(&*key(level).name, &*key(level).object)).copied());
    let any_level = |is: &dyn Fn(&str) -> bool| levels.iter().any(|level| is(&keys.get(level.key).qualified));
    Site {
        function: at.and_then(|at| levels.get(at)).map(|level| (&*key(level).name, &*key(level).object)),
        waits_in,
        names: view.sites(levels).map(|(_, name)| name).collect(),
        is_known_idle: any_level(&|name| list.is_idle(name)),
        is_never_idle: any_level(&|name| list.is_never_idle(name)),
        sleeps: view.sleeps(levels, list),
        finding,
    }
}
