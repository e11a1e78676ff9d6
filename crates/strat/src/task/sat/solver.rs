//! The SAT solver: batsat, a port of MiniSat without dependencies on other languages.

use super::satisfies;
use crate::data::Formula;
use crate::rng::RandomStream;
use batsat::{BasicSolver, Lit, SolverInterface, Var, lbool};

/// An assignment that satisfies a formula, checked clause by clause; none if the solver proves
/// that there is none. It is the same on every machine: the solver's only randomness is seeded.
pub fn satisfying(formula: &Formula) -> Option<Vec<bool>> {
    let mut solver = BasicSolver::default();
    let variables: Vec<Var> = (0..formula.variables).map(|_| solver.new_var_default()).collect();
    for clause in &formula.clauses {
        let literal = |&l: &i32| Lit::new(variables[l.unsigned_abs() as usize - 1], l > 0);
        solver.add_clause_reuse(&mut clause.iter().map(literal).collect());
    }
    let answer = solver.solve_limited(&[]);
    if answer == lbool::FALSE {
        return None;
    }
    let assignment: Vec<bool> = variables.iter().map(|&v| solver.value_var(v) == lbool::TRUE).collect();
    assert!(satisfies(formula, &assignment), "the solver gave an assignment that does not satisfy its formula");
    Some(assignment)
}

/// As many literals over different variables, with random signs.
pub fn random_clause(variables: usize, length: usize, draws: &mut RandomStream) -> Vec<i32> {
    let mut literals: Vec<i32> = vec![];
    while literals.len() < length {
        let variable = 1 + draws.below(variables as u32) as i32;
        if literals.iter().all(|l| l.abs() != variable) {
            literals.push(if draws.below(2) == 1 { variable } else { -variable });
        }
    }
    literals
}

/// A random formula of clauses of three literals.
pub fn random_formula(variables: usize, clauses: usize, draws: &mut RandomStream) -> Formula {
    Formula { variables, clauses: (0..clauses).map(|_| random_clause(variables, 3, draws)).collect() }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::rng::Stream;

    fn satisfiable_by_search(formula: &Formula) -> bool {
        (0..1u32 << formula.variables).any(|n| {
            let assignment: Vec<bool> = (0..formula.variables).map(|v| n >> v & 1 == 1).collect();
            satisfies(formula, &assignment)
        })
    }

    #[test]
    fn the_solver_agrees_with_trying_everything() {
        let mut seen = [0; 2];
        for n in 0..300 {
            let mut draws = RandomStream::new(1, Stream::StandIn, n);
            let formula = random_formula(8, 34, &mut draws);
            let solved = satisfying(&formula);
            assert_eq!(solved.is_some(), satisfiable_by_search(&formula));
            seen[usize::from(solved.is_some())] += 1;
        }
        assert!(seen.iter().all(|&n| n > 50), "{seen:?}");
    }

    #[test]
    fn odd_formulas_are_decided() {
        let formula =
            |clauses: &[&[i32]]| Formula { variables: 3, clauses: clauses.iter().map(|c| c.to_vec()).collect() };
        assert!(satisfying(&formula(&[])).is_some());
        assert!(satisfying(&formula(&[&[]])).is_none());
        assert!(satisfying(&formula(&[&[1, -1], &[2, 2]])).is_some());
        assert!(satisfying(&formula(&[&[1], &[-1]])).is_none());
    }
}
