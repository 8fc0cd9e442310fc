//! Manifolds of compounds and meshes: one for each pair of parts within the margin.

use super::build::{ContactInput, ContactSide, fill};
use super::{Contacts, mesh};
use crate::math::Pose;
use crate::pair::compound::{PairVisit, PartPairs, rounding, with_pairs};
use crate::pair::entry::{self, PosedPair};
use crate::pair::{Engine, PairCache};
use crate::shape::{Family, Shape};
use glam::DVec3;
use std::ops::ControlFlow;

/// A query about two parts of bodies.
#[derive(Clone, Copy)]
pub(super) struct PartContact<'a> {
    pub a: ContactSide<'a>,
    pub b: ContactSide<'a>,
    pub parts: [u32; 2],
    pub margin: f64,
    /// Rounding error of the places of the parts.
    pub rounding: f64,
    pub engine: Engine,
}

impl<'a> PartContact<'a> {
    /// The two parts as a pair.
    pub fn pair(&self) -> PosedPair<'_> {
        PosedPair { a: self.a.shape, pose_a: &self.a.pose, b: self.b.shape, pose_b: &self.b.pose }
    }

    /// The contact along a normal.
    pub fn along(&self, normal: DVec3) -> ContactInput<'a> {
        ContactInput { a: self.a, b: self.b, normal, margin: self.margin, rounding: self.rounding }
    }
}

/// See [`Contacts::update`].
pub(super) fn update(contacts: &mut Contacts, pair: &PosedPair<'_>, margin: f64, engine: Engine) {
    contacts.begin();
    let is_compound = |shape: &Shape| matches!(shape, Shape::Compound(_));
    if is_compound(pair.a) || is_compound(pair.b) {
        with_pairs(*pair, |pairs| pairs.visit(&mut AllWithin { contacts, margin, engine }));
    } else {
        // Relative to A, so that nothing is rounded to the coordinates of a world far away.
        let origin = pair.pose_a.translation();
        let side = |shape, pose: &Pose| ContactSide { shape, pose: pose.moved_by(-origin), place: None };
        let (a, b) = (side(pair.a, pair.pose_a), side(pair.b, pair.pose_b));
        // The difference of the translations rounds by half an ε of it.
        let rounding = f64::EPSILON * b.pose.translation().length();
        of_parts(contacts, &PartContact { a, b, parts: [0; 2], margin, rounding, engine });
    }
    contacts.end();
}

/// Visits all pairs of parts within a margin.
struct AllWithin<'c> {
    contacts: &'c mut Contacts,
    margin: f64,
    engine: Engine,
}

impl PairVisit for AllWithin<'_> {
    fn settles(&mut self, bound: f64, _: impl Fn() -> DVec3) -> bool {
        bound > self.margin
    }

    fn parts(&mut self, pairs: &PartPairs<'_>, parts: [u32; 2]) -> ControlFlow<()> {
        let Some([a, b]) = pairs.get(parts) else { return ControlFlow::Continue(()) };
        let place = |shape: &'_ Shape, number: u32| match shape {
            Shape::Compound(compound) => compound.parts().get(number as usize).map(|part| part.pose),
            _ => None,
        };
        let places = [place(pairs.a.shape, parts[0]), place(pairs.b.shape, parts[1])];
        let contact = PartContact {
            a: ContactSide { shape: a.shape, pose: a.pose, place: places[0].as_ref() },
            b: ContactSide { shape: b.shape, pose: b.pose, place: places[1].as_ref() },
            parts,
            margin: self.margin,
            rounding: rounding(&a, &b),
            engine: self.engine,
        };
        of_parts(self.contacts, &contact);
        ControlFlow::Continue(())
    }
}

/// Adds the manifolds of two parts, neither of which is a compound.
fn of_parts(contacts: &mut Contacts, contact: &PartContact<'_>) {
    match (contact.a.shape.family(), contact.b.shape.family()) {
        (Family::Mesh(_), Family::HalfSpace(_)) => with_hull(contacts, contact, 0),
        (Family::HalfSpace(_), Family::Mesh(_)) => with_hull(contacts, contact, 1),
        (Family::Mesh(a), Family::Mesh(b)) => mesh::with_mesh(contacts, contact, a, b),
        (Family::Mesh(mesh), _) => mesh::with_convex(contacts, contact, mesh, 0),
        (_, Family::Mesh(mesh)) => mesh::with_convex(contacts, contact, mesh, 1),
        _ => of_convex(contacts, contact),
    }
}

/// Of what is on one side of a plane only the hull counts.
fn with_hull(contacts: &mut Contacts, contact: &PartContact<'_>, mesh_side: usize) {
    let side = if mesh_side == 0 { &contact.a } else { &contact.b };
    let Some(hull) = side.shape.convex_hull() else { return of_convex(contacts, contact) };
    let whole = ContactSide { shape: &hull, ..*side };
    let slack = side.shape.with_hull(|hull| hull.slack()).unwrap_or(0.0);
    let contact = PartContact { rounding: contact.rounding + slack, ..*contact };
    of_convex(
        contacts,
        &if mesh_side == 0 { PartContact { a: whole, ..contact } } else { PartContact { b: whole, ..contact } },
    );
}

/// Two convex parts, or one and a half-space.
pub(super) fn of_convex(contacts: &mut Contacts, contact: &PartContact<'_>) {
    let found = entry::clearance(contact.pair(), contact.margin, contact.engine, &mut PairCache::default());
    if found.lower - contact.rounding > contact.margin {
        return;
    }
    let mut manifold = contacts.take(contact.parts, [None; 2]);
    let has_points = fill(&contact.along(found.normal), &found, contacts.which, &mut contacts.memory, &mut manifold);
    contacts.put(manifold, has_points);
}
