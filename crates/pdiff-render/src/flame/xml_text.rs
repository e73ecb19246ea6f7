//! Text of unknown origin inside XML: nothing about it is markup, and no character that XML forbids is left.

use std::borrow::Cow;
use std::fmt::Write as _;

use crate::document::visible_text::visible;

/// The text as a reader may see it: what is invisible, or not allowed in XML, is spelled out.
pub(crate) fn plain(text: &str) -> Cow<'_, str> {
    let shown = visible(text);
    if !shown.chars().any(is_forbidden) {
        return shown;
    }
    let mut spelled = String::with_capacity(shown.len() + 8);
    for c in shown.chars() {
        // Writing to a String cannot fail.
        let _ = if is_forbidden(c) {
            write!(spelled, "\\u{{{:x}}}", u32::from(c))
        } else {
            spelled.write_char(c)
        };
    }
    Cow::Owned(spelled)
}

/// Not a `Char` of XML 1.0, or a direction of writing that would turn the text around it.
fn is_forbidden(c: char) -> bool {
    let is_control = c < ' ' || ('\u{7f}'..='\u{9f}').contains(&c);
    let is_direction =
        matches!(c, '\u{200e}' | '\u{200f}' | '\u{202a}'..='\u{202e}' | '\u{2066}'..='\u{2069}');
    is_control || is_direction || matches!(c, '\u{fffe}' | '\u{ffff}')
}

/// Appends text that [`plain`] has been through, with what is markup escaped.
pub(crate) fn push_escaped(out: &mut String, text: &str) {
    for c in text.chars() {
        match c {
            '&' => out.push_str("&amp;"),
            '<' => out.push_str("&lt;"),
            '>' => out.push_str("&gt;"),
            '"' => out.push_str("&quot;"),
            '\'' => out.push_str("&#39;"),
            _ => out.push(c),
        }
    }
}

/// Any text, safe inside an element or an attribute.
pub(crate) fn escaped(text: &str) -> String {
    let mut out = String::with_capacity(text.len());
    push_escaped(&mut out, &plain(text));
    out
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn markup_and_what_xml_forbids_do_not_pass() {
        assert_eq!(escaped("a<b>&\"'c"), "a&lt;b&gt;&amp;&quot;&#39;c");
        assert_eq!(escaped("]]>\u{1b}\u{202e}\u{ffff}"), "]]&gt;\\x1b\\u{202e}\\u{ffff}");
        assert_eq!(escaped("日本 é"), "日本 é");
    }
}
