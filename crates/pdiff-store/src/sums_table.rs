//! Sums as a table: written by pdiff, or by an engine that ran `sql/sums.sql`, and read back checked.

use std::collections::BTreeMap;
use std::path::Path;

use crate::error::StoreError;
use crate::parquet::{Column, Values, read_table, write_table};
use crate::run_tables::{stored_count, texts};
use crate::store::Store;
use crate::stored_run::StoredRun;
use crate::sums::FunctionSum;

/// The columns of the table, as the query names them.
pub const SUM_COLUMNS: [&str; 14] = [
    "service",
    "build",
    "host",
    "day",
    "run_id",
    "event",
    "object",
    "qualified_name",
    "self_weight",
    "total_weight",
    "self_samples",
    "run_weight",
    "run_samples",
    "inlined_frames",
];

/// A row of the table.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct SumRow {
    /// Service, build, host, day and identifier of the run.
    pub run: [String; 5],
    /// What the function weighs.
    pub sum: FunctionSum,
    /// The weight of the event in the whole run.
    pub run_weight: u64,
    /// The number of samples of the event in the whole run.
    pub run_samples: u64,
    /// How many different frames of inlined functions the whole run has.
    pub inlined_frames: u64,
}

/// The sums of one run that were read.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct SummedRun {
    /// The run's identifier, as the table has it.
    pub run_id: String,
    /// Its build.
    pub build: String,
    /// Its host.
    pub host: String,
    /// How many different frames of inlined functions it has: none if nothing is known of inlining.
    pub inlined_frames: u64,
    /// The functions.
    pub sums: Vec<FunctionSum>,
}

impl SumRow {
    /// The fields as text, in the order of [`SUM_COLUMNS`].
    #[must_use]
    pub fn fields(&self) -> Vec<String> {
        let sum = &self.sum;
        let counts = [
            sum.self_weight,
            sum.total_weight,
            sum.self_samples,
            self.run_weight,
            self.run_samples,
            self.inlined_frames,
        ];
        let names = [&sum.event, &sum.object, &sum.function].map(Clone::clone);
        self.run.iter().cloned().chain(names).chain(counts.map(|count| count.to_string())).collect()
    }
}

impl Store {
    /// The rows of a run, in the order of the query.
    ///
    /// # Errors
    /// Returns an error if a file cannot be read or is damaged.
    pub fn sum_rows(&self, run: &StoredRun) -> Result<Vec<SumRow>, StoreError> {
        let key = run.key();
        let of_run =
            [key.service(), key.build(), key.host(), key.day(), &run.id().to_string()].map(str::to_owned);
        let row = |sum: FunctionSum| {
            let event = run.events().iter().find(|event| event.name == sum.event);
            let (run_weight, run_samples) = event.map_or((0, 0), |event| (event.weight, event.samples));
            SumRow { run: of_run.clone(), sum, run_weight, run_samples, inlined_frames: run.inlined_frames() }
        };
        Ok(self.sums(run)?.into_iter().map(row).collect())
    }
}

/// The rows as Parquet.
///
/// # Errors
/// Returns an error if a sum does not fit in 63 bits.
pub fn write_sums(rows: &[SumRow]) -> Result<Vec<u8>, StoreError> {
    let run = |at: usize| rows.iter().map(move |row| row.run.get(at).cloned());
    let text = |of: fn(&FunctionSum) -> &String| rows.iter().map(move |row| Some(of(&row.sum).clone()));
    let count = |name, of: fn(&SumRow) -> u64| -> Result<Column, StoreError> {
        let values = rows.iter().map(|row| stored_count(of(row)).map(Some)).collect::<Result<_, _>>()?;
        Ok(Column { name, values: Values::Counts(values) })
    };
    write_table(vec![
        texts("service", run(0)),
        texts("build", run(1)),
        texts("host", run(2)),
        texts("day", run(3)),
        texts("run_id", run(4)),
        texts("event", text(|sum| &sum.event)),
        texts("object", text(|sum| &sum.object)),
        texts("qualified_name", text(|sum| &sum.function)),
        count("self_weight", |row| row.sum.self_weight)?,
        count("total_weight", |row| row.sum.total_weight)?,
        count("self_samples", |row| row.sum.self_samples)?,
        count("run_weight", |row| row.run_weight)?,
        count("run_samples", |row| row.run_samples)?,
        count("inlined_frames", |row| row.inlined_frames)?,
    ])
}

/// The sums of a Parquet file, by run in the order of their identifiers.
///
/// # Errors
/// Returns an error if the file has no rows, is damaged, or does not sum to what its runs weigh: an engine that gave back too
/// little must not become a difference.
pub fn read_sums(path: &Path) -> Result<Vec<SummedRun>, StoreError> {
    let table = read_table(path)?;
    let text = |name| table.all_texts(name).map(Vec::into_iter);
    let count = |name| table.all_counts(name).map(Vec::into_iter);
    let (mut builds, mut hosts, mut ids) = (text("build")?, text("host")?, text("run_id")?);
    let (mut events, mut objects, mut functions) = (text("event")?, text("object")?, text("qualified_name")?);
    let (mut selves, mut totals, mut samples) =
        (count("self_weight")?, count("total_weight")?, count("self_samples")?);
    let (mut run_weights, mut run_samples) = (count("run_weight")?, count("run_samples")?);
    let mut inlined_frames = count("inlined_frames")?;
    let mut runs: BTreeMap<String, SummedRun> = BTreeMap::new();
    let mut whole: BTreeMap<(String, String), (u64, u64)> = BTreeMap::new();
    let mut next = || {
        let run = SummedRun {
            build: builds.next()?,
            host: hosts.next()?,
            run_id: ids.next()?,
            inlined_frames: inlined_frames.next()?,
            sums: Vec::new(),
        };
        let sum = FunctionSum {
            event: events.next()?,
            object: objects.next()?,
            function: functions.next()?,
            self_weight: selves.next()?,
            total_weight: totals.next()?,
            self_samples: samples.next()?,
        };
        Some((run, sum, (run_weights.next()?, run_samples.next()?)))
    };
    while let Some((run, sum, of_run)) = next() {
        let known = *whole.entry((run.run_id.clone(), sum.event.clone())).or_insert(of_run);
        if known != of_run {
            let what = format!("run {} has different weights in two rows", run.run_id);
            return Err(table.damaged(what));
        }
        runs.entry(run.run_id.clone()).or_insert(run).sums.push(sum);
    }
    if runs.is_empty() {
        return Err(table.damaged("it has no rows; the engine found no runs"));
    }
    for ((id, event), (weight, samples)) in &whole {
        let of_event =
            || runs.get(id).into_iter().flat_map(|run| &run.sums).filter(|sum| sum.event == *event);
        let found: u128 = of_event().map(|sum| u128::from(sum.self_weight)).sum();
        let found_samples: u128 = of_event().map(|sum| u128::from(sum.self_samples)).sum();
        if (found, found_samples) != (u128::from(*weight), u128::from(*samples)) {
            let what = format!(
                "event '{event}' of run {id} sums to weight {found} in {found_samples} samples, the run has {weight} in {samples}"
            );
            return Err(table.damaged(what));
        }
    }
    Ok(runs.into_values().collect())
}

#[cfg(test)]
mod tests {
    use super::*;

    fn rows() -> Vec<SumRow> {
        let row = |function: &str, self_weight, total_weight| SumRow {
            run: ["s", "b", "h", "2026-11-24", "00"].map(str::to_owned),
            sum: FunctionSum {
                event: "cycles".to_owned(),
                object: "x".to_owned(),
                function: function.to_owned(),
                self_weight,
                total_weight,
                self_samples: self_weight / 10,
            },
            run_weight: 100,
            run_samples: 10,
            inlined_frames: 3,
        };
        vec![row("main", 30, 100), row("work", 70, 70)]
    }

    fn read(rows: &[SumRow]) -> Result<Vec<SummedRun>, String> {
        let directory = tempfile::tempdir().unwrap();
        let path = directory.path().join("sums.parquet");
        std::fs::write(&path, write_sums(rows).unwrap()).unwrap();
        read_sums(&path).map_err(|error| error.to_string())
    }

    #[test]
    fn sums_come_back_as_they_were_written() {
        let read = read(&rows()).unwrap();
        let sums: Vec<FunctionSum> = rows().into_iter().map(|row| row.sum).collect();
        assert_eq!((read.len(), &read[0].sums, read[0].build.as_str()), (1, &sums, "b"));
        assert_eq!(read[0].inlined_frames, 3);
    }

    #[test]
    fn an_engine_that_returns_too_little_is_an_error() {
        let check = |rows: &[SumRow], expected: &str| {
            let error = read(rows).unwrap_err();
            assert!(error.contains(expected), "{error}");
        };
        check(&[], "it has no rows");
        check(&rows()[..1], "sums to weight 30 in 3 samples, the run has 100 in 10");
        let twice = [rows(), rows()].concat();
        check(&twice, "sums to weight 200");
        let mut odd = rows();
        odd[1].run_weight = 170;
        check(&odd, "different weights in two rows");
    }
}
