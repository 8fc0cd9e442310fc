//! A polytope inside A - B that grows: vertices, triangles, and which of them a new point can see.
//!
//! The vertices are taken as the numbers they are. Whether a new one is above a triangle is decided by a plain evaluation
//! first. When that is too close to call, points of double precision decide exactly ([`robust::orient3d`]). So the surface is the boundary
//! of the convex hull of its vertices at all times: no fold, no hole, no flipped triangle, however thin they get.
//!
//! Removing k triangles that see a point leaves a horizon of k + 2 sides (Euler), so new triangles take the places of
//! the old ones and two more are appended. Only when a vertex disappears inside are there places left over; the last
//! triangles move there. So the lists have no gaps.

use crate::math::double_double::DoubleVec3;
use crate::math::rounding::OF_HEIGHTS;
use crate::narrow::Vertex;
use arrayvec::ArrayVec;
use glam::DVec3;
use robust::Coord3D;

/// A search ends with this many vertices. Layout: vertices and faces are on the stack. A closed surface of v vertices has 2 v - 4 triangles.
pub(super) const MAX_VERTICES: usize = 512;
const MAX_FACES: usize = 2 * MAX_VERTICES - 4;

/// A point that can be a vertex.
pub(super) trait Point: Copy {
    /// A vector of the same precision.
    type Vector: Copy;

    /// The unit normal of a triangle, counter-clockwise seen from outside; how far the origin is below its plane; and by how
    /// much a height over it may be off, for points within twice the scale. Infinitely much if it has no normal.
    fn plane(corners: [&Self; 3], scale: f64) -> (Self::Vector, f64, f64);

    /// How far along a vector.
    fn along(&self, normal: Self::Vector) -> f64;

    /// Is this above a triangle, though its height is too small to tell?
    fn is_just_above(&self, triangle: [&Self; 3]) -> bool;
}

/// A corner, and the new triangle that starts at it while the surface is being extended.
#[derive(Debug, Clone, Copy)]
struct SurfaceCorner<P> {
    vertex: P,
    starts: u16,
    /// The new vertex for which it does.
    starts_for: u16,
}

/// A triangle, counter-clockwise seen from outside.
#[derive(Debug, Clone, Copy)]
pub(super) struct Facet<V> {
    /// Unit outward normal.
    pub normal: V,
    /// How much the height of a point over this plane may be off: large for slivers.
    pub slack: f64,
    pub corners: [u16; 3],
    /// The triangle beyond the side from corner i to the next.
    neighbors: [u16; 3],
    /// The number of the last vertex that saw it, until it is replaced.
    seen_by: u16,
}

/// The surface. Large: never moved.
pub(super) struct ExpandingPolytope<P: Point = Vertex> {
    corners: ArrayVec<SurfaceCorner<P>, MAX_VERTICES>,
    faces: ArrayVec<Facet<P::Vector>, MAX_FACES>,
    /// A lower bound of the signed distance of the origin below each face: what is computed, less the slack. Beside the
    /// faces, because it is looked through in every round.
    distances: ArrayVec<f64, MAX_FACES>,
    /// Triangles that see the new point, and the sides between them and the others.
    visible: ArrayVec<u16, MAX_FACES>,
    horizon: ArrayVec<HorizonSide, MAX_FACES>,
    scale: f64,
    is_whole: bool,
}

/// A side of the horizon: from one corner to another, with the triangle outside of it.
#[derive(Debug, Clone, Copy)]
struct HorizonSide {
    from: u16,
    to: u16,
    outside: u16,
    /// Which neighbor of `outside` the new triangle becomes.
    slot: u8,
}

/// Result of adding a point.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Growth {
    /// It is a vertex now.
    Grown,
    /// It is not above the face that was asked for.
    Below,
    /// There is no room left.
    Full,
}

impl<P: Point> ExpandingPolytope<P> {
    /// Nothing yet; all coordinates will be within `scale`.
    #[inline(always)]
    pub fn new(scale: f64) -> Self {
        Self {
            corners: ArrayVec::new(),
            faces: ArrayVec::new(),
            distances: ArrayVec::new(),
            visible: ArrayVec::new(),
            horizon: ArrayVec::new(),
            scale,
            is_whole: true,
        }
    }

    /// Begins with a tetrahedron, whose fourth point is below the triangle of the first three.
    pub fn begin(&mut self, vertices: [P; 4]) {
        self.corners.extend(vertices.map(|vertex| SurfaceCorner { vertex, starts: 0, starts_for: 0 }));
        // Triangle i is the one without corner 3 - i; neighbors follow from the shared sides.
        for (corners, neighbors) in
            [([0, 1, 2], [1, 2, 3]), ([0, 3, 1], [3, 2, 0]), ([1, 3, 2], [1, 3, 0]), ([0, 2, 3], [0, 2, 1])]
        {
            let (normal, height, slack) = P::plane(corners.map(|corner| &vertices[usize::from(corner)]), self.scale);
            self.faces.push(Facet { normal, slack, corners, neighbors, seen_by: 0 });
            self.distances.push(height - slack);
        }
    }

    /// How many vertices there are.
    pub fn count(&self) -> usize {
        self.corners.len()
    }

    /// The face whose plane may be nearest to the origin, or farthest beyond it, and its proved signed distance.
    #[inline]
    pub fn nearest(&self) -> (usize, f64) {
        let mut best = (0, f64::INFINITY);
        for (i, &distance) in self.distances.iter().enumerate() {
            if distance < best.1 {
                best = (i, distance);
            }
        }
        best
    }

    /// The proved distances of all faces.
    pub fn distances(&self) -> &[f64] {
        &self.distances
    }

    /// Did the last point leave a simple horizon, as it does if the surface is convex? Then each side starts at another corner.
    #[inline]
    pub fn is_whole(&self) -> bool {
        self.is_whole
    }

    /// A face by number.
    #[inline]
    pub fn get(&self, face: usize) -> &Facet<P::Vector> {
        &self.faces[face]
    }

    /// The face beyond a side of another.
    pub fn beyond(&self, face: usize, side: usize) -> usize {
        usize::from(self.faces[face].neighbors[side])
    }

    /// The corners of a face.
    #[inline]
    pub fn triangle(&self, face: usize) -> [&P; 3] {
        self.faces[face].corners.map(|corner| &self.corners[usize::from(corner)].vertex)
    }

    /// Takes in a point that is above a face: every triangle that sees it is replaced.
    pub fn grow(&mut self, vertex: P, seen_by: usize) -> Growth {
        if self.corners.is_full() {
            return Growth::Full;
        }
        if !self.sees(seen_by, &vertex) {
            return Growth::Below;
        }
        self.find_horizon(&vertex, seen_by as u16);
        if self.horizon.is_empty() {
            // Only a rough surface can be seen from all sides at once.
            self.is_whole = false;
            return Growth::Below;
        }
        let new = self.corners.len() as u16;
        self.corners.push(SurfaceCorner { vertex, starts: 0, starts_for: 0 });
        // A new triangle for every side, in the places of the old ones first.
        let count = self.horizon.len();
        for i in 0..count {
            let HorizonSide { from, to, outside, slot } = self.horizon[i];
            let place = match self.visible.get(i) {
                Some(&place) => place,
                None => {
                    self.faces.push(self.faces[0]);
                    self.distances.push(0.0);
                    (self.faces.len() - 1) as u16
                }
            };
            self.lay(usize::from(place), [from, to, new], [outside, 0, 0]);
            self.faces[usize::from(outside)].neighbors[usize::from(slot)] = place;
            let corner = &mut self.corners[usize::from(from)];
            self.is_whole &= corner.starts_for != new;
            (corner.starts, corner.starts_for) = (place, new);
        }
        // Around the new vertex: the triangle that ends where the next one starts.
        for i in 0..count {
            let HorizonSide { from, to, .. } = self.horizon[i];
            let (place, next) = (self.corners[usize::from(from)].starts, self.corners[usize::from(to)].starts);
            self.faces[usize::from(place)].neighbors[1] = next;
            self.faces[usize::from(next)].neighbors[2] = place;
        }
        if count < self.visible.len() {
            self.visible[count..].sort_unstable();
            while self.visible.len() > count
                && let Some(place) = self.visible.pop()
            {
                self.remove(place);
            }
        }
        Growth::Grown
    }

    /// Moves the last triangle to a place that is not in use.
    #[cold]
    fn remove(&mut self, place: u16) {
        self.faces.swap_remove(usize::from(place));
        self.distances.swap_remove(usize::from(place));
        let last = self.faces.len() as u16;
        if place < last {
            for neighbor in self.faces[usize::from(place)].neighbors {
                let links = &mut self.faces[usize::from(neighbor)].neighbors;
                for link in links.iter_mut().filter(|link| **link == last) {
                    *link = place;
                }
            }
        }
    }

    /// Fills `visible` with the triangles that see a point, and `horizon` with the sides around them.
    fn find_horizon(&mut self, vertex: &P, seed: u16) {
        let new = self.corners.len() as u16;
        self.visible.clear();
        self.horizon.clear();
        self.visible.push(seed);
        self.faces[usize::from(seed)].seen_by = new;
        let mut next = 0;
        while let Some(&current) = self.visible.get(next) {
            next += 1;
            let Facet { corners, neighbors, .. } = self.faces[usize::from(current)];
            for (side, neighbor) in neighbors.into_iter().enumerate() {
                if self.faces[usize::from(neighbor)].seen_by == new {
                    continue;
                }
                if self.sees(usize::from(neighbor), vertex) {
                    self.faces[usize::from(neighbor)].seen_by = new;
                    self.visible.push(neighbor);
                } else {
                    let (from, to) = (corners[side], corners[(side + 1) % 3]);
                    let outside = self.faces[usize::from(neighbor)].corners;
                    // The neighbor runs along the same side the other way.
                    let slot = if outside[0] == to {
                        0
                    } else if outside[1] == to {
                        1
                    } else {
                        2
                    };
                    self.horizon.push(HorizonSide { from, to, outside: neighbor, slot });
                }
            }
        }
    }

    /// Is a point above a face?
    #[inline]
    fn sees(&self, face: usize, vertex: &P) -> bool {
        let Facet { normal, slack, .. } = self.faces[face];
        let height = vertex.along(normal) - self.distances[face];
        if height > 2.0 * slack {
            return true;
        }
        if height < 0.0 && slack < f64::INFINITY {
            return false;
        }
        vertex.is_just_above(self.triangle(face))
    }

    /// Puts a triangle at a place and computes its plane.
    #[inline(always)]
    fn lay(&mut self, place: usize, corners: [u16; 3], neighbors: [u16; 3]) {
        let (normal, height, slack) =
            P::plane(corners.map(|corner| &self.corners[usize::from(corner)].vertex), self.scale);
        let face = &mut self.faces[place];
        face.normal = normal;
        face.slack = slack;
        face.corners = corners;
        face.neighbors = neighbors;
        face.seen_by = 0;
        self.distances[place] = height - slack;
    }
}

impl ExpandingPolytope<Vertex> {
    /// [`begin`](Surface::begin) with four points in any order, unless they are in one plane: then `false`.
    pub fn begin_with(&mut self, mut vertices: [Vertex; 4]) -> bool {
        let [a, b, c, d] = vertices.map(|vertex| vertex.w);
        let side = orientation(a, b, c, d);
        if !(side != 0.0) {
            return false;
        }
        if side > 0.0 {
            // The fourth point is above the first triangle, so that one has to be turned over.
            vertices.swap(0, 1);
        }
        self.begin(vertices);
        true
    }

    /// The largest c such that the part of the polar {x: w·x <= `distance` for all vertices w} with x·axis <= c has no corner longer than
    /// one. `None` if faces that matter are known less well than `slack`.
    pub fn polar_cap(&self, axis: DVec3, distance: f64, slack: f64) -> Option<f64> {
        let mut least: f64 = 1.0;
        for (i, &near) in self.distances.iter().enumerate() {
            if near >= distance {
                continue;
            }
            let face = &self.faces[i];
            if !(face.slack <= slack && near > 0.0) {
                return None;
            }
            let corner = face.normal * (distance / near);
            least = least.min(axis.dot(corner));
            for neighbor in face.neighbors {
                let neighbor = usize::from(neighbor);
                if self.distances[neighbor] < distance {
                    continue;
                }
                let beyond = &self.faces[neighbor];
                if !(beyond.slack <= slack) {
                    return None;
                }
                // From outside the unit sphere to inside: |corner + u along| = 1.
                let along = beyond.normal * (distance / self.distances[neighbor]) - corner;
                let (aa, ca) = (along.dot(along), corner.dot(along));
                let root = (ca * ca - aa * (corner.dot(corner) - 1.0)).max(0.0).sqrt();
                let u = (-(ca + root) / aa).clamp(0.0, 1.0);
                // A NaN is no exit that could be relied upon.
                let exit = axis.dot(corner) + u * axis.dot(along);
                least = if exit < least {
                    exit
                } else if exit >= least {
                    least
                } else {
                    return None;
                };
            }
        }
        Some(least)
    }

    /// Computes the plane of a face again with twice the digits, and bounds what is too thin even for those by its longest
    /// side; `false` if that tells no more than was known.
    #[cold]
    pub fn correct(&mut self, face: usize) -> bool {
        let corners = self.triangle(face).map(|vertex| vertex.w);
        let [a, b, c] = corners;
        let (ab, ac) = (DoubleVec3::from(b) - a.into(), DoubleVec3::from(c) - a.into());
        let cross = ab.cross(ac).value();
        let inverse = 1.0 / cross.length();
        // Each of the six products is good to some 100 bits.
        let (p, q) = (ab.value().abs(), ac.value().abs());
        let products = DVec3::new(p.y * q.z + p.z * q.y, p.z * q.x + p.x * q.z, p.x * q.y + p.y * q.x);
        // Each of the six products is good to about 100 bits.
        let error = 1e-28 * products.length();
        let slack = self.scale * (OF_HEIGHTS + error * inverse);
        let before = self.distances[face];
        if slack < self.faces[face].slack {
            let normal = cross * inverse;
            (self.faces[face].normal, self.faces[face].slack) = (normal, slack);
            self.distances[face] = normal.dot(a) - slack;
        }
        // The distance of the triangle matters, not that of its plane. No point of it is farther from its longest side than
        // its thickness, and that side is also one of the neighbor's.
        let lengths: [f64; 3] = std::array::from_fn(|i| (corners[(i + 1) % 3] - corners[i]).length());
        let longest = if lengths[0] >= lengths[1].max(lengths[2]) {
            0
        } else if lengths[1] >= lengths[2] {
            1
        } else {
            2
        };
        let thickness = (cross.length() + error) / lengths[longest];
        // The factor covers the rounding of the quotient.
        let neighbor = self.distances[self.beyond(face, longest)] - thickness * (1.0 + 1e-9);
        // All that holds only below the face: an origin above it is outside, however far from the triangle.
        if neighbor > self.distances[face] && orientation(a, b, c, DVec3::ZERO) <= 0.0 {
            self.distances[face] = neighbor;
            // The plane is no longer where the distance says: let points be judged exactly.
            self.faces[face].slack = f64::INFINITY;
        }
        self.distances[face] > before
    }
}

impl Point for Vertex {
    type Vector = DVec3;

    #[inline(always)]
    fn plane([a, b, c]: [&Self; 3], scale: f64) -> (DVec3, f64, f64) {
        let (ab, ac) = (b.w - a.w, c.w - a.w);
        let cross = ab.cross(ac);
        let inverse = 1.0 / cross.length();
        // The differences and the cross product are off by at most 3 eps |ab| |ac|, so the unit normal is off by that over its length. A
        // height over the plane is off by that times the distance from it, which is within twice the scale.
        // The mean of the squares bounds the product of the lengths and saves a root.
        let slack = scale * (OF_HEIGHTS + 3.0 * f64::EPSILON * (ab.dot(ab) + ac.dot(ac)) * inverse);
        if slack < f64::INFINITY {
            let normal = cross * inverse;
            (normal, normal.dot(a.w), slack)
        } else {
            // Too thin for a normal in plain numbers: one that knows nothing, so that everything is decided exactly.
            (DVec3::ZERO, 0.0, f64::INFINITY)
        }
    }

    #[inline(always)]
    fn along(&self, normal: DVec3) -> f64 {
        normal.dot(self.w)
    }

    fn is_just_above(&self, [a, b, c]: [&Self; 3]) -> bool {
        orientation(a.w, b.w, c.w, self.w) > 0.0
    }
}

/// Positive if d is above the triangle a, b, c, seen from where that is counter-clockwise; zero only if it is in its plane.
pub(super) fn orientation(a: DVec3, b: DVec3, c: DVec3, d: DVec3) -> f64 {
    let coord = |v: DVec3| Coord3D { x: v.x, y: v.y, z: v.z };
    // The crate's sign is positive below.
    -robust::orient3d(coord(a), coord(b), coord(c), coord(d))
}
