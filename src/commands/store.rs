//! `pdiff store`: runs of many builds and hosts, added, listed, checked and removed.

use std::collections::BTreeSet;
use std::fmt::Write as _;
use std::path::Path;
use std::time::SystemTime;

use anyhow::{Context, Result, bail};
use pdiff::store::{
    Added, ContentId, Pruned, RunKey, SUM_COLUMNS, SUMS_SQL, Selection, Store, StoredRun, write_sums,
};
use pdiff::{Packer, Recording, RunFiling, Windows, check_store, store_run};

use crate::cli::{
    StoreAddArgs, StoreArgs, StoreCheckArgs, StoreCommand, StorePruneArgs, StoreRunsArgs, StoreSumsArgs,
    SumsFormat,
};
use crate::exit::Outcome;
use crate::output::Output;
use crate::settings::{
    LIST, check_files, is_stdin, lookup, no_such_run, one_stream, read_file, selection, source,
    with_windows_beside,
};
use crate::utc_day::utc_day;
use crate::watching::Watching;

/// Runs one of its commands.
pub(crate) fn run(args: &StoreArgs) -> Result<Outcome> {
    match &args.command {
        StoreCommand::Add(args) => add(args),
        StoreCommand::List(args) => list(args),
        StoreCommand::Sums(args) => sums(args),
        StoreCommand::Check(args) => check(args),
        StoreCommand::Prune(args) => prune(args),
        StoreCommand::Sql(args) => Output::new(args.file.output.as_deref())?.write(SUMS_SQL.as_bytes()),
    }?;
    Ok(Outcome::Ran)
}

/// Adds recordings, one after another; one that cannot be read ends it, and those before it stay.
fn add(args: &StoreAddArgs) -> Result<()> {
    one_stream(args.recordings.iter().map(|path| is_stdin(path)))?;
    check_files("--binary", &args.binary)?;
    let windows = args.windows.as_deref().map(|path| read_file(path, LIST, Windows::parse)).transpose()?;
    let lookup = lookup(&args.lookup, args.quiet)?;
    for path in args.recordings.iter().filter(|path| !is_stdin(path)) {
        std::fs::metadata(path).with_context(|| format!("cannot read {}", path.display()))?;
    }
    // What is said of all runs is checked before a store is made for them.
    let (host, day) =
        (args.host.as_deref().unwrap_or("unknown"), args.day.as_deref().unwrap_or("2000-01-01"));
    RunKey::new(&args.service, &args.build, host, day)?;
    let store = Store::open_or_create(&args.store)?;
    for path in &args.recordings {
        let recording = Recording::new(source(path));
        let recording = match &windows {
            Some(windows) => recording.listed(windows)?,
            None => with_windows_beside(recording, path)?,
        };
        let filing = RunFiling {
            service: args.service.clone(),
            build: args.build.clone(),
            host: args.host.clone(),
            day: args.day.clone().unwrap_or_else(|| day_of(path)),
            recording: file_name(path),
        };
        let packer = Packer::new(recording)
            .lookup(lookup.clone())
            .lenient(args.lenient)
            .watch(Watching::start(args.quiet).watch());
        let packer = args.binary.iter().fold(packer, Packer::binary);
        let packer = args.threads.into_iter().fold(packer, Packer::threads);
        let shown = pdiff::render::visible(&path.display().to_string()).into_owned();
        let line = match store_run(&store, &filing, packer)? {
            Added::New { run, bytes, replaces } => {
                let what = if replaces { "replaced" } else { "added" };
                format!("{}\t{what}\t{bytes}\t{shown}\n", run.id())
            }
            Added::Known { run, is_same } => {
                if !is_same {
                    let (id, path) = (run.id(), path.display());
                    crate::complain(&format!(
                        "pdiff: warning: {path}: the store has this run with other operations, throughput or CPU seconds, and keeps \
                         them; hint: `pdiff store prune {} run={id}` before adding it again",
                        store.root().display()
                    ));
                }
                format!("{}\talready there\t0\t{shown}\n", run.id())
            }
        };
        Output::Stdout.write(line.as_bytes())?;
    }
    Ok(())
}

/// The day on which a file was last written; today for what is no file.
fn day_of(path: &Path) -> String {
    let modified = path.metadata().and_then(|metadata| metadata.modified());
    utc_day(modified.ok().filter(|_| !is_stdin(path)).unwrap_or_else(SystemTime::now))
}

fn file_name(path: &Path) -> String {
    path.file_name().unwrap_or(path.as_os_str()).to_string_lossy().into_owned()
}

const LIST_HEADER: &str = "run\tservice\tbuild\thost\tday\tevent\tsamples\tweight\tspan_s\tkernel\tcpu_model\trecording\tbinaries\n";

fn list(args: &StoreRunsArgs) -> Result<()> {
    let output = Output::new(args.file.output.as_deref())?;
    let (store, wanted) = (Store::open(&args.store)?, selection(&args.wanted)?);
    let runs = store.runs(&wanted)?;
    if runs.is_empty() {
        crate::complain(&format!("pdiff: note: {}", no_such_run(&store, &wanted)?));
    }
    let mut text = LIST_HEADER.to_owned();
    for run in &runs {
        for event in run.events() {
            let key = run.key();
            let span = run.span_s().map(|span| format!("{span:.1}")).unwrap_or_default();
            let fields = [
                run.id().to_string(),
                key.service().to_owned(),
                key.build().to_owned(),
                key.host().to_owned(),
                key.day().to_owned(),
                event.name.clone(),
                event.samples.to_string(),
                event.weight.to_string(),
                span,
                run.kernel().unwrap_or_default().to_owned(),
                run.cpu_model().unwrap_or_default().to_owned(),
                run.recording().to_owned(),
                run.binaries().to_string(),
            ];
            let fields = fields.map(|field| field.replace(['\t', '\n', '\r'], " "));
            // Writing to a String cannot fail.
            let _ = writeln!(text, "{}", fields.join("\t"));
        }
    }
    output.write(text.as_bytes())
}

/// The rows of the query, run by run.
fn sums(args: &StoreSumsArgs) -> Result<()> {
    let output = Output::new(args.file.output.as_deref())?;
    if args.format == SumsFormat::Parquet && output.is_terminal() {
        bail!("refusing to write Parquet to a terminal; hint: use -o sums.parquet, or pipe it");
    }
    let store = Store::open(&args.store)?;
    let wanted = selection(&args.wanted)?;
    let runs = store.runs_to_sum(&wanted)?;
    if runs.is_empty() {
        bail!("{}", no_such_run(&store, &wanted)?);
    }
    match args.format {
        SumsFormat::Parquet => {
            let rows = runs.iter().map(|run| store.sum_rows(run)).collect::<Result<Vec<_>, _>>()?;
            output.write(&write_sums(&rows.concat())?)
        }
        SumsFormat::Tsv => output.write_by(|out| {
            writeln!(out, "{}", SUM_COLUMNS.join("\t"))?;
            for run in &runs {
                for row in store.sum_rows(run)? {
                    let fields = row.fields().into_iter().map(|field| field.replace(['\t', '\n', '\r'], " "));
                    writeln!(out, "{}", fields.collect::<Vec<_>>().join("\t"))?;
                }
            }
            Ok(())
        }),
    }
}

/// Lists what is wrong; damaged runs are an error, what was left behind is not.
fn check(args: &StoreCheckArgs) -> Result<()> {
    let output = Output::new(args.file.output.as_deref())?;
    let report = check_store(&Store::open(&args.store)?)?;
    let damaged = report.problems.iter().map(|problem| ("damaged", &problem.path, problem.what.as_str()));
    let unfinished = report.unfinished.iter().map(|path| ("unfinished", path, "of a run that is not whole"));
    let foreign = report.foreign.iter().map(|path| ("foreign", path, "not a file of a store"));
    let mut text = format!("whole\t{}\truns\n", report.whole);
    for (kind, path, what) in damaged.chain(unfinished).chain(foreign) {
        // Writing to a String cannot fail.
        let _ = writeln!(text, "{kind}\t{}\t{}", path.display(), what.replace('\n', " "));
    }
    output.write(text.as_bytes())?;
    match report.problems.len() {
        0 => Ok(()),
        damaged => bail!(
            "{}: {damaged} of {} runs are damaged; hint: `pdiff store prune {} --damaged`, and add these recordings again",
            args.store.display(),
            damaged + report.whole,
            args.store.display()
        ),
    }
}

fn prune(args: &StorePruneArgs) -> Result<()> {
    let wanted = selection(&args.wanted)?;
    if let Some(day) = &args.before_day {
        RunKey::new("any", "any", "any", day).context("--before-day")?;
    }
    let store = Store::open(&args.store)?;
    let mut pruned = Pruned::default();
    let mut list = String::new();
    for run in runs_to_remove(&store, &wanted, args.before_day.as_deref())? {
        store.remove(&run, &mut pruned, args.dry_run)?;
        let key = run.key();
        let fields = [key.service(), key.build(), key.host(), key.day()].join("\t");
        // Writing to a String cannot fail.
        let _ = writeln!(list, "{}\t{fields}", run.id());
    }
    if args.damaged {
        let damaged: BTreeSet<ContentId> = check_store(&store)?
            .problems
            .iter()
            .filter(|problem| problem.is_damage)
            .map(|problem| problem.run)
            .collect();
        for run in damaged {
            store.remove_damaged(run, &mut pruned, args.dry_run)?;
            let _ = writeln!(list, "{run}");
        }
    }
    if args.unfinished {
        store.remove_unfinished(SystemTime::now(), &mut pruned, args.dry_run)?;
    }
    let verb = if args.dry_run { "would be removed" } else { "removed" };
    let Pruned { runs, files, bytes } = pruned;
    let counted =
        |count: usize, what| if count == 1 { format!("1 {what}") } else { format!("{count} {what}s") };
    let sum = format!("{}, {}, {bytes} bytes {verb}\n", counted(runs, "run"), counted(files, "file"));
    Output::Stdout.write((sum + &list).as_bytes())
}

/// The runs that the words choose, recorded before a day. Without words and day nobody asked for any.
fn runs_to_remove(store: &Store, wanted: &Selection, before_day: Option<&str>) -> Result<Vec<StoredRun>> {
    if wanted.is_empty() && before_day.is_none() {
        return Ok(Vec::new());
    }
    let mut runs = store.runs(wanted)?;
    let has_some = !runs.is_empty();
    runs.retain(|run| before_day.is_none_or(|day| run.key().day() < day));
    if runs.is_empty() && !wanted.is_empty() {
        match before_day.filter(|_| has_some) {
            Some(day) => {
                bail!("no run of {} that has {} is from before {day}", store.root().display(), wanted.words())
            }
            None => bail!("{}", no_such_run(store, wanted)?),
        }
    }
    Ok(runs)
}
