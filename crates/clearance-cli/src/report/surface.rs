//! The drawing of a shape: triangles and edges, fine enough for the eye. Nothing is computed with them but pictures.

use clearance::Shape;
use clearance::math::{DVec3, Pose};
use clearance::shape::{Convex, Mesh, Polytope};
use std::collections::HashMap;
use std::f64::consts::{PI, TAU};

/// Sides of a circle. Limit: a chord deviates from its circle by 0.2 % of the radius, less than a pixel at 400 pixels.
const SIDES: u32 = 48;

/// Rings of a ball from pole to pole. Layout: half of [`SIDES`], so that the quadrilaterals are about square.
const RINGS: u32 = 24;

/// Meshes with more triangles are drawn without edges. Limit: a line for each edge would double the page.
const MOST_WITH_LINES: usize = 200_000;

/// Triangles of a rounded shape that are searched for flat faces. Limit: the search compares each triangle with all others.
const MOST_ROUNDED: usize = 1_000;

/// Two faces whose normals deviate by more meet in an edge that is drawn. Limit: the cosine of 30 degrees, the usual angle of feature edges.
const SHARP: f64 = 0.866;

/// The surface of a shape in its own frame.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct Surface {
    pub vertices: Vec<DVec3>,
    /// Counter-clockwise from outside.
    pub triangles: Vec<[u32; 3]>,
    /// Edges to draw.
    pub lines: Vec<[u32; 2]>,
    /// Is it to be shaded across triangles that share a vertex?
    pub is_smooth: bool,
}

impl Surface {
    /// The drawing of a shape; empty for a half-space, which has no end.
    pub fn of(shape: &Shape) -> Self {
        match shape {
            Shape::Sphere(ball) if ball.radius() == 0.0 => Self { vertices: vec![DVec3::ZERO], ..Self::default() },
            Shape::Sphere(ball) => Self::ball(DVec3::splat(ball.radius())),
            Shape::Ellipsoid(ellipsoid) => Self::ball(ellipsoid.radii()),
            Shape::Cuboid(cuboid) => Self::cuboid(cuboid.half_extents()),
            Shape::Segment(segment) if segment.radius() == 0.0 => {
                Self { vertices: segment.ends().to_vec(), lines: vec![[0, 1]], ..Self::default() }
            }
            Shape::Segment(segment) => Self::capsule(segment.ends(), segment.radius()),
            Shape::Triangle(triangle) => Self {
                vertices: triangle.corners().to_vec(),
                triangles: vec![[0, 1, 2]],
                lines: vec![[0, 1], [1, 2], [2, 0]],
                is_smooth: false,
            },
            Shape::Cylinder(cylinder) => {
                let [r, h] = [cylinder.base_radius(), cylinder.half_height()];
                Self::turned(&[(r, -h), (r, h)])
            }
            Shape::Cone(cone) => Self::turned(&[(cone.base_radius(), -cone.half_height()), (0.0, cone.half_height())]),
            Shape::Polytope(polytope) => Self::polytope(polytope),
            Shape::Affine(image) => {
                Self::of(image.shape()).mapped(|v| image.matrix() * v, image.matrix().determinant())
            }
            Shape::Mesh(mesh) => Self::mesh(mesh),
            Shape::Compound(compound) => {
                Self::joined(compound.parts().iter().map(|part| Self::of(&part.shape).placed(&part.pose)).collect())
            }
            Shape::HalfSpace(_) => Self::default(),
            _ => shape.convex().map(|core| Self::sampled(shape, core)).unwrap_or_default(),
        }
    }

    /// Where its pose has it.
    pub fn placed(self, pose: &Pose) -> Self {
        self.mapped(|v| pose.transform_point(v), 1.0)
    }

    /// Its image; a map that mirrors turns the triangles round.
    fn mapped(mut self, map: impl Fn(DVec3) -> DVec3, determinant: f64) -> Self {
        self.vertices.iter_mut().for_each(|v| *v = map(*v));
        if determinant < 0.0 {
            self.triangles.iter_mut().for_each(|triangle| triangle.swap(1, 2));
        }
        self
    }

    /// Several surfaces as one, which is smooth if one of them is: flat ones get corners of their own for each triangle.
    fn joined(parts: Vec<Self>) -> Self {
        let is_smooth = parts.iter().any(|part| part.is_smooth);
        let mut whole = Self { is_smooth, ..Self::default() };
        for part in parts {
            let is_flat_among_smooth = is_smooth && !part.is_smooth;
            let first = whole.vertices.len() as u32;
            whole.vertices.extend(&part.vertices);
            whole.lines.extend(part.lines.iter().map(|line| line.map(|v| v + first)));
            for triangle in part.triangles {
                if is_flat_among_smooth {
                    let next = whole.vertices.len() as u32;
                    whole.vertices.extend(triangle.map(|v| part.vertices[v as usize]));
                    whole.triangles.push([next, next + 1, next + 2]);
                } else {
                    whole.triangles.push(triangle.map(|v| v + first));
                }
            }
        }
        whole
    }

    fn ball(radii: DVec3) -> Self {
        let rings: Vec<_> = (0..=RINGS).map(meridian).collect();
        Self { is_smooth: true, ..Self::between_rings(&rings).mapped(|v| v * radii, 1.0) }
    }

    /// Everything within a radius of a segment.
    fn capsule([a, b]: [DVec3; 2], radius: f64) -> Self {
        let length = a.distance(b);
        let end = |shift: f64| move |k: u32| (radius * meridian(k).0, shift + radius * meridian(k).1);
        let rings: Vec<_> = (0..=RINGS / 2).map(end(0.0)).chain((RINGS / 2..=RINGS).map(end(length))).collect();
        let up = (b - a).try_normalize().unwrap_or(DVec3::Y);
        let (side, forward) = up.any_orthonormal_pair();
        // x, y, z of the rings become side, up and what makes them right-handed.
        let forward = if side.cross(up).dot(forward) < 0.0 { -forward } else { forward };
        let map = |v: DVec3| a + side * v.x + up * v.y + forward * v.z;
        Self { is_smooth: true, ..Self::between_rings(&rings).mapped(map, 1.0) }
    }

    /// A side about the y axis with a cap at both ends, whose rims are sharp.
    fn turned(profile: &[(f64, f64); 2]) -> Self {
        let [(low, bottom), (high, top)] = *profile;
        let rings = [(0.0, bottom), (low, bottom), (low, bottom), (high, top), (high, top), (0.0, top)];
        let mut surface = Self { is_smooth: true, ..Self::between_rings(&rings) };
        for ring in [2, 3].into_iter().filter(|&ring| rings[ring as usize].0 > 0.0) {
            surface.lines.extend((0..SIDES).map(|k| [ring * SIDES + k, ring * SIDES + (k + 1) % SIDES]));
        }
        surface
    }

    /// Circles about the y axis, of given radii and heights, from below, and what is between each two. Those of no radius are points, and
    /// triangles that have no area are left out.
    fn between_rings(rings: &[(f64, f64)]) -> Self {
        let mut surface = Self::default();
        for &(radius, height) in rings {
            let point = |k: u32| {
                let (sin, cos) = (f64::from(k) * TAU / f64::from(SIDES)).sin_cos();
                DVec3::new(radius * cos, height, radius * sin)
            };
            surface.vertices.extend((0..SIDES).map(point));
        }
        for below in 0..rings.len() as u32 - 1 {
            let (first, second) = (below * SIDES, (below + 1) * SIDES);
            let [is_point_below, is_point_above] = [below, below + 1].map(|ring| rings[ring as usize].0 == 0.0);
            // Two rings in the same place are an edge with a corner on either side of it.
            if rings[below as usize] == rings[below as usize + 1] {
                continue;
            }
            for k in 0..SIDES {
                let next = (k + 1) % SIDES;
                if !is_point_below {
                    surface.triangles.push([first + k, second + k, first + next]);
                }
                if !is_point_above {
                    surface.triangles.push([first + next, second + k, second + next]);
                }
            }
        }
        surface
    }

    fn cuboid(half: DVec3) -> Self {
        let sign = |corner: usize, bit: usize| if corner >> bit & 1 == 1 { 1.0 } else { -1.0 };
        let corners = (0..8).map(|c| half * DVec3::new(sign(c, 0), sign(c, 1), sign(c, 2)));
        let faces = [[0, 4, 6, 2], [1, 3, 7, 5], [0, 1, 5, 4], [2, 6, 7, 3], [0, 2, 3, 1], [4, 5, 7, 6]];
        let edges = (0..8_u32).flat_map(|c| (0..3).map(move |bit| [c, c | 1 << bit])).filter(|[a, b]| a != b);
        Self {
            vertices: corners.collect(),
            triangles: faces.iter().flat_map(|&[a, b, c, d]| [[a, b, c], [a, c, d]]).collect(),
            lines: edges.collect(),
            is_smooth: false,
        }
    }

    /// A polytope of any dimension.
    pub fn polytope(polytope: &Polytope) -> Self {
        let fan = |face: &[u32]| -> Vec<[u32; 3]> {
            face.windows(2).skip(1).map(|pair| [face[0], pair[0], pair[1]]).collect()
        };
        Self {
            vertices: polytope.vertices().to_vec(),
            triangles: polytope.faces().flat_map(|face| fan(face.vertices)).collect(),
            lines: polytope.edges().map(|edge| [edge.tail, edge.head]).collect(),
            is_smooth: false,
        }
    }

    fn mesh(mesh: &Mesh) -> Self {
        let (vertices, mut triangles) = (mesh.vertices().to_vec(), mesh.triangles().to_vec());
        if mesh.report().is_inside_out {
            triangles.iter_mut().for_each(|triangle| triangle.swap(1, 2));
        }
        let lines = if triangles.len() <= MOST_WITH_LINES { sharp_edges(&vertices, &triangles) } else { Vec::new() };
        Self { vertices, triangles, lines, is_smooth: false }
    }

    /// The hull of points of the surface of a convex shape in directions all around; and of the flat faces that it is rounded from.
    fn sampled(shape: &Shape, core: &dyn Convex) -> Self {
        let all_around = Self::ball(DVec3::ONE).vertices;
        let mut points: Vec<DVec3> = all_around.iter().map(|&way| core.support(way) + way * core.radius()).collect();
        if let Shape::Rounded(rounded) = shape {
            let inner = Self::of(rounded.shape());
            for triangle in inner.triangles.iter().take(MOST_ROUNDED) {
                let corners = triangle.map(|v| inner.vertices[v as usize]);
                points.extend(corners.map(|corner| corner + normal(corners) * core.radius()));
            }
        }
        match Shape::hull(&points) {
            Ok(Shape::Polytope(hull)) => Self { lines: Vec::new(), is_smooth: true, ..Self::polytope(&hull) },
            _ => Self::default(),
        }
    }
}

/// How far from the axis and how high a ring of the unit ball is, from pole to pole.
fn meridian(k: u32) -> (f64, f64) {
    let (sin, cos) = (f64::from(k) * PI / f64::from(RINGS)).sin_cos();
    // The sine of π is not zero in doubles.
    if k == RINGS { (0.0, 1.0) } else { (sin, -cos) }
}

fn normal([a, b, c]: [DVec3; 3]) -> DVec3 {
    (b - a).cross(c - a).normalize_or_zero()
}

/// The edges of a mesh at which its surface ends or turns sharply. Corners at the same place are one, as in files that list every
/// triangle with corners of its own.
fn sharp_edges(vertices: &[DVec3], triangles: &[[u32; 3]]) -> Vec<[u32; 2]> {
    let mut first_at: HashMap<[u64; 3], u32> = HashMap::with_capacity(vertices.len());
    // Adding zero makes the two zeros one.
    let place = |v: &DVec3| v.to_array().map(|x| (x + 0.0).to_bits());
    let one: Vec<u32> = (0..).zip(vertices).map(|(v, at)| *first_at.entry(place(at)).or_insert(v)).collect();
    let mut edges: Vec<([u32; 2], u32)> = Vec::with_capacity(3 * triangles.len());
    for (number, triangle) in (0..).zip(triangles) {
        let [a, b, c] = triangle.map(|v| one[v as usize]);
        edges.extend([[a, b], [b, c], [c, a]].map(|[p, q]| ([p.min(q), p.max(q)], number)));
    }
    edges.sort_unstable();
    let normal_of = |number: u32| normal(triangles[number as usize].map(|v| vertices[v as usize]));
    let is_drawn = |run: &&[([u32; 2], u32)]| match run {
        [(_, p), (_, q)] => normal_of(*p).dot(normal_of(*q)) < SHARP,
        _ => true,
    };
    edges.chunk_by(|p, q| p.0 == q.0).filter(is_drawn).map(|run| run[0].0).filter(|[a, b]| a != b).collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use clearance::math::DMat3;
    use clearance::{Axis, HalfHeight, Radius};

    /// Six times the volume within: positive if the triangles look outwards.
    fn volume(surface: &Surface) -> f64 {
        let corner = |v: u32| surface.vertices[v as usize];
        surface.triangles.iter().map(|&[a, b, c]| corner(a).dot(corner(b).cross(corner(c)))).sum::<f64>() / 6.0
    }

    #[test]
    fn every_closed_shape_has_nearly_its_volume_and_looks_outwards() {
        let (r, h) = (Radius(0.5), HalfHeight(0.7));
        let cube = Shape::cuboid([0.3, 0.4, 0.5]).unwrap();
        let mirrored = DMat3::from_diagonal(DVec3::new(-1.0, 2.0, 1.0));
        let shapes = [
            Shape::sphere(2.0).unwrap(),
            Shape::ellipsoid([1.0, 2.0, 3.0]).unwrap(),
            cube.clone(),
            Shape::capsule(Axis::Y, r, h).unwrap(),
            Shape::capsule_between([0.1, 0.2, 0.3], [1.0, -2.0, 0.5], r).unwrap(),
            Shape::cylinder(Axis::Y, r, h).unwrap(),
            Shape::cylinder(Axis::Z, r, h).unwrap(),
            Shape::cone(Axis::X, r, h).unwrap(),
            Shape::affine(&Shape::cone(Axis::Y, r, h).unwrap(), mirrored).unwrap(),
            Shape::rounded(&cube, 0.2).unwrap(),
            Shape::rounded(&Shape::cylinder(Axis::Y, r, h).unwrap(), 0.1).unwrap(),
            Shape::hull(&[[0.0, 0.0, 0.0], [1.0, 0.0, 0.0], [0.0, 1.0, 0.0], [0.0, 0.0, 1.0]]).unwrap(),
        ];
        for shape in shapes {
            let surface = Surface::of(&shape);
            let exact = match shape.kind() {
                // A box, six slabs, twelve quarters of cylinders, and a ball; the cylinder by Steiner's formula.
                "rounded" if surface.vertices.iter().any(|v| v.y > 0.7) => {
                    let (r, h) = (0.5, 1.4);
                    PI * (r * r * h + (2.0 * r * r + 2.0 * r * h) * 0.1 + (PI * r + h) * 0.01) + 4.0 / 3.0 * PI * 0.001
                }
                "rounded" => 0.48 + 0.2 * 3.76 + PI * 0.04 * 2.4 + 4.0 / 3.0 * PI * 0.008,
                _ => shape.volume().unwrap(),
            };
            let found = volume(&surface);
            assert!(found < exact * 1.001 && found > 0.98 * exact, "{}: {found} instead of {exact}", shape.kind());
            let radius = shape.bounding_radius() * (1.0 + 1e-12);
            assert!(surface.vertices.iter().all(|v| v.length() <= radius));
        }
    }

    #[test]
    fn a_compound_of_round_and_flat_parts_keeps_the_edges_of_the_flat_ones() {
        let parts = [Shape::cuboid([1.0, 1.0, 1.0]).unwrap(), Shape::sphere(1.0).unwrap()];
        let poses = [0.0, 5.0].map(|x| Pose::from_translation([x, 0.0, 0.0]));
        let surface = Surface::of(&Shape::compound(parts.into_iter().zip(poses)).unwrap());
        assert!(surface.is_smooth && surface.lines.len() == 12);
        // No two of the twelve triangles of the box share a corner.
        let of_box: Vec<u32> = surface.triangles[..12].iter().flatten().copied().collect();
        assert_eq!(of_box.iter().collect::<std::collections::HashSet<_>>().len(), 36);
        assert!((volume(&surface) - 8.0 - 4.0 / 3.0 * PI).abs() < 0.1);
    }

    #[test]
    fn sharp_edges_are_those_of_a_box_and_the_border_of_a_shell() {
        let cube = Surface::cuboid(DVec3::ONE);
        assert_eq!(sharp_edges(&cube.vertices, &cube.triangles).len(), 12);
        // With corners of its own for every triangle, as in STL files.
        let soup: Vec<DVec3> = cube.triangles.iter().flatten().map(|&v| cube.vertices[v as usize]).collect();
        let triangles: Vec<[u32; 3]> = (0..12).map(|k| [3 * k, 3 * k + 1, 3 * k + 2]).collect();
        assert_eq!(sharp_edges(&soup, &triangles).len(), 12);
        // Without two triangles of a face, its four edges are a border: they were drawn before.
        assert_eq!(sharp_edges(&cube.vertices, &cube.triangles[2..]).len(), 12);
        // Without one, its diagonal is drawn too.
        assert_eq!(sharp_edges(&cube.vertices, &cube.triangles[1..]).len(), 13);
        let ball = Surface::ball(DVec3::ONE);
        assert!(sharp_edges(&ball.vertices, &ball.triangles).is_empty());
    }

    #[test]
    fn flat_and_empty_shapes_are_drawn_as_what_they_are() {
        let point = Surface::of(&Shape::point());
        assert!(point.vertices.len() == 1 && point.triangles.is_empty());
        let segment = Surface::of(&Shape::segment([0.0; 3], [1.0, 0.0, 0.0]).unwrap());
        assert!(segment.lines == [[0, 1]] && segment.triangles.is_empty());
        assert_eq!(Surface::of(&Shape::half_space([0.0, 1.0, 0.0], 0.0).unwrap()), Surface::default());
        // A solid that is inside out is drawn with its outside outside.
        let corners = [[0.0, 0.0, 0.0], [1.0, 0.0, 0.0], [0.0, 1.0, 0.0], [0.0, 0.0, 1.0]];
        for triangles in [[[0, 2, 1], [0, 1, 3], [1, 2, 3], [2, 0, 3]], [[0, 1, 2], [0, 3, 1], [1, 3, 2], [2, 3, 0]]] {
            assert!(volume(&Surface::of(&Shape::mesh(&corners, &triangles).unwrap())) > 0.1);
        }
        let plate = Surface::of(&Shape::cuboid([1.0, 0.0, 1.0]).unwrap());
        assert_eq!(plate.triangles.len(), 12);
        // A rounded point is a ball, a flat hull a polygon.
        assert!((volume(&Surface::of(&Shape::rounded(&Shape::point(), 1.0).unwrap())) - 4.1).abs() < 0.1);
        let square = [[0.0, 0.0, 0.0], [1.0, 0.0, 0.0], [0.0, 1.0, 0.0], [1.0, 1.0, 0.0]];
        assert!(!Surface::of(&Shape::hull(&square).unwrap()).triangles.is_empty());
    }
}
