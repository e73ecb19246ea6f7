//! `pdiff settings`: how the settings of two servers differ.

use anyhow::Result;
use pdiff::profile::PerSide;
use pdiff::{render, settings_diff};

use crate::cli::{SettingsArgs, SettingsFormat};
use crate::settings::{Page, is_stdin, one_stream, read_server_settings, settings_knowledge, stem};

/// Reads both, compares, and writes the differences.
pub(crate) fn run(args: &SettingsArgs) -> Result<()> {
    one_stream([is_stdin(&args.before), is_stdin(&args.after)])?;
    let page = Page::new(&args.file, &args.color)?;
    let mut knowledge = settings_knowledge(args.knowledge.as_deref())?;
    if args.all {
        knowledge = knowledge.without_noise();
    }
    let (before, after) = (read_server_settings(&args.before)?, read_server_settings(&args.after)?);
    let diff = settings_diff(&before, &after, &knowledge);
    let labels = PerSide::new(stem(&args.before), stem(&args.after));
    let labels = labels.as_ref().map(String::as_str);
    let options = page.table(args.top);
    let rendered = match args.format {
        SettingsFormat::Table => render::settings_table(&diff, labels, &options).into_bytes(),
        SettingsFormat::Markdown => render::settings_markdown(&diff, labels, &options).into_bytes(),
        SettingsFormat::Json => render::settings_json(&diff)?,
        SettingsFormat::Csv => render::settings_csv(&diff)?,
    };
    page.output.write(&rendered)
}
