//! How much of a mangled name the general demangler may read twice.
//!
//! It reads arguments of a template in two ways if they follow a substitution, a template parameter or the name of a
//! constructor, and a literal in more, as long as it has not found their end. In a well-formed name the first way is the right
//! one. In one that is not, each such construct inside another doubles the time: 20 of them take a third of a second, and a
//! symbol may have a hundred.

/// The most constructs inside one another that are read in two ways (those of [`open_at_once`]): 2^10 ways take a quarter of a
/// millisecond. Of 208,000 names of C++ programs and libraries, 12 have more, all of parsers made of expression templates:
/// [`well_formed`](super::well_formed) looks at such names.
const MAX_OPEN: usize = 10;

/// A literal counts for as many: it is read in three or four ways.
const OF_LITERAL: usize = 2;

/// Whether the demangler reads the name in little time, even if it is not well formed.
pub(super) fn are_few(mangled: &str) -> bool {
    open_at_once(mangled) <= MAX_OPEN
}

/// The most constructs read in two ways that are open at one place of the name.
fn open_at_once(mangled: &str) -> usize {
    let mut forks = Forks::default();
    let mut rest = mangled.trim_start_matches('_').as_bytes();
    while let Some(read) = forks.read(rest) {
        rest = rest.get(read..).unwrap_or(&[]);
    }
    forks.most
}

#[derive(Default)]
struct Forks {
    /// What each open construct counts for.
    open: Vec<usize>,
    now: usize,
    most: usize,
    /// Arguments of a template that come now are read in two ways.
    is_fork: bool,
}

impl Forks {
    /// Reads one piece of the name; gives its bytes, or `None` at the end.
    fn read(&mut self, rest: &[u8]) -> Option<usize> {
        let was_fork = std::mem::take(&mut self.is_fork);
        let next = rest.get(1).copied().unwrap_or(0);
        match rest.first()? {
            b'0'..=b'9' => return Some(number_or_name(rest)),
            // An ABI tag belongs to the name before it.
            b'B' if next.is_ascii_digit() => {
                self.is_fork = was_fork;
                return Some(1 + number_or_name(&rest[1..]));
            }
            b'S' | b'T' => {
                self.is_fork = true;
                return Some(reference(rest));
            }
            b'C' | b'D' if next.is_ascii_digit() => {
                self.is_fork = true;
                return Some(2);
            }
            b'D' if matches!(next, b'T' | b't' | b'O') => {
                self.begin(0);
                return Some(2);
            }
            // A literal of a built-in type ends at once.
            b'L' if next.is_ascii_lowercase() => {
                return Some(rest.iter().position(|byte| *byte == b'E').map_or(rest.len(), |end| end + 1));
            }
            b'L' => self.begin(OF_LITERAL),
            b'I' => self.begin(usize::from(was_fork)),
            b'N' | b'J' | b'X' | b'F' | b'Z' => self.begin(0),
            b'E' => {
                self.now -= self.open.pop().unwrap_or(0);
                if self.open.last() == Some(&OF_LITERAL) {
                    return Some(1 + value(&rest[1..]));
                }
            }
            // A conversion has no end of its own.
            b'c' if next == b'v' => {
                self.count(1);
                return Some(2);
            }
            _ => {}
        }
        Some(1)
    }

    fn begin(&mut self, ways: usize) {
        self.open.push(ways);
        self.count(ways);
    }

    fn count(&mut self, ways: usize) {
        self.now += ways;
        self.most = self.most.max(self.now);
    }
}

fn digits(rest: &[u8]) -> usize {
    rest.iter().take_while(|byte| byte.is_ascii_digit()).count()
}

/// A name after its length, or a number that an underscore ends; no more than there is.
fn number_or_name(rest: &[u8]) -> usize {
    let digits = digits(rest);
    if rest.get(digits) == Some(&b'_') {
        return digits + 1;
    }
    let length = rest[..digits]
        .iter()
        .fold(0_usize, |length, digit| length.saturating_mul(10).saturating_add(usize::from(digit - b'0')));
    digits.saturating_add(length).min(rest.len())
}

/// A substitution or a template parameter: `S1_`, `Sa`, `T_`.
fn reference(rest: &[u8]) -> usize {
    let number =
        rest[1..].iter().take_while(|byte| byte.is_ascii_digit() || byte.is_ascii_uppercase()).count();
    if rest.get(1 + number) == Some(&b'_') && (rest[0] == b'S' || digits(&rest[1..]) == number) {
        return number + 2;
    }
    if rest.get(1).is_some_and(u8::is_ascii_lowercase) { 2 } else { 1 }
}

/// The value of a literal up to the `E` that ends it; 0 if there is none.
fn value(rest: &[u8]) -> usize {
    let sign = usize::from(rest.first() == Some(&b'n'));
    let digits = digits(rest.get(sign..).unwrap_or(&[]));
    if digits > 0 && rest.get(sign + digits) == Some(&b'E') { sign + digits } else { 0 }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_of_programs_have_few() {
        for (name, open) in [
            ("_Z1fv", 0),
            ("_ZNSt6vectorIiSaIiEE9push_backERKi", 1),
            ("_ZN3fooILN2ns4EnumE1EE3barILi5EEEvv", 2),
            ("_ZN1aIS_IS_IS_IiEEEE1bEv", 3),
            ("_ZN1xC1B5cxx11IiEET_", 1),
            ("_ZNK1acvT_IiEEv", 2),
            // An array's bound and a lambda's number are no lengths of names.
            ("_Z1fIS0_EvRA10_KcZ1gvEUlvE12_", 0),
            // A length beyond any name: once this was read without end.
            ("_ZN1xB99999999999999999999xEv", 0),
            ("_Z99999999999999999999x", 0),
        ] {
            assert_eq!(open_at_once(name), open, "{name}");
        }
    }

    /// Each of these took the demangler seconds to refuse, and more of the same took hours.
    #[test]
    fn hostile_names_have_many() {
        for piece in ["S_I", "LS_I", "L1xI", "LA", "LDT", "LN1xI", "C1B1aI", "T_I", "cvTs"] {
            for name in [
                format!("_ZL1xI{}", piece.repeat(40)),
                format!("_ZN1x{}i{}", piece.repeat(40), "E".repeat(40)),
            ] {
                assert!(!are_few(&name), "{name}");
            }
        }
    }

    #[test]
    fn any_bytes_are_read_to_the_end() {
        let mut state = 1_u64;
        let mut random = || {
            state = state.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
            (state >> 33) as usize
        };
        let bytes = b"_Z0129EISTNXJLCDBcvn1x\xc3";
        for _ in 0..20_000 {
            let name: Vec<u8> = (0..random() % 60).map(|_| bytes[random() % bytes.len()]).collect();
            let _ = open_at_once(&String::from_utf8_lossy(&name));
        }
    }
}
