//! The data that rules use: all cases, and who calls whom in the stacks.

use std::sync::OnceLock;

use pdiff_profile::census::{Census, FunctionId};
use pdiff_profile::{PerSide, Side};
use rayon::prelude::*;
use rustc_hash::FxHashMap;

use super::builds::Builds;
use super::caller_flips::CallerFlip;
use super::case::{Case, share_pct};
use super::cause::InBuild;
use super::common_shift::CommonShift;
use super::counts::CallCounts;
use super::fact::Fact;
use super::input::ClassifyInput;
use super::instances::Instances;
use super::like_code::Likeness;
use super::lost_callers::{LostCall, LostCallers, reaches};
use super::module_pairs::ReplacedModules;
use super::namesakes::Namesakes;
use super::places::places;
use super::row_index::RowIndex;
use super::succession_sets::Successions;
use super::verdict::BuildDistance;
use crate::compare::{InlinedInto, Row, SampledCall};
use crate::findings::is_kernel_object;
use crate::matching::FoundBy;
use crate::settings_diff::SettingGate;

/// The part of a function's samples that must be under callers which do not call it, so that its callers are lost.
const LOST_PART: f64 = 0.5;

/// A function whose own code has at most this part of what it has in the other run hardly ran out of line.
const HARDLY_OUT_OF_LINE: f64 = 0.1;

/// So many functions must be compared for builds to be called a patch apart, and this part of them must have the same code.
const LEAST_COMPARED: usize = 20;
const SAME_CODE_PART: f64 = 0.5;

/// If too few were sampled, so many of all that both builds have must have the same code: small ones stay the same between versions.
const SAME_CODE_OF_ALL: f64 = 0.8;

/// A record that grew leaves at least this part of them as it was: no record is in all of a program.
const LEAST_SAME_PART: f64 = 0.1;

/// Functions of fewer bytes have the same size by chance.
const TELLING_BYTES: u64 = 64;

/// So many functions that keep their size and their calls are taken to differ by what they share. One alone may have another
/// constant.
const LEAST_RELAID: usize = 4;

/// How many jumps in tail position are followed, and how many functions on each level.
const LONGEST_JUMPS: usize = 4;
const WIDEST_JUMPS: usize = 16;

/// All cases of a comparison, and the facts that several rules need.
pub(super) struct Context<'a> {
    pub(super) input: &'a ClassifyInput<'a>,
    pub(super) builds: Builds<'a>,
    pub(super) cases: Vec<Case<'a>>,
    rows: RowIndex<'a>,
    /// The rows of functions of libraries.
    libraries: Vec<usize>,
    /// Sampled calls by the row of the caller.
    calls_from: FxHashMap<usize, Vec<usize>>,
    /// Sampled calls by the row of the callee.
    calls_to: FxHashMap<usize, Vec<usize>>,
    /// Calls by code that stacks have inlined functions in, by the row of the callee, each with that of the caller.
    calls_of_code: FxHashMap<usize, Vec<(usize, usize)>>,
    lost: LostCallers,
    /// The change of the share of an unchanged function.
    pub(super) common_shift: CommonShift,
    /// Whether the program is one file on both sides.
    pub(super) same_program: bool,
    /// How far the builds are from each other.
    pub(super) distance: Option<BuildDistance>,
    /// Whether most of the program's sampled functions have the same code in both builds, or differ by the layout of a record: what
    /// else differs was changed.
    pub(super) is_patched: bool,
    /// Whether most of the program's sampled functions have other code, and not because the same source was compiled differently.
    pub(super) is_other_version: bool,
    /// Whether several functions changed as if they used a record of another layout: of builds a patch apart, their code is
    /// another one of the same size with the same calls.
    pub(super) has_other_layout: bool,
    /// Functions that replaced others; [`super::succession::successions`] computes them when a rule asks.
    pub(super) successions: OnceLock<Successions>,
    /// Modules that replaced modules, found when a rule asks.
    modules: OnceLock<ReplacedModules>,
    /// Instances of templates that one build alone has, found when a rule asks.
    instances: OnceLock<Instances>,
    namesakes: OnceLock<Namesakes>,
}

impl<'a> Context<'a> {
    pub(super) fn new(input: &'a ClassifyInput<'a>) -> Self {
        let builds = Builds::new(input);
        let rows = &input.comparison.rows;
        let cases: Vec<Case<'_>> =
            rows.par_iter().map(|row| Case::new(row, &builds, input.same_objects)).collect();
        let is_of_library = |case: &Case<'_>| !case.of_program && !is_kernel_object(&case.row.object);
        let libraries =
            (0..).zip(&cases).filter(|(_, case)| is_of_library(case)).map(|(row, _)| row).collect();
        let rows = RowIndex::new(rows);
        let mut calls_from: FxHashMap<usize, Vec<usize>> = FxHashMap::default();
        let mut calls_to: FxHashMap<usize, Vec<usize>> = FxHashMap::default();
        for (index, call) in input.calls.calls.iter().enumerate() {
            if let Some(caller) = call.caller_in(&rows) {
                calls_from.entry(caller).or_default().push(index);
            }
            if let Some(callee) = call.callee_in(&rows) {
                calls_to.entry(callee).or_default().push(index);
            }
        }
        let mut calls_of_code: FxHashMap<usize, Vec<(usize, usize)>> = FxHashMap::default();
        for (index, call) in input.calls.of_code.iter().enumerate() {
            if let Some((caller, callee)) = call.caller_in(&rows).zip(call.callee_in(&rows)) {
                calls_of_code.entry(callee).or_default().push((caller, index));
            }
        }
        let lost = LostCallers::new(input.calls, &builds, &cases, &rows);
        let is_same = |object: &&str| input.same_objects.iter().any(|same| same == object);
        let same_program = input.builds.map(|builds| builds.label).filter(is_same).is_some();
        let of_program = cases.iter().filter(|case| case.of_program);
        let same: Vec<bool> = of_program.filter_map(|case| builds.same_code(&case.ids)).collect();
        let count = same.iter().filter(|same| **same).count();
        let relaid = cases.iter().filter(|case| case.of_program && is_alike(&builds, case)).count();
        let relaid = if relaid >= LEAST_RELAID { relaid } else { 0 };
        // A record that most functions read changes the code of most, and what they do of none.
        let unchanged = (count + relaid) as f64;
        let compared = same.len() as f64;
        let is_known = same.len() >= LEAST_COMPARED;
        let all = if is_known || builds.is_rebuilt() { None } else { all_functions(&builds) };
        let is_patched = match &all {
            Some(all) => all.is_patch == Some(true),
            None => {
                is_known
                    && unchanged >= SAME_CODE_PART * compared
                    && count as f64 >= LEAST_SAME_PART * compared
            }
        };
        let is_other_version = is_known && !is_patched && !builds.is_rebuilt();
        let of_sampled = (!same.is_empty()).then(|| BuildDistance {
            is_of_sampled: true,
            compared: same.len(),
            same: count + relaid,
            is_patch: is_known.then_some(is_patched),
        });
        let distance = all.or(of_sampled);
        let has_other_layout = is_patched && relaid > 0;
        let common_shift = CommonShift::new(input, &builds, &cases, is_patched);
        Self {
            input,
            builds,
            cases,
            rows,
            libraries,
            calls_from,
            calls_to,
            calls_of_code,
            lost,
            common_shift,
            same_program,
            is_patched,
            distance,
            is_other_version,
            has_other_layout,
            successions: OnceLock::new(),
            modules: OnceLock::new(),
            instances: OnceLock::new(),
            namesakes: OnceLock::new(),
        }
    }

    /// The functions of libraries.
    pub(super) fn libraries(&self) -> impl Iterator<Item = &Case<'a>> {
        self.libraries.iter().filter_map(|row| self.cases.get(*row))
    }

    pub(super) fn modules(&self) -> &ReplacedModules {
        self.modules.get_or_init(|| ReplacedModules::new(self))
    }

    pub(super) fn instances(&self) -> &Instances {
        self.instances.get_or_init(|| Instances::new(&self.builds, &self.cases))
    }

    /// A function that only the build of the other side has, in the source file of a case of side `with` and with a like name.
    pub(super) fn namesake(&self, case: &Case<'_>, with: Side) -> Option<&'a str> {
        self.namesakes.get_or_init(|| Namesakes::new(&self.builds)).of(&self.builds, case, with)
    }

    /// Where the counts of calls are from.
    pub(super) fn counted_by(&self) -> Option<Fact> {
        let origin = self.input.counts.and_then(CallCounts::origin)?;
        Some(Fact::CountedBy(origin.to_owned()))
    }

    /// Whether a function has the same code in both builds, or code that differs by the layout of a record. Where that is not known, code
    /// of the same size is taken for such, if it is long enough to be so by no chance.
    pub(super) fn has_like_code(&self, case: &Case<'_>) -> bool {
        let bytes = PerSide::from_fn(|side| {
            self.builds.census(side).map_or(0, |census| case.code_bytes(census, side))
        });
        self.builds.same_code(&case.ids) == Some(true)
            || match self.builds.likeness(&case.ids) {
                Some(Likeness::Lines | Likeness::SharedLayout) => true,
                Some(Likeness::Layout) => self.has_other_layout,
                Some(Likeness::Constants | Likeness::Instructions) => false,
                None => bytes.before >= TELLING_BYTES && bytes.before == bytes.after,
            }
    }

    /// The objects of the program, if both builds compiled them from the same source, but not in the same way.
    pub(super) fn rebuilt_objects(&self) -> Vec<String> {
        let of_program = self.cases.iter().filter(|case| case.of_program && self.builds.is_rebuilt());
        let mut objects: Vec<String> = of_program.map(|case| case.row.object.to_string()).collect();
        objects.sort_unstable();
        objects.dedup();
        objects
    }

    /// Whether a function's code differs as that of several others does, as if they used a record of another layout: the code shows
    /// that, or it kept its size and its calls.
    pub(super) fn is_relaid(&self, case: &Case<'_>) -> bool {
        (self.has_other_layout && is_alike(&self.builds, case))
            || (self.is_patched && self.builds.likeness(&case.ids) == Some(Likeness::SharedLayout))
    }

    /// The case of a function by the name, object and file that rows, builds or stacks give it.
    pub(super) fn case(&self, name: &str, object: &str, file: Option<&str>) -> Option<&Case<'a>> {
        self.rows.find(name, object, file).and_then(|index| self.cases.get(index))
    }

    /// The number of a row, which is that of its case.
    pub(super) fn row_number(&self, row: &Row) -> Option<usize> {
        self.rows.of(row)
    }

    /// The case of a sampled call's caller.
    pub(super) fn caller(&self, call: &SampledCall) -> Option<&Case<'a>> {
        call.caller_in(&self.rows).and_then(|index| self.cases.get(index))
    }

    /// The case of a sampled call's callee.
    pub(super) fn callee(&self, call: &SampledCall) -> Option<&Case<'a>> {
        call.callee_in(&self.rows).and_then(|index| self.cases.get(index))
    }

    /// The share of a callee's copies in a function, in percent.
    pub(super) fn copied_pct(&self, case: &Case<'_>, callee: &Case<'_>, side: Side) -> f64 {
        let is_here = |copy: &&InlinedInto| {
            self.case(&copy.caller, &case.row.object, copy.caller_file.as_deref())
                .is_some_and(|caller| std::ptr::eq(caller.row, case.row))
        };
        let copies = callee.row.inlined_into(side).iter().filter(is_here);
        copies.map(|copy| share_pct(callee.row, side, copy.weight)).sum()
    }

    /// Callees that the stacks hide under a case because a frame is missing, with their shares.
    pub(super) fn lost_under(&self, case: &Case<'_>) -> Vec<(&Case<'a>, LostCall)> {
        let lost = self.rows.of(case.row).map_or_else(Vec::new, |index| self.lost.under(index));
        lost.into_iter().filter_map(|(callee, lost)| Some((self.cases.get(callee)?, lost))).collect()
    }

    /// Settings that are not the same on both sides and switch the function of a case.
    pub(super) fn gates(&self, case: &Case<'_>) -> Vec<SettingGate<'a>> {
        let Some(settings) = self.input.settings.filter(|_| case.of_program || self.input.builds.is_none())
        else {
            return Vec::new();
        };
        settings.gates(self.input.knowledge.settings, &case.row.name, case.row.subsystem.as_deref())
    }

    /// The row of a function of the program.
    pub(super) fn program_row(&self, name: &str, file: Option<&str>) -> Option<&'a Row> {
        let label = self.input.builds?.label;
        self.case(name, label, file).map(|case| case.row)
    }

    /// The row of the same function under the name that the other build has for it without its scope.
    pub(super) fn unscoped_twin(&self, case: &Case<'_>) -> Option<&Case<'a>> {
        let (_, name) = case.other_name.as_ref()?;
        let is_unscoped = case.found.is_some_and(|found| found.level == FoundBy::Unscoped);
        self.case(name, &case.row.object, None).filter(|_| is_unscoped)
    }

    /// Sampled calls from a row, heaviest on `side` first.
    pub(super) fn calls_from(&self, row: &Row, side: Side) -> Vec<&'a SampledCall> {
        self.sampled(&self.calls_from, row, side)
    }

    /// Sampled calls to a row, heaviest on `side` first.
    pub(super) fn calls_to(&self, row: &Row, side: Side) -> Vec<&'a SampledCall> {
        self.sampled(&self.calls_to, row, side)
    }

    /// Calls of a row by the code of functions, through what is inlined there, heaviest on `side` first.
    pub(super) fn calls_by_code(&self, row: &Row, side: Side) -> Vec<&'a SampledCall> {
        let mut calls: Vec<&SampledCall> = self.of_code(row).map(|(_, call)| call).collect();
        calls.sort_by_key(|call| std::cmp::Reverse(call.weight(side)));
        calls
    }

    /// The call of a row by the code of a function, through what is inlined there.
    pub(super) fn call_by_code(&self, caller: &Row, callee: &Row) -> Option<&'a SampledCall> {
        let caller = self.row_number(caller)?;
        self.of_code(callee).find(|(by, _)| *by == caller).map(|(_, call)| call)
    }

    /// The calls of a row by code, with the row of the caller.
    fn of_code(&self, callee: &Row) -> impl Iterator<Item = (usize, &'a SampledCall)> {
        let of_row = self.row_number(callee).and_then(|callee| self.calls_of_code.get(&callee));
        let all = &self.input.calls.of_code;
        of_row.into_iter().flatten().filter_map(|(caller, index)| Some((*caller, all.get(*index)?)))
    }

    fn sampled(&self, by: &FxHashMap<usize, Vec<usize>>, row: &Row, side: Side) -> Vec<&'a SampledCall> {
        let indexes = self.rows.of(row).and_then(|row| by.get(&row));
        let all = indexes.into_iter().flatten().filter_map(|index| self.input.calls.calls.get(*index));
        let mut calls: Vec<&SampledCall> = all
            .filter(|call| {
                (&call.caller, &call.caller_object, &call.caller_file)
                    != (&call.callee, &call.callee_object, &call.callee_file)
            })
            .collect();
        calls.sort_by_key(|call| std::cmp::Reverse(call.weight(side)));
        calls
    }

    /// The callers of flips that both runs entered: sampled on both sides, or sampled with the copies and then lost by
    /// the chains of the function that it calls.
    pub(super) fn sampled_flips(&self, case: &Case<'_>, inlined_on: Side) -> Vec<CallerFlip> {
        let mut flips = self.builds.flips(&case.ids, inlined_on);
        let called_on = inlined_on.other();
        flips.retain(|flip| {
            self.is_sampled(flip, inlined_on)
                && match flip.is_by_pointer() && !flip.is_moved_out {
                    true => self.came_to_call(flip, case, called_on),
                    false => self.is_entered(flip, case, called_on),
                }
        });
        // A caller that was found by a similar name may be another function.
        let key = |flip: &CallerFlip| (flip.level > FoundBy::Qualified, std::cmp::Reverse(flip.sites));
        flips.sort_by(|a, b| key(a).cmp(&key(b)).then_with(|| a.names.cmp(&b.names)));
        flips
    }

    /// The rows of a flip's caller, by each side's name.
    pub(super) fn flip_rows(&self, flip: &CallerFlip) -> PerSide<Option<&'a Row>> {
        PerSide::from_fn(|side| self.program_row(&flip.names[side], flip.files[side].as_deref()))
    }

    /// Whether the stacks of a side show the caller of a flip.
    pub(super) fn is_sampled(&self, flip: &CallerFlip, side: Side) -> bool {
        self.flip_rows(flip).values().flatten().any(|row| row.side(side).total_weight.0 > 0)
    }

    /// Whether a flip's caller was entered on the side that calls the function: its stacks show it, it is the only
    /// function there that calls, or the chains lost the callers of most of the function's samples.
    fn is_entered(&self, flip: &CallerFlip, case: &Case<'_>, called_on: Side) -> bool {
        let (_, is_only_caller) = flip.called_in;
        let total_pct = case.row.side(called_on).total_pct;
        let is_lost = || self.orphaned_pct(case, called_on) >= LOST_PART * total_pct;
        self.is_sampled(flip, called_on) || (total_pct > 0.0 && (is_only_caller || is_lost()))
    }

    /// Whether the function, which hardly ran out of line on the other side, ran below a flip's caller on a side, and no library that the
    /// caller calls can have called it.
    pub(super) fn came_to_call(&self, flip: &CallerFlip, case: &Case<'_>, side: Side) -> bool {
        let own = |side: Side| case.row.side(side).booked_self_pct;
        let calls_library = || {
            let census = self.builds.census(side).into_iter();
            let mut edges = census.flat_map(|census| census.calls_from(flip.called_in.0));
            edges.any(|edge| self.builds.is_imported(side, &[edge.callee]))
        };
        own(side.other()) <= HARDLY_OUT_OF_LINE * own(side)
            && self.calls_of(flip, case, side).any(|call| call.weight(side).0 > 0)
            && (self.seen_calling_pct(flip, case, side) > 0.0 || !calls_library())
    }

    /// The function's share on a side below a flip's caller, where return addresses show that this calls it through a pointer.
    pub(super) fn seen_calling_pct(&self, flip: &CallerFlip, case: &Case<'_>, side: Side) -> f64 {
        let calls = self.calls_of(flip, case, side).filter(|call| call.pointer_places[side] > 0);
        calls.map(|call| share_pct(case.row, side, call.weight(side))).sum()
    }

    /// The sampled calls of a function by a flip's caller.
    fn calls_of(
        &self,
        flip: &CallerFlip,
        case: &Case<'_>,
        side: Side,
    ) -> impl Iterator<Item = &'a SampledCall> {
        let caller = self.flip_rows(flip)[side];
        self.calls_to(case.row, side).into_iter().filter(move |call| {
            let shown = self.caller(call).map(|caller| caller.row);
            shown.zip(caller).is_some_and(|(shown, caller)| std::ptr::eq(shown, caller))
        })
    }

    /// The number of a case's row on a side: that of its other name, where it has one there.
    pub(super) fn row_on(&self, case: &Case<'_>, side: Side) -> Option<usize> {
        let there = case.other_name.as_ref().filter(|(renamed_on, _)| *renamed_on == side);
        match there {
            Some((_, name)) => self.rows.find(name, &case.row.object, None),
            None => self.rows.of(case.row),
        }
    }

    /// The share of a case on a side under callers that do not call it in the code: the chains lost those that do. A
    /// function that is called differently there is looked for by that name.
    pub(super) fn orphaned_pct(&self, case: &Case<'_>, side: Side) -> f64 {
        let index = self.row_on(case, side);
        index.map_or(0.0, |index| self.lost.orphaned_pct(index, side))
    }

    /// The part of that which may have was under a function: under callers that reach the function in the code, and only if
    /// the function calls or jumps to the callee there.
    pub(super) fn lost_from(&self, case: &Case<'_>, callee: &Case<'_>, side: Side) -> f64 {
        let (Some(census), Some(index)) = (self.builds.census(side), self.row_on(callee, side)) else {
            return 0.0;
        };
        let own = places(census, &case.ids[side]);
        let calls = |own: &FunctionId, id: &FunctionId| census.call(*own, *id).is_some();
        let has_path = callee.ids[side]
            .iter()
            .any(|id| own.iter().any(|own| calls(own, id)) || reaches(census, &own, *id));
        if !has_path {
            return 0.0;
        }
        self.lost.orphaned_under(index, side, |caller| {
            let Some(caller) = caller.and_then(|caller| self.cases.get(caller)) else { return true };
            let callers = places(census, &caller.ids[side]);
            !caller.of_program || own.iter().any(|own| reaches(census, &callers, *own))
        })
    }

    /// The part of that which is under functions that the stacks also show calling this one, which leaves to the callee by a jump: its
    /// own frame is gone then, also where it is called through a pointer.
    pub(super) fn jumped_to_pct(&self, case: &Case<'_>, callee: &Case<'_>, side: Side) -> f64 {
        let Some(index) = self.row_on(callee, side).filter(|_| self.jumps_to(case, callee, side)) else {
            return 0.0;
        };
        // What other functions leave by a jump is right under their callers, too.
        let own = self.builds.census(side).map_or_else(Vec::new, |census| places(census, &case.ids[side]));
        let census = self.builds.census(side).into_iter();
        let edges = census.flat_map(|census| callee.ids[side].iter().flat_map(|id| census.calls_to(*id)));
        if edges.filter(|edge| edge.tail_jumps > 0).any(|edge| !own.contains(&edge.caller)) {
            return 0.0;
        }
        let seen = self.calls_to(case.row, side).into_iter().filter_map(|call| call.caller_in(&self.rows));
        let callers: Vec<usize> = seen.collect();
        self.lost.orphaned_under(index, side, |orphan| orphan.is_some_and(|orphan| callers.contains(&orphan)))
    }

    /// As [`Self::lost_from`], only of what may have been under the function in one caller: in chains that lost the function and show the
    /// caller, or lost the caller too, because the function is inlined there.
    pub(super) fn lost_between(
        &self,
        caller: &Case<'_>,
        case: &Case<'_>,
        callee: &Case<'_>,
        side: Side,
    ) -> f64 {
        let (Some(census), Some(index)) = (self.builds.census(side), self.row_on(callee, side)) else {
            return 0.0;
        };
        let of_caller = places(census, &caller.ids[side]);
        let in_caller = self.lost.orphaned_under(index, side, |orphan| {
            let Some(orphan) = orphan.and_then(|orphan| self.cases.get(orphan)) else { return true };
            let above = places(census, &orphan.ids[side]);
            !orphan.of_program
                || above.iter().any(|id| of_caller.contains(id))
                || of_caller.iter().any(|id| reaches(census, &above, *id))
        });
        in_caller.min(self.lost_from(case, callee, side))
    }

    /// The share of a callee that left the function's callers from side `less` to the other: what they had of it there may have
    /// been the function's, which left by a jump. In points, without the common factor.
    pub(super) fn left_callers_pp(&self, case: &Case<'_>, callee: &Case<'_>, less: Side) -> f64 {
        let callers = Side::BOTH
            .into_iter()
            .flat_map(|side| self.calls_to(case.row, side))
            .filter_map(|call| self.row_number(self.caller(call)?.row))
            .collect();
        self.left_pp(callers, callee, less)
    }

    /// The same of a function that leaves to the callee by a jump on side `less`: a caller that is there alone, and under another
    /// name on the other side, is known from the code.
    pub(super) fn jumped_past_pp(&self, case: &Case<'_>, callee: &Case<'_>, less: Side) -> f64 {
        let calls = Side::BOTH.into_iter().flat_map(|side| self.calls_to(case.row, side));
        let sampled = calls.filter_map(|call| self.caller(call));
        let census = self.builds.census(less).into_iter();
        let callers = census.flat_map(|census| {
            let edges = case.ids[less].iter().flat_map(|id| census.calls_to(*id));
            edges.filter_map(|edge| census.function(edge.caller))
        });
        let in_code = callers.filter_map(|caller| self.case(caller.name(), &case.row.object, caller.file()));
        let callers = sampled.chain(in_code).filter_map(|caller| self.row_number(caller.row)).collect();
        self.left_pp(callers, callee, less)
    }

    /// The share of a callee that left these callers, without the common factor.
    fn left_pp(&self, mut callers: Vec<usize>, callee: &Case<'_>, less: Side) -> f64 {
        callers.sort_unstable();
        callers.dedup();
        let under = |caller: usize, side: Side| {
            let Some(caller) = self.cases.get(caller) else { return 0.0 };
            let calls = self.calls_from(caller.row, side).into_iter();
            let of_callee = calls.filter(|call| {
                *call.callee == *callee.row.name && call.callee_file.as_deref() == callee.row.file.as_deref()
            });
            let pct: f64 = of_callee.map(|call| share_pct(caller.row, side, call.weight(side))).sum();
            self.common_shift.without(pct, side)
        };
        callers.into_iter().map(|caller| (under(caller, less) - under(caller, less.other())).max(0.0)).sum()
    }

    /// The share that left the function's callers from side `less` to the other, of functions that the function leaves to by a
    /// jump on that side and that are what the callee was there: the same function under another name, or one that the other
    /// build does not have, where the callee is new. In points.
    pub(super) fn left_by_jump_pp(&self, case: &Case<'_>, callee: &Case<'_>, less: Side) -> f64 {
        let Some(census) = self.builds.census(less) else { return 0.0 };
        let is_new = callee.held_by(less) == InBuild::No;
        let left = |id: FunctionId| {
            let function = census.function(id)?;
            let target = self.case(function.name(), &case.row.object, function.file())?;
            let is_it = callee.ids[less].contains(&id);
            let is_gone = target.held_by(less.other()) == InBuild::No && !target.is_sampled(less.other());
            let is_other = !std::ptr::eq(target.row, callee.row);
            (is_other && (is_it || (is_new && is_gone))).then(|| self.left_callers_pp(case, target, less))
        };
        self.jumped_to(census, case, less).into_iter().flatten().filter_map(left).fold(0.0, f64::max)
    }

    /// Whether the function leaves by a jump to the callee on a side, at once or by way of others: that side's run then has the
    /// callee under the function's callers.
    pub(super) fn jumps_to(&self, case: &Case<'_>, callee: &Case<'_>, side: Side) -> bool {
        let Some(census) = self.builds.census(side) else { return false };
        let jumped = self.jumped_to(census, case, side);
        jumped.into_iter().flatten().any(|id| callee.ids[side].contains(&id))
    }

    /// Whether a side's run entered the function, though no stack can show it: it always leaves to the callee by a jump, and the callee
    /// has samples there under the function's callers, which it does not have on the other side.
    pub(super) fn is_hidden_by_jump(&self, case: &Case<'_>, callee: &Case<'_>, side: Side) -> bool {
        let Some(census) = self.builds.census(side) else { return false };
        let edges = || {
            let ids = case.ids[side].iter();
            ids.flat_map(|id| callee.ids[side].iter().filter_map(|of| census.call(*id, *of)))
        };
        let only_jumps = edges().any(|edge| edge.tail_jumps > 0) && edges().all(|edge| edge.calls == 0);
        only_jumps && self.jumped_past_pp(case, callee, side) > 0.0
    }

    /// What a function leaves to by jumps, one jump after the other.
    fn jumped_to(&self, census: &Census, case: &Case<'_>, side: Side) -> Vec<Vec<FunctionId>> {
        let mut known = places(census, &case.ids[side]);
        let mut levels = Vec::new();
        for _ in 0..LONGEST_JUMPS {
            known.truncate(WIDEST_JUMPS);
            let jumps = known.iter().flat_map(|id| census.calls_from(*id)).filter(|edge| edge.tail_jumps > 0);
            known = jumps.map(|edge| edge.callee).collect();
            levels.push(known.clone());
        }
        levels
    }
}

/// The same by all functions of the builds; `None` if these do not show that the builds are a patch apart.
fn all_functions(builds: &Builds<'_>) -> Option<BuildDistance> {
    let same: Vec<bool> = builds.same_codes().collect();
    let count = same.iter().filter(|same| **same).count();
    let is_patched = same.len() >= LEAST_COMPARED && count as f64 >= SAME_CODE_OF_ALL * same.len() as f64;
    is_patched.then_some(BuildDistance {
        is_of_sampled: false,
        compared: same.len(),
        same: count,
        is_patch: Some(true),
    })
}

/// Whether a function has other code of the same size with the same calls, long enough to be so by no chance.
fn is_alike(builds: &Builds<'_>, case: &Case<'_>) -> bool {
    let is_long = builds
        .census(Side::After)
        .is_some_and(|census| case.code_bytes(census, Side::After) >= TELLING_BYTES);
    is_long && builds.is_alike(&case.ids)
}
