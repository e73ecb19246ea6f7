//! Random numbers for simulated runs.

/// SplitMix64 (Steele, Lea and Flood 2014): small, seeded and good enough for a simulation.
pub(crate) struct Rng(u64);

impl Rng {
    pub(crate) fn new(seed: u64) -> Self {
        // Neighbouring seeds must not give neighbouring worlds.
        Self(Self(seed).next())
    }

    fn next(&mut self) -> u64 {
        self.0 = self.0.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let z = (self.0 ^ (self.0 >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        let z = (z ^ (z >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        z ^ (z >> 31)
    }

    pub(crate) fn uniform(&mut self) -> f64 {
        ((self.next() >> 11) as f64 + 0.5) / (1u64 << 53) as f64
    }

    pub(crate) fn normal(&mut self) -> f64 {
        (-2.0 * self.uniform().ln()).sqrt() * (std::f64::consts::TAU * self.uniform()).cos()
    }

    pub(crate) fn log_normal(&mut self, cv: f64) -> f64 {
        (cv * self.normal() - 0.5 * cv * cv).exp()
    }

    /// A t-distributed number with three degrees of freedom, scaled to a variance of 1.
    pub(crate) fn student_3(&mut self) -> f64 {
        let squares: f64 = (0..3).map(|_| self.normal().powi(2)).sum();
        self.normal() / squares.sqrt()
    }

    pub(crate) fn poisson(&mut self, mean: f64) -> f64 {
        if mean > 12.0 {
            return (mean + mean.sqrt() * self.normal()).round().max(0.0);
        }
        let (limit, mut product, mut count) = ((-mean).exp(), self.uniform(), 0.0);
        while product > limit {
            product *= self.uniform();
            count += 1.0;
        }
        count
    }
}
