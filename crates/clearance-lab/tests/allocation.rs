//! An update in which bodies move and no pair comes or goes allocates nothing, with any broad phase that
//! keeps something from update to update.
//!
//! On one thread: with several, sharing the work out is up to `rayon`.

use allocation_counter::measure;
use clearance::broad::BroadKind;
use clearance::math::DVec3;
use clearance::world::{Config, Detail};
use clearance::{Axis, Batch, BodyId, HalfHeight, ManifoldPoints, Pair, Pose, Radius, Ray, Shape, World};
use clearance_lab::{Rng, models, random};

const SIDE: usize = 6;

fn shapes(rng: &mut Rng) -> Vec<Shape> {
    let mut hull = |count: usize| Shape::hull(&models::random_hull(rng, count)).unwrap();
    vec![
        hull(20),
        hull(100),
        Shape::sphere(0.6).unwrap(),
        Shape::cuboid([0.6, 0.5, 0.4]).unwrap(),
        Shape::capsule(Axis::Y, Radius(0.3), HalfHeight(0.5)).unwrap(),
        Shape::cylinder(Axis::Y, Radius(0.5), HalfHeight(0.5)).unwrap(),
        Shape::compound([
            (Shape::sphere(0.4).unwrap(), Pose::IDENTITY),
            (Shape::cuboid([0.3; 3]).unwrap(), Pose::from_translation([0.4, 0.0, 0.0])),
        ])
        .unwrap(),
    ]
}

/// A lattice of bodies, close enough for neighbours to be candidates, on a floor.
fn crowd(config: Config) -> (World, Vec<(BodyId, Pose)>) {
    let mut rng = Rng::with_seed(8);
    let shapes = shapes(&mut rng);
    let mut world = World::new(config);
    world.insert(Shape::half_space([0.0, 1.0, 0.0], 0.0).unwrap(), Pose::IDENTITY);
    let mut bodies = Vec::new();
    for place in 0..SIDE.pow(3) {
        let [x, y, z] = [place % SIDE, place / SIDE % SIDE, place / SIDE.pow(2)].map(|i| 1.1 * i as f64);
        let pose = Pose::new([x, y, z], random::rotation(&mut rng));
        bodies.push((world.insert(shapes[place % shapes.len()].clone(), pose), pose));
    }
    (world, bodies)
}

/// Every `every`-th body trembles by less than a box can tell from touching, in a motion that repeats every four frames.
fn tremble(world: &mut World, bodies: &[(BodyId, Pose)], frame: usize, every: usize) {
    let by = 1e-4 * [DVec3::ZERO, DVec3::X, DVec3::Y, DVec3::Z][frame % 4];
    for (id, pose) in bodies.iter().step_by(every) {
        world.set_pose(*id, Pose::new(pose.translation() + by, pose.rotation()));
    }
}

#[test]
fn an_update_without_comings_and_goings_allocates_nothing() {
    let pool = rayon::ThreadPoolBuilder::new().num_threads(1).build().unwrap();
    pool.install(|| {
        // The plain hash is filled again for every update, as its paper has it, and allocates the tiles it fills.
        for broad in BroadKind::ALL {
            for (detail, margin) in [(Detail::Intersection, 0.0), (Detail::Clearance, 0.2)] {
                // All bodies, and so few that the default asks its tree about each.
                for every in [1, 20] {
                    let (mut world, bodies) = crowd(Config { broad, detail, margin, ..Config::default() });
                    // Tables grow to the size that they need.
                    for frame in 0..12 {
                        tremble(&mut world, &bodies, frame, every);
                        world.update();
                    }
                    let name = format!("{}, {detail:?}, every {every}", broad.name());
                    for frame in 12..24 {
                        let mut seen = (0, 0, 0);
                        let used = measure(|| {
                            tremble(&mut world, &bodies, frame, every);
                            let update = world.update();
                            let events = update.started().len() + update.ended().len();
                            seen = (update.queries(), update.within(margin).count(), events);
                        });
                        let (asked, near, events) = seen;
                        assert!(asked > 20 && near > 50 && events == 0, "{name}: {seen:?}");
                        assert_eq!(used.count_total, 0, "{name}, frame {frame}: {used:?}");
                    }
                }
            }
        }
    });
}

#[test]
fn a_batch_allocates_its_lists_and_nothing_for_each_query() {
    let pool = rayon::ThreadPoolBuilder::new().num_threads(1).build().unwrap();
    pool.install(|| {
        let mut rng = Rng::with_seed(21);
        let (a, b) = (Shape::hull(&models::random_hull(&mut rng, 40)).unwrap(), Shape::cuboid([0.5; 3]).unwrap());
        let at = |i: usize| Pose::from_translation([3.0 - 0.001 * i as f64, 0.2, 0.1]);
        let poses: Vec<(Pose, Pose)> = (0..4000).map(|i| (Pose::IDENTITY, at(i))).collect();
        let rays: Vec<Ray> =
            poses.iter().map(|(_, pose)| Ray::new(pose.translation(), [-1.0, 0.0, 0.0], 9.0).unwrap()).collect();
        let counts = |count: usize| {
            let (poses, rays) = (&poses[..count], &rays[..count]);
            [
                measure(|| drop(Batch::new(poses).distance(&a, &b))).count_total,
                measure(|| drop(Batch::new(poses).within(&a, &b, 0.5))).count_total,
                measure(|| drop(Batch::new(poses).warm().distance(&a, &b))).count_total,
                measure(|| drop(Batch::new(poses).warm().intersects(&a, &b))).count_total,
                measure(|| drop(Batch::new(rays).cast_ray(&a, Pose::IDENTITY))).count_total,
            ]
        };
        counts(400);
        assert_eq!(counts(400), counts(4000));
    });
}

/// A square of 2 n² triangles around the origin.
fn floor(n: u32, step: f64) -> (Vec<DVec3>, Vec<[u32; 3]>) {
    let middle = 0.5 * step * f64::from(n);
    let at = |i: u32, j: u32| DVec3::new(step * f64::from(i) - middle, 0.0, step * f64::from(j) - middle);
    let vertices = (0..=n).flat_map(|i| (0..=n).map(move |j| at(i, j))).collect();
    let cell = |(i, j): (u32, u32)| {
        let number = |i: u32, j: u32| i * (n + 1) + j;
        let [a, b, c, d] = [number(i, j), number(i, j + 1), number(i + 1, j + 1), number(i + 1, j)];
        [[a, b, c], [a, c, d]]
    };
    (vertices, (0..n).flat_map(|i| (0..n).map(move |j| (i, j))).flat_map(cell).collect())
}

/// Frames of contact in which no feature comes or goes: lists of manifolds are made in the memory of the frames before.
#[test]
fn warm_frames_of_contact_allocate_nothing() {
    let mut rng = Rng::with_seed(34);
    let at = |x: f64, y: f64, z: f64| Pose::from_translation([x, y, z]);
    let cube = Shape::cuboid([0.5; 3]).unwrap();
    let ground = Shape::half_space([0.0, 1.0, 0.0], 0.0).unwrap();
    let table = Shape::cuboid([4.0, 1.0, 4.0]).unwrap();
    let (vertices, triangles) = floor(16, 0.5);
    let mesh = Shape::mesh(&vertices, &triangles).unwrap();
    let dumbbell = Shape::compound([(cube.clone(), at(-1.0, 0.0, 0.0)), (cube.clone(), at(1.0, 0.0, 0.0))]).unwrap();
    let tiles = (0..9).map(|k| (cube.clone(), at(f64::from(k % 3) - 1.0, -0.5, f64::from(k / 3) - 1.0)));
    let tiles = Shape::compound(tiles).unwrap();
    let hull = Shape::hull(&models::random_hull(&mut rng, 40)).unwrap();
    let capsule = Shape::capsule(Axis::X, Radius(0.5), HalfHeight(0.5)).unwrap();
    let cylinder = Shape::cylinder(Axis::Y, Radius(0.5), HalfHeight(0.5)).unwrap();
    let small = Shape::mesh(&vertices.iter().map(|v| 0.2 * *v).collect::<Vec<_>>(), &triangles).unwrap();
    let cases = [
        ("a box on a box", &table, &cube, 1.5),
        ("a box on the ground", &ground, &cube, 0.5),
        ("a capsule on a box", &table, &capsule, 1.5),
        ("a cylinder on a box", &table, &cylinder, 1.5),
        ("a hull in a box", &table, &hull, 1.4),
        ("a box on a mesh", &mesh, &cube, 0.5),
        ("a cylinder on a mesh", &mesh, &cylinder, 0.5),
        ("a mesh on a mesh", &mesh, &small, 0.0),
        ("a mesh on the ground", &ground, &small, 0.0),
        ("a compound on a box", &table, &dumbbell, 1.5),
        ("a compound on a compound", &tiles, &dumbbell, 0.5),
        ("a compound on a mesh", &mesh, &dumbbell, 0.5),
    ];
    for (name, below, above, height) in cases {
        for which in [ManifoldPoints::Four, ManifoldPoints::All] {
            let mut pair = Pair::new(below, above).manifold_points(which);
            let mut frame = |k: usize| {
                let by = 1e-7 * [DVec3::X, DVec3::Y, DVec3::Z, DVec3::ZERO][k % 4];
                let pose = Pose::from_translation(DVec3::new(0.05, height - 1e-4, 0.1) + by);
                pair.manifolds(Pose::IDENTITY, pose, 0.01).iter().map(|manifold| manifold.points().len()).sum::<usize>()
            };
            (0..12).for_each(|k| _ = frame(k));
            for k in 12..24 {
                let mut points = 0;
                let used = measure(|| points = frame(k));
                assert!(points > 0, "{name}, frame {k}");
                assert_eq!(used.count_total, 0, "{name}, {which:?}, frame {k}: {used:?}");
            }
        }
    }
}

#[test]
fn the_manifolds_of_a_world_allocate_nothing_while_none_comes_or_goes() {
    let pool = rayon::ThreadPoolBuilder::new().num_threads(1).build().unwrap();
    pool.install(|| {
        for detail in [Detail::Intersection, Detail::Clearance] {
            let (mut world, bodies) = crowd(Config { detail, margin: 0.1, ..Config::default() });
            let mut points = 0;
            let mut frame = |k: usize| {
                tremble(&mut world, &bodies, k, 1);
                points = world.manifolds().flat_map(|pair| pair.manifolds).map(|found| found.points().len()).sum();
            };
            (0..12).for_each(&mut frame);
            for k in 12..24 {
                let used = measure(|| frame(k));
                assert_eq!(used.count_total, 0, "{detail:?}, frame {k}: {used:?}");
            }
            assert!(points > 200, "{points}");
        }
    });
}
