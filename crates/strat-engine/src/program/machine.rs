//! What can be done with a program from outside.

use super::{Program, strided};
use crate::cost::step_flops;
use crate::error::InputError;
use crate::kernels::adam::{AdamStep, Clip, Constants};
use crate::kinds;
use crate::machine::{Machine, check_settings, plain};
use crate::memory::Part;
use crate::optimizer::{Optimizer, summed};
use crate::simd::{Number, Simd};

/// Sets every `step`-th number from `start` on.
fn set_strided<E: Copy>(to: &mut [E], start: usize, step: usize, data: &[E]) {
    to[start..].iter_mut().step_by(step).zip(data).for_each(|(to, &x)| *to = x);
}

impl<S: Simd> Machine<S::Elem> for Program<S> {
    fn lanes(&self) -> usize {
        if self.shared { 1 } else { S::LANES }
    }

    fn set_param(&mut self, lane: usize, name: &str, data: &[S::Elem]) {
        let slot = self.plan.value[self.slot_of(&self.plan.params, name).index()];
        assert_eq!(slot.len, data.len(), "parameter {name:?}");
        let to = &mut self.arena[slot.offset..][..slot.len];
        if self.shared {
            to.iter_mut().zip(data).for_each(|(to, &x)| *to = S::splat(x));
        } else {
            set_strided(S::numbers_mut(to), lane, S::LANES, data);
        }
    }

    fn param(&self, lane: usize, name: &str) -> Vec<S::Elem> {
        let slot = self.plan.value[self.slot_of(&self.plan.params, name).index()];
        strided(S::numbers(&self.arena[slot.offset..][..slot.len]), lane, S::LANES).map(plain).collect()
    }

    fn gradient(&self, lane: usize, name: &str) -> Vec<S::Elem> {
        let n = self.slot_of(&self.plan.params, name);
        let Some(slot) = self.plan.grad[n.index()] else {
            return vec![S::Elem::default(); self.plan.value[n.index()].len];
        };
        let grads = &self.arena[slot.offset..][..slot.len];
        let own = if self.shared { summed(grads) } else { strided(S::numbers(grads), lane, S::LANES).collect() };
        own.into_iter().map(plain).collect()
    }

    fn has_input(&self, name: &str) -> bool {
        self.plan.inputs.iter().any(|input| input.0 == name)
    }

    fn set_input(&mut self, lane: usize, name: &str, data: &[S::Elem]) -> Result<(), InputError> {
        let found = self.plan.inputs.iter().find(|input| input.0 == name);
        let node = found.ok_or_else(|| InputError::Name { name: name.into() })?.1;
        if lane >= self.lanes() {
            return Err(InputError::Lane { name: name.into(), lane, lanes: self.lanes() });
        }
        let slot = self.plan.value[node.index()];
        let (expected, found) = (slot.len * self.examples, data.len());
        if expected != found {
            return Err(InputError::Length { name: name.into(), expected, found });
        }
        kinds::check(&self.kinds, name, data)?;
        let to = S::numbers_mut(&mut self.arena[slot.offset..][..slot.len * self.plan.batch]);
        if !self.shared {
            set_strided(to, lane, S::LANES, data);
            return Ok(());
        }
        // Idle lanes repeat the last example, so that they meet nothing unusual.
        for i in 0..self.plan.batch * S::LANES {
            let from = &data[i.min(self.examples - 1) * slot.len..][..slot.len];
            set_strided(to, i / S::LANES * slot.len * S::LANES + i % S::LANES, S::LANES, from);
        }
        Ok(())
    }

    fn load(&mut self) {
        let whole = Part { first: 0, count: self.plan.batch };
        for i in 0..self.plan.by_batch.len() {
            self.compute(self.plan.by_batch[i], whole);
        }
        self.look_at_masks(0..S::LANES);
    }

    fn forward(&mut self) {
        self.pass(false);
    }

    fn gradients(&mut self) {
        self.pass(true);
        self.part_from_neighbours();
    }

    fn reset_moments(&mut self) {
        self.optimizer.reset();
    }

    fn set_clip(&mut self, clip: &[Option<f64>]) {
        check_settings(clip, self.lanes());
        self.clip = Clip::new(clip);
    }

    fn moments(&self, lane: usize, name: &str) -> Option<[Vec<S::Elem>; 2]> {
        let slot = self.plan.value[self.slot_of(&self.plan.params, name).index()];
        self.optimizer
            .moments(&self.plan, slot)
            .map(|m| m.map(|(m, step)| strided(m, lane, step).map(plain).collect()))
    }

    fn set_moments(&mut self, lane: usize, name: &str, moments: [&[S::Elem]; 2]) {
        let slot = self.plan.value[self.slot_of(&self.plan.params, name).index()];
        if let Some(own) = self.optimizer.moments_mut(&self.plan, slot) {
            for ((own, step), given) in own.into_iter().zip(moments) {
                set_strided(own, lane, step, given);
            }
        }
    }

    fn descend(&mut self, adam: &[AdamStep]) {
        check_settings(adam, self.lanes());
        self.optimizer.step(&self.plan, &mut self.arena, self.clip, Constants::new(adam));
    }

    fn window_excess(&self) -> f64 {
        self.excess
    }

    fn step_flops(&self) -> usize {
        step_flops(&self.plan.graph, self.examples)
    }

    fn bytes(&self) -> usize {
        let moments = match &self.optimizer {
            Optimizer::ByLane(moments) => moments.iter().flatten().map(Vec::len).sum(),
            Optimizer::Packed { p, g, m, v } => [p, g, m, v].map(Vec::len).iter().sum::<usize>(),
        };
        let vectors = self.arena.len() + moments + self.outputs.len() + self.losses.len();
        vectors * size_of::<S>()
    }

    fn output(&self, lane: usize) -> Vec<S::Elem> {
        let outputs = self.read(&self.outputs, lane, self.plan.value[self.output.index()].len);
        outputs.into_iter().map(plain).collect()
    }

    fn loss(&self, lane: usize) -> S::Elem {
        let sum: f64 = self.read(&self.losses, lane, 1).into_iter().map(S::Elem::f64).sum();
        plain(S::Elem::of(sum / self.examples as f64))
    }
}
