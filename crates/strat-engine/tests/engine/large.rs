//! Products with large tables against the plain contraction, bit for bit: every sum runs in the same order.

use super::Draws;
use strat_engine::internals::{ContractLarge, Gather, Simd, View, Visitor, contract};
use strat_engine::{Isa, Number};

fn drawn<S: Simd>(d: &mut Draws, len: usize) -> Vec<S> {
    let mut v = vec![S::zero(); len];
    S::numbers_mut(&mut v).iter_mut().for_each(|x| *x = S::Elem::of(d.number()));
    v
}

/// As bits: `f64` holds every `f32`.
fn bits<S: Simd>(v: &[S]) -> Vec<u64> {
    S::numbers(v).iter().map(|x| x.f64().to_bits()).collect()
}

struct Products;
impl<E: Number> Visitor<E> for Products {
    type Out = ();
    fn visit<S: Simd<Elem = E>>(self) {
        let mut d = Draws(5);
        // As many rows as any tile has, and more; sums longer than what is worked on at a time.
        for m in 1..=26 {
            for (n, k) in [(1, 3), (2, 40), (7, 33), (8, 70)] {
                let (a, b) = (drawn::<S>(&mut d, m * k), drawn::<S>(&mut d, n * k));
                for b in [View::rows(&b[..], k), View::rows(&b[..], n).t()] {
                    let a = View::rows(&a[..], k);
                    let (mut fast, mut slow) = (vec![S::zero(); m * n], vec![S::zero(); m * n]);
                    S::vectorize(ContractLarge { dims: [m, n, k], a, b, c: &mut fast, c_outer: n });
                    contract([m, n, k], a, b, &mut slow, n, false);
                    assert!(bits(&fast) == bits(&slow), "{m} × {n} × {k}");
                }
            }
        }
        // The rows of several operations, of which one has none, one after the other.
        for (outs, ins) in [(1, 1), (6, 4), (13, 7)] {
            let counts = [10, 0, 9, 70, 1];
            let rows: usize = counts.iter().sum();
            let (dz, x) = (drawn::<S>(&mut d, rows * outs), drawn::<S>(&mut d, rows * ins));
            let (mut fast, mut slow) = (vec![S::zero(); outs * ins], vec![S::zero(); outs * ins]);
            let mut gather = Gather::new(&mut fast, outs, ins);
            let mut at = 0;
            for count in counts {
                gather.push(&dz[at * outs..][..count * outs], &x[at * ins..][..count * ins]);
                at += count;
            }
            gather.finish();
            contract([outs, ins, rows], View::rows(&dz, outs).t(), View::rows(&x, ins).t(), &mut slow, ins, false);
            assert!(bits(&fast) == bits(&slow), "{outs} × {ins}");
        }
    }
}

#[test]
fn large_tables_are_multiplied_as_small_ones() {
    for isa in Isa::all_available() {
        f32::dispatch(isa, Products);
        f64::dispatch(isa, Products);
    }
}
