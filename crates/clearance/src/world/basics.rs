//! The three methods that every user of a world calls.

use super::{Body, BodyId, Config, Update, World};
use crate::math::Pose;
use crate::shape::Shape;

impl World {
    /// A world without bodies.
    #[must_use]
    pub fn new(config: Config) -> Self {
        Self::with_broad_phase(config, config.broad.build())
    }

    /// Puts a moving body into the world. It takes part from the next update on.
    pub fn insert(&mut self, shape: Shape, pose: Pose) -> BodyId {
        self.insert_body(Body::new(shape, pose))
    }

    /// Updates boxes, pairs and answers. Pairs of which neither body has changed cost nothing. An update allocates only when pairs come or go.
    #[doc(alias = "step")]
    pub fn update(&mut self) -> Update<'_> {
        self.run(None)
    }
}
