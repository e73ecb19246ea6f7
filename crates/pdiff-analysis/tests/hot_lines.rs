//! Hot lines: their weights sum to what was sampled in the function's code, wherever it stands.

#![expect(clippy::unwrap_used, reason = "a test that cannot go on may panic")]

#[expect(dead_code, reason = "shared with tests that need more of it")]
mod support;

use pdiff_analysis::{HotLine, Row, RowFunction, RunInput, SideInput, Sides, compare, hot_lines};
use pdiff_profile::{
    EventId, Frame, InlineChain, InlineFrame, Lookup, Object, Profile, ProfileBuilder, RawAddr, Reason,
    Resolution, Resolutions, Span, Thread, Weight,
};

/// A leaf's functions as `name@line`, outermost first; all in `/src/name.cc`.
fn chain(words: &str) -> Resolution {
    let frames = words.split_whitespace().enumerate().map(|(depth, word)| {
        let (name, line) = word.split_once('@').unwrap();
        InlineFrame {
            name: name.into(),
            linkage_name: None,
            file: Some(format!("/src/{name}.cc").into()),
            line: line.parse().ok(),
            inlined: depth > 0,
        }
    });
    InlineChain::new(frames.collect()).map_or(Resolution::Unresolved(Reason::NoSymbol), Resolution::Resolved)
}

/// A profile of leaves with their weights, each at an address of its own.
fn sampled(leaves: &[(&str, u64)]) -> (Profile, Resolutions) {
    let mut builder = ProfileBuilder::new();
    let event = builder.event("cpu-clock");
    let object = builder.object(Object::from_text("/bin/app"));
    let comm = builder.string("app");
    let thread = builder.thread(Thread { comm, pid: Some(1), tid: None });
    let mut frames = Vec::new();
    for (addr, (words, weight)) in (0x1000..).zip(leaves) {
        let symbol = Some(builder.string(words.split('@').next().unwrap()));
        let addr = Some(RawAddr(addr));
        let frame =
            builder.frame(Frame { addr, symbol, symbol_offset: None, object, source: None, inlined: false });
        let stack = builder.stack(&[frame]);
        builder.count(event, 0, thread, stack, u32::try_from(*weight).unwrap(), Weight(*weight));
        frames.push(frame);
    }
    builder.span = Some(Span { first_ns: 0, last_ns: 1_000_000_000 });
    let profile = builder.finish().unwrap();
    let mut resolutions = Resolutions::new(profile.frames.len());
    for (frame, (words, _)) in frames.into_iter().zip(leaves) {
        let number = resolutions.add(chain(words));
        resolutions.set(frame, Lookup::Exact, number);
    }
    (profile, resolutions)
}

fn side<'a>((profile, resolutions): &'a (Profile, Resolutions)) -> SideInput<'a> {
    let run = RunInput {
        path: "x".to_owned(),
        profile,
        resolutions: Some(resolutions),
        notes: None,
        event: EventId(0),
        measures: pdiff_profile::RunMeasures::default(),
    };
    SideInput { label: "x".to_owned(), runs: vec![run], objects: Vec::new() }
}

const BEFORE: [(&str, u64); 5] =
    [("scan@10", 30), ("scan@10", 5), ("scan@12 leaf@3", 40), ("other@1 scan@14", 20), ("other@2", 99)];
const AFTER: [(&str, u64); 2] = [("scan@x", 7), ("leaf@3", 11)];

#[test]
fn lines_of_all_copies_sum_to_the_functions_weight() {
    let (before, after) = (sampled(&BEFORE), sampled(&AFTER));
    let sides = Sides { before: side(&before), after: side(&after) };
    let settings = support::settings();
    let comparison = compare(&sides, &settings);
    let function = |row: &Row| RowFunction {
        name: row.name.clone(),
        object: row.object.clone(),
        file: row.file.clone(),
    };
    let functions: Vec<RowFunction> = comparison.rows.iter().map(function).collect();
    let all = hot_lines(&sides, &settings, &functions);
    for (row, lines) in comparison.rows.iter().zip(&all) {
        for (side, expected) in lines.sides.iter().zip([row.before.x_weight, row.after.x_weight]) {
            let sum: u64 = side.lines.iter().map(|line| line.weight.0).sum();
            assert_eq!(side.weight, expected, "{}", row.name);
            assert_eq!(Weight(sum + side.without_line.0), expected, "{}", row.name);
        }
    }
    let scan: Vec<_> =
        all.iter().filter(|of| of.of.name == "scan").flat_map(|of| &of.sides[0].lines).collect();
    let words = |line: &&HotLine| {
        let at = line.called_at.as_ref().map_or(0, |at| at.line);
        let inlined = line.inlined.as_deref().unwrap_or("-");
        format!("{}:{} {inlined} {at} {}", line.at.file, line.at.line, line.weight.0)
    };
    let mut words: Vec<String> = scan.iter().map(words).collect();
    words.sort();
    words.dedup();
    assert!(words.contains(&"/src/leaf.cc:3 leaf 12 40".to_owned()), "{words:?}");
    assert!(words.contains(&"/src/scan.cc:14 - 0 20".to_owned()), "{words:?}");
    let after: Vec<_> = all.iter().filter(|of| of.of.name == "scan").map(|of| &of.sides[1]).collect();
    assert!(after.iter().any(|side| side.without_line == Weight(7) && side.lines.is_empty()));
}
