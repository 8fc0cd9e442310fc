//! A soak: random pairs for a given time, through every engine, with every answer checked.
//!
//! Each pair goes through every engine, by all three queries: distance, yes or no, and within a margin. A query runs cold, again, and after queries
//! about other poses. Its variants are swapped, moved, in another unit, and with the same shapes written differently. All brackets of one query must
//! share a number, and [`judge`] compares each answer with facts that do not come from the library. One pair in `exact` also goes to the [exact
//! checker](exact), which is slower than the library. Beside the pairs the soak queries nearly symmetric ones, shapes made of shapes against truths
//! of a thousand bits, and shapes that break their contract. It counts brackets wider than 1e-10 of the size, and answers that take more work than
//! about 0.2 ms.
//!
//! A pair depends on the seed and its number alone, so a failure can be repeated without the others.

pub mod draw;
pub mod exact;
pub mod judge;
pub mod near_symmetry;

use crate::judge::Answer as Numbers;
use crate::spec::query_line;
use crate::{Rng, Spec, derived, hostile, random};
use clearance::math::DVec3;
use clearance::{Clearance, Engine, Pair, Pose, Shape, Status};
use clearance_io::Answer;
use clearance_verify::Verdict;
use draw::Drawn;
use judge::{Known, Opinion};
use std::collections::BTreeMap;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::Mutex;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::time::{Duration, Instant};

/// The limits of a soak, and its choice of pairs.
#[derive(Debug, Clone, Copy)]
pub struct Plan {
    /// The seed of all pairs.
    pub seed: u64,
    /// The number of threads.
    pub threads: usize,
    /// The limit on the time.
    pub time: Duration,
    /// The limit on the number of pairs, for the same work on every machine.
    pub pairs: u64,
    /// One pair in this many goes to the exact checker; zero for none.
    pub exact: u64,
    /// Run only the pair of this number.
    pub only: Option<u64>,
}

/// The counts of a soak.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct Tally {
    /// Pairs drawn.
    pub pairs: u64,
    /// Queries to the library.
    pub queries: u64,
    /// Answers with a bracket that is not closed.
    pub open: u64,
    /// Answers with an open bracket whose lower bound could not be confirmed from the outside.
    pub undecided: u64,
    /// Brackets of built-in shapes that are wider than 1e-10 and 1e-6 of the size.
    pub wide: [u64; 2],
    /// Answers about built-in convex shapes that took more than [`LIGHT`] support points and functions.
    pub heavy: u64,
    /// The largest such count.
    pub most_work: u32,
    /// Pairs of the exact checker: proved, proved by the first answer only, undecided, and not suitable.
    pub exact: [u64; 4],
    /// Answers that the exact checker has proved.
    pub proved: u64,
    /// Queries by engine.
    pub engines: BTreeMap<String, u64>,
    /// Pairs by kinds, with the number of open brackets and undecided answers of them.
    pub kinds: BTreeMap<String, [u64; 3]>,
    /// The faults: the first of each pair.
    pub refuted: Vec<Failure>,
    /// Pairs with a wrong answer.
    pub failures: u64,
    /// The first open bracket of each pair of kinds.
    pub examples: BTreeMap<String, Failure>,
}

/// A wrong answer, and the query that repeats it.
#[derive(Debug, Clone, PartialEq)]
pub struct Failure {
    /// The seed of the soak.
    pub seed: u64,
    /// The number of the pair.
    pub pair: u64,
    /// The way of the query.
    pub how: String,
    /// The fault.
    pub what: String,
    /// The query, for `clearance query`.
    pub line: String,
}

impl std::fmt::Display for Failure {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        let Self { seed, pair, how, what, line } = self;
        write!(f, "seed {seed}, pair {pair}, {how}: {what}\n{line}")
    }
}

/// Support points and cell functions (each counted twice) of a depth that takes about 0.2 ms: one takes about 65 ns, by `clearance query --time 50`
/// on nearly symmetric pairs.
pub const LIGHT: u32 = 3000;

/// Failures above this number are counted, not kept.
const KEPT: usize = 20;

impl Tally {
    fn add(&mut self, other: Self) {
        self.pairs += other.pairs;
        self.queries += other.queries;
        self.open += other.open;
        self.undecided += other.undecided;
        self.wide = std::array::from_fn(|i| self.wide[i] + other.wide[i]);
        self.heavy += other.heavy;
        self.most_work = self.most_work.max(other.most_work);
        self.failures += other.failures;
        self.proved += other.proved;
        self.exact = std::array::from_fn(|i| self.exact[i] + other.exact[i]);
        for (engine, count) in other.engines {
            *self.engines.entry(engine).or_default() += count;
        }
        for (kinds, counts) in other.kinds {
            let entry = self.kinds.entry(kinds).or_default();
            *entry = std::array::from_fn(|i| entry[i] + counts[i]);
        }
        for (kinds, example) in other.examples {
            self.examples.entry(kinds).or_insert(example);
        }
        self.refuted.extend(other.refuted);
        self.refuted.truncate(KEPT);
    }
}

/// Queries until the time is over or the pairs end. `progress` is called now and then with the counts so far.
pub fn run(plan: &Plan, progress: impl Fn(u64, u64) + Sync) -> Tally {
    let (total, next, stop) = (Mutex::new(Tally::default()), AtomicU64::new(0), AtomicBool::new(false));
    let (queries, failures) = (AtomicU64::new(0), AtomicU64::new(0));
    let start = Instant::now();
    if let Some(number) = plan.only {
        return one(plan.seed, number, true);
    }
    std::thread::scope(|scope| {
        for _ in 0..plan.threads.max(1) {
            scope.spawn(|| {
                let mut tally = Tally::default();
                while !stop.load(Ordering::Relaxed) {
                    let number = next.fetch_add(1, Ordering::Relaxed);
                    if number >= plan.pairs {
                        stop.store(true, Ordering::Relaxed);
                        break;
                    }
                    let found = one(plan.seed, number, plan.exact > 0 && mixed(number).is_multiple_of(plan.exact));
                    queries.fetch_add(found.queries, Ordering::Relaxed);
                    failures.fetch_add(found.failures, Ordering::Relaxed);
                    tally.add(found);
                    if start.elapsed() >= plan.time {
                        stop.store(true, Ordering::Relaxed);
                    }
                }
                total.lock().expect("no panic").add(tally);
            });
        }
        while !stop.load(Ordering::Relaxed) {
            progress(queries.load(Ordering::Relaxed), failures.load(Ordering::Relaxed));
            std::thread::sleep(Duration::from_millis(100).min(plan.time));
        }
    });
    total.into_inner().expect("no panic")
}

/// A number that is independent of its neighbours, since the kinds of pairs come in turns.
fn mixed(number: u64) -> u64 {
    number.wrapping_mul(0x9E37_79B9_7F4A_7C15).rotate_left(31)
}

/// Runs all queries about the pair of a number; one number in eight has a nearly symmetric pair as well.
fn one(seed: u64, number: u64, exact: bool) -> Tally {
    let mut rng = Rng::with_seed(seed ^ mixed(number));
    let drawn = draw::draw(&mut rng, number as usize);
    let mut inquiry = Inquiry::new(&drawn, seed, number);
    inquiry.ask(&mut rng, &drawn, exact);
    inquiry.ask_beside(&mut rng, number as usize);
    let mut tally = inquiry.tally;
    if number % 8 == 3 {
        let mut rng = Rng::with_seed(!seed ^ mixed(number));
        let drawn = near_symmetry::draw(&mut rng, (number / 8) as usize % near_symmetry::FAMILIES.len());
        let mut inquiry = Inquiry::new(&drawn, seed, number);
        inquiry.ask(&mut rng, &drawn, exact);
        tally.add(inquiry.tally);
    }
    tally
}

/// The state of all queries about one pair.
struct Inquiry {
    tally: Tally,
    kinds: String,
    seed: u64,
    pair: u64,
    line: String,
    /// The intersection of all brackets so far, and the answer that bounds it.
    common: [(f64, String); 2],
    /// The answers to the query as drawn, without any transformation.
    plain: Vec<(String, Clearance)>,
    /// The first answer that claimed a gap, if there is one.
    apart: Option<String>,
}

impl Inquiry {
    fn new(drawn: &Drawn, seed: u64, pair: u64) -> Self {
        let mut kinds = [drawn.a.kind(), drawn.b.kind()];
        kinds.sort_unstable();
        let tally = Tally { pairs: 1, ..Tally::default() };
        let line = query_line(&drawn.a, &drawn.pose_a, &drawn.b, &drawn.pose_b);
        let common = [(f64::NEG_INFINITY, String::new()), (f64::INFINITY, String::new())];
        Self { tally, kinds: kinds.join("-"), seed, pair, line, common, plain: Vec::new(), apart: None }
    }

    /// Queries the pair in every way, and catches panics.
    fn ask(&mut self, rng: &mut Rng, drawn: &Drawn, exact: bool) {
        let panicked = catch_unwind(AssertUnwindSafe(|| {
            self.ask_everything(rng, drawn);
            if exact {
                self.check_exactly(drawn);
            }
        }))
        .is_err();
        if panicked {
            self.refute("in any way", "a panic".into());
        }
    }

    fn failure(&self, how: &str, what: String) -> Failure {
        Failure { seed: self.seed, pair: self.pair, how: how.into(), what, line: self.line.clone() }
    }

    fn refute(&mut self, how: &str, what: String) {
        if self.tally.refuted.is_empty() {
            self.tally.failures = 1;
            self.tally.refuted.push(self.failure(how, what));
        }
    }

    fn count(&mut self, engine: Engine, queries: u64) {
        self.tally.queries += queries;
        *self.tally.engines.entry(format!("{engine:?}")).or_default() += queries;
    }

    /// The one place where an answer is checked.
    fn check(&mut self, rng: &mut Rng, known: &Known, how: &str, found: &Clearance, slack: f64) {
        let is_open = found.status != Status::Converged;
        self.tally.open += u64::from(is_open);
        let width = (found.upper - found.lower) / known.scale;
        // The only known fact about a custom shape is its support function.
        let is_built_in = !self.kinds.contains("custom") && !how.contains("custom");
        for (count, limit) in self.tally.wide.iter_mut().zip([1e-10, 1e-6]) {
            // An infinite overlap has no width, and points at one place have no size.
            *count += u64::from(is_built_in && width > limit && width.is_finite());
        }
        if is_built_in && !self.kinds.contains("compound") {
            self.tally.heavy += u64::from(found.cost.support_calls > LIGHT);
            self.tally.most_work = self.tally.most_work.max(found.cost.support_calls);
        }
        let opinion = known.judge(rng, found, slack);
        let is_undecided = opinion == Opinion::Undecided;
        self.tally.undecided += u64::from(is_undecided);
        let entry = self.tally.kinds.entry(self.kinds.clone()).or_default();
        entry[1] += u64::from(is_open);
        entry[2] += u64::from(is_undecided);
        if is_open && width > 1e-10 && is_built_in {
            let what = format!("{} open, {width:.1e} of the scale: {found:?}", found.status.name());
            let example = self.failure(how, what);
            self.tally.examples.entry(self.kinds.clone()).or_insert(example);
        }
        if let Opinion::Refuted(what) = opinion {
            return self.refute(how, what);
        }
        if slack == 0.0 {
            self.plain.push((how.into(), *found));
        }
        // All brackets of one query hold the same number.
        let (lower, upper) = (found.lower - slack, found.upper + slack);
        if lower > self.common[0].0 {
            self.common[0] = (lower, how.into());
        }
        if upper < self.common[1].0 {
            self.common[1] = (upper, how.into());
        }
        if self.common[0].0 > self.common[1].0 {
            let [(lower, by), (upper, other)] = self.common.clone();
            self.refute(how, format!("brackets do not meet: at least {lower:e} ({by}), at most {upper:e} ({other})"));
        }
    }

    /// Sometimes another kind of test: derived shapes compared with their input, and shapes that break their contract.
    fn ask_beside(&mut self, rng: &mut Rng, number: usize) {
        let asked = catch_unwind(AssertUnwindSafe(|| match number % 16 {
            5 => derived::draw(rng, number / 16).check().map(|_| ()),
            13 => hostile::check(rng, number / 16).map(|_| ()),
            _ => Ok(()),
        }));
        match asked {
            Ok(Ok(())) => {}
            Ok(Err(what)) => self.refute("beside the pair", what),
            Err(_) => self.refute("beside the pair", "a panic".into()),
        }
    }

    /// The verdict of the exact checker on all answers.
    fn check_exactly(&mut self, drawn: &Drawn) {
        // "Yes" may mean a gap below the resolution; "no" is always proved.
        if let Some(how) = self.apart.clone()
            && let Some(Verdict::Refuted(why)) = exact::verdict(drawn, &Answer::Intersects(false))
        {
            self.refute(&how, format!("said to be apart, but the exact checker refutes it ({why})"));
        }
        let Some((_, first)) = self.plain.first() else { return };
        let lower = self.plain.iter().fold(f64::NEG_INFINITY, |lower, (_, c)| c.lower.max(lower));
        let upper = self.plain.iter().fold(f64::INFINITY, |upper, (_, c)| c.upper.min(upper));
        let narrow = Answer::Distance(exact::narrowed(first, [lower, upper]));
        let outcome = match exact::verdict(drawn, &narrow) {
            Some(Verdict::Proved) => {
                self.tally.proved += self.plain.len() as u64;
                0
            }
            Some(_) => match exact::verdict(drawn, &Answer::Distance(*first)) {
                Some(Verdict::Proved) => {
                    self.tally.proved += 1;
                    1
                }
                _ => 2,
            },
            None => 3,
        };
        self.tally.exact[outcome] += 1;
        if outcome == 3 {
            return;
        }
        // One bracket proves all brackets, but each answer has witness points and features of its own. If the checker proves the
        // first answer, it checks one more. If it does not, the answer is wrong or too close to call, and it checks all.
        // (Answers in another unit are not about the pair as it was drawn: the smallest length has no unit.)
        let mut others: Vec<_> = self.plain.iter().filter(|(how, _)| !how.contains("times")).cloned().collect();
        if outcome == 0 && !others.is_empty() {
            others = vec![others.swap_remove(self.pair as usize % others.len())];
        }
        for (how, found) in others {
            if let Some(Verdict::Refuted(why)) = exact::verdict(drawn, &Answer::Distance(found)) {
                self.refute(&how, format!("the exact checker refutes it ({why}): {found:?}"));
            }
        }
    }

    fn ask_everything(&mut self, rng: &mut Rng, drawn: &Drawn) {
        self.tally.kinds.entry(self.kinds.clone()).or_default()[0] += 1;
        let known = Known::about(rng, drawn, true);
        let Drawn { a, pose_a, b, pose_b, .. } = drawn;
        let shapes = [a.build(), b.build()];
        let poses = [*pose_a, *pose_b];
        for engine in Engine::ALL {
            self.ask_engine(rng, &known, &shapes, poses, engine);
        }
        self.query_variants(rng, &known, drawn, &shapes);
    }

    /// One engine: cold and warm, all three queries.
    fn ask_engine(&mut self, rng: &mut Rng, known: &Known, [a, b]: &[Shape; 2], poses: [Pose; 2], engine: Engine) {
        let [pose_a, pose_b] = poses;
        let mut pair = Pair::new(a, b).engine(engine);
        let cold = pair.distance(pose_a, pose_b);
        self.check(rng, known, &format!("{engine:?}, cold"), &cold, 0.0);
        let again = pair.distance(pose_a, pose_b);
        self.check(rng, known, &format!("{engine:?}, again"), &again, 0.0);
        let near = pose_b.translation() + random::direction(rng) * (0.05 * known.scale);
        pair.distance(pose_a, Pose::new(near, random::rotation(rng)));
        let warm = pair.distance(pose_a, pose_b);
        self.check(rng, known, &format!("{engine:?}, warm"), &warm, 0.0);
        pair.reset();
        for how in ["cold", "again"] {
            let yes = pair.intersects(pose_a, pose_b);
            let how = format!("{engine:?}, intersects, {how}");
            if !yes {
                self.apart.get_or_insert(how.clone());
            }
            if let Some(what) = known.contradicts(yes) {
                self.refute(&how, what);
            }
            // "No" is proved, and so is a bracket that is all on one side.
            if !yes && self.common[1].0 < 0.0 || yes && self.common[0].0 > known.touching() {
                self.refute(&how, format!("{yes}, but {:?}", self.common));
            }
        }
        pair.reset();
        if cold.distance.is_finite() {
            let margin = cold.upper + known.rounding;
            match pair.within(pose_a, pose_b, margin) {
                Some(found) => self.check(rng, known, &format!("{engine:?}, within"), &found, 0.0),
                None => self.refute(&format!("{engine:?}, within"), format!("not within {margin:e}")),
            }
            let margin = self.common[0].0 - known.rounding;
            if cold.status == Status::Converged && pair.within(pose_a, pose_b, margin - 1e-9 * known.scale).is_some() {
                // Permitted where a bracket stays open, but not where it is closed at this very pose.
                let found = pair.distance(pose_a, pose_b);
                self.check(rng, known, &format!("{engine:?}, after within"), &found, 0.0);
            }
        }
        self.count(engine, 9);
    }

    /// The same query in transformed variants.
    fn query_variants(&mut self, rng: &mut Rng, known: &Known, drawn: &Drawn, [a, b]: &[Shape; 2]) {
        let Drawn { a: spec_a, pose_a, b: spec_b, pose_b, .. } = drawn;
        let engine = Engine::ALL[rng.usize(..Engine::ALL.len())];
        let ask =
            |a: &Shape, pose_a: Pose, b: &Shape, pose_b: Pose| Pair::new(a, b).engine(engine).distance(pose_a, pose_b);
        let swapped = ask(b, *pose_b, a, *pose_a).swapped();
        self.check(rng, known, &format!("{engine:?}, swapped"), &swapped, 0.0);
        // Another unit, exactly.
        let far = known.scale + pose_a.translation().length() + pose_b.translation().length();
        // Sometimes a random decade that holds it.
        let is_wild = rng.u32(..4) == 0 && (1e-9..1e12).contains(&far);
        let unit = 2.0_f64.powi(if is_wild { rng.i32(-190..=150) } else { rng.i32(-30..=30) });
        let scaled = |pose: &Pose| Pose::new(pose.translation() * unit, pose.rotation());
        let big = ask(&spec_a.scaled(unit).build(), scaled(pose_a), &spec_b.scaled(unit).build(), scaled(pose_b));
        let back = rescaled(&big, unit.recip());
        self.check(rng, known, &format!("{engine:?}, times {unit:e}"), &back, 0.0);
        // The same sets of points, written differently; an image may round by its own arithmetic.
        for (side, spec) in [("a", spec_a), ("b", spec_b)] {
            let Some(other) = draw::variant(rng, spec) else { continue };
            let other_shape = other.build();
            let found = match side {
                "a" => ask(&other_shape, *pose_a, b, *pose_b),
                _ => ask(a, *pose_a, &other_shape, *pose_b),
            };
            self.check(rng, known, &format!("{engine:?}, {side} as {}", name(&other)), &found, known.rounding);
            self.count(engine, 1);
        }
        // Moved together: the motion rounds the poses, and the answer by as much.
        let motion = Pose::new(random::vector(rng, -1.0, 1.0) * known.scale, random::rotation(rng));
        let turned = |pose: &Pose| motion * *pose;
        let mut moved = ask(a, turned(pose_a), b, turned(pose_b));
        let coordinates =
            [pose_a, pose_b].map(|pose| pose.translation().length() + turned(pose).translation().length());
        let slack = 32.0 * f64::EPSILON * (coordinates[0] + coordinates[1] + known.scale);
        // World directions have turned; the judge uses the old frame.
        let turn_back = |v: DVec3| motion.inverse_transform_vector(v);
        moved.normal = turn_back(moved.normal).normalize();
        moved.point_a = turn_back(moved.point_a - motion.translation());
        moved.point_b = moved.point_a;
        if moved.distance.is_finite() {
            moved.point_b += moved.distance * moved.normal;
        }
        self.check(rng, known, &format!("{engine:?}, moved"), &moved, slack);
        self.count(engine, 3);
    }
}

/// Asserts the contract of every answer.
///
/// # Panics
///
/// If an answer breaks it; `line` is the query.
pub fn assert_fits(found: &Clearance, how: &str, line: impl Fn() -> String) {
    // Any size: the scale of the comparison is not known here.
    let fault = Numbers::from(found).fault(f64::INFINITY);
    assert_eq!(fault, None, "{how}: {found:?}\n{}", line());
}

/// An answer in another unit.
fn rescaled(c: &Clearance, by: f64) -> Clearance {
    let mut c = *c;
    for number in [&mut c.distance, &mut c.lower, &mut c.upper] {
        *number *= by;
    }
    c.point_a *= by;
    c.point_b *= by;
    c
}

fn name(spec: &Spec) -> String {
    match spec {
        Spec::Affine(inner, _) => format!("affine {}", inner.kind()),
        Spec::Rounded(inner, _) => format!("rounded {}", inner.kind()),
        _ => spec.kind().to_string(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_pair_depends_on_seed_and_number_alone() {
        assert_eq!(one(3, 17, true), one(3, 17, true));
        assert_ne!(one(3, 17, false).kinds, one(3, 18, false).kinds);
    }

    /// The soak found each of these wrong once. There are a start that was too flat, a tilted axis, a sliver with the origin above it, and a needle
    /// that GJK reported as apart. Others are thin images of balls, a stalled yes/no and a face without a normal.
    #[test]
    fn pairs_that_were_refuted_stay_right() {
        let seeds = [(4242, [48_674, 61_182, 61_253]), (20_261_115, [385_678, 3_612_663, 1_481_415])];
        let more = [(31_337, [2_339_547, 1_655_851, 1_609_590]), (31_337, [1_885_070, 13_950, 3_588_146])];
        for (seed, pairs) in seeds.into_iter().chain(more) {
            for pair in pairs {
                let tally = one(seed, pair, false);
                assert_eq!(tally.failures, 0, "seed {seed}, pair {pair}: {:?}", tally.refuted);
            }
        }
    }

    /// Each had a witness beyond its shape once, or a normal that did not separate. They are shapes that touch along an edge or a face, coaxial ones,
    /// cores that almost touch, slivers, almost parallel segments, and points in balls. In one the cache had a better direction than the search.
    #[test]
    fn witnesses_that_went_astray_stay_on_their_shapes() {
        let touching = [4_457_418, 2_290_397, 3_608_399, 1_978_199, 950, 3_501, 512_081, 1_502_039];
        let directions = [31_503, 3_090_461, 3_768_710, 512_187, 18_050, 66_199, 46_509, 17_533, 17_859, 20_910];
        let others = [208_778, 34_526, 2_295_253, 3_722_163, 193_207, 1_394_989, 150_374, 407_441];
        let pairs = touching.into_iter().chain(directions).chain(others).map(|pair| (20_261_115, pair));
        let careful = [3_796_285, 1_398_641, 1_411_675, 2_177_737, 1_585_079, 2_127_631, 2_458_134];
        let pairs = pairs.chain(careful.map(|pair| (20_261_116, pair)));
        for (seed, pair) in pairs.chain([(31_415, 39_151)]) {
            let tally = one(seed, pair, false);
            assert_eq!(tally.failures, 0, "seed {seed}, pair {pair}: {:?}", tally.refuted);
        }
    }

    #[test]
    fn a_short_soak_refutes_nothing() {
        let pairs = 1500;
        let plan = Plan { seed: 20_261_115, threads: 2, time: Duration::MAX, pairs, exact: 16, only: None };
        let tally = run(&plan, |_, _| ());
        let failures: Vec<String> = tally.refuted.iter().map(Failure::to_string).collect();
        assert!(failures.is_empty(), "{} pairs wrong of {}:\n{}", tally.failures, tally.pairs, failures.join("\n"));
        // Some numbers have a nearly symmetric pair as well.
        assert!(tally.pairs >= pairs && tally.queries > 40 * pairs, "{tally:?}");
    }
}
