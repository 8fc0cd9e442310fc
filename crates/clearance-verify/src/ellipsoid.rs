//! A lower bound of the depth by an ellipsoid that is inside A - B and has a ball about the origin inside.
//!
//! A shape that is symmetric about a centre m reaches m·d + Σ |L d| along d: an ellipsoid has one length, a cylinder its disc and its
//! segment (a matrix with one row). So A - B reaches h(n) = c·n + Σ |L n|. The evidence has for each length a vector w, a number λ
//! and a matrix K, and one λ more.
//!
//! **Inside.** If 0 < λ < 1 and KᵀK <= λ (I - w wᵀ/(1-λ)), then w·z + |Kz| <= |z| for all z: |Kz|² <= λ (|z|² - (w·z)²/(1-λ)), and
//! by Cauchy and Schwarz √(1-λ) p + √λ q <= √(p² + q²) with p = w·z / √(1-λ) and q² = |z|² - p². The same holds for w = 0 and
//! KᵀK <= I, and for K = 0 and |w| <= 1. With z = L n, summed up: h(n) >= c'·n + |C n|, C = Σ K L, c' = c + Σ Lᵀw.
//!
//! **Outside.** If 0 < λ < 1 and CᵀC >= (r²/λ) I + c'c'ᵀ/(1-λ), then |Cn|² >= r²/λ + (c'·n)²/(1-λ) >= (|r| + |c'·n|)² for all unit n,
//! since x²/λ + y²/(1-λ) >= (x + y)². So h(n) >= r everywhere: the distance is at most -r, less the radii.
//!
//! All of it is about sums and products of doubles, so it is decided exactly: a matrix is positive definite if its three leading
//! minors are positive. Matrices that are only semidefinite prove nothing here.

use crate::evidence::InnerEllipsoid;
use crate::number::{Matrix, Number, Vector, add, cross, dot, map, scale, subtract, transpose, vector};
use crate::pairing::{Pairing, needed};
use crate::parts::Side;
use crate::shape::{Shape, Trouble};
use std::cmp::Ordering;

fn fault<T>(what: &str) -> Result<T, Trouble> {
    Err(Trouble::Fault(what.to_owned()))
}

/// Is the upper bound that the ellipsoid gives less than a threshold? There is no answer if it is not, since another ellipsoid might be
/// better.
pub(crate) fn bound(
    pair: &Pairing<'_>,
    share: f64,
    inner: &[InnerEllipsoid],
    threshold: f64,
) -> Result<Ordering, Trouble> {
    let numbers = inner.iter().flat_map(|inner| inner.centre.iter().chain(inner.matrix.iter().flatten()));
    if !numbers.chain([&share]).chain(inner.iter().map(|inner| &inner.share)).all(|x| x.is_finite()) {
        return fault("a number of an ellipsoid is not finite");
    }
    if !(0.0 < share && share < 1.0) {
        return fault("the share of an ellipsoid is not between zero and one");
    }
    crate::filtered!(bound_with(pair, share, inner, threshold))
}

fn bound_with<N: Number>(
    pair: &Pairing<'_>,
    share: f64,
    inner: &[InnerEllipsoid],
    threshold: f64,
) -> Result<Ordering, Trouble> {
    let [a, b] = [Symmetric::<N>::new(&pair.a)?, Symmetric::<N>::new(&pair.b)?];
    if a.lengths.len() + b.lengths.len() != inner.len() {
        return fault("there is not one inner ellipsoid to each length");
    }
    for inner in inner {
        if !is_in_the_ball::<N>(inner)? {
            return fault("an inner ellipsoid is not inside the unit ball");
        }
    }
    let (of_a, of_b) = inner.split_at(a.lengths.len());
    let (mut centre, matrix) = a.image(of_a);
    let (more, other) = b.image(of_b);
    // Over the common divisor, with B on the other side.
    let (over_a, over_b) = (&b.divisor, &a.divisor);
    centre = add(&scale(&centre, over_a), &scale(&more, over_b));
    centre = add(&centre, &subtract(&scale(&a.centre, over_a), &scale(&b.centre, over_b)));
    let matrix: Matrix<N> = std::array::from_fn(|i| add(&scale(&matrix[i], over_a), &scale(&other[i], over_b)));
    // A height that is not negative is above all that are.
    let radius = needed::<N>(pair, threshold).larger(&N::zero()).times(&a.divisor).times(&b.divisor);
    // λ (1-λ) CᵀC - (1-λ) r² I - λ c'c'ᵀ.
    let (share, rest) = (N::of(share), N::of(1.0).minus(&N::of(share)));
    let both = share.times(&rest);
    let ball = rest.times(&radius.squared());
    let gram = gram(&matrix);
    let excess = symmetric(|i, j| {
        let most = gram[i][j].times(&both).minus(&share.times(&centre[i].times(&centre[j])));
        if i == j { most.minus(&ball) } else { most }
    });
    if is_positive(&excess)? { Ok(Ordering::Less) } else { fault("the ellipsoid does not have the ball inside") }
}

/// Is w + Kᵀ of the unit ball inside the unit ball, surely?
fn is_in_the_ball<N: Number>(inner: &InnerEllipsoid) -> Result<bool, Trouble> {
    let InnerEllipsoid { centre, share, matrix } = inner;
    let (w, one) = (vector::<N>(*centre), N::of(1.0));
    if *matrix == [[0.0; 3]; 3] {
        return Ok(dot(&w, &w).compare(&one)? != Ordering::Greater);
    }
    let gram = gram(&matrix.map(vector::<N>));
    let (share, rest) = match *share {
        1.0 if *centre == [0.0; 3] => {
            let rest = symmetric(|i, j| if i == j { one.minus(&gram[i][j]) } else { gram[i][j].negated() });
            return is_positive(&rest);
        }
        share if 0.0 < share && share < 1.0 => (N::of(share), one.minus(&N::of(share))),
        _ => return Ok(false),
    };
    // λ (1-λ) I - λ w wᵀ - (1-λ) KᵀK.
    let both = share.times(&rest);
    is_positive(&symmetric(|i, j| {
        let taken = share.times(&w[i].times(&w[j])).plus(&rest.times(&gram[i][j]));
        if i == j { both.minus(&taken) } else { taken.negated() }
    }))
}

/// MᵀM of a matrix by rows.
fn gram<N: Number>(rows: &Matrix<N>) -> Matrix<N> {
    let columns = transpose(rows);
    symmetric(|i, j| dot(&columns[i], &columns[j]))
}

fn symmetric<N: Number>(of: impl Fn(usize, usize) -> N) -> Matrix<N> {
    let [xx, xy, xz, yy, yz, zz] = [(0, 0), (0, 1), (0, 2), (1, 1), (1, 2), (2, 2)].map(|(i, j)| of(i, j));
    [[xx, xy.clone(), xz.clone()], [xy, yy, yz.clone()], [xz, yz, zz]]
}

/// Is a symmetric matrix positive definite?
fn is_positive<N: Number>(m: &Matrix<N>) -> Result<bool, Trouble> {
    let minor = m[0][0].times(&m[1][1]).minus(&m[0][1].squared());
    let determinant = dot(&m[0], &cross(&m[1], &m[2]));
    for number in [&m[0][0], &minor, &determinant] {
        if number.sign()? != Ordering::Greater {
            return Ok(false);
        }
    }
    Ok(true)
}

/// A core that is symmetric about a centre, placed; all times a divisor.
struct Symmetric<N> {
    centre: Vector<N>,
    /// Matrices of world directions.
    lengths: Vec<Matrix<N>>,
    divisor: N,
}

impl<N: Number> Symmetric<N> {
    fn new(side: &Side<'_>) -> Result<Self, Trouble> {
        let rigid = side.rigid::<N>();
        let core = side.core();
        let Some(ends) = ends::<N>(core) else { return fault("an ellipsoid is given for a shape without a centre") };
        let (mut lengths, _) = lengths::<N>(core, true);
        // Twice the centre, and twice the half of the segment.
        let twice = match &ends[..] {
            [only] => scale(only, &N::of(2.0)),
            [low, high] => {
                lengths.push([scale(&subtract(high, low), &N::of(0.5)), vector([0.0; 3]), vector([0.0; 3])]);
                add(low, high)
            }
            _ => return fault("an ellipsoid is given for a shape without a centre"),
        };
        let (centre, divisor) = rigid.point(&(scale(&twice, &N::of(0.5)), N::of(1.0)));
        // L Mᵀ n: its rows are M times the rows of L.
        let lengths = lengths.iter().map(|rows| std::array::from_fn(|i| rigid.direction(&rows[i]))).collect();
        Ok(Self { centre, lengths, divisor })
    }

    /// Σ Lᵀw and Σ K L.
    fn image(&self, inner: &[InnerEllipsoid]) -> (Vector<N>, Matrix<N>) {
        let zero = || vector::<N>([0.0; 3]);
        let mut sum = (zero(), [zero(), zero(), zero()]);
        for (length, inner) in self.lengths.iter().zip(inner) {
            let columns = transpose(length);
            sum.0 = add(&sum.0, &map(&columns, &vector(inner.centre)));
            for (row, k) in sum.1.iter_mut().zip(&inner.matrix) {
                // The row of K times L.
                *row = add(row, &map(&columns, &vector(*k)));
            }
        }
        sum
    }
}

/// The matrices of the lengths of a core by rows, in its own frame, and the radius around it. A radius is a length only inside of an
/// image.
fn lengths<N: Number>(shape: &Shape, core: bool) -> (Vec<Matrix<N>>, N) {
    let diagonal = |x: f64, y: f64, z: f64| [vector([x, 0.0, 0.0]), vector([0.0, y, 0.0]), vector([0.0, 0.0, z])];
    match shape {
        Shape::Sphere { radius } | Shape::Capsule { radius, .. } if !core => (Vec::new(), N::of(*radius)),
        Shape::Cylinder { radius: r, .. } => (vec![diagonal(*r, 0.0, *r)], N::zero()),
        Shape::Ellipsoid { radii: [x, y, z] } => (vec![diagonal(*x, *y, *z)], N::zero()),
        Shape::Rounded { shape, radius } => {
            let (all, inner) = lengths::<N>(shape, core);
            (all, inner.plus(&N::of(*radius)))
        }
        Shape::Affine { shape, matrix } => {
            let matrix = matrix.map(vector::<N>);
            let (mut all, radius) = lengths::<N>(shape, false);
            for length in &mut all {
                *length = std::array::from_fn(|i| map(&matrix, &length[i]));
            }
            // The rows of r Mᵀ are r times the columns of M. A radius of zero is none.
            if radius.sign() != Ok(Ordering::Equal) {
                all.push(transpose(&matrix).map(|column| scale(&column, &radius)));
            }
            (all, N::zero())
        }
        _ => (Vec::new(), N::zero()),
    }
}

/// The one or two points of a core that is symmetric about a centre, in its own frame.
fn ends<N: Number>(shape: &Shape) -> Option<Vec<Vector<N>>> {
    Some(match shape {
        Shape::Point {} | Shape::Sphere { .. } | Shape::Ellipsoid { .. } => vec![vector([0.0; 3])],
        Shape::Capsule { half_height: h, .. } | Shape::Cylinder { half_height: h, .. } => {
            vec![vector([0.0, -h, 0.0]), vector([0.0, *h, 0.0])]
        }
        Shape::Segment { a, b } => vec![vector(*a), vector(*b)],
        Shape::Rounded { shape, .. } => ends(shape)?,
        Shape::Affine { shape, matrix } => {
            let matrix = matrix.map(vector::<N>);
            ends(shape)?.iter().map(|p| map(&matrix, p)).collect()
        }
        _ => return None,
    })
}

#[cfg(test)]
mod tests {
    use crate::{Claim, Evidence, InnerEllipsoid, Pose, Query, Shape, Upper, Verdict, check};
    use fastrand::Rng;

    fn is_proved(query: &Query, upper: f64, share: f64, inner: &[InnerEllipsoid]) -> bool {
        let ellipsoid = Upper::Ellipsoid { parts: [0; 2], share, inner: inner.to_vec() };
        let evidence = Evidence { upper: Some(ellipsoid), ..Evidence::default() };
        let verdict = check(query, &Claim::Bracket { lower: f64::NEG_INFINITY, upper }, &evidence);
        verdict == Verdict::Proved
    }

    fn diagonal(x: f64, y: f64, z: f64) -> [[f64; 3]; 3] {
        [[x, 0.0, 0.0], [0.0, y, 0.0], [0.0, 0.0, z]]
    }

    fn inner(centre: [f64; 3], share: f64, matrix: [[f64; 3]; 3]) -> InnerEllipsoid {
        InnerEllipsoid { centre, share, matrix }
    }

    /// Two spheroids with one centre: their sum is one, and as deep as the sum of the short axes.
    #[test]
    fn a_depth_is_proved_as_far_as_it_is_true_and_nothing_spoiled_proves_it() {
        let [a, b] = [[1.0, 2.0, 3.0], [1.0, 2.0, 3.0]].map(|radii| Shape::Ellipsoid { radii });
        let query = Query { a, pose_a: Pose::IDENTITY, b, pose_b: Pose::IDENTITY };
        let all = inner([0.0; 3], 1.0, diagonal(1.0 - 1e-15, 1.0 - 1e-15, 1.0 - 1e-15));
        let both = [all.clone(), all.clone()];
        let share = 1.0 - 1e-13;
        for upper in [-2.0 + 1e-12, -1.0, 0.0, 1.0, 100.0] {
            assert!(is_proved(&query, upper, share, &both), "{upper}");
        }
        assert!(!is_proved(&query, -2.0, share, &both));
        assert!(!is_proved(&query, -2.0 - 1e-12, share, &both));
        for share in [0.0, 1.0, -0.5, 1.5, f64::NAN, f64::INFINITY, 0.5] {
            assert!(!is_proved(&query, -2.0 + 1e-12, share, &both), "{share}");
        }
        let too_large = inner([0.0; 3], 1.0, diagonal(1.0, 1.0, 1.0 + 1e-15));
        let beside = inner([1e-300, 0.0, 0.0], 1.0, all.matrix);
        let far = inner([0.1, 0.0, 0.0], 0.9, all.matrix);
        let empty = inner([0.0; 3], 0.0, all.matrix);
        let none = inner([0.0; 3], 1.0, diagonal(f64::NAN, 0.0, 0.0));
        for spoiled in [too_large, beside, far, empty, none] {
            assert!(!is_proved(&query, -2.0 + 1e-12, share, &[all.clone(), spoiled.clone()]), "{spoiled:?}");
        }
        for wrong in [&both[..1], &[all.clone(), all.clone(), all.clone()], &[]] {
            assert!(!is_proved(&query, -2.0 + 1e-12, share, wrong));
        }
        // Of a box nothing is known here.
        let cuboid = Query { a: Shape::Cuboid { half_extents: [1.0; 3] }, ..query };
        assert!(!is_proved(&cuboid, -0.5, share, &both));
    }

    fn unit(v: [f64; 3]) -> [f64; 3] {
        let length = v.iter().map(|x| x * x).sum::<f64>().sqrt();
        v.map(|x| x / length)
    }

    /// The direction in the frame of a pose with a unit quaternion.
    fn local(pose: &Pose, n: [f64; 3]) -> [f64; 3] {
        let [x, y, z, w] = pose.rotation.map(|c| c / pose.rotation.iter().map(|x| x * x).sum::<f64>().sqrt());
        let rows = [
            [1.0 - 2.0 * (y * y + z * z), 2.0 * (x * y + z * w), 2.0 * (x * z - y * w)],
            [2.0 * (x * y - z * w), 1.0 - 2.0 * (x * x + z * z), 2.0 * (y * z + x * w)],
            [2.0 * (x * z + y * w), 2.0 * (y * z - x * w), 1.0 - 2.0 * (x * x + y * y)],
        ];
        rows.map(|row| row[0] * n[0] + row[1] * n[1] + row[2] * n[2])
    }

    fn height(shape: &Shape, [x, y, z]: [f64; 3]) -> f64 {
        match shape {
            Shape::Cylinder { radius, half_height } => radius * x.hypot(z) + half_height * y.abs(),
            Shape::Capsule { radius, half_height } => radius + half_height * y.abs(),
            Shape::Ellipsoid { radii: [a, b, c] } => (a * x).hypot(b * y).hypot(c * z),
            Shape::Segment { a, b } => {
                [a, b].map(|p| p[0] * x + p[1] * y + p[2] * z).into_iter().fold(f64::MIN, f64::max)
            }
            Shape::Rounded { shape, radius } => radius + height(shape, [x, y, z]),
            Shape::Affine { shape, matrix } => {
                let back = [0, 1, 2].map(|j| matrix[0][j] * x + matrix[1][j] * y + matrix[2][j] * z);
                let length = back.iter().map(|x| x * x).sum::<f64>().sqrt();
                length * height(shape, back.map(|x| x / length))
            }
            _ => panic!("{shape:?} is not drawn"),
        }
    }

    #[test]
    fn whatever_is_proved_is_below_the_height_in_every_direction() {
        let mut random = Rng::with_seed(11);
        let mut proved = 0;
        for case in 0..600 {
            let mut part = |size: f64| size * (2.0 * random.f64() - 1.0);
            let mut triple = |size: f64| [part(size), part(size), part(size)];
            let some = triple(0.4).map(|x| 0.6 + x);
            let mut kinds = vec![
                Shape::Cylinder { radius: some[0], half_height: some[1] },
                Shape::Capsule { radius: some[0], half_height: some[1] },
                Shape::Ellipsoid { radii: some },
                Shape::Segment { a: triple(1.0), b: triple(1.0) },
            ];
            let inside = Shape::Rounded { shape: Box::new(kinds[case % 2].clone()), radius: some[2] };
            let matrix = [triple(1.0), triple(1.0), triple(1.0)];
            kinds.push(Shape::Affine { shape: Box::new(inside), matrix });
            let (a, b) = (kinds[case % 5].clone(), kinds[(case / 5) % 5].clone());
            let [turn_a, turn_b] = [0, 1].map(|_| {
                let [x, y, z] = triple(0.3);
                [x, y, z, 0.9]
            });
            let pose_a = Pose { translation: triple(0.1), rotation: turn_a };
            let pose_b = Pose { translation: triple(0.1), rotation: turn_b };
            let count = |shape: &Shape| match shape {
                Shape::Cylinder { .. } => 2,
                // The disc or nothing, the radius, the segment.
                Shape::Affine { .. } => 3 - case % 2,
                _ => 1,
            };
            let inner: Vec<InnerEllipsoid> = (0..count(&a) + count(&b))
                .map(|_| {
                    let share = 0.6 + 0.3 * triple(1.0)[0];
                    // About the identity, so that they add up to something.
                    let mut matrix = [triple(0.15), triple(0.15), triple(0.15)];
                    (0..3).for_each(|i| matrix[i][i] += 0.55);
                    inner(triple(0.15), share, matrix)
                })
                .collect();
            let query = Query { a, pose_a, b, pose_b };
            // The least height that can be met.
            let mut least = f64::INFINITY;
            for _ in 0..2000 {
                let n = unit(triple(1.0));
                let between: f64 = (0..3).map(|i| n[i] * (pose_a.translation[i] - pose_b.translation[i])).sum();
                let back = local(&pose_b, n).map(|x| -x);
                least = least.min(between + height(&query.a, local(&pose_a, n)) + height(&query.b, back));
            }
            for round in 1..40 {
                let radius = f64::from(round) * 0.05;
                if is_proved(&query, -radius, 0.8, &inner) {
                    proved += 1;
                    assert!(least >= radius - 1e-12, "case {case}: {radius} is proved, and {least} a height");
                }
            }
        }
        assert!(proved > 100, "{proved}");
    }
}
