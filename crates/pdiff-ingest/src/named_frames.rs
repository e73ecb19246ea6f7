//! Frames of names: what a profiler wrote beside a function is not part of its name, so that a function whose lines moved is
//! the same function.

use pdiff_profile::{
    Frame, FrameId, InlineChain, InlineFrame, Lookup, Object, ObjectIndex, ProfileBuilder, Resolution,
    Resolutions,
};
use rustc_hash::FxHashMap;

use crate::profiler_name::{Code, ProfilerName};

/// Frames of names, and the files and lines that names tell.
#[derive(Debug, Default)]
pub(crate) struct NamedFrames {
    chains: FxHashMap<FrameId, InlineChain>,
}

impl NamedFrames {
    /// The frame of a name, and its object. What is inlined is in the object of its caller.
    pub(crate) fn frame(
        &mut self,
        builder: &mut ProfileBuilder,
        text: &str,
        caller: Option<ObjectIndex>,
    ) -> (FrameId, ObjectIndex) {
        let name = ProfilerName::parse(text);
        let object = match name.code {
            Code::Inlined => caller,
            _ => None,
        };
        let object = object.unwrap_or_else(|| {
            builder.object(Object::from_text(match name.code {
                Code::Kernel => "[kernel.kallsyms]",
                Code::Generated => "//anon",
                Code::Library(path) => path,
                Code::Unknown | Code::Inlined => "[unknown]",
            }))
        });
        let symbol = (name.function != "[unknown]").then(|| builder.string(&name.function));
        // Frames of one function differ by their lines alone.
        let source = name.file.map(|(file, line)| match line {
            Some(line) => builder.string(&format!("{file}:{line}")),
            None => builder.string(file),
        });
        let inlined = name.code == Code::Inlined;
        let frame = builder.frame(Frame { addr: None, symbol, symbol_offset: None, object, source, inlined });
        if let Some((file, line)) = name.file
            && !self.chains.contains_key(&frame)
        {
            let function = name.function.into();
            let file = Some(file.into());
            let frames = vec![InlineFrame { name: function, linkage_name: None, file, line, inlined: false }];
            self.chains.extend(InlineChain::new(frames).map(|chain| (frame, chain)));
        }
        (frame, object)
    }

    /// The files and lines of frames; `None` if no name tells one.
    pub(crate) fn into_resolutions(self, frames: usize) -> Option<Resolutions> {
        resolutions_of(self.chains, frames)
    }
}

/// What a file says of functions at its frames, of which it has so many; `None` if it says nothing.
pub(crate) fn resolutions_of(chains: FxHashMap<FrameId, InlineChain>, frames: usize) -> Option<Resolutions> {
    if chains.is_empty() {
        return None;
    }
    let mut chains: Vec<(FrameId, InlineChain)> = chains.into_iter().collect();
    chains.sort_unstable_by_key(|(frame, _)| *frame);
    let mut resolutions = Resolutions::new(frames);
    for (frame, chain) in chains {
        let number = resolutions.add(Resolution::Resolved(chain));
        for lookup in [Lookup::Exact, Lookup::MinusOne] {
            resolutions.set(frame, lookup, number);
        }
    }
    Some(resolutions)
}
