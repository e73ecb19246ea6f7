//! Pictures as a user meets them: well formed whatever the names, conserving weight, readable by other tools.

#![expect(clippy::unwrap_used, reason = "a test that cannot go on may panic")]

use std::collections::{BTreeMap, BTreeSet};
use std::path::{Path, PathBuf};
use std::process::Output;

use serde_json::Value;

fn pdiff(arguments: &[&str]) -> Output {
    pdiff_testing::pdiff().args(arguments).arg("--no-symbolize").output().unwrap()
}

fn stdout(output: &Output) -> String {
    assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
    String::from_utf8(output.stdout.clone()).unwrap()
}

fn capture(name: &str) -> String {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("fixtures/mysql").join(name);
    path.to_str().unwrap().to_owned()
}

fn pair() -> [String; 2] {
    [capture("57-aligned-r1.perf.zst"), capture("80-aligned-r1.perf.zst")]
}

fn svg(arguments: &[&str]) -> String {
    stdout(&pdiff(&[&["flame"], arguments].concat()))
}

/// A tag of the picture with its attributes, and of frames the title.
struct Frame {
    title: String,
    fill: String,
    width: u64,
}

fn frames(svg: &str) -> Vec<Frame> {
    let options = roxmltree::ParsingOptions { allow_dtd: true, ..Default::default() };
    let document = roxmltree::Document::parse_with_options(svg, options).unwrap();
    let frames = document.descendants().find(|node| node.attribute("id") == Some("frames")).unwrap();
    let frame = |node: roxmltree::Node<'_, '_>| {
        let child = |name: &str| {
            node.children().find(|child| child.has_tag_name(("http://www.w3.org/2000/svg", name)))
        };
        let rect = child("rect").unwrap();
        let fg = "http://github.com/jonhoo/inferno";
        Frame {
            title: child("title").unwrap().text().unwrap().to_owned(),
            fill: rect.attribute("fill").unwrap().to_owned(),
            width: rect.attribute((fg, "w")).unwrap().parse().unwrap(),
        }
    };
    frames.children().filter(|node| node.is_element()).map(frame).collect()
}

fn named<'a>(frames: &'a [Frame], name: &str) -> &'a Frame {
    frames.iter().find(|frame| frame.title.starts_with(&format!("{name} ("))).unwrap()
}

/// A recording of samples with one-second steps, root last as perf prints it.
fn recording(directory: &Path, name: &str, stacks: &[(&[&str], usize)]) -> PathBuf {
    let mut text = String::new();
    for second in 0..8 {
        for (stack, samples) in stacks {
            for sample in 0..*samples {
                text.push_str(&format!("app 1 {second}.{sample:06}: 1000 cpu-clock:\n"));
                for frame in stack.iter().rev() {
                    text.push_str(&format!("\t4000 {frame}+0x4 (/bin/app)\n"));
                }
                text.push('\n');
            }
        }
    }
    let path = directory.join(name);
    std::fs::write(&path, text).unwrap();
    path
}

#[test]
fn frames_conserve_weight_and_topmost_frames_sum_to_the_totals_of_compare() {
    let [before, after] = pair();
    let tree: Value = serde_json::from_str(&svg(&["--diff", &before, &after, "--format", "json"])).unwrap();
    let compared = stdout(&pdiff(&["compare", &before, &after, "--format", "json"]));
    let compared: Value = serde_json::from_str(&compared).unwrap();
    let frames = tree["frames"].as_array().unwrap();
    for (side, own, total) in [("before", 4, 5), ("after", 6, 7)] {
        let mut sums: Vec<u64> = frames.iter().map(|frame| frame[own].as_u64().unwrap()).collect();
        for index in (0..frames.len()).rev() {
            assert_eq!(Some(sums[index]), frames[index][total].as_u64(), "{side} {index}");
            if let Some(parent) = frames[index][0].as_u64() {
                sums[parent as usize] += sums[index];
            }
        }
        assert_eq!(Some(sums[0]), compared[side]["weight"].as_u64());
        let mut above: Vec<BTreeSet<u64>> = Vec::new();
        let mut totals: BTreeMap<(&str, &str), u64> = BTreeMap::new();
        for frame in frames {
            let mut here =
                frame[0].as_u64().map_or_else(BTreeSet::new, |parent| above[parent as usize].clone());
            if let Some(function) = frame[1].as_u64()
                && here.insert(function)
            {
                let named = &tree["functions"][function as usize];
                let key = (named["name"].as_str().unwrap(), named["object"].as_str().unwrap());
                *totals.entry(key).or_default() += frame[total].as_u64().unwrap();
            }
            above.push(here);
        }
        let rows = compared["functions"].as_array().unwrap();
        assert!(rows.len() > 1000);
        for row in rows {
            let key = (row["name"].as_str().unwrap(), row["object"].as_str().unwrap());
            let expected = row[side]["total_weight"].as_u64().unwrap_or(0);
            assert_eq!(totals.get(&key).copied().unwrap_or(0), expected, "{side} {key:?}");
        }
    }
}

#[test]
fn each_view_draws_its_side_and_marks_what_one_side_alone_has() {
    let directory = tempfile::tempdir().unwrap();
    let before =
        recording(directory.path(), "old.perf", &[(&["main", "kept"], 60), (&["main", "vanished"], 30)]);
    let after = recording(directory.path(), "new.perf", &[(&["main", "kept"], 60), (&["main", "added"], 90)]);
    let [before, after] = [before, after].map(|path| path.to_str().unwrap().to_owned());
    let view = |view: &str| frames(&svg(&["--diff", &before, &after, "--view", view]));
    let drawn = view("after");
    assert_eq!(named(&drawn, "added").fill, "url(#new)");
    assert_eq!(named(&drawn, "added").width, 8 * 90 * 1000);
    assert_eq!(named(&drawn, "main").fill, "rgb(238,238,238)");
    assert!(named(&drawn, "added").title.contains("new: only in After; total 0.00 -> 60.00 %"));
    assert!(!drawn.iter().any(|frame| frame.title.starts_with("vanished")));
    let drawn = view("gone");
    assert_eq!(named(&drawn, "vanished").fill, "url(#gone)");
    assert_eq!(named(&drawn, "main").width, 8 * 30 * 1000);
    assert!(!drawn.iter().any(|frame| frame.title.starts_with("kept")));
    let drawn = view("before");
    assert_eq!(named(&drawn, "main").width, 8 * 90 * 1000);
    let drawn = view("both");
    assert_eq!(named(&drawn, "before: old").width, named(&drawn, "after: new").width);
    assert!(drawn.iter().any(|frame| frame.title.starts_with("vanished")));
    assert!(drawn.iter().any(|frame| frame.title.starts_with("added")));
    let same = frames(&svg(&["--diff", &before, &before, "--view", "gone"]));
    assert!(same.iter().any(|frame| frame.title.starts_with("nothing")));
}

#[test]
fn inferno_s_script_stays_as_it_is_and_ours_stands_behind_it() {
    let [before, after] = pair();
    let svg = svg(&["--diff", &before, &after]);
    let scripts = svg.split("<script").skip(1).filter_map(|rest| rest.split_once("</script>"));
    let scripts: Vec<&str> = scripts.map(|(script, _)| script).collect();
    assert_eq!(scripts.len(), 2);
    // What ours takes the place of is there untouched.
    assert!(scripts[0].contains("return (func);") && !scripts[0].contains("data-mark"));
    for function in ["function g_to_func(", "function update_text(", "function update_text_for_elements("] {
        assert!(scripts.iter().all(|script| script.contains(function)), "{function}");
    }
    assert!(svg.contains("<title id=\"name\">") && svg.contains(" tabindex=\"0\""));
}

#[test]
fn a_picture_says_what_it_shows_and_functions_carry_their_verdict() {
    let [before, after] = pair();
    let windows = capture("operations.tsv");
    let picture =
        svg(&["--diff", &before, &after, "--title", "A & <B>", "--windows", &windows, "--operations"]);
    for text in [
        "A &amp; &lt;B>",
        "before 57-aligned-r1: 1 run, ",
        "Width: After&#39;s weight",
        "per operation, After minus Before",
        "within noise",
        "new: only in After",
        "drawn together as [pruned]",
    ] {
        assert!(picture.contains(text) || picture.contains(&text.replace('>', "&gt;")), "{text}");
    }
    let drawn = frames(&picture);
    assert!(drawn.iter().any(|frame| frame.title.contains(", by names and samples alone: ")));
    assert!(drawn.iter().any(|frame| frame.title.contains("total per operation ")));
    let by_self = frames(&svg(&["--diff", &before, &after, "--color", "self"]));
    let by_total = frames(&svg(&["--diff", &before, &after]));
    assert!(by_self.iter().zip(&by_total).any(|(a, b)| a.fill != b.fill));
    assert_eq!(by_self.len(), by_total.len());
}

#[test]
fn hostile_names_stay_names() {
    let hostile = [
        "<script>alert(1)</script>",
        "a\"b'c&amp;</title>",
        "]]></svg><svg onload=x>",
        "\u{1b}[31mred",
        "\u{202e}gnp.exe",
        "semi;colon 12",
        "-",
        "f_[k]",
    ];
    let directory = tempfile::tempdir().unwrap();
    let stack: Vec<&str> = std::iter::once("main").chain(hostile).collect();
    let one = recording(directory.path(), "x<i>&.perf", &[(&stack, 9)]);
    let one = one.to_str().unwrap();
    let mut names = BTreeSet::new();
    for arguments in [&["--diff", one, one, "--view", "both"][..], &[one][..], &[one, one, "--reverse"][..]] {
        let picture = svg(arguments);
        names
            .extend(frames(&picture).iter().map(|frame| frame.title.rsplit_once(" (").unwrap().0.to_owned()));
        let options = roxmltree::ParsingOptions { allow_dtd: true, ..Default::default() };
        let document = roxmltree::Document::parse_with_options(&picture, options).unwrap();
        let scripts = document.descendants().filter(|node| node.tag_name().name() == "script").count();
        let handlers = document.descendants().flat_map(|node| node.attributes().collect::<Vec<_>>());
        let handlers: Vec<&str> =
            handlers.map(|of| of.name()).filter(|name| name.starts_with("on")).collect();
        // inferno's script, and ours.
        assert_eq!((scripts, handlers), (2, vec!["onload"]));
    }
    assert!(names.contains("<script>alert(1)</script>"), "{names:?}");
    assert!(names.contains("]]></svg><svg onload=x>"), "{names:?}");
    assert!(names.contains("\\u{202e}gnp.exe"), "{names:?}");
    assert!(names.contains("-") && names.contains("f_[k]"), "{names:?}");
}

#[test]
fn folded_stacks_are_read_by_other_tools() {
    let [before, after] = pair();
    let both = svg(&["--diff", &before, &after, "--format", "folded"]);
    let sums = both.lines().fold([0_u64; 2], |[before, after], line| {
        let (rest, of_after) = line.rsplit_once(' ').unwrap();
        let (_, of_before) = rest.rsplit_once(' ').unwrap();
        [before + of_before.parse::<u64>().unwrap(), after + of_after.parse::<u64>().unwrap()]
    });
    let compared = stdout(&pdiff(&["compare", &before, &after, "--format", "json"]));
    let compared: Value = serde_json::from_str(&compared).unwrap();
    let weights = ["before", "after"].map(|side| compared[side]["weight"].as_u64().unwrap());
    assert_eq!(sums, weights);
    let mut drawn = Vec::new();
    let mut options = inferno::flamegraph::Options::default();
    inferno::flamegraph::from_reader(&mut options, both.as_bytes(), &mut drawn).unwrap();
    let total = format!("total_samples=\"{}\"", weights[1]);
    assert!(String::from_utf8(drawn).unwrap().contains(&total));

    let directory = tempfile::tempdir().unwrap();
    let paths = [("before", &weights[0]), ("after", &weights[1])].map(|(side, weight)| {
        let folded = svg(&["--diff", &before, &after, "--format", "folded", "--view", side]);
        let sum: u64 =
            folded.lines().map(|line| line.rsplit_once(' ').unwrap().1.parse::<u64>().unwrap()).sum();
        assert_eq!(sum, *weight);
        let path = directory.path().join(side);
        std::fs::write(&path, folded).unwrap();
        path
    });
    let mut differential = Vec::new();
    let options = inferno::differential::Options::default();
    inferno::differential::from_files(options, &paths[0], &paths[1], &mut differential).unwrap();
    let lines = |text: &str| text.lines().map(str::to_owned).collect::<BTreeSet<_>>();
    assert_eq!(lines(&String::from_utf8(differential).unwrap()), lines(&both));
}

#[test]
fn one_profile_is_drawn_and_files_are_whole() {
    let [before, _] = pair();
    let directory = tempfile::tempdir().unwrap();
    let path = directory.path().join("one.svg");
    let output = pdiff(&["flame", &before, "-o", path.to_str().unwrap()]);
    assert!(output.status.success() && output.stdout.is_empty());
    let drawn = frames(&std::fs::read_to_string(&path).unwrap());
    assert!(named(&drawn, "ut_delay").title.contains("total "));
    assert!(!drawn.iter().any(|frame| frame.title.contains("After")));
    assert_eq!(svg(&[&before]), std::fs::read_to_string(&path).unwrap());
}

#[test]
fn wrong_choices_are_told_in_a_line() {
    let [before, after] = pair();
    let directory = tempfile::tempdir().unwrap();
    let target = directory.path().join("none.svg");
    let target = target.to_str().unwrap();
    let check = |arguments: &[&str], expected: &str| {
        let output = pdiff(&[&["flame"], arguments, &["-o", target]].concat());
        let said = String::from_utf8_lossy(&output.stderr).into_owned();
        assert_eq!(output.status.code(), Some(2), "{said}");
        assert!(said.contains(expected), "{said}");
        assert!(!Path::new(target).exists());
    };
    check(&["--diff", &before], "--diff needs two recordings");
    check(&[&before, "--view", "gone"], "there is one recording");
    check(&[&before, "--operations"], "there is one recording");
    check(&[&before, &after, "--operations"], "operations are not known on both sides");
    check(&[&before, &after, "--focus", "("], "--focus: '(' is not a regular expression");
    check(
        &[&before, &after, "--focus", "nosuchname"],
        "--focus: no stack has a function that 'nosuchname' matches",
    );
    check(
        &[&before, &after, "--min-width", "101"],
        "'101' for '--min-width <PERCENT>': not a number from 0 to 100",
    );
    check(
        &[&before, &after, "--min-width", "-1"],
        "'-1' for '--min-width <PERCENT>': not a number from 0 to 100",
    );
    check(&[&before, &after, "--by", "subsystem"], "hint: --by-subsystem");
    check(&[&before, &after, "--denominator", "thread-group"], "hint: draw one group by --comm");
    check(&[&before, "/nonexistent.perf"], "/nonexistent.perf");
    check(&[&before, &after, "--comm", "nobody"], "leave no samples");
}

/// The pictures of `docs/flame.md` are written by `UPDATE=1`.
fn keep_picture(name: &str, svg: &[u8]) {
    if std::env::var_os("UPDATE").is_some() {
        let directory = Path::new(env!("CARGO_MANIFEST_DIR")).join("docs/img");
        std::fs::create_dir_all(&directory).unwrap();
        std::fs::write(directory.join(name), svg).unwrap();
    }
}

#[test]
fn a_pair_that_differs_in_inlining_alone_is_neutral_and_leaves_of_machine_functions_are_not() {
    let fixture = |name: &str| {
        let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("fixtures/inline-only").join(name);
        path.to_str().unwrap().to_owned()
    };
    let runs =
        |side: &str| (1..=3).map(|run| fixture(&format!("{side}-r{run}.perf.zst"))).collect::<Vec<_>>();
    let mut arguments = vec!["flame".to_owned(), "--before".to_owned()];
    arguments.extend(runs("before"));
    arguments.push("--after".to_owned());
    arguments.extend(runs("after"));
    let flame = |more: &[&str]| {
        let output = pdiff_testing::pdiff().args(&arguments).args(more).output().unwrap();
        stdout(&output)
    };
    let binaries = [fixture("before/orders"), fixture("after/orders")];
    let binaries = ["--binary-before", &binaries[0], "--binary-after", &binaries[1], "--no-cache"];
    let ours = flame(&[&binaries[..], &["--title", "pdiff flame"]].concat());
    let colored: u64 = frames(&ours)
        .iter()
        .filter(|frame| ["url(#new)", "url(#gone)"].contains(&frame.fill.as_str()) || !is_grey(&frame.fill))
        .map(|frame| frame.width)
        .sum();
    let whole = named(&frames(&ours), "all").width;
    assert!(colored * 100 < whole, "{colored} of {whole}");
    keep_picture("inline-only-pdiff.svg", ours.as_bytes());

    let directory = tempfile::tempdir().unwrap();
    let sides = ["before", "after"].map(|side| {
        let path = directory.path().join(side);
        let folded = flame(&["--no-symbolize", "--format", "folded", "--view", side]);
        std::fs::write(&path, folded).unwrap();
        path
    });
    let mut folded = Vec::new();
    let options = inferno::differential::Options { normalize: true, ..Default::default() };
    inferno::differential::from_files(options, &sides[0], &sides[1], &mut folded).unwrap();
    let mut theirs = Vec::new();
    let mut options = inferno::flamegraph::Options::default();
    options.title = "inferno-diff-folded | inferno-flamegraph".to_owned();
    inferno::flamegraph::from_reader(&mut options, &folded[..], &mut theirs).unwrap();
    let text = String::from_utf8(theirs.clone()).unwrap();
    let deepest = |name: &str| {
        let start = format!("<title>{name} (");
        let titles = text.split(&start).skip(1).filter_map(|rest| rest.split_once("%)"));
        let deltas = titles.filter_map(|(title, _)| title.rsplit_once("; ")?.1.parse::<f64>().ok());
        deltas.fold(0.0_f64, |most, delta| if delta.abs() > most.abs() { delta } else { most })
    };
    assert!(deepest("hash_key") > 5.0, "{}", deepest("hash_key"));
    assert!(deepest("lookup_row") < -5.0, "{}", deepest("lookup_row"));
    keep_picture("inline-only-inferno.svg", &theirs);
}

/// One number for red, green and blue, or a hatching of noise.
fn is_grey(fill: &str) -> bool {
    let channels = fill.trim_start_matches("rgb(").trim_end_matches(')').split(',').collect::<BTreeSet<_>>();
    fill.ends_with("-noise)") || channels.len() == 1
}

#[test]
fn a_caller_that_one_side_inserted_does_not_tear_the_picture() {
    let pair = ["56-aligned-r1.perf.zst", "80-aligned-r1.perf.zst"].map(capture);
    let marked_pct = |align: &str| -> f64 {
        let form = ["--format", "json", "--min-width", "0.05", "--align", align];
        let arguments = [&["flame", "--diff", &pair[0], &pair[1]], &form[..]].concat();
        let tree: Value = serde_json::from_str(&stdout(&pdiff(&arguments))).unwrap();
        let weights = ["before", "after"].map(|side| tree[side]["weight"].as_f64().unwrap());
        let frames = tree["frames"].as_array().unwrap();
        let shares = |frame: &Value| [4 + 1, 4 + 3].map(|at| frame[at].as_f64().unwrap());
        let is_one_sided = |frame: &Value| shares(frame).contains(&0.0);
        let (mut area, mut marked) = (0.0, 0.0);
        for frame in frames.iter().filter(|frame| frame[1].is_u64()) {
            let parent_is_one_sided = is_one_sided(&frames[frame[0].as_u64().unwrap() as usize]);
            // What is inside a strip is closed in the page, and not marked in a picture.
            if align == "anchors" && parent_is_one_sided {
                continue;
            }
            let [before, after] = shares(frame);
            let width = (before / weights[0]).max(after / weights[1]);
            area += width;
            let function = &tree["functions"][frame[1].as_u64().unwrap() as usize];
            if is_one_sided(frame) && function["presence"] == "both" {
                marked += width;
            }
        }
        100.0 * marked / area
    };
    let (exact, aligned) = (marked_pct("exact"), marked_pct("anchors"));
    assert!(exact > 30.0 && aligned <= 5.0, "{exact} % and {aligned} %");
}

#[test]
fn a_picture_is_not_written_under_a_name_of_something_else() {
    let directory = tempfile::tempdir().unwrap();
    for (name, format) in
        [("x.json", "json"), ("x.json.gz", "firefox"), ("x.pb.gz", "pprof"), ("x.folded", "folded")]
    {
        let path = directory.path().join(name);
        let drawn = |more: &[&str]| {
            let arguments = ["flame", &pair()[0], "-q", "-o", path.to_str().unwrap()];
            pdiff(&[&arguments[..], more].concat())
        };
        let refused = drawn(&[]);
        assert_eq!(refused.status.code(), Some(2));
        let said = String::from_utf8_lossy(&refused.stderr).into_owned();
        assert!(
            said.contains(&format!(
                "--format {}",
                if format == "firefox" { "json or --format firefox" } else { format }
            )),
            "{said}"
        );
        assert!(!path.exists());
        assert!(drawn(&["--format", format]).status.success());
        assert!(path.exists());
    }
}
