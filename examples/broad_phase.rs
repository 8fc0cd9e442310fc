//! Boxes in, overlapping pairs out: a broad phase alone, for those who have shapes of their own.
//!
//! `cargo run --release --example broad_phase`

use clearance::broad::{BroadKind, BroadPhase, SlotPair, Tree};
use clearance::math::{Aabb, DVec3};

/// Runs the example, with assertions.
pub fn main() -> Result<(), Box<dyn std::error::Error>> {
    // ANCHOR: boxes
    let cube = |x: f64| Aabb { min: DVec3::new(x, 0.0, 0.0), max: DVec3::new(x + 1.0, 1.0, 1.0) };
    let mut broad = Tree::default();
    broad.set(0, &cube(0.0)); // slots are numbers of yours
    broad.set(1, &cube(1.0)); // touches: that counts
    assert_eq!(broad.update().added, [SlotPair::new(0, 1)]);
    broad.set(1, &cube(1.5));
    assert_eq!(broad.update().removed, [SlotPair::new(0, 1)]);
    // ANCHOR_END: boxes

    // All kinds give the same pairs in the same order.
    let mut rng = fastrand::Rng::with_seed(2);
    let mut vector = |size: f64| DVec3::from_array([(); 3].map(|()| size * rng.f64()));
    let mut boxes: Vec<(DVec3, DVec3)> = (0..500).map(|_| (vector(20.0), vector(0.2))).collect();
    let mut all: Vec<(BroadKind, Box<dyn BroadPhase>)> = BroadKind::ALL.map(|kind| (kind, kind.build())).into();
    for frame in 0..20 {
        for (slot, (place, step)) in boxes.iter_mut().enumerate() {
            *place += *step;
            let bounds = Aabb { min: *place, max: *place + DVec3::ONE };
            all.iter_mut().for_each(|(_, broad)| broad.set(slot as u32, &bounds));
        }
        let found: Vec<Vec<SlotPair>> = all
            .iter_mut()
            .map(|(_, broad)| {
                broad.update();
                broad.pairs().to_vec()
            })
            .collect();
        assert!(found.iter().all(|pairs| *pairs == found[0]));
        if frame == 19 {
            println!("{} pairs of 500 boxes overlap, say {} broad phases", found[0].len(), all.len());
            assert!(!found[0].is_empty());
        }
    }
    Ok(())
}
