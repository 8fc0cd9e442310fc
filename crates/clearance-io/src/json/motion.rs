//! How a body moves. Scenes and queries carry it; it is checked here and kept as data for those who ask about time.

use super::pose::PoseFields;
use super::{Fields, List, Number, Object, Reader, Vector, bounded, required};
use clearance::math::DVec3;
use clearance::{BuildError, Pose};
use serde::de::{Error, MapAccess};

/// The motion of a body from its pose on, which is that at time zero.
///
/// Angular velocities are in the world frame, in radians per second, about the center: a point of the body, in its own frame, whose
/// velocity and acceleration are the given ones. It is the body's origin if a file leaves it out.
#[derive(Debug, Clone, PartialEq, Default)]
pub enum Motion {
    /// The body stays where it is.
    #[default]
    Fixed,
    /// The body moves with constant velocities; what a file leaves out is zero.
    Linear {
        /// Length per second.
        velocity: DVec3,
        /// Radians per second.
        angular_velocity: DVec3,
        /// The point of the body that it turns about.
        center: DVec3,
    },
    /// The body flies freely; what a file leaves out is zero.
    Ballistic {
        /// Length per second, at the start.
        velocity: DVec3,
        /// Radians per second.
        angular_velocity: DVec3,
        /// The point of the body that it turns about.
        center: DVec3,
        /// Length per second squared.
        gravity: DVec3,
    },
    /// The body goes from pose to pose: straight, and by the shortest rotation at constant rate. Before the first and after the last it
    /// rests. Never empty, and the times increase. Key frames are places in the world: the pose of the body is of no matter to them.
    Keyframes(Vec<Keyframe>),
}

impl Motion {
    /// The motion of a body that has that pose at time zero, for the library. A field that was read is not refused.
    pub fn of_pose(&self, pose: Pose) -> Result<clearance::Motion, BuildError> {
        match *self {
            Self::Fixed => Ok(clearance::Motion::fixed(pose)),
            Self::Linear { velocity, angular_velocity, center } => {
                about(clearance::Motion::linear(pose, velocity, angular_velocity)?, center)
            }
            Self::Ballistic { velocity, angular_velocity, center, gravity } => {
                about(clearance::Motion::ballistic(pose, velocity, angular_velocity, gravity)?, center)
            }
            Self::Keyframes(ref frames) => {
                let frames: Vec<(f64, Pose)> = frames.iter().map(|frame| (frame.time, frame.pose)).collect();
                clearance::Motion::key_frames(&frames)
            }
        }
    }

    /// Where key frames have a body at time zero; nothing for other motions, which begin at its pose.
    #[must_use]
    pub fn start(&self) -> Option<Pose> {
        matches!(self, Self::Keyframes(_)).then(|| Some(self.of_pose(Pose::IDENTITY).ok()?.pose(0.0)))?
    }
}

/// A center of zero is the origin itself, and rounds nothing.
fn about(motion: clearance::Motion, center: DVec3) -> Result<clearance::Motion, BuildError> {
    if center == DVec3::ZERO { Ok(motion) } else { motion.about(center) }
}

/// Where a body is at one time.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Keyframe {
    /// In seconds.
    pub time: f64,
    /// The pose at that time.
    pub pose: Pose,
    /// Its rotation x, y, z, w for evidence: of any length, as it was written, if that was kept.
    pub rotation: [f64; 4],
}

impl Keyframe {
    /// A key frame that nobody has written.
    #[must_use]
    pub fn new(time: f64, pose: Pose) -> Self {
        Self { time, pose, rotation: pose.rotation().to_array() }
    }
}

/// The fields of a motion, of which there is exactly one.
#[derive(Default)]
pub(crate) struct MotionFields(Option<Motion>);

impl Fields for MotionFields {
    type Output = Motion;
    const WHAT: &'static str = "motion";
    const NAMES: &'static [&'static str] = &["fixed", "linear", "ballistic", "keyframes"];

    fn read<'de, A: MapAccess<'de>>(&mut self, reader: &Reader, field: usize, map: &mut A) -> Result<(), A::Error> {
        if self.0.is_some() {
            return Err(reader.fail(format!("{} is a second kind of motion; keep one", reader.name("motion"))));
        }
        self.0 = Some(match field {
            0 => map.next_value_seed(Object::<FixedFields>::new(reader))?,
            1 => {
                let MotionVectors::<3>([velocity, angular_velocity, center]) =
                    map.next_value_seed(Object::<MotionVectors<3>>::new(reader))?;
                Motion::Linear { velocity, angular_velocity, center }
            }
            2 => {
                let MotionVectors::<4>([velocity, angular_velocity, center, gravity]) =
                    map.next_value_seed(Object::<MotionVectors<4>>::new(reader))?;
                Motion::Ballistic { velocity, angular_velocity, center, gravity }
            }
            3 => {
                let item = Object::<KeyframeFields>::new(reader);
                let frames = map.next_value_seed(List { reader, item, of: "key frames" })?;
                check_frames(reader, &frames)?;
                let motion = Motion::Keyframes(frames);
                motion.of_pose(Pose::IDENTITY).map_err(|error| {
                    let name = reader.name("motion");
                    reader.fail(error.to_string().replacen("key_frames", &name, 1))
                })?;
                motion
            }
            _ => return Err(Self::unread(reader, field)),
        });
        Ok(())
    }

    fn finish<E: Error>(self, reader: &Reader) -> Result<Motion, E> {
        self.0.ok_or_else(|| {
            let kinds = Self::NAMES.join(", ");
            reader.fail(format!("{} is empty; a motion is one of {kinds}", reader.name("motion")))
        })
    }
}

fn check_frames<E: Error>(reader: &Reader, frames: &[Keyframe]) -> Result<(), E> {
    let name = reader.name("motion");
    if frames.is_empty() {
        return Err(reader.fail(format!("{name} is empty, but needs at least one entry")));
    }
    match frames.windows(2).position(|pair| pair[0].time >= pair[1].time) {
        None => Ok(()),
        Some(index) => {
            let (before, after) = (frames[index].time, frames[index + 1].time);
            let next = index + 1;
            let message = format!(
                "{name}[{next}].time is {after}, but the frame before is at {before}; sort the key frames by time"
            );
            Err(reader.fail(message))
        }
    }
}

#[derive(Default)]
struct FixedFields;

impl Fields for FixedFields {
    type Output = Motion;
    const WHAT: &'static str = "fixed motion";
    const NAMES: &'static [&'static str] = &[];

    fn read<'de, A: MapAccess<'de>>(&mut self, _: &Reader, _: usize, _: &mut A) -> Result<(), A::Error> {
        Ok(())
    }

    fn finish<E: Error>(self, _: &Reader) -> Result<Motion, E> {
        Ok(Motion::Fixed)
    }
}

/// The first `N` of velocity, angular velocity, center and gravity.
struct MotionVectors<const N: usize>([DVec3; N]);

impl<const N: usize> Default for MotionVectors<N> {
    fn default() -> Self {
        Self([DVec3::ZERO; N])
    }
}

const VECTORS: [&str; 4] = ["velocity", "angular_velocity", "center", "gravity"];

impl<const N: usize> Fields for MotionVectors<N> {
    type Output = Self;
    const WHAT: &'static str = "motion";
    const NAMES: &'static [&'static str] = VECTORS.split_at(N).0;

    fn read<'de, A: MapAccess<'de>>(&mut self, reader: &Reader, field: usize, map: &mut A) -> Result<(), A::Error> {
        let value = map.next_value_seed(Vector(reader))?;
        // A pose's own check refuses what cannot be computed with; a velocity has the same bounds.
        Pose::try_new(value, Default::default()).map_err(|error| {
            let name = reader.name("motion");
            reader.fail(error.to_string().replacen("translation", &name, 1))
        })?;
        self.0[field] = value;
        Ok(())
    }

    fn finish<E: Error>(self, _: &Reader) -> Result<Self, E> {
        Ok(self)
    }
}

#[derive(Default)]
struct KeyframeFields {
    time: Option<f64>,
    pose: Option<Pose>,
    rotation: Option<[f64; 4]>,
}

impl Fields for KeyframeFields {
    type Output = Keyframe;
    const WHAT: &'static str = "key frame";
    const NAMES: &'static [&'static str] = &["time", "pose"];

    fn read<'de, A: MapAccess<'de>>(&mut self, reader: &Reader, field: usize, map: &mut A) -> Result<(), A::Error> {
        match field {
            0 => self.time = Some(bounded(reader, map.next_value_seed(Number)?)?),
            1 => {
                self.pose = Some(map.next_value_seed(Object::<PoseFields>::new(reader))?);
                self.rotation = reader.noted_pose().map(|pose| pose.rotation);
            }
            _ => return Err(Self::unread(reader, field)),
        }
        Ok(())
    }

    fn finish<E: Error>(self, reader: &Reader) -> Result<Keyframe, E> {
        let time = required(reader, Self::WHAT, "time", self.time)?;
        let frame = Keyframe::new(time, self.pose.unwrap_or_default());
        Ok(Keyframe { rotation: self.rotation.unwrap_or(frame.rotation), ..frame })
    }
}
