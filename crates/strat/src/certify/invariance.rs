//! Whether values can ever decide where a model looks or what it lets through: read off its graph, whatever the weights.

use crate::engine::Graph;

/// A route or a gate, and the inputs that a path leads from to it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Control {
    /// Its name in a [trace](crate::trace).
    pub name: String,
    /// Inputs by name.
    pub inputs: Vec<String>,
}

impl Control {
    /// Whether values reach it.
    pub fn sees_data(&self) -> bool {
        self.inputs.iter().any(|input| is_data(input))
    }

    /// Every route and gate of a model.
    pub fn all(graph: &Graph) -> Vec<Control> {
        let is_control = |name: &str| name.ends_with("routes") || name.ends_with("gate");
        let control = |(name, node)| Control {
            name: String::from(name),
            inputs: graph.inputs_of(node).into_iter().map(String::from).collect(),
        };
        graph.names().filter(|(name, _)| is_control(name)).map(control).collect()
    }

    /// In a line: which of them values reach.
    pub fn words(controls: &[Control]) -> String {
        let reached: Vec<&str> = controls.iter().filter(|c| c.sees_data()).map(|c| c.name.as_str()).collect();
        match (controls.len(), &reached[..]) {
            (0, _) => "it has no routes or gates".into(),
            (n, []) => {
                format!("no path leads from Data to any of its {n} routes and gates: values cannot change them")
            }
            (n, reached) => {
                format!("Data reaches {} of its {n} routes and gates, {} first", reached.len(), reached[0])
            }
        }
    }
}

/// The inputs that carry values: Data of the models of §7, numbers of the arithmetic ones.
fn is_data(input: &str) -> bool {
    matches!(input, "data" | "value")
}
