//! Both shapes as maxima of branches p·n + Σ |L n|, in a frame about the axis.
//!
//! Every core reaches max_i (p_i·d + Σ_k |L_k d|) along d in its own frame. The norms of a shape are the same for all of
//! its branches, but for the cone, whose apex is without the disc. So a shape is a list of points and a list of norms, and
//! for a cone the first norm belongs to branch 1 only. A radius r outside of images is the constant r for unit vectors; a
//! radius inside an image under M is the norm of r Mᵀ.

use super::arithmetic::{Turn, Wave};
use super::nodes::Mix;
use crate::number::{Interval, Matrix, Number, Vector, add, cross, dot, map, negate, scale, subtract, vector};
use crate::pairing::Pairing;
use crate::parts::Side;
use crate::pose::Rigid;
use crate::shape::{Shape, Trouble};
use std::collections::HashMap;

/// Norms of a form, at most. Limit: a radius inside of an affine image is a norm; each adds an ellipsoid to every bound of a cell.
const MOST_NORMS: usize = 16;

/// Terms that a mix may have of each shape. Limit: exact numbers grow with each term.
const MOST_TERMS: usize = 64;

pub(super) fn fault<T>(what: &str) -> Result<T, Trouble> {
    Err(Trouble::Fault(what.to_owned()))
}

/// The orthonormal vectors e1, e2, u: the longitude is zero along e1, and u is the axis.
pub(super) struct Frame([Vector<Interval>; 3]);

impl Frame {
    pub fn new(axis: [f64; 3], side: [f64; 3]) -> Result<Self, Trouble> {
        if !axis.iter().chain(&side).all(|x| x.is_finite()) {
            return fault("the axis of the cells or their side is not finite");
        }
        let Some(u) = unit(&shortened(axis)) else { return fault("the axis of the cells is zero") };
        let side = shortened(side);
        let across = subtract(&side, &scale(&u, &dot(&side, &u)));
        let Some(e1) = unit(&across) else { return fault("the side of the cells is zero or parallel to their axis") };
        let e2 = cross(&u, &e1);
        Ok(Self([e1, e2, u]))
    }

    fn coordinates(&self, v: &Vector<Interval>) -> Vector<Interval> {
        [0, 1, 2].map(|i| dot(&self.0[i], v))
    }
}

/// A vector divided by its largest coordinate: its squares neither overflow nor vanish.
fn shortened(v: [f64; 3]) -> Vector<Interval> {
    let largest = v.iter().fold(0.0, |most: f64, x| most.max(x.abs()));
    if largest == 0.0 { vector([0.0; 3]) } else { v.map(|x| Interval::of(x) / Interval::of(largest)) }
}

/// The unit vector along a vector, unless that may be zero.
fn unit(v: &Vector<Interval>) -> Option<Vector<Interval>> {
    let square = v[0].square() + v[1].square() + v[2].square();
    let length = if square.is_one() { square } else { square.root() };
    (length.low > 0.0).then(|| v.map(|x| x / length))
}

/// A norm |L n| by what L makes of the frame.
pub(super) struct Norm {
    pub e1: Vector<Interval>,
    pub e2: Vector<Interval>,
    pub u: Vector<Interval>,
    /// e·Q e = mean + double and e·Q u = to_axis for Q = LᵀL and e = cos θ e1 + sin θ e2; along is u·Q u.
    pub mean: Interval,
    pub double: Wave,
    pub to_axis: Wave,
    pub along: Interval,
    /// L e1 x L u and L e2 x L u, and |L e x L u|² as a mean and a wave.
    pub crosses: [Vector<Interval>; 2],
    pub turning: (Interval, Wave),
}

impl Norm {
    pub fn new([e1, e2, u]: [Vector<Interval>; 3]) -> Self {
        let square = |v: &Vector<Interval>| v[0].square() + v[1].square() + v[2].square();
        // |cos θ v + sin θ w|² as a mean and a wave; |v|² - |w|² = (v - w)·(v + w).
        let circle = |v: &Vector<Interval>, w: &Vector<Interval>| {
            let (vv, ww) = (square(v), square(w));
            let difference = dot(&subtract(v, w), &add(v, w)).and(vv - ww).scaled(0.5);
            ((vv + ww).scaled(0.5), Wave::new(difference, dot(v, w), 2))
        };
        let crosses = [cross(&e1, &u), cross(&e2, &u)];
        let (mean, double) = circle(&e1, &e2);
        Self {
            mean,
            double,
            to_axis: Wave::new(dot(&e1, &u), dot(&e2, &u), 1),
            along: square(&u),
            turning: circle(&crosses[0], &crosses[1]),
            crosses,
            e1,
            e2,
            u,
        }
    }

    /// L n for the direction of a longitude and a latitude.
    pub fn image(&self, longitude: Turn, latitude: Turn) -> Vector<Interval> {
        let outward = add(&scale(&self.e1, &longitude.cos), &scale(&self.e2, &longitude.sin));
        add(&scale(&outward, &latitude.cos), &scale(&self.u, &latitude.sin))
    }
}

/// One of the two shapes.
struct Half<'a> {
    core: &'a Shape,
    rigid: Rigid<Interval>,
    /// B is evaluated along -n: its points count negatively, its norms are the same.
    is_b: bool,
    /// Does the first norm belong to branch 1 only?
    is_cone: bool,
    norms: std::ops::Range<usize>,
    points: HashMap<u32, Vector<Interval>>,
}

/// The height of A - B as a maximum of branches.
pub(super) struct Form<'a> {
    frame: Frame,
    halves: [Half<'a>; 2],
    /// The norms of A, then those of B.
    pub norms: Vec<Norm>,
    /// All lengths are multiplied by this power of two, so that squares neither overflow nor vanish.
    pub scale: f64,
}

/// A mix P·n + Σ w |L n|: P in the frame, and the weights of all norms.
pub(super) struct Mean {
    pub point: Vector<Interval>,
    pub weights: Vec<Interval>,
}

impl<'a> Form<'a> {
    pub fn new(pair: &Pairing<'a>, frame: Frame) -> Result<Self, Trouble> {
        let sides = [pair.a, pair.b];
        if sides.iter().any(|side| matches!(side.shape, Shape::HalfSpace { .. } | Shape::Compound(_))) {
            return fault("cells are given for a shape that has no branches");
        }
        let rigids = sides.map(|side| side.rigid::<Interval>());
        let far = rigids.iter().flat_map(|rigid| rigid.shift().map(|x| (x / rigid.divisor).magnitude()));
        let size = sides.iter().map(|side| side.shape.reach()).chain(far).fold(0.0, f64::max);
        // 2^-e for a size of at least 2^e and less than twice that: exact, by its bits.
        let exponent = (size.to_bits() >> 52) & 0x7FF;
        // The exponent of the size: bits 52 to 62. Outside of this range squares of lengths would underflow or overflow, and 1 is as good.
        let scale = if size > 1e-200 && size < 1e200 { f64::from_bits((2046 - exponent) << 52) } else { 1.0 };
        let mut norms = Vec::new();
        let [rigid_a, rigid_b] = rigids;
        let mut half = |side: &Side<'a>, rigid: Rigid<Interval>, is_b: bool| {
            let core = side.core();
            let from = norms.len();
            for matrix in norms_of(core, true) {
                let columns = [0, 1, 2].map(|i| {
                    let local = rigid.local_direction(&frame.0[i]).map(|x| x / rigid.divisor);
                    map(&matrix, &local).map(|x| x.scaled(scale))
                });
                norms.push(Norm::new(columns));
            }
            Half { core, rigid, is_b, is_cone: is_cone(core), norms: from..norms.len(), points: HashMap::new() }
        };
        let halves = [half(&pair.a, rigid_a, false), half(&pair.b, rigid_b, true)];
        if norms.len() > MOST_NORMS {
            return fault("the shapes have more than 16 norms");
        }
        Ok(Self { frame, halves, norms, scale })
    }

    /// The mix of evidence.
    pub fn mean(&mut self, mix: &Mix) -> Result<Mean, Trouble> {
        let (a, mut weights) = self.halves[0].mean(&self.frame, self.scale, &mix.a)?;
        let (b, more) = self.halves[1].mean(&self.frame, self.scale, &mix.b)?;
        weights.extend(more);
        Ok(Mean { point: add(&a, &b), weights })
    }
}

impl Half<'_> {
    /// A branch's point in the frame.
    fn point(&mut self, frame: &Frame, scale: f64, index: u32) -> Result<Vector<Interval>, Trouble> {
        if let Some(found) = self.points.get(&index) {
            return Ok(*found);
        }
        let Some(local) = point_of(self.core, index) else {
            return fault("a branch is named that the shape does not have");
        };
        let (moved, weight) = self.rigid.point(&(local, Interval::of(1.0)));
        let world = moved.map(|x| (x / weight).scaled(scale));
        let own = frame.coordinates(&world);
        let own = if self.is_b { negate(&own) } else { own };
        self.points.insert(index, own);
        Ok(own)
    }

    fn mean(
        &mut self,
        frame: &Frame,
        scale_to: f64,
        terms: &[(u32, f64)],
    ) -> Result<(Vector<Interval>, Vec<Interval>), Trouble> {
        if terms.is_empty() || terms.len() > MOST_TERMS {
            return fault("a mix has no branch of a shape, or more than 64");
        }
        if !terms.iter().all(|(_, weight)| weight.is_finite() && *weight >= 0.0) {
            return fault("a weight of a mix is negative or not finite");
        }
        let zero = Interval::of(0.0);
        let (mut sum, mut first, mut total) = (vector([0.0; 3]), zero, zero);
        for &(index, weight) in terms {
            let point = self.point(frame, scale_to, index)?;
            // A single branch has all of the weight, exactly.
            let weight = if terms.len() == 1 && weight > 0.0 { Interval::of(1.0) } else { Interval::of(weight) };
            sum = add(&sum, &scale(&point, &weight));
            total = total + weight;
            if index == 1 {
                first = first + weight;
            }
        }
        if !(total.low > 0.0) {
            return fault("the weights of a mix are all zero");
        }
        let mut weights = vec![Interval::of(1.0); self.norms.len()];
        if self.is_cone {
            weights[0] = first / total;
        }
        Ok((sum.map(|x| x / total), weights))
    }
}

/// The matrices of the norms of a shape, or of its core, in its own frame.
fn norms_of(shape: &Shape, core: bool) -> Vec<Matrix<Interval>> {
    let diagonal = |x: f64, y: f64, z: f64| [vector([x, 0.0, 0.0]), vector([0.0, y, 0.0]), vector([0.0, 0.0, z])];
    match shape {
        Shape::Sphere { radius: r } | Shape::Capsule { radius: r, .. } if !core => vec![diagonal(*r, *r, *r)],
        Shape::Cylinder { radius: r, .. } | Shape::Cone { radius: r, .. } => vec![diagonal(*r, 0.0, *r)],
        Shape::Ellipsoid { radii: [x, y, z] } => vec![diagonal(*x, *y, *z)],
        Shape::Rounded { shape, radius: r } => {
            let mut all = norms_of(shape, false);
            all.push(diagonal(*r, *r, *r));
            all
        }
        Shape::Affine { shape, matrix } => {
            // |L Mᵀ d|: the rows of L Mᵀ are M times the rows of L.
            let matrix = matrix.map(vector);
            norms_of(shape, false).iter().map(|norm| [0, 1, 2].map(|i| map(&matrix, &norm[i]))).collect()
        }
        _ => Vec::new(),
    }
}

/// The point of a branch in the shape's own frame.
fn point_of(shape: &Shape, index: u32) -> Option<Vector<Interval>> {
    match (shape, index) {
        (Shape::Hull { points }, _) => points.get(index as usize).map(|p| vector(*p)),
        (Shape::Cylinder { half_height: h, .. }, 0 | 1) => Some(vector([0.0, if index == 0 { -h } else { *h }, 0.0])),
        (Shape::Cone { half_height: h, .. }, 0 | 1) => Some(vector([0.0, if index == 0 { *h } else { -h }, 0.0])),
        (Shape::Ellipsoid { .. }, 0) => Some(vector([0.0; 3])),
        (Shape::Rounded { shape, .. }, _) => point_of(shape, index),
        (Shape::Affine { shape, matrix }, _) => Some(map(&matrix.map(vector), &point_of(shape, index)?)),
        _ => shape.core_vertices()?.get(index as usize).map(|p| vector(*p)),
    }
}

fn is_cone(shape: &Shape) -> bool {
    match shape {
        Shape::Cone { .. } => true,
        Shape::Rounded { shape, .. } | Shape::Affine { shape, .. } => is_cone(shape),
        _ => false,
    }
}
