//! The text of `vmstat SECONDS`: CPU and context switches of the whole machine, second by second.
//!
//! ```text
//! procs -----------memory---------- ---swap-- -----io---- -system-- ------cpu-----
//!  r  b   swpd   free   buff  cache   si   so    bi    bo   in   cs us sy id wa st
//!  7  0      0 17542108  11712 5883928    0    0  1866  8086 1238 4564 30 16 53  1  0
//! ```
//!
//! The first line of numbers is an average since boot and is left out. Columns go by the header's names, which repeat.

/// Means over the lines of a vmstat text.
#[derive(Clone, Copy, PartialEq, Debug)]
pub struct Vmstat {
    /// Lines that count.
    pub lines: usize,
    /// Context switches per second.
    pub context_switches: f64,
    /// CPU in user code, percent of the machine.
    pub user_pct: f64,
    /// CPU in the kernel, percent of the machine.
    pub system_pct: f64,
}

impl Vmstat {
    /// CPU in use, percent of the machine.
    #[must_use]
    pub fn busy_pct(&self) -> f64 {
        self.user_pct + self.system_pct
    }
}

/// What is wrong with a vmstat text.
#[derive(Clone, PartialEq, Eq, Debug, thiserror::Error)]
#[non_exhaustive]
pub enum VmstatError {
    /// No header names the columns.
    #[error("no line names the columns cs, us and sy; hint: save the output of `vmstat 1`")]
    NoHeader,
    /// Fewer than two lines of numbers.
    #[error("it has only the average since boot; hint: let `vmstat 1` run as long as the load")]
    NoLines,
    /// A line that does not fit the header.
    #[error("line {line}: '{text}' does not fit the columns")]
    BadLine {
        /// Line, from 1.
        line: usize,
        /// What is there.
        text: Box<str>,
    },
}

/// Reads the text of `vmstat SECONDS`.
///
/// # Errors
/// [`VmstatError`] with the line that is wrong.
///
/// ```
/// let text = " r  b  cs us sy id\n 1  0  10  1  1 98\n 1  0 100 50 10 40\n 1  0 300 60 20 20\n";
/// let means = pdiff_study::parse_vmstat(text)?;
/// assert_eq!((means.lines, means.context_switches, means.busy_pct()), (2, 200.0, 70.0));
/// # Ok::<(), pdiff_study::VmstatError>(())
/// ```
pub fn parse_vmstat(text: &str) -> Result<Vmstat, VmstatError> {
    let mut places: Option<[usize; 3]> = None;
    let mut rows: Vec<[f64; 3]> = Vec::new();
    for (at, line) in text.lines().enumerate() {
        let fields: Vec<&str> = line.split_whitespace().collect();
        let place = |name: &str| fields.iter().position(|field| *field == name);
        if let (Some(cs), Some(us), Some(sy)) = (place("cs"), place("us"), place("sy")) {
            places = Some([cs, us, sy]);
            continue;
        }
        if fields.is_empty() || line.starts_with("procs") || line.contains("--") {
            continue;
        }
        let Some(places) = places else { return Err(VmstatError::NoHeader) };
        let number = |place: usize| {
            let value: f64 = fields.get(place)?.parse().ok()?;
            (value.is_finite() && value >= 0.0).then_some(value)
        };
        match places.map(number) {
            [Some(cs), Some(us), Some(sy)] => rows.push([cs, us, sy]),
            _ => {
                return Err(VmstatError::BadLine {
                    line: at + 1,
                    text: line.trim().chars().take(60).collect(),
                });
            }
        }
    }
    if places.is_none() {
        return Err(VmstatError::NoHeader);
    }
    let counted = rows.get(1..).filter(|rows| !rows.is_empty()).ok_or(VmstatError::NoLines)?;
    let count = counted.len() as f64;
    let mean = |of: usize| counted.iter().filter_map(|row| row.get(of)).sum::<f64>() / count;
    Ok(Vmstat { lines: counted.len(), context_switches: mean(0), user_pct: mean(1), system_pct: mean(2) })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn headers_that_repeat_are_no_lines_and_damage_is_told() {
        let text =
            "procs --- cpu\n r cs us sy\n 1 5 1 1\n 1 10 20 5\nprocs --- cpu\n r cs us sy\n 1 30 40 5\n";
        let means = parse_vmstat(text).unwrap();
        assert_eq!((means.lines, means.context_switches, means.user_pct), (2, 20.0, 30.0));
        let check = |text: &str, expected: &str| {
            let error = parse_vmstat(text).unwrap_err().to_string();
            assert!(error.contains(expected), "{error}");
        };
        check("", "no line names");
        check("hello\n", "no line names");
        check(" cs us sy\n 1 2 3\n", "only the average since boot");
        check(" cs us sy\n 1 2 3\n 1 x 3\n", "line 3: '1 x 3'");
        check(" cs us sy\n 1 2 3\n 1 NaN 3\n", "line 3");
        check(" cs us sy\n 1 2 3\n 1 2\n", "line 3");
    }
}
