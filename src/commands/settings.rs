//! `pdiff settings`: how the settings of two servers differ.

use anyhow::{Result, bail};
use pdiff_analysis::settings_diff;

use crate::cli::{SettingsArgs, SettingsFormat};
use crate::settings::{Page, read_server_settings, settings_knowledge, stem};

/// Reads both, compares, and writes the differences.
pub(crate) fn run(args: &SettingsArgs) -> Result<()> {
    if [&args.before, &args.after].iter().all(|path| path.as_os_str() == "-") {
        bail!("standard input can be one side only; hint: give the other as a file");
    }
    let page = Page::new(&args.file, &args.color)?;
    let mut knowledge = settings_knowledge(args.knowledge.as_deref())?;
    if args.all {
        knowledge = knowledge.without_noise();
    }
    let (before, after) = (read_server_settings(&args.before)?, read_server_settings(&args.after)?);
    let diff = settings_diff(&before, &after, &knowledge);
    let labels = [stem(&args.before), stem(&args.after)];
    let labels = [labels[0].as_str(), labels[1].as_str()];
    let options = page.table(args.top);
    let rendered = match args.format {
        SettingsFormat::Table => pdiff_render::settings_table(&diff, labels, &options).into_bytes(),
        SettingsFormat::Markdown => pdiff_render::settings_markdown(&diff, labels, &options).into_bytes(),
        SettingsFormat::Json => pdiff_render::settings_json(&diff)?,
        SettingsFormat::Csv => pdiff_render::settings_csv(&diff)?,
    };
    page.output.write(&rendered)
}
