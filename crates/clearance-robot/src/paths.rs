//! How fast two bodies of a robot can approach each other when its joints move at constant rates.
//!
//! The *path* of two bodies A and B is the sequence of elementary joints between them, from A up to the link that both hang on, then down to B. Cut it
//! anywhere and hold the link there still: the joints before the cut move A, those behind it move B. All bounds hold in that frame, for any cut.
//!
//! **Levers.** Let joint k turn at the rate `w_k = |dq_k|`, and let `A_k` bound the distance of all points of B from its axis, at any time. With `o_k` a point of
//! axis k, the distances of `o_k` from `o_{k+1}` and of `o_{k+1}` from axis k do not change when joints turn. So
//!
//! D_m = |c - o_m| + ρ,  D_k = |o_{k+1} - o_k| + D_{k+1};  A_m = dist(c, axis m) + ρ,  A_k = dist(o_{k+1}, axis k) + D_{k+1},
//!
//! c and ρ being the ball around B. A slide adds its largest displacement to the distance that it changes, and has `A_k = 1`.
//!
//! **First order.** A point moves at most at the rate `L = Σ w_k A_k` (Schwarzer, Saha and Latombe 2005).
//!
//! **Second order.** Let joints be counted from the cut. Then `∂²p/∂q_j∂q_k = ω_j × ∂p/∂q_k` for j ≤ k where j turns, and zero where it slides, so that
//!
//! |p''| <= K = Σ_k w_k A_k (w_k [k turns] + 2 Σ_{j<k, j turns} w_j).

use crate::kinematics::Frames;
use crate::robot::{Body, Robot};
use clearance::math::DVec3;
use std::collections::HashMap;

/// Bound: sums and products of levers and rates, fewer than 1,000 to each number, round by less than this part of it.
const UP: f64 = 1.0 + 1e-12;

/// Sequences of elementary joints between links.
#[derive(Debug)]
pub struct Paths {
    paths: Vec<Path>,
    known: HashMap<[usize; 2], usize>,
    /// The robot where all variables are zero.
    zero: Frames,
}

#[derive(Debug)]
struct Path {
    steps: Vec<Step>,
}

/// An elementary joint on a path, and its neighbours.
#[derive(Debug, Clone, Copy)]
struct Step {
    element: usize,
    is_turn: bool,
    variable: usize,
    /// With the sign of the motion of what is behind it relative to what is before it.
    multiplier: f64,
    /// Is it on the branch of B, so that it moves what is behind it relative to its own point?
    is_down: bool,
    /// From its point to that of the next joint, and from that to its axis.
    next: f64,
    next_across: f64,
    /// From the point of the joint before to its axis.
    before_across: f64,
}

/// The data that a pair of bodies adds to the path of its links.
#[derive(Debug, Clone, Copy)]
pub struct PairPath {
    path: usize,
    /// For A and B: from the center to the point and to the axis of the joint nearest on the path, and the radius.
    ends: [[f64; 3]; 2],
}

/// Bounds on the relative motion of a pair along an edge.
#[derive(Debug, Clone, Copy, Default)]
pub struct Rates {
    /// No two points approach each other faster, to first order.
    pub first: f64,
    /// A bound on the second derivative of the difference of two points.
    pub second: f64,
    /// The sum of the rates of all joints that turn.
    pub turned: f64,
    /// How many joints of the path move A.
    pub cut: usize,
}

/// Velocities of the two bodies of a pair, in the frame of the cut.
#[derive(Debug, Clone, Copy, Default)]
pub struct Velocities {
    /// Of B's center less that of A's.
    pub centers: DVec3,
    /// Rates of rotation of A and B.
    pub spins: [DVec3; 2],
}

impl Paths {
    pub fn new(robot: &Robot) -> Self {
        let mut zero = Frames::default();
        let origin = vec![0.0; robot.dof()];
        robot.place(&origin, &origin, &origin, &mut zero);
        Self { paths: Vec::new(), known: HashMap::new(), zero }
    }

    /// The path from a ball that stands in the world to a body.
    pub fn world_to_body(&mut self, robot: &Robot, ball: (DVec3, f64), body: &Body) -> PairPath {
        let path = self.path(robot, None, body.link);
        self.of_pair(path, ball, self.ball(body))
    }

    /// The path between two bodies.
    pub fn between(&mut self, robot: &Robot, a: &Body, b: &Body) -> PairPath {
        let path = self.path(robot, Some(a.link), b.link);
        self.of_pair(path, self.ball(a), self.ball(b))
    }

    fn ball(&self, body: &Body) -> (DVec3, f64) {
        (self.zero.links[body.link].transform_point(body.center), body.radius)
    }

    fn of_pair(&self, path: usize, a: (DVec3, f64), b: (DVec3, f64)) -> PairPath {
        let steps = &self.paths[path].steps;
        let end = |step: Option<&Step>, (center, radius): (DVec3, f64)| {
            let [far, across] = step.map_or([0.0; 2], |step| {
                let (point, axis) = self.zero.axes[step.element];
                [center.distance(point), across(center, point, axis)]
            });
            [far, across, radius]
        };
        PairPath { path, ends: [end(steps.first(), a), end(steps.last(), b)] }
    }

    fn path(&mut self, robot: &Robot, a: Option<usize>, b: usize) -> usize {
        let key = [a.unwrap_or(usize::MAX), b];
        if let Some(&known) = self.known.get(&key) {
            return known;
        }
        // Elementary joints from a link up to the root.
        let chain = |mut link: usize| {
            let mut chain = Vec::new();
            while let Some(number) = robot.links[link].parent {
                let joint = &robot.joints[number];
                chain.extend(
                    joint.elements.iter().enumerate().rev().map(|(nth, element)| (joint.first + nth, *element)),
                );
                link = joint.parent;
            }
            chain
        };
        let (mut up, mut down) = (a.map(chain).unwrap_or_default(), chain(b));
        while let (Some(one), Some(other)) = (up.last(), down.last())
            && one.0 == other.0
        {
            up.pop();
            down.pop();
        }
        let signed = up.into_iter().map(|step| (step, false)).chain(down.into_iter().rev().map(|step| (step, true)));
        let mut steps: Vec<Step> = signed
            .map(|((element, joint), is_down)| Step {
                element,
                is_turn: joint.is_turn,
                variable: joint.variable,
                multiplier: if is_down { joint.multiplier } else { -joint.multiplier },
                is_down,
                next: 0.0,
                next_across: 0.0,
                before_across: 0.0,
            })
            .collect();
        for number in 1..steps.len() {
            let [(o, axis), (next, next_axis)] = [number - 1, number].map(|at| self.zero.axes[steps[at].element]);
            steps[number - 1].next = o.distance(next);
            steps[number - 1].next_across = across(next, o, axis);
            steps[number].before_across = across(o, next, next_axis);
        }
        self.paths.push(Path { steps });
        self.known.insert(key, self.paths.len() - 1);
        self.paths.len() - 1
    }

    /// The rates of a pair on the straight edge between two configurations, for the cut with the smallest first-order bound.
    pub fn rates(&self, pair: &PairPath, from: &[f64], to: &[f64], levers: &mut Vec<[f64; 3]>) -> Rates {
        let steps = &self.paths[pair.path].steps;
        let count = steps.len();
        if count == 0 {
            return Rates::default();
        }
        let travel = |step: &Step| {
            if step.is_turn {
                0.0
            } else {
                step.multiplier.abs() * from[step.variable].abs().max(to[step.variable].abs())
            }
        };
        // A slide changes the distance from its point to what it moves: what is behind it on the branch of B, before it on that of A.
        let behind = |number: usize| {
            let own = if steps[number].is_down { travel(&steps[number]) } else { 0.0 };
            own + steps.get(number + 1).filter(|next| !next.is_down).map_or(0.0, travel)
        };
        let before = |number: usize| match number {
            0 => {
                if steps[0].is_down {
                    0.0
                } else {
                    travel(&steps[0])
                }
            }
            _ => behind(number - 1),
        };
        // Rate, lever of A, lever of B.
        levers.clear();
        levers.extend(
            steps.iter().map(|step| [(step.multiplier * (to[step.variable] - from[step.variable])).abs(), 1.0, 1.0]),
        );
        let mut far = 0.0;
        for number in 0..count {
            let step = &steps[number];
            let lever = if number == 0 {
                let [distance, across, radius] = pair.ends[0];
                far = distance + radius + before(0);
                across + radius + before(0)
            } else {
                let lever = step.before_across + before(number) + far;
                far += steps[number - 1].next + before(number);
                lever
            };
            if step.is_turn {
                levers[number][1] = lever;
            }
        }
        for number in (0..count).rev() {
            let step = &steps[number];
            let lever = if number == count - 1 {
                let [distance, across, radius] = pair.ends[1];
                far = distance + radius + behind(number);
                across + radius + behind(number)
            } else {
                let lever = step.next_across + behind(number) + far;
                far += step.next + behind(number);
                lever
            };
            if step.is_turn {
                levers[number][2] = lever;
            }
        }
        // A rate of zero times an infinite lever, of a half-space, moves nothing.
        let speed = |rate: f64, lever: f64| if rate == 0.0 { 0.0 } else { rate * lever };
        let mut first: f64 = levers.iter().map(|&[rate, _, b]| speed(rate, b)).sum();
        let (mut cut, mut least) = (0, first);
        for (number, &[rate, a, b]) in levers.iter().enumerate() {
            // Differences of infinite numbers are NaN, which is not less.
            first += speed(rate, a) - speed(rate, b);
            if first < least {
                (cut, least) = (number + 1, first);
            }
        }
        let first: f64 = levers[..cut].iter().map(|&[rate, a, _]| speed(rate, a)).sum::<f64>()
            + levers[cut..].iter().map(|&[rate, _, b]| speed(rate, b)).sum::<f64>();
        let (mut second, mut turned) = (0.0, 0.0);
        for number in cut..count {
            let ([rate, _, lever], turns) = (levers[number], steps[number].is_turn);
            let own = if turns { rate } else { 0.0 };
            second += speed(rate * (own + 2.0 * turned), lever);
            turned += own;
        }
        turned = 0.0;
        for number in (0..cut).rev() {
            let ([rate, lever, _], turns) = (levers[number], steps[number].is_turn);
            let own = if turns { rate } else { 0.0 };
            second += speed(rate * (own + 2.0 * turned), lever);
            turned += own;
        }
        let all =
            steps.iter().zip(levers.iter()).filter(|(step, _)| step.is_turn).map(|(_, lever)| lever[0]).sum::<f64>();
        Rates { first: first * UP, second: second * UP, turned: all * UP, cut }
    }

    /// Adds to each variable's place how fast the gap along a normal from A to B widens with it, at a point near both bodies.
    ///
    /// Joint k moves what is behind it by `ω × (p - o)` relative to what is before it. Points of A and B that differ along n give the same, since n·(ω×n) = 0.
    pub fn add_gradient(&self, pair: &PairPath, frames: &Frames, normal: DVec3, point: DVec3, gradient: &mut [f64]) {
        for step in &self.paths[pair.path].steps {
            let (origin, axis) = frames.axes[step.element];
            let moved = if step.is_turn { axis.cross(point - origin) } else { axis };
            gradient[step.variable] += step.multiplier * normal.dot(moved);
        }
    }

    /// The velocities of a pair at a configuration on the edge, and a bound on their rounding errors at points of the bodies.
    pub fn velocities(
        &self,
        pair: &PairPath,
        rates: &Rates,
        [from, to]: [&[f64]; 2],
        frames: &Frames,
        centers: [DVec3; 2],
    ) -> Velocities {
        let mut velocities = Velocities::default();
        for (number, step) in self.paths[pair.path].steps.iter().enumerate() {
            let rate = step.multiplier * (to[step.variable] - from[step.variable]);
            let (point, axis) = frames.axes[step.element];
            // Joints behind the cut move B, those before it move A the other way.
            let is_of_b = number >= rates.cut;
            let spin = axis * rate;
            if !step.is_turn {
                velocities.centers += spin;
            } else if is_of_b {
                velocities.spins[1] += spin;
                velocities.centers += spin.cross(centers[1] - point);
            } else {
                velocities.spins[0] -= spin;
                velocities.centers += spin.cross(centers[0] - point);
            }
        }
        velocities
    }
}

/// The distance of a point from an axis.
fn across(point: DVec3, origin: DVec3, axis: DVec3) -> f64 {
    (point - origin).reject_from_normalized(axis).length()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::Options;
    use clearance::math::DQuat;

    /// Bars of length 1 along x that turn about z, each with a ball of radius 0.25 at its middle; the third joint may be a slide along x. The base is so
    /// large that it stands still in the frame of the best cut.
    fn arm(has_slide: bool) -> Robot {
        let mut text = String::from(
            "<robot><link name=\"0\"><collision><geometry><sphere radius=\"100\"/></geometry></collision></link>",
        );
        for bar in 1..=4 {
            let (kind, axis) = if has_slide && bar == 3 { ("prismatic", "1 0 0") } else { ("revolute", "0 0 1") };
            text += &format!(
                "<link name=\"{bar}\"><collision><origin xyz=\"0.5 0 0\"/><geometry><sphere radius=\"0.25\"/></geometry></collision></link>
                 <joint name=\"{bar}\" type=\"{kind}\"><origin xyz=\"1 0 0\"/><parent link=\"{}\"/><child link=\"{bar}\"/><axis xyz=\"{axis}\"/>
                 <limit lower=\"-3\" upper=\"3\"/></joint>",
                bar - 1
            );
        }
        Robot::parse(&(text + "</robot>"), "arm.urdf", None, &Options::default()).unwrap()
    }

    /// Frames of a robot between two configurations.
    fn frames(robot: &Robot, [from, to]: [&[f64]; 2], share: f64) -> Frames {
        let q: Vec<f64> = from.iter().zip(to).map(|(from, to)| from + share * (to - from)).collect();
        let mut frames = Frames::default();
        robot.place(&q, from, to, &mut frames);
        frames
    }

    /// For a point of a moving body beside a body that stands still: its displacement in parts of `L τ`, and what its velocity at the middle leaves of it, in parts of `½ K τ²`.
    fn shares(robot: &Robot, moving: usize, first: bool, ends: [&[f64]; 2], tau: f64, local: DVec3) -> [f64; 2] {
        let mut paths = Paths::new(robot);
        let bodies =
            if first { [&robot.bodies[moving], &robot.bodies[0]] } else { [&robot.bodies[0], &robot.bodies[moving]] };
        let pair = paths.between(robot, bodies[0], bodies[1]);
        let rates = paths.rates(&pair, ends[0], ends[1], &mut Vec::new());
        // The link that stands still is the cut: all joints move the other one.
        assert_eq!(rates.cut, if first { paths.paths[pair.path].steps.len() } else { 0 });
        let [here, there] = [0.5, 0.5 + tau].map(|share| frames(robot, ends, share));
        let centers = bodies.map(|body| here.links[body.link].transform_point(body.center));
        let velocities = paths.velocities(&pair, &rates, ends, &here, centers);
        let (sign, side) = if first { (-1.0, 0) } else { (1.0, 1) };
        let body = &robot.bodies[moving];
        let [before, after] =
            [&here, &there].map(|frames| frames.links[body.link].transform_point(body.center + local));
        let velocity = sign * velocities.centers + velocities.spins[side].cross(before - centers[side]);
        let (moved, left) = (after - before, after - before - tau * velocity);
        [moved.length() / (rates.first * tau), left.length() / (0.5 * rates.second * tau * tau)]
    }

    #[test]
    fn a_straight_arm_that_curls_attains_both_bounds_and_none_exceeds_them() {
        let (tau, far) = (1e-5, DVec3::new(0.25, 0.0, 0.0));
        // At the middle the arm is straight, and the farthest point moves as fast and turns as sharply as any can.
        for moving in 1..=4 {
            for first in [false, true] {
                let [l, k] = shares(&arm(false), moving, first, [&[-1.0; 4], &[1.0; 4]], tau, far);
                assert!(
                    (0.999..1.0 + 1e-9).contains(&l) && (0.99..1.0 + 1e-4).contains(&k),
                    "{moving} {first}: {l} {k}"
                );
            }
        }
        let mut rng = fastrand::Rng::with_seed(5);
        let mut largest = [0.0_f64; 2];
        let robots = [arm(false), arm(true)];
        for round in 0..5_000 {
            let robot = &robots[round % 2];
            let [from, to]: [Vec<f64>; 2] = [(); 2].map(|()| (0..4).map(|_| 2.0 * rng.f64() - 1.0).collect());
            let turn = DQuat::from_rotation_z(7.0 * rng.f64());
            let found = shares(robot, rng.usize(1..5), rng.bool(), [&from, &to], 0.5 * rng.f64(), turn * far);
            assert!(found[0] <= 1.0 && found[1] <= 1.0, "{found:?}: {from:?} {to:?}");
            largest = [largest[0].max(found[0]), largest[1].max(found[1])];
        }
        assert!(largest[0] > 0.9 && largest[1] > 0.7, "{largest:?}");
    }

    #[test]
    fn the_cut_between_two_long_branches_is_where_they_part() {
        let branch = |name: &str, angle: f64| {
            let mut text = String::new();
            for bar in 1..=3 {
                let parent = if bar == 1 { "trunk".into() } else { format!("{name}{}", bar - 1) };
                let [x, y, turn] = if bar == 1 { [0.0, angle, angle] } else { [1.0, 0.0, 0.0] };
                text += &format!(
                    "<link name=\"{name}{bar}\"><collision><origin xyz=\"0.5 0 0\"/><geometry><sphere radius=\"0.1\"/></geometry></collision></link>
                     <joint name=\"{name}{bar}\" type=\"continuous\"><origin xyz=\"{x} {y} 0\" rpy=\"0 0 {turn}\"/><parent link=\"{parent}\"/><child link=\"{name}{bar}\"/><axis xyz=\"0 0 1\"/></joint>"
                );
            }
            text
        };
        let text = format!("<robot><link name=\"trunk\"/>{}{}</robot>", branch("left", 0.5), branch("right", -0.5));
        let robot = Robot::parse(&text, "arms.urdf", None, &Options::default()).unwrap();
        let mut paths = Paths::new(&robot);
        let pair = paths.between(&robot, &robot.bodies[2], &robot.bodies[5]);
        let rates = paths.rates(&pair, &[0.0; 6], &[1.0; 6], &mut Vec::new());
        // Levers of 2.6, 1.6 and 0.6 on either side, and no others.
        assert_eq!(rates.cut, 3);
        assert!((rates.first - 9.6).abs() < 1e-9, "{rates:?}");
    }
}
