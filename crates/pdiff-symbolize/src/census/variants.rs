//! Which symbols are variants of one constructor or destructor.
//!
//! A constructor has up to five symbols (`C1`, `C2`, `C4`), a destructor as many (`D0` to `D2`), of one name and often a
//! long one. They differ in one digit, so what one of them is called need not be found out anew for the others. (Itanium
//! C++ ABI, 5.1.4.3.)

use rayon::prelude::*;
use rustc_hash::{FxBuildHasher, FxHashMap};

/// By symbol: the first in the list that differs in no more than the digit of a constructor or destructor, itself if none
/// comes before it. Whether the digit is one is to be seen from the name, see [`is_printed`].
pub(super) fn firsts(symbols: &[&str]) -> Vec<usize> {
    let around: Vec<Option<(&str, &str)>> = symbols.par_iter().map(|symbol| around_digit(symbol)).collect();
    let mut known = FxHashMap::with_capacity_and_hasher(symbols.len() / 2, FxBuildHasher);
    let first = |(place, around)| match around {
        Some(around) => *known.entry(around).or_insert(place),
        None => place,
    };
    around.into_iter().enumerate().map(first).collect()
}

/// What stands before and behind the digit that may be that of a constructor or destructor: the only one that follows a
/// `C` or `D`, where its name would end.
fn around_digit(symbol: &str) -> Option<(&str, &str)> {
    let at = digit_place(symbol)?;
    let (before, after) = (symbol.get(..at)?, symbol.get(at + 1..)?);
    (before.starts_with("_ZN") && after.starts_with(['E', 'I', 'B'])).then_some((before, after))
}

fn digit_place(symbol: &str) -> Option<usize> {
    let pairs = symbol.as_bytes().windows(2).zip(1..);
    let mut places = pairs.filter(|(pair, _)| matches!(pair, [b'C' | b'D', b'0'..=b'9'])).map(|(_, at)| at);
    places.next().filter(|_| places.next().is_none())
}

/// Whether the digit is printed in the name: then it is a part of an identifier (`_ZN1a4abC1Ev`), or of the value of an
/// enumeration (`_ZN1fIL1C1EE1gEv`, which is `f<(C)1>::g()`), and tells functions apart.
pub(super) fn is_printed(symbol: &str, name: &str) -> bool {
    let Some(at) = digit_place(symbol) else { return true };
    let (Some(pair), Some(digit)) = (symbol.get(at - 1..=at), symbol.get(at..=at)) else { return true };
    let letter = pair.trim_end_matches(digit);
    name.contains(pair) || name.contains(&format!("{letter}){digit}"))
}

#[cfg(test)]
mod tests {
    use super::super::identity::Name;
    use super::*;

    #[test]
    fn variants_of_a_constructor_have_one_first() {
        let symbols = ["_ZN1aC1Ev", "_ZN1aC2Ei", "_ZN1aC2Ev", "_ZN1aD1Ev", "_ZN1aC4Ev", "_ZN1aD0Ev", "main"];
        assert_eq!(firsts(&symbols), [0, 1, 0, 3, 0, 3, 6]);
        assert_eq!(firsts(&["_ZN2C1C1Ev", "_ZN2C1C2Ev"]), [0, 1], "two digits, which is it?");
    }

    #[test]
    fn a_digit_that_is_no_variant_is_printed() {
        for (one, other) in [
            ("_ZN1aC1Ev", "_ZN1aC2Ev"),
            ("_ZN1aD0Ev", "_ZN1aD2Ev"),
            ("_ZN1a4abC1Ev", "_ZN1a4abC2Ev"),
            ("_ZN1a4abD1IiEEvv", "_ZN1a4abD2IiEEvv"),
            ("_ZN1fIL1C1EE1gEv", "_ZN1fIL1C4EE1gEv"),
            ("_ZN1fIL1C1EEC2Ev", "_ZN1fIL1C1EEC1Ev"),
            ("_ZN1a2bCB1dEv", "_ZN1a2bCB1eEv"),
        ] {
            let names = [one, other].map(Name::of_symbol);
            let is_one = firsts(&[one, other]) == [0, 0] && !is_printed(one, &names[0].signature());
            assert!(!is_one || names[0].identity == names[1].identity, "{one} {other}");
            assert_eq!(is_one, one.len() == 9, "{one}");
        }
    }
}
