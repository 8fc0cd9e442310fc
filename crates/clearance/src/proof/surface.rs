//! A closed surface of points of A - B around the origin: an expanding polytope whose corners are differences of members.
//!
//! Faces are triangles. The one that is nearest to the origin (or has it outside) is pushed out to the farthest point of A - B in the
//! direction of its nearest point (or along its normal). Faces that see the new point are removed, and the hole is closed with triangles to
//! it. Faces that the point is level with go too, so that no triangle without area arises on flat faces of A - B.
//!
//! 1. The surface is closed, for any choice of faces: the triangles that replace some have the same boundary.
//! 2. Its corners are in A - B, so the ball about the origin that no triangle enters is in A - B.

use super::member::ProvableCore;
use super::nearest::{DifferenceCorner, corner};
use crate::math::Frame;
use crate::narrow::simplex::double_double;
use crate::tuning::proof::SURFACE_CORNERS;
use clearance_verify::Member;
use glam::DVec3;
use robust::{Coord3D, orient3d};
use std::collections::{BTreeMap, BTreeSet};

pub(super) struct EnclosingSurface {
    pub points: Vec<[Member; 2]>,
    pub triangles: Vec<[u32; 3]>,
    /// Where the surface is nearest to the origin, in the frame of A: the direction of least overlap.
    pub direction: DVec3,
    /// Is it far enough from the origin even when a checker rounds?
    pub is_proved: bool,
}

struct SurfaceFace {
    corners: [usize; 3],
    /// Unit vector to the point of the face that is nearest to the origin; the outer normal if the origin is outside.
    direction: DVec3,
    /// How far that point is from the origin; the height of the plane, not positive, if the origin is outside.
    ///
    /// The plane alone would not do: where a surface is fine, rounding lets the plane of a sliver lean anywhere.
    distance: f64,
}

/// Triangles by number, and which of them is on the left of which directed edge.
#[derive(Default)]
struct ExpandingSurface {
    corners: Vec<DifferenceCorner>,
    faces: BTreeMap<usize, SurfaceFace>,
    left_of: BTreeMap<(usize, usize), usize>,
    /// The faces in the order of their distances.
    order: BTreeSet<(i64, usize)>,
    next: usize,
}

/// An integer that is ordered like the number.
fn rank(distance: f64) -> i64 {
    let bits = distance.to_bits() as i64;
    if bits < 0 { i64::MIN - bits } else { bits }
}

/// The surface, if there is one whose planes are at least `needed` from the origin, to rounding.
pub(super) fn around_origin(
    a: &ProvableCore<'_>,
    b: &ProvableCore<'_>,
    b_in_a: &Frame,
    toward: DVec3,
    needed: f64,
) -> Option<EnclosingSurface> {
    let scale = a.bounding_radius() + b.bounding_radius() + b_in_a.translation.length();
    // The rounding error of a height of the surface; the checker proves the surface exactly.
    let rounding = 2.0 * f64::EPSILON * scale;
    let support = |direction: DVec3| corner(a, b, b_in_a, direction, ProvableCore::tie());
    let mut mesh =
        ExpandingSurface { corners: first_corners(toward, &support, rounding)?, ..ExpandingSurface::default() };
    let center = mesh.corners.iter().fold(DVec3::ZERO, |sum, corner| sum + corner.w) / 4.0;
    for [p, q, r] in [[0, 1, 2], [0, 3, 1], [1, 3, 2], [2, 3, 0]] {
        let is_outward = mesh.height_over([p, q, r], center)? < 0.0;
        mesh.add(mesh.face(if is_outward { [p, q, r] } else { [p, r, q] })?);
    }
    while mesh.corners.len() < SURFACE_CORNERS {
        let (number, nearest) = mesh.nearest()?;
        // A little more than needed, so that intervals suffice for the checker.
        if nearest.distance >= needed + rounding {
            break;
        }
        let next = support(nearest.direction);
        // Nothing lies beyond: this is as good as it gets. Written so that a NaN ends here.
        let beyond = nearest.direction.dot(next.w) - nearest.distance;
        if !(beyond > 0.25 * rounding) {
            break;
        }
        // A sliver may lean so much that it does not see the point; then another face does.
        let over = |face: &SurfaceFace| mesh.height_over(face.corners, next.w).unwrap_or(0.0);
        let start = match over(nearest) > 0.0 {
            true => number,
            false => *mesh.faces.iter().max_by(|(_, f), (_, g)| over(f).total_cmp(&over(g)))?.0,
        };
        if !(over(&mesh.faces[&start]) > 0.0) || !mesh.expand(next, start, 0.25 * rounding) {
            break;
        }
    }
    let (_, nearest) = mesh.nearest()?;
    // The checker decides whether it suffices. A surface that misses by far is left out.
    let is_hopeful = nearest.distance >= needed - 64.0 * rounding && nearest.distance > 0.0;
    let is_proved = nearest.distance >= needed + rounding;
    is_hopeful.then(|| EnclosingSurface { is_proved, ..mesh.packed(nearest.direction) })
}

/// Four corners that are not in a plane, if A - B is not.
fn first_corners(
    toward: DVec3,
    support: &impl Fn(DVec3) -> DifferenceCorner,
    rounding: f64,
) -> Option<Vec<DifferenceCorner>> {
    let x = toward.try_normalize().unwrap_or(DVec3::X);
    let (y, z) = x.any_orthonormal_pair();
    let mut all = Vec::new();
    for direction in [x, y, z, x + y, x + z, y + z, x - y, x - z, y - z, x + y + z] {
        all.push(support(direction));
        all.push(support(-direction));
    }
    // The largest of each: length, area, volume.
    let most =
        |value: &dyn Fn(&DifferenceCorner) -> f64| all.iter().max_by(|p, q| value(p).total_cmp(&value(q))).cloned();
    let first = all.first()?.clone();
    let second = most(&|p| (p.w - first.w).length())?;
    let along = (second.w - first.w).try_normalize()?;
    let third = most(&|p| (p.w - first.w).cross(along).length())?;
    let normal = (third.w - first.w).cross(along).try_normalize()?;
    let fourth = most(&|p| (p.w - first.w).dot(normal).abs())?;
    let is_solid = (fourth.w - first.w).dot(normal).abs() > 8.0 * rounding;
    is_solid.then(|| vec![first, second, third, fourth])
}

fn edges([p, q, r]: [usize; 3]) -> [(usize, usize); 3] {
    [(p, q), (q, r), (r, p)]
}

impl ExpandingSurface {
    fn face(&self, corners: [usize; 3]) -> Option<SurfaceFace> {
        let points = corners.map(|corner| self.corners[corner].w);
        let height = -self.height_over(corners, DVec3::ZERO)?;
        if height > 0.0 {
            let v = double_double::nearest(&points).v;
            return Some(SurfaceFace { corners, direction: v.try_normalize()?, distance: v.length() });
        }
        let [p, q, r] = points;
        Some(SurfaceFace { corners, direction: (q - p).cross(r - p).try_normalize()?, distance: height })
    }

    /// How high a point is over the plane of a face; `None` if the face has no area.
    ///
    /// The normal of a sliver has lost most of its digits; the volume has not, when it is computed with exact predicates.
    fn height_over(&self, corners: [usize; 3], point: DVec3) -> Option<f64> {
        let [p, q, r] = corners.map(|corner| self.corners[corner].w);
        let area = (q - p).cross(r - p).length();
        let coord = |v: DVec3| Coord3D { x: v.x, y: v.y, z: v.z };
        // Positive below the plane.
        let volume = orient3d(coord(p), coord(q), coord(r), coord(point));
        (area > 0.0).then(|| -volume / area)
    }

    fn add(&mut self, face: SurfaceFace) {
        self.left_of.extend(edges(face.corners).map(|edge| (edge, self.next)));
        self.order.insert((rank(face.distance), self.next));
        self.faces.insert(self.next, face);
        self.next += 1;
    }

    fn nearest(&self) -> Option<(usize, &SurfaceFace)> {
        let (_, number) = self.order.first()?;
        Some((*number, &self.faces[number]))
    }

    /// Pushes the surface out to a new corner that the face `start` sees; `false` if nothing came of it.
    fn expand(&mut self, next: DifferenceCorner, start: usize, level: f64) -> bool {
        let sees = |face: &SurfaceFace| self.height_over(face.corners, next.w).is_none_or(|height| height > -level);
        let mut gone = BTreeSet::from([start]);
        let mut queue = vec![start];
        let mut rim = Vec::new();
        while let Some(number) = queue.pop() {
            for (from, to) in edges(self.faces[&number].corners) {
                let Some(&neighbor) = self.left_of.get(&(to, from)) else { return false };
                if gone.contains(&neighbor) {
                    continue;
                }
                if sees(&self.faces[&neighbor]) {
                    gone.insert(neighbor);
                    queue.push(neighbor);
                } else {
                    rim.push((from, to, neighbor));
                }
            }
        }
        // A neighbour that was passed over at one edge may have gone by another.
        rim.retain(|(.., neighbor)| !gone.contains(neighbor));
        let new = self.corners.len();
        self.corners.push(next);
        let added: Option<Vec<SurfaceFace>> = rim.iter().map(|&(from, to, _)| self.face([from, to, new])).collect();
        let Some(added) = added.filter(|added| !added.is_empty()) else {
            self.corners.pop();
            return false;
        };
        for number in gone {
            if let Some(face) = self.faces.remove(&number) {
                self.order.remove(&(rank(face.distance), number));
                for edge in edges(face.corners) {
                    self.left_of.remove(&edge);
                }
            }
        }
        for face in added {
            self.add(face);
        }
        true
    }

    /// Only the corners that are in use.
    fn packed(&self, direction: DVec3) -> EnclosingSurface {
        let mut numbers: BTreeMap<usize, u32> = BTreeMap::new();
        let mut points = Vec::new();
        let triangles = self.faces.values().map(|face| {
            face.corners.map(|corner| {
                *numbers.entry(corner).or_insert_with(|| {
                    points.push(self.corners[corner].members.clone());
                    points.len() as u32 - 1
                })
            })
        });
        let triangles = triangles.collect();
        EnclosingSurface { points, triangles, direction, is_proved: false }
    }
}
