//! One frame: a line of a call chain, or the end of a flat sample's line.
//!
//! ```text
//! frame  = address [" " symbol ["+0x" offset]] [" (" object ")"] [" (inlined)"] [skipped columns]
//! symbol = "[unknown]" | text that may hold blanks, parentheses, semicolons
//! object = text that may hold blanks and balanced parentheses: "/opt/a (deleted)", "[vdso]", "//anon"
//! ```
//!
//! Real lines (perf 6.1.187, `perf script`, call chains by DWARF and by frame pointer):
//!
//! ```text
//!           cfa3b8 handler::index_read_map+0x268 (inlined)
//!          1e2363e std::thread::_State_impl<... void (*)(log_t*), log_t*> > >::_M_run+0xce (/opt/mysql/8.0.33/bin/mysqld)
//! ffffffffffffffff [unknown] ([unknown])
//! ```
//!
//! The object is what is in the last parentheses that close the line and open after a blank. perf leaves it away on inlined
//! frames.

use crate::digits;

/// The contents of a frame line. Texts are parts of the line.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub(super) struct FrameLine<'a> {
    /// The address printed.
    pub(super) addr: u64,
    /// The symbol; `None` for `[unknown]` or if it was not printed.
    pub(super) symbol: Option<&'a [u8]>,
    /// The offset after the symbol.
    pub(super) offset: Option<u64>,
    /// The object, if it was printed.
    pub(super) object: Option<&'a [u8]>,
    /// perf marked it `(inlined)`.
    pub(super) inlined: bool,
    /// Whether columns follow that are skipped.
    pub(super) has_skipped: bool,
}

/// A frame line; `None` if it does not begin with an address.
pub(super) fn parse(line: &[u8]) -> Option<FrameLine<'_>> {
    let line = line.trim_ascii();
    let address_len = memchr::memchr(b' ', line).unwrap_or(line.len());
    let (address, rest) = line.split_at(address_len);
    let addr = digits::hexadecimal(address)?;
    let (rest, has_skipped) = split_skipped(rest.trim_ascii_start());
    let (rest, inlined) = match rest.strip_suffix(b"(inlined)") {
        Some(before) => (before.trim_ascii_end(), true),
        None => (rest, false),
    };
    let (name, object) = split_object(rest);
    let (symbol, offset) = split_offset(name);
    let symbol = (!symbol.is_empty() && symbol != b"[unknown]").then_some(symbol);
    Some(FrameLine { addr, symbol, offset, object, inlined, has_skipped })
}

/// Cuts what follows the object on a flat sample's line (`insn: 83 c3 01`).
fn split_skipped(text: &[u8]) -> (&[u8], bool) {
    if text.ends_with(b")") {
        return (text, false);
    }
    let cut = memchr::memmem::rfind(text, b") ").map(|end| text.split_at(end + 1));
    match cut {
        Some((frame, _)) if split_object(frame).1.is_some_and(is_object_start) => (frame, true),
        _ => (text, false),
    }
}

/// Symbol with offset, and the object in the last parentheses.
fn split_object(text: &[u8]) -> (&[u8], Option<&[u8]>) {
    let Some(inside) = text.strip_suffix(b")") else { return (text, None) };
    let last = || memchr::memmem::rfind(inside, b" (").map(|space| space + 1);
    let open = matching_open(inside).or_else(|| last().filter(|open| opens_object(inside, *open)));
    let parts = open.and_then(|open| Some((inside.get(..open)?.trim_ascii_end(), inside.get(open + 1..)?)));
    match parts {
        Some((name, object)) => (name, Some(without_offset(object))),
        None => (text, None),
    }
}

/// Where the parenthesis opens that the end of the line closes, if a blank or nothing is before it.
fn matching_open(inside: &[u8]) -> Option<usize> {
    let mut depth = 1_usize;
    let open = memchr::memrchr2_iter(b'(', b')', inside).find(|place| {
        depth = match inside.get(*place) {
            Some(b')') => depth + 1,
            _ => depth - 1,
        };
        depth == 0
    })?;
    let is_after_blank = open == 0 || inside.get(open - 1) == Some(&b' ');
    is_after_blank.then_some(open)
}

fn opens_object(inside: &[u8], open: usize) -> bool {
    inside.get(open + 1..).is_some_and(is_object_start)
}

fn is_object_start(object: &[u8]) -> bool {
    matches!(object.first(), Some(b'/' | b'['))
}

/// Takes off the offset that `-F +dsoff` prints after the object's path.
fn without_offset(object: &[u8]) -> &[u8] {
    if is_object_start(object) { split_offset(object).0 } else { object }
}

/// Takes `+0x...` off the end.
fn split_offset(text: &[u8]) -> (&[u8], Option<u64>) {
    let split = memchr::memrchr(b'+', text).and_then(|plus| {
        let (name, offset) = text.split_at(plus);
        Some((name, digits::hexadecimal(offset.strip_prefix(b"+0x")?)?))
    });
    match split {
        Some((name, offset)) => (name, Some(offset)),
        None => (text, None),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// `address symbol offset object`, with `-` for what is absent.
    fn check(line: &str, expected: &str) {
        let text =
            |text: Option<&[u8]>| text.map_or("-".into(), |text| String::from_utf8_lossy(text).into_owned());
        let frame = parse(line.as_bytes()).unwrap_or_else(|| panic!("{line}"));
        let offset = frame.offset.map_or("-".into(), |offset| format!("{offset:x}"));
        let mut found =
            format!("{:x} | {} | {offset} | {}", frame.addr, text(frame.symbol), text(frame.object));
        for (flag, word) in [(frame.inlined, " inlined"), (frame.has_skipped, " skipped")] {
            found += if flag { word } else { "" };
        }
        assert_eq!(found, expected, "{line}");
    }

    #[test]
    fn frames_are_split_at_the_last_parentheses() {
        check(
            "\t  891f5 start_thread+0x305 (/usr/lib/libc.so.6)",
            "891f5 | start_thread | 305 | /usr/lib/libc.so.6",
        );
        check("\tffffffffffffffff [unknown] ([unknown])", "ffffffffffffffff | - | - | [unknown]");
        check("\t1 a (b) c+0x1 (/x y (z)/lib (deleted))", "1 | a (b) c | 1 | /x y (z)/lib (deleted)");
        check("\t1 f<void (*)(log_t*)>::_M_run+0xce (/m)", "1 | f<void (*)(log_t*)>::_M_run | ce | /m");
        check("\t1 (anonymous namespace)::f+0x1 (/m)", "1 | (anonymous namespace)::f | 1 | /m");
        check("\t1 a+0x1 (/tmp/odd(name)", "1 | a | 1 | /tmp/odd(name");
        check("\t1 a+0x1 (/m+0x1234)", "1 | a | 1 | /m");
        check("\t1 a;b+0x1 (//anon)", "1 | a;b | 1 | //anon");
        check("\t1 a+0xz+0x1 ([vdso])", "1 | a+0xz | 1 | [vdso]");
    }

    #[test]
    fn fields_may_be_missing() {
        check("\t122c", "122c | - | - | -");
        check("\t122c leaf", "122c | leaf | - | -");
        check("\t122c leaf (/x)", "122c | leaf | - | /x");
        check("\t122c (/x)", "122c | - | - | /x");
        check("\t122c (anonymous namespace)::f", "122c | (anonymous namespace)::f | - | -");
        check("\t122c Y<void (*)(int)>::operator()", "122c | Y<void (*)(int)>::operator() | - | -");
        check("\t122c inl+0x1c (inlined)", "122c | inl | 1c | - inlined");
        check("\t122c (inlined)", "122c | - | - | - inlined");
        check("122c leaf+0x22 (/x) insn: 83 c3 01", "122c | leaf | 22 | /x skipped");
    }

    #[test]
    fn a_line_without_an_address_is_none() {
        for line in ["", "\tmain (/x)", "\t0x12 main (/x)", "\t12345678901234567 main (/x)", "\t-1 a"] {
            assert_eq!(parse(line.as_bytes()), None, "{line:?}");
        }
    }
}
