//! Small text files beside the recordings: knowledge, lists and tables. Each kind has a limit, and none may be a stream: a
//! named pipe would wait for its writer, and a device may never end.

use std::io::Read;
use std::path::Path;

use anyhow::{Context, Result, bail};

/// A file of knowledge (TOML): the built-in ones have up to 50 KB.
pub(crate) const KNOWLEDGE: Limit = Limit { what: "a file of knowledge", most_bytes: 1 << 20 };

/// A list or a table: build-ids, windows, counts of calls, what a benchmark printed.
pub(crate) const LIST: Limit = Limit { what: "a list of this kind", most_bytes: 16 << 20 };

/// Calls that a tool counted: callgrind's files of a large server have some 20 MB.
pub(crate) const COUNTS: Limit = Limit { what: "a file of counted calls", most_bytes: 512 << 20 };

/// What a compiler said of inlining: the reports of a large server have some 200 MB.
pub(crate) const REMARKS: Limit = Limit { what: "a compiler's report", most_bytes: 512 << 20 };

/// What a server says of its settings.
pub(crate) const SERVER_SETTINGS: Limit = Limit { what: "the settings of a server", most_bytes: 16 << 20 };

/// Addresses on standard input.
pub(crate) const ADDRESSES: Limit = Limit { what: "a list of addresses", most_bytes: 256 << 20 };

/// How much is read of one kind of file.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Limit {
    what: &'static str,
    most_bytes: u64,
}

/// Reads a text file and parses it; errors name the file.
pub(crate) fn read_file<T, E>(
    path: &Path,
    limit: Limit,
    parse: impl FnOnce(&str) -> Result<T, E>,
) -> Result<T>
where
    E: Into<anyhow::Error>,
{
    let bytes = read_bytes(path, limit)?;
    let shown = || path.display().to_string();
    let text = String::from_utf8(bytes).with_context(|| format!("{}: not UTF-8 text", shown()))?;
    parse(&text).map_err(|error| error.into().context(shown()))
}

/// All bytes of a regular file.
pub(crate) fn read_bytes(path: &Path, limit: Limit) -> Result<Vec<u8>> {
    let shown = path.display();
    // Asked before it is opened: opening a named pipe waits for its writer.
    let metadata = path.metadata().with_context(|| format!("cannot read {shown}"))?;
    if metadata.is_dir() {
        bail!("{shown} is a directory; hint: name a file");
    }
    if !metadata.is_file() {
        bail!(
            "{shown} is not a regular file; hint: pipes and devices are not read here, write to a file first"
        );
    }
    let file = std::fs::File::open(path).with_context(|| format!("cannot read {shown}"))?;
    read_to_limit(file, limit, &shown.to_string())
}

/// All bytes of a stream.
pub(crate) fn read_to_limit(stream: impl Read, limit: Limit, shown: &str) -> Result<Vec<u8>> {
    let mut bytes = Vec::new();
    stream
        .take(limit.most_bytes + 1)
        .read_to_end(&mut bytes)
        .with_context(|| format!("cannot read {shown}"))?;
    if bytes.len() as u64 > limit.most_bytes {
        let megabytes = limit.most_bytes >> 20;
        bail!("{shown}: larger than {} may be ({megabytes} MB); hint: check the file name", limit.what);
    }
    Ok(bytes)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn streams_and_large_files_are_refused() {
        let directory = tempfile::tempdir().unwrap();
        let tiny = Limit { what: "a tiny file", most_bytes: 3 };
        let refused = |path: &Path| read_bytes(path, tiny).unwrap_err().to_string();
        let path = directory.path().join("x");
        std::fs::write(&path, "abc").unwrap();
        assert_eq!(read_bytes(&path, tiny).unwrap(), b"abc");
        std::fs::write(&path, "abcd").unwrap();
        assert!(refused(&path).contains("larger than a tiny file may be (0 MB)"));
        assert!(refused(directory.path()).contains("is a directory"));
        assert!(refused(Path::new("/dev/zero")).contains("is not a regular file"));
    }
}
