//! Text that every terminal shows as it is.

/// Whether a text has printable ASCII characters alone. It is asked of every name that is printed, so it stands here, among the
/// code that is compiled for speed.
///
/// ```
/// use pdiff_profile::is_printable_ascii;
///
/// assert!(is_printable_ascii("std::vector<int>::size") && is_printable_ascii(""));
/// assert!(!is_printable_ascii("a\tb") && !is_printable_ascii("größe") && !is_printable_ascii("\u{7f}"));
/// ```
#[must_use]
pub fn is_printable_ascii(text: &str) -> bool {
    text.bytes().all(|byte| matches!(byte, b' '..=b'~'))
}
