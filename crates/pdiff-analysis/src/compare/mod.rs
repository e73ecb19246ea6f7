//! Two sides of recordings to one table of rows: the heart of pdiff.
//!
//! `prepare` makes functions of stacks, `row_table` rows of functions, [`crate::aggregate`] weights of samples,
//! [`crate::noise`] judges, `cost` brings in operations and `comparability` says what to know first. Law: self weights
//! of the rows sum to each side's weight, and so do self by symbol weights.

mod beside;
mod build_functions;
mod call_tree;
mod call_ways;
mod comparability;
mod comparison;
mod cost;
mod cost_change;
mod cost_parts;
mod cost_scale;
mod counterparts;
mod coverage;
mod family;
mod findings_input;
mod gap;
mod hidden_callers;
mod hot_lines;
mod input;
mod judged;
mod key_facts;
mod known_calls;
mod leaves;
mod match_counterparts;
mod matching;
mod measure_change;
mod mistakes;
mod pointer_calls;
mod prepare;
mod row;
mod row_field;
mod row_table;
mod run_stacks;
mod sampled;
mod sampled_calls;
mod seconds;
pub mod side_fact;
mod side_object;
mod wait_changes;
mod wait_sites;
mod waiting;

use pdiff_profile::{Notes, PerSide, Side, StackId, Weight};

pub use beside::beside;
pub use call_tree::{
    Align, CallTree, FrameChange, FrameChanges, FrameWeight, TreeFrame, TreeFunction, TreeNode, TreeSettings,
};
pub(crate) use comparability::side_cut_more;
pub use comparison::{
    Comparison, Cost, Family, Gap, GapParts, InlineFlip, MissingCallers, NoiseSummary, Pair, RenamedFunction,
    RunSummary, SideSummary,
};
pub use cost::CPU_SCALE_TOLERANCE;
pub use cost_parts::{Beside, BesideRow, CostParts, CostReason, Interval};
pub use cost_scale::CostScale;
pub use coverage::Coverage;
pub use family::InlineChange;
pub(crate) use family::net_and_moved;
pub use gap::assumed_log_half;
pub use hot_lines::{FunctionLines, HotLine, RowFunction, SideLines, SourceLine};
pub use input::{CompareSettings, Knowledge, ObjectFacts, RunInput, SideInput, Sides};
pub use leaves::LeafFrame;
pub use measure_change::{CostChange, CostExtent, MeasureChange, OwnCostChange};
pub use mistakes::is_other_version;
pub use prepare::{PreparedSides, Program};
pub(crate) use row::of_both_sides;
pub use row::{
    InlinedInto, InlinedQuantities, JoinedNames, MatchedBy, PerOperation, Quantities, Row, RowFields, RowGap,
    RowInline, RowMatch,
};
pub use row_field::{FieldGroup, FieldValue, RowField};
pub use run_stacks::{RunStacks, StackLevel};
pub use sampled::Sampled;
pub(crate) use sampled_calls::has_calls;
pub use sampled_calls::{SampledCall, SampledCalls};
pub use seconds::{RunSeconds, Seconds};
pub use side_fact::{Severity, SideFact};
pub use side_object::SideObject;
pub use wait_changes::SINGLE_RUN_WAIT_CV;
pub use wait_sites::{WaitingSides, waiting};
pub use waiting::{
    FindingWaits, ThreadTimes, WaitChange, WaitNoise, WaitPlace, Waiting, WaitingGroup, Waits,
};

use rayon::prelude::*;
use rustc_hash::FxHashMap;

use crate::aggregate::{CellRows, DenominatorId, RowId, RunTable, aggregate};
use crate::findings::{Findings, findings, switched};
use crate::knowledge::SettingsKnowledge;
use crate::noise::NoiseSettings;
use crate::plan::{self, Plan, PlanError, PlanInput, PlanSettings};
use crate::policy::Share;
use crate::settings_diff::SettingsDiff;
use comparability::ChainFacts;
use cost::{RunCost, RunFacts, SideCost};
use findings_input::stacks_of_both;
use judged::{Counted, judged_rows};
use mistakes::mistakes;
use prepare::{Prepared, PreparedRun};
use row_table::{RowTable, ThreadClass};

/// Compares two sides once. What is to be looked at in several ways is prepared once, as [`PreparedSides`].
///
/// Deterministic: rows are sorted by the size of their change, then by weight, then by name.
#[must_use]
pub fn compare(sides: &Sides<'_>, settings: &CompareSettings) -> Comparison {
    PreparedSides::new(sides, settings).compare(sides, settings)
}

impl PreparedSides {
    /// Compares the sides. They, and the settings but grouping, denominator and noise, are those that this was made of.
    ///
    /// Deterministic: rows are sorted by the size of their change, then by weight, then by name.
    #[must_use]
    pub fn compare(&self, sides: &Sides<'_>, settings: &CompareSettings) -> Comparison {
        // Findings and likely mistakes need no rows: they are searched for while rows are counted, and kept.
        let meanwhile = |cost: Option<&Cost>| {
            self.findings(sides, cost, settings.noise);
            self.mistakes(sides, settings);
        };
        let mut comparison = self.rows(sides, settings, meanwhile);
        self.add_findings(sides, settings, &mut comparison);
        comparison
    }

    /// The same without findings, for callers that need only the rows.
    #[must_use]
    pub fn compare_rows(&self, sides: &Sides<'_>, settings: &CompareSettings) -> Comparison {
        let mut comparison = self.bare_rows(sides, settings);
        self.add_mistakes(sides, settings, &mut comparison);
        comparison
    }

    /// The rows alone: without findings, and without a look for likely mistakes in the input.
    #[must_use]
    pub fn bare_rows(&self, sides: &Sides<'_>, settings: &CompareSettings) -> Comparison {
        self.rows(sides, settings, |_| ())
    }

    /// As [`Self::bare_rows`]. `meanwhile` runs while samples are counted; the cost of an operation is known by then, the causes of a gap
    /// are not.
    fn rows(
        &self,
        sides: &Sides<'_>,
        settings: &CompareSettings,
        meanwhile: impl FnOnce(Option<&Cost>) + Send,
    ) -> Comparison {
        let prepared = self.view(sides);
        compare_prepared(sides, settings, (&prepared, &self.chains), self.notes().clone(), meanwhile)
    }

    /// Adds findings and likely mistakes to rows that [`Self::bare_rows`] made under the same settings.
    pub fn add_findings(&self, sides: &Sides<'_>, settings: &CompareSettings, comparison: &mut Comparison) {
        let cost = comparison.cost.as_ref();
        let (findings, _) =
            rayon::join(|| self.findings(sides, cost, settings.noise), || self.mistakes(sides, settings));
        comparison.findings = findings;
        self.add_mistakes(sides, settings, comparison);
        let lost = comparability::lost_callers(sides, comparison.findings.no_caller_pct);
        comparison.comparability.extend(lost);
        comparison.comparability.sort_by_key(|fact| std::cmp::Reverse(fact.severity));
    }

    /// Searches again for where the sides differ, after more became known of them.
    pub fn find_again(&self, sides: &Sides<'_>, settings: &CompareSettings, comparison: &mut Comparison) {
        comparison.findings = self.findings(sides, comparison.cost.as_ref(), settings.noise);
    }

    fn add_mistakes(&self, sides: &Sides<'_>, settings: &CompareSettings, comparison: &mut Comparison) {
        comparison.comparability.extend(self.mistakes(sides, settings).iter().cloned());
        comparison.comparability.sort_by_key(|fact| std::cmp::Reverse(fact.severity));
    }

    /// Finds likely mistakes in what was recorded. A comparison after that needs the recorded stacks no more.
    pub fn look_at_recorded_stacks(&self, sides: &Sides<'_>, settings: &CompareSettings) {
        self.mistakes(sides, settings);
    }

    /// Likely mistakes in the input, looked for once.
    fn mistakes(&self, sides: &Sides<'_>, settings: &CompareSettings) -> &[SideFact] {
        self.mistakes.get_or_init(|| mistakes(sides, &self.view(sides), &settings.knowledge.requests))
    }

    /// The findings under these settings, computed once.
    fn findings(&self, sides: &Sides<'_>, cost: Option<&Cost>, noise: NoiseSettings) -> Findings {
        let find = || self.with_called(sides, |prepared| found(prepared, cost, noise));
        let (known, findings) = self.findings.get_or_init(|| (noise, find()));
        if *known == noise { findings.clone() } else { find() }
    }

    /// Tells from the stacks who called the rows of a comparison that changed, and what they called.
    #[must_use]
    pub fn calls(&self, sides: &Sides<'_>, comparison: &Comparison) -> SampledCalls {
        sampled_calls::sampled_calls(&self.view(sides), &comparison.rows)
    }

    /// Plans experiments that can find the causes of a comparison's findings.
    ///
    /// # Errors
    /// Returns an error if a factor is not known, or there is none.
    pub fn plan(
        &self,
        sides: &Sides<'_>,
        comparison: &Comparison,
        noise: NoiseSettings,
        settings: (Option<&SettingsDiff>, &SettingsKnowledge),
        wanted: &PlanSettings,
    ) -> Result<Plan, PlanError> {
        let prepared = self.view(sides);
        let (settings, knowledge) = settings;
        let functions = prepared
            .keys
            .iter()
            .map(|(id, key)| (&*key.qualified, prepared.facts.subsystem(id), prepared.facts.is_start(id)));
        let functions = functions.collect();
        let input = PlanInput { comparison, settings, knowledge, noise, functions };
        // As the findings are.
        self.with_called(sides, |prepared| {
            let stacks = stacks_of_both(prepared, comparison.cost.as_ref(), noise);
            plan::make(&input, wanted, |codes| switched(&stacks, codes, &noise))
        })
    }

    /// Makes one tree of both sides' stacks.
    #[must_use]
    pub fn call_tree(&self, sides: &Sides<'_>, settings: &CompareSettings, tree: &TreeSettings) -> CallTree {
        let mut trees = self.call_trees(sides, settings, std::slice::from_ref(tree));
        trees.pop().expect("there is a tree for each of the settings")
    }

    /// Makes several trees of both sides' stacks.
    #[must_use]
    pub fn call_trees(
        &self,
        sides: &Sides<'_>,
        settings: &CompareSettings,
        trees: &[TreeSettings],
    ) -> Vec<CallTree> {
        call_tree::call_trees(&self.view(sides), settings, trees)
    }

    /// The groups of threads with the weight of each side, base first; the heaviest first.
    #[must_use]
    pub fn thread_groups(&self, sides: &Sides<'_>) -> Vec<(String, PerSide<u64>)> {
        let prepared = self.view(sides);
        let mut weights: FxHashMap<&str, PerSide<u64>> = FxHashMap::default();
        for run in &prepared.runs {
            for cell in run.cells {
                let group = run.groups.get(cell.thread.index()).map_or("", String::as_str);
                let sum = &mut weights.entry(group).or_default()[run.side];
                *sum = sum.saturating_add(cell.weight.0);
            }
        }
        let mut groups: Vec<_> =
            weights.into_iter().map(|(group, weights)| (group.to_owned(), weights)).collect();
        groups.sort_by(|(a, of_a), (b, of_b)| of_b.values().max().cmp(&of_a.values().max()).then(a.cmp(b)));
        groups
    }

    /// What each second of the recordings holds, as a whole and of some functions.
    #[must_use]
    pub fn seconds(&self, sides: &Sides<'_>, functions: &[(String, String)]) -> Seconds {
        seconds::seconds(&self.view(sides), functions)
    }

    /// The lines of some functions.
    #[must_use]
    pub fn hot_lines(&self, sides: &Sides<'_>, functions: &[RowFunction]) -> Vec<FunctionLines> {
        hot_lines::hot_lines(&self.view(sides), functions)
    }

    /// The samples of each stack that passed the filters, by run, of one side.
    #[must_use]
    pub fn samples_of_stacks(&self, sides: &Sides<'_>, side: Side) -> Vec<Vec<u64>> {
        let prepared = self.view(sides);
        let of_side = prepared.runs.iter().filter(|run| run.side == side);
        of_side.map(PreparedRun::stack_samples).collect()
    }

    /// The leaf frames of some functions by symbol.
    #[must_use]
    pub fn leaves(&self, sides: &Sides<'_>, functions: &[RowFunction]) -> Vec<PerSide<Vec<LeafFrame>>> {
        leaves::leaves(&self.view(sides), functions)
    }
}

/// Of more functions, rows are counted first and findings searched then: both at once take up to a twentieth more memory, and of 200,000
/// functions are no faster.
const MANY_FUNCTIONS: usize = 100_000;

/// Rows of fewer functions are judged while findings are searched; those of more take a twentieth more memory then.
const FEW_FUNCTIONS: usize = 8_192;

fn compare_prepared(
    sides: &Sides<'_>,
    settings: &CompareSettings,
    (prepared, chains): (&Prepared<'_>, &ChainFacts),
    mut notes: Notes,
    meanwhile: impl FnOnce(Option<&Cost>) + Send,
) -> Comparison {
    let mut cost_notes = Notes::new();
    let facts = costs_of_runs(prepared, settings, &mut cost_notes);
    let costs = side_costs(&facts);
    let cost = cost::cost(&costs.before, &costs.after);
    let functions = prepared.keys.len();
    let count = || counted_rows(prepared, settings);
    let mut judge = |(row_table, tables): (RowTable<'_>, Vec<RunTable>)| {
        let unresolved = unresolved(prepared);
        let summaries = PerSide::from_fn(|side| summarize(side, sides, &facts, &tables, &unresolved));
        let counted = Counted {
            keys: prepared.keys,
            renames: prepared.renames,
            row_table: &row_table,
            runs: &prepared.runs,
            tables: &tables,
            settings,
        };
        let left_out = left_out(settings.share, &prepared.runs, &tables);
        (judged_rows(&counted, &mut notes), summaries, left_out)
    };
    let meanwhile = || meanwhile(cost.as_ref());
    let ((mut rows, families, noise), summaries, left_out_pct) = match functions {
        ..FEW_FUNCTIONS => rayon::join(|| judge(count()), meanwhile).0,
        FEW_FUNCTIONS..MANY_FUNCTIONS => judge(rayon::join(count, meanwhile).0),
        _ => {
            let counted = count();
            meanwhile();
            judge(counted)
        }
    };
    notes.merge(&cost_notes);
    for row in &mut rows {
        costs.before.set_per_op(&mut row.before);
        costs.after.set_per_op(&mut row.after);
    }
    let gap = gap::gap(&costs.before, &costs.after, &settings.noise, &mut rows);
    let cost = cost.map(|cost| Cost { gap, ..cost });
    if let Some(cost) = cost.as_ref().filter(|_| settings.share == Share::All) {
        cost_change::set_cost_changes(cost, &mut rows, &settings.noise);
    }
    let PerSide { before, after } = summaries;
    Comparison {
        comparability: comparability::facts(
            sides,
            PerSide::new(&before, &after),
            cost.as_ref(),
            prepared.keys.one_sided(),
            (chains, &rows),
            settings.share,
        ),
        left_out_pct,
        missing_callers: chains.missing_callers,
        before,
        after,
        policy: settings.policy,
        share: settings.share,
        group_by: settings.group_by,
        filtered: settings.filters.describe(),
        preset: None,
        coverage: prepared.keys.one_sided().coverage().clone(),
        rows,
        families,
        findings: Findings::default(),
        renamed: Vec::new(),
        cost,
        beside: Vec::new(),
        waiting: None,
        noise,
        notes,
    }
}

/// Where the sides differ, in few parts.
fn found(prepared: &Prepared<'_>, cost: Option<&Cost>, noise: NoiseSettings) -> Findings {
    findings(&stacks_of_both(prepared, cost, noise))
}

fn cell_rows(run: &PreparedRun<'_>, row_table: &mut RowTable<'_>) -> CellRows {
    let profile = run.input.profile;
    let mut classes: Vec<ThreadClass> = Vec::new();
    let mut known: FxHashMap<(&str, &str), u32> = FxHashMap::default();
    let mut class_of = Vec::with_capacity(run.groups.len());
    for (thread, group) in profile.threads.iter().zip(run.groups) {
        let comm = profile.string(thread.comm);
        class_of.push(*known.entry((comm, group)).or_insert_with(|| {
            classes.push(ThreadClass { comm: comm.to_owned(), group: group.clone() });
            u32::try_from(classes.len() - 1).expect("fewer than 2^32 threads fit in memory")
        }));
    }
    let nobody = ThreadClass { comm: String::new(), group: String::new() };
    CellRows::find(run.cells, &class_of, |class, stack, lists| {
        row_table.stack_rows(run, classes.get(class as usize).unwrap_or(&nobody), stack, lists)
    })
}

/// The rows, and what each run counts of each.
fn counted_rows<'a>(
    prepared: &'a Prepared<'a>,
    settings: &'a CompareSettings,
) -> (RowTable<'a>, Vec<RunTable>) {
    let mut row_table = RowTable::new(prepared, settings);
    let cell_rows: Vec<CellRows> = prepared.runs.iter().map(|run| cell_rows(run, &mut row_table)).collect();
    row_table.forget_ids();
    let scope = |row: RowId| row_table.rows().get(row.index()).map_or(DenominatorId::ALL, |key| key.scope);
    let runs = prepared.runs.par_iter().zip(&cell_rows);
    let count = row_table.rows().len();
    let tables = runs.map(|(run, rows)| aggregate(run.cells, rows, count, scope)).collect();
    (row_table, tables)
}

/// The weight of each run whose leaf has no function.
fn unresolved(prepared: &Prepared<'_>) -> Vec<u64> {
    let is_unresolved = |run: &PreparedRun<'_>, stack| {
        run.stacks.get(stack).last().is_some_and(|leaf| prepared.keys.get(leaf.key).is_nameless())
    };
    let runs = prepared.runs.par_iter();
    runs.map(|run| weight_where(run, |stack| is_unresolved(run, stack))).collect()
}

/// Operations and CPU of each run.
fn costs_of_runs<'a>(
    prepared: &'a Prepared<'a>,
    settings: &CompareSettings,
    notes: &mut Notes,
) -> Vec<(Side, RunFacts<'a>, RunCost)> {
    let runs = prepared.runs.par_iter();
    let spins: Vec<u64> =
        runs.map(|run| weight_where(run, |stack| run.spins(prepared.facts, stack))).collect();
    let facts = prepared.runs.iter().zip(spins).map(|(run, spins)| {
        let facts = run_facts(run, spins, settings);
        let cost = facts.cost(notes);
        (run.side, facts, cost)
    });
    facts.collect()
}

/// The weight of the stacks of which something holds.
fn weight_where(run: &PreparedRun<'_>, holds: impl Fn(StackId) -> bool) -> u64 {
    let stacks = (0_u32..).map(StackId).zip(run.stack_weights());
    stacks.filter(|(stack, weight)| *weight > 0 && holds(*stack)).map(|(_, weight)| weight).sum()
}

fn run_facts<'a>(run: &'a PreparedRun<'a>, spin_weight: u64, settings: &CompareSettings) -> RunFacts<'a> {
    RunFacts {
        path: &run.input.path,
        profile: run.input.profile,
        measures: run.input.measures,
        host: run.host,
        weight: run.cells.iter().map(|cell| cell.weight.0).sum(),
        all_weight: run.input.profile.cells_of(run.input.event).iter().map(|cell| cell.weight.0).sum(),
        spin_weight,
        is_time: run
            .input
            .profile
            .events
            .get(run.input.event.index())
            .is_some_and(pdiff_profile::Event::is_time),
        scale_to_cpu_seconds: settings.scale_to_cpu_seconds,
    }
}

fn side_costs(facts: &[(Side, RunFacts<'_>, RunCost)]) -> PerSide<SideCost> {
    PerSide::from_fn(|side| {
        let of_side = facts.iter().filter(|(of, ..)| *of == side);
        SideCost::sum(&of_side.map(|(_, facts, cost)| (facts, cost)).collect::<Vec<_>>())
    })
}

fn summarize(
    side: Side,
    sides: &Sides<'_>,
    facts: &[(Side, RunFacts<'_>, RunCost)],
    tables: &[RunTable],
    unresolved: &[u64],
) -> SideSummary {
    let input = sides.get(side);
    let mine = || facts.iter().zip(tables.iter().zip(unresolved)).filter(|((of, ..), _)| *of == side);
    let weight: Weight = mine().map(|(_, (table, _))| Weight(table.weight)).sum();
    let percent =
        |part: Weight| if weight == Weight::ZERO { 0.0 } else { 100.0 * part.as_f64() / weight.as_f64() };
    let runs = mine().zip(&input.runs).map(|(((_, facts, cost), (table, _)), run)| RunSummary {
        path: run.path.clone(),
        event: run
            .profile
            .events
            .get(run.event.index())
            .map_or_else(String::new, |event| event.name.to_string()),
        samples: table.samples,
        weight: Weight(table.weight),
        span_s: facts.profile.span.map(pdiff_profile::Span::seconds),
        operations: cost.operations,
        tps: cost.tps,
        cpu_seconds: cost.cpu_seconds,
    });
    SideSummary {
        label: input.label.clone(),
        runs: runs.collect(),
        samples: mine().map(|(_, (table, _))| table.samples).sum(),
        weight,
        unresolved_pct: percent(mine().map(|(_, (_, unresolved))| Weight(*unresolved)).sum()),
        spin_pct: percent(mine().map(|((_, facts, _), _)| Weight(facts.spin_weight)).sum()),
        objects: input.objects.clone(),
    }
}

/// With [`Share::Work`]: what part of each side's weight is not in the denominator, in percent.
fn left_out(share: Share, runs: &[PreparedRun<'_>], tables: &[RunTable]) -> Option<(f64, f64)> {
    let part = |side: Side| {
        let mine = runs.iter().zip(tables).filter(|(run, _)| run.side == side).map(|(_, table)| table);
        let (kept, all) = mine.fold((0.0, 0.0), |(kept, all), table| {
            (kept + table.denominators.first().map_or(0.0, |work| work.total), all + table.weight as f64)
        });
        if all > 0.0 { 100.0 * (all - kept) / all } else { 0.0 }
    };
    (share == Share::Work).then(|| (part(Side::Before), part(Side::After)))
}
