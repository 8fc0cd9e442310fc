//! Soundness: no bound of a cell is above what it bounds, wherever cells, circles and mixes are put.

use super::Cells;
use super::search::CellSearch;
use super::strip::{Rectangle, Strip};
use super::sum::{At, Sum};
use crate::math::Frame;
use crate::shape::form::Form;
use crate::trace::{CellNode, PieceMean};
use crate::{Axis, HalfHeight, Radius, Shape, shape::Convex};
use fastrand::Rng;
use glam::{DMat3, DQuat, DVec2, DVec3};

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
        1 => Shape::cone(Axis::Y, Radius(a), HalfHeight(b)),
        2 => Shape::ellipsoid([a, b, c]),
        3 => Shape::ellipsoid([a, a * (1.0 + 1e-6 * thin), a]),
        4 => Shape::ellipsoid([thin, b, thin]),
        5 => Shape::cuboid([a, b, c]),
        _ => Shape::capsule(Axis::Y, Radius(a), HalfHeight(b)),
    };
    let plain = plain.unwrap();
    if rng.u32(..3) > 0 {
        return plain;
    }
    let matrix = DMat3::from_quat(turn(rng)) * DMat3::from_diagonal(DVec3::new(a, b, c)) * DMat3::from_quat(turn(rng));
    Shape::affine(&plain, matrix).unwrap()
}

fn forms(rng: &mut Rng) -> ([Form; 2], Frame) {
    let all = [shape(rng), shape(rng)].map(|shape| shape.convex().and_then(Convex::form).unwrap());
    let tilt = DQuat::from_axis_angle(turn(rng) * DVec3::X, 10.0_f64.powf(uniform(rng, -12.0, 0.0)));
    let offset = turn(rng) * DVec3::X * 10.0_f64.powf(uniform(rng, -12.0, -0.5));
    (all, Frame { rotation: DMat3::from_quat(tilt), translation: offset })
}

/// A cell of any size, thin ones and such with a pole among them.
fn cell(rng: &mut Rng) -> Rectangle {
    let range = |rng: &mut Rng, low: f64, high: f64| {
        let half = 0.5 * (high - low) * 10.0_f64.powf(uniform(rng, -6.0, -0.3));
        let middle = uniform(rng, low + half, high - half);
        [middle - half, middle + half]
    };
    let pole = std::f64::consts::FRAC_PI_2;
    let mut latitude = range(rng, -pole, pole);
    match rng.u32(..6) {
        0 => latitude[1] = pole,
        1 => latitude[0] = -pole,
        _ => {}
    }
    Rectangle { longitude: range(rng, -3.0, 3.0), latitude }
}

fn value_of(sum: &Sum, mix: &PieceMean, at: &At) -> f64 {
    let sides = mix.0.iter().zip(&sum.sides);
    sides.map(|(terms, side)| terms.iter().map(|&(i, weight)| weight * side.piece(i, at)).sum::<f64>()).sum()
}

#[test]
fn the_bound_of_a_strip_is_below_every_mix_and_every_mix_below_the_height() {
    let mut rng = Rng::with_seed(1);
    for case in 0..4000 {
        let ([a, b], b_in_a) = forms(&mut rng);
        let axes = DMat3::from_quat(turn(&mut rng));
        let sum = Sum::new([&a, &b], &b_in_a, &axes, 1.0);
        let cell = cell(&mut rng);
        let [low, high] = cell.latitude;
        let alpha = [low, high, uniform(&mut rng, low, high)][rng.usize(..3)];
        let middle = 0.5 * (cell.longitude[0] + cell.longitude[1]);
        let (sin, cos) = middle.sin_cos();
        let strip = Strip::new(&sum, &cell, alpha, [sin, cos]);
        let any = |rng: &mut Rng, side: usize| [0, 1].map(|_| rng.usize(..sum.sides[side].pieces.len()));
        let ([i, k], [j, l]) = (any(&mut rng, 0), any(&mut rng, 1));
        let mix = PieceMean::between([i, j], [k, l], rng.f64());
        let below = strip.below(&mix);
        for _ in 0..60 {
            let theta = uniform(&mut rng, cell.longitude[0], cell.longitude[1]);
            let beta = uniform(&mut rng, low, high) - alpha;
            if beta.abs() > 1.5 {
                continue;
            }
            let at = At::new(theta, alpha + beta);
            let bound = below.model.at(DVec2::new(theta - middle, beta.sin())) - below.fold * beta.sin().abs();
            let value = value_of(&sum, &mix, &at);
            assert!(bound <= value + 1e-15, "case {case}: {bound} above {value} at {theta}, {beta}; {cell:?} {alpha}");
            assert!(value <= sum.probe(&at).value + 1e-14, "case {case}: a mix above the height");
        }
    }
}

/// A needle about the third axis or next to it, and a circle that crosses it where it bends, which it does within its own width: there
/// |Ln|² is negligible beside |Lt|². Where the axes are those of the needle a plain evaluation is right to some ε of |Ln| itself, else
/// to some ε of the size.
#[test]
fn the_bound_of_a_strip_is_below_a_needle_where_it_bends() {
    let mut rng = Rng::with_seed(6);
    let mut curved = 0;
    for case in 0..20_000 {
        let thin = 10.0_f64.powf(uniform(&mut rng, -10.0, -3.0));
        let wide = thin * [1.0, 1.0 + 1e-9, 3.0][rng.usize(..3)];
        let needle = Shape::ellipsoid([thin, uniform(&mut rng, 0.3, 1.0), wide]).unwrap();
        let disc = Shape::cylinder(Axis::Y, Radius(0.4), HalfHeight(1e-5)).unwrap();
        let [a, b] = [&needle, &disc].map(|shape| shape.convex().and_then(Convex::form).unwrap());
        let translation = DVec3::new(uniform(&mut rng, -1.0, 1.0) * thin, uniform(&mut rng, -0.4, 0.4), 0.0);
        let b_in_a = Frame { rotation: DMat3::IDENTITY, translation };
        let tilt = [0.0, thin * 10.0_f64.powf(uniform(&mut rng, -4.0, 2.0))][rng.usize(..2)];
        let tilt = DMat3::from_quat(DQuat::from_axis_angle(DVec3::X, tilt));
        let sum = Sum::new([&a, &b], &b_in_a, &(tilt * DMat3::from_cols(DVec3::Z, DVec3::X, DVec3::Y)), 1.0);
        let mut any = |low: f64, high: f64| {
            let size = thin * 10.0_f64.powf(uniform(&mut rng, low, high));
            if rng.bool() { size } else { -size }
        };
        let alpha = any(-2.0, 2.0);
        let latitude = [alpha - any(-2.0, 5.0).abs().min(0.5), alpha + any(-2.0, 5.0).abs().min(0.5)];
        let theta = uniform(&mut rng, -3.0, 3.0);
        let half = 10.0_f64.powf(uniform(&mut rng, -6.0, 0.0));
        let cell = Rectangle { longitude: [theta - half, theta + half], latitude };
        let middle = 0.5 * (cell.longitude[0] + cell.longitude[1]);
        let (sin, cos) = libm::sincos(middle);
        let strip = Strip::new(&sum, &cell, alpha, [sin, cos]);
        let mix = PieceMean::between([0, 0], [0, 1], rng.f64());
        let below = strip.below(&mix);
        curved += u32::from(below.model.second[2] > 0.1 / thin);
        for _ in 0..30 {
            let theta = uniform(&mut rng, cell.longitude[0], cell.longitude[1]);
            let end = latitude[rng.usize(..2)];
            let beta = (end - alpha) * 10.0_f64.powf(uniform(&mut rng, -4.0, 0.0));
            let bound = below.model.at(DVec2::new(theta - middle, beta.sin())) - below.fold * beta.sin().abs();
            let value = value_of(&sum, &mix, &At::new(theta, alpha + beta));
            assert!(
                bound <= value + 1e-15,
                "case {case}: {bound} above {value} at {theta}, {beta}; {cell:?} {alpha} {thin}"
            );
        }
    }
    assert!(curved > 500, "{curved}");
}

/// How many cells of a tree are not there.
fn left_open(nodes: &[CellNode]) -> i32 {
    nodes.iter().fold(1, |open, node| match node {
        CellNode::Longitude(_) | CellNode::Latitude(_) => open + 1,
        CellNode::Plane(_) | CellNode::Strip { .. } => open - 1,
    })
}

#[test]
fn slow_no_direction_is_below_what_a_search_has_proved() {
    let mut rng = Rng::with_seed(2);
    let mut closed = 0;
    for case in 0..400 {
        let (forms, b_in_a) = forms(&mut rng);
        let height = |n: DVec3| {
            forms[0].height(n) + forms[1].height(-(b_in_a.rotation.transpose() * n)) - n.dot(b_in_a.translation)
        };
        let cells = Cells { forms: forms.clone(), b_in_a, scale: 4.0 };
        for axes in cells.axes() {
            let mut nodes: Vec<CellNode> = Vec::new();
            let (found, is_closed) = cells.about(axes, DVec3::X, 1e-11, 3000, &mut nodes);
            closed += u32::from(is_closed);
            // The nodes are a whole binary tree exactly if the search has come to its end.
            assert_eq!(left_open(&nodes) == 0, is_closed, "case {case}");
            // Directions everywhere, and downhill from the one that was found.
            let (mut best, mut least, mut reach) = (found.direction, height(found.direction), 0.1);
            assert!(!is_closed || least - found.inner < 2e-11, "case {case}: {least} {}", found.inner);
            while reach > 1e-9 {
                let near = (best + turn(&mut rng) * DVec3::X * reach).normalize();
                if height(near) < least {
                    (best, least) = (near, height(near));
                } else {
                    reach *= 0.9;
                }
                let any = height(turn(&mut rng) * DVec3::X);
                assert!(least.min(any) >= found.inner - 1e-14, "case {case}: {least} or {any} below {}", found.inner);
            }
        }
    }
    assert!(closed > 500, "{closed}");
}

#[test]
fn a_search_that_is_given_up_still_has_a_bound() {
    let mut rng = Rng::with_seed(3);
    let ([a, b], b_in_a) = forms(&mut rng);
    let sum = Sum::new([&a, &b], &b_in_a, &DMat3::IDENTITY, 1.0);
    let mut nodes = Vec::new();
    let mut search = CellSearch::new(&sum, DVec3::X, 1e-12, &mut nodes);
    let (inner, is_closed) = search.run(10);
    assert!(!is_closed && inner <= search.best.value);
    // It can be taken up again, and has been everywhere when it comes to its end.
    while search.work < 3000 {
        search.run(search.work + 10);
    }
    let (inner, is_closed) = search.run(100_000);
    assert!(is_closed && inner == search.best.value - 1e-12);
    assert_eq!(left_open(&nodes), 0);
}
