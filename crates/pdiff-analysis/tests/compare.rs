//! What a comparison says of small profiles written as folded text.

#![expect(clippy::unwrap_used, reason = "a test that cannot go on may panic")]

mod support;

use pdiff_analysis::noise::{Test, Untested};
use pdiff_analysis::side_fact::{Concern, Subject};
use pdiff_analysis::{
    Align, CompareSettings, Comparison, GroupBy, KernelFilter, MatchedBy, PreparedSides, Row, RowFunction,
    Share, Sides, TreeSettings,
};
use pdiff_profile::{
    NoteKind, PerSide, Presence, Profile, ProfileBuilder, RunMeasures, Side, Span, Thread, Weight,
};
use support::{compared, measured, profile, settings, side};

fn row<'a>(comparison: &'a Comparison, name: &str) -> &'a Row {
    comparison.rows.iter().find(|row| &*row.name == name).unwrap_or_else(|| panic!("no row {name}"))
}

/// `name self total` of one side, sorted by name.
fn after_weights(comparison: &Comparison) -> String {
    let mut rows: Vec<String> = comparison
        .rows
        .iter()
        .map(|row| format!("{} {} {}", row.name, row.after.self_weight.0, row.after.total_weight.0))
        .collect();
    rows.sort();
    rows.join(", ")
}

#[test]
fn total_counts_a_function_once_per_stack_recursion_included() {
    let profile = profile("main;f;f;g 3\nmain;f 2\nmain 1");
    let comparison = compared(&[&profile], &[&profile], &settings());
    assert_eq!(after_weights(&comparison), "f 2 5, g 3 3, main 1 6");
}

#[test]
fn weights_that_fill_their_type_are_kept() {
    let text = format!("main;caller;+f {}\nmain;g {}", 1_u64 << 62, 1_u64 << 63);
    let profile = profile(&text);
    let comparison = compared(&[&profile], &[&profile], &settings());
    assert_eq!(row(&comparison, "g").before.total_weight.0, 1 << 63);
    // Sums over the runs of a side stop at the greatest weight.
    let runs = [&profile, &profile];
    let sides = Sides { before: side("before", &runs, &[]), after: side("after", &runs, &[]) };
    let tree = TreeSettings {
        align: Align::Exact,
        reverse: false,
        focus: None,
        thread_group: None,
        by_subsystem: false,
        min_width_pct: 100.0,
        max_depth: None,
        judge: true,
    };
    let settings = settings();
    let prepared = PreparedSides::new(&sides, &settings);
    let comparison = prepared.compare(&sides, &settings);
    let tree = prepared.call_tree(&sides, &settings, &tree);
    assert_eq!(comparison.before.weight.0, u64::MAX);
    assert_eq!(tree.side_weights, PerSide::new(u64::MAX, u64::MAX));
    let function =
        RowFunction { name: "g".to_owned(), object: row(&comparison, "g").object.to_string(), file: None };
    assert!(prepared.hot_lines(&sides, &[function])[0].side(Side::Before).weight.0 == u64::MAX);
}

#[test]
fn a_row_of_one_side_has_a_presence_and_no_weight_on_the_other() {
    let (before, after) = (profile("main;f 3\nmain;old 1"), profile("main;f 3\nmain;new 1"));
    let comparison = compared(&[&before], &[&after], &settings());
    assert_eq!(row(&comparison, "old").presence, Presence::OnlyBefore);
    assert_eq!(row(&comparison, "new").presence, Presence::OnlyAfter);
    assert_eq!(row(&comparison, "new").before.total_weight.0, 0);
    assert_eq!(row(&comparison, "main").presence, Presence::Both);
}

#[test]
fn a_known_rename_joins_two_names_and_says_so() {
    let before = profile("/opt/mysqld!main;/opt/mysqld!mtr_commit 3");
    let after = profile("/opt/mysqld!main;/opt/mysqld!mtr_t::commit 4");
    let comparison = compared(&[&before], &[&after], &settings());
    let commit = row(&comparison, "mtr_t::commit");
    assert_eq!((commit.before.self_weight.0, commit.after.self_weight.0), (3, 4));
    assert_eq!(commit.name_on(Side::Before), Some("mtr_commit"));
    assert!(comparison.notes.get(NoteKind::LooseMatch).is_some());
}

#[test]
fn a_known_rename_joins_the_same_names_with_sides_swapped() {
    let old = profile("/opt/mysqld!main;/opt/mysqld!mtr_commit 3");
    let new = profile("/opt/mysqld!main;/opt/mysqld!mtr_t::commit 4");
    let comparison = compared(&[&new], &[&old], &settings());
    let commit = row(&comparison, "mtr_commit");
    assert_eq!((commit.before.self_weight.0, commit.after.self_weight.0), (4, 3));
    assert_eq!(commit.name_on(Side::Before), Some("mtr_t::commit"));
    assert_eq!((commit.name_on(Side::After), commit.matched.by), (Some("mtr_commit"), MatchedBy::Alias));
}

#[test]
fn names_that_became_one_stand_in_one_row_with_sides_swapped() {
    let old = profile("/opt/mysqld!mtr_commit 3\n/opt/mysqld!mtr_t::commit 2\n/opt/mysqld!f 2");
    let new = profile("/opt/mysqld!mtr_t::commit 4\n/opt/mysqld!f 3");
    let forth = compared(&[&old], &[&new], &settings());
    let back = compared(&[&new], &[&old], &settings());
    let (forth, back) = (row(&forth, "mtr_t::commit"), row(&back, "mtr_t::commit"));
    assert_eq!((forth.before.self_weight.0, forth.after.self_weight.0), (5, 4));
    assert_eq!((back.before.self_weight.0, back.after.self_weight.0), (4, 5));
    assert!(forth.matched.ambiguous == back.matched.ambiguous && back.matched.by == MatchedBy::Alias);
}

#[test]
fn programs_of_different_names_are_paired_and_noted() {
    let (before, after) = (profile("/x/tA!main;/x/tA!f 3"), profile("/x/tB!main;/x/tB!f 3"));
    let comparison = compared(&[&before], &[&after], &settings());
    let paired = row(&comparison, "f");
    assert_eq!((paired.presence, &*paired.object), (Presence::Both, "tA -> tB"));
    assert!(comparison.notes.get(NoteKind::PairedObjects).is_some());
    // Only an end in .so tells a library.
    let (before, after) = (profile("/x/a.solver!main 3"), profile("/x/b.solver!main 3"));
    assert_eq!(compared(&[&before], &[&after], &settings()).rows.len(), 1);
    let (before, after) = (profile("/x/liba.so.1!f 3"), profile("/x/libb.so.1!f 3"));
    assert_eq!(compared(&[&before], &[&after], &settings()).rows.len(), 2);
}

#[test]
fn what_has_no_symbol_has_one_row_an_object() {
    let profile = profile(
        "main;[unknown] 2\n/lib/libz.so.1!main;/lib/libz.so.1!gz 1\n/lib/libz.so.1!gz;/lib/libz.so.1![unknown] 5",
    );
    let comparison = compared(&[&profile], &[&profile], &settings());
    let mut objects: Vec<_> = comparison
        .rows
        .iter()
        .filter(|row| row.unresolved)
        .map(|row| (row.object.to_string(), row.after.self_weight.0))
        .collect();
    objects.sort();
    assert_eq!(objects, [("app".to_owned(), 2), ("libz.so".to_owned(), 5)]);
    for group_by in GroupBy::ALL {
        let grouped = CompareSettings { group_by: *group_by, ..settings() };
        let comparison = compared(&[&profile], &[&profile], &grouped);
        assert!((comparison.after.unresolved_pct - 87.5).abs() < 1e-9, "{group_by}");
    }
}

#[test]
fn filters_act_before_shares_and_what_they_took_is_noted() {
    let profile = profile("a@0: main;f 3\nb@0: main;g 5\na@0: main;[kernel.kallsyms]!sys_read 2");
    let mut only_a = settings();
    only_a.filters.comm = vec!["^a$".parse().unwrap()];
    let comparison = compared(&[&profile], &[&profile], &only_a);
    assert_eq!(comparison.after.weight.0, 5);
    assert_eq!(comparison.notes.get(NoteKind::FilteredOut).unwrap().count, 10);
    only_a.filters.kernel = Some(KernelFilter::Without);
    assert_eq!(compared(&[&profile], &[&profile], &only_a).after.weight.0, 3);
    only_a.filters.comm = vec!["after:^b$".parse().unwrap()];
    let one_side = compared(&[&profile], &[&profile], &only_a);
    assert_eq!((one_side.before.weight.0, one_side.after.weight.0), (8, 5));
    let mut by_stack = settings();
    by_stack.filters.stack_contains = vec!["^g$".parse().unwrap()];
    assert_eq!(compared(&[&profile], &[&profile], &by_stack).after.weight.0, 5);
    let mut by_dso = settings();
    by_dso.filters.dso = vec!["kernel".parse().unwrap()];
    assert_eq!(compared(&[&profile], &[&profile], &by_dso).after.weight.0, 2);
}

#[test]
fn a_share_of_the_object_is_over_the_objects_own_samples() {
    let profile = profile("main;f 3\nmain;g 1\nmain;/lib/libc.so.6!read 4");
    let mut own = settings();
    own.share = Share::Object;
    let comparison = compared(&[&profile], &[&profile], &own);
    assert!((row(&comparison, "f").after.self_pct - 75.0).abs() < 1e-9);
    assert!((row(&comparison, "read").after.self_pct - 100.0).abs() < 1e-9);
}

#[test]
fn what_could_be_seen_is_the_same_with_sides_swapped() {
    let timed = |counts: [u32; 4]| {
        let [main, f, sort, hash] = counts;
        let lines = |second| {
            let own = format!("t@{second}: main {main}\nt@{second}: f {f}");
            format!("{own}\nt@{second}: /lib/x.so!sort {sort}\nt@{second}: /lib/x.so!hash {hash}\n")
        };
        profile(&(0..10).map(lines).collect::<String>())
    };
    let (before, after) = (timed([600, 300, 150, 50]), timed([200, 100, 400, 100]));
    let own = CompareSettings { share: Share::Object, ..settings() };
    let forth = compared(&[&before], &[&after], &own);
    let back = compared(&[&after], &[&before], &own);
    assert_eq!(forth.noise.detectable, back.noise.detectable);
}

#[test]
fn samples_that_the_denominator_does_not_count_say_nothing_of_its_noise() {
    // Ten samples of the library's own, though a thousand stand under one of its functions.
    let profile = profile("/lib/x.so!sort 10\n/lib/x.so!sort;compare 990\n/lib/x.so!hash 990");
    let mut own = settings();
    own.share = Share::Object;
    let comparison = compared(&[&profile], &[&profile], &own);
    let total = &row(&comparison, "sort").total;
    assert_eq!((total.test, total.before_samples), (Test::Untested(Untested::FewSamples), 1000));
}

#[test]
fn a_share_of_work_leaves_busy_waiting_and_idling_out_of_the_denominator() {
    let profile =
        profile("main;f 3\nmain;ut_delay 1\n[kernel.kallsyms]!do_idle;[kernel.kallsyms]!default_idle 4");
    let mut work = settings();
    work.share = Share::Work;
    let comparison = compared(&[&profile], &[&profile], &work);
    assert!((row(&comparison, "f").after.self_pct - 100.0).abs() < 1e-9);
    assert_eq!(comparison.left_out_pct, Some((62.5, 62.5)));
    assert!((comparison.after.spin_pct - 12.5).abs() < 1e-9);
}

#[test]
fn rows_of_thread_groups_are_over_their_group() {
    let profile = profile("a@0: start;handle_connection;f 3\na@0: f 1\nb@0: start;srv_master_thread;f 8");
    let mut grouped = settings();
    grouped.share = Share::ThreadGroup;
    let comparison = compared(&[&profile], &[&profile], &grouped);
    let mut rows: Vec<_> = comparison
        .rows
        .iter()
        .filter(|row| &*row.name == "f")
        .map(|row| (row.thread_group.clone().unwrap(), row.after.self_pct.round()))
        .collect();
    rows.sort_by(|a, b| a.0.cmp(&b.0));
    assert_eq!(rows[0], ("connections".into(), 100.0), "a frame without root goes with its thread: {rows:?}");
    assert_eq!(rows.len(), 2);
}

#[test]
fn every_grouping_sums_to_the_whole() {
    let profile = profile("a@0: main;f 3\nb@0: main;/lib/libc.so.6!read 5\nc@0: [unknown] 2");
    for group_by in GroupBy::ALL {
        for share in Share::ALL {
            let mut grouped = settings();
            (grouped.group_by, grouped.share) = (*group_by, *share);
            let comparison = compared(&[&profile], &[&profile], &grouped);
            let own: u64 = comparison.rows.iter().map(|row| row.after.self_weight.0).sum();
            let booked: u64 = comparison.rows.iter().map(|row| row.after.booked_self_weight.0).sum();
            assert_eq!((own, booked), (10, 10), "{group_by} {share}");
        }
    }
}

#[test]
fn parts_of_the_gap_sum_to_it_and_swap_sign_with_the_sides() {
    let second = 1_000_000_000_u64;
    let weights = |f: u64, g: u64| {
        format!("app@9: main;f {f}\napp@9: main;g {g}\napp@9: main;[unknown] {}", second / 10)
    };
    let (before, after) = (profile(&weights(second, second)), profile(&weights(2 * second, second)));
    let measures =
        |tps| [RunMeasures { tps: Some(tps), cpu_seconds: None, operations: None, window_s: None }];
    let forth = measured(&[&before], &[&after], &measures(100.0), &measures(50.0), &settings());
    let back = measured(&[&after], &[&before], &measures(50.0), &measures(100.0), &settings());
    let gap = forth.cost.as_ref().unwrap().gap.unwrap();
    let parts = gap.parts.unwrap();
    let sum = parts.explained_pct + parts.not_significant_pct + parts.unresolved_pct + parts.utilisation_pct;
    assert!((sum - 100.0).abs() < 1e-6, "{parts:?}");
    assert!((gap.gap_pct + 50.0).abs() < 1e-9);
    let shares: f64 = forth.rows.iter().filter_map(|row| row.gap_share_pct()).sum();
    assert!((shares + parts.utilisation_pct - 100.0).abs() < 1e-6);
    let of = |comparison: &Comparison, name| row(comparison, name).gap_share_pct().unwrap();
    assert!(
        (of(&forth, "f") - of(&back, "f")).abs() < 1e-9,
        "a part of the gap is the same part seen from either side"
    );
}

#[test]
fn the_interval_of_the_cost_lies_around_the_cost_that_is_told() {
    let profiles = ["main 1000", "main 10", "main 3000"].map(profile);
    let operations = |count| RunMeasures { operations: Some(count), ..RunMeasures::default() };
    // The long run costs ten times as much per operation, so its sum with the short one is no mean of the two.
    let before = [operations(1000.0), operations(1000.0)];
    let after = [operations(10.0), operations(300.0)];
    let [even, short, long] = &profiles;
    let comparison = measured(&[even, even], &[short, long], &before, &after, &settings());
    let cost = comparison.cost.unwrap();
    let (low, high) = cost.log_interval.unwrap();
    assert!(((low + high) / 2.0 - cost.log_ratio).abs() < 1e-9, "{low}..{high} around {}", cost.log_ratio);
}

#[test]
fn samples_without_period_do_not_tell_the_cores_used() {
    let mut builder = ProfileBuilder::new();
    let event = builder.event("cpu-clock");
    builder.without_period(event);
    let comm = builder.string("app");
    let thread = builder.thread(Thread { comm, pid: None, tid: None });
    let stack = builder.stack(&[]);
    builder.count(event, 0, thread, stack, 500, Weight(500));
    builder.span = Some(Span { first_ns: 0, last_ns: 1_000_000_000 });
    let counted = builder.finish().unwrap();
    let facts = compared(&[&counted], &[&counted], &settings()).comparability;
    assert!(facts.iter().all(|fact| !matches!(fact.subject, Subject::CoresUsed(_))), "{facts:?}");
    let timed = profile("main 1000000000");
    let facts = compared(&[&timed], &[&timed], &settings()).comparability;
    assert!(facts.iter().any(|fact| matches!(fact.subject, Subject::CoresUsed(PerSide { before, .. }) if (before - 1.0).abs() < 0.005)), "{facts:?}");
}

/// A run of so many seconds on one core.
fn lasting(seconds: u64) -> Profile {
    let mut builder = ProfileBuilder::new();
    let event = builder.event("cpu-clock");
    let comm = builder.string("app");
    let thread = builder.thread(Thread { comm, pid: None, tid: None });
    let stack = builder.stack(&[]);
    let nanoseconds = seconds * 1_000_000_000;
    builder.count(event, 0, thread, stack, 500, Weight(nanoseconds));
    builder.span = Some(Span { first_ns: 0, last_ns: nanoseconds });
    builder.finish().unwrap()
}

#[test]
fn runs_that_took_longer_for_as_many_operations_saw_the_same_load() {
    let (short, long) = (lasting(10), lasting(20));
    let operations = |count: f64| RunMeasures { operations: Some(count), ..RunMeasures::default() };
    let is_doubted = |before: f64, after: f64| {
        let comparison =
            measured(&[&short], &[&long], &[operations(before)], &[operations(after)], &settings());
        comparison.comparability.iter().any(|fact| fact.concern == Some(Concern::SpansDiffer))
    };
    assert!(!is_doubted(1000.0, 1000.0));
    assert!(is_doubted(1000.0, 2000.0));
    let facts = compared(&[&short], &[&long], &settings()).comparability;
    assert!(facts.iter().any(|fact| fact.concern == Some(Concern::SpansDiffer)));
}

fn by_subsystem(folded: &str) -> Vec<(String, f64, f64)> {
    let profile = profile(folded);
    let settings = CompareSettings { group_by: GroupBy::Subsystem, ..settings() };
    let comparison = compared(&[&profile], &[&profile], &settings);
    let row = |row: &pdiff_analysis::Row| (row.name.to_string(), row.before.self_pct, row.before.total_pct);
    let mut rows: Vec<_> = comparison.rows.iter().map(row).collect();
    rows.sort_by(|a, b| a.0.cmp(&b.0));
    rows
}

#[test]
fn inlined_templates_count_for_the_subsystem_of_the_function_that_holds_them() {
    let found = by_subsystem(
        "mysqld!log_writer;+mysqld!std::vector<int>::push_back;+mysqld!std::move 60
         mysqld!log_writer;mysqld!std::sort<int> 40",
    );
    let expected = [("C++ library and third party", 40.0, 40.0), ("redo log", 60.0, 100.0)];
    let expected = expected.map(|(name, own, total)| (name.to_owned(), own, total));
    assert_eq!(found, expected);
}

#[test]
fn where_a_thread_begins_counts_for_no_subsystem_but_in_its_own_samples() {
    let of_connection = "libc.so.6!start_thread;mysqld!pfs_spawn_thread;mysqld!log_writer 90";
    let found = by_subsystem(&format!("{of_connection}\nlibc.so.6!start_thread;mysqld!pfs_spawn_thread 10"));
    let expected = [("performance schema", 10.0, 10.0), ("redo log", 90.0, 90.0)];
    let expected = expected.map(|(name, own, total)| (name.to_owned(), own, total));
    assert_eq!(found, expected);
}

#[test]
fn a_thread_group_can_be_kept_by_whatever_tells_it() {
    let profile = profile(
        "mysqld@0: mysqld!handle_connection;mysqld!f 30
         mysqld@0: mysqld!g 10
         connection@0: mysqld!h 20
         ib_log_writer@0: mysqld!log_writer 40",
    );
    let filters = pdiff_analysis::Filters {
        thread_group: vec!["^connections$".parse().unwrap()],
        ..pdiff_analysis::Filters::default()
    };
    let comparison = compared(&[&profile], &[&profile], &CompareSettings { filters, ..settings() });
    let mut names: Vec<&str> = comparison.rows.iter().map(|row| &*row.name).collect();
    names.sort_unstable();
    assert_eq!(names, ["f", "g", "h", "handle_connection"]);
}

#[test]
fn functions_of_a_namespace_that_carries_a_version_have_one_row() {
    let of = |version: &str, add: u64| {
        let inner = ["Cord::Append", "Cord::Find", "Map::insert", "Hash::Mix", "join"];
        let line = |rest: &&str| format!("main;abs::{version}::{rest} {}\n", 5 + add);
        let lines: String = inner.iter().map(line).collect();
        profile(&format!("{lines}main;std::sort<abs::{version}::Cord> 7"))
    };
    let (before, after) = (of("lts_2020_09_23", 0), of("lts_20260526", 3));
    let comparison = compared(&[&before], &[&after], &settings());
    for rest in ["Cord::Append", "join"] {
        let joined = row(&comparison, &format!("abs::lts_20260526::{rest}"));
        assert_eq!((joined.before.self_weight.0, joined.after.self_weight.0), (5, 8));
        assert_eq!(joined.names_on(Side::Before).next(), Some(&*format!("abs::lts_2020_09_23::{rest}")));
    }
    assert_eq!(row(&comparison, "std::sort<abs::lts_20260526::Cord>").before.self_weight.0, 7);
}
