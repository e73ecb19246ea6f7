//! A comparison as one HTML file that needs nothing beside it: words, charts, tables, verdicts and flame graph, with all
//! data inside as JSON.
//!
//! Text that a reader must see is written here; interactive parts (table, verdict cards, flame graph) are drawn by the
//! page's own script from the data. The page forbids every request, and text from a profile is never markup.

mod answer;
mod attribution;
mod axis;
mod blocks;
mod closure;
mod data;
mod measure;
mod sha256;
mod steadiness;
mod still;
mod text;
mod threads;
mod words;

use pdiff_analysis::classify::Classification;
use pdiff_analysis::{CallTree, Comparison, FunctionCode, FunctionLines, Seconds, SettingsDiff};
use pdiff_profile::PerSide;
use pdiff_profile::census::Census;

use crate::attribution::view::AttributionView;
use crate::compare::comparability;
use crate::compare::families;
use crate::compare::noise_lines;
use crate::compare::notes;
use crate::compare::waiting;
use crate::error::Error;
use crate::inlines;
use crate::settings;
use crate::verdicts::hot_lines::SourceTexts;
use text::{escaped, escaped_within};

/// Everything that a report shows.
#[derive(Clone, Copy, Debug)]
pub struct ReportInput<'a> {
    /// The comparison, by function.
    pub comparison: &'a Comparison,
    /// The same by part of the program.
    pub subsystems: &'a Comparison,
    /// Why functions changed.
    pub classification: &'a Classification,
    /// Both sides' stacks.
    pub tree: &'a CallTree,
    /// Other trees of the same stacks, which a reader can choose.
    pub other_trees: &'a [OtherTree],
    /// The recordings over time, as a whole and of the functions of most weight.
    pub seconds: &'a Seconds,
    /// The hot lines of the functions that most is said about.
    pub lines: &'a [FunctionLines],
    /// The code of the most important of them in both builds side by side, the most important first.
    pub code: &'a [FunctionCode],
    /// The text of lines, as far as it is at hand.
    pub texts: &'a SourceTexts,
    /// How the servers' settings differ, where they are given.
    pub settings: Option<&'a SettingsDiff>,
    /// The gap attributed to factors, if benchmark runs are given.
    pub attribution: Option<AttributionView<'a>>,
    /// The facts of both builds of the program, base first, where their files were read.
    pub builds: PerSide<Option<&'a Census>>,
    /// The first line; one is made of the labels where there is none.
    pub title: Option<&'a str>,
    /// The command that makes this report.
    pub command: &'a str,
    /// The program that made it: name and version.
    pub tool: &'a str,
}

/// Another tree of the same stacks.
#[derive(Clone, Debug)]
pub struct OtherTree {
    /// The group whose threads alone it has; `None` if it has all, aligned at equal callers only.
    pub thread_group: Option<String>,
    /// The tree.
    pub tree: CallTree,
}

const STYLE: &str = include_str!("../../assets/report.css");
const SCRIPT: &str = concat!(
    include_str!("../../assets/report_table.js"),
    include_str!("../../assets/report_tree.js"),
    include_str!("../../assets/report_stacks.js"),
    include_str!("../../assets/report_flame.js"),
    include_str!("../../assets/report_code.js"),
    include_str!("../../assets/report_panel.js"),
    include_str!("../../assets/report_files.js"),
    include_str!("../../assets/report.js")
);

/// The page's own script runs, which is named by its hash, and nothing else; nothing is fetched, sent or framed.
fn policy(script: &str) -> String {
    let hash = sha256::sha256_base64(script);
    format!(
        "default-src 'none'; script-src 'sha256-{hash}'; style-src 'unsafe-inline'; base-uri 'none'; form-action 'none'"
    )
}

/// Bytes that a page has at most: what can be attached to a bug report anywhere. Words, tables and pictures that are
/// written out have limits each; data get what is left.
pub(crate) const PAGE_BYTES: usize = 2_000_000;

/// Bytes kept for the line on what is left out.
const LEFT_OUT_BYTES: usize = 2000;

/// The report as one HTML file of less than 2 MB. Data that does not fit is left out, the smallest first, and counted in
/// the notes and in the data.
///
/// # Errors
/// Returns an error if serialisation fails.
pub fn html_report(input: &ReportInput<'_>) -> Result<Vec<u8>, Error> {
    let comparison = input.comparison;
    let labels = format!("{} -> {}", comparison.before.label, comparison.after.label);
    let title = escaped(input.title.unwrap_or(&labels));
    let mut sections = sections(input)?;
    let script = format!("\n{SCRIPT}");
    let policy = policy(&script);
    let mut head = format!(
        "<!DOCTYPE html>\n<html lang=\"en\">\n<head>\n<meta charset=\"utf-8\">\n\
         <meta http-equiv=\"Content-Security-Policy\" content=\"{policy}\">\n\
         <meta name=\"viewport\" content=\"width=device-width, initial-scale=1\">\n\
         <meta name=\"color-scheme\" content=\"light dark\">\n<title>{title}</title>\n<style>\n{STYLE}</style>\n\
         <noscript><style>.drawn {{ display: none; }}</style></noscript>\n</head>\n\
         <body>\n<header>\n<h1>{title}</h1>\n"
    );
    head.push_str("</header>\n<nav aria-label=\"Contents\">");
    for section in &sections {
        head.push_str(&format!("<a href=\"#{}\">{}</a> ", section.id, section.title));
    }
    head.push_str("</nav>\n<main>\n");
    let foot = format!(
        "</main>\n<footer><p>Made by {} with</p><pre>{}</pre><p>All data of this page are in it as JSON: element \
         <code>data</code>, keys <code>compare</code>, <code>classify</code>, <code>tree</code>, <code>other_trees</code>, \
         <code>seconds</code>, <code>hot_lines</code>, <code>code</code> and, where given, \
         <code>settings</code> and <code>attribute</code>.</p></footer>\n\
         <script type=\"application/json\" id=\"data\">",
        escaped(input.tool),
        escaped_within(input.command, data::MOST_COMMAND)
    );
    let end = format!("</script>\n<script>{script}</script>\n</body>\n</html>\n");
    let written: usize = sections.iter().map(|section| section.html().len()).sum();
    let taken = head.len() + written + foot.len() + end.len() + LEFT_OUT_BYTES;
    let data = data::embedded(input, PAGE_BYTES.saturating_sub(taken))?;
    if let Some(notes) = sections.iter_mut().find(|section| section.id == NOTES) {
        notes.body.push_str(&blocks::lines(&data.left_out.blocks()));
    }
    let written: String = sections.iter().map(Section::html).collect();
    Ok([head, written, foot, data.json, end].concat().into_bytes())
}

/// The part in which is told what is left out.
const NOTES: &str = "notes";

struct Section {
    id: &'static str,
    title: &'static str,
    body: String,
}

impl Section {
    fn html(&self) -> String {
        let Self { id, title, body } = self;
        format!("<section id=\"{id}\">\n<h2>{title}</h2>\n{body}</section>\n")
    }
}

fn sections(input: &ReportInput<'_>) -> Result<Vec<Section>, Error> {
    let comparison = input.comparison;
    let section = |id, title, body| Section { id, title, body };
    let comparability = steadiness::picture(input) + &blocks::lines(&comparability::blocks(comparison, None));
    let measure = if comparison.cost.is_some() { MEASURE } else { "" };
    let mut sections = vec![
        section("summary", "The answer", words::summary(input)),
        section(
            "flame",
            "Flame graph",
            format!("{}<div class=\"drawn\">{FLAME_START}{measure}{FLAME}</div>\n", still::picture(input)),
        ),
        section(
            "functions",
            "Functions",
            format!("{}<div class=\"drawn\">{FUNCTIONS}</div>\n", still::functions(input)),
        ),
        section("closure", "Where the CPU goes", closure::charts(input)),
        section("comparability", "Are the sides comparable?", comparability),
        section("verdicts", "Verdicts", format!("{NO_SCRIPT}{VERDICTS}")),
    ];
    if let Some(view) = &input.attribution {
        sections.insert(1, section("factors", "The gap, attributed to factors", attribution::section(view)?));
    }
    let waits = waiting::blocks(comparison, None);
    if !waits.is_empty() {
        sections.insert(1, section("waiting", "Where threads wait", blocks::lines(&waits)));
    }
    let families = families_of(comparison);
    if !families.is_empty() {
        sections.push(section("families", "Inlining that moved weight", families));
    }
    if let Some(settings) = input.settings {
        let labels = PerSide::from_fn(|side| comparison.side(side).label.as_str());
        let page = settings::page::page(settings, labels, None, None);
        sections.push(section("settings", "Settings that differ", blocks::lines(&page)));
    }
    sections.push(section("compilers", "Compilers and flags", compilers(input)));
    let notes = [noise_lines::blocks(comparison), notes::blocks(comparison)].concat();
    sections.push(section(NOTES, "Noise and notes", blocks::lines(&notes)));
    Ok(sections)
}

fn families_of(comparison: &Comparison) -> String {
    blocks::lines(&families::all(comparison))
}

fn compilers(input: &ReportInput<'_>) -> String {
    match input.builds {
        PerSide { before: Some(before), after: Some(after) } => blocks::lines(&inlines::compilers::lists(before, after, None)),
        _ => "<p>Not known: the binaries of both builds were not read; give them with <code>--binary-before</code> and \
              <code>--binary-after</code>.</p>\n"
            .to_owned(),
    }
}

/// What the script fills; without it the reader is told.
const NO_SCRIPT: &str = "<noscript><p>This part is drawn by the page's own script, which does not run here; its data \
                         stand at the end of the file as JSON.</p></noscript>\n";

const FUNCTIONS: &str = concat!(
    "<form class=\"controls\" id=\"table-controls\"><label>Name matches <input type=\"search\" id=\"filter\" ",
    "autocomplete=\"off\"></label> <label><input type=\"checkbox\" id=\"significant\"> significant only</label> ",
    "<output id=\"shown\"></output> <button type=\"button\" id=\"save-csv\">Save CSV</button></form>\n<div class=\"wide\"><table id=\"rows\"></table></div>\n",
    "<p><button type=\"button\" id=\"more\" hidden>Show all</button></p>\n"
);

const VERDICTS: &str = concat!(
    "<div id=\"missing\"></div>\n<div id=\"cards\"></div>\n",
    "<p><button type=\"button\" id=\"all-cards\" hidden>Show all</button></p>\n"
);

/// Where operations are known, the page counts in costs, and can be switched.
const MEASURE: &str = concat!(
    "<fieldset><legend>Measure</legend>",
    "<label><input type=\"radio\" name=\"measure\" value=\"operation\" checked> per operation</label> ",
    "<label><input type=\"radio\" name=\"measure\" value=\"share\"> share</label></fieldset>",
);

const FLAME_START: &str = "<form class=\"controls\" id=\"flame-controls\">";

const FLAME: &str = concat!(
    "<fieldset><legend>Width</legend>",
    "<label><input type=\"radio\" name=\"view\" value=\"diff\" checked> larger of both</label> ",
    "<label><input type=\"radio\" name=\"view\" value=\"after\"> after</label> ",
    "<label><input type=\"radio\" name=\"view\" value=\"before\"> before</label> ",
    "<label><input type=\"radio\" name=\"view\" value=\"gone\"> gone (only before)</label></fieldset>",
    "<fieldset><legend>Colour</legend><label><input type=\"radio\" name=\"color\" value=\"total\" checked> total</label> ",
    "<label><input type=\"radio\" name=\"color\" value=\"self\"> self</label></fieldset>",
    "<fieldset><legend>Direction</legend>",
    "<label><input type=\"radio\" name=\"direction\" value=\"callees\" checked> roots first</label> ",
    "<label><input type=\"radio\" name=\"direction\" value=\"callers\"> leaves first</label></fieldset>",
    "<label hidden>Stacks <select id=\"stacks\"></select></label> ",
    "<label>Search <input type=\"search\" id=\"search\" autocomplete=\"off\"></label> <output id=\"found\"></output> ",
    "<button type=\"button\" id=\"unzoom\" disabled>Reset view</button> ",
    "<button type=\"button\" id=\"copy-link\">Copy link</button> ",
    "<button type=\"button\" id=\"save-svg\">Save SVG</button> <button type=\"button\" id=\"save-png\">Save PNG</button> ",
    "<output id=\"around\" class=\"strong\"></output></form>\n",
    "<p class=\"key\" id=\"key\"></p>\n<div id=\"flame-body\">",
    "<div id=\"graph\" tabindex=\"0\" role=\"application\" aria-label=\"Flame graph: arrows move, Enter zooms, s shows callers and callees, Escape resets\" ",
    "aria-describedby=\"frame\"></div>\n<aside id=\"frame\" aria-live=\"polite\" aria-label=\"The frame in focus\"></aside></div>\n",
    "<p class=\"key hint\">Click or Enter zooms, arrows move, s shows the callers and callees of a function, Escape resets. ",
    "The address keeps the view.</p>\n"
);

#[cfg(test)]
mod tests {
    #[test]
    fn the_script_cannot_end_its_own_element() {
        assert!(!super::SCRIPT.contains("</") && !super::SCRIPT.contains("<!--"));
    }
}
