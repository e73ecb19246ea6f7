//! A comparison by the program: text in, JSON out.

use crate::cells::Recorded;
use crate::score::{Seen, SeenRow};
use crate::world::{Run, SAMPLE_NS, function_name, subsystem_name};
use std::fmt::Write as _;
use std::path::PathBuf;
use std::process::Command;

use serde_json::Value;

pub(crate) fn compare(program: &str, recorded: &Recorded) -> Result<Seen, String> {
    let folder = std::env::temp_dir().join(format!("pdiff-worlds-{}", std::process::id()));
    std::fs::create_dir_all(&folder).map_err(|error| format!("{}: {error}", folder.display()))?;
    let mut command = Command::new(program);
    command.args(["compare", "--format", "json", "--no-symbolize"]);
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

/// As `perf script` writes it; samples of a second stand evenly in it.
fn text(run: &Run) -> String {
    let mut text = String::new();
    for second in 0..run.samples.first().map_or(0, Vec::len) {
        let in_second = run.samples.iter().enumerate();
        let functions = in_second.flat_map(|(function, samples)| {
            std::iter::repeat_n(function, samples.get(second).copied().unwrap_or(0) as usize)
        });
        let functions: Vec<usize> = functions.collect();
        for (at, function) in functions.iter().enumerate() {
            let micros = 1_000_000 * at / functions.len();
            let _ = writeln!(text, "app 1/1 {second}.{micros:06}: {SAMPLE_NS} cpu-clock:");
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
    let row = |row: &Value| SeenRow {
        name: row["name"].as_str().unwrap_or_default().to_owned(),
        interval_pp: row["ci_low_pp"]
            .as_f64()
            .zip(row["ci_high_pp"].as_f64())
            .filter(|_| !row["q_value"].is_null()),
        significant: row["significant"] == true,
        has_own_cost: row["cost_change"]["extent"] == "own",
    };
    let names = |key: &str| json["noise"][key].as_array().is_some_and(|names| !names.is_empty());
    let cost = &json["cost"];
    let log = |key: &str| cost[key].as_f64().map(|pct| (pct / 100.0).ln_1p());
    Seen {
        rows: rows.iter().map(row).collect(),
        log_cost_interval: log("ci_low_pct").zip(log("ci_high_pct")),
        is_warned: names("drifting"),
    }
}
