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
            for (axis, _) in Axis::ALL {
                for architecture in Architecture::ALL {
                    let costs = pool.install(|| strat_paper::bench::growth(architecture, axis, isa));
                    print(&if args.json { lines(&costs) } else { growth_text(architecture, &costs) })?;
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
        let b = pool.install(|| strat_paper::bench::epochs(&task, architecture, SECONDS, isa));
        print(&if args.json { lines(&[b]) } else { epochs_text(architecture, &b) })?;
    }
    Ok(ExitCode::SUCCESS)
}

/// One JSON line each.
fn lines<T: Serialize>(measured: &[T]) -> String {
    measured.iter().map(|m| serde_json::to_string(m).expect("plain data") + "\n").collect()
}

fn growth_text(architecture: Architecture, costs: &[Cost]) -> String {
    let row = |name: &str, cells: Vec<String>| {
        let cells: String = cells.iter().map(|c| format!("{c:>10}")).collect();
        format!("{name:<22}{cells}\n")
    };
    let each = |cell: &dyn Fn(&Cost) -> String| costs.iter().map(cell).collect::<Vec<_>>();
    let step = |of: &dyn Fn(&Cost) -> f64| {
        let steps = costs.windows(2).map(|pair| format!("× {:.1}", of(&pair[1]) / of(&pair[0])));
        std::iter::once(String::new()).chain(steps).collect::<Vec<_>>()
    };
    let name = costs[0].axis.name();
    [
        row(&format!("{}, {name}", architecture.title()), each(&|c| c.size.to_string())),
        row("  ms an epoch", each(&|c| format!("{:.3}", c.ms_per_epoch))),
        row("", step(&|c| c.ms_per_epoch)),
        row("  MB", each(&|c| format!("{:.2}", c.bytes as f64 / 1e6))),
        row("", step(&|c| c.bytes as f64)),
    ]
    .concat()
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
         {} on each of {} threads with {}, the best of {} rounds of {} epochs\n\
         {:.1} GFLOP/s carried out, {:.0} % of the {:.0} that the same threads reach on multiply-adds alone\n",
        architecture.title(),
        b.work,
        b.ms_per_epoch,
        if b.learners == 1 { "a learner".into() } else { format!("{} learners side by side", b.learners) },
        b.threads,
        b.isa,
        strat_paper::bench::ROUNDS,
        b.epochs,
        b.gflops,
        100.0 * b.peak_share,
        b.peak_gflops,
    )
}
