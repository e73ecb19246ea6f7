use super::*;
use crate::sample;
use pdiff_analysis::{Cost, Gap, GapParts, Gravity, Pair};

#[test]
fn look() {
    let mut comparison = sample::comparison(vec![
        sample::significant("cmp_dtuple_rec_with_match_low", (0.44, 1.18)),
        sample::significant(
            "PolicyMutex<TTASEventMutex<GenericPolicy> >::enter(unsigned int, unsigned int, char const*)",
            (10.0, 2.0),
        ),
        sample::significant("THD::store_cached_properties", (0.0, 0.53)),
        sample::row("ha_innobase::info_low", (0.20, 0.17)),
        sample::row("[unresolved]", (9.0, 0.0)),
        sample::row("main", (80.36, 96.12)),
    ]);
    for row in &mut comparison.rows {
        row.before.self_per_op = Some(row.before.self_pct * 420.0);
        row.after.self_per_op = Some(row.after.self_pct * 550.0);
        row.gap_share_pct = Some(10.0);
    }
    comparison.cost = Some(Cost {
        per_op: Pair { before: 42000.0, after: 55000.0 },
        is_time: true,
        log_ratio: (55.0_f64 / 42.0).ln(),
        log_interval: Some((0.1, 0.4)),
        per_op_without_spin: Pair { before: 36000.0, after: 50000.0 },
        cpu_scale: Pair { before: 1.0, after: 1.05 },
        gap: Some(Gap {
            tps: Pair { before: 5873.0, after: 3994.0 },
            cores: Pair { before: 1.2, after: 1.1 },
            gap_pct: -32.0,
            interval_pct: (-40.0, -22.0),
            assumed: true,
            parts: Some(GapParts {
                explained_pct: 61.0,
                not_significant_pct: 12.0,
                unresolved_pct: 3.0,
                utilisation_pct: 24.0,
            }),
        }),
    });
    comparison.before.spin_pct = 13.64;
    comparison.after.spin_pct = 9.59;
    comparison.comparability = vec![
        sample::fact(
            "event",
            ("cycles", "cpu-clock"),
            Gravity::Incomparable,
            "different events measure different things",
        ),
        sample::fact(
            "span",
            ("15.0 s", "70.1 s"),
            Gravity::Warning,
            "runs of different length may see different phases of the load",
        ),
        sample::fact("call chains", ("yes", "yes"), Gravity::Plain, ""),
        sample::fact("samples", ("10000 in 1 run", "12000 in 1 run"), Gravity::Plain, ""),
    ];
    for width in [Some(60), Some(80), Some(120), Some(200), None] {
        println!("{}", table(&comparison, &TableOptions { width, top: Some(5), ..sample::options() }));
    }
    println!(
        "{}",
        table(&comparison, &TableOptions { color: true, top: Some(5), ..sample::options() })
            .replace('\x1b', "ESC")
    );
    println!("{}", crate::markdown(&comparison, &sample::options()));
}
