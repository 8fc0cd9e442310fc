//! Contact manifolds, and what is kept of a pair of shapes from call to call.

use crate::ClearanceDispatcher;
use crate::convert::{Converted, pose};
use crate::patch::{Patch, has_patches};
use crate::transfer::{Found, store_all};
use clearance::{Manifold, Pair, Pose, Shape};
use parry3d_f64::bounding_volume::BoundingVolume;
use parry3d_f64::math::Pose as ParryPose;
use parry3d_f64::query::details::{NormalConstraints, TypedWorkspaceData, WorkspaceData};
use parry3d_f64::query::{ContactManifold, ContactManifoldsWorkspace, PersistentQueryDispatcher, Unsupported};
use parry3d_f64::shape::{PackedFeatureId, Shape as ParryShape};
use std::sync::Arc;

/// One of the two shapes of a workspace.
#[derive(Clone)]
enum Side {
    Whole(Arc<Converted>),
    Patch(Box<Patch>),
}

impl Side {
    fn shape(&self) -> Option<&Shape> {
        match self {
            Self::Whole(converted) => Some(&converted.shape),
            Self::Patch(patch) => patch.shape(),
        }
    }

    /// A surface, or a compound: may it have several manifolds?
    fn has_parts(&self) -> bool {
        match self {
            Self::Whole(converted) => matches!(converted.shape, Shape::Compound(_)),
            Self::Patch(_) => true,
        }
    }

    /// The number of the sub-shape of a manifold in parry's words.
    fn subshape(&self, manifold: &Manifold, side: usize) -> u32 {
        match self {
            Self::Whole(_) => manifold.parts[side],
            Self::Patch(patch) => manifold.triangles[side].map_or(0, |triangle| patch.triangle(triangle)),
        }
    }

    fn is_near(&self, subshape: u32) -> bool {
        match self {
            Self::Whole(_) => true,
            Self::Patch(patch) => patch.has(subshape),
        }
    }
}

/// The memory of two shapes. It is used only after both have been compared with those of the call.
#[derive(Clone, Default)]
struct Workspace {
    sides: [Option<Side>; 2],
    /// None if no triangle of a surface is near.
    pair: Option<Pair>,
}

impl WorkspaceData for Workspace {
    fn as_typed_workspace_data(&self) -> TypedWorkspaceData<'_> {
        TypedWorkspaceData::Custom
    }

    fn clone_dyn(&self) -> Box<dyn WorkspaceData> {
        Box::new(self.clone())
    }
}

impl ClearanceDispatcher {
    /// The side of a shape: the kept one if it is of that shape. True if it is another one.
    fn side(
        &self,
        kept: Option<Side>,
        shape: &dyn ParryShape,
        other: &dyn ParryShape,
        other_pose: &ParryPose,
        prediction: f64,
    ) -> Option<(Side, bool)> {
        if has_patches(shape) {
            let kept = kept.and_then(|side| if let Side::Patch(patch) = side { Some(patch) } else { None });
            let needed = other.compute_aabb(other_pose).loosened(prediction.max(0.0));
            let (patch, is_new) = Patch::update(kept, shape, &needed);
            return Some((Side::Patch(patch), is_new));
        }
        match kept {
            Some(Side::Whole(converted)) if converted.is_of(shape) => Some((Side::Whole(converted), false)),
            _ => Some((Side::Whole(self.converted(shape)?), true)),
        }
    }

    /// Brings a workspace up to date. None, and an empty one, if a shape cannot be represented.
    fn update(
        &self,
        workspace: &mut Workspace,
        pos12: &ParryPose,
        [g1, g2]: [&dyn ParryShape; 2],
        prediction: f64,
    ) -> Option<()> {
        let Workspace { sides: [kept1, kept2], pair } = std::mem::take(workspace);
        let (side1, is_new1) = self.side(kept1, g1, g2, pos12, prediction)?;
        // Only a patch of the second shape needs the first one in its frame.
        let pos21 = if has_patches(g2) { pos12.inverse() } else { ParryPose::IDENTITY };
        let (side2, is_new2) = self.side(kept2, g2, g1, &pos21, prediction)?;
        workspace.pair =
            if is_new1 || is_new2 { side1.shape().zip(side2.shape()).map(|(a, b)| Pair::new(a, b)) } else { pair };
        workspace.sides = [Some(side1), Some(side2)];
        Some(())
    }
}

/// The manifolds of two shapes, of which those count whose deepest point is within the prediction.
///
/// They have points beyond it, up to the radius of the smaller shape. parry's manifolds have such points too, and rapier selects those that its bodies come to within a step. Without them the raised
/// side of a coin that lands on its edge would swing through the floor. Meshes have only near ones: their rules against contacts with what is beside a triangle depend on the margin.
fn manifolds_of<'p>(
    pair: &'p mut Pair,
    shapes: [Option<&Shape>; 2],
    pose_b: Pose,
    prediction: f64,
    has_parts: bool,
) -> &'p [Manifold] {
    if !has_parts && pair.within(Pose::IDENTITY, pose_b, prediction).is_none() {
        return &[];
    }
    let has_mesh = shapes.iter().flatten().any(|shape| shape.as_mesh().is_some());
    let reach = shapes.into_iter().flatten().map(Shape::bounding_radius).fold(f64::INFINITY, f64::min);
    pair.manifolds(Pose::IDENTITY, pose_b, if has_mesh { prediction } else { prediction.max(0.0) + reach })
}

/// Does a manifold count?
fn is_near(manifold: &Manifold, prediction: f64) -> bool {
    manifold.deepest().is_some_and(|point| point.distance <= prediction)
}

impl Workspace {
    /// Writes the contacts into the manifolds of the caller.
    fn contacts<M: Default, C: Default + Copy>(
        &mut self,
        pose_b: Pose,
        prediction: f64,
        manifolds: &mut Vec<ContactManifold<M, C>>,
    ) {
        let Self { sides: [Some(side1), Some(side2)], pair } = self else { return };
        let sides = [&*side1, &*side2];
        let has_parts = sides.iter().any(|side| side.has_parts());
        let shapes = sides.map(Side::shape);
        let list = pair.as_mut().map_or(&[][..], |pair| manifolds_of(pair, shapes, pose_b, prediction, has_parts));
        let is_near = |found: &&Manifold| is_near(found, prediction);
        let name = |side: usize, feature: PackedFeatureId| match sides[side] {
            Side::Whole(_) => feature,
            Side::Patch(patch) => patch.name(feature),
        };
        if !has_parts {
            manifolds.truncate(1);
            if manifolds.is_empty() {
                manifolds.push(ContactManifold::default());
            }
            match list.iter().find(is_near) {
                Some(found) => Found::new(found, &pose_b, [0; 2], name).store(&mut manifolds[0], None),
                None => manifolds[0].points.clear(),
            }
            return;
        }
        let subshapes = |manifold: &Manifold| [sides[0].subshape(manifold, 0), sides[1].subshape(manifold, 1)];
        let found =
            list.iter().filter(is_near).map(|found| Found::new(found, &pose_b, subshapes(found), name)).collect();
        let is_kept = |[one, other]: [u32; 2]| sides[0].is_near(one) && sides[1].is_near(other);
        store_all(found, manifolds, prediction, is_kept);
    }
}

impl<M, C> PersistentQueryDispatcher<M, C> for ClearanceDispatcher
where
    M: Default + Clone + Send + Sync,
    C: Default + Copy + Send + Sync,
{
    fn contact_manifolds(
        &self,
        pos12: &ParryPose,
        g1: &dyn ParryShape,
        g2: &dyn ParryShape,
        prediction: f64,
        manifolds: &mut Vec<ContactManifold<M, C>>,
        workspace: &mut Option<ContactManifoldsWorkspace>,
    ) -> Result<(), Unsupported> {
        let pose_b = pose(pos12).ok_or(Unsupported)?;
        if let Some(own) = workspace.as_mut().and_then(|kept| kept.0.downcast_mut::<Workspace>()) {
            self.update(own, pos12, [g1, g2], prediction).ok_or(Unsupported)?;
            own.contacts(pose_b, prediction, manifolds);
        } else {
            let mut own = Workspace::default();
            self.update(&mut own, pos12, [g1, g2], prediction).ok_or(Unsupported)?;
            own.contacts(pose_b, prediction, manifolds);
            *workspace = Some(own.into());
        }
        Ok(())
    }

    fn contact_manifold_convex_convex(
        &self,
        pos12: &ParryPose,
        g1: &dyn ParryShape,
        g2: &dyn ParryShape,
        normal_constraints1: Option<&dyn NormalConstraints>,
        normal_constraints2: Option<&dyn NormalConstraints>,
        prediction: f64,
        manifold: &mut ContactManifold<M, C>,
    ) -> Result<(), Unsupported> {
        // Normals of others' making are not those that brackets are proved along.
        if normal_constraints1.is_some() || normal_constraints2.is_some() {
            return Err(Unsupported);
        }
        let posed = self.pair(pos12, g1, g2)?;
        let mut pair = Pair::new(&posed.a, &posed.b);
        let list = manifolds_of(&mut pair, [Some(&posed.a), Some(&posed.b)], posed.pose_b, prediction, false);
        match list.iter().find(|found| is_near(found, prediction)) {
            Some(found) => Found::new(found, &posed.pose_b, [0; 2], |_, name| name).store(manifold, None),
            None => manifold.points.clear(),
        }
        Ok(())
    }
}
