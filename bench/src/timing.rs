//! The stopwatch: whole passes over a workload, the libraries taking turns, the best pass of each.

use std::time::{Duration, Instant};

/// The condition on which repeating stops.
#[derive(Debug, Clone, Copy)]
pub struct Effort {
    /// The least number of rounds.
    pub rounds: usize,
    /// More rounds follow while the row has taken less time than this.
    pub budget: Duration,
}

impl Effort {
    /// For numbers to be quoted.
    pub const FULL: Self = Self { rounds: 5, budget: Duration::from_millis(400) };
    /// For a test that every row runs.
    pub const QUICK: Self = Self { rounds: 2, budget: Duration::ZERO };
}

/// One library's pass over all queries of a row.
pub type Pass<'a> = Box<dyn FnMut() + 'a>;

/// The shortest time of each pass.
///
/// The passes take turns, so that a slow moment of the machine affects all of them equally. The shortest time counts, since disturbances only make a
/// run longer. A turn is two passes: during the first, the caches of the processor are still full of the other libraries' shapes.
pub fn best_of(effort: Effort, passes: &mut [Pass<'_>]) -> Vec<Duration> {
    let mut best = vec![Duration::MAX; passes.len()];
    // The first round warms caches, branch predictors and the clock of the core.
    passes.iter_mut().for_each(|pass| pass());
    let started = Instant::now();
    let mut round = 0;
    while round < effort.rounds || (started.elapsed() < effort.budget && round < 1000) {
        for (pass, best) in passes.iter_mut().zip(&mut best) {
            for _ in 0..2 {
                let start = Instant::now();
                pass();
                *best = start.elapsed().min(*best);
            }
        }
        round += 1;
    }
    best
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::cell::RefCell;

    #[test]
    fn passes_take_turns() {
        let order = RefCell::new(String::new());
        let mut passes: Vec<Pass<'_>> =
            vec![Box::new(|| order.borrow_mut().push('a')), Box::new(|| order.borrow_mut().push('b'))];
        let best = best_of(Effort::QUICK, &mut passes);
        drop(passes);
        assert!(best.iter().all(|&time| time < Duration::from_secs(1)));
        assert_eq!(order.into_inner(), "abaabbaabb");
    }
}
