//! Where binaries and their debug information are looked for. The environment names caches and servers.

use std::path::{Path, PathBuf};

use anyhow::{Context, Result, anyhow, bail};
use pdiff::Lookup;
use pdiff::profile::BuildId;

use super::{LIST, read_file};
use crate::cli::LookupArgs;
#[cfg(feature = "debuginfod")]
use crate::debuginfod::Debuginfod;

/// Whether files given by the user can be read at all.
pub(crate) fn check_files(option: &str, paths: &[PathBuf]) -> Result<()> {
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
pub(crate) fn lookup(args: &LookupArgs, quiet: bool) -> Result<Option<Lookup>> {
    if let Some(symfs) = args.symfs.as_deref().filter(|symfs| !symfs.is_dir()) {
        bail!("--symfs: {} is not a directory", symfs.display());
    }
    if args.no_symbolize {
        return Ok(None);
    }
    let mut lookup = Lookup::new().allow_mismatch(args.ignore_build_id);
    for path in &args.buildid_list {
        lookup = lookup.build_ids(read_file(path, LIST, parse_build_ids)?);
    }
    let perf_cache = std::env::var_os("PERF_BUILDID_DIR").filter(|path| !path.is_empty()).map(PathBuf::from);
    let perf_cache = perf_cache.or_else(|| absolute("HOME").map(|home| home.join(".debug")));
    let cache = cache_dir(args.cache_dir.as_deref(), args.no_cache)?;
    lookup = args.symfs.iter().fold(lookup, Lookup::symfs);
    lookup = perf_cache.into_iter().fold(lookup, Lookup::build_id_dir);
    lookup = cache.into_iter().fold(lookup, Lookup::cache_dir);
    with_servers_asked(lookup, quiet).map(Some)
}

/// Asks the debuginfod servers that the environment names for what is found nowhere else.
#[cfg(feature = "debuginfod")]
pub(crate) fn with_servers_asked(lookup: Lookup, quiet: bool) -> Result<Lookup> {
    Ok(match Debuginfod::from_env(|name| std::env::var_os(name), quiet)? {
        Some(client) => lookup.fetch(move |id, wanted| client.find(id, wanted)),
        None => lookup,
    })
}

/// No server is asked by a program that was built without a client.
#[cfg(not(feature = "debuginfod"))]
#[expect(clippy::unnecessary_wraps, reason = "with a client it can fail")]
pub(crate) fn with_servers_asked(lookup: Lookup, _: bool) -> Result<Lookup> {
    Ok(lookup)
}

/// `given`, else `pdiff` in `$XDG_CACHE_HOME` or `~/.cache` (XDG base directory specification).
pub(crate) fn cache_dir(given: Option<&Path>, no_cache: bool) -> Result<Option<PathBuf>> {
    if let Some(path) = given.filter(|path| path.exists() && !path.is_dir()) {
        bail!("--cache-dir: {} is not a directory; hint: name one, which is made if need be", path.display());
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
        bail!("no build-ids in it; hint: make it with `perf buildid-list -i perf.data`");
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
