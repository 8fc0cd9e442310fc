//! Reads evidence line by line, and demands of the evidence of a check that it is whole.
//!
//! The first line distinguishes two kinds of input:
//!
//! - A header begins the evidence of a check. It must end with a trailer, and have the lines of every pair that the header names, in the order of
//!   the bodies. With a scene at hand, header, shapes, poses, motions, margin and interval must be those of the scene:
//!   nothing in the file is believed.
//! - Any other line begins a stream of answers of `query --proof`. Each line stands for itself, and nothing says how many there should be.
//!
//! The statement that is demanded of a pair is explicit. Of bodies that rest it is "within the margin" or "beyond it", of moving bodies
//! "they meet" or "they are clear of each other" in the whole interval from 0 on. Only such a statement that the checker proves counts.

use super::claim::read_claim_about;
use super::file::{Asked, EVIDENCE_FORMAT, Header, HeaderBody, LineHash, Trailer};
use super::{Claimed, Content, DepthContent, ImpactContent, WrittenBody};
use crate::error::{Error, Place};
use crate::files::Folder;
use crate::json::quoted;
use crate::query::{Definitions, LineError};
use crate::rules::{Rule, Rules};
use crate::scene::Scene;
use clearance_verify as verify;
use serde::Deserialize;
use serde_json::value::RawValue;
use std::collections::{HashMap, HashSet};

/// Pairs that are visited to name the first one that is missing, at most. Limit: a check can leave out nearly all of its pairs, and the name
/// only helps a reader.
const MOST_STEPS: usize = 10_000;

/// A scene, and the header that evidence of its check must have.
#[derive(Debug)]
pub struct SceneDemand<'s> {
    scene: &'s Scene,
    header: Header,
}

impl<'s> SceneDemand<'s> {
    /// A check of a scene, whose bodies say how they were written.
    #[must_use]
    pub fn new(scene: &'s Scene, asked: &Asked) -> Self {
        Self { scene, header: Header::of(scene, asked) }
    }
}

/// An answer that was read and checked.
#[derive(Debug, Clone)]
pub struct Judged {
    /// Its id, as it was written.
    pub id: Option<Box<RawValue>>,
    /// The verdict; `None` for an answer that is an error.
    pub verdict: Option<verify::Verdict>,
}

/// How many pairs of a check are proved to be clear or to meet.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, serde::Serialize)]
pub struct PairCounts {
    /// How many pairs are checked.
    pub pairs: u64,
    /// Proved to be beyond the margin, or clear of each other in the whole interval.
    pub clear: u64,
    /// Proved to be within the margin (overlaps included), or to meet in the interval.
    pub meet: u64,
    /// Pairs of which neither is proved: undecided, refuted, in error, or without a line.
    pub open: u64,
}

/// Reads the lines of `check --proof` or `query --proof`.
#[derive(Debug)]
pub struct EvidenceReader<'s> {
    scene: Option<&'s SceneDemand<'s>>,
    shapes: Definitions,
    stage: Stage,
}

#[derive(Debug)]
enum Stage {
    /// Nothing was read.
    Start,
    /// Answers, each for itself.
    Stream,
    /// The evidence of a check, behind its header.
    Check(Box<Demand>),
    /// Behind its trailer.
    End(Box<Demand>),
}

impl<'s> EvidenceReader<'s> {
    /// A reader of any evidence; with a scene, only that of its check will do.
    #[must_use]
    pub fn new(scene: Option<&'s SceneDemand<'s>>) -> Self {
        Self { scene, shapes: Definitions::with_written(), stage: Stage::Start }
    }

    /// Reads a line that is not blank, of that number counted from 1; `before` has all lines before it. Nothing is returned for a line
    /// that is no answer.
    ///
    /// # Errors
    ///
    /// If the line cannot be read, or does not belong where it is. The lines after it can be read nevertheless.
    pub fn read(&mut self, line: &str, number: u64, before: &LineHash) -> Result<Option<Judged>, LineError> {
        let bad = |message: String| LineError { id: None, error: Error::Field { place: Place::line(number), message } };
        let kind = Kind::of(line);
        if matches!(self.stage, Stage::Start) {
            let (demand, problem) = self.begin(line, kind == Kind::Header);
            self.stage = demand.map_or(Stage::Stream, |demand| Stage::Check(Box::new(demand)));
            match problem {
                Some(problem) => return Err(bad(problem)),
                None if kind == Kind::Header => return Ok(None),
                None => {}
            }
        }
        let demand = match (&mut self.stage, kind) {
            (Stage::End(_), _) => {
                return Err(bad("there is a line behind the trailer; the evidence was altered".into()));
            }
            (_, Kind::Header) => {
                return Err(bad("a header is the first line, and there is one; the evidence was altered".into()));
            }
            (Stage::Start | Stage::Stream, Kind::Shape | Kind::Trailer) => {
                return Err(bad("the line belongs to the evidence of a check, but the header is missing".into()));
            }
            (Stage::Start | Stage::Stream, Kind::Answer) => None,
            (Stage::Check(_), Kind::Shape) => return self.define(line, number).map(|()| None),
            (Stage::Check(_), Kind::Trailer) => {
                if let Stage::Check(demand) = std::mem::replace(&mut self.stage, Stage::Stream) {
                    self.stage = Stage::End(demand);
                }
                let trailer: Trailer = parse(line).map_err(bad)?;
                let is_whole = trailer == before.trailer();
                let altered = "the trailer does not fit the lines before it; the evidence was altered or lacks lines";
                return if is_whole { Ok(None) } else { Err(bad(altered.into())) };
            }
            (Stage::Check(demand), Kind::Answer) => Some(demand),
        };
        let of_answer = |error| LineError { id: None, error };
        let Claimed { id, content } = read_claim_about(line, number, &self.shapes).map_err(of_answer)?;
        let verdict = match demand {
            None => content.verdict(),
            Some(demand) => {
                let bound = demand.bind(id.as_deref(), &content, self.scene.map(|of| of.scene));
                let is_first = bound.map_err(|message| LineError { id: id.clone(), ..bad(message) })?;
                let verdict = content.verdict();
                if is_first {
                    demand.count(&content, verdict.as_ref());
                }
                verdict
            }
        };
        Ok(Some(Judged { id, verdict }))
    }

    /// The faults of the input as a whole, a sentence for each, and the counts of pairs of a check.
    #[must_use]
    pub fn finish(self) -> (Vec<String>, Option<PairCounts>) {
        match self.stage {
            Stage::Start => (vec!["the evidence is empty".into()], None),
            Stage::Stream => (Vec::new(), None),
            Stage::End(demand) => demand.finish(Vec::new()),
            Stage::Check(demand) => demand.finish(vec!["the trailer is missing; the evidence breaks off".into()]),
        }
    }

    /// The demand of a check, if the line begins one, and the fault of its header.
    fn begin(&self, line: &str, is_header: bool) -> (Option<Demand>, Option<String>) {
        let found: Option<Result<Header, String>> = is_header.then(|| parse(line));
        match (self.scene, found) {
            (None, None) => (None, None),
            (None, Some(Err(problem))) => (None, Some(problem)),
            (None, Some(Ok(header))) => {
                let format =
                    format!("the format is {}, but only {EVIDENCE_FORMAT:?} can be checked", quoted(&header.format));
                let is_known = header.format == EVIDENCE_FORMAT;
                match Demand::of(header) {
                    Ok(demand) => (Some(demand), (!is_known).then_some(format)),
                    Err(problem) => (None, Some(problem)),
                }
            }
            (Some(scene), found) => {
                let problem = match found {
                    None => Some("the header is missing; it is not the evidence of a check".into()),
                    Some(Err(problem)) => Some(problem),
                    Some(Ok(header)) => header.difference(&scene.header),
                };
                // The demand comes from the scene, even if the header differs.
                (Demand::of(scene.header.clone()).ok(), problem)
            }
        }
    }

    fn define(&mut self, line: &str, number: u64) -> Result<(), LineError> {
        #[derive(Deserialize)]
        struct Name {
            define: String,
        }
        let name: Result<Name, _> = serde_json::from_str(line);
        if let Ok(Name { define }) = name
            && self.shapes.has(&define)
        {
            let message = format!("the shape {} is defined twice; the evidence was altered", quoted(&define));
            return Err(LineError { id: None, error: Error::Field { place: Place::line(number), message } });
        }
        self.shapes.read(line, number, &Folder::none()).map(drop)
    }
}

/// The kind of a line, by its first field.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Kind {
    Header,
    Shape,
    Trailer,
    Answer,
}

impl Kind {
    fn of(line: &str) -> Self {
        let first = line.trim_start().strip_prefix('{').map_or("", str::trim_start);
        [("\"format\"", Self::Header), ("\"define\"", Self::Shape), ("\"end\"", Self::Trailer)]
            .into_iter()
            .find_map(|(name, kind)| first.starts_with(name).then_some(kind))
            .unwrap_or(Self::Answer)
    }
}

/// Parses a header or a trailer. The error is a sentence without the place, which the caller adds.
fn parse<'l, T: Deserialize<'l>>(line: &'l str) -> Result<T, String> {
    serde_json::from_str(line).map_err(|error| {
        let text = error.to_string();
        let what = text.split(" at line ").next().unwrap_or_default();
        format!("this is no header or trailer of {EVIDENCE_FORMAT} ({what})")
    })
}

/// The pairs that a check has to answer, and how far its lines have come.
#[derive(Debug)]
struct Demand {
    header: Header,
    indices: HashMap<String, usize>,
    groups: Vec<Option<u32>>,
    ignore: HashSet<[usize; 2]>,
    rules: Rules,
    last: Option<[usize; 2]>,
    first_missing: Option<[usize; 2]>,
    seen: u64,
    counts: PairCounts,
}

impl Demand {
    fn of(header: Header) -> Result<Self, String> {
        let (mut indices, mut groups, mut numbers) = (HashMap::new(), Vec::new(), HashMap::new());
        for (index, body) in header.bodies.iter().enumerate() {
            if indices.insert(body.name.clone(), index).is_some() {
                return Err(format!("the header has two bodies {}", quoted(&body.name)));
            }
            let next = numbers.len() as u32;
            groups.push(body.group.as_ref().map(|group| *numbers.entry(group.clone()).or_insert(next)));
        }
        let mut ignore = HashSet::new();
        for [a, b] in &header.ignore {
            let (Some(&a), Some(&b)) = (indices.get(a), indices.get(b)) else {
                return Err("the header ignores a pair of bodies that are not there".into());
            };
            ignore.insert([a.min(b), a.max(b)]);
        }
        let rules = header.rules.iter().map(|text| text.parse()).collect::<Result<Vec<Rule>, String>>()?;
        let rules = Rules::new(rules, header.bodies.iter().map(HeaderBody::labels))?;
        let (last, first_missing) = (None, None);
        let counts = PairCounts { pairs: header.pairs, ..PairCounts::default() };
        Ok(Self { header, indices, groups, ignore, rules, last, first_missing, seen: 0, counts })
    }

    fn is_checked(&self, [a, b]: [usize; 2]) -> bool {
        let same_group = self.groups[a].is_some() && self.groups[a] == self.groups[b];
        a < b && !same_group && !self.ignore.contains(&[a, b]) && self.rules.is_checked(a, b)
    }

    /// The pair that comes next, unless very many that are not checked lie between.
    fn next(&self) -> Option<[usize; 2]> {
        let count = self.groups.len();
        let after = |[a, b]: [usize; 2]| if b + 1 < count { [a, b + 1] } else { [a + 1, a + 2] };
        let first = self.last.map_or([0, 1], after);
        let all = std::iter::successors(Some(first), |pair| Some(after(*pair))).take(MOST_STEPS);
        all.take_while(|[_, b]| *b < count).find(|pair| self.is_checked(*pair))
    }

    fn names(&self, pair: [usize; 2]) -> String {
        let [a, b] = pair.map(|index| quoted(&self.header.bodies[index].name));
        format!("{a} and {b}")
    }

    /// Finds the pair of a line and compares its query with the demand. Returns whether it is the first line of the pair.
    fn bind(&mut self, id: Option<&RawValue>, content: &Content, scene: Option<&Scene>) -> Result<bool, String> {
        let names: Option<[String; 2]> = id.and_then(|id| serde_json::from_str(id.get()).ok());
        let names = names.ok_or("the id is not the names of two bodies; the evidence was altered")?;
        let [a, b] = names.each_ref().map(|name| self.indices.get(name).copied());
        let (Some(a), Some(b)) = (a, b) else {
            return Err("the id names a body that the check does not have; it is evidence of another scene".into());
        };
        let pair = [a, b];
        if !self.is_checked(pair) {
            return Err("the check does not have this pair; the evidence was altered".into());
        }
        let is_first = self.last != Some(pair);
        if self.last.is_some_and(|last| pair < last) {
            return Err("the line is out of order or repeats a pair; the evidence was altered".into());
        }
        self.compare(content, is_first)?;
        if let Some(scene) = scene {
            let written = pair.map(|index| scene.bodies[index].written.as_ref());
            if !is_about(content, written) {
                let names = self.names(pair);
                return Err(format!("shapes, poses or motions of {names} are not those of the scene; check again"));
            }
        }
        if is_first {
            if self.first_missing.is_none() {
                self.first_missing = self.next().filter(|next| *next != pair);
            }
            self.last = Some(pair);
            self.seen += 1;
        }
        Ok(is_first)
    }

    /// Is it an answer to what the check asks about a pair, with its margin and interval?
    fn compare(&self, content: &Content, is_first: bool) -> Result<(), String> {
        let Header { margin, until, .. } = self.header;
        let is_right = match (content, until) {
            // Nothing is claimed, so that nothing has to fit.
            (Content::Error | Content::Decided(_), _) => true,
            (Content::Claim(content, _), None) => match content.1 {
                verify::Claim::Within { margin: of, .. } | verify::Claim::Beyond { margin: of } => {
                    is_first && of == margin
                }
                verify::Claim::Intersects(_) | verify::Claim::Distance(_) | verify::Claim::Bracket { .. } => false,
            },
            (Content::Depth(..), None) => !is_first,
            (Content::Impact(content, _), Some(until)) => {
                is_first && content.query.from == 0.0 && content.query.until == until
            }
            (Content::Claim(..), Some(_)) | (Content::Depth(..), Some(_)) | (Content::Impact(..), None) => false,
            (Content::Ray(..), _) => false,
        };
        let wanted = "the line answers another question than the check asks, or with another margin or interval";
        if is_right { Ok(()) } else { Err(wanted.into()) }
    }

    /// Counts the statement of a pair: only what the checker proved is one.
    fn count(&mut self, content: &Content, verdict: Option<&verify::Verdict>) {
        let is_proved = verdict == Some(&verify::Verdict::Proved);
        let is_clear = match content {
            Content::Claim(content, _) => match content.1 {
                verify::Claim::Beyond { .. } => Some(true),
                verify::Claim::Within { .. } => Some(false),
                verify::Claim::Intersects(_) | verify::Claim::Distance(_) | verify::Claim::Bracket { .. } => None,
            },
            Content::Impact(content, _) => match content.claim {
                verify::ImpactClaim::Clear { .. } => Some(true),
                verify::ImpactClaim::Hit { .. } | verify::ImpactClaim::Touching => Some(false),
            },
            Content::Depth(..) | Content::Ray(..) | Content::Decided(_) | Content::Error => None,
        };
        match is_clear.filter(|_| is_proved) {
            Some(true) => self.counts.clear += 1,
            Some(false) => self.counts.meet += 1,
            None => {}
        }
    }

    fn finish(self, mut problems: Vec<String>) -> (Vec<String>, Option<PairCounts>) {
        let Header { pairs, .. } = self.header;
        if self.seen < pairs {
            let (missing, seen) = (pairs - self.seen, self.seen);
            let first = self.first_missing.or_else(|| self.next());
            let first = first.map_or(String::new(), |pair| format!(", the first is {}", self.names(pair)));
            problems.push(format!("{missing} of {pairs} pairs have no line{first} ({seen} have one)"));
        } else if self.seen > pairs {
            problems.push(format!("there are lines of {} pairs, but the header has {pairs}", self.seen));
        }
        let open = pairs.saturating_sub(self.counts.clear + self.counts.meet);
        (problems, Some(PairCounts { open, ..self.counts }))
    }
}

/// Is a claim about these two bodies, as they were written? One without a query is about nothing.
fn is_about(content: &Content, [a, b]: [Option<&WrittenBody>; 2]) -> bool {
    let query = match content {
        Content::Error | Content::Decided(_) => return true,
        Content::Ray(..) => return false,
        Content::Claim(content, _) => &content.0,
        Content::Depth(content, _) => {
            let DepthContent { query, .. } = &**content;
            query
        }
        Content::Impact(content, _) => {
            let ImpactContent { query, .. } = &**content;
            if !a.is_some_and(|a| a.motion == query.motion_a) || !b.is_some_and(|b| b.motion == query.motion_b) {
                return false;
            }
            &query.start
        }
    };
    let is = |body: Option<&WrittenBody>, shape: &verify::Shape, pose: &verify::Pose| {
        body.is_some_and(|body| *body.shape == *shape && body.pose == *pose)
    };
    is(a, &query.a, &query.pose_a) && is(b, &query.b, &query.pose_b)
}
