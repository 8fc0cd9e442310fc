//! Answers of the library as claims for the checker. Vertices of hulls are counted among the points that were written.

use clearance::shape::Polytope;
use clearance::{Clearance, Feature, Shape};
use clearance_verify as verify;

/// The polytope whose vertices the members of a part name, if it is made of one.
fn polytope(part: &Shape) -> Option<&Polytope> {
    match part {
        Shape::Polytope(polytope) => Some(polytope),
        Shape::Affine(affine) => polytope(affine.shape()),
        Shape::Rounded(rounded) => polytope(rounded.shape()),
        _ => None,
    }
}

/// The part of that number, as the library counts; a shape that is no compound is its own only part.
fn part(shape: &Shape, number: u32) -> &Shape {
    match shape {
        Shape::Compound(compound) => compound.parts().get(number as usize).map_or(shape, |part| &part.shape),
        _ => shape,
    }
}

/// A feature with the number that its vertex has among the points that were written.
pub(crate) fn written_feature(shape: &Shape, number: u32, feature: Feature) -> Feature {
    match (feature, polytope(part(shape, number))) {
        (Feature::Vertex(vertex), Some(polytope)) if (vertex as usize) < polytope.vertex_count() => {
            Feature::Vertex(polytope.source(vertex))
        }
        _ => feature,
    }
}

pub(super) fn distance(c: &Clearance, shapes: [&Shape; 2]) -> verify::Distance {
    let feature = |feature: Feature| match feature {
        Feature::Surface => verify::Feature::Surface,
        Feature::Vertex(number) => verify::Feature::Vertex(number),
        Feature::Edge(number) => verify::Feature::Edge(number),
        Feature::Face(number) => verify::Feature::Face(number),
    };
    let [a, b] = shapes;
    let [feature_a, feature_b] = c.features(a, b);
    let features = [written_feature(a, c.parts[0], feature_a), written_feature(b, c.parts[1], feature_b)];
    verify::Distance {
        distance: c.distance,
        point_a: c.point_a.to_array(),
        point_b: c.point_b.to_array(),
        normal: c.normal.to_array(),
        lower: c.lower,
        upper: c.upper,
        status: verify::Status::named(c.status.name()).unwrap_or(verify::Status::Stalled),
        features: features.map(feature),
    }
}
