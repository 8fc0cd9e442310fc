//! Custom shapes that break every promise: no query may panic, hang, or return NaN.

use crate::Rng;
use crate::random::{rotation, vector};
use crate::soak::draw;
use clearance::math::{DMat3, DVec3};
use clearance::shape::{Branch, Curvature, NO_VERTEX, Patch, SupportPoint};
use clearance::{Clearance, Convex, Pair, Pose, Shape, Status, distance, intersects, within};
use std::sync::atomic::{AtomicU64, Ordering};

/// The fault of a shape.
#[derive(Debug, Clone, Copy, PartialEq)]
pub enum Fault {
    /// The farthest point is across the direction.
    Across,
    /// It is the nearest one.
    Backwards,
    /// Any point.
    Random,
    /// One of two, by the last bit of the direction.
    Discontinuous,
    /// Always the same.
    Constant,
    /// Far beyond everything.
    Huge,
    /// Beyond the reach now and then.
    Beyond,
    /// Another point every time.
    Counting,
    /// A ball from which a piece is bitten.
    Hollow,
    /// NaN after some calls.
    LaterNan,
    /// Infinite after some calls.
    LaterInfinite,
    /// A radius that becomes NaN, negative or infinite after some calls.
    Radius,
    /// A bounding radius that does so.
    Reach,
    /// As long as the direction.
    Unscaled,
    /// An invalid curvature.
    Curved,
    /// Patches at other places.
    Patches,
    /// Numbers of vertices that do not exist, or are at other places.
    Vertices,
    /// Tiny points of a shape that claims to be large.
    Tiny,
}

/// All faults.
pub const FAULTS: [Fault; 18] = [
    Fault::Across,
    Fault::Backwards,
    Fault::Random,
    Fault::Discontinuous,
    Fault::Constant,
    Fault::Huge,
    Fault::Beyond,
    Fault::Counting,
    Fault::Hollow,
    Fault::LaterNan,
    Fault::LaterInfinite,
    Fault::Radius,
    Fault::Reach,
    Fault::Unscaled,
    Fault::Curved,
    Fault::Patches,
    Fault::Vertices,
    Fault::Tiny,
];

/// A shape that breaks its contract.
#[derive(Debug)]
pub struct Hostile {
    fault: Fault,
    size: f64,
    calls: AtomicU64,
}

impl Hostile {
    /// One of about that size.
    #[must_use]
    pub fn new(fault: Fault, size: f64) -> Self {
        Self { fault, size, calls: AtomicU64::new(0) }
    }

    /// The number of calls, and a number that depends on it.
    fn turn(&self) -> (u64, u64) {
        let calls = self.calls.fetch_add(1, Ordering::Relaxed);
        let mut x = calls.wrapping_add(0x9e37_79b9_7f4a_7c15).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        x ^= x >> 27;
        (calls, x.wrapping_mul(0x94d0_49bb_1331_11eb))
    }

    fn any(&self) -> DVec3 {
        let (_, x) = self.turn();
        let part = |shift: u64| ((x >> shift & 0xfff) as f64 / 2048.0 - 1.0) * 0.5;
        DVec3::new(part(0), part(12), part(24))
    }
}

impl Convex for Hostile {
    fn support(&self, d: DVec3) -> DVec3 {
        let u = d.normalize_or_zero();
        let (calls, _) = self.turn();
        self.size
            * match self.fault {
                Fault::Across => u.cross(DVec3::Y),
                Fault::Backwards => -u,
                Fault::Random => self.any(),
                Fault::Discontinuous => {
                    if d.x.to_bits() & 1 == 0 {
                        DVec3::X
                    } else {
                        DVec3::new(-0.3, 0.9, 0.1)
                    }
                }
                Fault::Constant => DVec3::new(0.3, -0.2, 0.5),
                Fault::Huge => u * 1e200,
                Fault::Beyond => {
                    if calls > 20 && calls % 7 == 0 {
                        u * 50.0
                    } else {
                        u
                    }
                }
                Fault::Counting => u * (1.0 / (1.0 + (calls % 5) as f64)),
                Fault::Hollow => {
                    if u.x > 0.5 {
                        u * 0.1
                    } else {
                        u
                    }
                }
                Fault::LaterNan => {
                    if calls > 25 {
                        DVec3::NAN
                    } else {
                        u
                    }
                }
                Fault::LaterInfinite => {
                    if calls > 25 {
                        DVec3::new(1.0, f64::INFINITY, 0.0)
                    } else {
                        u
                    }
                }
                Fault::Unscaled => d,
                Fault::Tiny => u * 1e-90,
                Fault::Radius | Fault::Reach | Fault::Curved | Fault::Patches | Fault::Vertices => u,
            }
    }

    fn radius(&self) -> f64 {
        match self.fault {
            Fault::Radius if self.turn().0 > 0 => [f64::NAN, -3.0, f64::INFINITY, 1e300][(self.turn().1 % 4) as usize],
            Fault::Radius => 0.25 * self.size,
            _ => 0.0,
        }
    }

    fn bounding_radius(&self) -> f64 {
        match self.fault {
            Fault::Reach if self.turn().0 > 2 => [f64::NAN, -3.0, f64::INFINITY, 0.0][(self.turn().1 % 4) as usize],
            _ => 1.5 * self.size,
        }
    }

    fn center(&self) -> DVec3 {
        if self.fault == Fault::Reach && self.turn().0 > 5 { DVec3::NAN } else { DVec3::ZERO }
    }

    fn is_curved(&self) -> bool {
        matches!(self.fault, Fault::Curved | Fault::Patches | Fault::Across | Fault::Random)
    }

    fn patch(&self, d: DVec3, _: [DVec3; 2]) -> Patch {
        let bad = [f64::NAN, -1e30, f64::INFINITY, 1e-300];
        let pick = |x: u64| bad[(x % 4) as usize];
        let (_, x) = self.turn();
        let curvature = Curvature { xx: pick(x), xy: pick(x >> 8), yy: pick(x >> 16) };
        let point = if self.fault == Fault::Patches { self.size * self.any() } else { self.support(d) };
        let rival = (x & 1 << 40 == 0).then(|| Branch { point: self.size * self.any(), curvature });
        Patch { branch: Branch { point, curvature }, rival }
    }

    fn vertex(&self, vertex: u32) -> Option<DVec3> {
        let is_there = self.fault == Fault::Vertices && !vertex.is_multiple_of(3);
        is_there.then(|| self.size * self.any())
    }

    fn support_vertex(&self, d: DVec3) -> SupportPoint {
        let vertex = if self.fault == Fault::Vertices { (self.turn().1 % 5) as u32 } else { NO_VERTEX };
        SupportPoint { point: self.support(d), vertex }
    }
}

/// The same with only its support function: the library derives all other properties.
#[derive(Debug)]
struct Bare(Hostile);

impl Convex for Bare {
    fn support(&self, d: DVec3) -> DVec3 {
        self.0.support(d)
    }
}

/// Asserts that an answer has ordered numbers, for every query.
fn is_sound(c: &Clearance) -> bool {
    let numbers = c.distance.is_finite() && c.point_a.is_finite() && c.point_b.is_finite();
    c.lower <= c.distance && c.distance <= c.upper && numbers && (c.normal.length() - 1.0).abs() < 1e-9
}

/// Queries a hostile shape, or one made of it, and another of any kind. Returns the number of answers with a bad support, or the invalid answer.
pub fn check(rng: &mut Rng, number: usize) -> Result<u64, String> {
    let fault = FAULTS[number % FAULTS.len()];
    let size = [1.0, 1.0, 1e-3, 1e8, 1e-50, 1e50][rng.usize(..6)];
    let custom = || Shape::custom(Hostile::new(fault, size));
    // Shapes with an invalid bounding radius are refused.
    let own = match rng.u32(..6) {
        0 => custom().and_then(|inner| Shape::rounded(&inner, 0.1 * size)),
        1 => custom().and_then(|inner| Shape::affine(&inner, DMat3::from_diagonal([1.0, 0.2, 2.0].into()))),
        2 => [custom(), custom()]
            .into_iter()
            .map(|part| Ok((part?, Pose::from_translation(vector(rng, -1.0, 1.0) * size))))
            .collect::<Result<Vec<_>, _>>()
            .and_then(Shape::compound),
        3 => custom(),
        _ => Shape::custom(Bare(Hostile::new(fault, size))),
    };
    let kind = rng.usize(..=draw::KINDS);
    let other = if kind == draw::KINDS { custom() } else { draw::shape(rng, kind).scaled(size).try_build() };
    let (Ok(own), Ok(other)) = (own, other) else { return Ok(0) };
    let mut bad = 0;
    let mut hold = |c: Option<Clearance>, how: &dyn std::fmt::Debug| match c {
        Some(c) if !is_sound(&c) => {
            Err(format!("{fault:?} as {} and {}, {size:e}, {how:?}: {c:?}", own.kind(), other.kind()))
        }
        found => {
            bad += u64::from(found.is_some_and(|c| c.status == Status::BadSupport));
            Ok(())
        }
    };
    let pose_a = Pose::new(vector(rng, -0.3, 0.3) * size, rotation(rng));
    let pose_b = Pose::new(vector(rng, -1.3, 1.3) * size, rotation(rng));
    for (a, b) in [(&own, &other), (&other, &own)] {
        let first = distance(a, pose_a, b, pose_b);
        hold(Some(first), &"distance")?;
        let _ = (first.features(a, b), intersects(a, pose_a, b, pose_b));
        for margin in [0.0, 0.3 * size, -0.1 * size, f64::INFINITY, f64::NEG_INFINITY, f64::NAN] {
            hold(within(a, pose_a, b, pose_b, margin), &margin)?;
        }
        for engine in clearance::Engine::ALL {
            let mut pair = Pair::new(a, b).engine(engine);
            for step in 0..3 {
                let pose_b = Pose::new(pose_b.translation() * (1.0 - 0.3 * f64::from(step)), pose_b.rotation());
                hold(Some(pair.distance(pose_a, pose_b)), &engine)?;
                let _ = (pair.intersects(pose_a, pose_b), pair.collide(pose_a, pose_b));
                hold(pair.within(pose_a, pose_b, 0.5 * size), &(engine, "within"))?;
            }
        }
    }
    Ok(bad)
}
