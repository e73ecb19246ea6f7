//! Words that all formats of a plan share.

use pdiff_analysis::{Doubt, Experiment, Plan, WhyNotPlanned};
use pdiff_profile::PerSide;

use crate::document::number::fixed;

/// Why the expected effect of a factor is not worth much.
pub(crate) fn doubt_text(doubt: &Doubt) -> String {
    match doubt {
        Doubt::Sleeps => {
            "its code sleeps or waits for the disk, which CPU profiles do not show: switching it off may gain more".to_owned()
        }
        Doubt::WiderThan(points) => {
            format!("a range, not a prediction: its interval is wider than {points:.0} points")
        }
        Doubt::Undetectable { detectable_log } => {
            format!("too small to detect: these runs can detect {:.0} % or more", 100.0 * detectable_log.exp_m1())
        }
    }
}

/// Why no experiment is planned for a finding.
pub(crate) fn why_text(why: WhyNotPlanned) -> &'static str {
    match why {
        WhyNotPlanned::KernelWork => "work of the kernel: no change of the program switches it off",
        WhyNotPlanned::NoCallers => "its callers are missing; record with --call-graph dwarf or lbr first",
        WhyNotPlanned::NoSymbols => "no symbols; give the binary first",
        WhyNotPlanned::Spread => "spread over many places, so no single change switches it off",
        WhyNotPlanned::Gain => "a gain, so there is nothing to take back",
        WhyNotPlanned::PlanIsFull => "the plan is full; name the setting with --factors",
        WhyNotPlanned::NoFactor => "no factor of the plan switches it off; name one with --factors",
    }
}

/// What is done to switch a factor.
pub(crate) fn experiment_text(experiment: &Experiment) -> String {
    match experiment {
        Experiment::Setting { name, values, to } => {
            let was = match (&values.before, &values.after) {
                (Some(before), Some(after)) if before == after => format!(", was {before}"),
                (Some(before), Some(after)) => format!(", was {before} before and {after} after"),
                (None, Some(after)) => format!(", was {after} after only"),
                (Some(before), None) => format!(", was {before} before only"),
                (None, None) => String::new(),
            };
            let to = to.as_deref().map_or_else(|| "another value".to_owned(), |to| format!("= {to}"));
            format!("set {name} {to}{was}")
        }
        Experiment::Part { subsystem } => format!("switch off: {subsystem}"),
        Experiment::Revert { function } => {
            format!("take back what changed the cost of {function}: in its code, or in that of what calls it")
        }
        Experiment::Rebuild { function } => format!("compile {function} as the base was compiled"),
    }
}

/// What predictions rest on.
pub(crate) fn assumptions(plan: &Plan) -> Vec<String> {
    let PerSide { before, after } = &plan.labels;
    let cores = plan.cores.map_or_else(String::new, |PerSide { before: base, after: other }| {
        format!(": {} in {before}, {} in {after}", fixed(base, 2), fixed(other, 2))
    });
    let variation = fixed(100.0 * plan.run_cv, 0);
    let from =
        if plan.is_cv_assumed { "assumed, with one recording a side" } else { "as the recordings show" };
    let mut texts = vec![
        format!("the CPU is the limit, and the number of cores in use stays the same{cores}"),
        "waiting does not change: CPU profiles do not show time off the CPU".to_owned(),
        "the two ends of an interval: a factor removes only its own code, or also everything that code calls"
            .to_owned(),
        format!("throughput varies by {variation} % from run to run ({from})"),
        "the runs have the load and the settings of the recordings".to_owned(),
    ];
    if !plan.knows_settings {
        texts.push(
            "both builds have each setting, and it is on: the settings of the servers were not given"
                .to_owned(),
        );
    }
    if plan.gap_log.is_none() {
        texts.push("throughput is not known, so there are ratios but no points of the gap".to_owned());
    }
    texts
}
