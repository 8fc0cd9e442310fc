//! Soundness: no direction is below what an ellipsoid has proved, and nothing that is not inside is taken for it.

use super::{CentredBody, InnerLength, MOST, frobenius, outer};
use crate::math::Frame;
use crate::{Axis, HalfHeight, Radius, Shape, shape::Convex};
use arrayvec::ArrayVec;
use fastrand::Rng;
use glam::{DMat3, DQuat, DVec3};

fn uniform(rng: &mut Rng, low: f64, high: f64) -> f64 {
    low + (high - low) * rng.f64()
}

fn turn(rng: &mut Rng) -> DQuat {
    let mut part = || rng.f64() - 0.5;
    DQuat::from_xyzw(part(), part(), part(), part()).normalize()
}

fn shape(rng: &mut Rng) -> Shape {
    let thin = 10.0_f64.powf(uniform(rng, -9.0, 0.0));
    let [a, b, c] = [0.2, 0.3, 0.4].map(|low| uniform(rng, low, 1.0));
    let plain = match rng.u32(..7) {
        0 => Shape::cylinder(Axis::Y, Radius(a), HalfHeight(b)),
        1 => Shape::capsule(Axis::Y, Radius(a), HalfHeight(b)),
        2 => Shape::ellipsoid([a, b, c]),
        3 => Shape::ellipsoid([a, a * (1.0 + 1e-6 * thin), a]),
        4 => Shape::ellipsoid([thin, b, thin]),
        5 => Shape::cylinder(Axis::Y, Radius(thin), HalfHeight(b)),
        _ => Shape::cylinder(Axis::Y, Radius(a), HalfHeight(thin)),
    };
    let plain = plain.unwrap();
    if rng.u32(..3) > 0 {
        return plain;
    }
    let matrix = DMat3::from_quat(turn(rng)) * DMat3::from_diagonal(DVec3::new(a, b, c)) * DMat3::from_quat(turn(rng));
    Shape::affine(&plain, matrix).unwrap()
}

fn body(rng: &mut Rng) -> CentredBody {
    let [a, b] = [shape(rng), shape(rng)].map(|shape| shape.convex().and_then(Convex::form).unwrap());
    let tilt = DQuat::from_axis_angle(turn(rng) * DVec3::X, 10.0_f64.powf(uniform(rng, -12.0, 0.0)));
    let offset = turn(rng) * DVec3::X * 10.0_f64.powf(uniform(rng, -12.0, -0.5));
    CentredBody::new([&a, &b], &Frame { rotation: DMat3::from_quat(tilt), translation: offset }, 1.0).unwrap()
}

/// Downhill from a direction.
fn least_near(rng: &mut Rng, body: &CentredBody, from: DVec3) -> (f64, DVec3) {
    let (mut best, mut least, mut reach) = (from, body.height(from), 0.3);
    while reach > 1e-9 {
        let near = (best + turn(rng) * DVec3::X * reach).normalize();
        if body.height(near) < least {
            (best, least) = (near, body.height(near));
        } else {
            reach *= 0.95;
        }
    }
    (least, best)
}

#[test]
fn slow_no_direction_is_below_what_an_ellipsoid_has_proved() {
    let mut rng = Rng::with_seed(4);
    let mut fitted = 0;
    for case in 0..3000 {
        let body = body(&mut rng);
        let start =
            (0..20).map(|_| turn(&mut rng) * DVec3::X).min_by(|p, q| body.height(*p).total_cmp(&body.height(*q)));
        let (_, near) = least_near(&mut rng, &body, start.unwrap());
        let Some(found) = body.fit(near, 1e-12, &mut 0) else { continue };
        fitted += 1;
        assert!(body.height(found.direction) - found.radius < 2e-12, "case {case}");
        for _ in 0..10 {
            let any = turn(&mut rng) * DVec3::X;
            let (least, at) = least_near(&mut rng, &body, any);
            assert!(least >= found.radius - 1e-15, "case {case}: {least} at {at} below {}", found.radius);
        }
        // A ball that is larger than the least height is not proved, by whatever axes.
        let share = found.ellipsoid.share;
        for axes in [DMat3::IDENTITY, DMat3::from_quat(turn(&mut rng))] {
            let too_large = body.height(found.direction) + 1e-9;
            assert!(
                !body.proves(&super::InnerEllipsoid { share, ..found.ellipsoid.clone() }, too_large, &axes),
                "case {case}"
            );
        }
    }
    assert!(fitted > 1500, "{fitted}");
}

#[test]
fn an_inner_ellipsoid_is_in_the_unit_ball() {
    let mut rng = Rng::with_seed(5);
    let (mut inside, mut outside) = (0, 0);
    for case in 0..20_000 {
        let share = uniform(&mut rng, 0.01, 1.0);
        // About as large as can be.
        let centre = turn(&mut rng) * DVec3::X * (1.0 - share).sqrt() * uniform(&mut rng, 0.0, 1.05);
        let any = || DMat3::from_quat(turn(&mut Rng::with_seed(case)));
        let gamma = (DMat3::IDENTITY - outer(centre, centre) * (1.0 / (1.0 - share))) * share;
        let stretch = DMat3::from_diagonal(DVec3::new(1.0, uniform(&mut rng, 0.0, 1.0), uniform(&mut rng, 0.0, 1.0)));
        let largest = frobenius(&gamma).sqrt() * uniform(&mut rng, 0.2, 1.1);
        let inner = InnerLength { centre, share, matrix: any() * stretch * any().transpose() * largest };
        // The farthest point along z is centre·z + |Kz|.
        let reach = |z: DVec3| centre.dot(z) + (inner.matrix * z).length();
        let most = (0..300).map(|_| reach(turn(&mut rng) * DVec3::X)).fold(0.0, f64::max);
        if inner.is_in_the_ball() {
            inside += 1;
            assert!(most <= 1.0 + 1e-14, "case {case}: {most} {inner:?}");
        } else {
            outside += 1;
        }
    }
    assert!(inside > 1000 && outside > 1000, "{inside} {outside}");
    let plain = |centre: DVec3, share: f64, matrix: DMat3| InnerLength { centre, share, matrix }.is_in_the_ball();
    assert!(plain(DVec3::ZERO, 1.0, DMat3::IDENTITY));
    assert!(plain(DVec3::Y, 0.0, DMat3::ZERO));
    assert!(!plain(DVec3::Y * 1.001, 0.0, DMat3::ZERO));
    assert!(!plain(DVec3::Y * 1e-9, 1.0, DMat3::IDENTITY));
    assert!(!plain(DVec3::ZERO, 1.0, DMat3::IDENTITY * 1.001));
    assert!(!plain(DVec3::ZERO, 0.0, DMat3::IDENTITY * 0.5));
    assert!(!plain(DVec3::ZERO, f64::NAN, DMat3::IDENTITY * 0.5));
}

#[test]
fn a_body_without_lengths_or_numbers_has_no_ellipsoid() {
    let lengths = ArrayVec::<DMat3, MOST>::new();
    let point = CentredBody { centre: DVec3::X, lengths, size: 1.0 };
    assert!(point.fit(DVec3::X, 1e-12, &mut 0).is_none());
    let mut lengths = ArrayVec::<DMat3, MOST>::new();
    lengths.push(DMat3::IDENTITY * f64::NAN);
    let none = CentredBody { centre: DVec3::X, lengths, size: f64::NAN };
    assert!(none.fit(DVec3::X, 1e-12, &mut 0).is_none());
}
