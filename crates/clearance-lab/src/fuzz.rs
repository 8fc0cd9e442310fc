//! What a fuzzer drives: bytes become shapes and poses, and a panic is a fault that was found.
//!
//! The functions are here, not in `fuzz/`, so that the ordinary tests run them too, on bytes that are drawn.

use crate::soak::assert_fits;
use crate::soak::draw::Drawn;
use crate::soak::judge::{Known, Opinion};
use crate::spec::query_line;
use crate::{Rng, Spec};
use clearance::math::{DMat3, DQuat, DVec3};
use clearance::shape::polytope::convex_hull;
use clearance::{Clearance, Pair, Pose};
use clearance_io::{Folder, MeshFile, Surface};

/// Bytes as points; their hull must be refused with a sentence, or be a hull.
///
/// # Panics
///
/// If the hull is not valid, or the library panics.
pub fn hull(bytes: &[u8]) {
    let mut bytes = Bytes(bytes);
    let count = usize::from(bytes.next()) % 64 + 1;
    let points: Vec<DVec3> = (0..count).take_while(|_| !bytes.0.is_empty()).map(|_| bytes.vector()).collect();
    if let Ok(hull) = convex_hull(&points) {
        if let Err(fault) = hull.validate() {
            panic!("{fault}\n{}", Spec::Hull(points.clone()));
        }
        // Every vertex is a point that was given, and none is given twice.
        let mut sources: Vec<u32> = (0..hull.vertex_count() as u32).map(|v| hull.source(v)).collect();
        for (v, &source) in sources.iter().enumerate() {
            assert_eq!(hull.vertex(v as u32), points[source as usize]);
        }
        sources.sort_unstable();
        assert!(sources.windows(2).all(|pair| pair[0] != pair[1]), "a vertex twice: {}", Spec::Hull(points.clone()));
    }
}

/// Bytes as two shapes at poses; every engine must answer, and all of them must mean the same number.
///
/// # Panics
///
/// If an answer is refuted, two contradict each other, or the library panics.
pub fn query(bytes: &[u8]) {
    let mut bytes = Bytes(bytes);
    let (a, b) = (bytes.shape(2), bytes.shape(2));
    let (Some(pose_a), Some(pose_b)) = (bytes.pose(), bytes.pose()) else { return };
    let (Ok(shape_a), Ok(shape_b)) = (a.try_build(), b.try_build()) else { return };
    let drawn = Drawn { a, pose_a, b, pose_b, what: String::new() };
    let line = || query_line(&drawn.a, &drawn.pose_a, &drawn.b, &drawn.pose_b);
    // At the ends of the range the judge's own products would overflow or vanish.
    let sizes =
        [shape_a.bounding_radius(), shape_b.bounding_radius(), (pose_b.translation() - pose_a.translation()).length()];
    let ordinary = sizes.iter().all(|size| *size == 0.0 || (1e-30..1e30).contains(size) || size.is_infinite());
    let mut rng = Rng::with_seed(1);
    let known = ordinary.then(|| Known::about(&mut rng, &drawn, true));
    let mut common = [f64::NEG_INFINITY, f64::INFINITY];
    let mut check = |found: &Clearance, how: &str| {
        assert_fits(found, how, line);
        common = [common[0].max(found.lower), common[1].min(found.upper)];
        assert!(common[0] <= common[1], "{how}: brackets do not meet, {common:?}: {found:?}\n{}", line());
        let opinion = known.as_ref().map_or(Opinion::Fine, |known| known.judge(&mut rng, found, 0.0));
        assert!(!matches!(opinion, Opinion::Refuted(_)), "{how}: {opinion:?}\n{}", line());
    };
    for engine in clearance::Engine::ALL {
        let mut pair = Pair::new(&shape_a, &shape_b).engine(engine);
        let cold = pair.distance(pose_a, pose_b);
        check(&cold, &format!("{engine:?}"));
        check(&pair.distance(pose_a, pose_b), &format!("{engine:?}, warm"));
        let mut swapped = Pair::new(&shape_b, &shape_a).engine(engine);
        check(&swapped.distance(pose_b, pose_a).swapped(), &format!("{engine:?}, swapped"));
        let meets = pair.intersects(pose_a, pose_b);
        assert!(meets || cold.upper >= 0.0, "{engine:?}: apart, but {cold:?}\n{}", line());
        if let Some(what) = known.as_ref().and_then(|known| known.contradicts(meets)) {
            panic!("{engine:?}: {what}\n{}", line());
        }
    }
}

/// Bytes as a mesh file, whose format the name tells; true if they are one. Else they must be refused with one sentence.
///
/// # Panics
///
/// If what was read is not a mesh, the sentence is more than one line, or a reader panics.
pub fn mesh(name: &str, bytes: &[u8]) -> bool {
    let mesh = match MeshFile::parse(bytes, name, &Folder::none()) {
        Ok(mesh) => mesh,
        Err(error) => {
            let sentence = error.to_string();
            assert!(sentence.starts_with(name) && !sentence.contains('\n'), "{sentence:?}");
            return false;
        }
    };
    assert!(!mesh.bodies.is_empty());
    for body in &mesh.bodies {
        let Surface { vertices, triangles } = &*body.surface;
        assert!(!triangles.is_empty() && vertices.iter().all(|vertex| vertex.is_finite()));
        assert!(triangles.iter().flatten().all(|&corner| (corner as usize) < vertices.len()));
    }
    true
}

/// Bytes that are read as numbers; when there are no more, they are zeros.
struct Bytes<'a>(&'a [u8]);

impl Bytes<'_> {
    fn next(&mut self) -> u8 {
        let Some((&first, rest)) = self.0.split_first() else { return 0 };
        self.0 = rest;
        first
    }

    fn float(&mut self) -> f64 {
        f64::from_bits(u64::from_le_bytes(std::array::from_fn(|_| self.next())))
    }

    /// A number: mostly short ones that meet each other, some next to them, some of any size, some that are no numbers.
    fn number(&mut self) -> f64 {
        let short = |byte: u8| f64::from(byte as i8) / 16.0;
        match self.next() {
            0..=159 => short(self.next()),
            160..=199 => {
                let (x, ulps) = (short(self.next()), self.next() as i8);
                x * (1.0 + f64::from(ulps) * f64::EPSILON)
            }
            200..=219 => short(self.next()) * 2.0_f64.powi(i32::from(self.next() as i8)),
            220..=239 => short(self.next()) + short(self.next()) * 1e-9,
            240..=249 => short(self.next()) * 10.0_f64.powi(i32::from(self.next() as i8) / 2),
            _ => self.float(),
        }
    }

    fn vector(&mut self) -> DVec3 {
        DVec3::new(self.number(), self.number(), self.number())
    }

    fn pose(&mut self) -> Option<Pose> {
        let translation = self.vector();
        let rotation = match self.next() {
            0..=99 => DQuat::IDENTITY,
            100..=149 => DQuat::from_xyzw(0.5, 0.5, 0.5, 0.5),
            _ => DQuat::from_xyzw(self.number(), self.number(), self.number(), self.number()),
        };
        Pose::try_new(translation, rotation).ok()
    }

    /// A shape, which need not be a legitimate one; derived shapes are nested `depth` deep at most.
    fn shape(&mut self, depth: u32) -> Spec {
        let kind = self.next() % if depth == 0 { 10 } else { 15 };
        match kind {
            0 => Spec::Sphere(self.number()),
            1 => Spec::Cuboid(self.vector()),
            2 => Spec::Capsule(self.number(), self.number()),
            3 => Spec::Cylinder(self.number(), self.number()),
            4 => Spec::Cone(self.number(), self.number()),
            5 => Spec::Ellipsoid(self.vector()),
            6 => Spec::Segment([self.vector(), self.vector()]),
            7 => Spec::Triangle([self.vector(), self.vector(), self.vector()]),
            8 | 9 => {
                let count = self.next() % 16 + 1;
                Spec::Hull((0..count).map(|_| self.vector()).collect())
            }
            10 => {
                let inner = Box::new(self.shape(depth - 1));
                Spec::Affine(inner, DMat3::from_cols(self.vector(), self.vector(), self.vector()))
            }
            11 => Spec::Rounded(Box::new(self.shape(depth - 1)), self.number()),
            12 => Spec::Custom(Box::new(self.shape(depth - 1))),
            13 => Spec::HalfSpace(self.vector(), self.number()),
            _ => {
                let count = self.next() % 3 + 1;
                let parts = (0..count).map(|_| (self.shape(depth - 1), self.pose().unwrap_or(Pose::IDENTITY)));
                Spec::Compound(parts.collect())
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Strings of bytes as a fuzzer would try them: short, long, repetitive, and changed in one place.
    fn strings(seed: u64, count: usize) -> impl Iterator<Item = Vec<u8>> {
        let mut rng = Rng::with_seed(seed);
        let mut last: Vec<u8> = Vec::new();
        (0..count).map(move |_| {
            if last.is_empty() || rng.u32(..3) == 0 {
                let few = 1 << rng.u32(0..=8);
                last = (0..rng.usize(1..400)).map(|_| rng.u32(0..few) as u8).collect();
            } else {
                let place = rng.usize(..last.len());
                last[place] = rng.u8(..);
            }
            last.clone()
        })
    }

    /// What libFuzzer has found so far.
    #[test]
    fn faults_that_were_found_stay_mended() {
        // A triangle of subnormal size, whose planes have but a few digits.
        let mut bytes = [0; 37];
        bytes[..4].fill(255);
        bytes[34..].fill(255);
        hull(&bytes);
    }

    #[test]
    fn hulls_of_any_bytes_are_refused_or_valid() {
        strings(81, 4000).for_each(|bytes| hull(&bytes));
    }

    #[test]
    fn queries_of_any_bytes_are_answered_consistently() {
        strings(82, 4000).for_each(|bytes| query(&bytes));
    }
}
