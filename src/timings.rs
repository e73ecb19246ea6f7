//! Time, bytes and peak memory of each stage, for `--timings`.

use std::time::{Duration, Instant};

/// Stages and how long they took.
pub(crate) struct Timings {
    stages: Vec<(String, Duration, Option<u64>)>,
    last: Instant,
}

impl Timings {
    /// Starts the clock.
    pub(crate) fn start() -> Self {
        Self { stages: Vec::new(), last: Instant::now() }
    }

    /// A stage ended; `bytes` is what it read.
    pub(crate) fn lap(&mut self, stage: impl Into<String>, bytes: Option<u64>) {
        let now = Instant::now();
        self.stages.push((stage.into(), now - self.last, bytes));
        self.last = now;
    }

    /// One line a stage.
    pub(crate) fn report(&self) -> String {
        let mut text = String::new();
        for (stage, took, bytes) in &self.stages {
            let rate = bytes.map(|bytes| {
                let mega = bytes as f64 / 1e6;
                format!("  {mega:.1} MB, {:.0} MB/s", mega / took.as_secs_f64().max(1e-9))
            });
            text += &format!("{:>9.3} s  {stage}{}\n", took.as_secs_f64(), rate.unwrap_or_default());
        }
        let total: Duration = self.stages.iter().map(|(_, took, _)| *took).sum();
        text += &format!("{:>9.3} s  in all", total.as_secs_f64());
        if let Some(kib) = peak_memory_kib() {
            text += &format!(", peak memory {:.0} MiB", kib as f64 / 1024.0);
        }
        text
    }
}

/// The most memory this process ever held (`VmHWM` of proc(5)); `None` where there is no such file.
fn peak_memory_kib() -> Option<u64> {
    let status = std::fs::read_to_string("/proc/self/status").ok()?;
    let line = status.lines().find_map(|line| line.strip_prefix("VmHWM:"))?;
    line.split_whitespace().next()?.parse().ok()
}
