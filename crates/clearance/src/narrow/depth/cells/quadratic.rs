//! The least value of a quadratic function on a convex polygon.

use arrayvec::ArrayVec;
use glam::DVec2;

/// a + g·x + xᵀHx / 2.
#[derive(Debug, Clone, Copy)]
pub(super) struct Quadratic {
    pub value: f64,
    pub slope: DVec2,
    /// H, row by row: xx, xy, yy.
    pub second: [f64; 3],
}

/// A rectangle that lines have cut: counter-clockwise corners.
pub(super) type Polygon = ArrayVec<DVec2, 12>;

/// The rectangle of that half-width about zero, from `low` to `high`.
pub(super) fn rectangle(half: f64, [low, high]: [f64; 2]) -> Polygon {
    [DVec2::new(-half, low), DVec2::new(half, low), DVec2::new(half, high), DVec2::new(-half, high)]
        .into_iter()
        .collect()
}

/// The part of a polygon with normal·x >= level.
pub(super) fn cut(polygon: &Polygon, normal: DVec2, level: f64) -> Polygon {
    let mut rest = Polygon::new();
    for (i, &p) in polygon.iter().enumerate() {
        let q = polygon[(i + 1) % polygon.len()];
        let (at_p, at_q) = (normal.dot(p) - level, normal.dot(q) - level);
        if at_p >= 0.0 {
            let _ = rest.try_push(p);
        }
        if at_p * at_q < 0.0 {
            let _ = rest.try_push(p + (q - p) * (at_p / (at_p - at_q)));
        }
    }
    rest
}

impl Quadratic {
    pub fn at(&self, x: DVec2) -> f64 {
        let [xx, xy, yy] = self.second;
        self.value + self.slope.dot(x) + 0.5 * (xx * x.x * x.x + yy * x.y * x.y) + xy * x.x * x.y
    }

    fn gradient(&self, x: DVec2) -> DVec2 {
        let [xx, xy, yy] = self.second;
        self.slope + DVec2::new(xx * x.x + xy * x.y, xy * x.x + yy * x.y)
    }

    /// The least value on a polygon, and where; infinite if the polygon is empty.
    pub fn least(&self, polygon: &Polygon) -> (f64, DVec2) {
        let mut best = (f64::INFINITY, DVec2::ZERO);
        let mut consider = |x: DVec2| {
            // A NaN bounds nothing.
            let value = self.at(x);
            let value = if value.is_nan() { f64::NEG_INFINITY } else { value };
            if value < best.0 {
                best = (value, x);
            }
        };
        let [xx, xy, yy] = self.second;
        for (i, &p) in polygon.iter().enumerate() {
            consider(p);
            let along = polygon[(i + 1) % polygon.len()] - p;
            let bend = xx * along.x * along.x + 2.0 * xy * along.x * along.y + yy * along.y * along.y;
            let rise = self.gradient(p).dot(along);
            if rise < 0.0 && -rise < bend {
                consider(p - along * (rise / bend));
            }
        }
        // The critical point, if it is a minimum and inside.
        let determinant = xx * yy - xy * xy;
        if xx > 0.0 && determinant > 0.0 {
            let g = self.slope;
            let x = DVec2::new(xy * g.y - yy * g.x, xy * g.x - xx * g.y) / determinant;
            let inside = |(i, p): (usize, &DVec2)| (polygon[(i + 1) % polygon.len()] - p).perp_dot(x - p) >= 0.0;
            if !polygon.is_empty() && polygon.iter().enumerate().all(inside) {
                consider(x);
            }
        }
        best
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn no_point_of_a_polygon_is_below_the_least_value() {
        let mut state = 1_u64;
        let mut random = || {
            state = state.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
            (state >> 11) as f64 / (1_u64 << 52) as f64 - 1.0
        };
        for _ in 0..20_000 {
            let quadratic = Quadratic {
                value: random(),
                slope: DVec2::new(random(), random()),
                second: [3.0 * random(), random(), 3.0 * random()],
            };
            let mut polygon = rectangle(1.0, [-0.5, 0.75]);
            for _ in 0..2 {
                polygon = cut(&polygon, DVec2::new(random(), random()), 0.3 * random());
            }
            if polygon.len() < 3 {
                continue;
            }
            let (least, place) = quadratic.least(&polygon);
            assert!((quadratic.at(place) - least).abs() < 1e-12);
            for _ in 0..20 {
                // A random mean of the corners.
                let weights: Vec<f64> = polygon.iter().map(|_| (random() + 1.0).powi(4)).collect();
                let sum: f64 = weights.iter().sum();
                let x = polygon.iter().zip(&weights).map(|(p, w)| *p * (w / sum)).sum::<DVec2>();
                assert!(quadratic.at(x) >= least - 1e-12, "{quadratic:?} {polygon:?} at {x}");
            }
        }
    }
}
