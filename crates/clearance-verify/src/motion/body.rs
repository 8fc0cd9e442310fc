//! One of two moving bodies: how far it reaches along a direction at a time, and how fast that can change.

use super::course::Course;
use crate::number::{Matrix, Real, Roots, Unclear, Vector, cross, dot, map, meter, norm, subtract, transpose, vector};
use crate::shape::{Plane, Shape, Trouble, core_heights, plane};
use std::cmp::Ordering;

/// A body that keeps to one law.
pub(super) struct Body<'a, N> {
    core: &'a Shape,
    /// The balls around the core.
    radius: N,
    pub course: Course<N>,
    /// The unit normal of a half-space in its own frame, and how far its plane is from the centre.
    pub plane: Option<(Vector<N>, N)>,
    /// No point of the core is farther from the centre.
    pub reach: N,
    /// How the body turns.
    pub turning: Option<Turning<N>>,
}

/// What a body sweeps as it turns about its axis.
pub(super) struct Turning<N> {
    /// The axis in the world.
    pub axis: Vector<N>,
    pub rate: N,
    /// ρ: no point of the core is farther from the axis.
    pub across: N,
    /// The heights of the core along the axis, from the centre.
    along: [N; 2],
    /// No height changes by more than this, however far the body turns: little for a ball about its centre, a cylinder about itself.
    pub moved: N,
}

impl<'a, N: Real> Body<'a, N> {
    pub fn new(shape: &'a Shape, course: Course<N>) -> Result<Self, Trouble> {
        let (core, radii) = shape.split();
        let radius = radii.into_iter().fold(N::zero(), |sum, radius| sum.plus(&N::of(radius)));
        if shape.is_plane() {
            let Plane { normal, offset } = plane::<N>(shape)?;
            let length = norm(&normal);
            let unit = divided(&normal, &length)?;
            let level = N::value(&offset).quotient(&length)?.minus(&dot(&unit, &course.center));
            return Ok(Self {
                core,
                radius: N::zero(),
                course,
                plane: Some((unit, level)),
                reach: N::zero(),
                turning: None,
            });
        }
        let reach = reach_from(core, &course.center)?;
        let turning = turning(core, &course, &reach)?;
        Ok(Self { core, radius, course, plane: None, reach, turning })
    }

    /// How far the body reaches along a unit vector of the world, above its centre.
    pub fn height(&self, n: &Vector<N>, rotation: &Matrix<N>) -> Result<N, Trouble> {
        let local = map(&transpose(rotation), n);
        Ok(highest(self.core, &local)?.minus(&dot(&local, &self.course.center)).plus(&self.radius))
    }

    /// How far what the body sweeps by turning reaches along a unit vector.
    pub fn swept_height(&self, n: &Vector<N>, turning: &Turning<N>) -> N {
        let along = dot(n, &turning.axis);
        let [low, high] = &turning.along;
        let farthest = along.times(high).larger(&along.times(low));
        farthest.plus(&norm(&cross(n, &turning.axis)).times(&turning.across)).plus(&self.radius)
    }
}

/// How far a core reaches along a vector of its own frame.
fn highest<N: Real>(core: &Shape, n: &Vector<N>) -> Result<N, Trouble> {
    let all = core_heights(core, n);
    let value = |sum: &Roots<N>| N::value(sum);
    let fault = || Trouble::Fault("a part is neither convex nor a half-space".into());
    all.iter().map(value).reduce(|a, b| a.larger(&b)).ok_or_else(fault)
}

fn divided<N: Real>(v: &Vector<N>, by: &N) -> Result<Vector<N>, Unclear> {
    Ok([v[0].quotient(by)?, v[1].quotient(by)?, v[2].quotient(by)?])
}

/// A unit vector along one of any length.
pub(super) fn unit<N: Real>(v: [f64; 3]) -> Result<Vector<N>, Trouble> {
    if !v.iter().all(|x| x.is_finite()) || v == [0.0; 3] {
        return Err(Trouble::Fault("a direction is zero or not finite".into()));
    }
    let v = vector(v);
    Ok(divided(&v, &norm(&v))?)
}

/// The vertices of a core, images among them, if it is a polytope.
fn corners<N: Real>(core: &Shape) -> Option<Vec<Vector<N>>> {
    match core {
        Shape::Affine { shape, matrix } if shape.split().1.is_empty() => {
            let rows = matrix.map(vector);
            Some(corners(shape)?.iter().map(|v| map(&rows, v)).collect())
        }
        Shape::Affine { .. } => None,
        _ => Some(core.core_vertices()?.into_iter().map(vector).collect()),
    }
}

/// The lesser of two upper bounds.
fn lesser<N: Real>(a: N, b: N) -> N {
    if b.high() < a.high() { b } else { a }
}

/// The largest of numbers that are not negative.
fn largest<N: Real>(all: impl Iterator<Item = N>) -> N {
    all.fold(N::zero(), |most, x| most.larger(&x))
}

/// An upper bound of the distance of a core's points from a point of its frame.
pub(super) fn reach_from<N: Real>(core: &Shape, center: &Vector<N>) -> Result<N, Trouble> {
    meter::charge(64 + 16 * core.numbers());
    if let Some(corners) = corners::<N>(core) {
        return Ok(largest(corners.iter().map(|p| norm(&subtract(p, center)))).top()?);
    }
    // A box around the core, by its heights along the axes.
    let mut square = N::zero();
    for axis in 0..3 {
        let far = farthest(core, center, &std::array::from_fn(|i| N::of(if i == axis { 1.0 } else { 0.0 })))?;
        square = square.plus(&far.squared());
    }
    let ball = extent::<N>(core).plus(&norm(center));
    Ok(lesser(square.root(), ball).top()?)
}

/// An upper bound of the distance of a shape's points from its origin, balls included unless they are those of the core asked for.
fn extent<N: Real>(shape: &Shape) -> N {
    let of = |all: &[f64]| largest(all.iter().map(|x| N::of(*x)));
    match shape {
        Shape::Cylinder { radius, half_height } | Shape::Cone { radius, half_height } => {
            N::of(*radius).squared().plus(&N::of(*half_height).squared()).root()
        }
        Shape::Ellipsoid { radii } => of(radii),
        Shape::Affine { shape, matrix } => {
            // |M|² is at most the largest sum of a row of |MᵀM|, and of the squares of all entries.
            let columns = transpose(&matrix.map(vector::<N>));
            let size = |x: N| x.larger(&x.negated());
            let row = |i: usize| (0..3).fold(N::zero(), |sum, j| sum.plus(&size(dot(&columns[i], &columns[j]))));
            let rows = largest((0..3).map(row));
            let all = (0..3).fold(N::zero(), |sum, i| sum.plus(&dot(&columns[i], &columns[i])));
            let (core, radii) = shape.split();
            let balls = radii.into_iter().fold(N::zero(), |sum, radius| sum.plus(&N::of(radius)));
            lesser(rows, all).root().times(&extent::<N>(core).plus(&balls))
        }
        _ => match corners::<N>(shape) {
            Some(corners) => largest(corners.iter().map(norm)),
            // Neither planes nor unions come here.
            None => N::between(0.0, f64::MAX),
        },
    }
}

/// How far a core reaches along a line through a point, at either end.
fn farthest<N: Real>(core: &Shape, center: &Vector<N>, d: &Vector<N>) -> Result<N, Trouble> {
    let origin = dot(d, center);
    let back = [d[0].negated(), d[1].negated(), d[2].negated()];
    Ok(highest(core, d)?.minus(&origin).larger(&highest(core, &back)?.plus(&origin)).larger(&N::zero()))
}

fn turning<N: Real>(core: &Shape, course: &Course<N>, reach: &N) -> Result<Option<Turning<N>>, Trouble> {
    let Some(spin) = &course.spin else { return Ok(None) };
    // The axis in the frame of the body does not turn with it.
    let local = map(&transpose(&course.rotation_at_start()), &spin.axis);
    let center = &course.center;
    let across = match corners::<N>(core) {
        Some(corners) => largest(corners.iter().map(|p| norm(&cross(&subtract(p, center), &local)))),
        None => {
            // A box across the axis. Of which sides does not matter; these are at right angles and of length one whichever sign is taken (Duff
            // et al. 2017), and one of the two signs has no small divisor.
            let mut least = reach.clone();
            for sign in [1.0, -1.0] {
                if sign * (local[2].low() + local[2].high()) < -1.0 {
                    continue;
                }
                let [x, y] = sides(&local, sign)?;
                let far = [farthest(core, center, &x)?, farthest(core, center, &y)?];
                least = lesser(least, far[0].squared().plus(&far[1].squared()).root());
            }
            least
        }
    };
    let across = lesser(across, reach.clone()).top()?;
    let origin = dot(&local, center);
    let back = [local[0].negated(), local[1].negated(), local[2].negated()];
    let along = [highest(core, &back)?.plus(&origin).negated(), highest(core, &local)?.minus(&origin)];
    let mut moved = across.plus(&across);
    if let Some(axis) = symmetry::<N>(core) {
        moved = lesser(moved, moved_about(&axis, &local, center, reach)?);
    }
    let (axis, rate) = (spin.axis.clone(), spin.rate.clone());
    Ok(Some(Turning { axis, rate, across, along, moved: moved.top()? }))
}

/// Two vectors at right angles to a unit vector and to each other.
fn sides<N: Real>(u: &Vector<N>, sign: f64) -> Result<[Vector<N>; 2], Unclear> {
    let [x, y, z] = u;
    let s = N::of(sign);
    let a = N::of(-1.0).quotient(&s.plus(z))?;
    let b = x.times(y).times(&a);
    Ok([
        [N::of(1.0).plus(&s.times(&x.squared()).times(&a)), s.times(&b), s.times(x).negated()],
        [b, s.plus(&y.squared().times(&a)), y.negated()],
    ])
}

/// The line through the origin about which a core is turned into itself, if it is one of those that are known.
pub(super) fn symmetry<N: Real>(core: &Shape) -> Option<Vector<N>> {
    let axis = |number: usize| std::array::from_fn(|i| N::of(if i == number { 1.0 } else { 0.0 }));
    match core {
        Shape::Cylinder { .. } | Shape::Cone { .. } => Some(axis(1)),
        Shape::Ellipsoid { radii: [x, y, z] } => match (x == y, y == z, z == x) {
            (true, ..) => Some(axis(2)),
            (_, true, _) => Some(axis(0)),
            (_, _, true) => Some(axis(1)),
            _ => None,
        },
        // Axes that are exchanged, as files spell upright shapes that lie.
        Shape::Affine { shape, matrix } if shape.split().1.is_empty() => {
            let is_unit = |row: &[f64; 3]| row.iter().filter(|x| x.abs() == 1.0).count() == 1;
            let has_zeros = |row: &[f64; 3]| row.iter().filter(|x| **x == 0.0).count() == 2;
            let columns: [[f64; 3]; 3] = std::array::from_fn(|j| std::array::from_fn(|i| matrix[i][j]));
            let all = || matrix.iter().chain(&columns);
            let inner = symmetry::<N>(shape)?;
            (all().all(is_unit) && all().all(has_zeros)).then(|| map(&matrix.map(vector), &inner))
        }
        _ => None,
    }
}

/// By how much a turn about u through the centre differs from one by the same angle about d through the origin, which leaves the core
/// as it is.
///
/// With α between the two lines the turns differ by R - P R Pᵀ with a P that turns by α, so by 2 |P - I| = 4 sin α/2 at most; and those
/// about lines that are `off` from each other by 2 off more.
fn moved_about<N: Real>(d: &Vector<N>, u: &Vector<N>, center: &Vector<N>, reach: &N) -> Result<N, Trouble> {
    let sine = norm(&cross(u, d));
    let cosine = dot(u, d);
    let cosine = if cosine.high() < 0.0 { cosine.negated() } else { cosine };
    if cosine.sign() != Ok(Ordering::Greater) {
        // At right angles, or nearly: no better than any turn.
        return Ok(reach.plus(reach));
    }
    // sin α/2 = sin α / (2 cos α/2), cos² α/2 = (1 + cos α) / 2.
    let half = N::of(1.0).plus(&cosine).times(&N::of(0.5)).root();
    let off = norm(&cross(center, d));
    let tilt = sine.quotient(&half)?.times(reach);
    Ok(off.plus(&tilt).times(&N::of(2.0)))
}
