//! `clearance check --bcf`: findings as a BCF 3.0 file, the format in which BIM programs exchange issues.
//!
//! A BCF file is a zip archive: a version, the values that topics may have, and a folder for each topic with its text (`markup.bcf`), a camera
//! (`viewpoint.bcfv`) and a picture. The topic of a finding has the same GUID in every run, so that a program that has imported it updates it.
//! Lengths are in metres, as the format demands. Where the unit of the scene is not known, they are as they are.

mod snapshot;

use crate::check::BcfFinding;
use crate::replace::Replacement;
use clearance::math::{Aabb, DVec3};
use clearance_io::{Body, Scene, Unit};
use quick_xml::escape::escape;
use std::fmt::Write as _;
use std::io::{self, Write};
use std::path::Path;
use zip::write::{SimpleFileOptions, ZipWriter};

/// Topics of one file, at most. Limit: the picture of a topic takes milliseconds; a person reads them one by one.
pub const MOST_TOPICS: usize = 1_000;

/// Angle of the camera from top to bottom, in degrees. Limit: the angle that most BCF viewers use, between a narrow and a wide lens.
const FIELD_OF_VIEW: f64 = 60.0;

/// Width and height of a picture in pixels. Limit: BCF readers show pictures at about this size; 1,500 pixels a side is the most that the format allows.
const PICTURE: [usize; 2] = [640, 480];

/// Characters that text of XML 1.0 cannot have, however it is written.
fn is_writable(c: char) -> bool {
    matches!(c, '\t' | '\n' | '\r' | '\u{20}'..='\u{d7ff}' | '\u{e000}'..='\u{fffd}' | '\u{10000}'..)
}

/// Text between tags or in an attribute.
fn text(text: &str) -> String {
    let writable: String = text.chars().map(|c| if is_writable(c) { c } else { '\u{fffd}' }).collect();
    escape(&*writable).replace(['\n', '\t', '\r'], " ")
}

/// A GUID from the bytes of a hash, with the version and variant of RFC 9562 for custom contents (8).
fn guid(hash: &[u8; 32], offset: usize) -> String {
    let mut bytes: [u8; 16] = std::array::from_fn(|i| hash[(i + offset) % 32]);
    bytes[6] = bytes[6] & 0x0f | 0x80;
    bytes[8] = bytes[8] & 0x3f | 0x80;
    let digits: String = bytes.iter().map(|byte| format!("{byte:02x}")).collect();
    [&digits[..8], &digits[8..12], &digits[12..16], &digits[16..20], &digits[20..]].join("-")
}

const HEAD: &str = "<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n";

const VERSION: &str = "<Version VersionId=\"3.0\"/>\n";

/// The values that topics have. BCF 3.0 demands that they are listed.
const EXTENSIONS: &str = "<Extensions>\n\
    <TopicTypes><TopicType>Clash</TopicType></TopicTypes>\n\
    <TopicStatuses><TopicStatus>Open</TopicStatus><TopicStatus>To fix</TopicStatus><TopicStatus>Fixed</TopicStatus>\
    <TopicStatus>Accepted</TopicStatus></TopicStatuses>\n\
    <TopicLabels/>\n</Extensions>\n";

/// Who writes the topics.
const AUTHOR: &str = "Clearance";

/// Writes the findings of a check to a file; what was there before is replaced only by a file that is complete.
pub fn write(path: &Path, scene: &Scene, unit: Option<Unit>, up: DVec3, findings: &[BcfFinding]) -> Result<(), String> {
    let fault = |error: &dyn std::fmt::Display| format!("{} cannot be written: {error}", path.display());
    let mut file = Replacement::create(path).map_err(|error| fault(&error))?;
    let date = humantime::format_rfc3339_seconds(std::time::SystemTime::now()).to_string();
    let bytes = archive(scene, unit, up, findings, &date).map_err(|error| fault(&error))?;
    file.write_all(&bytes).and_then(|()| file.finish()).map_err(|error| fault(&error))
}

/// The bytes of the archive.
fn archive(
    scene: &Scene,
    unit: Option<Unit>,
    up: DVec3,
    findings: &[BcfFinding],
    date: &str,
) -> Result<Vec<u8>, zip::result::ZipError> {
    let mut zip = ZipWriter::new(io::Cursor::new(Vec::new()));
    let options = SimpleFileOptions::default();
    let mut add = |name: &str, parts: &[&[u8]]| -> Result<(), zip::result::ZipError> {
        zip.start_file(name, options)?;
        parts.iter().try_for_each(|part| zip.write_all(part))?;
        Ok(())
    };
    add("bcf.version", &[HEAD.as_bytes(), VERSION.as_bytes()])?;
    add("extensions.xml", &[HEAD.as_bytes(), EXTENSIONS.as_bytes()])?;
    let metres = unit.map_or(1.0, |unit| unit.factor_to(Unit::Metre));
    for finding in findings {
        let topic = guid(&finding.hash, 0);
        let view = guid(&finding.hash, 16);
        let bodies = finding.bodies.map(|body| &scene.bodies[body as usize]);
        let camera = Camera::at(finding, bodies, up);
        add(
            &format!("{topic}/markup.bcf"),
            &[HEAD.as_bytes(), markup(finding, bodies, &topic, &view, date).as_bytes()],
        )?;
        let viewpoint = viewpoint(&camera, bodies, &view, metres);
        add(&format!("{topic}/viewpoint.bcfv"), &[HEAD.as_bytes(), viewpoint.as_bytes()])?;
        let picture = snapshot::draw(scene, finding.bodies, &camera, PICTURE);
        add(&format!("{topic}/snapshot.png"), &[&snapshot::png(&picture, PICTURE)])?;
    }
    Ok(zip.finish()?.into_inner())
}

/// The text of a topic. The order of elements is that of the schema `markup.xsd`.
fn markup(finding: &BcfFinding, [a, b]: [&Body; 2], topic: &str, view: &str, date: &str) -> String {
    let status = match finding.review.as_ref().map(|review| review.status.as_str()) {
        Some("accepted") => "Accepted",
        Some("fix") => "To fix",
        Some("fixed") => "Fixed",
        _ => "Open",
    };
    let comment = finding.review.as_ref().map(|review| review.comment.as_str()).filter(|comment| !comment.is_empty());
    let comment = comment.map_or_else(String::new, |comment| {
        // The GUID of the comment differs from those of the topic and of its view.
        let guid = guid(&finding.hash, 8);
        format!(
            "<Comments><Comment Guid=\"{guid}\"><Date>{date}</Date><Author>{AUTHOR}</Author><Comment>{}</Comment></Comment></Comments>\n",
            text(comment)
        )
    });
    format!(
        "<Markup>\n<Topic Guid=\"{topic}\" TopicType=\"Clash\" TopicStatus=\"{status}\">\n<Title>{}</Title>\n\
         <CreationDate>{date}</CreationDate>\n<CreationAuthor>{AUTHOR}</CreationAuthor>\n<Description>{}</Description>\n{comment}\
         <Viewpoints><ViewPoint Guid=\"{view}\"><Viewpoint>viewpoint.bcfv</Viewpoint><Snapshot>snapshot.png</Snapshot></ViewPoint></Viewpoints>\n\
         </Topic>\n</Markup>\n",
        text(&format!("{} and {}: {}", a.name, b.name, finding.kind)),
        text(&finding.description),
    )
}

/// The camera and the two bodies of a topic, as `visinfo.xsd` has them.
fn viewpoint(camera: &Camera, bodies: [&Body; 2], guid: &str, metres: f64) -> String {
    let component = |body: &Body| match &body.tags.guid {
        // An identifier of IFC is 22 characters of base 64. Any other belongs to the program that made the model.
        Some(guid) if is_ifc(guid) => format!("<Component IfcGuid=\"{guid}\"/>"),
        other => {
            let id = other.as_ref().unwrap_or(&body.name);
            format!(
                "<Component><OriginatingSystem>{AUTHOR}</OriginatingSystem><AuthoringToolId>{}</AuthoringToolId></Component>",
                text(id)
            )
        }
    };
    let components: String = bodies.into_iter().map(component).collect();
    let mut xml = format!(
        "<VisualizationInfo Guid=\"{guid}\">\n<Components><Selection>{components}</Selection>\
         <Visibility DefaultVisibility=\"true\"/></Components>\n<PerspectiveCamera>"
    );
    let vectors =
        [("CameraViewPoint", camera.eye * metres), ("CameraDirection", camera.forward), ("CameraUpVector", camera.up)];
    for (name, DVec3 { x, y, z }) in vectors {
        // Writing to a text cannot fail.
        let _ = write!(xml, "<{name}><X>{x}</X><Y>{y}</Y><Z>{z}</Z></{name}>");
    }
    let aspect = PICTURE[0] as f64 / PICTURE[1] as f64;
    let _ = writeln!(
        xml,
        "<FieldOfView>{FIELD_OF_VIEW}</FieldOfView><AspectRatio>{aspect}</AspectRatio></PerspectiveCamera>\n</VisualizationInfo>"
    );
    xml
}

/// Is it an identifier of IFC: 22 characters, of which the first has two bits?
fn is_ifc(guid: &str) -> bool {
    let is_digit = |c: char| c.is_ascii_alphanumeric() || c == '_' || c == '$';
    guid.len() == 22 && guid.starts_with(['0', '1', '2', '3']) && guid.chars().all(is_digit)
}

/// Where a picture is taken from.
struct Camera {
    eye: DVec3,
    /// Unit vectors.
    forward: DVec3,
    up: DVec3,
}

impl Camera {
    /// A view of the place of a finding from the side and above, far enough to see the smaller body whole.
    fn at(finding: &BcfFinding, bodies: [&Body; 2], up: DVec3) -> Self {
        let size = |body: &Body| {
            let Aabb { min, max } = body.shape.aabb(&body.pose);
            (max - min).length()
        };
        let sizes = bodies.map(size).map(|size| if size.is_finite() { size } else { 0.0 });
        let smaller = sizes[0].min(sizes[1]).max(1e-3 * sizes[0].max(sizes[1]));
        let distance = if smaller > 0.0 { 1.5 * smaller } else { 1.0 };
        let aside = up.any_orthonormal_vector();
        let back = (0.6 * up + 0.8 * (aside + 0.5 * up.cross(aside)).normalize()).normalize();
        let forward = -back;
        let true_up = (up - forward * up.dot(forward)).normalize();
        Self { eye: finding.place + back * distance, forward, up: true_up }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn texts_are_escaped_and_hold_no_control_characters() {
        assert_eq!(text("a<b>&\"c\"\u{1}\nd"), "a&lt;b&gt;&amp;&quot;c&quot;\u{fffd} d");
    }

    #[test]
    fn guids_are_those_of_their_hash() {
        let hash: [u8; 32] = std::array::from_fn(|i| i as u8);
        assert_eq!(guid(&hash, 0), "00010203-0405-8607-8809-0a0b0c0d0e0f");
        assert_eq!(guid(&hash, 16), "10111213-1415-8617-9819-1a1b1c1d1e1f");
    }

    #[test]
    fn identifiers_of_ifc_are_recognised() {
        assert!(is_ifc("2O2Fr$t4X7Zf8NOew3FLOH") && is_ifc("0000000000000000000000"));
        for other in ["", "4O2Fr$t4X7Zf8NOew3FLOH", "2O2Fr$t4X7Zf8NOew3FLO", "2O2Fr-t4X7Zf8NOew3FLOH"] {
            assert!(!is_ifc(other), "{other}");
        }
    }
}
