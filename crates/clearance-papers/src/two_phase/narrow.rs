//! Section 3: Lin-Canny on finer and finer spheres, Enhanced GJK beside V-Clip, hierarchies of hulls.

use super::exponent;
use crate::hull_pair::{HullPair, body};
use crate::row::{Row, Table, Verdict};
use crate::two_phase::spheres::{orbit, sphere, turning};
use crate::vclip::coherence::shapes;
use crate::vclip::three_algorithms;
use crate::{Effort, timed};
use clearance::decompose::{DecompositionBudget, decompose};
use clearance::math::DQuat;
use clearance::pair::HullBody;
use clearance::shape::Polytope;
use clearance::{Engine, Pair, Pose, Shape, distance};
use clearance_lab::meshes::{Model, glyph, grate, torus_without_dents};
use clearance_lab::{Rng, random};
use std::sync::Arc;

pub(super) fn spheres(effort: Effort) -> Vec<Row> {
    let (starts, calls) = effort.pick((6, 181), (40, 721));
    let three = [1, 2, 3].map(sphere);
    let mut table = Table::new(
        "degrees",
        &[
            "degrees per call",
            "flops, 80 facets",
            "flops, 320 facets",
            "flops, 1280 facets",
            "ns, 80 facets",
            "ns, 320 facets",
            "ns, 1280 facets",
        ],
    );
    let (mut at_one, mut at_twenty, mut faults) = ([0.0; 6], [0.0; 6], 0);
    for degrees in 1..=20 {
        let found = three.each_ref().map(|sphere| turning(sphere, f64::from(degrees), starts, calls));
        let flops = found.map(|call| call.flops);
        let times = found.map(|call| call.nanoseconds);
        faults += found.iter().map(|call| call.faults).sum::<u64>();
        let row: Vec<f64> = flops.into_iter().chain(times).collect();
        match degrees {
            1 => at_one.copy_from_slice(&row),
            20 => at_twenty.copy_from_slice(&row),
            _ => {}
        }
        table.push([f64::from(degrees)].into_iter().chain(row).map(Into::into).collect());
    }
    let [flops, time] = [0, 3].map(|k| 100.0 * (at_one[k + 2] / at_one[k] - 1.0));
    let slower = at_twenty[2] / at_one[2];
    let figure_10 = Row::new(
        "T10",
        Verdict::of(flops < 30.0 && slower > 1.2, flops < 100.0),
        "Flops are those of the march; times contain the proof of each answer, which the paper's program does not have. The paper's three spheres are not described; ours are icosahedra, quartered.",
    )
    .value("flops, 80 to 1280 facets at 1 degree", flops, "% more")
    .time("time, 80 to 1280 facets at 1 degree", time, "% more")
    .value("flops, 1 to 20 degrees at 1280 facets", slower, "times")
    .value("calls that GJK had to answer", faults as f64, "")
    .figure(table.figure("Lin-Canny: cube and turning sphere", 0, &[1, 2, 3], "flops per call", [false, false]))
    .figure(table.figure("Lin-Canny: cube and turning sphere", 0, &[4, 5, 6], "nanoseconds per call", [false, false]))
    .table(table);

    let mut table = Table::new(
        "facets",
        &[
            "facets",
            "flops at 1 degree",
            "pairs of features at 1 degree",
            "ns at 1 degree",
            "features passed in an orbit",
            "pairs beyond one a call",
        ],
    );
    let (mut curve, mut costs) = (Vec::new(), Vec::new());
    for rounds in 1..=5 {
        let sphere = sphere(rounds);
        let call = turning(&sphere, 1.0, starts, calls);
        let [passed, steps] = orbit(&sphere, effort.pick(10_000, 100_000));
        let facets = sphere.face_count() as f64;
        curve.push([facets, passed as f64]);
        costs.push(call.flops);
        table.push(
            [facets, call.flops, call.steps, call.nanoseconds, passed as f64, steps as f64].map(Into::into).to_vec(),
        );
    }
    let slowdown = costs[4] / costs[1];
    let power = exponent(&curve);
    let facets_row = Row::new(
        "T11",
        Verdict::of(slowdown < 1.3, slowdown < 4.0),
        "At one degree per call the more features are passed the smaller they are. The paper speaks of a whole simulation with such spheres, of which this is a part.",
    )
    .value("facets, from", curve[1][0], "")
    .value("facets, to", curve[4][0], "")
    .value("flops", slowdown, "times")
    .figure(table.figure("Lin-Canny at one degree per call", 0, &[1], "flops per call", [true, false]))
    .table(table.clone());
    let satellite = Row::new(
        "T12",
        Verdict::of((0.4..0.6).contains(&power), power < 0.8),
        "Features of the sphere that are the closest one after the other, counted over one orbit in small steps.",
    )
    .value("features passed grow with N to the power of", power, "")
    .figure(table.figure("A satellite's orbit", 0, &[4], "features passed", [true, true]))
    .table(table);
    vec![figure_10, facets_row, satellite]
}

pub(super) fn hulls(effort: Effort) -> Vec<Row> {
    let pieces = |model: &Model| decompose(&model.mesh(), DecompositionBudget::default()).outer;
    let ring = || torus_without_dents(16, 8, 1.0, 0.2);
    let bodies = [
        ("letters", [glyph('C'), glyph('T')]),
        ("grates", [grate([3, 3], 0.2, 0.4, 0.2), grate([4, 2], 0.2, 0.4, 0.2)]),
        ("tori", [ring(), ring()]),
    ];
    let mut table = Table::new(
        "poses",
        &["bodies", "pieces of A", "pieces of B", "hulls", "poses", "calls, mean", "calls, most", "all pairs"],
    );
    let (mut apart_most, mut near_share) = (0, 0.0_f64);
    // The lower bound of one call, as a part of the distance.
    let (mut least_share, mut above) = (1.0_f64, 0);
    let mut seconds = [0.0; 2];
    for (name, models) in &bodies {
        let pieces = models.each_ref().map(pieces);
        let [a, b] = pieces.clone().map(|pieces| body(pieces, &[]));
        for (sum, time) in seconds.iter_mut().zip(along_a_path([&a, &b], pieces, effort.pick(400, 4000))) {
            *sum += time;
        }
        let pieces = [&a, &b].map(HullBody::leaf_count);
        let all = pieces[0] * pieces[1];
        let [root_a, root_b] = [&a, &b].map(|body| body.tree().shape(0));
        let reach = root_a.bounding_radius() + root_b.bounding_radius();
        let mut rng = Rng::with_seed(34);
        // Hulls apart; hulls that overlap and bodies that do not; bodies that do.
        let mut found: [Vec<usize>; 3] = Default::default();
        for _ in 0..effort.pick(300, 5000) {
            let pose = Pose::new(random::direction(&mut rng) * reach * rng.f64(), random::rotation(&mut rng));
            let is_apart = distance(&root_a, Pose::IDENTITY, &root_b, pose).distance > 0.0;
            // Cold: poses have nothing to do with each other.
            let mut pair = HullPair::new(&a, &b, Engine::Auto);
            let overlap = pair.intersects(Pose::IDENTITY, pose);
            found[if is_apart { 0 } else { 1 + usize::from(overlap) }].push(pair.calls() as usize);
            if is_apart {
                let mut bounds = HullPair::new(&a, &b, Engine::Auto);
                let at_least = bounds.at_least(Pose::IDENTITY, pose);
                let [_, upper] = bounds.distance(Pose::IDENTITY, pose);
                (least_share, above) = (least_share.min(at_least / upper), above + usize::from(at_least > upper));
            }
        }
        for (counts, what) in found.iter().zip(["apart", "overlap, bodies apart", "overlap, bodies too"]) {
            let mean = counts.iter().sum::<usize>() as f64 / counts.len().max(1) as f64;
            let most = counts.iter().copied().max().unwrap_or(0);
            match what {
                "apart" => apart_most = apart_most.max(most),
                _ => near_share = near_share.max(mean / all as f64),
            }
            table.push(vec![
                (*name).into(),
                (pieces[0] as f64).into(),
                (pieces[1] as f64).into(),
                what.into(),
                (counts.len() as f64).into(),
                mean.into(),
                (most as f64).into(),
                (all as f64).into(),
            ]);
        }
    }
    let hierarchy = Row::new(
        "T18",
        Verdict::of(apart_most == 1 && above == 0 && near_share < 1.0, apart_most == 1 && above == 0),
        "Calls of `HullPair` until the bodies are proved apart or two pieces overlap. Where the hulls are apart, one call also bounds the distance from below.",
    )
    .value("most calls where the hulls are apart", apart_most as f64, "")
    .value("largest mean elsewhere, of all pairs", 100.0 * near_share, "%")
    .value("least that one call bounds the distance by, where hulls are apart", 100.0 * least_share, "% of it")
    .value("bounds above the distance", above as f64, "")
    .time("time per frame, hierarchy of hulls over compound of the same pieces", seconds[0] / seconds[1], "")
    .table(table);
    vec![hierarchy]
}

/// Seconds of frames along a path through each other: a hierarchy of hulls, and the library's compound of the same pieces, which has a tree of boxes. Both keep what
/// they know from frame to frame.
fn along_a_path(bodies: [&HullBody; 2], pieces: [Vec<Polytope>; 2], frames: u32) -> [f64; 2] {
    let compounds = pieces.map(|pieces| {
        let parts = pieces.into_iter().map(|piece| (Shape::Polytope(Arc::new(piece)), Pose::IDENTITY));
        Shape::compound(parts).expect("pieces")
    });
    let reach = bodies.map(|body| body.tree().shape(0).bounding_radius()).iter().sum::<f64>();
    let mut rng = Rng::with_seed(341);
    let (way, axis) = (random::direction(&mut rng), random::direction(&mut rng));
    let poses: Vec<Pose> = (0..frames)
        .map(|frame| {
            let part = f64::from(frame) / f64::from(frames);
            Pose::new(way * reach * (1.0 - 1.6 * part), DQuat::from_axis_angle(axis, 6.0 * part))
        })
        .collect();
    let mut hulls = HullPair::new(bodies[0], bodies[1], Engine::Auto);
    let mut compound = Pair::new(&compounds[0], &compounds[1]);
    let (by_hulls, slow) = timed(|| poses.iter().filter(|&&pose| hulls.intersects(Pose::IDENTITY, pose)).count());
    let (by_boxes, fast) = timed(|| poses.iter().filter(|&&pose| compound.intersects(Pose::IDENTITY, pose)).count());
    assert_eq!(by_hulls, by_boxes, "both answer about the same pieces");
    [slow, fast]
}

/// Enhanced GJK beside V-Clip on the two small shapes of the V-Clip paper, whose figures this paper refers to.
pub(super) fn operations(effort: Effort) -> Vec<Row> {
    let mut table = Table::new("operations", &["shape", "degrees per call", "V-Clip", "Enhanced GJK", "more (%)"]);
    let mut means = [0.0; 2];
    let degrees = [1.0, 5.0, 10.0, 20.0];
    for ((name, points), mean) in shapes().iter().zip(&mut means) {
        for omega in degrees {
            let [vclip, _, enhanced] = three_algorithms::run(points, omega, 10, effort.pick(250, 1000)).flops();
            let more = 100.0 * (enhanced / vclip - 1.0);
            *mean += more / degrees.len() as f64;
            table.push(vec![(*name).into(), omega.into(), vclip.into(), enhanced.into(), more.into()]);
        }
    }
    let is_in = |low: f64, high: f64| means.iter().all(|more| (low..=high).contains(more));
    vec![
        Row::new(
            "T17",
            Verdict::of(is_in(50.0, 100.0), is_in(0.0, 200.0)),
            "V-Clip as printed and Cameron's program. Transformations of both bodies count, as in V1, which says why and what is left without those of the fixed one.",
        )
        .value("cube: more", means[0], "%")
        .value("icosahedron: more", means[1], "%")
        .table(table),
    ]
}
