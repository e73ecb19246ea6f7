//! How names, inlines, shares and rows are made: the choices that every report prints.

use std::fmt;
use std::str::FromStr;

use pdiff_profile::names::MatchLevel;

/// A word of the command line that names no choice.
#[derive(Clone, PartialEq, Eq, Debug, thiserror::Error)]
#[error("'{word}' is not one of {choices}")]
pub struct UnknownChoice {
    /// The word.
    pub word: String,
    /// What there is.
    pub choices: String,
}

macro_rules! choice {
    ($(#[$doc:meta])* $name:ident { $($(#[$vdoc:meta])* $variant:ident = $text:literal),+ $(,)? }) => {
        $(#[$doc])*
        #[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
        pub enum $name { $($(#[$vdoc])* $variant),+ }

        impl $name {
            /// All choices.
            pub const ALL: &'static [Self] = &[$(Self::$variant),+];

            /// The stable text.
            #[must_use]
            pub fn as_str(self) -> &'static str {
                match self { $(Self::$variant => $text),+ }
            }
        }

        impl fmt::Display for $name {
            fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                f.pad(self.as_str())
            }
        }

        impl FromStr for $name {
            type Err = UnknownChoice;

            fn from_str(word: &str) -> Result<Self, UnknownChoice> {
                let all = Self::ALL.iter();
                all.clone().copied().find(|choice| choice.as_str() == word).ok_or_else(|| UnknownChoice {
                    word: word.to_owned(),
                    choices: all.map(|choice| choice.as_str()).collect::<Vec<_>>().join(", "),
                })
            }
        }
    };
}

choice! {
    /// Whether inlined functions have rows of their own.
    Inlines {
        /// An inlined function is a function: self goes to the innermost one.
        Expand = "expand",
        /// Inlined code belongs to the machine function that contains it, as in `perf report --no-inline`.
        Collapse = "collapse",
    }
}

choice! {
    /// Whether the instances of a template have rows of their own: of C++, of Rust's generics, of Go's type parameters.
    Templates {
        /// `vector<int>::push_back` and `vector<long>::push_back` are two functions.
        Keep = "keep",
        /// They are one, `vector<..>::push_back`.
        Collapse = "collapse",
    }
}

choice! {
    /// What 100 % is.
    Share {
        /// All samples of the side.
        All = "all",
        /// Samples whose leaf lies in the row's object.
        Object = "object",
        /// Samples of one thread group; rows are group and function.
        ThreadGroup = "thread-group",
        /// Samples that neither busy-wait nor idle.
        Work = "work",
    }
}

choice! {
    /// What a row is.
    GroupBy {
        /// One function of one object.
        Function = "function",
        /// One object.
        Object = "object",
        /// One thread name.
        Comm = "comm",
        /// One group of threads that do the same.
        ThreadGroup = "thread-group",
        /// One part of the program.
        Subsystem = "subsystem",
        /// One source file.
        File = "file",
        /// One source directory.
        Directory = "directory",
    }
}

/// How names and inlines are normalised.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Policy {
    /// How strictly functions of two builds are identified.
    pub match_level: MatchLevel,
    /// Whether inlined functions have rows of their own.
    pub inlines: Inlines,
    /// Whether the instances of a template have.
    pub templates: Templates,
}
