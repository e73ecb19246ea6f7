//! Counted rows to judged rows: weights and shares of both sides, and whether the change is more than noise.

use std::borrow::Cow;
use std::sync::Arc;

use pdiff_profile::{NoteKind, Notes, PerSide, Presence, Side, Weight, is_unnamed};
use rayon::prelude::*;

use super::comparison::{Family, InlineFlip, NoiseSummary};
use super::family::{Flip, SideChains, flips, flips_of, join, net_and_moved};
use super::input::CompareSettings;
use super::matching::{Renames, is_ambiguous};
use super::measure_change::MeasureChange;
use super::prepare::PreparedRun;
use super::row::{
    InlinedInto, InlinedQuantities, JoinedNames, MatchedBy, Quantities, Row, RowFields, RowInline, RowMatch,
};
use super::row_table::{RowKey, RowTable};
use crate::aggregate::{DenominatorId, Measure, RowId, RowMeasures, RunTable};
use crate::noise::{
    self, Denominator, Detectable, RowNoise, RunBlocks, Sensitivity, Settled, Test, TypicalRow,
};
use crate::normalize::{KeyId, Keys, is_nameless};
use crate::policy::Share;

/// Everything counted, not yet judged.
pub(super) struct Counted<'a> {
    pub(super) keys: &'a Keys,
    pub(super) renames: &'a Renames,
    pub(super) row_table: &'a RowTable<'a>,
    pub(super) runs: &'a [PreparedRun<'a>],
    pub(super) tables: &'a [RunTable],
    pub(super) settings: &'a CompareSettings,
}

/// All rows that have weight on some side, judged and sorted.
pub(super) fn judged_rows(counted: &Counted<'_>, notes: &mut Notes) -> (Vec<Row>, Vec<Family>, NoiseSummary) {
    let denominators: Vec<Denominator> =
        (0..counted.row_table.scopes()).map(|scope| counted.denominator(scope)).collect();
    let typical = counted.typical(&denominators);
    let count = counted.row_table.rows().len();
    let row_of = |measure: fn(&RowMeasures) -> Measure| {
        move |row: usize| counted.noise_row(RowId(row as u32), measure)
    };
    let beyond = |measure: fn(&RowMeasures) -> Measure| {
        let judged = typical.as_ref().zip(denominators.first());
        let judged = judged
            .map(|(typical, all)| typical.excesses(all, count, row_of(measure), &counted.settings.noise))
            .unwrap_or_default();
        move |row: usize| judged.get(row).copied().flatten().map(Box::new)
    };
    let settings = &counted.settings.noise;
    let keyed = counted.row_table.rows().par_iter().enumerate();
    let mut rows: Vec<Row> = keyed.map(|(index, key)| counted.row(RowId(index as u32), key)).collect();
    // One measure after the other, each into its place: what is judged of a row is larger than what is kept of it.
    let own = row_of(|row| row.own);
    let keep = |row: &mut Row, noise: RowNoise| {
        (row.ci_low_pp, row.ci_high_pp) = (noise.ci_low_pp, noise.ci_high_pp);
        (row.se_pp, row.degrees_of_freedom, row.test) = (noise.se_pp, noise.degrees_of_freedom, noise.test);
    };
    let settle = |row: &mut Row, settled: Settled| {
        (row.test, row.significant) = (settled.test, settled.significant);
        (row.selected_interval_pp, row.detectable) = (settled.selected_interval_pp, settled.detectable);
    };
    let judgement =
        noise::judge_in(&denominators, &mut rows, |index| Cow::Owned(own(index)), settings, keep, settle);
    let names =
        |rows: &[usize]| rows.iter().map(|row| counted.name(RowId(*row as u32)).to_string()).collect();
    let (drifting, phased) = (names(&judgement.drifting), names(&judgement.phased));
    let beyond_of_own = beyond(|row| row.own);
    rows.iter_mut().enumerate().for_each(|(index, row)| row.beyond_typical = beyond_of_own(index));
    drop(beyond_of_own);
    let mut set_change = |measure: fn(&RowMeasures) -> Measure, of: fn(&mut Row) -> &mut MeasureChange| {
        let row = row_of(measure);
        let keep = |row: &mut Row, noise: RowNoise| *of(row) = MeasureChange::from(noise);
        let settle = |row: &mut Row, settled: Settled| {
            (of(row).test, of(row).significant) = (settled.test, settled.significant);
        };
        noise::judge_in(&denominators, &mut rows, |index| Cow::Owned(row(index)), settings, keep, settle);
        let beyond = beyond(measure);
        for (index, row) in rows.iter_mut().enumerate() {
            let change = of(row);
            (change.before_samples, change.after_samples) = counted.samples(RowId(index as u32), measure);
            change.beyond_typical = beyond(index);
        }
    };
    set_change(|row| row.booked, |row| &mut row.booked);
    set_change(|row| row.total, |row| &mut row.total);
    let families = counted.set_families(&mut rows);
    rows.retain(|row| row.before.total_weight.max(row.after.total_weight) > Weight::ZERO);
    sort(&mut rows);
    note_matches(&rows, notes);
    let summary = NoiseSummary {
        method: judgement.method,
        run_variation: judgement.run_variation,
        tests: judgement.tests,
        significant: rows.iter().filter(|row| row.significant).count(),
        q_threshold: judgement.q_threshold,
        floor: counted.settings.noise.floor,
        detectable: detectable(&judgement.sensitivities, &denominators),
        assumed_dispersion: judgement.assumed_dispersion,
        drifting,
        phased,
    };
    (rows, families, summary)
}

/// Sorts by size of change, then weight, then name.
fn sort(rows: &mut [Row]) {
    let size = |row: &Row| row.delta_self_pp().abs();
    let weight = |row: &Row| row.before.total_weight.0.max(row.after.total_weight.0);
    rows.sort_by(|a, b| {
        size(b)
            .total_cmp(&size(a))
            .then_with(|| weight(b).cmp(&weight(a)))
            .then_with(|| a.name.cmp(&b.name))
            .then_with(|| a.object.cmp(&b.object))
            .then_with(|| a.file.cmp(&b.file))
            .then_with(|| a.thread_group.cmp(&b.thread_group))
    });
}

/// Shares at which the smallest change that could be seen is told, in percent.
const DETECTABLE_AT_PCT: [f64; 4] = [0.1, 0.5, 1.0, 5.0];

/// The smallest detectable changes for the denominator that is heaviest on both sides together.
fn detectable(sensitivities: &[Arc<Sensitivity>], denominators: &[Denominator]) -> Vec<(f64, Option<f64>)> {
    let total = |of: &Denominator| of.before.iter().chain(&of.after).map(|run| run.total).sum::<f64>();
    let heaviest = sensitivities.iter().zip(denominators).max_by(|a, b| total(a.1).total_cmp(&total(b.1)));
    let Some((sensitivity, _)) = heaviest else { return Vec::new() };
    DETECTABLE_AT_PCT.iter().map(|share| (*share, sensitivity.detectable_pp(*share))).collect()
}

fn note_matches(rows: &[Row], notes: &mut Notes) {
    for row in rows {
        let weight = row.before.self_weight + row.after.self_weight;
        if row.matched.by == MatchedBy::Structure {
            notes.add(NoteKind::LooseMatch, 1, weight, || {
                let unnamed =
                    Side::BOTH.into_iter().flat_map(|side| row.names_on(side)).find(|name| is_unnamed(name));
                format!("{} is {}, inferred from its code", unnamed.unwrap_or_default(), row.name)
            });
        }
        if row.matched.by == MatchedBy::Alias {
            notes.add(NoteKind::LooseMatch, 1, weight, || {
                format!("{} was renamed to {}", row.name_on(Side::Before).unwrap_or_default(), row.name)
            });
        }
        if row.matched.ambiguous {
            notes.add(NoteKind::AmbiguousMatch, 1, weight, || row.name.to_string());
        }
    }
}

impl Counted<'_> {
    fn runs_of(&self, side: Side) -> impl Iterator<Item = (&PreparedRun<'_>, &RunTable)> {
        self.runs.iter().zip(self.tables).filter(move |(run, _)| run.side == side)
    }

    fn tables(&self, side: Side) -> impl Iterator<Item = &RunTable> {
        self.runs_of(side).map(|(_, table)| table)
    }

    fn denominator(&self, scope: usize) -> Denominator {
        let PerSide { before, after } = PerSide::from_fn(|side| {
            let of_run = |(run, table): (&PreparedRun<'_>, &RunTable)| RunBlocks {
                host: run.host,
                ..table.denominators.get(scope).copied().unwrap_or_default()
            };
            self.runs_of(side).map(of_run).collect::<Vec<RunBlocks>>()
        });
        Denominator { before, after }
    }

    /// The share of the typical function in each run, if runs repeat and costs per operation can be compared.
    fn typical(&self, denominators: &[Denominator]) -> Option<TypicalRow> {
        let all = denominators.first()?;
        let has_operations = |run: &PreparedRun<'_>| {
            let measures = &run.input.measures;
            measures.operations.or(measures.tps).is_some()
        };
        let is_asked = self.settings.share == Share::All
            && all.before.len().max(all.after.len()) > 1
            && self.runs.iter().all(has_operations);
        let rows = (0..self.row_table.rows().len()).map(|row| RowId(row as u32));
        let resolved = rows.filter(|row| !is_nameless(&self.name(*row)));
        is_asked.then(|| TypicalRow::of(all, resolved.map(|row| self.noise_row(row, |row| row.own))))?
    }

    fn noise_row(&self, row: RowId, measure: fn(&RowMeasures) -> Measure) -> noise::Row {
        let of_run = |table: &RunTable| measure(&table.row(row)).row_run();
        let PerSide { before, after } =
            PerSide::from_fn(|side| self.tables(side).map(of_run).collect::<Vec<_>>());
        let denominator = self.row_table.rows().get(row.index()).map_or(0, |key| key.scope.index());
        noise::Row { denominator, before, after }
    }

    /// Samples of a measure, before and after.
    fn samples(&self, row: RowId, measure: fn(&RowMeasures) -> Measure) -> (u64, u64) {
        let samples = |side| self.tables(side).map(|table| measure(&table.row(row)).samples).sum::<u64>();
        (samples(Side::Before), samples(Side::After))
    }

    fn name(&self, row: RowId) -> Arc<str> {
        let key = self.row_table.rows().get(row.index());
        let function = key.and_then(|key| key.function).map(|function| &self.keys.get(function).name);
        function.or(key.and_then(|key| key.label.as_ref())).cloned().unwrap_or_default()
    }

    fn file(&self, row: RowId) -> Option<Arc<str>> {
        let function = self.row_table.rows().get(row.index())?.function?;
        self.keys.get(function).shared_file().cloned()
    }

    /// A row with its weights, not judged yet.
    fn row(&self, id: RowId, key: &RowKey) -> Row {
        let PerSide { before, after } = PerSide::from_fn(|side| self.quantities(id, key.scope, side));
        let function = key.function.map(|function| (function, self.keys.get(function)));
        let name = self.name(id);
        let scope = self.row_table.scope_name(key.scope);
        let object = match (function, self.settings.share) {
            (Some((_, key)), _) => Arc::clone(&key.object),
            (None, Share::Object) => Arc::clone(&scope),
            (None, _) => Arc::default(),
        };
        RowFields {
            object,
            file: function.and_then(|(_, key)| key.shared_file().cloned()),
            subsystem: function.map(|(id, _)| self.row_table.subsystem(id)),
            thread_group: (self.settings.share == Share::ThreadGroup).then_some(scope),
            unresolved: is_nameless(&name),
            presence: match (before.total_weight.0 > 0, after.total_weight.0 > 0) {
                (true, false) => Presence::OnlyBefore,
                (false, true) => Presence::OnlyAfter,
                _ => Presence::Both,
            },
            matched: self.matched(key.function),
            name,
            before,
            after,
            ci_low_pp: 0.0,
            ci_high_pp: 0.0,
            selected_interval_pp: None,
            se_pp: 0.0,
            degrees_of_freedom: 0.0,
            test: Test::default(),
            significant: false,
            detectable: Detectable::default(),
            booked: MeasureChange::default(),
            total: MeasureChange::default(),
            inline: None,
            gap: None,
            beyond_typical: None,
            cost_change: None,
        }
        .into()
    }

    /// Sets how each row stood inlined; gives the families. `rows` are in order of their ids.
    fn set_families(&self, rows: &mut [Row]) -> Vec<Family> {
        let chains = PerSide::from_fn(|side| SideChains::sum(self.tables(side)));
        let flips = flips(&chains);
        let holders = chains.as_ref().map(SideChains::holders);
        for (index, row) in rows.iter_mut().enumerate() {
            let id = RowId(index as u32);
            let PerSide { before, after } = holders.as_ref().map(|holders| {
                let of_row = holders.get(&id).into_iter().flatten();
                of_row
                    .map(|(caller, weight)| InlinedInto {
                        caller: self.name(*caller),
                        caller_file: self.file(*caller),
                        weight: Weight(*weight),
                    })
                    .collect()
            });
            let mut changes = flips_of(&flips, id).map(|flip| flip.change);
            let first = changes.next();
            let change = first.filter(|first| changes.all(|other| other == *first));
            let inline = RowInline { before, after, change, family: None };
            row.inline = (inline != RowInline::default()).then(|| Box::new(inline));
        }
        let members = join(&flips);
        let families =
            members.iter().enumerate().map(|(id, members)| self.family(id, members, &flips, rows)).collect();
        for (id, row) in
            members.iter().enumerate().flat_map(|(id, members)| members.iter().map(move |row| (id, row)))
        {
            if let Some(row) = rows.get_mut(row.index()) {
                row.inline.get_or_insert_default().family = Some(id);
            }
        }
        families
    }

    fn family(&self, id: usize, members: &[RowId], flips: &[Flip], rows: &[Row]) -> Family {
        let of = |row: &RowId| rows.get(row.index());
        let changes = members.iter().filter_map(of).map(Row::delta_booked_pp);
        let (booked_delta_pp, moved_pp) = net_and_moved(changes);
        let own: Vec<&Flip> = members.iter().flat_map(|row| flips_of(flips, *row)).collect();
        let mut functions: Vec<RowId> = own.iter().map(|flip| flip.function).collect();
        functions.dedup();
        let body_pp: f64 =
            functions.iter().filter_map(of).map(|row| row.after.x_pct() - row.before.x_pct()).sum();
        Family {
            id,
            members: members.iter().map(|row| self.name(*row).to_string()).collect(),
            flips: own
                .into_iter()
                .map(|flip| InlineFlip {
                    function: self.name(flip.function).to_string(),
                    caller: self.name(flip.caller).to_string(),
                    change: flip.change,
                })
                .collect(),
            booked_delta_pp,
            moved_pp,
            body_pp,
            call_overhead_pp: booked_delta_pp - body_pp,
        }
    }

    fn matched(&self, key: Option<KeyId>) -> RowMatch {
        let joined = PerSide::from_fn(|side| {
            let joined = key.map_or(&[][..], |key| self.renames.joined_with(key, side));
            joined.iter().map(|key| self.keys.get(*key).name.to_string()).collect::<Vec<String>>()
        });
        let is_renamed = joined.values().any(|names| !names.is_empty());
        let is_inferred = joined.values().flatten().any(|name| is_unnamed(name));
        RowMatch {
            by: match is_inferred {
                true => MatchedBy::Structure,
                false if is_renamed => MatchedBy::Alias,
                false => MatchedBy::Name,
            },
            ambiguous: key.is_some_and(|key| is_ambiguous(self.keys, key, self.renames)),
            by_file: key.and_then(|key| self.keys.get(key).files_if_told_apart()).map(Box::new),
            joined: is_renamed.then(|| Box::new(joined.map(JoinedNames::new))),
        }
    }

    fn quantities(&self, row: RowId, scope: DenominatorId, side: Side) -> Quantities {
        let mut sum = Quantities::default();
        let mut inlining = InlinedQuantities::default();
        let mut runs = 0.0;
        for (run, table) in self.runs_of(side) {
            let measures = table.row(row);
            add_weights(&mut sum, &mut inlining, &measures);
            let denominator = table.denominators.get(scope.index()).map_or(0.0, |blocks| blocks.total);
            if denominator > 0.0 {
                // A machine counts once, however many runs it has.
                let part = 1.0 / run.runs_of_host;
                runs += part;
                let share = |weight: u64| 100.0 * part * weight as f64 / denominator;
                sum.self_pct += share(measures.own.counted);
                sum.booked_self_pct += share(measures.booked.counted);
                sum.total_pct += share(measures.total.counted);
                inlining.self_pct += share(measures.inlined.counted);
                inlining.x_pct += share(measures.chain.counted);
            }
        }
        if runs > 0.0 {
            let shares = [&mut sum.self_pct, &mut sum.booked_self_pct, &mut sum.total_pct];
            for share in shares.into_iter().chain([&mut inlining.self_pct, &mut inlining.x_pct]) {
                *share /= runs;
            }
        }
        let (x_weight, x_pct) = (sum.booked_self_weight, sum.booked_self_pct);
        let nothing = InlinedQuantities { x_weight, x_pct, ..InlinedQuantities::default() };
        sum.inlining = (inlining != nothing).then(|| Box::new(inlining));
        sum
    }
}

fn add_weights(sum: &mut Quantities, inlining: &mut InlinedQuantities, measures: &RowMeasures) {
    let add = |to: &mut Weight, measure: &Measure| *to += Weight(measure.weight);
    add(&mut sum.self_weight, &measures.own);
    add(&mut sum.booked_self_weight, &measures.booked);
    add(&mut sum.total_weight, &measures.total);
    inlining.self_weight += Weight(measures.inlined.weight);
    inlining.x_weight += Weight(measures.chain.weight);
    sum.samples += measures.own.samples;
}
