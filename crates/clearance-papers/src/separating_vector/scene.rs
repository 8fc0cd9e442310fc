//! A small scene of many bodies, recorded so that every algorithm gets the same queries: the setting of \[QC\], section 6.2.
//!
//! Bodies of one size move and turn in a closed cube, and reverse when they collide. The recording has the pairs whose boxes overlap, frame by
//! frame, since these are the queries of a narrow phase.

use clearance::math::{DQuat, DVec3};
use clearance::shape::Polytope;
use clearance::{Pair, Pose, Shape};
use clearance_lab::{Rng, models, random, swarm};
use std::collections::BTreeMap;

/// The shapes of the bodies.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Kind {
    /// Points of an ellipsoid.
    Ellipsoids,
    /// Cylinders, ten times as long as thick.
    Rods,
    /// Round, ten times as wide as thick.
    Plates,
    /// A third of each.
    Mixed,
}

impl Kind {
    /// The three shapes of the paper.
    pub const THREE: [Self; 3] = [Self::Ellipsoids, Self::Rods, Self::Plates];

    /// The word in the tables.
    #[must_use]
    pub fn name(self) -> &'static str {
        match self {
            Self::Ellipsoids => "ellipsoids",
            Self::Rods => "rods",
            Self::Plates => "plates",
            Self::Mixed => "mixed",
        }
    }

    fn points(self, rng: &mut Rng, index: usize, count: usize, slenderness: f64) -> Vec<DVec3> {
        match (self, index % 3) {
            (Self::Ellipsoids, _) | (Self::Mixed, 0) => models::random_ellipsoid(rng, count),
            (Self::Rods, _) | (Self::Mixed, 1) => models::random_rod_of(rng, count, slenderness),
            (Self::Plates, _) | (Self::Mixed, _) => models::random_plate_of(rng, count, slenderness),
        }
    }
}

/// A scene before it moves.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Setting {
    /// The shapes.
    pub kind: Kind,
    /// Vertices of each body.
    pub vertices: usize,
    /// The number of bodies: 500 or 100 in the paper.
    pub bodies: usize,
    /// The number of frames.
    pub frames: usize,
    /// Distance per frame, as a part of the radius: 5 % in the paper unless it is varied.
    pub speed: f64,
    /// Degrees per frame: 10 in the paper unless it is varied.
    pub degrees: f64,
    /// The part of the cube that the bodies fill, as in a [swarm]; the paper does not give its number, I-COLLIDE has 5 %.
    pub density: f64,
    /// Length of rods as a multiple of their thickness, and width of plates; the paper calls them thin and flat.
    pub slenderness: f64,
}

impl Setting {
    /// The paper's setting for bodies of a kind, of a size that takes seconds.
    #[must_use]
    pub fn usual(kind: Kind, vertices: usize, quick: bool) -> Self {
        let (bodies, frames) = if quick { (24, 40) } else { (60, 400) };
        Self { kind, vertices, bodies, frames, speed: 0.05, degrees: 10.0, density: 0.05, slenderness: 10.0 }
    }
}

/// One query of a narrow phase.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Query {
    /// Numbers of the two bodies.
    pub bodies: [usize; 2],
    /// Their poses.
    pub poses: [Pose; 2],
    /// The index of the cache of the pair.
    pub slot: usize,
    /// True if the boxes did not overlap in the frame before: the cache is cold.
    pub is_new: bool,
    /// Do they share a point?
    pub collides: bool,
}

/// The recorded scene.
#[derive(Debug, Clone)]
pub struct Recording {
    /// The bodies' shapes.
    pub shapes: Vec<Shape>,
    /// The queries, in order.
    pub queries: Vec<Query>,
    /// The number of caches.
    pub slots: usize,
}

impl Recording {
    /// The shapes as hulls.
    ///
    /// # Panics
    ///
    /// If one is something else, which no recording has.
    #[must_use]
    pub fn hulls(&self) -> Vec<&Polytope> {
        self.shapes
            .iter()
            .map(|shape| match shape {
                Shape::Polytope(hull) => &**hull,
                _ => panic!("a scene has hulls only"),
            })
            .collect()
    }

    /// The number of queries about bodies that share a point.
    #[must_use]
    pub fn colliding(&self) -> usize {
        self.queries.iter().filter(|query| query.collides).count()
    }
}

/// Limit: after that many draws without a free place the cube is too full, and the body gets any place.
const MOST_TRIES: usize = 1000;

struct Body {
    pose: Pose,
    velocity: DVec3,
    axis: DVec3,
    turn: f64,
}

/// Moves the bodies and records the pairs whose boxes overlap.
#[must_use]
pub fn record(setting: &Setting, seed: u64) -> Recording {
    let mut rng = Rng::with_seed(seed);
    let mut shapes = Vec::new();
    for index in 0..setting.bodies {
        let points = setting.kind.points(&mut rng, index, setting.vertices, setting.slenderness);
        shapes.push(Shape::hull(&points).expect("models have points"));
    }
    let side = swarm::cube_side(shapes.iter(), setting.density);
    let mut bodies: Vec<Body> = Vec::with_capacity(setting.bodies);
    for shape in &shapes {
        // Apart from all others at the start: two that overlap would reverse into each other for ever.
        let mut draw = || Pose::new(random::vector(&mut rng, 0.0, side), random::rotation(&mut rng));
        let is_free = |pose: &Pose| {
            bodies.iter().zip(&shapes).all(|(other, its)| !clearance::intersects(its, other.pose, shape, *pose))
        };
        let pose = (0..MOST_TRIES).map(|_| draw()).find(is_free).unwrap_or_else(&mut draw);
        bodies.push(Body {
            pose,
            velocity: random::direction(&mut rng) * (setting.speed * shape.bounding_radius()),
            axis: random::direction(&mut rng),
            turn: setting.degrees.to_radians(),
        });
    }
    // Slot, and the last frame in which the boxes overlapped.
    let mut known: BTreeMap<[usize; 2], (usize, usize, Pair)> = BTreeMap::new();
    let mut queries = Vec::new();
    for frame in 0..setting.frames {
        for body in &mut bodies {
            let turn = DQuat::from_axis_angle(body.axis, body.turn);
            let to = body.pose.translation() + body.velocity;
            // The walls turn back what leaves the cube.
            let wall = |at: f64, speed: f64| {
                if at < 0.0 {
                    speed.abs()
                } else if at > side {
                    -speed.abs()
                } else {
                    speed
                }
            };
            body.velocity =
                DVec3::new(wall(to.x, body.velocity.x), wall(to.y, body.velocity.y), wall(to.z, body.velocity.z));
            body.pose = Pose::new(to, turn * body.pose.rotation());
        }
        let boxes: Vec<_> = bodies.iter().zip(&shapes).map(|(body, shape)| shape.aabb(&body.pose)).collect();
        let mut reversed = vec![false; bodies.len()];
        for i in 0..bodies.len() {
            for j in i + 1..bodies.len() {
                if !(boxes[i].min.cmple(boxes[j].max).all() && boxes[j].min.cmple(boxes[i].max).all()) {
                    continue;
                }
                let slot = known.len();
                let fresh = || (slot, usize::MAX, Pair::new(&shapes[i], &shapes[j]));
                let (slot, last, pair) = known.entry([i, j]).or_insert_with(fresh);
                let is_new = *last == usize::MAX || *last + 1 != frame;
                *last = frame;
                let poses = [bodies[i].pose, bodies[j].pose];
                let collides = pair.intersects(poses[0], poses[1]);
                queries.push(Query { bodies: [i, j], poses, slot: *slot, is_new, collides });
                if collides {
                    (reversed[i], reversed[j]) = (true, true);
                }
            }
        }
        for (body, _) in bodies.iter_mut().zip(reversed).filter(|(_, reversed)| *reversed) {
            body.velocity = -body.velocity;
            body.turn = -body.turn;
        }
    }
    Recording { shapes, queries, slots: known.len() }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_scene_has_both_answers_and_repeats_with_its_seed() {
        let setting = Setting::usual(Kind::Mixed, 20, true);
        let (one, two) = (record(&setting, 7), record(&setting, 7));
        assert_eq!(one.queries, two.queries);
        let colliding = one.queries.iter().filter(|query| query.collides).count();
        assert!(one.queries.len() > 100, "{}", one.queries.len());
        assert!(colliding > 0 && 2 * colliding < one.queries.len(), "{colliding} of {}", one.queries.len());
        assert!(one.queries.iter().any(|query| !query.is_new));
    }
}
