//! A report as one HTML file: nothing is fetched, everything that comes from files is escaped.

use super::document::{Figure, Picture, Provenance, Report, Section};
use crate::chart::{COLOURS, STYLE, escaped};
use crate::circuit::STYLE as CIRCUIT;
use crate::sheet::encode::{base64, date, sha256};
use crate::table::{Block, blocks, dagger, departures, interval, ours, theirs};
use std::collections::BTreeMap;
use std::fmt::Write;
use strat::result::{Cell, Verdict, thousands};

const PAGE_STYLE: &str = include_str!("page/page.css");
const SCRIPT: &str = concat!(
    include_str!("../sheet/shared.js"),
    include_str!("../circuit/page/drawing.js"),
    include_str!("../circuit/page/forward.js"),
    include_str!("../circuit/page/circuit.js"),
    include_str!("page/learner.js"),
    include_str!("page/page.js")
);

/// The page.
pub fn render(report: &Report) -> String {
    let mut out = String::new();
    let _ = write!(
        out,
        "<!doctype html>\n<html lang=\"en\">\n<head>\n<meta charset=\"utf-8\">\n\
         <meta name=\"viewport\" content=\"width=device-width, initial-scale=1\">\n\
         <meta http-equiv=\"Content-Security-Policy\" content=\"default-src 'none'; img-src data:; \
         style-src 'unsafe-inline'; script-src 'sha256-{}'\">\n\
         <title>STRAT: ours beside the paper's</title>\n\
         <style>\n{COLOURS}{PAGE_STYLE}{CIRCUIT}{STYLE}</style>\n</head>\n<body>\n",
        sha256(SCRIPT)
    );
    out.push_str("<header>\n<h1>STRAT: ours beside the paper’s</h1>\n</header>\n<main>\n<div class=\"opening\">\n<div>\n<div class=\"findings\">\n");
    for sentence in &report.findings {
        let _ = writeln!(out, "<p>{}</p>", escaped(sentence));
    }
    out.push_str("</div>\n");
    let main = report.main.and_then(|[s, f]| {
        let section = report.sections.get(s)?;
        Some((section, section.figures.get(f)?))
    });
    if let Some((section, _)) = main {
        let (id, title) = (&section.id, escaped(&section.title));
        let _ = writeln!(out, "<p class=\"small\">The figure is from <a href=\"#{id}\">{title}</a>.</p>");
    }
    out.push_str("</div>\n");
    if let Some((_, found)) = main {
        out.push_str("<div class=\"figures main\">\n");
        figure(&mut out, found);
        out.push_str("</div>\n");
    }
    out.push_str(
        "<div class=\"how\">\n<p class=\"small\">Made from the records of runs alone. In the tables, every figure stands with its 95 % interval \
         above the paper’s, and a mark says how they compare:</p>\n<ul class=\"key\">\n",
    );
    for v in Verdict::ALL {
        let _ = writeln!(out, "<li class=\"{}\"><b class=\"v\">{}</b> {}</li>", v.word(), v.mark(), v.meaning());
    }
    out.push_str("</ul>\n</div>\n");
    out.push_str("</div>\n");
    contents(&mut out, report);
    for (i, s) in report.sections.iter().enumerate() {
        let shown = report.main.filter(|main| main[0] == i).map(|main| main[1]);
        section(&mut out, s, shown, report.sections.len() == 1);
    }
    let _ = write!(
        out,
        "</main>\n<div id=\"tip\" role=\"status\" hidden></div>\n{}<script>{SCRIPT}</script>\n</body>\n</html>\n",
        weights(report)
    );
    out
}

/// What the page computes learners from, by section and row, if there are any.
fn weights(report: &Report) -> String {
    let found: BTreeMap<&str, _> =
        report.sections.iter().filter(|s| !s.circuits.is_empty()).map(|s| (&*s.id, &s.circuits)).collect();
    if found.is_empty() {
        return String::new();
    }
    // No name can end the element it stands in.
    let data = serde_json::to_string(&found).expect("plain data").replace('<', "\\u003c");
    format!("<script type=\"application/json\" id=\"circuits\">{data}</script>\n")
}

/// What there is, and how it compares.
fn contents(out: &mut String, report: &Report) {
    out.push_str(
        "<nav aria-label=\"Sections\">\n<h2>What there is</h2>\n<div class=\"scroll\"><table class=\"contents\">\n<thead><tr><th scope=\"col\">Section</th><th scope=\"col\">Learners</th>",
    );
    for v in Verdict::ALL {
        let _ = write!(out, "<th scope=\"col\" title=\"{}\">{} {}</th>", v.words(), v.word(), v.mark());
    }
    out.push_str("<th scope=\"col\">Checks hold</th></tr></thead>\n<tbody>\n");
    for s in &report.sections {
        let [done, all] = s.learners();
        let [done, all] = [done, all].map(|n| thousands(n as u64));
        let learners = if done == all { all } else { format!("{done} of {all}") };
        let held = s.checks.iter().filter(|c| c.holds).count();
        let checks = if s.checks.is_empty() { String::new() } else { format!("{held} of {}", s.checks.len()) };
        let counts = Verdict::ALL.map(|v| format!("<td class=\"number\">{}</td>", s.count(v))).concat();
        let _ = writeln!(
            out,
            "<tr><th scope=\"row\"><a href=\"#{}\">{}</a></th><td class=\"number\">{learners}</td>{counts}<td class=\"number\">{checks}</td></tr>",
            s.id,
            escaped(&s.title)
        );
    }
    out.push_str("</tbody></table></div>\n</nav>\n");
}

/// A section, folded if it is not the only one. The figure at place `shown` stands above all sections.
fn section(out: &mut String, s: &Section, shown: Option<usize>, alone: bool) {
    let folder = s.sources.first().filter(|p| p.weights).map_or("", |p| &p.folder);
    let _ = writeln!(
        out,
        "<section id=\"{}\" data-folder=\"{}\">\n<details{}>\n<summary><h2>{}</h2> <span class=\"about\">{}</span></summary>",
        s.id,
        escaped(folder),
        if alone { " open" } else { "" },
        escaped(&s.title),
        escaped(&s.about)
    );
    let _ = writeln!(out, "<p>{}</p>", escaped(&s.lead));
    for (title, cells) in &s.tables {
        if !title.is_empty() && !cells.is_empty() {
            let _ = writeln!(out, "<h3>{}</h3>", escaped(title));
        }
        blocks(cells).iter().for_each(|block| table(out, block));
        stand_ins(out, cells);
        for what in departures(cells) {
            let _ = writeln!(out, "<p class=\"small\">† {}.</p>", escaped(&what));
        }
    }
    out.push_str("<div class=\"figures\">\n");
    s.figures.iter().enumerate().filter(|(i, _)| shown != Some(*i)).for_each(|(_, f)| figure(out, f));
    out.push_str("</div>\n");
    if !s.checks.is_empty() {
        out.push_str("<h3>Checks</h3>\n<ul class=\"checks\">\n");
        for c in &s.checks {
            let (class, sign) = if c.holds { ("holds", "✓ holds") } else { ("fails", "✗ does not hold") };
            let _ = writeln!(out, "<li class=\"{class}\"><b>{sign}</b> {}</li>", escaped(&c.statement));
        }
        out.push_str("</ul>\n");
    }
    for (title, text) in s.notes.iter().filter(|(_, text)| !text.is_empty()) {
        if title.is_empty() {
            let _ = writeln!(out, "<pre>{}</pre>", escaped(text));
        } else {
            let (title, text) = (escaped(title), escaped(text));
            let _ = writeln!(out, "<details><summary>{title}</summary><pre>{text}</pre></details>");
        }
    }
    out.push_str("<h3>Made by</h3>\n");
    s.sources.chunk_by(|a, b| a.is_alike(b)).for_each(|alike| provenance(out, alike));
    out.push_str("</details>\n</section>\n");
}

/// What is not the paper's data, once for each row.
fn stand_ins(out: &mut String, cells: &[Cell]) {
    let mut notes: Vec<(&str, &str)> =
        cells.iter().filter_map(|c| Some((&*c.row, c.stand_in.as_deref()?))).collect();
    notes.dedup();
    for (row, what) in notes {
        let _ = writeln!(out, "<p class=\"small\">* {}: {}.</p>", escaped(row), escaped(what));
    }
}

fn table(out: &mut String, block: &Block<'_>) {
    out.push_str("<div class=\"scroll\"><table class=\"results\">\n<thead><tr><td></td>");
    for metric in &block.metrics {
        let _ = write!(out, "<th scope=\"col\">{}</th>", escaped(&metric.heading));
    }
    out.push_str("</tr></thead>\n<tbody>\n");
    for row in &block.rows {
        let drawn = block.metrics.iter().any(|m| block.cell(row, m).is_some_and(|c| c.stand_in.is_some()));
        let _ = write!(out, "<tr><th scope=\"row\">{}{}</th>", escaped(row), if drawn { "*" } else { "" });
        for metric in &block.metrics {
            match block.cell(row, metric) {
                Some(c) => cell(out, c),
                None => out.push_str("<td></td>"),
            }
        }
        out.push_str("</tr>\n");
    }
    out.push_str("</tbody></table></div>\n");
}

/// Ours, its interval, the paper's with the verdict. All digits stand in attributes.
fn cell(out: &mut String, c: &Cell) {
    let verdict = c.verdict.map_or("", Verdict::word);
    let end = |x: Option<f64>| x.map_or(String::new(), |x| x.to_string());
    let _ = write!(
        out,
        "<td class=\"{verdict}\" data-experiment=\"{}\" data-row=\"{}\" data-metric=\"{}\" data-value=\"{}\" data-low=\"{}\" \
         data-high=\"{}\" data-n=\"{}\"",
        escaped(&c.experiment),
        escaped(&c.row),
        escaped(&c.metric.name),
        c.value,
        end(c.interval().map(|[low, _]| low)),
        end(c.interval().map(|[_, high]| high)),
        c.n
    );
    if let Some(paper) = c.paper {
        let _ = write!(out, " data-paper=\"{paper}\" data-verdict=\"{verdict}\"");
    }
    // A table of means says once that they are in percent.
    let short = |text: String| match c.error.or(c.paper_error) {
        Some(_) => text.trim_end_matches(" %").to_string(),
        None => text,
    };
    let _ = write!(out, "><span class=\"ours\">{}</span>", short(ours(c)));
    if let Some(interval) = interval(c) {
        let _ = write!(out, "<span class=\"interval\">{interval}</span>");
    }
    if c.paper.is_some() {
        out.push_str("<span class=\"paper\">");
        if let Some(v) = c.verdict {
            let (words, sign) = (v.words(), v.mark());
            let _ = write!(out, "<b class=\"v\" role=\"img\" title=\"{words}\" aria-label=\"{words}\">{sign}</b> ");
        }
        let _ = write!(out, "{}{}</span>", short(theirs(c)), dagger(c));
    }
    out.push_str("</td>");
}

fn figure(out: &mut String, f: &Figure) {
    let (id, caption) = (escaped(&f.id), escaped(&f.caption));
    let wide = !matches!(&f.picture, Picture::Drawn(drawings) if drawings.len() == 1);
    let _ = writeln!(out, "<figure id=\"{id}\"{}>", if wide { " class=\"wide\"" } else { "" });
    match &f.picture {
        Picture::Drawn(drawings) => {
            out.push_str("<div class=\"panels\">\n");
            drawings.iter().for_each(|d| {
                let _ = writeln!(out, "{}", d.inline());
            });
            let _ = writeln!(
                out,
                "</div>\n<figcaption>{caption} <button type=\"button\" class=\"save\">Save SVG</button></figcaption>"
            );
        }
        // As an image it can neither run a script nor reach the page.
        Picture::Kept(svg) => {
            let data = format!("data:image/svg+xml;base64,{}", base64(svg.as_bytes()));
            let _ = writeln!(
                out,
                "<img class=\"kept\" alt=\"{caption}\" src=\"{data}\">\n<figcaption>{caption} As it was drawn when the run \
                 was made; its weights were not kept. <a class=\"save\" download=\"{id}.svg\" href=\"{data}\">Save SVG</a>\
                 </figcaption>"
            );
        }
    }
    out.push_str("</figure>\n");
}

/// Runs that differ in nothing but their folder and how far they are.
fn provenance(out: &mut String, alike: &[Provenance]) {
    let Some(p) = alike.first() else { return };
    out.push_str("<dl class=\"made\">\n<dt>Folder</dt>");
    for Provenance { folder, learners: [done, all], .. } in alike {
        let folder = escaped(folder);
        let [done, all] = [done, all].map(|n| thousands(*n as u64));
        let _ = if done == all {
            writeln!(out, "<dd>{folder}: {all} learner{}</dd>", if all == "1" { "" } else { "s" })
        } else {
            writeln!(out, "<dd class=\"unfinished\">{folder}: {done} of {all} learners</dd>")
        };
    }
    for command in &p.commands {
        let _ = writeln!(out, "<dt>Command</dt><dd><code>{}</code></dd>", escaped(command));
    }
    for machine in &p.machines {
        let _ = writeln!(out, "<dt>Machine</dt><dd>{}</dd>", escaped(machine));
    }
    let shard = p.shard.as_ref().map_or(String::new(), |s| format!(", shard {s}"));
    let _ = writeln!(
        out,
        "<dt>Program</dt><dd>strat {}, commit {}, {}; seeds {}{}</dd>",
        escaped(&p.version),
        escaped(&p.commit),
        escaped(&p.isa),
        escaped(&p.seeds),
        escaped(&shard)
    );
    if let Some(started) = p.started {
        let _ = writeln!(out, "<dt>Begun</dt><dd>{}</dd>", date(started));
    }
    out.push_str("</dl>\n");
}
