//! Functions that returned early, so that they and what calls them had next to no samples.

use crate::build::{classified, said, seen, steady};

/// What is said of `look_up`, which goes on to `slow` now, below `op` and `init` with code of these numbers after, and one with which
/// `main` has so many samples before.
fn said_of_look_up([main, op, init]: [u32; 3], samples_of_main: u32) -> String {
    let (steady, words) = steady();
    let build = |[main, op, init]: [u32; 3], look_up: u32| {
        format!(
            "main:50 main={main} {words} main>op op:80 op={op} op>init init:90 init={init} init>look_up look_up:200 look_up={look_up} \
             look_up>slow slow:300 slow=60"
        )
    };
    let steady = steady.replace("main;", if samples_of_main > 1 { "main;" } else { "" });
    let before = format!("{steady}once main;op;init;look_up 1");
    let after = format!("{steady}main;op;init;look_up 2\nmain;op;init;look_up;slow 90");
    let (old, new) = (build([50, 51, 52], 53), build([main, op, init], 54));
    said(&classified(seen(&before, &old), seen(&after, &new)), "look_up")
}

#[test]
fn callers_of_the_same_code_call_it_as_before_though_they_have_few_samples() {
    let found = "missing-fast-path likely R-fast-path";
    assert_eq!(said_of_look_up([50, 51, 52], 1000), found);
    // One of them has other code, or none has enough samples.
    assert_ne!(said_of_look_up([50, 51, 55], 1000), found);
    assert_ne!(said_of_look_up([50, 55, 52], 1000), found);
    assert_ne!(said_of_look_up([55, 51, 52], 1000), found);
    assert_ne!(said_of_look_up([50, 51, 52], 1), found);
}
