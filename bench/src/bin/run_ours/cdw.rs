//! The harness's file of pair queries, see its README: little-endian, every count checked against the rest of the file.

use clearance::math::{DMat3, DQuat, DVec3};
use clearance::{Axis, HalfHeight, Pose, Radius, Shape};

/// Shapes and queries, converted to the library's own types.
#[derive(Debug)]
pub struct Workload {
    /// Length of a coherent run, zero when the queries are unrelated.
    pub track: usize,
    /// The shapes.
    pub shapes: Vec<Shape>,
    /// The queries.
    pub queries: Vec<Query>,
}

/// Two shapes and their poses.
#[derive(Debug, Clone, Copy)]
pub struct Query {
    /// Number of shape A.
    pub a: usize,
    /// Number of shape B.
    pub b: usize,
    /// Pose of A.
    pub pose_a: Pose,
    /// Pose of B.
    pub pose_b: Pose,
}

/// Bytes of a query: two numbers, and two poses of twelve.
const QUERY: usize = 2 * 4 + 24 * 8;

/// Bytes of the shortest shape: four counts.
const SHAPE: usize = 4 * 4;

/// Reads a workload.
pub fn read(bytes: &[u8]) -> Result<Workload, String> {
    let mut reader = Reader::after(bytes, b"CDW1", "a pair workload")?;
    let track = reader.count()?;
    let (shapes, is_along_z) = reader.shapes()?;
    let mut queries = Vec::new();
    for number in 0..reader.counted("queries", QUERY)? {
        let (a, b) = (reader.count()?, reader.count()?);
        let (Some(&turn_a), Some(&turn_b)) = (is_along_z.get(a), is_along_z.get(b)) else {
            return Err(format!("query {number} names shape {}, but there are {}", a.max(b), shapes.len()));
        };
        let mut pose = |turn| reader.pose(turn).map_err(|error| format!("query {number}: {error}"));
        let (pose_a, pose_b) = (pose(turn_a)?, pose(turn_b)?);
        queries.push(Query { a, b, pose_a, pose_b });
    }
    Ok(Workload { track, shapes, queries })
}

/// The kind of a mesh.
pub const MESH: u32 = 7;

const CAPSULE: u32 = 2;
const CYLINDER: u32 = 3;
const CONE: u32 = 4;

/// Shapes, and which of them have the file's z for their axis.
pub type Shapes = (Vec<Shape>, Vec<bool>);

/// The unread rest of a file.
pub struct Reader<'a> {
    rest: &'a [u8],
}

impl<'a> Reader<'a> {
    /// The file after the four letters that say what it is.
    pub fn after(bytes: &'a [u8], letters: &[u8; 4], what: &str) -> Result<Self, String> {
        let missing = || format!("not {what}: it does not start with {}", String::from_utf8_lossy(letters));
        bytes.strip_prefix(letters).map(|rest| Self { rest }).ok_or_else(missing)
    }

    /// True if the rest has at least that length.
    pub fn check_room(&self, bytes: usize) -> Result<(), String> {
        let left = self.rest.len();
        if left < bytes {
            Err(format!("the file is too short: {left} bytes are left, but {bytes} are promised"))
        } else {
            Ok(())
        }
    }

    /// A list of shapes, and which of them have the file's z for their axis.
    pub fn shapes(&mut self) -> Result<Shapes, String> {
        let (mut shapes, mut is_along_z) = (Vec::new(), Vec::new());
        for number in 0..self.counted("shapes", SHAPE)? {
            let (kind, shape) = self.shape().map_err(|error| format!("shape {number}: {error}"))?;
            shapes.push(shape);
            is_along_z.push(matches!(kind, CAPSULE | CYLINDER | CONE));
        }
        Ok((shapes, is_along_z))
    }

    fn take<const N: usize>(&mut self) -> Result<[u8; N], String> {
        let (head, rest) = self.rest.split_first_chunk().ok_or("the file ends too soon")?;
        self.rest = rest;
        Ok(*head)
    }

    fn integer(&mut self) -> Result<u32, String> {
        self.take().map(u32::from_le_bytes)
    }

    /// A number of things.
    pub fn count(&mut self) -> Result<usize, String> {
        self.integer().map(|count| count as usize)
    }

    /// A count of things of at least `bytes` each, which the rest of the file must be able to hold.
    fn counted(&mut self, what: &str, bytes: usize) -> Result<usize, String> {
        let count = self.count()?;
        let most = self.rest.len() / bytes;
        if count > most {
            return Err(format!("the file claims {count} {what}, but the rest of it has room for {most}"));
        }
        Ok(count)
    }

    fn number(&mut self) -> Result<f64, String> {
        self.take().map(f64::from_le_bytes)
    }

    /// Three numbers.
    pub fn vector(&mut self) -> Result<DVec3, String> {
        Ok(DVec3::new(self.number()?, self.number()?, self.number()?))
    }

    /// The kind of a shape and the shape.
    fn shape(&mut self) -> Result<(u32, Shape), String> {
        let kind = self.integer()?;
        let sizes = (0..self.counted("sizes", 8)?).map(|_| self.number()).collect::<Result<Vec<_>, _>>()?;
        let points = (0..self.counted("vertices", 24)?).map(|_| self.vector()).collect::<Result<Vec<_>, _>>()?;
        let corner = |reader: &mut Self| Ok([reader.integer()?, reader.integer()?, reader.integer()?]);
        let triangles =
            (0..self.counted("triangles", 12)?).map(|_| corner(self)).collect::<Result<Vec<_>, String>>()?;
        let shape = match (kind, &sizes[..]) {
            (0, &[radius]) => Shape::sphere(radius),
            (1, &[x, y, z]) => Shape::cuboid([x, y, z]),
            (CAPSULE, &[radius, half_height]) => Shape::capsule(Axis::Y, Radius(radius), HalfHeight(half_height)),
            (CYLINDER, &[radius, half_height]) => Shape::cylinder(Axis::Y, Radius(radius), HalfHeight(half_height)),
            (CONE, &[radius, half_height]) => Shape::cone(Axis::Y, Radius(radius), HalfHeight(half_height)),
            (5, &[x, y, z]) => Shape::ellipsoid([x, y, z]),
            (6, _) => Shape::hull(&points),
            (MESH, _) => Shape::mesh(&points, &triangles),
            _ => return Err(format!("no shape has kind {kind} and {} sizes", sizes.len())),
        };
        shape.map(|shape| (kind, shape)).map_err(|error| error.to_string())
    }

    /// A pose; `turn` puts our y axis where the file has its z axis.
    pub fn pose(&mut self, turn: bool) -> Result<Pose, String> {
        let rows = DMat3::from_cols(self.vector()?, self.vector()?, self.vector()?);
        let translation = self.vector()?;
        let columns = rows.transpose();
        let rotation = if turn { DMat3::from_cols(columns.x_axis, columns.z_axis, -columns.y_axis) } else { columns };
        let orthonormal = (rotation.transpose() * rotation).abs_diff_eq(DMat3::IDENTITY, 1e-6);
        if !orthonormal || rotation.determinant() < 0.0 {
            return Err(format!("the matrix {rotation} is not a rotation"));
        }
        Pose::try_new(translation, DQuat::from_mat3(&rotation)).map_err(|error| error.to_string())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn file(shapes: &[(u32, &[f64])], queries: &[(u32, u32)]) -> Vec<u8> {
        let mut bytes = b"CDW1".to_vec();
        let mut put = |value: u32| bytes.extend(value.to_le_bytes());
        put(10);
        put(shapes.len() as u32);
        for (kind, sizes) in shapes {
            bytes.extend(kind.to_le_bytes());
            bytes.extend((sizes.len() as u32).to_le_bytes());
            sizes.iter().for_each(|size| bytes.extend(size.to_le_bytes()));
            bytes.extend([0; 8]);
        }
        bytes.extend((queries.len() as u32).to_le_bytes());
        for (a, b) in queries {
            bytes.extend(a.to_le_bytes());
            bytes.extend(b.to_le_bytes());
            // A quarter turn about x takes y to z; then a move.
            for number in [[1.0, 0.0, 0.0, 0.0, 0.0, -1.0, 0.0, 1.0, 0.0, 5.0, 6.0, 7.0]; 2].as_flattened() {
                bytes.extend(f64::to_le_bytes(*number));
            }
        }
        bytes
    }

    #[test]
    fn shapes_along_z_are_turned_and_others_are_not() {
        let workload = read(&file(&[(1, &[1.0, 2.0, 3.0]), (4, &[1.0, 2.0])], &[(0, 1)])).unwrap();
        assert_eq!((workload.track, workload.shapes.len()), (10, 2));
        assert_eq!(workload.shapes[1].kind(), "cone");
        let query = workload.queries[0];
        assert!((query.pose_a.transform_point(DVec3::Y) - DVec3::new(5.0, 6.0, 8.0)).length() < 1e-15);
        // The file's apex is at +z, which its matrix takes to -y; ours is at +y.
        assert!((query.pose_b.transform_point(DVec3::Y) - DVec3::new(5.0, 5.0, 7.0)).length() < 1e-15);
    }

    #[test]
    fn what_a_header_claims_is_held_against_the_file() {
        let good = file(&[(0, &[1.0])], &[(0, 0)]);
        assert!(read(&good).is_ok());
        for length in 0..good.len() {
            assert!(read(&good[..length]).is_err(), "cut at {length}");
        }
        let mut huge = good.clone();
        huge[8..12].copy_from_slice(&u32::MAX.to_le_bytes());
        assert!(read(&huge).unwrap_err().contains("claims 4294967295 shapes"));
        assert!(read(&file(&[(0, &[1.0])], &[(0, 1)])).unwrap_err().contains("names shape 1"));
        assert!(read(&file(&[(0, &[-1.0])], &[])).unwrap_err().contains("radius is -1"));
        assert!(read(&file(&[(9, &[])], &[])).unwrap_err().contains("kind 9"));
        assert!(read(&file(&[(7, &[])], &[])).unwrap_err().contains("triangles is empty"));
    }
}
