//! The longest common subsequence of two lists of instructions: which of them are the same on both sides.
//!
//! Cost: the product of both lengths; of lists that are too long for that only what both begin and end with is common.

use pdiff_profile::{MachineCode, PerSide};
use rustc_hash::FxHashMap;

/// Most cells of the table.
const MOST_CELLS: usize = 1 << 22;

/// By instruction: a number that is equal for instructions of one opcode that call the same function.
pub(super) fn tokens(codes: PerSide<&MachineCode>) -> PerSide<Vec<u32>> {
    let mut known = FxHashMap::default();
    codes.map(|code| {
        let key = |of: &'_ pdiff_profile::Instruction| (of.opcode.clone(), of.callee.clone());
        let mut token = |of| {
            let next = known.len() as u32;
            *known.entry(key(of)).or_insert(next)
        };
        code.instructions().iter().map(&mut token).collect()
    })
}

/// Both lists beside each other, in order: what is common in one row, what is not in a row of its own. What only the first
/// has comes first.
pub(super) fn side_by_side(before: &[u32], after: &[u32]) -> Vec<PerSide<Option<usize>>> {
    let common = common(before, after);
    let mut rows = Vec::with_capacity(before.len() + after.len() - common.len());
    let (mut a, mut b) = (0, 0);
    for (to_a, to_b) in common.into_iter().chain([(before.len(), after.len())]) {
        rows.extend((a..to_a).map(|at| PerSide::new(Some(at), None)));
        rows.extend((b..to_b).map(|at| PerSide::new(None, Some(at))));
        if to_a < before.len() && to_b < after.len() {
            rows.push(PerSide::new(Some(to_a), Some(to_b)));
        }
        (a, b) = (to_a + 1, to_b + 1);
    }
    rows
}

/// The positions of what is common.
pub(super) fn common(before: &[u32], after: &[u32]) -> Vec<(usize, usize)> {
    let start = before.iter().zip(after).take_while(|(a, b)| a == b).count();
    let (rest_before, rest_after) = (before.get(start..).unwrap_or(&[]), after.get(start..).unwrap_or(&[]));
    let end = rest_before.iter().rev().zip(rest_after.iter().rev()).take_while(|(a, b)| a == b).count();
    let middle = |of: &'_ [u32]| start..of.len() - end;
    let (of_before, of_after) = (middle(before), middle(after));
    let mut found: Vec<(usize, usize)> = (0..start).map(|at| (at, at)).collect();
    found.extend(
        common_of_middle(
            before.get(of_before.clone()).unwrap_or(&[]),
            after.get(of_after.clone()).unwrap_or(&[]),
        )
        .into_iter()
        .map(|(a, b)| (start + a, start + b)),
    );
    found.extend((0..end).map(|at| (of_before.end + at, of_after.end + at)));
    found
}

fn common_of_middle(before: &[u32], after: &[u32]) -> Vec<(usize, usize)> {
    let worth = |a: usize, b: usize| (before[a] == after[b]).then_some(1);
    most_in_order(before.len(), after.len(), MOST_CELLS, worth)
}

/// The pairs of two lists that are worth most together, in order on both sides: a longest common subsequence if all are worth
/// the same. None if the table has more than `most` cells.
pub(super) fn most_in_order(
    before: usize,
    after: usize,
    most: usize,
    worth: impl Fn(usize, usize) -> Option<u32>,
) -> Vec<(usize, usize)> {
    let width = after + 1;
    let cells = width.saturating_mul(before + 1);
    if before == 0 || after == 0 || cells > most {
        return Vec::new();
    }
    // By cell: the most that can be had of what follows on both sides.
    let mut rest = vec![0_u32; cells];
    let with_pair = |rest: &[u32], a: usize, b: usize| {
        worth(a, b).map(|worth| worth.saturating_add(rest[(a + 1) * width + b + 1]))
    };
    for a in (0..before).rev() {
        for b in (0..after).rev() {
            let without = rest[(a + 1) * width + b].max(rest[a * width + b + 1]);
            rest[a * width + b] = with_pair(&rest, a, b).map_or(without, |with| with.max(without));
        }
    }
    let (mut a, mut b, mut found) = (0, 0, Vec::new());
    while a < before && b < after {
        if with_pair(&rest, a, b) == Some(rest[a * width + b]) {
            found.push((a, b));
            (a, b) = (a + 1, b + 1);
        } else if rest[(a + 1) * width + b] >= rest[a * width + b + 1] {
            a += 1;
        } else {
            b += 1;
        }
    }
    found
}

#[cfg(test)]
mod tests {
    use super::*;

    fn check(before: &[u32], after: &[u32], expected: &str) {
        let mark = |row: &PerSide<Option<usize>>| match (row.before, row.after) {
            (Some(a), Some(b)) => {
                assert_eq!(before[a], after[b]);
                '='
            }
            (Some(_), None) => '-',
            _ => '+',
        };
        let rows = side_by_side(before, after);
        assert_eq!(rows.iter().map(mark).collect::<String>(), expected, "{before:?} {after:?}");
        let all = |side: fn(&PerSide<Option<usize>>) -> Option<usize>, length: usize| {
            assert_eq!(rows.iter().filter_map(side).collect::<Vec<_>>(), (0..length).collect::<Vec<_>>());
        };
        all(|row| row.before, before.len());
        all(|row| row.after, after.len());
    }

    #[test]
    fn what_is_common_is_in_one_row() {
        check(&[1, 2, 3], &[1, 2, 3], "===");
        check(&[1, 2, 3], &[1, 9, 2, 3], "=+==");
        check(&[1, 2, 3], &[3], "--=");
        check(&[1, 2], &[7, 8], "--++");
        check(&[], &[7], "+");
        check(&[], &[], "");
        check(&[1, 5, 2, 6, 3], &[1, 2, 7, 3, 8], "=-=-+=+");
        check(&[1, 1, 1], &[1, 1], "==-");
    }

    #[test]
    fn lists_too_long_for_a_table_share_begin_and_end() {
        let before: Vec<u32> = (0..3000).collect();
        let mut after = before.clone();
        after[10] = 9999;
        after[2990] = 9999;
        let common = common(&before, &after);
        assert_eq!(common.len(), 10 + 9);
    }
}
