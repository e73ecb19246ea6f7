//! `pdiff attribute`: the gap attributed to settings, from benchmark runs.

use std::path::{Path, PathBuf};

use anyhow::{Context, Result, anyhow, bail};
use pdiff::render::{self, AttributionView};
use pdiff::study::ablation::{AttributeSettings, Attribution, Foretold, Meeting, attribute, foretold, meet};
use pdiff::study::{ColumnName, RunsColumns, RunsTable, Setting, parse_plan, parse_runs};
use pdiff::{By, Comparer, SettingsKnowledge};

use crate::cli::{AttributeArgs, AttributeFormat, DesignArgs};
use crate::output::picture;
use crate::settings::{Page, build_of, is_stdin, lookup, one_stream, stem, subsystems, table_bytes};
use crate::watching::Watching;

/// Reads the runs, attributes, and writes the result and the pictures.
pub(crate) fn run(args: &AttributeArgs) -> Result<()> {
    let page = Page::new(&args.file, &args.color)?;
    one_stream(args.profiles.iter().chain([&args.runs]).map(|path| is_stdin(path)))?;
    let attribution = attributed(&args.runs, &args.design)?;
    let meeting = meeting(args, &attribution)?;
    let foretold = args.plan.as_deref().map(|path| beside_plan(path, &attribution)).transpose()?;
    let view = AttributionView {
        attribution: &attribution,
        meeting: meeting.as_ref(),
        foretold: foretold.as_ref(),
        chosen: args.design.chose_sides(),
    };
    let gap = picture(args.plot.as_deref(), "--plot", FEW_RUNS, || render::gap_waterfall_svg(&view))?;
    let pairs = picture(args.plot_interactions.as_deref(), "--plot-interactions", FEW_RUNS, || {
        render::interaction_matrix_svg(&view)
    })?;
    let effects =
        picture(args.plot_effects.as_deref(), "--plot-effects", FEW_RUNS, || render::effects_svg(&view))?;
    for (output, svg) in [gap, effects, pairs].into_iter().flatten() {
        output.write(svg.as_bytes())?;
    }
    write(args, &page, &view)
}

const FEW_RUNS: &str = "too few runs to draw it; hint: the table lists the missing ones";

/// What a plan predicted, beside what was measured.
fn beside_plan(path: &Path, attribution: &Attribution) -> Result<Foretold> {
    let bytes = table_bytes(path)?;
    let text = String::from_utf8_lossy(&bytes.bytes);
    let forecasts = parse_plan(&text).map_err(|text| anyhow!("--plan: {} {text}", path.display()))?;
    let foretold = foretold(attribution, &forecasts);
    if foretold.rows.is_empty() {
        let names: Vec<&str> = forecasts.iter().map(|forecast| forecast.name.as_str()).collect();
        bail!("--plan: {} predicts no factor of the runs; hint: it has {}", path.display(), names.join(", "));
    }
    Ok(foretold)
}

/// The gap attributed to factors, from a table of runs.
pub(super) fn attributed(runs: &Path, args: &DesignArgs) -> Result<Attribution> {
    let columns = columns(args)?;
    let table = parse_runs(&table_bytes(runs)?, &columns)?;
    let settings = settings(args, &table)?;
    attribute(&table, &settings).ok_or_else(|| anyhow!("{}: no runs", table.path))
}

fn write(args: &AttributeArgs, page: &Page, view: &AttributionView<'_>) -> Result<()> {
    let rendered = match args.format {
        AttributeFormat::Table => render::attribution_table(view, page.width, page.color).into_bytes(),
        AttributeFormat::Markdown => render::attribution_markdown(view).into_bytes(),
        AttributeFormat::Json => render::attribution_json(view)?,
        AttributeFormat::Csv => render::attribution_csv(view)?,
    };
    page.output.write(&rendered)
}

fn columns(args: &DesignArgs) -> Result<RunsColumns> {
    let factors = args.factors.iter().map(|name| name.trim().to_owned()).collect();
    let mut columns = RunsColumns { ignore: args.ignore.clone(), ..RunsColumns::usual(factors) };
    for word in &args.columns {
        let (what, column) = pair("--columns", word, '=')?;
        let named = ColumnName::Given(column.to_owned());
        match what {
            "build" => columns.build = column.to_owned(),
            "replicate" => columns.replicate = named,
            "tps" => columns.tps = named,
            "seconds" => columns.seconds = named,
            "cost" => columns.cost = named,
            _ => bail!(
                "--columns: '{what}' is not a column of runs; hint: use build, replicate, tps, seconds or cost"
            ),
        }
    }
    Ok(columns)
}

fn pair<'a>(option: &str, word: &'a str, between: char) -> Result<(&'a str, &'a str)> {
    let (left, right) =
        word.split_once(between).map(|(left, right)| (left.trim(), right.trim())).unwrap_or_default();
    if left.is_empty() || right.is_empty() {
        bail!("{option}: '{word}' is not of the form A{between}B");
    }
    Ok((left, right))
}

fn settings(args: &DesignArgs, table: &RunsTable) -> Result<AttributeSettings> {
    let [base, target] = sides(args, table)?;
    let mut restart = Setting::BASELINE;
    for name in &args.restart {
        restart = restart.with(factor(table, "--restart", name)?);
    }
    let mut masking = Vec::new();
    for word in &args.masking {
        let (name, ceiling) = pair("--masking", word, ':')?;
        let (name, ceiling) = (factor(table, "--masking", name)?, factor(table, "--masking", ceiling)?);
        if name == ceiling {
            bail!("--masking: '{word}' names one factor twice");
        }
        masking.push((name, ceiling));
    }
    Ok(AttributeSettings { base, target, restart, masking })
}

fn factor(table: &RunsTable, option: &str, name: &str) -> Result<usize> {
    let found = table.factors.iter().position(|factor| factor == name.trim());
    found.ok_or_else(|| anyhow!("{option}: '{name}' is not a factor; hint: use {}", table.factors.join(", ")))
}

fn sides(args: &DesignArgs, table: &RunsTable) -> Result<[usize; 2]> {
    let names: Vec<&str> = table.builds.iter().map(|build| build.name.as_str()).collect();
    let known = names.join(", ");
    let find = |option: &str, name: &String| {
        table.build(name).ok_or_else(|| {
            anyhow!("{option}: {} has no build '{name}'; hint: its builds are {known}", table.path)
        })
    };
    let base = args.base.as_ref().map(|name| find("--base", name)).transpose()?;
    let target = args.target.as_ref().map(|name| find("--target", name)).transpose()?;
    if names.len() < 2 {
        bail!("{}: has one build only ({known}); hint: a gap is between two builds", table.path);
    }
    let other = |one: usize| if names.len() == 2 { Some(1 - one) } else { None };
    let sides = match (base, target) {
        (Some(base), Some(target)) if base == target => {
            bail!("--base and --target are both '{}'", names.get(base).unwrap_or(&""))
        }
        (Some(base), Some(target)) => Some([base, target]),
        (Some(base), None) => other(base).map(|target| [base, target]),
        (None, Some(target)) => other(target).map(|base| [base, target]),
        (None, None) => (names.len() == 2).then_some([0, 1]),
    };
    sides.ok_or_else(|| {
        anyhow!(
            "{}: has {} builds; hint: name two with --base and --target ({known})",
            table.path,
            names.len()
        )
    })
}

/// Compares the profiles by subsystem, and sets factors beside them.
fn meeting(args: &AttributeArgs, attribution: &Attribution) -> Result<Option<Meeting>> {
    let [before, after] = args.profiles.as_slice() else { return Ok(None) };
    let of_factor = subsystems_of(attribution, &args.factor_subsystem, |_| true)?;
    let build = |path: &PathBuf| build_of(&stem(path), std::slice::from_ref(path));
    let comparer = Comparer::new()
        .before(build(before))
        .after(build(after))
        .preset_by_program()
        .watch(Watching::start(args.quiet).watch());
    let own = subsystems(args.subsystems.as_deref())?;
    let comparer = own.into_iter().fold(comparer, Comparer::subsystems);
    let comparer = match lookup(&args.lookup, args.quiet)? {
        Some(lookup) => comparer.lookup(lookup),
        None => comparer.without_binaries(),
    };
    let comparison = comparer.prepare()?.rows(By::Subsystem);
    let meeting = meet(attribution, &comparison, &of_factor).map_err(|text| anyhow!(text));
    meeting.context("--profiles").map(Some)
}

/// By factor: the subsystem that it switches, as given, else as known of mysqld where `is_there` says so.
pub(super) fn subsystems_of(
    attribution: &Attribution,
    given: &[String],
    is_there: impl Fn(&str) -> bool,
) -> Result<Vec<(usize, String)>> {
    let names: Vec<&str> = attribution.factors.iter().map(|factor| factor.name.as_str()).collect();
    let mut of_factor: Vec<(usize, String)> = Vec::new();
    for word in given {
        let (name, subsystem) = pair("--factor-subsystem", word, '=')?;
        let at = names.iter().position(|known| *known == name).ok_or_else(|| {
            anyhow!("--factor-subsystem: '{name}' is not a factor; hint: use {}", names.join(", "))
        })?;
        of_factor.push((at, subsystem.to_owned()));
    }
    let knowledge = SettingsKnowledge::mysqld();
    for (at, name) in names.iter().enumerate() {
        if !of_factor.iter().any(|(factor, _)| *factor == at) {
            let known = knowledge.factor_subsystem(name).filter(|subsystem| is_there(subsystem));
            of_factor.extend(known.map(|subsystem| (at, subsystem.to_owned())));
        }
    }
    of_factor.sort_by_key(|(factor, _)| *factor);
    Ok(of_factor)
}
