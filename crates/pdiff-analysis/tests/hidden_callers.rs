//! Callers that chains hide are put back where the code has one way, and nowhere else.

#![expect(clippy::unwrap_used, reason = "a test that cannot go on may panic")]

use std::collections::BTreeMap;

use pdiff_analysis::{CompareSettings, Comparison, PreparedSides, RunInput, SideInput, Sides};
use pdiff_profile::census::{
    Body, CallEdge, Census, CensusBuilder, EdgeSource, FunctionFacts, Linkage, Visibility,
};
use pdiff_profile::{
    Call, EventId, FrameId, InlineChain, InlineFrame, Lookup, NoteKind, ObjectAddr, PerSide, Profile,
    Resolution, Resolutions, Side,
};
use support::{compared, profile, settings, side};

#[allow(dead_code, reason = "one module for many tests")]
mod support;

/// A build: `a > b` is a call, `a ~ b` a jump in tail position; `operator_new` is an operator.
fn census(code: &str, visibility: Visibility) -> Census {
    let mut builder = CensusBuilder::new(visibility);
    let mut known = BTreeMap::new();
    for edge in code.split(',') {
        let words: Vec<&str> = edge.split_whitespace().collect();
        let [caller, how, callee] = words[..] else { panic!("{edge}") };
        let [caller, callee] = [caller, callee].map(|name| {
            let next = 0x1000 * (1 + known.len() as u64);
            *known.entry(name.to_owned()).or_insert_with(|| {
                let text = builder.text(&name.replace("operator_", "operator "));
                let linkage = match name {
                    _ if name.ends_with("@plt") => Linkage::Imported,
                    _ if name.starts_with("static_") => Linkage::Local,
                    _ => Linkage::External,
                };
                let function = builder.function(FunctionFacts { linkage, ..FunctionFacts::named(text) });
                builder.body(function, Body::at(ObjectAddr(next), 64));
                function
            })
        });
        let (calls, tail_jumps) = if how == ">" { (1, 0) } else { (0, 1) };
        builder.edge(CallEdge { caller, callee, calls, tail_jumps, source: EdgeSource::Disassembly });
    }
    builder.finish()
}

fn put_back(code: &str, stacks: &str, command: &str) -> Comparison {
    let build = census(code, Visibility::DebugInfo);
    put_back_by(PerSide::new(&build, &build), stacks, command)
}

fn put_back_by(builds: PerSide<&Census>, stacks: &str, command: &str) -> Comparison {
    let mut recorded: Profile = profile(stacks);
    recorded.header.push(("cmdline".into(), command.into()));
    let sides = Sides { before: side("a", &[&recorded], &[]), after: side("b", &[&recorded], &[]) };
    let settings = CompareSettings { ..settings() };
    let prepared = PreparedSides::new(&sides, &settings);
    let mended = prepared.with_hidden_callers(&sides, "app", builds.map(Some), &settings.knowledge);
    mended.compare(&sides, &settings)
}

/// As [`put_back`] of a recording with addresses: `calls` says which functions frames called (`run > find`; `run > ?` through a
/// pointer).
fn put_back_knowing(calls: &str, code: &str, stacks: &str) -> Comparison {
    put_back_of(PerSide::new((calls, code, stacks), (calls, code, stacks)))
}

/// As [`put_back_knowing`], of two sides.
fn put_back_of(sides: PerSide<(&str, &str, &str)>) -> Comparison {
    let recorded = sides.map(|(calls, _, stacks)| known_calls(calls, stacks));
    let input = |name: &str, (profile, resolutions)| {
        let run = RunInput { resolutions: Some(resolutions), ..RunInput::new("x", profile, EventId(0)) };
        SideInput::new(name, vec![run])
    };
    let of = |side: Side| (&recorded[side].0, &recorded[side].1);
    let inputs = Sides { before: input("a", of(Side::Before)), after: input("b", of(Side::After)) };
    let builds = sides.map(|(_, code, _)| census(code, Visibility::DebugInfo));
    let settings = settings();
    let prepared = PreparedSides::new(&inputs, &settings);
    let builds = PerSide::new(Some(&builds.before), Some(&builds.after));
    prepared.with_hidden_callers(&inputs, "app", builds, &settings.knowledge).compare(&inputs, &settings)
}

/// A comparison without builds of two recordings with addresses: the calls of their frames, and their stacks.
fn compared_knowing(sides: PerSide<(&str, &str)>) -> Comparison {
    let recorded = sides.map(|(calls, stacks)| known_calls(calls, stacks));
    let input = |name: &str, (profile, resolutions)| {
        let run = RunInput { resolutions: Some(resolutions), ..RunInput::new("x", profile, EventId(0)) };
        SideInput::new(name, vec![run])
    };
    let of = |side: Side| (&recorded[side].0, &recorded[side].1);
    let inputs = Sides { before: input("a", of(Side::Before)), after: input("b", of(Side::After)) };
    PreparedSides::new(&inputs, &settings()).compare(&inputs, &settings())
}

fn known_calls(calls: &str, stacks: &str) -> (Profile, Resolutions) {
    let mut recorded: Profile = profile(stacks);
    recorded.header.push(("cmdline".into(), "perf record -g".into()));
    let mut resolutions = Resolutions::new(recorded.frames.len());
    let function = |name: &str| InlineFrame {
        name: name.into(),
        linkage_name: None,
        file: None,
        line: None,
        inlined: false,
    };
    let mut numbers = BTreeMap::new();
    for (id, frame) in (0..).map(FrameId).zip(&recorded.frames) {
        let name = recorded.string(frame.symbol.unwrap());
        let chain = InlineChain::new(vec![function(name)]).unwrap();
        let number = resolutions.add(Resolution::Resolved(chain));
        numbers.insert(name.to_owned(), (id, number));
        for lookup in [Lookup::Exact, Lookup::MinusOne] {
            resolutions.set(id, lookup, number);
        }
    }
    let mut known = Vec::new();
    for words in calls.split(", ").filter(|words| !words.is_empty()) {
        let (caller, callee) = words.split_once(" > ").unwrap();
        let call = match numbers.get(callee) {
            _ if callee == "?" => Call::Pointer,
            Some((_, number)) => Call::Function(*number),
            // No sample has it.
            None => {
                let chain = InlineChain::new(vec![function(callee)]).unwrap();
                Call::Function(resolutions.add(Resolution::Resolved(chain)))
            }
        };
        known.extend(numbers.get(caller).map(|(frame, _)| (*frame, call)));
    }
    resolutions.set_calls(known.into_iter().collect());
    (recorded, resolutions)
}

/// The weight of stacks that hold a function, of 100.
fn totals(comparison: &Comparison) -> BTreeMap<&str, f64> {
    comparison.rows.iter().map(|row| (&*row.name, row.before.total_pct)).collect()
}

#[track_caller]
fn check(code: &str, stacks: &str, function: &str, expected: f64) {
    let comparison = put_back(code, stacks, "perf record -g");
    assert!((totals(&comparison)[function] - expected).abs() < 1e-9, "{:?}", totals(&comparison));
    let self_pct: f64 = comparison.rows.iter().map(|row| row.before.self_pct).sum();
    assert!((self_pct - 100.0).abs() < 1e-9, "{self_pct}");
}

#[test]
fn samples_that_lack_the_function_called_last_are_counted() {
    let missing = |calls: &str, stacks: &str| {
        let compared = compared_knowing(PerSide::new((calls, stacks), (calls, stacks)));
        compared.missing_callers.map(|of| of.map(|of| (of.told_pct, of.unknown_pct)))
    };
    let both = |told: f64, unknown: f64| Some(PerSide::new((told, unknown), (told, unknown)));
    let stacks = "main;run;find;cmp 20\nmain;run;cmp 30\nmain;run;find 10\nmain;run 40";
    assert_eq!(missing("run > find, find > cmp", stacks), both(30.0, 0.0));
    // What the kernel does for the leaf is no call in the code.
    let interrupted = "main;run;find 60\nmain;run;cmp;[kernel.kallsyms]!tick 30\nmain;run;find;cmp 10";
    assert_eq!(missing("run > find, find > cmp", interrupted), both(30.0, 0.0));
    // Through a pointer anything may have been called, and a stub leads to what its name does not say.
    assert_eq!(missing("run > ?", stacks), both(0.0, 0.0));
    // What ran in a library was hardly called through the pointer itself.
    assert_eq!(missing("run > ?", &stacks.replace("run;cmp", "run;libc.so.6!memchr")), both(0.0, 30.0));
    let called_back = "main;libc.so.6!qsort;cmp 30\nmain;libc.so.6!qsort;libc.so.6!memcpy 30\nmain 40";
    assert_eq!(missing("qsort > ?", called_back), both(0.0, 0.0));
    let by_stub = "main;run;cmp 30\nmain;run;cmp@plt 1\nmain;run 69";
    assert_eq!(missing("run > cmp@plt", by_stub), both(0.0, 0.0));
    // The classification put them back.
    let code = "main > run, run > find, find > cmp";
    assert_eq!(put_back_knowing("run > find, find > cmp", code, stacks).missing_callers, None);
}

#[test]
fn parts_have_the_functions_that_stacks_lack() {
    let largest = |calls: [&str; 2], stacks: [&str; 2]| {
        let compared = compared_knowing(PerSide::new((calls[0], stacks[0]), (calls[1], stacks[1])));
        let part = compared.findings.list.first().map(|part| part.function().to_owned());
        (part.unwrap_or_default(), totals(&compared).get("find").copied().unwrap_or(0.0))
    };
    let calls = "main > run, run > find";
    let of = |copies: u32| {
        format!(
            "main;run;find 1000\nmain;run;libc.so.6!memcpy {copies}\nmain;run 4000\nmain {}",
            15_000 - copies
        )
    };
    let (before, after) = (of(1000), of(9000));
    // Rows are as recorded.
    assert_eq!(largest([calls, calls], [&before, &after]), ("find".into(), 5.0));
    // A function that jumped to the one below it is lost in the middle of a stack.
    let jumping = |of: &str| of.replace("memcpy", "memcpy;libc.so.6!move");
    assert_eq!(largest([calls, calls], [&jumping(&before), &jumping(&after)]).0, "find");
    // Of one side alone, both are as recorded.
    assert_eq!(largest(["main > run", ""], [&before, &after]).0, "run");
    assert_eq!(largest(["", calls], [&before, &after]).0, "run");
    // Other samples of one side alone have it, and it is put back on both.
    let unseen = |of: &str| of.replace("main;run;find 1000\n", "");
    for (before, after, gone) in
        [(unseen(&before), after.clone(), false), (before.clone(), unseen(&after), true)]
    {
        let comparison = compared_knowing(PerSide::new((calls, &*before), (calls, &*after)));
        let part = &comparison.findings.list[0];
        assert_eq!(part.function(), "find");
        assert!(part.before.pct > 4.0 && part.after.pct > 40.0, "{gone}: {part:?}");
    }
    // No sample has it, so nothing says how rows would call it.
    let unseen = |of: &str| of.replace("main;run;find 1000\n", "");
    assert_eq!(largest([calls, calls], [&unseen(&before), &unseen(&after)]).0, "run");
}

/// A run whose calls are not known would have less of a function than the other runs of its side.
#[test]
fn parts_are_as_recorded_where_the_calls_of_one_run_are_not_known() {
    let stacks = "main;run;find 1000\nmain;run;libc.so.6!memcpy 1000\nmain 8000";
    let (profile, resolutions) = known_calls("main > run, run > find", stacks);
    let told = || RunInput { resolutions: Some(&resolutions), ..RunInput::new("x", &profile, EventId(0)) };
    let untold = || RunInput { resolutions: None, ..told() };
    let missing = |second: RunInput<'_>| {
        let before = SideInput::new("a", vec![told(), second]);
        let sides = Sides { before, after: SideInput::new("b", vec![told(), told()]) };
        PreparedSides::new(&sides, &settings()).compare(&sides, &settings()).missing_callers
    };
    assert!(missing(told()).is_some_and(|of| of.before.told_pct == 10.0));
    assert_eq!(missing(untold()), None);
}

#[test]
fn the_caller_of_a_leaf_is_put_back() {
    let code = "main > reply, reply > render";
    check(code, "main;reply;render 20\nmain;reply 10\nmain;render 30\nmain 40", "reply", 60.0);
    // Interrupts strike leaves.
    check(code, "main;reply 10\nmain;render;[kernel.kallsyms]!tick 30\nmain 60", "reply", 40.0);
    // The start of the program calls one function.
    check(code, "libc.so.6!__libc_start_call_main;reply 30\nmain 70", "main", 100.0);
}

#[test]
fn the_caller_of_a_leaf_in_a_library_is_put_back() {
    let code = "main > find, find > strcmp@plt, main > other";
    let stacks = "main;find 10\nmain;libc.so.6!strcmp 50\nmain 40";
    check(code, stacks, "find", 60.0);
    // The code has the call, or two functions have it.
    check(&format!("{code}, main > strcmp@plt"), stacks, "find", 10.0);
    check(&format!("{code}, other > strcmp@plt"), stacks, "find", 10.0);
    // No leaf: the library's function calls another one.
    check(code, "main;find 10\nmain;libc.so.6!strcmp;libc.so.6!pad 50\nmain 40", "find", 10.0);
    // One code has several names in the library.
    let code = "main > find, find > memcpy@plt";
    check(code, "main;find 10\nmain;libc.so.6!memmove 50\nmain 40", "find", 60.0);
    // In the stub, too.
    check("main > find, find > strcmp@plt", "main;find 10\nmain;strcmp@plt 50\nmain 40", "find", 60.0);
    // The library has another name for it inside.
    let code = "main > find, find > write@plt";
    check(
        code,
        "main;find 10\nmain;libc.so.6!__GI___libc_write;[kernel.kallsyms]!tick 50\nmain 40",
        "find",
        60.0,
    );
    // A function of the program of the same name is another one.
    check("main > find, find > strcmp", stacks, "find", 10.0);
    // One build cannot tell: then it is put back on neither side.
    let code = "main > find, find > strcmp@plt";
    let (whole, stripped) = (census(code, Visibility::DebugInfo), census(code, Visibility::DynamicSymbols));
    let comparison = put_back_by(PerSide::new(&whole, &stripped), stacks, "perf record -g");
    assert!((totals(&comparison)["find"] - 10.0).abs() < 1e-9, "{:?}", totals(&comparison));
}

#[test]
fn memory_may_be_asked_for_by_the_language() {
    // `insert` alone calls malloc, through a pointer, and others call `operator new`, which does.
    let stacks = "main;insert 10\nmain;libc.so.6!malloc 50\nmain 40";
    let code = "main > other, insert > malloc@plt";
    check(code, stacks, "insert", 60.0);
    check(&format!("{code}, append > new@plt"), stacks, "insert", 60.0);
    check(&format!("{code}, append > operator_new@plt"), stacks, "insert", 10.0);
    let stacks = stacks.replace("malloc", "cfree");
    let code = "main > other, insert > free@plt";
    check(code, &stacks, "insert", 60.0);
    check(&format!("{code}, append > operator_delete@plt"), &stacks, "insert", 10.0);
}

#[test]
fn who_left_by_a_jump_is_put_back_at_any_depth() {
    let code = "main > step, step ~ work, work > deep, deep > leaf, main > other, other > leaf";
    check(code, "main;step 10\nmain;work;deep;leaf 50\nmain 40", "step", 60.0);
    // Two in a row: the leaf's caller was left by a jump.
    check("main > a, a ~ b, b > leaf", "main;a 1\nmain;b 1\nmain;leaf 50\nmain 48", "a", 52.0);
    check("main > a, a ~ b, b > leaf", "main;a 1\nmain;b 1\nmain;leaf 50\nmain 48", "b", 51.0);
    check("main > a, a > b, b ~ leaf", "main;a 1\na;b 1\nmain;leaf 50\nmain 48", "a", 52.0);
}

#[test]
fn a_caller_through_a_pointer_is_put_back_where_it_alone_calls_the_leaf() {
    let stacks = "main;dispatch;run;find 10\nmain;dispatch;find 50\nmain 40";
    check("main > dispatch, run > find", stacks, "run", 60.0);
    check("main > dispatch, run > find, scan > find", stacks, "run", 10.0);
    check("main > dispatch, run > find, main > run", stacks, "run", 10.0);
}

#[test]
fn nothing_is_guessed() {
    // Two ways.
    let stacks = "main;a 10\nmain;b 10\nmain;leaf 50\nmain 30";
    check("main > a, main > b, a > leaf, b > leaf", stacks, "a", 10.0);
    // The code has the call.
    check("main > a, a > leaf, main > leaf", stacks, "a", 10.0);
    // No chain misses the caller of a function that calls others.
    check("main > a, a > work, work > deep", "main;a 10\nmain;work;deep 50\nmain 40", "a", 10.0);
    // A function that has no samples of its own name has no row.
    let comparison = put_back("main > a, a > leaf", "main;leaf 50\nmain 50", "perf record -g");
    assert!(!totals(&comparison).contains_key("a"));
}

#[test]
fn a_call_that_was_recorded_is_known_where_the_code_has_several_ways() {
    let stacks = "a 10\nb 10\nmain;leaf 50\nmain 30";
    let total = |calls: &str, code: &str, stacks: &str, of: &str| {
        totals(&put_back_knowing(calls, code, stacks)).get(of).copied().unwrap()
    };
    let two_ways = "main > a, main > b, a > leaf, b > leaf, main > leaf";
    assert_eq!(total("main > a", two_ways, stacks, "a"), 60.0);
    assert_eq!(total("main > b", two_ways, stacks, "b"), 60.0);
    // The leaf itself was called.
    let one_way = "main > a, a > leaf, main > b";
    assert_eq!(total("main > b", one_way, stacks, "a"), 10.0);
    assert_eq!(total("main > leaf", one_way, stacks, "a"), 10.0);
    // Any function may have been called.
    assert_eq!(total("main > ?", one_way, stacks, "a"), 10.0);
    assert_eq!(total("main > ?", "main > a, b > leaf", stacks, "b"), 60.0);
    // Of a function that is hardly called through pointers: what is, and calls it or jumps to it.
    let stacks = "encode 10\nmain;static_read 50\nmain 40";
    let code = "main > other, encode > static_read, encode > hash, hash > static_read";
    assert_eq!(total("main > ?", code, stacks, "encode"), 60.0);
    let stacks = "eval 10\nmain;static_divide;leaf 50\nmain 40";
    assert_eq!(total("main > ?", "main > other, eval ~ static_divide", stacks, "eval"), 60.0);
    let stacks = stacks.replace("static_", "");
    assert_eq!(total("main > ?", "main > other, eval ~ divide", &stacks, "eval"), 10.0);
    // One function alone calls the leaf, which only its file can see; what led to that function does not matter.
    let stacks = "get 10\nfind 10\nmain;static_best 50\nmain 30";
    let code = "main > get, main > other, evaluate ~ find, find > static_best";
    for called in ["main > ?", "main > get"] {
        assert_eq!(total(called, code, stacks, "find"), 60.0);
        assert_eq!(total(called, &format!("{code}, scan > static_best"), stacks, "find"), 10.0);
        let (code, stacks) = (code.replace("static_", ""), stacks.replace("static_", ""));
        assert_eq!(total(called, &code, &stacks, "find"), 10.0);
    }
    // A function without frame calls one that has a frame: the chain misses the caller of the former.
    let stacks = "run 10\nmain;each;compare 60\nmain 30";
    assert_eq!(total("main > run", "main > run, run > each, each > compare", stacks, "run"), 70.0);
    // The function called jumped or called on through a pointer, to what other stacks show below it, and that alone calls the leaf.
    let stacks = "get 10\nmain;parse 10\nmain;leaf 50\nmain 30";
    let by_pointer = "main > get, parse > leaf, scan > leaf";
    assert_eq!(total("main > get", by_pointer, stacks, "parse"), 60.0);
    assert_eq!(total("main > get", by_pointer, stacks, "get"), 70.0);
    let also_seen = stacks.replace("main 30", "main;scan 10\nmain 20");
    assert_eq!(total("main > get", by_pointer, &also_seen, "parse"), 10.0);
    // It may be below another function.
    let entered = "main > get, main > other, other > parse, parse > leaf";
    assert_eq!(total("main > get", entered, stacks, "parse"), 10.0);
    // From the function called, jumps lead on.
    let stacks = "a 10\nb 10\nc 10\nmain;work;leaf 50\nmain 20";
    let code = "main > a, main > c, a ~ b, b ~ work, c ~ work, work > leaf";
    assert_eq!(total("main > a", code, stacks, "b"), 60.0);
    assert_eq!(total("main > c", code, stacks, "c"), 60.0);
}

/// A caller that one side alone has back would have grown, or shrunk, by what it always did.
#[test]
fn what_only_one_build_has_one_way_for_is_put_back_on_neither_side() {
    let stacks = "main;a 10\nmain;b 10\nmain;leaf 50\nmain 30";
    let one_way = census("main > a, main > b, a > leaf", Visibility::DebugInfo);
    let two_ways = census("main > a, main > b, a > leaf, b > leaf", Visibility::DebugInfo);
    let direct = census("main > a, main > b, a > leaf, main > leaf", Visibility::DebugInfo);
    for (before, after, expected) in [
        (&one_way, &one_way, 60.0),
        (&one_way, &two_ways, 10.0),
        (&two_ways, &one_way, 10.0),
        (&one_way, &direct, 60.0),
    ] {
        let comparison = put_back_by(PerSide::new(before, after), stacks, "perf record -g");
        let row = comparison.rows.iter().find(|row| &*row.name == "a").unwrap();
        let shows = |of: f64| (of - expected).abs() < 1e-9;
        assert!(shows(row.before.total_pct), "{}", row.before.total_pct);
        assert!(shows(row.after.total_pct) || std::ptr::eq(after, &direct), "{}", row.after.total_pct);
    }
}

/// `parse_cell` is called through a pointer by `cell_info`, which leaves by a jump. One build's stacks have the caller of that, the
/// other's have lost it.
#[test]
fn what_stacks_of_one_build_cannot_show_is_put_back_on_neither_side() {
    let code = "main > exec, exec > cell_info, exec > other, other > deep";
    let shown = ("exec > cell_info", code, "other;deep 10\ncell_info 10\nexec;parse_cell 50\nexec 30");
    let lost = ("main > exec", code, "other;deep 10\ncell_info 10\nmain;parse_cell 50\nmain;exec 30");
    let total_pct = |before, after| {
        let comparison = put_back_of(PerSide::new(before, after));
        let row = comparison.rows.iter().find(|row| &*row.name == "cell_info").unwrap();
        [row.before.total_pct, row.after.total_pct]
    };
    assert_eq!(total_pct(shown, shown), [60.0, 60.0]);
    assert_eq!(total_pct(shown, lost), [10.0, 10.0]);
    assert_eq!(total_pct(lost, shown), [10.0, 10.0]);
    // Where both have it back, and one may have lost more, neither has: else what it always did would have grown.
    let code = "main > score, main > run, one > leaf, two > leaf, one > deep";
    let calls = "main > score, score > ?, run > ?";
    let more = "main;score;one;deep 10\nmain;score;leaf 50\nmain;run 20\ntwo 20";
    let less = "main;score;one;deep 10\nmain;score;leaf 20\nmain;run;leaf 50\ntwo 20";
    let of_one = |before, after| {
        let of = |stacks| (calls, code, stacks);
        let comparison = put_back_of(PerSide::new(of(before), of(after)));
        let row = comparison.rows.iter().find(|row| &*row.name == "one").unwrap();
        [row.before.total_pct, row.after.total_pct]
    };
    assert_eq!([of_one(more, more), of_one(less, less)], [[60.0, 60.0], [30.0, 30.0]]);
    assert_eq!([of_one(more, less), of_one(less, more)], [[10.0, 10.0], [10.0, 10.0]]);
    // So little that it does not matter.
    let light = [shown, lost].map(|(calls, code, stacks)| (calls, code, format!("{stacks}\nrest 99900")));
    let [shown, lost] = light.each_ref().map(|(calls, code, stacks)| (*calls, *code, stacks.as_str()));
    assert_eq!(total_pct(shown, lost), [0.06, 0.01]);
}

/// Two functions lead to `call` by a jump, and one of them calls nothing: that only the other is seen tells nothing.
#[test]
fn a_function_that_only_jumps_is_not_ruled_out_because_no_stack_shows_it() {
    let stacks = "main;protect;resume;deep 10\nenter 5\nmain;protect;call;deep 50\nmain 35";
    let total = |more: &str, of: &str| {
        let code = format!("main > protect, resume > deep, resume ~ call, call > deep{more}");
        totals(&put_back_knowing("main > protect, protect > ?", &code, stacks)).get(of).copied().unwrap()
    };
    assert_eq!(total("", "resume"), 60.0);
    assert_eq!(total(", enter ~ call", "resume"), 10.0);
    assert_eq!(total(", enter ~ call, enter > deep", "resume"), 60.0);
}

#[test]
fn of_functions_called_through_pointers_the_one_that_other_stacks_show_is_put_back() {
    let stacks = "main;one;deep 10\ntwo 5\nmain;leaf 50\nmain 35";
    let code = "main > other, one > leaf, two > leaf, one > deep";
    let total = |stacks: &str, of: &str| {
        totals(&put_back_knowing("main > ?", code, stacks)).get(of).copied().unwrap()
    };
    assert_eq!(total(stacks, "one"), 60.0);
    // Both are shown, or one is, as a leaf that others call by its name.
    assert_eq!(total(&stacks.replace("two 5", "main;two 5"), "one"), 10.0);
    assert_eq!(total("one 10\ntwo 5\nmain;leaf 50\nmain 35", "one"), 10.0);
}

#[test]
fn chains_by_debug_information_miss_jumps_alone() {
    let code = "main > a, a > leaf, main > b, b ~ work, work > deep";
    let stacks = "main;a 10\nmain;b 10\nmain;leaf 40\nmain;work;deep 20\nmain 20";
    let of = |command: &str| {
        let comparison = put_back(code, stacks, command);
        let totals = totals(&comparison);
        (totals["a"], totals["b"])
    };
    assert_eq!(of("perf record -g"), (50.0, 30.0));
    assert_eq!(of("perf record --call-graph dwarf"), (10.0, 30.0));
}

#[test]
fn what_was_put_back_is_noted() {
    let comparison = put_back("main > a, a > leaf", "main;a 10\nmain;leaf 50\nmain 40", "perf record -g");
    let note = comparison.notes.iter().find(|note| note.kind == NoteKind::CallersPutBack).unwrap();
    // Of both sides, which are one recording.
    assert_eq!((note.count, note.weight.0), (100, 100));
    assert!(note.examples[0].ends_with("a between main and leaf"), "{:?}", note.examples);
    let sampled = compared(&[&profile("main;leaf 1")], &[&profile("main;leaf 1")], &settings());
    assert!(sampled.notes.iter().all(|note| note.kind != NoteKind::CallersPutBack));
}
