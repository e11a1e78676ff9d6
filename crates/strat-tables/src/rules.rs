//! The rule that the small trees believe in, if there is one: trees are drawn from the posterior, and the rule is the tree
//! that most of them agree with on every row asked about.
//!
//! Rows seldom tell a threshold exactly. So a rule leaves open what is between the numbers that the rows allow, and trees may
//! differ there.

use crate::frame::{Frame, Kind};
use crate::question::Question;
use crate::trees::{Limits, Node, Trees};
use std::collections::BTreeMap;

/// Spreads of the trees that are drawn, with their prior weights.
const SPREADS: [(f64, f64); 3] = [(0.1, 6.0), (0.5, 3.0), (2.0, 1.0)];
/// Trees that are drawn.
const DRAWN: usize = 1000;
/// Kinds of trees, the most frequent ones, that are tried as rules.
const TRIED: usize = 12;
/// The most thresholds of a column, and about the most of all columns.
const MOST_THRESHOLDS: [usize; 2] = [128, 512];
/// Questions that are kept.
const KEPT: [usize; 3] = [150, 40, 12];
/// A rule with a question more, or one that is open for as large a share of rows, must have so much more support.
const QUESTION: f64 = 0.02;
/// So does a rule in words that are harder to read, if that is the only difference.
const ODD: f64 = 0.001;
/// The share of the trees' thresholds, on either side, that a rule's range leaves out.
const TAIL: f64 = 0.01;

/// A rule: a class, or a question and what follows.
#[derive(Clone, Debug, PartialEq)]
pub enum Rule {
    /// Always this class.
    Answer(usize),
    /// It depends.
    Ask(Box<Asked>),
}

/// A question of a rule.
#[derive(Clone, Debug, PartialEq)]
pub struct Asked {
    /// The question.
    pub question: Question,
    /// Of a threshold: the greatest number that is below it and the least that is not, as far as the rows tell. Of
    /// [`Question::Greater`]: two zeros if no row tells what follows if both are the same.
    pub open: Option<[f64; 2]>,
    /// What follows from yes.
    pub yes: Rule,
    /// What follows from no.
    pub no: Rule,
}

/// A rule with the reasons to believe in it.
#[derive(Clone, Debug, PartialEq)]
pub struct Believed {
    /// The rule.
    pub rule: Rule,
    /// The share of the posterior that agrees with it wherever it is not open.
    pub support: f64,
    /// Rows that it answers otherwise.
    pub wrong: usize,
    /// Rows for which it is open.
    pub open: usize,
    /// The fewest rows that one of its answers is for.
    pub fewest: usize,
}

impl Asked {
    fn is_open(&self, row: &[f64]) -> bool {
        match (&self.question, self.open) {
            (Question::AtLeast(column, _), Some([below, least])) => below < row[*column] && row[*column] < least,
            (Question::Greater(a, b), Some(_)) => row[*a] == row[*b],
            _ => false,
        }
    }
}

impl Rule {
    /// The class of a row.
    pub fn class(&self, row: &[f64]) -> usize {
        match self {
            Rule::Answer(class) => *class,
            Rule::Ask(asked) => if asked.question.ask(row) { &asked.yes } else { &asked.no }.class(row),
        }
    }

    /// Whether the rows do not tell the class of a row.
    pub fn is_open(&self, row: &[f64]) -> bool {
        let mut classes = vec![];
        self.possible(row, &mut classes);
        classes.iter().any(|class| *class != classes[0])
    }

    fn possible(&self, row: &[f64], out: &mut Vec<usize>) {
        match self {
            Rule::Answer(class) => out.push(*class),
            Rule::Ask(asked) => {
                let (open, yes) = (asked.is_open(row), asked.question.ask(row));
                if open || yes {
                    asked.yes.possible(row, out);
                }
                if open || !yes {
                    asked.no.possible(row, out);
                }
            }
        }
    }

    /// Its answers; one may be there more than once.
    pub fn classes(&self, out: &mut Vec<usize>) {
        match self {
            Rule::Answer(class) => out.push(*class),
            Rule::Ask(asked) => [&asked.yes, &asked.no].into_iter().for_each(|rule| rule.classes(out)),
        }
    }

    /// How many questions it has.
    pub fn questions(&self) -> usize {
        match self {
            Rule::Answer(_) => 0,
            Rule::Ask(asked) => 1 + asked.yes.questions() + asked.no.questions(),
        }
    }

    /// Whether it compares counts, or counts for a class that is not the last: there may be simpler words.
    fn is_odd(&self) -> bool {
        match self {
            Rule::Answer(_) => false,
            Rule::Ask(asked) => {
                let compares = matches!(asked.question, Question::More(..));
                let counts = matches!(asked.question, Question::CountAtLeast(..) | Question::CountIs(..));
                let first = matches!((&asked.yes, &asked.no), (Rule::Answer(yes), Rule::Answer(no)) if yes < no);
                compares || (counts && first) || asked.yes.is_odd() || asked.no.is_odd()
            }
        }
    }

    /// How many rows each of its answers is for.
    fn reached(&self, rows: &[&[f64]], out: &mut Vec<usize>) {
        match self {
            Rule::Answer(_) => out.push(rows.len()),
            Rule::Ask(asked) => {
                let (yes, no): (Vec<&[f64]>, Vec<&[f64]>) = rows.iter().partition(|row| asked.question.ask(row));
                asked.yes.reached(&yes, out);
                asked.no.reached(&no, out);
            }
        }
    }
}

/// A tree of questions by number.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
enum Drawn {
    Answer(usize),
    Ask(usize, Box<Drawn>, Box<Drawn>),
}

impl Drawn {
    /// A tree of the posterior, without questions that change nothing.
    fn from(node: &Node, random: &mut dyn FnMut() -> u32) -> Drawn {
        let mut left = f64::from(random()) / 4_294_967_296.0 - node.stops;
        for (question, probability, yes, no) in &node.asks {
            if left < 0.0 {
                break;
            }
            left -= probability;
            if left < 0.0 {
                let (yes, no) = (Drawn::from(yes, random), Drawn::from(no, random));
                return if yes == no { yes } else { Drawn::Ask(*question, Box::new(yes), Box::new(no)) };
            }
        }
        let best = |best: usize, class| if node.answer[class] > node.answer[best] { class } else { best };
        Drawn::Answer((0..node.answer.len()).fold(0, best))
    }

    fn class(&self, answers: &[bool]) -> usize {
        match self {
            Drawn::Answer(class) => *class,
            Drawn::Ask(question, yes, no) => if answers[*question] { yes } else { no }.class(answers),
        }
    }

    /// The same with other numbers of questions.
    fn renamed(&self, names: &[usize]) -> Drawn {
        match self {
            Drawn::Answer(class) => Drawn::Answer(*class),
            Drawn::Ask(question, yes, no) => {
                Drawn::Ask(names[*question], Box::new(yes.renamed(names)), Box::new(no.renamed(names)))
            }
        }
    }

    /// Its questions, in an order that is the same for all trees of a form.
    fn questions(&self, out: &mut Vec<usize>) {
        if let Drawn::Ask(question, yes, no) = self {
            out.push(*question);
            yes.questions(out);
            no.questions(out);
        }
    }
}

/// The rule that most of the posterior agrees with on all of these rows, which need no classes; of several the one with the
/// fewest questions. None if the trees see nothing but classes' shares.
pub fn believed(frame: &Frame, asked: &[Vec<f64>], random: &mut dyn FnMut() -> u32) -> Option<Believed> {
    let numbers = frame.kinds.iter().filter(|kind| **kind == Kind::Numbers).count();
    let thresholds = (MOST_THRESHOLDS[1] / numbers.max(1)).clamp(12, MOST_THRESHOLDS[0]);
    let limits = Limits { thresholds, kept: KEPT };
    let trees: Vec<(Trees, f64)> = SPREADS
        .iter()
        .map(|(spread, prior)| {
            let (trees, evidence) = Trees::within(frame, *spread, &limits);
            (trees, evidence + libm::log(*prior))
        })
        .collect();
    let most = trees.iter().map(|t| t.1).fold(f64::NEG_INFINITY, f64::max);
    let all: f64 = trees.iter().map(|t| libm::exp(t.1 - most)).sum();
    let mut drawn = BTreeMap::<Drawn, usize>::new();
    for (trees, evidence) in &trees {
        let share = libm::exp(evidence - most) / all;
        for _ in 0..libm::round(share * DRAWN as f64) as usize {
            *drawn.entry(Drawn::from(&trees.root, random)).or_default() += 1;
        }
    }
    // Questions follow from the rows alone and are the same for all spreads.
    let questions = &trees[0].0.questions;
    let drawn: Vec<(Drawn, usize)> = drawn.into_iter().collect();
    let answers: Vec<Vec<bool>> = asked.iter().map(|row| questions.iter().map(|q| q.ask(row)).collect()).collect();
    let said: Vec<Vec<usize>> =
        drawn.iter().map(|(tree, _)| answers.iter().map(|answers| tree.class(answers)).collect()).collect();
    let total: usize = drawn.iter().map(|(_, count)| count).sum();
    let measured = |rule: Rule| {
        let shut: Vec<usize> = (0..asked.len()).filter(|&i| !rule.is_open(&asked[i])).collect();
        let classes: Vec<usize> = shut.iter().map(|&i| rule.class(&asked[i])).collect();
        let agrees = |said: &[usize]| shut.iter().zip(&classes).all(|(&i, class)| said[i] == *class);
        let support: usize =
            drawn.iter().zip(&said).filter(|(_, said)| agrees(said)).map(|((_, count), _)| count).sum();
        let rows: Vec<&[f64]> = frame.rows.iter().map(|row| &row[..]).collect();
        let mut reached = vec![];
        rule.reached(&rows, &mut reached);
        let wrong = |(row, label): &(&&[f64], &usize)| rule.class(row) != **label;
        Believed {
            support: support as f64 / total.max(1) as f64,
            wrong: rows.iter().zip(&frame.labels).filter(wrong).count(),
            open: rows.iter().filter(|row| rule.is_open(row)).count(),
            fewest: reached.into_iter().min().unwrap_or(0),
            rule,
        }
    };
    let rules = forms(frame, questions, &drawn).into_iter().map(measured);
    let worth = |found: &Believed| {
        let open = asked.iter().filter(|row| found.rule.is_open(row)).count() as f64 / asked.len().max(1) as f64;
        found.support
            - QUESTION * found.rule.questions() as f64
            - open
            - if found.rule.is_odd() { ODD } else { 0.0 }
    };
    let better = |best: Believed, next: Believed| if worth(&next) > worth(&best) { next } else { best };
    rules.reduce(better).filter(|found| found.rule.questions() > 0)
}

/// The most frequent forms of trees as rules: trees of a form differ in thresholds alone.
fn forms(frame: &Frame, questions: &[Question], drawn: &[(Drawn, usize)]) -> Vec<Rule> {
    let same =
        |a: &Question, b: &Question| matches!((a, b), (Question::AtLeast(c, _), Question::AtLeast(d, _)) if c == d);
    let names: Vec<usize> = (0..questions.len())
        .map(|q| (0..q).find(|&first| same(&questions[first], &questions[q])).unwrap_or(q))
        .collect();
    let mut forms = BTreeMap::<Drawn, Vec<&(Drawn, usize)>>::new();
    drawn.iter().for_each(|tree| forms.entry(tree.0.renamed(&names)).or_default().push(tree));
    let mut forms: Vec<Vec<&(Drawn, usize)>> = forms.into_values().collect();
    let count = |trees: &Vec<&(Drawn, usize)>| trees.iter().map(|t| t.1).sum::<usize>();
    forms.sort_by_key(|trees| std::cmp::Reverse(count(trees)));
    forms.truncate(TRIED);
    let rule = |trees: Vec<&(Drawn, usize)>| {
        // Of each place of the form, its question in every tree.
        let mut places: Vec<Vec<(usize, usize)>> = vec![];
        for (tree, count) in &trees {
            let mut own = vec![];
            tree.questions(&mut own);
            places.resize(own.len(), vec![]);
            places.iter_mut().zip(own).for_each(|(place, question)| place.push((question, *count)));
        }
        let asked: Vec<(Question, Option<[f64; 2]>)> =
            places.iter().map(|place| settled(frame, questions, place)).collect();
        let best = trees.iter().max_by_key(|t| t.1).expect("a form is that of some tree");
        told(&best.0, &mut asked.into_iter())
    };
    forms.into_iter().map(rule).collect()
}

/// The question of a place, and what is open: thresholds that some trees have, up to the nearest numbers of rows.
fn settled(frame: &Frame, questions: &[Question], place: &[(usize, usize)]) -> (Question, Option<[f64; 2]>) {
    let first = &questions[place[0].0];
    match first {
        Question::AtLeast(column, _) => {
            let cut =
                |question: usize| if let Question::AtLeast(_, cut) = questions[question] { cut } else { f64::NAN };
            let mut cuts: Vec<(f64, usize)> = place.iter().map(|(q, count)| (cut(*q), *count)).collect();
            cuts.sort_by(|a, b| a.0.total_cmp(&b.0));
            let tail = TAIL * cuts.iter().map(|c| c.1 as f64).sum::<f64>();
            let end = |mut cuts: &mut dyn Iterator<Item = &(f64, usize)>| {
                let mut sum = 0.0;
                Iterator::find(&mut cuts, |c| {
                    sum += c.1 as f64;
                    sum > tail
                })
                .map_or(f64::NAN, |c| c.0)
            };
            let (low, high) = (end(&mut cuts.iter()), end(&mut cuts.iter().rev()));
            let seen = frame.distinct(*column);
            let (below, least) = (seen.partition_point(|x| *x < low), seen.partition_point(|x| *x < high));
            let open = [seen[below.saturating_sub(1)], seen[least.min(seen.len() - 1)]];
            let mut left = cuts.iter().map(|c| c.1).sum::<usize>() / 2;
            let middle = cuts.iter().find(|c| {
                let found = left < c.1;
                left = left.saturating_sub(c.1);
                found
            });
            let middle = middle.map_or(low, |c| c.0);
            let above = seen.partition_point(|x| *x < middle);
            let between = [seen[above.saturating_sub(1)], seen[above.min(seen.len() - 1)]];
            (Question::AtLeast(*column, plain(middle, between)), Some(open))
        }
        Question::Greater(a, b) => {
            let tied = frame.rows.iter().any(|row| row[*a] == row[*b]);
            (first.clone(), (!tied).then_some([0.0, 0.0]))
        }
        _ => (first.clone(), None),
    }
}

/// The number with the fewest digits that divides rows as `cut` does: above the first and not above the second of two.
fn plain(cut: f64, [below, least]: [f64; 2]) -> f64 {
    let mut scale = 1.0;
    for _ in 0..6 {
        let short = libm::round(cut * scale) / scale;
        if below < short && short <= least {
            return short;
        }
        scale *= 10.0;
    }
    cut
}

fn told(form: &Drawn, asked: &mut dyn Iterator<Item = (Question, Option<[f64; 2]>)>) -> Rule {
    match form {
        Drawn::Answer(class) => Rule::Answer(*class),
        Drawn::Ask(_, yes, no) => {
            let (question, open) = asked.next().expect("a question for every place");
            let yes = told(yes, asked);
            Rule::Ask(Box::new(Asked { question, open, yes, no: told(no, asked) }))
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn random(seed: u64) -> impl FnMut() -> u32 {
        let mut state = seed;
        move || {
            state = state.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
            (state >> 32) as u32
        }
    }

    /// Rows of four columns of two words and one of numbers from 0 to 99.
    fn rows(n: usize, seed: u64) -> Vec<Vec<f64>> {
        let mut words = random(seed);
        let mut row = || {
            let mut row: Vec<f64> = (0..4).map(|_| f64::from(words() >> 13 & 1)).collect();
            row.push(f64::from((words() >> 8) % 100));
            row
        };
        (0..n).map(|_| row()).collect()
    }

    fn found(n: usize, rule: impl Fn(usize, &[f64]) -> usize) -> Option<Believed> {
        let words = Kind::Words(vec!["no".into(), "yes".into()]);
        let kinds = vec![words.clone(), words.clone(), words.clone(), words, Kind::Numbers];
        let rows = rows(n, 1);
        let labels = rows.iter().enumerate().map(|(i, row)| rule(i, row)).collect();
        believed(&Frame { kinds, rows, labels, classes: 2 }, &self::rows(500, 2), &mut random(3))
    }

    #[test]
    fn a_threshold_is_found_with_what_the_rows_allow() {
        let found = found(60, |_, row| usize::from(row[4] >= 40.0)).unwrap();
        assert!(found.support > 0.9 && found.wrong == 0, "{found:?}");
        let Rule::Ask(asked) = &found.rule else { panic!("{found:?}") };
        let (Question::AtLeast(4, cut), Some([below, least])) = (&asked.question, asked.open) else {
            panic!("{found:?}")
        };
        assert!(below < 40.0 && 40.0 <= least && below < *cut && *cut <= least, "{found:?}");
        assert_eq!((&asked.yes, &asked.no), (&Rule::Answer(1), &Rule::Answer(0)));
        assert!(!found.rule.is_open(&[0., 0., 0., 0., least]) && !found.rule.is_open(&[0., 0., 0., 0., below]));
    }

    #[test]
    fn a_threshold_has_few_digits() {
        assert_eq!(plain(14.85, [14.5, 15.2]), 15.0);
        assert_eq!(plain(24.700000000000003, [24.61, 24.79]), 24.7);
        assert_eq!(plain(0.0004, [0.0003, 0.0005]), 0.0004);
        assert_eq!(plain(2.5, [2.0, 3.0]), 3.0);
    }

    #[test]
    fn two_columns_that_are_equal_are_found() {
        let found = found(40, |_, row| usize::from(row[0] == row[3])).unwrap();
        assert!(found.support > 0.8 && found.wrong == 0, "{found:?}");
        assert!(rows(200, 5).iter().all(|row| found.rule.class(row) == usize::from(row[0] == row[3])), "{found:?}");
    }

    /// A row that has both the same tells which of two columns must be the greater one.
    #[test]
    fn a_row_with_the_same_number_in_both_columns_is_obeyed() {
        for tied in [0, 1] {
            let mut rows: Vec<Vec<f64>> =
                (0..40).map(|i| vec![f64::from(i * 37 % 41), f64::from(i * 23 % 43)]).collect();
            let mut labels: Vec<usize> = rows.iter().map(|row| usize::from(row[0] > row[1])).collect();
            rows[0] = vec![9.0, 9.0];
            labels[0] = tied;
            let frame = Frame { kinds: vec![Kind::Numbers; 2], rows: rows.clone(), labels, classes: 2 };
            let found = believed(&frame, &rows, &mut random(3)).unwrap();
            assert_eq!((found.wrong, found.rule.class(&[5.0, 5.0])), (0, tied), "{found:?}");
        }
    }

    /// The control: of labels that follow from nothing nobody believes a rule.
    #[test]
    fn no_rule_is_believed_on_random_labels() {
        for seed in 0..5 {
            let mut words = random(77 + seed);
            let labels: Vec<usize> = (0..40).map(|_| (words() >> 13 & 1) as usize).collect();
            assert!(found(40, |i, _| labels[i]).is_none_or(|found| found.support < 0.5), "{seed}");
        }
    }
}
