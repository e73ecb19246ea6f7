//! Calls per operation, counted by probes, branch records or the server's own status counters.
//!
//! ```text
//! function<TAB>before<TAB>after
//! row_search_mvcc<TAB>1.0<TAB>2.5
//! ```
//!
//! Lines that begin with `#` are comments; a heading line is one whose numbers do not parse and that begins with
//! `function`.

use rustc_hash::FxHashMap;

use crate::compare::Pair;

/// Calls per operation of functions, by qualified name.
#[derive(Clone, PartialEq, Debug, Default)]
pub struct CallCounts {
    by_function: FxHashMap<Box<str>, Pair>,
}

/// A line of counts that is none.
#[derive(Clone, PartialEq, Eq, Debug, thiserror::Error)]
#[error("line {line}: not a name and two numbers; hint: write function<TAB>before<TAB>after")]
pub struct CountsError {
    /// Which line, from 1.
    pub line: usize,
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
        let mut by_function = FxHashMap::default();
        for (index, line) in text.lines().enumerate() {
            let is_heading = by_function.is_empty() && line.starts_with("function\t");
            if line.trim().is_empty() || line.starts_with('#') || is_heading {
                continue;
            }
            let (name, pair) = parse_line(line).ok_or(CountsError { line: index + 1 })?;
            by_function.insert(name.into(), pair);
        }
        Ok(Self { by_function })
    }

    /// The calls per operation of a function.
    #[must_use]
    pub fn get(&self, function: &str) -> Option<Pair> {
        self.by_function.get(function).copied()
    }
}

fn parse_line(line: &str) -> Option<(&str, Pair)> {
    let mut fields = line.split('\t');
    let name = fields.next()?;
    let mut number = || fields.next()?.trim().parse().ok().filter(|n: &f64| n.is_finite() && *n >= 0.0);
    Some((name, Pair { before: number()?, after: number()? }))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn odd_lines_are_told() {
        let line = |text: &str| CallCounts::parse(text).err().map(|error| error.line);
        assert_eq!(line("f\t1\t2\n# why\n\ng\t3\t4\n"), None);
        assert_eq!(line("f\t1\n"), Some(1));
        assert_eq!(line("f\t1\t2\ng\t-1\t2\n"), Some(2));
        assert_eq!(line("f\t1\tNaN\n"), Some(1));
    }
}
