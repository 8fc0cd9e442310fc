//! Every broad phase finds the pairs that comparing all boxes finds, frame after frame, and reports their differences in
//! the same order.
//!
//! `FRAMES=5000 SLOTS=300 cargo test --release -p clearance-lab --test main broad` is the long form.

use clearance::broad::BroadKind;
use clearance_lab::boxes::Kind;
use clearance_lab::broad_phases::follow_all;

fn setting(name: &str, default: usize) -> usize {
    std::env::var(name).map_or(default, |text| text.parse().expect("a number"))
}

fn run(kind: Kind) {
    let build = || BroadKind::ALL.map(|kind| (kind.name(), kind.build())).into();
    follow_all(build, kind, setting("SLOTS", 120), setting("FRAMES", 120));
}

#[test]
fn random_worlds_are_followed() {
    run(Kind::Random);
}

#[test]
fn clustered_worlds_are_followed() {
    run(Kind::Clustered);
}

#[test]
fn sizes_of_six_orders_of_magnitude_are_followed() {
    run(Kind::Mixed);
}

#[test]
fn jumping_boxes_are_followed() {
    run(Kind::Teleporting);
}

#[test]
fn worlds_in_which_little_moves_are_followed() {
    run(Kind::Static);
}

#[test]
fn points_flat_unbounded_empty_and_identical_boxes_are_followed() {
    run(Kind::Degenerate);
}
