//! The keys that there are, and the nearest one to a slip.

/// Declares the keys: variant, section, name, what it is.
macro_rules! keys {
    ($($key:ident $path:literal $about:literal)*) => {
        /// A setting, in the order in which files have them and sweeps go through them.
        #[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
        pub(super) enum Key {
            $(#[doc = $about] $key,)*
        }

        impl Key {
            pub const ALL: &[Key] = &[$(Key::$key),*];

            /// As in messages and on the command line: `train.steps`.
            pub fn path(self) -> &'static str {
                match self {
                    $(Key::$key => $path,)*
                }
            }

            /// What a written configuration says of it.
            pub fn about(self) -> &'static str {
                match self {
                    $(Key::$key => $about,)*
                }
            }
        }
    };
}

// Models first and steps before the rest of training: learners of one model and as many steps then are neighbours, and
// can be trained by one machine. Mask before heads: a causal one has one head unless heads are given.
keys! {
    Seeds "seeds" "first and last seed, both included; every seed is a learner"
    Readout "task.readout" "class, binary, token-class, token-binary or number"
    Classes "task.classes" "how many classes there are"
    Kind "model.kind" "strat, transformer, lite, unityped, nac or nalu"
    Layers "model.layers" "blocks, one after the other"
    Mask "model.mask" "who sees whom: full, causal or torus"
    Window "model.window" "tokens that one sees, itself included; grows by itself where that is too few"
    Side "model.side" "rows and columns of the torus"
    Heads "model.heads" "attention heads; must divide the width of Type and route"
    Hidden "model.hidden" "hidden widths of the GLU or FFN, one or two; swept by a list of lists"
    Route "model.route" "width in which Data travels along the routes; false: it stays"
    UpdatesType "model.updates_type" "does attention update Type too?"
    Biases "model.biases" "have attention's projections biases?"
    StartRoutes "model.start_routes" "how queries and keys start: pytorch, xavier, kaiming or zero"
    StartValues "model.start_values" "the same of values and of what takes them back"
    StartGates "model.start_gates" "the same of STRAT's gates"
    StartHidden "model.start_hidden" "the same of the GLU or FFN"
    StartHead "model.start_head" "the same of the matrix that the answer is read with"
    StartOffsets "model.start_offsets" "standard deviation with which the biases of a torus start"
    ScaleScores "model.scale_scores" "are scores divided by the root of a head's width?"
    NormRoutes "model.norm_routes" "do STRAT's queries and keys read Type behind its LayerNorm?"
    Dropout "model.dropout" "share of the numbers added to a stream that are zero in training"
    Start "model.start" "how the matrices of an unityped model start: pytorch, xavier, kaiming or zero"
    Width "model.width" "dimensions of Type"
    Types "model.types" "where Type comes from: fixed, latent or items"
    Config "model.config" "a row of the paper's Table 2, as in \"A\" or \"A_ln\""
    Steps "train.steps" "optimizer steps; each sees all training examples"
    LearningRate "train.learning_rate" "of AdamW"
    WeightDecay "train.weight_decay" "apart from the gradient; 0 is Adam"
    Beta1 "train.beta1" "decay of the first moment"
    Beta2 "train.beta2" "decay of the second moment"
    Epsilon "train.epsilon" "added to the denominator"
    Schedule "train.schedule" "of the learning rate: constant, linear or cosine"
    Warmup "train.warmup" "steps in which the learning rate rises from 0"
    Clip "train.clip" "the longest gradient; false: any"
    Anneal "train.anneal" "last part in which gates become steps: { from, sharpness, rate }; false: none"
}

/// Tables of a file; all other keys of the first level stand alone.
pub(super) const SECTIONS: [&str; 3] = ["task", "model", "train"];

/// What the task decides, in words that someone could use for it.
const DECIDED: [&str; 5] = ["model.data", "model.stream", "model.readout", "model.classes", "model.tokens"];

/// Names from elsewhere, and what they are called here.
const ELSEWHERE: [(&str, Key); 16] = [
    ("epochs", Key::Steps),
    ("iterations", Key::Steps),
    ("lr", Key::LearningRate),
    ("rate", Key::LearningRate),
    ("decay", Key::WeightDecay),
    ("wd", Key::WeightDecay),
    ("eps", Key::Epsilon),
    ("grad_clip", Key::Clip),
    ("seed", Key::Seeds),
    ("depth", Key::Layers),
    ("num_layers", Key::Layers),
    ("num_heads", Key::Heads),
    ("architecture", Key::Kind),
    ("bias", Key::Biases),
    ("sight", Key::Mask),
    ("type_moves", Key::UpdatesType),
];

impl Key {
    pub fn of(path: &str) -> Option<Key> {
        Key::ALL.iter().copied().find(|key| key.path() == path)
    }

    /// Whether the task decides what this would set.
    pub fn is_decided(path: &str) -> bool {
        DECIDED.contains(&path)
    }

    /// Without its section.
    pub fn name(self) -> &'static str {
        self.path().rsplit('.').next().unwrap_or("")
    }

    /// What to write instead of a key that there is not.
    pub fn hint(path: &str) -> String {
        match Key::nearest(path) {
            Some(key) => format!("did you mean {}?", key.path()),
            None => {
                let section = path.split_once('.').map(|(section, _)| section);
                let mut known: Vec<&str> = match section.filter(|section| SECTIONS.contains(section)) {
                    Some(section) => Key::ALL.iter().map(|k| k.path()).filter(|p| p.starts_with(section)).collect(),
                    None => vec!["seeds", "[task]", "[model]", "[train]"],
                };
                let last = known.pop().unwrap_or("");
                format!("there are {} and {last}", known.join(", "))
            }
        }
    }

    fn nearest(path: &str) -> Option<Key> {
        let name = path.rsplit('.').next()?;
        let elsewhere = |name: &str| ELSEWHERE.iter().find(|known| known.0 == name).map(|known| known.1);
        // In its own section first, then the right name in the wrong section.
        let same = Key::ALL.iter().copied().find(|key| key.name() == name);
        let close = |a: &str, b: &str| (distance(a, b), a.len().min(b.len()) / 3);
        let by_distance = |of: &dyn Fn(Key) -> (usize, usize)| {
            let all = Key::ALL.iter().map(|&key| (of(key), key)).filter(|((found, most), _)| found <= most);
            all.min_by_key(|((found, _), _)| *found).map(|(_, key)| key)
        };
        same.or_else(|| elsewhere(name))
            .or_else(|| by_distance(&|key| close(key.path(), path)))
            .or_else(|| by_distance(&|key| close(key.name(), name)))
    }
}

/// Characters to insert, delete, replace or swap with their neighbour.
fn distance(a: &str, b: &str) -> usize {
    // A long key is near to none of ours.
    let [a, b] = [a, b].map(|text| text.chars().take(64).collect::<Vec<char>>());
    let mut rows = vec![(0..=b.len()).collect::<Vec<usize>>()];
    for i in 1..=a.len() {
        let mut row = vec![i];
        for j in 1..=b.len() {
            let replaced = rows[i - 1][j - 1] + usize::from(a[i - 1] != b[j - 1]);
            let mut best = replaced.min(row[j - 1] + 1).min(rows[i - 1][j] + 1);
            if i > 1 && j > 1 && a[i - 1] == b[j - 2] && a[i - 2] == b[j - 1] {
                best = best.min(rows[i - 2][j - 2] + 1);
            }
            row.push(best);
        }
        rows.push(row);
    }
    rows[a.len()][b.len()]
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn slips_are_counted() {
        for (a, b, d) in [("", "abc", 3), ("steps", "steps", 0), ("setps", "steps", 1), ("kitten", "sitting", 3)] {
            assert_eq!((distance(a, b), distance(b, a)), (d, d), "{a} {b}");
        }
    }

    #[test]
    fn a_long_word_is_near_to_no_key() {
        let hint = Key::hint("train.zzzzzzzzzzzz");
        assert!(hint.starts_with("there are train.steps, train.learning_rate"), "{hint}");
        assert_eq!(Key::hint("optimizer"), "there are seeds, [task], [model] and [train]");
        assert_eq!(Key::hint("model.learning_rate"), "did you mean train.learning_rate?");
    }
}
