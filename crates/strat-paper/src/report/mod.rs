//! Results as pages and text: Markdown, CSV, HTML with figures. Made of records alone, whoever made these.

pub mod activations;
pub mod collect;
pub mod document;
pub mod html;
pub mod learner;
pub mod plain;
