//! Figures 9 and 10: glyphs that fall down funnels and ramps, and digits that interlock in a bowl, in penalty mode of `clearance-sim` (section 7: forces along the
//! global depth, times of collision by the cubic).
//!
//! The paper prints numbers of bodies, triangles and pieces, and the time of a frame at 30 frames per second. Sizes, materials and places are our own: glyphs are eight times as high as thick, and 0.8 m high. Lengths below are in thicknesses of a glyph.

use super::glyphs::{bowl, filleted_glyph, revolved};
use super::image_space::ImageBody;
use crate::row::{Row, Table, Verdict};
use crate::{Effort, timed};
use clearance::depth::{DepthBudget, depth};
use clearance::internals::decompose::Children;
use clearance::math::{DQuat, DVec3};
use clearance::shape::Polytope;
use clearance::{BuildError, Pose, Shape, distance, intersects};
use clearance_lab::meshes::{GLYPHS, Model};
use clearance_lab::{Rng, random};
use clearance_sim::{Body, Mass, Material, Mode, Scene, Settings, Simulation};
use std::collections::BTreeMap;
use std::sync::Arc;

/// Metres per thickness of a glyph. Layout: the paper prints no sizes.
const UNIT: f64 = 0.1;

/// Of funnels: the radius of the throat, and how far a wall rises. Layout.
const THROAT: f64 = 12.0;
const SLOPE: f64 = 0.7;

/// Frames per second, as in the paper.
const RATE: f64 = 30.0;

/// Beyond the depth, a translation frees for certain.
const BEYOND: f64 = 1.0 + 1e-9;

const SURFACE: Material = Material { friction: 0.2, restitution: 0.1, rolling_resistance: 0.0 };

/// A solid, and the convex pieces of its surface.
#[derive(Debug, Clone)]
struct Solid {
    shape: Shape,
    triangles: usize,
    pieces: Vec<Shape>,
}

impl Solid {
    fn new(model: &Model) -> Self {
        let mesh = Arc::new(model.mesh());
        let body = ImageBody::of_surface(&mesh).expect("plain coordinates");
        let leaf = |hull: &Arc<Polytope>| Shape::Polytope(Arc::clone(hull));
        let leaves = body.tree().nodes().iter().filter(|node| matches!(node.below, Children::Piece(_)));
        let pieces = leaves.map(|node| leaf(&node.hull)).collect();
        Self { triangles: mesh.triangles().len(), shape: Shape::Mesh(mesh), pieces }
    }
}

/// The glyphs of a scene, by letter.
fn glyphs(letters: impl Iterator<Item = char>) -> BTreeMap<char, Solid> {
    let solid = |letter| Solid::new(&filleted_glyph(letter).map(|vertex| vertex * UNIT));
    letters.map(|letter| (letter, solid(letter))).collect()
}

/// A scene, and the solids of its moving bodies.
struct Setup {
    scene: Scene,
    glyphs: BTreeMap<char, Solid>,
    /// The letter of each moving body, and its number in the scene.
    moving: Vec<(char, usize)>,
}

impl Setup {
    fn new(letters: impl Iterator<Item = char>) -> Self {
        Self { scene: Scene::new([0.0, -9.81, 0.0]), glyphs: glyphs(letters), moving: Vec::new() }
    }

    fn fix(&mut self, name: &str, shape: Shape, at: DVec3, turn: DQuat) {
        self.scene.add(Body::fixed(name, shape, Pose::new(at * UNIT, turn)).material(SURFACE));
    }

    fn drop(&mut self, letter: char, at: DVec3, turn: DQuat) {
        let pose = Pose::new(at * UNIT, turn);
        let name = format!("{letter} {}", self.moving.len());
        let body = Body::new(name, self.glyphs[&letter].shape.clone(), pose, Mass::Density(600.0));
        let number = self.scene.add(body.material(SURFACE));
        self.moving.push((letter, number));
    }

    /// The mean over the moving bodies.
    fn mean(&self, of: impl Fn(&Solid) -> usize) -> f64 {
        self.moving.iter().map(|(letter, _)| of(&self.glyphs[letter]) as f64).sum::<f64>() / self.moving.len() as f64
    }
}

fn meshed(model: &Model) -> Shape {
    Shape::Mesh(Arc::new(model.mesh()))
}

/// Figure 9: glyphs over an upper funnel, a ramp, a lower funnel, another ramp, and a floor.
fn funnels_and_ramps(count: usize) -> Result<Setup, BuildError> {
    let mut setup = Setup::new(GLYPHS.chars());
    setup.fix("floor", Shape::half_space([0.0, 1.0, 0.0], 0.0)?, DVec3::ZERO, DQuat::IDENTITY);
    // Throats are wider than a glyph is high, and walls rise by 35 degrees.
    let funnel = |mouth: f64| {
        let rise = SLOPE * (mouth - THROAT);
        let profile = [[THROAT, 0.0], [THROAT + 1.0, 0.0], [mouth + 1.0, rise], [mouth, rise + 1.0]];
        meshed(&revolved(&profile, 24).map(|vertex| vertex * UNIT))
    };
    setup.fix("upper funnel", funnel(37.0), DVec3::new(0.0, 85.0, 0.0), DQuat::IDENTITY);
    setup.fix("lower funnel", funnel(30.0), DVec3::new(35.0, 30.0, 0.0), DQuat::IDENTITY);
    let half = DVec3::new(25.0, 0.75, 17.5) * UNIT;
    for (name, at, degrees) in [("upper ramp", [10.0, 65.0, 0.0], 25.0_f64), ("lower ramp", [25.0, 12.5, 0.0], -20.0)] {
        setup.fix(name, Shape::cuboid(half)?, at.into(), DQuat::from_rotation_z(-degrees.to_radians()));
    }
    let mut rng = Rng::with_seed(9);
    // Layers of 21: a grid of five by five without its corners.
    let places = (0..25).filter(|place| ![0, 4, 20, 24].contains(place));
    let places: Vec<[f64; 2]> = places.map(|place| [f64::from(place % 5), f64::from(place / 5)]).collect();
    for (number, letter) in (0..count).zip(GLYPHS.chars().cycle()) {
        let [x, z] = places[number % places.len()].map(|at| 12.0 * (at - 2.0));
        // A glyph about its middle is 5.1 in radius; it begins just above the wall.
        let y = 85.0 + SLOPE * f64::max(x.hypot(z) - THROAT, 0.0) + 7.0 + 11.0 * (number / places.len()) as f64;
        setup.drop(letter, DVec3::new(x, y, z), random::rotation(&mut rng));
    }
    Ok(setup)
}

/// Figure 10: ten digits over a bowl.
fn digits_in_a_bowl() -> Result<Setup, BuildError> {
    let mut setup = Setup::new('0'..='9');
    setup.fix("table", Shape::half_space([0.0, 1.0, 0.0], 0.0)?, DVec3::ZERO, DQuat::IDENTITY);
    setup.fix("bowl", meshed(&bowl(12.0 * UNIT, UNIT)), DVec3::ZERO, DQuat::IDENTITY);
    let mut rng = Rng::with_seed(10);
    for (number, letter) in ('0'..='9').enumerate() {
        let side = if number % 2 == 0 { -5.2 } else { 5.2 };
        let layer = (number / 2) as f64;
        let [x, z] = if number / 2 % 2 == 0 { [side, 0.0] } else { [0.0, side] };
        setup.drop(letter, DVec3::new(x, 10.0 + 8.0 * layer, z), random::rotation(&mut rng));
    }
    Ok(setup)
}

/// A run, frame by frame.
#[derive(Debug, Clone, Default)]
struct Run {
    /// Seconds of processor time of each frame.
    seconds: Vec<f64>,
    /// The deepest overlap of any two bodies at the end of a frame.
    deepest: f64,
    contacts: u64,
    /// The sentence of the simulation, if it gave up.
    failure: Option<String>,
}

impl Run {
    fn most(&self) -> f64 {
        self.seconds.iter().copied().fold(0.0, f64::max)
    }

    fn mean(&self) -> f64 {
        self.seconds.iter().sum::<f64>() / self.seconds.len().max(1) as f64
    }
}

fn run(setup: &Setup, frames: u32, mut at: impl FnMut(u32, &Simulation)) -> Run {
    let settings = Settings { mode: Mode::Penalty, rate: Some(RATE), ..Settings::default() };
    let mut found = Run::default();
    let mut simulation = match Simulation::new(&setup.scene, settings) {
        Ok(simulation) => simulation,
        Err(error) => return Run { failure: Some(error.to_string()), ..found },
    };
    for frame in 1..=frames {
        let (moved, seconds) = timed(|| simulation.advance(f64::from(frame) / RATE));
        found.seconds.push(seconds);
        if let Err(error) = moved {
            found.failure = Some(error.to_string());
            break;
        }
        found.deepest = found.deepest.max(simulation.measure());
        at(frame, &simulation);
    }
    found.contacts = simulation.events();
    found
}

/// The ways out of overlapping pairs of bodies.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
struct Escapes {
    /// Pairs that overlap at the end of a frame.
    pairs: u64,
    /// Pairs that the shortest translation of the deepest pair of pieces leaves in overlap, or whose pieces do not overlap at all.
    local_fails: u64,
    /// Pairs that the global translation leaves in overlap.
    global_fails: u64,
    /// Pairs whose hulls overlap by more than a glyph is thick: one is in a bay or a hole of the other.
    interlocked: u64,
}

impl Escapes {
    /// Two solids at their poses.
    fn look(&mut self, solids: [&Solid; 2], hulls: [&Shape; 2], poses: [Pose; 2]) {
        let [a, b] = solids;
        self.interlocked += u64::from(distance(hulls[0], poses[0], hulls[1], poses[1]).distance < -UNIT);
        if !intersects(&a.shape, poses[0], &b.shape, poses[1]) {
            return;
        }
        self.pairs += 1;
        let is_free = |by: DVec3| {
            let moved = Pose::new(poses[0].translation() + by, poses[0].rotation());
            !intersects(&a.shape, moved, &b.shape, poses[1])
        };
        let boxes: Vec<_> = b.pieces.iter().map(|piece| piece.aabb(&poses[1])).collect();
        let near = a.pieces.iter().flat_map(|p| {
            let around = p.aabb(&poses[0]);
            let close = b.pieces.iter().zip(&boxes).filter(move |(_, other)| around.overlaps(other));
            close.map(move |(q, _)| distance(p, poses[0], q, poses[1]))
        });
        let deepest = near.min_by(|p, q| p.distance.total_cmp(&q.distance)).filter(|found| found.distance <= 0.0);
        let is_local_free = deepest.is_some_and(|found| is_free(found.normal * found.distance * BEYOND));
        self.local_fails += u64::from(!is_local_free);
        let budget = DepthBudget { width: 1e-4 * UNIT, ..DepthBudget::default() };
        let global = depth(&a.shape, poses[0], &b.shape, poses[1], budget).translation;
        self.global_fails += u64::from(!is_free(global));
    }
}

/// "Geometric models of 200 letters and digits fall along a structure consisted of multiple funnels and ramps. The letters and digits have an average complexity of 250 triangles in their
/// boundary surface, which is decomposed into roughly 60 convex pieces. Each frame (at 30fps) ... takes about two minutes" (section 7.2). The rule: 200 bodies, 250 triangles to a fifth and 60 pieces to a half on average,
/// at least two funnels and two ramps. Every frame is computed, in two minutes or less. No body sinks into another by half of its thickness, from where on it could pass through.
pub(super) fn letters(effort: Effort) -> Vec<Row> {
    let setup = funnels_and_ramps(200).expect("plain shapes");
    let found = run(&setup, effort.pick(6, 12), |_, _| {});
    let (triangles, pieces) = (setup.mean(|solid| solid.triangles), setup.mean(|solid| solid.pieces.len()));
    let is_scene = setup.moving.len() == 200 && (200.0..=300.0).contains(&triangles) && (40.0..=90.0).contains(&pieces);
    let runs = found.failure.is_none() && found.contacts > 0 && found.deepest < 0.5 * UNIT;
    let mut table = Table::new("frames", &["frame", "time (s)"]);
    for (frame, seconds) in (1_u32..).zip(&found.seconds) {
        table.push(vec![f64::from(frame).into(), (*seconds).into()]);
    }
    vec![Row::new(
        "P12",
        Verdict::of(is_scene && runs && found.most() <= 120.0, runs),
        "Glyphs of our own with fillets, two funnels and two ramps, in penalty mode of `clearance-sim`. The rule: bodies, triangles and pieces as the paper has them, no frame takes longer than its two minutes, and no body \
         sinks into another by half of its thickness.",
    )
    .value("letters and digits", setup.moving.len() as f64, "")
    .value("triangles of each, on average", triangles, "")
    .value("convex pieces of each, on average", pieces, "")
    .value("frames", found.seconds.len() as f64, "")
    .value("contacts", found.contacts as f64, "")
    .value("deepest overlap, in thicknesses of a glyph", found.deepest / UNIT, "")
    .time("time of a frame, most", found.most(), "s")
    .time("time of a frame, on average", found.mean(), "s")
    .figure(table.figure("200 letters and digits: time of a frame", 0, &[1], "seconds", [false, false]))
    .table(table)]
}

/// "10 digits interact with each other and with a bowl ... average complexity of 250 triangles. The bowl consists of 176 triangles and its surface is decomposed into roughly 65 convex pieces. Some
/// of the digits come into an interlocking position ... Each frame of this simulation takes about 18 seconds" (section 7.2); "local approximations to the PD fail to report consistent or correct outputs for many pairs of
/// digits" (7.1). The rule: the bodies as printed, to the parts of P12; every frame in 18 seconds or less; some pairs interlock; the local way out leaves some pair in overlap, the global one none.
pub(super) fn digits(effort: Effort) -> Vec<Row> {
    let setup = digits_in_a_bowl().expect("plain shapes");
    let bowl = Solid::new(&bowl(12.0 * UNIT, UNIT));
    let hulls: Vec<Shape> = setup
        .moving
        .iter()
        .map(|(letter, _)| {
            Shape::hull(setup.glyphs[letter].shape.as_mesh().expect("a mesh").vertices()).expect("points")
        })
        .collect();
    let mut table = Table::new("frames", &["frame", "overlapping pairs", "local way out fails", "interlocked pairs"]);
    let mut sum = Escapes::default();
    let found = run(&setup, effort.pick(12, 24), |frame, simulation| {
        let mut now = Escapes::default();
        for (i, (p, a)) in setup.moving.iter().enumerate() {
            for (j, (q, b)) in setup.moving.iter().enumerate().skip(i + 1) {
                let poses = [a, b].map(|&body| simulation.pose(body));
                now.look([&setup.glyphs[p], &setup.glyphs[q]], [&hulls[i], &hulls[j]], poses);
            }
        }
        let row = [f64::from(frame), now.pairs as f64, now.local_fails as f64, now.interlocked as f64];
        table.push(row.map(Into::into).to_vec());
        sum.pairs += now.pairs;
        sum.local_fails += now.local_fails;
        sum.global_fails += now.global_fails;
        sum.interlocked = sum.interlocked.max(now.interlocked);
    });
    let (triangles, pieces) = (setup.mean(|solid| solid.triangles), setup.mean(|solid| solid.pieces.len()));
    let is_scene = (200.0..=300.0).contains(&triangles)
        && bowl.triangles == 176
        && (43.0..=98.0).contains(&(bowl.pieces.len() as f64));
    let runs = found.failure.is_none() && found.contacts > 0 && sum.global_fails == 0 && found.deepest < 0.5 * UNIT;
    vec![Row::new(
        "P13",
        Verdict::of(is_scene && runs && found.most() <= 18.0 && sum.local_fails > 0 && sum.interlocked > 0, runs),
        &format!(
            "In penalty mode of `clearance-sim`; places are our own. The local way out is the shortest translation of the deepest pair of convex pieces, as for P10. The rule: triangles and pieces as the paper has them, no \
             frame takes longer than its 18 seconds, digits interlock, the local way out fails for some pairs and the global one for none.{}",
            if sum.interlocked == 0 { " In these frames digits fall into the bowl, and do not interlock yet." } else { "" }
        ),
    )
    .value("digits", setup.moving.len() as f64, "")
    .value("triangles of each, on average", triangles, "")
    .value("convex pieces of each, on average", pieces, "")
    .value("triangles of the bowl", bowl.triangles as f64, "")
    .value("convex pieces of the bowl", bowl.pieces.len() as f64, "")
    .value("frames", found.seconds.len() as f64, "")
    .value("pairs of digits that overlap, over all frames", sum.pairs as f64, "")
    .value("of them still in overlap after the local way out", sum.local_fails as f64, "")
    .value("of them still in overlap after the global one", sum.global_fails as f64, "")
    .value("most interlocked pairs in a frame", sum.interlocked as f64, "")
    .value("contacts", found.contacts as f64, "")
    .value("deepest overlap, in thicknesses of a digit", found.deepest / UNIT, "")
    .time("time of a frame, most", found.most(), "s")
    .time("time of a frame, on average", found.mean(), "s")
    .figure(table.figure("Ten digits in a bowl", 0, &[1, 2, 3], "pairs", [false, false]))
    .table(table)]
}
