//! One run of a store: what it is, what is known of it, and what its samples sum to; one row of `runs` for each event.

use std::path::Path;

use pdiff_profile::RunMeasures;

use crate::content_id::ContentId;
use crate::error::StoreError;
use crate::parquet::{Column, ReadTable, Values, read_table};
use crate::run_key::RunKey;
use crate::run_tables::{stored_count, texts};
use crate::table::Table;

/// One run of a store.
#[derive(Clone, PartialEq, Debug)]
pub struct StoredRun {
    pub(crate) id: ContentId,
    pub(crate) key: RunKey,
    pub(crate) recording: String,
    pub(crate) kernel: Option<String>,
    pub(crate) cpu_model: Option<String>,
    pub(crate) recorded_at: Option<String>,
    pub(crate) written_by: String,
    pub(crate) span_s: Option<f64>,
    pub(crate) lost: u64,
    pub(crate) binaries: u64,
    pub(crate) inlined_frames: u64,
    pub(crate) measures: RunMeasures,
    pub(crate) events: Vec<StoredEvent>,
    /// The hash of each of its other files, in the order of [`FILE_HASHES`].
    pub(crate) files: [ContentId; FILE_HASHES.len()],
}

/// The columns that have the hashes of a run's other files, in the order in which these are written.
const FILE_HASHES: [&str; 5] = ["functions_hash", "frames_hash", "stacks_hash", "samples_hash", "pack_hash"];

/// The column that has the hash of all others of a run: a table has no checksum of its own.
const RUN_HASH: &str = "run_hash";

/// What the samples of one event of a run sum to.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct StoredEvent {
    /// Its name.
    pub name: String,
    /// Number of samples.
    pub samples: u64,
    /// Sum of periods.
    pub weight: u64,
    /// Number of rows of the table of samples.
    pub sample_rows: u64,
}

impl StoredRun {
    /// The run's identifier.
    #[must_use]
    pub fn id(&self) -> ContentId {
        self.id
    }

    /// What it is filed under.
    #[must_use]
    pub fn key(&self) -> &RunKey {
        &self.key
    }

    /// The name of the file that it was read from, without directory.
    #[must_use]
    pub fn recording(&self) -> &str {
        &self.recording
    }

    /// The release of the kernel, where the recording says.
    #[must_use]
    pub fn kernel(&self) -> Option<&str> {
        self.kernel.as_deref()
    }

    /// The processor's model, where the recording says.
    #[must_use]
    pub fn cpu_model(&self) -> Option<&str> {
        self.cpu_model.as_deref()
    }

    /// Time from the first sample to the last in seconds, where samples have times.
    #[must_use]
    pub fn span_s(&self) -> Option<f64> {
        self.span_s
    }

    /// How many binaries its functions were found in.
    #[must_use]
    pub fn binaries(&self) -> u64 {
        self.binaries
    }

    /// How many different frames of inlined functions it has: none if nothing is known of inlining.
    #[must_use]
    pub fn inlined_frames(&self) -> u64 {
        self.inlined_frames
    }

    /// What its samples sum to, by event.
    #[must_use]
    pub fn events(&self) -> &[StoredEvent] {
        &self.events
    }

    /// The hash of its file of a table, which is not that of runs.
    pub(crate) fn hash_of(&self, table: Table) -> ContentId {
        let hash = Table::ALL.into_iter().zip(self.files).find(|(of, _)| *of == table).map(|(_, hash)| hash);
        hash.unwrap_or_else(|| unreachable!("the table of runs has the hashes"))
    }

    pub(crate) fn columns(&self) -> Result<Vec<Column>, StoreError> {
        let each = |text: Option<&str>| vec![text.map(str::to_owned); self.events.len()];
        let text = |name, text: Option<&str>| texts(name, each(text).into_iter());
        let number = |name, number: Option<f64>| Column {
            name,
            values: Values::Numbers(vec![number; self.events.len()]),
        };
        let counts = |name, of: &dyn Fn(&StoredEvent) -> u64| -> Result<Column, StoreError> {
            let values = self.events.iter().map(|event| stored_count(of(event)).map(Some));
            Ok(Column { name, values: Values::Counts(values.collect::<Result<_, _>>()?) })
        };
        let mut columns = vec![
            text("run_id", Some(&self.id.to_string())),
            text("service", Some(self.key.service())),
            text("build", Some(self.key.build())),
            text("host", Some(self.key.host())),
            text("day", Some(self.key.day())),
            text("recording", Some(&self.recording)),
            text("kernel", self.kernel()),
            text("cpu_model", self.cpu_model()),
            text("recorded_at", self.recorded_at.as_deref()),
            text("written_by", Some(&self.written_by)),
            number("span_s", self.span_s),
            number("operations", self.measures.operations),
            number("tps", self.measures.tps),
            number("cpu_seconds", self.measures.cpu_seconds),
            number("window_s", self.measures.window_s),
            counts("lost", &|_| self.lost)?,
            counts("binaries", &|_| self.binaries)?,
            counts("inlined_frames", &|_| self.inlined_frames)?,
            texts("event", self.events.iter().map(|event| Some(event.name.clone()))),
            counts("samples", &|event| event.samples)?,
            counts("weight", &|event| event.weight)?,
            counts("sample_rows", &|event| event.sample_rows)?,
        ];
        let hashes = FILE_HASHES.into_iter().zip(&self.files);
        columns.extend(hashes.map(|(name, hash)| text(name, Some(&hash.to_string()))));
        columns.push(text(RUN_HASH, Some(&self.hash().to_string())));
        Ok(columns)
    }

    /// The hash of all that is known of the run.
    fn hash(&self) -> ContentId {
        let measures = &self.measures;
        let numbers =
            [self.span_s, measures.operations, measures.tps, measures.cpu_seconds, measures.window_s];
        let texts =
            [Some(self.recording.as_str()), self.kernel(), self.cpu_model(), self.recorded_at.as_deref()];
        let key = [self.key.service(), self.key.build(), self.key.host(), self.key.day(), &self.written_by];
        let mut parts: Vec<Vec<u8>> = vec![self.id.bytes().into(), self.lost.to_le_bytes().into()];
        parts.extend([self.binaries, self.inlined_frames].map(|count| count.to_le_bytes().into()));
        parts.extend(key.map(|text| text.as_bytes().to_vec()));
        // Not known is told from empty by a byte that no text has.
        parts.extend(texts.map(|text| text.map_or(vec![0xff], |text| text.as_bytes().to_vec())));
        parts.extend(numbers.map(|number| number.map_or(vec![0xff], |number| number.to_le_bytes().into())));
        parts.extend(self.files.map(|file| file.bytes().into()));
        for event in &self.events {
            parts.push(event.name.as_bytes().to_vec());
            parts.extend(
                [event.samples, event.weight, event.sample_rows].map(|count| count.to_le_bytes().into()),
            );
        }
        ContentId::new("stored run", parts.iter().map(Vec::as_slice))
    }

    /// The run of a file of the table `runs` that is named by `id`.
    pub(crate) fn read(path: &Path, id: ContentId) -> Result<Self, StoreError> {
        let table = read_table(path)?;
        if table.rows() == 0 {
            return Err(table.damaged("it has no rows"));
        }
        if one(&table, "run_id")?.as_deref() != Some(&*id.to_string()) {
            return Err(table.damaged("it is of another run than its name says"));
        }
        let needed = |name: &str| {
            one(&table, name)?.ok_or_else(|| table.damaged(format!("column '{name}' lacks a value")))
        };
        let key = RunKey::new(&needed("service")?, &needed("build")?, &needed("host")?, &needed("day")?);
        let first = |name: &str| Ok::<_, StoreError>(table.numbers(name)?.first().copied().flatten());
        let amount = |name: &str| Ok::<_, StoreError>(first(name)?.filter(|amount| *amount > 0.0));
        let names = table.all_texts("event")?.into_iter();
        let samples = table.all_counts("samples")?.into_iter();
        let weights = table.all_counts("weight")?.into_iter();
        let rows = table.all_counts("sample_rows")?.into_iter();
        let events = names.zip(samples).zip(weights).zip(rows);
        let hash = |name: &str| {
            let hash = one(&table, name)?.and_then(|text| ContentId::from_text(&text));
            hash.ok_or_else(|| table.damaged(format!("column '{name}' has no hash")))
        };
        let mut files = [id; FILE_HASHES.len()];
        for (file, name) in files.iter_mut().zip(FILE_HASHES) {
            *file = hash(name)?;
        }
        let run = Self {
            id,
            key: key.map_err(|error| table.damaged(error.to_string()))?,
            recording: needed("recording")?,
            kernel: one(&table, "kernel")?,
            cpu_model: one(&table, "cpu_model")?,
            recorded_at: one(&table, "recorded_at")?,
            written_by: needed("written_by")?,
            span_s: first("span_s")?,
            lost: table.all_counts("lost")?.first().copied().unwrap_or(0),
            binaries: table.all_counts("binaries")?.first().copied().unwrap_or(0),
            inlined_frames: table.all_counts("inlined_frames")?.first().copied().unwrap_or(0),
            measures: RunMeasures {
                operations: amount("operations")?,
                tps: amount("tps")?,
                cpu_seconds: amount("cpu_seconds")?,
                window_s: amount("window_s")?,
            },
            events: events
                .map(|(((name, samples), weight), sample_rows)| StoredEvent {
                    name,
                    samples,
                    weight,
                    sample_rows,
                })
                .collect(),
            files,
        };
        match run.hash() == hash(RUN_HASH)? {
            true => Ok(run),
            false => Err(table.damaged("it was changed after it was written")),
        }
    }
}

/// The text that all rows of a column have.
fn one(table: &ReadTable<'_>, name: &str) -> Result<Option<String>, StoreError> {
    let texts = table.texts(name)?;
    let first = texts.first().cloned().flatten();
    match texts.iter().all(|text| *text == first) {
        true => Ok(first),
        false => Err(table.damaged(format!("column '{name}' differs between the rows of one run"))),
    }
}
