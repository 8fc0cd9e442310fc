//! Depths: the claim of an answer and the query of its line.

use super::{Attached, Request, Written};
use clearance::Depth;
use clearance::depth::Scope;
use clearance_verify as verify;

/// The query and the evidence of a depth, for its line.
#[must_use]
pub fn attach_depth(written: &Written, scope: Scope, proof: verify::Evidence) -> Attached {
    let scope = (scope == Scope::Outside).then(|| "outside".to_owned());
    Attached { request: Request { scope, ..Request::of("depth", written) }, proof }
}

/// The claim of an answer about a depth.
#[must_use]
pub fn depth_claim(depth: &Depth, scope: Scope) -> verify::DepthClaim {
    let scope = match scope {
        Scope::Any => verify::Scope::Any,
        Scope::Outside => verify::Scope::Outside,
    };
    verify::DepthClaim { lower: depth.lower, upper: depth.upper, translation: depth.translation.to_array(), scope }
}
