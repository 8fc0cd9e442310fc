//! Shapes as the kernels see them: the vertices of a core and a radius, rounded to `f32` in a unit of their own.

use crate::kernel::boxes::Halves;
use crate::kernel::search::{Cores, Reach};
use crate::kernel::vector::{Vec3, Vertex};
use clearance::math::DVec3;
use clearance::{Convex, Shape};

/// Largest number of vertices of a core on the device. Limit: a scan of more is slower than the library's table.
const MAX_VERTICES: usize = 1024;

/// Sizes of shapes on the device. Bound: a unit is a power of two near the size, and it and one over it are normal numbers in `f32`.
const SIZES: std::ops::Range<f64> = 1e-30..1e30;

/// More than the rounding error of a sum of three doubles, relative. Bound: 3 ε / 2.
pub(crate) const SUM: f64 = 4.0 * f64::EPSILON;

/// A polytope with a radius.
#[derive(Debug, Clone)]
pub(crate) struct Core {
    pub points: Vec<DVec3>,
    pub radius: f64,
    /// How far the library allows the shape to be off.
    pub slack: f64,
    /// At most the radius of a ball about the origin that is inside of the core; negative if the origin is not known to be inside.
    pub inner: f64,
}

impl Core {
    /// That of a shape, if it is a polytope with a radius and not too large.
    pub fn of(shape: &Shape) -> Option<Self> {
        let (convex, count): (&dyn Convex, usize) = match shape {
            Shape::Sphere(sphere) => (sphere, 1),
            Shape::Segment(segment) => (segment, 2),
            Shape::Triangle(triangle) => (triangle, 3),
            Shape::Cuboid(cuboid) => (cuboid, 8),
            Shape::Polytope(polytope) => (&**polytope, polytope.vertex_count()),
            Shape::Rounded(rounded) => {
                let inner = Self::of(rounded.shape())?;
                return Some(Self { radius: rounded.radius(), slack: rounded.slack(), ..inner });
            }
            _ => return None,
        };
        if count > MAX_VERTICES {
            return None;
        }
        let points = (0..count as u32).map(|i| convex.vertex(i)).collect::<Option<Vec<_>>>()?;
        // The library knows a ball about the center of a hull, a point of the core.
        let inner = match shape {
            Shape::Cuboid(cuboid) => cuboid.half_extents().min_element(),
            _ => convex.inner_radius() - convex.center().length() * (1.0 + SUM),
        };
        Some(Self { points, radius: convex.radius(), slack: convex.slack(), inner: inner * (1.0 - SUM) })
    }

    /// At least the distance of any point of the core from the origin.
    pub fn core_radius(&self) -> f64 {
        self.points.iter().map(|point| point.length()).fold(0.0, f64::max) * (1.0 + SUM)
    }

    /// At least the distance of any point of the shape from the origin.
    pub fn size(&self) -> f64 {
        (self.core_radius() + self.radius + self.slack) * (1.0 + SUM)
    }

    /// The vertices in units.
    pub fn vertices(&self, unit: Unit) -> impl Iterator<Item = Vertex> {
        self.points.iter().map(move |&point| {
            let DVec3 { x, y, z } = point * unit.scale;
            Vertex { numbers: [x as f32, y as f32, z as f32, 0.0] }
        })
    }

    /// The radius in units, rounded both ways.
    pub fn radius_in(&self, unit: Unit) -> Reach {
        unit.reach(self.radius, self.slack)
    }
}

/// A unit of length: a power of two, so that lengths become units without rounding.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Unit {
    /// Units in a length.
    pub scale: f64,
}

impl Unit {
    /// One that is at least the size and less than twice it; `None` for sizes that `f32` has no room for.
    pub fn of(size: f64) -> Option<Self> {
        if !SIZES.contains(&size) {
            return None;
        }
        // The exponent of the size, exactly: the bits above the 52 of the fraction. Sizes are normal numbers.
        let power = f64::from_bits(size.to_bits() & !((1 << 52) - 1));
        Some(Self { scale: 0.5 / power })
    }

    /// A length in units, rounded both ways, with an error that widens it.
    pub fn reach(self, length: f64, error: f64) -> Reach {
        let [lower, upper] = [(length - error) * (1.0 - SUM), (length + error) * (1.0 + SUM)];
        Reach { lower: down(lower * self.scale), upper: up(upper * self.scale) }
    }
}

/// An inner radius in units, rounded down; -1 for a negative one.
pub(crate) fn inner_in(unit: Unit, inner: f64) -> f32 {
    if inner >= 0.0 { down(inner * unit.scale) } else { -1.0 }
}

/// The nearest `f32` that is not larger.
pub(crate) fn down(x: f64) -> f32 {
    let near = x as f32;
    if f64::from(near) > x { near.next_down() } else { near }
}

/// The nearest `f32` that is not smaller.
pub(crate) fn up(x: f64) -> f32 {
    let near = x as f32;
    if f64::from(near) < x { near.next_up() } else { near }
}

/// Two shapes for the search.
#[derive(Debug, Clone)]
pub(crate) struct PairTable {
    /// The vertices of A, then those of B.
    pub vertices: Vec<Vertex>,
    pub count_a: usize,
    pub radii: f32,
    pub inner: f32,
    pub unit: Unit,
    radius: f64,
    slack: f64,
}

impl PairTable {
    /// The table of two shapes, if the kernels know both.
    pub fn of(a: &Shape, b: &Shape) -> Option<Self> {
        let (a, b) = (Core::of(a)?, Core::of(b)?);
        let unit = Unit::of(a.size() + b.size())?;
        Some(Self {
            vertices: a.vertices(unit).chain(b.vertices(unit)).collect(),
            count_a: a.points.len(),
            radii: up((a.core_radius() + b.core_radius()) * (1.0 + SUM) * unit.scale),
            inner: inner_in(
                unit,
                if a.inner < 0.0 || b.inner < 0.0 { -1.0 } else { (a.inner + b.inner) * (1.0 - SUM) },
            ),
            unit,
            radius: a.radius + b.radius,
            slack: a.slack + b.slack,
        })
    }

    /// The reach for a margin.
    pub fn reach(&self, margin: f64) -> Reach {
        self.unit.reach(self.radius + margin, self.slack)
    }

    /// Units in a length.
    pub fn scale(&self) -> f32 {
        // A power of two between 1e-31 and 1e31.
        self.unit.scale as f32
    }

    /// As the kernels take it.
    pub fn cores(&self) -> Cores<&[Vertex]> {
        let (a, b) = self.vertices.split_at(self.count_a);
        Cores { a, b, radii: self.radii, inner: self.inner }
    }
}

/// Two boxes, if both shapes are.
pub(crate) fn halves(a: &Shape, b: &Shape) -> Option<Halves> {
    let (Shape::Cuboid(a), Shape::Cuboid(b)) = (a, b) else { return None };
    let rough = |v: DVec3| Vec3::new(v.x as f32, v.y as f32, v.z as f32);
    Some(Halves { a: rough(a.half_extents()), b: rough(b.half_extents()) })
}
