//! Which symbols are variants of one constructor or destructor.
//!
//! A constructor has up to five symbols (`C1`, `C2`, `C4`), a destructor as many (`D0` to `D2`), of one name and often a
//! long one. They differ in one digit, so what one of them is called need not be found out again for the others. (Itanium
//! C++ ABI, 5.1.4.3.)

use std::borrow::Cow;

use pdiff_profile::names::loose_name;
use rayon::prelude::*;
use rustc_hash::FxHashMap;

/// Variants in a list of symbols that grows.
#[derive(Default)]
pub(super) struct Variants<'n> {
    /// The first symbol with this before and this after the digit.
    known: FxHashMap<(&'n str, &'n str), usize>,
}

impl<'n> Variants<'n> {
    /// By symbol that comes to the list, where `start` are already: the first in the list that differs in no more than a
    /// digit that may be that of a constructor or destructor, itself if none comes before it. The name of the first tells
    /// whether the digit is one, see [`has_variants`].
    pub(super) fn firsts(&mut self, start: usize, symbols: &[&'n str]) -> Vec<usize> {
        let around: Vec<Option<(&str, &str)>> =
            symbols.par_iter().map(|symbol| around_digit(symbol)).collect();
        self.known.reserve(symbols.len() / 2);
        let first = |(place, around)| match around {
            Some(around) => *self.known.entry(around).or_insert(place),
            None => place,
        };
        (start..).zip(around).map(first).collect()
    }
}

/// What is before and after the only digit that follows a `C` or `D`, where the name of a constructor or destructor would
/// end. (Inherited constructors, `CI1`, have theirs elsewhere.)
pub(super) fn around_digit(symbol: &str) -> Option<(&str, &str)> {
    if !symbol.starts_with("_ZN") {
        return None;
    }
    let at = digit_place(symbol)?;
    let (before, after) = (symbol.get(..at)?, symbol.get(at + 1..)?);
    let may_end = after.starts_with(['E', 'I', 'B']) && !symbol.contains("CI1") && !symbol.contains("CI2");
    may_end.then_some((before, after))
}

fn digit_place(symbol: &str) -> Option<usize> {
    let mut places = digit_places(symbol.as_bytes());
    places.next().filter(|_| places.next().is_none())
}

/// How many bytes are looked at together.
const TOGETHER: usize = 32;

/// Where digits after a `C` or `D` are. There are few of these letters, so that most of a symbol is passed over in large
/// parts.
fn digit_places(symbol: &[u8]) -> impl Iterator<Item = usize> {
    let is_letter = |byte: u8| byte == b'C' || byte == b'D';
    // Without an early end, this is done for all bytes at once.
    let has_letter = move |part: &[u8]| part.iter().fold(false, |has, byte| has | is_letter(*byte));
    let parts = symbol.chunks(TOGETHER).enumerate().filter(move |(_, part)| has_letter(part));
    let after_letters = parts.flat_map(move |(number, part)| {
        let letters = part.iter().enumerate().filter(move |(_, byte)| is_letter(**byte));
        letters.map(move |(at, _)| number * TOGETHER + at + 1)
    });
    after_letters.filter(|at| symbol.get(*at).is_some_and(u8::is_ascii_digit))
}

/// Whether a symbol of that qualified name is a constructor's or destructor's. Then the digit is its variant, because it
/// must have one; else it is part of an identifier, of the value of an enumeration, or the length of the next name, and
/// distinguishes functions.
pub(super) fn has_variants(symbol: &str, qualified: &str) -> bool {
    let letter = digit_place(symbol).and_then(|at| symbol.as_bytes().get(at - 1));
    let name = loose_name(qualified).map_or(Cow::Borrowed(qualified), Cow::Owned);
    let mut parts = name.rsplit("::");
    let (Some(last), Some(class)) = (parts.next(), parts.next()) else { return false };
    match letter {
        // A conversion to a type has the parts of its name at the end.
        Some(b'C') => last == class && !name.contains("operator"),
        Some(b'D') => last.strip_prefix('~') == Some(class) && !name.contains("operator"),
        _ => false,
    }
}

#[cfg(test)]
mod tests {
    use super::super::identity::Name;
    use super::*;

    /// The beginning of overloads of Boost 1.77.
    const EVAL_MODULUS: &str = "_ZN5boost14multiprecision8backends12eval_modulusILj64ELj256ELNS0_16cpp_integer_typeE1ELNS0_18cpp_int_check_typeE0EvLj64ELj256ELS3_1ELS4_0EvEENSt9enable_ifIXaantsrNS1_18is_trivial_cpp_intINS1_15cpp_int_backendIXT_EXT0_EXT1_EXT2_ET3_EEEE5valuentsrNS6_INS7_IXT4_EXT5_EXT6_EXT7_ET8_EEEE5valueEvE4typeERS9_";

    fn firsts(symbols: &[&str]) -> Vec<usize> {
        Variants::default().firsts(0, symbols)
    }

    #[test]
    fn variants_of_a_constructor_have_one_first() {
        let symbols = ["_ZN1aC1Ev", "_ZN1aC2Ei", "_ZN1aC2Ev", "_ZN1aD1Ev", "_ZN1aC4Ev", "_ZN1aD0Ev", "main"];
        assert_eq!(firsts(&symbols), [0, 1, 0, 3, 0, 3, 6]);
        let mut variants = Variants::default();
        assert_eq!(variants.firsts(0, &symbols[..2]), [0, 1]);
        assert_eq!(variants.firsts(2, &symbols[2..]), [0, 3, 0, 3, 6], "the list grew");
        assert_eq!(firsts(&["_ZN2C1C1Ev", "_ZN2C1C2Ev"]), [0, 1], "two digits, which is it?");
    }

    #[test]
    fn only_variants_share_a_name() {
        for (one, other, are_variants) in [
            ("_ZN1aC1Ev", "_ZN1aC2Ev", true),
            ("_ZN1aD0Ev", "_ZN1aD2Ev", true),
            ("_ZN1aIiEC4IdEET_", "_ZN1aIiEC1IdEET_", true),
            ("_ZN1a4abC1Ev", "_ZN1a4abC2Ev", false),
            ("_ZN1a4abD1IiEEvv", "_ZN1a4abD2IiEEvv", false),
            ("_ZN1fIL1C1EE1gEv", "_ZN1fIL1C4EE1gEv", false),
            ("_ZN1fIL1C1EEC2Ev", "_ZN1fIL1C4EEC2Ev", false),
            ("_ZN1a1fE3abC1Eii", "_ZN1a1fE3abC2Eii", false),
            // Their parameters are not printed.
            (&format!("{EVAL_MODULUS}RKSC_"), &format!("{EVAL_MODULUS}RKSC_y"), false),
        ] {
            let names = [one, other].map(Name::of_symbol);
            assert_eq!(names[0].identity == names[1].identity, are_variants, "{one} {other}");
            let shared = firsts(&[one, other]) == [0, 0] && has_variants(one, &names[0].qualified);
            assert_eq!(shared, are_variants, "{one} {other}");
        }
    }
}
