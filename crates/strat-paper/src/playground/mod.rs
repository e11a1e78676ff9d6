//! The playground: ten sums are taught and tested in a browser, by the library itself as a WebAssembly module (the crate
//! `strat-web`). One file, which asks nobody for anything.

use crate::chart::COLOURS;
use crate::sheet::encode::{base64, sha256};

const STYLE: &str = include_str!("page/playground.css");
const WORKER: &str = concat!(include_str!("page/module.js"), include_str!("page/worker.js"));
const SCRIPT: &str = concat!(
    include_str!("page/module.js"),
    include_str!("page/unpack.js"),
    include_str!("page/state.js"),
    include_str!("page/teach.js"),
    include_str!("page/lesson.js"),
    include_str!("page/tour.js"),
    include_str!("page/exam.js"),
    include_str!("page/circuit.js"),
    include_str!("page/why.js"),
    include_str!("page/table.js"),
    include_str!("page/copy.js"),
    include_str!("page/main.js"),
);
const BODY: &str = include_str!("page/body.html");

/// A script without its comments and indentation, which would be 2 kB to load.
fn lean(script: &str) -> String {
    let lines = script.lines().map(str::trim).filter(|line| !line.is_empty() && !line.starts_with("//"));
    lines.flat_map(|line| [line, "\n"]).collect()
}

/// The page, of a module that was packed with LZMA.
pub fn page(module: &[u8]) -> String {
    // Whatever is not listed is forbidden: no other script, no network. Workers are made of the page's own text, and have its
    // policy.
    let style = format!("{COLOURS}{STYLE}");
    let [script, worker] = [SCRIPT, WORKER].map(lean);
    let policy = format!(
        "default-src 'none'; script-src 'sha256-{}' 'wasm-unsafe-eval'; worker-src blob:; style-src 'sha256-{}'; \
         img-src data: blob:; base-uri 'none'; form-action 'none'",
        sha256(&script),
        sha256(&style),
    );
    format!(
        "<!doctype html>\n<html lang=\"en\">\n<head>\n<meta charset=\"utf-8\">\n\
         <meta http-equiv=\"Content-Security-Policy\" content=\"{policy}\">\n\
         <meta name=\"viewport\" content=\"width=device-width, initial-scale=1\">\n\
         <meta name=\"referrer\" content=\"no-referrer\">\n\
         <meta name=\"description\" content=\"Teach a machine arithmetic with ten examples; then watch it fail, and find out \
         why.\">\n<title>STRAT: ten examples</title>\n<style>{style}</style>\n</head>\n<body>\n{BODY}\
         <script type=\"text/plain\" id=\"wasm\">{}</script>\n<script type=\"text/plain\" id=\"worker\">{worker}</script>\n\
         <script>{script}</script>\n</body>\n</html>\n",
        base64(module),
    )
}

#[cfg(test)]
mod tests {
    use super::*;

    /// What the policy allows is what is there, and nothing in it ends an element early.
    #[test]
    fn the_page_has_its_parts() {
        let page = page(b"module");
        let script = lean(SCRIPT);
        assert!(page.contains(&format!("'sha256-{}'", sha256(&script))) && page.contains(&script));
        assert_eq!(lean("// why\n  a = 1; // b\n\n"), "a = 1; // b\n");
        assert!(page.contains(&format!("id=\"wasm\">{}</script>", base64(b"module"))));
        assert_eq!(page.matches("<script").count(), 3);
        assert_eq!(page.matches("</script").count(), 3);
        assert!(!page.contains(" style=") && page.matches("://").count() == 1, "but for SVG's name");
        for part in [SCRIPT, WORKER] {
            assert!(!part.contains("</") && !part.contains("<!--"));
        }
    }
}
