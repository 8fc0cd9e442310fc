//! Distances, contacts and intersection tests beside parry's, on pairs of every two kinds.
//!
//! parry's search ends early on curved shapes, and its depths need not be the least ones. So an answer has to lie in Clearance's own bracket for the same shapes, which were built by the test and not by
//! the crate, and agree with parry's to parry's accuracy.

use crate::models::{self, KINDS};
use clearance_parry::ClearanceDispatcher;
use fastrand::Rng;
use parry3d_f64::math::Pose;
use parry3d_f64::query::{ClosestPoints, DefaultQueryDispatcher, QueryDispatcher, Unsupported};
use parry3d_f64::shape::{Ball, Cuboid, Shape, SharedShape, TriMesh, TriMeshFlags, Voxels};

/// How far parry's distances of convex shapes are off: its search ends at a relative error of 1e-6, and later on some curved pairs.
const ACCURACY: f64 = 2e-4;

/// Agreements and all cases.
#[derive(Default)]
struct Count {
    agree: usize,
    all: usize,
}

impl Count {
    fn see(&mut self, agrees: bool) {
        self.agree += usize::from(agrees);
        self.all += 1;
    }

    fn share(&self) -> f64 {
        self.agree as f64 / self.all as f64
    }
}

/// One pair: everything that holds without parry is asserted, the rest is counted.
fn compare(pos12: &Pose, g1: &dyn Shape, g2: &dyn Shape, counts: &mut [Count; 3]) {
    let (ours, theirs) = (ClearanceDispatcher::default(), DefaultQueryDispatcher);
    let contact = ours.contact(pos12, g1, g2, 100.0).expect("supported").expect("within 100");
    let distance = ours.distance(pos12, g1, g2).expect("supported").distance;
    let is_meeting = ours.intersection_test(pos12, g1, g2).expect("supported").intersecting;
    // Our answers agree with each other, and their points with their distance.
    assert!((contact.dist.max(0.0) - distance).abs() < 1e-9, "{contact:?} but {distance}");
    assert_eq!(is_meeting, contact.dist < 1e-12 && distance < 1e-12, "{contact:?}");
    let along = (*pos12 * contact.point2 - contact.point1).dot(contact.normal1);
    assert!((along - contact.dist).abs() < 1e-9, "{contact:?} is {along} along its normal");
    assert!((contact.normal1 + pos12.rotation * contact.normal2).length() < 1e-12);
    match ours.closest_points(pos12, g1, g2, 0.5).expect("supported") {
        ClosestPoints::Intersecting => assert!(distance < 1e-9),
        ClosestPoints::Disjoint => assert!(distance > 0.5 - 1e-9),
        ClosestPoints::WithinMargin(p, q) => {
            assert!(((*pos12 * q - p).length() - distance).abs() < 1e-9 && distance <= 0.5 + 1e-9);
        }
    }
    if let Ok(found) = theirs.distance(pos12, g1, g2) {
        counts[0].see((found.distance - distance).abs() < ACCURACY);
    }
    // With the half-space second parry 0.31.1 takes the pose of the half-space for that of the other shape (`contact_support_map_halfspace`).
    if let Ok(Some(found)) = theirs.contact(pos12, g1, g2, 100.0)
        && g2.as_halfspace().is_none()
    {
        counts[1].see((found.dist - contact.dist).abs() < ACCURACY);
        if contact.dist < 0.0 && g1.is_convex() && g2.is_convex() {
            assert!(found.dist < contact.dist + 1e-2, "parry knows a shorter way out: {found:?}, {contact:?}");
        }
    }
    if let Ok(found) = theirs.intersection_test(pos12, g1, g2) {
        counts[2].see(found.intersecting == is_meeting || contact.dist.abs() < 1e-6);
    }
}

#[test]
fn convex_pairs_agree_with_parry() {
    let mut rng = Rng::with_seed(1);
    let mut counts = <[Count; 3]>::default();
    for kind1 in 0..KINDS {
        for kind2 in 0..KINDS {
            for _ in 0..12 {
                let (g1, g2) = (models::convex(&mut rng, kind1), models::convex(&mut rng, kind2));
                compare(&models::pose(&mut rng, 1.6), &*g1, &*g2, &mut counts);
            }
        }
        for _ in 0..12 {
            let (g1, pos12) = (models::convex(&mut rng, kind1), models::pose(&mut rng, 1.6));
            compare(&pos12, &models::ground(), &*g1, &mut counts);
            compare(&pos12.inverse(), &*g1, &models::ground(), &mut counts);
        }
    }
    let shares = counts.map(|count| (count.share(), count.all));
    assert!(shares[0].0 > 0.995 && shares[1].0 > 0.93 && shares[2].0 > 0.995, "{shares:?}");
}

#[test]
fn surfaces_and_compounds_agree_with_parry() {
    let mut rng = Rng::with_seed(2);
    let mut counts = <[Count; 3]>::default();
    let table = models::table();
    let hills = models::floor(6, 0.6, |x, z| 0.3 * (x * 1.7).sin() * (z * 1.3).cos());
    for kind in 0..KINDS {
        for _ in 0..6 {
            let g2 = models::convex(&mut rng, kind);
            let pos12 = models::pose(&mut rng, 2.5);
            compare(&pos12, &table, &*g2, &mut counts);
            compare(&pos12.inverse(), &*g2, &table, &mut counts);
            compare(&pos12, &hills, &*g2, &mut counts);
            compare(&pos12.inverse(), &*g2, &hills, &mut counts);
        }
    }
    for _ in 0..10 {
        compare(&models::pose(&mut rng, 3.0), &table, &hills, &mut counts);
        compare(&models::pose(&mut rng, 3.0), &hills, &hills, &mut counts);
        compare(&models::pose(&mut rng, 3.0), &table, &table, &mut counts);
    }
    let shares = counts.map(|count| (count.share(), count.all));
    assert!(shares[0].0 > 0.99 && shares[1].0 > 0.9 && shares[2].0 > 0.99, "{shares:?}");
}

#[test]
fn the_next_dispatcher_answers_where_clearance_cannot() {
    let chain = ClearanceDispatcher::default().chain(DefaultQueryDispatcher);
    let voxels = Voxels::new([1.0; 3].into(), &[[0, 0, 0].into()]);
    let (ball, at) = (Ball::new(0.5), Pose::translation(3.0, 0.5, 0.5));
    assert!(ClearanceDispatcher::default().intersection_test(&at, &voxels, &ball).is_err());
    assert!(chain.intersection_test(&at, &voxels, &ball).is_ok());
    // A size that Clearance refuses.
    assert!(matches!(
        ClearanceDispatcher::default().distance(&at, &ball, &Cuboid::new([-1.0, 1.0, 1.0].into())),
        Err(Unsupported)
    ));
    let nowhere = Pose::translation(f64::NAN, 0.0, 0.0);
    assert!(matches!(ClearanceDispatcher::default().distance(&nowhere, &ball, &ball), Err(Unsupported)));
    // A part that Clearance does not have must not be passed over.
    let parts = vec![(Pose::IDENTITY, SharedShape::ball(0.5)), (at, SharedShape::new(voxels))];
    let compound = parry3d_f64::shape::Compound::new(parts);
    assert!(ClearanceDispatcher::default().distance(&at, &compound, &ball).is_err());
    assert!(ClearanceDispatcher::default().contact(&at, &models::floor(2, 1.0, |_, _| 0.0), &compound, 1.0).is_err());
}

/// parry takes an oriented mesh for a solid in one question, and for a surface in all others.
#[test]
fn a_closed_mesh_is_the_surface_that_parry_takes_it_for() {
    let (vertices, triangles) = Cuboid::new([1.0; 3].into()).to_trimesh();
    let hollow = TriMesh::new(vertices.clone(), triangles.clone()).expect("a box");
    let ball = Ball::new(0.25);
    let (ours, theirs) = (ClearanceDispatcher::default(), DefaultQueryDispatcher);
    let inside = Pose::translation(0.5, 0.0, 0.0);
    assert!((ours.contact(&inside, &hollow, &ball, 1.0).unwrap().unwrap().dist - 0.25).abs() < 1e-12);
    assert!(!ours.intersection_test(&inside, &hollow, &ball).unwrap().intersecting);
    let solid = TriMesh::with_flags(vertices, triangles, TriMeshFlags::ORIENTED).expect("a box");
    assert!(theirs.intersection_test(&inside, &solid, &ball).unwrap().intersecting);
    assert!(ours.intersection_test(&inside, &solid, &ball).is_err());
}
