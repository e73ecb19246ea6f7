//! `cargo +nightly fuzz run --features tables tables`

#![no_main]

#[path = "../tables.rs"]
mod tables;

// The fuzzer ends at any panic, also at those inside polars' reader of Parquet, which pdiff catches.
libfuzzer_sys::fuzz_target!(|bytes: &[u8]| {
    if !bytes.starts_with(b"PAR1") {
        tables::tables(bytes);
    }
});
