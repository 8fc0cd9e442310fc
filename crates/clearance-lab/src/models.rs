//! Point sets for hulls: those of the papers' measurements, and random ones of their kinds.

use crate::random;
use clearance::math::DVec3;
use fastrand::Rng;

/// The cube of side 2 about the origin: 8 points.
#[must_use]
pub fn cube() -> Vec<DVec3> {
    cuboid(DVec3::ONE)
}

/// The corners of a box about the origin.
#[must_use]
pub fn cuboid(half_extents: DVec3) -> Vec<DVec3> {
    (0..8).map(|i| half_extents * DVec3::new(sign(i & 4), sign(i & 2), sign(i & 1))).collect()
}

fn sign(bit: i32) -> f64 {
    if bit == 0 { -1.0 } else { 1.0 }
}

/// The regular icosahedron in the unit sphere: 12 points.
#[must_use]
pub fn icosahedron() -> Vec<DVec3> {
    let golden = 0.5 * (1.0 + 5.0_f64.sqrt());
    let mut points = Vec::with_capacity(12);
    for i in 0..4 {
        let (one, long) = (sign(i & 2), golden * sign(i & 1));
        points.extend([DVec3::new(one, long, 0.0), DVec3::new(0.0, one, long), DVec3::new(long, 0.0, one)]);
    }
    points.into_iter().map(DVec3::normalize).collect()
}

/// A prism whose two faces are regular polygons of `corners` corners, at exactly z = ±`half_height`.
#[must_use]
pub fn prism(radius: f64, half_height: f64, corners: usize) -> Vec<DVec3> {
    let rim = |z: f64| {
        (0..corners).map(move |k| {
            let (sin, cos) = (std::f64::consts::TAU * k as f64 / corners as f64).sin_cos();
            DVec3::new(radius * cos, radius * sin, z)
        })
    };
    rim(half_height).chain(rim(-half_height)).collect()
}

/// The disk of the V-Clip paper: two faces of 60 corners, radius 1, thickness 0.1; 120 points.
#[must_use]
pub fn disk() -> Vec<DVec3> {
    prism(1.0, 0.05, 60)
}

/// The icosahedron with its triangles quartered `rounds` times, and every point projected onto the unit sphere.
///
/// 0, 1, 2, 3, 4 rounds give 12, 42, 162, 642, 2562 points.
#[must_use]
pub fn geodesic_sphere(rounds: u32) -> Vec<DVec3> {
    let mut points = icosahedron();
    let mut triangles = icosahedron_triangles(&points);
    for _ in 0..rounds {
        let mut middles = std::collections::BTreeMap::new();
        let mut middle = |i: usize, j: usize| {
            *middles.entry((i.min(j), i.max(j))).or_insert_with(|| {
                points.push((points[i] + points[j]).normalize());
                points.len() - 1
            })
        };
        let mut finer = Vec::with_capacity(4 * triangles.len());
        for [a, b, c] in triangles {
            let (ab, bc, ca) = (middle(a, b), middle(b, c), middle(c, a));
            finer.extend([[a, ab, ca], [b, bc, ab], [c, ca, bc], [ab, bc, ca]]);
        }
        triangles = finer;
    }
    points
}

/// Three points of an icosahedron make a face when all are neighbours.
fn icosahedron_triangles(points: &[DVec3]) -> Vec<[usize; 3]> {
    // Neighbours are 1.05 apart, the others 1.70 or more.
    let neighbours = |i: usize, j: usize| (points[i] - points[j]).length() < 1.2;
    let mut triangles = Vec::with_capacity(20);
    for i in 0..points.len() {
        for j in i + 1..points.len() {
            for k in j + 1..points.len() {
                if neighbours(i, j) && neighbours(j, k) && neighbours(k, i) {
                    triangles.push([i, j, k]);
                }
            }
        }
    }
    triangles
}

/// Points of the unit sphere stretched by three factors.
fn stretched_sphere(rng: &mut Rng, count: usize, axes: DVec3) -> Vec<DVec3> {
    (0..count).map(|_| random::direction(rng) * axes).collect()
}

/// Random points of an ellipsoid with semi-axes from 0.3 to 1: the hulls of the side-by-side measurements.
#[must_use]
pub fn random_hull(rng: &mut Rng, count: usize) -> Vec<DVec3> {
    let axes = random::vector(rng, 0.3, 1.0);
    stretched_sphere(rng, count, axes)
}

/// Random points of an ellipsoid with semi-axes from 0.5 to 1.
#[must_use]
pub fn random_ellipsoid(rng: &mut Rng, count: usize) -> Vec<DVec3> {
    let axes = random::vector(rng, 0.5, 1.0);
    stretched_sphere(rng, count, axes)
}

/// Random points of a spindle: an ellipsoid of revolution ten times as long as it is thick, along x.
#[must_use]
pub fn random_spindle(rng: &mut Rng, count: usize) -> Vec<DVec3> {
    stretched_sphere(rng, count, DVec3::new(1.0, 0.1, 0.1))
}

/// Random points of a lens: an ellipsoid of revolution ten times as wide as it is thick, across x.
#[must_use]
pub fn random_lens(rng: &mut Rng, count: usize) -> Vec<DVec3> {
    stretched_sphere(rng, count, DVec3::new(0.1, 1.0, 1.0))
}

/// A thin rod of \[QC\] (section 6.2), made "by randomly sampling points on the surface": a cylinder ten times as long as it is thick, along x. Its
/// hull has exactly `count` vertices.
#[must_use]
pub fn random_rod(rng: &mut Rng, count: usize) -> Vec<DVec3> {
    sampled_cylinder(rng, count, 0.1, 1.0)
}

/// A flat plate of \[QC\]: a round one, ten times as wide as it is thick, across x. Its hull has exactly `count` vertices.
#[must_use]
pub fn random_plate(rng: &mut Rng, count: usize) -> Vec<DVec3> {
    sampled_cylinder(rng, count, 1.0, 0.1)
}

/// A rod whose length is that multiple of its thickness, like [`random_rod`] with ten.
#[must_use]
pub fn random_rod_of(rng: &mut Rng, count: usize, slenderness: f64) -> Vec<DVec3> {
    sampled_cylinder(rng, count, 1.0 / slenderness, 1.0)
}

/// A plate whose width is that multiple of its thickness, like [`random_plate`] with ten.
#[must_use]
pub fn random_plate_of(rng: &mut Rng, count: usize, slenderness: f64) -> Vec<DVec3> {
    sampled_cylinder(rng, count, 1.0, 1.0 / slenderness)
}

/// Random points on the surface of a cylinder along x, evenly distributed, until `count` of them are vertices of their hull; only those.
///
/// The body must be round. Of N points on the flat sides of a box only a few times log N are vertices, so no sample would have a thousand. A point
/// on the mantle is always a vertex, since no other point is on its line along x. A point on an end is one if it is a corner of the convex polygon
/// of all points there.
fn sampled_cylinder(rng: &mut Rng, count: usize, radius: f64, half_length: f64) -> Vec<DVec3> {
    let (mantle, end) = (2.0 * half_length, 0.5 * radius);
    let mut points = Vec::with_capacity(count);
    let mut ends = [Vec::new(), Vec::new()];
    while points.len() + ends[0].len() + ends[1].len() < count {
        let place = random::uniform(rng, 0.0, mantle + 2.0 * end);
        let rim = circle(rng);
        if place < mantle {
            points.push(DVec3::new(place - half_length, radius * rim.y, radius * rim.z));
        } else {
            let at = radius * rng.f64().sqrt() * rim;
            add_to_polygon(&mut ends[usize::from(place >= mantle + end)], at);
        }
    }
    for (end, x) in ends.iter().zip([-half_length, half_length]) {
        points.extend(end.iter().map(|at| DVec3::new(x, at.y, at.z)));
    }
    points
}

/// A point of the unit circle about x.
fn circle(rng: &mut Rng) -> DVec3 {
    loop {
        let at = DVec3::new(0.0, random::uniform(rng, -1.0, 1.0), random::uniform(rng, -1.0, 1.0));
        if (1e-4..=1.0).contains(&at.length_squared()) {
            return at.normalize();
        }
    }
}

/// Widens a convex polygon across x, counter-clockwise, to a point, and removes its corners that are then inside.
fn add_to_polygon(corners: &mut Vec<DVec3>, point: DVec3) {
    let turn = |from: DVec3, to: DVec3| (to - from).cross(point - from).x;
    let count = corners.len();
    if count < 2 {
        corners.push(point);
        return;
    }
    if count == 2 {
        let is_left = turn(corners[0], corners[1]) > 0.0;
        corners.insert(if is_left { 2 } else { 1 }, point);
        return;
    }
    // Sides that see the point are neighbours; the corners between two of them are removed.
    let sees = |i: usize| turn(corners[i % count], corners[(i + 1) % count]) < 0.0;
    let Some(first) = (0..count).find(|&i| sees(i) && !sees(i + count - 1)) else { return };
    let seen = (first..first + count).take_while(|&i| sees(i)).count();
    let kept: Vec<DVec3> = (first + seen..=first + count).map(|i| corners[i % count]).collect();
    corners.clear();
    corners.extend(kept);
    corners.push(point);
}

/// The largest distance of a point from the origin.
#[must_use]
pub fn bounding_radius(points: &[DVec3]) -> f64 {
    points.iter().fold(0.0, |most, point| most.max(point.length()))
}

/// The point farthest along a direction.
///
/// # Panics
///
/// If there is no point.
#[must_use]
pub fn farthest(points: &[DVec3], direction: DVec3) -> DVec3 {
    let better = |x: &&DVec3, y: &&DVec3| x.dot(direction).total_cmp(&y.dot(direction));
    *points.iter().max_by(better).expect("a hull has a point")
}

#[cfg(test)]
mod tests {
    use super::*;
    use clearance::internals::hull::convex_hull;

    #[test]
    fn models_have_the_papers_numbers_of_points() {
        let spheres: Vec<usize> = (0..=4).map(|rounds| geodesic_sphere(rounds).len()).collect();
        assert_eq!(spheres, [12, 42, 162, 642, 2562]);
        assert_eq!((cube().len(), icosahedron().len(), disk().len()), (8, 12, 120));
        let mut rng = Rng::with_seed(3);
        assert_eq!((random_hull(&mut rng, 20).len(), random_rod(&mut rng, 7).len()), (20, 7));
    }

    #[test]
    fn every_point_of_a_model_is_a_vertex_of_its_hull() {
        // All lie on a sphere about the origin, or on a convex cylinder, so each is the farthest in its own direction.
        for model in [cube(), icosahedron(), geodesic_sphere(3)] {
            for &point in &model {
                assert_eq!(farthest(&model, point), point);
            }
        }
        let disk = disk();
        for &point in &disk {
            assert_eq!(farthest(&disk, point), point);
            assert_eq!(point.z.abs(), 0.05);
        }
    }

    #[test]
    fn icosahedron_is_regular_and_quartered_triangles_stay_even() {
        assert_eq!(icosahedron_triangles(&icosahedron()).len(), 20);
        let points = geodesic_sphere(3);
        assert!(points.iter().all(|p| (p.length() - 1.0).abs() < 4e-16));
        let nearest =
            |p: &DVec3| points.iter().filter(|&q| q != p).map(|q| (*q - *p).length()).fold(f64::INFINITY, f64::min);
        assert!(points.iter().map(nearest).all(|d| (0.1..0.2).contains(&d)));
    }

    #[test]
    fn rods_and_plates_are_cylinders_with_as_many_vertices_as_asked_for() {
        let mut rng = Rng::with_seed(5);
        for count in [4, 10, 60, 500] {
            for (points, radius, half_length) in
                [(random_rod(&mut rng, count), 0.1, 1.0), (random_plate(&mut rng, count), 1.0, 0.1)]
            {
                assert_eq!(points.len(), count);
                for p in &points {
                    let from_axis = p.y.hypot(p.z);
                    let is_on_end = p.x.abs() == half_length && from_axis <= radius + 1e-12;
                    assert!(is_on_end || p.x.abs() <= half_length && (from_axis - radius).abs() < 1e-12, "{p}");
                }
                let hull = convex_hull(&points).expect("finite points");
                assert_eq!(hull.vertex_count(), count);
            }
        }
        // A plate has vertices on its flat sides too, a rod mostly on its mantle.
        let on_ends = |points: &[DVec3], x: f64| points.iter().filter(|p| p.x.abs() == x).count();
        assert!(on_ends(&random_plate(&mut rng, 500), 0.1) > 20);
        assert!(on_ends(&random_rod(&mut rng, 500), 1.0) < 60);
    }

    #[test]
    fn spindles_and_lenses_have_their_proportions() {
        let mut rng = Rng::with_seed(5);
        for point in random_spindle(&mut rng, 100) {
            assert!(point.y.abs() <= 0.1 && point.z.abs() <= 0.1 && point.x.abs() <= 1.0);
        }
        for point in random_lens(&mut rng, 100) {
            assert!(point.x.abs() <= 0.1);
        }
        assert_eq!(random_hull(&mut Rng::with_seed(1), 9), random_hull(&mut Rng::with_seed(1), 9));
    }
}
