//! What `perf script` prints, field by field. Unless a case says otherwise its text is of perf 6.1.192, shortened.

use pdiff_profile::NoteKind;

use super::{check, error, parse_blocks, profile, profile_with};
use crate::error::Error;
use crate::{ReadOptions, TimeWindow};

#[test]
fn a_chain_is_turned_root_first() {
    check(
        "my 7 [001]  4502.207801:    1001001 cpu-clock: \n\
         \tffffffff82200809 _raw_spin+0x19 ([kernel.kallsyms])\n\
         \t          35521f mysql_update+0x97f (/opt/mysql/5.6.14/bin/mysqld)\n\
         \t           891f5 start_thread+0x305 (/usr/lib/libc.so.6)\n\n",
        "cpu-clock|4502|my -/7|891f5:start_thread+305(libc.so.6);35521f:mysql_update+97f(mysqld);\
         ffffffff82200809:_raw_spin+19([kernel.kallsyms]) 1 1001001",
    );
}

#[test]
fn flat_samples_have_one_frame() {
    check(
        "     w (1) 2/3:4 12994   947.815493:    5025125 cpu-clock:      5571cb855236 leaf+0x26 (/w/prog x)\n\
         \x20         mysqld 14474 [000]  5114.614111:    1001001 cpu-clock:            57a9e1 net+0x1 (/m)\n\
         \x20    migration/0    18 [000]  5114.914111:    1001001 cpu-clock:  ffffffff813bf421 f ([k])\n",
        "cpu-clock|947|w (1) 2/3:4 -/12994|5571cb855236:leaf+26(prog x) 1 5025125
         cpu-clock|5114|mysqld -/14474|57a9e1:net+1(m) 1 1001001
         cpu-clock|5114|migration/0 -/18|ffffffff813bf421:f([k]) 1 1001001",
    );
}

#[test]
fn comms_hold_anything() {
    let check = |comm: &str| {
        check(
            &format!("{comm}   983/1008  [000]  2.579926: 9 c: \n\t1 a (/x)\n\n"),
            &format!("c|2|{comm} 983/1008|1:a(x) 1 9"),
        );
    };
    for comm in ["a b c", "0x12 99", "w (1) 2/3:4", "nginx: worker", "[kworker]", "1.000001:x", "#c", ":-1"] {
        check(comm);
    }
}

#[test]
fn event_names_hold_colons_and_slashes() {
    for event in ["cpu_core/cycles/P", "cpu-clock:ppp", "probe:x", "cycles:u", "cpu/event=0x3c,umask=0x0/"] {
        check(
            &format!("x 1 [000] 2.579926000:          5 {event}: \n\t1 a (/x)\n\n"),
            &format!("{event}|2|x -/1|1:a(x) 1 5"),
        );
    }
}

#[test]
fn trace_text_is_skipped() {
    check(
        "            perf 4 [000]   2.096724:       sched:sched_switch: prev_comm=perf ==> next_prio=0\n",
        "sched:sched_switch|2|perf -/4| 1 1
         ! skipped-field 1 1
         ! no-period 1 1
         ! no-frames 1 1",
    );
    check(
        "x 4 [000]   2.096724: sched:sched_switch: prev_comm=a b: ==> next_prio=0\n\t1 a (/x)\n\n",
        "sched:sched_switch|2|x -/4|1:a(x) 1 1
         ! skipped-field 1 1
         ! no-period 1 1",
    );
}

#[test]
fn any_fields_may_be_missing() {
    let no_time = "! no-period 1 1\n! no-time 1 1";
    check("     5571cb855236 leaf\n", &format!("|0| -/-|5571cb855236:leaf([unknown]) 1 1\n{no_time}"));
    check(
        "           a b c      5571cb855236\n",
        &format!("|0|a b c -/-|5571cb855236:?([unknown]) 1 1\n{no_time}"),
    );
    check("\n\t1 a\n\t2 b\n\n", &format!("|0| -/-|2:b([unknown]);1:a([unknown]) 1 1\n{no_time}"));
    check("12978 \n\t1\n\n", &format!("|0| -/12978|1:?([unknown]) 1 1\n{no_time}"));
    check("a b \n\t1 a\n\n", &format!("|0|a b -/-|1:a([unknown]) 1 1\n{no_time}"));
    check(
        "cpu-clock:      5571cb855236 leaf+0x26 (/x)\n",
        &format!("cpu-clock|0| -/-|5571cb855236:leaf+26(x) 1 1\n{no_time}"),
    );
    check("a b    5025125 c: \n", "c|0|a b -/-| 1 5025125\n! no-time 1 5025125\n! no-frames 1 5025125");
    check("12995   947.815493: \n", "|947| -/12995| 1 1\n! no-period 1 1\n! no-frames 1 1");
    check("  943.594504:          2 \n", "|943| -/-| 1 2\n! no-frames 1 2");
    check(
        "a 1 [000]  2.000001: c:      5571cb855236\n",
        "c|2|a -/1|5571cb855236:?([unknown]) 1 1\n! no-period 1 1",
    );
    check(
        "a 1 [000]  2.000001:         12 5571cb855236\n",
        "|2|a -/1| 1 12\n! skipped-field 1 12\n! no-frames 1 12",
    );
}

#[test]
fn unknown_columns_are_skipped() {
    check(
        "a 3 K       943.594504:     8 c:        0      1e05080021 |OP N/A|LCK N/A      0     5622a873a232 leaf+0x22 (/x) insn: 83 c3\n",
        "c|943|a -/3|5622a873a232:leaf+22(x) 1 8\n! skipped-field 3 16",
    );
    check(
        "a 3 2026-11-20 18:17:57.594504  943.594504:     8 c:                                     0\n\
         \t1232 leaf+0x22 (/x)\n ABI:2    AX:0xb3333333\n\
         b 4 943.594504:     8 c: \n\t1232 leaf+0x22 (/x)\n 0x1/0x2/P/-/-/0  0x3/0x4/P/-/-/0 \n",
        "c|943|a -/3|1232:leaf+22(x) 1 8
         c|943|b -/4|1232:leaf+22(x) 1 8
         ! skipped-field 4 24",
    );
}

#[test]
fn inlined_frames_get_the_object_of_their_outer_frame() {
    check(
        "a 3 2.000001: 8 c: \n\t122c inl+0x1c (inlined)\n\t122c leaf+0x1c (/x)\n\t1294 mid+0x34 (/y)\n\n",
        "c|2|a -/3|1294:mid+34(y);122c:leaf+1c(x);122c:inl+1c(x)* 1 8",
    );
}

#[test]
fn frames_printed_twice_are_dropped_where_perf_expands_inlined_ones() {
    let text =
        "a 3 2.000001: 8 c: \n\t1 row+0x9 (/x)\n\t1 row+0x9 (/x)\n\t2 b+0x1 (inlined)\n\t2 b+0x1 (/x)\n\n";
    check(text, "c|2|a -/3|2:b+1(x);1:row+9(x) 1 8\n! doubled-frame 2 8");
    check(
        "a 3 2.000001: 8 c: \n\t1 fib+0x9 (/x)\n\t1 fib+0x9 (/x)\n\n",
        "c|2|a -/3|1:fib+9(x);1:fib+9(x) 1 8",
    );
}

#[test]
fn source_lines_belong_to_the_frame_above_them() {
    check(
        "a 3 2.000001: 8 c: \n\t1 inl+0x1\n  t.c:8 (inlined)\n\t1 leaf+0x1 (/x)\n  t.c:9\n\t2 k ([k])\n  [k][2]\n\n",
        "c|2|a -/3|2:k([k]);1:leaf+1(x)@t.c:9;1:inl+1(x)@t.c:8* 1 8",
    );
    check(
        "           a b c 12995   947.815493:    5 c:      5571cb855236 leaf+0x26 (/x)\n  t.c:8\n\
         \x20 w (1) 2/3:4567 12994   947.815493:    5 c:      5571cb855236 leaf+0x26 (/x)\n  t.c:8\n|8   for (;;)\n",
        "c|947|a b c -/12995|5571cb855236:leaf+26(x)@t.c:8 1 5
         c|947|w (1) 2/3:4567 -/12994|5571cb855236:leaf+26(x)@t.c:8 1 5
         ! skipped-field 1 5",
    );
}

#[test]
fn comments_and_records_are_kept_apart_from_samples() {
    let text = "# ========\n# os release : 6.18\n# cmdline : perf record -- a : b\n#\n\
        swapper 0 0.000000: PERF_RECORD_MMAP -1/0: [0xffffffff81000000(0x120) @ 0xffffffff81000000]: x [kernel.kallsyms]_text\n\
        x 7 1.0: PERF_RECORD_MMAP2 7/7: [0x5000(0x1000) @ 0x1000 <bebc>]: r-xp /w/x\n\
        x 7 1.000001: PERF_RECORD_COMM exec: x: y:7/7\n\
        x 7 1.000001: PERF_RECORD_NAMESPACES 7/7 - nr_namespaces: 7\n\t\t[0/net: 4/0xf0000098]\n\
        x 7 1.000001: PERF_RECORD_LOST lost 12\n\
        x 7 1.000001: 8 c: \n\t1 a (/w/x)\n\n";
    check(text, "c|1|x -/7|1:a(x) 1 8\n! lost-samples 12 0");
    let profile = profile(text.as_bytes());
    let header: Vec<String> = profile.header.iter().map(|(key, value)| format!("{key}={value}")).collect();
    assert_eq!(header, ["os release=6.18", "cmdline=perf record -- a : b"]);
    let maps: Vec<String> = profile
        .mappings
        .iter()
        .map(|map| {
            let object = &profile.objects[map.object.index()];
            let build_id = object.build_id.as_ref().map_or(String::new(), ToString::to_string);
            format!("{:?} {:x} {:x} {} {build_id}", map.pid, map.start, map.offset, object.path)
        })
        .collect();
    assert_eq!(
        maps,
        ["None ffffffff81000000 ffffffff81000000 [kernel.kallsyms] ", "Some(7) 5000 1000 /w/x bebc"]
    );
    assert_eq!(profile.objects.len(), 2);
}

#[test]
fn line_ends_of_windows_and_bytes_that_are_no_text_are_read() {
    check("x 7 1.000001: 8 c: \r\n\t1 a (/x)\r\n\t2 b (/x)\r\n\r\n", "c|1|x -/7|2:b(x);1:a(x) 1 8");
    check("x 7 1.000001: 8 c: \n\t1 a (/x)\n\n\rodd\n", "c|1|x -/7|1:a(x) 1 8\n! unparsed-line 1 0");
    let text = b"x\xff 7 1.000001: 8 c: \n\t1 a\xfe (/x)\n\n";
    assert_eq!(super::dump(&profile(text)), "c|1|x\u{fffd} -/7|1:a\u{fffd}(x) 1 8\n! not-utf8 2 8\n");
}

#[test]
fn a_truncated_end_is_noted() {
    check("x 7 1.000001: 8 c: \n\t1 a (/x)\n", "c|1|x -/7|1:a(x) 1 8\n! truncated-sample 1 8");
    check("x 7 1.000001: 8 c: \n\t1 a (/x)\n\t2 b (/", "c|1|x -/7|1:a(x) 1 8\n! truncated-sample 1 0");
    check("x 7 1.000001: 8 c: \n\t1 a (/x)\n\nx 7 1.00", "c|1|x -/7|1:a(x) 1 8\n! truncated-sample 1 0");
}

#[test]
fn times_that_go_backwards_are_noted() {
    check(
        "x 7 5.000001: 8 c: \n\t1 a (/x)\n\nx 7 3.000001: 8 c: \n\t1 a (/x)\n\nx 7 2.500001: 8 c: \n\t1 a (/x)\n\n",
        "c|2|x -/7|1:a(x) 1 8
         c|3|x -/7|1:a(x) 1 8
         c|5|x -/7|1:a(x) 1 8
         ! time-backwards 1 0",
    );
}

#[test]
fn odd_lines_are_counted_and_parsing_goes_on() {
    let text = "what is this\n\tnot a frame\nx 7 1.000001: 8 c: \n\tzz a (/x)\n\t1 a (/x)\n\nx 7 1.000001: -8 c: \n\t1 a (/x)\n\n";
    check(text, "c|1|x -/7|1:a(x) 1 8\n! unparsed-line 5 8");
    let Error::TooManyUnparsed { unparsed, lines, examples, .. } = error(text.as_bytes(), "") else {
        panic!()
    };
    assert_eq!((unparsed, lines), (5, 9));
    assert_eq!(&*examples[0], "line 1: what is this");
}

#[test]
fn a_frame_behind_a_whole_chain_belongs_to_no_record_before_that_chain() {
    let sample = "x 7 1.000001: 8 c: \n\t1 a (/x)\n\n";
    let record = "x 7 1.000001: PERF_RECORD_COMM exec: x: y:7/7\n";
    check(&format!("{sample}{record}{sample}\t2 b (/x)\n"), "c|1|x -/7|1:a(x) 2 16\n! unparsed-line 1 0");
}

#[test]
fn periods_that_do_not_fit_are_no_periods() {
    for period in ["-5", "18446744073709551616", "NaN", "1e5"] {
        let text = format!("x 7 1.000001: {period} c: \n\t1 a (/x)\n\n");
        assert!(matches!(error(text.as_bytes(), ""), Error::NoSamples { .. }), "{text}");
    }
    let twice = "x 7 1.000001: 18446744073709551615 c: \n\t1 a (/x)\n\n".repeat(2);
    assert!(matches!(error(twice.as_bytes(), ""), Error::Build { .. }));
}

#[test]
fn time_windows_count_what_they_leave_out() {
    use crate::parse_perf_script;
    let text: String = (0..10).map(|i| format!("x 7 {i}.500000: 8 c: \n\t1 a (/x)\n\n")).collect();
    let kept = |window: &str| {
        let time = TimeWindow::parse(window).unwrap();
        let profile =
            parse_perf_script(text.as_bytes(), &ReadOptions { time, ..ReadOptions::new() }).unwrap();
        let out = profile.notes.get(pdiff_profile::NoteKind::FilteredOut).map_or(0, |note| note.count);
        assert_eq!(profile.events[0].samples + out, 10, "{window}");
        profile.cells.iter().map(|cell| cell.block).collect::<Vec<_>>()
    };
    assert_eq!(kept("2.5,4.5"), [2, 3, 4]);
    assert_eq!(kept("2.500000001,"), [3, 4, 5, 6, 7, 8, 9]);
    assert_eq!(kept(",1"), [0]);
    assert_eq!(kept("+1,+2"), [1, 2]);
    assert_eq!(kept("0%-50%"), [0, 1, 2, 3, 4]);
    assert_eq!(kept("50%/2"), [5, 6, 7, 8, 9]);
    assert!(matches!(error(text.as_bytes(), "20,"), Error::NothingInWindow { .. }));
    assert!(matches!(error(b"     5571cb855236 leaf\n", "+1,"), Error::NoTimes { .. }));
}

#[test]
fn a_relative_window_begins_at_the_first_sample_behind_any_number_of_records() {
    let record = "x 7 0.000000: PERF_RECORD_COMM: x:7/7\n".repeat(9);
    let text = format!("{record}x 7 1.500000: 8 c: \n\t1 a (/x)\n\nx 7 3.500000: 8 c: \n\t1 a (/x)\n\n");
    let time = TimeWindow::parse("+0,+1").unwrap();
    for block_bytes in [1, 100, 1 << 20] {
        let options = ReadOptions { time, ..ReadOptions::new() };
        let profile = parse_blocks(text.as_bytes(), &options, block_bytes).unwrap();
        assert_eq!(profile.events[0].samples, 1, "{block_bytes}");
    }
}

#[test]
fn what_holds_no_samples_is_an_error() {
    assert!(matches!(error(b"", ""), Error::Empty { .. }));
    assert!(matches!(error(b"any text\nat all: here\n", ""), Error::NoSamples { lines: 2, .. }));
    assert!(matches!(error(b"Options:\n\t-h  help\n\n", ""), Error::NoSamples { .. }));
}

/// Asserts which events a text has, however it is cut.
fn check_events(text: &str, expected: &[(&str, u64)]) {
    let whole = profile(text.as_bytes());
    let events: Vec<_> = whole.events.iter().map(|event| (&*event.name, event.samples)).collect();
    assert_eq!(events, expected, "{text}");
    for (block_bytes, threads) in [(1, 1), (40, 3), (100, 2)] {
        assert_eq!(
            profile_with(text.as_bytes(), block_bytes, threads),
            whole,
            "{block_bytes} {threads}: {text}"
        );
    }
}

#[test]
fn a_thread_named_like_an_event_makes_no_event() {
    let flat = |comm: &str| format!("{comm:>16} {:>16} f (/x)\n", "1000");
    let chain = |comm: &str| format!("{comm} \n\t            1000 f (/x)\n\n");
    // `-F comm,ip,sym,dso`: other threads show that there is no event.
    check_events(&[flat("cycles:"), flat("mysqld"), flat("kworker/0:1")].concat(), &[("", 3)]);
    check_events(&[chain("cycles:"), chain("mysqld"), chain("a b:")].concat(), &[("", 3)]);
    // A comm alone, by its columns.
    check_events(&flat("cycles:").repeat(3), &[("", 3)]);
    // `-F comm,tid,ip,sym,dso`: the tid stands after it, so it is no event.
    let flat_tid = |comm: &str| format!("{comm:>16} {:>6} {:>16} f (/x)\n", "12", "1000");
    let chain_tid = |comm: &str| format!("{comm}  1234 \n\t            1000 f (/x)\n\n");
    check_events(&flat_tid("cycles:").repeat(2), &[("", 2)]);
    check_events(&chain_tid("nginx: a:").repeat(2), &[("", 2)]);
}

#[test]
fn an_event_behind_a_thread_named_like_one_is_the_event() {
    let flat = |comm: &str, event: &str| format!("{comm:>16} {event}: {:>16} f (/x)\n", "1000");
    let chain = |comm: &str, event: &str| format!("{comm} {event}: \n\t            1000 f (/x)\n\n");
    let both = [("cycles", 2), ("cpu-clock", 1)];
    check_events(&[flat("w:", "cycles"), flat("x", "cycles"), flat("a 1 b:", "cpu-clock")].concat(), &both);
    check_events(
        &[chain("w:", "cycles"), chain("x", "cycles"), chain("a 1 b:", "cpu-clock")].concat(),
        &both,
    );
    // Nothing but the event, as `-F event,ip,sym` prints it.
    check_events(&"cycles: \n\t            1000 f (/x)\n\n".repeat(2), &[("cycles", 2)]);
}

#[test]
fn a_sample_without_frames_among_chains_without_time_and_event_counts() {
    let text = "x  12 \n\t            1000 f (/x)\n\nx  12 \n\ny  13 \n\t            1000 f (/x)\n\n";
    let whole = profile(text.as_bytes());
    assert_eq!(whole.events.iter().map(|event| event.samples).sum::<u64>(), 3);
    assert_eq!(
        whole.notes.iter().find(|note| note.kind == NoteKind::NoFrames).map(|note| note.count),
        Some(1)
    );
    assert!(whole.notes.iter().all(|note| note.kind != NoteKind::UnparsedLine));
    assert_eq!(profile_with(text.as_bytes(), 5, 2), whole);
}
