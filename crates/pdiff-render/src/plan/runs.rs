//! The runs of a plan as the table that `pdiff attribute` reads, with empty results.

use pdiff_analysis::Plan;

/// One line per run: build, replicate, factors, and room for throughput and CPU per operation.
#[must_use]
pub fn plan_runs_csv(plan: &Plan) -> String {
    let mut text = String::from("build,replicate");
    for factor in &plan.factors {
        text.push(',');
        text.push_str(&field(&factor.name));
    }
    text.push_str(",tps,cost\n");
    for run in &plan.runs {
        text.push_str(&field(&plan.labels[run.build]));
        text.push_str(&format!(",{}", run.replicate));
        for level in &run.levels {
            text.push_str(match level {
                Some(true) => ",1",
                Some(false) => ",0",
                None => ",",
            });
        }
        text.push_str(",,\n");
    }
    text
}

fn field(text: &str) -> String {
    if text.contains([',', '"', '\n', '\r']) {
        format!("\"{}\"", text.replace('"', "\"\""))
    } else {
        text.to_owned()
    }
}
