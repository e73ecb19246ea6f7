//! Whether frames changed: the comparison's own judgement, with frames in place of rows.
//!
//! Each frame's self and total are counted over time blocks and runs as rows are, so a frame that varies in time gets
//! a wide interval of its own. The false discovery rate is kept over the frames shown.

use pdiff_profile::{PerSide, Side, StackId};
use rayon::prelude::*;
use rustc_hash::FxHashMap;

use super::grow::Grown;
use super::prune::Places;
use super::{CallTree, FrameChange, FrameChanges, TreeFrame, TreeSettings};
use crate::aggregate::{
    CellRows, DenominatorId, LeafRows, Measure, RowId, RowLists, RowMeasures, RunTable, aggregate,
};
use crate::compare::input::CompareSettings;
use crate::compare::prepare::{Prepared, PreparedRun};
use crate::noise::{self, Denominator, RowNoise, RunBlocks};
use crate::policy::Share;

pub(super) fn judge(
    tree: &mut CallTree,
    grown: &Grown,
    places: &Places,
    prepared: &Prepared<'_>,
    (compared, settings): (&CompareSettings, &TreeSettings),
) {
    let counting = Counting::new(tree, prepared, (compared, settings));
    let runs: Vec<_> = prepared.runs.iter().zip(&grown.ends).collect();
    let tables: Vec<RunTable> =
        runs.par_iter().map(|(run, ends)| counting.count(run, ends, places)).collect();
    let tables_of = |side: Side| {
        prepared.runs.iter().zip(&tables).filter(move |(run, _)| run.side == side).map(|(_, table)| table)
    };
    let denominators: Vec<Denominator> = (0..counting.scopes.len().max(1))
        .map(|scope| {
            let of_run = |table: &RunTable| table.denominators.get(scope).copied().unwrap_or_default();
            let PerSide { before, after } =
                PerSide::from_fn(|side| tables_of(side).map(of_run).collect::<Vec<RunBlocks>>());
            Denominator { before, after }
        })
        .collect();
    let judge = |measure: fn(&RowMeasures) -> Measure| {
        let frame = |index: usize| {
            let of_run = |table: &RunTable| measure(&table.row(RowId(index as u32))).row_run();
            let PerSide { before, after } =
                PerSide::from_fn(|side| tables_of(side).map(of_run).collect::<Vec<_>>());
            noise::Row { denominator: counting.denominators[index].index(), before, after }
        };
        let rows: Vec<noise::Row> = (0..tree.nodes.len()).map(frame).collect();
        noise::judge(&denominators, &rows, &compared.noise).rows
    };
    let (of_self, of_total) = rayon::join(|| judge(|row| row.own), || judge(|row| row.total));
    for (node, (of_self, of_total)) in tree.nodes.iter_mut().zip(of_self.iter().zip(&of_total)) {
        node.changes = Some(FrameChanges { of_self: change(of_self), of_total: change(of_total) });
    }
}

fn change(noise: &RowNoise) -> FrameChange {
    FrameChange {
        before_pct: noise.before_pct,
        after_pct: noise.after_pct,
        ci_low_pp: noise.ci_low_pp,
        ci_high_pp: noise.ci_high_pp,
        se_pp: noise.se_pp,
        degrees_of_freedom: noise.degrees_of_freedom,
        tested: noise.test.p().is_some(),
        significant: noise.significant && noise.floor_passed,
    }
}

/// What frames and stacks count for.
struct Counting<'a> {
    parents: Vec<Option<u32>>,
    /// By frame.
    denominators: Vec<DenominatorId>,
    /// Objects that are denominators.
    scopes: FxHashMap<String, DenominatorId>,
    prepared: &'a Prepared<'a>,
    share: Share,
    /// The group whose threads are drawn; `None` for all.
    thread_group: Option<&'a str>,
}

/// Threads of other groups than the one that is drawn.
const OUTSIDE: u32 = 1;

impl<'a> Counting<'a> {
    fn new(
        tree: &CallTree,
        prepared: &'a Prepared<'a>,
        (compared, settings): (&CompareSettings, &'a TreeSettings),
    ) -> Self {
        let mut scopes = FxHashMap::default();
        let mut denominator = |frame: TreeFrame| match (compared.share, frame) {
            (Share::Object, TreeFrame::Function(index)) => {
                let next = DenominatorId::new(scopes.len());
                let object = tree.functions.get(index).map_or_else(String::new, |of| of.object.clone());
                *scopes.entry(object).or_insert(next)
            }
            // What is not a function, where shares are of objects.
            (Share::Object, _) => DenominatorId::NONE,
            _ => DenominatorId::ALL,
        };
        let denominators = tree.nodes.iter().map(|node| denominator(node.frame)).collect();
        let parents = tree.nodes.iter().map(|node| node.parent.map(|parent| parent as u32)).collect();
        let thread_group = settings.thread_group.as_deref();
        Self { parents, denominators, scopes, prepared, share: compared.share, thread_group }
    }

    fn count(&self, run: &PreparedRun<'_>, ends: &[Option<u32>], places: &Places) -> RunTable {
        let denominator_of =
            |row: RowId| self.denominators.get(row.index()).copied().unwrap_or(DenominatorId::NONE);
        let is_drawn = |of: &String| self.thread_group.is_none_or(|group| of == group);
        let classes: Vec<u32> = run.groups.iter().map(|of| if is_drawn(of) { 0 } else { OUTSIDE }).collect();
        let stack_rows = |class: u32, stack: StackId, lists: &mut RowLists| {
            let end = ends.get(stack.index()).copied().flatten().filter(|_| class != OUTSIDE);
            self.stack_rows(run, stack, end.and_then(|end| places.get(end as usize)).copied(), lists)
        };
        let cell_rows = CellRows::find(run.cells, &classes, stack_rows);
        aggregate(run.cells, &cell_rows, self.denominators.len() + 1, denominator_of)
    }

    /// The frames that a stack counts for: those from the root to its end. Out of focus it counts for the denominator
    /// alone, and for a row after the last frame.
    fn stack_rows(
        &self,
        run: &PreparedRun<'_>,
        stack: StackId,
        end: Option<u32>,
        lists: &mut RowLists,
    ) -> LeafRows {
        let outside = self.parents.len() as u32;
        let parent = |at: &u32| self.parents.get(*at as usize).copied().flatten();
        lists.total.extend(std::iter::successors(end, parent).map(RowId));
        let own = RowId(end.unwrap_or(outside));
        let denominator = match self.share {
            Share::Work => (!self.prepared.waits(run, stack)).then_some(DenominatorId::ALL),
            Share::Object => {
                let leaf = run.stacks.get(stack).last();
                leaf.and_then(|leaf| self.scopes.get(&*self.prepared.keys.get(leaf.key).object)).copied()
            }
            Share::All | Share::ThreadGroup => Some(DenominatorId::ALL),
        };
        LeafRows { own, booked: own, inlined: false, denominator }
    }
}
