//! Hostile answers: honest lines with their evidence, spoiled in every way that makes them false. None is proved. And the
//! honest ones: none is refuted.
//!
//! `HOSTILE=100000` in the environment is the long form: that many spoiled lines. `HONEST=1000000` judges that many honest ones.

use clearance::{Pair, Pose, Shape, distance};
use clearance_io::Answer;
use clearance_io::proof::{Answered, Written, attach, read_claim, written_pose};
use clearance_lab::soak::draw::{Drawn, draw};
use clearance_lab::{Rng, Spec, random};
use clearance_verify::Verdict;
use serde_json::{Value, json};
use std::collections::BTreeMap;
use std::sync::Arc;

fn count(name: &str, default: usize) -> usize {
    std::env::var(name).ok().and_then(|text| text.parse().ok()).unwrap_or(default)
}

/// A query with what the library answers.
struct Request {
    drawn: Drawn,
    shapes: [Shape; 2],
    /// How large everything is, about.
    size: f64,
}

impl Request {
    fn new(mut drawn: Drawn) -> Self {
        // The checker has no custom shapes.
        (drawn.a, drawn.b) = (unveiled(&drawn.a), unveiled(&drawn.b));
        let shapes = [drawn.a.build(), drawn.b.build()];
        let between = (drawn.pose_b.translation() - drawn.pose_a.translation()).length();
        let size = reach(&drawn.a) + reach(&drawn.b) + between;
        Self { drawn, shapes, size }
    }

    /// A line with its evidence: a distance, an intersection test, or a margin.
    fn line(&self, kind: usize) -> Value {
        let Drawn { a, pose_a, b, pose_b, .. } = &self.drawn;
        let [shape_a, shape_b] = &self.shapes;
        let mut pair = Pair::new(shape_a, shape_b);
        let found = pair.distance(*pose_a, *pose_b);
        let margin = match kind {
            2 => 0.5 * found.distance.abs().min(1e6),
            _ => found.upper.clamp(-1e60, 1e60) + 0.01 * self.size,
        };
        let answer = match kind {
            0 => Answer::Distance(found),
            1 => Answer::Intersects(pair.intersects(*pose_a, *pose_b)),
            _ => Answer::Within(pair.within(*pose_a, *pose_b, margin)),
        };
        let written = Written {
            a: Arc::new(a.written()),
            pose_a: written_pose(pose_a),
            b: Arc::new(b.written()),
            pose_b: written_pose(pose_b),
        };
        let margin = (kind > 1).then_some(margin);
        let answered = Answered { a: shape_a, pose_a: *pose_a, b: shape_b, pose_b: *pose_b, margin, written: &written };
        let attached = attach(&answered, &answer);
        let text = answer.to_line_with(None, Some([shape_a, shape_b]), attached.as_ref());
        serde_json::from_str(&text).unwrap()
    }

    /// Is a claim about the distance false, by the library's own bracket, heights of the lab, and distances of points?
    fn is_false(&self, line: &Value) -> bool {
        let Drawn { a, pose_a, b, pose_b, .. } = &self.drawn;
        let truth = distance(&self.shapes[0], *pose_a, &self.shapes[1], *pose_b);
        // Witnesses far away carry the rounding of their coordinates.
        let far = [&line["point_a"], &line["point_b"]].into_iter().filter_map(vector).flatten();
        let slack = 1e-8 * self.size + 1e-12 * far.fold(0.0, |most: f64, x| most.max(x.abs()));
        let (lower, upper) = (line["lower"].as_f64(), line["upper"].as_f64());
        if lower.is_some_and(|lower| lower > truth.upper + slack)
            || upper.is_some_and(|upper| upper < truth.lower - slack)
        {
            return true;
        }
        // With a bracket that is open they are as good as it is narrow.
        let width = if line["status"] == "converged" { 0.0 } else { upper.zip(lower).map_or(0.0, |(u, l)| u - l) };
        let off = |point: &Value, shape: &Shape, pose: &Pose| {
            let Some(at) = vector(point) else { return false };
            distance(shape, *pose, &Shape::point(), Pose::from_translation(at)).lower > slack + width
        };
        if off(&line["point_a"], &self.shapes[0], pose_a) || off(&line["point_b"], &self.shapes[1], pose_b) {
            return true;
        }
        let (Some(normal), Some(lower)) = (vector(&line["normal"]), lower) else { return false };
        let n = clearance::math::DVec3::from_array(normal);
        let heights = a.height(pose_a.inverse_transform_vector(n)).zip(b.height(pose_b.inverse_transform_vector(-n)));
        let shift = n.dot(pose_b.translation() - pose_a.translation());
        heights.is_some_and(|(on_a, on_b)| shift - on_a - on_b < lower - slack)
    }
}

fn vector(value: &Value) -> Option<[f64; 3]> {
    serde_json::from_value(value.clone()).ok()
}

/// How far a shape reaches; of half-spaces, how far their planes are away.
fn reach(spec: &Spec) -> f64 {
    match spec {
        Spec::HalfSpace(normal, offset) => offset.abs() / normal.length(),
        Spec::Compound(parts) => {
            parts.iter().map(|(part, pose)| reach(part) + pose.translation().length()).fold(0.0, f64::max)
        }
        _ => match spec.build().bounding_radius() {
            radius if radius.is_finite() => radius,
            _ => 0.0,
        },
    }
}

fn unveiled(spec: &Spec) -> Spec {
    let inner = |spec: &Spec| Box::new(unveiled(spec));
    match spec {
        Spec::Custom(inside) => unveiled(inside),
        Spec::Affine(inside, matrix) => Spec::Affine(inner(inside), *matrix),
        Spec::Rounded(inside, radius) => Spec::Rounded(inner(inside), *radius),
        Spec::Compound(parts) => Spec::Compound(parts.iter().map(|(part, pose)| (unveiled(part), *pose)).collect()),
        _ => spec.clone(),
    }
}

/// The fate of a line; an error of the line counts as refused.
fn verdict(line: &Value) -> Option<Verdict> {
    read_claim(&line.to_string(), 1).ok()?.content.verdict()
}

/// How queries are drawn: by a number, or with meshes.
type Draw = fn(&mut Rng, usize) -> Drawn;

fn draw_mesh(rng: &mut Rng, _: usize) -> Drawn {
    crate::solids::draw(rng)
}

/// The words of a reason without its numbers.
fn gist(reason: &str) -> String {
    reason.split(['=', ':']).next().unwrap_or_default().chars().filter(|c| !c.is_ascii_digit()).take(70).collect()
}

#[test]
fn honest_answers_are_never_refuted() {
    honest(draw, 1201, count("HONEST", 1500));
}

#[test]
fn honest_answers_about_meshes_are_never_refuted() {
    honest(draw_mesh, 1202, count("HONEST", 400));
}

fn honest(draw: Draw, seed: u64, total: usize) {
    let mut rng = Rng::with_seed(seed);
    let (mut proved, mut undecided) = (0, BTreeMap::<String, (usize, String)>::new());
    for index in 0..total {
        let request = Request::new(draw(&mut rng, index / 2));
        let line = request.line(index % 4);
        match verdict(&line) {
            Some(Verdict::Proved) => proved += 1,
            Some(Verdict::Undecided(reason)) => {
                let kinds = format!("{} / {}", request.drawn.a.kind(), request.drawn.b.kind());
                let entry = undecided.entry(format!("{}, {kinds}", gist(&reason))).or_default();
                entry.0 += 1;
                entry.1 = reason;
            }
            other => panic!("{other:?}: {:?} {line}", read_claim(&line.to_string(), 1).err()),
        }
        // Evidence that is wrong proves nothing, but does not refute what is true either.
        let mut bent = line.clone();
        if bent["proof"].is_object() {
            (0..rng.u32(1..4)).for_each(|_| mutate(&mut rng, &mut bent["proof"]));
            let found = verdict(&bent);
            assert!(!matches!(found, Some(Verdict::Refuted(_))), "{found:?} by wrong evidence: {bent}");
        }
    }
    let open: usize = undecided.values().map(|(count, _)| count).sum();
    println!("{total} honest answers: {proved} proved, 0 refuted, {open} undecided");
    for (what, (count, example)) in &undecided {
        println!("{count:>6} {what} ({example})");
    }
    assert!(open * 25 <= total, "{open} of {total} are undecided");
}

/// The one answer of a million that was refuted: a search that stalled 6e-14 above the margin, with a bracket that says so. It is
/// within the margin for all that it proves, and the checker, which knows better, must not call that false.
#[test]
fn an_answer_beyond_its_margin_by_less_than_its_bracket_is_not_refuted() {
    let mut line: Value = serde_json::from_str(include_str!("stalled_within.json")).unwrap();
    assert!(matches!(verdict(&line), Some(Verdict::Undecided(_))), "{:?}", verdict(&line));
    // A margin that the bracket excludes is wrong as ever.
    line["request"]["margin"] = json!(-1e-9);
    assert!(matches!(verdict(&line), Some(Verdict::Refuted(_))), "{:?}", verdict(&line));
}

/// The fields of a clearance.
const FIELDS: [&str; 8] = ["distance", "point_a", "point_b", "normal", "lower", "upper", "status", "features"];

/// Moves the distance and its bracket, with `point_b` along.
fn shift(line: &mut Value, by: f64) -> Option<()> {
    let point = vector(&line["point_a"])?;
    let normal = vector(&line["normal"])?;
    for field in ["distance", "lower", "upper"] {
        line[field] = json!(line[field].as_f64()? + by);
    }
    let distance = line["distance"].as_f64()?;
    line["point_b"] = json!([0, 1, 2].map(|i| point[i] + distance * normal[i]));
    Some(())
}

/// Changes a number somewhere in a value.
fn mutate(rng: &mut Rng, value: &mut Value) {
    match value {
        Value::Number(number) => {
            let old = number.as_f64().unwrap_or_default();
            *value = if number.is_u64() {
                json!(rng.u32(..40))
            } else {
                json!([-old, 2.0 * old, old + 1.0, 0.0, 1e300, old * (1.0 + 1e-9)][rng.usize(..6)])
            };
        }
        Value::Array(values) if !values.is_empty() => {
            let index = rng.usize(..values.len());
            match rng.u32(..12) {
                0 => drop(values.remove(index)),
                1 => values.push(values[index].clone()),
                _ => mutate(rng, &mut values[index]),
            }
        }
        Value::Object(fields) if !fields.is_empty() => {
            let index = rng.usize(..fields.len());
            if let Some(inner) = fields.values_mut().nth(index) {
                mutate(rng, inner);
            }
        }
        _ => {}
    }
}

const SPOILERS: [&str; 18] = [
    "distance and bracket moved",
    "bracket shrunk beside the truth",
    "a field dropped",
    "a field null",
    "all bounds null",
    "witnesses moved off",
    "one witness moved",
    "normal turned",
    "normal reversed",
    "answer of another query",
    "shapes swapped",
    "status replaced",
    "features replaced",
    "margin changed",
    "request shape altered",
    "request pose altered",
    "yes or no flipped",
    "a field added",
];

/// A false line made of a true one; nothing if this way does not make it false.
fn spoil(rng: &mut Rng, how: usize, request: &mut Request, other: &Request) -> Option<Value> {
    let kind = match SPOILERS[how] {
        "margin changed" => 2 + rng.usize(..2),
        "yes or no flipped" => 1 + rng.usize(..3),
        "a field added" => rng.usize(..4),
        _ => [0, 3][rng.usize(..2)],
    };
    let mut line = request.line(kind);
    let has_clearance = line["point_a"].is_array();
    let is_closed = line["status"] == "converged" && line["lower"].is_number();
    let size = request.size;
    let step = size * 10.0_f64.powf(-7.0 * rng.f64());
    let sign = if rng.bool() { 1.0 } else { -1.0 };
    match SPOILERS[how] {
        "distance and bracket moved" => {
            let width = line["upper"].as_f64()? - line["lower"].as_f64()?;
            shift(&mut line, sign * (step + 2.0 * width))?;
            return request.is_false(&line).then_some(line);
        }
        "bracket shrunk beside the truth" => {
            let (lower, upper) = (line["lower"].as_f64()?, line["upper"].as_f64()?);
            let end = if sign > 0.0 { upper + step } else { lower - step };
            let by = end - line["distance"].as_f64()?;
            shift(&mut line, by)?;
            (line["lower"], line["upper"]) = (line["distance"].clone(), line["distance"].clone());
            return request.is_false(&line).then_some(line);
        }
        "a field dropped" if has_clearance => {
            line.as_object_mut()?.remove(FIELDS[rng.usize(..FIELDS.len())]);
        }
        "a field null" if is_closed => {
            line[FIELDS[rng.usize(..FIELDS.len())]] = Value::Null;
        }
        "all bounds null" if is_closed => {
            (line["lower"], line["upper"]) = (Value::Null, Value::Null);
            if rng.bool() {
                line["distance"] = Value::Null;
                line["point_b"] = line["point_a"].clone();
            }
            line["status"] = json!(["converged", "stalled", "open", "bad_support"][rng.usize(..4)]);
        }
        "witnesses moved off" if is_closed => {
            let way = if rng.bool() {
                clearance::math::DVec3::from_array(vector(&line["normal"])?) * sign
            } else {
                random::direction(rng)
            };
            for field in ["point_a", "point_b"] {
                let point = vector(&line[field])?;
                line[field] = json!([0, 1, 2].map(|i| point[i] + step * way[i]));
            }
            return request.is_false(&line).then_some(line);
        }
        "one witness moved" if is_closed => {
            let field = ["point_a", "point_b"][rng.usize(..2)];
            let (point, way) = (vector(&line[field])?, random::direction(rng));
            line[field] = json!([0, 1, 2].map(|i| point[i] + step * way[i]));
            let coordinates = point.iter().fold(0.0, |most: f64, x| most.max(x.abs()));
            return (line["distance"].is_number() && step > 1e-9 * (size + coordinates)).then_some(line);
        }
        "normal turned" if is_closed => {
            let normal = clearance::math::DVec3::from_array(vector(&line["normal"])?);
            let turned = (normal + random::direction(rng) * (step / size)).normalize();
            line["normal"] = json!(turned.to_array());
            shift(&mut line, 0.0)?;
            return request.is_false(&line).then_some(line);
        }
        "normal reversed" if is_closed => {
            line["normal"] = json!(vector(&line["normal"])?.map(|x| -x));
            shift(&mut line, 0.0)?;
            return request.is_false(&line).then_some(line);
        }
        "answer of another query" => {
            let foreign = other.line(kind);
            for field in FIELDS {
                line[field] = foreign[field].clone();
            }
            if rng.bool() {
                line["proof"] = foreign["proof"].clone();
            }
            return (foreign["point_a"].is_array() && request.is_false(&line)).then_some(line);
        }
        "shapes swapped" => {
            let query = line["request"].clone();
            for (to, from) in [("a", "b"), ("b", "a"), ("pose_a", "pose_b"), ("pose_b", "pose_a")] {
                line["request"][to] = query[from].clone();
            }
            let Drawn { a, pose_a, b, pose_b, .. } = &mut request.drawn;
            std::mem::swap(a, b);
            std::mem::swap(pose_a, pose_b);
            request.shapes.swap(0, 1);
            return (has_clearance && request.is_false(&line)).then_some(line);
        }
        "status replaced" if is_closed => {
            let words = ["fine", "", "Converged", "bad_support", "open"];
            let word = words[rng.usize(..words.len())];
            if word == "open" && line["lower"].as_f64()? < 1e-6 * size {
                return None;
            }
            line["status"] = json!(word);
        }
        "features replaced" if is_closed => {
            let side = rng.usize(..2);
            let word = ["x1", "v", "v-1", "e01", "v4000000000", "e9", "face", "v+1"][rng.usize(..8)];
            // An edge where the evidence speaks of none, or of something else; a half-space has none.
            if word == "e9" && line["features"][side].as_str()?.starts_with('e') {
                return None;
            }
            line["features"][side] = json!(word);
        }
        "margin changed" => {
            let margin = match line["within"].as_bool()? {
                true => line["lower"].as_f64()? - step,
                false => {
                    let Drawn { pose_a, pose_b, .. } = &request.drawn;
                    distance(&request.shapes[0], *pose_a, &request.shapes[1], *pose_b).upper + step
                }
            };
            line["request"]["margin"] = json!(margin);
        }
        "request shape altered" if has_clearance => {
            let factor = 1.0 + sign * step / size;
            let altered = request.drawn.a.scaled(factor);
            line["request"]["a"] = serde_json::to_value(altered.written()).ok()?;
            request.shapes[0] = altered.try_build().ok()?;
            request.drawn.a = altered;
            return request.is_false(&line).then_some(line);
        }
        "request pose altered" if has_clearance => {
            let normal = clearance::math::DVec3::from_array(vector(&line["normal"])?);
            let pose = request.drawn.pose_b;
            let moved = Pose::try_new(pose.translation() + sign * step * normal, pose.rotation()).ok()?;
            line["request"]["pose_b"] = serde_json::to_value(written_pose(&moved)).ok()?;
            request.drawn.pose_b = moved;
            return request.is_false(&line).then_some(line);
        }
        "yes or no flipped" => {
            let field = if kind == 1 { "intersects" } else { "within" };
            let Drawn { pose_a, pose_b, .. } = &request.drawn;
            let truth = distance(&request.shapes[0], *pose_a, &request.shapes[1], *pose_b);
            let margin = line["request"]["margin"].as_f64().unwrap_or(0.0);
            let yes = line[field].as_bool()?;
            let is_clear = if yes { truth.upper <= margin } else { truth.lower > margin + 1e-9 * size };
            line[field] = json!(!yes);
            if !yes && kind > 1 {
                // With everything that such an answer has.
                let found = request.line(0);
                FIELDS.iter().for_each(|field| line[*field] = found[*field].clone());
            }
            return is_clear.then_some(line);
        }
        "a field added" => {
            line[["volume", "Lower", "contact", "parts"][rng.usize(..4)]] = json!(step);
        }
        _ => return None,
    }
    Some(line)
}

#[test]
fn no_false_answer_is_proved() {
    lies(draw, 1205, count("HOSTILE", 1800));
}

#[test]
fn no_false_answer_about_meshes_is_proved() {
    lies(draw_mesh, 1206, count("HOSTILE", 600));
}

fn lies(draw: Draw, seed: u64, total: usize) {
    let mut rng = Rng::with_seed(seed);
    let mut counts: BTreeMap<&str, [usize; 3]> = BTreeMap::new();
    let (mut made, mut index) = (0, 0);
    while made < total {
        index += 1;
        let how = index % SPOILERS.len();
        let number = rng.usize(..100_000);
        let [mut request, other] = [number, number + 1].map(|number| Request::new(draw(&mut rng, number)));
        // A proved claim is known to be true; an unproved one is no ground for a lie. Two points at one spot have no size.
        if request.size < 1e-60 || verdict(&request.line(0)) != Some(Verdict::Proved) {
            continue;
        }
        let Some(mut line) = spoil(&mut rng, how, &mut request, &other) else { continue };
        // The evidence is bent as well, half of the time.
        if rng.bool() && line["proof"].is_object() {
            (0..rng.u32(1..4)).for_each(|_| mutate(&mut rng, &mut line["proof"]));
        }
        let outcome = match verdict(&line) {
            Some(Verdict::Proved) => panic!("{} is proved: {line}", SPOILERS[how]),
            Some(Verdict::Refuted(_)) => 0,
            Some(Verdict::Undecided(_)) => 1,
            None => 2,
        };
        counts.entry(SPOILERS[how]).or_default()[outcome] += 1;
        made += 1;
    }
    println!("{total} false answers, none proved:      refuted  undecided    refused");
    for (how, [refuted, undecided, refused]) in &counts {
        println!("{how:<36} {refuted:>10} {undecided:>10} {refused:>10}");
    }
    assert_eq!(counts.len(), SPOILERS.len(), "every way was tried: {counts:?}");
}
