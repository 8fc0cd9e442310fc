//! Derived shapes compared with the truth about their input, with a thousand bits.

use clearance_lab::{Rng, derived};

/// `CASES=100000 cargo test --release -p clearance-lab --test main derived` is the long form.
#[test]
fn every_bracket_holds_the_truth_about_what_was_written() {
    let cases = std::env::var("CASES").ok().and_then(|text| text.parse().ok()).unwrap_or(600);
    let seed = std::env::var("SEED").ok().and_then(|text| text.parse().ok()).unwrap_or(12);
    let mut known = 0;
    let mut wrong = Vec::new();
    for index in 0..cases {
        let case = derived::draw(&mut Rng::with_seed(seed + 1_000_003 * index as u64), index);
        match case.check() {
            Ok(found) => known += usize::from(found.is_some()),
            Err(what) => wrong.push(format!("case {index}: {what}")),
        }
    }
    let first = wrong.first().cloned().unwrap_or_default();
    assert!(wrong.is_empty(), "{} of {cases} wrong; {first}", wrong.len());
    assert!(10 * known > 9 * cases, "representative: {known} of {cases}");
}
