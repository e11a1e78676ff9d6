//! `strat serve`: who is answered, and who is not.

use serde_json::{Value, json};
use std::io::{BufRead, BufReader, ErrorKind, Read, Write};
use std::net::TcpStream;
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};
use std::time::{Duration, SystemTime};

fn strat(args: &[&str]) -> String {
    let done = Command::new(env!("CARGO_BIN_EXE_strat")).args(args).output().unwrap();
    assert!(done.status.success(), "{args:?}: {}", String::from_utf8_lossy(&done.stderr));
    String::from_utf8(done.stdout).unwrap()
}

/// A small run and a server on it, which ends with this value.
struct Served {
    child: Child,
    port: u16,
    token: String,
    run: PathBuf,
    _folder: tempfile::TempDir,
}

impl Drop for Served {
    fn drop(&mut self) {
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}

/// An answer: status and body.
type Answer = (u16, String);

impl Served {
    fn start() -> Served {
        let folder = tempfile::tempdir().unwrap();
        let run = folder.path().join("lite");
        strat(&["reproduce", "lite", "--learners", "2", "--out", run.to_str().unwrap()]);
        let mut child = Command::new(env!("CARGO_BIN_EXE_strat"))
            .arg("serve")
            .arg(&run)
            .stdout(Stdio::piped())
            .spawn()
            .unwrap();
        let mut line = String::new();
        BufReader::new(child.stdout.take().unwrap()).read_line(&mut line).unwrap();
        let rest = line.trim().strip_prefix("http://127.0.0.1:").unwrap_or_else(|| panic!("{line:?}"));
        let (port, token) = rest.split_once("/?token=").unwrap();
        Served { child, port: port.parse().unwrap(), token: token.into(), run, _folder: folder }
    }

    /// Sends bytes as they are.
    fn raw(&self, bytes: &[u8]) -> Answer {
        let mut stream = TcpStream::connect(("127.0.0.1", self.port)).unwrap();
        stream.set_read_timeout(Some(Duration::from_secs(120))).unwrap();
        // A server that has heard enough may close before all is said.
        let _ = stream.write_all(bytes);
        let mut answer = String::new();
        stream.read_to_string(&mut answer).unwrap();
        let (head, body) = answer.split_once("\r\n\r\n").unwrap_or_else(|| panic!("{answer:?}"));
        (head.split(' ').nth(1).unwrap().parse().unwrap(), body.into())
    }

    fn request(&self, line: &str, headers: &[(&str, &str)], body: &str) -> Answer {
        let own = format!("127.0.0.1:{}", self.port);
        let length = body.len().to_string();
        let mut all = vec![("Host", &*own), ("Content-Length", &*length)];
        for header in headers {
            all.retain(|(name, _)| *name != header.0);
            all.push(*header);
        }
        let headers: String = all.iter().map(|(name, value)| format!("{name}: {value}\r\n")).collect();
        self.raw(format!("{line} HTTP/1.1\r\n{headers}\r\n{body}").as_bytes())
    }

    fn page(&self, headers: &[(&str, &str)]) -> Answer {
        self.request(&format!("GET /?token={}", self.token), headers, "")
    }

    fn trace(&self, body: &str) -> Answer {
        self.request("POST /trace", &[("X-Strat-Token", &self.token)], body)
    }
}

/// Every file of a folder with its contents and the time it was changed.
fn files(folder: &Path) -> Vec<(PathBuf, SystemTime, Vec<u8>)> {
    let mut all = vec![];
    for entry in std::fs::read_dir(folder).unwrap().flatten() {
        let path = entry.path();
        let changed = entry.metadata().unwrap().modified().unwrap();
        all.push((path.clone(), changed, std::fs::read(path).unwrap()));
    }
    all.sort();
    all
}

fn wish(example: &str, seeds: &[u64]) -> String {
    let row = "STRAT-Lite (fixed types)";
    let learners: Vec<Value> = seeds.iter().map(|seed| json!({ "row": row, "seed": seed })).collect();
    json!({ "learners": learners, "example": example }).to_string()
}

#[test]
fn who_knows_the_token_is_answered_and_nobody_else() {
    let served = Served::start();
    let before = files(&served.run);

    // Its own page, under both of its names.
    let (status, page) = served.page(&[]);
    assert_eq!(status, 200);
    assert!(page.starts_with("<!doctype html>") && page.contains("id=\"data\""));
    assert_eq!(served.page(&[("Host", &format!("localhost:{}", served.port))]).0, 200);

    // Other names, as another site would bring them here (DNS rebinding).
    for host in ["example.org", &format!("example.org:{}", served.port), "127.0.0.1", "127.0.0.1:1", ""] {
        assert_eq!(served.page(&[("Host", host)]).0, 421, "{host:?}");
    }
    assert_eq!(served.raw(format!("GET /?token={} HTTP/1.1\r\n\r\n", served.token).as_bytes()).0, 421);
    assert_eq!(served.page(&[("Origin", "http://example.org")]).0, 403);
    assert_eq!(served.page(&[("Origin", &format!("http://127.0.0.1:{}", served.port))]).0, 200);

    // No token, another one, one in the wrong place.
    let other = served.token.chars().rev().collect::<String>();
    for line in
        ["GET /", "GET /?token=", &format!("GET /?token={other}"), &format!("GET /?token={}0", served.token)]
    {
        let (status, body) = served.request(line, &[], "");
        assert_eq!(status, 403, "{line}");
        assert!(body.contains("token") && !body.contains(&served.token));
    }
    let body = wish("1 + 2", &[1]);
    assert_eq!(served.request(&format!("POST /trace?token={}", served.token), &[], &body).0, 403);
    assert_eq!(served.request("POST /trace", &[("X-Strat-Token", "")], &body).0, 403);

    // Nothing else is here, whatever it is called.
    for path in
        ["/manifest.json", "/../manifest.json", "/../../../../etc/passwd", "//etc/passwd", "/%2e%2e/", "/trace/"]
    {
        let (status, body) = served.request(&format!("GET {path}?token={}", served.token), &[], "");
        assert_eq!(status, 404, "{path}");
        assert!(!body.contains("root:") && !body.contains("format"), "{body}");
    }
    for line in ["DELETE /", "PUT /", "POST /", "OPTIONS /trace", "GET /trace"] {
        assert_eq!(served.request(&format!("{line}?token={}", served.token), &[], "").0, 405, "{line}");
    }

    // What is too large is not read.
    assert_eq!(served.trace(&" ".repeat((64 << 10) + 1)).0, 413);
    assert_eq!(served.request("POST /trace", &[("Content-Length", "99999999999999999999999")], "").0, 413);
    assert_eq!(served.page(&[("X-Long", &"x".repeat(16 << 10))]).0, 431);
    assert_eq!(served.request("POST /trace", &[("Transfer-Encoding", "chunked")], "0\r\n\r\n").0, 501);
    assert_eq!(served.request("POST /trace", &[("Content-Length", "-1")], "").0, 400);
    assert_eq!(served.raw(b"\x16\x03\x01\x02\r\n\r\n").0, 400);

    // And nothing was written.
    assert!(before == files(&served.run), "the run is as it was");
}

#[test]
fn an_example_is_computed_as_inspect_computes_it() {
    let served = Served::start();
    let (status, body) = served.trace(&wish("12 + 3 - 5", &[1, 2]));
    assert_eq!(status, 200, "{body}");
    let page_data: Value = serde_json::from_str(&body).unwrap();
    assert_eq!(page_data["examples"][0]["tokens"], json!(["12", "+", "3", "−", "5"]));
    assert_eq!(page_data["learners"].as_array().unwrap().len(), 2);
    let run = served.run.to_str().unwrap();
    for (i, seed) in ["1", "2"].into_iter().enumerate() {
        let line = strat(&["inspect", run, "--seed", seed, "--example", "12 + 3 - 5", "--json"]);
        let inspected: Value = serde_json::from_str(&line).unwrap();
        assert_eq!(page_data["learners"][i]["frames"][0][0]["said"], inspected["said"]);
    }

    let says = |body: &str| served.trace(body);
    let (status, why) = says(&wish("12 + two", &[1]));
    assert!(status == 422 && why.contains("\"two\" should be a number"), "{status} {why}");
    let (status, why) = says(&wish("12", &[99]));
    assert!(status == 422 && why.contains("99"), "{status} {why}");
    assert_eq!(says(&wish("12", &[1; 5])).0, 422);
    assert_eq!(says(&wish(&"1+".repeat(5000), &[1])).0, 422);
    assert_eq!(says("{}").0, 400);
    assert_eq!(says(&"[".repeat(60_000)).0, 400);
}

/// The playground beside the run: the page that `strat playground` writes, and only with the token.
#[test]
fn the_playground_is_offered_to_who_knows_the_token() {
    let served = Served::start();
    let html = served.run.with_file_name("playground.html");
    let made =
        Command::new(env!("CARGO_BIN_EXE_strat")).args(["playground", "--html"]).arg(&html).output().unwrap();
    let (status, body) = served.request(&format!("GET /playground?token={}", served.token), &[], "");
    if made.status.success() {
        assert_eq!(status, 200);
        assert!(body == std::fs::read_to_string(&html).unwrap(), "the same page, whole");
    } else {
        assert_eq!(status, 404, "built without it");
        assert!(body.contains("web/build"), "{body}");
    }
    assert_eq!(served.request("GET /playground", &[], "").0, 403);
    assert_eq!(served.request(&format!("POST /playground?token={}", served.token), &[], "").0, 405);
    let elsewhere = [("Host", "example.org")];
    assert_eq!(served.request(&format!("GET /playground?token={}", served.token), &elsewhere, "").0, 421);
}

/// Whoever connects and says nothing keeps nobody else waiting, and not the server for ever.
#[test]
fn silence_does_not_stop_others() {
    let served = Served::start();
    let connect = || TcpStream::connect(("127.0.0.1", served.port)).unwrap();
    // More than there is room for, some with half a request; all stay connected.
    let mut silent: Vec<TcpStream> = (0..20).map(|_| connect()).collect();
    silent.iter_mut().step_by(3).for_each(|s| s.write_all(b"GET / HTTP/1.1\r\nHost:").unwrap());
    for _ in 0..3 {
        assert_eq!(served.page(&[]).0, 200);
    }
    // They made room, or are told that it took too long.
    for mut stream in silent {
        stream.set_read_timeout(Some(Duration::from_secs(120))).unwrap();
        let mut answer = String::new();
        // Whoever is sent away in the middle of a sentence may find the connection broken.
        let read = stream.read_to_string(&mut answer).map_err(|e| e.kind());
        assert!(!matches!(read, Err(ErrorKind::WouldBlock | ErrorKind::TimedOut)), "kept for ever");
        assert!(answer.is_empty() || answer.starts_with("HTTP/1.1 408"), "{read:?} {answer:?}");
    }
    assert_eq!(served.page(&[]).0, 200);
}

#[test]
#[cfg(unix)]
fn it_ends_when_it_is_asked_to() {
    let mut served = Served::start();
    let sent = Command::new("kill").args(["-TERM", &served.child.id().to_string()]).status().unwrap();
    assert!(sent.success());
    assert_eq!(served.child.wait().unwrap().code(), Some(130));
}

/// The system's own list says on which address it listens.
#[test]
#[cfg(target_os = "linux")]
fn it_listens_on_loopback_alone() {
    let served = Served::start();
    let listening = |table: &str| {
        let port = format!(":{:04X}", served.port);
        let local = table.lines().filter_map(|l| l.split_whitespace().nth(1)).filter(move |a| a.ends_with(&port));
        local.map(String::from).collect::<Vec<_>>()
    };
    let v4 = listening(&std::fs::read_to_string("/proc/net/tcp").unwrap());
    assert!(!v4.is_empty() && v4.iter().all(|a| a.starts_with("0100007F:")), "{v4:?}");
    assert!(listening(&std::fs::read_to_string("/proc/net/tcp6").unwrap_or_default()).is_empty());
}
