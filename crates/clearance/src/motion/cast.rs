//! Shape casts: where does a shape that moves straight first meet another one?
//!
//! That is a time of impact at unit speed: times are distances then. As with rays, no hit is a proof, and touching counts.

use super::impact::{Hit, Impact, Moving};
use super::{Motion, Sweep};
use crate::math::Pose;
use crate::pair::{Clearance, Pair, distance};
use crate::shape::Shape;
use glam::DVec3;

/// The first contact of a shape that moves straight with another one.
#[derive(Debug, Clone, Copy, PartialEq)]
#[non_exhaustive]
pub struct ShapeHit {
    /// How far B gets: `lower`, where nothing overlaps yet.
    pub distance: f64,
    /// The shapes are apart before, and apart by no more than rounding there.
    pub lower: f64,
    /// They are proved to overlap there, so that they meet no later; infinite if they may only come close: a graze.
    pub upper: f64,
    /// The point of A that is met, in the world.
    pub point_a: DVec3,
    /// The point of B that meets it, once B has moved.
    pub point_b: DVec3,
    /// The unit vector from A to B there.
    pub normal: DVec3,
    /// Which parts of compounds meet; zero for other shapes.
    pub parts: [u32; 2],
    /// Which triangles of meshes meet.
    pub triangles: [Option<u32>; 2],
    /// The clearance at the start, if the shapes touch or overlap there already ([`Impact::Touching`]): then `distance` is zero.
    pub touching: Option<Clearance>,
    /// The search has used up its steps: the way is free up to `distance`, and nothing is known beyond. The points are then where the origin
    /// of B is, and the normal is against the direction.
    pub is_undecided: bool,
}

impl ShapeHit {
    /// Is it proved that the shapes meet? Else they come so close that rounding cannot tell, or it is not decided.
    #[must_use]
    pub fn is_proved(&self) -> bool {
        self.upper < f64::INFINITY
    }

    /// Do they touch or overlap before anything has moved?
    #[must_use]
    pub fn is_touching(&self) -> bool {
        self.touching.is_some()
    }

    pub(crate) fn after(hit: &Hit) -> Self {
        let &Hit { lower, upper, point_a, point_b, normal, parts, triangles, .. } = hit;
        let (touching, is_undecided) = (None, false);
        Self { distance: lower, lower, upper, point_a, point_b, normal, parts, triangles, touching, is_undecided }
    }

    pub(crate) fn touching(found: Clearance) -> Self {
        let Clearance { point_a, point_b, normal, parts, .. } = found;
        let upper = if found.upper <= 0.0 { 0.0 } else { f64::INFINITY };
        let (touching, triangles, is_undecided) = (Some(found), [None; 2], false);
        Self { distance: 0.0, lower: 0.0, upper, point_a, point_b, normal, parts, triangles, touching, is_undecided }
    }
}

/// Moves B along a straight path until it meets A. `None` is proved: B does not meet A on that path. Touching counts.
///
/// Distances are lengths, in the unit of everything else. For all shapes: convex ones, half-spaces, meshes and compounds. See
/// [`time_of_impact`](super::time_of_impact) for all other motions.
///
/// ```
/// use clearance::{Pose, Shape, Sweep, cast_shape};
///
/// let (wall, ball) = (Shape::cuboid([0.1, 2.0, 2.0])?, Shape::sphere(0.5)?);
/// let start = Pose::from_translation([-5.0, 0.3, 0.0]);
/// let hit = cast_shape(&wall, Pose::IDENTITY, &ball, &Sweep::new(start, [2.0, 0.0, 0.0], 10.0)?).expect("straight ahead");
/// assert!(hit.lower <= 4.4 && 4.4 <= hit.upper && hit.upper - hit.lower < 1e-11);
/// assert!(hit.normal.distance([-1.0, 0.0, 0.0].into()) < 1e-12);                                    // from A to B
/// assert!(cast_shape(&wall, Pose::IDENTITY, &ball, &Sweep::new(start, [2.0, 0.0, 0.0], 4.3)?).is_none());        // proved
/// assert!(cast_shape(&wall, Pose::IDENTITY, &ball, &Sweep::new(start, [0.0, 1.0, 0.0], 10.0)?).is_none());
/// # Ok::<(), clearance::BuildError>(())
/// ```
///
/// Shapes that touch or overlap at the start meet at zero, for any direction:
///
/// ```
/// use clearance::{Pose, Shape, Sweep, cast_shape};
///
/// let ball = Shape::sphere(0.5)?;
/// let away = Sweep::new(Pose::from_translation([0.7, 0.0, 0.0]), [1.0, 0.0, 0.0], 10.0)?;
/// let hit = cast_shape(&ball, Pose::IDENTITY, &ball, &away).expect("they overlap");
/// assert!(hit.distance == 0.0 && hit.touching.is_some_and(|found| (found.distance + 0.3).abs() < 1e-14));
/// # Ok::<(), clearance::BuildError>(())
/// ```
#[doc(alias = "sweep_test")]
#[doc(alias = "shapecast")]
#[must_use]
pub fn cast_shape(a: &Shape, pose_a: Pose, b: &Shape, sweep_b: &Sweep) -> Option<ShapeHit> {
    sweep_b.cast(b, a, pose_a)
}

impl Pair {
    /// See [`cast_shape`]: B moves, A rests.
    ///
    /// ```
    /// use clearance::{Pair, Pose, Shape, Sweep};
    ///
    /// let ball = Shape::sphere(1.0)?;
    /// let sweep = Sweep::new(Pose::from_translation([-9.0, 0.0, 0.0]), [1.0, 0.0, 0.0], 100.0)?;
    /// let hit = Pair::new(&ball, &ball).cast_shape(Pose::IDENTITY, &sweep);
    /// assert!(hit.is_some_and(|hit| hit.lower <= 7.0 && 7.0 <= hit.upper));
    /// # Ok::<(), clearance::BuildError>(())
    /// ```
    #[must_use]
    pub fn cast_shape(&mut self, pose_a: Pose, sweep_b: &Sweep) -> Option<ShapeHit> {
        let ([a, b], _) = self.parts();
        cast_shape(a, pose_a, b, sweep_b)
    }
}

impl Sweep {
    /// The moving shape, against one that rests.
    pub(crate) fn cast(&self, moving: &Shape, resting: &Shape, pose: Pose) -> Option<ShapeHit> {
        if self.max() == 0.0 {
            let found = distance(resting, pose, moving, self.start());
            return found.is_overlapping().then(|| ShapeHit::touching(found));
        }
        let (motion_a, motion_b) = (&Motion::fixed(pose), &self.motion());
        let pair = Moving { a: resting, motion_a, b: moving, motion_b };
        self.hit(&pair.cold_impact([0.0, self.max()]))
    }

    /// An impact at unit speed as a cast.
    pub(crate) fn hit(&self, impact: &Impact) -> Option<ShapeHit> {
        match impact {
            Impact::Hit(hit) => Some(ShapeHit::after(hit)),
            Impact::Clear(_) => None,
            Impact::Touching(found) => Some(ShapeHit::touching(*found)),
            Impact::Undecided(undecided) => {
                let point = self.start().translation() + self.direction() * undecided.from;
                Some(ShapeHit {
                    distance: undecided.from,
                    lower: undecided.from,
                    upper: f64::INFINITY,
                    point_a: point,
                    point_b: point,
                    normal: -self.direction(),
                    parts: [0; 2],
                    triangles: [None; 2],
                    touching: None,
                    is_undecided: true,
                })
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::super::{closest_approach, time_of_impact};
    use super::*;
    use crate::math::exact;
    use crate::{Axis, HalfHeight, Interval, Radius, Ray, cast_ray};
    use fastrand::Rng;
    use glam::DQuat;

    fn vector(rng: &mut Rng, size: f64) -> DVec3 {
        DVec3::from_array([(); 3].map(|()| size * (2.0 * rng.f64() - 1.0)))
    }

    fn shapes(rng: &mut Rng) -> Vec<Shape> {
        let hull = Shape::hull(&(0..12).map(|_| vector(rng, 0.5)).collect::<Vec<_>>()).unwrap();
        let corners = [[0.0, 0.0, 0.0], [0.8, 0.0, 0.0], [0.0, 0.8, 0.0], [0.0, 0.0, 0.8]];
        let mesh = Shape::mesh(&corners, &[[0, 2, 1], [0, 1, 3], [1, 2, 3], [2, 0, 3]]).unwrap();
        let ball = Shape::sphere(0.4).unwrap();
        vec![
            ball.clone(),
            Shape::cuboid([0.3, 0.5, 0.2]).unwrap(),
            Shape::capsule(Axis::Y, Radius(0.2), HalfHeight(0.5)).unwrap(),
            Shape::cone(Axis::Y, Radius(0.4), HalfHeight(0.4)).unwrap(),
            hull,
            Shape::compound([(ball, Pose::from_translation([0.5, 0.0, 0.0])), (mesh.clone(), Pose::IDENTITY)]).unwrap(),
            mesh,
            Shape::half_space([0.2, 1.0, 0.3], -0.3).unwrap(),
        ]
    }

    #[test]
    fn a_cast_is_a_time_of_impact_at_unit_speed_and_its_length_is_that_of_the_way() {
        let mut rng = Rng::with_seed(161);
        let shapes = shapes(&mut rng);
        let (mut hits, mut clear, mut touching) = (0, 0, 0);
        for _ in 0..4 {
            for (a, b) in shapes.iter().flat_map(|a| shapes.iter().map(move |b| (a, b))) {
                let place = vector(&mut rng, 1.0).normalize() * (0.5 + 2.5 * rng.f64());
                let [pose_a, pose_b] =
                    [DVec3::ZERO, place].map(|at| Pose::new(at, DQuat::from_scaled_axis(vector(&mut rng, 2.0))));
                let way = -place + vector(&mut rng, 1.0);
                // The length of the direction does not matter.
                let direction = way * [1.0, 1e-3, 1e50, 1e-200][rng.usize(0..4)];
                let found = cast_shape(a, pose_a, b, &Sweep::new(pose_b, direction, 4.0).unwrap());
                let motion = Motion::linear(pose_b, exact::unit(way), [0.0; 3]).unwrap();
                let impact = time_of_impact(a, &Motion::fixed(pose_a), b, &motion, Interval::new(0.0, 4.0).unwrap());
                match (found, impact) {
                    (Some(found), Impact::Hit(hit)) => {
                        hits += 1;
                        assert!(
                            (found.lower - hit.lower).abs() < 1e-9 && found.distance == found.lower,
                            "{found:?} {hit:?}"
                        );
                        assert!(found.is_proved() == hit.is_proved() && found.upper - found.lower < 1e-9, "{found:?}");
                        // It is where it says.
                        let there = pose_b.moved_by(exact::unit(way) * found.distance);
                        assert!(distance(a, pose_a, b, there).distance.abs() < 1e-12, "{found:?}");
                        assert!(
                            found.point_a.distance(found.point_b) < 1e-12
                                && (found.normal.length() - 1.0).abs() < 1e-12
                        );
                    }
                    (None, Impact::Clear(_)) => clear += 1,
                    (Some(found), Impact::Touching(_)) => {
                        touching += 1;
                        assert!(found.is_touching() && found.distance == 0.0, "{found:?}");
                    }
                    other => panic!("{other:?}"),
                }
            }
        }
        assert!(hits > 80 && clear > 30 && touching > 10, "{hits} {clear} {touching}");
    }

    #[test]
    fn balls_meet_at_the_root_of_a_quadratic_and_points_where_rays_do() {
        let mut rng = Rng::with_seed(162);
        let (mut hits, mut misses) = (0, 0);
        for _ in 0..2000 {
            let (r, s) = (0.1 + rng.f64(), 0.1 + rng.f64());
            let (a, b) = (Shape::sphere(r).unwrap(), Shape::sphere(s).unwrap());
            let place = vector(&mut rng, 1.0).normalize() * (r + s + 0.01 + 5.0 * rng.f64());
            let unit = (-place.normalize() + 0.6 * vector(&mut rng, 1.0)).normalize();
            let found =
                cast_shape(&a, Pose::IDENTITY, &b, &Sweep::new(Pose::from_translation(place), unit, 20.0).unwrap());
            // |place + u t| = r + s.
            let (half, c) = (unit.dot(place), place.length_squared() - (r + s) * (r + s));
            let under = half * half - c;
            if under.abs() < 1e-9 {
                continue;
            }
            let truth = c / (under.max(0.0).sqrt() - half);
            match found {
                Some(found) => {
                    hits += 1;
                    let slack = 1e-13 / under.sqrt();
                    assert!(found.lower <= truth + slack && truth - slack <= found.upper, "{truth} {found:?}");
                }
                None => {
                    misses += 1;
                    assert!(under < 0.0 || half > 0.0, "{truth}");
                }
            }
            // A ray is a point that moves straight.
            let ball = Shape::sphere(r + s).unwrap();
            let ray = cast_ray(&ball, Pose::IDENTITY, &Ray::new(place, unit, 20.0).unwrap());
            let point = cast_shape(
                &ball,
                Pose::IDENTITY,
                &Shape::point(),
                &Sweep::new(Pose::from_translation(place), unit, 20.0).unwrap(),
            );
            assert_eq!((ray.is_some(), point.is_some()), (found.is_some(), found.is_some()));
            if let (Some(ray), Some(point)) = (ray, point) {
                assert!((ray.distance - point.distance).abs() < 1e-10 / under.sqrt(), "{ray:?} {point:?}");
            }
        }
        assert!(hits > 500 && misses > 200, "{hits} {misses}");
    }

    #[test]
    fn touching_counts_at_the_start_and_at_the_end() {
        let cube = Shape::cuboid([1.0; 3]).unwrap();
        let cast = |x: f64, direction: [f64; 3], max: f64| {
            cast_shape(
                &cube,
                Pose::IDENTITY,
                &cube,
                &Sweep::new(Pose::from_translation([x, 0.0, 0.0]), direction, max).unwrap(),
            )
        };
        // Away from each other, too.
        for direction in [[1.0, 0.0, 0.0], [-1.0, 0.0, 0.0], [0.0, 1.0, 0.0]] {
            for max in [0.0, 1e-300, 5.0] {
                assert!(cast(2.0, direction, max).is_some_and(|hit| hit.is_touching() && hit.lower == 0.0));
                assert!(cast(1.5, direction, max).is_some_and(|hit| hit.is_touching() && hit.upper == 0.0));
            }
        }
        assert!(cast(3.0, [-1.0, 0.0, 0.0], 1.0).is_some_and(|hit| !hit.is_touching() && hit.lower <= 1.0));
        assert!(cast(3.0, [-1.0, 0.0, 0.0], 1.0 - 1e-9).is_none());
        assert!(cast(3.0, [-1.0, 0.0, 0.0], 0.0).is_none());
        // Along a face, at its plane: not proved to pass, not proved to meet.
        let along = cast_shape(
            &cube,
            Pose::IDENTITY,
            &cube,
            &Sweep::new(Pose::from_translation([2.0, -5.0, 0.0]), [0.0, 1.0, 0.0], 9.0).unwrap(),
        );
        assert!(along.is_some_and(|hit| hit.lower <= 3.0));
    }

    /// A center and a place of 1e60 add up to what no pose can have.
    #[test]
    fn nothing_at_the_bounds_of_what_can_be_computed_with_panics() {
        let (ball, far) = (Shape::sphere(1.0).unwrap(), DVec3::splat(1e60));
        for (place, center) in [(far, far), (-far, -far), (far, -far), (DVec3::ZERO, far)] {
            let pose = Pose::from_translation(place);
            let moving = Motion::linear(pose, far, far).unwrap().about(center).unwrap();
            for time in [0.0, 1e-300, 1.0, 1e60] {
                assert!(moving.pose(time).translation().is_finite());
            }
            let resting = Motion::fixed(Pose::IDENTITY);
            assert!(
                time_of_impact(&ball, &moving, &ball, &resting, Interval::UNIT)
                    .hit()
                    .is_none_or(|hit| hit.lower >= 0.0)
            );
            let late = closest_approach(&ball, &moving, &ball, &resting, Interval::new(0.0, 1e60).unwrap());
            assert!(late.hit().is_none_or(|hit| hit.lower >= 0.0));
            let sweep = Sweep::new(pose, -place + DVec3::X, 1e60).unwrap();
            assert!(cast_shape(&ball, Pose::IDENTITY, &ball, &sweep).is_none_or(|hit| hit.lower >= 0.0));
        }
    }

    #[test]
    fn a_bad_path_is_refused_by_a_sentence() {
        let refused =
            |direction: [f64; 3], max: f64| Sweep::new(Pose::IDENTITY, direction, max).unwrap_err().to_string();
        assert_eq!(refused([0.0, f64::NAN, 0.0], 1.0), "direction.y is NaN, but must be a finite number");
        assert!(refused([0.0, 0.0, 1e70], 1.0).starts_with("direction.z is 1e70, which is beyond 1e60"));
        assert!(refused([0.0; 3], 1.0).starts_with("direction has no direction because it is zero"));
        assert_eq!(refused([1.0, 0.0, 0.0], -1.0), "max is -1, but a size cannot be negative (zero is allowed)");
        assert_eq!(refused([1.0, 0.0, 0.0], f64::INFINITY), "max is inf, but must be a finite number");
    }
}
