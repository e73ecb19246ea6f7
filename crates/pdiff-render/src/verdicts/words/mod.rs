//! Verdicts in words: reasons, limits, the facts behind them with their numbers, and what is missing for proof.

mod code_difference;
mod condition;
mod fact;
mod limit;
mod measure;
mod missing;
mod reason;

pub use fact::{fact_numbers, fact_text};
pub use limit::{limit_text, part_limit_text};
pub(crate) use measure::{column, measure};
pub use missing::missing_text;
pub use reason::reason_text;

use pdiff_analysis::classify::{Cause, Confidence, SettingValues, TimeOf};
use pdiff_analysis::{CostChange, CostExtent, OwnCostChange};
use pdiff_profile::{PerSide, Side};

/// A cause and how certain it is; once where both are the same word.
pub(crate) fn cause_text(cause: Cause, confidence: Confidence) -> String {
    let (cause, confidence) = (cause.as_str(), confidence.as_str());
    if cause == confidence { cause.to_owned() } else { format!("{cause}, {confidence}") }
}

/// What to put before the cause of a function of which one place changed so much: where that goes the other way, the cause is that of
/// all its places.
pub(crate) fn as_a_whole(cause: Cause, change: f64) -> &'static str {
    let grows = matches!(
        cause,
        Cause::Heavier
            | Cause::NewlyActive
            | Cause::MissingFastPath
            | Cause::MoreCalls
            | Cause::NewOverhead
            | Cause::InlineRegression
    );
    let shrinks = matches!(cause, Cause::Lighter | Cause::Gone | Cause::InlineGain);
    if (grows && change < 0.0) || (shrinks && change > 0.0) { "as a whole " } else { "" }
}

/// A change of cost with its interval.
fn cost(change: &CostChange) -> String {
    percent([change.pct, change.ci_low_pct, change.ci_high_pct])
}

/// What of that is its own, where it is more than noise.
fn own_cost(change: &CostChange) -> String {
    let own = change.own.filter(|_| change.extent == CostExtent::Own);
    let against = |own: OwnCostChange| {
        format!(", {} against the typical function", percent([own.pct, own.ci_low_pct, own.ci_high_pct]))
    };
    own.map_or_else(String::new, against)
}

fn percent([pct, low, high]: [Option<f64>; 3]) -> String {
    let pct = pct.map_or_else(|| "a change of unknown size".to_owned(), |pct| format!("{pct:+.0} %"));
    let interval =
        low.zip(high).map_or_else(String::new, |(low, high)| format!(" (95 % {low:+.0}..{high:+.0})"));
    pct + &interval
}

/// A setting and its values.
fn setting(of: &SettingValues) -> String {
    let shown = |value: &str| if value.is_empty() { "empty".to_owned() } else { value.to_owned() };
    match &of.values {
        PerSide { before: Some(before), after: Some(after) } => {
            format!("{} is {} before, {} after", of.name, shown(before), shown(after))
        }
        PerSide { before: one, after: other } => {
            let side = if one.is_some() { Side::Before } else { Side::After };
            let value = one.as_deref().or(other.as_deref()).unwrap_or_default();
            format!("{} is {} {side}; the other side has no such setting", of.name, shown(value))
        }
    }
}

/// How many times as often a function is called, and how its time changed: that of an operation, or its share.
fn calls_and_time(calls: f64, time: f64, time_of: TimeOf) -> String {
    let time = match time_of {
        TimeOf::Operation => format!("its time is {time:.2} times as much"),
        TimeOf::OperationBeyondTypical => {
            format!("its time is {time:.2} times as much, without what the typical function costs more")
        }
        TimeOf::Share => format!("its share of CPU is {time:.2} times what it was"),
    };
    format!("called {calls:.2} times as often per operation, {time}")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_place_that_goes_the_other_way_does_not_carry_the_cause_alone() {
        assert_eq!(as_a_whole(Cause::Heavier, -2.0), "as a whole ");
        assert_eq!(as_a_whole(Cause::Lighter, 2.0), "as a whole ");
        assert_eq!(as_a_whole(Cause::Heavier, 2.0), "");
        assert_eq!(as_a_whole(Cause::Split, -2.0), "");
    }
}
