//! A comparison in a few lines: [`Findings`].

use pdiff_profile::{PerSide, Weight};

use super::kernel_kind::KernelKind;
use crate::settings_diff::same_value;

/// The part of a finding's change that is most of it.
const MAIN_PART: f64 = 0.5;

/// Where the CPU of two builds differs, in few parts that sum with the rest to the whole change.
#[derive(Clone, PartialEq, Debug, Default)]
pub struct Findings {
    /// Parts that shrank come first if the whole did, beyond noise; else parts that grew. Largest first.
    pub list: Vec<Finding>,
    /// All that is in none of them.
    pub rest: FindingsRest,
    /// The same samples seen from the kernel: all of its work by who entered it and what for, the largest change first.
    pub kernel: Vec<KernelWork>,
    /// The part of each side's weight whose stacks have no function of the program, base first, in percent: their callers
    /// were lost, or they never had one.
    pub no_caller_pct: PerSide<f64>,
}

/// How the samples of a finding belong together.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub enum FindingKind {
    /// A function, with everything it calls that is in no other finding.
    Region,
    /// A function below one of its callers.
    Edge,
    /// A function with changes in many places below it, none of which changed enough alone.
    Spread,
    /// Parts below a function that cancel: the net of them.
    Replaced,
    /// A function that many others call.
    CrossCutting,
    /// Work of the kernel that came from outside the thread.
    Interrupts,
    /// Stacks without a function of the program.
    NoCaller,
    /// Code of the program without symbols.
    Unresolved,
}

impl FindingKind {
    /// The stable text.
    #[must_use]
    pub fn as_str(self) -> &'static str {
        match self {
            Self::Region => "region",
            Self::Edge => "edge",
            Self::Spread => "spread",
            Self::Replaced => "replaced",
            Self::CrossCutting => "cross-cutting",
            Self::Interrupts => "interrupts",
            Self::NoCaller => "no-caller",
            Self::Unresolved => "unresolved",
        }
    }
}

/// Samples of one side.
#[derive(Clone, Copy, PartialEq, Debug, Default)]
pub struct FindingSide {
    /// Weight; those of all findings and the rest sum to the side's.
    pub weight: Weight,
    /// Number of samples.
    pub samples: u64,
    /// Of the side's weight, in percent; the mean of the runs' shares.
    pub pct: f64,
    /// Weight per operation, in the event's unit; `None` without operations.
    pub per_op: Option<f64>,
    /// The part of the weight that busy-waits.
    pub polling: Weight,
}

impl FindingSide {
    /// The part of the weight that busy-waits, in percent.
    #[must_use]
    pub fn polling_pct(&self) -> f64 {
        if self.weight == Weight::ZERO { 0.0 } else { 100.0 * self.polling.as_f64() / self.weight.as_f64() }
    }
}

/// A setting that switches code of a finding.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct FindingSetting {
    /// Its name.
    pub name: String,
    /// Its values; `None` where a side's server does not know it.
    pub values: PerSide<Option<String>>,
    /// What it does.
    pub why: String,
}

impl FindingSetting {
    /// What to run After with to see what the setting changes: Before's value, or off if Before does not know the setting.
    #[must_use]
    pub fn value_to_try(&self) -> Option<&str> {
        match (&self.values.before, &self.values.after) {
            (Some(before), Some(_)) => Some(before),
            (None, Some(after)) if same_value(after, "ON") => Some("OFF"),
            _ => None,
        }
    }
}

/// One part of the change.
#[derive(Clone, PartialEq, Debug)]
pub struct Finding {
    /// Its place in the list, from 1.
    pub rank: usize,
    /// How its samples belong together.
    pub kind: FindingKind,
    /// The function; `caller -> callee` for an edge.
    pub name: String,
    /// Label of the function's object; empty if it has none.
    pub object: String,
    /// Part of the program.
    pub subsystem: Option<String>,
    /// On the base side.
    pub before: FindingSide,
    /// On the other side.
    pub after: FindingSide,
    /// 95 % interval of the change of share, in points.
    pub interval_pp: (f64, f64),
    /// 95 % interval of the change per operation, in the event's unit.
    pub interval_per_op: Option<(f64, f64)>,
    /// The smallest rate of false findings at which it is a finding; from the test of "no more than what all places have in
    /// common".
    pub q_value: f64,
    /// Its part of the change of cost per operation, in percent; `None` where that change is within noise.
    pub share_of_change_pct: Option<f64>,
    /// Functions at the leaves of its stacks, by size of change.
    pub members: Vec<FindingMember>,
    /// The work of the kernel in its stacks by reason, by size of change; `members` has the same by function.
    pub kernel: Vec<KernelPart>,
    /// Its callers, heaviest first: for functions that many call, for interrupted functions, and for code that only one side ran.
    pub callers: Vec<String>,
    /// Sides without samples in it whose run has its function elsewhere: it is not new, or not gone.
    pub elsewhere: PerSide<bool>,
    /// It is inlined in callers on one side and called on the other, so those callers' own code counts with it.
    pub with_callers: bool,
    /// Settings that differ between the sides and switch it; empty where settings are not known.
    pub settings: Vec<FindingSetting>,
}

/// The self weight of one function in a finding's stacks.
#[derive(Clone, PartialEq, Debug)]
pub struct FindingMember {
    /// Its name, as rows have it; empty for all that are not named.
    pub name: String,
    /// Label of its object.
    pub object: String,
    /// On the base side.
    pub before: FindingSide,
    /// On the other side.
    pub after: FindingSide,
}

/// The work of the kernel in a finding's stacks, for one reason.
#[derive(Clone, Copy, PartialEq, Debug)]
pub struct KernelPart {
    /// Why the kernel was entered.
    pub kind: KernelKind,
    /// On the base side.
    pub before: FindingSide,
    /// On the other side.
    pub after: FindingSide,
}

/// What no finding holds.
#[derive(Clone, Copy, PartialEq, Debug, Default)]
pub struct FindingsRest {
    /// On the base side.
    pub before: FindingSide,
    /// On the other side.
    pub after: FindingSide,
    /// The change of the share of an unchanged place: new over old.
    pub common_factor: f64,
    /// New over old cost per operation that three of four places reach: they changed by as much or more, the same way as the whole.
    /// `None` without operations, if few places were sampled well or they changed unlike each other, or if the whole change or that of
    /// the median place is within noise.
    pub common_cost_ratio: Option<f64>,
    /// Changes beyond noise that were too many to list.
    pub unlisted: usize,
    /// The sum of those changes without sign, in points.
    pub unlisted_pp: f64,
    /// The same of all changes beyond noise, listed or not.
    pub significant_pp: f64,
}

/// The work of the kernel for one caller and one reason.
#[derive(Clone, PartialEq, Debug)]
pub struct KernelWork {
    /// The function of the program that entered the kernel; `None` for interrupts, which strike anywhere, and where the
    /// callers were lost.
    pub caller: Option<String>,
    /// Label of its object; empty if there is no caller.
    pub object: String,
    /// Why the kernel was entered.
    pub kind: KernelKind,
    /// On the base side.
    pub before: FindingSide,
    /// On the other side.
    pub after: FindingSide,
    /// 95 % interval of the change of share, in points.
    pub interval_pp: (f64, f64),
    /// The smallest rate of false findings at which it is one; `None` if it was not tested.
    pub q_value: Option<f64>,
    /// Beyond noise, and large enough to matter.
    pub significant: bool,
    /// Functions of the kernel at the leaves of its stacks: the rows that it represents.
    pub functions: usize,
}

macro_rules! changes {
    ($of:ty) => {
        impl $of {
            /// One side.
            #[must_use]
            pub fn side(&self, side: pdiff_profile::Side) -> &FindingSide {
                match side {
                    pdiff_profile::Side::Before => &self.before,
                    pdiff_profile::Side::After => &self.after,
                }
            }

            /// Change of share, in points.
            #[must_use]
            pub fn delta_pp(&self) -> f64 {
                self.after.pct - self.before.pct
            }

            /// Change of weight per operation; `None` without operations.
            #[must_use]
            pub fn delta_per_op(&self) -> Option<f64> {
                Some(self.after.per_op? - self.before.per_op?)
            }
        }
    };
}

impl Finding {
    /// The reason for the work of the kernel that is half of the change or more; `None` where there is no such.
    #[must_use]
    pub fn main_kernel_work(&self) -> Option<KernelKind> {
        let delta = self.delta_per_op().unwrap_or(self.delta_pp());
        let change = |part: &KernelPart| part.delta_per_op().unwrap_or(part.delta_pp());
        let is_reason = |part: &&KernelPart| !matches!(part.kind, KernelKind::Other | KernelKind::Interrupts);
        let is_most =
            |part: &&KernelPart| change(part) * delta > 0.0 && change(part).abs() >= MAIN_PART * delta.abs();
        self.kernel.iter().filter(is_reason).find(is_most).map(|part| part.kind)
    }

    /// 95 % interval of its part of the change of cost per operation, in percent, as if that change were known exactly.
    #[must_use]
    pub fn share_of_change_interval(&self) -> Option<(f64, f64)> {
        let (low, high) = self.interval_per_op?;
        let scale = self.share_of_change_pct? / self.delta_per_op().filter(|delta| *delta != 0.0)?;
        let (a, b) = (low * scale, high * scale);
        Some((a.min(b), a.max(b)))
    }
}

impl Findings {
    /// The findings that a user means: by their place (`#1`), by their whole name, or by the function or the last parts
    /// of its name.
    #[must_use]
    pub fn named(&self, wanted: &str) -> Vec<&Finding> {
        let rank = wanted.strip_prefix('#').and_then(|rank| rank.parse::<usize>().ok());
        if let Some(rank) = rank {
            return self.list.iter().filter(|finding| finding.rank == rank).collect();
        }
        let is_it = |finding: &&Finding| {
            let function = finding.function();
            let is_last_part = function.strip_suffix(wanted).is_some_and(|head| head.ends_with("::"));
            finding.name == wanted || function == wanted || is_last_part
        };
        self.list.iter().filter(is_it).collect()
    }
}

impl Finding {
    /// The function that it is named by; of an edge the callee.
    #[must_use]
    pub fn function(&self) -> &str {
        self.name.rsplit(" -> ").next().unwrap_or(&self.name)
    }

    /// Whether it is named by a function of the program.
    #[must_use]
    pub fn is_function(&self) -> bool {
        !matches!(self.kind, FindingKind::Interrupts | FindingKind::NoCaller | FindingKind::Unresolved)
    }
}

changes!(Finding);
changes!(FindingMember);
changes!(FindingsRest);
changes!(KernelPart);
changes!(KernelWork);
