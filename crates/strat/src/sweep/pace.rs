//! When to save: often enough that a crash loses little, and seldom enough that saving does not become the work.

use std::time::{Duration, Instant};

/// Of the time that passes, saving may take this part of it.
const SHARE: u32 = 10;

/// When something was saved last, and what saving has cost so far.
pub(super) struct Pace {
    every: Duration,
    begun: Instant,
    last: Instant,
    saving: Duration,
}

impl Pace {
    /// Saves are due this often; with 0 always, whatever they cost.
    pub fn new(every: Duration) -> Pace {
        let now = Instant::now();
        Pace { every, begun: now, last: now, saving: Duration::ZERO }
    }

    /// Whether it is time to save.
    pub fn is_due(&self) -> bool {
        self.is_due_at(Instant::now())
    }

    fn is_due_at(&self, now: Instant) -> bool {
        let is_late = now.duration_since(self.last) >= self.every;
        is_late && (self.every.is_zero() || self.saving.saturating_mul(SHARE) <= now.duration_since(self.begun))
    }

    /// Saves, and notes what that takes.
    pub fn save<T>(&mut self, save: impl FnOnce() -> T) -> T {
        let start = Instant::now();
        let saved = save();
        self.saved(start, Instant::now());
        saved
    }

    fn saved(&mut self, start: Instant, end: Instant) {
        self.saving += end.duration_since(start);
        self.last = end;
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// How many saves of `cost` there are in steps of 1 ms, and how much time passes.
    fn saves(every: u64, cost: u64, steps: u64) -> (u64, Duration) {
        let ms = Duration::from_millis;
        let mut pace = Pace::new(ms(every));
        let (mut now, mut count) = (pace.begun, 0);
        for _ in 0..steps {
            now += ms(1);
            if pace.is_due_at(now) {
                pace.saved(now, now + ms(cost));
                now += ms(cost);
                count += 1;
            }
        }
        (count, now - pace.begun)
    }

    #[test]
    fn what_is_cheap_is_saved_as_often_as_asked_for() {
        assert_eq!(saves(100, 1, 10_000).0, 100);
        assert_eq!(saves(100, 0, 10_000).0, 100);
    }

    #[test]
    fn what_is_dear_takes_a_tenth_of_the_time() {
        for (every, cost) in [(1, 1), (10, 5), (100, 50), (20, 400)] {
            let (count, time) = saves(every, cost, 100_000);
            let share = (count * cost) as f64 / time.as_millis() as f64;
            // The last save may be just made.
            assert!((0.09..0.105).contains(&share), "every {every} ms at {cost} ms: {share}");
        }
    }

    #[test]
    fn zero_is_every_step() {
        assert_eq!(saves(0, 50, 1000).0, 1000);
    }

    #[test]
    fn never_is_never() {
        let pace = Pace::new(Duration::MAX);
        assert!(!pace.is_due_at(pace.begun + Duration::from_secs(1 << 30)));
    }
}
