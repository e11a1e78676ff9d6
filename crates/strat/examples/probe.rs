//! probe
use strat::{engine::Isa, model::*, population::Population, rng::Stream, task::SignedSum, train::TrainConfig};
fn main() {
    let isa = Isa::detect().unwrap();
    let n: u64 = std::env::args().nth(1).map_or(400, |a| a.parse().unwrap());
    let seeds: Vec<u64> = { let o: u64 = std::env::var("OFF").map_or(0, |s| s.parse().unwrap()); (o..o + n).collect() };
    let lite = |width, heads| Arithmetic::Lite(Lite { width, heads, types: Types::Latent });
    for (name, model) in if std::env::var("ONLY_A").is_ok() { vec![("A", Arithmetic::ConfigA(ConfigA))] } else { vec![("4d", lite(4, 1)), ("3d", lite(3, 1)), ("2d", lite(2, 1)), ("2d2h", lite(2, 2)), ("A", Arithmetic::ConfigA(ConfigA))] } {
        let p = Population::<f32>::new(model, TrainConfig::locking(), isa);
        let t = std::time::Instant::now();
        let l = p.train(&seeds, &|_| {});
        let t1 = t.elapsed().as_secs_f64();
        let mut e = p.errors(&l, SignedSum::OOD, Stream::TestOod, 1000);
        let t2 = t.elapsed().as_secs_f64();
        e.sort_by(f64::total_cmp);
        let q = |p: f64| e[(p * (e.len() - 1) as f64) as usize];
        let share = |x: f64| e.iter().filter(|e| **e < x).count() as f64 / e.len() as f64;
        println!("{name} {isa} train {:.0}/s all {:.0}/s p10 {:.1} p25 {:.1} med {:.1} strict {:.3} logic {:.3}", n as f64 / t1, n as f64 / t2, q(0.1), q(0.25), q(0.5), share(20.), share(100.));
    }
}
