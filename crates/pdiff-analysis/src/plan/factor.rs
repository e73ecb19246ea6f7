//! The factors of an experiment, and their expected effects.

use pdiff_profile::PerSide;

/// A factor that the user wants: `P=performance_schema`, `F=innodb_flush_log_at_trx_commit:0`, `S=parser and lexer`.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct WantedFactor {
    /// Its name in the table of runs.
    pub name: String,
    /// A setting, or a part of the program.
    pub what: String,
    /// The new value of the setting; `None` if that is clear.
    pub value: Option<String>,
}

impl std::str::FromStr for WantedFactor {
    type Err = String;

    fn from_str(text: &str) -> Result<Self, String> {
        let (name, what) = text.split_once('=').unwrap_or((text, text));
        let (what, value) = match what.split_once(':') {
            Some((what, value)) => (what, Some(value.trim().to_owned())),
            None => (what, None),
        };
        let (name, what) = (name.trim().to_owned(), what.trim().to_owned());
        let is_name = |text: &str| !text.is_empty() && !text.contains([',', '"', '\n', '\t']);
        if !is_name(&name) || what.is_empty() {
            return Err(format!("'{text}' is not a factor; hint: write NAME=SETTING or NAME=SETTING:VALUE"));
        }
        Ok(Self { name, what, value })
    }
}

/// How a factor is switched.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum Experiment {
    /// A setting of the server gets another value.
    Setting {
        /// Its name.
        name: String,
        /// Its values while the recordings were made; `None` where not known, or not a setting of that side.
        values: PerSide<Option<String>>,
        /// Its new value; `None` if the user has to choose.
        to: Option<String>,
    },
    /// A part of the program is switched off in a way that the user knows.
    Part {
        /// The part.
        subsystem: String,
    },
    /// The change of a function is taken out of the new build.
    Revert {
        /// The function.
        function: String,
    },
    /// The new build is compiled as the base was: a function lost inlining or was compiled worse.
    Rebuild {
        /// The function.
        function: String,
    },
}

impl Experiment {
    /// The stable text.
    #[must_use]
    pub fn as_str(&self) -> &'static str {
        match self {
            Self::Setting { .. } => "setting",
            Self::Part { .. } => "part",
            Self::Revert { .. } => "revert",
            Self::Rebuild { .. } => "rebuild",
        }
    }
}

/// The expected effect of a factor; positive favours the new build.
#[derive(Clone, Copy, PartialEq, Debug)]
pub struct Forecast {
    /// Change of ln(after / before) of throughput.
    pub log: f64,
    /// In which a measurement with the planned runs lies, 95 %.
    pub log_interval: (f64, f64),
    /// The same in points of the gap; `None` where no throughput was given.
    pub points: Option<f64>,
    /// In which a measurement with the planned runs lies, 95 %.
    pub points_interval: Option<(f64, f64)>,
}

impl Forecast {
    /// How wide the interval is, in points.
    #[must_use]
    pub fn width_points(&self) -> Option<f64> {
        self.points_interval.map(|(low, high)| high - low)
    }
}

/// A factor of the experiment.
#[derive(Clone, PartialEq, Debug)]
pub struct PlannedFactor {
    /// Its name in the table of runs.
    pub name: String,
    /// How it is switched.
    pub experiment: Experiment,
    /// Whether a build has it.
    pub on: PerSide<bool>,
    /// Findings that it may explain.
    pub finding_ranks: Vec<usize>,
    /// Samples in its code or below it, in percent.
    pub within_pct: PerSide<f64>,
    /// Samples in its own code, in percent.
    pub own_pct: PerSide<f64>,
    /// The part of those below it that goes to sleep or waits for a disk, in percent.
    pub sleeps_pct: PerSide<f64>,
    /// The factor alone, from the settings recorded.
    pub alone: Forecast,
    /// The average over all orders of the factors; `None` unless the runs are a full factorial.
    pub average: Option<Forecast>,
    /// Why the expectation is not worth much; empty where it is.
    pub doubts: Vec<Doubt>,
}

/// Why the expected effect of a factor is not worth much.
#[derive(Clone, Copy, PartialEq, Debug)]
pub enum Doubt {
    /// Its code sleeps or waits for the disk, which CPU profiles do not show.
    Sleeps,
    /// The interval is wider than so many points.
    WiderThan(f64),
    /// The runs cannot detect so small an effect; the smallest that they can, as a logarithm of throughput.
    Undetectable {
        /// That effect.
        detectable_log: f64,
    },
}

/// A finding that no experiment is planned for.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct NotPlanned {
    /// Its place in the list of findings.
    pub rank: usize,
    /// Its name.
    pub name: String,
    /// Why.
    pub why: WhyNotPlanned,
}

/// Why no experiment is planned for a finding.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum WhyNotPlanned {
    /// It is work of the kernel.
    KernelWork,
    /// Its callers are missing.
    NoCallers,
    /// It has no symbols.
    NoSymbols,
    /// It is spread over many places.
    Spread,
    /// It costs less than before.
    Gain,
    /// A setting switches it, and the plan has no room for it.
    PlanIsFull,
    /// No factor of the plan switches it.
    NoFactor,
}
