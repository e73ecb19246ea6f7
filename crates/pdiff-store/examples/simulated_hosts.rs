//! Makes a store of simulated hosts from the pack of one recording: each run is drawn anew from the recording's stacks, and
//! each host and each run makes some functions dearer than others. A change may be planted in one function of the build `after`.
//!
//! ```text
//! cargo run -p pdiff-store --example simulated_hosts -- PACK STORE HOSTS SAMPLES SEED same|other [FUNCTION FACTOR]
//! ```
//!
//! Host and run effects are log-normal with the standard deviations below, by leaf function. Both builds have HOSTS hosts: the
//! same ones, or others. The same arguments give the same store.

#![expect(clippy::print_stdout, reason = "a program")]

use std::collections::BTreeMap;
use std::error::Error;

use pdiff_ingest::{PackedRun, read_pack, write_pack};
use pdiff_profile::names::FunctionName;
use pdiff_profile::{Cell, Lookups, Profile, Resolution, Resolutions, Weight};
use pdiff_store::{NewRun, RunKey, Store};

/// Standard deviation of a host's effect on a function, as a logarithm.
const HOST_SD: f64 = 0.08;

/// Standard deviation of a run's effect on a function, as a logarithm.
const RUN_SD: f64 = 0.05;

/// Length of a run in seconds.
const RUN_S: u32 = 60;

fn main() -> Result<(), Box<dyn Error>> {
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    let [pack, store, hosts, samples, seed, which, planted @ ..] = arguments.as_slice() else {
        return Err("arguments: PACK STORE HOSTS SAMPLES SEED same|other [FUNCTION FACTOR]".into());
    };
    let are_same = match which.as_str() {
        "same" => true,
        "other" => false,
        _ => return Err("hosts of the builds are 'same' or 'other'".into()),
    };
    let planted: Option<(&str, f64)> = match planted {
        [] => None,
        [function, factor] => Some((function, factor.parse()?)),
        _ => return Err("a planted change is FUNCTION and FACTOR".into()),
    };
    let (hosts, samples): (u32, u32) = (hosts.parse()?, samples.parse()?);
    let base = read_pack(&std::fs::read(pack)?)?;
    let leaves = leaves(&base.profile, base.resolutions.as_ref());
    let store = Store::open_or_create(std::path::Path::new(store))?;
    let mut random = Random(seed.parse()?);
    let mut of_hosts: BTreeMap<String, BTreeMap<&str, f64>> = BTreeMap::new();
    for build in ["before", "after"] {
        for host in 0..hosts {
            let host = if are_same { format!("host-{host}") } else { format!("{build}-{host}") };
            let of_host =
                of_hosts.entry(host.clone()).or_insert_with(|| effects(&leaves, HOST_SD, &mut random));
            let mut factors = effects(&leaves, RUN_SD, &mut random);
            factors
                .iter_mut()
                .for_each(|(leaf, factor)| *factor *= of_host.get(leaf).copied().unwrap_or(1.0));
            if let Some((function, factor)) = planted.filter(|_| build == "after") {
                *factors.get_mut(function).ok_or("the recording has no such leaf function")? *= factor;
            }
            let run = drawn(&base, &leaves, &factors, samples, &mut random);
            let pack = write_pack(&run)?;
            let key = RunKey::new("simulated", build, &host, "2026-11-24")?;
            let new = NewRun {
                key: &key,
                recording: "simulated",
                written_by: "simulated_hosts",
                profile: &run.profile,
                resolutions: run.resolutions.as_ref(),
                binaries: 0,
                measures: run.measures,
            };
            store.add(new.files(new.id())?, &pack)?;
        }
    }
    println!("{} runs of {samples} samples in {}", 2 * hosts, store.root().display());
    Ok(())
}

/// A factor of each leaf function.
fn effects<'a>(leaves: &'a [String], sd: f64, random: &mut Random) -> BTreeMap<&'a str, f64> {
    let mut factors: BTreeMap<&str, f64> = BTreeMap::new();
    for leaf in leaves {
        factors.entry(leaf).or_insert_with(|| (random.normal() * sd).exp());
    }
    factors
}

/// The innermost function of each stack.
fn leaves(profile: &Profile, resolutions: Option<&Resolutions>) -> Vec<String> {
    let lookups = Lookups::new(profile);
    let leaf = |stack| {
        let (id, lookup) = lookups.of(stack).last()?;
        let frame = profile.frames.get(id.index())?;
        let inlined = match resolutions.and_then(|resolutions| resolutions.get(id, lookup)) {
            Some(Resolution::Resolved(chain)) => chain.frames().last().filter(|_| chain.frames().len() > 1),
            _ => None,
        };
        let name = match inlined {
            Some(inlined) => FunctionName::with_linkage(&inlined.name, inlined.linkage_name.as_deref()),
            None => FunctionName::parse(frame.symbol.map_or("[unresolved]", |symbol| profile.string(symbol))),
        };
        Some(name.qualified().to_owned())
    };
    profile.stacks.iter().map(|stack| leaf(stack).unwrap_or_default()).collect()
}

/// A run of `samples` samples of the recording's first event.
fn drawn(
    base: &PackedRun,
    leaves: &[String],
    factors: &BTreeMap<&str, f64>,
    samples: u32,
    random: &mut Random,
) -> PackedRun {
    let mut run = base.clone();
    let profile = &mut run.profile;
    let first: Vec<&Cell> = base.profile.cells.iter().filter(|cell| cell.event.index() == 0).collect();
    let period =
        first.iter().find(|cell| cell.samples > 0).map_or(1, |cell| cell.weight.0 / u64::from(cell.samples));
    let mut sum = 0.0;
    let until: Vec<f64> = first
        .iter()
        .map(|cell| {
            let leaf = leaves.get(cell.stack.index()).map_or("", String::as_str);
            sum += f64::from(cell.samples) * factors.get(leaf).copied().unwrap_or(1.0);
            sum
        })
        .collect();
    let mut counts: BTreeMap<(u32, u32, u32), u32> = BTreeMap::new();
    for at in 0..samples {
        let place = random.uniform() * sum;
        let cell = first.get(until.partition_point(|until| *until <= place)).or(first.last());
        let block = (u64::from(at) * u64::from(RUN_S) / u64::from(samples)) as u32;
        if let Some(cell) = cell {
            *counts.entry((block, cell.thread.0, cell.stack.0)).or_default() += 1;
        }
    }
    let event = pdiff_profile::EventId(0);
    let cell = |(&(block, thread, stack), &samples): (&(u32, u32, u32), &u32)| Cell {
        event,
        block,
        thread: pdiff_profile::ThreadId(thread),
        stack: pdiff_profile::StackId(stack),
        samples,
        weight: Weight(u64::from(samples) * period),
    };
    profile.cells = counts.iter().map(cell).collect();
    profile.events.truncate(1);
    if let Some(event) = profile.events.first_mut() {
        event.samples = u64::from(samples);
        event.weight = Weight(u64::from(samples) * period);
    }
    profile.span = Some(pdiff_profile::Span { first_ns: 0, last_ns: u64::from(RUN_S) * 1_000_000_000 });
    run
}

/// Random numbers by SplitMix64: the same on every machine.
struct Random(u64);

impl Random {
    /// From 0, below 1.
    fn uniform(&mut self) -> f64 {
        self.0 = self.0.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let mut z = self.0;
        z = (z ^ (z >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        z = (z ^ (z >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        ((z ^ (z >> 31)) >> 11) as f64 / (1_u64 << 53) as f64
    }

    /// Of mean 0 and variance 1, by Box and Muller.
    fn normal(&mut self) -> f64 {
        let radius = (-2.0 * (1.0 - self.uniform()).ln()).sqrt();
        radius * (std::f64::consts::TAU * self.uniform()).cos()
    }
}
