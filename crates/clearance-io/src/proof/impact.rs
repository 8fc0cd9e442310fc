//! Evidence for times of impact, as the checker takes it.

use super::{Attached, Request, Written, evidence, written_pose};
use crate::Motion;
use clearance::Shape;
use clearance::motion::{Hit, Impact};
use clearance::proof::{ApartLink, ApartNode, ImpactProof, Proof, ProvedMeeting};
use clearance_verify as verify;

/// What was asked about two moving bodies, as it was written.
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
pub fn attach_impact(written: &WrittenImpact<'_>, proof: &ImpactProof, shapes: [&Shape; 2]) -> Attached {
    let [motion_a, motion_b] = written.motions.clone().map(Some);
    let [from, until] = written.interval.map(Some);
    let request = Request { motion_a, motion_b, from, until, ..Request::of("impact", written.start) };
    Attached { request, proof: impact_evidence(proof, shapes) }
}

/// The evidence of a time of impact: the library's numbers under the names of the checker.
#[must_use]
pub fn impact_evidence(proof: &ImpactProof, shapes: [&Shape; 2]) -> verify::Evidence {
    let link = |&ApartLink { from, to, along, turn, ring }: &ApartLink| verify::ChainLink {
        from,
        to,
        along: along.to_array(),
        turn: turn.to_array(),
        ring: ring.map(|side| if side == 0 { verify::RingBody::A } else { verify::RingBody::B }),
    };
    let meeting = proof.meeting.as_ref().and_then(|meeting| {
        let ProvedMeeting { time, poses, bound, upper } = meeting;
        let [pose_a, pose_b] = poses.each_ref().map(written_pose);
        let upper = evidence(&Proof { upper: Some(upper.clone()), ..Proof::default() }, shapes).upper?;
        Some(verify::Meeting { time: *time, pose_a, pose_b, bound: *bound, upper })
    });
    let node = |ApartNode { chain, split }: &ApartNode| {
        let at = |side: usize| split.filter(|(of, _)| *of == side).map(|(_, at)| at);
        verify::ImpactNode { chain: chain.iter().map(link).collect(), split_a: at(0), split_b: at(1) }
    };
    let [a, b] = proof.orders.clone();
    let motion = verify::ImpactEvidence {
        chain: proof.chain.iter().map(link).collect(),
        a,
        b,
        cover: proof.covers.iter().map(|nodes| nodes.iter().map(node).collect()).collect(),
        meeting,
    };
    let of_start = proof.start.clone().unwrap_or_default();
    let witness = proof.witness.clone().or(of_start.witness.clone());
    verify::Evidence { motion: Some(motion), ..evidence(&Proof { witness, ..of_start }, shapes) }
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

/// What a hit claims beside its times.
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

/// What an answer claims about times and gaps.
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
