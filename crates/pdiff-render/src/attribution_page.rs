//! An attribution for readers: what was measured, each factor alone and at its place, averages over orders, and what
//! could not be told.

use pdiff_analysis::ablation::{
    Attribution, BuildEffect, Compared, Effect, Estimate, FractionAverage, GapAt, Interaction, Masking,
    Meeting, Need, NoiseSource, Range, Scale, Shapley, Step,
};
use pdiff_profile::Setting;

use crate::attribution_columns::{RankedColumns, change_cell};
use crate::attribution_view::{AttributionView, bounds, noise_words, sign_words, together_words, value};
use crate::number::{NONE, fixed, grouped, signed};
use crate::page::{Align, Block, GridCell, Line, Tone, apart};
use crate::table::readable_width;
use crate::{markdown, table};

/// Places of points and percents.
const PLACES: usize = 1;

/// Places of logarithms.
const LOG_PLACES: usize = 3;

/// Missing runs named in a table; JSON has more.
const MOST_MISSING: usize = 8;

/// The attribution as tables for a terminal. Names are made safe to show, and columns go where room lacks.
#[must_use]
pub fn attribution_table(view: &AttributionView<'_>, width: Option<usize>, color: bool) -> String {
    let width = readable_width(width);
    table::draw(&page(view, width), width, color)
}

/// The attribution as markdown.
#[must_use]
pub fn attribution_markdown(view: &AttributionView<'_>) -> String {
    markdown::draw(&page(view, None))
}

/// Everything, as blocks.
pub(crate) fn page(view: &AttributionView<'_>, width: Option<usize>) -> Vec<Block> {
    apart([
        heading(view),
        cumulative(view, width),
        independent(view, width),
        side_by_side(view, width),
        averages(view, width),
        interactions(view, width),
        builds(view, width),
        masking(view, width),
        view.meeting.map_or_else(Vec::new, |meeting| meeting_blocks(view, meeting, width)),
        closing(view),
    ])
}

fn heading(view: &AttributionView<'_>) -> Vec<Block> {
    let of = view.attribution;
    let order = if view.chosen { "" } else { ", in order of their names; --base and --target choose" };
    let mut blocks = vec![
        Line::block(
            "runs",
            format!("{}: {} runs; base {}, target {}{order}", of.path, of.design.runs, of.base, of.target),
        ),
        Line::block("design", design_words(of)),
        Line::block("noise", noise_text(of)),
    ];
    for (label, what, gap) in
        [("gap", "with nothing changed", &of.baseline), ("end", "with every factor changed", &of.end)]
    {
        let text = match gap {
            Some(gap) => format!("{}: {}", what, gap_text(of, gap)),
            None => format!("{what}: not measured"),
        };
        blocks.push(Line::toned(label, text, Tone::Strong));
    }
    blocks
}

/// A gap in percent, with its interval and the throughputs.
pub(crate) fn gap_text(of: &Attribution, gap: &GapAt) -> String {
    let interval = match gap.pct.interval {
        Some(_) => format!(" (95 % {})", bounds(&gap.pct, PLACES)),
        None => String::new(),
    };
    let noise = if gap.pct.is_within_noise() { ", within noise" } else { "" };
    format!(
        "{} %{interval}{noise}; {} {} -> {} {}",
        value(&gap.pct, PLACES),
        of.base,
        metric(of, gap.before),
        metric(of, gap.after),
        of.metric
    )
}

fn metric(of: &Attribution, throughput: f64) -> String {
    let measured = of.metric.from_throughput(throughput);
    match measured {
        _ if !(1e-3..1e15).contains(&measured) => format!("{measured:.3e}"),
        _ if measured >= 1000.0 => grouped(measured.round() as u64),
        _ => fixed(measured, 3),
    }
}

fn design_words(of: &Attribution) -> String {
    let design = &of.design;
    let kind = match (
        design.is_full && design.settings == design.possible,
        design.has_path,
        design.has_each_alone,
    ) {
        (true, _, _) => "full factorial",
        (false, true, true) => "cumulative path and each factor alone",
        (false, true, false) => "cumulative path",
        (false, false, true) => "each factor alone",
        (false, false, false) => "part of a factorial",
    };
    let mut text = format!(
        "{kind}: {} cells of {}, {} of {}; both builds under {} of {} settings",
        design.cells.0, of.base, design.cells.1, of.target, design.settings, design.possible
    );
    for factor in &of.factors {
        if !(factor.in_base && factor.in_target) {
            let has = if factor.in_base { &of.base } else { &of.target };
            text.push_str(&format!("; {} in {has} only", factor.name));
        }
    }
    text
}

fn noise_text(of: &Attribution) -> String {
    match &of.noise {
        NoiseSource::None => {
            "one run a cell: no intervals, and nothing is said of noise; hint: repeat the runs (--columns replicate=NAME)"
                .to_owned()
        }
        NoiseSource::Pooled { sd, df, plots, blocks, left_out } => {
            let mut text =
                format!("log throughput varies by {} between runs of a cell ({df:.0} degrees of freedom)", fixed(*sd, 3));
            match (plots, of.factors.iter().any(|factor| factor.restart)) {
                (Some(plots), _) => {
                    let names: Vec<&str> =
                        of.factors.iter().filter(|factor| factor.restart).map(|factor| factor.name.as_str()).collect();
                    text.push_str(&format!(
                        ", and by {} more between restarts ({}; {:.0})",
                        fixed(plots.sd, 3),
                        names.join(", "),
                        plots.df
                    ));
                }
                (None, true) => text.push_str("; restarts cannot be told from runs here: intervals may be too narrow"),
                (None, false) => text.push_str("; runs are taken as independent, see --restart"),
            }
            match blocks {
                Some(blocks) => text.push_str(&format!("; {blocks} repeats as blocks")),
                None => text.push_str("; cells have different repeats, which are no blocks"),
            }
            if !left_out.is_empty() {
                text.push_str(&format!("; left out, as some cell lacks it: repeat {}", left_out.join(", ")));
            }
            text
        }
    }
}

fn step_columns(view: &AttributionView<'_>, steps: &[Step], names: Vec<String>) -> RankedColumns {
    let of = view.attribution;
    let mut columns = RankedColumns::default();
    columns.names(["", "factor"], names);
    let gaps = || steps.iter().map(|step| step.gap.as_ref());
    let number =
        |gap: Option<&GapAt>, text: &dyn Fn(&GapAt) -> String| gap.map_or_else(|| NONE.to_owned(), text);
    columns.numbers(
        2,
        [&of.base, of.metric.as_str()],
        gaps().map(|gap| number(gap, &|gap| metric(of, gap.before))),
    );
    columns.numbers(
        2,
        [&of.target, of.metric.as_str()],
        gaps().map(|gap| number(gap, &|gap| metric(of, gap.after))),
    );
    columns.numbers(0, ["gap", "%"], gaps().map(|gap| number(gap, &|gap| value(&gap.pct, PLACES))));
    push_effect(&mut columns, steps);
    columns
}

fn push_effect(columns: &mut RankedColumns, steps: &[Step]) {
    let points = |step: &Step| step.effect.map(|effect| effect.points);
    columns.push(
        0,
        ["change", "points"],
        Align::Right,
        steps.iter().map(|step| estimate_cell(points(step))).collect(),
    );
    columns.numbers(
        1,
        ["", "95 %"],
        steps.iter().map(|step| points(step).map_or_else(String::new, |p| bounds(&p, PLACES))),
    );
}

fn estimate_cell(estimate: Option<Estimate>) -> GridCell {
    match estimate {
        Some(estimate) => change_cell(value(&estimate, PLACES), estimate.value, estimate.is_beyond_noise()),
        None => GridCell::plain(NONE),
    }
}

fn cumulative(view: &AttributionView<'_>, width: Option<usize>) -> Vec<Block> {
    let of = view.attribution;
    let steps = &of.cumulative;
    let names = steps.iter().map(|step| view.name_and_build(step.factor)).collect();
    let mut columns = step_columns(view, steps, names);
    columns.words(
        3,
        ["", "remark"],
        steps.iter().map(|step| step.effect.as_ref().map_or("not measured", noise_words).to_owned()),
    );
    let text =
        format!("one after the other, each at its place in this order; + is in favour of {}", of.target);
    vec![Line::toned("in order", text, Tone::Strong), columns.grid(width, 0)]
}

fn independent(view: &AttributionView<'_>, width: Option<usize>) -> Vec<Block> {
    let of = view.attribution;
    let steps = &of.independent;
    let names = steps.iter().map(|step| view.name_and_build(step.factor)).collect();
    let mut columns = step_columns(view, steps, names);
    columns.words(
        3,
        ["", "remark"],
        steps.iter().map(|step| step.effect.as_ref().map_or("not measured", noise_words).to_owned()),
    );
    vec![
        Line::toned("alone", "each factor alone, from the same baseline", Tone::Strong),
        columns.grid(width, 0),
    ]
}

fn side_by_side(view: &AttributionView<'_>, width: Option<usize>) -> Vec<Block> {
    let of = view.attribution;
    let pairs = || of.independent.iter().zip(&of.cumulative);
    let mut columns = RankedColumns::default();
    columns.names(["", "factor"], pairs().map(|(step, _)| view.name(step.factor).to_owned()));
    let points = |step: &Step| step.effect.map(|effect| effect.points);
    columns.push(
        0,
        ["", "alone"],
        Align::Right,
        pairs().map(|(alone, _)| estimate_cell(points(alone))).collect(),
    );
    columns.push(
        0,
        ["at its place", "in this order"],
        Align::Right,
        pairs().map(|(_, placed)| estimate_cell(points(placed))).collect(),
    );
    columns.numbers(0, ["place", "/ alone"], pairs().map(|(alone, placed)| ratio(alone, placed)));
    let ranges = || pairs().map(|(step, _)| of.ranges.iter().find(|range| range.factor == step.factor));
    let least = |range: Option<&Range>| {
        range.map_or_else(|| NONE.to_owned(), |range| value(&range.low.1.points, PLACES))
    };
    let most = |range: Option<&Range>| {
        range.map_or_else(|| NONE.to_owned(), |range| value(&range.high.1.points, PLACES))
    };
    columns.numbers(1, ["least", "measured"], ranges().map(least));
    columns.numbers(1, ["most", "measured"], ranges().map(most));
    columns.numbers(
        2,
        ["under so many", "settings"],
        ranges().map(|range| range.map_or_else(|| "0".to_owned(), |range| range.contexts.to_string())),
    );
    columns.words(
        1,
        ["", "remark"],
        pairs().zip(ranges()).map(|((alone, placed), range)| {
            let sign = range.map_or("", |range| sign_words(range.sign));
            match (alone.effect, placed.effect) {
                (None, Some(_)) => {
                    join(&[&format!("conditional: only with {}", view.setting(placed.from)), sign])
                }
                (Some(_), Some(_)) if alone.from == placed.from => join(&["same cell", sign]),
                _ => sign.to_owned(),
            }
        }),
    );
    let mut blocks = vec![
        Line::toned("both", "alone, and at its place in this order, in points", Tone::Strong),
        columns.grid(width, 0),
    ];
    blocks.extend(conditional_effects(view));
    blocks.extend(together(view));
    blocks
}

fn join(words: &[&str]) -> String {
    words.iter().filter(|word| !word.is_empty()).copied().collect::<Vec<_>>().join("; ")
}

fn ratio(alone: &Step, placed: &Step) -> String {
    match (alone.effect, placed.effect) {
        (Some(_), Some(_)) if alone.from == placed.from => "1.0x".to_owned(),
        (Some(alone), Some(placed)) if !alone.points.is_within_noise() && alone.points.value != 0.0 => {
            format!("{}x", fixed(placed.points.value / alone.points.value, 1))
        }
        _ => NONE.to_owned(),
    }
}

/// Where a factor's sign is not the same everywhere: its extremes, and where they were measured.
fn conditional_effects(view: &AttributionView<'_>) -> Vec<Block> {
    let ranges = view.attribution.ranges.iter().filter(|range| !sign_words(range.sign).is_empty());
    let line = |range: &Range| {
        let one = |(setting, effect): &(Setting, Effect)| {
            let interval = bounds(&effect.points, PLACES);
            let interval = if interval.is_empty() { interval } else { format!(" ({interval})") };
            format!(
                "{} points{interval} with {} changed",
                value(&effect.points, PLACES),
                view.setting(*setting)
            )
        };
        let text = format!(
            "{}: {}: from {} to {}",
            view.name(range.factor),
            sign_words(range.sign),
            one(&range.low),
            one(&range.high)
        );
        Line::block("sign", text)
    };
    ranges.map(line).collect()
}

fn together(view: &AttributionView<'_>) -> Vec<Block> {
    let of = view.attribution;
    let (Some(together), Some(baseline), Some(end)) = (&of.together, &of.baseline, &of.end) else {
        return vec![Line::block("sum", "not known: the whole path and every factor by itself are needed")];
    };
    let own = if together.at_place.is_empty() {
        "the factors alone".to_owned()
    } else {
        let names: Vec<&str> = together.at_place.iter().map(|factor| view.name(*factor)).collect();
        format!("the factors alone ({} at its place)", names.join(", "))
    };
    let interval = |estimate: &Estimate| match estimate.interval {
        Some(_) => format!(" (95 % {})", bounds(estimate, PLACES)),
        None => String::new(),
    };
    let scale = match together.scale {
        Scale::Dependent => "scale-dependent: its sign differs in logarithms",
        Scale::Agrees if together.interaction.log.is_within_noise() => "within noise",
        Scale::Agrees => "the same sign in logarithms",
    };
    vec![Line::block(
        "sum",
        format!(
            "{own} {}, interaction {}{} ({scale}: ln {}), not explained at the end {}: together {}, the gap of {} %",
            value(&together.sum.points, PLACES),
            value(&together.interaction.points, PLACES),
            interval(&together.interaction.points),
            signed(together.interaction.log.value, LOG_PLACES),
            signed(-end.pct.value, PLACES),
            signed(-baseline.pct.value, PLACES),
            value(&baseline.pct, PLACES),
        ),
    )]
}

fn averages(view: &AttributionView<'_>, width: Option<usize>) -> Vec<Block> {
    let of = view.attribution;
    let Some(shapley) = &of.shapley else {
        let text = "no average over orders: it needs every setting of the factors to be measured; the range over what was measured stands above";
        let mut blocks = vec![Line::block("orders", text)];
        blocks.extend(fraction(view, width));
        return blocks;
    };
    let mut text = format!("averages over all orders of {} factors (Shapley values)", shapley.core.count());
    let left: Vec<&str> = (0..of.factors.len())
        .filter(|factor| !shapley.core.has(*factor))
        .map(|factor| view.name(factor))
        .collect();
    if !left.is_empty() {
        text.push_str(&format!("; conditional, and not in it: {}", left.join(", ")));
    }
    vec![Line::toned("orders", text, Tone::Strong), shapley_grid(view, shapley, width)]
}

/// Averages from a fraction of a factorial, and what they cannot be told from.
fn fraction(view: &AttributionView<'_>, width: Option<usize>) -> Vec<Block> {
    let rows = &view.attribution.fraction;
    let Some(first) = rows.first() else { return Vec::new() };
    let mut columns = RankedColumns::default();
    columns.names(["", "factor"], rows.iter().map(|row| view.name_and_build(row.factor)));
    columns.push(
        0,
        ["", "points"],
        Align::Right,
        rows.iter().map(|row| estimate_cell(Some(row.effect.points))).collect(),
    );
    columns.numbers(1, ["points", "95 %"], rows.iter().map(|row| bounds(&row.effect.points, PLACES)));
    columns.numbers(2, ["", "ln"], rows.iter().map(|row| value(&row.effect.log, LOG_PLACES)));
    let aliases = |row: &FractionAverage| {
        let pairs: Vec<String> =
            row.aliases.iter().map(|(a, b)| format!("{} x {}", view.name(*a), view.name(*b))).collect();
        let told = if pairs.is_empty() {
            String::new()
        } else {
            format!("cannot be told from {}", pairs.join(", "))
        };
        join(&[noise_words(&row.effect), &told])
    };
    columns.words(1, ["", "remark"], rows.iter().map(aliases));
    let text = format!(
        "mean over the {} settings measured with the factor changed less the mean without; interactions of three and more factors are taken as none",
        first.settings
    );
    vec![Line::toned("fraction", text, Tone::Strong), columns.grid(width, 0)]
}

fn shapley_grid(view: &AttributionView<'_>, shapley: &Shapley, width: Option<usize>) -> Block {
    let of = view.attribution;
    let effects = || shapley.values.iter().map(|(_, effect)| effect).chain(std::iter::once(&shapley.total));
    let mut columns = RankedColumns::default();
    let names = shapley.values.iter().map(|(factor, _)| view.name_and_build(*factor));
    columns.names(["", "factor"], names.chain(std::iter::once("TOTAL".to_owned())));
    columns.push(
        0,
        ["", "points"],
        Align::Right,
        effects().map(|effect| estimate_cell(Some(effect.points))).collect(),
    );
    columns.numbers(1, ["points", "95 %"], effects().map(|effect| bounds(&effect.points, PLACES)));
    columns.numbers(2, ["", "ln"], effects().map(|effect| value(&effect.log, LOG_PLACES)));
    columns.numbers(3, ["ln", "95 %"], effects().map(|effect| bounds(&effect.log, LOG_PLACES)));
    if effects().any(|effect| effect.cost_log.is_some()) {
        let part = |part: Option<Estimate>| part.map_or_else(String::new, |part| value(&part, LOG_PLACES));
        columns.numbers(4, ["ln by CPU", "per op"], effects().map(|effect| part(effect.cost_log)));
        columns.numbers(4, ["ln by CPU", "in use"], effects().map(|effect| part(effect.utilisation_log)));
    }
    let remark = |factor: Option<usize>| {
        factor
            .and_then(|factor| of.ranges.iter().find(|range| range.factor == factor))
            .map_or("", |range| sign_words(range.sign))
    };
    let factors = shapley.values.iter().map(|(factor, _)| Some(*factor)).chain(std::iter::once(None));
    columns.words(
        2,
        ["", "remark"],
        effects().zip(factors).map(|(effect, factor)| join(&[noise_words(effect), remark(factor)])),
    );
    columns.grid(width, 1)
}

fn interactions(view: &AttributionView<'_>, width: Option<usize>) -> Vec<Block> {
    let found = &view.attribution.interactions;
    if found.is_empty() {
        return Vec::new();
    }
    let mut columns = RankedColumns::default();
    let pair = |(a, b): (usize, usize)| format!("{} x {}", view.name(a), view.name(b));
    columns.names(["", "factors"], found.iter().map(|one| pair(one.factors)));
    columns.push(
        0,
        ["", "points"],
        Align::Right,
        found.iter().map(|one| estimate_cell(Some(one.effect.points))).collect(),
    );
    columns.numbers(2, ["points", "95 %"], found.iter().map(|one| bounds(&one.effect.points, PLACES)));
    columns.numbers(
        1,
        ["", "ratio"],
        found.iter().map(|one| format!("x{}", fixed(one.effect.log.value.exp(), 2))),
    );
    let ratios = |one: &Interaction| {
        let bounds = one.effect.log.interval;
        bounds.map_or_else(String::new, |(low, high)| {
            format!("x{}..x{}", fixed(low.exp(), 2), fixed(high.exp(), 2))
        })
    };
    columns.numbers(2, ["ratio", "95 %"], found.iter().map(ratios));
    columns.numbers(3, ["", "settings"], found.iter().map(|one| one.contexts.to_string()));
    columns.words(
        1,
        ["", "remark"],
        found.iter().map(|one| together_words(&one.effect, one.scale).to_owned()),
    );
    let text = "what two factors do together beyond their sum, averaged over the settings of the others that were measured";
    vec![Line::toned("pairs", text, Tone::Strong), columns.grid(width, 0)]
}

fn builds(view: &AttributionView<'_>, width: Option<usize>) -> Vec<Block> {
    let of = view.attribution;
    let mut columns = RankedColumns::default();
    columns.names(["", "factor"], of.builds.iter().map(|one| view.name(one.factor).to_owned()));
    let cell = |estimate: Option<Estimate>| estimate_cell(estimate);
    type Kind = (u8, &'static str, fn(&BuildEffect) -> [Option<Estimate>; 2]);
    let kinds: [Kind; 3] = [
        (0, "alone", |one| one.alone),
        (1, "at its place", |one| one.at_place),
        (2, "over all", |one| one.overall),
    ];
    for (rank, title, estimates) in kinds {
        for (at, name) in [&of.base, &of.target].into_iter().enumerate() {
            if of.builds.iter().any(|one| estimates(one)[at].is_some()) {
                columns.push(
                    rank,
                    [title, name],
                    Align::Right,
                    of.builds.iter().map(|one| cell(estimates(one)[at])).collect(),
                );
                columns.numbers(
                    rank + 3,
                    [title, "95 %"],
                    of.builds.iter().map(|one| {
                        estimates(one)[at].map_or_else(String::new, |estimate| bounds(&estimate, PLACES))
                    }),
                );
            }
        }
    }
    let text = "what each factor does to each build's throughput, in percent; over all: geometric mean over the settings of the others";
    vec![Line::toned("builds", text, Tone::Strong), columns.grid(width, 0)]
}

fn masking(view: &AttributionView<'_>, width: Option<usize>) -> Vec<Block> {
    let found = &view.attribution.masking;
    if found.is_empty() {
        return Vec::new();
    }
    let mut columns = RankedColumns::default();
    columns.names(["", "factor"], found.iter().map(|one| view.name(one.factor).to_owned()));
    columns.names(["", "ceiling"], found.iter().map(|one| view.name(one.ceiling).to_owned()));
    columns.push(
        0,
        ["as it was", "points"],
        Align::Right,
        found.iter().map(|one| estimate_cell(Some(one.under.points))).collect(),
    );
    columns.numbers(3, ["as it was", "95 %"], found.iter().map(|one| bounds(&one.under.points, PLACES)));
    columns.push(
        0,
        ["changed", "points"],
        Align::Right,
        found.iter().map(|one| estimate_cell(Some(one.lifted.points))).collect(),
    );
    columns.numbers(3, ["changed", "95 %"], found.iter().map(|one| bounds(&one.lifted.points, PLACES)));
    columns.push(
        0,
        ["", "difference"],
        Align::Right,
        found.iter().map(|one| estimate_cell(Some(one.difference.points))).collect(),
    );
    columns.numbers(
        1,
        ["difference", "95 %"],
        found.iter().map(|one| bounds(&one.difference.points, PLACES)),
    );
    columns.words(1, ["", "remark"], found.iter().map(|one| masking_words(one).to_owned()));
    let text = "a factor with the ceiling as it was and changed; all else equal";
    let mut blocks = vec![Line::toned("ceiling", text, Tone::Strong), columns.grid(width, 0)];
    if let Some(meeting) = view.meeting {
        let [before, after] = meeting.spin_pct.map(|pct| fixed(pct, 2));
        let text = format!(
            "busy waiting takes {before} % of the samples of {} and {after} % of {}",
            meeting.labels[0], meeting.labels[1]
        );
        blocks.push(Line::block("spin", text));
    }
    blocks
}

fn masking_words(one: &Masking) -> &'static str {
    let difference = &one.difference.log;
    match (difference.interval.is_some(), difference.is_beyond_noise()) {
        (false, _) => "single runs: no claim",
        (true, false) => "within noise: no claim",
        (true, true) if difference.value > 0.0 && !one.under.log.is_beyond_noise() => "masked by the ceiling",
        (true, true) if difference.value > 0.0 => "more where the ceiling is lifted",
        (true, true) => "less where the ceiling is lifted",
    }
}

fn meeting_blocks(view: &AttributionView<'_>, meeting: &Meeting, width: Option<usize>) -> Vec<Block> {
    let rows = &meeting.rows;
    let text = format!(
        "each factor alone beside the CPU in its subsystem ({} and {}): what taking it out of both would do at the same use of CPU",
        meeting.labels[0], meeting.labels[1]
    );
    let mut columns = RankedColumns::default();
    columns.names(["", "factor"], rows.iter().map(|row| view.name(row.factor).to_owned()));
    columns.names(["", "subsystem"], rows.iter().map(|row| row.subsystem.clone()));
    columns.push(
        0,
        ["measured", "points"],
        Align::Right,
        rows.iter().map(|row| estimate_cell(Some(row.measured.points))).collect(),
    );
    columns.numbers(0, ["profile", "points"], rows.iter().map(|row| signed(row.profile_points, PLACES)));
    columns.numbers(3, ["total %", "base"], rows.iter().map(|row| fixed(row.total_pct[0], 2)));
    columns.numbers(3, ["total %", "target"], rows.iter().map(|row| fixed(row.total_pct[1], 2)));
    columns.words(
        2,
        ["measured", "as"],
        rows.iter().map(|row| match row.compared {
            Compared::Cost => "CPU per op".to_owned(),
            Compared::Throughput => "throughput".to_owned(),
        }),
    );
    columns.numbers(
        1,
        ["", "ln"],
        rows.iter().map(|row| {
            let measured = match row.compared {
                Compared::Cost => row.measured.cost_log.unwrap_or(row.measured.log),
                Compared::Throughput => row.measured.log,
            };
            value(&measured, LOG_PLACES)
        }),
    );
    columns.numbers(1, ["profile", "ln"], rows.iter().map(|row| value(&row.profile_log, LOG_PLACES)));
    columns.numbers(0, ["difference", "ln"], rows.iter().map(|row| value(&row.difference, LOG_PLACES)));
    columns.numbers(2, ["difference", "95 %"], rows.iter().map(|row| bounds(&row.difference, LOG_PLACES)));
    columns.words(
        3,
        ["", "remark"],
        rows.iter().map(|row| {
            match row.difference.interval {
                None => "no interval",
                Some(_) if row.difference.is_beyond_noise() => "disagree",
                Some(_) => "no disagreement beyond noise",
            }
            .to_owned()
        }),
    );
    let mut blocks = vec![Line::toned("profiles", text, Tone::Strong), columns.grid(width, 0)];
    if rows.iter().any(|row| row.difference.is_beyond_noise() || row.difference.interval.is_none()) {
        let text = "a difference may come from waiting off the CPU, contention, caches, work elsewhere that the factor causes, or a profile taken under other settings than the baseline; off-CPU profiles or counters would tell which";
        blocks.push(Line::block("possible", text));
    }
    if !meeting.without.is_empty() {
        let names: Vec<&str> = meeting.without.iter().map(|factor| view.name(*factor)).collect();
        blocks.push(Line::block(
            "without",
            format!("no subsystem named for {}; see --factor-subsystem", names.join(", ")),
        ));
    }
    blocks
}

fn closing(view: &AttributionView<'_>) -> Vec<Block> {
    let of = view.attribution;
    let mut blocks = Vec::new();
    if view.has_intervals() {
        let text = "within noise: the 95 % interval of the logarithm holds zero; points by the delta method, t on the degrees of freedom of the variance";
        blocks.push(Line::toned("marks", text, Tone::Dim));
    }
    if of.missing_count == 0 {
        return blocks;
    }
    let text = format!("{} runs were not made; nothing stands in for them", of.missing_count);
    blocks.push(Line::toned("missing", text, Tone::Warning));
    for run in of.missing.iter().take(MOST_MISSING) {
        let text = format!("{} with {}, for {}", run.build, run.setting, need_words(run.needed_for));
        blocks.push(Line::block("", text));
    }
    if of.missing_count > MOST_MISSING {
        blocks.push(Line::block("", format!("... and {} more", of.missing_count - MOST_MISSING)));
    }
    blocks
}

fn need_words(need: Need) -> &'static str {
    match need {
        Need::Cumulative => "the path in this order",
        Need::Independent => "a factor alone",
        Need::Shapley => "the average over orders",
    }
}
