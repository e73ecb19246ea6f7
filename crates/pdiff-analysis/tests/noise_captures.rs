//! Recordings of one binary against each other (see `noise/README.md`): nothing has changed, so nothing may be found.

use std::collections::{BTreeMap, BTreeSet};

use pdiff_analysis::noise::{Denominator, Judgement, NoiseSettings, Row, RowRun, RunBlocks, Untested, judge};

/// Samples per block of each (object, function).
type Run = BTreeMap<(String, String), Vec<f64>>;

fn parse(text: &str) -> Run {
    text.lines()
        .map(|line| {
            let fields: Vec<&str> = line.split('\t').collect();
            let blocks = fields[2..].iter().map(|count| count.parse().expect("counts are numbers")).collect();
            ((fields[0].to_owned(), fields[1].to_owned()), blocks)
        })
        .collect()
}

fn recordings() -> [Run; 3] {
    [
        parse(include_str!("noise/mysqld-5.7.22-r1.tsv")),
        parse(include_str!("noise/mysqld-5.7.22-r2.tsv")),
        parse(include_str!("noise/mysqld-5.7.22-r3.tsv")),
    ]
}

#[derive(Clone, Copy, Debug, PartialEq)]
enum Over {
    AllSamples,
    OwnObject,
}

fn denominator_blocks(run: &Run, object: Option<&str>) -> Vec<f64> {
    let mut sum = Vec::new();
    for ((of, _), blocks) in run {
        sum.resize(blocks.len(), 0.0);
        if object.is_none_or(|object| object == of) {
            sum.iter_mut().zip(blocks).for_each(|(sum, w)| *sum += w);
        }
    }
    sum
}

fn samples(blocks: &[f64]) -> u64 {
    blocks.iter().sum::<f64>() as u64
}

/// The weights per block of the denominator in each run.
type Blocks = Vec<Vec<f64>>;

fn denominator(blocks: &[Blocks; 2]) -> Denominator {
    let [before, after] =
        blocks.clone().map(|runs| runs.iter().map(|n| RunBlocks::from_blocks(n, samples(n))).collect());
    Denominator { before, after }
}

fn row_runs(runs: &[&Run], key: &(String, String), blocks: &Blocks) -> Vec<RowRun> {
    let of_run = |(run, n): (&&Run, &Vec<f64>)| run.get(key).map(|w| RowRun::from_blocks(w, n, samples(w)));
    runs.iter().zip(blocks).map(|pair| of_run(pair).unwrap_or_default()).collect()
}

fn compare(before: &[&Run], after: &[&Run], over: Over) -> Judgement {
    let keys: BTreeSet<_> = before.iter().chain(after).flat_map(|run| run.keys()).collect();
    let of_key = |key: &(String, String)| (over == Over::OwnObject).then(|| key.0.clone());
    let objects: Vec<Option<String>> =
        keys.iter().map(|key| of_key(key)).collect::<BTreeSet<_>>().into_iter().collect();
    let blocks: Vec<[Blocks; 2]> = objects
        .iter()
        .map(|object| {
            [before, after]
                .map(|runs| runs.iter().map(|run| denominator_blocks(run, object.as_deref())).collect())
        })
        .collect();
    let row = |key: &&(String, String)| {
        let index = objects.binary_search(&of_key(key)).expect("every key has its object");
        let [of_before, of_after] = &blocks[index];
        Row {
            denominator: index,
            before: row_runs(before, key, of_before),
            after: row_runs(after, key, of_after),
        }
    };
    let rows: Vec<Row> = keys.iter().map(row).collect();
    let settings = NoiseSettings::default();
    judge(&blocks.iter().map(denominator).collect::<Vec<_>>(), &rows, &settings)
}

fn check_nothing_found(before: &[&Run], after: &[&Run]) {
    for over in [Over::AllSamples, Over::OwnObject] {
        let judgement = compare(before, after, over);
        assert!(judgement.tests > 100, "{over:?}: {} tests", judgement.tests);
        let found = judgement.rows.iter().filter(|row| row.significant).count();
        assert_eq!(found, 0, "{over:?}");
        assert!(
            judgement
                .rows
                .iter()
                .any(|row| row.test == pdiff_analysis::noise::Test::Untested(Untested::FewSamples))
        );
    }
}

#[test]
fn one_run_of_a_binary_against_another_finds_nothing() {
    let [r1, r2, r3] = recordings();
    for (before, after) in [(&r1, &r2), (&r1, &r3), (&r2, &r3)] {
        check_nothing_found(&[before], &[after]);
    }
}

#[test]
fn one_run_of_a_binary_against_two_finds_nothing() {
    let [r1, r2, r3] = recordings();
    for (one, two) in [(&r1, [&r2, &r3]), (&r2, [&r1, &r3]), (&r3, [&r1, &r2])] {
        check_nothing_found(&[one], &two);
    }
}
