//! The page: one file with its style, its script and its data, which asks nobody for anything.

use super::page_data::PageData;
use crate::chart::COLOURS;
use crate::circuit::STYLE as CIRCUIT;
use crate::sheet::{Sheet, assemble as sheet};
use serde::Serialize;

/// The largest page, in bytes.
pub const LARGEST_PAGE: usize = 5_000_000;

const STYLE: &str = include_str!("page/microscope.css");
const SCRIPT: &str = concat!(
    include_str!("../sheet/shared.js"),
    include_str!("../circuit/page/drawing.js"),
    include_str!("../circuit/page/forward.js"),
    include_str!("../circuit/page/circuit.js"),
    include_str!("page/reading.js"),
    include_str!("page/board.js"),
    include_str!("page/panels.js"),
    include_str!("page/microscope.js")
);
const BODY: &str = include_str!("page/body.html");

/// Why there is no page.
#[derive(Debug, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum PageError {
    /// More than a browser opens gladly.
    #[error(
        "the page would have {:.1} MB, more than {:.0}; show fewer or shorter examples, fewer --snapshots, or one learner",
        *.0 as f64 / 1e6, LARGEST_PAGE as f64 / 1e6
    )]
    TooLarge(usize),
}

/// What a page that asks a server needs to know.
#[derive(Clone, Debug, Serialize)]
pub struct Live {
    /// How an example is typed.
    pub form: String,
    /// Learners that can be asked for: row and seeds.
    pub rows: Vec<(String, Vec<u64>)>,
}

/// A page that stands for itself.
pub fn page(title: &str, page_data: &PageData) -> Result<String, PageError> {
    let page = assemble(title, page_data, None);
    if page.len() > LARGEST_PAGE { Err(PageError::TooLarge(page.len())) } else { Ok(page) }
}

/// A page that asks the server it comes from for more.
pub fn live_page(title: &str, page_data: &PageData, live: &Live) -> String {
    assemble(title, page_data, Some(live))
}

fn assemble(title: &str, page_data: &PageData, live: Option<&Live>) -> String {
    #[derive(Serialize)]
    struct Data<'a> {
        title: &'a str,
        live: Option<&'a Live>,
        #[serde(flatten)]
        page_data: &'a PageData,
    }
    let data = serde_json::to_string(&Data { title, live, page_data }).expect("plain data");
    let connect = if live.is_some() { "'self'" } else { "'none'" };
    sheet(&Sheet {
        title,
        style: &format!("{COLOURS}{STYLE}{CIRCUIT}"),
        body: BODY,
        script: SCRIPT,
        data: &data,
        connect,
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::sheet::encode::sha256;
    use std::sync::Arc;
    use strat::model::Unityped;
    use strat::task::SumTask;
    use strat::trace::{ExampleSource, TracedExample};

    fn sum() -> TracedExample {
        let source = ExampleSource::new(Arc::new(Unityped::Ref), Arc::new(SumTask::ABLATION));
        source.read("1 + 2").unwrap()
    }

    /// Text that could end an element does not: a row or an example can be called anything.
    #[test]
    fn names_cannot_leave_their_place() {
        let mut example = sum();
        let evil = "</script><script>alert(1)</script><!--";
        example.text = evil.into();
        let page = page(evil, &PageData { examples: vec![example], learners: vec![] }).unwrap();
        assert!(!page.contains(evil) && page.matches("<script").count() == 2 && !page.contains("<!--"));
        assert!(page.contains("&lt;/script&gt;"), "the title is shown as it is");
        let data = page.split_once("id=\"data\">").unwrap().1.split_once("</script>").unwrap().0;
        let data: serde_json::Value = serde_json::from_str(data).unwrap();
        assert_eq!((&data["title"], &data["examples"][0]["text"]), (&evil.into(), &evil.into()));
    }

    #[test]
    fn a_page_that_is_too_large_is_refused() {
        let mut example = sum();
        example.text = "x".repeat(LARGEST_PAGE);
        let refused = page("large", &PageData { examples: vec![example], learners: vec![] }).unwrap_err();
        assert!(refused.to_string().starts_with("the page would have 5.1 MB, more than 5;"), "{refused}");
    }

    /// What the policy allows is what is there.
    #[test]
    fn only_the_pages_own_script_and_style_are_allowed() {
        let page = page("t", &PageData { examples: vec![], learners: vec![] }).unwrap();
        for part in [SCRIPT.to_string(), format!("{COLOURS}{STYLE}{CIRCUIT}")] {
            assert!(page.contains(&format!("'sha256-{}'", sha256(&part))) && page.contains(&part));
        }
        assert!(!page.contains("unsafe-inline") && !page.contains(" style="));
    }
}
