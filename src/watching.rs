//! What the user sees during the work: a progress bar, warnings, and how long each stage took.

use std::sync::{Arc, Mutex, PoisonError};

use pdiff::Progress;

use crate::progress_bar::ProgressBar;
use crate::timings::Timings;

/// Shows what happens, and keeps the time.
#[derive(Clone)]
pub(crate) struct Watching {
    quiet: bool,
    timings: Arc<Mutex<Timings>>,
}

impl Watching {
    /// Starts the clock; no bar is ever shown if `quiet`.
    pub(crate) fn start(quiet: bool) -> Self {
        Self { quiet, timings: Arc::new(Mutex::new(Timings::start())) }
    }

    /// For the library to tell.
    pub(crate) fn watch(&self) -> impl Fn(Progress<'_>) + Send + Sync + 'static {
        let (own, bar) = (self.clone(), Mutex::new(None::<ProgressBar>));
        move |progress| {
            let mut bar = bar.lock().unwrap_or_else(PoisonError::into_inner);
            match progress {
                Progress::Reading { what, bytes, total } => {
                    let shown = bar.take().filter(|bar| bar.is_of(what));
                    let shown = shown.unwrap_or_else(|| ProgressBar::new(what.to_owned(), own.quiet));
                    shown.update(bytes, total);
                    *bar = Some(shown);
                }
                Progress::Finished { stage, bytes } => {
                    *bar = None;
                    own.lap(stage, bytes);
                }
                Progress::Warning(warning) => crate::complain(&format!("pdiff: warning: {warning}")),
                _ => {}
            }
        }
    }

    /// A stage ended; `bytes` is the number of bytes that it read or wrote.
    pub(crate) fn lap(&self, stage: &str, bytes: Option<u64>) {
        self.timings.lock().unwrap_or_else(PoisonError::into_inner).lap(stage, bytes);
    }

    /// Prints the time of each stage, if that is wanted.
    pub(crate) fn report(&self, is_wanted: bool) {
        if is_wanted {
            crate::complain(&self.timings.lock().unwrap_or_else(PoisonError::into_inner).report());
        }
    }
}
