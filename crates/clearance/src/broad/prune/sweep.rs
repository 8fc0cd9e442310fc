//! One column: its members in the order in which they begin, and the pairs of them that overlap.
//!
//! How many members begin before another one ends is not to be foretold, and a wrong guess costs a processor more than a few
//! comparisons. So every member is compared with the eight that begin next, without a branch; the results are tested afterwards.

use super::columns::begin;
use crate::broad::rough::Rough;
use wide::{f32x4, f32x8};

/// Members that one member is compared with at once. Layout: lanes of `f32x8`.
const LANES: usize = 8;

/// Members that are gathered together. Layout: lanes of `f32x4`, half of [`LANES`].
const GROUP: usize = 4;

/// Set if the last of the compared members begins before the member ends: more may follow. Layout: the bit above those of the lanes.
const MORE: u16 = 1 << LANES;

/// The members of the column at work, coordinate by coordinate. The first is the one along which they are sorted.
#[derive(Debug, Clone, Default)]
pub struct ColumnSweep {
    min: [Vec<f32>; 3],
    max: [Vec<f32>; 3],
    /// By member: which of the next ones overlap it, and [`MORE`].
    hits: Vec<u16>,
}

impl ColumnSweep {
    /// Fetches the members of a column, and sorts their slots by where they begin.
    #[inline(always)]
    pub fn gather(&mut self, slots: &mut [u32], entries: &[Rough]) {
        let begins = &mut self.min[0];
        begins.clear();
        begins.extend(slots.iter().map(|&slot| begin(&entries[slot as usize])));
        sort(begins, slots, entries);
        // Behind the last there are some that begin nowhere, so that there are always enough to compare with.
        let length = slots.len().next_multiple_of(GROUP) + LANES;
        begins.resize(length, f32::INFINITY);
        let [_, y0, z0] = &mut self.min;
        let [x1, y1, z1] = &mut self.max;
        let [y0, z0, x1, y1, z1] = [y0, z0, x1, y1, z1].map(|lane| {
            lane.resize(length, 0.0);
            lane.as_chunks_mut::<GROUP>().0
        });
        let low = y0.iter_mut().zip(z0);
        let high = x1.iter_mut().zip(y1).zip(z1);
        for ((slots, (y0, z0)), ((x1, y1), z1)) in slots.chunks(GROUP).zip(low).zip(high) {
            let member = |lane: usize| &entries[slots[lane.min(slots.len() - 1)] as usize];
            let members = [member(0), member(1), member(2), member(3)];
            let [_, y, z, _] = f32x4::transpose(members.map(|member| member.min));
            (*y0, *z0) = (y.to_array(), z.to_array());
            let [x, y, z, _] = f32x4::transpose(members.map(|member| member.max));
            (*x1, *y1, *z1) = (x.to_array(), y.to_array(), z.to_array());
        }
    }

    /// Visits the pairs of members that overlap in single precision.
    #[inline(always)]
    pub fn each_pair(&mut self, slots: &[u32], mut visit: impl FnMut(u32, u32)) {
        self.compare(slots.len());
        let [x0, y0, z0] = self.min.each_ref().map(|lane| &lane[..slots.len()]);
        let [x1, y1, z1] = self.max.each_ref().map(|lane| &lane[..slots.len()]);
        for (i, (&slot, &found)) in slots.iter().zip(&self.hits).enumerate() {
            if found == 0 {
                continue;
            }
            let mut hits = found & (MORE - 1);
            while hits != 0 {
                visit(slot, slots[i + 1 + hits.trailing_zeros() as usize]);
                hits &= hits - 1;
            }
            if found & MORE != 0 {
                for j in (i + 1 + LANES..slots.len()).take_while(|&j| x0[j] <= x1[i]) {
                    if (y0[j] <= y1[i]) & (y0[i] <= y1[j]) & (z0[j] <= z1[i]) & (z0[i] <= z1[j]) {
                        visit(slot, slots[j]);
                    }
                }
            }
        }
    }

    /// Compares each of `count` members with those that begin next.
    #[inline(always)]
    fn compare(&mut self, members: usize) {
        let Self { min: [x0, y0, z0], max: [x1, y1, z1], hits } = self;
        let begins = x1.iter().zip(next(x0));
        let across_y = y0.iter().zip(&*y1).zip(next(y0).zip(next(y1)));
        let across_z = z0.iter().zip(&*z1).zip(next(z0).zip(next(z1)));
        hits.clear();
        hits.extend(begins.zip(across_y.zip(across_z)).take(members).map(|((&end, begins), (across_y, across_z))| {
            let before = begins.simd_le(f32x8::splat(end));
            let meets = |((&low, &high), (lows, highs)): ((&f32, &f32), (f32x8, f32x8))| {
                lows.simd_le(f32x8::splat(high)) & highs.simd_ge(f32x8::splat(low))
            };
            let hits = (before & meets(across_y) & meets(across_z)).to_bitmask();
            hits as u16 | (before.to_bitmask() << 1) as u16 & MORE
        }));
    }
}

/// For each number the vector of those that come next.
#[inline(always)]
fn next(lane: &[f32]) -> impl Iterator<Item = f32x8> {
    // Every window has as many numbers as there are lanes.
    lane.windows(LANES).skip(1).map(|window| f32x8::new(window.try_into().unwrap_or_default()))
}

/// Sorts slots by where their entries begin: by insertion, since they were sorted not long ago, unless that takes long.
#[inline(always)]
fn sort(begins: &mut [f32], slots: &mut [u32], entries: &[Rough]) {
    let mut patience = 16 + 8 * slots.len();
    let mut last = f32::NEG_INFINITY;
    for next in 0..slots.len().min(begins.len()) {
        let key = begins[next];
        if key >= last {
            last = key;
            continue;
        }
        let slot = slots[next];
        let mut place = next;
        while place > 0 && begins[place - 1] > key {
            (begins[place], slots[place]) = (begins[place - 1], slots[place - 1]);
            place -= 1;
        }
        (begins[place], slots[place]) = (key, slot);
        patience = patience.saturating_sub(next - place);
        if patience == 0 {
            let begin = |slot: &u32| begin(&entries[*slot as usize]);
            slots.sort_unstable_by(|a, b| begin(a).total_cmp(&begin(b)));
            begins.iter_mut().zip(slots).for_each(|(value, slot)| *value = begin(slot));
            return;
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::math::Aabb;
    use glam::DVec3;

    /// Columns of every length, crowded and sparse, with equal, touching and flat boxes, in any order to begin with.
    #[test]
    fn a_sweep_finds_what_comparing_all_members_finds() {
        let mut rng = fastrand::Rng::with_seed(21);
        let mut sweep = ColumnSweep::default();
        for round in 0..3000 {
            let (count, long) = (round % 45, [1.0, 4.0, 40.0][round % 3]);
            let mut draw = |size: i32| f64::from(rng.i32(0..=size));
            let mut entries: Vec<Rough> = Vec::new();
            for _ in 0..count {
                let min = DVec3::new(draw(40), draw(3), draw(3));
                let max = min + DVec3::new(long * draw(1), draw(2), draw(1));
                entries.push(Rough::around(&Aabb { min, max }, 0.0));
            }
            let mut slots: Vec<u32> = (0..count as u32).collect();
            rng.shuffle(&mut slots);
            let mut expected = Vec::new();
            for i in 0..count {
                expected
                    .extend((i + 1..count).filter(|&j| entries[i].overlaps(&entries[j])).map(|j| [i as u32, j as u32]));
            }
            // Twice: the second time the slots are sorted already.
            for _ in 0..2 {
                let mut found = Vec::new();
                sweep.gather(&mut slots, &entries);
                sweep.each_pair(&slots, |i, j| found.push([i.min(j), i.max(j)]));
                found.sort_unstable();
                assert_eq!(found, expected, "round {round}");
                assert!(slots.is_sorted_by(|&i, &j| begin(&entries[i as usize]) <= begin(&entries[j as usize])));
            }
        }
    }
}
