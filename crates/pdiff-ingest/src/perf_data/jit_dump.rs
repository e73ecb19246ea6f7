//! Functions that a program made at run time, and when: the `jit-PID.dump` that its runtime wrote.
//!
//! ```text
//! file   = magic:u32="JiTD" version:u32 header-size:u32 machine:u32 padding:u32 pid:u32 time:u64 flags:u64 record*
//! record = kind:u32 size:u32 time:u64 body                                   size with these 16 bytes
//! LOAD   = pid:u32 tid:u32 vma:u64 start:u64 code-size:u64 index:u64 name code      the name ends at a NUL
//! MOVE   = pid:u32 tid:u32 vma:u64 old-start:u64 start:u64 code-size:u64 index:u64
//! ```
//!
//! (`tools/perf/Documentation/jitdump-specification.txt`.) The runtime maps the file, so the recording names its path. Code
//! memory is reused for other functions: the function at an address depends on the time, and both files use the same clock
//! only if `perf record -k 1` was used. Lines and unwind tables are skipped.
//!
//! linux-perf-data reads these files, too. It allocates as much as a damaged record asks for, and depends on six packages.

use std::collections::BTreeMap;
use std::fs::File;
use std::io::{self, Read};
use std::path::{Path, PathBuf};

use rustc_hash::{FxHashMap, FxHashSet};

use super::byte_stream::ByteStream;
use super::fields::{ByteOrder, Fields, until_nul};

const MAGIC: [u8; 4] = *b"JiTD";
const HEAD_BYTES: usize = 40;
const RECORD_HEAD_BYTES: usize = 16;
/// The size of the fields before the name of a LOAD, and of a whole MOVE.
const LOAD_BYTES: usize = 40;
const MOVE_BYTES: usize = 48;
/// The most bytes of a name.
const MAX_NAME_BYTES: usize = 4096;
/// The most functions of one file.
const MAX_FUNCTIONS: usize = 1 << 20;
/// The most files that are read: a machine has fewer such processes.
const MAX_FILES: usize = 1 << 12;
/// `flags`: times are of the processor's counter.
const PROCESSOR_TIMES: u64 = 1;

mod kind {
    pub(super) const LOAD: u32 = 0;
    pub(super) const MOVE: u32 = 1;
    pub(super) const CLOSE: u32 = 3;
}

/// A function, from when on and where.
#[derive(Clone, PartialEq, Eq, Debug)]
pub(super) struct LoadedCode {
    pub(super) time_ns: u64,
    pub(super) start: u64,
    pub(super) len: u64,
    pub(super) name: Box<str>,
}

/// Why a file says nothing.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum Unusable {
    /// It is not there, or no such file.
    Unreadable,
    /// Its times cannot be compared with the recording's.
    OtherClock,
}

/// A file that says nothing.
#[derive(Clone, PartialEq, Eq, Debug)]
pub(super) struct Unused {
    pub(super) path: String,
    pub(super) why: Unusable,
}

/// The code of all processes that will be loaded, in the order of time.
#[derive(Debug, Default)]
pub(super) struct JitCode {
    /// By time, and by the order in which it became known.
    to_come: BTreeMap<(u64, u64), (u32, LoadedCode)>,
    known: u64,
    /// The files already read, because a damaged recording may name a file again and again.
    read: FxHashSet<(u32, PathBuf)>,
    pub(super) unused: Vec<Unused>,
}

impl JitCode {
    /// Reads a file that a process mapped.
    pub(super) fn add(&mut self, pid: u32, path: &Path, is_monotonic: bool) {
        let is_too_much = self.read.len() >= MAX_FILES || self.to_come.len() >= MAX_FUNCTIONS;
        if is_too_much || !self.read.insert((pid, path.to_owned())) {
            return;
        }
        let loaded = if is_monotonic { read(path) } else { Err(Unusable::OtherClock) };
        match loaded {
            Ok(loaded) => {
                for code in loaded {
                    self.known += 1;
                    self.to_come.insert((code.time_ns, self.known), (pid, code));
                }
            }
            Err(why) => {
                let unused = Unused { path: path.display().to_string(), why };
                self.unused.push(unused);
            }
        }
    }

    /// The next code that is there at a time, and whose it is.
    #[inline]
    pub(super) fn next_at(&mut self, time_ns: u64) -> Option<(u32, LoadedCode)> {
        let first = self.to_come.first_entry().filter(|first| first.key().0 <= time_ns)?;
        Some(first.remove())
    }
}

/// Whether a mapped file is one of these.
pub(super) fn is_jit_dump(path: &[u8]) -> bool {
    let name = path.rsplit(|byte| *byte == b'/').next().unwrap_or(path);
    let pid = name.strip_prefix(b"jit-").and_then(|rest| rest.strip_suffix(b".dump"));
    pid.is_some_and(|pid| !pid.is_empty() && pid.iter().all(u8::is_ascii_digit))
}

/// Reads a file: its functions in the order in which they are there.
fn read(path: &Path) -> Result<Vec<LoadedCode>, Unusable> {
    // Reading what is not a file, a pipe say, may never end.
    let is_file = std::fs::metadata(path).is_ok_and(|meta| meta.is_file());
    let file = is_file.then(|| File::open(path).ok()).flatten().ok_or(Unusable::Unreadable)?;
    parse(&mut ByteStream::new(file)).map_err(|_| Unusable::Unreadable)?
}

fn parse<R: Read>(stream: &mut ByteStream<R>) -> io::Result<Result<Vec<LoadedCode>, Unusable>> {
    let head = stream.peek(HEAD_BYTES)?;
    let order = match head.get(..4).and_then(|magic| <[u8; 4]>::try_from(magic).ok()) {
        // Written as one number: little-endian machines begin with its last letter.
        Some(magic) if magic == MAGIC => ByteOrder::Big,
        Some([d, t, i, j]) if [j, i, t, d] == MAGIC => ByteOrder::Little,
        _ => return Ok(Err(Unusable::Unreadable)),
    };
    let mut fields = Fields::new(head, order);
    let head = (|| {
        fields.skip(8)?;
        let head_bytes = fields.number32()?;
        fields.skip(20)?;
        Some((head_bytes, fields.number64()?))
    })();
    let Some((head_bytes, flags)) = head else { return Ok(Err(Unusable::Unreadable)) };
    if flags & PROCESSOR_TIMES != 0 {
        return Ok(Err(Unusable::OtherClock));
    }
    stream.skip(u64::from(head_bytes))?;
    records(stream, order).map(Ok)
}

fn records<R: Read>(stream: &mut ByteStream<R>, order: ByteOrder) -> io::Result<Vec<LoadedCode>> {
    let mut loaded: Vec<LoadedCode> = Vec::new();
    let mut by_index: FxHashMap<u64, Box<str>> = FxHashMap::default();
    while loaded.len() < MAX_FUNCTIONS {
        let mut fields = Fields::new(stream.peek(RECORD_HEAD_BYTES)?, order);
        let head = (|| Some((fields.number32()?, fields.number32()?, fields.number64()?)))();
        let Some((kind, size, time_ns)) = head else { break };
        let Some(body_bytes) = (size as usize).checked_sub(RECORD_HEAD_BYTES) else { break };
        stream.consume(RECORD_HEAD_BYTES);
        let body = stream.peek(body_bytes.min(MOVE_BYTES + MAX_NAME_BYTES))?;
        match kind {
            kind::LOAD => {
                if let Some((code, index)) = load(body, time_ns, order) {
                    by_index.insert(index, code.name.clone());
                    loaded.push(code);
                }
            }
            kind::MOVE => loaded.extend(moved(body, time_ns, &by_index, order)),
            kind::CLOSE => break,
            _ => {}
        }
        stream.skip(body_bytes as u64)?;
    }
    loaded.sort_by_key(|code| code.time_ns);
    Ok(loaded)
}

fn load(body: &[u8], time_ns: u64, order: ByteOrder) -> Option<(LoadedCode, u64)> {
    let mut fields = Fields::new(body, order);
    fields.skip(16)?;
    let (start, len, index) = (fields.number64()?, fields.number64()?, fields.number64()?);
    let name = String::from_utf8_lossy(until_nul(body.get(LOAD_BYTES..)?)).into();
    Some((LoadedCode { time_ns, start, len, name }, index))
}

fn moved(
    body: &[u8],
    time_ns: u64,
    by_index: &FxHashMap<u64, Box<str>>,
    order: ByteOrder,
) -> Option<LoadedCode> {
    let mut fields = Fields::new(body, order);
    fields.skip(24)?;
    let (start, len, index) = (fields.number64()?, fields.number64()?, fields.number64()?);
    Some(LoadedCode { time_ns, start, len, name: by_index.get(&index)?.clone() })
}

#[cfg(test)]
mod tests {
    use super::*;

    /// A file whose numbers are written by `number32` and `number64`.
    fn file(number32: fn(u32) -> [u8; 4], number64: fn(u64) -> [u8; 8], flags: u64) -> Vec<u8> {
        let numbers32 =
            |numbers: &[u32]| numbers.iter().flat_map(|number| number32(*number)).collect::<Vec<_>>();
        let numbers64 =
            |numbers: &[u64]| numbers.iter().flat_map(|number| number64(*number)).collect::<Vec<_>>();
        let record = |kind: u32, time: u64, body: &[u8]| {
            [numbers32(&[kind, 16 + body.len() as u32]), numbers64(&[time]), body.to_vec()].concat()
        };
        let load = |time, start, index, name: &str| {
            let numbers = [numbers32(&[7, 7]), numbers64(&[start, start, 4, index])].concat();
            record(kind::LOAD, time, &[&numbers[..], name.as_bytes(), b"\0\x90\x90\x90\xc3"].concat())
        };
        let magic = u32::from_be_bytes(MAGIC);
        let head = [numbers32(&[magic, 1, 40, 62, 0, 7]), numbers64(&[1, flags])].concat();
        let moved = [numbers32(&[7, 7]), numbers64(&[0, 0x1000, 0x2000, 4, 1])].concat();
        let debug_info = numbers64(&[0x1000, u64::MAX]);
        let close = record(kind::CLOSE, 40, &[]);
        let parts =
            [head, load(20, 0x1000, 2, "later"), record(2, 9, &debug_info), load(10, 0x1000, 1, "first")];
        [&parts[..], &[record(kind::MOVE, 30, &moved), close, load(50, 0, 3, "closed")]].concat().concat()
    }

    fn check(bytes: &[u8]) -> Result<Vec<(u64, u64, String)>, Unusable> {
        let loaded = parse(&mut ByteStream::new(bytes)).expect("bytes can be read")?;
        Ok(loaded.iter().map(|code| (code.time_ns, code.start, code.name.to_string())).collect())
    }

    #[test]
    fn functions_come_in_the_order_of_time_in_both_byte_orders() {
        for bytes in
            [file(u32::to_le_bytes, u64::to_le_bytes, 0), file(u32::to_be_bytes, u64::to_be_bytes, 0)]
        {
            let expected = [(10, 0x1000, "first"), (20, 0x1000, "later"), (30, 0x2000, "first")]
                .map(|(time, start, name)| (time, start, name.to_owned()));
            assert_eq!(check(&bytes), Ok(expected.to_vec()));
            for len in HEAD_BYTES..bytes.len() {
                assert!(check(&bytes[..len]).is_ok(), "{len}");
            }
        }
    }

    #[test]
    fn what_cannot_be_used_says_why() {
        assert_eq!(check(b"no such file"), Err(Unusable::Unreadable));
        assert_eq!(check(&file(u32::to_le_bytes, u64::to_le_bytes, 1)), Err(Unusable::OtherClock));
    }

    #[test]
    fn damaged_files_lose_functions_and_no_more() {
        let whole = file(u32::to_le_bytes, u64::to_le_bytes, 0);
        for at in HEAD_BYTES..whole.len() {
            for byte in [0, 0x7f, 0xff] {
                let mut damaged = whole.clone();
                damaged[at] = byte;
                assert!(check(&damaged).expect("its head is whole").len() <= 4, "{at}");
            }
        }
    }

    #[test]
    fn the_file_is_known_by_its_name() {
        assert!(is_jit_dump(b"/home/x/.debug/jit/a/jit-4711.dump"));
        assert!(!is_jit_dump(b"/tmp/jit-.dump") && !is_jit_dump(b"/tmp/jit-4711.dump.gz"));
    }
}
