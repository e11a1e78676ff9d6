//! HTTP: asks for a file or the rest of one, and says what came of it.

use super::fetch::FetchError;
use std::io::{self, Read};
use std::path::Path;
use std::time::Duration;
use ureq::http::{Response, header};
use ureq::{Agent, Body, Error};

const CONNECT: Duration = Duration::from_secs(20);
/// Longest silence within an answer.
const SILENCE: Duration = Duration::from_secs(30);
/// GitHub and Hugging Face redirect once or twice.
const REDIRECTS: u32 = 5;

/// One address, and how to ask it.
pub(super) struct Transport {
    pub url: String,
    agent: Agent,
    path: std::path::PathBuf,
}

/// What a server gave.
pub(super) enum Answer {
    /// The file from a byte on; `total` is the whole file's size.
    From { start: u64, body: Box<dyn Read>, total: Option<u64> },
    /// There is no more than we have.
    Complete,
    /// There is no such part.
    Elsewhere,
    /// The connection broke before an answer came.
    Broken(String),
}

impl Transport {
    /// `path` is where the file will go, for messages.
    pub fn new(url: &str, path: &Path) -> Result<Self, FetchError> {
        let https = url.starts_with("https:");
        if let (true, Some(feature)) = (https, lacking()) {
            return Err(FetchError::Processor { url: url.into(), feature, path: path.into() });
        }
        let config = Agent::config_builder()
            .https_only(https)
            .http_status_as_error(false)
            .max_redirects(REDIRECTS)
            .user_agent(concat!("strat/", env!("CARGO_PKG_VERSION")))
            .accept_encoding("identity") // bytes as they are stored
            .timeout_connect(Some(CONNECT))
            .timeout_recv_response(Some(SILENCE))
            .timeout_per_read(Some(SILENCE))
            .tls_config(tls())
            .build();
        Ok(Transport { url: url.into(), agent: config.new_agent(), path: path.into() })
    }

    /// Asks for what comes after the first `have` bytes.
    pub fn get(&self, have: u64) -> Result<Answer, FetchError> {
        let mut request = self.agent.get(&self.url);
        if have > 0 {
            request = request.header(header::RANGE, format!("bytes={have}-"));
        }
        let response = match request.call() {
            Ok(response) => response,
            Err(e) => return self.no_answer(e),
        };
        let (status, range) = (response.status().as_u16(), content_range(&response));
        Ok(match (status, range) {
            (200, _) => {
                let total = response.body().content_length();
                Answer::From { start: 0, total, body: body(response) }
            }
            (206, Some((Some(start), total))) => Answer::From { start, total, body: body(response) },
            (416, Some((_, Some(total)))) if total == have => Answer::Complete,
            (206 | 416, _) => Answer::Elsewhere,
            (500..=599, _) => Answer::Broken(format!("the server answers with status {status}")),
            _ => return Err(FetchError::Status { url: self.url.clone(), status }),
        })
    }

    fn no_answer(&self, error: Error) -> Result<Answer, FetchError> {
        let url = self.url.clone();
        let reason = error.to_string();
        let unreachable = match &error {
            Error::TooManyRedirects => return Err(FetchError::Redirects { url }),
            Error::HostNotFound | Error::ConnectionFailed => true,
            Error::Timeout(ureq::Timeout::Resolve | ureq::Timeout::Connect) => true,
            Error::Io(e) => match e.kind() {
                io::ErrorKind::ConnectionReset
                | io::ErrorKind::ConnectionAborted
                | io::ErrorKind::BrokenPipe
                | io::ErrorKind::UnexpectedEof => return Ok(Answer::Broken(reason)),
                // A certificate that does not convince, for one: there is a connection, but not to whom we asked.
                io::ErrorKind::InvalidData => false,
                _ => true,
            },
            Error::Timeout(_) => return Ok(Answer::Broken(reason)),
            _ => false,
        };
        let host = url.split('/').nth(2).unwrap_or(&url).to_string();
        Err(if unreachable {
            FetchError::Offline { host, url, path: self.path.clone(), reason }
        } else {
            FetchError::Protocol { url, reason }
        })
    }
}

/// No limit of its own: ours is in bytes of the file, whatever part of it comes.
fn body(response: Response<Body>) -> Box<dyn Read> {
    Box::new(response.into_body().into_with_config().limit(u64::MAX).reader())
}

/// Start and total of `bytes 5-9/10`, `bytes 5-9/*` or `bytes */10`.
fn content_range(response: &Response<Body>) -> Option<(Option<u64>, Option<u64>)> {
    let text = response.headers().get(header::CONTENT_RANGE)?.to_str().ok()?;
    let (range, total) = text.trim().strip_prefix("bytes ")?.split_once('/')?;
    let start = range.split('-').next().and_then(|s| s.trim().parse().ok());
    Some((start, total.trim().parse().ok()))
}

#[cfg(any(target_arch = "x86_64", target_arch = "aarch64"))]
fn tls() -> ureq::tls::TlsConfig {
    let provider = std::sync::Arc::new(rustls_graviola::default_provider());
    ureq::tls::TlsConfig::builder().unversioned_rustls_crypto_provider(provider).build()
}

#[cfg(not(any(target_arch = "x86_64", target_arch = "aarch64")))]
fn tls() -> ureq::tls::TlsConfig {
    ureq::tls::TlsConfig::default()
}

/// The first instruction that encryption needs and this processor lacks; Graviola would panic.
fn lacking() -> Option<&'static str> {
    macro_rules! first_lacking {
        ($detected:ident: $($feature:tt)*) => {
            [$(($feature, std::arch::$detected!($feature))),*].into_iter().find(|f| !f.1).map(|f| f.0)
        };
    }
    #[cfg(target_arch = "x86_64")]
    return first_lacking!(is_x86_feature_detected: "aes" "pclmulqdq" "ssse3" "bmi1" "bmi2" "adx" "avx" "avx2");
    #[cfg(target_arch = "aarch64")]
    return first_lacking!(is_aarch64_feature_detected: "neon" "aes" "pmull" "sha2");
    #[cfg(not(any(target_arch = "x86_64", target_arch = "aarch64")))]
    return Some("x86-64 or aarch64 instructions");
}
