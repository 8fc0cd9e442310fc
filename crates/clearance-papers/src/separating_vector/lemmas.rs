//! The lemmas of \[QC\] as properties of numbers, and its examples in the plane.
//!
//! S is a vector, m = q - p the supporting vertex of Q - P that belongs to it, r = m / |m|; w is any separating vector. In the library's terms
//! S = -v and m = -w of [`Difference::support`].
//!
//! | lemma | says | of step |
//! |---|---|---|
//! | 2 | S'·w > S·w if S·r < 0 | (3.2) |
//! | 3 | the same m twice in a row: S'·m > 0 | (3.2) |
//! | 4 | \|m' - m\| > \|m'\| if S·m < 0 and S'·m' < 0 | (3.2) |
//! | 5 | S'·w > S·w if S·r < 0 < S·w | (3.5) |
//! | 6 | \|m\|² >= m·m' if S·m < 0 and S'·m' < 0 | (3.5) |
//! | 7 | S'·w > S·w if S·r < 0 < S·w | (3.9) |
//! | 8 | a known m, for S the normal of all r: S·m >= 0 | 4.3 |

use clearance::internals::hull::convex_hull;
use clearance::internals::narrow::Difference;
use clearance::internals::narrow::separating_vector::{
    Blend, CollisionTest, Conservative, Greedy, HalfPlanes, Hemisphere, LastVector, OriginSide, StepRule, Verdict,
    search,
};
use clearance::math::DVec3;
use clearance::math::Frame;
use clearance::shape::{Polytope, Sphere};
use clearance::{Convex, Pose};
use clearance_lab::{Rng, models, random};

/// The rounding error of products of vectors of about length one.
const ROUNDING: f64 = 1e-12;

/// The number of cases of a lemma, and of those in which it did not hold by more than rounding.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct Held {
    /// Cases within the scope of the lemma.
    pub cases: u64,
    /// Those in which it does not hold.
    pub broken: u64,
}

impl Held {
    /// One more case, in which a number should not be negative.
    fn expect(&mut self, number: f64) {
        self.cases += 1;
        // Written so that a NaN is a case that does not hold.
        self.broken += u64::from(!(number >= -ROUNDING));
    }
}

/// The numbers of the lemmas, in the order of [`lemmas`].
pub const LEMMAS: [u32; 7] = [2, 3, 4, 5, 6, 7, 8];

/// Each of [`LEMMAS`] in the searches of `pairs` random pairs of hulls, apart and overlapping.
#[must_use]
pub fn lemmas(pairs: usize) -> [Held; 7] {
    let mut rng = Rng::with_seed(320);
    let mut held = [Held::default(); 7];
    for index in 0..pairs {
        let draw = |rng: &mut Rng| {
            let count = rng.usize(4..60);
            let points = match index % 3 {
                0 => models::random_hull(rng, count),
                1 => models::random_rod(rng, count),
                _ => models::random_plate(rng, count),
            };
            convex_hull(&points).expect("models have points")
        };
        let (a, b) = (draw(&mut rng), draw(&mut rng));
        let shift = random::direction(&mut rng) * random::uniform(&mut rng, 0.0, 2.0);
        let frame = Frame::from(Pose::new(shift, random::rotation(&mut rng)));
        let difference = Difference::new(&a, &b, &frame);
        let found = search::<Hemisphere, Greedy, _, _>(&difference, &Greedy, &mut LastVector::default());
        let separating = (found.verdict == Verdict::Apart).then_some(found.cache.axis);
        let first = random::direction(&mut rng);
        let [two, three, four, five, six, seven, eight] = &mut held;
        walk(&difference, first, separating, &Greedy, two, false, |last, next| {
            if last.ids == next.ids {
                three.expect(next.height);
            }
            if next.height < 0.0 {
                four.expect((next.m - last.m).length() - next.m.length());
            }
        });
        walk(&difference, first, separating, &Conservative, five, true, |last, next| {
            if next.height < 0.0 {
                six.expect(last.m.length_squared() - last.m.dot(next.m));
            }
        });
        let alpha = rng.f64();
        walk(&difference, first, separating, &Blend { alpha }, seven, true, |_, _| {});
        normals(&difference, first, eight);
    }
    held
}

/// A vector of a search: its supporting vertex, and the height S·m.
#[derive(Clone, Copy)]
struct Asked {
    m: DVec3,
    ids: [u32; 2],
    height: f64,
}

fn ask(difference: &Difference<'_, Polytope, Polytope>, v: DVec3) -> Asked {
    let vertex = difference.support(v);
    Asked { m: -vertex.w, ids: vertex.ids, height: v.dot(vertex.w) }
}

/// Some steps of a rule from a vector. True if each comes closer to the separating vector, if there is one (and if `needs_side`, the vector is on
/// its side). Compares each two consecutive steps of which the first does not separate.
fn walk(
    difference: &Difference<'_, Polytope, Polytope>,
    first: DVec3,
    separating: Option<DVec3>,
    rule: &dyn StepRule,
    closer: &mut Held,
    needs_side: bool,
    mut look: impl FnMut(Asked, Asked),
) {
    let mut v = first;
    let mut asked = ask(difference, v);
    for _ in 0..12 {
        if !(asked.height < 0.0 && asked.m.length() > ROUNDING) {
            return;
        }
        let next = rule.next(v, -asked.m.normalize()).normalize();
        if let Some(w) = separating
            && (!needs_side || v.dot(w) > 0.0)
        {
            closer.expect(next.dot(w) - v.dot(w));
        }
        let then = ask(difference, next);
        look(asked, then);
        (v, asked) = (next, then);
    }
}

/// Lemma 8: the search uses the normals of the collision test instead of reflections.
fn normals(difference: &Difference<'_, Polytope, Polytope>, first: DVec3, held: &mut Held) {
    let mut test = Hemisphere::default();
    let (mut known, mut all) = (Vec::new(), Vec::new());
    let mut v = first;
    for _ in 0..30 {
        let asked = ask(difference, v);
        if known.contains(&asked.ids) {
            held.expect(asked.height);
            return;
        }
        if asked.height >= 0.0 || asked.m.length() <= ROUNDING {
            return;
        }
        known.push(asked.ids);
        all.push(-asked.m.normalize());
        if test.add(&all) != OriginSide::One {
            return;
        }
        v = test.normal();
    }
}

/// Steps of the two rules over some examples.
#[derive(Debug, Clone, Copy, PartialEq, Default)]
pub struct Compared {
    /// The number of examples.
    pub examples: u64,
    /// Steps of the greedy and of the conservative rule: the sum.
    pub steps: [u64; 2],
    /// The most.
    pub most: [u32; 2],
    /// Examples that end within two steps.
    pub within_two: [u64; 2],
}

impl Compared {
    fn add(&mut self, steps: [u32; 2]) {
        self.examples += 1;
        for (rule, steps) in steps.into_iter().enumerate() {
            self.steps[rule] += u64::from(steps);
            self.most[rule] = self.most[rule].max(steps);
            self.within_two[rule] += u64::from(steps <= 2);
        }
    }

    /// Mean steps, greedy and conservative.
    #[must_use]
    pub fn means(&self) -> [f64; 2] {
        self.steps.map(|steps| steps as f64 / self.examples.max(1) as f64)
    }

    /// Both rules on one pair, from a vector or from the line of centres.
    fn both<A: Convex, B: Convex>(&mut self, a: &A, b: &B, shift: DVec3, first: DVec3) {
        let frame = Frame::from(Pose::from_translation(shift));
        let difference = Difference::new(a, b, &frame);
        let greedy = search::<Hemisphere, _, _, _>(&difference, &Greedy, &mut LastVector::along(first)).steps;
        let conservative =
            search::<Hemisphere, _, _, _>(&difference, &Conservative, &mut LastVector::along(first)).steps;
        self.add([greedy, conservative]);
    }
}

/// Figures 3.6 and 3.7: a strip a hundred times as long as it is thick, and points beside it, in the plane. From the line of centres.
#[must_use]
pub fn strips(count: usize) -> Compared {
    let mut rng = Rng::with_seed(36);
    let corner = |x: f64, y: f64| DVec3::new(10.0 * x, 0.1 * y, 0.0);
    let strip = convex_hull(&[corner(1.0, 1.0), corner(-1.0, 1.0), corner(-1.0, -1.0), corner(1.0, -1.0)])
        .expect("four points");
    let point = convex_hull(&[DVec3::ZERO]).expect("a point");
    let mut compared = Compared::default();
    for _ in 0..count {
        let x = random::uniform(&mut rng, 1.0, 9.0) * if rng.bool() { 1.0 } else { -1.0 };
        compared.both(&strip, &point, DVec3::new(x, random::uniform(&mut rng, 0.15, 1.0), 0.0), DVec3::ZERO);
    }
    compared
}

/// Circles in the plane (figure 3.2), or balls, that are disjoint, from any vector.
#[must_use]
pub fn balls(count: usize, in_plane: bool) -> Compared {
    let mut rng = Rng::with_seed(32);
    let mut compared = Compared::default();
    for _ in 0..count {
        let radii = [(); 2].map(|()| random::uniform(&mut rng, 0.1, 2.0));
        let [a, b] = radii.map(|radius| Sphere::new(radius).expect("a positive radius"));
        let mut direction = || {
            let d = random::direction(&mut rng);
            if in_plane { DVec3::new(d.x, d.y, 0.0).normalize_or(DVec3::X) } else { d }
        };
        let (way, first) = (direction(), direction());
        let gap = random::uniform(&mut rng, 0.01, 1.0);
        compared.both(&a, &b, way * (radii[0] + radii[1] + gap), first);
    }
    compared
}

/// The results of the two collision tests on the same vectors.
#[derive(Debug, Clone, Copy, PartialEq, Default)]
pub struct Margins {
    /// Sets of vectors for which both find a plane.
    pub sets: u64,
    /// The distance of the vectors from the plane, the least of each set: the mean, by hemisphere and by half-planes.
    pub mean: [f64; 2],
    /// Sets in which one normal leaves more distance than the other.
    pub better: [u64; 2],
}

/// Random vectors in a cone, added one by one: the quality of the plane of the hemisphere and of the half-planes (sections 4.2.1, 4.2.2).
#[must_use]
pub fn margins(count: usize) -> Margins {
    let mut rng = Rng::with_seed(42);
    let mut margins = Margins::default();
    let mut sums = [0.0; 2];
    for _ in 0..count {
        let all = cone(&mut rng);
        let (mut hemisphere, mut half_planes) = (Hemisphere::default(), HalfPlanes::default());
        for known in 1..=all.len() {
            let known = &all[..known];
            if hemisphere.add(known) != OriginSide::One || half_planes.add(known) != OriginSide::One {
                break;
            }
            // With two vectors both use the vector halfway.
            if known.len() < 3 {
                continue;
            }
            let least = |normal: DVec3| known.iter().map(|r| r.dot(normal)).fold(f64::INFINITY, f64::min);
            let [one, other] = [least(hemisphere.normal()), least(half_planes.normal())];
            margins.sets += 1;
            sums[0] += one;
            sums[1] += other;
            margins.better[0] += u64::from(one > other + ROUNDING);
            margins.better[1] += u64::from(other > one + ROUNDING);
        }
    }
    margins.mean = sums.map(|sum| sum / margins.sets.max(1) as f64);
    margins
}

/// Eight vectors of a cone, in the order in which a search might meet them.
fn cone(rng: &mut Rng) -> Vec<DVec3> {
    let middle = random::direction(rng);
    (0..8).map(|_| (middle + 1.1 * random::direction(rng)).normalize()).collect()
}

/// Adds `sets` sets of vectors to a test, for measurements of time; returns the number that it used.
#[must_use]
pub fn add_all<T: CollisionTest>(sets: usize) -> u64 {
    let mut rng = Rng::with_seed(43);
    let mut added = 0;
    for _ in 0..sets {
        let all = cone(&mut rng);
        let mut test = T::default();
        for known in 1..=all.len() {
            added += 1;
            if test.add(&all[..known]) != OriginSide::One {
                break;
            }
        }
    }
    added
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_lemma_holds_in_every_case() {
        for (lemma, held) in LEMMAS.into_iter().zip(lemmas(6000)) {
            assert!(held.cases > 100 && held.broken == 0, "lemma {lemma}: {held:?}");
        }
    }

    #[test]
    fn a_broken_step_is_found_out() {
        /// Shorter than the projection: it stays on the wrong side.
        struct Timid;
        impl StepRule for Timid {
            fn next(&self, v: DVec3, r: DVec3) -> DVec3 {
                v + 0.5 * r.dot(v) * r
            }
        }
        let cube = convex_hull(&models::cube()).expect("points");
        let frame = Frame::from(Pose::from_translation([3.0, 0.5, 0.2]));
        let difference = Difference::new(&cube, &cube, &frame);
        let mut held = Held::default();
        walk(&difference, DVec3::new(0.1, 1.0, 0.3).normalize(), Some(-DVec3::X), &Timid, &mut held, false, |_, _| {});
        assert!(held.broken > 0, "{held:?}");
    }

    #[test]
    fn a_ball_needs_one_reflection_and_a_strip_one_projection() {
        for in_plane in [false, true] {
            let balls = balls(500, in_plane);
            assert!(balls.most[0] <= 2 && balls.most[1] > 2, "{balls:?}");
        }
        let strips = strips(500);
        assert!(strips.within_two[1] == 500 && strips.most[0] > 2, "{strips:?}");
    }
}
