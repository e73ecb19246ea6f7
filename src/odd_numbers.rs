//! Every numeric option of every command, found in clap's definition, given numbers that nobody means: each is refused, or
//! the command runs; none panics.

use std::any::TypeId;
use std::collections::BTreeSet;
use std::num::NonZeroUsize;
use std::path::Path;

use clap::{Arg, Command, CommandFactory as _, Parser as _};

use crate::cli::Cli;

/// Numbers, or what a script takes for one.
const ODD: &[&str] = &[
    "nan",
    "-nan",
    "inf",
    "-inf",
    "-1",
    "-0",
    "0",
    "1e-323",
    "1e-200",
    "1e-9",
    "0.5",
    "1e18",
    "1e308",
    "4294967296",
    "18446744073709551615",
    "18446744073709551616",
    "",
    " 1",
    "0x10",
];

/// Options whose text has numbers in it; a pair of a text around the number.
const WITH_NUMBERS: &[(&str, &str, &str)] = &[
    ("time", "", ",2"),
    ("time", "+0,+", ""),
    ("time", "", "%-100%"),
    ("tid", "", ""),
    ("cpu", "", ""),
    ("cpu", "0-", ""),
    ("fail_on", "delta_self_pp > ", ""),
    ("fail_on", "total:gap_pct > ", ""),
    ("warn", "delta_self_pp > ", ""),
];

/// The arguments of each command without which it does not run; `OUT` is a file to write to.
const USUAL: &[(&str, &str)] = &[
    ("compare", "BEFORE AFTER --no-symbolize -q -o OUT"),
    ("classify", "BEFORE AFTER --no-symbolize -q -o OUT"),
    ("explain", "BEFORE AFTER work --no-symbolize -q -o OUT"),
    ("flame", "BEFORE AFTER --no-symbolize -q -o OUT"),
    ("report", "BEFORE AFTER --no-symbolize -q -o OUT"),
    ("ci", "BEFORE AFTER --no-symbolize -q --dir OUT.files"),
    ("pack", "BEFORE --no-symbolize -q -o OUT"),
    ("inlines", "BINARY BINARY --no-cache -o OUT"),
    ("settings", "SETTINGS SETTINGS -o OUT"),
    ("attribute", "RUNS --factors P,W -o OUT"),
    ("series", "--runs RUNS --columns build=build --vmstat a=VMSTAT -q -o OUT"),
    ("script", "BEFORE --no-symbolize -q -o OUT"),
    ("symbolize", "BINARY 0x1139 -o OUT"),
    ("counts", "COUNTS -o OUT"),
    ("plan", "BEFORE AFTER --no-symbolize -q -o OUT"),
];

fn is_number(argument: &Arg) -> bool {
    let kind = argument.get_value_parser().type_id();
    let floats = [TypeId::of::<f64>(), TypeId::of::<f32>()];
    let integers = [TypeId::of::<usize>(), TypeId::of::<u64>(), TypeId::of::<u32>(), TypeId::of::<i64>()];
    let not_zero = [TypeId::of::<NonZeroUsize>()];
    [&floats[..], &integers, &not_zero].concat().iter().any(|number| kind == *number)
}

/// What is typed for one option of a command: the number alone, or inside of other text.
fn words(argument: &Arg) -> Vec<String> {
    let id = argument.get_id().as_str();
    let around = WITH_NUMBERS.iter().filter(|(option, ..)| *option == id);
    let mut around: Vec<(&str, &str)> = around.map(|(_, before, after)| (*before, *after)).collect();
    if is_number(argument) {
        around.push(("", ""));
    }
    let long = argument.get_long().unwrap_or_default();
    let typed = |(before, after): (&str, &str)| {
        ODD.iter().map(move |odd| format!("--{long}={before}{odd}{after}")).collect::<Vec<_>>()
    };
    around.into_iter().flat_map(typed).collect()
}

fn typed(command: &str, usual: &str, directory: &Path, word: &str) -> Vec<String> {
    let in_directory = |name: &str| directory.join(name).display().to_string();
    let fixture = |name: &str| format!("{}/fixtures/{name}", env!("CARGO_MANIFEST_DIR"));
    let files = [
        ("BEFORE", in_directory("before.perf")),
        ("AFTER", in_directory("after.perf")),
        ("RUNS", in_directory("runs.csv")),
        ("VMSTAT", in_directory("vmstat.txt")),
        ("SETTINGS", fixture("settings/57.tsv")),
        ("BINARY", fixture("inlines/before.elf")),
        ("COUNTS", fixture("counts/before/callgrind.out")),
        ("OUT", in_directory("out")),
    ];
    let named =
        |word: &str| files.iter().fold(word.to_owned(), |word, (name, path)| word.replace(name, path));
    let usual = usual.split(' ').map(named);
    ["pdiff", command].map(str::to_owned).into_iter().chain(usual).chain([word.to_owned()]).collect()
}

fn sample(name: &str, times: usize) -> String {
    let sample = |at: usize| {
        format!(
            "app 7/7 [000] {}.{:06}: 1000 cycles: \n\t 1139 {name}+0x9 (/bin/app)\n\t 1200 main+0x2 (/bin/app)\n\n",
            at / 10 + 1,
            at % 10 * 100_000
        )
    };
    (0..times).map(sample).collect()
}

#[test]
fn no_number_makes_a_command_panic() {
    let directory = tempfile::tempdir().unwrap();
    let put = |name: &str, text: &str| std::fs::write(directory.path().join(name), text).unwrap();
    put("before.perf", &sample("work", 60));
    put("after.perf", &(sample("work", 50) + &sample("more", 30)));
    put(
        "runs.csv",
        "build,P,W,tps\n5.7,0,0,100\n5.7,1,0,110\n8.0,0,0,70\n8.0,1,1,90\n8.0,1,0,80\n8.0,0,1,75\n",
    );
    put("vmstat.txt", " r  b   cs us sy\n 1  0 9000 40 10\n 1  0 9100 41 11\n");
    let mut program = Cli::command();
    program.build();
    let mut tried = BTreeSet::new();
    let mut ran = 0;
    for command in program.get_subcommands().filter(|command| command.get_name() != "help") {
        let usual = USUAL.iter().find(|(name, _)| *name == command.get_name());
        let options: Vec<(&Arg, Vec<String>)> =
            command.get_arguments().map(|argument| (argument, words(argument))).collect();
        for (argument, words) in options.iter().filter(|(_, words)| !words.is_empty()) {
            let (name, usual) =
                usual.unwrap_or_else(|| panic!("{}: has numbers, add it", command.get_name()));
            for word in words {
                tried.insert(format!("{name} {}", argument.get_id()));
                let line = typed(name, usual, directory.path(), word);
                if let Ok(cli) = Cli::try_parse_from(&line) {
                    ran += 1;
                    // A clean error is fine; a panic fails this test.
                    let _ = crate::run(&cli.command);
                }
            }
        }
    }
    assert_known(&program, &tried);
    assert!(ran > 100, "{ran}");
}

/// The options of which it is known that they are numbers are among those that were found.
fn assert_known(program: &Command, tried: &BTreeSet<String>) {
    let known = "compare top, compare min_delta, compare fdr, compare assumed_cv, compare threads, compare tps_before, \
        compare time, compare tid, compare fail_on, explain lines, flame min_width, report min_width, pack operations, \
        inlines top, settings top, series cpus, series top";
    for option in known.split(", ") {
        assert!(tried.contains(option), "{option} was not tried, of {tried:?}");
    }
    // Whatever is called by a number in the help is one.
    for command in program.get_subcommands() {
        let by_help = command.get_arguments().filter(|argument| {
            let names = argument.get_value_names().unwrap_or_default();
            names.iter().any(|name| ["N", "PERCENT", "POINTS", "RATE", "S", "TPS"].contains(&name.as_str()))
        });
        for argument in by_help {
            let name = format!("{} {}", command.get_name(), argument.get_id());
            assert!(tried.contains(&name), "{name} was not tried");
        }
    }
}
