//! Rays and their first hits.
//!
//! A ray is all points `origin + t u` for t from zero on, u being the unit vector along its direction; so t is a distance, in the unit
//! of everything else, whatever the length of the direction was. The answer is a bracket: the first t at which the ray is in the shape is in
//! `lower..=upper`.
//!
//! **Meaning.** As everywhere, touching counts, and "no" is what is proved. [`None`] means that the ray is proved to have no point of the shape up to
//! `max`. Sometimes rounding cannot tell whether the ray meets the shape: it grazes a ball, goes along a face, through an edge of a shell,
//! or meets a shape without an area, such as a segment. Then there is a hit whose [`upper`](RayHit::upper) is infinite, and
//! [`RayHit::is_proved`] is false.
//!
//! **From inside.** A shape is everything in it: [`cast_ray`] of a ray that begins inside of a solid hits at zero, and says so
//! ([`RayHit::is_inside`]). [`cast_ray_boundary`] goes on to where the ray leaves. parry's flag `solid` is the choice between the two.
//!
//! **How.** The ray becomes a line in the frame of the shape, with its zero next to the shape's middle (`line.rs`). Convex shapes have a
//! chord on it, in closed form (`chord.rs`, `convex.rs`) or by a search (`search.rs`); `plain.rs` answers the plain cases of the simplest
//! shapes first. Compounds and meshes traverse their trees (`compound.rs`, `mesh.rs`, `triangle.rs`). Where doubles leave a bracket open,
//! the query is repeated in double-double.
//!
//! **Invariants.** R1: `lower <= upper` in every hit, and `lower` is no later than `max`. R2: a line in the frame of a shape states bounds on its own
//! errors (`line.rs`), and every interval along it is widened by them, so that no step of a cast loses the true hit.
//!
//! **Evidence.** A miss, and `lower`, are facts about a segment and a shape that are apart, which directions and covers prove:
//! [`proof::cast_ray`](crate::proof::cast_ray).

mod chord;
mod compound;
mod convex;
mod line;
mod mesh;
mod plain;
mod ray;
mod search;
#[cfg(test)]
mod tests;
mod triangle;

use crate::math::Pose;
use crate::shape::{Feature, HalfSpace, Shape};
use crate::tuning::cast::LOOSE;
use chord::{Chord, half_line};
use glam::DVec3;
use line::LocalRay;
pub use ray::Ray;

/// The first hit of a ray on a shape.
// In this order the numbers of a vector are beside each other in a register when they are written, as they are when they are computed.
#[derive(Debug, Clone, Copy, PartialEq)]
#[non_exhaustive]
pub struct RayHit {
    /// The ray is proved to have no point of the shape before.
    pub lower: f64,
    /// The ray is proved to have a point of the shape by then; infinite if it may have none.
    pub upper: f64,
    /// The point of the ray at `distance`.
    pub point: DVec3,
    /// The distance along the ray, within `lower..=upper`.
    pub distance: f64,
    /// The unit normal of the surface there, outwards; of what has no inside, towards the side that the ray comes from. Against the ray
    /// where it begins inside.
    pub normal: DVec3,
    /// See [`RayHit::feature`].
    pub(crate) feature: Feature,
    /// The part of a compound; zero for other shapes.
    pub part: u32,
    /// Is the ray proved to begin inside? Then `distance` is zero, if all of the shape was asked about.
    pub is_inside: bool,
}

impl RayHit {
    /// The face there, if it has a number: of boxes, hulls and meshes, whose triangles are faces.
    #[inline]
    #[must_use]
    pub const fn feature(&self) -> Feature {
        self.feature
    }

    /// Is it proved that the ray meets the shape? Else it comes so close that rounding cannot tell.
    ///
    /// ```
    /// use clearance::{Pose, Ray, Shape, cast_ray};
    ///
    /// let ball = Shape::sphere(1.0)?;
    /// let rays = [0.9, 1.0, 1.1].map(|x| Ray::new([x, 0.0, -5.0], [0.0, 0.0, 1.0], 10.0));
    /// let [inside, tangent, outside] = rays.map(|ray| ray.map(|ray| cast_ray(&ball, Pose::IDENTITY, &ray)));
    /// assert!(inside?.is_some_and(|hit| hit.is_proved()));
    /// assert!(tangent?.is_some_and(|hit| !hit.is_proved() && hit.upper == f64::INFINITY));
    /// assert!(outside?.is_none());                                                             // proved, too
    /// # Ok::<(), clearance::BuildError>(())
    /// ```
    #[must_use]
    pub fn is_proved(&self) -> bool {
        self.upper < f64::INFINITY
    }
}

/// The first point of a ray that is in a shape. [`None`] is proved: the ray has no point of the shape. A ray that begins inside of a solid hits at
/// zero.
///
/// ```
/// use clearance::{Feature, Pose, Ray, Shape, cast_ray};
///
/// let cube = Shape::cuboid([1.0, 1.0, 1.0])?;
/// let pose = Pose::from_translation([0.0, 0.0, 5.0]);
/// let hit = cast_ray(&cube, pose, &Ray::new([0.2, 0.3, 0.0], [0.0, 0.0, 2.0], 100.0)?).expect("straight ahead");
/// assert!(hit.lower <= 4.0 && 4.0 <= hit.upper && hit.upper - hit.lower < 1e-12);
/// assert_eq!((hit.normal.to_array(), hit.feature()), ([0.0, 0.0, -1.0], Feature::Face(4)));
/// assert!(cast_ray(&cube, pose, &Ray::new([0.2, 0.3, 0.0], [0.0, 0.0, 2.0], 3.9)?).is_none());
/// let hit = cast_ray(&cube, pose, &Ray::new([0.2, 0.3, 5.0], [0.0, 0.0, 2.0], 3.9)?).expect("it begins inside");
/// assert!(hit.is_inside && hit.distance == 0.0);
/// # Ok::<(), clearance::BuildError>(())
/// ```
#[doc(alias = "raycast")]
#[doc(alias = "ray_test")]
#[inline]
#[must_use]
pub fn cast_ray(shape: &Shape, pose: Pose, ray: &Ray) -> Option<RayHit> {
    plain::cast_ray(shape, &pose, ray, Aim::Solid)
}

/// The first point of a ray on the boundary of a shape: [`cast_ray`], but a ray that begins inside of a solid goes on to where it
/// leaves.
///
/// The boundary of a mesh is all of its triangles, that of a compound those of its parts, inside of other parts too.
///
/// ```
/// use clearance::{Pose, Ray, Shape, cast_ray_boundary};
///
/// let ball = Shape::sphere(2.0)?;
/// let ray = Ray::new([1.0, 0.0, 0.0], [1.0, 0.0, 0.0], 10.0)?;
/// let hit = cast_ray_boundary(&ball, Pose::IDENTITY, &ray).expect("out of it");
/// assert!(hit.is_inside && hit.lower <= 1.0 && 1.0 <= hit.upper && hit.normal.x > 0.999);
/// # Ok::<(), clearance::BuildError>(())
/// ```
#[inline]
#[must_use]
pub fn cast_ray_boundary(shape: &Shape, pose: Pose, ray: &Ray) -> Option<RayHit> {
    plain::cast_ray(shape, &pose, ray, Aim::Boundary)
}

/// The target of a ray: all of the shape, or its boundary.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Aim {
    Solid,
    Boundary,
}

/// A hit in the frame of a shape; distances are those along the ray.
#[derive(Debug, Clone, Copy)]
struct LocalHit {
    lower: f64,
    upper: f64,
    at: f64,
    normal: DVec3,
    feature: Feature,
    part: u32,
    is_inside: bool,
}

impl Ray {
    /// [`cast`](Self::cast), where the case is not plain.
    #[inline(never)]
    fn cast_any(&self, shape: &Shape, pose: &Pose, aim: Aim) -> Option<RayHit> {
        let is_unbounded = matches!(shape, Shape::HalfSpace(_));
        let (middle, radius) = convex::middle(shape);
        let middle = if is_unbounded { pose.inverse_transform_point(self.origin) } else { middle };
        let mut is_turned = !matches!(shape, Shape::Sphere(_));
        let ray = if is_turned {
            LocalRay::plain(pose, self.origin, self.direction, middle)
        } else {
            LocalRay::unturned(pose, self.origin, self.direction)
        };
        // Past it, or behind the origin: most rays of most scenes.
        let room = radius + ray.line.errors[0];
        // The square of a length rounds by less than 16 ε.
        let apart = ray.line.point.distance_squared(middle) * (1.0 - 16.0 * f64::EPSILON);
        // A distance along the ray rounds by less than 4 ε.
        if apart > room * room + f64::MIN_POSITIVE || -ray.start * (1.0 + 4.0 * f64::EPSILON) + room < 0.0 {
            return None;
        }
        let mut hit = find(shape, &ray, radius, aim, self.max)?;
        // Double-double may decide a graze, and narrows the bracket of a distant hit.
        let is_open = hit.upper == f64::INFINITY || hit.upper - hit.lower > LOOSE * radius;
        // An error of the ray that the digits of the shape hide.
        if is_open && !(ray.line.errors[0] <= 8.0 * f64::EPSILON * radius && radius < f64::INFINITY) {
            let ray = LocalRay::precise(pose, self.origin, self.given, middle);
            hit = find(shape, &ray, radius, aim, self.max)?;
            is_turned = true;
        }
        debug_assert!(!(hit.lower > hit.upper || hit.lower > self.max), "R1: {hit:?}");
        Some(RayHit {
            distance: hit.at,
            lower: hit.lower,
            upper: hit.upper,
            point: self.origin + self.direction * hit.at,
            normal: if is_turned { pose.transform_vector(hit.normal) } else { hit.normal },
            feature: hit.feature,
            part: hit.part,
            is_inside: hit.is_inside,
        })
    }
}

/// The first hit of a ray in the frame of a shape; `None` if it is proved that there is none up to `max`.
#[inline(always)]
fn find(shape: &Shape, ray: &LocalRay, radius: f64, aim: Aim, max: f64) -> Option<LocalHit> {
    match shape {
        Shape::HalfSpace(plane) => half_space(plane, ray, aim, max),
        Shape::Mesh(mesh) => mesh::cast(mesh, ray, radius, aim, max),
        Shape::Compound(compound) => compound::cast(compound, ray, aim, max),
        _ => {
            let chord = convex::chord(shape, &ray.line, radius, ray.start)?;
            let place = RayPlace::of(&chord, ray.start, aim)?;
            if place.lower > max {
                return None;
            }
            let s = ray.start + place.at;
            let normal = || match place.piece {
                None => Some((-ray.line.along, Feature::Surface)),
                Some(piece) => convex::surface(shape, &ray.line, s, piece),
            };
            let (normal, feature) = normal().unwrap_or_else(|| {
                let line = if place.is_leaving { ray.line.reversed() } else { ray.line };
                let s = if place.is_leaving { -s } else { s };
                let found = search::normal(shape, &line, s, radius);
                (found.unwrap_or(-ray.line.along), Feature::Surface)
            });
            Some(place.hit(normal, feature))
        }
    }
}

/// A half-space: one plane, and no end.
fn half_space(plane: &HalfSpace, ray: &LocalRay, aim: Aim, max: f64) -> Option<LocalHit> {
    let (n, u) = (plane.normal(), ray.line.along);
    let (g, k) = (n.dot(ray.line.point) - plane.offset(), n.dot(u));
    let far = ray.line.point.length();
    // Three products and two sums, and the difference of the offset.
    let own = 8.0 * f64::EPSILON + plane.turn();
    let error = ray.line.errors[0] + own * (far + plane.offset().abs()) + plane.shift();
    let slope = ray.line.errors[1] + own;
    // The error grows with the distance: so does the bound, from the first crossing on.
    let chord = if k.abs() > slope {
        // |root| <= (|g| + error) / (|k| - slope), and that far the error is this.
        let reach = (g.abs() + error) / (k.abs() - slope);
        // The factor covers the rounding of the quotient and the product.
        half_line(g, k, (error + slope * reach) * (1.0 + 1e-12), 0)?
    } else if g > error {
        // No sooner than at the steepest fall.
        let low = (g - error) / (k.abs() + slope);
        Chord { enter: chord::Between { low, high: 2.0 * low }, is_proved: false, ..Chord::ALL }
    } else if g < -error {
        // No sooner out than at the steepest rise.
        let low = (-g - error) / (k.abs() + slope);
        Chord { leave: chord::Between { low, high: f64::INFINITY }, ..Chord::ALL }
    } else {
        Chord::UNKNOWN
    };
    let place = RayPlace::of(&chord, ray.start, aim)?;
    if place.lower > max {
        return None;
    }
    let normal = if place.piece.is_none() { -u } else { n };
    Some(place.hit(normal, Feature::Surface))
}

/// Where on the ray a chord is met.
#[derive(Debug, Clone, Copy)]
struct RayPlace {
    lower: f64,
    upper: f64,
    at: f64,
    /// The piece of the boundary there; `None` where the ray begins inside and that is the hit.
    piece: Option<u32>,
    is_inside: bool,
    is_leaving: bool,
}

impl RayPlace {
    /// The first place of a ray from `start` on that is in a chord or, of its boundary, at one of its ends; `None` if it is
    /// proved that there is none.
    #[inline(always)]
    fn of(chord: &Chord, start: f64, aim: Aim) -> Option<Self> {
        // Distances, rounded outwards.
        let rounding = |s: f64| 2.0 * f64::EPSILON * (s.abs() + start.abs());
        // Infinite ends stay infinite.
        let ends = |s: f64| if s.is_finite() { [(s - start) - rounding(s), (s - start) + rounding(s)] } else { [s; 2] };
        let (down, up) = (|s: f64| ends(s)[0], |s: f64| ends(s)[1]);
        let is_sound = |x: f64| if x.is_nan() { f64::INFINITY } else { x };
        let last = is_sound(up(chord.leave.high));
        if last < 0.0 {
            return None;
        }
        let first = down(chord.enter.low).max(0.0);
        // It has a point in the shape, and one that is not before the ray.
        let is_met = chord.is_proved && down(chord.leave.low) >= 0.0;
        let enter = is_sound(up(chord.enter.high));
        let upper = if is_met { enter.max(0.0) } else { f64::INFINITY };
        let begins_inside = is_met && enter < 0.0;
        // Where only a bound is known, it is the guess, too.
        let is_known = chord.is_proved || chord.enter.high <= chord.leave.high;
        let guess = |range: chord::Between, lower: f64, upper: f64| {
            let middle = range.middle() - start;
            let most = if upper < f64::INFINITY { upper } else { f64::MAX };
            if is_known && middle.is_finite() { middle.clamp(lower, most) } else { lower.min(f64::MAX) }
        };
        match aim {
            Aim::Solid => {
                let at = guess(chord.enter, first, upper);
                let is_inside = begins_inside || upper == 0.0;
                let piece = (!is_inside).then_some(chord.pieces[0]);
                Some(Self { lower: first, upper, at, piece, is_inside, is_leaving: false })
            }
            Aim::Boundary if begins_inside => {
                let lower = down(chord.leave.low).max(0.0);
                let at = guess(chord.leave, lower, last);
                (lower < f64::INFINITY).then_some(Self {
                    lower,
                    upper: last,
                    at,
                    piece: Some(chord.pieces[1]),
                    is_inside: true,
                    is_leaving: true,
                })
            }
            Aim::Boundary => {
                // Begins on the boundary, to rounding: it is met there, or where the ray leaves.
                let upper = if first > 0.0 || !is_met { upper } else { last };
                let at = guess(chord.enter, first, upper);
                Some(Self {
                    lower: first,
                    upper,
                    at,
                    piece: Some(chord.pieces[0]),
                    is_inside: false,
                    is_leaving: false,
                })
            }
        }
    }

    #[inline(always)]
    fn hit(&self, normal: DVec3, feature: Feature) -> LocalHit {
        let Self { lower, upper, at, is_inside, .. } = *self;
        LocalHit { lower, upper, at, normal, feature, part: 0, is_inside }
    }
}
