//! Is an answer right? Everything that can be said without the code that gave it.
//!
//! The signed distance of two convex sets is the largest *separation* f(n) = n·c - h_A(n) - h_B(-n) over all unit
//! directions n, apart or not; c is the way from A to B. Hence
//!
//! * the answer's own direction proves its lower bound, or nearly (an answer may rest on a direction that is a little
//!   off the one it reports, so a shortfall is *undecided*, not *refuted*, while a search finds nothing better);
//! * any direction at all whose separation is above the upper bound refutes it;
//! * for polytopes apart the oracle knows the distance to 30 digits;
//! * for small polytopes that overlap, the directions of all faces of A - B are few enough to try.

use super::draw::Drawn;
use crate::oracle::{self, Oracle};
use crate::{Rng, Spec, random};
use clearance::math::DVec3;
use clearance::{Clearance, Pose, Status};

/// What is known about a pair before anybody is asked.
pub struct Known {
    a: Spec,
    b: Spec,
    pose_a: Pose,
    pose_b: Pose,
    /// From A to B.
    between: DVec3,
    /// Bounds every length that occurs.
    pub scale: f64,
    /// What may be lost by rounding in what is computed here.
    pub rounding: f64,
    /// The separation is at least this, by a direction that was found; minus infinity for what has no heights.
    best: f64,
    /// The distance, for polytopes apart.
    oracle: Option<Oracle>,
    /// The depth, for small polytopes that overlap: no less than the truth, and rarely more.
    faces: Option<f64>,
}

/// What is wrong with an answer, if anything.
#[derive(Debug, Clone, PartialEq)]
pub enum Opinion {
    /// Nothing, and the bounds are confirmed as far as they can be.
    Fine,
    /// Nothing, but the lower bound could not be confirmed from the outside.
    Undecided,
    /// The bounds are not refuted, but a witness is not on its shape, or the normal not that of a plane between them.
    Stray(String),
    /// It is wrong, and this is why.
    Refuted(String),
}

impl Known {
    /// Everything that can be found out about a pair; `search` asks for the expensive things.
    #[must_use]
    pub fn about(rng: &mut Rng, drawn: &Drawn, search: bool) -> Self {
        let Drawn { a, pose_a, b, pose_b, .. } = drawn;
        let reach = |spec: &Spec, pose: &Pose| match spec {
            Spec::HalfSpace(normal, offset) => offset.abs() / normal.length() + pose.translation().length(),
            // An unbounded shape leaves nothing to relate an error to but the places.
            _ => Some(spec.build().reach()).filter(|reach| reach.is_finite()).unwrap_or(pose.translation().length()),
        };
        let between = pose_b.translation() - pose_a.translation();
        let scale = reach(a, pose_a) + reach(b, pose_b) + between.length();
        let mut known = Self {
            a: a.clone(),
            b: b.clone(),
            pose_a: *pose_a,
            pose_b: *pose_b,
            between,
            scale,
            rounding: 64.0 * f64::EPSILON * scale + 1e-74,
            best: f64::NEG_INFINITY,
            oracle: None,
            faces: None,
        };
        if search {
            known.look_around(rng);
            known.consult();
        }
        known
    }

    /// The separation along a unit direction, if both have heights.
    fn separation(&self, n: DVec3) -> Option<f64> {
        let a = self.a.height(self.pose_a.inverse_direction(n))?;
        let b = self.b.height(self.pose_b.inverse_direction(-n))?;
        Some(self.between.dot(n) - a - b)
    }

    /// The best of many directions: the axes of both, some that are drawn, and a climb from the best of them.
    fn look_around(&mut self, rng: &mut Rng) {
        let mut best = (f64::NEG_INFINITY, DVec3::X);
        let axes = DVec3::AXES.map(|axis| [axis, -axis]).concat();
        let own = [self.pose_a, self.pose_b].map(|pose| axes.iter().map(|&d| pose.direction(d)).collect::<Vec<_>>());
        let drawn: Vec<DVec3> = (0..24).map(|_| random::direction(rng)).collect();
        let toward = self.between.try_normalize();
        for n in own.into_iter().flatten().chain(drawn).chain(toward) {
            match self.separation(n) {
                Some(value) if value > best.0 => best = (value, n),
                Some(_) => {}
                None => return,
            }
        }
        self.best = self.climb(rng, best.1, 0.3, 48);
    }

    /// A random walk uphill whose steps get shorter when they fail.
    fn climb(&self, rng: &mut Rng, from: DVec3, first_step: f64, steps: usize) -> f64 {
        let (mut n, mut step) = (from, first_step);
        let Some(mut best) = self.separation(n) else { return f64::NEG_INFINITY };
        for _ in 0..steps {
            let Some(next) = (n + step * random::direction(rng)).try_normalize() else { continue };
            match self.separation(next) {
                Some(value) if value > best => (n, best) = (next, value),
                _ => step *= 0.7,
            }
        }
        best
    }

    /// Asks the oracle about polytopes, and tries all faces of the difference of small ones.
    fn consult(&mut self) {
        let (Some(a), Some(b)) = (self.a.points(), self.b.points()) else { return };
        if a.len() + b.len() > 80 {
            return;
        }
        let truth = oracle::distance(&a, self.pose_a, &b, self.pose_b);
        if truth.is_overlapping() && a.len() <= 8 && b.len() <= 8 {
            let depth = crate::brute_force::separation(&a, self.pose_a, &b, self.pose_b);
            self.faces = Some(depth).filter(|depth| depth.is_finite());
        }
        self.oracle = Some(truth);
    }

    /// Holds an answer against everything that is known. `slack` is what a disguise may have moved the truth by.
    #[must_use]
    pub fn judge(&self, rng: &mut Rng, found: &Clearance, slack: f64) -> Opinion {
        let refuted = |what: &str| Opinion::Refuted(format!("{what}: {found:?}"));
        let Clearance { distance, lower, upper, normal, point_a, point_b, .. } = *found;
        let points = [point_a, point_b, normal];
        if distance == f64::NEG_INFINITY {
            let planes = is_half_space(&self.a) && is_half_space(&self.b);
            let fine = planes && lower == distance && upper == distance && points.iter().all(|p| p.is_finite());
            return if fine { Opinion::Fine } else { refuted("infinitely deep") };
        }
        if !points.iter().all(|p| p.is_finite()) || ![distance, lower, upper].iter().all(|x| x.is_finite()) {
            return refuted("a number is not finite");
        }
        if !(lower <= distance && distance <= upper) {
            return refuted("the distance is outside its bracket");
        }
        if found.status == Status::BadSupport {
            return refuted("bad support");
        }
        if (normal.length() - 1.0).abs() > 1e-14 {
            return refuted("the normal is no unit");
        }
        let places = 16.0 * f64::EPSILON * (point_a.length() + point_b.length());
        if (point_a + distance * normal - point_b).length() > self.rounding + places {
            return refuted("the witnesses are not apart by the distance along the normal");
        }
        let slack = slack + self.rounding;
        if self.best > upper + slack {
            return refuted(&format!("a plane separates by {:e}, more than upper", self.best));
        }
        match self.oracle {
            Some(Oracle::Apart { distance: truth, certificate_gap, .. })
                if lower > truth + slack || upper < truth - certificate_gap - slack =>
            {
                return refuted(&format!("the bracket misses the distance {truth:e}"));
            }
            Some(Oracle::Overlapping) if lower > slack => return refuted("they overlap"),
            _ => {}
        }
        if self.faces.is_some_and(|truth| truth > upper + slack) {
            return refuted(&format!("a face of the difference is nearer: {:e}", self.faces.unwrap_or(0.0)));
        }
        // Witnesses are points of the shapes, so no plane has them beyond its shape. While a depth is not known, only A's.
        if found.status == Status::Converged {
            // A point of a curved shape is known as well as its distance is promised to be.
            let slack = slack + (upper - lower).max(tuned(0) * self.scale);
            for d in [normal, -normal, random::direction(rng)] {
                for (spec, pose, point) in [(&self.a, self.pose_a, point_a), (&self.b, self.pose_b, point_b)] {
                    let height = spec.height(pose.inverse_direction(d));
                    let beyond = height.map(|height| (point - pose.translation()).dot(d) - height);
                    if beyond.is_some_and(|beyond| beyond > slack + places) {
                        let beyond = beyond.unwrap_or(0.0) / self.scale;
                        return Opinion::Stray(format!(
                            "a witness is beyond its shape by {beyond:e} of the scale: {found:?}"
                        ));
                    }
                }
            }
        }
        // The lower bound, by the answer's own direction or one close to it.
        match self.separation(normal) {
            Some(value) if value < lower - slack => {
                if found.status == Status::Converged && value < lower - slack - tuned(1) * self.scale {
                    let less = (lower - value) / self.scale;
                    return Opinion::Stray(format!("its own direction separates by {less:e} less: {found:?}"));
                }
                let climbed = self.climb(rng, normal, 1e-7, 24);
                if climbed >= lower - slack {
                    return Opinion::Fine;
                }
                Opinion::Undecided
            }
            _ => Opinion::Fine,
        }
    }

    /// A gap that is no larger may be taken for touching: a bracket counts as closed when its ends are 128 ε apart, and a pair
    /// whose bracket holds zero is not proved to be apart.
    #[must_use]
    pub fn touching(&self) -> f64 {
        2.5 * self.rounding
    }

    /// Is the yes or no against what is known?
    #[must_use]
    pub fn contradicts(&self, intersects: bool) -> Option<String> {
        let slack = self.touching();
        if intersects && self.best > slack {
            return Some(format!("said to meet, but a plane separates by {:e}", self.best));
        }
        match self.oracle {
            Some(Oracle::Apart { distance, .. }) if intersects && distance > slack => {
                Some(format!("said to meet, but {distance:e} apart"))
            }
            Some(Oracle::Overlapping) if !intersects => Some("said to be apart, but they meet".into()),
            _ => None,
        }
    }
}

fn is_half_space(spec: &Spec) -> bool {
    match spec {
        Spec::HalfSpace(..) => true,
        Spec::Affine(inner, _) | Spec::Rounded(inner, _) | Spec::Custom(inner) => is_half_space(inner),
        Spec::Compound(parts) => parts.iter().any(|(part, _)| is_half_space(part)),
        _ => false,
    }
}

fn tuned(i: usize) -> f64 {
    static T: std::sync::OnceLock<Vec<f64>> = std::sync::OnceLock::new();
    T.get_or_init(|| std::env::var("TUNED").unwrap_or("1e-10 1e-10".into()).split(' ').map(|x| x.parse().unwrap()).collect())[i]
}
