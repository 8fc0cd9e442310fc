//! One of two moving bodies, or some of its parts: how far it reaches along a direction at a time, and how fast that can change.
//!
//! The heights of a set are those of its highest part, and a point of any part moves with the body. So the largest bounds of all parts are
//! bounds of the set: the largest radius, the largest distance from the axis.

use super::course::Course;
use crate::number::{
    Matrix, Real, Roots, Unclear, Vector, add, cross, dot, map, meter, negate, norm, scale, subtract, transpose, vector,
};
use crate::parts::Side;
use crate::pose::Rigid;
use crate::shape::{Plane, Shape, Trouble, core_heights, plane};
use std::cell::OnceCell;
use std::cmp::Ordering;
use std::ops::Range;

/// A part of a body, in the frame of the body.
pub(super) struct BodyPart<'a, N> {
    pub side: Side<'a>,
    /// Where it is in that frame; `None` if that is its own.
    place: Option<Rigid<N>>,
    /// The balls around the core.
    radius: N,
    sizes: OnceCell<Result<Sizes<N>, Trouble>>,
}

/// How far the core of a part reaches from the centre, and how it turns.
#[derive(Clone)]
struct Sizes<N> {
    reach: N,
    turning: Option<PartTurning<N>>,
}

/// The volume that a part sweeps as the body turns.
#[derive(Clone)]
struct PartTurning<N> {
    across: N,
    along: [N; 2],
    moved: N,
}

/// All parts of a shape that keeps to one law.
pub(super) struct BodyParts<'a, N> {
    pub course: Course<N>,
    pub parts: Vec<BodyPart<'a, N>>,
}

/// Some parts of a body: one half-space, or any that are bounded.
pub(super) struct Body<'s, 'a, N> {
    parts: &'s [BodyPart<'a, N>],
    pub course: &'s Course<N>,
    /// The unit normal of a half-space in the frame of the body, and how far its plane is from the centre.
    pub plane: Option<(Vector<N>, N)>,
    /// No point of a core is farther from the centre.
    pub reach: N,
    /// How the body turns.
    pub turning: Option<Turning<N>>,
}

/// The volume that a body sweeps as it turns about its axis.
pub(super) struct Turning<N> {
    /// The axis in the world.
    pub axis: Vector<N>,
    pub rate: N,
    /// ρ: no point of a core is farther from the axis.
    pub across: N,
    /// The heights of cores along the axis, from the centre, and how far they are from it: for each radius that there is.
    swept: Vec<(N, [N; 2], N)>,
    /// No height changes by more than this, however far the body turns: little for a ball about its centre, a cylinder about itself.
    pub moved: N,
}

impl<'a, N: Real> BodyParts<'a, N> {
    /// Parts whose frame is that of the body.
    pub fn new(sides: &[Side<'a>], course: Course<N>) -> Self {
        meter::charge(4 * sides.len() as u64);
        let part = |side: &Side<'a>| BodyPart {
            side: *side,
            place: side.is_placed().then(|| side.rigid()),
            radius: side.radius(),
            sizes: OnceCell::new(),
        };
        Self { course, parts: sides.iter().map(part).collect() }
    }

    /// A set of the parts.
    pub fn body(&self, set: Range<usize>) -> Result<Body<'_, 'a, N>, Trouble> {
        let (parts, course) = (&self.parts[set], &self.course);
        meter::charge(4 * parts.len() as u64);
        let zero = N::zero;
        if let Some(part) = parts.iter().find(|part| part.side.is_plane()) {
            if parts.len() > 1 {
                return Err(Trouble::Fault("a half-space is in a set with other parts".into()));
            }
            let plane = Some(part.plane(&course.center)?);
            return Ok(Body { parts, course, plane, reach: zero(), turning: None });
        }
        let mut reach = zero();
        let mut turning: Option<Turning<N>> = None;
        for part in parts {
            let sizes = part.sizes(course)?;
            reach = reach.larger(&sizes.reach);
            let (Some(PartTurning { across, along, moved }), Some(spin)) = (sizes.turning, &course.spin) else {
                continue;
            };
            let all = turning.get_or_insert_with(|| Turning {
                axis: spin.axis.clone(),
                rate: spin.rate.clone(),
                across: zero(),
                swept: Vec::new(),
                moved: zero(),
            });
            (all.across, all.moved) = (all.across.larger(&across), all.moved.larger(&moved));
            let is_alike = |(radius, ..): &&mut (N, [N; 2], N)| {
                radius.low() == part.radius.low() && radius.high() == part.radius.high()
            };
            match all.swept.iter_mut().find(is_alike) {
                Some((_, [low, high], widest)) => {
                    *low = low.negated().larger(&along[0].negated()).negated();
                    *high = high.larger(&along[1]);
                    *widest = widest.larger(&across);
                }
                None => all.swept.push((part.radius.clone(), along, across)),
            }
        }
        Ok(Body { parts, course, plane: None, reach, turning })
    }
}

impl<N: Real> BodyPart<'_, N> {
    /// The unit normal of a half-space, and how far its plane is from the centre.
    fn plane(&self, center: &Vector<N>) -> Result<(Vector<N>, N), Trouble> {
        let Plane { normal, offset } = plane::<N>(self.side.shape)?;
        let (normal, level) = match &self.place {
            None => (normal, N::value(&offset)),
            // Times d, all of it: the normal is d times a rotated one, and so is the shift.
            Some(rigid) => {
                let turned = rigid.direction(&normal);
                let level = N::value(&offset).times(&rigid.divisor.squared()).plus(&dot(rigid.shift(), &turned));
                (turned, level.quotient(&rigid.divisor)?)
            }
        };
        let length = norm(&normal);
        let unit = divided(&normal, &length)?;
        let level = level.quotient(&length)?.minus(&dot(&unit, center));
        Ok((unit, level))
    }

    fn sizes(&self, course: &Course<N>) -> Result<Sizes<N>, Trouble> {
        let found = self.sizes.get_or_init(|| {
            let placed = PlacedCore { core: self.side.core(), place: self.place.as_ref() };
            let reach = placed.reach_from(&course.center)?;
            Ok(Sizes { turning: placed.turning(course, &reach)?, reach })
        });
        found.clone()
    }
}

impl<N: Real> Body<'_, '_, N> {
    /// How far the body reaches along a unit vector of the world, above its centre.
    pub fn height(&self, n: &Vector<N>, rotation: &Matrix<N>) -> Result<N, Trouble> {
        let local = map(&transpose(rotation), n);
        let mut highest: Option<N> = None;
        // Triangles of a mesh come in long runs with the same place.
        let mut last: Option<(&Side<'_>, Vector<N>, N)> = None;
        for part in self.parts {
            let height = match &part.place {
                None => highest_of(part.side.core(), &local)?,
                Some(rigid) => {
                    if !last.as_ref().is_some_and(|(side, ..)| side.is_placed_like(&part.side)) {
                        let inner = divided(&rigid.local_direction(&local), &rigid.divisor)?;
                        let shift = dot(rigid.shift(), &local).quotient(&rigid.divisor)?;
                        last = Some((&part.side, inner, shift));
                    }
                    let Some((_, inner, shift)) = &last else { return Err(Trouble::Unclear) };
                    highest_of(part.side.core(), inner)?.plus(shift)
                }
            };
            let height = height.plus(&part.radius);
            highest = Some(highest.map_or_else(|| height.clone(), |most| most.larger(&height)));
        }
        let fault = || Trouble::Fault("a set of parts is empty".into());
        Ok(highest.ok_or_else(fault)?.minus(&dot(&local, &self.course.center)))
    }

    /// How far what the body sweeps by turning reaches along a unit vector.
    pub fn swept_height(&self, n: &Vector<N>, turning: &Turning<N>) -> N {
        let (along, beside) = (dot(n, &turning.axis), norm(&cross(n, &turning.axis)));
        let of = |(radius, [low, high], across): &(N, [N; 2], N)| {
            let farthest = along.times(high).larger(&along.times(low));
            farthest.plus(&beside.times(across)).plus(radius)
        };
        turning.swept.iter().map(of).reduce(|a, b| a.larger(&b)).unwrap_or_else(N::zero)
    }
}

impl<N: Real> Body<'_, '_, N> {
    /// An upper bound of the distance of the body from a line along a unit vector, with its centre at `place` relative to a point of the
    /// line. It holds at one time, or for a body that rotates, at all times.
    pub fn farthest(&self, axis: &Vector<N>, place: &Vector<N>, rotation: &Matrix<N>) -> Result<N, Trouble> {
        if self.plane.is_some() {
            return Err(Trouble::Fault("a half-space is within no cylinder".into()));
        }
        let off = |v: &Vector<N>| norm(&cross(v, axis));
        let at_rest = self.farthest_at_rest(axis, place, rotation)?;
        if let Some(turning) = &self.turning {
            let tilt = off(&turning.axis);
            let of = |(radius, [low, high], across): &(N, [N; 2], N)| {
                let along = high.larger(&low.negated()).larger(&N::zero());
                lesser(along.times(&tilt).plus(across), self.reach.clone()).plus(radius)
            };
            let swept = turning.swept.iter().map(of).reduce(|a, b| a.larger(&b)).unwrap_or_else(N::zero);
            return Ok(lesser(off(place).plus(&swept), at_rest.plus(&turning.moved)));
        }
        Ok(at_rest)
    }

    /// The same at the one time at which the body has a rotation.
    fn farthest_at_rest(&self, axis: &Vector<N>, place: &Vector<N>, rotation: &Matrix<N>) -> Result<N, Trouble> {
        let local_axis = map(&transpose(rotation), axis);
        let from_line = subtract(&map(&transpose(rotation), place), &self.course.center);
        let mut farthest = N::zero();
        for part in self.parts {
            let placed = PlacedCore { core: part.side.core(), place: part.place.as_ref() };
            let far = placed.farthest_from_line(&local_axis, &from_line)?.plus(&part.radius);
            farthest = farthest.larger(&far);
        }
        Ok(farthest)
    }
}

/// A core at its place in the frame of a body.
struct PlacedCore<'p, N> {
    core: &'p Shape,
    place: Option<&'p Rigid<N>>,
}

impl<N: Real> PlacedCore<'_, N> {
    /// How far it reaches along a vector of the body's frame.
    fn highest(&self, n: &Vector<N>) -> Result<N, Trouble> {
        let Some(rigid) = self.place else { return highest_of(self.core, n) };
        let inner = divided(&rigid.local_direction(n), &rigid.divisor)?;
        let shift = dot(rigid.shift(), n).quotient(&rigid.divisor)?;
        Ok(highest_of(self.core, &inner)?.plus(&shift))
    }

    /// Its vertices in the frame of the body, if it is a polytope.
    fn corners(&self) -> Result<Option<Vec<Vector<N>>>, Trouble> {
        let Some(corners) = corners::<N>(self.core) else { return Ok(None) };
        let Some(rigid) = self.place else { return Ok(Some(corners)) };
        let placed = |p: &Vector<N>| Ok(divided(&rigid.scaled_point(p), &rigid.divisor)?);
        corners.iter().map(placed).collect::<Result<Vec<_>, Trouble>>().map(Some)
    }

    /// An upper bound of the distance of its points from a point of the body's frame.
    fn reach_from(&self, center: &Vector<N>) -> Result<N, Trouble> {
        meter::charge(64 + 16 * self.core.numbers());
        if let Some(corners) = self.corners()? {
            return Ok(largest(corners.iter().map(|p| norm(&subtract(p, center)))).top()?);
        }
        // A box around the core, by its heights along the axes.
        let mut square = N::zero();
        for axis in 0..3 {
            let far = self.farthest(center, &std::array::from_fn(|i| N::of(if i == axis { 1.0 } else { 0.0 })))?;
            square = square.plus(&far.squared());
        }
        let origin = match self.place {
            None => vector([0.0; 3]),
            Some(rigid) => divided(rigid.shift(), &rigid.divisor)?,
        };
        let ball = extent::<N>(self.core).plus(&norm(&subtract(center, &origin)));
        Ok(lesser(square.root(), ball).top()?)
    }

    /// How far it reaches along a line through a point, at either end.
    fn farthest(&self, center: &Vector<N>, d: &Vector<N>) -> Result<N, Trouble> {
        let origin = dot(d, center);
        let back = self.highest(&negate(d))?.plus(&origin);
        Ok(self.highest(d)?.minus(&origin).larger(&back).larger(&N::zero()))
    }

    /// An upper bound of the distance of its points, moved by a vector, from the line through the origin along a unit vector: that of the
    /// farthest vertex, or by its heights across the line. A point p is within half the angle between two neighbours of one of these
    /// directions, so that the height there is at least |p| times the cosine of that.
    fn farthest_from_line(&self, axis: &Vector<N>, moved: &Vector<N>) -> Result<N, Trouble> {
        /// Bound: directions across the line over half a circle; neighbours are 5.6 degrees apart, so that the bound is 0.12 % too long at
        /// most.
        const DIRECTIONS: u32 = 32;
        meter::charge(64 + 16 * self.core.numbers());
        if let Some(corners) = self.corners()? {
            return Ok(largest(corners.iter().map(|p| norm(&cross(&add(p, moved), axis)))).top()?);
        }
        let sign = if axis[2].low() + axis[2].high() < 0.0 { -1.0 } else { 1.0 };
        let [x, y] = sides(axis, sign)?;
        let direction = |number: u32| -> Result<Vector<N>, Unclear> {
            let angle = std::f64::consts::TAU * f64::from(number % DIRECTIONS) / f64::from(DIRECTIONS);
            let d = add(&scale(&x, &N::of(angle.cos())), &scale(&y, &N::of(angle.sin())));
            divided(&d, &norm(&d))
        };
        let (mut height, mut cosine) = (N::zero(), N::of(1.0));
        for number in 0..DIRECTIONS {
            let [one, next] = [direction(number)?, direction(number + 1)?];
            height = height.larger(&self.highest(&one)?.plus(&dot(&one, moved)));
            cosine = lesser(cosine, norm(&add(&one, &next)).times(&N::of(0.5)));
        }
        Ok(height.quotient(&cosine)?.top()?)
    }

    fn turning(&self, course: &Course<N>, reach: &N) -> Result<Option<PartTurning<N>>, Trouble> {
        let Some(spin) = &course.spin else { return Ok(None) };
        // The axis in the frame of the body does not turn with it.
        let local = map(&transpose(&course.rotation_at_start()), &spin.axis);
        let center = &course.center;
        let across = match self.corners()? {
            Some(corners) => largest(corners.iter().map(|p| norm(&cross(&subtract(p, center), &local)))),
            None => {
                // A box across the axis. Of which sides does not matter; these are at right angles and of length one whichever sign is taken (Duff
                // et al. 2017), and one of the two signs has no small divisor. Expressed in the frame of the part they are others.
                let mut least = reach.clone();
                for (sign, place) in [(1.0, None), (-1.0, None), (1.0, self.place), (-1.0, self.place)] {
                    let axis = match place {
                        None => local.clone(),
                        Some(rigid) => divided(&rigid.local_direction(&local), &rigid.divisor)?,
                    };
                    if sign * (axis[2].low() + axis[2].high()) < -1.0 {
                        continue;
                    }
                    let mut both = sides(&axis, sign)?;
                    if let Some(rigid) = place {
                        for side in &mut both {
                            *side = divided(&rigid.direction(side), &rigid.divisor)?;
                        }
                    }
                    let far = [self.farthest(center, &both[0])?, self.farthest(center, &both[1])?];
                    least = lesser(least, far[0].squared().plus(&far[1].squared()).root());
                }
                least
            }
        };
        let across = lesser(across, reach.clone()).top()?;
        let origin = dot(&local, center);
        let along = [self.highest(&negate(&local))?.plus(&origin).negated(), self.highest(&local)?.minus(&origin)];
        let mut moved = across.plus(&across);
        if let Some(axis) = symmetry::<N>(self.core) {
            let (axis, arm) = match self.place {
                None => (axis, center.clone()),
                Some(rigid) => {
                    let point = divided(rigid.shift(), &rigid.divisor)?;
                    (divided(&rigid.direction(&axis), &rigid.divisor)?, subtract(center, &point))
                }
            };
            moved = lesser(moved, moved_about(&axis, &local, &arm, reach)?);
        }
        Ok(Some(PartTurning { across, along, moved: moved.top()? }))
    }
}

/// An upper bound of the distance of all cores of some parts from the origin of their body; nothing reaches farther in a half-space.
pub(super) fn reach_of<N: Real>(sides: &[Side<'_>]) -> Result<N, Trouble> {
    let mut reach = N::zero();
    for side in sides.iter().filter(|side| !side.is_plane()) {
        let rigid = side.is_placed().then(|| side.rigid::<N>());
        let placed = PlacedCore { core: side.core(), place: rigid.as_ref() };
        reach = reach.larger(&placed.reach_from(&vector([0.0; 3]))?);
    }
    Ok(reach)
}

/// How far a core reaches along a vector of its own frame.
fn highest_of<N: Real>(core: &Shape, n: &Vector<N>) -> Result<N, Trouble> {
    if let Shape::Triangle { a, b, c } = core {
        meter::charge(8);
        let [a, b, c] = [a, b, c].map(|corner| dot(&vector(*corner), n));
        return Ok(a.larger(&b).larger(&c));
    }
    let all = core_heights(core, n);
    let value = |sum: &Roots<N>| N::value(sum);
    let fault = || Trouble::Fault("a part is neither convex nor a half-space".into());
    all.iter().map(value).reduce(|a, b| a.larger(&b)).ok_or_else(fault)
}

pub(super) fn divided<N: Real>(v: &Vector<N>, by: &N) -> Result<Vector<N>, Unclear> {
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

/// By how much a turn about u through the centre differs from one by the same angle about d, which leaves the core as it is; the centre
/// is seen from a point of the line along d.
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
