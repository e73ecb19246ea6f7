//! Samples as text in the manner of `perf script --ns -F comm,pid,tid,cpu,time,period,event,ip,sym,dso`.
//!
//! ```text
//! mysqld 11582/11640 [003]  4502.207801114:    1001001 cpu-clock:
//!               57a9e1 net_before_header_psi (inlined)
//!               57a9e1 my_net_read (/opt/mysqld)
//!               4d3e72 do_command+0x72 (/opt/mysqld)
//! ```
//!
//! An address of a file is the position in it, of the kernel its own.

use std::fmt::Write as _;
use std::io;

use pdiff_profile::{
    EventId, FrameId, Lookup, Lookups, Profile, Resolution, Resolutions, StackId, TakenSample,
};

use crate::document::visible_text::visible;
use crate::error::Error;

const NS: u64 = 1_000_000_000;
const UNKNOWN: &str = "[unknown]";

/// What of samples is written.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct ScriptOptions {
    /// Whether functions that are inlined into others have lines of their own.
    pub inlines: bool,
    /// The event whose samples are written; `None` for all.
    pub event: Option<EventId>,
}

/// Writes samples, each with its stack, leaf first, and a blank line after it.
///
/// # Errors
/// If it cannot be written.
pub fn write_script(
    profile: &Profile,
    resolutions: Option<&Resolutions>,
    samples: &[TakenSample],
    options: ScriptOptions,
    mut out: impl io::Write,
) -> Result<(), Error> {
    let mut stacks = StackTexts {
        profile,
        resolutions,
        lookups: Lookups::new(profile),
        inlines: options.inlines,
        texts: vec![None; profile.stacks.len()],
    };
    let mut head = String::new();
    for sample in samples.iter().filter(|sample| options.event.is_none_or(|event| sample.event == event)) {
        head.clear();
        write_head(profile, sample, &mut head);
        let stack = stacks.text(sample.stack);
        for text in [head.as_str(), stack, "\n"] {
            out.write_all(text.as_bytes()).map_err(|source| Error::Write { source })?;
        }
    }
    Ok(())
}

/// The line of thread, time and event.
fn write_head(profile: &Profile, sample: &TakenSample, line: &mut String) {
    let thread = profile.threads.get(sample.thread.index());
    let comm = visible(profile.comm(sample.thread));
    let id = |id: Option<u32>| id.map_or(-1, i64::from);
    let (pid, tid) = thread.map_or((None, None), |thread| (thread.pid, thread.tid));
    let _ = write!(line, "{comm} {:>5}/{:<5} ", id(pid), id(tid));
    if let Some(cpu) = sample.cpu {
        let _ = write!(line, "[{cpu:03}] ");
    }
    if let Some(time_ns) = sample.time_ns {
        let _ = write!(line, "{:>5}.{:09}: ", time_ns / NS, time_ns % NS);
    }
    let event = profile.events.get(sample.event.index());
    if event.is_some_and(|event| event.has_period) {
        let _ = write!(line, "{:>10} ", sample.weight.0);
    }
    let _ = writeln!(line, "{}: ", event.map_or(UNKNOWN.into(), |event| visible(&event.name)));
}

/// The lines of each stack, made once.
struct StackTexts<'a> {
    profile: &'a Profile,
    resolutions: Option<&'a Resolutions>,
    lookups: Lookups<'a>,
    inlines: bool,
    texts: Vec<Option<Box<str>>>,
}

impl StackTexts<'_> {
    fn text(&mut self, stack: StackId) -> &str {
        if let Some(slot @ None) = self.texts.get_mut(stack.index()) {
            let mut text = String::new();
            let frames: Vec<(FrameId, Lookup)> = self.lookups.of(self.profile.stacks.get(stack)).collect();
            for (frame, lookup) in frames.into_iter().rev() {
                frame_lines(self.profile, self.resolutions, self.inlines, (frame, lookup), &mut text);
            }
            *slot = Some(text.into());
        }
        self.texts.get(stack.index()).and_then(Option::as_deref).unwrap_or("")
    }
}

/// The lines of a recorded frame: what is inlined at its address, innermost first, and the function that contains it.
fn frame_lines(
    profile: &Profile,
    resolutions: Option<&Resolutions>,
    inlines: bool,
    (id, lookup): (FrameId, Lookup),
    text: &mut String,
) {
    let Some(frame) = profile.frames.get(id.index()) else { return };
    let object = profile.objects.get(frame.object.index()).map_or(UNKNOWN, |object| &object.path);
    let place = format!(" ({})", visible(object));
    let addr = frame.addr.map_or(0, |addr| addr.0);
    let mut line = |name: &str, offset: Option<u64>, place: &str| {
        let _ = write!(text, "\t{addr:16x} {}", visible(name));
        if let Some(offset) = offset {
            let _ = write!(text, "+{offset:#x}");
        }
        text.push_str(place);
        text.push('\n');
    };
    let symbol = frame.symbol.map(|symbol| profile.string(symbol));
    if frame.inlined {
        return if inlines {
            line(symbol.unwrap_or(UNKNOWN), None, " (inlined)")
        };
    }
    let resolution = resolutions.and_then(|resolutions| resolutions.get(id, lookup));
    let chain = match resolution {
        Some(Resolution::Resolved(chain)) => chain.frames(),
        Some(Resolution::Unresolved(_)) | None => &[],
    };
    for of in chain.iter().skip(1).rev().filter(|_| inlines) {
        line(&of.name, None, " (inlined)");
    }
    // The symbol table's name says where the function begins, and readers of such text know it from perf.
    let outermost = chain.first().map(|of| &*of.name);
    line(symbol.or(outermost).unwrap_or(UNKNOWN), frame.symbol_offset.filter(|_| symbol.is_some()), &place);
}
