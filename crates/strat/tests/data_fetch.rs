//! Downloads from a server in this process that misbehaves on purpose.

mod samples;

use samples::{tic_tac_toe, zip};
use std::io::{BufRead, BufReader, Write};
use std::net::{TcpListener, TcpStream};
use std::path::Path;
use std::sync::{Arc, Mutex};
use strat::data::{DataFolder, FetchError, Fetched, Source, fetch};

/// What was asked: the path, and the first byte of `Range`.
#[derive(Clone, Debug, PartialEq)]
struct Asked {
    path: String,
    from: Option<usize>,
}

/// A server on its own thread; ends with the test's process.
struct Server {
    url: String,
    asked: Arc<Mutex<Vec<Asked>>>,
}

impl Server {
    /// `answer` is given the request, how many came before it, and the connection, which it may cut.
    fn new(answer: impl Fn(&Asked, usize, &mut TcpStream) + Send + 'static) -> Self {
        let listener = TcpListener::bind("127.0.0.1:0").unwrap();
        let url = format!("http://{}", listener.local_addr().unwrap());
        let asked = Arc::new(Mutex::new(vec![]));
        let log = asked.clone();
        std::thread::spawn(move || {
            for (n, stream) in listener.incoming().enumerate() {
                let mut stream = stream.unwrap();
                let request = read_request(&stream);
                log.lock().unwrap().push(request.clone());
                answer(&request, n, &mut stream);
            }
        });
        Server { url, asked }
    }

    fn asked(&self) -> Vec<Option<usize>> {
        self.asked.lock().unwrap().iter().map(|a| a.from).collect()
    }
}

fn read_request(stream: &TcpStream) -> Asked {
    let mut lines = BufReader::new(stream).lines().map_while(Result::ok).take_while(|l| !l.is_empty());
    let path = lines.next().unwrap_or_default().split(' ').nth(1).unwrap_or_default().to_string();
    let ranges = lines.filter_map(|l| l.to_ascii_lowercase().strip_prefix("range: bytes=").map(str::to_string));
    let from = ranges.last().and_then(|r| r.trim_end_matches('-').parse().ok());
    Asked { path, from }
}

/// A client that has seen enough closes first: not our concern.
fn send(stream: &mut TcpStream, head: &str, body: &[u8]) {
    let _ = stream.write_all(format!("HTTP/1.1 {head}\r\nConnection: close\r\n\r\n").as_bytes());
    let _ = stream.write_all(body);
}

/// The file from the byte asked for, of which at most `most` bytes are sent before the connection is cut.
fn part(stream: &mut TcpStream, asked: &Asked, file: &[u8], most: usize) {
    let start = asked.from.unwrap_or(0).min(file.len());
    let (rest, end) = (&file[start..], file.len() - 1);
    let head = match asked.from {
        Some(_) => format!(
            "206 Partial Content\r\nContent-Range: bytes {start}-{end}/{}\r\nContent-Length: {}",
            file.len(),
            rest.len()
        ),
        None => format!("200 OK\r\nContent-Length: {}", rest.len()),
    };
    send(stream, &head, &rest[..most.min(rest.len())]);
}

/// The right file: UCI's zip, made by rule.
fn right() -> Vec<u8> {
    zip(&[("tic-tac-toe.data", tic_tac_toe().as_bytes())])
}

fn get(dir: &Path, server: &Server) -> Result<Fetched, FetchError> {
    let folder = DataFolder::find(Some(dir.into()));
    fetch(&folder, Source::named("tic-tac-toe").unwrap(), Some(&server.url), &|_, _| {})
}

fn entries(dir: &Path) -> Vec<String> {
    let mut names: Vec<String> =
        std::fs::read_dir(dir).unwrap().map(|e| e.unwrap().file_name().into_string().unwrap()).collect();
    names.sort();
    names
}

const FILE: &str = "tic+tac+toe+endgame.zip";
const PARTIAL: &str = "tic+tac+toe+endgame.zip.partial";

#[test]
fn a_file_comes_once() {
    let server = Server::new(|asked, _, stream| part(stream, asked, &right(), usize::MAX));
    let dir = tempfile::tempdir().unwrap();
    assert!(matches!(get(dir.path(), &server), Ok(Fetched::New(c)) if c.rows == 958));
    assert_eq!(entries(dir.path()), [FILE]);
    assert_eq!(server.asked.lock().unwrap()[0].path, format!("/{FILE}"));
    assert!(matches!(get(dir.path(), &server), Ok(Fetched::AlreadyThere(c)) if c.rows == 958));
    assert_eq!(server.asked(), [None]);
}

#[test]
fn a_cut_connection_is_resumed_where_it_broke() {
    let file = right();
    let third = file.len() / 3;
    let server = Server::new(move |asked, _, stream| part(stream, asked, &file, third));
    let dir = tempfile::tempdir().unwrap();
    get(dir.path(), &server).unwrap();
    assert_eq!(server.asked()[..3], [None, Some(third), Some(2 * third)]);
    assert_eq!(entries(dir.path()), [FILE]);
}

#[test]
fn a_part_of_another_day_is_continued() {
    let file = right();
    let dir = tempfile::tempdir().unwrap();
    std::fs::write(dir.path().join(PARTIAL), &file[..1000]).unwrap();
    let server = Server::new(move |asked, _, stream| part(stream, asked, &file, usize::MAX));
    get(dir.path(), &server).unwrap();
    assert_eq!(server.asked(), [Some(1000)]);
}

#[test]
fn a_part_of_another_file_is_dropped() {
    let dir = tempfile::tempdir().unwrap();
    std::fs::write(dir.path().join(PARTIAL), [7; 1000]).unwrap();
    let server = Server::new(|asked, _, stream| part(stream, asked, &right(), usize::MAX));
    get(dir.path(), &server).unwrap();
    assert_eq!(server.asked(), [Some(1000), None]);
    assert_eq!(entries(dir.path()), [FILE]);
}

#[test]
fn a_server_without_ranges_starts_over() {
    let server = Server::new(|asked, n, stream| {
        let whole = Asked { from: None, ..asked.clone() };
        part(stream, &whole, &right(), if n == 0 { 2000 } else { usize::MAX });
    });
    let dir = tempfile::tempdir().unwrap();
    get(dir.path(), &server).unwrap();
    assert_eq!(server.asked(), [None, Some(2000)]);
}

#[test]
fn a_part_that_is_complete_or_too_long_is_settled() {
    let answer = |asked: &Asked, _: usize, stream: &mut TcpStream| match asked.from {
        Some(from) if from >= right().len() => {
            let head = format!(
                "416 Range Not Satisfiable\r\nContent-Range: bytes */{}\r\nContent-Length: 0",
                right().len()
            );
            send(stream, &head, b"");
        }
        _ => part(stream, asked, &right(), usize::MAX),
    };
    for extra in [0, 5] {
        let server = Server::new(answer);
        let dir = tempfile::tempdir().unwrap();
        std::fs::write(dir.path().join(PARTIAL), [right(), vec![0; extra]].concat()).unwrap();
        get(dir.path(), &server).unwrap();
        assert_eq!(server.asked().len(), if extra == 0 { 1 } else { 2 });
        assert_eq!(entries(dir.path()), [FILE]);
    }
}

#[test]
fn a_connection_that_always_breaks_keeps_what_came() {
    let server = Server::new(|asked, _, stream| part(stream, asked, &right(), 100));
    let dir = tempfile::tempdir().unwrap();
    let error = get(dir.path(), &server).unwrap_err();
    assert!(matches!(error, FetchError::Broken { have: 500, attempts: 5, .. }), "{error}");
    assert_eq!(entries(dir.path()), [PARTIAL]);
    assert!(error.to_string().contains("go on after 500 bytes"), "{error}");
}

#[test]
fn wrong_bytes_replace_nothing() {
    // Every row right, in another order.
    let rows = tic_tac_toe();
    let mut rows: Vec<&str> = rows.lines().collect();
    rows.swap(0, 1);
    let wrong = rows.join("\n") + "\n";
    let server = Server::new(move |asked, _, stream| part(stream, asked, wrong.as_bytes(), usize::MAX));
    let dir = tempfile::tempdir().unwrap();
    std::fs::write(dir.path().join(FILE), "was here").unwrap();
    let message = get(dir.path(), &server).unwrap_err().to_string();
    assert!(message.contains("nothing was replaced") && message.contains("fingerprint"), "{message}");
    assert_eq!(entries(dir.path()), [FILE]);
    assert_eq!(std::fs::read_to_string(dir.path().join(FILE)).unwrap(), "was here");

    // A file whose bytes are known: its SHA-256 is compared.
    let server = Server::new(|asked, _, stream| part(stream, asked, b"Bit 1\ttarget\n1\t1\n", usize::MAX));
    let folder = DataFolder::find(Some(dir.path().into()));
    let done = fetch(&folder, Source::named("parity5").unwrap(), Some(&server.url), &|_, _| {});
    let message = done.unwrap_err().to_string();
    assert!(message.contains("SHA-256") && message.contains("54388a6f"), "{message}");
    assert!(entries(&dir.path().join("pmlb")).is_empty());
}

#[test]
fn a_wrong_file_that_is_there_is_replaced_by_the_right_one() {
    let server = Server::new(|asked, _, stream| part(stream, asked, &right(), usize::MAX));
    let dir = tempfile::tempdir().unwrap();
    std::fs::write(dir.path().join(FILE), "was here").unwrap();
    assert!(matches!(get(dir.path(), &server), Ok(Fetched::New(_))));
    assert_eq!(std::fs::read(dir.path().join(FILE)).unwrap(), right());
}

#[test]
fn a_few_redirects_are_followed_but_no_loop() {
    let server = Server::new(|asked, n, stream| match n {
        0..3 => send(stream, &format!("302 Found\r\nLocation: /step{n}\r\nContent-Length: 0"), b""),
        _ => part(stream, asked, &right(), usize::MAX),
    });
    let dir = tempfile::tempdir().unwrap();
    get(dir.path(), &server).unwrap();
    assert_eq!(server.asked.lock().unwrap()[3].path, "/step2");

    let same = |_: &Asked, _: usize, stream: &mut TcpStream| {
        send(stream, "302 Found\r\nLocation: /again\r\nContent-Length: 0", b"")
    };
    let endless = |_: &Asked, n: usize, stream: &mut TcpStream| {
        send(stream, &format!("302 Found\r\nLocation: /{n}\r\nContent-Length: 0"), b"")
    };
    for server in [Server::new(same), Server::new(endless)] {
        let dir = tempfile::tempdir().unwrap();
        let error = get(dir.path(), &server).unwrap_err();
        assert!(matches!(error, FetchError::Redirects { .. }), "{error}");
        assert!(server.asked().len() < 12);
    }
}

#[test]
fn too_much_is_cut_off() {
    // Announced, and not announced.
    let announced =
        |_: &Asked, _: usize, stream: &mut TcpStream| send(stream, "200 OK\r\nContent-Length: 99999999999", b"");
    let endless = |_: &Asked, _: usize, stream: &mut TcpStream| {
        send(stream, "200 OK", b"");
        while stream.write_all(&[b'x'; 1 << 16]).is_ok() {}
    };
    for server in [Server::new(announced), Server::new(endless)] {
        let dir = tempfile::tempdir().unwrap();
        let error = get(dir.path(), &server).unwrap_err();
        assert!(matches!(error, FetchError::TooLarge { cap: 1_048_576, .. }), "{error}");
        assert!(entries(dir.path()).is_empty());
    }
}

#[test]
fn a_file_that_is_gone_and_a_server_that_fails() {
    let gone = Server::new(|_, _, stream| send(stream, "404 Not Found\r\nContent-Length: 0", b""));
    let dir = tempfile::tempdir().unwrap();
    let error = get(dir.path(), &gone).unwrap_err();
    assert!(matches!(error, FetchError::Status { status: 404, .. }), "{error}");
    // A server's own trouble may pass.
    let busy = Server::new(|asked, n, stream| match n {
        0 => send(stream, "503 Service Unavailable\r\nContent-Length: 0", b""),
        _ => part(stream, asked, &right(), usize::MAX),
    });
    get(dir.path(), &busy).unwrap();
    let noise = Server::new(|_, _, stream| drop(stream.write_all(b"\xff\xfe no HTTP at all\r\n\r\n")));
    let other = tempfile::tempdir().unwrap();
    let message = get(other.path(), &noise).unwrap_err().to_string();
    assert!(message.contains("127.0.0.1"), "{message}");
}

#[test]
fn offline_is_said_with_what_to_do() {
    let closed = TcpListener::bind("127.0.0.1:0").unwrap().local_addr().unwrap(); // and dropped
    let server = Server { url: format!("http://{closed}"), asked: Arc::default() };
    let dir = tempfile::tempdir().unwrap();
    let message = get(dir.path(), &server).unwrap_err().to_string();
    for word in ["cannot reach 127.0.0.1", "offline", FILE, "Nothing was changed"] {
        assert!(message.contains(word), "no {word:?} in {message}");
    }
    assert!(entries(dir.path()).is_empty());
}

#[test]
fn two_downloads_of_one_file_do_not_mix() {
    let server = Server::new(|asked, _, stream| part(stream, asked, &right(), usize::MAX));
    let dir = tempfile::tempdir().unwrap();
    let other = std::fs::File::create(dir.path().join(PARTIAL)).unwrap();
    other.lock().unwrap();
    let error = get(dir.path(), &server).unwrap_err();
    assert!(matches!(error, FetchError::Busy(_)), "{error}");
}
