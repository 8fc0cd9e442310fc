//! Algorithm 9 of the V-Clip paper: operations and time per call as coherence falls.

use crate::motion::{TRACK, Track};
use crate::{Rng, models};
use clearance::hull::convex_hull;
use clearance::math::{DVec3, Frame};
use clearance::narrow::gjk;
use clearance::narrow::vclip::{self, Counts};
use clearance::{Engine, Pair, Pose, Shape};
use std::hint::black_box;
use std::time::Instant;

/// The four shapes of the paper.
#[must_use]
pub fn shapes() -> [(&'static str, Vec<DVec3>); 4] {
    [
        ("cube", models::cube()),
        ("icosahedron", models::icosahedron()),
        ("disk", models::disk()),
        ("sphere of 642", models::geodesic_sphere(3)),
    ]
}

/// How much is run.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Size {
    /// Tracks for each shape and angle: ten in the paper.
    pub runs: usize,
    /// Calls in each track: a thousand in the paper.
    pub calls: usize,
}

impl Size {
    /// As in the paper.
    pub const FULL: Self = Self { runs: 10, calls: TRACK };
    /// Shows that everything runs.
    pub const QUICK: Self = Self { runs: 2, calls: 200 };
}

/// One shape at one angle per call; averages are per call.
#[derive(Debug, Clone)]
pub struct Row {
    /// The shape.
    pub shape: &'static str,
    /// Degrees per call.
    pub degrees: f64,
    /// How many calls.
    pub calls: usize,
    /// What V-Clip did, all calls together.
    pub counts: Counts,
    /// Times V-Clip had to be rescued.
    pub rescues: u32,
    /// Rounds and support points of warm GJK, all calls together.
    pub gjk: [u64; 2],
    /// The largest disagreement of the two, in circumradii.
    pub difference: f64,
    /// Nanoseconds per call through a `Pair`: V-Clip, warm GJK.
    pub nanoseconds: [f64; 2],
}

/// Runs one row.
#[must_use]
pub fn run(shape: &'static str, points: &[DVec3], degrees: f64, size: Size) -> Row {
    let reach = models::reach(points);
    let mut rng = Rng::with_seed(1997);
    let tracks: Vec<Vec<Pose>> =
        (0..size.runs).map(|_| Track::new(&mut rng, reach, degrees).take(size.calls).collect()).collect();
    let body = convex_hull(points).expect("a model has points");
    let calls = size.runs * size.calls;
    let mut row = Row {
        shape,
        degrees,
        calls,
        counts: Counts::default(),
        rescues: 0,
        gjk: [0; 2],
        difference: 0.0,
        nanoseconds: [0.0; 2],
    };
    for track in &tracks {
        let (mut cache, mut other) = (vclip::Cache::default(), gjk::Cache::default());
        for pose in track {
            let frame = Frame::from(*pose);
            let found = vclip::distance_counted(&body, &body, &frame, &mut cache, &mut row.counts);
            let check = gjk::distance(&body, &body, &frame, &mut other);
            row.rescues += found.cost.rescues;
            row.gjk[0] += u64::from(check.cost.iterations);
            row.gjk[1] += u64::from(check.cost.support_calls);
            row.difference = row.difference.max((found.distance - check.distance).abs() / reach);
        }
    }
    let shape = Shape::hull(points).expect("a model has points");
    for (engine, nanoseconds) in [Engine::VClip, Engine::Gjk].into_iter().zip(&mut row.nanoseconds) {
        *nanoseconds = (0..3).map(|_| time(&shape, engine, &tracks)).fold(f64::INFINITY, f64::min) / calls as f64;
    }
    row
}

fn time(shape: &Shape, engine: Engine, tracks: &[Vec<Pose>]) -> f64 {
    let start = Instant::now();
    for track in tracks {
        let mut pair = Pair::new(shape, shape).engine(engine);
        for &pose in track {
            black_box(pair.distance(Pose::IDENTITY, pose));
        }
    }
    start.elapsed().as_secs_f64() * 1e9
}

/// The table, as text.
#[must_use]
pub fn table(rows: &[Row]) -> String {
    let mut text = String::from(
        "Algorithm 9: averages per call. V-Clip: feature pairs, plane tests, dot products, support calls, floating-point\n\
         operations, time; warm GJK: rounds, support calls, time; how far apart their answers are, in circumradii.\n\n\
         shape          degrees   pairs  planes    dots  supports    flops    ns |  rounds supports     ns | difference rescues\n",
    );
    for row in rows {
        let each = |count: u64| count as f64 / row.calls as f64;
        let Counts { dot_products, plane_tests, feature_steps, support_calls, flops } = row.counts;
        text += &format!(
            "{:<14} {:>7} {:>7.2} {:>7.1} {:>7.1} {:>9.3} {:>8.1} {:>5.0} | {:>7.2} {:>8.2} {:>6.0} | {:>10.1e} {:>7}\n",
            row.shape,
            row.degrees,
            each(feature_steps),
            each(plane_tests),
            each(dot_products),
            each(support_calls),
            each(flops),
            row.nanoseconds[0],
            each(row.gjk[0]),
            each(row.gjk[1]),
            row.nanoseconds[1],
            row.difference,
            row.rescues,
        );
    }
    text
}
