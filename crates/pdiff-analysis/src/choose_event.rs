//! Which event of the recordings is compared: one, never a sum of several.

use std::cmp::Reverse;
use std::collections::BTreeSet;

use pdiff_profile::{Event, EventId, Profile};

/// Why no event could be chosen.
#[derive(Clone, PartialEq, Eq, Debug, thiserror::Error)]
#[non_exhaustive]
pub enum EventError {
    /// A recording has no event of the name asked for.
    #[error("no event '{wanted}' in {recording}; hint: it has {}", .available.join(", "))]
    NoSuchEvent {
        /// The name.
        wanted: String,
        /// Which recording, by its place from 1.
        recording: String,
        /// What the recording has.
        available: Vec<String>,
    },
    /// A recording has no samples.
    #[error("no samples in {recording}")]
    NoSamples {
        /// Which recording.
        recording: String,
    },
}

/// The event of each recording to compare. It is the first of these that exists: `wanted`, by its full or base name; the
/// default event of all recordings; the clock or cycles event that all recordings have, with the most samples in total; the
/// default event of each recording; its own heaviest event.
///
/// # Errors
/// [`EventError`] where a recording has no such event or no samples.
pub fn choose_events(
    recordings: &[(String, &Profile)],
    wanted: Option<&str>,
) -> Result<Vec<EventId>, EventError> {
    if let Some((recording, _)) = recordings.iter().find(|(_, profile)| profile.events.is_empty()) {
        return Err(EventError::NoSamples { recording: recording.clone() });
    }
    if let Some(wanted) = wanted {
        return recordings.iter().map(|(recording, profile)| named(recording, profile, wanted)).collect();
    }
    let own = |(_, profile): &(String, &Profile)| {
        profile.default_event().or_else(|| heaviest(profile, |_| true)).unwrap_or(EventId(0))
    };
    let shared = shared_default(recordings).or_else(|| shared(recordings));
    Ok(shared.unwrap_or_else(|| recordings.iter().map(own).collect()))
}

/// The event that all recordings themselves put first, if that is the same in all.
fn shared_default(recordings: &[(String, &Profile)]) -> Option<Vec<EventId>> {
    let name =
        |profile: &Profile, id: EventId| profile.events.get(id.index()).map(|event| event.name.clone());
    let defaults = recordings.iter().map(|(_, profile)| profile.default_event());
    let ids: Vec<EventId> = defaults.collect::<Option<_>>()?;
    let mut names = recordings.iter().zip(&ids).map(|((_, profile), id)| name(profile, *id));
    let first = names.next()??;
    names.all(|name| name.as_ref() == Some(&first)).then_some(ids)
}

/// The event like cycles that all recordings have, with the most samples in all of them together.
fn shared(recordings: &[(String, &Profile)]) -> Option<Vec<EventId>> {
    let (_, first) = recordings.first()?;
    let names: BTreeSet<&str> =
        first.events.iter().filter(|event| event.is_cycles_like()).map(Event::base_name).collect();
    let of_all = |name: &&str| -> Option<Vec<EventId>> {
        recordings.iter().map(|(_, profile)| by_base_name(profile, name)).collect()
    };
    let samples = |ids: &Vec<EventId>| -> u64 {
        let events =
            recordings.iter().zip(ids).filter_map(|((_, profile), id)| profile.events.get(id.index()));
        events.map(|event| event.samples).fold(0, u64::saturating_add)
    };
    // The first of equals, by name.
    names.iter().filter_map(of_all).min_by_key(|ids| Reverse(samples(ids)))
}

fn named(recording: &str, profile: &Profile, wanted: &str) -> Result<EventId, EventError> {
    let wanted = wanted.trim_end_matches(':');
    heaviest(profile, |event| &*event.name == wanted).or_else(|| by_base_name(profile, wanted)).ok_or_else(
        || EventError::NoSuchEvent {
            wanted: wanted.to_owned(),
            recording: recording.to_owned(),
            available: profile.events.iter().map(|event| event.name.to_string()).collect(),
        },
    )
}

fn by_base_name(profile: &Profile, name: &str) -> Option<EventId> {
    heaviest(profile, |event| event.base_name() == name)
}

/// The event with the most samples among those wanted, the first of equals. Weights of events do not compare.
fn heaviest(profile: &Profile, wanted: impl Fn(&Event) -> bool) -> Option<EventId> {
    let events = profile.events.iter().enumerate().filter(|(_, event)| wanted(event));
    let best = events.min_by_key(|(index, event)| (Reverse(event.samples), *index));
    best.and_then(|(index, _)| u32::try_from(index).ok()).map(EventId)
}

#[cfg(test)]
mod tests {
    use super::*;
    use pdiff_profile::{ProfileBuilder, Thread, Weight};

    fn profile(events: &[(&str, u32)]) -> Profile {
        let mut builder = ProfileBuilder::new();
        let comm = builder.string("x");
        let thread = builder.thread(Thread { comm, pid: None, tid: None });
        let stack = builder.stack(&[]);
        for (name, samples) in events {
            let event = builder.event(name);
            builder.count(event, 0, thread, stack, *samples, Weight(u64::from(*samples)));
        }
        builder.finish().unwrap()
    }

    fn check(before: &[(&str, u32)], after: &[(&str, u32)], wanted: Option<&str>, expected: &str) {
        let profiles = [profile(before), profile(after)];
        let recordings: Vec<_> =
            profiles.iter().enumerate().map(|(index, profile)| (format!("run {index}"), profile)).collect();
        let chosen = match choose_events(&recordings, wanted) {
            Ok(ids) => {
                let names = ids
                    .iter()
                    .zip(&profiles)
                    .map(|(id, profile)| profile.events[id.index()].name.to_string());
                names.collect::<Vec<_>>().join(" ")
            }
            Err(error) => error.to_string(),
        };
        assert_eq!(chosen, expected);
    }

    #[test]
    fn the_heaviest_cycles_like_event_of_both_is_taken() {
        check(
            &[("page-faults", 9), ("cycles:P", 3), ("cpu-clock:u", 5)],
            &[("cycles:u", 2), ("instructions", 5)],
            None,
            "cycles:P cycles:u",
        );
        check(
            &[("cycles", 9), ("cpu-clock", 3)],
            &[("cpu-clock", 20), ("cycles", 1)],
            None,
            "cpu-clock cpu-clock",
        );
        check(
            &[("cpu-clock", 20), ("cycles", 1)],
            &[("cycles", 9), ("cpu-clock", 3)],
            None,
            "cpu-clock cpu-clock",
        );
        check(&[("cpu_core/cycles/P", 1)], &[("cycles", 1)], None, "cpu_core/cycles/P cycles");
        check(&[("page-faults", 9)], &[("sched:sched_switch", 1)], None, "page-faults sched:sched_switch");
    }

    #[test]
    fn a_wanted_event_is_found_by_full_or_base_name() {
        check(&[("cycles:u", 1), ("cycles:k", 2)], &[("cycles:u", 1)], Some("cycles:u"), "cycles:u cycles:u");
        check(
            &[("cycles", 1)],
            &[("cycles", 1)],
            Some("branches"),
            "no event 'branches' in run 0; hint: it has cycles",
        );
    }

    #[test]
    fn what_recordings_put_first_is_taken() {
        let with_default = |events: &[(&str, u32)], default: &str| {
            let mut profile = profile(events);
            profile.header.push((Profile::DEFAULT_EVENT.into(), default.into()));
            profile
        };
        let check = |before: &Profile, after: &Profile, expected: [u32; 2]| {
            let recordings = [before, after].map(|profile| (String::new(), profile.clone()));
            let recordings: Vec<_> =
                recordings.iter().map(|(name, profile)| (name.clone(), profile)).collect();
            assert_eq!(choose_events(&recordings, None).unwrap(), expected.map(EventId));
        };
        let heap = with_default(&[("alloc_space", 9), ("inuse_space", 2), ("cycles", 3)], "inuse_space");
        let cpu = with_default(&[("samples", 5), ("cpu", 5)], "cpu");
        check(&heap, &heap, [1, 1]);
        check(&cpu, &cpu, [1, 1]);
        check(&cpu, &profile(&[("cpu-clock", 7)]), [1, 0]);
        check(&heap, &profile(&[("x", 9), ("cycles", 7)]), [2, 1]);
        check(&with_default(&[("x", 9), ("cycles", 7)], "gone"), &profile(&[("cycles", 7)]), [1, 0]);
    }

    #[test]
    fn a_recording_without_samples_is_told() {
        check(&[], &[("cycles", 1)], None, "no samples in run 0");
    }
}
