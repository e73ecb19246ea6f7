//! The colours of frames: blue is less, orange is more, grey is within noise; hatched is on one side only.
//!
//! Blue and orange differ for every common kind of colour blindness, and in luminance, too; marks, hatching and titles say the same without
//! colour.

use pdiff_analysis::{CallTree, TreeFrame, TreeNode};

use super::change::Terms;

/// A colour, red, green, blue.
type Rgb = [u8; 3];

const LEAST_MORE: Rgb = [253, 228, 200];
const MOST_MORE: Rgb = [245, 150, 50];
const LEAST_LESS: Rgb = [214, 230, 246];
const MOST_LESS: Rgb = [60, 130, 205];
const NOISE: Rgb = [238, 238, 238];
const PLAIN: Rgb = [245, 245, 245];
const PRUNED: Rgb = [248, 248, 248];

/// What a change says, in the least words.
#[derive(Clone, Copy, PartialEq, Debug)]
pub(super) enum Tone {
    /// Nothing to compare.
    Plain,
    /// Frames that are not shown one by one.
    Pruned,
    /// No more than noise.
    Noise,
    /// Only in After, and no more than noise.
    NewNoise,
    /// Only in Before, and no more than noise.
    GoneNoise,
    /// More than before: 0 to 1.
    More(f64),
    /// Less than before: 0 to 1.
    Less(f64),
    /// Only in After.
    New,
    /// Only in Before.
    Gone,
}

/// How far along its scale a change is drawn at least, so that it is never paler than noise and its direction shows.
const LEAST_STRENGTH: f64 = 0.4;

/// The tone of a frame; a change of `full` or more has the full colour.
pub(super) fn tone(tree: &CallTree, node: &TreeNode, terms: &Terms<'_>, full: f64) -> Tone {
    if matches!(node.frame, TreeFrame::Pruned { .. }) {
        return Tone::Pruned;
    }
    let Some(change) = terms.change(node).filter(|_| node.parent.is_some()) else { return Tone::Plain };
    let is_marked = tree.is_marked(node);
    let is_new = node.before.total_weight == 0 && is_marked;
    let is_gone = node.after.total_weight == 0 && is_marked;
    if !change.significant {
        return match (is_new, is_gone) {
            (true, _) => Tone::NewNoise,
            (_, true) => Tone::GoneNoise,
            _ => Tone::Noise,
        };
    }
    let delta = change.delta();
    let strength = if full > 0.0 { (delta.abs() / full).sqrt().clamp(LEAST_STRENGTH, 1.0) } else { 1.0 };
    match (is_new, is_gone) {
        (true, _) => Tone::New,
        (_, true) => Tone::Gone,
        _ if delta > 0.0 => Tone::More(strength),
        _ => Tone::Less(strength),
    }
}

/// The value of the attribute `fill`.
pub(super) fn fill(tone: Tone) -> String {
    let rgb = |[r, g, b]: Rgb| format!("rgb({r},{g},{b})");
    match tone {
        Tone::Plain => rgb(PLAIN),
        Tone::Pruned => rgb(PRUNED),
        Tone::Noise => rgb(NOISE),
        Tone::NewNoise => "url(#new-noise)".to_owned(),
        Tone::GoneNoise => "url(#gone-noise)".to_owned(),
        Tone::New => "url(#new)".to_owned(),
        Tone::Gone => "url(#gone)".to_owned(),
        Tone::More(strength) => rgb(between(LEAST_MORE, MOST_MORE, strength)),
        Tone::Less(strength) => rgb(between(LEAST_LESS, MOST_LESS, strength)),
    }
}

/// The direction of a change as the start of a frame's label; empty where there is none.
pub(super) fn mark(tone: Tone) -> &'static str {
    match tone {
        Tone::More(_) | Tone::New => "\u{25b2} ",
        Tone::Less(_) | Tone::Gone => "\u{25bc} ",
        Tone::Plain | Tone::Pruned | Tone::Noise | Tone::NewNoise | Tone::GoneNoise => "",
    }
}

/// A warm colour that goes by the function's name, for a profile on its own (FNV-1a).
pub(super) fn fill_by_name(name: &str) -> String {
    let hash =
        name.bytes().fold(0x811c_9dc5_u32, |hash, byte| (hash ^ u32::from(byte)).wrapping_mul(0x0100_0193));
    let [a, b, ..] = hash.to_le_bytes();
    format!("rgb({},{},{})", 225 + a % 30, 150 + b % 70, 90 + (a ^ b) % 50)
}

fn between(from: Rgb, to: Rgb, strength: f64) -> Rgb {
    let mix =
        |from: u8, to: u8| (f64::from(from) + (f64::from(to) - f64::from(from)) * strength).round() as u8;
    [mix(from[0], to[0]), mix(from[1], to[1]), mix(from[2], to[2])]
}

/// The hatchings, as content of `<defs>`. New leans right, gone leans left.
pub(super) fn patterns() -> String {
    let pattern = |id: &str, angle: i32, ground: &str, line: &str| {
        format!(
            "<pattern id=\"{id}\" width=\"7\" height=\"7\" patternUnits=\"userSpaceOnUse\" \
             patternTransform=\"rotate({angle})\"><rect width=\"7\" height=\"7\" fill=\"{ground}\"/>\
             <rect width=\"2\" height=\"7\" fill=\"{line}\"/></pattern>"
        )
    };
    [
        pattern("new", 45, "rgb(253,212,160)", "rgb(235,140,50)"),
        pattern("gone", -45, "rgb(196,220,244)", "rgb(100,160,220)"),
        pattern("new-noise", 45, "rgb(242,240,237)", "rgb(226,221,214)"),
        pattern("gone-noise", -45, "rgb(238,240,242)", "rgb(217,222,227)"),
    ]
    .concat()
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Relative luminance, as WCAG defines it.
    fn luminance(rgb: Rgb) -> f64 {
        let linear = |part: u8| {
            let part = f64::from(part) / 255.0;
            if part <= 0.039_28 { part / 12.92 } else { ((part + 0.055) / 1.055).powf(2.4) }
        };
        0.2126 * linear(rgb[0]) + 0.7152 * linear(rgb[1]) + 0.0722 * linear(rgb[2])
    }

    #[test]
    fn the_least_change_beyond_noise_is_darker_than_noise_and_names_can_be_read_on_all_colours() {
        let least =
            [between(LEAST_MORE, MOST_MORE, LEAST_STRENGTH), between(LEAST_LESS, MOST_LESS, LEAST_STRENGTH)];
        for color in least {
            assert!(luminance(color) + 0.1 < luminance(NOISE), "{color:?}");
        }
        let ratio = (luminance(MOST_MORE) + 0.05) / (luminance(MOST_LESS) + 0.05);
        assert!(ratio > 1.5, "more and less differ without hue: {ratio}");
        for color in [MOST_MORE, MOST_LESS, least[0], least[1], NOISE] {
            let contrast = (luminance(color) + 0.05) / 0.05;
            assert!(contrast >= 4.5, "{color:?} {contrast}");
        }
    }
}
