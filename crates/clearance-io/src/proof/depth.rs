//! Evidence for depths, as the checker takes it.

use super::{Attached, Request, Written, convert, evidence};
use clearance::depth::Scope;
use clearance::proof::{ClosedBox, CoverNode, DepthProof, Proof, ProvedPiece, TranslationCover, WayOut};
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
    let DepthProof { free, outside, cover, upper } = proof;
    let of_distance = Proof { lower: free.clone(), upper: upper.clone(), ..Proof::default() };
    let depth = cover.as_ref().map(|cover| of_cover(cover, shapes));
    let way = |WayOut { moved, along }: WayOut| verify::WayOut { moved: moved.to_array(), along: along.to_array() };
    verify::Evidence { depth, outside: outside.map(way), ..evidence(&of_distance, shapes) }
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
        CoverNode::Divided { pieces, beyond } => verify::DepthNode::Divided { pieces: *pieces, beyond: beyond.clone() },
        CoverNode::Enclosed { void, beyond } => verify::DepthNode::Enclosed { void: *void, beyond: beyond.clone() },
    };
    let void = |ClosedBox { min, max, sides }: &ClosedBox| verify::DepthVoid {
        min: min.to_array(),
        max: max.to_array(),
        sides: std::array::from_fn(|side| sides.get(side).into_iter().flatten().map(node).collect()),
    };
    verify::DepthEvidence {
        pieces: [0, 1].map(|side| cover.pieces[side].iter().map(|of| piece(shapes[side], of)).collect()),
        planes: cover.planes.iter().map(|(normal, offset)| [normal.x, normal.y, normal.z, *offset]).collect(),
        voids: cover.voids.iter().map(void).collect(),
        nodes: cover.nodes.iter().map(node).collect(),
    }
}
