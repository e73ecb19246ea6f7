//! The columns of a table of runs.
//!
//! ```text
//! build       which build ran
//! replicate   which repeat the run belongs to; optional
//! tps         operations per second, or
//! seconds     time for the same work
//! cost        CPU time per operation; optional
//! FACTOR      1 changed, 0 as it was (also on/off, true/false, yes/no); blank where the build lacks it
//! ```
//!
//! The caller can map other column names to these. Any other column must be named to be ignored, because a forgotten factor
//! would turn into noise.

use std::collections::HashMap;

use crate::{BenchmarkRun, MAX_FACTORS, RunMetric, RunsBuild, RunsTable, Setting};

use super::TableBytes;
use super::error::RunsError;
use super::text_table::TextTable;

/// What the caller knows of the columns.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct RunsColumns {
    /// The factors, in the order of the cumulative path.
    pub factors: Vec<String>,
    /// Column of the build.
    pub build: String,
    /// Column of the repeat; it may be absent if the caller did not name it.
    pub replicate: ColumnName,
    /// Column of operations per second.
    pub tps: ColumnName,
    /// Column of seconds for the same work.
    pub seconds: ColumnName,
    /// Column of CPU time per operation.
    pub cost: ColumnName,
    /// Columns that mean nothing here.
    pub ignore: Vec<String>,
}

/// A column's name, and whether the caller gave it.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum ColumnName {
    /// The usual name: the column may be absent.
    Usual(&'static str),
    /// Given by the caller: it must be there.
    Given(String),
}

impl ColumnName {
    pub(super) fn find(&self, table: &TextTable, ignore: &[String]) -> Result<Option<usize>, RunsError> {
        match self {
            Self::Usual(name) if ignore.iter().any(|ignored| ignored == name) => Ok(None),
            Self::Usual(name) => Ok(table.column(name)),
            Self::Given(name) => table.needed(name, "it was named in --columns").map(Some),
        }
    }
}

impl RunsColumns {
    /// The usual names of all columns.
    #[must_use]
    pub fn usual(factors: Vec<String>) -> Self {
        Self {
            factors,
            build: "build".to_owned(),
            replicate: ColumnName::Usual("replicate"),
            tps: ColumnName::Usual("tps"),
            seconds: ColumnName::Usual("seconds"),
            cost: ColumnName::Usual("cost"),
            ignore: Vec::new(),
        }
    }
}

/// Where what stands.
struct Found {
    build: usize,
    replicate: Option<usize>,
    metric: RunMetric,
    value: usize,
    cost: Option<usize>,
    factors: Vec<usize>,
}

/// Runs of a table.
///
/// # Errors
/// [`RunsError`] with the file and, where there is one, the row.
///
/// ```
/// use pdiff_study::{RunsColumns, TableBytes, parse_runs};
/// let bytes = b"build,log,tps\n5.7,0,100\n5.7,1,150\n8.0,0,70\n8.0,1,120\n".to_vec();
/// let table = TableBytes { path: "runs.csv".into(), bytes };
/// let runs = parse_runs(&table, &RunsColumns::usual(vec!["log".into()]))?;
/// assert_eq!((runs.runs.len(), runs.builds[0].name.as_str()), (4, "5.7"));
/// # Ok::<(), pdiff_study::RunsError>(())
/// ```
pub fn parse_runs(input: &TableBytes, columns: &RunsColumns) -> Result<RunsTable, RunsError> {
    check_factors(&columns.factors)?;
    let table = TextTable::parse(input)?;
    let found = find(&table, columns)?;
    let mut rows_of: HashMap<&str, Vec<usize>> = HashMap::new();
    for row in 0..table.rows.len() {
        let name = table.field(row, found.build).ok_or_else(|| table.bad(row, found.build, "is missing"))?;
        rows_of.entry(name).or_default().push(row);
    }
    let mut rows_of: Vec<(&str, Vec<usize>)> = rows_of.into_iter().collect();
    rows_of.sort_by(|(a, _), (b, _)| natural_order(a, b));
    let build_of_rows = |(name, rows): &(&str, Vec<usize>)| build(&table, &found, columns, name, rows);
    let builds = rows_of.iter().map(build_of_rows).collect::<Result<Vec<_>, _>>()?;
    for (at, factor) in columns.factors.iter().enumerate() {
        if !builds.iter().any(|build| build.has.get(at) == Some(&true)) {
            return Err(RunsError::NobodyHas { path: table.path.into(), factor: factor.as_str().into() });
        }
    }
    let mut build_of = vec![0; table.rows.len()];
    for (build, (_, rows)) in rows_of.iter().enumerate() {
        rows.iter().for_each(|row| build_of[*row] = build);
    }
    let runs = build_of.into_iter().enumerate().map(|(row, build)| run(&table, &found, row, build));
    let runs = runs.collect::<Result<_, _>>()?;
    let runs =
        RunsTable { path: table.path, metric: found.metric, factors: columns.factors.clone(), builds, runs };
    check_cells(&runs)?;
    Ok(runs)
}

fn check_factors(factors: &[String]) -> Result<(), RunsError> {
    let asked = |what: String| Err(RunsError::Asked { what });
    if factors.iter().any(|factor| factor.trim().is_empty()) {
        return asked("--factors: a name is empty; hint: separate names by commas".to_owned());
    }
    if factors.len() > MAX_FACTORS {
        return asked(format!("--factors: {} are more than {MAX_FACTORS}", factors.len()));
    }
    for (at, factor) in factors.iter().enumerate() {
        if factors.iter().take(at).any(|earlier| earlier == factor) {
            return asked(format!("--factors: '{factor}' is listed twice"));
        }
    }
    Ok(())
}

fn find(table: &TextTable, columns: &RunsColumns) -> Result<Found, RunsError> {
    let hint = "columns are separated by comma or tab; other names: --columns build=version,replicate=repeat";
    let build = table.needed(&columns.build, hint)?;
    let ignore = &columns.ignore;
    let (tps, seconds) = (columns.tps.find(table, ignore)?, columns.seconds.find(table, ignore)?);
    let given = |column: &ColumnName| matches!(column, ColumnName::Given(_));
    let (metric, value) = match (tps, seconds) {
        (Some(_), Some(seconds)) if given(&columns.seconds) && !given(&columns.tps) => {
            (RunMetric::Seconds, seconds)
        }
        (Some(tps), _) => (RunMetric::Tps, tps),
        (None, Some(seconds)) => (RunMetric::Seconds, seconds),
        (None, None) => {
            return Err(RunsError::NoColumn {
                path: table.path.as_str().into(),
                column: "tps".into(),
                known: table.names.join(", "),
                hint: "it needs tps or seconds; other names: --columns tps=qps".to_owned(),
            });
        }
    };
    let factor = |name: &String| table.needed(name, "factors are columns of the table, see --factors");
    let found = Found {
        build,
        replicate: columns.replicate.find(table, ignore)?,
        metric,
        value,
        cost: columns.cost.find(table, ignore)?,
        factors: columns.factors.iter().map(factor).collect::<Result<_, _>>()?,
    };
    check_roles(table, &found, ignore)?;
    refuse_others(table, &found, ignore)?;
    Ok(found)
}

/// No column means two things, or one thing and nothing.
fn check_roles(table: &TextTable, found: &Found, ignore: &[String]) -> Result<(), RunsError> {
    let roles = [Some(found.build), found.replicate, Some(found.value), found.cost];
    let all: Vec<usize> = roles.into_iter().flatten().chain(found.factors.iter().copied()).collect();
    for (at, column) in all.iter().enumerate() {
        let name = table.names.get(*column).map_or("", String::as_str);
        if ignore.iter().any(|ignored| ignored == name) {
            return Err(RunsError::Asked {
                what: format!("{}: column '{name}' is needed, so it cannot be in --ignore", table.path),
            });
        }
        if all.iter().take(at).any(|earlier| earlier == column) {
            return Err(RunsError::Asked {
                what: format!("{}: column '{name}' cannot mean two things", table.path),
            });
        }
    }
    Ok(())
}

fn refuse_others(table: &TextTable, found: &Found, ignore: &[String]) -> Result<(), RunsError> {
    for name in ignore {
        table.needed(name, "it was named in --ignore")?;
    }
    let used = |at: usize| {
        at == found.build
            || at == found.value
            || found.replicate == Some(at)
            || found.cost == Some(at)
            || found.factors.contains(&at)
    };
    let others: Vec<&str> = table
        .names
        .iter()
        .enumerate()
        .filter(|(at, name)| !used(*at) && !ignore.contains(name))
        .map(|(_, name)| name.as_str())
        .collect();
    if others.is_empty() {
        return Ok(());
    }
    Err(RunsError::UnknownColumns {
        path: table.path.as_str().into(),
        columns: others.iter().map(|name| format!("'{name}'")).collect::<Vec<_>>().join(", "),
        ignore: others.join(","),
        many: others.len() > 1,
    })
}

fn build(
    table: &TextTable,
    found: &Found,
    columns: &RunsColumns,
    name: &str,
    rows: &[usize],
) -> Result<RunsBuild, RunsError> {
    let has = |(column, factor): (&usize, &String)| {
        let blank = rows.iter().find(|row| table.field(**row, *column).is_none());
        let set = rows.iter().any(|row| table.field(*row, *column).is_some());
        match (blank, set) {
            (Some(row), true) => Err(RunsError::PartlyBlank {
                path: table.path.as_str().into(),
                row: table.number(*row),
                factor: factor.as_str().into(),
                build: name.into(),
            }),
            (_, set) => Ok(set),
        }
    };
    let has = found.factors.iter().zip(&columns.factors).map(has).collect::<Result<_, _>>()?;
    Ok(RunsBuild { name: name.to_owned(), has })
}

fn run(table: &TextTable, found: &Found, row: usize, build: usize) -> Result<BenchmarkRun, RunsError> {
    let value = table.needed_positive(row, found.value)?;
    let mut setting = Setting::BASELINE;
    for (factor, column) in found.factors.iter().enumerate() {
        if table.field(row, *column).is_some() && level(table, row, *column)? {
            setting = setting.with(factor);
        }
    }
    let replicate = found.replicate.map(|column| {
        let label = table.field(row, column).ok_or_else(|| table.bad(row, column, "is missing"));
        label.map(str::to_owned)
    });
    let cost = found.cost.map(|column| table.needed_positive(row, column));
    Ok(BenchmarkRun {
        row: table.number(row),
        build,
        setting,
        replicate: replicate.transpose()?,
        throughput: match found.metric {
            RunMetric::Tps => value,
            RunMetric::Seconds => 1.0 / value,
        },
        cost: cost.transpose()?,
    })
}

fn level(table: &TextTable, row: usize, column: usize) -> Result<bool, RunsError> {
    let text = table.field(row, column).unwrap_or("").to_ascii_lowercase();
    match text.as_str() {
        "1" | "1.0" | "on" | "true" | "yes" => Ok(true),
        "0" | "0.0" | "off" | "false" | "no" => Ok(false),
        _ => Err(table.bad(
            row,
            column,
            "is neither 0 nor 1; hint: 1 is changed, 0 as it was, blank not in this build",
        )),
    }
}

fn check_cells(table: &RunsTable) -> Result<(), RunsError> {
    let mut seen: HashMap<(usize, Setting, Option<&str>), usize> = HashMap::new();
    for run in &table.runs {
        let key = (run.build, run.setting, run.replicate.as_deref());
        if let Some(first) = seen.insert(key, run.row) {
            let name = table.builds.get(run.build).map_or("", |build| build.name.as_str());
            let replicate =
                run.replicate.as_ref().map_or(String::new(), |label| format!(" replicate={label}"));
            let cell = table.describe(run.setting, table.factors_of(run.build));
            return Err(RunsError::SameCell {
                path: table.path.as_str().into(),
                first,
                second: run.row,
                cell: format!("{name} {cell}{replicate}").trim_end().to_owned(),
                hint: match run.replicate {
                    Some(_) => "repeats of a cell need different replicate labels",
                    None => "repeats need a column that numbers them: --columns replicate=NAME",
                },
            });
        }
    }
    Ok(())
}

/// Names with numbers in the order of the numbers: 5.7 before 5.10.
#[must_use]
pub fn natural_order(a: &str, b: &str) -> std::cmp::Ordering {
    let (mut a_parts, mut b_parts) = (natural_parts(a), natural_parts(b));
    loop {
        match (a_parts.next(), b_parts.next()) {
            (None, None) => return a.cmp(b),
            (None, Some(_)) => return std::cmp::Ordering::Less,
            (Some(_), None) => return std::cmp::Ordering::Greater,
            (Some(x), Some(y)) if x != y => return x.cmp(&y),
            _ => {}
        }
    }
}

/// Digits by length and value, everything else by text.
fn natural_parts(text: &str) -> impl Iterator<Item = (usize, &str)> {
    let mut rest = text;
    std::iter::from_fn(move || {
        let first = rest.chars().next()?.is_ascii_digit();
        let end = rest.find(|c: char| c.is_ascii_digit() != first).unwrap_or(rest.len());
        let (part, after) = rest.split_at(end);
        rest = after;
        if first {
            let digits = part.trim_start_matches('0');
            Some((digits.len(), digits))
        } else {
            Some((usize::MAX, part))
        }
    })
}
