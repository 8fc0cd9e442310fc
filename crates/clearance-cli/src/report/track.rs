//! The ways of bodies as a page shows them: poses at times, between which they move straight and turn along the shortest arc.

use clearance::math::Pose;
use clearance_io::Motion;

/// Rotation between two poses of a track, in radians. Bound: a chord of the angle t deviates by 1 - cos(t / 2), here 0.1 % of the radius.
const TURN: f64 = 0.09;

/// Deviation of a track from a parabola, as a part of the size of the scene. Limit: a pixel in a picture of a thousand.
const FINE: f64 = 1e-3;

/// Poses of one body, at most. Limit: they are part of the page. A body that rotates faster than they can show is shown rotating more slowly.
const MOST: f64 = 20_000.0;

/// The times and poses of a motion from time zero to `until`; nothing for a body that rests.
pub fn keys(motion: &Motion, start: Pose, until: f64, size: f64) -> Vec<(f64, Pose)> {
    let Ok(law) = motion.of_pose(start) else { return Vec::new() };
    let evenly = |count: f64| {
        let count = count.ceil().clamp(1.0, MOST);
        (0..=count as u32).map(|k| until * (f64::from(k) / count)).collect::<Vec<_>>()
    };
    let times = match motion {
        Motion::Fixed => Vec::new(),
        Motion::Linear { angular_velocity, .. } => evenly(until * angular_velocity.length() / TURN),
        Motion::Ballistic { angular_velocity, gravity, .. } => {
            // The chord of a parabola is g dt² / 8 away from it.
            let falls = until * (gravity.length() / (8.0 * FINE * size)).sqrt();
            evenly(falls.max(until * angular_velocity.length() / TURN))
        }
        Motion::Keyframes(frames) => {
            let between = frames.iter().map(|frame| frame.time).filter(|&time| time > 0.0 && time < until);
            [0.0].into_iter().chain(between).chain([until]).collect()
        }
    };
    times.into_iter().map(|time| (time, law.pose(time))).collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use clearance::math::DVec3;
    use clearance_io::Keyframe;

    /// The pose between two keys as a page computes it.
    fn between(keys: &[(f64, Pose)], time: f64) -> Pose {
        let next = keys.partition_point(|key| key.0 <= time).min(keys.len() - 1);
        let ((t0, p), (t1, q)) = (keys[next - 1], keys[next]);
        let s = (time - t0) / (t1 - t0);
        Pose::new(p.translation().lerp(q.translation(), s), p.rotation().slerp(q.rotation(), s))
    }

    #[test]
    fn bodies_are_shown_within_a_thousandth_of_where_they_are() {
        let frame = |time: f64| {
            let turned = Pose::from_axis_angle([0.0, 1.0, 0.5], time).unwrap();
            Keyframe::new(time, turned * Pose::from_translation([time, -2.0, time * time]))
        };
        let (velocity, angular_velocity) = (DVec3::new(1.0, 2.0, -0.5), DVec3::new(3.0, -1.0, 0.2));
        let (center, gravity) = (DVec3::new(0.0, 0.5, 0.0), DVec3::new(0.0, -9.81, 0.0));
        let motions = [
            Motion::Linear { velocity, angular_velocity: DVec3::ZERO, center },
            Motion::Linear { velocity, angular_velocity, center },
            Motion::Ballistic { velocity, angular_velocity, center, gravity },
            Motion::Keyframes([-1.0, 0.5, 1.0, 2.5, 9.0].map(frame).to_vec()),
        ];
        let start = Pose::from_translation([4.0, 5.0, 6.0]);
        let (until, size) = (3.0, 1.0);
        for motion in motions {
            let keys = keys(&motion, start, until, size);
            let law = motion.of_pose(start).unwrap();
            for k in 0..=1000 {
                let time = until * f64::from(k) / 1000.0;
                let [shown, exact] = [between(&keys, time), law.pose(time)];
                let corner = DVec3::new(0.3, 0.4, -0.5);
                let error = shown.transform_point(corner).distance(exact.transform_point(corner));
                assert!(error < 2e-3 * size, "{motion:?} at {time}: off by {error}");
            }
        }
        assert!(keys(&Motion::Fixed, start, until, size).is_empty());
        let straight = Motion::Linear { velocity, angular_velocity: DVec3::ZERO, center };
        assert_eq!(keys(&straight, start, until, size).len(), 2);
    }

    #[test]
    fn a_body_that_turns_without_end_has_a_bounded_number_of_keys() {
        let spin = DVec3::splat(1e60);
        let motion = Motion::Ballistic { velocity: spin, angular_velocity: spin, center: DVec3::ZERO, gravity: spin };
        assert_eq!(keys(&motion, Pose::IDENTITY, 1e60, 1e-60).len(), MOST as usize + 1);
    }
}
