//! Calls per operation, counted by probes, branch records or the server's own status counters.
//!
//! ```text
//! function<TAB>before<TAB>after
//! row_search_mvcc<TAB>1.0<TAB>2.5
//! ha_innobase::info_low -> index_pct_cached<TAB>0<TAB>1.0
//! ```
//!
//! `caller -> callee` counts entries of the callee from that caller (branch records tell both ends); a plain name counts
//! all calls. A name that is listed twice is refused. Lines that begin with `#` are comments. The first line may be a heading: it
//! begins with `function`, and no numbers follow.

use std::collections::BTreeSet;

use pdiff_profile::{CallSource, Calls, CountedCalls};
use rustc_hash::FxHashMap;

use crate::compare::Pair;

/// Calls per operation of functions, by qualified name.
#[derive(Clone, PartialEq, Debug, Default)]
pub struct CallCounts {
    by_function: FxHashMap<Box<str>, Counted>,
    /// The tool that counted them, if known.
    source: Option<CallSource>,
    /// Where the counts of both sides are from, in words.
    origin: Option<Box<str>>,
    unit: CallUnit,
}

/// What calls are counted per.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub enum CallUnit {
    /// An operation.
    #[default]
    Operation,
    /// All that was counted: the number of operations is not known.
    Run,
}

/// What is known of a function, or of a callee from a caller.
#[derive(Clone, Copy, PartialEq, Debug)]
struct Counted {
    calls: Pair,
    /// The branch records of these calls, where they are a sample.
    records: Pair,
}

/// Standard errors by which a ratio of sampled calls must differ. Records are single events, but those of one sample are neighbours.
const SAMPLED_ERRORS: f64 = 3.0;

/// Branch records of a caller's calls on one side below which the ratio of what it calls says nothing.
const MIN_SAMPLED_CALLS: f64 = 100.0;

/// An error in a file of counts.
#[derive(Clone, PartialEq, Eq, Debug, thiserror::Error)]
#[non_exhaustive]
pub enum CountsError {
    /// A line of counts that is none.
    #[error("line {line}: not a name and two numbers; hint: write function<TAB>before<TAB>after")]
    NotCounts {
        /// Which line, from 1.
        line: usize,
    },
    /// A name that is listed twice.
    #[error("line {line}: '{name}' is listed twice")]
    Twice {
        /// Which line, from 1.
        line: usize,
        /// The name.
        name: Box<str>,
    },
    /// No counts in it.
    #[error("it has no counts; hint: write lines of function<TAB>before<TAB>after")]
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
        let mut by_function: FxHashMap<Box<str>, Counted> = FxHashMap::default();
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
            let counted = Counted { calls: pair, records: Pair { before: 0.0, after: 0.0 } };
            if by_function.insert(name.into(), counted).is_some() {
                return Err(CountsError::Twice { line: line_number, name: name.into() });
            }
        }
        if by_function.is_empty() {
            return Err(CountsError::Empty);
        }
        Ok(Self { by_function, ..Self::default() })
    }

    /// Joins what was counted on each side; `origin` says where from. A function that only one side has is left out, as nobody
    /// may have looked for it on the other, unless the source counts all calls.
    #[must_use]
    pub fn of_sides(before: &CountedCalls, after: &CountedCalls, origin: &str) -> Self {
        // Sampled branches miss what was rarely called: there, zero is the best guess, and the number of calls guards it.
        let has_zeros = |counts: &CountedCalls| counts.source.counts_all() || counts.source.is_sampled();
        let both = has_zeros(before) && has_zeros(after);
        let pair = |before: Option<&Calls>, after: Option<&Calls>| {
            let is_known = (before.is_some() && after.is_some()) || both;
            let [before, after] = [before, after].map(|calls| calls.copied().unwrap_or_default());
            is_known.then_some(Counted {
                calls: Pair { before: before.count, after: after.count },
                records: Pair { before: before.records as f64, after: after.records as f64 },
            })
        };
        let functions: BTreeSet<_> = before.functions.keys().chain(after.functions.keys()).collect();
        let functions = functions.into_iter().filter_map(|name| {
            Some((name.clone(), pair(before.functions.get(name), after.functions.get(name))?))
        });
        let edges: BTreeSet<_> = before.entries.keys().chain(after.entries.keys()).collect();
        let edges = edges.into_iter().filter_map(|edge| {
            let calls = pair(before.entries.get(edge), after.entries.get(edge))?;
            Some((format!("{} -> {}", edge.0, edge.1).into(), calls))
        });
        Self {
            by_function: functions.chain(edges).collect(),
            source: Some(before.source),
            origin: Some(origin.into()),
            unit: CallUnit::default(),
        }
    }

    /// The same, if the number of operations is not known, so that each side's whole count stands for one.
    #[must_use]
    pub fn of_whole_runs(self) -> Self {
        Self { unit: CallUnit::Run, ..self }
    }

    /// What the calls are per.
    pub(super) fn unit(&self) -> CallUnit {
        self.unit
    }

    /// Where the counts are from, if they were read from files of each side.
    #[must_use]
    pub fn origin(&self) -> Option<&str> {
        self.origin.as_deref()
    }

    /// The calls per operation of a function; `None` if only ratios are known.
    #[must_use]
    pub fn get(&self, function: &str) -> Option<Pair> {
        self.counted(function).filter(|_| !self.is_sampled()).map(|counted| counted.calls)
    }

    /// The calls per operation of a callee from one caller; `None` if calls were not counted by caller, or only ratios are known.
    #[must_use]
    pub fn get_from(&self, caller: &str, callee: &str) -> Option<Pair> {
        self.get(&format!("{caller} -> {callee}"))
    }

    /// Whether calls were counted by caller, so that one that is not listed made none.
    pub(super) fn has_callers(&self) -> bool {
        self.source.is_some_and(CallSource::has_callers)
    }

    fn counted(&self, function: &str) -> Option<Counted> {
        self.by_function.get(function).copied()
    }

    fn is_sampled(&self) -> bool {
        self.source.is_some_and(CallSource::is_sampled)
    }

    /// How often a callee is entered from a caller: where that was counted, else all calls of the callee.
    fn entries(&self, caller: &str, callee: &str) -> Option<Counted> {
        let from_caller = self.counted(&format!("{caller} -> {callee}"));
        // Where callers are known, calls from elsewhere are none from here.
        from_caller.or_else(|| self.counted(callee).filter(|_| !self.has_callers()))
    }

    /// How often a callee is entered from a caller, per call of the caller; `None` where one of both was not counted, or the caller
    /// was not called, or too rarely for what a sample shows.
    #[must_use]
    pub fn entries_per_call(&self, caller: &str, callee: &str) -> Option<Pair> {
        let (caller, entries) = (self.counted(caller)?, self.entries(caller, callee)?);
        let least = |pair: Pair, least: f64| pair.before >= least && pair.after >= least;
        let is_known = least(caller.calls, f64::MIN_POSITIVE)
            && (!self.is_sampled() || least(caller.records, MIN_SAMPLED_CALLS));
        let (calls, of) = (caller.calls, entries.calls);
        is_known.then(|| Pair { before: of.before / calls.before, after: of.after / calls.after })
    }

    /// Whether a callee is entered from a caller at least `factor` times as often per call of the caller as before; `None` if that was
    /// not counted, or is not known because calls are a sample.
    #[must_use]
    pub fn is_entered_more(&self, caller: &str, callee: &str, factor: f64) -> Option<bool> {
        let per_call = self.entries_per_call(caller, callee)?;
        let is_more = per_call.after > 0.0 && per_call.after >= factor * per_call.before;
        if !self.is_sampled() {
            return Some(is_more);
        }
        let records = [self.counted(caller)?.records, self.entries(caller, callee)?.records];
        // An event not seen is about half of one.
        let seen = records.iter().flat_map(|pair| [pair.before, pair.after]).map(|records| records + 0.5);
        let error = SAMPLED_ERRORS * seen.map(f64::recip).sum::<f64>().sqrt();
        let half_seen = |per_call: f64, records: f64| per_call.max(0.5 / records);
        let [callers, _] = records;
        let times = half_seen(per_call.after, callers.after) / half_seen(per_call.before, callers.before);
        match is_more {
            true => (times.ln() > error).then_some(true),
            false => (times.ln() + error < factor.ln()).then_some(false),
        }
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

    fn callgrind(edges: &[(&str, &str, f64)], source: CallSource) -> CountedCalls {
        let mut counts = CountedCalls::new(source);
        let calls = |count: f64| Calls { count, records: count as u64, mispredicted: 0 };
        edges.iter().for_each(|(caller, callee, count)| counts.add_entries(caller, callee, calls(*count)));
        counts
    }

    #[test]
    fn what_callgrind_does_not_have_was_not_called() {
        let of = |edges: &[_]| callgrind(edges, CallSource::Callgrind);
        let before = of(&[("main", "f", 10.0), ("main", "h", 4.0)]).divided_by(2.0);
        let after = of(&[("main", "f", 5.0), ("f", "g", 5.0), ("main", "h", 4.0)]);
        let counts = CallCounts::of_sides(&before, &after, "two files");
        let pair = |calls: Option<Pair>| calls.map(|of| (of.before, of.after));
        assert_eq!(pair(counts.get("f")), Some((5.0, 5.0)));
        assert_eq!(pair(counts.get("g")), Some((0.0, 5.0)));
        assert_eq!(pair(counts.entries_per_call("f", "g")), Some((0.0, 1.0)));
        // It is called, but not from there.
        assert_eq!(pair(counts.entries_per_call("f", "h")), None);
    }

    #[test]
    fn probes_say_nothing_of_what_one_side_did_not_ask_for() {
        let of = |names: &[&str]| {
            let mut counts = CountedCalls::new(CallSource::PerfStat);
            names.iter().for_each(|name| counts.add(name, 3.0));
            counts
        };
        let counts = CallCounts::of_sides(&of(&["f"]), &of(&["f", "g"]), "probes");
        assert!(counts.get("f").is_some() && counts.get("g").is_none());
    }

    #[test]
    fn sampled_calls_give_ratios_where_there_are_enough() {
        let of = |f, g| callgrind(&[("main", "f", f), ("f", "g", g)], CallSource::BranchRecords);
        let counts = CallCounts::of_sides(&of(200.0, 10.0), &of(400.0, 400.0), "records");
        assert_eq!(counts.get("f"), None);
        assert_eq!(counts.entries_per_call("f", "g"), Some(Pair { before: 0.05, after: 1.0 }));
        // How much a record represents, or how many operations were done, does not make it more or fewer records.
        let divided = CallCounts::of_sides(&of(200.0, 10.0).divided_by(1024.0), &of(400.0, 400.0), "records");
        let per_call = divided.entries_per_call("f", "g").map(|of| (of.before, of.after));
        assert_eq!(per_call, Some((0.05, 1.0)));
        let few = CallCounts::of_sides(&of(20.0, 1.0).divided_by(1.0 / 1024.0), &of(400.0, 400.0), "records");
        assert_eq!(few.entries_per_call("f", "g"), None);
    }

    #[test]
    fn a_few_sampled_calls_neither_prove_nor_refute() {
        let is_more = |before: [f64; 2], after: [f64; 2]| {
            let of =
                |[f, g]: [f64; 2]| callgrind(&[("main", "f", f), ("f", "g", g)], CallSource::BranchRecords);
            CallCounts::of_sides(&of(before), &of(after), "records").is_entered_more("f", "g", 5.0)
        };
        assert_eq!(is_more([200.0, 3.0], [200.0, 190.0]), Some(true));
        assert_eq!(is_more([200.0, 0.0], [200.0, 190.0]), Some(true));
        assert_eq!(is_more([200.0, 0.0], [200.0, 4.0]), None);
        assert_eq!(is_more([200.0, 2.0], [200.0, 11.0]), None);
        assert_eq!(is_more([200.0, 190.0], [200.0, 191.0]), Some(false));
        assert_eq!(is_more([200.0, 2.0], [200.0, 8.0]), None);
        let exact = callgrind(&[("main", "f", 5.0), ("f", "g", 1.0)], CallSource::Callgrind);
        assert_eq!(CallCounts::of_sides(&exact, &exact, "").is_entered_more("f", "g", 5.0), Some(false));
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
