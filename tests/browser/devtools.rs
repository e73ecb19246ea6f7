//! A page in Chromium, worked by real clicks and keys through the DevTools protocol.
//!
//! The browser reads commands from its file 3 and writes answers to its file 4 (`--remote-debugging-pipe`): JSON, each
//! message ended by a zero byte. Both are named pipes, which a shell opens before it becomes the browser.

use std::collections::HashSet;
use std::fs::File;
use std::io::{BufRead, BufReader, Write};
use std::path::Path;
use std::process::{Child, Command, Stdio};

use serde_json::{Value, json};

/// Longest life of a browser, in seconds: a page that never answers must fail a test, not hang it.
const LIFETIME_S: &str = "300";

/// One open page.
pub(crate) struct Page {
    commands: File,
    answers: BufReader<File>,
    browser: Child,
    _directory: tempfile::TempDir,
    session: Value,
    last_id: u64,
    loaded: bool,
    /// What the page complained of: console messages, log entries, exceptions.
    pub(crate) complaints: Vec<String>,
    /// Addresses that the page asked for, its own first.
    pub(crate) requests: Vec<String>,
}

impl Page {
    /// Opens a file in a window of this many pixels.
    pub(crate) fn open(browser: &Path, file: &Path, size: (u32, u32)) -> Self {
        Self::open_at(browser, file, "", size)
    }

    /// Opens a file whose scripts do not run.
    pub(crate) fn open_without_scripts(browser: &Path, file: &Path, size: (u32, u32)) -> Self {
        let mut page = Self::start(browser, size);
        page.call("Emulation.setScriptExecutionDisabled", json!({"value": true}));
        page.go_to(file, "");
        page
    }

    /// Opens a file at an address within it.
    pub(crate) fn open_at(browser: &Path, file: &Path, address: &str, size: (u32, u32)) -> Self {
        let mut page = Self::start(browser, size);
        page.go_to(file, address);
        page
    }

    fn go_to(&mut self, file: &Path, address: &str) {
        self.loaded = false;
        self.call("Page.navigate", json!({"url": format!("file://{}{address}", file.display())}));
        while !self.loaded {
            self.hear();
        }
    }

    /// An empty page in a window of this many pixels.
    fn start(browser: &Path, (width, height): (u32, u32)) -> Self {
        let directory = tempfile::tempdir().unwrap();
        let [commands, answers] = ["commands", "answers"].map(|name| directory.path().join(name));
        assert!(Command::new("mkfifo").args([&commands, &answers]).status().unwrap().success());
        let script = "commands=$1; answers=$2; shift 2; exec \"$@\" 3<\"$commands\" 4>\"$answers\"";
        let browser = Command::new("sh")
            .args(["-c", script, "sh"])
            .args([&commands, &answers])
            .args(["timeout", LIFETIME_S])
            .arg(browser)
            .args([
                "--headless",
                "--no-sandbox",
                "--disable-gpu",
                "--disable-dev-shm-usage",
                "--remote-debugging-pipe",
            ])
            .args(["--no-first-run", "--disable-background-networking"])
            .arg(format!("--user-data-dir={}", directory.path().join("profile").display()))
            .stdout(Stdio::null())
            .stderr(Stdio::null())
            .spawn()
            .unwrap();
        let mut page = Self {
            commands: File::options().write(true).open(&commands).unwrap(),
            answers: BufReader::new(File::open(&answers).unwrap()),
            browser,
            _directory: directory,
            session: Value::Null,
            last_id: 0,
            loaded: false,
            complaints: Vec::new(),
            requests: Vec::new(),
        };
        let target = page.call("Target.createTarget", json!({"url": "about:blank"}))["targetId"].take();
        let attached = page.call("Target.attachToTarget", json!({"targetId": target, "flatten": true}));
        page.session = attached["sessionId"].clone();
        for domain in ["Page", "Runtime", "Log", "Network"] {
            page.call(&format!("{domain}.enable"), json!({}));
        }
        page.resize(width, height);
        page
    }

    /// Sets the size of the window.
    pub(crate) fn resize(&mut self, width: u32, height: u32) {
        let size = json!({"width": width, "height": height, "deviceScaleFactor": 1, "mobile": false});
        self.call("Emulation.setDeviceMetricsOverride", size);
    }

    /// A command's result.
    pub(crate) fn call(&mut self, method: &str, parameters: Value) -> Value {
        self.last_id += 1;
        let mut message = json!({"id": self.last_id, "method": method, "params": parameters});
        if !self.session.is_null() {
            message["sessionId"] = self.session.clone();
        }
        self.commands.write_all(format!("{message}\0").as_bytes()).unwrap();
        loop {
            let mut answer = self.hear();
            if answer["id"] == self.last_id {
                assert!(answer["error"].is_null(), "{method}: {}", answer["error"]);
                return answer["result"].take();
            }
        }
    }

    /// The next message; events are noted down.
    fn hear(&mut self) -> Value {
        let mut bytes = Vec::new();
        self.answers.read_until(0, &mut bytes).unwrap();
        assert_eq!(bytes.pop(), Some(0), "the browser went away");
        let message: Value = serde_json::from_slice(&bytes).unwrap();
        match message["method"].as_str().unwrap_or_default() {
            "Page.loadEventFired" => self.loaded = true,
            "Runtime.consoleAPICalled" | "Runtime.exceptionThrown" | "Log.entryAdded" => {
                self.complaints.push(message["params"].to_string());
            }
            "Network.requestWillBeSent" => {
                let url = message["params"]["request"]["url"].as_str().unwrap();
                self.requests.push(url.to_owned());
            }
            _ => {}
        }
        message
    }

    /// What an expression is worth in the page.
    pub(crate) fn value(&mut self, expression: &str) -> Value {
        let asked = json!({"expression": expression, "returnByValue": true, "awaitPromise": true});
        let mut result = self.call("Runtime.evaluate", asked);
        assert!(result["exceptionDetails"].is_null(), "{expression}: {}", result["exceptionDetails"]);
        result["result"]["value"].take()
    }

    /// What an expression counts.
    pub(crate) fn count(&mut self, expression: &str) -> u64 {
        self.value(expression).as_u64().unwrap_or_else(|| panic!("{expression} is no count"))
    }

    /// Text of an expression.
    pub(crate) fn text(&mut self, expression: &str) -> String {
        self.value(expression).as_str().unwrap_or_else(|| panic!("{expression} is no text")).to_owned()
    }

    /// How many sheets of A4 the page takes on paper.
    pub(crate) fn sheets(&mut self) -> u64 {
        let paper = json!({"paperWidth": 8.27, "paperHeight": 11.69, "printBackground": true});
        let pdf = self.call("Page.printToPDF", paper);
        let sheets = r"(atob('PDF').match(/\/Type \/Page\n/g) || []).length";
        self.count(&sheets.replace("PDF", pdf["data"].as_str().unwrap()))
    }

    /// Clicks in the middle of the element that an expression gives; what lies on top gets the click, as from a hand.
    pub(crate) fn click(&mut self, element: &str) {
        let middle = format!(
            "(() => {{ const one = {element}; one.scrollIntoView({{block: 'center', behavior: 'instant'}}); \
             const box = one.getBoundingClientRect(); return [box.x + box.width / 2, box.y + box.height / 2]; }})()"
        );
        let middle = self.value(&middle);
        for kind in ["mouseMoved", "mousePressed", "mouseReleased"] {
            let button = if kind == "mouseMoved" { "none" } else { "left" };
            let clicks = u32::from(kind != "mouseMoved");
            self.call(
                "Input.dispatchMouseEvent",
                json!({"type": kind, "x": middle[0], "y": middle[1], "button": button, "clickCount": clicks}),
            );
        }
    }

    /// Presses a key that has a name, such as `Enter`.
    pub(crate) fn press(&mut self, key: &str) {
        let code = match key {
            "Enter" => 13,
            "Escape" => 27,
            "ArrowLeft" => 37,
            "ArrowUp" => 38,
            "ArrowRight" => 39,
            "ArrowDown" => 40,
            "s" => 83,
            _ => panic!("key {key}"),
        };
        for kind in ["rawKeyDown", "keyUp"] {
            let event = json!({"type": kind, "key": key, "code": key, "windowsVirtualKeyCode": code});
            let event = if key == "Enter" && kind == "rawKeyDown" {
                // A button is pressed by the character, not by the key.
                json!({"type": "keyDown", "key": key, "code": key, "windowsVirtualKeyCode": code, "text": "\r"})
            } else {
                event
            };
            self.call("Input.dispatchKeyEvent", event);
        }
    }

    /// Types letter by letter into what has the focus.
    pub(crate) fn type_text(&mut self, text: &str) {
        for letter in text.chars() {
            self.call("Input.dispatchKeyEvent", json!({"type": "keyDown", "text": letter.to_string()}));
            self.call("Input.dispatchKeyEvent", json!({"type": "keyUp"}));
        }
    }

    /// The distinct texts of an expression that gives a list.
    pub(crate) fn set(&mut self, expression: &str) -> HashSet<String> {
        let list = self.value(expression);
        list.as_array().unwrap().iter().map(|one| one.as_str().unwrap().to_owned()).collect()
    }
}

impl Drop for Page {
    fn drop(&mut self) {
        let _ = self.commands.write_all(b"{\"id\":0,\"method\":\"Browser.close\"}\0");
        let _ = self.browser.wait();
    }
}
