//! The guide's table of worst errors, in its quick form: no truth is outside of its bracket, and errors are as small as the guide says.

use clearance_lab::errors::{measure, page};

#[test]
fn no_truth_is_outside_of_its_bracket_for_any_pair_of_kinds() {
    let rows = measure(1, 30);
    assert_eq!(rows.len(), 76);
    for row in &rows {
        assert!(row.outside.is_none(), "{:?}: {:?}", row.kinds, row.outside);
        assert_eq!(row.apart.pairs + row.overlapping.pairs, 30);
        // Pairs that a number judges, and pairs that the checker judges.
        assert!(row.apart.error < 1e-11 && row.overlapping.error < 1e-10, "{row:?}");
        assert!(row.apart.width < 1e-10 && row.overlapping.width < 1e-10, "{row:?}");
    }
    let undecided: usize = rows.iter().map(|row| row.apart.undecided + row.overlapping.undecided).sum();
    let checked: usize = rows.iter().map(|row| row.apart.checked + row.overlapping.checked).sum();
    assert!(checked > 300 && undecided <= checked / 50, "{undecided} of {checked} are undecided");

    // The page in the guide has the same kinds.
    let guide = include_str!("../../../../docs/src/errors.md");
    let names = |text: &str| -> Vec<String> {
        text.lines().filter_map(|line| Some(line.strip_prefix("| ")?.split(" | ").next()?.to_owned())).collect()
    };
    assert_eq!(names(guide), names(&page(&rows, "")), "write docs/src/errors.md again");
    assert!(guide.contains(", 0 truths outside."));
}
