//! The page: one file with its style, its script and its data, which asks nobody for anything.

use super::data::FitData;
use crate::chart::COLOURS;
use crate::sheet::{Sheet, assemble};

const STYLE: &str = include_str!("page/fit.css");
const SCRIPT: &str = concat!(include_str!("../sheet/shared.js"), include_str!("page/fit.js"));
const BODY: &str = include_str!("page/body.html");

/// The page of a table.
pub fn page(data: &FitData) -> String {
    assemble(&Sheet {
        title: &format!("{} from {}", data.target, data.name),
        style: &format!("{COLOURS}{STYLE}"),
        body: BODY,
        script: SCRIPT,
        data: &serde_json::to_string(data).expect("plain data"),
        connect: "'none'",
    })
}
