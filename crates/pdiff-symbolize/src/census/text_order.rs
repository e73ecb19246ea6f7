//! Sorting rows by texts with long common beginnings, such as names of template libraries.
//!
//! Comparing two such names reads what they have in common each time, from two places in memory. Here texts are sorted by
//! eight bytes at a time, which are held beside the row; those equal so far are sorted by the next eight. It is the idea
//! of multikey quicksort (Bentley and Sedgewick, "Fast algorithms for sorting and searching strings", 1997).

use std::cmp::Ordering;

/// So few rows are compared unchanged.
const FEW: usize = 12;
/// Texts equal in so many bytes are compared unchanged, so that recursion has an end.
const MAX_DEPTH_BYTES: usize = 1024;
const BLOCK_BYTES: usize = 8;

struct Keyed<'t, R> {
    block: u64,
    text: &'t str,
    row: R,
}

/// The rows by their texts, then as `order_equal` says.
pub(super) fn sort_by_text<'t, R>(
    rows: impl Iterator<Item = (&'t str, R)>,
    order_equal: impl Fn(&R, &R) -> Ordering,
) -> Vec<(&'t str, R)> {
    let mut keyed: Vec<Keyed<'t, R>> = rows.map(|(text, row)| Keyed { block: 0, text, row }).collect();
    sort(&mut keyed, 0, &order_equal);
    keyed.into_iter().map(|keyed| (keyed.text, keyed.row)).collect()
}

/// Sorts rows whose texts have their first `depth` bytes in common.
fn sort<R>(rows: &mut [Keyed<'_, R>], depth: usize, order_equal: &impl Fn(&R, &R) -> Ordering) {
    if rows.len() <= FEW || depth >= MAX_DEPTH_BYTES {
        rows.sort_unstable_by(|a, b| a.text.cmp(b.text).then_with(|| order_equal(&a.row, &b.row)));
        return;
    }
    for row in rows.iter_mut() {
        row.block = block_at(row.text, depth);
    }
    rows.sort_unstable_by_key(|row| row.block);
    for equal in rows.chunk_by_mut(|a, b| a.block == b.block) {
        let goes_on = equal.first().is_some_and(|row| row.text.len() > depth + BLOCK_BYTES);
        if equal.len() > 1 {
            sort(equal, if goes_on { depth + BLOCK_BYTES } else { MAX_DEPTH_BYTES }, order_equal);
        }
    }
}

/// Eight bytes as a number that orders as they do; zero where the text has ended.
fn block_at(text: &str, depth: usize) -> u64 {
    let rest = text.as_bytes().get(depth..).unwrap_or(&[]);
    let mut block = [0; BLOCK_BYTES];
    let length = rest.len().min(BLOCK_BYTES);
    block.iter_mut().zip(rest.iter().take(length)).for_each(|(to, from)| *to = *from);
    u64::from_be_bytes(block)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn texts_are_sorted_as_by_comparing_them() {
        let endings = ["", "a", "b", "ab", "aaaaaaaa", "aaaaaaaab", "\0", "\0\0", "aaaaaaa\0", "zz", "é"];
        let beginnings = [String::new(), "std::".into(), "n".repeat(8), "n".repeat(2000)];
        let texts: Vec<String> = beginnings
            .iter()
            .flat_map(|beginning| endings.iter().map(move |ending| format!("{beginning}{ending}")))
            .collect();
        // Each text twice, the second half in the other order; equal ones by number, from the last on.
        let rows: Vec<(&str, usize)> = texts
            .iter()
            .chain(texts.iter().rev())
            .enumerate()
            .map(|(number, text)| (&**text, number))
            .collect();
        let mut expected = rows.clone();
        expected.sort_by(|a, b| a.0.cmp(b.0).then(b.1.cmp(&a.1)));
        assert_eq!(sort_by_text(rows.into_iter(), |a, b| b.cmp(a)), expected);
    }
}
