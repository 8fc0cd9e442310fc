//! Balls and capsules in straight motion: a quadratic equation.
//!
//! Two balls meet where `|p + v t| = r`, the sum of the radii. For two capsules, take the vector between the middles of their segments, which
//! moves along a line. They meet where it comes within r of the parallelogram that their half vectors span: of its face, an edge, or a corner. The closest
//! points of the segments decide which one; without the components along free segments, it is the same quadratic equation.

use super::ContactGuess;
use crate::motion::advance::Chain;
use crate::motion::certify::Certified;
use crate::motion::certify::inside::MetBy;
use crate::motion::envelope::StraightPair;
use crate::narrow::closed_form::between;
use crate::shape::{Convex, Segment, Shape, Sphere};
use crate::tuning::motion as tuning;
use glam::DVec3;

/// The first t >= 0 with |p + v t| = r, for a p outside; `None` if there is none.
fn first_within(p: DVec3, v: DVec3, r: f64) -> Option<f64> {
    let (a, b) = (v.length_squared(), p.dot(v));
    let c = (p.length() - r) * (p.length() + r);
    let under = b * b - a * c;
    (b < 0.0 && under >= 0.0).then(|| c / (under.sqrt() - b))
}

/// When p + v t is closest to the origin, from now on and up to a time.
fn closest_time(p: DVec3, v: DVec3, until: f64) -> f64 {
    let square = v.length_squared();
    if square > 0.0 { (-p.dot(v) / square).clamp(0.0, until) } else { 0.0 }
}

#[inline(always)]
fn balls(pair: &StraightPair<'_, Sphere, Sphere>, [from, until]: [f64; 2]) -> ContactGuess {
    let (p, v, rest) = (pair.place_at(from), pair.path.velocity, until - from);
    let [a, b] = [pair.a.radius(), pair.b.radius()];
    match first_within(p, v, a + b) {
        Some(time) if time < rest => {
            let normal = (p + v * time).normalize();
            ContactGuess::contact(normal, [normal * a, normal * -b], MetBy::Anything)
        }
        // At the closest approach the vector between the centers separates the balls at all times.
        _ => ContactGuess::pass([p + v * closest_time(p, v, rest); 2]),
    }
}

/// Certifies the guess of two balls, which need no rotation, and overlap where their centers are closer than the sum of the radii.
#[inline(always)]
pub(super) fn balls_impact(
    pair: &StraightPair<'_, Sphere, Sphere>,
    shapes: [&Shape; 2],
    [from, until]: [f64; 2],
    chain: &mut impl Chain,
) -> Option<Certified> {
    let guess = balls(pair, [from, until]);
    if guess.is_pass() {
        return pair.certify(shapes, guess, [from, until], chain);
    }
    if !pair.is_near([from, until]) {
        return None;
    }
    pair.certify_contact(guess.normal, 0.0, [from, until], chain, |time| {
        let after = pair.soon_after(guess.normal, time);
        let end = time + after;
        // A graze is left to the search. Bound: the length has an error of 2 ε.
        let apart = pair.place_at(end).length() * (1.0 + 4.0 * f64::EPSILON) + pair.rounding(end);
        if !(after <= tuning::SOON * (until - time) && end <= until && apart < pair.a.radius() + pair.b.radius()) {
            return None;
        }
        let origin = pair.segment_a.place_at(time);
        // On the line of the centers at that time.
        let place = pair.place_at(time);
        let along = place.normalize();
        Some((end, [origin + along * pair.a.radius(), origin + (place - along * pair.b.radius())]))
    })
}

pub(super) fn capsules(pair: &StraightPair<'_, Segment, Segment>, [from, until]: [f64; 2]) -> Option<ContactGuess> {
    let [rotation_a, rotation_b] = pair.rotations;
    let ([middle_a, half_a], [middle_b, half_b]) = (pair.a.turned(rotation_a), pair.b.turned(rotation_b));
    let squares = [pair.a.squares(), pair.b.squares()];
    let (radius_a, radius_b) = (pair.a.radius(), pair.b.radius());
    let r = radius_a + radius_b;
    let (p, v, rest) = (pair.place_at(from) + (middle_b - middle_a), pair.path.velocity, until - from);
    // Start where the bounding balls meet, or at their closest approach.
    let extent = r + half_a.length() + half_b.length();
    let mut time = first_within(p, v, extent).unwrap_or_else(|| closest_time(p, v, rest)).min(rest);
    let mut before = [2.0; 2];
    for _ in 0..tuning::CAPSULE_ROUNDS {
        let found = between([half_a, half_b], squares, p + v * time, f64::MAX)?;
        let parts = found.parts;
        let [s, t] = parts;
        // The features are those of the round before: the root is theirs.
        let is_free = [0, 1].map(|side| parts[side].abs() < 1.0 && squares[side][1] > 0.0);
        let kind = [0, 1].map(|side| if is_free[side] { 0.0 } else { parts[side] });
        if kind == before {
            let normal = found.normal;
            let points = [middle_a + half_a * s + normal * radius_a, middle_b + half_b * t - normal * radius_b];
            return Some(ContactGuess::contact(normal, points, MetBy::Anything));
        }
        before = kind;
        // The vector between the features and its rate, without the components along free segments.
        let fixed = p - half_a * kind[0] + half_b * kind[1];
        let off = |half: DVec3, square: [f64; 2]| [fixed, v].map(|w| w - half * (w.dot(half) * square[1]));
        let [place, rate] = match (is_free[0], is_free[1]) {
            (true, true) => {
                let across = half_a.cross(half_b).normalize_or_zero();
                [fixed, v].map(|w| across * w.dot(across))
            }
            (true, false) => off(half_a, squares[0]),
            (false, true) => off(half_b, squares[1]),
            (false, false) => [fixed, v],
        };
        // If the features never meet, the bodies may pass: continue at their closest approach.
        time = first_within(place, rate, r).unwrap_or_else(|| closest_time(place, rate, rest)).min(rest);
    }
    None
}
