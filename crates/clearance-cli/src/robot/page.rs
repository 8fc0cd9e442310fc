//! The page about a robot: its links at the configuration, or the path with a plot of the clearance.

use super::{Asked, Checked};
use crate::args::CheckArgs;
use crate::check::page::title;
use crate::output::cannot_write;
use crate::replace::Replacement;
use crate::report::{self, Finding, Plot, Summary};
use clearance::{Pose, Shape, Status};
use clearance_io::{
    Body, CheckedPair, ImpactOfPair, Keyframe, Motion, Scene, Unit, Witness, WrittenApproach, WrittenHit,
};
use clearance_robot::{Edge, Part};
use std::io;
use std::path::Path;

/// Joints turn by at most this between two frames, in radians, or slide by that length in metres. Bound: a chord of the angle t deviates by 1 - cos(t / 2), here 0.03 % of the lever.
const TURN: f64 = 0.05;
/// Frames of a path, at most. Limit: each has a key for every body, and a point of the plot.
const FRAMES: usize = 4_000;

/// A configuration at a time. The time is the length of the path until there, in radians and metres.
struct Frame {
    time: f64,
    q: Vec<f64>,
}

/// A shape of a link.
struct Piece {
    link: usize,
    shape: Shape,
    /// Relative to the link.
    pose: Pose,
}

/// Writes the page; what was there before is replaced only by a page that is complete.
pub fn write(path: &Path, checked: &Checked, args: &CheckArgs) -> Result<(), String> {
    let fault = |error: io::Error| format!("{} cannot be written: {error}", path.display());
    let mut file = Replacement::create(path).map_err(fault)?;
    let named = |sentence: String| format!("{}: {sentence}", path.display());
    let (scene, summary, findings) = page(checked, args).map_err(named)?;
    report::write(&mut file, &scene, &summary, &findings).map_err(named)?;
    file.finish().map_err(|error| cannot_write(&error))
}

fn page(checked: &Checked, args: &CheckArgs) -> Result<(Scene, Summary, Vec<Finding>), String> {
    let robot = &checked.robot;
    let frames = frames(&checked.asked);
    let mut poses = Vec::with_capacity(frames.len());
    let (mut points, mut checker) = (Vec::with_capacity(frames.len()), checked.checker.fresh());
    for frame in &frames {
        poses.push(robot.forward_kinematics(&frame.q).map_err(|error| error.to_string())?);
        if let Some(found) = checker.clearance(&frame.q).map_err(|error| error.to_string())? {
            points.push([frame.time, found.lower, found.upper]);
        }
    }
    let pieces: Vec<Piece> = (0..robot.link_names().len())
        .flat_map(|link| robot.shapes(link).map(move |(shape, pose)| Piece { link, shape: shape.clone(), pose }))
        .collect();
    let mut scene = Scene { unit: Some(Unit::Metre), ..Scene::default() };
    for obstacle in &checked.scene.bodies {
        scene.bodies.push(Body { motion: Motion::Fixed, ..obstacle.clone() });
    }
    for (number, piece) in pieces.iter().enumerate() {
        let place = |at: usize| poses[at][piece.link] * piece.pose;
        let motion = if frames.len() > 1 {
            Motion::Keyframes((0..frames.len()).map(|at| Keyframe::new(frames[at].time, place(at))).collect())
        } else {
            Motion::Fixed
        };
        let before = pieces[..number].iter().filter(|other| other.link == piece.link).count();
        let link = robot.link_names()[piece.link];
        let name = if before == 0 { link.to_owned() } else { format!("{link} ({})", before + 1) };
        let group = Some(robot.name().to_owned()).filter(|name| !name.is_empty());
        scene.bodies.push(Body {
            name,
            shape: piece.shape.clone(),
            pose: place(0),
            group,
            motion,
            tags: clearance_io::Tags::default(),
            written: None,
        });
    }
    let until = frames.last().map(|frame| frame.time).filter(|_| frames.len() > 1);
    let finding = finding(checked, &frames, &scene, &pieces)?;
    let is_hit = matches!(&finding, Some(Finding { impact: Some(ImpactOfPair::Hit(_)), .. }));
    let (is_path, state) = (until.is_some(), checked.state());
    let is_undecided = state == super::State::Undecided;
    let summary = Summary {
        title: title(&args.scene),
        unit: scene.unit,
        margin: None,
        until,
        checked: (robot.checked_pairs().len() + checked.scene.bodies.len() * pieces.len()) as u64,
        overlaps: u64::from(!is_path && state == super::State::Contact),
        undecided: u64::from(is_undecided),
        within: u64::from(finding.is_some() && !is_hit && !is_undecided && state != super::State::Contact),
        impacts: u64::from(is_hit),
        fail_within: checked.fail_within,
        too_close: u64::from(state == super::State::TooClose),
        shells: Vec::new(),
        filled_holes: Vec::new(),
        notes: checked.notes.clone(),
        plot: is_path.then(|| Plot { points, proved: proved(&checked.asked) }),
        // A URDF has z up.
        up: Some(clearance::math::DVec3::Z),
    };
    Ok((scene, summary, finding.into_iter().collect()))
}

fn length(from: &[f64], to: &[f64]) -> f64 {
    from.iter().zip(to).map(|(from, to)| (to - from) * (to - from)).sum::<f64>().sqrt()
}

/// The times of the waypoints.
fn times(waypoints: &[Vec<f64>]) -> Vec<f64> {
    let mut times = vec![0.0];
    for edge in waypoints.windows(2) {
        times.push(times[times.len() - 1] + length(&edge[0], &edge[1]));
    }
    times
}

/// The configurations of the page. One at rest has one.
fn frames(asked: &Asked) -> Vec<Frame> {
    let waypoints = match asked {
        Asked::Configuration { q, .. } => std::slice::from_ref(q),
        Asked::Path { waypoints, .. } => waypoints,
    };
    let times = times(waypoints);
    let mut frames = vec![Frame { time: 0.0, q: waypoints[0].clone() }];
    let most = (FRAMES / waypoints.len()).max(1);
    for (edge, time) in waypoints.windows(2).zip(times.windows(2)) {
        // A waypoint that is there twice has no time of its own.
        if time[1] <= time[0] {
            continue;
        }
        let widest = edge[0].iter().zip(&edge[1]).map(|(from, to)| (to - from).abs()).fold(0.0, f64::max);
        let count = ((widest / TURN).ceil() as usize).clamp(1, most);
        for at in 1..=count {
            let share = at as f64 / count as f64;
            let q = edge[0].iter().zip(&edge[1]).map(|(from, to)| from + share * (to - from)).collect();
            frames.push(Frame { time: time[0] + share * (time[1] - time[0]), q });
        }
    }
    frames
}

/// From when to when the clearance is proved to be at least how much.
fn proved(asked: &Asked) -> Vec<[f64; 3]> {
    let Asked::Path { waypoints, edges } = asked else { return Vec::new() };
    let times = times(waypoints);
    let of_edge = |(edge, time): (&Edge, &[f64])| match edge {
        Edge::Free(free) => Some([time[0], time[1], free.lower]),
        _ => None,
    };
    edges.iter().zip(times.windows(2)).filter_map(of_edge).collect()
}

/// The pair that the answer is about: the closest, or the first that meets.
fn finding(checked: &Checked, frames: &[Frame], scene: &Scene, pieces: &[Piece]) -> Result<Option<Finding>, String> {
    let mut checker = checked.checker.fresh();
    let obstacles = checked.scene.bodies.len();
    let (parts, impact, closest_approach) = match &checked.asked {
        Asked::Configuration { found: None, .. } => return Ok(None),
        Asked::Configuration { found: Some(found), .. } => (found.parts, None, None),
        Asked::Path { waypoints, edges } => {
            let times = times(waypoints);
            let last = edges.len() - 1;
            let span = [times[last], times[edges.len().min(times.len() - 1)]];
            let at = |share: f64| span[0] + share * (span[1] - span[0]);
            match &edges[last] {
                Edge::Contact(contact) => {
                    let found = &contact.found;
                    let hit = WrittenHit {
                        time: at(contact.lower),
                        lower: at(contact.lower),
                        upper: at(contact.upper),
                        point_a: found.point_a.to_array(),
                        point_b: found.point_b.to_array(),
                        normal: found.normal.to_array(),
                    };
                    (found.parts, Some(ImpactOfPair::Hit(hit)), None)
                }
                Edge::Undecided { parts, .. } => (*parts, Some(ImpactOfPair::Word("undecided")), None),
                Edge::Free(_) => {
                    let mut closest = None;
                    for frame in frames {
                        let Some(found) = checker.clearance(&frame.q).map_err(|error| error.to_string())? else {
                            return Ok(None);
                        };
                        if closest.is_none_or(|(_, upper, _)| found.upper < upper) {
                            closest = Some((found.parts, found.upper, frame.time));
                        }
                    }
                    let Some((parts, upper, time)) = closest else { return Ok(None) };
                    let lower = checked.lower();
                    (parts, Some(ImpactOfPair::Word("clear")), Some(WrittenApproach { lower, upper, time }))
                }
            }
        }
    };
    // The shapes of the two parts that are closest at the start.
    let bodies = |part: Part| -> Vec<usize> {
        match part {
            Part::Obstacle(id) => vec![id.slot() as usize],
            Part::Link(link) => {
                (0..pieces.len()).filter(|&at| pieces[at].link == link).map(|at| obstacles + at).collect()
            }
        }
    };
    let [of_a, of_b] = parts.map(bodies);
    let all = of_a.iter().flat_map(|&a| of_b.iter().map(move |&b| [a, b]));
    let nearest = all
        .map(|pair| {
            let [a, b] = pair.map(|body| &scene.bodies[body]);
            (pair, clearance::distance(&a.shape, a.pose, &b.shape, b.pose))
        })
        .min_by(|(_, one), (_, other)| one.distance.total_cmp(&other.distance));
    let Some(([a, b], clearance)) = nearest else { return Ok(None) };
    let is_overlap = clearance.lower <= 0.0;
    let state = match &impact {
        Some(ImpactOfPair::Hit(_)) => "collision",
        Some(ImpactOfPair::Word("undecided")) => "undecided",
        Some(ImpactOfPair::Word(_)) => "clear",
        None if is_overlap => "overlap",
        None => "gap",
    };
    let undecided =
        (state == "undecided").then(|| "the search ended before it was proved apart or in contact".to_owned());
    let pair = CheckedPair {
        a: a as u32,
        b: b as u32,
        overlap: is_overlap,
        witness: Witness::from(&clearance),
        status: Status::Converged,
        state,
        undecided,
        depth: None,
        issue: clearance_io::PairIssue::default(),
    };
    Ok(Some(Finding { pair, impact, closest_approach }))
}
