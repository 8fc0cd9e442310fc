//! Proof that a polytope is what it says: written from the definition, without the builder's code.
//!
//! Topology first: every directed side belongs to one loop and its reverse to another, the faces around a vertex form
//! one cycle, everything is connected, and Euler's formula holds: the boundary is a sphere. Then convexity, with
//! exact predicates. For a small polytope every vertex is tested against every face. For a large one it is enough to test locally, by the
//! theorem of Hadamard in van Heijenoort's form. A closed connected surface in space that is convex near each of its points is the boundary
//! of one convex body. Near a point of an edge that is a test of the two faces, near a vertex a test of the cone of its edges. (Edges alone
//! do not suffice, not even with Euler's formula: a bipyramid over a pentagram passes at every edge.) Last the floating-point fields, to
//! rounding.

use super::{Edge, NO_FACE, Polytope};
use crate::math::exact::{self, Scale, orient3d};
use glam::DVec3;

/// Up to this number of vertices, all pairs of a vertex and a face are tested. Limit: their number grows with the square of the vertices.
const FULL_CHECK: usize = 200;

/// Rounding error of heights and directions when the largest coordinate is below 1. Bound: 450 ε. Planes of thin faces are
/// computed exactly and rounded once; heights of rounded planes and vertices are off by a few ε.
const ROUNDING: f64 = 1e-13;

/// Error of a stored length beyond that. Bound: doubles below the normal numbers are this far apart.
const GRAIN: f64 = f64::MIN_POSITIVE * f64::EPSILON;

type Check = Result<(), String>;

fn ensure(holds: bool, fault: impl FnOnce() -> String) -> Check {
    if holds { Ok(()) } else { Err(fault()) }
}

impl Polytope {
    /// Proves the structure: topology, exact convexity, and every stored plane and direction. Takes linear time for
    /// large polytopes.
    ///
    /// # Errors
    ///
    /// The first fault found, in one sentence. No polytope made by this library has one; the check is for tests and
    /// for the doubtful.
    pub fn validate(&self) -> Result<(), String> {
        let scale = Scale::of(&self.vertices);
        let scaled: Vec<DVec3> = self.vertices.iter().map(|&v| scale.point(v)).collect();
        self.check_counts()?;
        self.check_edges()?;
        self.check_loops()?;
        self.check_stars()?;
        self.check_connected()?;
        self.check_polygons(&scaled)?;
        if self.dimension == 3 {
            self.check_local_convexity(&scaled)?;
            if self.vertices.len() <= FULL_CHECK {
                self.check_every_vertex_against_every_face(&scaled)?;
            }
        }
        self.check_directions(&scaled, scale)?;
        self.check_planes(&scaled, scale)?;
        self.check_bounds(&scaled, scale)
    }

    fn check_counts(&self) -> Check {
        let (v, e, f) = (self.vertices.len(), self.edges.len(), self.face_normals.len());
        let right = match self.dimension {
            0 => (v, e, f) == (1, 0, 0),
            1 => (v, e, f) == (2, 1, 0),
            2 => v >= 3 && e == v && f == 2,
            // Euler's formula.
            3 => v >= 4 && v + f == e + 2,
            _ => false,
        };
        ensure(right, || format!("{v} vertices, {e} edges, {f} faces are no shape of dimension {}", self.dimension))?;
        ensure(self.source.len() == v && self.source.is_sorted_by(|a, b| a < b), || "sources do not ascend".into())?;
        ensure(self.edge_directions.len() == e && self.edge_lengths.len() == e, || {
            "edge fields differ in size".into()
        })?;
        let loops = self.loop_vertices.len();
        ensure(
            self.face_offsets.len() == f && self.loop_edges.len() == loops && self.loop_sides.len() == loops,
            || "face fields differ in size".into(),
        )?;
        ensure(is_partition(&self.loop_starts, f, loops), || "loop starts are no partition".into())?;
        let stars = self.star_edges.len();
        ensure(
            is_partition(&self.star_starts, v, stars) && self.star_neighbors.len() == stars && stars == 2 * e,
            || "vertex stars are no partition of all edge ends".into(),
        )
    }

    fn check_edges(&self) -> Check {
        let faces = self.face_normals.len() as u32;
        for (e, &Edge { tail, head, left, right }) in self.edges.iter().enumerate() {
            ensure(tail < head && (head as usize) < self.vertices.len(), || {
                format!("edge {e} has ends {tail}, {head}")
            })?;
            let faces_right = match self.dimension {
                1 => left == NO_FACE && right == NO_FACE,
                _ => left < faces && right < faces && left != right,
            };
            ensure(faces_right, || format!("edge {e} has faces {left}, {right}"))?;
        }
        let ascending = self.edges.is_sorted_by(|a, b| (a.tail, a.head) < (b.tail, b.head));
        ensure(ascending, || "two edges have the same ends, or edges are not sorted".into())
    }

    /// Every loop is simple and agrees with its edges; every edge is used once in each direction.
    fn check_loops(&self) -> Check {
        let mut used = vec![[false; 2]; self.edges.len()];
        let mut last_face = vec![NO_FACE; self.vertices.len()];
        for f in 0..self.face_normals.len() as u32 {
            let face = self.face(f);
            ensure(face.vertices.len() >= 3, || format!("face {f} has fewer than three corners"))?;
            for (i, (&v, &e)) in face.vertices.iter().zip(face.edges).enumerate() {
                let w = face.vertices[(i + 1) % face.vertices.len()];
                ensure((v as usize) < self.vertices.len() && (e as usize) < self.edges.len(), || {
                    format!("face {f} names vertex {v} or edge {e}, which does not exist")
                })?;
                ensure(last_face[v as usize] != f, || format!("face {f} visits vertex {v} twice"))?;
                last_face[v as usize] = f;
                let edge = self.edges[e as usize];
                let (direction, face_there) = if edge.tail == v { (0, edge.left) } else { (1, edge.right) };
                let ends = if direction == 0 { [edge.tail, edge.head] } else { [edge.head, edge.tail] };
                ensure(ends == [v, w] && face_there == f, || format!("side {v} to {w} of face {f} is not edge {e}"))?;
                ensure(!used[e as usize][direction], || format!("edge {e} is used twice in one direction"))?;
                used[e as usize][direction] = true;
            }
        }
        let closed = self.dimension < 2 || used.iter().all(|&both| both == [true, true]);
        ensure(closed, || "an edge is not used in both directions".into())
    }

    /// The star of a vertex lists each of its edges once, in one cycle that faces connect.
    fn check_stars(&self) -> Check {
        let mut ends = vec![0_u8; self.edges.len()];
        for v in 0..self.vertices.len() as u32 {
            let star = self.vertex_edges(v);
            let smallest = [0, 1, 2, 3][self.dimension];
            ensure(star.len() >= smallest, || format!("vertex {v} has only {} edges", star.len()))?;
            for (i, (&e, &neighbor)) in star.iter().zip(self.neighbors(v)).enumerate() {
                ensure((e as usize) < self.edges.len(), || format!("vertex {v} names edge {e}"))?;
                let edge = self.edges[e as usize];
                let matches = [edge.tail, edge.head] == [v, neighbor] || [edge.head, edge.tail] == [v, neighbor];
                ensure(matches, || format!("edge {e} does not join vertex {v} to {neighbor}"))?;
                let bit = if edge.tail == v { 1 } else { 2 };
                ensure(ends[e as usize] & bit == 0, || format!("vertex {v} lists edge {e} twice"))?;
                ends[e as usize] |= bit;
                // The face on the left of an edge that leaves v is on the right of the next one.
                let next = self.edges[star[(i + 1) % star.len()] as usize];
                let left = if edge.tail == v { edge.left } else { edge.right };
                let next_right = if next.tail == v { next.right } else { next.left };
                ensure(left == next_right, || format!("no face joins neighbours in the star of vertex {v}"))?;
            }
        }
        ensure(ends.iter().all(|&both| both == 3), || "an edge is missing in the star of an end".into())
    }

    fn check_connected(&self) -> Check {
        let mut reached = vec![false; self.vertices.len()];
        let mut stack = vec![0];
        reached[0] = true;
        let mut count = 1;
        while let Some(v) = stack.pop() {
            for &w in self.neighbors(v) {
                if !reached[w as usize] {
                    reached[w as usize] = true;
                    count += 1;
                    stack.push(w);
                }
            }
        }
        ensure(count == self.vertices.len(), || format!("only {count} vertices are connected"))
    }

    /// Every face is exactly flat and a strictly convex polygon.
    fn check_polygons(&self, at: &[DVec3]) -> Check {
        if self.dimension == 1 {
            return ensure(at[0] != at[1], || "the ends of the segment coincide".into());
        }
        for f in 0..self.face_normals.len() as u32 {
            let ring: Vec<DVec3> = self.face(f).vertices.iter().map(|&v| at[v as usize]).collect();
            let [a, b, c] = [ring[0], ring[1], ring[2]];
            let Some(axis) = exact::widest_projection(a, b, c) else {
                return Err(format!("the first corners of face {f} are collinear"));
            };
            ensure(ring.iter().all(|&p| orient3d(a, b, c, p) == 0.0), || format!("face {f} is not flat"))?;
            let sign = exact::orient2d(axis, a, b, c).signum();
            let turns_left = |p, q, r| sign * exact::orient2d(axis, p, q, r) > 0.0;
            ensure(winds_once(&ring, turns_left), || format!("face {f} is not a strictly convex polygon"))?;
        }
        Ok(())
    }

    /// The surface is strictly convex near every edge and every vertex.
    fn check_local_convexity(&self, at: &[DVec3]) -> Check {
        for (e, edge) in self.edges.iter().enumerate() {
            for (f, g) in [(edge.left, edge.right), (edge.right, edge.left)] {
                // Of three corners one is not on the edge; the others of that face are then on the same side.
                let corner = self.face(g).vertices.iter().find(|&&v| v != edge.tail && v != edge.head);
                let corner = corner.expect("a loop has three different corners");
                let below = self.exact_height(at, f, at[*corner as usize]) < 0.0;
                ensure(below, || format!("face {g} is not below face {f} at edge {e}"))?;
            }
        }
        for v in 0..self.vertices.len() as u32 {
            let apex = at[v as usize];
            let ring: Vec<DVec3> = self.neighbors(v).iter().map(|&w| at[w as usize]).collect();
            // Seen from outside, with the apex towards the viewer.
            let turns_left = |p, q, r| orient3d(apex, p, q, r) < 0.0;
            ensure(winds_once(&ring, turns_left), || format!("the cone at vertex {v} is not strictly convex"))?;
        }
        Ok(())
    }

    /// A vertex is on the plane of a face if it is one of its corners, and below it otherwise.
    fn check_every_vertex_against_every_face(&self, at: &[DVec3]) -> Check {
        for f in 0..self.face_normals.len() as u32 {
            for (v, &p) in (0..).zip(at) {
                let height = self.exact_height(at, f, p);
                let right = if self.face(f).vertices.contains(&v) { height == 0.0 } else { height < 0.0 };
                ensure(right, || format!("vertex {v} is on the wrong side of face {f}"))?;
            }
        }
        Ok(())
    }

    fn exact_height(&self, at: &[DVec3], f: u32, p: DVec3) -> f64 {
        let corners = self.face(f).vertices;
        let [a, b, c] = [0, 1, 2].map(|i| at[corners[i] as usize]);
        orient3d(a, b, c, p)
    }

    fn check_directions(&self, at: &[DVec3], scale: Scale) -> Check {
        for (e, edge) in self.edges.iter().enumerate() {
            let (direction, length) = (self.edge_directions[e], self.edge_lengths[e]);
            ensure(is_unit(direction), || format!("the direction of edge {e} is no unit vector"))?;
            let along = at[edge.head as usize] - at[edge.tail as usize];
            let expected = exact::length(along);
            // A direction is a quotient and a product of rounded numbers: three roundings of ε/2, and their sum.
            let straight = (along - expected * direction).abs().max_element() <= 4.0 * f64::EPSILON * expected;
            ensure(straight, || format!("edge {e} has a wrong direction"))?;
            // The root and the scale round by less than 4 ε.
            let measured = (length - scale.length(expected)).abs() <= 4.0 * f64::EPSILON * length + GRAIN;
            ensure(measured, || format!("edge {e} has a wrong length"))?;
        }
        Ok(())
    }

    fn check_planes(&self, at: &[DVec3], scale: Scale) -> Check {
        let scaled = |length: f64| scale.point(DVec3::splat(length)).x;
        let rounding = ROUNDING + scaled(GRAIN);
        for f in 0..self.face_normals.len() as u32 {
            let face = self.face(f);
            let corner = |i: usize| at[face.vertices[i % face.vertices.len()] as usize];
            ensure(is_unit(face.normal), || format!("the normal of face {f} is no unit vector"))?;
            let offset = scaled(face.offset);
            for (i, side) in face.sides.iter().enumerate() {
                let height = face.normal.dot(corner(i)) - offset;
                ensure(height.abs() <= rounding, || format!("face {f} has a wrong offset or normal"))?;
                let upright = is_unit(side.normal) && side.normal.dot(face.normal).abs() <= ROUNDING;
                ensure(upright, || format!("side {i} of face {f} is not perpendicular to it"))?;
                let (tail, head) = (corner(i), corner(i + 1));
                let inward = face.normal.cross(exact::unit(head - tail));
                ensure(side.normal.dot(inward) > 0.5, || format!("side {i} of face {f} looks outward"))?;
                // The side's own ends are on its plane, the corners next to them on the positive side.
                let value = |p: DVec3| side.normal.dot(p) - scaled(side.offset);
                let on = value(tail).abs() <= rounding && value(head).abs() <= rounding;
                ensure(on, || format!("side {i} of face {f} has a wrong offset"))?;
                let inside = [corner(i + 2), corner(i + face.vertices.len() - 1)];
                let positive = inside.iter().all(|&p| value(p) >= -rounding);
                ensure(positive, || format!("side {i} of face {f} cuts the face"))?;
                let Edge { left, right, .. } = self.edges[face.edges[i] as usize];
                let behind = self.face(if left == f { right } else { left });
                let below = behind.vertices[..3].iter().all(|&v| face.normal.dot(at[v as usize]) <= offset + rounding);
                ensure(below, || format!("the plane of face {f} cuts its neighbour at side {i}"))?;
            }
        }
        Ok(())
    }

    fn check_bounds(&self, at: &[DVec3], scale: Scale) -> Check {
        let holds_all = self.vertices.iter().all(|&v| self.aabb.contains(v));
        let tight = (0..3).all(|axis| {
            let touches = |bound: DVec3| self.vertices.iter().any(|v| v[axis] == bound[axis]);
            touches(self.aabb.min) && touches(self.aabb.max)
        });
        ensure(holds_all && tight, || "the box is not the smallest one".into())?;
        let center = scale.point(self.center);
        let inside = (0..self.face_normals.len()).all(|f| {
            let height = self.face_normals[f].dot(center) - scale.point(DVec3::splat(self.face_offsets[f])).x;
            height <= ROUNDING + 4.0 * scale.point(DVec3::splat(GRAIN)).x
        });
        ensure(inside && center.is_finite(), || "the centre is not inside".into())?;
        let bounding_radius = scale.length(at.iter().fold(0.0, |m: f64, &v| m.max(exact::length(v))));
        // The root and the scale round by less than 4 ε.
        ensure((bounding_radius - self.bounding_radius).abs() <= 4.0 * f64::EPSILON * bounding_radius + GRAIN, || {
            "the bounding radius is wrong".into()
        })
    }
}

fn is_partition(starts: &[u32], count: usize, total: usize) -> bool {
    starts.len() == count + 1 && starts[0] == 0 && starts[count] as usize == total && starts.is_sorted()
}

fn is_unit(vector: DVec3) -> bool {
    // Three quotients and the root of the length: less than 8 ε.
    (vector.length() - 1.0).abs() <= 8.0 * f64::EPSILON
}

/// Is the closed polygon strictly convex and wound once?
///
/// A left turn at every corner makes it convex everywhere but may let it wind about twice, like a pentagram. If also each triangle of the
/// fan from the first corner turns left, the direction from there to the others only ever turns left. As all are on the left of the first
/// side, it turns by less than half a circle in all.
fn winds_once(ring: &[DVec3], turns_left: impl Fn(DVec3, DVec3, DVec3) -> bool) -> bool {
    let n = ring.len();
    let corners = (0..n).all(|i| turns_left(ring[i], ring[(i + 1) % n], ring[(i + 2) % n]));
    let fan = (2..n).all(|i| turns_left(ring[0], ring[i - 1], ring[i]));
    let half_plane = (2..n).all(|i| turns_left(ring[0], ring[1], ring[i]));
    corners && fan && half_plane
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::hull::Boundary;
    use crate::shape::polytope::convex_hull;

    fn octahedron() -> Polytope {
        convex_hull(&[DVec3::X, DVec3::Y, DVec3::Z, -DVec3::X, -DVec3::Y, -DVec3::Z]).unwrap()
    }

    fn fault(polytope: &Polytope) -> String {
        polytope.validate().expect_err("the fault was put in on purpose")
    }

    /// A bipyramid over the polygon that visits every `step`-th of `n` points on a circle.
    fn bipyramid(n: usize, step: usize) -> Polytope {
        let point = |i: usize| {
            let angle = std::f64::consts::TAU * ((i * step) % n) as f64 / n as f64;
            DVec3::new(angle.cos(), angle.sin(), 0.0)
        };
        let mut vertices: Vec<DVec3> = (0..n).map(point).collect();
        vertices.extend([DVec3::Z, -DVec3::Z]);
        let (top, bottom) = (n as u32, n as u32 + 1);
        let side = |i: usize| (i as u32, ((i + 1) % n) as u32);
        let loop_vertices: Vec<u32> = (0..n).map(side).flat_map(|(a, b)| [a, b, top, b, a, bottom]).collect();
        Polytope::from_boundary(Boundary {
            dimension: 3,
            source: (0..vertices.len() as u32).collect(),
            vertices,
            loop_starts: (0..=2 * n as u32).map(|f| 3 * f).collect(),
            loop_vertices,
        })
    }

    #[test]
    fn a_surface_convex_at_every_edge_but_wound_twice_is_refused() {
        assert_eq!(bipyramid(5, 1).validate(), Ok(()));
        let star = bipyramid(5, 2);
        let at = star.vertices.clone();
        // Its edges are convex and Euler's formula holds, so only the cones at the tips give it away.
        assert!((star.check_counts(), star.check_stars()) == (Ok(()), Ok(())));
        assert!(star.check_local_convexity(&at).unwrap_err().contains("cone at vertex 5"));
        assert!(star.check_every_vertex_against_every_face(&at).is_err());
    }

    #[test]
    fn a_dent_is_refused() {
        let mut dented = octahedron();
        dented.vertices[2] = DVec3::new(0.0, 0.0, -0.5);
        assert!(fault(&dented).contains("is not below"));
    }

    #[test]
    fn a_polytope_turned_inside_out_is_refused() {
        let good = octahedron();
        let inverted = Polytope::from_boundary(Boundary {
            dimension: 3,
            vertices: good.vertices.clone(),
            source: good.source.clone(),
            loop_starts: good.loop_starts.clone(),
            loop_vertices: good.loop_vertices.iter().rev().copied().collect(),
        });
        assert!(fault(&inverted).contains("is not below"));
    }

    #[test]
    fn a_vertex_inside_a_face_or_an_edge_is_refused() {
        // The top pressed down into the plane of the equator: four coplanar triangles around it.
        let mut flat = octahedron();
        flat.vertices[2] = DVec3::ZERO;
        assert!(fault(&flat).contains("is not below"));
        // The top moved to the middle of an edge of the lower half.
        let mut straight = octahedron();
        straight.vertices[2] = DVec3::new(0.5, 0.5, 0.0);
        assert!(straight.validate().is_err());
    }

    #[test]
    fn every_stored_field_is_checked() {
        let good = octahedron();
        assert_eq!(good.validate(), Ok(()));
        type Damage = (&'static str, fn(&mut Polytope));
        let damages: [Damage; 14] = [
            ("wrong side", |p| p.face_normals.swap(0, 1)),
            ("wrong offset", |p| p.face_offsets[3] += 1e-12),
            ("no unit vector", |p| p.face_normals[2] *= 1.0 + 1e-12),
            ("looks outward", |p| p.loop_sides[4].normal *= -1.0),
            ("wrong offset", |p| p.loop_sides[4].offset += 1e-12),
            ("wrong direction", |p| p.edge_directions[5] *= -1.0),
            ("wrong length", |p| p.edge_lengths[5] *= 2.0),
            ("is not edge", |p| p.loop_edges.swap(0, 1)),
            ("", |p| p.loop_vertices.swap(0, 1)),
            ("does not join", |p| p.star_neighbors.swap(0, 1)),
            ("no face joins", |p| {
                p.star_edges.swap(0, 1);
                p.star_neighbors.swap(0, 1);
            }),
            ("centre", |p| p.center.x = 3.0),
            ("bounding radius", |p| p.bounding_radius = 2.0),
            ("box", |p| p.aabb.max.y = 1.5),
        ];
        for (i, (expected, damage)) in damages.iter().enumerate() {
            let mut bad = good.clone();
            damage(&mut bad);
            let found = fault(&bad);
            assert!(i == 0 || found.contains(expected), "damage {i}: {found}");
        }
    }

    #[test]
    fn a_pentagram_is_no_polygon() {
        let ring = |step: usize| -> Vec<DVec3> {
            let angle = |i: usize| std::f64::consts::TAU * (i * step) as f64 / 5.0;
            (0..5).map(|i| DVec3::new(angle(i).cos(), angle(i).sin(), 0.0)).collect()
        };
        let left = |p, q, r| exact::orient2d(2, p, q, r) > 0.0;
        assert!(winds_once(&ring(1), left));
        assert!(!winds_once(&ring(2), left));
    }
}
