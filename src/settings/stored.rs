//! Runs of a store as the recordings of a side: the pack of each.

use std::collections::{BTreeMap, BTreeSet};
use std::path::{Path, PathBuf};

use anyhow::{Context, Result, anyhow, bail};
use pdiff::profile::{PerSide, Side};
use pdiff::store::{Selection, Store, StoreError, StoredRun, SummedRun, Table, read_sums};
use pdiff::study::natural_order;
use pdiff::{Recording, UNKNOWN_HOST, summed_recording};

use crate::cli::RecordingArgs;

/// The runs of one side that a store has.
pub(super) struct ChosenRuns {
    /// The pack of each.
    pub(super) paths: Vec<PathBuf>,
    /// The host of each, as far as it is known.
    pub(super) hosts: Vec<Option<String>>,
    /// Their builds.
    pub(super) label: String,
}

/// The runs that the arguments choose for a side; `None` if recordings are named as files.
pub(super) fn stored_recordings(args: &RecordingArgs, side: Side) -> Result<Option<ChosenRuns>> {
    let Some(root) = &args.store else { return Ok(None) };
    let words = match side {
        Side::Before => &args.before_runs,
        Side::After => &args.after_runs,
    };
    if words.is_empty() {
        return Ok(Some(ChosenRuns { paths: Vec::new(), hosts: Vec::new(), label: String::new() }));
    }
    let word = |path: &PathBuf| {
        let text = path.to_str().map(str::to_owned);
        text.ok_or_else(|| anyhow!("--{side}: '{}' does not choose runs", path.display()))
    };
    let words = words.iter().map(word).collect::<Result<Vec<_>>>()?;
    let on_both = [("service", &args.service), ("host", &args.host), ("day", &args.day)];
    let on_both = on_both.iter().flat_map(|(column, values)| {
        values.iter().map(move |value| format!("{column}={value}")).collect::<Vec<_>>()
    });
    let wanted = selection(&words).with_context(|| format!("--{side}"))?;
    let wanted = wanted.and(&selection(&on_both.collect::<Vec<_>>())?);
    let store = Store::open(root).context("--store")?;
    let runs = store.runs(&wanted)?;
    if runs.is_empty() {
        bail!("--{side}: {}", no_such_run(&store, &wanted)?);
    }
    warn_of_services(&format!("--{side}"), "--service NAME", &runs);
    let builds: BTreeSet<&str> = runs.iter().map(|run| run.key().build()).collect();
    Ok(Some(ChosenRuns {
        paths: runs.iter().map(|run| store.file(Table::Packs, run.key(), run.id())).collect(),
        hosts: runs.iter().map(|run| known_host(run.key().host())).collect(),
        label: builds.into_iter().collect::<Vec<_>>().join("+"),
    }))
}

/// The name of a host, unless it is the one that stands for a host that is not known.
fn known_host(host: &str) -> Option<String> {
    (host != UNKNOWN_HOST).then(|| host.to_owned())
}

/// The runs of one side that an engine summed.
pub(super) struct SummedRuns {
    pub(super) recordings: Vec<Recording>,
    /// Their builds.
    pub(super) label: String,
}

/// The runs of the files of sums of both sides; `None` if recordings are named. Where only some of the runs have inlined functions,
/// those of the others would look like new ones.
pub(super) fn summed_recordings(args: &RecordingArgs) -> Result<Option<PerSide<SummedRuns>>> {
    let [before, after] = args.sums.as_slice() else { return Ok(None) };
    let runs = PerSide::new(summed_runs(before)?, summed_runs(after)?);
    let knows_inlining = runs.values().any(|runs| runs.iter().any(|run| run.inlined_frames > 0));
    let of_side = |runs: Vec<SummedRun>| -> Result<SummedRuns> {
        let builds: BTreeSet<&str> = runs.iter().map(|run| run.build.as_str()).collect();
        let label = builds.into_iter().collect::<Vec<_>>().join("+");
        let recording = |run: &SummedRun| -> Result<Recording> {
            let recording = summed_recording(run, knows_inlining && run.inlined_frames == 0)?;
            Ok(known_host(&run.host).into_iter().fold(recording, Recording::host))
        };
        let recordings = runs.iter().map(recording).collect::<Result<_>>()?;
        Ok(SummedRuns { recordings, label })
    };
    let PerSide { before, after } = runs;
    Ok(Some(PerSide::new(of_side(before)?, of_side(after)?)))
}

fn summed_runs(file: &Path) -> Result<Vec<SummedRun>> {
    read_sums(file).map_err(|error| match error {
        StoreError::Damaged { path, what } => {
            anyhow!(
                "--sums: {}: {what}; hint: `pdiff store sums --format parquet -o FILE` writes such a file",
                path.display()
            )
        }
        error => anyhow::Error::new(error).context("--sums"),
    })
}

/// The builds of the runs that the words choose, each with the packs of its runs: in the order of their first days, those of one
/// day as their names are counted.
pub(crate) fn stored_series(root: &Path, words: &[String]) -> Result<Vec<(String, Vec<PathBuf>)>> {
    let wanted = selection(words)?;
    let store = Store::open(root).context("--store")?;
    let mut builds: BTreeMap<String, (String, Vec<PathBuf>)> = BTreeMap::new();
    let runs = store.runs(&wanted)?;
    if runs.is_empty() {
        bail!("{}", no_such_run(&store, &wanted)?);
    }
    warn_of_services("--store", "service=NAME", &runs);
    for run in runs {
        let key = run.key();
        let build =
            builds.entry(key.build().to_owned()).or_insert_with(|| (key.day().to_owned(), Vec::new()));
        build.0 = build.0.as_str().min(key.day()).to_owned();
        build.1.push(store.file(Table::Packs, key, run.id()));
    }
    let mut builds: Vec<(String, (String, Vec<PathBuf>))> = builds.into_iter().collect();
    builds.sort_by(|(a, (first_a, _)), (b, (first_b, _))| {
        first_a.cmp(first_b).then_with(|| natural_order(a, b))
    });
    Ok(builds.into_iter().map(|(build, (_, paths))| (build, paths)).collect())
}

/// What the words choose.
pub(crate) fn selection(words: &[String]) -> Result<Selection> {
    let selection = words.iter().try_fold(Selection::default(), |selection, word| selection.with_word(word));
    Ok(selection?)
}

/// Runs of several services have little in common; they are compared as they were asked for.
fn warn_of_services(what: &str, hint: &str, runs: &[StoredRun]) {
    let services: BTreeSet<&str> = runs.iter().map(|run| run.key().service()).collect();
    if services.len() > 1 {
        let services = some(services.into_iter());
        crate::complain(&format!(
            "pdiff: warning: {what}: runs of several services: {services}; hint: choose one with {hint}"
        ));
    }
}

/// Why no run was chosen, and what the store has instead.
pub(crate) fn no_such_run(store: &Store, wanted: &Selection) -> Result<String> {
    let (root, words) = (store.root().display(), wanted.words());
    let runs: Vec<StoredRun> = store.runs(&Selection::default())?;
    if runs.is_empty() {
        return Ok(format!("{root} has no runs; hint: add some with `pdiff store add`"));
    }
    let hint = match wanted.unknown(&runs) {
        Some((column, values)) if values.is_empty() => format!("its runs have no {column}"),
        Some((column, values)) => {
            let words: Vec<String> = values.iter().map(|value| format!("{column}={value}")).collect();
            format!("its runs have {}", some(words.iter().map(String::as_str)))
        }
        None => "it has runs with each of these, but none with all of them".to_owned(),
    };
    Ok(format!("no run of {root} has {words}; hint: {hint}"))
}

/// The first of many values.
fn some<'v>(values: impl Iterator<Item = &'v str>) -> String {
    /// Values that a message lists.
    const MOST: usize = 8;
    let values: Vec<&str> = values.collect();
    let more = if values.len() > MOST { ", ..." } else { "" };
    format!("{}{more}", values.iter().take(MOST).copied().collect::<Vec<_>>().join(", "))
}
