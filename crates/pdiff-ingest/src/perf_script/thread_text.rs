//! What is on a header line before time, period and event: a thread's name, its ids and the CPU.
//!
//! ```text
//! thread = [comm] [ids] [cpu] [misc] [tod]           see `header_line`
//! ```
//!
//! What cannot be known: without ids, a comm that ends in a number (`-F comm,time`) loses it to the tid; a lone id is the
//! tid.

use crate::digits;

use super::token::{Token, tokens};

/// The contents of the text before the time.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub(crate) struct ThreadText<'a> {
    /// Thread name; empty if it was not printed.
    pub(crate) comm: &'a [u8],
    /// Process id.
    pub(crate) pid: Option<u32>,
    /// Thread id.
    pub(crate) tid: Option<u32>,
    /// Whether something is there that is skipped (`misc`, `tod`).
    pub(crate) has_skipped: bool,
}

/// Comm, ids and CPU.
pub(crate) fn parse_thread(text: &[u8]) -> ThreadText<'_> {
    let (text, after_cpu) = split_cpu(text.trim_ascii());
    let mut has_skipped = after_cpu.is_some_and(|after| !after.is_empty());
    let mut rest = text;
    loop {
        let (before, token) = split_last_token(rest);
        if let Some((pid, tid)) = parse_ids(token) {
            return ThreadText { comm: before, pid, tid, has_skipped };
        }
        if after_cpu.is_some() || !(is_misc(token) || is_time_of_day(token)) {
            return ThreadText { comm: text, pid: None, tid: None, has_skipped };
        }
        has_skipped = true;
        rest = before;
    }
}

fn split_last_token(text: &[u8]) -> (&[u8], &[u8]) {
    let start = memchr::memrchr(b' ', text).map_or(0, |space| space + 1);
    let (before, token) = text.split_at(start);
    (before.trim_ascii_end(), token)
}

/// The CPU, where it was printed.
pub(super) fn cpu_of(text: &[u8]) -> Option<u32> {
    let number = |token: &Token<'_>| {
        let inner = token.text.strip_prefix(b"[").and_then(|text| text.strip_suffix(b"]"))?;
        digits::decimal(inner).and_then(|cpu| u32::try_from(cpu).ok())
    };
    tokens(text).filter_map(|token| number(&token)).last()
}

/// The last `[digits]` token: the text before it, and what follows it.
fn split_cpu(text: &[u8]) -> (&[u8], Option<&[u8]>) {
    let is_cpu = |token: &Token<'_>| {
        let inner = token.text.strip_prefix(b"[").and_then(|text| text.strip_suffix(b"]"));
        inner.is_some_and(|digits| digits::decimal(digits).is_some())
    };
    match tokens(text).filter(is_cpu).last() {
        Some(cpu) => (text.get(..cpu.start).unwrap_or(text).trim_ascii_end(), Some(cpu.after.trim_ascii())),
        None => (text, None),
    }
}

/// `tid`, `pid/tid`, with -1 for what perf does not know.
pub(super) fn parse_ids(token: &[u8]) -> Option<(Option<u32>, Option<u32>)> {
    let id = |text: &[u8]| match text {
        b"-1" => Some(None),
        _ => digits::decimal(text).and_then(|id| u32::try_from(id).ok()).map(Some),
    };
    match memchr::memchr(b'/', token).map(|slash| token.split_at(slash)) {
        Some((pid, tid)) => Some((id(pid)?, id(tid.get(1..)?)?)),
        None => Some((None, id(token)?)),
    }
}

/// The `misc` field: letters of the record's mode.
fn is_misc(token: &[u8]) -> bool {
    (1..=4).contains(&token.len()) && token.iter().all(|byte| b"KUHGgMmEDSF".contains(byte))
}

/// One of the two tokens of the `tod` field.
fn is_time_of_day(token: &[u8]) -> bool {
    token.len() >= 8
        && token.first().is_some_and(u8::is_ascii_digit)
        && token.iter().all(|byte| byte.is_ascii_digit() || b"-:.".contains(byte))
}
