//! Functions with fixed results, against libm's.

use strat_engine::internals::{Kernel, Simd, Visitor, exp, ln, normal, sigmoid, tanh};
use strat_engine::{Isa, Number};

#[derive(Clone, Copy)]
enum Function {
    Exp,
    Sigmoid,
    Tanh,
    Ln,
    Normal,
    Density,
}
use Function::*;

struct Apply<'a, S> {
    f: Function,
    x: &'a [S],
    y: &'a mut [S],
}
impl<S: Simd> Kernel for Apply<'_, S> {
    #[inline(always)]
    fn run(self) {
        for (x, y) in self.x.iter().zip(self.y) {
            *y = match self.f {
                Exp => exp(*x),
                Sigmoid => sigmoid(*x),
                Tanh => tanh(*x),
                Ln => ln(*x),
                Normal => normal(*x).0,
                Density => normal(*x).1,
            };
        }
    }
}

struct Of<'a>(Function, &'a [f64]);
impl<E: Number> Visitor<E> for Of<'_> {
    type Out = Vec<[f64; 2]>;
    /// `[x, f(x)]` of each number, as rounded to the type.
    fn visit<S: Simd<Elem = E>>(self) -> Self::Out {
        let x: Vec<S> = self.1.iter().map(|&x| S::of(x)).collect();
        let mut y = x.clone();
        S::vectorize(Apply { f: self.0, x: &x, y: &mut y });
        let first = |v: &S| S::numbers(std::slice::from_ref(v))[0].f64();
        x.iter().zip(&y).map(|(x, y)| [first(x), first(y)]).collect()
    }
}

/// The worst `error(y, truth(x))` on every instruction set stays below a bound for each type.
fn check(f: Function, grid: &[f64], truth: fn(f64) -> f64, error: fn(f64, f64) -> f64, bounds: (f64, f64)) {
    for isa in Isa::all_available() {
        let worst = |rows: Vec<[f64; 2]>| {
            rows.iter().map(|&[x, y]| error(y, truth(x))).fold(0f64, |w, e| if e > w || e.is_nan() { e } else { w })
        };
        let single = worst(f32::dispatch(isa, Of(f, grid)));
        assert!(single < bounds.0, "{isa} f32: {single:e}");
        let double = worst(f64::dispatch(isa, Of(f, grid)));
        assert!(double < bounds.1, "{isa} f64: {double:e}");
    }
}

fn relative(y: f64, truth: f64) -> f64 {
    if truth == 0.0 { y.abs() } else { (y / truth - 1.0).abs() }
}

fn absolute(y: f64, truth: f64) -> f64 {
    (y - truth).abs()
}

fn both(f: Function, x: &[f64], then: impl Fn(Isa, Vec<f64>)) {
    for isa in Isa::all_available() {
        for rows in [f32::dispatch(isa, Of(f, x)), f64::dispatch(isa, Of(f, x))] {
            then(isa, rows.iter().map(|row| row[1]).collect());
        }
    }
}

#[test]
fn exp_and_sigmoid_are_accurate_on_every_instruction_set() {
    let grid: Vec<f64> = (-80_000..80_000).map(|i| f64::from(i) * 1.0371e-3).collect();
    check(Exp, &grid, libm::exp, relative, (2.5e-7, 5e-16));
    check(Sigmoid, &grid, |x| 1.0 / (1.0 + libm::exp(-x)), relative, (3.5e-7, 7e-16));
}

#[test]
fn tanh_is_accurate_on_every_instruction_set() {
    // Small numbers too: the error is relative.
    let linear = (1..60_000).map(|i| f64::from(i) * 4.0371e-4);
    let small = (1..600).map(|i| libm::exp(-0.05 * f64::from(i)));
    let grid: Vec<f64> = linear.chain(small).flat_map(|x| [x, -x]).collect();
    check(Tanh, &grid, libm::tanh, relative, (3.5e-7, 9e-16));
}

#[test]
fn ln_is_accurate_on_every_instruction_set() {
    // All magnitudes of f32, and close to 1, where the error is still relative.
    let wide = (-80_000..80_000).map(|i| libm::exp(f64::from(i) * 1.0371e-3));
    let near = (1..20_000).map(|i| 1.0 + f64::from(i - 10_000) * 1.7e-5);
    check(Ln, &wide.chain(near).collect::<Vec<_>>(), libm::log, relative, (3.5e-7, 9e-16));
}

#[test]
fn the_normal_distribution_is_accurate_on_every_instruction_set() {
    let grid: Vec<f64> = (-80_000..80_000).map(|i| f64::from(i) * 5.0371e-4).collect();
    let below = |x: f64| 0.5 * libm::erfc(-x * std::f64::consts::FRAC_1_SQRT_2);
    let density = |x: f64| libm::exp(-0.5 * x * x) / libm::sqrt(std::f64::consts::TAU);
    check(Normal, &grid, below, absolute, (2e-7, 4.5e-16));
    check(Density, &grid, density, absolute, (1e-7, 2e-16));
    // Where GELU is small, its relative error still is.
    let near: Vec<f64> = grid.into_iter().filter(|x| x.abs() < 3.0).collect();
    check(Normal, &near, below, relative, (1.5e-6, 3e-15));
}

#[test]
fn functions_at_the_edges() {
    both(Tanh, &[0.0, -1e30, 1e30, f64::NAN], |isa, y| {
        assert_eq!(y[..3], [0.0, -1.0, 1.0], "{isa}");
        assert!(y[3].is_nan(), "{isa}");
    });
    both(Ln, &[f64::NAN], |isa, y| assert!(y[0].is_nan(), "{isa}"));
    both(Sigmoid, &[-1e30, -1e4, 0.0, 1e4, 1e30, f64::NAN], |isa, y| {
        assert!(y[0] < 1e-37 && y[1] < 1e-37, "{isa} {y:?}");
        assert_eq!(y[2..5], [0.5, 1.0, 1.0], "{isa}");
        assert!(y[5].is_nan(), "{isa}");
    });
    both(Normal, &[-1e30, 0.0, 1e30, f64::NAN], |isa, y| {
        assert!(y[0].abs() < 1e-37 && (y[1] - 0.5).abs() < 1e-7 && y[2] == 1.0, "{isa} {y:?}");
        assert!(y[3].is_nan(), "{isa}");
    });
    for isa in Isa::all_available() {
        let rows = f64::dispatch(isa, Of(Ln, &[f64::MIN_POSITIVE, f64::MAX, f64::INFINITY]));
        for (row, want) in rows.iter().zip([-708.396_418_532_264, 708.396_418_532_264, 708.396_418_532_264]) {
            assert!((row[1] - want).abs() < 1e-9, "{isa}: {row:?}");
        }
    }
}
