//! One Newton step for two curved shapes along a direction: the features that face each other, and a better direction.
//!
//! The equations are those of `newton.rs`, for shapes that are about to touch or overlap a little. There the nearest points of two straight
//! lines of the surfaces no longer say which kinks are active. With a gap of g, the end of a line that a direction has chosen is nearest
//! only if the points are off by less than g times the sine of their angle. So the step takes both sides of each kink into account. To
//! second order the height to be made least is
//!
//! q(t) = ½ tᵀ Q t + w·t + Σ max(0, c_i + d_i·t),
//!
//! with w the slope at the chosen ends, d_i from these to the other ends and c_i = d_i·n, which is not positive. It is convex, and its
//! minimum is where Q t + w + Σ λ_i d_i = 0. λ_i is 0 before the kink, 1 behind it, and in between on it: eight sets of conditions besides
//! the first, of which mostly one or two are tried.
//!
//! Nothing is proved here, and nothing is remembered: it is for those who follow shapes that move.

use super::newton::{
    Chart, NewtonWitness, PARALLEL, ShapeSide, SphereHessian, WIDEST, caps, face_under, nearest_on_face,
};
use crate::math::Frame;
use crate::shape::{Convex, Curvature};
use crate::tuning::convex::CAP_OFFSET;
use crate::tuning::convex::FLAT;
use crate::tuning::convex::KINK_CHANGES;
use glam::{DVec2, DVec3};

/// Two shapes and a direction; vectors are in the frame of A, from A to B.
#[derive(Debug, Clone, Copy)]
pub(crate) enum Toward {
    /// Along this unit vector.
    Direction(DVec3),
    /// Along the normal of the cap of the shape of that number, of its two the one nearest to the vector.
    Cap(usize, DVec3),
}

/// The features of two shapes along a direction, which need not be the best one and need not separate them.
#[derive(Debug, Clone, Copy)]
pub(crate) struct NewtonStep {
    pub n: DVec3,
    /// How far the cores are apart along it.
    pub height: f64,
    /// Points of both cores that face each other, in the frame of A.
    pub points: [DVec3; 2],
    /// How far these are from facing each other along n at just that height: zero if n is the normal of the closest points.
    pub off: f64,
    /// A better direction.
    pub next: DVec3,
    /// The shape with a cap whose normal may be a still better one.
    pub cap: Option<usize>,
    /// Whose kinks are active.
    pub kinks: [bool; 2],
    /// The directions of the edges that the points are on, if both are: of rims.
    pub edges: Option<[DVec3; 2]>,
}

/// One round of Newton's method. Nothing is the answer where the direction is no longer a number.
///
/// Caps cost a little more, and are left out where they are not asked for. Kinks that were active in the last step are the first guess of
/// the active ones in this step.
pub(crate) fn newton_step(
    [a, b]: [&dyn Convex; 2],
    b_in_a: &Frame,
    toward: Toward,
    with_caps: bool,
    kinks: [bool; 2],
) -> Option<NewtonStep> {
    let n = match toward {
        Toward::Direction(n) => n,
        Toward::Cap(which, last) => {
            let cap = caps(a, b, last, b_in_a)[which]?;
            if which == 0 { cap.normal } else { -cap.normal }
        }
    };
    let chart = Chart::new(n, b_in_a);
    let patch_a = a.patch(n, [chart.x, chart.y]);
    let patch_b = b.patch(-chart.n_in_b, [chart.x_in_b, chart.y_in_b]);
    let (point_a, point_b) = (patch_a.branch.point, b_in_a.point(patch_b.branch.point));
    let w = point_a - point_b;
    let height = -n.dot(w);
    // How far points are from facing each other.
    let miss = |[on_a, on_b]: [DVec3; 2]| (on_a - on_b + height * n).length();
    let (points, off, next, cap, edges, kinks) = match toward {
        Toward::Cap(which, _) => {
            let NewtonWitness { point_a, v, .. } =
                nearest_on_face((which, n), &caps(a, b, n, b_in_a), point_a, point_b);
            // Beside the disc it is the rim that is closest.
            let points = [point_a, point_a - v];
            (points, miss(points), -v, None, None, [false; 2])
        }
        Toward::Direction(_) => {
            let sides = [ShapeSide::new(&patch_a, |d| d), ShapeSide::new(&patch_b, |d| -(b_in_a.rotation * d))];
            let model = Model::new(&chart, &sides, w, height);
            let (t, [on_a, on_b], kinks) = model.least(kinks);
            let across = |side: &ShapeSide| side.line.as_ref().map_or(DVec3::ZERO, |line| line.across);
            let points = [point_a + across(&sides[0]) * on_a, point_b - across(&sides[1]) * on_b];
            let off = miss(points);
            let under = || face_under(&caps(a, b, n, b_in_a), &sides, point_a, point_b, height);
            let cap = if with_caps && off > CAP_OFFSET * height.abs() { under().map(|(which, _)| which) } else { None };
            let edges = [edge(&sides[0], on_a, &chart), edge(&sides[1], on_b, &chart)];
            let edges = if let [Some(e), Some(f)] = edges { Some([e, f]) } else { None };
            (points, off, chart.direction(t.clamp_length_max(WIDEST)), cap, edges, kinks)
        }
    };
    Some(NewtonStep { n, height, points, off, next: next.try_normalize()?, cap, kinks, edges })
}

/// The direction of the edge of a surface that a point is on: the farthest point moves along it only, whichever way the direction turns.
fn edge(side: &ShapeSide, lambda: f64, chart: &Chart) -> Option<DVec3> {
    if lambda > 0.0 && lambda < 1.0 {
        return None;
    }
    let Curvature { xx, xy, yy } = side.curvature(lambda);
    let trace = xx + yy;
    let is_flat = trace > 0.0 && (xx * yy - xy * xy).abs() <= FLAT * trace * trace;
    is_flat.then(|| if xx > yy { chart.x * xx + chart.y * xy } else { chart.x * xy + chart.y * yy })
}

/// q, in the coordinates of a chart.
struct Model<'a> {
    sides: &'a [ShapeSide; 2],
    /// -w, across n.
    right: DVec2,
    /// d_i across n, and c_i; zeros if there is no kink.
    lines: [(DVec2, f64); 2],
    damping: f64,
}

/// Where t is, as seen from a kink.
#[derive(Debug, Clone, Copy, PartialEq)]
enum KinkSide {
    Before,
    On,
    Behind,
}

impl<'a> Model<'a> {
    #[inline]
    fn new(chart: &Chart, sides: &'a [ShapeSide; 2], w: DVec3, height: f64) -> Self {
        let line = |side: &ShapeSide| {
            let across = side.line.as_ref().map_or(DVec3::ZERO, |line| line.across);
            (chart.across(across), chart.n.dot(across))
        };
        let lines = [line(&sides[0]), line(&sides[1])];
        Self { sides, right: -chart.across(w), lines, damping: height.abs() }
    }

    /// Q: the curvatures at these places of the lines, and the height.
    #[inline]
    fn hessian(&self, lambda: [f64; 2]) -> SphereHessian {
        let [a, b] = [self.sides[0].curvature(lambda[0]), self.sides[1].curvature(lambda[1])];
        SphereHessian { xx: a.xx + b.xx + self.damping, xy: a.xy + b.xy, yy: a.yy + b.yy + self.damping }
    }

    /// The t of the least q, the λ, and which kinks are active, going by a guess of these.
    #[inline]
    fn least(&self, kinks: [bool; 2]) -> (DVec2, [f64; 2], [bool; 2]) {
        let first = |i: usize| if kinks[i] && self.lines[i].0 != DVec2::ZERO { KinkSide::On } else { KinkSide::Before };
        let mut on = [first(0), first(1)];
        let mut lambda = [0.0; 2];
        let mut t = DVec2::ZERO;
        let mut is_refined = false;
        let mut has_changed = [false; 2];
        for change in 0..=KINK_CHANGES {
            // With curvatures that differ from end to end it may go in circles: then the kink it is.
            let is_circling = change == KINK_CHANGES;
            let side = |i: usize| if is_circling && has_changed[i] { KinkSide::On } else { on[i] };
            (t, lambda) = self.solve([side(0), side(1)], lambda);
            if is_circling {
                break;
            }
            let mut is_right = true;
            for i in [0, 1] {
                let (d, c) = self.lines[i];
                if d == DVec2::ZERO {
                    continue;
                }
                let next = match on[i] {
                    KinkSide::Before if c + d.dot(t) > 0.0 => KinkSide::On,
                    KinkSide::Behind if c + d.dot(t) < 0.0 => KinkSide::On,
                    KinkSide::On if lambda[i] < 0.0 => KinkSide::Before,
                    KinkSide::On if lambda[i] > 1.0 => KinkSide::Behind,
                    side => side,
                };
                if next != on[i] {
                    (on[i], is_right, has_changed[i]) = (next, false, true);
                    // One at a time.
                    break;
                }
            }
            // The curvature on a kink was that of another place.
            if is_right && (is_refined || on.iter().all(|&side| side != KinkSide::On)) {
                break;
            }
            is_refined = is_right;
        }
        let is_on = [on[0] == KinkSide::On, on[1] == KinkSide::On];
        (t, [lambda[0].clamp(0.0, 1.0), lambda[1].clamp(0.0, 1.0)], is_on)
    }

    /// The t and the λ on these sides of the kinks; the curvature on a kink is that of the λ so far, or of its middle.
    #[inline(always)]
    fn solve(&self, on: [KinkSide; 2], before: [f64; 2]) -> (DVec2, [f64; 2]) {
        let given = |i: usize| match on[i] {
            KinkSide::Before => 0.0,
            KinkSide::On if before[i] > 0.0 && before[i] < 1.0 => before[i],
            KinkSide::On => 0.5,
            KinkSide::Behind => 1.0,
        };
        let mut lambda = [given(0), given(1)];
        let q = self.hessian(lambda);
        let [(d, c), (e, f)] = self.lines;
        let t = match [on[0] == KinkSide::On, on[1] == KinkSide::On] {
            [false, false] => q.solve(self.right - d * lambda[0] - e * lambda[1]),
            [true, false] => {
                let right = self.right - e * lambda[1];
                let t = q.solve_on_line(right, (d, -c));
                lambda[0] = d.dot(right - q.times(t)) / d.length_squared();
                t
            }
            [false, true] => {
                let right = self.right - d * lambda[0];
                let t = q.solve_on_line(right, (e, -f));
                lambda[1] = e.dot(right - q.times(t)) / e.length_squared();
                t
            }
            [true, true] => {
                let determinant = d.perp_dot(e);
                if determinant * determinant <= PARALLEL * PARALLEL * d.length_squared() * e.length_squared() {
                    let t = q.solve_on_line(self.right, (d, -c));
                    lambda = [d.dot(self.right - q.times(t)) / d.length_squared(), 0.0];
                    t
                } else {
                    let t = DVec2::new(f * d.y - c * e.y, c * e.x - f * d.x) / determinant;
                    let rest = self.right - q.times(t);
                    lambda = [rest.perp_dot(e) / determinant, d.perp_dot(rest) / determinant];
                    t
                }
            }
        };
        (t, lambda)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::math::Pose;
    use crate::shape::{Cone, Cylinder, Ellipsoid, HalfHeight, Radius};
    use glam::DQuat;

    fn placed(turn: DQuat, at: [f64; 3]) -> Frame {
        Frame::relative(&Pose::IDENTITY, &Pose::new(at, turn))
    }

    /// Steps from a direction on, without caps, until points face each other: what is seen there, and how many it took.
    fn settled(bodies: [&dyn Convex; 2], b_in_a: &Frame, n: DVec3) -> (NewtonStep, u32) {
        let (mut n, mut kinks) = (n, [false; 2]);
        for count in 1..20 {
            let seen = newton_step(bodies, b_in_a, Toward::Direction(n), false, kinks).unwrap();
            if seen.off < 1e-13 {
                return (seen, count);
            }
            (n, kinks) = (seen.next, seen.kinks);
        }
        panic!("{n} is no better than before");
    }

    /// Sides that cross, a gap apart, in contact or a little inside of each other: the kinks of both are active, and the nearest points
    /// show neither.
    #[test]
    fn crossed_sides_have_the_normal_of_both_axes() {
        let a = Cylinder::new(Radius(0.3), HalfHeight(0.4)).unwrap();
        let b = Cylinder::new(Radius(0.4), HalfHeight(0.5)).unwrap();
        for gap in [0.1, 1e-3, 1e-9, 0.0, -1e-9, -1e-3] {
            for along in [0.0, 0.3, -0.35] {
                let b_in_a = placed(DQuat::from_rotation_z(1.2), [0.0, along, 0.7 + gap]);
                let (seen, count) = settled([&a, &b], &b_in_a, DVec3::new(0.1, -0.15, 1.0).normalize());
                assert!((seen.n - DVec3::Z).length() < 1e-12, "{gap}: {seen:?}");
                assert!((seen.height - gap).abs() < 1e-13 && seen.kinks == [true; 2], "{gap}: {seen:?}");
                assert!(count <= 8, "{gap}: {count} glances");
            }
        }
    }

    /// The rim of one beside the side of another: one kink, and no edges to cross.
    #[test]
    fn a_rim_beside_a_side_is_found_at_any_gap() {
        let a = Cylinder::new(Radius(0.3), HalfHeight(0.8)).unwrap();
        let b = Cylinder::new(Radius(0.4), HalfHeight(0.2)).unwrap();
        let tip = 0.5_f64;
        // How far B reaches against x.
        let reach = 0.2 * tip.sin() + 0.4 * tip.cos();
        for gap in [1e-2, 1e-5, 1e-9, 0.0, -1e-9] {
            let b_in_a = placed(DQuat::from_rotation_z(tip), [0.3 + gap + reach, 0.0, 0.0]);
            let (seen, count) = settled([&a, &b], &b_in_a, DVec3::new(1.0, 0.1, 0.1).normalize());
            assert!((seen.n - DVec3::X).length() < 1e-6 && (seen.height - gap).abs() < 1e-12, "{gap}: {seen:?}");
            assert!(count <= 10 && seen.kinks == [true, false] && seen.edges.is_none(), "{gap}: {count}, {seen:?}");
        }
    }

    /// The apex of a cone above a flat end: the cap is offered, and its normal is right as it is.
    #[test]
    fn an_apex_above_a_cap_is_offered_the_cap() {
        let a = Cylinder::new(Radius(0.3), HalfHeight(0.4)).unwrap();
        let b = Cone::new(Radius(0.3), HalfHeight(0.5)).unwrap();
        let b_in_a = placed(DQuat::from_rotation_x(2.8), [0.05, 0.9, 0.0]);
        let n = DVec3::new(0.1, 1.0, 0.2).normalize();
        let seen = newton_step([&a, &b], &b_in_a, Toward::Direction(n), true, [false; 2]).unwrap();
        assert_eq!(seen.cap, Some(0));
        let seen = newton_step([&a, &b], &b_in_a, Toward::Cap(0, n), true, [false; 2]).unwrap();
        let apex = b_in_a.point(DVec3::new(0.0, 0.5, 0.0));
        assert_eq!(seen.n, DVec3::Y);
        assert!(seen.off < 1e-15 && (seen.height - (apex.y - 0.4)).abs() < 1e-15, "{seen:?}");
    }

    /// Ellipsoids have neither kinks nor edges, rims that cross have two.
    #[test]
    fn edges_are_those_of_rims() {
        let egg = Ellipsoid::new([0.5, 0.3, 0.2].into()).unwrap();
        let (seen, _) = settled([&egg, &egg], &placed(DQuat::IDENTITY, [0.9, 0.2, 0.1]), DVec3::X);
        assert!(seen.edges.is_none() && seen.kinks == [false; 2]);
        let disc = Cylinder::new(Radius(0.5), HalfHeight(0.1)).unwrap();
        let b_in_a = placed(DQuat::from_rotation_x(1.0), [0.7, 0.6, 0.0]);
        let (seen, _) = settled([&disc, &disc], &b_in_a, DVec3::new(1.0, 1.0, 0.0).normalize());
        let [e, f] = seen.edges.expect("two rims");
        assert!(e.dot(seen.n).abs() < 1e-9 * e.length() && f.dot(seen.n).abs() < 1e-9 * f.length(), "{seen:?}");
        assert!(e.y.abs() < 1e-12, "a rim is level: {e}");
    }
}
