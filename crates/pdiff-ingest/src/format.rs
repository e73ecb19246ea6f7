//! The kind of an input, from its first bytes: perf script text, folded stacks, another format of recording, a flame graph,
//! or a file that is mistaken for a recording.

use std::fmt;

use crate::flame_graph::is_svg;
use crate::folded;
use crate::perf_data::is_perf_data;
use crate::perf_script;
use crate::pprof::is_pprof;

/// How many bytes are looked at.
pub(crate) const SNIFF_BYTES: usize = 64 * 1024;

/// How many lines of a text are looked at to tell folded stacks from perf script text.
const SNIFF_LINES: usize = 20;

/// A form that can be read.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum Format {
    /// `perf script` text.
    PerfScript,
    /// `a;b;c 12`.
    Folded,
    /// What `perf record` writes.
    PerfData,
    /// `profile.proto`.
    Pprof,
    /// A flame graph as SVG.
    FlameGraph,
}

/// Something else than a recording's text.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
#[non_exhaustive]
pub enum WrongKind {
    /// An ELF file.
    Elf,
    /// Something with NUL bytes.
    Binary,
    /// A zip archive.
    Zip,
    /// A page of HTML or XML.
    Markup,
    /// JSON.
    Json,
    /// What `perf report --stdio` prints.
    PerfReport,
    /// The text form of gperftools' heap profiles.
    Pprof,
    /// Packed by bzip2.
    Bzip2,
    /// Packed by lz4.
    Lz4,
}

impl WrongKind {
    /// Advice for the user; `path` is the source as a command takes it.
    pub(crate) fn hint(self, path: &str) -> String {
        match self {
            Self::PerfReport => "give the text of `perf script`, which lists the samples".into(),
            Self::Elf => {
                "give the recording here, and the program's file where binaries are asked for".into()
            }
            Self::Bzip2 => unpack("bzip2", path),
            Self::Lz4 => unpack("lz4", path),
            Self::Json => {
                "of other profilers pdiff reads folded stacks, pprof and flame graphs (SVG): export one of these".into()
            }
            Self::Markup => {
                "a flame graph is read if it is a whole SVG picture; other pages have no samples".into()
            }
            _ => "make the text with `perf script -i perf.data > out.perf`".into(),
        }
    }
}

fn unpack(tool: &str, path: &str) -> String {
    format!("unpack it with `{tool} -dc {path} > {path}.perf`; gzip, zstd and xz are read as they are")
}

impl fmt::Display for WrongKind {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::Elf => "an ELF file",
            Self::Binary => "binary data",
            Self::Zip => "a zip archive",
            Self::Markup => "a page of HTML or XML",
            Self::Json => "JSON",
            Self::PerfReport => "the text of perf report",
            Self::Pprof => "a heap profile in the text form of gperftools",
            Self::Bzip2 => "packed with bzip2",
            Self::Lz4 => "packed with lz4",
        })
    }
}

/// The format of `start`, the first bytes of an input.
pub(crate) fn detect(start: &[u8]) -> Result<Format, WrongKind> {
    if is_perf_data(start) {
        return Ok(Format::PerfData);
    }
    if is_pprof(start) {
        return Ok(Format::Pprof);
    }
    if is_svg(start) {
        return Ok(Format::FlameGraph);
    }
    if let Some(kind) = wrong_kind(start) {
        return Err(kind);
    }
    Ok(if is_folded(start) { Format::Folded } else { Format::PerfScript })
}

fn wrong_kind(start: &[u8]) -> Option<WrongKind> {
    let magics: [(&[u8], WrongKind); 5] = [
        (b"\x7fELF", WrongKind::Elf),
        (b"PK\x03\x04", WrongKind::Zip),
        (b"--- heapz", WrongKind::Pprof),
        (b"\x04\x22\x4d\x18", WrongKind::Lz4),
        // Level 9 is what bzip2 takes unless told otherwise; the block's mark follows.
        (b"BZh91AY&SY", WrongKind::Bzip2),
    ];
    if let Some((_, kind)) = magics.iter().find(|(magic, _)| start.starts_with(magic)) {
        return Some(*kind);
    }
    let text = start.trim_ascii_start();
    match text.first() {
        _ if start.contains(&0) => Some(WrongKind::Binary),
        Some(b'<' | b'{') if begins_with_place(text) && is_folded(start) => None,
        Some(b'<') => Some(WrongKind::Markup),
        Some(b'{') => Some(WrongKind::Json),
        Some(b'[') if text.get(1..).is_some_and(opens_json_value) => Some(WrongKind::Json),
        _ if start.starts_with(b"# To display the perf.data header info") => Some(WrongKind::PerfReport),
        _ => None,
    }
}

/// Whether a word in brackets comes first: Python's outermost function is `<module>`, PHP's `{main}`.
fn begins_with_place(text: &[u8]) -> bool {
    let inside = text.get(1..).unwrap_or_default();
    let word = inside.iter().take_while(|byte| byte.is_ascii_alphanumeric() || **byte == b'_').count();
    word > 0 && matches!(inside.get(word), Some(b'>' | b'}'))
}

fn opens_json_value(text: &[u8]) -> bool {
    matches!(text.trim_ascii_start().first(), Some(b'{' | b'"' | b'['))
}

/// Whether the first lines all are `frames number`, and none of them a line of perf script.
fn is_folded(start: &[u8]) -> bool {
    let is_comment = |line: &&[u8]| line.is_empty() || line.starts_with(b"#");
    let whole_lines = match memchr::memrchr(b'\n', start) {
        Some(end) if start.len() >= SNIFF_BYTES => start.get(..end).unwrap_or(start),
        _ => start,
    };
    let mut lines = whole_lines
        .split(|byte| *byte == b'\n')
        .map(<[u8]>::trim_ascii_end)
        .filter(|line| !is_comment(line))
        .take(SNIFF_LINES)
        .peekable();
    let is_folded_line = |line: &[u8]| {
        !line.starts_with(b"\t") && folded::split_line(line).is_some() && !perf_script::is_header_line(line)
    };
    lines.peek().is_some() && lines.all(is_folded_line)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn texts_are_told_apart_by_their_first_lines() {
        let check = |text: &str, expected| assert_eq!(detect(text.as_bytes()), expected, "{text:?}");
        check("a;b;c 12\nmain 5\n", Ok(Format::Folded));
        check("<module> (s.py:11);inner (s.py:3) 5\n", Ok(Format::Folded));
        check("{main};b 5\n", Ok(Format::Folded));
        check("<p>of 5\n<br>\n", Err(WrongKind::Markup));
        check("# made by inferno\na b;operator new (x) 1.5\r\n", Ok(Format::Folded));
        check("x 12 [000] 1.000001: 1 cycles: \n\t 12 a (b)\n", Ok(Format::PerfScript));
        check("          x 12 1.000001: 1 cycles:   12 a 5\n", Ok(Format::PerfScript));
        check("any text at all\n", Ok(Format::PerfScript));
        check("", Ok(Format::PerfScript));
        check("PERFILE2\0\0", Ok(Format::PerfData));
        check("2ELIFREP\0\0", Ok(Format::PerfData));
        check("\x7fELF\x02", Err(WrongKind::Elf));
        check("  <!doctype html>", Err(WrongKind::Markup));
        check("<?xml version=\"1.0\"?>\n<svg width=\"1200\">", Ok(Format::FlameGraph));
        check("<?xml version=\"1.0\"?>\n<plist/>", Err(WrongKind::Markup));
        check("{\"a\":1}", Err(WrongKind::Json));
        check("[{\"a\":1}]", Err(WrongKind::Json));
        check("ab\0", Err(WrongKind::Binary));
        check("\n\x04\x08\x01\x10\x02\x12\x00", Ok(Format::Pprof));
        check("\n\tmain;work 3\n", Ok(Format::PerfScript));
        check("[000] 1.000001: cycles: \n", Ok(Format::PerfScript));
    }
}
