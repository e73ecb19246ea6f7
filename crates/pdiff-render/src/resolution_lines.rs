//! Resolutions of addresses as text: addr2line's format for readers, JSON Lines for programs.

use std::fmt::Write;

use pdiff_profile::{InlineFrame, ObjectAddr, Resolution};
use serde::Serialize;

use crate::document::visible_text::visible;
use crate::error::Error;
use crate::files::written_bytes::json_refused;

/// One line of `pdiff symbolize --format json`.
#[derive(Serialize)]
struct AddressLine<'a> {
    /// Address in the ELF file's own space, in hexadecimal.
    address: String,
    /// Outermost first; empty where nothing covers the address.
    frames: Vec<FrameEntry<'a>>,
    /// Why there are no frames.
    #[serde(skip_serializing_if = "Option::is_none")]
    unresolved_reason: Option<&'a str>,
}

/// One function of an inline chain.
#[derive(Serialize)]
struct FrameEntry<'a> {
    /// Qualified name without parameters.
    function: &'a str,
    /// Mangled name.
    #[serde(skip_serializing_if = "Option::is_none")]
    linkage_name: Option<&'a str>,
    /// Source file, `..` folded.
    #[serde(skip_serializing_if = "Option::is_none")]
    file: Option<&'a str>,
    /// Line of the address in the innermost frame, of the call in the others.
    #[serde(skip_serializing_if = "Option::is_none")]
    line: Option<u32>,
    /// Its code is inside that of the frame before.
    inlined: bool,
}

impl<'a> FrameEntry<'a> {
    fn new(frame: &'a InlineFrame) -> Self {
        Self {
            function: &frame.name,
            linkage_name: frame.linkage_name.as_deref(),
            file: frame.file.as_deref(),
            line: frame.line,
            inlined: frame.inlined,
        }
    }
}

/// One JSON object per line for each address, in the order given.
///
/// # Errors
/// If a line cannot be written as JSON.
pub fn resolution_json_lines(addrs: &[ObjectAddr], resolutions: &[Resolution]) -> Result<Vec<u8>, Error> {
    let mut lines = Vec::new();
    for (addr, resolution) in addrs.iter().zip(resolutions) {
        let (frames, unresolved_reason) = match resolution {
            Resolution::Resolved(chain) => (chain.frames().iter().map(FrameEntry::new).collect(), None),
            Resolution::Unresolved(reason) => (Vec::new(), Some(reason.as_str())),
        };
        let line = AddressLine { address: format!("{addr:#x}"), frames, unresolved_reason };
        serde_json::to_writer(&mut lines, &line).map_err(json_refused)?;
        lines.push(b'\n');
    }
    Ok(lines)
}

/// As `addr2line -f -i -C` prints: two lines per function, innermost first; a blank line between addresses.
///
/// ```
/// use pdiff_profile::{Reason, Resolution};
/// let text = pdiff_render::resolution_text(&[Resolution::Unresolved(Reason::NoSymbol)]);
/// assert_eq!(text, "??\n??:0\n");
/// ```
#[must_use]
pub fn resolution_text(resolutions: &[Resolution]) -> String {
    let mut text = String::new();
    for resolution in resolutions {
        if !text.is_empty() {
            text.push('\n');
        }
        add_block(&mut text, resolution);
    }
    text
}

fn add_block(text: &mut String, resolution: &Resolution) {
    let Resolution::Resolved(chain) = resolution else { return text.push_str("??\n??:0\n") };
    for frame in chain.frames().iter().rev() {
        let file = frame.file.as_deref().unwrap_or("??");
        for part in [&visible(&frame.name), "\n", &visible(file), ":"] {
            text.push_str(part);
        }
        // Writing to a String cannot fail.
        let _ = match frame.line {
            Some(line) => writeln!(text, "{line}"),
            None => writeln!(text, "?"),
        };
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use pdiff_profile::{InlineChain, Reason};

    fn frame(name: &str, line: Option<u32>, inlined: bool) -> InlineFrame {
        let file = line.map(|_| "a.cc".into());
        InlineFrame { name: name.into(), linkage_name: None, file, line, inlined }
    }

    #[test]
    fn text_is_innermost_first_and_json_outermost_first() {
        let chain =
            InlineChain::new(vec![frame("main", Some(7), false), frame("leaf", Some(3), true)]).unwrap();
        let resolutions = [Resolution::Resolved(chain), Resolution::Unresolved(Reason::NoSymbol)];
        assert_eq!(resolution_text(&resolutions), "leaf\na.cc:3\nmain\na.cc:7\n\n??\n??:0\n");
        let json = resolution_json_lines(&[ObjectAddr(16), ObjectAddr(0)], &resolutions).unwrap();
        assert_eq!(
            String::from_utf8(json).unwrap(),
            "{\"address\":\"0x10\",\"frames\":[{\"function\":\"main\",\"file\":\"a.cc\",\"line\":7,\"inlined\":false},\
             {\"function\":\"leaf\",\"file\":\"a.cc\",\"line\":3,\"inlined\":true}]}\n\
             {\"address\":\"0x0\",\"frames\":[],\"unresolved_reason\":\"no-symbol\"}\n"
        );
    }
}
