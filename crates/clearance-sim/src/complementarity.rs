//! The quadratic program of simultaneous contacts: λ ≥ 0 that minimises ½ λᵀ A λ + bᵀ λ, for a symmetric positive semidefinite A.
//!
//! Method: the active sets of Lawson and Hanson ("Solving Least Squares Problems", 1974, chapter 23), in the form with normal equations.
//! Redundant contacts, as the four corners of a box are, have many solutions. The last step chooses the one of least length, so that symmetric contacts have
//! equal impulses: a ridge on the diagonal makes it unique, and refinement takes the error of the ridge away.

/// Ridge of the search, relative to the largest entry of the diagonal. Bound: the velocities change by this part, which is about the rounding of a sum of a hundred impulses.
const RIDGE: f64 = 1e-14;

/// Slopes smaller than this part of the largest speed are zero. Bound: rounding of a sum of a hundred products.
const FLAT: f64 = 1e-13;

/// Diagonal entries below this part of the largest have no contact of their own. Bound: bodies whose masses differ by more than 12 digits.
const IMMOVABLE: f64 = 1e-12;

/// Slopes up to this part of the largest speed belong to contacts that may share a load. Bound: rounding of the factors, whose condition is at most that of ten thousand.
const TIGHT: f64 = 1e-10;

/// Variables below this part of the typical one are zero. Bound: rounding of the step towards them.
const GONE: f64 = 1e-15;

/// Ridge of the solution of least length. Bound: two refinements leave its cube, far below rounding, and the null space gets rounding divided by it.
const SHARING_RIDGE: f64 = 1e-7;

/// Solves the program for the n by n matrix `a`, by rows.
pub(crate) fn solve(a: &[f64], b: &[f64]) -> Vec<f64> {
    let n = b.len();
    debug_assert_eq!(a.len(), n * n);
    let largest = (0..n).map(|i| a[i * n + i]).fold(0.0, f64::max);
    let (scale, ridge) = (b.iter().fold(0.0, |most: f64, x| most.max(x.abs())), RIDGE * largest);
    let mut x = vec![0.0; n];
    if !(largest > 0.0 && scale > 0.0) {
        return x;
    }
    let mut passive: Vec<usize> = Vec::new();
    // Each round admits one variable. Limit: cycles by rounding end here, with a feasible λ.
    for _ in 0..4 * n + 8 {
        let slope = |i: usize| -b[i] - (0..n).map(|j| a[i * n + j] * x[j]).sum::<f64>();
        let best = (0..n)
            .filter(|i| !passive.contains(i) && a[i * n + i] > IMMOVABLE * largest)
            .map(|i| (i, slope(i)))
            .filter(|&(_, slope)| slope > FLAT * scale)
            .max_by(|x, y| x.1.total_cmp(&y.1).then(y.0.cmp(&x.0)));
        let Some((admitted, _)) = best else { break };
        passive.push(admitted);
        passive.sort_unstable();
        loop {
            let trial = solve_passive(a, b, n, &passive, ridge);
            // The largest step towards the trial that keeps λ ≥ 0.
            let blocking = passive.iter().zip(&trial).filter(|&(_, &t)| t <= 0.0);
            let step = blocking.map(|(&i, &t)| if x[i] > t { x[i] / (x[i] - t) } else { 0.0 }).fold(1.0, f64::min);
            let is_inside = trial.iter().all(|&t| t > 0.0);
            for (&i, &t) in passive.iter().zip(&trial) {
                x[i] = if is_inside { t } else { (x[i] + step * (t - x[i])).max(0.0) };
            }
            if is_inside {
                break;
            }
            let before = passive.len();
            let values: Vec<(usize, f64)> = passive.iter().copied().zip(trial).collect();
            passive.clear();
            for (i, t) in values {
                // A variable that the trial makes negative and that has arrived at zero leaves.
                if t > 0.0 || x[i] > GONE * scale / largest {
                    passive.push(i);
                } else {
                    x[i] = 0.0;
                }
            }
            if passive.len() == before || passive.is_empty() {
                break;
            }
        }
    }
    shared(a, b, n, x, SHARING_RIDGE * largest, scale)
}

/// The solution of least length among those with the same velocities, if it is positive; else the solution.
fn shared(a: &[f64], b: &[f64], n: usize, x: Vec<f64>, ridge: f64, scale: f64) -> Vec<f64> {
    let slopes =
        |x: &[f64]| -> Vec<f64> { (0..n).map(|i| b[i] + (0..n).map(|j| a[i * n + j] * x[j]).sum::<f64>()).collect() };
    let found = slopes(&x);
    let tight: Vec<usize> = (0..n).filter(|&i| found[i].abs() <= TIGHT * scale && a[i * n + i] > 0.0).collect();
    if tight.len() < 2 || tight.iter().all(|&i| x[i] > 0.0) && tight.len() <= 2 {
        return x;
    }
    let mut even = vec![0.0; n];
    for _ in 0..3 {
        let rest = slopes(&even);
        for (&i, step) in tight.iter().zip(solve_passive(a, &rest, n, &tight, ridge)) {
            even[i] += step;
        }
    }
    // No worse than the solution that was found.
    let worst = |slopes: &[f64]| slopes.iter().fold(0.0, |worst: f64, slope| worst.max(-slope));
    let is_good = even.iter().all(|&x| x >= 0.0) && worst(&slopes(&even)) <= worst(&found).max(FLAT * scale);
    if is_good { even } else { x }
}

/// The minimiser over the passive variables, all others being zero: Cholesky's factors.
fn solve_passive(a: &[f64], b: &[f64], n: usize, passive: &[usize], ridge: f64) -> Vec<f64> {
    let m = passive.len();
    let mut l = vec![0.0; m * m];
    for i in 0..m {
        for j in 0..=i {
            let mut sum = a[passive[i] * n + passive[j]] + if i == j { ridge } else { 0.0 };
            for k in 0..j {
                sum -= l[i * m + k] * l[j * m + k];
            }
            l[i * m + j] = if i == j { sum.max(ridge).sqrt() } else { sum / l[j * m + j] };
        }
    }
    let mut y: Vec<f64> = passive.iter().map(|&i| -b[i]).collect();
    for i in 0..m {
        for k in 0..i {
            y[i] -= l[i * m + k] * y[k];
        }
        y[i] /= l[i * m + i];
    }
    for i in (0..m).rev() {
        for k in i + 1..m {
            y[i] -= l[k * m + i] * y[k];
        }
        y[i] /= l[i * m + i];
    }
    y
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_solution_satisfies_the_conditions_of_optimality() {
        let mut rng = fastrand::Rng::with_seed(3);
        for _ in 0..400 {
            let (n, rank) = (rng.usize(1..9), rng.usize(1..7));
            let rows: Vec<Vec<f64>> = (0..n).map(|_| (0..rank).map(|_| rng.f64() - 0.5).collect()).collect();
            let dot = |i: usize, j: usize| rows[i].iter().zip(&rows[j]).map(|(x, y)| x * y).sum::<f64>();
            let a: Vec<f64> = (0..n * n).map(|k| dot(k / n, k % n)).collect();
            // In the range of A, as velocities are.
            let velocity: Vec<f64> = (0..rank).map(|_| rng.f64() - 0.5).collect();
            let b: Vec<f64> = rows.iter().map(|row| row.iter().zip(&velocity).map(|(x, y)| x * y).sum()).collect();
            let x = solve(&a, &b);
            for i in 0..n {
                let w = b[i] + (0..n).map(|j| a[i * n + j] * x[j]).sum::<f64>();
                assert!(x[i] >= 0.0 && w > -1e-9, "{w} {x:?}");
                assert!(x[i] * w < 1e-8, "{} {w}", x[i]);
            }
        }
    }

    #[test]
    fn redundant_contacts_share_their_load() {
        // Four corners of a square about the origin, with unit mass and unit moments.
        let corners = [[1.0, 1.0], [1.0, -1.0], [-1.0, 1.0], [-1.0, -1.0]];
        let a: Vec<f64> =
            (0..16).map(|k: usize| 1.0 + (0..2).map(|d| corners[k / 4][d] * corners[k % 4][d]).sum::<f64>()).collect();
        let x = solve(&a, &[-1.0; 4]);
        assert!(x.iter().all(|x| (x - 0.25).abs() < 1e-9), "{x:?}");
    }
}
