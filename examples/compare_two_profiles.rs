//! Two recordings and their binaries to the functions that changed most, inlined ones with rows of their own.
//!
//! ```text
//! cargo run --example compare_two_profiles -- before.perf before/server after.perf after/server
//! ```

#![expect(clippy::print_stdout, reason = "an example prints")]

use pdiff::{Build, By, Comparer};

fn main() -> Result<(), Box<dyn std::error::Error>> {
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    let [before, old, after, new] = arguments.as_slice() else { return Err("give four files".into()) };
    let (before, after) = (Build::recordings([before]).binary(old), Build::recordings([after]).binary(new));
    let comparison = Comparer::new().before(before).after(after).prepare()?.compare(By::Function);
    for row in comparison.rows.iter().take(20) {
        println!("{:+.2} points  {}", row.delta_self_pp(), row.name);
    }
    Ok(())
}
