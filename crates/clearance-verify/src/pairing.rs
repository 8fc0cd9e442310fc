//! Two convex parts in one frame, and what directions and points prove about them.
//!
//! The frame is the world's, moved so that the origin of A's pose is zero: then the filter does not lose digits far from
//! the world's origin. Everything is multiplied through by positive divisors, see [`crate::pose`].

use crate::evidence::{Member, Question, Upper};
use crate::number::{Number, Roots, Unclear, Vector, cross, dot, negate, scale, subtract, vector};
use crate::pose::{Pose, Rigid};
use crate::shape::{Homogeneous, Shape, Trouble, core_heights, core_member};
use std::cmp::Ordering;

/// One part of each of the two shapes.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Pairing<'a> {
    pub a: Side<'a>,
    pub b: Side<'a>,
}

/// A part, and where it is.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Side<'a> {
    pub shape: &'a Shape,
    /// Its pose in the frame of the compound it is a part of.
    part: Option<&'a Pose>,
    rotation: [f64; 4],
    /// The translation is the first less the second.
    translation: [[f64; 3]; 2],
}

/// The parts of a shape; a shape that is no compound is its own only part.
pub(crate) fn parts(shape: &Shape) -> impl Iterator<Item = (&Shape, Option<&Pose>)> {
    let (own, parts) = match shape {
        Shape::Compound(parts) => (None, parts.as_slice()),
        _ => (Some((shape, None)), &[][..]),
    };
    own.into_iter().chain(parts.iter().map(|part| (&part.shape, Some(&part.pose))))
}

/// How many parts there are.
pub(crate) fn part_count(shape: &Shape) -> usize {
    if let Shape::Compound(parts) = shape { parts.len() } else { 1 }
}

impl<'a> Pairing<'a> {
    /// All pairs of parts, those of the first part of A first.
    pub fn all(question: &'a Question) -> Vec<Self> {
        let origin = question.pose_a.translation;
        let side = |pose: &Pose, (shape, part)| Side {
            shape,
            part,
            rotation: pose.rotation,
            translation: [pose.translation, origin],
        };
        let b: Vec<Side> = parts(&question.b).map(|part| side(&question.pose_b, part)).collect();
        let a = parts(&question.a).map(|part| side(&question.pose_a, part));
        a.flat_map(|a| b.iter().map(move |&b| Self { a, b })).collect()
    }

    /// The sum of the balls around both cores.
    pub fn radii<N: Number>(&self) -> N {
        let radii = self.a.shape.split().1.into_iter().chain(self.b.shape.split().1);
        radii.fold(N::zero(), |sum, radius| sum.plus(&N::of(radius)))
    }
}

impl<'a> Side<'a> {
    pub fn rigid<N: Number>(&self) -> Rigid<N> {
        let [to, from] = self.translation.map(vector::<N>);
        let pose = Rigid::new(self.rotation, &subtract(&to, &from));
        match self.part {
            Some(part) => pose.after(part),
            None => pose,
        }
    }

    pub fn core(&self) -> &'a Shape {
        self.shape.split().0
    }

    /// The normal of a half-space in the common frame, times a positive number.
    fn plane<N: Number>(&self, rigid: &Rigid<N>) -> Option<(Vector<N>, N)> {
        match self.shape {
            Shape::HalfSpace { normal, offset } => Some((rigid.direction(&vector(*normal)), N::of(*offset))),
            _ => None,
        }
    }

    /// `d` times how far the core reaches along a direction. For a half-space that must be its own (times `d`).
    fn heights<N: Number>(&self, rigid: &Rigid<N>, n: &Vector<N>) -> Vec<Roots<N>> {
        let shift = dot(rigid.shift(), n);
        if let Shape::HalfSpace { offset, .. } = self.shape {
            // d h(n) = T·n + h(M^T M n) and M^T M = d² for the local n.
            let plain = shift.plus(&rigid.divisor.squared().times(&N::of(*offset)));
            return vec![Roots::plain(plain)];
        }
        let heights = core_heights(self.core(), &rigid.local_direction(n)).into_iter();
        heights.map(|height| height.plus(&Roots::plain(shift.clone()))).collect()
    }
}

/// Is the separation along a direction less than, equal to or greater than a threshold?
///
/// The separation along n is -(h_A(n) + h_B(-n)) / |n|, and the signed distance is its maximum over all directions. A
/// half-space is bounded only along its own normal, which is taken instead of `n`.
pub(crate) fn separation<N: Number>(pair: &Pairing<'_>, n: [f64; 3], threshold: f64) -> Result<Ordering, Trouble> {
    let (a, b) = (pair.a.rigid::<N>(), pair.b.rigid::<N>());
    let (n, stretch) = match (pair.a.plane(&a), pair.b.plane(&b)) {
        (None, None) => {
            if !n.iter().all(|x| x.is_finite()) || n == [0.0; 3] {
                return Err(Trouble::Fault("a direction is zero or not finite".into()));
            }
            (vector(n), None)
        }
        (Some((n, _)), None) => (n, None),
        (None, Some((n, _))) => (negate(&n), None),
        (Some((n, _)), Some((m, offset))) => {
            if !are_opposite(&n, &m)? {
                return Ok(Ordering::Less);
            }
            // -n = c m with c = (-n·m) / (m·m).
            (n.clone(), Some((dot(&negate(&n), &m), dot(&m, &m), offset)))
        }
    };
    let along_b = negate(&n);
    let radii = pair.radii::<N>().plus(&N::of(threshold));
    let both = a.divisor.times(&b.divisor);
    let (heights_b, factor) = match stretch {
        None => (pair.b.heights(&b, &along_b), N::of(1.0)),
        Some((c, square, offset)) => {
            let plain = dot(b.shift(), &along_b).times(&square).plus(&c.times(&b.divisor.squared()).times(&offset));
            (vec![Roots::plain(plain)], square)
        }
    };
    let heights_a = pair.a.heights(&a, &n);
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
    match (pair.a.plane::<N>(&pair.a.rigid()), pair.b.plane::<N>(&pair.b.rigid())) {
        (Some((n, _)), Some((m, _))) => Ok(Some(are_opposite(&n, &m)?)),
        _ => Ok(None),
    }
}

/// The difference of a point of A and a point of B.
fn difference<N: Number>(pair: &Pairing<'_>, a: &Member, b: &Member) -> Result<Homogeneous<N>, Trouble> {
    let (p, v) = pair.a.rigid().point(&core_member::<N>(pair.a.core(), a)?);
    let (q, w) = pair.b.rigid().point(&core_member::<N>(pair.b.core(), b)?);
    Ok((subtract(&scale(&p, &w), &scale(&q, &v)), v.times(&w)))
}

/// Is the upper bound that evidence gives less than, equal to or greater than a threshold?
pub(crate) fn bound(pair: &Pairing<'_>, evidence: &Upper, threshold: f64) -> Result<Ordering, Trouble> {
    match evidence {
        Upper::Points { a, b, .. } => crate::filtered!(bound_by_points(pair, [a, b], threshold)),
        Upper::Simplex { points, .. } => crate::filtered!(bound_by_simplex(pair, points, threshold)),
        Upper::Surface { points, triangles, .. } => crate::surface::bound(pair, points, triangles, threshold),
        Upper::Cells { axis, side, nodes, .. } => crate::cells::bound(pair, *axis, *side, nodes, threshold),
    }
}

fn bound_by_points<N: Number>(pair: &Pairing<'_>, [a, b]: [&Member; 2], threshold: f64) -> Result<Ordering, Trouble> {
    let allowed = pair.radii::<N>().plus(&N::of(threshold));
    let (rigid_a, rigid_b) = (pair.a.rigid::<N>(), pair.b.rigid::<N>());
    // A half-space against a point p / w of the other: d n·p - w (T·n + d² offset) <= w d allowed |n|.
    let above = |n: Vector<N>, offset: N, plane: &Rigid<N>, (p, w): Homogeneous<N>| {
        let level = dot(plane.shift(), &n).plus(&plane.divisor.squared().times(&offset));
        let height = plane.divisor.times(&dot(&n, &p)).minus(&w.times(&level));
        let limit = w.times(&plane.divisor).times(&allowed).negated();
        Ok(Roots::plain(height).and_root(limit, dot(&n, &n)).sign()?)
    };
    match (pair.a.plane(&rigid_a), pair.b.plane(&rigid_b)) {
        (None, None) => {
            let (p, w) = difference::<N>(pair, a, b)?;
            if allowed.sign()? == Ordering::Less {
                return Ok(Ordering::Greater);
            }
            Ok(dot(&p, &p).compare(&allowed.times(&w).squared())?)
        }
        (Some((n, offset)), None) => above(n, offset, &rigid_a, rigid_b.point(&core_member(pair.b.core(), b)?)),
        (None, Some((n, offset))) => above(n, offset, &rigid_b, rigid_a.point(&core_member(pair.a.core(), a)?)),
        // Between parallel planes the separation is the distance; elsewhere there is no bound to the overlap.
        (Some((n, _)), Some((m, _))) => match are_opposite(&n, &m)? {
            true => separation::<N>(pair, [0.0; 3], threshold),
            false => Ok(Ordering::Less),
        },
    }
}

/// What fewer than five points of A - B enclose is inside A - B.
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
