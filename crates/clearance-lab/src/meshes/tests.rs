//! Each model is a clean solid of the right volume and genus.

use super::*;
use std::f64::consts::TAU;

#[track_caller]
fn is_clean(model: &Model, handles: i64) -> Mesh {
    let mesh = model.mesh();
    assert!(mesh.report().is_clean() && mesh.report().unused_vertices.is_empty(), "{:?}", mesh.report());
    assert_eq!(model.euler_characteristic(), 2 - 2 * handles);
    mesh
}

#[track_caller]
fn is_near(found: f64, truth: f64, part: f64) {
    assert!((found - truth).abs() <= part * truth.abs(), "{found} {truth}");
}

#[test]
fn tori_and_spheres_come_near_their_volumes() {
    let torus_volume = TAU * 2.0 * 0.5 * TAU * 0.25;
    is_near(is_clean(&torus(60, 40, 2.0, 0.5), 1).volume(), torus_volume, 0.01);
    // On average the square of the tube is 1 + depth^2 / 2 times as large; the offset of the section's centre adds no volume.
    let wrinkled = wrinkled_torus(120, 40, 2.0, 0.5, 12, 0.2);
    is_near(is_clean(&wrinkled, 1).volume(), torus_volume * 1.02, 0.01);
    is_near(is_clean(&sphere(60, 40), 0).volume(), 2.0 / 3.0 * TAU, 0.01);
    let noisy = noisy_sphere(35, 10, 0.05, 1);
    assert_eq!(noisy.triangles.len(), 700);
    is_clean(&noisy, 0);
    assert_eq!(noisy_sphere(350, 100, 0.01, 1).triangles.len(), 70_000);
}

#[test]
fn lattice_solids_have_a_cube_for_every_cell() {
    is_near(is_clean(&block(DVec3::new(1.0, 2.0, 3.0)), 0).volume(), 48.0, 1e-15);
    is_near(is_clean(&lattice_solid(&[[0, 0, 0], [-1, 0, 0], [-1, 0, 1]]), 0).volume(), 3.0, 1e-15);
    let ring: Vec<[i32; 3]> = (0..3).flat_map(|i| (0..3).map(move |j| [i, j, 4])).filter(|c| *c != [1, 1, 4]).collect();
    is_near(is_clean(&lattice_solid(&ring), 1).volume(), 8.0, 1e-15);
    // A cavity is a second surface: 2 + 2 = 4 = 2 - 2 (-1).
    let shell: Vec<[i32; 3]> = (0..27).map(|i| [i % 3, i / 3 % 3, i / 9]).filter(|c| *c != [1, 1, 1]).collect();
    is_near(is_clean(&lattice_solid(&shell), -1).volume(), 26.0, 1e-15);
    // Two cubes that share an edge: closed, though four triangles meet there.
    let diagonal = lattice_solid(&[[0, 0, 0], [1, 1, 0]]).mesh();
    assert!(diagonal.is_solid() && diagonal.report().non_manifold_edges.count == 1);
}

#[test]
fn grates_have_a_handle_for_every_hole() {
    let mesh = is_clean(&grate([3, 2], 1.0, 2.0, 0.5), 6);
    is_near(mesh.volume(), 0.5 * (10.0 * 7.0 - 6.0 * 4.0), 1e-15);
}

#[test]
fn extrusions_have_the_volume_of_their_outline() {
    is_near(is_clean(&prism(7, 2.0, 3.0), 0).volume(), 3.0 * 3.5 * 4.0 * (TAU / 7.0).sin(), 1e-14);
    for letter in GLYPHS.chars() {
        let outline = outline(letter);
        let mesh = is_clean(&glyph(letter), outline.holes.len() as i64);
        is_near(mesh.volume(), outline.area(), 1e-14);
    }
    let gear = is_clean(&gear(12, 2.0, 2.5, 0.7, 16, 1.0), 1);
    assert!(gear.volume() > 8.0);
}
