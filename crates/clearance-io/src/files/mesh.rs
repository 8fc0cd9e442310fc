//! A mesh file as a whole: bodies of triangles, with their names, poses and unit.

use super::polygons::{BentFaces, Numbers, Polygons, Triangles};
use super::primitive::Primitive;
use super::{FileLog, Folder, Format, MAX_FILE_BYTES, MESH_TYPES, Special, open};
use crate::count::counted;
use crate::error::{Error, Place};
use crate::unit::Unit;
use clearance::math::{DMat3, DVec3};
use clearance::{Axis, BuildError, Pose, Shape};
use clearance_verify::Shape as Written;
use std::collections::HashMap;
use std::fmt;
use std::io::Read;
use std::path::Path;
use std::sync::Arc;

/// The content of a mesh file.
///
/// Decimal digits are the nearest doubles; single precision is kept exactly.
#[derive(Debug, Clone, PartialEq)]
pub struct MeshFile {
    /// The bodies in the order of the file; at least one. Formats without bodies have one that has no name.
    pub bodies: Vec<MeshBody>,
    /// The unit of lengths, for formats that say: glTF (metres), 3MF and COLLADA.
    pub unit: Option<Unit>,
    /// How many elements of the file are no surface and were left out: lines, points, faces with less than three corners.
    pub skipped: u64,
    /// Faces whose edges cross, if there are any: they were cut into triangles.
    pub crossed: Option<CrossedFaces>,
    /// The axis that points up, for formats that say: glTF (y), COLLADA and VRML (y). Coordinates are as the file has them.
    pub up: Option<Axis>,
    /// Sentences about differences between the file and the bodies, such as a skin that was left out. Each begins with the file.
    pub notes: Vec<String>,
}

/// Faces whose edges cross. Such a face has no inside, and its triangles may be other ones than its author meant.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct CrossedFaces {
    /// How many there are.
    pub count: u64,
    /// Where the first of them is: file, and line or number.
    pub first: String,
}

impl fmt::Display for CrossedFaces {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}: the edges of this face cross; it was cut into triangles", self.first)?;
        match self.count {
            0 | 1 => Ok(()),
            count => write!(f, ", as were {} like it", counted(count - 1, "other", "others")),
        }
    }
}

/// A body of a mesh file.
#[derive(Debug, Clone, PartialEq)]
pub struct MeshBody {
    /// Its name in the file.
    pub name: Option<String>,
    /// The triangles. Instances of one part share them: they are the same [`Arc`].
    pub surface: Arc<Surface>,
    /// Where the triangles are. Scaling, shear and mirroring of a file are already in the vertices.
    pub pose: Pose,
    /// How the file counts the vertices and faces of the surface. Instances of one part share it.
    pub numbers: Arc<FileNumbers>,
    /// With boxes, balls, cylinders and cones (VRML): they and the other triangles. `surface` has polyhedra around them then, for drawing and for hulls.
    exact: Option<Exact>,
}

/// How a file counts the vertices and faces of a surface.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct FileNumbers {
    /// The number of the first vertex. `None` if vertices at one place were made one, so that the file has other numbers.
    pub first_vertex: Option<u32>,
    /// Are faces known by their lines? Else they are counted from 0.
    pub are_lines: bool,
    /// For each triangle the line or the number of its face.
    pub faces: Vec<u32>,
}

/// The primitives of a body, and its triangles that are not theirs.
#[derive(Debug, Clone, PartialEq)]
struct Exact {
    primitives: Vec<Primitive>,
    faces: Option<Arc<Surface>>,
}

impl MeshBody {
    /// The shape of the body in its own frame: the mesh of its triangles, or, where the file has boxes, balls, cylinders or cones, exactly these.
    ///
    /// # Errors
    ///
    /// If a coordinate is too large to compute with.
    pub fn shape(&self) -> Result<Shape, BuildError> {
        let mesh = |surface: &Surface| Shape::mesh(&surface.vertices, &surface.triangles);
        let Some(Exact { primitives, faces }) = &self.exact else { return mesh(&self.surface) };
        let mut parts: Vec<Shape> = faces.iter().map(|faces| mesh(faces)).collect::<Result<_, _>>()?;
        for primitive in primitives {
            parts.push(primitive.shape()?);
        }
        if parts.len() == 1 {
            return Ok(parts.remove(0));
        }
        Shape::compound(parts.into_iter().map(|part| (part, Pose::IDENTITY)))
    }

    /// The shape for evidence: what [`clearance_verify`] is to rebuild.
    #[must_use]
    pub fn written(&self) -> Written {
        let mesh = |surface: &Surface| Written::Mesh {
            vertices: surface.vertices.iter().map(DVec3::to_array).collect(),
            triangles: surface.triangles.clone(),
        };
        let Some(Exact { primitives, faces }) = &self.exact else { return mesh(&self.surface) };
        let pose = written_pose(&Pose::IDENTITY);
        let faces = faces.iter().map(|faces| mesh(faces));
        let mut parts: Vec<_> = faces
            .chain(primitives.iter().map(Primitive::written))
            .map(|shape| clearance_verify::Part { shape, pose })
            .collect();
        match parts.pop() {
            Some(only) if parts.is_empty() => only.shape,
            last => Written::Compound(parts.into_iter().chain(last).collect()),
        }
    }

    /// Does the file have boxes, balls, cylinders or cones in it?
    pub(crate) fn has_primitives(&self) -> bool {
        self.exact.is_some()
    }

    /// Vertices and triangles of what the shape is made of, for those who count.
    pub(crate) fn size(&self) -> u64 {
        self.surface.vertices.len() as u64 + self.surface.triangles.len() as u64
    }

    /// All lengths times that factor.
    fn scaled_exact(&self, factor: f64) -> Option<Exact> {
        self.exact.as_ref().map(|exact| Exact {
            primitives: exact
                .primitives
                .iter()
                .map(|one| one.mapped(DMat3::from_diagonal(DVec3::splat(factor))))
                .collect(),
            faces: exact.faces.as_ref().map(|faces| Arc::new(faces.scaled(factor))),
        })
    }
}

/// A pose for evidence.
pub(crate) fn written_pose(pose: &Pose) -> clearance_verify::Pose {
    clearance_verify::Pose { translation: pose.translation().to_array(), rotation: pose.rotation().to_array() }
}

/// Triangles over vertices, with the numbers of the file.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct Surface {
    /// The vertices, those that no triangle uses included.
    pub vertices: Vec<DVec3>,
    /// The triangles, three numbers of vertices each, in the sense of the file: mostly counter-clockwise from outside.
    pub triangles: Vec<[u32; 3]>,
}

impl Surface {
    /// This surface in another unit, or of another size; see [`Unit::factor_to`].
    ///
    /// A power of two is exact; any other factor rounds, and the rounded coordinates are the part.
    #[must_use]
    pub fn scaled(&self, factor: f64) -> Self {
        let vertices = self.vertices.iter().map(|&vertex| vertex * factor).collect();
        Self { vertices, triangles: self.triangles.clone() }
    }
}

impl MeshFile {
    /// Reads a mesh from the bytes of a file; the ending of the name tells the format.
    ///
    /// Of the formats only glTF names other files; they are looked for in the folder.
    ///
    /// ```
    /// use clearance_io::{Folder, MeshFile};
    ///
    /// let text = b"v 0 0 0\nv 1 0 0\nv 1 1 0\nv 0 1 0\nf 1 2 3 4\n";
    /// let mesh = MeshFile::parse(text, "square.obj", &Folder::none())?;
    /// assert_eq!(mesh.bodies[0].surface.triangles, [[0, 1, 2], [0, 2, 3]]);
    /// # Ok::<(), clearance_io::Error>(())
    /// ```
    pub fn parse(bytes: &[u8], name: &str, folder: &Folder) -> Result<Self, Error> {
        Contents::parse(bytes, name, folder)?.into_mesh(name)
    }

    /// A shape for every body, in its own frame; instances of one part are one shape.
    ///
    /// # Errors
    ///
    /// If a coordinate is too large to compute with.
    pub fn shapes(&self) -> Result<Vec<Shape>, BuildError> {
        let mut made: HashMap<*const Surface, Shape> = HashMap::new();
        let mut shapes = Vec::with_capacity(self.bodies.len());
        for body in &self.bodies {
            let key = Arc::as_ptr(&body.surface);
            let shape = match made.get(&key) {
                Some(shape) => shape.clone(),
                None => body.shape()?,
            };
            made.insert(key, shape.clone());
            shapes.push(shape);
        }
        Ok(shapes)
    }

    /// Everything as one shape: that of the only body if it is not moved, else a compound.
    ///
    /// # Errors
    ///
    /// If a coordinate is too large to compute with.
    pub fn shape(&self) -> Result<Shape, BuildError> {
        let mut shapes = self.shapes()?;
        match &self.bodies[..] {
            [body] if body.pose == Pose::IDENTITY => Ok(shapes.remove(0)),
            bodies => Shape::compound(shapes.into_iter().zip(bodies.iter().map(|body| body.pose))),
        }
    }

    /// All lengths times that factor; see [`Surface::scaled`]. The unit is forgotten.
    ///
    /// # Errors
    ///
    /// If a body gets too far away to compute with. Vertices are checked when a shape is made of them.
    pub fn scaled(&self, factor: f64) -> Result<Self, BuildError> {
        let mut scaled = HashMap::new();
        let scale = |body: &MeshBody| {
            let new = || Arc::new(body.surface.scaled(factor));
            let surface = Arc::clone(scaled.entry(Arc::as_ptr(&body.surface)).or_insert_with(new));
            let pose = Pose::try_new(body.pose.translation() * factor, body.pose.rotation())?;
            let exact = body.scaled_exact(factor);
            Ok(MeshBody { name: body.name.clone(), surface, pose, numbers: Arc::clone(&body.numbers), exact })
        };
        let bodies = self.bodies.iter().map(scale).collect::<Result<_, _>>()?;
        Ok(Self { bodies, unit: None, ..self.clone() })
    }
}

/// The mesh of a file: OBJ, STL, PLY, OFF, glTF, GLB, 3MF, COLLADA or VRML by its ending. The guide tells what is read of each.
pub fn read_mesh(path: &Path) -> Result<MeshFile, Error> {
    FileLog::off().read_mesh(path)
}

/// The convex hull of a mesh file.
pub fn read_hull(path: &Path) -> Result<Shape, Error> {
    hull_of(path, &path.display().to_string(), &FileLog::off())
}

/// The vertices of a mesh file that its hull is made of, as the file has them, and the unit that it states.
///
/// These are the vertices that faces, lines and points use, or all of them when there are none of these. Those of bodies with
/// poses are moved there, which rounds.
pub fn read_points(path: &Path) -> Result<(Vec<DVec3>, Option<Unit>), Error> {
    FileLog::off().read_points(path)
}

pub(super) fn mesh_of(path: &Path, name: &str, log: &FileLog) -> Result<MeshFile, Error> {
    Contents::read(path, name, log)?.into_mesh(name)
}

pub(super) fn hull_of(path: &Path, name: &str, log: &FileLog) -> Result<Shape, Error> {
    let (points, _) = stated_points_of(path, name, log)?;
    Shape::hull(&points)
        .map_err(|error| Error::Mesh { place: Place::file(name), message: format!("as a list of points, {error}") })
}

/// The points, and the unit that the file states.
pub(super) fn stated_points_of(path: &Path, name: &str, log: &FileLog) -> Result<(Vec<DVec3>, Option<Unit>), Error> {
    let contents = Contents::read(path, name, log)?;
    let unit = contents.unit;
    Ok((contents.into_points(name)?, unit))
}

/// A mesh file before it is known whether its triangles or only its points are wanted.
#[derive(Debug)]
pub(super) struct Contents {
    pub parts: Vec<Part>,
    pub unit: Option<Unit>,
    /// Elements that are no faces and were not even kept.
    pub skipped: u64,
    /// The length of the file in bytes; it limits the copies of vertices.
    pub size: u64,
    /// The axis that the file calls up.
    pub up: Option<Axis>,
    /// Sentences about what was read differently from what the file says; each begins with the name of the file.
    pub notes: Vec<String>,
}

/// A body of a mesh file. Its vertices go through the matrix first, then through the pose.
#[derive(Debug)]
pub(super) struct Part {
    pub name: Option<String>,
    pub polygons: Arc<Polygons>,
    pub matrix: DMat3,
    pub pose: Pose,
    /// With primitives: they and the other faces.
    pub exact: Option<PartExact>,
}

/// A body that has primitives.
#[derive(Debug, Clone)]
pub(super) struct PartExact {
    pub primitives: Vec<Primitive>,
    /// The faces that are not those of a primitive.
    pub faces: Option<Arc<Polygons>>,
}

/// A name as people read it; the rest of a very long one would be copied for every instance.
pub(super) fn label(name: &str) -> String {
    /// Limit: a label is copied for every instance, and a file may have 65,536 of them.
    const MOST: usize = 200;
    match name.char_indices().nth(MOST) {
        Some((end, _)) => format!("{}…", &name[..end]),
        None => name.to_owned(),
    }
}

/// Copies of vertices may take `MULTIPLE` times the bytes of the file, or `SMALL` bytes if that is more. Limit: a small file with nested
/// instances must not take all memory.
const MULTIPLE: u64 = 16;
const SMALL: u64 = 1 << 28;

impl Contents {
    /// Bodies of a format that has only one.
    pub fn single(polygons: Polygons, size: usize) -> Self {
        let part = Part {
            name: None,
            polygons: Arc::new(polygons),
            matrix: DMat3::IDENTITY,
            pose: Pose::IDENTITY,
            exact: None,
        };
        Self::new(vec![part], size)
    }

    /// Bodies of a file that states no unit.
    pub fn new(parts: Vec<Part>, size: usize) -> Self {
        Self { parts, unit: None, skipped: 0, size: size as u64, up: None, notes: Vec::new() }
    }

    /// Reads a file; `name` is what messages call it.
    fn read(path: &Path, name: &str, log: &FileLog) -> Result<Self, Error> {
        let (file, size) = open(path, name, MESH_TYPES, Special::Refused)?;
        // A folder or a missing file is the more likely mistake, and the clearer message, so this comes second.
        let format = Format::of(name)?;
        let mut bytes = Vec::with_capacity(size as usize + 1);
        // The file may have grown since its size was asked for.
        file.take(MAX_FILE_BYTES + 1).read_to_end(&mut bytes).map_err(|error| Error::from_io(name.as_ref(), &error))?;
        if bytes.len() as u64 > MAX_FILE_BYTES {
            return Err(Error::TooLarge { file: name.to_owned(), limit: MAX_FILE_BYTES });
        }
        log.add(name, &bytes);
        format.read(&bytes, name, &Folder::of(path).logging(log))
    }

    fn parse(bytes: &[u8], name: &str, folder: &Folder) -> Result<Self, Error> {
        Format::of(name)?.read(bytes, name, folder)
    }

    fn into_points(self, name: &str) -> Result<Vec<DVec3>, Error> {
        let fail = |message: &str| Error::Mesh { place: Place::file(name), message: message.into() };
        let mut room = Room::new(self.size);
        let mut points = Vec::new();
        for part in &self.parts {
            room.take(part.polygons.vertices.len()).map_err(fail)?;
            let place = |vertex: DVec3| {
                // Without a pose the bits stay, those of a zero's sign too.
                let vertex = if part.matrix == DMat3::IDENTITY { vertex } else { part.matrix * vertex };
                if part.pose == Pose::IDENTITY { vertex } else { part.pose.transform_point(vertex) }
            };
            points.extend(part.polygons.points().into_iter().map(place));
        }
        if points.is_empty() {
            return Err(fail("the file holds no vertices; export it again with its geometry"));
        }
        Ok(points)
    }

    fn into_mesh(self, name: &str) -> Result<MeshFile, Error> {
        let fail = |message: &str| Error::Mesh { place: Place::file(name), message: message.into() };
        let mut room = Room::new(self.size);
        let mut cut = Cut { skipped: self.skipped, ..Cut::default() };
        let mut bodies = Vec::new();
        // Copies of vertices count against the capacity.
        let mut placed = |surface: Arc<Surface>, matrix: DMat3| -> Result<Arc<Surface>, Error> {
            if matrix == DMat3::IDENTITY {
                return Ok(surface);
            }
            room.take(surface.vertices.len() + surface.triangles.len()).map_err(fail)?;
            let image = image(&surface, matrix);
            if !image.vertices.iter().all(|vertex| vertex.is_finite()) {
                return Err(fail("a part is scaled beyond all numbers; correct its place"));
            }
            Ok(Arc::new(image))
        };
        for Part { name: part_name, polygons, matrix, pose, exact } in self.parts {
            let exact = match exact {
                None => None,
                Some(PartExact { primitives, faces }) => Some(Exact {
                    primitives: primitives.into_iter().map(|primitive| primitive.mapped(matrix)).collect(),
                    faces: match faces {
                        Some(faces) => Some(placed(cut.surface(faces, name)?.0, matrix)?),
                        None => None,
                    },
                }),
            };
            let (surface, numbers) = cut.surface(polygons, name)?;
            if surface.triangles.is_empty() {
                continue;
            }
            bodies.push(MeshBody { name: part_name, surface: placed(surface, matrix)?, pose, numbers, exact });
        }
        let Cut { skipped, crossed, bent, .. } = cut;
        if bodies.is_empty() {
            return Err(fail(
                "the file holds no triangles; export it again with its faces, or take the hull of its points",
            ));
        }
        let mut notes = self.notes;
        notes.extend(bent.map(|bent| bent.to_string()));
        Ok(MeshFile { bodies, unit: self.unit, skipped, crossed, up: self.up, notes })
    }
}

/// Polygons that were cut into triangles, each of them once.
#[derive(Default)]
struct Cut {
    surfaces: HashMap<*const Polygons, (Arc<Surface>, Arc<FileNumbers>)>,
    skipped: u64,
    crossed: Option<CrossedFaces>,
    bent: Option<BentFaces>,
}

impl Cut {
    fn surface(&mut self, polygons: Arc<Polygons>, name: &str) -> Result<(Arc<Surface>, Arc<FileNumbers>), Error> {
        let key = Arc::as_ptr(&polygons);
        if let Some(found) = self.surfaces.get(&key) {
            return Ok(found.clone());
        }
        let Triangles { triangles, faces, skipped, crossed, bent } = polygons.triangles(name)?;
        let (first_vertex, are_lines) = (polygons.first_vertex, polygons.numbers == Numbers::Lines);
        self.skipped += skipped;
        self.crossed = match (self.crossed.take(), crossed) {
            (Some(CrossedFaces { count, first }), Some(more)) => {
                Some(CrossedFaces { count: count + more.count, first })
            }
            (one, other) => one.or(other),
        };
        self.bent = match (self.bent.take(), bent) {
            (Some(one), Some(other)) => Some(one.join(other)),
            (one, other) => one.or(other),
        };
        // A part that stands alone is not copied.
        let vertices = Arc::try_unwrap(polygons).map_or_else(|shared| shared.vertices.clone(), |own| own.vertices);
        let numbers = FileNumbers { first_vertex, are_lines, faces };
        let found = (Arc::new(Surface { vertices, triangles }), Arc::new(numbers));
        self.surfaces.insert(key, found.clone());
        Ok(found)
    }
}

/// Remaining capacity for copies of vertices and triangles.
pub(super) struct Room(u64);

impl Room {
    pub fn new(size: u64) -> Self {
        Self((MULTIPLE * size).max(SMALL))
    }

    /// Takes the capacity for this number of vertices, or as many triangles.
    pub fn take(&mut self, count: usize) -> Result<(), &'static str> {
        self.0 = self.0.checked_sub(size_of::<DVec3>() as u64 * count as u64).ok_or(REPEATS)?;
        Ok(())
    }
}

const REPEATS: &str = "the file repeats its parts too often; export each of them once";

/// The surface after a linear map. One that mirrors turns the triangles over, so that outside stays outside.
fn image(surface: &Surface, matrix: DMat3) -> Surface {
    let turned = |[a, b, c]: [u32; 3]| if matrix.determinant() < 0.0 { [a, c, b] } else { [a, b, c] };
    Surface {
        vertices: surface.vertices.iter().map(|&vertex| matrix * vertex).collect(),
        triangles: surface.triangles.iter().copied().map(turned).collect(),
    }
}
