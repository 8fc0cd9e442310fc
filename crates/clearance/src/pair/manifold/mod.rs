//! Contact manifolds: the points at which two shapes touch or will touch, each with a proved signed distance.
//!
//! A [`Manifold`] has a normal n, the unit vector from A to B of [`Pair::distance`], and points. A point is a place on A and a place on B, in the frames of the
//! two bodies, with the distance between them along n, which is negative where they overlap.
//!
//! **Claims.** Let x be `point_a` and y be `point_b` at the poses, ρ the `rounding` of the manifold, and L the line through x along n.
//!
//! 1. x is within `ρ + upper - lower` of A, and y of B.
//! 2. `lower <= n·(y - x) <= upper`, and `distance` is between them too.
//! 3. On L no point of B is less than `lower` beyond a point of A along n: if L meets A up to the height a and B from the height b on, then `b - a >= lower`.
//! 4. y - x is parallel to n to ρ. (For two edges within 1e-3 of parallel, to 1e-3 of their common length.)
//!
//! So the surfaces cannot be closer along n at x than `lower`, and by 1 there are points of both that are as close as `upper`.
//!
//! **Proof.** Each contact face lies in a supporting plane `m·z <= h` of its shape ([`contour`]), with `m·n` at least 0.5 toward the other shape. On L the shape A is
//! below the plane's height `(h - m·p) / m·n`, B above that of its own plane, and the difference of the two is the distance: that is 3. Corners of a face
//! are points of its shape, and so are all points of their convex hull. A corner of the overlap is in both hulls to the tolerance of the clipping: that is 1. Let ε be the rounding error of
//! a coordinate or height (`of_pair` in `math/rounding.rs`). A height over a plane has an error of at most 2ε from the plane and ε from the place p, divided by `m·n`. Writing a point in the
//! frame of its body takes ε for each. Together that is `ε (2 + 3 / m_A·n + 3 / m_B·n) = ρ`.
//!
//! The deepest point of a manifold is as deep as [`Pair::distance`] to the sum of both brackets: where the faces have no such point, the witness points of the answer are
//! added. For a round face that leans by less than 1e-4 it may be higher by 1e-4 of the radius. For custom shapes the witness points are all that there is.
//!
//! **Frame to frame.** A point is named by the features that make it ([`FeaturePair`]), and `persisted` if the last manifold of the pair had one of that name. Two faces
//! that are nearly equally good do not alternate: the face of the last frame stays within a small angle ([`contour`]), and so do four points of many ([`reduce`]). The normal of the last frame
//! is tried before an engine runs, and taken where it is proved to be that of the signed distance again ([`kept`]). The two contact faces and the corners of their overlap are then those of the last frame where they still are ([`footprint`]). Nothing
//! else depends on what the pair has seen before, but that the normal may differ within the bracket of the distance. The same poses again have the same manifold, at no cost.

mod build;
mod clip;
mod contour;
mod feature_pair;
mod footprint;
mod kept;
mod mesh;
mod parts;
mod reduce;

pub use feature_pair::FeaturePair;

use super::entry::Remembered;
use super::visit::PosedPair;
use super::{Clearance, Engine, Pair};
use crate::math::Pose;
use crate::shape::{Family, Shape};
use build::{Candidates, ContactInput, ContactSide, fill};
use feature_pair::Name;
use footprint::Footprint;
use glam::DVec3;
use kept::NormalOrigin;
use smallvec::SmallVec;

/// The choice of the points of a manifold: at most four, or all corners.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Default)]
#[non_exhaustive]
pub enum ManifoldPoints {
    /// At most four: the deepest, and those that span the largest area with it.
    #[default]
    Four,
    /// All corners of the contact polygon.
    All,
}

/// A point of a [`Manifold`]: a point of A and a point of B that touch or are close.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct ManifoldPoint {
    /// The point of A, in the frame of A.
    pub point_a: DVec3,
    /// The point of B, in the frame of B.
    pub point_b: DVec3,
    /// How far the point of B is from that of A along the normal: negative where the shapes overlap.
    pub distance: f64,
    /// Along the normal the two shapes are nowhere on the line through the point closer than this.
    pub lower: f64,
    /// Along the normal the two points are at most this far apart.
    pub upper: f64,
    /// The features that make the point, the same as long as they do.
    pub id: FeaturePair,
    /// Did the last manifold of the pair have a point with this id?
    pub persisted: bool,
}

/// The contact of two shapes: a normal and points. `pair/manifold/mod.rs` states the proved properties.
///
/// ```
/// use clearance::{Pair, Pose, Shape};
///
/// let (floor, crate_) = (Shape::half_space([0.0, 1.0, 0.0], 0.0)?, Shape::cuboid([0.5, 0.5, 0.5])?);
/// let mut pair = Pair::new(&floor, &crate_);
/// for frame in 0..3 {
///     let pose = Pose::from_translation([0.01 * f64::from(frame), 0.499, 0.0]);
///     let manifold = pair.manifold(Pose::IDENTITY, pose, 0.01).expect("the crate is 0.001 in the floor");
///     assert_eq!(manifold.points().len(), 4);
///     for point in manifold.points() {
///         assert!(point.lower <= -0.001 && -0.001 <= point.upper && point.upper - point.lower < 1e-12);
///         assert!(point.persisted == (frame > 0));
///     }
/// }
/// # Ok::<(), clearance::BuildError>(())
/// ```
#[derive(Debug, Clone, PartialEq, Default)]
#[doc(alias = "contact_manifold")]
#[doc(alias = "contact")]
pub struct Manifold {
    /// Unit vector of the world, from A to B.
    pub normal: DVec3,
    /// The parts of compounds that touch; zero for other shapes.
    pub parts: [u32; 2],
    /// The triangles of meshes that touch; of several in one plane the first.
    pub triangles: [Option<u32>; 2],
    /// How far rounding may have moved a point from the surface that it is on.
    pub rounding: f64,
    points: SmallVec<[ManifoldPoint; reduce::MOST]>,
    /// All points, if `points` are only some of them.
    rest: Vec<ManifoldPoint>,
    /// The contact faces, which the next manifold prefers.
    faces: [Option<Name>; 2],
    /// The features that the normal comes from, which the next frame tries first.
    origin: Option<NormalOrigin>,
}

impl Manifold {
    /// The points, at least one, in the order of the contact polygon: counter-clockwise about the normal.
    #[must_use]
    pub fn points(&self) -> &[ManifoldPoint] {
        &self.points
    }

    /// All corners of the contact polygon, also those that the four points leave out, counter-clockwise about the normal. The polygon is the convex hull of the
    /// points; to [`rounding`](Self::rounding) it lies in the contact faces of both shapes.
    ///
    /// ```
    /// use clearance::{Pair, Pose, Shape};
    ///
    /// let cube = Shape::cuboid([1.0, 1.0, 1.0])?;
    /// let turned = Pose::from_axis_angle([0.0, 1.0, 0.0], 0.7)?;
    /// let mut pair = Pair::new(&cube, &cube);
    /// let manifold = pair.manifold(Pose::IDENTITY, Pose::from_translation([0.0, 2.0, 0.0]) * turned, 0.01).expect("they touch");
    /// assert_eq!((manifold.points().len(), manifold.patch().len()), (4, 8));
    /// # Ok::<(), clearance::BuildError>(())
    /// ```
    #[must_use]
    pub fn patch(&self) -> &[ManifoldPoint] {
        if self.rest.is_empty() { &self.points } else { &self.rest }
    }

    /// The point with the least signed distance.
    #[must_use]
    pub fn deepest(&self) -> Option<&ManifoldPoint> {
        self.points.iter().min_by(|p, q| p.distance.total_cmp(&q.distance))
    }

    /// The outward normals of the planes of both contact faces, in the world: the planes that the lower bounds rest on.
    #[cfg(feature = "proof")]
    pub(crate) fn planes(&self, shapes: [&Shape; 2], poses: [&Pose; 2]) -> Option<[DVec3; 2]> {
        let plane = |side: usize, toward: DVec3| {
            let face = build::face_of(shapes[side], poses[side].inverse_transform_vector(toward), self.faces[side])?;
            Some(poses[side].transform_vector(face.normal))
        };
        Some([plane(0, self.normal)?, plane(1, -self.normal)?])
    }

    /// The parts and triangles that it is about.
    fn key(&self) -> ([u32; 2], [Option<u32>; 2]) {
        (self.parts, self.triangles)
    }

    /// It has no points any more.
    fn clear(&mut self) {
        self.points.clear();
        self.rest.clear();
        (self.faces, self.origin) = ([None; 2], None);
    }
}

/// The manifolds of a pair, and those of the frame before.
#[derive(Debug, Clone, Default)]
pub(crate) struct Contacts {
    which: ManifoldPoints,
    /// In the order of their keys.
    list: Vec<Manifold>,
    /// During a query those of the last frame.
    before: Vec<Manifold>,
    /// Without points, kept for their memory.
    spare: Vec<Manifold>,
    /// Memory of the search, kept from frame to frame.
    memory: Candidates,
    /// The contours of the last manifold of two convex shapes.
    footprint: Option<Box<Footprint>>,
    work: mesh::Workspace,
    /// The poses and the margin that the list is about.
    at: Option<([Pose; 2], f64)>,
}

/// Manifolds without points that are kept. Limit: 400 bytes each.
const MOST_SPARE: usize = 16;

impl Contacts {
    pub fn which(which: ManifoldPoints) -> Self {
        Self { which, ..Self::default() }
    }

    pub fn list(&self) -> &[Manifold] {
        &self.list
    }

    /// Nothing has moved since the last frame: all points were there.
    fn rest(&mut self) {
        let all = self.list.iter_mut().flat_map(|manifold| manifold.points.iter_mut().chain(&mut manifold.rest));
        all.for_each(|point| point.persisted = true);
    }

    /// Forgets what was there.
    pub fn clear(&mut self) {
        self.before.append(&mut self.list);
        self.at = None;
        self.end();
    }

    /// A new frame begins.
    fn begin(&mut self) {
        std::mem::swap(&mut self.list, &mut self.before);
        self.list.clear();
    }

    /// Forgets manifolds of the last frame that this one does not have.
    fn end(&mut self) {
        for mut manifold in self.before.drain(..) {
            if self.spare.len() < MOST_SPARE {
                manifold.clear();
                self.spare.push(manifold);
            }
        }
        // A stable sort takes memory. Of manifolds with one key, which are different features of one triangle, the first point decides.
        let order = |manifold: &Manifold| (manifold.key(), manifold.points.first().map(|point| point.id));
        if !self.list.is_sorted_by_key(order) {
            self.list.sort_unstable_by_key(order);
        }
    }

    /// The manifold that the last frame had of these parts and triangles, or one without points.
    fn take(&mut self, parts: [u32; 2], triangles: [Option<u32>; 2]) -> Manifold {
        let key = (parts, triangles);
        let found = self.before.binary_search_by_key(&key, Manifold::key);
        // Another one with the same key stays in the place, so that the order is kept.
        let mut manifold = match found {
            Ok(i) => self.before.remove(i),
            Err(_) => self.spare.pop().unwrap_or_default(),
        };
        (manifold.parts, manifold.triangles) = key;
        manifold
    }

    /// Puts a manifold into the list if it has points.
    fn put(&mut self, mut manifold: Manifold, has_points: bool) {
        if has_points {
            self.list.push(manifold);
        } else if self.spare.len() < MOST_SPARE {
            manifold.clear();
            self.spare.push(manifold);
        }
    }

    /// The manifolds of two shapes; those of the last call again if it was about the same poses. `known` returns their clearance, if it is at most the margin; compounds and meshes need none. It
    /// is called first if the answer is `at_hand`, else only if the normal of the last frame is not confirmed.
    pub fn update(
        &mut self,
        pair: &PosedPair<'_>,
        margin: f64,
        engine: Engine,
        at_hand: bool,
        known: impl FnOnce() -> Option<Clearance>,
    ) {
        let at = ([*pair.pose_a, *pair.pose_b], margin);
        if self.at == Some(at) && !self.list.is_empty() {
            return self.rest();
        }
        let is_whole = |shape: &Shape| matches!(shape.family(), Family::Convex(_) | Family::HalfSpace(_));
        if is_whole(pair.a) && is_whole(pair.b) {
            self.single(pair, margin, engine == Engine::Auto && !at_hand, known);
        } else {
            parts::update(self, pair, margin, engine);
        }
        self.at = Some(at);
    }

    /// The manifold of two convex shapes or half-spaces.
    fn single(
        &mut self,
        pair: &PosedPair<'_>,
        margin: f64,
        may_confirm: bool,
        known: impl FnOnce() -> Option<Clearance>,
    ) {
        let side = |shape, pose: &Pose| ContactSide { shape, pose: *pose, place: None };
        let (a, b) = (side(pair.a, pair.pose_a), side(pair.b, pair.pose_b));
        let mut contact = ContactInput { a, b, normal: DVec3::ZERO, margin, rounding: 0.0 };
        if let Some(manifold) = self.list.first_mut()
            && let Some(origin) = manifold.origin.filter(|_| may_confirm)
            && let Some(has_points) = kept::fill(
                &mut contact,
                origin,
                self.which,
                (&mut self.memory, self.footprint.get_or_insert_default()),
                manifold,
            )
        {
            if !has_points {
                self.clear();
            }
            return;
        }
        let Some(clearance) = known() else { return self.clear() };
        contact.normal = clearance.normal;
        if self.list.is_empty() {
            self.list.push(self.spare.pop().unwrap_or_default());
        }
        // In its place: a manifold is large.
        if !fill(&contact, &clearance, self.which, &mut self.memory, &mut self.list[0]) {
            self.clear();
        }
    }
}

impl Pair {
    /// This pair, whose manifolds have these points.
    #[must_use]
    pub fn manifold_points(mut self, which: ManifoldPoints) -> Self {
        self.contacts = Some(Box::new(Contacts::which(which)));
        self
    }

    /// The contact manifold of the two shapes, with all points that are at most `margin` apart along the normal; `None` if the shapes are proved to be farther apart. Of meshes and
    /// compounds, which may have several, the one with the deepest point: see [`Pair::manifolds`].
    ///
    /// The manifold is kept until the next call, which says which of its points were there before.
    ///
    /// ```
    /// use clearance::{Axis, HalfHeight, Pair, Pose, Radius, Shape};
    ///
    /// let (table, pin) = (Shape::cuboid([2.0, 0.1, 2.0])?, Shape::capsule(Axis::X, Radius(0.25), HalfHeight(0.5))?);
    /// let mut pair = Pair::new(&table, &pin);
    /// let manifold = pair.manifold(Pose::IDENTITY, Pose::from_translation([0.0, 0.351, 0.0]), 0.01).expect("it is near");
    /// let [left, right] = manifold.points() else { panic!("it lies on two points") };
    /// assert!((left.distance - 0.001).abs() < 1e-15 && (right.point_a - left.point_a).length() == 1.0);
    /// assert!(pair.manifold(Pose::IDENTITY, Pose::from_translation([0.0, 0.4, 0.0]), 0.01).is_none());     // proved
    /// # Ok::<(), clearance::BuildError>(())
    /// ```
    pub fn manifold(&mut self, pose_a: Pose, pose_b: Pose, margin: f64) -> Option<&Manifold> {
        let deepest = |manifold: &&Manifold| manifold.deepest().map_or(f64::INFINITY, |point| point.distance);
        self.manifolds(pose_a, pose_b, margin).iter().min_by(|one, other| deepest(one).total_cmp(&deepest(other)))
    }

    /// All contact manifolds of the two shapes: one for two convex shapes, and for compounds and meshes one for each pair of parts that are at most `margin` apart, in the order of the
    /// parts. None if the shapes are proved to be farther apart.
    pub fn manifolds(&mut self, pose_a: Pose, pose_b: Pose, margin: f64) -> &[Manifold] {
        let Self { a, b, engine, separation, cache, contacts, .. } = self;
        let contacts = contacts.get_or_insert_default();
        let pair = PosedPair { a, pose_a: &pose_a, b, pose_b: &pose_b };
        contacts.update(&pair, margin, *engine, false, || {
            let is_beyond = separation.is_measured() && separation.bound_holds(&pose_a, &pose_b, margin);
            if is_beyond { None } else { Remembered { separation, cache }.within(pair, margin, *engine) }
        });
        contacts.list()
    }
}
