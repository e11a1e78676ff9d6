//! One learner whose rows sit on lanes: for models that answer at every token.
//!
//! The rows (example, token) of a batch follow one another, a vector holds as many of them as it has lanes, and a
//! matrix is `[vector of rows][column]`. Nearly all that these models do is done row by row, so that no lane idles
//! but in the last vector; only attention looks at other rows, and knows where an example starts. Weights are single
//! numbers, packed one after the other, as are their gradients and the optimizer's moments.
//!
//! A step is cut into [`parts`], one for each thread that happens to help ([`crew`](super::crew)). Every sum is one part's, in
//! the order that it has with a single thread, so the bits are the same for any number of threads.

mod back;
mod cost;
mod lower;
mod memory;
mod parts;
mod plan;
mod steps;

use super::crew::{Crew, Team};
use super::error::{CompileError, InputError};
use super::graph::{Graph, Node};
use super::kernels::adam::{Adam, AdamStep, Clip, ClipByNorm, Constants};
use super::kernels::dense::room_of;
use super::kernels::sums::TALL;
use super::machine::{CompileSpec, Machine, check_settings, plain};
use super::simd::{Number, Simd};
use back::Differentiate;
use lower::{Lowered, Mat, Step, lower};
use memory::{Arena, Layout};
use parts::{Deal, Room, Work, parts_of, some};
use plan::Plan;
use std::sync::Arc;
use steps::compute;

/// Whether a graph can be run with rows on lanes.
pub(crate) fn fits(graph: &Graph, output: Node, loss: Node) -> bool {
    lower(graph, output, loss).is_some()
}

/// A learner at work.
pub(crate) struct TokenProgram<S: Simd> {
    lowered: Lowered,
    plan: Plan,
    arena: Vec<S>,
    /// Weights, their gradients, and the two moments.
    p: Vec<S>,
    g: Vec<S>,
    m: Vec<S>,
    v: Vec<S>,
    team: Team,
    /// One for each of the most who have helped so far, and for this thread.
    rooms: Vec<Room<S>>,
    /// See [`Work`].
    tables: Vec<S::Elem>,
    /// Of each matrix, its columns up to and with the first that all later ones are like.
    distinct: Vec<usize>,
    clip: Option<Clip<S>>,
    examples: usize,
    outputs: Vec<S::Elem>,
    /// The last pass's losses, summed over examples in lanes.
    loss: S,
}

impl<S: Simd> TokenProgram<S> {
    /// From a graph that [`fits`].
    pub fn new(spec: CompileSpec<'_>) -> Result<Self, CompileError> {
        let lowered = lower(spec.graph, spec.output, spec.loss).ok_or(CompileError::NotByRow)?;
        if let Some(table) = lowered.tables.iter().find(|t| spec.frozen.contains(&t.name.as_str())) {
            return Err(CompileError::Frozen { name: table.name.clone() });
        }
        let plan = Plan::new(&lowered, spec.batch, S::LANES);
        let weights = lowered.tables.last().map_or(0, |t| t.offset + t.len).div_ceil(S::LANES);
        let attention = lowered.steps.iter().filter_map(|s| lowered.attention(s, plan.chunk));
        let room = attention.map(|d| d.room(S::LANES)).max().unwrap_or(0).max(plan.rows * TALL);
        let table = |s: &Step| match s {
            Step::Dense(d) => room_of([d.y, d.x].map(|m| lowered.mats[m.0].cols)),
            _ => 0,
        };
        let numbers = lowered.steps.iter().chain(&lowered.load).map(table).max().unwrap_or(0);
        let outputs = spec.batch.saturating_mul(lowered.tokens * lowered.mats[lowered.output].cols);
        let mut program = TokenProgram {
            arena: spec.room(S::zero(), plan.arena)?,
            p: spec.room(S::zero(), weights)?,
            g: spec.room(S::zero(), weights)?,
            m: spec.room(S::zero(), weights)?,
            v: spec.room(S::zero(), weights)?,
            team: Team::alone(),
            rooms: vec![Room { vectors: vec![S::zero(); room], numbers: vec![S::Elem::default(); numbers] }],
            tables: vec![S::Elem::default(); numbers],
            distinct: lowered.mats.iter().map(|m| m.cols).collect(),
            clip: None,
            examples: spec.batch,
            outputs: spec.room(S::Elem::default(), outputs)?,
            loss: S::zero(),
            lowered,
            plan,
        };
        for (m, data) in program.lowered.constants.clone() {
            let data: Vec<S::Elem> = data.into_iter().map(S::Elem::of).collect();
            program.place(m, &data.repeat(program.examples));
        }
        Ok(program)
    }

    /// Where the numbers of a row of the batch lie in a matrix of `cols` columns made once a batch, counted from its
    /// start.
    fn row(&self, cols: usize, example: usize, token: usize) -> usize {
        let (chunk, row) = (example / self.plan.chunk, example % self.plan.chunk * self.lowered.tokens + token);
        ((chunk * self.plan.rows + row / S::LANES) * cols) * S::LANES + row % S::LANES
    }

    /// Puts `[example, token, column]` on lanes. What is idle stays zero, and so does its weight in the loss.
    fn place(&mut self, m: Mat, data: &[S::Elem]) {
        let (cols, tokens) = (self.lowered.mats[m.0].cols, self.lowered.tokens);
        let start = self.plan.value[m.0].start * S::LANES;
        for (r, from) in data.chunks_exact(cols).enumerate() {
            let at = start + self.row(cols, r / tokens, r % tokens);
            for (to, &x) in S::numbers_mut(&mut self.arena)[at..].iter_mut().step_by(S::LANES).zip(from) {
                *to = x;
            }
        }
    }

    /// Copies a chunk's answers out before the next chunk overwrites them.
    fn keep(&mut self, chunk: usize) {
        let (cols, tokens) = (self.lowered.mats[self.lowered.output].cols, self.lowered.tokens);
        let mut at = self.plan.value[self.lowered.output].clone();
        if self.lowered.mats[self.lowered.output].by_batch {
            at = at.start + chunk * at.len()..at.end + chunk * at.len();
        }
        let from = S::numbers(&self.arena[at]);
        let to = self.outputs[chunk * self.plan.chunk * tokens * cols..].chunks_exact_mut(cols);
        for (r, to) in to.take(self.plan.chunk * tokens).enumerate() {
            let from = from[r / S::LANES * cols * S::LANES + r % S::LANES..].iter().step_by(S::LANES);
            to.iter_mut().zip(from).for_each(|(to, &x)| *to = x);
        }
    }

    /// One pass over the batch, chunk by chunk; with `backward` also its gradients.
    fn pass(&mut self, backward: bool) {
        self.muster();
        self.loss = S::zero();
        for chunk in 0..self.plan.chunks {
            for i in 0..self.lowered.steps.len() {
                let (memory, work, loss) = self.memory(chunk);
                let step = &memory.at.lowered.steps[i];
                compute(memory, (i, step), work, loss);
            }
            self.keep(chunk);
            if backward {
                for i in 0..self.plan.back.len() {
                    let (number, share) = (self.plan.back[i], S::of(1.0 / self.examples as f64));
                    let (memory, work, _) = self.memory(chunk);
                    Differentiate { memory, number, work, share }.run();
                }
            }
        }
    }

    /// Sees who is there to help, and has room for them.
    fn muster(&mut self) {
        let parts = self.team.muster();
        while self.rooms.len() < parts {
            self.rooms.push(self.rooms[0].clone());
        }
    }

    fn memory(&mut self, chunk: usize) -> (Arena<'_, S>, Work<'_, S>, &mut S) {
        let TokenProgram { lowered, plan, distinct, arena, p, g, team, rooms, tables, loss, .. } = self;
        (Arena::new(Layout { lowered, plan, chunk, distinct }, arena, p, g), Work { team, rooms, tables }, loss)
    }

    fn table(&self, name: &str) -> std::ops::Range<usize> {
        let found = self.lowered.tables.iter().find(|t| t.name == name);
        let table = found.unwrap_or_else(|| panic!("no {name:?} in this model"));
        table.offset..table.offset + table.len
    }
}

/// How many columns there are up to and with the first that all later ones are like.
fn distinct<S: Simd>(cols: usize, x: &[S]) -> usize {
    let column = |c: usize| x.chunks_exact(cols).map(move |row| S::numbers(&row[c..=c]));
    (0..cols - 1).rev().find(|&c| !column(c).eq(column(cols - 1))).map_or(1, |c| c + 2)
}

impl<S: Simd> Machine<S::Elem> for TokenProgram<S> {
    fn lanes(&self) -> usize {
        1
    }

    fn set_param(&mut self, _lane: usize, name: &str, data: &[S::Elem]) {
        let table = self.table(name);
        S::numbers_mut(&mut self.p)[table].copy_from_slice(data);
    }

    fn param(&self, _lane: usize, name: &str) -> Vec<S::Elem> {
        S::numbers(&self.p)[self.table(name)].iter().copied().map(plain).collect()
    }

    fn gradient(&self, _lane: usize, name: &str) -> Vec<S::Elem> {
        S::numbers(&self.g)[self.table(name)].iter().copied().map(plain).collect()
    }

    fn has_input(&self, name: &str) -> bool {
        self.lowered.inputs.iter().any(|input| input.0 == name)
    }

    fn set_input(&mut self, lane: usize, name: &str, data: &[S::Elem]) -> Result<(), InputError> {
        let found = self.lowered.inputs.iter().find(|input| input.0 == name);
        let m = found.ok_or_else(|| InputError::Name { name: name.into() })?.1;
        if lane > 0 {
            return Err(InputError::Lane { name: name.into(), lane, lanes: 1 });
        }
        let expected = self.examples * self.lowered.tokens * self.lowered.mats[m.0].cols;
        if expected != data.len() {
            return Err(InputError::Length { name: name.into(), expected, found: data.len() });
        }
        // No input here says what kind tokens are of: a one-hot is not done row by row.
        self.place(m, data);
        Ok(())
    }

    fn load(&mut self) {
        self.muster();
        for chunk in 0..self.plan.chunks {
            for i in 0..self.lowered.load.len() {
                let (memory, work, loss) = self.memory(chunk);
                let (step, last) = (&memory.at.lowered.load[i], memory.at.lowered.steps.len());
                compute(memory, (last, step), work, loss);
            }
        }
        for (m, known) in self.lowered.mats.iter().enumerate().filter(|m| m.1.by_batch) {
            let at = self.plan.value[m].clone();
            let all = &self.arena[at.start..at.start + self.plan.chunks * at.len()];
            self.distinct[m] = distinct(known.cols, all);
        }
    }

    fn forward(&mut self) {
        self.pass(false);
    }

    fn gradients(&mut self) {
        self.pass(true);
    }

    fn reset_moments(&mut self) {
        self.m.fill(S::zero());
        self.v.fill(S::zero());
    }

    fn set_clip(&mut self, clip: &[Option<f64>]) {
        check_settings(clip, 1);
        self.clip = Clip::new(clip);
    }

    fn moments(&self, _lane: usize, name: &str) -> Option<[Vec<S::Elem>; 2]> {
        let table = self.table(name);
        Some([&self.m, &self.v].map(|m| S::numbers(m)[table.clone()].iter().copied().map(plain).collect()))
    }

    fn set_moments(&mut self, _lane: usize, name: &str, moments: [&[S::Elem]; 2]) {
        let table = self.table(name);
        for (own, given) in [&mut self.m, &mut self.v].into_iter().zip(moments) {
            S::numbers_mut(own)[table.clone()].copy_from_slice(given);
        }
    }

    fn descend(&mut self, adam: &[AdamStep]) {
        check_settings(adam, 1);
        let (constants, mut clip_factor) = (Constants::new(adam), S::of(1.0));
        if let Some(clip) = self.clip {
            S::vectorize(ClipByNorm { clip, joined: true, g: &self.g, factor: &mut clip_factor });
        }
        let (weights, g) = (self.p.len(), &self.g);
        let [mut p, mut m, mut v] = [&mut self.p, &mut self.m, &mut self.v].map(|all| Deal::new(all, weights));
        let tasks = parts_of(weights, 1, self.team.parts()).map(|r| {
            let (p, m, v) = (p.next(&r), m.next(&r), v.next(&r));
            Adam { constants, clip_factor, p, g: some(g, weights, &r), m, v }
        });
        self.team.each(tasks, S::vectorize);
    }

    fn join_crew(&mut self, crew: &Arc<Crew>) {
        self.team.join(crew);
    }

    fn helped(&self) -> u64 {
        self.team.helped()
    }

    fn window_excess(&self) -> f64 {
        0.0
    }

    fn step_flops(&self) -> usize {
        cost::step_flops(&self.lowered, &self.distinct, self.examples)
    }

    fn bytes(&self) -> usize {
        let TokenProgram { arena, p, g, m, v, rooms, tables, outputs, .. } = self;
        let vectors = [arena, p, g, m, v].map(Vec::len).iter().sum::<usize>();
        let vectors = vectors + rooms.iter().map(|room| room.vectors.len()).sum::<usize>();
        let numbers = rooms.iter().map(|room| room.numbers.len()).sum::<usize>() + tables.len() + outputs.len();
        vectors * size_of::<S>() + numbers * size_of::<S::Elem>()
    }

    fn output(&self, _lane: usize) -> Vec<S::Elem> {
        self.outputs.iter().copied().map(plain).collect()
    }

    fn loss(&self, _lane: usize) -> S::Elem {
        let sum: f64 = S::numbers(&[self.loss]).iter().map(|x| x.f64()).sum();
        plain(S::Elem::of(sum / self.examples as f64))
    }
}
