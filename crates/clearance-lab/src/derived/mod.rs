//! Derived shapes, and the truth about their input.
//!
//! A [`Written`] shape is the input of a caller: compounds within compounds, images of images, roundings of those, quaternions of any length. Its
//! [truth](Case::truth) is computed from that input with a thousand bits, and shares no code with the library. It is known for every shape against
//! a half-space (by heights) and for balls and points against each other, boxes and capsules. These pairs reveal the rounding of constructors and
//! poses.

pub mod big;
mod draw;

pub use draw::draw;

use big::{Big, Vector, add, cross, dot, length, scale, subtract, vector};
use clearance::math::{DMat3, DQuat, DVec3};
use clearance::world::{Config, World};
use clearance::{Axis, BuildError, Clearance, HalfHeight, Pair, Pose, Radius, Shape, Status};

/// A shape as input.
#[derive(Debug, Clone)]
pub enum Written {
    /// A ball.
    Sphere(f64),
    /// A box.
    Cuboid(DVec3),
    /// An ellipsoid.
    Ellipsoid(DVec3),
    /// A capsule: radius and half height.
    Capsule(f64, f64),
    /// The hull of points.
    Hull(Vec<DVec3>),
    /// A half-space.
    HalfSpace(DVec3, f64),
    /// An image.
    Affine(Box<Written>, DMat3),
    /// A rounding.
    Rounded(Box<Written>, f64),
    /// A union.
    Compound(Vec<(Written, Place)>),
}

/// A pose as input: the quaternion (x, y, z, w) may have any length.
#[derive(Debug, Clone, Copy)]
pub struct Place {
    /// The translation.
    pub translation: DVec3,
    /// The rotation.
    pub rotation: DQuat,
}

impl Place {
    /// The pose of the library.
    ///
    /// # Panics
    ///
    /// If the library refuses it.
    #[must_use]
    pub fn pose(&self) -> Pose {
        Pose::new(self.translation, self.rotation)
    }
}

/// A rotation, by columns, and a translation.
#[derive(Debug, Clone)]
struct Rigid {
    columns: [Vector; 3],
    translation: Vector,
}

impl Rigid {
    fn of(place: &Place) -> Self {
        let [x, y, z, w] = place.rotation.to_array().map(Big::of);
        let (two, v) = (Big::of(2.0), [x, y, z]);
        let square = dot(&v, &v).plus(&w.times(&w));
        let column = |axis: DVec3| {
            // e + 2 (w v × e + v × (v × e)) / |q|².
            let e = vector(axis);
            let aside = cross(&v, &e);
            add(&e, &scale(&add(&scale(&aside, &w), &cross(&v, &aside)), &two.over(&square)))
        };
        Self { columns: DVec3::AXES.map(column), translation: vector(place.translation) }
    }

    fn turn(&self, v: &Vector) -> Vector {
        let [x, y, z] = [0, 1, 2].map(|i| scale(&self.columns[i], &v[i]));
        add(&add(&x, &y), &z)
    }

    fn turn_back(&self, v: &Vector) -> Vector {
        self.columns.each_ref().map(|column| dot(column, v))
    }

    fn after(&self, inner: &Self) -> Self {
        let translation = add(&self.turn(&inner.translation), &self.translation);
        Self { columns: inner.columns.each_ref().map(|column| self.turn(column)), translation }
    }
}

/// A part without parts of its own, with its pose.
struct Leaf<'a> {
    shape: &'a Written,
    at: Rigid,
}

impl Written {
    /// The library's shape.
    pub fn build(&self) -> Result<Shape, BuildError> {
        match self {
            Self::Sphere(radius) => Shape::sphere(*radius),
            Self::Cuboid(half) => Shape::cuboid(*half),
            Self::Ellipsoid(radii) => Shape::ellipsoid(*radii),
            Self::Capsule(radius, half) => Shape::capsule(Axis::Y, Radius(*radius), HalfHeight(*half)),
            Self::Hull(points) => Shape::hull(points),
            Self::HalfSpace(normal, offset) => Shape::half_space(*normal, *offset),
            Self::Affine(inner, matrix) => Shape::affine(&inner.build()?, *matrix),
            Self::Rounded(inner, radius) => Shape::rounded(&inner.build()?, *radius),
            Self::Compound(parts) => {
                let parts: Result<Vec<_>, BuildError> =
                    parts.iter().map(|(part, place)| Ok((part.build()?, place.pose()))).collect();
                Shape::compound(parts?)
            }
        }
    }

    /// The height along a vector, times the length of the vector.
    fn height(&self, n: &Vector) -> Big {
        match self {
            Self::Sphere(radius) => Big::of(*radius).times(&length(n)),
            Self::Cuboid(half) => dot(&vector(*half), &n.each_ref().map(Big::size)),
            Self::Ellipsoid(radii) => length(&[0, 1, 2].map(|i| n[i].times(&Big::of(radii[i])))),
            Self::Capsule(radius, half) => Big::of(*half).times(&n[1].size()).plus(&Big::of(*radius).times(&length(n))),
            Self::Hull(points) => {
                let heights = points.iter().map(|point| dot(&vector(*point), n));
                heights.reduce(|a, b| a.larger(&b)).expect("a hull has points")
            }
            Self::Affine(inner, matrix) => inner.height(&[0, 1, 2].map(|column| dot(&vector(matrix.col(column)), n))),
            Self::Rounded(inner, radius) => inner.height(n).plus(&Big::of(*radius).times(&length(n))),
            Self::HalfSpace(..) | Self::Compound(_) => unreachable!("not bounded and convex"),
        }
    }

    /// The plane n · x = d that bounds a half-space, if it is one.
    fn plane(&self) -> Option<(Vector, Big)> {
        match self {
            Self::HalfSpace(normal, offset) => Some((vector(*normal), Big::of(*offset))),
            Self::Affine(inner, matrix) => {
                let (n, d) = inner.plane()?;
                let [x, y, z] = [0, 1, 2].map(|column| vector(matrix.col(column)));
                let determinant = dot(&x, &cross(&y, &z));
                let columns = [cross(&y, &z), cross(&z, &x), cross(&x, &y)];
                let image =
                    add(&add(&scale(&columns[0], &n[0]), &scale(&columns[1], &n[1])), &scale(&columns[2], &n[2]));
                // Divided by the determinant, so that its sign does not matter.
                Some((image.map(|x| x.over(&determinant)), d))
            }
            Self::Rounded(inner, radius) => {
                let (n, d) = inner.plane()?;
                let d = d.plus(&Big::of(*radius).times(&length(&n)));
                Some((n, d))
            }
            _ => None,
        }
    }

    /// The centre and radius of a ball, if the input is one.
    fn ball(&self) -> Option<(Vector, Big)> {
        match self {
            Self::Sphere(radius) => Some((vector(DVec3::ZERO), Big::of(*radius))),
            Self::Hull(points) => match points[..] {
                [point] => Some((vector(point), Big::of(0.0))),
                _ => None,
            },
            Self::Affine(inner, matrix) => {
                let (center, radius) = inner.ball()?;
                let rows = [0, 1, 2].map(|row| vector(matrix.row(row)));
                (radius.about() == 0.0).then(|| (rows.map(|row| dot(&row, &center)), radius))
            }
            Self::Rounded(inner, radius) => {
                let (center, inner) = inner.ball()?;
                Some((center, inner.plus(&Big::of(*radius))))
            }
            _ => None,
        }
    }

    /// The signed distance of a point from a box or a capsule, in the frame of that shape.
    fn distance_of(&self, point: &Vector) -> Option<Big> {
        let zero = Big::of(0.0);
        match self {
            Self::Cuboid(half) => {
                let beyond = [0, 1, 2].map(|i| point[i].size().minus(&Big::of(half[i])));
                let outside = length(&beyond.each_ref().map(|x| x.larger(&zero)));
                // Inside, the nearest face.
                let inside = beyond[0].larger(&beyond[1]).larger(&beyond[2]);
                Some(if inside.is_at_most(0.0) { inside } else { outside })
            }
            Self::Capsule(radius, half) => {
                let beyond = point[1].size().minus(&Big::of(*half)).larger(&zero);
                let way = [point[0].clone(), beyond, point[2].clone()];
                Some(length(&way).minus(&Big::of(*radius)))
            }
            _ => None,
        }
    }

    fn leaves<'a>(&'a self, at: &Rigid, leaves: &mut Vec<Leaf<'a>>) {
        match self {
            Self::Compound(parts) => {
                for (part, place) in parts {
                    part.leaves(&at.after(&Rigid::of(place)), leaves);
                }
            }
            _ => leaves.push(Leaf { shape: self, at: at.clone() }),
        }
    }
}

/// The signed distance of two parts, if it is known for their kinds.
fn between(a: &Leaf<'_>, b: &Leaf<'_>) -> Option<Big> {
    if let Some((normal, offset)) = a.shape.plane() {
        // The height of B against the normal.
        let size = length(&normal);
        let n = a.at.turn(&normal);
        let down = n.each_ref().map(Big::negated);
        let depth = dot(&b.at.translation, &down).plus(&b.shape.height(&b.at.turn_back(&down)));
        let offset = offset.plus(&dot(&n, &a.at.translation));
        return Some(depth.plus(&offset).negated().over(&size));
    }
    if b.shape.plane().is_some() {
        return between(b, a);
    }
    let place = |leaf: &Leaf<'_>, center: &Vector| add(&leaf.at.turn(center), &leaf.at.translation);
    if let (None, Some((center, radius))) = (a.shape.ball(), b.shape.ball()) {
        let local = a.at.turn_back(&subtract(&place(b, &center), &a.at.translation));
        return Some(a.shape.distance_of(&local)?.minus(&radius));
    }
    if b.shape.ball().is_none() && a.shape.ball().is_some() {
        return between(b, a);
    }
    let ((center_a, radius_a), (center_b, radius_b)) = (a.shape.ball()?, b.shape.ball()?);
    let way = subtract(&place(b, &center_b), &place(a, &center_a));
    Some(length(&way).minus(&radius_a.plus(&radius_b)))
}

/// Two shapes with their poses.
#[derive(Debug, Clone)]
pub struct Case {
    /// The first.
    pub a: Written,
    /// Its pose.
    pub place_a: Place,
    /// The second.
    pub b: Written,
    /// Its pose.
    pub place_b: Place,
    /// The hazard of the case.
    pub what: &'static str,
}

impl Case {
    /// The signed distance of the input, if it is known. For several overlapping parts it is that of the deepest pair. That is at least the
    /// distance of the whole, and it is the upper end of every bracket.
    #[must_use]
    pub fn truth(&self) -> Option<Big> {
        let (mut parts_a, mut parts_b) = (Vec::new(), Vec::new());
        self.a.leaves(&Rigid::of(&self.place_a), &mut parts_a);
        self.b.leaves(&Rigid::of(&self.place_b), &mut parts_b);
        let mut least: Option<Big> = None;
        for a in &parts_a {
            for b in &parts_b {
                let distance = between(a, b)?.negated();
                least = Some(least.map_or(distance.clone(), |least| least.larger(&distance)));
            }
        }
        least.map(|least| least.negated())
    }

    /// Queries the pair in every way. The error names an answer that does not hold the truth. Refused shapes are no case.
    pub fn check(&self) -> Result<Option<Clearance>, String> {
        let (Ok(a), Ok(b)) = (self.a.build(), self.b.build()) else { return Ok(None) };
        let Some(truth) = self.truth() else { return Ok(None) };
        let (pose_a, pose_b) = (self.place_a.pose(), self.place_b.pose());
        let wrong = |how: &str, found: &dyn std::fmt::Debug| {
            Err(format!("{}, {how}: the truth is {:e}, not {found:?}\n{self:?}", self.what, truth.about()))
        };
        let holds = |c: &Clearance| {
            c.lower <= c.distance && c.distance <= c.upper && truth.is_at_least(c.lower) && truth.is_at_most(c.upper)
        };
        let first = clearance::distance(&a, pose_a, &b, pose_b);
        if !holds(&first) {
            return wrong("distance", &first);
        }
        let swapped = clearance::distance(&b, pose_b, &a, pose_a);
        if !holds(&swapped) {
            return wrong("swapped", &swapped);
        }
        if !clearance::intersects(&a, pose_a, &b, pose_b) && truth.is_at_most(0.0) {
            return wrong("intersects", &false);
        }
        let about = truth.about();
        // At, and next to, the margin at which "within" changes its answer.
        let margins = [about, about.next_down(), about.next_up(), first.lower, first.upper, 0.0];
        for engine in clearance::Engine::ALL {
            let how = format!("{engine:?}");
            let mut pair = Pair::new(&a, &b).engine(engine);
            for _ in 0..2 {
                let found = pair.distance(pose_a, pose_b);
                if !holds(&found) {
                    return wrong(&how, &found);
                }
                if !pair.intersects(pose_a, pose_b) && truth.is_at_most(0.0) {
                    return wrong(&how, &"apart");
                }
                for margin in margins {
                    match pair.within(pose_a, pose_b, margin) {
                        Some(found) if !holds(&found) => return wrong(&how, &found),
                        None if truth.is_at_most(margin) => return wrong(&how, &("beyond", margin)),
                        _ => {}
                    }
                }
            }
        }
        let mut world = World::new(Config { margin: about.max(0.0), ..Config::default() });
        world.insert(a.clone(), pose_a);
        world.insert(b.clone(), pose_b);
        let update = world.update();
        if truth.is_at_most(about.max(0.0)) && update.within(about.max(0.0)).next().is_none() {
            return wrong("world", &"nothing");
        }
        if truth.is_at_most(0.0) && update.overlapping().next().is_none() {
            return wrong("world", &"apart");
        }
        for (written, place, shape, pose) in
            [(&self.a, &self.place_a, &a, pose_a), (&self.b, &self.place_b, &b, pose_b)]
        {
            let bounds = shape.aabb(&pose);
            let mut leaves = Vec::new();
            written.leaves(&Rigid::of(place), &mut leaves);
            for leaf in leaves.iter().filter(|leaf| leaf.shape.plane().is_none()) {
                for axis in DVec3::AXES {
                    let along = |n: DVec3| {
                        let n = vector(n);
                        dot(&leaf.at.translation, &n).plus(&leaf.shape.height(&leaf.at.turn_back(&n)))
                    };
                    if !along(axis).is_at_most(bounds.max.dot(axis)) || !along(-axis).is_at_most(-bounds.min.dot(axis))
                    {
                        return wrong("aabb", &bounds);
                    }
                }
            }
        }
        Ok(Some(first))
    }
}

/// True if the bracket is closed to that part of a length.
#[must_use]
pub fn is_narrow(found: &Clearance, width: f64) -> bool {
    found.status == Status::Converged && found.upper - found.lower <= width
}
