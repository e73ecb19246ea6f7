//! How many names by structure are right: `structure STRIPPED NAMED TRUTH`, where TRUTH is STRIPPED with its symbols; BASE is
//! the lowest address of files that are not relocated (4194304 for most).

#![expect(clippy::print_stdout, reason = "an example prints its result")]

use std::path::PathBuf;

use pdiff_profile::names::FunctionName;
use pdiff_profile::{ObjectAddr, Resolution};
use pdiff_symbolize::{SymbolizeOptions, names_by_structure, symbolize};

fn main() -> Result<(), Box<dyn std::error::Error>> {
    let paths: Vec<PathBuf> = std::env::args_os().skip(1).map(PathBuf::from).collect();
    let [stripped, named, truth] = paths.as_slice() else { return Err("three files are needed".into()) };
    let options = SymbolizeOptions::new();
    let inferred = names_by_structure(stripped, named, &options)?;
    // Files that are not relocated have addresses of their own.
    let base = std::env::var("BASE").ok().and_then(|base| base.parse().ok()).unwrap_or(0);
    let addrs: Vec<ObjectAddr> = inferred.iter().map(|name| ObjectAddr(name.offset + base)).collect();
    let mut right = 0;
    for (name, is) in inferred.iter().zip(symbolize(truth, &addrs, &options)?) {
        let Resolution::Resolved(chain) = is else { continue };
        let frame = chain.outermost();
        let is = FunctionName::with_linkage(&frame.name, frame.linkage_name.as_deref());
        if is.qualified() == &*name.name {
            right += 1;
        } else {
            println!("{:#x} {} is {}", name.offset, name.name, is.qualified());
        }
    }
    println!("{right} of {} names are right", inferred.len());
    Ok(())
}
