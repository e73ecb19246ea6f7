//! A plan's predictions beside the measurements of its runs.

use super::attribution::Attribution;
use super::estimate::{Effect, Estimate};

/// What a plan predicted of a factor: changes of the gap, as the plan wrote them down.
#[derive(Clone, PartialEq, Debug)]
pub struct FactorForecast {
    /// The factor's name in the table of runs.
    pub name: String,
    /// The factor alone.
    pub alone: Predicted,
    /// Its average over all orders, where the plan has one.
    pub average: Option<Predicted>,
    /// The plan's doubts about its own prediction.
    pub doubts: Vec<String>,
}

/// One predicted change of the gap.
#[derive(Clone, Copy, PartialEq, Debug)]
pub struct Predicted {
    /// As ln(target / base) of throughput.
    pub log: Estimate,
    /// In points; `None` where the plan knew no throughput.
    pub points: Option<Estimate>,
}

/// How a prediction and a measurement agree.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Agreement {
    /// The measured value lies in the predicted interval.
    Covered,
    /// It lies outside, and the intervals meet.
    WithinNoise,
    /// The intervals do not meet.
    Disagrees,
}

impl Agreement {
    /// The stable text.
    #[must_use]
    pub fn as_str(self) -> &'static str {
        match self {
            Self::Covered => "covered",
            Self::WithinNoise => "within-noise",
            Self::Disagrees => "disagrees",
        }
    }

    fn of(predicted: &Estimate, measured: &Estimate) -> Option<Self> {
        let (low, high) = predicted.interval?;
        if (low..=high).contains(&measured.value) {
            return Some(Self::Covered);
        }
        let (from, to) = measured.interval.unwrap_or((measured.value, measured.value));
        Some(if from <= high && low <= to { Self::WithinNoise } else { Self::Disagrees })
    }
}

/// One prediction beside its measurement.
#[derive(Clone, PartialEq, Debug)]
pub struct ForecastRow {
    /// The factor.
    pub factor: usize,
    /// Whether it is the average over all orders; else the factor alone.
    pub is_average: bool,
    /// What was predicted.
    pub predicted: Predicted,
    /// What was measured.
    pub measured: Effect,
    /// Whether they agree: in points if the plan has them, else in logarithms; `None` without an interval.
    pub agreement: Option<Agreement>,
}

/// Predictions beside measurements.
#[derive(Clone, PartialEq, Debug, Default)]
pub struct Foretold {
    /// Averages over all orders first, then each factor alone.
    pub rows: Vec<ForecastRow>,
    /// The plan's doubts about its predictions: factor and words.
    pub doubts: Vec<(usize, String)>,
    /// Factors of the runs that the plan does not have.
    pub without: Vec<usize>,
}

/// Sets what a plan predicted beside what was measured.
#[must_use]
pub fn foretold(attribution: &Attribution, forecasts: &[FactorForecast]) -> Foretold {
    let mut of = Foretold::default();
    let names = attribution.factors.iter().map(|factor| factor.name.as_str()).enumerate();
    let known: Vec<(usize, Option<&FactorForecast>)> =
        names.map(|(at, name)| (at, forecasts.iter().find(|forecast| forecast.name == name))).collect();
    let averages = attribution.shapley.iter().flat_map(|shapley| &shapley.values);
    for (factor, measured) in averages {
        let forecast = known.get(*factor).and_then(|(_, forecast)| *forecast);
        if let Some(predicted) = forecast.and_then(|forecast| forecast.average) {
            of.rows.push(row(*factor, true, predicted, *measured));
        }
    }
    for step in &attribution.independent {
        let forecast = known.get(step.factor).and_then(|(_, forecast)| *forecast);
        if let Some((forecast, measured)) = forecast.zip(step.effect) {
            of.rows.push(row(step.factor, false, forecast.alone, measured));
        }
    }
    for (factor, forecast) in known {
        match forecast {
            None => of.without.push(factor),
            Some(forecast) => of.doubts.extend(forecast.doubts.iter().map(|doubt| (factor, doubt.clone()))),
        }
    }
    of
}

fn row(factor: usize, is_average: bool, predicted: Predicted, measured: Effect) -> ForecastRow {
    let agreement = match &predicted.points {
        Some(points) => Agreement::of(points, &measured.points),
        None => Agreement::of(&predicted.log, &measured.log),
    };
    ForecastRow { factor, is_average, predicted, measured, agreement }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_value_in_the_interval_is_covered_and_intervals_that_meet_agree_within_noise() {
        let predicted = Estimate { value: 10.0, interval: Some((5.0, 15.0)) };
        let check = |value: f64, interval: Option<(f64, f64)>, expected: Agreement| {
            assert_eq!(Agreement::of(&predicted, &Estimate { value, interval }), Some(expected));
        };
        check(6.0, None, Agreement::Covered);
        check(20.0, Some((14.0, 26.0)), Agreement::WithinNoise);
        check(20.0, Some((16.0, 26.0)), Agreement::Disagrees);
        check(20.0, None, Agreement::Disagrees);
    }
}
