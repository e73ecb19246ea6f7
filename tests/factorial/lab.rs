//! What the columns of `fixtures/factorial/lab.csv` mean, as options.

/// Factors in their order, columns of other names, what means nothing, and what changes by a restart only.
pub(crate) const LAB: [&str; 8] = [
    "--factors",
    "W,P,B,S,F",
    "--columns",
    "build=version,replicate=repeat,cost=cpu_us_per_txn",
    "--ignore",
    "foreign",
    "--restart",
    "P,B",
];
