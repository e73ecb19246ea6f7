//! Waiting by function name.

use serde::Deserialize;

use super::error::{KnowledgeError, parse};
use crate::pattern::PatternSet;

/// The list that comes with pdiff.
const MYSQLD: &str = include_str!("../../presets/mysqld/waits.toml");

/// Functions that wait for others, and where threads wait that have nothing to do.
#[derive(Clone, Debug)]
pub struct WaitList {
    wrappers: PatternSet,
    sleeps: PatternSet,
    idle: PatternSet,
    never_idle: PatternSet,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct File {
    #[serde(default)]
    wrappers: Vec<String>,
    #[serde(default)]
    sleeps: Vec<String>,
    #[serde(default)]
    idle: Vec<String>,
    #[serde(default)]
    never_idle: Vec<String>,
}

impl WaitList {
    /// A list of one file: `wrappers`, `sleeps`, `idle` and `never_idle`, patterns on qualified names.
    ///
    /// # Errors
    /// If the text is not of that form.
    pub fn parse(text: &str) -> Result<Self, KnowledgeError> {
        let file: File = parse(text)?;
        Ok(Self {
            wrappers: PatternSet::new(&file.wrappers)?,
            sleeps: PatternSet::new(&file.sleeps)?,
            idle: PatternSet::new(&file.idle)?,
            never_idle: PatternSet::new(&file.never_idle)?,
        })
    }

    /// The built-in list.
    ///
    /// # Panics
    /// Never: a test reads the built-in file.
    #[must_use]
    pub fn builtin() -> Self {
        Self::parse(MYSQLD).expect("the built-in list of waits is checked by a test")
    }

    /// Whether the function waits for its callers.
    #[must_use]
    pub fn is_wrapper(&self, function: &str) -> bool {
        self.wrappers.is_match(function)
    }

    /// Whether a thread that has nothing to do may wait in the function.
    #[must_use]
    pub fn is_sleep(&self, function: &str) -> bool {
        self.sleeps.is_match(function)
    }

    /// Whether all waits of the function are for work, but those in which a function is never idle.
    #[must_use]
    pub fn is_idle(&self, function: &str) -> bool {
        self.idle.is_match(function)
    }

    /// Whether the function waits for a lock or a file, and so for no work, whoever called it.
    #[must_use]
    pub fn is_never_idle(&self, function: &str) -> bool {
        self.never_idle.is_match(function)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_built_in_list_tells_locks_from_sleeps() {
        let list = WaitList::builtin();
        for sleep in [
            "epoll_wait",
            "__poll",
            "clock_nanosleep@GLIBC_2.2.5",
            "pthread_cond_timedwait@@GLIBC_2.3.2",
            "accept",
        ] {
            assert!(list.is_sleep(sleep), "{sleep}");
        }
        for lock in ["pthread_mutex_lock", "__GI___lll_lock_wait", "futex_wait", "accept_order", "fsync"] {
            assert!(!list.is_sleep(lock), "{lock}");
        }
        for waits in [
            "__pthread_mutex_lock",
            "__GI___lll_lock_wait",
            "fsync@@GLIBC_2.2.5",
            "TTASEventMutex<NoPolicy>::enter",
        ] {
            assert!(list.is_never_idle(waits), "{waits}");
        }
        for sleeps in ["pthread_cond_timedwait", "os_event_wait_low", "io_getevents", "recv", "read_packet"] {
            assert!(!list.is_never_idle(sleeps), "{sleeps}");
        }
        assert!(
            list.is_wrapper("os_event::wait_low")
                && list.is_wrapper("PolicyMutex<TTASEventMutex<NoPolicy>>::enter")
        );
        assert!(!list.is_wrapper("trx_commit") && !list.is_idle("handle_connection"));
        assert!(list.is_idle("Protocol_classic::get_command"));
    }
}
