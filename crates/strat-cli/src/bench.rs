//! `strat bench`

use crate::ExitCode;
use crate::Failure;
use crate::args::{BenchArgs, Runner};
use crate::output::{Progress, print};
use serde::Serialize;
use strat::engine::Isa;
use strat::model::Architecture;
use strat::task::Entry;
use strat_paper::bench::{Axis, Cost, Epochs, Locking};
use strat_paper::experiment::locking;

/// How long a round of a model's epochs takes.
const SECONDS: f64 = 1.0;

pub fn run(args: BenchArgs) -> Result<ExitCode, Failure> {
    let isa = Isa::detect()?;
    let pool = args.population.pool()?;
    let name = match args.work {
        Runner::Locking => {
            let seeds: Vec<u64> = args.population.seeds(locking::LEARNERS).iter().collect();
            let progress = Progress::new(seeds.len() as u64, 0, "training");
            let b = pool.install(|| strat_paper::bench::locking(&seeds, isa, &|done| progress.inc(done)));
            progress.finish();
            print(&if args.json { lines(&[b]) } else { locking_text(&b) })?;
            return Ok(ExitCode::SUCCESS);
        }
        Runner::Growth => {
            let peak = pool.install(|| strat_paper::bench::peak(isa));
            for (axis, _) in Axis::ALL {
                for architecture in Architecture::ALL {
                    let costs = pool.install(|| strat_paper::bench::growth(architecture, axis, isa));
                    print(&if args.json { lines(&costs) } else { growth_text(architecture, &costs, peak) })?;
                }
            }
            return Ok(ExitCode::SUCCESS);
        }
        Runner::Sudoku => "sudoku",
        Runner::MOfN => "m-of-n",
        Runner::ThreeOf9 => "threeof9",
        Runner::Satlib => "satlib",
    };
    let task = Entry::named(name)?.load(&args.folder.open()?, None)?;
    for architecture in Architecture::ALL {
        let b =
            pool.install(|| strat_paper::bench::epochs(&task, architecture, args.population.count(), SECONDS, isa));
        print(&if args.json { lines(&[b]) } else { epochs_text(architecture, &b) })?;
    }
    Ok(ExitCode::SUCCESS)
}

/// One JSON line each.
fn lines<T: Serialize>(measured: &[T]) -> String {
    measured.iter().map(|m| serde_json::to_string(m).expect("plain data") + "\n").collect()
}

/// A line for each size: what it costs, by how much that is more than the size before, and how busy the machine is.
fn growth_text(architecture: Architecture, costs: &[Cost], peak: f64) -> String {
    let name = costs[0].axis.name();
    let mut out = format!(
        "{:<23}{:>12}{:>9}{:>13}{:>9}{:>9}\n",
        architecture.title(),
        "ms an epoch",
        "MB",
        "time grows",
        "memory",
        "of peak"
    );
    for (i, c) in costs.iter().enumerate() {
        let (time, memory) = match i.checked_sub(1) {
            None => (String::new(), String::new()),
            Some(before) => {
                let before = &costs[before];
                let times = |now: f64, then: f64| format!("× {:.1}", now / then);
                (times(c.ms_per_epoch, before.ms_per_epoch), times(c.bytes as f64, before.bytes as f64))
            }
        };
        let (ms, mb) = (format!("{:.2}", c.ms_per_epoch), format!("{:.2}", c.bytes as f64 / 1e6));
        let share = format!("{:.0} %", 100.0 * c.gflops / peak);
        out += &format!("  {:<21}{ms:>12}{mb:>9}{time:>13}{memory:>9}{share:>9}\n", format!("{name} {}", c.size));
    }
    out
}

fn locking_text(b: &Locking) -> String {
    format!(
        "STRAT-Lite 4D, ten sums, 2,000 steps, 1,000 test sums: {:.0} learners/s\n\
         {} learners on {} threads with {}\n\
         {:.1} GFLOP/s carried out, {:.0} % of the {:.0} that the same threads reach on \
         multiply-adds alone;\nthe model as written would need {:.1} times the arithmetic\n",
        b.learners_per_s,
        b.learners,
        b.threads,
        b.isa,
        b.gflops,
        100.0 * b.peak_share,
        b.peak_gflops,
        b.algebra
    )
}

fn epochs_text(architecture: Architecture, b: &Epochs) -> String {
    let stand_in = b.stand_in.as_ref().map_or(String::new(), |s| format!(" (stand-in: {s})"));
    format!(
        "{} on {}{stand_in}: {:.3} ms an epoch\n\
         {} on {} with {}, the best of {} rounds of {} epochs\n\
         {:.1} GFLOP/s carried out, {:.0} % of the {:.0} that the same threads reach on multiply-adds alone\n",
        architecture.title(),
        b.work,
        b.ms_per_epoch,
        if b.learners == 1 { "a learner".into() } else { format!("{} learners side by side", b.learners) },
        match b.threads - b.machines {
            0 => format!("each of {} threads", b.threads),
            helpers => format!("each of {} threads, helped by {helpers}", b.machines),
        },
        b.isa,
        strat_paper::bench::ROUNDS,
        b.epochs,
        b.gflops,
        100.0 * b.peak_share,
        b.peak_gflops,
    )
}
