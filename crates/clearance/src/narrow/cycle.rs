//! Brent's method: does a sequence in which each element is a function of the one before run in a circle?

/// Compares each element with the one at the last power of two, which needs no memory beyond that one.
pub struct Cycle<T> {
    kept: T,
    /// The step from which on the next element is kept.
    keep_at: u32,
}

impl<T: Copy + PartialEq> Cycle<T> {
    #[inline(always)]
    /// A walk that starts at an element.
    pub fn new(first: T) -> Self {
        Self { kept: first, keep_at: 4 }
    }

    /// Has this element been there before, as far as one can tell yet? Number of steps before it.
    #[inline(always)]
    pub fn closes(&mut self, element: T, steps: u32) -> bool {
        if element == self.kept {
            return true;
        }
        if steps + 1 >= self.keep_at {
            (self.kept, self.keep_at) = (element, 2 * self.keep_at);
        }
        false
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_circle_is_seen_within_three_times_its_length_and_its_lead() {
        for (lead, length) in [(0, 1), (0, 2), (3, 1), (5, 7), (20, 4), (100, 33)] {
            let element = |step: u32| if step < lead { step } else { lead + (step - lead) % length };
            let mut cycle = Cycle::new(element(0));
            let seen = (1..1000).find(|&step| cycle.closes(element(step), step));
            assert!(
                seen.is_some_and(|seen| seen >= length && seen <= 4 * (lead + length) + 8),
                "{lead} {length} {seen:?}"
            );
        }
        let mut cycle = Cycle::new(0);
        assert!((1..1000).all(|step| !cycle.closes(step, step)));
    }
}
