//! The robot: links, joints and bodies, checked to be a tree.
//!
//! **Invariants**
//!
//! - (R1) Every link but the root has one parent joint, and `order` lists joints so that parents come first.
//! - (R2) Every joint that moves is a chain of elementary joints: turns and slides about unit axes. Each has a value `multiplier q + offset` of one variable.
//! - (R3) The links of a checked pair are neither neighbours nor rigidly connected.
//!
//! A planar joint is two slides and a turn. A floating joint is three slides and the turns yaw, pitch and roll, so that its rotation is that of `rpy`.

use crate::error::Error;
use crate::files::{Made, Meshes, Options};
use crate::kinematics::MAX_VALUE;
use crate::srdf::{self, LinkPair, Reason};
use crate::urdf::{self, Geometry, JointElement, JointKind, rotation};
use crate::xml::quoted;
use clearance::math::DVec3;
use clearance::{Axis, HalfHeight, Pose, Radius, Shape};
use clearance_io::{Place, read_text};
use std::collections::{HashMap, HashSet};
use std::path::Path;
use std::sync::Arc;

/// Limit: a self-check has a pair for every two bodies; 2,048 of them are 2 million pairs.
const MAX_BODIES: usize = 2048;
/// Limit: every pair of links has the joints between them in memory, 80 bytes each; the largest known robot has 113,000 of these.
const MAX_STEPS: usize = 1 << 22;
/// Limit: a joint that mimics one that mimics another has one link of a chain; known robots have chains of one or two.
const MAX_MIMICS: usize = 64;
/// Limit: values of joints that mimic others stay within 1e12 radians or metres, so that they can be computed with.
const MAX_FACTOR: f64 = 1e6;

/// A robot: a tree of links, with bodies that can collide.
///
/// ```
/// use clearance_robot::{Options, Robot};
///
/// let text = r#"<robot name="arm">
///   <link name="base"/>
///   <link name="arm"><collision><origin xyz="0.5 0 0"/><geometry><box size="1 0.1 0.1"/></geometry></collision></link>
///   <joint name="shoulder" type="revolute"><parent link="base"/><child link="arm"/>
///     <axis xyz="0 0 1"/><limit lower="-2" upper="2" effort="1" velocity="1"/></joint>
/// </robot>"#;
/// let robot = Robot::parse(text, "arm.urdf", None, &Options::default())?;
/// assert_eq!(robot.joint_names(), ["shoulder"]);
/// let poses = robot.forward_kinematics(&[std::f64::consts::FRAC_PI_2])?;
/// assert!(poses[1].transform_point([1.0, 0.0, 0.0]).distance([0.0, 1.0, 0.0].into()) < 1e-15);
/// # Ok::<(), clearance_robot::Error>(())
/// ```
#[derive(Debug, Clone)]
pub struct Robot {
    pub(crate) name: String,
    pub(crate) links: Vec<Link>,
    pub(crate) joints: Vec<Joint>,
    /// Joints, parents first.
    pub(crate) order: Vec<usize>,
    pub(crate) variables: Vec<Variable>,
    pub(crate) bodies: Vec<Body>,
    pub(crate) base: Pose,
    /// Pairs of links that a rule leaves out.
    disabled: HashSet<LinkPair>,
    /// Pairs of links that are checked, in order.
    pub(crate) pairs: Vec<LinkPair>,
    notes: Vec<String>,
}

#[derive(Debug, Clone)]
pub(crate) struct Link {
    pub name: String,
    pub parent: Option<usize>,
    /// Links with the same number are rigidly connected.
    pub group: usize,
}

#[derive(Debug, Clone)]
pub(crate) struct Joint {
    pub name: String,
    pub parent: usize,
    pub child: usize,
    pub origin: Pose,
    pub elements: Vec<Element>,
    /// How many elementary joints the joints before this one have.
    pub first: usize,
    /// How many products of poses are in the origin besides those of the file.
    pub folded: usize,
}

/// An elementary joint.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Element {
    /// Does it turn, or slide?
    pub is_turn: bool,
    pub axis: DVec3,
    pub variable: usize,
    pub multiplier: f64,
    pub offset: f64,
}

impl Element {
    pub fn value(&self, q: &[f64]) -> f64 {
        self.multiplier * q[self.variable] + self.offset
    }
}

#[derive(Debug, Clone)]
pub(crate) struct Variable {
    pub name: String,
    pub limits: [f64; 2],
}

/// A shape on a link, and a ball around it.
#[derive(Debug, Clone)]
pub(crate) struct Body {
    pub link: usize,
    pub shape: Shape,
    /// Relative to the link.
    pub pose: Pose,
    /// A convex body around the shape: itself, or the hull of a mesh.
    pub hull: Option<Shape>,
    /// The ball, in the frame of the link.
    pub center: DVec3,
    pub radius: f64,
}

impl Body {
    pub fn new(link: usize, shape: Shape, pose: Pose) -> Self {
        let hull = match &shape {
            Shape::Mesh(mesh) => mesh.hull().map(|hull| Shape::Polytope(Arc::clone(hull))),
            _ => shape.convex().is_some().then(|| shape.clone()),
        };
        let (center, radius) = ball(&shape);
        Self { link, center: pose.transform_point(center), radius, shape, pose, hull }
    }
}

/// A ball around a shape, in its own frame. The radius is infinite for a half-space.
pub(crate) fn ball(shape: &Shape) -> (DVec3, f64) {
    /// Bound: a difference, its length and a maximum round by less than 4 ε of the radius; pose and center are in the errors of kinematics.
    const UP: f64 = 1.0 + 8.0 * f64::EPSILON;
    match shape {
        Shape::Mesh(mesh) => {
            let center = mesh.aabb().center();
            let farthest = mesh.vertices().iter().map(|vertex| vertex.distance(center)).fold(0.0, f64::max);
            (center, farthest * UP)
        }
        _ => (DVec3::ZERO, shape.bounding_radius() * UP),
    }
}

impl Robot {
    /// Reads a robot from the text of a URDF, and of an SRDF with its name. Meshes can come from package folders only; see [`Robot::load`].
    pub fn parse(urdf: &str, name: &str, srdf: Option<(&str, &str)>, options: &Options) -> Result<Self, Error> {
        Self::read(urdf, name, srdf, options, None)
    }

    /// Reads a robot from files.
    pub fn load(urdf: &Path, srdf: Option<&Path>, options: &Options) -> Result<Self, Error> {
        let text = read_text(urdf)?;
        let rules = srdf.map(|path| Ok::<_, Error>((read_text(path)?, path.display().to_string()))).transpose()?;
        let rules = rules.as_ref().map(|(text, name)| (text.as_str(), name.as_str()));
        let folder = urdf.parent().filter(|parent| *parent != Path::new("")).unwrap_or(Path::new("."));
        Self::read(&text, &urdf.display().to_string(), rules, options, Some(folder))
    }

    fn read(
        urdf: &str,
        name: &str,
        srdf: Option<(&str, &str)>,
        options: &Options,
        folder: Option<&Path>,
    ) -> Result<Self, Error> {
        let place = Place::file(name);
        let description = urdf::parse(urdf, &place)?;
        let numbers: HashMap<&str, usize> =
            description.links.iter().enumerate().map(|(number, link)| (link.name.as_str(), number)).collect();
        let (joints, variables) = joints(&description.joints, &numbers, &place)?;
        let mut links: Vec<Link> =
            description.links.iter().map(|link| Link { name: link.name.clone(), parent: None, group: 0 }).collect();
        for (number, joint) in joints.iter().enumerate() {
            if let Some(first) = links[joint.child].parent.replace(number) {
                let message = format!(
                    "the link {} is the child of the joint {} and of the joint {}; a link has one parent",
                    quoted(&links[joint.child].name),
                    quoted(&joints[first].name),
                    quoted(&joint.name)
                );
                return Err(Error::at(&place, description.joints[number].line, message));
            }
        }
        let order = order(&links, &joints, |link| description.links[link].line, &place)?;
        group_links(&mut links, &joints, &order);
        let mut meshes = Meshes::new(options, folder);
        let (mut bodies, mut notes) = (Vec::new(), Vec::new());
        for (number, link) in description.links.iter().enumerate() {
            for collision in &link.collisions {
                let at = place.clone().at_line(collision.line);
                let (shapes, mut said) = shapes(&collision.geometry, &mut meshes, &at)?;
                said.iter_mut().for_each(|note| *note = format!("link {}: {note}", quoted(&link.name)));
                notes.append(&mut said);
                bodies
                    .extend(shapes.into_iter().map(|(shape, pose)| Body::new(number, shape, collision.origin * pose)));
            }
        }
        if bodies.len() > MAX_BODIES {
            return Err(Error::at(&place, 1, format!("the robot has more than {MAX_BODIES} bodies; merge some")));
        }
        let rules = match srdf {
            Some((text, name)) => srdf::parse(text, &Place::file(name), &numbers)?,
            None => srdf::Rules::default(),
        };
        notes.extend(rules.notes);
        let mut disabled: HashSet<LinkPair> = rules.disabled.into_iter().collect();
        for &link in &rules.ignored {
            disabled.extend((0..links.len()).map(|other| srdf::ordered(link, other)));
        }
        rules.enabled.iter().for_each(|pair| {
            disabled.remove(pair);
        });
        let mut robot = Self {
            name: description.name,
            links,
            joints,
            order,
            variables,
            bodies,
            base: Pose::IDENTITY,
            disabled,
            pairs: Vec::new(),
            notes,
        };
        robot.choose_pairs();
        if 2 * robot.longest_chain() * robot.pairs.len() > MAX_STEPS {
            let pairs = robot.pairs.len();
            return Err(Error::at(
                &place,
                1,
                format!("the robot has {pairs} pairs of links over chains that are too long; disable some"),
            ));
        }
        Ok(robot)
    }

    /// The most elementary joints between a link and the root.
    fn longest_chain(&self) -> usize {
        let mut lengths = vec![0; self.links.len()];
        for joint in self.order.iter().map(|&number| &self.joints[number]) {
            lengths[joint.child] = lengths[joint.parent] + joint.elements.len();
        }
        lengths.into_iter().max().unwrap_or(0)
    }

    /// Lists the pairs of links that are checked.
    fn choose_pairs(&mut self) {
        let mut with_bodies: Vec<usize> = self.bodies.iter().map(|body| body.link).collect();
        with_bodies.sort_unstable();
        with_bodies.dedup();
        self.pairs.clear();
        for (place, &one) in with_bodies.iter().enumerate() {
            for &other in &with_bodies[place + 1..] {
                if !self.disabled.contains(&[one, other]) && !self.is_adjacent([one, other]) {
                    self.pairs.push([one, other]);
                }
            }
        }
    }

    /// Is a joint between the links, or nothing that moves?
    fn is_adjacent(&self, [one, other]: LinkPair) -> bool {
        let parent = |link: usize| self.links[link].parent.map(|joint| self.joints[joint].parent);
        self.links[one].group == self.links[other].group || parent(one) == Some(other) || parent(other) == Some(one)
    }

    /// The name of the robot.
    #[must_use]
    pub fn name(&self) -> &str {
        &self.name
    }

    /// The names of all links, in the order of the file.
    #[must_use]
    pub fn link_names(&self) -> Vec<&str> {
        self.links.iter().map(|link| link.name.as_str()).collect()
    }

    /// The number of a link.
    #[must_use]
    pub fn link(&self, name: &str) -> Option<usize> {
        self.links.iter().position(|link| link.name == name)
    }

    /// The names of the variables, in the order in which configurations have them: the joints that move and mimic no other, in the order of the file. A planar
    /// joint `j` has `j/x`, `j/y` and `j/turn`, a floating one `j/x`, `j/y`, `j/z`, `j/yaw`, `j/pitch` and `j/roll`.
    #[must_use]
    pub fn joint_names(&self) -> Vec<&str> {
        self.variables.iter().map(|variable| variable.name.as_str()).collect()
    }

    /// How many numbers a configuration has.
    #[must_use]
    pub fn dof(&self) -> usize {
        self.variables.len()
    }

    /// The lowest value of each variable, minus infinity where there is none.
    #[must_use]
    pub fn lower_limits(&self) -> Vec<f64> {
        self.variables.iter().map(|variable| variable.limits[0]).collect()
    }

    /// The highest value of each variable, infinity where there is none.
    #[must_use]
    pub fn upper_limits(&self) -> Vec<f64> {
        self.variables.iter().map(|variable| variable.limits[1]).collect()
    }

    /// Which values of a configuration are outside their limits. Queries answer about such configurations, too.
    #[must_use]
    pub fn outside_limits(&self, q: &[f64]) -> Vec<usize> {
        let is_outside = |(_, (variable, value)): &(usize, (&Variable, &f64))| {
            let [lower, upper] = variable.limits;
            !(lower <= **value && **value <= upper)
        };
        self.variables.iter().zip(q).enumerate().filter(is_outside).map(|(number, _)| number).collect()
    }

    /// Sentences about files that are not quite as a robot's should be: meshes that are no solids, rules about links that do not exist.
    #[must_use]
    pub fn notes(&self) -> &[String] {
        &self.notes
    }

    /// The pairs of links that are checked against each other.
    #[must_use]
    pub fn checked_pairs(&self) -> &[[usize; 2]] {
        &self.pairs
    }

    /// The shapes of a link, with their poses relative to it.
    pub fn shapes(&self, link: usize) -> impl Iterator<Item = (&Shape, Pose)> {
        self.bodies.iter().filter(move |body| body.link == link).map(|body| (&body.shape, body.pose))
    }

    /// The same robot, with its root link at that pose.
    #[must_use]
    pub fn at(self, base: Pose) -> Self {
        Self { base, ..self }
    }

    /// Leaves a pair of links out of all checks.
    pub fn disable(&mut self, one: usize, other: usize) {
        self.disabled.insert(srdf::ordered(one, other));
        self.choose_pairs();
    }

    /// Fixes an object to a link, as a link of its own with that name, and returns its number. It may touch the links that are named.
    pub fn attach(
        &mut self,
        link: usize,
        name: &str,
        shape: Shape,
        pose: Pose,
        touching: &[usize],
    ) -> Result<usize, Error> {
        if link >= self.links.len() || touching.iter().any(|&other| other >= self.links.len()) {
            return Err(Error::Argument(format!("there are {} links; give a number below that", self.links.len())));
        }
        if self.link(name).is_some() {
            return Err(Error::Argument(format!("there is a link {} already; choose another name", quoted(name))));
        }
        if shape.bounding_radius() == f64::INFINITY {
            return Err(Error::Argument("an object that is attached must be bounded; give it an end".into()));
        }
        if self.bodies.len() == MAX_BODIES {
            return Err(Error::Argument(format!("the robot has {MAX_BODIES} bodies already; merge some")));
        }
        let (child, joint) = (self.links.len(), self.joints.len());
        let group = self.links[link].group;
        self.links.push(Link { name: name.to_owned(), parent: Some(joint), group });
        self.joints.push(Joint {
            name: name.to_owned(),
            parent: link,
            child,
            origin: pose,
            elements: Vec::new(),
            first: self.element_count(),
            folded: 0,
        });
        self.order.push(joint);
        self.bodies.push(Body::new(child, shape, Pose::IDENTITY));
        self.disabled.extend(touching.iter().map(|&other| srdf::ordered(other, child)));
        self.choose_pairs();
        Ok(child)
    }

    /// Fixes joints at values: they are no longer part of configurations, nor are those that mimic them. Links that nothing moves against each other any more are not
    /// checked.
    pub fn lock(&mut self, values: &[(&str, f64)]) -> Result<(), Error> {
        let mut locked: Vec<Option<f64>> = vec![None; self.variables.len()];
        for &(name, value) in values {
            let Some(number) = self.variables.iter().position(|variable| variable.name == name) else {
                return Err(Error::Argument(format!("there is no joint {} that moves by itself", quoted(name))));
            };
            // NaN passes no comparison.
            if !(value.abs() <= MAX_VALUE) {
                let sentence = format!("the value of {name} is {value}, but must be a number within ±{MAX_VALUE:.0}");
                return Err(Error::Argument(sentence));
            }
            if locked[number].replace(value).is_some() {
                return Err(Error::Argument(format!("the joint {} is locked twice; keep one value", quoted(name))));
            }
        }
        let value =
            |element: &Element| locked[element.variable].map(|value| element.multiplier * value + element.offset);
        let is_locked = |joint: &Joint| joint.elements.iter().filter(|element| value(element).is_some()).count();
        if let Some(joint) = self.joints.iter().find(|joint| !matches!(is_locked(joint), 0) && joint.elements.len() > 1)
        {
            let sentence = format!("the joint {} has more than one value and cannot be locked", quoted(&joint.name));
            return Err(Error::Argument(sentence));
        }
        let kept: Vec<usize> = (0..locked.len()).filter(|&number| locked[number].is_none()).collect();
        let mut first = 0;
        for joint in &mut self.joints {
            if let [element] = joint.elements[..]
                && let Some(value) = value(&element)
            {
                let moved = match element.is_turn {
                    true => Pose::from_rotation(rotation(element.axis, value)),
                    false => Pose::from_translation(element.axis * value),
                };
                joint.origin = joint.origin * moved;
                joint.folded += 1;
                joint.elements.clear();
            }
            for element in &mut joint.elements {
                // It is not locked, so it is kept.
                element.variable = kept.binary_search(&element.variable).unwrap_or(0);
            }
            joint.first = first;
            first += joint.elements.len();
        }
        let mut numbers = 0..;
        self.variables.retain(|_| numbers.next().is_some_and(|number: usize| locked[number].is_none()));
        group_links(&mut self.links, &self.joints, &self.order);
        self.choose_pairs();
        Ok(())
    }

    /// The text of an SRDF that disables these pairs of links; see [`Robot::propose_disabled`].
    #[must_use]
    pub fn srdf(&self, pairs: &[([usize; 2], Reason)]) -> String {
        let name = |link: usize| self.links.get(link).map_or("", |link| link.name.as_str());
        srdf::write(&self.name, pairs.iter().map(|&(pair, reason)| (pair.map(name), reason)))
    }

    /// How many elementary joints there are.
    pub(crate) fn element_count(&self) -> usize {
        self.joints.last().map_or(0, |joint| joint.first + joint.elements.len())
    }

    /// All pairs of neighbours that have shapes.
    pub(crate) fn adjacent_pairs(&self) -> Vec<LinkPair> {
        let mut with_bodies: Vec<usize> = self.bodies.iter().map(|body| body.link).collect();
        with_bodies.sort_unstable();
        with_bodies.dedup();
        let pairs = with_bodies
            .iter()
            .enumerate()
            .flat_map(|(place, &one)| with_bodies[place + 1..].iter().map(move |&other| [one, other]));
        pairs.filter(|&pair| self.is_adjacent(pair)).collect()
    }
}

/// Numbers links so that those which are rigidly connected have the same number.
fn group_links(links: &mut [Link], joints: &[Joint], order: &[usize]) {
    for (number, joint) in order.iter().map(|&number| (number, &joints[number])) {
        debug_assert!(links[joint.child].parent == Some(number), "R1");
        links[joint.child].group = if joint.elements.is_empty() { links[joint.parent].group } else { joint.child + 1 };
    }
}

/// The shapes of a geometry, in its own frame, and sentences about them.
fn shapes(geometry: &Geometry, meshes: &mut Meshes<'_>, place: &Place) -> Result<Made, Error> {
    let shape = match *geometry {
        Geometry::Box(size) => Shape::cuboid(size.map(|side| 0.5 * side)),
        Geometry::Cylinder { radius, length } => Shape::cylinder(Axis::Z, Radius(radius), HalfHeight(0.5 * length)),
        Geometry::Capsule { radius, length } => Shape::capsule(Axis::Z, Radius(radius), HalfHeight(0.5 * length)),
        Geometry::Sphere { radius } => Shape::sphere(radius),
        Geometry::Mesh { ref file, scale } => return meshes.shapes(file, scale, place),
    };
    match shape {
        Ok(shape) => Ok((vec![(shape, Pose::IDENTITY)], Vec::new())),
        Err(error) => Err(Error::File { place: place.clone(), message: error.to_string() }),
    }
}

/// The joints, as chains of elementary joints, and the variables.
fn joints(
    read: &[JointElement],
    links: &HashMap<&str, usize>,
    place: &Place,
) -> Result<(Vec<Joint>, Vec<Variable>), Error> {
    let names: HashMap<&str, usize> =
        read.iter().enumerate().map(|(number, joint)| (joint.name.as_str(), number)).collect();
    let mut variables = Vec::new();
    let mut first = vec![usize::MAX; read.len()];
    for (number, joint) in read.iter().enumerate() {
        first[number] = variables.len();
        let mut add = |suffix: &str| {
            variables.push(Variable { name: format!("{}{suffix}", joint.name), limits: joint.limits });
        };
        match joint.kind {
            _ if joint.mimic.is_some() => {}
            JointKind::Fixed => {}
            JointKind::Revolute | JointKind::Continuous | JointKind::Prismatic => add(""),
            JointKind::Planar => ["/x", "/y", "/turn"].into_iter().for_each(add),
            JointKind::Floating => ["/x", "/y", "/z", "/yaw", "/pitch", "/roll"].into_iter().for_each(add),
        }
    }
    let mut joints: Vec<Joint> = Vec::with_capacity(read.len());
    let mut count = 0;
    for (number, joint) in read.iter().enumerate() {
        let link = |name: &str| {
            links.get(name).copied().ok_or_else(|| {
                let message = format!(
                    "the joint {} names the link {}, which does not exist; correct it",
                    quoted(&joint.name),
                    quoted(name)
                );
                Error::at(place, joint.line, message)
            })
        };
        let (parent, child) = (link(&joint.parent)?, link(&joint.child)?);
        let (source, multiplier, offset) = source(read, &names, number, place)?;
        let element = |is_turn: bool, axis: DVec3, nth: usize| Element {
            is_turn,
            axis,
            variable: first[source] + nth,
            multiplier,
            offset,
        };
        let elements = match joint.kind {
            JointKind::Fixed => Vec::new(),
            JointKind::Revolute | JointKind::Continuous => vec![element(true, joint.axis, 0)],
            JointKind::Prismatic => vec![element(false, joint.axis, 0)],
            JointKind::Planar => {
                let (x, y) = joint.axis.any_orthonormal_pair();
                // For the usual axis z, these are x and y.
                let (x, y) = if joint.axis == DVec3::Z { (DVec3::X, DVec3::Y) } else { (x, y) };
                vec![element(false, x, 0), element(false, y, 1), element(true, joint.axis, 2)]
            }
            JointKind::Floating => {
                let slides = DVec3::AXES.into_iter().enumerate().map(|(nth, axis)| element(false, axis, nth));
                let turns = [DVec3::Z, DVec3::Y, DVec3::X].into_iter().enumerate();
                slides.chain(turns.map(|(nth, axis)| element(true, axis, 3 + nth))).collect()
            }
        };
        let first = count;
        count += elements.len();
        joints.push(Joint {
            name: joint.name.clone(),
            parent,
            child,
            origin: joint.origin,
            elements,
            first,
            folded: 0,
        });
    }
    Ok((joints, variables))
}

/// The joint whose variable moves a joint, through all that mimic each other, and the law.
fn source(
    joints: &[JointElement],
    names: &HashMap<&str, usize>,
    start: usize,
    place: &Place,
) -> Result<(usize, f64, f64), Error> {
    let (mut at, mut multiplier, mut offset) = (start, 1.0, 0.0);
    for _ in 0..=MAX_MIMICS {
        let joint = &joints[at];
        let Some(mimic) = &joint.mimic else { return Ok((at, multiplier, offset)) };
        let fault = |message: String| Error::at(place, mimic.line, message);
        let single =
            |kind: JointKind| matches!(kind, JointKind::Revolute | JointKind::Continuous | JointKind::Prismatic);
        if joint.kind == JointKind::Fixed {
            // A fixed joint has no value, whatever it mimics.
            return Ok((at, multiplier, offset));
        }
        if !single(joint.kind) {
            return Err(fault(format!(
                "the joint {} has several values and cannot mimic another; remove <mimic>",
                quoted(&joint.name)
            )));
        }
        at = *names.get(mimic.joint.as_str()).ok_or_else(|| {
            fault(format!(
                "the joint {} mimics {}, which does not exist; correct it",
                quoted(&joint.name),
                quoted(&mimic.joint)
            ))
        })?;
        if !single(joints[at].kind) {
            return Err(fault(format!(
                "the joint {} mimics {}, which has no single value; correct it",
                quoted(&joint.name),
                quoted(&mimic.joint)
            )));
        }
        (multiplier, offset) = (multiplier * mimic.multiplier, multiplier * mimic.offset + offset);
        // NaN passes no comparison.
        if !(multiplier.abs() <= MAX_FACTOR && offset.abs() <= MAX_FACTOR) {
            return Err(fault(format!(
                "the joint {} moves by {multiplier} times its source plus {offset}, which is beyond {MAX_FACTOR:.0}; correct it",
                quoted(&joint.name)
            )));
        }
    }
    let message = format!(
        "the joint {} mimics itself, or another through more than {MAX_MIMICS} others; name its source",
        quoted(&joints[start].name)
    );
    Err(Error::at(place, joints[start].line, message))
}

/// The joints, parents first, if they make one tree.
fn order(links: &[Link], joints: &[Joint], line: impl Fn(usize) -> u64, place: &Place) -> Result<Vec<usize>, Error> {
    let roots: Vec<usize> = (0..links.len()).filter(|&link| links[link].parent.is_none()).collect();
    let root = match roots[..] {
        [root] => root,
        [] => {
            let message = "the links make a circle: each of them is the child of a joint; one must be none's";
            return Err(Error::at(place, line(0), message));
        }
        [first, second, ..] => {
            let message = format!(
                "the link {} is the child of no joint, nor is {}; join them or remove one",
                quoted(&links[second].name),
                quoted(&links[first].name)
            );
            return Err(Error::at(place, line(second), message));
        }
    };
    let mut children = vec![Vec::new(); links.len()];
    for (number, joint) in joints.iter().enumerate() {
        children[joint.parent].push(number);
    }
    let (mut order, mut is_found) = (Vec::with_capacity(joints.len()), vec![false; links.len()]);
    is_found[root] = true;
    let mut at = 0;
    order.extend_from_slice(&children[root]);
    while let Some(&number) = order.get(at) {
        at += 1;
        let child = joints[number].child;
        is_found[child] = true;
        order.extend_from_slice(&children[child]);
    }
    match is_found.iter().position(|is_found| !is_found) {
        None => Ok(order),
        Some(link) => {
            let message = format!(
                "the link {} hangs on a circle of joints, not on the root {}; break the circle",
                quoted(&links[link].name),
                quoted(&links[root].name)
            );
            Err(Error::at(place, line(link), message))
        }
    }
}
