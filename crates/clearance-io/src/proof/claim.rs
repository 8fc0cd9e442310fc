//! Answers that are read back, ready for the checker. Every field of a line is a claim, so every field is accounted for.

use super::{Written, convert, written_motion};
use crate::answer::Answer;
use crate::error::{Error, Place};
use crate::json::quoted;
use crate::query::{Definitions, MotionsOfPair, Query, QueryKind};
use clearance::Shape;
use clearance::depth::Scope;
use clearance::math::DVec3;
use clearance_verify as verify;
use serde::de::{Deserializer, IgnoredAny, MapAccess, Visitor};
use serde::{Deserialize, de};
use serde_json::value::RawValue;
use std::fmt;
use std::sync::Arc;

/// An answer that was read back.
#[derive(Debug, Clone)]
pub struct Claimed {
    /// The id of the answer, as it was written.
    pub id: Option<Box<RawValue>>,
    /// What it is.
    pub content: Content,
}

/// What a line of answers is.
#[derive(Debug, Clone)]
pub enum Content {
    /// Something that can be checked; if there is a reason, it cannot be proved for that reason.
    Claim(Box<(verify::Query, verify::Claim, verify::Evidence)>, Option<String>),
    /// Something about moving bodies that can be checked, likewise; a hit may have points that meet.
    Impact(Box<ImpactContent>, Option<String>),
    /// Something about a depth that can be checked, likewise.
    Depth(Box<DepthContent>, Option<String>),
    /// Something about a ray that can be checked, likewise.
    Ray(Box<RayContent>, Option<String>),
    /// Something about which there is nothing more to find out.
    Decided(verify::Verdict),
    /// An error, which answers nothing.
    Error,
}

/// A claim about a depth.
#[derive(Debug, Clone)]
pub struct DepthContent {
    /// What was asked.
    pub query: verify::Query,
    /// What is claimed.
    pub claim: verify::DepthClaim,
    /// What it rests on.
    pub evidence: verify::Evidence,
}

/// A claim about a ray.
#[derive(Debug, Clone)]
pub struct RayContent {
    /// What was asked.
    pub query: verify::RayQuery,
    /// What is claimed.
    pub claim: verify::RayClaim,
    /// What it rests on.
    pub evidence: verify::Evidence,
}

/// A claim about moving bodies, or about a shape that is cast.
#[derive(Debug, Clone)]
pub struct ImpactContent {
    /// What was asked.
    pub query: verify::MovingQuery,
    /// What is claimed about times and gaps.
    pub claim: verify::ImpactClaim,
    /// What is claimed about points that meet.
    pub contact: Option<verify::ContactClaim>,
    /// What is claimed about the clearance at the start.
    pub start: Option<verify::Distance>,
    /// What it rests on.
    pub evidence: verify::Evidence,
}

impl ImpactContent {
    fn verdict(&self) -> verify::Verdict {
        let Self { query, claim, contact, start, evidence } = self;
        let mut verdict = verify::check_impact(query, claim, evidence);
        if let (verify::Verdict::Proved, Some(contact)) = (&verdict, contact) {
            verdict = verify::check_contact(query, contact, evidence);
        }
        if let (verify::Verdict::Proved, Some(start)) = (&verdict, start) {
            verdict = verify::check_start(query, start, evidence);
        }
        verdict
    }
}

impl Content {
    /// What the checker says about it; nothing about an error.
    #[must_use]
    pub fn verdict(&self) -> Option<verify::Verdict> {
        let whole = |verdict: verify::Verdict, unchecked: &Option<String>| match (verdict, unchecked) {
            (verify::Verdict::Proved, Some(reason)) => verify::Verdict::Undecided(reason.clone()),
            (verdict, _) => verdict,
        };
        match self {
            Self::Error => None,
            Self::Decided(verdict) => Some(verdict.clone()),
            Self::Claim(content, unchecked) => {
                let (query, claim, evidence) = &**content;
                Some(whole(verify::check(query, claim, evidence), unchecked))
            }
            Self::Impact(content, unchecked) => Some(whole(content.verdict(), unchecked)),
            Self::Depth(content, unchecked) => {
                let DepthContent { query, claim, evidence } = &**content;
                Some(whole(verify::check_depth(query, claim, evidence), unchecked))
            }
            Self::Ray(content, unchecked) => {
                let RayContent { query, claim, evidence } = &**content;
                Some(whole(verify::check_ray(query, claim, evidence), unchecked))
            }
        }
    }
}

/// A field that is there: null, or a value.
type Given<T> = Option<Option<T>>;

/// The fields of an answer line.
#[derive(Default)]
struct AnswerLine {
    id: Option<Box<RawValue>>,
    error: Given<String>,
    intersects: Given<bool>,
    within: Given<bool>,
    distance: Given<f64>,
    point_a: Given<[f64; 3]>,
    point_b: Given<[f64; 3]>,
    normal: Given<[f64; 3]>,
    lower: Given<f64>,
    upper: Given<f64>,
    status: Given<String>,
    features: Given<[String; 2]>,
    impact: Given<String>,
    time: Given<f64>,
    closest_approach: Given<ApproachFields>,
    depth: Given<f64>,
    translation: Given<[f64; 3]>,
    hit: Given<bool>,
    point: Given<[f64; 3]>,
    inside: Given<bool>,
    touching: Given<bool>,
    request: Given<Box<RawValue>>,
    proof: Given<verify::Evidence>,
    /// Names that mean nothing here.
    unknown: Vec<String>,
}

/// How close bodies come that do not meet. JSON has no infinities: an upper bound of null claims nothing, and its time is the start.
#[derive(Clone, Copy, Deserialize)]
#[serde(deny_unknown_fields)]
struct ApproachFields {
    lower: f64,
    upper: Option<f64>,
    /// The time of the evidence at which they are that close.
    time: f64,
}

/// So many unknown names are told.
const MOST_NAMES: usize = 8;

impl<'de> Deserialize<'de> for AnswerLine {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        struct Reader;

        impl<'de> Visitor<'de> for Reader {
            type Value = AnswerLine;

            fn expecting(&self, f: &mut fmt::Formatter) -> fmt::Result {
                f.write_str("an answer")
            }

            fn visit_map<A: MapAccess<'de>>(self, mut map: A) -> Result<AnswerLine, A::Error> {
                let mut line = AnswerLine::default();
                while let Some(name) = map.next_key::<String>()? {
                    macro_rules! field {
                        ($field:ident) => {{
                            if line.$field.is_some() {
                                return Err(de::Error::custom(concat!("there are two fields ", stringify!($field))));
                            }
                            line.$field = Some(map.next_value()?);
                        }};
                    }
                    match name.as_str() {
                        "id" => field!(id),
                        "error" => field!(error),
                        "intersects" => field!(intersects),
                        "within" => field!(within),
                        "distance" => field!(distance),
                        "point_a" => field!(point_a),
                        "point_b" => field!(point_b),
                        "normal" => field!(normal),
                        "lower" => field!(lower),
                        "upper" => field!(upper),
                        "status" => field!(status),
                        "features" => field!(features),
                        "impact" => field!(impact),
                        "time" => field!(time),
                        "closest_approach" => field!(closest_approach),
                        "depth" => field!(depth),
                        "translation" => field!(translation),
                        "hit" => field!(hit),
                        "point" => field!(point),
                        "inside" => field!(inside),
                        "touching" => field!(touching),
                        "request" => field!(request),
                        "proof" => field!(proof),
                        _ => {
                            let IgnoredAny = map.next_value()?;
                            // A comment claims nothing, nor does the name of a cache.
                            if !name.starts_with('_') && name != "pair" && line.unknown.len() <= MOST_NAMES {
                                line.unknown.push(name);
                            }
                        }
                    }
                }
                Ok(line)
            }
        }

        deserializer.deserialize_map(Reader)
    }
}

impl AnswerLine {
    /// The fields that are there beside those that belong to such an answer.
    fn beside(&self, is_wanted: impl Fn(&str) -> bool) -> Option<String> {
        let given = [
            ("intersects", self.intersects.is_some()),
            ("within", self.within.is_some()),
            ("distance", self.distance.is_some()),
            ("point_a", self.point_a.is_some()),
            ("point_b", self.point_b.is_some()),
            ("normal", self.normal.is_some()),
            ("lower", self.lower.is_some()),
            ("upper", self.upper.is_some()),
            ("status", self.status.is_some()),
            ("features", self.features.is_some()),
            ("impact", self.impact.is_some()),
            ("time", self.time.is_some()),
            ("closest_approach", self.closest_approach.is_some()),
            ("depth", self.depth.is_some()),
            ("translation", self.translation.is_some()),
            ("hit", self.hit.is_some()),
            ("point", self.point.is_some()),
            ("inside", self.inside.is_some()),
            ("touching", self.touching.is_some()),
        ];
        let strange = given.into_iter().filter(|(name, is_given)| *is_given && !is_wanted(name));
        let all: Vec<String> =
            strange.map(|(name, _)| name.to_owned()).chain(self.unknown.iter().map(|name| quoted(name))).collect();
        (!all.is_empty()).then(|| format!("fields that cannot be checked: {}", all.join(", ")))
    }
}

/// What keeps a claim from being made of a line.
enum Stop {
    /// The line is no answer as the format has them.
    Bad(Error),
    /// A field says something that no answer says.
    Nonsense(String),
}

/// Reads an answer line, of that number counted from 1; the shapes of its request have no names.
pub fn read_claim(line: &str, number: u64) -> Result<Claimed, Error> {
    read_claim_about(line, number, &Definitions::with_written())
}

/// Reads an answer line whose request may name shapes that were defined.
pub(super) fn read_claim_about(line: &str, number: u64, shapes: &Definitions) -> Result<Claimed, Error> {
    let read: AnswerLine = serde_json::from_str(line).map_err(|error| {
        let place = Place::line(number).at_column(error.column() as u64);
        let text = error.to_string();
        let what = text.split(" at line ").next().unwrap_or_default();
        Error::Syntax { place, message: format!("this is no answer that can be checked ({what})") }
    })?;
    let id = read.id.clone();
    let content = match content(read, number, shapes) {
        Ok(content) => content,
        Err(Stop::Nonsense(reason)) => Content::Decided(verify::Verdict::Refuted(reason)),
        Err(Stop::Bad(error)) => return Err(error),
    };
    Ok(Claimed { id, content })
}

/// The query of a line, read and checked like a line of `clearance query`: a request that would be refused there is refused here.
fn request(text: &RawValue, number: u64, shapes: &Definitions) -> Result<Query, Stop> {
    let refuse = |message: String| {
        Stop::Bad(Error::Field { place: Place::line(number), message: format!("request: {message}") })
    };
    let query = shapes.read_query(text.get(), number).map_err(|failed| match failed.error {
        // The column is that of the request, which means nothing in the line.
        Error::Syntax { message, .. } | Error::Field { message, .. } => refuse(message),
        other => refuse(other.to_string()),
    })?;
    if let QueryKind::Impact(motions) = &query.kind {
        motions.of_poses(query.pose_a, query.pose_b).map_err(|error| refuse(error.to_string()))?;
    }
    Ok(query)
}

fn content(mut read: AnswerLine, number: u64, shapes: &Definitions) -> Result<Content, Stop> {
    let refuse = |message: String| Stop::Bad(Error::Field { place: Place::line(number), message });
    if read.error.is_some() {
        return Ok(Content::Error);
    }
    let undecided = |reason: &str| Ok(Content::Decided(verify::Verdict::Undecided(reason.into())));
    let Some(given) = read.request.take() else {
        return undecided("the line has no field request; answer with query --proof");
    };
    let Some(given) = given else {
        return Err(refuse("request is null, but must be the query that was asked".into()));
    };
    let Query { kind, written, .. } = request(&given, number, shapes)?;
    let Some(written) = written else {
        return undecided("the checker does not know a shape of the request");
    };
    let yes_or_no =
        |given: Given<bool>| given.flatten().ok_or_else(|| refuse("the answer has no yes or no; add it".into()));
    let (claim, unchecked) = match kind {
        QueryKind::Impact(motions) => return impact(read, *written, &motions, number),
        QueryKind::Depth(budget) => return depth(read, *written, budget.scope, number),
        QueryKind::CastRay { direction, max } => return cast_ray(read, *written, direction, max, number),
        QueryKind::CastShape { direction, max } => return cast_shape(read, *written, direction, max, number),
        QueryKind::Intersects => {
            let claim = verify::Claim::Intersects(yes_or_no(read.intersects)?);
            (claim, read.beside(|name| name == "intersects"))
        }
        QueryKind::Within { margin } if yes_or_no(read.within)? => {
            let claim = verify::Claim::Within { margin, distance: clearance(&read, number)? };
            (claim, read.beside(|name| name == "within" || is_clearance(name)))
        }
        QueryKind::Within { margin } => (verify::Claim::Beyond { margin }, read.beside(|name| name == "within")),
        QueryKind::Distance => (verify::Claim::Distance(clearance(&read, number)?), read.beside(is_clearance)),
    };
    let evidence = evidence_of(&mut read, number)?;
    Ok(Content::Claim(Box::new((written.into_query(), claim, evidence)), unchecked))
}

/// Is it the name of a field that a clearance has?
fn is_clearance(name: &str) -> bool {
    ["distance", "point_a", "point_b", "normal", "lower", "upper", "status", "features"].contains(&name)
}

/// The evidence of a line, of the format that is checked.
fn evidence_of(read: &mut AnswerLine, number: u64) -> Result<verify::Evidence, Stop> {
    let evidence = read.proof.take().flatten().unwrap_or_default();
    if evidence.format == verify::FORMAT {
        return Ok(evidence);
    }
    let message = verify::other_format(evidence.format);
    Err(Stop::Bad(Error::Field { place: Place::line(number), message }))
}

/// The field that an answer lacks.
fn missing(name: &str, number: u64) -> Stop {
    Stop::Bad(Error::Field { place: Place::line(number), message: format!("the answer has no field {name}; add it") })
}

/// An answer about a ray.
fn cast_ray(mut read: AnswerLine, written: Written, direction: DVec3, max: f64, number: u64) -> Result<Content, Stop> {
    let evidence = evidence_of(&mut read, number)?;
    let missing = |name: &str| missing(name, number);
    let Written { a, pose_a, pose_b, .. } = written;
    let (origin, direction) = (pose_b.translation, direction.to_array());
    let query = verify::RayQuery { a: Arc::unwrap_or_clone(a), pose_a, origin, direction, max };
    if !read.hit.flatten().ok_or_else(|| missing("hit"))? {
        let unchecked = read.beside(|name| name == "hit");
        return Ok(Content::Ray(Box::new(RayContent { query, claim: verify::RayClaim::Miss, evidence }), unchecked));
    }
    let claim = verify::RayClaim::Hit(verify::RayHitClaim {
        distance: read.distance.flatten().ok_or_else(|| missing("distance"))?,
        lower: read.lower.flatten().ok_or_else(|| missing("lower"))?,
        upper: read.upper.ok_or_else(|| missing("upper"))?.unwrap_or(f64::INFINITY),
        point: read.point.flatten().ok_or_else(|| missing("point"))?,
        normal: read.normal.flatten().ok_or_else(|| missing("normal"))?,
        inside: read.inside.flatten().ok_or_else(|| missing("inside"))?,
    });
    let names = ["hit", "distance", "lower", "upper", "point", "normal", "inside"];
    let unchecked = read.beside(|name| names.contains(&name));
    Ok(Content::Ray(Box::new(RayContent { query, claim, evidence }), unchecked))
}

/// An answer about a shape that is cast.
fn cast_shape(
    mut read: AnswerLine,
    written: Written,
    direction: DVec3,
    max: f64,
    number: u64,
) -> Result<Content, Stop> {
    let evidence = evidence_of(&mut read, number)?;
    let missing = |name: &str| missing(name, number);
    let vector = |field: Given<[f64; 3]>, name: &str| field.flatten().ok_or_else(|| missing(name));
    let number_of = |field: Given<f64>, name: &str| field.flatten().ok_or_else(|| missing(name));
    let (start, direction) = (written.into_query(), direction.to_array());
    // Null is an undecided cast.
    let Some(is_hit) = read.hit.ok_or_else(|| missing("hit"))? else {
        let claim = verify::ImpactClaim::Hit { lower: number_of(read.lower, "lower")?, upper: f64::INFINITY };
        let unchecked = read.beside(|name| matches!(name, "hit" | "lower")).or_else(undecided);
        let content =
            ImpactContent { query: straight(start, direction, max), claim, contact: None, start: None, evidence };
        return Ok(Content::Impact(Box::new(content), unchecked));
    };
    if !is_hit {
        let unchecked = read.beside(|name| name == "hit");
        if max == 0.0 {
            // It has no way to go.
            let claim = verify::Claim::Intersects(false);
            return Ok(Content::Claim(Box::new((start, claim, evidence)), unchecked));
        }
        let claim = verify::ImpactClaim::Clear { lower: None, upper: None };
        let query = straight(start, direction, max);
        return Ok(Content::Impact(
            Box::new(ImpactContent { query, claim, contact: None, start: None, evidence }),
            unchecked,
        ));
    }
    let (lower, upper) = (number_of(read.lower, "lower")?, read.upper.ok_or_else(|| missing("upper"))?);
    let (distance, upper) = (number_of(read.distance, "distance")?, upper.unwrap_or(f64::INFINITY));
    if !(0.0 <= lower && lower <= distance && distance <= upper) {
        return Err(Stop::Nonsense(format!("distance = {distance:e} is not between lower and upper")));
    }
    let is_touching = read.touching.flatten().ok_or_else(|| missing("touching"))?;
    let contact = verify::ContactClaim {
        time: distance,
        point_a: vector(read.point_a, "point_a")?,
        point_b: vector(read.point_b, "point_b")?,
        normal: vector(read.normal, "normal")?,
        may_overlap: is_touching,
    };
    if is_touching && distance > 0.0 {
        return Err(Stop::Nonsense("touching is true, but they meet later than at the start".into()));
    }
    let names = ["hit", "distance", "lower", "upper", "point_a", "point_b", "normal", "touching"];
    let mut unchecked = read.beside(|name| names.contains(&name));
    if !is_touching && lower == 0.0 {
        unchecked = unchecked.or_else(|| Some("nothing says that they do not touch at the start".into()));
    }
    let claim = match is_touching && upper == f64::INFINITY {
        true => verify::ImpactClaim::Touching,
        false => verify::ImpactClaim::Hit { lower, upper },
    };
    // About the start it does not matter how far the way goes.
    let query = straight(start, direction, if max == 0.0 && is_touching { 1.0 } else { max });
    Ok(Content::Impact(
        Box::new(ImpactContent { query, claim, contact: Some(contact), start: None, evidence }),
        unchecked,
    ))
}

/// An answer that is itself undecided proves nothing from its time on.
fn undecided() -> Option<String> {
    Some("the answer itself is undecided".into())
}

/// Two shapes of which the second is cast.
fn straight(start: verify::Query, direction: [f64; 3], max: f64) -> verify::MovingQuery {
    let motion_b = verify::Motion::Straight { direction };
    verify::MovingQuery { start, motion_a: verify::Motion::Fixed {}, motion_b, from: 0.0, until: max }
}

/// An answer about a depth. A line with evidence has no features, which none is about.
fn depth(mut read: AnswerLine, written: Written, scope: Scope, number: u64) -> Result<Content, Stop> {
    let scope = match scope {
        Scope::Any => verify::Scope::Any,
        Scope::Outside => verify::Scope::Outside,
    };
    let query = written.into_query();
    let evidence = evidence_of(&mut read, number)?;
    let missing = |name: &str| missing(name, number);
    let lower = read.lower.flatten().ok_or_else(|| missing("lower"))?;
    let upper = read.upper.ok_or_else(|| missing("upper"))?.unwrap_or(f64::INFINITY);
    let depth = read.depth.ok_or_else(|| missing("depth"))?.unwrap_or(f64::INFINITY);
    let translation = read.translation.flatten().ok_or_else(|| missing("translation"))?;
    if !(lower <= depth && depth <= upper) {
        return Err(Stop::Nonsense(format!("depth = {depth:e} is not between lower and upper")));
    }
    let unchecked = read.beside(|name| matches!(name, "depth" | "lower" | "upper" | "translation"));
    let claim = verify::DepthClaim { lower, upper, translation, scope };
    Ok(Content::Depth(Box::new(DepthContent { query, claim, evidence }), unchecked))
}

/// An answer about moving bodies. What a contact at the start says beside being one is checked where the bodies are then.
fn impact(mut read: AnswerLine, written: Written, motions: &MotionsOfPair, number: u64) -> Result<Content, Stop> {
    let MotionsOfPair { a, b, from, until } = motions;
    let (motion_a, motion_b, from) = (written_motion(a), written_motion(b), *from);
    let query = verify::MovingQuery { start: written.into_query(), motion_a, motion_b, from, until: *until };
    let evidence = evidence_of(&mut read, number)?;
    let name = read.impact.clone().flatten().ok_or_else(|| missing("impact", number))?;
    let (mut contact, mut start) = (None, None);
    let (claim, unchecked) = match name.as_str() {
        "hit" => {
            let lower = read.lower.flatten().ok_or_else(|| missing("lower", number))?;
            let upper = read.upper.flatten().unwrap_or(f64::INFINITY);
            if let Some(time) = read.time.flatten()
                && !(lower <= time && time <= upper)
            {
                return Err(Stop::Nonsense(format!("time = {time:e} is not between lower and upper")));
            }
            let points = [read.point_a.flatten(), read.point_b.flatten(), read.normal.flatten()];
            if let ([Some(point_a), Some(point_b), Some(normal)], Some(time)) = (points, read.time.flatten()) {
                contact = Some(verify::ContactClaim { time, point_a, point_b, normal, may_overlap: false });
            }
            let is_contact = |name: &str| contact.is_some() && matches!(name, "point_a" | "point_b" | "normal");
            let is_time = |name: &str| matches!(name, "impact" | "time" | "lower" | "upper");
            let unchecked = read.beside(|name| is_time(name) || is_contact(name));
            (verify::ImpactClaim::Hit { lower, upper }, unchecked)
        }
        "clear" => {
            let approach = read.closest_approach.flatten();
            let upper = approach.and_then(|approach| approach.upper);
            // The time is that of the evidence; without an upper bound it is the start, and says nothing.
            let meeting = evidence.motion.as_ref().and_then(|motion| motion.meeting.as_ref());
            let known = if upper.is_some() { meeting.map(|meeting| meeting.time) } else { Some(from) };
            let is_other = approach.is_some_and(|approach| known != Some(approach.time));
            let claim = verify::ImpactClaim::Clear { lower: approach.map(|approach| approach.lower), upper };
            let unchecked = read.beside(|name| matches!(name, "impact" | "closest_approach"));
            let other = || match upper {
                Some(_) => "the time of the closest approach is not that of the evidence".to_owned(),
                None => "the time of a closest approach without an upper bound is not the start".to_owned(),
            };
            (claim, unchecked.or_else(|| is_other.then(other)))
        }
        "undecided" => {
            let lower = read.lower.flatten().ok_or_else(|| missing("lower", number))?;
            let unchecked = read.beside(|name| matches!(name, "impact" | "lower")).or_else(undecided);
            (verify::ImpactClaim::Hit { lower, upper: f64::INFINITY }, unchecked)
        }
        "touching" => {
            start = Some(clearance(&read, number)?);
            (verify::ImpactClaim::Touching, read.beside(|name| name == "impact" || is_clearance(name)))
        }
        other => return Err(Stop::Nonsense(format!("{} is no answer to an impact", quoted(other)))),
    };
    Ok(Content::Impact(Box::new(ImpactContent { query, claim, contact, start, evidence }), unchecked))
}

/// The clearance of a line. JSON has no infinities: null is minus infinity for `lower`, infinity for `upper`; where the
/// distance is null, it and both bounds are minus infinity.
fn clearance(read: &AnswerLine, number: u64) -> Result<verify::Distance, Stop> {
    let refuse = |message: String| Stop::Bad(Error::Field { place: Place::line(number), message });
    fn given<'a, T>(field: &'a Given<T>, name: &str, number: u64) -> Result<&'a Option<T>, Stop> {
        let message = || format!("the answer has no field {name}; add it");
        field.as_ref().ok_or_else(|| Stop::Bad(Error::Field { place: Place::line(number), message: message() }))
    }
    let not_null = |name: &str| refuse(format!("{name} is null, which it cannot be"));
    let vector = |field: &Given<[f64; 3]>, name: &str| given(field, name, number)?.ok_or_else(|| not_null(name));
    let distance = *given(&read.distance, "distance", number)?;
    let (lower, upper) = (*given(&read.lower, "lower", number)?, *given(&read.upper, "upper", number)?);
    let (lower, upper) = match (distance, lower, upper) {
        (None, None, None) => (f64::NEG_INFINITY, f64::NEG_INFINITY),
        (None, ..) => {
            let reason = "distance is null, which is an overlap without end, but a bound is a number";
            return Err(Stop::Nonsense(reason.into()));
        }
        (Some(_), lower, upper) => (lower.unwrap_or(f64::NEG_INFINITY), upper.unwrap_or(f64::INFINITY)),
    };
    let status = given(&read.status, "status", number)?.as_deref().ok_or_else(|| not_null("status"))?;
    let features = given(&read.features, "features", number)?.as_ref().ok_or_else(|| not_null("features"))?;
    let feature = |name: &String| {
        verify::Feature::named(name).ok_or_else(|| Stop::Nonsense(format!("{} is no name of a feature", quoted(name))))
    };
    Ok(verify::Distance {
        distance: distance.unwrap_or(f64::NEG_INFINITY),
        point_a: vector(&read.point_a, "point_a")?,
        point_b: vector(&read.point_b, "point_b")?,
        normal: vector(&read.normal, "normal")?,
        lower,
        upper,
        status: verify::Status::named(status)
            .ok_or_else(|| Stop::Nonsense(format!("{} is no status of an answer", quoted(status))))?,
        features: [feature(&features[0])?, feature(&features[1])?],
    })
}

/// The claim of an answer about two shapes, without a detour through text.
#[must_use]
pub fn claim(answer: &Answer, margin: Option<f64>, shapes: [&Shape; 2]) -> Option<verify::Claim> {
    let margin = margin.unwrap_or(f64::NAN);
    Some(match answer {
        Answer::Intersects(yes) => verify::Claim::Intersects(*yes),
        Answer::Distance(c) => verify::Claim::Distance(convert::distance(c, shapes)),
        Answer::Within(Some(c)) => verify::Claim::Within { margin, distance: convert::distance(c, shapes) },
        Answer::Within(None) => verify::Claim::Beyond { margin },
        Answer::Depth(_) | Answer::Impact(_) | Answer::CastRay(_) | Answer::CastShape(_) | Answer::Error(_) => {
            return None;
        }
    })
}
