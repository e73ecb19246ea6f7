//! An attribution as JSON, schema version 1. Every number is given in full.

use pdiff_profile::PerSide;
use pdiff_study::Setting;
use pdiff_study::ablation::{
    Compared, Effect, Estimate, ForecastRow, Foretold, FractionAverage, GapAt, Interaction, Masking, Meeting,
    MeetingRow, NoiseSource, Range, Scale, Step,
};
use serde_json::{Map, Value, json};

use crate::attribution::view::AttributionView;
use crate::compare::json_shape::SCHEMA_VERSION;
use crate::error::Error;
use crate::files::written_bytes::json_indented;

/// The attribution as one JSON object; `docs/json.md` names every key.
///
/// # Errors
/// Returns an error if serialisation fails.
pub fn attribution_json(view: &AttributionView<'_>) -> Result<Vec<u8>, Error> {
    json_indented(&attribution_value(view))
}

/// The same as a value, to be embedded.
pub(crate) fn attribution_value(view: &AttributionView<'_>) -> Value {
    let of = view.attribution;
    let mut report = json!({
        "schema_version": SCHEMA_VERSION,
        "metric": of.metric.as_str(),
        "base": of.base,
        "target": of.target,
        "factors": of.factors.iter().map(|factor| json!({
            "name": factor.name,
            "in_base": factor.in_base,
            "in_target": factor.in_target,
            "restart": factor.restart,
            "from_baseline": factor.from_baseline,
        })).collect::<Vec<_>>(),
        "design": {
            "runs": of.design.runs,
            "base_cells": of.design.cells.0,
            "target_cells": of.design.cells.1,
            "settings": of.design.settings,
            "possible_settings": of.design.possible,
            "has_path": of.design.has_path,
            "has_each_alone": of.design.has_each_alone,
            "full_factorial": of.design.is_full && of.design.settings == of.design.possible,
        },
        "noise": noise(view, &of.noise),
        "baseline": of.baseline.as_ref().map(|gap| gap_value(view, gap)),
        "end": of.end.as_ref().map(|gap| gap_value(view, gap)),
        "cumulative": steps(view, &of.cumulative, true),
        "independent": steps(view, &of.independent, false),
        "fraction": of.fraction.iter().map(|one| fraction(view, one)).collect::<Vec<_>>(),
        "ranges": of.ranges.iter().map(|one| range(view, one)).collect::<Vec<_>>(),
        "interactions": of.interactions.iter().map(|one| interaction(view, one)).collect::<Vec<_>>(),
        "sum_pp": of.together.as_ref().map(|together| together.sum.points.value),
        "sum_log": of.together.as_ref().map(|together| together.sum.log.value),
        "interaction_pp": of.together.as_ref().map(|together| together.interaction.points.value),
        "interaction_log": of.together.as_ref().map(|together| together.interaction.log.value),
        "interaction_scale_dependent": of.together.as_ref().map(|together| together.scale == Scale::Dependent),
        "unexplained_end_gap_pp": of.end.as_ref().map(|end| -end.pct.value),
        "total_gap_pct": of.baseline.as_ref().map(|gap| gap.pct.value),
        "builds": of.builds.iter().map(|one| json!({
            "factor": view.name(one.factor),
            "alone": both(&one.alone),
            "at_place": both(&one.at_place),
            "overall": both(&one.overall),
        })).collect::<Vec<_>>(),
        "masking": of.masking.iter().map(|one| masking(view, one)).collect::<Vec<_>>(),
        "missing": of.missing.iter().map(|run| json!({
            "build": run.build, "setting": run.setting, "needed_for": run.needed_for.as_str(),
        })).collect::<Vec<_>>(),
        "missing_count": of.missing_count,
    });
    if let Some(averages) = &of.shapley {
        let values = averages.values.iter().map(|value| shapley(view, value));
        report["shapley"] = json!(values.collect::<Vec<_>>());
    }
    if let Some(meeting) = view.meeting {
        report["profiles"] = profiles(view, meeting);
    }
    if let Some(of) = view.foretold {
        report["predicted"] = foretold(view, of);
    }
    report
}

fn foretold(view: &AttributionView<'_>, of: &Foretold) -> Value {
    let row = |row: &ForecastRow| {
        json!({
            "factor": view.name(row.factor),
            "effect": if row.is_average { "average" } else { "alone" },
            "predicted_log": log(&row.predicted.log),
            "predicted_pp": row.predicted.points.map(|points| points.value),
            "predicted_ci_pp": row.predicted.points.and_then(|points| points.interval).map(|(low, high)| [low, high]),
            "measured": effect_value(&row.measured),
            "agreement": row.agreement.map(|agreement| agreement.as_str()),
        })
    };
    json!({
        "rows": of.rows.iter().map(row).collect::<Vec<_>>(),
        "doubts": of.doubts.iter().map(|(factor, doubt)| json!({
            "factor": view.name(*factor), "doubt": doubt,
        })).collect::<Vec<_>>(),
        "without": of.without.iter().map(|factor| view.name(*factor)).collect::<Vec<_>>(),
    })
}

fn fraction(view: &AttributionView<'_>, of: &FractionAverage) -> Map<String, Value> {
    let pair = |(a, b): &(usize, usize)| json!([view.name(*a), view.name(*b)]);
    let mut value = effect_value(&of.effect);
    value.insert("factor".into(), json!(view.name(of.factor)));
    value.insert("settings".into(), json!(of.settings));
    value.insert("aliases".into(), json!(of.aliases.iter().map(pair).collect::<Vec<_>>()));
    value
}

fn range(view: &AttributionView<'_>, of: &Range) -> Value {
    json!({
        "factor": view.name(of.factor),
        "contexts": of.contexts,
        "min_pp": of.low.1.points.value,
        "max_pp": of.high.1.points.value,
        "sign": of.sign.as_str(),
        "min": conditional(view, &of.low),
        "max": conditional(view, &of.high),
    })
}

fn interaction(view: &AttributionView<'_>, of: &Interaction) -> Map<String, Value> {
    let mut value = effect_value(&of.effect);
    value.insert("factors".into(), json!([view.name(of.factors.0), view.name(of.factors.1)]));
    value.insert("contexts".into(), json!(of.contexts));
    value.insert("scale_dependent".into(), json!(of.scale == Scale::Dependent));
    value.insert("at_baseline".into(), json!(of.at_baseline.as_ref().map(effect_value)));
    value
}

fn masking(view: &AttributionView<'_>, of: &Masking) -> Value {
    json!({
        "factor": view.name(of.factor),
        "ceiling": view.name(of.ceiling),
        "contexts": of.contexts.iter().map(|setting| names(view, *setting)).collect::<Vec<_>>(),
        "as_it_was": effect_value(&of.under),
        "changed": effect_value(&of.lifted),
        "difference": effect_value(&of.difference),
        "target_as_it_was": of.of_target[0].as_ref().map(percent),
        "target_changed": of.of_target[1].as_ref().map(percent),
        "claimed": of.difference.log.is_beyond_noise(),
    })
}

fn shapley(view: &AttributionView<'_>, (factor, effect): &(usize, Effect)) -> Map<String, Value> {
    let range = view.attribution.ranges.iter().find(|range| range.factor == *factor);
    let within_noise = effect.log.interval.map(|_| effect.log.is_within_noise());
    let mut value = effect_value(effect);
    value.insert("factor".into(), json!(view.name(*factor)));
    value.insert("min_pp".into(), json!(range.map(|range| range.low.1.points.value)));
    value.insert("max_pp".into(), json!(range.map(|range| range.high.1.points.value)));
    value.insert("within_noise".into(), json!(within_noise));
    value.insert("sign".into(), json!(range.map(|range| range.sign.as_str())));
    value
}

fn profiles(view: &AttributionView<'_>, meeting: &Meeting) -> Value {
    let row = |row: &MeetingRow| {
        json!({
            "factor": view.name(row.factor),
            "subsystem": row.subsystem,
            "measured": effect_value(&row.measured),
            "compared": match row.compared { Compared::Cost => "cost", Compared::Throughput => "throughput" },
            "before_total_pct": row.total_pct.before,
            "after_total_pct": row.total_pct.after,
            "profile_log": log(&row.profile_log),
            "profile_pp": row.profile_points,
            "difference_log": log(&row.difference),
        })
    };
    json!({
        "before": meeting.labels.before,
        "after": meeting.labels.after,
        "before_spin_pct": meeting.spin_pct.before,
        "after_spin_pct": meeting.spin_pct.after,
        "rows": meeting.rows.iter().map(row).collect::<Vec<_>>(),
        "without_subsystem": meeting.without.iter().map(|factor| view.name(*factor)).collect::<Vec<_>>(),
        "without_row": meeting.untold.iter().map(|factor| view.name(*factor)).collect::<Vec<_>>(),
    })
}

fn names(view: &AttributionView<'_>, setting: Setting) -> Vec<String> {
    setting.factors().map(|factor| view.name(factor).to_owned()).collect()
}

fn conditional(view: &AttributionView<'_>, (setting, effect): &(Setting, Effect)) -> Map<String, Value> {
    let mut value = effect_value(effect);
    value.insert("with".into(), json!(names(view, *setting)));
    value
}

fn noise(view: &AttributionView<'_>, source: &NoiseSource) -> Value {
    match source {
        NoiseSource::None => Value::Null,
        NoiseSource::Pooled { sd, df, plots, blocks, left_out, weighted, sd_of_builds, unnamed_restart } => {
            json!({
                "sd_log": sd,
                "df": df,
                "restart_sd_log": plots.map(|plots| plots.sd),
                "restart_df": plots.map(|plots| plots.df),
                "blocks": blocks,
                "left_out_repeats": left_out,
                "weighted": weighted,
                "base_sd_log": sd_of_builds.map(|of| of.before),
                "target_sd_log": sd_of_builds.map(|of| of.after),
                "undeclared_restart": names(view, *unnamed_restart),
            })
        }
    }
}

fn gap_value(view: &AttributionView<'_>, gap: &GapAt) -> Map<String, Value> {
    let metric = view.attribution.metric;
    let mut value = Map::new();
    value.insert("before".into(), json!(metric.from_throughput(gap.before)));
    value.insert("after".into(), json!(metric.from_throughput(gap.after)));
    value.insert("gap_pct".into(), json!(gap.pct.value));
    put_bounds(&mut value, &gap.pct, "gap_ci_low_pct", "gap_ci_high_pct");
    value
}

fn steps(view: &AttributionView<'_>, steps: &[Step], numbered: bool) -> Vec<Map<String, Value>> {
    let step = |(at, step): (usize, &Step)| {
        let mut value = Map::new();
        if numbered {
            value.insert("step".into(), json!(at + 1));
        }
        value.insert("factor".into(), json!(view.name(step.factor)));
        match &step.gap {
            Some(gap) => value.extend(gap_value(view, gap)),
            None => ["before", "after", "gap_pct"].into_iter().for_each(|key| {
                value.insert(key.into(), Value::Null);
            }),
        }
        match &step.effect {
            Some(effect) => value.extend(effect_value(effect)),
            None => {
                value.insert("attribution_pp".into(), Value::Null);
            }
        }
        value
    };
    steps.iter().enumerate().map(step).collect()
}

fn effect_value(effect: &Effect) -> Map<String, Value> {
    let mut value = Map::new();
    value.insert("attribution_pp".into(), json!(effect.points.value));
    put_bounds(&mut value, &effect.points, "ci_low", "ci_high");
    value.insert("attribution_log".into(), json!(effect.log.value));
    put_bounds(&mut value, &effect.log, "ci_low_log", "ci_high_log");
    if let (Some(cost), Some(utilisation)) = (&effect.cost_log, &effect.utilisation_log) {
        value.insert("cost_log".into(), json!(cost.value));
        value.insert("utilisation_log".into(), json!(utilisation.value));
    }
    value
}

fn put_bounds(value: &mut Map<String, Value>, estimate: &Estimate, low: &str, high: &str) {
    if let Some((from, to)) = estimate.interval {
        value.insert(low.into(), json!(from));
        value.insert(high.into(), json!(to));
    }
}

fn percent(estimate: &Estimate) -> Map<String, Value> {
    let mut value = Map::new();
    value.insert("change_pct".into(), json!(estimate.value));
    put_bounds(&mut value, estimate, "ci_low_pct", "ci_high_pct");
    value
}

fn log(estimate: &Estimate) -> Map<String, Value> {
    let mut value = Map::new();
    value.insert("value".into(), json!(estimate.value));
    put_bounds(&mut value, estimate, "ci_low", "ci_high");
    value
}

fn both(estimates: &PerSide<Option<Estimate>>) -> Value {
    json!({ "base": estimates.before.as_ref().map(percent), "target": estimates.after.as_ref().map(percent) })
}
