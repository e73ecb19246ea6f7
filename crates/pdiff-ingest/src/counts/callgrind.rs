//! Output of `valgrind --tool=callgrind`, version 1 of its format.
//!
//! ```text
//! # callgrind format
//! events: Ir
//! fn=(552) lookup
//! 8 2000
//! cfi=(3) a.c
//! cfn=(554) leaf
//! calls=63 3
//! * 151452
//! ```
//!
//! A name is written unchanged, or once as `(id) name` and then as `(id)`; ids of functions, files and objects are counted
//! apart and continue over the parts of a file. A line `calls=N` counts calls of the last `cfn=` from the last `fn=`. Costs
//! are not read; the line behind `calls=` is the callee's cost. `fi=` and `fe=` say where inlined code is from: they change
//! no function. `foo'2` is `foo` called from itself.

use pdiff_profile::names::is_split_part;
use pdiff_profile::{CallSource, CountedCalls};
use rustc_hash::FxHashMap;

use super::{CountsFileError, count, qualified};

pub(super) fn is_format<'a>(lines: impl Iterator<Item = &'a str>) -> bool {
    let mut has_events = false;
    for line in lines {
        if line.starts_with("# callgrind format") {
            return true;
        }
        has_events |= line.starts_with("events:");
        if has_events && line.starts_with("fn=") {
            return true;
        }
    }
    false
}

pub(super) fn parse(text: &str) -> Result<CountedCalls, CountsFileError> {
    let mut counts = CountedCalls::new(CallSource::Callgrind);
    let mut names: FxHashMap<&str, Box<str>> = FxHashMap::default();
    let (mut function, mut callee): (Option<Name>, Option<Name>) = (None, None);
    for (index, line) in text.lines().enumerate() {
        let malformed = |expected| CountsFileError::Malformed {
            line: index + 1,
            expected,
            source_format: CallSource::Callgrind,
        };
        let unknown_id = "a name, or the id of a name given before";
        if let Some(name) = line.strip_prefix("fn=") {
            function = Some(Name::new(known(name, &mut names).ok_or_else(|| malformed(unknown_id))?));
        } else if let Some(name) = line.strip_prefix("cfn=") {
            callee = Some(Name::new(known(name, &mut names).ok_or_else(|| malformed(unknown_id))?));
        } else if let Some(rest) = line.strip_prefix("calls=") {
            let calls = rest.split_whitespace().next().and_then(count);
            let calls = calls.ok_or_else(|| malformed("a number of calls"))?;
            let (Some(caller), Some(callee)) = (&function, callee.take()) else {
                return Err(malformed("calls behind fn= and cfn="));
            };
            // A function that continues in a part of itself was called once; a part that calls itself is recursion.
            if !callee.is_part || caller.is_part || callee.name != caller.name {
                counts.add_entries(&caller.name, &callee.name, calls);
            }
        }
    }
    Ok(counts)
}

/// A function, or a part that the compiler split off.
struct Name {
    name: Box<str>,
    is_part: bool,
}

impl Name {
    fn new(written: &str) -> Self {
        let symbol = without_depth(written);
        Self { name: qualified(symbol), is_part: is_split_part(symbol) }
    }
}

/// `foo'2` without its depth of recursion.
fn without_depth(name: &str) -> &str {
    match name.rsplit_once('\'') {
        Some((base, depth)) if !depth.is_empty() && depth.bytes().all(|byte| byte.is_ascii_digit()) => base,
        _ => name,
    }
}

/// The name that is written, or that its id represents.
fn known<'a, 'n>(written: &'a str, names: &'n mut FxHashMap<&'a str, Box<str>>) -> Option<&'n str>
where
    'a: 'n,
{
    let written = written.trim();
    let compressed = written.strip_prefix('(').and_then(|rest| rest.split_once(')'));
    let id = compressed.filter(|(id, _)| !id.is_empty() && id.bytes().all(|byte| byte.is_ascii_digit()));
    match id {
        None => Some(written).filter(|name| !name.is_empty()),
        Some((id, name)) => {
            if !name.trim().is_empty() {
                names.insert(id, name.trim().into());
            }
            names.get(id).map(AsRef::as_ref)
        }
    }
}
