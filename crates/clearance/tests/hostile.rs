//! Shapes of the caller's own that break every promise, and numbers that are none: nothing panics, hangs, or is no number.

use clearance::broad::{BroadKind, SLOTS};
use clearance::math::{Aabb, DMat3, DQuat, DVec3};
use clearance::shape::{Branch, Curvature, NO_VERTEX, Patch, SupportPoint};
use clearance::world::{Config, Detail, World};
use clearance::{Clearance, Convex, Engine, Pair, Pose, Shape, Status, distance, intersects, within};
use std::sync::atomic::{AtomicU64, Ordering};

const ENGINES: [Engine; 6] =
    [Engine::Auto, Engine::Gjk, Engine::GjkJohnson, Engine::VClip, Engine::LinCanny, Engine::SeparatingVector];

/// What a shape does wrong.
#[derive(Debug, Clone, Copy, PartialEq)]
enum Fault {
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
    /// No number after some calls.
    LaterNan,
    /// Infinite after some calls.
    LaterInfinite,
    /// A radius that turns.
    Radius,
    /// A reach that turns.
    Reach,
    /// As long as the direction.
    Unscaled,
    /// A curvature that is none.
    Curved,
    /// Patches that are elsewhere.
    Patches,
    /// Numbers of vertices that are not there, or are elsewhere.
    Vertices,
    /// Tiny points of a shape that says that it is large.
    Tiny,
}

const FAULTS: [Fault; 18] = [
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

#[derive(Debug)]
struct Hostile {
    fault: Fault,
    size: f64,
    calls: AtomicU64,
}

impl Hostile {
    fn new(fault: Fault, size: f64) -> Self {
        Self { fault, size, calls: AtomicU64::new(0) }
    }

    /// How many calls there were, and a number that depends on it.
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

    fn reach(&self) -> f64 {
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

/// The same, with nothing but its support: all the rest is what the library makes of that.
#[derive(Debug)]
struct Bare(Hostile);

impl Convex for Bare {
    fn support(&self, d: DVec3) -> DVec3 {
        self.0.support(d)
    }
}

/// An answer is made of numbers, in order, whatever was asked.
#[track_caller]
fn assert_sound(c: &Clearance, what: &dyn std::fmt::Debug) {
    assert!(c.lower <= c.distance && c.distance <= c.upper, "{what:?}: {c:?}");
    assert!(c.distance.is_finite() && c.point_a.is_finite() && c.point_b.is_finite(), "{what:?}: {c:?}");
    assert!((c.normal.length() - 1.0).abs() < 1e-9, "{what:?}: {c:?}");
}

fn others(size: f64) -> Vec<Shape> {
    let corners: Vec<DVec3> = (0..40)
        .map(|i| size * DVec3::new((f64::from(i)).sin(), (f64::from(i) * 1.7).cos(), (f64::from(i) * 0.3).sin()))
        .collect();
    let ellipsoid = Shape::ellipsoid(size * DVec3::new(0.4, 0.7, 1.0)).unwrap();
    vec![
        Shape::point(),
        Shape::sphere(0.5 * size).unwrap(),
        Shape::cuboid(size * DVec3::new(0.4, 0.7, 1.0)).unwrap(),
        Shape::capsule(0.3 * size, 0.5 * size).unwrap(),
        Shape::cylinder(0.5 * size, 0.5 * size).unwrap(),
        Shape::cone(0.5 * size, 0.5 * size).unwrap(),
        ellipsoid.clone(),
        Shape::hull(&corners).unwrap(),
        Shape::triangle(corners[0], corners[1], corners[2]).unwrap(),
        Shape::half_space([0.3, 0.4, -1.0], 0.1 * size).unwrap(),
        Shape::affine(&ellipsoid, DMat3::from_cols(DVec3::X, DVec3::new(0.3, 1.0, 0.0), DVec3::ZERO)).unwrap(),
        Shape::compound([(ellipsoid, Pose::from_translation([size, 0.0, 0.0]))]).unwrap(),
    ]
}

#[test]
fn whatever_a_custom_shape_does_an_answer_is_made_of_numbers_in_order() {
    let mut rng = fastrand::Rng::with_seed(12);
    let rounds = std::env::var("ROUNDS").ok().and_then(|text| text.parse().ok()).unwrap_or(6);
    let mut bad = 0;
    for round in 0..rounds {
        let size = [1.0, 1.0, 1e-3, 1e8, 1e-50, 1e50][round % 6];
        let others = others(size);
        for fault in FAULTS {
            let custom = || Shape::custom(Hostile::new(fault, size)).unwrap();
            // Refused are those whose reach is none.
            let bare = || Shape::custom(Bare(Hostile::new(fault, size))).unwrap_or_else(|_| custom());
            for index in 0..others.len() + 1 {
                let other = others.get(index).cloned().unwrap_or_else(custom);
                let mut vector = |by: f64| by * DVec3::new(rng.f64() - 0.5, rng.f64() - 0.5, rng.f64() - 0.5);
                let [pose_a, pose_b] =
                    [0.5, 2.5].map(|far| Pose::new(vector(far * size), DQuat::from_scaled_axis(vector(6.0))));
                let pick = rng.usize(..6);
                let Ok(own) = (match pick {
                    0 => Shape::rounded(&custom(), 0.1 * size),
                    1 => Shape::affine(&custom(), DMat3::from_diagonal([1.0, 0.2, 2.0].into())),
                    2 => Shape::compound([
                        (custom(), Pose::IDENTITY),
                        (custom(), Pose::from_translation([size, 0.0, 0.0])),
                    ]),
                    3 => Ok(custom()),
                    _ => Ok(bare()),
                }) else {
                    continue;
                };
                let what = (fault, other.kind(), own.kind(), size, round);
                for (a, b) in [(&own, &other), (&other, &own)] {
                    let c = distance(a, pose_a, b, pose_b);
                    assert_sound(&c, &what);
                    bad += usize::from(c.status == Status::BadSupport);
                    let _ = (c.features(a, b), intersects(a, pose_a, b, pose_b));
                    for margin in [0.0, 0.3 * size, -0.1 * size, f64::INFINITY, f64::NEG_INFINITY, f64::NAN] {
                        if let Some(c) = within(a, pose_a, b, pose_b, margin) {
                            assert_sound(&c, &what);
                        }
                    }
                    for engine in ENGINES {
                        let mut pair = Pair::new(a, b).engine(engine);
                        for step in 0..3 {
                            let pose_b =
                                Pose::new(pose_b.translation() * (1.0 - 0.3 * f64::from(step)), pose_b.rotation());
                            assert_sound(&pair.distance(pose_a, pose_b), &(what, engine));
                            let _ = (pair.intersects(pose_a, pose_b), pair.collide(pose_a, pose_b));
                            if let Some(c) = pair.within(pose_a, pose_b, 0.5 * size) {
                                assert_sound(&c, &(what, engine));
                            }
                        }
                    }
                }
            }
        }
    }
    assert!(bad > 100, "representative: {bad}");
}

fn numbers() -> [f64; 14] {
    let (inf, nan) = (f64::INFINITY, f64::NAN);
    [0.0, -0.0, 1.0, -2.5, 1e-310, 1e-70, 1e59, -1e61, 1e200, f64::MAX, inf, -inf, nan, f64::MIN_POSITIVE]
}

#[test]
fn worlds_take_any_number() {
    let mut rng = fastrand::Rng::with_seed(13);
    let corners = [[0.0, 0.0, 0.0], [1.0, 0.0, 0.0], [0.0, 1.0, 0.0], [0.0, 0.0, 1.0]];
    for broad in BroadKind::ALL {
        for detail in [Detail::Clearance, Detail::YesNo] {
            for margin in numbers() {
                let mut world = World::new(Config { broad, detail, margin, ..Config::default() });
                let mut ids = vec![
                    world.insert(Shape::hull(&corners).unwrap(), Pose::IDENTITY),
                    world.insert(Shape::sphere(1e59).unwrap(), Pose::from_translation([1e60, -1e60, 1e60])),
                    world.insert(Shape::half_space([0.0, 1.0, 0.0], -1.0).unwrap(), Pose::IDENTITY),
                    world.insert(Shape::custom(Hostile::new(Fault::LaterNan, 1.0)).unwrap(), Pose::IDENTITY),
                    world.insert(Shape::custom(Hostile::new(Fault::Random, 1.0)).unwrap(), Pose::IDENTITY),
                ];
                let gone = ids[1];
                for round in 0..6 {
                    let mut number = || numbers()[rng.usize(..14)];
                    let point = DVec3::new(number(), number(), number());
                    let bounds = Aabb { min: point, max: DVec3::new(number(), number(), number()) };
                    let _ = (world.at_point(point), world.in_box(&bounds), world.set_margin(number()));
                    let margin = number();
                    let pose = Pose::try_new(point, DQuat::IDENTITY).unwrap_or_default();
                    for (_, c) in world.near(&Shape::sphere(0.5).unwrap(), pose, margin) {
                        assert!(c.lower <= c.distance && c.distance <= c.upper && c.normal.is_finite(), "{c:?}");
                    }
                    let update = world.update();
                    for pair in update.within(margin).chain(update.overlapping()) {
                        if let Some(c) = pair.clearance {
                            assert!(c.lower <= c.distance && c.distance <= c.upper && c.normal.is_finite(), "{c:?}");
                        }
                    }
                    let _ = (world.nearest(ids[0]), world.nearest(gone), world.closest_pair());
                    world.set_pose(ids[0], pose);
                    if round == 2 {
                        assert!(world.remove(gone).is_some() && world.remove(gone).is_none());
                        assert!(!world.set_pose(gone, pose) && !world.set_shape(gone, Shape::point()));
                        assert!(!world.set_group(gone, Some(u32::MAX)) && !world.set_fixed(gone, true));
                        world.set_ignored(gone, ids[0], true);
                        assert!(world.body(gone).is_none());
                        ids.push(world.insert(Shape::point(), pose));
                    }
                }
            }
        }
    }
}

#[test]
fn a_point_that_is_no_place_is_in_no_body() {
    let mut world = World::default();
    let floor = world.insert(Shape::half_space([0.0, 1.0, 0.0], 0.0).unwrap(), Pose::IDENTITY);
    assert_eq!(world.at_point([0.0, -1.0, 0.0]), [floor]);
    for no_place in [[f64::NAN, -1.0, 0.0], [0.0, -1e61, 0.0], [0.0, f64::NEG_INFINITY, 0.0]] {
        assert_eq!(world.at_point(no_place), []);
    }
}

#[test]
fn broad_phases_take_any_box_and_any_slot() {
    let mut rng = fastrand::Rng::with_seed(14);
    for broad in BroadKind::ALL {
        let mut phase = broad.build();
        let mut slots = Vec::new();
        for _ in 0..400 {
            let mut number = || numbers()[rng.usize(..14)];
            let bounds =
                Aabb { min: DVec3::new(number(), number(), number()), max: DVec3::new(number(), number(), number()) };
            let limit = number();
            let slot = [0, 1, 2, 3, 5, 9, 30, u32::MAX, SLOTS][rng.usize(..9)];
            match rng.u32(..4) {
                0 => phase.remove(slot),
                _ => phase.set(slot, &bounds),
            }
            phase.update();
            let pairs = phase.pairs().to_vec();
            assert!(pairs.iter().all(|pair| pair.high() < 31 && pair.low() < pair.high()), "{broad:?}");
            phase.overlapping(&bounds, &mut slots);
            // A box without an inside overlaps nothing.
            let is_box = bounds.min.cmple(bounds.max).all();
            let truth: Vec<u32> = (0..31).filter(|&slot| is_box && phase.bounds(slot).overlaps(&bounds)).collect();
            assert_eq!(slots, truth, "{broad:?}: {bounds:?}");
            let mut visits = 0;
            phase.nearest(&bounds, limit, &mut |_, distance| {
                visits += 1;
                assert!(distance >= 0.0 && visits < 100, "{broad:?}");
                if visits % 3 == 0 { f64::NAN } else { limit }
            });
            assert_eq!(phase.bounds(u32::MAX), &Aabb::EMPTY);
        }
    }
}

#[test]
fn poses_and_shapes_that_are_no_numbers_are_refused() {
    for bad in [f64::NAN, f64::INFINITY, f64::NEG_INFINITY, 1e61, f64::MAX] {
        assert!(Shape::sphere(bad).is_err() && Shape::cuboid([1.0, bad, 1.0]).is_err());
        assert!(Shape::capsule(bad, 1.0).is_err() && Shape::cylinder(1.0, bad).is_err());
        assert!(Shape::hull(&[[0.0, bad, 0.0]]).is_err() && Shape::half_space([bad, 1.0, 0.0], 0.0).is_err());
        assert!(Shape::half_space([0.0, 1.0, 0.0], bad).is_err());
        let matrix = DMat3::from_diagonal([1.0, bad, 1.0].into());
        let plane = Shape::half_space([0.0, 1.0, 0.0], 0.0).unwrap();
        assert!(Shape::affine(&Shape::point(), matrix).is_err() && Shape::affine(&plane, matrix).is_err());
        assert!(Shape::rounded(&Shape::point(), bad).is_err() && Shape::rounded(&plane, bad).is_err());
        assert!(Pose::try_new([bad, 0.0, 0.0], DQuat::IDENTITY).is_err());
    }
}
