//! Debug information from debuginfod servers: only where `DEBUGINFOD_URLS` names some, else no connection is made.
//!
//! In: the environment variables of elfutils' client (`DEBUGINFOD_URLS`, `_CACHE_PATH`, `_TIMEOUT`, `_MAXTIME`, `_MAXSIZE`). Out:
//! paths of files in the cache that clients of elfutils use too, each checked for its build-id. A server that fails is
//! reported once and not asked again; a file that no server has is not asked for twice.

use std::collections::HashMap;
use std::ffi::OsString;
use std::fmt;
use std::io::{Read, Write};
use std::path::{Path, PathBuf};
use std::sync::{Mutex, PoisonError};
use std::time::{Duration, Instant};

use anyhow::{Context, Result, bail};
use debuginfod::{Client, HttpClient, HttpClientError, Readable};
use pdiff::profile::{BuildId, ObjectId};
use pdiff::symbolize::{SymbolizeOptions, Symbolizer, Wanted};

use crate::progress_bar::ProgressBar;
use crate::{complain, one_line};

/// Largest file taken unless `DEBUGINFOD_MAXSIZE` says another size.
const MAX_DOWNLOAD_BYTES: u64 = 8 << 30;
/// How long a server may send less than [`MIN_PROGRESS_BYTES`], unless `DEBUGINFOD_TIMEOUT` says otherwise.
const TIMEOUT: Duration = Duration::from_secs(90);
/// What a server must send within the timeout; as elfutils has it.
const MIN_PROGRESS_BYTES: u64 = 100 * 1024;
/// Bytes read at a time.
const CHUNK_BYTES: usize = 64 * 1024;

/// A client of the servers that the environment names.
pub(crate) struct Debuginfod {
    limits: Limits,
    cache_dir: PathBuf,
    quiet: bool,
    state: Mutex<State>,
}

#[derive(Clone, Copy, Debug)]
struct Limits {
    /// `None`: for ever.
    timeout: Option<Duration>,
    /// For one file; `None`: for ever.
    max_time: Option<Duration>,
    max_bytes: u64,
}

/// One download at a time, so that a server that hangs is found out once.
struct State {
    servers: Vec<Server>,
    asked: HashMap<(BuildId, Name), Option<PathBuf>>,
    has_complained_of_cache: bool,
}

struct Server {
    url: String,
    debug_info: Client,
    executable: Client,
}

/// What the file is called in the protocol and in the cache.
type Name = &'static str;

fn name_of(wanted: Wanted) -> Name {
    match wanted {
        Wanted::Executable => "executable",
        Wanted::DebugInfo => "debuginfo",
    }
}

impl Debuginfod {
    /// The client, if `DEBUGINFOD_URLS` names servers. `variable` reads the environment.
    pub(crate) fn from_env(variable: impl Fn(&str) -> Option<OsString>, quiet: bool) -> Result<Option<Self>> {
        let urls = variable("DEBUGINFOD_URLS").unwrap_or_default();
        let urls = urls.to_string_lossy();
        // `ima:...` tells elfutils how to check signatures of what is after it.
        let mut urls = urls.split_whitespace().filter(|url| !url.starts_with("ima:")).peekable();
        if urls.peek().is_none() {
            return Ok(None);
        }
        let seconds = |name: &str| number(&variable, name).map(|seconds| seconds.map(Duration::from_secs));
        let is_some_time = |time: &Duration| !time.is_zero();
        let limits = Limits {
            timeout: Some(seconds("DEBUGINFOD_TIMEOUT")?.unwrap_or(TIMEOUT)).filter(is_some_time),
            max_time: seconds("DEBUGINFOD_MAXTIME")?.filter(is_some_time),
            max_bytes: number(&variable, "DEBUGINFOD_MAXSIZE")?
                .filter(|bytes| *bytes > 0)
                .unwrap_or(MAX_DOWNLOAD_BYTES),
        };
        let Some(cache_dir) = cache_dir(&variable) else {
            bail!(
                "DEBUGINFOD_URLS is set, but there is no directory for its files; hint: set DEBUGINFOD_CACHE_PATH"
            );
        };
        let servers = urls.map(|url| Server::new(url, limits)).collect::<Result<_>>()?;
        let state = State { servers, asked: HashMap::new(), has_complained_of_cache: false };
        Ok(Some(Self { limits, cache_dir, quiet, state: Mutex::new(state) }))
    }

    /// A file from the cache, else from the first server that has it.
    pub(crate) fn find(&self, id: &BuildId, wanted: Wanted) -> Option<PathBuf> {
        let mut state = self.state.lock().unwrap_or_else(PoisonError::into_inner);
        let key = (id.clone(), name_of(wanted));
        if let Some(known) = state.asked.get(&key) {
            return known.clone();
        }
        let found = self.cached(id, wanted).or_else(|| self.download(&mut state, id, wanted));
        state.asked.insert(key, found.clone());
        found
    }

    fn path(&self, id: &BuildId, wanted: Wanted) -> PathBuf {
        self.cache_dir.join(id.to_string()).join(name_of(wanted))
    }

    /// elfutils keeps an empty file for what no server had; such a one, or a damaged one, is not a hit.
    fn cached(&self, id: &BuildId, wanted: Wanted) -> Option<PathBuf> {
        let path = self.path(id, wanted);
        check_build_id(&path, id).is_ok().then_some(path)
    }

    fn download(&self, state: &mut State, id: &BuildId, wanted: Wanted) -> Option<PathBuf> {
        let mut at = 0;
        while let Some(server) = state.servers.get(at) {
            match self.download_from(server, id, wanted) {
                Ok(Some(path)) => return Some(path),
                Ok(None) => at += 1,
                Err(Trouble::Cache(error)) => {
                    if !std::mem::replace(&mut state.has_complained_of_cache, true) {
                        warn(&format!("files from debuginfod servers cannot be kept: {}", one_line(&error)));
                    }
                    return None;
                }
                Err(Trouble::File(error)) => {
                    warn(&format!("{} of debuginfod server {}: {}", id, server.url, one_line(&error)));
                    at += 1;
                }
                Err(Trouble::Server(error)) => {
                    warn(&format!(
                        "debuginfod server {} is not asked again: {}",
                        server.url,
                        one_line(&error)
                    ));
                    state.servers.remove(at);
                }
            }
        }
        None
    }

    fn download_from(
        &self,
        server: &Server,
        id: &BuildId,
        wanted: Wanted,
    ) -> Result<Option<PathBuf>, Trouble> {
        let hex = id.to_string();
        let client = match wanted {
            Wanted::Executable => &server.executable,
            Wanted::DebugInfo => &server.debug_info,
        };
        let build_id = debuginfod::BuildId::formatted(hex);
        let Some(response) = client.fetch_debug_info(&build_id).map_err(Trouble::Server)? else {
            return Ok(None);
        };
        let path = self.path(id, wanted);
        let directory = path.parent().unwrap_or(&self.cache_dir);
        let file = make_file(directory).map_err(Trouble::Cache)?;
        let progress = ProgressBar::new(format!("{} {id} from {}", name_of(wanted), server.url), self.quiet);
        self.copy(response.data, &file, &progress)?;
        check_build_id(file.path(), id).map_err(Trouble::File)?;
        file.persist(&path).with_context(|| format!("writing {}", path.display())).map_err(Trouble::Cache)?;
        Ok(Some(path))
    }

    /// Copies what a server sends, as long as it sends enough of it and not too much.
    fn copy(
        &self,
        mut from: impl Read,
        to: &tempfile::NamedTempFile,
        progress: &ProgressBar,
    ) -> Result<(), Trouble> {
        let mut chunk = vec![0; CHUNK_BYTES];
        let (mut bytes, mut started, mut bytes_then) = (0_u64, Instant::now(), 0_u64);
        loop {
            let read = from.read(&mut chunk).context("reading its answer").map_err(Trouble::Server)?;
            let Some(part) = chunk.get(..read).filter(|part| !part.is_empty()) else { return Ok(()) };
            bytes += part.len() as u64;
            if bytes > self.limits.max_bytes {
                let limit = self.limits.max_bytes;
                return Err(Trouble::File(anyhow::anyhow!(
                    "larger than {limit} bytes; hint: DEBUGINFOD_MAXSIZE sets the limit"
                )));
            }
            to.as_file().write_all(part).context("writing a file").map_err(Trouble::Cache)?;
            progress.update(bytes, None);
            if self.limits.timeout.is_some_and(|timeout| started.elapsed() >= timeout) {
                if bytes - bytes_then < MIN_PROGRESS_BYTES {
                    return Err(Trouble::Server(anyhow::anyhow!("too slow: {bytes} bytes so far")));
                }
                (started, bytes_then) = (Instant::now(), bytes);
            }
        }
    }
}

impl fmt::Debug for Debuginfod {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Debuginfod").field("cache_dir", &self.cache_dir).finish_non_exhaustive()
    }
}

/// What went wrong, by what is done about it.
enum Trouble {
    /// Nothing can be kept.
    Cache(anyhow::Error),
    /// This file of this server is of no use.
    File(anyhow::Error),
    /// The server is of no use.
    Server(anyhow::Error),
}

fn warn(text: &str) {
    complain(&format!("pdiff: warning: {text}"));
}

fn make_file(directory: &Path) -> Result<tempfile::NamedTempFile> {
    std::fs::create_dir_all(directory)
        .and_then(|()| tempfile::NamedTempFile::new_in(directory))
        .with_context(|| format!("writing to {}", directory.display()))
}

/// Whether a file is an ELF file of that build-id.
fn check_build_id(path: &Path, id: &BuildId) -> Result<()> {
    let file = Symbolizer::open(path, &SymbolizeOptions::new()).context("its answer is not usable")?;
    match file.object_id() {
        ObjectId::BuildId(found) if found == id => Ok(()),
        found => bail!("its answer is another file: {found}"),
    }
}

/// A whole number in a variable; `None` if it is not set or empty.
fn number(variable: &impl Fn(&str) -> Option<OsString>, name: &str) -> Result<Option<u64>> {
    let Some(value) = variable(name).filter(|value| !value.is_empty()) else { return Ok(None) };
    let value = value.to_string_lossy();
    let number = value.trim().parse().ok();
    number.map(Some).with_context(|| format!("{name}: '{value}' is not a whole number"))
}

/// Where elfutils' client keeps its files.
fn cache_dir(variable: &impl Fn(&str) -> Option<OsString>) -> Option<PathBuf> {
    let path = |name: &str| variable(name).filter(|value| !value.is_empty()).map(PathBuf::from);
    let home = path("HOME");
    let early = home.as_ref().map(|home| home.join(".debuginfod_client_cache"));
    path("DEBUGINFOD_CACHE_PATH").or_else(|| early.filter(|early| early.is_dir())).or_else(|| {
        let user_cache = path("XDG_CACHE_HOME").filter(|path| path.is_absolute());
        let user_cache = user_cache.or_else(|| home.map(|home| home.join(".cache")))?;
        Some(user_cache.join("debuginfod_client"))
    })
}

impl Server {
    fn new(url: &str, limits: Limits) -> Result<Self> {
        if !(url.starts_with("http://") || url.starts_with("https://")) {
            bail!("DEBUGINFOD_URLS: '{url}' does not begin with http:// or https://");
        }
        let client = |wanted| {
            let transport =
                Transport { base: url.trim_end_matches('/').to_owned(), wanted, agent: agent(limits) };
            let client = Client::builder().http_client(transport).build([url]);
            let client = client.with_context(|| format!("DEBUGINFOD_URLS: '{url}'"))?;
            client.with_context(|| format!("DEBUGINFOD_URLS: '{url}' is not a URL"))
        };
        let (debug_info, executable) =
            (client(name_of(Wanted::DebugInfo))?, client(name_of(Wanted::Executable))?);
        Ok(Self { url: url.to_owned(), debug_info, executable })
    }
}

fn agent(limits: Limits) -> ureq::Agent {
    let config = ureq::Agent::config_builder()
        .http_status_as_error(false)
        .user_agent(concat!("pdiff/", env!("CARGO_PKG_VERSION")))
        .timeout_resolve(limits.timeout)
        .timeout_connect(limits.timeout)
        .timeout_recv_response(limits.timeout)
        .timeout_per_read(limits.timeout)
        .timeout_global(limits.max_time);
    config.build().into()
}

/// How the client of the protocol speaks HTTP. It knows only of debug information, at the root of a server: the rest of
/// the base URL and the name of the file are put in here.
#[derive(Debug)]
struct Transport {
    base: String,
    wanted: Name,
    agent: ureq::Agent,
}

impl HttpClient for Transport {
    fn get(&self, url: &str) -> Result<Box<dyn Readable>, HttpClientError> {
        let (_, id) = url.rsplit_once("/buildid/").unwrap_or_default();
        let id = id.split('/').next().unwrap_or_default();
        let url = format!("{}/buildid/{id}/{}", self.base, self.wanted);
        let response = self.agent.get(url).call().map_err(|error| HttpClientError::Other(error.into()))?;
        match response.status() {
            status if status.is_success() => Ok(Box::new(Answer(response.into_body().into_reader()))),
            status => Err(HttpClientError::StatusCode(status)),
        }
    }
}

/// The bytes of an answer.
struct Answer(ureq::BodyReader<'static>);

impl Read for Answer {
    fn read(&mut self, buffer: &mut [u8]) -> std::io::Result<usize> {
        self.0.read(buffer)
    }
}

impl fmt::Debug for Answer {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("Answer")
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn from(variables: &[(&str, &str)]) -> Result<Option<Debuginfod>> {
        let variable = |name: &str| {
            variables.iter().find(|(known, _)| *known == name).map(|(_, value)| OsString::from(value))
        };
        Debuginfod::from_env(variable, true)
    }

    #[test]
    fn without_servers_there_is_no_client() {
        let check = |urls| {
            assert!(from(&[("DEBUGINFOD_URLS", urls), ("HOME", "/nobody")]).unwrap().is_none(), "{urls:?}");
        };
        check("");
        check("  \n");
        check("ima:enforcing");
        assert!(from(&[("HOME", "/nobody")]).unwrap().is_none());
    }

    #[test]
    fn files_go_where_other_clients_look_for_them() {
        let check = |variables: &[(&str, &str)], expected: &str| {
            let variables = [&[("DEBUGINFOD_URLS", "http://[::1]:1")], variables].concat();
            assert_eq!(from(&variables).unwrap().unwrap().cache_dir, Path::new(expected));
        };
        check(&[("HOME", "/nobody")], "/nobody/.cache/debuginfod_client");
        check(&[("HOME", "/nobody"), ("XDG_CACHE_HOME", "/cache")], "/cache/debuginfod_client");
        check(&[("HOME", "/nobody"), ("XDG_CACHE_HOME", "cache")], "/nobody/.cache/debuginfod_client");
        check(&[("DEBUGINFOD_CACHE_PATH", "/own"), ("HOME", "/nobody")], "/own");
    }

    #[test]
    fn odd_variables_are_told_of() {
        let check = |name: &str, value: &str, expected: &str| {
            let variables = [("HOME", "/nobody"), (name, value), ("DEBUGINFOD_URLS", "http://[::1]:1")];
            let error = from(&variables).unwrap_err();
            assert!(one_line(&error).contains(expected), "{error:#}");
        };
        check("DEBUGINFOD_TIMEOUT", "soon", "DEBUGINFOD_TIMEOUT: 'soon' is not a whole number");
        check("DEBUGINFOD_MAXSIZE", "-1", "DEBUGINFOD_MAXSIZE: '-1' is not a whole number");
        check("DEBUGINFOD_URLS", "file:///srv", "'file:///srv' does not begin with http:// or https://");
        assert!(
            one_line(&from(&[("DEBUGINFOD_URLS", "http://[::1]:1")]).unwrap_err())
                .contains("DEBUGINFOD_CACHE_PATH")
        );
    }
}
