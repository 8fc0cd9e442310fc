//! Are two bodies apart from one time to another?
//!
//! All is seen from the centre of A, in axes that do not turn. For a point r of A and a point q of B (both from their own centres, as they
//! are at time t) and a unit vector n(t), the gap of these two along n is
//!
//! g(t) = n·c + n·q - n·r, with c the way from the centre of A to that of B.
//!
//! The bodies are apart along n at time t if all such gaps are positive, that is if f(t), the least of them, is:
//! f(t) = n·c - h_A(n) - h_B(-n).
//!
//! **How far f sinks.** If g'' <= K for all pairs of points, each g is above its chord from `from` to `to` less the parabola ½ K λ (1-λ)
//! T², with T = to - from and λ from 0 to 1. Their difference has a second derivative that is not positive, and is zero at both ends. A
//! least of sums is no less than the sum of the leasts, so with f₀ and f₁ at the ends
//!
//! f >= (1-λ) f₀ + λ f₁ - ½ K λ (1-λ) T².
//!
//! As a polynomial of Bernstein's form its coefficients are f₀, (f₀ + f₁)/2 - K T²/4, f₁. It stays positive exactly if f₀ and f₁ are
//! and the one in the middle is above -√(f₀ f₁): if f₀ + f₁ + 2 √(f₀ f₁) > ½ K T².
//!
//! **K.** A point of a body that turns with ω has |r'| <= ω ρ and |r''| <= ω² ρ, with ρ its distance from the axis, and r'' points to the
//! axis: along a fixed n it counts with |n x u|, u being the axis. The way c is a parabola, c'' = g. So along a fixed n
//! K = n·g + Σ ω² ρ |n x u|. A direction that turns with η has |n'| = |η x n| =: e and |n''| = |η| e, both constant, and
//! g'' = n''·(c + q - r) + 2 n'·(c' + q' - r') + n·(c'' + q'' - r''), so
//! K = |η| e (|c| + |q| + |r|) + 2 e (|c'| + Σ ω ρ) + |g| + Σ ω² ρ.
//!
//! **Instead.** Along a fixed direction a body is below its swept volume of a full turn. At any direction it is below its height at the
//! start plus the most that rotation can move it. With either bound it counts as a body without rotation.
//!
//! **Rings.** A body that turns about an axis keeps its distance from it. If n·(x - c) >= r for all of its points at one time, n being a unit
//! vector across the axis through its centre c, it stays outside of the cylinder of radius r. The distance from a line is convex: the other
//! body, if it does not turn, is farthest from the axis at an end of its path, or |g| T²/8 farther on a parabola.

use super::body::{Body, BodyParts, divided, unit};
use super::course::{Course, Law, Spin, is_positive};
use super::{ChainLink, MovingQuery, RingBody};
use crate::number::{
    Interval, Matrix, Number, Real, Unclear, Vector, Wide, cross, dot, map, negate, norm, scale, subtract,
};
use crate::parts::Side;
use crate::shape::Trouble;

/// The bodies, or some parts of each, while both keep to one law.
pub(super) struct MovingPair<'s, 'a, N> {
    a: Body<'s, 'a, N>,
    b: Body<'s, 'a, N>,
    /// The last moment that was computed: the end of a link is the start of the next.
    last: Option<Moment<N>>,
}

/// Both bodies at a time.
#[derive(Clone)]
struct Moment<N> {
    time: f64,
    /// c and c'.
    place: Vector<N>,
    velocity: Vector<N>,
    rotations: [Matrix<N>; 2],
}

/// Heights of a body at both ends of a link, and by how much the second derivative of a height may be negative.
struct Envelope<N> {
    ends: [N; 2],
    bend: N,
}

/// A direction over a link.
struct Direction<N> {
    ends: [Vector<N>; 2],
    /// |η| and e, if it turns.
    turn: Option<[N; 2]>,
}

impl<'s, 'a, N: Real> MovingPair<'s, 'a, N> {
    pub fn new(a: Body<'s, 'a, N>, b: Body<'s, 'a, N>) -> Result<Self, Trouble> {
        match a.plane.is_some() && b.plane.is_some() {
            true => Err(Trouble::Fault("two half-spaces that move cannot be checked".into())),
            false => Ok(Self { a, b, last: None }),
        }
    }

    fn moment(&mut self, time: f64) -> Moment<N> {
        if let Some(last) = self.last.take().filter(|last| last.time == time) {
            return last;
        }
        let [place, velocity] = self.a.course.to(self.b.course, time);
        let rotations = [self.a.course.rotation_at(time), self.b.course.rotation_at(time)];
        Moment { time, place, velocity, rotations }
    }

    /// Are the bodies apart by more than a gap all through a link?
    pub fn is_apart(&mut self, link: &ChainLink, gap: f64) -> Result<bool, Trouble> {
        let moments = [self.moment(link.from), self.moment(link.to)];
        let found = self.is_apart_between(link, &moments, gap);
        let [_, end] = moments;
        self.last = Some(end);
        found
    }

    fn is_apart_between(&self, link: &ChainLink, moments: &[Moment<N>; 2], gap: f64) -> Result<bool, Trouble> {
        let time = N::of(link.to).minus(&N::of(link.from));
        if let Some(ring) = link.ring {
            return self.is_ring(ring, link.along, moments, &time, gap);
        }
        let direction = self.direction(link, moments, &time)?;
        let [from, to] = moments;
        let acceleration: Vector<N> =
            std::array::from_fn(|i| self.b.course.acceleration[i].minus(&self.a.course.acceleration[i]));
        let square = time.squared();
        let bend = match &direction.turn {
            None => dot(&direction.ends[0], &acceleration),
            Some([turn, e]) => {
                let size = norm(&acceleration);
                // A parabola is no farther from its chord than |g| T²/8, and its velocity is the largest at an end.
                let bulge = size.times(&square).times(&N::of(0.125));
                let far = norm(&from.place).larger(&norm(&to.place)).plus(&bulge);
                let fast = norm(&from.velocity).larger(&norm(&to.velocity));
                turn.times(e).times(&far).plus(&e.plus(e).times(&fast)).plus(&size)
            }
        };
        let heights_a = self.envelopes(&self.a, 0, &direction, moments)?;
        let against = Direction { ends: direction.ends.each_ref().map(negate), turn: direction.turn.clone() };
        let heights_b = self.envelopes(&self.b, 1, &against, moments)?;
        let way = [dot(&direction.ends[0], &from.place), dot(&direction.ends[1], &to.place)];
        let mut is_clear = true;
        for a in &heights_a {
            for b in &heights_b {
                let end = |k: usize| way[k].minus(&a.ends[k]).minus(&b.ends[k]).minus(&N::of(gap));
                let bend = bend.plus(&a.bend).plus(&b.bend);
                match stays_positive(&end(0), &end(1), &bend.times(&square)) {
                    Ok(true) => return Ok(true),
                    Ok(false) => {}
                    Err(Unclear) => is_clear = false,
                }
            }
        }
        if is_clear { Ok(false) } else { Err(Trouble::Unclear) }
    }

    /// Is one body outside of a cylinder about its axis, and the other one inside, with a gap between them?
    fn is_ring(
        &self,
        ring: RingBody,
        along: [f64; 3],
        moments: &[Moment<N>; 2],
        time: &N,
        gap: f64,
    ) -> Result<bool, Trouble> {
        let (body, other, side) = match ring {
            RingBody::A => (&self.a, &self.b, 0),
            RingBody::B => (&self.b, &self.a, 1),
        };
        let (Some(spin), None) = (&body.course.spin, &body.plane) else {
            return Err(Trouble::Fault("a ring does not turn, or is a half-space".into()));
        };
        let axis = &spin.axis;
        let n = unit::<N>(along)?;
        let beside = scale(axis, &dot(&n, axis));
        let across = subtract(&n, &beside);
        let across = divided(&across, &norm(&across))?;
        let outside = body.height(&negate(&across), &moments[0].rotations[side])?.negated();
        let acceleration = subtract(&self.b.course.acceleration, &self.a.course.acceleration);
        let bulge = norm(&cross(&acceleration, axis)).times(&time.squared()).times(&N::of(0.125));
        let mut inside = N::zero();
        for moment in moments {
            let place = if side == 0 { moment.place.clone() } else { negate(&moment.place) };
            inside = inside.larger(&other.farthest(axis, &place, &moment.rotations[1 - side])?);
        }
        Ok(is_positive(&outside.minus(&inside).minus(&bulge).minus(&N::of(gap)))?)
    }

    /// The direction from A to B: that of the link, or the normal of a half-space, which turns with it.
    fn direction(&self, link: &ChainLink, moments: &[Moment<N>; 2], time: &N) -> Result<Direction<N>, Trouble> {
        for (body, side) in [(&self.a, 0), (&self.b, 1)] {
            let Some((normal, _)) = &body.plane else { continue };
            let outward = |moment: &Moment<N>| {
                let normal = map(&moment.rotations[side], normal);
                if side == 0 { normal } else { negate(&normal) }
            };
            let ends = moments.each_ref().map(outward);
            let turn = body.course.spin.as_ref().map(|spin| rates(spin, &ends[0]));
            return Ok(Direction { ends, turn });
        }
        let n = unit::<N>(link.along)?;
        if !link.turn.iter().all(|x| x.is_finite()) {
            return Err(Trouble::Fault("the turn of a direction is not finite".into()));
        }
        match Spin::new(link.turn)? {
            None => Ok(Direction { ends: [n.clone(), n], turn: None }),
            Some(spin) => {
                let turn = Some(rates(&spin, &n));
                let end = map(&spin.after(time), &n);
                Ok(Direction { ends: [n, end], turn })
            }
        }
    }

    /// Bounds on the heights of a body.
    fn envelopes(
        &self,
        body: &Body<'s, 'a, N>,
        side: usize,
        direction: &Direction<N>,
        moments: &[Moment<N>; 2],
    ) -> Result<Vec<Envelope<N>>, Trouble> {
        if let Some((_, level)) = &body.plane {
            // Along its own normal.
            return Ok(vec![Envelope { ends: [level.clone(), level.clone()], bend: N::zero() }]);
        }
        let rotation = |k: usize| &moments[k].rotations[side];
        let start = body.height(&direction.ends[0], rotation(0))?;
        // Where it does not turn, but the direction may.
        let at_rest = |moved: &N| -> Result<Envelope<N>, Trouble> {
            let (end, bend) = match &direction.turn {
                None => (start.clone(), N::zero()),
                Some([turn, e]) => (body.height(&direction.ends[1], rotation(0))?, turn.times(e).times(&body.reach)),
            };
            Ok(Envelope { ends: [start.plus(moved), end.plus(moved)], bend })
        };
        let Some(turning) = &body.turning else { return Ok(vec![at_rest(&N::zero())?]) };
        let end = body.height(&direction.ends[1], rotation(1))?;
        let pull = turning.rate.squared().times(&turning.across);
        let bend = match &direction.turn {
            None => norm(&cross(&direction.ends[0], &turning.axis)).times(&pull),
            Some([turn, e]) => {
                let speed = turning.rate.times(&turning.across);
                turn.times(e).times(&body.reach).plus(&e.plus(e).times(&speed)).plus(&pull)
            }
        };
        let mut all = vec![Envelope { ends: [start.clone(), end], bend }];
        if direction.turn.is_none() {
            let swept = body.swept_height(&direction.ends[0], turning);
            all.push(Envelope { ends: [swept.clone(), swept], bend: N::zero() });
        }
        all.push(at_rest(&turning.moved)?);
        Ok(all)
    }
}

/// |η| and |η x n|.
fn rates<N: Real>(spin: &Spin<N>, n: &Vector<N>) -> [N; 2] {
    let across = norm(&cross(&spin.axis, n));
    [spin.rate.clone(), spin.rate.times(&across)]
}

/// Is (1-λ) f₀ + λ f₁ - ½ λ (1-λ) K T² positive for all λ from 0 to 1?
pub(super) fn stays_positive<N: Real>(f0: &N, f1: &N, bend: &N) -> Result<bool, Unclear> {
    if !(f0.is_known() && f1.is_known() && bend.is_known()) {
        return Err(Unclear);
    }
    if !(is_positive(f0)? && is_positive(f1)?) {
        return Ok(false);
    }
    let root = f0.times(f1).root();
    is_positive(&f0.plus(f1).plus(&root).plus(&root).minus(&bend.times(&N::of(0.5))))
}

/// Where the origin of B is at a time, as seen from that of A, and both rotations.
pub(super) fn placed<N: Real>(query: &MovingQuery, time: f64) -> Result<(Vector<N>, [Matrix<N>; 2]), Trouble> {
    let (law_a, _) = Law::at(&query.start.pose_a, &query.motion_a, time);
    let (law_b, _) = Law::at(&query.start.pose_b, &query.motion_b, time);
    let (a, b) = (Course::<N>::new(&law_a)?, Course::<N>::new(&law_b)?);
    let [way, _] = a.to(&b, time);
    let rotations = [a.rotation_at(time), b.rotation_at(time)];
    let (arm_a, arm_b) = (map(&rotations[0], &a.center), map(&rotations[1], &b.center));
    Ok((std::array::from_fn(|i| way[i].plus(&arm_a[i]).minus(&arm_b[i])), rotations))
}

/// How far two parts are apart along a vector at a time; the normal of a half-space is taken instead, if the vector is that to an angle.
pub(super) fn gap_along(
    query: &MovingQuery,
    parts: [&Side<'_>; 2],
    n: [f64; 3],
    time: f64,
    angle: f64,
) -> Result<Wide, Trouble> {
    let (law_a, _) = Law::at(&query.start.pose_a, &query.motion_a, time);
    let (law_b, _) = Law::at(&query.start.pose_b, &query.motion_b, time);
    let [a, b] = parts.map(std::slice::from_ref);
    let (a, b) = (BodyParts::new(a, Course::<Wide>::new(&law_a)?), BodyParts::new(b, Course::<Wide>::new(&law_b)?));
    let mut pair = MovingPair::new(a.body(0..1)?, b.body(0..1)?)?;
    let moments = [pair.moment(time), pair.moment(time)];
    let link = ChainLink { from: time, to: time, along: n, turn: [0.0; 3], ring: None };
    let direction = pair.direction(&link, &moments, &Wide::of(0.0))?;
    let [along, _] = &direction.ends;
    let off = norm(&std::array::from_fn(|i| along[i].minus(&Wide::of(n[i]))));
    if off.high() > 4.0 * angle {
        return Err(Trouble::Fault("normal: it is not that of the half-space".into()));
    }
    let height = |body: &Body<'_, '_, Wide>, n: &Vector<Wide>, side: usize| match &body.plane {
        Some((_, level)) => Ok(level.clone()),
        None => body.height(n, &moments[0].rotations[side]),
    };
    let (a, b) = (height(&pair.a, along, 0)?, height(&pair.b, &negate(along), 1)?);
    Ok(dot(along, &moments[0].place).minus(&a).minus(&b))
}

/// The size of the way between the two at a time, for what counts as close.
pub(super) fn apart_at(query: &MovingQuery, time: f64) -> f64 {
    placed::<Interval>(query, time).map_or(f64::INFINITY, |(way, _)| norm(&way).high)
}
