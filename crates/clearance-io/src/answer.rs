//! What is written: answers to queries and the pairs of a check.
//!
//! JSON has no infinities, so a bound that is infinite (nothing is proved on that side) is written as `null`.

use crate::proof::{Attached, written_feature};
use clearance::{Clearance, Feature, Shape, Status};
use serde::ser::SerializeMap;
use serde::{Serialize, Serializer};
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

/// One pair in the output of a check.
#[derive(Debug, Clone, Serialize)]
pub struct CheckedPair<'a> {
    /// The name of the first body.
    pub a: &'a str,
    /// The name of the second body.
    pub b: &'a str,
    /// Do they overlap or touch?
    pub overlap: bool,
    /// How far, and where.
    #[serde(flatten)]
    pub witness: Witness,
    /// How tight the bracket is, see [`Status`].
    #[serde(serialize_with = "status")]
    pub status: Status,
}

fn status<S: Serializer>(status: &Status, serializer: S) -> Result<S::Ok, S::Error> {
    serializer.serialize_str(status.name())
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
            Answer::Error(sentence) => map.serialize_entry("error", sentence)?,
        }
        if let Some(attached) = self.attached {
            map.serialize_entry("request", &attached.request)?;
            map.serialize_entry("proof", &attached.proof)?;
        }
        map.end()
    }
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
    use clearance::{Pose, distance};

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
        let pair = CheckedPair { a: "arm", b: "base", overlap: true, witness: Witness::from(&c), status: c.status };
        let text = serde_json::to_string(&pair).unwrap();
        assert!(text.starts_with(r#"{"a":"arm","b":"base","overlap":true,"distance":2.0,"point_a":[1.0,"#));
        assert!(text.ends_with(r#""lower":null,"upper":2.5,"status":"converged"}"#), "{text}");
    }
}
