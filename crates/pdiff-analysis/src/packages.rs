//! Packages of Rust and Go of which the sides run other versions, by the paths of their sources.
//!
//! In: rows of functions. Out: [`PackageChange`]. A dependency that was upgraded brings many rows and parts; how its own code changed
//! is one number. Paths: `.../registry/src/<index>/<name>-<version>/...` of cargo, `.../pkg/mod/<module>@<version>/...` of Go.

use std::collections::{BTreeMap, BTreeSet};

use pdiff_profile::{PerSide, Presence, Side};

use crate::compare::Row;
use crate::noise::FLOOR_PP;

/// A package that the sides have in other versions, or that one side alone runs.
#[derive(Clone, PartialEq, Debug)]
pub struct PackageChange {
    /// Its name; of Go the path of the module.
    pub name: String,
    /// The versions of each side, sorted; none if it has no samples there.
    pub versions: PerSide<Vec<String>>,
    /// Self of its functions, in percent of each side.
    pub self_pct: PerSide<f64>,
}

/// The packages that changed, the heaviest of either side first. A package is left out if its share is below the floor, if functions that
/// both sides run do not tell its version on one of them, or if the sides have a version in common.
#[must_use]
pub fn package_changes(rows: &[Row]) -> Vec<PackageChange> {
    let mut seen: BTreeMap<&str, (PerSide<BTreeSet<&str>>, PerSide<f64>)> = BTreeMap::new();
    for row in rows {
        let Some((name, version)) = row.file.as_deref().and_then(package) else { continue };
        let (versions, self_pct) = seen.entry(name).or_default();
        self_pct.before += row.before.self_pct;
        self_pct.after += row.after.self_pct;
        // A row of both sides has the path of one of them.
        match row.presence {
            Presence::OnlyBefore => _ = versions.before.insert(version),
            Presence::OnlyAfter => _ = versions.after.insert(version),
            Presence::Both => {}
        }
    }
    let has_changed = |versions: &PerSide<BTreeSet<&str>>, self_pct: &PerSide<f64>| {
        let is_known = |side: Side| !versions[side].is_empty() || self_pct[side] <= 0.0;
        Side::BOTH.into_iter().all(is_known) && versions.before.is_disjoint(&versions.after)
    };
    let heavier = |of: &PerSide<f64>| of.before.max(of.after);
    let changed = seen
        .into_iter()
        .filter(|(_, (versions, self_pct))| heavier(self_pct) >= FLOOR_PP && has_changed(versions, self_pct));
    let mut changes: Vec<PackageChange> = changed
        .map(|(name, (versions, self_pct))| PackageChange {
            name: name.to_owned(),
            versions: versions.map(|of| of.into_iter().map(str::to_owned).collect()),
            self_pct,
        })
        .collect();
    changes.sort_by(|a, b| heavier(&b.self_pct).total_cmp(&heavier(&a.self_pct)));
    changes
}

/// The package and the version of a source file.
fn package(path: &str) -> Option<(&str, &str)> {
    if let Some((_, rest)) = path.split_once("/registry/src/") {
        let folder = rest.split('/').nth(1)?;
        // Of `sha-1-0.10.0-rc.1` what follows the first dash is no version: it has no dot.
        let is_version = |(at, _): &(usize, &str)| {
            let word = folder.get(at + 1..).and_then(|rest| rest.split('-').next()).unwrap_or("");
            word.starts_with(|first: char| first.is_ascii_digit()) && word.contains('.')
        };
        let (at, _) = folder.match_indices('-').find(is_version)?;
        return Some((folder.get(..at)?, folder.get(at + 1..)?));
    }
    let (_, rest) = path.split_once("/pkg/mod/")?;
    let (name, rest) = rest.split_once('@')?;
    Some((name, rest.split('/').next()?))
}

#[cfg(test)]
mod tests {
    use super::package;

    #[test]
    fn paths_of_cargo_and_go_tell_packages() {
        let cargo = "/root/.cargo/registry/src/index.crates.io-6f17d22bba15001f";
        for (path, expected) in [
            (format!("{cargo}/regex-1.5.4/src/dfa.rs"), Some(("regex", "1.5.4"))),
            (format!("{cargo}/regex-automata-0.4.19/src/hybrid/dfa.rs"), Some(("regex-automata", "0.4.19"))),
            (format!("{cargo}/sha-1-0.10.0-rc.1/src/lib.rs"), Some(("sha-1", "0.10.0-rc.1"))),
            (format!("{cargo}/no_version/src/lib.rs"), None),
            (
                "/go/pkg/mod/github.com/klauspost/compress@v1.17.2/zstd/decoder.go".to_owned(),
                Some(("github.com/klauspost/compress", "v1.17.2")),
            ),
            ("/build/src/main.rs".to_owned(), None),
            ("/rustc/5980/library/core/src/num/mod.rs".to_owned(), None),
        ] {
            assert_eq!(package(&path), expected, "{path}");
        }
    }
}
