//! The last test of the root package: one line that says which checks did not run.

fn main() {
    pdiff_testing::print_skipped();
}
