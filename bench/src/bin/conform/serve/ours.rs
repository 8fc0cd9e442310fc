//! Clearance, as `clearance query` answers: the same reading, the same calls, the same lines.

use clearance::{
    BuildError, Interval, Ray, Sweep, cast_ray, cast_shape, depth, distance, intersects, time_of_impact, within,
};
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
    let Query { a, b, .. } = &query;
    let answer = answered(&query).unwrap_or_else(|error| Answer::Error(error.to_string()));
    answer.to_line(query.id.as_deref(), Some([a, b]))
}

fn answered(query: &Query) -> Result<Answer, BuildError> {
    let Query { a, pose_a, b, pose_b, .. } = query;
    let (pose_a, pose_b) = (*pose_a, *pose_b);
    Ok(match &query.kind {
        QueryKind::Intersects => Answer::Intersects(intersects(a, pose_a, b, pose_b)),
        QueryKind::Distance => Answer::Distance(distance(a, pose_a, b, pose_b)),
        QueryKind::Within { margin } => Answer::Within(within(a, pose_a, b, pose_b, *margin)),
        QueryKind::Depth(budget) => Answer::Depth(depth(a, pose_a, b, pose_b, *budget)),
        QueryKind::Impact(motions) => {
            let [motion_a, motion_b] = motions.of_poses(pose_a, pose_b)?;
            let interval = Interval::new(motions.from, motions.until)?;
            Answer::Impact(time_of_impact(a, &motion_a, b, &motion_b, interval))
        }
        QueryKind::CastShape { direction, max } => {
            Answer::CastShape(cast_shape(a, pose_a, b, &Sweep::new(pose_b, *direction, *max)?))
        }
        QueryKind::CastRay { direction, max } => {
            Answer::CastRay(cast_ray(a, pose_a, &Ray::new(pose_b.translation(), *direction, *max)?))
        }
    })
}
