//! A shell script that makes the runs of a plan, for the user to adapt.

use pdiff_analysis::{Experiment, Plan, PlannedFactor, PlannedRun};

use crate::plan::words::experiment_text;

/// The functions that the user fills in, with one call a run.
#[must_use]
pub fn plan_script(plan: &Plan) -> String {
    let mut text = String::from(
        "#!/bin/sh\n# The runs of a plan of pdiff. Fill in start, bench and stop; results go to runs.csv.\nset -eu\n\n",
    );
    for factor in &plan.factors {
        text.push_str(&format!("# {}: {}\n", line(&factor.name), line(&experiment_text(&factor.experiment))));
    }
    text.push_str(
        "\nstart() { # build, then options of the server\n    echo \"start $*: fill in\" >&2; exit 2\n}\nbench() { # prints operations per second, and CPU time per operation if known: 1234.5,67.8\n    echo \"bench: fill in\" >&2; exit 2\n}\nstop() { :; }\n\nrun() { # build, replicate and levels as in the table, then options\n    build=$1; row=$2; shift 2\n    start \"$build\" \"$@\"\n    result=$(bench)\n    stop\n    echo \"$row,$result\" >> runs.csv\n}\n\n",
    );
    let header = crate::plan::runs::plan_runs_csv(plan);
    let mut rows = header.lines();
    text.push_str(&format!("echo {} > runs.csv\n", quoted(rows.next().unwrap_or_default())));
    for (run, row) in plan.runs.iter().zip(rows) {
        let row = row.strip_suffix(",,").unwrap_or(row);
        text.push_str(&format!("run {} {}", quoted(&plan.labels[run.build]), quoted(row)));
        for option in options(plan, run) {
            text.push_str(&format!(" {}", quoted(&option)));
        }
        text.push('\n');
    }
    text
}

/// Server options of the factors that are changed in a run.
fn options(plan: &Plan, run: &PlannedRun) -> Vec<String> {
    let changed = plan.factors.iter().zip(&run.levels).filter(|(_, level)| **level == Some(true));
    changed.map(|(factor, _)| option(factor)).collect()
}

fn option(factor: &PlannedFactor) -> String {
    match &factor.experiment {
        Experiment::Setting { name, to: Some(to), .. } if name == "log_bin" && to == "OFF" => {
            "--skip-log-bin".to_owned()
        }
        Experiment::Setting { name, to, .. } => {
            format!("--{}={}", name.replace('_', "-"), to.as_deref().unwrap_or("FILL_IN"))
        }
        _ => format!("FILL_IN:{}", factor.name),
    }
}

fn line(text: &str) -> String {
    text.replace(['\n', '\r'], " ")
}

fn quoted(text: &str) -> String {
    format!("'{}'", text.replace('\'', r"'\''"))
}
