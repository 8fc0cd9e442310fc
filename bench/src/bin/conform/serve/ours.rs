//! Clearance, as `clearance query` answers: the same reading, the same calls, the same lines.

use clearance::{cast_ray, cast_shape, depth, distance, intersects, time_of_impact, within};
use clearance_io::{Answer, Definitions, Folder, Query, QueryKind};
use serde_json::{Value, json};

pub fn about() -> Value {
    json!({"version": concat!("Clearance ", env!("CARGO_PKG_VERSION")), "precision": "double"})
}

pub fn answer(line: &str) -> String {
    let query = match Definitions::new().read(line, 1, &Folder::none()) {
        Ok(Some(query)) => query,
        Ok(None) => return json!({"error": "this is no query"}).to_string(),
        Err(fault) => return json!({"error": fault.error.to_string()}).to_string(),
    };
    let Query { a, pose_a, b, pose_b, .. } = &query;
    let (pose_a, pose_b) = (*pose_a, *pose_b);
    let answer = match &query.kind {
        QueryKind::Intersects => Ok(Answer::Intersects(intersects(a, pose_a, b, pose_b))),
        QueryKind::Distance => Ok(Answer::Distance(distance(a, pose_a, b, pose_b))),
        QueryKind::Within { margin } => Ok(Answer::Within(within(a, pose_a, b, pose_b, *margin))),
        QueryKind::Depth(budget) => Ok(Answer::Depth(depth(a, pose_a, b, pose_b, *budget))),
        QueryKind::Impact(motions) => motions.of_poses(pose_a, pose_b).and_then(|[motion_a, motion_b]| {
            time_of_impact(a, &motion_a, b, &motion_b, motions.from..=motions.until).map(Answer::Impact)
        }),
        QueryKind::CastShape { direction, max } => {
            cast_shape(a, pose_a, b, pose_b, *direction, *max).map(Answer::CastShape)
        }
        QueryKind::CastRay { direction, max } => {
            Ok(Answer::CastRay(cast_ray(a, pose_a, pose_b.translation(), *direction, *max)))
        }
    };
    let answer = answer.unwrap_or_else(|error| Answer::Error(error.to_string()));
    answer.to_line(query.id.as_deref(), Some([a, b]))
}
