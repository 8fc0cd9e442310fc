//! A body as the paper sees it: hulls of patches of its surface, and a hierarchy of hulls above them (PD 4.1, 5.2).
//!
//! **Original and virtual faces.** A face of a patch's hull is original if it is surface of the patch; the others are virtual, they close the hull
//! inside of the solid or across a bay. A hull further up takes over what a face of it was below; faces that came with the hull of
//! both children bound the coarser body, as surface does, and count as original.

use clearance::decompose::{Doubt, surface_patches};
use clearance::internals::decompose::{Children, HullTree};
use clearance::internals::depth::{BodyPiece, PiecePlacement, flat_faces, inner_pieces, placed};
use clearance::math::DVec3;
use clearance::shape::{Mesh, Polytope, Shape};
use rustc_hash::FxHashMap;
use std::sync::Arc;

/// A solid with its convex pieces and the hulls above them, made once for many queries.
#[derive(Debug, Clone)]
pub struct ImageBody {
    pub(super) shape: Shape,
    tree: HullTree,
    /// For each node, for each face of its hull.
    classes: Vec<Vec<FaceClass>>,
    piece_count: usize,
}

/// The three classes of faces of figure 7.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum FaceClass {
    /// Surface of the model; green in the figure.
    Original,
    /// Made by the hull of a node from those below it; red.
    Hull,
    /// Made by the hull of a patch, which it closes; yellow.
    Closing,
}

impl FaceClass {
    /// All of them.
    pub const ALL: [Self; 3] = [Self::Original, Self::Hull, Self::Closing];
}

impl ImageBody {
    /// With the pieces of the paper: hulls of convex patches of the surface.
    ///
    /// # Errors
    ///
    /// If the coordinates are too fine for exact signs ([`Doubt::TooFine`]), or if there is no triangle.
    pub fn of_surface(mesh: &Arc<Mesh>) -> Result<Self, Doubt> {
        let patches = surface_patches(mesh)?;
        let class = |&is_original: &bool| if is_original { FaceClass::Original } else { FaceClass::Closing };
        let of_pieces = patches.iter().map(|patch| patch.is_original.iter().map(class).collect()).collect();
        Self::new(mesh, patches.into_iter().map(|patch| patch.hull).collect(), of_pieces)
    }

    /// With pieces that fill the solid, as the certified depth has them: no part of a sum is left uncovered. All of their faces count.
    ///
    /// # Errors
    ///
    /// If no piece is proved to be inside of the mesh: a shell, or coordinates too fine for exact signs ([`Doubt::TooFine`]).
    pub fn of_solid(mesh: &Arc<Mesh>) -> Result<Self, Doubt> {
        let pieces = inner_pieces(mesh);
        let of_pieces = pieces.iter().map(|piece| vec![FaceClass::Original; piece.face_count()]).collect();
        Self::new(mesh, pieces, of_pieces)
    }

    fn new(mesh: &Arc<Mesh>, pieces: Vec<Polytope>, of_pieces: Vec<Vec<FaceClass>>) -> Result<Self, Doubt> {
        let piece_count = pieces.len();
        let tree = HullTree::new(pieces).map_err(|_| Doubt::TooFine)?;
        let mut classes = vec![Vec::new(); tree.nodes().len()];
        // Children have larger numbers than their parents.
        for number in (0..tree.nodes().len()).rev() {
            let node = &tree.nodes()[number];
            classes[number] = match node.below {
                Children::Piece(piece) => of_pieces[piece as usize].clone(),
                Children::Nodes(children) => {
                    let mut known = FxHashMap::default();
                    for child in children.map(|child| child as usize) {
                        let hull = &tree.nodes()[child].hull;
                        known.extend((0..).map_while(|f| corners_of(hull, f)).zip(classes[child].iter().copied()));
                    }
                    let faces = (0..).map_while(|f| corners_of(&node.hull, f));
                    faces.map(|corners| known.get(&corners).copied().unwrap_or(FaceClass::Hull)).collect()
                }
            };
        }
        Ok(Self { shape: Shape::Mesh(Arc::clone(mesh)), tree, classes, piece_count })
    }

    /// How many convex pieces it has.
    #[must_use]
    pub fn piece_count(&self) -> usize {
        self.piece_count
    }

    /// The hierarchy of hulls.
    #[must_use]
    pub fn tree(&self) -> &HullTree {
        &self.tree
    }

    /// How many faces of the nodes of a level are of each class (figure 7 of the paper), in the order of [`FaceClass::ALL`].
    #[must_use]
    pub fn faces_of_level(&self, level: u32) -> [usize; 3] {
        let mut counts = [0; 3];
        self.faces(level).for_each(|(class, _)| counts[class as usize] += 1);
        counts
    }

    /// The faces of the nodes of a level: their classes and corners.
    pub fn faces(&self, level: u32) -> impl Iterator<Item = (FaceClass, Vec<DVec3>)> {
        self.tree.level(level).flat_map(move |node| {
            let hull = &self.tree.nodes()[node as usize].hull;
            let corners = move |face: u32| hull.face(face).vertices.iter().map(|&v| hull.vertex(v)).collect();
            (0..).zip(&self.classes[node as usize]).map(move |(face, &class)| (class, corners(face)))
        })
    }

    /// The hull of a node where it is.
    pub(super) fn placed(&self, node: u32, placement: &PiecePlacement) -> PlacedNode {
        let hull = &self.tree.nodes()[node as usize].hull;
        let piece = placed(hull, None, 0.0, 0.0, placement);
        let (numbers, _) = flat_faces(hull);
        let mut is_original = vec![true; piece.normals.len()];
        // Faces of the hull of both children bound the coarser body, as surface does.
        for (&number, &class) in numbers.iter().zip(&self.classes[node as usize]) {
            is_original[number as usize] &= class != FaceClass::Closing;
        }
        PlacedNode { piece, is_original }
    }
}

/// A hull in the frame of a query, and which of its faces are original.
#[derive(Debug)]
pub(super) struct PlacedNode {
    pub piece: BodyPiece,
    pub is_original: Vec<bool>,
}

/// The corners of a face, in an order that does not depend on where its ring begins.
fn corners_of(hull: &Polytope, face: u32) -> Option<Vec<[u64; 3]>> {
    if face as usize >= hull.face_count() {
        return None;
    }
    let mut ring: Vec<[u64; 3]> =
        hull.face(face).vertices.iter().map(|&v| hull.vertex(v).to_array().map(f64::to_bits)).collect();
    let first = (0..ring.len()).min_by_key(|&i| ring[i]).unwrap_or(0);
    ring.rotate_left(first);
    Some(ring)
}
