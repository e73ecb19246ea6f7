//! A comparison by the program: text in, JSON out.

use crate::cells::{Look, Recorded};
use crate::score::{Interval, Seen, SeenRow};
use crate::world::{
    Run, SAMPLE_INSTRUCTIONS, SAMPLE_NS, SECONDS, function_name, subsystem_name, thread_id, thread_name,
};
use std::fmt::Write as _;
use std::path::PathBuf;
use std::process::Command;

use serde_json::Value;

/// `world` is the number of the world: worlds are compared at the same time.
pub(crate) fn compare(program: &str, recorded: &Recorded, look: Look, world: u64) -> Result<Seen, String> {
    let folder = std::env::temp_dir().join(format!("pdiff-worlds-{}-{world}", std::process::id()));
    std::fs::create_dir_all(&folder).map_err(|error| format!("{}: {error}", folder.display()))?;
    let mut command = Command::new(program);
    command.args(["compare", "--format", "json", "--no-symbolize", "--threads", "1"]);
    command.args(options(look));
    for (side, runs) in [("before", &recorded.before), ("after", &recorded.after)] {
        let written = runs.iter().enumerate().map(|(index, run)| {
            let path: PathBuf = folder.join(format!("{side}-{index}.perf"));
            std::fs::write(&path, text(run)).map_err(|error| format!("{}: {error}", path.display()))?;
            Ok(path)
        });
        command.arg(format!("--{side}")).args(written.collect::<Result<Vec<_>, String>>()?);
        command.arg(format!("--operations-{side}"));
        command.args(runs.iter().map(|run| format!("{:.0}", run.operations)));
    }
    let output = command.output().map_err(|error| format!("{program}: {error}"))?;
    let removed = std::fs::remove_dir_all(&folder);
    removed.map_err(|error| format!("{}: {error}", folder.display()))?;
    if !output.status.success() {
        return Err(format!("{program} failed: {}", String::from_utf8_lossy(&output.stderr)));
    }
    let json: Value =
        serde_json::from_slice(&output.stdout).map_err(|error| format!("{program}: {error}"))?;
    Ok(seen(&json))
}

fn options(look: Look) -> &'static [&'static str] {
    match look {
        Look::Plain => &[],
        Look::ByComm => &["--by", "comm"],
        Look::Filter => &["--stack-contains", "subsystem_0"],
        Look::Time => &["--time", "20%-80%"],
        Look::Beside => &["--event", "cpu-clock", "--beside", "instructions"],
    }
}

/// As `perf script` writes it; samples of a second stand evenly in it.
fn text(run: &Run) -> String {
    let mut text = String::new();
    let of_second = |samples: &[Vec<u32>], second: usize, event: &'static str, period: u64| {
        let in_second = samples.iter().enumerate();
        let functions = in_second.flat_map(|(function, samples)| {
            std::iter::repeat_n(function, samples.get(second).copied().unwrap_or(0) as usize)
        });
        functions.map(|function| (function, event, period)).collect::<Vec<_>>()
    };
    for second in 0..SECONDS {
        let mut functions = of_second(&run.samples, second, "cpu-clock", SAMPLE_NS);
        functions.extend(of_second(&run.instructions, second, "instructions", SAMPLE_INSTRUCTIONS));
        for (at, (function, event, period)) in functions.iter().enumerate() {
            let micros = 1_000_000 * at / functions.len();
            let (comm, tid) = (thread_name(*function), thread_id(*function));
            let _ = writeln!(text, "{comm} 1/{tid} {second}.{micros:06}: {period} {event}:");
            let frames = [function_name(*function), subsystem_name(*function), "main".to_owned()];
            for (depth, name) in frames.iter().enumerate() {
                let _ = writeln!(text, "\t{:x} {name}+0x1 (/usr/bin/app)", 0x1000 * (depth + 1));
            }
            text.push('\n');
        }
    }
    text
}

fn seen(json: &Value) -> Seen {
    let rows = json["functions"].as_array().map(Vec::as_slice).unwrap_or_default();
    let beside = &json["beside"][0]["functions"];
    let ratios = |name: &Value| {
        let of_row = beside.as_array()?.iter().find(|row| row["name"] == *name)?;
        let log = |ratio: &str| Some((of_row[ratio][0].as_f64()?.ln(), of_row[ratio][1].as_f64()?.ln()));
        Some([log("count_ratio_ci")?, log("price_ratio_ci")?])
    };
    let row = |row: &Value| SeenRow {
        name: row["name"].as_str().unwrap_or_default().to_owned(),
        interval_pp: interval(row, ["ci_low_pp", "ci_high_pp"]).filter(|_| !row["q_value"].is_null()),
        gap_share_interval_pct: interval(row, ["gap_share_ci_low_pct", "gap_share_ci_high_pct"]),
        log_ratio_intervals: ratios(&row["name"]),
        significant: row["significant"] == true,
        has_own_cost: row["cost_change"]["extent"].as_str().map(|extent| extent == "own"),
    };
    let names = |key: &str| json["noise"][key].as_array().is_some_and(|names| !names.is_empty());
    let log_interval = |of: &Value| {
        let (low, high) = interval(of, ["ci_low_pct", "ci_high_pct"])?;
        Some(((low / 100.0).ln_1p(), (high / 100.0).ln_1p()))
    };
    Seen {
        rows: rows.iter().map(row).collect(),
        log_cost_interval: log_interval(&json["cost"]),
        log_gap_interval: log_interval(&json["gap"]),
        is_gap_warned: json["gap"]["barely_significant"] == true,
        is_warned: names("drifting") || names("phased"),
    }
}

fn interval(of: &Value, [low, high]: [&str; 2]) -> Option<Interval> {
    of[low].as_f64().zip(of[high].as_f64())
}
