//! Two recordings to the functions that changed, in a few lines.
//!
//! ```text
//! cargo run --example compare_two_profiles -- before.perf after.perf
//! ```

#![expect(clippy::print_stdout, reason = "an example prints")]

use pdiff::{CompareSettings, ReadOptions, RunInput, SideInput, Sides, Source};
use pdiff::{choose_events, compare, read_profile};

fn main() -> Result<(), Box<dyn std::error::Error>> {
    let paths: Vec<String> = std::env::args().skip(1).collect();
    let [before, after] = paths.as_slice() else { return Err("give two files".into()) };
    let read = |path: &String| read_profile(&Source::Path(path.into()), &ReadOptions::new());
    let profiles = [(before.clone(), &read(before)?), (after.clone(), &read(after)?)];
    let events = choose_events(&profiles, None)?;
    let side = |at: usize| {
        let (path, profile) = &profiles[at];
        SideInput::new(path, vec![RunInput::new(path, profile, events[at])])
    };
    let comparison = compare(&Sides { before: side(0), after: side(1) }, &CompareSettings::default());
    for row in comparison.rows.iter().filter(|row| row.significant) {
        println!("{:+.2} points  {}", row.delta_self_pp(), row.name);
    }
    Ok(())
}
