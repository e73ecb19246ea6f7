//! Where a store keeps what: its marker, its tables, and the files of each run.
//!
//! ```text
//! STORE/pdiff-store                                              "pdiff store, version 2"
//! STORE/samples/service=S/build=B/day=D/run-ID.parquet           and so below stacks, frames, functions, packs and runs
//! STORE/unfinished/                                              files that are being written
//! ```

use std::io::Write as _;
use std::path::{Path, PathBuf};

use tempfile::NamedTempFile;

use crate::content_id::ContentId;
use crate::error::StoreError;
use crate::run_key::{RunKey, decode_directory};
use crate::selection::Selection;
use crate::stored_run::StoredRun;
use crate::table::Table;

/// The version of the layout. Raised when an older program would misread what is written.
pub const FORMAT_VERSION: u32 = 2;

/// The file that makes a directory a store.
const MARKER: &str = "pdiff-store";

/// What the marker says before the version.
const MARKER_TEXT: &str = "pdiff store, version ";

/// The directory of files that are being written.
pub(crate) const UNFINISHED: &str = "unfinished";

/// What the names of files begin with that writers lock, and how many there are.
const LOCK: &str = "lock-";
const LOCKS: u8 = 64;

/// What the names of files begin with that have no name yet.
const NAMELESS: &str = ".pdiff-";

/// The most bytes of a marker that are read.
const MOST_MARKER_BYTES: usize = 100;

/// A store of runs in a directory.
#[derive(Clone, Debug)]
pub struct Store {
    root: PathBuf,
}

impl Store {
    /// A store that is there.
    ///
    /// # Errors
    /// Returns an error if the directory is not a store of this version.
    pub fn open(root: &Path) -> Result<Self, StoreError> {
        match read_marker(root)? {
            true => Ok(Self { root: root.to_owned() }),
            false => Err(StoreError::NotAStore { path: root.to_owned() }),
        }
    }

    /// A store to add runs to; a directory that is new or empty becomes one. Several programs may do so at once.
    ///
    /// # Errors
    /// Returns an error if the directory has other files, cannot be written, or is a store of another version.
    pub fn open_or_create(root: &Path) -> Result<Self, StoreError> {
        let store = Self { root: root.to_owned() };
        if root.is_file() {
            return Err(StoreError::NotAStore { path: root.to_owned() });
        }
        std::fs::create_dir_all(root).map_err(StoreError::io(root))?;
        if read_marker(root)? {
            return Ok(store);
        }
        for entry in std::fs::read_dir(root).map_err(StoreError::io(root))? {
            let name = entry.map_err(StoreError::io(root))?.file_name();
            // The marker is the first file of a store: whoever sees others without it looks again.
            if !name.to_string_lossy().starts_with(NAMELESS) && !read_marker(root)? {
                return Err(StoreError::NotEmpty { path: root.to_owned() });
            }
        }
        let text = format!("{MARKER_TEXT}{FORMAT_VERSION}\n");
        write_file(root, &root.join(MARKER), text.as_bytes())?;
        Ok(store)
    }

    /// The store that a path is in, whatever its version.
    #[must_use]
    pub fn around(path: &Path) -> Option<PathBuf> {
        let directory =
            path.parent().filter(|parent| !parent.as_os_str().is_empty()).unwrap_or(Path::new("."));
        let directory = std::fs::canonicalize(directory).ok()?;
        let is_store = |directory: &&Path| match read_marker(directory) {
            Ok(has_marker) => has_marker,
            Err(StoreError::OtherVersion { found, .. }) => found.starts_with(MARKER_TEXT),
            Err(_) => false,
        };
        directory.ancestors().find(is_store).map(Path::to_owned)
    }

    /// The directory.
    #[must_use]
    pub fn root(&self) -> &Path {
        &self.root
    }

    /// The file of a run.
    #[must_use]
    pub fn file(&self, table: Table, key: &RunKey, id: ContentId) -> PathBuf {
        self.root.join(table.name()).join(key.partition()).join(table.file_name(id))
    }

    /// The runs that are whole and match, in the order of service, build, day, host and identifier.
    ///
    /// # Errors
    /// Returns an error if a file cannot be read or is damaged; a file of another name is no run.
    pub fn runs(&self, wanted: &Selection) -> Result<Vec<StoredRun>, StoreError> {
        let mut runs = Vec::new();
        for (id, path) in self.files_where(Table::Runs, &|column, value| wanted.may_match(column, value))? {
            let run = StoredRun::read(&path, id)?;
            if self.file(Table::Runs, run.key(), id) != path {
                let what = "the run that it describes belongs in another directory; it was moved or renamed";
                return Err(StoreError::damaged(&path, what));
            }
            if wanted.matches(&run) {
                runs.push(run);
            }
        }
        runs.sort_by(|a, b| (sort_key(a)).cmp(&sort_key(b)));
        Ok(runs)
    }

    /// The files of a table by their runs, in no order; files of other names are left out.
    pub(crate) fn files(&self, table: Table) -> Result<Vec<(ContentId, PathBuf)>, StoreError> {
        self.files_where(table, &|_, _| true)
    }

    /// The same for those partitions whose columns and values are wanted.
    fn files_where(
        &self,
        table: Table,
        is_wanted: &dyn Fn(&str, &str) -> bool,
    ) -> Result<Vec<(ContentId, PathBuf)>, StoreError> {
        let mut directories = vec![self.root.join(table.name())];
        // service, build and day
        for _ in 0..3 {
            let mut inner = Vec::new();
            for directory in directories {
                for path in entries(&directory)? {
                    let name = path.file_name().and_then(|name| name.to_str()).unwrap_or_default();
                    let is_partition =
                        decode_directory(name).is_some_and(|(column, value)| is_wanted(column, &value));
                    if is_partition && path.is_dir() {
                        inner.push(path);
                    }
                }
            }
            directories = inner;
        }
        let mut files = Vec::new();
        for directory in directories {
            let named = |path: PathBuf| Some((table.id_of(path.file_name()?.to_str()?)?, path));
            files.extend(entries(&directory)?.into_iter().filter_map(named));
        }
        Ok(files)
    }

    /// Keeps other writers of a run away until the file is dropped: they would mix their files with ours if they found other binaries.
    /// The system drops it, too, when this program is stopped. Where files cannot be locked, nobody is kept away.
    pub(crate) fn lock(&self, id: ContentId) -> Result<std::fs::File, StoreError> {
        let unfinished = self.root.join(UNFINISHED);
        std::fs::create_dir_all(&unfinished).map_err(StoreError::io(&unfinished))?;
        // A few files for all runs, which stay: a lock on a file that is removed would keep nobody away.
        let path = unfinished.join(format!("{LOCK}{:02x}", id.bytes().first().copied().unwrap_or(0) % LOCKS));
        let file = std::fs::File::options().create(true).truncate(false).write(true).open(&path);
        // Another user may own it. If it is not there, the first error says why.
        let file = file.or_else(|error| std::fs::File::open(&path).map_err(|_| error));
        let file = file.map_err(StoreError::io(&path))?;
        match file.lock() {
            Err(error) if error.kind() != std::io::ErrorKind::Unsupported => {
                Err(StoreError::io(&path)(error))
            }
            _ => Ok(file),
        }
    }

    /// The files that writers did not finish.
    pub(crate) fn left_unfinished(&self) -> Result<Vec<PathBuf>, StoreError> {
        let is_lock =
            |path: &PathBuf| path.file_name().is_some_and(|name| name.to_string_lossy().starts_with(LOCK));
        let files = entries(&self.root.join(UNFINISHED))?;
        Ok(files.into_iter().filter(|path| !is_lock(path)).collect())
    }

    /// Writes a file so that it is whole under its name or not there at all.
    pub(crate) fn write(&self, path: &Path, bytes: &[u8]) -> Result<(), StoreError> {
        let unfinished = self.root.join(UNFINISHED);
        std::fs::create_dir_all(&unfinished).map_err(StoreError::io(&unfinished))?;
        let directory = path.parent().unwrap_or(&self.root);
        std::fs::create_dir_all(directory).map_err(StoreError::io(directory))?;
        write_file(&unfinished, path, bytes)
    }
}

fn sort_key(run: &StoredRun) -> (&str, &str, &str, &str, ContentId) {
    let key = run.key();
    (key.service(), key.build(), key.day(), key.host(), run.id())
}

/// Whether a directory has the marker of a store of this version.
fn read_marker(root: &Path) -> Result<bool, StoreError> {
    let path = root.join(MARKER);
    let bytes = match std::fs::read(&path) {
        Ok(bytes) => bytes,
        Err(error) if error.kind() == std::io::ErrorKind::NotFound => return Ok(false),
        Err(error) if error.kind() == std::io::ErrorKind::NotADirectory => return Ok(false),
        Err(error) => return Err(StoreError::io(&path)(error)),
    };
    let found = String::from_utf8_lossy(bytes.get(..MOST_MARKER_BYTES).unwrap_or(&bytes)).trim().to_owned();
    if found == format!("{MARKER_TEXT}{FORMAT_VERSION}") {
        return Ok(true);
    }
    Err(StoreError::OtherVersion { path, found, expected: FORMAT_VERSION })
}

/// Writes beside and renames. The bytes are on disk before the name is.
fn write_file(beside: &Path, path: &Path, bytes: &[u8]) -> Result<(), StoreError> {
    let mut builder = tempfile::Builder::new();
    builder.prefix(NAMELESS);
    #[cfg(unix)]
    builder.permissions(std::os::unix::fs::PermissionsExt::from_mode(0o666));
    let mut file = builder.tempfile_in(beside).map_err(StoreError::io(beside))?;
    let written = file.write_all(bytes).and_then(|()| file.as_file().sync_data());
    written.map_err(StoreError::io(path))?;
    NamedTempFile::persist(file, path).map_err(|error| StoreError::io(path)(error.error))?;
    Ok(())
}

/// What is in a directory, sorted by name; nothing if there is no such directory.
pub(crate) fn entries(directory: &Path) -> Result<Vec<PathBuf>, StoreError> {
    let found = match std::fs::read_dir(directory) {
        Ok(found) => found,
        Err(error) if error.kind() == std::io::ErrorKind::NotFound => return Ok(Vec::new()),
        Err(error) => return Err(StoreError::io(directory)(error)),
    };
    let path =
        |entry: std::io::Result<std::fs::DirEntry>| Ok(entry.map_err(StoreError::io(directory))?.path());
    let mut paths: Vec<PathBuf> = found.map(path).collect::<Result<_, StoreError>>()?;
    paths.sort();
    Ok(paths)
}
