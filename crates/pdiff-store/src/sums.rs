//! The sums of `sql/sums.sql` by pdiff itself: run by run, as each run has its stacks, frames and functions in its own files.
//!
//! In: the files of a run. Out: one row per event and function. Memory follows one run, so a store may be of any size. A query
//! engine inside pdiff would do the same work: polars' lazy engine and SQL are eight more packages that take minutes to build.

use std::collections::{BTreeMap, HashMap};

use crate::error::StoreError;
use crate::parquet::read_table;
use crate::selection::Selection;
use crate::store::{Store, Table};
use crate::stored_run::StoredRun;

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

/// The rows of a function in one stack.
#[derive(Clone, Copy)]
struct Member {
    function: usize,
    is_leaf: bool,
}

/// A function by object and qualified name: overloads are one.
type Name = (String, String);

/// By stack: its functions.
type MembersByStack = HashMap<String, Vec<Member>>;

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
        let (names, members) = self.members(run)?;
        let path = self.file(Table::Samples, run.key(), run.id());
        let table = read_table(&path)?;
        let (events, stacks) = (table.all_texts("event")?, table.all_texts("stack_id")?);
        let (samples, weights) = (table.all_counts("samples")?, table.all_counts("weight")?);
        let mut sums: BTreeMap<(String, &Name), FunctionSum> = BTreeMap::new();
        let rows = events.into_iter().zip(stacks).zip(samples.into_iter().zip(weights));
        for ((event, stack), (samples, weight)) in rows {
            let members = members.get(&stack);
            let members =
                members.ok_or_else(|| table.damaged(format!("stack {stack} is not in the run's stacks")))?;
            for member in members {
                let Some(name) = names.get(member.function) else { continue };
                let sum = sums.entry((event.clone(), name)).or_insert_with(|| FunctionSum {
                    event: event.clone(),
                    object: name.0.clone(),
                    function: name.1.clone(),
                    self_weight: 0,
                    total_weight: 0,
                    self_samples: 0,
                });
                sum.total_weight = sum.total_weight.saturating_add(weight);
                if member.is_leaf {
                    sum.self_weight = sum.self_weight.saturating_add(weight);
                    sum.self_samples = sum.self_samples.saturating_add(samples);
                }
            }
        }
        let sums: Vec<FunctionSum> = sums.into_values().collect();
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

    /// The names of a run's functions, and by stack which of them it has, each once.
    fn members(&self, run: &StoredRun) -> Result<(Vec<Name>, MembersByStack), StoreError> {
        let file = |table| self.file(table, run.key(), run.id());
        let functions = file(Table::Functions);
        let functions = read_table(&functions)?;
        let mut names: Vec<Name> = Vec::new();
        let mut numbers: HashMap<Name, usize> = HashMap::new();
        let mut by_id: HashMap<String, usize> = HashMap::new();
        let rows = functions.all_texts("function_id")?.into_iter();
        let of_rows = functions.all_texts("object")?.into_iter().zip(functions.all_texts("qualified_name")?);
        for (id, name) in rows.zip(of_rows) {
            let number = *numbers.entry(name.clone()).or_insert_with(|| {
                names.push(name);
                names.len() - 1
            });
            by_id.insert(id, number);
        }
        let frames = file(Table::Frames);
        let frames = read_table(&frames)?;
        let mut of_frame: HashMap<String, usize> = HashMap::new();
        for (id, function) in frames.all_texts("frame_id")?.into_iter().zip(frames.all_texts("function_id")?)
        {
            let number = by_id.get(&function);
            let unknown = || frames.damaged(format!("function {function} is not in the run's functions"));
            of_frame.insert(id, *number.ok_or_else(unknown)?);
        }
        let stacks = file(Table::Stacks);
        let stacks = read_table(&stacks)?;
        let mut levels: HashMap<String, Vec<(u64, usize)>> = HashMap::new();
        let rows = stacks.all_texts("stack_id")?.into_iter().zip(stacks.all_counts("position")?);
        for ((stack, position), frame) in rows.zip(stacks.all_texts("frame_id")?) {
            let number = of_frame.get(&frame);
            let unknown = || stacks.damaged(format!("frame {frame} is not in the run's frames"));
            levels.entry(stack).or_default().push((position, *number.ok_or_else(unknown)?));
        }
        let members = levels.into_iter().map(|(stack, levels)| (stack, members_of(&levels))).collect();
        Ok((names, members))
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
