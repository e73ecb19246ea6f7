//! Tables in all forms, good and bad.

use super::columns::natural_order;
use super::*;

const GOOD: &str = "build,replicate,P,W,tps\n8.0,1,0,0,50\n8.0,1,0,1,60\n5.7,1,0,,100\n5.7,1,1,,110\n";

fn bytes(text: impl AsRef<[u8]>) -> TableBytes {
    TableBytes { path: "runs.csv".to_owned(), bytes: text.as_ref().to_vec() }
}

fn columns() -> RunsColumns {
    RunsColumns::usual(vec!["W".to_owned(), "P".to_owned()])
}

fn complaint(text: impl AsRef<[u8]>) -> String {
    parse_runs(&bytes(text), &columns()).unwrap_err().to_string()
}

#[test]
fn every_form_of_a_table_is_the_same_table() {
    let plain = parse_runs(&bytes(GOOD), &columns()).unwrap();
    assert_eq!(plain.builds.iter().map(|build| build.name.as_str()).collect::<Vec<_>>(), ["5.7", "8.0"]);
    assert_eq!(plain.builds[0].has, [false, true]);
    assert_eq!(plain.runs[1].setting.0, 1);
    let json = r#"[{"build":"8.0","replicate":1,"P":0,"W":false,"tps":50},{"build":"8.0","replicate":1,"P":0,"W":1,"tps":60},
        {"build":"5.7","replicate":1,"P":0,"W":null,"tps":100},{"build":"5.7","replicate":1,"P":true,"tps":110}]"#;
    let lines = json.trim_matches(['[', ']']).replace("},", "}\n");
    let forms = [
        GOOD.replace('\n', "\r\n"),
        GOOD.replace('\n', "\r"),
        GOOD.replace(',', "\t"),
        format!("\u{feff}{GOOD}"),
        format!("\n\n{GOOD}"),
        GOOD.trim_end().to_owned(),
        GOOD.replace("5.7", "\"5.7\""),
        json.to_owned(),
        lines,
    ];
    for form in forms {
        assert_eq!(parse_runs(&bytes(&form), &columns()).unwrap(), plain, "{form}");
    }
}

#[test]
fn parquet_is_read_and_garbage_in_it_refused() {
    use polars::prelude::{Column, DataFrame, ParquetWriter};
    let columns_of = vec![
        Column::new("build".into(), ["5.7", "8.0"]),
        Column::new("P".into(), [0i64, 1]),
        Column::new("W".into(), [Some(true), Some(false)]),
        Column::new("tps".into(), [100.25f64, 50.0]),
    ];
    let mut frame = DataFrame::new(2, columns_of).unwrap();
    let mut parquet = Vec::new();
    ParquetWriter::new(&mut parquet).finish(&mut frame).unwrap();
    let table = parse_runs(&bytes(&parquet), &columns()).unwrap();
    assert_eq!((table.runs[0].throughput, table.runs[0].setting.0), (100.25, 1));
    assert!(complaint(&parquet[..parquet.len() / 2]).contains("Parquet"));
    assert!(complaint("PAR1 is no parquet PAR1").contains("runs.csv is not readable as Parquet"));
    for at in (4..parquet.len() - 8).step_by(7) {
        let mut damaged = parquet.clone();
        damaged[at] ^= 0xff;
        // Read or refused, never a panic.
        let _ = parse_runs(&bytes(&damaged), &columns());
    }
}

#[test]
fn what_is_wrong_is_told_with_file_and_row() {
    let check = |text: &str, expected: &str| {
        let error = complaint(text);
        assert!(
            error.contains(expected) && error.starts_with("runs.csv") && !error.contains('\n'),
            "{error}"
        );
    };
    check("", "has no runs");
    check("\n\n", "has no runs");
    check("build,P,W,tps\n", "has no runs");
    check("version,P,W,tps\n8,0,0,1\n", "no column 'build'; its columns are: version, P, W, tps");
    check("build;P;W;tps\n8;0;0;1\n", "no column 'build'; its columns are: build;P;W;tps");
    check("build,P,W\n8,0,0\n", "no column 'tps'");
    check("build,P,tps\n8,0,1\n", "no column 'W'");
    check("build,P,W,tps,note\n8,0,0,1,x\n", "column 'note' not used; hint: leave it out with --ignore note");
    check("build,P,W,tps,a,b\n8,0,0,1,x,y\n", "columns 'a', 'b' not used");
    check("build,P,W,tps\n8,0,0,fast\n", "row 1: tps 'fast' is not a positive number");
    check("build,P,W,tps\n8,0,0,1\n8,1,0,NaN\n", "row 2: tps 'NaN'");
    check("build,P,W,tps\n8,0,0,0\n", "row 1: tps '0'");
    check("build,P,W,tps\n8,0,0,-5\n", "row 1: tps '-5'");
    check("build,P,W,tps\n8,0,0,inf\n", "row 1: tps 'inf'");
    check("build,P,W,tps\n8,0,0,\n", "row 1: tps '' is missing");
    check("build,P,W,tps\n,0,0,1\n", "row 1: build '' is missing");
    check("build,P,W,tps\n8,2,0,1\n", "row 1: P '2' is neither 0 nor 1");
    check("build,P,W,tps\n8,0,0,1\n8,,0,1\n", "row 2: factor 'P' is blank");
    check("build,P,W,tps\n8,0,,1\n", "factor 'W' is blank in every row");
    check(
        "build,P,W,tps\n8,0,0,1\n8,0,0,2\n",
        "rows 1 and 2 are the same cell (8 W=0 P=0); hint: repeats need",
    );
    check("build,replicate,P,W,tps\n8,1,0,0,1\n8,1,0,0,2\n", "different replicate labels");
    check("build,P,P,W,tps\n8,0,0,0,1\n", "is listed twice");
    check("[1,2]", "row 1 is not an object");
    check("[{\"build\":", "not readable as JSON");
    check("{\"build\":[1]}", "list or an object");
    assert!(complaint([0xff, 0xfe, b'a']).contains("not UTF-8"));
}

#[test]
fn rows_and_columns_that_lack_each_other_take_no_memory() {
    let objects: String = (0..2000).map(|number| format!("{{\"column{number}\":1}}\n")).collect();
    assert!(complaint(objects).contains("2000 rows lack most of its 2000 columns"));
    let names: Vec<String> = (0..2000).map(|number| number.to_string()).collect();
    let rows = format!("{}\n{}", names.join(","), "1\n".repeat(2000));
    assert!(complaint(rows).contains("rows lack most of its 2000 columns"));
}

#[test]
fn columns_go_by_the_names_given() {
    let text = "version,repeat,P,W,qps,noise\n8.0,1,0,0,50,x\n8.0,2,0,0,51,x\n";
    let mut asked = columns();
    asked.build = "version".to_owned();
    asked.replicate = ColumnName::Given("repeat".to_owned());
    asked.tps = ColumnName::Given("qps".to_owned());
    asked.ignore = vec!["noise".to_owned()];
    let table = parse_runs(&bytes(text), &asked).unwrap();
    assert_eq!(table.runs[1].replicate.as_deref(), Some("2"));
    asked.ignore = vec!["nothing".to_owned()];
    assert!(parse_runs(&bytes(text), &asked).unwrap_err().to_string().contains("no column 'nothing'"));
    let seconds = "build,P,W,seconds\n8,0,0,4\n";
    let table = parse_runs(&bytes(seconds), &columns()).unwrap();
    assert_eq!((table.metric.as_str(), table.runs[0].throughput), ("seconds", 0.25));
}

#[test]
fn factors_asked_for_twice_or_too_many_are_refused() {
    let check = |factors: Vec<String>, expected: &str| {
        let error = parse_runs(&bytes(GOOD), &RunsColumns::usual(factors)).unwrap_err().to_string();
        assert!(error.contains(expected), "{error}");
    };
    check(vec!["P".into(), "P".into()], "'P' is listed twice");
    check(vec!["P".into(), String::new()], "a name is empty");
    check((0..20).map(|n| n.to_string()).collect(), "more than 16");
    check(vec!["tps".into()], "cannot mean two things");
}

#[test]
fn builds_stand_in_the_order_of_their_numbers() {
    let mut names = ["8.0.33", "5.10", "5.7.22", "10.1", "5.7.9", "5.7", "a"];
    names.sort_by(|a, b| natural_order(a, b));
    assert_eq!(names, ["5.7", "5.7.9", "5.7.22", "5.10", "8.0.33", "10.1", "a"]);
}

#[test]
fn throughputs_of_a_series_are_read_and_checked() {
    let rows = parse_throughputs(
        &bytes("class,workload,build,qps\npoint,hot,5.6,100\npoint,hot,8.0,70\n"),
        &SeriesColumns::default(),
    );
    let rows = rows.unwrap();
    assert_eq!((rows[1].class.as_str(), rows[1].workload.as_str(), rows[1].tps), ("point", "hot", 70.0));
    let error = parse_throughputs(&bytes("build,qps\n5.6,0\n"), &SeriesColumns::default()).unwrap_err();
    assert_eq!(error.to_string(), "runs.csv: row 1: qps '0' is not a positive number");
    let workload = ColumnName::Given("test".to_owned());
    let asked = SeriesColumns { workload, ..SeriesColumns::default() };
    let error = parse_throughputs(&bytes("build,qps,class\n5.6,1,point\n"), &asked).unwrap_err();
    assert!(error.to_string().contains("no column 'test'"), "{error}");
}
