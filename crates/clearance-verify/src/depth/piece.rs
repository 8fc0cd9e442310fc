//! Pieces: convex polytopes inside of bodies.
//!
//! **Convex.** A piece is given by its vertices and the triangles of its surface. Let every edge be run through once each way, let a point
//! c be strictly on the inner side of every triangle, and let one direction from c meet one triangle only. Then the surface goes around c
//! once, and every ray from c meets it once. If, besides, no triangle's neighbours are above its plane, the body that it bounds is convex.
//! It is convex around every edge, around every vertex (whose link goes around once, without a reflex corner), and so as a whole.
//!
//! **Inside.** If no triangle of a closed surface meets the interior of a piece, then all of that is inside or all of it is outside; the
//! winding at c says which. A triangle and the interior of a polytope are apart if a plane is between them, and then one parallel to a face
//! of either or to an edge of each. All of this is exact. A piece of a convex part is inside of it if its vertices are: those that are members
//! only to rounding make the sums of the piece smaller by as much.

use super::weights::{Vector3, inner, product};
use crate::evidence::{DepthPiece, Member};
use crate::number::{Dyadic, Interval, Number, Unclear, Vector, cross, dot, meter, scale, subtract, vector};
use crate::parts::{MeshOf, Side};
use crate::pose::Rigid;
use crate::shape::{Homogeneous, Trouble, whole_member};
use crate::solid::{Body, Crossing, crossing, is_closed};
use std::cell::OnceCell;
use std::cmp::Ordering;
use std::collections::HashMap;

fn fault<T>(what: &str) -> Result<T, Trouble> {
    Err(Trouble::Fault(what.into()))
}

/// The turn of a part into the frame of A.
#[derive(Debug)]
struct Turn<N> {
    outward: Rigid<N>,
    home: Rigid<N>,
}

impl<N: Number> Turn<N> {
    fn new(side: &Side<'_>, home: [f64; 4]) -> Self {
        Self { outward: side.rigid_of_poses(), home: Rigid::new(home, &vector([0.0; 3])) }
    }

    /// A direction, times a positive number.
    fn direction(&self, local: &Vector<N>) -> Vector<N> {
        self.home.local_direction(&self.outward.direction(local))
    }

    fn point(&self, local: &Homogeneous<N>) -> Homogeneous<N> {
        let (p, weight) = self.outward.point(local);
        (self.home.local_direction(&p), weight.times(&self.home.divisor))
    }
}

/// An edge between two faces that are not in one plane.
#[derive(Debug)]
pub(super) struct PieceEdge {
    ends: [u32; 2],
    pub direction: Vector<Interval>,
    /// From the edge into its two faces.
    pub into: [Vector<Interval>; 2],
}

/// A piece in the frame of A.
#[derive(Debug)]
pub(super) struct Piece {
    /// Its vertices in the frame of the part.
    local: Vec<Vector3>,
    /// About where they are.
    pub points: Vec<Vector3>,
    /// No true one is farther from there.
    pub error: f64,
    /// A triangle of every face, and its outward normal.
    pub faces: Vec<([u32; 3], Vector<Interval>)>,
    pub edges: Vec<PieceEdge>,
    exact: Turn<Dyadic>,
}

impl Piece {
    /// The piece of that evidence, of a part that may be one of a mesh; `home` is the rotation of A.
    pub fn new(
        piece: &DepthPiece,
        side: &Side<'_>,
        solid: Option<&ClosedMesh<'_>>,
        home: [f64; 4],
    ) -> Result<Self, Trouble> {
        let surface = Surface::new(piece)?;
        let local = &piece.points;
        let turn: Turn<Interval> = Turn::new(side, home);
        let mut slack = 0.0_f64;
        match solid {
            Some(solid) => surface.is_inside(solid)?,
            None if side.triangle.is_some() => return fault("a piece is one of a mesh that is not closed"),
            None if side.is_plane() || piece.members.len() != local.len() => {
                return fault("a piece of a convex part has not a member for every vertex");
            }
            None => {
                for (point, member) in local.iter().zip(&piece.members) {
                    slack = slack.max(off(side, member, *point)?);
                }
            }
        }
        let (mut points, mut error) = (Vec::with_capacity(local.len()), 0.0_f64);
        for point in local {
            let (p, weight) = turn.point(&(vector(*point), Interval::of(1.0)));
            let at = p.map(|x| x.over(&weight));
            let middle = at.map(|x| 0.5 * (x.low + x.high));
            let reach: Vector3 = std::array::from_fn(|i| (at[i].high - middle[i]).max(middle[i] - at[i].low));
            error = error.max(inner(reach, reach).sqrt());
            points.push(middle);
        }
        // A rotation keeps lengths.
        let error = (error + slack) * (1.0 + 1e-14);
        if !error.is_finite() {
            return fault("the sizes are too large for doubles");
        }
        let way =
            |from: u32, to: u32| turn.direction(&subtract(&vector(local[to as usize]), &vector(local[from as usize])));
        let normal = |&[p, q, r]: &[u32; 3]| ([p, q, r], cross(&way(p, q), &way(p, r)));
        let faces = surface.faces.iter().map(normal).collect();
        let edge = |&([u, v], [w, x]): &([u32; 2], [u32; 2])| PieceEdge {
            ends: [u, v],
            direction: way(u, v),
            into: [way(u, w), way(u, x)],
        };
        let edges = surface.edges.iter().map(edge).collect();
        Ok(Self { local: local.clone(), points, error, faces, edges, exact: Turn::new(side, home) })
    }

    fn exact_way(&self, from: u32, to: u32) -> Vector<Dyadic> {
        let [from, to] = [from, to].map(|v| vector::<Dyadic>(self.local[v as usize]));
        self.exact.direction(&subtract(&to, &from))
    }

    /// The exact normal of a face.
    pub fn exact_normal(&self, [p, q, r]: [u32; 3]) -> Vector<Dyadic> {
        cross(&self.exact_way(p, q), &self.exact_way(p, r))
    }

    /// The exact direction of an edge.
    pub fn exact_direction(&self, edge: &PieceEdge) -> Vector<Dyadic> {
        self.exact_way(edge.ends[0], edge.ends[1])
    }
}

/// How far a point is at most from the member of a convex part that it stands for.
fn off(side: &Side<'_>, member: &Member, point: Vector3) -> Result<f64, Trouble> {
    let (p, weight): Homogeneous<Interval> = match whole_member(side.shape, member) {
        // The filter does not know whether it is one.
        Err(Trouble::Unclear) => {
            let (p, weight): Homogeneous<Dyadic> = whole_member(side.shape, member)?;
            let gap = subtract(&p, &scale(&vector(point), &weight));
            // |gap| <= slack * weight for the first slack that is large enough.
            for power in -1070..1000 {
                let slack = 2.0_f64.powi(power);
                let allowed = Dyadic::of(slack).times(&weight).squared();
                if power % 8 == 0 && dot(&gap, &gap).compare(&allowed)?.is_le() {
                    return Ok(slack);
                }
            }
            return fault("the sizes are too large for doubles");
        }
        found => found?,
    };
    let gap: Vector3 = std::array::from_fn(|i| {
        let gap = p[i].over(&weight).minus(&Interval::of(point[i]));
        gap.low.abs().max(gap.high.abs())
    });
    // Six operations round by less than 1e-15 in sum, and `inner` of nonnegative numbers does not cancel.
    Ok(inner(gap, gap).sqrt() * (1.0 + 1e-15))
}

/// The surface of a piece, in the frame of its part.
struct Surface<'e> {
    points: &'e [Vector3],
    /// A triangle for each face.
    faces: Vec<[u32; 3]>,
    /// The ends of edges between faces, and the corners opposite to them.
    edges: Vec<([u32; 2], [u32; 2])>,
    center: Vector3,
}

/// Runs a decision with intervals, then exactly.
fn decided<T>(
    rough: impl FnOnce() -> Result<T, Unclear>,
    exact: impl FnOnce() -> Result<T, Unclear>,
) -> Result<T, Trouble> {
    Ok(rough().or_else(|Unclear| exact())?)
}

/// The sign of det(b - a, c - a, d - a): where d is, above the plane of a triangle or below.
fn side_of([a, b, c]: [Vector3; 3], d: Vector3) -> Result<Ordering, Trouble> {
    fn sign<N: Number>(a: Vector3, others: [Vector3; 3]) -> Result<Ordering, Unclear> {
        let from = vector::<N>(a);
        let [b, c, d] = others.map(|p| subtract(&vector(p), &from));
        dot(&cross(&b, &c), &d).sign()
    }
    meter::charge(4);
    decided(|| sign::<Interval>(a, [b, c, d]), || sign::<Dyadic>(a, [b, c, d]))
}

impl<'e> Surface<'e> {
    fn new(piece: &'e DepthPiece) -> Result<Self, Trouble> {
        let DepthPiece { points, triangles, .. } = piece;
        let is_there = |corner: &u32| (*corner as usize) < points.len();
        if !triangles.iter().flatten().all(is_there) || !points.iter().flatten().all(|x| x.is_finite()) {
            return fault("a piece names a corner that is not there, or one that is not finite");
        }
        meter::charge(16 * triangles.len() as u64);
        let mut sides: HashMap<[u32; 2], usize> = HashMap::new();
        for (number, &[p, q, r]) in triangles.iter().enumerate() {
            for edge in [[p, q], [q, r], [r, p]] {
                if sides.insert(edge, number).is_some() {
                    return fault("an edge of a piece has more than two triangles");
                }
            }
        }
        let at = |corner: u32| points[corner as usize];
        let corners = |number: usize| triangles[number].map(at);
        let mean = |of: &[Vector3]| -> Vector3 {
            std::array::from_fn(|i| of.iter().map(|p| p[i] / of.len() as f64).sum::<f64>())
        };
        let center = mean(points);
        // The middle of the widest triangle: that of a sliver is in the cones of those beside it, to rounding.
        let area = |triangle: &[u32; 3]| {
            let [p, q, r] = triangle.map(at);
            let way = |to: Vector3| -> Vector3 { std::array::from_fn(|i| to[i] - p[i]) };
            let normal = product(way(q), way(r));
            inner(normal, normal)
        };
        let widest = triangles.iter().max_by(|p, q| area(p).total_cmp(&area(q)));
        let Some(widest) = widest else { return fault("a piece has no surface") };
        let toward = mean(&widest.map(at));
        let mut met = 0;
        for number in 0..triangles.len() {
            let [p, q, r] = corners(number);
            if side_of([p, q, r], center)? != Ordering::Less {
                return fault("the middle of a piece is not inside of its surface");
            }
            // Is the direction in the cone of the triangle?
            let mut is_in_cone = true;
            for pair in [[p, q], [q, r], [r, p]] {
                is_in_cone = is_in_cone && side_of([center, pair[0], pair[1]], toward)?.is_ge();
            }
            met += u32::from(is_in_cone);
        }
        if met != 1 {
            return fault("the surface of a piece does not go around its middle once");
        }
        // Which triangles are one face, and where two faces meet.
        let mut face: Vec<usize> = (0..triangles.len()).collect();
        fn root(face: &[usize], mut at: usize) -> usize {
            while face[at] != at {
                at = face[at];
            }
            at
        }
        let mut edges = Vec::new();
        for (&[u, v], &number) in &sides {
            let Some(&other) = sides.get(&[v, u]) else { return fault("the surface of a piece is open") };
            if u > v {
                continue;
            }
            let apex = |number: usize| triangles[number].into_iter().find(|&w| w != u && w != v);
            let (Some(w), Some(x)) = (apex(number), apex(other)) else {
                return fault("a triangle of a piece has a corner twice");
            };
            match side_of(corners(number), at(x))? {
                Ordering::Greater => return fault("a piece is not convex"),
                Ordering::Less => edges.push(([u, v], [w, x])),
                Ordering::Equal => {
                    let [p, q] = [number, other].map(|number| root(&face, number));
                    face[p.max(q)] = p.min(q);
                }
            }
        }
        // The order of a map is no one's choice.
        edges.sort_unstable();
        let area = |number: usize| {
            let [p, q, r] = corners(number);
            let n = product(std::array::from_fn(|i| q[i] - p[i]), std::array::from_fn(|i| r[i] - p[i]));
            inner(n, n)
        };
        let mut widest: HashMap<usize, usize> = HashMap::new();
        for number in 0..triangles.len() {
            let best = widest.entry(root(&face, number)).or_insert(number);
            if area(number) > area(*best) {
                *best = number;
            }
        }
        let mut faces: Vec<usize> = widest.into_values().collect();
        faces.sort_unstable();
        let faces = faces.into_iter().map(|number| triangles[number]).collect();
        Ok(Self { points, faces, edges, center })
    }

    /// Is the piece inside of a closed mesh?
    fn is_inside(&self, solid: &ClosedMesh<'_>) -> Result<(), Trouble> {
        let low = |axis: usize| self.points.iter().fold(f64::INFINITY, |least, p| least.min(p[axis]));
        let high = |axis: usize| self.points.iter().fold(f64::NEG_INFINITY, |most, p| most.max(p[axis]));
        let bounds = [0, 1, 2].map(|axis| [low(axis), high(axis)]);
        let mut winding = 0;
        for &corners in solid.mesh.triangles {
            if !meter::charge(4) {
                return Err(Trouble::Unclear);
            }
            let [a, b, c] = corners.map(|corner| &solid.rough[corner as usize]);
            // Boxes that have at most a side in common.
            let is_beside = |axis: usize| {
                a[axis].low.min(b[axis].low).min(c[axis].low) >= bounds[axis][1]
                    || a[axis].high.max(b[axis].high).max(c[axis].high) <= bounds[axis][0]
            };
            let exact = OnceCell::new();
            let exact = || exact.get_or_init(|| corners.map(|corner| solid.exact(corner)));
            if !(0..3).any(is_beside) && !self.is_apart([a, b, c], &exact)? {
                return fault("a piece is not inside of its solid: a triangle goes through it");
            }
            let found = crossing([a, b, c], &vector(self.center), &Interval::of(1.0)).or_else(|Unclear| {
                let [a, b, c] = exact();
                crossing([a, b, c], &vector(self.center), &Dyadic::of(1.0))
            })?;
            // No triangle goes through the middle, so one that is level with it is missed.
            if let Crossing::Leaves(turns) = found {
                winding += turns;
            }
        }
        if winding == 0 { fault("a piece is outside of its solid") } else { Ok(()) }
    }

    /// Is there a plane between a triangle and the interior?
    fn is_apart<'t>(
        &self,
        rough: [&Vector<Interval>; 3],
        exact: &impl Fn() -> &'t [Vector<Dyadic>; 3],
    ) -> Result<bool, Trouble> {
        let corners = || exact().each_ref();
        // Planes of faces: all corners on the outer side.
        for face in &self.faces {
            let face = face.map(|corner| self.points[corner as usize]);
            meter::charge(6);
            if decided(|| is_beyond_face(face, rough), || is_beyond_face(face, corners()))? {
                return Ok(true);
            }
        }
        // That of the triangle: all vertices on one side.
        meter::charge(2 * self.points.len() as u64);
        if decided(|| has_on_one_side(rough, self.points), || has_on_one_side(corners(), self.points))? {
            return Ok(true);
        }
        // Planes along an edge of each.
        for ([u, v], _) in &self.edges {
            let ends = [u, v].map(|&end| self.points[end as usize]);
            for side in 0..3 {
                meter::charge(4 + self.points.len() as u64);
                let is_between = decided(
                    || is_between_edges(ends, rough, side, self.points),
                    || is_between_edges(ends, corners(), side, self.points),
                )?;
                if is_between {
                    return Ok(true);
                }
            }
        }
        Ok(false)
    }
}

/// A closed mesh in the frame of its part, outside of its maps.
pub(super) struct ClosedMesh<'a> {
    mesh: MeshOf<'a>,
    rough: Vec<Vector<Interval>>,
    map: Rigid<Dyadic>,
}

impl<'a> ClosedMesh<'a> {
    /// `None` if the body is no solid.
    pub fn new(body: &Body<'a>) -> Option<Self> {
        let mesh = body.mesh.filter(is_closed)?;
        meter::charge(4 * mesh.vertices.len() as u64);
        let map: Rigid<Interval> = body.side.rigid_of_maps();
        let rough = mesh.vertices.iter().map(|&v| map.scaled_point(&vector(v))).collect();
        Some(Self { mesh, rough, map: body.side.rigid_of_maps() })
    }

    fn exact(&self, corner: u32) -> Vector<Dyadic> {
        self.map.scaled_point(&vector(self.mesh.vertices[corner as usize]))
    }
}

/// Are all corners of a triangle above the plane of a face, or on it?
fn is_beyond_face<N: Number>([p, q, r]: [Vector3; 3], triangle: [&Vector<N>; 3]) -> Result<bool, Unclear> {
    let from = vector::<N>(p);
    let normal = cross(&subtract(&vector(q), &from), &subtract(&vector(r), &from));
    let signs = triangle.map(|corner| dot(&normal, &subtract(corner, &from)).sign());
    if signs.contains(&Ok(Ordering::Less)) {
        return Ok(false);
    }
    signs.into_iter().try_fold(true, |all, sign| Ok(all && sign?.is_ge()))
}

/// Are all points on one side of the plane of a triangle, or on it?
fn has_on_one_side<N: Number>([a, b, c]: [&Vector<N>; 3], points: &[Vector3]) -> Result<bool, Unclear> {
    let normal = cross(&subtract(b, a), &subtract(c, a));
    let signs: Vec<_> = points.iter().map(|&p| dot(&normal, &subtract(&vector(p), a)).sign()).collect();
    if signs.contains(&Ok(Ordering::Less)) && signs.contains(&Ok(Ordering::Greater)) {
        return Ok(false);
    }
    let (mut above, mut below) = (true, true);
    for sign in signs {
        let sign = sign?;
        (above, below) = (above && sign.is_ge(), below && sign.is_le());
    }
    // A triangle without a plane says nothing.
    Ok((above || below) && !(above && below))
}

/// Is a plane along an edge of a piece and a side of a triangle between both?
fn is_between_edges<N: Number>(
    [u, v]: [Vector3; 2],
    triangle: [&Vector<N>; 3],
    side: usize,
    points: &[Vector3],
) -> Result<bool, Unclear> {
    let from = vector::<N>(u);
    let along = subtract(triangle[(side + 1) % 3], triangle[side]);
    let normal = cross(&subtract(&vector(v), &from), &along);
    let height = |p: &Vector<N>| dot(&normal, &subtract(p, &from));
    // The edge is at height zero: all of the piece on one side, all of the triangle on the other.
    let (mut is_above, mut is_below) = (false, false);
    let mut unclear = false;
    let mut look = |sign: Result<Ordering, Unclear>, is_piece: bool| match sign {
        Ok(Ordering::Equal) => {}
        Ok(sign) => {
            is_above |= (sign == Ordering::Greater) == is_piece;
            is_below |= (sign == Ordering::Less) == is_piece;
        }
        Err(Unclear) => unclear = true,
    };
    for corner in triangle {
        look(height(corner).sign(), false);
    }
    for p in points {
        look(height(&vector(*p)).sign(), true);
    }
    match (is_above && is_below, unclear) {
        (true, _) => Ok(false),
        (false, true) => Err(Unclear),
        (false, false) => Ok(is_above != is_below),
    }
}
