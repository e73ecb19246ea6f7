//! A run added to a store: all of it, or nothing that a reader would see.

use pdiff_profile::{NoteKind, Profile, Resolutions, RunMeasures};

use crate::content_id::{ContentId, file_hash};
use crate::error::StoreError;
use crate::parquet::write_table;
use crate::run_key::RunKey;
use crate::run_tables::{RunTables, run_tables};
use crate::store::Store;
use crate::stored_run::{StoredEvent, StoredRun};
use crate::table::Table;

/// A run to be added.
#[derive(Clone, Copy, Debug)]
pub struct NewRun<'a> {
    /// What it is filed under.
    pub key: &'a RunKey,
    /// The name of the file that it was read from, without directory.
    pub recording: &'a str,
    /// Name and version of the program that writes.
    pub written_by: &'a str,
    /// Its samples.
    pub profile: &'a Profile,
    /// What its frames resolve to; `None` if no binary was there.
    pub resolutions: Option<&'a Resolutions>,
    /// How many binaries these were found in.
    pub binaries: u64,
    /// What the run did.
    pub measures: RunMeasures,
}

/// A run as its files contain it, but for its pack.
#[derive(Clone, Debug)]
pub struct RunFiles {
    run: StoredRun,
    /// In the order of [`Table::ALL`].
    tables: [Vec<u8>; 4],
}

/// What adding a run did.
#[derive(Clone, PartialEq, Debug)]
pub enum Added {
    /// It was written.
    New {
        /// The run as the store describes it.
        run: Box<StoredRun>,
        /// Bytes of all its files.
        bytes: u64,
        /// Whether it takes the place of the same run, which was added with fewer binaries.
        replaces: bool,
    },
    /// It is there already, with as many binaries; nothing was written.
    Known {
        /// The run as the store describes it.
        run: Box<StoredRun>,
        /// Whether operations, throughput or CPU seconds are those that the store has.
        is_same: bool,
    },
}

impl NewRun<'_> {
    /// The run's identifier: of what it is filed under and of its samples, so that the same recording is the same run.
    #[must_use]
    pub fn id(&self) -> ContentId {
        run_id(self.key, self.profile)
    }

    /// The run as tables.
    ///
    /// `id` is its identifier.
    ///
    /// # Errors
    /// Returns an error if the run has no samples or they cannot be stored.
    pub fn files(&self, id: ContentId) -> Result<RunFiles, StoreError> {
        if self.profile.events.is_empty() {
            return Err(StoreError::Unstorable { what: "it has no samples".to_owned() });
        }
        let tables = run_tables(id, self.key.host(), self.profile, self.resolutions)?;
        let run = self.stored(id, &tables);
        let [functions, frames, stacks, samples] =
            [tables.functions, tables.frames, tables.stacks, tables.samples].map(write_table);
        Ok(RunFiles { run, tables: [functions?, frames?, stacks?, samples?] })
    }

    fn stored(&self, id: ContentId, tables: &RunTables) -> StoredRun {
        let header = |wanted: &str| {
            let found = self.profile.header.iter().find(|(key, _)| **key == *wanted);
            found.map(|(_, value)| value.trim().to_owned()).filter(|value| !value.is_empty())
        };
        let lost = self.profile.notes.iter().filter(|note| note.kind == NoteKind::LostSamples);
        let events = self.profile.events.iter().zip(&tables.sample_rows);
        StoredRun {
            id,
            key: self.key.clone(),
            recording: self.recording.to_owned(),
            kernel: header("os release"),
            cpu_model: header("cpudesc"),
            recorded_at: header("captured on"),
            written_by: self.written_by.to_owned(),
            span_s: self.profile.span.map(pdiff_profile::Span::seconds),
            lost: lost.map(|note| note.count).sum(),
            binaries: self.binaries,
            inlined_frames: tables.inlined_frames,
            measures: self.measures,
            events: events
                .map(|(event, rows)| StoredEvent {
                    name: event.name.to_string(),
                    samples: event.samples,
                    weight: event.weight.0,
                    sample_rows: *rows,
                })
                .collect(),
            // They are hashed when the pack is there, too.
            files: [file_hash(&[]); 5],
        }
    }
}

/// The identifier of a run.
pub(crate) fn run_id(key: &RunKey, profile: &Profile) -> ContentId {
    let texts = [key.service(), key.build(), key.host(), key.day()];
    let bytes = profile.to_bytes();
    ContentId::new("run", texts.iter().map(|text| text.as_bytes()).chain([bytes.as_slice()]))
}

impl Store {
    /// The run with this identifier as the store has it already; `None` if it is new, or was added with fewer binaries.
    ///
    /// # Errors
    /// Returns an error if what the store has of it cannot be read.
    pub fn known(&self, new: &NewRun<'_>, id: ContentId) -> Result<Option<Added>, StoreError> {
        let last = self.file(Table::Runs, new.key, id);
        if !last.exists() {
            return Ok(None);
        }
        let known = StoredRun::read(&last, id)?;
        if known.binaries < new.binaries {
            return Ok(None);
        }
        let is_same = known.measures == new.measures;
        Ok(Some(Added::Known { run: Box::new(known), is_same }))
    }

    /// Adds a run with its pack, also in place of the same run. Readers see it when its last file has its name, which is that of
    /// the table `runs`; that of a run to be replaced goes first, so that no reader sees parts of two. Writers of the same run take
    /// turns, and one with as few binaries finds the run known.
    ///
    /// # Errors
    /// Returns an error if a file cannot be written; readers then see nothing of it.
    pub fn add(&self, files: RunFiles, pack: &[u8]) -> Result<Added, StoreError> {
        let RunFiles { mut run, tables: [functions, frames, stacks, samples] } = files;
        let contents: [&[u8]; 5] = [&functions, &frames, &stacks, &samples, pack];
        run.files = contents.map(file_hash);
        let of_run = write_table(run.columns()?)?;
        let _lock = self.lock(run.id)?;
        let last = self.file(Table::Runs, &run.key, run.id);
        if last.exists() {
            // Another writer may have been here since the caller asked.
            let known = StoredRun::read(&last, run.id)?;
            if known.binaries >= run.binaries {
                let is_same = known.measures == run.measures;
                return Ok(Added::Known { run: Box::new(known), is_same });
            }
        }
        let replaces = match std::fs::remove_file(&last) {
            Ok(()) => true,
            Err(error) if error.kind() == std::io::ErrorKind::NotFound => false,
            Err(error) => return Err(StoreError::io(&last)(error)),
        };
        let mut bytes = 0;
        for (table, content) in Table::ALL.into_iter().zip(contents.into_iter().chain([of_run.as_slice()])) {
            self.write(&self.file(table, &run.key, run.id), content)?;
            bytes += content.len() as u64;
        }
        Ok(Added::New { run: Box::new(run), bytes, replaces })
    }
}
