//! Folded stacks, root first, as `FlameGraph` and inferno read them: `a;b;c 10`, or `a;b;c 10 12` with both sides'
//! weights, which is what `difffolded.pl` and `inferno-diff-folded` write.

use std::io::Write;

use pdiff_analysis::{TreeFrame, TreeNode};

use super::xml_text::plain;
use super::{FlameInput, FlameView};
use crate::error::Error;

/// Writes one line for each stack that has weight in the view; both sides' weights for [`FlameView::Both`].
///
/// # Errors
/// If `out` does not take it.
pub fn write_folded(input: &FlameInput<'_>, view: FlameView, out: &mut dyn Write) -> Result<(), Error> {
    let tree = input.tree;
    let names: Vec<String> = tree.functions.iter().map(|function| frame_name(&function.name)).collect();
    let subsystems: Vec<String> = tree.subsystems.iter().map(|name| frame_name(name)).collect();
    let mut path = String::new();
    let mut ends: Vec<usize> = Vec::new();
    for node in tree.nodes.iter().skip(1) {
        ends.truncate(node.depth as usize - 1);
        path.truncate(ends.last().copied().unwrap_or(0));
        if !path.is_empty() {
            path.push(';');
        }
        path.push_str(match node.frame {
            TreeFrame::Function(index) => names.get(index).map_or("", String::as_str),
            TreeFrame::Subsystem(index) => subsystems.get(index).map_or("", String::as_str),
            TreeFrame::Pruned { .. } => "[pruned]",
            TreeFrame::Root => "all",
        });
        ends.push(path.len());
        if let Some(weights) = weights(node, view) {
            writeln!(out, "{path} {weights}").map_err(|source| Error::Write { source })?;
        }
    }
    Ok(())
}

fn weights(node: &TreeNode, view: FlameView) -> Option<String> {
    let (before, after) = (node.before.self_weight, node.after.self_weight);
    let one = |weight: u64| (weight > 0).then(|| weight.to_string());
    match view {
        FlameView::Both => (before + after > 0).then(|| format!("{before} {after}")),
        FlameView::Before => one(before),
        FlameView::After => one(after),
        FlameView::Gone if node.after.total_weight == 0 => one(before),
        FlameView::Gone => None,
    }
}

/// A name that cannot be taken for two frames, for a weight, or for a comment.
fn frame_name(name: &str) -> String {
    let mut text = plain(name).replace(';', ",").trim().to_owned();
    let is_number = |word: &&str| {
        word.starts_with(|first: char| first.is_ascii_digit())
            && word.bytes().all(|byte| byte.is_ascii_digit() || matches!(byte, b'.' | b'_'))
    };
    // Numbers at the end are joined to what is before them: `f 10 12` becomes `f_10_12`.
    let numbers: usize = text.rsplit(' ').take_while(is_number).map(|number| number.len() + 1).sum();
    let (head, tail) = text.split_at(text.len().saturating_sub(numbers));
    text = format!("{head}{}", tail.replace(' ', "_"));
    if text.starts_with('#') {
        text.insert(0, '_');
    }
    if text.is_empty() { "[unknown]".to_owned() } else { text }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn no_name_is_taken_for_something_else() {
        let check = |name: &str, expected: &str| assert_eq!(frame_name(name), expected);
        check("operator new", "operator new");
        check("[u8; 8]", "[u8, 8]");
        check("f 10 12", "f_10_12");
        check("10 12", "10_12");
        check("f  10", "f _10");
        check(&format!("f{}", " 1".repeat(300_000)), &format!("f{}", "_1".repeat(300_000)));
        check("# f", "_# f");
        check("a\nb", "a\\x0ab");
        check(" ", "[unknown]");
    }
}
