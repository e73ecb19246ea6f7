//! Measures the census of a file: taken, and from the cache.
//!
//! `cargo run --release -p pdiff-symbolize --example census_speed -- FILE CACHE_DIR`

#![expect(clippy::print_stdout, reason = "an example prints")]

use std::path::Path;
use std::time::Instant;

use pdiff_symbolize::{SymbolizeOptions, census_of};

fn main() -> Result<(), Box<dyn std::error::Error>> {
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    let [file, cache] = arguments.as_slice() else { return Err("give FILE and CACHE_DIR".into()) };
    let options = SymbolizeOptions { cache_dir: Some(cache.into()), ..SymbolizeOptions::new() };
    for pass in 1..=2 {
        let start = Instant::now();
        let taken = census_of(Path::new(file), &options)?;
        let (functions, instances) = (taken.census.functions().len(), taken.census.inlined_instances());
        println!("{pass}: {functions} functions, {instances} instances: {:.2?}", start.elapsed());
    }
    Ok(())
}
