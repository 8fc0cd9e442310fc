//! Figures 2 and 3 of the two-phase paper: a hierarchical hash table on a line, by its definitions.
//!
//! The figures show six boxes A to F. The text gives their resolutions, the pairs that are close, and the tiles that they share. We chose places
//! that fit all of that.

/// A box on a line.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Segment {
    /// Its label.
    pub label: char,
    /// Its ends.
    pub ends: [f64; 2],
}

/// The example: A, B and D at the finest of four resolutions, E at the third, F at the second, C at the first, as the text has it.
pub const EXAMPLE: [Segment; 6] = [
    Segment { label: 'A', ends: [0.3, 0.9] },
    Segment { label: 'B', ends: [2.2, 2.9] },
    Segment { label: 'C', ends: [9.0, 15.0] },
    Segment { label: 'D', ends: [10.2, 10.9] },
    Segment { label: 'E', ends: [8.3, 9.7] },
    Segment { label: 'F', ends: [4.5, 7.5] },
];

/// Tiles at resolutions whose lengths differ by a factor: beta / alpha, with beta = 1.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Ladder {
    /// beta / alpha.
    pub ratio: f64,
    /// The length of the finest tiles.
    pub finest: f64,
}

impl Ladder {
    /// The length of the tiles of a box: at least that of the box, and less than the ratio times that.
    #[must_use]
    pub fn tile(&self, segment: &Segment) -> f64 {
        let mut tile = self.finest;
        while tile < segment.ends[1] - segment.ends[0] {
            tile *= self.ratio;
        }
        tile
    }

    /// Definition 1: two boxes are close if they overlap a common tile at the coarser of their resolutions.
    #[must_use]
    pub fn close(&self, segments: &[Segment]) -> Vec<[char; 2]> {
        let mut found = Vec::new();
        for (index, a) in segments.iter().enumerate() {
            for b in &segments[index + 1..] {
                let tile = self.tile(a).max(self.tile(b));
                let [[a0, a1], [b0, b1]] = [a, b].map(|segment| segment.ends.map(|x| (x / tile).floor()));
                if a0 <= b1 && b0 <= a1 {
                    found.push([a.label, b.label]);
                }
            }
        }
        found
    }

    /// The labels in each tile, coarse tiles first: in those of a box's own resolution (figure 2), or in all tiles that it visits (figure 3).
    #[must_use]
    pub fn labels(&self, segments: &[Segment], in_all: bool) -> Vec<(f64, i64, String)> {
        let mut found: Vec<(f64, i64, String)> = Vec::new();
        let mut tiles: Vec<f64> = segments.iter().map(|segment| self.tile(segment)).collect();
        tiles.sort_by(|a, b| b.total_cmp(a));
        tiles.dedup();
        for tile in tiles {
            for segment in segments {
                let own = self.tile(segment);
                if own == tile || in_all && own < tile {
                    let [first, last] = segment.ends.map(|x| (x / tile).floor() as i64);
                    for number in first..=last {
                        match found.iter_mut().find(|(size, place, _)| *size == tile && *place == number) {
                            Some((_, _, labels)) => labels.push(segment.label),
                            None => found.push((tile, number, segment.label.into())),
                        }
                    }
                }
            }
        }
        found
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::two_phase::CoherentHash;
    use clearance::broad::BroadPhase;
    use clearance::math::{Aabb, DVec3};

    const LADDER: Ladder = Ladder { ratio: 2.0, finest: 1.0 };

    #[test]
    fn the_example_has_the_resolutions_and_close_pairs_of_the_text() {
        let tiles = EXAMPLE.map(|segment| LADDER.tile(&segment));
        assert_eq!(tiles, [1.0, 1.0, 8.0, 1.0, 2.0, 4.0]);
        assert_eq!(LADDER.close(&EXAMPLE), [['C', 'D'], ['C', 'E']]);
        // D and E have no tile in common at E's resolution, but have at the two coarser ones (2.2).
        let labels = LADDER.labels(&EXAMPLE, true);
        let both =
            |tile: f64| labels.iter().any(|(size, _, held)| *size == tile && held.contains('D') && held.contains('E'));
        assert_eq!([8.0, 4.0, 2.0].map(both), [true, true, false]);
    }

    #[test]
    fn the_example_has_the_labels_of_both_figures() {
        let shown = |in_all: bool| {
            let labels = LADDER.labels(&EXAMPLE, in_all);
            labels.iter().map(|(tile, number, held)| format!("{tile}:{number}:{held}")).collect::<Vec<_>>().join(" ")
        };
        assert_eq!(shown(false), "8:1:C 4:1:F 2:4:E 1:0:A 1:2:B 1:10:D");
        assert_eq!(shown(true), "8:0:ABF 8:1:CDE 4:0:AB 4:2:DE 4:1:F 2:0:A 2:1:B 2:5:D 2:4:E 1:0:A 1:2:B 1:10:D");
    }

    /// The library's tiles are four times as long from one resolution to the next: its close pairs are those of the same definition.
    #[test]
    fn the_product_calls_close_what_the_definition_does() {
        let mut rng = clearance_lab::Rng::with_seed(2);
        let ladder = Ladder { ratio: 4.0, finest: 2f64.powi(-20) };
        let mut close = 0;
        for _ in 0..300 {
            let segments: Vec<Segment> = ('A'..='L')
                .map(|label| {
                    let (start, length) = (20.0 * rng.f64(), 10f64.powf(2.0 * rng.f64() - 1.5));
                    Segment { label, ends: [start, start + length] }
                })
                .collect();
            let mut hash = CoherentHash::default();
            for (slot, segment) in (0..).zip(&segments) {
                let [min, max] = segment.ends.map(|x| DVec3::new(x, 0.0, 0.0));
                hash.set(slot, &Aabb { min, max });
            }
            hash.update();
            let label = |slot: u32| segments[slot as usize].label;
            let mut found: Vec<[char; 2]> =
                hash.finder().close_pairs().map(|pair| [label(pair.low()), label(pair.high())]).collect();
            found.sort_unstable();
            assert_eq!(found, ladder.close(&segments));
            close += found.len();
        }
        assert!(close > 300, "representative: {close}");
    }
}
