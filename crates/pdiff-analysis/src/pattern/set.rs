//! Many patterns of which any may match.
//!
//! Nearly all patterns of the built-in lists begin with a literal, and a name is asked for thousands of times. So a text is
//! looked up by what it begins with, and automata are made and asked only where a literal does not decide.

use std::sync::OnceLock;

use regex_automata::MatchKind;
use regex_automata::meta;
use regex_automata::nfa::thompson::WhichCaptures;
use rustc_hash::FxHashMap;

use super::beginning::{Beginning, Rest};
use super::{MOST_BYTES, Pattern, PatternError};

/// Patterns of a set; more are asked one by one of every name, which takes minutes.
const MOST_PATTERNS: usize = 1000;

/// Many patterns of which any may match.
#[derive(Clone, Debug, Default)]
pub(crate) struct PatternSet {
    /// What texts begin with, by the first byte.
    texts: FxHashMap<u8, Vec<Start>>,
    /// What a part of a path begins with, by the first byte.
    parts: FxHashMap<u8, Vec<Start>>,
    /// Those that match some of the texts that begin with a literal.
    after_literals: Vec<Automaton>,
    /// Those whose texts may begin with anything; one automaton, so that a long list costs what one pattern does.
    anywhere: Option<Automaton>,
}

/// A literal that texts begin with.
#[derive(Clone, Debug)]
struct Start {
    literal: Box<str>,
    rest: RestOfText,
}

/// What decides whether a text that begins with a literal is matched.
#[derive(Clone, Copy, Debug)]
enum RestOfText {
    Anything,
    Nothing,
    /// The pattern of this number among those after literals.
    Pattern(usize),
}

impl PatternSet {
    pub(crate) fn new(patterns: &[String]) -> Result<Self, PatternError> {
        let set = Self::unchecked(patterns)?;
        set.after_literals
            .iter()
            .chain(&set.anywhere)
            .try_for_each(|automaton| automaton.get().map(|_| ()))?;
        Ok(set)
    }

    /// Of patterns that are known to be right: an automaton is made when a text asks for it. A wrong one matches nothing.
    pub(crate) fn unchecked(patterns: &[String]) -> Result<Self, PatternError> {
        if patterns.len() > MOST_PATTERNS {
            return Err(PatternError {
                text: format!("a list of {} patterns", patterns.len()),
                reason: format!("at most {MOST_PATTERNS} can be used together"),
            });
        }
        let mut set = Self::default();
        let mut anywhere = Vec::new();
        for pattern in patterns {
            match Beginning::of(pattern) {
                Some(beginning) => set.add(pattern, beginning),
                None => anywhere.push(pattern.clone()),
            }
        }
        set.anywhere = (!anywhere.is_empty()).then(|| Automaton::new(anywhere));
        Ok(set)
    }

    fn add(&mut self, pattern: &str, beginning: Beginning) {
        let rest = match beginning.rest {
            Rest::Anything => RestOfText::Anything,
            Rest::Nothing => RestOfText::Nothing,
            Rest::AsPattern => {
                self.after_literals.push(Automaton::new(vec![pattern.to_owned()]));
                RestOfText::Pattern(self.after_literals.len() - 1)
            }
        };
        let starts = if beginning.is_of_parts { &mut self.parts } else { &mut self.texts };
        for literal in beginning.literals {
            let Some(first) = literal.bytes().next() else { continue };
            starts.entry(first).or_default().push(Start { literal: literal.into(), rest });
        }
    }

    pub(crate) fn is_match(&self, text: &str) -> bool {
        self.begins(&self.texts, text, text)
            || !self.parts.is_empty() && parts(text).any(|part| self.begins(&self.parts, part, text))
            || self.anywhere.as_ref().is_some_and(|anywhere| anywhere.is_match(text))
    }

    /// Whether one of the literals begins a part of a text, and what follows is as its pattern wants it.
    fn begins(&self, starts: &FxHashMap<u8, Vec<Start>>, part: &str, text: &str) -> bool {
        let holds = |start: &Start| {
            part.starts_with(&*start.literal)
                && match start.rest {
                    RestOfText::Anything => true,
                    RestOfText::Nothing => part.len() == start.literal.len(),
                    RestOfText::Pattern(at) => {
                        self.after_literals.get(at).is_some_and(|pattern| pattern.is_match(text))
                    }
                }
        };
        let starts = part.bytes().next().and_then(|first| starts.get(&first));
        starts.into_iter().flatten().any(holds)
    }
}

/// A path from each of its parts on.
fn parts(path: &str) -> impl Iterator<Item = &str> {
    let slashes = path.match_indices('/').filter_map(|(at, _)| path.get(at + 1..));
    std::iter::once(path).chain(slashes)
}

/// Patterns as one automaton, which is made once it is asked for.
#[derive(Clone, Debug)]
struct Automaton {
    patterns: Vec<String>,
    made: OnceLock<Result<meta::Regex, PatternError>>,
}

impl Automaton {
    fn new(patterns: Vec<String>) -> Self {
        Self { patterns, made: OnceLock::new() }
    }

    fn is_match(&self, text: &str) -> bool {
        self.get().is_ok_and(|made| made.is_match(text))
    }

    fn get(&self) -> Result<&meta::Regex, PatternError> {
        self.made.get_or_init(|| self.make()).as_ref().map_err(Clone::clone)
    }

    /// It is asked of some hundred short names, so it does without what takes longer to build than that saves: prefilters,
    /// one-pass automata and captures.
    fn make(&self) -> Result<meta::Regex, PatternError> {
        let plain = meta::Config::new()
            .match_kind(MatchKind::All)
            .which_captures(WhichCaptures::None)
            .nfa_size_limit(Some(MOST_BYTES))
            .auto_prefilter(false)
            .onepass(false);
        meta::Builder::new().configure(plain).build_many(&self.patterns).map_err(|error| {
            let wrong = self.patterns.iter().find_map(|pattern| pattern.parse::<Pattern>().err());
            wrong.unwrap_or_else(|| PatternError {
                text: "the patterns together".to_owned(),
                reason: error.to_string(),
            })
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Texts for patterns to match: names of several programs.
    const TEXTS: [&str; 12] = [
        "",
        "log_writer",
        "log",
        "buf_LRU_get",
        "buf_flush_page",
        "std::vector<int>::_M_allocate",
        "PolicyMutex<A>::enter",
        "PolicyMutex::enter",
        "__clone3",
        "clone_begin",
        "sql/log/a.cc",
        "größe_x",
    ];

    #[test]
    fn a_set_matches_what_one_of_its_patterns_matches() {
        let patterns = [
            "^log_",
            "^log$",
            "^buf_(LRU|flush)_",
            "^std::.*_M_allocate$",
            "^PolicyMutex(<.*>)?::",
            "^(__)?clone3?$",
            "(^|/)log/",
            r"(^|/)a\.cc$",
            "(^|/)[a-z]+/log",
            "(^|/)l.g/",
            "^gr.ße",
            "_begin$",
            "^x|y",
            "^(?i)LOG_W",
            "^",
            r"^größe_\w",
            "^(log|buf)_[a-z]+$",
        ];
        for pattern in patterns {
            let set = PatternSet::new(&[pattern.to_owned()]).unwrap();
            let alone: Pattern = pattern.parse().unwrap();
            for text in TEXTS {
                assert_eq!(set.is_match(text), alone.is_match(text), "{pattern} {text}");
            }
        }
        let all = PatternSet::new(&patterns.map(str::to_owned)[..14]).unwrap();
        assert!(
            !all.is_match("") && !all.is_match("main") && all.is_match("log_x") && all.is_match("a_begin")
        );
    }

    #[test]
    fn a_wrong_pattern_among_others_is_told() {
        let of = |patterns: &[&str]| {
            let patterns: Vec<String> = patterns.iter().map(|text| (*text).to_owned()).collect();
            PatternSet::new(&patterns).map(|_| ()).map_err(|error| error.text)
        };
        assert_eq!(of(&["^ok", "^a[", "b("]), Err("^a[".to_owned()));
        assert_eq!(of(&["^ok", "^a\\q"]), Err("^a\\q".to_owned()));
        assert!(of(&["^a{1000}{1000}{10}"]).is_err());
        assert_eq!(of(&[]), Ok(()));
    }
}
