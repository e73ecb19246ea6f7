//! What to show of a series of builds.

use pdiff_study::series::{Arrival, Arrived, ChangePoint, ClassMean, GroupCost, RelativeRow, WholeCost};

/// A series of builds in order.
#[derive(Clone, Debug)]
pub struct SeriesView {
    /// The names of the builds, in order.
    pub builds: Vec<String>,
    /// Index of the build that throughput is relative to.
    pub base: usize,
    /// Throughput by workload.
    pub throughput: Vec<RelativeRow>,
    /// Throughput by class.
    pub classes: Vec<(String, Vec<Option<ClassMean>>)>,
    /// The numbers from vmstat and sysbench for each build.
    pub systems: Vec<BuildSystem>,
    /// Subsystems, largest growth first; empty without profiles.
    pub subsystems: Vec<Arrival>,
    /// Functions, largest growth first; empty without profiles.
    pub functions: Vec<Arrival>,
    /// Groups of threads, those with most first; empty unless they were asked for.
    pub groups: Vec<GroupCost>,
    /// Arrivals are judged by cost per operation, not by share.
    pub per_operation: bool,
    /// The cost of an operation on each recorded build; `None` if operations are not known for all.
    pub whole: Option<WholeCost>,
}

impl SeriesView {
    /// The recorded build that costs of an operation are relative to: the base, or the first where the base has no recording.
    pub(crate) fn cost_base(&self) -> Option<usize> {
        let recorded = self.whole.as_ref()?.per_op_ns.len();
        if self.base < recorded { Some(self.base) } else { (recorded > 0).then_some(0) }
    }

    /// Growth from the first build to the last, in nanoseconds per operation or in points.
    pub(crate) fn growth(&self, row: &Arrival) -> Option<f64> {
        if self.per_operation { row.growth_ns() } else { Some(row.growth_pp()) }
    }

    /// Its 95 % interval, where runs repeat.
    pub(crate) fn growth_interval(&self, row: &Arrival) -> Option<(f64, f64)> {
        let (growth, half) = (self.growth(row)?, row.growth_half?);
        Some((growth - half, growth + half))
    }

    /// The 95 % interval of what its arrival brought, where runs repeat.
    pub(crate) fn brought_interval(&self, row: &Arrival) -> Option<(f64, f64)> {
        let brought = row.brought?;
        let half = brought.half?;
        Some((brought.growth - half, brought.growth + half))
    }

    /// The build of a change point, and the first and the last build that it may be.
    pub(crate) fn change_point(&self, change: &ChangePoint) -> Option<[&str; 3]> {
        let name = |at: usize| self.builds.get(at).map(String::as_str);
        Some([name(change.at)?, name(change.interval.0)?, name(change.interval.1)?])
    }

    /// The builds, first and last, in one of which a row arrived; `None` if in none or if that is not known.
    pub(crate) fn arrived(&self, row: &Arrival) -> Option<(&str, &str)> {
        let (first, last) = match row.arrived {
            Arrived::In(at) => (at, at),
            Arrived::Between(first, last) => (first, last),
            Arrived::Nowhere | Arrived::UnseenBefore(_) => return None,
        };
        Some((self.builds.get(first)?, self.builds.get(last)?))
    }
}

/// What is known about one build's machine and load.
#[derive(Clone, PartialEq, Debug, Default)]
pub struct BuildSystem {
    /// Operations per second of the run during which vmstat ran.
    pub tps: Option<f64>,
    /// CPU in use, percent of the machine.
    pub busy_pct: Option<f64>,
    /// CPU per operation: busy percent over operations per second, in microseconds of the whole machine where the number of
    /// its cores is known.
    pub cpu_us_per_op: Option<f64>,
    /// CPU per operation relative to the base.
    pub cpu_per_op_relative: Option<f64>,
    /// Context switches per operation.
    pub context_switches_per_op: Option<f64>,
    /// Context switches per operation relative to the base.
    pub context_switches_relative: Option<f64>,
    /// Mean latency in milliseconds.
    pub latency_avg_ms: Option<f64>,
    /// A percentile and the latency there, in milliseconds.
    pub latency_percentile_ms: Option<(f64, f64)>,
    /// Largest latency in milliseconds.
    pub latency_max_ms: Option<f64>,
}

impl BuildSystem {
    /// Whether anything is known.
    pub(crate) fn is_known(&self) -> bool {
        self.busy_pct.is_some() || self.latency_avg_ms.is_some() || self.latency_percentile_ms.is_some()
    }
}
