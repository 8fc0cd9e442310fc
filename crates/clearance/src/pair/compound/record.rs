//! What a search over pairs of parts says while it runs, to whoever wants to know: `()` does not, and costs nothing.

use glam::DVec3;

/// Somebody who follows a search. What comes describes, in preorder, how all pairs of bounded parts were divided and what settled them.
pub(crate) trait Record {
    /// Is anything done with what is told?
    const IS_WANTED: bool = true;

    /// What was told so far is void: the search begins anew, with B moved by a vector of the world.
    fn restart(&mut self, translation: DVec3);

    /// The parts of A (0) or B (1) are divided at a place of their order; those before it come first, or those after it.
    fn split(&mut self, side: usize, at: u32, is_right_first: bool);

    /// Two sets of parts are settled by a direction of the world.
    fn settled(&mut self, direction: DVec3);

    /// Two parts were asked about, or had been before, and this is the normal of the answer.
    fn asked(&mut self, parts: [u32; 2], normal: DVec3);
}

impl<R: Record> Record for &mut R {
    const IS_WANTED: bool = R::IS_WANTED;

    fn restart(&mut self, translation: DVec3) {
        (**self).restart(translation);
    }

    fn split(&mut self, side: usize, at: u32, is_right_first: bool) {
        (**self).split(side, at, is_right_first);
    }

    fn settled(&mut self, direction: DVec3) {
        (**self).settled(direction);
    }

    fn asked(&mut self, parts: [u32; 2], normal: DVec3) {
        (**self).asked(parts, normal);
    }
}

impl Record for () {
    const IS_WANTED: bool = false;

    fn restart(&mut self, _: DVec3) {}
    fn split(&mut self, _: usize, _: u32, _: bool) {}
    fn settled(&mut self, _: DVec3) {}
    fn asked(&mut self, _: [u32; 2], _: DVec3) {}
}
