//! A closed surface of points of A - B around the origin: an expanding polytope, with lists and without haste.
//!
//! Faces are triangles. The face whose plane is nearest to the origin (or behind it) is pushed out to the farthest point
//! of A - B along its normal: faces that see the new point go, and the hole is closed with triangles to it. Faces that the
//! point is level with go too, so that no triangle without area arises on flat faces of A - B. Whatever rounding does to
//! the choice of faces, what replaces them has the same boundary: the surface stays closed.

use super::member::{Member, Side};
use super::nearest::{Corner, corner};
use crate::math::Frame;
use glam::DVec3;
use std::collections::BTreeMap;

/// Larger surfaces are no reasonable evidence.
const MOST_CORNERS: usize = 1500;

pub(super) struct Surface {
    pub points: Vec<[Member; 2]>,
    pub triangles: Vec<[u32; 3]>,
    /// The normal of the face nearest to the origin, in the frame of A: the direction of least overlap.
    pub direction: DVec3,
}

struct Face {
    corners: [usize; 3],
    /// Unit normal, pointing out.
    normal: DVec3,
    /// Height of the plane over the origin.
    height: f64,
}

/// The surface, if there is one whose planes are at least `needed` from the origin, to rounding.
pub(super) fn around_origin(
    a: &Side<'_>,
    b: &Side<'_>,
    b_in_a: &Frame,
    toward: DVec3,
    needed: f64,
) -> Option<Surface> {
    let scale = a.reach() + b.reach() + b_in_a.translation.length();
    let rounding = 2.0 * f64::EPSILON * scale;
    let support = |direction: DVec3| corner(a, b, b_in_a, direction, Side::tie());
    let mut corners = first_corners(toward, &support, rounding)?;
    let center = corners.iter().fold(DVec3::ZERO, |sum, corner| sum + corner.w) / 4.0;
    let mut faces: Vec<Face> = Vec::new();
    for triangle in [[0, 1, 2], [0, 3, 1], [1, 3, 2], [2, 3, 0]] {
        let mut face = face(&corners, triangle)?;
        if face.normal.dot(center) > face.height {
            face = self::face(&corners, [triangle[0], triangle[2], triangle[1]])?;
        }
        faces.push(face);
    }
    while corners.len() < MOST_CORNERS {
        let nearest = faces.iter().min_by(|f, g| f.height.total_cmp(&g.height))?;
        // A little more than needed, so that the checker is not asked to split hairs.
        if nearest.height >= needed + rounding {
            break;
        }
        let next = support(nearest.normal);
        // Nothing lies beyond: this is as good as it gets. Written so that a NaN ends here.
        if !(nearest.normal.dot(next.w) - nearest.height > 0.25 * rounding) {
            break;
        }
        let seed = nearest.corners;
        if !expand(&mut corners, &mut faces, next, seed, 0.25 * rounding) {
            break;
        }
    }
    let nearest = faces.iter().min_by(|f, g| f.height.total_cmp(&g.height))?;
    // Whether it is enough is for the checker to say; what is hopeless is not worth writing down.
    let is_hopeful = nearest.height >= needed - 64.0 * rounding && nearest.height > 0.0;
    is_hopeful.then(|| Surface { direction: nearest.normal, ..packed(&corners, &faces) })
}

/// Four corners that are not in a plane, if A - B is not.
fn first_corners(toward: DVec3, support: &impl Fn(DVec3) -> Corner, rounding: f64) -> Option<Vec<Corner>> {
    let x = toward.try_normalize().unwrap_or(DVec3::X);
    let (y, z) = x.any_orthonormal_pair();
    let mut all = Vec::new();
    for direction in [x, y, z, x + y, x + z, y + z, x - y, x - z, y - z, x + y + z] {
        all.push(support(direction));
        all.push(support(-direction));
    }
    // The largest of each: length, area, volume.
    let most = |value: &dyn Fn(&Corner) -> f64| all.iter().max_by(|p, q| value(p).total_cmp(&value(q))).cloned();
    let first = all.first()?.clone();
    let second = most(&|p| (p.w - first.w).length())?;
    let along = (second.w - first.w).try_normalize()?;
    let third = most(&|p| (p.w - first.w).cross(along).length())?;
    let normal = (third.w - first.w).cross(along).try_normalize()?;
    let fourth = most(&|p| (p.w - first.w).dot(normal).abs())?;
    let is_solid = (fourth.w - first.w).dot(normal).abs() > 8.0 * rounding;
    is_solid.then(|| vec![first, second, third, fourth])
}

fn face(corners: &[Corner], triangle: [usize; 3]) -> Option<Face> {
    let [p, q, r] = triangle.map(|corner| corners[corner].w);
    // From the corner with the shortest sides the cross product loses least.
    let normal = (q - p).cross(r - p).try_normalize()?;
    Some(Face { corners: triangle, normal, height: normal.dot((p + q + r) / 3.0) })
}

/// Pushes the surface out to a new corner, starting at the face with the corners `seed`; `false` if nothing came of it.
fn expand(corners: &mut Vec<Corner>, faces: &mut Vec<Face>, next: Corner, seed: [usize; 3], level: f64) -> bool {
    let mut across: BTreeMap<(usize, usize), usize> = BTreeMap::new();
    for (index, Face { corners: [p, q, r], .. }) in faces.iter().enumerate() {
        across.extend([((*p, *q), index), ((*q, *r), index), ((*r, *p), index)]);
    }
    let sees = |face: &Face| face.normal.dot(next.w - corners[face.corners[0]].w) > -level;
    let mut gone = vec![false; faces.len()];
    let Some(&start) = across.get(&(seed[0], seed[1])) else { return false };
    let mut queue = vec![start];
    gone[start] = true;
    while let Some(index) = queue.pop() {
        let [p, q, r] = faces[index].corners;
        for edge in [(q, p), (r, q), (p, r)] {
            if let Some(&neighbor) = across.get(&edge)
                && !gone[neighbor]
                && sees(&faces[neighbor])
            {
                gone[neighbor] = true;
                queue.push(neighbor);
            }
        }
    }
    if gone.iter().all(|gone| *gone) {
        return false;
    }
    let new = corners.len();
    corners.push(next);
    let mut added = Vec::new();
    for (index, Face { corners: [p, q, r], .. }) in faces.iter().enumerate().filter(|(index, _)| gone[*index]) {
        let _ = index;
        for (from, to) in [(*p, *q), (*q, *r), (*r, *p)] {
            let is_rim = across.get(&(to, from)).is_some_and(|&neighbor| !gone[neighbor]);
            if is_rim {
                match face(corners, [from, to, new]) {
                    Some(face) => added.push(face),
                    None => {
                        corners.pop();
                        return false;
                    }
                }
            }
        }
    }
    let mut index = 0;
    faces.retain(|_| {
        index += 1;
        !gone[index - 1]
    });
    faces.append(&mut added);
    true
}

/// Only the corners that are in use.
fn packed(corners: &[Corner], faces: &[Face]) -> Surface {
    let mut numbers: BTreeMap<usize, u32> = BTreeMap::new();
    let mut points = Vec::new();
    let triangles = faces.iter().map(|face| {
        face.corners.map(|corner| {
            *numbers.entry(corner).or_insert_with(|| {
                points.push(corners[corner].members.clone());
                points.len() as u32 - 1
            })
        })
    });
    let triangles = triangles.collect();
    Surface { points, triangles, direction: DVec3::ZERO }
}
