//! What tests share.

/// Random words for forests, as the library's callers bring them.
pub fn random(tree: u32) -> Box<dyn FnMut() -> u32> {
    let mut state = u64::from(tree) + 1;
    Box::new(move || {
        state = state.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        (state >> 32) as u32
    })
}
