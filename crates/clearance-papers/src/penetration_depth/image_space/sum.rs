//! Sums to be drawn: their facets, and the facets that stop a ray.
//!
//! With P a hull of A and Q one of B, the sum is `M = Q ⊕ (-P)`. A facet of M is a face of one with a vertex of the other, or an edge with an edge:
//! the highest feature of Q along its normal, and of P against it. It is original if its face is, or if both of its edges have an original face
//! beside them. The others are no boundary of the sum of the bodies (PD 4.3.1).

use super::body::PlacedNode;
use clearance::internals::depth::{BodyPiece, Overlay, facets_of_hull};
use clearance::math::Aabb;
use clearance::math::DVec3;

/// A facet: `normal·x = offset`.
#[derive(Debug, Clone, Copy)]
pub(super) struct SumFacet {
    pub normal: DVec3,
    pub offset: f64,
    pub is_original: bool,
}

/// The sum of two hulls.
#[derive(Debug)]
pub(super) struct DrawnSum {
    /// The nodes of A and B.
    pub nodes: [u32; 2],
    pub bounds: Aabb,
    /// A lower bound of its distance from the origin: the gap between the two hulls.
    pub gap: f64,
    pub facets: Vec<SumFacet>,
}

/// Corners belong to a feature if they are as high as the highest one within this tolerance.
const LEVEL: f64 = 1e-10;

impl DrawnSum {
    /// `None` if the sum is flat.
    pub fn new(overlay: &mut Overlay, nodes: [u32; 2], p: &PlacedNode, q: &PlacedNode, gap: f64) -> Option<Self> {
        let planes = overlay.facets(&p.piece, &q.piece, 0.0).unwrap_or_else(|| facets_of_hull(&p.piece, &q.piece, 0.0));
        let bounds =
            Aabb { min: q.piece.bounds.min - p.piece.bounds.max, max: q.piece.bounds.max - p.piece.bounds.min };
        let facet = |(&normal, &offset): (&DVec3, &f64)| {
            let of_a = SupportFeature::new(p, -normal);
            let of_b = SupportFeature::new(q, normal);
            SumFacet { normal, offset, is_original: is_original(&of_a, &of_b) }
        };
        let facets: Vec<SumFacet> = planes.normals.iter().zip(&planes.offsets).map(facet).collect();
        (facets.len() > 3).then_some(Self { nodes, bounds, gap, facets })
    }
}

fn is_original(a: &SupportFeature, b: &SupportFeature) -> bool {
    match (a, b) {
        (SupportFeature::Face(of_a), SupportFeature::Face(of_b)) => *of_a || *of_b,
        (SupportFeature::Face(flag), _) | (_, SupportFeature::Face(flag)) => *flag,
        (SupportFeature::Edge(of_a), SupportFeature::Edge(of_b)) => *of_a && *of_b,
        _ => true,
    }
}

/// The highest feature of a hull along a direction; whether it is original.
enum SupportFeature {
    Vertex,
    Edge(bool),
    Face(bool),
}

impl SupportFeature {
    fn new(node: &PlacedNode, along: DVec3) -> Self {
        let piece = &node.piece;
        let mut highest = highest(piece, along);
        match [highest.next(), highest.next(), highest.next()] {
            [Some(_), Some(_), Some(_)] => {
                let faces = piece.normals.iter().zip(&node.is_original);
                let nearest = faces.max_by(|p, q| p.0.dot(along).total_cmp(&q.0.dot(along)));
                Self::Face(nearest.is_none_or(|(_, flag)| *flag))
            }
            [Some(tail), Some(head), None] => {
                let ends = [tail.min(head), tail.max(head)];
                let edge = piece.edges.iter().find(|edge| [edge.tail.min(edge.head), edge.tail.max(edge.head)] == ends);
                Self::Edge(edge.is_none_or(|edge| edge.faces.iter().any(|&face| node.is_original[face as usize])))
            }
            _ => Self::Vertex,
        }
    }
}

/// The corners of a piece that are highest along a direction.
pub(super) fn highest(piece: &BodyPiece, along: DVec3) -> impl Iterator<Item = u32> {
    let top = piece.vertices.iter().map(|v| v.dot(along)).fold(f64::NEG_INFINITY, f64::max);
    (0..).zip(&piece.vertices).filter(move |(_, v)| v.dot(along) >= top - LEVEL).map(|(number, _)| number)
}
