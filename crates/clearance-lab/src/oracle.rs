//! The distance between two polytopes given as points, in 32 digits.
//!
//! The distance is the norm of the shortest vector in the hull of all differences `b - a` [Wolfe, *Finding the nearest point in a polytope*, 1976].
//! The search runs in numbers of 32 digits and takes the minimum over *all* faces of its simplex at each step, by direct formulas. It is slow and
//! short, and no tolerance decides anything.
//!
//! An answer rests on its certificate, not on the end of the search: every difference lies beyond the plane through the lower bound, checked over
//! all points. If a search ends without one, [`distance_exhaustive`] tries all pairs of a vertex and a triangle and of two edges, which is right
//! for any two disjoint hulls.
//!
//! Input is exact: a pose's quaternion and translation are read as exact numbers and applied in 32 digits, so that poses far from the origin keep
//! their distance.

use crate::double::{Double, Rotation, Vector};
use clearance::Pose;
use clearance::math::DVec3;

/// The truth about two polytopes.
#[derive(Debug, Clone, Copy, PartialEq)]
pub enum Oracle {
    /// They are apart.
    Apart {
        /// The distance, rounded to a double.
        distance: f64,
        /// Upper minus lower bound: the distance is proved to be in `distance - certificate_gap ..= distance`. About
        /// 1e-30 of the size squared over the distance, so only a gap below 1e-15 of the size may be none.
        certificate_gap: f64,
        /// The direction from A to B along which the distance is attained; world frame, unit.
        normal: DVec3,
    },
    /// They share a point: the origin is in a simplex of differences, or within 1e-28 of the size of one.
    Overlapping,
}

impl Oracle {
    /// The distance, zero when overlapping.
    #[must_use]
    pub fn distance(&self) -> f64 {
        match *self {
            Self::Apart { distance, .. } => distance,
            Self::Overlapping => 0.0,
        }
    }

    /// The width of the proof of [`Oracle::distance`]; zero when overlapping.
    #[must_use]
    pub fn certificate_gap(&self) -> f64 {
        match *self {
            Self::Apart { certificate_gap, .. } => certificate_gap,
            Self::Overlapping => 0.0,
        }
    }

    /// True if the polytopes share a point.
    #[must_use]
    pub fn is_overlapping(&self) -> bool {
        matches!(self, Self::Overlapping)
    }
}

/// The distance between the hulls of two point sets.
///
/// # Panics
///
/// If a set is empty.
#[must_use]
pub fn distance(points_a: &[DVec3], pose_a: Pose, points_b: &[DVec3], pose_b: Pose) -> Oracle {
    let differences = Differences::new(points_a, pose_a, points_b, pose_b);
    let found = search(&differences, 1e-31);
    differences.verdict(&found).unwrap_or_else(|| differences.last_word(&exhaustive(&differences)))
}

/// The same by trying every pair of features, which takes seconds for 40 points each.
///
/// # Panics
///
/// If a set is empty.
#[must_use]
pub fn distance_exhaustive(points_a: &[DVec3], pose_a: Pose, points_b: &[DVec3], pose_b: Pose) -> Oracle {
    let differences = Differences::new(points_a, pose_a, points_b, pose_b);
    differences.last_word(&exhaustive(&differences))
}

/// A step below this part of the squared size is rounding.
const NOISE: f64 = 1e-29;

/// The search takes about as many steps as GJK; after a hundred times that it runs in circles.
const MOST_STEPS: usize = 500;

/// Closer than this part of the size is touching.
const TOUCHING: f64 = 1e-28;

/// A convex set of differences `b - a`, by the three functions that the search needs.
pub(crate) trait ConvexSet {
    /// Some point of it.
    fn first(&self) -> Vector;
    /// The lowest point along a direction.
    fn least(&self, direction: Vector) -> Vector;
    /// An upper bound on the length of all differences.
    fn size(&self) -> Double;
}

/// Bounds of the distance of a convex set from the origin: the length of a point of it, and the height of a separating plane. `None` if the origin
/// is in it, or closer than 28 digits can resolve.
///
/// Curved sets have no last step: the search ends when the two are closer than `enough` times the size.
pub(crate) fn bounds(set: &impl ConvexSet, enough: f64) -> Option<[Double; 2]> {
    let found = search(set, enough);
    let upper = found.point.length();
    let lower = found.height(set.least(found.direction));
    let is_apart = !found.contains_origin && upper > set.size() * Double::from(TOUCHING) && lower > Double::ZERO;
    is_apart.then_some([lower, upper])
}

/// The points `b_j - a_i`, by their indices.
struct Differences {
    a: Vec<Vector>,
    b: Vec<Vector>,
    /// An upper bound on the length of all differences.
    size: Double,
}

/// A point of the hull, and the direction that its simplex is perpendicular to.
///
/// The two are the same vector up to rounding. The point is a convex combination of differences to the last digit, so its norm is an upper bound.
/// The direction is accurate even when the simplex is a sliver, so it makes a good lower bound.
struct Candidate {
    simplex: Vec<Vector>,
    point: Vector,
    direction: Vector,
    contains_origin: bool,
}

impl Candidate {
    /// The height of a difference along the direction.
    fn height(&self, difference: Vector) -> Double {
        let length = self.direction.length();
        if length == Double::ZERO { Double::ZERO } else { difference.dot(self.direction) / length }
    }
}

impl Differences {
    fn new(points_a: &[DVec3], pose_a: Pose, points_b: &[DVec3], pose_b: Pose) -> Self {
        assert!(!points_a.is_empty() && !points_b.is_empty(), "a hull needs at least one point");
        let origin = Vector::from(pose_a.translation());
        let place = |points: &[DVec3], pose: Pose| -> Vec<Vector> {
            let rotation = Rotation::new(pose.rotation());
            // The translations are subtracted first: their difference is exact to 32 digits.
            let offset = Vector::from(pose.translation()) - origin;
            points.iter().map(|&point| rotation.apply(point.into()) + offset).collect()
        };
        let (a, b) = (place(points_a, pose_a), place(points_b, pose_b));
        let reach =
            |points: &[Vector]| points.iter().fold(Double::ZERO, |most, &point| most.max((point - a[0]).length()));
        let size = reach(&a) + reach(&b);
        Self { a, b, size }
    }

    /// The proved lower bound that a candidate's direction gives, negative when it does not separate.
    fn lower(&self, candidate: &Candidate) -> Double {
        candidate.height(self.least(candidate.direction))
    }

    /// The answer, if the candidate has its certificate.
    fn verdict(&self, candidate: &Candidate) -> Option<Oracle> {
        let upper = candidate.point.length();
        if candidate.contains_origin || upper <= self.size * Double::from(TOUCHING) {
            return Some(Oracle::Overlapping);
        }
        let gap = upper - self.lower(candidate);
        // The direction of a vector of length d is known to noise / d, which the size multiplies.
        let certified = gap * upper <= self.size * self.size * Double::from(NOISE);
        certified.then(|| self.apart(candidate, upper, gap))
    }

    /// The answer of the best candidate: without a separating direction the hulls must share a point.
    fn last_word(&self, candidate: &Candidate) -> Oracle {
        self.verdict(candidate).unwrap_or_else(|| {
            let upper = candidate.point.length();
            let lower = self.lower(candidate);
            if lower > Double::ZERO { self.apart(candidate, upper, upper - lower) } else { Oracle::Overlapping }
        })
    }

    fn apart(&self, candidate: &Candidate, upper: Double, gap: Double) -> Oracle {
        let normal = candidate.direction * (Double::ONE / candidate.direction.length());
        Oracle::Apart { distance: upper.value(), certificate_gap: gap.value().max(0.0), normal: normal.value() }
    }
}

impl ConvexSet for Differences {
    fn first(&self) -> Vector {
        self.b[0] - self.a[0]
    }

    fn least(&self, direction: Vector) -> Vector {
        let extreme = |points: &[Vector], sign: f64| {
            let toward = direction * Double::from(sign);
            let mut best = (points[0], points[0].dot(toward));
            for &point in &points[1..] {
                let height = point.dot(toward);
                if height > best.1 {
                    best = (point, height);
                }
            }
            best.0
        };
        extreme(&self.b, -1.0) - extreme(&self.a, 1.0)
    }

    fn size(&self) -> Double {
        self.size
    }
}

/// Wolfe's search: the nearest point of a simplex, the lowest difference along it, the nearest point of both.
///
/// Norms fall at each step, except where features are parallel within 32 digits. So the best candidate is the one with the narrowest certificate,
/// and the search ends when it runs in circles or by count.
fn search(set: &impl ConvexSet, enough: f64) -> Candidate {
    let mut current = nearest(&[set.first()]);
    let mut best: Option<(Double, Candidate)> = None;
    let enough = set.size() * Double::from(enough);
    for _ in 0..MOST_STEPS {
        let next = set.least(current.direction);
        let gap = current.point.length() - current.height(next);
        let mut simplex = current.simplex.clone();
        let ends = current.contains_origin || gap <= enough || simplex.contains(&next);
        if best.as_ref().is_none_or(|(narrowest, _)| gap < *narrowest || current.contains_origin) {
            best = Some((gap, current));
        }
        if ends {
            break;
        }
        simplex.push(next);
        current = nearest(&simplex);
    }
    best.expect("a search has a first step").1
}

/// The best of all pairs of a vertex and a triangle, and of two edges, with all simplices in them.
fn exhaustive(differences: &Differences) -> Candidate {
    let (a, b) = (&differences.a, &differences.b);
    let mut best = nearest(&[b[0] - a[0]]);
    let mut offer = |simplex: &[Vector]| {
        let candidate = nearest(simplex);
        let (found, known) = (candidate.point.length_squared(), best.point.length_squared());
        // Among equals the narrower certificate wins.
        let tie = (found - known).value().abs() <= 1e-28 * known.value();
        let narrower =
            || differences.verdict(&best).is_none() && differences.lower(&candidate) > differences.lower(&best);
        if if tie { narrower() } else { found < known } {
            best = candidate;
        }
    };
    for &p in a {
        for_triples(b, |x, y, z| offer(&[x - p, y - p, z - p]));
    }
    for &q in b {
        for_triples(a, |x, y, z| offer(&[q - x, q - y, q - z]));
    }
    for_couples(a, |p, q| {
        for_couples(b, |x, y| {
            // Two edges span a parallelogram of differences: two triangles.
            offer(&[x - p, y - p, y - q]);
            offer(&[x - p, x - q, y - q]);
        });
    });
    best
}

/// All sets of two points; a single point forms a set with itself.
fn for_couples(points: &[Vector], mut act: impl FnMut(Vector, Vector)) {
    if let [only] = points {
        act(*only, *only);
    }
    for (i, &x) in points.iter().enumerate() {
        points[i + 1..].iter().for_each(|&y| act(x, y));
    }
}

/// All sets of three points; two points or one are filled up with copies.
fn for_triples(points: &[Vector], mut act: impl FnMut(Vector, Vector, Vector)) {
    if points.len() < 3 {
        for_couples(points, |x, y| act(x, y, y));
    }
    for (i, &x) in points.iter().enumerate() {
        for_couples_strict(&points[i + 1..], |y, z| act(x, y, z));
    }
}

fn for_couples_strict(points: &[Vector], mut act: impl FnMut(Vector, Vector)) {
    for (i, &x) in points.iter().enumerate() {
        points[i + 1..].iter().for_each(|&y| act(x, y));
    }
}

/// The point of a simplex of up to four points that is nearest to the origin: the face that all points are beyond.
fn nearest(simplex: &[Vector]) -> Candidate {
    let mut best: Option<(Double, Candidate)> = None;
    let count = simplex.len();
    for members in 1_u32..1 << count {
        let face: Vec<Vector> = (0..count).filter(|i| members >> i & 1 == 1).map(|i| simplex[i]).collect();
        let found = match face[..] {
            [p] => Some(Candidate { point: p, direction: p, simplex: face, contains_origin: false }),
            [p, q] => on_edge(p, q),
            [p, q, r] => on_triangle([p, q, r]),
            [p, q, r, s] => in_tetrahedron([p, q, r, s]),
            _ => None,
        };
        let Some(found) = found else { continue };
        let norm = found.point.length();
        // The certificate within the simplex: of first order in an error of which the norm is of second.
        let gap = simplex.iter().fold(Double::ZERO, |widest, &point| widest.max(norm - found.height(point)));
        let gap = if norm == Double::ZERO { -Double::ONE } else { gap };
        if best.as_ref().is_none_or(|(narrowest, _)| gap < *narrowest) {
            best = Some((gap, found));
        }
    }
    best.expect("the first vertex is a candidate").1
}

/// The foot of the origin on an edge, if it is strictly between the ends.
fn on_edge(p: Vector, q: Vector) -> Option<Candidate> {
    let along = q - p;
    let (from_p, from_q) = (-p.dot(along), q.dot(along));
    if from_p <= Double::ZERO || from_q <= Double::ZERO {
        return None;
    }
    let square = along.length_squared();
    let point = p * (from_q / square) + q * (from_p / square);
    Some(Candidate { simplex: vec![p, q], point, direction: point, contains_origin: false })
}

/// The foot of the origin on a triangle, if it is strictly inside.
fn on_triangle([p, q, r]: [Vector; 3]) -> Option<Candidate> {
    // The two shortest sides give the least cancellation in the normal.
    let sides = [r - q, p - r, q - p];
    let longest =
        (0..3).max_by(|&i, &j| sides[i].length_squared().value().total_cmp(&sides[j].length_squared().value()))?;
    let normal = sides[(longest + 1) % 3].cross(sides[(longest + 2) % 3]);
    let square = normal.length_squared();
    if square <= Double::ZERO {
        return None;
    }
    let foot = normal * (normal.dot(p) / square);
    let area = |x: Vector, y: Vector| (x - foot).cross(y - foot).dot(normal);
    let weights = [area(q, r), area(r, p), area(p, q)];
    if weights.iter().any(|&w| w <= Double::ZERO) {
        return None;
    }
    let total = weights[0] + weights[1] + weights[2];
    let point = (p * weights[0] + q * weights[1] + r * weights[2]) * (Double::ONE / total);
    // If the plane goes through the origin, the foot has no direction; the normal is used instead.
    let direction = if foot.length_squared() > Double::ZERO { foot } else { normal };
    Some(Candidate { simplex: vec![p, q, r], point, direction, contains_origin: false })
}

/// Is the origin strictly inside a tetrahedron, by more than rounding?
fn in_tetrahedron([p, q, r, s]: [Vector; 4]) -> Option<Candidate> {
    let volume = |x: Vector, y: Vector, z: Vector| {
        let value = x.cross(y).dot(z);
        let error = x.length() * y.length() * z.length() * Double::from(1e-30);
        if value > error {
            1
        } else if value < -error {
            -1
        } else {
            0
        }
    };
    // The four tetrahedra of the origin and a face, with the same orientation.
    let turns = [volume(q, r, s), -volume(p, r, s), volume(p, q, s), -volume(p, q, r)];
    let inside = turns[0] != 0 && turns.iter().all(|&turn| turn == turns[0]);
    inside.then(|| Candidate {
        simplex: vec![p, q, r, s],
        point: Vector::ZERO,
        direction: Vector::ZERO,
        contains_origin: true,
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::models;
    use clearance::math::DQuat;

    fn at(x: f64, y: f64, z: f64) -> Pose {
        Pose::from_translation([x, y, z])
    }

    #[test]
    fn cubes_have_the_distances_of_the_textbook() {
        let cube = models::cube();
        let gap = |x, y, z| distance(&cube, Pose::IDENTITY, &cube, at(x, y, z));
        assert_eq!(gap(3.0, 0.0, 0.0).distance(), 1.0); // face over face
        assert_eq!(gap(5.0, 6.0, 0.5).distance(), 5.0); // edge beside edge: 3, 4
        assert_eq!(gap(3.0, 4.0, 4.0).distance(), 3.0); // vertex to vertex: 1, 2, 2
        assert_eq!(gap(2.0 + 1e-9, 1.0, 0.5).distance(), (2.0 + 1e-9) - 2.0);
        assert!(gap(2.0, 0.5, 0.5).is_overlapping() && gap(2.0, 2.0, 2.0).is_overlapping());
        assert!(gap(0.0, 0.0, 0.0).is_overlapping() && gap(1.5, 1.5, 1.5).is_overlapping());
        let Oracle::Apart { normal, certificate_gap, .. } = gap(3.0, 4.0, 4.0) else { panic!("apart") };
        assert!((normal - DVec3::new(1.0, 2.0, 2.0) / 3.0).length() < 1e-16 && certificate_gap < 1e-29);
    }

    #[test]
    fn a_turned_cube_meets_its_closed_form() {
        // A quarter of a right angle more turns its edge forward: distance 4 - 1 - sqrt 2.
        let cube = models::cube();
        let eighth = DQuat::from_xyzw(0.0, 0.0, (0.5_f64).sqrt(), 1.0 + (0.5_f64).sqrt());
        let found = distance(&cube, Pose::IDENTITY, &cube, Pose::new([4.0, 0.3, 0.2], eighth));
        assert!((found.distance() - (3.0 - 2.0_f64.sqrt())).abs() < 1e-15);
        assert!(found.certificate_gap() < 1e-27);
    }

    #[test]
    fn simplices_of_every_dimension_meet_their_closed_forms() {
        let point = [DVec3::ZERO];
        let segment = [DVec3::new(-1.0, 0.0, 0.0), DVec3::new(1.0, 0.0, 0.0)];
        let triangle = [DVec3::X, DVec3::Y, DVec3::Z];
        let tetrahedron = [DVec3::ZERO, DVec3::X, DVec3::Y, DVec3::Z];
        let d = |a: &[DVec3], b: &[DVec3], pose: Pose| distance(a, Pose::IDENTITY, b, pose);
        assert_eq!(d(&point, &point, at(2.0, 3.0, 6.0)).distance(), 7.0);
        assert_eq!(d(&point, &segment, at(0.5, 3.0, 4.0)).distance(), 5.0);
        assert_eq!(d(&segment, &segment, at(0.5, 0.0, 2.0)).distance(), 2.0); // parallel
        assert_eq!(d(&segment, &segment, at(4.0, 0.0, 0.0)).distance(), 2.0); // on one line
        let third = 3.0_f64.sqrt() / 3.0;
        assert!((d(&point, &triangle, Pose::IDENTITY).distance() - third).abs() < 1e-16);
        assert!((d(&tetrahedron, &point, at(1.0, 1.0, 1.0)).distance() - 2.0 * third).abs() < 2e-16);
        assert!(d(&tetrahedron, &point, at(0.1, 0.1, 0.1)).is_overlapping());
        assert!(d(&triangle, &point, at(0.25, 0.25, 0.5)).is_overlapping()); // in the plane, exactly
        assert!(d(&segment, &segment, at(1.5, 0.0, 0.0)).is_overlapping()); // on one line
        let crossing = Pose::new([0.0; 3], DQuat::from_xyzw(0.0, 0.0, 1.0, 1.0));
        assert!(d(&segment, &segment, crossing).is_overlapping());
    }

    #[test]
    fn the_distance_survives_a_common_motion_far_away() {
        // The translations differ by exactly 3, and only their difference matters.
        let cube = models::cube();
        let q = DQuat::from_xyzw(0.5, 0.5, 0.5, 0.5);
        let far = 1e15;
        let found = distance(&cube, Pose::new([far, 0.0, 1.0], q), &cube, Pose::new([far + 3.0, 0.0, 1.0], q));
        assert_eq!(found.distance(), 1.0);
    }

    #[test]
    fn a_needle_a_quadrillion_times_longer_than_the_gap_keeps_its_digits() {
        let needle = [DVec3::new(0.0, 0.0, 1e6), DVec3::new(0.0, 0.0, -1e6), DVec3::new(1e-6, 0.0, -1e6)];
        let found = distance(&needle, Pose::IDENTITY, &[DVec3::ZERO], at(-1e-9, 0.0, 0.0));
        assert_eq!(found.distance(), 1e-9);
        assert!(found.certificate_gap() < 1e-12);
    }
}
