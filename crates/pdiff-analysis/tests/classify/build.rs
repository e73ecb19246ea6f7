//! Builds from words: `f:100` is a body of 100 bytes, `f>g` a call, `f^g` a jump in tail position, `f<g*2` two copies of `g` in `f`, `f@x/a.h` the file
//! of `f`, `f#9` its line; `f@plt` is a stub; `f%1` and `f%2` are overloads of `f`, `f«A»` an instance; `f=7` gives its body that hash, `f~` a pause instruction, `f&g` that its body is that of `g`, `f|` says that it is a part split off;
//! `f!` was inlined, `f?` is without debug information, and `?` is a unit that was not read.

use pdiff_analysis::classify::{
    CallCounts, Classification, ClassifyInput, ClassifyKnowledge, CodePaths, Demands, ObjectBuilds, Verdict,
    classify,
};
use pdiff_analysis::{
    Aliases, Architectural, Comparison, PreparedSides, SampledCall, SampledCalls, SettingsDiff,
    SettingsKnowledge, Sides, SpinList,
};
use pdiff_profile::census::{
    Body, BodyHash, BodyPart, CallEdge, Census, CensusBuilder, Coverage, EdgeSource, FunctionFacts,
    FunctionId, InlineAttribute, InlineSite, Linkage, Producer, Spin, Visibility,
};
use pdiff_profile::{ObjectAddr, PerSide, Profile, RunMeasures};
use std::collections::BTreeMap;

use crate::support::{profile, settings, side};

/// A build in words, and what of it can be seen.
#[derive(Clone, Copy)]
pub(crate) struct Words<'a> {
    pub(crate) words: &'a str,
    pub(crate) visibility: Visibility,
    pub(crate) compiler: &'a str,
}

/// A build with debug information.
pub(crate) fn described(words: &str) -> Words<'_> {
    Words { words, visibility: Visibility::DebugInfo, compiler: "GNU C++17 12.2.0" }
}

/// A function in the making.
#[derive(Default, Clone)]
struct Draft {
    bytes: u64,
    file: Option<String>,
    line: u32,
    hash: Option<u32>,
    spins: bool,
    is_part: bool,
    is_inlined: bool,
    is_unknown: bool,
    /// The function whose body it has.
    alias_of: Option<String>,
}

fn is_call_of_stub(word: &str) -> bool {
    word.contains('>') && word.ends_with("@plt")
}

fn drafts(words: &str) -> BTreeMap<String, Draft> {
    let mut drafts: BTreeMap<String, Draft> = BTreeMap::new();
    for word in words.split_whitespace() {
        if let Some((name, bytes)) = word.rsplit_once(':').filter(|(_, b)| b.parse::<u64>().is_ok()) {
            drafts.entry(name.to_owned()).or_default().bytes = bytes.parse().unwrap();
        } else if let Some((name, file)) = word.split_once('@').filter(|_| !is_call_of_stub(word)) {
            drafts.entry(name.to_owned()).or_default().file = Some(file.to_owned());
        } else if let Some((name, Ok(line))) = word.split_once('#').map(|(name, line)| (name, line.parse())) {
            drafts.entry(name.to_owned()).or_default().line = line;
        } else if let Some((name, hash)) = word.split_once('=') {
            drafts.entry(name.to_owned()).or_default().hash = hash.parse().ok();
        } else if let Some((name, other)) = word.split_once('&') {
            drafts.entry(name.to_owned()).or_default().alias_of = Some(other.to_owned());
        } else if let Some(name) = word.strip_suffix('~') {
            drafts.entry(name.to_owned()).or_default().spins = true;
        } else if let Some(name) = word.strip_suffix('|') {
            drafts.entry(name.to_owned()).or_default().is_part = true;
        } else if let Some(name) = word.strip_suffix('!') {
            drafts.entry(name.to_owned()).or_default().is_inlined = true;
        } else if let Some(name) = word.strip_suffix('?') {
            if !name.is_empty() {
                drafts.entry(name.to_owned()).or_default().is_unknown = true;
            }
        } else {
            let (caller, callee) = word.split_once(['>', '^', '<']).unwrap();
            drafts.entry(caller.to_owned()).or_default();
            drafts.entry(callee.split('*').next().unwrap().to_owned()).or_default();
        }
    }
    drafts
}

pub(crate) fn census(of: Words<'_>) -> Census {
    let mut builder = CensusBuilder::new(of.visibility);
    let producer = builder.producer(Producer::from_text(of.compiler, 1));
    let mut ids: BTreeMap<String, FunctionId> = BTreeMap::new();
    let drafts = drafts(of.words);
    let addresses: BTreeMap<String, u64> = drafts.keys().cloned().zip((0x1000..).step_by(0x1000)).collect();
    for (name, draft) in drafts {
        let addr = addresses[draft.alias_of.as_ref().unwrap_or(&name)];
        let (shown, overload) = name.split_once('%').map_or((&*name, None), |(shown, of)| (shown, Some(of)));
        let text = builder.text(&shown.replace('«', "<").replace('»', ">"));
        let parameters = overload.map(|of| builder.text(&format!("({of})")));
        let file = draft.file.as_deref().map(|file| builder.text(file));
        let linkage = if name.ends_with("@plt") { Linkage::Imported } else { Linkage::External };
        let facts = FunctionFacts {
            file,
            line: draft.line,
            producer: Some(producer),
            linkage,
            parameters,
            inline: if draft.is_inlined { InlineAttribute::CompilerChose } else { InlineAttribute::Absent },
            ..FunctionFacts::named(text)
        };
        let id = builder.function(facts);
        if draft.bytes > 0 {
            let body = Body {
                described: of.visibility == Visibility::DebugInfo && !draft.is_unknown,
                hash: draft.hash.map(BodyHash),
                part: if draft.is_part { BodyPart::Part } else { BodyPart::Whole },
                spin: draft.spins.then_some(Spin::Pause),
                ..Body::at(ObjectAddr(addr), draft.bytes)
            };
            builder.body(id, body);
        }
        ids.insert(name, id);
    }
    let unreadable_units = of.words.split_whitespace().filter(|word| *word == "?").count() as u64;
    builder.coverage(Coverage { unreadable_units, ..Coverage::default() });
    for word in of.words.split_whitespace() {
        let is_call = !word.contains(['<', '@']) || is_call_of_stub(word);
        if let Some((caller, callee)) = word.split_once(['>', '^']).filter(|_| is_call) {
            let (caller, callee) = (ids[caller], ids[callee]);
            let (source, tail_jumps) = (EdgeSource::Disassembly, u32::from(word.contains('^')));
            builder.edge(CallEdge { caller, callee, calls: 1 - tail_jumps, tail_jumps, source });
        } else if let Some((caller, copies)) = word.split_once('<') {
            let (callee, count) = copies.split_once('*').unwrap();
            let (callee, caller) = (ids[callee], ids[caller]);
            builder.site(InlineSite { callee, caller, file: None, line: 1, count: count.parse().unwrap() });
        }
    }
    builder.finish()
}

/// One side: samples, each written for ten seconds, and its build.
#[derive(Clone, Copy)]
pub(crate) struct Side<'a> {
    pub(crate) folded: &'a str,
    pub(crate) build: Option<Words<'a>>,
}

/// A side with debug information.
pub(crate) fn seen<'a>(folded: &'a str, words: &'a str) -> Side<'a> {
    Side { folded, build: Some(described(words)) }
}

/// The stacks in every of ten seconds, so that there is something to judge noise by; those after `once` in one second only.
fn sampled(folded: &str) -> Profile {
    let lines = folded.lines().map(str::trim).filter(|line| !line.is_empty());
    let seconds = |line: &'_ str| match line.strip_prefix("once ") {
        Some(line) => vec![format!("app@0: {line}\n")],
        None => (0..10).map(|second| format!("app@{second}: {line}\n")).collect(),
    };
    let text: String = lines.flat_map(seconds).collect();
    profile(&text)
}

fn measures(operations: &[f64]) -> Vec<RunMeasures> {
    let run = |operations: &f64| RunMeasures { operations: Some(*operations), ..RunMeasures::default() };
    operations.iter().map(run).collect()
}

/// What else verdicts may rest on.
#[derive(Default)]
pub(crate) struct Extra<'a> {
    pub(crate) counts: Option<CallCounts>,
    pub(crate) same_objects: &'a [String],
    pub(crate) demands: Option<Demands>,
    pub(crate) settings: Option<SettingsDiff>,
    /// Operations of each run of each side: as many runs of the same samples.
    pub(crate) operations: Option<[&'a [f64]; 2]>,
    pub(crate) paths: Option<&'a dyn CodePaths>,
    /// Calls through pointers: caller, callee, and from how many places on each side.
    pub(crate) pointer_places: &'a [(&'a str, &'a str, [u32; 2])],
}

pub(crate) fn classified(before: Side<'_>, after: Side<'_>) -> Classification {
    classified_with(before, after, &Extra::default())
}

pub(crate) fn classified_with(before: Side<'_>, after: Side<'_>, extra: &Extra<'_>) -> Classification {
    judged(before, after, extra).1
}

/// The comparison of two sides, and its verdicts.
pub(crate) fn judged(before: Side<'_>, after: Side<'_>, extra: &Extra<'_>) -> (Comparison, Classification) {
    let (of_before, of_after) = (sampled(before.folded), sampled(after.folded));
    let [measures_before, measures_after] = extra.operations.unwrap_or_default().map(measures);
    let runs_before = vec![&of_before; measures_before.len().max(1)];
    let runs_after = vec![&of_after; measures_after.len().max(1)];
    let sides = Sides {
        before: side("before", &runs_before, &measures_before),
        after: side("after", &runs_after, &measures_after),
    };
    let settings = settings();
    let prepared = PreparedSides::new(&sides, &settings);
    let comparison: Comparison = prepared.compare(&sides, &settings);
    let mut calls: SampledCalls = prepared.calls(&sides, &comparison);
    for (caller, callee, [before, after]) in extra.pointer_places {
        let is_it = |call: &&mut SampledCall| (&*call.caller, &*call.callee) == (*caller, *callee);
        calls.calls.iter_mut().find(is_it).unwrap().pointer_places = PerSide::new(*before, *after);
    }
    let builds = [before, after].map(|side| side.build.map(census));
    let (aliases, spin, architectural) = (Aliases::default(), SpinList::builtin(), Architectural::mysqld());
    let outcome = classify(&ClassifyInput {
        comparison: &comparison,
        calls: &calls,
        builds: Some(ObjectBuilds {
            label: "app",
            before: builds[0].as_ref(),
            after: builds[1].as_ref(),
            matching: None,
        }),
        same_objects: extra.same_objects,
        packs_without_census: PerSide::default(),
        counts: extra.counts.as_ref(),
        paths: extra.paths,
        inline_reasons: PerSide::default(),
        settings: extra.settings.as_ref(),
        knowledge: ClassifyKnowledge {
            aliases: &aliases,
            spin: &spin,
            architectural: &architectural,
            settings: &SettingsKnowledge::mysqld(),
        },
        demands: extra.demands.unwrap_or(Demands::Any),
    });
    (comparison, outcome)
}

pub(crate) fn verdict<'a>(of: &'a Classification, name: &str) -> &'a Verdict {
    of.verdicts
        .iter()
        .find(|verdict| verdict.function == name)
        .unwrap_or_else(|| panic!("no verdict on {name}"))
}

/// Cause, confidence and rule of one function.
pub(crate) fn said(of: &Classification, name: &str) -> String {
    let verdict = verdict(of, name);
    format!("{} {} {}", verdict.cause, verdict.confidence, verdict.rule_id)
}

/// Everything else that the program does: 600 samples a second that do not change.
const REST: &str = "main;work 600";

pub(crate) fn with_rest(folded: &str) -> String {
    format!("{REST}\n{folded}")
}

/// Twenty functions with the same code in both builds, all sampled: the builds are a patch apart.
pub(crate) fn steady() -> (String, String) {
    let stacks = (0..20).map(|n| format!("main;steady_{n} 60\n")).collect();
    let words = (0..20).map(|n| format!("steady_{n}:80 steady_{n}={n} main>steady_{n} ")).collect();
    (stacks, words)
}
