//! The report page of a check: the scene and what was found in it, as one file that opens in a browser.
//!
//! The page itself is built from `viewer`; this module adds its data, whose format is in `viewer/FORMAT.md`.

mod geometry;
mod surface;
mod track;

use crate::check::FilledHole;
use base64::prelude::BASE64_STANDARD;
use base64::write::EncoderWriter;
use clearance::Shape;
use clearance::math::{Aabb, DVec3};
use clearance_io::{CheckedPair, ImpactOfPair, Motion, Scene, Unit, WrittenApproach};
use geometry::{DrawnShape, Geometry, Place};
use serde::Serialize;
use std::io::{self, Write};
pub use surface::Surface;

/// The page as it was built, without data.
const PAGE: &str = include_str!("../../assets/report.html");

/// Marks in the page where its data are inserted.
const MARKS: [&str; 2] = ["REPORT_JSON", "GEOMETRY_BASE64"];

/// Findings in a page, at most. Limit: a browser parses the page as a whole.
pub const MOST_FINDINGS: usize = 10_000;

/// Findings in a page unless `--findings` says otherwise. Limit: a list that a person scrolls through.
pub const FINDINGS: usize = 1_000;

/// Triangles in a page, at most. Limit: a browser has no memory to draw more; their coordinates alone take 720 MB.
const MOST_TRIANGLES: usize = 20_000_000;

/// Data of a check in a page.
#[derive(Serialize)]
pub struct Summary {
    pub title: String,
    #[serde(serialize_with = "unit")]
    pub unit: Option<Unit>,
    pub margin: Option<f64>,
    pub until: Option<f64>,
    pub checked: u64,
    pub overlaps: u64,
    pub undecided: u64,
    pub within: u64,
    pub impacts: u64,
    pub fail_within: Option<f64>,
    pub too_close: u64,
    /// The open meshes, and the holes that were filled.
    pub shells: Vec<String>,
    pub filled_holes: Vec<FilledHole>,
    /// Sentences about files: faces whose edges cross, files that were left out.
    pub notes: Vec<String>,
    /// The clearance over time.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub plot: Option<Plot>,
    /// Which way is up, if the files say so.
    #[serde(skip)]
    pub up: Option<DVec3>,
}

/// The clearance over time.
#[derive(Serialize)]
pub struct Plot {
    /// A time, and the bounds of the clearance then.
    pub points: Vec<[f64; 3]>,
    /// From when to when the clearance is proved to be at least how much.
    pub proved: Vec<[f64; 3]>,
}

fn unit<S: serde::Serializer>(unit: &Option<Unit>, serializer: S) -> Result<S::Ok, S::Error> {
    unit.map(Unit::symbol).serialize(serializer)
}

/// A pair of bodies, by their numbers.
#[derive(Serialize)]
pub struct Finding {
    #[serde(flatten)]
    pub pair: CheckedPair<u32>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub impact: Option<ImpactOfPair>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub closest_approach: Option<WrittenApproach>,
}

#[derive(Serialize)]
struct Page<'a> {
    format: &'static str,
    program: &'static str,
    origin: [f64; 3],
    radius: f64,
    up: [f64; 3],
    #[serde(flatten)]
    summary: &'a Summary,
    listed: usize,
    shapes: &'a [DrawnShape],
    bodies: Vec<DrawnBody<'a>>,
    findings: &'a [Finding],
}

#[derive(Serialize)]
struct DrawnBody<'a> {
    name: &'a str,
    #[serde(skip_serializing_if = "Option::is_none")]
    group: Option<&'a str>,
    shape: usize,
    translation: [f64; 3],
    rotation: [f64; 4],
    #[serde(skip_serializing_if = "Option::is_none")]
    track: Option<Place>,
}

/// Writes the page of a scene; the error is a sentence if there is too much to show.
pub fn write(out: &mut impl Write, scene: &Scene, summary: &Summary, findings: &[Finding]) -> Result<(), String> {
    let (origin, radius) = ball(scene);
    let mut geometry = Geometry::new(radius);
    let mut bodies = Vec::with_capacity(scene.bodies.len());
    for body in &scene.bodies {
        let shape = geometry.shape(&body.shape);
        if geometry.triangles > MOST_TRIANGLES {
            return Err(format!(
                "the scene has more than {} million triangles, too many for a page; give fewer files, or --hull",
                MOST_TRIANGLES / 1_000_000
            ));
        }
        let keys = summary.until.map(|until| track::keys(&body.motion, body.pose, until, radius));
        let track = keys.filter(|keys| !keys.is_empty()).map(|keys| geometry.track(&keys, origin));
        bodies.push(DrawnBody {
            name: &body.name,
            group: body.group.as_deref(),
            shape,
            translation: body.pose.translation().to_array(),
            rotation: body.pose.rotation().to_array(),
            track,
        });
    }
    let page = Page {
        format: "clearance-report/1",
        program: concat!("clearance ", env!("CARGO_PKG_VERSION")),
        origin: origin.to_array(),
        radius,
        up: up(scene).or(summary.up).unwrap_or(DVec3::Z).to_array(),
        summary,
        listed: findings.len(),
        shapes: &geometry.shapes,
        bodies,
        findings,
    };
    fill(out, &page, &geometry).map_err(|error| crate::output::cannot_write(&error))
}

/// The page with its data.
fn fill(out: &mut impl Write, page: &Page, geometry: &Geometry) -> io::Result<()> {
    let missing = || io::Error::other("the page that is built in has no place for its data");
    let (head, rest) = PAGE.split_once(MARKS[0]).ok_or_else(missing)?;
    let (middle, tail) = rest.split_once(MARKS[1]).ok_or_else(missing)?;
    // Names are anybody's text: without this sign no text can end the block that it is in.
    let json = serde_json::to_string(page)?.replace('<', "\\u003c");
    write!(out, "{head}{json}{middle}")?;
    let mut encoder = EncoderWriter::new(&mut *out, &BASE64_STANDARD);
    geometry.write(&mut encoder)?;
    encoder.finish()?;
    drop(encoder);
    write!(out, "{tail}")
}

/// A ball about everything that has an end, where it is at time zero.
pub fn ball(scene: &Scene) -> (DVec3, f64) {
    let boxes = scene.bodies.iter().map(|body| finite_box(&body.shape, &body.pose));
    let all = boxes.fold(Aabb::EMPTY, |all, one| all.merged(&one));
    // Nothing has an end.
    if !all.min.is_finite() {
        return (DVec3::ZERO, 1.0);
    }
    let radius = 0.5 * all.min.distance(all.max);
    (all.center(), if radius > 0.0 { radius } else { 1.0 })
}

/// The box of a shape, without half-spaces.
fn finite_box(shape: &Shape, pose: &clearance::Pose) -> Aabb {
    match shape {
        Shape::HalfSpace(_) => Aabb::EMPTY,
        Shape::Compound(compound) => {
            let boxes = compound.parts().iter().map(|part| finite_box(&part.shape, &(*pose * part.pose)));
            boxes.fold(Aabb::EMPTY, |all, one| all.merged(&one))
        }
        _ => shape.aabb(pose),
    }
}

/// A scene with a floor stands on it. Others are as their files say, or have z up, as parts and robots do.
fn up(scene: &Scene) -> Option<DVec3> {
    scene.bodies.iter().find_map(|body| match &body.shape {
        Shape::HalfSpace(plane) if body.motion == Motion::Fixed => Some(body.pose.transform_vector(plane.normal())),
        _ => None,
    })
}
