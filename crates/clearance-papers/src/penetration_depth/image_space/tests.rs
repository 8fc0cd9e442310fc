//! Pictures compared with closed forms and with the certified depth.

use super::*;
use clearance::depth::{DepthBudget, depth};
use clearance::math::DQuat;
use clearance::shape::{Mesh, Shape};
use clearance_lab::meshes::lattice_solid;
use std::sync::Arc;

fn mesh_of(cubes: &[[i32; 3]]) -> Arc<Mesh> {
    Arc::new(lattice_solid(cubes).mesh())
}

fn moved(pose: Pose, by: DVec3) -> Pose {
    Pose::new(pose.translation() + by, pose.rotation())
}

const SMALL: ImageOptions = ImageOptions { resolution: 64, on_the_way: 32, acceleration: Acceleration::Full };

/// A U of unit cubes and a bar that is half as wide as the room between its arms: depths are worked out by hand.
fn u_and_bar() -> [Arc<Mesh>; 2] {
    let u = mesh_of(&[[0, 0, 0], [1, 0, 0], [2, 0, 0], [0, 1, 0], [2, 1, 0], [0, 2, 0], [2, 2, 0]]);
    let bar = mesh_of(&[[0, 0, 0], [0, 1, 0]]);
    let narrow: Vec<DVec3> = bar.vertices().iter().map(|v| DVec3::new(0.5 * v.x, v.y, v.z)).collect();
    [u, Arc::new(Mesh::new(&narrow, bar.triangles()).unwrap())]
}

#[test]
fn a_bar_between_the_arms_of_a_u_is_as_deep_as_its_end_is_in_the_ground() {
    let [u, bar] = u_and_bar();
    let at = Pose::from_translation([1.25, 0.75, 0.0]);
    for make in [ImageBody::of_surface, ImageBody::of_solid] {
        let [a, b] = [&bar, &u].map(|mesh| make(mesh).unwrap());
        let seen = estimate(&a, at, &b, Pose::IDENTITY, SMALL);
        assert!((seen.estimate - 0.25).abs() < 1e-3, "{seen:?}");
        assert!(seen.upper >= 0.25 && seen.upper < 0.2503 && !intersects_at(&a, at, &b, &seen), "{seen:?}");
        // The end of the bar and the ground.
        assert!(seen.features.iter().all(|corners| corners.len() >= 4), "{seen:?}");
        let [end, ground] = [0, 1].map(|side: usize| {
            seen.features[side].iter().map(|corner| corner.y).sum::<f64>() / seen.features[side].len() as f64
        });
        assert!((end - 0.75).abs() < 1e-12 && (ground - 1.0).abs() < 1e-12, "{seen:?}");
    }
}

fn intersects_at(a: &ImageBody, pose: Pose, b: &ImageBody, seen: &ImageDepth) -> bool {
    intersects(&a.shape, moved(pose, seen.free), &b.shape, Pose::IDENTITY)
}

#[test]
fn slow_culling_changes_no_answer_and_estimates_fall() {
    let [u, bar] = u_and_bar();
    let [a, b] = [&bar, &u].map(|mesh| ImageBody::of_surface(mesh).unwrap());
    let mut rng = fastrand::Rng::with_seed(3);
    for _ in 0..20 {
        let at = DVec3::new(0.5 + rng.f64(), 0.2 + rng.f64(), rng.f64() - 0.5);
        let turn = DQuat::from_axis_angle(DVec3::new(1.0, 2.0, 3.0).normalize(), rng.f64());
        let pose = Pose::new(at, turn);
        let all = ImageOptions { acceleration: Acceleration::WithoutCulling, ..SMALL };
        let [culled, whole] = [SMALL, all].map(|options| estimate(&a, pose, &b, Pose::IDENTITY, options));
        assert_eq!(culled.estimate, whole.estimate, "{culled:?} {whole:?}");
        assert!(culled.levels.windows(2).all(|pair| pair[1].estimate <= pair[0].estimate), "{culled:?}");
        assert!(culled.levels.iter().zip(&whole.levels).all(|(few, all)| few.kept <= all.kept), "{culled:?}");
    }
}

/// Pieces that fill the solids leave no place uncovered: then a picture is right up to its resolution, and never too small by more than single
/// precision.
#[test]
fn slow_with_solid_pieces_the_picture_agrees_with_the_certified_depth() {
    let [u, bar] = u_and_bar();
    let [a, b] = [&bar, &u].map(|mesh| ImageBody::of_solid(mesh).unwrap());
    let [bar, u] = [&bar, &u].map(|mesh| Shape::Mesh(Arc::clone(mesh)));
    let mut rng = fastrand::Rng::with_seed(5);
    for _ in 0..40 {
        let at = DVec3::new(0.5 + rng.f64(), 0.2 + rng.f64(), rng.f64() - 0.5);
        let pose = Pose::new(at, DQuat::from_axis_angle(DVec3::new(1.0, 2.0, 3.0).normalize(), rng.f64()));
        if !intersects(&bar, pose, &u, Pose::IDENTITY) {
            continue;
        }
        let proved = depth(&bar, pose, &u, Pose::IDENTITY, DepthBudget::default());
        let seen = estimate(&a, pose, &b, Pose::IDENTITY, SMALL);
        assert!(seen.estimate >= proved.lower - 1e-6 && seen.upper >= proved.lower, "{seen:?} {proved:?}");
        assert!(seen.estimate <= proved.upper * 1.05 + 1e-6, "{seen:?} {proved:?}");
        assert!(!intersects(&bar, moved(pose, seen.free), &u, Pose::IDENTITY), "{seen:?}");
    }
}

#[test]
fn apart_there_is_nothing_to_see() {
    let [u, bar] = u_and_bar();
    let [a, b] = [&bar, &u].map(|mesh| ImageBody::of_surface(mesh).unwrap());
    let seen = estimate(&a, Pose::from_translation([9.0, 0.0, 0.0]), &b, Pose::IDENTITY, ImageOptions::default());
    assert_eq!((seen.estimate, seen.upper, seen.levels.len()), (0.0, 0.0, 0));
}

/// The basic algorithm makes as many passes as there are sums, and has the same result.
#[test]
fn without_acceleration_the_same_is_seen_later() {
    let [u, bar] = u_and_bar();
    let [a, b] = [&bar, &u].map(|mesh| ImageBody::of_solid(mesh).unwrap());
    let pose = Pose::from_translation([1.25, 0.5, 0.25]);
    let basic = ImageOptions { acceleration: Acceleration::Basic { every: 1, passes: usize::MAX }, ..SMALL };
    let [fast, slow] = [SMALL, basic].map(|options| estimate(&a, pose, &b, Pose::IDENTITY, options));
    assert_eq!(fast.estimate, slow.estimate);
    let drawn = |seen: &ImageDepth| seen.levels.iter().map(|level| level.drawn).sum::<usize>();
    assert!(drawn(&fast) < drawn(&slow), "{fast:?} {slow:?}");
}

/// No ray is shorter than its hops promise. (Row P17 has rays that need several passes.)
#[test]
fn a_pass_reaches_a_hop_more() {
    let row = mesh_of(&[[0, 0, 0], [1, 0, 0], [2, 0, 0], [2, 1, 0], [2, 2, 0]]);
    let body = ImageBody::of_solid(&row).unwrap();
    let pose = Pose::new(DVec3::new(0.3, 0.2, 0.1), DQuat::from_rotation_z(0.2));
    let found = hops(&body, Pose::IDENTITY, &body, pose, 24);
    assert!(found.rays > 1000 && found.needed.iter().sum::<u64>() > 1000, "{found:?}");
    assert_eq!(found.short, 0, "{found:?}");
}
