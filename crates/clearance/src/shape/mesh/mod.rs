//! Triangle meshes: what they are made of, what is wrong with them, and what is inside.
//!
//! A mesh whose surface is **closed and consistently oriented** (every edge is run through as often one way as the other) bounds a
//! **solid**. The solid is the set of points whose winding number (`winding.rs`) is not zero, and the surface itself. Any other mesh is a
//! **shell**, its surface and nothing else. Nothing is repaired in silence: faults are counted, with places, in a [`MeshReport`], and
//! [`Mesh::filled`] closes holes (`fill.rs`) for callers who ask for it.
//!
//! **In queries** a solid is everything in it: what is inside of it overlaps it. A shell has only its surface.
//!
//! Decisions about the mesh in its own coordinates are exact (`math/exact.rs`): which triangles have no area, which cross, where a point
//! is. Coordinates smaller than 2^-250 of the largest count as zero.

mod adjacency;
mod crossing;
mod field;
mod fill;
mod hull;
mod report;
#[cfg(test)]
pub(crate) mod tests;
mod topology;
mod winding;

pub(crate) use adjacency::Adjacency;
pub(crate) use field::{DistanceField, nearest_on_triangle};
pub use fill::{FilledMesh, Hole};
pub(crate) use hull::MeshHull;
pub use report::{MeshReport, Places};
pub use winding::Side;

use crate::error::{self, BuildError};
use crate::math::Aabb;
use crate::math::exact::{self, Scale};
use crate::shape::polytope::{Polytope, convex_hull};
use crate::tree::{WideTree, WideView};
use glam::{DMat3, DVec3};
use rustc_hash::FxHashMap;
use std::borrow::Cow;
use std::sync::{Arc, OnceLock};
use topology::Topology;

/// Limit: triangles and their corners, three for each, are counted in 32 bits.
#[doc(hidden)]
pub const MAX_TRIANGLES: usize = 1 << 29;

/// A triangle mesh, checked once: indices in range, coordinates finite. See the [module](self).
///
/// [`Shape::mesh`](crate::Shape::mesh) makes a shape of one. Its faults, and whether it is a solid, are computed at the first call that
/// needs them.
///
/// ```
/// use clearance::shape::{Mesh, Side};
///
/// let corners = [[0.0, 0.0, 0.0], [1.0, 0.0, 0.0], [0.0, 1.0, 0.0], [0.0, 0.0, 1.0]];
/// let solid = Mesh::new(&corners, &[[0, 2, 1], [0, 1, 3], [1, 2, 3], [2, 0, 3]])?;
/// assert!(solid.is_solid() && solid.report().is_clean());
/// assert!((solid.volume() - 1.0 / 6.0).abs() < 1e-15);
/// assert_eq!(solid.side_of([0.1, 0.1, 0.1]), Side::Inside);
///
/// let shell = Mesh::new(&corners, &[[0, 2, 1], [0, 1, 3], [1, 2, 3]])?;
/// assert!(!shell.is_solid());
/// assert_eq!(shell.report().open_edges.count, 3);
/// # Ok::<(), clearance::BuildError>(())
/// ```
#[derive(Debug, Clone)]
pub struct Mesh {
    vertices: Vec<DVec3>,
    triangles: Vec<[u32; 3]>,
    /// To the unit in which predicates are exact.
    scale: Scale,
    tree: WideTree,
    bounding_radius: f64,
    bounds: Aabb,
    /// How far rounding may have moved a vertex from where it was written to be.
    slack: f64,
    /// Was it mirrored, and its triangles turned over for that?
    is_turned: bool,
    topology: OnceLock<Topology>,
    report: OnceLock<MeshReport>,
    hull: OnceLock<Option<Arc<Polytope>>>,
    pieces: OnceLock<Arc<MeshPieces>>,
    field: OnceLock<Arc<DistanceField>>,
    adjacency: OnceLock<Arc<Adjacency>>,
}

/// Convex pieces that are proved to be inside of a solid.
#[derive(Debug, Default)]
pub(crate) struct MeshPieces {
    pub inner: Vec<Arc<Polytope>>,
    /// Do they leave out thin parts only?
    pub is_whole: bool,
}

impl Mesh {
    /// A mesh of vertices and triangles, three numbers of vertices each, counter-clockwise seen from outside.
    ///
    /// # Errors
    ///
    /// If there is no triangle or more than 2²⁹, a coordinate is not finite or beyond
    /// [`MAX_COORDINATE`](crate::error::MAX_COORDINATE), or a number is not that of a vertex. Everything else is in the
    /// [report](Mesh::report).
    pub fn new<P: Copy + Into<DVec3>>(vertices: &[P], triangles: &[[u32; 3]]) -> Result<Self, BuildError> {
        let vertices: Vec<DVec3> = vertices.iter().map(|&vertex| vertex.into()).collect();
        for (i, &vertex) in vertices.iter().enumerate() {
            error::vector(|| format!("vertices[{i}]"), vertex)?;
        }
        if triangles.is_empty() {
            return Err(BuildError::Empty { field: "triangles".into() });
        }
        let too_many = |field: &str, len: usize| BuildError::TooMany { field: field.into(), len, max: MAX_TRIANGLES };
        if triangles.len() > MAX_TRIANGLES {
            return Err(too_many("triangles", triangles.len()));
        }
        if vertices.len() > MAX_TRIANGLES {
            return Err(too_many("vertices", vertices.len()));
        }
        for (i, corners) in triangles.iter().enumerate() {
            if let Some(k) = corners.iter().position(|&corner| corner as usize >= vertices.len()) {
                let (field, index) = (format!("triangles[{i}][{k}]"), corners[k] as usize);
                return Err(BuildError::NoSuchEntry { field, index, len: vertices.len() });
            }
        }
        Ok(Self::built(vertices, triangles.to_vec()))
    }

    /// This mesh with vertices at exactly the same place made one, as files without shared vertices need it.
    ///
    /// ```
    /// use clearance::shape::Mesh;
    ///
    /// // Two triangles of a square, as an STL file has them.
    /// let corners = [[0., 0., 0.], [1., 0., 0.], [1., 1., 0.], [0., 0., 0.], [1., 1., 0.], [0., 1., 0.]];
    /// let loose = Mesh::new(&corners, &[[0, 1, 2], [3, 4, 5]])?;
    /// assert_eq!((loose.vertices().len(), loose.report().open_edges.count), (6, 6));
    /// let welded = loose.welded();
    /// assert_eq!((welded.vertices().len(), welded.report().open_edges.count), (4, 4));
    /// # Ok::<(), clearance::BuildError>(())
    /// ```
    #[must_use]
    pub fn welded(&self) -> Self {
        let mut numbers = FxHashMap::default();
        let mut vertices = Vec::new();
        let mut number = |vertex: DVec3| {
            // Zero and minus zero are one place.
            let key = (vertex + DVec3::ZERO).to_array().map(f64::to_bits);
            *numbers.entry(key).or_insert_with(|| {
                vertices.push(vertex);
                vertices.len() as u32 - 1
            })
        };
        let renumbered: Vec<u32> = self.vertices.iter().map(|&vertex| number(vertex)).collect();
        let triangles =
            self.triangles.iter().map(|corners| corners.map(|corner| renumbered[corner as usize])).collect();
        Self::built(vertices, triangles)
    }

    fn built(vertices: Vec<DVec3>, triangles: Vec<[u32; 3]>) -> Self {
        let corners = |triangle: &[u32; 3]| triangle.map(|corner| vertices[corner as usize]);
        let tree = WideTree::build(triangles.iter().map(|triangle| Aabb::of_points(corners(triangle))));
        let used = || triangles.iter().flat_map(corners);
        let bounding_radius =
            // A length has three products, two sums and a root: less than 2 ε.
            used().fold(0.0_f64, |most, vertex| most.max(vertex.length())) * (1.0 + 2.0 * f64::EPSILON);
        let bounds = Aabb::of_points(used());
        // Of what triangles use: a vertex that is far away and none of them would make all others negligible.
        let scale = Scale::of(&[bounds.min, bounds.max]);
        Self {
            vertices,
            triangles,
            scale,
            tree,
            bounding_radius,
            bounds,
            slack: 0.0,
            is_turned: false,
            topology: OnceLock::new(),
            report: OnceLock::new(),
            hull: OnceLock::new(),
            pieces: OnceLock::new(),
            field: OnceLock::new(),
            adjacency: OnceLock::new(),
        }
    }

    /// Its image under a linear map. Where that mirrors, triangles are turned over, so that outside stays outside.
    ///
    /// Every answer allows for the rounding error, see [`slack`](Self::slack).
    pub(crate) fn mapped(&self, matrix: DMat3) -> Result<Self, BuildError> {
        error::matrix(matrix)?;
        let vertices: Vec<DVec3> = self.vertices.iter().map(|&vertex| matrix * vertex).collect();
        for (i, &vertex) in vertices.iter().enumerate() {
            error::vector(|| format!("the image of vertices[{i}]"), vertex)?;
        }
        let is_mirrored = matrix.determinant() < 0.0;
        let turned = |&[a, b, c]: &[u32; 3]| if is_mirrored { [a, c, b] } else { [a, b, c] };
        let triangles = self.triangles.iter().map(turned).collect();
        // Three products and two sums to a coordinate; the norm of Frobenius is at least that of the map.
        let norm = (0..3).map(|k| matrix.col(k).length_squared()).sum::<f64>().sqrt() * (1.0 + 4.0 * f64::EPSILON);
        let is_exact = (0..3).all(|k| [matrix.col(k), matrix.row(k)].iter().all(exchanges));
        // Three products and two sums to a coordinate round by less than 3 ε.
        let rounded = if is_exact { 0.0 } else { 3.0 * f64::EPSILON * norm * self.bounding_radius };
        let (slack, is_turned) = (norm * self.slack + rounded, self.is_turned != is_mirrored);
        Ok(Self { slack, is_turned, ..Self::built(vertices, triangles) })
    }

    /// This solid with its triangles counter-clockwise seen from outside; nothing if they are so already.
    pub(crate) fn turned_outward(&self) -> Option<Self> {
        let turned = || self.triangles.iter().map(|&[a, b, c]| [a, c, b]).collect();
        let slack = self.slack;
        self.report().is_inside_out.then(|| Self { slack, ..Self::built(self.vertices.clone(), turned()) })
    }

    /// The components whose surface is closed and consistently oriented, as one mesh, and all others as another.
    pub(crate) fn separated(&self) -> (Option<Cow<'_, Self>>, Option<Cow<'_, Self>>) {
        if self.is_solid() {
            return (Some(Cow::Borrowed(self)), None);
        }
        let is_open = topology::open_triangles(self);
        let part = |wanted: bool| {
            let triangles: Vec<[u32; 3]> =
                self.triangles.iter().zip(&is_open).filter(|&(_, &open)| open == wanted).map(|(t, _)| *t).collect();
            let slack = self.slack;
            (!triangles.is_empty()).then(|| Cow::Owned(Self { slack, ..Self::built(self.vertices.clone(), triangles) }))
        };
        match part(false) {
            Some(solid) => (Some(solid), part(true)),
            None => (None, Some(Cow::Borrowed(self))),
        }
    }

    /// The vertices, those that no triangle uses included.
    #[must_use]
    pub fn vertices(&self) -> &[DVec3] {
        &self.vertices
    }

    /// The triangles: three numbers of vertices each.
    #[must_use]
    pub fn triangles(&self) -> &[[u32; 3]] {
        &self.triangles
    }

    /// The corners of a triangle.
    ///
    /// # Panics
    ///
    /// If there is no such triangle.
    #[inline]
    #[must_use]
    pub fn corners(&self, triangle: u32) -> [DVec3; 3] {
        let [a, b, c] = self.triangles[triangle as usize];
        [self.vertices[a as usize], self.vertices[b as usize], self.vertices[c as usize]]
    }

    /// Faults of the mesh, if any. It takes as long as a look for all triangles that cross, and is made once.
    #[must_use]
    pub fn report(&self) -> &MeshReport {
        self.report.get_or_init(|| MeshReport::of(self))
    }

    /// Does it bound a solid: is its surface closed and consistently oriented?
    #[must_use]
    pub fn is_solid(&self) -> bool {
        self.topology().is_closed
    }

    fn topology(&self) -> &Topology {
        self.topology.get_or_init(|| Topology::of(self))
    }

    /// A vertex of every connected part of the surface.
    pub(crate) fn components(&self) -> impl Iterator<Item = DVec3> {
        self.topology().components.iter().map(|&vertex| self.vertices[vertex as usize])
    }

    /// Its convex hull, which is made when it is first asked for; nothing if there are too many vertices for one.
    ///
    /// The vertices that triangles use are those of the hull, or inside of it; they are numbered anew.
    ///
    /// ```
    /// let corners = [[0.0, 0.0, 0.0], [1.0, 0.0, 0.0], [0.0, 1.0, 0.0], [0.2, 0.2, 0.0]];
    /// let sheet = clearance::shape::Mesh::new(&corners, &[[0, 1, 3], [1, 2, 3], [2, 0, 3]])?;
    /// assert_eq!(sheet.hull().map(|hull| hull.vertices().len()), Some(3));
    /// # Ok::<(), clearance::BuildError>(())
    /// ```
    #[must_use]
    pub fn hull(&self) -> Option<&Arc<Polytope>> {
        let make = || {
            let mut is_used = vec![false; self.vertices.len()];
            self.triangles.iter().flatten().for_each(|&corner| is_used[corner as usize] = true);
            let used = self.vertices.iter().zip(is_used).filter(|(_, is_used)| *is_used).map(|(vertex, _)| *vertex);
            convex_hull(&used.collect::<Vec<_>>()).ok().map(Arc::new)
        };
        self.hull.get_or_init(make).as_ref()
    }

    /// Its convex pieces, which are made when they are first asked for. How is the business of `decompose`, which knows meshes, and not
    /// the other way round.
    pub(crate) fn pieces(&self, make: impl FnOnce() -> MeshPieces) -> &MeshPieces {
        self.pieces.get_or_init(|| Arc::new(make()))
    }

    /// Its distance grid and inner samples, made by the first call.
    pub(crate) fn field(&self) -> &DistanceField {
        self.field.get_or_init(|| Arc::new(DistanceField::of(self)))
    }

    /// Neighbours and flat faces, made by the first call.
    pub(crate) fn adjacency(&self) -> &Adjacency {
        self.adjacency.get_or_init(|| Arc::new(Adjacency::of(self)))
    }

    /// The convex pieces inside of it that were made for a [`depth()`](crate::depth()), if one was asked for before.
    ///
    /// ```
    /// use clearance::{DepthBudget, Pose, Shape, depth};
    ///
    /// let corners = [[0.0, 0.0, 0.0], [1.0, 0.0, 0.0], [0.0, 1.0, 0.0], [0.0, 0.0, 1.0]];
    /// let solid = Shape::mesh(&corners, &[[0, 2, 1], [0, 1, 3], [1, 2, 3], [2, 0, 3]])?;
    /// let mesh = solid.as_mesh().expect("it is one");
    /// assert!(mesh.kept_pieces().is_none());
    /// let _ = depth(&solid, Pose::IDENTITY, &solid, Pose::from_translation([0.1, 0.2, 0.3]), DepthBudget::default());
    /// assert_eq!(mesh.kept_pieces().map(<[_]>::len), Some(1));
    /// # Ok::<(), clearance::BuildError>(())
    /// ```
    #[must_use]
    #[doc(hidden)]
    pub fn kept_pieces(&self) -> Option<&[Arc<Polytope>]> {
        self.pieces.get().map(|pieces| pieces.inner.as_slice())
    }

    /// How far rounding may have moved a vertex from where it was written to be: of images under linear maps.
    pub(crate) fn slack(&self) -> f64 {
        self.slack
    }

    /// Do its triangles have their second and third corner exchanged, compared with how they were written?
    #[cfg(feature = "proof")]
    pub(crate) fn is_turned(&self) -> bool {
        self.is_turned
    }

    /// Its memory, in bytes.
    #[must_use]
    pub fn bytes(&self) -> usize {
        let vertices = size_of::<DVec3>() * self.vertices.capacity();
        vertices + size_of::<[u32; 3]>() * self.triangles.capacity() + self.tree.bytes()
    }

    /// A bound on the distance of any point of the surface from the origin.
    #[must_use]
    pub fn bounding_radius(&self) -> f64 {
        self.bounding_radius
    }

    /// The smallest box around the surface.
    #[must_use]
    pub fn aabb(&self) -> Aabb {
        self.bounds
    }

    /// The volume of a solid, to rounding: negative if it is inside out, zero for a shell.
    ///
    /// A sixth of the sum of the determinants of all triangles, seen from the middle of the box.
    #[must_use]
    pub fn volume(&self) -> f64 {
        if !self.is_solid() {
            return 0.0;
        }
        let cube = |length: f64| length * length * length;
        cube(self.scale.length(1.0)) * self.scaled_volume()
    }

    /// The volume in the unit in which predicates are exact, where no product is too large.
    fn scaled_volume(&self) -> f64 {
        let middle = self.scale.point(self.bounds.center());
        let six_times = |i: u32| {
            let [a, b, c] = self.scaled_corners(i).map(|corner| corner - middle);
            a.dot(b.cross(c))
        };
        (0..self.triangles.len() as u32).map(six_times).sum::<f64>() / 6.0
    }

    /// How far a scaled coordinate that counts as zero may have been from it; twice that.
    fn grain(&self) -> f64 {
        2.0 * self.scale.length(exact::NEGLIGIBLE)
    }

    /// The tree of its triangles.
    pub(crate) fn tree(&self) -> &WideTree {
        &self.tree
    }

    /// The tree with heights, for distances. They are built on the first call.
    pub(crate) fn tree_with_heights(&self) -> WideView<'_> {
        let largest = self.bounds.min.abs().max(self.bounds.max.abs()).max_element();
        self.tree.view_with_heights(largest, |triangle| self.corners(triangle))
    }

    /// The corners of a triangle in the unit in which predicates are exact.
    fn scaled_corners(&self, triangle: u32) -> [DVec3; 3] {
        self.corners(triangle).map(|corner| self.scale.point(corner))
    }
}

/// Has a row or column of a matrix one entry of ±1 and zeros? Then nothing is rounded.
fn exchanges(line: &DVec3) -> bool {
    line.abs().element_sum() == 1.0 && line.abs().max_element() == 1.0
}

/// Meshes are equal if they were written with the same numbers.
impl PartialEq for Mesh {
    fn eq(&self, other: &Self) -> bool {
        self.triangles == other.triangles && self.vertices == other.vertices && self.slack == other.slack
    }
}
