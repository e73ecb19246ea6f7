//! The report's scripts without a browser, by node's own test runner.

use std::path::Path;

#[test]
fn the_report_s_tree_is_turned_and_joined_without_loss() {
    let Some(mut node) = pdiff_testing::tool("node") else { return };
    let root = Path::new(env!("CARGO_MANIFEST_DIR"));
    let output = node.arg("--test").arg(root.join("tests/scripts/")).output().unwrap();
    let said = String::from_utf8_lossy(&output.stdout);
    assert!(output.status.success(), "{said}");
    assert!(said.contains("# pass 8") || said.contains("pass 8"), "{said}");
}

#[test]
fn each_script_of_the_report_can_be_read_by_node() {
    let assets = Path::new(env!("CARGO_MANIFEST_DIR")).join("crates/pdiff-render/assets");
    for file in std::fs::read_dir(assets).unwrap().map(|entry| entry.unwrap().path()) {
        if file.extension().is_some_and(|extension| extension == "js") {
            let Some(mut node) = pdiff_testing::tool("node") else { return };
            let output = node.arg("--check").arg(&file).output().unwrap();
            assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
        }
    }
}
