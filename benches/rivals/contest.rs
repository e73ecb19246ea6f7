//! Racers turn by turn, and a table of how long each took.

use std::fs::File;
use std::io::Write as _;
use std::path::Path;
use std::process::{Command, Stdio};
use std::time::Instant;

/// Rounds of a race; the median counts.
const ROUNDS: usize = 5;

/// What a race handles, for a rate.
#[derive(Clone, Copy)]
pub(crate) enum Amount {
    /// Bytes of input.
    Bytes(u64),
    /// Things of the given name.
    Count(usize, &'static str),
    /// Nothing to count.
    Whole,
}

/// One who runs: a name and one round, which gives its peak memory in KiB where it can tell.
pub(crate) struct Racer<'a> {
    name: String,
    round: Box<dyn FnMut() -> Option<u64> + 'a>,
}

impl<'a> Racer<'a> {
    /// A call of a library.
    pub(crate) fn call<T>(name: &str, mut call: impl FnMut() -> T + 'a) -> Self {
        let round = move || {
            std::hint::black_box(call());
            None
        };
        Self { name: name.to_owned(), round: Box::new(round) }
    }

    /// A program run with these arguments; `None` if it is not installed, which is said.
    pub(crate) fn program(name: &str, program: &str, arguments: &[&str]) -> Option<Self> {
        Self::prepared(name, program, arguments, || ())
    }

    /// A program run with these arguments, and something to do before each run.
    pub(crate) fn prepared(
        name: &str,
        program: &str,
        arguments: &[&str],
        mut prepare: impl FnMut() + 'a,
    ) -> Option<Self> {
        if !program.contains('/') && !installed(program) {
            println!("    (skipped: {program} is not installed)");
            return None;
        }
        let arguments: Vec<String> = arguments.iter().map(|text| (*text).to_owned()).collect();
        let program = program.to_owned();
        let round = move || {
            prepare();
            run(&program, &arguments)
        };
        Some(Self { name: name.to_owned(), round: Box::new(round) })
    }
}

/// The races whose names hold the filter.
pub(crate) struct Contest {
    filter: String,
}

impl Contest {
    /// Only races whose name holds `filter` will run.
    pub(crate) fn new(filter: &str) -> Self {
        println!("{:<58} {:>10} {:>14} {:>8} {:>9}", "", "median", "rate", "ratio", "peak");
        Self { filter: filter.to_owned() }
    }

    /// Whether a race is to run; ask before making its input.
    pub(crate) fn wants(&self, what: &str) -> bool {
        what.contains(&self.filter)
    }

    /// Runs a race: five rounds, each racer once a round. Ratios are to the first racer, above 1 is slower than it.
    pub(crate) fn race(&mut self, what: &str, amount: Amount, racers: Vec<Option<Racer<'_>>>) {
        let mut racers: Vec<Racer<'_>> = racers.into_iter().flatten().collect();
        let mut seconds = vec![Vec::new(); racers.len()];
        let mut peaks = vec![None; racers.len()];
        for round in 0..=ROUNDS {
            for (index, racer) in racers.iter_mut().enumerate() {
                let start = Instant::now();
                let peak = (racer.round)();
                // The first round warms the page cache and is not counted.
                if round > 0 {
                    seconds[index].push(start.elapsed().as_secs_f64());
                    peaks[index] = peaks[index].max(peak);
                }
            }
        }
        let medians: Vec<f64> = seconds.into_iter().map(median).collect();
        println!("{what}");
        let mut results = Results::open();
        for ((racer, median), peak) in racers.iter().zip(&medians).zip(&peaks) {
            let ratio = median / medians[0];
            results.add(what, &racer.name, (*median, ratio), *peak);
            let peak = peak.map_or(String::new(), |kib| format!("{} MiB", kib / 1024));
            println!(
                "    {:<54} {median:>8.3} s {:>14} {ratio:>7.2}x {peak:>9}",
                racer.name,
                rate(amount, *median)
            );
        }
    }
}

/// The file that `PDIFF_BENCH_JSON` names: a line of JSON for each racer, added at its end.
struct Results(Option<File>);

impl Results {
    fn open() -> Self {
        let path = std::env::var_os("PDIFF_BENCH_JSON");
        Self(path.map(|path| File::options().create(true).append(true).open(path).unwrap()))
    }

    fn add(&mut self, race: &str, racer: &str, (median_s, ratio): (f64, f64), peak_kib: Option<u64>) {
        let Some(file) = &mut self.0 else { return };
        let line = serde_json::json!({
            "race": race, "racer": racer, "median_s": median_s, "ratio": ratio, "peak_kib": peak_kib, "rounds": ROUNDS,
        });
        writeln!(file, "{line}").unwrap();
    }
}

fn rate(amount: Amount, seconds: f64) -> String {
    match amount {
        Amount::Bytes(bytes) => format!("{:.0} MB/s", bytes as f64 / seconds / 1e6),
        Amount::Count(count, of) => format!("{:.0} {of}/s", count as f64 / seconds),
        Amount::Whole => String::new(),
    }
}

fn median(mut values: Vec<f64>) -> f64 {
    values.sort_by(f64::total_cmp);
    values[values.len() / 2]
}

fn installed(program: &str) -> bool {
    let path = std::env::var_os("PATH").unwrap_or_default();
    std::env::split_paths(&path).any(|directory| directory.join(program).is_file())
}

/// Runs a program to its end, output thrown away; peak memory in KiB where GNU time is installed.
fn run(program: &str, arguments: &[String]) -> Option<u64> {
    let time = Path::new("/usr/bin/time");
    let report = tempfile::NamedTempFile::new().unwrap();
    let mut command = if time.is_file() {
        let mut command = Command::new(time);
        command.args(["-f", "%M", "-o"]).arg(report.path()).arg(program);
        command
    } else {
        Command::new(program)
    };
    let status = command.args(arguments).stdout(Stdio::null()).stderr(Stdio::null()).status().unwrap();
    assert!(status.success(), "{program} {arguments:?} failed");
    std::fs::read_to_string(report.path()).ok()?.trim().parse().ok()
}
