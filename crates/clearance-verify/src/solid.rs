//! Containment in closed meshes, decided exactly.
//!
//! **Winding.** Let every edge of a surface be run through as often one way as the other. The winding number of a point off the surface is the number
//! of times that a ray from it leaves through the surface, less the number of times that it enters. The ray goes along x, from the point
//! perturbed symbolically along y, and by a smaller order along z. So it meets no edge, and all triangles around an edge decide
//! every tie the same way. The perturbation changes nothing, since the point is not on the surface.
//!
//! **Containment.** Let every part of one shape be strictly apart from every part of another. Then each connected piece of one (a convex
//! part, or all triangles of a mesh that share vertices) is inside of a solid of the other as a whole or outside as a whole. And if the two
//! shapes have a point in common, then such a piece of one is inside of a solid of the other. Follow any ray from the common point to the
//! first of the two surfaces, which is still within the other shape. So one point of each piece decides.
//!
//! Corners are used times the divisor of their pose, so that there are no fractions; points have a weight.

use crate::decide::{CoreDistance, between};
use crate::evidence::Member;
use crate::number::{Dyadic, Interval, Number, Unclear, Vector, cross, dot, meter, scale, subtract, vector};
use crate::parts::{MeshOf, Side};
use crate::pose::Rigid;
use crate::shape::{Homogeneous, Trouble, core_member, core_point};
use std::cell::OnceCell;
use std::cmp::Ordering;
use std::collections::HashMap;

/// The cost of a triangle. Limit: operations that the crossing test of a ray and a triangle takes with intervals.
const LOOK: u64 = 16;

/// A shape that was taken apart no further than to this.
pub(crate) struct Body<'a> {
    /// The first of its parts.
    pub side: Side<'a>,
    pub mesh: Option<MeshOf<'a>>,
}

impl<'a> Body<'a> {
    /// The body somewhere else.
    pub fn moved_by(&self, translation: [f64; 3]) -> Self {
        Self { side: self.side.moved_by(translation), mesh: self.mesh }
    }

    /// A point of each connected piece; none of a half-space, which is in no solid.
    pub fn pieces(&self) -> Pieces<'a> {
        let points = match &self.mesh {
            Some(mesh) => components(mesh).into_iter().map(Point::Vertex).collect(),
            None if self.side.is_plane() => Vec::new(),
            None => vec![Point::Any],
        };
        Pieces { side: self.side, points }
    }

    /// Its solid, if it is a closed mesh.
    pub fn solid(&self) -> Option<Solid<'a>> {
        self.mesh.filter(is_closed).map(|mesh| Solid::new(mesh, self.side))
    }
}

/// Points of the pieces of a body.
pub(crate) struct Pieces<'a> {
    side: Side<'a>,
    points: Vec<Point<'a>>,
}

/// Is every edge run through as often one way as the other?
pub(crate) fn is_closed(mesh: &MeshOf<'_>) -> bool {
    meter::charge(LOOK * mesh.triangles.len() as u64);
    let mut crossings: HashMap<(u32, u32), i64> = HashMap::new();
    for &[a, b, c] in mesh.triangles {
        // A side from a vertex to itself is no edge.
        for (from, to) in [(a, b), (b, c), (c, a)].into_iter().filter(|(from, to)| from != to) {
            *crossings.entry((from.min(to), from.max(to))).or_default() += if from < to { 1 } else { -1 };
        }
    }
    crossings.values().all(|&sum| sum == 0)
}

/// A vertex of every connected piece of a surface: connected by vertex numbers, or by equal coordinates.
pub(crate) fn components(mesh: &MeshOf<'_>) -> Vec<[f64; 3]> {
    meter::charge(LOOK * mesh.numbers());
    let mut parents: Vec<u32> = (0..mesh.vertices.len() as u32).collect();
    fn root(parents: &mut [u32], mut at: u32) -> u32 {
        while parents[at as usize] != at {
            // Paths are halved on the way.
            parents[at as usize] = parents[parents[at as usize] as usize];
            at = parents[at as usize];
        }
        at
    }
    let join = |one: u32, other: u32, parents: &mut Vec<u32>| {
        let [one, other] = [root(parents, one), root(parents, other)];
        parents[one.max(other) as usize] = one.min(other);
    };
    let mut at: HashMap<[u64; 3], u32> = HashMap::new();
    for (number, vertex) in mesh.vertices.iter().enumerate() {
        // Zero and minus zero are one place.
        let first = *at.entry(vertex.map(|x| (x + 0.0).to_bits())).or_insert(number as u32);
        join(number as u32, first, &mut parents);
    }
    for &[a, b, c] in mesh.triangles {
        join(a, b, &mut parents);
        join(b, c, &mut parents);
    }
    let mut is_new = vec![true; parents.len()];
    let first = mesh.triangles.iter().map(|corners| corners[0]);
    first
        .filter(|&vertex| std::mem::take(&mut is_new[root(&mut parents, vertex) as usize]))
        .map(|vertex| mesh.vertices[vertex as usize])
        .collect()
}

impl MeshOf<'_> {
    fn numbers(&self) -> u64 {
        (self.vertices.len() + self.triangles.len()) as u64
    }
}

/// A point to be looked for, of the core of a part.
enum Point<'p> {
    /// Of a mesh, by its coordinates.
    Vertex([f64; 3]),
    /// Some point.
    Any,
    /// The evidence.
    Member(&'p Member),
}

/// Such a point in the common frame: roughly, and exactly if that is needed.
struct Probe<'p> {
    side: &'p Side<'p>,
    point: &'p Point<'p>,
    rough: Homogeneous<Interval>,
    exact: OnceCell<Homogeneous<Dyadic>>,
}

impl<'p> Probe<'p> {
    fn new(side: &'p Side<'p>, point: &'p Point<'p>) -> Result<Self, Trouble> {
        let rough = match at(side, point) {
            Err(Trouble::Unclear) => ([Interval::EVERYTHING; 3], Interval::of(1.0)),
            found => found?,
        };
        Ok(Self { side, point, rough, exact: OnceCell::new() })
    }

    fn exact(&self) -> Result<&Homogeneous<Dyadic>, Trouble> {
        if self.exact.get().is_none() {
            let _ = self.exact.set(at(self.side, self.point)?);
        }
        self.exact.get().ok_or(Trouble::Unclear)
    }
}

fn at<N: Number>(side: &Side<'_>, point: &Point<'_>) -> Result<Homogeneous<N>, Trouble> {
    let local = match point {
        Point::Vertex(vertex) => (vector(*vertex), N::of(1.0)),
        Point::Any => (core_point(side.core()), N::of(1.0)),
        Point::Member(member) => core_member(side.core(), member)?,
    };
    Ok(side.rigid().point(&local))
}

/// Where a point is.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Place {
    Inside,
    Surface,
    Outside,
}

/// A closed mesh at its place.
pub(crate) struct Solid<'a> {
    mesh: MeshOf<'a>,
    rough: Vec<Vector<Interval>>,
    rough_divisor: Interval,
    exact: Rigid<Dyadic>,
    /// The least box of the vertices: lower and upper ends.
    bounds: [[f64; 3]; 2],
}

impl<'a> Solid<'a> {
    fn new(mesh: MeshOf<'a>, side: Side<'a>) -> Self {
        meter::charge(LOOK * mesh.vertices.len() as u64);
        let rigid = side.rigid::<Interval>();
        let rough: Vec<Vector<Interval>> = mesh.vertices.iter().map(|&v| rigid.scaled_point(&vector(v))).collect();
        let low = |axis: usize| rough.iter().fold(f64::INFINITY, |least, v| least.min(v[axis].low));
        let high = |axis: usize| rough.iter().fold(f64::NEG_INFINITY, |most, v| most.max(v[axis].high));
        let bounds = [[0, 1, 2].map(low), [0, 1, 2].map(high)];
        Self { mesh, rough, rough_divisor: rigid.divisor, exact: side.rigid(), bounds }
    }

    /// Does the solid contain one of some pieces, or touch one of their sample points?
    pub fn holds_any(&self, pieces: &Pieces<'_>) -> Result<bool, Trouble> {
        for point in &pieces.points {
            if meter::is_exhausted() {
                return Err(Trouble::Unclear);
            }
            if self.place_of(&Probe::new(&pieces.side, point)?)? != Place::Outside {
                return Ok(true);
            }
        }
        Ok(false)
    }

    /// The bound of a point of a part that is inside: is the signed distance that it shows less than, equal to or greater than a threshold?
    pub fn bound(&self, side: &Side<'_>, member: &Member, threshold: f64) -> Result<Ordering, Trouble> {
        let point = Point::Member(member);
        let probe = Probe::new(side, &point)?;
        let place = self.place_of(&probe)?;
        if place == Place::Outside {
            return Err(Trouble::Fault("the point is not inside of the solid".into()));
        }
        // So far it has to be from the surface.
        let needed = side.radius::<Dyadic>().plus(&Dyadic::of(threshold)).negated();
        if needed.sign()? == Ordering::Less {
            return Ok(Ordering::Less);
        }
        if place == Place::Surface {
            return Ok(if needed.sign()? == Ordering::Equal { Ordering::Equal } else { Ordering::Greater });
        }
        let rough_needed = side.radius::<Interval>().plus(&Interval::of(threshold)).negated();
        let mut worst = Ordering::Less;
        for &corners in self.mesh.triangles {
            if meter::is_exhausted() {
                return Err(Trouble::Unclear);
            }
            meter::charge(LOOK);
            if self.is_surely_beyond(corners, &probe.rough, &rough_needed) {
                continue;
            }
            let found = self.between(corners, probe.exact()?)?;
            worst = worst.max(found.compare_with(&needed)?.reverse());
        }
        Ok(worst)
    }

    /// Is a triangle farther from a point than needed, as far as intervals can tell from its box and its plane?
    fn is_surely_beyond(&self, corners: [u32; 3], (q, w): &Homogeneous<Interval>, needed: &Interval) -> bool {
        let needed = needed.times(w).times(&self.rough_divisor);
        let square = needed.squared();
        let [a, b, c] = corners.map(|corner| subtract(&scale(&self.rough[corner as usize], w), &self.scaled(q)));
        let apart = |axis: usize| {
            let low = a[axis].low.min(b[axis].low).min(c[axis].low);
            let high = a[axis].high.max(b[axis].high).max(c[axis].high);
            Interval::of(low.max(-high).max(0.0))
        };
        let gap = [0, 1, 2].map(apart);
        if dot(&gap, &gap).compare(&square) == Ok(Ordering::Greater) {
            return true;
        }
        let normal = cross(&subtract(&b, &a), &subtract(&c, &a));
        let height = dot(&normal, &a);
        height.squared().compare(&square.times(&dot(&normal, &normal))) == Ok(Ordering::Greater)
    }

    /// A rough point in the unit of the corners.
    fn scaled(&self, q: &Vector<Interval>) -> Vector<Interval> {
        scale(q, &self.rough_divisor)
    }

    fn exact_corners(&self, corners: [u32; 3]) -> [Vector<Dyadic>; 3] {
        corners.map(|corner| self.exact.scaled_point(&vector(self.mesh.vertices[corner as usize])))
    }

    /// The exact distance of a triangle and a point.
    fn between(&self, corners: [u32; 3], (q, w): &Homogeneous<Dyadic>) -> Result<CoreDistance, Trouble> {
        let placed = (self.exact_corners(corners).to_vec(), self.exact.divisor.clone());
        between(&placed, &(vec![q.clone()], w.clone()), Dyadic::zero()).ok_or(Trouble::Unclear)
    }

    fn place_of(&self, probe: &Probe) -> Result<Place, Trouble> {
        let (q, w) = (&self.scaled(&probe.rough.0), &probe.rough.1);
        meter::charge(LOOK);
        let [low, high] = &self.bounds;
        let is_beyond = |axis: usize| {
            q[axis].compare(&Interval::of(low[axis]).times(w)) == Ok(Ordering::Less)
                || q[axis].compare(&Interval::of(high[axis]).times(w)) == Ok(Ordering::Greater)
        };
        if (0..3).any(is_beyond) {
            return Ok(Place::Outside);
        }
        let mut winding = 0;
        for &corners in self.mesh.triangles {
            if meter::is_exhausted() {
                return Err(Trouble::Unclear);
            }
            meter::charge(LOOK);
            let rough = corners.map(|corner| &self.rough[corner as usize]);
            let found = match crossing(rough, q, w) {
                Ok(found) => found,
                Err(Unclear) => {
                    let placed = self.exact_corners(corners);
                    let (q, w) = probe.exact()?;
                    crossing([&placed[0], &placed[1], &placed[2]], &scale(q, &self.exact.divisor), w)?
                }
            };
            match found {
                Crossing::Leaves(turns) => winding += turns,
                Crossing::Missed => {}
                // In its plane, or it has none.
                Crossing::Level => {
                    let distance = self.between(corners, probe.exact()?)?;
                    if distance.compare_with(&Dyadic::zero())?.is_le() {
                        return Ok(Place::Surface);
                    }
                }
            }
        }
        Ok(if winding == 0 { Place::Outside } else { Place::Inside })
    }
}

/// How a ray from a point along x meets a triangle.
pub(crate) enum Crossing {
    /// The number of times that it leaves through it: +1, or -1 if it enters.
    Leaves(i64),
    Missed,
    /// The point is in the plane of the triangle and within its box, maybe on it: if it is not, the ray misses it.
    Level,
}

/// How a ray from a point `q / w` along x meets a triangle; the point is moved by less than anything, unless it is on the triangle.
pub(crate) fn crossing<N: Number>([a, b, c]: [&Vector<N>; 3], q: &Vector<N>, w: &N) -> Result<Crossing, Unclear> {
    // Relative to the point, times its weight.
    let [a, b, c] = [a, b, c].map(|corner| subtract(&scale(corner, w), q));
    // Behind or beside the triangle, or above or below: most are.
    let signs =
        |axis: usize| -> Result<[Ordering; 3], Unclear> { Ok([a[axis].sign()?, b[axis].sign()?, c[axis].sign()?]) };
    for axis in [2, 1, 0] {
        if let Ok(found) = signs(axis)
            && (found.iter().all(|sign| sign.is_lt()) || axis != 0 && found.iter().all(|sign| sign.is_gt()))
        {
            return Ok(Crossing::Missed);
        }
    }
    let height = dot(&cross(&subtract(&b, &a), &subtract(&c, &a)), &a).negated().sign()?;
    if height.is_eq() {
        let all_ahead = signs(0)?.iter().all(|sign| sign.is_gt());
        return Ok(if all_ahead { Crossing::Missed } else { Crossing::Level });
    }
    // The winding of the triangle's projection along x about the point.
    let mut turns = 0;
    for [u, v] in [[&a, &b], [&b, &c], [&c, &a]] {
        turns += passes(u, v)?;
    }
    // Where the projection turns counter-clockwise the normal points along +x: the ray comes from below it. Else from above.
    let is_ahead = if turns > 0 { height.is_lt() } else { height.is_gt() };
    Ok(if turns != 0 && is_ahead { Crossing::Leaves(turns) } else { Crossing::Missed })
}

/// Does a side of the projection pass the origin at larger y: +1 upwards in z, -1 downwards, else 0.
fn passes<N: Number>(u: &Vector<N>, v: &Vector<N>) -> Result<i64, Unclear> {
    // The point is a little higher than what is level with it.
    let (is_low_u, is_low_v) = (u[2].sign()?.is_le(), v[2].sign()?.is_le());
    if is_low_u == is_low_v {
        return Ok(0);
    }
    // Positive if the point is to the left of the side, in the plane of y and z. On the side itself, it is a little further along y: to the
    // right of what goes up, to the left of what goes down.
    let turn = u[1].times(&v[2]).minus(&u[2].times(&v[1])).sign()?;
    Ok(match is_low_u {
        true => i64::from(turn.is_gt()),
        false => -i64::from(turn.is_lt()),
    })
}
