//! Tables: the paper's numbers, from the real files.

use crate::{distinct, folder, inputs, is_positive, load, nowhere, real, skip};
use std::collections::{BTreeMap, HashMap, HashSet};
use strat::internals::Table;
use strat::task::{DataTask, Example, Pick, Split};

fn active(bits: &[u8]) -> usize {
    bits.iter().map(|&b| usize::from(b)).sum()
}

fn positives(examples: &[Example]) -> usize {
    examples.iter().filter(|e| is_positive(e)).count()
}

/// Both test sets are free of training inputs.
fn is_disjoint(task: &DataTask) -> bool {
    let training = task.epoch(1, 0);
    let known: HashSet<&[u8]> = inputs(&training).into_iter().collect();
    [Split::Id, Split::Ood].iter().all(|&s| inputs(task.split(s)).iter().all(|i| !known.contains(i)))
}

fn picks() -> impl Iterator<Item = Pick> {
    (0..5).map(Pick::random).chain((0..5).map(Pick::coverage))
}

/// Rows of a PMLB file; `None` says why and skips.
fn pmlb(name: &str) -> Option<Table> {
    let table = folder()?.pmlb(name).unwrap_or_else(|e| panic!("{e}"));
    if table.is_none() {
        skip("data", format_args!("no file of {name}"));
    }
    table
}

#[test]
fn every_pick_has_ten_bases_of_both_classes() {
    for name in ["parity5", "m-of-n", "monk-2", "led24", "threeof9", "spect"] {
        for folder in folder().into_iter().chain([nowhere()]) {
            let picked: Vec<DataTask> = picks().map(|pick| load(name, &folder, Some(pick))).collect();
            for (i, task) in picked.iter().enumerate() {
                assert_eq!(task.bases().len(), 10);
                let positives = positives(task.bases());
                assert!(if name == "led24" { positives == 5 } else { (1..10).contains(&positives) });
                assert!(picked[..i].iter().all(|other| other.bases() != task.bases()), "{name}: picks differ");
                let training = task.epoch(1, 0);
                assert!(task.bases().iter().all(|b| training.contains(b)));
            }
        }
    }
}

#[test]
fn parity5() {
    let agreeing = |e: &[Example]| e.iter().filter(|e| (e.input[5] == 1) == is_positive(e)).count();
    for pick in picks() {
        let task = load("parity5", &nowhere(), Some(pick));
        assert_eq!(task.stand_in(), None);
        let training = task.epoch(41, 7);
        let (id, ood) = (task.split(Split::Id), task.split(Split::Ood));
        assert_eq!((training.len(), distinct(&training), agreeing(&training)), (50, 20, 40));
        assert_eq!((id.len(), distinct(id), agreeing(id), positives(id)), (160, 64, 128, 80));
        assert_eq!((ood.len(), distinct(ood), agreeing(ood), positives(ood)), (160, 64, 32, 80));
        let share_a_value = |e: &Example| e.input.len() == 10 && [0, 5].contains(&active(&e.input[5..]));
        assert!(training.iter().chain(id).chain(ood).all(share_a_value));
    }
    let Some(table) = pmlb("parity5") else { return };
    let rows: HashSet<Vec<u8>> = table.rows.iter().map(|r| r.iter().map(|&v| v as u8).collect()).collect();
    let task = load("parity5", &nowhere(), None);
    let ours: HashSet<Vec<u8>> = task.split(Split::Id).iter().map(|e| e.input[..5].to_vec()).collect();
    assert_eq!(rows, ours);
    assert!(table.rows.iter().zip(&table.target).all(|(r, t)| r.iter().sum::<i32>() % 2 == *t));
}

#[test]
fn m_of_n() {
    for pick in picks() {
        let Some(task) = real("m-of-n", Some(pick)) else { return };
        let training = task.epoch(1, 0);
        let (id, ood) = (task.split(Split::Id), task.split(Split::Ood));
        assert_eq!((training.len(), distinct(&training)), (70, 70));
        assert!(is_disjoint(&task));
        let at_boundary = |e: &&Example| [2, 3].contains(&active(&e.input[2..9]));
        assert!(ood.iter().all(|e| at_boundary(&e)) && distinct(ood) == ood.len());
        if pick == Pick::random(pick.seed) {
            assert_eq!((id.len(), ood.len()), (1231, 378));
            assert_eq!(id.iter().filter(at_boundary).count(), 494);
        }
    }
}

fn ones(input: &[u8]) -> usize {
    input.iter().filter(|v| **v == 0).count()
}

#[test]
fn monk_2() {
    let composition = |input: &[u8]| (0..4).map(|v| input.iter().filter(|x| **x == v).count()).collect::<Vec<_>>();
    for pick in picks() {
        let Some(task) = real("monk-2", Some(pick)) else { return };
        let training = task.epoch(1, 0);
        let (id, ood) = (task.split(Split::Id), task.split(Split::Ood));
        assert!(is_disjoint(&task));
        assert_eq!(distinct(&training), training.len());
        assert_eq!((ood.len(), distinct(ood)), (432 - training.len(), ood.len()));

        let by_ones = |examples: &[Example]| {
            let total: f64 = examples.iter().map(|e| e.weight).sum();
            let mut mass = BTreeMap::<usize, f64>::new();
            examples.iter().for_each(|e| *mass.entry(ones(&e.input)).or_default() += e.weight / total);
            mass
        };
        let (before, after) = (by_ones(id), by_ones(ood));
        assert!(before.iter().all(|(k, p)| (p - after[k]).abs() < 1e-12), "{before:?} {after:?}");
        assert!((ood.iter().map(|e| e.weight).sum::<f64>() - 1.0).abs() < 1e-12);

        let known: HashSet<Vec<usize>> = inputs(&training).into_iter().map(composition).collect();
        let absent = |e: &&Example| !known.contains(&composition(&e.input));
        // Within a group, weights are in proportion to frequency, absent compositions four times.
        let mut frequency = HashMap::<&[u8], f64>::new();
        inputs(id).into_iter().for_each(|i| *frequency.entry(i).or_default() += 1.0);
        let mut scale = BTreeMap::<usize, f64>::new();
        for e in ood {
            let unit = e.weight / frequency[&e.input[..]] / if absent(&e) { 4.0 } else { 1.0 };
            assert!((unit / *scale.entry(ones(&e.input)).or_insert(unit) - 1.0).abs() < 1e-9);
        }
        if pick == Pick::random(pick.seed) {
            assert_eq!((training.len(), id.len(), ood.len()), (212, 303, 220));
            let share = |e: &[Example]| {
                let total: f64 = e.iter().map(|e| e.weight).sum();
                format!("{:.2}", 100.0 * e.iter().filter(absent).map(|e| e.weight).sum::<f64>() / total)
            };
            assert_eq!((share(id), share(ood)), ("18.48".into(), "32.70".into()));
        }
    }
}

#[test]
fn led24() {
    let segments = |e: &Example| active(&e.input[..7]);
    let nuisance = |e: &Example| active(&e.input[7..]);
    for folder in folder().into_iter().chain([nowhere()]) {
        let default = load("led24", &folder, None);
        assert_eq!(default.pick(), Some(Pick::DEFAULT));
        for task in picks().map(|pick| load("led24", &folder, Some(pick))).chain([default]) {
            let training = task.epoch(1, 0);
            let (id, ood) = (task.split(Split::Id), task.split(Split::Ood));
            assert_eq!(id.len(), 3190);
            assert_eq!(distinct(&training), training.len());
            assert_eq!((ood.len(), distinct(ood), positives(ood)), (500, 500, 250));
            let fits = |e: &Example| {
                if is_positive(e) {
                    segments(e) == 6 && nuisance(e) == 15
                } else {
                    segments(e) == 5 && nuisance(e) <= 1
                }
            };
            assert!(ood.iter().all(fits));
            let known: HashSet<&[u8]> = inputs(&training).into_iter().collect();
            assert!(inputs(ood).iter().all(|i| !known.contains(i)));
            if task.stand_in().is_none() {
                let counts: Vec<usize> = id.iter().chain(task.bases()).map(nuisance).collect();
                assert_eq!((counts.iter().min(), counts.iter().max()), (Some(&1), Some(&15)));
            }
        }
    }
}

#[test]
fn three_of_9() {
    let misleading = |i: &[u8]| (active(&[i[3], i[5], i[8]]) >= 2) != (active(i) >= 5);
    for pick in picks() {
        let task = load("threeof9", &nowhere(), Some(pick));
        assert_eq!(task.stand_in(), None);
        let (id, ood) = (task.split(Split::Id), task.split(Split::Ood));
        assert_eq!((task.epoch(1, 0).len(), id.len(), distinct(id)), (10, 502, 502));
        assert!(is_disjoint(&task));
        assert_eq!(inputs(ood), inputs(id).into_iter().filter(|i| misleading(i)).collect::<Vec<_>>());
        assert!(pick != Pick::random(pick.seed) || ood.len() == 144);
    }
    let all =
        (0..512).filter(|n| !misleading(&(0..9).map(|b| n >> b & 1).map(|b: u32| b as u8).collect::<Vec<_>>()));
    assert_eq!(format!("{:.2}", 100.0 * all.count() as f64 / 512.0), "71.48");
    let Some(table) = pmlb("threeOf9") else { return };
    let rows: HashSet<Vec<u8>> = table.rows.iter().map(|r| r.iter().map(|&v| v as u8).collect()).collect();
    let task = load("threeof9", &nowhere(), None);
    let ours = task.split(Split::Id).iter().chain(task.bases()).map(|e| e.input.clone());
    assert_eq!((rows.len(), table.rows.len()), (512, 512));
    assert_eq!(rows, ours.collect());
}

#[test]
fn spect() {
    for pick in picks() {
        let Some(task) = real("spect", Some(pick)) else { return };
        let (id, ood) = (task.split(Split::Id), task.split(Split::Ood));
        assert_eq!(task.epoch(1, 0).len(), 10);
        assert!(is_disjoint(&task));
        assert_eq!((ood.len(), distinct(ood), positives(ood)), (259, 259, 188));
        if pick == Pick::random(pick.seed) {
            assert_eq!((id.len(), distinct(id)), (163, 91));
        }
        let split = folder().unwrap().spect().unwrap().unwrap();
        let rows = split.train.iter().chain(&split.test);
        let seen: HashSet<Vec<u8>> = rows.map(|r| r.features[..9].iter().map(|&f| u8::from(f)).collect()).collect();
        assert_eq!(seen.len(), 112);
        let rotation = |input: &[u8], by: usize| [&input[by..], &input[..by]].concat();
        for input in inputs(ood) {
            assert!(!seen.contains(input) && (1..9).any(|by| seen.contains(&rotation(input, by))));
        }
    }
}
