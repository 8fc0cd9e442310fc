//! Output: answers to queries and the pairs of a check.
//!
//! JSON has no infinities, so a bound that is infinite (nothing is proved on that side) is written as `null`.

use crate::proof::{Attached, written_feature};
use clearance::depth::DepthEnd;
use clearance::motion::{Approach, Hit};
use clearance::{Clearance, Depth, Feature, Impact, RayHit, Shape, ShapeHit, Status};
use serde::ser::SerializeMap;
use serde::{Deserialize, Serialize, Serializer};
use serde_json::value::RawValue;

/// The clearance of a pair as answers write it, without status and features.
#[derive(Debug, Clone, Copy, Serialize)]
pub struct Witness {
    /// The signed distance.
    pub distance: f64,
    /// The witness on A.
    pub point_a: [f64; 3],
    /// The witness on B.
    pub point_b: [f64; 3],
    /// The unit vector from A to B.
    pub normal: [f64; 3],
    /// The proven lower bound.
    pub lower: f64,
    /// The proven upper bound.
    pub upper: f64,
}

impl From<&Clearance> for Witness {
    fn from(c: &Clearance) -> Self {
        Self {
            distance: c.distance,
            point_a: c.point_a.to_array(),
            point_b: c.point_b.to_array(),
            normal: c.normal.to_array(),
            lower: c.lower,
            upper: c.upper,
        }
    }
}

/// How far A has to move to come free of B, as a check writes it.
#[derive(Debug, Clone, Copy, PartialEq, Serialize)]
pub struct WrittenDepth {
    /// No shorter translation frees it.
    pub lower: f64,
    /// The length of `translation`, rounded up; infinite if none is known.
    pub upper: f64,
    /// A translation of A that frees it.
    pub translation: [f64; 3],
    /// Why the search ended with an open bracket, see [`DepthEnd::name`]; left out where the bracket is closed.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub end: Option<&'static str>,
}

impl From<&Depth> for WrittenDepth {
    fn from(depth: &Depth) -> Self {
        let Depth { lower, upper, translation, .. } = *depth;
        Self { lower, upper, translation: translation.to_array(), end: end_of(depth) }
    }
}

/// Why a depth is open; `None` if its bracket is as narrow as was asked for.
fn end_of(depth: &Depth) -> Option<&'static str> {
    (depth.end != DepthEnd::Width).then(|| depth.end.name())
}

/// One pair in the output of a check, with the names of its bodies or their numbers.
#[derive(Debug, Clone, Serialize)]
pub struct CheckedPair<Name> {
    /// The first body.
    pub a: Name,
    /// The second body.
    pub b: Name,
    /// Do they overlap or touch?
    pub overlap: bool,
    /// How far, and where.
    #[serde(flatten)]
    pub witness: Witness,
    /// How tight the bracket is, see [`Status`].
    #[serde(serialize_with = "status")]
    pub status: Status,
    /// The state of the pair: "overlap", "collision", "graze", "undecided", "gap" or "clear".
    pub state: &'static str,
    /// Why it is undecided, if it is.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub undecided: Option<String>,
    /// How far A has to move to come free, if they overlap.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub depth: Option<WrittenDepth>,
    /// The pair as a finding that lives from run to run.
    #[serde(flatten)]
    pub issue: PairIssue,
}

/// A pair as a finding that lives from run to run.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize)]
pub struct PairIssue {
    /// Its identifier: the same in every run, for the same two bodies.
    pub id: String,
    /// Its kind, if it is a finding: "duplicate", "touching", "enveloped", "protruding", "piercing", "overlap", "collision", "graze", "undecided"
    /// or "too close".
    #[serde(skip_serializing_if = "Option::is_none")]
    pub kind: Option<&'static str>,
    /// Its change since the last run: "new", "persistent", "changed" or "worse".
    #[serde(skip_serializing_if = "Option::is_none")]
    pub life: Option<&'static str>,
    /// The name of its group.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub cluster: Option<String>,
    /// The status and the comment of a person.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub review: Option<PairReview>,
}

/// The status and the comment that a person gave a finding, as the report page exports them.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct PairReview {
    /// "open", "fix", "fixed" or "accepted".
    pub status: String,
    /// A comment, which may be empty.
    #[serde(default)]
    pub comment: String,
}

impl PairReview {
    /// Is the finding accepted as it is?
    #[must_use]
    pub fn is_accepted(&self) -> bool {
        self.status == "accepted"
    }
}

fn status<S: Serializer>(status: &Status, serializer: S) -> Result<S::Ok, S::Error> {
    serializer.serialize_str(status.name())
}

/// A first contact as answers write it.
#[derive(Debug, Clone, Copy, Serialize)]
pub struct WrittenHit {
    /// When they meet: the proven lower bound, at which nothing overlaps yet.
    pub time: f64,
    /// They are proved apart before.
    pub lower: f64,
    /// They are proved to overlap there; infinite for a graze.
    pub upper: f64,
    /// The point of A that meets B.
    pub point_a: [f64; 3],
    /// The point of B that meets A.
    pub point_b: [f64; 3],
    /// The unit vector from A to B.
    pub normal: [f64; 3],
}

impl From<&Hit> for WrittenHit {
    fn from(hit: &Hit) -> Self {
        Self {
            time: hit.lower,
            lower: hit.lower,
            upper: hit.upper,
            point_a: hit.point_a.to_array(),
            point_b: hit.point_b.to_array(),
            normal: hit.normal.to_array(),
        }
    }
}

/// How close two bodies come that do not meet, as answers write it.
#[derive(Debug, Clone, Copy, Serialize)]
pub struct WrittenApproach {
    /// They are never closer.
    pub lower: f64,
    /// They are as close as this at `time`; infinite, with the start as time, if no distance was asked for.
    pub upper: f64,
    /// When.
    pub time: f64,
}

impl From<&Approach> for WrittenApproach {
    fn from(&Approach { lower, upper, time, .. }: &Approach) -> Self {
        Self { lower, upper, time }
    }
}

/// The result of a pair of a check with `--until`, under "impact" and "closest_approach".
#[derive(Debug, Clone, Copy, Serialize)]
#[serde(untagged)]
pub enum ImpactOfPair {
    /// They meet.
    Hit(WrittenHit),
    /// They do not, have met before, or it is not decided: "clear", "touching" or "undecided".
    Word(&'static str),
}

impl From<&Impact> for ImpactOfPair {
    fn from(impact: &Impact) -> Self {
        match impact {
            Impact::Hit(hit) => Self::Hit(hit.into()),
            Impact::Clear(_) => Self::Word("clear"),
            Impact::Touching(_) => Self::Word("touching"),
            Impact::Undecided(_) => Self::Word("undecided"),
        }
    }
}

/// One pair in the output of a check with `--until`.
#[derive(Debug, Clone, Serialize)]
pub struct PairUntil<Name> {
    /// The pair as it is at the start.
    #[serde(flatten)]
    pub start: CheckedPair<Name>,
    /// Whether and when they meet.
    pub impact: ImpactOfPair,
    /// How close they come if they do not.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub closest_approach: Option<WrittenApproach>,
    /// They are proved apart before this time, and nothing is known from it on: of undecided impacts.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub undecided_from: Option<f64>,
}

/// The answer to one query.
#[derive(Debug, Clone, PartialEq)]
pub enum Answer {
    /// To "intersects".
    Intersects(bool),
    /// To "distance".
    Distance(Clearance),
    /// To "within": the clearance if it is.
    Within(Option<Clearance>),
    /// To "depth".
    Depth(Depth),
    /// To "impact".
    Impact(Impact),
    /// To "cast" of a ray.
    CastRay(Option<RayHit>),
    /// To "cast" of a shape.
    CastShape(Option<ShapeHit>),
    /// The query could not be answered; one sentence.
    Error(String),
}

impl Answer {
    /// The line for this answer, with the query's `id` as it was given, without a line break.
    ///
    /// `shapes` are those that were asked about: the features of an answer are names of their parts.
    #[must_use]
    pub fn to_line(&self, id: Option<&RawValue>, shapes: Option<[&Shape; 2]>) -> String {
        self.to_line_with(id, shapes, None)
    }

    /// The same line with the query and the evidence behind it.
    #[must_use]
    pub fn to_line_with(
        &self,
        id: Option<&RawValue>,
        shapes: Option<[&Shape; 2]>,
        attached: Option<&Attached>,
    ) -> String {
        let line = serde_json::to_string(&Line { id, answer: self, shapes, attached });
        line.unwrap_or_else(|error| format!("{{\"error\":\"the answer cannot be written: {error}\"}}"))
    }
}

struct Line<'a> {
    id: Option<&'a RawValue>,
    answer: &'a Answer,
    shapes: Option<[&'a Shape; 2]>,
    attached: Option<&'a Attached>,
}

impl Serialize for Line<'_> {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let mut map = serializer.serialize_map(None)?;
        if let Some(id) = self.id {
            map.serialize_entry("id", id)?;
        }
        match self.answer {
            Answer::Intersects(yes) => map.serialize_entry("intersects", yes)?,
            Answer::Distance(clearance) => write_clearance(&mut map, clearance, self.shapes)?,
            Answer::Within(clearance) => {
                map.serialize_entry("within", &clearance.is_some())?;
                if let Some(clearance) = clearance {
                    write_clearance(&mut map, clearance, self.shapes)?;
                }
            }
            Answer::Depth(depth) => {
                map.serialize_entry("depth", &depth.upper)?;
                write_bounds(&mut map, depth.lower, depth.upper)?;
                map.serialize_entry("translation", &depth.translation.to_array())?;
                // Evidence is about bounds and the translation; what is written beside it has to be proved.
                let is_proved = self.attached.is_some();
                let features = self.shapes.map_or([Feature::Surface; 2], |[a, b]| {
                    let ([on_a, on_b], [part_a, part_b]) = (depth.features(), depth.parts);
                    [written_feature(a, part_a, on_a), written_feature(b, part_b, on_b)]
                });
                if !is_proved {
                    map.serialize_entry("features", &features.map(|feature| feature.to_string()))?;
                    if let Some(end) = end_of(depth) {
                        map.serialize_entry("end", end)?;
                    }
                }
            }
            Answer::Impact(Impact::Hit(hit)) => {
                map.serialize_entry("impact", "hit")?;
                let WrittenHit { time, lower, upper, point_a, point_b, normal } = hit.into();
                map.serialize_entry("time", &time)?;
                write_bounds(&mut map, lower, upper)?;
                write_points(&mut map, point_a, point_b, normal)?;
            }
            Answer::Impact(Impact::Clear(approach)) => {
                map.serialize_entry("impact", "clear")?;
                map.serialize_entry("closest_approach", &WrittenApproach::from(approach))?;
            }
            Answer::Impact(Impact::Undecided(undecided)) => {
                map.serialize_entry("impact", "undecided")?;
                map.serialize_entry("lower", &undecided.from)?;
            }
            Answer::Impact(Impact::Touching(clearance)) => {
                map.serialize_entry("impact", "touching")?;
                write_clearance(&mut map, clearance, self.shapes)?;
            }
            Answer::CastRay(hit) => {
                map.serialize_entry("hit", &hit.is_some())?;
                if let Some(hit) = hit {
                    map.serialize_entry("distance", &hit.distance)?;
                    write_bounds(&mut map, hit.lower, hit.upper)?;
                    map.serialize_entry("point", &hit.point.to_array())?;
                    map.serialize_entry("normal", &hit.normal.to_array())?;
                    map.serialize_entry("inside", &hit.is_inside)?;
                }
            }
            Answer::CastShape(Some(hit)) if hit.is_undecided => {
                map.serialize_entry("hit", &None::<bool>)?;
                map.serialize_entry("lower", &hit.lower)?;
            }
            Answer::CastShape(hit) => {
                map.serialize_entry("hit", &hit.is_some())?;
                if let Some(hit) = hit {
                    map.serialize_entry("distance", &hit.distance)?;
                    write_bounds(&mut map, hit.lower, hit.upper)?;
                    write_points(&mut map, hit.point_a.into(), hit.point_b.into(), hit.normal.into())?;
                    map.serialize_entry("touching", &hit.is_touching())?;
                }
            }
            Answer::Error(sentence) => map.serialize_entry("error", sentence)?,
        }
        if let Some(attached) = self.attached {
            map.serialize_entry("request", &attached.request)?;
            map.serialize_entry("proof", &attached.proof)?;
        }
        map.end()
    }
}

fn write_bounds<M: SerializeMap>(map: &mut M, lower: f64, upper: f64) -> Result<(), M::Error> {
    map.serialize_entry("lower", &lower)?;
    map.serialize_entry("upper", &upper)
}

fn write_points<M: SerializeMap>(map: &mut M, a: [f64; 3], b: [f64; 3], normal: [f64; 3]) -> Result<(), M::Error> {
    map.serialize_entry("point_a", &a)?;
    map.serialize_entry("point_b", &b)?;
    map.serialize_entry("normal", &normal)
}

fn write_clearance<M: SerializeMap>(map: &mut M, c: &Clearance, shapes: Option<[&Shape; 2]>) -> Result<(), M::Error> {
    let w = Witness::from(c);
    map.serialize_entry("distance", &w.distance)?;
    map.serialize_entry("point_a", &w.point_a)?;
    map.serialize_entry("point_b", &w.point_b)?;
    map.serialize_entry("normal", &w.normal)?;
    map.serialize_entry("lower", &w.lower)?;
    map.serialize_entry("upper", &w.upper)?;
    map.serialize_entry("status", c.status.name())?;
    // Vertices are counted as the points were written, so that a name can be looked up in the query.
    let features = shapes.map_or([Feature::Surface; 2], |[a, b]| {
        let [on_a, on_b] = c.features(a, b);
        [written_feature(a, c.parts[0], on_a), written_feature(b, c.parts[1], on_b)]
    });
    map.serialize_entry("features", &features.map(|feature| feature.to_string()))
}

#[cfg(test)]
mod tests {
    use super::*;
    use clearance::{Interval, Motion, Pose, Ray, Sweep, cast_ray, cast_shape, distance, time_of_impact};

    #[test]
    fn keys_come_in_the_documented_order_and_infinity_is_null() {
        let (cube, point) = (Shape::cuboid([1.0; 3]).unwrap(), Shape::point());
        let mut c = distance(&cube, Pose::IDENTITY, &point, Pose::from_translation([3.0, 0.0, 0.0]));
        (c.distance, c.lower, c.upper) = (2.0, f64::NEG_INFINITY, 2.5);
        let id: Box<RawValue> = serde_json::from_str("7").unwrap();
        let shapes = Some([&cube, &point]);
        let line = Answer::Distance(c).to_line(Some(&id), shapes);
        assert!(line.starts_with(r#"{"id":7,"distance":2.0,"point_a":[1.0,"#), "{line}");
        let keys = ["id", "distance", "point_a", "point_b", "normal", "lower", "upper", "status", "features"];
        let places: Vec<_> = keys.iter().map(|key| line.find(&format!("\"{key}\":"))).collect();
        assert!(places.is_sorted() && places.iter().all(Option::is_some), "{line}");
        let end = r#""lower":null,"upper":2.5,"status":"converged","features":["f1","v0"]}"#;
        assert!(line.ends_with(end), "{line}");
        let within = Answer::Within(Some(c)).to_line(None, shapes);
        assert!(within.starts_with(r#"{"within":true,"distance":2.0,"#) && within.ends_with(end), "{within}");
        assert_eq!(Answer::Within(None).to_line(Some(&id), shapes), r#"{"id":7,"within":false}"#);
        assert_eq!(Answer::Intersects(true).to_line(None, shapes), r#"{"intersects":true}"#);
        let pair = CheckedPair {
            a: "arm",
            b: "base",
            overlap: true,
            witness: Witness::from(&c),
            status: c.status,
            state: "overlap",
            undecided: None,
            issue: PairIssue { id: "0123456789abcdef".into(), ..PairIssue::default() },
            depth: None,
        };
        let text = serde_json::to_string(&pair).unwrap();
        assert!(text.starts_with(r#"{"a":"arm","b":"base","overlap":true,"distance":2.0,"point_a":[1.0,"#));
        assert!(
            text.ends_with(
                r#""lower":null,"upper":2.5,"status":"converged","state":"overlap","id":"0123456789abcdef"}"#
            ),
            "{text}"
        );
    }

    #[test]
    fn impacts_and_casts_are_written_as_documented() {
        let (cube, point) = (Shape::cuboid([1.0; 3]).unwrap(), Shape::point());
        let shapes = Some([&cube, &point]);
        let resting = Motion::fixed(Pose::IDENTITY);
        let impact = |x: f64, y: f64| {
            let motion = Motion::linear(Pose::from_translation([x, y, 0.0]), [-1.0, 0.0, 0.0], [0.0; 3]).unwrap();
            let impact = time_of_impact(&cube, &resting, &point, &motion, Interval::new(0.0, 4.0).unwrap());
            Answer::Impact(impact).to_line(None, shapes)
        };
        let keys = |line: &str| -> Vec<String> {
            let parts: Vec<&str> = line.split("\":").collect();
            parts[..parts.len() - 1].iter().filter_map(|part| part.rsplit('"').next()).map(str::to_owned).collect()
        };
        let hit = impact(3.0, 0.0);
        assert!(hit.starts_with(r#"{"impact":"hit","time":"#), "{hit}");
        assert_eq!(keys(&hit), ["impact", "time", "lower", "upper", "point_a", "point_b", "normal"]);
        let graze = impact(3.0, 1.0);
        assert!(graze.starts_with(r#"{"impact":"hit","time":"#) && graze.contains(r#""upper":null,"#), "{graze}");
        let clear = impact(3.0, 2.0);
        assert!(clear.starts_with(r#"{"impact":"clear","closest_approach":{"lower":"#), "{clear}");
        assert_eq!(keys(&clear), ["impact", "closest_approach", "lower", "upper", "time"]);
        let touching = impact(0.5, 0.0);
        assert!(touching.starts_with(r#"{"impact":"touching","distance":-0.5,"#), "{touching}");
        assert!(touching.ends_with(r#""features":["f1","v0"]}"#), "{touching}");

        let ray = |x: f64| cast_ray(&cube, Pose::IDENTITY, &Ray::new([x, 0.0, 0.0], [-1.0, 0.0, 0.0], 4.0).unwrap());
        let line = Answer::CastRay(ray(3.0)).to_line(None, shapes);
        assert_eq!(keys(&line), ["hit", "distance", "lower", "upper", "point", "normal", "inside"]);
        assert!(Answer::CastRay(ray(0.5)).to_line(None, shapes).ends_with(r#""inside":true}"#));
        assert_eq!(Answer::CastRay(ray(9.0)).to_line(None, shapes), r#"{"hit":false}"#);
        let shape = |x: f64| {
            let start = Pose::from_translation([x, 0.0, 0.0]);
            cast_shape(&cube, Pose::IDENTITY, &point, &Sweep::new(start, [-1.0, 0.0, 0.0], 4.0).unwrap())
        };
        let line = Answer::CastShape(shape(3.0)).to_line(None, shapes);
        assert_eq!(keys(&line), ["hit", "distance", "lower", "upper", "point_a", "point_b", "normal", "touching"]);
        assert!(Answer::CastShape(shape(0.5)).to_line(None, shapes).ends_with(r#""touching":true}"#));
        assert_eq!(Answer::CastShape(shape(9.0)).to_line(None, shapes), r#"{"hit":false}"#);
    }
}
