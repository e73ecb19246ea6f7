//! Lines about the recording between the samples: `perf script --show-mmap-events`, `--show-task-events`,
//! `--show-lost-events` and similar.
//!
//! ```text
//! record = [comm] [ids] [cpu] [time] "PERF_RECORD_" name " " rest
//! MMAP2  = pid "/" tid ": [" start "(" length ") @ " offset (" <" build-id ">" | " " device " " inode " " generation)
//!          "]: " protection " " path
//! MMAP   = pid "/" tid ": [" start "(" length ") @ " offset "]: " ("x" | "r") " " path
//! LOST   = "lost " count
//! ```
//!
//! Real lines (perf 6.1.192, the second recorded with `--buildid-mmap`):
//!
//! ```text
//! prog x 12978   943.594475: PERF_RECORD_MMAP2 12978/12978: [0x561fb5dbf000(0x1000) @ 0x1000 fe:00 5357571 22570]: r-xp /opt/prog x
//!   987.913507: PERF_RECORD_MMAP2 13350/13350: [0x55c7062c8000(0x1000) @ 0x1000 <bebcb3fac025bc7c>]: r-xp /opt/prog x
//! ```
//!
//! Maps of code and LOST counts are kept; everything else is read over.

use memchr::memmem;

use crate::digits;

/// What a record line says.
#[derive(Clone, PartialEq, Eq, Debug)]
pub(super) enum RecordLine<'a> {
    /// Code was mapped.
    Map(MapLine<'a>),
    /// perf lost so many samples or events.
    Lost(u64),
    /// Nothing that matters here.
    Other,
}

/// Where an object was mapped.
#[derive(Clone, PartialEq, Eq, Debug)]
pub(super) struct MapLine<'a> {
    /// Process id; `None` for the kernel.
    pub(super) pid: Option<u32>,
    /// First address in the process.
    pub(super) start: u64,
    /// Length in bytes.
    pub(super) len: u64,
    /// Place in the file.
    pub(super) offset: u64,
    /// Build-id in hexadecimal, if printed.
    pub(super) build_id: Option<&'a [u8]>,
    /// Object, as in frames.
    pub(super) path: &'a [u8],
}

/// A record line; `None` if it is another line, or one of these cut short.
pub(super) fn parse(line: &[u8]) -> Option<RecordLine<'_>> {
    let (_, record) = split_once(line, b"PERF_RECORD_")?;
    let len = memchr::memchr(b' ', record).unwrap_or(record.len());
    let (name, rest) = record.split_at(len);
    match name {
        b"MMAP" | b"MMAP2" => parse_map(rest),
        b"LOST" | b"LOST_SAMPLES" => Some(RecordLine::Lost(parse_lost(rest))),
        _ => Some(RecordLine::Other),
    }
}

fn parse_lost(text: &[u8]) -> u64 {
    let numbers = text.split(|byte| !byte.is_ascii_digit());
    numbers.rev().find_map(digits::decimal).unwrap_or(0)
}

fn parse_map(text: &[u8]) -> Option<RecordLine<'_>> {
    let (ids, rest) = split_once(text, b": [")?;
    let (range, rest) = split_once(rest, b"]: ")?;
    let (protection, path) = split_once(rest, b" ")?;
    let (pid, _) = split_once(ids.trim_ascii(), b"/")?;
    let (start, range) = split_once(range, b"(")?;
    let (len, range) = split_once(range, b") @ ")?;
    let (offset, id) = split_once(range, b" ").unwrap_or((range, b""));
    let build_id = id.strip_prefix(b"<").and_then(|id| id.strip_suffix(b">"));
    let map = MapLine {
        pid: digits::decimal(pid).and_then(|pid| u32::try_from(pid).ok()),
        start: parse_address(start)?,
        len: parse_address(len)?,
        offset: parse_address(offset)?,
        build_id,
        path: object_path(path.trim_ascii_end()),
    };
    let is_code = protection.contains(&b'x') || map.pid.is_none();
    Some(if is_code { RecordLine::Map(map) } else { RecordLine::Other })
}

/// The kernel's map is named `[kernel.kallsyms]_text`, its frames `[kernel.kallsyms]`.
fn object_path(path: &[u8]) -> &[u8] {
    match path.strip_suffix(b"]_text").or_else(|| path.strip_suffix(b"]_stext")) {
        Some(name) if path.starts_with(b"[") => path.get(..=name.len()).unwrap_or(path),
        _ => path,
    }
}

fn parse_address(text: &[u8]) -> Option<u64> {
    digits::hexadecimal(text.strip_prefix(b"0x").unwrap_or(text))
}

fn split_once<'a>(text: &'a [u8], separator: &[u8]) -> Option<(&'a [u8], &'a [u8])> {
    let at = memmem::find(text, separator)?;
    Some((text.get(..at)?, text.get(at + separator.len()..)?))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn map(pid: Option<u32>, start: u64, offset: u64, path: &'static str) -> MapLine<'static> {
        MapLine { pid, start, len: 0x1000, offset, build_id: None, path: path.as_bytes() }
    }

    #[test]
    fn maps_of_code_are_kept() {
        let check = |line: &str, expected: MapLine<'_>| {
            assert_eq!(parse(line.as_bytes()), Some(RecordLine::Map(expected)), "{line}");
        };
        check(
            "a b 7 1.000001: PERF_RECORD_MMAP2 7/8: [0x5000(0x1000) @ 0x1000 fe:00 535 225]: r-xp /w/prog x",
            map(Some(7), 0x5000, 0x1000, "/w/prog x"),
        );
        check(
            "PERF_RECORD_MMAP2 7/8: [0x5000(0x1000) @ 0 <bebc>]: r-xp /w/a]: b",
            MapLine { build_id: Some(b"bebc"), ..map(Some(7), 0x5000, 0, "/w/a]: b") },
        );
        check(
            "swapper 0 0.000000: PERF_RECORD_MMAP -1/0: [0xffff(0x1000) @ 0xffff]: x [kernel.kallsyms]_text",
            map(None, 0xffff, 0xffff, "[kernel.kallsyms]"),
        );
    }

    #[test]
    fn other_records_are_told_from_other_lines() {
        let check = |line: &str, expected| assert_eq!(parse(line.as_bytes()), expected, "{line}");
        check("x 1.000001: PERF_RECORD_LOST lost 12", Some(RecordLine::Lost(12)));
        check("x 1.000001: PERF_RECORD_COMM: w (1) 2/3:4:13350/13352", Some(RecordLine::Other));
        check("x 1.000001: PERF_RECORD_FORK(13350:13352):(13350:13350)", Some(RecordLine::Other));
        check("PERF_RECORD_MMAP2 7/8: [0x5000(0x1000) @ 0 00:00 0 0]: rw-p /dev/x", Some(RecordLine::Other));
        check("PERF_RECORD_MMAP2 7/8: [0x5000(0x10", None);
        check("x 1 1.000001: cycles:", None);
    }
}
