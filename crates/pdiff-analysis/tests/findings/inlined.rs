//! Parts of functions that are inlined on one side or both: they count with the code around them.

use pdiff_profile::RunMeasures;

use crate::support::{measured, profile, settings};
use crate::{PROGRAM, SECONDS, borrowed, found, names, weights_sum};

/// A program in which three functions call `leaf`: inlined in them before, out of line after. `callers` and `leaf` are samples
/// a second of each.
fn uninlined(callers: [u32; 2], leaf: [u32; 2]) -> [Vec<(String, u32)>; 2] {
    let others = || PROGRAM.iter().map(|(stack, samples)| ((*stack).to_owned(), *samples));
    let side = |mark: &str, callers: u32, leaf: u32| {
        let own = ["main;serve;find", "main;listen;next", "main;load;first"]
            .map(|stack| (stack.to_owned(), callers));
        let below = own.clone().map(|(stack, _)| (format!("{stack};{mark}leaf"), leaf));
        others().chain(own).chain(below).collect()
    };
    [side("+", callers[0], leaf[0]), side("", callers[1], leaf[1])]
}

#[test]
fn a_function_that_callers_no_longer_inline_counts_with_their_own() {
    // Lines of the copies are booked to the callers: their samples fall by what the function's grow.
    let [before, after] = uninlined([120, 60], [10, 70]);
    let comparison = found(&borrowed(&before), &borrowed(&after));
    assert_eq!(names(&comparison.findings), Vec::<&str>::new());
    // The same with 40 more in each: that is the part, and not what the function alone grew by.
    let [before, after] = uninlined([120, 60], [10, 110]);
    let comparison = found(&borrowed(&before), &borrowed(&after));
    let [part] = comparison.findings.list.as_slice() else { panic!("{:?}", names(&comparison.findings)) };
    assert!(part.with_callers && part.function() == "leaf", "{}", part.name);
    let net = part.after.samples as f64 - part.before.samples as f64;
    let expected = f64::from(3 * 40 * SECONDS);
    assert!((net - expected).abs() < 0.2 * expected, "{net} samples, not {expected}");
    assert!(weights_sum(&comparison));
}

/// What it calls has another name now, so that the part is the net of its callees.
#[test]
fn a_function_no_longer_inlined_whose_callees_were_replaced_counts_with_its_callers() {
    let [mut before, mut after] = uninlined([120, 60], [10, 70]);
    for stack in ["main;serve;find", "main;listen;next", "main;load;first"] {
        before.push((format!("{stack};+leaf;step"), 40));
        after.push((format!("{stack};leaf;next_step"), 40));
    }
    let comparison = found(&borrowed(&before), &borrowed(&after));
    assert_eq!(names(&comparison.findings), Vec::<&str>::new());
    assert!(weights_sum(&comparison));
}

/// It left all callers at once, so what it lost below one belongs with what the others gained.
#[test]
fn a_function_no_longer_inlined_counts_below_all_its_callers() {
    let side = |mark: &str, own: [u32; 3], leaf: [u32; 3]| -> Vec<(String, u32)> {
        let others = || PROGRAM.iter().map(|(stack, samples)| ((*stack).to_owned(), *samples));
        let places = ["main;exec;put;insert", "main;exec;find", "main;exec;remove"].into_iter();
        let below = places.zip(own.into_iter().zip(leaf)).flat_map(|(stack, (own, leaf))| {
            [(stack.to_owned(), own), (format!("{stack};{mark}equal"), leaf)]
        });
        others().chain(below).collect()
    };
    let (before, after) = (side("+", [35, 25, 2], [112, 98, 5]), side("", [86, 68, 4], [64, 57, 3]));
    let comparison = found(&borrowed(&before), &borrowed(&after));
    assert_eq!(names(&comparison.findings), Vec::<&str>::new());
    assert!(weights_sum(&comparison));
}

#[test]
fn a_caller_that_changed_by_itself_is_no_part_of_a_function_no_longer_inlined() {
    let [before, after] = uninlined([120, 320], [10, 40]);
    let comparison = found(&borrowed(&before), &borrowed(&after));
    assert!(comparison.findings.list.iter().all(|part| !part.with_callers), "{:?}", comparison.findings.list);
    assert!(weights_sum(&comparison));
}

#[test]
fn lines_that_went_to_an_inlined_function_are_no_gain_of_the_code_around() {
    let with = |make: u32, own: u32| {
        let mut program = PROGRAM.to_vec();
        program.push(("main;serve;eval;+make", make));
        program.push(("main;serve;eval", own));
        program
    };
    let part = |after: (u32, u32)| {
        let comparison = found(&with(40, 400), &with(after.0, after.1));
        assert!(weights_sum(&comparison));
        let list = comparison.findings.list;
        list.iter().map(|of| (of.name.clone(), of.with_callers)).collect::<Vec<_>>()
    };
    assert_eq!(part((500, 250)), [("make".to_owned(), true)]);
    // Where the code around costs as much or more, each speaks for itself.
    assert!(part((500, 400)).iter().all(|(_, with_callers)| !with_callers));
}

/// A caller's own code counts with what is inlined in it, though that is no part because what it calls changed the other way.
#[test]
fn lines_that_left_the_code_around_for_an_inlined_function_are_no_gain() {
    let run = |own: u32, make: u32, reduce: u32| {
        let mut lines = String::new();
        let eval = [
            ("main;serve;eval", own),
            ("main;serve;eval;+make", make),
            ("main;serve;eval;+make;step;reduce", reduce),
        ];
        for second in 0..SECONDS {
            for (stack, samples) in PROGRAM.iter().chain(&eval) {
                lines.push_str(&format!("t@{second}: {stack} {samples}\n"));
            }
        }
        profile(&lines)
    };
    let operations =
        [1000.0; 3].map(|count| RunMeasures { operations: Some(count), ..RunMeasures::default() });
    let parts = |own: u32, make: u32| {
        let before = [1900, 2000, 2100].map(|reduce| run(100, 60, reduce));
        let after = [1800, 1950, 2050].map(|reduce| run(own, make, reduce));
        let comparison =
            measured(&before.each_ref(), &after.each_ref(), &operations, &operations, &settings());
        names(&comparison.findings).into_iter().map(str::to_owned).collect::<Vec<String>>()
    };
    assert_eq!(parts(40, 60), ["eval"]);
    assert_eq!(parts(40, 115), [""; 0]);
}

#[test]
fn a_function_no_longer_inlined_is_one_part_where_chains_lost_its_caller_on_one_side() {
    let side = |mark: &str, more: &[(&str, u32)]| -> Vec<(String, u32)> {
        let callers = ["load", "read"].into_iter().flat_map(|caller| {
            let find = format!("main;{caller};get;find");
            [(find.clone(), 50), (format!("{find};{mark}leaf"), 20)]
        });
        let others = PROGRAM.iter().map(|(stack, samples)| ((*stack).to_owned(), *samples));
        let more = more.iter().map(|(stack, samples)| ((*stack).to_owned(), *samples));
        others.chain(callers).chain(more).collect()
    };
    // Before, the chains of some samples lack `get`, because `find` set up no frame while it contained the leaf.
    let before = side(
        "+",
        &[
            ("main;serve;get;find", 80),
            ("main;serve;get;find;+leaf", 10),
            ("main;find", 40),
            ("main;find;+leaf", 40),
        ],
    );
    let after =
        side("", &[("main;serve;get;find", 80), ("main;serve;get;find;leaf", 110), ("main;find", 40)]);
    let comparison = found(&borrowed(&before), &borrowed(&after));
    let [part] = comparison.findings.list.as_slice() else { panic!("{:?}", names(&comparison.findings)) };
    assert!(part.with_callers && part.function() == "leaf", "{}", part.name);
    assert!(weights_sum(&comparison));
}
