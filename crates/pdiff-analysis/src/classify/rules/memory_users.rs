//! Who may get and give back more memory: stacks do not show who called a memory manager, because it sets up no frames. The code
//! of both builds shows which functions call it at more or fewer places.

use std::collections::BTreeMap;

use pdiff_profile::{PerSide, Side};

use crate::c_library::is_of_memory;
use crate::classify::case::Case;
use crate::classify::context::Context;
use crate::classify::limit::Limit;
use crate::classify::named_uses::{NamedUses, named};

/// How many functions are named.
const NAMED: usize = 3;

/// Why a function of a memory manager may cost more, or less, on a side, in builds a patch apart: functions of the program with other code
/// than before call it. Those come first that do so at more places on that side, then those with most samples.
pub(super) fn changed_users(context: &Context<'_>, case: &Case<'_>, more: Side) -> Option<Limit> {
    if !context.is_patched || !case.is_of_library() || !is_of_memory(&case.row.name) {
        return None;
    }
    let users = context.cases.iter().filter(|user| {
        user.of_program && user.is_sampled(more) && context.builds.same_code(&user.ids) != Some(true)
    });
    let mut users: Vec<(&Case<'_>, PerSide<u32>)> = users
        .map(|user| (user, PerSide::from_fn(|side| calls(context, user, side))))
        .filter(|(_, calls)| calls[more] > 0 && calls[more] >= calls[more.other()])
        .collect();
    let gained = |calls: &PerSide<u32>| calls[more] - calls[more.other()];
    let total = |user: &Case<'_>| user.row.side(more).total_pct;
    users.sort_by(|a, b| gained(&b.1).cmp(&gained(&a.1)).then(total(b.0).total_cmp(&total(a.0))));
    let has_gained = users.first().is_some_and(|(_, calls)| gained(calls) > 0);
    users.retain(|(_, calls)| !has_gained || gained(calls) > 0);
    users.truncate(NAMED);
    let users: Vec<(String, PerSide<u32>)> =
        users.into_iter().map(|(user, calls)| (user.row.name.to_string(), calls)).collect();
    (!users.is_empty()).then_some(Limit::MemoryUsers(users))
}

/// The places at which the code of a function gets memory or gives it back.
fn calls(context: &Context<'_>, user: &Case<'_>, side: Side) -> u32 {
    let Some(census) = context.builds.census(side) else { return 0 };
    let mut uses: BTreeMap<&str, NamedUses> = BTreeMap::new();
    for edge in user.ids[side].iter().flat_map(|id| census.calls_from(*id)) {
        let Some(callee) = census.function(edge.callee) else { continue };
        let (name, form) = named(callee);
        if is_of_memory(name) {
            uses.entry(name).or_default().add(form, edge.calls + edge.tail_jumps);
        }
    }
    uses.into_values().map(NamedUses::places).sum()
}
