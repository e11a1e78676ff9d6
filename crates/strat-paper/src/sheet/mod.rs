//! What all pages with a script and data have: one file that loads nothing.

pub(crate) mod encode;

use crate::chart::escaped;
use encode::sha256;

/// The parts of a page.
pub(crate) struct Sheet<'a> {
    pub title: &'a str,
    pub style: &'a str,
    pub body: &'a str,
    pub script: &'a str,
    /// JSON.
    pub data: &'a str,
    /// Whom it may ask for more.
    pub connect: &'a str,
}

/// The page. Whatever its policy does not list is forbidden: no other script, no network.
pub(crate) fn assemble(sheet: &Sheet<'_>) -> String {
    let Sheet { title, style, body, script, data, connect } = sheet;
    // No text of a file can end the element it stands in.
    let data = data.replace('<', "\\u003c");
    let policy = format!(
        "default-src 'none'; script-src 'sha256-{}'; style-src 'sha256-{}'; img-src data: blob:; connect-src {connect}; \
         base-uri 'none'; form-action 'none'",
        sha256(script),
        sha256(style),
    );
    format!(
        "<!doctype html>\n<html lang=\"en\">\n<head>\n<meta charset=\"utf-8\">\n\
         <meta http-equiv=\"Content-Security-Policy\" content=\"{policy}\">\n\
         <meta name=\"viewport\" content=\"width=device-width, initial-scale=1\">\n\
         <meta name=\"referrer\" content=\"no-referrer\">\n\
         <title>{}</title>\n<style>{style}</style>\n</head>\n<body>\n{body}\
         <script type=\"application/json\" id=\"data\">{data}</script>\n\
         <script>{script}</script>\n</body>\n</html>\n",
        escaped(title),
    )
}
