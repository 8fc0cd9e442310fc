//! Manifolds of convex shapes and compounds: points, normals, names, and the data that a solver keeps in them.

use crate::models::{self, KINDS};
use clearance_parry::ClearanceDispatcher;
use fastrand::Rng;
use parry3d_f64::math::{Pose, Rotation, Vector};
use parry3d_f64::query::{
    ContactManifold, ContactManifoldsWorkspace, DefaultQueryDispatcher, PersistentQueryDispatcher, QueryDispatcher,
    TrackedContact,
};
use parry3d_f64::shape::{Compound, Cuboid, Shape, SharedShape};

/// The prediction of the tests.
pub const PREDICTION: f64 = 0.02;

/// The manifolds of a pair from frame to frame, each with a number for its data.
#[derive(Default)]
pub struct Frames {
    dispatcher: ClearanceDispatcher,
    pub manifolds: Vec<ContactManifold<u32, u32>>,
    workspace: Option<ContactManifoldsWorkspace>,
    /// The last number that a point was given.
    last: u32,
}

impl Frames {
    pub fn update(&mut self, pos12: &Pose, g1: &dyn Shape, g2: &dyn Shape) {
        let (list, workspace) = (&mut self.manifolds, &mut self.workspace);
        self.dispatcher.contact_manifolds(pos12, g1, g2, PREDICTION, list, workspace).expect("supported");
    }

    /// Gives each point without a number the next one.
    pub fn number(&mut self) {
        for manifold in &mut self.manifolds {
            for point in manifold.points.iter_mut().filter(|point| point.data == 0) {
                self.last += 1;
                point.data = self.last;
            }
        }
    }

    /// The numbers of the points, and their names.
    pub fn points(&self) -> impl Iterator<Item = (u32, [u32; 2])> {
        let points = self.manifolds.iter().flat_map(|manifold| &manifold.points);
        points.map(|point| (point.data, [point.fid1.0, point.fid2.0]))
    }

    pub fn deepest(&self) -> f64 {
        self.manifolds
            .iter()
            .flat_map(|manifold| &manifold.points)
            .map(|point| point.dist)
            .fold(f64::INFINITY, f64::min)
    }

    /// Each point is what it says.
    pub fn check(&self, pos12: &Pose) {
        for manifold in &self.manifolds {
            for point in &manifold.points {
                assert!((manifold.local_n1.length() - 1.0).abs() < 1e-12);
                assert!((manifold.local_n1 + pos12.rotation * manifold.local_n2).length() < 1e-12);
                let between = *pos12 * point.local_p2 - point.local_p1;
                assert!(
                    (between - manifold.local_n1 * point.dist).length() < 1e-3 * (1.0 + point.dist.abs()),
                    "{point:?}"
                );
                assert!((between.dot(manifold.local_n1) - point.dist).abs() < 1e-10, "{point:?}");
            }
            let is_near = |point: &TrackedContact<u32>| point.dist <= PREDICTION + 1e-10;
            assert!(manifold.points.is_empty() || manifold.points.iter().any(is_near), "{manifold:?}");
        }
    }
}

#[test]
fn manifolds_of_every_two_kinds_have_the_deepest_point_and_are_empty_where_it_is_not_near() {
    let mut rng = Rng::with_seed(5);
    let ours = ClearanceDispatcher::default();
    let (mut deeper, mut all) = (0, 0);
    for kind1 in 0..=KINDS {
        for kind2 in 0..KINDS {
            for gap in [0.01, -0.02, 0.5] {
                let (g1, g2) = (models::convex(&mut rng, kind1), models::convex(&mut rng, kind2));
                let plane = models::ground();
                let g1: &dyn Shape = if kind1 == KINDS { &plane } else { &*g1 };
                let pos12 = models::posed(&mut rng, g1, &*g2, gap);
                let truth = ours.contact(&pos12, g1, &*g2, 10.0).expect("supported").expect("near").dist;
                let mut frames = Frames::default();
                frames.update(&pos12, g1, &*g2);
                frames.check(&pos12);
                assert_eq!(frames.manifolds.len(), 1);
                let deepest = frames.deepest();
                if truth > PREDICTION + 1e-9 {
                    assert_eq!(deepest, f64::INFINITY, "{kind1} {kind2}: {truth}");
                    continue;
                }
                // A round face that leans a little is a flat one to 1e-4 of its radius.
                assert!((deepest - truth).abs() < 2e-4, "{kind1} {kind2}: {deepest}, but {truth} apart");
                // The same without a memory.
                let mut alone = ContactManifold::<u32, u32>::new();
                ours.contact_manifold_convex_convex(&pos12, g1, &*g2, None, None, PREDICTION, &mut alone).unwrap();
                let least = alone.points.iter().map(|point| point.dist).fold(f64::INFINITY, f64::min);
                assert!((least - deepest).abs() < 2e-4);
                let mut theirs = ContactManifold::<u32, u32>::new();
                let made = DefaultQueryDispatcher.contact_manifold_convex_convex(
                    &pos12,
                    g1,
                    &*g2,
                    None,
                    None,
                    PREDICTION,
                    &mut theirs,
                );
                if let (Ok(()), Some(point)) = (made, theirs.find_deepest_contact()) {
                    deeper += usize::from(point.dist < deepest - 1e-2);
                    all += 1;
                }
            }
        }
    }
    // parry's normal need not be that of the shortest way, so its points may be deeper.
    assert!(all > 250 && deeper * 20 < all, "{deeper} of {all}");
}

/// A body that trembles on another: `rest` is where it rests, `slide` how far it goes in a frame.
fn trembling(g1: &dyn Shape, g2: &dyn Shape, rest: Pose, slide: f64, frames: u32) -> (Frames, usize) {
    let mut rng = Rng::with_seed(6);
    let mut found = Frames::default();
    found.update(&rest, g1, g2);
    found.number();
    let first: Vec<_> = found.points().collect();
    assert!(!first.is_empty());
    for frame in 0..frames {
        let turn = Rotation::from_scaled_axis(models::vector(&mut rng, 1e-4));
        let shift = models::vector(&mut rng, 1e-4) + Vector::new(slide * f64::from(frame), 0.0, 0.0);
        let pos12 = Pose::from_parts(rest.translation + shift, turn * rest.rotation);
        found.update(&pos12, g1, g2);
        found.check(&pos12);
        let now: Vec<_> = found.points().collect();
        // All points of the first frame are there, with their names and their data. A round body may have one more while it leans.
        let is_kept = |point: &(u32, [u32; 2])| now.contains(point);
        assert!(first.iter().all(is_kept), "frame {frame}: {first:?} became {now:?}");
    }
    let count = first.len();
    (found, count)
}

#[test]
fn names_and_data_stay_from_frame_to_frame() {
    let table = Cuboid::new([3.0, 1.0, 3.0].into());
    let on = |height: f64| Pose::translation(0.1, 1.0 + height, 0.2);
    let lying = Rotation::from_rotation_z(std::f64::consts::FRAC_PI_2);
    let cube = SharedShape::cuboid(0.5, 0.5, 0.5);
    assert_eq!(trembling(&table, &*cube, on(0.5), 2e-3, 200).1, 4);
    assert_eq!(trembling(&models::ground(), &*cube, Pose::translation(0.0, 0.5, 0.0), 2e-3, 200).1, 4);
    let capsule = SharedShape::capsule_y(0.5, 0.3);
    assert_eq!(trembling(&table, &*capsule, Pose::from_parts(on(0.3).translation, lying), 0.0, 200).1, 2);
    assert_eq!(trembling(&table, &*SharedShape::cylinder(0.3, 0.5), on(0.3), 0.0, 200).1, 4);
    assert_eq!(trembling(&table, &*SharedShape::round_cuboid(0.4, 0.4, 0.4, 0.1), on(0.5), 2e-3, 200).1, 4);
    let pin: Vec<Vector> = (0..12)
        .map(|k| (f64::from(k % 6) * std::f64::consts::FRAC_PI_3, if k < 6 { -0.5 } else { 0.5 }))
        .map(|(angle, y)| Vector::new(0.4 * angle.cos(), y, 0.4 * angle.sin()))
        .collect();
    assert_eq!(trembling(&table, &*SharedShape::convex_hull(&pin).unwrap(), on(0.5), 0.0, 200).1, 4);
    // A compound on a compound: two feet on a table top.
    let foot = |x: f64| (Pose::translation(x, 0.0, 0.0), SharedShape::cuboid(0.1, 0.2, 0.4));
    let bench = Compound::new(vec![foot(-0.5), foot(0.5)]);
    let (found, points) = trembling(&models::table(), &bench, Pose::translation(0.0, 1.2, 0.0), 1e-3, 200);
    assert_eq!((found.manifolds.len(), points), (2, 8));
    assert_eq!(found.manifolds[1].subshape2, 1);
}

/// A solver has to know the raised side of a body that lands on its edge: it may come down within the step.
#[test]
fn a_manifold_has_the_points_of_the_raised_side() {
    let mut frames = Frames::default();
    let coin = SharedShape::cylinder(0.01, 0.12);
    let at = Pose::from_parts(Vector::new(0.0, 0.03, 0.0), Rotation::from_rotation_z(0.2));
    frames.update(&at, &models::ground(), &*coin);
    frames.check(&at);
    let highest = frames.manifolds[0].points.iter().map(|point| point.dist).fold(0.0, f64::max);
    assert!(highest > PREDICTION && frames.manifolds[0].points.len() > 1, "{:?}", frames.manifolds);
}

#[test]
fn data_of_a_manifold_outlive_a_short_flight() {
    let (table, cube) = (Cuboid::new([3.0, 1.0, 3.0].into()), Cuboid::new([0.5; 3].into()));
    let mut frames = Frames::default();
    frames.update(&Pose::translation(0.0, 1.5, 0.0), &table, &cube);
    frames.manifolds[0].data = 7;
    frames.update(&Pose::translation(0.0, 1.6, 0.0), &table, &cube);
    assert_eq!((frames.manifolds[0].data, frames.manifolds[0].points.len()), (7, 0));
    let (top, mut frames) = (models::table(), Frames::default());
    frames.update(&Pose::translation(0.0, 1.5, 0.0), &top, &cube);
    frames.manifolds[0].data = 8;
    frames.update(&Pose::translation(0.0, 1.6, 0.0), &top, &cube);
    frames.update(&Pose::translation(0.0, 1.5, 0.0), &top, &cube);
    assert_eq!((frames.manifolds.len(), frames.manifolds[0].data, frames.manifolds[0].points.len()), (1, 8, 4));
}
