//! Shapes as plain data, with the two things a proof needs of them: how far they reach, and what is inside.

use crate::evidence::Member;
use crate::number::{
    Dyadic, Matrix, Number, Roots, Unclear, Vector, add, cross, dot, map, meter, negate, scale, transpose, vector,
};
use crate::pose::Pose;
use serde::{Deserialize, Serialize};
use std::cmp::Ordering;

/// The deepest nesting of shapes, and of evidence. Limit: the readers are recursive, and so is the depth of `compound` in the format of scenes.
const MOST_LEVELS: u32 = 32;

/// Terms of a mean, at most. Limit: exact numbers grow with each term.
const MOST_TERMS: usize = 64;

/// Triangles of a mesh, at most. Limit: each is a part, which takes some hundred bytes.
const MOST_TRIANGLES: usize = 1 << 20;

/// A shape in its own frame. Upright shapes have the y axis and are centred at the origin; the cone's apex is up.
///
/// Written with serde, these are the shapes of the file formats; `"axis": "x"` or `"z"` there is an image or a rounded segment here.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case", deny_unknown_fields)]
#[allow(missing_docs)] // The fields are what the file formats call them.
pub enum Shape {
    /// The origin.
    Point {},
    /// A ball.
    Sphere { radius: f64 },
    /// A box.
    Cuboid { half_extents: [f64; 3] },
    /// Everything within the radius of a segment along y.
    Capsule { radius: f64, half_height: f64 },
    /// A cylinder.
    Cylinder { radius: f64, half_height: f64 },
    /// A cone.
    Cone { radius: f64, half_height: f64 },
    /// An ellipsoid.
    Ellipsoid { radii: [f64; 3] },
    /// A segment.
    Segment { a: [f64; 3], b: [f64; 3] },
    /// A triangle.
    Triangle { a: [f64; 3], b: [f64; 3], c: [f64; 3] },
    /// The convex hull of points.
    Hull { points: Vec<[f64; 3]> },
    /// All x with normal · x <= offset; the normal may have any length.
    HalfSpace { normal: [f64; 3], offset: f64 },
    /// Triangles, each by the numbers of three vertices. A surface is closed and oriented if every edge, by the numbers of its ends, is run
    /// through as often one way as the other. Then the points that it winds around belong to the shape too. Otherwise it is a shell, its
    /// triangles and nothing else.
    Mesh { vertices: Vec<[f64; 3]>, triangles: Vec<[u32; 3]> },
    /// The image of a convex shape, a half-space or a mesh under a matrix, given by rows.
    Affine { shape: Box<Shape>, matrix: [[f64; 3]; 3] },
    /// Everything within the radius of a convex shape or a half-space.
    Rounded { shape: Box<Shape>, radius: f64 },
    /// A union of parts, which may be compounds themselves. Evidence counts them depth first, every triangle of a mesh as a part.
    Compound(Vec<Part>),
}

/// A part of a compound.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Part {
    /// Its shape.
    pub shape: Shape,
    /// Where it is in the frame of the compound.
    #[serde(default)]
    pub pose: Pose,
}

/// Why evidence proves nothing.
#[derive(Debug, Clone, PartialEq)]
pub(crate) enum Trouble {
    /// This kind of number cannot tell.
    Unclear,
    /// It is wrong, or of the wrong kind.
    Fault(String),
}

impl From<Unclear> for Trouble {
    fn from(_: Unclear) -> Self {
        Self::Unclear
    }
}

/// A point `p / weight` with a positive weight.
pub(crate) type Homogeneous<N> = (Vector<N>, N);

impl Shape {
    /// The fault in the numbers or the structure, if there is one.
    pub(crate) fn fault(&self) -> Option<String> {
        self.fault_at(0, true)
    }

    fn fault_at(&self, level: u32, may_be_compound: bool) -> Option<String> {
        let fail = |what: &str| Some(what.to_owned());
        if level > MOST_LEVELS {
            return fail("a shape is nested too deep");
        }
        let sizes = |sizes: &[f64]| {
            let fine = sizes.iter().all(|x| x.is_finite() && *x >= 0.0);
            if fine { None } else { fail("a size is negative or not finite") }
        };
        let coordinates = |points: &[[f64; 3]]| {
            let fine = points.iter().flatten().all(|x| x.is_finite());
            if fine { None } else { fail("a coordinate is not finite") }
        };
        match self {
            Self::Point {} => None,
            Self::Sphere { radius } => sizes(&[*radius]),
            Self::Cuboid { half_extents: all } | Self::Ellipsoid { radii: all } => sizes(all),
            Self::Capsule { radius, half_height }
            | Self::Cylinder { radius, half_height }
            | Self::Cone { radius, half_height } => sizes(&[*radius, *half_height]),
            Self::Segment { a, b } => coordinates(&[*a, *b]),
            Self::Triangle { a, b, c } => coordinates(&[*a, *b, *c]),
            Self::Hull { points } if points.is_empty() => fail("a hull has no points"),
            Self::Hull { points } => coordinates(points),
            Self::HalfSpace { normal: [0.0, 0.0, 0.0], .. } => fail("the normal of a half-space is zero"),
            Self::HalfSpace { normal, offset } => coordinates(&[*normal, [*offset, 0.0, 0.0]]),
            Self::Mesh { triangles, .. } if triangles.is_empty() => fail("a mesh has no triangles"),
            Self::Mesh { triangles, .. } if triangles.len() > MOST_TRIANGLES => {
                fail("a mesh has more than a million triangles")
            }
            Self::Mesh { vertices, triangles } => {
                let is_there = |corner: &u32| (*corner as usize) < vertices.len();
                match triangles.iter().flatten().all(is_there) {
                    true => coordinates(vertices),
                    false => fail("a triangle names a vertex that is not there"),
                }
            }
            Self::Affine { shape, matrix } => coordinates(matrix).or_else(|| shape.fault_at(level + 1, false)),
            Self::Rounded { shape, .. } if shape.is_mesh() => fail("a mesh is rounded"),
            Self::Rounded { shape, radius } => sizes(&[*radius]).or_else(|| shape.fault_at(level + 1, false)),
            Self::Compound(_) if !may_be_compound => fail("a compound is mapped or rounded as one"),
            Self::Compound(parts) if parts.is_empty() => fail("a compound has no parts"),
            Self::Compound(parts) => {
                parts.iter().find_map(|part| part.pose.fault().or_else(|| part.shape.fault_at(level + 1, true)))
            }
        }
    }

    /// About how many numbers it is written with. The work of a check may grow with it.
    pub(crate) fn numbers(&self) -> u64 {
        match self {
            Self::Hull { points } => 3 * points.len() as u64,
            Self::Mesh { vertices, triangles } => 3 * (vertices.len() + triangles.len()) as u64,
            Self::Affine { shape, .. } => 9 + shape.numbers(),
            Self::Rounded { shape, .. } => 1 + shape.numbers(),
            Self::Compound(parts) => parts.iter().map(|part| 7 + part.shape.numbers()).sum(),
            _ => 9,
        }
    }

    /// Is it a half-space, or made of one?
    pub(crate) fn is_plane(&self) -> bool {
        match self {
            Self::HalfSpace { .. } => true,
            Self::Affine { shape, .. } | Self::Rounded { shape, .. } => shape.is_plane(),
            _ => false,
        }
    }

    /// Is it a mesh, or the image of one?
    pub(crate) fn is_mesh(&self) -> bool {
        match self {
            Self::Mesh { .. } => true,
            Self::Affine { shape, .. } => shape.is_mesh(),
            _ => false,
        }
    }

    /// The shape as a core and balls that are added to it; cores are what evidence is about.
    pub(crate) fn split(&self) -> (&Self, Vec<f64>) {
        match self {
            Self::Sphere { radius } | Self::Capsule { radius, .. } => (self, vec![*radius]),
            Self::Rounded { shape, radius } => {
                let (core, mut radii) = shape.split();
                radii.push(*radius);
                (core, radii)
            }
            _ => (self, Vec::new()),
        }
    }

    /// The vertices of the core, if it is a polytope.
    pub(crate) fn core_vertices(&self) -> Option<Vec<[f64; 3]>> {
        Some(match self {
            Self::Point {} | Self::Sphere { .. } => vec![[0.0; 3]],
            Self::Capsule { half_height: h, .. } => vec![[0.0, -h, 0.0], [0.0, *h, 0.0]],
            Self::Segment { a, b } => vec![*a, *b],
            Self::Triangle { a, b, c } => vec![*a, *b, *c],
            Self::Hull { points } => points.clone(),
            // Vertex v is on the positive side of x, y, z where bit 0, 1, 2 is set.
            Self::Cuboid { half_extents: h } => (0..8)
                .map(|v| std::array::from_fn(|axis| if v >> axis & 1 == 1 { h[axis] } else { -h[axis] }))
                .collect(),
            _ => return None,
        })
    }

    /// A bound on the distance of any point from the origin; of a half-space the distance of its plane. Rounded, and only
    /// used to decide what is close.
    pub(crate) fn reach(&self) -> f64 {
        let length = |v: &[f64; 3]| v[0].hypot(v[1]).hypot(v[2]);
        let farthest = |points: &[[f64; 3]]| points.iter().map(length).fold(0.0, f64::max);
        if self.is_plane() {
            return plane::<Dyadic>(self).map_or(f64::INFINITY, |plane| plane.reach());
        }
        match self {
            Self::Point {} => 0.0,
            Self::Sphere { radius } => *radius,
            Self::Cuboid { half_extents } => length(half_extents),
            Self::Capsule { radius, half_height } => radius + half_height,
            Self::Cylinder { radius, half_height } | Self::Cone { radius, half_height } => radius.hypot(*half_height),
            Self::Ellipsoid { radii } => radii.iter().copied().fold(0.0, f64::max),
            Self::Segment { a, b } => farthest(&[*a, *b]),
            Self::Triangle { a, b, c } => farthest(&[*a, *b, *c]),
            Self::Hull { points } => farthest(points),
            // Compounds and meshes are taken apart before.
            Self::HalfSpace { .. } | Self::Mesh { .. } | Self::Compound(_) => f64::INFINITY,
            Self::Affine { shape, matrix } => shape.reach() * length(&matrix.map(|row| length(&row))),
            Self::Rounded { shape, radius } => shape.reach() + radius,
        }
    }

    /// The vertex of that number, before any matrix, if the core is a polytope.
    fn vertex(&self, index: usize) -> Option<[f64; 3]> {
        match self {
            // The list of a large hull is not copied for one point.
            Self::Hull { points } => points.get(index).copied(),
            _ => self.core_vertices()?.get(index).copied(),
        }
    }
}

/// All x with normal · x <= offset.
pub(crate) struct Plane<N> {
    pub normal: Vector<N>,
    pub offset: Roots<N>,
}

impl Plane<Dyadic> {
    /// How far it is from the origin, about. Both sides of the inequality may be beyond the doubles; their ratio is not.
    fn reach(&self) -> f64 {
        let sizes = self.normal.iter().filter(|x| x.sign() != Ok(Ordering::Equal)).map(Dyadic::height);
        let power = -sizes.max().unwrap_or(0);
        let [x, y, z] = [0, 1, 2].map(|i| self.normal[i].rounded(power));
        let roots =
            self.offset.roots.iter().map(|(factor, square)| factor.rounded(0) * square.rounded(2 * power).sqrt());
        let offset = self.offset.plain.rounded(power).abs() + roots.sum::<f64>().abs();
        offset / x.hypot(y).hypot(z)
    }
}

/// The plane of a half-space, mapped and rounded as it is written. The caller knows that it is one.
///
/// The image of n·x <= d under M is n·M⁻¹y <= d. With the cofactors C of M, M⁻ᵀ = C / det M: times |det M| that is
/// ± C n · y <= |det M| d. A ball of radius r moves the plane by r along its normal, so adds r |n| to d.
pub(crate) fn plane<N: Number>(shape: &Shape) -> Result<Plane<N>, Trouble> {
    match shape {
        Shape::HalfSpace { normal, offset } => {
            Ok(Plane { normal: vector(*normal), offset: Roots::plain(N::of(*offset)) })
        }
        Shape::Rounded { shape, radius } => {
            let Plane { normal, offset } = plane::<N>(shape)?;
            let square = dot(&normal, &normal);
            Ok(Plane { normal, offset: offset.and_root(N::of(*radius), square) })
        }
        Shape::Affine { shape, matrix } => {
            let Plane { normal, offset } = plane::<N>(shape)?;
            let rows: Matrix<N> = matrix_of(matrix);
            let cofactors = [cross(&rows[1], &rows[2]), cross(&rows[2], &rows[0]), cross(&rows[0], &rows[1])];
            let determinant = dot(&rows[0], &cofactors[0]);
            let image = map(&cofactors, &normal);
            match determinant.sign()? {
                Ordering::Greater => Ok(Plane { normal: image, offset: offset.times(&determinant) }),
                Ordering::Less => Ok(Plane { normal: negate(&image), offset: offset.times(&determinant.negated()) }),
                Ordering::Equal => Err(Trouble::Fault("a half-space is mapped by a matrix without an inverse".into())),
            }
        }
        _ => Err(Trouble::Fault("the evidence names a half-space where the shape has none".into())),
    }
}

/// How far the core of a shape reaches along a direction of any length: the largest of the alternatives.
pub(crate) fn core_heights<N: Number>(core: &Shape, n: &Vector<N>) -> Vec<Roots<N>> {
    // Exact numbers count their own work as well.
    meter::charge(16 + core.numbers());
    match core {
        Shape::Sphere { .. } => vec![Roots::plain(N::zero())],
        Shape::Capsule { half_height, .. } => vec![Roots::plain(N::of(*half_height).times(&absolute(&n[1])))],
        _ => heights(core, n),
    }
}

/// How far a bounded convex shape reaches along a direction of any length.
fn heights<N: Number>(shape: &Shape, n: &Vector<N>) -> Vec<Roots<N>> {
    let across = || n[0].squared().plus(&n[2].squared());
    match shape {
        Shape::Point {} => vec![Roots::plain(N::zero())],
        Shape::Segment { a, b } => highest(&[*a, *b], n),
        Shape::Triangle { a, b, c } => highest(&[*a, *b, *c], n),
        Shape::Hull { points } => highest(points, n),
        Shape::Cuboid { half_extents } => {
            let sides = half_extents.iter().zip(n).map(|(h, n)| N::of(*h).times(&absolute(n)));
            vec![Roots::plain(sides.fold(N::zero(), |sum, side| sum.plus(&side)))]
        }
        Shape::Sphere { radius } => vec![Roots::plain(N::zero()).and_root(N::of(*radius), dot(n, n))],
        Shape::Capsule { radius, half_height } => {
            vec![Roots::plain(N::of(*half_height).times(&absolute(&n[1]))).and_root(N::of(*radius), dot(n, n))]
        }
        Shape::Cylinder { radius, half_height } => {
            vec![Roots::plain(N::of(*half_height).times(&absolute(&n[1]))).and_root(N::of(*radius), across())]
        }
        Shape::Cone { radius, half_height } => {
            let apex = N::of(*half_height).times(&n[1]);
            vec![Roots::plain(apex.negated()).and_root(N::of(*radius), across()), Roots::plain(apex)]
        }
        Shape::Ellipsoid { radii } => {
            let scaled: Vector<N> = std::array::from_fn(|i| N::of(radii[i]).times(&n[i]));
            vec![Roots::plain(N::zero()).and_root(N::of(1.0), dot(&scaled, &scaled))]
        }
        Shape::Affine { shape, matrix } => heights(shape, &map(&transpose(&matrix_of(matrix)), n)),
        Shape::Rounded { shape, radius } => {
            let all = heights(shape, n).into_iter();
            all.map(|height| height.and_root(N::of(*radius), dot(n, n))).collect()
        }
        // Not bounded or not convex: the caller has taken these apart.
        Shape::HalfSpace { .. } | Shape::Mesh { .. } | Shape::Compound(_) => Vec::new(),
    }
}

fn highest<N: Number>(points: &[[f64; 3]], n: &Vector<N>) -> Vec<Roots<N>> {
    let all = points.iter().map(|v| dot(&vector(*v), n));
    all.reduce(|a, b| a.larger(&b)).map(Roots::plain).into_iter().collect()
}

fn absolute<N: Number>(x: &N) -> N {
    x.larger(&x.negated())
}

fn matrix_of<N: Number>(rows: &[[f64; 3]; 3]) -> Matrix<N> {
    rows.map(vector)
}

/// The point that evidence places in the core of a shape.
pub(crate) fn core_member<N: Number>(core: &Shape, evidence: &Member) -> Result<Homogeneous<N>, Trouble> {
    member(core, evidence, true, 0)
}

/// The point that evidence places in a shape, radius and all.
pub(crate) fn whole_member<N: Number>(shape: &Shape, evidence: &Member) -> Result<Homogeneous<N>, Trouble> {
    member(shape, evidence, false, 0)
}

/// The point that evidence places in a shape, or in its core.
fn member<N: Number>(shape: &Shape, evidence: &Member, core: bool, level: u32) -> Result<Homogeneous<N>, Trouble> {
    let fault = |what: &str| Err(Trouble::Fault(what.to_owned()));
    if level > MOST_LEVELS {
        return fault("the evidence is nested too deep");
    }
    let one = || N::of(1.0);
    match (evidence, shape) {
        (Member::Vertex(index), _) => match (shape.vertex(*index as usize), shape) {
            (Some(vertex), _) => Ok((vector(vertex), one())),
            (None, Shape::Affine { shape, matrix }) => {
                let (p, weight) = member(shape, evidence, false, level + 1)?;
                Ok((map(&matrix_of(matrix), &p), weight))
            }
            // Inside an image, where the whole shape is needed: its core belongs to it.
            (None, Shape::Rounded { shape, .. }) => member(shape, evidence, false, level + 1),
            _ => fault("a vertex is named that the shape does not have"),
        },
        (Member::Mix(terms), _) => {
            if terms.len() > MOST_TERMS || terms.iter().any(|(_, term)| matches!(term, Member::Mix(_))) {
                return fault("a mean has more than 64 terms, or is one of means");
            }
            // Σ s p / w so far, its divisor, and Σ s.
            let (mut sum, mut divisor, mut shares) = (vector::<N>([0.0; 3]), one(), N::zero());
            for (share, term) in terms {
                if !(share.is_finite() && *share >= 0.0) {
                    return fault("a weight is negative or not finite");
                }
                if *share > 0.0 {
                    let (p, weight) = member::<N>(shape, term, core, level + 1)?;
                    let share = N::of(*share);
                    let term = scale(&p, &share.times(&divisor));
                    sum = add(&scale(&sum, &weight), &term);
                    divisor = divisor.times(&weight);
                    shares = shares.plus(&share);
                }
            }
            if terms.iter().all(|(share, _)| *share == 0.0) {
                return fault("the weights are all zero");
            }
            Ok((sum, divisor.times(&shares)))
        }
        (Member::At(p), _) => {
            if !p.iter().all(|x| x.is_finite()) {
                return fault("a coordinate of a point is not finite");
            }
            // The core of a ball is its centre, that of a capsule a segment: their inequalities are not those of the core.
            if core && matches!(shape, Shape::Sphere { .. } | Shape::Capsule { .. }) {
                return fault("a point is given where a vertex of the core is needed");
            }
            match contains(shape, &vector::<N>(*p))? {
                true => Ok((vector(*p), one())),
                false => fault("a point is outside its shape"),
            }
        }
        (Member::Image(inner), Shape::Affine { shape, matrix }) => {
            let (p, weight) = member(shape, inner, false, level + 1)?;
            Ok((map(&matrix_of(matrix), &p), weight))
        }
        (Member::Offset { core: inner, offset }, _) if !core => {
            let (kernel, radii) = shape.split();
            if radii.is_empty() {
                return fault("an offset is given for a shape that is not round");
            }
            if !offset.iter().all(|x| x.is_finite()) {
                return fault("an offset is not finite");
            }
            let offset = vector::<N>(*offset);
            let radius = radii.into_iter().fold(N::zero(), |sum, radius| sum.plus(&N::of(radius)));
            if dot(&offset, &offset).compare(&radius.squared())? == Ordering::Greater {
                return fault("an offset is longer than the radius");
            }
            let (p, weight) = member(kernel, inner, true, level + 1)?;
            Ok((add(&p, &scale(&offset, &weight)), weight))
        }
        _ => fault("the evidence is of a kind that does not fit its shape"),
    }
}

/// Some point of the core of a convex shape: a vertex, or the origin, which is in everything else.
pub(crate) fn core_point<N: Number>(core: &Shape) -> Vector<N> {
    match core {
        Shape::Segment { .. } | Shape::Triangle { .. } | Shape::Hull { .. } => {
            vector(core.vertex(0).unwrap_or([0.0; 3]))
        }
        Shape::Affine { shape, matrix } => map(&matrix_of(matrix), &core_point(shape)),
        Shape::Rounded { shape, .. } => core_point(shape),
        _ => vector([0.0; 3]),
    }
}

/// Is a point in a shape that is described by an inequality?
pub(crate) fn contains<N: Number>(shape: &Shape, [x, y, z]: &Vector<N>) -> Result<bool, Trouble> {
    let at_most = |a: &N, b: &N| -> Result<bool, Unclear> { Ok(a.compare(b)? != Ordering::Greater) };
    let round = |radius: f64| at_most(&x.squared().plus(&z.squared()), &N::of(radius).squared());
    Ok(match shape {
        Shape::Point {} => {
            [x, y, z].into_iter().try_fold(true, |zero, c| Ok::<_, Unclear>(zero && c.sign()? == Ordering::Equal))?
        }
        Shape::Sphere { radius } => {
            let square = x.squared().plus(&y.squared()).plus(&z.squared());
            at_most(&square, &N::of(*radius).squared())?
        }
        Shape::Cuboid { half_extents: [a, b, c] } => {
            at_most(&absolute(x), &N::of(*a))?
                && at_most(&absolute(y), &N::of(*b))?
                && at_most(&absolute(z), &N::of(*c))?
        }
        Shape::Cylinder { radius, half_height } => at_most(&absolute(y), &N::of(*half_height))? && round(*radius)?,
        Shape::Cone { radius, half_height } => {
            // √(x² + z²) <= radius (h - y) / 2h
            let h = N::of(*half_height);
            let wide = h.plus(&h).squared().times(&x.squared().plus(&z.squared()));
            let allowed = N::of(*radius).times(&h.minus(y)).squared();
            at_most(&absolute(y), &h)? && round(*radius)? && at_most(&wide, &allowed)?
        }
        Shape::Ellipsoid { radii } => {
            // Σ x_i² Π_(j≠i) r_j² <= Π r_j² over the axes that are not flat; on the others the point must be zero.
            let axes: Vec<(&N, N)> = [x, y, z].into_iter().zip(radii.map(|r| N::of(r).squared())).collect();
            let (mut sum, mut product) = (N::zero(), N::of(1.0));
            for (coordinate, square) in &axes {
                if square.sign()? == Ordering::Equal {
                    if coordinate.sign()? != Ordering::Equal {
                        return Ok(false);
                    }
                    continue;
                }
                sum = sum.times(square).plus(&coordinate.squared().times(&product));
                product = product.times(square);
            }
            at_most(&sum, &product)?
        }
        _ => return Err(Trouble::Fault("a point is given where vertices are needed".into())),
    })
}
