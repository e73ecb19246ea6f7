//! Code that was written again: its parts are no new cost, and functions that only share a name are not one function.

use crate::build::{classified, said, seen, with_rest};

#[test]
fn a_copy_in_what_never_led_to_a_function_may_be_one_of_an_overload() {
    let common = "main:50 work:50 main>work main>parse main>emit parse:90 emit:200";
    let old = |more: &str| format!("{common} make:300 parse>make {more}");
    let before = with_rest("main;parse 60\nmain;parse;make 40\nmain;emit 60");
    let after = with_rest("main;parse 60\nmain;emit 60");
    let of = |more: &str| {
        let outcome = classified(seen(&before, &old(more)), seen(&after, &format!("{common} emit<make*2")));
        said(&outcome, "make")
    };
    assert!(!of("").contains("inline"), "{}", of(""));
    // It led there by way of another function, which was inlined, too.
    let by_helper = of("helper:90 emit>helper helper>make");
    assert!(by_helper.contains("inline"), "{by_helper}");
}
