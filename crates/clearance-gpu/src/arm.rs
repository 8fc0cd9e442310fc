//! An arm of capsules among obstacles: the tables for the kernel, its CPU form, and the library's answers.

use crate::error::GpuError;
use crate::kernel::arm::{self, ARM_ERROR, Frame, LinkCapsule, MAX_CAPSULES, MAX_JOINTS, Obstacle};
use crate::kernel::search::Reach;
use crate::tables::{Core, SUM, down, up};
use clearance::math::{DMat3, DVec3};
use clearance::{Batch, Pose, Shape, intersects, within};

/// Bounds of S, the size of an arm with its obstacles. Bound: products of four lengths stay in the range of `f32`.
const SIZES: std::ops::Range<f64> = 1e-6..1e8;

/// A joint that turns.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Joint {
    /// Where it is in the frame of its parent, at angle zero.
    pub origin: Pose,
    /// Its axis in that frame, of any length.
    pub axis: DVec3,
}

/// A chain of joints with capsules and balls on its links, among capsules and balls.
///
/// ```
/// use clearance::math::DVec3;
/// use clearance::{Pose, Radius, Shape};
/// use clearance_gpu::{Arm, Batches, Joint};
///
/// let joints = [0.0, 1.0].map(|x| Joint { origin: Pose::from_translation([x, 0.0, 0.0]), axis: DVec3::Z });
/// let bone = Shape::capsule_between([0.0, 0.0, 0.0], [1.0, 0.0, 0.0], Radius(0.1))?;
/// let ball = (Shape::sphere(0.2)?, Pose::from_translation([2.0, 0.0, 0.0]));
/// let arm = Arm::new(&joints, &[(0, bone.clone()), (1, bone)], &[], &[ball])?;
/// // Stretched out the hand meets the ball; with the elbow bent it does not.
/// let answers = Batches::on_cpu().arm_within(&arm, &[0.0, 0.0, 0.0, 1.5], 0.0)?;
/// assert_eq!(answers.values, [true, false]);
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Debug, Clone)]
pub struct Arm {
    joints: Vec<Joint>,
    capsules: Vec<(usize, Shape)>,
    pairs: Vec<[usize; 2]>,
    obstacles: Vec<(Shape, Pose)>,
    pub(crate) frames: Vec<Frame>,
    pub(crate) link_table: Vec<LinkCapsule>,
    pub(crate) obstacle_table: Vec<Obstacle>,
    size: f64,
}

impl Arm {
    /// Joints from the base; capsules with the number of the joint that moves them, sorted by it; pairs of capsules that must not meet; obstacles
    /// in the frame of the base. Fails for more than 8 joints, 16 capsules, shapes that are neither a capsule nor a ball, an axis
    /// without direction, and sizes beyond 1e-6 to 1e8.
    pub fn new(
        joints: &[Joint],
        capsules: &[(usize, Shape)],
        pairs: &[[usize; 2]],
        obstacles: &[(Shape, Pose)],
    ) -> Result<Self, GpuError> {
        let refuse = |reason: String| Err(GpuError::Arm(reason));
        if joints.is_empty() || joints.len() > MAX_JOINTS {
            return refuse(format!("it has {} joints, but must have 1 to {MAX_JOINTS}", joints.len()));
        }
        if capsules.len() > MAX_CAPSULES {
            return refuse(format!("it has {} capsules, but at most {MAX_CAPSULES} fit", capsules.len()));
        }
        if !capsules.is_sorted_by_key(|&(joint, _)| joint) || capsules.iter().any(|&(joint, _)| joint >= joints.len()) {
            return refuse("its capsules must name joints that are there, in order".into());
        }
        if pairs.iter().flatten().any(|&i| i >= capsules.len()) || pairs.iter().any(|[i, j]| i == j) {
            return refuse("its pairs must name two different capsules that are there".into());
        }
        // A frame whose z axis is the axis of the joint.
        let mut turns = Vec::new();
        for (i, joint) in joints.iter().enumerate() {
            let Some(z) = joint.axis.try_normalize() else {
                return refuse(format!("joint {i} has no axis"));
            };
            let (x, y) = z.any_orthonormal_pair();
            turns.push(DMat3::from_cols(x, y, z));
        }
        let frames = joints.iter().enumerate().map(|(i, joint)| {
            let back = if i == 0 { DMat3::IDENTITY } else { turns[i - 1].transpose() };
            let columns =
                turns[i].to_cols_array_2d().map(|axis| back * joint.origin.transform_vector(DVec3::from(axis)));
            Frame {
                columns: columns.map(|column| column.to_array()),
                origin: (back * joint.origin.translation()).to_array(),
            }
        });
        let frames: Vec<Frame> = frames.collect();
        let lengths: Vec<f64> = joints
            .iter()
            .scan(0.0, |length, joint| {
                *length += joint.origin.translation().length();
                Some(*length)
            })
            .collect();
        let (mut link_table, mut of_links, mut largest_radius) = (Vec::new(), 0.0_f64, 0.0_f64);
        for (i, (joint, shape)) in capsules.iter().enumerate() {
            let (ends, radius, reach) = capsule(shape, &format!("capsule {i}"))?;
            of_links = of_links.max(lengths[*joint] + ends[0].length().max(ends[1].length()));
            largest_radius = largest_radius.max(radius);
            let [start, end] = ends.map(|point| (turns[*joint].transpose() * point).to_array());
            let against = pairs.iter().filter_map(|&[a, b]| {
                let (first, second) = (a.min(b), a.max(b));
                (second == i).then_some(1 << first)
            });
            let against = against.fold(0, |bits, bit: u32| bits | bit);
            let (radius_lower, radius_upper) = (reach.lower, reach.upper);
            link_table.push(LinkCapsule { start, end, joint: *joint as u32, radius_lower, radius_upper, against });
        }
        let (mut obstacle_table, mut of_obstacles) = (Vec::new(), 0.0_f64);
        for (i, (shape, pose)) in obstacles.iter().enumerate() {
            let (ends, radius, reach) = capsule(shape, &format!("obstacle {i}"))?;
            let [start, end] = ends.map(|point| pose.transform_point(point));
            let middle = 0.5 * (start + end);
            of_obstacles = of_obstacles.max(start.length().max(end.length()));
            largest_radius = largest_radius.max(radius);
            let rough = |v: DVec3| [v.x as f32, v.y as f32, v.z as f32];
            obstacle_table.push(Obstacle {
                middle: rough(middle),
                extent: up((0.5 * (end - start).length() + f64::from(reach.upper)) * (1.0 + SUM)),
                start: rough(start),
                end: rough(end),
                radius_lower: reach.lower,
                radius_upper: reach.upper,
            });
        }
        let size = of_links + of_links.max(of_obstacles) + 2.0 * largest_radius;
        if !SIZES.contains(&size) {
            return refuse(format!("its size with its obstacles is {size}, but must be in {SIZES:?}"));
        }
        Ok(Self {
            joints: joints.to_vec(),
            capsules: capsules.to_vec(),
            pairs: pairs.to_vec(),
            obstacles: obstacles.to_vec(),
            frames,
            link_table,
            obstacle_table,
            size,
        })
    }

    /// The number of joints, and of angles in a configuration.
    #[must_use]
    pub fn joint_count(&self) -> usize {
        self.joints.len()
    }

    pub(crate) fn margin(&self, margin: f64) -> Reach {
        Reach { lower: down(margin), upper: up(margin) }
    }

    /// The error bound of a test for a margin: a length.
    pub(crate) fn error(&self, margin: f64) -> f32 {
        up(f64::from(ARM_ERROR) * (self.size + margin))
    }

    /// The configurations in a list of angles.
    pub(crate) fn configurations<'a>(&self, angles: &'a [f32]) -> Result<Vec<&'a [f32]>, GpuError> {
        if !angles.len().is_multiple_of(self.joints.len()) {
            return Err(GpuError::Arm(format!("{} angles are no list of {} each", angles.len(), self.joints.len())));
        }
        Ok(angles.chunks(self.joints.len()).collect())
    }

    /// The CPU form of the kernel: what the device proves about each configuration, bit for bit.
    pub fn verdicts(&self, angles: &[f32], margin: f64) -> Result<Vec<u8>, GpuError> {
        self.verdicts_with(1.0, angles, margin)
    }

    /// [`verdicts`](Self::verdicts) with a part of the error bound, for the test that less is wrong.
    #[doc(hidden)]
    pub fn verdicts_with(&self, part: f32, angles: &[f32], margin: f64) -> Result<Vec<u8>, GpuError> {
        let arm = arm::Arm {
            joints: &self.frames,
            capsules: &self.link_table,
            obstacles: &self.obstacle_table,
            margin: self.margin(margin),
            error: part * self.error(margin),
        };
        Ok(Batch::new(&self.configurations(angles)?).map(|angles| arm.verdict(angles)))
    }

    /// The library's answer about one configuration: is anything within the margin?
    pub fn library_within(&self, angles: &[f32], margin: f64) -> Result<bool, GpuError> {
        let mut frames = Vec::with_capacity(self.joints.len());
        let mut frame = Pose::IDENTITY;
        for (joint, &angle) in self.joints.iter().zip(angles) {
            let turn = Pose::from_axis_angle(joint.axis, f64::from(angle));
            frame = frame * joint.origin * turn.map_err(|error| GpuError::Arm(error.to_string()))?;
            frames.push(frame);
        }
        let meets = |a: &Shape, pose_a: Pose, b: &Shape, pose_b: Pose| {
            if margin == 0.0 {
                intersects(a, pose_a, b, pose_b)
            } else {
                within(a, pose_a, b, pose_b, margin).is_some()
            }
        };
        let places: Vec<(&Shape, Pose)> = self.capsules.iter().map(|(joint, shape)| (shape, frames[*joint])).collect();
        let in_world =
            places.iter().any(|&(a, pose_a)| self.obstacles.iter().any(|(b, pose_b)| meets(a, pose_a, b, *pose_b)));
        Ok(in_world || self.pairs.iter().any(|&[i, j]| meets(places[i].0, places[i].1, places[j].0, places[j].1)))
    }
}

/// The ends of a capsule, its radius with its error, and the radius rounded both ways.
fn capsule(shape: &Shape, name: &str) -> Result<([DVec3; 2], f64, Reach), GpuError> {
    match Core::of(shape) {
        Some(Core { points, radius, slack, .. }) if points.len() <= 2 => {
            let ends = [points[0], points[points.len() - 1]];
            let reach = Reach { lower: down((radius - slack).max(0.0)), upper: up(radius + slack) };
            Ok((ends, radius + slack, reach))
        }
        _ => Err(GpuError::Arm(format!("{name} is neither a capsule nor a ball"))),
    }
}
