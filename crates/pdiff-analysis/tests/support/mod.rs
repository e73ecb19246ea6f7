//! Profiles from folded text, one stack a line: `[thread@second:]root;caller;leaf weight`. A frame is `symbol` of object
//! `app`, or `object!symbol`; `[unknown]` has no symbol; `[cut]` stands
//! for callers that the chain lacks; `+symbol` is inlined into the frame before it.

use std::sync::LazyLock;

use pdiff_analysis::noise::NoiseSettings;
use pdiff_analysis::{
    CompareSettings, Comparison, Filters, GroupBy, Inlines, Knowledge, Policy, RunInput, Share, SideInput,
    Sides, Templates, compare,
};
use pdiff_profile::names::MatchLevel;
use pdiff_profile::{
    EventId, Frame, Object, Profile, ProfileBuilder, RawAddr, RunMeasures, Span, Thread, Weight,
};

pub(crate) fn profile(folded: &str) -> Profile {
    let mut builder = ProfileBuilder::new();
    let event = builder.event("cpu-clock");
    let mut last = 0;
    for line in folded.lines().map(str::trim).filter(|line| !line.is_empty()) {
        let (stack, weight) = line.rsplit_once(' ').unwrap();
        let (place, stack) = stack.split_once(": ").unwrap_or(("app@0", stack));
        let (comm, second) = place.split_once('@').unwrap_or((place, "0"));
        let comm = builder.string(comm);
        let thread = builder.thread(Thread { comm, pid: Some(1), tid: None });
        let frames: Vec<_> = stack
            .split(';')
            .filter(|frame| !frame.is_empty())
            .map(|text| frame(&mut builder, text))
            .collect();
        let stack = builder.stack(&frames);
        let weight: u64 = weight.parse().unwrap();
        let second: u32 = second.parse().unwrap();
        last = last.max(second);
        builder.count(
            event,
            second,
            thread,
            stack,
            u32::try_from(weight).unwrap_or(u32::MAX),
            Weight(weight),
        );
    }
    builder.span = Some(Span { first_ns: 0, last_ns: (u64::from(last) + 1) * 1_000_000_000 });
    builder.finish().unwrap()
}

fn frame(builder: &mut ProfileBuilder, text: &str) -> pdiff_profile::FrameId {
    let addr = (text == "[cut]").then_some(RawAddr(u64::MAX));
    let text = if addr.is_some() { "[unknown]" } else { text };
    let (text, inlined) = text.strip_prefix('+').map_or((text, false), |symbol| (symbol, true));
    let (object, symbol) = text.split_once('!').unwrap_or(("/bin/app", text));
    let object = builder.object(Object::from_text(object));
    let symbol = (symbol != "[unknown]").then(|| builder.string(symbol));
    builder.frame(Frame { addr, symbol, symbol_offset: None, object, source: None, inlined })
}

/// Patterns are slow to compile in a debug build: once a test program is enough.
static KNOWLEDGE: LazyLock<Knowledge> = LazyLock::new(Knowledge::builtin);

pub(crate) fn settings() -> CompareSettings {
    CompareSettings {
        policy: Policy {
            match_level: MatchLevel::Qualified,
            inlines: Inlines::Expand,
            templates: Templates::Keep,
        },
        share: Share::All,
        group_by: GroupBy::Function,
        filters: Filters::default(),
        knowledge: KNOWLEDGE.clone(),
        // Runs are taken to repeat well: these tests are about what is said of a change, not about how sure it is.
        noise: NoiseSettings { assumed_cv: Some(0.03), ..NoiseSettings::default() },
        scale_to_cpu_seconds: false,
    }
}

pub(crate) fn compared(before: &[&Profile], after: &[&Profile], settings: &CompareSettings) -> Comparison {
    measured(before, after, &[], &[], settings)
}

pub(crate) fn measured(
    before: &[&Profile],
    after: &[&Profile],
    of_before: &[RunMeasures],
    of_after: &[RunMeasures],
    settings: &CompareSettings,
) -> Comparison {
    let sides = Sides { before: side("before", before, of_before), after: side("after", after, of_after) };
    compare(&sides, settings)
}

pub(crate) fn side<'a>(label: &str, profiles: &[&'a Profile], measures: &[RunMeasures]) -> SideInput<'a> {
    let run = |(index, profile): (usize, &&'a Profile)| RunInput {
        measures: measures.get(index).copied().unwrap_or_default(),
        ..RunInput::new(format!("{label}{index}"), profile, EventId(0))
    };
    SideInput::new(label, profiles.iter().enumerate().map(run).collect())
}
