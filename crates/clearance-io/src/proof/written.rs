//! Queries as they were written: the numbers of the text, before the library rounds or rebuilds anything.
//!
//! 1. The checker sees these numbers only. No shape or pose of the library reaches it.
//! 2. Names and files are resolved; nothing else is changed.

use crate::scene::ShapeOrName;
use clearance_verify as verify;
use std::collections::HashMap;
use std::sync::Arc;

/// The two shapes and poses of a query, with the numbers that were written.
///
/// Compounds are nested as they were, rotations have any length, half-spaces any normal, and a hull has all its points in
/// their order. Names and files are resolved.
#[derive(Debug, Clone)]
pub struct Written {
    /// The first shape.
    pub a: Arc<verify::Shape>,
    /// Where it is.
    pub pose_a: verify::Pose,
    /// The second shape.
    pub b: Arc<verify::Shape>,
    /// Where it is.
    pub pose_b: verify::Pose,
}

/// A body of a scene, with the numbers that were written.
#[derive(Debug, Clone)]
pub struct WrittenBody {
    /// Its shape; bodies that name the same one share it.
    pub shape: Arc<verify::Shape>,
    /// Where it is at time zero.
    pub pose: verify::Pose,
    /// How it moves.
    pub motion: verify::Motion,
}

impl Written {
    /// Two bodies of a scene, where their poses have them.
    #[must_use]
    pub fn of_bodies(a: &WrittenBody, b: &WrittenBody) -> Self {
        Self { a: Arc::clone(&a.shape), pose_a: a.pose, b: Arc::clone(&b.shape), pose_b: b.pose }
    }

    /// The question for the checker; shapes that others share are copied.
    #[must_use]
    pub fn into_query(self) -> verify::Query {
        let Self { a, pose_a, b, pose_b } = self;
        verify::Query { a: Arc::unwrap_or_clone(a), pose_a, b: Arc::unwrap_or_clone(b), pose_b }
    }
}

/// Shapes and poses of a line, noted while it was read.
#[derive(Debug, Default)]
pub(crate) struct Noted {
    /// The shapes that are not names: a and b, or the one that is defined.
    pub shapes: [Option<verify::Shape>; 2],
    /// The poses that were written.
    pub poses: [Option<verify::Pose>; 2],
}

/// The shapes that the lines of a stream have named, as they were written.
#[derive(Debug, Default)]
pub(crate) struct WrittenNames(HashMap<String, Arc<verify::Shape>>);

impl WrittenNames {
    /// Keeps the shape of a line that defines one; the name is free again if nothing was noted.
    pub fn define(&mut self, name: &str, shape: Option<verify::Shape>) {
        match shape {
            Some(shape) => self.0.insert(name.to_owned(), Arc::new(shape)),
            None => self.0.remove(name),
        };
    }

    /// The query of a line; `None` if the checker does not know a shape of it.
    pub fn query(&self, shapes: [&ShapeOrName; 2], noted: Noted) -> Option<Written> {
        let [noted_a, noted_b] = noted.shapes;
        let shape = |shape: &ShapeOrName, noted: Option<verify::Shape>| match shape {
            ShapeOrName::Name(name) => self.0.get(name).cloned(),
            ShapeOrName::Shape(_) => noted.map(Arc::new),
        };
        let [pose_a, pose_b] = noted.poses.map(|pose| pose.unwrap_or(verify::Pose::IDENTITY));
        Some(Written { a: shape(shapes[0], noted_a)?, pose_a, b: shape(shapes[1], noted_b)?, pose_b })
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::files::Folder;
    use crate::query::Definitions;
    use verify::{Part, Pose, Shape};

    #[test]
    fn a_query_is_kept_number_for_number() {
        let folder = Folder::none();
        let mut names = Definitions::with_written();
        let plane = r#"{"affine": {"shape": {"rounded": {"_why": 1, "radius": 0.1, "shape": {"half_space": {"normal": [0, 2, 0], "offset": 3}}}}, "matrix": [[1,1,0],[1,1.0000000000000002,0],[0,0,1]]}}"#;
        names.read(&format!(r#"{{"define": "floor", "shape": {plane}}}"#), 1, &folder).unwrap();
        let inner = r#"{"compound": [{"shape": {"hull": {"points": [[0,0,0],[1,0,0],[0.5,0,0]]}}, "pose": {"rotation": [0,0,3,4]}}], "_": {}}"#;
        let line = format!(
            r#"{{"query": "distance", "a": {{"compound": [{{"shape": {inner}, "_x": [{{}}]}}]}}, "b": "floor", "pose_b": {{"rotation": [1,2,3,4], "_": 0}}}}"#
        );
        let query = names.read(&line, 2, &folder).unwrap().unwrap();
        let Written { a, pose_a, b, pose_b } = *query.written.unwrap();
        let hull = Shape::Hull { points: vec![[0.0; 3], [1.0, 0.0, 0.0], [0.5, 0.0, 0.0]] };
        let turned = Part { shape: hull, pose: Pose { rotation: [0.0, 0.0, 3.0, 4.0], ..Pose::IDENTITY } };
        let part = Part { shape: Shape::Compound(vec![turned]), pose: Pose::IDENTITY };
        assert_eq!(*a, Shape::Compound(vec![part]));
        assert_eq!((pose_a, pose_b.rotation), (Pose::IDENTITY, [1.0, 2.0, 3.0, 4.0]));
        let Shape::Affine { shape, matrix } = &*b else { panic!("{b:?}") };
        assert_eq!(matrix[1][1], 1.0 + f64::EPSILON);
        let half_space = Shape::HalfSpace { normal: [0.0, 2.0, 0.0], offset: 3.0 };
        assert_eq!(**shape, Shape::Rounded { shape: Box::new(half_space), radius: 0.1 });
    }
}
