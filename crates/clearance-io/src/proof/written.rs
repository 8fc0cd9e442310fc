//! What was asked, as it was written: the numbers of the text, before the library makes anything of them.

use crate::files::Folder;
use clearance_verify as verify;
use serde::Deserialize;
use serde_json::{Map, Value};
use std::collections::HashMap;
use std::sync::Arc;

/// The two shapes and poses of a question, with the numbers that were written.
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

/// The shapes that the lines of a stream have named, as they were written.
#[derive(Debug, Default)]
pub(crate) struct WrittenNames(HashMap<String, Arc<verify::Shape>>);

impl WrittenNames {
    /// Keeps the shape of a line that defines one. The line is known to be right.
    pub fn define(&mut self, line: &str, name: &str, folder: &Folder) {
        #[derive(Deserialize)]
        struct Line {
            shape: Value,
        }
        let shape = serde_json::from_str(line).ok().and_then(|Line { shape }| read_shape(shape, folder));
        match shape {
            Some(shape) => self.0.insert(name.to_owned(), Arc::new(shape)),
            None => self.0.remove(name),
        };
    }

    /// What a line asks about. It is known to be right; nothing if the checker does not know a shape of it.
    pub fn question(&self, line: &str, folder: &Folder) -> Option<Written> {
        #[derive(Deserialize)]
        struct Line {
            a: Value,
            pose_a: Option<Value>,
            b: Value,
            pose_b: Option<Value>,
        }
        let Line { a, pose_a, b, pose_b } = serde_json::from_str(line).ok()?;
        let shape = |value: Value| match value {
            Value::String(name) => self.0.get(&name).cloned(),
            shape => read_shape(shape, folder).map(Arc::new),
        };
        let pose = |value: Option<Value>| match value {
            Some(value) => serde_json::from_value(without_comments(value)).ok(),
            None => Some(verify::Pose::IDENTITY),
        };
        Some(Written { a: shape(a)?, pose_a: pose(pose_a)?, b: shape(b)?, pose_b: pose(pose_b)? })
    }
}

fn read_shape(value: Value, folder: &Folder) -> Option<verify::Shape> {
    serde_json::from_value(with_points(without_comments(value), folder)?).ok()
}

/// The same value without fields whose names start with `_`.
fn without_comments(value: Value) -> Value {
    match value {
        Value::Object(fields) => {
            let kept = fields.into_iter().filter(|(name, _)| !name.starts_with('_'));
            Value::Object(kept.map(|(name, value)| (name, without_comments(value))).collect())
        }
        Value::Array(values) if values.iter().any(|value| !value.is_number()) => {
            Value::Array(values.into_iter().map(without_comments).collect())
        }
        other => other,
    }
}

/// The same shape with the points of files instead of their names.
fn with_points(value: Value, folder: &Folder) -> Option<Value> {
    let Value::Object(fields) = value else { return Some(value) };
    let mut resolved = Map::new();
    for (name, value) in fields {
        let value = match (name.as_str(), value) {
            ("hull", Value::Object(hull)) => match hull.get("file").and_then(Value::as_str) {
                Some(file) => {
                    let points = folder.points(file).ok()?;
                    serde_json::json!({ "points": points.iter().map(|point| point.to_array()).collect::<Vec<_>>() })
                }
                None => Value::Object(hull),
            },
            ("compound", Value::Array(parts)) => {
                let parts = parts.into_iter().map(|part| with_points(part, folder));
                Value::Array(parts.collect::<Option<_>>()?)
            }
            ("affine" | "rounded" | "shape", value) => with_points(value, folder)?,
            (_, value) => value,
        };
        resolved.insert(name, value);
    }
    Some(Value::Object(resolved))
}

#[cfg(test)]
mod tests {
    use super::*;
    use verify::{Part, Pose, Shape};

    #[test]
    fn a_question_is_kept_number_for_number() {
        let folder = Folder::none();
        let mut names = WrittenNames::default();
        let plane = r#"{"affine": {"shape": {"rounded": {"_why": 1, "radius": 0.1, "shape": {"half_space": {"normal": [0, 2, 0], "offset": 3}}}}, "matrix": [[1,1,0],[1,1.0000000000000002,0],[0,0,1]]}}"#;
        names.define(&format!(r#"{{"define": "floor", "shape": {plane}}}"#), "floor", &folder);
        let inner = r#"{"compound": [{"shape": {"hull": {"points": [[0,0,0],[1,0,0],[0.5,0,0]]}}, "pose": {"rotation": [0,0,3,4]}}], "_": {}}"#;
        let line = format!(
            r#"{{"query": "distance", "a": {{"compound": [{{"shape": {inner}, "_x": [{{}}]}}]}}, "b": "floor", "pose_b": {{"rotation": [1,2,3,4], "_": 0}}}}"#
        );
        let Written { a, pose_a, b, pose_b } = names.question(&line, &folder).unwrap();
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
