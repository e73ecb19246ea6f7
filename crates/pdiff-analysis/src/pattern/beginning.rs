//! What the texts begin with that a pattern can match.
//!
//! In: a regular expression as it is written. Out: literals of which one is at the start of every text that it matches, and
//! whether such a start is all that it asks for. `^buf_(LRU|flush)_` asks for `buf_LRU_` or `buf_flush_`, and for nothing else;
//! `(^|/)buf0` asks for a part of a path that begins with `buf0`.
//! What is not read here (classes, repetitions, flags) ends the literals before it, so they never say too much.

use std::iter::Peekable;
use std::str::Chars;

/// More literals than a list of names in a pattern has are not worth looking up.
const MOST_LITERALS: usize = 64;

/// Groups within each other that are read.
const MOST_GROUPS: usize = 16;

/// What a text must begin with for a pattern to match.
#[derive(Debug, PartialEq, Eq)]
pub(super) struct Beginning {
    /// Every part of a path is such a text, with what follows it.
    pub(super) is_of_parts: bool,
    /// One of these; none is empty.
    pub(super) literals: Vec<String>,
    pub(super) rest: Rest,
}

/// What a pattern asks for after a literal.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Rest {
    /// Whatever follows, the pattern matches.
    Anything,
    /// The literal is the whole text.
    Nothing,
    /// The pattern itself says.
    AsPattern,
}

impl Beginning {
    /// Of a pattern; `None` if its texts may begin with anything.
    pub(super) fn of(pattern: &str) -> Option<Self> {
        let (is_of_parts, rest) = match pattern.strip_prefix("(^|/)") {
            Some(rest) => (true, rest),
            None => (false, pattern.strip_prefix('^')?),
        };
        let mut reader = Reader { rest: rest.chars().peekable(), depth: 0 };
        let sequence = reader.sequence()?;
        let rest = match reader.rest.next() {
            None => Rest::Anything,
            Some('$') => Rest::Nothing,
            // A branch, which need not begin as the first one does, or an error.
            Some(_) => return None,
        };
        let rest = if sequence.is_complete { rest } else { Rest::AsPattern };
        let literals = sequence.literals;
        (!literals.iter().any(String::is_empty)).then_some(Self { is_of_parts, literals, rest })
    }
}

/// The literals that a part of a pattern begins with.
struct Sequence {
    literals: Vec<String>,
    /// The part matches these literals and nothing else.
    is_complete: bool,
}

impl Sequence {
    /// Continues each literal by each of those of the next part.
    fn push(&mut self, next: &Item) {
        match next {
            Item::Character(character) => {
                self.literals.iter_mut().for_each(|literal| literal.push(*character))
            }
            Item::Group(group) if self.literals.len() * group.literals.len() <= MOST_LITERALS => {
                let continued =
                    self.literals.iter().flat_map(|a| group.literals.iter().map(move |b| format!("{a}{b}")));
                self.literals = continued.collect();
                self.is_complete = group.is_complete;
            }
            Item::Group(_) | Item::Unknown => self.is_complete = false,
        }
    }
}

struct Reader<'a> {
    rest: Peekable<Chars<'a>>,
    /// Groups around what is read.
    depth: usize,
}

impl Reader<'_> {
    /// Reads up to the end of a branch or group; `None` if the pattern is not understood.
    fn sequence(&mut self) -> Option<Sequence> {
        let mut read = Sequence { literals: vec![String::new()], is_complete: true };
        while let Some(next) = self.rest.peek().copied() {
            let item = match next {
                '|' | ')' => break,
                // The end of the text: only at the end of the pattern is it read.
                '$' if self.is_last() => break,
                _ => self.item()?,
            };
            let repetition = self.repetition()?;
            if read.is_complete {
                if repetition != Repetition::Optional {
                    read.push(&item);
                }
                read.is_complete &= repetition == Repetition::Once;
            }
        }
        Some(read)
    }

    fn is_last(&self) -> bool {
        self.rest.clone().nth(1).is_none()
    }

    /// One character, class or group.
    fn item(&mut self) -> Option<Item> {
        Some(match self.rest.next()? {
            '(' => Item::Group(self.group()?),
            '[' => {
                self.skip_class()?;
                Item::Unknown
            }
            '\\' => match self.rest.next()? {
                escaped if r"\.+*?()|[]{}^$".contains(escaped) => Item::Character(escaped),
                // The longer escapes are `\p{..}` and similar; a repetition is left aside in the same way.
                _ => Item::Unknown,
            },
            '.' | '^' | '$' => Item::Unknown,
            '*' | '+' | '?' | '{' => return None,
            plain => Item::Character(plain),
        })
    }

    /// The branches of a group, after its bracket.
    fn group(&mut self) -> Option<Sequence> {
        if self.rest.next_if_eq(&'?').is_some() {
            self.rest.next_if_eq(&':')?;
        }
        self.depth += 1;
        let mut branches = Sequence { literals: Vec::new(), is_complete: true };
        while self.depth <= MOST_GROUPS {
            let branch = self.sequence()?;
            branches.literals.extend(branch.literals);
            branches.is_complete &= branch.is_complete;
            match self.rest.next()? {
                '|' => {}
                ')' => {
                    self.depth -= 1;
                    return Some(branches);
                }
                _ => return None,
            }
        }
        None
    }

    /// Skips a class after its bracket; classes in classes and brackets of their own are not read.
    fn skip_class(&mut self) -> Option<()> {
        self.rest.next_if_eq(&'^');
        let mut is_first = true;
        loop {
            match self.rest.next()? {
                ']' if is_first => return None,
                ']' => return Some(()),
                '[' => return None,
                '\\' => {
                    self.rest.next()?;
                }
                _ => {}
            }
            is_first = false;
        }
    }

    /// How often the item before may be there.
    fn repetition(&mut self) -> Option<Repetition> {
        let found = match self.rest.peek() {
            Some('*' | '?') => Repetition::Optional,
            Some('+') => Repetition::Again,
            Some('{') => {
                self.rest.by_ref().find(|next| *next == '}')?;
                return self.repetition().map(|_| Repetition::Optional);
            }
            _ => return Some(Repetition::Once),
        };
        self.rest.next();
        // `*?` and `**` change nothing of that.
        self.repetition()?;
        Some(found)
    }
}

/// One character, class or group.
enum Item {
    Character(char),
    Group(Sequence),
    Unknown,
}

#[derive(PartialEq, Eq)]
enum Repetition {
    Once,
    /// Once or more often.
    Again,
    /// Not necessarily.
    Optional,
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_pattern_says_what_its_texts_begin_with() {
        let check = |pattern: &str, expected: Option<(&[&str], Rest)>| {
            let expected = expected.map(|(literals, rest)| Beginning {
                is_of_parts: false,
                literals: literals.iter().map(|literal| (*literal).to_owned()).collect(),
                rest,
            });
            assert_eq!(Beginning::of(pattern), expected, "{pattern}");
        };
        check("^log_", Some((&["log_"], Rest::Anything)));
        check("^main$", Some((&["main"], Rest::Nothing)));
        check("^buf_(LRU|flush)_x", Some((&["buf_LRU_x", "buf_flush_x"], Rest::Anything)));
        check("^(a|b(c|d))$", Some((&["a", "bc", "bd"], Rest::Nothing)));
        check("^lock_table(?:_x|)$", Some((&["lock_table_x", "lock_table"], Rest::Nothing)));
        check(r"^a\.b\(c$", Some((&["a.b(c"], Rest::Nothing)));
        check("^pfs_[a-z]+_func", Some((&["pfs_"], Rest::AsPattern)));
        check("^clone3?$", Some((&["clone"], Rest::AsPattern)));
        check("^ab+c", Some((&["ab"], Rest::AsPattern)));
        check("^ab{0}c", Some((&["a"], Rest::AsPattern)));
        check("^std::.*(x|y)$", Some((&["std::"], Rest::AsPattern)));
        check("^(Basic_[a-z]+|cs)::x", Some((&["Basic_", "cs"], Rest::AsPattern)));
        check(r"^a\b", Some((&["a"], Rest::AsPattern)));
        check("^a$b", Some((&["a"], Rest::AsPattern)));
        check("^a(x$|y)", Some((&["ax", "ay"], Rest::AsPattern)));
        for anything in
            ["log_", "^a|b", "(^|/|x)a", "^[ab]c", "^(a|)", "^", "^(?i)a", "^a?", "^.a", "^a|", "^(a"]
        {
            check(anything, None);
        }
        for wrong in ["^a)", "^*", "^a[", "^a[]", "^a{", "^(a", r"^a\"] {
            check(wrong, None);
        }
    }

    #[test]
    fn a_pattern_may_speak_of_parts_of_paths() {
        let beginning = Beginning::of("(^|/)sql/(a|b)").unwrap();
        assert!(beginning.is_of_parts && beginning.rest == Rest::Anything);
        assert_eq!(beginning.literals, ["sql/a", "sql/b"]);
        assert_eq!(Beginning::of("(^|/)"), None);
    }

    #[test]
    fn too_many_literals_are_cut_to_what_they_have_in_common() {
        let digit = "(0|1|2|3|4|5|6|7|8|9)";
        let beginning = Beginning::of(&format!("^a{digit}{digit}$")).unwrap();
        assert_eq!((beginning.literals.len(), beginning.rest), (10, Rest::AsPattern));
        assert_eq!(Beginning::of(&format!("^a{}b", "(".repeat(100_000))), None);
    }
}
