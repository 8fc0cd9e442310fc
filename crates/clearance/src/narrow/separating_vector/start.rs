//! The start of a search for closest points after a search for a separating vector has failed (paper \[QC\], section 5.5).

/// Vertices to start from: pairs of numbers in A and B, up to four. Numbers of other shapes cost time, not correctness.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct Start {
    ids: [[u32; 2]; 4],
    count: u8,
}

impl Start {
    /// The first four of some pairs of vertices.
    #[must_use]
    pub fn from_vertices(ids: &[[u32; 2]]) -> Self {
        let mut start = Self { ids: [[0; 2]; 4], count: ids.len().min(4) as u8 };
        for (place, id) in start.ids.iter_mut().zip(ids) {
            *place = *id;
        }
        start
    }

    /// One more pair, in the place of the first if there are four; not one that is there already.
    pub fn push(&mut self, ids: [u32; 2]) {
        if self.vertices().contains(&ids) {
            return;
        }
        if self.count == 4 {
            self.ids.rotate_left(1);
            self.count = 3;
        }
        self.ids[usize::from(self.count)] = ids;
        self.count += 1;
    }

    /// The pairs of vertices.
    #[must_use]
    pub fn vertices(&self) -> &[[u32; 2]] {
        &self.ids[..usize::from(self.count)]
    }
}
