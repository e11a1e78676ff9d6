//! As much of HTTP/1.1 as a page on this machine needs: one request a connection, nothing trusted, every size and
//! every wait bounded.

use std::io::{ErrorKind, Read, Write};
use std::net::{Shutdown, TcpStream};
use std::time::{Duration, Instant};

/// Most bytes of a request line and its headers.
pub const MOST_HEAD: usize = 16 << 10;
/// Most bytes of a body.
pub const MOST_BODY: usize = 64 << 10;
/// The longest a whole request may take to arrive, and a whole answer to be taken.
const PATIENCE: Duration = Duration::from_secs(10);
/// The longest that is waited for the other side to hear an answer.
const LINGER: Duration = Duration::from_secs(1);

/// A request, as far as anyone here looks at it.
#[derive(Debug, PartialEq, Eq)]
pub struct Request {
    pub method: String,
    /// Without what follows a question mark.
    pub path: String,
    /// What follows it.
    pub query: String,
    headers: Vec<(String, String)>,
    pub body: Vec<u8>,
}

impl Request {
    /// The header of this name, in small letters.
    pub fn header(&self, name: &str) -> Option<&str> {
        self.headers.iter().find(|(own, _)| own == name).map(|(_, value)| &**value)
    }

    /// The value of a query's parameter.
    pub fn parameter(&self, name: &str) -> Option<&str> {
        self.query.split('&').filter_map(|part| part.split_once('=')).find(|(own, _)| *own == name).map(|p| p.1)
    }
}

/// What is sent back.
#[derive(Debug, PartialEq, Eq)]
pub struct Response {
    pub status: u16,
    pub kind: &'static str,
    pub body: String,
}

impl Response {
    /// Why not, in a sentence.
    pub fn refusal(status: u16, why: impl Into<String>) -> Response {
        Response { status, kind: "text/plain; charset=utf-8", body: why.into() + "\n" }
    }

    fn reason(&self) -> &'static str {
        match self.status {
            200 => "OK",
            400 => "Bad Request",
            403 => "Forbidden",
            404 => "Not Found",
            405 => "Method Not Allowed",
            408 => "Request Timeout",
            413 => "Content Too Large",
            421 => "Misdirected Request",
            422 => "Unprocessable Content",
            431 => "Request Header Fields Too Large",
            501 => "Not Implemented",
            _ => "Service Unavailable",
        }
    }

    /// Sends it, as the last thing that is said. Whoever does not take it in time does not get it.
    pub fn send(&self, stream: &mut TcpStream) {
        let head = format!(
            "HTTP/1.1 {} {}\r\nContent-Type: {}\r\nContent-Length: {}\r\nConnection: close\r\nCache-Control: no-store\r\n\
             X-Content-Type-Options: nosniff\r\nReferrer-Policy: no-referrer\r\nX-Frame-Options: DENY\r\n\
             Cross-Origin-Resource-Policy: same-origin\r\n\r\n",
            self.status,
            self.reason(),
            self.kind,
            self.body.len()
        );
        let start = Instant::now();
        for mut rest in [head.as_bytes(), self.body.as_bytes()] {
            while !rest.is_empty() {
                let Some(left) = left(PATIENCE, start) else { return };
                let _ = stream.set_write_timeout(Some(left));
                match stream.write(rest) {
                    Ok(count @ 1..) => rest = &rest[count..],
                    Err(e) if e.kind() == ErrorKind::Interrupted => {}
                    _ => return,
                }
            }
        }
        let _ = stream.shutdown(Shutdown::Write);
    }
}

/// Reads what is still on its way here, or the other side would lose the answer.
pub fn linger(stream: &mut TcpStream) {
    let start = Instant::now();
    let mut rest = [0; 4096];
    while let Some(left) = left(LINGER, start) {
        let _ = stream.set_read_timeout(Some(left));
        if !matches!(stream.read(&mut rest), Ok(1..)) {
            break;
        }
    }
}

/// What is left of a time.
fn left(of: Duration, start: Instant) -> Option<Duration> {
    of.checked_sub(start.elapsed()).filter(|left| !left.is_zero())
}

/// Reads a request, or says why not.
pub fn receive(stream: &mut TcpStream) -> Result<Request, Response> {
    let start = Instant::now();
    let mut bytes = vec![];
    let end = loop {
        if let Some(end) = find(&bytes, b"\r\n\r\n") {
            break end;
        }
        if bytes.len() >= MOST_HEAD {
            return Err(Response::refusal(431, format!("headers have more than {MOST_HEAD} bytes")));
        }
        more(stream, start, &mut bytes, MOST_HEAD)?;
    };
    let mut request = head(&bytes[..end])?;
    let length = match request.header("content-length") {
        None => 0,
        Some(text) if text.bytes().all(|b| b.is_ascii_digit()) && !text.is_empty() => {
            text.parse().unwrap_or(usize::MAX)
        }
        Some(_) => return Err(Response::refusal(400, "Content-Length should be a number")),
    };
    if length > MOST_BODY {
        return Err(Response::refusal(413, format!("the body has more than {MOST_BODY} bytes")));
    }
    request.body = bytes.split_off(end + 4);
    while request.body.len() < length {
        more(stream, start, &mut request.body, length)?;
    }
    request.body.truncate(length);
    Ok(request)
}

/// Reads some more, up to `most` bytes in all.
fn more(stream: &mut TcpStream, start: Instant, bytes: &mut Vec<u8>, most: usize) -> Result<(), Response> {
    let late = || Response::refusal(408, "the request took too long");
    let _ = stream.set_read_timeout(Some(left(PATIENCE, start).ok_or_else(late)?));
    let mut part = [0; 4096];
    let room = part.len().min(most - bytes.len());
    match stream.read(&mut part[..room]) {
        Ok(0) => Err(Response::refusal(400, "the request ends in the middle")),
        Ok(count) => {
            bytes.extend_from_slice(&part[..count]);
            Ok(())
        }
        Err(e) if e.kind() == ErrorKind::Interrupted => Ok(()),
        Err(e) if matches!(e.kind(), ErrorKind::WouldBlock | ErrorKind::TimedOut) => Err(late()),
        Err(_) => Err(Response::refusal(400, "the request cannot be read")),
    }
}

fn find(bytes: &[u8], what: &[u8]) -> Option<usize> {
    bytes.windows(what.len()).position(|w| w == what)
}

/// The request line and the headers.
fn head(bytes: &[u8]) -> Result<Request, Response> {
    let bad = |why: &str| Response::refusal(400, why);
    let text = std::str::from_utf8(bytes).map_err(|_| bad("headers should be plain text"))?;
    let mut lines = text.split("\r\n");
    let line: Vec<&str> = lines.next().unwrap_or_default().split(' ').collect();
    let [method, target, "HTTP/1.1" | "HTTP/1.0"] = line[..] else {
        return Err(bad("the first line should be a method, a path and HTTP/1.1"));
    };
    if !target.starts_with('/') {
        return Err(bad("the path should start with a slash"));
    }
    let mut headers: Vec<(String, String)> = vec![];
    for line in lines {
        let (name, value) =
            line.split_once(':').ok_or_else(|| bad("a header should be a name, a colon and a value"))?;
        let is_name = |b: u8| b.is_ascii_alphanumeric() || b"-_.!#$%&'*+^`|~".contains(&b);
        if name.is_empty() || !name.bytes().all(is_name) {
            return Err(bad("a header's name should be letters, without spaces"));
        }
        let name = name.to_ascii_lowercase();
        if name == "transfer-encoding" {
            return Err(Response::refusal(501, "bodies should have a Content-Length"));
        }
        // Two of them could be read as one by somebody on the way and as the other here.
        if headers.iter().any(|(known, _)| *known == name) {
            return Err(bad("a header is given twice"));
        }
        headers.push((name, value.trim().into()));
    }
    let (path, query) = target.split_once('?').unwrap_or((target, ""));
    Ok(Request { method: method.into(), path: path.into(), query: query.into(), headers, body: vec![] })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_head_is_read() {
        let request = head(b"POST /trace?a=1&token=x HTTP/1.1\r\nHost:  here \r\nX-Y: z").unwrap();
        assert_eq!((&*request.method, &*request.path), ("POST", "/trace"));
        assert_eq!((request.header("host"), request.header("x-y")), (Some("here"), Some("z")));
        assert_eq!((request.parameter("token"), request.parameter("b")), (Some("x"), None));
    }

    #[test]
    fn what_could_be_read_in_two_ways_is_refused() {
        let status = |text: &str| head(text.as_bytes()).unwrap_err().status;
        assert_eq!(status("GET /"), 400);
        assert_eq!(status("GET  / HTTP/1.1"), 400);
        assert_eq!(status("GET http://elsewhere/ HTTP/1.1"), 400);
        assert_eq!(status("GET / HTTP/1.1\r\nHost : a"), 400);
        assert_eq!(status("GET / HTTP/1.1\r\nHost: a\r\n b"), 400);
        assert_eq!(status("GET / HTTP/1.1\r\nHost: a\r\nHOST: b"), 400);
        assert_eq!(status("POST / HTTP/1.1\r\nTransfer-Encoding: chunked"), 501);
    }
}
