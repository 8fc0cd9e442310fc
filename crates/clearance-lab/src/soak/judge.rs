//! The judge of an answer: all tests that need no code of the engine that gave it.
//!
//! The signed distance of two convex sets is the largest *separation* f(n) = n·c - h_A(n) - h_B(-n) over all unit directions n, apart or not; c is
//! the vector from the origin of A to that of B. Hence
//!
//! * the answer's own direction proves its lower bound if its bracket is closed. An open one may rest on another direction. There a shortfall is
//!   *undecided*, not *refuted*, while a search finds no better one;
//! * its witnesses are on their shapes, or some plane would have them beyond;
//! * any direction at all whose separation is above the upper bound refutes it;
//! * for polytopes apart the oracle knows the distance to 30 digits;
//! * for small polytopes that overlap, the directions of all faces of A - B are few enough to try.

use super::draw::Drawn;
use crate::judge::Answer;
use crate::oracle::{self, Oracle};
use crate::{Rng, Spec, random};
use clearance::math::DVec3;
use clearance::{Clearance, Pose, Shape, Status};

/// Everything that is known about a pair before a query.
pub struct Known {
    a: Spec,
    b: Spec,
    pose_a: Pose,
    pose_b: Pose,
    /// From A to B.
    between: DVec3,
    /// A bound on all lengths of the pair.
    pub scale: f64,
    /// A bound on the rounding error of the computations here.
    pub rounding: f64,
    /// A lower bound of the separation, by the best direction that was found; minus infinity for shapes without heights.
    best: f64,
    /// True if one of the two is not a polytope.
    is_curved: bool,
    /// The distance, for polytopes apart.
    oracle: Option<Oracle>,
    /// The depth, for small polytopes that overlap: at least the truth, and rarely more.
    faces: Option<f64>,
}

/// The verdict on an answer.
#[derive(Debug, Clone, PartialEq)]
pub enum Opinion {
    /// Right, and the bounds are confirmed to the precision of the judge.
    Fine,
    /// Not wrong, but the lower bound of an open bracket could not be confirmed from the outside.
    Undecided,
    /// Wrong, with the reason.
    Refuted(String),
}

impl Known {
    /// Computes everything that is known about a pair; `search` includes the expensive tests.
    #[must_use]
    pub fn about(rng: &mut Rng, drawn: &Drawn, search: bool) -> Self {
        let Drawn { a, pose_a, b, pose_b, .. } = drawn;
        // The place of an unbounded shape is a length, too.
        let of_place = |spec: &Spec, pose: &Pose| if is_half_space(spec) { pose.translation().length() } else { 0.0 };
        let between = pose_b.translation() - pose_a.translation();
        let scale = reach(a) + of_place(a, pose_a) + reach(b) + of_place(b, pose_b) + between.length();
        let mut known = Self {
            a: a.clone(),
            b: b.clone(),
            pose_a: *pose_a,
            pose_b: *pose_b,
            between,
            scale,
            rounding: 64.0 * f64::EPSILON * scale + 1e-74,
            best: f64::NEG_INFINITY,
            is_curved: a.points().is_none() || b.points().is_none(),
            oracle: None,
            faces: None,
        };
        if search {
            known.look_around(rng);
            known.consult();
        }
        known
    }

    /// The separation along a unit direction, if both have heights.
    fn separation(&self, n: DVec3) -> Option<f64> {
        let a = self.a.height(self.pose_a.inverse_transform_vector(n))?;
        let b = self.b.height(self.pose_b.inverse_transform_vector(-n))?;
        Some(self.between.dot(n) - a - b)
    }

    /// The best of many directions: the axes of both, random ones, and a climb from the best of them.
    fn look_around(&mut self, rng: &mut Rng) {
        let mut best = (f64::NEG_INFINITY, DVec3::X);
        let axes = DVec3::AXES.map(|axis| [axis, -axis]).concat();
        let own =
            [self.pose_a, self.pose_b].map(|pose| axes.iter().map(|&d| pose.transform_vector(d)).collect::<Vec<_>>());
        let drawn: Vec<DVec3> = (0..24).map(|_| random::direction(rng)).collect();
        let toward = self.between.try_normalize();
        for n in own.into_iter().flatten().chain(drawn).chain(toward) {
            match self.separation(n) {
                Some(value) if value > best.0 => best = (value, n),
                Some(_) => {}
                None => return,
            }
        }
        self.best = self.climb(rng, best.1, 0.3, 48);
    }

    /// A random walk uphill whose steps get shorter when they fail.
    fn climb(&self, rng: &mut Rng, from: DVec3, first_step: f64, steps: usize) -> f64 {
        let (mut n, mut step) = (from, first_step);
        let Some(mut best) = self.separation(n) else { return f64::NEG_INFINITY };
        for _ in 0..steps {
            let Some(next) = (n + step * random::direction(rng)).try_normalize() else { continue };
            match self.separation(next) {
                Some(value) if value > best => (n, best) = (next, value),
                _ => step *= 0.7,
            }
        }
        best
    }

    /// Queries the oracle about polytopes, and tries all faces of the difference of small ones.
    fn consult(&mut self) {
        let (Some(a), Some(b)) = (self.a.points(), self.b.points()) else { return };
        if a.len() + b.len() > 80 {
            return;
        }
        let truth = oracle::distance(&a, self.pose_a, &b, self.pose_b);
        if truth.is_overlapping() && a.len() <= 8 && b.len() <= 8 {
            let depth = crate::brute_force::separation(&a, self.pose_a, &b, self.pose_b);
            self.faces = Some(depth).filter(|depth| depth.is_finite());
        }
        self.oracle = Some(truth);
    }

    /// Compares an answer with everything that is known. `slack` bounds the change of the truth by a transformed variant.
    #[must_use]
    pub fn judge(&self, rng: &mut Rng, found: &Clearance, slack: f64) -> Opinion {
        let refuted = |what: &str| Opinion::Refuted(format!("{what}: {found:?}"));
        let Clearance { distance, lower, upper, normal, point_a, point_b, .. } = *found;
        // Two points at one place have no size, and their bracket has another width in another unit.
        let size = if self.scale > 0.0 { self.scale } else { 1.0 };
        if let Some(what) = Answer::from(found).fault(size) {
            return refuted(what);
        }
        let are_planes = is_half_space(&self.a) && is_half_space(&self.b);
        if distance == f64::NEG_INFINITY {
            return if are_planes { Opinion::Fine } else { refuted("infinitely deep") };
        }
        // Planes that are parallel only to rounding may meet far away, and the search may find no escape from a union of half-spaces.
        let has_planes =
            [&self.a, &self.b].into_iter().any(|spec| matches!(spec, Spec::Compound(_)) && is_half_space(spec));
        let is_room = has_planes && found.status == Status::Open;
        let has_end = lower.is_finite() || are_planes && found.status == Status::Stalled || is_room;
        if !(has_end && upper.is_finite()) || found.status == Status::BadSupport {
            return refuted("a bracket without an end");
        }
        let places = 16.0 * f64::EPSILON * (point_a.length() + point_b.length());
        let slack = slack + self.rounding;
        if self.best > upper + slack {
            return refuted(&format!("a plane separates by {:e}, more than upper", self.best));
        }
        match self.oracle {
            Some(Oracle::Apart { distance: truth, certificate_gap, .. })
                if lower > truth + slack || upper < truth - certificate_gap - slack =>
            {
                return refuted(&format!("the bracket misses the distance {truth:e}"));
            }
            Some(Oracle::Overlapping) if lower > slack => return refuted("they overlap"),
            _ => {}
        }
        if self.faces.is_some_and(|truth| truth > upper + slack) {
            return refuted(&format!("a face of the difference is nearer: {:e}", self.faces.unwrap_or(0.0)));
        }
        let sides = [(&self.a, &self.pose_a, found.parts[0]), (&self.b, &self.pose_b, found.parts[1])];
        let [a, b] = sides.map(|(spec, pose, index)| Part::of(spec, pose, index));
        let (Some(a), Some(b)) = (a, b) else { return refuted("there are no such parts") };
        let is_closed = found.status == Status::Converged;
        let on_shapes = [
            a.holds(rng, normal, point_a - self.pose_a.translation(), slack + places + self.astray(found)),
            b.holds(rng, normal, point_b - self.pose_b.translation(), slack + places + self.astray(found)),
        ];
        // If a depth is not known, one of the witnesses may be that far from its shape.
        if is_closed && on_shapes != [true; 2] || on_shapes == [false; 2] {
            return refuted(&format!("a witness is beyond its shape ({on_shapes:?})"));
        }
        // The lower bound, by the answer's own direction, or one close to it.
        let between = (self.between + b.offset - a.offset).dot(normal);
        let heights = a.height(normal).zip(b.height(-normal));
        match heights.map(|(height_a, height_b)| between - height_a - height_b) {
            Some(own) if own < lower - slack && is_closed => {
                let less = (lower - own) / self.scale;
                refuted(&format!("its own direction separates by less than lower, by {less:e} of the scale"))
            }
            Some(own) if own < lower - slack && self.climb(rng, normal, 1e-7, 24) < lower - slack => Opinion::Undecided,
            _ => Opinion::Fine,
        }
    }

    /// The permitted distance of the witnesses of a closed answer from their shapes.
    ///
    /// An engine's point of A - B is within six of its roundings (32 ε of the scale each) of the place that distance and normal give, or within the
    /// width of its bracket. A ball of the inner bound is in the polytope that proves it. The witness is where the normal leaves that, which is at
    /// most at the height of the outer bound. Newton's method finds the direction of curved shapes, and stops at 128 roundings, 1e-12 of the scale.
    /// The same again is for transformed variants, whose scale may be larger.
    fn astray(&self, found: &Clearance) -> f64 {
        let curved = if self.is_curved { 2e-12 * self.scale } else { 0.0 };
        (found.upper - found.lower) + 6.0 * self.rounding + curved
    }

    /// A gap that may be confused with touching: a bracket is closed when its ends are 128 ε apart, and a pair whose bracket holds zero is not
    /// proved to be apart.
    #[must_use]
    pub fn touching(&self) -> f64 {
        2.5 * self.rounding
    }

    /// True if the answer of the intersection test contradicts the known bounds.
    #[must_use]
    pub fn contradicts(&self, intersects: bool) -> Option<String> {
        let slack = self.touching();
        if intersects && self.best > slack {
            return Some(format!("said to meet, but a plane separates by {:e}", self.best));
        }
        match self.oracle {
            Some(Oracle::Apart { distance, .. }) if intersects && distance > slack => {
                Some(format!("said to meet, but {distance:e} apart"))
            }
            Some(Oracle::Overlapping) if !intersects => Some("said to be apart, but they meet".into()),
            _ => None,
        }
    }
}

/// A shape, or the part of a compound that an answer names.
struct Part<'a> {
    spec: &'a Spec,
    /// The rotation of its axes into the world.
    rotation: Pose,
    /// From the origin of the shape to that of the part; not added to the place, which may be far away.
    offset: DVec3,
}

impl<'a> Part<'a> {
    fn of(spec: &'a Spec, pose: &Pose, index: u32) -> Option<Self> {
        let rotation = Pose::new(DVec3::ZERO, pose.rotation());
        Self { spec, rotation, offset: DVec3::ZERO }.leaf(index as usize)
    }

    /// The part of that number: a compound in a compound is counted by its parts.
    fn leaf(self, mut index: usize) -> Option<Self> {
        let Spec::Compound(parts) = self.spec else { return Some(self) };
        for (spec, place) in parts {
            let count = match spec.build() {
                Shape::Compound(inner) => inner.parts().len(),
                _ => 1,
            };
            if index < count {
                let rotation = self.rotation * Pose::from_rotation(place.rotation());
                let offset = self.offset + self.rotation.transform_vector(place.translation());
                return Self { spec, rotation, offset }.leaf(index);
            }
            index -= count;
        }
        None
    }

    /// The height along a direction, over the part's own origin.
    fn height(&self, d: DVec3) -> Option<f64> {
        self.spec.height(self.rotation.inverse_transform_vector(d))
    }

    /// True if no plane has the point beyond the part by more than the slack. The planes are across the normal, across any direction, and across
    /// its own normal for a half-space. The point is relative to the origin of the whole shape.
    fn holds(&self, rng: &mut Rng, normal: DVec3, point: DVec3, slack: f64) -> bool {
        let from = point - self.offset;
        if let Spec::HalfSpace(n, offset) = self.spec {
            let (n, offset) = unit_plane(*n, *offset);
            return self.rotation.inverse_transform_vector(from).dot(n) - offset <= slack;
        }
        let directions = [normal, -normal, random::direction(rng)];
        directions.into_iter().all(|d| self.height(d).is_none_or(|height| from.dot(d) - height <= slack))
    }
}

/// The bounding radius about its origin; for a half-space the distance of its plane.
#[must_use]
pub fn reach(spec: &Spec) -> f64 {
    match spec {
        Spec::HalfSpace(normal, offset) => unit_plane(*normal, *offset).1.abs(),
        _ if !is_half_space(spec) => spec.build().bounding_radius(),
        Spec::Compound(parts) => {
            parts.iter().map(|(part, place)| place.translation().length() + reach(part)).fold(0.0, f64::max)
        }
        // The point of the plane that is closest to the origin goes to a point of the plane of the image.
        Spec::Affine(inner, matrix) => {
            let columns = [matrix.x_axis, matrix.y_axis, matrix.z_axis];
            columns.iter().map(|column| column.length()).sum::<f64>() * reach(inner)
        }
        Spec::Rounded(inner, radius) => reach(inner) + radius,
        Spec::Custom(inner) => reach(inner),
        _ => spec.build().bounding_radius(),
    }
}

/// A plane with a unit normal. The normal is first divided by its largest coordinate, since the length of a subnormal one underflows.
fn unit_plane(normal: DVec3, offset: f64) -> (DVec3, f64) {
    let largest = normal.abs().max_element();
    let scaled = normal / largest;
    (scaled.normalize(), offset / largest / scaled.length())
}

fn is_half_space(spec: &Spec) -> bool {
    match spec {
        Spec::HalfSpace(..) => true,
        Spec::Affine(inner, _) | Spec::Rounded(inner, _) | Spec::Custom(inner) => is_half_space(inner),
        Spec::Compound(parts) => parts.iter().any(|(part, _)| is_half_space(part)),
        _ => false,
    }
}
