//! Every arrow between the six pairs of features, one step at a time; every kind of fault; then whole marches.

use super::*;
use clearance::internals::hull::convex_hull;
use clearance::internals::narrow::tally::Counts;
use clearance::math::DQuat;
use clearance::math::Pose;
use clearance::shape::Feature::{Edge, Face, Vertex};

fn hull(points: &[[f64; 3]]) -> Polytope {
    convex_hull(&points.iter().map(|&p| p.into()).collect::<Vec<DVec3>>()).unwrap()
}

/// The unit cube; vertex i has the bits of i as coordinates.
fn cube() -> Polytope {
    hull(&[0, 1, 2, 3, 4, 5, 6, 7].map(|i| [0, 1, 2].map(|axis| f64::from(i >> axis & 1))))
}

/// A cube with one corner there and the opposite one farther along all axes; numbered like the unit cube.
fn cube_at(corner: [f64; 3]) -> Polytope {
    hull(&[0, 1, 2, 3, 4, 5, 6, 7].map(|i| [0, 1, 2].map(|axis| corner[axis] + f64::from(i >> axis & 1))))
}

fn edge(ends: [u32; 2]) -> Feature {
    cube().feature(&ends)
}

fn face(corners: [u32; 3]) -> Feature {
    cube().feature(&corners)
}

/// The faces z = 0 and z = 1 of a cube.
fn bottom() -> Feature {
    face([0, 1, 2])
}

fn top() -> Feature {
    face([4, 5, 6])
}

/// One step from a pair of features.
fn step(a: &Polytope, b: &Polytope, from: [Feature; 2]) -> LinCannyStep {
    let frame = Frame::IDENTITY;
    let size = size(a, b);
    let is_swapped = dimension(from[0]) > dimension(from[1]);
    let (x, y, [fx, fy]) = if is_swapped { (b, a, [from[1], from[0]]) } else { (a, b, from) };
    let view = View { x, y, x_in_y: &frame, y_in_x: &frame, size };
    match (PointMarch { tally: &mut (), decisions: &mut 0, tolerances: &Tolerances::PROGRAM }).step(view, fx, fy) {
        LinCannyStep::Go([x, y]) if is_swapped => LinCannyStep::Go([y, x]),
        other => other,
    }
}

/// The step from a pair must lead to that pair, and with the roles of A and B exchanged to its mirror image.
#[track_caller]
fn leads(a: &Polytope, b: &Polytope, from: [Feature; 2], to: [Feature; 2]) {
    assert_eq!(step(a, b, from), LinCannyStep::Go(to));
    assert_eq!(step(b, a, [from[1], from[0]]), LinCannyStep::Go([to[1], to[0]]), "swapped");
}

/// The pair must be the closest, at that distance.
#[track_caller]
fn ends(a: &Polytope, b: &Polytope, at: [Feature; 2], distance: f64) {
    for (a, b, at) in [(a, b, at), (b, a, [at[1], at[0]])] {
        let LinCannyStep::Done(claim) = step(a, b, at) else { panic!("{:?}", step(a, b, at)) };
        assert!(((claim.x - claim.y).length() - distance).abs() < 1e-4, "{claim:?}");
    }
}

#[test]
fn vertex_vertex_goes_to_the_edge_that_leads_to_the_other_vertex() {
    leads(&cube(), &hull(&[[0.5, -1.0, -1.0]]), [Vertex(0), Vertex(0)], [edge([0, 1]), Vertex(0)]);
    // Of two that do, to the one whose plane is violated most.
    leads(&cube(), &hull(&[[0.5, 0.7, -1.0]]), [Vertex(0), Vertex(0)], [edge([0, 2]), Vertex(0)]);
    ends(&cube(), &hull(&[[-2.0, -1.0, -2.0]]), [Vertex(0), Vertex(0)], 3.0);
    // Between two regions the flares give the feature of higher dimension priority.
    leads(&cube(), &hull(&[[-1.0, 0.0, -1.0]]), [Vertex(0), Vertex(0)], [edge([0, 2]), Vertex(0)]);
}

#[test]
fn vertex_edge_goes_to_the_ends_and_faces_of_the_edge() {
    let e = edge([0, 1]);
    leads(&cube(), &hull(&[[-1.0, -1.0, -1.0]]), [e, Vertex(0)], [Vertex(0), Vertex(0)]);
    leads(&cube(), &hull(&[[2.0, -1.0, -1.0]]), [e, Vertex(0)], [Vertex(1), Vertex(0)]);
    leads(&cube(), &hull(&[[0.5, 0.5, -1.0]]), [e, Vertex(0)], [bottom(), Vertex(0)]);
    leads(&cube(), &hull(&[[0.5, -1.0, 0.5]]), [e, Vertex(0)], [face([0, 1, 4]), Vertex(0)]);
    ends(&cube(), &hull(&[[0.5, -3.0, -4.0]]), [e, Vertex(0)], 5.0);
}

#[test]
fn vertex_edge_goes_to_the_edge_at_the_vertex_that_comes_closer() {
    let stick = hull(&[[0.5, -1.0, -1.0], [0.5, 1.0, -1.0]]);
    leads(&cube(), &stick, [edge([0, 1]), Vertex(0)], [edge([0, 1]), Edge(0)]);
}

#[test]
fn vertex_face_goes_to_a_side_or_to_an_edge_that_heads_for_it() {
    leads(&cube(), &hull(&[[2.0, 0.5, -1.0]]), [bottom(), Vertex(0)], [edge([1, 3]), Vertex(0)]);
    leads(&cube(), &hull(&[[1.5, 2.0, -1.0]]), [bottom(), Vertex(0)], [edge([2, 3]), Vertex(0)]);
    let stick = hull(&[[0.5, 0.5, -1.0], [2.0, 0.5, -0.5]]);
    leads(&cube(), &stick, [bottom(), Vertex(0)], [bottom(), Edge(0)]);
    ends(&cube(), &hull(&[[0.5, 0.5, -2.0]]), [bottom(), Vertex(0)], 2.0);
}

#[test]
fn vertex_face_below_the_plane_goes_to_the_closest_feature_of_all() {
    leads(&cube(), &hull(&[[0.5, 0.5, 3.0]]), [bottom(), Vertex(0)], [top(), Vertex(0)]);
    // A flat polygon has a back.
    let square = hull(&[[0.0, 0.0, 0.0], [1.0, 0.0, 0.0], [0.0, 1.0, 0.0], [1.0, 1.0, 0.0]]);
    let up = u32::from(square.face(1).normal.z > 0.0);
    leads(&square, &hull(&[[0.5, 0.5, 1.0]]), [Face(1 - up), Vertex(0)], [Face(up), Vertex(0)]);
    // Over a sloping side the closest feature is that face; inside, where no face is seen from above, it is an edge.
    let roof = hull(&[[0.0, 0.0, 0.0], [4.0, 0.0, 0.0], [0.0, 4.0, 0.0], [4.0, 4.0, 0.0], [2.0, 2.0, 1.0]]);
    let base = (0..5).find(|&f| roof.face(f).normal.z < -0.5).unwrap();
    let LinCannyStep::Go([Face(side), _]) = step(&roof, &hull(&[[2.0, 0.5, 2.0]]), [Face(base), Vertex(0)]) else {
        panic!()
    };
    assert!(roof.face(side).normal.y < -0.1);
    leads(&cube(), &hull(&[[0.5, 0.1, 0.2]]), [bottom(), Vertex(0)], [edge([0, 1]), Vertex(0)]);
}

#[test]
fn edge_edge_goes_to_the_ends_and_faces_of_either_edge() {
    let e = edge([0, 1]);
    let at = |x: f64| hull(&[[x, -1.0, -1.0], [x, 1.0, -1.5]]);
    leads(&cube(), &at(-0.5), [e, Edge(0)], [Vertex(0), Edge(0)]);
    leads(&cube(), &at(1.5), [e, Edge(0)], [Vertex(1), Edge(0)]);
    let short = |y: f64, z: f64| hull(&[[0.5, y, -1.0], [0.5, y + 0.5, z]]);
    leads(&cube(), &short(-2.0, -1.0), [e, Edge(0)], [e, Vertex(1)]);
    let below = hull(&[[0.5, -1.0, -0.5], [0.5, 2.0, -0.4]]);
    leads(&cube(), &below, [e, Edge(0)], [bottom(), Edge(0)]);
    let beside = hull(&[[0.5, -0.5, -1.0], [0.5, -0.4, 2.0]]);
    leads(&cube(), &beside, [e, Edge(0)], [face([0, 1, 4]), Edge(0)]);
    let across = hull(&[[0.5, -1.0, 0.0], [0.5, 0.0, -1.0]]);
    ends(&cube(), &across, [e, Edge(0)], 0.5_f64.sqrt());
}

#[test]
fn parallel_edges_meet_in_the_middle_of_what_overlaps() {
    let along = |from: f64, to: f64| hull(&[[from, -3.0, -4.0], [to, -3.0, -4.0]]);
    let e = edge([0, 1]);
    for (from, to, middle) in [(0.25, 2.0, 0.625), (-1.0, 0.5, 0.25), (0.25, 0.75, 0.5), (-1.0, 3.0, 0.5)] {
        ends(&cube(), &along(from, to), [e, Edge(0)], 5.0);
        let LinCannyStep::Done(claim) = step(&cube(), &along(from, to), [e, Edge(0)]) else { panic!() };
        assert_eq!((claim.x.x, claim.y.x), (middle, middle));
    }
    // Nothing overlaps: the ends that face each other.
    assert_eq!(step(&cube(), &along(-2.0, -1.0), [e, Edge(0)]), LinCannyStep::Go([e, Vertex(1)]));
    assert_eq!(step(&along(-2.0, -1.0), &cube(), [Edge(0), e]), LinCannyStep::Go([Edge(0), Vertex(0)]));
    assert_eq!(step(&cube(), &along(3.0, 2.0), [e, Edge(0)]), LinCannyStep::Go([e, Vertex(1)]));
}

#[test]
fn edge_face_goes_to_the_end_that_is_closer() {
    let stick = hull(&[[0.5, 0.5, -1.0], [0.6, 0.5, -2.0]]);
    leads(&cube(), &stick, [bottom(), Edge(0)], [bottom(), Vertex(0)]);
    let stick = hull(&[[0.5, 0.5, -2.0], [0.6, 0.5, -1.0]]);
    leads(&cube(), &stick, [bottom(), Edge(0)], [bottom(), Vertex(1)]);
}

#[test]
fn edge_face_goes_to_a_side_or_corner_of_the_face() {
    // The closer end is beside the face; the edge pierces the plane; it is parallel and misses the face.
    let tilted = hull(&[[1.5, 0.5, -0.5], [0.5, 0.5, -1.0]]);
    leads(&cube(), &tilted, [bottom(), Edge(0)], [edge([1, 3]), Edge(0)]);
    let piercing = hull(&[[1.5, 0.5, -0.5], [1.5, 0.4, 0.6]]);
    leads(&cube(), &piercing, [bottom(), Edge(0)], [edge([1, 3]), Edge(0)]);
    let beside = hull(&[[1.5, 0.25, -0.5], [1.5, 0.75, -0.5]]);
    leads(&cube(), &beside, [bottom(), Edge(0)], [edge([1, 3]), Edge(0)]);
    let corner = hull(&[[1.2, 2.0, -0.5], [2.0, 1.2, -0.5]]);
    leads(&cube(), &corner, [bottom(), Edge(0)], [Vertex(3), Edge(0)]);
}

#[test]
fn edge_face_below_the_plane_goes_to_the_closest_feature_of_all() {
    let above = hull(&[[0.5, 0.5, 2.0], [0.6, 0.5, 3.0]]);
    leads(&cube(), &above, [bottom(), Edge(0)], [top(), Edge(0)]);
    let level = hull(&[[0.25, 0.5, 2.0], [0.75, 0.5, 2.0]]);
    leads(&cube(), &level, [bottom(), Edge(0)], [top(), Edge(0)]);
    let within = hull(&[[0.4, 0.1, 0.2], [0.6, 0.1, 0.2]]);
    leads(&cube(), &within, [bottom(), Edge(0)], [edge([0, 1]), Edge(0)]);
    // A corner is the closest feature only where no edge is as close, which comes later in the scan.
    let point = hull(&[[3.0, 3.0, 3.0]]);
    let view = View { x: &above, y: &point, x_in_y: &Frame::IDENTITY, y_in_x: &Frame::IDENTITY, size: 1.0 };
    let mut march = PointMarch { tally: &mut (), decisions: &mut 0, tolerances: &Tolerances::PROGRAM };
    let line = march.line(&view, 0);
    assert_eq!(march.closest_to_line(&point, &line), Some(Vertex(0)));
}

#[test]
fn edge_face_goes_to_a_face_of_the_edge_that_looks_at_the_face() {
    // The lower edges of a cube that hovers over another: its bottom faces down.
    let above = cube_at([0.25, 0.25, 2.0]);
    leads(&cube(), &above, [top(), edge([0, 1])], [top(), bottom()]);
    let stick = hull(&[[0.25, 0.5, 3.0], [0.75, 0.5, 3.0]]);
    ends(&cube(), &stick, [top(), Edge(0)], 2.0);
    // A tent stands on its ridge.
    let tent =
        hull(&[[0.2, 0.5, 2.0], [0.8, 0.5, 2.0], [0.2, 0.0, 3.0], [0.8, 0.0, 3.0], [0.2, 1.0, 3.0], [0.8, 1.0, 3.0]]);
    ends(&cube(), &tent, [top(), tent.feature(&[0, 1])], 1.0);
}

#[test]
fn face_face_goes_to_what_is_closest_to_the_plane_of_the_other() {
    // A cube turned about y stands on an edge, one turned about two axes on a corner.
    let turned = |rotation: DQuat, at: DVec3| {
        let corner = |i: u32| rotation * (DVec3::new(f64::from(i & 1), f64::from(i >> 1 & 1), f64::from(i >> 2 & 1)));
        convex_hull(&(0..8).map(|i| corner(i) + at).collect::<Vec<_>>()).unwrap()
    };
    let on_edge = turned(DQuat::from_rotation_y(0.5), DVec3::new(0.1, 0.0, 2.0));
    let lowest =
        |polytope: &Polytope| (0..8).min_by(|&i, &j| polytope.vertex(i).z.total_cmp(&polytope.vertex(j).z)).unwrap();
    let underside = |polytope: &Polytope| {
        let all = 0..polytope.face_count() as u32;
        Face(all.min_by(|&f, &g| polytope.face(f).normal.z.total_cmp(&polytope.face(g).normal.z)).unwrap())
    };
    let LinCannyStep::Go([found, Edge(e)]) = step(&cube(), &on_edge, [top(), underside(&on_edge)]) else { panic!() };
    assert_eq!(found, top());
    let ends_of = on_edge.edge(e);
    assert!([ends_of.tail, ends_of.head].iter().all(|&v| on_edge.vertex(v).z < 2.0));
    let LinCannyStep::Go(found) = step(&on_edge, &cube(), [underside(&on_edge), top()]) else { panic!() };
    assert_eq!(found, [Edge(e), top()], "swapped");
    let tilt = DQuat::from_rotation_x(0.4) * DQuat::from_rotation_y(0.5);
    let on_corner = turned(tilt, DVec3::new(0.05, 0.2, 2.0));
    let v = lowest(&on_corner);
    leads(&cube(), &on_corner, [top(), underside(&on_corner)], [top(), Vertex(v)]);
}

#[test]
fn face_face_goes_to_two_edges_where_neither_is_over_the_other() {
    // Parallel and beside each other.
    let beside = cube_at([1.5, 0.1, 2.0]);
    leads(&cube(), &beside, [top(), bottom()], [edge([5, 7]), edge([0, 2])]);
    // Not parallel, and beside each other.
    let right = face([1, 3, 5]);
    let away = cube_at([2.0, 0.1, 1.5]);
    let LinCannyStep::Go([Edge(e), Edge(g)]) = step(&cube(), &away, [right, bottom()]) else { panic!() };
    assert_eq!([Edge(e), Edge(g)], [edge([5, 7]), edge([0, 2])]);
}

#[test]
fn parallel_faces_end_where_they_overlap() {
    ends(&cube(), &cube_at([0.25, 0.25, 3.0]), [top(), bottom()], 2.0);
    // One inside of the other: no edge of the large face is over the small one.
    let small = hull(&[[0.4, 0.4, 2.0], [0.6, 0.4, 2.0], [0.4, 0.6, 2.0], [0.5, 0.5, 2.5]]);
    ends(&cube(), &small, [top(), small.feature(&[0, 1, 2])], 1.0);
}

/// A pyramid above the unit cube that stands on its tip.
fn pyramid() -> Polytope {
    hull(&[[-1.0, -1.0, 4.0], [2.0, -1.0, 4.0], [-1.0, 2.0, 4.0], [2.0, 2.0, 4.0], [0.5, 0.5, 3.0]])
}

#[test]
fn parallel_faces_that_do_not_look_at_each_other_go_to_the_closest_feature_or_nowhere() {
    // The top of A is below the top of B, facing the same way; the bottom of B faces it.
    let above = cube_at([0.25, 0.25, 3.0]);
    let LinCannyStep::Go(found) = step(&cube(), &above, [top(), top()]) else { panic!() };
    assert!(found == [top(), bottom()] || found == [bottom(), top()] || found[0] == top(), "{found:?}");
    // Turned away from each other: nothing of the pyramid is above the bottom of the cube, nor the other way round.
    let pyramid = pyramid();
    assert_eq!(step(&cube(), &pyramid, [bottom(), pyramid.feature(&[0, 1, 2])]), LinCannyStep::DeadEnd);
}

#[test]
fn a_feature_that_is_none_is_a_dead_end() {
    assert_eq!(step(&cube(), &cube(), [Feature::Surface, Vertex(0)]), LinCannyStep::DeadEnd);
}

/// One call, from these features.
fn ask(a: &Polytope, b: &Polytope, pose: Pose, from: [Feature; 2]) -> (Outcome, Faults) {
    let mut faults = Faults::default();
    let mut cache = LastFeatures::new(from);
    let found = distance_counted(a, b, &Frame::from(pose), &mut cache, &mut (), &mut faults);
    let truth = gjk::distance(a, b, &Frame::from(pose), &mut gjk::WarmSimplex::default());
    assert!(found.lower <= truth.upper && truth.lower <= found.upper, "{found:?} {truth:?}");
    assert_eq!(found.cost.fallbacks - truth.cost.fallbacks, u32::from(faults.calls() > 0), "{faults:?}");
    (found, faults)
}

#[test]
fn overlaps_are_not_seen_and_are_counted() {
    let at = |x: f64, y: f64, z: f64| Pose::from_translation([x, y, z]);
    let mut kinds = Faults::default();
    for (x, y, z) in [(0.5, 0.5, 0.5), (0.9, 0.1, 0.2), (0.0, 0.0, 0.0), (0.3, 0.2, 0.95)] {
        let (found, faults) = ask(&cube(), &cube(), at(x, y, z), [Vertex(0), Vertex(0)]);
        assert!(found.distance <= 0.0);
        assert_eq!(faults.overlaps + faults.false_gaps, 1, "{faults:?}");
        kinds += faults;
    }
    assert!(kinds.overlaps > 0, "{kinds:?}");
}

#[test]
fn a_dead_end_between_polytopes_that_are_apart_is_counted() {
    let pyramid = pyramid();
    let (found, faults) = ask(&cube(), &pyramid, Pose::IDENTITY, [bottom(), pyramid.feature(&[0, 1, 2])]);
    assert!((found.distance - 2.0).abs() < 1e-12);
    assert_eq!(faults, Faults { dead_ends: 1, ..Faults::default() });
    assert_eq!(faults.calls(), 1);
}

#[test]
fn edges_that_are_almost_parallel_give_a_wrong_distance_and_that_is_counted() {
    // Two sticks that cross at half a degree: the tolerance makes them parallel, so the claim is their middles.
    let stick = hull(&[[-1.0, 0.0, 0.0], [1.0, 0.0, 0.0]]);
    let other = hull(&[[-1.0, 0.3, 0.0], [1.0, 0.3, 0.0]]);
    let turned = |degrees: f64| Pose::new([0.0, 0.0, 0.1], DQuat::from_axis_angle(DVec3::Z, degrees.to_radians()));
    let (found, faults) = ask(&stick, &other, turned(0.5), [Edge(0), Edge(0)]);
    assert_eq!((faults.wrong_distances, faults.calls()), (1, 1), "{faults:?} {found:?}");
    let (_, faults) = ask(&stick, &other, turned(1e-5), [Edge(0), Edge(0)]);
    assert_eq!((faults.inexact, faults.calls()), (1, 1), "{faults:?}");
    let (_, faults) = ask(&stick, &other, turned(0.0), [Edge(0), Edge(0)]);
    assert_eq!(faults, Faults::default());
}

#[test]
fn a_circle_between_faces_that_are_almost_parallel_is_seen_and_counted() {
    // Found by algorithm 10: at the edge of overlapping, tilted by four parts in a million.
    let side = |bit: u32| if bit == 0 { -1.0 } else { 1.0 };
    let cube = hull(&[0, 1, 2, 3, 4, 5, 6, 7].map(|i: u32| [side(i & 4), side(i & 2), side(i & 1)]));
    let rotation = [3.840853152747536e-6, -8.397793099249089e-7, -2.4052418175293723e-8, 0.9999999999922711];
    let pose = Pose::new([-1.8598984932116753, 2.0000171508629387, 4.0], DQuat::from_array(rotation));
    let (found, faults) = ask(&cube, &cube, pose, [Face(5), Face(1)]);
    assert!((found.distance - 2.0).abs() < 1e-5);
    assert_eq!((faults.cycles, faults.calls()), (1, 1), "{faults:?}");
}

/// Random polytopes of all dimensions, from points to solids with triangles, a disk and the cube.
fn zoo(rng: &mut fastrand::Rng) -> Polytope {
    let kind = rng.usize(..7);
    let mut point = |flat: f64| [rng.f64() - 0.5, rng.f64() - 0.5, flat * (rng.f64() - 0.5)];
    let corner = |i: u32| {
        let angle = f64::from(i / 2) * std::f64::consts::TAU / 20.0;
        [angle.cos(), angle.sin(), f64::from(i % 2) * 0.2]
    };
    match kind {
        0 => hull(&[point(1.0)]),
        1 => hull(&[point(1.0), point(1.0)]),
        2 => hull(&[(); 6].map(|()| point(0.0))),
        3 => hull(&[(); 12].map(|()| point(1.0))),
        4 => hull(&[(); 60].map(|()| point(0.3))),
        5 => hull(&(0..40).map(corner).collect::<Vec<_>>()),
        _ => cube(),
    }
}

#[test]
fn slow_a_walk_from_any_features_is_answered_right_and_most_need_no_help() {
    let mut rng = fastrand::Rng::with_seed(4);
    let (mut faults, mut apart, mut alone) = (Faults::default(), 0, 0);
    for round in 0..4000 {
        let (a, b) = (zoo(&mut rng), zoo(&mut rng));
        let mut random = || rng.f64() - 0.5;
        let mut rotation = DQuat::from_xyzw(random(), random(), random(), random()).normalize();
        if round % 4 == 0 {
            // Parallel, or almost.
            rotation = DQuat::from_axis_angle(DVec3::new(0.6, 0.0, 0.8), 10.0_f64.powf(-20.0 * rng.f64()));
        }
        let mut random = || rng.f64() - 0.5;
        let pose = Pose::new([3.0 * random(), 3.0 * random(), 3.0 * random()], rotation);
        let start = |polytope: &Polytope, rng: &mut fastrand::Rng| match rng.usize(..3) {
            1 if polytope.edge_count() > 0 => Edge(rng.u32(..polytope.edge_count() as u32)),
            2 if polytope.face_count() > 0 => Face(rng.u32(..polytope.face_count() as u32)),
            _ => Vertex(rng.u32(..polytope.vertex_count() as u32)),
        };
        let from = [start(&a, &mut rng), start(&b, &mut rng)];
        let (found, faulty) = ask(&a, &b, pose, from);
        apart += u32::from(found.lower > 0.0);
        alone += u32::from(found.lower > 0.0 && faulty.calls() == 0);
        faults += faulty;
    }
    assert!(apart > 2000 && 10 * alone > 8 * apart, "{alone} of {apart}: {faults:?}");
    assert!(faults.overlaps > 200 && faults.inexact + faults.wrong_distances > 0, "{faults:?}");
}

#[test]
fn stale_and_foreign_features_are_harmless() {
    let (big, small) = (cube(), hull(&[[0.0, 0.0, 3.0], [1.0, 0.0, 3.0]]));
    for a in [Vertex(7), Vertex(500), Edge(11), Edge(12), Face(5), Face(6), Feature::Surface] {
        for b in [Vertex(1), Vertex(2), Edge(0), Edge(1), Face(0), Feature::Surface] {
            let found = distance(&big, &small, &Frame::IDENTITY, &mut LastFeatures::new([a, b]));
            assert!((found.distance - 2.0).abs() < 1e-12, "{a} {b}");
        }
    }
}

#[test]
fn counting_changes_nothing_and_a_pair_that_is_remembered_is_looked_at_once() {
    let (a, b) = (cube(), cube());
    let frame = Frame::from(Pose::new([3.0, 1.0, 0.5], DQuat::from_xyzw(0.1, 0.2, 0.3, 0.9)));
    let (mut plain, mut counted, mut counts) = (LastFeatures::default(), LastFeatures::default(), Counts::default());
    let mut faults = Faults::default();
    let found = distance_counted(&a, &b, &frame, &mut counted, &mut counts, &mut faults);
    assert_eq!(distance(&a, &b, &frame, &mut plain), found);
    assert_eq!((plain, faults.calls()), (counted, 0));
    assert_eq!(u64::from(found.cost.iterations), counts.feature_steps);
    let first = counts;
    distance_counted(&a, &b, &frame, &mut counted, &mut counts, &mut faults);
    assert_eq!(counts.feature_steps, first.feature_steps + 1);
    assert!(counts.plane_tests - first.plane_tests <= 14 && counts.flops > 5 * counts.dot_products);
}

/// Planes are flared in favour of the feature of higher dimension. A point beside each kind of plane, nearer to it than the flare and farther than
/// the stickiness, goes (or stays) where the plain plane would not send it.
#[test]
fn flares_decide_beside_every_kind_of_plane() {
    let (e, front) = (edge([0, 1]), face([0, 1, 4]));
    let near = 5e-6;
    let Tolerances { sticky, vertex_flare, face_flare, .. } = Tolerances::PROGRAM;
    assert!(near > 10.0 * sticky && near < vertex_flare * 2.0_f64.sqrt() && near < face_flare);
    // Of a vertex, inwards: to the edge, from its own side of the plane.
    leads(&cube(), &hull(&[[-near, -1.0, -1.0]]), [Vertex(0), Vertex(0)], [e, Vertex(0)]);
    // Of the ends of an edge, outwards: it stays, beyond the tail and beyond the head.
    ends(&cube(), &hull(&[[-near, -1.0, -1.0]]), [e, Vertex(0)], 2.0_f64.sqrt());
    ends(&cube(), &hull(&[[1.0 + near, -1.0, -1.0]]), [e, Vertex(0)], 2.0_f64.sqrt());
    // Of the faces of an edge, inwards: to either face.
    leads(&cube(), &hull(&[[0.5, -near, -1.0]]), [e, Vertex(0)], [bottom(), Vertex(0)]);
    leads(&cube(), &hull(&[[0.5, -1.0, -near]]), [e, Vertex(0)], [front, Vertex(0)]);
    // Of the sides of a face, outwards: it stays.
    ends(&cube(), &hull(&[[0.5, -near, -1.0]]), [bottom(), Vertex(0)], 1.0);
    // The same for the end of an edge over a face.
    let stick = hull(&[[0.5, -near, -1.0], [0.5, -1.0, -2.0]]);
    leads(&cube(), &stick, [bottom(), Edge(0)], [bottom(), Vertex(0)]);
    // A long edge counts as parallel to a face up to the larger slope that the flares allow.
    let slope = 1.1 * Tolerances::PROGRAM.same_length;
    ends(&cube(), &hull(&[[-0.5, 0.5, -1.0], [1.5, 0.5, -1.0 - slope]]), [bottom(), Edge(0)], 1.0);
}

/// Without proof and repair: the same march, and the effect of tolerances on it.
#[test]
fn the_raw_answer_is_the_march_s_own() {
    let frame = Frame::from(Pose::from_translation([0.25, 0.5, 3.0]));
    let raw = |tolerances: &Tolerances, from: [Feature; 2]| {
        let mut cache = LastFeatures::new(from);
        (raw_counted(&cube(), &cube(), &frame, &mut cache, tolerances, &mut ()), cache.features())
    };
    let (answer, features) = raw(&Tolerances::PROGRAM, [Vertex(0), Vertex(0)]);
    let mut cache = LastFeatures::new([Vertex(0), Vertex(0)]);
    let proved = distance(&cube(), &cube(), &frame, &mut cache);
    assert_eq!((answer, features), (RawAnswer::Gap(proved.distance), cache.features()));
    // An overlap is not found: there is no region to end in.
    let inside = Frame::from(Pose::from_translation([0.5, 0.5, 0.5]));
    let mut cache = LastFeatures::default();
    assert!(!matches!(
        raw_counted(&cube(), &cube(), &inside, &mut cache, &Tolerances::PROGRAM, &mut ()),
        RawAnswer::Gap(_)
    ));
    // Everything within the size of the bodies is the same: the march ends where it began, at a gap that is none.
    let blunt = Tolerances { sticky: 10.0, ..Tolerances::PROGRAM };
    let (answer, features) = raw(&blunt, [Vertex(0), Vertex(7)]);
    assert_eq!(features, [Vertex(0), Vertex(7)]);
    assert!(matches!(answer, RawAnswer::Gap(gap) if gap > proved.distance + 0.1), "{answer:?}");
}
