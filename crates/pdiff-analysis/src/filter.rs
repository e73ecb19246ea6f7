//! Filters: which samples count, decided before any share is taken.

use std::fmt;
use std::str::FromStr;

use pdiff_profile::{Cell, EventId, FrameId, NoteKind, Notes, Profile, Side, StackId, Thread, Weight};

use crate::normalize::{Keys, Level, NormalStacks};
use crate::pattern::Pattern;

/// A filter's value and the side it is for: `VALUE`, `before:VALUE` or `after:VALUE`.
#[derive(Clone, Debug)]
pub struct OnSide<T> {
    /// The side; `None` for both.
    pub side: Option<Side>,
    /// The value.
    pub value: T,
}

impl<T: FromStr> FromStr for OnSide<T> {
    type Err = T::Err;

    fn from_str(text: &str) -> Result<Self, T::Err> {
        let (side, value) = match text.split_once(':') {
            Some(("before", value)) => (Some(Side::Before), value),
            Some(("after", value)) => (Some(Side::After), value),
            _ => (None, text),
        };
        Ok(Self { side, value: value.parse()? })
    }
}

impl<T: fmt::Display> fmt::Display for OnSide<T> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self.side {
            Some(side) => write!(f, "{} ({side} only)", self.value),
            None => self.value.fmt(f),
        }
    }
}

/// Kernel samples: those whose leaf is kernel code.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum KernelFilter {
    /// Only kernel samples.
    Only,
    /// Only other samples.
    Without,
}

/// The user's selection. Values of one kind are alternatives; all kinds must match.
#[derive(Clone, Debug, Default)]
pub struct Filters {
    /// Thread names.
    pub comm: Vec<OnSide<Pattern>>,
    /// Thread ids.
    pub tid: Vec<OnSide<u32>>,
    /// Groups of threads.
    pub thread_group: Vec<OnSide<Pattern>>,
    /// Objects of the leaf, by the path that perf printed.
    pub dso: Vec<OnSide<Pattern>>,
    /// Functions anywhere in the stack, by qualified name.
    pub stack_contains: Vec<OnSide<Pattern>>,
    /// Kernel samples.
    pub kernel: Option<KernelFilter>,
}

impl Filters {
    /// Whether nothing is filtered.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.comm.is_empty()
            && self.tid.is_empty()
            && self.thread_group.is_empty()
            && self.dso.is_empty()
            && self.stack_contains.is_empty()
            && self.kernel.is_none()
    }

    /// One line that says what is kept.
    #[must_use]
    pub fn describe(&self) -> String {
        fn list<T: fmt::Display>(name: &str, values: &[OnSide<T>]) -> Option<String> {
            let values: Vec<_> = values.iter().map(ToString::to_string).collect();
            (!values.is_empty()).then(|| format!("{name} {}", values.join(" or ")))
        }
        let kernel = self.kernel.map(|kernel| match kernel {
            KernelFilter::Only => "kernel samples only".to_owned(),
            KernelFilter::Without => "no kernel samples".to_owned(),
        });
        let parts = [
            list("comm", &self.comm),
            list("tid", &self.tid),
            list("thread group", &self.thread_group),
            list("dso", &self.dso),
            list("stack contains", &self.stack_contains),
            kernel,
        ];
        parts.into_iter().flatten().collect::<Vec<_>>().join(", ")
    }

    /// The cells of one event that pass, in their order; `None` where all do. What does not is noted.
    pub(crate) fn apply(&self, input: &Filtering<'_, '_>, notes: &mut Notes) -> Option<Vec<Cell>> {
        let cells = input.profile.cells_of(input.event);
        if self.is_empty() {
            return None;
        }
        let is_of_group = |at: usize| {
            let group = input.groups.get(at).map_or("", String::as_str);
            any(&self.thread_group, input.side, |pattern| pattern.is_match(group))
        };
        let threads = input.profile.threads.iter().enumerate();
        let threads: Vec<bool> =
            threads.map(|(at, thread)| self.keeps_thread(thread, input) && is_of_group(at)).collect();
        let wanted: Vec<bool> = input
            .keys
            .iter()
            .map(|(_, key)| any(&self.stack_contains, input.side, |pattern| pattern.is_match(&key.qualified)))
            .collect();
        let stacks: Vec<bool> = (0..input.stacks.len())
            .map(|stack| self.keeps_stack(StackId(u32::try_from(stack).unwrap_or(u32::MAX)), &wanted, input))
            .collect();
        let keeps = |cell: &&Cell| {
            threads.get(cell.thread.index()).copied().unwrap_or(false)
                && stacks.get(cell.stack.index()).copied().unwrap_or(false)
        };
        let kept: Vec<Cell> = cells.iter().filter(keeps).copied().collect();
        note_filtered(cells, &kept, input.side, &self.describe(), notes);
        Some(kept)
    }

    fn keeps_thread(&self, thread: &Thread, input: &Filtering<'_, '_>) -> bool {
        let comm = input.profile.string(thread.comm);
        any(&self.comm, input.side, |pattern| pattern.is_match(comm))
            && any(&self.tid, input.side, |tid| thread.tid == Some(*tid))
    }

    /// `wanted` has the functions that `stack_contains` asks for; all of them, where it asks for none.
    fn keeps_stack(&self, stack: StackId, wanted: &[bool], input: &Filtering<'_, '_>) -> bool {
        let leaf = input.profile.stacks.get(stack).last();
        let object = leaf.and_then(|&FrameId(id)| {
            let frame = input.profile.frames.get(id as usize)?;
            input.profile.objects.get(frame.object.index())
        });
        let kernel = object.is_some_and(|object| object.kind.is_kernel());
        let is_kept = match self.kernel {
            None => true,
            Some(KernelFilter::Only) => kernel,
            Some(KernelFilter::Without) => !kernel,
        };
        let path = object.map_or("[unknown]", |object| &object.path);
        let is_wanted = |level: &Level| wanted.get(level.key.0 as usize).copied().unwrap_or(false);
        is_kept
            && any(&self.dso, input.side, |pattern| pattern.is_match(path))
            && input.stacks.get(stack).iter().any(is_wanted)
    }
}

/// The input of a filter: one event of one profile.
pub(crate) struct Filtering<'p, 'a> {
    pub(crate) profile: &'p Profile,
    pub(crate) stacks: &'a NormalStacks,
    pub(crate) keys: &'a Keys,
    /// The group of each thread, where a filter asks for it.
    pub(crate) groups: &'a [String],
    pub(crate) event: EventId,
    pub(crate) side: Side,
}

/// Whether no value is for this side, or one that is holds.
fn any<T>(values: &[OnSide<T>], side: Side, holds: impl Fn(&T) -> bool) -> bool {
    let mut mine = values.iter().filter(|value| value.side.is_none_or(|only| only == side)).peekable();
    mine.peek().is_none() || mine.any(|value| holds(&value.value))
}

fn note_filtered(all: &[Cell], kept: &[Cell], side: Side, what: &str, notes: &mut Notes) {
    let sum = |cells: &[Cell]| {
        let samples: u64 = cells.iter().map(|cell| u64::from(cell.samples)).sum();
        (samples, cells.iter().map(|cell| cell.weight).sum::<Weight>())
    };
    let ((all_samples, all_weight), (samples, weight)) = (sum(all), sum(kept));
    notes.add(NoteKind::FilteredOut, all_samples - samples, Weight(all_weight.0 - weight.0), || {
        format!("{side}: kept {samples} of {all_samples} samples ({what})")
    });
}
