//! `strat crystallize`

use crate::Failure;
use crate::args::CrystallizeArgs;
use crate::origin::{COMMIT, VERSION, origin};
use crate::output::{print, say, summary_text, write_file};
use crate::simplify;
use std::fmt::Write;
use std::process::ExitCode;
use strat::crystal::run::{self, Became, keep, of_row};
use strat::crystal::{Crystal, program};
use strat::engine::Isa;
use strat::model::{Arithmetic, Model};
use strat::record::{Folder, Manifest, Row};
use strat::report::json_lines;

pub fn run(args: CrystallizeArgs) -> Result<ExitCode, Failure> {
    let isa = Isa::detect()?;
    let folder = Folder::open(&args.record)?;
    let manifest = Manifest {
        version: VERSION.into(),
        commit: COMMIT.into(),
        isa: isa.to_string(),
        weights: true,
        ..folder.manifest.clone()
    };
    if folder.manifest.rows.iter().any(|row| row.course.is_some()) {
        return simplify::run(&args, &folder, manifest, isa);
    }
    if let Some(out) = &args.out {
        let summary = keep(&folder, out, manifest, isa, &origin(rayon::current_num_threads()))?;
        print(&if args.json { json_lines(&summary.cells) } else { summary_text(&summary, isa) })?;
        return Ok(ExitCode::SUCCESS);
    }
    let rows = run::rows(&folder)?;
    let row = match (&args.row, &rows[..]) {
        (None, [row]) => row,
        _ => folder.row(args.row.as_deref())?,
    };
    let learners = of_row(&folder, row, args.seed)?;
    for (path, of) in [(&args.rust, program::rust as fn(_) -> _), (&args.python, program::python)] {
        if let Some(path) = path {
            let [Became { crystal: Ok(crystal), learner }] = &learners[..] else {
                return Err(Failure::NoProgram { reason: reason(&learners) });
            };
            write_file(path, &of(&crystal.rule))?;
            say!("{}: the program of seed {}", path.display(), learner.seed);
        }
    }
    print(&learners.iter().map(|b| page(row, b, args.seed.is_some())).collect::<String>())?;
    let exact = learners.iter().filter(|b| b.crystal.is_ok()).count();
    if args.seed.is_none() {
        print(&format!("{}: {exact} of {} learners are exact programs now\n", row.name, learners.len()))?;
    }
    Ok(if exact > 0 { ExitCode::SUCCESS } else { ExitCode::from(1) })
}

/// Why there is no program to write.
fn reason(learners: &[Became]) -> String {
    match learners {
        [Became { crystal: Err(obstacle), .. }] => obstacle.to_string(),
        _ => "a program is of one learner; name it with --seed".into(),
    }
}

/// One learner: a line, or all about it.
fn page(row: &Row, Became { learner, crystal }: &Became, whole: bool) -> String {
    let Model::Arithmetic(Arithmetic::Lite(lite)) = row.model else { unreachable!("rows are chosen so") };
    let crystal = match crystal {
        Err(obstacle) => return format!("{:>6}  –         {obstacle}\n", learner.seed),
        Ok(crystal) => crystal,
    };
    let attractor = crystal.attractor(lite).map_or("list".into(), |a| a.to_string());
    let mut out = format!("{:>6}  {attractor:<8}  {}\n", learner.seed, crystal.rule);
    if whole {
        details(&mut out, crystal);
    }
    out
}

fn details(out: &mut String, crystal: &Crystal) {
    let reading = crystal.rule.reading;
    out.push_str("\nWhat the learner had, on all inputs of any length, and what it has now\n");
    for (k, (learned, exact)) in crystal.learned.iter().zip(&crystal.rule.coefficients).enumerate() {
        let _ =
            writeln!(out, "  {:<9} {:>+9.4} to {:>+9.4}  {exact:>+3}", reading.name(k), learned.low, learned.high);
    }
    let moved: Vec<String> = crystal.moved().into_iter().map(|k| reading.name(k)).collect();
    let how = match moved.is_empty() {
        true => "The whole numbers next to its own give the answers of all its training examples.".to_string(),
        false => format!("By rounding it would be wrong for {}; the training examples decide.", moved.join(", ")),
    };
    let _ =
        writeln!(out, "{how}\nThe gate tells contexts apart by {:.1} % of what it sees.", 100.0 * crystal.margin);
    let _ = write!(out, "\n{}\n{}", program::rust(&crystal.rule), program::python(&crystal.rule));
}
