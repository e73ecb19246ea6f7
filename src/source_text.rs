//! Source lines from directories that the user gives, and never from outside them.
//!
//! pdiff searches for the longest end of the path in the debug information that exists: of `/build/x/sql/handler.cc` under
//! `/src/mysql` first `build/x/sql/handler.cc`, then `x/sql/handler.cc`, then `sql/handler.cc` and so on. Steps up (`..`)
//! are not taken, and a symbolic link that leads out of the directory is not followed.

use std::collections::{BTreeMap, BTreeSet};
use std::io::Read;
use std::path::{Component, Path, PathBuf};

use anyhow::{Context, Result, bail};
use pdiff::profile::{PerSide, Side};
use pdiff::render::SourceTexts;
use pdiff::{FunctionCode, FunctionLines, SourceLine};

use crate::cli::SourceArgs;

/// Larger files are not source: they are left alone.
const MAX_BYTES: u64 = 16 << 20;

/// Missing files named of those that a side has.
const MOST_NAMED: usize = 3;

/// Where each side's source is, where that was said.
#[derive(Default)]
pub(crate) struct SourceRoots(PerSide<Option<PathBuf>>);

impl SourceRoots {
    /// Checks that they are directories.
    pub(crate) fn new(given: &SourceArgs) -> Result<Self> {
        let both = given.source_root.as_deref();
        let root = |option: &str, own: Option<&Path>| -> Result<Option<PathBuf>> {
            let Some(path) = own.or(both) else { return Ok(None) };
            let option = if own.is_some() { option } else { "--source-root" };
            let root = std::fs::canonicalize(path)
                .with_context(|| format!("{option}: cannot read {}", path.display()))?;
            if !root.is_dir() {
                bail!("{option}: {} is not a directory", path.display());
            }
            Ok(Some(root))
        };
        Ok(Self(PerSide::new(
            root("--source-root-before", given.source_root_before.as_deref())?,
            root("--source-root-after", given.source_root_after.as_deref())?,
        )))
    }

    /// The text of lines as far as the directories contain it, and what they do not hold, in words.
    pub(crate) fn read(&self, lines: impl Iterator<Item = (Side, SourceLine)>) -> (SourceTexts, Vec<String>) {
        let mut wanted: PerSide<BTreeMap<String, BTreeSet<SourceLine>>> = PerSide::default();
        for (side, at) in lines.filter(|(side, _)| self.0[*side].is_some()) {
            wanted[side].entry(at.file.clone()).or_default().insert(at);
        }
        let mut texts = SourceTexts::default();
        let mut complaints = Vec::new();
        for side in Side::BOTH {
            let Some(root) = &self.0[side] else { continue };
            let mut missing: Vec<&str> = Vec::new();
            for (file, lines) in &wanted[side] {
                let Some(text) = find(root, file).and_then(|path| read_text(&path)) else {
                    missing.push(file);
                    continue;
                };
                let all: Vec<&str> = text.lines().collect();
                for at in lines {
                    if let Some(line) = (at.line as usize).checked_sub(1).and_then(|index| all.get(index)) {
                        texts.insert(side, at.clone(), line.trim());
                    }
                }
            }
            complaints.extend(complaint(root, &missing));
        }
        (texts, complaints)
    }
}

/// The `most` heaviest lines of functions on each side.
pub(crate) fn lines_of(
    functions: &[FunctionLines],
    most: usize,
) -> impl Iterator<Item = (Side, SourceLine)> + '_ {
    let sides = functions.iter().flat_map(|of| Side::BOTH.map(|side| (side, of.side(side))));
    sides.flat_map(move |(side, of)| of.lines.iter().take(most).map(move |line| (side, line.at.clone())))
}

/// The lines of code that is shown.
pub(crate) fn lines_of_code(functions: &[FunctionCode]) -> impl Iterator<Item = (Side, SourceLine)> + '_ {
    let places = functions
        .iter()
        .flat_map(|of| of.sides.iter())
        .flat_map(|(side, of)| of.code.iter().flat_map(|code| code.places()).map(move |place| (side, place)));
    places.filter_map(|(side, place)| {
        Some((side, SourceLine { file: place.file.as_ref()?.to_string(), line: place.line? }))
    })
}

fn complaint(root: &Path, missing: &[&str]) -> Option<String> {
    let named: Vec<&str> = missing.iter().take(MOST_NAMED).copied().collect();
    let more = match missing.len().saturating_sub(MOST_NAMED) {
        0 => String::new(),
        more => format!(" and {more} more"),
    };
    (!missing.is_empty())
        .then(|| format!("no source under {} for {}{more}", root.display(), named.join(", ")))
}

/// The file under `root` that the longest end of a path names.
fn find(root: &Path, file: &str) -> Option<PathBuf> {
    let path = Path::new(file);
    let parts: Vec<&std::ffi::OsStr> = path
        .components()
        .filter_map(|part| match part {
            Component::Normal(part) => Some(Some(part)),
            Component::ParentDir => Some(None),
            Component::RootDir | Component::CurDir | Component::Prefix(_) => None,
        })
        .collect::<Option<_>>()?;
    let candidates = (0..parts.len()).map(|from| root.join(parts[from..].iter().collect::<PathBuf>()));
    let within = |path: PathBuf| {
        let real = std::fs::canonicalize(path).ok()?;
        (real.starts_with(root) && real.is_file()).then_some(real)
    };
    candidates.into_iter().find_map(within)
}

fn read_text(path: &Path) -> Option<String> {
    let file = std::fs::File::open(path).ok()?;
    if file.metadata().ok()?.len() > MAX_BYTES {
        return None;
    }
    let mut bytes = Vec::new();
    file.take(MAX_BYTES).read_to_end(&mut bytes).ok()?;
    Some(String::from_utf8_lossy(&bytes).into_owned())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn files_are_found_by_the_longest_end_of_their_path_and_never_outside() {
        let directory = tempfile::tempdir().unwrap();
        let base = std::fs::canonicalize(directory.path()).unwrap();
        let root = base.join("src");
        std::fs::create_dir_all(root.join("sql/inner")).unwrap();
        std::fs::write(base.join("secret.cc"), "outside\n").unwrap();
        std::fs::write(root.join("a.cc"), "top\n").unwrap();
        std::fs::write(root.join("sql/a.cc"), "one\n\ttwo\n").unwrap();
        #[cfg(unix)]
        std::os::unix::fs::symlink(base.join("secret.cc"), root.join("sql/link.cc")).unwrap();
        #[cfg(unix)]
        std::os::unix::fs::symlink(&base, root.join("up")).unwrap();
        let check = |file: &str, expected: Option<&str>| {
            assert_eq!(find(&root, file), expected.map(|path| root.join(path)), "{file}");
        };
        check("/build/x/sql/a.cc", Some("sql/a.cc"));
        check("sql/a.cc", Some("sql/a.cc"));
        check("/build/other/a.cc", Some("a.cc"));
        check("./sql/a.cc", Some("sql/a.cc"));
        check("../secret.cc", None);
        check("/build/../secret.cc", None);
        check("sql/link.cc", None);
        check("up/secret.cc", None);
        check("sql/inner", None);
        check("missing.cc", None);
        check("", None);
    }
}
