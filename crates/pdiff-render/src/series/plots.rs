//! Pictures of a series: relative throughput and cost over builds (`builds`), and throughput over levels of concurrency
//! (`threads`). Narrow, panels below each other, so that they can be read in a window of 400 pixels.

mod builds;
mod threads;

pub use builds::builds_svg;
pub use threads::threads_svg;

#[cfg(test)]
mod tests;
