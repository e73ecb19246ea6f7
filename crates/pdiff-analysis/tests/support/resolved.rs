//! Profiles of leaves, each at an address of its own, with what debug information tells of them.

use pdiff_analysis::{RunInput, SideInput};
use pdiff_profile::{
    EventId, Frame, InlineChain, InlineFrame, Lookup, Object, Profile, ProfileBuilder, RawAddr, Resolution,
    Resolutions, Span, Thread, Weight,
};

/// Samples of one address of `/bin/app`.
pub(crate) struct Leaf<'a> {
    pub(crate) addr: u64,
    pub(crate) symbol: &'a str,
    pub(crate) symbol_offset: Option<u64>,
    pub(crate) weight: u64,
    /// The functions there, outermost first; none without a resolution.
    pub(crate) frames: Vec<InlineFrame>,
}

pub(crate) fn sampled<'a>(leaves: impl Iterator<Item = Leaf<'a>>) -> (Profile, Resolutions) {
    let mut builder = ProfileBuilder::new();
    let event = builder.event("cpu-clock");
    let object = builder.object(Object::from_text("/bin/app"));
    let comm = builder.string("app");
    let thread = builder.thread(Thread { comm, pid: Some(1), tid: None });
    let mut chains = Vec::new();
    for leaf in leaves {
        let (addr, symbol) = (Some(RawAddr(leaf.addr)), Some(builder.string(leaf.symbol)));
        let symbol_offset = leaf.symbol_offset;
        let frame =
            builder.frame(Frame { addr, symbol, symbol_offset, object, source: None, inlined: false });
        let stack = builder.stack(&[frame]);
        let samples = u32::try_from(leaf.weight).unwrap();
        builder.count(event, 0, thread, stack, samples, Weight(leaf.weight));
        chains.extend(InlineChain::new(leaf.frames).map(|chain| (frame, chain)));
    }
    builder.span = Some(Span { first_ns: 0, last_ns: 1_000_000_000 });
    let profile = builder.finish().unwrap();
    let mut resolutions = Resolutions::new(profile.frames.len());
    for (frame, chain) in chains {
        let number = resolutions.add(Resolution::Resolved(chain));
        resolutions.set(frame, Lookup::Exact, number);
    }
    (profile, resolutions)
}

pub(crate) fn side<'a>((profile, resolutions): &'a (Profile, Resolutions)) -> SideInput<'a> {
    let run = RunInput { resolutions: Some(resolutions), ..RunInput::new("x", profile, EventId(0)) };
    SideInput::new("x", vec![run])
}
