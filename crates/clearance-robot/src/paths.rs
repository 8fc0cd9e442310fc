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
