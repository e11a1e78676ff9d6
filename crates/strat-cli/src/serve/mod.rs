//! `strat serve`: the microscope live, on this machine, for whoever started it.
//!
//! It listens on 127.0.0.1. A page of another site can make a browser ask it, too, so it answers only to its own
//! name (others could be made to point here) and to those who know its token. It reads the run it was
//! started on, and writes nothing.

mod guests;
mod http;

use crate::ExitCode;
use crate::Failure;
use crate::args::ServeArgs;
use crate::microscope::Bench;
use crate::output::print;
use crate::playground;
use guests::{Guest, Guests};
use http::{Request, Response};
use serde::Deserialize;
use std::net::{Ipv4Addr, TcpListener, TcpStream};
use std::sync::Mutex;
use std::sync::mpsc::sync_channel;
use std::thread::Builder;
use strat_paper::microscope::{Live, live_page};

/// Most that wait for a refusal; others are turned away without one.
const MOST_REFUSED: usize = 16;
/// Most learners of a row that the page offers.
const MOST_OFFERED: usize = 1000;

struct Server {
    /// One example at a time is computed.
    bench: Mutex<Bench>,
    page: String,
    /// The playground, if this program has it; otherwise why not.
    playground: Result<String, String>,
    token: String,
    port: u16,
    guests: Guests,
}

/// What the page asks for.
#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Wish {
    learners: Vec<Chosen>,
    example: String,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Chosen {
    row: String,
    seed: u64,
}

pub fn run(args: ServeArgs) -> Result<ExitCode, Failure> {
    let bench = if args.learners.row.is_empty() {
        Bench::open_all(&args.record, &args.folder)?
    } else {
        Bench::open(&args.record, &args.learners.row, &args.folder)?
    };
    let mut chosen = bench.chosen(&args.learners)?;
    chosen.truncate(if args.learners.seed.is_empty() { 1 } else { 2 });
    let examples: Vec<String> = bench.source().examples();
    let mut rows = bench.learners()?;
    rows.iter_mut().for_each(|(_, seeds)| seeds.truncate(MOST_OFFERED));
    let live = Live { form: bench.source().form(), rows };
    let page = live_page(&bench.title(), &bench.page_data(&chosen, &examples, None)?, &live);

    let fail = |source| Failure::Listen { port: args.port, source };
    let listener = TcpListener::bind((Ipv4Addr::LOCALHOST, args.port)).map_err(fail)?;
    let port = listener.local_addr().map_err(fail)?.port();
    let server = Server {
        bench: bench.into(),
        page,
        playground: playground::page().map_err(|e| e.to_string()),
        token: token()?,
        port,
        guests: Guests::default(),
    };
    let mut addresses = format!("http://127.0.0.1:{port}/?token={}\n", server.token);
    if server.playground.is_ok() {
        addresses += &format!("http://127.0.0.1:{port}/playground?token={}\n", server.token);
    }
    // At once: who reads only the first line may close the pipe then.
    print(&addresses)?;
    std::thread::scope(|threads| {
        let server = &server;
        let (refuse, refused) = sync_channel::<TcpStream>(MOST_REFUSED);
        threads.spawn(move || {
            for mut stream in refused {
                Response::refusal(503, "too many connections; try again").send(&mut stream);
                http::linger(&mut stream);
            }
        });
        // Nothing in this loop waits for anybody but the next to come.
        for stream in listener.incoming().flatten() {
            match server.guests.admit(&stream) {
                // A system that has no threads left closes the connection.
                Some(guest) => drop(Builder::new().spawn_scoped(threads, move || server.converse(stream, guest))),
                // Who is not even refused finds the connection closed.
                None => drop(refuse.try_send(stream)),
            }
        }
    });
    Ok(ExitCode::SUCCESS)
}

/// 128 bits that nobody can guess.
fn token() -> Result<String, Failure> {
    let mut bytes = [0; 16];
    getrandom::fill(&mut bytes).map_err(Failure::Random)?;
    Ok(bytes.iter().map(|b| format!("{b:02x}")).collect())
}

/// Compares all of both, so that time does not tell how much of a guess is right.
fn same(a: &str, b: &str) -> bool {
    a.len() == b.len() && a.bytes().zip(b.bytes()).fold(0, |different, (a, b)| different | (a ^ b)) == 0
}

impl Server {
    fn converse(&self, mut stream: TcpStream, mut guest: Guest<'_>) {
        let request = http::receive(&mut stream);
        if guest.is_heard() {
            request.map_or_else(|refusal| refusal, |request| self.answer(&request)).send(&mut stream);
            guest.is_answered(&stream);
            http::linger(&mut stream);
        }
    }

    fn answer(&self, request: &Request) -> Response {
        let hosts = ["127.0.0.1", "localhost"].map(|name| format!("{name}:{}", self.port));
        let is_ours = |name: &str| hosts.iter().any(|host| host.eq_ignore_ascii_case(name));
        if !request.header("host").is_some_and(is_ours) {
            return Response::refusal(421, "this server answers to 127.0.0.1 and localhost, with its port, alone");
        }
        let origin = request.header("origin").map(|o| o.strip_prefix("http://").is_some_and(is_ours));
        if origin == Some(false) {
            return Response::refusal(403, "this server answers to its own page alone");
        }
        let (wanted, given) = match &*request.path {
            "/" | "/playground" => ("GET", request.parameter("token")),
            // A page of another site cannot send this header without being asked first.
            "/trace" => ("POST", request.header("x-strat-token")),
            _ => return Response::refusal(404, "there is nothing here but /, /playground and /trace"),
        };
        if request.method != wanted {
            return Response::refusal(405, format!("{} is asked for with {wanted}", request.path));
        }
        if !given.is_some_and(|given| same(given, &self.token)) {
            return Response::refusal(
                403,
                "the token is missing or wrong; open the address that strat serve printed",
            );
        }
        let page = |body: &str| Response { status: 200, kind: "text/html; charset=utf-8", body: body.into() };
        match &*request.path {
            "/" => page(&self.page),
            "/playground" => self.playground.as_deref().map_or_else(|why| Response::refusal(404, why), page),
            _ => self.trace(&request.body),
        }
    }

    /// The slide that a body asks for.
    fn trace(&self, body: &[u8]) -> Response {
        let wish: Wish = match serde_json::from_slice(body) {
            Ok(wish) => wish,
            Err(e) => return Response::refusal(400, format!("the body is not what the page sends: {e}")),
        };
        let learners: Vec<(String, u64)> = wish.learners.into_iter().map(|l| (l.row, l.seed)).collect();
        // A poisoned lock means a panic while reading, which changes nothing.
        let bench = self.bench.lock().unwrap_or_else(std::sync::PoisonError::into_inner);
        match bench.page_data(&learners, &[wish.example], None) {
            Ok(page_data) => Response {
                status: 200,
                kind: "application/json",
                body: serde_json::to_string(&page_data).expect("plain data"),
            },
            Err(e) => Response::refusal(422, e.to_string()),
        }
    }
}
