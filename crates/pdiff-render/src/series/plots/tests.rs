//! Pictures of a series show the numbers of its table, fit a narrow window, and say what they leave out.

use pdiff_study::series::{
    BuildCost, ChangePoint, GroupCost, Throughput, WholeCost, class_means, relative_throughput,
};
use roxmltree::{Document, Node};

use super::*;
use crate::series::view::SeriesView;

fn run(build: &str, workload: &str, threads: Option<u32>, tps: f64) -> Throughput {
    Throughput { build: build.to_owned(), workload: workload.to_owned(), class: String::new(), threads, tps }
}

fn view(builds: &[&str], runs: &[Throughput]) -> SeriesView {
    let builds: Vec<String> = builds.iter().map(|build| (*build).to_owned()).collect();
    let throughput = relative_throughput(runs, &builds, 0);
    SeriesView {
        base: 0,
        classes: class_means(&throughput, builds.len()),
        throughput,
        systems: Vec::new(),
        subsystems: Vec::new(),
        functions: Vec::new(),
        groups: Vec::new(),
        per_operation: true,
        whole: None,
        builds,
    }
}

/// The middles of all filled circles, which are the first line's dots, from left to right.
fn dots(document: &Document<'_>) -> Vec<(f64, f64)> {
    let number = |node: &Node<'_, '_>, name: &str| node.attribute(name).unwrap().parse::<f64>().unwrap();
    let circles = document.descendants().filter(|node| node.has_tag_name("circle"));
    circles.map(|node| (number(&node, "cx"), number(&node, "cy"))).collect()
}

fn texts(document: &Document<'_>) -> Vec<String> {
    let texts = document.descendants().filter(|node| node.has_tag_name("text"));
    texts.filter_map(|node| node.text()).map(|text| text.trim().to_owned()).collect()
}

/// Every text begins and ends inside the picture, with seven pixels a letter, which is more than they need.
fn check_fits(document: &Document<'_>) {
    let number = |node: &Node<'_, '_>, name: &str| node.attribute(name).unwrap().parse::<f64>().unwrap();
    let (width, height) =
        (number(&document.root_element(), "width"), number(&document.root_element(), "height"));
    assert!(width <= 400.0, "it is to be read at 400 pixels");
    for node in document.descendants().filter(|node| node.has_tag_name("text")) {
        let text = node.text().unwrap_or_default().trim();
        let long = 6.5 * text.chars().count() as f64;
        let (left, right) = match node.attribute("text-anchor") {
            Some("end") => (-long, 0.0),
            Some("middle") => (-long / 2.0, long / 2.0),
            _ => (0.0, long),
        };
        let (x, y) = (number(&node, "x"), number(&node, "y"));
        assert!(x + left >= 0.0 && x + right <= width && (0.0..=height).contains(&y), "{text} at {x}, {y}");
    }
}

#[test]
fn dots_are_where_the_relative_throughput_is() {
    let runs = [("5.6", 100.0), ("5.7", 80.0), ("8.0", 60.0), ("8.4", 90.0)];
    let runs: Vec<Throughput> = runs.into_iter().map(|(build, tps)| run(build, "", None, tps)).collect();
    let svg = builds_svg(&view(&["5.6", "5.7", "8.0", "8.4"], &runs)).unwrap().unwrap();
    let document = Document::parse(&svg).unwrap();
    check_fits(&document);
    let dots = dots(&document);
    assert_eq!(dots.len(), 4);
    let per_point = (dots[2].1 - dots[0].1) / -0.4;
    for ((_, y), expected) in dots.iter().zip([1.0, 0.8, 0.6, 0.9]) {
        assert!((y - dots[0].1 - per_point * (expected - 1.0)).abs() <= 1.0, "{dots:?}");
    }
    assert!(per_point < 0.0, "more is higher up");
    let texts = texts(&document);
    for word in ["5.6", "8.4", "0.8", "1.0"] {
        assert!(texts.iter().any(|text| text.starts_with(word)), "{word} in {texts:?}");
    }
    assert!(texts.iter().any(|text| text.starts_with("No 95 % intervals")), "{texts:?}");
    assert!(svg.contains("prefers-color-scheme: dark"));
}

#[test]
fn change_points_are_marked_between_their_builds_and_put_in_words() {
    let names: Vec<String> = (1..=12).map(|build| format!("b{build}")).collect();
    let names: Vec<&str> = names.iter().map(String::as_str).collect();
    let mut of = view(&names, &[]);
    let cost = |build: usize| if build < 6 { 1_000_000.0 } else { 1_200_000.0 };
    of.whole = Some(WholeCost {
        per_op_ns: (0..12).map(cost).collect(),
        per_run_ns: (0..12).map(|build| vec![0.99 * cost(build), 1.01 * cost(build)]).collect(),
        change_points: vec![ChangePoint {
            at: 6,
            interval: (6, 7),
            change: 200_000.0,
            change_half: 10_000.0,
            change_pct: Some((20.0, [19.0, 21.0])),
        }],
    });
    let svg = builds_svg(&of).unwrap().unwrap();
    let document = Document::parse(&svg).unwrap();
    check_fits(&document);
    let texts = texts(&document).join(" ");
    assert!(
        texts.contains("Change point from b7 on (95 %: b7..b8): +20.0 %, 95 % interval +19.0..+21.0."),
        "{texts}"
    );
    assert!(texts.contains("1000 us on b1, 1200 us on b12"), "{texts}");
    assert!(texts.contains("95 % intervals of the ratio"), "{texts}");
    let dots = dots(&document);
    let dash = document.descendants().filter(|node| node.has_tag_name("polyline"));
    let middles = dash.filter_map(|node| {
        let points: Vec<(f64, f64)> = node
            .attribute("points")?
            .split_whitespace()
            .map(|point| {
                let (x, y) = point.split_once(',').unwrap();
                (x.parse().unwrap(), y.parse().unwrap())
            })
            .collect();
        // Upright strokes of four pixels are the dashes.
        (points.len() == 2
            && points[0].0 == points[1].0
            && (points[1].1 - points[0].1 - 4.0).abs() < 0.1
            && points[0].1 < dots[0].1)
            .then_some(points[0].0)
    });
    let at: Vec<f64> = middles.collect();
    assert!(!at.is_empty() && at.iter().all(|x| dots[5].0 < *x && *x < dots[6].0), "{at:?} {dots:?}");
    of.whole.as_mut().unwrap().change_points.clear();
    let svg = builds_svg(&of).unwrap().unwrap();
    assert!(svg.contains("No change point of the cost."));
}

#[test]
fn names_of_many_builds_do_not_run_into_each_other() {
    let names: Vec<String> = (1..=60).map(|build| format!("my8{build:03}_rel.cz10a_of_somebody")).collect();
    let runs: Vec<Throughput> =
        names.iter().zip(1u32..).map(|(build, at)| run(build, "", None, 100.0 + f64::from(at))).collect();
    let names: Vec<&str> = names.iter().map(String::as_str).collect();
    let svg = builds_svg(&view(&names, &runs)).unwrap().unwrap();
    let document = Document::parse(&svg).unwrap();
    check_fits(&document);
    let shown = texts(&document).iter().filter(|text| text.starts_with("my8")).count();
    assert!((1..=2).contains(&shown), "{shown}");
}

#[test]
fn many_workloads_are_drawn_by_class() {
    let runs: Vec<Throughput> = (0..12)
        .flat_map(|at| [run("a", &format!("w{at}"), None, 100.0), run("b", &format!("w{at}"), None, 90.0)])
        .collect();
    let svg = builds_svg(&view(&["a", "b"], &runs)).unwrap().unwrap();
    let document = Document::parse(&svg).unwrap();
    assert!(texts(&document).join(" ").contains("geometric means of 12 rows"), "{:?}", texts(&document));
    assert_eq!(dots(&document).len(), 2);
}

#[test]
fn levels_of_concurrency_have_a_line_a_build_and_groups_a_bar_a_build() {
    let mut runs = Vec::new();
    for (threads, tps) in [(1, 100.0), (4, 400.0), (16, 800.0), (64, 600.0)] {
        runs.extend([
            run("old", "update", Some(threads), tps),
            run("old", "update", Some(threads), 1.1 * tps),
        ]);
        runs.push(run("new", "update", Some(threads), 0.7 * tps));
    }
    let mut of = view(&["old", "new"], &runs);
    let cost = |ns: f64| BuildCost { self_pct: 1.0, self_per_op_ns: Some(ns) };
    of.groups = vec![
        GroupCost { name: "connections".to_owned(), costs: vec![cost(80_000.0), cost(160_000.0)] },
        GroupCost { name: "log <writer>".to_owned(), costs: vec![cost(0.0), cost(40_000.0)] },
    ];
    let svg = threads_svg(&of).unwrap().unwrap();
    let document = Document::parse(&svg).unwrap();
    check_fits(&document);
    let dots = dots(&document);
    // Four levels and the legend.
    assert_eq!(dots.len(), 5, "{dots:?}");
    let steps: Vec<f64> = dots[..4].windows(2).map(|pair| pair[1].0 - pair[0].0).collect();
    assert!(
        steps.iter().all(|step| (step - steps[0]).abs() <= 1.0),
        "levels of four times each are as far apart: {steps:?}"
    );
    let texts = texts(&document);
    let joined = texts.join(" ");
    for word in ["update", "old", "new", "64", "log <writer>", "by thread group, us", "160.0", "40.0"] {
        assert!(joined.contains(word), "{word} in {joined}");
    }
    // Bars are as long as the numbers say: 80, 160 and 40.
    let widths: Vec<f64> = document
        .descendants()
        .filter(|node| node.has_tag_name("rect") && node.attribute("height") == Some("13"))
        .map(|node| node.attribute("width").unwrap().parse().unwrap())
        .collect();
    assert_eq!(widths.len(), 3);
    assert!(
        (widths[1] / widths[0] - 2.0).abs() < 0.05 && (widths[1] / widths[2] - 4.0).abs() < 0.2,
        "{widths:?}"
    );
    // A build in one run of a level has no interval, one with two has.
    of.throughput.retain(|row| row.threads == Some(64));
    assert!(threads_svg(&of).unwrap().is_some());
    of.throughput.iter_mut().for_each(|row| row.threads = None);
    assert!(threads_svg(&of).unwrap().is_none());
}

#[test]
fn of_many_builds_some_are_drawn_and_that_is_said() {
    let names: Vec<String> = (0..20).map(|build| format!("b{build}")).collect();
    let runs: Vec<Throughput> = names.iter().map(|build| run(build, "", Some(8), 100.0)).collect();
    let names: Vec<&str> = names.iter().map(String::as_str).collect();
    let svg = threads_svg(&view(&names, &runs)).unwrap().unwrap();
    let document = Document::parse(&svg).unwrap();
    check_fits(&document);
    let texts = texts(&document);
    assert!(texts.iter().any(|text| text.starts_with("8 of 20 builds")), "{texts:?}");
    assert!(["b0", "b19"].iter().all(|name| texts.iter().any(|text| text == name)), "{texts:?}");
}

#[test]
fn nothing_known_is_no_picture() {
    let of = view(&["a", "b"], &[]);
    assert!(builds_svg(&of).unwrap().is_none() && threads_svg(&of).unwrap().is_none());
}
