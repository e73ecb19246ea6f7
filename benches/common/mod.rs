//! Inputs of the benches, made of the captures in `fixtures/mysql`.

use std::io::{BufWriter, Write};
use std::path::Path;

use tempfile::NamedTempFile;

/// How one copy of the captures differs from the one before it.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(crate) enum Copies {
    /// Not at all.
    Alike,
    /// Every user address moves, so that no line repeats across copies.
    Perturbed,
}

/// The captures of a build (`57`, `80`) one after another until there are `megabytes` of text.
pub(crate) fn perf_text(builds: &[&str], megabytes: usize, copies: Copies) -> NamedTempFile {
    let directory = Path::new(env!("CARGO_MANIFEST_DIR")).join("fixtures/mysql");
    let captures: Vec<Vec<u8>> = builds
        .iter()
        .flat_map(|build| (1..=3).map(move |run| format!("{build}-aligned-r{run}.perf.zst")))
        .map(|name| {
            let packed = std::fs::File::open(directory.join(name)).expect("the captures are there");
            zstd::decode_all(packed).expect("the captures are whole")
        })
        .collect();
    let file = NamedTempFile::new().expect("a temporary file can be made");
    let mut out = BufWriter::new(file.as_file());
    let mut written = 0;
    for (copy, text) in captures.iter().cycle().enumerate() {
        if written >= megabytes * 1_000_000 {
            break;
        }
        match copies {
            Copies::Alike => out.write_all(text).expect("the disk has room"),
            Copies::Perturbed => write_perturbed(&mut out, text, copy / captures.len()),
        }
        written += text.len();
    }
    out.flush().expect("the disk has room");
    drop(out);
    file
}

/// Writes a capture with every address of its frames moved by 16 bytes a copy, text as long as before.
fn write_perturbed(out: &mut impl Write, text: &[u8], copy: usize) {
    for line in text.split_inclusive(|byte| *byte == b'\n') {
        let indent = line.iter().take_while(|byte| byte.is_ascii_whitespace()).count();
        let digits = line[indent..].iter().take_while(|byte| byte.is_ascii_hexdigit()).count();
        let address = std::str::from_utf8(&line[indent..indent + digits]).ok();
        let address = address.and_then(|digits| u64::from_str_radix(digits, 16).ok());
        match address.filter(|_| indent > 0 && digits > 3 && line.get(indent + digits) == Some(&b' ')) {
            Some(address) => {
                let moved = address.wrapping_add(16 * copy as u64);
                let width = digits;
                out.write_all(&line[..indent])
                    .and_then(|()| write!(out, "{moved:0width$x}"))
                    .and_then(|()| out.write_all(&line[indent + digits..]))
            }
            None => out.write_all(line),
        }
        .expect("the disk has room");
    }
}
