//! Which file is the object that a profile names.
//!
//! Files the user gives come first, matched by build-id or else by name, and one that is visibly another build ends the
//! run. Files found where the profile says they are may have been replaced since: those are ignored with a note.

use std::path::{Path, PathBuf};

use pdiff_profile::{BuildId, Object, ObjectKind};

use crate::binary::elf_file::ElfFile;
use crate::binary::object_files::build_id_paths;
use crate::error::Error;
use crate::options::{SymbolizeOptions, Wanted};

/// How the file was found.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum Source {
    /// The user gave it: that it is wrong is an error.
    Given,
    /// It was found: that it is wrong is a note.
    Found,
}

/// A file for an object.
#[derive(Debug)]
pub(crate) struct Candidate {
    pub(crate) file: ElfFile,
    pub(crate) source: Source,
    /// Whether the build-id says that it is the right one.
    pub(crate) is_proved: bool,
}

/// What was found for an object.
#[derive(Debug)]
pub(crate) enum Lookout {
    Candidate(Candidate),
    /// The file at this path is another build.
    Other(PathBuf, String),
    /// There is a file, and it cannot be read as ELF.
    Unreadable,
    Nothing,
}

/// The build-id of an object, where the profile or the user's list tells it.
pub(crate) fn known_build_id<'o>(object: &'o Object, options: &'o SymbolizeOptions) -> Option<&'o BuildId> {
    let listed = || options.build_ids.iter().find(|(path, _)| *path == object.path).map(|(_, id)| id);
    object.build_id.as_ref().or_else(listed)
}

/// Finds the file of an object.
///
/// # Errors
/// If a file the user gave cannot be read or has another build-id.
pub(crate) fn find_binary(object: &Object, options: &SymbolizeOptions) -> Result<Lookout, Error> {
    let expected = known_build_id(object, options);
    if let Some(candidate) = find_given(object, expected, options)? {
        return Ok(Lookout::Candidate(candidate));
    }
    if !matches!(object.kind, ObjectKind::File | ObjectKind::Vdso) {
        return Ok(Lookout::Nothing);
    }
    Ok(find_around(object, expected, options))
}

fn find_given(
    object: &Object,
    expected: Option<&BuildId>,
    options: &SymbolizeOptions,
) -> Result<Option<Candidate>, Error> {
    let mut by_name = None;
    for path in &options.binaries {
        let is_named =
            path.file_name().and_then(|name| name.to_str()).is_some_and(|name| names(name, object));
        if expected.is_none() && !is_named {
            continue;
        }
        let file = ElfFile::open(path)?;
        if expected.is_some() && file.build_id() == expected {
            return Ok(Some(Candidate { file, source: Source::Given, is_proved: true }));
        }
        if is_named {
            by_name = by_name.or(Some(file));
        }
    }
    let Some(file) = by_name else { return Ok(None) };
    if let Some(expected) = expected
        && !options.allow_mismatch
    {
        return Err(Error::WrongBuildId {
            path: file.path().to_path_buf(),
            object: object.path.clone(),
            expected: expected.clone(),
            found: file.build_id().map_or_else(|| "none".to_owned(), BuildId::to_string),
        });
    }
    Ok(Some(Candidate { file, source: Source::Given, is_proved: false }))
}

/// Whether a file of this name represents an object. perf's name of the kernel is not a file's.
fn names(file_name: &str, object: &Object) -> bool {
    file_name == object.file_name()
        || (object.kind == ObjectKind::Kernel
            && object.path.starts_with('[')
            && file_name.starts_with("vmlinux"))
}

fn find_around(object: &Object, expected: Option<&BuildId>, options: &SymbolizeOptions) -> Lookout {
    let mut other = Lookout::Nothing;
    // Asked only when the places have been looked at.
    let fetched = std::iter::once_with(|| options.fetch.as_ref()?(expected?, Wanted::Executable)).flatten();
    for path in places(object, expected, options).into_iter().chain(fetched) {
        let file = match ElfFile::open(&path) {
            Ok(file) => file,
            Err(_) => {
                if path.exists() && matches!(other, Lookout::Nothing) {
                    other = Lookout::Unreadable;
                }
                continue;
            }
        };
        match (expected, file.build_id()) {
            (Some(expected), found) if found != Some(expected) && !options.allow_mismatch => {
                let found = found.map_or_else(|| "none".to_owned(), BuildId::to_string);
                other = Lookout::Other(path, format!("build-id {found}, expected {expected}"));
            }
            (expected, found) => {
                let is_proved = expected.is_some() && expected == found;
                return Lookout::Candidate(Candidate { file, source: Source::Found, is_proved });
            }
        }
    }
    other
}

/// Where the file may be, most likely first.
fn places(object: &Object, expected: Option<&BuildId>, options: &SymbolizeOptions) -> Vec<PathBuf> {
    let mut places = Vec::new();
    let path = Path::new(&*object.path);
    if object.kind == ObjectKind::File && path.is_absolute() {
        match &options.symfs {
            Some(root) => places.push(root.join(path.strip_prefix("/").unwrap_or(path))),
            None => places.push(path.to_path_buf()),
        }
    }
    places.extend(expected.into_iter().flat_map(|id| build_id_paths(id, Wanted::Executable, options)));
    places
}
