//! The command line checked: typed choices, files of knowledge read, numbers assigned to recordings. Nothing below sees
//! clap. The environment is read here and nowhere else.

mod builds_compared;
mod classified;
mod compared;
mod debug_info;
mod drawn;
mod inputs;
mod packing;
mod page;
mod server_settings;
mod side_file;

use std::fmt::Display;
use std::str::FromStr;

use anyhow::{Result, anyhow};

pub(crate) use builds_compared::{BuildRecordings, knowledge_with, recordings_of_builds, usual_settings};
pub(crate) use classified::Classified;
pub(crate) use compared::{Compared, known_renames};
pub(crate) use debug_info::{DebugInfo, cache_dir, debug_info, debug_roots, debuginfod};
pub(crate) use drawn::{Drawn, MAX_DRAWN_DEPTH};
pub(crate) use inputs::{Inputs, Recording, SideFiles, is_stdin, one_stream, source, stem, table_bytes};
pub(crate) use packing::Packing;
pub(crate) use page::{Page, most_rows};
pub(crate) use server_settings::{Servers, read_server_settings, settings_knowledge};
pub(crate) use side_file::{ADDRESSES, KNOWLEDGE, LIST, read_file, read_to_limit};

fn parse<T: FromStr<Err: Display>>(option: &str, word: &str) -> Result<T> {
    word.parse().map_err(|error| anyhow!("{option}: {error}"))
}

fn parse_all<T: FromStr<Err: Display>>(option: &str, words: &[String]) -> Result<Vec<T>> {
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
