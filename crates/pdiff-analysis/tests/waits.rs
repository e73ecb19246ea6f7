//! Waits of several recordings a side: which changes are more than noise, in simulated servers whose locks are known.

#![expect(clippy::unwrap_used, reason = "a test that cannot go on may panic")]

#[path = "support/random.rs"]
#[expect(dead_code, reason = "shared with tests that need more of it")]
mod random;
#[expect(dead_code, reason = "shared with tests that need more of it")]
mod support;

use pdiff_analysis::noise::{Method, NoiseSettings, RunVariation};
use pdiff_analysis::{
    CompareSettings, RunInput, SINGLE_RUN_WAIT_CV, SideInput, Sides, WaitPlace, Waiting, WaitingSides,
    compare, waiting,
};
use pdiff_profile::{
    EventId, Frame, Object, Profile, ProfileBuilder, RunMeasures, Span, StackId, Thread, Weight,
};
use random::Rng;
use support::{profile, settings, side};

/// Locks of the server, and seconds of a recording.
const LOCKS: usize = 12;
const SECONDS: u32 = 10;

/// The lock that may change: 1,100 waits a recording, so that a sum of them varies by 4 %.
const CHANGED: usize = 8;

/// A wait lasts so long on average, in seconds; single waits are exponential.
const MEAN_WAIT_S: f64 = 0.002;

/// How the server is, and what changed in it.
#[derive(Clone, Copy)]
struct World {
    runs: usize,
    /// Of each lock's waits, from run to run.
    cv: f64,
    /// Between the locks' own `cv`: a standard deviation of the logarithm.
    cv_differs: f64,
    /// The factor on the waits for the lock [`CHANGED`].
    growth: f64,
    /// Operations per second of both sides; 0 if they are not known.
    tps: [f64; 2],
}

const QUIET: World = World { runs: 3, cv: 0.1, cv_differs: 0.5, growth: 1.0, tps: [0.0; 2] };

/// Seconds of waiting per second for a lock.
fn rate(lock: usize) -> f64 {
    0.02 * 1.35_f64.powi(lock as i32)
}

fn recording(rng: &mut Rng, rates: &[f64]) -> Profile {
    let mut builder = ProfileBuilder::new();
    let event = builder.event("blocked");
    let comm = builder.string("worker");
    let thread = builder.thread(Thread { comm, pid: Some(1), tid: Some(2) });
    let [program, library] =
        ["/bin/app", "/lib/libc.so.6"].map(|path| builder.object(Object::from_text(path)));
    let stacks: Vec<StackId> = (0..rates.len())
        .map(|lock| {
            let take = format!("take_{lock}");
            let names = [("main", program), (&take, program), ("pthread_mutex_lock", library)];
            let frames = names.map(|(name, object)| {
                let symbol = Some(builder.string(name));
                let frame =
                    Frame { addr: None, symbol, symbol_offset: None, object, source: None, inlined: false };
                builder.frame(frame)
            });
            builder.stack(&frames)
        })
        .collect();
    for second in 0..SECONDS {
        for (stack, rate) in stacks.iter().zip(rates) {
            let waits = rng.poisson(rate / MEAN_WAIT_S) as u32;
            let seconds: f64 = (0..waits).map(|_| -MEAN_WAIT_S * rng.uniform().ln()).sum();
            builder.count(event, second, thread, *stack, waits, Weight((1e9 * seconds) as u64));
        }
    }
    builder.span = Some(Span { first_ns: 0, last_ns: u64::from(SECONDS) * 1_000_000_000 });
    builder.finish().unwrap()
}

fn waits<'a>(label: &str, runs: &'a [Profile]) -> SideInput<'a> {
    let run = |(at, run)| RunInput::new(format!("{label}{at}"), run, EventId(0));
    SideInput::new(label, runs.iter().enumerate().map(run).collect())
}

/// The waits that are found in a world.
fn found(world: World, seed: u64) -> Waiting {
    let rng = &mut Rng::new(seed);
    let cvs: Vec<f64> = (0..LOCKS).map(|_| world.cv * (world.cv_differs * rng.normal()).exp()).collect();
    let [before, after] = [1.0, world.growth].map(|growth| {
        let run = |rng: &mut Rng| {
            let of_lock = |(lock, cv): (usize, &f64)| {
                let growth = if lock == CHANGED { growth } else { 1.0 };
                growth * rate(lock) * rng.log_normal(*cv)
            };
            let rates: Vec<f64> = cvs.iter().enumerate().map(of_lock).collect();
            recording(rng, &rates)
        };
        (0..world.runs).map(|_| run(rng)).collect::<Vec<Profile>>()
    });
    let settings = CompareSettings { noise: NoiseSettings::default(), ..settings() };
    let cpu = profile("app@0: main;work 900\napp@1: main;work 900");
    let profiles = vec![&cpu; world.runs];
    let measured = |tps: f64, rng: &mut Rng| -> Vec<RunMeasures> {
        let run = |_| RunMeasures {
            operations: (tps > 0.0).then(|| 2.0 * tps * rng.log_normal(0.02)),
            window_s: Some(2.0),
            cpu_seconds: Some(1.8),
            ..RunMeasures::default()
        };
        (0..world.runs).map(run).collect()
    };
    let (of_before, of_after) = (measured(world.tps[0], rng), measured(world.tps[1], rng));
    let sides =
        Sides { before: side("before", &profiles, &of_before), after: side("after", &profiles, &of_after) };
    let comparison = compare(&sides, &settings);
    let none = || Sides { before: waits("before", &[]), after: waits("after", &[]) };
    let blocked = Sides { before: waits("before", &before), after: waits("after", &after) };
    let sides = WaitingSides { blocked, runnable: none(), on_cpu: none() };
    waiting(&sides, &settings, None, &comparison)
}

fn significant(waiting: &Waiting) -> Vec<&WaitPlace> {
    waiting.places.iter().filter(|place| place.change.unwrap().significant).collect()
}

/// In how many of so many worlds any change is significant, and in how many that of the changed lock is.
fn counted(world: World, worlds: u64) -> (u64, u64) {
    let mut counts = (0, 0);
    for seed in 0..worlds {
        let waiting = found(world, 1000 + seed);
        let changed = significant(&waiting);
        counts.0 += u64::from(!changed.is_empty());
        counts.1 += u64::from(changed.iter().any(|place| place.function.as_deref() == Some("take_8")));
    }
    counts
}

#[test]
fn waits_of_equal_builds_are_silent() {
    // At a false discovery rate of 5 %, one in twenty; of 100 worlds, more than 12 have a chance of 0.1 %.
    for (runs, cv) in [(2, 0.1), (3, 0.1), (3, 0.3), (5, 0.1)] {
        let (any, _) = counted(World { runs, cv, ..QUIET }, 100);
        assert!(any <= 12, "{runs} runs, CV {cv}: {any} of 100");
    }
    let (any, _) = counted(World { runs: 1, ..QUIET }, 100);
    assert!(any <= 12, "{any} of 100");
}

#[test]
fn a_lock_that_is_waited_for_a_third_longer_is_found() {
    let found = |runs, cv| counted(World { runs, cv, growth: 1.3, ..QUIET }, 100).1;
    let counts = [(3, 0.03), (3, 0.1), (5, 0.05), (5, 0.1)].map(|(runs, cv)| (runs, cv, found(runs, cv)));
    let [steady, .., more, most] = counts;
    assert!(steady.2 >= 70 && more.2 >= 90 && most.2 >= 40, "{counts:?}");
}

#[test]
fn intervals_contain_the_true_change() {
    let (mut inside, mut all) = (0, 0);
    for seed in 0..100 {
        let waiting = found(World { growth: 1.3, ..QUIET }, 2000 + seed);
        for place in &waiting.places {
            let lock: usize = place.function.as_deref().unwrap()[5..].parse().unwrap();
            let truth = if lock == CHANGED { 0.3 * rate(lock) } else { 0.0 };
            let measured = waiting.measured(place.seconds);
            let off = (measured.after - measured.before - truth).abs();
            inside += usize::from(off <= place.change.unwrap().half);
            all += 1;
        }
    }
    let part = inside as f64 / all as f64;
    assert_eq!(all, 100 * LOCKS);
    assert!((0.91..=0.995).contains(&part), "{part}");
}

#[test]
fn one_recording_a_side_says_what_it_assumes() {
    let waiting = found(World { runs: 1, growth: 1.3, ..QUIET }, 7);
    assert_eq!(waiting.noise.method, Method::SingleRun);
    assert_eq!(waiting.noise.run_variation, RunVariation::Assumed { cv: SINGLE_RUN_WAIT_CV });
    assert!(waiting.noise.tests >= LOCKS, "{:?}", waiting.noise);
    let third = waiting.places.iter().find(|place| place.function.as_deref() == Some("take_8")).unwrap();
    let change = third.change.unwrap();
    // A third more is within a quarter of variation on both sides; the interval is at least that of the assumption.
    assert!(!change.significant && change.half > 1.96 * SINGLE_RUN_WAIT_CV * rate(CHANGED), "{change:?}");
}

#[test]
fn waits_that_do_not_shrink_with_throughput_grow_per_operation() {
    // As long per second, at half the operations: each lock is waited for twice as long per operation.
    let world = World { runs: 5, cv: 0.05, tps: [1000.0, 500.0], ..QUIET };
    let slower = found(world, 11);
    assert!(significant(&slower).len() >= LOCKS - 2, "{:?}", slower.places);
    let place = significant(&slower)[0];
    let per_op = slower.ns_per_op(place.seconds).unwrap();
    assert_eq!(slower.measured(place.seconds), per_op);
    let change = per_op.after - per_op.before;
    assert!(place.change.unwrap().half < change && change > 0.5 * per_op.before, "{place:?} {per_op:?}");
    // As long per operation, at half the operations: nothing changed.
    let same = found(World { tps: [1000.0, 1000.0], ..world }, 11);
    assert!(significant(&same).is_empty(), "{:?}", significant(&same));
}

fn sides<'a>(of: &[&'a Profile]) -> Sides<'a> {
    Sides { before: side("before", of, &[]), after: side("after", of, &[]) }
}

/// The functions that wait for work, where threads sleep and are preempted with these stacks.
fn idle(blocked: &str, preempted: &str) -> Vec<String> {
    let (cpu, blocked, preempted) = (profile("app@0: main;work 900"), profile(blocked), profile(preempted));
    let settings = settings();
    let comparison = compare(&sides(&[&cpu]), &settings);
    let states =
        WaitingSides { blocked: sides(&[&blocked]), runnable: sides(&[&preempted]), on_cpu: sides(&[]) };
    let waiting = waiting(&states, &settings, None, &comparison);
    waiting.idle.iter().filter_map(|place| place.function.clone()).collect()
}

#[test]
fn threads_that_are_preempted_on_their_way_out_of_a_sleep_are_idle() {
    let blocked = "pool@0: loop;get_event;/lib/libc.so.6!epoll_wait 900\npool@0: loop;serve;take 9";
    assert_eq!(idle(blocked, "pool@0: loop;get_event;/lib/libc.so.6!epoll_wait 3"), ["get_event"]);
    assert!(idle(blocked, "pool@0: loop;get_event 3").is_empty(), "it does more than sleep");
}

#[test]
fn the_loop_of_a_group_is_the_one_with_most_time() {
    // Threads that have not taken their name yet have that of the main thread.
    let blocked =
        "app@0: main;/lib/libc.so.6!usleep 900\napp@0: zone_loop;/lib/libc.so.6!pthread_mutex_lock 3";
    assert_eq!(idle(blocked, "app@0: zone_loop 1"), ["main"]);
}

#[test]
fn a_stack_without_its_root_does_not_decide_what_a_loop_is() {
    let blocked = "writer@0: /lib/libc.so.6!start_thread;loop;next_batch;/lib/libc.so.6!epoll_wait 9\n\
                   writer@0: flush;/lib/libc.so.6!fdatasync 900";
    assert_eq!(idle(blocked, "writer@0: /lib/libc.so.6!start_thread;loop;burn 3"), ["next_batch"]);
}

#[test]
fn a_background_thread_that_waits_for_a_lock_or_a_file_is_not_idle() {
    // Names of MySQL whose waits are known to be for work.
    let libc = "/lib/libc.so.6!";
    let blocked = format!(
        "srv_worker@0: srv_worker_thread;srv_suspend_thread;os_event_wait;{libc}pthread_cond_wait 900\n\
         srv_worker@0: srv_worker_thread;row_purge;mutex_enter;os_event_wait;{libc}pthread_cond_wait 9\n\
         srv_worker@0: srv_worker_thread;trx_purge;{libc}__pthread_mutex_lock;{libc}__lll_lock_wait 9\n\
         cleaner@0: buf_flush_page_cleaner_thread;pc_sleep_if_needed;{libc}pthread_cond_timedwait 900\n\
         cleaner@0: buf_flush_page_cleaner_thread;buf_dblwr_flush;os_file_flush_func;{libc}fsync 9"
    );
    let mut idle = idle(&blocked, "srv_worker@0: srv_worker_thread 1");
    idle.sort();
    assert_eq!(idle, ["pc_sleep_if_needed", "srv_suspend_thread"]);
}
