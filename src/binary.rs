//! One binary without any recording: its functions, and who is inlined and called where.

use std::fs::File;
use std::io::Read;
use std::path::{Path, PathBuf};

use pdiff_analysis::inlines::{InlineComparison, compare_inlines};
use pdiff_analysis::matching::match_functions;
use pdiff_analysis::{Aliases, Preset};
use pdiff_ingest::{is_pack, read_pack};
use pdiff_profile::census::Census;
use pdiff_profile::{Notes, ObjectId};
use pdiff_symbolize::{ObjectCensus, SymbolizeOptions, census_of, census_with_late_names};

use crate::binary_facts::unpack;
use crate::error::Error;
use crate::lookup::Lookup;

/// More bytes than a pack's first mark has.
const MAGIC_BYTES: u64 = 16;

/// The functions of one binary, from its file or from a pack that contains all of them.
#[derive(Clone, Debug)]
#[non_exhaustive]
pub struct Binary {
    /// Its functions.
    pub census: Census,
    /// What names it for good.
    pub object_id: Option<String>,
    /// Its build-id in hexadecimal, if it has one.
    pub build_id: Option<String>,
    /// The separate debug file that was read, if any.
    pub debug_path: Option<String>,
    /// What was imperfect about it.
    pub notes: Notes,
    /// The name of the program's file.
    program: String,
}

impl Binary {
    /// Reads a binary, or a pack with a full census.
    ///
    /// # Errors
    /// If it cannot be read, or if a pack does not contain all of the functions.
    pub fn read(path: &Path, lookup: &Lookup) -> Result<Self, Error> {
        Self::read_with(path, &[], lookup)
    }

    /// The same, where its debug information may be in one of `files`, by build-id.
    ///
    /// # Errors
    /// As [`Self::read`].
    pub fn read_with(path: &Path, files: &[PathBuf], lookup: &Lookup) -> Result<Self, Error> {
        Self::read_by(census_of, path, files, lookup)
    }

    /// The same, where the names of library functions are made when they are asked for, and [`Census::find`] does not find
    /// them: see [`census_with_late_names`]. Two such binaries may be compared, unless library functions were renamed.
    ///
    /// # Errors
    /// As [`Self::read`].
    pub fn read_with_late_names(path: &Path, files: &[PathBuf], lookup: &Lookup) -> Result<Self, Error> {
        Self::read_by(census_with_late_names, path, files, lookup)
    }

    fn read_by(
        census: impl Fn(&Path, &SymbolizeOptions) -> Result<ObjectCensus, pdiff_symbolize::Error>,
        path: &Path,
        files: &[PathBuf],
        lookup: &Lookup,
    ) -> Result<Self, Error> {
        if begins_like_a_pack(path)? {
            return Self::packed(path);
        }
        let taken = census(path, &lookup.options(files))?;
        Ok(Self {
            object_id: Some(taken.id.to_string()),
            build_id: taken.build_id.as_ref().map(ToString::to_string),
            debug_path: taken.debug_path.as_ref().map(|path| path.display().to_string()),
            census: taken.census,
            notes: taken.notes,
            program: file_name(path),
        })
    }

    fn packed(path: &Path) -> Result<Self, Error> {
        let bytes = std::fs::read(path).map_err(|source| unreadable(path, source))?;
        let pack = read_pack(&bytes).map_err(|source| Error::NotAPack { path: path.to_owned(), source })?;
        let object = pack.objects.iter().find_map(|object| Some((object, object.census.as_ref()?)));
        let Some((object, census)) = object else { return Err(Error::NoCensus { path: path.to_owned() }) };
        let census = unpack(census)?;
        if census.is_part() {
            return Err(Error::PartOfCensus { path: path.to_owned() });
        }
        Ok(Self {
            census,
            object_id: object.object_id.as_ref().map(ToString::to_string),
            build_id: match &object.object_id {
                Some(ObjectId::BuildId(id)) => Some(id.to_string()),
                _ => object.build_id.clone(),
            },
            debug_path: None,
            notes: Notes::new(),
            program: file_name(Path::new(&object.path)),
        })
    }

    /// The built-in knowledge about the program, chosen by its name.
    #[must_use]
    pub fn preset(&self) -> Preset {
        Preset::of_program(&self.program)
    }

    /// The changes in inlining from this binary to another. `aliases` joins functions that were renamed.
    #[must_use]
    pub fn compare<'a>(&'a self, after: &'a Self, aliases: &Aliases) -> InlineComparison<'a> {
        let matching = match_functions(&self.census, &after.census, aliases);
        compare_inlines(&self.census, &after.census, &matching)
    }
}

fn begins_like_a_pack(path: &Path) -> Result<bool, Error> {
    let opened = File::open(path).map_err(|source| unreadable(path, source))?;
    let mut head = Vec::new();
    // What cannot be read (a directory) is reported by whoever reads it as a binary.
    let _is_told_later = opened.take(MAGIC_BYTES).read_to_end(&mut head);
    Ok(is_pack(&head))
}

fn unreadable(path: &Path, source: std::io::Error) -> Error {
    Error::Unreadable { path: path.to_owned(), source }
}

fn file_name(path: &Path) -> String {
    path.file_name().map_or_else(String::new, |name| name.to_string_lossy().into_owned())
}
