//! `strat crystallize`

use crate::ExitCode;
use crate::args::{ChosenArgs, CrystallizeArgs};
use crate::export::code;
use crate::origin::{COMMIT, VERSION, origin};
use crate::output::{print, summary_text, write_file};
use crate::say::say;
use crate::{Failure, simplify};
use std::fmt::Write;
use strat::crystal::{Crystal, Rule};
use strat::engine::Isa;
use strat::fit::code::Language;
use strat::inspect::Mechanism;
use strat::model::{ModelRecord, Types};
use strat::record::Manifest;
use strat::result::{Cell, Row};
use strat_paper::experiment::crystallize::{Became, keep, of_row, rows};

pub fn run(args: CrystallizeArgs) -> Result<ExitCode, Failure> {
    let isa = Isa::detect()?;
    let folder = strat_paper::experiment::open(&args.record)?;
    let manifest = Manifest {
        version: VERSION.into(),
        commit: COMMIT.into(),
        isa: isa.to_string(),
        weights: true,
        ..folder.manifest.clone()
    };
    if folder.manifest.rows.iter().any(|row| row.table().is_some()) {
        return of_table(args);
    }
    if folder.manifest.rows.iter().any(|row| row.data().is_some()) {
        return simplify::run(&args, &folder, manifest, isa);
    }
    if let Some(out) = &args.out {
        let summary = keep(&folder, out, manifest, isa, &origin(rayon::current_num_threads()))?;
        print(&if args.json { Cell::json_lines(&summary.cells) } else { summary_text(&summary, isa) })?;
        return Ok(ExitCode::SUCCESS);
    }
    let rows = rows(&folder)?;
    let row = match (&args.row, &rows[..]) {
        (None, [row]) => row,
        _ => folder.row(args.row.as_deref())?,
    };
    let learners = of_row(&folder, row, args.seed)?;
    for (path, of) in [(&args.rust, Rule::to_rust as fn(&Rule) -> String), (&args.python, Rule::to_python)] {
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

/// What was learned from a table: the answers to all inputs, as a program.
fn of_table(args: CrystallizeArgs) -> Result<ExitCode, Failure> {
    let CrystallizeArgs { record, row, seed, out, rust, python, folder, .. } = args;
    if out.is_some() {
        return Err(Failure::OfTable(record));
    }
    let code = code(&record, &ChosenArgs { row, seed, folder })?;
    for (path, language) in [(&rust, Language::Rust), (&python, Language::Python)] {
        if let Some(path) = path {
            write_file(path, &code.write(language))?;
            say!("{}: the answers to all inputs as a function", path.display());
        }
    }
    if rust.is_none() && python.is_none() {
        // For a program, so that nothing in it may be changed.
        std::io::Write::write_all(&mut std::io::stdout().lock(), code.write(Language::Python).as_bytes())?;
    }
    Ok(ExitCode::SUCCESS)
}

/// Why there is no program to write.
fn reason(learners: &[Became]) -> String {
    match learners {
        [Became { crystal: Err(obstacle), .. }] => obstacle.to_string(),
        _ => "a program is of one learner; name it with --seed".into(),
    }
}

/// One learner: a line, or all about it. Its kind is what `strat inspect` calls it.
fn page(row: &Row, Became { learner, crystal }: &Became, whole: bool) -> String {
    let ModelRecord::Lite(lite) = row.model else { unreachable!("rows are chosen so") };
    let kind = match lite.types {
        Types::Items => "list".into(),
        Types::Fixed | Types::Latent => Mechanism::of(lite, &learner.weights).name(),
    };
    match crystal {
        Err(obstacle) => format!("{:>6}  {kind:<30}  no: {obstacle}\n", learner.seed),
        Ok(crystal) => {
            let mut out = format!("{:>6}  {kind:<30}  {}\n", learner.seed, crystal.rule);
            if whole {
                details(&mut out, crystal);
            }
            out
        }
    }
}

fn details(out: &mut String, crystal: &Crystal) {
    let reading = crystal.rule.reading;
    out.push_str(
        "\nThe learner's own coefficients, on all inputs of any length, and the whole numbers next to them\n",
    );
    for (k, (learned, exact)) in crystal.learned.iter().zip(&crystal.rule.coefficients).enumerate() {
        let _ =
            writeln!(out, "  {:<9} {:>+9.4} to {:>+9.4}  {exact:>+3}", reading.name(k), learned.low, learned.high);
    }
    let _ = writeln!(
        out,
        "They are at most {:.4} apart. The rule gives the answers of all its training examples,\n\
         which were not used to find it. Its gates tell contexts apart by {:.1} % of what they see.",
        crystal.distance,
        100.0 * crystal.margin
    );
    let _ = write!(out, "\n{}\n{}", crystal.rule.to_rust(), crystal.rule.to_python());
}
