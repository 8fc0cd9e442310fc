//! A solid as convex pieces, which are proved to be inside of it and to cover it.
//!
//! `cargo run --release --example pieces`

use clearance::decompose::{DecompositionBudget, decompose};
use clearance::internals::decompose::{HullTree, prove_inner, prove_outer};
use clearance::shape::Mesh;
use clearance::{Pose, Shape, distance};
use std::sync::Arc;

/// A prism over an outline that is cut into triangles.
fn prism<const N: usize>(outline: [[f64; 2]; N], cut: &[[u32; 3]]) -> Result<Mesh, clearance::BuildError> {
    let n = N as u32;
    let corners: Vec<[f64; 3]> = [0.0, 1.0].iter().flat_map(|&z| outline.map(|[x, y]| [x, y, z])).collect();
    let mut triangles: Vec<[u32; 3]> = Vec::new();
    for i in 0..n {
        let j = (i + 1) % n;
        triangles.extend([[i, j, j + n], [i, j + n, i + n]]);
    }
    triangles.extend(cut.iter().flat_map(|&[a, b, c]| [[a, c, b], [a + n, b + n, c + n]]));
    Mesh::new(&corners, &triangles)
}

/// Runs the example, with assertions.
pub fn main() -> Result<(), Box<dyn std::error::Error>> {
    // ANCHOR: pieces
    // An L of two bars.
    let outline = [[0.0, 0.0], [3.0, 0.0], [3.0, 1.0], [1.0, 1.0], [1.0, 2.0], [0.0, 2.0]];
    let mesh = prism(outline, &[[0, 1, 3], [1, 2, 3], [0, 3, 5], [3, 4, 5]])?;
    let found = decompose(&mesh, DecompositionBudget::default());
    println!("{} pieces inside, {} that cover; exact: {}", found.inner.len(), found.outer.len(), found.is_exact);
    assert!(found.is_exact && found.inner.len() == 2);

    // The proofs know nothing of how the pieces were found: they take anybody's.
    assert!(found.inner.iter().all(|piece| prove_inner(&mesh, piece).is_proven()));
    assert!(prove_outer(&mesh, &found.outer).is_proven());
    assert!(!prove_outer(&mesh, &found.outer[..1]).is_proven()); // one bar is not the L
    // ANCHOR_END: pieces

    // ANCHOR: use
    // As a compound the pieces go wherever shapes go, and answer as the solid does.
    let parts = found.inner.iter().map(|piece| (Shape::Polytope(Arc::new(piece.clone())), Pose::IDENTITY));
    let pieces = Shape::compound(parts)?;
    let solid = Shape::Mesh(Arc::new(mesh));
    let (ball, at) = (Shape::sphere(0.25)?, Pose::from_translation([2.0, 2.0, 0.5]));
    let [one, other] = [&solid, &pieces].map(|shape| distance(shape, Pose::IDENTITY, &ball, at).distance);
    println!("the gap to the solid is {one}, to its pieces {other}");
    assert!((one - other).abs() < 1e-14);
    // ANCHOR_END: use

    // A hierarchy of hulls above them: the hull of all at the root.
    let tree = HullTree::new(found.inner)?;
    assert!(tree.nodes().len() == 3 && tree.levels() == 2);
    Ok(())
}
