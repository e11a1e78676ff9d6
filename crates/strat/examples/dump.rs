//! dump
use strat::model::*;
fn main() {
    for m in [Arithmetic::Lite(Lite { width: 4, heads: 1, types: Types::Latent }), Arithmetic::ConfigA(ConfigA)] {
        let b = m.build(6);
        let (g, r) = strat::engine::rules::simplify(&b.graph, &[b.output, b.loss]);
        println!("{g}\n{r:?}");
    }
}
