//! How a series looks: by its name alone, so that it looks the same wherever it stands.

/// The colours of series are the classes `s0` to `s5`: Type's violet, Data's teal, the Transformer's grey, orange, blue,
/// ochre.
const VIOLET: usize = 0;
const TEAL: usize = 1;
const GREY: usize = 2;
const ORANGE: usize = 3;
const BLUE: usize = 4;
const OCHRE: usize = 5;

/// Series of the paper by the beginning of their names; the longer ones first.
const KNOWN: [(&str, usize); 16] = [
    ("Transformer", GREY),
    ("Baseline", GREY),
    ("STRAT Flat MH", OCHRE),
    ("STRAT Flat", ORANGE),
    ("STRAT Compact", BLUE),
    ("STRAT", VIOLET),
    ("Std", VIOLET),
    ("Arithmetic", VIOLET),
    ("Grocery", TEAL),
    ("LSTM-controlled NALU", BLUE),
    ("LSTM-controlled NAC", ORANGE),
    ("A_", GREY),
    ("B_", ORANGE),
    ("C_", BLUE),
    ("Number", TEAL),
    ("Plus", BLUE),
];
/// Colours of all others.
const OTHERS: [usize; 4] = [TEAL, ORANGE, BLUE, OCHRE];
/// How lines of the paper's variants are dashed, and of ours: one number for those that never stand in one figure.
const DASHED: [&[&str]; DASHES] = [
    &["s", "fl", "g", "annealed"],
    &["ln", "fa", "sb", "only β₂ 0.95"],
    &["curr", "ortho", "b", "annealed without sharpening"],
    &["c", "bi", "annealed on shuffled answers"],
];
/// How many ways there are to dash a line.
const DASHES: usize = 4;

/// A colour and, of variants of a series, how its lines are dashed.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Look {
    colour: usize,
    dashes: usize,
}

impl Look {
    /// Of a name. What stands behind a comma or an underscore is a variant of what stands before.
    pub fn of(name: &str) -> Look {
        let dashes = name.split_once([',', '_']).map_or(0, |(_, variant)| {
            let variant = variant.trim();
            let known = DASHED.iter().position(|variants| variants.contains(&variant));
            1 + known.unwrap_or_else(|| mixed(variant) % DASHES)
        });
        let base = name.split(',').next().unwrap_or(name);
        let known = KNOWN.iter().find(|(beginning, _)| name.starts_with(beginning)).map(|(_, colour)| *colour);
        // The configuration A alone is one letter.
        let known = known.or((base == "A").then_some(GREY));
        let colour = known.unwrap_or_else(|| OTHERS[mixed(base) % OTHERS.len()]);
        Look { colour, dashes }
    }

    /// Of a colour by its number.
    pub fn coloured(colour: usize) -> Look {
        Look { colour: colour % (OCHRE + 1), dashes: 0 }
    }

    /// Its classes.
    pub fn classes(self) -> String {
        let Look { colour, dashes } = self;
        if dashes == 0 { format!("series s{colour}") } else { format!("series s{colour} d{dashes}") }
    }
}

/// A number of a text (FNV-1a).
fn mixed(text: &str) -> usize {
    let hash = text.bytes().fold(0x811c_9dc5, |hash: u32, b| (hash ^ u32::from(b)).wrapping_mul(0x0100_0193));
    (hash >> 7) as usize
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::chart::COLOURS;
    use std::collections::{BTreeMap, BTreeSet};

    #[test]
    fn the_papers_models_have_their_colours_in_every_section() {
        let colour = |name: &str| Look::of(name).colour;
        assert_eq!(["Transformer", "Baseline (Config A)", "A", "A_s"].map(colour), [GREY; 4]);
        assert_eq!(
            ["STRAT", "STRAT-Lite (fixed types)", "STRAT Std (4D/1H)", "Std, untrained"].map(colour),
            [VIOLET; 4]
        );
        assert_eq!(colour("mine, slower"), colour("mine"));
    }

    /// Lines of one colour in one figure are told apart by their dashes.
    #[test]
    fn variants_of_a_series_differ() {
        let families: [&[&str]; 4] = [
            &["A", "A_s", "A_ln", "A_curr"],
            &["B_fl", "B_fa", "B_ortho", "B_c"],
            &["C_g", "C_sb", "C_b", "C_bi"],
            &[
                "STRAT Std (4D/1H)",
                "STRAT Std (4D/1H), annealed",
                "Std, only β₂ 0.95",
                "Std, annealed without sharpening",
                "Std, annealed on shuffled answers",
            ],
        ];
        for family in families {
            let looks: BTreeSet<usize> = family.iter().map(|name| Look::of(name).dashes).collect();
            assert_eq!(looks.len(), family.len(), "{family:?}: {looks:?}");
        }
    }

    /// Colours by name, light and dark.
    fn palettes() -> [BTreeMap<&'static str, [f64; 3]>; 2] {
        let (light, dark) = COLOURS.split_once("@media").unwrap();
        [light, dark].map(|part| {
            let entry = |line: &'static str| {
                let (name, value) = line.trim().strip_prefix("--")?.strip_suffix(';')?.split_once(": #")?;
                let channel =
                    |i: usize| f64::from(u8::from_str_radix(&value[2 * i..2 * i + 2], 16).unwrap()) / 255.0;
                Some((name, [0, 1, 2].map(channel)))
            };
            part.lines().filter_map(entry).collect()
        })
    }

    /// By the Web Content Accessibility Guidelines.
    fn luminance(colour: [f64; 3]) -> f64 {
        let linear = |x: f64| if x <= 0.04045 { x / 12.92 } else { ((x + 0.055) / 1.055).powf(2.4) };
        let [r, g, b] = colour.map(linear);
        0.2126 * r + 0.7152 * g + 0.0722 * b
    }

    fn contrast(a: [f64; 3], b: [f64; 3]) -> f64 {
        let (a, b) = (luminance(a), luminance(b));
        (a.max(b) + 0.05) / (a.min(b) + 0.05)
    }

    /// Every text on every ground that it may stand on, light and dark.
    #[test]
    fn every_text_is_read_on_every_tint() {
        let [light, dark] = palettes();
        assert_eq!(light.keys().collect::<Vec<_>>(), dark.keys().collect::<Vec<_>>(), "both have all colours");
        let grounds = |name: &&&str| ["paper", "plot"].contains(*name) || name.starts_with("tint-");
        let texts = [
            "ink",
            "quiet",
            "type",
            "data",
            "transformer",
            "orange",
            "blue",
            "ochre",
            "better",
            "worse",
            "same",
            "uncertain",
        ];
        for palette in [&light, &dark] {
            for ground in palette.keys().filter(grounds) {
                for text in texts {
                    let found = contrast(palette[text], palette[ground]);
                    assert!(
                        found >= 4.5,
                        "{text} on {ground}: {found:.2}, {}",
                        if palette == &light { "light" } else { "dark" }
                    );
                }
            }
            // On the tip beside the pointer, ground and text are swapped.
            assert!(contrast(palette["paper"], palette["ink"]) >= 4.5);
        }
        assert!((contrast([0.0; 3], [1.0; 3]) - 21.0).abs() < 1e-9, "black on white has the most");
    }

    /// As someone sees them who has no red or no green receptors, colours that stand beside each other differ.
    #[test]
    fn colours_differ_for_the_colour_blind() {
        // Viénot, Brettel and Mollon (1999), in linear light.
        let seen = [
            ("red", [[0.11238, 0.88762, 0.0], [0.11238, 0.88762, 0.0], [0.00401, -0.00401, 1.0]]),
            ("green", [[0.29275, 0.70725, 0.0], [0.29275, 0.70725, 0.0], [-0.02234, 0.02234, 1.0]]),
        ];
        let linear = |x: f64| if x <= 0.04045 { x / 12.92 } else { ((x + 0.055) / 1.055).powf(2.4) };
        let pairs = [
            ("better", "worse"),
            ("type", "data"),
            ("type", "transformer"),
            ("type", "orange"),
            ("data", "orange"),
        ];
        for palette in palettes() {
            for (which, matrix) in seen {
                let view = |name: &str| {
                    let c = palette[name].map(linear);
                    // Roughly as far apart as they look: light and dark matter by their cube roots.
                    matrix.map(|row: [f64; 3]| row.iter().zip(c).map(|(m, x)| m * x).sum::<f64>().max(0.0).cbrt())
                };
                for (a, b) in pairs {
                    let apart = view(a).iter().zip(view(b)).map(|(x, y)| (x - y).powi(2)).sum::<f64>().sqrt();
                    assert!(apart > 0.1, "{a} and {b} without {which}: {apart:.3}");
                }
            }
        }
    }
}
