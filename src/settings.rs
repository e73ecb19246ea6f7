//! The command line checked: typed choices, files of knowledge read, numbers assigned to recordings. Nothing below sees
//! clap. The environment is read here and nowhere else.

mod builds;
mod compared;
mod counted_calls;
mod drawn;
mod lookup;
mod page;
mod pipeline;
mod remarks;
mod server_settings;
mod side_file;
#[cfg(feature = "store")]
mod stored;
#[cfg(not(feature = "store"))]
#[path = "settings/without_stores.rs"]
mod stored;
mod verdicts;
mod waits;

use std::fmt::Display;
use std::str::FromStr;

use anyhow::{Result, anyhow};

pub(crate) use builds::with_windows_beside;
#[cfg(feature = "parquet")]
pub(crate) use builds::{build_of, table_bytes};
pub(crate) use builds::{is_stdin, one_stream, source, stem};
pub(crate) use compared::Compared;
#[cfg(feature = "parquet")]
pub(crate) use compared::subsystems;
pub(crate) use counted_calls::{Binaries, complain_of_missing, counted};
pub(crate) use drawn::{Drawn, MAX_DRAWN_DEPTH};
pub(crate) use lookup::{cache_dir, check_files, lookup, with_servers_asked};
pub(crate) use page::{Page, most_rows};
pub(crate) use pipeline::Pipeline;
pub(crate) use remarks::inline_reasons;
pub(crate) use server_settings::{read_server_settings, settings_knowledge, with_servers};
pub(crate) use side_file::{ADDRESSES, COUNTS, KNOWLEDGE, LIST, REMARKS, read_file, read_to_limit};
#[cfg(feature = "parquet")]
pub(crate) use stored::stored_series;
#[cfg(feature = "store")]
pub(crate) use stored::{no_such_run, selection};
pub(crate) use verdicts::examined;
pub(crate) use waits::with_waits;

pub(crate) fn parse<T: FromStr<Err: Display>>(option: &str, word: &str) -> Result<T> {
    word.parse().map_err(|error| anyhow!("{option}: {error}"))
}

pub(crate) fn parse_all<T: FromStr<Err: Display>>(option: &str, words: &[String]) -> Result<Vec<T>> {
    words.iter().map(|word| parse(option, word)).collect()
}

/// The command as a shell would take it again.
pub(crate) fn command_line() -> String {
    let plain = |c: char| c.is_ascii_alphanumeric() || "-_./=,:+%@".contains(c);
    let quoted = |word: String| match !word.is_empty() && word.chars().all(plain) {
        true => word,
        false => format!("'{}'", word.replace('\'', "'\\''")),
    };
    let words = std::env::args_os().skip(1).map(|word| quoted(word.to_string_lossy().into_owned()));
    std::iter::once("pdiff".to_owned()).chain(words).collect::<Vec<_>>().join(" ")
}
