//! Answers read back as claims for the checker.
//!
//! 1. Every field of a line is a claim. A field that no reader takes keeps the answer from being proved, and is named.
//! 2. The query of a line is read like a line of `clearance query`, and is refused where that would refuse it.
//! 3. A field that contradicts another refutes the answer before any evidence is checked.

use super::{Written, convert, written_motion};
use crate::answer::Answer;
use crate::error::{Error, Place};
use crate::json::quoted;
use crate::query::{Definitions, MotionsOfPair, Query, QueryKind};
use clearance::Shape;
use clearance::depth::Scope;
use clearance::math::DVec3;
use clearance_verify as verify;
use serde::de::{DeserializeOwned, Deserializer, IgnoredAny, MapAccess, Visitor};
use serde::{Deserialize, de};
use serde_json::value::RawValue;
use std::collections::BTreeMap;
use std::fmt;
use std::sync::Arc;

/// An answer that was read back.
#[derive(Debug, Clone)]
pub struct Claimed {
    /// The id of the answer, as it was written.
    pub id: Option<Box<RawValue>>,
    /// Its claim.
    pub content: Content,
}

/// The content of a line of answers.
#[derive(Debug, Clone)]
pub enum Content {
    /// A claim about shapes at rest. With a reason, it can be refuted but not proved.
    Claim(Box<(verify::Query, verify::Claim, verify::Evidence)>, Option<String>),
    /// A claim about moving bodies, likewise.
    Impact(Box<ImpactContent>, Option<String>),
    /// A claim about a depth, likewise.
    Depth(Box<DepthContent>, Option<String>),
    /// A claim about a ray, likewise.
    Ray(Box<RayContent>, Option<String>),
    /// A line whose verdict is known without a check.
    Decided(verify::Verdict),
    /// An error instead of an answer.
    Error,
}

/// A claim about a depth.
#[derive(Debug, Clone)]
pub struct DepthContent {
    /// The query.
    pub query: verify::Query,
    /// The claim.
    pub claim: verify::DepthClaim,
    /// The evidence.
    pub evidence: verify::Evidence,
}

/// A claim about a ray.
#[derive(Debug, Clone)]
pub struct RayContent {
    /// The query.
    pub query: verify::RayQuery,
    /// The claim.
    pub claim: verify::RayClaim,
    /// The evidence.
    pub evidence: verify::Evidence,
}

/// A claim about moving bodies, or about a shape that is cast.
#[derive(Debug, Clone)]
pub struct ImpactContent {
    /// The query.
    pub query: verify::MovingQuery,
    /// The claim about times and gaps.
    pub claim: verify::ImpactClaim,
    /// The claim about the points that meet.
    pub contact: Option<verify::ContactClaim>,
    /// The claim about the clearance at the start.
    pub start: Option<verify::Distance>,
    /// The evidence.
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
    /// The verdict of the checker; `None` for an error.
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

/// How close bodies come that do not meet. JSON has no infinities: an upper bound of null claims nothing, and its time is the start.
#[derive(Clone, Copy, Deserialize)]
#[serde(deny_unknown_fields)]
struct ApproachFields {
    lower: f64,
    upper: Option<f64>,
    /// The time of the evidence at which they are that close.
    time: f64,
}

/// Fields that a message names, at most. Limit: a line can have any number of unknown fields, and a message is one sentence.
const MAX_NAMES: usize = 8;

/// The fields of an answer line. Readers take the fields that they turn into claims; the fields that remain cannot be checked.
#[derive(Default)]
struct AnswerLine {
    id: Option<Box<RawValue>>,
    request: Option<Box<RawValue>>,
    proof: Option<verify::Evidence>,
    /// All other fields, with their text.
    fields: BTreeMap<String, Box<RawValue>>,
    /// The number of the line, for errors.
    number: u64,
}

impl<'de> Deserialize<'de> for AnswerLine {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        struct Reader;

        impl<'de> Visitor<'de> for Reader {
            type Value = AnswerLine;

            fn expecting(&self, f: &mut fmt::Formatter) -> fmt::Result {
                f.write_str("an answer")
            }

            fn visit_map<A: MapAccess<'de>>(self, mut map: A) -> Result<AnswerLine, A::Error> {
                let (mut line, mut has_proof) = (AnswerLine::default(), false);
                while let Some(name) = map.next_key::<String>()? {
                    let is_second = match name.as_str() {
                        "id" => line.id.replace(map.next_value()?).is_some(),
                        "request" => line.request.replace(map.next_value()?).is_some(),
                        "proof" => {
                            line.proof = map.next_value()?;
                            std::mem::replace(&mut has_proof, true)
                        }
                        // A comment claims nothing, nor does the name of a cache.
                        "pair" => map.next_value::<IgnoredAny>().map(|_| false)?,
                        comment if comment.starts_with('_') => map.next_value::<IgnoredAny>().map(|_| false)?,
                        _ => line.fields.insert(name.clone(), map.next_value()?).is_some(),
                    };
                    if is_second {
                        return Err(de::Error::custom(format!("there are two fields {}", quoted(&name))));
                    }
                }
                Ok(line)
            }
        }

        deserializer.deserialize_map(Reader)
    }
}

impl AnswerLine {
    /// Takes a field: null, or a value.
    fn take<T: DeserializeOwned>(&mut self, name: &str) -> Result<Option<T>, Stop> {
        let text = self.fields.remove(name).ok_or_else(|| self.missing(name))?;
        serde_json::from_str(text.get()).map_err(|error| {
            let text = error.to_string();
            self.refuse(format!("{name} cannot be read ({})", text.split(" at line ").next().unwrap_or_default()))
        })
    }

    /// Takes a field that must have a value.
    fn value<T: DeserializeOwned>(&mut self, name: &str) -> Result<T, Stop> {
        self.take(name)?.ok_or_else(|| self.refuse(format!("{name} is null, which it cannot be")))
    }

    /// Takes a field that may be left out or null.
    fn optional<T: DeserializeOwned>(&mut self, name: &str) -> Result<Option<T>, Stop> {
        if self.fields.contains_key(name) { self.take(name) } else { Ok(None) }
    }

    /// Does a field have a value?
    fn has(&self, name: &str) -> bool {
        self.fields.get(name).is_some_and(|text| text.get() != "null")
    }

    /// The evidence of the line, of the format that is checked.
    fn evidence(&mut self) -> Result<verify::Evidence, Stop> {
        let evidence = self.proof.take().unwrap_or_default();
        match evidence.format == verify::FORMAT {
            true => Ok(evidence),
            false => Err(self.refuse(verify::other_format(evidence.format))),
        }
    }

    /// Names the fields that no reader has taken: the reason why the answer is not proved.
    fn unchecked(&self) -> Option<String> {
        let names: Vec<String> = self.fields.keys().take(MAX_NAMES).map(|name| quoted(name)).collect();
        (!names.is_empty()).then(|| format!("fields that cannot be checked: {}", names.join(", ")))
    }

    fn missing(&self, name: &str) -> Stop {
        self.refuse(format!("the answer has no field {name}; add it"))
    }

    fn refuse(&self, message: String) -> Stop {
        Stop::Bad(Error::Field { place: Place::line(self.number), message })
    }
}

/// Why a line has no claim.
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
    let mut read: AnswerLine = serde_json::from_str(line).map_err(|error| {
        let place = Place::line(number).at_column(error.column() as u64);
        let text = error.to_string();
        let what = text.split(" at line ").next().unwrap_or_default();
        Error::Syntax { place, message: format!("this is no answer that can be checked ({what})") }
    })?;
    read.number = number;
    let id = read.id.take();
    let content = match content(read, shapes) {
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

fn content(mut read: AnswerLine, shapes: &Definitions) -> Result<Content, Stop> {
    if read.fields.contains_key("error") {
        return Ok(Content::Error);
    }
    let undecided = |reason: &str| Ok(Content::Decided(verify::Verdict::Undecided(reason.into())));
    let Some(given) = read.request.take() else {
        return undecided("the line has no field request; answer with query --proof");
    };
    if given.get() == "null" {
        return Err(read.refuse("request is null, but must be the query of the answer".into()));
    }
    let Query { kind, written, .. } = request(&given, read.number, shapes)?;
    let Some(written) = written else {
        return undecided("the checker does not know a shape of the request");
    };
    let claim = match kind {
        QueryKind::Impact(motions) => return impact(read, *written, &motions),
        QueryKind::Depth(budget) => return depth(read, *written, budget.scope),
        QueryKind::CastRay { direction, max } => return cast_ray(read, *written, direction, max),
        QueryKind::CastShape { direction, max } => return cast_shape(read, *written, direction, max),
        QueryKind::Intersects => verify::Claim::Intersects(read.value("intersects")?),
        QueryKind::Within { margin } => match read.value("within")? {
            true => verify::Claim::Within { margin, distance: clearance(&mut read)? },
            false => verify::Claim::Beyond { margin },
        },
        QueryKind::Distance => verify::Claim::Distance(clearance(&mut read)?),
    };
    let evidence = read.evidence()?;
    Ok(Content::Claim(Box::new((written.into_query(), claim, evidence)), read.unchecked()))
}

/// An answer about a ray.
fn cast_ray(mut read: AnswerLine, written: Written, direction: DVec3, max: f64) -> Result<Content, Stop> {
    let evidence = read.evidence()?;
    let Written { a, pose_a, pose_b, .. } = written;
    let (origin, direction) = (pose_b.translation, direction.to_array());
    let query = verify::RayQuery { a: Arc::unwrap_or_clone(a), pose_a, origin, direction, max };
    let claim = match read.value("hit")? {
        false => verify::RayClaim::Miss,
        true => verify::RayClaim::Hit(verify::RayHitClaim {
            distance: read.value("distance")?,
            lower: read.value("lower")?,
            upper: read.take("upper")?.unwrap_or(f64::INFINITY),
            point: read.value("point")?,
            normal: read.value("normal")?,
            inside: read.value("inside")?,
        }),
    };
    Ok(Content::Ray(Box::new(RayContent { query, claim, evidence }), read.unchecked()))
}

/// An answer about a shape that is cast.
fn cast_shape(mut read: AnswerLine, written: Written, direction: DVec3, max: f64) -> Result<Content, Stop> {
    let evidence = read.evidence()?;
    let (start, direction) = (written.into_query(), direction.to_array());
    let cast = |claim, contact, max, evidence| {
        let query = straight(start.clone(), direction, max);
        Box::new(ImpactContent { query, claim, contact, start: None, evidence })
    };
    // Null is an undecided cast.
    let Some(is_hit) = read.take::<bool>("hit")? else {
        let claim = verify::ImpactClaim::Hit { lower: read.value("lower")?, upper: f64::INFINITY };
        return Ok(Content::Impact(cast(claim, None, max, evidence), read.unchecked().or_else(undecided)));
    };
    if !is_hit {
        if max == 0.0 {
            // It has no way to go.
            let claim = verify::Claim::Intersects(false);
            return Ok(Content::Claim(Box::new((start, claim, evidence)), read.unchecked()));
        }
        let claim = verify::ImpactClaim::Clear { lower: None, upper: None };
        return Ok(Content::Impact(cast(claim, None, max, evidence), read.unchecked()));
    }
    let (lower, distance): (f64, f64) = (read.value("lower")?, read.value("distance")?);
    let upper = read.take("upper")?.unwrap_or(f64::INFINITY);
    if !(0.0 <= lower && lower <= distance && distance <= upper) {
        return Err(Stop::Nonsense(format!("distance = {distance:e} is not between lower and upper")));
    }
    let is_touching = read.value("touching")?;
    let contact = verify::ContactClaim {
        time: distance,
        point_a: read.value("point_a")?,
        point_b: read.value("point_b")?,
        normal: read.value("normal")?,
        may_overlap: is_touching,
    };
    if is_touching && distance > 0.0 {
        return Err(Stop::Nonsense("touching is true, but they meet later than at the start".into()));
    }
    let mut unchecked = read.unchecked();
    if !is_touching && lower == 0.0 {
        unchecked = unchecked.or_else(|| Some("nothing says that they do not touch at the start".into()));
    }
    let claim = match is_touching && upper == f64::INFINITY {
        true => verify::ImpactClaim::Touching,
        false => verify::ImpactClaim::Hit { lower, upper },
    };
    // About the start it does not matter how far the way goes.
    let max = if max == 0.0 && is_touching { 1.0 } else { max };
    Ok(Content::Impact(cast(claim, Some(contact), max, evidence), unchecked))
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

/// An answer about a depth. A line with evidence has no features, which no evidence is about.
fn depth(mut read: AnswerLine, written: Written, scope: Scope) -> Result<Content, Stop> {
    let scope = match scope {
        Scope::Any => verify::Scope::Any,
        Scope::Outside => verify::Scope::Outside,
    };
    let evidence = read.evidence()?;
    let (lower, translation): (f64, _) = (read.value("lower")?, read.value("translation")?);
    let [upper, depth] = [read.take("upper")?, read.take("depth")?].map(|length| length.unwrap_or(f64::INFINITY));
    if !(lower <= depth && depth <= upper) {
        return Err(Stop::Nonsense(format!("depth = {depth:e} is not between lower and upper")));
    }
    let claim = verify::DepthClaim { lower, upper, translation, scope };
    Ok(Content::Depth(Box::new(DepthContent { query: written.into_query(), claim, evidence }), read.unchecked()))
}

/// An answer about moving bodies. The clearance of a contact at the start is checked where the bodies are then.
fn impact(mut read: AnswerLine, written: Written, motions: &MotionsOfPair) -> Result<Content, Stop> {
    let MotionsOfPair { a, b, from, until } = motions;
    let (motion_a, motion_b, from) = (written_motion(a), written_motion(b), *from);
    let query = verify::MovingQuery { start: written.into_query(), motion_a, motion_b, from, until: *until };
    let evidence = read.evidence()?;
    let (mut contact, mut start, mut doubt) = (None, None, None);
    let claim = match read.value::<String>("impact")?.as_str() {
        "hit" => {
            let lower: f64 = read.value("lower")?;
            let upper = read.optional("upper")?.unwrap_or(f64::INFINITY);
            if let Some(time) = read.optional::<f64>("time")? {
                if !(lower <= time && time <= upper) {
                    return Err(Stop::Nonsense(format!("time = {time:e} is not between lower and upper")));
                }
                if ["point_a", "point_b", "normal"].iter().all(|name| read.has(name)) {
                    let (point_a, point_b) = (read.value("point_a")?, read.value("point_b")?);
                    let normal = read.value("normal")?;
                    contact = Some(verify::ContactClaim { time, point_a, point_b, normal, may_overlap: false });
                }
            }
            verify::ImpactClaim::Hit { lower, upper }
        }
        "clear" => {
            let approach: Option<ApproachFields> = read.optional("closest_approach")?;
            let upper = approach.and_then(|approach| approach.upper);
            // The time is that of the evidence; without an upper bound it is the start, and says nothing.
            let meeting = evidence.motion.as_ref().and_then(|motion| motion.meeting.as_ref());
            let known = if upper.is_some() { meeting.map(|meeting| meeting.time) } else { Some(from) };
            if approach.is_some_and(|approach| known != Some(approach.time)) {
                doubt = Some(match upper {
                    Some(_) => "the time of the closest approach is not that of the evidence".to_owned(),
                    None => "the time of a closest approach without an upper bound is not the start".to_owned(),
                });
            }
            verify::ImpactClaim::Clear { lower: approach.map(|approach| approach.lower), upper }
        }
        "undecided" => {
            doubt = undecided();
            verify::ImpactClaim::Hit { lower: read.value("lower")?, upper: f64::INFINITY }
        }
        "touching" => {
            start = Some(clearance(&mut read)?);
            verify::ImpactClaim::Touching
        }
        other => return Err(Stop::Nonsense(format!("{} is no answer to an impact", quoted(other)))),
    };
    let unchecked = read.unchecked().or(doubt);
    Ok(Content::Impact(Box::new(ImpactContent { query, claim, contact, start, evidence }), unchecked))
}

/// The clearance of a line. JSON has no infinities: null is minus infinity for `lower`, infinity for `upper`; where the
/// distance is null, it and both bounds are minus infinity.
fn clearance(read: &mut AnswerLine) -> Result<verify::Distance, Stop> {
    let bounds: [Option<f64>; 3] = [read.take("distance")?, read.take("lower")?, read.take("upper")?];
    let (lower, upper) = match bounds {
        [None, None, None] => (f64::NEG_INFINITY, f64::NEG_INFINITY),
        [None, ..] => {
            let reason = "distance is null, which is an overlap without end, but a bound is a number";
            return Err(Stop::Nonsense(reason.into()));
        }
        [Some(_), lower, upper] => (lower.unwrap_or(f64::NEG_INFINITY), upper.unwrap_or(f64::INFINITY)),
    };
    let status: String = read.value("status")?;
    let features: [String; 2] = read.value("features")?;
    let feature = |name: &String| {
        verify::Feature::named(name).ok_or_else(|| Stop::Nonsense(format!("{} is no name of a feature", quoted(name))))
    };
    Ok(verify::Distance {
        distance: bounds[0].unwrap_or(f64::NEG_INFINITY),
        point_a: read.value("point_a")?,
        point_b: read.value("point_b")?,
        normal: read.value("normal")?,
        lower,
        upper,
        status: verify::Status::named(&status)
            .ok_or_else(|| Stop::Nonsense(format!("{} is no status of an answer", quoted(&status))))?,
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

#[cfg(test)]
mod tests {
    use super::*;

    const REQUEST: &str =
        r#""request": {"query": "intersects", "a": {"sphere": {"radius": 1}}, "b": {"sphere": {"radius": 1}}}"#;

    fn reason(fields: &str) -> String {
        match read_claim(&format!("{{{fields}, {REQUEST}}}"), 7) {
            Ok(claimed) => match claimed.content.verdict() {
                Some(verify::Verdict::Undecided(reason) | verify::Verdict::Refuted(reason)) => reason,
                other => format!("{other:?}"),
            },
            Err(error) => error.to_string(),
        }
    }

    #[test]
    fn every_field_is_taken_or_named() {
        assert_eq!(reason(r#""intersects": true, "_why": 1, "pair": "p""#), "Some(Proved)");
        assert_eq!(reason(r#""intersects": true, "lower": 1"#), r#"fields that cannot be checked: "lower""#);
        assert!(reason(r#""lower": 1"#).contains("line 7: the answer has no field intersects"));
        assert!(reason(r#""intersects": null"#).contains("intersects is null, which it cannot be"));
        assert!(reason(r#""intersects": "yes""#).contains("intersects cannot be read"));
        assert!(reason(r#""intersects": true, "intersects": true"#).contains(r#"there are two fields "intersects""#));
        assert!(reason(r#""intersects": true, "x": 1, "x": 1"#).contains(r#"there are two fields "x""#));
        assert!(reason(r#""intersects": true, "proof": null, "proof": null"#).contains("there are two fields"));
        let many = (0..99).map(|i| format!(r#", "field {i}": {i}"#)).collect::<String>();
        assert_eq!(reason(&format!(r#""intersects": true{many}"#)).matches("field ").count(), MAX_NAMES);
    }
}
