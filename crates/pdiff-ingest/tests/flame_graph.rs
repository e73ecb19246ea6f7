//! Flame graphs as input: what inferno and FlameGraph.pl drew is the folded stacks that they drew it from, what they left out is
//! stated, and what is damaged or hostile is refused.

#![expect(clippy::unwrap_used, reason = "in a test an unwrap is a check")]

use std::collections::BTreeMap;
use std::path::Path;
use std::sync::Arc;

use inferno::flamegraph::{self, Direction, Options};
use pdiff_ingest::{Error, FlameGraphError, ReadOptions, Source, TimeWindow, read_profile};
use pdiff_profile::{NoteKind, Profile};
use proptest::collection::vec;
use proptest::prelude::*;

fn read(bytes: &[u8]) -> Result<Profile, Error> {
    let source = Source::Bytes { name: "x.svg".into(), bytes: Arc::from(bytes) };
    read_profile(&source, &ReadOptions::new())
}

fn error(bytes: &[u8]) -> FlameGraphError {
    match read(bytes) {
        Err(Error::FlameGraph { source, .. }) => source,
        other => panic!("{other:?}"),
    }
}

fn fixture(name: &str) -> Vec<u8> {
    let directory = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../fixtures/flame-graph");
    std::fs::read(directory.join(name)).unwrap()
}

/// What inferno draws of folded stacks.
fn drawn(folded: &str, change: impl FnOnce(&mut Options<'_>)) -> Vec<u8> {
    let mut options = Options::default();
    options.min_width = 0.0;
    options.deterministic = true;
    change(&mut options);
    let mut svg = Vec::new();
    flamegraph::from_lines(&mut options, folded.lines(), &mut svg).unwrap();
    svg
}

/// Weights by stack; functions that are not known are called by their object.
type Stacks = BTreeMap<String, u64>;

fn stacks(profile: &Profile) -> Stacks {
    let mut stacks = Stacks::new();
    for cell in &profile.cells {
        let frames = profile.stacks.get(cell.stack).iter().map(|id| &profile.frames[id.index()]);
        let name = |frame: &pdiff_profile::Frame| match frame.symbol {
            Some(symbol) => profile.string(symbol).to_owned(),
            None => profile.objects[frame.object.index()].path.to_string(),
        };
        *stacks.entry(frames.map(name).collect::<Vec<_>>().join(";")).or_default() += cell.weight.0;
    }
    stacks
}

/// The stacks of a picture, and the weight that it says it does not show.
fn stacks_and_lost(svg: &[u8]) -> (Stacks, u64) {
    let profile = read(svg).unwrap();
    let lost = profile.notes.get(NoteKind::NarrowFrames).map_or(0, |note| note.weight.0);
    (stacks(&profile), lost)
}

fn of_folded(folded: &str) -> Stacks {
    stacks(&read(folded.as_bytes()).unwrap())
}

fn weight(stacks: &Stacks) -> u64 {
    stacks.values().sum()
}

const ODD: &str =
    "main 3\nmain;a<b>&\"c\" 5\nmain;a<b>&\"c\";main 7\nmain;f(int (*)(char)) 2\nmain;all;all 11\nübung 1\n";

#[test]
fn what_inferno_drew_is_read_exactly() {
    let expected = (of_folded(ODD), 0);
    assert_eq!(stacks_and_lost(&drawn(ODD, |_| {})), expected);
    assert_eq!(stacks_and_lost(&drawn(ODD, |options| options.direction = Direction::Inverted)), expected);
    assert_eq!(
        stacks_and_lost(&drawn(ODD, |options| options.factor = 0.001)),
        expected,
        "titles are rounded"
    );
    assert_eq!(stacks_and_lost(&drawn(ODD, |options| options.count_name = "ms, wall".into())), expected);
    assert_eq!(stacks_and_lost(&drawn(ODD, |options| options.pretty_xml = true)), expected);
    assert_eq!(stacks_and_lost(&drawn("all 1\n", |_| {})), (of_folded("all 1\n"), 0));
    let large = format!("a;b {}\na 1\n", u64::from(u32::MAX) * 1000);
    assert_eq!(stacks_and_lost(&drawn(&large, |_| {})), (of_folded(&large), 0));
}

#[test]
fn inferno_and_flamegraph_leave_out_the_marks_of_kernel_and_inlined_frames() {
    let (stacks, _) = stacks_and_lost(&drawn("a;b_[k] 1\na;c_[i] 2\na;d_[j] 3\n", |_| {}));
    assert_eq!(stacks, of_folded("a;b 1\na;c 2\na;d 3\n"));
    let kept = drawn("a;b 1\n", |_| {});
    let kept = String::from_utf8(kept).unwrap().replace("<title>b (", "<title>b_[k] (");
    let profile = read(kept.as_bytes()).unwrap();
    assert!(profile.objects.iter().any(|object| object.kind.is_kernel()), "a tool that keeps them is heard");
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 200, failure_persistence: None, ..ProptestConfig::default() })]

    /// Whatever the stacks are; with a least width, what is missing is no less than what is said to be. Lines are sorted as texts for a
    /// picture: names that go on with what comes before `;` would stand between two frames of one function.
    #[test]
    fn pictures_are_the_stacks_that_they_were_drawn_from(
        lines in vec((vec("[a-cA&][a-c<]{0,2}[a-z]", 1..6), 1..2000_u64), 1..30),
        least in 0.0..20.0_f64,
    ) {
        let folded: String =
            lines.iter().map(|(stack, count)| format!("{} {count}\n", stack.join(";").trim())).collect();
        let expected = of_folded(&folded);
        prop_assert_eq!(stacks_and_lost(&drawn(&folded, |_| {})), (expected.clone(), 0));
        let narrow = drawn(&folded, |options| options.min_width = least);
        let (stacks, lost) = stacks_and_lost(&narrow);
        prop_assert_eq!(weight(&stacks), weight(&expected), "the total is kept");
        let pruned: u64 = stacks.iter().filter(|(name, _)| name.ends_with("[pruned]")).map(|(_, own)| own).sum();
        prop_assert_eq!(pruned, lost);
        let total = |prefix: &str| -> u64 {
            let is_below = |stack: &str| stack == prefix || stack.starts_with(&format!("{prefix};"));
            expected.iter().filter(|(stack, _)| is_below(stack)).map(|(_, own)| own).sum()
        };
        let is_drawn = |stack: &str| total(stack) as f64 >= least / 100.0 * weight(&expected) as f64;
        let not_drawn: u64 =
            expected.iter().filter(|(stack, _)| !is_drawn(stack)).map(|(_, own)| own).sum();
        prop_assert!(lost <= not_drawn, "{} of {}", lost, not_drawn);
        for (stack, own) in &expected {
            if is_drawn(stack) {
                let found = stacks.get(stack).copied().unwrap_or(0);
                prop_assert!(found >= *own && found <= own + not_drawn - lost, "{}: {} {}", stack, found, own);
            }
        }
    }
}

#[test]
fn what_inferno_did_not_draw_is_stated_and_has_frames_of_its_own() {
    let folded = "a 1000000\na;b 500000\na;b;z 40\na;c 9\na;d 700000\na;e 30\nx 21\n";
    let svg = drawn(folded, |options| options.min_width = Options::default().min_width);
    let (stacks, lost) = stacks_and_lost(&svg);
    let expected = "a 1000000\na;b 500040\na;d 700000\na;[pruned] 39\n[pruned] 21\n";
    assert_eq!((stacks, lost), (of_folded(expected), 60), "z could be b's own");
    let profile = read(&svg).unwrap();
    let note = profile.notes.get(NoteKind::NarrowFrames).unwrap();
    assert_eq!(
        (note.count, &*note.examples[0]),
        (2, "at least this weight is not drawn, most of it below a")
    );
}

#[test]
fn what_flamegraph_drew_is_read_as_its_titles_say() {
    let folded = String::from_utf8(fixture("shop.folded")).unwrap().replace("_[k]", "");
    let expected = of_folded(&folded);
    assert_eq!(stacks_and_lost(&fixture("whole.svg")), (expected.clone(), 0));
    assert_eq!(stacks_and_lost(&fixture("inverted.svg")), (expected.clone(), 0));
    let (narrow, lost) = stacks_and_lost(&fixture("narrow.svg"));
    let missing = folded.replace(";zz_relax 11", " 11").replace(";zero_page", ";[pruned]");
    assert_eq!((narrow, lost), (of_folded(&missing.replace(";zz_log", ";[pruned]")), 10));
}

#[test]
fn numbers_that_were_rounded_by_a_factor_may_add_up_to_more() {
    let picture = |counts: [u64; 3]| {
        let frame = |name: &str, count: u64, percent: &str, row: u64, x: f64, width: f64| {
            format!(
                "<g><title>{name} ({count} ms, {percent}%)</title><rect x=\"{x}\" y=\"{row}\" width=\"{width}\"/></g>"
            )
        };
        let frames = [
            frame("b", counts[1], "50.00", 50, 10.0, 500.0),
            frame("all", counts[0], "100", 100, 10.0, 1000.0),
            frame("c", counts[2], "50.00", 50, 510.0, 500.0),
        ];
        format!("<svg>{}</svg>", frames.concat())
    };
    assert_eq!(stacks(&read(picture([5, 3, 3]).as_bytes()).unwrap()), of_folded("b 3\nc 3\n"));
    assert!(matches!(error(picture([5, 3, 4]).as_bytes()), FlameGraphError::Damaged(_)));
}

#[test]
fn differences_are_refused() {
    assert_eq!(error(&fixture("difference.svg")), FlameGraphError::Difference);
    assert_eq!(error(&drawn("a;b 1 2\na 3 3\n", |_| {})), FlameGraphError::Difference);
    assert!(FlameGraphError::Difference.to_string().contains("hint: give the two profiles"));
}

#[test]
fn other_pictures_are_refused() {
    let check = |svg: &str| {
        let error = error(svg.as_bytes());
        assert!(matches!(error, FlameGraphError::OtherPicture(_)), "{svg}: {error}");
    };
    check("<svg/>");
    check("<svg><rect x=\"1\" y=\"2\" width=\"3\"/></svg>");
    check("<svg><g><title>A plot</title><rect x=\"1\" y=\"2\" width=\"3\"/></g></svg>");
    check("<svg><g><title>f (3 samples, 1.00%)</title><rect x=\"1\" y=\"2\" width=\"3\"/></g></svg>");
    check("<svg><g><title>all (0 samples, 100%)</title><rect x=\"1\" y=\"2\" width=\"3\"/></g></svg>");
}

#[test]
fn a_picture_that_was_cut_off_anywhere_is_refused() {
    for svg in [drawn("main;a 3\nmain;b 4\n", |_| {}), fixture("narrow.svg")] {
        let end = svg.trim_ascii_end().len();
        let start = svg.windows(4).position(|word| word == b"<svg").unwrap();
        for cut in start + 5..end {
            let result = read(&svg[..cut]);
            assert!(result.is_err(), "{cut} of {end}");
        }
        assert!(read(&svg[..end]).is_ok());
        let error = error(&svg[..end - 3]).to_string();
        assert!(error.contains("is damaged") && error.lines().count() == 1, "{error}");
    }
}

#[test]
fn frames_that_do_not_fit_are_damage() {
    let svg = String::from_utf8(drawn("main;a 3\nmain;b 4\n", |_| {})).unwrap();
    let check = |from: &str, to: &str| {
        assert!(svg.contains(from), "{svg}");
        let result = read(svg.replacen(from, to, 1).as_bytes());
        let is_damage = matches!(&result, Err(Error::FlameGraph { source: FlameGraphError::Damaged(_), .. }));
        assert!(is_damage, "{from} -> {to}: {result:?}");
    };
    check("fg:w=\"4\"", "fg:w=\"5\"");
    check("fg:x=\"3\"", "fg:x=\"2\"");
    check("fg:x=\"3\"", "");
    check("total_samples=\"7\"", "total_samples=\"8\"");
    check("<title>a (3 samples, 42.86%)", "<title>all (3 samples, 100%)");
    check("<title>a (", "<title>&a; (");
}

#[test]
fn hostile_pictures_are_bounded() {
    let is_damage = |svg: &str| matches!(error(svg.as_bytes()), FlameGraphError::Damaged(_));
    let nested = format!("<svg>{}{}</svg>", "<g>".repeat(1 << 16), "</g>".repeat(1 << 16));
    assert!(is_damage(&nested), "deep nesting");
    let entities: String =
        (1..30).map(|n| format!("<!ENTITY e{n} \"{}\">", format!("&e{};", n - 1).repeat(10))).collect();
    let frame = "<g><title>&e29; (1 samples, 100%)</title><rect x=\"1\" y=\"1\" width=\"1\"/></g>";
    let bomb = format!("<!DOCTYPE svg [<!ENTITY e0 \"lol\">{entities}]><svg>{frame}</svg>");
    assert!(is_damage(&bomb), "entities are not expanded");
    let frames = (0..11_000_u64).map(|depth| {
        let weight = 11_000 - depth;
        let percent = if depth == 0 { "all (1 x, 100%)" } else { "f (1 x, 1.00%)" };
        format!("<g><title>{percent}</title><rect y=\"{depth}\" fg:x=\"0\" fg:w=\"{weight}\"/></g>")
    });
    let deep = format!("<svg>{}</svg>", frames.collect::<String>());
    let too_large = FlameGraphError::TooLarge { limit: 1 << 25, what: "frames in its stacks" };
    assert_eq!(error(deep.as_bytes()), too_large, "each frame of a deep stack has samples of its own");
    let many =
        "<g><title>f (1 x, 1.00%)</title><rect y=\"1\" x=\"1\" width=\"1\"/></g>".repeat((1 << 19) + 1);
    assert_eq!(
        error(format!("<svg>{many}</svg>").as_bytes()),
        FlameGraphError::TooLarge { limit: 1 << 19, what: "frames" }
    );
}

#[test]
fn a_picture_has_no_times() {
    let options = ReadOptions { time: TimeWindow::parse("1,2").unwrap(), ..ReadOptions::new() };
    let source = Source::Bytes { name: "x.svg".into(), bytes: Arc::from(drawn("a 1\n", |_| {})) };
    assert!(matches!(read_profile(&source, &options), Err(Error::NoTimes { .. })));
}
