//! Each format as its tool prints it, and what is wrong with a file.

use super::*;

/// `function=calls` and `caller>callee=calls`, sorted.
#[track_caller]
fn check(text: &str, source: CallSource, expected: &[&str]) {
    let counts = parse_counts(text, Side::After).unwrap();
    assert_eq!(counts.source, source);
    let functions = counts.functions.iter().map(|(name, calls)| format!("{name}={}", calls.count));
    let entries =
        counts.entries.iter().map(|((caller, callee), calls)| format!("{caller}>{callee}={}", calls.count));
    assert_eq!(functions.chain(entries).collect::<Vec<_>>(), expected);
}

fn error(text: &str) -> String {
    parse_counts(text, Side::After).unwrap_err().to_string()
}

const HEAD: &str = "# callgrind format\nversion: 1\nevents: Ir\n";

#[test]
fn callgrind_names_are_compressed_or_not() {
    let compressed =
        "fl=(1) a.c\nfn=(1) main\n3 9\ncfn=(2) f\ncalls=3 1\n* 70\n+1 2\ncfn=(2)\ncalls=2 1\n* 7\n";
    check(&format!("{HEAD}{compressed}"), CallSource::Callgrind, &["f=5", "main>f=5"]);
    let plain = "fl=a.c\nfn=main\n3 9\ncfn=f\ncalls=3 1\n3 70\n3 2\ncfn=f\ncalls=2 1\n4 7\n";
    check(&format!("{HEAD}{plain}"), CallSource::Callgrind, &["f=5", "main>f=5"]);
}

#[test]
fn ids_of_files_are_not_those_of_functions() {
    let text = "ob=(2) /bin/x\nfl=(2) a.c\nfn=(1) main\nfi=(3) inline.h\n7 1\nfe=(2)\ncob=(5) /lib/y\ncfi=(4) b.c\ncfn=(2) g\n\
                calls=4 0x10 7\n0x1 7 8\n";
    check(&format!("{HEAD}{text}"), CallSource::Callgrind, &["g=4", "main>g=4"]);
}

#[test]
fn ids_go_on_over_parts_and_recursion_is_one_function() {
    let text = "part: 1\n\nfn=(1) main\ncfn=(2) fact\ncalls=1 1\n1 5\ntotals: 5\npart: 2\n\nfn=(2)\ncfn=(3) fact'2\ncalls=1 1\n1 3\n\
                fn=(3)\ncfn=(3)\ncalls=3 1\n1 3\n";
    check(&format!("{HEAD}{text}"), CallSource::Callgrind, &["fact=5", "fact>fact=4", "main>fact=1"]);
}

#[test]
fn a_function_that_goes_on_in_a_part_of_itself_was_called_once() {
    let text = "fn=(1) S::run(int)\ncfn=(2) S::run(int) [clone .part.0]\ncalls=9 1\n1 1\ncfn=(3) g.part.0\ncalls=2 1\n1 1\n";
    check(&format!("{HEAD}{text}"), CallSource::Callgrind, &["g=2", "S::run>g=2"]);
    // The part calls itself: each of these is a call of the function, whose beginning is inlined there.
    let text = "fn=(1) main\ncfn=(2) sum\ncalls=3 1\n1 1\nfn=(2)\ncfn=(3) sum.part.0\ncalls=2 1\n1 1\nfn=(3)\ncfn=(4) sum.part.0'2\n\
                calls=7 1\n1 1\nfn=(4)\ncfn=(4)\ncalls=5 1\n1 1\n";
    check(&format!("{HEAD}{text}"), CallSource::Callgrind, &["sum=15", "main>sum=3", "sum>sum=12"]);
}

#[test]
fn entries_are_branches_to_a_first_byte() {
    let text = "     55d1 leaf  look up(int)+0x12/leaf+0x0/P/-/-/3  main+0x40/look up(int)+0x0/M/-/-/7  main+0x9/main+0x2/P/-/-/1\n\
                     55d1 leaf  f+0x12/f+0x0/P/-/-/3/COND/-  f+0x19/f+0x0/P/-/-/3/CALL/-\n";
    let expected = ["f=1", "leaf=1", "look up=1", "f>f=1", "look up>leaf=1", "main>look up=1"];
    check(text, CallSource::BranchRecords, &expected);
    let text = "     55d1 f  f+0x12/f.part.0+0x0/P/-/-/3/CALL/-  f.part.0+0x19/f.part.0+0x0/P/-/-/3/CALL/-\n";
    check(text, CallSource::BranchRecords, &["f=1", "f>f=1"]);
    assert!(error(" 55d1 leaf  0x12/0x34/P/-/-/3  0x40/0x50/M/-/-/7\n").contains("brstacksym"));
}

/// As perf 6.1 prints them: no blank before the first branch.
#[test]
fn the_first_branch_of_a_line_begins_where_the_sample_s_symbol_ends() {
    // What ran from where the branch before led to, is where the branch is.
    let text =
        "     5597c7b0c185 leafwalk it+0x12/leaf+0x0/P/-/-/0/CALL main+0x40/walk it+0x0/P/-/-/7/CALL\n";
    check(text, CallSource::BranchRecords, &["leaf=1", "walk it=1", "main>walk it=1", "walk it>leaf=1"]);
    // Without a branch before, the sample is where the branch led to.
    check(
        "     5597c7b0c185 leafmain+0x12/leaf+0x0/P/-/-/0\n",
        CallSource::BranchRecords,
        &["leaf=1", "main>leaf=1"],
    );
    // Neither: the caller is not known.
    check("     5597c7b0c185 xyzmain+0x12/leaf+0x0/P/-/-/0\n", CallSource::BranchRecords, &["leaf=1"]);
}

#[test]
fn branches_without_symbols_do_not_hide_their_neighbours() {
    let text =
        "     55d1 leaf[unknown]/leaf+0x0/P/-/-/3 main+0x40/[unknown]/M/-/-/7 main+0x9/f+0x0/P/-/-/1\n";
    check(text, CallSource::BranchRecords, &["f=1", "leaf=1", "main>f=1"]);
}

#[test]
fn a_call_through_a_stub_is_one_of_the_function_that_entered_it() {
    let text = "     55d1 weigh_init+0x30/weigh+0x0/P/-/-/0/IND g+0x3b/_init+0x30/P/-/-/0/CALL f+0x1/g+0x0/P/-/-/0/CALL\n\
                     55d1 sizesize@plt+0x4/size+0x0/P/-/-/0/IND g+0x3b/size@plt+0x0/P/-/-/0/CALL\n\
                     55d1 sizesize@plt+0x4/size+0x0/P/-/-/0/IND\n";
    check(text, CallSource::BranchRecords, &["g=1", "size=2", "weigh=1", "f>g=1", "g>size=1", "g>weigh=1"]);
}

#[test]
fn branches_share_the_period_of_their_sample() {
    let text = "       900      5597c7b0c185 leaff+0x12/leaf+0x0/M/-/-/0 main+0x40/f+0x0/P/-/-/7 main+0x9/main+0x2/P/-/-/1\n\
                      100          7fa77c4c leaff+0x12/leaf+0x0/P/-/-/0 main+0x40/f+0x0/P/-/-/7\n";
    check(text, CallSource::BranchRecords, &["f=350", "leaf=350", "f>leaf=350", "main>f=350"]);
    let counts = parse_counts(text, Side::After).unwrap();
    let leaf = counts.functions["leaf"];
    assert_eq!((leaf.records, leaf.mispredicted), (2, 1));
    // A function's name that looks like an address makes no period of the address before it.
    let text = "           401136 addadd+0x12/add+0x0/P/-/-/0/CALL main+0x40/add+0x0/P/-/-/7\n";
    check(text, CallSource::BranchRecords, &["add=2", "add>add=1", "main>add=1"]);
}

#[test]
fn bpftrace_and_funccount_count_chosen_functions() {
    let bpftrace = "Attaching 3 probes...\n^C\n\n@[_ZN1S3runEi]: 12\n@calls[uprobe:/usr/sbin/x:S::walk]: 3\n@[kprobe:vfs_read]: 0\n";
    check(bpftrace, CallSource::Bpftrace, &["S::run=12", "S::walk=3", "vfs_read=0"]);
    let bcc = "Tracing 2 functions for \"b'/bin/x:f*'\"... Hit Ctrl-C to end.\n^C\nFUNC                                    COUNT\n\
               f2                                         10\nS::run(int, int)                            7\nDetaching...\n";
    check(bcc, CallSource::Funccount, &["S::run=7", "f2=10"]);
}

#[test]
fn perf_stat_has_probes_among_its_events() {
    let text = "# started on Mon\n\n1203,,probe_mysqld:info_low,100,100.00,,\n5,,probe_mysqld:info_low__return,100,100.00,,\n\
                99,,instructions:u,1,100.00,,\n<not counted>,,probe_x:gone,0,0.00,,\n7,,probe:vfs_read:u,1,50.00,,\n";
    check(text, CallSource::PerfStat, &["info_low=1203", "vfs_read=7"]);
    check("1.0,5,,probe_x:f,1,100.00,,\n2.0,6,,probe_x:f,1,100.00,,\n", CallSource::PerfStat, &["f=11"]);
}

#[test]
fn a_table_has_one_side_or_both() {
    check("function\tcalls\nf\t1.5\nf -> g\t3\n", CallSource::Table, &["f=1.5", "f>g=3"]);
    check("f\t1.5\t2\n", CallSource::Table, &["f=2"]);
}

#[test]
fn what_is_wrong_is_said_in_one_line() {
    assert!(error("").contains("known formats of call counts"));
    assert!(error("hello\n").contains("callgrind output"));
    assert!(error(&format!("{HEAD}fn=(7)\n")).starts_with("line 4: not a name"));
    assert!(error(&format!("{HEAD}fn=f\ncalls=3 1\n")).starts_with("line 5: not calls behind"));
    assert!(error(&format!("{HEAD}fn=f\ncfn=g\ncalls=x 1\n")).starts_with("line 6: not a number of calls"));
    assert!(error(HEAD).contains("it has no calls (callgrind)"));
    assert!(error("@[f]: 1\n@[g]: x\n").starts_with("line 2"));
    assert!(error("f\t1\nf\t2\n").contains("twice"));
    assert!(error("f\t1\ng\t-2\n").starts_with("line 2"));
    assert!(error("x,,probe_x:f,1,1,,\n").starts_with("line 1"));
}

/// `1,234  < FILE:CALLER (1,000x) [OBJECT]` lines, and behind them `1,234  *  FILE:CALLEE [OBJECT]`.
fn annotated(text: &str) -> CountedCalls {
    let mut counts = CountedCalls::new(CallSource::Callgrind);
    let mut callers: Vec<(Box<str>, f64)> = Vec::new();
    let name = |place: &str| {
        let place = place.trim().split(" [").next().unwrap().trim();
        let function = place.split_once(':').unwrap().1;
        qualified(function.split('\'').next().unwrap())
    };
    for line in text.lines() {
        if let Some((_, caller)) = line.split_once(" < ") {
            let times = caller.rsplit_once(" (").unwrap().1.split_once("x)").unwrap().0;
            callers
                .push((name(caller.rsplit_once(" (").unwrap().0), times.replace(',', "").parse().unwrap()));
        } else if let Some((_, callee)) = line.split_once(" *  ") {
            let callee = name(callee);
            callers.drain(..).for_each(|(caller, calls)| counts.add_entries(&caller, &callee, calls));
        }
    }
    counts
}

#[test]
fn calls_of_callgrind_are_those_of_callgrind_annotate() {
    let programs = [
        (
            include_str!("../../../../fixtures/counts/before/callgrind.out"),
            include_str!("../../../../fixtures/counts/before/annotated.txt"),
        ),
        (
            include_str!("../../../../fixtures/counts/every-call/callgrind.out"),
            include_str!("../../../../fixtures/counts/every-call/annotated.txt"),
        ),
        (
            include_str!("../../../../fixtures/counts/twice/callgrind.out"),
            include_str!("../../../../fixtures/counts/twice/annotated.txt"),
        ),
    ];
    for (file, annotation) in programs {
        let (counts, expected) = (parse_counts(file, Side::Before).unwrap(), annotated(annotation));
        assert!(expected.entries.len() > 40, "{}", expected.entries.len());
        assert_eq!(counts.entries, expected.entries);
        assert_eq!(counts.functions, expected.functions);
    }
}
