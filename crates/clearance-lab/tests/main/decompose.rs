//! Decompositions of every model: proofs, and points as second witnesses.

use clearance::decompose::{Budget, Decomposition, decompose, prove_inner, prove_outer};
use clearance::shape::Mesh;
use clearance_lab::meshes::{self, Model};

fn timed(name: &str, model: &Model) -> Decomposition {
    let mesh = model.mesh();
    let start = std::time::Instant::now();
    let found = decompose(&mesh, Budget::default());
    println!(
        "{name:<14} {:>6} triangles  inner {:>3} outer {:>3} exact {:<5} {:?}  {:.1?}",
        mesh.triangles().len(),
        found.inner.len(),
        found.outer.len(),
        found.is_exact,
        found.outer_proof,
        start.elapsed()
    );
    found
}

#[test]
fn figures() {
    use clearance::math::DVec3;
    let only = std::env::var("ONLY").unwrap_or_default();
    let mut models: Vec<(String, Model)> = vec![
        ("block".into(), meshes::block(DVec3::new(1.0, 2.0, 3.0))),
        ("L".into(), meshes::lattice_solid(&[[0, 0, 0], [1, 0, 0], [0, 1, 0]])),
        ("prism".into(), meshes::prism(7, 2.0, 1.0)),
        ("grate 3x2".into(), meshes::grate([3, 2], 1.0, 2.0, 0.5)),
        ("grate 8x7".into(), meshes::grate([8, 7], 1.0, 2.0, 0.5)),
    ];
    for letter in meshes::GLYPHS.chars() {
        models.push((letter.to_string(), meshes::glyph(letter)));
    }
    models.push(("gear".into(), meshes::gear(8, 2.0, 2.5, 0.7, 8, 1.0)));
    models.push(("torus 12x8".into(), meshes::torus(12, 8, 2.0, 0.6)));
    models.push(("noisy".into(), meshes::noisy_sphere(12, 6, 0.05, 1)));
    models.push(("torus".into(), meshes::torus(50, 20, 2.0, 0.6)));
    for (name, model) in models {
        if only.is_empty() || name.contains(&only) {
            timed(&name, &model);
        }
    }
}
