//! The picture of a page whose script does not run: the widest frames of both sides, as shapes that need nothing.

use pdiff_analysis::TreeNode;
use pdiff_profile::{PerSide, Side};

use super::change::Terms;
use super::paint::{Tone, mark, tone};
use super::title::Titles;
use super::xml_text::{escaped, plain};
use super::{FlameColor, FlameInput, FlameTerms};
use crate::document::number::fixed;
use crate::document::visible_text::cut_end;

/// Units of the whole width.
const WIDTH: f64 = 1000.0;

/// Frames narrower than this part of the whole are left out.
const LEAST_PART: f64 = 0.01;

/// Frames at most: what is deeper than that is left out.
const MOST_FRAMES: usize = 250;

const LEVEL: usize = 18;

/// Width of a character.
const CHARACTER: f64 = 7.0;

struct Place {
    node: usize,
    x: f64,
    width: f64,
}

/// The widest frames as SVG inside HTML, roots on top; the larger side is a frame's width, in the page's measure.
pub(crate) fn still_picture(input: &FlameInput<'_>) -> String {
    let nodes = &input.tree.nodes;
    let terms =
        Terms::new(input.comparison, input.tree.side_weights, (FlameColor::Total, FlameTerms::PerOperation))
            .of_frames(nodes);
    let places = places(input, &terms);
    let full = full_change(&places, nodes, &terms);
    let titles = Titles::new(*input, terms);
    let deepest = places.iter().map(|place| nodes[place.node].depth as usize).max().unwrap_or(0);
    let height = (deepest + 1) * LEVEL;
    let mut out = format!(
        "<svg class=\"still\" viewBox=\"0 0 {WIDTH} {height}\" role=\"img\" aria-label=\"Flame graph, the {} widest frames\">\n",
        places.len()
    );
    for place in &places {
        let node = &nodes[place.node];
        let title = titles.of_node(node);
        let tone = tone(input.tree, node, &terms, full);
        let y = node.depth as usize * LEVEL;
        let (x, width) = (fixed(place.x, 2), fixed(place.width, 2));
        out.push_str(&format!(
            "<g><title>{}</title><rect x=\"{x}\" y=\"{y}\" width=\"{width}\" height=\"{}\" {}/>",
            escaped(&cut_end(&format!("{} ({})", title.name, title.details), MOST_OF_A_TITLE)),
            LEVEL - 1,
            look(tone)
        ));
        let fitting = ((place.width - 6.0) / CHARACTER).max(0.0) as usize;
        if fitting >= 3 {
            let label = format!("{}{}", mark(tone), plain(&title.name));
            let x = fixed(place.x + 3.0, 2);
            out.push_str(&format!(
                "<text x=\"{x}\" y=\"{}\">{}</text>",
                y + 13,
                escaped(&cut_end(&label, fitting))
            ));
        }
        out.push_str("</g>\n");
    }
    out.push_str("</svg>\n");
    out
}

/// Characters of what a frame says.
const MOST_OF_A_TITLE: usize = 300;

/// Class and strength, which the page's style turns into a colour of its theme.
fn look(tone: Tone) -> String {
    let strong = |class: &str, strength: f64| {
        format!("class=\"{class}\" style=\"--strength:{}%\"", fixed(100.0 * strength, 0))
    };
    match tone {
        Tone::Plain | Tone::Pruned => "class=\"plain\"".to_owned(),
        Tone::Noise | Tone::NewNoise | Tone::GoneNoise => "class=\"noise\"".to_owned(),
        Tone::More(strength) => strong("more", strength),
        Tone::Less(strength) => strong("less", strength),
        Tone::New => strong("more one-sided", 0.5),
        Tone::Gone => strong("less one-sided", 0.5),
    }
}

fn places(input: &FlameInput<'_>, terms: &Terms<'_>) -> Vec<Place> {
    let nodes = &input.tree.nodes;
    let scale = PerSide::from_fn(|side| {
        let of_side = terms.cost().map_or(1.0, |cost| match side {
            Side::Before => cost.per_op.before,
            Side::After => cost.per_op.after,
        });
        of_side / input.tree.side_weights[side].max(1) as f64
    });
    let own = |node: &TreeNode| {
        (node.before.self_weight as f64 * scale.before).max(node.after.self_weight as f64 * scale.after)
    };
    let mut widths: Vec<f64> = nodes.iter().map(own).collect();
    for (index, node) in nodes.iter().enumerate().rev() {
        if let Some(parent) = node.parent {
            widths[parent] += widths[index];
        }
    }
    let whole = widths.first().copied().unwrap_or(0.0);
    if whole <= 0.0 {
        return Vec::new();
    }
    let mut lefts = vec![0.0; nodes.len()];
    // Where the next child of each frame begins.
    let mut next = vec![0.0; nodes.len()];
    let mut places = Vec::new();
    for (index, node) in nodes.iter().enumerate() {
        if let Some(parent) = node.parent {
            lefts[index] = next[parent];
            next[parent] += widths[index];
        }
        next[index] = lefts[index];
        if widths[index] >= LEAST_PART * whole {
            let (x, width) = (WIDTH * lefts[index] / whole, WIDTH * widths[index] / whole);
            places.push(Place { node: index, x, width });
        }
    }
    places.sort_by_key(|place| nodes[place.node].depth);
    places.truncate(MOST_FRAMES);
    places
}

/// So many of the frames beyond noise lie within the colour scale.
const SCALE_PART: f64 = 0.95;

fn full_change(places: &[Place], nodes: &[TreeNode], terms: &Terms<'_>) -> f64 {
    let changes = places.iter().filter_map(|place| terms.change(&nodes[place.node]));
    let mut sizes: Vec<f64> =
        changes.filter(|change| change.significant).map(|change| change.delta().abs()).collect();
    sizes.sort_by(f64::total_cmp);
    let last = sizes.len().saturating_sub(1);
    sizes.get((SCALE_PART * last as f64) as usize).copied().unwrap_or(0.0)
}
