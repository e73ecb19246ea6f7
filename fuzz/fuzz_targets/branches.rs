//! `cargo +nightly fuzz run branches`

#![no_main]

#[path = "../targets.rs"]
#[expect(dead_code, reason = "one target of all")]
mod targets;

libfuzzer_sys::fuzz_target!(|bytes: &[u8]| {
    targets::branches(bytes);
});
