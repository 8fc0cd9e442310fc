//! The depth of two small overlapping polytopes in 32 digits, by trying every direction of a face of their difference.
//!
//! A face of A - B is a face of A with a vertex of B, a vertex of A with a face of B, or an edge of each. Here *all* lines between two points of a
//! set stand for its edges and all triples for its faces. The extra directions cost time and change nothing: every direction bounds the depth from
//! above, and the right one is among them. There is no separating-axis shortcut for boxes, no rotation matrix, no tolerance.

use crate::double::{Double, Rotation, Vector};
use clearance::Pose;
use clearance::math::DVec3;

/// The widest gap between the shadows of two polytopes, along any direction of a face of their difference: minus the
/// depth if they overlap. If they do not, it is positive and at most the distance.
///
/// Two sets on one line have no such direction; they are never deeper than zero, and that is the answer.
///
/// # Panics
///
/// If a set is empty.
#[must_use]
pub fn widest_gap(points_a: &[DVec3], pose_a: Pose, points_b: &[DVec3], pose_b: Pose) -> f64 {
    assert!(!points_a.is_empty() && !points_b.is_empty(), "a hull needs at least one point");
    let origin = Vector::from(pose_a.translation());
    let place = |points: &[DVec3], pose: Pose| -> Vec<Vector> {
        let rotation = Rotation::new(pose.rotation());
        let offset = Vector::from(pose.translation()) - origin;
        points.iter().map(|&point| rotation.apply(point.into()) + offset).collect()
    };
    let (a, b) = (place(points_a, pose_a), place(points_b, pose_b));
    let (lines_a, lines_b) = (lines(&a), lines(&b));
    let mut normals = Vec::new();
    for (i, &from) in lines_a.iter().enumerate() {
        normals.extend(lines_a[i + 1..].iter().chain(&lines_b).map(|&to| normal(from, to)));
    }
    for (i, &from) in lines_b.iter().enumerate() {
        normals.extend(lines_b[i + 1..].iter().map(|&to| normal(from, to)));
    }
    let gaps = normals.into_iter().flatten().map(|normal| gap(&a, &b, normal));
    gaps.reduce(Double::max).unwrap_or(Double::ZERO).value()
}

/// The directions between all points, one of each set of equal ones: a box has 13 of them, not 28.
fn lines(points: &[Vector]) -> Vec<Vector> {
    let mut found: Vec<Vector> = Vec::new();
    for (i, &from) in points.iter().enumerate() {
        for &to in &points[i + 1..] {
            let line = to - from;
            if line != Vector::ZERO && !found.contains(&line) {
                found.push(line);
            }
        }
    }
    found
}

/// The unit vector across two lines; nothing if they are parallel to 28 digits.
fn normal(from: Vector, to: Vector) -> Option<Vector> {
    let across = from.cross(to);
    let square = across.length_squared();
    let parallel = from.length_squared() * to.length_squared() * Double::from(1e-56);
    (square > parallel).then(|| across * (Double::ONE / square.sqrt()))
}

fn gap(a: &[Vector], b: &[Vector], normal: Vector) -> Double {
    let shadow = |points: &[Vector]| {
        let heights = points.iter().map(|point| point.dot(normal));
        let first = points[0].dot(normal);
        heights.fold((first, first), |(low, high), x| (if x < low { x } else { low }, high.max(x)))
    };
    let (shadow_a, shadow_b) = (shadow(a), shadow(b));
    (shadow_b.0 - shadow_a.1).max(shadow_a.0 - shadow_b.1)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::models;
    use clearance::math::DQuat;

    #[test]
    fn cubes_and_tetrahedra_have_the_depths_of_the_textbook() {
        let cube = models::cube();
        let at = |x: f64, y: f64, z: f64| widest_gap(&cube, Pose::IDENTITY, &cube, Pose::from_translation([x, y, z]));
        assert_eq!((at(0.0, 0.0, 0.0), at(1.5, 0.0, 0.25), at(2.0, 0.0, 0.0)), (-2.0, -0.5, 0.0));
        // Two edges that cross at right angles, a quarter of the diagonal deep.
        let eighth = DQuat::from_rotation_x(std::f64::consts::FRAC_PI_4);
        let other = DQuat::from_rotation_y(std::f64::consts::FRAC_PI_4);
        let d = 2.0 * 2.0_f64.sqrt() - 0.25;
        let found = widest_gap(&cube, Pose::new([0.0; 3], eighth), &cube, Pose::new([0.0, 0.0, d], other));
        assert!((found + 0.25).abs() < 1e-15, "{found}");
        // The unit simplex and a point under its slanted face.
        let simplex = [DVec3::ZERO, DVec3::X, DVec3::Y, DVec3::Z];
        let point = Pose::from_translation([0.3, 0.3, 0.3]);
        let found = widest_gap(&simplex, Pose::IDENTITY, &[DVec3::ZERO], point);
        assert!((found + 0.1 / 3.0_f64.sqrt()).abs() < 1e-16, "{found}");
        // Sets on one line have depth zero.
        let line = [DVec3::ZERO, DVec3::X];
        assert_eq!(widest_gap(&line, Pose::IDENTITY, &line, Pose::IDENTITY), 0.0);
    }
}
