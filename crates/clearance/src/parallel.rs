//! Work on all cores, if the feature `parallel` is on; else the same work, in order, on the thread that asks.
//!
//! Each task writes to places of its own, so answers are the same bits either way.

#[cfg(feature = "parallel")]
pub(crate) use rayon::{current_num_threads, prelude};

/// There is one thread.
#[cfg(not(feature = "parallel"))]
pub(crate) const fn current_num_threads() -> usize {
    1
}

/// The names of `rayon::prelude` that are in use, for one thread: they give the iterators of the standard library.
#[cfg(not(feature = "parallel"))]
pub(crate) mod prelude {
    use std::slice::{Chunks, ChunksMut, Iter, IterMut};

    pub(crate) trait SerialSlice<T> {
        fn par_iter(&self) -> Iter<'_, T>;
        fn par_iter_mut(&mut self) -> IterMut<'_, T>;
        fn par_chunks(&self, size: usize) -> Chunks<'_, T>;
        fn par_chunks_mut(&mut self, size: usize) -> ChunksMut<'_, T>;
    }

    impl<T> SerialSlice<T> for [T] {
        fn par_iter(&self) -> Iter<'_, T> {
            self.iter()
        }

        fn par_iter_mut(&mut self) -> IterMut<'_, T> {
            self.iter_mut()
        }

        fn par_chunks(&self, size: usize) -> Chunks<'_, T> {
            self.chunks(size)
        }

        fn par_chunks_mut(&mut self, size: usize) -> ChunksMut<'_, T> {
            self.chunks_mut(size)
        }
    }
}
