//! Contact manifolds of every two kinds in every placement: each point is compared with 32 digits, and variants must not change them.
//!
//! `CONTACTS=100000` is the long form.

use clearance::math::{DQuat, DVec3};
use clearance::{Feature, FeaturePair, Manifold, ManifoldPoints, Pair, Pose, proof};
use clearance_lab::contacts::{self, Case, MARGIN};
use clearance_lab::{Rng, random};
use clearance_verify::{ManifoldClaim, Query, Verdict, check_manifold};

fn count(short: usize) -> usize {
    std::env::var("CONTACTS").map_or(short, |count| count.parse().expect("a number"))
}

fn ids(manifold: &Manifold) -> Vec<FeaturePair> {
    manifold.points().iter().map(|point| point.id).collect()
}

/// Has each point of one manifold a point of another at the same places? Of a round surface the nearest point may be any of a line, so that only its
/// distance counts.
fn has_points_of(one: &Manifold, other: &Manifold, is_swapped: bool) -> bool {
    one.patch().iter().all(|point| {
        if point.id.features().contains(&Feature::Surface) {
            return other.patch().iter().any(|found| (found.distance - point.distance).abs() < 1e-6);
        }
        let off = other.patch().iter().map(|found| {
            let [a, b] = if is_swapped { [found.point_b, found.point_a] } else { [found.point_a, found.point_b] };
            a.distance(point.point_a).max(b.distance(point.point_b))
        });
        off.fold(f64::INFINITY, f64::min) < 1e-4
    })
}

fn complain(number: usize, case: &Case, what: &str, manifold: &Manifold) -> ! {
    panic!("case {number}, {} {:?}: {what}\n{manifold:#?}", case.what, case.specs)
}

#[test]
fn every_point_keeps_its_contract() {
    let (mut found, mut several, mut compared) = (0, 0, 0);
    let total = count(2 * contacts::KINDS * contacts::KINDS * contacts::PLACEMENTS);
    for number in 0..total {
        let rng = &mut Rng::with_seed(3400 + number as u64);
        let Some(case) = contacts::case(rng, number) else { continue };
        let [a, b] = contacts::shapes(&case);
        let mut pair = Pair::new(&a, &b).manifold_points(ManifoldPoints::All);
        let Some(manifold) = contacts::manifold(&case, &mut pair) else { continue };
        found += 1;
        several += usize::from(manifold.points().len() > 1);
        if let Some(fault) = contacts::fault(&case, &manifold) {
            complain(number, &case, &fault, &manifold);
        }
        // A frame of rest is the same bits, and all points were there.
        let again = contacts::manifold(&case, &mut pair).expect("it was there");
        let same = ids(&again) == ids(&manifold) && again.normal.distance(manifold.normal) < 1e-6;
        if !same || again.points().iter().any(|point| !point.persisted) {
            complain(number, &case, &format!("a frame of rest has {again:#?}"), &manifold);
        }
        // An exchange and a common motion; of two equally deep directions either is right.
        let mut other = Pair::new(&b, &a).manifold_points(ManifoldPoints::All);
        let base = Pose::new(random::vector(rng, -1.0, 1.0), random::rotation(rng));
        let moved = Case { poses: case.poses.map(|pose| base * pose), ..case.clone() };
        let mut fresh = Pair::new(&a, &b).manifold_points(ManifoldPoints::All);
        let swapped = other.manifold(case.poses[1], case.poses[0], MARGIN).cloned();
        let moved = contacts::manifold(&moved, &mut fresh);
        let (Some(swapped), Some(moved)) = (swapped, moved) else {
            complain(number, &case, "it is gone when the bodies are exchanged or moved", &manifold)
        };
        let turned = base.transform_vector(manifold.normal);
        let close = |one: DVec3, other: DVec3| one.distance(other) < 1e-10;
        if !close(swapped.normal, -manifold.normal) || !close(moved.normal, turned) {
            continue;
        }
        compared += 1;
        for (other, is_swapped) in [(&swapped, true), (&moved, false)] {
            if !has_points_of(&manifold, other, is_swapped) || !has_points_of(other, &manifold, is_swapped) {
                complain(
                    number,
                    &case,
                    &format!("exchanged or moved (swap: {is_swapped}) it is {other:#?}"),
                    &manifold,
                );
            }
        }
    }
    println!("{found} of {total} pairs have a manifold, {several} more than one point, {compared} were compared");
    assert!(found > total / 2 && several > found / 6 && compared > found / 3, "{found} {several} {compared}");
}

/// Bodies that do not move keep the manifold, with all points persisted. (In the library's own tests a body trembles.)
#[test]
fn a_pair_that_does_not_move_keeps_its_manifold() {
    let frames = 3;
    let mut kept = 0;
    for number in 0..2 * contacts::KINDS * contacts::KINDS {
        let rng = &mut Rng::with_seed(77 + number as u64);
        let Some(case) = contacts::case(rng, number) else { continue };
        let [a, b] = contacts::shapes(&case);
        let mut pair = Pair::new(&a, &b);
        let Some(placed) = contacts::manifold(&case, &mut pair) else { continue };
        // Beside each other by a little, so that no corner is over a corner or an edge: there a tremble changes the features.
        let aside = 0.05 * random::vector(rng, 0.2, 1.0);
        let aside = Pose::from_translation(aside - aside.dot(placed.normal) * placed.normal);
        let case = Case { poses: [case.poses[0], aside * case.poses[1]], ..case };
        let mut pair = Pair::new(&a, &b);
        let Some(first) = contacts::manifold(&case, &mut pair) else { continue };
        for frame in 0..frames {
            let Some(found) = contacts::manifold(&case, &mut pair) else {
                complain(number, &case, "it is gone after a frame of rest", &first)
            };
            if ids(&found) != ids(&first) || found.points().iter().any(|point| !point.persisted) {
                complain(number, &case, &format!("frame {frame} of rest has {found:#?}"), &first);
            }
        }
        kept += 1;
    }
    assert!(kept > contacts::KINDS * contacts::KINDS, "{kept}");
}

/// The feature pairs of two bodies that rest stay the same while they tremble by 1e-9, in the long form for a thousand frames. Where two directions are equally deep to that, the
/// normal may change, and so may the features. Points on smooth surfaces have none.
#[test]
fn feature_pairs_persist_while_bodies_rest() {
    let (mut kept, mut turned, mut several, mut smooth) = (0, 0, 0, 0);
    let pairs = contacts::KINDS * contacts::KINDS;
    // The long form has every placement for a thousand frames.
    let (total, frames) =
        if std::env::var("CONTACTS").is_ok() { (contacts::PLACEMENTS * pairs, 1000) } else { (pairs, 40) };
    'cases: for number in 0..total {
        let rng = &mut Rng::with_seed(9100 + number as u64);
        let Some(case) = contacts::case(rng, number) else { continue };
        let [a, b] = contacts::shapes(&case);
        let mut pair = Pair::new(&a, &b);
        let Some(placed) = contacts::manifold(&case, &mut pair) else { continue };
        // Beside each other by a little, so that no corner is over a corner or an edge: there a tremble changes the features.
        let aside = 0.05 * random::vector(rng, 0.2, 1.0);
        let aside = Pose::from_translation(aside - aside.dot(placed.normal) * placed.normal);
        let case = Case { poses: [case.poses[0], aside * case.poses[1]], ..case };
        let mut pair = Pair::new(&a, &b);
        let Some(mut first) = contacts::manifold(&case, &mut pair) else { continue };
        for frame in 0..frames {
            let by = Pose::new(
                1e-9 * random::vector(rng, -1.0, 1.0),
                DQuat::from_scaled_axis(1e-9 * random::vector(rng, -1.0, 1.0)),
            );
            let moved = Case { poses: [case.poses[0], by * case.poses[1]], ..case.clone() };
            let Some(found) = contacts::manifold(&moved, &mut pair) else { break };
            // Of many points that are equally deep a better four may be found in the first frames.
            if frame < 10 {
                first = found;
                continue;
            }
            if found.normal.distance(first.normal) > 1e-5 {
                turned += 1;
                continue 'cases;
            }
            // The sides of the polygon that stands for a rim are no features of the shape.
            if first.points().iter().any(|point| point.id.features().contains(&Feature::Surface)) {
                smooth += 1;
                continue 'cases;
            }
            if ids(&found) != ids(&first) || found.points().iter().any(|point| !point.persisted) {
                complain(number, &case, &format!("frame {frame} of rest has {found:#?}"), &first);
            }
        }
        kept += 1;
        several += usize::from(first.points().len() > 1);
    }
    println!(
        "{kept} pairs kept their features, {several} of them several; {turned} normals turned, {smooth} are smooth"
    );
    assert!(4 * kept > total && several > kept / 4 && 10 * turned < kept, "{kept} {several} {turned} {smooth}");
}

/// A claim with all points changed.
fn with(claim: &ManifoldClaim, change: impl Fn(&mut clearance_verify::ManifoldPointClaim)) -> ManifoldClaim {
    let mut claim = claim.clone();
    claim.points.iter_mut().for_each(change);
    claim
}

/// The independent checker accepts the points of a sample with their evidence. It refutes places that are elsewhere, and proves no bound that is too high.
#[test]
fn the_checker_accepts_points_and_no_forgeries() {
    let (mut manifolds, mut proved, mut open) = (0, 0, Vec::new());
    let mut refuted = [0; 3];
    let total = contacts::KINDS * contacts::KINDS * contacts::PLACEMENTS;
    for number in (0..count(total)).step_by(7) {
        let rng = &mut Rng::with_seed(5600 + number as u64);
        let Some(case) = contacts::case(rng, number) else { continue };
        let [a, b] = contacts::shapes(&case);
        let mut pair = Pair::new(&a, &b).manifold_points(ManifoldPoints::All);
        let Some(manifold) = contacts::manifold(&case, &mut pair) else { continue };
        manifolds += 1;
        let [pose_a, pose_b] = case.poses;
        let query = Query {
            a: case.specs[0].written(),
            pose_a: proof::written_pose(&pose_a),
            b: case.specs[1].written(),
            pose_b: proof::written_pose(&pose_b),
        };
        let claim = proof::written_manifold(&a, &b, &manifold);
        let evidence = proof::of_manifold(&a, pose_a, &b, pose_b, &manifold);
        match check_manifold(&query, &claim, &evidence) {
            Verdict::Proved => proved += 1,
            Verdict::Refuted(reason) => complain(number, &case, &format!("refuted: {reason}"), &manifold),
            Verdict::Undecided(reason) => {
                open.push(format!("{} {} {reason}", case.specs[0], case.specs[1]));
                continue;
            }
        }
        // One that is as narrow as rounding leaves no room for a forgery.
        if !manifold.patch().iter().all(|point| point.upper - point.lower < 1e-9) {
            continue;
        }
        let by = 1e-6;
        let n = manifold.normal;
        let (out_of_a, into_a) = (pose_a.inverse_transform_vector(by * n), pose_a.inverse_transform_vector(-by * n));
        let moved = |by: DVec3, place: [f64; 3]| (DVec3::from_array(place) + by).to_array();
        // A wrong distance; a place above the surface with the distance that it has; a place below it, so that the gap seems larger than it is.
        let forged = [
            with(&claim, |point| {
                for bound in [&mut point.lower, &mut point.distance, &mut point.upper] {
                    *bound += by;
                }
            }),
            with(&claim, |point| {
                point.point_a = moved(out_of_a, point.point_a);
                for bound in [&mut point.lower, &mut point.distance, &mut point.upper] {
                    *bound -= by;
                }
            }),
            with(&claim, |point| {
                point.point_a = moved(into_a, point.point_a);
                for bound in [&mut point.lower, &mut point.distance, &mut point.upper] {
                    *bound += by;
                }
            }),
        ];
        for (kind, forged) in forged.iter().enumerate() {
            match check_manifold(&query, forged, &evidence) {
                Verdict::Proved => complain(number, &case, &format!("forgery {kind} is proved"), &manifold),
                Verdict::Refuted(_) => refuted[kind] += 1,
                Verdict::Undecided(_) => {}
            }
        }
    }
    println!("{proved} of {manifolds} manifolds are proved, forgeries refuted: {refuted:?}, open: {open:#?}");
    assert!(manifolds > 100 && 10 * proved >= 9 * manifolds, "{proved} of {manifolds}: {open:#?}");
    assert!(10 * refuted[0] >= 9 * proved && 2 * refuted[1] >= proved, "{refuted:?} of {proved}");
}
