//! Functions that a changed caller calls more, told by their own code, by the places of the calls, or by neither.

use pdiff_analysis::classify::{Fact, Limit};
use pdiff_profile::PerSide;

use crate::build::{Extra, classified, classified_with, said, seen, steady, verdict};
use crate::ways::Ways;

#[test]
fn a_function_that_takes_over_what_its_caller_called_is_called_more_by_its_own_code() {
    let (steady, words) = steady();
    // `step` went to `leftmost` itself where it could; now it always asks `next`, which goes there.
    let build = |step: u32| {
        format!(
            "main:50 {words} main>step step:200 step={step} step>next next:300 next=50 next>leftmost leftmost:90 \
             leftmost=51 step>leftmost main>leftmost"
        )
    };
    let steady = format!("{steady}main;leftmost 200\n");
    let before = format!("{steady}main;step 200\nmain;step;leftmost 90\nmain;step;next 4");
    let after =
        |next: u64| format!("{steady}main;step 200\nmain;step;next {next}\nmain;step;next;leftmost 92");
    let outcome = classified(seen(&before, &build(60)), seen(&after(60), &build(61)));
    assert_eq!(said(&outcome, "next"), "missing-fast-path likely R-edge");
    assert_eq!(verdict(&outcome, "next").callers, ["step"]);
    // Its own code costs hardly more: what is below it moved there.
    let outcome = classified(seen(&before, &build(60)), seen(&after(8), &build(61)));
    assert_ne!(verdict(&outcome, "next").rule_id, "R-edge");
}

#[test]
fn a_few_instructions_do_not_cost_many_times_as_much_where_there_are_more_calls() {
    let (steady, words) = steady();
    let build = |run: u32, calls: &str, read: u32, bytes: u32| {
        format!("main:50 {words} main>run run:900 run={run} {calls} read={read} read:{bytes}")
    };
    let of = |read: u64| format!("{steady}main;run 900\nmain;run;read {read}");
    let (once, twice) = ("run>read run>read", "run>read run>read run>read run>read");
    let said_with = |after: &str, looping: u64| {
        let (before, old) = (of(6), build(60, once, 50, 118));
        // In the order of their names: main, read.
        let ways = Ways { looping, ..Ways::default() };
        let extra = Extra { paths: Some(&ways), ..Extra::default() };
        said(&classified_with(seen(&before, &old), seen(&of(60), after), &extra), "read")
    };
    let said_of = |after: &str| said_with(after, 0);
    // Ten times the cost at twice as many places: each of them is passed more often, too.
    assert_eq!(said_of(&build(61, twice, 51, 133)), "missing-fast-path likely R-edge");
    // As many places, much more code, or a loop: its code may be why.
    assert_eq!(said_with(&build(61, twice, 51, 133), 0x2000), "heavier likely R-heavier");
    assert_eq!(said_of(&build(61, once, 51, 133)), "heavier likely R-heavier");
    assert_eq!(said_of(&build(61, twice, 51, 240)), "heavier likely R-heavier");
}

#[test]
fn a_function_that_is_called_through_a_pointer_at_more_places_is_called_more() {
    let (steady, words) = steady();
    let build = |merge: u32| {
        format!(
            "main:50 {words} main>merge merge:200 merge={merge} compare:300 compare=50 other:90 other=51 main>other"
        )
    };
    let of = |compare: u64, other: u64| {
        format!("{steady}main;merge 180\nmain;merge;compare {compare}\nmain;merge;other {other}")
    };
    let said_of = |merge: u32, places: [u32; 2]| {
        let (before, after) = (of(90, 80), of(142, 160));
        let (old, new) = (build(60), build(merge));
        let pointer_places = &[("merge", "compare", places)][..];
        let extra = Extra { pointer_places, ..Extra::default() };
        said(&classified_with(seen(&before, &old), seen(&after, &new), &extra), "compare")
    };
    assert_eq!(said_of(61, [1, 2]), "more-calls likely R-edge");
    // As many places; a caller with the same code; a call that was direct before.
    assert_ne!(said_of(61, [1, 1]), "more-calls likely R-edge");
    assert_ne!(said_of(60, [1, 2]), "more-calls likely R-edge");
    assert_ne!(said_of(61, [0, 2]), "more-calls likely R-edge");
}

#[test]
fn a_callee_with_a_small_part_of_the_growth_is_not_named_for_it() {
    let (steady, words) = steady();
    let build = |sort: u32| {
        format!(
            "main:50 {words} main>sort sort:200 sort={sort} sort>list list:150 list=50 sort>make make:90 make=51 \
             main>make main>list sort>add add:80 add=52 main>add"
        )
    };
    let of = |list: u64, make: u64, add: &str| {
        format!("{steady}main;sort 10\nmain;sort;list {list}\nmain;sort;make {make}{add}\nmain;add 30")
    };
    let (before, after) = (of(4, 20, ""), of(8, 24, "\nmain;sort;add 5"));
    let outcome = classified(seen(&before, &build(60)), seen(&after, &build(61)));
    assert_ne!(said(&outcome, "sort"), "missing-fast-path likely R-fast-path");
    let after = of(14, 24, "\nmain;sort;add 5");
    let outcome = classified(seen(&before, &build(60)), seen(&after, &build(61)));
    assert_eq!(said(&outcome, "sort"), "missing-fast-path likely R-fast-path");
}

#[test]
fn several_changed_callers_call_a_function_more_together() {
    let (steady, words) = steady();
    let build = |set: u32, run: u32| {
        format!(
            "main:50 {words} main>get get:200 get={} main>set set:190 set={set} main>run run:300 run={run} get>find \
             set>find run>find find:90 find=50",
            set + 10
        )
    };
    let of = |get: u64, set: u64, run: u64| {
        let found = |caller: &str, find: u64| match find {
            0 => format!("main;{caller} 200"),
            _ => format!("main;{caller} 200\nmain;{caller};find {find}"),
        };
        format!("{steady}{}\n{}\n{}", found("get", get), found("set", set), found("run", run))
    };
    let said_of = |after: &str, build_after: &str| {
        let (before, old) = (of(0, 0, 60), build(60, 80));
        said(&classified(seen(&before, &old), seen(after, build_after)), "find")
    };
    assert_eq!(said_of(&of(45, 40, 95), &build(61, 81)), "missing-fast-path likely R-edge");
    // The other callers' code is the same: most of the growth has no known cause.
    let only_get = build(61, 80).replace("set=61", "set=60");
    assert_ne!(said_of(&of(45, 40, 95), &only_get), "missing-fast-path likely R-edge");
}

#[test]
fn a_library_function_that_a_changed_caller_calls_now_is_called_more() {
    let (steady, words) = steady();
    let build = |class: u32, call: &str| {
        format!("main:50 {words} main>class class:300 class={class} strchr@plt:16 main>strchr@plt {call}")
    };
    let before = format!("{steady}main;class 200\nmain;/lib/libc.so.6!strchr 30");
    let after =
        format!("{steady}main;class 180\nmain;class;/lib/libc.so.6!strchr 80\nmain;/lib/libc.so.6!strchr 30");
    let same_objects = &["libc.so.6".to_owned(), "libc.so".to_owned()][..];
    let extra = Extra { same_objects, ..Extra::default() };
    let old = build(60, "");
    let said_of =
        |build: &str| said(&classified_with(seen(&before, &old), seen(&after, build), &extra), "strchr");
    assert_eq!(said_of(&build(61, "class>strchr@plt")), "more-calls likely R-edge");
    // The code has no such call, or is the same.
    assert_ne!(said_of(&build(61, "")), "more-calls likely R-edge");
    assert_ne!(said_of(&build(60, "class>strchr@plt")), "more-calls likely R-edge");
    // Another function of the library left the caller in exchange.
    let exchanged = before.replace("main;class 200", "main;class 200\nmain;class;/lib/libc.so.6!memchr 60");
    let outcome =
        classified_with(seen(&exchanged, &old), seen(&after, &build(61, "class>strchr@plt")), &extra);
    assert_ne!(said(&outcome, "strchr"), "more-calls likely R-edge");
}

#[test]
fn a_caller_whose_record_grew_asks_as_before() {
    // A cursor always reads its page anew. `index`, which hardly got there before, has offsets of its own for a record that grew.
    let (steady, words) = steady();
    let of = |index: u64, table: u64, page: u64| {
        format!(
            "{steady}main;table 60\nmain;index {index}\nmain;table;root 40\nmain;table;root;page {table}\n\
             main;index;root;page {page}"
        )
    };
    let said_with = |index: u64, more: u32| {
        let build = |hash: u32| {
            let of_record: Vec<String> = (0..6).map(|n| format!("steady_{n}={}", hash + n)).collect();
            let (size, root) = if hash == 100 { (100, 300) } else { (100 + more, 280) };
            format!(
                "main:50 {words} {} main>table main>index table>root index>root root>page root:{root} root={hash} page:200 \
                 page=90 table:100 table=91 index:{size} index={hash}",
                of_record.join(" ")
            )
        };
        let (before, after) = (of(60, 40, 4), of(index, 60, 70));
        said(&classified(seen(&before, &build(100)), seen(&after, &build(200))), "root")
    };
    assert_eq!(said_with(60, 0), "missing-fast-path likely R-fast-path");
    // It runs more, or its code does something else.
    assert_ne!(said_with(300, 0), "missing-fast-path likely R-fast-path");
    assert_ne!(said_with(60, 30), "missing-fast-path likely R-fast-path");
}

#[test]
fn a_wrapper_that_is_only_copied_is_called_more_where_the_code_has_more_copies() {
    let (steady, words) = steady();
    let build = |read: u32, copies: u32| {
        format!(
            "main:50 {words} main>read read:300 read={read} read<value*{copies} main>write write:200 write=9 write<value*1 \
             value:0 load:120 load=8 read>load sum:400 sum=7 read>sum write>sum"
        )
    };
    let of = |load: u64, read: u64, write: u64| {
        format!(
            "{steady}main;read 60\nmain;read;load {load}\nmain;read;+value;sum {read}\nmain;write 60\n\
             main;write;+value;sum {write}"
        )
    };
    let with = |after: &str, copies: u32| {
        let outcome = classified(seen(&of(90, 60, 60), &build(60, 1)), seen(after, &build(61, copies)));
        ["value", "sum"].map(|name| said(&outcome, name))
    };
    // Its caller saves as much in what it does besides.
    assert_eq!(with(&of(20, 120, 58), 2), ["more-calls likely R-edge", "more-calls likely R-below"]);
    // As many copies, whether the caller costs more or not.
    assert!(!with(&of(20, 120, 58), 1)[0].ends_with("R-edge"));
    assert!(!with(&of(90, 150, 58), 1)[0].ends_with("R-edge"));
    // Two copies do not cost four times as much as one.
    assert!(!with(&of(20, 240, 58), 2)[0].ends_with("R-edge"));
    // It costs as much more where the code has as many copies.
    assert!(!with(&of(20, 120, 120), 2)[0].starts_with("more-calls"));
}

/// What is said of `find`, which costs so much itself and in `hash` below `scan` after; `scan` costs so much itself.
fn said_of_find(calls: &str, scan: u64, below_scan: [u64; 2], elsewhere: u64) -> String {
    said_by_places(calls, scan, below_scan, elsewhere, [&[90], &[80, 10]])
}

fn said_by_places(
    calls: &str,
    scan: u64,
    below_scan: [u64; 2],
    elsewhere: u64,
    under_calls: [&'static [u64]; 2],
) -> String {
    let (steady, words) = steady();
    let build = |scan: u32, calls: &str| {
        format!(
            "main:50 {words} main>scan scan:200 scan={scan} {calls} find:300 find=50 find>hash hash:90 hash=51 main>find \
             main>other other:90 other=52 other>find"
        )
    };
    let of = |scan: u64, [own, hash]: [u64; 2], elsewhere: u64| {
        format!(
            "{steady}main;scan {scan}\nmain;scan;find {own}\nmain;scan;find;hash {hash}\nmain;other 50\nmain;other;find {elsewhere}"
        )
    };
    let (before, after) = (of(100, [40, 80], 12), of(scan, below_scan, elsewhere));
    // In the order of their names: find at 1000, hash, main, other, scan at 5000.
    let under_calls = PerSide::new(under_calls[0], under_calls[1]);
    let ways = Ways { caller: 0x5000, callee: 0x1000, under_calls, ..Ways::default() };
    let extra = Extra { paths: Some(&ways), ..Extra::default() };
    let (old, new) = (build(60, "scan>find"), build(61, calls));
    said(&classified_with(seen(&before, &old), seen(&after, &new), &extra), "find")
}

/// What is said of `find`, which does so much itself and in `hash` before and after, and which `scan` calls at so many places of each build.
fn said_per_operation(costs: [[u64; 2]; 2], under_calls: [&'static [u64]; 2]) -> String {
    let (steady, words) = steady();
    let build = |scan: u32, calls: &str| {
        format!(
            "main:50 {words} main>scan scan:200 scan={scan} {calls} find:300 find=50 find>hash hash:90 hash=51"
        )
    };
    let of = |[own, hash]: [u64; 2]| {
        format!("{steady}main;scan 100\nmain;scan;find {own}\nmain;scan;find;hash {hash}")
    };
    let under_calls = PerSide::new(under_calls[0], under_calls[1]);
    // In the order of their names: find at 1000, hash, main, scan at 4000.
    let ways = Ways { caller: 0x4000, callee: 0x1000, under_calls, ..Ways::default() };
    let operations: &[f64] = &[1000.0, 1010.0, 990.0];
    let extra = Extra { paths: Some(&ways), operations: Some([operations; 2]), ..Extra::default() };
    let (before, after) = (of(costs[0]), of(costs[1]));
    let (old, new) = (build(60, "scan>find"), build(61, "scan>find scan>find"));
    said(&classified_with(seen(&before, &old), seen(&after, &new), &extra), "find")
}

#[test]
fn a_second_call_is_found_by_what_it_costs_as_a_whole() {
    let said = |after, under_calls| said_per_operation([[6, 80], after], under_calls);
    let more_calls = "more-calls likely R-edge";
    assert_eq!(said([8, 99], [&[90], &[80, 20]]), more_calls);
    // At one place as before, or its own code costs as much as before.
    assert_ne!(said([8, 99], [&[90], &[100]]), more_calls);
    assert_ne!(said([6, 101], [&[90], &[80, 20]]), more_calls);
}

#[test]
fn the_second_of_two_calls_in_a_row_may_cost_less_than_the_first() {
    let (once, twice, more_calls) = ("scan>find", "scan>find scan>find", "more-calls likely R-edge");
    assert_eq!(said_of_find(twice, 100, [64, 82], 14), more_calls);
    // One call as before; own code that costs hardly more than the caller's; nothing more as a whole; and growth elsewhere as well.
    assert_ne!(said_of_find(once, 100, [64, 82], 14), more_calls);
    assert_ne!(said_of_find(twice, 100, [46, 110], 14), more_calls);
    assert_ne!(said_of_find(twice, 100, [64, 68], 12), more_calls);
    assert_ne!(said_of_find(twice, 100, [64, 82], 17), more_calls);
    // The second call is never made, or the stacks show none.
    let by_places = |under_calls| said_by_places(twice, 100, [64, 82], 14, under_calls);
    assert_ne!(by_places([&[90], &[90, 9]]), more_calls);
    assert_ne!(by_places([&[0], &[0, 90]]), more_calls);
}

#[test]
fn a_call_that_is_never_made_does_not_count() {
    let (once, twice, more_calls) = ("scan>find", "scan>find scan>find", "more-calls likely R-edge");
    let said_of = |calls, under_calls| said_by_places(calls, 100, [80, 160], 14, under_calls);
    assert_eq!(said_of(twice, [&[100], &[100, 60]]), more_calls);
    assert_eq!(said_of(twice, [&[100], &[100, 6]]), more_calls);
    // The new call is made one in thirty times, or in none, or as seldom as one was before.
    assert_ne!(said_of(twice, [&[100], &[150, 5]]), more_calls);
    assert_ne!(said_of(twice, [&[100], &[0, 150]]), more_calls);
    assert_ne!(said_of(twice, [&[100, 3], &[150, 5, 2]]), more_calls);
    assert_eq!(said_of(once, [&[100], &[150]]), said_of(twice, [&[100], &[150, 0]]), "as without it");
    // Too few samples tell nothing.
    assert_eq!(said_of(twice, [&[99], &[150, 0]]), more_calls);
    assert_eq!(said_of(twice, [&[100], &[99, 0]]), more_calls);
}

#[test]
fn calls_of_a_library_function_are_those_of_its_stub() {
    let (steady, words) = steady();
    let same = ["libc.so.6".to_owned(), "libc.so".to_owned()];
    let extra = Extra { same_objects: &same, ..Extra::default() };
    let limit = |(before, old): (&str, &str), (after, new): (&str, &str)| {
        let build =
            |more: &str| format!("main:50 {words} parse:300 main>parse fill@plt:16 main>fill@plt {more}");
        let of = |stacks: &str| format!("{steady}main;parse 100\n{stacks}");
        let outcome = classified_with(seen(&of(before), &build(old)), seen(&of(after), &build(new)), &extra);
        let fill = outcome.verdicts.iter().find(|verdict| verdict.function.starts_with("fill")).unwrap();
        fill.limited_by.clone()
    };
    // A function that was inlined before calls it.
    let inlined = ("main;/lib/libc.so.6!fill 3", "parse=1 clear:0 parse<clear*2");
    let called = (
        "main;parse;clear 20\nmain;parse;clear;/lib/libc.so.6!fill 60",
        "parse=2 clear:90 parse>clear clear>fill@plt",
    );
    assert_eq!(limit(inlined, called), Some(Limit::CallsOrCost));
    // A caller has a call less, or as many.
    let (much, less) = ("main;parse;/lib/libc.so.6!fill 100", "main;parse;/lib/libc.so.6!fill 65");
    let twice = "parse=1 parse>fill@plt parse>fill@plt";
    assert_eq!(limit((much, twice), (less, "parse=2 parse>fill@plt")), Some(Limit::CallsOrCost));
    let as_often = twice.replace("=1", "=2");
    assert_eq!(limit((much, twice), (less, &as_often)), Some(Limit::SameCalls));
}

/// What is said of `find`, which `scan` calls at so many places in a row, with these samples under each; and what proves it.
fn said_in_a_row(
    in_a_row: [usize; 2],
    under_calls: [&'static [u64]; 2],
    scan: u64,
) -> (String, Option<PerSide<Vec<u64>>>) {
    said_of_code_in_a_row(40, in_a_row, under_calls, scan)
}

/// The same, if the code of `find` has this hash after, and 40 before.
fn said_of_code_in_a_row(
    find: u32,
    in_a_row: [usize; 2],
    under_calls: [&'static [u64]; 2],
    scan: u64,
) -> (String, Option<PerSide<Vec<u64>>>) {
    said_of_asking_code(find, ["null", "kind"], in_a_row, under_calls, scan)
}

/// The same, if the code of `find` asks this.
fn said_of_asking_code(
    find: u32,
    asks: [&'static str; 2],
    in_a_row: [usize; 2],
    under_calls: [&'static [u64]; 2],
    scan: u64,
) -> (String, Option<PerSide<Vec<u64>>>) {
    said_of_ways(find, asks, in_a_row, under_calls, scan, Ways::default())
}

/// What is said of `find`, whose code is the same, if this is known besides.
fn said_with_ways(
    in_a_row: [usize; 2],
    under_calls: [&'static [u64]; 2],
    scan: u64,
    known: Ways,
) -> (String, Option<PerSide<Vec<u64>>>) {
    said_of_ways(40, ["null", "kind"], in_a_row, under_calls, scan, known)
}

fn said_of_ways(
    find: u32,
    asks: [&'static str; 2],
    in_a_row: [usize; 2],
    under_calls: [&'static [u64]; 2],
    scan: u64,
    known: Ways,
) -> (String, Option<PerSide<Vec<u64>>>) {
    let (stacks, words) = steady();
    let build = |scan: u32, calls: &str| {
        let (find, bytes) = if scan == 60 { (40, 300) } else { (find, 300 + 4 * (find - 40)) };
        format!(
            "main:50 {words} main>scan scan:600 scan={scan} {calls} find:{bytes} find={find} main>hash hash:90 hash=6 hash>find"
        )
    };
    let of = |scan: u64, find: u64| {
        format!("{stacks}main;scan {scan}\nmain;scan;find {find}\nmain;hash 30\nmain;hash;find 20")
    };
    // In the order of their names: find at 1000, hash, main, scan at 4000.
    let ways = Ways {
        caller: 0x4000,
        callee: 0x1000,
        in_a_row: PerSide::new(in_a_row[0], in_a_row[1]),
        under_calls: PerSide::new(under_calls[0], under_calls[1]),
        asks_of: vec![(0x1000, PerSide::new(asks[0], asks[1]))],
        ..known
    };
    let extra = Extra { paths: Some(&ways), ..Extra::default() };
    let (old, new) = (build(60, "scan>find"), build(61, "scan>find scan>find"));
    let outcome = classified_with(seen(&of(100, 80), &old), seen(&of(scan, 160), &new), &extra);
    let proof = verdict(&outcome, "find").evidence.iter().find_map(|evidence| match &evidence.fact {
        Fact::CalledAgain { samples, .. } => Some(samples.clone()),
        _ => None,
    });
    (said(&outcome, "find"), proof)
}

#[test]
fn a_call_right_after_another_that_both_have_samples_is_proved() {
    let (said, proof) = said_in_a_row([0, 1], [&[800], &[780, 820]], 100);
    assert_eq!(said, "more-calls proved R-edge");
    assert_eq!(proof, Some(PerSide::new(vec![800], vec![820, 780])));
    let likely = |in_a_row, under_calls, scan| {
        let (said, proof) = said_in_a_row(in_a_row, under_calls, scan);
        assert_eq!((&*said, proof), ("more-calls likely R-edge", None));
    };
    // One or the other is called.
    likely([0, 0], [&[800], &[780, 820]], 100);
    likely([1, 1], [&[800], &[780, 820]], 100);
    // The work of one call may be done by two: neither has four fifths of what the one had.
    likely([0, 1], [&[800], &[630, 630, 340]], 100);
    // Few samples are under the new one.
    likely([0, 1], [&[800], &[1300, 300]], 100);
    // The caller runs more often, unless the call that was there is made as often.
    assert_eq!(said_in_a_row([0, 1], [&[800], &[780, 820]], 143).0, "more-calls proved R-edge");
    likely([0, 1], [&[800], &[700, 900]], 143);
    likely([0, 1], [&[800], &[780, 820]], 148);
}

#[test]
fn a_call_that_costs_as_before_needs_no_other_sign_that_there_are_more() {
    // The code of `find` that runs once in a call has no more samples: its loops may run longer, for other data.
    let said = |under_calls: [&'static [u64]; 2]| {
        let once = PerSide::new(Some([100, 1000]), Some([100, 2000]));
        said_with_ways([0, 1], under_calls, 100, Ways { once, ..Ways::default() }).0
    };
    assert_eq!(said([&[800], &[780, 820]]), "more-calls proved R-edge");
    assert_eq!(said([&[800], &[1020, 900]]), "more-calls proved R-edge");
    // What every call runs shows no more calls: the new one may be made instead of the other.
    let in_every_call = |after: u64| {
        let (once, every) =
            (PerSide::new(Some([100, 1000]), Some([100, 2000])), PerSide::new(Some(400), Some(after)));
        let known = Ways { once, in_every_call: every, ..Ways::default() };
        said_with_ways([0, 1], [&[800], &[780, 820]], 100, known).0
    };
    assert_eq!(
        [in_every_call(400), in_every_call(700)],
        ["more-calls likely R-edge", "more-calls proved R-edge"]
    );
    // Then the call that was there costs more, too.
    assert_eq!(said([&[800], &[1300, 1200]]), "more-calls likely R-edge");
}

#[test]
fn a_function_whose_code_differs_is_called_again_if_a_call_costs_as_before() {
    let said = |under_calls| said_of_code_in_a_row(45, [0, 1], under_calls, 100).0;
    assert_eq!(said([&[800], &[780, 820]]), "more-calls proved R-edge");
    assert_ne!(said([&[800], &[1100, 500]]), "more-calls proved R-edge");
    // It asks what it asked, and has about the same length: the compiler kept numbers in other registers.
    let asking = |find, asks| said_of_asking_code(find, asks, [0, 1], [&[800], &[1100, 500]], 100).0;
    assert_eq!(asking(43, ["null kind", "kind null"]), "more-calls proved R-edge");
    assert_ne!(asking(43, ["null kind", "null"]), "more-calls proved R-edge");
    assert_ne!(asking(45, ["null kind", "kind null"]), "more-calls proved R-edge");
    let without = said_of_code_in_a_row(45, [0, 0], [&[800], &[780, 820]], 100).0;
    assert!(!without.contains("R-edge"), "{without}");
}
