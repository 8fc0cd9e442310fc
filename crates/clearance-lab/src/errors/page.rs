//! The table as a page of the guide.

use super::{Row, Tally};
use std::fmt::Write as _;

/// The page `docs/src/errors.md`; `command` is what wrote it.
#[must_use]
pub fn page(rows: &[Row], command: &str) -> String {
    let sum =
        |count: fn(&Tally) -> usize| rows.iter().map(|row| count(&row.apart) + count(&row.overlapping)).sum::<usize>();
    let worst = |value: fn(&Row) -> f64| rows.iter().map(value).fold(0.0, f64::max);
    let (pairs, outside, open) = (sum(|t| t.pairs), sum(|t| t.outside), sum(|t| t.open));
    let (checked, undecided) = (sum(|t| t.checked), sum(|t| t.undecided));
    let (apart, deep) = (worst(|row| row.apart.error), worst(|row| row.overlapping.error));
    let mut text = format!(
        "# Worst errors per pair of shapes\n\n\
         <!-- Written by `{command}`; change crates/clearance-lab/src/errors/page.rs, not this page. -->\n\n\
         How wrong is the worst answer? For every pair of kinds the library was asked about pairs that were drawn to be difficult, and its answers\n\
         were held against truths of 32 digits. In {pairs} pairs, **{outside} truths were outside of their bracket** ({undecided} were left undecided). The worst error of a gap is\n\
         {apart:.0e} of the size, that of a depth {deep:.0e}.\n\n\
         ```sh not-run\n{command}\n```\n\n\
         writes this page again, the same numbers every time. A test runs it with fewer pairs and fails if one truth is outside.\n\n\
         ## How to read it\n\n\
         * Numbers are parts of the size: the two bounding radii and the distance of the origins, added up. 1e-14 of a metre is\n\
         \x20 less than an atom by far.\n\
         * *Error* is how far `distance` is from the truth. *Bracket* is how wide `lower..=upper` is, at most.\n\
         * *Open* counts the brackets that say of themselves that they are wide (`Status::Open` or `Status::Stalled`). They hold the truth too, and are left out of\n\
         \x20 the two columns before.\n\
         * *Outside* counts truths outside of a bracket. It has to be 0 everywhere.\n\
         * Shapes are ordinary, flat (a size of zero), thin (down to 1e-9), twins of each other, or a million times larger than the other. Their places\n\
         \x20 are concentric, coincident, along an axis, deep, near touching (1e-16 to 0.1 of the size), with rotations by nothing, almost nothing, quarter turns or anything, and\n\
         \x20 up to 1e8 away from the origin.\n\
         * Truths come from an oracle that shares no code with the library: support points by definition, in double-double arithmetic, with a certificate.\n\
         \x20 Where curved shapes overlap, and for meshes, there is no such number. There the [exact checker](proofs.md) judges the bracket, and the error is what the bracket allows:\n\
         \x20 {checked} pairs, of which {undecided} were left undecided, because no evidence was close enough.\n\
         * Overlaps of meshes are left open by `distance` on purpose: [`depth`](solids.md#how-deep-if-nothing-is-convex) closes them.\n\n\
         ## The table\n\n\
         | pair | apart | error | bracket | open | overlapping | error | bracket | open | outside |\n\
         |---|--:|--:|--:|--:|--:|--:|--:|--:|--:|\n"
    );
    for Row { kinds: [a, b], apart, overlapping, .. } in rows {
        let cells = |tally: &Tally| {
            let number = |value: f64| match value {
                _ if tally.pairs == tally.open => "–".to_owned(),
                ..1e-40 => "0".to_owned(),
                _ => format!("{value:.0e}"),
            };
            format!("{} | {} | {} | {}", tally.pairs, number(tally.error), number(tally.width), tally.open)
        };
        let outside = apart.outside + overlapping.outside;
        let _ = writeln!(text, "| {a}, {b} | {} | {} | {outside} |", cells(apart), cells(overlapping));
    }
    let _ = writeln!(text, "\n{pairs} pairs in all, {open} brackets open, {outside} truths outside.");
    text
}
