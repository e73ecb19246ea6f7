//! `pdiff compare` without arguments: the recording before the last one against the last one, as `perf diff` does.

use std::ffi::OsString;
use std::path::Path;

/// Where `perf record` moves the recording before it writes another one, and where it writes.
const RECORDINGS: [&str; 2] = ["perf.data.old", "perf.data"];

/// The command line, with the usual recordings if `compare` has no arguments and they are in `directory`.
pub(crate) fn with_recordings(words: impl Iterator<Item = OsString>, directory: &Path) -> Vec<OsString> {
    let mut words: Vec<OsString> = words.collect();
    let is_alone = matches!(words.as_slice(), [_, command] if command == "compare");
    if is_alone && RECORDINGS.iter().all(|name| directory.join(name).is_file()) {
        words.extend(RECORDINGS.map(OsString::from));
    }
    words
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn compare_alone_takes_the_last_two_recordings() {
        let directory = tempfile::tempdir().unwrap();
        let check = |words: &[&str], expected: usize| {
            let words = words.iter().map(OsString::from);
            assert_eq!(with_recordings(words, directory.path()).len(), expected);
        };
        check(&["pdiff", "compare"], 2);
        for name in RECORDINGS {
            std::fs::write(directory.path().join(name), "x").unwrap();
        }
        check(&["pdiff", "compare"], 4);
        check(&["pdiff", "compare", "a.perf"], 3);
        check(&["pdiff", "flame"], 2);
    }
}
