//! What differs in the code of a function, in words.

use pdiff_analysis::classify::{CodeDifference, OtherUses};
use pdiff_profile::{NumberUse, OtherNumber};

use super::condition::conditions_text;

/// So many bytes more of the stack are no few registers.
const LEAST_FRAME: u64 = 48;

/// Numbers and functions that are named.
const MOST: usize = 3;

/// The code of a function that differs.
pub(super) fn code_difference_text(of: &CodeDifference) -> String {
    let bytes = of.bytes;
    if !of.numbers.is_empty() {
        let count = of.numbers.len();
        let what = if count == 1 { "one number".to_owned() } else { format!("{count} numbers") };
        return format!("{} differs in {what} alone: {}", of.function, numbers_text(&of.numbers));
    }
    let length = match bytes.before == bytes.after {
        true => format!("differs, with {} bytes as before", bytes.after),
        false => format!("has {} bytes instead of {}", bytes.after, bytes.before),
    };
    let mut parts = Vec::new();
    parts.extend(uses_text("calls", &of.calls));
    parts.extend(uses_text("inlined", &of.copies));
    let loops = (of.has_loop.before, of.has_loop.after);
    parts.extend((loops == (Some(false), Some(true))).then(|| "a loop, which it did not have".to_owned()));
    parts.extend((loops == (Some(true), Some(false))).then(|| "no loop any more".to_owned()));
    parts.extend(frame_text(of));
    let checks = |which: &str, asks: &Option<Vec<String>>| {
        let asks = asks.as_ref().filter(|asks| !asks.is_empty())?;
        Some(format!("{which}: {}", conditions_text(asks)))
    };
    parts.extend(checks("more checks", &of.conditions.after));
    parts.extend(checks("fewer checks", &of.conditions.before));
    let parts = if parts.is_empty() { String::new() } else { format!("; {}", parts.join("; ")) };
    format!("{} {length}{parts}", of.function)
}

/// How much more or less of the stack it takes, if that may be a copy of a record or an array.
fn frame_text(of: &CodeDifference) -> Option<String> {
    let (before, after) = of.frame_bytes.both().map(|frame| (frame.before, frame.after))?;
    (before.abs_diff(after) >= LEAST_FRAME).then(|| format!("bytes of the stack: {before} -> {after}"))
}

fn numbers_text(of: &[OtherNumber]) -> String {
    let told: Vec<String> = of.iter().take(MOST).map(number_text).collect();
    with_rest(&told, of.len())
}

fn number_text(of: &OtherNumber) -> String {
    let (before, after) = (of.before, of.after);
    match of.used {
        NumberUse::Displacement => format!("offset {before} -> {after} from a pointer"),
        NumberUse::Stride => format!("a step of {before} -> {after} bytes"),
        NumberUse::Moved => format!("{before} -> {after}"),
        NumberUse::Compared => format!("compared with {before} -> {after}"),
        NumberUse::Shifted => format!("shifted by {before} -> {after} bits{}", sizes_text(before, after)),
        NumberUse::Operand => format!("{before} -> {after}"),
    }
}

/// An index that is shifted is that of a record whose size is a power of two.
fn sizes_text(before: i64, after: i64) -> String {
    let size = |bits: i64| u32::try_from(bits).ok().and_then(|bits| 1_u64.checked_shl(bits));
    match size(before).zip(size(after)) {
        Some((before, after)) => format!(" (as for records of {before} -> {after} bytes)"),
        None => String::new(),
    }
}

fn uses_text(kind: &str, of: &[OtherUses]) -> Option<String> {
    let told: Vec<String> = of
        .iter()
        .take(MOST)
        .map(|of| format!("{} {} -> {}", of.function, of.places.before, of.places.after))
        .collect();
    (!told.is_empty()).then(|| format!("{kind}: {}", with_rest(&told, of.len())))
}

fn with_rest(told: &[String], all: usize) -> String {
    let rest = all - told.len();
    if rest == 0 { told.join(", ") } else { format!("{} and {rest} more", told.join(", ")) }
}

#[cfg(test)]
mod tests {
    use pdiff_profile::PerSide;

    use super::*;

    fn difference() -> CodeDifference {
        CodeDifference {
            function: "pop".to_owned(),
            bytes: PerSide::new(796, 851),
            numbers: Vec::new(),
            calls: Vec::new(),
            copies: Vec::new(),
            conditions: PerSide::default(),
            has_loop: PerSide::default(),
            frame_bytes: PerSide::new(Some(24), Some(56)),
        }
    }

    fn uses(functions: &[&str]) -> Vec<OtherUses> {
        let of = |function: &&str| OtherUses { function: (*function).to_owned(), places: PerSide::new(0, 2) };
        functions.iter().map(of).collect()
    }

    #[test]
    fn numbers_are_told_with_what_they_are_for() {
        let number = |used, before, after| OtherNumber { used, before, after };
        let shifted = CodeDifference { numbers: vec![number(NumberUse::Shifted, 4, 6)], ..difference() };
        assert_eq!(
            code_difference_text(&shifted),
            "pop differs in one number alone: shifted by 4 -> 6 bits (as for records of 16 -> 64 bytes)"
        );
        let all = [
            number(NumberUse::Displacement, 24, 32),
            number(NumberUse::Stride, 16, 96),
            number(NumberUse::Compared, 127, 7),
            number(NumberUse::Moved, 1, 2),
        ];
        let many = CodeDifference { numbers: all.to_vec(), ..difference() };
        assert_eq!(
            code_difference_text(&many),
            "pop differs in 4 numbers alone: offset 24 -> 32 from a pointer, a step of 16 -> 96 bytes, compared with 127 -> 7 and 1 more"
        );
    }

    #[test]
    fn what_else_differs_is_told_in_a_line() {
        let other = CodeDifference {
            calls: uses(&["lock", "unlock", "free", "malloc"]),
            copies: uses(&["pause"]),
            conditions: PerSide::new(Some(vec!["cmp4 0,r s".to_owned()]), Some(vec![])),
            has_loop: PerSide::new(Some(false), Some(true)),
            ..difference()
        };
        assert_eq!(
            code_difference_text(&other),
            "pop has 851 bytes instead of 796; calls: lock 0 -> 2, unlock 0 -> 2, free 0 -> 2 and 1 more; inlined: pause 0 -> 2; a loop, \
             which it did not have; fewer checks: x < 0"
        );
        let by_value = CodeDifference {
            frame_bytes: PerSide::new(Some(0), Some(256)),
            bytes: PerSide::new(9, 9),
            ..difference()
        };
        assert_eq!(
            code_difference_text(&by_value),
            "pop differs, with 9 bytes as before; bytes of the stack: 0 -> 256"
        );
        let same_length = CodeDifference { bytes: PerSide::new(18, 18), ..difference() };
        assert_eq!(code_difference_text(&same_length), "pop differs, with 18 bytes as before");
    }
}
