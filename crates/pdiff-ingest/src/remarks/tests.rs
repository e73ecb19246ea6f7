//! Reports of GCC and Clang, whole, malformed and cut.

use super::*;

/// Caller, callee, whether inlined, whether early, the words.
fn read(text: &str) -> Vec<(String, String, bool, bool, String)> {
    let full = |name: &pdiff_profile::RemarkName| {
        let name = &name.name;
        name.signature().unwrap_or(name.qualified()).to_owned()
    };
    let remarks = parse_inline_remarks(text).unwrap();
    let plain = |remark: &InlineRemark| {
        let words = remark.words.to_string();
        (full(&remark.caller), full(&remark.callee), remark.is_inlined, remark.is_early, words)
    };
    remarks.iter().map(plain).collect()
}

fn one(line: &str) -> (String, String, bool, bool, String) {
    read(line).pop().unwrap()
}

fn expected(
    caller: &str,
    callee: &str,
    kind: [bool; 2],
    words: &str,
) -> (String, String, bool, bool, String) {
    (caller.to_owned(), callee.to_owned(), kind[0], kind[1], words.to_owned())
}

#[test]
fn gcc_says_why_a_call_was_not_inlined() {
    let line = "a.cc:10:52: missed:   not inlinable: int main(int, char**)/21 -> int db::g(int)/20, call is unlikely and code size would grow";
    let said = expected(
        "main(int, char**)",
        "db::g(int)",
        [false, false],
        "call is unlikely and code size would grow",
    );
    assert_eq!(one(line), said);
    let early = "dir/a.cc:4:64: missed: will not early inline: f/156->cmp_data/155, call is cold and code would grow at least by 26";
    let said = expected("f", "cmp_data", [false, true], "call is cold and code would grow at least by 26");
    assert_eq!(one(early), said);
    let place = &parse_inline_remarks(early).unwrap()[0].place;
    assert_eq!((&*place.file, place.line, place.column), ("dir/a.cc", 4, 64));
}

#[test]
fn gcc_says_what_it_inlined() {
    let line = "a.cc:8:58: optimized:  Inlined int db::helper(int)/30 into int f(int)/19 which now has time 186.847856 and size 30, net change of +8.";
    let (caller, callee, is_inlined, is_early, _) = one(line);
    assert_eq!((&*caller, &*callee, is_inlined, is_early), ("f(int)", "db::helper(int)", true, false));
    assert!(one("a.cc:8:71: optimized:  Inlining int small(int)/16 into int f(int)/19.").3);
}

#[test]
fn gcc_declares_templates_operators_and_clones() {
    let of = |caller: &str, callee: &str| {
        one(&format!(
            "a.cc:1:2: missed:   not inlinable: {caller}/21 -> {callee}/22, --param max limit reached"
        ))
    };
    let (_, callee, ..) = of("int f(int)", "int db::Cmp::less(T, int) [with T = long int]");
    assert_eq!(callee, "db::Cmp::less<long>");
    let (_, callee, ..) = of(
        "int f(int)",
        "void db::List<T, A>::add(const value_type&) [with T = int; A = db::Pool<int>; db::List<T, A>::value_type = int]",
    );
    assert_eq!(callee, "db::List<int, db::Pool<int>>::add");
    let (_, callee, ..) = of("int f(int)", "bool db::Cmp::operator<(const db::Cmp&) const");
    assert!(callee.starts_with("db::Cmp::operator<("), "{callee}");
    let (_, callee, ..) = of("int f(int)", "db::Cmp* db::Cmp::operator->()");
    assert!(callee.starts_with("db::Cmp::operator->"), "{callee}");
    let (_, callee, ..) = of("int f(int)", "db::Cmp::operator bool() const");
    assert!(callee.starts_with("db::Cmp::operator bool"), "{callee}");
    let (_, callee, ..) = of("int f(int)", "static std::vector<int> db::Cmp::all(std::pair<int, int>)");
    assert!(callee.starts_with("db::Cmp::all("), "{callee}");
    let line = "a.cc:2:132: missed:   not inlinable: less.isra/27 -> int printf(const char*, ...)/25, function body not available";
    let remark = parse_inline_remarks(line).unwrap().pop().unwrap();
    assert_eq!((remark.caller.name.qualified(), remark.caller.lacks_scope), ("less", true));
    assert!(!remark.callee.lacks_scope);
}

#[test]
fn lines_of_gcc_that_name_no_call_are_left_out() {
    let text = "a.cc:6:43: missed:   Not inlining: recursive call.\na.cc:1:1: optimized: loop vectorized using 16 byte vectors\n";
    assert_eq!(parse_inline_remarks(text), Ok(Vec::new()));
    assert_eq!(parse_inline_remarks("\n"), Ok(Vec::new()), "GCC had nothing to say");
    for text in ["nothing\n", "a.cc:x:1: missed: f/1 -> g/2, so\n"] {
        assert_eq!(parse_inline_remarks(text), Err(RemarksError::Unknown), "{text}");
    }
    assert_eq!(parse_inline_remarks("RMRK\u{0}"), Err(RemarksError::Binary));
}

const RECORDS: &str = "\
--- !Missed
Pass:            inline
Name:            TooCostly
DebugLoc:        { File: '/a long, path/to the/source of/this program/with many/parts.cc', Line: 9,
                   Column: 49 }
Function:        _ZN2db1gEi
Args:
  - String:          ''''
  - Callee:          _ZN2db1fEi
    DebugLoc:        { File: a.cc, Line: 8, Column: 0 }
  - String:          ''' not inlined into '''
  - Caller:          _ZN2db1gEi
    DebugLoc:        { File: a.cc, Line: 9, Column: 0 }
  - String:          ''' because too costly to inline '
  - String:          '(cost='
  - Cost:            '275'
  - String:          ', threshold='
  - Threshold:       '225'
  - String:          ')'
...
--- !Passed
Pass:            licm
Name:            Hoisted
DebugLoc:        { File: a.cc, Line: 2, Column: 85 }
Function:        _ZN2db1gEi
Args:
  - String:          hoisting
...
";

#[test]
fn clang_says_why_with_cost_and_threshold() {
    let words = "because too costly to inline (cost=275, threshold=225)";
    assert_eq!(read(RECORDS), [expected("db::g(int)", "db::f(int)", [false, false], words)]);
    let remark = parse_inline_remarks(RECORDS).unwrap().pop().unwrap();
    assert_eq!((remark.cost, remark.threshold), (Some(275), Some(225)));
    let file = "/a long, path/to the/source of/this program/with many/parts.cc";
    assert_eq!((&*remark.place.file, remark.place.line, remark.place.column), (file, 9, 49));
}

#[test]
fn a_line_that_is_no_record_is_named() {
    let text = format!("{RECORDS}--- !Missed\nwhat is this\n");
    let line = RECORDS.lines().count() + 2;
    let expected = Err(RemarksError::Malformed { line, expected: "a line of an optimization record" });
    assert_eq!(parse_inline_remarks(&text), expected);
}

#[test]
fn cut_reports_are_read_or_refused_without_panic() {
    let gcc = "a.cc:10:52: missed:   not inlinable: int main(int, char**)/21 -> int db::g(int)/20, why\n";
    for text in [RECORDS, gcc] {
        for end in (0..text.len()).filter(|end| text.is_char_boundary(*end)) {
            let _any = parse_inline_remarks(&text[..end]);
        }
    }
}
