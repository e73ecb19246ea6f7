//! The laws of the call tree, and its shape on small profiles.

#![expect(clippy::unwrap_used, reason = "a test that cannot go on may panic")]

#[expect(dead_code, reason = "shared with tests that need more of it")]
mod support;

use std::collections::{BTreeMap, BTreeSet};

use pdiff_analysis::{
    Align, CallTree, Comparison, PreparedSides, Share, Sides, TreeFrame, TreeNode, TreeSettings,
};
use pdiff_profile::{PerSide, Profile};
use proptest::prelude::*;
use support::{profile, settings, side};

fn whole() -> TreeSettings {
    TreeSettings {
        align: Align::Exact,
        reverse: false,
        focus: None,
        thread_group: None,
        by_subsystem: false,
        min_width_pct: 0.0,
        max_depth: None,
        judge: true,
    }
}

fn tree(before: &Profile, after: &Profile, tree: &TreeSettings, share: Share) -> (Comparison, CallTree) {
    let sides = Sides { before: side("before", &[before], &[]), after: side("after", &[after], &[]) };
    let settings = pdiff_analysis::CompareSettings { share, ..settings() };
    let prepared = PreparedSides::new(&sides, &settings);
    let comparison = prepared.compare(&sides, &settings);
    let tree = prepared.call_tree(&sides, &settings, tree);
    (comparison, tree)
}

fn name(tree: &CallTree, node: &TreeNode) -> String {
    match node.frame {
        TreeFrame::Root => "all".to_owned(),
        TreeFrame::Function(index) => tree.functions[index].name.clone(),
        TreeFrame::Subsystem(index) => format!("<{}>", tree.subsystems[index]),
        TreeFrame::Pruned { frames } => format!("pruned {frames}"),
    }
}

/// One frame a line: depth, name, self and total of both sides.
fn shape(tree: &CallTree) -> String {
    let line = |node: &TreeNode| {
        let (before, after) = (node.before, node.after);
        format!(
            "{} {} {}/{} {}/{}",
            node.depth,
            name(tree, node),
            before.self_weight,
            before.total_weight,
            after.self_weight,
            after.total_weight
        )
    };
    tree.nodes.iter().map(line).collect::<Vec<_>>().join(", ")
}

#[test]
fn both_sides_stand_at_one_place_inlined_or_not() {
    let (before, after) =
        (profile("main;caller;+leaf 3\nmain 1"), profile("main;caller;leaf 4\nmain;caller 2"));
    let (_, tree) = tree(&before, &after, &whole(), Share::All);
    assert_eq!(shape(&tree), "0 all 0/4 0/6, 1 main 1/4 0/6, 2 caller 0/3 2/6, 3 leaf 3/3 4/4");
}

#[test]
fn leaves_stand_at_the_root_in_reverse_and_focus_cuts_what_is_before_it() {
    let side = profile("main;a;f;g 3\nmain;b;f 2\nmain;f;x;f 1\nmain 9");
    let reverse = TreeSettings { reverse: true, focus: Some("^f$".parse().expect("it is one")), ..whole() };
    let (_, reversed) = tree(&side, &side, &reverse, Share::All);
    assert_eq!(
        shape(&reversed),
        "0 all 0/6 0/6, 1 f 0/6 0/6, 2 a 0/3 0/3, 3 main 3/3 3/3, 2 b 0/2 0/2, 3 main 2/2 2/2, \
         2 x 0/1 0/1, 3 f 0/1 0/1, 4 main 1/1 1/1"
    );
    let focus = TreeSettings { reverse: false, ..reverse };
    let (_, focused) = tree(&side, &side, &focus, Share::All);
    assert_eq!(shape(&focused), "0 all 0/6 0/6, 1 f 2/6 2/6, 2 g 3/3 3/3, 2 x 0/1 0/1, 3 f 1/1 1/1");
    assert_eq!(focused.side_weights.into_array(), [15, 15]);
}

#[test]
fn what_is_pruned_stays_in_the_sums() {
    let side = profile("main;a;b;c 1\nmain;a;d 1\nmain;e 98");
    let narrow = TreeSettings { min_width_pct: 2.0, ..whole() };
    let (_, pruned) = tree(&side, &side, &narrow, Share::All);
    let expected = "0 all 0/100 0/100, 1 main 0/100 0/100, 2 a 0/2 0/2, 3 pruned 3 2/2 2/2, 2 e 98/98 98/98";
    assert_eq!(shape(&pruned), expected);
    let flat = TreeSettings { max_depth: Some(1), ..whole() };
    let (_, flat) = tree(&side, &side, &flat, Share::All);
    assert_eq!(shape(&flat), "0 all 0/100 0/100, 1 main 0/100 0/100, 2 pruned 5 100/100 100/100");
}

#[test]
fn subsystems_of_leaves_can_stand_below() {
    let side = profile("main;[kernel.kallsyms]!schedule 3\nmain;/lib/libc.so.6!memcpy 2");
    let (_, by) = tree(&side, &side, &TreeSettings { by_subsystem: true, ..whole() }, Share::All);
    let tops: Vec<String> =
        by.nodes.iter().filter(|node| node.depth == 1).map(|node| name(&by, node)).collect();
    assert_eq!(tops, ["<kernel: scheduler and futex>", "<libc: memory copy and compare>"]);
}

#[test]
fn a_stack_of_any_depth_does_not_overflow() {
    let deep = vec!["f"; 100_000].join(";");
    let side = profile(&format!("{deep} 7\nmain 1"));
    let (comparison, tree) = tree(&side, &side, &whole(), Share::All);
    assert_eq!(tree.nodes.len(), 100_002);
    assert_eq!(comparison.rows[0].after.total_weight.0 + comparison.rows[1].after.total_weight.0, 8);
}

#[test]
fn a_steady_change_is_told_and_noise_is_not() {
    let steady =
        |f: u32| (0..20).map(|s| format!("t@{s}: main;f {f}\nt@{s}: main;g 100\n")).collect::<String>();
    let (before, after) = (profile(&steady(20)), profile(&steady(90)));
    let (_, changed) = tree(&before, &after, &whole(), Share::All);
    let f = changed.nodes.iter().find(|node| name(&changed, node) == "f").expect("f is there");
    let of_f = f.changes.expect("frames are judged").of_total;
    assert!(
        of_f.significant && (of_f.delta_pp() - (100.0 * 90.0 / 190.0 - 100.0 * 20.0 / 120.0)).abs() < 1e-9
    );
    let (_, same) = tree(&before, &before, &whole(), Share::All);
    assert!(same.nodes.iter().all(|node| !node.changes.expect("judged").of_total.significant));
}

/// By function: the totals of its frames that have no frame of it above them.
fn topmost_totals(tree: &CallTree) -> BTreeMap<(String, String), [u64; 2]> {
    let mut above: Vec<BTreeSet<usize>> = Vec::new();
    let mut totals: BTreeMap<(String, String), [u64; 2]> = BTreeMap::new();
    for node in &tree.nodes {
        let mut of_node = node.parent.map_or_else(BTreeSet::new, |parent| above[parent].clone());
        if let TreeFrame::Function(index) = node.frame
            && of_node.insert(index)
        {
            let function = &tree.functions[index];
            let sums = totals.entry((function.name.clone(), function.object.clone())).or_default();
            sums[0] += node.before.total_weight;
            sums[1] += node.after.total_weight;
        }
        above.push(of_node);
    }
    totals
}

const FRAMES: &[&str] = &[
    "main",
    "f",
    "+g",
    "ns::h<int>",
    "[unknown]",
    "/lib/libc.so.6!memcpy",
    "[kernel.kallsyms]!sys_read",
    "ut_delay",
];

fn folded() -> impl Strategy<Value = String> {
    let stack = prop::collection::vec(prop::sample::select(FRAMES), 0..6);
    let line = (0..5_u32, stack, 1..1000_u32)
        .prop_map(|(second, stack, weight)| format!("t@{second}: {} {weight}", stack.join(";")));
    prop::collection::vec(line, 1..30).prop_map(|lines| lines.join("\n"))
}

/// The same, in threads of several names.
fn threaded() -> impl Strategy<Value = String> {
    let stack = prop::collection::vec(prop::sample::select(FRAMES), 0..6);
    let line = (prop::sample::select(vec!["io", "sql", "purge"]), 0..5_u32, stack, 1..1000_u32)
        .prop_map(|(comm, second, stack, weight)| format!("{comm}@{second}: {} {weight}", stack.join(";")));
    prop::collection::vec(line, 1..30).prop_map(|lines| lines.join("\n"))
}

/// Self of each frame, by its path.
fn paths(tree: &CallTree) -> BTreeMap<String, [u64; 2]> {
    let mut paths: Vec<String> = Vec::new();
    let mut weights: BTreeMap<String, [u64; 2]> = BTreeMap::new();
    for node in &tree.nodes {
        let above = node.parent.map_or("", |parent| paths[parent].as_str());
        let path = format!("{above};{}", name(tree, node));
        // Functions of several objects may have one name.
        let sum: &mut [u64; 2] = weights.entry(path.clone()).or_default();
        sum[0] += node.before.self_weight;
        sum[1] += node.after.self_weight;
        paths.push(path);
    }
    weights.retain(|_, weights| *weights != [0, 0]);
    weights
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(64))]

    #[test]
    fn a_frame_is_its_self_and_its_children(
        before in folded(), after in folded(), reverse: bool, by_subsystem: bool, min_width_pct in 0.0..20.0_f64,
        share in prop::sample::select(vec![Share::All, Share::Object, Share::Work])
    ) {
        let settings = TreeSettings { reverse, by_subsystem, min_width_pct, ..whole() };
        let (comparison, tree) = tree(&profile(&before), &profile(&after), &settings, share);
        let mut sums: Vec<[u64; 2]> =
            tree.nodes.iter().map(|node| [node.before.self_weight, node.after.self_weight]).collect();
        for (index, node) in tree.nodes.iter().enumerate().rev() {
            prop_assert_eq!(sums[index], [node.before.total_weight, node.after.total_weight]);
            if let Some(parent) = node.parent {
                prop_assert!(parent < index && tree.nodes[parent].depth + 1 == node.depth);
                let own = sums[index];
                sums[parent][0] += own[0];
                sums[parent][1] += own[1];
            }
        }
        prop_assert_eq!(sums[0], [comparison.before.weight.0, comparison.after.weight.0]);
    }

    #[test]
    fn the_trees_of_thread_groups_sum_to_the_whole(before in threaded(), after in threaded(), aligned: bool) {
        let (before, after) = (profile(&before), profile(&after));
        let sides = Sides { before: side("before", &[&before], &[]), after: side("after", &[&after], &[]) };
        let prepared = PreparedSides::new(&sides, &settings());
        let align = if aligned { Align::Anchors } else { Align::Exact };
        let groups = prepared.thread_groups(&sides);
        let of = |group: Option<&str>| TreeSettings { align, thread_group: group.map(str::to_owned), ..whole() };
        let wanted: Vec<TreeSettings> =
            std::iter::once(of(None)).chain(groups.iter().map(|(group, _)| of(Some(group)))).collect();
        let trees = prepared.call_trees(&sides, &settings(), &wanted);
        let all = paths(&trees[0]);
        let mut sums: BTreeMap<String, [u64; 2]> = BTreeMap::new();
        for (tree, (group, weights)) in trees[1..].iter().zip(&groups) {
            prop_assert_eq!(tree.side_weights, trees[0].side_weights);
            let root = &tree.nodes[0];
            prop_assert_eq!(PerSide::new(root.before.total_weight, root.after.total_weight), *weights, "{}", group);
            for (path, weights) in paths(tree) {
                let sum = sums.entry(path).or_default();
                (0..2).for_each(|side| sum[side] += weights[side]);
            }
        }
        prop_assert_eq!(sums, all);
    }

    #[test]
    fn topmost_frames_sum_to_the_totals_of_rows(before in folded(), after in folded(), reverse: bool) {
        let settings = TreeSettings { reverse, ..whole() };
        let (comparison, tree) = tree(&profile(&before), &profile(&after), &settings, Share::All);
        let rows: BTreeMap<(String, String), [u64; 2]> = comparison
            .rows
            .iter()
            .map(|row| ((row.name.to_string(), row.object.to_string()), [row.before.total_weight.0, row.after.total_weight.0]))
            .collect();
        prop_assert_eq!(topmost_totals(&tree), rows);
    }

    #[test]
    fn narrowing_a_tree_is_the_same_as_pruning_it_at_once(
        before in folded(), after in folded(), less in 0.0..20.0_f64, more in 0.0..20.0_f64, max_depth in 0..6_u32
    ) {
        let (before, after) = (profile(&before), profile(&after));
        let pruned = |min_width_pct: f64, max_depth: Option<u32>| {
            let settings = TreeSettings { min_width_pct, max_depth, judge: false, ..whole() };
            tree(&before, &after, &settings, Share::All).1
        };
        let (less, more) = (less.min(more), less.max(more));
        let once = pruned(more, Some(max_depth));
        for wide in [pruned(0.0, None), pruned(less, None), once.clone()] {
            let is_wide = |weight: u64, of: u64| weight > 0 && weight as f64 >= more / 100.0 * of as f64;
            let is_kept = |place: usize| {
                let node = &wide.nodes[place];
                let PerSide { before, after } = wide.side_weights;
                node.depth <= max_depth
                    && (is_wide(node.before.total_weight, before) || is_wide(node.after.total_weight, after))
            };
            prop_assert_eq!(&wide.narrowed(is_kept), &once);
        }
    }
}
