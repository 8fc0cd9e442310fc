//! Contact manifolds of every two kinds in every placement: each point is compared with 32 digits, and variants must not change them.
//!
//! `CONTACTS=100000` is the long form.

use clearance::math::DVec3;
use clearance::{Feature, FeaturePair, Manifold, ManifoldPoints, Pair, Pose};
use clearance_lab::contacts::{self, Case, MARGIN};
use clearance_lab::{Rng, Spec, random};

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
        // The image of a shape chooses its contact face in the frame of that shape, where two edges may be equally good.
        let is_image = case.specs.iter().any(|spec| matches!(spec, Spec::Affine(..)));
        if !close(swapped.normal, -manifold.normal) || !close(moved.normal, turned) || is_image {
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
