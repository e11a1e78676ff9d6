//! `strat inspect`

use crate::ExitCode;
use crate::Failure;
use crate::args::InspectArgs;
use crate::chosen::{OfTable, of_table};
use crate::fitted::Fitted;
use crate::output::print;
use strat::engine::Isa;
use strat::inspect::Finding;
use strat::metric::Metric;
use strat::trace::ExampleSource;
use strat_paper::report::activations;
use strat_paper::report::learner::{json, list, page};

pub fn run(args: InspectArgs) -> Result<ExitCode, Failure> {
    let folder = strat_paper::experiment::open(&args.record)?;
    let row = folder.row(args.row.as_deref())?;
    let learners = folder.learners(row, args.seed)?;
    if row.table().is_some()
        && args.example.is_none()
        && let Some(OfTable { task, model, own: Some(own) }) = of_table(row, &args.folder)?
    {
        let fitted = Fitted::new((&task, own), row, model, (&learners, args.seed), Isa::detect()?);
        return fitted.inspect(row, args.seed.is_some(), args.json);
    }
    // What is asked for beside the learners themselves.
    let looked_at = match &args.example {
        Some(example) => {
            let source = ExampleSource::of(row, &args.folder.open()?)?;
            let example = source.read(example)?;
            Some((source, example))
        }
        None => None,
    };
    let mut text = String::new();
    let mut all = vec![];
    for learner in learners {
        let finding = Finding::of(&row.model, &learner.weights, learner.score(Metric::OOD_MAE));
        let trace = match &looked_at {
            Some((source, example)) => Some(source.trace(&learner.weights, example)?),
            None => None,
        };
        match (args.json, &looked_at, &trace) {
            (true, Some((source, example)), Some(trace)) => {
                text += &json(row, &learner, &finding, Some(activations::json(source, example, trace)?));
            }
            (true, ..) => text += &json(row, &learner, &finding, None),
            (false, Some((source, example)), Some(trace)) => {
                text += &format!("{}, seed {}\n", row.name, learner.seed);
                text += &activations::text(source, example, trace, args.token)?;
            }
            (false, ..) if args.seed.is_some() => text += &page(row, &learner, &finding),
            (false, ..) => all.push((learner, finding)),
        }
    }
    if !all.is_empty() {
        text += &list(row, &all);
    }
    print(&text)?;
    Ok(ExitCode::SUCCESS)
}
