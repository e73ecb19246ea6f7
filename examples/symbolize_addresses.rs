//! Addresses of an ELF file to functions, those inlined there first.
//!
//! ```text
//! cargo run --example symbolize_addresses -- /usr/sbin/mysqld 1e704c5 1e913a0
//! ```

#![expect(clippy::print_stdout, reason = "an example prints")]

use std::path::Path;

use pdiff::profile::{ObjectAddr, Resolution};
use pdiff::symbolize::{SymbolizeOptions, symbolize};

fn main() -> Result<(), Box<dyn std::error::Error>> {
    let mut arguments = std::env::args().skip(1);
    let binary = arguments.next().ok_or("give an ELF file and addresses in hexadecimal")?;
    let parse = |text: String| u64::from_str_radix(text.trim_start_matches("0x"), 16).map(ObjectAddr);
    let addresses = arguments.map(parse).collect::<Result<Vec<_>, _>>()?;
    let found = symbolize(Path::new(&binary), &addresses, &SymbolizeOptions::new())?;
    for (address, resolution) in addresses.iter().zip(&found) {
        println!("{:#x}", address.0);
        match resolution {
            Resolution::Resolved(chain) => chain.frames().iter().rev().for_each(|frame| {
                let file = frame.file.as_deref().unwrap_or("??");
                println!("  {} at {file}:{}", frame.name, frame.line.unwrap_or(0));
            }),
            Resolution::Unresolved(reason) => println!("  no function: {reason}"),
        }
    }
    Ok(())
}
