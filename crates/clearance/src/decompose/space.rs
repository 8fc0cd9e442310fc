//! Planes through points of the input, and the points where three of them meet, with exact signs.
//!
//! A plane is `n·x = d` with exact coefficients; the point of three planes is `(x, w)` with the position `x / w`,
//!
//! ```text
//! w = n1·(n2 × n3),   x = d1 (n2 × n3) + d2 (n3 × n1) + d3 (n1 × n2),   w > 0 by choice of sign.
//! ```
//!
//! The side of a plane that a point is on is the sign of `n·x - d w`: first by interval arithmetic, then by exact numbers
//! (`number.rs`) where the interval contains zero. A point is never rounded, so no decision about it depends on rounding.
//!
//! **Range.** A power of two scales all coordinates below 2^98; they must then be multiples of 2^-106. Expressions have degree at most 9
//! in the coordinates, so they are below 2^950 and multiples of 2^-954. Interval ends neither overflow nor underflow.
//! Points with digits below 2^-204 of the largest coordinate are rejected ([`Space::new`]).
//!
//! Invariants:
//! * Planes with equal rounded coefficients and exactly the same points share one number. Equal planes may still get two numbers: at a
//!   boundary of that rounding, or from [`Space::along_axis`].
//! * The denominator `w` of every point is positive.

use super::number::{Number, cross, dot};
use crate::math::Aabb;
use crate::math::exact::Scale;
use glam::DVec3;
use rustc_hash::FxHashMap;
use std::cell::{OnceCell, RefCell};

/// Coordinates are below this, 2^98. Bound: see **Range** above.
const LARGE: f64 = f64::from_bits((1023 + 98) << 52);
/// Coordinates are multiples of 1 / `FINE`, 2^-106. Bound: see **Range** above.
const FINE: f64 = f64::from_bits((1023 + 106) << 52);

/// An interval whose ends are rounded outward.
#[derive(Debug, Clone, Copy)]
struct NumberInterval {
    low: f64,
    high: f64,
}

impl NumberInterval {
    fn exactly(x: f64) -> Self {
        Self { low: x, high: x }
    }

    fn around(number: &Number) -> Self {
        let value = number.value();
        if number.is_double() {
            return Self::exactly(value);
        }
        Self { low: value.next_down().next_down(), high: value.next_up().next_up() }
    }

    /// Zeros are common, where planes are parallel to axes, and stay exact.
    fn is_zero(self) -> bool {
        self.low == 0.0 && self.high == 0.0
    }

    fn plus(self, other: Self) -> Self {
        if self.is_zero() || other.is_zero() {
            return if self.is_zero() { other } else { self };
        }
        Self { low: (self.low + other.low).next_down(), high: (self.high + other.high).next_up() }
    }

    fn minus(self, other: Self) -> Self {
        self.plus(other.negated())
    }

    fn times(self, other: Self) -> Self {
        if self.is_zero() || other.is_zero() {
            return Self::exactly(0.0);
        }
        let products = [self.low * other.low, self.low * other.high, self.high * other.low, self.high * other.high];
        let [low, high] = [f64::min, f64::max].map(|best| products.into_iter().reduce(best).unwrap_or(f64::NAN));
        Self { low: low.next_down(), high: high.next_up() }
    }

    fn negated(self) -> Self {
        Self { low: -self.high, high: -self.low }
    }

    /// The sign, if it is certain.
    fn sign(self) -> Option<i8> {
        if self.low > 0.0 {
            Some(1)
        } else if self.high < 0.0 {
            Some(-1)
        } else if self.is_zero() {
            Some(0)
        } else {
            None
        }
    }
}

fn cross_intervals(a: &[NumberInterval], b: &[NumberInterval]) -> [NumberInterval; 3] {
    [[1, 2], [2, 0], [0, 1]].map(|[i, j]| a[i].times(b[j]).minus(a[j].times(b[i])))
}

fn dot_intervals(a: &[NumberInterval], b: &[NumberInterval]) -> NumberInterval {
    a[0].times(b[0]).plus(a[1].times(b[1])).plus(a[2].times(b[2]))
}

/// `n·x = d`.
#[derive(Debug)]
struct ExactPlane {
    normal: [Number; 3],
    offset: Number,
    /// The normal, then the offset.
    about: [NumberInterval; 4],
    /// Points of the input that are known to be on it.
    on: Vec<u32>,
}

/// A point of the input, or of three planes.
#[derive(Debug)]
struct ExactPoint {
    /// Its planes; [`NONE`] thrice for a point of the input.
    planes: [u32; 3],
    /// Three coordinates and their common denominator.
    about: [NumberInterval; 4],
    exact: OnceCell<[Number; 4]>,
    /// Is `w` negative as the planes are numbered?
    is_turned: bool,
    position: DVec3,
}

/// The index of no plane. Layout: indices are 32 bits, and no mesh has 2^32 - 1 planes.
const NONE: u32 = u32::MAX;

/// One side of a plane, the plane included.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub(super) struct PlaneSide {
    pub plane: u32,
    /// Is it the side that the normal points to?
    pub is_above: bool,
}

impl PlaneSide {
    pub fn complement(self) -> Self {
        Self { is_above: !self.is_above, ..self }
    }

    /// The side of its plane that a point is on, made negative inside and positive outside.
    pub fn turned(self, side: i8) -> i8 {
        if self.is_above { -side } else { side }
    }
}

/// All planes and points of a computation, each known by its number.
#[derive(Debug)]
pub(super) struct Space {
    scale: Scale,
    planes: Vec<ExactPlane>,
    points: Vec<ExactPoint>,
    /// Planes by their rounded coefficients: candidates for the same plane.
    similar_planes: FxHashMap<[i64; 4], Vec<u32>>,
    /// Points of the input by their bits, points of planes by the numbers of these.
    known_points: FxHashMap<[u64; 3], u32>,
    known_triples: FxHashMap<[u32; 3], u32>,
    /// Signs that intervals left undecided, by plane and point: most are queried again.
    known_sides: RefCell<FxHashMap<[u32; 2], i8>>,
    /// Whether a state occurred that exact signs exclude. Then no proof succeeds.
    pub is_broken: bool,
}

impl Space {
    /// For computations with points no larger than these; `None` if one has digits too fine.
    pub fn new(points: &[DVec3]) -> Option<Self> {
        let space = Self {
            scale: Scale::of(points),
            planes: Vec::new(),
            points: Vec::new(),
            similar_planes: FxHashMap::default(),
            known_points: FxHashMap::default(),
            known_triples: FxHashMap::default(),
            known_sides: RefCell::default(),
            is_broken: false,
        };
        points.iter().all(|&point| space.is_fit(space.scale.point(point) * LARGE, point)).then_some(space)
    }

    /// Whether the coordinates are in the range of exact signs and scaling lost no digit.
    fn is_fit(&self, scaled: DVec3, point: DVec3) -> bool {
        (0..3).all(|k| {
            scaled[k].abs() < LARGE && (scaled[k] * FINE).fract() == 0.0 && (scaled[k] != 0.0 || point[k] == 0.0)
        })
    }

    /// A position in the unit of the input. The conversion is exact: units differ by a power of two.
    pub fn unscaled(&self, position: DVec3) -> DVec3 {
        DVec3::from_array(position.to_array().map(|x| self.scale.length(x / LARGE)))
    }

    /// A position of the input in the unit of this space.
    pub fn scaled(&self, position: DVec3) -> DVec3 {
        self.scale.point(position) * LARGE
    }

    /// The number of a point of the input.
    pub fn input_point(&mut self, point: DVec3) -> u32 {
        let at = self.scaled(point);
        self.point_at(at)
    }

    /// The number of a point given in the unit of this space.
    fn point_at(&mut self, at: DVec3) -> u32 {
        let at = at + DVec3::ZERO;
        let next = self.points.len() as u32;
        let number = *self.known_points.entry(at.to_array().map(f64::to_bits)).or_insert(next);
        if number == next {
            self.points.push(ExactPoint {
                planes: [NONE; 3],
                about: [at.x, at.y, at.z, 1.0].map(NumberInterval::exactly),
                exact: OnceCell::new(),
                is_turned: false,
                position: at,
            });
        }
        number
    }

    /// The half-space below the plane through three points of the input that turn counter-clockwise seen from above.
    ///
    /// `None` if they are collinear.
    pub fn below(&mut self, corners: [DVec3; 3]) -> Option<PlaneSide> {
        let [a, b, c] = corners.map(|corner| self.scaled(corner).to_array().map(Number::from));
        let minus = |p: &[Number; 3]| [0, 1, 2].map(|k| &p[k] - &a[k]);
        let normal = cross(&minus(&b), &minus(&c));
        if normal.iter().all(Number::is_zero) {
            return None;
        }
        let offset = dot(&normal, &a);
        let points = corners.map(|corner| self.input_point(corner));
        Some(self.known_plane(normal, offset, points))
    }

    /// The half-space on one side of the plane in which a coordinate has a value, which is in the unit of this space.
    pub fn beside(&mut self, axis: usize, value: f64, is_above: bool) -> PlaneSide {
        let mut normal = [0.0; 3];
        normal[axis] = 1.0;
        let points = [DVec3::ZERO, DVec3::Y, DVec3::Z].map(|offset| {
            let mut at = DVec3::from_array([0, 1, 2].map(|k| offset[(k + 3 - axis) % 3] * LARGE));
            at[axis] = value;
            self.point_at(at)
        });
        let half = self.known_plane(normal.map(Number::from), Number::from(value), points);
        if is_above { half.complement() } else { half }
    }

    /// A plane through two points of the input and parallel to an axis.
    pub fn along_axis(&mut self, ends: [DVec3; 2], axis: usize) -> u32 {
        let [a, b] = ends.map(|end| self.scaled(end).to_array().map(Number::from));
        let along = [0, 1, 2].map(|k| &b[k] - &a[k]);
        let mut direction = [0.0; 3];
        direction[axis] = 1.0;
        let normal = cross(&along, &direction.map(Number::from));
        let offset = dot(&normal, &a);
        let points = ends.map(|end| self.input_point(end));
        let plane = self.push_plane(normal, offset);
        self.note(plane, &points);
        plane
    }

    fn push_plane(&mut self, normal: [Number; 3], offset: Number) -> u32 {
        let [x, y, z] = [0, 1, 2].map(|k| NumberInterval::around(&normal[k]));
        let about = [x, y, z, NumberInterval::around(&offset)];
        self.planes.push(ExactPlane { normal, offset, about, on: Vec::new() });
        self.planes.len() as u32 - 1
    }

    /// The plane with these coefficients, through these points, or one that is known to be the same.
    fn known_plane(&mut self, normal: [Number; 3], offset: Number, points: [u32; 3]) -> PlaneSide {
        let values = [0, 1, 2].map(|k| normal[k].value());
        let length = DVec3::from_array(values.map(|x| x / 1e30)).length() * 1e30;
        let widest = (0..3).fold(0, |best, k| if values[k].abs() > values[best].abs() { k } else { best });
        let sign = values[widest].signum();
        let rough = |x: f64| (sign * x * f64::from(1 << 24)).round() as i64;
        let key = [
            rough(values[0] / length),
            rough(values[1] / length),
            rough(values[2] / length),
            rough(offset.value() / length / LARGE),
        ];
        let candidates = self.similar_planes.get(&key).cloned().unwrap_or_default();
        for plane in candidates {
            if points.iter().all(|&point| self.side(plane, point) == 0) {
                // The normals are parallel: the sign of any nonzero coordinate gives their orientation.
                let same = self.planes[plane as usize].normal[widest].sign() == normal[widest].sign();
                self.note(plane, &points);
                return PlaneSide { plane, is_above: !same };
            }
        }
        let plane = self.push_plane(normal, offset);
        self.similar_planes.entry(key).or_default().push(plane);
        self.note(plane, &points);
        PlaneSide { plane, is_above: false }
    }

    /// Records that points of the input are on a plane.
    fn note(&mut self, plane: u32, points: &[u32]) {
        let on = &mut self.planes[plane as usize].on;
        for &point in points {
            if !on.contains(&point) {
                on.push(point);
            }
            self.known_sides.get_mut().insert([plane, point], 0);
        }
    }

    /// A point of the input that is known to be on three planes.
    fn common_point(&self, planes: [u32; 3]) -> Option<u32> {
        let mut lists = planes.map(|plane| &self.planes[plane as usize].on);
        lists.sort_unstable_by_key(|list| list.len());
        let [few, more, most] = lists;
        few.iter().copied().find(|point| more.contains(point) && most.contains(point))
    }

    /// The point where three planes meet; they must meet in exactly one.
    pub fn meeting_point(&mut self, planes: [u32; 3]) -> u32 {
        let mut planes = planes;
        planes.sort_unstable();
        if let Some(&number) = self.known_triples.get(&planes) {
            return number;
        }
        if let Some(number) = self.common_point(planes) {
            self.known_triples.insert(planes, number);
            return number;
        }
        let [p, q, r] = planes.map(|plane| &self.planes[plane as usize]);
        let [qr, rp, pq] = [(q, r), (r, p), (p, q)].map(|(a, b)| cross_intervals(&a.about[..3], &b.about[..3]));
        let w = dot_intervals(&p.about, &qr);
        let x = [0, 1, 2].map(|k| p.about[3].times(qr[k]).plus(q.about[3].times(rp[k])).plus(r.about[3].times(pq[k])));
        let mut about = [x[0], x[1], x[2], w];
        let exact = OnceCell::new();
        let is_turned = match w.sign() {
            Some(sign) => sign < 0,
            None => {
                let numbers = self.meeting(planes);
                let is_turned = numbers[3].sign() < 0;
                about = [0, 1, 2, 3].map(|k| NumberInterval::around(&numbers[k]));
                let numbers = if is_turned { numbers.map(|number| -&number) } else { numbers };
                exact.get_or_init(|| numbers);
                is_turned
            }
        };
        if is_turned {
            about = about.map(NumberInterval::negated);
        }
        let middle = |k: usize| 0.5 * (about[k].low + about[k].high);
        let position = DVec3::new(middle(0), middle(1), middle(2)) / middle(3);
        self.points.push(ExactPoint { planes, about, exact, is_turned, position });
        let number = self.points.len() as u32 - 1;
        self.known_triples.insert(planes, number);
        number
    }

    /// `(x, w)` of three planes, exactly.
    fn meeting(&self, planes: [u32; 3]) -> [Number; 4] {
        let [p, q, r] = planes.map(|plane| &self.planes[plane as usize]);
        let [qr, rp, pq] = [(q, r), (r, p), (p, q)].map(|(a, b)| cross(&a.normal, &b.normal));
        let x = |k: usize| &(&(&p.offset * &qr[k]) + &(&q.offset * &rp[k])) + &(&r.offset * &pq[k]);
        [x(0), x(1), x(2), dot(&p.normal, &qr)]
    }

    /// The side of a plane that a point is on: positive above, zero on it. Exact.
    pub fn side(&self, plane: u32, point: u32) -> i8 {
        let key = [plane, point];
        let plane = &self.planes[plane as usize];
        let point = &self.points[point as usize];
        if point.planes.contains(&key[0]) {
            return 0;
        }
        let about = dot_intervals(&plane.about, &point.about).minus(plane.about[3].times(point.about[3]));
        about.sign().unwrap_or_else(|| {
            if let Some(&known) = self.known_sides.borrow().get(&key) {
                return known;
            }
            let [x, y, z, w] = self.coordinates(point);
            let height = &(&(&(&plane.normal[0] * x) + &(&plane.normal[1] * y)) + &(&plane.normal[2] * z))
                - &(&plane.offset * w);
            let side = height.sign();
            self.known_sides.borrow_mut().insert(key, side);
            side
        })
    }

    /// Is a point inside of a half-space (negative), on its plane (zero) or outside (positive)?
    pub fn outside(&self, half: PlaneSide, point: u32) -> i8 {
        half.turned(self.side(half.plane, point))
    }

    /// Where a point is, to rounding, in the unit of this space.
    pub fn position(&self, point: u32) -> DVec3 {
        self.points[point as usize].position
    }

    /// A box around a point, in the unit of this space.
    pub fn bounds(&self, point: u32) -> Aabb {
        let point = &self.points[point as usize];
        if point.planes == [NONE; 3] {
            return Aabb { min: point.position, max: point.position };
        }
        let w = point.about[3];
        // The quotient of intervals, of which the divisor is positive.
        let quotient = |k: usize| {
            let x = point.about[k];
            let low = if x.low >= 0.0 { x.low / w.high } else { x.low / w.low };
            let high = if x.high >= 0.0 { x.high / w.low } else { x.high / w.high };
            (low.next_down(), high.next_up())
        };
        let [x, y, z] = [0, 1, 2].map(quotient);
        Aabb { min: DVec3::new(x.0, y.0, z.0), max: DVec3::new(x.1, y.1, z.1) }
    }

    /// The exact position of a point, if it is three doubles.
    pub fn exact_position(&self, point: u32) -> Option<DVec3> {
        let at = &self.points[point as usize];
        if at.planes == [NONE; 3] {
            return Some(at.position);
        }
        let numbers = self.coordinates(at);
        let mut found = DVec3::ZERO;
        for k in 0..3 {
            // x = c w, for a double c next to the quotient.
            let near = numbers[k].value() / numbers[3].value();
            let candidates =
                [near, near.next_down(), near.next_up(), near.next_down().next_down(), near.next_up().next_up()];
            let is_it = |c: &f64| (&numbers[k] - &(&Number::from(*c) * &numbers[3])).is_zero();
            found[k] = candidates.into_iter().find(is_it)?;
        }
        // Also in range, as points of the input are.
        (0..3).all(|k| (found[k] * FINE).fract() == 0.0).then_some(found)
    }

    /// The position of a point, to about one unit in the last place.
    pub fn nearest_position(&self, point: u32) -> DVec3 {
        let [x, y, z, w] = self.coordinates(&self.points[point as usize]);
        DVec3::new(x.value(), y.value(), z.value()) / w.value()
    }

    /// The exact coordinates of a point and their common denominator.
    fn coordinates<'a>(&self, point: &'a ExactPoint) -> &'a [Number; 4] {
        point.exact.get_or_init(|| {
            if point.planes == [NONE; 3] {
                let [x, y, z] = point.position.to_array();
                return [x, y, z, 1.0].map(Number::from);
            }
            let numbers = self.meeting(point.planes);
            if point.is_turned { numbers.map(|number| -&number) } else { numbers }
        })
    }

    /// A unit normal that points out of a half-space, to rounding.
    pub fn normal(&self, half: PlaneSide) -> DVec3 {
        let about = &self.planes[half.plane as usize].about;
        let middle = DVec3::from_array([0, 1, 2].map(|k| 0.5 * (about[k].low + about[k].high)));
        let unit = crate::math::exact::unit(middle);
        if half.is_above { -unit } else { unit }
    }

    /// How far a position is outside of a half-space, to rounding, in the unit of this space.
    pub fn height(&self, half: PlaneSide, position: DVec3) -> f64 {
        let (normal, offset) = self.rounded_plane(half);
        normal.dot(position) - offset
    }

    /// The outward unit normal of a half-space and the offset of its plane, to rounding.
    pub fn rounded_plane(&self, half: PlaneSide) -> (DVec3, f64) {
        let about = &self.planes[half.plane as usize].about;
        let middle = |k: usize| 0.5 * (about[k].low + about[k].high);
        let normal = DVec3::new(middle(0), middle(1), middle(2));
        let length = crate::math::exact::length(normal) * if half.is_above { -1.0 } else { 1.0 };
        (normal / length, middle(3) / length)
    }

    /// The number of a position in the unit of this space, brought to a coarse grid so that it is in range.
    pub fn coarse_point(&mut self, position: DVec3) -> u32 {
        let grid = 64.0 / FINE;
        self.point_at((position / grid).round() * grid)
    }

    /// The largest coordinate there may be.
    pub const fn size() -> f64 {
        LARGE
    }
}
