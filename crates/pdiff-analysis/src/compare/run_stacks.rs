//! The samples of each run with their stacks as rows name them, for output formats that contain stacks.

use pdiff_profile::{Cell, Side, StackId};

use super::input::{RunInput, Sides};
use super::matching::Renames;
use super::prepare::PreparedSides;
use crate::normalize::{Keys, NormalStacks};

/// One run: what passed the filters, and its stacks as functions.
#[derive(Clone, Copy, Debug)]
pub struct RunStacks<'a> {
    /// The side that it is of.
    pub side: Side,
    /// The run.
    pub run: &'a RunInput<'a>,
    /// Its samples that passed the filters.
    pub cells: &'a [Cell],
    stacks: &'a NormalStacks,
    keys: &'a Keys,
    renames: &'a Renames,
}

/// A function in a stack.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct StackLevel<'a> {
    /// Its name, as rows have it.
    pub function: &'a str,
    /// Its code is inside its caller's.
    pub inlined: bool,
}

impl<'a> RunStacks<'a> {
    /// The functions of a stack, root first.
    pub fn levels(&self, stack: StackId) -> impl Iterator<Item = StackLevel<'a>> + use<'a> {
        let (keys, renames) = (self.keys, self.renames);
        self.stacks.get(stack).iter().map(move |level| StackLevel {
            function: &keys.get(renames.canonical(level.key)).name,
            inlined: level.inlined,
        })
    }
}

impl PreparedSides {
    /// The runs of both sides, base first. The sides are those that this was made of.
    #[must_use]
    pub fn run_stacks<'a>(&'a self, sides: &'a Sides<'a>) -> Vec<RunStacks<'a>> {
        let prepared = self.view(sides);
        let (keys, renames) = (prepared.keys, prepared.renames);
        let run = |run: super::prepare::PreparedRun<'a>| RunStacks {
            side: run.side,
            run: run.input,
            cells: run.cells,
            stacks: run.stacks,
            keys,
            renames,
        };
        prepared.runs.into_iter().map(run).collect()
    }
}
