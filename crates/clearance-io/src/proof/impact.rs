//! Times of impact: the claims of answers and the queries of their lines.

use super::{Attached, Request, Written, written_pose};
use crate::Motion;
use clearance::motion::{Hit, Impact};
use clearance_verify as verify;

/// A query about two moving bodies, as it was written.
#[derive(Debug, Clone)]
pub struct WrittenImpact<'a> {
    /// The shapes and their poses at time zero.
    pub start: &'a Written,
    /// How they move.
    pub motions: [verify::Motion; 2],
    /// The interval of time.
    pub interval: [f64; 2],
}

/// The query and the evidence of a time of impact, for its line.
#[must_use]
pub fn attach_impact(written: &WrittenImpact<'_>, proof: verify::Evidence) -> Attached {
    let [motion_a, motion_b] = written.motions.clone().map(Some);
    let [from, until] = written.interval.map(Some);
    let request = Request { motion_a, motion_b, from, until, ..Request::of("impact", written.start) };
    Attached { request, proof }
}

/// How a body moves, under the names of the checker.
#[must_use]
pub fn written_motion(motion: &Motion) -> verify::Motion {
    match motion {
        Motion::Fixed => verify::Motion::Fixed {},
        Motion::Linear { velocity, angular_velocity, center } => verify::Motion::Linear {
            velocity: velocity.to_array(),
            angular_velocity: angular_velocity.to_array(),
            center: center.to_array(),
        },
        Motion::Ballistic { velocity, angular_velocity, center, gravity } => verify::Motion::Ballistic {
            velocity: velocity.to_array(),
            angular_velocity: angular_velocity.to_array(),
            gravity: gravity.to_array(),
            center: center.to_array(),
        },
        Motion::Keyframes(frames) => {
            let written = frames.iter().map(|frame| {
                let pose = verify::Pose { rotation: frame.rotation, ..written_pose(&frame.pose) };
                verify::Keyframe { time: frame.time, pose }
            });
            verify::Motion::Keyframes(written.collect())
        }
    }
}

/// The claim of a hit about its contact.
#[must_use]
pub fn contact_claim(hit: &Hit) -> verify::ContactClaim {
    verify::ContactClaim {
        time: hit.lower,
        point_a: hit.point_a.to_array(),
        point_b: hit.point_b.to_array(),
        normal: hit.normal.to_array(),
        may_overlap: false,
    }
}

/// The claim of an answer about times and gaps.
#[must_use]
pub fn impact_claim(impact: &Impact) -> verify::ImpactClaim {
    match impact {
        Impact::Hit(hit) => verify::ImpactClaim::Hit { lower: hit.lower, upper: hit.upper },
        Impact::Clear(approach) => {
            verify::ImpactClaim::Clear { lower: Some(approach.lower), upper: Some(approach.upper) }
        }
        Impact::Touching(_) => verify::ImpactClaim::Touching,
        // Apart until then, and nothing more: such a claim is never proved.
        Impact::Undecided(undecided) => verify::ImpactClaim::Hit { lower: undecided.from, upper: f64::INFINITY },
    }
}
