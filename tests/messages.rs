//! What goes wrong is said in one line: what, where, and what to do; with exit status 2 and nothing on standard output.

use std::path::Path;

/// A run table of two builds and two factors.
const RUNS: &str = "build,P,W,tps\n5.7,0,0,100\n5.7,1,0,110\n8.0,0,0,70\n8.0,1,1,90\n";

/// Files that the commands below are given, by name.
const FILES: &[(&str, &str)] = &[
    ("runs.csv", RUNS),
    ("one-build.csv", "build,P,tps\n5.7,0,100\n5.7,1,110\n"),
    ("letters.csv", "build,P,W,tps\n5.7,0,0,fast\n"),
    ("maybe.csv", "build,P,W,tps\n5.7,maybe,0,100\n"),
    ("header.csv", "build,P,W,tps\n"),
    ("cut.json", "[{\"build\": \"5.7\", \"P\": 0"),
    ("list.json", "[[1, 2]]"),
    ("counts.tsv", "buf_page_get 1\n"),
    ("words.toml", "this is no TOML"),
    ("ids.txt", "xyz /usr/sbin/mysqld\n"),
    ("empty.txt", "\n"),
    ("windows.tsv", "capture\toperations\nother\t5\n"),
    ("sysbench.txt", "sysbench 1.0.20\n"),
    ("zero.txt", "    transactions: 0 (0.00 per sec.)\n"),
    ("vmstat.txt", "no table\n"),
    ("settings.tsv", "log_bin\tON\n"),
];

/// What is typed, and what the line must hold.
const TROUBLES: &[(&str, &[&str])] = &[
    ("compare OLD NEW --sort luck", &["--sort", "'luck' is not an order", "delta"]),
    ("compare OLD NEW --fdr 2", &["--fdr", "not a number from 1e-6 to 0.5"]),
    ("compare OLD NEW --windows windows.tsv", &["no row for '57-aligned-r1'", "it has other"]),
    ("compare OLD NEW --buildid-list ids.txt", &["ids.txt", "line 1", "'xyz' is not a build-id"]),
    ("compare OLD NEW --buildid-list empty.txt", &["empty.txt", "no build-ids in it", "perf buildid-list"]),
    ("compare OLD NEW --aliases words.toml", &["words.toml", "line 1", "docs/knowledge.md"]),
    ("compare OLD NEW --subsystems words.toml", &["words.toml", "line 1", "docs/knowledge.md"]),
    ("compare OLD", &["AFTER"]),
    ("compare OLD NEW -o absent/x.json", &["writing absent/x.json", "no directory absent", "hint: make it"]),
    ("pack OLD -o runs.csv/x.pdiff", &["writing runs.csv/x.pdiff", "no directory runs.csv"]),
    (
        "attribute runs.csv --factors P,W --plot absent/x.svg",
        &["writing absent/x.svg", "no directory absent"],
    ),
    (
        "settings settings.tsv counts.tsv -o settings.tsv",
        &["writing settings.tsv", "read by this command, too"],
    ),
    ("compare OLD NEW --aliases words.toml -qo ./words.toml", &["read by this command, too"]),
    ("series a=maybe.csv b=letters.csv -o letters.csv", &["read by this command, too"]),
    ("attribute runs.csv --factors P,W --plot-interactions runs.csv", &["read by this command, too"]),
    ("attribute runs.csv --factors P,W --plot-effects runs.csv", &["read by this command, too"]),
    ("series --runs runs.csv --plot-threads runs.csv", &["writing runs.csv", "read by this command, too"]),
    ("series --runs runs.csv --plot a.svg --plot-threads a.svg", &["two outputs are written to a.svg"]),
    ("compare OLD NEW --host db1", &["--host chooses runs of a store", "--store"]),
    ("plan OLD OLD --script words.toml --aliases words.toml", &["read by this command, too"]),
    (
        "compare --operations-after 4000 OLD NEW",
        &["--operations-after", "recordings come before this option"],
    ),
    ("compare OLD NEW --cache-dir runs.csv", &["--cache-dir: runs.csv is not a directory", "hint: name one"]),
    ("inlines server server --cache-dir runs.csv", &["--cache-dir: runs.csv is not a directory"]),
    ("compare OLD NEW --tid before:abc", &["--tid: 'before:abc' is not a thread id", "before:4242"]),
    ("man --dir runs.csv", &["runs.csv is not a directory", "--dir"]),
    // Recordings of like size are read at once; of two bad ones the first is told.
    ("compare letters.csv maybe.csv", &["letters.csv"]),
    ("compare maybe.csv letters.csv", &["maybe.csv"]),
    ("compare OLD NEW extra", &["extra"]),
    ("compare - -", &["standard input can be one thing only"]),
    (
        "compare - NEW --settings-before - --settings-after settings.tsv",
        &["standard input can be one thing only"],
    ),
    ("classify OLD NEW --settings-before - --settings-after -", &["standard input can be one thing only"]),
    ("attribute - --factors P,W --profiles - NEW", &["standard input can be one thing only"]),
    ("series - NEW --runs -", &["standard input can be one thing only"]),
    ("settings - -", &["standard input can be one thing only"]),
    ("classify OLD NEW --counts counts.tsv", &["counts.tsv", "line 1", "function<TAB>before<TAB>after"]),
    ("classify OLD NEW --architectural words.toml", &["words.toml", "line 1"]),
    ("classify OLD NEW --settings-before settings.tsv", &["--settings-after"]),
    ("explain OLD NEW", &["FUNC"]),
    ("flame --diff OLD", &["--diff"]),
    ("pack OLD", &["--output"]),
    ("pack nowhere.perf -o x.pdiff", &["nowhere.perf", "No such file", "hint: name a recording"]),
    ("compare . .", &["is a directory", "hint: name the recording in it"]),
    ("inlines elf32 elf32", &["elf32", "only 64-bit little-endian ELF files"]),
    ("inlines server server --function (", &["--function", "regular expression"]),
    ("inlines server server --change luck", &["--change", "luck", "mixed"]),
    ("symbolize server zz", &["'zz' is not an address", "0x1139"]),
    ("symbolize nowhere 0x1", &["nowhere", "No such file"]),
    ("attribute runs.csv --factors P,X", &["'X'", "--factors"]),
    ("attribute runs.csv --factors P --ignore tps,W", &["'tps'"]),
    ("attribute runs.csv --factors P --ignore P,W", &["column 'P' is needed", "--ignore"]),
    ("attribute runs.csv --factors P,W --base 9.9", &["has no build '9.9'", "5.7"]),
    ("attribute runs.csv --factors P,W --base 5.7 --target 5.7", &["--base and --target are both '5.7'"]),
    ("attribute runs.csv --factors P,W --masking P:P", &["--masking", "names one factor twice"]),
    ("attribute runs.csv --factors P,W --masking P", &["--masking", "is not of the form A:B"]),
    ("attribute runs.csv --factors P,W --masking P:X", &["--masking", "'X' is not a factor"]),
    ("attribute runs.csv --factors P,W --restart X", &["--restart", "'X' is not a factor"]),
    ("attribute runs.csv --factors P,W --profiles OLD NEW --factor-subsystem X=y", &["'X' is not a factor"]),
    ("attribute runs.csv --factors P,W --columns speed=tps", &["--columns", "speed"]),
    ("attribute one-build.csv --factors P", &["one-build.csv"]),
    ("attribute letters.csv --factors P,W", &["letters.csv: row 1", "tps 'fast' is not a positive number"]),
    ("attribute maybe.csv --factors P,W", &["maybe.csv: row 1", "P 'maybe'"]),
    ("attribute header.csv --factors P,W", &["header.csv"]),
    ("attribute cut.json --factors P,W", &["cut.json", "JSON"]),
    ("attribute list.json --factors P,W", &["list.json", "row 1 is not an object"]),
    ("series OLD", &["recordings of one build only", "LABEL=FILE"]),
    ("series OLD NEW --base 9", &["--base: no build '9'", "57-aligned-r1"]),
    ("series OLD NEW --vmstat vmstat.txt", &["--vmstat", "is not of the form LABEL=FILE"]),
    ("series OLD NEW --vmstat a=vmstat.txt", &["a"]),
    ("series =OLD NEW", &["is not of the form LABEL=FILE"]),
    ("series --runs runs.csv --sysbench 5.7=sysbench.txt", &["sysbench.txt", "no line 'transactions:"]),
    ("series --runs runs.csv --sysbench 5.7=zero.txt", &["zero.txt", "line 1", "has no positive rate"]),
    ("series --runs runs.csv --vmstat 5.7=vmstat.txt", &["vmstat.txt", "columns cs, us and sy"]),
    ("settings settings.tsv runs.csv", &["runs.csv"]),
    ("settings settings.tsv", &["AFTER"]),
    ("completions tcsh", &["tcsh", "bash"]),
    ("man --dir /dev/null/pages", &["/dev/null/pages"]),
    ("compare cut.pdiff cut.pdiff", &["cut.pdiff", "cut off", "copy it again"]),
    ("compaer OLD NEW", &["compaer", "compare"]),
];

fn words(line: &str, old: &str, new: &str) -> Vec<String> {
    line.split_whitespace().map(|word| word.replace("OLD", old).replace("NEW", new)).collect()
}

#[test]
fn every_trouble_is_told_in_one_line() {
    let root = Path::new(env!("CARGO_MANIFEST_DIR"));
    let directory = tempfile::tempdir().unwrap();
    for (name, text) in FILES {
        std::fs::write(directory.path().join(name), text).unwrap();
    }
    let server = root.join("fixtures/two-versions/gcc/after/server");
    std::fs::copy(server, directory.path().join("server")).unwrap();
    // A 32-bit object for the i386, of a header alone: 52 bytes, of which e_ehsize says so.
    let mut elf32 = b"\x7fELF\x01\x01\x01\0\0\0\0\0\0\0\0\0\x01\0\x03\0\x01".to_vec();
    elf32.resize(52, 0);
    elf32[40] = 52;
    std::fs::write(directory.path().join("elf32"), &elf32).unwrap();
    let fixture = |name: &str| root.join("fixtures/mysql").join(name).display().to_string();
    let pack = std::fs::read(fixture("56-aligned-r1.pdiff")).unwrap();
    std::fs::write(directory.path().join("cut.pdiff"), &pack[..pack.len() / 2]).unwrap();
    let (old, new) = (fixture("57-aligned-r1.perf.zst"), fixture("80-aligned-r1.perf.zst"));
    let mut wrong = Vec::new();
    for (line, expected) in TROUBLES {
        let output = pdiff_testing::pdiff()
            .args(words(line, &old, &new))
            .current_dir(directory.path())
            .env("XDG_CACHE_HOME", directory.path().join("cache"))
            .output()
            .unwrap();
        let told = String::from_utf8_lossy(&output.stderr);
        let is_one_line = told.trim_end().lines().count() == 1 && told.starts_with("pdiff: error: ");
        let is_refused = output.status.code() == Some(2) && output.stdout.is_empty();
        if !is_one_line || !is_refused || !expected.iter().all(|word| told.contains(word)) {
            wrong.push(format!("pdiff {line}\n  {:?} {told}", output.status.code()));
        }
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
    assert!(!directory.path().join("x.pdiff").exists());
}
