//! Forward kinematics: the poses of all links, and a bound on their rounding errors.
//!
//! The pose of a child is `parent · origin · motion₁ · motion₂ …`, a motion for each elementary joint.
//!
//! **Rounding.** A point on a link is off by the errors of all products before it. Each product of poses errs by at most 20 ε of the translations and of the
//! distance of the point (the derivation of `COMPOSED` in `math/rounding.rs` of the library). The sine of an angle and the length of an axis add 6 ε. So a
//! product errs by 32 ε of the *extent*, the sum of all translations on the way and of the radius of the body. A value `m q + o`
//! of a joint on an edge errs by 8 ε of `|m| (|q₀| + |q₁|) + |o|`, which moves points by as much, times the extent for a turn.

use crate::error::Error;
use crate::robot::{Element, Robot};
use crate::urdf::rotation;
use clearance::Pose;
use clearance::math::DVec3;

/// Bound: error of a point after one product of poses, relative to the extent, as derived above.
const OF_PRODUCT: f64 = 32.0 * f64::EPSILON;
/// Bound: error of the value of a joint, relative to the sum of the sizes of its terms, as derived above.
const OF_VALUE: f64 = 8.0 * f64::EPSILON;
/// Limit: beyond a million radians or metres the rounding of a joint's value alone is 1e-9.
pub const MAX_VALUE: f64 = 1e6;

/// Poses of the links at a configuration, in the world.
#[derive(Debug, Clone, Default)]
pub struct Frames {
    pub links: Vec<Pose>,
    /// Of each elementary joint, in the order of joints and their elements: a point of its axis, and the unit vector along it.
    pub axes: Vec<(DVec3, DVec3)>,
    /// For each link what its rounding error is made of.
    errors: Vec<Rounding>,
}

#[derive(Debug, Clone, Copy, Default)]
struct Rounding {
    products: f64,
    extent: f64,
    turned: f64,
    slid: f64,
}

impl Frames {
    /// How far a point of a link is from where exact arithmetic has it, at most, if it is within that radius of the link's origin.
    pub fn error(&self, link: usize, radius: f64) -> f64 {
        let Rounding { products, extent, turned, slid } = self.errors[link];
        // One product more: the pose of a shape on its link.
        let extent = extent + radius;
        OF_PRODUCT * (products + 1.0) * extent + OF_VALUE * (turned * extent + slid)
    }
}

impl Robot {
    /// The poses of all links at a configuration, in the order of [`Robot::link_names`].
    ///
    /// # Errors
    ///
    /// If the configuration has another length than [`Robot::dof`], or a value that is not finite or beyond a million.
    pub fn forward_kinematics(&self, q: &[f64]) -> Result<Vec<Pose>, Error> {
        self.check(q)?;
        let mut frames = Frames::default();
        self.place(q, q, q, &mut frames);
        Ok(frames.links)
    }

    /// Refuses what is no configuration.
    pub(crate) fn check(&self, q: &[f64]) -> Result<(), Error> {
        if q.len() != self.dof() {
            let message = format!(
                "a configuration has {} values, but this one has {}; see the names of the joints",
                self.dof(),
                q.len()
            );
            return Err(Error::Argument(message));
        }
        for (variable, value) in self.variables.iter().zip(q) {
            // NaN passes no comparison.
            if !(value.abs() <= MAX_VALUE) {
                let name = &variable.name;
                return Err(Error::Argument(format!(
                    "the value of {name} is {value}, but must be a number within ±{MAX_VALUE:.0}; correct it"
                )));
            }
        }
        Ok(())
    }

    /// Places all links at a configuration that lies between two others.
    pub(crate) fn place(&self, q: &[f64], from: &[f64], to: &[f64], frames: &mut Frames) {
        let Frames { links, axes, errors } = frames;
        let root = Rounding { extent: self.base.translation().length(), ..Rounding::default() };
        links.clear();
        links.resize(self.links.len(), self.base);
        errors.clear();
        errors.resize(self.links.len(), root);
        axes.clear();
        axes.resize(self.element_count(), (DVec3::ZERO, DVec3::X));
        for &number in &self.order {
            let joint = &self.joints[number];
            let mut pose = links[joint.parent] * joint.origin;
            let mut error = errors[joint.parent];
            error.products += 1.0 + joint.folded as f64;
            error.extent += joint.origin.translation().length();
            for (nth, element) in joint.elements.iter().enumerate() {
                let (axis, value) = (element.axis, element.value(q));
                axes[joint.first + nth] = (pose.translation(), pose.transform_vector(axis));
                let size = size_of_value(element, from, to);
                error.products += 1.0;
                if element.is_turn {
                    pose = pose * Pose::from_rotation(rotation(axis, value));
                    error.turned += size;
                } else {
                    pose = pose * Pose::from_translation(axis * value);
                    error.extent += size;
                    error.slid += size;
                }
            }
            (links[joint.child], errors[joint.child]) = (pose, error);
        }
    }
}

/// A bound on the value of an elementary joint between two configurations, and on all terms that make it.
fn size_of_value(element: &Element, from: &[f64], to: &[f64]) -> f64 {
    let at = element.variable;
    element.multiplier.abs() * (from[at].abs() + to[at].abs()) + element.offset.abs()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::Options;

    #[test]
    fn the_error_bound_holds_for_a_chain_of_sixty_bars() {
        let mut text = String::from("<robot><link name=\"0\"/>");
        for bar in 1..=60 {
            text += &format!(
                "<link name=\"{bar}\"/><joint name=\"{bar}\" type=\"continuous\"><origin xyz=\"1 0 0\"/><parent link=\"{}\"/><child link=\"{bar}\"/><axis xyz=\"0 0 1\"/></joint>",
                bar - 1
            );
        }
        let robot = Robot::parse(&(text + "</robot>"), "arm.urdf", None, &Options::default()).unwrap();
        let mut rng = fastrand::Rng::with_seed(2);
        let mut worst = 0.0_f64;
        for _ in 0..200 {
            // Sums of these are exact, so that the reference is off by one rounding of a sine and a sum for each bar.
            let q: Vec<f64> = (0..60).map(|_| f64::from(rng.i32(-4096..4096)) / 4096.0).collect();
            let mut frames = Frames::default();
            robot.place(&q, &q, &q, &mut frames);
            let (mut at, mut angle) = (DVec3::ZERO, 0.0);
            for bar in 1..=60 {
                at += DVec3::new(f64::cos(angle), f64::sin(angle), 0.0);
                angle += q[bar - 1];
                let (off, reference) = (frames.links[bar].translation().distance(at), 60.0 * f64::EPSILON);
                assert!(off <= frames.error(bar, 0.0) + reference, "{bar}: {off:e}");
                worst = worst.max(off);
            }
            assert!(frames.error(60, 0.0) < 1e-10);
        }
        assert!(worst > 100.0 * f64::EPSILON, "{worst:e}");
    }
}
