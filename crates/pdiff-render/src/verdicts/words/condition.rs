//! What a jump in the machine code asks, as a programmer would write it.
//!
//! In: the words of the disassembly (`cmp4 5,[+24] e`), which leave out registers and which way the jump goes. Out: `[+24] == 5`.

use std::collections::BTreeMap;

/// Different conditions that are named.
const MOST: usize = 3;

/// Conditions, each once, with how many there are of it; of many kinds their number alone.
pub(super) fn conditions_text(of: &[String]) -> String {
    let mut counts: BTreeMap<String, usize> = BTreeMap::new();
    of.iter().for_each(|asks| *counts.entry(condition_text(asks)).or_default() += 1);
    if counts.len() > MOST {
        return format!("{}, of {} kinds", of.len(), counts.len());
    }
    let text =
        |(asks, count): (String, usize)| if count == 1 { asks } else { format!("{asks} ({count} times)") };
    counts.into_iter().map(text).collect::<Vec<_>>().join(", ")
}

/// A condition: `x` and `y` are numbers in registers or on the stack, `[+24]` is what a pointer and 24 bytes lead to.
fn condition_text(asks: &str) -> String {
    let mut words = asks.split(' ');
    let (kind, operands, condition) = (words.next(), words.next(), words.next());
    let (Some(kind), Some(operands), Some(condition)) = (kind, operands, condition) else {
        return if asks.is_empty() { "a condition that is not known".to_owned() } else { asks.to_owned() };
    };
    let Some((left, right)) = operands.split_once(',') else { return asks.to_owned() };
    let (left, right) = match (left, right) {
        ("r", "r") => ("x", "y"),
        ("r", other) => ("x", other),
        (other, "r") => (other, "x"),
        both => both,
    };
    let is_number = |of: &str| of.parse::<i64>().is_ok();
    match (kind.trim_end_matches(|digit: char| digit.is_ascii_digit()), condition) {
        ("cmp", "e") if is_number(left) => format!("{right} == {left}"),
        ("cmp", "e") => format!("{left} == {right}"),
        ("cmp", "s") if left == "0" => format!("{right} < 0"),
        ("cmp", "l" | "b") if is_number(left) => format!("{right} > {left}"),
        ("cmp", "le" | "be") if is_number(left) => format!("{right} >= {left}"),
        ("cmp", "l" | "b") => format!("{left} < {right}"),
        ("cmp", "le" | "be") => format!("{left} <= {right}"),
        ("test", "e") if is_number(left) => format!("{right} & {left}"),
        ("test", "e") => format!("{left} & {right}"),
        ("sub", "e") => format!("{left} == {right}"),
        ("shr" | "sar", "e") => format!("{left} >> {right} == 0"),
        _ => asks.to_owned(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn conditions_are_written_as_in_a_program() {
        for (asks, expected) in [
            ("cmp4 5,r e", "x == 5"),
            ("cmp8 0,r e", "x == 0"),
            ("cmp4 0,r s", "x < 0"),
            ("cmp4 5,[+24] e", "[+24] == 5"),
            ("cmp8 [+24],r b", "[+24] < x"),
            ("cmp8 r,r le", "x <= y"),
            ("cmp4 9,r b", "x > 9"),
            ("cmp4 9,r le", "x >= 9"),
            ("test 32,r e", "x & 32"),
            ("test4 r,r e", "x & y"),
            ("sub8 r,8 e", "x == 8"),
            ("shr8 r,32 e", "x >> 32 == 0"),
            ("cmpxchg8 [+0],r e", "cmpxchg8 [+0],r e"),
            ("", "a condition that is not known"),
        ] {
            assert_eq!(condition_text(asks), expected, "{asks}");
        }
    }

    #[test]
    fn equal_conditions_are_counted() {
        let all = ["cmp4 5,r e", "cmp8 0,r e", "cmp4 5,r e", "test 1,r e", "test 2,r e"].map(str::to_owned);
        assert_eq!(conditions_text(&all[..4]), "x & 1, x == 0, x == 5 (2 times)");
        assert_eq!(conditions_text(&all), "5, of 4 kinds");
    }
}
