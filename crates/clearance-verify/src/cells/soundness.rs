//! No bound of a leaf is above what it bounds.

use super::proofs::pairs;
use super::*;
use crate::parts::Flat;
use crate::{Pose, Query, Shape};
use fastrand::Rng;

pub(super) type Point = [f64; 3];

fn dot(a: Point, b: Point) -> f64 {
    a[0] * b[0] + a[1] * b[1] + a[2] * b[2]
}

fn cross(a: Point, b: Point) -> Point {
    [a[1] * b[2] - a[2] * b[1], a[2] * b[0] - a[0] * b[2], a[0] * b[1] - a[1] * b[0]]
}

fn unit(v: Point) -> Point {
    let length = v[0].hypot(v[1]).hypot(v[2]);
    v.map(|x| x / length)
}

/// How far a branch of a shape reaches, with all radii, by the definition of the format.
fn branch_height(shape: &Shape, index: u32, d: Point) -> Option<f64> {
    let length = |v: Point| v[0].hypot(v[1]).hypot(v[2]);
    Some(match shape {
        Shape::Sphere { radius } if index == 0 => radius * length(d),
        Shape::Capsule { radius, half_height: h } if index < 2 => [-h, *h][index as usize] * d[1] + radius * length(d),
        Shape::Cylinder { radius, half_height: h } if index < 2 => {
            [-h, *h][index as usize] * d[1] + radius * d[0].hypot(d[2])
        }
        Shape::Cone { radius, half_height: h } => match index {
            0 => h * d[1],
            1 => -h * d[1] + radius * d[0].hypot(d[2]),
            _ => return None,
        },
        Shape::Ellipsoid { radii } if index == 0 => length(std::array::from_fn(|i| radii[i] * d[i])),
        Shape::Affine { shape, matrix } => {
            branch_height(shape, index, std::array::from_fn(|i| (0..3).map(|j| matrix[j][i] * d[j]).sum()))?
        }
        Shape::Rounded { shape, radius } => branch_height(shape, index, d)? + radius * length(d),
        Shape::Sphere { .. } | Shape::Capsule { .. } | Shape::Cylinder { .. } | Shape::Ellipsoid { .. } => return None,
        polytope => dot(*polytope.core_vertices()?.get(index as usize)?, d),
    })
}

fn branch_count(shape: &Shape) -> u32 {
    (0..).find(|&index| branch_height(shape, index, [0.0; 3]).is_none()).unwrap_or(0)
}

/// A pair as the tests see it, in doubles, with the frame of the cells.
pub(super) struct Pair {
    query: Query,
    frame: [Point; 3],
    counts: [u32; 2],
}

impl Pair {
    pub fn new(query: Query, axis: Point, side: Point) -> Self {
        let u = unit(axis);
        let along = dot(side, u);
        let e1 = unit(std::array::from_fn(|i| side[i] - along * u[i]));
        let counts = [&query.a, &query.b].map(branch_count);
        Self { query, frame: [e1, cross(u, e1), u], counts }
    }

    pub fn direction(&self, longitude: f64, latitude: f64) -> Point {
        let [e1, e2, u] = self.frame;
        let (sin, cos) = longitude.sin_cos();
        let (up, out) = latitude.sin_cos();
        std::array::from_fn(|i| out * (cos * e1[i] + sin * e2[i]) + up * u[i])
    }

    /// The heights of the branches of both shapes along n and -n; translations are taken from A's origin.
    pub fn branches(&self, n: Point) -> [Vec<f64>; 2] {
        let Query { a, pose_a, b, pose_b } = &self.query;
        let back = |pose: &Pose, n: Point| {
            let [x, y, z, w] = pose.rotation;
            turned([-x, -y, -z, w], n)
        };
        let between: Point = std::array::from_fn(|i| pose_b.translation[i] - pose_a.translation[i]);
        let opposite = n.map(|x| -x);
        let all = |shape: &Shape, count: u32, d: Point, shift: f64| {
            (0..count).map(|index| branch_height(shape, index, d).unwrap_or(f64::NAN) + shift).collect()
        };
        [
            all(a, self.counts[0], back(pose_a, n), 0.0),
            all(b, self.counts[1], back(pose_b, opposite), dot(between, opposite)),
        ]
    }

    pub fn height(&self, n: Point) -> f64 {
        self.branches(n).iter().map(|all| all.iter().copied().fold(f64::NEG_INFINITY, f64::max)).sum()
    }

    pub fn best(&self, n: Point) -> [u32; 2] {
        self.branches(n).map(|all| (0..all.len()).max_by(|&i, &j| all[i].total_cmp(&all[j])).unwrap_or(0) as u32)
    }

    pub fn mix_height(&self, mix: &Mix, n: Point) -> f64 {
        let [a, b] = self.branches(n);
        let mean = |all: &[f64], terms: &[(u32, f64)]| {
            let total: f64 = terms.iter().map(|(_, weight)| weight).sum();
            terms.iter().map(|&(index, weight)| weight / total * all[index as usize]).sum::<f64>()
        };
        mean(&a, &mix.a) + mean(&b, &mix.b)
    }

    /// The latitude of the least height on a meridian.
    pub fn valley(&self, longitude: f64, [south, north]: [f64; 2]) -> f64 {
        let height = |latitude: f64| self.height(self.direction(longitude, latitude));
        let (mut low, mut high) = (south, north);
        while high - low > 1e-12 {
            let count = 8;
            let at = |k: i32| low + (high - low) * f64::from(k) / f64::from(count);
            let best = (0..=count).min_by(|&i, &j| height(at(i)).total_cmp(&height(at(j)))).unwrap_or(0);
            let range = [at((best - 1).max(0)), at((best + 1).min(count))];
            if range == [low, high] {
                break;
            }
            [low, high] = range;
        }
        0.5 * (low + high)
    }

    pub fn size(&self) -> f64 {
        let Query { a, b, pose_a, pose_b } = &self.query;
        let between: Point = std::array::from_fn(|i| pose_b.translation[i] - pose_a.translation[i]);
        a.reach() + b.reach() + between[0].hypot(between[1]).hypot(between[2])
    }

    pub fn radii(&self) -> f64 {
        self.query.a.split().1.iter().chain(&self.query.b.split().1).sum()
    }
}

fn random_shape(random: &mut Rng, level: u32) -> Shape {
    let mut size = || 0.1 + 3.0 * random.f64();
    let (x, y, z) = (size(), size(), size());
    let tiny = 10_f64.powf(-8.0 * random.f64());
    let vertex = |random: &mut Rng| [0; 3].map(|_| (random.f64() - 0.5) * 4.0);
    match random.u32(0..if level == 0 { 13 } else { 11 }) {
        0 => Shape::Point {},
        1 => Shape::Sphere { radius: x },
        2 => Shape::Cuboid { half_extents: [x, y, z] },
        3 => Shape::Capsule { radius: x, half_height: y },
        4 => Shape::Cylinder { radius: x, half_height: y },
        5 => Shape::Cone { radius: x, half_height: y },
        6 => Shape::Ellipsoid { radii: [x, y, z] },
        // A needle, a plate, nearly a ball.
        7 => Shape::Ellipsoid { radii: [x, x * tiny, y * tiny] },
        8 => Shape::Ellipsoid { radii: [x, x * tiny, y] },
        9 => Shape::Ellipsoid { radii: [x, x * (1.0 + 0.01 * tiny), x * (1.0 - 0.02 * tiny)] },
        10 => Shape::Segment { a: vertex(random), b: vertex(random) },
        11 => {
            let rows = [0; 3].map(|_| [0; 3].map(|_| (random.f64() - 0.5) * 2.0));
            Shape::Affine { shape: Box::new(random_shape(random, level + 1)), matrix: rows }
        }
        _ => Shape::Rounded { shape: Box::new(random_shape(random, level + 1)), radius: x },
    }
}

fn random_pose(random: &mut Rng, far: f64) -> Pose {
    let rotation = match random.u32(0..3) {
        0 => [0.0, 0.0, 0.0, 1.0],
        1 => {
            let tilt = 10_f64.powf(-9.0 * random.f64());
            [tilt * random.f64(), tilt * random.f64(), tilt * random.f64(), 1.5]
        }
        _ => [0; 4].map(|_| random.f64() - 0.5),
    };
    let offset = far * 10_f64.powf(-6.0 * random.f64());
    Pose { translation: [0; 3].map(|_| offset * (random.f64() - 0.5)), rotation }
}

fn random_pair(random: &mut Rng) -> (Pair, Point, Point) {
    let shapes = [0; 2].map(|_| random_shape(random, 0));
    let [a, b] = shapes;
    let mut pose_a = random_pose(random, 1.0);
    let mut pose_b = random_pose(random, 2.0);
    if random.u32(0..8) == 0 {
        // Far from the world's origin, in numbers that leave the difference exact.
        for i in 0..3 {
            pose_a.translation[i] = 1024.0;
            pose_b.translation[i] = 1024.0 + (pose_b.translation[i] * 1e9).round() / 2_f64.powi(30);
        }
    }
    let mut any = || [0; 3].map(|_| (random.f64() - 0.5) * 3.0);
    let (axis, side) = (any(), any());
    let (axis, side) = if random.u32(0..3) == 0 { ([0.0, 1.0, 0.0], [1.0, 0.0, 0.0]) } else { (axis, side) };
    (Pair::new(Query { a, pose_a, b, pose_b }, axis, side), axis, side)
}

fn random_cell(random: &mut Rng) -> Cell {
    let mut range = |limit: f64| {
        let middle = (2.0 * random.f64() - 1.0) * limit;
        let half = 0.5 * limit * 10_f64.powf(-5.0 * random.f64());
        match random.u32(0..6) {
            0 => [limit - half, limit],
            1 => [-limit, half - limit],
            _ => [(middle - half).max(-limit), (middle + half).min(limit)],
        }
    };
    Cell { longitude: range(ALL.longitude[1]), latitude: range(ALL.latitude[1]) }
}

fn random_mix(random: &mut Rng, pair: &Pair, best: [u32; 2]) -> Mix {
    let side = |random: &mut Rng, of: usize| match random.u32(0..3) {
        0 => vec![(best[of], 2.5)],
        _ => {
            let count = random.usize(1..4);
            let mut terms: Vec<(u32, f64)> =
                (0..count).map(|_| (random.u32(0..pair.counts[of]), random.f64())).collect();
            terms.push((best[of], 1.0));
            terms
        }
    };
    Mix { a: side(random, 0), b: side(random, 1) }
}

#[test]
fn no_bound_of_a_leaf_is_above_the_heights_in_its_cell() {
    let mut random = Rng::with_seed(41);
    let (mut strips, mut near) = (0, 0);
    // CELLS=1000000 is the long form.
    let rounds = std::env::var("CELLS").ok().and_then(|text| text.parse().ok()).unwrap_or(12_000);
    for round in 0..rounds {
        let (pair, axis, side) = random_pair(&mut random);
        let flat = [Flat::new(&pair.query.a), Flat::new(&pair.query.b)];
        let pairs = pairs(&pair.query, &flat);
        let mut form = Form::new(&pairs[0], Frame::new(axis, side).unwrap()).unwrap();
        let cell = random_cell(&mut random);
        let ([west, east], [south, north]) = (cell.longitude, cell.latitude);
        let best = pair.best(pair.direction(0.5 * (west + east), 0.5 * (south + north)));
        let node = if round % 4 == 0 {
            Node::Plane { a: best[0], b: best[1] }
        } else {
            let at = match random.u32(0..4) {
                0 => south,
                1 => north,
                _ => south + (north - south) * random.f64(),
            };
            let count = random.usize(0..4);
            let half = 0.5 * (east - west);
            let lines = (0..count).map(|_| {
                let m = (random.f64() - 0.5) * (north - south) / half;
                [m, (random.f64() - 0.5) * (north - south)]
            });
            let lines: Vec<[f64; 2]> = lines.collect();
            let mixes = (0..=count).map(|_| random_mix(&mut random, &pair, best)).collect();
            Node::Strip { at, mixes, lines }
        };
        let bound = match leaf_bound(&mut form, &cell, &node) {
            Ok(bound) => bound / form.scale + pair.radii(),
            Err(Trouble::Fault(why)) if why.contains("quarter") => continue,
            Err(trouble) => panic!("{trouble:?}"),
        };
        let tolerance = 1e-13 * pair.size();
        let mut least = f64::INFINITY;
        for sample in 0..200 {
            let [x, y] = match sample {
                0..4 => [f64::from(sample % 2), f64::from(sample / 2)],
                4..30 => [random.f64(), f64::from(sample % 2)],
                30..60 => [f64::from(sample % 2), random.f64()],
                _ => [random.f64(), random.f64()],
            };
            let (longitude, latitude) = (west + (east - west) * x, south + (north - south) * y);
            // Beyond the poles there are no directions that are not elsewhere too, and planes leave them out.
            let quarter = std::f64::consts::FRAC_PI_2;
            let is_plane = matches!(node, Node::Plane { .. });
            let latitude = if is_plane { latitude.clamp(-quarter, quarter) } else { latitude };
            let n = pair.direction(longitude, latitude);
            // A strip's bound holds for the mixes whose pieces the direction is in, not only for the maximum.
            let height = match &node {
                Node::Strip { at, mixes, lines } => {
                    let (tau, b) = (longitude - 0.5 * (west + east), (latitude - at).sin());
                    let under = |line: usize| b <= lines[line][0] * tau + lines[line][1];
                    let over = |line: usize| b >= lines[line][0] * tau + lines[line][1];
                    let inside =
                        |piece: &usize| (*piece == 0 || over(piece - 1)) && (*piece == lines.len() || under(*piece));
                    let pieces = (0..mixes.len()).filter(inside);
                    pieces.map(|piece| pair.mix_height(&mixes[piece], n)).fold(f64::INFINITY, f64::min)
                }
                _ => pair.height(n),
            };
            assert!(
                height >= bound - tolerance,
                "round {round}: {height} < {bound} in {cell:?} {node:?} {:?}",
                pair.query
            );
            assert!(pair.height(n) >= height - tolerance || matches!(node, Node::Plane { .. }));
            least = least.min(height);
        }
        if matches!(node, Node::Strip { .. }) {
            strips += 1;
            near += u32::from(least - bound < 1e-3 * pair.size());
        }
    }
    assert!(3 * strips > rounds && near * 2 > strips, "the bounds are not worth much: {near} of {strips} are near");
}

/// A vector turned by a quaternion of any length, rounded.
fn turned([x, y, z, w]: [f64; 4], v: [f64; 3]) -> [f64; 3] {
    let cross =
        |a: [f64; 3], b: [f64; 3]| [a[1] * b[2] - a[2] * b[1], a[2] * b[0] - a[0] * b[2], a[0] * b[1] - a[1] * b[0]];
    let square = x * x + y * y + z * z + w * w;
    let q = [x, y, z];
    let inner = cross(q, v);
    let inner: [f64; 3] = std::array::from_fn(|i| inner[i] + w * v[i]);
    let outer = cross(q, inner);
    std::array::from_fn(|i| v[i] + 2.0 * outer[i] / square)
}
