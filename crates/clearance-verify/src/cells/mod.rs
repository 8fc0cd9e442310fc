//! A lower bound of the depth over all directions, cell by cell.
//!
//! f(n) = h_A(n) + h_B(-n) over unit vectors n is the height of A - B, and the signed distance is -min f, on both sides of
//! zero. If f >= c in every cell of a division of all directions, the distance is at most -c. Nothing in the evidence can
//! lie: every split, branch, weight, latitude and line gives a true bound, good or bad, and the least of them counts.
//! Everything below is computed with intervals from the shapes and poses as they are written.
//!
//! # Directions
//!
//! u is the unit vector along the axis, e1 the one along the part of the side that is across u, e2 = u x e1. Longitude θ
//! and latitude α give e(θ) = cos θ e1 + sin θ e2, n = cos α e + sin α u and the northward t = dn/dα = -sin α e + cos α u.
//! Every unit vector has a θ in [-π, π] and an α in [-π/2, π/2], which the first cell covers ([`ALL`]). Directions slightly beyond the
//! poles are covered twice, and planes leave them out. A split has both parts closed, so no direction falls between them.
//!
//! # Mixes
//!
//! A shape reaches max_i b_i(n), b_i(n) = p_i·n + Σ_k |L_k n| ([`form`]); a maximum is at least any mean. So for weights of
//! sum one over the branches of A and over those of B, φ(n) = P·n + Σ w_k |L_k n| <= f(n), for all n, up to the radii,
//! which are constants. Norms may also be left out, or replaced by v·L n with |v| <= 1, as |L n| is at least both.
//!
//! # Planes
//!
//! With v = L m / |L m| for the direction m in the middle, φ >= s·n for one vector s. On a cell s·n = cos α (s·e(θ)) + sin α s·u, and
//! cos α >= 0 up to the poles. The least over θ goes first, then the one over α, each of a wave a cos x + b sin x, which is least at an end or in
//! a trough.
//!
//! # Across a circle
//!
//! On a meridian n'' = -n and t' = -n. For y = |L n|: y y' = L n·L t, y y'' + y'² = |L t|² - y², hence
//! y'' + y = (y² |L t|² - (L n·L t)²) / y³ = |L n x L t|² / y³. The numerator is N = |L e x L u|², as L n x L t =
//! (cos² α + sin² α) L e x L u: it is the same all along the meridian. P·n adds nothing. So g(β) = φ at latitude `at` + β
//! has g'' + g = R = Σ w N / q^(3/2), q = |L n|², and by variation of constants
//!
//! g(β) = g(0) cos β + g'(0) sin β + ∫ from 0 to β of sin(β - s) R(s) ds.
//!
//! For |β| <= π the sine has the sign of β all along, so a bound ρ <= R *between the circle and the direction* gives
//! g >= g(0) cos β + g'(0) sin β + ρ (1 - cos β). As `at` is in the cell, so is that stretch, and ρ is a bound for the
//! cell. If L n vanishes inside the stretch then on that meridian y = |c sin(β - β0)|, N = 0, and y'' + y is a positive
//! jump of the slope: the inequality holds with ρ = 0 for that norm, and N / (the largest q) is 0 there. Only on the
//! circle itself must y be positive, where it is expanded; else the norm is left out. ρ = Σ w (least N) / (largest q)^(3/2).
//!
//! With f0(τ), g0(τ) = φ and its slope at (middle + τ, `at`) and b = sin β this is f0 + g0 b + (ρ - f0) (1 - cos β). Now
//! 1 - cos β = b² / (1 + cos β) for |β| <= π/2 (beyond, b would not determine β: such a leaf is refused). Let x <= ρ - f0(τ)
//! for all τ. If x >= 0 the last term is at least x b²/2; if not, at least x b² / (1 + cos w), |β| <= w. Both are
//! κ b²/2, and w may be that of the side of the circle.
//!
//! # Along the circle
//!
//! By Taylor with |τ| <= h, f0(τ) >= f0 + f1 τ + f2 τ²/2 - M3 |τ|³/6, and |τ|³ <= h τ²: the square's factor becomes
//! f2 - M3 h/3. (The least f0'' of the arc does as well, and the larger one is taken.) g0(τ) b >= (g0 + g1 τ) b -
//! Mg h²/2 |b|. M3 and Mg bound |f0'''| and |g0''| on the arc.
//!
//! Derivatives by θ: q on a circle is a constant and waves of θ and 2θ, and so is a = dq/dα; y² = q and 2 y z = a with
//! z = dy/dα give those of y and z by Leibniz' rule. Each is enclosed over the arc and in its middle. The enclosure over the arc is cut
//! down to value + [-h, h] x the next derivative, from the highest down, before and after norms are summed: sums cancel the common part of
//! nearly symmetric pairs. The waves of a solid about its own axis vanish, so the
//! remainders have the asymmetry for a factor.
//!
//! # Pieces
//!
//! A cell in (τ, b) is a rectangle, since b grows with β. Piece i is the region above line i - 1 and below line i. For any
//! lines, every (τ, b) is in the piece of the first line that it is not above, or in the last. On each piece, north
//! and south of the circle apart for the sake of |b|, the bound of its mix is a quadratic, which is least inside or on an
//! edge of a polygon ([`quadratic`]).

use crate::number::{Interval, Number};
use crate::pairing::Pairing;
use crate::shape::Trouble;
use circle::Cell;
use form::{Form, Frame, fault};
pub use nodes::{Mix, Node};
use std::cmp::Ordering;

mod arithmetic;
mod circle;
mod form;
mod leaf;
mod nodes;
#[cfg(test)]
mod proofs;
mod quadratic;
#[cfg(test)]
mod soundness;

/// Nodes of a tree, at most. Limit: evidence comes from outside; the library writes trees of at most this size.
const MOST_NODES: usize = 65_536;

/// Splits above a cell, at most. Limit: 100 halvings of each of two coordinates, twice the bits of a double, so that no honest cell is refused.
const MOST_SPLITS: u32 = 200;

/// Every direction is in it, some a little more than once.
#[allow(clippy::approx_constant)] // Not π but a little more, and the same for everybody.
const ALL: Cell = Cell { longitude: [-3.1416, 3.1416], latitude: [-POLE, POLE] };

/// The end of the latitudes. Bound: the least double that is not below π/2, so that the cells cover the poles.
const POLE: f64 = std::f64::consts::FRAC_PI_2.next_up();

/// Is the upper bound that the cells give less than or equal to a threshold? There is no answer if it is greater, since
/// other bounds of the same cells might not be.
pub(crate) fn bound(
    pair: &Pairing<'_>,
    axis: [f64; 3],
    side: [f64; 3],
    nodes: &[Node],
    threshold: f64,
) -> Result<Ordering, Trouble> {
    let mut form = Form::new(pair, Frame::new(axis, side)?)?;
    let leaves = leaves(nodes)?;
    let radii = pair.radii::<Interval>().plus(&Interval::of(threshold));
    // The distance is at most the threshold if f >= -threshold, so without the radii and scaled:
    let needed = radii.negated().scaled(form.scale).high;
    let mut found = Ordering::Less;
    for (cell, node) in leaves {
        let least = leaf_bound(&mut form, &cell, node)?;
        match least.partial_cmp(&needed) {
            Some(Ordering::Greater) => {}
            Some(Ordering::Equal) => found = Ordering::Equal,
            _ => {
                let ([west, east], [south, north]) = (cell.longitude, cell.latitude);
                return Err(Trouble::Fault(format!(
                    "the cell of longitudes {west} to {east} and latitudes {south} to {north} does not prove it: {:e} are missing",
                    (needed - least) / form.scale
                )));
            }
        }
    }
    Ok(found)
}

/// A lower bound of the height of A - B in a cell, without the radii and scaled.
fn leaf_bound(form: &mut Form<'_>, cell: &Cell, node: &Node) -> Result<f64, Trouble> {
    match node {
        Node::Plane { a, b } => leaf::plane(form, cell, *a, *b),
        Node::Strip { at, mixes, lines } => leaf::strip(form, cell, *at, mixes, lines),
        Node::Longitude(_) | Node::Latitude(_) => fault("a split is not a leaf"),
    }
}

/// The leaves of a tree with their cells. Together they are the first cell.
fn leaves(nodes: &[Node]) -> Result<Vec<(Cell, &Node)>, Trouble> {
    if nodes.len() > MOST_NODES {
        return fault("there are more than 65,536 nodes of cells");
    }
    let mut leaves = Vec::with_capacity(nodes.len() / 2 + 1);
    // Cells whose nodes are yet to come, the next one last.
    let mut open = vec![(ALL, 0)];
    for node in nodes {
        let Some((cell, splits)) = open.pop() else { return fault("there are nodes after the last cell") };
        let (at, [low, high]) = match node {
            Node::Longitude(at) => (*at, cell.longitude),
            Node::Latitude(at) => (*at, cell.latitude),
            leaf => {
                leaves.push((cell, leaf));
                continue;
            }
        };
        if !(low < at && at < high) {
            return fault("a cell is split outside of it");
        }
        if splits >= MOST_SPLITS {
            return fault("a cell is the result of more than 200 splits");
        }
        let part = |range: [f64; 2]| match node {
            Node::Longitude(_) => Cell { longitude: range, ..cell },
            _ => Cell { latitude: range, ..cell },
        };
        open.push((part([at, high]), splits + 1));
        open.push((part([low, at]), splits + 1));
    }
    if open.is_empty() { Ok(leaves) } else { fault("the tree of cells ends before its last cell") }
}
