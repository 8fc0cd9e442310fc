//! The workloads: shapes, poses, and the required ratio of each row.

use clearance::math::DVec3;
use clearance::{Axis, HalfHeight, Pose, Radius, Shape};
use clearance_lab::motion::{self, TRACK, Track};
use clearance_lab::{Rng, models, pairs, random};

/// A shape as data, from which each library builds its own.
#[derive(Debug, Clone)]
pub enum Model {
    /// A ball.
    Sphere {
        /// Its radius.
        radius: f64,
    },
    /// A box.
    Cuboid {
        /// Half of each side.
        half_extents: DVec3,
    },
    /// A capsule about y.
    Capsule {
        /// Radius of the ball that is swept.
        radius: f64,
        /// Half of the segment it is swept along.
        half_height: f64,
    },
    /// A cylinder about y.
    Cylinder {
        /// Radius.
        radius: f64,
        /// Half of the height.
        half_height: f64,
    },
    /// A cone about y, apex up.
    Cone {
        /// Radius of the base.
        radius: f64,
        /// Half of the height.
        half_height: f64,
    },
    /// An ellipsoid.
    Ellipsoid {
        /// Semi-axes.
        radii: DVec3,
    },
    /// The hull of points, all of them its vertices.
    Hull {
        /// The points.
        points: Vec<DVec3>,
    },
    /// A union of hulls.
    Compound {
        /// The hulls, and where they are.
        parts: Vec<(Model, Pose)>,
    },
}

impl Model {
    /// As a shape of Clearance.
    pub fn shape(&self) -> Shape {
        let made = match self {
            Self::Sphere { radius } => Shape::sphere(*radius),
            Self::Cuboid { half_extents } => Shape::cuboid(*half_extents),
            Self::Capsule { radius, half_height } => Shape::capsule(Axis::Y, Radius(*radius), HalfHeight(*half_height)),
            Self::Cylinder { radius, half_height } => {
                Shape::cylinder(Axis::Y, Radius(*radius), HalfHeight(*half_height))
            }
            Self::Cone { radius, half_height } => Shape::cone(Axis::Y, Radius(*radius), HalfHeight(*half_height)),
            Self::Ellipsoid { radii } => Shape::ellipsoid(*radii),
            Self::Hull { points } => Shape::hull(points),
            Self::Compound { parts } => Shape::compound(parts.iter().map(|(part, pose)| (part.shape(), *pose))),
        };
        made.expect("generated sizes are positive")
    }
}

/// Two shapes of a scene and where they are.
#[derive(Debug, Clone, Copy)]
pub struct Query {
    /// Number of shape A.
    pub a: usize,
    /// Number of shape B.
    pub b: usize,
    /// Pose of A.
    pub pose_a: Pose,
    /// Pose of B.
    pub pose_b: Pose,
}

/// Shapes and queries.
#[derive(Debug, Clone)]
pub struct Scene {
    /// The name in the table.
    pub name: String,
    /// The shapes.
    pub shapes: Vec<Model>,
    /// The queries.
    pub queries: Vec<Query>,
    /// Length of a coherent run of queries, at whose start a cache is dropped.
    pub track: usize,
}

/// The query of a row.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum QueryKind {
    /// Distance and witnesses, without a cache.
    Distance,
    /// Distance and witnesses, with the cache of the query before.
    WarmDistance,
    /// Do they share a point?
    Intersects,
    /// Do they share a point? With the cache of the query before, if a library has one.
    WarmIntersects,
    /// The penetration depth: the same call of Clearance as for [`QueryKind::Distance`], another one of parry.
    Depth,
}

impl QueryKind {
    /// The word in the table.
    pub fn name(self) -> &'static str {
        match self {
            Self::Distance => "distance",
            Self::WarmDistance => "distance, warm",
            Self::Intersects => "intersects",
            Self::WarmIntersects => "intersects, warm",
            Self::Depth => "depth",
        }
    }
}

/// One row of the table.
#[derive(Debug)]
pub struct Row {
    /// The shapes and poses.
    pub scene: std::rc::Rc<Scene>,
    /// The query.
    pub kind: QueryKind,
    /// The least ratio of the time of parry3d-f64 to ours that the project requires.
    pub required: Option<f64>,
}

/// Every row, with `share` of the usual number of queries.
pub fn rows(share: f64) -> Vec<Row> {
    let mut rows = Vec::new();
    coherent(&mut rows, share);
    random_pairs(&mut rows, share);
    tumbling(&mut rows, share);
    compounds(&mut rows, share);
    rows
}

fn share_of(count: usize, share: f64) -> usize {
    ((count as f64 * share) as usize).max(1)
}

/// Algorithm 9 of the V-Clip paper for its four shapes.
fn coherent(rows: &mut Vec<Row>, share: f64) {
    let shapes = [
        // The required ratios at one degree and at 25.
        ("cube", models::cube(), [6.0, 4.0]),
        ("icosahedron", models::icosahedron(), [7.0, 5.0]),
        ("disk", models::disk(), [25.0, 8.0]),
        ("sphere of 642", models::geodesic_sphere(3), [90.0, 30.0]),
    ];
    for (name, points, required) in shapes {
        for degrees in [0, 1, 5, 25] {
            // The same seed: the same phases and axes for every shape and angle.
            let mut rng = Rng::with_seed(1997);
            let reach = models::bounding_radius(&points);
            let track = share_of(TRACK, share);
            let poses = (0..10).flat_map(|_| Track::new(&mut rng, reach, f64::from(degrees)).take(track));
            let queries = poses.map(|pose_b| Query { a: 0, b: 1, pose_a: Pose::IDENTITY, pose_b }).collect();
            let hull = Model::Hull { points: points.clone() };
            let name = format!("{name}, {degrees} degrees");
            let scene = std::rc::Rc::new(Scene { name, shapes: vec![hull.clone(), hull], queries, track });
            for kind in [QueryKind::WarmDistance, QueryKind::Distance] {
                let required = match (degrees, kind) {
                    (1, QueryKind::WarmDistance) => Some(required[0]),
                    (25, QueryKind::WarmDistance) => Some(required[1]),
                    _ => None,
                };
                rows.push(Row { scene: scene.clone(), kind, required });
            }
        }
    }
}

/// Hulls that circle and tumble around each other at a small distance, by 1 or 5 degrees per frame: always apart, but mostly within each other's
/// bounding balls.
fn tumbling(rows: &mut Vec<Row>, share: f64) {
    for (count, required) in [(20, 10.0), (100, 25.0), (500, 90.0)] {
        for degrees in [1, 5] {
            let mut rng = Rng::with_seed(1996);
            let track = share_of(TRACK, share);
            let mut shapes = Vec::new();
            let mut queries = Vec::new();
            for _ in 0..10 {
                let (a, b) = (models::random_hull(&mut rng, count), models::random_hull(&mut rng, count));
                let poses = motion::tumble(&mut rng, &a, &b, f64::from(degrees)).take(track);
                let (first, second) = (shapes.len(), shapes.len() + 1);
                queries.extend(poses.map(|[pose_a, pose_b]| Query { a: first, b: second, pose_a, pose_b }));
                shapes.extend([Model::Hull { points: a }, Model::Hull { points: b }]);
            }
            let name = format!("hulls of {count}, tumbling by {degrees}");
            let scene = std::rc::Rc::new(Scene { name, shapes, queries, track });
            let required = (degrees == 1).then_some(required);
            rows.push(Row { scene, kind: QueryKind::WarmIntersects, required });
        }
    }
}

/// Bodies of many pieces: sixty, each in a frame of its own or all in that of the body, and a thousand, far apart and close.
fn compounds(rows: &mut Vec<Row>, share: f64) {
    let mut rng = Rng::with_seed(60);
    let pieces = |rng: &mut Rng, count: usize, size: f64| -> Vec<(Vec<DVec3>, DVec3)> {
        let place = |rng: &mut Rng| random::direction(rng) * random::uniform(rng, 0.0, 1.0).cbrt();
        let hull = |rng: &mut Rng| models::random_hull(rng, 16).into_iter().map(|point| point * size).collect();
        (0..count).map(|_| (hull(rng), place(rng))).collect()
    };
    let own = |pieces: &[(Vec<DVec3>, DVec3)]| {
        let part =
            |(points, at): &(Vec<DVec3>, DVec3)| (Model::Hull { points: points.clone() }, Pose::from_translation(*at));
        Model::Compound { parts: pieces.iter().map(part).collect() }
    };
    let common = |pieces: &[(Vec<DVec3>, DVec3)]| {
        let part = |(points, at): &(Vec<DVec3>, DVec3)| {
            (Model::Hull { points: points.iter().map(|&point| point + *at).collect() }, Pose::IDENTITY)
        };
        Model::Compound { parts: pieces.iter().map(part).collect() }
    };
    let mut add = |name: &str, shapes: Vec<Model>, count: usize, [near, far]: [f64; 2]| {
        let mut rng = Rng::with_seed(61);
        let mut place = || {
            let at = random::direction(&mut rng) * random::uniform(&mut rng, near, far);
            Query { a: 0, b: 1, pose_a: Pose::IDENTITY, pose_b: Pose::new(at, random::rotation(&mut rng)) }
        };
        let queries = (0..share_of(count, share)).map(|_| place()).collect();
        let scene = std::rc::Rc::new(Scene { name: name.into(), shapes, queries, track: 0 });
        for kind in [QueryKind::Distance, QueryKind::Intersects] {
            rows.push(Row { scene: scene.clone(), kind, required: None });
        }
    };
    let (a, b) = (pieces(&mut rng, 60, 0.15), pieces(&mut rng, 60, 0.15));
    add("60 pieces, own frames", vec![own(&a), own(&b)], 1000, [2.3, 3.0]);
    add("60 pieces, one frame", vec![common(&a), common(&b)], 1000, [2.3, 3.0]);
    let (a, b) = (pieces(&mut rng, 1000, 0.06), pieces(&mut rng, 1000, 0.06));
    let thousand = vec![own(&a), own(&b)];
    add("1000 parts, far", thousand.clone(), 200, [5.0, 20.0]);
    add("1000 parts, close", thousand, 200, [2.1, 2.2]);
}

/// Shapes of one kind, and the required ratios: distance, yes/no apart, yes/no overlapping, depth.
struct Family {
    name: &'static str,
    a: Vec<Model>,
    b: Vec<Model>,
    required: [Option<f64>; 4],
}

/// How many shapes of each kind there are.
const SHAPES: usize = 16;

fn families(rng: &mut Rng) -> Vec<Family> {
    let mut make = |draw: &dyn Fn(&mut Rng) -> Model| -> Vec<Model> { (0..SHAPES).map(|_| draw(rng)).collect() };
    let length = |rng: &mut Rng| random::uniform(rng, 0.3, 1.0);
    let lengths = |rng: &mut Rng| random::vector(rng, 0.3, 1.0);
    let cuboids = make(&|rng| Model::Cuboid { half_extents: lengths(rng) });
    let spheres = make(&|rng| Model::Sphere { radius: length(rng) });
    let capsules = make(&|rng| Model::Capsule { radius: 0.5 * length(rng), half_height: length(rng) });
    let cylinders = make(&|rng| Model::Cylinder { radius: length(rng), half_height: length(rng) });
    let cones = make(&|rng| Model::Cone { radius: length(rng), half_height: length(rng) });
    let ellipsoids = make(&|rng| Model::Ellipsoid { radii: lengths(rng) });
    let mut hulls = |count| make(&|rng| Model::Hull { points: models::random_hull(rng, count) });
    let (hulls20, hulls100, hulls500) = (hulls(20), hulls(100), hulls(500));
    let alike = |name, shapes: Vec<Model>, required| Family { name, a: shapes.clone(), b: shapes, required };
    vec![
        alike("cuboid-cuboid", cuboids.clone(), [Some(3.0), Some(2.0), Some(3.0), Some(8.0)]),
        Family { name: "cylinder-cone", a: cylinders, b: cones, required: [Some(4.0), None, None, Some(3.0)] },
        alike("ellipsoid-ellipsoid", ellipsoids, [Some(6.0), None, None, Some(6.0)]),
        alike("hulls of 20", hulls20, [Some(4.0), Some(5.0), Some(3.0), Some(4.0)]),
        alike("hulls of 100", hulls100, [Some(4.0), Some(5.0), Some(3.0), Some(3.0)]),
        alike("hulls of 500", hulls500, [Some(7.0), Some(7.0), Some(3.0), Some(4.0)]),
        Family { name: "sphere-cuboid", a: spheres, b: cuboids, required: [None; 4] },
        alike("capsule-capsule", capsules, [None; 4]),
    ]
}

fn random_pairs(rows: &mut Vec<Row>, share: f64) {
    let mut rng = Rng::with_seed(20231);
    let [mut distances, mut answers_apart, mut answers_overlapping, mut depths] = [const { Vec::new() }; 4];
    for family in families(&mut rng) {
        let count = share_of(10_000, share);
        let [distance, apart, overlapping, depth] = family.required;
        let scene = scene(&mut rng, &family, "apart", count, pairs::place_apart);
        distances.push(Row { scene: scene.clone(), kind: QueryKind::Distance, required: distance });
        answers_apart.push(Row { scene, kind: QueryKind::Intersects, required: apart });
        let scene = self::scene(&mut rng, &family, "overlapping", count, pairs::place_overlapping);
        answers_overlapping.push(Row { scene: scene.clone(), kind: QueryKind::Intersects, required: overlapping });
        depths.push(Row { scene, kind: QueryKind::Depth, required: depth });
    }
    rows.extend([distances, answers_apart, answers_overlapping, depths].into_iter().flatten());
}

/// Poses of two shapes that are given by their support functions.
type Place = fn(&mut Rng, &dyn Fn(DVec3) -> DVec3, &dyn Fn(DVec3) -> DVec3) -> (Pose, Pose);

fn scene(rng: &mut Rng, family: &Family, how: &str, count: usize, place: Place) -> std::rc::Rc<Scene> {
    let models: Vec<Model> = family.a.iter().chain(&family.b).cloned().collect();
    let queries = (0..count)
        .map(|_| {
            let (a, b) = (rng.usize(..SHAPES), SHAPES + rng.usize(..SHAPES));
            let (pose_a, pose_b) = place(rng, &|d| support(&models[a], d), &|d| support(&models[b], d));
            Query { a, b, pose_a, pose_b }
        })
        .collect();
    std::rc::Rc::new(Scene { name: format!("{}, {how}", family.name), shapes: models, queries, track: 0 })
}

/// The farthest point of a model, computed here so that a scene does not depend on the measured code.
fn support(model: &Model, d: DVec3) -> DVec3 {
    let rim = |radius: f64, y: f64| {
        let flat = DVec3::new(d.x, 0.0, d.z).normalize_or_zero() * radius;
        DVec3::new(flat.x, y, flat.z)
    };
    match *model {
        Model::Sphere { radius } => d.normalize_or_zero() * radius,
        Model::Cuboid { half_extents } => half_extents.copysign(d),
        Model::Capsule { radius, half_height } => d.normalize_or_zero() * radius + DVec3::Y * half_height.copysign(d.y),
        Model::Cylinder { radius, half_height } => rim(radius, half_height.copysign(d.y)),
        Model::Cone { radius, half_height } => {
            let (base, apex) = (rim(radius, -half_height), DVec3::Y * half_height);
            if base.dot(d) > apex.dot(d) { base } else { apex }
        }
        Model::Ellipsoid { radii } => radii * (radii * d).normalize_or_zero(),
        Model::Hull { ref points } => models::farthest(points, d),
        Model::Compound { ref parts } => {
            let point =
                |(part, pose): &(Model, Pose)| pose.transform_point(support(part, pose.inverse_transform_vector(d)));
            let highest = parts.iter().map(point).max_by(|p, q| p.dot(d).total_cmp(&q.dot(d)));
            highest.expect("a compound has parts")
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use clearance_lab::oracle;

    #[test]
    fn scenes_of_polytopes_are_apart_or_overlap_as_named() {
        let points = |model: &Model| match model {
            Model::Hull { points } if points.len() <= 120 => Some(points.clone()),
            Model::Cuboid { half_extents } => Some(models::cuboid(*half_extents)),
            _ => None,
        };
        let mut checked = 0;
        for row in rows(0.01) {
            for query in row.scene.queries.iter().step_by(10) {
                let shapes = [&row.scene.shapes[query.a], &row.scene.shapes[query.b]];
                let (Some(a), Some(b)) = (points(shapes[0]), points(shapes[1])) else { continue };
                let truth = oracle::distance(&a, query.pose_a, &b, query.pose_b);
                assert_eq!(truth.is_overlapping(), row.scene.name.ends_with("overlapping"), "{}", row.scene.name);
                checked += 1;
            }
        }
        assert!(checked > 300, "{checked}");
    }
}
