//! The manifold of two convex shapes, or of a convex shape and a half-space, along a normal.
//!
//! Both contact faces ([`Contour`]) are projected along the normal onto one plane, where their overlap is taken (`clip.rs`). Each corner of the overlap is lifted
//! back onto both faces. Neither face is the reference of the other, so that an exchange of the two shapes exchanges the points.

use super::clip::{Origin, overlap};
use super::contour::{Contour, FEW_CORNERS};
use super::feature_pair::{FeaturePair, Name};
use super::kept::{self, NormalOrigin};
use super::reduce::{MOST, four_of};
use super::{Manifold, ManifoldPoint, ManifoldPoints};
use crate::math::rounding::{self, ROUNDING};
use crate::math::{Frame, Pose};
use crate::pair::Clearance;
use crate::shape::{Family, Feature, Shape};
use glam::{DVec2, DVec3};
use smallvec::SmallVec;

/// One of the two shapes: a part of a body, or the body itself.
#[derive(Clone, Copy)]
pub(super) struct ContactSide<'a> {
    /// Convex, or a half-space.
    pub shape: &'a Shape,
    /// Where it is.
    pub pose: Pose,
    /// Its place in the body, if it is a part.
    pub place: Option<&'a Pose>,
}

impl ContactSide<'_> {
    /// A point of the part in the frame of the body.
    pub fn in_body(&self, point: DVec3) -> DVec3 {
        self.place.map_or(point, |place| place.transform_point(point))
    }
}

/// The input of a manifold.
pub(super) struct ContactInput<'a> {
    pub a: ContactSide<'a>,
    pub b: ContactSide<'a>,
    /// Unit vector of the world, from A to B.
    pub normal: DVec3,
    pub margin: f64,
    /// Rounding error that parts of bodies add.
    pub rounding: f64,
}

/// A supporting plane as heights over the contact plane: `at_zero - slope·p`.
pub(super) struct Heights {
    pub at_zero: f64,
    pub slope: DVec2,
    /// The cosine of its angle with the contact plane.
    pub cos: f64,
}

impl Heights {
    #[inline(always)]
    pub fn at(&self, p: DVec2) -> f64 {
        self.at_zero - self.slope.dot(p)
    }
}

/// A point of the manifold before the choice of four.
#[derive(Debug, Clone)]
pub(super) struct Candidate {
    /// Its place in the contact plane.
    pub at: DVec2,
    pub point: ManifoldPoint,
}

/// The surfaces may be nearly parallel to the normal no more than this. Bound: with a cosine of 0.5 the rounding errors of a height are at most doubled, which
/// the module head of `manifold` allows for.
pub(super) const LEAST_COS: f64 = 0.5;

/// Points before the choice of four, in memory that is kept from frame to frame.
pub(super) type Candidates = Vec<Candidate>;

/// Two shapes in the frame of the first.
pub(super) struct ContactFrame {
    pub b_in_a: Frame,
    /// The rounding error of a coordinate or height.
    pub error: f64,
}

impl ContactFrame {
    #[inline]
    pub fn new(contact: &ContactInput<'_>) -> Self {
        let b_in_a = Frame::relative(&contact.a.pose, &contact.b.pose);
        let error = contact.rounding + rounding_of([&contact.a, &contact.b], &b_in_a);
        Self { b_in_a, error }
    }
}

/// A normal is that of a face if its cosine with it is at least this. Limit: the rounding of a normal.
const FLUSH: f64 = 1.0 - 1e-12;

/// The points of a manifold before the choice of four: of one pair of convex shapes, or of several that have one normal.
#[derive(Debug, Clone)]
pub(super) struct Gathered {
    /// The axes of the contact plane, in the frame of A.
    axes: [DVec3; 2],
    candidates: Candidates,
    rounding: f64,
    roundness: f64,
    /// The face that the normal is perpendicular to, if there is one.
    flush: Option<NormalOrigin>,
}

impl Gathered {
    /// No points yet, in memory that was used before. The unit vector from A to B, in the frame of A, is that of all contacts.
    #[inline]
    pub fn new(n: DVec3, mut candidates: Candidates) -> Self {
        let x = n.any_orthonormal_vector();
        candidates.clear();
        Self { axes: [x, n.cross(x)], candidates, rounding: 0.0, roundness: 0.0, flush: None }
    }

    /// No points yet, of which those of one pair of shapes are pushed.
    pub fn with(rounding: f64, roundness: f64, mut candidates: Candidates) -> Self {
        candidates.clear();
        Self { axes: [DVec3::ZERO; 2], candidates, rounding, roundness, flush: None }
    }

    /// Adds a point.
    pub fn push(&mut self, found: Candidate) {
        self.candidates.push(found);
    }

    /// The memory, for other points.
    pub fn into_memory(self) -> Candidates {
        self.candidates
    }

    /// Adds the corners of the overlap of the two contact faces, each under the names that `rename` gives it, or not at all.
    pub fn add(
        &mut self,
        contact: &ContactInput<'_>,
        faces: &mut [Option<Name>; 2],
        rename: impl Fn([Name; 2]) -> Option<[Name; 2]>,
    ) {
        let ContactInput { a, b, normal, .. } = contact;
        let frame = ContactFrame::new(contact);
        let n = a.pose.inverse_transform_vector(*normal);
        self.rounding = self.rounding.max(8.0 * frame.error);
        let Some(face_a) = face_of(a.shape, n, faces[0]) else { return };
        let against = frame.b_in_a.direction_in_b(-n);
        let Some(mut face_b) = face_of(b.shape, against, faces[1]) else { return };
        let flush = |side: usize, face: &Contour, direction: DVec3| {
            // The surface of a half-space has no corners.
            let is_flush = !matches!(face.corners.len(), 1 | 2) && face.normal.dot(direction) >= FLUSH;
            is_flush.then_some(NormalOrigin::Face { side, name: face.inner, normal: face.normal })
        };
        self.flush = flush(0, &face_a, n).or_else(|| flush(1, &face_b, against));
        face_b.place(&frame.b_in_a);
        *faces = [Some(face_a.inner), Some(face_b.inner)];
        self.add_faces(contact, &frame, n, [&face_a, &face_b], rename);
    }

    /// Adds the corners of the overlap of two contact faces, both in the frame of A.
    #[inline]
    pub fn add_faces(
        &mut self,
        contact: &ContactInput<'_>,
        frame: &ContactFrame,
        n: DVec3,
        [face_a, face_b]: [&Contour; 2],
        rename: impl Fn([Name; 2]) -> Option<[Name; 2]>,
    ) {
        let ContactInput { a, b, margin, .. } = contact;
        let (frame, error) = (&frame.b_in_a, frame.error);
        self.rounding = self.rounding.max(8.0 * error);
        self.roundness = self.roundness.max(face_a.roundness + face_b.roundness);
        let (cos_a, cos_b) = (face_a.normal.dot(n), -face_b.normal.dot(n));
        // Written so that a NaN ends here.
        if !(cos_a >= LEAST_COS && cos_b >= LEAST_COS) {
            return;
        }
        let rounding = error * (2.0 + 3.0 / cos_a + 3.0 / cos_b);
        self.rounding = self.rounding.max(rounding);
        let [x, y] = self.axes;
        let along = |normal: DVec3, by: f64| DVec2::new(normal.dot(x), normal.dot(y)) / by;
        let of_a = Heights { at_zero: face_a.height / cos_a, slope: along(face_a.normal, cos_a), cos: cos_a };
        let of_b = Heights { at_zero: -face_b.height / cos_b, slope: along(face_b.normal, -cos_b), cos: cos_b };
        let lift = |p: DVec2, height: f64| p.x * x + p.y * y + height * n;
        each_corner([face_a, face_b], [x, y], 2.0 * error, rename, |[p, q], names| {
            let (top, bottom) = (of_a.at(p), of_b.at(q));
            let distance = bottom - top;
            let lower = distance.min(of_b.at(p) - top) - rounding;
            // Written so that a NaN is left out.
            if lower <= *margin {
                self.candidates.push(Candidate {
                    at: p,
                    point: ManifoldPoint {
                        point_a: a.in_body(lift(p, top)),
                        point_b: b.in_body(frame.direction_in_b(lift(q, bottom) - frame.translation)),
                        distance,
                        lower,
                        upper: distance + rounding,
                        id: FeaturePair::new(names),
                        persisted: false,
                    },
                });
            }
        });
    }

    /// The least signed distance of all points.
    pub fn deepest(&self) -> f64 {
        self.candidates.iter().fold(f64::INFINITY, |least, found| found.point.distance.min(least))
    }

    /// How far a point may be from the surface that it is on.
    pub fn rounding(&self) -> f64 {
        self.rounding
    }

    /// How many points there are.
    pub fn len(&self) -> usize {
        self.candidates.len()
    }

    /// Are there points of all the names that others have?
    pub fn has_all_of(&self, other: &Self) -> bool {
        let has = |found: &Candidate| self.candidates.iter().any(|own| own.point.id == found.point.id);
        other.candidates.iter().all(has)
    }

    /// Of points with one name the first stays.
    pub fn remove_doubles(&mut self) {
        let mut k = 0;
        while k < self.candidates.len() {
            let id = self.candidates[k].point.id;
            if self.candidates[..k].iter().any(|other| other.point.id == id) {
                self.candidates.remove(k);
            } else {
                k += 1;
            }
        }
        self.sort();
    }

    /// Around their middle.
    fn sort(&mut self) {
        if self.candidates.len() > 2 {
            let middle = self.candidates.iter().map(|found| found.at).sum::<DVec2>() / self.candidates.len() as f64;
            self.candidates.sort_unstable_by(|p, q| (p.at - middle).to_angle().total_cmp(&(q.at - middle).to_angle()));
        }
    }

    /// Adds the witness points of an answer, if no point is as deep.
    pub fn add_witness(
        &mut self,
        contact: &ContactInput<'_>,
        witness: &Clearance,
        rename: impl Fn([Name; 2]) -> Option<[Name; 2]>,
    ) {
        if self.is_above(witness.distance, witness.upper - witness.lower) {
            let names = witness.features(contact.a.shape, contact.b.shape).map(Name::from);
            // A name that is left out is that of an inner edge: the place counts, if there is no other.
            let names = rename(names).unwrap_or(names);
            self.push_witness(witness_point(contact, witness, self.axes, self.rounding, names));
        }
    }

    /// Is no point as deep as a signed distance with a bracket of that width?
    pub fn is_above(&self, distance: f64, width: f64) -> bool {
        let enough = distance + 2.0 * self.rounding + width + self.roundness;
        self.candidates.is_empty() || self.deepest() > enough
    }

    #[cold]
    #[inline(never)]
    pub fn push_witness(&mut self, found: Candidate) {
        // A rounded corner that leans has its lowest point beside the corner of its face.
        self.candidates.retain(|other| other.point.id != found.point.id);
        self.candidates.push(found);
        self.sort();
    }

    /// Makes the manifold of the points; `false` if there is none. The points that it had before are those of the last frame.
    pub fn finish(&mut self, normal: DVec3, which: ManifoldPoints, out: &mut Manifold) -> bool {
        let candidates = &mut self.candidates;
        (out.normal, out.rounding) = (normal, self.rounding);
        // The same features in the same order are the rule.
        let is_same = |(found, point): (&Candidate, &ManifoldPoint)| found.point.id == point.id;
        if candidates.len() == out.points.len() && candidates.iter().zip(&out.points).all(is_same) {
            out.rest.clear();
            for (point, found) in out.points.iter_mut().zip(candidates.iter()) {
                *point = ManifoldPoint { persisted: true, ..found.point };
            }
            return !out.points.is_empty();
        }
        for found in candidates.iter_mut() {
            found.point.persisted = out.points.iter().any(|point| point.id == found.point.id);
        }
        out.points.clear();
        out.rest.clear();
        if which == ManifoldPoints::All || candidates.len() <= MOST {
            out.points.extend(candidates.iter().map(|found| found.point));
        } else {
            let place = |found: &Candidate| (found.at, found.point.distance);
            let chosen = four_of(candidates, place, |found| found.point.persisted, self.rounding);
            out.points.extend(chosen.iter().map(|&i| candidates[i as usize].point));
            out.rest.extend(candidates.iter().map(|found| found.point));
        }
        !out.points.is_empty()
    }
}

/// The manifold of one pair of convex shapes or half-spaces along the normal of an answer; `false` if no point is within the margin.
pub(super) fn fill(
    contact: &ContactInput<'_>,
    witness: &Clearance,
    which: ManifoldPoints,
    memory: &mut Candidates,
    out: &mut Manifold,
) -> bool {
    let n = contact.a.pose.inverse_transform_vector(contact.normal);
    let mut gathered = Gathered::new(n, std::mem::take(memory));
    gathered.add(contact, &mut out.faces, Some);
    // A place on a smooth surface has the name of the contact face there, whether it is a corner of the overlap or the witness.
    let faces = out.faces;
    let named = |side: usize, name: Name| match faces[side] {
        Some(face) if name.feature() == Feature::Surface && face.feature() == Feature::Surface => face,
        _ => name,
    };
    gathered.add_witness(contact, witness, |[a, b]| Some([named(0, a), named(1, b)]));
    let features = || witness.features(contact.a.shape, contact.b.shape).map(Name::from);
    out.origin = kept::origin_of([&contact.a, &contact.b], gathered.flush, features);
    let has_points = gathered.finish(contact.normal, which, out);
    *memory = gathered.into_memory();
    has_points
}

/// The witness points of an answer as a point of the manifold.
fn witness_point(
    contact: &ContactInput<'_>,
    witness: &Clearance,
    [x, y]: [DVec3; 2],
    rounding: f64,
    names: [Name; 2],
) -> Candidate {
    let ContactInput { a, b, normal, .. } = contact;
    let locals = [(a, witness.point_a), (b, witness.point_b)].map(|(side, at)| side.pose.inverse_transform_point(at));
    let mut distance = witness.distance;
    let mut lower = witness.lower.min(distance - rounding);
    let mut upper = witness.upper.max(distance + rounding);
    if *normal != witness.normal {
        // Another normal than that of the answer: the two shapes are beyond their support planes across it.
        let height = |side: &ContactSide<'_>, normal: DVec3| {
            let local = side.pose.inverse_transform_vector(normal);
            side.shape.with_hull(|hull| hull.height(local) + hull.radius()).unwrap_or(f64::INFINITY)
        };
        distance = normal.dot(witness.point_b - witness.point_a);
        let apart = normal.dot(b.pose.translation() - a.pose.translation()) - height(a, *normal) - height(b, -*normal);
        lower = apart.min(distance) - rounding;
        upper = distance + rounding;
    }
    Candidate {
        at: DVec2::new(locals[0].dot(x), locals[0].dot(y)),
        point: ManifoldPoint {
            point_a: a.in_body(locals[0]),
            point_b: b.in_body(locals[1]),
            distance,
            lower,
            upper,
            id: FeaturePair::new(names),
            persisted: false,
        },
    }
}

/// The contact face of a shape along a direction in its own frame.
#[inline]
pub(super) fn face_of(shape: &Shape, direction: DVec3, kept: Option<Name>) -> Option<Contour> {
    match shape.family() {
        Family::Convex(core) if !shape.is_foreign() => Some(Contour::of(shape, core, direction, kept)),
        Family::HalfSpace(plane) => Some(Contour::plane(plane.normal(), plane.offset())),
        // Nothing about a custom shape is proved but its answer.
        Family::Convex(_) | Family::Mesh(_) | Family::Compound(_) => None,
    }
}

/// The rounding error of a coordinate or height of the two shapes in the frame of A.
pub(super) fn rounding_of(sides: [&ContactSide<'_>; 2], frame: &Frame) -> f64 {
    let far = frame.translation.length();
    let size = |side: &ContactSide<'_>| match side.shape.family() {
        Family::HalfSpace(plane) => plane.offset().abs(),
        _ => side.shape.bounding_radius(),
    };
    let total = size(sides[0]) + size(sides[1]) + far;
    let slack = |side: &ContactSide<'_>| match side.shape.family() {
        Family::HalfSpace(plane) => plane.turn() * total + plane.shift(),
        Family::Convex(core) => core.slack(),
        Family::Mesh(_) | Family::Compound(_) => 0.0,
    };
    let body = |side: &ContactSide<'_>| side.place.map_or(0.0, |place| ROUNDING * place.translation().length());
    rounding::of_pair(total, slack(sides[0]) + slack(sides[1])) + body(sides[0]) + body(sides[1])
}

/// Calls back with each corner of the overlap that `rename` leaves a name: its places on A and B in the contact plane, and its names.
fn each_corner(
    [a, b]: [&Contour; 2],
    [x, y]: [DVec3; 2],
    tolerance: f64,
    rename: impl Fn([Name; 2]) -> Option<[Name; 2]>,
    mut each: impl FnMut([DVec2; 2], [Name; 2]),
) {
    let flat = |point: DVec3| DVec2::new(point.dot(x), point.dot(y));
    let mut single = |contour: &Contour, names: &dyn Fn(Name) -> [Name; 2]| {
        for corner in &contour.corners {
            if let Some(names) = rename(names(corner.name)) {
                each([flat(corner.point); 2], names);
            }
        }
    };
    match (a.corners.is_empty(), b.corners.is_empty()) {
        // The surface of a half-space has no corners, and all places are on it.
        (true, _) => single(b, &|name| [a.inner, name]),
        (_, true) => single(a, &|name| [name, b.inner]),
        _ => {
            let (of_a, of_b) = (FlatFace::new(a, flat, false, tolerance), FlatFace::new(b, flat, true, tolerance));
            for found in overlap(&of_a.corners, &of_b.corners, tolerance) {
                let corner_a = |i: u32| [of_a.corner(a, i), b.inner];
                let corner_b = |k: u32| [a.inner, of_b.corner(b, k)];
                let names = match found.origin {
                    Origin::CornerA(i) => corner_a(i),
                    Origin::CornerB(k) => corner_b(k),
                    Origin::Crossing(i, k) => [of_a.side(a, i), of_b.side(b, k)],
                };
                // A corner of one in the place of a corner of the other has two names, of which one may be inside of a flat face.
                let other = || {
                    let is_here = |at: &&DVec2| at.distance(found.at[0]) <= 4.0 * tolerance;
                    let number = |face: &FlatFace| face.corners.iter().position(|at| is_here(&at)).map(|k| k as u32);
                    match found.origin {
                        Origin::CornerA(_) => number(&of_b).and_then(|k| rename(corner_b(k))),
                        Origin::CornerB(_) => number(&of_a).and_then(|i| rename(corner_a(i))),
                        Origin::Crossing(..) => None,
                    }
                };
                if let Some(names) = rename(names).or_else(other) {
                    each(found.at, names);
                }
            }
        }
    }
}

/// A contact face in the contact plane, counter-clockwise.
#[derive(Debug, Clone, Default)]
pub(super) struct FlatFace {
    pub corners: SmallVec<[DVec2; FEW_CORNERS]>,
    /// The corner of the contour that each corner is, and the side of the contour that leaves it.
    pub from: SmallVec<[[u32; 2]; FEW_CORNERS]>,
}

impl FlatFace {
    /// A contour, seen along the normal: that of B is reversed.
    #[inline]
    pub fn new(contour: &Contour, flat: impl Fn(DVec3) -> DVec2, is_of_b: bool, tolerance: f64) -> Self {
        Self::of(contour.corners.iter().map(|corner| flat(corner.point)), is_of_b, tolerance)
    }

    /// Seen along the normal, a face of B is clockwise: it is reversed. Corners in one place are one, since a side without a length has no direction.
    #[inline]
    pub fn of(
        places: impl ExactSizeIterator<Item = DVec2> + DoubleEndedIterator,
        is_of_b: bool,
        tolerance: f64,
    ) -> Self {
        let mut face = Self::default();
        let (count, near) = (places.len(), 16.0 * tolerance * tolerance);
        if is_of_b && count > 2 {
            let from = (0..count).map(|k| [count - 1 - k, (2 * count - 2 - k) % count]);
            places.rev().zip(from).for_each(|(at, from)| face.push(at, from, near));
        } else {
            places.enumerate().for_each(|(k, at)| face.push(at, [k, k], near));
        }
        if let [first, .., last] = face.corners[..]
            && first.distance_squared(last) <= near
        {
            face.corners.pop();
            face.from.pop();
        }
        face
    }

    #[inline(always)]
    fn push(&mut self, at: DVec2, from: [usize; 2], near: f64) {
        // Written so that a NaN is a corner of its own.
        match self.corners.last() {
            Some(last) if last.distance_squared(at) <= near => {
                if let Some(last) = self.from.last_mut() {
                    last[1] = from[1] as u32;
                }
            }
            _ => {
                self.corners.push(at);
                self.from.push(from.map(|number| number as u32));
            }
        }
    }

    /// The name of a corner.
    pub fn corner(&self, contour: &Contour, i: u32) -> Name {
        contour.corners[self.from[i as usize][0] as usize].name
    }

    /// The name of the side that leaves a corner.
    pub fn side(&self, contour: &Contour, i: u32) -> Name {
        contour.sides.get(self.from[i as usize][1] as usize).copied().unwrap_or(contour.inner)
    }
}
