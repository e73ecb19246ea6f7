//! Swapped sides give mirrored causes; a side against itself gives noise.

use pdiff_analysis::classify::Cause;

use crate::build::{Side, classified, seen};

const CASES: [[(&str, &str); 2]; 5] = [
    [
        ("main;work 600\nmain;scan 60\nmain;scan;+leaf 50", "main:50 work:50 scan:400 scan<leaf*2"),
        ("main;work 600\nmain;scan 40\nmain;scan;leaf 90", "main:50 work:50 scan:200 leaf:150 scan>leaf"),
    ],
    [
        ("main;work 600\nmain;run 100", "main:50 work:50 run:200"),
        ("main;work 600\nmain;run 100\nmain;run;check 50", "main:50 work:50 run:220 check:300 run>check"),
    ],
    [
        ("main;work 600\nmain;run 100", "main:50 work:50 run:200 audit:300 run>audit"),
        ("main;work 600\nmain;run 100\nmain;run;audit 50", "main:50 work:50 run:200 audit:300 run>audit"),
    ],
    [
        ("main;work 600\nmain;page_commit 50", "main:50 work:50 page_commit:200"),
        ("main;work 600\nmain;page_t::commit 120", "main:50 work:50 page_t::commit:210"),
    ],
    [
        ("main;work 600\nmain;run;leaf 50", "main:50 work:50 run:200 leaf:90 run>leaf"),
        ("main;work 600\nmain;run;leaf 99", "main:50 work:50 run:200 leaf:90 run>leaf"),
    ],
];

fn sides(case: [(&'static str, &'static str); 2]) -> [Side<'static>; 2] {
    case.map(|(folded, words)| seen(folded, words))
}

#[test]
fn swapped_sides_give_mirrored_causes() {
    for case in CASES {
        let [before, after] = sides(case);
        let (there, back) = (classified(before, after), classified(after, before));
        for verdict in &there.verdicts {
            let mirror = back.verdicts.iter().find(|other| other.function == verdict.function).unwrap();
            let is_mirrored = |of: Cause, other: Cause| {
                // From the other side, what is below a path that was taken before has causes of its own.
                let is_below = of == Cause::Consequence && other == Cause::MissingFastPath;
                of == other.mirrored() || is_below
            };
            let is_mirrored =
                is_mirrored(mirror.cause, verdict.cause) || is_mirrored(verdict.cause, mirror.cause);
            assert!(is_mirrored, "{}: {} and {}", verdict.function, verdict.cause, mirror.cause);
            assert!((verdict.delta_booked_pp() + mirror.delta_booked_pp()).abs() < 1e-9);
        }
    }
}

#[test]
fn a_side_against_itself_is_noise() {
    for side in CASES.into_iter().flat_map(sides) {
        let outcome = classified(side, side);
        assert!(outcome.verdicts.iter().all(|verdict| verdict.cause == Cause::Noise));
        assert!(outcome.families.is_empty());
    }
}
