//! The suite as questions: the query, the truth and the size of each case.
//!
//! A line of the suite may be several questions: one about a distance is also a yes-or-no question, because libraries answer that by
//! other code. The line that an adapter gets is the query alone, without names and comments; `suite/README.md` has the format.

use clearance_io::{Definitions, Folder, Query};
use serde_json::{Map, Value};
use std::fs;
use std::path::{Path, PathBuf};

/// The format of the suite and of the lines between driver and adapter.
pub const FORMAT: &str = "clearance-conformance/1";

/// The kind of a question, as the tables count it.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub enum Kind {
    Intersects,
    Gap,
    Depth,
    SolidDepth,
    Ray,
    Cast,
    Impact,
}

impl Kind {
    pub const ALL: [Self; 7] =
        [Self::Intersects, Self::Gap, Self::Depth, Self::SolidDepth, Self::Ray, Self::Cast, Self::Impact];

    pub fn name(self) -> &'static str {
        match self {
            Self::Intersects => "intersects",
            Self::Gap => "gap",
            Self::Depth => "depth, convex",
            Self::SolidDepth => "depth, not convex",
            Self::Ray => "ray",
            Self::Cast => "cast",
            Self::Impact => "impact",
        }
    }
}

/// The true answer.
#[derive(Debug, Clone, PartialEq)]
pub enum Truth {
    /// The intersection test. `margin` is the distance to the other answer, if it is known.
    Meets { yes: bool, margin: Option<f64> },
    /// The signed distance; minus infinity for half-spaces that no translation separates.
    Distance(f64),
    /// The length of the shortest translation that frees A.
    Depth(f64),
    /// The length to the hit; `margin` is the distance of a miss from a hit.
    Cast { hit: Option<f64>, margin: Option<f64> },
    /// When they meet.
    Hit(f64),
    /// They do not meet, and come as close as this, if that is known.
    Clear(Option<f64>),
    /// They touch from the start.
    Touching,
}

/// One question.
#[derive(Debug, Clone)]
pub struct Question {
    /// The file, without its ending, as `hard/gaps`.
    pub file: String,
    pub id: String,
    pub kind: Kind,
    /// The line for the adapter.
    pub line: Value,
    pub truth: Truth,
    /// Properties of the library that the question presumes: "solid", "inside".
    pub needs: Vec<String>,
    /// The unit of tolerances: the largest of the bounding radii and the distance between the origins.
    pub size: f64,
    /// The distance of the case from the origin of the world.
    pub place: f64,
}

/// The questions of all files of a suite, in the order of the files.
pub fn read_all(suite: &Path) -> Result<Vec<Question>, String> {
    let mut files = Vec::new();
    for folder in [suite.to_path_buf(), suite.join("hard")] {
        let entries = fs::read_dir(&folder)
            .map_err(|error| format!("{} cannot be read ({error}); is it the suite?", folder.display()))?;
        let paths = entries.filter_map(|entry| Some(entry.ok()?.path()));
        files.extend(paths.filter(|path| path.extension().is_some_and(|ending| ending == "jsonl")));
    }
    files.sort();
    let mut questions = Vec::new();
    for file in files {
        questions.extend(read(suite, &file)?);
    }
    Ok(questions)
}

fn read(suite: &Path, file: &PathBuf) -> Result<Vec<Question>, String> {
    let text = fs::read_to_string(file).map_err(|error| format!("{} cannot be read ({error})", file.display()))?;
    let short = file.strip_prefix(suite).unwrap_or(file).with_extension("");
    let short = short.to_string_lossy().replace('\\', "/");
    let mut names = Map::new();
    let mut questions = Vec::new();
    for (number, line) in (1..).zip(text.lines()) {
        let fail = |what: String| format!("{short}, line {number}: {what}");
        let mut line: Value = serde_json::from_str(line).map_err(|error| fail(error.to_string()))?;
        if let Some(name) = line.get("define").and_then(Value::as_str) {
            names.insert(name.to_owned(), line["shape"].clone());
            continue;
        }
        for side in ["a", "b"] {
            if let Some(name) = line.get(side).and_then(Value::as_str) {
                line[side] = names.get(name).cloned().ok_or_else(|| fail(format!("no shape is called {name}")))?;
            }
        }
        questions.extend(expand(&short, &line).map_err(fail)?);
    }
    Ok(questions)
}

/// The questions of a line.
fn expand(file: &str, line: &Value) -> Result<Vec<Question>, String> {
    let expect = &line["_expect"];
    let number = |name: &str| expect[name].as_f64();
    let distance = if expect["infinite"] == true { Some(f64::NEG_INFINITY) } else { number("distance") };
    let asked = line["query"].as_str().unwrap_or_default();
    let mut truths = Vec::new();
    match asked {
        "intersects" | "distance" | "within" => {
            if let (Some(truth), true) = (distance, asked != "intersects") {
                truths.push(match truth {
                    _ if truth < 0.0 && !(is_convex(&line["a"]) && is_convex(&line["b"])) => {
                        (Kind::SolidDepth, "depth", Truth::Depth(-truth))
                    }
                    _ if truth < 0.0 => (Kind::Depth, "distance", Truth::Distance(truth)),
                    _ => (Kind::Gap, "distance", Truth::Distance(truth)),
                });
            }
            // At a distance of exactly zero both answers are right.
            let told = distance.filter(|truth| *truth != 0.0).map(|truth| truth < 0.0);
            if let Some(yes) = expect["intersects"].as_bool().or(told) {
                let margin = distance.map(f64::abs);
                truths.push((Kind::Intersects, "intersects", Truth::Meets { yes, margin }));
            }
        }
        "depth" => truths.push((Kind::SolidDepth, asked, Truth::Depth(number("depth").ok_or("there is no depth")?))),
        "cast" => {
            let kind = if line.get("origin").is_some() { Kind::Ray } else { Kind::Cast };
            let hit = (expect["hit"] == true).then(|| distance.ok_or("there is no distance")).transpose()?;
            truths.push((kind, asked, Truth::Cast { hit, margin: number("margin") }));
        }
        "impact" => {
            let truth = match expect["impact"].as_str() {
                Some("hit") => Truth::Hit(number("time").ok_or("there is no time")?),
                Some("clear") => Truth::Clear(number("closest")),
                _ => Truth::Touching,
            };
            truths.push((Kind::Impact, asked, truth));
        }
        other => return Err(format!("{other:?} is no question of the suite")),
    }
    let id = line["id"].as_str().ok_or("there is no id")?.to_owned();
    let needs = expect["needs"].as_array().into_iter().flatten().filter_map(Value::as_str).map(str::to_owned);
    let needs: Vec<String> = needs.collect();
    let bare = bare(line);
    let [size, place] = extent(&bare)?;
    Ok(truths
        .into_iter()
        .map(|(kind, asked, truth)| {
            let mut line = bare.clone();
            line["query"] = asked.into();
            if asked != "within" {
                line.as_object_mut().map(|line| line.remove("margin"));
            }
            let (file, id, needs) = (file.to_owned(), id.clone(), needs.clone());
            Question { file, id, kind, line, truth, needs, size, place }
        })
        .collect())
}

/// The query without comments, and without the name of a cache.
fn bare(line: &Value) -> Value {
    let fields = line.as_object().into_iter().flatten();
    let kept = fields.filter(|(name, _)| !name.starts_with('_') && *name != "pair" && *name != "engine");
    Value::Object(kept.map(|(name, value)| (name.clone(), value.clone())).collect())
}

/// Is a shape convex by the way it is written?
pub fn is_convex(shape: &Value) -> bool {
    match shape.as_object().and_then(|shape| shape.iter().next()) {
        Some((kind, _)) if kind == "mesh" || kind == "compound" => false,
        Some((_, fields)) => fields.get("shape").is_none_or(is_convex),
        None => true,
    }
}

/// The query of a line without names.
pub fn query(line: &Value) -> Result<Query, String> {
    let read = Definitions::new().read(&line.to_string(), 1, &Folder::none());
    read.map_err(|fault| fault.error.to_string())?.ok_or_else(|| "this is no query".to_owned())
}

/// The size of a case, and how far from the origin of the world it is.
fn extent(line: &Value) -> Result<[f64; 2], String> {
    let query = query(line)?;
    let plane = |shape: &Value| shape["half_space"]["offset"].as_f64().map(f64::abs);
    let reach = |shape: &clearance::Shape, written: &Value| {
        plane(written).or(Some(shape.bounding_radius()).filter(|reach| reach.is_finite())).unwrap_or(0.0)
    };
    let b = line.get("b").map_or(0.0, |b| reach(&query.b, b));
    let [at_a, at_b] = [query.pose_a, query.pose_b].map(|pose| pose.translation());
    Ok([reach(&query.a, &line["a"]).max(b).max(at_a.distance(at_b)), at_a.length().max(at_b.length())])
}
