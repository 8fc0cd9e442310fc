//! Depth: a closed surface of points of A - B around the origin.
//!
//! Let every triangle have the origin strictly on its inner side (its corners p, q, r satisfy det(p, q, r) > 0), and let the triangles form
//! a cycle. In a cycle every edge is run through as often in one direction as in the other. Seen from the origin, each triangle
//! then covers a region of the sphere of directions, counted positively. As the surface has no boundary, every direction is covered equally
//! often: at least once, because every triangle covers something. So every ray from
//! the origin meets the surface. Every point of it is in the convex set A - B, and so is the origin (between two opposite rays). Hence the
//! ball about the origin that no triangle enters is in A - B, and no shorter translation than its radius separates A and B.

use crate::evidence::Member;
use crate::number::{Dyadic, Interval, Number, add, cross, dot, meter, scale, subtract};
use crate::pairing::{Pairing, differences, needed};
use crate::shape::{Homogeneous, Trouble};
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
    if pair.a.is_plane() || pair.b.is_plane() {
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
    // Intervals first, exact numbers where they leave a sign open.
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
    meter::charge(32 * triangles.len() as u64);
    for corners in triangles.iter().map(|triangle| triangle.map(|corner| corner as usize)) {
        let quick = match corners.map(|corner| rough[corner].as_ref()) {
            [Some(p), Some(q), Some(r)] => distance([p, q, r], &rough_needed),
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
                    [Some(p), Some(q), Some(r)] => distance([p, q, r], &exact_needed)?,
                    _ => return Err(Trouble::Unclear),
                }
            }
            found => found?,
        };
        worst = worst.max(found);
    }
    Ok(worst)
}

/// Is the bound of one triangle less than, equal to or greater than the threshold, that is: is it farther from the origin
/// than needed, just as far, or nearer?
fn distance<N: Number>(corners: [&Homogeneous<N>; 3], needed: &N) -> Result<Ordering, Trouble> {
    let [p, q, r] = corners;
    // With weights u, v, w: det / (u v w) is six times the volume, N / (u v w) the normal of length twice the area.
    let (qr, rp, pq) = (cross(&q.0, &r.0), cross(&r.0, &p.0), cross(&p.0, &q.0));
    let det = dot(&p.0, &qr);
    if det.sign()? != Ordering::Greater {
        return Err(Trouble::Fault("the origin is not on the inner side of a triangle".into()));
    }
    if needed.sign()? != Ordering::Greater {
        return Ok(Ordering::Less);
    }
    let normal = add(&add(&scale(&qr, &p.1), &scale(&rp, &q.1)), &scale(&pq, &r.1));
    let square = needed.squared();
    let plane = square.times(&dot(&normal, &normal)).compare(&det.squared())?;
    if plane.is_le() {
        return Ok(plane);
    }
    // The plane enters the ball. That is no harm if it does so beside the triangle: a sliver's plane may lean anywhere.
    for opposite in [&qr, &rp, &pq] {
        if dot(&normal, opposite).sign()? == Ordering::Less {
            let sides = [[p, q], [q, r], [r, p]].map(|side| side_distance(side, &square));
            return sides.into_iter().try_fold(Ordering::Less, |worst, side| Ok(worst.max(side?)));
        }
    }
    Ok(plane)
}

/// The same for a side of a triangle.
fn side_distance<N: Number>([p, q]: [&Homogeneous<N>; 2], square: &N) -> Result<Ordering, Trouble> {
    // Times the weights: q - p, and the line through both.
    let along = subtract(&scale(&q.0, &p.1), &scale(&p.0, &q.1));
    let falls_beside = dot(&p.0, &along).sign()? != Ordering::Less || dot(&q.0, &along).sign()? != Ordering::Greater;
    if falls_beside {
        let end = |(p, w): &Homogeneous<N>| square.times(&w.squared()).compare(&dot(p, p));
        return Ok(end(p)?.max(end(q)?));
    }
    let line = cross(&p.0, &q.0);
    Ok(square.times(&dot(&along, &along)).compare(&dot(&line, &line))?)
}
