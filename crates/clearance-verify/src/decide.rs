//! Decisions without evidence: the exact distance of two polytopes.
//!
//! GJK in exact arithmetic. All vertices of A - B have the same divisor, so they are plain vectors of dyadic numbers. The nearest point of
//! a simplex is found by trying its parts. A part with corners p_i is right if the weights c_i of the point nearest to the origin in its
//! affine hull are all positive and no other corner is nearer along v = Σ c_i p_i. Each
//! round brings v strictly nearer to the origin, and the number of simplices is finite. So the search ends with the true distance.

use crate::number::{Dyadic, Number, Unclear, Vector, add, cross, dot, map, meter, negate, scale, subtract, vector};
use crate::pairing::Pairing;
use crate::parts::Side;
use crate::shape::Shape;
use std::cmp::Ordering;

/// Rounds of an exact search, at most. Limit: far above what a correct search takes, since no simplex repeats; a guard against faults of this
/// module, on which no proof rests.
const MOST_ROUNDS: usize = 10_000;

/// Vertices up to which polytopes are decided without evidence. Limit: a round tests all vertices exactly.
const MOST_VERTICES: u64 = 20_000;

/// The exact distance of the cores of two parts.
pub(crate) struct CoreDistance {
    /// v / divisor is the nearest point of A - B, if the cores are apart.
    v: Vector<Dyadic>,
    divisor: Dyadic,
    radii: Dyadic,
}

impl CoreDistance {
    /// Is the signed distance less than, equal to or greater than a threshold? `None` where that is a matter of depth.
    pub fn compare(&self, threshold: f64) -> Option<Ordering> {
        if !threshold.is_finite() {
            return None;
        }
        let allowed = self.radii.plus(&Dyadic::of(threshold));
        let sign = |number: &Dyadic| number.sign().ok();
        let overlap = sign(&dot(&self.v, &self.v))? == Ordering::Equal;
        match sign(&allowed)? {
            // The cores overlap, by how much is not known: the distance is at most minus the radii.
            Ordering::Greater if overlap => Some(Ordering::Less),
            _ if overlap => None,
            Ordering::Less => Some(Ordering::Greater),
            _ => dot(&self.v, &self.v).compare(&allowed.times(&self.divisor).squared()).ok(),
        }
    }

    /// Is the distance of the cores less than, equal to or greater than a length, which is not negative?
    pub fn compare_with(&self, length: &Dyadic) -> Result<Ordering, Unclear> {
        dot(&self.v, &self.v).compare(&length.times(&self.divisor).squared())
    }

    /// Do the two have a point in common?
    pub fn intersects(&self) -> bool {
        let overlap = dot(&self.v, &self.v).sign() == Ok(Ordering::Equal);
        overlap || self.compare(0.0).is_some_and(Ordering::is_le)
    }
}

/// The exact distance of the cores, if both are polytopes of reasonable size.
pub(crate) fn core_distance(pair: &Pairing<'_>) -> Option<CoreDistance> {
    between(&placed_vertices(&pair.a)?, &placed_vertices(&pair.b)?, pair.radii())
}

/// The exact distance of two hulls of points.
pub(crate) fn between((a, divisor_a): &Placed, (b, divisor_b): &Placed, radii: Dyadic) -> Option<CoreDistance> {
    // Over the common divisor.
    let a: Vec<_> = a.iter().map(|p| scale(p, divisor_b)).collect();
    let b: Vec<_> = b.iter().map(|p| scale(p, divisor_a)).collect();
    let farthest = |points: &[Vector<Dyadic>], direction: &Vector<Dyadic>| {
        let height = |p: &Vector<Dyadic>| dot(p, direction);
        let mut best = points.first()?;
        let mut most = height(best);
        for p in &points[1..] {
            let other = height(p);
            if other.compare(&most) == Ok(Ordering::Greater) {
                (best, most) = (p, other);
            }
        }
        Some(best.clone())
    };
    let mut simplex = vec![subtract(a.first()?, b.first()?)];
    for _ in 0..MOST_ROUNDS {
        if meter::is_exhausted() {
            return None;
        }
        let (v, weight, kept) = nearest(&simplex)?;
        simplex = kept;
        let square = dot(&v, &v);
        // v / weight is the nearest point of the simplex; next the point of A - B that is lowest along it.
        let next = subtract(&farthest(&a, &negate(&v))?, &farthest(&b, &v)?);
        let is_zero = square.sign() == Ok(Ordering::Equal);
        if is_zero || weight.times(&dot(&v, &next)).compare(&square).is_ok_and(Ordering::is_ge) {
            let divisor = weight.times(divisor_a).times(divisor_b);
            return Some(CoreDistance { v, divisor, radii });
        }
        simplex.push(next);
    }
    None
}

/// Points over one divisor.
pub(crate) type Placed = (Vec<Vector<Dyadic>>, Dyadic);

/// The vertices of a core in the common frame, if it is a polytope of reasonable size.
pub(crate) fn placed_vertices(side: &Side<'_>) -> Option<Placed> {
    if side.shape.numbers() > 3 * MOST_VERTICES {
        return None;
    }
    let vertices = vertices(side.core())?;
    let rigid = side.rigid::<Dyadic>();
    let one = Dyadic::of(1.0);
    let placed = vertices.into_iter().map(|v| rigid.point(&(v, one.clone())).0).collect();
    Some((placed, rigid.divisor))
}

fn vertices(core: &Shape) -> Option<Vec<Vector<Dyadic>>> {
    match core {
        Shape::Affine { shape, matrix } if shape.split().1.is_empty() => {
            let rows = matrix.map(vector);
            Some(vertices(shape)?.iter().map(|v| map(&rows, v)).collect())
        }
        Shape::Affine { .. } => None,
        _ => Some(core.core_vertices()?.into_iter().map(vector).collect()),
    }
}

/// The nearest point of a simplex as (v, weight) with v / weight the point, and the corners it is made of.
fn nearest(simplex: &[Vector<Dyadic>]) -> Option<(Vector<Dyadic>, Dyadic, Vec<Vector<Dyadic>>)> {
    let count = simplex.len();
    // Larger parts need not be tried first: exactly one part with positive weights is optimal.
    for part in 1_u32..1 << count {
        let corners: Vec<_> = (0..count).filter(|i| part >> i & 1 == 1).map(|i| simplex[i].clone()).collect();
        let Some(weights) = weights(&corners) else { continue };
        let v = corners.iter().zip(&weights).map(|(p, c)| scale(p, c)).reduce(|p, q| add(&p, &q))?;
        let weight = weights.into_iter().reduce(|c, d| c.plus(&d))?;
        let square = dot(&v, &v);
        let is_nearer = |p: &Vector<Dyadic>| weight.times(&dot(&v, p)).compare(&square) == Ok(Ordering::Less);
        if !simplex.iter().any(is_nearer) {
            return Some((v, weight, corners));
        }
    }
    None
}

/// Positive weights of the point nearest to the origin in the affine hull of independent points, if there are such.
fn weights(corners: &[Vector<Dyadic>]) -> Option<Vec<Dyadic>> {
    let positive = |weights: Vec<Dyadic>| weights.iter().all(|c| c.sign() == Ok(Ordering::Greater)).then_some(weights);
    match corners {
        [_] => Some(vec![Dyadic::of(1.0)]),
        [p, q] => {
            let along = subtract(q, p);
            positive(vec![dot(q, &along), dot(p, &along).negated()])
        }
        [p, q, r] => {
            let normal = cross(&subtract(q, p), &subtract(r, p));
            let share = |x: &Vector<Dyadic>, y: &Vector<Dyadic>| dot(&normal, &cross(x, y));
            positive(vec![share(q, r), share(r, p), share(p, q)])
        }
        [p, q, r, s] => {
            // The origin itself: Σ ± det(the others) p = 0.
            let det = |x: &Vector<Dyadic>, y: &Vector<Dyadic>, z: &Vector<Dyadic>| dot(x, &cross(y, z));
            let all = vec![det(q, r, s), det(p, r, s).negated(), det(p, q, s), det(p, q, r).negated()];
            positive(all.clone()).or_else(|| positive(all.iter().map(Dyadic::negated).collect()))
        }
        _ => None,
    }
}
