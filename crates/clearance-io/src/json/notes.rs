//! The input as written, noted while it is read: the numbers of the text, before the library converts them.
//!
//! A shape or a pose leaves its note when it has been read to its end, and whoever read it as a field takes the note at once. So there is
//! never more than one of each, but for the parts of compounds that are still open.

use super::Reader;
use clearance_verify::{Part, Pose, Shape};
use std::cell::RefCell;

/// Notes that nobody has taken yet.
#[derive(Default)]
pub(crate) struct Notes {
    shape: RefCell<Option<Shape>>,
    pose: RefCell<Option<Pose>>,
    parts: RefCell<Vec<Part>>,
}

impl Reader<'_> {
    /// Notes a shape that was read, if notes are kept.
    pub fn note_shape(&self, shape: impl FnOnce() -> Option<Shape>) {
        if let Some(notes) = &self.notes {
            *notes.shape.borrow_mut() = shape();
        }
    }

    /// Takes the note of the shape that was just read.
    pub fn noted_shape(&self) -> Option<Shape> {
        self.notes.as_ref()?.shape.borrow_mut().take()
    }

    /// Notes a pose that was read.
    pub fn note_pose(&self, pose: impl FnOnce() -> Pose) {
        if let Some(notes) = &self.notes {
            *notes.pose.borrow_mut() = Some(pose());
        }
    }

    /// Takes the note of the pose that was just read.
    pub fn noted_pose(&self) -> Option<Pose> {
        self.notes.as_ref()?.pose.borrow_mut().take()
    }

    /// Notes a part of a compound that is not read to its end yet.
    pub fn note_part(&self, part: Option<Part>) {
        if let (Some(notes), Some(part)) = (&self.notes, part) {
            notes.parts.borrow_mut().push(part);
        }
    }

    /// How many parts are noted; those from there on belong to the compound that begins now.
    pub fn noted_parts(&self) -> usize {
        self.notes.as_ref().map_or(0, |notes| notes.parts.borrow().len())
    }

    /// Takes the parts of a compound that began when there were `mark`.
    pub fn take_parts(&self, mark: usize) -> Vec<Part> {
        self.notes.as_ref().map_or_else(Vec::new, |notes| notes.parts.borrow_mut().split_off(mark))
    }
}
