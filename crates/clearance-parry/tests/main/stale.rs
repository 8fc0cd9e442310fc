//! Shapes that change in place between two calls with one workspace: the new shape answers, always.

use crate::manifolds::Frames;
use crate::models;
use clearance_parry::ClearanceDispatcher;
use parry3d_f64::math::{Pose, Vector};
use parry3d_f64::query::QueryDispatcher;
use parry3d_f64::shape::{Ball, Compound, ConvexPolyhedron, Cuboid, Shape, SharedShape};

/// The deepest point before and after a change of the shape above a plane, in one place of memory.
fn change<S: Shape + Clone>(mut shape: S, at: &Pose, change: impl FnOnce(&mut S)) -> [f64; 2] {
    let (plane, mut frames) = (models::ground(), Frames::default());
    frames.update(at, &plane, &shape);
    let before = frames.deepest();
    change(&mut shape);
    frames.update(at, &plane, &shape);
    let changed = shape.clone();
    let mut fresh = Frames::default();
    fresh.update(at, &plane, &changed);
    assert_eq!(frames.deepest(), fresh.deepest());
    [before, frames.deepest()]
}

fn corners(half: f64) -> ConvexPolyhedron {
    let corner = |k: u32| Vector::new(f64::from(k & 1), f64::from(k >> 1 & 1), f64::from(k >> 2)) * 2.0 - Vector::ONE;
    let points: Vec<Vector> = (0..8).map(|k| corner(k) * half).collect();
    ConvexPolyhedron::from_convex_hull(&points).expect("a cube")
}

#[test]
fn shapes_that_change_in_place_answer_as_they_are() {
    let at = Pose::translation(0.0, 0.5, 0.0);
    let near = |found: [f64; 2], wanted: [f64; 2]| {
        assert!((0..2).all(|k| (found[k] - wanted[k]).abs() < 1e-12), "{found:?}, not {wanted:?}");
    };
    near(change(Cuboid::new([0.5; 3].into()), &at, |cube| cube.half_extents.y = 0.75), [0.0, -0.25]);
    near(change(Ball::new(0.5), &at, |ball| ball.radius = 0.6), [0.0, -0.1]);
    near(change(corners(0.5), &at, |hull| *hull = corners(0.625)), [0.0, -0.125]);
    let part = |half: f64| (Pose::IDENTITY, SharedShape::cuboid(0.5, half, 0.5));
    near(change(Compound::new(vec![part(0.5)]), &at, |all| *all = Compound::new(vec![part(0.75)])), [0.0, -0.25]);
    let lower = |mesh: &mut parry3d_f64::shape::TriMesh| mesh.transform_vertices(&Pose::translation(0.0, -0.25, 0.0));
    near(change(models::floor(3, 0.5, |_, _| -0.5), &at, lower), [0.0, -0.25]);
}

#[test]
fn a_mesh_that_changes_under_a_body_is_seen() {
    let mut floor = models::floor(8, 0.5, |_, _| 0.0);
    let (ball, at) = (Ball::new(0.5), Pose::translation(0.1, 0.5, 0.1));
    let mut frames = Frames::default();
    frames.update(&at, &floor, &ball);
    assert!(frames.deepest().abs() < 1e-12);
    // Not a vertex that is near: the same answer. Then one that is.
    floor.update_vertices(|vertices| vertices[0].y = 0.25);
    frames.update(&at, &floor, &ball);
    assert!(frames.deepest().abs() < 1e-12);
    floor.update_vertices(|vertices| vertices.iter_mut().for_each(|vertex| vertex.y = 0.125));
    frames.update(&at, &floor, &ball);
    assert!((frames.deepest() + 0.125).abs() < 1e-12);
}

/// Hulls that are built, used and dropped reuse each other's memory.
#[test]
fn shapes_at_a_reused_address_are_not_mixed_up() {
    let dispatcher = ClearanceDispatcher::default();
    let ball = Ball::new(0.5);
    for k in 0..200 {
        let half = 0.5 + 0.001 * f64::from(k);
        let at = Pose::translation(2.0, 0.0, 0.0);
        let hull = Box::new(corners(half));
        let found = dispatcher.distance(&at, &*hull, &ball).expect("supported").distance;
        assert!((found - (1.5 - half)).abs() < 1e-12);
        let compound = Compound::new(vec![(Pose::IDENTITY, SharedShape::new(*hull))]);
        let found = dispatcher.distance(&at, &compound, &ball).expect("supported").distance;
        assert!((found - (1.5 - half)).abs() < 1e-12);
    }
}
