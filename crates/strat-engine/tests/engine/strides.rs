//! Kernels are safe functions: strides and sizes that wrap around are refused, never followed.

use std::panic::{AssertUnwindSafe, catch_unwind};
use strat_engine::internals::{
    ContractLarge, Gather, Product, Run, Simd, Start, Sums, Term, View, ViewMut, Visitor, affine, contract,
    kind_routes, kind_routes_grad,
};
use strat_engine::{Isa, Number, Rows};

/// Strides whose multiples come back to where they started: two of the first, four of the second.
const HUGE: [usize; 3] = [1 << 63, 1 << 62, usize::MAX];

fn refuses(what: &str, call: impl FnOnce()) {
    let caught = catch_unwind(AssertUnwindSafe(call)).expect_err(what);
    let text = caught.downcast_ref::<String>().map(String::as_str).or(caught.downcast_ref::<&str>().copied());
    assert!(text.is_some_and(|t| t.contains("too short") || t.contains("not ")), "{what}: {text:?}");
}

struct Strides;
impl<E: Number> Visitor<E> for Strides {
    type Out = ();
    fn visit<S: Simd<Elem = E>>(self) {
        let (x, numbers) = (vec![S::zero(); 8], vec![E::default(); 8]);
        let small = View::rows(&x[..], 1);
        for stride in HUGE {
            let wraps = View { data: &x[..], outer: stride, inner: 1 };
            // Five rows of it: (5 − 1) · 2⁶² = 0.
            for (a, b) in [(wraps, small), (small, wraps), (wraps.t(), small), (small, wraps.t())] {
                let mut c = vec![S::zero(); 25];
                refuses("contract", || contract([5, 5, 5], a, b, &mut c, 5, false));
                refuses("large", || S::vectorize(ContractLarge { dims: [5, 5, 5], a, b, c: &mut c, c_outer: 5 }));
                refuses("affine", || affine(5, 5, &[Term { a, b, len: 5 }], None, false, &mut c));
            }
            let mut c = vec![S::zero(); 8];
            refuses("result", || contract([5, 1, 1], small, small, &mut c, stride, true));
            refuses("large result", || {
                S::vectorize(ContractLarge { dims: [5, 1, 1], a: small, b: small, c: &mut c, c_outer: stride });
            });
            let table = View::rows(&numbers[..], 1);
            let wrapping = View { data: &numbers[..], outer: stride, inner: 1 };
            for (a, b) in [(wraps, table), (small, wrapping)] {
                let mut c = vec![S::zero(); 25];
                let c = ViewMut::rows(&mut c, 5);
                refuses("product", || {
                    S::vectorize(Product { dims: [5, 5, 1], a, b, c, start: Start::Sum, next: &[] });
                });
            }
            refuses("view", || {
                let _ = ViewMut::new(&mut c, [5, 1], (stride, 1));
            });
            refuses("columns of rows that overlap", || {
                let _ = ViewMut::new(&mut c, [4, 2], (1, 1)).take_columns(1);
            });
            let (a, b, start) = (small, table, Start::Rows(&x[..1], None));
            for (rows, what) in [(4, "result"), (5, "start")] {
                let c = ViewMut::rows(&mut c[..rows], 1);
                refuses(what, || S::vectorize(Product { dims: [5, 1, 1], a, b, c, start, next: &[] }));
            }
            let run = Run { rows: Rows { start: 0, step: stride, count: 5 }, low: 0, high: 2 };
            let rows = kind_routes::Rows { one_hot: &x[..], mass: &x[..] };
            let (mut y, mut inverse) = (vec![S::zero(); 8], vec![S::zero(); 8]);
            refuses("kind_routes", || kind_routes(&[run], 2, 1, rows, &x, &mut y, &mut inverse));
            refuses("kind_routes_grad", || kind_routes_grad(&[run], 2, 1, rows, (&x, &x), &x, &mut y));
            let (mut panel, mut dw) = (vec![S::zero(); 8], vec![E::default(); 8]);
            refuses("sums", || {
                let (dy, x, panel) = (&x[..], &x[..], &mut panel[..]);
                let (dims, dw) = ([4, stride, 2], &mut dw[..]);
                S::vectorize(Sums { dims, dy, dy_outer: stride, x, x_outer: 2, panel, dw, db: None });
            });
            refuses("rows of sums", || {
                let (dy, x, panel) = (&x[..], &x[..], &mut panel[..]);
                let (dims, dw) = ([4, 1, 2], &mut dw[..2]);
                S::vectorize(Sums { dims, dy, dy_outer: stride, x, x_outer: 2, panel, dw, db: None });
            });
            refuses("gather", || Gather::new(&mut y, stride, 4).finish());
        }
        // Without any `k` there is nothing to read, however far apart.
        let none = View { data: &x[..0], outer: usize::MAX, inner: usize::MAX };
        let mut c = vec![S::of(3.0); 4];
        contract([2, 2, 0], none, none, &mut c, 2, false);
        assert!(S::numbers(&c).iter().all(|x| x.f64() == 0.0));
        affine(2, 2, &[Term { a: none, b: none, len: 0 }], None, true, &mut c);
        assert!(S::numbers(&c).iter().all(|x| x.f64() == 0.5));
    }
}

#[test]
fn strides_that_wrap_around_are_refused() {
    for isa in Isa::all_available() {
        f32::dispatch(isa, Strides);
        f64::dispatch(isa, Strides);
    }
}
