//! When two values of a setting are the same, however they are spelled.

use std::collections::BTreeSet;

/// Whether two values say the same: capitals, ON and 1, 75 and 75.000000, 128M and its bytes, and the order of a list
/// of words do not matter.
pub(crate) fn same_value(a: &str, b: &str) -> bool {
    let (a, b) = (a.trim().to_lowercase(), b.trim().to_lowercase());
    if a == b {
        return true;
    }
    match (number(&a), number(&b)) {
        (Some(Number::Whole(a)), Some(Number::Whole(b))) => a == b,
        (Some(a), Some(b)) => a.as_f64().total_cmp(&b.as_f64()).is_eq(),
        _ => a.contains(',') && words(&a) == words(&b),
    }
}

/// Whether `value`, multiplied, is the same as the other.
pub(super) fn same_scaled(value: &str, factor: f64, other: &str) -> bool {
    match (number(&value.trim().to_lowercase()), number(&other.trim().to_lowercase())) {
        (Some(value), Some(other)) => (value.as_f64() * factor - other.as_f64()).abs() < 1e-9,
        _ => same_value(value, other),
    }
}

/// The members of two lists that only one has, as `a, b`; whole values where they are not lists.
pub(super) fn only_in_each(a: &str, b: &str) -> (String, String) {
    if !(a.contains(',') && b.contains(',')) {
        return (a.to_owned(), b.to_owned());
    }
    let (in_a, in_b) = (words(a), words(b));
    let join = |words: Vec<&&str>| words.into_iter().copied().collect::<Vec<&str>>().join(",");
    (join(in_a.difference(&in_b).collect()), join(in_b.difference(&in_a).collect()))
}

fn words(list: &str) -> BTreeSet<&str> {
    list.split(',').map(str::trim).collect()
}

#[derive(Clone, Copy)]
enum Number {
    Whole(i128),
    Real(f64),
}

impl Number {
    fn as_f64(self) -> f64 {
        match self {
            Self::Whole(number) => number as f64,
            Self::Real(number) => number,
        }
    }
}

fn number(text: &str) -> Option<Number> {
    match text {
        "on" | "yes" | "true" => return Some(Number::Whole(1)),
        "off" | "no" | "false" => return Some(Number::Whole(0)),
        _ => {}
    }
    let shift = |unit: char| "kmgtpe".find(unit).map(|at| 10 * (at as u32 + 1));
    let (digits, shift) = match text.chars().last().and_then(shift) {
        Some(shift) => (&text[..text.len() - 1], shift),
        None => (text, 0),
    };
    if !digits.starts_with(|c: char| c.is_ascii_digit() || matches!(c, '-' | '.')) {
        return None;
    }
    if let Ok(whole) = digits.parse::<i128>() {
        return whole.checked_mul(1_i128 << shift).map(Number::Whole);
    }
    let is_plain = digits.chars().all(|c| c.is_ascii_digit() || matches!(c, '.' | '-'));
    let real: f64 = digits.parse().ok().filter(|_| is_plain)?;
    let is_whole = real.fract() == 0.0 && real.abs() < 9e15 && shift == 0;
    Some(if is_whole { Number::Whole(real as i128) } else { Number::Real(real * (1_u64 << shift) as f64) })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn spelling_does_not_matter_and_values_do() {
        let check = |a, b, expected| {
            assert_eq!(same_value(a, b), expected, "{a} {b}");
            assert_eq!(same_value(b, a), expected, "{b} {a}");
        };
        check("ON", "1", true);
        check("off", "0", true);
        check("YES", "ON", true);
        check("75", "75.000000", true);
        check("0.5", ".50", true);
        check("128M", "134217728", true);
        check("1G", "1024M", true);
        check("a,b", "b, a", true);
        check("ROW", "row", true);
        check("18446744073709551615", "18446744073709551614", false);
        check("1", "2", false);
        check("", "0", false);
        check("ON", "OFF", false);
        check("a,b", "a,c", false);
        check("nan", "inf", false);
        check("M", "K", false);
        check("1e5", "100000", false);
        check("8e", "8", false);
        check("99999999999999999999999999999999999999e", "1", false);
    }

    #[test]
    fn lists_are_told_apart_by_their_members() {
        assert_eq!(only_in_each("a=on,b=on", "b=off,a=on,c=on"), ("b=on".into(), "b=off,c=on".into()));
        assert_eq!(only_in_each("x", "a,b"), ("x".into(), "a,b".into()));
        assert!(same_scaled("10", 86400.0, "864000") && !same_scaled("10", 86400.0, "10"));
    }
}
