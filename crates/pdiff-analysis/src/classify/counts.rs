//! Calls per operation, counted by probes, branch records or the server's own status counters.
//!
//! ```text
//! function<TAB>before<TAB>after
//! row_search_mvcc<TAB>1.0<TAB>2.5
//! ha_innobase::info_low -> index_pct_cached<TAB>0<TAB>1.0
//! ```
//!
//! `caller -> callee` counts entries of the callee from that caller (branch records tell both ends); a plain name counts all
//! calls. A name that stands twice is refused. Lines that begin with `#` are comments. The first line may be a heading: it
//! begins with `function`, and no numbers follow.

use rustc_hash::FxHashMap;

use crate::compare::Pair;

/// Calls per operation of functions, by qualified name.
#[derive(Clone, PartialEq, Debug, Default)]
pub struct CallCounts {
    by_function: FxHashMap<Box<str>, Pair>,
}

/// What is wrong with a file of counts.
#[derive(Clone, PartialEq, Eq, Debug, thiserror::Error)]
#[non_exhaustive]
pub enum CountsError {
    /// A line of counts that is none.
    #[error("line {line}: not a name and two numbers; hint: write function<TAB>before<TAB>after")]
    NotCounts {
        /// Which line, from 1.
        line: usize,
    },
    /// A name that stands twice.
    #[error("line {line}: '{name}' stands twice")]
    Twice {
        /// Which line, from 1.
        line: usize,
        /// The name.
        name: Box<str>,
    },
    /// No counts in it.
    #[error("no counts in it; hint: write lines of function<TAB>before<TAB>after")]
    Empty,
}

impl CallCounts {
    /// Reads counts.
    ///
    /// ```
    /// use pdiff_analysis::classify::CallCounts;
    ///
    /// let counts = CallCounts::parse("function\tbefore\tafter\nf\t1\t2.5\n")?;
    /// assert_eq!(counts.get("f").map(|calls| calls.after), Some(2.5));
    /// # Ok::<(), pdiff_analysis::classify::CountsError>(())
    /// ```
    ///
    /// # Errors
    /// If a line is no name and two numbers of zero or more.
    pub fn parse(text: &str) -> Result<Self, CountsError> {
        let mut by_function: FxHashMap<Box<str>, Pair> = FxHashMap::default();
        for (index, line) in text.lines().enumerate() {
            if line.trim().is_empty() || line.starts_with('#') {
                continue;
            }
            let line_number = index + 1;
            let Some((name, pair)) = parse_line(line) else {
                if by_function.is_empty() && line.starts_with("function\t") {
                    continue;
                }
                return Err(CountsError::NotCounts { line: line_number });
            };
            if by_function.insert(name.into(), pair).is_some() {
                return Err(CountsError::Twice { line: line_number, name: name.into() });
            }
        }
        if by_function.is_empty() {
            return Err(CountsError::Empty);
        }
        Ok(Self { by_function })
    }

    /// The calls per operation of a function.
    #[must_use]
    pub fn get(&self, function: &str) -> Option<Pair> {
        self.by_function.get(function).copied()
    }

    /// How often a callee is entered from a caller, per operation: where that was counted, else all calls of the callee.
    #[must_use]
    pub fn entries(&self, caller: &str, callee: &str) -> Option<Pair> {
        self.get(&format!("{caller} -> {callee}")).or_else(|| self.get(callee))
    }

    /// The same per call of the caller; `None` where one of both was not counted or the caller was not called.
    #[must_use]
    pub fn entries_per_call(&self, caller: &str, callee: &str) -> Option<Pair> {
        let (calls, entries) = (self.get(caller)?, self.entries(caller, callee)?);
        let is_called = calls.before > 0.0 && calls.after > 0.0;
        is_called.then(|| Pair { before: entries.before / calls.before, after: entries.after / calls.after })
    }
}

fn parse_line(line: &str) -> Option<(&str, Pair)> {
    let mut fields = line.split('\t');
    let name = fields.next().map(str::trim).filter(|name| !name.is_empty())?;
    let mut number = || fields.next()?.trim().parse().ok().filter(|n: &f64| n.is_finite() && *n >= 0.0);
    Some((name, Pair { before: number()?, after: number()? }))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn odd_lines_are_told() {
        let error = |text: &str| CallCounts::parse(text).err();
        assert_eq!(error("f\t1\t2\n# why\n\ng\t3\t4\n"), None);
        assert_eq!(error("f\t1\n"), Some(CountsError::NotCounts { line: 1 }));
        assert_eq!(error("f\t1\t2\ng\t-1\t2\n"), Some(CountsError::NotCounts { line: 2 }));
        assert_eq!(error("f\t1\tNaN\n"), Some(CountsError::NotCounts { line: 1 }));
        assert_eq!(error("\t1\t2\n"), Some(CountsError::NotCounts { line: 1 }));
        assert_eq!(error("f\t1\t2\nf\t1\t2\n"), Some(CountsError::Twice { line: 2, name: "f".into() }));
        assert_eq!(error("function\tbefore\tafter\n"), Some(CountsError::Empty));
    }

    #[test]
    fn a_function_called_function_is_no_heading() {
        let counts = CallCounts::parse("function\t1\t2\ng\t3\t4\n").unwrap();
        assert_eq!(counts.get("function").map(|calls| (calls.before, calls.after)), Some((1.0, 2.0)));
    }

    #[test]
    fn entries_are_those_from_the_caller_where_they_were_counted() {
        let counts = CallCounts::parse("f\t2\t4\ng\t1\t8\nf -> h\t0\t4\nh\t9\t9\n").unwrap();
        let per_call = |callee| counts.entries_per_call("f", callee).map(|of| (of.before, of.after));
        assert_eq!(per_call("g"), Some((0.5, 2.0)));
        assert_eq!(per_call("h"), Some((0.0, 1.0)));
        assert_eq!(per_call("x"), None);
    }
}
