//! The laws of findings, on profiles made at random and on pairs in which only one thing changed.

#![expect(clippy::unwrap_used, reason = "a test that cannot go on may panic")]

#[path = "../support/mod.rs"]
mod support;

mod frames_around;
mod inlined;

use pdiff_analysis::classify::{Classification, PartLimit, finding_causes};
use pdiff_analysis::{Comparison, Finding, FindingKind, Findings, KernelKind};
use pdiff_profile::{Profile, RunMeasures, Side};
use proptest::prelude::*;
use support::{compared, measured, profile, settings};

/// Seconds of a recording.
const SECONDS: u32 = 12;

/// A recording of stacks with their samples a second, each a little off as `seed` says.
fn recorded(stacks: &[(&str, u32)], seed: u32) -> Profile {
    let mut state = u64::from(seed).wrapping_mul(0x9e37_79b9_7f4a_7c15) | 1;
    let mut lines = String::new();
    for second in 0..SECONDS {
        for (stack, samples) in stacks {
            state ^= state << 13;
            state ^= state >> 7;
            state ^= state << 17;
            // Within 6 % of what is said, as samples of a steady load are.
            let off = f64::from((state >> 33) as u32 % 1000) / 1000.0 - 0.5;
            let count = (f64::from(*samples) * 0.12f64.mul_add(off, 1.0)).round() as u32;
            lines.push_str(&format!("t@{second}: {stack} {}\n", count.max(1)));
        }
    }
    profile(&lines)
}

/// A program of a few functions; each test changes something of it.
const PROGRAM: &[(&str, u32)] = &[
    ("main;serve;parse", 120),
    ("main;serve;parse;lex", 80),
    ("main;serve;plan;cost", 60),
    ("main;serve;plan", 40),
    ("main;serve;run;scan;fetch;page", 150),
    ("main;serve;run;scan;fetch", 70),
    ("main;serve;run;scan;filter", 90),
    ("main;serve;run;sort;compare", 110),
    ("main;serve;run;sort", 50),
    ("main;serve;reply;/lib/libc.so.6!send;[kernel.kallsyms]!do_send", 100),
    ("main;serve;commit;log;/lib/libc.so.6!write;[kernel.kallsyms]!do_write", 130),
];

fn changed(change: impl Fn(&str) -> String) -> Vec<(String, u32)> {
    PROGRAM.iter().map(|(stack, samples)| (change(stack), *samples)).collect()
}

fn borrowed(stacks: &[(String, u32)]) -> Vec<(&str, u32)> {
    stacks.iter().map(|(stack, samples)| (stack.as_str(), *samples)).collect()
}

fn found(before: &[(&str, u32)], after: &[(&str, u32)]) -> Comparison {
    compared(&[&recorded(before, 1)], &[&recorded(after, 2)], &settings())
}

fn names(findings: &Findings) -> Vec<&str> {
    findings.list.iter().map(|finding| finding.name.as_str()).collect()
}

fn weights_sum(comparison: &Comparison) -> bool {
    Side::BOTH.iter().all(|side| {
        let list = comparison.findings.list.iter().map(|finding| finding.side(*side).weight.0).sum::<u64>();
        list + comparison.findings.rest.side(*side).weight.0 == comparison.side(*side).weight.0
    })
}

#[test]
fn a_function_that_grew_is_the_finding() {
    let after: Vec<(&str, u32)> =
        PROGRAM.iter().map(|(stack, n)| (*stack, if stack.ends_with("cost") { 4 * n } else { *n })).collect();
    let comparison = found(PROGRAM, &after);
    let first = comparison.findings.list.first().unwrap();
    assert_eq!((first.name.as_str(), first.kind), ("cost", FindingKind::Region));
    // What fell in share alone is no gain.
    assert_eq!(names(&comparison.findings), ["cost"]);
    assert!(weights_sum(&comparison));
}

#[test]
fn a_new_thread_is_a_region_by_its_first_function() {
    let mut after = PROGRAM.to_vec();
    after.push(("clone_of_libc_without_symbol;writer;flush", 300));
    after.push(("clone_of_libc_without_symbol;writer", 200));
    let after: Vec<(String, u32)> = after
        .into_iter()
        .map(|(stack, n)| (stack.replace("clone_of_libc_without_symbol", "/lib/libc.so.6!clone"), n))
        .collect();
    let comparison = found(PROGRAM, &borrowed(&after));
    let first = comparison.findings.list.first().unwrap();
    assert_eq!((first.name.as_str(), first.kind, first.before.samples), ("writer", FindingKind::Region, 0));
}

/// A part without samples on a side is not new if its function ran elsewhere.
#[test]
fn a_function_that_ran_elsewhere_before_is_not_new() {
    let run = |more: &str, seed: u32| {
        let mut lines = String::new();
        for second in 0..SECONDS {
            for (stack, samples) in PROGRAM {
                lines.push_str(&format!("t@{second}: {stack} {}\n", samples + seed));
            }
            lines.push_str(&format!("t@{second}: {more}\n"));
        }
        lines
    };
    let of = |before: &str| {
        let comparison = compared(
            &[&profile(&format!("{}{before}", run("main 1", 0)))],
            &[&profile(&run("flush 200", 1))],
            &settings(),
        );
        let first = comparison.findings.list.into_iter().next().unwrap();
        assert_eq!((first.name.as_str(), first.before.samples), ("flush", 0));
        first.elsewhere.before
    };
    assert!(!of(""));
    assert!(of("t@0: main;serve;parse;flush 3\n"));
}

#[test]
fn what_has_lost_its_callers_is_named_by_what_it_does_and_not_by_where_threads_start() {
    let start = "/lib/libc.so.6!__libc_start_call_main";
    let with = |samples: u32| {
        let mut program = PROGRAM.to_vec();
        let stack = format!("{start};/lib/libc.so.6!fsync;[kernel.kallsyms]!do_fsync");
        program.push((stack.leak(), samples));
        program
    };
    let comparison = found(&with(20), &with(200));
    let first = comparison.findings.list.first().unwrap();
    assert_eq!((first.name.as_str(), first.kind), ("fsync", FindingKind::NoCaller));
    assert!(weights_sum(&comparison));
}

/// Where places have no factor in common, their median says nothing: shares are compared as they are.
#[test]
fn places_that_changed_unlike_each_other_hide_no_growth() {
    let program = |of: [u32; 9]| -> Vec<(String, u32)> {
        let place = |(n, samples): (usize, u32)| (format!("main;work;stage_{n}"), samples);
        of.into_iter().enumerate().map(place).collect()
    };
    let before = program([500, 170, 160, 32, 26, 10, 20, 12, 11]);
    let after = program([355, 100, 110, 170, 40, 23, 27, 27, 15]);
    let comparison = found(&borrowed(&before), &borrowed(&after));
    assert_eq!(names(&comparison.findings).first(), Some(&"stage_3"), "{:?}", comparison.findings.list);
    assert!(weights_sum(&comparison));
}

/// A function that now asks Go's runtime for memory in each operation, and the collector that follows.
#[test]
fn memory_of_go_counts_for_the_function_that_asks_and_its_collector_for_itself() {
    let program = |encode: u32, mark: u32, sweep: u32| {
        let start = "runtime.goexit.abi0;runtime.main;main.main";
        let of_main = [
            ("main.(*Engine).parse", 200),
            ("main.(*Engine).parse;runtime.slicebytetostring;runtime.mallocgc", 60),
            ("main.(*Engine).store", 150),
            ("main.(*Engine).encode", 120),
            (
                "main.(*Engine).encode;runtime.makeslice;runtime.mallocgc;runtime.systemstack.abi0;runtime.grow",
                encode,
            ),
            ("main.(*Engine).encode;runtime.makeslice;runtime.mallocgc;internal/runtime/atomic.Load", encode),
        ];
        let of_collector = [
            (
                "runtime.gcBgMarkStartWorkers.gowrap1;runtime.gcBgMarkWorker;runtime.systemstack.abi0;runtime.gcDrain",
                mark,
            ),
            ("runtime.gcenable.gowrap1;runtime.bgsweep;runtime.sweepone", sweep),
        ];
        let of_main = of_main.map(|(stack, samples)| (format!("{start};{stack}"), samples));
        let of_collector =
            of_collector.map(|(stack, samples)| (format!("runtime.goexit.abi0;{stack}"), samples));
        of_main.into_iter().chain(of_collector).collect::<Vec<_>>()
    };
    let (before, after) = (program(5, 60, 40), program(110, 180, 130));
    let comparison = found(&borrowed(&before), &borrowed(&after));
    let largest = ["main.(*Engine).encode", "runtime.gcBgMarkWorker", "runtime.bgsweep"];
    assert!(names(&comparison.findings).starts_with(&largest), "{:?}", comparison.findings.list);
    assert!(weights_sum(&comparison));
}

#[test]
fn renames_splits_wraps_and_moves_without_changed_work_make_no_finding() {
    let check = |what: &str, change: &dyn Fn(&str) -> String| {
        let after = changed(change);
        let comparison = found(PROGRAM, &borrowed(&after));
        assert_eq!(names(&comparison.findings), [""; 0], "{what}");
        assert!(weights_sum(&comparison), "{what}");
    };
    check("renamed", &|stack| stack.replace("sort", "order_rows").replace("lex", "tokenize"));
    check("wrapped", &|stack| stack.replace("serve;run", "serve;retry;guarded;run"));
    check("split", &|stack| stack.replace("sort", "sort;sort_pass_two"));
    check("moved below another caller", &|stack| stack.replace("serve;commit", "serve;finish;commit"));
    check("moved to a new thread", &|stack| {
        stack.replace("main;serve;commit;log", "/lib/libc.so.6!clone;log_thread;log_some;log")
    });
    check("inlined away", &|stack| stack.replace(";lex", "").replace(";compare", ""));
    check("in another file", &|stack| stack.to_owned());
}

#[test]
fn a_function_replaced_by_a_dearer_one_counts_by_the_net() {
    let after: Vec<(String, u32)> = PROGRAM
        .iter()
        .map(|(stack, n)| {
            (stack.replace("compare", "collate"), if stack.ends_with("compare") { 3 * n } else { *n })
        })
        .collect();
    let comparison = found(PROGRAM, &borrowed(&after));
    let delta: f64 = comparison.findings.list.iter().map(Finding::delta_pp).sum();
    let old = 100.0 * 110.0 / 1000.0;
    let new = 100.0 * 330.0 / 1220.0;
    assert!((delta - (new - old)).abs() < 3.0, "{delta} of {}: {:?}", new - old, names(&comparison.findings));
}

/// What a function calls varies so much that the whole of it does not show the change.
#[test]
fn a_function_whose_own_code_grew_is_found_although_its_callees_vary() {
    let run = |own: u64, callee: u64| {
        let mut lines = String::new();
        for second in 0..SECONDS {
            for (stack, samples) in PROGRAM {
                lines.push_str(&format!("t@{second}: {stack} {samples}\n"));
            }
            lines.push_str(&format!("t@{second}: main;rank {own}\nt@{second}: main;rank;score {callee}\n"));
        }
        profile(&lines)
    };
    let operations =
        [1000.0; 3].map(|count| RunMeasures { operations: Some(count), ..RunMeasures::default() });
    let compare = |own: [u64; 2], callees: [[u64; 3]; 2]| {
        let runs = |side: usize| callees[side].map(|callee| run(own[side], callee));
        let (before, after) = (runs(0), runs(1));
        let comparison =
            measured(&before.each_ref(), &after.each_ref(), &operations, &operations, &settings());
        names(&comparison.findings).into_iter().map(str::to_owned).collect::<Vec<String>>()
    };
    let varying = [[500, 700, 900], [650, 850, 600]];
    assert_eq!(compare([40, 100], varying), ["rank"]);
    assert!(compare([40, 40], varying).is_empty());
    // What its own code has more, its callee has less.
    assert!(compare([40, 140], [[600, 700, 800], [500, 600, 700]]).is_empty());
}

#[test]
fn parts_that_grew_are_first_where_the_change_of_the_whole_may_be_noise() {
    let run = |(up, down, varies): (u64, u64, u64)| {
        let mut lines = String::new();
        for second in 0..SECONDS {
            for (stack, samples) in PROGRAM {
                lines.push_str(&format!("t@{second}: {stack} {samples}\n"));
            }
            for (name, samples) in [("up", up), ("down", down), ("varies", varies)] {
                lines.push_str(&format!("t@{second}: main;{name} {samples}\n"));
            }
        }
        profile(&lines)
    };
    let operations =
        [1000.0; 3].map(|count| RunMeasures { operations: Some(count), ..RunMeasures::default() });
    let compare = |varies: [u64; 3]| {
        let before = varies.map(|varies| run((60, 200, varies)));
        let after = varies.map(|varies| run((120, 80, varies)));
        let comparison =
            measured(&before.each_ref(), &after.each_ref(), &operations, &operations, &settings());
        names(&comparison.findings).into_iter().map(str::to_owned).collect::<Vec<String>>()
    };
    assert_eq!(compare([800, 900, 1000]), ["up", "down"]);
    // Each operation costs less.
    assert_eq!(compare([900, 900, 900]), ["down", "up"]);
}

#[test]
fn a_change_of_share_below_the_root_is_not_taken_for_a_replacement() {
    // Without operations the shares below `main` add up to the same on both sides, whatever happened.
    let before = [("main;look_up;search", 40), ("main;work", 760), ("main;sum", 200)];
    let after = [("main;look_up;search", 760), ("main;work", 190), ("main;sum", 50)];
    let comparison = found(&before, &after);
    let list: Vec<(&str, bool)> =
        comparison.findings.list.iter().map(|of| (of.name.as_str(), of.delta_pp() > 0.0)).collect();
    assert!(list.contains(&("work", false)), "{list:?}");
    assert!(list.iter().any(|(name, grew)| *grew && ["search", "look_up"].contains(name)), "{list:?}");
    assert!(weights_sum(&comparison));
}

#[test]
fn a_helper_of_many_is_taken_out_of_its_callers() {
    let with_helper = |factor: u32| -> Vec<(String, u32)> {
        let calls = ["parse", "plan", "run;scan", "run;sort", "commit", "reply"];
        let calls = calls.iter().map(|caller| (format!("main;serve;{caller};allocate"), 20 * factor));
        changed(str::to_owned).into_iter().chain(calls).collect()
    };
    let (before, after) = (with_helper(1), with_helper(4));
    let comparison = found(&borrowed(&before), &borrowed(&after));
    let first = comparison.findings.list.first().unwrap();
    assert_eq!((first.name.as_str(), first.kind), ("allocate", FindingKind::CrossCutting));
    assert!(first.callers.len() > 3, "{:?}", first.callers);
}

/// `to_root` calls `get_page` so often, `next` so often, and each call looks up a page at such a cost.
fn pages(to_root: u32, next: u32, cost: u32) -> Vec<(String, u32)> {
    let calls = [
        ("seek;descend", 30),
        ("insert;descend", 6),
        ("next", next),
        ("seek;to_root", 2 * to_root),
        ("insert;to_root", to_root),
    ];
    let below = calls
        .iter()
        .map(|(caller, times)| (format!("main;serve;run;{caller};get_page;look_up"), times * cost));
    let own = [("seek;to_root", 8), ("insert;to_root", 4), ("next", 20)];
    let own = own.iter().map(|(caller, samples)| (format!("main;serve;run;{caller}"), *samples));
    changed(str::to_owned).into_iter().chain(below).chain(own).collect()
}

#[test]
fn what_one_caller_alone_calls_more_counts_for_the_caller() {
    let parts = |before: &[(String, u32)], after: &[(String, u32)]| {
        let comparison = found(&borrowed(before), &borrowed(after));
        assert!(weights_sum(&comparison));
        names(&comparison.findings).into_iter().map(str::to_owned).collect::<Vec<String>>()
    };
    let usual = pages(1, 4, 10);
    assert_eq!(parts(&usual, &pages(8, 4, 10)), ["to_root"]);
    assert_eq!(parts(&pages(8, 4, 10), &usual), ["to_root"]);
    // A page costs more: whoever asks for it.
    assert_eq!(parts(&usual, &pages(1, 4, 20)), ["look_up"]);
    // The calls moved from one caller to another, some or all of them.
    assert_eq!(parts(&pages(1, 13, 10), &pages(4, 4, 10)), [""; 0]);
    assert_eq!(parts(&pages(1, 180, 10), &pages(60, 3, 10)), [""; 0]);
}

#[test]
fn work_below_an_interrupt_is_nobodys_own() {
    let timer =
        "main;serve;run;sort;[kernel.kallsyms]!asm_sysvec_apic_timer_interrupt;[kernel.kallsyms]!tick";
    let mut after = PROGRAM.to_vec();
    after.push((timer, 300));
    let comparison = found(PROGRAM, &after);
    let first = comparison.findings.list.first().unwrap();
    assert_eq!((first.kind, first.callers.as_slice()), (FindingKind::Interrupts, &["sort".to_owned()][..]));
}

#[test]
fn of_one_run_a_side_what_grew_is_found_even_if_it_is_most_of_the_program() {
    // Two of three samples are of places that cost three times as much: the median place says that the others cost less.
    let grows = |stack: &str| ["parse", "run", "commit"].iter().any(|word| stack.contains(word));
    let after: Vec<(&str, u32)> = PROGRAM
        .iter()
        .map(|(stack, samples)| (*stack, if grows(stack) { 3 * samples } else { *samples }))
        .collect();
    let (before, after) = (recorded(PROGRAM, 1), recorded(&after, 2));
    let runs = [RunMeasures { operations: Some(1000.0), ..RunMeasures::default() }];
    let comparison = measured(&[&before], &[&after], &runs, &runs, &settings());
    let list = &comparison.findings.list;
    assert!(!list.is_empty() && list.iter().all(|finding| finding.delta_per_op().unwrap() > 0.0), "{list:?}");
    let grew: f64 = list.iter().map(|finding| finding.delta_per_op().unwrap()).sum();
    let cost = comparison.cost.unwrap().per_op;
    assert!(grew > 0.9 * (cost.after - cost.before), "{grew} of {cost:?}");
}

#[test]
fn a_profile_that_costs_more_as_a_whole_has_no_finding_with_one_run_a_side() {
    let (before, after) = (recorded(PROGRAM, 1), recorded(PROGRAM, 2));
    let operations = |count: f64| RunMeasures { operations: Some(count), ..RunMeasures::default() };
    let comparison =
        measured(&[&before], &[&after], &[operations(1220.0)], &[operations(1000.0)], &settings());
    assert_eq!(names(&comparison.findings), [""; 0]);
    let rest = comparison.findings.rest;
    assert!((rest.delta_per_op().unwrap() / rest.before.per_op.unwrap() - 0.22).abs() < 0.02);
}

#[test]
fn three_of_four_places_tell_what_all_share() {
    let mut after = PROGRAM.to_vec();
    after.push(("main;serve;audit", 400));
    let (before, after) = (recorded(PROGRAM, 1), recorded(&after, 2));
    let operations = |count: f64| [RunMeasures { operations: Some(count), ..RunMeasures::default() }];
    let compare = |operations_before: f64| {
        measured(&[&before], &[&after], &operations(operations_before), &operations(1000.0), &settings())
    };
    let dearer = compare(1220.0);
    assert_eq!(names(&dearer.findings), ["serve -> audit"]);
    let ratio = dearer.findings.rest.common_cost_ratio.unwrap();
    assert!(ratio > 1.17 && ratio <= 1.23, "{ratio}");
    // Less than the variation between runs that is taken for granted.
    assert_eq!(compare(1020.0).findings.rest.common_cost_ratio, None);
}

#[test]
fn of_one_run_a_side_what_costs_more_is_listed_before_what_lost_share_alone() {
    // Stages that cost a quarter less, twice as much, and three times as much: the first lose most share.
    let factor = |stage: usize| match stage {
        0..6 => 0.75,
        6..17 => 2.0,
        _ => 3.0,
    };
    let samples = |stage: usize| match stage {
        0..6 => 60.0,
        6..17 => 20.0,
        _ => 10.0,
    };
    let program = |of: &dyn Fn(usize) -> f64| -> Vec<(String, u32)> {
        (0..25).map(|stage| (format!("main;work;stage_{stage:02}"), of(stage).round() as u32)).collect()
    };
    let before = recorded(&borrowed(&program(&samples)), 1);
    let after = recorded(&borrowed(&program(&|stage| factor(stage) * samples(stage))), 2);
    let runs = [RunMeasures { operations: Some(1000.0), ..RunMeasures::default() }];
    let comparison = measured(&[&before], &[&after], &runs, &runs, &settings());
    let dearer =
        |finding: &&Finding| finding.name.as_str() > "stage_16" && finding.name.starts_with("stage_");
    let listed = comparison.findings.list.iter().filter(dearer).count();
    assert!(listed >= 7, "{:?}", names(&comparison.findings));
    assert!(weights_sum(&comparison));
}

/// Frames of own code, a library, the kernel and nothing; few names, so that recursion and shared stacks are common.
const FRAMES: &[&str] = &[
    "main",
    "f",
    "g",
    "ns::h<int>",
    "std::sort",
    "[unknown]",
    "/lib/libc.so.6!memcpy",
    "[kernel.kallsyms]!sys_read",
    "[kernel.kallsyms]!asm_sysvec_reschedule_ipi",
];

fn folded() -> impl Strategy<Value = String> {
    let stack = prop::collection::vec(prop::sample::select(FRAMES), 0..7);
    let line = (0..3_u32, 0..6_u32, stack, 1..900_u32).prop_map(|(thread, second, stack, weight)| {
        format!("t{thread}@{second}: {} {weight}", stack.join(";"))
    });
    prop::collection::vec(line, 1..60).prop_map(|lines| lines.join("\n"))
}

/// What a mirror shows: names and kinds with their changes.
fn mirror(findings: &Findings, sign: f64) -> Vec<(String, FindingKind, i64)> {
    let rounded = |finding: &Finding| (sign * finding.delta_pp() * 1e6).round() as i64;
    let mut all: Vec<(String, FindingKind, i64)> =
        findings.list.iter().map(|finding| (finding.name.clone(), finding.kind, rounded(finding))).collect();
    all.sort();
    all
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(96))]

    #[test]
    fn findings_and_rest_are_the_whole(before in folded(), after in folded()) {
        let comparison = compared(&[&profile(&before)], &[&profile(&after)], &settings());
        prop_assert!(weights_sum(&comparison));
        for finding in &comparison.findings.list {
            let of_members = |side| finding.members.iter().map(|member| member.side(side).weight.0).sum::<u64>();
            for side in Side::BOTH {
                prop_assert_eq!(of_members(side), finding.side(side).weight.0);
            }
        }
    }

    #[test]
    fn a_side_against_itself_has_none(of in folded()) {
        let of = profile(&of);
        let comparison = compared(&[&of, &of], &[&of, &of], &settings());
        prop_assert!(comparison.findings.list.is_empty());
    }

    #[test]
    fn swapped_sides_mirror(before in folded(), after in folded()) {
        let (before, after) = (profile(&before), profile(&after));
        let there = compared(&[&before], &[&after], &settings()).findings;
        let back = compared(&[&after], &[&before], &settings()).findings;
        prop_assert_eq!(mirror(&there, 1.0), mirror(&back, -1.0));
    }
}

/// A program whose `sort` touches new memory: the kernel spreads it over many functions.
fn with_faults(samples: u32) -> Vec<(String, u32)> {
    let fault = "main;serve;run;sort;/lib/libc.so.6!memcpy;[kernel.kallsyms]!asm_exc_page_fault";
    let leaves = ["clear_page", "charge_memcg", "get_page_from_freelist", "rmqueue"];
    let faults = leaves.iter().map(|leaf| (format!("{fault};[kernel.kallsyms]!{leaf}"), samples));
    let tick = "main;serve;plan;[kernel.kallsyms]!asm_sysvec_apic_timer_interrupt".to_owned();
    changed(str::to_owned).into_iter().chain(faults).chain([(tick, 8)]).collect()
}

#[test]
fn the_work_of_the_kernel_is_told_by_who_entered_it() {
    let (before, after) = (with_faults(3), with_faults(30));
    let comparison = found(&borrowed(&before), &borrowed(&after));
    let kernel = &comparison.findings.kernel;
    let first = &kernel[0];
    assert_eq!((first.caller.as_deref(), first.kind), (Some("sort"), KernelKind::PageFaults));
    assert!(first.significant && first.functions == 4 && first.delta_pp() > 5.0, "{first:?}");
    let others: Vec<_> = kernel[1..].iter().map(|of| (of.caller.as_deref(), of.kind)).collect();
    assert!(others.contains(&(None, KernelKind::Interrupts)), "{others:?}");
    assert!(
        others.contains(&(Some("commit"), KernelKind::ReadWrite))
            || others.contains(&(Some("log"), KernelKind::ReadWrite))
    );
    // Every sample of the kernel is in one of them.
    for side in Side::BOTH {
        let of = |work: &pdiff_analysis::KernelWork| match side {
            Side::Before => work.before.weight.0,
            Side::After => work.after.weight.0,
        };
        let rows = comparison.rows.iter().filter(|row| row.object.starts_with("[kernel"));
        let expected: u64 = rows.map(|row| row.side(side).self_weight.0).sum();
        assert_eq!(kernel.iter().map(of).sum::<u64>(), expected);
    }
    let same = found(&borrowed(&before), &borrowed(&before));
    assert!(same.findings.kernel.iter().all(|of| !of.significant));
}

#[test]
fn a_part_tells_what_the_kernel_does_in_it() {
    let (before, after) = (with_faults(3), with_faults(30));
    let comparison = found(&borrowed(&before), &borrowed(&after));
    let part = comparison.findings.list.iter().find(|part| part.name.ends_with("sort")).unwrap();
    let [faults] = part.kernel.as_slice() else { panic!("{:?}", part.kernel) };
    assert_eq!(faults.kind, KernelKind::PageFaults);
    // The functions inside have the same samples.
    let kernel = part.members.iter().filter(|member| member.object.starts_with("[kernel"));
    assert_eq!(faults.after.weight, kernel.map(|member| member.after.weight).sum());
    assert!(faults.delta_pp() > 0.9 * part.delta_pp(), "{faults:?} of {part:?}");
    assert_eq!(finding_causes_of(&comparison), [Some(PartLimit::KernelWork(KernelKind::PageFaults))]);
}

/// Why the causes of the parts are not more certain, where there are no verdicts on functions.
fn finding_causes_of(comparison: &Comparison) -> Vec<Option<PartLimit>> {
    let causes = finding_causes(&comparison.findings, &Classification::default());
    causes.into_iter().map(|of| of.limited_by).collect()
}

/// What `read`, `write` and `scan` do by way of `step`, which none of them has half of.
fn by_way_of_a_helper(print: u32, like: u32) -> Vec<(&'static str, u32)> {
    vec![
        ("main;read;step;exec", 60),
        ("main;read;step;exec;fetch", 40),
        ("main;read;step;exec;print", print),
        ("main;read;step;exec;like", like),
        ("main;write;step;exec", 70),
        ("main;write;step;exec;put", 140),
        ("main;scan;step;exec", 60),
        ("main;scan;step;exec;compare", 150),
        ("main;rest", 500),
    ]
}

#[test]
fn functions_that_one_caller_reaches_through_a_helper_are_parts_of_their_own() {
    let comparison = found(&by_way_of_a_helper(30, 30), &by_way_of_a_helper(70, 60));
    let mut names = names(&comparison.findings);
    names.sort_unstable();
    assert_eq!(names, ["like", "print"]);
    assert!(weights_sum(&comparison));
}
