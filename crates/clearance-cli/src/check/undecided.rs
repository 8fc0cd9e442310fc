//! Pairs that a check cannot decide, each with its reason.
//!
//! **Inside an open mesh.** The surface of an open mesh encloses nothing, so that a body inside of it does not overlap it. But most open
//! meshes are solids with holes, and then the body collides. If a body lies in the bounding box of an open mesh, does not cross its
//! surface and is not proved apart from its convex hull, the pair is undecided. A body that reaches out of the box is decided by the
//! surface: one that is connected and does not cross the surface can only come out through a hole. So the parts of a compound and the
//! components of a mesh are tested one by one.
//!
//! Bodies that move are undecided if they may lie in the hull at any time: a body that comes in through a hole crosses nothing either. They
//! are decided by the first contact with the hull, or by a point of theirs that stays outside of it at all times.

use super::repair::parts;
use clearance::math::{Aabb, DVec3};
use clearance::shape::Mesh;
use clearance::{BuildError, Impact, Interval, Motion, Pose, Shape, intersects, time_of_impact};
use clearance_io::{Body, Scene};
use std::cell::RefCell;
use std::collections::HashMap;
use std::rc::Rc;
use std::sync::Arc;

/// Why a pair is undecided: one variant for each reason. A reason may have numbers, such as a time.
#[derive(Debug, Clone, Copy, PartialEq)]
pub enum Doubt {
    /// B is open, and A may be inside of it.
    InsideB,
    /// A is open, and B may be inside of it.
    InsideA,
    /// The search for the first contact has used up its steps.
    OutOfSteps,
}

impl Doubt {
    /// The reason, as JSON, CSV and the page have it.
    pub fn reason(self) -> String {
        match self {
            Self::InsideB => "a may be inside an open surface".into(),
            Self::InsideA => "b may be inside an open surface".into(),
            Self::OutOfSteps => "the search has used up its steps".into(),
        }
    }

    /// The reason with the names of the two bodies.
    pub fn sentence(self, [a, b]: [&str; 2]) -> String {
        match self {
            Self::InsideB => format!("{a} may be inside the open surface of {b}"),
            Self::InsideA => format!("{b} may be inside the open surface of {a}"),
            Self::OutOfSteps => format!("{a} and {b} are close for too long; the search has used up its steps"),
        }
    }
}

/// The undecided pairs, the smaller number first. Pairs that overlap or collide may be among them.
pub type Doubts = HashMap<[u32; 2], Doubt>;

/// The names of all open meshes of a scene: bodies, or parts of them.
pub fn open_meshes(scene: &Scene) -> Vec<String> {
    let name = |open: Open<'_>| super::repair::name_of(&open.body.name, open.part);
    open(scene).into_iter().map(name).collect()
}

/// The undecided pairs of bodies that stay where they are.
pub fn still(scene: &Scene) -> Doubts {
    let boxes = || scene.bodies.iter().map(|body| body.shape.aabb(&body.pose)).collect();
    let known = Known::default();
    search(scene, boxes, |open, number| open.may_hold(&scene.bodies[number], &known))
}

/// The undecided pairs of bodies that move until a time.
///
/// # Errors
///
/// If a motion cannot be built; scenes are checked for that when they are read.
pub fn moving(scene: &Scene, interval: Interval) -> Result<Doubts, BuildError> {
    let motions = scene.bodies.iter().map(|body| body.motion.of_pose(body.pose)).collect::<Result<Vec<_>, _>>()?;
    let boxes = || {
        let moving = scene.bodies.iter().zip(&motions);
        moving.map(|(body, motion)| motion.swept_aabb(&body.shape, interval)).collect()
    };
    let known = Known::default();
    Ok(search(scene, boxes, |open, number| {
        let (inner, [motion, inner_motion]) = (&scene.bodies[number], [open.number, number].map(|n| &motions[n]));
        if motion.is_fixed() && inner_motion.is_fixed() {
            open.may_hold(inner, &known)
        } else {
            open.may_take_in(motion, inner, inner_motion, interval, &known)
        }
    }))
}

/// Compares every open mesh with every body whose box overlaps that of its own body.
fn search(scene: &Scene, boxes: impl FnOnce() -> Vec<Aabb>, may_hold: impl Fn(&Open<'_>, usize) -> bool) -> Doubts {
    let mut doubts = Doubts::new();
    let open = open(scene);
    if open.is_empty() {
        return doubts;
    }
    let boxes = boxes();
    for mesh in &open {
        for inner in 0..scene.bodies.len() {
            let key = [inner.min(mesh.number), inner.max(mesh.number)].map(|number| number as u32);
            let is_near = boxes[mesh.number].overlaps(&boxes[inner]) && scene.is_checked(mesh.number, inner);
            if is_near && !doubts.contains_key(&key) && may_hold(mesh, inner) {
                doubts.insert(key, if inner < mesh.number { Doubt::InsideB } else { Doubt::InsideA });
            }
        }
    }
    doubts
}

/// An open mesh: a body, or a part of one.
struct Open<'a> {
    /// The number of the body.
    number: usize,
    body: &'a Body,
    /// The number of the part, and its pose in the frame of the body.
    part: Option<usize>,
    pose: Pose,
    mesh: &'a Mesh,
}

fn open(scene: &Scene) -> Vec<Open<'_>> {
    let mut open = Vec::new();
    for (number, body) in scene.bodies.iter().enumerate() {
        for (part, shape, pose) in parts(&body.shape) {
            if let Some(mesh) = shape.as_mesh().filter(|mesh| !mesh.is_solid()) {
                open.push(Open { number, body, part, pose, mesh });
            }
        }
    }
    open
}

/// Boxes are compared with this part of their size to spare, so that rounding puts no body outside. Bound: 200,000 times the rounding error of
/// a placed box, 22 ε of its coordinates, and more than that error even where these are 10,000 times the size. A box that is too wide only
/// lists one cause more.
const SLACK: f64 = 1e-9;

impl Open<'_> {
    /// May a part of a body that stays where it is be inside?
    fn may_hold(&self, inner: &Body, known: &Known) -> bool {
        let place = self.body.pose * self.pose;
        parts(&inner.shape).into_iter().any(|(_, shape, pose)| {
            let inner_place = inner.pose * pose;
            self.is_around(shape, &(place.inverse() * inner_place), known)
                && self.hull().is_some_and(|hull| hull.is_none_or(|hull| intersects(&hull, place, shape, inner_place)))
        })
    }

    /// Does the box hold a connected part of a shape, at a pose in the frame of the mesh?
    fn is_around(&self, shape: &Shape, pose: &Pose, known: &Known) -> bool {
        let size = self.mesh.bounding_radius() + pose.translation().length() + shape.bounding_radius();
        let bounds = self.mesh.aabb().grown(SLACK * size);
        let inner = shape.aabb(pose);
        if bounds.contains(inner.min) && bounds.contains(inner.max) {
            return true;
        }
        let Some(mesh) = shape.as_mesh().filter(|_| bounds.overlaps(&inner)) else { return false };
        let Components { labels, count } = &*known.components(mesh);
        if *count == 1 {
            return false;
        }
        let mut reaches_out = vec![false; *count];
        for vertex in used(mesh) {
            let place = pose.transform_point(mesh.vertices()[vertex as usize]);
            reaches_out[labels[vertex as usize] as usize] |= !bounds.contains(place);
        }
        reaches_out.contains(&false)
    }

    /// The convex hull, if it has a volume: a flat sheet encloses nothing, however it is closed. The inner `None` is a hull that is not
    /// known, since there are too many vertices.
    fn hull(&self) -> Option<Option<Shape>> {
        let Some(hull) = self.mesh.hull() else { return Some(None) };
        let hull = Shape::Polytope(Arc::clone(hull));
        (hull.volume() != Some(0.0)).then_some(Some(hull))
    }

    /// May a part of a body that moves be inside at any time?
    fn may_take_in(
        &self,
        motion: &Motion,
        inner: &Body,
        inner_motion: &Motion,
        interval: Interval,
        known: &Known,
    ) -> bool {
        let Some(hull) = self.hull() else { return false };
        let Some(hull) = hull.and_then(|hull| placed(hull, self.pose)) else { return true };
        let stays_out = |shape: Shape, pose: Pose| {
            let Some(shape) = placed(shape, pose) else { return false };
            matches!(time_of_impact(&hull, motion, &shape, inner_motion, interval), Impact::Clear(_))
        };
        parts(&inner.shape).into_iter().any(|(_, shape, pose)| {
            let may_be_inside = |points: Vec<DVec3>| {
                let point = |point: DVec3| Shape::segment(point, point).is_ok_and(|point| stays_out(point, pose));
                !points.into_iter().any(point)
            };
            !stays_out(shape.clone(), pose)
                && extremes(shape, known).is_none_or(|parts| parts.into_iter().any(may_be_inside))
        })
    }
}

/// A shape at a pose, as a shape.
fn placed(shape: Shape, pose: Pose) -> Option<Shape> {
    if pose == Pose::IDENTITY { Some(shape) } else { Shape::compound([(shape, pose)]).ok() }
}

/// Connected components of a mesh that are searched for points outside of the other body. Limit: a component costs a search over all vertices,
/// and the result only explains an answer.
const MOST_COMPONENTS: usize = 32;

/// The extreme points along the axes, of every connected component of a shape; `None` if they are not known.
fn extremes(shape: &Shape, known: &Known) -> Option<Vec<Vec<DVec3>>> {
    let directions = [DVec3::X, DVec3::NEG_X, DVec3::Y, DVec3::NEG_Y, DVec3::Z, DVec3::NEG_Z];
    if let Some(convex) = shape.convex() {
        return Some(vec![directions.map(|direction| convex.support(direction)).to_vec()]);
    }
    let mesh = shape.as_mesh()?;
    let Components { labels, count } = &*known.components(mesh);
    if *count > MOST_COMPONENTS {
        return None;
    }
    let mut found: Vec<Option<[DVec3; 6]>> = vec![None; *count];
    for vertex in used(mesh) {
        let place = mesh.vertices()[vertex as usize];
        let farthest = found[labels[vertex as usize] as usize].get_or_insert([place; 6]);
        for (best, direction) in farthest.iter_mut().zip(directions) {
            if place.dot(direction) > best.dot(direction) {
                *best = place;
            }
        }
    }
    Some(found.into_iter().flatten().map(|points| points.to_vec()).collect())
}

/// The vertices that triangles use, with repetitions.
fn used(mesh: &Mesh) -> impl Iterator<Item = u32> {
    mesh.triangles().iter().flatten().copied()
}

/// The connected components of a mesh.
struct Components {
    /// For every vertex that a triangle uses the number of its component.
    labels: Vec<u32>,
    count: usize,
}

/// Results about meshes, cached for each open mesh near them. The scene keeps the meshes in place.
#[derive(Default)]
struct Known {
    components: RefCell<HashMap<*const Mesh, Rc<Components>>>,
}

impl Known {
    fn components(&self, mesh: &Mesh) -> Rc<Components> {
        let mut known = self.components.borrow_mut();
        Rc::clone(known.entry(std::ptr::from_ref(mesh)).or_insert_with(|| Rc::new(components(mesh))))
    }
}

/// Vertices at the same place are connected.
fn components(mesh: &Mesh) -> Components {
    let mut above: Vec<u32> = (0..mesh.vertices().len() as u32).collect();
    fn root(above: &mut [u32], mut at: u32) -> u32 {
        while above[at as usize] != at {
            // Paths are halved on the way.
            above[at as usize] = above[above[at as usize] as usize];
            at = above[at as usize];
        }
        at
    }
    let mut join = |one: u32, other: u32| {
        let (one, other) = (root(&mut above, one), root(&mut above, other));
        above[one.max(other) as usize] = one.min(other);
    };
    let mut places = HashMap::new();
    for (number, vertex) in (0..).zip(mesh.vertices()) {
        // Zero and minus zero are one place.
        join(number, *places.entry((*vertex + DVec3::ZERO).to_array().map(f64::to_bits)).or_insert(number));
    }
    for &[a, b, c] in mesh.triangles() {
        join(a, b);
        join(b, c);
    }
    let mut numbers = HashMap::new();
    let mut labels = vec![0; above.len()];
    for vertex in used(mesh) {
        let next = numbers.len() as u32;
        labels[vertex as usize] = *numbers.entry(root(&mut above, vertex)).or_insert(next);
    }
    Components { labels, count: numbers.len() }
}
