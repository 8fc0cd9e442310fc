//! Two convex parts in one frame, and what directions and points prove about them.
//!
//! The frame is the world's, moved so that the origin of A's pose is zero: then the filter does not lose digits far from
//! the world's origin. Everything is multiplied through by positive divisors, see [`crate::pose`].

use crate::evidence::{Member, Upper};
use crate::number::{Interval, Number, Roots, Unclear, Vector, cross, dot, negate, scale, subtract, vector};
use crate::parts::Side;
use crate::pose::Rigid;
use crate::shape::{Homogeneous, Plane, Shape, Trouble, core_heights, core_member};
use std::cmp::Ordering;

/// One part of each of the two shapes.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Pairing<'a> {
    pub a: Side<'a>,
    pub b: Side<'a>,
}

impl Pairing<'_> {
    /// The sum of the balls around both cores; those around half-spaces are in their planes.
    pub fn radii<N: Number>(&self) -> N {
        let of = |side: &Side<'_>| if side.is_plane() { N::zero() } else { side.radius() };
        of(&self.a).plus(&of(&self.b))
    }
}

/// `d` times how far a core reaches along a direction.
pub(crate) fn heights<N: Number>(side: &Side<'_>, rigid: &Rigid<N>, n: &Vector<N>) -> Vec<Roots<N>> {
    let shift = Roots::plain(dot(rigid.shift(), n));
    let heights = core_heights(side.core(), &rigid.local_direction(n)).into_iter();
    heights.map(|height| height.plus(&shift)).collect()
}

/// `d` times how far a half-space reaches along its own normal in the common frame, which is `d` times a rotation of the
/// local one: T·n + d² offset.
pub(crate) fn level<N: Number>(rigid: &Rigid<N>, Plane { normal, offset }: &Plane<N>) -> Roots<N> {
    offset.times(&rigid.divisor.squared()).plus(&Roots::plain(dot(rigid.shift(), normal)))
}

/// How far bounded parts of one shape reach along a direction, their radii included, as intervals.
///
/// Triangles of a mesh come in long runs with the same place, which is put together once for each run.
pub(crate) fn reaches_along(sides: &[Side<'_>], n: [f64; 3]) -> Option<Vec<Interval>> {
    let n: Vector<Interval> = vector(n);
    let mut placed: Option<(&Side<'_>, Rigid<Interval>, Vector<Interval>, Interval)> = None;
    let reach = |side| {
        if !placed.as_ref().is_some_and(|(last, ..)| last.is_placed_like(side)) {
            let rigid = side.rigid::<Interval>();
            let (local, shift) = (rigid.local_direction(&n), dot(rigid.shift(), &n));
            placed = Some((side, rigid, local, shift));
        }
        let (_, rigid, local, shift) = placed.as_ref()?;
        if let Shape::Triangle { a, b, c } = side.shape {
            crate::number::meter::charge(8);
            let [a, b, c] = [a, b, c].map(|corner| dot(&vector(*corner), local));
            return Some(a.larger(&b).larger(&c).plus(shift) / rigid.divisor);
        }
        let highest = core_heights(side.core(), local).iter().map(Roots::value).reduce(|a, b| a.larger(&b))?;
        let ball = Roots::plain(Interval::zero()).and_root(side.radius(), dot(&n, &n));
        Some((highest.plus(shift) / rigid.divisor).plus(&ball.value()))
    };
    sides.iter().map(reach).collect()
}

/// Is the separation along a direction less than, equal to or greater than a threshold?
///
/// The separation along n is -(h_A(n) + h_B(-n)) / |n|, and the signed distance is its maximum over all directions. A
/// half-space is bounded only along its own normal, which is taken instead of `n`.
pub(crate) fn separation<N: Number>(pair: &Pairing<'_>, n: [f64; 3], threshold: f64) -> Result<Ordering, Trouble> {
    is_usable(threshold)?;
    let (a, b) = (pair.a.rigid::<N>(), pair.b.rigid::<N>());
    let radii = pair.radii::<N>().plus(&N::of(threshold));
    let both = a.divisor.times(&b.divisor);
    // Along n: d times the heights of both, of which those of A are to be multiplied by a factor.
    let (n, heights_a, heights_b, factor) = match (pair.a.plane(&a)?, pair.b.plane(&b)?) {
        (None, None) => {
            let n = direction(n)?;
            let (of_a, of_b) = (heights(&pair.a, &a, &n), heights(&pair.b, &b, &negate(&n)));
            (n, of_a, of_b, N::of(1.0))
        }
        (Some(plane), None) => {
            let of_b = heights(&pair.b, &b, &negate(&plane.normal));
            let of_a = vec![level(&a, &plane)];
            (plane.normal, of_a, of_b, N::of(1.0))
        }
        (None, Some(plane)) => {
            let n = negate(&plane.normal);
            let of_a = heights(&pair.a, &a, &n);
            (n, of_a, vec![level(&b, &plane)], N::of(1.0))
        }
        (Some(plane), Some(other)) => {
            if !are_opposite(&plane.normal, &other.normal)? {
                return Ok(Ordering::Less);
            }
            // -n = c m with c = (-n·m) / (m·m): the height of B along -n is c times that along m.
            let (n, m) = (&plane.normal, &other.normal);
            let of_b = level(&b, &other).times(&dot(&negate(n), m));
            let of_a = vec![level(&a, &plane)];
            let square = dot(m, m);
            (plane.normal, of_a, vec![of_b], square)
        }
    };
    if heights_a.is_empty() || heights_b.is_empty() {
        return Err(Trouble::Fault("a part is neither convex nor a half-space".into()));
    }
    let mut verdict = Ok(Ordering::Greater);
    for height_a in heights_a {
        for height_b in &heights_b {
            let height_a = height_a.times(&b.divisor).times(&factor);
            let sum = height_a.plus(&height_b.times(&a.divisor));
            let all = sum.and_root(both.times(&factor).times(&radii), dot(&n, &n));
            match all.sign() {
                Ok(Ordering::Greater) => return Ok(Ordering::Less),
                Ok(sign) => verdict = verdict.map(|least: Ordering| least.min(sign.reverse())),
                Err(Unclear) => verdict = Err(Trouble::Unclear),
            }
        }
    }
    verdict
}

/// Only finite numbers are compared with; a sum of finite ones may be none.
pub(crate) fn is_usable(threshold: f64) -> Result<(), Trouble> {
    if threshold.is_finite() { Ok(()) } else { Err(Trouble::Fault("a bound is not finite".into())) }
}

/// A direction that can be used.
fn direction<N: Number>(n: [f64; 3]) -> Result<Vector<N>, Trouble> {
    match n.iter().all(|x| x.is_finite()) && n != [0.0; 3] {
        true => Ok(vector(n)),
        false => Err(Trouble::Fault("a direction is zero or not finite".into())),
    }
}

fn are_opposite<N: Number>(n: &Vector<N>, m: &Vector<N>) -> Result<bool, Unclear> {
    for x in cross(n, m) {
        if x.sign()? != Ordering::Equal {
            return Ok(false);
        }
    }
    Ok(dot(n, m).sign()? == Ordering::Less)
}

/// Do two half-spaces have a finite signed distance, because their planes are parallel and face each other? Nothing
/// unless both are half-spaces.
pub(crate) fn faces_half_space<N: Number>(pair: &Pairing<'_>) -> Result<Option<bool>, Trouble> {
    match (pair.a.plane::<N>(&pair.a.rigid())?, pair.b.plane::<N>(&pair.b.rigid())?) {
        (Some(plane), Some(other)) => Ok(Some(are_opposite(&plane.normal, &other.normal)?)),
        _ => Ok(None),
    }
}

/// Are the planes of two half-spaces parallel and facing each other, to that angle?
pub(crate) fn nearly_opposite<N: Number>(pair: &Pairing<'_>, angle: f64) -> Result<bool, Trouble> {
    let (Some(plane), Some(other)) = (pair.a.plane::<N>(&pair.a.rigid())?, pair.b.plane::<N>(&pair.b.rigid())?) else {
        return Ok(false);
    };
    let (n, m) = (&plane.normal, &other.normal);
    let across = cross(n, m);
    let allowed = N::of(angle).squared().times(&dot(n, n)).times(&dot(m, m));
    Ok(dot(n, m).sign()? == Ordering::Less && dot(&across, &across).compare(&allowed)? != Ordering::Greater)
}

/// The difference of a point of A and a point of B.
fn difference<N: Number>(pair: &Pairing<'_>, a: &Member, b: &Member) -> Result<Homogeneous<N>, Trouble> {
    let (p, v) = pair.a.rigid().point(&core_member::<N>(pair.a.core(), a)?);
    let (q, w) = pair.b.rigid().point(&core_member::<N>(pair.b.core(), b)?);
    Ok((subtract(&scale(&p, &w), &scale(&q, &v)), v.times(&w)))
}

/// Is the upper bound that evidence gives less than, equal to or greater than a threshold?
pub(crate) fn bound(pair: &Pairing<'_>, evidence: &Upper, threshold: f64) -> Result<Ordering, Trouble> {
    is_usable(threshold)?;
    let is_mapped = pair.a.is_mapped() || pair.b.is_mapped();
    if is_mapped && matches!(evidence, Upper::Cells { .. } | Upper::Ellipsoid { .. }) {
        return Err(Trouble::Fault("cells or an ellipsoid are given for a mesh that is mapped".into()));
    }
    match evidence {
        Upper::Points { a, b, .. } => near(pair, [a, b], threshold),
        Upper::Simplex { points, .. } => crate::filtered!(bound_by_simplex(pair, points, threshold)),
        Upper::Surface { points, triangles, .. } => crate::surface::bound(pair, points, triangles, threshold),
        Upper::Cells { axis, side, nodes, .. } => crate::cells::bound(pair, *axis, *side, nodes, threshold),
        Upper::Ellipsoid { share, inner, .. } => crate::ellipsoid::bound(pair, *share, inner, threshold),
        Upper::Inside { .. } => Err(Trouble::Fault("a point inside is given for two parts".into())),
    }
}

/// Is a point of A within a distance of a point of B, less the radii?
pub(crate) fn near(pair: &Pairing<'_>, points: [&Member; 2], threshold: f64) -> Result<Ordering, Trouble> {
    is_usable(threshold)?;
    crate::filtered!(bound_by_points(pair, points, threshold))
}

fn bound_by_points<N: Number>(pair: &Pairing<'_>, [a, b]: [&Member; 2], threshold: f64) -> Result<Ordering, Trouble> {
    let allowed = pair.radii::<N>().plus(&N::of(threshold));
    let (rigid_a, rigid_b) = (pair.a.rigid::<N>(), pair.b.rigid::<N>());
    // A half-space against a point p / w of the other: d n·p - w (T·n + d² offset) <= w d allowed |n|.
    let above = |plane: Plane<N>, rigid: &Rigid<N>, (p, w): Homogeneous<N>| {
        let n = &plane.normal;
        let height = Roots::plain(rigid.divisor.times(&dot(n, &p))).plus(&level(rigid, &plane).times(&w.negated()));
        let limit = w.times(&rigid.divisor).times(&allowed).negated();
        Ok(height.and_root(limit, dot(n, n)).sign()?)
    };
    match (pair.a.plane(&rigid_a)?, pair.b.plane(&rigid_b)?) {
        (None, None) => {
            let (p, w) = difference::<N>(pair, a, b)?;
            if allowed.sign()? == Ordering::Less {
                return Ok(Ordering::Greater);
            }
            Ok(dot(&p, &p).compare(&allowed.times(&w).squared())?)
        }
        (Some(plane), None) => above(plane, &rigid_a, rigid_b.point(&core_member(pair.b.core(), b)?)),
        (None, Some(plane)) => above(plane, &rigid_b, rigid_a.point(&core_member(pair.a.core(), a)?)),
        // Between parallel planes the separation is the distance; elsewhere there is no bound to the overlap.
        (Some(plane), Some(other)) => match are_opposite(&plane.normal, &other.normal)? {
            true => separation::<N>(pair, [0.0; 3], threshold),
            false => Ok(Ordering::Less),
        },
    }
}

/// The hull of up to four points of A - B is inside A - B.
fn bound_by_simplex<N: Number>(
    pair: &Pairing<'_>,
    points: &[[Member; 2]],
    threshold: f64,
) -> Result<Ordering, Trouble> {
    if points.len() > 4 {
        return Err(Trouble::Fault("a simplex has more than four points".into()));
    }
    let corners: Vec<Vector<N>> =
        points.iter().map(|[a, b]| Ok(difference::<N>(pair, a, b)?.0)).collect::<Result<_, Trouble>>()?;
    if !holds_origin(&corners)? {
        return Err(Trouble::Fault("the simplex does not hold the origin".into()));
    }
    Ok(pair.radii::<N>().plus(&N::of(threshold)).sign()?.reverse())
}

/// Is zero a combination of these vectors with weights that are not negative and not all zero?
fn holds_origin<N: Number>(corners: &[Vector<N>]) -> Result<bool, Unclear> {
    let count = corners.len();
    let is_sum = |weights: &[N]| -> Result<bool, Unclear> {
        let signs = weights.iter().map(Number::sign).collect::<Result<Vec<_>, _>>()?;
        let (some, less, more) = signs.iter().fold((false, false, false), |(some, less, more), sign| {
            (some || sign.is_ne(), less || sign.is_lt(), more || sign.is_gt())
        });
        Ok(some && !(less && more))
    };
    let det = |i: usize, j: usize, k: usize| dot(&corners[i], &cross(&corners[j], &corners[k]));
    // Four vectors: Σ ± det(the others) p = 0 always, so only the signs matter.
    if count == 4 && is_sum(&[det(1, 2, 3), det(0, 2, 3).negated(), det(0, 1, 3), det(0, 1, 2).negated()])? {
        return Ok(true);
    }
    for k in 0..count {
        for j in 0..k {
            for i in 0..j {
                // Three vectors in a plane with normal n: Σ ((q x r)·n) p = 0.
                if det(i, j, k).sign()? != Ordering::Equal {
                    continue;
                }
                let crosses = [(j, k), (k, i), (i, j)].map(|(p, q)| cross(&corners[p], &corners[q]));
                for n in &crosses {
                    if is_sum(&[0, 1, 2].map(|of| dot(&crosses[of], n)))? {
                        return Ok(true);
                    }
                }
            }
            // Two vectors on a line, pointing apart.
            let line = cross(&corners[j], &corners[k]);
            if dot(&line, &line).sign()? == Ordering::Equal
                && dot(&corners[j], &corners[k]).sign()? != Ordering::Greater
            {
                return Ok(true);
            }
        }
        if dot(&corners[k], &corners[k]).sign()? == Ordering::Equal {
            return Ok(true);
        }
    }
    Ok(false)
}

/// The differences of pairs of points, as the surface check needs them.
pub(crate) fn differences<N: Number>(pair: &Pairing<'_>, [a, b]: &[Member; 2]) -> Result<Homogeneous<N>, Trouble> {
    difference(pair, a, b)
}

/// `-threshold` less the radii: how far from the origin a surface around it has to stay.
pub(crate) fn needed<N: Number>(pair: &Pairing<'_>, threshold: f64) -> N {
    pair.radii::<N>().plus(&N::of(threshold)).negated()
}
