//! The two builds of the program, matched: what a name represents on each side, and where inlining changed.

use std::borrow::Cow;
use std::collections::BTreeSet;

use pdiff_profile::census::{Census, Compiler, Function, FunctionId, Linkage, Producer, Visibility};
use pdiff_profile::{OtherNumber, PerSide, Side};
use rustc_hash::FxHashSet;

use super::background::Foreground;
use super::caller_flips::{CallerFlip, Inlining, is_whole};
use super::code_paths::CodePaths;
use super::input::ClassifyInput;
use super::like_code::{LikeCode, Likeness};
use super::sources::Sources;
use crate::matching::{
    FoundBy, Match, Matching, file_likeness, held, is_library_function, match_functions, same_calls,
};

/// How flags begin that change code in other ways than by inlining.
const OPTIMISATION: [&str; 6] = ["-O", "-march=", "-mtune=", "-mcpu=", "-flto", "-fprofile-use"];

/// The facts about the program's two builds.
pub(super) struct Builds<'a> {
    label: &'a str,
    censuses: PerSide<Option<&'a Census>>,
    foregrounds: PerSide<Option<Foreground<'a>>>,
    pair: Option<Pair<'a>>,
}

struct Pair<'a> {
    before: &'a Census,
    after: &'a Census,
    matching: Cow<'a, Matching>,
    sources: Sources,
    like_code: LikeCode,
    /// Functions with the same instructions that call other functions, by their number in the before build.
    with_other_calls: FxHashSet<FunctionId>,
}

impl<'a> Builds<'a> {
    pub(super) fn new(input: &ClassifyInput<'a>) -> Self {
        let censuses =
            input.builds.map_or_else(PerSide::default, |builds| PerSide::new(builds.before, builds.after));
        let label = input.builds.map_or("", |builds| builds.label);
        let foreground = |side: Side| {
            let rows = input.comparison.rows.iter().filter(|row| *row.object == *label);
            let sampled = rows.filter(|row| row.side(side).total_weight.0 > 0);
            let sampled = sampled.flat_map(|row| row.names_on(side));
            Some(Foreground::new(censuses[side]?, sampled))
        };
        let (before, after) = rayon::join(|| foreground(Side::Before), || foreground(Side::After));
        let foregrounds = PerSide::new(before, after);
        let pair = match censuses {
            PerSide { before: Some(before), after: Some(after) } => {
                let known = input.builds.and_then(|builds| builds.matching).map(Cow::Borrowed);
                let find = || Cow::Owned(match_functions(before, after, input.knowledge.aliases));
                let matching = known.unwrap_or_else(find);
                let sources = match &foregrounds {
                    PerSide { before: Some(before), after: Some(after) } => {
                        Sources::new(before, after, &matching)
                    }
                    _ => Sources::default(),
                };
                let (like_code, with_other_calls) = (LikeCode::default(), FxHashSet::default());
                Some(Pair { before, after, matching, sources, like_code, with_other_calls })
            }
            _ => None,
        };
        let mut builds = Self { label, censuses, foregrounds, pair };
        builds.add_other_calls();
        if let Some(paths) = input.paths {
            builds.add_like_code(paths);
        }
        builds
    }

    /// Looks which sampled functions have the same instructions and call others: what a call leads to is no part of the instructions that
    /// are compared.
    fn add_other_calls(&mut self) {
        let Some(pair) = &self.pair else { return };
        let of_sampled = pair.matching.matches().iter().filter(|found| {
            self.is_sampled(Side::Before, found.before) && self.is_sampled(Side::After, found.after)
        });
        let calls_others = of_sampled.filter(|found| {
            pair.before.same_code(found.before, pair.after, found.after) == Some(true)
                && pair.calls_others(found.before, found.after)
        });
        let with_other_calls = calls_others.map(|found| found.before).collect();
        if let Some(pair) = &mut self.pair {
            pair.with_other_calls = with_other_calls;
        }
    }

    /// Looks how the code of sampled functions differs. What calls other functions does not differ in numbers alone.
    fn add_like_code(&mut self, paths: &dyn CodePaths) {
        let Some(pair) = &self.pair else { return };
        let differs = |found: &&Match| {
            let (before, after) = (found.before, found.after);
            self.is_sampled(Side::Before, before)
                && self.is_sampled(Side::After, after)
                && pair.before.same_code(before, pair.after, after) == Some(false)
        };
        let differing = pair.matching.matches().iter().filter(differs);
        let functions = differing.map(|found| {
            let functions = PerSide::new(found.before, found.after);
            (functions, pair.same_calls(found.before, found.after))
        });
        let censuses = PerSide::new(pair.before, pair.after);
        let like_code = LikeCode::new(paths, censuses, &pair.matching, functions);
        if let Some(pair) = &mut self.pair {
            pair.like_code = like_code;
        }
    }

    /// Whether an object's label is the program's.
    pub(super) fn is_program(&self, object: &str) -> bool {
        !self.label.is_empty() && self.label == object
    }

    pub(super) fn census(&self, side: Side) -> Option<&'a Census> {
        self.censuses[side]
    }

    /// How much of a side's build can be seen.
    pub(super) fn visibility(&self, side: Side) -> Option<Visibility> {
        self.census(side).map(Census::visibility)
    }

    /// Whether both builds show what is inlined where.
    pub(super) fn see_inlines(&self) -> bool {
        Side::BOTH.iter().all(|side| self.census(*side).is_some_and(Census::sees_inlines))
    }

    /// Whether what is not found in a side's build is not there: every unit of it was read.
    pub(super) fn absence_is_certain(&self, side: Side) -> bool {
        self.census(side).is_some_and(is_whole)
    }

    /// The functions of a name that a side's build holds in some form.
    pub(super) fn find(&self, side: Side, name: &str) -> Vec<FunctionId> {
        self.census(side).map_or_else(Vec::new, |census| held(census, name))
    }

    /// Whether a side's compiler inlined a function of a name and left no instance of any.
    pub(super) fn is_inlined_without_instance(&self, side: Side, name: &str) -> bool {
        self.census(side).is_some_and(|census| {
            census.find(name).any(Function::is_inlined_without_instance)
                && !census.find(name).any(Function::is_present)
        })
    }

    /// Of the functions of one name those in a file: in the one most like it. None, if none is like it.
    pub(super) fn in_file(&self, side: Side, ids: Vec<FunctionId>, file: &str) -> Vec<FunctionId> {
        let likeness = |id: &FunctionId| {
            let function = self.census(side).and_then(|census| census.function(*id));
            file_likeness(function.and_then(Function::file), Some(file))
        };
        let best = ids.iter().map(likeness).max().unwrap_or(0);
        ids.into_iter().filter(|id| best > 0 && likeness(id) == best).collect()
    }

    /// The names of the pairs of functions that are not called the same, base side first.
    pub(super) fn renamed(&self) -> impl Iterator<Item = PerSide<&'a str>> {
        let pairs =
            self.pair.iter().flat_map(|pair| pair.matching.matches().iter().map(move |of| (pair, of)));
        // Equal linkage names are equal names.
        let renamed = pairs.filter(|(_, of)| of.level != FoundBy::Linkage);
        let names = renamed.filter_map(|(pair, of)| {
            Some(PerSide::new(pair.before.function(of.before)?.name(), pair.after.function(of.after)?.name()))
        });
        names.filter(|names| names.before != names.after)
    }

    /// Whether a compiler of Rust made one of a side's functions.
    pub(super) fn are_of_rust(&self, side: Side, ids: &[FunctionId]) -> bool {
        let producer = |id: &FunctionId| self.census(side)?.function(*id)?.producer();
        ids.iter().filter_map(producer).any(|producer| producer.compiler == Compiler::Rustc)
    }

    /// Whether a side's build contains a name as background only.
    pub(super) fn is_background(&self, side: Side, name: &str) -> bool {
        self.foregrounds[side].as_ref().is_some_and(|foreground| foreground.is_background(name))
    }

    /// The pairs of functions of one side.
    pub(super) fn matches(&self, side: Side, ids: &[FunctionId]) -> Vec<Match> {
        ids.iter().filter_map(|id| self.match_of(side, *id)).copied().collect()
    }

    /// The pair of one function.
    pub(super) fn match_of(&self, side: Side, id: FunctionId) -> Option<&Match> {
        let matching = &self.pair.as_ref()?.matching;
        match side {
            Side::Before => matching.after_of(id),
            Side::After => matching.before_of(id),
        }
    }

    /// Whether both builds come from the same source, compiled differently.
    pub(super) fn is_rebuilt(&self) -> bool {
        self.pair.as_ref().is_some_and(|pair| pair.sources.is_rebuilt)
    }

    /// Whether a side's build only calls the functions in another object.
    pub(super) fn is_imported(&self, side: Side, ids: &[FunctionId]) -> bool {
        let is_stub = |id: &FunctionId| {
            let function = self.census(side).and_then(|census| census.function(*id));
            function.is_some_and(|function| function.linkage() == Linkage::Imported)
        };
        !ids.is_empty() && ids.iter().all(is_stub)
    }

    /// Callers in which the functions are inlined on `inlined_on` and called on the other side.
    pub(super) fn flips(&self, ids: &PerSide<Vec<FunctionId>>, inlined_on: Side) -> Vec<CallerFlip> {
        let Some(pair) = &self.pair else { return Vec::new() };
        let is_asked = |found: &&Match| ids.after.contains(&found.after);
        let matches = ids.before.iter().filter_map(|id| pair.matching.after_of(*id)).filter(is_asked);
        let mut flips: Vec<CallerFlip> =
            matches.flat_map(|found| pair.inlining().flips(found, inlined_on)).collect();
        // Of overloads, a pointer to one says nothing about the copies of another.
        if ids[inlined_on.other()].len() > 1 {
            flips.retain(|flip| !flip.is_by_pointer());
        }
        flips
    }

    /// Whether both builds come from compilers of one family and major version; `None` where one is not known.
    pub(super) fn same_compiler(&self, ids: &PerSide<Vec<FunctionId>>) -> Option<bool> {
        let of = |side: Side| self.producer(side, &ids[side]);
        let (before, after) = (of(Side::Before)?, of(Side::After)?);
        let is_known = before.compiler != Compiler::Other && after.compiler != Compiler::Other;
        is_known.then(|| before.compiler == after.compiler && major(before) == major(after))
    }

    /// Whether the compilers were told to optimise in the same way, as far as they recorded it; what is inlined is another matter.
    pub(super) fn same_optimisation(&self, ids: &PerSide<Vec<FunctionId>>) -> bool {
        let flags = |side: Side| {
            let flags = self.producer(side, &ids[side]).map_or("", |producer| &*producer.flags);
            let is_of_optimisation = |flag: &&str| OPTIMISATION.iter().any(|start| flag.starts_with(start));
            flags.split_whitespace().filter(is_of_optimisation).collect::<BTreeSet<&str>>()
        };
        flags(Side::Before) == flags(Side::After)
    }

    /// The compiler of some functions of a side's build; the build's first, where theirs is not known.
    pub(super) fn producer(&self, side: Side, ids: &[FunctionId]) -> Option<&'a Producer> {
        let census = self.census(side)?;
        let own = ids.iter().find_map(|id| census.function(*id)?.producer());
        own.or_else(|| census.producers().first())
    }

    /// The functions of a side's build that its run has to do with.
    pub(super) fn foreground(&self, side: Side) -> Option<&Foreground<'a>> {
        self.foregrounds[side].as_ref()
    }

    fn is_sampled(&self, side: Side, id: FunctionId) -> bool {
        self.foregrounds[side].as_ref().is_some_and(|foreground| foreground.is_sampled(id))
    }

    /// Whether the code of both is the same; `None` where that cannot be said, or a run did not sample it. Overloads are one function: its
    /// code is the same if that of each is.
    pub(super) fn same_code(&self, ids: &PerSide<Vec<FunctionId>>) -> Option<bool> {
        let pair = self.pair.as_ref().filter(|_| ids.before.len() == ids.after.len())?;
        let same = |before: &FunctionId| {
            let after = match (&*ids.before, &*ids.after) {
                ([_], [after]) => *after,
                _ => pair.matching.after_of(*before).filter(|found| !found.is_ambiguous)?.after,
            };
            let is_sampled = self.is_sampled(Side::Before, *before) && self.is_sampled(Side::After, after);
            pair.same_code(*before, after).filter(|_| is_sampled && ids.after.contains(&after))
        };
        let all: Option<Vec<bool>> = ids.before.iter().map(same).collect();
        all.filter(|all| !all.is_empty()).map(|all| all.into_iter().all(|is_same| is_same))
    }

    /// The same, whether or not runs sampled the function.
    pub(super) fn same_code_of_one_run(&self, ids: &PerSide<Vec<FunctionId>>) -> Option<bool> {
        let (Some(pair), [before], [after]) = (&self.pair, &*ids.before, &*ids.after) else { return None };
        pair.same_code(*before, *after)
    }

    /// Of each function that both builds have, and that is not of a library, whether its code is the same, where that can be said.
    pub(super) fn same_codes(&self) -> impl Iterator<Item = bool> {
        let own = |pair: &Pair<'_>, found: &Match| {
            let is_own = pair.before.function(found.before).is_some_and(|of| !is_library_function(of));
            (is_own && !found.is_ambiguous).then(|| pair.same_code(found.before, found.after)).flatten()
        };
        let pair = self.pair.iter();
        pair.flat_map(move |pair| pair.matching.matches().iter().filter_map(move |found| own(pair, found)))
    }

    /// Whether a function calls the same functions in both builds, by as many calls and jumps.
    pub(super) fn has_same_calls(&self, ids: &PerSide<Vec<FunctionId>>) -> bool {
        let (Some(pair), [before], [after]) = (&self.pair, &*ids.before, &*ids.after) else { return false };
        pair.same_calls(*before, *after)
    }

    /// Whether the code of a function differs and yet has the same size and calls the same functions of the program as often, and no
    /// constant is known to be another one.
    pub(super) fn is_alike(&self, ids: &PerSide<Vec<FunctionId>>) -> bool {
        let (Some(pair), [before], [after]) = (&self.pair, &*ids.before, &*ids.after) else { return false };
        self.same_code(ids) == Some(false)
            && code_bytes(pair.before, *before) == code_bytes(pair.after, *after)
            && pair.same_calls(*before, *after)
            && !matches!(
                pair.like_code.of(*before, *after),
                Some(Likeness::Constants | Likeness::Instructions)
            )
    }

    /// How the code of a function differs; `None` where that is not known.
    pub(super) fn likeness(&self, ids: &PerSide<Vec<FunctionId>>) -> Option<Likeness> {
        let (Some(pair), [before], [after]) = (&self.pair, &*ids.before, &*ids.after) else { return None };
        pair.like_code.of(*before, *after)
    }

    /// The numbers in which the code of a function differs, if it differs in nothing else.
    pub(super) fn other_numbers(&self, ids: &PerSide<Vec<FunctionId>>) -> &[OtherNumber] {
        let (Some(pair), [before], [after]) = (&self.pair, &*ids.before, &*ids.after) else { return &[] };
        pair.like_code.numbers(*before, *after)
    }

    /// The function of the after build that one of the before build is there.
    pub(super) fn after_of(&self, before: FunctionId) -> Option<FunctionId> {
        self.pair.as_ref()?.matching.after_of(before).map(|found| found.after)
    }

    /// Whether the code of a function differs, calls the same functions as often, and has nearly the same size: a compiler that puts
    /// blocks in another order makes jumps longer or shorter.
    pub(super) fn is_laid_out_anew(&self, ids: &PerSide<Vec<FunctionId>>) -> bool {
        let (Some(pair), [before], [after]) = (&self.pair, &*ids.before, &*ids.after) else { return false };
        let bytes = code_bytes(pair.before, *before).zip(code_bytes(pair.after, *after));
        let is_near = |(old, new): (u64, u64)| {
            old > 0 && old.abs_diff(new) as f64 <= OTHER_LAYOUT * old.max(new) as f64
        };
        self.same_code(ids) == Some(false) && bytes.is_some_and(is_near) && pair.same_calls(*before, *after)
    }
}

/// Code of another size up to this part of it may have the same instructions in another order.
const OTHER_LAYOUT: f64 = 0.1;

fn code_bytes(census: &Census, function: FunctionId) -> Option<u64> {
    census.function(function).map(|function| function.code_bytes())
}

fn major(producer: &Producer) -> &str {
    producer.version.split('.').next().unwrap_or("")
}

impl Pair<'_> {
    /// Whether two functions have the same code, but for numbers of lines; `None` where that cannot be said.
    fn same_code(&self, before: FunctionId, after: FunctionId) -> Option<bool> {
        let is_same = self.before.same_code(before, self.after, after)?;
        let is_same = is_same && !self.with_other_calls.contains(&before);
        Some(is_same || self.like_code.of(before, after) == Some(Likeness::Lines))
    }

    /// Whether two functions call the same functions with code of their own, by as many calls and jumps.
    fn same_calls(&self, before: FunctionId, after: FunctionId) -> bool {
        let partner = |callee: FunctionId| self.matching.after_of(callee).map(|found| found.after);
        same_calls((self.before, before), (self.after, after), partner)
    }

    /// Whether the code of a function has fewer calls of one function and more of another, both of which both builds have, at other places.
    fn calls_others(&self, before: FunctionId, after: FunctionId) -> bool {
        if self.same_calls(before, after) {
            return false;
        }
        let calls = |census: &Census, caller: FunctionId, callee: FunctionId| {
            census.call(caller, callee).map_or(0, |edge| edge.calls + edge.tail_jumps)
        };
        let known = |found: Option<&Match>| found.filter(|found| !found.is_ambiguous).copied();
        let of_old = self.before.calls_from(before).iter().map(|edge| self.matching.after_of(edge.callee));
        let of_new = self.after.calls_from(after).iter().map(|edge| self.matching.before_of(edge.callee));
        let change = |found: &Match| {
            let (old, new) =
                (calls(self.before, before, found.before), calls(self.after, after, found.after));
            new.cmp(&old)
        };
        let lost: Vec<Match> = of_old.filter_map(known).filter(|of| change(of).is_lt()).collect();
        let mut gained = of_new.filter_map(known).filter(|of| change(of).is_gt());
        // One function may have several names.
        let places = |of: &Match| {
            let bodies = self.before.function(of.before).map_or(&[][..], |function| function.bodies());
            bodies.iter().map(|body| body.addr).collect::<Vec<_>>()
        };
        let is_one = |a: &Match, b: &Match| places(a).iter().any(|at| places(b).contains(at));
        gained.any(|new| lost.iter().any(|old| !is_one(old, &new)))
    }

    fn inlining(&self) -> Inlining<'_> {
        Inlining { before: self.before, after: self.after, matching: &self.matching }
    }
}
