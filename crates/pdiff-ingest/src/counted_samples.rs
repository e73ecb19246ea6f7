//! How many samples the counts of a folded or drawn profile stand for.
//!
//! Folded stacks and flame graphs give one number a stack. It is the number of samples, or what they weigh: nanoseconds of a clock,
//! cycles, bytes. The noise of a comparison follows from samples, so nanoseconds must not be taken for them:
//!
//! - All counts are multiples of one large number: a clock that fires at even distances. Each such distance is one sample.
//! - Many counts are all large, and nearly multiples of the lower quartile: a clock whose distances vary a little. Most stacks of a
//!   recording were seen once or twice, so the lower quartile is one sample.
//! - The counts together exceed what a recording can have as samples: each count is at least one sample, and counts as one.
//! - Otherwise counts are samples.

use pdiff_profile::{EventId, NoteKind, ProfileBuilder, Weight};

/// The shortest distance of a clock that is recognised: 100 microseconds in nanoseconds. Numbers of samples, of which even a short list
/// may be multiples of a round number, have smaller divisors.
const SHORTEST_DISTANCE: u64 = 100_000;

/// So many stacks tell how often a stack is seen.
const MANY_COUNTS: usize = 100;

/// Nearly no stack was seen less often than this: these may be no numbers of samples.
const LEAST_OF_MOST: u64 = 500;

/// How far a multiple of a varying distance may be off, as a part of the distance.
const OFF_BY: f64 = 0.1;

/// The part of small counts that have to be such multiples, and the part that has to be more than one.
const ARE_MULTIPLES: f64 = 0.95;
const ARE_SEVERAL: f64 = 0.05;

/// From so many distances on, what they vary by adds up to a distance.
const SMALL: f64 = 6.0;

/// The most samples of one recording: 64 CPUs at 4,000 a second for four hours are 3.7 billion.
const MOST_SAMPLES: u128 = u32::MAX as u128;

/// Corrects the samples of all that was counted for `event`, each count having been taken for as many samples. `known` is the number
/// of samples, if the file says it.
pub(crate) fn set_samples(builder: &mut ProfileBuilder, event: EventId, known: Option<u64>) {
    let counts: Vec<u64> = builder.weights().map(|weight| weight.0).filter(|weight| *weight > 0).collect();
    let total: u128 = counts.iter().map(|count| u128::from(*count)).sum();
    let number = counts.len() as u64;
    let (samples, note) = match known {
        Some(known) => (Some(u128::from(known)), None),
        None => inferred(counts, total),
    };
    if samples == Some(total) {
        return builder.without_period(event);
    }
    builder.divide_samples(samples);
    if let Some(text) = note {
        builder.notes.add(NoteKind::CountsNotSamples, number, Weight::ZERO, || text);
    }
}

/// How many samples counts stand for, and what to say of it; no number where each count is one sample.
fn inferred(counts: Vec<u64>, total: u128) -> (Option<u128>, Option<String>) {
    let distance = counts.iter().copied().fold(0, greatest_common_divisor);
    if distance >= SHORTEST_DISTANCE {
        let text = format!("all counts are multiples of {distance}, which is taken for one sample");
        return (Some(total / u128::from(distance)), Some(text));
    }
    if let Some(quartile) = varying_distance(counts) {
        let text =
            format!("nearly all counts are near multiples of {quartile}, which is taken for one sample");
        return (Some(total / u128::from(quartile)), Some(text));
    }
    if total > MOST_SAMPLES {
        let text = format!("counts of {total} together cannot be samples; each of them is taken for one");
        return (None, Some(text));
    }
    (Some(total), None)
}

/// The lower quartile of many counts that are nearly multiples of it.
fn varying_distance(mut counts: Vec<u64>) -> Option<u64> {
    counts.sort_unstable();
    let least = counts.get(counts.len() / 20).copied()?;
    let quartile = counts.get(counts.len() / 4).copied()?;
    if counts.len() < MANY_COUNTS || least < LEAST_OF_MOST {
        return None;
    }
    let times = || counts.iter().map(|count| *count as f64 / quartile as f64).filter(|times| *times < SMALL);
    let part = |holds: fn(&f64) -> bool| times().filter(holds).count() as f64 / times().count().max(1) as f64;
    let are_multiples =
        part(|times| (times - times.round()).abs() <= OFF_BY && *times > 0.5) >= ARE_MULTIPLES;
    (are_multiples && part(|times| *times > 1.5) >= ARE_SEVERAL).then_some(quartile)
}

fn greatest_common_divisor(mut a: u64, mut b: u64) -> u64 {
    while b > 0 {
        (a, b) = (b, a % b);
    }
    a
}

#[cfg(test)]
mod tests {
    use super::*;
    use pdiff_profile::{Profile, Thread};

    fn profile(counts: &[u64], known: Option<u64>) -> Profile {
        let mut builder = ProfileBuilder::new();
        let comm = builder.string("");
        let thread = builder.thread(Thread { comm, pid: None, tid: None });
        let event = builder.event("");
        let stack = builder.stack(&[]);
        for (second, count) in (0..).zip(counts) {
            let samples = u32::try_from(*count).unwrap_or(u32::MAX);
            builder.count(event, second, thread, stack, samples, Weight(*count));
        }
        set_samples(&mut builder, event, known);
        builder.finish().unwrap()
    }

    fn samples(counts: &[u64], known: Option<u64>) -> Vec<u32> {
        profile(counts, known).cells.iter().map(|cell| cell.samples).collect()
    }

    #[test]
    fn nanoseconds_of_a_clock_are_samples_of_its_distance() {
        assert_eq!(samples(&[3_003_003, 1_001_001, 9_009_009_000], None), [3, 1, 9000]);
        let event = &profile(&[3_003_003, 1_001_001], None).events[0];
        assert_eq!((event.samples, event.weight.0, event.has_period), (4, 4_004_004, true));
    }

    #[test]
    fn numbers_of_samples_stay_what_they_are() {
        assert_eq!(samples(&[600, 400], None), [600, 400]);
        assert_eq!(samples(&[60_000, 40_000, 20_000], None), [60_000, 40_000, 20_000]);
        let profile = profile(&[600, 400], None);
        assert!(!profile.events[0].has_period && profile.notes.is_empty());
    }

    #[test]
    fn counts_of_a_clock_that_varies_are_samples_of_its_distance() {
        let jittered = |distance: u64| -> Vec<u64> {
            (0..400).map(|at| (1 + at % 40 / 30) * distance + at * 37 % (distance / 50)).collect()
        };
        for distance in [1000, 10_000, 1_001_001] {
            let total = profile(&jittered(distance), None).events[0].samples;
            assert!((490..=510).contains(&total), "{total}");
        }
        // All alike, or of any size: whoever made them up meant samples.
        for counts in [vec![5000; 400], (0..400).map(|at| 1000 + 7 * at).collect()] {
            assert_eq!(profile(&counts, None).events[0].samples, counts.iter().sum::<u64>());
        }
        // Samples of a recording: some stacks were seen seldom, however many often.
        let counts: Vec<u64> = (0..400).map(|at| 5000 + at).chain([1; 40]).collect();
        assert_eq!(profile(&counts, None).events[0].samples, counts.iter().sum::<u64>());
    }

    #[test]
    fn what_no_recording_has_as_samples_counts_as_one_each() {
        assert_eq!(samples(&[5_000_000_001, 17, 4], None), [1, 1, 1]);
        assert_eq!(profile(&[5_000_000_001, 17], None).events[0].weight.0, 5_000_000_018);
    }

    #[test]
    fn a_known_number_of_samples_is_divided_without_loss() {
        assert_eq!(samples(&[10, 10, 10, 1], Some(10)), [3, 3, 4, 0]);
        assert_eq!(samples(&[1, 1, 1, 1], Some(1)).iter().sum::<u32>(), 1);
        assert_eq!(samples(&[u64::MAX / 2, u64::MAX / 2], Some(u64::MAX)), [u32::MAX, u32::MAX]);
    }
}
