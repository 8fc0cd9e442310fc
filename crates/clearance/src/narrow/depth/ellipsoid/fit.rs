//! The choice of an ellipsoid that touches the body and the ball at a foot.
//!
//! Let n be the foot, r its height, c' = c + Σ Lᵀw and s = -c'·n, which is not negative: of two opposite directions the foot is the
//! better one. With λ = r / (r + s) the condition on the ball is tight along n. The remaining one is for vectors t across n,
//!
//! > |Tt|² >= t·N t with N = r (r + s) I + (r/s) c_t c_tᵀ, T = Σ R L, where K = u aᵀ + R, a = v - w, and R maps to what is across u,
//!
//! c_t being the part of c' across n. So c_t has to be small where s is. K is in the ball exactly if RᵀR <= Γ = λ (I - w wᵀ/(1-λ)) - a aᵀ.
//!
//! **Centres.** Where no kink is, w is a multiple of v. Lengths that bend little, as segments do not at all, are shortened from their
//! far end (w = (1-λ) v) until s is no more than |c_t|. Where a length vanishes, w is free, and takes c_t away.
//!
//! **RotationPair.** Which R with RᵀR <= Γ make T large? With T' = T N^(-1/2) it is enough that T' + T'ᵀ >= 2 I. For a positive Z of the
//! plane let R be the best rotation of all. Then R L N^(-1/2) Z is symmetric and positive, the root of Z Q Z where Q = N^(-1/2) LᵀΓL
//! N^(-1/2). Then T' + T'ᵀ is twice the gradient of the convex function g(Z) = Σ tr (Z Q Z)^(1/2), and where
//! g(Z) - tr Z - log det Z is least, the gradient is I + Z⁻¹: more than enough. If there is no least value then no turns will do.
//! In the plane, tr (Z Q Z)^(1/2) = √(tr Z²Q + 2 det Z √det Q), the root of a quadratic form in the three entries of Z.

use super::foot::{Across, EllipsoidFoot, spread};
use super::{CentredBody, InnerEllipsoid, InnerLength, MOST, outer};
use crate::tuning::convex::TURN_ROUNDS;
use arrayvec::ArrayVec;
use glam::{DMat2, DMat3, DVec2, DVec3};

/// Ellipsoids are shrunk by this. Bound: 90 ε, more than the rounding error of their matrices, so that exact arithmetic finds them inside.
const ROOM: f64 = 2e-14;

/// A length at a foot.
#[derive(Debug, Clone, Copy)]
struct Term {
    /// w, a and λ.
    centre: DVec3,
    rest: DVec3,
    share: f64,
    vanishes: bool,
}

impl Term {
    /// p·Γ q.
    fn form(&self, p: DVec3, q: DVec3) -> f64 {
        self.gamma(p).dot(q)
    }

    /// The rows of the R that is a rotation of the plane across a, for the columns p and q of L N^(-1/2) Z. Its angle makes R p and R q a
    /// symmetric matrix. So it stays a turn where the columns are all but parallel, as a needle's are.
    fn turned(&self, p: DVec3, q: DVec3) -> Option<[DVec3; 2]> {
        if self.vanishes || self.share < 1.0 {
            return None;
        }
        let (e, f) = self.rest.normalize().any_orthonormal_pair();
        // A turn without a reflection.
        let f = if e.dot(p) * f.dot(q) < f.dot(p) * e.dot(q) { -f } else { f };
        let (sin, cos) = (f.dot(p) - e.dot(q), e.dot(p) + f.dot(q));
        let length = (sin * sin + cos * cos).sqrt();
        let (sin, cos) = (sin / length, cos / length);
        (length > 0.0).then(|| [e * cos + f * sin, f * cos - e * sin])
    }

    fn gamma(&self, p: DVec3) -> DVec3 {
        let pull = if self.share < 1.0 { self.centre * (self.centre.dot(p) / (1.0 - self.share)) } else { DVec3::ZERO };
        (p - pull) * self.share - self.rest * self.rest.dot(p)
    }
}

/// An ellipsoid for a ball of that radius, and the axes in which to test it. `flat_first` shortens straight lengths before kinks are tried.
pub(super) fn ellipsoid(
    body: &CentredBody,
    foot: &EllipsoidFoot,
    radius: f64,
    flat_first: bool,
    work: &mut u32,
) -> (InnerEllipsoid, DMat3) {
    let n = foot.direction;
    let (x, y) = n.any_orthonormal_pair();
    let (terms, centre) = centres(body, foot, [x, y], flat_first);
    let (x, y) = aligned(body, &terms, [x, y]);
    let across = DVec2::new(centre.dot(x), centre.dot(y));
    // Keeps the quotients below finite where the centre is on the tangent plane.
    let behind = (-centre.dot(n)).max(1e-15 * body.size);
    let level = radius * (radius + behind);
    let steep = radius / behind;
    let needed = Across {
        xx: level + steep * across.x * across.x,
        xy: steep * across.x * across.y,
        yy: level + steep * across.y * across.y,
    };
    let root = Root::of(needed, (level * (level + steep * across.length_squared())).sqrt());
    // The part of each length across n, in units of the one that is needed.
    let scaled = |length: &DMat3| {
        let (mx, my) = (*length * x, *length * y);
        let inverse = root.inverse();
        (mx * inverse.xx + my * inverse.xy, mx * inverse.xy + my * inverse.yy)
    };
    let squares: ArrayVec<Square, MOST> = body
        .lengths
        .iter()
        .zip(&terms)
        .map(|(length, term)| {
            let (p, q) = scaled(length);
            Square::new(Across { xx: term.form(p, p), xy: term.form(p, q), yy: term.form(q, q) })
        })
        .collect();
    let z = turns(&squares, work);
    let inner = body.lengths.iter().zip(&terms).zip(&squares).map(|((length, term), square)| {
        let (p, q) = scaled(length);
        let (p, q) = (p * z.xx + q * z.xy, p * z.xy + q * z.yy);
        let rows = term.turned(p, q).unwrap_or_else(|| {
            // (Z Q Z)^(-1/2) times the rows of (L N^(-1/2) Z)ᵀ Γ.
            let inverse = Root::of(square.between(z), z.det() * square.root).pseudo_inverse();
            let rows = [term.gamma(p), term.gamma(q)];
            [rows[0] * inverse.xx + rows[1] * inverse.xy, rows[0] * inverse.xy + rows[1] * inverse.yy]
        });
        let matrix = outer(n, term.rest) + outer(x, rows[0]) + outer(y, rows[1]);
        let shrunk = 1.0 - ROOM;
        if matrix == DMat3::ZERO {
            InnerLength { centre: term.centre * shrunk, share: term.share, matrix }
        } else {
            InnerLength { centre: term.centre, share: term.share, matrix: matrix * shrunk }
        }
    });
    (InnerEllipsoid { inner: inner.collect(), share: radius / (radius + behind) }, DMat3::from_cols(n, x, y))
}

/// Where the ellipsoids are put, and c'.
fn centres(
    body: &CentredBody,
    foot: &EllipsoidFoot,
    axes: [DVec3; 2],
    flat_first: bool,
) -> (ArrayVec<Term, MOST>, DVec3) {
    let n = foot.direction;
    let mut centre = body.centre;
    let mut terms: ArrayVec<Term, MOST> = ArrayVec::new();
    // How much each bends, in units of its value.
    let mut bends: ArrayVec<(f64, usize), MOST> = ArrayVec::new();
    let mut form = Across::default();
    for (i, (length, &end)) in body.lengths.iter().zip(&foot.ends).enumerate() {
        let value = (*length * n).length();
        let vanishes = value < foot.vanishing;
        let [mx, my] = axes.map(|axis| *length * axis);
        if vanishes {
            form.add_square(mx, my);
        } else {
            let [px, py] = [mx, my].map(|m| m - end * end.dot(m));
            bends.push(((px.length_squared() + py.length_squared()).sqrt() / value, i));
        }
        terms.push(Term { centre: DVec3::ZERO, rest: end, share: 1.0, vanishes });
    }
    bends.sort_by(|p, q| p.0.total_cmp(&q.0));
    // Shortens lengths that bend less than that until the centre is no farther behind.
    let shorten = |centre: &mut DVec3, terms: &mut [Term], most: f64, behind: &dyn Fn(DVec3) -> f64| {
        for &(bend, i) in &bends {
            let (length, term) = (&body.lengths[i], &mut terms[i]);
            if !(bend < most && term.share == 1.0) {
                continue;
            }
            let spare = -centre.dot(n) - behind(*centre);
            if !(spare > 0.0) {
                break;
            }
            let end = term.rest;
            term.share = 1.0 - (spare / (*length * n).length()).min(1.0);
            let by = 1.0 - term.share;
            (term.centre, term.rest) = (end * by, end * term.share);
            *centre += length.transpose() * term.centre;
        }
    };
    if flat_first {
        shorten(&mut centre, &mut terms, 1e-3, &|_| 0.0);
    }
    let mut free: ArrayVec<DVec3, MOST> = body.lengths.iter().map(|_| DVec3::ZERO).collect();
    spread(body, foot, axes, -DVec2::new(centre.dot(axes[0]), centre.dot(axes[1])), form, &mut free);
    for ((term, &w), length) in terms.iter_mut().zip(&free).zip(&body.lengths) {
        if !term.vanishes {
            continue;
        }
        let size = w.length();
        if size > 0.0 {
            // About the largest ellipsoid with that centre; so little less than one has too few digits.
            term.share = 1.0 - size.max(1e-7);
            term.centre = w;
            centre += length.transpose() * w;
        }
        term.rest -= w;
        // No longer than Γ can bear: a·Λ⁻¹a <= 1.
        let spare = 1.0 - term.share - w.length_squared();
        let lean = if spare > 0.0 { w.dot(term.rest).powi(2) / spare } else { 0.0 };
        let much = (term.rest.length_squared() + lean) / term.share;
        if much > 1.0 {
            term.rest = if much.is_finite() { term.rest / much.sqrt() } else { DVec3::ZERO };
        }
    }
    shorten(&mut centre, &mut terms, 0.5, &|centre| (centre - n * n.dot(centre)).length());
    (terms, centre)
}

/// The two axes across turned to where the body bends least and most: then short and long ones do not mix.
fn aligned(body: &CentredBody, terms: &[Term], [x, y]: [DVec3; 2]) -> (DVec3, DVec3) {
    let mut sum = Across::default();
    for (length, term) in body.lengths.iter().zip(terms) {
        let (mx, my) = (*length * x, *length * y);
        sum.xx += term.form(mx, mx);
        sum.xy += term.form(mx, my);
        sum.yy += term.form(my, my);
    }
    let (sin, cos) = libm::sincos(0.5 * libm::atan2(-2.0 * sum.xy, sum.yy - sum.xx));
    (x * cos + y * sin, y * cos - x * sin)
}

/// The root of a symmetric matrix.
struct Root {
    of: Across,
    /// The root of its determinant.
    det: f64,
    /// The trace of the root.
    trace: f64,
}

impl Root {
    fn of(of: Across, det: f64) -> Self {
        Self { of, det, trace: (of.xx + of.yy + 2.0 * det).sqrt() }
    }

    /// The inverse of the root, which is (of + det) / trace.
    fn inverse(&self) -> Across {
        let by = 1.0 / (self.det * self.trace);
        Across { xx: (self.of.yy + self.det) * by, xy: -self.of.xy * by, yy: (self.of.xx + self.det) * by }
    }

    /// The inverse of the root on what is not zero.
    fn pseudo_inverse(&self) -> Across {
        if self.det > 0.0 {
            return self.inverse();
        }
        let by = if self.trace > 0.0 { self.trace.powi(-3) } else { 0.0 };
        Across { xx: self.of.xx * by, xy: self.of.xy * by, yy: self.of.yy * by }
    }
}

/// Q of a length.
#[derive(Debug, Clone, Copy)]
struct Square {
    q: Across,
    /// The root of its determinant; zero where that is nothing but rounding.
    root: f64,
}

impl Square {
    fn new(q: Across) -> Self {
        let q = Across { xx: q.xx.max(0.0), yy: q.yy.max(0.0), ..q };
        let det = q.xx * q.yy - q.xy * q.xy;
        // A determinant below its rounding error counts as zero.
        let root = if det > 64.0 * f64::EPSILON * q.xx * q.yy { det.sqrt() } else { 0.0 };
        Self { q, root }
    }

    /// Z Q Z.
    fn between(&self, z: Across) -> Across {
        let matrix = |a: Across| DMat2::from_cols_array(&[a.xx, a.xy, a.xy, a.yy]);
        let product = matrix(z) * matrix(self.q) * matrix(z);
        Across { xx: product.x_axis.x, xy: 0.5 * (product.x_axis.y + product.y_axis.x), yy: product.y_axis.y }
    }

    /// The quadratic form in (Z_xx, Z_xy, Z_yy) whose root is tr (Z Q Z)^(1/2).
    fn form(&self) -> DMat3 {
        let Across { xx, xy, yy } = self.q;
        let det = self.root;
        DMat3::from_cols_array(&[xx, xy, det, xy, xx + yy - 2.0 * det, xy, det, xy, yy])
    }
}

impl Across {
    fn det(self) -> f64 {
        self.xx * self.yy - self.xy * self.xy
    }
}

/// A Z whose turns do, if one is found: Newton's method on the convex function of the module.
fn turns(squares: &[Square], work: &mut u32) -> Across {
    let forms: ArrayVec<DMat3, MOST> = squares.iter().map(Square::form).collect();
    let det = |z: DVec3| z.x * z.z - z.y * z.y;
    let value = |z: DVec3| {
        let roots: f64 = forms.iter().map(|form| z.dot(*form * z).max(0.0).sqrt()).sum();
        roots - z.x - z.z - libm::log(det(z))
    };
    let mut z = DVec3::new(1.0, 0.0, 1.0);
    let mut least = value(z);
    for _ in 0..TURN_ROUNDS {
        *work += 1;
        let (mut gradient, mut second) = (DVec3::ZERO, DMat3::ZERO);
        for form in &forms {
            let along = *form * z;
            let square = z.dot(along);
            // Squares below this are those of lengths that count as zero.
            if square > 1e-300 {
                let root = square.sqrt();
                gradient += along / root;
                second += *form * (1.0 / root) - outer(along, along) * (1.0 / (square * root));
            }
        }
        // T' + T'ᵀ >= 2 I?
        let more = Across { xx: gradient.x - 1.0, xy: 0.5 * gradient.y, yy: gradient.z - 1.0 };
        if more.xx >= 0.0 && more.yy >= 0.0 && more.det() >= 0.0 {
            break;
        }
        let (d, slope) = (det(z), DVec3::new(z.z, -2.0 * z.y, z.x));
        gradient -= DVec3::new(1.0, 0.0, 1.0) + slope / d;
        second += outer(slope, slope) * (1.0 / (d * d));
        second += DMat3::from_cols_array(&[0.0, 0.0, -1.0, 0.0, 2.0, 0.0, -1.0, 0.0, 0.0]) * (1.0 / d);
        let step = -(second.inverse() * gradient);
        let fall = -gradient.dot(step);
        // The decrease is below the rounding error of the value.
        if !(fall > 1e-20 && step.is_finite()) {
            break;
        }
        let mut part = 1.0;
        let next = loop {
            let there = z + step * part;
            // Positive definite beyond rounding.
            if there.x > 0.0 && det(there) > 1e-15 * there.x * there.z {
                let found = value(there);
                if found < least - 1e-4 * part * fall {
                    break Some((there, found));
                }
            }
            part *= 0.5;
            // A step this short makes no progress.
            if part < 1e-6 {
                break None;
            }
        };
        match next {
            Some(found) => (z, least) = found,
            None => break,
        }
        // Without bound: there are no such turns.
        if z.x + z.z > 1e15 {
            break;
        }
    }
    Across { xx: z.x, xy: z.y, yy: z.z }
}
