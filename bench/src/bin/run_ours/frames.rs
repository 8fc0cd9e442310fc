//! The harness's files of frames: simulations that are replayed (`.cds`) and boxes that move (`.cdb`).

use super::cdw::Reader;
use clearance::math::{Aabb, DVec3};
use clearance::{Pose, Shape};

/// Bodies and where they are, frame by frame.
#[derive(Debug)]
pub struct Simulation {
    /// The shape of every body.
    pub shapes: Vec<Shape>,
    /// The pose of every body.
    pub frames: Vec<Vec<Pose>>,
}

/// Bytes of a pose.
const POSE: usize = 12 * 8;

/// Reads a simulation; nothing if it has triangle meshes.
pub fn read_simulation(bytes: &[u8]) -> Result<Simulation, String> {
    let mut reader = Reader::after(bytes, b"CDS1", "a simulation")?;
    let (kinds, is_along_z) = reader.shapes()?;
    let (bodies, frames) = (reader.count()?, reader.count()?);
    reader.check_room(bodies.saturating_mul(4).saturating_add(bodies.saturating_mul(frames).saturating_mul(POSE)))?;
    let (mut shapes, mut turns) = (Vec::new(), Vec::new());
    for body in 0..bodies {
        let kind = reader.count()?;
        let (Some(shape), Some(&turn)) = (kinds.get(kind), is_along_z.get(kind)) else {
            return Err(format!("body {body} names shape {kind}, but there are {}", kinds.len()));
        };
        shapes.push(shape.clone());
        turns.push(turn);
    }
    let mut all = Vec::new();
    for frame in 0..frames {
        let pose = |&turn: &bool| reader.pose(turn).map_err(|error| format!("frame {frame}: {error}"));
        all.push(turns.iter().map(pose).collect::<Result<Vec<Pose>, _>>()?);
    }
    Ok(Simulation { shapes, frames: all })
}

/// Reads boxes, frame by frame.
pub fn read_boxes(bytes: &[u8]) -> Result<Vec<Vec<Aabb>>, String> {
    let mut reader = Reader::after(bytes, b"CDB1", "boxes")?;
    let (boxes, frames) = (reader.count()?, reader.count()?);
    reader.check_room(boxes.saturating_mul(frames.saturating_add(1)).saturating_mul(24))?;
    let halves = (0..boxes).map(|_| reader.vector()).collect::<Result<Vec<DVec3>, _>>()?;
    let mut frame = || -> Result<Vec<Aabb>, String> {
        let bounds = |half: &DVec3| {
            let center = reader.vector()?;
            Ok(Aabb { min: center - *half, max: center + *half })
        };
        halves.iter().map(bounds).collect()
    };
    (0..frames).map(|_| frame()).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn bytes(name: &[u8], head: &[u32], numbers: &[f64]) -> Vec<u8> {
        let mut bytes = name.to_vec();
        head.iter().for_each(|value| bytes.extend(value.to_le_bytes()));
        numbers.iter().for_each(|value| bytes.extend(value.to_le_bytes()));
        bytes
    }

    #[test]
    fn boxes_are_centres_and_half_extents() {
        let numbers = [1.0, 2.0, 3.0, 0.0, 0.0, 0.0, 10.0, 10.0, 10.0];
        let good = bytes(b"CDB1", &[1, 2], &numbers);
        let frames = read_boxes(&good).unwrap();
        assert_eq!(frames[1], [Aabb { min: DVec3::new(9.0, 8.0, 7.0), max: DVec3::new(11.0, 12.0, 13.0) }]);
        for length in 0..good.len() {
            assert!(read_boxes(&good[..length]).is_err(), "cut at {length}");
        }
        assert!(read_boxes(&bytes(b"CDB1", &[u32::MAX, u32::MAX], &[])).unwrap_err().contains("too short"));
    }

    #[test]
    fn a_simulation_has_a_pose_for_every_body_and_frame() {
        // One ball, one body, two frames.
        let mut good = bytes(b"CDS1", &[1, 0, 1], &[2.0]);
        [0_u32, 0, 1, 2, 0].iter().for_each(|value| good.extend(value.to_le_bytes()));
        let pose = [1.0, 0.0, 0.0, 0.0, 1.0, 0.0, 0.0, 0.0, 1.0, 5.0, 6.0, 7.0];
        pose.iter().chain(&pose).for_each(|value: &f64| good.extend(value.to_le_bytes()));
        let simulation = read_simulation(&good).unwrap();
        assert_eq!((simulation.shapes.len(), simulation.frames.len()), (1, 2));
        assert_eq!(simulation.frames[1][0], Pose::from_translation([5.0, 6.0, 7.0]));
        for length in 0..good.len() {
            assert!(read_simulation(&good[..length]).is_err(), "cut at {length}");
        }
    }
}
