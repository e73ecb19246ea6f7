//! Throughput of builds relative to a base, by workload and by class of workloads.

use std::collections::{HashMap, HashSet};

use super::log_mean::LogMean;

/// Relative throughput further from 1 than this is marked.
pub const NOTABLE_RELATIVE: f64 = 0.05;

/// One run.
#[derive(Clone, PartialEq, Debug)]
pub struct Throughput {
    /// The build.
    pub build: String,
    /// The workload.
    pub workload: String,
    /// The class of the workload.
    pub class: String,
    /// Clients that worked at once, where that is known.
    pub threads: Option<u32>,
    /// Operations per second, positive.
    pub tps: f64,
}

/// One workload on all builds.
#[derive(Clone, PartialEq, Debug)]
pub struct RelativeRow {
    /// The class of the workload; empty where none is named.
    pub class: String,
    /// The workload; empty where there is one only.
    pub workload: String,
    /// Clients that worked at once, where that is known: every level of concurrency has a row of its own.
    pub threads: Option<u32>,
    /// For each build in order; `None` where it has no run.
    pub values: Vec<Option<Relative>>,
}

/// One workload on one build.
#[derive(Clone, Copy, PartialEq, Debug)]
pub struct Relative {
    /// Geometric mean of operations per second.
    pub tps: f64,
    /// 95 % interval of `tps`, where the build has several runs.
    pub tps_interval: Option<(f64, f64)>,
    /// Over the base's; `None` where the base has no run of the workload.
    pub relative: Option<f64>,
    /// 95 % interval of `relative`, where both builds have several runs; `None` for the base itself.
    pub interval: Option<(f64, f64)>,
    /// Runs behind it.
    pub runs: usize,
}

/// One class of workloads on one build: over workloads that the base has, too.
#[derive(Clone, Copy, PartialEq, Debug)]
pub struct ClassMean {
    /// Geometric mean of the relative throughputs.
    pub mean: f64,
    /// The smallest.
    pub min: f64,
    /// The largest.
    pub max: f64,
    /// Workloads behind it.
    pub workloads: usize,
}

/// A workload at a level of concurrency.
type Key<'a> = (&'a str, &'a str, Option<u32>);

/// Throughputs relative to `builds[base]`, one row a workload and level of concurrency: workloads in the order in which they
/// come, levels by size.
///
/// ```
/// use pdiff_study::series::{Throughput, relative_throughput};
/// let run = |build: &str, tps| Throughput { build: build.into(), workload: "hot".into(), class: "point".into(), threads: None, tps };
/// let rows = relative_throughput(&[run("5.6", 100.0), run("8.0", 70.0)], &["5.6".into(), "8.0".into()], 0);
/// assert!((rows[0].values[1].unwrap().relative.unwrap() - 0.7).abs() < 1e-12);
/// ```
#[must_use]
pub fn relative_throughput(runs: &[Throughput], builds: &[String], base: usize) -> Vec<RelativeRow> {
    let mut keys: Vec<Key<'_>> = Vec::new();
    let mut logs: HashMap<(Key<'_>, &str), Vec<f64>> = HashMap::new();
    let (mut seen, mut classes, mut workloads) = (HashSet::new(), HashMap::new(), HashMap::new());
    for run in runs {
        let key = (run.class.as_str(), run.workload.as_str(), run.threads);
        if seen.insert(key) {
            let next = classes.len();
            classes.entry(key.0).or_insert(next);
            let next = workloads.len();
            workloads.entry((key.0, key.1)).or_insert(next);
            keys.push(key);
        }
        logs.entry((key, run.build.as_str())).or_default().push(run.tps.ln());
    }
    // Classes together, in the order in which they come first; so are the levels of a workload.
    keys.sort_by_key(|key| (classes.get(key.0).copied(), workloads.get(&(key.0, key.1)).copied(), key.2));
    let row = |key: Key<'_>| {
        let (class, workload, threads) = key;
        let mean = |build: &String| logs.get(&(key, build.as_str())).map(|logs| LogMean::of(logs));
        let of_base = builds.get(base).and_then(mean);
        let value = |(at, build): (usize, &String)| {
            let own = mean(build)?;
            let against = of_base.filter(|_| at != base);
            Some(Relative {
                tps: own.mean.exp(),
                tps_interval: own.interval(),
                relative: of_base.map(|base| (own.mean - base.mean).exp()),
                interval: against.and_then(|base| own.ratio_to(base)),
                runs: own.runs,
            })
        };
        RelativeRow {
            class: class.to_owned(),
            workload: workload.to_owned(),
            threads,
            values: builds.iter().enumerate().map(value).collect(),
        }
    };
    keys.into_iter().map(row).collect()
}

/// Each class's mean over its workloads, for each build.
#[must_use]
pub fn class_means(rows: &[RelativeRow], builds: usize) -> Vec<(String, Vec<Option<ClassMean>>)> {
    let mut classes: Vec<&str> = Vec::new();
    for row in rows {
        if !classes.contains(&row.class.as_str()) {
            classes.push(&row.class);
        }
    }
    let of = |class: &str, build: usize| {
        let values = rows.iter().filter(|row| row.class == class);
        let logs: Vec<f64> =
            values.filter_map(|row| (*row.values.get(build)?)?.relative.map(f64::ln)).collect();
        (!logs.is_empty()).then(|| ClassMean {
            mean: (logs.iter().sum::<f64>() / logs.len() as f64).exp(),
            min: logs.iter().copied().fold(f64::INFINITY, f64::min).exp(),
            max: logs.iter().copied().fold(f64::NEG_INFINITY, f64::max).exp(),
            workloads: logs.len(),
        })
    };
    classes
        .iter()
        .map(|class| ((*class).to_owned(), (0..builds).map(|build| of(class, build)).collect()))
        .collect()
}

#[cfg(test)]
mod tests {
    use pdiff_analysis::noise::critical_t;

    use super::*;

    #[test]
    fn repeats_give_an_interval_of_the_ratio() {
        let run = |build: &str, tps: f64| Throughput {
            build: build.into(),
            workload: String::new(),
            class: String::new(),
            threads: None,
            tps,
        };
        let runs = [("a", 100.0), ("a", 110.0), ("b", 80.0), ("b", 90.0), ("c", 50.0)];
        let runs: Vec<Throughput> = runs.into_iter().map(|(build, tps)| run(build, tps)).collect();
        let builds = ["a", "b", "c"].map(str::to_owned);
        let rows = relative_throughput(&runs, &builds, 0);
        let value = |at: usize| rows[0].values[at].unwrap();
        // Half the distance of two logarithms is the standard error of their mean; Welch's degrees of freedom are between
        // one and two here.
        let (low, high) = value(1).interval.unwrap();
        let errors =
            [(110.0_f64 / 100.0).ln() / 2.0, (90.0_f64 / 80.0).ln() / 2.0].map(|error| error.powi(2));
        let freedom = (errors[0] + errors[1]).powi(2) / (errors[0].powi(2) + errors[1].powi(2));
        let half = critical_t(0.05, freedom) * (errors[0] + errors[1]).sqrt();
        let log = (80.0_f64 * 90.0).ln() / 2.0 - (100.0_f64 * 110.0).ln() / 2.0;
        assert!((low.ln() - (log - half)).abs() < 1e-9 && (high.ln() - (log + half)).abs() < 1e-9);
        assert!(value(0).interval.is_none(), "the base has no interval against itself");
        assert!(value(2).interval.is_none(), "one run says nothing of how runs vary");
    }

    #[test]
    fn levels_of_concurrency_are_not_repeats_of_each_other() {
        let run = |build: &str, threads, tps| Throughput {
            build: build.into(),
            workload: "w".into(),
            class: String::new(),
            threads: Some(threads),
            tps,
        };
        let runs = [run("a", 16, 900.0), run("a", 1, 100.0), run("a", 1, 121.0), run("b", 1, 55.0)];
        let rows = relative_throughput(&runs, &["a".to_owned(), "b".to_owned()], 0);
        assert_eq!(rows.iter().map(|row| row.threads).collect::<Vec<_>>(), [Some(1), Some(16)]);
        let value = rows[0].values[0].unwrap();
        assert!((value.tps - 110.0).abs() < 1e-9 && value.runs == 2);
        // Two runs: half their distance is the standard error, with one degree of freedom.
        let half = critical_t(0.05, 1.0) * (121.0_f64 / 100.0).ln() / 2.0;
        let (low, high) = value.tps_interval.unwrap();
        assert!((low - 110.0 * (-half).exp()).abs() < 1e-9 && (high - 110.0 * half.exp()).abs() < 1e-6);
        assert!((rows[0].values[1].unwrap().relative.unwrap() - 0.5).abs() < 1e-12);
        assert!(rows[1].values[0].unwrap().tps_interval.is_none() && rows[1].values[1].is_none());
    }
}
