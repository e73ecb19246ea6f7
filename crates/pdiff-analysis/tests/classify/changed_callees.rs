//! Lost fast paths to functions whose own code was changed as well.

use crate::build::{classified, said, seen, steady};

/// What is said of a function with two overloads, one of which returned early when `name` called it. Others call the function that it
/// goes on to, too: `print` has so many samples of that before and after.
fn shortcut(print: [u64; 2], name: &str) -> String {
    let (steady, words) = steady();
    let build = |show: u32, put: &str, name: &str| {
        format!(
            "main:50 {words} main>print print>put main>list list>show%2 main>name name>show%1 show%1>show%2 show%2>put \
             print:200 print=50 list:90 list=52 name:90 {name} show%1:120 show%1={show} show%2:110 show%2=71 {put}"
        )
    };
    let of = |print: u64, show: &str| {
        format!(
            "{steady}main;print 20\nmain;print;put {print}\nmain;list 9\nmain;list;show 4\nmain;list;show;put 16\n\
             main;name 3\n{show}"
        )
    };
    let before = of(print[0], "main;name;show;put 3");
    let after = of(print[1], "main;name;show 2\nmain;name;show;put 62");
    let (old, new) = (build(60, "put:100 put=61", "name=51"), build(70, "put:130 put=71", name));
    said(&classified(seen(&before, &old), seen(&after, &new)), "show")
}

#[test]
fn a_changed_callee_that_grew_under_one_caller_alone_is_called_more_there() {
    assert_eq!(shortcut([60, 70], "name=51"), "missing-fast-path likely R-fast-path");
    // It grew everywhere: its own code, which was changed, may be why.
    assert!(!shortcut([12, 90], "name=51").contains("fast-path"));
    // The caller may ask for something else now.
    assert_eq!(shortcut([60, 70], "name=53"), "missing-fast-path likely R-edge");
}
