//! Machines as replicates: a change of one function is found among many, and runs of one machine do not count as several.

#[path = "support/fleet.rs"]
mod fleet;
#[path = "support/random.rs"]
#[allow(dead_code, reason = "each program takes what it needs of it")]
mod random;

use fleet::Fleet;
use pdiff_analysis::noise::{Floor, NoiseSettings, RowNoise, judge};

const FLEET: Fleet = Fleet {
    hosts: 60,
    runs_of_host: 1,
    hosts_on_both: 60,
    samples: 20_000.0,
    host_cv: 0.2,
    run_cv: 0.03,
    cv_differs: 0.0,
    change: 1.1,
};

fn judged(fleet: Fleet, seed: u64) -> Vec<RowNoise> {
    let (denominator, rows) = fleet.record(seed);
    let settings = NoiseSettings { floor: Floor { points: 0.0, relative: 0.0 }, ..NoiseSettings::default() };
    judge(&[denominator], &rows, &settings).rows
}

#[test]
fn what_a_machine_does_to_a_function_cancels_where_it_ran_both_builds() {
    let (mut found, mut found_on_others, mut others) = (0, 0, 0);
    for seed in 0..6 {
        let rows = judged(FLEET, seed);
        found += u32::from(rows[0].significant);
        others += rows.iter().skip(1).filter(|row| row.significant).count();
        found_on_others += u32::from(judged(Fleet { hosts_on_both: 0, ..FLEET }, seed)[0].significant);
    }
    assert!(found >= 5 && found_on_others <= 2 && others <= 1, "{found} {found_on_others} {others}");
}

#[test]
fn runs_of_one_machine_are_not_replicates() {
    // Three machines a side, ten runs of each, and machines that differ by a fifth: with runs as replicates, nearly every
    // comparison of equal builds would have false rows.
    let fleet = Fleet { hosts: 3, hosts_on_both: 0, runs_of_host: 10, change: 1.0, ..FLEET };
    let (mut of_hosts, mut of_runs) = (0, 0);
    for seed in 0..6 {
        let (denominator, rows) = fleet.record(seed);
        let any = |denominator| {
            let judgement = judge(&[denominator], &rows, &NoiseSettings::default());
            u32::from(judgement.rows.iter().any(|row| row.significant))
        };
        let mut without_hosts = denominator.clone();
        without_hosts.before.iter_mut().chain(&mut without_hosts.after).for_each(|run| run.host = None);
        of_hosts += any(denominator);
        of_runs += any(without_hosts);
    }
    assert!(of_hosts <= 1 && of_runs >= 4, "{of_hosts} {of_runs}");
}
