//! The convex parts of a shape as it is written: compounds in compounds taken apart, in order, depth first.

use crate::evidence::Query;
use crate::number::{Number, add, meter, subtract, vector};
use crate::pose::{Pose, Rigid};
use crate::shape::{Plane, Shape, Trouble, plane};

/// How many operations it takes to put two poses together, about.
const PLACING: u64 = 64;

/// The pose of a part in the frame of the compound it is in, and where that compound is in the next one.
#[derive(Debug)]
struct Link<'a> {
    pose: &'a Pose,
    outer: Option<u32>,
}

/// A shape taken apart.
#[derive(Debug)]
pub(crate) struct Flat<'a> {
    links: Vec<Link<'a>>,
    parts: Vec<(&'a Shape, Option<u32>)>,
}

impl<'a> Flat<'a> {
    /// The parts of a shape without a fault; one that is no compound is its own only part.
    pub fn new(shape: &'a Shape) -> Self {
        let mut flat = Self { links: Vec::new(), parts: Vec::new() };
        flat.add(shape, None);
        flat
    }

    fn add(&mut self, shape: &'a Shape, place: Option<u32>) {
        let Shape::Compound(parts) = shape else { return self.parts.push((shape, place)) };
        for part in parts {
            self.links.push(Link { pose: &part.pose, outer: place });
            // As many links as a line of 64 MiB can have are far from 2³².
            let link = self.links.len() as u32 - 1;
            self.add(&part.shape, Some(link));
        }
    }

    /// The parts at their places in a frame whose origin is that of A's pose.
    pub fn sides<'s>(&'s self, pose: &Pose, query: &Query) -> Vec<Side<'s>> {
        let side = |&(shape, place)| Side {
            shape,
            links: &self.links,
            place,
            rotation: pose.rotation,
            translation: [pose.translation, query.pose_a.translation],
            moved: [0.0; 3],
        };
        self.parts.iter().map(side).collect()
    }
}

/// A part, and where it is.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Side<'a> {
    pub shape: &'a Shape,
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
        let rotation = Pose::IDENTITY.rotation;
        Self { shape, links: &[], place: None, rotation, translation: [point, origin], moved: [0.0; 3] }
    }

    /// The part somewhere else.
    pub fn moved_by(self, translation: [f64; 3]) -> Self {
        Self { moved: translation, ..self }
    }

    /// The poses of the compounds it is in, innermost first.
    fn path(&self) -> impl Iterator<Item = &'a Pose> {
        let links = self.links;
        let first = self.place.map(|link| &links[link as usize]);
        std::iter::successors(first, move |link| link.outer.map(|outer| &links[outer as usize])).map(|link| link.pose)
    }

    /// Where it is, exactly.
    pub fn rigid<N: Number>(&self) -> Rigid<N> {
        let [to, from] = self.translation.map(vector::<N>);
        let pose = Rigid::new(self.rotation, &add(&subtract(&to, &from), &vector(self.moved)));
        let path: Vec<&Pose> = self.path().collect();
        meter::charge(PLACING * (1 + path.len() as u64));
        path.into_iter().rev().fold(pose, |outer, inner| outer.after(inner))
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
        let moved: f64 = self.path().map(|pose| length(pose.translation)).sum();
        self.shape.reach() + moved
    }
}

pub(crate) fn length(v: [f64; 3]) -> f64 {
    v[0].hypot(v[1]).hypot(v[2])
}
