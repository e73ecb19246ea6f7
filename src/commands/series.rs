//! `pdiff series`: many builds in order, their relative throughput, and in which of them each cost arrived.

use std::path::{Path, PathBuf};

use anyhow::{Context, Result, anyhow, bail};
use pdiff::render::{self, BuildSystem, SeriesView};
use pdiff::study::series::{
    Arrival, GroupCost, Step, Throughput, Visibility, WholeCost, are_per_operation, arrivals, class_means,
    group_costs, relative_throughput, whole_cost,
};
use pdiff::study::{
    ColumnName, SeriesColumns, Sysbench, ThroughputRow, Vmstat, parse_sysbench, parse_throughputs,
    parse_vmstat,
};
use pdiff::{By, ReadSeries, Series, Windows};

use crate::cli::{SeriesArgs, SeriesFormat};
use crate::output::picture;
use crate::settings::{
    LIST, Page, build_of, check_files, is_stdin, lookup, most_rows, one_stream, read_file, stem,
    stored_series, subsystems, table_bytes,
};
use crate::watching::Watching;

/// The recordings of one build.
struct Build {
    label: String,
    paths: Vec<PathBuf>,
}

/// Reads all that is given, and writes the series.
pub(crate) fn run(args: &SeriesArgs) -> Result<()> {
    let page = Page::new(&args.file, &args.color)?;
    let recorded = match &args.store {
        Some(store) => stored_builds(store, &args.recordings)?,
        None => recorded_builds(&args.recordings)?,
    };
    if recorded.len() == 1 {
        bail!("recordings of one build only ({}); hint: label others with LABEL=FILE", recorded[0].label);
    }
    let recordings = recorded.iter().flat_map(|build| &build.paths);
    one_stream(recordings.chain(&args.runs).map(|path| is_stdin(path)))?;
    let sysbench = of_labels("--sysbench", &args.sysbench, |path| read_file(path, LIST, parse_sysbench))?;
    let vmstat = of_labels("--vmstat", &args.vmstat, |path| read_file(path, LIST, parse_vmstat))?;
    let mut runs = throughputs(args)?;
    let windows = args.windows.as_deref().map(|path| read_file(path, LIST, Windows::parse)).transpose()?;
    let of_sysbench = |(label, run): &(String, Sysbench)| Throughput {
        build: label.clone(),
        workload: "sysbench".to_owned(),
        class: String::new(),
        threads: None,
        tps: run.tps,
    };
    runs.extend(sysbench.iter().map(of_sysbench));
    if runs.is_empty() {
        runs = windows.iter().flat_map(|windows| of_recordings(windows, &recorded)).collect();
    }
    let mut builds: Vec<String> = recorded.iter().map(|build| build.label.clone()).collect();
    for label in runs.iter().map(|run| &run.build).chain(vmstat.iter().map(|(label, _)| label)) {
        if !builds.contains(label) {
            builds.push(label.clone());
        }
    }
    let base = match &args.base {
        None => 0,
        Some(name) => builds.iter().position(|build| build == name).ok_or_else(|| {
            anyhow!("--base: no build '{name}'; hint: the builds are {}", builds.join(", "))
        })?,
    };
    let systems = systems(args, &builds, base, &runs, &sysbench, &vmstat, windows.as_ref(), &recorded);
    let throughput = relative_throughput(&runs, &builds, base);
    let classes = class_means(&throughput, builds.len());
    let Costs { subsystems, functions, groups, per_operation, whole } =
        arrived(args, &recorded, windows.as_ref())?;
    let view = SeriesView {
        subsystems,
        functions,
        groups,
        per_operation,
        whole,
        builds,
        base,
        throughput,
        classes,
        systems,
    };
    let builds = picture(args.plot.as_deref(), "--plot", NO_PLOT, || render::builds_svg(&view))?;
    let threads =
        picture(args.plot_threads.as_deref(), "--plot-threads", NO_THREADS, || render::threads_svg(&view))?;
    for (output, svg) in [builds, threads].into_iter().flatten() {
        output.write(svg.as_bytes())?;
    }
    write(args, &page, &view)
}

const NO_PLOT: &str =
    "no throughput and no cost to draw; hint: give --runs, --sysbench, or recordings with --windows";

const NO_THREADS: &str = "no run has a number of threads; hint: give --runs a table with a column threads, or name it with --columns threads=NAME";

fn write(args: &SeriesArgs, page: &Page, view: &SeriesView) -> Result<()> {
    let top = most_rows(args.top);
    let rendered = match args.format {
        SeriesFormat::Table => render::series_table(view, top, page.width, page.color).into_bytes(),
        SeriesFormat::Markdown => render::series_markdown(view, top).into_bytes(),
        SeriesFormat::Json => render::series_json(view)?,
        SeriesFormat::Csv => render::series_csv(view)?,
    };
    page.output.write(&rendered)
}

/// The builds of a store in the order of their first days, those of one day as their names are counted.
fn stored_builds(store: &Path, words: &[String]) -> Result<Vec<Build>> {
    let builds = stored_series(store, words)?;
    Ok(builds.into_iter().map(|(label, paths)| Build { label, paths }).collect())
}

/// `LABEL=FILE`, or a file whose stem is its label; a file that has such a name is taken for itself.
fn recorded_builds(words: &[String]) -> Result<Vec<Build>> {
    let mut builds: Vec<Build> = Vec::new();
    for word in words {
        let whole = PathBuf::from(word);
        let (label, path) = match word.split_once('=') {
            Some((label, path)) if !whole.exists() => {
                if label.is_empty() || path.is_empty() {
                    bail!("'{word}' is not of the form LABEL=FILE");
                }
                (label.to_owned(), PathBuf::from(path))
            }
            _ => (stem(&whole), whole),
        };
        match builds.iter_mut().find(|build| build.label == label) {
            Some(build) => build.paths.push(path),
            None => builds.push(Build { label, paths: vec![path] }),
        }
    }
    Ok(builds)
}

/// Binaries, each with the build that it is of; `None` where it is any build's that its build-id or name fits.
fn binaries(words: &[String], recorded: &[Build]) -> Result<Vec<(Option<usize>, PathBuf)>> {
    let of = |word: &String| {
        let whole = PathBuf::from(word);
        let (of, path) = match word.split_once('=').filter(|_| !whole.exists()) {
            Some((label, path)) => {
                let at = recorded.iter().position(|build| build.label == label).ok_or_else(|| {
                    let known: Vec<&str> = recorded.iter().map(|build| build.label.as_str()).collect();
                    anyhow!("--binary: no recording of build '{label}'; hint: there are {}", known.join(", "))
                })?;
                (Some(at), PathBuf::from(path))
            }
            None => (None, whole),
        };
        check_files("--binary", std::slice::from_ref(&path))?;
        Ok((of, path))
    };
    words.iter().map(of).collect()
}

fn of_labels<T>(
    option: &str,
    words: &[String],
    read: impl Fn(&Path) -> Result<T>,
) -> Result<Vec<(String, T)>> {
    let mut found: Vec<(String, T)> = Vec::new();
    for word in words {
        let (label, path) = word.split_once('=').unwrap_or_default();
        if label.is_empty() || path.is_empty() {
            bail!("{option}: '{word}' is not of the form LABEL=FILE");
        }
        found.push((label.to_owned(), read(Path::new(path)).with_context(|| option.to_owned())?));
    }
    Ok(found)
}

fn throughputs(args: &SeriesArgs) -> Result<Vec<Throughput>> {
    let Some(path) = &args.runs else { return Ok(Vec::new()) };
    let mut columns = SeriesColumns::default();
    for word in &args.columns {
        let (what, column) = word.split_once('=').unwrap_or_default();
        let column = column.to_owned();
        match what {
            "build" => columns.build = column,
            "workload" => columns.workload = ColumnName::Given(column),
            "class" => columns.class = ColumnName::Given(column),
            "threads" => columns.threads = ColumnName::Given(column),
            "tps" => columns.tps = Some(column),
            _ => bail!(
                "--columns: '{word}' names no column; hint: use build=, workload=, class=, threads= or tps="
            ),
        }
    }
    let rows = parse_throughputs(&table_bytes(path)?, &columns)?;
    let run = |row: ThroughputRow| Throughput {
        build: row.build,
        workload: row.workload,
        class: row.class,
        threads: row.threads,
        tps: row.tps,
    };
    Ok(rows.into_iter().map(run).collect())
}

/// Throughput while the recordings were made, one run each; nothing if it is not known for all.
fn of_recordings(windows: &Windows, recorded: &[Build]) -> Vec<Throughput> {
    let run = |label: &str, path: &Path| {
        Some(Throughput {
            build: label.to_owned(),
            workload: "recorded".to_owned(),
            class: String::new(),
            threads: None,
            tps: windows.get(&stem(path))?.tps.filter(|tps| *tps > 0.0)?,
        })
    };
    let runs = recorded.iter().flat_map(|build| build.paths.iter().map(|path| run(&build.label, path)));
    runs.collect::<Option<Vec<_>>>().unwrap_or_default()
}

/// What vmstat and sysbench say of each build. Operations per second are sysbench's, else those of the only workload of the
/// table, else those of the windows file.
#[expect(clippy::too_many_arguments, reason = "one place brings together all that is known of a build")]
fn systems(
    args: &SeriesArgs,
    builds: &[String],
    base: usize,
    runs: &[Throughput],
    sysbench: &[(String, Sysbench)],
    vmstat: &[(String, Vmstat)],
    windows: Option<&Windows>,
    recorded: &[Build],
) -> Vec<BuildSystem> {
    let one = |label: &String| {
        let bench = sysbench.iter().find(|(of, _)| of == label).map(|(_, run)| run);
        let machine = vmstat.iter().find(|(of, _)| of == label).map(|(_, means)| means);
        let from_windows = || {
            let build = recorded.iter().find(|build| build.label == *label)?;
            let rates: Option<Vec<f64>> =
                build.paths.iter().map(|path| windows?.get(&stem(path))?.tps).collect();
            let rates = rates.filter(|rates| !rates.is_empty())?;
            Some(rates.iter().sum::<f64>() / rates.len() as f64)
        };
        let from_table = || {
            let own: Vec<&Throughput> = runs.iter().filter(|run| run.build == *label).collect();
            let first = own.first()?;
            let single = own.iter().all(|run| (&run.workload, &run.class) == (&first.workload, &first.class));
            single.then(|| own.iter().map(|run| run.tps).sum::<f64>() / own.len() as f64)
        };
        let tps = bench.map(|run| run.tps).or_else(from_table).or_else(from_windows);
        let per_op = |value: f64| tps.map(|tps| value / tps);
        let cpus = args.cpus.map(|cpus| cpus.get() as f64);
        BuildSystem {
            tps,
            busy_pct: machine.map(|machine| machine.busy_pct()),
            cpu_us_per_op: machine
                .zip(cpus)
                .and_then(|(machine, cpus)| per_op(machine.busy_pct() * 1e4 * cpus)),
            cpu_per_op_relative: machine.and_then(|machine| per_op(machine.busy_pct())),
            context_switches_per_op: machine.and_then(|machine| per_op(machine.context_switches)),
            context_switches_relative: machine.and_then(|machine| per_op(machine.context_switches)),
            latency_avg_ms: bench.and_then(|run| run.latency_avg_ms),
            latency_percentile_ms: bench.and_then(|run| run.latency_percentile_ms),
            latency_max_ms: bench.and_then(|run| run.latency_max_ms),
        }
    };
    let mut systems: Vec<BuildSystem> = builds.iter().map(one).collect();
    let of_base = systems.get(base).cloned().unwrap_or_default();
    let over = |value: Option<f64>, base: Option<f64>| {
        value.zip(base.filter(|base| *base > 0.0)).map(|(value, base)| value / base)
    };
    for system in &mut systems {
        system.cpu_per_op_relative = over(system.cpu_per_op_relative, of_base.cpu_per_op_relative);
        system.context_switches_relative =
            over(system.context_switches_relative, of_base.context_switches_relative);
    }
    systems
}

/// What recordings tell of the builds.
#[derive(Default)]
struct Costs {
    subsystems: Vec<Arrival>,
    functions: Vec<Arrival>,
    /// Groups of threads, if they are drawn.
    groups: Vec<GroupCost>,
    /// Arrivals are judged by cost per operation.
    per_operation: bool,
    whole: Option<WholeCost>,
}

/// Each recorded build compared with the one before it, and those around builds that hide functions with each other.
fn arrived(args: &SeriesArgs, recorded: &[Build], windows: Option<&Windows>) -> Result<Costs> {
    if recorded.len() < 2 {
        return Ok(Costs::default());
    }
    let binaries = binaries(&args.binary, recorded)?;
    let of_build = |(at, build): (usize, &Build)| {
        let mine = binaries.iter().filter(|(of, _)| of.is_none_or(|of| of == at));
        mine.fold(build_of(&build.label, &build.paths), |build, (_, path)| build.binary(path))
    };
    let builds = recorded.iter().enumerate().map(of_build);
    let series = Series::new(builds)
        .lookup(lookup(&args.lookup, args.quiet)?)
        .preset_by_program()
        .watch(Watching::start(args.quiet).watch());
    let series = subsystems(args.subsystems.as_deref())?.into_iter().fold(series, Series::subsystems);
    let read = windows.cloned().into_iter().fold(series, Series::windows).read()?;
    let compare = |pairs: &[(usize, usize)]| -> Result<(Vec<Step>, Vec<Step>)> {
        let steps = pairs.iter().map(|&(from, to)| {
            let [of_functions, of_subsystems] = read.compare(from, to, [By::Function, By::Subsystem])?;
            let step = |comparison| Step { from, to, comparison };
            Ok((step(of_functions), step(of_subsystems)))
        });
        steps.collect()
    };
    let last = recorded.len() - 1;
    let pairs: Vec<(usize, usize)> = (1..recorded.len()).map(|to| (to - 1, to)).collect();
    let (mut functions, mut subsystems) = compare(&pairs)?;
    // How well growth over all builds is known is told where runs of both ends repeat.
    let repeats = [0, last].iter().all(|at| recorded.get(*at).is_some_and(|build| build.paths.len() > 1));
    let (of_functions, of_subsystems) = if repeats { compare(&[(0, last)])? } else { Default::default() };
    let ends = |steps: &[Step]| steps.first().map(|step| step.comparison.clone());
    let (of_functions, of_subsystems) = (ends(&of_functions), ends(&of_subsystems));
    let groups = match args.plot_threads.is_some() {
        true => group_costs(&by_group(&read, &pairs)?, recorded.len()),
        false => Vec::new(),
    };
    let visibility = Visibility::of(&functions);
    let whole = whole_cost(&functions);
    let (around, around_subsystems) = compare(&visibility.around_hidden())?;
    functions.extend(around);
    subsystems.extend(around_subsystems);
    Ok(Costs {
        subsystems: arrivals(&subsystems, of_subsystems.as_ref(), &visibility),
        functions: arrivals(&functions, of_functions.as_ref(), &visibility),
        groups,
        per_operation: are_per_operation(&functions),
        whole,
    })
}

fn by_group(read: &ReadSeries, pairs: &[(usize, usize)]) -> Result<Vec<Step>> {
    let steps = pairs.iter().map(|&(from, to)| {
        let [comparison] = read.compare(from, to, [By::ThreadGroup])?;
        Ok(Step { from, to, comparison })
    });
    steps.collect()
}
