//! Randomness has one door: numbers keyed by (seed, stream, step, index).
//!
//! Philox4x32-10 (Salmon et al., 2011) turns the key into four random words with no
//! state to carry along, so a learner draws the same numbers whoever trains beside
//! it, on whichever thread, in whichever order.

/// What the numbers are for. Streams of one seed are independent.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[repr(u32)]
#[non_exhaustive]
pub enum Stream {
    /// Initial weights; the step is the parameter's position in the model.
    Init = 0,
    /// Training examples; the step is the training step.
    Train = 1,
    /// In-distribution test examples.
    TestId = 2,
    /// Out-of-distribution test examples.
    TestOod = 3,
    /// Resampling for intervals; the step is the resample.
    Bootstrap = 4,
    /// Choice of base examples; the step is the attempt.
    Pick = 5,
    /// What an epoch makes of its base examples; the step is the epoch.
    Augment = 6,
    /// Data that stands in for a file; the step is the item.
    StandIn = 7,
    /// The search for a teaching set; the step is the attempt.
    Teach = 8,
    /// What is dropped in training; the step is the training step.
    Dropout = 9,
}

/// The random words of one (seed, stream, step), in order of index.
#[derive(Clone, Debug)]
pub struct RandomStream {
    key: [u32; 2],
    counter: [u32; 4],
    block: [u32; 4],
    used: usize,
}

impl RandomStream {
    /// Starts at index 0.
    pub fn new(seed: u64, stream: Stream, step: u32) -> Self {
        Self::at(seed, stream, step, 0)
    }

    /// Starts at the block `index` (of four words).
    pub fn at(seed: u64, stream: Stream, step: u32, index: u32) -> Self {
        RandomStream {
            key: [seed as u32, (seed >> 32) as u32],
            counter: [index, step, stream as u32, 0],
            block: [0; 4],
            used: 4,
        }
    }

    /// The next word.
    pub fn word(&mut self) -> u32 {
        if self.used == 4 {
            self.block = philox(self.counter, self.key);
            self.counter[0] += 1;
            self.used = 0;
        }
        self.used += 1;
        self.block[self.used - 1]
    }

    /// Uniform in `0..n` (bias below `n`·2⁻³²).
    pub fn below(&mut self, n: u32) -> u32 {
        ((u64::from(self.word()) * u64::from(n)) >> 32) as u32
    }

    /// Puts items into a random order (Fisher–Yates).
    pub fn shuffle<T>(&mut self, items: &mut [T]) {
        for i in (1..items.len()).rev() {
            items.swap(i, self.below(i as u32 + 1) as usize);
        }
    }

    /// `0..N` in a random order.
    pub fn permutation<const N: usize>(&mut self) -> [usize; N] {
        let mut order = std::array::from_fn(|i| i);
        self.shuffle(&mut order);
        order
    }

    /// Uniform in the open interval (0, 1).
    pub fn uniform(&mut self) -> f64 {
        (f64::from(self.word()) + 0.5) * (1.0 / 4_294_967_296.0)
    }

    /// Standard normal (Box–Muller; the second value is not kept).
    pub fn normal(&mut self) -> f64 {
        let (u, v) = (self.uniform(), self.uniform());
        libm::sqrt(-2.0 * libm::log(u)) * libm::cos(std::f64::consts::TAU * v)
    }
}

fn philox(mut counter: [u32; 4], mut key: [u32; 2]) -> [u32; 4] {
    let wide = |a: u32, b: u32| {
        let p = u64::from(a) * u64::from(b);
        ((p >> 32) as u32, p as u32)
    };
    for _ in 0..10 {
        let (hi0, lo0) = wide(0xD251_1F53, counter[0]);
        let (hi1, lo1) = wide(0xCD9E_8D57, counter[2]);
        counter = [hi1 ^ counter[1] ^ key[0], lo1, hi0 ^ counter[3] ^ key[1], lo0];
        key = [key[0].wrapping_add(0x9E37_79B9), key[1].wrapping_add(0xBB67_AE85)];
    }
    counter
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn philox_gives_the_published_vectors() {
        // Known answers of the Random123 distribution.
        assert_eq!(philox([0; 4], [0; 2]), [0x6627e8d5, 0xe169c58d, 0xbc57ac4c, 0x9b00dbd8]);
        assert_eq!(philox([!0; 4], [!0; 2]), [0x408f276d, 0x41c83b0e, 0xa20bc7c6, 0x6d5451fd]);
        assert_eq!(
            philox([0x243f6a88, 0x85a308d3, 0x13198a2e, 0x03707344], [0xa4093822, 0x299f31d0]),
            [0xd16cfe09, 0x94fdcceb, 0x5001e420, 0x24126ea1]
        );
    }

    #[test]
    fn streams_steps_and_seeds_differ_and_repeat() {
        let words = |seed, stream, step| {
            let mut d = RandomStream::new(seed, stream, step);
            [d.word(), d.word(), d.word(), d.word(), d.word()]
        };
        let base = words(7, Stream::Train, 3);
        assert_eq!(base, words(7, Stream::Train, 3));
        for other in [words(8, Stream::Train, 3), words(7, Stream::Init, 3), words(7, Stream::Train, 4)] {
            assert!(base.iter().zip(other).all(|(&a, b)| a != b));
        }
    }

    #[test]
    fn every_order_is_as_likely() {
        let mut draws = RandomStream::new(3, Stream::Pick, 0);
        let mut seen = std::collections::BTreeMap::<[usize; 4], u32>::new();
        (0..24_000).for_each(|_| *seen.entry(draws.permutation()).or_default() += 1);
        assert_eq!(seen.len(), 24);
        assert!(seen.values().all(|n| (880..1120).contains(n)), "{seen:?}");
    }

    #[test]
    fn normal_has_the_right_moments() {
        let mut d = RandomStream::new(1, Stream::Init, 0);
        let x: Vec<f64> = (0..100_000).map(|_| d.normal()).collect();
        let mean = x.iter().sum::<f64>() / 1e5;
        let var = x.iter().map(|x| (x - mean).powi(2)).sum::<f64>() / 1e5;
        assert!(mean.abs() < 0.01 && (var - 1.0).abs() < 0.02, "{mean} {var}");
    }
}
