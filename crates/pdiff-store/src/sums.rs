//! The sums of `sql/sums.sql` by pdiff itself: run by run, as each run has its stacks, frames and functions in its own files.
//!
//! In: the files of a run. Out: one row per event and function. Memory follows one run, so a store may be of any size. A query
//! engine inside pdiff would do the same work: polars' lazy engine and SQL are eight more packages that take minutes to build.

use std::collections::BTreeMap;

use rustc_hash::FxHashMap;

use crate::error::StoreError;
use crate::parquet::read_unchanged;
use crate::selection::Selection;
use crate::store::Store;
use crate::stored_run::StoredRun;
use crate::table::Table;

/// What one function weighs in one event of one run.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct FunctionSum {
    /// The event.
    pub event: String,
    /// The object of the function.
    pub object: String,
    /// The function's qualified name.
    pub function: String,
    /// Weight of the samples in its own code.
    pub self_weight: u64,
    /// Weight of the samples that have it in their stack, once each.
    pub total_weight: u64,
    /// Number of the samples in its own code.
    pub self_samples: u64,
}

/// A function of one stack.
#[derive(Clone, Copy)]
struct Member {
    /// Its place in [`Members::names`].
    function: usize,
    is_leaf: bool,
}

/// A function by object and qualified name: overloads are one.
type Name = (String, String);

/// The functions of a run's stacks.
struct Members {
    names: Vec<Name>,
    /// By stack: its functions, each once.
    of_stacks: FxHashMap<String, Vec<Member>>,
}

/// What a function weighs in one event.
#[derive(Clone, Copy, Default)]
struct Weights {
    own: u64,
    total: u64,
    own_samples: u64,
}

impl Store {
    /// The runs that match, in the order of service, build, host, day and identifier, as the query has them.
    ///
    /// # Errors
    /// Returns an error if a file cannot be read or is damaged.
    pub fn runs_to_sum(&self, wanted: &Selection) -> Result<Vec<StoredRun>, StoreError> {
        let mut runs = self.runs(wanted)?;
        let key = |run: &StoredRun| {
            let key = run.key();
            [key.service(), key.build(), key.host(), key.day()].map(str::to_owned)
        };
        runs.sort_by_cached_key(|run| (key(run), run.id()));
        Ok(runs)
    }

    /// The sums of a run, in the order of event, object and function; checked against what the run says that they are.
    ///
    /// # Errors
    /// Returns an error if a file cannot be read or is damaged, or if the weights do not sum to the run's.
    pub fn sums(&self, run: &StoredRun) -> Result<Vec<FunctionSum>, StoreError> {
        let members = self.members(run)?;
        let path = self.file(Table::Samples, run.key(), run.id());
        let table = read_unchanged(&path, run.hash_of(Table::Samples))?;
        let (events, stacks) = (table.all_texts("event")?, table.all_borrowed("stack_id")?);
        let (samples, weights) = (table.all_counts("samples")?, table.all_counts("weight")?);
        let mut by_event: BTreeMap<&str, FxHashMap<usize, Weights>> = BTreeMap::new();
        let rows = events.iter().zip(stacks).zip(samples.into_iter().zip(weights));
        for ((event, stack), (samples, weight)) in rows {
            let of_stack = members.of_stacks.get(stack);
            let of_stack =
                of_stack.ok_or_else(|| table.damaged(format!("stack {stack} is not in the run's stacks")))?;
            let sums = by_event.entry(event).or_default();
            for member in of_stack {
                let sum = sums.entry(member.function).or_default();
                sum.total = sum.total.saturating_add(weight);
                if member.is_leaf {
                    sum.own = sum.own.saturating_add(weight);
                    sum.own_samples = sum.own_samples.saturating_add(samples);
                }
            }
        }
        let of_event = |(event, weights): (&str, FxHashMap<usize, Weights>)| {
            let named =
                weights.into_iter().filter_map(|(function, of)| Some((members.names.get(function)?, of)));
            let mut named: Vec<(&Name, Weights)> = named.collect();
            named.sort_unstable_by_key(|(name, _)| *name);
            let sum = |((object, name), weights): (&Name, Weights)| FunctionSum {
                event: event.to_owned(),
                object: object.clone(),
                function: name.clone(),
                self_weight: weights.own,
                total_weight: weights.total,
                self_samples: weights.own_samples,
            };
            named.into_iter().map(sum).collect::<Vec<FunctionSum>>()
        };
        let sums: Vec<FunctionSum> = by_event.into_iter().flat_map(of_event).collect();
        for event in run.events() {
            let of_event = sums.iter().filter(|sum| sum.event == event.name);
            let found: u128 = of_event.map(|sum| u128::from(sum.self_weight)).sum();
            if found != u128::from(event.weight) {
                let (name, expected) = (&event.name, event.weight);
                let what = format!("event '{name}' sums to {found}, the run says {expected}");
                return Err(table.damaged(what));
            }
        }
        Ok(sums)
    }

    /// The names of a run's functions, and which of them each stack has.
    fn members(&self, run: &StoredRun) -> Result<Members, StoreError> {
        let file = |table| self.file(table, run.key(), run.id());
        let functions = file(Table::Functions);
        let functions = read_unchanged(&functions, run.hash_of(Table::Functions))?;
        let mut numbers: FxHashMap<Name, usize> = FxHashMap::default();
        let mut by_id: FxHashMap<&str, usize> = FxHashMap::default();
        let of_rows = functions.all_texts("object")?.into_iter().zip(functions.all_texts("qualified_name")?);
        for (id, name) in functions.all_borrowed("function_id")?.into_iter().zip(of_rows) {
            let next = numbers.len();
            by_id.insert(id, *numbers.entry(name).or_insert(next));
        }
        let mut names: Vec<(Name, usize)> = numbers.into_iter().collect();
        names.sort_unstable_by_key(|(_, number)| *number);
        let names = names.into_iter().map(|(name, _)| name).collect();

        let frames = file(Table::Frames);
        let frames = read_unchanged(&frames, run.hash_of(Table::Frames))?;
        let mut of_frame: FxHashMap<&str, usize> = FxHashMap::default();
        for (id, function) in
            frames.all_borrowed("frame_id")?.into_iter().zip(frames.all_borrowed("function_id")?)
        {
            let number = by_id.get(function);
            let unknown = || frames.damaged(format!("function {function} is not in the run's functions"));
            of_frame.insert(id, *number.ok_or_else(unknown)?);
        }
        let stacks = file(Table::Stacks);
        let stacks = read_unchanged(&stacks, run.hash_of(Table::Stacks))?;
        let mut levels: FxHashMap<&str, Vec<(u64, usize)>> = FxHashMap::default();
        let rows = stacks.all_borrowed("stack_id")?.into_iter().zip(stacks.all_counts("position")?);
        for ((stack, position), frame) in rows.zip(stacks.all_borrowed("frame_id")?) {
            let number = of_frame.get(frame);
            let unknown = || stacks.damaged(format!("frame {frame} is not in the run's frames"));
            levels.entry(stack).or_default().push((position, *number.ok_or_else(unknown)?));
        }
        let of_stacks =
            levels.into_iter().map(|(stack, levels)| (stack.to_owned(), members_of(&levels))).collect();
        Ok(Members { names, of_stacks })
    }
}

/// The functions of a stack, each once.
fn members_of(levels: &[(u64, usize)]) -> Vec<Member> {
    let leaf = levels.iter().max().map(|(_, function)| *function);
    let mut functions: Vec<usize> = levels.iter().map(|(_, function)| *function).collect();
    functions.sort_unstable();
    functions.dedup();
    functions.into_iter().map(|function| Member { function, is_leaf: Some(function) == leaf }).collect()
}
