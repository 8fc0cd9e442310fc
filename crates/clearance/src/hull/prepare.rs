//! The first stage of the hull: checked, scaled, sorted points without duplicates.

use super::MAX_POINTS;
use crate::error::{self, BuildError};
use crate::math::exact::Scale;
use glam::DVec3;

/// Distinct points in a unit in which predicates are exact, neighbours in space mostly neighbours in memory.
#[derive(Debug)]
pub(super) struct Prepared {
    /// The scaled points, see [`Scale`].
    pub points: Vec<DVec3>,
    /// The smallest index in the input of each point.
    pub sources: Vec<u32>,
}

impl Prepared {
    pub fn new(input: &[DVec3]) -> Result<Self, BuildError> {
        if input.is_empty() {
            return Err(BuildError::Empty { field: "points".into() });
        }
        if input.len() > MAX_POINTS {
            return Err(BuildError::TooMany { field: "points".into(), len: input.len(), max: MAX_POINTS });
        }
        for (i, &point) in input.iter().enumerate() {
            error::vector(|| format!("points[{i}]"), point)?;
        }
        let scale = Scale::of(input);
        let curve = Curve::around(input.iter().map(|&p| scale.point(p)));
        let mut keyed: Vec<Keyed> = (0..)
            .zip(input)
            .map(|(source, &p)| {
                let point = scale.point(p);
                Keyed { key: curve.key(point), source, point }
            })
            .collect();
        // Equal points have equal keys, so they come to stand side by side, the first of the input in front.
        keyed.sort_unstable_by(|a, b| {
            let coordinates = |p: DVec3| (p.x, p.y, p.z);
            let by_point = || coordinates(a.point).partial_cmp(&coordinates(b.point)).expect("finite");
            a.key.cmp(&b.key).then_with(by_point).then(a.source.cmp(&b.source))
        });
        keyed.dedup_by(|later, first| later.point == first.point);
        Ok(Self { points: keyed.iter().map(|k| k.point).collect(), sources: keyed.iter().map(|k| k.source).collect() })
    }
}

struct Keyed {
    key: u64,
    source: u32,
    point: DVec3,
}

/// A Z-order curve through the box of the points.
struct Curve {
    min: DVec3,
    cells_per_unit: DVec3,
}

impl Curve {
    /// Cells of the curve along each axis. Layout: 21 bits for each of three axes fit into 64.
    const CELLS: f64 = (1 << 21) as f64;

    fn around(points: impl Iterator<Item = DVec3>) -> Self {
        let bounds = crate::math::Aabb::of_points(points);
        let size = bounds.max - bounds.min;
        // A flat box has one layer of cells; scaled sizes are 0 or at least 2^-302, so the quotient is finite.
        let cells_per_unit = DVec3::from_array(size.to_array().map(|s| if s > 0.0 { Self::CELLS / s } else { 0.0 }));
        Self { min: bounds.min, cells_per_unit }
    }

    fn key(&self, point: DVec3) -> u64 {
        let cell = ((point - self.min) * self.cells_per_unit).min(DVec3::splat(Self::CELLS - 1.0));
        let [x, y, z] = cell.to_array().map(|c| spread(c as u64));
        x | y << 1 | z << 2
    }
}

/// Moves bit i to bit 3i, for 21 bits.
fn spread(mut x: u64) -> u64 {
    x = (x | x << 32) & 0x001f_0000_0000_ffff;
    x = (x | x << 16) & 0x001f_0000_ff00_00ff;
    x = (x | x << 8) & 0x100f_00f0_0f00_f00f;
    x = (x | x << 4) & 0x10c3_0c30_c30c_30c3;
    (x | x << 2) & 0x1249_2492_4924_9249
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn of_equal_points_the_first_survives_and_negative_zero_equals_zero() {
        let input = [DVec3::ONE, DVec3::new(0.0, -0.0, 0.0), DVec3::ZERO, DVec3::ONE, DVec3::X];
        let mut sources = Prepared::new(&input).unwrap().sources;
        sources.sort_unstable();
        assert_eq!(sources, [0, 1, 4]);
    }

    #[test]
    fn the_result_does_not_depend_on_the_order_of_the_input() {
        let mut rng = fastrand::Rng::with_seed(7);
        let mut input: Vec<DVec3> = (0..500).map(|_| DVec3::new(rng.f64(), rng.f64(), rng.u8(..3) as f64)).collect();
        let points = Prepared::new(&input).unwrap().points;
        rng.shuffle(&mut input);
        assert_eq!(points, Prepared::new(&input).unwrap().points);
    }

    #[test]
    fn faults_are_named() {
        let message = |points: &[DVec3]| Prepared::new(points).unwrap_err().to_string();
        assert_eq!(message(&[]), "points is empty, but needs at least one entry");
        assert_eq!(message(&[DVec3::ZERO, DVec3::NAN]), "points[1].x is NaN, but must be a finite number");
        assert!(message(&[DVec3::ZERO, DVec3::Z * 2e60]).starts_with("points[1].z is 2e60"));
        assert!(Prepared::new(&[DVec3::splat(1e60)]).is_ok());
    }
}
