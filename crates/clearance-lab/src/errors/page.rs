//! The table as a page of the guide.

use super::{Row, Tally};
use std::fmt::Write as _;

/// The page `docs/src/errors.md`, written by `command`.
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
         This page answers one question: how wrong is the worst answer? The library answered pairs of every two kinds of shapes, drawn to be difficult.\n\
         A truth of 32 digits judges each answer. In {pairs} pairs, **{outside} truths were outside of their bracket**, and {undecided} were left undecided.\n\
         The worst error of a gap is {apart:.0e} of the size, that of a depth {deep:.0e}.\n\n\
         ```sh not-run\n{command}\n```\n\n\
         writes this page again, the same numbers every time. A test runs it with fewer pairs and fails if one truth is outside.\n\n\
         ## How to read it\n\n\
         * Numbers are parts of the size: the sum of the two bounding radii and the distance of the origins. 1e-14 of a metre is\n\
         \x20 much less than an atom.\n\
         * *Error* is the largest difference between `distance` and the truth. *Bracket* is the largest width of `lower..=upper`.\n\
         * *Open* counts the answers whose status says that the bracket is wide (`Status::Open` or `Status::Stalled`). They hold the truth, too.\n\
         \x20 The columns *error* and *bracket* leave them out.\n\
         * *Outside* counts truths outside of a bracket. It has to be 0 everywhere.\n\
         * Shapes are ordinary, flat (a size of zero), thin (down to 1e-9), equal to each other, or a million times larger than the other.\n\
         * Poses are concentric, coincident, along an axis, deep, or near touching (1e-16 to 0.1 of the size). Rotations are none, tiny ones, quarter\n\
         \x20 turns or random ones. Origins are up to 1e8 away from that of the world.\n\
         * Truths come from an oracle that shares no code with the library: support points by definition, in double-double arithmetic, with a certificate.\n\
         \x20 The oracle has no truth for overlapping curved shapes and for meshes. There the [exact checker](proofs.md) judges the bracket, and the width\n\
         \x20 of the bracket bounds the error: {checked} pairs, of which {undecided} were left undecided, because no evidence was close enough.\n\
         * `distance` leaves overlaps of meshes open on purpose: [`depth`](solids.md#how-deep-if-nothing-is-convex) closes them.\n\n\
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
