//! Boxes, spheres, cylinders and cones as faces.
//!
//! The polyhedron of a box is exact. Those of the others contain them: a side of a polygon about a circle touches it, so its corners are
//! `1 / cos(pi / SIDES)` farther out.

use super::super::polygons::{Polygons, Weld};
use super::super::primitive::{Primitive, Sizes};
use super::super::xml::Fault;
use super::node::Node;
use clearance::math::DVec3;
use std::f64::consts::PI;

/// Layout: the sides of a circle; a sphere has half as many rings. Bound: the excess is 0.13 % for cylinders and cones, and 0.5 % for spheres.
const SIDES: u32 = 64;
const RINGS: u32 = SIDES / 2;

/// Bound: sines, cosines and products round by less than 8 units of 2^-53; this keeps the polyhedron outside.
const OUTWARD: f64 = 1.0 + 1e-14;

impl Node {
    /// The primitive of a shape node, if it has one: a box, sphere, cylinder or cone with all of its faces.
    pub fn primitive(&self) -> Result<Option<Primitive>, Fault> {
        let Some(geometry) = self.node("geometry")? else { return Ok(None) };
        let half_height = || geometry.size_of("height", 2.0).map(|height| 0.5 * height);
        let has = |faces: &[&str]| faces.iter().all(|face| geometry.flag(face, true));
        let sizes = match geometry.kind.as_str() {
            "Box" => Sizes::Box { half_extents: geometry.half_extents()? },
            "Sphere" => Sizes::Sphere { radius: geometry.size_of("radius", 1.0)? },
            "Cylinder" if has(&["side", "top", "bottom"]) => {
                Sizes::Cylinder { radius: geometry.size_of("radius", 1.0)?, half_height: half_height()? }
            }
            "Cone" if has(&["side", "bottom"]) => {
                Sizes::Cone { radius: geometry.size_of("bottomRadius", 1.0)?, half_height: half_height()? }
            }
            _ => return Ok(None),
        };
        Ok(Some(Primitive::new(sizes)))
    }

    fn half_extents(&self) -> Result<DVec3, Fault> {
        let size = self.numbers("size", [2.0; 3])?;
        if size.iter().any(|x| *x < 0.0) {
            return Err(self.fail("size is negative; correct it"));
        }
        Ok(0.5 * DVec3::from_array(size))
    }

    pub fn add_box(&self, polygons: &mut Polygons, weld: &mut Weld) -> Result<(), Fault> {
        let half = self.half_extents()?;
        let sign = |bit: u32| if bit == 0 { -1.0 } else { 1.0 };
        let corners: Vec<u32> = (0..8)
            .map(|i| weld.number(polygons, half * DVec3::new(sign(i & 1), sign(i >> 1 & 1), sign(i >> 2 & 1))))
            .collect();
        for face in [[0, 4, 6, 2], [1, 3, 7, 5], [0, 1, 5, 4], [2, 6, 7, 3], [0, 2, 3, 1], [4, 5, 7, 6]] {
            add(polygons, face.map(|corner: usize| corners[corner]));
        }
        Ok(())
    }

    pub fn add_round(&self, polygons: &mut Polygons, weld: &mut Weld) -> Result<(), Fault> {
        let height = if self.kind == "Sphere" { 0.0 } else { 0.5 * self.size_of("height", 2.0)? };
        match self.kind.as_str() {
            "Sphere" => {
                let radius = self.size_of("radius", 1.0)?;
                sphere(polygons, weld, radius);
            }
            "Cylinder" => {
                let rim = self.rim("radius")?;
                let [top, bottom] = [height, -height].map(|y| circle(polygons, weld, rim, y));
                if self.flag("side", true) {
                    band(polygons, &bottom, &top);
                }
                if self.flag("top", true) {
                    add(polygons, top.iter().rev().copied());
                }
                if self.flag("bottom", true) {
                    add(polygons, bottom);
                }
            }
            _ => {
                let bottom = circle(polygons, weld, self.rim("bottomRadius")?, -height);
                let apex = weld.number(polygons, DVec3::new(0.0, height, 0.0));
                if self.flag("side", true) {
                    band(polygons, &bottom, &vec![apex; bottom.len()]);
                }
                if self.flag("bottom", true) {
                    add(polygons, bottom);
                }
            }
        }
        Ok(())
    }

    /// The radius of the corners of a polygon around a circle.
    fn rim(&self, name: &str) -> Result<f64, Fault> {
        Ok(self.size_of(name, 1.0)? / (PI / f64::from(SIDES)).cos() * OUTWARD)
    }
}

fn add(polygons: &mut Polygons, corners: impl IntoIterator<Item = u32>) {
    corners.into_iter().for_each(|corner| polygons.add_corner(corner));
    polygons.end_element(true, polygons.element_count() as u64);
}

/// A ring of corners about the y axis, counter-clockwise as seen from below.
fn circle(polygons: &mut Polygons, weld: &mut Weld, radius: f64, y: f64) -> Vec<u32> {
    let corner = |i: u32| {
        let (sine, cosine) = (2.0 * PI * f64::from(i) / f64::from(SIDES)).sin_cos();
        DVec3::new(radius * cosine, y, radius * sine)
    };
    (0..SIDES).map(|i| weld.number(polygons, corner(i))).collect()
}

/// Quads between two rings, of which the first is below; a ring of one corner makes triangles.
fn band(polygons: &mut Polygons, below: &[u32], above: &[u32]) {
    for i in 0..below.len() {
        let next = (i + 1) % below.len();
        let mut corners = vec![below[i], above[i], above[next], below[next]];
        corners.dedup();
        if corners.first() == corners.last() {
            corners.pop();
        }
        add(polygons, corners);
    }
}

/// Rings of quads. Bound: a corner of a face is at most half a side and half a ring from its middle, an angle whose cosine is at least the
/// product of both cosines less 2e-6. The planes of all faces are therefore outside of the sphere.
fn sphere(polygons: &mut Polygons, weld: &mut Weld, radius: f64) {
    let excess = (PI / f64::from(SIDES)).cos() * (0.5 * PI / f64::from(RINGS)).cos() * (1.0 - 1e-5);
    let radius = radius / excess * OUTWARD;
    let rings: Vec<Vec<u32>> = (0..=RINGS)
        .map(|ring| {
            let (sine, cosine) = (PI * f64::from(ring) / f64::from(RINGS)).sin_cos();
            if ring == 0 || ring == RINGS {
                let pole = if ring == 0 { -radius } else { radius };
                return vec![weld.number(polygons, DVec3::new(0.0, pole, 0.0)); SIDES as usize];
            }
            circle(polygons, weld, radius * sine, -radius * cosine)
        })
        .collect();
    rings.windows(2).for_each(|pair| band(polygons, &pair[0], &pair[1]));
}
