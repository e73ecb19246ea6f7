//! The source directories of two builds at the time of compilation.
//!
//! Debug information holds absolute paths: `/build/5.6.14/storage/log0log.cc` and `/src/8.0.33/storage/log0log.cc` are one
//! file of two builds. Each function that both sides have a file for votes: without their common end, its two paths are a
//! pair of roots. The pair with the most votes wins.

use std::collections::BTreeMap;

use pdiff_profile::{PerSide, Side};

/// One directory a side, with a closing slash; empty where paths are relative already.
#[derive(Clone, PartialEq, Eq, Debug)]
pub(crate) struct SourceRoots {
    roots: PerSide<Box<str>>,
}

impl SourceRoots {
    /// The roots that most pairs of files speak for; `None` if the two builds' files have the same paths, or nothing in
    /// common.
    pub(crate) fn vote<'a>(files: impl Iterator<Item = (&'a str, &'a str)>) -> Option<Self> {
        let mut votes: BTreeMap<(&str, &str), usize> = BTreeMap::new();
        for (before, after) in files {
            let end = common_end(before, after);
            let root = |file: &'a str| file.len().checked_sub(end).and_then(|at| file.get(..at));
            if let (true, Some(before), Some(after)) = (end > 0, root(before), root(after)) {
                *votes.entry((before, after)).or_default() += 1;
            }
        }
        // The first of equals, by text: max_by_key would take the last.
        let best = votes.into_iter().rev().max_by_key(|(_, count)| *count)?.0;
        (best != ("", "")).then(|| Self { roots: PerSide::new(best.0.into(), best.1.into()) })
    }

    /// The file without its side's root, if it lies there.
    pub(crate) fn relative<'a>(&self, side: Side, file: &'a str) -> &'a str {
        file.strip_prefix(&*self.roots[side]).unwrap_or(file)
    }
}

/// Length of the longest common end that begins after a slash.
fn common_end(a: &str, b: &str) -> usize {
    let mut common = 0;
    let mut length = 0;
    for (part, other) in a.rsplit('/').zip(b.rsplit('/')) {
        if part != other {
            break;
        }
        length += part.len();
        common = length;
        length += 1;
    }
    common
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_roots_of_most_files_hold() {
        let files = [
            ("/b/5.6/sql/a.cc", "/s/8.0/sql/a.cc"),
            ("/b/5.6/sql/b.cc", "/s/8.0/sql/b.cc"),
            ("/b/5.6/sql/old.cc", "/s/8.0/sql/new.cc"),
            ("/usr/include/c++/v", "/usr/include/c++/v"),
        ];
        let roots = SourceRoots::vote(files.into_iter()).unwrap();
        assert_eq!(roots.relative(Side::Before, "/b/5.6/x/y.cc"), "x/y.cc");
        assert_eq!(roots.relative(Side::After, "/s/8.0/x/y.cc"), "x/y.cc");
        assert_eq!(roots.relative(Side::After, "/usr/include/v"), "/usr/include/v");
    }

    #[test]
    fn equal_paths_and_strangers_have_no_roots() {
        let none = |files: &[(&str, &str)]| SourceRoots::vote(files.iter().copied()).is_none();
        assert!(none(&[("/b/a.cc", "/b/a.cc")]));
        assert!(none(&[("/b/a.cc", "/b/c.cc")]));
        assert!(none(&[]));
    }
}
