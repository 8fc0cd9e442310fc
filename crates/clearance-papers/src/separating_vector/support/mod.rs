//! Support points of polytopes by other methods than the library's, which has a scan of all vertices for small polytopes and a table by direction
//! for large ones.
//!
//! The thresholds were measured with `cargo bench-support`: nanoseconds per call for random directions, in double and in single precision, on a
//! shared machine whose clock changes a figure by a third:
//!
//! | vertices | 8 | 16 | 32 | 64 | 500 | 5000 |
//! |---|---|---|---|---|---|---|
//! | scan | 5.0 / 3.1 | 8.2 / 7.2 | 20 / 12 | 56 | 307 | 3313 |
//! | table | 7.4 / 8.5 | 10 / 14 | 11 / 13 | 13 / 13 | 8.6 / 10 | 17 / 17 |
//! | hill climbing from a fixed start | 21 | 35 | 52 | 67 | 145 | 602 |
//! | hill climbing, direction turned by one degree | 5.6 | 12 | 12 | 7.4 | 8.7 | 15 |
//!
//! A search makes most of its calls in single precision, where a scan of 32 takes as long as a table that has to be fetched from memory first.
//!
//! For comparison there are also hill climbing ([`climb`]), the table of starts of paper \[QC\] ([`ThesisTable`]) and the hierarchy of Dobkin and
//! Kirkpatrick ([`Hierarchy`]). Only the last has a cost of O(log n) on every kind of hull. The second part of `cargo bench-support` measures them;
//! points of an ellipsoid / corners of a prism, random directions, the best of two runs on a busy machine:
//!
//! | vertices | 20 | 100 | 1000 | 10,000 | 100,000 |
//! |---|---|---|---|---|---|
//! | scan, ns | 15 | 64 | 624 | 6400 | 61,000 |
//! | table, ns | 7.8 / 7.8 | 8.0 / 8.3 | 8.6 / 19 | 11 / 71 | 62 / 750 |
//! | hierarchy, ns | 23 / 31 | 40 / 76 | 126 / 153 | 274 / 226 | 775 / 935 |
//! | thesis table, ns | 36 / 28 | 42 / 34 | 57 / 142 | 160 / 920 | 1500 / 17,000 |
//! | hierarchy, visited vertices | 16 / 16 | 26 / 25 | 41 / 41 | 53 / 54 | 67 / 68 |
//! | table, bytes per vertex | 251 / 255 | 68 / 84 | 58 / 214 | 52 / 528 | 35 / 504 |
//! | hierarchy, bytes per vertex | 46 / 47 | 56 / 57 | 58 / 59 | 58 / 59 | 59 / 59 |
//!
//! The rim of a prism gathers many vertices in few cells, so there the table grows with the number of corners, and from 50,000 to 100,000 of them
//! on the hierarchy takes as long or less. The engines use the table nevertheless: another kind of map would be a branch in every call of every
//! search.

mod climb;
mod hierarchy;
mod lat_long;
#[cfg(test)]
mod tests;

pub use clearance::internals::farthest::{DirectionTable, MAX_RESOLUTION, MAX_SCAN, Scan, resolution};
pub use climb::{Climb, climb, climb_counted};
pub use hierarchy::{COARSEST, CROWD, Extreme, Hierarchy, MAX_DEGREE};
pub use lat_long::ThesisTable;
