//! The solids of figures 9 and 10 of the penetration-depth paper.

use clearance::Shape;
use clearance_lab::meshes::{GLYPHS, outline};
use clearance_papers::penetration_depth::glyphs::{bowl, filleted_glyph, revolved};
use std::f64::consts::PI;
use std::sync::Arc;

#[test]
fn glyphs_are_solids_of_about_250_triangles() {
    for letter in GLYPHS.chars() {
        let mesh = filleted_glyph(letter).mesh();
        assert!(mesh.is_solid() && mesh.report().is_clean(), "{letter}");
        assert!((200..=300).contains(&mesh.triangles().len()), "{letter}: {}", mesh.triangles().len());
        // Fillets add to the area, and less than a fifth.
        let more = Shape::Mesh(Arc::new(mesh)).volume().unwrap() / outline(letter).area();
        assert!((1.0..1.2).contains(&more), "{letter}: {more}");
    }
}

#[test]
fn the_bowl_is_a_solid_of_176_triangles() {
    let mesh = bowl(0.5, 0.04).mesh();
    assert!(mesh.is_solid() && mesh.report().is_clean());
    assert_eq!(mesh.triangles().len(), 176);
    let volume = Shape::Mesh(Arc::new(mesh)).volume().unwrap();
    let half_ball = |radius: f64| 2.0 / 3.0 * PI * radius.powi(3);
    let smooth = half_ball(0.54) - half_ball(0.5);
    assert!(volume > 0.8 * smooth && volume < smooth, "{volume} {smooth}");
}

#[test]
fn a_loop_makes_a_ring_of_the_volume_of_its_prisms() {
    // A square of side 1 from radius 1 to 2, with six sides.
    let mesh = revolved(&[[1.0, 0.0], [2.0, 0.0], [2.0, 1.0], [1.0, 1.0]], 6).mesh();
    let hexagon = |radius: f64| 1.5 * 3.0_f64.sqrt() * radius * radius;
    let volume = Shape::Mesh(Arc::new(mesh)).volume().unwrap();
    assert!((volume - (hexagon(2.0) - hexagon(1.0))).abs() < 1e-12, "{volume}");
}
