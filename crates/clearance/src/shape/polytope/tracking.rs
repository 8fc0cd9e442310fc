//! Data that an engine that walks from feature to feature reads at every step, in an order that a step reads in one go.
//!
//! None of it is new information: it is the boundary representation again, by vertex and by edge, with the signs already
//! put in and the places already looked up.

pub(crate) use crate::tuning::shape::FEW_SIDES;

use super::{Edge, NO_FACE, Polytope, SidePlane};
use glam::DVec3;

/// See the module.
#[derive(Debug, Clone, PartialEq, Default)]
pub(super) struct Tracking {
    /// For each place in the stars the unit direction of that edge, away from the vertex of the star.
    star_directions: Vec<DVec3>,
    edges: Vec<TrackedEdge>,
    /// One per face if any face has many sides, else none.
    hubs: Vec<Hub>,
}

/// The middle of a face: within the inner radius a point of the plane needs no test of the sides.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(crate) struct Hub {
    /// A point deep inside the face.
    pub center: DVec3,
    /// The smallest distance of a side from it.
    pub inner_radius: f64,
}

/// An edge and its Voronoi planes: two lines of a cache, for one look.
#[derive(Debug, Clone, Copy, PartialEq)]
#[repr(align(64))]
pub struct TrackedEdge {
    /// The first vertex.
    pub tail: DVec3,
    /// Unit vector from tail to head.
    pub direction: DVec3,
    /// The length.
    pub length: f64,
    /// Its ends and faces.
    pub ends: Edge,
    /// Places in the loops of the left and the right face; of no meaning where there is no face.
    pub places: [u32; 2],
    /// The normals of the planes between the edge and its left and right face, into the face.
    inward: [DVec3; 2],
}

impl TrackedEdge {
    /// The normals of the planes between the edge and its left and right face, into the face; none for a segment, which has
    /// no faces.
    #[inline(always)]
    pub fn sides(&self) -> Option<&[DVec3; 2]> {
        (self.ends.left != NO_FACE).then_some(&self.inward)
    }
}

/// A face and its Voronoi planes.
#[derive(Debug, Clone, Copy)]
pub(crate) struct FaceView<'a> {
    pub normal: DVec3,
    pub offset: f64,
    pub vertices: &'a [u32],
    pub edges: &'a [u32],
    pub sides: &'a [SidePlane],
    /// The place of the first side in the list of all loops.
    pub start: u32,
}

impl FaceView<'_> {
    /// The side after this one.
    #[inline]
    pub fn next(&self, side: usize) -> usize {
        if side + 1 == self.sides.len() { 0 } else { side + 1 }
    }

    /// The side before this one.
    #[inline]
    pub fn before(&self, side: usize) -> usize {
        if side == 0 { self.sides.len() - 1 } else { side - 1 }
    }
}

impl Tracking {
    pub(super) fn new(polytope: &Polytope) -> Self {
        let mut star_directions = Vec::with_capacity(polytope.star_edges.len());
        for v in 0..polytope.vertices.len() as u32 {
            star_directions.extend(polytope.vertex_edges(v).iter().map(|&e| {
                let along = polytope.edge_direction(e);
                if polytope.edge(e).tail == v { along } else { -along }
            }));
        }
        let mut edge_places = vec![[u32::MAX; 2]; polytope.edges.len()];
        for (f, range) in (0..).zip(polytope.loop_starts.windows(2)) {
            for place in range[0]..range[1] {
                let e = polytope.loop_edges[place as usize] as usize;
                edge_places[e][usize::from(polytope.edges[e].left != f)] = place;
            }
        }
        let inward = |place: u32| polytope.loop_sides.get(place as usize).map_or(DVec3::ZERO, |side| side.normal);
        let edges = polytope.edges.iter().zip(&edge_places).zip(0..).map(|((&ends, &places), e)| TrackedEdge {
            tail: polytope.vertex(ends.tail),
            direction: polytope.edge_direction(e),
            length: polytope.edge_length(e),
            ends,
            places,
            inward: places.map(inward),
        });
        let edges = edges.collect();
        let faces = 0..polytope.face_count() as u32;
        let any_large = faces.clone().any(|f| polytope.face(f).vertices.len() > FEW_SIDES);
        let hubs = if any_large { faces.map(|f| hub(polytope, f)).collect() } else { Vec::new() };
        Self { star_directions, edges, hubs }
    }
}

fn hub(polytope: &Polytope, f: u32) -> Hub {
    let face = polytope.face(f);
    let first = polytope.vertex(face.vertices[0]);
    let sum = face.vertices.iter().map(|&v| polytope.vertex(v) - first).sum::<DVec3>();
    let center = first + sum / face.vertices.len() as f64;
    let corners = face.vertices.iter().map(|&v| polytope.vertex(v));
    let distances = face.sides.iter().zip(corners).map(|(side, corner)| side.normal.dot(center - corner));
    Hub { center, inner_radius: distances.fold(f64::INFINITY, f64::min) }
}

/// Two neighbouring entries.
#[inline(always)]
fn range(starts: &[u32], i: u32) -> Option<[usize; 2]> {
    let pair = starts.get(i as usize..i as usize + 2)?;
    Some([pair[0] as usize, pair[1] as usize])
}

impl Polytope {
    /// The unit directions of the edges at a vertex, away from it, in the order of [`Polytope::vertex_edges`].
    ///
    /// This and the next three are what confirms a pair of features that is remembered, so they answer `None` to a number
    /// that is none of theirs.
    #[inline(always)]
    #[doc(hidden)]
    pub fn star_directions(&self, v: u32) -> Option<&[DVec3]> {
        let [start, end] = range(&self.star_starts, v)?;
        self.tracking.star_directions.get(start..end)
    }

    /// An edge with its Voronoi planes.
    #[inline(always)]
    #[doc(hidden)]
    pub fn tracked_edge(&self, e: u32) -> Option<&TrackedEdge> {
        self.tracking.edges.get(e as usize)
    }

    /// The planes between a face and its edges.
    #[inline(always)]
    #[doc(hidden)]
    pub fn side_planes(&self, f: u32) -> Option<&[SidePlane]> {
        let [start, end] = range(&self.loop_starts, f)?;
        self.loop_sides.get(start..end)
    }

    /// The unit normal of a face, and its offset.
    #[inline(always)]
    #[doc(hidden)]
    pub fn face_plane(&self, f: u32) -> Option<(DVec3, f64)> {
        Some((*self.face_normals.get(f as usize)?, *self.face_offsets.get(f as usize)?))
    }

    #[inline(always)]
    pub(crate) fn face_view(&self, f: u32) -> FaceView<'_> {
        let start = self.loop_starts[f as usize];
        let range = start as usize..self.loop_starts[f as usize + 1] as usize;
        FaceView {
            normal: self.face_normals[f as usize],
            offset: self.face_offsets[f as usize],
            vertices: &self.loop_vertices[range.clone()],
            edges: &self.loop_edges[range.clone()],
            sides: &self.loop_sides[range],
            start,
        }
    }

    /// The middle of a face, if any face of the polytope has many sides.
    #[inline]
    pub(crate) fn hub(&self, f: u32) -> Option<&Hub> {
        self.tracking.hubs.get(f as usize)
    }
}
