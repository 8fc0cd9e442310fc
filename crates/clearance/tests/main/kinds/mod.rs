//! Every kind of shape, with a test of its own for whether a point is on it.

use clearance::math::{DMat3, DQuat, DVec3};
use clearance::{Axis, Convex, HalfHeight, Pose, Radius, Shape};

/// How far outside a point is: at most zero inside, zero on the surface, no more than the distance outside.
type Outside = Box<dyn Fn(DVec3) -> f64>;

/// A shape, and what is known of it without the library.
pub struct Kind {
    pub name: &'static str,
    pub shape: Shape,
    pub outside: Outside,
    /// No point is farther from the origin, but for half-spaces.
    pub size: f64,
}

/// A rounded diamond, by its support function alone.
#[derive(Debug)]
pub struct Diamond(pub f64);

impl Convex for Diamond {
    fn support(&self, d: DVec3) -> DVec3 {
        let m = d.abs();
        let axis = if m.x >= m.y && m.x >= m.z {
            DVec3::X
        } else if m.y >= m.z {
            DVec3::Y
        } else {
            DVec3::Z
        };
        self.0 * axis.copysign(d) * axis
    }

    fn radius(&self) -> f64 {
        0.125 * self.0
    }
}

fn to_segment(p: DVec3, a: DVec3, b: DVec3) -> f64 {
    let along = b - a;
    let square = along.length_squared();
    let t = if square > 0.0 { ((p - a).dot(along) / square).clamp(0.0, 1.0) } else { 0.0 };
    (p - a - t * along).length()
}

fn to_triangle(p: DVec3, [a, b, c]: [DVec3; 3]) -> f64 {
    let normal = (b - a).cross(c - a).normalize_or_zero();
    let sides = [(a, b), (b, c), (c, a)];
    if normal != DVec3::ZERO && sides.iter().all(|&(x, y)| (y - x).cross(p - x).dot(normal) >= 0.0) {
        return (p - a).dot(normal).abs();
    }
    sides.iter().map(|&(x, y)| to_segment(p, x, y)).fold(f64::INFINITY, f64::min)
}

/// How far outside the hull of a few points, by all planes that have every point on one side.
fn outside_hull(points: Vec<DVec3>) -> impl Fn(DVec3) -> f64 {
    let mut planes: Vec<(DVec3, f64)> = Vec::new();
    for (i, &x) in points.iter().enumerate() {
        for (j, &y) in points.iter().enumerate().skip(i + 1) {
            for &z in &points[j + 1..] {
                let Some(normal) = (y - x).cross(z - x).try_normalize() else { continue };
                for normal in [normal, -normal] {
                    let offset = normal.dot(x);
                    let scale = 1e-14 * points.iter().fold(0.0, |most: f64, p| most.max(p.length()));
                    if points.iter().all(|p| p.dot(normal) <= offset + scale) {
                        planes.push((normal, offset));
                    }
                }
            }
        }
    }
    move |p| planes.iter().map(|(normal, offset)| normal.dot(p) - offset).fold(f64::NEG_INFINITY, f64::max)
}

/// How far outside a box; negative inside.
fn outside_box(p: DVec3, half: DVec3) -> f64 {
    let beyond = p.abs() - half;
    if beyond.max_element() <= 0.0 { beyond.max_element() } else { beyond.max(DVec3::ZERO).length() }
}

/// The distance from the octahedron |x| + |y| + |z| <= r, from outside: the projection onto a simplex.
fn to_octahedron(p: DVec3, r: f64) -> f64 {
    let m = p.abs();
    if m.element_sum() <= r {
        return (m.element_sum() - r) / 3.0_f64.sqrt();
    }
    let mut sorted = m.to_array();
    sorted.sort_by(|a, b| b.total_cmp(a));
    // The threshold t with sum of max(m - t, 0) = r.
    let mut t = 0.0;
    let mut sum = 0.0;
    for (count, value) in (1..).zip(sorted) {
        sum += value;
        let candidate = (sum - r) / f64::from(count);
        if candidate < value {
            t = candidate;
        }
    }
    (m - (m - DVec3::splat(t)).max(DVec3::ZERO)).length()
}

fn shear() -> DMat3 {
    DMat3::from_cols([1.0, 0.5, 0.0].into(), [0.0, -1.0, 0.25].into(), [0.5, 0.0, 0.75].into())
}

/// The six corners of the hull.
fn corners(s: f64) -> [DVec3; 6] {
    [[1.0, 0.0, 0.0], [-1.0, 0.25, 0.0], [0.0, 1.0, 0.5], [0.0, -1.0, 0.5], [0.25, 0.0, 1.0], [0.0, 0.0, -1.0]]
        .map(|c| s * DVec3::from_array(c))
}

/// An angle: two bars in the shape of an L, as a solid mesh.
fn bracket(s: f64) -> Shape {
    let outline = [[-1.0, -0.25], [1.0, -0.25], [1.0, 0.25], [-0.5, 0.25], [-0.5, 1.0], [-1.0, 1.0]];
    let corners: Vec<DVec3> =
        [-0.5, 0.5].into_iter().flat_map(|z| outline.map(|[x, y]| s * DVec3::new(x, y, z))).collect();
    let caps = [[0, 1, 2], [0, 2, 3], [0, 3, 4], [0, 4, 5]];
    let mut triangles: Vec<[u32; 3]> = Vec::new();
    for [a, b, c] in caps {
        triangles.extend([[a, c, b], [6 + a, 6 + b, 6 + c]]);
    }
    for i in 0..6 {
        let j = (i + 1) % 6;
        triangles.extend([[i, j, 6 + j], [i, 6 + j, 6 + i]]);
    }
    let shape = Shape::mesh(&corners, &triangles).unwrap();
    assert!(shape.as_mesh().unwrap().is_solid());
    shape
}

/// Every kind of bounded shape, in units of `s`, and flat forms of those that can be flat.
pub fn bounded(s: f64) -> Vec<Kind> {
    let half = DVec3::new(0.5 * s, s, 0.75 * s);
    let cuboid = Shape::cuboid(half).unwrap();
    let ring: Vec<DVec3> = (0..60)
        .flat_map(|i| [-0.05, 0.05].map(|y| (f64::from(i) * std::f64::consts::TAU / 60.0, y)))
        .map(|(angle, y)| s * DVec3::new(angle.cos(), y, angle.sin()))
        .collect();
    let hull = Shape::hull(&corners(s)).unwrap();
    let parts = [([s, 0.0, 0.0], cuboid.clone()), ([-s, s, 0.0], hull.clone())];
    let parts = parts.map(|(at, shape)| (shape, Pose::from_translation(at)));
    let sheared = move |p: DVec3| shear().inverse() * p;
    // The inverse of the shear lengthens by at most this, so that the measure stays below the distance.
    let stretch = 2.0;
    let outside_cylinder = |r: f64, h: f64| move |p: DVec3| (p.x.hypot(p.z) - r).max(p.y.abs() - h);
    let outside_cone = |r: f64, h: f64| {
        move |p: DVec3| ((2.0 * h * p.x.hypot(p.z) + r * (p.y - h)) / (2.0 * h).hypot(r)).max(-h - p.y)
    };
    let segment = [DVec3::new(-s, 0.0, 0.5 * s), DVec3::new(s, 0.25 * s, 0.0)];
    let triangle = [[s, 0.0, 0.0], [-0.5 * s, s, 0.0], [0.0, -s, 0.25 * s]].map(DVec3::from_array);
    let inside_hull = outside_hull(corners(s).to_vec());
    let (in_image, in_part) = (outside_hull(corners(s).to_vec()), outside_hull(corners(s).to_vec()));
    let kind = |name, shape: Result<Shape, clearance::BuildError>, outside: Outside| Kind {
        name,
        shape: shape.unwrap(),
        outside,
        size: 2.5 * s,
    };
    vec![
        kind("point", Ok(Shape::point()), Box::new(DVec3::length)),
        kind("sphere", Shape::sphere(0.75 * s), Box::new(move |p| p.length() - 0.75 * s)),
        kind("cuboid", Ok(cuboid.clone()), Box::new(move |p| outside_box(p, half))),
        kind(
            "rectangle",
            Shape::cuboid([s, 0.0, 0.5 * s]),
            Box::new(move |p| outside_box(p, DVec3::new(s, 0.0, 0.5 * s))),
        ),
        kind(
            "capsule",
            Shape::capsule(Axis::Y, Radius(0.25 * s), HalfHeight(s)),
            Box::new(move |p| to_segment(p, DVec3::Y * -s, DVec3::Y * s) - 0.25 * s),
        ),
        kind(
            "cylinder",
            Shape::cylinder(Axis::Y, Radius(0.5 * s), HalfHeight(0.75 * s)),
            Box::new(outside_cylinder(0.5 * s, 0.75 * s)),
        ),
        kind("disc", Shape::cylinder(Axis::Y, Radius(s), HalfHeight(0.0)), Box::new(outside_cylinder(s, 0.0))),
        kind(
            "cone",
            Shape::cone(Axis::Y, Radius(0.75 * s), HalfHeight(0.5 * s)),
            Box::new(outside_cone(0.75 * s, 0.5 * s)),
        ),
        kind(
            "capsule about x",
            Shape::capsule(Axis::X, Radius(0.25 * s), HalfHeight(s)),
            Box::new(move |p| to_segment(p, DVec3::X * -s, DVec3::X * s) - 0.25 * s),
        ),
        kind("cylinder about z", Shape::cylinder(Axis::Z, Radius(0.5 * s), HalfHeight(0.75 * s)), {
            let upright = outside_cylinder(0.5 * s, 0.75 * s);
            Box::new(move |p| upright(DVec3::new(p.x, p.z, p.y)))
        }),
        kind("cone about x", Shape::cone(Axis::X, Radius(0.75 * s), HalfHeight(0.5 * s)), {
            let upright = outside_cone(0.75 * s, 0.5 * s);
            Box::new(move |p| upright(DVec3::new(p.y, p.x, p.z)))
        }),
        kind(
            "ellipsoid",
            Shape::ellipsoid([0.5 * s, s, 0.75 * s]),
            Box::new(move |p| ((p / half).length() - 1.0) * 0.5 * s),
        ),
        kind(
            "flat ellipsoid",
            Shape::ellipsoid([0.5 * s, 0.0, s]),
            Box::new(move |p| (((p.x / (0.5 * s)).hypot(p.z / s) - 1.0) * 0.5 * s).max(p.y.abs())),
        ),
        kind(
            "segment",
            Shape::segment(segment[0], segment[1]),
            Box::new(move |p| to_segment(p, segment[0], segment[1])),
        ),
        kind(
            "triangle",
            Shape::triangle(triangle[0], triangle[1], triangle[2]),
            Box::new(move |p| to_triangle(p, triangle)),
        ),
        kind("hull", Ok(hull.clone()), Box::new(inside_hull)),
        kind(
            "disk of 60",
            Shape::hull(&ring),
            Box::new(move |p| {
                let side = |i: u32| {
                    let (sin, cos) = (std::f64::consts::TAU * (f64::from(i) + 0.5) / 60.0).sin_cos();
                    p.x * cos + p.z * sin - s * (std::f64::consts::PI / 60.0).cos()
                };
                (0..60).map(side).fold(p.y.abs() - 0.05 * s, f64::max)
            }),
        ),
        kind(
            "polygon",
            Shape::hull(&[[s, 0.0, 0.0], [0.0, s, 0.0], [-s, 0.0, 0.0], [0.0, -s, 0.0]]),
            Box::new(move |p| ((p.x.abs() + p.y.abs() - s) / 2.0_f64.sqrt()).max(p.z.abs())),
        ),
        kind("affine hull", Shape::affine(&hull, shear()), Box::new(move |p| in_image(sheared(p)) / stretch)),
        kind(
            "affine ball",
            Shape::affine(&Shape::sphere(s).unwrap(), shear()),
            Box::new(move |p| (sheared(p).length() - s) / stretch),
        ),
        kind("rounded", Shape::rounded(&cuboid, 0.125 * s), Box::new(move |p| outside_box(p, half) - 0.125 * s)),
        kind("custom", Shape::custom(Diamond(s)), Box::new(move |p| to_octahedron(p, s) - 0.125 * s)),
        kind(
            "compound",
            Shape::compound(parts),
            Box::new(move |p| outside_box(p - DVec3::X * s, half).min(in_part(p - DVec3::new(-s, s, 0.0)))),
        ),
        kind("solid mesh", Ok(bracket(s)), {
            let upright = s * DVec3::new(-0.75, 0.375, 0.0);
            let [lying, standing] = [[1.0, 0.25, 0.5], [0.25, 0.625, 0.5]].map(|half| s * DVec3::from_array(half));
            Box::new(move |p| outside_box(p, lying).min(outside_box(p - upright, standing)))
        }),
        kind("shell", Shape::mesh(&[triangle[0], triangle[1], triangle[2], DVec3::Z * s], &[[0, 1, 2], [0, 2, 3]]), {
            let other = [triangle[0], triangle[2], DVec3::Z * s];
            Box::new(move |p| to_triangle(p, triangle).min(to_triangle(p, other)))
        }),
    ]
}

/// The half-space, in units of `s`.
pub fn half_space(s: f64) -> Kind {
    let normal = DVec3::new(2.0, 6.0, 3.0) / 7.0;
    Kind {
        name: "half-space",
        shape: Shape::half_space([2.0, 6.0, 3.0], 7.0 * 0.5 * s).unwrap(),
        outside: Box::new(move |p| p.dot(normal) - 0.5 * s),
        size: s,
    }
}

/// A vector with each coordinate from -`size` to `size`.
pub fn vector(rng: &mut fastrand::Rng, size: f64) -> DVec3 {
    DVec3::from_array([(); 3].map(|()| size * (2.0 * rng.f64() - 1.0)))
}

/// A rotation.
pub fn rotation(rng: &mut fastrand::Rng) -> DQuat {
    DQuat::from_array([(); 4].map(|()| rng.f64() - 0.5)).normalize()
}
