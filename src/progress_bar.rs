//! A progress bar on standard error: on a terminal only, and only for work of more than a second.

use std::io::IsTerminal;
use std::sync::OnceLock;
use std::time::{Duration, Instant};

use indicatif::{ProgressDrawTarget, ProgressStyle};

/// How long work continues before a bar is shown.
const PATIENCE: Duration = Duration::from_secs(1);

/// The progress of reading one file.
pub(crate) struct ProgressBar {
    what: String,
    started: Instant,
    is_shown: bool,
    bar: OnceLock<indicatif::ProgressBar>,
}

impl ProgressBar {
    /// Progress of reading `what`; nothing is ever shown if `quiet` or if standard error is not a terminal.
    pub(crate) fn new(what: String, quiet: bool) -> Self {
        let is_shown = !quiet && std::io::stderr().is_terminal();
        Self { what, started: Instant::now(), is_shown, bar: OnceLock::new() }
    }

    /// Whether this is what is read.
    pub(crate) fn is_of(&self, what: &str) -> bool {
        self.what == what
    }

    /// So many bytes are read, of so many where that is known.
    pub(crate) fn update(&self, bytes: u64, total: Option<u64>) {
        if self.is_shown && self.started.elapsed() >= PATIENCE {
            let bar = self.bar.get_or_init(|| self.make(total));
            bar.set_position(bytes);
        }
    }

    fn make(&self, total: Option<u64>) -> indicatif::ProgressBar {
        let (bar, template) = match total {
            Some(total) => (
                indicatif::ProgressBar::new(total),
                "{msg} {wide_bar} {bytes}/{total_bytes} {bytes_per_sec} {eta}",
            ),
            None => (indicatif::ProgressBar::new_spinner(), "{spinner} {msg} {bytes} {bytes_per_sec}"),
        };
        bar.set_draw_target(ProgressDrawTarget::stderr_with_hz(8));
        bar.set_style(
            ProgressStyle::with_template(template).unwrap_or_else(|_| ProgressStyle::default_bar()),
        );
        bar.set_message(self.what.clone());
        bar
    }
}

impl Drop for ProgressBar {
    fn drop(&mut self) {
        if let Some(bar) = self.bar.get() {
            bar.finish_and_clear();
        }
    }
}
