//! Polytopes in straight motion whose contact no portal certifies, mostly slivers: Newton's method on the distance.
//!
//! A distance query gives the direction, and one height of each body the time at which the gap along it is used up. If the closest points are then inside
//! both bodies, that is the contact; else the next query is at that time. The search ends as soon as the features that will meet are the closest ones.

use super::{ContactGuess, met_by};
use crate::math::Pose;
use crate::motion::advance::{CLOSE, Chain, Link};
use crate::motion::certify::ProvedContact;
use crate::motion::certify::inside::MetBy;
use crate::motion::envelope::{Direction, StraightPair};
use crate::motion::impact::{Approach, Hit, Impact};
use crate::pair::{Engine, PairCache, PosedPair, clearance};
use crate::shape::{Polytope, Shape};
use crate::tuning::motion::DISTANCE_PROBES;
use glam::DVec3;

pub(super) fn impact(
    pair: &StraightPair<'_, Polytope, Polytope>,
    shapes: [&Shape; 2],
    [from, until]: [f64; 2],
    cache: &mut PairCache,
    chain: &mut impl Chain,
) -> Option<Impact> {
    if !pair.is_near([from, until]) {
        return None;
    }
    let [rotation_a, rotation_b] = pair.rotations;
    let pose_a = &Pose::of_unit(DVec3::ZERO, rotation_a);
    let mut links = [Link::along(Direction::fixed(DVec3::ZERO), [from, from]); DISTANCE_PROBES + 1];
    let mut count = 0;
    let (mut time, mut approach) = (from, Approach::at_least(f64::INFINITY, from));
    // At a distance the line of centers is as good a direction as the closest points.
    let centers = pair.place_at(from).normalize();
    if let Some([end, least]) = pair.apart(centers, from, until) {
        links[0] = Link::along(Direction::fixed(centers), [from, end]);
        count = 1;
        approach.lower = least;
        if end == until {
            chain.push(links[0]);
            return Some(Impact::Clear(approach));
        }
        time = end;
    }
    for probe in 1..=DISTANCE_PROBES {
        let place = pair.place_at(time);
        let posed = PosedPair { a: shapes[0], pose_a, b: shapes[1], pose_b: &Pose::of_unit(place, rotation_b) };
        let found = clearance(posed, f64::INFINITY, Engine::Auto, cache);
        let rounding = pair.rounding(time);
        if !(found.lower > CLOSE * rounding) {
            return None;
        }
        approach.steps = probe as u32;
        approach.see(found.upper + rounding, time);
        let n = found.normal;
        let [end, least] = pair.apart(n, time, until)?;
        links[count] = Link::along(Direction::fixed(n), [time, end]);
        count += 1;
        approach.lower = approach.lower.min(least);
        if end == until {
            links[..count].iter().for_each(|&link| chain.push(link));
            return Some(Impact::Clear(approach));
        }
        let by = met_by(&found, shapes, pair.rotations);
        let guess = ContactGuess::contact(n, [found.point_a, found.point_b - place], by);
        // A corner and a face, or two edges; for other features the closest points need not be those that meet.
        if !matches!(by, MetBy::Anything)
            && let Some(upper) = pair.overlap(shapes, &guess, 1, [end, until])
        {
            links[..count].iter().for_each(|&link| chain.push(link));
            let points = pair.contact_points(&guess, end);
            let hit = Hit::new(ProvedContact { lower: end, upper, normal: n, points });
            return Some(Impact::Hit(Hit { steps: probe as u32, ..hit }));
        }
        time = end;
    }
    None
}
