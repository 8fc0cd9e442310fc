//! Depth: a closed surface of points of A - B around the origin.
//!
//! Let every triangle have the origin strictly on its inner side (its corners p, q, r satisfy det(p, q, r) > 0), and let
//! the triangles form a cycle: every edge is run through as often in one direction as in the other. Seen from the origin,
//! each triangle then covers a region of the sphere of directions, counted positively, and as the surface has no
//! boundary every direction is covered equally often: at least once, because no triangle covers nothing. So every ray from
//! the origin meets the surface. Every point of it is in the convex set A - B, and so is the origin (between two
//! opposite rays); hence the ball about the origin that stays below all planes of triangles is in A - B, and no shorter
//! translation than its radius separates A and B.

use crate::evidence::Member;
use crate::number::{Dyadic, Interval, Number, add, cross, dot, scale};
use crate::pairing::{Pairing, differences, needed};
use crate::shape::{Homogeneous, Shape, Trouble};
use std::cmp::Ordering;
use std::collections::HashMap;

/// Is the upper bound that the surface gives less than, equal to or greater than a threshold?
pub(crate) fn bound(
    pair: &Pairing<'_>,
    points: &[[Member; 2]],
    triangles: &[[u32; 3]],
    threshold: f64,
) -> Result<Ordering, Trouble> {
    let fault = |what: &str| Err(Trouble::Fault(what.to_owned()));
    if [pair.a, pair.b].iter().any(|side| matches!(side.shape, Shape::HalfSpace { .. })) {
        return fault("a surface is given for a half-space, where a point is enough");
    }
    if triangles.is_empty() {
        return fault("the surface has no triangles");
    }
    let mut crossings: HashMap<(u32, u32), i64> = HashMap::new();
    for &[p, q, r] in triangles {
        if [p, q, r].iter().any(|&corner| corner as usize >= points.len()) {
            return fault("a triangle names a corner that is not there");
        }
        for (from, to) in [(p, q), (q, r), (r, p)] {
            let step = if from < to { 1 } else { -1 };
            *crossings.entry((from.min(to), from.max(to))).or_default() += step;
        }
    }
    if crossings.values().any(|&sum| sum != 0) {
        return fault("the surface is open, or its triangles are not oriented alike");
    }
    // Points are looked at once with the filter, and exactly when it is not sure of something.
    let rough: Vec<Option<Homogeneous<Interval>>> = points
        .iter()
        .map(|point| match differences(pair, point) {
            Ok(point) => Ok(Some(point)),
            Err(Trouble::Unclear) => Ok(None),
            Err(trouble) => Err(trouble),
        })
        .collect::<Result<_, _>>()?;
    let mut exact: Vec<Option<Homogeneous<Dyadic>>> = vec![None; points.len()];
    let (rough_needed, exact_needed) = (needed::<Interval>(pair, threshold), needed::<Dyadic>(pair, threshold));
    let mut worst = Ordering::Less;
    for corners in triangles.iter().map(|triangle| triangle.map(|corner| corner as usize)) {
        let quick = match corners.map(|corner| rough[corner].as_ref()) {
            [Some(p), Some(q), Some(r)] => plane([p, q, r], &rough_needed),
            _ => Err(Trouble::Unclear),
        };
        let found = match quick {
            Err(Trouble::Unclear) => {
                for corner in corners {
                    if exact[corner].is_none() {
                        exact[corner] = Some(differences(pair, &points[corner])?);
                    }
                }
                match corners.map(|corner| exact[corner].as_ref()) {
                    [Some(p), Some(q), Some(r)] => plane([p, q, r], &exact_needed)?,
                    _ => return Err(Trouble::Unclear),
                }
            }
            found => found?,
        };
        worst = worst.max(found);
    }
    Ok(worst)
}

/// Is the bound of one triangle less than, equal to or greater than the threshold, that is: is its plane farther from the
/// origin than needed, just as far, or nearer?
fn plane<N: Number>([p, q, r]: [&Homogeneous<N>; 3], needed: &N) -> Result<Ordering, Trouble> {
    // With weights u, v, w: det / (u v w) is six times the volume, N / (u v w) the normal of length twice the area.
    let qr = cross(&q.0, &r.0);
    let det = dot(&p.0, &qr);
    if det.sign()? != Ordering::Greater {
        return Err(Trouble::Fault("the origin is not on the inner side of a triangle".into()));
    }
    if needed.sign()? != Ordering::Greater {
        return Ok(Ordering::Less);
    }
    let (rp, pq) = (cross(&r.0, &p.0), cross(&p.0, &q.0));
    let normal = add(&add(&scale(&qr, &p.1), &scale(&rp, &q.1)), &scale(&pq, &r.1));
    Ok(needed.squared().times(&dot(&normal, &normal)).compare(&det.squared())?)
}
