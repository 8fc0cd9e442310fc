//! The contours of two shapes in contact and the overlap of both, kept from frame to frame.
//!
//! A body that rests, trembles or slides touches another one with the same two contours for many frames. Contours do not change in the frames of their shapes. Only
//! the relative pose does. A [`Footprint`] keeps both, and which corners and crossings make their overlap. A frame proves the normal ([`kept`](super::kept)),
//! places both contours, and lifts the same corners and crossings, if they still make the overlap.
//!
//! **Coordinates.** Everything is computed in the frame of the contact plane: z along the unit vector from A to B, x and y in the plane. Where the normal is that of a
//! face, that face never moves there. A is counter-clockwise, B is reversed.
//!
//! **The same contour.** A contour stays while the direction in the frame of its shape is within [`KEPT_TURN`] of that at which it was chosen. A polygon is the same
//! points then. The plane of an edge or a point turns with the direction, and is a supporting plane if the shape is nowhere higher, which is computed.
//!
//! **The same overlap.** The corners of the overlap of two convex polygons are the corners of each that are inside the other, and crossings of sides. The
//! overlap is that of the last frame, with other coordinates, if
//!
//! - each corner in it is inside the other polygon, to the tolerance of the clipping;
//! - each crossing is a point between the ends of both sides, and the two sides cross in the same sense.
//!
//! *Proof.* Between two crossings that follow each other, the boundary of one polygon runs through corners that are inside the other one, which is convex. So that
//! piece is inside. By the sense of the crossings, the boundary enters the other polygon where the piece begins and leaves it where it ends. All pieces
//! together are closed, so they are the whole boundary of the overlap, which is convex. Without a crossing all corners of one polygon are inside the other,
//! and that polygon is the overlap. If the conditions fail, the overlap is computed again ([`clip`](super::clip)).

use super::build::{Candidate, Candidates, ContactInput, FlatFace, Gathered, Heights, LEAST_COS, face_of};
use super::clip::{Origin, overlap};
use super::contour::{COPLANAR, Contour};
use super::feature_pair::{FeaturePair, Name};
use super::{Manifold, ManifoldPoint, ManifoldPoints};
use crate::math::Frame;
use crate::shape::{Family, Shape};
use arrayvec::ArrayVec;
use glam::{DMat3, DVec2, DVec3};
use smallvec::SmallVec;

/// Sine of the angle by which the direction may turn until a contour is chosen again. Limit: part of the contract, 0.06 degrees; the cosine of the angle to a face changes by
/// as much at most.
const KEPT_TURN: f64 = 1e-3;

/// Rounding errors by which a crossing must be inside of both sides, divided by the sine of their angle. Bound: each end of a side is off by one, and the place on
/// the line by 4.
const OF_CROSSINGS: f64 = 16.0;

/// Corners of an overlap that is kept. Limit: memory; an overlap with more corners is computed in each frame.
const MOST_CORNERS: usize = 12;

/// A corner of the overlap.
#[derive(Debug, Clone, Copy)]
struct PrintCorner {
    origin: Origin,
    id: FeaturePair,
    /// The sign of the cross product of two sides that cross.
    is_left: bool,
}

/// The places of a corner of the overlap on the two contours.
type Place = [DVec2; 2];

/// How a contour depends on the direction.
#[derive(Debug, Clone, Copy, PartialEq, Default)]
enum ContourKind {
    /// It is not known, or is another one in each frame.
    #[default]
    Moving,
    /// A polygon that is the same while it is the contact face.
    Polygon,
    /// An edge between two points of the core.
    Edge { ends: [DVec3; 2], along: DVec3 },
    /// The support point, which is this vertex.
    Point(u32),
}

/// The contour of one shape, in the frame of that shape.
#[derive(Debug, Clone, Default)]
struct KeptContour {
    contour: Option<Contour>,
    kind: ContourKind,
    /// The direction at which it was chosen.
    chosen_at: DVec3,
    /// The contour in the contact plane.
    flat: FlatFace,
    /// The lengths of the sides of `flat`, or bounds of them.
    lengths: SmallVec<[f64; 4]>,
}

/// The face that the normal is that of.
#[derive(Debug, Clone)]
struct FixedFace {
    side: usize,
    name: Name,
    normal: DVec3,
    /// From the frame of its shape to that of the contact plane.
    into_plane: DMat3,
    /// Unit normals of the sides that point into the face, and their heights: `n·p - d >= 0` inside, as `(n, d)`.
    inward: SmallVec<[DVec3; 4]>,
}

/// See the module.
#[derive(Debug, Clone, Default)]
pub(super) struct Footprint {
    contours: [KeptContour; 2],
    fixed: Option<FixedFace>,
    /// The overlap of the last frame; empty if it is not known.
    corners: SmallVec<[PrintCorner; 4]>,
}

/// Where both shapes are in the frame of the contact plane.
pub(super) struct ContactPlane {
    pub frames: [Frame; 2],
    /// The rounding error of a coordinate.
    pub error: f64,
}

/// The points that are as far apart as the shapes: each in the frame of its shape.
pub(super) struct WitnessPoints {
    pub points: [DVec3; 2],
    /// Where they are in the contact plane.
    pub at: DVec2,
    pub names: [Name; 2],
    pub distance: f64,
}

/// The plane of a contour over the contact plane, toward the other shape along z times `up`: `None` if it is too steep.
#[inline(always)]
fn heights_of(contour: &Contour, frame: &Frame, up: f64) -> Option<Heights> {
    let m = frame.rotation * contour.normal;
    let cos = up * m.z;
    // Written so that a NaN ends here.
    if !(cos >= LEAST_COS) {
        return None;
    }
    let by = 1.0 / m.z;
    Some(Heights { at_zero: (contour.height + m.dot(frame.translation)) * by, slope: m.truncate() * by, cos })
}

impl KeptContour {
    /// The contour along a direction in the frame of the shape: `false` if there is none. `is_same` becomes false if it is another one.
    fn update(&mut self, shape: &Shape, d: DVec3, last: Option<Name>, is_same: &mut bool) -> bool {
        let is_near = (d - self.chosen_at).length_squared() <= KEPT_TURN * KEPT_TURN;
        if is_near && self.turn(shape, d).is_some() {
            return true;
        }
        *is_same = false;
        self.chosen_at = d;
        self.contour = face_of(shape, d, last);
        self.kind = self.kind_of(shape, d);
        self.contour.is_some()
    }

    fn kind_of(&self, shape: &Shape, d: DVec3) -> ContourKind {
        let (Some(contour), Family::Convex(core)) = (&self.contour, shape.family()) else { return ContourKind::Moving };
        // The rims and sides of round shapes have no numbers.
        let has_number = contour.inner.as_face().is_some() || contour.inner.as_edge().is_some();
        match contour.corners[..] {
            [_] => ContourKind::Point(core.support_vertex(d).vertex),
            [from, to] if has_number => {
                let ends = [from, to].map(|end| end.point - core.radius() * contour.normal);
                ContourKind::Edge { ends, along: (ends[1] - ends[0]).normalize_or_zero() }
            }
            [_, _, _, ..] if has_number => ContourKind::Polygon,
            _ => ContourKind::Moving,
        }
    }

    /// Turns the plane of the same contour to a direction: `None` if another contour may be needed.
    #[inline(always)]
    fn turn(&mut self, shape: &Shape, d: DVec3) -> Option<()> {
        if self.kind == ContourKind::Polygon {
            return Some(());
        }
        let (contour, Family::Convex(core)) = (self.contour.as_mut()?, shape.family()) else { return None };
        let radius = core.radius();
        match self.kind {
            ContourKind::Polygon => Some(()),
            ContourKind::Point(vertex) => {
                let support = core.support_vertex(d);
                let corner = contour.corners.first_mut().filter(|_| vertex == support.vertex)?;
                corner.point = support.point + radius * d;
                (contour.normal, contour.height) = (d, d.dot(corner.point));
                Some(())
            }
            ContourKind::Edge { ends, along } => {
                let normal = (d - along.dot(d) * along).try_normalize()?;
                let height = core.height(normal);
                let lowest = normal.dot(ends[0]).min(normal.dot(ends[1]));
                for (corner, end) in contour.corners.iter_mut().zip(ends) {
                    corner.point = end + radius * normal;
                }
                (contour.normal, contour.height) = (normal, height + radius);
                (height - lowest <= COPLANAR * core.bounding_radius()).then_some(())
            }
            ContourKind::Moving => None,
        }
    }

    /// Projects the contour into the contact plane again.
    fn flatten(&mut self, frame: &Frame, is_of_b: bool, tolerance: f64) {
        let Some(contour) = &self.contour else { return };
        self.flat = FlatFace::new(contour, |point| frame.point(point).truncate(), is_of_b, tolerance);
        let corners = |k: usize| contour.corners[self.flat.from[k % self.flat.from.len()][0] as usize].point;
        // Extended in place: a frame allocates nothing.
        self.lengths.clear();
        self.lengths.extend((0..self.flat.from.len()).map(|k| corners(k + 1).distance(corners(k))));
    }

    /// Moves the corners in the contact plane.
    #[inline(always)]
    fn place(&mut self, frame: &Frame) {
        let Some(contour) = &self.contour else { return };
        for (place, from) in self.flat.corners.iter_mut().zip(&self.flat.from) {
            if let Some(corner) = contour.corners.get(from[0] as usize) {
                *place = frame.point(corner.point).truncate();
            }
        }
    }

    /// Is a place within a tolerance of the polygon?
    #[inline(always)]
    fn holds(&self, place: DVec2, tolerance: f64) -> bool {
        let corners = &self.flat.corners[..];
        let Some(&last) = corners.last().filter(|_| corners.len() > 2) else { return false };
        let (mut from, mut length) = (last, self.lengths.last().copied().unwrap_or(0.0));
        for (&to, &next) in corners.iter().zip(&self.lengths) {
            if !((to - from).perp_dot(place - from) >= -tolerance * length) {
                return false;
            }
            (from, length) = (to, next);
        }
        true
    }
}

impl FixedFace {
    /// How far a place is from the nearest side; negative outside.
    #[inline(always)]
    fn inside(&self, place: DVec2) -> f64 {
        self.inward.iter().fold(f64::INFINITY, |least, side| (side.truncate().dot(place) - side.z).min(least))
    }
}

impl Footprint {
    /// Takes the face of that name and normal of a shape as the contact face: false if there is none. It is A (0) or B (1).
    pub fn fix(&mut self, shape: &Shape, side: usize, name: Name, normal: DVec3, least_cos: f64) -> bool {
        let is_same = |face: &FixedFace| face.side == side && face.name == name && face.normal == normal;
        if self.fixed.as_ref().is_some_and(is_same) {
            return true;
        }
        (self.fixed, self.contours[side].contour) = (None, None);
        self.corners.clear();
        let face = match shape.family() {
            Family::Convex(core) => Contour::of_name(shape, core, normal, name),
            Family::HalfSpace(plane) => Contour::plane(plane.normal(), plane.offset()),
            Family::Mesh(_) | Family::Compound(_) => return false,
        };
        // The surface of a half-space has no corners. Written so that a NaN ends here.
        if matches!(face.corners.len(), 1 | 2) || !(face.normal.dot(normal) >= least_cos) {
            return false;
        }
        let z = if side == 0 { face.normal } else { -face.normal };
        let x = z.any_orthonormal_vector();
        let into_plane = DMat3::from_cols(x, z.cross(x), z).transpose();
        let contour = &mut self.contours[side];
        *contour = KeptContour { contour: Some(face), ..KeptContour::default() };
        contour.flatten(&Frame { rotation: into_plane, translation: DVec3::ZERO }, side == 1, 0.0);
        let corners = &contour.flat.corners;
        let inward = (0..corners.len()).map(|k| {
            let (from, to) = (corners[k], corners[(k + 1) % corners.len()]);
            let n = (to - from).perp().normalize_or(DVec2::NAN);
            n.extend(n.dot(from))
        });
        let inward: SmallVec<[DVec3; 4]> = inward.collect();
        let is_polygon = inward.iter().all(|side| side.is_finite());
        self.fixed = is_polygon.then_some(FixedFace { side, name, normal, into_plane, inward });
        is_polygon
    }

    /// There is no fixed face: both contours move in the contact plane.
    pub fn release(&mut self) {
        if let Some(face) = self.fixed.take() {
            self.contours[face.side] = KeptContour::default();
            self.corners.clear();
        }
    }

    /// From the frame of the shape with the fixed face to that of the contact plane.
    pub fn to_plane(&self) -> DMat3 {
        self.fixed.as_ref().map_or(DMat3::IDENTITY, |face| face.into_plane)
    }

    /// How far a place is from the nearest side of the fixed face; negative outside.
    pub fn inside(&self, place: DVec2) -> f64 {
        self.fixed.as_ref().map_or(f64::NEG_INFINITY, |face| face.inside(place))
    }

    /// The height of the fixed face along its normal.
    pub fn fixed_height(&self) -> f64 {
        let contour = self.fixed.as_ref().and_then(|face| self.contours[face.side].contour.as_ref());
        contour.map_or(f64::NAN, |contour| contour.height)
    }

    /// The name of the fixed face.
    pub fn fixed_name(&self) -> Option<Name> {
        Some(self.contours[self.fixed.as_ref()?.side].contour.as_ref()?.inner)
    }

    /// Computes the overlap.
    #[inline(never)]
    fn find_overlap(&mut self, plane: &ContactPlane, places: &mut SmallVec<[Place; MOST_CORNERS]>) {
        places.clear();
        self.corners.clear();
        let tolerance = 2.0 * plane.error;
        for (side, contour) in self.contours.iter_mut().enumerate() {
            if self.fixed.as_ref().is_none_or(|face| face.side != side) {
                contour.flatten(&plane.frames[side], side == 1, tolerance);
            }
        }
        let [a, b] = &self.contours;
        let (Some(of_a), Some(of_b)) = (&a.contour, &b.contour) else { return };
        let mut add = |origin: Origin, at: Place| {
            let names = match origin {
                Origin::CornerA(i) => [a.flat.corner(of_a, i), of_b.inner],
                Origin::CornerB(k) => [of_a.inner, b.flat.corner(of_b, k)],
                Origin::Crossing(i, k) => [a.flat.side(of_a, i), b.flat.side(of_b, k)],
            };
            let is_left = match origin {
                Origin::Crossing(i, k) => side_of(&a.flat.corners, i).1.perp_dot(side_of(&b.flat.corners, k).1) > 0.0,
                _ => false,
            };
            self.corners.push(PrintCorner { origin, id: FeaturePair::new(names), is_left });
            places.push(at);
        };
        match (of_a.corners.is_empty(), of_b.corners.is_empty()) {
            // All places of a half-space are on its surface.
            (true, _) => (0..).zip(&b.flat.corners).for_each(|(k, &at)| add(Origin::CornerB(k), [at; 2])),
            (_, true) => (0..).zip(&a.flat.corners).for_each(|(i, &at)| add(Origin::CornerA(i), [at; 2])),
            _ => {
                let found = overlap(&a.flat.corners, &b.flat.corners, tolerance);
                found.iter().for_each(|corner| add(corner.origin, corner.at));
            }
        }
    }

    /// The places of the corners of the overlap, if they are those of the last frame.
    #[inline]
    fn same_overlap(&mut self, plane: &ContactPlane, places: &mut SmallVec<[Place; MOST_CORNERS]>) -> Option<()> {
        if self.corners.is_empty() || self.corners.len() > MOST_CORNERS {
            return None;
        }
        for (side, contour) in self.contours.iter_mut().enumerate() {
            if self.fixed.as_ref().is_none_or(|face| face.side != side) {
                contour.place(&plane.frames[side]);
            }
        }
        let tolerance = 2.0 * plane.error;
        let [a, b] = &self.contours;
        // Two segments may touch along a piece, whose ends are no crossings.
        if a.flat.corners.len() == 2 && b.flat.corners.len() == 2 {
            return None;
        }
        let holds = |side: usize, place: DVec2| match &self.fixed {
            Some(face) if face.side == side => face.inside(place) >= -tolerance,
            _ => self.contours[side].holds(place, tolerance),
        };
        for corner in &self.corners {
            let place = match corner.origin {
                Origin::CornerA(i) => *a.flat.corners.get(i as usize).filter(|place| holds(1, **place))?,
                Origin::CornerB(k) => *b.flat.corners.get(k as usize).filter(|place| holds(0, **place))?,
                Origin::Crossing(i, k) => crossing([a, b], [i, k], corner.is_left, plane.error)?,
            };
            places.push([place; 2]);
        }
        Some(())
    }

    /// Makes the manifold along the z axis of the contact plane, which is the `normal` in the world. The witness points are added, if no corner of the overlap is as deep. `None` if a
    /// shape has no contour, else whether there are points.
    pub fn fill(
        &mut self,
        contact: &ContactInput<'_>,
        plane: &ContactPlane,
        witness: &WitnessPoints,
        which: ManifoldPoints,
        memory: &mut Candidates,
        out: &mut Manifold,
    ) -> Option<bool> {
        let sides = [&contact.a, &contact.b];
        let mut is_same = true;
        for (side, up) in [(0, 1.0), (1, -1.0)] {
            if self.fixed.as_ref().is_some_and(|face| face.side == side) {
                continue;
            }
            let rotation = &plane.frames[side].rotation;
            let row = DVec3::new(rotation.x_axis.z, rotation.y_axis.z, rotation.z_axis.z);
            if !self.contours[side].update(sides[side].shape, up * row, out.faces[side], &mut is_same) {
                self.corners.clear();
                return None;
            }
        }
        let mut places = SmallVec::new();
        if !is_same || self.same_overlap(plane, &mut places).is_none() {
            self.find_overlap(plane, &mut places);
        }
        let [a, b] = self.contours.each_ref().map(|kept| kept.contour.as_ref());
        let (a, b) = (a?, b?);
        let (top, bottom) = (heights_of(a, &plane.frames[0], 1.0)?, heights_of(b, &plane.frames[1], -1.0)?);
        let rounding = plane.error * (2.0 + 3.0 / top.cos + 3.0 / bottom.cos);
        let error = rounding.max(8.0 * plane.error);
        (out.normal, out.rounding, out.faces) = (contact.normal, error, [Some(a.inner), Some(b.inner)]);
        // The signed distances of the corners within the margin.
        let mut near = ArrayVec::<(u32, [f64; 2], f64), MOST_CORNERS>::new();
        let mut deepest = f64::INFINITY;
        let mut is_far = self.corners.len() > MOST_CORNERS;
        for (k, [p, q]) in (0..).zip(&places) {
            let (on_a, on_b) = (top.at(*p), bottom.at(*q));
            let distance = on_b - on_a;
            let lower = distance.min(bottom.at(*p) - on_a) - rounding;
            // Written so that a NaN is left out.
            if lower <= contact.margin {
                deepest = deepest.min(distance);
                is_far |= near.try_push((k, [on_a, on_b], lower)).is_err();
            }
        }
        let [frame_a, frame_b] = &plane.frames;
        let point_of = |(k, [on_a, on_b], lower): (u32, [f64; 2], f64)| {
            let [p, q] = places[k as usize];
            let distance = on_b - on_a;
            ManifoldPoint {
                point_a: contact.a.in_body(frame_a.direction_in_b(p.extend(on_a) - frame_a.translation)),
                point_b: contact.b.in_body(frame_b.direction_in_b(q.extend(on_b) - frame_b.translation)),
                distance,
                lower,
                upper: distance + rounding,
                id: self.corners[k as usize].id,
                persisted: true,
            }
        };
        let is_above = deepest > witness.distance + 2.0 * error + 6.0 * plane.error + (a.roundness + b.roundness);
        // The same points are the rule: they are written where they are.
        let is_as_before = near.len() == out.points.len()
            && near.iter().zip(&out.points).all(|(found, point)| self.corners[found.0 as usize].id == point.id);
        if is_as_before && !is_far && !is_above && !near.is_empty() {
            out.rest.clear();
            for (point, found) in out.points.iter_mut().zip(near) {
                *point = point_of(found);
            }
            return Some(true);
        }
        let mut gathered = Gathered::with(error, a.roundness + b.roundness, std::mem::take(memory));
        if is_far {
            // An overlap of very many corners.
            for (k, [p, q]) in (0..).zip(&places) {
                let (on_a, on_b) = (top.at(*p), bottom.at(*q));
                let lower = (on_b - on_a).min(bottom.at(*p) - on_a) - rounding;
                if lower <= contact.margin {
                    gathered.push(Candidate { at: *p, point: point_of((k, [on_a, on_b], lower)) });
                }
            }
        } else {
            let at = |k: u32| places[k as usize][0];
            near.into_iter().for_each(|found| gathered.push(Candidate { at: at(found.0), point: point_of(found) }));
        }
        if gathered.is_above(witness.distance, 6.0 * plane.error) {
            let WitnessPoints { points: [on_a, on_b], at, names, distance } = *witness;
            let point = ManifoldPoint {
                point_a: contact.a.in_body(on_a),
                point_b: contact.b.in_body(on_b),
                distance,
                lower: distance - error.max(2.0 * plane.error),
                upper: distance + error.max(4.0 * plane.error),
                id: FeaturePair::new(names),
                persisted: false,
            };
            gathered.push_witness(Candidate { at, point });
        }
        let has_points = gathered.finish(contact.normal, which, out);
        *memory = gathered.into_memory();
        Some(has_points)
    }
}

/// Where a side of a polygon begins, and its vector.
#[inline(always)]
fn side_of(polygon: &[DVec2], number: u32) -> (DVec2, DVec2) {
    let (i, count) = (number as usize, polygon.len());
    let from = polygon[i];
    (from, polygon[if i + 1 == count { 0 } else { i + 1 }] - from)
}

/// Where a side of A and one of B cross, if they do in that sense.
fn crossing([a, b]: [&KeptContour; 2], [i, k]: [u32; 2], is_left: bool, error: f64) -> Option<DVec2> {
    let ((p, along_a), (r, along_b)) = (side_of(&a.flat.corners, i), side_of(&b.flat.corners, k));
    let cross = along_a.perp_dot(along_b);
    let (t, u) = ((r - p).perp_dot(along_b) / cross, (r - p).perp_dot(along_a) / cross);
    let error = OF_CROSSINGS * error / cross.abs();
    let is_between = |t: f64, length: f64| {
        let slack = error * length;
        t >= slack && t <= 1.0 - slack
    };
    let (length_a, length_b) = (*a.lengths.get(i as usize)?, *b.lengths.get(k as usize)?);
    // Written so that a NaN is no crossing.
    let is_same = (cross > 0.0) == is_left && is_between(t, length_b) && is_between(u, length_a);
    is_same.then(|| p + t * along_a)
}
