//! Simulated programs: functions with a true cost per operation each, and runs of them on a machine that is noisy in the
//! ways that machines are.

use pdiff_profile::{Frame, Object, Profile, ProfileBuilder, RunMeasures, Span, Thread, Weight};

use crate::random::Rng;

/// Functions of a program.
pub(crate) const FUNCTIONS: usize = 150;
const SUBSYSTEMS: usize = 6;

/// Seconds of a run, samples in one of them, and nanoseconds of CPU that a sample stands for.
pub(crate) const SECONDS: usize = 15;
const SAMPLES_PER_SECOND: f64 = 1_300.0;
pub(crate) const SAMPLE_NS: u64 = 1_001_001;

/// How a machine is noisy. All are coefficients of variation, or standard deviations of logarithms.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct Nature {
    /// Of each function from run to run.
    pub(crate) cv: f64,
    /// Between the functions' own `cv`.
    pub(crate) cv_differs: f64,
    /// From run to run, of a t distribution with three degrees of freedom instead of a normal one.
    pub(crate) heavy_tails: bool,
    /// Of each subsystem from run to run.
    pub(crate) subsystem_cv: f64,
    /// Of the whole program's cost from run to run.
    pub(crate) machine_cv: f64,
    /// From begin to end of a run, for each function.
    pub(crate) drift: f64,
    /// Some functions cost four times as much during three seconds of a run.
    pub(crate) bursts: bool,
    /// The load alternates between two mixes.
    pub(crate) phases: Phases,
    /// A function of a fifth to a half of the profile waits busily.
    pub(crate) spins: bool,
}

/// How the load alternates between two mixes, of which one calls a function more and the other less.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub(crate) enum Phases {
    /// It does not.
    #[default]
    None,
    /// For each function at times of its own, which differ from run to run.
    Anywhere,
    /// For all functions at once. Recordings begin anywhere in a phase.
    InStep,
    /// For each function at times of its own, which are the same in all runs.
    Alike,
}

/// What changed from before to after.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum Change {
    Nothing,
    /// All functions cost 20 % more.
    AllDearer,
    /// One function of 30 % costs 20 % more, and nothing else changed.
    OneHeavy,
    /// Twenty functions of all sizes, in pairs of which one gains what the other loses.
    Twenty,
    /// Most light functions change by less than the floor.
    ManyLight,
}

/// A program before and after, on a machine.
pub(crate) struct World {
    rng: Rng,
    nature: Nature,
    cvs: Vec<f64>,
    /// When each function's phases begin and how long they last, where all runs have the same.
    phases: Vec<Phase>,
    /// Cost per operation, in nanoseconds.
    pub(crate) before: Vec<f64>,
    pub(crate) after: Vec<f64>,
}

/// The first second that a phase lasted already, and how many seconds it lasts.
#[derive(Clone, Copy, Debug)]
struct Phase {
    start: usize,
    length: usize,
}

impl Phase {
    fn random(rng: &mut Rng) -> Self {
        let length = 3 + (rng.uniform() * 6.0) as usize;
        Self { length, start: (rng.uniform() * SECONDS as f64) as usize }
    }

    /// The factor of a function in a second of a run.
    fn factor(self, second: usize) -> f64 {
        if ((second + self.start) / self.length).is_multiple_of(2) { 1.6 } else { 0.6 }
    }
}

/// One run.
pub(crate) struct Run {
    /// Samples of each function in each second.
    pub(crate) samples: Vec<Vec<u32>>,
    /// Samples of each function's instructions in each second, where they are counted.
    pub(crate) instructions: Vec<Vec<u32>>,
    pub(crate) operations: f64,
}

/// Instructions that a sample of them stands for: about as many samples as of CPU time.
pub(crate) const SAMPLE_INSTRUCTIONS: u64 = 2 * SAMPLE_NS;

impl World {
    pub(crate) fn new(seed: u64, nature: Nature, change: Change) -> Self {
        let mut rng = Rng::new(seed);
        let mut before: Vec<f64> = (0..FUNCTIONS).map(|_| 1e4 * (1.5 * rng.normal()).exp()).collect();
        let rest: f64 = before.iter().skip(1).sum();
        match change {
            // 30 % of the whole.
            Change::OneHeavy => before[0] = rest * 0.3 / 0.7,
            _ if nature.spins => before[0] = rest / 2.0,
            _ => {}
        }
        let cvs = (0..FUNCTIONS).map(|_| nature.cv * (nature.cv_differs * rng.normal()).exp()).collect();
        let after = changed(&before, change);
        let phases = match nature.phases {
            Phases::None | Phases::Anywhere => Vec::new(),
            Phases::InStep | Phases::Alike => (0..FUNCTIONS).map(|_| Phase::random(&mut rng)).collect(),
        };
        Self { rng, nature, cvs, phases, before, after }
    }

    /// Records a run of the program with the given costs. The machine is busy all the time.
    pub(crate) fn run(&mut self, costs: &[f64]) -> Run {
        let machine = self.rng.log_normal(self.nature.machine_cv);
        let factors = self.factors_of_run();
        let phases = self.phases_of_run();
        let seconds: Vec<Vec<f64>> =
            factors.into_iter().zip(phases).map(|(factor, phase)| self.in_time(factor, phase)).collect();
        let mut samples = vec![vec![0; SECONDS]; FUNCTIONS];
        let mut operations = 0.0;
        for second in 0..SECONDS {
            let cost = |function: usize| costs[function] * seconds[function][second];
            let sum: f64 = (0..FUNCTIONS).map(cost).sum();
            operations += SAMPLES_PER_SECOND * SAMPLE_NS as f64 / (sum * machine);
            for (function, samples) in samples.iter_mut().enumerate() {
                samples[second] = self.rng.poisson(SAMPLES_PER_SECOND * cost(function) / sum) as u32;
            }
        }
        Run { samples, operations, instructions: Vec::new() }
    }

    /// Counts the instructions of a run: those of an operation are the same in each run, twice the nanoseconds that it cost
    /// before.
    pub(crate) fn count_instructions(&mut self, run: &mut Run) {
        let in_second = 2.0 * run.operations / SECONDS as f64 / SAMPLE_INSTRUCTIONS as f64;
        let of_function =
            |cost: &f64| (0..SECONDS).map(|_| self.rng.poisson(cost * in_second) as u32).collect();
        run.instructions = self.before.iter().map(of_function).collect();
    }

    fn factors_of_run(&mut self) -> Vec<f64> {
        let nature = self.nature;
        let subsystems: Vec<f64> =
            (0..SUBSYSTEMS).map(|_| self.rng.log_normal(nature.subsystem_cv)).collect();
        let mut factors = Vec::with_capacity(FUNCTIONS);
        for function in 0..FUNCTIONS {
            let cv = self.cvs[function];
            let own =
                if nature.heavy_tails { (cv * self.rng.student_3()).exp() } else { self.rng.log_normal(cv) };
            factors.push(own * subsystems[function % SUBSYSTEMS]);
        }
        if nature.spins {
            factors[0] *= self.rng.log_normal(0.4);
        }
        factors
    }

    /// Each function's phase in a run, where that is known before.
    fn phases_of_run(&mut self) -> Vec<Option<Phase>> {
        match self.nature.phases {
            Phases::None | Phases::Anywhere => vec![None; FUNCTIONS],
            Phases::Alike => self.phases.iter().map(|phase| Some(*phase)).collect(),
            Phases::InStep => {
                // All functions have the world's first length, and half of them the other mix.
                let length = self.phases.first().map_or(1, |phase| phase.length);
                let start = (self.rng.uniform() * 2.0 * length as f64) as usize;
                let mix = |phase: &Phase| Phase { length, start: start + phase.start % 2 * length };
                self.phases.iter().map(|phase| Some(mix(phase))).collect()
            }
        }
    }

    /// A function's factor in each second of a run.
    fn in_time(&mut self, of_run: f64, phase: Option<Phase>) -> Vec<f64> {
        let nature = self.nature;
        let slope = nature.drift * self.rng.normal();
        let mut factors: Vec<f64> = (0..SECONDS)
            .map(|second| of_run * (slope * (second as f64 / SECONDS as f64 - 0.5)).exp())
            .collect();
        if nature.bursts && self.rng.uniform() < 0.1 {
            let first = (self.rng.uniform() * (SECONDS - 3) as f64) as usize;
            factors.iter_mut().skip(first).take(3).for_each(|factor| *factor *= 4.0);
        }
        // The function belongs to one mix; how long that lasted may differ from run to run.
        let phase =
            phase.or_else(|| (nature.phases == Phases::Anywhere).then(|| Phase::random(&mut self.rng)));
        if let Some(phase) = phase {
            // Where all runs have the same phases, the mean is 1: costs are what they are said to be.
            let mean = (0..SECONDS).map(|second| phase.factor(second)).sum::<f64>() / SECONDS as f64;
            let mean = if nature.phases == Phases::Alike { mean } else { 1.0 };
            for (second, factor) in factors.iter_mut().enumerate() {
                *factor *= phase.factor(second) / mean;
            }
        }
        factors
    }
}

fn changed(before: &[f64], change: Change) -> Vec<f64> {
    let mut after = before.to_vec();
    let mut order: Vec<usize> = (0..before.len()).collect();
    order.sort_by(|&a, &b| before[a].total_cmp(&before[b]));
    match change {
        Change::Nothing => {}
        Change::AllDearer => after.iter_mut().for_each(|cost| *cost *= 1.2),
        Change::OneHeavy => after[0] *= 1.2,
        Change::Twenty => {
            for pair in order.chunks_exact(2).step_by(FUNCTIONS / 2 / 10).take(10) {
                let moved = 0.6 * before[pair[0]];
                after[pair[0]] -= moved;
                after[pair[1]] += moved;
            }
        }
        Change::ManyLight => {
            let moved = 7e-4 * before.iter().sum::<f64>();
            let light: Vec<usize> =
                order.into_iter().filter(|&at| before[at] > 1.5 * moved).take(120).collect();
            for pair in light.chunks_exact(2) {
                after[pair[0]] -= moved;
                after[pair[1]] += moved;
            }
        }
    }
    after
}

impl Run {
    /// The part of the run that some of its seconds are. Operations remain those of the whole run.
    pub(crate) fn part(&self, seconds: std::ops::Range<usize>) -> Self {
        let cut = |samples: &Vec<u32>| samples.get(seconds.clone()).unwrap_or_default().to_vec();
        Self {
            samples: self.samples.iter().map(cut).collect(),
            instructions: self.instructions.iter().map(cut).collect(),
            operations: self.operations,
        }
    }

    fn seconds(&self) -> usize {
        self.samples.first().map_or(0, Vec::len)
    }

    /// The recording, each function under its subsystem.
    pub(crate) fn profile(&self) -> Profile {
        let mut builder = ProfileBuilder::new();
        let event = builder.event("cpu-clock");
        let instructions = builder.event("instructions");
        let object = builder.object(Object::from_text("/usr/bin/app"));
        let frame = |builder: &mut ProfileBuilder, name: &str| {
            let symbol = Some(builder.string(name));
            builder.frame(Frame {
                addr: None,
                symbol,
                symbol_offset: None,
                object,
                source: None,
                inlined: false,
            })
        };
        for (function, seconds) in self.samples.iter().enumerate() {
            let frames = [
                frame(&mut builder, "main"),
                frame(&mut builder, &subsystem_name(function)),
                frame(&mut builder, &function_name(function)),
            ];
            let stack = builder.stack(&frames);
            let comm = builder.string(&thread_name(function));
            let thread = builder.thread(Thread { comm, pid: Some(1), tid: Some(thread_id(function)) });
            let counted = [
                (event, Some(seconds), SAMPLE_NS),
                (instructions, self.instructions.get(function), SAMPLE_INSTRUCTIONS),
            ];
            for (event, seconds, period) in counted {
                let seconds = seconds.into_iter().flatten().zip(0..);
                for (&samples, second) in seconds.filter(|(samples, _)| **samples > 0) {
                    let weight = Weight(u64::from(samples) * period);
                    builder.count(event, second, thread, stack, samples, weight);
                }
            }
        }
        builder.span = Some(Span { first_ns: 0, last_ns: self.seconds() as u64 * 1_000_000_000 });
        builder.finish().expect("a simulated run is a profile")
    }

    pub(crate) fn measures(&self) -> RunMeasures {
        let (operations, window_s) = (Some(self.operations), Some(SECONDS as f64));
        RunMeasures { operations, window_s, ..RunMeasures::default() }
    }
}

pub(crate) fn function_name(function: usize) -> String {
    format!("function_{function}")
}

pub(crate) fn subsystem_name(function: usize) -> String {
    format!("subsystem_{}", function % SUBSYSTEMS)
}

/// Each subsystem has a thread.
pub(crate) fn thread_name(function: usize) -> String {
    format!("thread_{}", function % SUBSYSTEMS)
}

pub(crate) fn thread_id(function: usize) -> u32 {
    (function % SUBSYSTEMS) as u32 + 1
}
