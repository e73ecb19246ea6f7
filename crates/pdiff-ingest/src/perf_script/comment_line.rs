//! Comment lines: `perf script --header` writes facts about the recording as `# key : value`.
//!
//! A real line (perf 6.1.192): `# os release : 6.18.44`.

/// Whether a line is a comment, and not a thread whose name begins so.
pub(crate) fn is_comment(line: &[u8]) -> bool {
    matches!(line, [b'#'] | [b'#', b' ' | b'\r', ..])
}

/// Key and value; `None` for comments without them.
pub(super) fn parse(line: &[u8]) -> Option<(String, String)> {
    let text = String::from_utf8_lossy(line.get(1..)?);
    let (key, value) = text.split_once(" : ")?;
    Some((key.trim().into(), value.trim().into()))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn keys_and_values_are_split_at_the_first_colon_between_blanks() {
        let pair = |key: &str, value: &str| Some((key.into(), value.into()));
        assert_eq!(parse(b"# captured on    : Fri 18:17"), pair("captured on", "Fri 18:17"));
        assert_eq!(parse(b"# cmdline : perf record -- a : b\r"), pair("cmdline", "perf record -- a : b"));
        assert_eq!(parse(b"# ========"), None);
        assert!(!is_comment(b"#x 12 1.000001: cycles: "));
    }
}
