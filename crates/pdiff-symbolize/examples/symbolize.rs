//! The functions at addresses of a binary, innermost first, as `addr2line -f -i` prints them, and how long that took.
//!
//! ```text
//! cargo run --release --example symbolize -- BINARY [--cache DIR] [--all] [--quiet] < addresses
//! ```

use std::error::Error;
use std::io::{BufWriter, Read, Write};
use std::path::PathBuf;
use std::time::Instant;

use pdiff_profile::{ObjectAddr, Resolution};
use pdiff_symbolize::{SymbolizeOptions, Symbolizer};

fn main() -> Result<(), Box<dyn Error>> {
    let mut args = std::env::args_os().skip(1);
    let binary = PathBuf::from(
        args.next().ok_or("usage: symbolize BINARY [--cache DIR] [--all] [--quiet] < addresses")?,
    );
    let mut options = SymbolizeOptions::new();
    options.debug_roots.push(PathBuf::from("/usr/lib/debug"));
    let (mut all, mut quiet) = (false, false);
    while let Some(arg) = args.next() {
        match arg.to_str() {
            Some("--cache") => options.cache_dir = args.next().map(PathBuf::from),
            Some("--all") => all = true,
            Some("--quiet") => quiet = true,
            _ => return Err(format!("unknown argument {}", arg.display()).into()),
        }
    }
    let mut input = String::new();
    std::io::stdin().read_to_string(&mut input)?;
    let addrs: Vec<ObjectAddr> = input.split_whitespace().filter_map(parse).collect();
    let start = Instant::now();
    let mut symbolizer = Symbolizer::open(&binary, &options)?;
    if all {
        symbolizer.index_all();
    }
    let found = symbolizer.symbolize(&addrs);
    let taken = start.elapsed();
    let mut out = BufWriter::new(std::io::stdout().lock());
    if !quiet {
        found.iter().try_for_each(|resolution| print(&mut out, resolution))?;
    }
    out.flush()?;
    let megabytes = symbolizer.index_size() as f64 / 1e6;
    writeln!(std::io::stderr(), "{} addresses in {taken:.3?}, index {megabytes:.1} MB", addrs.len())?;
    Ok(())
}

fn parse(text: &str) -> Option<ObjectAddr> {
    u64::from_str_radix(text.trim_start_matches("0x"), 16).ok().map(ObjectAddr)
}

fn print(out: &mut impl Write, resolution: &Resolution) -> std::io::Result<()> {
    match resolution {
        Resolution::Resolved(chain) => {
            for frame in chain.frames().iter().rev() {
                let name = frame.linkage_name.as_deref().unwrap_or(&frame.name);
                writeln!(out, "{name}")?;
                let file = frame.file.as_deref().unwrap_or("??");
                writeln!(out, "{file}:{}", frame.line.unwrap_or(0))?;
            }
        }
        Resolution::Unresolved(_) => writeln!(out, "??\n??:0")?,
    }
    writeln!(out)
}
