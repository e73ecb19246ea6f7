//! Debug information from a server on this machine: what it gives, what it gives wrong, and that nobody is asked who
//! was not named.

#![expect(clippy::unwrap_used, reason = "a test that cannot go on may panic")]

use std::io::{BufRead, BufReader, Write};
use std::net::{TcpListener, TcpStream};
use std::path::{Path, PathBuf};
use std::process::{Command, Output};
use std::sync::{Arc, Mutex};

/// The build-id of a file, read from its note without pdiff's code.
fn build_id(file: &Path) -> String {
    let bytes = std::fs::read(file).unwrap();
    let note =
        bytes.windows(16).find(|window| window[..4] == [4, 0, 0, 0] && window[8..] == *b"\x03\0\0\0GNU\0");
    let note = note.unwrap();
    let at = note.as_ptr().addr() - bytes.as_ptr().addr() + 16;
    bytes[at..at + 20].iter().map(|byte| format!("{byte:02x}")).collect()
}

fn fixture(name: &str) -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("fixtures").join(name)
}

/// What a server does about one path.
#[derive(Clone)]
enum Answer {
    Bytes(Vec<u8>),
    Status(u16),
    /// Takes the request and says nothing.
    Silence,
    /// Promises more than it sends.
    Cut(Vec<u8>),
}

/// A server, its address, and the paths it was asked for.
struct Server {
    url: String,
    asked: Arc<Mutex<Vec<String>>>,
}

impl Server {
    fn start(answer: impl Fn(&str) -> Answer + Send + 'static) -> Self {
        let listener = TcpListener::bind("127.0.0.1:0").unwrap();
        let url = format!("http://{}", listener.local_addr().unwrap());
        let asked = Arc::new(Mutex::new(Vec::new()));
        let log = Arc::clone(&asked);
        std::thread::spawn(move || {
            let mut silent = Vec::new();
            for stream in listener.incoming().map_while(Result::ok) {
                if let Some(stream) = serve(stream, &answer, &log) {
                    silent.push(stream);
                }
            }
        });
        Self { url, asked }
    }

    fn asked(&self) -> Vec<String> {
        self.asked.lock().unwrap().clone()
    }
}

/// Answers one request; gives the stream back where silence is to go on.
fn serve(
    mut stream: TcpStream,
    answer: &impl Fn(&str) -> Answer,
    log: &Mutex<Vec<String>>,
) -> Option<TcpStream> {
    let lines = BufReader::new(stream.try_clone().ok()?).lines().map_while(Result::ok);
    let head: Vec<String> = lines.take_while(|line| !line.is_empty()).collect();
    let path = head.first()?.split(' ').nth(1)?.to_owned();
    log.lock().unwrap().push(path.clone());
    let mut send = |status: u16, promised: usize, bytes: &[u8]| {
        let head = format!("HTTP/1.1 {status} X\r\nContent-Length: {promised}\r\nConnection: close\r\n\r\n");
        let _ = stream.write_all(head.as_bytes()).and_then(|()| stream.write_all(bytes));
    };
    match answer(&path) {
        Answer::Bytes(bytes) => send(200, bytes.len(), &bytes),
        Answer::Cut(bytes) => send(200, bytes.len() + 1000, &bytes),
        Answer::Status(status) => send(status, 0, b""),
        Answer::Silence => return Some(stream),
    }
    None
}

/// `pdiff symbolize stripped.elf`, at addresses all over its code, as JSON Lines.
fn symbolize(file: &str, variables: &[(&str, &str)]) -> Output {
    let addresses = (0..64).map(|step| format!("{:#x}", 0x40_0000 + 16 * step));
    let mut command = pdiff_testing::pdiff();
    command.args(["symbolize", "--format", "json"]).arg(fixture(file)).args(addresses);
    run(command, variables)
}

fn run(mut command: Command, variables: &[(&str, &str)]) -> Output {
    for name in ["URLS", "CACHE_PATH", "TIMEOUT", "MAXTIME", "MAXSIZE"] {
        command.env_remove(format!("DEBUGINFOD_{name}"));
    }
    // perf's own build-id cache must not have the files.
    command.env_remove("PERF_BUILDID_DIR").env("HOME", "/nonexistent");
    command.envs(variables.iter().copied()).output().unwrap()
}

fn text(bytes: &[u8]) -> String {
    String::from_utf8(bytes.to_vec()).unwrap()
}

/// What symbolising gives with the debug information at hand, and without.
fn known_and_unknown() -> (String, String) {
    let known = text(&symbolize("inlines/before.elf", &[]).stdout);
    let unknown = text(&symbolize("inlines/stripped.elf", &[]).stdout);
    assert!(known.contains("\"inlined\":true") && !unknown.contains("\"inlined\":true"), "{known} {unknown}");
    (known, unknown)
}

#[test]
fn a_debug_file_comes_from_the_server_once_and_then_from_the_cache() {
    let (known, _) = known_and_unknown();
    let id = build_id(&fixture("inlines/stripped.elf"));
    let wanted = format!("/prefix/buildid/{id}/debuginfo");
    let (path, bytes) = (wanted.clone(), std::fs::read(fixture("inlines/before.elf")).unwrap());
    let server = Server::start(move |asked| match asked == path {
        true => Answer::Bytes(bytes.clone()),
        false => Answer::Status(404),
    });
    let cache = tempfile::tempdir().unwrap();
    let urls = format!("{}/prefix/", server.url);
    let variables = [("DEBUGINFOD_URLS", &*urls), ("DEBUGINFOD_CACHE_PATH", cache.path().to_str().unwrap())];
    for _ in 0..2 {
        let output = symbolize("inlines/stripped.elf", &variables);
        assert_eq!(text(&output.stdout), known);
        assert_eq!(text(&output.stderr), "");
        assert_eq!(server.asked(), std::slice::from_ref(&wanted));
    }
    let kept = std::fs::read(cache.path().join(&id).join("debuginfo")).unwrap();
    assert_eq!(kept, std::fs::read(fixture("inlines/before.elf")).unwrap());
    // What stands in the cache is not believed either.
    std::fs::write(cache.path().join(&id).join("debuginfo"), b"").unwrap();
    assert_eq!(text(&symbolize("inlines/stripped.elf", &variables).stdout), known);
    assert_eq!(server.asked().len(), 2);
}

#[test]
fn what_no_server_has_is_no_trouble() {
    let (_, unknown) = known_and_unknown();
    let (first, second) = (Server::start(|_| Answer::Status(404)), Server::start(|_| Answer::Status(404)));
    let cache = tempfile::tempdir().unwrap();
    let urls = format!("ima:ignore {} {}", first.url, second.url);
    let variables = [("DEBUGINFOD_URLS", &*urls), ("DEBUGINFOD_CACHE_PATH", cache.path().to_str().unwrap())];
    let output = symbolize("inlines/stripped.elf", &variables);
    assert_eq!((text(&output.stdout), text(&output.stderr)), (unknown, String::new()));
    assert_eq!((first.asked().len(), second.asked().len()), (1, 1));
}

/// A server that gives something of no use: one line about it, the next server is asked, nothing is kept.
fn check_useless(answer: Answer, more: &[(&str, &str)], complaint: &str) {
    let (known, unknown) = known_and_unknown();
    let bytes = std::fs::read(fixture("inlines/before.elf")).unwrap();
    for second in [Answer::Status(404), Answer::Bytes(bytes)] {
        let expected = if matches!(second, Answer::Bytes(_)) { &known } else { &unknown };
        let answer = answer.clone();
        let (first, second) =
            (Server::start(move |_| answer.clone()), Server::start(move |_| second.clone()));
        let cache = tempfile::tempdir().unwrap();
        let urls = format!("{} {}", first.url, second.url);
        let fixed = [("DEBUGINFOD_URLS", &*urls), ("DEBUGINFOD_CACHE_PATH", cache.path().to_str().unwrap())];
        let output = symbolize("inlines/stripped.elf", &[&fixed, more].concat());
        let stderr = text(&output.stderr);
        assert!(output.status.success(), "{stderr}");
        assert_eq!(&text(&output.stdout), expected, "{complaint}");
        assert!(stderr.contains(complaint) && stderr.lines().count() == 1, "{complaint}: {stderr}");
        assert!(stderr.contains(&first.url), "{stderr}");
        assert_eq!(second.asked().len(), 1);
    }
}

#[test]
fn an_answer_that_is_no_elf_file_is_not_used() {
    check_useless(Answer::Bytes(b"<html>sign in first</html>".to_vec()), &[], "is not a usable ELF file");
    check_useless(Answer::Bytes(Vec::new()), &[], "its answer is not usable");
}

#[test]
fn a_file_of_another_build_id_is_not_used() {
    let other = std::fs::read(fixture("inlines/after.elf")).unwrap();
    check_useless(Answer::Bytes(other), &[], "its answer is another file");
}

#[test]
fn a_file_over_the_limit_is_not_used() {
    let (_, unknown) = known_and_unknown();
    let large = std::fs::read(fixture("inlines/before.elf")).unwrap();
    let server = Server::start(move |_| Answer::Bytes(large.clone()));
    let cache = tempfile::tempdir().unwrap();
    let variables = [
        ("DEBUGINFOD_URLS", &*server.url),
        ("DEBUGINFOD_CACHE_PATH", cache.path().to_str().unwrap()),
        ("DEBUGINFOD_MAXSIZE", "1000"),
    ];
    let output = symbolize("inlines/stripped.elf", &variables);
    let stderr = text(&output.stderr);
    assert_eq!(text(&output.stdout), unknown);
    assert!(stderr.contains("larger than 1000 bytes; hint: DEBUGINFOD_MAXSIZE"), "{stderr}");
    let kept: Vec<_> =
        std::fs::read_dir(cache.path().join(build_id(&fixture("inlines/stripped.elf")))).unwrap().collect();
    assert!(kept.is_empty(), "{kept:?}");
}

#[test]
fn a_server_that_fails_hangs_or_breaks_off_is_left() {
    check_useless(Answer::Status(500), &[], "is not asked again");
    check_useless(Answer::Silence, &[("DEBUGINFOD_TIMEOUT", "1")], "timeout");
    let part = std::fs::read(fixture("inlines/before.elf")).unwrap()[..100].to_vec();
    check_useless(Answer::Cut(part), &[], "is not asked again");
}

/// The same comparison of two recordings, with files from somewhere.
fn compare(more: &[&str], variables: &[(&str, &str)]) -> (serde_json::Value, String) {
    let list = tempfile::NamedTempFile::new().unwrap();
    let mut lines = String::new();
    for side in ["before", "after"] {
        let id = build_id(&fixture(&format!("inline-only/{side}/orders")));
        lines += &format!("{id} /tmp/inline-only/{side}/orders\n");
    }
    std::fs::write(&list, lines).unwrap();
    let root = tempfile::tempdir().unwrap();
    let mut command = pdiff_testing::pdiff();
    let captures = ["before", "after"].map(|side| fixture(&format!("inline-only/{side}-r1.perf.zst")));
    command
        .arg("compare")
        .args(captures)
        .args(["--no-cache", "--format", "json", "--symfs"])
        .arg(root.path());
    command.arg("--buildid-list").arg(list.path()).args(more);
    let output = run(command, variables);
    assert!(output.status.success(), "{}", text(&output.stderr));
    (serde_json::from_slice(&output.stdout).unwrap(), text(&output.stderr))
}

#[test]
fn a_program_that_is_not_on_this_machine_comes_by_its_build_id() {
    let files: Vec<(String, Vec<u8>)> = ["before", "after"]
        .map(|side| fixture(&format!("inline-only/{side}/orders")))
        .map(|path| (format!("/buildid/{}/executable", build_id(&path)), std::fs::read(&path).unwrap()))
        .into();
    let server = Server::start(move |asked| {
        let found = files.iter().find(|(path, _)| path == asked);
        found.map_or(Answer::Status(404), |(_, bytes)| Answer::Bytes(bytes.clone()))
    });
    let cache = tempfile::tempdir().unwrap();
    let variables =
        [("DEBUGINFOD_URLS", &*server.url), ("DEBUGINFOD_CACHE_PATH", cache.path().to_str().unwrap())];
    let (fetched, stderr) = compare(&[], &variables);
    assert_eq!(stderr, "");
    let binaries = ["before", "after"].map(|side| fixture(&format!("inline-only/{side}/orders")));
    let [before, after] = binaries.each_ref().map(|path| path.to_str().unwrap());
    let (given, _) = compare(&["--binary-before", before, "--binary-after", after], &[]);
    assert_eq!(fetched["functions"], given["functions"]);
    assert_eq!(fetched["families"].as_array().unwrap().len(), 2);
    assert_eq!(server.asked().len(), 2, "{:?}", server.asked());
    let (without, _) = compare(&[], &[]);
    assert!(without["families"].as_array().unwrap().is_empty());
}

#[test]
fn nobody_is_asked_whom_the_environment_does_not_name() {
    // Whoever speaks HTTP speaks to the proxy, wherever he wants to go.
    let proxy = Server::start(|_| Answer::Status(404));
    let cache = tempfile::tempdir().unwrap();
    let proxies = ["http_proxy", "https_proxy", "all_proxy", "HTTP_PROXY", "HTTPS_PROXY", "ALL_PROXY"]
        .map(|name| (name, &*proxy.url));
    let check = |urls: Option<&str>, connects: bool| {
        let urls = urls.map(|urls| ("DEBUGINFOD_URLS", urls));
        let place = ("DEBUGINFOD_CACHE_PATH", cache.path().to_str().unwrap());
        let variables: Vec<_> = proxies.iter().copied().chain(urls).chain([place]).collect();
        symbolize("inlines/stripped.elf", &variables);
        compare(&[], &variables);
        assert_eq!(!proxy.asked().is_empty(), connects, "{urls:?}: {:?}", proxy.asked());
    };
    check(None, false);
    check(Some(""), false);
    check(Some(" "), false);
    check(Some("http://debuginfod.invalid"), true);
}

#[test]
fn an_odd_environment_is_one_clear_line() {
    let check = |variables: &[(&str, &str)], complaint: &str| {
        let output = symbolize("inlines/stripped.elf", variables);
        let stderr = text(&output.stderr);
        assert_eq!(output.status.code(), Some(2), "{stderr}");
        assert!(stderr.contains(complaint) && stderr.lines().count() == 1, "{stderr}");
    };
    let cache = ("DEBUGINFOD_CACHE_PATH", "/nonexistent/x");
    check(&[("DEBUGINFOD_URLS", "debuginfod.example.org"), cache], "does not begin with http://");
    check(&[("DEBUGINFOD_URLS", "http://"), cache], "DEBUGINFOD_URLS: 'http://'");
    check(
        &[("DEBUGINFOD_URLS", "http://127.0.0.1:9"), ("DEBUGINFOD_TIMEOUT", "-3"), cache],
        "DEBUGINFOD_TIMEOUT: '-3' is not a whole number",
    );
}
