//! `clearance check --until`: which pairs meet, when, and how close the others come.

use super::progress::Progress;
use super::{Found, Report};
use clearance::motion::Approach;
use clearance::{BodyId, Impact};
use clearance_io::{Motion, Scene};
use std::cmp::Ordering;
use std::sync::Mutex;

/// What a check over time found.
pub struct Timeline {
    /// What it has in common with any other check: its overlaps are those at the start, and it lists no pairs.
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
    /// What comes of it.
    pub impact: Impact,
}

/// Asks about all pairs; `report` is what is known without asking.
pub fn check(scene: &Scene, report: Report, until: f64, limit: Option<usize>) -> Result<Timeline, String> {
    let world = scene.to_moving_world(report.margin.unwrap_or(0.0)).map_err(|error| error.to_string())?;
    let progress = Mutex::new(Progress::new("checking"));
    let tell = |done, total| {
        // Another thread is drawing: it will be drawn next time.
        if let Ok(mut progress) = progress.try_lock() {
            progress.at(done, total);
        }
    };
    let is_at_rest = scene.bodies.iter().all(|body| body.motion == Motion::Fixed);
    let mut timeline = Timeline { report, until, impacts: 0, pairs: Vec::new(), is_at_rest };
    let found = |ids: [BodyId; 2], clearance: &clearance::Clearance, impact: &Impact| {
        let start = Found::new(ids.map(BodyId::slot), clearance);
        let count = match impact {
            Impact::Hit(_) => &mut timeline.impacts,
            Impact::Clear(_) => &mut timeline.report.within,
            Impact::Touching(_) => &mut timeline.report.overlaps,
        };
        *count += 1;
        timeline.pairs.push(Meeting { start, impact: *impact });
    };
    world.survey_impacts(0.0..=until, &tell, found).map_err(|error| error.to_string())?;
    let Timeline { report: Report { names, .. }, pairs, .. } = &mut timeline;
    pairs.sort_unstable_by(|p, q| order(p, q).then_with(|| name(names, p).cmp(&name(names, q))));
    pairs.truncate(limit.unwrap_or(usize::MAX));
    Ok(timeline)
}

fn name<'a>(names: &'a [String], meeting: &Meeting) -> [&'a str; 2] {
    meeting.start.bodies.map(|body| names[body as usize].as_str())
}

/// Overlaps before impacts before the rest; deeper, earlier, closer first.
fn order(p: &Meeting, q: &Meeting) -> Ordering {
    let key = |meeting: &Meeting| match &meeting.impact {
        Impact::Touching(_) => (0, meeting.start.witness.distance),
        Impact::Hit(hit) => (1, hit.lower),
        Impact::Clear(Approach { upper, .. }) => (2, *upper),
    };
    let ((rank_p, value_p), (rank_q, value_q)) = (key(p), key(q));
    rank_p.cmp(&rank_q).then(value_p.total_cmp(&value_q))
}
