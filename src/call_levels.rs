//! A stack as call levels, for other tools: each machine function with the functions inlined into it.
//!
//! Functions have the names of the rows, so the tables of other tools have the same numbers. Addresses, files and lines,
//! which rows do not have, come from the recordings.

use pdiff_analysis::{RunStacks, StackLevel};
use pdiff_profile::{Frame, FrameId, InlineFrame, Lookup, Lookups, Resolution, Resolutions, StackId};

/// A machine function with what is inlined into it.
pub(crate) struct CallLevel<'a> {
    /// The frame that was recorded; `None` where the levels are not those of the frames.
    pub(crate) frame: Option<&'a Frame>,
    /// The functions, outermost first.
    pub(crate) functions: Vec<InlineFrame>,
}

/// The call levels of a stack, root first.
pub(crate) fn call_levels<'a>(
    run: &RunStacks<'a>,
    lookups: &Lookups<'_>,
    stack: StackId,
) -> Vec<CallLevel<'a>> {
    let profile = run.run.profile;
    let levels: Vec<StackLevel<'_>> = run.levels(stack).collect();
    let groups: Vec<&[StackLevel<'_>]> = levels.chunk_by(|_, next| next.inlined).collect();
    let recorded = lookups.of(profile.stacks.get(stack));
    let recorded = recorded.filter_map(|(id, lookup)| Some((id, lookup, profile.frames.get(id.index())?)));
    let recorded: Vec<_> = recorded.collect();
    // What was recorded as inlined is part of the frame before it.
    let frames: Vec<_> = recorded.chunk_by(|_, (_, _, next)| next.inlined).filter_map(<[_]>::first).collect();
    let is_known = frames.len() == groups.len();
    let level = |(at, group): (usize, &&[StackLevel<'_>])| match frames.get(at).filter(|_| is_known) {
        None => CallLevel { frame: None, functions: functions(group, &[]) },
        Some((id, lookup, frame)) => CallLevel {
            frame: Some(frame),
            functions: functions(group, chain(run.run.resolutions, *id, *lookup)),
        },
    };
    groups.iter().enumerate().map(level).collect()
}

/// What was found at a frame, outermost first; nothing if only its symbol is known.
fn chain(resolutions: Option<&Resolutions>, frame: FrameId, lookup: Lookup) -> &[InlineFrame] {
    match resolutions.and_then(|resolutions| resolutions.get(frame, lookup)) {
        Some(Resolution::Resolved(chain)) => chain.frames(),
        Some(Resolution::Unresolved(_)) | None => &[],
    }
}

/// The functions of a call level as rows call them, with what was found of them.
fn functions(group: &[StackLevel<'_>], chain: &[InlineFrame]) -> Vec<InlineFrame> {
    let function = |(at, level): (usize, &StackLevel<'_>)| {
        let found = chain.get(at);
        InlineFrame {
            name: level.function.into(),
            linkage_name: found.and_then(|found| found.linkage_name.clone()),
            file: found.and_then(|found| found.file.clone()),
            line: found.and_then(|found| found.line),
            inlined: at > 0,
        }
    };
    group.iter().enumerate().map(function).collect()
}
