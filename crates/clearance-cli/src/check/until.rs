//! `clearance check --until`: which pairs meet, when, and how close the others come.

use super::issues::Measure;
use super::progress::Progress;
use super::ruling::Rulings;
use super::state::State;
use super::undecided::{self, Doubt, Doubts};
use super::{Found, Report};
use clearance::motion::Approach;
use clearance::{BodyId, Impact, Interval, closest_approach, distance};
use clearance_io::{Motion, Scene};
use std::cmp::Ordering;
use std::sync::Mutex;

/// The result of a check over time.
pub struct Timeline {
    /// The part in common with any other check: its overlaps are those at the start, and it lists no pairs.
    pub report: Report,
    /// Until when bodies were asked about, from zero on.
    pub until: f64,
    /// How many pairs meet that do not overlap at the start.
    pub impacts: u64,
    /// The pairs that were kept: overlaps, then impacts by time, then the others by how close they come.
    pub pairs: Vec<Meeting>,
    /// Does no body have a motion?
    pub is_at_rest: bool,
}

impl Timeline {
    /// How many pairs there are, listed or not.
    pub fn count(&self) -> u64 {
        self.report.count() + self.impacts
    }

    /// Counts a pair, and keeps it, unless a rule takes it out.
    fn add(&mut self, scene: &Scene, rulings: &mut Rulings, mut meeting: Meeting) {
        if let Impact::Undecided(_) = meeting.impact {
            meeting.start.doubt.get_or_insert(Doubt::OutOfSteps);
        }
        // Only of pairs that stay apart a least distance is known.
        let lower = meeting.impact.approach().map_or(f64::INFINITY, |approach| approach.lower);
        let Some(is_too_close) = rulings.judge(scene, &meeting.start, meeting.state(), lower) else { return };
        let report = &mut self.report;
        let count = match meeting.state() {
            State::Overlap => &mut report.overlaps,
            State::Collision | State::Graze => &mut self.impacts,
            State::Undecided => &mut report.undecided,
            State::Gap | State::Clear => &mut report.within,
        };
        *count += 1;
        report.too_close += u64::from(is_too_close);
        meeting.start.is_too_close = is_too_close;
        self.pairs.push(meeting);
    }

    /// The pairs that are listed.
    pub fn listed(&self) -> &[Meeting] {
        super::first(&self.pairs, self.report.limit)
    }
}

/// One pair that is worth telling.
#[derive(Clone, Copy)]
pub struct Meeting {
    /// The pair at the start.
    pub start: Found,
    /// Its result.
    pub impact: Impact,
}

impl Meeting {
    /// The state of the pair over time. A pair that is undecided at the start is undecided for all times.
    pub fn state(&self) -> State {
        match &self.impact {
            Impact::Touching(_) => State::Overlap,
            Impact::Hit(hit) if hit.is_proved() => State::Collision,
            Impact::Hit(_) => State::Graze,
            Impact::Undecided(_) => State::Undecided,
            Impact::Clear(_) if self.start.doubt.is_some() => State::Undecided,
            Impact::Clear(_) => State::Clear,
        }
    }
}

/// Asks about all pairs; `report` is what is known without asking.
pub fn check(
    scene: &Scene,
    report: Report,
    mut rulings: Rulings,
    until: f64,
    limit: Option<usize>,
) -> Result<Timeline, String> {
    let world = scene.to_moving_world(rulings.search_margin(scene)).map_err(|error| error.to_string())?;
    let progress = Mutex::new(Progress::new("checking"));
    let tell = |done, total| {
        // Another thread is drawing: it will be drawn next time.
        if let Ok(mut progress) = progress.try_lock() {
            progress.at(done, total);
        }
    };
    let is_at_rest = scene.bodies.iter().all(|body| body.motion == Motion::Fixed);
    let no_motion = |error: clearance::BuildError| error.to_string();
    let interval = Interval::new(0.0, until).map_err(no_motion)?;
    let mut doubts =
        if report.surfaces { Doubts::new() } else { undecided::moving(scene, interval).map_err(no_motion)? };
    let mut timeline = Timeline { report, until, impacts: 0, pairs: Vec::new(), is_at_rest };
    let found = |ids: [BodyId; 2], clearance: &clearance::Clearance, impact: &Impact| {
        let bodies = ids.map(BodyId::slot);
        let start = Found { doubt: doubts.remove(&bodies), ..Found::new(bodies, clearance) };
        timeline.add(scene, &mut rulings, Meeting { start, impact: *impact });
    };
    world.all_approaches_within(interval, &tell, found);
    // The rest stays farther apart than the margin, as far as the surfaces go.
    for (bodies, doubt) in doubts {
        let [a, b] = bodies.map(|body| &scene.bodies[body as usize]);
        let [motion_a, motion_b] = [a, b].map(|body| body.motion.of_pose(body.pose));
        let (motion_a, motion_b) = (motion_a.map_err(no_motion)?, motion_b.map_err(no_motion)?);
        let impact = closest_approach(&a.shape, &motion_a, &b.shape, &motion_b, interval);
        let clearance = distance(&a.shape, motion_a.pose(0.0), &b.shape, motion_b.pose(0.0));
        let start = Found { doubt: Some(doubt), ..Found::new(bodies, &clearance) };
        timeline.add(scene, &mut rulings, Meeting { start, impact });
    }
    let Timeline { report: Report { names, .. }, pairs, .. } = &mut timeline;
    pairs.sort_unstable_by(|p, q| order(p, q).then_with(|| name(names, p).cmp(&name(names, q))));
    pairs.truncate(limit.unwrap_or(usize::MAX));
    timeline.report.rules = rulings.rules;
    Ok(timeline)
}

fn name<'a>(names: &'a [String], meeting: &Meeting) -> [&'a str; 2] {
    meeting.start.bodies.map(|body| names[body as usize].as_str())
}

impl Meeting {
    /// The numbers that runs are compared by: the time of a collision, else a distance.
    pub fn measure(&self) -> Measure {
        let [lower, upper] = match &self.impact {
            Impact::Touching(_) | Impact::Undecided(_) => [self.start.shown().lower, self.start.shown().upper],
            Impact::Hit(hit) => [hit.lower, hit.upper],
            Impact::Clear(approach) => [approach.lower, approach.upper],
        };
        Measure { state: self.state(), lower, upper }
    }
}

/// Overlaps before impacts before the rest; deeper, earlier, closer first.
fn order(p: &Meeting, q: &Meeting) -> Ordering {
    let key = |meeting: &Meeting| match &meeting.impact {
        Impact::Touching(_) => (State::Overlap, meeting.start.shown().distance),
        // Grazes are among the collisions, by their times.
        Impact::Hit(hit) => (State::Collision, hit.lower),
        Impact::Undecided(undecided) => (State::Undecided, undecided.from),
        Impact::Clear(Approach { upper, .. }) => (meeting.state(), *upper),
    };
    let ((rank_p, value_p), (rank_q, value_q)) = (key(p), key(q));
    rank_p.cmp(&rank_q).then(value_p.total_cmp(&value_q))
}
