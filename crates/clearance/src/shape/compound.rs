//! Several parts that move as one.
//!
//! A compound inside a compound is taken apart when it is built. Its parts are where all the poses around them put them, as those were
//! written. Poses are composed with twice the digits and rounded once, at the end, so that a part which is moved far away and brought back
//! is where it should be. By how much rounding may have turned and moved a part all the same is kept with
//! it, and every bracket and bound knows it.

use super::grown::{GrownPiece, PieceOrigin, pieces};
use super::{Convex, Shape};
use crate::error::BuildError;
use crate::math::double_double::{DoubleDouble, DoubleVec3};
use crate::math::rounding::NORMALIZED;
use crate::math::{Aabb, Pose};
use crate::tree::BoxTree;
use glam::{DQuat, DVec3};

/// One part of a compound.
#[derive(Debug, Clone)]
pub struct Part {
    /// A convex shape, a half-space or a mesh.
    pub shape: Shape,
    /// Where it sits in the compound's frame.
    pub pose: Pose,
    place: ExactPose,
}

/// Relative error of numbers of twice the digits after two poses were composed. Bound: some 50 operations of 2^-100.
const LACK: f64 = 1e-28;

/// Where a part is: a rotation (x, y, z, w) and a translation, in numbers of twice the digits.
#[derive(Debug, Clone, Copy)]
struct ExactPose {
    vector: DoubleVec3,
    scalar: DoubleDouble,
    translation: DoubleVec3,
    /// By how much it may be turned the wrong way, and moved.
    turn: f64,
    shift: f64,
    /// Does it turn anything, as [`Pose::is_turned`] says it? A rotation that was made of several always does.
    is_turned: bool,
    /// Was a turn made of several?
    is_composed: bool,
}

/// Does a quaternion have the direction that was written, whatever length it had? One whose parts are all alike does.
fn is_exact(q: DQuat) -> bool {
    let largest = q.to_array().iter().fold(0.0_f64, |largest, x| largest.max(x.abs()));
    q.to_array().iter().all(|&x| x == 0.0 || x.abs() == largest)
}

impl ExactPose {
    fn of(pose: &Pose) -> Self {
        let q = pose.rotation();
        let turn = if is_exact(q) { 0.0 } else { NORMALIZED };
        let vector = DVec3::new(q.x, q.y, q.z).into();
        let translation = pose.translation().into();
        Self {
            vector,
            scalar: q.w.into(),
            translation,
            turn,
            shift: 0.0,
            is_turned: pose.is_turned(),
            is_composed: false,
        }
    }

    /// This place after another one, `inner`.
    fn after(&self, inner: &Self) -> Self {
        let (v, w, moved) = (self.vector, self.scalar, inner.translation);
        // x + 2 (w t + v × t) / |q|² with t = v × x.
        let aside = v.cross(moved);
        let twice = (v.cross(aside) + aside * w) * (DoubleDouble::from(2.0) / (v.dot(v) + w * w));
        let translation = moved + twice + self.translation;
        let (far, near) = (moved.value().length(), self.translation.value().length());
        let turn = self.turn + inner.turn + LACK;
        let shift = inner.shift + self.turn * far + LACK * (far + near);
        // A rotation that is not put together with another one is not rounded.
        if !self.is_turned {
            return Self { translation, shift, ..*inner };
        }
        if !inner.is_turned {
            return Self { translation, shift, ..*self };
        }
        let vector = inner.vector * w + v * inner.scalar + v.cross(inner.vector);
        let scalar = w * inner.scalar - v.dot(inner.vector);
        // Next to one, 1 / √x is (3 - x) / 2, to the square of the difference.
        let unit = (DoubleDouble::from(3.0) - (vector.dot(vector) + scalar * scalar)) * DoubleDouble::from(0.5);
        Self {
            vector: vector * unit,
            scalar: scalar * unit,
            translation,
            turn,
            shift,
            is_turned: true,
            is_composed: true,
        }
    }

    fn rounded(&self) -> Result<Pose, BuildError> {
        let (v, w) = (self.vector.value(), self.scalar.value());
        let translation = self.translation.value();
        Pose::try_new(translation, DQuat::from_xyzw(v.x, v.y, v.z, w))
    }
}

impl Part {
    fn new(shape: Shape, pose: Pose) -> Self {
        Self { shape, pose, place: ExactPose::of(&pose) }
    }

    /// The part inside of another compound, at a pose.
    fn placed(&self, outer: &Pose) -> Result<Self, BuildError> {
        let place = ExactPose::of(outer).after(&self.place);
        Ok(Self { shape: self.shape.clone(), pose: place.rounded()?, place })
    }

    /// How much the part may be turned from where it was written to be.
    pub(crate) fn turn(&self) -> f64 {
        // A rotation is rounded by one ε in all, twice if it has to be made a unit.
        self.place.turn + if self.place.is_composed { 4.0 * f64::EPSILON } else { 0.0 }
    }

    /// How far its origin may be moved.
    pub(crate) fn shift(&self) -> f64 {
        // A pose that was not composed is not rounded either.
        let is_rounded = self.place.translation != DoubleVec3::from(self.pose.translation());
        // The translation is rounded to doubles: ε/2 of each coordinate, so less than ε of its length.
        self.place.shift + if is_rounded { f64::EPSILON * self.pose.translation().length() } else { 0.0 }
    }

    /// Is its rotation made of several, and rounded?
    pub(crate) fn is_turned_twice(&self) -> bool {
        self.place.is_composed
    }

    /// How far a point of the part may be moved; of a half-space, its origin.
    pub(crate) fn slack(&self) -> f64 {
        let bounding_radius = self.shape.bounding_radius();
        self.shift() + if bounding_radius.is_finite() { self.turn() * bounding_radius } else { 0.0 }
    }
}

/// The union of parts.
#[derive(Debug, Clone)]
pub struct Compound {
    parts: Vec<Part>,
    bounding_radius: f64,
    /// Boxes around the bounded parts, in the frame of the compound. They are boxes of the geometry: where a part has its origin is of
    /// no matter.
    tree: BoxTree,
    /// The parts that no box holds: half-spaces, and custom shapes whose heights are NaN.
    unbounded: Vec<u32>,
    /// A bound on the rounding error of the bounded parts and their poses.
    slack: f64,
}

impl Compound {
    /// A union of parts; parts that are compounds themselves are taken apart.
    pub(super) fn new(parts: impl IntoIterator<Item = (Shape, Pose)>) -> Result<Self, BuildError> {
        let mut flat = Vec::new();
        for (index, (shape, pose)) in parts.into_iter().enumerate() {
            match &shape {
                Shape::Compound(inner) => {
                    for part in inner.parts() {
                        flat.push(
                            part.placed(&pose).map_err(|error| error.prefixed(&format!("compound[{index}].pose.")))?,
                        );
                    }
                }
                _ => flat.push(Part::new(shape, pose)),
            }
        }
        Self::of_parts(flat)
    }

    /// Everything within a margin of the union, and the part and triangle that each of its parts comes from.
    pub(super) fn grown(&self, margin: f64) -> Result<(Self, Vec<PieceOrigin>), BuildError> {
        let (mut flat, mut origins) = (Vec::new(), Vec::new());
        for (number, part) in (0..).zip(&self.parts) {
            for GrownPiece { shape, part: number, triangle } in pieces(&part.shape, number, margin)? {
                flat.push(Part { shape, pose: part.pose, place: part.place });
                origins.push((number, triangle));
            }
        }
        Ok((Self::of_parts(flat)?, origins))
    }

    fn of_parts(flat: Vec<Part>) -> Result<Self, BuildError> {
        if flat.is_empty() {
            return Err(BuildError::Empty { field: "compound".into() });
        }
        let far = |part: &Part| part.pose.translation().length() + part.shape.bounding_radius() + part.slack();
        let bounding_radius = flat.iter().fold(0.0, |bounding_radius: f64, part| bounding_radius.max(far(part)))
            // A length has three products, two sums and a root, the sum of three lengths two sums more: less than 8 ε.
            * (1.0 + 8.0 * f64::EPSILON);
        let bounds = |part: &Part| part.shape.aabb(&part.pose).grown(part.slack());
        let boxes = flat.iter().map(bounds).enumerate().map(|(number, bounds)| (number as u32, bounds));
        let is_bounded = |(_, bounds): &(u32, Aabb)| bounds.min.is_finite() && bounds.max.is_finite();
        let (bounded, others): (Vec<_>, Vec<_>) = boxes.partition(is_bounded);
        let unbounded = others.into_iter().map(|(number, _)| number).collect();
        let slack = |part: &Part| part.slack() + part.shape.with_hull(|hull| hull.slack()).unwrap_or(0.0);
        let slack = flat.iter().map(slack).fold(0.0, f64::max);
        Ok(Self { tree: BoxTree::build(bounded), unbounded, slack, parts: flat, bounding_radius })
    }

    /// The tree of the bounded parts.
    pub(crate) fn tree(&self) -> &BoxTree {
        &self.tree
    }

    /// The parts that are not in the tree.
    pub(crate) fn unbounded(&self) -> &[u32] {
        &self.unbounded
    }

    /// How far rounding may have moved a point of a bounded part.
    pub(crate) fn slack(&self) -> f64 {
        self.slack
    }

    /// How far a part reaches along a direction, times its length, to rounding; everywhere if it is unbounded.
    pub(crate) fn height(&self, number: u32, direction: DVec3) -> f64 {
        let Part { shape, pose, .. } = &self.parts[number as usize];
        let local = pose.inverse_transform_vector(direction);
        let of_hull = |hull: &dyn Convex| hull.height(local) + hull.radius() * direction.length();
        shape.with_hull(of_hull).map_or(f64::INFINITY, |height| height + pose.translation().dot(direction))
    }

    /// A bound on the distance of any point of the parts from the compound's origin.
    pub(super) fn bounding_radius(&self) -> f64 {
        self.bounding_radius
    }

    /// The parts, none of which is a compound.
    #[must_use]
    pub fn parts(&self) -> &[Part] {
        &self.parts
    }
}

#[cfg(test)]
mod tests {
    use crate::{Pose, Ray, Shape, cast_ray, distance, intersects};
    use glam::DQuat;

    fn nested(turns: &[DQuat]) -> Shape {
        let cube = Shape::cuboid([1.0, 1.0, 1.0]).unwrap();
        turns.iter().fold(cube, |shape, &turn| Shape::compound([(shape, Pose::from_rotation(turn))]).unwrap())
    }

    /// A cube that is turned by any angle, by one of two compounds in each other: as deep and as far away as the one that is turned at once.
    #[test]
    fn a_turn_of_any_size_reaches_through_nested_compounds() {
        let quarter = DQuat::from_xyzw(0.0, 0.0, 1.0, 1.0);
        for exponent in -64..=160 {
            let half = 10.0_f64.powf(-0.1 * f64::from(exponent));
            let turn = DQuat::from_xyzw(0.0, 0.0, half, 1.0);
            let plane = Shape::half_space([-1.0, 0.0, 0.0], -2.0).unwrap();
            let cosine = (1.0 - half * half) / (1.0 + half * half);
            let far = cosine.abs() + 2.0 * half / (1.0 + half * half);
            for turns in
                [&[turn][..], &[DQuat::IDENTITY, turn], &[turn, DQuat::IDENTITY], &[turn, quarter], &[quarter, turn]]
            {
                let cube = nested(turns);
                let gap = distance(&cube, Pose::IDENTITY, &plane, Pose::IDENTITY);
                assert!(gap.lower <= 2.0 - far + 1e-15 && 2.0 - far - 1e-15 <= gap.upper, "{half} {turns:?} {gap:?}");
                if far < 1.0 + 1e-13 {
                    continue;
                }
                // Halfway between where the corner is and where that of the cube that is not turned is.
                let at = 0.5 * (1.0 + far);
                let plane = Shape::half_space([-1.0, 0.0, 0.0], -at).unwrap();
                assert!(intersects(&cube, Pose::IDENTITY, &plane, Pose::IDENTITY), "{half} {turns:?}");
                let hit = cast_ray(&cube, Pose::IDENTITY, &Ray::new([at, 5.0, 0.5], [0.0, -1.0, 0.0], 100.0).unwrap());
                assert!(hit.is_some(), "{half} {turns:?}");
            }
        }
    }
}
