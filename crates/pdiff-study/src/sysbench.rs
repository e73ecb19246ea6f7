//! What sysbench 1.0 prints at the end of a run: throughput and latency.
//!
//! ```text
//! SQL statistics:
//!     transactions:                        150034 (30004.49 per sec.)
//!     queries:                             150034 (30004.49 per sec.)
//! General statistics:
//!     total time:                          5.0003s
//! Latency (ms):
//!          min:                                    0.04
//!          avg:                                    0.07
//!          max:                                   12.31
//!          95th percentile:                        0.11
//! ```

/// The end of one sysbench run.
#[derive(Clone, PartialEq, Debug)]
pub struct Sysbench {
    /// Transactions per second.
    pub tps: f64,
    /// Queries per second, where printed.
    pub qps: Option<f64>,
    /// Mean latency in milliseconds.
    pub latency_avg_ms: Option<f64>,
    /// Largest latency in milliseconds.
    pub latency_max_ms: Option<f64>,
    /// The percentile that was asked for and the latency there, in milliseconds; sysbench prints one.
    pub latency_percentile_ms: Option<(f64, f64)>,
}

/// What is wrong with the text of a sysbench run.
#[derive(Clone, PartialEq, Eq, Debug, thiserror::Error)]
#[non_exhaustive]
pub enum SysbenchError {
    /// The line of transactions is missing.
    #[error(
        "no line 'transactions: N (X per sec.)'; hint: save all that `sysbench ... run` prints, to its end"
    )]
    NoTransactions,
    /// A number that cannot be.
    #[error("line {line}: '{text}' has no positive rate")]
    BadRate {
        /// Line, from 1.
        line: usize,
        /// What is there.
        text: Box<str>,
    },
}

/// Reads what sysbench printed.
///
/// # Errors
/// [`SysbenchError`] if no throughput is there.
///
/// ```
/// let text = "transactions: 10 (2.50 per sec.)\nLatency (ms):\n  avg: 0.5\n  95th percentile: 0.9\n";
/// let run = pdiff_study::parse_sysbench(text)?;
/// assert_eq!((run.tps, run.latency_percentile_ms), (2.5, Some((95.0, 0.9))));
/// # Ok::<(), pdiff_study::SysbenchError>(())
/// ```
pub fn parse_sysbench(text: &str) -> Result<Sysbench, SysbenchError> {
    let mut run = Sysbench {
        tps: 0.0,
        qps: None,
        latency_avg_ms: None,
        latency_max_ms: None,
        latency_percentile_ms: None,
    };
    let mut in_latency = false;
    for (at, line) in text.lines().enumerate() {
        let Some((name, value)) = line.trim().split_once(':') else { continue };
        let name = name.trim();
        match name {
            "transactions" => {
                run.tps = rate(value).ok_or_else(|| SysbenchError::BadRate {
                    line: at + 1,
                    text: line.trim().chars().take(80).collect(),
                })?;
            }
            "queries" => run.qps = rate(value),
            "Latency (ms)" => in_latency = true,
            "Threads fairness" => in_latency = false,
            "avg" if in_latency => run.latency_avg_ms = number(value),
            "max" if in_latency => run.latency_max_ms = number(value),
            _ if in_latency => {
                let percentile = name.split_once("th percentile").and_then(|(rank, _)| number(rank));
                run.latency_percentile_ms =
                    percentile.and_then(|rank| Some((rank, number(value)?))).or(run.latency_percentile_ms);
            }
            _ => {}
        }
    }
    if run.tps > 0.0 { Ok(run) } else { Err(SysbenchError::NoTransactions) }
}

/// The X of `N (X per sec.)`.
fn rate(value: &str) -> Option<f64> {
    let (_, rest) = value.split_once('(')?;
    number(rest.split_once("per sec")?.0).filter(|rate| *rate > 0.0)
}

fn number(text: &str) -> Option<f64> {
    text.trim().parse::<f64>().ok().filter(|value| value.is_finite() && *value >= 0.0)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_has_no_throughput_is_refused() {
        let check = |text: &str, expected: &str| {
            let error = parse_sysbench(text).unwrap_err().to_string();
            assert!(error.contains(expected), "{error}");
        };
        check("", "no line 'transactions");
        check("FATAL: error\n", "no line 'transactions");
        check("x\n transactions: 0 (0.00 per sec.)\n", "line 2");
        check("transactions: many\n", "line 1");
        check("transactions: 1 (NaN per sec.)\n", "line 1");
    }

    #[test]
    fn fairness_is_no_latency() {
        let text = "transactions: 10 (2.5 per sec.)\nLatency (ms):\n avg: 0.5\n max: 9\nThreads fairness:\n events (avg/stddev): 1/0\n avg: 7\n";
        let run = parse_sysbench(text).unwrap();
        assert_eq!(
            (run.latency_avg_ms, run.latency_max_ms, run.latency_percentile_ms),
            (Some(0.5), Some(9.0), None)
        );
    }
}
