//! A second opinion on the [oracle](crate::oracle): plain doubles, other formulas, every pair of features.
//!
//! Good to rounding for shapes of ordinary proportions, and slow: for a dozen points at most.

use clearance::Pose;
use clearance::math::DVec3;

/// The distance between two *disjoint* hulls: the least over all pairs of points, edges and triangles of the sets.
///
/// Triangles and edges inside the hulls take part too; they can only be farther. For hulls that overlap the number
/// means nothing, see [`separation`].
#[must_use]
pub fn distance(points_a: &[DVec3], pose_a: Pose, points_b: &[DVec3], pose_b: Pose) -> f64 {
    let (a, b) = placed(points_a, pose_a, points_b, pose_b);
    let mut best = f64::INFINITY;
    for &p in &a {
        for &q in &b {
            best = best.min((p - q).length());
        }
    }
    for (points, others) in [(&a, &b), (&b, &a)] {
        for &p in points {
            for [x, y] in couples(others) {
                best = best.min(point_segment(p, x, y));
            }
            for [x, y, z] in triples(others) {
                best = best.min(point_triangle(p, x, y, z));
            }
        }
    }
    for [p, q] in couples(&a) {
        for [x, y] in couples(&b) {
            best = best.min(segment_segment(p, q, x, y));
        }
    }
    best
}

/// The widest gap along any normal of a face of the two or of their difference: positive exactly when two solids are
/// disjoint, and then a lower bound of their distance.
#[must_use]
pub fn separation(points_a: &[DVec3], pose_a: Pose, points_b: &[DVec3], pose_b: Pose) -> f64 {
    let (a, b) = placed(points_a, pose_a, points_b, pose_b);
    let faces = triples(&a).into_iter().chain(triples(&b)).map(|[x, y, z]| (y - x).cross(z - x));
    let (edges_a, edges_b) = (couples(&a), couples(&b));
    let crossings = edges_a.iter().flat_map(|[p, q]| edges_b.iter().map(move |[x, y]| (*q - *p).cross(*y - *x)));
    let mut widest = f64::NEG_INFINITY;
    for axis in faces.chain(crossings).filter_map(DVec3::try_normalize) {
        let span = |points: &[DVec3]| {
            points.iter().map(|p| p.dot(axis)).fold((f64::INFINITY, f64::NEG_INFINITY), |s, x| (s.0.min(x), s.1.max(x)))
        };
        let (span_a, span_b) = (span(&a), span(&b));
        widest = widest.max(span_b.0 - span_a.1).max(span_a.0 - span_b.1);
    }
    widest
}

/// Both sets in world directions about A's position.
fn placed(points_a: &[DVec3], pose_a: Pose, points_b: &[DVec3], pose_b: Pose) -> (Vec<DVec3>, Vec<DVec3>) {
    let offset = pose_b.translation() - pose_a.translation();
    let a = points_a.iter().map(|&p| pose_a.transform_vector(p)).collect();
    let b = points_b.iter().map(|&p| pose_b.transform_vector(p) + offset).collect();
    (a, b)
}

fn couples(points: &[DVec3]) -> Vec<[DVec3; 2]> {
    let mut all = Vec::new();
    for (i, &x) in points.iter().enumerate() {
        all.extend(points[i + 1..].iter().map(|&y| [x, y]));
    }
    all
}

fn triples(points: &[DVec3]) -> Vec<[DVec3; 3]> {
    let mut all = Vec::new();
    for (i, &x) in points.iter().enumerate() {
        all.extend(couples(&points[i + 1..]).into_iter().map(|[y, z]| [x, y, z]));
    }
    all
}

fn point_segment(p: DVec3, x: DVec3, y: DVec3) -> f64 {
    let along = y - x;
    let square = along.length_squared();
    let t = if square > 0.0 { ((p - x).dot(along) / square).clamp(0.0, 1.0) } else { 0.0 };
    (p - x.lerp(y, t)).length()
}

/// The height over the triangle's plane if the foot is inside, else infinity: the sides are tried in any case.
fn point_triangle(p: DVec3, x: DVec3, y: DVec3, z: DVec3) -> f64 {
    let Some(normal) = (y - x).cross(z - x).try_normalize() else { return f64::INFINITY };
    let height = (p - x).dot(normal);
    let foot = p - height * normal;
    let beside = |from: DVec3, to: DVec3| (to - from).cross(foot - from).dot(normal) < 0.0;
    if beside(x, y) || beside(y, z) || beside(z, x) { f64::INFINITY } else { height.abs() }
}

/// The distance of the lines if both feet are inside, else infinity: the ends are tried in any case.
fn segment_segment(p: DVec3, q: DVec3, x: DVec3, y: DVec3) -> f64 {
    let (u, v, w) = (q - p, y - x, x - p);
    let normal = u.cross(v);
    let square = normal.length_squared();
    let s = w.cross(v).dot(normal) / square;
    let t = w.cross(u).dot(normal) / square;
    // Parallel edges divide by zero; neither NaN nor infinity is in the range.
    let inside = (0.0..=1.0).contains(&s) && (0.0..=1.0).contains(&t);
    if inside { (p + s * u - x - t * v).length() } else { f64::INFINITY }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{Rng, models, oracle, pairs, random};

    fn sides(case: &pairs::Case) -> (&[DVec3], Pose, &[DVec3], Pose) {
        (&case.points_a, case.pose_a, &case.points_b, case.pose_b)
    }

    #[test]
    fn oracle_and_brute_force_agree_on_thousands_of_random_pairs() {
        let mut rng = Rng::with_seed(11);
        let (mut apart, mut overlapping) = (0, 0);
        for round in 0..4000 {
            let points_a = models::random_hull(&mut rng, 4 + round % 5);
            let points_b = models::random_hull(&mut rng, 4 + round % 3);
            let pose_a = Pose::new(random::vector(&mut rng, -0.6, 0.6), random::rotation(&mut rng));
            let pose_b = Pose::new(random::vector(&mut rng, -0.6, 0.6), random::rotation(&mut rng));
            let truth = oracle::distance(&points_a, pose_a, &points_b, pose_b);
            let widest = separation(&points_a, pose_a, &points_b, pose_b);
            assert_eq!(truth.is_overlapping(), widest <= 0.0, "{widest}");
            if truth.is_overlapping() {
                overlapping += 1;
                continue;
            }
            apart += 1;
            let plain = distance(&points_a, pose_a, &points_b, pose_b);
            assert!((plain - truth.distance()).abs() < 1e-13, "{plain} {truth:?}");
            assert!(widest <= truth.distance() + 1e-13 && truth.certificate_gap() < 1e-20);
        }
        assert!(apart > 1000 && overlapping > 1000, "{apart} apart, {overlapping} overlapping");
    }

    #[test]
    fn oracle_and_brute_force_agree_on_structured_pairs() {
        let (mut compared, mut index) = (0, 0);
        let mut rng = Rng::with_seed(12);
        while compared < 2500 {
            let case = pairs::structured(&mut rng, index);
            index += 1;
            // Plain doubles cannot follow there.
            if case.points_a.len() * case.points_b.len() > 150 || case.is_extreme {
                continue;
            }
            let (points_a, pose_a, points_b, pose_b) = sides(&case);
            let truth = oracle::distance(points_a, pose_a, points_b, pose_b);
            if !truth.is_overlapping() {
                compared += 1;
                let plain = distance(points_a, pose_a, points_b, pose_b);
                assert!((plain - truth.distance()).abs() < 1e-12 * case.size, "{}: {plain} {truth:?}", case.what);
            }
        }
    }

    #[test]
    fn the_two_forms_of_the_oracle_agree() {
        let mut rng = Rng::with_seed(13);
        for index in 0..600 {
            let case = pairs::structured(&mut rng, index);
            if case.points_a.len() * case.points_b.len() > 80 {
                continue;
            }
            let (points_a, pose_a, points_b, pose_b) = sides(&case);
            let search = oracle::distance(points_a, pose_a, points_b, pose_b);
            let exhaustive = oracle::distance_exhaustive(points_a, pose_a, points_b, pose_b);
            assert_eq!(search.is_overlapping(), exhaustive.is_overlapping(), "{}", case.what);
            let slack = 1e-16 * search.distance() + search.certificate_gap() + exhaustive.certificate_gap();
            assert!((search.distance() - exhaustive.distance()).abs() <= slack, "{}", case.what);
        }
    }
}
