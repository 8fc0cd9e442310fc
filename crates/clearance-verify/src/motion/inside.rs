//! Is something inside of a solid at the start?
//!
//! As long as all parts of two shapes are apart, every connected piece stays inside of a solid or outside of it, for the whole interval
//! (see `crate::solid`). So one test of each piece decides, at the start: how often does the surface wind around a point of
//! it?
//!
//! Positions at the start may have sines, and then a ray that passes through a corner cannot be distinguished from one that does not. But
//! a linear map changes nothing about what is inside, and along another way there is no such corner.

use super::MovingQuery;
use super::body::divided;
use super::chain::placed;
use crate::number::{Interval, Matrix, Real, Unclear, Vector, Wide, add, map, meter, vector};
use crate::parts::{Flat, MeshOf, Side};
use crate::shape::{Trouble, core_point};
use crate::solid::{Crossing, components, crossing, is_closed};

/// The cost of a triangle. Limit: operations that the exact crossing test of a ray and a triangle takes.
const LOOK: u64 = 32;

/// Linear maps by rows, all with a positive determinant. Limit: corners of solids that people design have few digits; these entries have more,
/// so that rays along the mapped axes meet no edge.
const MAPS: [[[f64; 3]; 3]; 3] = [
    [[1.0, 0.0, 0.0], [0.0, 1.0, 0.0], [0.0, 0.0, 1.0]],
    [[0.8147, 0.3172, -0.4387], [0.2769, 0.9502, 0.3816], [-0.3449, -0.1869, 0.7655]],
    [[0.7094, -0.2760, 0.6551], [0.1626, 0.7547, -0.1190], [-0.4984, 0.3404, 0.9597]],
];

/// A fault if something is inside of a solid at the start, or if that cannot be told. All parts have to be apart then.
pub(super) fn is_nothing_inside(
    query: &MovingQuery,
    flat: &[Flat<'_>; 2],
    sides: [&[Side<'_>]; 2],
) -> Result<(), Trouble> {
    for (of, other) in [(0, 1), (1, 0)] {
        let solids = flat[of].bodies().iter().filter_map(|&(first, mesh)| Some((first, mesh.filter(is_closed)?)));
        for (first, mesh) in solids {
            let solid = MovingSolid { side: &sides[of][first as usize], mesh, number: of };
            for &(first, mesh) in flat[other].bodies() {
                let side = &sides[other][first as usize];
                if side.is_plane() {
                    continue;
                }
                let points = mesh.map_or_else(|| vec![core_point(side.core())], |mesh| pieces(&mesh));
                for point in points {
                    if solid.holds(query, side, point)? {
                        let reason = "the surfaces are apart, but one shape is inside of the other at the start";
                        return Err(Trouble::Fault(reason.into()));
                    }
                }
            }
        }
    }
    if meter::is_exhausted() { Err(Trouble::Unclear) } else { Ok(()) }
}

fn pieces(mesh: &MeshOf<'_>) -> Vec<Vector<Wide>> {
    components(mesh).into_iter().map(vector).collect()
}

/// A closed mesh that moves, of one of the two shapes.
struct MovingSolid<'s, 'a> {
    side: &'s Side<'a>,
    mesh: MeshOf<'a>,
    number: usize,
}

impl MovingSolid<'_, '_> {
    /// Is a point of a part of the other shape inside at the start?
    fn holds(&self, query: &MovingQuery, side: &Side<'_>, point: Vector<Wide>) -> Result<bool, Trouble> {
        let rough = point.each_ref().map(|x| Interval { low: x.low(), high: x.high() });
        for rows in &MAPS {
            if let Ok(found) = self.winds_around::<Interval>(query, side, &rough, rows) {
                return Ok(found);
            }
        }
        for rows in &MAPS {
            match self.winds_around::<Wide>(query, side, &point, rows) {
                Err(Trouble::Unclear) if !meter::is_exhausted() => {}
                found => return found,
            }
        }
        Err(Trouble::Fault("containment at the start cannot be decided with 256 bits".into()))
    }

    fn winds_around<N: Real>(
        &self,
        query: &MovingQuery,
        side: &Side<'_>,
        point: &Vector<N>,
        rows: &[[f64; 3]; 3],
    ) -> Result<bool, Trouble> {
        let (way, rotations) = placed::<N>(query, query.from)?;
        let rows: Matrix<N> = rows.map(vector);
        let at = |side: &Side<'_>, number: usize, p: &Vector<N>| -> Result<Vector<N>, Unclear> {
            let local = match side.is_placed() {
                true => {
                    let rigid = side.rigid::<N>();
                    divided(&rigid.scaled_point(p), &rigid.divisor)?
                }
                false => p.clone(),
            };
            let turned = map(&rotations[number], &local);
            Ok(map(&rows, &if number == 1 { add(&turned, &way) } else { turned }))
        };
        let q = at(side, 1 - self.number, point)?;
        meter::charge(LOOK * self.mesh.vertices.len() as u64);
        let vertices = self.mesh.vertices.iter().map(|&v| at(self.side, self.number, &vector(v)));
        let vertices = vertices.collect::<Result<Vec<_>, Unclear>>()?;
        // Beyond the box of all it is outside.
        for axis in 0..3 {
            let low = vertices.iter().map(|v| v[axis].low()).fold(f64::INFINITY, f64::min);
            let high = vertices.iter().map(|v| v[axis].high()).fold(f64::NEG_INFINITY, f64::max);
            if q[axis].high() < low || q[axis].low() > high {
                return Ok(false);
            }
        }
        let mut winding = 0;
        for corners in self.mesh.triangles {
            meter::charge(LOOK);
            if meter::is_exhausted() {
                return Err(Trouble::Unclear);
            }
            let [a, b, c] = corners.map(|corner| &vertices[corner as usize]);
            // A point level with a triangle is not on it, since the parts are apart.
            if let Crossing::Leaves(turns) = crossing([a, b, c], &q, &N::of(1.0))? {
                winding += turns;
            }
        }
        Ok(winding != 0)
    }
}
