//! How fast the index of a whole file answers sorted addresses, by library call, without printing.
//!
//! ```text
//! cargo run --release --example index_speed -- BINARY CACHE_DIR < sorted addresses
//! ```

use std::error::Error;
use std::io::{Read, Write};
use std::path::PathBuf;
use std::time::Instant;

use pdiff_profile::ObjectAddr;
use pdiff_symbolize::{SymbolizeOptions, Symbolizer};

fn main() -> Result<(), Box<dyn Error>> {
    let mut args = std::env::args_os().skip(1);
    let usage = "usage: index_speed BINARY CACHE_DIR < sorted addresses";
    let binary = PathBuf::from(args.next().ok_or(usage)?);
    let mut options = SymbolizeOptions::new();
    options.cache_dir = Some(args.next().ok_or(usage)?.into());
    let mut input = String::new();
    std::io::stdin().read_to_string(&mut input)?;
    let parse = |text: &str| u64::from_str_radix(text.trim_start_matches("0x"), 16).ok().map(ObjectAddr);
    let addrs: Vec<ObjectAddr> = input.split_whitespace().filter_map(parse).collect();

    let start = Instant::now();
    let mut symbolizer = Symbolizer::open(&binary, &options)?;
    symbolizer.index_all();
    let opened = start.elapsed();
    let start = Instant::now();
    let (mut frames, mut bytes) = (0_usize, 0_usize);
    symbolizer.for_each(&addrs, |chain| {
        for frame in chain.into_iter().flat_map(|chain| chain.innermost_first()) {
            frames += 1;
            bytes += frame.name.or(frame.linkage_name).map_or(0, str::len);
            bytes += frame.file.map_or(0, str::len);
        }
    });
    let taken = start.elapsed();
    let rate = addrs.len() as f64 / taken.as_secs_f64() / 1e6;
    let count = addrs.len();
    writeln!(
        std::io::stdout(),
        "opened in {opened:.3?}; {count} addresses, {frames} frames, {bytes} bytes of names in {taken:.3?}: {rate:.2} M/s"
    )?;
    Ok(())
}
