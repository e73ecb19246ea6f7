//! Modules that replace modules: a library or a part of a program that was rewritten under new names.
//!
//! A module is the path before a function's type: `regex::dfa` of `regex::dfa::Fsm::exec_at`. A module is gone, or new, if
//! the other build has no function of it. Modules of one side that call each other form one part. A gone part and a new
//! part replaced each other if the same functions enter both and their weights are similar. Functions without a path are
//! left out: a file or a class that is new in a program says nothing about others.
//!
//! A namespace that carries a version is one module in both builds.
//!
//! A module that both builds have may be rewritten in place, and so may a package of Rust, which stands before the module. A
//! module of one build may be in the other under another name. Functions of one build only are then no proof of new cost.

use std::borrow::Cow;
use std::cell::OnceCell;
use std::collections::{BTreeMap, BTreeSet};

use pdiff_profile::census::Census;
use pdiff_profile::{PerSide, Side};
use rustc_hash::{FxHashMap, FxHashSet};

use super::case::Case;
use super::cause::InBuild;
use super::context::Context;
use super::library::is_library;
use super::module_pairs::{ModulePair, ReplacedModules};
use crate::matching::{VersionedScopes, plain_names};

/// Fewer functions do not make a part of a program.
const LEAST_ROWS: usize = 8;

/// How much of the heavier part's weight the lighter one must have.
const LEAST_WEIGHT: f64 = 0.25;

/// So many functions of one build only may be between a part and what both builds have above it, and so many callers of each count,
/// heaviest first.
const FARTHEST_ENTRY: usize = 4;
const WIDEST_ENTRY: usize = 4;

/// A module that kept a smaller part of its functions was rewritten.
const KEPT_PART: f64 = 0.5;

/// Modules of one side that call each other.
struct Part {
    rows: BTreeSet<usize>,
    modules: BTreeMap<String, f64>,
    /// Functions of both builds that call it, also through functions of this build alone.
    entered_from: BTreeSet<usize>,
}

impl Part {
    fn weight(&self) -> f64 {
        self.modules.values().sum()
    }
}

impl ReplacedModules {
    pub(super) fn new(context: &Context<'_>) -> Self {
        let known = Known::new(context);
        let fresh = PerSide::from_fn(|side| fresh(&known, side));
        let PerSide { before, after } =
            PerSide::from_fn(|side| parts(context, side, &fresh[side], &renamed(&known, side)));
        let mut pairs: Vec<(f64, usize, usize)> = Vec::new();
        for (at, gone) in before.iter().enumerate() {
            for (other, new) in after.iter().enumerate() {
                let (least, most) = (gone.weight().min(new.weight()), gone.weight().max(new.weight()));
                let is_one_place = gone.entered_from.intersection(&new.entered_from).next().is_some();
                if is_one_place && least >= LEAST_WEIGHT * most {
                    pairs.push((least, at, other));
                }
            }
        }
        pairs.sort_by(|a, b| b.0.total_cmp(&a.0).then((a.1, a.2).cmp(&(b.1, b.2))));
        let mut found = Self::default();
        let mut taken: PerSide<FxHashSet<usize>> = PerSide::default();
        for (_, gone, new) in pairs {
            if taken.before.contains(&gone) || taken.after.contains(&new) {
                continue;
            }
            taken.before.insert(gone);
            taken.after.insert(new);
            let number = found.pairs.len();
            let rows = before[gone].rows.iter().chain(&after[new].rows);
            found.of_row.extend(rows.map(|row| (*row, number)));
            found
                .pairs
                .push(ModulePair { modules: PerSide::new(&before[gone], &after[new]).map(heaviest_first) });
        }
        fresh.iter().for_each(|(side, fresh)| found.add_rest(side, fresh));
        // Of builds a patch apart most code is the same: what one build alone has is a change of that, and no other module.
        if !context.is_patched {
            found.add_one_sided(context, &known);
            found.rewritten = rewritten(&known);
        }
        found.moved = moved(&known);
        found.versions = known.versions;
        found
    }

    /// The self of functions of one build only, by module and package.
    fn add_one_sided(&mut self, context: &Context<'_>, known: &Known<'_, '_>) {
        for side in Side::BOTH {
            for (row, module) in one_sided(known, side) {
                let Some(case) = context.cases.get(row) else { continue };
                let is_of_rust = context.builds.are_of_rust(side, &case.ids[side]);
                for name in std::iter::once(&*module).chain(package(&module).filter(|_| is_of_rust)) {
                    let weight = case.row.side(side).self_pct;
                    self.one_sided.entry(name.to_owned()).or_default()[side] += weight;
                }
            }
        }
    }

    /// The module of a function, or its package, if functions of it that only the before build has, and functions that only
    /// the after build has, ran with similar weights, or if most of its functions have other names in the two builds.
    pub(super) fn rewritten_in_place(&self, function: &str) -> Option<String> {
        let function = as_after(&self.versions, function);
        let module = module(&function)?;
        let is_rewritten = |name: &&str| {
            let PerSide { before, after } = self.one_sided.get(*name).copied().unwrap_or_default();
            before.min(after) > 0.0 && before.min(after) >= LEAST_WEIGHT * before.max(after)
        };
        let by_weight = std::iter::once(module).chain(package(module)).find(is_rewritten);
        let rewritten = || scopes(&function).find(|scope| self.rewritten.contains(*scope));
        by_weight.or_else(rewritten).map(str::to_owned)
    }

    /// The module of a function if one build alone holds it, and the other has functions of it in another module.
    pub(super) fn moved(&self, function: &str) -> Option<String> {
        let module = of_version(&self.versions, module(function)?);
        self.moved.contains(&module).then_some(module)
    }

    /// Functions of modules that are in a pair, and that stand apart from it because what lies between has not changed.
    fn add_rest(&mut self, side: Side, fresh: &BTreeMap<usize, String>) {
        for (row, module) in fresh.iter() {
            if self.of_row.contains_key(row) {
                continue;
            }
            let weight = |pair: &ModulePair| {
                pair.modules[side].iter().find(|(name, _)| name == module).map(|(_, weight)| *weight)
            };
            let weights = (0..).zip(&self.pairs).filter_map(|(number, pair)| Some((number, weight(pair)?)));
            let heaviest = weights.max_by(|a: &(usize, f64), b| a.1.total_cmp(&b.1).then(b.0.cmp(&a.0)));
            if let Some((number, _)) = heaviest {
                self.of_row.insert(*row, number);
            }
        }
    }
}

fn heaviest_first(part: &Part) -> Vec<(String, f64)> {
    let mut modules: Vec<(String, f64)> =
        part.modules.iter().map(|(name, weight)| (name.clone(), *weight)).collect();
    modules.sort_by(|a, b| b.1.total_cmp(&a.1).then_with(|| a.0.cmp(&b.0)));
    modules
}

/// The module of a function; `None` for functions without a path.
fn module(name: &str) -> Option<&str> {
    // `<regex::exec::ExecNoSync as Trait>::find_at` is a function of regex::exec.
    let name = name.strip_prefix('<').unwrap_or(name).trim_start_matches(['&', '*']);
    let bytes = name.as_bytes();
    let (mut at, mut has_colons) = (0, false);
    loop {
        match bytes.get(at)? {
            b'<' | b'(' | b' ' | b'>' | b'{' | b'[' => return None,
            b':' if bytes.get(at + 1) == Some(&b':') => {
                if has_colons {
                    return name.get(..at);
                }
                (at, has_colons) = (at + 2, true);
            }
            _ => at += 1,
        }
    }
}

/// The paths around a function, without that of one word: `a::b` and `a::b::C` of `a::b::C::f`.
fn scopes(name: &str) -> impl Iterator<Item = &str> {
    let name = name.strip_prefix('<').unwrap_or(name).trim_start_matches(['&', '*']);
    let path = name.find(['<', '(', ' ', '>', '{', '[']).map_or(name, |end| name.get(..end).unwrap_or(name));
    path.match_indices("::").skip(1).filter_map(move |(at, _)| path.get(..at))
}

/// The package of a module of Rust.
fn package(module: &str) -> Option<&str> {
    module.split_once("::").map(|(package, _)| package)
}

/// Modules that one build alone holds, and of which the other has functions in another module.
fn moved(known: &Known<'_, '_>) -> FxHashSet<String> {
    let module_of = |name: &str| Some(module(&known.as_after(name))?.to_owned());
    let pairs = known.context.builds.renamed().map(|names| names.map(module_of));
    let pairs: Vec<_> = pairs.filter(|modules| modules.before != modules.after).collect();
    let of = |side: Side| {
        let other = known.modules(side.other());
        let modules = pairs.iter().filter_map(move |pair| pair[side].clone());
        modules.filter(|module| !other.contains(module)).collect::<Vec<_>>()
    };
    if pairs.is_empty() { FxHashSet::default() } else { Side::BOTH.into_iter().flat_map(of).collect() }
}

/// The modules of both builds, each listed when first asked for.
struct Known<'c, 'a> {
    context: &'c Context<'a>,
    versions: VersionedScopes,
    modules: PerSide<OnceCell<FxHashSet<String>>>,
}

impl<'c, 'a> Known<'c, 'a> {
    fn new(context: &'c Context<'a>) -> Self {
        let names = |side: Side| context.builds.census(side).map_or_else(Vec::new, plain_names);
        let versions = VersionedScopes::new(&PerSide::from_fn(names));
        Self { context, versions, modules: PerSide::default() }
    }

    /// A name as After calls it, if it has a namespace that carries a version.
    fn as_after<'n>(&self, name: &'n str) -> Cow<'n, str> {
        as_after(&self.versions, name)
    }

    fn modules(&self, side: Side) -> &FxHashSet<String> {
        let census = self.context.builds.census(side);
        self.modules[side]
            .get_or_init(|| census.map(|census| modules_of(census, &self.versions)).unwrap_or_default())
    }
}

fn as_after<'n>(versions: &VersionedScopes, name: &'n str) -> Cow<'n, str> {
    versions.of_after(name).unwrap_or(Cow::Borrowed(name))
}

/// Paths around functions that one run alone has, of which most functions of either build are in the other under no such name.
fn rewritten(known: &Known<'_, '_>) -> FxHashSet<String> {
    let one_sided = Side::BOTH.into_iter().flat_map(|side| one_sided(known, side));
    let names =
        one_sided.filter_map(|(row, _)| Some(known.as_after(&known.context.cases.get(row)?.row.name)));
    let scopes_of = |name: Cow<'_, str>| scopes(&name).map(str::to_owned).collect::<Vec<String>>();
    let mut functions: FxHashMap<String, PerSide<FxHashSet<Cow<'_, str>>>> =
        names.flat_map(scopes_of).map(|scope| (scope, PerSide::default())).collect();
    for side in Side::BOTH {
        let census = known.context.builds.census(side).filter(|_| !functions.is_empty());
        let named = census.into_iter().flat_map(Census::functions).filter(|function| !function.is_mangled());
        for name in named.map(|function| known.as_after(function.name())) {
            for scope in scopes(&name) {
                if let Some(of) = functions.get_mut(scope) {
                    of[side].insert(name.clone());
                }
            }
        }
    }
    let is_rewritten = |of: &PerSide<FxHashSet<Cow<'_, str>>>| {
        let kept = of.before.intersection(&of.after).count();
        let least = of.before.len().min(of.after.len());
        least > kept && (kept as f64) < KEPT_PART * least as f64
    };
    let rewritten = functions.into_iter().filter(|(_, of)| is_rewritten(of));
    rewritten.map(|(name, _)| name).collect()
}

fn modules_of(census: &Census, versions: &VersionedScopes) -> FxHashSet<String> {
    // Of which the names are not kept, those are of libraries.
    let named = census.functions().filter(|function| !function.is_mangled());
    let modules = named.filter_map(|function| module(function.name()));
    modules.collect::<FxHashSet<&str>>().into_iter().map(|module| of_version(versions, module)).collect()
}

/// A module as After calls it, if it is or has a namespace that carries a version.
fn of_version(versions: &VersionedScopes, module: &str) -> String {
    let path = format!("{module}::");
    let path = as_after(versions, &path);
    path.strip_suffix("::").unwrap_or(&path).to_owned()
}

/// The functions of a side that the other build does not hold, with their modules.
fn one_sided(known: &Known<'_, '_>, side: Side) -> Vec<(usize, String)> {
    let is_one_sided = |case: &Case<'_>| {
        case.of_program
            && case.held_by(side.other()) == InBuild::No
            && case.is_sampled(side)
            && !is_library(case)
    };
    (0..)
        .zip(&known.context.cases)
        .filter(|(_, case)| is_one_sided(case))
        .filter_map(|(row, case)| Some((row, of_version(&known.versions, module(&case.row.name)?))))
        .collect()
}

/// Functions that have another name in another module of the other build, with the module that only this build has. They belong
/// to the part that took the module's place. Their own verdict is that of the rename.
fn renamed(known: &Known<'_, '_>, side: Side) -> BTreeMap<usize, String> {
    let cases = (0..).zip(&known.context.cases).filter(|(_, case)| case.of_program && case.is_sampled(side));
    let modules = cases.filter_map(|(row, case)| {
        let (_, name) = case.other_name.as_ref()?;
        let own = of_version(&known.versions, module(&case.row.name)?);
        let there = module(name).map(|module| of_version(&known.versions, module));
        (there.as_ref() != Some(&own)).then_some((row, own))
    });
    let modules: Vec<_> = modules.collect();
    if modules.is_empty() {
        return BTreeMap::new();
    }
    let other = known.modules(side.other());
    modules.into_iter().filter(|(_, module)| !other.contains(module)).collect()
}

/// The rows of modules that the other build has no function of; none where there are few.
fn fresh(known: &Known<'_, '_>, side: Side) -> BTreeMap<usize, String> {
    let one_sided = one_sided(known, side);
    if known.context.builds.census(side.other()).is_none() || one_sided.len() < LEAST_ROWS {
        return BTreeMap::new();
    }
    let known = known.modules(side.other());
    one_sided.into_iter().filter(|(_, module)| !known.contains(module)).collect()
}

/// The parts of a side that the other build has nothing of, or only under other names.
fn parts(
    context: &Context<'_>,
    side: Side,
    fresh: &BTreeMap<usize, String>,
    renamed: &BTreeMap<usize, String>,
) -> Vec<Part> {
    if fresh.is_empty() {
        return Vec::new();
    }
    let mut left: BTreeSet<usize> = fresh.keys().chain(renamed.keys()).copied().collect();
    let mut parts = Vec::new();
    while let Some(first) = left.pop_first() {
        let mut part =
            Part { rows: BTreeSet::new(), modules: BTreeMap::new(), entered_from: BTreeSet::new() };
        let (mut open, mut held) = (vec![first], 0);
        while let Some(row) = open.pop() {
            let module = fresh.get(&row).or_else(|| renamed.get(&row));
            let (Some(case), Some(module)) = (context.cases.get(row), module) else { continue };
            held += 1;
            part.rows.extend(Some(row).filter(|row| fresh.contains_key(row)));
            *part.modules.entry(module.clone()).or_default() += case.row.side(side).self_pct;
            let callers =
                context.calls_to(case.row, side).into_iter().filter_map(|call| context.caller(call));
            let callees =
                context.calls_from(case.row, side).into_iter().filter_map(|call| context.callee(call));
            for (other, is_caller) in callers.map(|of| (of, true)).chain(callees.map(|of| (of, false))) {
                let Some(number) = context.row_number(other.row) else { continue };
                if left.remove(&number) {
                    open.push(number);
                } else if is_caller {
                    add_entries(context, other, side, FARTHEST_ENTRY, &mut part.entered_from);
                }
            }
        }
        if held >= LEAST_ROWS && !part.rows.is_empty() {
            parts.push(part);
        }
    }
    parts
}

/// The functions of both builds that call a part through a function: that one itself, or those above it if this build alone has it.
fn add_entries(
    context: &Context<'_>,
    caller: &Case<'_>,
    side: Side,
    depth: usize,
    entries: &mut BTreeSet<usize>,
) {
    match caller.held_by(side.other()) {
        InBuild::Yes if caller.of_program => {
            entries.extend(one_row(context, caller).or_else(|| context.row_number(caller.row)));
        }
        InBuild::No if depth > 0 => {
            for above in context.calls_to(caller.row, side).into_iter().take(WIDEST_ENTRY) {
                let above = context.caller(above).filter(|above| !std::ptr::eq(above.row, caller.row));
                above.into_iter().for_each(|above| add_entries(context, above, side, depth - 1, entries));
            }
        }
        _ => {}
    }
}

/// The row of a function that is called differently in the other build: the first of the two.
fn one_row(context: &Context<'_>, of: &Case<'_>) -> Option<usize> {
    let (_, name) = of.other_name.as_ref()?;
    let other = context.case(name, &of.row.object, None)?;
    Some(context.row_number(of.row)?.min(context.row_number(other.row)?))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_module_is_the_path_before_the_type() {
        assert_eq!(module("regex::dfa::Fsm::exec_at"), Some("regex::dfa"));
        assert_eq!(
            module("<regex::exec::ExecNoSync as regex::re_trait::RegularExpression>::find_at"),
            Some("regex::exec")
        );
        assert_eq!(module("regex::pikevm::Fsm<I>::exec_"), Some("regex::pikevm"));
        assert_eq!(module("std::vector<a::b::c>::push_back"), None);
        assert_eq!(module("Protocol_classic::read_packet"), None);
        assert_eq!(module("fold_condition"), None);
    }

    #[test]
    fn all_paths_around_a_function_are_its_scopes() {
        let scopes = |name| scopes(name).collect::<Vec<_>>();
        assert_eq!(scopes("a::b::c::Type::f"), ["a::b", "a::b::c", "a::b::c::Type"]);
        assert_eq!(scopes("<a::b::Type<T> as x::Trait>::f"), ["a::b"]);
        assert_eq!(scopes("a::f"), Vec::<&str>::new());
    }
}
