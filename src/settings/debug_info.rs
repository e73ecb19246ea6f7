//! Where binaries and their debug information are looked for. The environment names caches and servers.

use std::path::{Path, PathBuf};
use std::sync::Arc;

use anyhow::{Context, Result, anyhow, bail};
use pdiff_profile::{BuildId, Side};

use super::{LIST, read_file};
use crate::cli::{DebugInfoArgs, LookupArgs};
use crate::debuginfod::Debuginfod;

/// Where binaries are looked for; `None` if they are not to be.
pub(crate) struct DebugInfo {
    pub(crate) binaries_before: Vec<PathBuf>,
    pub(crate) binaries_after: Vec<PathBuf>,
    pub(crate) symfs: Option<PathBuf>,
    pub(crate) build_ids: Vec<(Box<str>, BuildId)>,
    pub(crate) build_id_dirs: Vec<PathBuf>,
    pub(crate) debug_roots: Vec<PathBuf>,
    pub(crate) cache_dir: Option<PathBuf>,
    pub(crate) allow_mismatch: bool,
    pub(crate) debuginfod: Option<Arc<Debuginfod>>,
}

impl DebugInfo {
    /// The binaries given for one side.
    pub(crate) fn binaries(&self, side: Side) -> &[PathBuf] {
        match side {
            Side::Before => &self.binaries_before,
            Side::After => &self.binaries_after,
        }
    }
}

/// What is looked for on two sides, each with binaries of its own.
pub(super) fn debug_info_of_sides(args: &DebugInfoArgs, quiet: bool) -> Result<Option<DebugInfo>> {
    check_files("--binary-before", &args.binary_before)?;
    check_files("--binary-after", &args.binary_after)?;
    Ok(debug_info(&args.lookup, quiet)?.map(|found| DebugInfo {
        binaries_before: args.binary_before.clone(),
        binaries_after: args.binary_after.clone(),
        ..found
    }))
}

/// Whether files given by the user can be read at all.
pub(super) fn check_files(option: &str, paths: &[PathBuf]) -> Result<()> {
    for path in paths {
        let file = std::fs::File::open(path).and_then(|file| file.metadata());
        let file = file.with_context(|| format!("{option}: cannot read {}", path.display()))?;
        if file.is_dir() {
            bail!(
                "{option}: {} is a directory; hint: --symfs looks for files under a directory",
                path.display()
            );
        }
    }
    Ok(())
}

/// What is looked for beyond binaries that are given; `None` where nothing is to be symbolised.
pub(crate) fn debug_info(args: &LookupArgs, quiet: bool) -> Result<Option<DebugInfo>> {
    if let Some(symfs) = args.symfs.as_deref().filter(|symfs| !symfs.is_dir()) {
        bail!("--symfs: {} is not a directory", symfs.display());
    }
    if args.no_symbolize {
        return Ok(None);
    }
    let mut build_ids = Vec::new();
    for path in &args.buildid_list {
        build_ids.extend(read_file(path, LIST, parse_build_ids)?);
    }
    let perf_cache = std::env::var_os("PERF_BUILDID_DIR").filter(|path| !path.is_empty()).map(PathBuf::from);
    Ok(Some(DebugInfo {
        binaries_before: Vec::new(),
        binaries_after: Vec::new(),
        symfs: args.symfs.clone(),
        build_ids,
        build_id_dirs: perf_cache
            .or_else(|| absolute("HOME").map(|home| home.join(".debug")))
            .into_iter()
            .collect(),
        debug_roots: debug_roots(),
        cache_dir: cache_dir(args.cache_dir.as_deref(), args.no_cache)?,
        allow_mismatch: args.ignore_build_id,
        debuginfod: debuginfod(quiet)?,
    }))
}

/// The debuginfod servers that the environment names.
pub(crate) fn debuginfod(quiet: bool) -> Result<Option<Arc<Debuginfod>>> {
    Debuginfod::from_env(|name| std::env::var_os(name), quiet)
}

/// Where distributions put separate debug information.
pub(crate) fn debug_roots() -> Vec<PathBuf> {
    vec![PathBuf::from("/usr/lib/debug")]
}

/// `given`, else `pdiff` in `$XDG_CACHE_HOME` or `~/.cache` (XDG base directory specification).
pub(crate) fn cache_dir(given: Option<&Path>, no_cache: bool) -> Result<Option<PathBuf>> {
    if let Some(path) = given.filter(|path| path.exists() && !path.is_dir()) {
        bail!("--cache-dir: {} is no directory; hint: name one, which is made if need be", path.display());
    }
    if no_cache {
        return Ok(None);
    }
    let user_cache = || {
        let cache = absolute("XDG_CACHE_HOME").or_else(|| Some(absolute("HOME")?.join(".cache")));
        Some(cache?.join("pdiff"))
    };
    Ok(given.map(Path::to_path_buf).or_else(user_cache))
}

/// The directory that a variable names; what is empty or relative would be another one wherever the command runs.
fn absolute(variable: &str) -> Option<PathBuf> {
    std::env::var_os(variable).map(PathBuf::from).filter(|path| path.is_absolute())
}

/// Lines of `perf buildid-list`: build-id, blank, path.
fn parse_build_ids(text: &str) -> Result<Vec<(Box<str>, BuildId)>> {
    let line = |(index, line): (usize, &str)| {
        let (id, path) = line.trim().split_once(char::is_whitespace)?;
        let entry = BuildId::from_hex(id).map(|id| (Box::from(path.trim()), id));
        Some(entry.ok_or_else(|| anyhow!("line {}: '{id}' is not a build-id", index + 1)))
    };
    let entries: Vec<_> = text.lines().enumerate().filter_map(line).collect::<Result<_>>()?;
    if entries.is_empty() {
        bail!("no build-ids in it; hint: make it by `perf buildid-list -i perf.data`");
    }
    Ok(entries)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn build_ids_are_read_as_perf_lists_them() {
        let ids = parse_build_ids("00ff /opt/a b\n\n").unwrap();
        assert_eq!((&*ids[0].0, ids[0].1.to_string().as_str()), ("/opt/a b", "00ff"));
        assert!(parse_build_ids("zz /x\n").is_err());
        assert!(parse_build_ids("\n").is_err());
    }
}
