//! Inlined copies: which calls and paths are theirs, and which are those of the code around them.

use pdiff_analysis::classify::{Classification, EnteredBy, Fact, Limit, OtherCode, Reason};
use pdiff_profile::{PerSide, Side};

use crate::build::{Extra, classified, classified_with, said, seen, steady, verdict};
use crate::ways::Ways;

#[test]
fn a_copy_that_only_a_changed_caller_enters_is_a_new_edge() {
    let (steady, words) = steady();
    let build = |read: u32| {
        format!(
            "main:50 {words} main>write write:200 write=80 write<value*1 main>read read:200 read={read} read<value*1 \
             write>sum read>sum main>sum sum:300 sum=50"
        )
    };
    // What the copy calls has samples that are under no copy, and did not change.
    let of = |read: u64| {
        let new = if read > 0 { format!("main;read;+value;sum {read}\n") } else { String::new() };
        format!("{steady}main;read 200\nmain;write;+value;sum 60\n{new}main;sum {}", 300 - read)
    };
    let outcome = classified(seen(&of(0), &build(70)), seen(&of(60), &build(71)));
    assert_eq!(said(&outcome, "value"), "missing-fast-path likely R-edge");
    assert_eq!(verdict(&outcome, "value").callers, ["read"]);
}

#[test]
fn a_function_that_one_build_only_contains_inlined_may_have_lost_its_fast_path_too() {
    let (steady, words) = steady();
    let build = |run: u32, step: &str| {
        format!("main:50 {words} main>run run:300 run={run} run>next next:200 next=50 {step}")
    };
    let (old, new) = (build(60, "step:120 step=70 run>step step>next"), build(61, "run<step*1"));
    let before = format!("{steady}main;run 200\nmain;run;step 30\nmain;run;step;next 3");
    let after = format!("{steady}main;run 200\nmain;run;+step 12\nmain;run;+step;next 60");
    let outcome = classified(seen(&before, &old), seen(&after, &new));
    assert_eq!(said(&outcome, "next"), "missing-fast-path likely R-edge");
    let next = verdict(&outcome, "next");
    assert_eq!(next.callers, ["step"]);
    let Reason::NewEdge { code, .. } = &next.reason else { panic!("{:?}", next.reason) };
    assert_eq!(*code, OtherCode::InlinedOnly(Side::After));
    // It calls it as often as before, in a build that inlines it.
    let same = format!("{steady}main;run 200\nmain;run;+step 12\nmain;run;+step;next 3");
    let outcome = classified(seen(&before, &old), seen(&same, &new));
    assert_ne!(verdict(&outcome, "next").rule_id, "R-edge");
}

#[test]
fn lines_around_a_copy_are_no_new_path_to_it() {
    let (steady, words) = steady();
    let of = |size: u64| format!("{steady}main;run 400\nmain;run;+size {size}");
    let with = |run: u32, copies: u32| {
        format!("main:50 {words} main>run run:900 run={run} run<size*{copies} size:0")
    };
    let outcome = classified(seen(&of(2), &with(60, 1)), seen(&of(20), &with(61, 1)));
    assert_ne!(verdict(&outcome, "size").rule_id, "R-edge");
    // There is one more copy.
    let outcome = classified(seen(&of(2), &with(60, 1)), seen(&of(20), &with(61, 2)));
    assert_eq!(said(&outcome, "size"), "missing-fast-path likely R-edge");
}

#[test]
fn a_copy_whose_own_code_grew_as_the_code_around_it_is_entered_no_more_from_there() {
    let (steady, words) = steady();
    let build = |hash: u32| {
        format!(
            "main:50 {words} main>solve solve:300 solve={hash} solve>impact main>impact impact:600 impact={hash} step:0 \
             impact<step*1 impact>turn@plt"
        )
    };
    let of = |impact: u64, step: u64, turn: u64| {
        format!(
            "{steady}main;solve 60\nmain;solve;impact {impact}\nmain;solve;impact;+step {step}\n\
             main;solve;impact;+step;turn@plt {turn}"
        )
    };
    let before = of(90, 40, 4);
    let outcome = classified(seen(&before, &build(60)), seen(&of(280, 125, 240), &build(61)));
    assert_eq!(said(&outcome, "step"), "missing-fast-path likely R-below");
    // The code around it costs the same.
    let outcome = classified(seen(&before, &build(60)), seen(&of(90, 125, 240), &build(61)));
    assert_eq!(said(&outcome, "step"), "missing-fast-path likely R-edge");
}

#[test]
fn what_a_function_calls_in_the_only_copy_of_a_helper_is_called_by_its_own_code() {
    let (steady, words) = steady();
    let build = |hash: u32| {
        format!(
            "main:50 {words} main>run run:200 run={hash} compact:0 run<compact*1 run>walk walk:90 walk=51 walk>visit \
             visit:300 visit=50"
        )
    };
    let of = |times: u64| {
        format!(
            "{steady}main;run 60\nmain;run;+compact;walk {}\nmain;run;+compact;walk;visit {}",
            20 * times,
            30 * times
        )
    };
    let outcome = classified(seen(&of(1), &build(60)), seen(&of(4), &build(61)));
    assert_eq!(said(&outcome, "run"), "missing-fast-path likely R-fast-path");
    assert_eq!(said(&outcome, "walk"), "missing-fast-path likely R-edge");
    assert_eq!(verdict(&outcome, "walk").callers, ["run"]);
    assert_eq!(said(&outcome, "visit"), "missing-fast-path likely R-below");
    // Nothing changed in its code.
    let outcome = classified(seen(&of(1), &build(60)), seen(&of(4), &build(60)));
    assert_ne!(verdict(&outcome, "walk").rule_id, "R-edge");
}

#[test]
fn lines_of_copies_in_a_function_that_one_build_contains_inlined_are_no_new_call() {
    let (steady, words) = steady();
    let before = format!("{steady}main;search 90\nmain;search;+visit 30");
    let after = format!("{steady}main;search 60\nmain;search;visit 40\nmain;search;visit;+heads 25");
    let build = format!("main:50 {words} main>search search:600 heads:0");
    let outcome = classified(
        seen(&before, &format!("{build} search=60 visit:0 search<visit*1 search<heads*1")),
        seen(&after, &format!("{build} search=61 visit:90 search>visit visit<heads*1")),
    );
    let rule = verdict(&outcome, "heads").rule_id;
    assert!(!["R-edge", "R-fast-path"].contains(&rule), "{rule}");
}

#[test]
fn a_function_that_was_sampled_in_copies_alone_may_be_sampled_as_the_code_around() {
    let (steady, words) = steady();
    let build = |hash: u32, copies: &str| {
        format!("main:50 {words} main>find find:400 find={hash} none:60 none=5 {copies} main>none")
    };
    let with = |stack: &str, copies: &str| {
        let outcome = classified(
            seen(&format!("{steady}main;find 90\nmain;find;{stack} 40"), &build(60, copies)),
            seen(&format!("{steady}main;find 90"), &build(61, copies)),
        );
        said(&outcome, "none")
    };
    assert_eq!(with("+none", "find<none*2"), "lighter unclear R-no-longer-active");
    assert_eq!(with("none", "find>none"), "lighter likely R-no-longer-active");
}

#[test]
fn a_call_from_a_helper_that_is_copied_into_several_functions_is_made_by_the_only_code_with_such_a_call() {
    let (steady, words) = steady();
    let build = |read: &str| {
        format!(
            "main:50 {words} main>read main>scan read:400 {read} scan:300 scan=70 parse:0 read<parse*1 scan<parse*1 scan>digits \
             digits:90 digits=5 from_str:300 from_str=50"
        )
    };
    let of = |copied: u64, called: u64| {
        format!(
            "{steady}main;read 200\nmain;scan 90\nmain;scan;+parse;digits 40\nmain;read;+parse;from_str {copied}\n\
             main;read;from_str {called}"
        )
    };
    let (once, twice) = (build("read=60 read>from_str"), build("read=61 read>from_str read>from_str"));
    let outcome = classified(seen(&of(60, 4), &once), seen(&of(105, 7), &twice));
    assert_eq!(said(&outcome, "from_str"), "more-calls likely R-edge");
    assert_eq!(verdict(&outcome, "from_str").callers, ["read"]);
    // Two functions call it: the stacks show which of them makes the calls under the helper.
    let [once, twice] = [once, twice].map(|build| format!("{build} scan>from_str"));
    let outcome = classified(seen(&of(60, 4), &once), seen(&of(105, 7), &twice));
    assert_eq!(verdict(&outcome, "from_str").callers, ["read"]);
}

#[test]
fn a_helper_that_is_copied_everywhere_leads_to_what_its_callers_code_calls() {
    let (steady, words) = steady();
    // `text` has code of its own, too, and is copied into three functions, which call what it calls.
    let build = |like: u32, of: &str| {
        format!(
            "main:50 {words} main>like main>join main>scan like:400 like={like} join:300 join=70 scan:300 scan=71 {of} \
             like<text*1 join<text*1 scan<text*1 like>encode join>encode scan>encode encode:300 encode=50"
        )
    };
    let of = |like: u64| {
        format!(
            "{steady}main;like 200\nmain;join 90\nmain;scan 90\nmain;like;+text;encode {like}\n\
             main;join;+text;encode 20\nmain;scan;+text;encode 20"
        )
    };
    for text in ["text:90 text=7 text>encode", "text:0"] {
        let said_with = |like: u32, [before, after]: [u64; 2]| {
            let (old, new) = (build(60, text), build(like, text));
            let outcome = classified(seen(&of(before), &old), seen(&of(after), &new));
            (said(&outcome, "encode"), verdict(&outcome, "encode").callers.clone())
        };
        let lost = ("missing-fast-path likely R-edge".to_owned(), vec!["like".to_owned()]);
        assert_eq!(said_with(61, [20, 90]), lost, "{text}");
        // It called it not at all before.
        assert_eq!(said_with(61, [0, 90]), lost, "{text}");
        assert!(!said_with(60, [20, 90]).0.contains("fast-path"), "{text}");
        // The chains lost its caller before: it was called from there, perhaps.
        let (old, new) = (build(60, text), build(61, text));
        let lost = |orphaned: u64| {
            let of = |like: u64| format!("{}\nmain;encode {orphaned}", of(like));
            said(&classified(seen(&of(0), &old), seen(&of(90), &new)), "encode")
        };
        assert!(lost(10).contains("R-edge"), "{text}");
        assert!(!lost(20).contains("R-edge"), "{text}");
    }
}

#[test]
fn copies_of_a_few_instructions_that_are_calls_now_cost_what_the_body_does_if_their_callers_run_as_before() {
    let (steady, words) = steady();
    let said_of_stacks = |before: &str, run: u64, calls: &str, lost: &'static str, line: u32| {
        // In the order of their names: leaf at 1000, main, next, run at 4000.
        let asks_of = vec![(0x1000, PerSide::new("", "small")), (0x4000, PerSide::new(lost, "null"))];
        let once = PerSide::new(None, Some([145, 145]));
        let ways = Ways { asks_of, once, ..Ways::default() };
        let extra = Extra { paths: Some(&ways), ..Extra::default() };
        let build = |run: u32, line: u32, leaf: &str| {
            format!(
                "main:50 {words} main>run run:300 run={run} run<tail*1 {leaf} leaf@a.c leaf#10 next:90 next@a.c next#{line}"
            )
        };
        let before = format!("{steady}{before}\nmain;run;+leaf 5");
        let after = format!("{steady}main;run {run}\nmain;run;leaf 145");
        let new = build(61, line, &format!("{calls} leaf:120 leaf=70"));
        let outcome =
            classified_with(seen(&before, &build(60, 20, "run<leaf*1")), seen(&after, &new), &extra);
        let verdict = verdict(&outcome, "leaf");
        assert_eq!(verdict.cause.as_str(), "inline-regression");
        let told = Fact::CalledAsCopied { callers: vec!["run".to_owned()] };
        (verdict.confidence.as_str(), verdict.evidence.iter().any(|evidence| evidence.fact == told))
    };
    let said_of = |run, calls: &str, lost, line| said_of_stacks("main;run 400", run, calls, lost, line);
    // The body is longer in the source, and so may cost many times as much; else its callers may reach it more.
    assert_eq!(said_of(400, "run>leaf", "null", 20), ("likely", true));
    let said_with = |run, calls: &str, lost| said_of(run, calls, lost, 30);
    assert_eq!(said_with(400, "run>leaf", "null"), ("proved", true));
    // A check that is in the body now is not gone.
    assert_eq!(said_with(400, "run>leaf", "null small"), ("proved", true));
    // The caller calls it at more places, lost a check, or costs more itself.
    assert_eq!(said_with(400, "run>leaf run>leaf", "null"), ("unclear", false));
    assert_eq!(said_with(400, "run>leaf", "null small kind"), ("unclear", false));
    assert_eq!(said_with(600, "run>leaf", "null"), ("unclear", false));
    // Its own lines cost more, beside copies of another function that cost less.
    let with_copies = "main;run 290\nmain;run;+tail 110";
    assert_eq!(said_of_stacks(with_copies, 400, "run>leaf", "null", 30), ("unclear", false));
}

#[test]
fn a_caller_that_asks_for_another_number_may_call_more_often_what_it_contained() {
    let (steady, words) = steady();
    let said_of = |asks: [&'static str; 2], body: &'static str| {
        // In the order of their names: leaf at 1000, main, next, run at 4000.
        let asks_of = vec![(0x1000, PerSide::new("", body)), (0x4000, PerSide::new(asks[0], asks[1]))];
        let once = PerSide::new(None, Some([160, 160]));
        let ways = Ways { asks_of, once, ..Ways::default() };
        let extra = Extra { paths: Some(&ways), ..Extra::default() };
        let build =
            |run: u32, leaf: &str| format!("main:50 {words} main>run run:300 run={run} {leaf} next:90");
        let before = format!("{steady}main;run 400\nmain;run;+leaf 60");
        let after = format!("{steady}main;run 400\nmain;run;leaf 160");
        let new = build(61, "run>leaf leaf:120 leaf=70");
        let outcome = classified_with(seen(&before, &build(60, "run<leaf*1")), seen(&after, &new), &extra);
        said(&outcome, "leaf")
    };
    let (sure, likely) = ("inline-regression proved R-inline-lost", "inline-regression likely R-inline-lost");
    assert_eq!(said_of(["cmp4,34,[+8],le null", "cmp4,34,[+8],le null"], ""), sure);
    assert_eq!(said_of(["cmp4,34,[+8],le null", "cmp4,99,[+8],le null"], ""), likely);
    // The condition is one of the body now.
    assert_eq!(said_of(["cmp4,34,[+8],le", ""], "cmp4,34,[+8],le"), sure);
    assert_eq!(said_of(["cmp4,34,[+8],le", ""], "cmp4,35,[+8],le"), likely);
    // Another place; more than one differs, as in a large function; or numbers that are in any code.
    assert_eq!(said_of(["cmp4,34,[+8],le", "cmp4,99,[+4],le"], ""), sure);
    assert_eq!(said_of(["cmp4,34,[+8],le cmp4,5,r,e", "cmp4,99,[+8],le cmp4,6,r,e"], ""), sure);
    assert_eq!(said_of(["cmp4,0,r,e", "cmp4,1,r,e"], ""), sure);
}

#[test]
fn copies_of_a_function_that_only_leads_on_are_calls_and_libraries_below_it_are_its_own_doing() {
    let (steady, words) = steady();
    let build = |hash: u32, copies: u32| {
        format!(
            "main:50 {words} main>cache main>scan cache:400 cache={hash} cache>type_id cache<type_id*{copies} type_id:90 type_id=5 \
             type_id>lookup lookup:300 lookup=50 scan:300 scan=70 core::hash:0 core::hash! lookup<core::hash*1 scan<core::hash*1"
        )
    };
    let of = |times: u64, scan: u64| {
        let (lookup, hash) = (20 * times, 30 * times);
        format!(
            "{steady}main;cache 200\nmain;cache;type_id;lookup {lookup}\nmain;cache;type_id;lookup;+core::hash {hash}\n\
             main;scan 200\nmain;scan;+core::hash {scan}"
        )
    };
    let said_of = |copies: u32, times: u64| {
        let after = of(times, 300);
        let outcome = classified(seen(&of(3, 500), &build(60, 2)), seen(&after, &build(61, copies)));
        said(&outcome, "type_id")
    };
    assert_eq!(said_of(4, 5), "more-calls likely R-edge");
    assert!(!said_of(2, 5).contains("more-calls"), "{}", said_of(2, 5));
    assert!(!said_of(4, 3).contains("more-calls"), "{}", said_of(4, 3));
}

#[test]
fn code_that_is_only_copied_and_costs_more_is_no_lost_fast_path() {
    let (steady, words) = steady();
    let build = |page: u32| {
        format!("main:50 {words} main>page page:300 page={page} page<sum*1 page>write write:90 write=90")
    };
    let of = |sum: u64| format!("{steady}main;page 4\nmain;page;write 60\nmain;page;+sum {sum}");
    let said_with = |before: u64, after: u64| {
        said(&classified(seen(&of(before), &build(60)), seen(&of(after), &build(61))), "page")
    };
    assert!(!said_with(15, 90).starts_with("missing-fast-path"));
}

#[test]
fn a_body_that_costs_many_times_as_much_is_not_explained_by_a_call() {
    let (steady, words) = steady();
    let build = |run: u32, leaf: &str| format!("main:50 {words} main>run run:300 run={run} {leaf}");
    let deep = "deep:90 deep=7";
    let old = build(60, &format!("run<leaf*1 {deep} run>deep"));
    let new = build(61, &format!("run>leaf leaf:120 leaf=70 {deep} leaf>deep"));
    let said_with = |before: u32, after: u32, [around, below]: [&str; 2]| {
        let before = format!("{steady}main;run 400\nmain;run;+leaf {before}{around}");
        let after = format!("{steady}main;run 400\nmain;run;leaf {after}{below}");
        let outcome = classified(seen(&before, &old), seen(&after, &new));
        let verdict = verdict(&outcome, "leaf");
        (verdict.cause.as_str(), verdict.confidence.as_str(), verdict.limited_by.clone())
    };
    let said_of_leaf = |before: u32, after: u32| said_with(before, after, ["", ""]);
    // 200 samples before may be 230 in another run.
    let (cause, confidence, limit) = said_of_leaf(20, 145);
    assert_eq!((cause, confidence), ("inline-regression", "unclear"));
    let Some(Limit::BodyTimes(times)) = limit else { panic!("{limit:?}") };
    assert!((6.0..6.5).contains(&times), "{times}");
    let (cause, confidence, _) = said_of_leaf(20, 130);
    assert_eq!((cause, confidence), ("inline-regression", "likely"));
    // Fewer samples tell less.
    assert_eq!(said_of_leaf(5, 40).1, "likely");
    // What it calls shows that it ran as often.
    let calls = ["\nmain;run;deep 300", "\nmain;run;leaf;deep 300"];
    assert_eq!(said_with(20, 145, calls).1, "likely");
}

#[test]
fn loops_that_cost_more_than_all_of_the_copies_did_are_not_explained_by_a_call() {
    let said_with = |loops: u64| {
        let (steady, words) = steady();
        let scan = |rest: &str| format!("main:50 {words} main>scan scan:300 {rest}");
        let before = format!("{steady}main;scan 140\nmain;scan;+leaf 60");
        let after = format!("{steady}main;scan 140\nmain;scan;leaf 240");
        // Of 10,000 samples, so many in loops of the body.
        let once = PerSide::new(None, Some([50, 50 + loops]));
        let ways = Ways { once, ..Ways::default() };
        let extra = Extra { paths: Some(&ways), ..Extra::default() };
        let new = scan("scan=61 scan>leaf leaf:120 leaf=70");
        let outcome =
            classified_with(seen(&before, &scan("scan=60 scan<leaf*1")), seen(&after, &new), &extra);
        let verdict = verdict(&outcome, "leaf");
        assert_eq!(verdict.cause.as_str(), "inline-regression");
        (verdict.confidence.as_str(), verdict.limited_by.clone())
    };
    assert_eq!(said_with(0), ("proved", None));
    // The copies had 4 % at most, without what all functions share: 1.3 times that are 535 samples.
    assert_eq!(said_with(530), ("proved", None));
    let (confidence, Some(Limit::LoopTimes(times))) = said_with(540) else { panic!("{:?}", said_with(540)) };
    assert_eq!(confidence, "likely");
    assert!((1.3..1.32).contains(&times), "{times}");
}

#[test]
fn a_function_that_is_called_no_more_says_so() {
    let (steady, words) = steady();
    let stacks = |check: &str| format!("{steady}main;find 90\n{check}");
    let build = |find: u32, calls: &str| {
        format!("main:50 {words} main>find find:400 find={find} check:90 check=5 {calls}")
    };
    let of = |calls: [&str; 2], find: u32| {
        let before = stacks("main;find;check 40");
        classified(seen(&before, &build(60, calls[0])), seen(&stacks(""), &build(find, calls[1])))
    };
    let no_longer = |outcome: &Classification| {
        let of = verdict(outcome, "check");
        assert_eq!(said(outcome, "check"), "lighter likely R-no-longer-active");
        let Reason::OneRunEntered { why, .. } = &of.reason else { panic!("{:?}", of.reason) };
        (why.clone(), of.limited_by.clone())
    };
    let told = (EnteredBy::CallOfOneBuild { name: "find".into() }, Some(Limit::OthersInstead));
    assert_eq!(no_longer(&of(["find>check", ""], 61)), told);
    // Another function calls it: what the caller does is what counts.
    assert_eq!(no_longer(&of(["find>check", "main>check"], 61)), told);
    // The call is still there, or nothing shows a call in either build.
    for calls in [["find>check", "find>check"], ["", ""]] {
        let (why, limit) = no_longer(&of(calls, 61));
        assert!(matches!(why, EnteredBy::Caller { .. }), "{calls:?} {why:?}");
        assert_eq!(limit, Some(Limit::NotEntered));
    }
}

#[test]
fn a_large_function_of_which_no_copy_was_sampled_may_cost_more_for_another_reason_than_a_call() {
    let (steady, words) = steady();
    let of = |bytes: u32| {
        let build = |cached: u32, of: &str| {
            format!("main:50 {words} main>cached cached:300 cached={cached} classify={bytes} {of}")
        };
        let outcome = classified(
            seen(&format!("{steady}main;cached 60"), &build(60, "cached<classify*1")),
            seen(
                &format!("{steady}main;cached 60\nmain;cached;classify 90"),
                &build(61, &format!("classify:{bytes} cached>classify")),
            ),
        );
        said(&outcome, "classify")
    };
    // A cache answered before, or the lines of a few instructions are those of the code around.
    assert_eq!(of(600), "inline-regression unclear R-inline-lost");
    assert_eq!(of(40), "inline-regression likely R-inline-lost");
}

#[test]
fn a_function_that_the_stacks_show_under_another_one_than_its_callers_names_the_one_that_changed() {
    let (steady, words) = steady();
    let why = |joint: u32, weld: u32, calls: &str| {
        let build = |joint: u32, weld: u32, run: u32, calls: &str| {
            format!(
                "main:50 {words} main>run run:300 run={run} joint:{} joint={joint} joint>solve weld:{} weld={weld} weld>solve solve:80 \
                 solve=5 {calls}",
                90 + joint,
                90 + weld
            )
        };
        let (old, new) = (build(7, 8, 60, ""), build(joint, weld, 61, calls));
        let before = format!("{steady}main;run 90\nmain;run;joint 9\nmain;run;weld 9");
        let after = format!("{before}\nmain;run;solve 40");
        let outcome = classified(seen(&before, &old), seen(&after, &new));
        let verdict = verdict(&outcome, "solve");
        match &verdict.reason {
            Reason::OneRunEntered { why, .. } => Some((why.clone(), verdict.callers.clone())),
            _ => None,
        }
    };
    let changed = |name: &str, after: u32| {
        let why = EnteredBy::LostCaller { changed: Some((name.to_owned(), PerSide::new(1, after))) };
        Some((why, vec![name.to_owned()]))
    };
    assert_eq!(why(17, 8, ""), changed("joint", 1));
    assert_eq!(why(7, 18, ""), changed("weld", 1));
    assert_eq!(why(17, 8, "joint>solve"), changed("joint", 2));
    let of_none = EnteredBy::LostCaller { changed: None };
    assert_eq!(why(17, 18, ""), Some((of_none, vec!["run".to_owned()])));
    // The code of the function above calls it: that is another path there.
    assert_eq!(why(17, 8, "run>solve"), None);
}
