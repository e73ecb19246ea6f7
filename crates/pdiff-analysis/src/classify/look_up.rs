//! Which functions a user means by a name.

use std::collections::BTreeSet;

use super::input::ClassifyInput;
use crate::compare::Row;
use crate::matching::held;
use crate::pattern::Pattern;
use pdiff_profile::Side;

/// More functions than this are not explained at once.
const MOST_AT_ONCE: usize = 8;

/// Close names told where none fits.
const MOST_CLOSE: usize = 8;

/// What a name represents.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum FunctionLookup {
    /// These functions, by their names in rows.
    Found(Vec<String>),
    /// No sampled function, but one of a build, by its name there.
    OnlyInBuilds(String),
    /// More functions than can be explained at once.
    TooMany(Vec<String>),
    /// None; names that are close.
    Unknown(Vec<String>),
}

/// The functions that a name represents: by the qualified name, else by its last parts, else by a regular expression found
/// in the name; functions that neither run sampled by the qualified name alone.
#[must_use]
pub fn look_up(input: &ClassifyInput<'_>, wanted: &str) -> FunctionLookup {
    let rows = input.comparison.rows.iter().filter(|row| !row.unresolved);
    let names: BTreeSet<&str> = rows.flat_map(names_of).collect();
    let take = |is_it: &dyn Fn(&str) -> bool| -> Vec<String> {
        let rows = input.comparison.rows.iter().filter(|row| !row.unresolved);
        let meant = rows.filter(|row| names_of(row).any(is_it));
        meant.map(|row| row.name.to_string()).collect::<BTreeSet<_>>().into_iter().collect()
    };
    let is_last_part = |name: &str| name.strip_suffix(wanted).is_some_and(|head| head.ends_with("::"));
    let by_name =
        [take(&|name| name == wanted), take(&is_last_part)].into_iter().find(|found| !found.is_empty());
    if let Some(found) = by_name {
        return FunctionLookup::Found(found);
    }
    let censuses = input.builds.map_or([None, None], |builds| [builds.before, builds.after]);
    if censuses.into_iter().flatten().any(|census| !held(census, wanted).is_empty()) {
        return FunctionLookup::OnlyInBuilds(wanted.to_owned());
    }
    let matching =
        wanted.parse::<Pattern>().map_or_else(|_| Vec::new(), |pattern| take(&|name| pattern.is_match(name)));
    match matching.len() {
        0 => FunctionLookup::Unknown(close(wanted, &names)),
        1..=MOST_AT_ONCE => FunctionLookup::Found(matching),
        _ => FunctionLookup::TooMany(matching),
    }
}

/// A row's names on both sides.
fn names_of(row: &Row) -> impl Iterator<Item = &str> {
    Side::BOTH.into_iter().flat_map(move |side| row.names_on(side))
}

/// Names whose last part is like the wanted one's: equal but for capitals, holding it, or a few letters away.
fn close(wanted: &str, names: &BTreeSet<&str>) -> Vec<String> {
    let last = |name: &str| name.rsplit("::").next().unwrap_or(name).to_lowercase();
    let own = last(wanted);
    let most = 1 + own.chars().count() / 4;
    let mut found: Vec<(usize, &str)> = names
        .iter()
        .filter_map(|name| {
            let other = last(name);
            // A short word is in too many others.
            let is_held = own.contains(&other) && 2 * other.len() > own.len();
            let holds = !own.is_empty() && (other.contains(&own) || is_held);
            let distance = if holds { 0 } else { distance(&own, &other) };
            (distance <= most).then_some((distance, *name))
        })
        .collect();
    found.sort_unstable();
    found.into_iter().take(MOST_CLOSE).map(|(_, name)| name.to_owned()).collect()
}

/// Levenshtein's distance of two names.
fn distance(a: &str, b: &str) -> usize {
    let b: Vec<char> = b.chars().collect();
    let mut row: Vec<usize> = (0..=b.len()).collect();
    for (above, letter) in a.chars().enumerate() {
        let mut diagonal = above;
        row[0] = above + 1;
        for (at, other) in b.iter().enumerate() {
            let replaced = diagonal + usize::from(letter != *other);
            diagonal = row[at + 1];
            row[at + 1] = replaced.min(row[at] + 1).min(diagonal + 1);
        }
    }
    row[b.len()]
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn close_names_are_a_few_letters_away_or_hold_the_wanted_one() {
        assert_eq!(distance("kitten", "sitting"), 3);
        assert_eq!(distance("", "abc"), 3);
        let names = BTreeSet::from(["ha_innobase::info_low", "row_sel", "buf_page_get_gen", "Info_Low_x"]);
        assert_eq!(close("inf_low", &names), ["ha_innobase::info_low"]);
        assert_eq!(close("info_low", &names), ["Info_Low_x", "ha_innobase::info_low"]);
        assert!(close("zzzzzzzzzz", &names).is_empty());
    }
}
