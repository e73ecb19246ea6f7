//! Two recordings and their binaries to causes: why each function costs more.
//!
//! ```text
//! cargo run --example classify_two_builds -- before.perf before/server after.perf after/server
//! ```

#![expect(clippy::print_stdout, reason = "an example prints")]

use std::error::Error;
use std::path::Path;

use pdiff::classify::{Cause, ClassifyInput, ClassifyKnowledge, Demands, ObjectBuilds, classify};
use pdiff::profile::{EventId, Profile};
use pdiff::render::reason_text;
use pdiff::symbolize::{Resolved, SymbolizeOptions, census_of, resolve_profile};
use pdiff::{
    Architectural, CompareSettings, ReadOptions, RunInput, SettingsKnowledge, SideInput, Sides, Source,
    choose_events, compare_with_calls, read_profile,
};

/// One build: its recording, its binary, and what they say together.
struct Build {
    recording: String,
    profile: Profile,
    resolved: Resolved,
    binary: String,
    options: SymbolizeOptions,
}

impl Build {
    fn read(recording: &str, binary: &str) -> Result<Self, Box<dyn Error>> {
        let profile = read_profile(&Source::Path(recording.into()), &ReadOptions::new())?;
        let options = SymbolizeOptions { binaries: vec![binary.into()], ..SymbolizeOptions::new() };
        let resolved = resolve_profile(&profile, &options)?;
        Ok(Self { recording: recording.to_owned(), profile, resolved, binary: binary.to_owned(), options })
    }

    fn side(&self, event: EventId) -> SideInput<'_> {
        let run = RunInput {
            resolutions: Some(&self.resolved.resolutions),
            notes: Some(&self.resolved.notes),
            ..RunInput::new(&self.recording, &self.profile, event)
        };
        SideInput::new(&self.recording, vec![run])
    }
}

fn main() -> Result<(), Box<dyn Error>> {
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    let [before, before_binary, after, after_binary] = arguments.as_slice() else {
        return Err("give a recording and a binary of each build".into());
    };
    let [before, after] = [Build::read(before, before_binary)?, Build::read(after, after_binary)?];

    // How CPU moved, function by function.
    let profiles = [&before, &after].map(|build| (build.recording.clone(), &build.profile));
    let events = choose_events(&profiles, None)?;
    let settings = CompareSettings::default();
    let sides = Sides { before: before.side(events[0]), after: after.side(events[1]) };
    let (comparison, calls) = compare_with_calls(&sides, &settings);

    // What the binaries hold: who is inlined where, who calls whom, which code is the same.
    let censuses = [
        census_of(before.binary.as_ref(), &before.options)?,
        census_of(after.binary.as_ref(), &after.options)?,
    ];
    let label = Path::new(&after.binary).file_name().and_then(|name| name.to_str()).unwrap_or_default();
    let builds = ObjectBuilds { label, before: Some(&censuses[0].census), after: Some(&censuses[1].census) };

    let classification = classify(&ClassifyInput {
        comparison: &comparison,
        calls: &calls,
        builds: Some(builds),
        same_objects: &[],
        counts: None,
        settings: None,
        knowledge: ClassifyKnowledge {
            aliases: &settings.knowledge.aliases,
            spin: &settings.knowledge.spin,
            architectural: &Architectural::default(),
            settings: &SettingsKnowledge::mysqld(),
        },
        demands: Demands::InlineProof,
    });
    for verdict in classification.verdicts.iter().filter(|verdict| verdict.cause != Cause::Noise) {
        let reason = reason_text(&verdict.reason);
        println!("{} ({}): {}: {}", verdict.cause, verdict.confidence, verdict.function, reason);
    }
    Ok(())
}
