//! Figures as SVG. Their looks are classes, so that a page can show them light or dark; a file of its own
//! brings its looks along ([`Drawing::standalone`]).

mod axis;
mod canvas;
pub mod curves;
pub mod dots;
mod frame;
pub mod lead;
mod look;
pub mod pairs;
pub mod scatter;
pub mod slope;
pub mod swarm;

pub use canvas::Drawing;
pub(crate) use canvas::escaped;

/// How the classes look.
pub const STYLE: &str = include_str!("chart.css");
/// The colours of [`STYLE`] and of all pages, light and dark.
pub const COLOURS: &str = include_str!("colours.css");

/// Width of every drawing, so that they stand side by side and fill a phone.
pub(crate) const WIDTH: f64 = 440.0;
/// What is free on the right, so that a number below the axis' end has room.
const RIGHT: f64 = 26.0;
