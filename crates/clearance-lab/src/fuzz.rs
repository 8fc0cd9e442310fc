//! Functions for fuzzers: bytes become shapes and poses, and a panic is a fault.
//!
//! The functions are here, not in `fuzz/`, so that the ordinary tests run them too, on random bytes.

use crate::soak::assert_fits;
use crate::soak::draw::Drawn;
use crate::soak::judge::{Known, Opinion, reach};
use crate::spec::query_line;
use crate::{Rng, Spec};
use clearance::internals::hull::convex_hull;
use clearance::math::{DMat3, DQuat, DVec3};
use clearance::{Clearance, Pair, Pose};
use clearance_io::proof::{Asked, EvidenceReader, Header, LineHash};
use clearance_io::{Folder, MeshFile, Scene, Surface};

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
        // Every vertex is an input point, and no point is a vertex twice.
        let mut sources: Vec<u32> = (0..hull.vertex_count() as u32).map(|v| hull.source(v)).collect();
        for (v, &source) in sources.iter().enumerate() {
            assert_eq!(hull.vertex(v as u32), points[source as usize]);
        }
        sources.sort_unstable();
        assert!(sources.windows(2).all(|pair| pair[0] != pair[1]), "a vertex twice: {}", Spec::Hull(points.clone()));
    }
}

/// Bytes as two shapes at poses; every engine must answer, and all brackets must share a number.
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
    let sizes = [reach(&drawn.a), reach(&drawn.b), (pose_b.translation() - pose_a.translation()).length()];
    let ordinary = sizes.iter().all(|size| *size == 0.0 || (1e-30..1e30).contains(size));
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

/// Bytes as a mesh file in the format of the name. Returns true for a valid file. Other bytes must be refused with one sentence.
///
/// # Panics
///
/// If the result is not a mesh, the sentence is more than one line, or a reader panics.
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

/// Bytes as a scene. Returns true for a valid one. Other bytes must be refused with one sentence.
///
/// # Panics
///
/// If the result is not a scene, the sentence is more than one line, or a reader panics.
pub fn scene(bytes: &[u8]) -> bool {
    let Ok(text) = std::str::from_utf8(bytes) else { return false };
    let name = "scene.json";
    let scene = match Scene::parse_with_written(text, name, &Folder::none()) {
        Ok(scene) => scene,
        Err(error) => {
            let sentence = error.to_string();
            assert!(sentence.starts_with(name) && !sentence.contains('\n'), "{sentence:?}");
            return false;
        }
    };
    let count = scene.bodies.len();
    let pairs = (0..count).flat_map(|a| (a + 1..count).map(move |b| (a, b)));
    assert_eq!(scene.count_checked(), pairs.filter(|&(a, b)| scene.is_checked(a, b)).count() as u64);
    // Every scene can be written for the checker, and evidence of no other scene fits it.
    let header = Header::of(&scene, &Asked::default());
    assert_eq!(header.difference(&header), None);
    assert!(scene.bodies.iter().all(|body| !body.name.is_empty() && body.written.is_some()));
    // Motions may be refused, but not with a panic.
    let _ = scene.to_moving_world(0.0);
    true
}

/// Bytes as lines of evidence, with or without a header; returns the number of answers. Every fault must be one sentence.
///
/// # Panics
///
/// If a sentence is more than one line, the counts do not fit, or reader or checker panic.
pub fn evidence(bytes: &[u8]) -> usize {
    let mut reader = EvidenceReader::new(None);
    let (mut hash, mut answers) = (LineHash::default(), 0);
    for (index, line) in bytes.split_inclusive(|byte| *byte == b'\n').enumerate() {
        if let Ok(text) = std::str::from_utf8(line)
            && !text.trim().is_empty()
        {
            match reader.read(text.trim_end_matches('\n'), index as u64 + 1, &hash) {
                Ok(judged) => answers += usize::from(judged.is_some()),
                Err(failed) => assert!(!failed.error.to_string().contains('\n'), "{}", failed.error),
            }
        }
        hash.add(line);
    }
    let (problems, counts) = reader.finish();
    assert!(problems.iter().all(|problem| !problem.contains('\n')), "{problems:?}");
    if let Some(counts) = counts.filter(|_| problems.is_empty()) {
        assert_eq!(counts.clear + counts.meet + counts.open, counts.pairs, "{counts:?}");
    }
    answers
}

/// Bytes that are read as numbers; behind the last byte they are zeros.
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

    /// A number: mostly a short one that occurs more than once, sometimes one next to it, one of any size, an infinity or a NaN.
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

    /// A shape, which need not be valid; derived shapes are nested at most `depth` deep.
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
    use clearance::{Interval, proof, within};
    use clearance_io::Answer;
    use clearance_io::proof::{Answered, EvidenceWriter, RequestShape, Written, WrittenImpact, attach, attach_impact};
    use serde_json::value::to_raw_value;

    /// Strings of bytes in the manner of a fuzzer: short, long, repetitive, and changed in one place.
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

    /// The faults that libFuzzer has found.
    #[test]
    fn faults_that_were_found_stay_mended() {
        // A triangle of subnormal size, whose planes have but a few digits.
        let mut bytes = [0; 37];
        bytes[..4].fill(255);
        bytes[34..].fill(255);
        hull(&bytes);
        // A name with a line break in the path of a field made two lines of a sentence.
        assert!(!scene(br#"{"format": "clearance-scene/1", "shapes": {"a\nb": {"capsule": {"radius": "#));
        // False alarms of the judge: the length of a normal that underflows, and the plane of a half-space in a compound, which is far away.
        for (a, far) in [
            (Spec::HalfSpace(DVec3::new(2.08e-322, 0.0, 0.0), 0.0), "normal"),
            (Spec::Compound(vec![(Spec::HalfSpace(DVec3::new(-3.0, 0.0, 3.0), -4e25), Pose::IDENTITY)]), "plane"),
        ] {
            let (pose_a, pose_b, b) = (Pose::IDENTITY, Pose::IDENTITY, Spec::Sphere(0.0));
            let found = clearance::distance(&a.build(), pose_a, &b.build(), pose_b);
            let drawn = Drawn { a, pose_a, b, pose_b, what: String::new() };
            let mut rng = Rng::with_seed(1);
            let known = Known::about(&mut rng, &drawn, true);
            assert_eq!(known.judge(&mut rng, &found, 0.0), Opinion::Fine, "{far}: {found:?}");
        }
    }

    /// A text with random changes: bytes, cuts, copies, and numbers of any size.
    fn spoiled(rng: &mut Rng, text: &[u8]) -> Vec<u8> {
        let mut text = text.to_vec();
        for _ in 0..=rng.usize(..3) {
            let (at, length) = (rng.usize(..text.len()), rng.usize(1..40));
            let end = (at + length).min(text.len());
            match rng.usize(..5) {
                0 => text[at] = rng.u8(..),
                1 => drop(text.drain(at..end)),
                2 => {
                    let copy = text[at..end].to_vec();
                    let place = rng.usize(..=text.len());
                    text.splice(place..place, copy);
                }
                3 => text.truncate(at.max(1)),
                _ => {
                    let words =
                        ["null", "1e308", "-0.0", "1e-320", "[]", "{}", "\"1\"", "true", "\n", "0.5", "4294967296"];
                    let digit = text[at..].iter().position(u8::is_ascii_digit).map_or(at, |ahead| at + ahead);
                    text.splice(digit..digit + 1, words[rng.usize(..words.len())].bytes());
                }
            }
            if text.is_empty() {
                text.push(b'\n');
            }
        }
        text
    }

    const SCENE: &str = r#"{"format": "clearance-scene/1", "shapes": {"rock": {"mesh": {"vertices": [[0,0,0],[1,0,0],[0,1,0],[0,0,1]], "triangles": [[0,2,1],[0,1,3],[1,2,3],[2,0,3]]}}},
      "bodies": [{"name": "a", "shape": "rock", "group": "g"}, {"name": "b", "shape": {"capsule": {"radius": 0.5, "half_height": 1, "axis": "x"}}, "pose": {"translation": [3, 0, 0], "rotation": [0, 0, 1, 2]}},
      {"name": "c", "shape": {"compound": [{"shape": {"sphere": {"radius": 0.4}}}, {"shape": {"affine": {"shape": {"cone": {"radius": 1, "half_height": 1}}, "matrix": [[1,0,0],[0,2,0],[0,0,1]]}}, "pose": {"translation": [0, 2, 0]}}]},
       "pose": {"translation": [0.5, 0, 0]}, "motion": {"linear": {"velocity": [1, 0, 0], "angular_velocity": [0, 1, 0]}}},
      {"name": "d", "shape": {"half_space": {"normal": [0, 1, 0], "offset": -4}}, "motion": {"keyframes": [{"time": 0, "pose": {}}, {"time": 1, "pose": {"translation": [0, 1, 0]}}]}}],
      "ignore": [["a", "d"]]}"#;

    /// Evidence of a check of that scene, at rest or moving.
    fn sample(until: Option<f64>) -> String {
        let scene = Scene::parse_with_written(SCENE, "scene.json", &Folder::none()).expect("a scene");
        let header = Header::of(&scene, &Asked { margin: 0.5, until, ..Asked::default() });
        let mut out = Vec::new();
        let mut writer = EvidenceWriter::new(&mut out, &header, &scene).expect("memory");
        for (i, j) in (0..4).flat_map(|i| (i + 1..4).map(move |j| (i, j))).filter(|&(i, j)| scene.is_checked(i, j)) {
            let [a, b] = [&scene.bodies[i], &scene.bodies[j]];
            let of = |body: &clearance_io::Body| body.written.clone().expect("it was noted");
            let (written_a, written_b) = (of(a), of(b));
            let written = Written::of_bodies(&written_a, &written_b);
            let (answer, mut attached) = match until {
                None => {
                    let found = within(&a.shape, a.pose, &b.shape, b.pose, 0.5);
                    let (pose_a, pose_b, margin) = (a.pose, b.pose, Some(0.5));
                    let answered = Answered { a: &a.shape, pose_a, b: &b.shape, pose_b, margin, written: &written };
                    let answer = Answer::Within(found);
                    let attached = attach(&answered, &answer);
                    (answer, attached.expect("it is about rest"))
                }
                Some(until) => {
                    let [motion_a, motion_b] = [a, b].map(|body| body.motion.of_pose(body.pose).expect("a motion"));
                    let interval = Interval::new(0.0, until).expect("an interval");
                    let (found, evidence) = proof::impact(&a.shape, &motion_a, &b.shape, &motion_b, interval);
                    let motions = [written_a.motion.clone(), written_b.motion.clone()];
                    let asked = WrittenImpact { start: &written, motions, interval: [0.0, until] };
                    let evidence = evidence.unwrap_or_default();
                    (Answer::Impact(found), attach_impact(&asked, evidence))
                }
            };
            let name = |index: usize| RequestShape::Named(header.bodies[index].shape.clone().expect("a shape"));
            (attached.request.a, attached.request.b) = (name(i), Some(name(j)));
            let id = to_raw_value(&[&a.name, &b.name]).expect("names");
            let line = answer.to_line_with(Some(&id), Some([&a.shape, &b.shape]), Some(&attached));
            writer.line(&line).expect("memory");
        }
        writer.finish().expect("memory");
        String::from_utf8(out).expect("text")
    }

    #[test]
    fn scenes_of_any_bytes_are_refused_or_whole() {
        assert!(scene(SCENE.as_bytes()));
        let mut rng = Rng::with_seed(83);
        let good = (0..3000).filter(|_| scene(&spoiled(&mut rng, SCENE.as_bytes()))).count();
        assert!(good > 20, "{good}");
    }

    #[test]
    fn evidence_of_any_bytes_is_judged() {
        let mut rng = Rng::with_seed(84);
        for until in [None, Some(1.0)] {
            let text = sample(until);
            assert_eq!(evidence(text.as_bytes()), 5, "{text}");
            let answers: usize = (0..1000).map(|_| evidence(&spoiled(&mut rng, text.as_bytes()))).sum();
            assert!(answers > 1000, "{answers}");
        }
        for bytes in strings(85, 500) {
            evidence(&bytes);
        }
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
