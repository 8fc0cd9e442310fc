//! `clearance check --proof`: the evidence of a check, a line for every pair, as `clearance query --proof` writes them.
//!
//! The lines are about all pairs that were checked, and not only about those that are listed: that nothing else overlaps is what a check is
//! for. Shapes are written once, in a table before the lines; header and trailer bind all of it to the scene (`clearance_io::proof::file`).
//!
//! Bodies at rest are not queried again: the lines have the clearances and depths of the report ([`Answers`]). Moving bodies are, since a chain of
//! intervals is kept by no other search.

use super::progress::Progress;
use super::{Answer, Checked, Found, depths};
use crate::args::CheckArgs;
use crate::output;
use crate::replace::Replacement;
use clearance::depth::Scope;
use clearance::{Clearance, Depth, Interval, Motion, Shape, Status, proof};
use clearance_io::proof::{
    Answered, Attached, EvidenceWriter, Header, RequestShape, Written, WrittenImpact, attach, attach_depth,
    attach_impact,
};
use clearance_io::{Body, Scene, counted};
use clearance_verify as verify;
use serde_json::value::{RawValue, to_raw_value};
use std::collections::HashMap;
use std::io::{self, BufWriter, Write};
use std::path::{Path, PathBuf};
use std::sync::{Mutex, PoisonError};

/// Pairs that are proved before their lines are written. Limit: work for all processors; more take memory, since lines of meshes are long.
const BATCH: usize = 64;

/// The answers of a check, by the indices of the bodies.
#[derive(Default)]
pub struct Answers {
    /// The clearance of every pair within the margin. The check proved all others to be farther apart.
    pub clearances: HashMap<[u32; 2], Clearance>,
    /// The depths that were searched for, with their evidence.
    pub depths: HashMap<[u32; 2], (Depth, Option<verify::Evidence>)>,
}

/// Where the lines go.
pub enum Lines {
    Stream(BufWriter<io::Stdout>),
    /// A file that is not complete yet.
    File(PathBuf, Replacement),
}

/// A summary of the lines.
pub struct Evidence {
    /// The file, unless it is the standard output.
    path: Option<PathBuf>,
    pairs: u64,
    /// Pairs that have a line without evidence.
    without: u64,
}

impl Evidence {
    /// Is it all that goes to the standard output?
    pub fn is_all(&self) -> bool {
        self.path.is_none()
    }

    /// "The evidence for 92 pairs is in evidence.jsonl; to check it: clearance verify --scene cell.json evidence.jsonl".
    pub fn sentence(&self, args: &CheckArgs) -> String {
        let path = self.path.as_deref().map(super::words::pasted).unwrap_or_default();
        let pairs = counted(self.pairs, "pair", "pairs");
        let options = super::words::demand(args);
        format!("The evidence for {pairs} is in {path}; to check it: clearance verify{options} {path}")
    }

    /// A sentence about pairs without evidence, if there are any.
    fn shortfall(&self) -> Option<String> {
        let Self { pairs, without, .. } = *self;
        let have = if without == 1 { "has" } else { "have" };
        let whose = if without == 1 { "its line is" } else { "their lines are" };
        (without > 0)
            .then(|| format!("{without} of {} {have} no evidence; {whose} undecided", counted(pairs, "pair", "pairs")))
    }
}

impl Lines {
    /// Opens the file, before anything is checked: who cannot write it learns so at once.
    pub fn create(path: &Path, args: &CheckArgs) -> Result<Self, String> {
        if path == Path::new("-") {
            if args.json || args.csv || args.explain {
                return Err(
                    "--proof - takes the standard output for its lines; name a file to have a report as well".into()
                );
            }
            return Ok(Self::Stream(BufWriter::with_capacity(1 << 16, io::stdout())));
        }
        let file = Replacement::create(path).map_err(|error| cannot_write(path, &error))?;
        Ok(Self::File(path.to_owned(), file))
    }

    /// Writes the lines of all pairs. `nodes` is the budget of a depth search.
    pub fn write(self, checked: &Checked, nodes: usize) -> Result<Evidence, String> {
        let mut evidence = Evidence { path: None, pairs: 0, without: 0 };
        let answers = checked.answers.as_ref().ok_or("the check has kept no answers for its evidence")?;
        let prover = Prover::new(checked, answers, nodes)?;
        match self {
            Self::File(path, mut file) => {
                let result = prover.write(&mut file, &mut evidence).and_then(|()| file.finish());
                result.map_err(|error| cannot_write(&path, &error))?;
                evidence.path = Some(path);
            }
            Self::Stream(mut out) => match prover.write(&mut out, &mut evidence).and_then(|()| out.flush()) {
                // A reader that has gone away ends it quietly.
                Err(error) if error.kind() == io::ErrorKind::BrokenPipe => return Ok(evidence),
                result => result.map_err(|error| output::cannot_write(&error))?,
            },
        }
        if let Some(sentence) = evidence.shortfall() {
            // Not on the standard output, which may be for programs.
            let _ = writeln!(io::stderr().lock(), "note: {sentence}");
        }
        Ok(evidence)
    }
}

fn cannot_write(path: &Path, error: &io::Error) -> String {
    format!("{} cannot be written: {error}", path.display())
}

/// Makes the lines.
struct Prover<'a> {
    scene: &'a Scene,
    /// The check, and the names of shapes.
    header: Header,
    nodes: usize,
    margin: f64,
    answers: &'a Answers,
    /// For bodies that move: how, and until when.
    moving: Option<(Vec<Motion>, f64)>,
}

/// The lines of one pair.
struct Proved {
    lines: Vec<String>,
    has_evidence: bool,
}

impl<'a> Prover<'a> {
    fn new(checked: &'a Checked, answers: &'a Answers, nodes: usize) -> Result<Self, String> {
        let scene = &checked.scene;
        let moving = match &checked.answer {
            Answer::Still(_) => None,
            Answer::Moving(timeline) => {
                let motions = scene.bodies.iter().map(|body| body.motion.of_pose(body.pose));
                let motions = motions.collect::<Result<Vec<_>, _>>().map_err(|error| error.to_string())?;
                Some((motions, timeline.until))
            }
        };
        let header = Header::of(scene, &checked.asked);
        Ok(Self { scene, header, nodes, margin: checked.asked.margin, answers, moving })
    }

    fn write(&self, out: &mut impl Write, evidence: &mut Evidence) -> io::Result<()> {
        let mut progress = Progress::new("proving");
        let mut out = EvidenceWriter::new(out, &self.header, self.scene)?;
        let count = self.scene.bodies.len();
        let all = (0..count).flat_map(|a| (a + 1..count).map(move |b| [a, b]));
        let mut pairs = all.filter(|&[a, b]| self.scene.is_checked(a, b));
        loop {
            let batch: Vec<[usize; 2]> = pairs.by_ref().take(BATCH).collect();
            if batch.is_empty() {
                return out.finish();
            }
            for Proved { lines, has_evidence } in self.prove_all(&batch) {
                lines.iter().try_for_each(|line| out.line(line))?;
                evidence.pairs += 1;
                evidence.without += u64::from(!has_evidence);
            }
            progress.at(evidence.pairs as usize, self.header.pairs as usize);
        }
    }

    /// The lines of some pairs, in their order, on all processors; they do not depend on the number of processors.
    fn prove_all(&self, batch: &[[usize; 2]]) -> Vec<Proved> {
        let workers = std::thread::available_parallelism().map_or(1, usize::from).min(batch.len());
        let mut proved: Vec<Option<Proved>> = batch.iter().map(|_| None).collect();
        let queue = Mutex::new(batch.iter().zip(&mut proved));
        let next = || queue.lock().unwrap_or_else(PoisonError::into_inner).next();
        let work = || {
            while let Some((&pair, place)) = next() {
                *place = Some(self.prove(pair));
            }
        };
        std::thread::scope(|scope| (0..workers).for_each(|_| drop(scope.spawn(work))));
        proved.into_iter().flatten().collect()
    }

    fn prove(&self, [a, b]: [usize; 2]) -> Proved {
        let bodies = [&self.scene.bodies[a], &self.scene.bodies[b]];
        let id = to_raw_value(&bodies.map(|body| body.name.as_str())).ok();
        let names = [a, b].map(|index| self.header.bodies[index].shape.clone());
        let proved = Proved { lines: Vec::new(), has_evidence: true };
        let mut lines = PairLines { bodies, names, id, proved };
        match &self.moving {
            None => lines.still(self.margin, self.nodes, [a as u32, b as u32], self.answers),
            Some((motions, until)) => lines.moving([&motions[a], &motions[b]], *until, self.margin),
        }
        lines.proved
    }
}

/// Two bodies and their lines.
struct PairLines<'a> {
    bodies: [&'a Body; 2],
    /// The names of their shapes in the table.
    names: [Option<String>; 2],
    id: Option<Box<RawValue>>,
    proved: Proved,
}

impl PairLines<'_> {
    fn shapes(&self) -> [&Shape; 2] {
        self.bodies.map(|body| &body.shape)
    }

    /// The bodies as they were written.
    fn written(&self) -> Option<Written> {
        let [a, b] = self.bodies;
        Some(Written::of_bodies(a.written.as_ref()?, b.written.as_ref()?))
    }

    fn add(&mut self, answer: &clearance_io::Answer, mut attached: Option<Attached>) {
        if let (Some(attached), [Some(a), Some(b)]) = (&mut attached, &self.names) {
            (attached.request.a, attached.request.b) =
                (RequestShape::Named(a.clone()), Some(RequestShape::Named(b.clone())));
        }
        self.proved.lines.push(answer.to_line_with(self.id.as_deref(), Some(self.shapes()), attached.as_ref()));
        let is_given = |attached: Attached| attached.proof != verify::Evidence::default();
        self.proved.has_evidence &= attached.is_some_and(is_given);
    }

    /// Bodies at rest: within the margin, or beyond it.
    fn still(&mut self, margin: f64, nodes: usize, numbers: [u32; 2], answers: &Answers) {
        let [a, b] = self.bodies;
        let found = answers.clearances.get(&numbers).copied();
        let (answer, written) = (clearance_io::Answer::Within(found), self.written());
        let attached = written.as_ref().and_then(|written| {
            let margin = Some(margin);
            let answered = Answered { a: &a.shape, pose_a: a.pose, b: &b.shape, pose_b: b.pose, margin, written };
            attach(&answered, &answer)
        });
        self.add(&answer, attached);
        // The report has the depth of solids that overlap.
        let is_open = |found: &Found| found.overlaps() && found.status != Status::Converged && nodes > 0;
        if let Some(found) = found.map(|clearance| Found::new(numbers, &clearance)).filter(is_open) {
            // Pairs that are not listed were not searched.
            let search = || proof::depth(&a.shape, a.pose, &b.shape, b.pose, depths::budget(&found, nodes));
            let (depth, proof) = answers.depths.get(&numbers).cloned().unwrap_or_else(search);
            let attached = written.as_ref().zip(proof);
            let attached = attached.map(|(written, proof)| attach_depth(written, Scope::Any, proof));
            self.add(&clearance_io::Answer::Depth(depth), attached);
        }
    }

    /// Bodies that move.
    fn moving(&mut self, [motion_a, motion_b]: [&Motion; 2], until: f64, margin: f64) {
        let [a, b] = self.bodies;
        // Motions that the library refuses were refused when the scene was read.
        let (answer, proof) = match Interval::new(0.0, until) {
            Ok(interval) => {
                let (found, proof) = proof::approach(&a.shape, motion_a, &b.shape, motion_b, interval, margin);
                (clearance_io::Answer::Impact(found), proof)
            }
            Err(error) => (clearance_io::Answer::Error(error.to_string()), None),
        };
        let attached = self.written().zip(proof).and_then(|(start, proof)| {
            let motions = [a.written.as_ref()?.motion.clone(), b.written.as_ref()?.motion.clone()];
            let written = WrittenImpact { start: &start, motions, interval: [0.0, until] };
            Some(attach_impact(&written, proof))
        });
        self.add(&answer, attached);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn pairs_without_evidence_are_counted_in_a_sentence() {
        let shortfall = |pairs, without| Evidence { path: None, pairs, without }.shortfall();
        assert_eq!(shortfall(7, 0), None);
        assert_eq!(shortfall(1, 1).unwrap(), "1 of 1 pair has no evidence; its line is undecided");
        assert_eq!(shortfall(7, 3).unwrap(), "3 of 7 pairs have no evidence; their lines are undecided");
    }

    #[test]
    fn a_body_that_nobody_has_written_has_a_line_without_evidence() {
        let ball = |name: &str| Body {
            name: name.into(),
            shape: Shape::sphere(1.0).expect("a ball"),
            pose: clearance::Pose::IDENTITY,
            group: None,
            motion: clearance_io::Motion::Fixed,
            tags: clearance_io::Tags::default(),
            written: None,
        };
        let bodies = [&ball("a"), &ball("b")];
        for is_moving in [false, true] {
            let proved = Proved { lines: Vec::new(), has_evidence: true };
            let mut lines = PairLines { bodies, names: [None, None], id: to_raw_value(&["a", "b"]).ok(), proved };
            let rest = Motion::fixed(clearance::Pose::IDENTITY);
            match is_moving {
                false => lines.still(0.0, 1000, [0, 1], &Answers::default()),
                true => lines.moving([&rest, &rest], 1.0, 0.0),
            }
            let Proved { lines, has_evidence } = lines.proved;
            let is_bare = |line: &String| line.starts_with(r#"{"id":["a","b"],"#) && !line.contains("request");
            assert!(!has_evidence && lines.iter().all(is_bare), "{lines:?}");
        }
    }

    #[test]
    fn a_line_has_the_answer_of_the_check() {
        let scene = super::super::built_in(super::super::BUILT_IN).unwrap();
        let bodies = [&scene.bodies[0], &scene.bodies[1]];
        let [a, b] = bodies;
        let mut told = clearance::distance(&a.shape, a.pose, &b.shape, b.pose);
        // No query would answer this.
        (told.distance, told.lower, told.upper) = (0.1234, 0.1233, 0.1235);
        for (clearances, word) in [(HashMap::new(), "\"within\":false"), (HashMap::from([([0, 1], told)]), "0.1234")] {
            let answers = Answers { clearances, ..Answers::default() };
            let proved = Proved { lines: Vec::new(), has_evidence: true };
            let mut lines = PairLines { bodies, names: [None, None], id: None, proved };
            lines.still(1.0, 1000, [0, 1], &answers);
            assert!(lines.proved.lines[0].contains(word), "{:?}", lines.proved.lines);
        }
    }
}
