//! Functions around much of the program, such as `main` or the loop of a server: frames rather than places.

use super::{found, weights_sum};

/// What grew and what shrank below a function that has most of the program's samples, though not all: the stacks of the rest lost their
/// callers.
#[test]
fn what_cancels_in_a_frame_around_the_program_is_told_one_by_one() {
    let program = |handle: u32, checksum: u32, lost: u32| {
        [
            ("main;handle", handle),
            ("main;checksum", checksum),
            ("main;steady_a", 60),
            ("main;steady_b", 60),
            ("/lib/libc.so.6!vfprintf", lost),
        ]
    };
    let (before, after) = (program(150, 400, 220), program(420, 190, 110));
    let names: Vec<String> =
        found(&before, &after).findings.list.iter().map(|part| part.name.clone()).collect();
    assert!(names.contains(&"handle".to_owned()) && names.contains(&"checksum".to_owned()), "{names:?}");
}

/// What a function called through pointers spends in a library counts for the loop that calls all of them: it grew, and took share from
/// all that is below the loop.
#[test]
fn what_grew_in_a_frame_around_the_program_itself_is_told_beside_parts_below_it() {
    let program = |of_loop: u32, audit: u32, steady: u32| {
        let mut stacks = vec![("main;loop;/lib/libc.so.6!memchr", of_loop), ("main;loop;audit", audit)];
        let others =
            ["main;loop;a", "main;loop;b", "main;loop;c", "main;loop;d", "main;loop;e", "main;loop;f"];
        stacks.extend(others.map(|other| (other, steady)));
        stacks
    };
    let (before, after) = (program(100, 100, 300), program(400, 400, 200));
    let found = found(&before, &after);
    let mut told: Vec<&str> = found.findings.list.iter().map(|part| part.function()).collect();
    told.truncate(2);
    told.sort_unstable();
    assert_eq!(told, ["audit", "loop"]);
    assert!(weights_sum(&found));
}
