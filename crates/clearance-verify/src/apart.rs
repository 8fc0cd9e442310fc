//! Bounds of the signed distance by evidence: directions prove lower bounds, points prove upper bounds.
//!
//! **Places that are not exact** (`Case::off`). Let e bound how far the points of A and those of B are from where the query has them, the two
//! together. Along any direction the heights of both change by no more than e, and a separation by no more than that. So a separation of s + e
//! here is one of s there; and where a translation frees all parts by e, it frees them there. Two convex parts have a signed distance that is
//! the largest separation, so that a bound of u - e here is one of u there; and a point that is inside of a solid by u is inside by u - e. On
//! the way from here to there no surfaces meet that are apart by more than e, so that what is inside stays inside.

use crate::check::Case;
use crate::cover::{self, Leaf};
use crate::evidence::{Lower, Member, Upper, Whose};
use crate::number::{Interval, Number, Vector, dot, meter, vector};
use crate::pairing::{Pairing, bound, is_usable, reaches_along, separation};
use crate::parts::Side;
use crate::shape::Trouble;
use crate::solid::{Body, Pieces, Solid};
use std::cmp::Ordering;

impl<'a> Case<'a> {
    /// The lower bound of the evidence compared with a threshold: greater or equal means that the
    /// signed distance is.
    pub fn separation(&self, threshold: f64) -> Result<Ordering, Trouble> {
        let fault = |what: &str| Err(Trouble::Fault(what.into()));
        let Some(lower) = &self.evidence.lower else {
            let limit = if self.is_one_direction(&[]) { threshold } else { threshold.max(0.0) };
            let found = self.separation_along(&self.a, &self.b, None, self.more(limit))?;
            return Ok(beyond(found, limit, threshold));
        };
        let leaves = cover::leaves(lower, [self.a.len(), self.b.len()])?;
        let (a, b) = (cover::ordered(&self.a, &lower.a)?, cover::ordered(&self.b, &lower.b)?);
        let least = |b: &[Side<'a>], limit: f64| {
            let along =
                |leaf: &Leaf| self.separation_along(&a[leaf.a.clone()], &b[leaf.b.clone()], Some(leaf.along), limit);
            leaves.iter().try_least(along)
        };
        if let Some(translation) = lower.translation {
            if !translation.iter().all(|x| x.is_finite()) || !threshold.is_finite() {
                return fault("a translation or a bound is not finite");
            }
            let moved: Vec<Side<'a>> = b.iter().map(|side| side.moved_by(translation)).collect();
            let limit = self.more(0.0);
            let found = least(&moved, limit)?;
            if found.is_ge() && leaves.len() > 1 {
                self.is_disjoint(found, limit, || self.contained_at(translation))?;
            }
            // They are apart once B is moved by x: no overlap is deeper than |x|.
            return match found {
                Ordering::Less => fault("the translation does not free all parts"),
                _ => crate::filtered!(compare_with_length(threshold, translation)).map(Ordering::reverse),
            };
        }
        // Directions of their own for parts that overlap say nothing about what separates all of them.
        let is_one = self.is_one_direction(&leaves);
        let limit = if is_one { threshold } else { threshold.max(0.0) };
        let found = least(&b, self.more(limit))?;
        if found.is_ge() && !is_one {
            self.is_disjoint(found, self.more(limit), || self.contained())?;
        }
        Ok(beyond(found, limit, threshold))
    }

    /// A separation that leaves this one wherever the shapes truly are: more than the sum, so that it stays one on the way.
    fn more(&self, limit: f64) -> f64 {
        if self.off > 0.0 { (limit + self.off).next_up() } else { limit }
    }

    /// A bound that leaves this one.
    fn less(&self, limit: f64) -> f64 {
        if self.off > 0.0 { (limit - self.off).next_down() } else { limit }
    }

    /// The least separation of all pairs of parts along the directions of a cover, with B moved, compared with zero.
    pub fn separation_moved(&self, lower: &Lower, translation: [f64; 3]) -> Result<Ordering, Trouble> {
        if !translation.iter().all(|x| x.is_finite()) {
            return Err(Trouble::Fault("a translation is not finite".into()));
        }
        let leaves = cover::leaves(lower, self.counts())?;
        let (a, b) = (cover::ordered(&self.a, &lower.a)?, cover::ordered(&self.b, &lower.b)?);
        let moved: Vec<Side<'a>> = b.iter().map(|side| side.moved_by(translation)).collect();
        let along =
            |leaf: &Leaf| self.separation_along(&a[leaf.a.clone()], &moved[leaf.b.clone()], Some(leaf.along), 0.0);
        leaves.iter().try_least(along)
    }

    /// Are solids without a point in common, if their surfaces were found to be apart by a limit or more? One direction for all needs no
    /// such proof: it separates the hulls.
    pub fn is_disjoint(
        &self,
        found: Ordering,
        limit: f64,
        contained: impl FnOnce() -> Result<bool, Trouble>,
    ) -> Result<(), Trouble> {
        let fault = |what: &str| Err(Trouble::Fault(what.into()));
        if !self.bodies().iter().flatten().any(|body| body.mesh.is_some()) {
            return Ok(());
        }
        // Surfaces that touch may pass through each other where they do.
        if !(limit > 0.0) && found.is_eq() {
            return fault("surfaces touch, so containment cannot be decided");
        }
        match contained()? {
            true => fault("the surfaces are apart, but one shape is inside of the other"),
            false => Ok(()),
        }
    }

    /// Is a point of some piece of one shape in a solid of the other? If so they have a point in common. If not they have none as far as
    /// all their parts are apart (see `solid.rs`).
    pub fn contained(&self) -> Result<bool, Trouble> {
        self.contained.get_or_init(|| is_any_contained(&self.bodies()[0], &self.bodies()[1])).clone()
    }

    /// [`Self::contained`] with B translated.
    pub fn contained_at(&self, translation: [f64; 3]) -> Result<bool, Trouble> {
        let moved: Vec<Body<'a>> = self.bodies()[1].iter().map(|body| body.moved_by(translation)).collect();
        is_any_contained(&self.bodies()[0], &moved)
    }

    /// The bound of a point that is inside of a solid, compared with a threshold.
    fn bound_inside(&self, parts: [u32; 2], solid: Whose, point: &Member, threshold: f64) -> Result<Ordering, Trouble> {
        is_usable(threshold)?;
        let Pairing { a, b } = self.pair(parts)?;
        let (bodies, of, other) = match solid {
            Whose::A => (&self.bodies()[0], a, b),
            Whose::B => (&self.bodies()[1], b, a),
        };
        let fault = |what: &str| Err(Trouble::Fault(what.into()));
        if other.is_plane() {
            return fault("a point inside is given of a half-space");
        }
        match bodies.get(of.body as usize).and_then(Body::solid) {
            Some(solid) => solid.bound(&other, point, threshold),
            None => fault("the body that should contain a point is no closed mesh"),
        }
    }

    /// Is the same direction taken for all pairs of parts? Half-spaces bring their own.
    fn is_one_direction(&self, leaves: &[Leaf]) -> bool {
        let planes = |sides: &[Side<'a>]| sides.iter().filter(|side| side.is_plane()).count();
        match (planes(&self.a), planes(&self.b)) {
            (0, 0) => leaves.len() <= 1,
            (1, 0) => self.a.len() == 1,
            (0, 1) => self.b.len() == 1,
            _ => self.pair_count() == 1,
        }
    }

    /// The least separation of all pairs of two sets of parts along one direction; half-spaces bring their own.
    ///
    /// The height of a union is that of its highest part, so this visits each part, not each pair.
    pub fn separation_along(
        &self,
        a: &[Side<'a>],
        b: &[Side<'a>],
        direction: Option<[f64; 3]>,
        threshold: f64,
    ) -> Result<Ordering, Trouble> {
        let all_b = b;
        let sorted = |sides: &[Side<'a>]| sides.iter().partition::<Vec<Side<'a>>, _>(|side| side.is_plane());
        let ((planes_a, a), (planes_b, b)) = (sorted(a), sorted(b));
        let of_a = planes_a.iter().flat_map(|&a| all_b.iter().map(move |&b| Pairing { a, b }));
        let of_b = planes_b.iter().flat_map(|&b| a.iter().map(move |&a| Pairing { a, b }));
        let of_planes = of_a.chain(of_b).try_least(|pair| crate::filtered!(separation(&pair, [0.0; 3], threshold)))?;
        if of_planes.is_lt() || a.is_empty() || b.is_empty() {
            return Ok(of_planes);
        }
        let Some(n) = direction else {
            return Err(Trouble::Fault("there is no direction for the lower bound".into()));
        };
        if let ([a], [b]) = (a.as_slice(), b.as_slice()) {
            let found = crate::filtered!(separation(&Pairing { a: *a, b: *b }, n, threshold))?;
            return Ok(found.min(of_planes));
        }
        if !n.iter().all(|x| x.is_finite()) || n == [0.0; 3] {
            return Err(Trouble::Fault("a direction is zero or not finite".into()));
        }
        if !threshold.is_finite() {
            return Err(Trouble::Fault("a bound is not finite".into()));
        }
        let against = n.map(|x| -x);
        let (Some(heights_a), Some(heights_b)) = (reaches_along(&a, n), reaches_along(&b, against)) else {
            return Err(Trouble::Fault("a part is neither convex nor a half-space".into()));
        };
        let highest = |heights: &[Interval]| heights.iter().copied().reduce(|x, y| x.larger(&y));
        let (Some(highest_a), Some(highest_b)) = (highest(&heights_a), highest(&heights_b)) else {
            return Ok(of_planes);
        };
        let needed = crate::number::Roots::plain(Interval::zero())
            .and_root(Interval::of(threshold), crate::number::dot(&n.map(Interval::of), &n.map(Interval::of)))
            .value();
        match highest_a.plus(&highest_b).plus(&needed).sign() {
            Ok(sign) => return Ok(sign.reverse().min(of_planes)),
            Err(_) if meter::is_exhausted() => return Err(Trouble::Unclear),
            Err(_) => {}
        }
        // Too close to call: exactly, but only for the parts that may be the highest.
        let may_be = |height: &Interval, other: &Interval| {
            !matches!(height.plus(other).plus(&needed).sign(), Ok(Ordering::Less))
        };
        let chosen = |sides: &[Side<'a>], heights: &[Interval], other: &Interval| -> Vec<Side<'a>> {
            sides.iter().zip(heights).filter(|(_, height)| may_be(height, other)).map(|(side, _)| *side).collect()
        };
        let (a, b) = (chosen(&a, &heights_a, &highest_b), chosen(&b, &heights_b, &highest_a));
        let pairs = a.iter().flat_map(|&a| b.iter().map(move |&b| Pairing { a, b }));
        let found = pairs.try_least(|pair| crate::filtered!(separation(&pair, n, threshold)))?;
        Ok(found.min(of_planes))
    }

    /// The upper bound of the evidence compared with a threshold: less or equal means that the signed distance is.
    pub fn bound(&self, threshold: f64) -> Result<Ordering, Trouble> {
        let Some(upper) = &self.evidence.upper else {
            return Err(Trouble::Fault("there is nothing for the upper bound".into()));
        };
        let threshold = self.less(threshold);
        match upper {
            Upper::Inside { parts, solid, point } => self.bound_inside(*parts, *solid, point, threshold),
            _ => bound(&self.pair(upper.parts())?, upper, threshold),
        }
    }
}

/// Has a solid of one a point of some piece of the other inside?
fn is_any_contained(a: &[Body<'_>], b: &[Body<'_>]) -> Result<bool, Trouble> {
    for (ours, theirs) in [(a, b), (b, a)] {
        let solids: Vec<Solid<'_>> = ours.iter().filter_map(Body::solid).collect();
        let pieces: Vec<Pieces<'_>> =
            if solids.is_empty() { Vec::new() } else { theirs.iter().map(Body::pieces).collect() };
        for (solid, pieces) in solids.iter().flat_map(|solid| pieces.iter().map(move |pieces| (solid, pieces))) {
            if solid.holds_any(pieces)? {
                return Ok(true);
            }
        }
    }
    // Once there is no work left nothing is known.
    if meter::is_exhausted() { Err(Trouble::Unclear) } else { Ok(false) }
}

/// The comparison with a threshold that follows from one with `limit`, which is no less.
fn beyond(found: Ordering, limit: f64, threshold: f64) -> Ordering {
    match found {
        Ordering::Equal if limit > threshold => Ordering::Greater,
        _ => found,
    }
}

/// Is a threshold less than, equal to or greater than minus the length of a vector?
fn compare_with_length<N: Number>(threshold: f64, v: [f64; 3]) -> Result<Ordering, Trouble> {
    if threshold > 0.0 {
        return Ok(Ordering::Greater);
    }
    let v: Vector<N> = vector(v);
    Ok(dot(&v, &v).compare(&N::of(threshold).squared())?)
}

/// The least of what is found, where "less" ends the search and trouble leaves it open.
trait TryLeast: Iterator + Sized {
    fn try_least(self, mut find: impl FnMut(Self::Item) -> Result<Ordering, Trouble>) -> Result<Ordering, Trouble> {
        let mut least = Ok(Ordering::Greater);
        for item in self {
            if meter::is_exhausted() {
                return Err(Trouble::Unclear);
            }
            match find(item) {
                Ok(Ordering::Less) => return Ok(Ordering::Less),
                Ok(found) => least = least.map(|least: Ordering| least.min(found)),
                Err(trouble) => least = Err(trouble),
            }
        }
        least
    }
}

impl<I: Iterator> TryLeast for I {}
