//! L-BFGS: the minimum of a smooth function of many numbers.

/// Steps that are remembered.
const MEMORY: usize = 8;
/// A gradient this short is none.
const FLAT: f64 = 1e-5;
/// A relative gain this small is none.
const GAIN: f64 = 1e-9;

fn dot(a: &[f64], b: &[f64]) -> f64 {
    a.iter().zip(b).map(|(x, y)| x * y).sum()
}

/// A step and how the gradient changed on it.
struct Step {
    moved: Vec<f64>,
    changed: Vec<f64>,
    /// One over their product.
    scale: f64,
}

/// Descends from `at` for at most so many rounds. `value` writes the gradient and gives the value.
pub(crate) fn minimize(mut at: Vec<f64>, rounds: usize, value: impl Fn(&[f64], &mut [f64]) -> f64) -> Vec<f64> {
    let mut gradient = vec![0.0; at.len()];
    let mut height = value(&at, &mut gradient);
    let mut past: Vec<Step> = vec![];
    for _ in 0..rounds {
        let length = dot(&gradient, &gradient).sqrt();
        if length < FLAT {
            break;
        }
        let direction = direction(&past, &gradient, length);
        let slope = dot(&direction, &gradient);
        let (mut step, mut next_gradient) = (1.0, vec![0.0; at.len()]);
        let (next, next_height) = loop {
            let next: Vec<f64> = at.iter().zip(&direction).map(|(x, d)| x - step * d).collect();
            let next_height = value(&next, &mut next_gradient);
            if next_height <= height - 1e-4 * step * slope || step < 1e-10 {
                break (next, next_height);
            }
            step *= 0.5;
        };
        let moved: Vec<f64> = next.iter().zip(&at).map(|(a, b)| a - b).collect();
        let changed: Vec<f64> = next_gradient.iter().zip(&gradient).map(|(a, b)| a - b).collect();
        let curvature = dot(&moved, &changed);
        if curvature > 1e-12 {
            past.push(Step { moved, changed, scale: 1.0 / curvature });
            if past.len() > MEMORY {
                past.remove(0);
            }
        }
        let gain = height - next_height;
        (at, height, gradient) = (next, next_height, next_gradient);
        if gain <= GAIN * height.abs() {
            break;
        }
    }
    at
}

/// The gradient, turned and stretched by what past steps say of the curvature.
fn direction(past: &[Step], gradient: &[f64], length: f64) -> Vec<f64> {
    let mut direction = gradient.to_vec();
    let mut taken = vec![];
    for step in past.iter().rev() {
        let along = step.scale * dot(&step.moved, &direction);
        direction.iter_mut().zip(&step.changed).for_each(|(d, c)| *d -= along * c);
        taken.push(along);
    }
    let stretch = past.last().map_or(1.0 / length.max(1.0), |s| 1.0 / (s.scale * dot(&s.changed, &s.changed)));
    direction.iter_mut().for_each(|d| *d *= stretch);
    for (step, along) in past.iter().zip(taken.iter().rev()) {
        let back = step.scale * dot(&step.changed, &direction);
        direction.iter_mut().zip(&step.moved).for_each(|(d, m)| *d += (along - back) * m);
    }
    direction
}

#[cfg(test)]
mod tests {
    #[test]
    fn the_bottom_of_a_bent_valley_is_found() {
        let rosenbrock = |x: &[f64], g: &mut [f64]| {
            let (a, b) = (1.0 - x[0], x[1] - x[0] * x[0]);
            g[0] = -2.0 * a - 400.0 * x[0] * b;
            g[1] = 200.0 * b;
            a * a + 100.0 * b * b
        };
        let found = super::minimize(vec![-1.2, 1.0], 500, rosenbrock);
        assert!((found[0] - 1.0).abs() < 1e-3 && (found[1] - 1.0).abs() < 1e-3, "{found:?}");
    }
}
