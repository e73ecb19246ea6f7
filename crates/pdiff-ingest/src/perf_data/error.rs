//! Errors that make a perf.data recording unreadable.

/// An error in a recording as a whole.
#[derive(Clone, PartialEq, Eq, Debug, thiserror::Error)]
#[non_exhaustive]
pub enum PerfDataError {
    /// The recording ends in its head.
    #[error("it ends within its header, after {0} bytes; hint: it was cut off, copy it again")]
    CutHead(u64),
    /// The recording has a head that fits nothing.
    #[error("its header is damaged ({0}); hint: it was cut off or changed, copy it again")]
    DamagedHead(&'static str),
    /// The first form of perf.data files, of 2009.
    #[error(
        "it has the format of 2009 (PERFFILE), which pdiff does not read; hint: record with perf 3.0 or later"
    )]
    FirstForm,
    /// A recording of `perf stat record`.
    #[error("it has counts from `perf stat record` and no samples; hint: record with `perf record`")]
    Statistics,
    /// A recording of a directory's worth of files.
    #[error("its samples are in other files of its directory; hint: record without --threads")]
    Directory,
    /// The recording ends before its first sample.
    #[error("it was cut off, or damaged, before its first sample; hint: copy it again, or record anew")]
    CutBeforeSamples,
    /// The recording has no sample.
    #[error("it has no samples{0}; hint: check that the program ran and that the event counts there")]
    NoSamples(Box<str>),
    /// Too many records are damaged.
    #[error("{damaged} of {records} records are damaged ({example}); hint: --lenient skips them")]
    TooManyDamaged {
        /// Damaged records.
        damaged: u64,
        /// All records.
        records: u64,
        /// The first damaged one.
        example: Box<str>,
    },
}
