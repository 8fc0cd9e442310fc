//! Where a body is at a time: a centre on a parabola, and a turn at a constant rate about it.
//!
//! x(t) = p + v s + ½ g s² + e^{ω s} R (x - c), s = t - start, with p = the written translation + R c.

use super::{Keyframe, Motion};
use crate::number::{
    Dyadic, Matrix, Number, Real, Unclear, Vector, add, cross, dot, map, norm, scale, transpose, turn, vector,
};
use crate::pose::{Pose, Rigid};
use crate::shape::Trouble;
use std::cmp::Ordering;

/// A law of motion as it is written.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(super) enum Law<'a> {
    Rest(&'a Pose),
    Free {
        pose: &'a Pose,
        velocity: [f64; 3],
        spin: [f64; 3],
        gravity: [f64; 3],
        center: [f64; 3],
    },
    Between(&'a Keyframe, &'a Keyframe),
    /// At unit speed.
    Straight {
        pose: &'a Pose,
        direction: [f64; 3],
    },
}

impl<'a> Law<'a> {
    /// The law that holds at a time, and when it ends.
    pub fn at(pose: &'a Pose, motion: &'a Motion, time: f64) -> (Self, f64) {
        let zero = [0.0; 3];
        match motion {
            Motion::Fixed {} => (Self::Rest(pose), f64::INFINITY),
            Motion::Linear { velocity, angular_velocity: spin, center } => {
                let (velocity, spin, center) = (*velocity, *spin, *center);
                (Self::Free { pose, velocity, spin, gravity: zero, center }, f64::INFINITY)
            }
            Motion::Ballistic { velocity, angular_velocity: spin, gravity, center } => {
                let (velocity, spin, gravity, center) = (*velocity, *spin, *gravity, *center);
                (Self::Free { pose, velocity, spin, gravity, center }, f64::INFINITY)
            }
            Motion::Straight { direction } => (Self::Straight { pose, direction: *direction }, f64::INFINITY),
            Motion::Keyframes(frames) => {
                let next = frames.partition_point(|frame| frame.time <= time);
                match (next.checked_sub(1).map(|before| &frames[before]), frames.get(next)) {
                    (Some(before), Some(after)) => (Self::Between(before, after), after.time),
                    (None, Some(first)) => (Self::Rest(&first.pose), first.time),
                    (Some(last), None) => (Self::Rest(&last.pose), f64::INFINITY),
                    // Without frames, which is refused before.
                    (None, None) => (Self::Rest(pose), f64::INFINITY),
                }
            }
        }
    }
}

/// A turn at a constant rate.
#[derive(Debug, Clone)]
pub(super) struct Spin<N> {
    /// A unit vector of the world.
    pub axis: Vector<N>,
    /// Radians for each unit of time; not negative.
    pub rate: N,
}

impl<N: Real> Spin<N> {
    /// The one with that angular velocity, if it is none of zero.
    pub fn new(v: [f64; 3]) -> Result<Option<Self>, Unclear> {
        let largest = v.iter().fold(0.0, |most: f64, x| most.max(x.abs()));
        if largest == 0.0 {
            return Ok(None);
        }
        // By a power of two near the largest, so that no square vanishes or overflows; that is exact.
        let power = 2.0_f64.powi((largest.log2().floor() as i32).clamp(-1000, 1000));
        let back = N::of(1.0).quotient(&N::of(power))?;
        let scaled = scale(&vector(v), &back);
        let length = norm(&scaled);
        let axis = [&scaled[0], &scaled[1], &scaled[2]].map(|x| x.quotient(&length));
        let [x, y, z] = axis;
        Ok(Some(Self { axis: [x?, y?, z?], rate: length.times(&N::of(power)) }))
    }

    /// e^{ω s} by rows: I + sin θ [u] + (1 - cos θ) (u uᵀ - I).
    pub fn after(&self, s: &N) -> Matrix<N> {
        let [cos, sin] = turn(&self.rate.times(s));
        let u = &self.axis;
        let less = N::of(1.0).minus(&cos);
        let of_axis = |i: usize, j: usize| less.times(&u[i].times(&u[j]));
        let part = |i: usize| sin.times(&u[i]);
        [
            [cos.plus(&of_axis(0, 0)), of_axis(0, 1).minus(&part(2)), of_axis(0, 2).plus(&part(1))],
            [of_axis(1, 0).plus(&part(2)), cos.plus(&of_axis(1, 1)), of_axis(1, 2).minus(&part(0))],
            [of_axis(2, 0).minus(&part(1)), of_axis(2, 1).plus(&part(0)), cos.plus(&of_axis(2, 2))],
        ]
    }
}

/// A law in numbers.
#[derive(Debug, Clone)]
pub(super) struct Course<N> {
    /// The written translation.
    translation: [f64; 3],
    start: f64,
    /// c, in the body's frame, and R c.
    pub center: Vector<N>,
    arm: Vector<N>,
    velocity: Vector<N>,
    pub acceleration: Vector<N>,
    /// R, by rows.
    rotation: Matrix<N>,
    pub spin: Option<Spin<N>>,
}

impl<N: Real> Course<N> {
    pub fn new(law: &Law<'_>) -> Result<Self, Trouble> {
        let zero = || vector([0.0; 3]);
        let rest = |pose: &Pose, start: f64| -> Result<Self, Unclear> {
            Ok(Self {
                translation: pose.translation,
                start,
                center: zero(),
                arm: zero(),
                velocity: zero(),
                acceleration: zero(),
                rotation: rotation(pose)?,
                spin: None,
            })
        };
        Ok(match *law {
            Law::Rest(pose) => rest(pose, 0.0)?,
            Law::Free { pose, velocity, spin, gravity, center } => {
                let rest = rest(pose, 0.0)?;
                let center = vector(center);
                Self {
                    arm: map(&rest.rotation, &center),
                    center,
                    velocity: vector(velocity),
                    acceleration: vector(gravity),
                    spin: Spin::new(spin)?,
                    ..rest
                }
            }
            Law::Straight { pose, direction } => {
                // The unit vector is the axis of a turn about it.
                let Some(along) = Spin::new(direction)? else {
                    return Err(Trouble::Fault("a direction is zero".into()));
                };
                Self { velocity: along.axis, ..rest(pose, 0.0)? }
            }
            Law::Between(from, to) => {
                let rest = rest(&from.pose, from.time)?;
                let time = N::of(to.time).minus(&N::of(from.time));
                let way = |i: usize| {
                    let way = N::of(to.pose.translation[i]).minus(&N::of(from.pose.translation[i]));
                    way.quotient(&time)
                };
                let velocity = [way(0)?, way(1)?, way(2)?];
                Self { velocity, spin: shortest_arc(&from.pose, &to.pose, &time)?, ..rest }
            }
        })
    }

    /// How long ago the start is.
    pub fn elapsed(&self, time: f64) -> N {
        N::of(time).minus(&N::of(self.start))
    }

    /// R at the start.
    pub fn rotation_at_start(&self) -> Matrix<N> {
        self.rotation.clone()
    }

    /// R at a time.
    pub fn rotation_at(&self, time: f64) -> Matrix<N> {
        let Some(spin) = &self.spin else { return self.rotation.clone() };
        let turned = spin.after(&self.elapsed(time));
        let columns = transpose(&self.rotation);
        transpose(&columns.map(|column| map(&turned, &column)))
    }

    /// How the centre has moved since the start, and its velocity.
    fn moved_at(&self, time: f64) -> [Vector<N>; 2] {
        let s = self.elapsed(time);
        let gained = scale(&self.acceleration, &s);
        let velocity = add(&self.velocity, &gained);
        let half = add(&self.velocity, &scale(&gained, &N::of(0.5)));
        [scale(&half, &s), velocity]
    }

    /// Where the origin of the body is in the world, from its rotation at the time.
    pub fn origin_at(&self, time: f64, rotation: &Matrix<N>) -> Vector<N> {
        let [moved, _] = self.moved_at(time);
        let back = map(rotation, &self.center);
        std::array::from_fn(|i| N::of(self.translation[i]).plus(&moved[i]).plus(&self.arm[i].minus(&back[i])))
    }

    /// Where the centre of another body is as seen from that of this one, and how fast it moves.
    pub fn to(&self, other: &Self, time: f64) -> [Vector<N>; 2] {
        let [ours, our_velocity] = self.moved_at(time);
        let [theirs, their_velocity] = other.moved_at(time);
        // Digits that both translations have in common go first.
        let component = |i: usize| {
            let way = N::of(other.translation[i]).minus(&N::of(self.translation[i]));
            let moved = theirs[i].minus(&ours[i]);
            way.plus(&other.arm[i].minus(&self.arm[i])).plus(&moved)
        };
        let place = std::array::from_fn(component);
        [place, std::array::from_fn(|i| their_velocity[i].minus(&our_velocity[i]))]
    }
}

/// The rotation of a pose, by rows.
pub(super) fn rotation<N: Real>(pose: &Pose) -> Result<Matrix<N>, Unclear> {
    let rigid = Rigid::<N>::new(pose.rotation, &vector([0.0; 3]));
    let mut columns: Matrix<N> = std::array::from_fn(|j| {
        let unit: Vector<N> = std::array::from_fn(|i| N::of(if i == j { 1.0 } else { 0.0 }));
        rigid.direction(&unit)
    });
    for x in columns.iter_mut().flatten() {
        *x = x.quotient(&rigid.divisor)?;
    }
    Ok(transpose(&columns))
}

/// The turn that takes one rotation to another in a time, by no more than half a turn.
///
/// The quaternion r = q₁ q₀* with its sign chosen so that w >= 0 has |r| (sin α u, cos α), α being half the angle.
fn shortest_arc<N: Real>(from: &Pose, to: &Pose, time: &N) -> Result<Option<Spin<N>>, Trouble> {
    let exact = quotient::<Dyadic>(from, to);
    let signs = exact.iter().map(|x| x.sign()).collect::<Result<Vec<_>, _>>()?;
    if signs[..3].iter().all(|sign| sign.is_eq()) {
        return Ok(None);
    }
    let r = quotient::<N>(from, to);
    // Half a turn has two shortest arcs: the one about the vector as it is.
    let r = if signs[3].is_lt() { r.map(|x| x.negated()) } else { r };
    let part = [r[0].clone(), r[1].clone(), r[2].clone()];
    let sine = norm(&part);
    let length = sine.squared().plus(&r[3].squared()).root();
    let (sine_of, cosine_of) = (sine.quotient(&length)?, r[3].quotient(&length)?);
    // α = α₀ + arcsin(sin(α - α₀)), with any α₀ that is near: and then e is tiny, and arcsin e between e and e (1 + e²).
    let middle = |x: &N| 0.5 * x.low() + 0.5 * x.high();
    let guess = middle(&sine_of).atan2(middle(&cosine_of));
    if !guess.is_finite() {
        return Err(Trouble::Unclear);
    }
    let [cos, sin] = turn(&N::of(guess));
    let e = sine_of.times(&cos).minus(&cosine_of.times(&sin));
    let along = cosine_of.times(&cos).plus(&sine_of.times(&sin));
    if !(along.low() > 0.5 && e.high().abs() < 1e-3 && e.low().abs() < 1e-3) {
        return Err(Trouble::Unclear);
    }
    // arcsin e = e + e³/6 + 3 e⁵/40 + 15 e⁷/336 + ..., whose rest is less than e⁹.
    let square = e.squared();
    let part_of = |top: f64, bottom: f64| N::of(top).quotient(&N::of(bottom));
    let inner = part_of(3.0, 40.0)?.plus(&square.times(&part_of(15.0, 336.0)?));
    let inner = part_of(1.0, 6.0)?.plus(&square.times(&inner));
    let largest = e.low().abs().max(e.high().abs());
    let rest = largest.powi(9) * 2.0;
    let arcsin = e.plus(&e.times(&square).times(&inner)).plus(&N::between(-rest, rest));
    let half = N::of(guess).plus(&arcsin);
    let rate = half.plus(&half).quotient(time)?;
    let [x, y, z] = [0, 1, 2].map(|i| part[i].quotient(&sine));
    Ok(Some(Spin { axis: [x?, y?, z?], rate }))
}

/// q₁ q₀*, x, y, z, w.
fn quotient<N: Number>(from: &Pose, to: &Pose) -> [N; 4] {
    let split = |q: [f64; 4]| ([q[0], q[1], q[2]].map(N::of), N::of(q[3]));
    let ((v, w), (p, s)) = (split(from.rotation), split(to.rotation));
    // (p, s) (-v, w) = (w p - s v - p x v, s w + p·v).
    let across = cross(&p, &v);
    let part = |i: usize| w.times(&p[i]).minus(&s.times(&v[i])).minus(&across[i]);
    [part(0), part(1), part(2), s.times(&w).plus(&dot(&p, &v))]
}

/// Is a sign certain and positive?
pub(super) fn is_positive<N: Number>(x: &N) -> Result<bool, Unclear> {
    Ok(x.sign()? == Ordering::Greater)
}
