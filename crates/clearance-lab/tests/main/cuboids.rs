//! The engine for two boxes compared with the oracle and GJK: random boxes, and boxes placed where formulas go wrong.

use clearance::internals::narrow::{Outcome, cuboids, gjk};
use clearance::math::Frame;
use clearance::math::{DQuat, DVec3};
use clearance::shape::{Convex, Cuboid};
use clearance::{Feature, Pose};
use clearance_lab::oracle::{self, Oracle};
use clearance_lab::{Rng, pairs, random};

/// Permitted error of an answer, as a part of the size.
const TOLERANCE: f64 = 1e-12;

struct Case {
    half: [DVec3; 2],
    pose: [Pose; 2],
    what: &'static str,
}

impl Case {
    fn corners(&self, which: usize) -> Vec<DVec3> {
        (0..8_u32)
            .map(|v| {
                let sign = |bit: u32| if v >> bit & 1 == 1 { 1.0 } else { -1.0 };
                self.half[which] * DVec3::new(sign(0), sign(1), sign(2))
            })
            .collect()
    }

    fn truth(&self) -> Oracle {
        oracle::distance(&self.corners(0), self.pose[0], &self.corners(1), self.pose[1])
    }

    fn size(&self) -> f64 {
        let apart = (self.pose[1].translation() - self.pose[0].translation()).length();
        self.half[0].length() + self.half[1].length() + apart
    }
}

/// The result of both queries: whether a positive distance was found, and whether "apart" was proved. Depths have a file of their own.
fn check(case: &Case) -> (bool, bool) {
    let frame = Frame::relative(&case.pose[0], &case.pose[1]);
    let (truth, slack) = (case.truth(), TOLERANCE * case.size());
    let complain = |text: String| panic!("{}: {text}; {:?} {:?}", case.what, case.half, case.pose);
    let apart = !cuboids::intersects(case.half[0], case.half[1], &frame);
    if apart && truth.is_overlapping() {
        complain("said to be apart".into());
    }
    if !apart && truth.distance() > slack {
        complain(format!("said to touch, but {truth:?}"));
    }
    let [a, b] = case.half.map(|half| Cuboid::new(half).expect("finite"));
    let Some(out @ Outcome { ids, count, .. }) = cuboids::distance(&a, &b, &frame) else {
        return (false, apart);
    };
    let d = truth.distance();
    if truth.is_overlapping() {
        if out.lower > 0.0 || out.distance > slack || !out.closed {
            complain(format!("{out:?}, but they overlap"));
        }
        return (false, apart);
    }
    if out.lower > d + 1e-15 * case.size() || out.upper < d - 1e-15 * case.size() {
        complain(format!("{out:?} misses {truth:?}"));
    }
    if (out.distance - d).abs() > slack || !out.closed || !(out.lower <= out.distance && out.distance <= out.upper) {
        complain(format!("{out:?}, but {truth:?}"));
    }
    let inside = |point: DVec3, half: DVec3| (point.abs() - half).max_element() <= slack;
    let in_b = frame.direction_in_b(out.point_b - frame.translation);
    if !inside(out.point_a, case.half[0]) || !inside(in_b, case.half[1]) {
        complain(format!("a witness of {out:?} is outside its box"));
    }
    if (out.point_a + out.distance * out.normal - out.point_b).length() > slack {
        complain(format!("the witnesses of {out:?} do not fit"));
    }
    let reference = gjk::distance(&a, &b, &frame, &mut gjk::WarmSimplex::default());
    if reference.closed && (reference.distance - out.distance).abs() > slack {
        complain(format!("{out:?}, but GJK says {reference:?}"));
    }
    // The witness of A lies on the feature that the vertex numbers name.
    let vertices: Vec<u32> = ids[..usize::from(count)].iter().map(|id| id[0]).collect();
    let on = |i: usize| (out.point_a[i].abs() - case.half[0][i]).abs() <= slack;
    let fits = match a.feature(&vertices) {
        Feature::Vertex(_) => on(0) && on(1) && on(2),
        Feature::Edge(_) => usize::from(on(0)) + usize::from(on(1)) + usize::from(on(2)) >= 2,
        _ => on(0) || on(1) || on(2),
    };
    if !fits {
        complain(format!("{:?} is not on {:?}", out.point_a, a.feature(&vertices)));
    }
    (true, apart)
}

fn count() -> usize {
    std::env::var("PAIRS").ok().and_then(|text| text.parse().ok()).unwrap_or(4000)
}

fn half(rng: &mut Rng) -> DVec3 {
    random::vector(rng, 0.3, 1.0)
}

fn farthest(half: DVec3) -> impl Fn(DVec3) -> DVec3 {
    move |d| DVec3::new(half.x.copysign(d.x), half.y.copysign(d.y), half.z.copysign(d.z))
}

#[test]
fn random_boxes_agree_with_the_oracle() {
    let mut rng = Rng::with_seed(301);
    let (mut settled, mut proved) = (0, 0);
    for _ in 0..count() {
        let half = [half(&mut rng), half(&mut rng)];
        let (a, b) = pairs::place_apart(&mut rng, &farthest(half[0]), &farthest(half[1]));
        let found = check(&Case { half, pose: [a, b], what: "apart" });
        settled += usize::from(found.0);
        proved += usize::from(found.1);
        let (a, b) = pairs::place_overlapping(&mut rng, &farthest(half[0]), &farthest(half[1]));
        assert_eq!(check(&Case { half, pose: [a, b], what: "open" }), (false, false));
    }
    println!("of {} pairs apart, {settled} settled, {proved} proved apart", count());
    assert_eq!(proved, count());
    assert!(settled * 1000 >= count() * 999, "{settled} of {}", count());
}

/// A pose at which B, turned as given, is `gap` from A along an axis of A, shifted along the other two.
fn beside(rng: &mut Rng, half: [DVec3; 2], turn: DQuat, gap: f64) -> Pose {
    let axis = rng.usize(0..3);
    let reach = farthest(half[1])(turn.conjugate() * DVec3::AXES[axis]);
    let mut center = random::vector(rng, -1.0, 1.0) * (half[0] + half[1].min_element());
    center[axis] = half[0][axis] + gap + (turn * reach)[axis];
    Pose::new(center, turn)
}

#[test]
fn structured_boxes_agree_with_the_oracle() {
    let mut rng = Rng::with_seed(302);
    let kinds =
        ["parallel", "nearly parallel", "edge over edge", "flat", "sizes apart", "small gap", "far away", "thin"];
    let mut hits = [[0; 2]; 8];
    for index in 0..count() {
        let kind = index % kinds.len();
        let mut half = [half(&mut rng), half(&mut rng)];
        let mut turn = random::rotation(&mut rng);
        let mut gap = random::magnitude(&mut rng, -3.0, 0.0);
        let mut far = DVec3::ZERO;
        match kind {
            0 => turn = DQuat::IDENTITY,
            1 => {
                let angle = random::magnitude(&mut rng, -12.0, -3.0);
                turn = DQuat::from_axis_angle(random::direction(&mut rng), angle);
            }
            2 => {
                turn = DQuat::from_rotation_x(std::f64::consts::FRAC_PI_4)
                    * DQuat::from_rotation_y(random::uniform(&mut rng, 0.0, 3.0))
            }
            3 => {
                half[0][rng.usize(0..3)] = 0.0;
                half[1][rng.usize(0..3)] = 0.0;
            }
            4 => half[1] *= 1e-6,
            5 => gap = random::magnitude(&mut rng, -10.0, -6.0),
            6 => far = random::vector(&mut rng, -1e6, 1e6),
            _ => half[1] *= DVec3::new(1e-3, 1.0, 1e3),
        }
        let b = beside(&mut rng, half, turn, gap);
        let pose = [Pose::from_translation(far), Pose::new(far + b.translation(), turn)];
        let found = check(&Case { half, pose, what: kinds[kind] });
        hits[kind][0] += usize::from(found.0);
        hits[kind][1] += usize::from(found.1);
    }
    let each = count() / kinds.len();
    for (kind, [settled, proved]) in kinds.iter().zip(hits) {
        println!("{kind}: of {each}, {settled} settled, {proved} proved apart");
        // Undecided pairs go to GJK: correct, but slower.
        assert!(settled * 100 >= each * 97, "{kind}: {settled} of {each}");
        assert!(proved >= each, "{kind}: {proved} of {each}");
    }
}

#[test]
fn touching_counts_as_a_common_point() {
    let cube = DVec3::ONE;
    for (center, touches) in [
        ([2.0, 0.0, 0.0], true),
        ([2.0, 2.0, 2.0], true),
        ([0.0, 2.0, -2.0], true),
        ([0.0, 0.0, 0.0], true),
        ([2.0 + 1e-12, 0.0, 0.0], false),
        ([0.0, 3.0, 0.0], false),
    ] {
        let frame = Frame::relative(&Pose::IDENTITY, &Pose::from_translation(center));
        assert_eq!(cuboids::intersects(cube, cube, &frame), touches, "{center:?}");
        let a = Cuboid::new(cube).expect("finite");
        let found = cuboids::distance(&a, &a, &frame).expect("nothing is lost in rounding here");
        assert_eq!(found.distance <= 0.0, touches, "{center:?}");
    }
    // Points, and all hazards at once.
    assert!(cuboids::intersects(DVec3::ZERO, DVec3::ZERO, &Frame::IDENTITY));
    let aside = Frame::from(Pose::from_translation([1e-9, 0.0, 0.0]));
    assert!(!cuboids::intersects(DVec3::ZERO, DVec3::ZERO, &aside));
}

#[test]
fn sizes_at_the_ends_of_the_range_are_answered() {
    for scale in [1e-60, 1e-35, 1e-20, 1e20, 1e35, 1e59] {
        let half = DVec3::new(1.0, 0.5, 0.25) * scale;
        let a = Cuboid::new(half).expect("finite");
        let turn = DQuat::from_xyzw(0.1, 0.3, 0.5, 0.7).normalize();
        for (x, apart) in [(3.0, true), (0.5, false)] {
            let frame = Frame::from(Pose::new([x * scale, 0.0, 0.0], turn));
            assert_eq!(cuboids::intersects(half, half, &frame), !apart, "{scale:e}");
            let found = cuboids::distance(&a, &a, &frame).expect("a clear case");
            assert!(found.closed && (found.distance > scale) == apart && (found.distance < -0.1 * scale) != apart);
        }
    }
}
