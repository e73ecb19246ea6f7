//! Gates: conditions on a comparison that make a build fail, `[all:][SCOPE:]FIELD OP NUMBER`.
//!
//! ```text
//! all:     rows that are not significant count, too
//! SCOPE    any (default) | function=RE | object=RE | subsystem=NAME | total
//! FIELD    a number of a row by its name in JSON, the path joined by `_`: delta_self_pp, after_total_pct, q_value
//! OP       > >= < <= == !=
//! ```
//!
//! The scope `total` looks at the whole instead of at rows: a field of a row is summed over the rows (the significant ones,
//! without `all:`), and there are `gap_pct`, `cost_change_pct` and others, of which these two count as 0 where their
//! interval holds zero, without `all:`; if noise hides a change as large as the gate's, it is undecided. An unknown value trips no gate; [`GateOutcome::with_value`] shows that, and the
//! caller decides whether it is an error. `gate/field.rs` contains the lists of fields.

mod field;
mod renamed;

use std::cmp::Ordering;
use std::fmt;
use std::str::FromStr;

use crate::compare::{Comparison, Row};
use crate::pattern::{Pattern, PatternError};
use field::{Field, Whole};
use renamed::{Renamed, RenamedRows};

/// One condition.
///
/// ```
/// use pdiff_analysis::Gate;
///
/// let gate: Gate = "all:function=^buf_:delta_self_pp >= 0.5".parse()?;
/// assert_eq!(gate.to_string(), "all:function=^buf_:delta_self_pp >= 0.5");
/// let error = "delta_self >= 0.5".parse::<Gate>().unwrap_err();
/// assert!(error.to_string().contains("hint: fields are delta_self_pp, "));
/// # Ok::<(), pdiff_analysis::GateError>(())
/// ```
#[derive(Clone, Debug)]
pub struct Gate {
    all: bool,
    scope: Scope,
    field: Field,
    operator: Operator,
    number: f64,
}

/// What a gate looks at.
#[derive(Clone, Debug)]
enum Scope {
    Any,
    Function(Pattern),
    Object(Pattern),
    Subsystem(String),
    Total,
}

/// What the whole is called among rows.
const TOTAL: &str = "TOTAL";

/// A change of so many half widths of its 95 % interval is found 9 times in 10: (1.96 + 1.28) / 1.96.
const DETECTABLE_HALF_WIDTHS: f64 = 1.65;

/// How a gate compares.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
struct Operator(&'static str);

/// All operators, longer ones before those they begin with.
const OPERATORS: [Operator; 6] =
    [Operator(">="), Operator("<="), Operator("=="), Operator("!="), Operator(">"), Operator("<")];

impl Operator {
    fn holds(self, value: f64, number: f64) -> bool {
        let Some(order) = value.partial_cmp(&number) else { return false };
        match self.0 {
            ">" => order == Ordering::Greater,
            ">=" => order != Ordering::Less,
            "<" => order == Ordering::Less,
            "<=" => order != Ordering::Greater,
            "==" => order == Ordering::Equal,
            _ => order != Ordering::Equal,
        }
    }
}

/// A gate that does not parse.
#[derive(Clone, PartialEq, Eq, Debug, thiserror::Error)]
#[non_exhaustive]
pub enum GateError {
    /// There is no operator and number.
    #[error(
        "'{text}' has no comparison; hint: write [all:][SCOPE:]FIELD OP NUMBER, OP being >, >=, <, <=, == or !="
    )]
    NoComparison {
        /// The gate.
        text: String,
    },
    /// The text after the operator is not a number.
    #[error("'{number}' in gate '{text}' is not a number")]
    NotANumber {
        /// The gate.
        text: String,
        /// What is there.
        number: String,
    },
    /// The scope is none of those there are.
    #[error("unknown scope '{scope}'; hint: scopes are any, function=RE, object=RE, subsystem=NAME, total")]
    UnknownScope {
        /// The scope.
        scope: String,
    },
    /// The field is none of those there are in its scope.
    #[error(
        "unknown field '{field}'; hint: fields are {}; docs/json.md describes them",
        shown(field, fields)
    )]
    UnknownField {
        /// The field.
        field: String,
        /// Fields of the scope, and those of `total`.
        fields: Vec<String>,
    },
    /// The scope's pattern does not parse.
    #[error(transparent)]
    Pattern(#[from] PatternError),
}

/// Fields named in a message; docs/json.md has them all.
const MOST_FIELDS_NAMED: usize = 8;

/// The first fields, and how many more there are; the scope `total` alone has the field where its name says so.
fn shown(field: &str, fields: &[String]) -> String {
    if let Some(of_total) = fields.iter().find(|known| known.strip_prefix("total:") == Some(field)) {
        return format!("{of_total} for the whole, or fields of rows");
    }
    let named = fields.get(..MOST_FIELDS_NAMED).unwrap_or(fields).join(", ");
    match fields.len().saturating_sub(MOST_FIELDS_NAMED) {
        0 => named,
        more => format!("{named} and {more} more"),
    }
}

impl FromStr for Gate {
    type Err = GateError;

    /// Reads from the right: patterns may hold colons and operators, fields and numbers hold none.
    fn from_str(text: &str) -> Result<Self, GateError> {
        let no_comparison = || GateError::NoComparison { text: text.to_owned() };
        let end = text.rfind(['<', '>', '=']).ok_or_else(no_comparison)? + 1;
        let (head, number) =
            (text.get(..end).unwrap_or_default(), text.get(end..).unwrap_or_default().trim());
        let ends_head = |operator: &&Operator| head.ends_with(operator.0);
        let operator = *OPERATORS.iter().find(ends_head).ok_or_else(no_comparison)?;
        let left = head.strip_suffix(operator.0).unwrap_or(head).trim();
        if left.ends_with(['<', '>', '=', '!']) {
            return Err(no_comparison());
        }
        let number = number
            .parse()
            .ok()
            .filter(|number: &f64| number.is_finite())
            .ok_or_else(|| GateError::NotANumber { text: text.to_owned(), number: number.to_owned() })?;
        let (all, left) = left.strip_prefix("all:").map_or((false, left), |left| (true, left));
        let (scope, field) = left.rsplit_once(':').unwrap_or(("any", left));
        let scope = Scope::parse(scope.trim())?;
        let field = Field::parse(field.trim(), matches!(scope, Scope::Total))?;
        Ok(Self { all, scope, field, operator, number })
    }
}

impl Scope {
    fn parse(text: &str) -> Result<Self, GateError> {
        match text.split_once('=') {
            None if text == "any" => Ok(Self::Any),
            None if text == "total" => Ok(Self::Total),
            Some(("function", pattern)) => Ok(Self::Function(pattern.parse()?)),
            Some(("object", pattern)) => Ok(Self::Object(pattern.parse()?)),
            Some(("subsystem", name)) => Ok(Self::Subsystem(name.to_owned())),
            _ => Err(GateError::UnknownScope { scope: text.to_owned() }),
        }
    }

    fn holds(&self, row: &Row) -> bool {
        match self {
            Self::Any | Self::Total => true,
            Self::Function(pattern) => pattern.is_match(&row.name),
            Self::Object(pattern) => pattern.is_match(&row.object),
            Self::Subsystem(name) => row.subsystem.as_deref().unwrap_or(&row.name) == name,
        }
    }
}

impl fmt::Display for Gate {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(if self.all { "all:" } else { "" })?;
        match &self.scope {
            Scope::Any => Ok(()),
            Scope::Function(pattern) => write!(f, "function={pattern}:"),
            Scope::Object(pattern) => write!(f, "object={pattern}:"),
            Scope::Subsystem(name) => write!(f, "subsystem={name}:"),
            Scope::Total => f.write_str("total:"),
        }?;
        write!(f, "{} {} {}", self.field.name(), self.operator.0, self.number)
    }
}

/// The result of a gate for a comparison.
#[derive(Clone, PartialEq, Debug)]
pub struct GateOutcome {
    /// The rows that tripped it, in the comparison's order; empty if none did.
    pub tripped: Vec<Trip>,
    /// Rows in its scope, significant or not.
    pub in_scope: usize,
    /// Those of them whose field is known; for `total`: 1 if it is known about the whole.
    pub with_value: usize,
    /// Rows that may have changed by more than the gate allows, but whose noise hides a change of that size; the value is the
    /// smallest change that would have been found, or half the interval where none can be. Only without `all:`, for changes in
    /// points of rows, and for `gap_pct` and `cost_change_pct` of the whole, in percent.
    pub undecided: Vec<Trip>,
}

/// One row, or the whole, that trips a gate.
#[derive(Clone, PartialEq, Debug)]
pub struct Trip {
    /// The row's name; `TOTAL` for the whole.
    pub name: String,
    /// The row's object; empty if it has none.
    pub object: String,
    /// The field's value.
    pub value: f64,
}

impl Gate {
    /// Puts a comparison to the test.
    #[must_use]
    pub fn evaluate(&self, comparison: &Comparison) -> GateOutcome {
        let in_scope = self.in_scope(comparison);
        let renamed = self.renamed(comparison);
        let values = self.values(comparison, &in_scope, &renamed);
        let with_value = match self.scope {
            Scope::Total => values.len(),
            _ => in_scope.iter().filter(|row| self.of_row(row).is_some()).count(),
        };
        let tripped =
            values.into_iter().filter(|trip| self.operator.holds(trip.value, self.number)).collect();
        let undecided = match self.scope {
            Scope::Total => self.undecided_whole(comparison).into_iter().collect(),
            _ => self.undecided_rows(&in_scope, &renamed),
        };
        GateOutcome { tripped, in_scope: in_scope.len(), with_value, undecided }
    }

    /// The same gate, for changes larger than any that comparisons of one build with itself show, significant or not: what it looks
    /// at changes so much by itself. `None` if the gate is not on changes in one direction, or if no comparison has its field.
    ///
    /// ```
    /// use pdiff_analysis::Gate;
    ///
    /// let gate: Gate = "function=main:after_self_pct > 3".parse()?;
    /// assert!(gate.beyond_noise_of(&[]).is_none());
    /// # Ok::<(), pdiff_analysis::GateError>(())
    /// ```
    #[must_use]
    pub fn beyond_noise_of(&self, one_build: &[Comparison]) -> Option<Self> {
        let of_all = Self { all: true, ..self.clone() };
        let values =
            |comparison| of_all.values(comparison, &of_all.in_scope(comparison), &of_all.renamed(comparison));
        let values = one_build.iter().flat_map(values).map(|trip| trip.value);
        let is_farther = match self.operator.0 {
            ">" | ">=" if self.number >= 0.0 => f64::max,
            "<" | "<=" if self.number <= 0.0 => f64::min,
            _ => return None,
        };
        let farthest = values.reduce(is_farther).filter(|_| self.field.is_change())?;
        let number = match is_farther(self.number, farthest) == farthest {
            true => beyond(farthest),
            false => self.number,
        };
        Some(Self { number, ..self.clone() })
    }

    fn in_scope<'c>(&self, comparison: &'c Comparison) -> Vec<&'c Row> {
        comparison.rows.iter().filter(|row| self.scope.holds(row)).collect()
    }

    /// The values to test: those of rows that count, or the one for the whole.
    fn values(&self, comparison: &Comparison, in_scope: &[&Row], renamed: &Renamed<'_>) -> Vec<Trip> {
        let counted: Vec<&Row> =
            in_scope.iter().copied().filter(|row| self.all || self.field.is_found(row)).collect();
        match self.scope {
            Scope::Total => self.whole(comparison, &counted).into_iter().collect(),
            _ => {
                let alone = counted.iter().filter(|row| !renamed.has(row));
                let of_rows = alone.filter_map(|row| self.of_row(row));
                let found = renamed.functions.iter().filter(|of| self.all || of.has_changed());
                of_rows.chain(found.filter_map(|of| self.of_renamed(of))).collect()
            }
        }
    }

    /// The functions in scope that have another name after, if the gate is on a difference of rows: a rename is none.
    fn renamed<'c>(&self, comparison: &'c Comparison) -> Renamed<'c> {
        match self.field.is_difference() {
            true => Renamed::of(comparison, |row| self.scope.holds(row)),
            false => Renamed::default(),
        }
    }

    /// The difference of a function over both of its names; it is that of its name after.
    fn of_renamed(&self, of: &RenamedRows<'_>) -> Option<Trip> {
        let before = self.of_row(of.before)?;
        self.of_row(of.after).map(|after| Trip { value: before.value + after.value, ..after })
    }

    fn undecided_rows(&self, in_scope: &[&Row], renamed: &Renamed<'_>) -> Vec<Trip> {
        let alone = in_scope.iter().filter(|row| !renamed.has(row));
        let of_rows = alone.filter_map(|row| self.undecided(row));
        of_rows.chain(renamed.functions.iter().filter_map(|of| self.undecided_renamed(of))).collect()
    }

    fn undecided_renamed(&self, of: &RenamedRows<'_>) -> Option<Trip> {
        let (low, high) = of.interval_pp();
        let is_decided = self.all || of.has_changed() || self.field.name() != "delta_self_pp";
        let detectable = DETECTABLE_HALF_WIDTHS * (high - low) / 2.0;
        let is_hidden =
            !is_decided && self.may_be_tripped_within((low, high)) && detectable > self.number.abs();
        is_hidden.then(|| Trip {
            name: of.after.name.to_string(),
            object: of.after.object.to_string(),
            value: detectable,
        })
    }

    /// Whether the field is what an operation costs, or its change.
    #[must_use]
    pub fn is_on_cost(&self) -> bool {
        self.field.name() == "cost_change_pct" || self.field.name().contains("per_op")
    }

    /// Whether the field is a share of the gap, which there is none of without a significant gap.
    #[must_use]
    pub fn is_on_gap_shares(&self) -> bool {
        self.field.name() == "gap_share_pct"
    }

    fn undecided(&self, row: &Row) -> Option<Trip> {
        let is_decided = self.all || row.significant || self.field.name() != "delta_self_pp";
        if is_decided || !self.may_be_tripped_within((row.ci_low_pp, row.ci_high_pp)) {
            return None;
        }
        let detectable_pp = row.detectable.points();
        let is_hidden = detectable_pp.is_none_or(|detectable| detectable > self.number.abs());
        if !is_hidden {
            return None;
        }
        let value = detectable_pp.unwrap_or(row.ci_high_pp - row.delta_self_pp());
        Some(Trip { name: row.name.to_string(), object: row.object.to_string(), value })
    }

    /// The whole, if its change does not count and noise hides one as large as the gate's.
    fn undecided_whole(&self, comparison: &Comparison) -> Option<Trip> {
        let whole = Whole { comparison, rows: &[], all: self.all };
        let (low, high) = self.field.interval_around_zero(&whole)?;
        let detectable = DETECTABLE_HALF_WIDTHS * (high - low) / 2.0;
        let is_hidden = self.may_be_tripped_within((low, high)) && detectable > self.number.abs();
        is_hidden.then(|| Trip { name: TOTAL.to_owned(), object: String::new(), value: detectable })
    }

    /// Whether a change that is somewhere in an interval could trip the gate, where none does not.
    fn may_be_tripped_within(&self, (low, high): (f64, f64)) -> bool {
        match self.operator.0 {
            ">" | ">=" => self.number > 0.0 && high > self.number,
            "<" | "<=" => self.number < 0.0 && low < self.number,
            _ => false,
        }
    }

    /// Whether the gate looks at the whole instead of at rows.
    #[must_use]
    pub fn is_on_whole(&self) -> bool {
        matches!(self.scope, Scope::Total)
    }

    fn of_row(&self, row: &Row) -> Option<Trip> {
        let value = self.field.of_row(row).filter(|value| value.is_finite())?;
        Some(Trip { name: row.name.to_string(), object: row.object.to_string(), value })
    }

    fn whole(&self, comparison: &Comparison, rows: &[&Row]) -> Option<Trip> {
        let whole = Whole { comparison, rows, all: self.all };
        let value = self.field.of_whole(&whole).filter(|value| value.is_finite())?;
        Some(Trip { name: TOTAL.to_owned(), object: String::new(), value })
    }
}

/// The next number farther from zero with two places, for readers.
fn beyond(number: f64) -> f64 {
    (((100.0 * number.abs()).floor() + 1.0) / 100.0).copysign(number)
}
