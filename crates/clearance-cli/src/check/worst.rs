//! The worst pairs of a scene, in order, without keeping those that will not be listed.

use super::Found;
use std::cmp::Ordering;

/// Collects pairs: overlaps before undecided pairs before gaps, those of a smaller distance first, then by the names of the bodies.
pub struct Worst {
    /// By body: the place of its name among all names, which is quicker to compare than the name.
    ranks: Vec<u32>,
    /// How many are wanted, or all.
    limit: Option<usize>,
    pairs: Vec<Found>,
}

/// Findings beyond the limit that are collected before they are sorted and the best of them dropped. Limit: memory; the cost of a sort is
/// shared by this many findings.
const ROOM: usize = 1 << 12;

impl Worst {
    pub fn new(names: &[String], limit: Option<usize>) -> Self {
        let mut order: Vec<u32> = (0..names.len() as u32).collect();
        order.sort_unstable_by_key(|&body| &names[body as usize]);
        let mut ranks = vec![0; names.len()];
        for (rank, &body) in (0..).zip(&order) {
            ranks[body as usize] = rank;
        }
        Self { ranks, limit, pairs: Vec::new() }
    }

    pub fn add(&mut self, found: Found) {
        self.pairs.push(found);
        if let Some(limit) = self.limit
            && self.pairs.len() >= limit.saturating_mul(2).saturating_add(ROOM)
        {
            let Self { ranks, pairs, .. } = self;
            pairs.select_nth_unstable_by(limit, |p, q| order(ranks, p, q));
            pairs.truncate(limit);
        }
    }

    /// All that are wanted, worst first, after more was found out about these.
    pub fn into_sorted_with(self, find_out: impl FnOnce(&mut [Found])) -> Vec<Found> {
        let Self { ranks, limit, mut pairs } = self;
        // No two are equal, since names are unique.
        pairs.sort_unstable_by(|p, q| order(&ranks, p, q));
        pairs.truncate(limit.unwrap_or(usize::MAX));
        find_out(&mut pairs);
        pairs.sort_unstable_by(|p, q| order(&ranks, p, q));
        pairs
    }
}

fn order(ranks: &[u32], p: &Found, q: &Found) -> Ordering {
    let names = |found: &Found| found.bodies.map(|body| ranks[body as usize]);
    let number = |found: &Found| found.shown().distance;
    p.state().cmp(&q.state()).then(number(p).total_cmp(&number(q))).then_with(|| names(p).cmp(&names(q)))
}

#[cfg(test)]
mod tests {
    use super::*;
    use clearance::Status;
    use clearance_io::Witness;

    fn found(i: u32, names: u32) -> Found {
        // Few distances, so that names decide often; some pairs are apart.
        let distance = f64::from(i.wrapping_mul(2_654_435_761) >> 8 & 15) - 9.0;
        let v = [0.0; 3];
        let witness = Witness { distance, point_a: v, point_b: v, normal: v, lower: distance, upper: distance };
        Found {
            bodies: [i % names, i / names],
            status: Status::Converged,
            witness,
            depth: None,
            doubt: None,
            kind: None,
            is_too_close: false,
        }
    }

    #[test]
    fn a_limit_keeps_the_beginning_of_the_whole_list_in_bounded_room() {
        let names: Vec<String> = (0..200_u32).map(|i| format!("body {}", i.reverse_bits())).collect();
        let list = |limit: Option<usize>| {
            let mut worst = Worst::new(&names, limit);
            for i in 0..200 * 200 {
                worst.add(found(i, 200));
                let most = limit.map_or(usize::MAX, |limit| limit.saturating_mul(2).saturating_add(ROOM));
                assert!(worst.pairs.len() < most);
            }
            worst.into_sorted_with(|_| {})
        };
        let all = list(None);
        assert_eq!(all.len(), 40_000);
        let key = |found: &Found| (!found.overlaps(), found.witness.distance, found.bodies.map(|i| &names[i as usize]));
        assert!(all.iter().map(key).is_sorted_by(|p, q| p < q));
        for limit in [1, 2, 100, 4_095, 4_096, 39_999, 40_000, 50_000, usize::MAX] {
            let some = list(Some(limit));
            assert!(some.iter().map(key).eq(all.iter().take(limit).map(key)), "{limit}");
        }
    }
}
