//! Chromium, driven by ChromeDriver: WebDriver is JSON over HTTP on loopback.
//!
//! Found on the path, or below the target folder, where `./check` unpacks Debian's packages (`.ci/unpack`).

use crate::require::skip;
use serde_json::{Value, json};
use std::io::{BufRead, BufReader};
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};
use std::time::Duration;

/// A browser with one page. It ends with this value.
pub struct Browser {
    driver: Child,
    agent: ureq::Agent,
    /// Of the session.
    address: String,
    /// Its profile, new and empty.
    _profile: tempfile::TempDir,
}

/// What is drawn for.
#[derive(Clone, Copy, Debug)]
pub enum Media {
    Light,
    Dark,
    Print,
}

const FLAGS: [&str; 11] = [
    "--headless",
    "--no-sandbox", // root has none
    "--disable-gpu",
    "--disable-dev-shm-usage", // containers have little
    "--disable-quic",
    "--no-first-run",
    "--disable-background-networking",
    "--disable-component-update",
    "--disable-sync",
    "--hide-scrollbars",
    // No name leads anywhere; a page of ours needs none.
    "--host-resolver-rules=MAP * ~NOTFOUND , EXCLUDE 127.0.0.1",
];

/// Where ChromeDriver is, and where its packages are unpacked if they are.
fn find() -> Option<(PathBuf, Option<PathBuf>)> {
    let on_path = std::env::var_os("PATH").into_iter().flat_map(|p| std::env::split_paths(&p).collect::<Vec<_>>());
    if let Some(driver) = on_path.map(|folder| folder.join("chromedriver")).find(|p| p.exists()) {
        return Some((driver, None));
    }
    // target/tmp is cargo's for integration tests.
    let root = Path::new(env!("CARGO_TARGET_TMPDIR")).parent()?.join("chromium");
    let driver = root.join("usr/bin/chromedriver");
    driver.exists().then_some((driver, Some(root)))
}

/// Folders that have libraries: `usr/lib/x86_64-linux-gnu`, those in it, and the like.
fn libraries(root: &Path) -> String {
    let inside =
        |p: PathBuf| std::fs::read_dir(p).into_iter().flatten().flatten().map(|e| e.path()).filter(|p| p.is_dir());
    let all = ["usr/lib", "lib"].into_iter().flat_map(|lib| inside(root.join(lib)));
    let found = all.filter(|p| p.to_string_lossy().ends_with("-linux-gnu"));
    let found = found.flat_map(|p| [p.clone()].into_iter().chain(inside(p)));
    found.map(|p| p.display().to_string()).collect::<Vec<_>>().join(":")
}

impl Browser {
    /// Starts one; none, with a line that says so, where there is none to start.
    pub fn start() -> Option<Browser> {
        let Some((path, unpacked)) = find() else {
            skip("browser", "no chromedriver on the path or in target/chromium; ./check gets it");
            return None;
        };
        let profile = tempfile::tempdir().unwrap();
        let mut command = Command::new(path);
        command.arg("--port=0").stdin(Stdio::null()).stdout(Stdio::piped()).stderr(Stdio::null());
        let mut arguments: Vec<String> = FLAGS.map(String::from).into();
        arguments.push(format!("--user-data-dir={}", profile.path().join("profile").display()));
        let mut options = json!({ "args": arguments });
        if let Some(root) = unpacked {
            let fonts = profile.path().join("fonts.conf");
            let folders =
                [root.join("usr/share/fonts"), profile.path().join("cache")].map(|f| f.display().to_string());
            let text =
                format!("<fontconfig><dir>{}</dir><cachedir>{}</cachedir></fontconfig>", folders[0], folders[1]);
            std::fs::write(&fonts, text).unwrap();
            command.env("LD_LIBRARY_PATH", libraries(&root)).env("FONTCONFIG_FILE", fonts);
            options["binary"] = json!(root.join("usr/lib/chromium/chromium"));
        }
        let mut driver = command.spawn().unwrap();
        let mut lines = BufReader::new(driver.stdout.take().unwrap()).lines().map_while(Result::ok);
        let port = lines
            .find_map(|line| Some(line.split_once("successfully on port ")?.1.trim_end_matches('.').to_string()));
        let port = port.filter(|p| p.parse::<u16>().is_ok()).expect("chromedriver says on which port it listens");
        // Somebody must read what else it says.
        std::thread::spawn(move || lines.for_each(drop));
        // On loopback, whatever proxy the machine has.
        let agent = ureq::Agent::config_builder()
            .proxy(None)
            .http_status_as_error(false)
            .timeout_global(Some(Duration::from_secs(180)))
            .build()
            .into();
        let mut browser =
            Browser { driver, agent, address: format!("http://127.0.0.1:{port}/session"), _profile: profile };
        let capabilities = json!({ "goog:chromeOptions": options, "goog:loggingPrefs": { "browser": "ALL" } });
        let session = browser.post("", json!({ "capabilities": { "alwaysMatch": capabilities } }));
        browser.address += &format!("/{}", session["sessionId"].as_str().unwrap());
        Some(browser)
    }

    /// What WebDriver answers; fails with its words.
    fn post(&self, path: &str, body: Value) -> Value {
        let mut answer = self.agent.post(format!("{}{path}", self.address)).send(body.to_string()).unwrap();
        let status = answer.status();
        let mut answer: Value = serde_json::from_str(&answer.body_mut().read_to_string().unwrap()).unwrap();
        assert!(status.is_success(), "{path}: {}", answer["value"]);
        answer["value"].take()
    }

    /// A command of the DevTools protocol.
    pub fn devtools(&self, command: &str, params: Value) -> Value {
        self.post("/goog/cdp/execute", json!({ "cmd": command, "params": params }))
    }

    /// Opens a file from disk.
    pub fn open(&self, file: &Path) {
        self.go(&format!("file://{}", file.canonicalize().unwrap().display()));
    }

    /// Opens an address.
    pub fn go(&self, address: &str) {
        self.post("/url", json!({ "url": address }));
    }

    /// Takes the network away, loopback too.
    pub fn offline(&self) {
        let conditions = json!({ "offline": true, "latency": 0, "throughput": 0 });
        self.post("/chromium/network_conditions", json!({ "network_conditions": conditions }));
    }

    /// The value of an expression in the page.
    pub fn value(&self, expression: &str) -> Value {
        self.post("/execute/sync", json!({ "script": format!("return {expression};"), "args": [] }))
    }

    /// Runs a script in the page and waits for what it gives to its callback, the last of `arguments`.
    pub fn wait_for(&self, script: &str) -> Value {
        self.post("/timeouts", json!({ "script": 170_000 }));
        self.post("/execute/async", json!({ "script": script, "args": [] }))
    }

    /// Runs a script in the page.
    pub fn run(&self, script: &str) {
        self.post("/execute/sync", json!({ "script": script, "args": [] }));
    }

    /// Presses a key, by its name in WebDriver (`\u{e014}` is the right arrow), on what has the focus.
    pub fn press(&self, key: char) {
        let actions = json!([{ "type": "keyDown", "value": key }, { "type": "keyUp", "value": key }]);
        self.post("/actions", json!({ "actions": [{ "type": "key", "id": "keys", "actions": actions }] }));
    }

    /// How many elements a selector finds.
    pub fn count(&self, selector: &str) -> usize {
        self.value(&format!("document.querySelectorAll({}).length", json!(selector))).as_u64().unwrap() as usize
    }

    /// A window of this size, in CSS pixels; as narrow as a phone if need be.
    pub fn size(&self, width: u32, height: u32) {
        let screen = json!({ "width": width, "height": height, "deviceScaleFactor": 1, "mobile": width < 500 });
        self.devtools("Emulation.setDeviceMetricsOverride", screen);
    }

    /// Draws for paper or a screen of this kind.
    pub fn media(&self, media: Media) {
        let (kind, scheme) = match media {
            Media::Light => ("screen", "light"),
            Media::Dark => ("screen", "dark"),
            Media::Print => ("print", "light"),
        };
        let features = [json!({ "name": "prefers-color-scheme", "value": scheme })];
        self.devtools("Emulation.setEmulatedMedia", json!({ "media": kind, "features": features }));
    }

    fn element(&self, selector: &str) -> Value {
        self.post("/element", json!({ "using": "css selector", "value": selector }))
    }

    /// Moves the mouse onto the first element that a selector finds.
    pub fn hover(&self, selector: &str) {
        self.value(&format!(
            "document.querySelector({}).scrollIntoView({{ block: 'center', behavior: 'instant' }})",
            json!(selector)
        ));
        let to = json!({ "type": "pointerMove", "duration": 0, "x": 0, "y": 0, "origin": self.element(selector) });
        let mouse =
            json!({ "type": "pointer", "id": "mouse", "parameters": { "pointerType": "mouse" }, "actions": [to] });
        self.post("/actions", json!({ "actions": [mouse] }));
    }

    /// Clicks on it.
    pub fn click(&self, selector: &str) {
        let element = self.element(selector);
        let id = element.as_object().unwrap().values().next().unwrap().as_str().unwrap().to_string();
        self.post(&format!("/element/{id}/click"), json!({}));
    }

    /// What the page complained of since it was last asked.
    pub fn complaints(&self) -> Vec<String> {
        let log = self.post("/se/log", json!({ "type": "browser" }));
        let bad = |entry: &&Value| entry["level"] != "DEBUG" && entry["level"] != "INFO";
        log.as_array().unwrap().iter().filter(bad).map(|e| e["message"].to_string()).collect()
    }

    /// The whole page as PNG.
    pub fn picture(&self) -> Vec<u8> {
        let taken =
            self.devtools("Page.captureScreenshot", json!({ "format": "png", "captureBeyondViewport": true }));
        unpacked(taken["data"].as_str().unwrap())
    }
}

/// Base64.
fn unpacked(text: &str) -> Vec<u8> {
    let digit = |b: u8| match b {
        b'A'..=b'Z' => b - b'A',
        b'a'..=b'z' => b - b'a' + 26,
        b'0'..=b'9' => b - b'0' + 52,
        b'+' => 62,
        _ => 63,
    };
    let mut out = vec![];
    for four in text.trim_end_matches('=').as_bytes().chunks(4) {
        let bits = four.iter().fold(0u32, |bits, &b| bits << 6 | u32::from(digit(b))) << (6 * (4 - four.len()));
        out.extend(&bits.to_be_bytes()[1..four.len()]);
    }
    out
}

impl Drop for Browser {
    fn drop(&mut self) {
        // The driver ends its browser when the session ends; a browser that does not answer ends with it.
        let _ = self.agent.delete(&self.address).call();
        let _ = self.driver.kill();
        let _ = self.driver.wait();
    }
}
