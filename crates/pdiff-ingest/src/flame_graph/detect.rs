//! Whether bytes are an SVG picture, whatever it shows.

use quick_xml::Reader;
use quick_xml::events::Event;

/// Whether the first element in `start`, the first bytes of an input, is `svg`.
pub(crate) fn is_svg(start: &[u8]) -> bool {
    if start.trim_ascii_start().first() != Some(&b'<') && !start.starts_with(b"\xef\xbb\xbf") {
        return false;
    }
    let mut reader = Reader::from_reader(start.trim_ascii_start());
    loop {
        match reader.read_event() {
            Ok(Event::Start(element) | Event::Empty(element)) => {
                return element.local_name().as_ref() == b"svg";
            }
            Ok(Event::Decl(_) | Event::Comment(_) | Event::DocType(_) | Event::PI(_)) => {}
            Ok(Event::Text(text)) if text.trim_ascii().is_empty() => {}
            _ => return false,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_picture_is_told_by_its_first_element() {
        let check = |text: &str, expected| assert_eq!(is_svg(text.as_bytes()), expected, "{text}");
        check("<svg version=\"1.1\" width=\"1200\">", true);
        check("\u{feff}<svg:svg xmlns:svg=\"x\"/>", true);
        check(
            "<?xml version=\"1.0\"?>\n<!DOCTYPE svg [<!ENTITY a \"b\">]>\n<!-- by hand --> <svg width=\"1\"><g>",
            true,
        );
        check("<html><svg/></html>", false);
        check("<!doctype html><p>", false);
        check("<?xml version=\"1.0\"?>", false);
        check("<svg", false);
        check("main;<svg> 3\n", false);
        check("", false);
    }
}
