//! Noise.
