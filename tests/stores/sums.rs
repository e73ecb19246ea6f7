//! Sums of a store: by pdiff, by an engine, and compared.

use serde_json::Value;

use crate::{add, file_of, fixture, json, orders, pdiff, refusal, stdout, store_of_orders};

/// What an analyst would type: the tables as views, the query as pdiff prints it, one line per row.
const DUCKDB: &str = r"
import duckdb, sys
store, sql, out = sys.argv[1:4]
engine = duckdb.connect()
for table in ['runs', 'samples', 'stacks', 'frames', 'functions']:
    files = f'{store}/{table}/**/*.parquet'
    engine.execute(f'CREATE VIEW {table} AS SELECT * FROM read_parquet(\'{files}\', hive_partitioning=false)')
engine.execute(f'COPY ({sql}) TO \'{out}\' (FORMAT parquet)')
found = engine.execute(f'SELECT * FROM \'{out}\'')
print('\t'.join(column[0] for column in found.description))
for row in found.fetchall():
    print('\t'.join(str(value) for value in row))
";

#[test]
fn duckdb_sums_a_store_to_the_same_bytes() {
    let directory = tempfile::tempdir().unwrap();
    let store = directory.path().join("runs");
    let name = store.to_str().unwrap();
    store_of_orders(name);
    for (pack, build) in [("56-aligned-r1.pdiff", "5.6"), ("80-aligned-r1.pdiff", "8.0")] {
        let pack = fixture("mysql").join(pack);
        stdout(&add(name, pack.to_str().unwrap(), build, "db1"));
    }
    // Samples of a run that was not finished are not summed.
    let unfinished = file_of(&store, "runs");
    std::fs::remove_file(unfinished).unwrap();
    let Some(mut duckdb) = pdiff_testing::python_with("duckdb") else { return };
    let out = directory.path().join("sums.parquet");
    let sums = duckdb.args(["-c", DUCKDB, name, &stdout(&["store", "sql"])]).arg(&out).output().unwrap();
    assert!(sums.status.success(), "{}", String::from_utf8_lossy(&sums.stderr));
    let own = stdout(&["store", "sums", name]);
    assert!(own.lines().count() > 500, "{own}");
    assert!(own == String::from_utf8(sums.stdout).unwrap(), "the sums of DuckDB differ");
    // What the engine wrote is compared, too.
    let out = out.to_str().unwrap();
    stdout(&["compare", "--sums", out, out]);
}

/// Own weights by function, of one side; those without are left out, as functions that are never a leaf.
fn own_weights(comparison: &Value, side: &str) -> Vec<(String, u64)> {
    let rows = comparison["functions"].as_array().unwrap().iter();
    let own =
        rows.filter_map(|row| Some((row["name"].as_str()?.to_owned(), row[side]["self_weight"].as_u64()?)));
    let mut own: Vec<(String, u64)> = own.filter(|(_, weight)| *weight > 0).collect();
    own.sort();
    own
}

#[test]
fn sums_compare_as_the_runs_that_they_are_of() {
    let directory = tempfile::tempdir().unwrap();
    let store = directory.path().join("runs");
    let name = store.to_str().unwrap();
    store_of_orders(name);
    let sums = ["before", "after"].map(|build| {
        let file = directory.path().join(format!("{build}.parquet")).to_str().unwrap().to_owned();
        let chosen = format!("build={build}");
        stdout(&["store", "sums", name, &chosen, "--format", "parquet", "-o", &file]);
        file
    });
    let of_sums = json(&["compare", "--sums", &sums[0], &sums[1]]);
    let of_runs = json(&["compare", "--store", name, "--before", "build=before", "--after", "build=after"]);
    for side in ["before", "after"] {
        let (found, expected) = (own_weights(&of_sums, side), own_weights(&of_runs, side));
        assert!(found.len() > 10, "{found:?}");
        assert_eq!(found, expected, "{side}");
    }
    // An engine that gives nothing back, or another table.
    let nothing = directory.path().join("nothing.parquet");
    std::fs::write(&nothing, "").unwrap();
    for other in [nothing, file_of(&store, "functions"), directory.path().join("missing.parquet")] {
        let error = refusal(&["compare", "--sums", &sums[0], other.to_str().unwrap()]);
        assert!(error.contains("--sums: "), "{error}");
    }
    assert!(refusal(&["store", "sums", name, "build=none"]).contains("no run of"));
}

/// Inlined functions would look new, and a gate would fail where nothing changed.
#[test]
fn sums_with_inlined_functions_on_one_side_trip_no_gate() {
    let directory = tempfile::tempdir().unwrap();
    let path = |name: &str| directory.path().join(name).to_str().unwrap().to_owned();
    let store = path("runs");
    for (run, build, is_bare) in [(1, "bare", true), (2, "other", true), (1, "full", false)] {
        let [recording, binary] = orders("before", run);
        let mut arguments = add(&store, &recording, build, "h");
        match is_bare {
            true => arguments.push("--no-symbolize"),
            false => arguments.extend(["--binary", &binary]),
        }
        stdout(&arguments);
        let word = format!("build={build}");
        stdout(&["store", "sums", &store, &word, "--format", "parquet", "-o", &path(build)]);
    }
    let gated = |after: &str| {
        let (bare, after) = (path("bare"), path(after));
        pdiff(&["compare", "--sums", &bare, &after, "--fail-on", "delta_self_pp > 30", "--no-cache"])
    };
    let uneven = gated("full");
    let text = String::from_utf8_lossy(&uneven.stdout).into_owned();
    assert!(text.contains("nothing is known of inlined functions in the sums of some runs"), "{text}");
    assert_eq!(uneven.status.code(), Some(3));
    let even = gated("other");
    let why = String::from_utf8_lossy(&even.stderr).into_owned();
    assert_eq!(even.status.code(), Some(0), "{why}");
}

#[test]
fn the_query_names_the_tables_of_the_store() {
    let sql = stdout(&["store", "sql"]);
    for table in ["runs", "samples", "stacks", "frames", "functions"] {
        assert!(sql.contains(&format!("FROM {table}")) || sql.contains(&format!("JOIN {table}")), "{table}");
    }
}
