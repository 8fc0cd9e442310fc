//! Recordings: the poses of all bodies at even times, as lines of JSON.
//!
//! The first line is the head: `{"format":"clearance-recording/1","bodies":[NAME, …],"rate":FRAMES_PER_SECOND}`. Each further line is a frame,
//! `{"time":T,"poses":[[BODY, X, Y, Z, QX, QY, QZ, QW], …]}`, with the bodies that have moved since the frame before; the first frame has all of them. Numbers are
//! written so that they are read as the same bits.

use crate::{Error, Simulation};
use clearance::math::{DQuat, DVec3};
use clearance::{Motion, Pose};
use serde::{Deserialize, Serialize};
use std::io::{self, BufRead, Write};

const FORMAT: &str = "clearance-recording/1";

/// Bodies and frames of a recording that is read, at most. Limit: 64 bytes for each pose, 64 GB in all.
const MOST_POSES: usize = 1 << 30;

/// The poses of the bodies of a simulation over time.
///
/// ```
/// use clearance_sim::{Recording, Settings, Simulation, scenes};
///
/// let mut simulation = Simulation::new(&scenes::bullet(), Settings::default())?;
/// let mut recording = Recording::new(&simulation, 60.0)?;
/// for frame in 1..=12 {
///     simulation.advance(f64::from(frame) / 60.0)?;
///     recording.add(&simulation);
/// }
/// let mut file = Vec::new();
/// recording.write(&mut file)?;
/// let read = Recording::read(&file[..])?;
/// assert_eq!(read, recording);
/// assert!((read.motion(0)?.pose(0.1).translation().x + 10.0).abs() < 1e-9);
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Debug, Clone, PartialEq)]
pub struct Recording {
    /// The names of the bodies.
    pub bodies: Vec<String>,
    /// Frames per second.
    pub rate: f64,
    /// The frames in the order of time.
    pub frames: Vec<Frame>,
}

/// The bodies that have moved since the frame before.
#[derive(Debug, Clone, PartialEq)]
pub struct Frame {
    /// When.
    pub time: f64,
    /// Numbers of bodies with their poses.
    pub moved: Vec<(usize, Pose)>,
}

#[derive(Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
struct Head {
    format: String,
    bodies: Vec<String>,
    rate: f64,
}

/// The number of a body, its translation and its rotation.
type Row = (usize, f64, f64, f64, f64, f64, f64, f64);

#[derive(Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
struct Line {
    time: f64,
    poses: Vec<Row>,
}

impl Recording {
    /// A recording whose first frame is the simulation now.
    pub fn new(simulation: &Simulation, rate: f64) -> Result<Self, Error> {
        if !(rate > 0.0 && rate.is_finite()) {
            return Err(Error::Input(format!("the frame rate is {rate}, but must be a positive number")));
        }
        let bodies = simulation.scene().bodies.iter().map(|body| body.name.clone()).collect();
        let mut recording = Self { bodies, rate, frames: Vec::new() };
        recording.add(simulation);
        Ok(recording)
    }

    /// Adds a frame: the simulation now.
    pub fn add(&mut self, simulation: &Simulation) {
        let all = (0..self.bodies.len()).map(|body| (body, simulation.pose(body)));
        let moved = all.filter(|&(body, pose)| self.last(body) != Some(pose)).collect();
        self.frames.push(Frame { time: simulation.time(), moved });
    }

    fn last(&self, body: usize) -> Option<Pose> {
        let of = |frame: &Frame| frame.moved.iter().find(|(number, _)| *number == body).map(|(_, pose)| *pose);
        self.frames.iter().rev().find_map(of)
    }

    /// The poses of a body: straight and by the shortest rotation from frame to frame.
    pub fn motion(&self, body: usize) -> Result<Motion, Error> {
        Ok(Motion::key_frames(&self.keys(body))?)
    }

    /// The times and poses of a body; two of the same pose stand at the ends of a rest.
    #[must_use]
    pub fn keys(&self, body: usize) -> Vec<(f64, Pose)> {
        let mut keys: Vec<(f64, Pose)> = Vec::new();
        let mut before = None;
        for Frame { time, moved } in &self.frames {
            if let Some((_, pose)) = moved.iter().find(|(number, _)| *number == body) {
                if let (Some(rest), Some(&(last, pose))) = (before, keys.last())
                    && rest > last
                {
                    keys.push((rest, pose));
                }
                keys.push((*time, *pose));
            }
            before = Some(*time);
        }
        keys
    }

    /// Writes the recording.
    pub fn write(&self, out: &mut impl Write) -> io::Result<()> {
        let Self { bodies, rate, frames } = self;
        serde_json::to_writer(&mut *out, &Head { format: FORMAT.into(), bodies: bodies.clone(), rate: *rate })?;
        for Frame { time, moved } in frames {
            writeln!(out)?;
            let row = |(body, pose): &(usize, Pose)| {
                let ([x, y, z], [i, j, k, w]) = (pose.translation().to_array(), pose.rotation().to_array());
                (*body, x, y, z, i, j, k, w)
            };
            serde_json::to_writer(&mut *out, &Line { time: *time, poses: moved.iter().map(row).collect() })?;
        }
        writeln!(out)
    }

    /// Reads a recording. The error is one sentence with the number of the line.
    pub fn read(file: impl BufRead) -> Result<Self, Error> {
        let fault = |number: usize, why: String| Error::File(format!("line {number} of the recording: {why}"));
        let (mut head, mut frames, mut count): (Option<Head>, Vec<Frame>, usize) = (None, Vec::new(), 0);
        for (number, line) in (1..).zip(file.lines()) {
            let line = line.map_err(|error| fault(number, error.to_string()))?;
            let Some(head) = &head else {
                let found: Head = serde_json::from_str(&line).map_err(|error| fault(number, error.to_string()))?;
                if found.format != FORMAT {
                    return Err(fault(
                        number,
                        format!("format is {:?}, but only {FORMAT:?} can be read", found.format),
                    ));
                }
                head = Some(found);
                continue;
            };
            let Line { time, poses } = serde_json::from_str(&line).map_err(|error| fault(number, error.to_string()))?;
            if frames.last().is_some_and(|frame| frame.time >= time) {
                return Err(fault(number, format!("time is {time}, but must be later than that of the line before")));
            }
            count += poses.len();
            if count > MOST_POSES {
                return Err(fault(number, format!("there are more than {MOST_POSES} poses")));
            }
            let pose = |(body, x, y, z, i, j, k, w): Row| {
                if body >= head.bodies.len() {
                    return Err(fault(number, format!("body {body} has no name in the first line")));
                }
                let pose = Pose::try_new(DVec3::new(x, y, z), DQuat::from_xyzw(i, j, k, w));
                Ok((body, pose.map_err(|error| fault(number, error.to_string()))?))
            };
            let moved: Vec<(usize, Pose)> = poses.into_iter().map(pose).collect::<Result<_, _>>()?;
            if frames.is_empty() && moved.len() != head.bodies.len() {
                return Err(fault(number, "the first frame must have the poses of all bodies".into()));
            }
            frames.push(Frame { time, moved });
        }
        let Head { bodies, rate, .. } = head.ok_or_else(|| fault(1, "the file is empty".into()))?;
        Ok(Self { bodies, rate, frames })
    }
}
