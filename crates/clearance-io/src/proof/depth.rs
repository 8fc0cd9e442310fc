//! Evidence for depths, as the checker takes it.

use super::{Attached, Request, Written, convert, evidence};
use clearance::depth::Scope;
use clearance::proof::{CoverNode, DepthProof, Proof, ProvedPiece, TranslationCover};
use clearance::{Depth, Shape};
use clearance_verify as verify;

/// The query and the evidence of a depth, for its line.
#[must_use]
pub fn attach_depth(written: &Written, scope: Scope, proof: &DepthProof, shapes: [&Shape; 2]) -> Attached {
    let scope = (scope == Scope::Outside).then(|| "outside".to_owned());
    Attached { request: Request { scope, ..Request::of("depth", written) }, proof: depth_evidence(proof, shapes) }
}

/// What an answer claims about a depth.
#[must_use]
pub fn depth_claim(depth: &Depth, scope: Scope) -> verify::DepthClaim {
    let scope = match scope {
        Scope::Any => verify::Scope::Any,
        Scope::Outside => verify::Scope::Outside,
    };
    verify::DepthClaim { lower: depth.lower, upper: depth.upper, translation: depth.translation.to_array(), scope }
}

/// The evidence of a depth: the library's numbers under the names of the checker.
#[must_use]
pub fn depth_evidence(proof: &DepthProof, shapes: [&Shape; 2]) -> verify::Evidence {
    let DepthProof { free, cover, upper } = proof;
    let of_distance = Proof { lower: free.clone(), upper: upper.clone(), ..Proof::default() };
    let depth = cover.as_ref().map(|cover| of_cover(cover, shapes));
    verify::Evidence { depth, ..evidence(&of_distance, shapes) }
}

fn of_cover(cover: &TranslationCover, shapes: [&Shape; 2]) -> verify::DepthEvidence {
    let piece = |shape: &Shape, ProvedPiece { part, points, triangles, members }: &ProvedPiece| verify::DepthPiece {
        part: *part,
        points: points.iter().map(|point| point.to_array()).collect(),
        triangles: triangles.clone(),
        members: members.iter().map(|member| convert::member_of(shape, *part, member)).collect(),
    };
    let node = |node: &CoverNode| match node {
        CoverNode::Far => verify::DepthNode::Far {},
        CoverNode::Cut(plane) => verify::DepthNode::Cut(*plane),
        CoverNode::Divided { pieces, beyond } => {
            verify::DepthNode::Divided { pieces: *pieces, beyond: beyond.clone() }
        }
    };
    verify::DepthEvidence {
        pieces: [0, 1].map(|side| cover.pieces[side].iter().map(|of| piece(shapes[side], of)).collect()),
        planes: cover.planes.iter().map(|(normal, offset)| [normal.x, normal.y, normal.z, *offset]).collect(),
        nodes: cover.nodes.iter().map(node).collect(),
    }
}
