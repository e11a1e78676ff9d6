use super::*;

fn near(a: f64, b: f64, by: f64) {
    assert!((a - b).abs() < by, "{a}, not {b}");
}

#[test]
fn figures_of_a_known_sample() {
    let sample: Vec<f64> = (1..=5).rev().map(f64::from).collect();
    let figures = [Statistic::Quantile(0.5), Statistic::Quantile(0.1), Statistic::ShareBelow(3.0)];
    let e = estimate(&sample, &figures);
    assert_eq!(e[0].value, 3.0);
    near(e[1].value, 1.4, 1e-12); // as numpy.percentile
    assert_eq!(e[2].value, 0.4);
}

/// Of 0 of 400 it ends at z²/(400 + z²); the others are in Newcombe (1998), Table I, to four digits.
#[test]
fn wilsons_interval_has_known_ends() {
    for ((hits, n), [low, high]) in [
        ((0, 400), [0.0, 0.009_512_3]),
        ((400, 400), [0.990_487_7, 1.0]),
        ((81, 263), [0.2553, 0.3662]),
        ((15, 148), [0.0624, 0.1605]),
        ((0, 20), [0.0, 0.1611]),
        ((1, 29), [0.0061, 0.1718]),
    ] {
        let sample: Vec<f64> = (0..n).map(|i| f64::from(u8::from(i < hits))).collect();
        let [mean, share] = estimate(&sample, &[Statistic::Mean, Statistic::ShareBelow(0.5)])[..] else { panic!() };
        let [a, b] = mean.interval.unwrap();
        near(a, low, 6e-5);
        near(b, high, 6e-5);
        // The share of the others is its mirror.
        let [c, d] = share.interval.unwrap();
        near(a, 1.0 - d, 1e-12);
        near(b, 1.0 - c, 1e-12);
    }
}

/// Any table of Student's t.
#[test]
fn students_t_is_that_of_the_tables() {
    for (degrees, t) in
        [(1, 12.706), (2, 4.303), (3, 3.182), (4, 2.776), (9, 2.262), (10, 2.228), (49, 2.010), (399, 1.966)]
    {
        near(student(degrees + 1), t, 6e-4);
    }
    near(student(100_000), 1.95996, 1e-5);
    assert_eq!(student(1), f64::INFINITY);
}

#[test]
fn mean_and_its_error() {
    let sample = [0.9, 0.95, 1.0, 0.95, 0.95];
    let e = estimate(&sample, &[Statistic::Mean])[0];
    let error = (0.005f64 / 4.0 / 5.0).sqrt();
    near(e.value, 0.95, 1e-12);
    near(standard_error(&sample), error, 1e-12);
    near(standard_deviation(&sample), (0.005f64 / 4.0).sqrt(), 1e-12);
    let [low, high] = e.interval.unwrap();
    near(low, 0.95 - 2.7764 * error, 1e-5);
    near(high, 0.95 + 2.7764 * error, 1e-5);
    assert!(standard_error(&[1.0]).is_nan());
}

#[test]
fn fewer_than_five_have_no_interval() {
    let figures = [Statistic::Quantile(0.5), Statistic::ShareBelow(2.0), Statistic::Mean];
    let of = |n: usize| estimate(&vec![1.0; n], &figures).iter().map(|e| e.interval.is_some()).collect::<Vec<_>>();
    assert_eq!((of(4), of(5)), (vec![false; 3], vec![true; 3]));
    let none = estimate(&[], &figures);
    assert!(none.iter().all(|e| e.value.is_nan() && e.interval.is_none()), "{none:?}");
}

#[test]
fn diverged_learners_count_as_infinitely_wrong() {
    let sample = [1.0, 1.0, f64::NAN, f64::NAN, f64::NAN];
    let e = estimate(&sample, &[Statistic::Quantile(0.5), Statistic::ShareBelow(2.0), Statistic::Mean]);
    assert_eq!(e[0].value, f64::INFINITY);
    near(e[1].value, 0.4, 1e-12);
    assert_eq!((e[2].value, e[2].interval), (f64::INFINITY, None));
}

/// How often the interval of a figure has the truth in it, over `times` samples of `n`.
fn covered(times: u32, n: usize, truth: f64, figure: Statistic, draw: impl Fn(&mut RandomStream) -> f64) -> f64 {
    let one = |i: u32| {
        let mut draws = RandomStream::new(u64::from(i), Stream::Bootstrap, 0);
        let sample: Vec<f64> = (0..n).map(|_| draw(&mut draws)).collect();
        let [low, high] = estimate(&sample, &[figure])[0].interval.unwrap();
        low <= truth && truth <= high
    };
    (0..times).filter(|i| one(*i)).count() as f64 / f64::from(times)
}

/// What 95 % means, for the figures and the counts of the paper's tables.
#[test]
fn intervals_cover_what_they_say() {
    let share = |p: f64| move |d: &mut RandomStream| f64::from(u8::from(d.uniform() < p));
    for p in [0.0025, 0.04, 0.31] {
        let c = covered(2000, 400, p, Statistic::Mean, share(p));
        assert!((0.925..=0.995).contains(&c), "a share of {p}: {c}");
    }
    let c = covered(2000, 10, 0.0, Statistic::Mean, |d| d.normal());
    assert!((0.935..=0.965).contains(&c), "a mean of ten: {c}");
    for (n, q, truth) in [(50, 0.5, 0.0), (50, 0.25, -0.6745), (400, 0.1, -1.2816)] {
        let c = covered(200, n, truth, Statistic::Quantile(q), |d| d.normal());
        assert!((0.89..=0.99).contains(&c), "quantile {q} of {n}: {c}");
    }
}

/// The control: what stood here before, the bootstrap of a mean, covers too little of ten and nothing of a rare share.
#[test]
fn the_bootstrap_would_not_cover() {
    let bootstrap = |sample: &[f64]| {
        let mut means: Vec<f64> = (0..400u32)
            .map(|r| {
                let mut d = RandomStream::new(7, Stream::Bootstrap, r);
                (0..sample.len()).map(|_| sample[d.below(sample.len() as u32) as usize]).sum::<f64>()
                    / sample.len() as f64
            })
            .collect();
        means.sort_by(f64::total_cmp);
        [0.025, 0.975].map(|q| Statistic::Quantile(q).of_sorted(&means))
    };
    let covered = |n: usize, truth: f64, draw: &dyn Fn(&mut RandomStream) -> f64| {
        let one = |i: &u64| {
            let mut d = RandomStream::new(*i, Stream::Bootstrap, 1);
            let [low, high] = bootstrap(&(0..n).map(|_| draw(&mut d)).collect::<Vec<_>>());
            low <= truth && truth <= high
        };
        (0..400).filter(one).count() as f64 / 400.0
    };
    let ten = covered(10, 0.0, &|d| d.normal());
    assert!(ten < 0.925, "{ten}");
    let rare = covered(100, 0.005, &|d| f64::from(u8::from(d.uniform() < 0.005)));
    assert!(rare < 0.5, "{rare}");
}
