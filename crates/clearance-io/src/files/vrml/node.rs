//! Nodes and their fields, and what they mean.

use super::super::placement::Placement;
use super::super::polygons::{Polygons, Weld};
use super::super::xml::Fault;
use clearance::Pose;
use clearance::math::{DMat3, DQuat, DVec3};
use std::rc::Rc;

/// Nodes that have no surface. Lights, sounds, sensors and interpolators are found by the ends of their names.
const WITHOUT_SURFACE: [&str; 9] =
    ["WorldInfo", "NavigationInfo", "Viewpoint", "Background", "Fog", "Script", "Sound", "AudioClip", "TimeSensor"];

/// The value of a field: numbers, nodes, or a truth value. Texts are not kept.
#[derive(Debug, Default)]
pub(super) struct Value {
    pub numbers: Vec<f64>,
    pub nodes: Vec<Rc<Node>>,
    pub is_true: Option<bool>,
}

#[derive(Debug)]
pub(super) struct Node {
    pub kind: String,
    pub name: Option<Rc<str>>,
    pub line: u64,
    /// How deep other nodes are nested in it.
    pub height: usize,
    /// Is it of a kind that the file defines?
    pub is_proto: bool,
    /// Names, lines and values.
    pub fields: Vec<(String, u64, Value)>,
}

/// A child of a group.
pub(super) enum Role<'n> {
    Group { place: Placement, children: &'n [Rc<Node>] },
    Shape,
    Nothing,
}

impl Node {
    pub fn new(kind: &str, name: Option<Rc<str>>, line: u64) -> Self {
        Self { kind: kind.to_owned(), name, line, height: 0, is_proto: false, fields: Vec::new() }
    }

    pub fn group(children: Vec<Rc<Self>>) -> Self {
        let children = Value { nodes: children, ..Value::default() };
        Self { fields: vec![("children".into(), 1, children)], ..Self::new("Group", None, 1) }
    }

    pub fn fail(&self, message: impl Into<String>) -> Fault {
        Fault { line: self.line, message: message.into() }
    }

    fn value(&self, name: &str) -> Option<(u64, &Value)> {
        self.fields.iter().rev().find(|(field, ..)| field == name).map(|(_, line, value)| (*line, value))
    }

    /// The only node of a field.
    pub fn node(&self, name: &str) -> Result<Option<&Rc<Self>>, Fault> {
        let Some((line, value)) = self.value(name) else { return Ok(None) };
        match &value.nodes[..] {
            [] => Ok(None),
            [node] => Ok(Some(node)),
            _ => Err(Fault { line, message: format!("{name} takes one node; correct it") }),
        }
    }

    /// The numbers of a field that has `N` of them, or the usual ones.
    pub fn numbers<const N: usize>(&self, name: &str, usual: [f64; N]) -> Result<[f64; N], Fault> {
        let Some((line, value)) = self.value(name) else { return Ok(usual) };
        let numbers: Option<[f64; N]> = value.numbers[..].try_into().ok();
        let numbers = numbers.filter(|numbers| numbers.iter().all(|number| number.is_finite()));
        numbers.ok_or_else(|| Fault { line, message: format!("{name} needs {N} finite numbers; correct it") })
    }

    /// A size, which is not negative.
    pub fn size_of(&self, name: &str, usual: f64) -> Result<f64, Fault> {
        let [size] = self.numbers(name, [usual])?;
        if size >= 0.0 { Ok(size) } else { Err(self.fail(format!("{name} is negative; correct it"))) }
    }

    pub fn flag(&self, name: &str, usual: bool) -> bool {
        self.value(name).and_then(|(_, value)| value.is_true).unwrap_or(usual)
    }

    /// How many numbers it has, with those of its coordinates.
    pub fn size(&self) -> usize {
        let own = |node: &Self| node.fields.iter().map(|(.., value)| value.numbers.len()).sum::<usize>();
        own(self) + self.fields.iter().flat_map(|(.., value)| &value.nodes).map(|node| own(node)).sum::<usize>()
    }

    fn children<'n>(&'n self, name: &str) -> &'n [Rc<Self>] {
        self.value(name).map_or(&[], |(_, value)| &value.nodes)
    }

    pub fn role(&self) -> Result<Role<'_>, Fault> {
        let here = |children| Ok(Role::Group { place: Placement::HERE, children });
        match self.kind.as_str() {
            kind if self.is_proto => {
                let kind = crate::json::quoted(kind);
                Err(self.fail(format!("{kind} is a PROTO, which is not read; export the part without prototypes")))
            }
            "Shape" => Ok(Role::Shape),
            "Group" | "Anchor" | "Collision" => here(self.children("children")),
            "Transform" => Ok(Role::Group { place: self.transform()?, children: self.children("children") }),
            "Switch" => {
                let [choice] = self.numbers("whichChoice", [-1.0])?;
                let all = self.children("choice");
                // -1 shows nothing, and so does a number that is too large.
                let shown = if choice < 0.0 { usize::MAX } else { choice as usize };
                here(all.get(shown..).and_then(|rest| rest.get(..1)).unwrap_or_default())
            }
            // The first level is the finest.
            "LOD" => here(self.children("level").get(..1).unwrap_or_default()),
            "Inline" => {
                Err(self
                    .fail("Inline names another file, which is not read; export all into one file, or name that file"))
            }
            "Billboard" => {
                Err(self.fail("a Billboard turns to its viewer, so that it has no place; export the part without it"))
            }
            kind if WITHOUT_SURFACE.contains(&kind)
                || ["Light", "Sensor", "Interpolator"].iter().any(|end| kind.ends_with(end)) =>
            {
                Ok(Role::Nothing)
            }
            kind => {
                let kind = crate::json::quoted(kind);
                Err(self
                    .fail(format!("the node {kind} is not read; export the part as shapes in groups and transforms")))
            }
        }
    }

    /// Translation, center, rotation, and the scale in turned axes.
    fn transform(&self) -> Result<Placement, Fault> {
        let wrong = |error: clearance::BuildError| self.fail(format!("a Transform has no place: {error}"));
        let vector = |name: &str, usual: f64| self.numbers(name, [usual; 3]).map(DVec3::from_array);
        let (translation, center, scale) = (vector("translation", 0.0)?, vector("center", 0.0)?, vector("scale", 1.0)?);
        let (rotation, turned) = (self.rotation("rotation")?, self.rotation("scaleOrientation")?);
        let rigid = |translation, rotation| Pose::try_new(translation, rotation).map(Placement::Rigid).map_err(wrong);
        let mut place = rigid(translation + center, rotation)?;
        if scale != DVec3::ONE {
            let axes = DMat3::from_quat(turned);
            let is_uniform = scale.x == scale.y && scale.y == scale.z;
            let scaled = DMat3::from_diagonal(scale);
            let matrix = if is_uniform { scaled } else { axes * scaled * axes.transpose() };
            place = place.of(Placement::new(matrix, DVec3::ZERO).map_err(wrong)?);
        }
        Ok(if center == DVec3::ZERO { place } else { place.of(rigid(-center, DQuat::IDENTITY)?) })
    }

    fn rotation(&self, name: &str) -> Result<DQuat, Fault> {
        let [x, y, z, angle] = self.numbers(name, [0.0, 0.0, 1.0, 0.0])?;
        if angle == 0.0 {
            return Ok(DQuat::IDENTITY);
        }
        let axis = DVec3::new(x, y, z).try_normalize();
        let axis = axis.ok_or_else(|| self.fail(format!("{name} has an axis without a direction; correct it")))?;
        Ok(DQuat::from_axis_angle(axis, angle))
    }

    /// The faces of an `IndexedFaceSet`.
    pub fn add_faces(&self, polygons: &mut Polygons, weld: &mut Weld) -> Result<(), Fault> {
        let Some(coordinates) = self.node("coord")? else { return Ok(()) };
        let (line, points) =
            coordinates.value("point").map_or((self.line, &[][..]), |(line, value)| (line, &value.numbers));
        let fail = |message: &str| Fault { line, message: message.into() };
        if !points.len().is_multiple_of(3) {
            return Err(fail("the coordinates do not make whole points; the file is damaged, export it again"));
        }
        if !points.iter().all(|x| x.is_finite()) {
            return Err(fail("a coordinate is not a finite number; correct it"));
        }
        let numbers: Vec<u32> =
            points.chunks_exact(3).map(|p| weld.number(polygons, DVec3::new(p[0], p[1], p[2]))).collect();
        let (line, indices) =
            self.value("coordIndex").map_or((self.line, &[][..]), |(line, value)| (line, &value.numbers));
        let is_clockwise = !self.flag("ccw", true);
        for face in indices.split(|&index| index < 0.0).filter(|face| !face.is_empty()) {
            let corner = |&index: &f64| {
                let found = if index.fract() == 0.0 { numbers.get(index as usize) } else { None };
                found.copied().ok_or_else(|| {
                    // All digits of a large double would fill a screen.
                    let index = if index.abs() < 1e16 { index.to_string() } else { format!("{index:e}") };
                    let message =
                        format!("coordIndex has {index}, but there are {} points, counted from 0", numbers.len());
                    Fault { line, message }
                })
            };
            let mut corners: Vec<u32> = face.iter().map(corner).collect::<Result<_, _>>()?;
            if is_clockwise {
                corners.reverse();
            }
            corners.into_iter().for_each(|corner| polygons.add_corner(corner));
            polygons.end_element(true, polygons.element_count() as u64);
        }
        Ok(())
    }
}
