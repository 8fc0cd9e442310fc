//! The chord of a line in a convex shape, in closed form where there is one.
//!
//! | shape | chord |
//! |---|---|
//! | ball, point | of a ball |
//! | box | of three slabs |
//! | cylinder | of a slab and a disc, by what is seen along the axis |
//! | segment, capsule | the same for any axis, and two balls |
//! | cone | of a slab and a quadric |
//! | ellipsoid | of the ball that it is an image of |
//! | hull | of the half-spaces of its faces |
//! | triangle, flat hull | of a plane and the half-spaces of its sides |
//! | image of one of these | the same line before the map |
//!
//! Everything else is found by a search (`search.rs`).

use super::chord::{Between, Chord, ball, centered_ball, cuboid, half_line, slab};
use super::line::{LEAST, Line};
use super::search;
use super::triangle::{LineCrossing, crossing};
use crate::shape::{Cone, Convex, Feature, Polytope, Segment, Shape, Triangle};
use glam::DVec3;

/// Error of planes of faces, relative to the sizes. Bound: normals are right to 25 ε, offsets to 3; the rest is for products and sums with
/// the extent.
const OF_PLANES: f64 = 48.0 * f64::EPSILON;

/// Cones whose sides are closer to parallel to the line are searched. Bound: the leading coefficient of the quadratic equation is off by 32 ε,
/// a part of 1e-8 of it at this limit.
const PARALLEL: f64 = 1e-6;

/// Ellipsoids that are flatter are searched. Bound: dividing by the least radius multiplies errors by the inverse of this, to 1e-6 of the size.
const FLAT: f64 = 1e-9;

/// The middle of a bounded shape, and how far it reaches from there.
pub(super) fn middle(shape: &Shape) -> (DVec3, f64) {
    let around = |center: DVec3, core: &dyn Convex| (center, center.length() + core.bounding_radius() + core.radius());
    let (center, radius) = match shape {
        Shape::Sphere(sphere) => (DVec3::ZERO, sphere.radius()),
        Shape::Segment(segment) => {
            let [a, b] = segment.ends();
            (segment.center(), 0.5 * a.distance(b) + segment.radius())
        }
        Shape::Triangle(triangle) => {
            let center = triangle.center();
            (center, triangle.corners().into_iter().fold(0.0, |far: f64, corner| far.max(corner.distance(center))))
        }
        Shape::Polytope(polytope) => of_box(&polytope.aabb()),
        Shape::Mesh(mesh) => {
            let (center, radius) = of_box(&mesh.aabb());
            (center, radius + mesh.slack())
        }
        Shape::Cuboid(core) => around(DVec3::ZERO, core),
        Shape::Cylinder(core) => around(DVec3::ZERO, core),
        Shape::Cone(core) => around(DVec3::ZERO, core),
        Shape::Ellipsoid(core) => around(DVec3::ZERO, core),
        Shape::Affine(core) => around(core.center(), &**core),
        Shape::Rounded(core) => around(core.center(), &**core),
        Shape::Custom(core) => around(core.center(), &**core),
        Shape::Compound(compound) => match compound.tree().nodes().first() {
            Some(root) if compound.unbounded().is_empty() => (root.center, root.half.length()),
            Some(root) => (root.center, f64::INFINITY),
            None => (DVec3::ZERO, f64::INFINITY),
        },
        Shape::HalfSpace(_) => (DVec3::ZERO, f64::INFINITY),
    };
    // Lengths that are so small may have been squared to nothing.
    (center, radius * (1.0 + 8.0 * f64::EPSILON) + LEAST)
}

fn of_box(bounds: &crate::math::Aabb) -> (DVec3, f64) {
    let center = bounds.center();
    (center, (bounds.max - center).max(center - bounds.min).length())
}

/// How far along a line, whose zero is next to the middle of a shape of that radius, anything of the shape can be.
#[inline(always)]
pub(super) fn reach(line: &Line, radius: f64) -> f64 {
    1.5 * (radius + line.errors[0] + f64::MIN_POSITIVE) / line.speed
}

/// The chord of a line in a convex shape, whose zero is next to its middle; nothing if it is proved that there is none. Where the
/// line is before `start` does not matter, which saves a search its second half.
#[inline(always)]
pub(super) fn chord(shape: &Shape, line: &Line, radius: f64, start: f64) -> Option<Chord> {
    let reach = reach(line, radius);
    match closed(shape, line, reach, start) {
        Ok(chord) => chord,
        Err(()) => search::chord(shape, line, reach, start),
    }
}

/// The chord in closed form, or an error where a search has to find it.
#[inline(always)]
fn closed(shape: &Shape, line: &Line, reach: f64, start: f64) -> Result<Option<Chord>, ()> {
    let Line { point: q, along: u, .. } = *line;
    let error = line.error(reach);
    match shape {
        Shape::Sphere(sphere) if line.speed == 1.0 => Ok(centered_ball(q, sphere.radius(), error)),
        Shape::Sphere(sphere) => Ok(ball(q, u, sphere.radius(), error, reach, 0)),
        Shape::Cuboid(one) => {
            let h = one.half_extents();
            let error = error + rounding(q, h.element_sum(), reach);
            Ok(cuboid(q, u, h, error, reach))
        }
        Shape::Segment(segment) => Ok(capsule(segment, segment.radius(), line, error, reach, start)),
        Shape::Cylinder(cylinder) => {
            let (r, h) = (cylinder.base_radius(), cylinder.half_height());
            let flat = |v: DVec3| DVec3::new(v.x, 0.0, v.z);
            let error = error + rounding(q, r + h, reach);
            Ok((|| slab(q.y, u.y, h, error, reach, [1, 2])?.and(ball(flat(q), flat(u), r, error, reach, 0)?))())
        }
        Shape::Cone(one) => cone(one, line, error, reach),
        Shape::Ellipsoid(ellipsoid) => {
            let radii = ellipsoid.radii();
            let (least, most) = (radii.min_element(), radii.max_element());
            if !(least > FLAT * most) {
                return Err(());
            }
            // Three quotients and the scaled length round by less than 8 ε of the lengths before the division.
            let error = error / least + 8.0 * f64::EPSILON * (q.length() + reach) / least;
            Ok(ball(q / radii, u / radii, 1.0, error, reach, 0))
        }
        Shape::Polytope(polytope) => match polytope.dimension() {
            3 => Ok(solid(polytope, line, error, reach)),
            2 => Ok(polygon(polytope, line, error, reach)),
            _ => Err(()),
        },
        Shape::Triangle(one) => triangle(one, line, error, reach),
        Shape::Affine(image) => affine(shape, image.shape(), image.matrix(), line, start),
        Shape::Rounded(rounded) => {
            let error = error + rounded.slack();
            match innermost(rounded.shape()) {
                Shape::Sphere(_) => Ok(ball(q, u, rounded.radius(), error, reach, 0)),
                Shape::Segment(segment) => Ok(capsule(segment, rounded.radius(), line, error, reach, start)),
                _ => Err(()),
            }
        }
        Shape::Custom(_) => Err(()),
        // Those have no chord: `cast/mod.rs` knows them.
        Shape::HalfSpace(_) | Shape::Mesh(_) | Shape::Compound(_) => Ok(Some(Chord::UNKNOWN)),
    }
}

/// Error of a height over a plane that is computed from a point and a size: a few operations.
#[inline(always)]
fn rounding(q: DVec3, size: f64, reach: f64) -> f64 {
    4.0 * f64::EPSILON * (q.abs().element_sum() + size + reach)
}

/// The shape that roundings are around.
fn innermost(mut shape: &Shape) -> &Shape {
    while let Shape::Rounded(rounded) = shape {
        shape = rounded.shape();
    }
    shape
}

/// The line before the map, in the shape that is mapped; s stays what it is but for a shift.
#[inline(never)]
fn affine(image: &Shape, inner: &Shape, matrix: glam::DMat3, line: &Line, start: f64) -> Result<Option<Chord>, ()> {
    let before = line.before(matrix).ok_or(())?;
    let (center, radius) = middle(inner);
    let (line, shift) = before.recentered(center);
    let reach = reach(&line, radius);
    let Some(mut chord) = closed(inner, &line, reach, start - shift)? else { return Ok(None) };
    // A long thin image is searched where its preimage says too little.
    let is_wide = !(chord.enter.high - chord.enter.low <= 1e-9 * reach);
    if is_wide && image.convex().is_some_and(|core| core.bounding_radius() > 0.0) && !chord.is_proved {
        return Err(());
    }
    // The shift is one sum, at each end.
    let rounded = 2.0 * f64::EPSILON * (shift.abs() + reach);
    for range in [&mut chord.enter, &mut chord.leave] {
        *range = Between { low: range.low + shift - rounded, high: range.high + shift + rounded };
    }
    Ok(Some(chord))
}

/// Everything within a radius of a segment: a cylinder and two balls.
///
/// With D from end to end and Q from the first end, the distance from the axis is |Q × D| / |D|, and Q·D says where along it.
///
/// A line that comes into the infinite cylinder beside the segment comes in there. Before the first end it has to go through the ball
/// about it: where it passes the end in the cylinder it is in that ball.
#[inline(never)]
fn capsule(segment: &Segment, radius: f64, line: &Line, error: f64, reach: f64, start: f64) -> Option<Chord> {
    let Line { point: q, along: u, .. } = *line;
    let [a, b] = segment.ends();
    let far = a.abs().max(b.abs()).element_sum();
    // Two differences and the products with the axis round by less than 8 ε of the coordinates.
    let error = error + 8.0 * f64::EPSILON * (q.abs().element_sum() + far + reach);
    let (from_a, axis) = (q - a, b - a);
    let end_a = || ball(from_a, u, radius, error, reach, 1);
    let length = axis.length();
    if !(length > 0.0) {
        return end_a();
    }
    let axis = axis / length;
    let round = ball(from_a.cross(axis), u.cross(axis), radius, error, reach, 0)?;
    let (middle, rise) = (from_a.dot(axis) - 0.5 * length, u.dot(axis));
    let end_b = || ball(q - b, u, radius, error, reach, 2);
    if round.is_proved && round.enter.low > start && round.enter.low >= -reach {
        let place = [round.enter.low, round.enter.high].map(|s| middle + rise * s);
        let (low, high, half) = (place[0].min(place[1]) - error, place[0].max(place[1]) + error, 0.5 * length);
        // How it goes on is of no matter: it is not left before it is entered.
        let on = |chord: Chord| Chord { leave: Between { low: chord.enter.high, high: reach }, ..chord };
        if low > -half && high < half {
            return Some(on(round));
        } else if high < -half {
            return end_a();
        } else if low > half {
            return end_b();
        }
    }
    let side = slab(middle, rise, 0.5 * length, error, reach, [3, 3]).and_then(|between| between.and(round));
    [end_a(), end_b(), side].into_iter().flatten().reduce(Chord::or)
}

/// A cone of slope k: |(x, z)| <= k Y with the depth Y below the apex, from 0 to the height.
///
/// m and w are the line seen along the axis, Q and U its depth. A s² + 2 B s + C = 0 with A = w² - k² U², B = m·w - k² Q U,
/// C = m² - k² Q², and B² - A C = k² |U m - Q w|² - |m × w|², which does not cancel where the line grazes. A cone that is grown or shrunk
/// by E has its apex moved by E √(1 + k²) / k.
#[inline(never)]
fn cone(cone: &Cone, line: &Line, error: f64, reach: f64) -> Result<Option<Chord>, ()> {
    let (radius, half) = (cone.base_radius(), cone.half_height());
    let k = radius / (2.0 * half);
    // Needles and discs are searched: k and its inverse multiply errors.
    if !(k > 1e-6 && k < 1e6) {
        return Err(());
    }
    let Line { point: q, along: u, .. } = *line;
    let (m, w) = (glam::DVec2::new(q.x, q.z), glam::DVec2::new(u.x, u.z));
    let (depth, down) = (half - q.y, -u.y);
    let (speed, slope) = (w.length(), k * down.abs());
    let a = (speed - slope) * (speed + slope);
    if !(a.abs() > PARALLEL * (speed * speed + slope * slope)) {
        return Err(());
    }
    // Differences, products with k and the quadratic equation round by less than 32 ε of the sizes.
    let error = error + 32.0 * f64::EPSILON * (q.length() + radius + half + reach);
    let Some(between) = slab(q.y, u.y, half, error, reach, [1, 2]) else { return Ok(None) };
    let shift = error * (1.0 + k * k).sqrt() / k;
    let (cross, length) = (m.perp_dot(w).abs(), m.length());
    let roots = |depth: f64| {
        let b = m.dot(w) - k * k * depth * down;
        let c = (length - k * depth.abs()) * (length + k * depth.abs());
        let turned = k * (m * down - w * depth).length();
        if a > 0.0 && !(turned >= cross) {
            return None;
        }
        let root = ((turned - cross) * (turned + cross)).max(0.0).sqrt();
        let (n, sign) = (b.abs() + root, if b >= 0.0 { -1.0 } else { 1.0 });
        let (far, near) = (sign * n / a, if n > 0.0 { sign * c / n } else { 0.0 });
        Some([far.min(near), far.max(near)])
    };
    let pieces = [0; 2];
    let outer = roots(depth + shift);
    let inner = roots(depth - shift);
    let round = if a > 0.0 {
        let Some([first, last]) = outer else { return Ok(None) };
        // The chord is in one half of the double cone; only below the apex it is in the shape.
        let is_below = |&[enter, leave]: &[f64; 2]| depth + 0.5 * (enter + leave) * down > 2.0 * shift;
        match inner.filter(is_below) {
            Some([enter, leave]) => Chord {
                enter: Between { low: first, high: enter },
                leave: Between { low: leave, high: last },
                is_proved: true,
                pieces,
            },
            None => {
                let middle = 0.5 * (first + last);
                Chord {
                    enter: Between { low: first, high: middle },
                    leave: Between { low: middle, high: last },
                    is_proved: false,
                    pieces,
                }
            }
        }
    } else {
        // Steeper than the side: inside of this half of the double cone from one root on.
        let (Some([outer_low, outer_high]), Some([inner_low, inner_high])) = (outer, inner) else { return Err(()) };
        if down > 0.0 {
            Chord { enter: Between { low: outer_high, high: inner_high }, pieces, ..Chord::ALL }
        } else {
            Chord { leave: Between { low: inner_low, high: outer_low }, pieces, ..Chord::ALL }
        }
    };
    Ok(round.and(between))
}

/// A solid hull, by the planes of its faces: without a branch, since no guess at the signs would be right.
#[inline(never)]
fn solid(polytope: &Polytope, line: &Line, error: f64, reach: f64) -> Option<Chord> {
    let Line { point: q, along: u, .. } = *line;
    let error = error + OF_PLANES * (q.length() + polytope.bounding_radius() + reach);
    let (normals, offsets) = polytope.planes();
    let (mut first, mut first_sure, mut last, mut last_sure) = (-reach, -reach, reach, reach);
    let mut pieces = [0; 2];
    for (face, (normal, offset)) in normals.iter().zip(offsets).enumerate() {
        let (g, k) = (normal.dot(q) - offset, normal.dot(u));
        // A line along a face is inside of it for ever, outside for ever, or nothing is known.
        let k = if k.abs() < 1e-290 { 1e-290 } else { k };
        let inverse = -1.0 / k;
        let (outer, inner) = ((g - error) * inverse, (g + error) * inverse);
        let is_in = k < 0.0;
        let (way_in, sure_in) = if is_in { (outer, inner) } else { (-reach, -reach) };
        let (way_out, sure_out) = if is_in { (reach, reach) } else { (outer, inner) };
        first = if way_in > first { way_in } else { first };
        last = if way_out < last { way_out } else { last };
        pieces[0] = if sure_in > first_sure { face as u32 } else { pieces[0] };
        first_sure = if sure_in > first_sure { sure_in } else { first_sure };
        pieces[1] = if sure_out < last_sure { face as u32 } else { pieces[1] };
        last_sure = if sure_out < last_sure { sure_out } else { last_sure };
    }
    if first > last {
        return None;
    }
    let (enter, leave) = (Between { low: first, high: first_sure }, Between { low: last_sure, high: last });
    Some(Chord { enter, leave, is_proved: first_sure <= last_sure, pieces })
}

/// A flat hull: its plane, and the planes of its sides.
#[inline(never)]
fn polygon(polytope: &Polytope, line: &Line, error: f64, reach: f64) -> Option<Chord> {
    let Line { point: q, along: u, .. } = *line;
    let error = error + OF_PLANES * (q.length() + polytope.bounding_radius() + reach);
    let face = polytope.face(0);
    // The back is face 1, and is where a line along the normal of the front enters.
    let mut chord = slab(face.normal.dot(q) - face.offset, face.normal.dot(u), 0.0, error, reach, [1, 0])?;
    for side in face.sides {
        chord = chord.and(half_line(side.offset - side.normal.dot(q), -side.normal.dot(u), error, chord.pieces[0])?)?;
    }
    Some(chord)
}

/// A triangle: the plane, and on which hand the line passes the sides.
#[inline(never)]
fn triangle(triangle: &Triangle, line: &Line, error: f64, reach: f64) -> Result<Option<Chord>, ()> {
    match crossing(triangle.corners(), line, error, reach) {
        LineCrossing::Miss => Ok(None),
        LineCrossing::Hit { s } => Ok(Some(Chord { enter: s, leave: s, is_proved: true, pieces: [0; 2] })),
        LineCrossing::Near { s } => Ok(Some(Chord { enter: s, leave: s, is_proved: false, pieces: [0; 2] })),
        LineCrossing::Unclear => Err(()),
    }
}

/// The unit normal of the boundary where the line comes in or goes out, outwards, in the frame of the shape; and the feature there.
/// Where a search has found the place the normal is its own.
pub(super) fn surface(shape: &Shape, line: &Line, s: f64, piece: u32) -> Option<(DVec3, Feature)> {
    let x = line.at(s);
    let on_surface = |normal: DVec3| normal.try_normalize().map(|normal| (normal, Feature::Surface));
    let against = |normal: DVec3| if normal.dot(line.along) > 0.0 { -normal } else { normal };
    match shape {
        Shape::Sphere(_) => on_surface(x),
        Shape::Cuboid(_) => {
            let mut normal = DVec3::ZERO;
            normal[piece as usize / 2 % 3] = if piece.is_multiple_of(2) { -1.0 } else { 1.0 };
            Some((normal, Feature::Face(piece)))
        }
        Shape::Segment(segment) => on_surface(from_axis(segment, x)),
        Shape::Cylinder(_) => match piece {
            0 => on_surface(DVec3::new(x.x, 0.0, x.z)),
            1 => Some((-DVec3::Y, Feature::Surface)),
            _ => Some((DVec3::Y, Feature::Surface)),
        },
        Shape::Cone(cone) => match piece {
            0 => {
                let out = DVec3::new(x.x, 0.0, x.z).try_normalize()?;
                on_surface(out + DVec3::Y * (cone.base_radius() / (2.0 * cone.half_height())))
            }
            1 => Some((-DVec3::Y, Feature::Surface)),
            _ => Some((DVec3::Y, Feature::Surface)),
        },
        Shape::Ellipsoid(ellipsoid) => {
            let radii = ellipsoid.radii();
            if radii.min_element() > 0.0 { on_surface(x / (radii * radii)) } else { None }
        }
        Shape::Polytope(polytope) if polytope.dimension() >= 2 => {
            let face = polytope.face(piece);
            let normal = if polytope.dimension() == 2 { against(face.normal) } else { face.normal };
            Some((normal, Feature::Face(piece)))
        }
        Shape::Triangle(triangle) => {
            let [a, b, c] = triangle.corners();
            let normal = (b - a).cross(c - a).try_normalize()?;
            Some((against(normal), Feature::Face(0)))
        }
        Shape::Affine(image) => {
            let (before, shift) = line.before(image.matrix())?.recentered(middle(image.shape()).0);
            let (normal, feature) = surface(image.shape(), &before, s - shift, piece)?;
            // Normals are mapped by the transpose of the inverse.
            let mapped = image.matrix().inverse().transpose() * normal;
            mapped.try_normalize().map(|normal| (normal, feature))
        }
        Shape::Rounded(rounded) => match innermost(rounded.shape()) {
            Shape::Sphere(_) => on_surface(x),
            Shape::Segment(segment) => on_surface(from_axis(segment, x)),
            _ => None,
        },
        Shape::Polytope(_) | Shape::Custom(_) | Shape::HalfSpace(_) | Shape::Mesh(_) | Shape::Compound(_) => None,
    }
}

/// From the nearest point of the core of a capsule.
fn from_axis(segment: &Segment, x: DVec3) -> DVec3 {
    let [a, b] = segment.ends();
    let axis = b - a;
    let place = ((x - a).dot(axis) / axis.length_squared()).clamp(0.0, 1.0);
    if place.is_nan() { x - a } else { x - (a + axis * place) }
}
