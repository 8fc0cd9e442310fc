//! The gap between two STL parts: how far, where, and the bracket that is proved.
//!
//! `cargo run --release --example two_parts [A.stl B.stl]`

use clearance::{Pose, Shape, distance};
use clearance_io::read_hull;
use std::path::{Path, PathBuf};

/// Runs the example, with assertions.
pub fn main() -> Result<(), Box<dyn std::error::Error>> {
    let named: Vec<PathBuf> = std::env::args().skip(1).map(PathBuf::from).filter(|path| path.exists()).collect();
    let here = Path::new(env!("CARGO_MANIFEST_DIR"));
    let files = match named.as_slice() {
        [a, b] => [a.clone(), b.clone()],
        _ => [here.join("data/plate.stl"), here.join("data/pin.stl")],
    };
    // A file that cannot be read, or is no mesh, is an error of one sentence. The hull of the mesh stands for it.
    let [plate, pin] = [read_hull(&files[0])?, read_hull(&files[1])?];

    // ANCHOR: gap
    let c = distance(&plate, Pose::IDENTITY, &pin, Pose::IDENTITY);
    if c.is_apart() {
        println!("the gap is {}", c.gap());
    } else {
        let [least, most] = c.depth_bounds();
        println!("they overlap, between {least} and {most} deep");
    }
    println!("proved: at least {}, at most {}", c.lower, c.upper);
    println!("from {} to {}", c.point_a, c.point_b);
    println!("features {:?}", c.features(&plate, &pin));
    // ANCHOR_END: gap
    if named.is_empty() {
        assert!((c.gap() - 0.25).abs() < 1e-12);
        // Moved by the gap the parts touch; moved slightly further they overlap.
        let moved = |by: f64| Pose::from_translation(-by * c.normal);
        assert!(distance(&plate, Pose::IDENTITY, &pin, moved(0.26)).is_overlapping());
        assert!(distance(&plate, Pose::IDENTITY, &pin, moved(0.24)).is_apart());
        assert!(matches!(plate, Shape::Polytope(_)));
    }
    Ok(())
}
