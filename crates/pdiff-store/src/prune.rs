//! Runs taken out of a store, and files that stopped writers left behind.

use std::path::{Path, PathBuf};
use std::time::{Duration, SystemTime};

use crate::content_id::ContentId;
use crate::error::StoreError;
use crate::store::Store;
use crate::stored_run::StoredRun;
use crate::table::Table;

/// A writer is done with a run within seconds; what lies there for longer was left behind.
const LEFT_BEHIND: Duration = Duration::from_secs(3600);

/// What was taken out, or would be.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct Pruned {
    /// Number of runs.
    pub runs: usize,
    /// Number of files, those of runs included.
    pub files: usize,
    /// Their bytes.
    pub bytes: u64,
}

impl Store {
    /// Removes a run. Its file of the table `runs` goes first: readers see all of the run or nothing.
    ///
    /// # Errors
    /// Returns an error if a file cannot be removed.
    pub fn remove(&self, run: &StoredRun, pruned: &mut Pruned, is_dry: bool) -> Result<(), StoreError> {
        for table in Table::ALL.into_iter().rev() {
            remove_file(&self.file(table, run.key(), run.id()), pruned, is_dry)?;
        }
        pruned.runs += 1;
        Ok(())
    }

    /// Removes all files of a run by their names, as they cannot be read.
    ///
    /// # Errors
    /// Returns an error if a file cannot be removed.
    pub fn remove_damaged(
        &self,
        run: ContentId,
        pruned: &mut Pruned,
        is_dry: bool,
    ) -> Result<(), StoreError> {
        for table in Table::ALL.into_iter().rev() {
            for (_, path) in self.files(table)?.into_iter().filter(|(id, _)| *id == run) {
                remove_file(&path, pruned, is_dry)?;
            }
        }
        pruned.runs += 1;
        Ok(())
    }

    /// Removes what writers left behind that were stopped more than an hour before `now`.
    ///
    /// # Errors
    /// Returns an error if a file cannot be read or removed.
    pub fn remove_unfinished(
        &self,
        now: SystemTime,
        pruned: &mut Pruned,
        is_dry: bool,
    ) -> Result<(), StoreError> {
        let mut left: Vec<PathBuf> = self.left_unfinished()?;
        // The runs are listed last: one that is finished meanwhile is not taken for a leftover.
        let mut files: Vec<(ContentId, PathBuf)> = Vec::new();
        for table in Table::ALL.into_iter().filter(|table| *table != Table::Runs) {
            files.extend(self.files(table)?);
        }
        let whole: std::collections::HashSet<ContentId> =
            self.files(Table::Runs)?.into_iter().map(|(id, _)| id).collect();
        left.extend(files.into_iter().filter(|(id, _)| !whole.contains(id)).map(|(_, path)| path));
        for path in left.iter().filter(|path| is_older(path, now)) {
            remove_file(path, pruned, is_dry)?;
        }
        Ok(())
    }
}

fn is_older(path: &Path, now: SystemTime) -> bool {
    let modified = path.metadata().and_then(|metadata| metadata.modified());
    modified.is_ok_and(|modified| now.duration_since(modified).is_ok_and(|age| age > LEFT_BEHIND))
}

/// Removes a file; one that is gone already is no error.
fn remove_file(path: &Path, pruned: &mut Pruned, is_dry: bool) -> Result<(), StoreError> {
    let Ok(metadata) = path.symlink_metadata() else { return Ok(()) };
    if metadata.is_dir() {
        return Ok(());
    }
    if !is_dry {
        match std::fs::remove_file(path) {
            Err(error) if error.kind() != std::io::ErrorKind::NotFound => {
                return Err(StoreError::io(path)(error));
            }
            _ => {}
        }
    }
    pruned.files += 1;
    pruned.bytes += metadata.len();
    Ok(())
}
