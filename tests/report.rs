//! The report as a file: whole, safe, small, and its data those of the other commands.

#![expect(clippy::unwrap_used, reason = "a test that cannot go on may panic")]

#[path = "factorial/lab.rs"]
mod lab;

use std::path::{Path, PathBuf};
use std::process::Output;

use html5ever::tokenizer::{BufferQueue, Token, TokenSink, TokenSinkResult, Tokenizer, TokenizerOpts};
use lab::LAB;
use serde_json::Value;

fn pdiff(arguments: &[&str]) -> Output {
    pdiff_testing::pdiff().args(arguments).arg("--no-symbolize").output().unwrap()
}

fn stdout(output: &Output) -> String {
    assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
    String::from_utf8(output.stdout.clone()).unwrap()
}

fn fixture(path: &str) -> String {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("fixtures").join(path);
    path.to_str().unwrap().to_owned()
}

/// A start tag's name and its attributes.
type Tag = (String, Vec<(String, String)>);

/// Start tags, and all text.
#[derive(Default)]
struct Seen {
    tags: std::cell::RefCell<Vec<Tag>>,
    text: std::cell::RefCell<String>,
}

impl TokenSink for Seen {
    type Handle = ();

    fn process_token(&self, token: Token, _line: u64) -> TokenSinkResult<()> {
        match token {
            Token::TagToken(tag) if tag.kind == html5ever::tokenizer::StartTag => {
                let attributes =
                    tag.attrs.iter().map(|of| (of.name.local.to_string(), of.value.to_string())).collect();
                self.tags.borrow_mut().push((tag.name.to_string(), attributes));
                if &*tag.name == "script" || &*tag.name == "style" {
                    let kind = html5ever::tokenizer::states::RawKind::ScriptData;
                    return TokenSinkResult::RawData(kind);
                }
            }
            Token::CharacterTokens(text) => self.text.borrow_mut().push_str(&text),
            _ => {}
        }
        TokenSinkResult::Continue
    }
}

fn seen(html: &str) -> Seen {
    let queue = BufferQueue::default();
    queue.push_back(html5ever::tendril::StrTendril::from(html).into_send().into());
    let tokenizer = Tokenizer::new(Seen::default(), TokenizerOpts::default());
    let _ = tokenizer.feed(&queue);
    tokenizer.end();
    tokenizer.sink
}

fn data(html: &str) -> Value {
    let (_, rest) = html.split_once("<script type=\"application/json\" id=\"data\">").unwrap();
    serde_json::from_str(rest.split_once("</script>").unwrap().0).unwrap()
}

fn default_pair() -> [String; 2] {
    [fixture("mysql/57-default.perf.zst"), fixture("mysql/80-default.perf.zst")]
}

#[test]
fn a_report_is_one_file_with_every_part_and_the_data_of_the_other_commands() {
    let [before, after] = default_pair();
    let windows = fixture("mysql/operations.tsv");
    let page = stdout(&pdiff(&["report", &before, &after, "--windows", &windows, "--title", "A & <b>"]));
    assert!(page.len() < 2_000_000, "{} bytes", page.len());
    for id in ["summary", "comparability", "closure", "functions", "verdicts", "flame", "compilers", "notes"]
    {
        assert!(page.contains(&format!("<section id=\"{id}\">")), "{id}");
    }
    for words in [
        "80-default completes 50 % fewer operations/s than 57-default",
        "largest parts whose share changed beyond noise, and all else",
        "data-function=\"log_writer\"",
        "redo log",
        "run-to-run variation assumed",
        "The gap in throughput, step by step",
    ] {
        assert!(page.contains(words), "{words}");
    }
    assert!(page.contains("<title>A &amp; &lt;b&gt;</title>"));
    assert!(page.contains("pdiff report ") && page.contains("&#39;A &amp; &lt;b&gt;&#39;"));
    let data = data(&page);
    let compared = stdout(&pdiff(&["compare", &before, &after, "--windows", &windows, "--format", "json"]));
    let compared: Value = serde_json::from_str(&compared).unwrap();
    for side in ["before", "after"] {
        let rows = data["compare"]["functions"].as_array().unwrap();
        let sum: u64 = rows.iter().map(|row| row[side]["self_weight"].as_u64().unwrap_or(0)).sum();
        let left_out = data["compare"]["functions_left_out"][format!("{side}_self_weight")].as_u64().unwrap();
        assert_eq!(Some(sum + left_out), compared[side]["weight"].as_u64());
        assert_eq!(data["tree"]["frames"][0][if side == "before" { 5 } else { 7 }], compared[side]["weight"]);
    }
    // Other trees are of the same samples: the exact one is what the command draws, groups are parts of the whole.
    let trees = data["other_trees"].as_array().unwrap();
    let root = |tree: &Value, column: usize| tree["frames"][0][column].as_u64().unwrap();
    assert_eq!((&trees[0]["thread_group"], &trees[0]["is_aligned"]), (&Value::Null, &Value::from(false)));
    for column in [5, 7] {
        assert_eq!(root(&trees[0], column), root(&data["tree"], column));
        let groups: u64 = trees[1..].iter().map(|tree| root(tree, column)).sum();
        assert!(groups <= root(&data["tree"], column) && groups * 100 > root(&data["tree"], column) * 95);
    }
    let only = |group: &str| {
        let arguments =
            ["compare", &before, &after, "--windows", &windows, "--thread-group", group, "--format", "json"];
        serde_json::from_str::<Value>(&stdout(&pdiff(&arguments))).unwrap()
    };
    let connections = only("connections");
    let tree = trees.iter().find(|tree| tree["thread_group"] == "connections").unwrap();
    assert_eq!(connections["after"]["weight"], tree["frames"][0][7]);
    // Time: whole seconds hold less than the whole, and a function that is in every stack has all of each second.
    let seconds = &data["seconds"];
    let per_second = seconds["after"][0]["weight_per_second"].as_array().unwrap();
    let inside: f64 = per_second.iter().map(|rate| rate.as_f64().unwrap()).sum();
    let weight = compared["after"]["weight"].as_f64().unwrap();
    assert!(inside < weight && inside > 0.8 * weight, "{inside} of {weight}");
    let significant = |of: &Value| {
        of["functions"].as_array().unwrap().iter().filter(|row| row["significant"] == true).count()
    };
    assert_eq!(significant(&data["compare"]), significant(&compared));
    let verdicts = data["classify"]["verdicts"].as_array().unwrap();
    assert!(verdicts.iter().any(|verdict| !verdict["evidence"].as_array().unwrap().is_empty()));
    assert_eq!(data["compare"]["schema_version"], 1);
    assert_eq!(
        page,
        stdout(&pdiff(&["report", &before, &after, "--windows", &windows, "--title", "A & <b>"]))
    );
}

#[test]
fn nothing_in_a_report_asks_for_anything_outside() {
    let [before, after] = default_pair();
    let page = stdout(&pdiff(&["report", &before, &after]));
    let seen = seen(&page);
    let tags = seen.tags.borrow();
    let fetching = ["src", "srcset", "data", "action", "formaction", "poster", "background", "ping"];
    for (tag, attributes) in tags.iter() {
        assert!(
            !["link", "iframe", "object", "embed", "img", "base", "audio", "video"].contains(&tag.as_str()),
            "{tag}"
        );
        for (name, value) in attributes {
            assert!(!fetching.contains(&name.as_str()), "{tag} {name}");
            assert!(name != "href" || value.starts_with('#'), "{value}");
        }
    }
    let policy =
        tags.iter().flat_map(|(_, attributes)| attributes).find(|(_, value)| value.contains("default-src"));
    assert!(policy.unwrap().1.starts_with("default-src 'none'; script-src 'sha256-"));
}

#[test]
fn benchmark_runs_are_attributed_in_the_page_as_by_their_own_command() {
    let [before, after] = default_pair();
    let runs = fixture("factorial/lab.csv");
    let mapped = ["--factor-subsystem", "W=redo log", "--factor-subsystem", "B=binlog"];
    let page =
        stdout(&pdiff(&[&["report", &before, &after, "--runs", &runs], &LAB[..], &mapped[..]].concat()));
    let profiles = ["--profiles", &before, &after, "--format", "json"];
    let alone = stdout(&pdiff(&[&["attribute", &runs], &LAB[..], &mapped[..], &profiles[..]].concat()));
    let alone: Value = serde_json::from_str(&alone).unwrap();
    let attribute = &data(&page)["attribute"];
    for key in ["metric", "base", "target", "factors", "design"] {
        assert_eq!(attribute[key], alone[key], "{key}");
    }
    let value = |of: &Value, key: &str, at: usize| of[key][at]["attribution_log"].as_f64().unwrap();
    for at in 0..5 {
        let (embedded, full) = (value(attribute, "independent", at), value(&alone, "independent", at));
        assert!((embedded - full).abs() <= 1e-4 * full.abs(), "{embedded} {full}");
    }
    let subsystems = |of: &Value| -> Vec<String> {
        let rows = of["profiles"]["rows"].as_array().unwrap().iter();
        rows.map(|row| format!("{} {}", row["factor"], row["subsystem"])).collect()
    };
    assert_eq!(subsystems(attribute), subsystems(&alone));
    assert_eq!(subsystems(attribute).len(), 2);
    let (_, section) = page.split_once("<section id=\"factors\">").unwrap();
    let section = section.split_once("</section>").unwrap().0;
    let pictures: Vec<&str> = section.split("<svg ").skip(1).collect();
    assert_eq!(pictures.len(), 3, "the waterfall, the dots of each factor, the pairs");
    for picture in pictures {
        let svg = format!("<svg {}</svg>", picture.split_once("</svg>").unwrap().0);
        roxmltree::Document::parse(&svg).unwrap();
    }
    assert!(section.contains("Gap of ") && section.contains("together"), "{section}");
    assert!(page.contains("<a href=\"#factors\">factor by factor</a>"));
    assert!(page.len() < 2_000_000);
}

#[test]
fn a_report_without_a_factor_that_has_a_subsystem_has_the_tables_all_the_same() {
    let [before, after] = default_pair();
    let runs = fixture("study/update_non_index.csv");
    let factors = ["--factors", "writer,pfs,binlog,ps,flush,patches"];
    let page = stdout(&pdiff(&[&["report", &before, &after, "--runs", &runs], &factors[..]].concat()));
    let attribute = &data(&page)["attribute"];
    assert!(attribute["cumulative"].as_array().is_some_and(|steps| !steps.is_empty()));
    assert!(page.contains("69,818"));
}

/// A recording whose names are all hostile.
fn hostile(directory: &Path, name: &str) -> PathBuf {
    let names = [
        "<script>alert(1)</script>",
        "</script><img src=x onerror=alert(1)>",
        "a\"b'c&amp;",
        "]]>--><!--",
        "\u{1b}[31m\u{202e}gnp",
        "\u{2028}line",
    ];
    let mut text = String::new();
    for second in 0..8 {
        for sample in 0..40 {
            text.push_str(&format!("x<b>&comm 1 {second}.{sample:06}: 1000 cpu-clock:\n"));
            for frame in names.iter().skip(sample % 3) {
                text.push_str(&format!("\t4000 {frame}+0x4 (/bin/<i>app)\n"));
            }
            text.push('\n');
        }
    }
    let path = directory.join(name);
    std::fs::write(&path, text).unwrap();
    path
}

#[test]
fn hostile_names_are_no_markup() {
    let directory = tempfile::tempdir().unwrap();
    let before = hostile(directory.path(), "<script>x.perf");
    let after = hostile(directory.path(), "b&\"'.perf");
    let [before, after] = [before, after].map(|path| path.to_str().unwrap().to_owned());
    let page = stdout(&pdiff(&["report", &before, &after, "--title", "</title><script>alert(2)</script>"]));
    let seen = seen(&page);
    let tags = seen.tags.borrow();
    assert_eq!(tags.iter().filter(|(tag, _)| tag == "script").count(), 2);
    assert!(!tags.iter().any(|(tag, _)| ["img", "b<", "i"].contains(&tag.as_str())));
    assert!(!tags.iter().flat_map(|(_, of)| of).any(|(name, _)| name.starts_with("on")));
    let data = data(&page);
    let names: Vec<&str> =
        data["tree"]["functions"].as_array().unwrap().iter().map(|of| of["name"].as_str().unwrap()).collect();
    assert!(names.contains(&"</script><img src=x onerror=alert(1)>"), "{names:?}");
    assert!(!page.contains('\u{202e}') || !page.split_once("id=\"data\"").unwrap().0.contains('\u{202e}'));
}

#[test]
fn wrong_choices_are_told_in_a_line() {
    let [before, after] = default_pair();
    let directory = tempfile::tempdir().unwrap();
    let target = directory.path().join("none.html");
    let target = target.to_str().unwrap();
    let check = |arguments: &[&str], expected: &str| {
        let output = pdiff(&[&["report"], arguments, &["-o", target]].concat());
        let said = String::from_utf8_lossy(&output.stderr).into_owned();
        assert_eq!(output.status.code(), Some(2), "{said}");
        assert!(said.contains(expected), "{said}");
        assert!(!Path::new(target).exists());
    };
    check(
        &[&before, &after, "--min-width", "101"],
        "'101' for '--min-width <PERCENT>': not a number from 0 to 100",
    );
    check(&[&before, &after, "--by", "subsystem"], "verdicts are on functions");
    check(&[&before, "/nonexistent.perf"], "/nonexistent.perf");
    let runs = fixture("study/update_non_index.csv");
    check(&[&before, &after, "--runs", &runs], "--factors");
    check(&[&before, &after, "--factors", "writer"], "--runs");
    check(&[&before, &after, "--runs", "/nonexistent.csv", "--factors", "a"], "/nonexistent.csv");
    check(&[&before, &after, "--runs", &runs, "--factors", "nothing"], "nothing");
    check(&["-", &after, "--runs", "-", "--factors", "writer"], "standard input can be one thing only");
    check(
        &[&before, &after, "--settings-before", "/nonexistent.tsv", "--settings-after", "/nonexistent.tsv"],
        "/nonexistent.tsv",
    );
}

/// A recording of many functions with long names in deep stacks; every third function is heavier after.
fn crowd(path: &Path, functions: usize, is_after: bool) {
    let name =
        |at: usize| format!("ns::Part{}<{}>::function_{at}", at % 97, "std::pair<int, char&>, ".repeat(4));
    let names: Vec<String> = (0..functions).map(name).collect();
    let mut text = String::new();
    for (at, leaf) in names.iter().enumerate() {
        let weight = 1000 + if is_after && at % 3 == 0 { 600 } else { at % 7 };
        text.push_str(&format!(
            "app 1 {}.{:06}: {weight} cpu-clock:\n\t4000 {leaf}+0x4 (/bin/app)\n",
            at % 20,
            at / 20
        ));
        for depth in 0..40 {
            text.push_str(&format!(
                "\t4000 {}+0x8 (/bin/app)\n",
                names[(at / 100 * 131 + depth * 7) % functions]
            ));
        }
        text.push('\n');
    }
    std::fs::write(path, text).unwrap();
}

#[test]
fn a_page_of_very_many_functions_stays_under_two_megabytes_and_says_what_it_leaves_out() {
    let directory = tempfile::tempdir().unwrap();
    let [before, after] = ["a.perf", "b.perf"].map(|name| directory.path().join(name));
    crowd(&before, 10_000, false);
    crowd(&after, 10_000, true);
    let [before, after] = [before, after].map(|path| path.to_str().unwrap().to_owned());
    let page = stdout(&pdiff(&["report", &before, &after, "--min-width", "0"]));
    assert!((1_000_000..2_000_000).contains(&page.len()), "{} bytes", page.len());
    let (_, notes) = page.split_once("<section id=\"notes\">").unwrap();
    let notes = notes.split_once("</section>").unwrap().0;
    for words in ["functions without a significant change", "frames of the flame graph", "under 2 MB"] {
        assert!(notes.contains(words), "{words}: {notes}");
    }
    let data = data(&page);
    for (side, self_weight, total_weight) in [("before", 4, 5), ("after", 6, 7)] {
        let whole = data["compare"][side]["weight"].as_u64().unwrap();
        let rows = data["compare"]["functions"].as_array().unwrap();
        let kept: u64 = rows.iter().map(|row| row[side]["self_weight"].as_u64().unwrap_or(0)).sum();
        let left_out = &data["compare"]["functions_left_out"];
        assert_eq!(kept + left_out[format!("{side}_self_weight")].as_u64().unwrap(), whole);
        assert!(rows.len() >= 100);
        assert_eq!(rows.len() as u64 + left_out["count"].as_u64().unwrap(), 10_000);
        let frames = data["tree"]["frames"].as_array().unwrap();
        let own: u64 = frames.iter().map(|frame| frame[self_weight].as_u64().unwrap()).sum();
        assert_eq!((own, frames[0][total_weight].as_u64()), (whole, Some(whole)));
        let pruned: u64 = frames.iter().filter_map(|frame| frame[3].as_u64()).sum();
        assert!(frames.len() > 100 && pruned > 1000, "{} {pruned}", frames.len());
    }
}

#[test]
fn a_page_of_absurd_names_and_words_stays_under_two_megabytes() {
    let directory = tempfile::tempdir().unwrap();
    let record = |name: &str, other: &str| {
        let mut text = String::new();
        for second in 0..8 {
            for sample in 0..60 {
                text.push_str(&format!("x 1 {second}.{sample:06}: 1000 cpu-clock:\n"));
                for depth in 0..3 {
                    let long = "<\u{202e}&".repeat(9000);
                    let object = format!("/bin/{}{long}", sample / 10);
                    text.push_str(&format!(
                        "\t4000 f{}{other}{long}+0x4 ({})\n",
                        sample * 7 + depth,
                        &object[..600]
                    ));
                }
                text.push('\n');
            }
        }
        let path = directory.path().join(name);
        std::fs::write(&path, text).unwrap();
        path.to_str().unwrap().to_owned()
    };
    let (before, after) = (record("a.perf", ""), record("b.perf", "x"));
    let long = "\"&<".repeat(30_000);
    let page = stdout(&pdiff(&[
        "report",
        &before,
        &after,
        "--title",
        &long,
        "--label-before",
        &long,
        "--label-after",
        &long,
        "--lenient",
    ]));
    assert!(page.len() < 2_000_000, "{} bytes", page.len());
    assert!(data(&page)["tree"]["frames"].as_array().is_some_and(|frames| !frames.is_empty()));
}

#[test]
fn two_runs_of_one_build_are_explained_by_nothing() {
    let [before, after, windows] =
        ["mysql/80-aligned-r1.perf.zst", "mysql/80-aligned-r2.perf.zst", "mysql/operations.tsv"].map(fixture);
    let page = stdout(&pdiff(&["report", &before, &after, "--windows", &windows]));
    let written = page.split_once("<script type=\"application/json\"").unwrap().0;
    assert!(
        written.contains("completes neither clearly more nor clearly fewer operations/s than"),
        "the verdict comes first"
    );
    assert!(written.contains("no part of the program changed beyond noise"));
    for explanation in ["class=\"chart parts\"", "step by step", "Largest changes", "By part of the program"]
    {
        assert!(!written.contains(explanation), "{explanation}");
    }
    let data = data(&page);
    let columns: Vec<&str> =
        data["tree"]["columns"].as_array().unwrap().iter().map(|name| name.as_str().unwrap()).collect();
    for name in ["self_per_op_significant", "total_per_op_significant"] {
        let at = columns.iter().position(|column| *column == name).unwrap();
        let frames = data["tree"]["frames"].as_array().unwrap();
        let coloured = frames.iter().skip(1).filter(|frame| frame[at] == true).count();
        assert_eq!(coloured, 0, "{name}");
    }
}

#[test]
fn the_answer_stands_first_and_its_parts_sum_to_the_change() {
    let [before, after] = default_pair();
    let page = stdout(&pdiff(&["report", &before, &after, "--windows", &fixture("mysql/operations.tsv")]));
    let order = ["class=\"verdict\"", "class=\"chart parts\"", "id=\"graph\"", "id=\"rows\"", "id=\"cards\""];
    let places: Vec<usize> = order.iter().map(|text| page.find(text).unwrap()).collect();
    assert!(places.is_sorted(), "{places:?}");
    let (_, table) = page.split_once("class=\"chart parts\"").unwrap();
    let table = table.split_once("</table>").unwrap().0;
    let number = |row: &str| -> f64 {
        let (_, cells) = row.split_once("</span></span></td><td class=\"number\">").unwrap();
        cells.split_once('<').unwrap().0.parse().unwrap()
    };
    let rows: Vec<f64> = table.split("<tr class=").skip(1).map(number).collect();
    let (whole, parts) = rows.split_last().unwrap();
    assert!((parts.iter().sum::<f64>() - whole).abs() < 0.1 * rows.len() as f64, "{rows:?}");
    assert!(
        table.split("<tr class=").nth(1).unwrap().contains("data-function=\"log_writer\""),
        "the first part"
    );
}
