//! `strat tasks`

use crate::ExitCode;
use crate::Failure;
use crate::args::TasksArgs;
use crate::output::print;
use std::fmt::Write;
use strat::baseline::Shortcut;
use strat::task::{Entry, Split};

pub fn run(args: TasksArgs) -> Result<ExitCode, Failure> {
    let folder = args.folder.open()?;
    let mut out = String::new();
    let mut tables = vec![];
    if !args.json {
        let _ = writeln!(
            out,
            "{:<12} {:<20} {:>6} {:>6} {:>6} {:>6}  data",
            "task", "", "bases", "epochs", "ID", "OOD"
        );
    }
    for entry in Entry::ALL {
        let task = entry.load(&folder, None)?;
        let (id, ood) = (task.split(Split::Id).len(), task.split(Split::Ood).len());
        let epochs = entry.train.steps;
        let shortcuts = if args.shortcuts { Shortcut::table(&task) } else { vec![] };
        if args.json {
            let mut line = serde_json::json!({
                "task": entry.name, "title": entry.title, "bases": task.bases().len(), "epochs": epochs,
                "id": id, "ood": ood, "pick": task.pick(), "stand_in": task.stand_in(),
            });
            for (shortcut, [id, ood]) in shortcuts {
                line["shortcuts"][shortcut.name()] = serde_json::json!({ "id": id, "ood": ood });
            }
            let _ = writeln!(out, "{line}");
            continue;
        }
        let data = match (task.stand_in(), task.pick()) {
            (Some(stand_in), _) => format!("stand-in: {stand_in}"),
            (None, Some(pick)) => format!("the paper's file, {pick}"),
            (None, None) => "the paper's file and base examples".into(),
        };
        let bases = task.bases().len();
        let _ =
            writeln!(out, "{:<12} {:<20} {bases:>6} {epochs:>6} {id:>6} {ood:>6}  {data}", entry.name, entry.title);
        tables.push((entry.title, shortcuts));
    }
    if args.shortcuts && !args.json {
        let _ = write!(out, "\n{}", Shortcut::grid(&tables));
    }
    print(&out)?;
    Ok(ExitCode::SUCCESS)
}
