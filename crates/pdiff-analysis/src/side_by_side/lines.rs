//! Which lines of the source of both builds are the same, whatever their numbers are.
//!
//! Lines keep their order within a function when lines before them come and go. So the lines of each source function are
//! aligned in order, with as much common code as possible: line 20 is line 23 of the other build if three lines were added
//! before it.

use std::collections::{BTreeMap, BTreeSet};

use pdiff_profile::{MachineCode, PerSide};

use super::WHOLE;
use super::common_subsequence::most_in_order;

/// Less common code, in parts of one, makes no pair of lines.
const LEAST_COMMON: f64 = 0.25;

/// What is added for the same distance from the function's first line: it decides between lines with the same code.
const SAME_DISTANCE: f64 = 0.01;

/// Lines of one source function are compared if the table of their pairs has at most so many cells.
const MOST_CELLS: usize = 1 << 20;

/// A place of one side: its number, its line, and its instructions as sorted tokens.
struct Line {
    place: usize,
    line: u32,
    tokens: Vec<u32>,
}

/// By place of the base build: the same place in the other.
pub(super) fn same_places(codes: PerSide<&MachineCode>, tokens: &PerSide<Vec<u32>>) -> Vec<Option<usize>> {
    let functions = codes.zip(tokens.as_ref()).map(|(code, tokens)| by_function(code, tokens));
    let mut same = vec![None; codes.before.places().len()];
    for (function, before) in &functions.before {
        let Some(after) = functions.after.get(function) else { continue };
        for (a, b) in same_lines(before, after) {
            if let Some(place) = same.get_mut(a) {
                *place = Some(b);
            }
        }
    }
    same
}

/// The lines of each source function in order. The function whose code it is has no name, since it may have another one
/// in each build; a part of it that was inlined into the rest is the same function.
fn by_function<'c>(code: &'c MachineCode, tokens: &[u32]) -> BTreeMap<&'c str, Vec<Line>> {
    let mut of_place: Vec<Vec<u32>> = vec![Vec::new(); code.places().len()];
    for (instruction, token) in code.instructions().iter().zip(tokens) {
        if let Some(of_place) = instruction.place.and_then(|place| of_place.get_mut(place)) {
            of_place.push(*token);
        }
    }
    let own: BTreeSet<&str> =
        code.places().iter().filter(|place| !place.inlined).map(|place| &*place.function).collect();
    let mut functions: BTreeMap<&str, Vec<Line>> = BTreeMap::new();
    for (place, (of, mut tokens)) in code.places().iter().zip(of_place).enumerate() {
        let Some(line) = of.line else { continue };
        tokens.sort_unstable();
        let function = if own.contains(&*of.function) { "" } else { &*of.function };
        functions.entry(function).or_default().push(Line { place, line, tokens });
    }
    functions.values_mut().for_each(|lines| lines.sort_by_key(|line| (line.line, line.place)));
    functions
}

/// Pairs of places, in order on both sides, with the most common code.
fn same_lines(before: &[Line], after: &[Line]) -> Vec<(usize, usize)> {
    let distance = |of: &Line, all: &[Line]| all.first().map(|first| of.line - first.line);
    let worth = |a: usize, b: usize| {
        let (a, b) = (&before[a], &after[b]);
        let common = common_part(&a.tokens, &b.tokens);
        let is_same_distance = distance(a, before) == distance(b, after);
        let worth = common + if is_same_distance { SAME_DISTANCE } else { 0.0 };
        (common >= LEAST_COMMON).then_some((worth * f64::from(WHOLE)) as u32)
    };
    let pairs = most_in_order(before.len(), after.len(), MOST_CELLS, worth);
    pairs.into_iter().map(|(a, b)| (before[a].place, after[b].place)).collect()
}

/// Twice what two sorted lists have in common over the length of both.
pub(super) fn common_part(a: &[u32], b: &[u32]) -> f64 {
    let (mut at, mut of, mut common) = (0, 0, 0);
    while let (Some(x), Some(y)) = (a.get(at), b.get(of)) {
        common += usize::from(x == y);
        at += usize::from(x <= y);
        of += usize::from(y <= x);
    }
    2.0 * common as f64 / (a.len() + b.len()).max(1) as f64
}

#[cfg(test)]
mod tests {
    use super::*;

    fn lines(of: &[(u32, &[u32])]) -> Vec<Line> {
        let line = |(place, (line, tokens)): (usize, &(u32, &[u32]))| Line {
            place,
            line: *line,
            tokens: tokens.to_vec(),
        };
        of.iter().enumerate().map(line).collect()
    }

    fn check(before: &[(u32, &[u32])], after: &[(u32, &[u32])], expected: &[(u32, u32)]) {
        let found = same_lines(&lines(before), &lines(after));
        let found: Vec<(u32, u32)> = found.iter().map(|(a, b)| (before[*a].0, after[*b].0)).collect();
        assert_eq!(found, expected);
    }

    #[test]
    fn lines_are_the_same_though_their_numbers_are_not() {
        let before: [(u32, &[u32]); 3] = [(10, &[1, 2]), (11, &[3]), (12, &[4, 5])];
        check(&before, &before, &[(10, 10), (11, 11), (12, 12)]);
        check(
            &before,
            &[(20, &[1, 2]), (21, &[9, 9]), (22, &[3]), (23, &[4, 5])],
            &[(10, 20), (11, 22), (12, 23)],
        );
        check(&before, &[(10, &[4, 5])], &[(12, 10)]);
    }

    #[test]
    fn of_lines_with_the_same_code_those_at_the_same_distance_are_the_same() {
        check(&[(10, &[8]), (12, &[1]), (13, &[1])], &[(10, &[8]), (13, &[1])], &[(10, 10), (13, 13)]);
    }

    #[test]
    fn lines_without_common_code_are_not_the_same() {
        check(&[(10, &[1, 2, 3])], &[(10, &[4, 5, 6])], &[]);
    }
}
