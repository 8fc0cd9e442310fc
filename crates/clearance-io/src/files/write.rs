//! Writes meshes, so that they are read back with the same bits where the format has room for them.

use super::Surface;
use std::io::{self, Write};

/// Writes pieces as one OBJ file, each under an `o` line with its name.
///
/// Numbers have the digits that give the same double again. In a name, what a reader would not take for part of it (line
/// ends, `#`, a backslash) becomes `_`.
///
/// ```
/// use clearance_io::{Folder, MeshFile, Surface, write_obj};
///
/// let vertices = vec![[0.1, 0.0, 0.0].into(), [1.0, 0.0, 0.0].into(), [0.0, 1e300, 0.0].into()];
/// let piece = Surface { vertices, triangles: vec![[0, 1, 2]] };
/// let mut text = Vec::new();
/// write_obj(&mut text, [("left", &piece), ("right", &piece)])?;
/// assert!(text.starts_with(b"o left\nv 0.1 0 0\nv 1 0 0\nv 0 1e300 0\nf 1 2 3\no right\n"));
/// let mesh = MeshFile::parse(&text, "pieces.obj", &Folder::none())?;
/// assert_eq!(mesh.bodies[0].surface.triangles, [[0, 1, 2], [3, 4, 5]]);
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
pub fn write_obj<'a>(out: &mut impl Write, pieces: impl IntoIterator<Item = (&'a str, &'a Surface)>) -> io::Result<()> {
    let mut first = 1;
    for (name, piece) in pieces {
        let is_plain = |c: char| !c.is_control() && !matches!(c, '#' | '\\');
        let name: String = name.chars().map(|c| if is_plain(c) { c } else { '_' }).collect();
        writeln!(out, "o {name}")?;
        for vertex in &piece.vertices {
            let [x, y, z] = vertex.to_array().map(digits);
            writeln!(out, "v {x} {y} {z}")?;
        }
        for triangle in &piece.triangles {
            let [a, b, c] = triangle.map(|corner| first + u64::from(corner));
            writeln!(out, "f {a} {b} {c}")?;
        }
        first += piece.vertices.len() as u64;
    }
    Ok(())
}

/// Writes a binary STL file, which has single precision, and returns how many coordinates of triangles were rounded to it.
///
/// # Errors
///
/// Also if a coordinate is too large for single precision, or there are more than 2^32 - 1 triangles.
pub fn write_stl(out: &mut impl Write, surface: &Surface) -> io::Result<u64> {
    let invalid = |message: &str| io::Error::new(io::ErrorKind::InvalidInput, message);
    let count = u32::try_from(surface.triangles.len()).map_err(|_| invalid("STL has room for 2^32 - 1 triangles"))?;
    let mut header = [b' '; 80];
    header[..22].copy_from_slice(b"binary STL, no units; ");
    out.write_all(&header)?;
    out.write_all(&count.to_le_bytes())?;
    let mut rounded = 0;
    for triangle in &surface.triangles {
        let corners = triangle.map(|corner| surface.vertices[corner as usize]);
        let normal = (corners[1] - corners[0]).cross(corners[2] - corners[0]).normalize_or_zero();
        for x in [normal.x, normal.y, normal.z] {
            out.write_all(&(x as f32).to_le_bytes())?;
        }
        for x in corners.iter().flat_map(|corner| corner.to_array()) {
            let single = x as f32;
            if !single.is_finite() {
                return Err(invalid("a coordinate is too large for STL, which has single precision"));
            }
            rounded += u64::from(f64::from(single) != x);
            out.write_all(&single.to_le_bytes())?;
        }
        out.write_all(&[0; 2])?;
    }
    Ok(rounded)
}

/// Writes a binary PLY file in double precision.
pub fn write_ply(out: &mut impl Write, surface: &Surface) -> io::Result<()> {
    let (vertices, triangles) = (&surface.vertices, &surface.triangles);
    write!(
        out,
        "ply\nformat binary_little_endian 1.0\nelement vertex {}\nproperty double x\nproperty double y\n\
         property double z\nelement face {}\nproperty list uchar uint vertex_indices\nend_header\n",
        vertices.len(),
        triangles.len()
    )?;
    for x in vertices.iter().flat_map(|vertex| vertex.to_array()) {
        out.write_all(&x.to_le_bytes())?;
    }
    for triangle in triangles {
        out.write_all(&[3])?;
        for corner in triangle {
            out.write_all(&corner.to_le_bytes())?;
        }
    }
    Ok(())
}

/// The shortest digits that give the same double again; with an exponent where there would be many zeros.
fn digits(x: f64) -> String {
    if x == 0.0 || (1e-5..1e16).contains(&x.abs()) { format!("{x}") } else { format!("{x:e}") }
}

#[cfg(test)]
mod tests {
    use super::*;
    use clearance::math::DVec3;

    #[test]
    fn single_precision_is_counted_and_bounded() {
        let surface = |x: f64| Surface {
            vertices: vec![DVec3::ZERO, DVec3::X, DVec3::new(0.0, x, 0.0)],
            triangles: vec![[0, 1, 2], [2, 1, 0]],
        };
        let write = |x: f64| write_stl(&mut Vec::new(), &surface(x)).map_err(|error| error.to_string());
        assert_eq!(write(0.5), Ok(0));
        assert_eq!(write(0.1), Ok(2));
        assert_eq!(write(1e39), Err("a coordinate is too large for STL, which has single precision".into()));
    }

    #[test]
    fn digits_come_back() {
        for x in [0.0, -0.0, 0.1, 1.0 / 3.0, 1e16, 1.5e-7, -5e-324, f64::MAX, 123_456_789.125] {
            assert_eq!(digits(x).parse::<f64>().map(f64::to_bits), Ok(x.to_bits()), "{}", digits(x));
        }
        assert_eq!([0.1, 25.0, 1e300].map(digits), ["0.1", "25", "1e300"]);
    }
}
