//! Factors beside the parts of the program that they switch.

#![expect(clippy::unwrap_used, reason = "a test that cannot go on may panic")]

#[path = "../../pdiff-analysis/tests/support/mod.rs"]
mod support;

use pdiff_analysis::{CompareSettings, GroupBy};
use pdiff_study::ablation::{AttributeSettings, attribute, meet};
use pdiff_study::{BenchmarkRun, RunMetric, RunsBuild, RunsTable, Setting};
use support::{compared, profile, settings};

#[test]
fn a_factor_that_was_not_measured_alone_is_told() {
    // W alone, P only with W.
    let runs = [0b00, 0b01, 0b11].into_iter().flat_map(|bits| {
        let throughputs = [100.0, 70.0 + f64::from(bits)];
        throughputs.into_iter().enumerate().map(move |(build, throughput)| BenchmarkRun {
            row: 1,
            build,
            setting: Setting(bits),
            replicate: None,
            throughput,
            cost: None,
        })
    });
    let build = |name: &str| RunsBuild { name: name.to_owned(), has: vec![true; 2] };
    let table = RunsTable {
        path: "runs.csv".to_owned(),
        metric: RunMetric::Tps,
        factors: vec!["W".to_owned(), "P".to_owned()],
        builds: vec![build("a"), build("b")],
        runs: runs.collect(),
    };
    let asked = AttributeSettings { base: 0, target: 1, restart: Setting::BASELINE, masking: Vec::new() };
    let attribution = attribute(&table, &asked).unwrap();
    let profile = profile("main;/lib/libc.so.6!memcpy 2\nmain;/lib/x.so!f 5");
    let by = CompareSettings { group_by: GroupBy::Subsystem, ..settings() };
    let comparison = compared(&[&profile], &[&profile], &by);
    let of_factor = [0, 1].map(|factor| (factor, "libc: memory copy and compare".to_owned()));
    let meeting = meet(&attribution, &comparison, &of_factor).unwrap();
    let told: Vec<usize> = meeting.rows.iter().map(|row| row.factor).collect();
    assert_eq!((told, meeting.untold), (vec![0], vec![1]));
}
