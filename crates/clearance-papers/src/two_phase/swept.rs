//! Figure 1 and section 4 of the two-phase paper: boxes of swept volumes, and a bullet that a thin wall does not stop.

use clearance::math::Aabb;
use clearance::motion::Motion;
use clearance::world::Config;
use clearance::{Interval, Pose, Shape, World, intersects};
use clearance_lab::{Rng, random};

/// The kind of a motion.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Way {
    /// It rests.
    Fixed,
    /// A ballistic arc, tumbling.
    Ballistic,
    /// Poses at given times.
    Sampled,
}

/// Boxes of swept volumes against the bodies at many instants.
#[derive(Debug, Clone, Copy, PartialEq, Default)]
pub struct Boxes {
    /// The number of motions.
    pub motions: usize,
    /// Those with an apex within the interval.
    pub apexes: usize,
    /// Bodies outside of the box at an instant.
    pub outside: usize,
    /// The mean width of the boxes, in widths of the box around the instants.
    pub width: f64,
    /// The mean width of the paper's box: the path of the center, grown by the radius.
    pub paper: f64,
}

fn width(bounds: &Aabb) -> f64 {
    (bounds.max - bounds.min).element_sum()
}

/// Some motions of a kind, tested at some instants each.
///
/// # Panics
///
/// Never: sizes are positive and times in order.
#[must_use]
pub fn boxes(way: Way, motions: usize, instants: usize) -> Boxes {
    let mut rng = Rng::with_seed(1);
    let mut found = Boxes { motions, ..Boxes::default() };
    for _ in 0..motions {
        let shape = Shape::cuboid(random::vector(&mut rng, 0.1, 0.6)).expect("a box");
        let mut pose = || Pose::new(random::vector(&mut rng, -2.0, 2.0), random::rotation(&mut rng));
        let motion = match way {
            Way::Fixed => Motion::fixed(pose()),
            Way::Sampled => {
                let frames = [0.0, 0.3, 0.7, 1.0].map(|time| (time, pose()));
                Motion::key_frames(&frames).expect("times in order")
            }
            Way::Ballistic => {
                let start = pose();
                let (velocity, spin) = (random::vector(&mut rng, -5.0, 5.0), random::vector(&mut rng, -3.0, 3.0));
                found.apexes += usize::from((0.0..9.81).contains(&velocity.y));
                Motion::ballistic(start, velocity, spin, [0.0, -9.81, 0.0]).expect("finite")
            }
        };
        let swept = motion.swept_aabb(&shape, Interval::UNIT);
        let (mut all, mut centers) = (Aabb::EMPTY, Aabb::EMPTY);
        for instant in 0..=instants {
            let pose = motion.pose(instant as f64 / instants as f64);
            let here = shape.aabb(&pose);
            let is_inside = swept.min.cmple(here.min).all() && here.max.cmple(swept.max).all();
            // The box of an instant has roundings of its own.
            let is_close = (swept.min - here.min).max(here.max - swept.max).max_element() < 1e-12;
            found.outside += usize::from(!is_inside && !is_close);
            all = all.merged(&here);
            centers = centers.merged(&Aabb { min: pose.translation(), max: pose.translation() });
        }
        found.width += width(&swept) / width(&all) / motions as f64;
        let radius = if way == Way::Fixed { 0.0 } else { shape.bounding_radius() };
        let paper = if way == Way::Fixed { shape.aabb(&motion.pose(0.0)) } else { centers.grown(radius) };
        found.paper += width(&paper) / width(&all) / motions as f64;
    }
    found
}

/// A bullet that flies at a wall.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Shot {
    /// In meters per second.
    pub speed: f64,
    /// The thickness of the wall, in meters.
    pub thickness: f64,
    /// The time of the impact.
    pub truth: f64,
    /// True if fixed steps at this rate found the collision.
    pub seen: [bool; 2],
    /// The time of the schedule, if it has one.
    pub scheduled: Option<[f64; 2]>,
}

/// The rates of the fixed steps: a screen, and a fast simulation.
pub const RATES: [f64; 2] = [30.0, 1000.0];

/// A bullet of 5 mm and a wall.
///
/// # Panics
///
/// Never: sizes are positive.
#[must_use]
pub fn shoot(speed: f64, thickness: f64) -> Shot {
    let (ball, wall) = (Shape::sphere(0.005), Shape::cuboid([0.5 * thickness, 1.0, 1.0]));
    let (ball, wall) = (ball.expect("a ball"), wall.expect("a wall"));
    let start = Pose::from_translation([-3.0, 0.1, 0.2]);
    let flight = Motion::linear(start, [speed, 0.0, 0.0], [0.0, 9.0, 0.0]).expect("finite");
    let seconds = 6.0 / speed;
    let is_seen = |rate: f64| {
        let times = (0..=(seconds * rate) as u32).map(|frame| f64::from(frame) / rate);
        times.into_iter().any(|time| intersects(&ball, flight.pose(time), &wall, Pose::IDENTITY))
    };
    let mut world = World::new(Config::default());
    let bullet = world.insert(ball.clone(), start);
    world.insert(wall.clone(), Pose::IDENTITY);
    world.set_motion(bullet, flight.clone());
    let hit = world.impacts(Interval::new(0.0, seconds).expect("an interval")).next();
    Shot {
        speed,
        thickness,
        truth: (3.0 - 0.005 - 0.5 * thickness) / speed,
        seen: RATES.map(is_seen),
        scheduled: hit.and_then(|found| found.impact.hit().map(|hit| [hit.lower, hit.upper])),
    }
}

/// Many speeds and walls.
#[must_use]
pub fn shots(speeds: usize) -> Vec<Shot> {
    let thicknesses = [1e-1, 1e-2, 1e-3, 1e-4];
    let speed = |k: usize| 10.0 * 100f64.powf(k as f64 / (speeds.max(2) - 1) as f64);
    thicknesses.into_iter().flat_map(|thickness| (0..speeds).map(move |k| shoot(speed(k), thickness))).collect()
}

/// True if the bracket of the schedule holds the time of the impact.
#[must_use]
pub fn is_right(shot: &Shot) -> bool {
    shot.scheduled
        .is_some_and(|[lower, upper]| lower <= shot.truth * (1.0 + 1e-12) && shot.truth <= upper * (1.0 + 1e-12))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn boxes_hold_what_is_swept_and_a_fixed_body_has_its_own() {
        for way in [Way::Fixed, Way::Ballistic, Way::Sampled] {
            let found = boxes(way, 30, 50);
            assert_eq!(found.outside, 0, "{way:?} {found:?}");
            assert!(found.width >= 1.0 - 1e-12 && found.paper >= 1.0 - 1e-12, "{way:?} {found:?}");
        }
        assert!((boxes(Way::Fixed, 30, 2).width - 1.0).abs() < 1e-12);
    }

    #[test]
    fn a_slow_ball_is_seen_by_all_and_a_bullet_by_the_schedule() {
        let slow = shoot(1.0, 0.5);
        assert!(slow.seen == [true, true] && is_right(&slow), "{slow:?}");
        let fast = shoot(900.0, 1e-4);
        assert!(fast.seen == [false, false] && is_right(&fast), "{fast:?}");
    }
}
