//! Worlds of boxes that move, for tests and benches of broad phases.

use crate::{Rng, random};
use clearance::math::{Aabb, DVec3};

/// A change of one slot.
#[derive(Debug, Clone, Copy, PartialEq)]
pub enum Change {
    /// The slot gets this box.
    Set(u32, Aabb),
    /// The slot is emptied.
    Remove(u32),
}

/// The distribution of sizes and places of a world, and the motion of its boxes.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Kind {
    /// Similar sizes, spread evenly, a few percent of their size per frame.
    Random,
    /// Small parts that lie on a table: their heights are crowded together and change all the time (figure 6).
    Clustered,
    /// Sizes from 0.001 to 1000, evenly in orders of magnitude.
    Mixed,
    /// Boxes jump to any place.
    Teleporting,
    /// Few boxes move.
    Static,
    /// Points, flat and touching boxes on a lattice, unbounded, empty and identical ones.
    Degenerate,
}

impl Kind {
    /// All kinds.
    pub const ALL: [Self; 6] =
        [Self::Random, Self::Clustered, Self::Mixed, Self::Teleporting, Self::Static, Self::Degenerate];
}

/// A world that draws its changes frame by frame, with insertions and removals.
#[derive(Debug, Clone)]
pub struct World {
    kind: Kind,
    rng: Rng,
    boxes: Vec<Option<Aabb>>,
    side: f64,
}

impl World {
    /// A world of `slots` slots, of which most are in use at any time.
    #[must_use]
    pub fn new(kind: Kind, slots: usize, seed: u64) -> Self {
        // A few neighbours for each box.
        let side = (slots as f64 * 4.0).cbrt();
        Self { kind, rng: Rng::with_seed(seed), boxes: vec![None; slots], side }
    }

    /// The boxes as they are.
    #[must_use]
    pub fn boxes(&self) -> &[Option<Aabb>] {
        &self.boxes
    }

    fn draw(&mut self) -> Aabb {
        let (rng, side) = (&mut self.rng, self.side);
        let mut place = |scale: DVec3| DVec3::new(rng.f64(), rng.f64(), rng.f64()) * scale;
        match self.kind {
            Kind::Random | Kind::Teleporting | Kind::Static => {
                let min = place(DVec3::splat(side));
                Aabb { min, max: min + DVec3::splat(0.5) + place(DVec3::ONE) }
            }
            Kind::Clustered => {
                let min = place(DVec3::new(side * side.sqrt(), 1e-3, side * side.sqrt()));
                Aabb { min, max: min + DVec3::splat(0.9) + place(DVec3::splat(0.2)) }
            }
            Kind::Mixed => {
                let size = 10f64.powf(random::uniform(rng, -3.0, 3.0));
                let mut place = |scale: DVec3| DVec3::new(rng.f64(), rng.f64(), rng.f64()) * scale;
                let min = place(DVec3::splat(20.0 * side)) - DVec3::splat(10.0 * side);
                Aabb { min, max: min + (DVec3::splat(0.1) + place(DVec3::ONE)) * size }
            }
            Kind::Degenerate => degenerate(rng),
        }
    }

    /// The changes of the next frame, already applied here.
    pub fn frame(&mut self) -> Vec<Change> {
        let mut changes = Vec::new();
        let share = match self.kind {
            Kind::Static => 0.02,
            Kind::Degenerate => 0.2,
            Kind::Teleporting => 0.5,
            _ => 1.0,
        };
        for slot in 0..self.boxes.len() {
            let number = slot as u32;
            match self.boxes[slot] {
                None if self.rng.f64() < 0.2 => {
                    let new = self.draw();
                    self.boxes[slot] = Some(new);
                    changes.push(Change::Set(number, new));
                }
                None => {}
                Some(_) if self.rng.f64() < 0.01 => {
                    self.boxes[slot] = None;
                    changes.push(Change::Remove(number));
                    // Sometimes another body gets the slot at once.
                    if self.rng.f64() < 0.3 {
                        let new = self.draw();
                        self.boxes[slot] = Some(new);
                        changes.push(Change::Set(number, new));
                    }
                }
                Some(old) if self.rng.f64() < share => {
                    let new = match self.kind {
                        Kind::Teleporting | Kind::Degenerate => self.draw(),
                        _ => {
                            let size = (old.max - old.min).max_element();
                            let mut step = random::direction(&mut self.rng) * 0.05 * size;
                            if self.kind == Kind::Clustered {
                                step.y = random::uniform(&mut self.rng, 0.0, 1e-3) - old.min.y;
                            }
                            Aabb { min: old.min + step, max: old.max + step }
                        }
                    };
                    self.boxes[slot] = Some(new);
                    changes.push(Change::Set(number, new));
                }
                Some(_) => {}
            }
        }
        changes
    }
}

/// A box that is difficult for a broad phase.
fn degenerate(rng: &mut Rng) -> Aabb {
    let lattice =
        |rng: &mut Rng| DVec3::new(f64::from(rng.i32(-3..4)), f64::from(rng.i32(-3..4)), f64::from(rng.i32(-3..4)));
    let min = lattice(rng);
    let far = [1e12, 1e35, 1e60, 1e300, f64::MAX];
    match rng.u32(0..16) {
        0 => Aabb { min, max: min },
        1 => Aabb { min, max: min + DVec3::new(1.0, 0.0, 1.0) },
        2 => Aabb { min, max: min + DVec3::new(0.0, 2.0, 0.0) },
        3 => Aabb::EVERYTHING,
        4 => Aabb::EMPTY,
        5 => Aabb { min: min + DVec3::X, max: min },
        6 => Aabb { min: DVec3::splat(f64::NAN), max: min },
        7 => Aabb { min: DVec3::NEG_INFINITY, max: DVec3::new(f64::INFINITY, min.y, f64::INFINITY) },
        8 => Aabb { min: DVec3::INFINITY, max: DVec3::INFINITY },
        9 => {
            // It drifts toward infinity.
            let at = DVec3::splat(far[rng.usize(0..far.len())]);
            Aabb { min: at, max: at * (1.0 + 1e-3) }
        }
        10 => Aabb { min: min * 1e-320, max: (min + DVec3::ONE) * 1e-320 },
        11 => Aabb { min: DVec3::new(-0.0, 0.0, -0.0), max: DVec3::new(0.0, -0.0, 0.0) },
        12 => Aabb { min: DVec3::ZERO, max: DVec3::ONE },
        13 => {
            // It touches the lattice, or misses it by a unit in the last place.
            let max = min + DVec3::ONE;
            Aabb { min, max: DVec3::new(max.x.next_down(), max.y.next_up(), max.z) }
        }
        14 => Aabb { min: -min.abs() * 1e7 - 1.0, max: min.abs() * 1e7 },
        _ => Aabb { min, max: min + DVec3::ONE },
    }
}

/// Boxes of similar size that drift through a cube at constant density and bounce off its walls: the box workload of the measuring harness.
#[derive(Debug, Clone)]
pub struct Drift {
    halves: Vec<DVec3>,
    centers: Vec<DVec3>,
    velocities: Vec<DVec3>,
    side: f64,
}

impl Drift {
    /// `count` boxes, with half sides from 0.25 to 0.75, that fill five percent of the cube.
    #[must_use]
    pub fn new(count: usize, seed: u64) -> Self {
        let mut rng = Rng::with_seed(seed);
        let halves: Vec<DVec3> = (0..count).map(|_| random::vector(&mut rng, 0.25, 0.75)).collect();
        let volume: f64 = halves.iter().map(|h| 8.0 * h.x * h.y * h.z).sum();
        let side = (volume / 0.05).cbrt();
        let centers = (0..count).map(|_| random::vector(&mut rng, 0.0, side)).collect();
        let velocities = (0..count).map(|_| random::direction(&mut rng) * 0.05).collect();
        Self { halves, centers, velocities, side }
    }

    /// The box of a body.
    #[must_use]
    pub fn bounds(&self, body: usize) -> Aabb {
        Aabb { min: self.centers[body] - self.halves[body], max: self.centers[body] + self.halves[body] }
    }

    /// Moves one body on by a frame.
    pub fn step(&mut self, body: usize) {
        let (center, velocity) = (&mut self.centers[body], &mut self.velocities[body]);
        *center += *velocity;
        for axis in 0..3 {
            if center[axis] < 0.0 || center[axis] > self.side {
                velocity[axis] = -velocity[axis];
                center[axis] = if center[axis] < 0.0 { -center[axis] } else { 2.0 * self.side - center[axis] };
            }
        }
    }
}
