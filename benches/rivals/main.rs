//! pdiff beside its rivals: whole programs and library calls, turn by turn in one run, medians of five and their ratio.
//!
//! ```text
//! cargo bench --bench rivals                    # what the shipped captures allow
//! cargo bench --bench rivals -- symbolise       # the lines that hold this word
//! ```
//!
//! Binaries and large captures are not shipped; what needs them says so and is left out:
//!
//! | variable | what |
//! |---|---|
//! | `PDIFF_BENCH_BINARY_BEFORE`, `PDIFF_BENCH_BINARY` | programs of the captures `57` and `80` of `fixtures/mysql` |
//! | `PDIFF_BENCH_ADDRESSES` | addresses of the second one, hexadecimal, one a line |
//! | `PDIFF_BENCH_BIG_BEFORE`, `PDIFF_BENCH_BIG_AFTER` | perf script text of a million samples each |
//! | `PDIFF_BENCH_DATA_BEFORE`, `PDIFF_BENCH_DATA` | recordings (perf.data), whose binaries are where they were recorded |
//! | `PDIFF_BENCH_DWARF` | a recording of `perf record --call-graph dwarf`, whose binaries are there, too |

//! `PDIFF_BENCH_JSON=FILE` adds the results to a file, too: a JSON object a line.

#![expect(clippy::unwrap_used, reason = "a bench that cannot run says so by panicking")]
#![expect(clippy::print_stdout, reason = "a bench prints its table")]

#[path = "../common/mod.rs"]
mod common;
mod contest;
mod library;
mod programs;
mod recordings;

use contest::Contest;

fn main() {
    let filter = std::env::args().skip(1).find(|argument| !argument.starts_with('-')).unwrap_or_default();
    let mut contest = Contest::new(&filter);
    programs::startup(&mut contest);
    library::reading(&mut contest);
    library::diffing(&mut contest);
    programs::without_binaries(&mut contest);
    programs::million_samples(&mut contest);
    library::symbolising(&mut contest);
    programs::symbolisers(&mut contest);
    library::census(&mut contest);
    programs::with_binaries(&mut contest);
    recordings::iterating(&mut contest);
    recordings::comparing(&mut contest);
    recordings::unwinding(&mut contest);
}
