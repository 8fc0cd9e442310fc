//! The library's types as the checker's: the same numbers under other names.

use clearance::math::DVec3;
use clearance::proof::{Cell, Cover, Inner, Lower, Member, Mix, Proof, Upper, Witness, shape_of_part};
use clearance::shape::Polytope;
use clearance::{Clearance, Feature, Pose, Shape};
use clearance_verify as verify;

/// The numbers of a pose.
#[must_use]
pub fn written_pose(pose: &Pose) -> verify::Pose {
    verify::Pose { translation: pose.translation().to_array(), rotation: pose.rotation().to_array() }
}

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

/// Evidence as the checker takes it: vertices of hulls are counted among the points that were written.
#[must_use]
pub fn evidence(proof: &Proof, [a, b]: [&Shape; 2]) -> verify::Evidence {
    let sides = |[i, j]: [u32; 2]| [polytope(shape_of_part(a, i)), polytope(shape_of_part(b, j))];
    let pairs = |parts: [u32; 2], points: &[[Member; 2]]| {
        let [on_a, on_b] = sides(parts);
        points.iter().map(|[a, b]| [member(a, on_a), member(b, on_b)]).collect()
    };
    let both = |parts: [u32; 2], [a, b]: &[Member; 2]| {
        let [on_a, on_b] = sides(parts);
        (member(a, on_a), member(b, on_b))
    };
    let upper = proof.upper.as_ref().map(|upper| match upper {
        Upper::Points { parts, points } => {
            let (a, b) = both(*parts, points);
            verify::Upper::Points { parts: *parts, a, b }
        }
        Upper::Simplex { parts, points } => verify::Upper::Simplex { parts: *parts, points: pairs(*parts, points) },
        Upper::Surface { parts, points, triangles } => {
            verify::Upper::Surface { parts: *parts, points: pairs(*parts, points), triangles: triangles.clone() }
        }
        Upper::Cells { parts, axis, side, nodes } => verify::Upper::Cells {
            parts: *parts,
            axis: axis.to_array(),
            side: side.to_array(),
            nodes: nodes.iter().map(|cell| node(cell, sides(*parts))).collect(),
        },
        Upper::Ellipsoid { parts, share, inner } => {
            let of = |Inner { centre, share, matrix }: &Inner| {
                let matrix = [0, 1, 2].map(|i| matrix.row(i).to_array());
                verify::InnerEllipsoid { centre: centre.to_array(), share: *share, matrix }
            };
            verify::Upper::Ellipsoid { parts: *parts, share: *share, inner: inner.iter().map(of).collect() }
        }
        Upper::Inside { parts, is_in_a, point } => {
            let [on_a, on_b] = sides(*parts);
            let (solid, on) = if *is_in_a { (verify::Whose::A, on_b) } else { (verify::Whose::B, on_a) };
            verify::Upper::Inside { parts: *parts, solid, point: member(point, on) }
        }
    });
    let mut features = [Vec::new(), Vec::new()];
    let witness = proof.witness.as_ref().map(|Witness { parts, points }| {
        let (a, b) = both(*parts, points);
        for (side, polytope) in sides(*parts).into_iter().enumerate() {
            let number = |vertex: &u32| polytope.map_or(*vertex, |polytope| polytope.source(*vertex));
            features[side] = proof.features[side].iter().map(number).collect();
        }
        verify::Witness { parts: *parts, a, b }
    });
    let is_given = !proof.lower.cover.is_empty();
    verify::Evidence { lower: is_given.then(|| lower(&proof.lower)), upper, witness, features, ..Default::default() }
}

fn lower(of: &Lower) -> verify::Lower {
    let cover = of.cover.iter().map(|node| match node {
        Cover::SplitA(at) => verify::Cover::SplitA(*at),
        Cover::SplitB(at) => verify::Cover::SplitB(*at),
        Cover::Along(direction) => verify::Cover::Along(direction.to_array()),
    });
    let [a, b] = of.orders.clone();
    verify::Lower { translation: of.translation.as_ref().map(DVec3::to_array), a, b, cover: cover.collect() }
}

/// A member of the part that evidence gives that number.
pub(super) fn member_of(shape: &Shape, part: u32, of: &Member) -> verify::Member {
    member(of, polytope(shape_of_part(shape, part)))
}

fn member(of: &Member, on: Option<&Polytope>) -> verify::Member {
    match of {
        Member::Vertex(number) => verify::Member::Vertex(on.map_or(*number, |polytope| polytope.source(*number))),
        Member::At(point) => verify::Member::At(point.to_array()),
        Member::Mix(terms) => verify::Member::Mix(terms.iter().map(|(share, of)| (*share, member(of, on))).collect()),
        Member::Image(of) => verify::Member::Image(Box::new(member(of, on))),
        Member::Offset { core, offset } => {
            verify::Member::Offset { core: Box::new(member(core, on)), offset: offset.to_array() }
        }
        Member::Plane => verify::Member::Plane {},
    }
}

fn node(cell: &Cell, on: [Option<&Polytope>; 2]) -> verify::Node {
    let number = |side: usize, piece: u32| on[side].map_or(piece, |polytope| polytope.source(piece));
    let mix = |Mix { a, b }: &Mix| {
        let terms = |side: usize, terms: &[(u32, f64)]| {
            terms.iter().map(|&(piece, weight)| (number(side, piece), weight)).collect()
        };
        verify::Mix { a: terms(0, a), b: terms(1, b) }
    };
    match cell {
        Cell::Longitude(at) => verify::Node::Longitude(*at),
        Cell::Latitude(at) => verify::Node::Latitude(*at),
        Cell::Plane([a, b]) => verify::Node::Plane { a: number(0, *a), b: number(1, *b) },
        Cell::Strip { at, mixes, lines } => {
            verify::Node::Strip { at: *at, mixes: mixes.iter().map(mix).collect(), lines: lines.clone() }
        }
    }
}
