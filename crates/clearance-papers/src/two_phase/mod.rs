//! Two-phase collision detection: B. Mirtich, *Efficient Algorithms for Two-Phase Collision Detection*, 1997.
//!
//! * [`CoherentHash`], [`PlainHash`]: section 2.2, the hierarchical hash, with and without coherence.
//! * [`tiling`]: the same hash as printed, with alpha and beta as options and close pairs as its answer.
//! * [`hashing`]: table 1 and figure 6. The savings of coherence in hashing, and the cost of crowded coordinates in sorting.
//! * [`scenes`]: the scenes of that table, with [`tossed`] bodies and a [`rattleback`], integrated.
//! * [`mod@line`] and [`tiles`]: the example of figures 2 and 3; lemma and theorems about resolutions, buckets and close pairs.
//! * [`swept`]: figure 1. Boxes of swept volumes; a bullet and a thin wall.
//! * [`spheres`]: figure 10. Lin-Canny on finer and finer spheres; the features that a satellite passes.
//! * [`scheduling`]: section 4. The times at which pairs are checked, and the contacts that fixed steps miss.
//! * [`rollback`]: section 4. Estimates of times of impact, and a state that is taken back.
//!
//! The rows are in `broad` (section 2), `narrow` (section 3) and `motion` (section 4).

mod broad;
mod hash_grid;
pub mod hashing;
pub mod line;
mod motion;
mod narrow;
pub mod rattleback;
pub mod rollback;
pub mod scenes;
pub mod scheduling;
pub mod spheres;
pub mod swept;
pub mod tiles;
pub mod tiling;
pub mod tossed;

pub use hash_grid::{CoherentHash, HashWork, PlainHash};

use crate::Experiment;

/// The experiments of the paper.
pub fn experiments() -> Vec<Experiment> {
    let experiment = |name, rows, seconds, run| Experiment { name, rows, seconds, run };
    vec![
        experiment("four scenes", &["T1", "T7", "T9", "T20"], [4.0, 40.0], broad::scenes),
        experiment("an example on a line", &["T2"], [0.1, 0.1], broad::line),
        experiment("resolutions and buckets", &["T3", "T4", "T5", "T6"], [2.0, 10.0], broad::theorems),
        experiment("alpha and beta", &["T19"], [0.5, 3.0], broad::trade_offs),
        experiment("crowded coordinates", &["T8"], [1.0, 15.0], broad::crowded),
        experiment("finer and finer spheres", &["T10", "T11", "T12"], [4.0, 60.0], narrow::spheres),
        experiment("swept boxes", &["T13", "T14"], [1.0, 5.0], motion::swept),
        experiment("schedules", &["T15", "T16"], [2.0, 60.0], motion::schedules),
        experiment("operations", &["T17"], [0.2, 2.0], narrow::operations),
        experiment("hierarchies of hulls", &["T18"], [2.0, 10.0], narrow::hulls),
    ]
}

/// The power that one number grows with another: the slope of a straight line through the logarithms.
fn exponent(points: &[[f64; 2]]) -> f64 {
    let logarithms: Vec<[f64; 2]> = points.iter().map(|point| point.map(f64::ln)).collect();
    let mean = |k: usize| logarithms.iter().map(|point| point[k]).sum::<f64>() / points.len() as f64;
    let [x, y] = [mean(0), mean(1)];
    let (mut with, mut of) = (0.0, 0.0);
    for point in &logarithms {
        with += (point[0] - x) * (point[1] - y);
        of += (point[0] - x) * (point[0] - x);
    }
    with / of
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_slope_of_a_power_is_its_exponent() {
        let points: Vec<[f64; 2]> = [1.0, 3.0, 10.0, 50.0].iter().map(|&x: &f64| [x, 7.0 * x.powf(1.5)]).collect();
        assert!((exponent(&points) - 1.5).abs() < 1e-12);
    }
}
