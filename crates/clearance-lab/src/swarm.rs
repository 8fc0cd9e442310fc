//! The bodies of the multi-body simulation of I-COLLIDE, which \[GJK\] (appendix B) and \[QC\] (section 6.2) measure with: hulls that move and
//! tumble in a cube, bounce off its walls, and respond to collisions.

use crate::{Rng, models, random};
use clearance::math::{DQuat, DVec3};
use clearance::{Pose, Shape};

/// The shapes of the bodies.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Kind {
    /// Ten hulls of points on ellipsoids; every body is one of them.
    Hulls,
    /// Ellipsoids, rods and plates in turn, each body with points of its own, as in \[QC\].
    Mixture,
}

/// The response of two bodies that begin to overlap.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Response {
    /// They exchange their translational velocities, as in \[GJK\].
    Exchange,
    /// They reverse their velocities, translational and rotational, as in \[QC\].
    Reverse,
}

/// The parameters of a swarm.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Setting {
    /// The number of bodies.
    pub bodies: usize,
    /// The vertices of each.
    pub vertices: usize,
    /// The share of the cube that the bodies fill.
    pub density: f64,
    /// Distance per frame, in radii of the body.
    pub speed: f64,
    /// Rotation per frame.
    pub degrees: f64,
    /// Their shapes.
    pub kind: Kind,
    /// Their response.
    pub response: Response,
}

impl Setting {
    /// The default of \[GJK\]: 20 bodies of 20 vertices that fill 5 % of the cube, 5 % of the radius and 10 degrees per frame.
    pub const USUAL: Self = Self {
        bodies: 20,
        vertices: 20,
        density: 0.05,
        speed: 0.05,
        degrees: 10.0,
        kind: Kind::Hulls,
        response: Response::Exchange,
    };
}

#[derive(Debug, Clone)]
struct Motion {
    shape: usize,
    place: DVec3,
    velocity: DVec3,
    axis: DVec3,
    /// Radians per frame.
    turn: f64,
    angle: f64,
    start: DQuat,
    /// It has reversed in this frame; further collisions do not reverse it again.
    has_reversed: bool,
}

/// Bodies that move.
#[derive(Debug, Clone)]
pub struct Swarm {
    shapes: Vec<Shape>,
    bodies: Vec<Motion>,
    side: f64,
    response: Response,
}

impl Swarm {
    /// The same seed gives the same swarm.
    #[must_use]
    pub fn new(setting: &Setting, seed: u64) -> Self {
        let mut rng = Rng::with_seed(seed);
        let count = if setting.kind == Kind::Hulls { 10 } else { setting.bodies };
        let draw = |index: usize| {
            let points = match (setting.kind, index % 3) {
                (Kind::Hulls, _) => models::random_hull(&mut rng, setting.vertices),
                (Kind::Mixture, 0) => models::random_ellipsoid(&mut rng, setting.vertices),
                (Kind::Mixture, 1) => models::random_rod(&mut rng, setting.vertices),
                (Kind::Mixture, _) => models::random_plate(&mut rng, setting.vertices),
            };
            Shape::hull(&points).expect("models have points")
        };
        let shapes: Vec<Shape> = (0..count).map(draw).collect();
        let side = cube_side((0..setting.bodies).map(|body| &shapes[body % count]), setting.density);
        let launch = |body: usize| {
            let shape = body % count;
            Motion {
                shape,
                place: random::vector(&mut rng, 0.0, side),
                velocity: random::direction(&mut rng) * (setting.speed * shapes[shape].bounding_radius()),
                axis: random::direction(&mut rng),
                turn: setting.degrees.to_radians(),
                angle: 0.0,
                start: random::rotation(&mut rng),
                has_reversed: false,
            }
        };
        let bodies = (0..setting.bodies).map(launch).collect();
        Self { shapes, bodies, side, response: setting.response }
    }

    /// The number of bodies.
    #[must_use]
    pub fn len(&self) -> usize {
        self.bodies.len()
    }

    /// True without bodies.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.bodies.is_empty()
    }

    /// The different hulls; several bodies may share one.
    #[must_use]
    pub fn shapes(&self) -> &[Shape] {
        &self.shapes
    }

    /// The index in [`Swarm::shapes`] of a body.
    #[must_use]
    pub fn shape_of(&self, body: usize) -> usize {
        self.bodies[body].shape
    }

    /// The side of the cube, which has a corner at the origin.
    #[must_use]
    pub fn side(&self) -> f64 {
        self.side
    }

    /// The pose of a body.
    #[must_use]
    pub fn pose(&self, body: usize) -> Pose {
        let Motion { place, axis, angle, start, .. } = self.bodies[body];
        Pose::new(place, DQuat::from_axis_angle(axis, angle) * start)
    }

    /// Advances by one frame without collisions. Centres stay in the cube.
    pub fn step(&mut self) {
        for body in &mut self.bodies {
            body.has_reversed = false;
            body.angle += body.turn;
            body.place += body.velocity;
            for axis in 0..3 {
                let (place, speed) = (&mut body.place[axis], &mut body.velocity[axis]);
                if *place < 0.0 {
                    (*place, *speed) = (-*place, speed.abs());
                } else if *place > self.side {
                    (*place, *speed) = (2.0 * self.side - *place, -speed.abs());
                }
            }
        }
    }

    /// Two bodies have met.
    pub fn meet(&mut self, a: usize, b: usize) {
        match self.response {
            Response::Exchange => {
                let velocity = self.bodies[a].velocity;
                self.bodies[a].velocity = self.bodies[b].velocity;
                self.bodies[b].velocity = velocity;
            }
            Response::Reverse => {
                for body in [a, b] {
                    let body = &mut self.bodies[body];
                    if !std::mem::replace(&mut body.has_reversed, true) {
                        (body.velocity, body.turn) = (-body.velocity, -body.turn);
                    }
                }
            }
        }
    }
}

/// The side of a cube in which the volumes of some bodies are a given share, the density of I-COLLIDE's simulation.
pub fn cube_side<'a>(bodies: impl Iterator<Item = &'a Shape>, density: f64) -> f64 {
    (bodies.map(volume).sum::<f64>() / density).cbrt()
}

/// The volume of a hull, as the sum of the tetrahedra over its faces from the origin.
fn volume(shape: &Shape) -> f64 {
    let Shape::Polytope(hull) = shape else { return 0.0 };
    let cone = |face: u32| -> f64 {
        let corners: Vec<DVec3> = hull.face(face).vertices.iter().map(|&v| hull.vertex(v)).collect();
        corners.windows(2).skip(1).map(|pair| corners[0].dot(pair[0].cross(pair[1]))).sum()
    };
    (0..hull.face_count() as u32).map(cone).sum::<f64>() / 6.0
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_volume_of_a_box_moved_aside() {
        let points: Vec<DVec3> = models::cuboid(DVec3::new(1.0, 2.0, 3.0)).into_iter().map(|p| p + 5.0).collect();
        assert!((volume(&Shape::hull(&points).unwrap()) - 48.0).abs() < 1e-11);
    }

    #[test]
    fn bodies_stay_in_the_cube_move_as_set_and_repeat_with_the_seed() {
        for kind in [Kind::Hulls, Kind::Mixture] {
            let setting = Setting { bodies: 30, kind, speed: 0.2, ..Setting::USUAL };
            let (mut swarm, mut other) = (Swarm::new(&setting, 3), Swarm::new(&setting, 3));
            for frame in 0..200 {
                for body in 0..swarm.len() {
                    assert!(swarm.pose(body) == other.pose(body));
                    let place = swarm.pose(body).translation();
                    assert!(place.min_element() >= 0.0 && place.max_element() <= swarm.side, "{place}");
                    let reach = swarm.shapes[swarm.shape_of(body)].bounding_radius();
                    assert!(frame > 0 || (swarm.bodies[body].velocity.length() - 0.2 * reach).abs() < 1e-12);
                }
                swarm.meet(frame % 30, (frame + 7) % 30);
                other.meet(frame % 30, (frame + 7) % 30);
                swarm.step();
                other.step();
            }
        }
    }

    #[test]
    fn a_body_that_meets_two_others_in_a_frame_reverses_once() {
        let setting = Setting { response: Response::Reverse, ..Setting::USUAL };
        let mut swarm = Swarm::new(&setting, 1);
        let before = swarm.bodies[0].velocity;
        swarm.meet(0, 1);
        swarm.meet(2, 0);
        assert_eq!(swarm.bodies[0].velocity, -before);
        swarm.step();
        let before = swarm.bodies[0].velocity;
        swarm.meet(0, 1);
        assert_eq!(swarm.bodies[0].velocity, -before);
    }

    #[test]
    fn a_denser_cube_is_a_smaller_one() {
        let side = |density| Swarm::new(&Setting { density, ..Setting::USUAL }, 1).side;
        assert!((side(0.05) / side(0.4) - 2.0).abs() < 1e-12);
    }
}
