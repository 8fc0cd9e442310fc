//! State of a stream of queries: shapes with names, and pairs with caches.

use super::pairs::Pairs;
use clearance::math::DVec3;
use clearance::proof::{self, Evidence, Trail};
use clearance::{
    BuildError, DepthBudget, Engine, Interval, Motion, Pair, Pose, Ray, Shape, Sweep, cast_ray, cast_shape, depth,
    time_of_impact,
};
use clearance_io::proof::{
    Answered, Attached, Written, WrittenImpact, attach_cast, attach_depth, attach_impact, attach_ray, attach_recorded,
    written_motion,
};
use clearance_io::{Answer, Definitions, Folder, LineError, MotionsOfPair, Query, QueryKind};
use serde_json::value::RawValue;

/// The state between lines.
pub struct Session {
    folder: Folder,
    engine: Engine,
    definitions: Definitions,
    pairs: Pairs,
}

/// A line that needs an answer.
pub struct Task {
    id: Option<Box<RawValue>>,
    work: Result<Work, String>,
}

/// A query that can be answered.
struct Work {
    question: Question,
    pose_a: Pose,
    pose_b: Pose,
    engine: Engine,
    on: On,
    /// The shapes and poses as they were written, if evidence is wanted.
    written: Option<Box<Written>>,
}

/// The query.
enum Question {
    /// A `Pair` answers it, with its cache.
    Pair(PairQuestion),
    /// A search answers it, without a cache.
    Search(SearchQuestion),
}

/// A question that a `Pair` answers: later calls with similar poses are faster.
#[derive(Clone, Copy)]
enum PairQuestion {
    Intersects,
    Distance,
    Within { margin: f64 },
}

/// A question that a search answers: a depth, a time of impact, or a cast.
enum SearchQuestion {
    Depth(DepthBudget),
    Impact { motions: Box<[Motion; 2]>, asked: Box<MotionsOfPair> },
    CastShape { direction: DVec3, max: f64 },
    CastRay { direction: DVec3, max: f64 },
}

/// The bodies of a query.
#[allow(clippy::large_enum_variant)] // Boxing would put an allocation into every line without a pair.
enum On {
    /// Two shapes that nothing is remembered about.
    Shapes(Shape, Shape),
    /// The pair of that number, which holds until the next line is read.
    Pair(usize),
}

impl Task {
    /// A line that cannot be answered, and why.
    pub fn failed(id: Option<Box<RawValue>>, sentence: String) -> Self {
        Self { id, work: Err(sentence) }
    }

    /// Is there no answer but a sentence?
    pub fn has_failed(&self) -> bool {
        self.work.is_err()
    }
}

impl Session {
    /// Nothing known yet; `engine` answers the lines that name none, and every answer comes with its evidence if wanted.
    pub fn new(folder: Folder, engine: Engine, with_proof: bool) -> Self {
        let definitions = if with_proof { Definitions::with_written() } else { Definitions::new() };
        Self { folder, engine, definitions, pairs: Pairs::new() }
    }

    /// The same session, in which no pair is forgotten: all lines are read before the first is answered.
    pub fn keeping_all_pairs(mut self) -> Self {
        self.pairs.keep_all();
        self
    }

    /// Reads a line; nothing if it wants no answer.
    pub fn read(&mut self, text: &str, number: u64) -> Option<Task> {
        match self.definitions.read(text, number, &self.folder) {
            Ok(None) => None,
            Ok(Some(mut query)) => {
                let id = query.id.take();
                let work = self.prepare(query, text.len());
                let work = work.map_err(|sentence| format!("line {number}: {sentence}"));
                Some(Task { id, work })
            }
            Err(LineError { id, error }) => Some(Task::failed(id, error.to_string())),
        }
    }

    fn prepare(&mut self, query: Query, length: usize) -> Result<Work, String> {
        let Query { kind, a, pose_a, b, pose_b, engine, pair, written, .. } = query;
        let on = match pair {
            None => On::Shapes(a, b),
            Some(name) => On::Pair(self.remember(name, length, a, b)?),
        };
        let question = match kind {
            QueryKind::Intersects => Question::Pair(PairQuestion::Intersects),
            QueryKind::Distance => Question::Pair(PairQuestion::Distance),
            QueryKind::Within { margin } => Question::Pair(PairQuestion::Within { margin }),
            QueryKind::Depth(budget) => Question::Search(SearchQuestion::Depth(budget)),
            QueryKind::Impact(asked) => {
                let motions = asked.of_poses(pose_a, pose_b).map_err(|error| error.to_string())?;
                let motions = Box::new(motions);
                Question::Search(SearchQuestion::Impact { motions, asked })
            }
            QueryKind::CastShape { direction, max } => Question::Search(SearchQuestion::CastShape { direction, max }),
            QueryKind::CastRay { direction, max } => Question::Search(SearchQuestion::CastRay { direction, max }),
        };
        Ok(Work { question, pose_a, pose_b, engine: engine.unwrap_or(self.engine), on, written })
    }

    /// The number of a named pair, which keeps the shapes of its first line for as long as it is remembered.
    fn remember(&mut self, name: String, length: usize, a: Shape, b: Shape) -> Result<usize, String> {
        let Some(index) = self.pairs.find(&name) else { return Ok(self.pairs.insert(name, length, a, b)) };
        let known = &self.pairs[index];
        if known.a == a && known.b == b {
            return Ok(index);
        }
        Err(format!("the pair {name:?} began with other shapes; give this one a name of its own"))
    }

    /// Forgets what was learned about the pairs, but not which shapes they are.
    pub fn forget(&mut self) {
        self.pairs.forget_learned();
    }

    /// The answer of a line as it is printed.
    pub fn to_line(&self, task: &Task, Reply { answer, trail, evidence }: &Reply) -> String {
        let work = task.work.as_ref().ok();
        let shapes = work.map(|work| self.shapes(work));
        let attached = work.zip(shapes).and_then(|(work, [a, b])| {
            let written = work.written.as_deref()?;
            if let Question::Search(question) = &work.question {
                return Some(question.attach(written, evidence.as_deref()?.clone()));
            }
            let margin = match work.question {
                Question::Pair(PairQuestion::Within { margin }) => Some(margin),
                _ => None,
            };
            let answered = Answered { a, pose_a: work.pose_a, b, pose_b: work.pose_b, margin, written };
            attach_recorded(&answered, answer, trail)
        });
        answer.to_line_with(task.id.as_deref(), shapes, attached.as_ref())
    }

    /// Answers a line.
    pub fn answer(&mut self, task: &Task) -> Reply {
        let work = match &task.work {
            Ok(work) => work,
            Err(sentence) => return Reply::of(Answer::Error(sentence.clone())),
        };
        let question = match &work.question {
            Question::Pair(question) => *question,
            Question::Search(question) => {
                return question.answer(self.shapes(work), work.pose_a, work.pose_b, work.written.is_some());
            }
        };
        match &work.on {
            On::Shapes(a, b) => work.run(question, &mut Pair::new(a, b).engine(work.engine)),
            On::Pair(index) => work.run(question, self.pairs[*index].cache(work.engine)),
        }
    }

    fn shapes<'a>(&'a self, work: &'a Work) -> [&'a Shape; 2] {
        match &work.on {
            On::Shapes(a, b) => [a, b],
            On::Pair(index) => [&self.pairs[*index].a, &self.pairs[*index].b],
        }
    }
}

/// An answer, and the record of the search if evidence is wanted.
pub struct Reply {
    pub answer: Answer,
    trail: Trail,
    /// The evidence of an answer about shapes that move.
    evidence: Option<Box<Evidence>>,
}

impl Reply {
    fn of(answer: Answer) -> Self {
        Self { answer, trail: Trail::default(), evidence: None }
    }
}

impl SearchQuestion {
    fn answer(&self, [a, b]: [&Shape; 2], pose_a: Pose, pose_b: Pose, with_proof: bool) -> Reply {
        let answer = match with_proof {
            true => self.proved([a, b], pose_a, pose_b),
            false => self.plain([a, b], pose_a, pose_b).map(|answer| (answer, None)),
        };
        // A query that the library would refuse was refused when the line was read.
        let (answer, evidence) = answer.unwrap_or_else(|error| (Answer::Error(error.to_string()), None));
        Reply { evidence: evidence.map(Box::new), ..Reply::of(answer) }
    }

    fn plain(&self, [a, b]: [&Shape; 2], pose_a: Pose, pose_b: Pose) -> Result<Answer, BuildError> {
        Ok(match *self {
            Self::Depth(budget) => Answer::Depth(depth(a, pose_a, b, pose_b, budget)),
            Self::Impact { ref motions, ref asked } => {
                let ([motion_a, motion_b], interval) = (&**motions, Interval::new(asked.from, asked.until)?);
                Answer::Impact(time_of_impact(a, motion_a, b, motion_b, interval))
            }
            Self::CastShape { direction, max } => {
                Answer::CastShape(cast_shape(a, pose_a, b, &Sweep::new(pose_b, direction, max)?))
            }
            Self::CastRay { direction, max } => {
                Answer::CastRay(cast_ray(a, pose_a, &Ray::new(pose_b.translation(), direction, max)?))
            }
        })
    }

    /// The answer with its evidence.
    fn proved(
        &self,
        [a, b]: [&Shape; 2],
        pose_a: Pose,
        pose_b: Pose,
    ) -> Result<(Answer, Option<Evidence>), BuildError> {
        Ok(match *self {
            Self::Depth(budget) => {
                let (found, evidence) = proof::depth(a, pose_a, b, pose_b, budget);
                (Answer::Depth(found), evidence)
            }
            Self::Impact { ref motions, ref asked } => {
                let ([motion_a, motion_b], interval) = (&**motions, Interval::new(asked.from, asked.until)?);
                let (found, evidence) = proof::impact(a, motion_a, b, motion_b, interval);
                (Answer::Impact(found), evidence)
            }
            Self::CastShape { direction, max } => {
                let (hit, evidence) = proof::cast_shape(a, pose_a, b, &Sweep::new(pose_b, direction, max)?);
                (Answer::CastShape(hit), evidence)
            }
            Self::CastRay { direction, max } => {
                let (hit, evidence) = proof::cast_ray(a, pose_a, &Ray::new(pose_b.translation(), direction, max)?);
                (Answer::CastRay(hit), evidence)
            }
        })
    }

    /// The question and the evidence of its answer, for a line.
    fn attach(&self, written: &Written, evidence: Evidence) -> Attached {
        match self {
            Self::Impact { asked, .. } => {
                let motions = [&asked.a, &asked.b].map(written_motion);
                let written = WrittenImpact { start: written, motions, interval: [asked.from, asked.until] };
                attach_impact(&written, evidence)
            }
            Self::Depth(budget) => attach_depth(written, budget.scope, evidence),
            Self::CastShape { direction, max } => attach_cast(written, *direction, *max, evidence),
            Self::CastRay { direction, max } => attach_ray(written, *direction, *max, evidence),
        }
    }
}

impl Work {
    fn run(&self, question: PairQuestion, pair: &mut Pair) -> Reply {
        let mut trail = Trail::default();
        let (pose_a, pose_b, is_recorded) = (self.pose_a, self.pose_b, self.written.is_some());
        let answer = match question {
            PairQuestion::Intersects => Answer::Intersects(pair.intersects(pose_a, pose_b)),
            PairQuestion::Distance if is_recorded => {
                Answer::Distance(proof::distance(pair, pose_a, pose_b, &mut trail))
            }
            PairQuestion::Distance => Answer::Distance(pair.distance(pose_a, pose_b)),
            PairQuestion::Within { margin } if is_recorded => {
                Answer::Within(proof::within(pair, pose_a, pose_b, margin, &mut trail))
            }
            PairQuestion::Within { margin } => Answer::Within(pair.within(pose_a, pose_b, margin)),
        };
        Reply { trail, ..Reply::of(answer) }
    }
}
