//! Sums and lists as someone types them.

use super::{SumTask, Sums};
use crate::model::Kind;
use crate::task::answer::{Answer, AnswerError};
use crate::task::signed_sum::terms;
use crate::task::text::{Probe, ProbeError, ProbeFault, TextForm};
use crate::task::{Example, Target, Task, grocery};
use std::borrow::Cow;

impl TextForm for SumTask {
    fn form(&self) -> Cow<'static, str> {
        match self.id {
            Sums::Signed(_) => "a sum, such as `12 + 3 - 5`".into(),
            Sums::Grocery(_) => "items and values, such as `3:45 12:7`".into(),
        }
    }

    fn parse(&self, text: &str) -> Result<Probe, ProbeError> {
        let example = match self.id {
            Sums::Signed(_) => terms(text).map(|(values, minus)| sum(values, &minus)).map_err(ProbeFault::Sum),
            Sums::Grocery(_) => grocery::parse(text).map(|list| grocery::example(&list)).map_err(ProbeFault::List),
        };
        let unread = |fault: ProbeFault| ProbeError {
            task: self.name().into(),
            fault: fault.into(),
            form: self.form().into(),
        };
        Ok(Probe::new(example.map_err(unread)?, true))
    }

    fn token_names(&self, example: &Example) -> Vec<String> {
        match self.id {
            Sums::Signed(_) => {
                let mut values = example.values.iter();
                let token = |&kind: &u8| match kind {
                    kind if kind == Kind::Plus as u8 => "+".to_string(),
                    kind if kind == Kind::Minus as u8 => "−".to_string(),
                    _ => values.next().map_or(String::new(), f64::to_string),
                };
                example.input.iter().map(token).collect()
            }
            Sums::Grocery(_) => {
                example.input.iter().zip(&example.values).map(|(id, value)| format!("{id}:{value}")).collect()
            }
        }
    }

    fn answer(&self, _example: &Example, output: &[f64]) -> Result<Answer, AnswerError> {
        let &[y] = output else {
            return Err(AnswerError::Count { task: self.name().into(), found: output.len(), wanted: 1 });
        };
        if y.is_nan() {
            return Err(AnswerError::NotANumber { task: self.name().into(), at: 1, of: 1 });
        }
        Ok(Answer { target: Target::Number(y), words: format!("{y:.4}"), board: None, confidence: None })
    }

    fn right_answer(&self, example: &Example) -> Answer {
        let Target::Number(right) = example.target else { unreachable!("sums are answered by numbers") };
        Answer { target: example.target.clone(), words: right.to_string(), board: None, confidence: None }
    }

    fn samples(&self) -> &[&str] {
        match self.id {
            Sums::Signed(_) => &["12 + 3 - 5", "40 - 7 + 25 - 18", "4800 - 2100 + 3300"],
            Sums::Grocery(_) => &["3:45 12:7 5:20", "1:10 2:20 8:30 15:40"],
        }
    }
}

/// A typed sum: literals at even tokens, operators at odd ones.
fn sum(values: Vec<f64>, minus: &[bool]) -> Example {
    let mut input = vec![];
    for (i, &minus) in minus.iter().enumerate() {
        if i > 0 {
            input.push(if minus { Kind::Minus as u8 } else { Kind::Plus as u8 });
        }
        input.push(Kind::Literal as u8);
    }
    let answer = values.iter().zip(minus).map(|(x, &minus)| if minus { -x } else { *x }).sum();
    Example { values, ..Example::new(input, Target::Number(answer)) }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::task::Sum;

    #[test]
    fn a_typed_sum_is_the_example_of_a_drawn_one() {
        let typed = SumTask::LOCKING.parse("12 + 3 - 5").unwrap();
        let drawn: Sum = "12 + 3 - 5".parse().unwrap();
        assert_eq!(typed.known(), Some(&drawn.example()));
        let typed = SumTask::LOCKING.parse("-1.5 + 3").unwrap();
        assert_eq!(TextForm::token_names(&SumTask::LOCKING, typed.example()), ["0", "−", "1.5", "+", "3"]);
        assert_eq!(SumTask::LOCKING.right_answer(typed.example()).words, "1.5");
        let list = SumTask::GROCERY.parse("3:45 12:7").unwrap();
        assert_eq!(TextForm::token_names(&SumTask::GROCERY, list.example()), ["3:45", "12:7"]);
    }

    #[test]
    fn what_cannot_be_read_is_told_with_the_form() {
        let e = SumTask::LOCKING.parse("12 +").unwrap_err().to_string();
        assert!(
            e.starts_with("signed-sum: \"\" should be a number") && e.ends_with("give a sum, such as `12 + 3 - 5`"),
            "{e}"
        );
        let e = SumTask::LOCKING.answer(&SumTask::LOCKING.train(1, 0)[0], &[f64::NAN]).unwrap_err();
        assert!(e.to_string().contains("not a number"), "{e}");
    }
}
