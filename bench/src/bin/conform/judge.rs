//! The rules: right, wrong, crash, hang, unsupported. `suite/README.md` states them, too.
//!
//! * A length is right within the tolerance times the size of the case, a time within the tolerance times the interval of the query.
//! * Yes or no, a hit or a miss is right if it is the truth, and either way if the truth is closer to the other answer than the tolerance.
//! * A direction that comes with a depth must separate: shapes moved apart along it by that depth are free, within the tolerance. For convex shapes
//!   two support planes decide that. For solids our intersection test at the translation decides, whose "no" is proved.
//! * NaN is wrong.
//! * A process that ends or reports an exception has crashed; one without an answer in time hangs.
//! * A shape or query that a library lacks, or refuses to build, is unsupported, and not wrong.
//!
//! Each answer is judged twice, by the tolerance of the library's class and by the strict one.

use crate::case::{Question, Truth, query};
use clearance::math::DVec3;
use clearance::{Pose, Shape, intersects};
use serde_json::Value;

/// How far off is right: as a part of the size.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Tolerances {
    pub right: f64,
    pub strict: f64,
}

impl Tolerances {
    /// Libraries that compute in doubles: many promise no more than 1e-6, Clearance promises 1e-11.
    pub const DOUBLE: Self = Self { right: 1e-6, strict: 1e-11 };
    /// Libraries that compute in single precision are a class of their own: a unit in the last place is 1.2e-7 of the size.
    pub const SINGLE: Self = Self { right: 1e-4, strict: 1e-6 };
}

/// Why a question is not asked at all, if so: the library lacks something, or its numbers are too coarse to state the case.
pub fn not_asked(question: &Question, lacks: &[String], tolerances: Tolerances) -> Option<String> {
    if let Some(need) = question.needs.iter().find(|need| lacks.contains(need)) {
        return Some(format!("it lacks what is called {need}"));
    }
    let rounds = f64::from(f32::EPSILON) * question.place > tolerances.right * question.size;
    (tolerances == Tolerances::SINGLE && rounds).then(|| "single precision cannot state the case".to_owned())
}

/// The answer of an adapter.
#[derive(Debug, Clone, PartialEq)]
pub enum Reply {
    /// A line that is JSON.
    Line(Value),
    /// A line that is not.
    Garbled(String),
    /// The process ended.
    Died(String),
    /// Nothing came in time.
    Hung,
}

/// How a question was answered.
#[derive(Debug, Clone, PartialEq)]
pub enum Verdict {
    Right { strict: bool },
    Wrong(String),
    Crash(String),
    Hang,
    Unsupported(String),
}

impl Verdict {
    /// The word for it.
    pub fn name(&self) -> &'static str {
        match self {
            Self::Right { strict: true } => "right, strictly",
            Self::Right { strict: false } => "right",
            Self::Wrong(_) => "wrong",
            Self::Crash(_) => "crash",
            Self::Hang => "hang",
            Self::Unsupported(_) => "unsupported",
        }
    }

    /// The worse of two variants of a question: it is right only if all are.
    pub fn and(self, other: Self) -> Self {
        match (self, other) {
            (Self::Right { strict: one }, Self::Right { strict: two }) => Self::Right { strict: one && two },
            (one, two) => {
                if two.rank() > one.rank() {
                    two
                } else {
                    one
                }
            }
        }
    }

    fn rank(&self) -> u8 {
        match self {
            Self::Right { .. } => 0,
            Self::Unsupported(_) => 1,
            Self::Wrong(_) => 2,
            Self::Hang => 3,
            Self::Crash(_) => 4,
        }
    }
}

/// The verdict on one answer. `line` is the variant that was asked.
pub fn judge(question: &Question, line: &Value, reply: &Reply, tolerances: Tolerances) -> Verdict {
    let answer = match reply {
        Reply::Line(answer) => answer,
        Reply::Garbled(text) => return Verdict::Wrong(format!("this is no answer: {text}")),
        Reply::Died(how) => return Verdict::Crash(how.clone()),
        Reply::Hung => return Verdict::Hang,
    };
    if let Some(what) = answer["unsupported"].as_str() {
        return Verdict::Unsupported(what.to_owned());
    }
    if let Some(what) = answer["error"].as_str() {
        return Verdict::Crash(what.to_owned());
    }
    // An overlap whose depth the library does not tell: whether there is one can still be wrong.
    let is_asked = matches!(question.truth, Truth::Distance(_) | Truth::Depth(_));
    if is_asked && answer["intersects"] == true {
        let apart = match question.truth {
            Truth::Distance(truth) => truth > tolerances.right * question.size,
            _ => false,
        };
        let told = "an overlap, and not how deep".to_owned();
        return if apart { Verdict::Wrong("they are apart".to_owned()) } else { Verdict::Unsupported(told) };
    }
    match fault(question, line, answer, tolerances.right) {
        Some(what) => Verdict::Wrong(what),
        None => Verdict::Right { strict: fault(question, line, answer, tolerances.strict).is_none() },
    }
}

/// A number of an answer. JSON has no NaN, which is written as a string; minus infinity is null.
fn number(value: &Value) -> Option<f64> {
    match value {
        Value::Null => Some(f64::NEG_INFINITY),
        Value::String(text) => text.parse().ok(),
        other => other.as_f64(),
    }
}

/// The fault of an answer by a tolerance, if it has one.
fn fault(question: &Question, line: &Value, answer: &Value, tolerance: f64) -> Option<String> {
    let size = question.size;
    // Lengths below the smallest numbers of any computation cannot be judged.
    let slack = tolerance * size + f64::MIN_POSITIVE;
    let field = |name: &str| match answer.get(name).map(number) {
        None => Err(format!("there is no {name}")),
        Some(Some(value)) if !value.is_nan() => Ok(value),
        Some(_) => Err(format!("{name} is not a number")),
    };
    let near = |name: &str, truth: f64, slack: f64| match field(name) {
        Err(what) => Some(what),
        // Written so that infinities are equal to themselves.
        Ok(value) if value == truth || (value - truth).abs() <= slack => None,
        Ok(value) => Some(format!("{name} is {value:e} instead of {truth:e}")),
    };
    let said = |name: &str, truth: bool, margin: Option<f64>| match answer[name].as_bool() {
        None => Some(format!("{name} is neither true nor false")),
        Some(value) if value == truth || margin.is_some_and(|margin| margin <= slack) => None,
        Some(value) => Some(format!("{name} is {value}")),
    };
    match question.truth {
        Truth::Meets { yes, margin } => said("intersects", yes, margin),
        Truth::Distance(truth) => near("distance", truth, slack).or_else(|| {
            // A depth within the tolerance may be a touch, for which no direction is better than another.
            let told = field("distance").ok().filter(|told| truth < -slack && told.is_finite())?;
            does_not_separate(line, answer, told, slack)
        }),
        Truth::Depth(truth) => near("depth", truth, slack).or_else(|| does_not_free(line, answer, slack)),
        Truth::Cast { hit, margin } => {
            if answer["hit"].as_bool() != Some(hit.is_some()) {
                return said("hit", hit.is_some(), margin);
            }
            hit.and_then(|truth| near("distance", truth, tolerance * size.max(truth) + f64::MIN_POSITIVE))
        }
        Truth::Hit(truth) => match answer["impact"].as_str() {
            Some("hit") => near("time", truth, tolerance * interval(line)),
            other => Some(format!("{} instead of a hit", other.unwrap_or("nothing"))),
        },
        Truth::Clear(closest) => match answer["impact"].as_str() {
            Some("clear") => None,
            _ if closest.is_some_and(|closest| closest <= slack) => None,
            other => Some(format!("{} although they do not meet", other.unwrap_or("nothing"))),
        },
        Truth::Touching => match answer["impact"].as_str() {
            Some("touching") => None,
            // Some libraries say so with a contact at the start.
            Some("hit") => near("time", line["from"].as_f64().unwrap_or(0.0), tolerance * interval(line)),
            other => Some(format!("{} although they overlap at the start", other.unwrap_or("nothing"))),
        },
    }
}

/// The interval that an impact is looked for in.
fn interval(line: &Value) -> f64 {
    line["until"].as_f64().unwrap_or(1.0) - line["from"].as_f64().unwrap_or(0.0)
}

fn vector(value: &Value) -> Option<DVec3> {
    serde_json::from_value::<[f64; 3]>(value.clone()).ok().map(DVec3::from_array)
}

/// A depth along a direction that leaves convex shapes overlapping when they are moved apart by it.
fn does_not_separate(line: &Value, answer: &Value, distance: f64, slack: f64) -> Option<String> {
    let normal = answer.get("normal").filter(|normal| !normal.is_null())?;
    let Some(normal) = vector(normal).and_then(DVec3::try_normalize) else {
        return Some("the normal is no direction".to_owned());
    };
    let query = query(line).ok()?;
    let height = |shape: &Shape, pose: &Pose, direction: DVec3| {
        if let Shape::HalfSpace(plane) = shape {
            // It reaches everywhere but against its normal.
            let turned = pose.inverse_transform_vector(direction);
            let is_along = (turned - plane.normal()).length() <= 1e-6;
            let place = pose.transform_vector(plane.normal()).dot(pose.translation());
            return is_along.then_some(plane.offset() + place);
        }
        let core = shape.convex()?;
        let turned = pose.inverse_transform_vector(direction);
        Some(core.support(turned).dot(turned) + core.radius() + pose.translation().dot(direction))
    };
    let apart = match (height(&query.a, &query.pose_a, normal), height(&query.b, &query.pose_b, -normal)) {
        (Some(a), Some(b)) => -a - b,
        _ => f64::NEG_INFINITY,
    };
    (!(apart >= distance - slack))
        .then(|| format!("along its normal they overlap by {:e}, not {:e}", -apart, -distance))
}

/// The fault of a translation that should free A and does not.
fn does_not_free(line: &Value, answer: &Value, slack: f64) -> Option<String> {
    let way = answer.get("translation").filter(|way| !way.is_null())?;
    let Some(way) = vector(way) else {
        return Some("the translation is no vector".to_owned());
    };
    let query = query(line).ok()?;
    // A little farther, since they may touch.
    let farther = way + slack * way.normalize_or_zero();
    let at = Pose::new(query.pose_a.translation() + farther, query.pose_a.rotation());
    let free = way == DVec3::ZERO || !intersects(&query.a, at, &query.b, query.pose_b);
    (!free).then(|| "the translation does not free it".to_owned())
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::case::Kind;
    use serde_json::json;

    fn question(kind: Kind, truth: Truth, line: Value) -> Question {
        Question { file: String::new(), id: String::new(), kind, line, truth, needs: Vec::new(), size: 2.0, place: 3.0 }
    }

    fn verdict(question: &Question, answer: Value) -> Verdict {
        judge(question, &question.line, &Reply::Line(answer), Tolerances::DOUBLE)
    }

    fn balls(x: f64) -> Value {
        json!({"query": "distance", "a": {"sphere": {"radius": 1}}, "b": {"sphere": {"radius": 1}}, "pose_b": {"translation": [x, 0, 0]}})
    }

    const STRICT: Verdict = Verdict::Right { strict: true };
    const LOOSE: Verdict = Verdict::Right { strict: false };

    #[test]
    fn a_gap_is_right_within_the_tolerance_and_strictly_within_less() {
        let gap = question(Kind::Gap, Truth::Distance(1.0), balls(3.0));
        assert_eq!(verdict(&gap, json!({"distance": 1.0 + 1e-11})), STRICT);
        assert_eq!(verdict(&gap, json!({"distance": 1.0 + 1e-6})), LOOSE);
        assert!(matches!(verdict(&gap, json!({"distance": 1.0 + 3e-6})), Verdict::Wrong(_)));
        let single = judge(&gap, &gap.line, &Reply::Line(json!({"distance": 1.0 + 1e-4})), Tolerances::SINGLE);
        assert_eq!(single, LOOSE);
    }

    #[test]
    fn what_is_no_number_is_wrong() {
        let gap = question(Kind::Gap, Truth::Distance(1.0), balls(3.0));
        for nothing in [json!({"distance": "NaN"}), json!({"distance": null}), json!({"distance": []}), json!({})] {
            assert!(matches!(verdict(&gap, nothing.clone()), Verdict::Wrong(_)), "{nothing}");
        }
        let deep = question(Kind::Depth, Truth::Distance(f64::NEG_INFINITY), balls(0.0));
        assert_eq!(verdict(&deep, json!({"distance": null})), STRICT);
        assert!(matches!(verdict(&deep, json!({"distance": "NaN"})), Verdict::Wrong(_)));
    }

    #[test]
    fn what_a_library_lacks_is_not_asked() {
        let solid =
            Question { needs: vec!["solid".to_owned()], ..question(Kind::Gap, Truth::Distance(1.0), balls(3.0)) };
        assert!(not_asked(&solid, &["inside".to_owned()], Tolerances::DOUBLE).is_none());
        assert!(not_asked(&solid, &["solid".to_owned()], Tolerances::DOUBLE).is_some());
        let far = Question { place: 1e6, ..question(Kind::Gap, Truth::Distance(1.0), balls(3.0)) };
        assert!(not_asked(&far, &[], Tolerances::DOUBLE).is_none());
        assert!(not_asked(&far, &[], Tolerances::SINGLE).is_some());
    }

    #[test]
    fn yes_and_no_must_be_true_unless_the_truth_is_nearer_than_the_tolerance() {
        let ask = |yes, margin| question(Kind::Intersects, Truth::Meets { yes, margin }, balls(3.0));
        assert_eq!(verdict(&ask(false, Some(1.0)), json!({"intersects": false})), STRICT);
        assert!(matches!(verdict(&ask(false, Some(1.0)), json!({"intersects": true})), Verdict::Wrong(_)));
        assert!(matches!(verdict(&ask(true, None), json!({"intersects": false})), Verdict::Wrong(_)));
        assert!(matches!(verdict(&ask(true, None), json!({"intersects": "yes"})), Verdict::Wrong(_)));
        assert_eq!(verdict(&ask(false, Some(1e-9)), json!({"intersects": true})), LOOSE);
    }

    #[test]
    fn a_depth_must_separate() {
        let deep = question(Kind::Depth, Truth::Distance(-0.5), balls(1.5));
        assert_eq!(verdict(&deep, json!({"distance": -0.5})), STRICT);
        assert_eq!(verdict(&deep, json!({"distance": -0.5, "normal": [1, 0, 0]})), STRICT);
        for normal in [json!([-1, 0, 0]), json!([0, 1, 0]), json!([0, 0, 0])] {
            let answer = json!({"distance": -0.5, "normal": normal});
            assert!(matches!(verdict(&deep, answer.clone()), Verdict::Wrong(_)), "{answer}");
        }
        let floor = json!({"query": "distance", "a": {"half_space": {"normal": [0, 2, 0], "offset": 2}}, "b": {"sphere": {"radius": 1}}});
        let floor = question(Kind::Depth, Truth::Distance(-2.0), floor);
        assert_eq!(verdict(&floor, json!({"distance": -2, "normal": [0, 1, 0]})), STRICT);
        assert!(matches!(verdict(&floor, json!({"distance": -2, "normal": [0, -1, 0]})), Verdict::Wrong(_)));
    }

    #[test]
    fn a_translation_must_free() {
        let solid = question(Kind::SolidDepth, Truth::Depth(0.5), balls(1.5));
        assert_eq!(verdict(&solid, json!({"depth": 0.5, "translation": [-0.5, 0, 0]})), STRICT);
        assert!(matches!(verdict(&solid, json!({"depth": 0.5, "translation": [0.5, 0, 0]})), Verdict::Wrong(_)));
        assert!(matches!(verdict(&solid, json!({"depth": 0.6})), Verdict::Wrong(_)));
    }

    #[test]
    fn an_overlap_without_its_depth_is_unsupported_unless_there_is_none() {
        let deep = question(Kind::Depth, Truth::Distance(-0.5), balls(1.5));
        assert!(matches!(verdict(&deep, json!({"intersects": true})), Verdict::Unsupported(_)));
        let gap = question(Kind::Gap, Truth::Distance(1.0), balls(3.0));
        assert!(matches!(verdict(&gap, json!({"intersects": true})), Verdict::Wrong(_)));
        assert!(matches!(verdict(&gap, json!({"unsupported": "no balls"})), Verdict::Unsupported(_)));
    }

    #[test]
    fn hits_and_times() {
        let cast = |hit, margin| question(Kind::Ray, Truth::Cast { hit, margin }, balls(3.0));
        assert_eq!(verdict(&cast(Some(4.0), None), json!({"hit": true, "distance": 4})), STRICT);
        assert!(matches!(verdict(&cast(Some(4.0), None), json!({"hit": false})), Verdict::Wrong(_)));
        assert!(matches!(verdict(&cast(None, Some(0.5)), json!({"hit": true, "distance": 4})), Verdict::Wrong(_)));
        assert_eq!(verdict(&cast(None, Some(1e-8)), json!({"hit": true, "distance": 4})), LOOSE);
        let line = json!({"until": 10});
        let hit = question(Kind::Impact, Truth::Hit(2.0), line.clone());
        assert_eq!(verdict(&hit, json!({"impact": "hit", "time": 2.0})), STRICT);
        assert_eq!(verdict(&hit, json!({"impact": "hit", "time": 2.000_009})), LOOSE);
        assert!(matches!(verdict(&hit, json!({"impact": "hit", "time": 2.1})), Verdict::Wrong(_)));
        assert!(matches!(verdict(&hit, json!({"impact": "clear"})), Verdict::Wrong(_)));
        let clear = question(Kind::Impact, Truth::Clear(Some(0.5)), line.clone());
        assert_eq!(verdict(&clear, json!({"impact": "clear"})), STRICT);
        assert!(matches!(verdict(&clear, json!({"impact": "hit", "time": 2.0})), Verdict::Wrong(_)));
        let touching = question(Kind::Impact, Truth::Touching, line);
        assert_eq!(verdict(&touching, json!({"impact": "touching"})), STRICT);
        assert_eq!(verdict(&touching, json!({"impact": "hit", "time": 0})), STRICT);
        assert!(matches!(verdict(&touching, json!({"impact": "clear"})), Verdict::Wrong(_)));
    }

    #[test]
    fn exceptions_and_ends_are_crashes_and_silence_is_a_hang() {
        let gap = question(Kind::Gap, Truth::Distance(1.0), balls(3.0));
        assert!(matches!(verdict(&gap, json!({"error": "singular matrix"})), Verdict::Crash(_)));
        let of = |reply: &Reply| judge(&gap, &gap.line, reply, Tolerances::DOUBLE);
        assert!(matches!(of(&Reply::Died("signal 11".to_owned())), Verdict::Crash(_)));
        assert_eq!(of(&Reply::Hung), Verdict::Hang);
        assert!(matches!(of(&Reply::Garbled("Segmentation".to_owned())), Verdict::Wrong(_)));
    }

    #[test]
    fn a_question_is_as_good_as_its_worst_variant() {
        let [wrong, crash, unsupported] =
            [Verdict::Wrong(String::new()), Verdict::Crash(String::new()), Verdict::Unsupported(String::new())];
        assert_eq!(STRICT.and(LOOSE), LOOSE);
        assert_eq!(STRICT.and(unsupported.clone()), unsupported);
        assert_eq!(unsupported.and(wrong.clone()), wrong);
        assert_eq!(wrong.clone().and(STRICT), wrong);
        assert_eq!(crash.clone().and(wrong.clone()), crash);
        assert_eq!(Verdict::Hang.and(wrong), Verdict::Hang);
    }
}
