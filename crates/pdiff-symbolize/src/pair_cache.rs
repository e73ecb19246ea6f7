//! What is made from the censuses of two objects together, kept between runs: which of their functions are the same.
//!
//! It is kept only if the cache has both censuses, whose content it is made from. It is made again if one of these is another
//! one, or anything else that it depends on.

use std::hash::{DefaultHasher, Hash, Hasher as _};
use std::path::{Path, PathBuf};

use pdiff_profile::{Notes, ObjectId, PerSide};

use crate::cache::{CacheFile, SectionTag, Stamp};

/// A census that the cache has.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct CachedCensus {
    directory: PathBuf,
    object: ObjectId,
    stamp: Stamp,
}

impl CachedCensus {
    pub(crate) fn new(directory: &Path, object: ObjectId, stamp: Stamp) -> Self {
        Self { directory: directory.to_owned(), object, stamp }
    }
}

/// The cache file of two objects.
#[derive(Debug)]
pub struct PairCache {
    file: CacheFile,
    source: u64,
}

impl PairCache {
    /// For what is made from two censuses and `settings`.
    #[must_use]
    pub fn new(censuses: PerSide<&CachedCensus>, settings: impl Hash) -> Self {
        let mut hasher = DefaultHasher::new();
        (censuses.before.stamp, censuses.after.stamp, settings).hash(&mut hasher);
        let file = CacheFile::of_pair(&censuses.after.directory, censuses.map(|census| &census.object));
        Self { file, source: hasher.finish() }
    }

    /// What was kept; damage is noted.
    pub fn load(&self, notes: &mut Notes) -> Option<Vec<u8>> {
        match self.file.load(SectionTag::Matching, self.source) {
            Ok(section) => section.map(|section| section.content().to_vec()),
            Err(damage) => {
                self.file.note(damage, notes);
                None
            }
        }
    }

    /// Keeps it; a failure is noted.
    pub fn store(&self, content: &[u8], notes: &mut Notes) {
        if let Err(error) = self.file.store(SectionTag::Matching, self.source, content) {
            self.file.note(format_args!("not kept: {error}"), notes);
        }
    }
}

#[cfg(test)]
mod tests {
    use pdiff_profile::NoteKind;

    use super::*;

    #[test]
    fn what_is_kept_comes_back_for_the_same_censuses_and_settings_alone() {
        let directory = tempfile::tempdir().unwrap();
        let object = |hash| ObjectId::Content { size: 1, hash };
        let file = CacheFile::of(directory.path(), &object(9));
        let stamp = |content: &[u8]| file.store(SectionTag::Census, 1, content).unwrap();
        let census = |hash, content| CachedCensus::new(directory.path(), object(hash), stamp(content));
        let (old, new, other) = (census(1, b"old"), census(2, b"new"), census(2, b"other"));
        let cache = |after, settings: u32| PairCache::new(PerSide::new(&old, after), settings);
        let mut notes = Notes::new();
        cache(&new, 7).store(b"pairs", &mut notes);
        assert_eq!(cache(&new, 7).load(&mut notes).as_deref(), Some(&b"pairs"[..]));
        assert_eq!(cache(&new, 8).load(&mut notes), None);
        assert_eq!(cache(&other, 7).load(&mut notes), None);
        assert_eq!(PairCache::new(PerSide::new(&new, &old), 7).load(&mut notes), None);
        assert!(notes.is_empty());
        std::fs::write(cache(&new, 7).file.path(), b"damaged").unwrap();
        assert_eq!(cache(&new, 7).load(&mut notes), None);
        assert!(notes.get(NoteKind::CacheRebuilt).is_some());
    }
}
