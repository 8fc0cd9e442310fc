//! The bodies of a scene query.

use super::{Body, BodyId, CollisionLayers};

/// The bodies that a scene query includes: all of them, less those that a rule of the filter excludes.
///
/// The rules of rapier's `QueryFilter`, with layers for its groups, and [groups](Body::group) of bodies beside them:
///
/// ```
/// use clearance::world::{Body, CollisionLayers};
/// use clearance::{Pose, QueryFilter, Ray, Shape, World};
///
/// const GLASS: u32 = 2;
/// let mut world = World::default();
/// let pane = |x: f64| Shape::cuboid([0.1, 1.0, 1.0]).map(|shape| Body::new(shape, Pose::from_translation([x, 0.0, 0.0])));
/// let window = world.insert_body(pane(2.0)?.layers(CollisionLayers::new(GLASS, u32::MAX)));
/// let [door, wall] = [world.insert_body(pane(4.0)?), world.insert_body(pane(6.0)?.fixed())];
/// let ray = Ray::new([0.0; 3], [1.0, 0.0, 0.0], 100.0)?;
/// let first = |filter: QueryFilter<'_>| world.cast_ray(&ray, filter).map(|(id, _)| id);
/// assert_eq!(first(QueryFilter::ALL), Some(window));
/// assert_eq!(first(QueryFilter::ALL.layers(CollisionLayers::new(u32::MAX, !GLASS))), Some(door));
/// assert_eq!(first(QueryFilter::ALL.exclude(&[window, door])), Some(wall));
/// assert_eq!(first(QueryFilter::ALL.only_fixed()), Some(wall));
/// assert_eq!(first(QueryFilter::ALL.predicate(&|id, body| id != window && !body.is_fixed)), Some(door));
/// # Ok::<(), clearance::BuildError>(())
/// ```
#[doc(alias = "collision_mask")]
#[derive(Clone, Copy)]
pub struct QueryFilter<'a> {
    layers: Option<CollisionLayers>,
    group: Option<u32>,
    /// `None` for bodies that are fixed and others.
    is_fixed: Option<bool>,
    excluded: &'a [BodyId],
    predicate: Option<&'a Predicate<'a>>,
}

/// A user-defined rule of a [`QueryFilter`]: does the query see this body?
pub type Predicate<'a> = dyn Fn(BodyId, &Body) -> bool + Sync + 'a;

impl<'a> QueryFilter<'a> {
    /// All bodies, also those whose [layers](CollisionLayers) are checked against nothing.
    pub const ALL: Self = Self { layers: None, group: None, is_fixed: None, excluded: &[], predicate: None };

    /// Only bodies that would be [checked](CollisionLayers::check) against a body with these layers.
    #[must_use]
    pub const fn layers(self, layers: CollisionLayers) -> Self {
        Self { layers: Some(layers), ..self }
    }

    /// Not the bodies of this [group](Body::group).
    #[must_use]
    pub const fn exclude_group(self, group: u32) -> Self {
        Self { group: Some(group), ..self }
    }

    /// Not these bodies. Each body is looked up in the list, which should be short; a [predicate](Self::predicate) can use a set.
    #[must_use]
    pub const fn exclude(self, bodies: &'a [BodyId]) -> Self {
        Self { excluded: bodies, ..self }
    }

    /// Not the bodies that are [fixed](Body::is_fixed).
    #[must_use]
    pub const fn exclude_fixed(self) -> Self {
        Self { is_fixed: Some(false), ..self }
    }

    /// Only the bodies that are [fixed](Body::is_fixed).
    #[must_use]
    pub const fn only_fixed(self) -> Self {
        Self { is_fixed: Some(true), ..self }
    }

    /// Only bodies that this function accepts. It is called last, for bodies whose boxes the query meets.
    #[must_use]
    pub const fn predicate(self, predicate: &'a Predicate<'a>) -> Self {
        Self { predicate: Some(predicate), ..self }
    }

    /// Does a query with this filter see a body?
    #[must_use]
    pub fn accepts(&self, id: BodyId, body: &Body) -> bool {
        self.layers.is_none_or(|layers| layers.check(body.layers))
            && (self.group.is_none() || body.group != self.group)
            && self.is_fixed.is_none_or(|is_fixed| body.is_fixed == is_fixed)
            && !self.excluded.contains(&id)
            && self.predicate.is_none_or(|predicate| predicate(id, body))
    }
}

impl Default for QueryFilter<'_> {
    fn default() -> Self {
        Self::ALL
    }
}

impl std::fmt::Debug for QueryFilter<'_> {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        let Self { layers, group, is_fixed, excluded, predicate } = self;
        let predicate = predicate.map(|_| "a function");
        let mut fields = f.debug_struct("QueryFilter");
        fields.field("layers", layers).field("group", group).field("is_fixed", is_fixed);
        fields.field("excluded", excluded).field("predicate", &predicate).finish()
    }
}
