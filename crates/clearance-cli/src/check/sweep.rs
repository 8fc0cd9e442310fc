//! Which bodies are near enough to be worth an exact query: boxes swept along one axis.
//!
//! This stays until the library has broad phases of its own.

use clearance::math::{Aabb, DVec3};

/// Visits every pair of boxes at most `reach` apart, smaller index first, with the number of boxes swept so far.
pub fn near_pairs(boxes: &[Aabb], reach: f64, mut visit: impl FnMut(usize, [usize; 2])) {
    let axis = widest_axis(boxes);
    let low = |index: usize| boxes[index].min.to_array()[axis];
    let high = |index: usize| boxes[index].max.to_array()[axis];
    // A few units in the last place, so that rounding in the distance of boxes never rules out a pair at the margin.
    let reach = reach * (1.0 + 16.0 * f64::EPSILON);
    let mut order: Vec<usize> = (0..boxes.len()).collect();
    order.sort_by(|&i, &j| low(i).total_cmp(&low(j)).then(i.cmp(&j)));
    let mut active: Vec<usize> = Vec::new();
    for (done, &next) in order.iter().enumerate() {
        active.retain(|&index| low(next) - high(index) <= reach);
        for &other in &active {
            if boxes[next].distance(&boxes[other]) <= reach {
                visit(done, [next.min(other), next.max(other)]);
            }
        }
        active.push(next);
    }
}

/// The axis along which the centres of the bounded boxes are spread most.
fn widest_axis(boxes: &[Aabb]) -> usize {
    let centers = boxes.iter().map(Aabb::center).filter(|center| center.is_finite());
    let spread = Aabb::of_points(centers);
    let DVec3 { x, y, z } = spread.max - spread.min;
    if x >= y && x >= z { 0 } else { 1 + usize::from(z > y) }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn boxes(count: usize) -> Vec<Aabb> {
        // A fixed scatter from the golden ratio's multiples; every 50th box is unbounded.
        let fraction = |i: usize, k: f64| (i as f64 * k).fract();
        (0..count)
            .map(|i| {
                if i % 50 == 7 {
                    return Aabb::EVERYTHING;
                }
                let min = DVec3::new(fraction(i, 0.618), fraction(i, 0.414), fraction(i, 0.732)) * 10.0;
                Aabb { min, max: min + DVec3::splat(0.2 + fraction(i, 0.236)) }
            })
            .collect()
    }

    #[test]
    fn the_sweep_finds_what_comparing_all_finds() {
        let boxes = boxes(300);
        for reach in [0.0, 0.5] {
            let mut found = Vec::new();
            near_pairs(&boxes, reach, |_, pair| found.push(pair));
            let mut all = Vec::new();
            for i in 0..boxes.len() {
                all.extend((i + 1..boxes.len()).filter(|&j| boxes[i].distance(&boxes[j]) <= reach).map(|j| [i, j]));
            }
            found.sort_unstable();
            assert_eq!(found, all);
            assert!(all.len() > 1_000 && all.len() < 20_000, "{} pairs make a weak test", all.len());
        }
    }

    #[test]
    fn no_boxes_and_unbounded_boxes_are_fine() {
        near_pairs(&[], 1.0, |_, _| panic!("there is no pair"));
        let mut count = 0;
        near_pairs(&[Aabb::EVERYTHING; 3], 0.0, |_, _| count += 1);
        assert_eq!(count, 3);
    }
}
