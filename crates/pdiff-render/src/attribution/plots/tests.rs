//! The pictures are well-formed, and say what the attribution says, whatever the factors are called.

use pdiff_study::ablation::{AttributeSettings, attribute};
use pdiff_study::{BenchmarkRun, RunMetric, RunsBuild, RunsTable, Setting};

use super::*;

fn table(names: [&str; 2]) -> RunsTable {
    let log = [[4.0, 4.3, 4.1, 4.5], [3.5, 4.0, 3.8, 4.4]];
    let mut runs = Vec::new();
    for (build, values) in log.iter().enumerate() {
        for (bits, log) in (0u32..).zip(values) {
            let throughput = f64::exp(*log);
            runs.push(BenchmarkRun {
                row: 1,
                build,
                setting: Setting(bits),
                replicate: None,
                throughput,
                cost: None,
            });
        }
    }
    let build = |name: &str| RunsBuild { name: name.to_owned(), has: vec![true; 2] };
    RunsTable {
        path: "runs.csv".to_owned(),
        metric: RunMetric::Tps,
        factors: names.map(str::to_owned).to_vec(),
        builds: vec![build("a<b"), build("c&\"d\"")],
        runs,
    }
}

fn with_view<T>(names: [&str; 2], look: impl FnOnce(&AttributionView<'_>) -> T) -> T {
    let settings = AttributeSettings { base: 0, target: 1, restart: Setting::BASELINE, masking: Vec::new() };
    let attribution = attribute(&table(names), &settings).unwrap();
    look(&AttributionView { attribution: &attribution, meeting: None, foretold: None, chosen: true })
}

#[test]
fn pictures_are_xml_with_every_name_in_them() {
    let names = ["log<script>alert(1)</script>", "ps & \"x\"\u{1b}[31m\u{ffff}"];
    for picture in
        with_view(names, |view| [gap_waterfall_svg(view), interaction_matrix_svg(view), effects_svg(view)])
    {
        let svg = picture.unwrap().unwrap();
        let document = roxmltree::Document::parse(&svg).unwrap();
        assert!(!svg.contains("<script") && !svg.contains('\u{1b}'));
        let texts: Vec<&str> = document.descendants().filter_map(|node| node.text()).collect();
        assert!(texts.iter().any(|text| text.contains("ps & \"x\"\\x1b[31m\\u{ffff}")), "{texts:?}");
        assert!(document.root_element().attribute("aria-label").is_some());
    }
}

#[test]
fn bars_are_as_long_as_the_numbers_say() {
    let svg = with_view(["P", "W"], gap_waterfall_svg).unwrap().unwrap();
    let document = roxmltree::Document::parse(&svg).unwrap();
    let widths: Vec<f64> = document
        .descendants()
        .filter(|node| node.has_tag_name("rect") && node.attribute("height") == Some("20"))
        .map(|node| node.attribute("width").unwrap().parse().unwrap())
        .collect();
    let expected = with_view(["P", "W"], |view| {
        let of = view.attribution;
        let shapley = of.shapley.as_ref().unwrap();
        let parts = shapley.values.iter().map(|(_, effect)| effect.points.value.abs());
        let ends = [of.baseline.unwrap(), of.end.unwrap()].map(|gap| gap.pct.value.abs());
        [vec![ends[0]], parts.collect(), vec![ends[1]]].concat()
    });
    assert_eq!(document.root_element().attribute("width"), Some("400"), "it is to be read at 400 pixels");
    assert_eq!(widths.len(), expected.len());
    for (width, points) in widths.iter().zip(&expected) {
        assert!((width / widths[0] - points / expected[0]).abs() < 0.01, "{widths:?} {expected:?}");
    }
}

#[test]
fn dots_stand_where_the_numbers_say_and_axes_have_round_values() {
    let svg = with_view(["P", "W"], effects_svg).unwrap().unwrap();
    let document = roxmltree::Document::parse(&svg).unwrap();
    let dots: Vec<f64> = document
        .descendants()
        .filter(|node| node.has_tag_name("rect") && node.attribute("width") == Some("8"))
        .map(|node| node.attribute("x").unwrap().parse().unwrap())
        .collect();
    let expected = with_view(["P", "W"], |view| {
        let of = view.attribution;
        let value = |step: &pdiff_study::ablation::Step| step.effect.unwrap().points.value;
        let averages = &of.shapley.as_ref().unwrap().values;
        (0..2)
            .flat_map(|at| {
                [value(&of.independent[at]), value(&of.cumulative[at]), averages[at].1.points.value]
            })
            .collect::<Vec<_>>()
    });
    assert_eq!(document.root_element().attribute("width"), Some("400"), "it is to be read at 400 pixels");
    assert_eq!(dots.len(), expected.len());
    let per_point = (dots[0] - dots[4]) / (expected[0] - expected[4]);
    for (dot, value) in dots.iter().zip(&expected) {
        assert!((dot - dots[0] - per_point * (value - expected[0])).abs() < 2.0, "{dots:?} {expected:?}");
    }
    assert!(svg.contains("prefers-color-scheme: dark"));
}
