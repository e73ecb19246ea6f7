//! Upgrades of real C programs: what is under another name, split or moved is said so, and is not called new or gone.

#![expect(clippy::unwrap_used, reason = "a test that cannot go on may panic")]

use std::path::Path;

use serde_json::Value;

fn verdicts(program: &str) -> Vec<Value> {
    let directory = Path::new(env!("CARGO_MANIFEST_DIR")).join("fixtures/upgrades").join(program);
    let packs =
        |side: &str| (1..=3).map(|run| directory.join(side).join(format!("{run}.pdiff"))).collect::<Vec<_>>();
    let mut command = pdiff_testing::pdiff();
    command.args(["classify", "--inline-check", "--quiet", "--format", "json"]);
    command.arg("--before").args(packs("before")).arg("--after").args(packs("after"));
    let output = command.output().unwrap();
    assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
    let mut result: Value = serde_json::from_slice(&output.stdout).unwrap();
    result["verdicts"].as_array_mut().unwrap().drain(..).collect()
}

/// The cause of a function, and the reason.
fn of<'a>(verdicts: &'a [Value], function: &str) -> (&'a str, &'a str) {
    let verdict = verdicts.iter().find(|verdict| verdict["function"] == function);
    let verdict = verdict.unwrap_or_else(|| panic!("no verdict on {function}"));
    (verdict["cause"].as_str().unwrap(), verdict["reason"].as_str().unwrap())
}

/// Functions that are called new, gone, heavier or lighter for certain.
fn proved(verdicts: &[Value]) -> Vec<&str> {
    let causes = ["new-overhead", "gone", "newly-active", "heavier", "lighter", "missing-fast-path"];
    let proved = verdicts.iter().filter(|verdict| verdict["confidence"] == "proved");
    let proved = proved.filter(|verdict| causes.contains(&verdict["cause"].as_str().unwrap()));
    proved.map(|verdict| verdict["function"].as_str().unwrap()).collect()
}

#[test]
fn renames_and_splits_of_sqlite_are_found() {
    let verdicts = verdicts("sqlite");
    // The source of 3.46 holds `handleDeferredMoveto` as `sqlite3VdbeFinishMoveto`, word for word.
    for function in ["handleDeferredMoveto", "sqlite3VdbeFinishMoveto"] {
        let (cause, reason) = of(&verdicts, function);
        assert_eq!(cause, "moved", "{function}: {reason}");
    }
    // Tables and indexes were sought by one function, and are by two.
    for function in ["sqlite3BtreeMovetoUnpacked", "sqlite3BtreeTableMoveto", "sqlite3BtreeIndexMoveto"] {
        let (cause, reason) = of(&verdicts, function);
        assert_eq!(cause, "split", "{function}: {reason}");
        assert!(
            reason.contains("sqlite3BtreeIndexMoveto") && reason.contains("sqlite3BtreeTableMoveto"),
            "{reason}"
        );
    }
    for function in ["insertCellFast", "cellSizePtrIdxLeaf"] {
        assert_eq!(of(&verdicts, function).0, "split", "{function}");
    }
    // 3.46 sums with compensation, which 3.24 did not.
    assert_eq!(proved(&verdicts), ["kahanBabuskaNeumaierStep"]);
}

#[test]
fn renames_and_splits_of_lua_are_found() {
    let verdicts = verdicts("lua");
    for (before, after) in [("pack", "tpack"), ("index2addr", "index2value")] {
        for function in [before, after] {
            let (cause, reason) = of(&verdicts, function);
            assert_eq!(cause, "moved", "{function}: {reason}");
            assert!(reason.contains(before) && reason.contains(after), "{reason}");
        }
    }
    // One function freed, allocated and reallocated.
    let parts = ["luaM_free_", "luaM_malloc_", "luaM_realloc_"];
    for function in parts {
        let (cause, reason) = of(&verdicts, function);
        assert_eq!(cause, "split", "{function}: {reason}");
        assert!(parts.iter().all(|part| reason.contains(part)), "{reason}");
    }
    // `precallC` was a branch of `luaD_precall`.
    let (cause, reason) = of(&verdicts, "precallC");
    assert_eq!(cause, "split");
    assert!(reason.contains("luaD_precall"), "{reason}");
    assert_eq!(proved(&verdicts), Vec::<&str>::new());
}
