//! The clearance of two bodies at the start of an interval, where they touch or overlap.
//!
//! At time zero, before the first and after the last key frame, and at the time of a key frame a body is at a pose that is written. The
//! clearance is checked there, exactly. Anywhere else its pose has sines and quotients. Then the nearest doubles stand for it, and how far
//! they are off is bounded with 256 bits (`meeting.rs`): the evidence has to leave that much (`crate::apart`). That is about one unit in
//! the last place of the coordinates and sizes, and whoever computes with doubles has a bracket that is wider.

use super::chain::placed;
use super::course::{Course, Law};
use super::meeting::{difference, displacement};
use super::{LIMIT, LIMIT_PER_NUMBER, MovingQuery};
use crate::check::{Case, check, explain, metered_off};
use crate::evidence::{Claim, Distance, Evidence, Query, Verdict};
use crate::number::{Matrix, Number, Real, Unclear, Wide, meter};
use crate::parts::{Flat, Side};
use crate::pose::Pose;
use crate::shape::Trouble;
use crate::tolerance::UNSEEN;

/// Decides whether the clearance of two bodies at the start of the interval is proved or refuted by evidence, field by field, as
/// [`check`] does for bodies that rest.
///
/// ```
/// use clearance_verify::{Distance, Evidence, Feature, Keyframe, Lower, Cover, Member, Motion, MovingQuery, Pose, Query, Shape, Status, Upper, Verdict, check_start};
///
/// // A ball between two key frames, at a third of the way: its centre is 1.5 above the floor, and its radius 1.75.
/// let (floor, ball) = (Shape::HalfSpace { normal: [0.0, 1.0, 0.0], offset: 0.0 }, Shape::Sphere { radius: 1.75 });
/// let start = Query { a: floor, pose_a: Pose::IDENTITY, b: ball, pose_b: Pose::IDENTITY };
/// let at = |time: f64, y: f64| Keyframe { time, pose: Pose { translation: [0.0, y, 0.0], ..Pose::IDENTITY } };
/// let motion_b = Motion::Keyframes(vec![at(-1.0, 1.0), at(2.0, 2.5)]);
/// let query = MovingQuery { start, motion_a: Motion::Fixed {}, motion_b, from: 0.0, until: 1.0 };
/// let claim = |lower: f64| Distance {
///     distance: -0.25, point_a: [0.0; 3], point_b: [0.0, -0.25, 0.0], normal: [0.0, 1.0, 0.0],
///     lower, upper: -0.25 + 1e-15, status: Status::Converged, features: [Feature::Surface; 2],
/// };
/// let lower = Some(Lower { cover: vec![Cover::Along([0.0, 1.0, 0.0])], ..Lower::default() });
/// let upper = Some(Upper::Points { parts: [0, 0], a: Member::Plane {}, b: Member::Vertex(0) });
/// let evidence = Evidence { lower, upper, ..Evidence::default() };
/// assert_eq!(check_start(&query, &claim(-0.25 - 1e-15), &evidence), Verdict::Proved);
/// // A gap that doubles can see is refuted; a smaller one is left open.
/// assert!(matches!(check_start(&query, &claim(-0.24999), &evidence), Verdict::Refuted(_)));
/// ```
#[must_use]
pub fn check_start(query: &MovingQuery, claim: &Distance, evidence: &Evidence) -> Verdict {
    if let Some(fault) = query.fault() {
        return Verdict::Undecided(format!("the query cannot be computed with: {fault}"));
    }
    let Query { a, b, .. } = &query.start;
    let poses = match poses_at(query, query.from) {
        Ok(poses) => poses,
        Err(trouble) => return Verdict::Undecided(explain(trouble)),
    };
    let [pose_a, pose_b] = poses.each_ref().map(Place::nearest);
    let there = Query { a: a.clone(), pose_a: *pose_a, b: b.clone(), pose_b: *pose_b };
    if poses.iter().all(|pose| matches!(pose, Place::Written(_))) {
        return check(&there, &Claim::Distance(*claim), evidence);
    }
    let limit = LIMIT + LIMIT_PER_NUMBER * (a.numbers() + b.numbers());
    meter::start(limit);
    let found = displaced(query, &poses);
    let is_exhausted = meter::is_exhausted();
    meter::start(u64::MAX);
    let Displaced { way, off, near, turned } = match found {
        _ if is_exhausted => {
            return Verdict::Undecided(format!("finding the start takes more than {limit} operations"));
        }
        Ok(found) => found,
        Err(trouble) => return Verdict::Undecided(explain(trouble)),
    };
    // The bracket as seen from A, so that no digits are lost far from the origin.
    let from_a = Query {
        pose_a: Pose { translation: [0.0; 3], ..there.pose_a },
        pose_b: Pose { translation: way, ..there.pose_b },
        ..there.clone()
    };
    let bracket = |case: &Case<'_>| {
        let has_plane = |sides: &[Side<'_>]| sides.iter().any(Side::is_plane);
        if has_plane(&case.a) && has_plane(&case.b) {
            // Planes that are parallel at these poses may cross at the true ones. Planes that cross at an angle that doubles can see do so
            // there.
            let is_crossing = case.endless().is_some_and(|endless| !endless.is_nearly_parallel);
            if !(is_crossing && turned <= 0.25 * UNSEEN) {
                let reason =
                    "whether two half-spaces overlap infinitely cannot be decided at poses that are not in the input";
                return Verdict::Undecided(reason.into());
            }
        }
        case.bracket_alone(claim.lower, claim.upper)
    };
    match metered_off(&from_a, evidence, near, bracket) {
        // The other fields are about points of the world.
        Verdict::Proved => metered_off(&there, evidence, off, |case| case.distance_but(claim, None, true)),
        verdict => verdict,
    }
}

/// Where a body is at a time.
enum Place<'a> {
    /// At a pose that is written.
    Written(&'a Pose),
    /// Near one.
    Near(Pose),
}

impl Place<'_> {
    fn nearest(&self) -> &Pose {
        match self {
            Self::Written(pose) => pose,
            Self::Near(pose) => pose,
        }
    }
}

fn poses_at(query: &MovingQuery, time: f64) -> Result<[Place<'_>; 2], Trouble> {
    let MovingQuery { start: Query { pose_a, pose_b, .. }, motion_a, motion_b, .. } = query;
    Ok([place(Law::at(pose_a, motion_a, time).0, time)?, place(Law::at(pose_b, motion_b, time).0, time)?])
}

fn place(law: Law<'_>, time: f64) -> Result<Place<'_>, Trouble> {
    match law {
        Law::Rest(pose) => return Ok(Place::Written(pose)),
        Law::Free { pose, .. } | Law::Straight { pose, .. } if time == 0.0 => return Ok(Place::Written(pose)),
        Law::Between(frame, _) if time == frame.time => return Ok(Place::Written(&frame.pose)),
        _ => {}
    }
    let course = Course::<Wide>::new(&law)?;
    let matrix = course.rotation_at(time);
    let origin = course.origin_at(time, &matrix);
    let pose = Pose { translation: origin.map(|x| middle(&x)), rotation: quaternion(&matrix)? };
    match pose.fault() {
        Some(fault) => Err(Trouble::Fault(fault)),
        None => Ok(Place::Near(pose)),
    }
}

fn middle(x: &Wide) -> f64 {
    0.5 * x.low() + 0.5 * x.high()
}

/// A quaternion of a rotation, of any length, from the one of its four components that is the largest. With t = 1 + the trace the
/// components are (m₂₁ - m₁₂, m₀₂ - m₂₀, m₁₀ - m₀₁, t) times a number; the others are analogous.
fn quaternion(m: &Matrix<Wide>) -> Result<[f64; 4], Trouble> {
    let [x, y, z] = [0, 1, 2].map(|i| middle(&m[i][i]));
    let one = Wide::of(1.0);
    let diagonal =
        |signs: [f64; 3]| -> Wide { (0..3).fold(one.clone(), |sum, i| sum.plus(&m[i][i].times(&Wide::of(signs[i])))) };
    let (less, more) = (|i: usize, j: usize| m[i][j].minus(&m[j][i]), |i: usize, j: usize| m[i][j].plus(&m[j][i]));
    let squares = [x - y - z, y - x - z, z - x - y, x + y + z];
    let largest = (0..4).fold(3, |best, i| if squares[i] > squares[best] { i } else { best });
    let all = match largest {
        0 => [diagonal([1.0, -1.0, -1.0]), more(0, 1), more(0, 2), less(2, 1)],
        1 => [more(0, 1), diagonal([-1.0, 1.0, -1.0]), more(1, 2), less(0, 2)],
        2 => [more(0, 2), more(1, 2), diagonal([-1.0, -1.0, 1.0]), less(1, 0)],
        _ => [less(2, 1), less(0, 2), less(1, 0), diagonal([1.0, 1.0, 1.0])],
    };
    let all = all.map(|x| middle(&x));
    if all.iter().all(|x| x.is_finite()) { Ok(all) } else { Err(Unclear.into()) }
}

/// How far bodies are from where doubles have them.
struct Displaced {
    /// Where the origin of B is as seen from that of A.
    way: [f64; 3],
    /// How far off both are at their poses in the world, as distances go.
    off: f64,
    /// How far off at that way from each other.
    near: f64,
    /// By how much their rotations differ: no direction turns by more.
    turned: f64,
}

fn displaced(query: &MovingQuery, places: &[Place<'_>; 2]) -> Result<Displaced, Trouble> {
    let flat = [Flat::new(&query.start.a), Flat::new(&query.start.b)];
    let sides = flat.each_ref().map(Flat::local_sides);
    let sides: [&[Side<'_>]; 2] = sides.each_ref().map(Vec::as_slice);
    let poses = places.each_ref().map(Place::nearest);
    let (way, rotations) = placed::<Wide>(query, query.from)?;
    let way = way.each_ref().map(middle);
    let from_a = [Pose { translation: [0.0; 3], ..*poses[0] }, Pose { translation: way, ..*poses[1] }];
    let off = displacement(query, sides, query.from, poses)?.high();
    let near = displacement(query, sides, query.from, from_a.each_ref())?.high();
    let turned = difference(&[], &rotations[0], poses[0])?.plus(&difference(&[], &rotations[1], poses[1])?).high();
    match off.is_finite() && near.is_finite() && turned.is_finite() {
        true => Ok(Displaced { way, off, near, turned }),
        false => Err(Trouble::Fault("the start is too far away".into())),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::evidence::{Cover, Feature, Lower, Member, Status, Upper};
    use crate::motion::{Keyframe, Motion};
    use crate::shape::Shape;

    /// A point that is a third of the way to a height, above a floor.
    fn check_third(height: f64, lower: f64, upper: f64) -> Verdict {
        let floor = Shape::HalfSpace { normal: [0.0, 1.0, 0.0], offset: 0.0 };
        let start = Query { a: floor, pose_a: Pose::IDENTITY, b: Shape::Point {}, pose_b: Pose::IDENTITY };
        let frame = |time: f64, y: f64| Keyframe { time, pose: Pose { translation: [0.0, y, 0.0], ..Pose::IDENTITY } };
        let motion_b = Motion::Keyframes(vec![frame(0.0, 0.0), frame(3.0, height)]);
        let query = MovingQuery { start, motion_a: Motion::Fixed {}, motion_b, from: 1.0, until: 2.0 };
        let claim = Distance {
            distance: height / 3.0,
            point_a: [0.0; 3],
            point_b: [0.0, height / 3.0, 0.0],
            normal: [0.0, 1.0, 0.0],
            lower,
            upper,
            status: Status::Converged,
            features: [Feature::Surface; 2],
        };
        let lower = Some(Lower { cover: vec![Cover::Along([0.0, 1.0, 0.0])], ..Lower::default() });
        let upper = Some(Upper::Points { parts: [0, 0], a: Member::Plane {}, b: Member::Vertex(0) });
        check_start(&query, &claim, &Evidence { lower, upper, ..Evidence::default() })
    }

    /// The nearest double to a third is less than a third, by 2e-17: as a bound it is on the wrong side or the right one.
    #[test]
    fn what_the_nearest_doubles_lack_is_not_proved() {
        let third = 1.0_f64 / 3.0;
        let (below, above) = (third.next_down(), third.next_up());
        assert_eq!(check_third(1.0, below, above), Verdict::Proved);
        assert!(matches!(check_third(1.0, below, third), Verdict::Undecided(_)));
        assert_eq!(check_third(-1.0, -above, -below), Verdict::Proved);
        assert!(matches!(check_third(-1.0, -third, -below), Verdict::Undecided(_)));
        assert!(matches!(check_third(1.0, below, third - 1e-9), Verdict::Refuted(_)));
        assert!(matches!(check_third(-1.0, 1e-9 - third, 0.0), Verdict::Refuted(_)));
    }

    /// Rotations about every axis, so that each component is the largest once.
    #[test]
    fn the_nearest_pose_is_off_by_rounding_only() {
        let turned = |rotation: [f64; 4]| Keyframe { time: 1.0, pose: Pose { rotation, ..Pose::IDENTITY } };
        for rotation in [[0.9, 0.3, -0.1, 0.2], [0.1, -0.8, 0.3, 0.1], [-0.2, 0.1, 0.9, 0.1], [0.1, 0.2, -0.2, 0.9]] {
            // Nearly all of the way from an eighth of it, the other way round.
            let first = Keyframe { time: 0.0, pose: Pose { rotation: [0.1, 0.1, 0.0, 1.0], ..Pose::IDENTITY } };
            let motion = Motion::Keyframes(vec![first, turned(rotation)]);
            let cube = Shape::Cuboid { half_extents: [1.0; 3] };
            let start = Query { a: cube.clone(), pose_a: Pose::IDENTITY, b: cube, pose_b: Pose::IDENTITY };
            let query = MovingQuery { start, motion_a: motion, motion_b: Motion::Fixed {}, from: 0.97, until: 2.0 };
            let places = poses_at(&query, query.from).unwrap();
            assert!(matches!(places, [Place::Near(_), Place::Written(_)]));
            let Displaced { off, near, turned, .. } = displaced(&query, &places).unwrap();
            assert!(off < 2e-15 && near < 2e-15 && turned < 1e-15, "{off:e} {near:e} {turned:e}");
        }
    }
}
