//! Where data goes: standard output, or a file that is whole or not there.

use std::io::{self, Write};
use std::path::{Path, PathBuf};

use anyhow::{Context, Result, bail};

/// What is written piece by piece goes out in pieces of this size.
const BUFFER_BYTES: usize = 256 * 1024;

/// Where data goes.
pub(crate) enum Output {
    Stdout,
    File(PathBuf),
}

impl Output {
    /// Standard output for none or `-`. The directory of a file has to be there.
    pub(crate) fn new(path: Option<&Path>) -> Result<Self> {
        let Some(path) = path.filter(|path| path.as_os_str() != "-") else { return Ok(Self::Stdout) };
        let directory = directory_of(path);
        if !directory.is_dir() {
            let (path, directory) = (path.display(), directory.display());
            bail!("writing {path}: there is no directory {directory}; hint: make it first");
        }
        #[cfg(feature = "store")]
        if let Some(store) = pdiff::store::Store::around(path) {
            let (path, store) = (path.display(), store.display());
            bail!(
                "writing {path}: it is in the store {store}, whose files only `pdiff store` writes; hint: write elsewhere"
            );
        }
        Ok(Self::File(path.to_owned()))
    }

    /// Whether a person may be looking.
    pub(crate) fn is_terminal(&self) -> bool {
        matches!(self, Self::Stdout) && io::IsTerminal::is_terminal(&io::stdout())
    }

    /// Writes all of it; what is packed already stays as it is.
    pub(crate) fn write(&self, bytes: &[u8]) -> Result<()> {
        match self {
            Self::File(path) if pdiff::is_packed(bytes) => write_whole(path, |out| Ok(out.write_all(bytes)?))
                .with_context(|| format!("writing {}", path.display())),
            _ => self.write_by(|out| Ok(out.write_all(bytes)?)),
        }
    }

    /// Writes what `fill` gives piece by piece: for data too large to be held. It is packed if the file's name ends with `.gz` or `.zst`.
    pub(crate) fn write_by(&self, fill: impl FnOnce(&mut dyn Write) -> Result<()>) -> Result<()> {
        match self {
            Self::Stdout => {
                fill_and_flush(fill, io::stdout().lock()).map(drop).context("writing to standard output")
            }
            Self::File(path) => write_whole(path, |out| pdiff::write_packed(path, out, fill))
                .with_context(|| format!("writing {}", path.display())),
        }
    }
}

/// A picture that was asked for, and where it goes; where there is nothing to draw, `why_not` is the error.
#[cfg(feature = "parquet")]
pub(crate) fn picture(
    path: Option<&Path>,
    option: &str,
    why_not: &str,
    draw: impl FnOnce() -> Result<Option<String>, pdiff::render::Error>,
) -> Result<Option<(Output, String)>> {
    let Some(path) = path else { return Ok(None) };
    let output = Output::new(Some(path))?;
    let svg = draw()?.with_context(|| format!("{option} {}: {why_not}", path.display()));
    Ok(Some((output, svg?)))
}

fn fill_and_flush<W: Write>(fill: impl FnOnce(&mut dyn Write) -> Result<()>, out: W) -> Result<W> {
    let mut buffered = io::BufWriter::with_capacity(BUFFER_BYTES, out);
    fill(&mut buffered)?;
    buffered.flush()?;
    Ok(buffered.into_inner().map_err(io::IntoInnerError::into_error)?)
}

/// Writes beside the file and renames, so that a reader never sees half of it. What is not a regular file (a pipe, a
/// device) is written unchanged.
fn write_whole(path: &Path, fill: impl FnOnce(&mut dyn Write) -> Result<()>) -> Result<()> {
    if std::fs::metadata(path).is_ok_and(|known| !known.is_file()) {
        return fill_and_flush(fill, std::fs::OpenOptions::new().write(true).open(path)?).map(drop);
    }
    let target = std::fs::canonicalize(path).unwrap_or_else(|_| path.to_owned());
    let directory = directory_of(&target);
    let mut builder = tempfile::Builder::new();
    #[cfg(unix)]
    builder.permissions(std::os::unix::fs::PermissionsExt::from_mode(0o666));
    // Errors are about the file asked for, not about the one beside it, which tempfile would name.
    std::fs::metadata(directory)?;
    let beside =
        builder.prefix(".pdiff-").tempfile_in(directory).map_err(|error| io::Error::from(error.kind()))?;
    let file = fill_and_flush(fill, beside)?;
    file.persist(&target).map_err(|error| error.error)?;
    Ok(())
}

fn directory_of(path: &Path) -> &Path {
    path.parent().filter(|parent| !parent.as_os_str().is_empty()).unwrap_or(Path::new("."))
}

/// Whether an error is that nobody reads any more: no trouble worth a word.
pub(crate) fn is_closed_pipe(error: &anyhow::Error) -> bool {
    let of_io = |cause: &(dyn std::error::Error + 'static)| {
        cause.downcast_ref::<io::Error>().is_some_and(|error| error.kind() == io::ErrorKind::BrokenPipe)
    };
    error.chain().any(of_io)
}
