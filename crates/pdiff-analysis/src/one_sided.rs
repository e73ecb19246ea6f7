//! Objects whose inlined functions are known on one side only.
//!
//! With debug information for one build and none for the other, every function inlined in the first would look new and
//! its callers lighter. Such an object is compared by machine functions on both sides.

use std::collections::BTreeMap;

use pdiff_profile::{Frame, FrameId, Lookup, PerSide, Profile, Resolution, Resolutions, Side};

use crate::compare::Coverage;
use crate::objects::ObjectLabels;

/// The labels of such objects, with the side that tells, and functions of others that debug information does not describe.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub(crate) struct OneSidedInlines {
    told_by: BTreeMap<String, Side>,
    coverage: Coverage,
}

/// One side's facts about an object.
#[derive(Clone, Copy, Default)]
struct Seen {
    present: bool,
    /// Debug information told what some frame is.
    told: bool,
    /// perf marked inlined frames itself.
    marked: bool,
}

impl OneSidedInlines {
    /// Looks through the frames of all recordings.
    pub(crate) fn find(
        runs: &[(Side, &Profile, Option<&Resolutions>)],
        labels: &ObjectLabels,
        coverage: Coverage,
    ) -> Self {
        let mut seen: BTreeMap<String, PerSide<Seen>> = BTreeMap::new();
        for (side, profile, resolutions) in runs {
            let mut objects = vec![Seen::default(); profile.objects.len()];
            for (id, frame) in (0..).map(FrameId).zip(&profile.frames) {
                if let Some(object) = objects.get_mut(frame.object.index()) {
                    object.present = true;
                    object.told |= is_told(frame, id, *resolutions);
                    object.marked |= frame.inlined;
                }
            }
            for (object, found) in profile.objects.iter().zip(objects) {
                let entry = &mut seen.entry(labels.label(object, *side)).or_default()[*side];
                entry.present |= found.present;
                entry.told |= found.told;
                entry.marked |= found.marked;
            }
        }
        let told_by = |PerSide { before, after }: PerSide<Seen>| {
            let alone = |one: Seen, other: Seen| one.told && other.present && !other.told && !other.marked;
            match (alone(before, after), alone(after, before)) {
                (true, _) => Some(Side::Before),
                (_, true) => Some(Side::After),
                _ => None,
            }
        };
        let told_by = seen.into_iter().filter_map(|(label, seen)| Some((label, told_by(seen)?)));
        Self { told_by: told_by.collect(), coverage }
    }

    /// The side that alone tells the inlined functions of an object.
    pub(crate) fn side(&self, label: &str) -> Option<Side> {
        self.told_by.get(label).copied()
    }

    /// The functions that debug information does not describe.
    pub(crate) fn coverage(&self) -> &Coverage {
        &self.coverage
    }

    /// Objects and the side that tells.
    pub(crate) fn iter(&self) -> impl Iterator<Item = (&str, Side)> {
        self.told_by.iter().map(|(label, side)| (label.as_str(), *side))
    }

    /// Whether there is no such object.
    pub(crate) fn is_empty(&self) -> bool {
        self.told_by.is_empty()
    }
}

/// Whether debug information told what a frame is: the symboliser leaves a frame to perf's symbol where it has none.
fn is_told(frame: &Frame, id: FrameId, resolutions: Option<&Resolutions>) -> bool {
    let over_perf = frame.symbol.is_some() && frame.symbol_offset != Some(0);
    [Lookup::Exact, Lookup::MinusOne].into_iter().any(|lookup| {
        match resolutions.and_then(|resolutions| resolutions.get(id, lookup)) {
            Some(Resolution::Resolved(chain)) => {
                over_perf || chain.frames().len() > 1 || chain.outermost().file.is_some()
            }
            _ => false,
        }
    })
}
