//! The parts of a shape as it is written, in order, depth first: compounds in compounds taken apart, and meshes into triangles.
//!
//! A part is convex or a half-space. A *body* is a mesh or any other shape that is not a compound: several parts of one
//! mesh are one body.

use crate::evidence::Query;
use crate::number::{Number, add, meter, subtract, vector};
use crate::pose::{Pose, Rigid};
use crate::shape::{Plane, Shape, Trouble, plane};

/// The cost of a composition of two poses. Limit: operations of a product of quaternions and a rotated vector.
const PLACING: u64 = 64;

/// A step from the frame of what is inside to the frame around it.
#[derive(Debug, Clone, Copy)]
enum Step<'a> {
    /// The pose of a part in its compound.
    Pose(&'a Pose),
    /// The matrix that a mesh is mapped with, by rows. Other shapes keep theirs: cores of images are not images of cores.
    Map(&'a [[f64; 3]; 3]),
}

/// A step, and the next one outward.
#[derive(Debug)]
struct Link<'a> {
    step: Step<'a>,
    outer: Option<u32>,
}

/// The triangles of a mesh.
#[derive(Debug, Clone, Copy)]
pub(crate) struct MeshOf<'a> {
    pub vertices: &'a [[f64; 3]],
    pub triangles: &'a [[u32; 3]],
}

/// The kind of a part.
#[derive(Debug)]
enum Content<'a> {
    Shape(&'a Shape),
    /// A place among the triangles, and the number in its mesh.
    Triangle(u32, u32),
}

/// A shape taken apart.
#[derive(Debug)]
pub(crate) struct Flat<'a> {
    links: Vec<Link<'a>>,
    triangles: Vec<Shape>,
    /// The kind of a part, its place and its body.
    parts: Vec<(Content<'a>, Option<u32>, u32)>,
    /// The first part of each body, and its mesh if it is one.
    bodies: Vec<(u32, Option<MeshOf<'a>>)>,
}

impl<'a> Flat<'a> {
    /// The parts of a shape without a fault; one that is neither a compound nor a mesh is its own only part.
    pub fn new(shape: &'a Shape) -> Self {
        let mut flat = Self { links: Vec::new(), triangles: Vec::new(), parts: Vec::new(), bodies: Vec::new() };
        flat.add(shape, None);
        flat
    }

    fn add(&mut self, shape: &'a Shape, place: Option<u32>) {
        // As many links and parts as a line of 64 MiB can have are far from 2³².
        let (body, first) = (self.bodies.len() as u32, self.parts.len() as u32);
        match shape {
            Shape::Compound(parts) => {
                for part in parts {
                    let link = self.link(Step::Pose(&part.pose), place);
                    self.add(&part.shape, link);
                }
            }
            Shape::Affine { shape, matrix } if shape.is_mesh() => {
                let link = self.link(Step::Map(matrix), place);
                self.add(shape, link);
            }
            Shape::Mesh { vertices, triangles } => {
                meter::charge(4 * triangles.len() as u64);
                self.bodies.push((first, Some(MeshOf { vertices, triangles })));
                for (number, corners) in triangles.iter().enumerate() {
                    let [a, b, c] = corners.map(|corner| vertices[corner as usize]);
                    let content = Content::Triangle(self.triangles.len() as u32, number as u32);
                    self.triangles.push(Shape::Triangle { a, b, c });
                    self.parts.push((content, place, body));
                }
            }
            _ => {
                self.bodies.push((first, None));
                self.parts.push((Content::Shape(shape), place, body));
            }
        }
    }

    fn link(&mut self, step: Step<'a>, outer: Option<u32>) -> Option<u32> {
        self.links.push(Link { step, outer });
        Some(self.links.len() as u32 - 1)
    }

    /// The parts at their places in a frame whose origin is that of A's pose.
    pub fn sides<'s>(&'s self, pose: &Pose, query: &Query) -> Vec<Side<'s>> {
        self.sides_from(pose, query.pose_a.translation)
    }

    fn sides_from<'s>(&'s self, pose: &Pose, origin: [f64; 3]) -> Vec<Side<'s>> {
        let side = |(content, place, body): &'s (Content<'a>, Option<u32>, u32)| {
            let (shape, triangle) = match content {
                Content::Shape(shape) => (*shape, None),
                Content::Triangle(at, number) => (&self.triangles[*at as usize], Some(*number)),
            };
            Side {
                shape,
                triangle,
                body: *body,
                links: &self.links,
                place: *place,
                rotation: pose.rotation,
                translation: [pose.translation, origin],
                moved: [0.0; 3],
            }
        };
        self.parts.iter().map(side).collect()
    }

    /// The parts in the frame of the shape itself.
    pub fn local_sides(&self) -> Vec<Side<'_>> {
        self.sides_from(&Pose::IDENTITY, [0.0; 3])
    }

    /// The bodies: the first part of each, and its mesh if it is one.
    pub fn bodies(&self) -> &[(u32, Option<MeshOf<'a>>)] {
        &self.bodies
    }
}

/// A part, and where it is.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Side<'a> {
    pub shape: &'a Shape,
    /// The number of a triangle in its mesh.
    pub triangle: Option<u32>,
    /// Its body.
    pub body: u32,
    links: &'a [Link<'a>],
    place: Option<u32>,
    rotation: [f64; 4],
    /// The translation is the first less the second.
    translation: [[f64; 3]; 2],
    /// And then it is moved by this.
    moved: [f64; 3],
}

impl<'a> Side<'a> {
    /// The origin of a shape at a point of the world, in the frame of `like`.
    pub fn at(shape: &'a Shape, point: [f64; 3], like: &Self) -> Self {
        let [_, origin] = like.translation;
        Self {
            shape,
            triangle: None,
            body: 0,
            links: &[],
            place: None,
            rotation: Pose::IDENTITY.rotation,
            translation: [point, origin],
            moved: [0.0; 3],
        }
    }

    /// The part somewhere else.
    pub fn moved_by(self, translation: [f64; 3]) -> Self {
        Self { moved: translation, ..self }
    }

    /// Is it anywhere but where its shape was written, in the frame of the body?
    pub fn is_placed(&self) -> bool {
        self.place.is_some()
    }

    /// Are two parts of one shape placed by the same poses and maps? Then so is everything about them.
    pub fn is_placed_like(&self, other: &Self) -> bool {
        self.place == other.place && self.moved == other.moved
    }

    /// Is it a triangle of a mesh that is mapped? Then its place is no pose.
    pub fn is_mapped(&self) -> bool {
        self.path().any(|step| matches!(step, Step::Map(_)))
    }

    /// The steps outward, innermost first.
    fn path(&self) -> impl Iterator<Item = Step<'a>> {
        let links = self.links;
        let first = self.place.map(|link| &links[link as usize]);
        std::iter::successors(first, move |link| link.outer.map(|outer| &links[outer as usize])).map(|link| link.step)
    }

    /// Where it is, exactly.
    pub fn rigid<N: Number>(&self) -> Rigid<N> {
        self.rigid_along(|_| true)
    }

    /// Where it is without the maps of a mesh, which come first.
    pub fn rigid_of_poses<N: Number>(&self) -> Rigid<N> {
        self.rigid_along(|step| matches!(step, Step::Pose(_)))
    }

    fn rigid_along<N: Number>(&self, is_taken: impl Fn(&Step<'a>) -> bool) -> Rigid<N> {
        let [to, from] = self.translation.map(vector::<N>);
        let pose = Rigid::new(self.rotation, &add(&subtract(&to, &from), &vector(self.moved)));
        self.along(pose, is_taken)
    }

    /// The maps of a mesh alone.
    pub fn rigid_of_maps<N: Number>(&self) -> Rigid<N> {
        self.along(Rigid::new(Pose::IDENTITY.rotation, &vector([0.0; 3])), |step| matches!(step, Step::Map(_)))
    }

    /// A map after those steps of the path that are taken.
    fn along<N: Number>(&self, outermost: Rigid<N>, is_taken: impl Fn(&Step<'a>) -> bool) -> Rigid<N> {
        let path: Vec<Step<'a>> = self.path().filter(is_taken).collect();
        meter::charge(PLACING * (1 + path.len() as u64));
        path.into_iter().rev().fold(outermost, |outer, inner| match inner {
            Step::Pose(pose) => outer.after(pose),
            Step::Map(rows) => outer.after_map(rows),
        })
    }

    pub fn core(&self) -> &'a Shape {
        self.shape.split().0
    }

    /// The sum of the balls around the core.
    pub fn radius<N: Number>(&self) -> N {
        self.shape.split().1.into_iter().fold(N::zero(), |sum, radius| sum.plus(&N::of(radius)))
    }

    pub fn is_plane(&self) -> bool {
        self.shape.is_plane()
    }

    /// The plane of a half-space with its normal in the common frame, times a positive number.
    pub fn plane<N: Number>(&self, rigid: &Rigid<N>) -> Result<Option<Plane<N>>, Trouble> {
        if !self.is_plane() {
            return Ok(None);
        }
        let Plane { normal, offset } = plane(self.shape)?;
        Ok(Some(Plane { normal: rigid.direction(&normal), offset }))
    }

    /// How far it reaches, and how far it is moved by the compounds it is in.
    pub fn size(&self) -> f64 {
        self.path().fold(self.shape.reach(), |size, step| match step {
            Step::Pose(pose) => size + length(pose.translation),
            Step::Map(rows) => size * length(rows.map(length)),
        })
    }
}

pub(crate) fn length(v: [f64; 3]) -> f64 {
    v[0].hypot(v[1]).hypot(v[2])
}
