//! What the conditions in a function's code ask in both builds: whether the same is asked, in other words or of a record with another layout,
//! and what is gone.

use pdiff_profile::{PerSide, Side};

use super::code_counts::{code_bytes, only_copy};
use crate::classify::case::Case;
use crate::classify::context::Context;
use crate::classify::like_code::Likeness;

/// What the conditions ask that a function's code has more on one side, sorted; `None` if that is not known.
pub(in crate::classify) fn conditions_beyond(
    context: &Context<'_>,
    case: &Case<'_>,
    side: Side,
) -> Option<Vec<Box<str>>> {
    let of = |side: Side| context.input.paths?.conditions(side, &only_copy(context, case, side)?);
    Some(beyond(of(side)?, of(side.other())?))
}

/// Of code that only has other registers, this part of the length may differ.
const OTHER_LENGTH: f64 = 0.05;

/// Whether a function's code in both builds asks the same and calls the same functions, and has about the same length: as if the compiler
/// only kept numbers in other registers.
pub(super) fn asks_and_calls_the_same(context: &Context<'_>, case: &Case<'_>) -> bool {
    let bytes = code_bytes(context, case).map(|bytes| bytes as f64);
    let conditions = |side: Side| context.input.paths?.conditions(side, &only_copy(context, case, side)?);
    let is_near = bytes.before > 0.0 && (bytes.after - bytes.before).abs() <= OTHER_LENGTH * bytes.before;
    is_near
        && context.builds.likeness(&case.ids) != Some(Likeness::Constants)
        && context.builds.has_same_calls(&case.ids)
        && conditions(Side::Before).zip(conditions(Side::After)).is_some_and(|(before, after)| {
            let kinds = if context.has_other_layout { ALIKE } else { &ALIKE[..2] };
            before.len() == after.len() && without_alike(before, &after, kinds).is_empty()
        })
}

/// How two conditions can ask the same, most alike first: in the same words, in a register or in memory, or of another place in a record.
const ALIKE: &[fn(&str, &str) -> bool] = &[|own, other| own == other, asks_alike, asks_of_other_place];

/// What is left of some conditions without others, each of which takes one away: the same, or else one that asks alike.
fn without_alike(
    mut rest: Vec<Box<str>>,
    others: &[Box<str>],
    kinds: &[fn(&str, &str) -> bool],
) -> Vec<Box<str>> {
    let mut take = |asks: &str, is_it: fn(&str, &str) -> bool| {
        let at = rest.iter().position(|own| is_it(own, asks));
        at.map(|at| rest.remove(at)).is_some()
    };
    let mut others: Vec<&str> = others.iter().map(|asks| &**asks).collect();
    for is_it in kinds {
        others.retain(|asks| !take(asks, *is_it));
    }
    rest
}

/// What all conditions in a function's code ask before, and after together with those of functions that it contained before and calls now.
fn asked_with(
    context: &Context<'_>,
    case: &Case<'_>,
    moved_out: &[&Case<'_>],
) -> Option<PerSide<Vec<Box<str>>>> {
    let of =
        |case: &Case<'_>, side: Side| context.input.paths?.conditions(side, &only_copy(context, case, side)?);
    let (before, mut after) = (of(case, Side::Before)?, of(case, Side::After)?);
    after.extend(moved_out.iter().filter_map(|out| of(out, Side::After)).flatten());
    Some(PerSide::new(before, after))
}

/// Whether a function's code lost no condition but those that stand in functions which it contained before and calls now. A record may have
/// another layout, and of conditions that do not tell what they ask as many new ones are enough: a compiler may use other words.
pub(super) fn keeps_its_checks(context: &Context<'_>, case: &Case<'_>, moved_out: &[&Case<'_>]) -> bool {
    let Some(PerSide { before, after }) = asked_with(context, case, moved_out) else { return false };
    let (lost, new) = (without_alike(before.clone(), &after, ALIKE), without_alike(after, &before, ALIKE));
    lost.len() <= new.len() && !lost.iter().any(|asks| is_telling(asks))
}

/// Whether a function's code, with that of functions which it contained before and calls now, asks another number of the same place: it may
/// call them for other values.
pub(super) fn asks_another_number(context: &Context<'_>, case: &Case<'_>, moved_out: &[&Case<'_>]) -> bool {
    let Some(PerSide { before, after }) = asked_with(context, case, moved_out) else { return false };
    let (lost, new) = (beyond(before.clone(), after.clone()), beyond(after, before));
    // In a large function many differ, as its code is laid out anew.
    let (Some(lost), Some(new)) = (only(&lost), only(&new)) else { return false };
    is_telling(lost) && is_telling(new) && is_with_other_number(lost, new)
}

fn only(asks: &[Box<str>]) -> Option<&str> {
    if let [only] = asks { Some(only) } else { None }
}

/// Whether two conditions ask the same of the same place, but for another number.
fn is_with_other_number(one: &str, other: &str) -> bool {
    let words = |asks: &str| asks.split([' ', ',']).map(str::to_owned).collect::<Vec<_>>();
    let (one, other) = (words(one), words(other));
    let is_number = |word: &str| word.parse::<i64>().is_ok();
    let differs = one.iter().zip(&other).filter(|(a, b)| a != b).collect::<Vec<_>>();
    one.len() == other.len()
        && !differs.is_empty()
        && differs.iter().all(|(a, b)| is_number(a) && is_number(b))
}

/// What is left of some words without others, each of which takes one away.
pub(super) fn beyond(mut rest: Vec<Box<str>>, others: impl IntoIterator<Item = Box<str>>) -> Vec<Box<str>> {
    for asks in others {
        if let Some(at) = rest.iter().position(|own| *own == asks) {
            rest.remove(at);
        }
    }
    rest
}

/// Whether the words of a condition tell what it asks: a place in a record, or a number that other code hardly asks for.
pub(super) fn is_telling(asks: &str) -> bool {
    let is_common = |number: i64| (-1..=1).contains(&number);
    asks.split([' ', ',']).skip(1).any(|place| {
        (place.starts_with('[') && !place.starts_with("[stack"))
            || place.parse().is_ok_and(|number: i64| !is_common(number))
    })
}

/// Whether two conditions ask the same of another place in a record, which may have another layout.
fn asks_of_other_place(one: &str, other: &str) -> bool {
    let parts = |asks: &str| {
        let (kind, rest) = asks.split_once("[+")?;
        Some((kind.to_owned(), rest.trim_start_matches(|c: char| c.is_ascii_digit()).to_owned()))
    };
    parts(one).is_some_and(|one| parts(other) == Some(one))
}

/// Whether two conditions ask the same, but that one asks a number in a register that the other reads from memory: a compiler reads once
/// what is asked twice.
pub(super) fn asks_alike(one: &str, other: &str) -> bool {
    let is_place = |place: &str| place == "r" || place.starts_with('[');
    let words = |asks: &str| asks.split([' ', ',']).map(str::to_owned).collect::<Vec<_>>();
    let (one, other) = (words(one), words(other));
    one.len() == other.len()
        && one
            .iter()
            .zip(&other)
            .all(|(a, b)| a == b || (is_place(a) && is_place(b) && (a == "r") != (b == "r")))
}

#[cfg(test)]
mod tests {
    use super::{asks_alike, asks_of_other_place};

    #[test]
    fn a_record_of_another_layout_is_asked_the_same_at_another_place() {
        assert!(asks_of_other_place("cmp2 0,[+24] e", "cmp2 0,[+44] e"));
        assert!(!asks_of_other_place("cmp2 0,[+24] e", "cmp2 1,[+44] e"));
        assert!(!asks_of_other_place("cmp2 0,[+24] e", "cmp2 0,[+44] b"));
        assert!(!asks_of_other_place("cmp2 0,[+24] e", "cmp2 0,[+44+i] e"));
        assert!(!asks_of_other_place("cmp2 0,r e", "cmp2 0,r e"));
    }

    #[test]
    fn a_number_is_asked_in_a_register_or_in_memory() {
        let check = |one: &str, other: &str, expected: bool| {
            assert_eq!(asks_alike(one, other), expected, "{one} {other}");
            assert_eq!(asks_alike(other, one), expected, "{other} {one}");
        };
        check("cmp1 1,r e", "cmp1 1,[+22] e", true);
        check("cmp4 r,r b", "cmp4 [+24],r b", true);
        // Another constant, width, kind, or place.
        check("cmp1 1,r e", "cmp1 2,[+22] e", false);
        check("cmp1 1,r e", "cmp4 1,[+22] e", false);
        check("cmp1 1,r e", "cmp1 1,[+22] b", false);
        check("cmp1 1,[+20] e", "cmp1 1,[+22] e", false);
    }
}
