//! The last test of `cargo test --workspace`: one line that says which checks did not run.

fn main() {
    pdiff_testing::print_skipped();
}
