//! Whether all runs of a store are whole, and what else lies in it.

use std::collections::HashSet;
use std::path::{Path, PathBuf};

use pdiff_profile::Profile;

use crate::add::run_id;
use crate::content_id::{ContentId, file_hash};
use crate::error::StoreError;
use crate::parquet::read_table;
use crate::store::{Store, entries};
use crate::stored_run::StoredRun;
use crate::table::Table;

/// What a pack of a store holds, as far as it is checked: its profile, or why it cannot be read.
pub type PackContent = Result<Profile, String>;

/// Something that is wrong with a store.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Problem {
    /// The run whose file it is.
    pub run: ContentId,
    /// The file.
    pub path: PathBuf,
    /// What is wrong with it.
    pub what: String,
    /// Whether its content is wrong or it is missing; else it could not be read, and may be whole.
    pub is_damage: bool,
}

/// What a check of a store found.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct CheckReport {
    /// Runs that are whole.
    pub whole: usize,
    /// Files that are damaged or missing.
    pub problems: Vec<Problem>,
    /// Files of runs that were never finished: of a writer that was stopped, or is at work.
    pub unfinished: Vec<PathBuf>,
    /// Files that are not a store's.
    pub foreign: Vec<PathBuf>,
}

impl Store {
    /// Reads every file of every run. `read_pack` reads a pack, which this package cannot.
    ///
    /// # Errors
    /// Returns an error if a directory cannot be read; what is wrong with files is in the report.
    pub fn check(&self, read_pack: &dyn Fn(&Path) -> PackContent) -> Result<CheckReport, StoreError> {
        let mut report = CheckReport::default();
        let mut begun = HashSet::new();
        for (id, path) in self.files(Table::Runs)? {
            begun.insert(id);
            match self.check_run(id, &path, read_pack) {
                Ok(()) => report.whole += 1,
                Err(error) => report.problems.push(problem(id, &path, &error)),
            }
        }
        report.unfinished = self.left_unfinished()?;
        for table in Table::ALL {
            let files = self.files(table)?;
            let orphans = files.iter().filter(|(id, _)| !begun.contains(id)).map(|(_, path)| path.clone());
            report.unfinished.extend(orphans);
            let known: HashSet<&PathBuf> = files.iter().map(|(_, path)| path).collect();
            let all = all_files(&self.root().join(table.name()))?;
            report.foreign.extend(all.into_iter().filter(|path| !known.contains(path)));
        }
        report.unfinished.sort();
        report.foreign.sort();
        Ok(report)
    }

    fn check_run(
        &self,
        id: ContentId,
        path: &Path,
        read_pack: &dyn Fn(&Path) -> PackContent,
    ) -> Result<(), StoreError> {
        let run = StoredRun::read(path, id)?;
        if self.file(Table::Runs, run.key(), id) != path {
            return Err(StoreError::damaged(path, "the run that it describes belongs in another directory"));
        }
        let file = |table| self.file(table, run.key(), id);
        for (table, hash) in Table::ALL.into_iter().zip(run.files) {
            let path = file(table);
            let bytes = std::fs::read(&path).map_err(StoreError::io(&path))?;
            if file_hash(&bytes) != hash {
                return Err(StoreError::damaged(&path, "it was cut off or changed after it was written"));
            }
        }
        let functions = ids(&file(Table::Functions), "function_id", None)?;
        let frames = ids(&file(Table::Frames), "frame_id", Some(("function_id", &functions)))?;
        let stacks = ids(&file(Table::Stacks), "stack_id", Some(("frame_id", &frames)))?;
        check_samples(&file(Table::Samples), &run, &stacks)?;
        let pack = file(Table::Packs);
        let profile = read_pack(&pack).map_err(|what| StoreError::damaged(&pack, what))?;
        match run_id(run.key(), &profile) == id {
            true => Ok(()),
            false => Err(StoreError::damaged(&pack, "it is of another run than its name says")),
        }
    }
}

/// The error as a problem of the file that it names, else of `path`.
fn problem(run: ContentId, path: &Path, error: &StoreError) -> Problem {
    let (path, what, is_damage) = match error {
        StoreError::Damaged { path, what } => (path.as_path(), what.clone(), true),
        StoreError::Io { path, source } => {
            (path.as_path(), source.to_string(), source.kind() == std::io::ErrorKind::NotFound)
        }
        other => (path, other.to_string(), false),
    };
    Problem { run, path: path.to_owned(), what, is_damage }
}

/// The identifiers of a table, and whether those of another table that it refers to are known.
fn ids(
    path: &Path,
    column: &str,
    refers: Option<(&str, &HashSet<String>)>,
) -> Result<HashSet<String>, StoreError> {
    let table = read_table(path)?;
    if let Some((other, known)) = refers {
        let unknown = table.all_texts(other)?.into_iter().find(|id| !known.contains(id));
        if let Some(id) = unknown {
            return Err(table.damaged(format!("column '{other}' has {id}, which the run does not define")));
        }
    }
    Ok(table.all_texts(column)?.into_iter().collect())
}

/// Whether the samples sum to what the run says.
fn check_samples(path: &Path, run: &StoredRun, stacks: &HashSet<String>) -> Result<(), StoreError> {
    let table = read_table(path)?;
    let (events, ids) = (table.all_texts("event")?, table.all_texts("stack_id")?);
    let (samples, weights) = (table.all_counts("samples")?, table.all_counts("weight")?);
    if let Some(id) = ids.iter().find(|id| !stacks.contains(*id)) {
        return Err(table.damaged(format!("column 'stack_id' has {id}, which the run does not define")));
    }
    let id = run.id().to_string();
    if table.all_texts("run_id")?.iter().any(|of| *of != id) {
        return Err(table.damaged("it has rows of another run"));
    }
    for event in run.events() {
        let mut sums = (0_u64, 0_u128, 0_u128);
        for ((of, samples), weight) in events.iter().zip(&samples).zip(&weights) {
            if *of == event.name {
                sums = (sums.0 + 1, sums.1 + u128::from(*samples), sums.2 + u128::from(*weight));
            }
        }
        let expected = (event.sample_rows, u128::from(event.samples), u128::from(event.weight));
        if sums != expected {
            let what = format!(
                "{} rows of event '{}' sum to {} samples and weight {}, the run has {}, {} and {}",
                sums.0, event.name, sums.1, sums.2, expected.0, expected.1, expected.2
            );
            return Err(table.damaged(what));
        }
    }
    let known: u64 = run.events().iter().map(|event| event.sample_rows).sum();
    match events.len() as u64 == known {
        true => Ok(()),
        false => Err(table.damaged("it has rows of events that the run does not have")),
    }
}

/// All files below a directory.
fn all_files(directory: &Path) -> Result<Vec<PathBuf>, StoreError> {
    let mut files = Vec::new();
    for path in entries(directory)? {
        match path.is_dir() && !path.is_symlink() {
            true => files.extend(all_files(&path)?),
            false => files.push(path),
        }
    }
    Ok(files)
}
