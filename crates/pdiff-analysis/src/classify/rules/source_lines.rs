//! How long a function is in the source: from its first line to that of the next function in its file.

use pdiff_profile::PerSide;
use pdiff_profile::census::{Census, Function};

use crate::classify::case::Case;
use crate::classify::context::Context;

/// The lines of a function in both builds, where the same function comes next; `None` where that is not known.
pub(super) fn source_lines(context: &Context<'_>, case: &Case<'_>) -> Option<PerSide<u32>> {
    let found = case.found?;
    let ids = PerSide::new(found.before, found.after);
    let of = PerSide::from_fn(|side| {
        let census = context.builds.census(side)?;
        let own = census.function(ids[side])?;
        let (next, line) = next_in_file(census, own)?;
        Some((next.name(), line - own.line()?))
    });
    let PerSide { before: Some((next, before)), after: Some((next_after, after)) } = of else { return None };
    (next == next_after).then(|| PerSide::new(before, after))
}

/// The function that begins next in the same file, and where.
fn next_in_file<'c>(census: &'c Census, own: Function<'c>) -> Option<(Function<'c>, u32)> {
    let (file, first) = (own.file()?, own.line().filter(|line| *line > 0)?);
    let behind = |of: Function<'c>| {
        let line = of.line().filter(|line| *line > first)?;
        (of.file() == Some(file)).then_some((of, line))
    };
    census
        .functions()
        .filter_map(behind)
        .min_by(|a, b| a.1.cmp(&b.1).then_with(|| a.0.name().cmp(b.0.name())))
}
