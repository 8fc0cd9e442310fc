//! `clearance check`: every pair that overlaps or comes close, worst first.

mod clusters;
mod depths;
mod evidence;
mod explain;
mod issues;
mod kinds;
pub mod load;
pub mod page;
mod print;
mod print_until;
pub mod progress;
mod repair;
mod ruling;
mod state;
mod table;
mod undecided;
mod until;
mod watch;
mod words;
mod worst;

use crate::args::{BUILT_IN_MARGIN, CheckArgs, SceneArgs};
use crate::bcf::{self, MOST_TOPICS};
use crate::{Outcome, output, robot};
use clearance::math::DVec3;
use clearance::{BodyId, Clearance, Status, distance};
use clearance_io::proof::Asked;
use clearance_io::{CheckedPair, Folder, PairIssue, PairReview, Scene, Unit, Witness, WrittenDepth};
pub use clusters::GroupBy;
use clusters::{Cluster, Item};
use evidence::{Answers, Evidence};
use explain::Explained;
use issues::{Baseline, Followed, Life, Measure, Resolved};
use kinds::Kind;
use load::Loaded;
use progress::Progress;
pub use repair::FilledHole;
pub use ruling::RuleReport;
use ruling::Rulings;
use state::State;
use std::collections::HashMap;
use std::io::{self, BufWriter, IsTerminal, Write};
use std::path::PathBuf;
use std::sync::Mutex;
use undecided::{Doubt, Doubts};
use until::{Meeting, Timeline};
use worst::Worst;

/// The scene that is checked when none is given.
const BUILT_IN: &str = include_str!("../../scenes/workcell.json");

/// The one with motions, for a check over time.
const MOVING: &str = include_str!("../../scenes/moving.json");

/// Pairs that a terminal shows unless `--limit` says otherwise. Limit: two screens, a list that a person reads.
pub const ON_A_TERMINAL: usize = 100;

/// The result of a check.
#[derive(Default)]
pub struct Report {
    /// The names of the bodies, in the order of the input.
    pub names: Vec<String>,
    /// How many pairs were checked, those included that their boxes keep apart.
    pub checked: u64,
    /// The pairs that were kept, worst first: all that were found, or the worst of them.
    pub pairs: Vec<Found>,
    /// How many of them are listed; all, if nothing is said.
    pub limit: Option<usize>,
    /// How many pairs overlap.
    pub overlaps: u64,
    /// How many are neither proved to overlap nor to be apart.
    pub undecided: u64,
    /// How many do not overlap, but are within the margin.
    pub within: u64,
    /// How many of all these are not proved to be as far apart as `fail_within`, without an overlap.
    pub too_close: u64,
    /// The margin, if one was asked for.
    pub margin: Option<f64>,
    /// The distance below which the check fails, if there is one.
    pub fail_within: Option<f64>,
    /// Does a rule say how far apart bodies have to be?
    pub has_rule_margins: bool,
    /// The rules, and what they decided.
    pub rules: Vec<RuleReport>,
    /// How findings name the bodies, in the order of the input.
    pub keys: Vec<String>,
    /// The findings beside those of the last run, if these were given.
    pub followup: Option<Followup>,
    /// The groups of the findings, largest first, if they were asked for, and the group of each.
    pub clusters: Option<Clusters>,
    /// A line to print above the table.
    pub title: Option<&'static str>,
    /// The bodies that stand for a mesh of the command line: its convex hull is what was checked.
    pub hulls: Vec<String>,
    /// The meshes that are shells, since their surface is not closed: bodies, or parts of them.
    pub shells: Vec<String>,
    /// Are shells meant as surfaces?
    pub surfaces: bool,
    /// The holes of meshes that were filled.
    pub holes: Vec<FilledHole>,
    /// A sentence for each mesh file with faces whose edges cross.
    pub crossed: Vec<String>,
    /// A sentence for each difference between a mesh file and its bodies.
    pub notes: Vec<String>,
    /// A sentence for each file that was left out.
    pub skipped: Vec<String>,
    /// Descriptions of the meshes, on request.
    pub meshes: Option<Vec<Explained>>,
}

/// The groups of findings, and the name of the group of each pair.
type Clusters = (Vec<Cluster>, HashMap<[u32; 2], String>);

/// The findings beside those of the last run.
pub struct Followup {
    /// By pair.
    pub followed: HashMap<[u32; 2], Followed>,
    /// Findings that only the last run had.
    pub resolved: Vec<Resolved>,
    /// The file of the last run.
    pub baseline: PathBuf,
}

impl Followup {
    /// Compares all findings with those of the last run.
    fn new(
        mut baseline: Baseline,
        file: PathBuf,
        scene: &Scene,
        keys: &[String],
        findings: impl Iterator<Item = ([u32; 2], Measure)>,
    ) -> Self {
        let mut followed = HashMap::new();
        for (bodies, measure) in findings {
            let id = issues::id_of(bodies.map(|body| keys[body as usize].as_str()));
            followed.insert(bodies, baseline.follow(&id, measure));
        }
        Self { followed, resolved: baseline.resolved(scene), baseline: file }
    }

    /// Does a finding fail the check?
    fn is_failure(&self) -> bool {
        self.followed.values().any(Followed::is_failure)
    }
}

impl Report {
    /// Data of a scene before any query.
    fn of(scene: &Scene, args: &SceneArgs, margin: Option<f64>) -> Self {
        Self {
            names: scene.bodies.iter().map(|body| body.name.clone()).collect(),
            keys: issues::keys_of(&scene.bodies),
            checked: scene.count_checked(),
            margin,
            has_rule_margins: scene.rules.largest_margin().is_some(),
            surfaces: args.surfaces,
            shells: undecided::open_meshes(scene),
            crossed: scene.crossed.iter().map(ToString::to_string).collect(),
            notes: scene.notes.clone(),
            ..Self::default()
        }
    }

    /// How many pairs there are, listed or not.
    pub fn count(&self) -> u64 {
        self.overlaps + self.undecided + self.within
    }

    /// The pairs that are listed.
    pub fn listed(&self) -> &[Found] {
        first(&self.pairs, self.limit)
    }

    /// The pair as a finding, in its state.
    pub fn issue(&self, found: &Found, state: State) -> PairIssue {
        let kind = match state {
            State::Overlap => Some(found.kind.map_or("overlap", Kind::name)),
            State::Collision | State::Graze | State::Undecided => Some(state.name()),
            State::Gap | State::Clear => found.is_too_close.then_some("too close"),
        };
        let followed = self.followup.as_ref().and_then(|followup| followup.followed.get(&found.bodies));
        PairIssue {
            id: issues::id_of(found.bodies.map(|body| self.keys[body as usize].as_str())),
            kind,
            life: followed.map(|followed| followed.life.name()),
            cluster: self.clusters.as_ref().and_then(|(_, of_pair)| of_pair.get(&found.bodies).cloned()),
            review: followed.and_then(|followed| followed.review.clone()),
        }
    }

    /// "OVERLAP", with what has become of it since the last run, if that is known: "OVERLAP (new)".
    pub fn word(&self, found: &Found, state: State) -> String {
        let followed = self.followup.as_ref().and_then(|followup| followup.followed.get(&found.bodies));
        match followed {
            None => state.word(),
            Some(Followed { review: Some(review), .. }) if review.is_accepted() => {
                format!("{} (accepted)", state.word())
            }
            Some(Followed { life: Life::Persistent, .. }) => state.word(),
            Some(Followed { life, .. }) => format!("{} ({})", state.word(), life.name()),
        }
    }

    /// Compares the findings with those of the last run, and groups them, if either is wanted. `pairs` are all findings, worst first.
    fn follow_and_group(&mut self, scene: &Scene, kept: &mut Kept, pairs: &[(Found, Measure)]) {
        let is_finding = |(found, measure): &&(Found, Measure)| {
            !matches!(measure.state, State::Gap | State::Clear) || found.is_too_close
        };
        let findings = || pairs.iter().filter(is_finding);
        if let Some((baseline, file)) = kept.baseline.take() {
            let measures = findings().map(|(found, measure)| (found.bodies, *measure));
            self.followup = Some(Followup::new(baseline, file, scene, &self.keys, measures));
        }
        if let Some(by) = kept.group_by {
            let item = |(found, _): &(Found, Measure)| {
                let [a, b] = found.bodies.map(|body| body as usize);
                let [at_a, at_b] = [found.witness.point_a, found.witness.point_b].map(DVec3::from);
                Item {
                    bodies: found.bodies,
                    place: 0.5 * (at_a + at_b),
                    layers: [a, b].map(|body| scene.bodies[body].tags.layer.clone()),
                    rule: scene.rules.decisive(a, b).map(|rule| scene.rules.all()[rule].to_string()),
                }
            };
            let items: Vec<Item> = findings().map(item).collect();
            let (_, radius) = crate::report::ball(scene);
            let names = clusters::assign(by, &items, &self.names, 2.0 * radius);
            let clusters = clusters::count(names.iter().map(String::as_str));
            self.clusters = Some((clusters, items.iter().map(|item| item.bodies).zip(names).collect()));
        }
    }

    /// Their common part.
    fn property(&self) -> &'static str {
        match (self.margin.is_some(), self.undecided > 0) {
            (false, false) => "overlap",
            (false, true) => "overlap or are undecided",
            (true, false) => "overlap or are within the margin",
            (true, true) => "overlap, are undecided or are within the margin",
        }
    }

    /// Counts a pair of bodies that stay where they are.
    fn count_in(&mut self, found: &Found, is_too_close: bool) {
        let count = match found.state() {
            State::Overlap => &mut self.overlaps,
            State::Undecided => &mut self.undecided,
            _ => &mut self.within,
        };
        *count += 1;
        self.too_close += u64::from(is_too_close);
    }
}

/// The first items of a list up to a limit, or all.
fn first<T>(list: &[T], limit: Option<usize>) -> &[T] {
    &list[..list.len().min(limit.unwrap_or(usize::MAX))]
}

/// One pair that is worth telling: no more than is printed, since there may be millions.
#[derive(Clone, Copy)]
pub struct Found {
    /// Indices of the two bodies.
    pub bodies: [u32; 2],
    /// How tight the bracket is.
    pub status: Status,
    /// How far, and where.
    pub witness: Witness,
    /// How far A has to move to come free, on request (`depths.rs`).
    pub depth: Option<WrittenDepth>,
    /// Why it is undecided, if it is.
    pub doubt: Option<Doubt>,
    /// The kind of an overlap, if it was searched for (`kinds.rs`).
    pub kind: Option<Kind>,
    /// Is it not proved as far apart as the check demands?
    pub is_too_close: bool,
}

impl Found {
    /// A pair as the survey has it.
    pub fn new(bodies: [u32; 2], clearance: &Clearance) -> Self {
        let (witness, is_too_close) = (Witness::from(clearance), false);
        Self { bodies, status: clearance.status, witness, depth: None, doubt: None, kind: None, is_too_close }
    }

    /// The state of the pair where it is.
    pub fn state(&self) -> State {
        match self.doubt {
            _ if self.overlaps() => State::Overlap,
            Some(_) => State::Undecided,
            None => State::Gap,
        }
    }

    /// The pair as all outputs show it: one distance with its bounds, by the best that is known.
    ///
    /// The distance of an overlap whose depth is open is minus the depth that is proved, the lower bound: a translation that frees A
    /// may be found later that is shorter than the upper bound.
    pub fn shown(&self) -> Witness {
        let (mut shown, is_open) = (self.witness, self.status != Status::Converged);
        if is_open && self.overlaps() {
            if let Some(depth) = self.depth {
                (shown.lower, shown.upper) = (-depth.upper, -depth.lower);
            }
            // Adding zero turns minus zero into zero.
            shown.distance = shown.upper.min(0.0) + 0.0;
            shown.normal = self.direction().to_array();
        }
        shown
    }

    /// The direction from A to B: the opposite of the escape translation, where that was searched, since the normal of an open bracket is
    /// that of two parts or triangles.
    fn direction(&self) -> DVec3 {
        let searched = self.depth.filter(|depth| self.status != Status::Converged && depth.upper.is_finite());
        let way_out = searched.and_then(|depth| DVec3::from(depth.translation).try_normalize());
        way_out.map_or(self.witness.normal.into(), |way| -way)
    }

    /// The pair as JSON and the page have it, in a state that is its own or what comes of it.
    pub fn written<Name>(&self, report: &Report, [a, b]: [Name; 2], state: State) -> CheckedPair<Name> {
        let issue = report.issue(self, state);
        let Self { status, depth, doubt, .. } = *self;
        let undecided = doubt.filter(|_| state == State::Undecided).map(Doubt::reason);
        let (overlap, witness, state) = (state == State::Overlap, self.shown(), state.name());
        CheckedPair { a, b, overlap, witness, status, state, undecided, depth, issue }
    }

    /// The numbers that runs are compared by.
    fn measure(&self) -> Measure {
        let Witness { lower, upper, .. } = self.shown();
        Measure { state: self.state(), lower, upper }
    }

    /// Are the two not proved apart? `clearance::intersects` says the same.
    pub fn overlaps(&self) -> bool {
        self.witness.lower <= 0.0
    }
}

/// Runs the subcommand.
pub fn run(args: &CheckArgs) -> Result<Outcome, String> {
    if robot::is_asked(args) {
        return robot::run(args);
    }
    if args.watch { watch::run(args) } else { once(args) }
}

/// Checks, writes the page and the evidence if they are wanted, and prints.
fn once(args: &CheckArgs) -> Result<Outcome, String> {
    let is_table = !args.json && !args.csv;
    let is_terminal = io::stdout().is_terminal();
    let limit = match args.scene.limit {
        None => (is_table && is_terminal).then_some(ON_A_TERMINAL),
        Some(0) => None,
        Some(limit) => Some(limit),
    };
    let (checked, evidence) = with_files(args, limit)?;
    if evidence.as_ref().is_some_and(Evidence::is_all) {
        return Ok(checked.outcome());
    }
    let width = terminal_size::terminal_size_of(io::stdout()).filter(|_| is_terminal);
    let width = width.map(|(width, _)| usize::from(width.0)).filter(|&width| width > 0);
    let hint = words::way_to_look(args);
    print(checked.outcome(), |out| {
        match (&checked.answer, args.json, args.csv) {
            (Answer::Still(report), true, _) => print::json(out, report),
            (Answer::Still(report), _, true) => print::csv(out, report),
            (Answer::Still(report), ..) => print::table(out, report, width, &hint),
            (Answer::Moving(timeline), true, _) => print_until::json(out, timeline),
            (Answer::Moving(timeline), _, true) => print_until::csv(out, timeline),
            (Answer::Moving(timeline), ..) => print_until::table(out, timeline, width, &hint),
        }?;
        match evidence.filter(|_| is_table) {
            Some(evidence) => writeln!(out, "{}", evidence.sentence(args)),
            None => Ok(()),
        }
    })
}

/// Checks as `clearance check --json` does: the bytes that it would print.
pub fn to_json(args: &CheckArgs) -> Result<Vec<u8>, String> {
    if robot::is_asked(args) {
        return robot::to_json(args);
    }
    let (checked, _) = with_files(args, args.scene.limit.filter(|&limit| limit > 0))?;
    let mut bytes = Vec::new();
    let result = match &checked.answer {
        Answer::Still(report) => print::json(&mut bytes, report),
        Answer::Moving(timeline) => print_until::json(&mut bytes, timeline),
    };
    result.map(|()| bytes).map_err(|error| output::cannot_write(&error))
}

/// Checks, and writes the page and the evidence if they are wanted.
fn with_files(args: &CheckArgs, limit: Option<usize>) -> Result<(Checked, Option<Evidence>), String> {
    let lines = args.proof.as_deref().map(|path| evidence::Lines::create(path, args)).transpose()?;
    let read = |path: &PathBuf| Ok::<_, String>((Baseline::read(path, args.review.as_deref())?, path.clone()));
    let baseline = args.baseline.as_ref().map(read).transpose()?;
    let (has_page, has_evidence) = (args.report.is_some(), lines.is_some());
    let mut kept =
        Kept { limit, has_page, has_evidence, fail_within: args.fail_within, baseline, group_by: args.cluster };
    let mut checked = Checked::new(&args.scene, &mut kept)?;
    if args.explain {
        checked.report_mut().meshes = Some(explain::meshes(&checked.scene));
    }
    if let Some(path) = &args.report {
        page::write(path, &checked, &args.scene)?;
    }
    if let Some(path) = &args.bcf {
        let Checked { scene, unit, up, answer, .. } = &checked;
        bcf::write(path, scene, *unit, up.unwrap_or(DVec3::Z), &answer.topics())?;
    }
    let evidence = lines.map(|lines| lines.write(&checked, args.scene.nodes)).transpose()?;
    Ok((checked, evidence))
}

/// Data of a check besides its list.
#[derive(Default)]
pub struct Kept {
    /// Limit on the listed pairs; `None` lists all.
    pub limit: Option<usize>,
    /// Enough pairs for a page.
    pub has_page: bool,
    /// The input as it was written, for evidence.
    pub has_evidence: bool,
    /// Pairs closer than this fail the check, and are listed.
    pub fail_within: Option<f64>,
    /// The findings of the last run, and their file.
    pub baseline: Option<(Baseline, PathBuf)>,
    /// How findings are grouped.
    pub group_by: Option<GroupBy>,
}

/// A scene, and what was found in it.
pub struct Checked {
    pub scene: Scene,
    /// The unit that it is in, if that is known.
    pub unit: Option<Unit>,
    /// Which way is up, if all mesh files that say so agree.
    pub up: Option<DVec3>,
    /// The question, for evidence.
    pub asked: Asked,
    pub answer: Answer,
    /// The answers that evidence is made of, if it is wanted.
    pub answers: Option<Answers>,
}

/// The result.
pub enum Answer {
    /// Of bodies where they are.
    Still(Report),
    /// Of bodies that move.
    Moving(Timeline),
}

/// A finding as a BCF file has it.
pub struct BcfFinding {
    pub bodies: [u32; 2],
    /// The hash of the pair, of which identifiers are made.
    pub hash: [u8; 32],
    pub kind: &'static str,
    /// A sentence with its numbers.
    pub description: String,
    /// Between its two points.
    pub place: DVec3,
    pub review: Option<PairReview>,
}

impl Answer {
    /// The findings that are listed, worst first, as topics.
    fn topics(&self) -> Vec<BcfFinding> {
        let topic = |report: &Report, found: &Found, state: State, sentence: String| {
            // Without "Worst: " before it.
            let description = sentence.split_once(": ").map_or(sentence.clone(), |(_, rest)| rest.to_owned());
            let PairIssue { kind, review, .. } = report.issue(found, state);
            let [a, b] = [found.witness.point_a, found.witness.point_b].map(DVec3::from);
            Some(BcfFinding {
                bodies: found.bodies,
                hash: issues::hash_of(found.bodies.map(|body| report.keys[body as usize].as_str())),
                kind: kind?,
                description,
                place: 0.5 * (a + b),
                review,
            })
        };
        let topics: Vec<BcfFinding> = match self {
            Self::Still(report) => {
                let all = report.listed().iter();
                all.filter_map(|found| topic(report, found, found.state(), words::about(report, found)))
                    .take(MOST_TOPICS)
                    .collect()
            }
            Self::Moving(timeline) => {
                let report = &timeline.report;
                let all = timeline.listed().iter();
                let topic = |meeting: &Meeting| {
                    topic(report, &meeting.start, meeting.state(), words::about_meeting(report, meeting)?)
                };
                all.filter_map(topic).take(MOST_TOPICS).collect()
            }
        };
        topics
    }

    /// All pairs that were kept, with the numbers that runs are compared by.
    fn measured(&self) -> Vec<(Found, Measure)> {
        match self {
            Self::Still(report) => report.pairs.iter().map(|found| (*found, found.measure())).collect(),
            Self::Moving(timeline) => timeline.pairs.iter().map(|pair| (pair.start, pair.measure())).collect(),
        }
    }

    fn report_mut(&mut self) -> &mut Report {
        match self {
            Self::Still(report) => report,
            Self::Moving(timeline) => &mut timeline.report,
        }
    }
}

impl Checked {
    /// Reads what the command line names, and checks it.
    pub fn new(args: &SceneArgs, wanted: &mut Kept) -> Result<Self, String> {
        let &mut Kept { limit, has_page, has_evidence, fail_within, .. } = wanted;
        let is_built_in = args.inputs.is_empty();
        let loaded = match is_built_in {
            false => load::load(args, has_evidence)?,
            true => {
                let text = if args.until.is_none() { BUILT_IN } else { MOVING };
                Loaded { scene: built_in(text)?, unit: Some(Unit::Metre), ..Loaded::default() }
            }
        };
        let mut asked = loaded.asked(args);
        let up = loaded.up();
        let Loaded { scene, hulls, unit, holes, skipped, .. } = loaded;
        let title = match args.until {
            None => "Built-in scene: a small robot work cell, lengths in metres.",
            Some(_) => "Built-in scene: a ball, a door and a gripper that move, lengths in metres.",
        };
        let title = is_built_in.then_some(title);
        let margin = args.margin.or(is_built_in.then_some(BUILT_IN_MARGIN));
        let margin = margin.into_iter().chain(fail_within).reduce(f64::max);
        let rulings = Rulings::new(&scene, margin, fail_within, args.nodes);
        asked.margin = rulings.search_margin(&scene);
        let needs_all = wanted.baseline.is_some() || wanted.group_by.is_some();
        let kept = if has_page { limit.map(|limit| limit.max(page::findings(args))) } else { limit };
        let kept = kept.filter(|_| !needs_all);
        let report = Report { title, hulls, limit, fail_within, holes, skipped, ..Report::of(&scene, args, margin) };
        let mut answers = has_evidence.then(Answers::default);
        let mut answer = match args.until {
            Some(until) => Answer::Moving(until::check(&scene, report, rulings, until, kept)?),
            None => {
                // Depths that are compared with those of the last run.
                let needs_depths = wanted.baseline.is_some();
                Answer::Still(check(&scene, report, rulings, kept, needs_depths, args.nodes, answers.as_mut()))
            }
        };
        if needs_all {
            let measured = answer.measured();
            answer.report_mut().follow_and_group(&scene, wanted, &measured);
        }
        Ok(Self { scene, unit, up, asked, answer, answers })
    }

    /// The part that every check has.
    pub fn report(&self) -> &Report {
        match &self.answer {
            Answer::Still(report) => report,
            Answer::Moving(timeline) => &timeline.report,
        }
    }

    fn report_mut(&mut self) -> &mut Report {
        self.answer.report_mut()
    }

    /// The exit code: the first that applies of a file left out, something that collides or is too close, an open question.
    pub fn outcome(&self) -> Outcome {
        let report = self.report();
        let impacts = match &self.answer {
            Answer::Still(_) => 0,
            Answer::Moving(timeline) => timeline.impacts,
        };
        if !report.skipped.is_empty() {
            Outcome::BadInput
        } else if let Some(followup) = &report.followup {
            // Findings of the last run are known. A question that is open is open in every run.
            match (followup.is_failure(), report.undecided > 0) {
                (true, _) => Outcome::Bad,
                (false, true) => Outcome::Undecided,
                (false, false) => Outcome::Good,
            }
        } else if report.overlaps + impacts + report.too_close > 0 {
            Outcome::Bad
        } else if report.undecided > 0 {
            Outcome::Undecided
        } else {
            Outcome::Good
        }
    }
}

/// Writes a report. Everything is known before the first byte is written.
fn print(
    outcome: Outcome,
    write: impl FnOnce(&mut BufWriter<io::StdoutLock>) -> io::Result<()>,
) -> Result<Outcome, String> {
    let mut out = BufWriter::with_capacity(1 << 16, io::stdout().lock());
    let result = write(&mut out).and_then(|()| out.flush());
    output::written(result, outcome)
}

fn built_in(text: &str) -> Result<Scene, String> {
    Scene::parse_with_written(text, "the built-in scene", &Folder::none()).map_err(|error| error.to_string())
}

/// Queries all pairs; `report` is what is known without a query. `needs_depths` finds the depths of all overlaps, listed or not. `answers` keeps what evidence is made of.
fn check(
    scene: &Scene,
    mut report: Report,
    mut rulings: Rulings,
    limit: Option<usize>,
    needs_depths: bool,
    nodes: usize,
    mut answers: Option<&mut Answers>,
) -> Report {
    let world = scene.to_world(rulings.search_margin(scene));
    let mut doubts = if report.surfaces { Doubts::new() } else { undecided::still(scene) };
    let progress = Mutex::new(Progress::new("checking"));
    let mut worst = Worst::new(&report.names, limit);
    let tell = |done, total| {
        // Another thread is drawing: it will be drawn next time.
        if let Ok(mut progress) = progress.try_lock() {
            progress.at(done, total);
        }
    };
    let mut add = |found: Found| {
        if let Some(is_too_close) = rulings.judge(scene, &found, found.state(), found.witness.lower) {
            report.count_in(&found, is_too_close);
            worst.add(Found { is_too_close, ..found });
        }
    };
    world.all_pairs_within(&tell, |ids, clearance| {
        let bodies = ids.map(BodyId::slot);
        if let Some(answers) = &mut answers {
            answers.clearances.insert(bodies, *clearance);
        }
        add(Found { doubt: doubts.remove(&bodies), ..Found::new(bodies, clearance) });
    });
    // The rest is farther apart than the margin, as far as the surfaces go.
    for (bodies, doubt) in doubts {
        let [a, b] = bodies.map(|body| &scene.bodies[body as usize]);
        let clearance = distance(&a.shape, a.pose, &b.shape, b.pose);
        add(Found { doubt: Some(doubt), ..Found::new(bodies, &clearance) });
    }
    // Only of those that are listed, since a page may keep many more, or of all that are compared with the last run.
    let ask = |pairs: &mut [Found]| {
        let listed = pairs.len().min(report.limit.filter(|_| !needs_depths).unwrap_or(usize::MAX));
        depths::ask(scene, &mut pairs[..listed], nodes, answers);
    };
    let pairs = worst.into_sorted_with(ask);
    Report { pairs, rules: rulings.rules, ..report }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_count_of_checked_pairs_agrees_with_asking_for_each() {
        let scene = built_in(BUILT_IN).unwrap();
        let n = scene.bodies.len();
        let all = (0..n).flat_map(|a| (a + 1..n).map(move |b| (a, b)));
        assert_eq!(scene.count_checked(), all.filter(|&(a, b)| scene.is_checked(a, b)).count() as u64);
    }
}
