//! Recordings of one binary against each other: nothing changed, so what is significant is a false alarm (or the load changed).
//!
//! ```text
//! cargo run --release -p pdiff-analysis --example same_binary -- DIRECTORY
//! ```
//!
//! The directory has `VERSION-r1.tsv`, `-r2`, `-r3` (short recordings) and `VERSION-big.tsv` (a long one) of each version in
//! [`VERSIONS`]. A line is `FUNCTION (OBJECT)`, a second and the samples in it, between tabs; `docs/noise.md` has the command that
//! makes them. Each comparison is made over all samples and over the row's own object.

use std::collections::{BTreeMap, BTreeSet};
use std::io::Write as _;
use std::ops::Range;
use std::path::Path;
use std::process::ExitCode;

use pdiff_analysis::noise::{Denominator, Judgement, NoiseSettings, Row, RowRun, RunBlocks, judge};

const VERSIONS: [&str; 3] = ["56", "57", "80"];

/// Samples of each function in each second.
type Run = BTreeMap<String, Vec<f64>>;

/// Two sides of runs.
type Comparison = [Vec<Run>; 2];

/// The recordings of a version.
struct Recorded {
    short: Vec<Run>,
    long: Run,
}

fn main() -> ExitCode {
    let Err(error) = run() else { return ExitCode::SUCCESS };
    // Nobody is left to tell where standard error is closed.
    let _ = writeln!(std::io::stderr(), "same_binary: {error}");
    ExitCode::from(2)
}

fn run() -> Result<(), String> {
    let directory = std::env::args().nth(1).ok_or("give a directory of tables")?;
    let recorded = |version: &&str| Recorded::read(Path::new(&directory), version);
    let versions = VERSIONS.iter().map(recorded).collect::<Result<Vec<_>, String>>()?;
    say("| comparison | comparisons | tests in each | p < .05 | significant |\n|---|---|---|---|---|")?;
    for (name, comparisons) in DESIGNS {
        let judged: Vec<Judgement> = versions
            .iter()
            .flat_map(comparisons)
            .flat_map(|sides| [true, false].map(|over_all| judged(&sides, over_all)))
            .collect();
        say(&line(name, &judged))?;
    }
    Ok(())
}

fn say(line: &str) -> Result<(), String> {
    writeln!(std::io::stdout(), "{line}").map_err(|error| format!("standard output: {error}"))
}

/// A kind of comparison, and how one version's recordings make them.
type Design = (&'static str, fn(&Recorded) -> Vec<Comparison>);

const DESIGNS: [Design; 8] = [
    ("r against r, single run", |of| of.pairs()),
    ("first half of 70 s against second, single run", |of| vec![of.halves()]),
    ("one of r1, r2, r3 against the other two", |of| of.one_against_two()),
    ("halves of r1 against halves of r2 and r3", |of| of.halves_of_short()),
    ("pieces of the 70 s, interleaved (2 + 2, 4 + 3)", |of| of.interleaved()),
    ("first two quarters of the 70 s against the last two", |of| vec![of.pieces(4, &[&[0, 1], &[2, 3]])]),
    ("r against r, times thrown away", |of| of.pairs().into_iter().map(without_times).collect()),
    ("halves of 70 s, times thrown away", |of| vec![without_times(of.halves())]),
];

impl Recorded {
    fn read(directory: &Path, version: &str) -> Result<Self, String> {
        let run = |name: &str| read(&directory.join(format!("{version}-{name}.tsv")));
        Ok(Self { short: vec![run("r1")?, run("r2")?, run("r3")?], long: run("big")? })
    }

    fn pairs(&self) -> Vec<Comparison> {
        let [r1, r2, r3] = self.short.as_slice() else { return Vec::new() };
        [(r1, r2), (r1, r3), (r2, r3)].map(|(a, b)| [vec![a.clone()], vec![b.clone()]]).into()
    }

    fn one_against_two(&self) -> Vec<Comparison> {
        let [r1, r2, r3] = self.short.as_slice() else { return Vec::new() };
        let of = |a: &Run, b: &Run, c: &Run| [vec![a.clone()], vec![b.clone(), c.clone()]];
        vec![of(r1, r2, r3), of(r2, r1, r3), of(r3, r1, r2)]
    }

    fn halves_of_short(&self) -> Vec<Comparison> {
        let of = |runs: &[Run]| runs.iter().flat_map(|run| parts(run, 2)).collect();
        let (first, others) = self.short.split_at(1);
        vec![[of(first), of(others)]]
    }

    fn halves(&self) -> Comparison {
        self.pieces(2, &[&[0], &[1]])
    }

    fn interleaved(&self) -> Vec<Comparison> {
        vec![
            self.pieces(4, &[&[0, 2], &[1, 3]]),
            self.pieces(4, &[&[0, 3], &[1, 2]]),
            self.pieces(7, &[&[0, 2, 4, 6], &[1, 3, 5]]),
        ]
    }

    /// The long recording cut into equal pieces, of which each side gets some.
    fn pieces(&self, count: usize, sides: &[&[usize]; 2]) -> Comparison {
        let pieces = parts(&self.long, count);
        sides.map(|side| side.iter().filter_map(|piece| pieces.get(*piece).cloned()).collect())
    }
}

fn read(path: &Path) -> Result<Run, String> {
    let text = std::fs::read_to_string(path).map_err(|error| format!("{}: {error}", path.display()))?;
    let mut run = Run::new();
    for (number, line) in text.lines().enumerate() {
        let odd = || format!("{}:{}: not a function, a second and a count", path.display(), number + 1);
        let mut fields = line.rsplitn(3, '\t');
        let count: f64 = fields.next().and_then(|count| count.parse().ok()).ok_or_else(odd)?;
        let second: usize = fields.next().and_then(|second| second.parse().ok()).ok_or_else(odd)?;
        let seconds = run.entry(fields.next().ok_or_else(odd)?.to_owned()).or_default();
        seconds.resize(seconds.len().max(second + 1), 0.0);
        seconds[second] += count;
    }
    let seconds = run.values().map(Vec::len).max().unwrap_or(0);
    run.values_mut().for_each(|of| of.resize(seconds, 0.0));
    Ok(run)
}

/// A run cut into equal parts of whole seconds; a rest is left out.
fn parts(run: &Run, count: usize) -> Vec<Run> {
    let seconds = run.values().next().map_or(0, Vec::len) / count;
    let cut = |range: Range<usize>| {
        run.iter().map(|(name, of)| (name.clone(), of[range.clone()].to_vec())).collect()
    };
    (0..count).map(|part| cut(part * seconds..(part + 1) * seconds)).collect()
}

/// The same comparison as if no sample had a time.
fn without_times(sides: Comparison) -> Comparison {
    sides.map(|runs| {
        runs.into_iter()
            .map(|run| run.into_iter().map(|(name, of)| (name, vec![of.iter().sum()])).collect())
            .collect()
    })
}

/// The object in `FUNCTION (OBJECT)`.
fn object(name: &str) -> &str {
    name.rsplit_once(" (").map_or("", |(_, object)| object)
}

fn judged(sides: &Comparison, over_all: bool) -> Judgement {
    let names: BTreeSet<&String> = sides.iter().flatten().flat_map(BTreeMap::keys).collect();
    let scope = |name: &str| if over_all { String::new() } else { object(name).to_owned() };
    let scopes: Vec<String> =
        names.iter().map(|name| scope(name)).collect::<BTreeSet<_>>().into_iter().collect();
    // Weights of each scope in the blocks of each run of each side.
    let of_scope = |run: &Run, of: &str| {
        let mut sum = vec![0.0; run.values().next().map_or(0, Vec::len)];
        for seconds in run.iter().filter(|(name, _)| scope(name) == of).map(|(_, seconds)| seconds) {
            sum.iter_mut().zip(seconds).for_each(|(sum, count)| *sum += count);
        }
        sum
    };
    let blocks: Vec<[Vec<Vec<f64>>; 2]> = scopes
        .iter()
        .map(|of| sides.each_ref().map(|runs| runs.iter().map(|run| of_scope(run, of)).collect()))
        .collect();
    let samples = |blocks: &[f64]| blocks.iter().sum::<f64>() as u64;
    let denominator = |sides: &[Vec<Vec<f64>>; 2]| {
        let [before, after] =
            sides.each_ref().map(|runs| runs.iter().map(|n| RunBlocks::from_blocks(n, samples(n))).collect());
        Denominator { before, after }
    };
    let row = |name: &&String| {
        let index = scopes.binary_search(&scope(name)).ok()?;
        let runs = |side: usize| -> Option<Vec<RowRun>> {
            let pairs = sides.get(side)?.iter().zip(blocks.get(index)?.get(side)?);
            let of_run = |(run, n): (&Run, &Vec<f64>)| {
                run.get(*name).map(|w| RowRun::from_blocks(w, n, samples(w))).unwrap_or_default()
            };
            Some(pairs.map(of_run).collect())
        };
        Some(Row { denominator: index, before: runs(0)?, after: runs(1)? })
    };
    let rows: Vec<Row> = names.iter().filter_map(row).collect();
    judge(&blocks.iter().map(denominator).collect::<Vec<_>>(), &rows, &NoiseSettings::default())
}

fn line(name: &str, judged: &[Judgement]) -> String {
    let range = |values: &mut dyn Iterator<Item = f64>| {
        let (low, high) =
            values.fold((f64::INFINITY, 0.0_f64), |(low, high), value| (low.min(value), high.max(value)));
        format!("{low:.0}-{high:.0}")
    };
    let small = |judgement: &Judgement| {
        let p = judgement.rows.iter().filter_map(|row| row.test.p()).filter(|p| *p < 0.05).count();
        100.0 * p as f64 / judgement.tests.max(1) as f64
    };
    let found: Vec<usize> = judged
        .iter()
        .map(|judgement| judgement.rows.iter().filter(|row| row.significant).count())
        .filter(|rows| *rows > 0)
        .collect();
    let tests = range(&mut judged.iter().map(|judgement| judgement.tests as f64));
    let small = range(&mut judged.iter().map(small));
    let significant = match (found.len(), found.iter().sum::<usize>()) {
        (0, _) => "0".to_owned(),
        (comparisons, rows) => format!("{rows} rows in {comparisons}"),
    };
    format!("| {name} | {} | {tests} | {small} % | {significant} |", judged.len())
}
