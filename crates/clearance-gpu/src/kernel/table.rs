//! Pairs out of many bodies: shapes in one table of vertices, a pose each in world coordinates.

use super::bounds::ERROR;
use super::search::{Cores, Placement, Reach, Start, WithinQuery};
use super::vector::{PoseNumbers, Rotation, Vec3, Vertex};
use super::verdict::OPEN;

/// A body in the table. Layout: 32 bytes, which a GPU loads in two steps.
#[repr(C, align(16))]
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Body {
    /// Its first vertex.
    pub first: u32,
    /// The number of its vertices; zero for a shape that the kernels do not know.
    pub count: u32,
    /// At least the bounding radius of its core.
    pub core_radius: f32,
    /// At most its radius.
    pub radius_lower: f32,
    /// At least its radius.
    pub radius_upper: f32,
    /// At most the radius of a ball about the origin that is inside of the core; negative if the origin is outside.
    pub inner: f32,
    /// Nothing.
    pub unused: [u32; 2],
}

/// Many bodies.
#[derive(Debug, Clone, Copy)]
pub struct Many<'a> {
    /// The bodies.
    pub bodies: &'a [Body],
    /// The vertices of all cores, in units.
    pub vertices: &'a [Vertex],
    /// The pose of each body.
    pub poses: &'a [PoseNumbers],
    /// Units in a length, a power of two.
    pub scale: f32,
    /// The margin in units, rounded both ways.
    pub margin: Reach,
}

impl<'a> Many<'a> {
    /// The query whether the gap of two bodies is at most the margin, with the cores of both.
    #[inline(always)]
    pub fn start(&self, [a, b]: [u32; 2]) -> Start<PairQuery<'a>, u8> {
        let (Some((body_a, pose_a)), Some((body_b, pose_b))) = (self.body(a), self.body(b)) else {
            return Start::Answered(OPEN);
        };
        let Some(placed) = Placement::of_both(pose_a, pose_b, self.scale) else { return Start::Answered(OPEN) };
        // Two roundings of each, which `ERROR` has room for: they are relative to a part of the size.
        let reach = Reach {
            lower: self.margin.lower + body_a.radius_lower + body_b.radius_lower,
            upper: self.margin.upper + body_a.radius_upper + body_b.radius_upper,
        };
        let cores = Cores {
            a: self.core(body_a),
            b: self.core(body_b),
            radii: body_a.core_radius + body_b.core_radius,
            inner: inner(body_a.inner, body_b.inner),
        };
        if cores.a.is_empty() || cores.b.is_empty() {
            return Start::Answered(OPEN);
        }
        match WithinQuery::start(ERROR, &cores, placed, reach) {
            Start::Answered(verdict) => Start::Answered(verdict),
            Start::Search(query) => Start::Search(PairQuery { cores, query }),
        }
    }

    /// Is the gap of two bodies at most the margin?
    #[inline(always)]
    pub fn within(&self, pair: [u32; 2]) -> u8 {
        let mut query = match self.start(pair) {
            Start::Answered(verdict) => return verdict,
            Start::Search(query) => query,
        };
        loop {
            if let Some(verdict) = query.round() {
                return verdict;
            }
        }
    }

    #[inline(always)]
    fn body(&self, index: u32) -> Option<(&'a Body, &'a PoseNumbers)> {
        Some((self.bodies.get(index as usize)?, self.poses.get(index as usize)?))
    }

    #[inline(always)]
    fn core(&self, body: &Body) -> &'a [Vertex] {
        let first = body.first as usize;
        self.vertices.get(first..first + body.count as usize).unwrap_or(&[])
    }
}

/// The sum of two inner radii, rounded, which `ERROR` has room for; negative if one of them is.
#[inline(always)]
fn inner(a: f32, b: f32) -> f32 {
    if a >= 0.0 && b >= 0.0 { a + b } else { -1.0 }
}

/// A query about two bodies.
#[derive(Debug, Clone, Copy)]
pub struct PairQuery<'a> {
    cores: Cores<&'a [Vertex]>,
    query: WithinQuery,
}

impl PairQuery<'_> {
    /// One round of the search; the verdict, once it is known.
    #[inline(always)]
    pub fn round(&mut self) -> Option<u8> {
        self.query.round::<true, _>(&self.cores)
    }
}

impl Placement {
    /// A at the origin, B at a pose; `None` if the rotation is none. Lengths become units.
    #[inline(always)]
    pub fn of_b(&[x, y, z, ref q @ ..]: &PoseNumbers, scale: f32) -> Option<Self> {
        let b = Rotation::of_quaternion(*q)?;
        Some(Self { a: Rotation::IDENTITY, b, t: Vec3::new(x, y, z) * scale })
    }

    /// Both at poses: the translations are subtracted first, so that bodies far from the origin lose no digit.
    #[inline(always)]
    pub fn of_both(pose_a: &PoseNumbers, pose_b: &PoseNumbers, scale: f32) -> Option<Self> {
        let &[ax, ay, az, ref qa @ ..] = pose_a;
        let &[bx, by, bz, ref qb @ ..] = pose_b;
        let (a, b) = (Rotation::of_quaternion(*qa)?, Rotation::of_quaternion(*qb)?);
        Some(Self { a, b, t: (Vec3::new(bx, by, bz) - Vec3::new(ax, ay, az)) * scale })
    }
}
