//! One function in full: the verdict and every fact behind it.

use pdiff_analysis::classify::{Evidence, Verdict};

use crate::options::TableOptions;
use crate::page::{Block, Line, Tone, apart};
use crate::{markdown, table};

/// The verdicts on one function with all their evidence; `facts` is what the builds hold of a function that neither run
/// sampled.
#[must_use]
pub fn explain_text(name: &str, verdicts: &[Verdict], facts: &[Evidence], options: &TableOptions) -> String {
    let width = table::readable_width(options.width);
    table::draw(&page(name, verdicts, facts), width, options.color)
}

/// The same as markdown.
#[must_use]
pub fn explain_markdown(name: &str, verdicts: &[Verdict], facts: &[Evidence]) -> String {
    markdown::draw(&page(name, verdicts, facts))
}

fn page(name: &str, verdicts: &[Verdict], facts: &[Evidence]) -> Vec<Block> {
    let unsampled = if facts.is_empty() {
        Vec::new()
    } else {
        let title = Line::toned("function", format!("{name}: no samples in either run"), Tone::Strong);
        [title].into_iter().chain(facts.iter().map(fact)).collect()
    };
    apart(verdicts.iter().map(verdict).chain([unsampled]))
}

fn verdict(of: &Verdict) -> Vec<Block> {
    let title = format!("{} ({})", of.function, of.object);
    let mut blocks = vec![
        Line::toned("function", title, Tone::Strong),
        Line::block("verdict", format!("{}, {} ({})", of.cause, of.confidence, of.rule_id)),
        Line::block("why", &of.reason),
    ];
    blocks.extend(of.limited_by.as_ref().map(|why| Line::block("limited", why)));
    let tags: Vec<&str> = of.tags.iter().map(|tag| tag.as_str()).collect();
    if !tags.is_empty() {
        blocks.push(Line::block("tags", tags.join(", ")));
    }
    blocks.push(Line::block("in build", format!("before: {}, after: {}", of.in_before, of.in_after)));
    blocks.extend(of.evidence.iter().map(fact));
    blocks
}

fn fact(of: &Evidence) -> Block {
    let side = of.side.map_or_else(String::new, |side| format!("{side}: "));
    Line::block(of.kind.as_str(), format!("{side}{}", of.text))
}
