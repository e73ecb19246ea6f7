//! An attribution as CSV: one line per factor, in order; unknown values are empty.

use pdiff_study::ablation::{Effect, Estimate};

use crate::attribution::view::AttributionView;
use crate::error::Error;
use crate::files::column::Column;
use crate::files::written_bytes::{csv_lines, numbers};

/// The factors as CSV.
///
/// # Errors
/// Returns an error if serialisation fails.
pub fn attribution_csv(view: &AttributionView<'_>) -> Result<Vec<u8>, Error> {
    let of = view.attribution;
    let factors: Vec<usize> = of.independent.iter().map(|step| step.factor).collect();
    let alone = |factor: usize| of.independent.iter().find(|step| step.factor == factor);
    let placed = |factor: usize| of.cumulative.iter().find(|step| step.factor == factor);
    let shapley = |factor: usize| {
        let values = &of.shapley.as_ref()?.values;
        values.iter().find(|(of, _)| *of == factor).map(|(_, effect)| *effect)
    };
    let range = |factor: usize| of.ranges.iter().find(|range| range.factor == factor);
    let names: Vec<&str> = factors.iter().map(|factor| view.name(*factor)).collect();
    let mut columns = vec![Column::new("factor".into(), names)];
    let mut push = |name: String, value: &dyn Fn(usize) -> Option<f64>| {
        columns.push(numbers(&name, factors.iter().map(|factor| value(*factor))));
    };
    let metric = of.metric;
    push("alone_before".into(), &|f| Some(metric.from_throughput(alone(f)?.gap?.before)));
    push("alone_after".into(), &|f| Some(metric.from_throughput(alone(f)?.gap?.after)));
    push("alone_gap_pct".into(), &|f| Some(alone(f)?.gap?.pct.value));
    push_effect(&mut push, "alone", &|f| alone(f)?.effect);
    push("place_before".into(), &|f| Some(metric.from_throughput(placed(f)?.gap?.before)));
    push("place_after".into(), &|f| Some(metric.from_throughput(placed(f)?.gap?.after)));
    push("place_gap_pct".into(), &|f| Some(placed(f)?.gap?.pct.value));
    push_effect(&mut push, "place", &|f| placed(f)?.effect);
    push_effect(&mut push, "shapley", &shapley);
    push("min_pp".into(), &|f| Some(range(f)?.low.1.points.value));
    push("max_pp".into(), &|f| Some(range(f)?.high.1.points.value));
    push("contexts".into(), &|f| Some(range(f)?.contexts as f64));
    csv_lines(of.independent.len(), columns)
}

fn push_effect(
    push: &mut impl FnMut(String, &dyn Fn(usize) -> Option<f64>),
    name: &str,
    effect: &dyn Fn(usize) -> Option<Effect>,
) {
    type Part = (&'static str, fn(&Effect) -> &Estimate);
    let parts: [Part; 2] = [("pp", |effect| &effect.points), ("log", |effect| &effect.log)];
    for (unit, part) in parts {
        push(format!("{name}_{unit}"), &|f| Some(part(&effect(f)?).value));
        push(format!("{name}_ci_low_{unit}"), &|f| Some(part(&effect(f)?).interval?.0));
        push(format!("{name}_ci_high_{unit}"), &|f| Some(part(&effect(f)?).interval?.1));
    }
}
