//! Throughput of builds relative to a base, by workload and by class of workloads.

use std::collections::{HashMap, HashSet};

use pdiff_analysis::noise::critical_t;

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
    /// For each build in order; `None` where it has no run.
    pub values: Vec<Option<Relative>>,
}

/// One workload on one build.
#[derive(Clone, Copy, PartialEq, Debug)]
pub struct Relative {
    /// Geometric mean of operations per second.
    pub tps: f64,
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

/// Throughputs relative to `builds[base]`, one row a workload, in the order in which workloads come.
///
/// ```
/// use pdiff_study::series::{Throughput, relative_throughput};
/// let run = |build: &str, tps| Throughput { build: build.into(), workload: "hot".into(), class: "point".into(), tps };
/// let rows = relative_throughput(&[run("5.6", 100.0), run("8.0", 70.0)], &["5.6".into(), "8.0".into()], 0);
/// assert!((rows[0].values[1].unwrap().relative.unwrap() - 0.7).abs() < 1e-12);
/// ```
#[must_use]
pub fn relative_throughput(runs: &[Throughput], builds: &[String], base: usize) -> Vec<RelativeRow> {
    let mut keys: Vec<(&str, &str)> = Vec::new();
    let mut logs: HashMap<(&str, &str, &str), Vec<f64>> = HashMap::new();
    let (mut seen, mut classes) = (HashSet::new(), HashMap::new());
    for run in runs {
        let key = (run.class.as_str(), run.workload.as_str());
        if seen.insert(key) {
            let next = classes.len();
            classes.entry(key.0).or_insert(next);
            keys.push(key);
        }
        logs.entry((key.0, key.1, run.build.as_str())).or_default().push(run.tps.ln());
    }
    // Classes together, in the order in which they come first.
    keys.sort_by_key(|key| classes.get(key.0).copied());
    let row = |(class, workload): (&str, &str)| {
        let mean = |build: &String| logs.get(&(class, workload, build.as_str())).map(|logs| Mean::of(logs));
        let of_base = builds.get(base).and_then(mean);
        let value = |(at, build): (usize, &String)| {
            let own = mean(build)?;
            let against = of_base.filter(|_| at != base);
            Some(Relative {
                tps: own.mean.exp(),
                relative: of_base.map(|base| (own.mean - base.mean).exp()),
                interval: against.and_then(|base| own.ratio_to(base)),
                runs: own.runs,
            })
        };
        RelativeRow {
            class: class.to_owned(),
            workload: workload.to_owned(),
            values: builds.iter().enumerate().map(value).collect(),
        }
    };
    keys.into_iter().map(row).collect()
}

/// The mean of logarithms, and how far the runs lie apart.
#[derive(Clone, Copy)]
struct Mean {
    mean: f64,
    /// Squared standard error of the mean; `None` with one run.
    squared_error: Option<f64>,
    runs: usize,
}

impl Mean {
    fn of(logs: &[f64]) -> Self {
        let runs = logs.len();
        let mean = logs.iter().sum::<f64>() / runs as f64;
        let squares: f64 = logs.iter().map(|log| (log - mean).powi(2)).sum();
        let squared_error = (runs > 1).then(|| squares / (runs - 1) as f64 / runs as f64);
        Self { mean, squared_error, runs }
    }

    /// The 95 % interval of the ratio to another mean, both with their own variation (Welch).
    fn ratio_to(self, base: Self) -> Option<(f64, f64)> {
        let (own, other) = (self.squared_error?, base.squared_error?);
        let log = self.mean - base.mean;
        let sum = own + other;
        let half = if sum > 0.0 {
            let squares = own.powi(2) / (self.runs - 1) as f64 + other.powi(2) / (base.runs - 1) as f64;
            critical_t(0.05, sum.powi(2) / squares) * sum.sqrt()
        } else {
            0.0
        };
        Some(((log - half).exp(), (log + half).exp()))
    }
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
    use super::*;

    #[test]
    fn repeats_give_an_interval_of_the_ratio() {
        let run = |build: &str, tps: f64| Throughput {
            build: build.into(),
            workload: String::new(),
            class: String::new(),
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
}
