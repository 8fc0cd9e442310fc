//! URDF: links with collision geometry, and the joints between them, as the file has them.
//!
//! Only the elements directly inside `<robot>` count: `<joint>` also stands inside of `<transmission>`. Visual geometry, inertia, materials, sensors
//! and plugins are not read.
//!
//! **Invariants**: (U1) names of links and of joints are unique; (U2) numbers are finite; (U3) axes of moving joints are units to rounding.
//! Whether the joints make a tree is decided in `robot.rs`.

use crate::error::Error;
use crate::xml::{self, Element, quoted};
use clearance::Pose;
use clearance::math::{DQuat, DVec3};
use clearance_io::Place;
use std::collections::HashMap;

/// A robot as its file has it.
#[derive(Debug)]
pub struct Description {
    pub name: String,
    pub links: Vec<LinkElement>,
    pub joints: Vec<JointElement>,
}

#[derive(Debug)]
pub struct LinkElement {
    pub name: String,
    pub line: u64,
    pub collisions: Vec<CollisionElement>,
}

/// A piece of collision geometry, in the frame of its link.
#[derive(Debug)]
pub struct CollisionElement {
    pub line: u64,
    pub origin: Pose,
    pub geometry: Geometry,
}

#[derive(Debug)]
pub enum Geometry {
    /// All three edges.
    Box([f64; 3]),
    /// About z.
    Cylinder {
        radius: f64,
        length: f64,
    },
    /// About z; the length is that of the cylinder between the two half balls.
    Capsule {
        radius: f64,
        length: f64,
    },
    Sphere {
        radius: f64,
    },
    Mesh {
        file: String,
        scale: [f64; 3],
    },
}

#[derive(Debug)]
pub struct JointElement {
    pub name: String,
    pub line: u64,
    pub kind: JointKind,
    pub origin: Pose,
    pub parent: String,
    pub child: String,
    pub axis: DVec3,
    /// Lowest and highest value; infinite where the kind has none.
    pub limits: [f64; 2],
    pub mimic: Option<MimicElement>,
}

/// How a joint moves.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum JointKind {
    /// It turns about its axis, between limits.
    Revolute,
    /// It turns about its axis, without limits.
    Continuous,
    /// It slides along its axis, between limits.
    Prismatic,
    /// It does not move.
    Fixed,
    /// It slides in the plane across its axis and turns about the axis.
    Planar,
    /// It moves freely.
    Floating,
}

#[derive(Debug)]
pub struct MimicElement {
    pub line: u64,
    pub joint: String,
    pub multiplier: f64,
    pub offset: f64,
}

/// Reads the text of a URDF.
pub fn parse(text: &str, place: &Place) -> Result<Description, Error> {
    let root = xml::parse(text, "robot", place)?;
    let mut description = Description {
        name: root.attribute("name").unwrap_or("robot").to_owned(),
        links: Vec::new(),
        joints: Vec::new(),
    };
    let (mut links, mut joints) = (HashMap::new(), HashMap::new());
    for element in &root.children {
        match element.name.as_str() {
            "link" => {
                let link = read_link(element, place)?;
                if let Some(first) = links.insert(link.name.clone(), link.line) {
                    return Err(element.fault(
                        place,
                        format!("the link {} is in line {first} already; rename one", quoted(&link.name)),
                    ));
                }
                description.links.push(link);
            }
            "joint" => {
                let joint = read_joint(element, place)?;
                if let Some(first) = joints.insert(joint.name.clone(), joint.line) {
                    return Err(element.fault(
                        place,
                        format!("the joint {} is in line {first} already; rename one", quoted(&joint.name)),
                    ));
                }
                description.joints.push(joint);
            }
            name if name.starts_with("xacro:") => {
                return Err(
                    element.fault(place, format!("<{name}> is a macro of xacro; expand the file with xacro first"))
                );
            }
            _ => {}
        }
    }
    if description.links.is_empty() {
        return Err(root.fault(place, "the robot has no <link>; add one"));
    }
    Ok(description)
}

fn read_link(element: &Element, place: &Place) -> Result<LinkElement, Error> {
    let name = element.required("name", place)?.to_owned();
    let collisions =
        element.all("collision").map(|collision| read_collision(collision, place)).collect::<Result<_, _>>()?;
    Ok(LinkElement { name, line: element.line, collisions })
}

fn read_collision(element: &Element, place: &Place) -> Result<CollisionElement, Error> {
    let Some(geometry) = element.single("geometry", place)? else {
        return Err(element.fault(place, "<collision> has no <geometry>; add it or remove the collision"));
    };
    let shape = match &geometry.children[..] {
        [shape] => shape,
        [] => return Err(geometry.fault(place, "<geometry> is empty; add a box, cylinder, capsule, sphere or mesh")),
        [_, second, ..] => {
            return Err(second.fault(place, "<geometry> has a second shape; give each its own <collision>"));
        }
    };
    let size = |name: &str| match shape.number(name, place)? {
        Some(value) if value < 0.0 => Err(shape
            .fault(place, format!("{name} of <{}> is {value}, but a size cannot be negative; correct it", shape.name))),
        Some(value) => Ok(value),
        None => Err(shape.fault(place, format!("<{}> has no attribute {name}; add it", shape.name))),
    };
    let geometry = match shape.name.as_str() {
        "box" => {
            let Some(size) = shape.numbers::<3>("size", place)? else {
                return Err(shape.fault(place, "<box> has no attribute size; add it"));
            };
            if let Some(side) = size.into_iter().find(|&side| side < 0.0) {
                return Err(
                    shape.fault(place, format!("size of <box> has {side}, but a size cannot be negative; correct it"))
                );
            }
            Geometry::Box(size)
        }
        "cylinder" => Geometry::Cylinder { radius: size("radius")?, length: size("length")? },
        "capsule" => Geometry::Capsule { radius: size("radius")?, length: size("length")? },
        "sphere" => Geometry::Sphere { radius: size("radius")? },
        "mesh" => {
            let file = shape.required("filename", place)?.to_owned();
            let scale = shape.numbers::<3>("scale", place)?.unwrap_or([1.0; 3]);
            if scale.contains(&0.0) {
                return Err(shape.fault(place, "scale of <mesh> has 0, which leaves no body; correct it"));
            }
            Geometry::Mesh { file, scale }
        }
        other => {
            let known = "a box, cylinder, capsule, sphere or mesh";
            return Err(shape.fault(place, format!("the geometry <{other}> is not known; give {known}")));
        }
    };
    Ok(CollisionElement { line: element.line, origin: origin(element, place)?, geometry })
}

fn read_joint(element: &Element, place: &Place) -> Result<JointElement, Error> {
    let name = element.required("name", place)?.to_owned();
    let kind = match element.required("type", place)? {
        "revolute" => JointKind::Revolute,
        "continuous" => JointKind::Continuous,
        "prismatic" => JointKind::Prismatic,
        "fixed" => JointKind::Fixed,
        "planar" => JointKind::Planar,
        "floating" => JointKind::Floating,
        other => {
            let known = "revolute, continuous, prismatic, fixed, planar or floating";
            return Err(element.fault(
                place,
                format!("the joint {} has the type {}, but must be {known}", quoted(&name), quoted(other)),
            ));
        }
    };
    let link = |end: &str| match element.single(end, place)? {
        Some(end) => end.required("link", place).map(str::to_owned),
        None => Err(element.fault(place, format!("the joint {} has no <{end}>; add it", quoted(&name)))),
    };
    let (parent, child) = (link("parent")?, link("child")?);
    let axis = match element.single("axis", place)? {
        Some(axis) => axis.numbers::<3>("xyz", place)?.map(DVec3::from),
        None => None,
    };
    let axis = unit(axis.unwrap_or(DVec3::X));
    let axis = match axis {
        Some(axis) => axis,
        None if matches!(kind, JointKind::Fixed | JointKind::Floating) => DVec3::X,
        None => {
            return Err(
                element.fault(place, format!("the axis of the joint {} is zero; give a direction", quoted(&name)))
            );
        }
    };
    let limits = match kind {
        JointKind::Revolute | JointKind::Prismatic => limits(element, &name, place)?,
        _ => [f64::NEG_INFINITY, f64::INFINITY],
    };
    let mimic = match element.single("mimic", place)? {
        Some(mimic) => Some(MimicElement {
            line: mimic.line,
            joint: mimic.required("joint", place)?.to_owned(),
            multiplier: mimic.number("multiplier", place)?.unwrap_or(1.0),
            offset: mimic.number("offset", place)?.unwrap_or(0.0),
        }),
        None => None,
    };
    Ok(JointElement {
        line: element.line,
        kind,
        origin: origin(element, place)?,
        parent,
        child,
        axis,
        limits,
        mimic,
        name,
    })
}

/// The limits of a joint that must have them; a bound that is left out is zero, as URDF says.
fn limits(element: &Element, name: &str, place: &Place) -> Result<[f64; 2], Error> {
    let Some(limit) = element.single("limit", place)? else {
        return Err(element
            .fault(place, format!("the joint {} has no <limit>; add it or make the joint continuous", quoted(name))));
    };
    let [lower, upper] = [limit.number("lower", place)?.unwrap_or(0.0), limit.number("upper", place)?.unwrap_or(0.0)];
    if lower > upper {
        return Err(
            limit.fault(place, format!("the joint {} has the limits {lower} to {upper}; exchange them", quoted(name)))
        );
    }
    Ok([lower, upper])
}

/// A unit vector, scaled first so that no square vanishes; `None` for zero.
fn unit(vector: DVec3) -> Option<DVec3> {
    let largest = vector.abs().max_element();
    // A unit along an axis stays what it is.
    (largest > 0.0).then(|| (vector / largest).normalize())
}

fn origin(element: &Element, place: &Place) -> Result<Pose, Error> {
    let Some(origin) = element.single("origin", place)? else { return Ok(Pose::IDENTITY) };
    let translation = origin.numbers::<3>("xyz", place)?.unwrap_or_default();
    let angles = origin.numbers::<3>("rpy", place)?.unwrap_or_default();
    Pose::try_new(translation, roll_pitch_yaw(angles)).map_err(|error| origin.fault(place, format!("{error}")))
}

/// `Rz(yaw) Ry(pitch) Rx(roll)`, as URDF defines it.
pub fn roll_pitch_yaw([roll, pitch, yaw]: [f64; 3]) -> DQuat {
    let [x, y, z] = [(roll, DVec3::X), (pitch, DVec3::Y), (yaw, DVec3::Z)].map(|(angle, axis)| rotation(axis, angle));
    (z * y * x).normalize()
}

/// The rotation by an angle about a unit vector.
pub fn rotation(axis: DVec3, angle: f64) -> DQuat {
    // The sines of the system differ from machine to machine.
    let (sine, cosine) = libm::sincos(0.5 * angle);
    DQuat::from_xyzw(axis.x * sine, axis.y * sine, axis.z * sine, cosine)
}
