//! Manifolds of Clearance written into those of parry, with the data that the caller keeps in them.
//!
//! A point keeps its data while the features that make it are the same. A manifold of a list keeps its data while its sub-shapes and its normal do. Names of features of a mesh change when
//! another part of it comes near. For that frame a point is the old one that is at the same place on one of the two shapes.

use crate::convert::to_parry;
use arrayvec::ArrayVec;
use clearance::{Manifold, Pose};
use parry3d_f64::math::Vector;
use parry3d_f64::query::{ContactManifold, TrackedContact};
use parry3d_f64::shape::PackedFeatureId;

/// Points of a manifold, at most. Layout: `ManifoldPoints::Four`.
const MOST_POINTS: usize = 4;

/// Cosine of the angle between the normals of two manifolds that may be the same one. Limit: ten degrees; a face that turns faster than that in a frame starts anew.
const SAME_NORMAL: f64 = 0.985;

/// Manifolds without points that a list keeps for their data. Limit: memory; parry keeps those of all parts whose boxes meet.
const MOST_IDLE: usize = 16;

/// A manifold in the words of parry.
pub struct Found<C> {
    pub subshapes: [u32; 2],
    normals: [Vector; 2],
    points: ArrayVec<TrackedContact<C>, MOST_POINTS>,
}

impl<C: Default + Copy> Found<C> {
    /// `name` renames the features of the two shapes.
    pub fn new(
        manifold: &Manifold,
        pose_b: &Pose,
        subshapes: [u32; 2],
        name: impl Fn(usize, PackedFeatureId) -> PackedFeatureId,
    ) -> Self {
        let normals = [manifold.normal, -pose_b.inverse_transform_vector(manifold.normal)].map(to_parry);
        let mut points = ArrayVec::new();
        for point in manifold.points().iter().take(MOST_POINTS) {
            // Clearance and parry pack features alike: two bits for the kind, thirty for the number.
            let bits = point.id.to_bits();
            let [a, b] = [(bits >> 32) as u32, bits as u32].map(PackedFeatureId);
            let [p, q] = [point.point_a, point.point_b].map(to_parry);
            points.push(TrackedContact::new(p, q, name(0, a), name(1, b), point.distance));
        }
        Self { subshapes, normals, points }
    }

    /// Puts the contact into a manifold. Points keep the data of points with the same features, and else, if `near` is given, of those nearer than that on one of the shapes.
    pub fn store<M>(mut self, into: &mut ContactManifold<M, C>, near: Option<f64>) {
        let old = &into.points;
        let has_name =
            |one: &TrackedContact<C>, other: &TrackedContact<C>| one.fid1 == other.fid1 && one.fid2 == other.fid2;
        let mut used = ArrayVec::<usize, MOST_POINTS>::new();
        let mut fresh = ArrayVec::<usize, MOST_POINTS>::new();
        for (k, point) in self.points.iter_mut().enumerate() {
            match old.iter().position(|kept| has_name(kept, point)) {
                Some(i) => {
                    point.data = old[i].data;
                    used.push(i);
                }
                None => fresh.push(k),
            }
        }
        if let Some(near) = near {
            for k in fresh {
                let gap = |kept: &TrackedContact<C>| {
                    let point = &self.points[k];
                    (kept.local_p1 - point.local_p1).length().min((kept.local_p2 - point.local_p2).length())
                };
                let unused = old.iter().enumerate().filter(|(i, _)| !used.contains(i));
                let nearest = unused.map(|(i, kept)| (gap(kept), i)).min_by(|one, other| one.0.total_cmp(&other.0));
                if let Some((_, i)) = nearest.filter(|found| found.0 <= near) {
                    self.points[k].data = old[i].data;
                    used.push(i);
                }
            }
        }
        into.points.clear();
        into.points.extend(self.points);
        [into.local_n1, into.local_n2] = self.normals;
        [into.subshape1, into.subshape2] = self.subshapes;
        // Points are in the frames of the whole shapes.
        into.subshape_poses = None;
    }

    /// How well an old manifold fits: its sub-shapes first, then the normal. None if it cannot be the same.
    fn fit<M>(&self, old: &ContactManifold<M, C>) -> Option<(bool, f64)> {
        let along = old.local_n1.dot(self.normals[0]);
        let is_same = [old.subshape1, old.subshape2] == self.subshapes;
        // One without points has no normal any more.
        (along >= SAME_NORMAL || is_same && old.points.is_empty()).then_some((is_same, along))
    }
}

/// Puts contacts into the manifolds of a list. `is_near` says whether sub-shapes are near, so that their data are worth keeping without a contact.
pub fn store_all<M: Default, C: Default + Copy>(
    found: Vec<Found<C>>,
    manifolds: &mut Vec<ContactManifold<M, C>>,
    near: f64,
    is_near: impl Fn([u32; 2]) -> bool,
) {
    let mut old: Vec<Option<ContactManifold<M, C>>> = manifolds.drain(..).map(Some).collect();
    // Those with the same sub-shapes choose first.
    let mut chosen: Vec<Option<ContactManifold<M, C>>> = found.iter().map(|_| None).collect();
    for needs_same in [true, false] {
        for (contact, chosen) in found.iter().zip(&mut chosen).filter(|(_, chosen)| chosen.is_none()) {
            let fits = old.iter().enumerate().filter_map(|(i, old)| Some((contact.fit(old.as_ref()?)?, i)));
            let fits = fits.filter(|((is_same, _), _)| *is_same || !needs_same);
            let best = fits.max_by(|(one, _), (other, _)| one.1.total_cmp(&other.1));
            *chosen = best.and_then(|(_, i)| old[i].take());
        }
    }
    for (contact, kept) in found.into_iter().zip(chosen) {
        let mut manifold = kept.unwrap_or_default();
        contact.store(&mut manifold, Some(near));
        manifolds.push(manifold);
    }
    let idle = old.into_iter().flatten().filter(|manifold| is_near([manifold.subshape1, manifold.subshape2]));
    manifolds.extend(idle.take(MOST_IDLE).map(|mut manifold| {
        manifold.points.clear();
        manifold
    }));
}
