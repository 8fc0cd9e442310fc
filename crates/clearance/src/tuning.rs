//! Tuning constants of the library: numbers that change the work of a search or the width of a bracket, never the truth of an answer.
//!
//! Each constant has a unit and names the bench row that moved it. Numbers that a proof rests on are in [`math::rounding`](crate::math::rounding), or
//! beside the formula that they bound. `cargo xtask numbers` checks both.

/// Bounding volume hierarchies: build and traversal.
pub(crate) mod tree {
    /// Bins of the surface-area heuristic along an axis. Unit: bins. Bench: `cargo bench-meshes`.
    pub const BINS: usize = 16;
}

/// Mesh queries and the front that a pair keeps.
pub(crate) mod meshes {
    /// Steps of an intersection test that visited no leaves, before it dives to two for their normal. It dives again after as many steps as it has taken then. Unit: pairs of nodes. Bench:
    /// `cargo bench-meshes models`.
    pub const FIRST_DIVE: usize = 8;
    /// Steps after which a mesh against a shape goes on in the axes of both. Unit: traversal steps. Bench: `cargo bench-meshes`.
    pub const AROUND_STEPS: usize = 12;

    /// A search of fewer steps keeps no front. Unit: traversal steps. Bench: `cargo bench-meshes 300 motion`.
    pub const FRONT_STEPS: usize = 8;

    /// Front entries whose update costs as much as one traversal step. Unit: entries. Bench: `cargo bench-meshes 300 motion`.
    pub const ENTRIES_PER_STEP: usize = 64;

    /// Closest leaf pairs whose test costs as much as one traversal step. Unit: leaf pairs. Bench: `cargo bench-meshes 300 motion`.
    pub const CLOSE_PER_STEP: usize = 16;

    /// Changes of entries that cost as much as one traversal step. Unit: changes. Bench: `cargo bench-meshes 300 motion`.
    pub const CHANGES_PER_STEP: usize = 8;

    /// Cost of an entry that becomes active. Unit: changes. Bench: `cargo bench-meshes 300 motion`.
    pub const CHANGE_WOKEN: usize = 2;

    /// Cost of an entry that is bounded by its corners. Unit: changes. Bench: `cargo bench-meshes 300 motion`.
    pub const CHANGE_BY_CORNERS: usize = 4;

    /// A front is rebuilt when its excess steps reach this multiple of the search that built it. First activations cause most of the excess. Unit:
    /// searches. Bench: `cargo bench-meshes 300 motion`.
    pub const EXCESS: usize = 4;

    /// Calls without a front after one that did not pay, at most. Unit: calls. Bench: `cargo bench-meshes 300 motion`.
    pub const LONGEST_PAUSE: u8 = 64;

    /// An entry without a direction sleeps if its bound suffices for this many more calls. Unit: calls. Bench: `cargo bench-meshes 300 motion`.
    pub const CALLS_ASLEEP: f64 = 1.0;

    /// An entry with a direction sleeps if its bound suffices for this many more calls: it needs a new direction afterwards. Unit: calls. Bench:
    /// `cargo bench-meshes 300 motion`.
    pub const CALLS_LONG_ASLEEP: f64 = 32.0;

    /// A pair of leaves that was tested, without a direction found, sleeps if its bound suffices for this many more calls. Unit: calls. Bench: `cargo bench-meshes 300 motion`.
    pub const CALLS_OF_CLOSE: f64 = 1.0;

    /// A pair of leaves that was not tested sleeps if its bound suffices for this many more calls. Unit: calls. Bench: `cargo bench-meshes 300 motion`.
    pub const CALLS_OF_LEAVES: f64 = 8.0;

    /// Calls between two tests whether active entries may sleep. Unit: calls. Bench: `cargo bench-meshes 300 motion`.
    pub const CALLS_BETWEEN: usize = 8;

    /// Calls between two searches for a direction that separates the closest pairs. Unit: calls. Bench: `cargo bench-meshes 300 motion`.
    pub const CALLS_CLOSE: usize = 4;

    /// A pair is not among the closest if its bound suffices for this part of a call: the normal moves with the closest pair. Unit: calls. Bench:
    /// `cargo bench-meshes 300 motion`.
    pub const CALLS_NOT_CLOSE: f64 = 0.25;

    /// Heights that a cache keeps, a power of two. Unit: heights. Bench: `cargo bench-meshes`.
    pub const HEIGHT_SLOTS: usize = 256;

    /// Triangles of both meshes from which threads share the intersection. Unit: triangles. Bench: `cargo bench-meshes`.
    pub const MANY_TRIANGLES: usize = 4096;

    /// Pairs of subtrees that are divided among threads, independent of the number of threads. Unit: pairs. Bench: `cargo
    /// bench-meshes`.
    pub const SHARES: usize = 512;

    /// Pairs of subtrees that a thread takes at a time. Unit: pairs. Bench: `cargo bench-meshes`.
    pub const PAIRS_IN_A_SHARE: usize = 16;

    /// Sleeping entries that share a minimum. Unit: entries. Bench: `cargo bench-meshes 300 motion`.
    pub const BLOCK: usize = 32;

    /// Distance of a shape from which the mesh is not searched around it in single precision. Unit: extents of both. Bench: `cargo bench-meshes`.
    pub const FAR_SHAPE: f64 = 256.0;

    /// Distance of the middles from which boxes are compared along one vector: it misses the square of the sizes over the distance. Unit: extents of
    /// both. Bench: `cargo bench-meshes`.
    pub const FAR_MESH: f64 = 256.0;
}

/// Compounds.
pub(crate) mod compounds {}

/// Times of impact, shape casts and closest approaches.
pub(crate) mod motion {
    /// Distance queries of one search for two convex bodies, at most. Contacts take about ten; a gap below 1e-7 of the size through a whole turn takes
    /// more. Unit: queries. Bench: `bodies_that_are_close_for_too_many_turns_are_undecided`.
    pub(crate) const MAX_STEPS: u32 = 4096;

    /// The budget of a search among parts. Unit: [`MAX_STEPS`]. Bench: `honest_times_of_impact_of_parts_are_proved`.
    pub(crate) const PARTS_STEPS: u32 = 16;

    /// The budget of a search among parts grows by this for each part and triangle. Unit: queries. Bench: `honest_times_of_impact_of_parts_are_proved`.
    pub(crate) const STEPS_PER_PART: u32 = 16;

    /// Each piece of a motion may take at least this many queries. Unit: queries. Bench: `key_frames_are_segments_one_after_the_other`.
    pub(crate) const STEPS_PER_PIECE: u32 = 64;

    /// Attempts to shorten a step before the bodies count as touching. Unit: attempts. Bench: `cargo bench-impacts`.
    pub(crate) const STEP_TRIES: u32 = 40;

    /// Attempts that use the root of the chord; later ones halve the step. Unit: attempts. Bench: `cargo bench-impacts`.
    pub(crate) const CHORD_TRIES: u32 = 10;

    /// From this rotation in a step on, the bound by swept volumes may be the better one. Unit: radians. Bench: `cargo bench-impacts`.
    pub(crate) const LEAP: f64 = 0.05;

    /// Rings are tried if at least this rotation is left in the interval. Unit: radians. Bench: `cargo bench-impacts`.
    pub(crate) const MANY_RADIANS: f64 = 10.0;

    /// Bisection steps for the time until which a ring is clear. Unit: steps. Bench: `cargo bench-impacts`.
    pub(crate) const RING_ROUNDS: u32 = 32;

    /// After this many steps all bounds are tried, and rings again. Unit: queries. Bench: `cargo bench-impacts`.
    pub(crate) const MANY_STEPS: u32 = 24;

    /// A contact is certified by a shared point only if its bracket is at most this part of the interval that is left; else it is a graze. Unit: relative. Bench: `cargo bench-impacts`.
    pub(crate) const SOON: f64 = 1e-10;

    /// The overlap at the first attempt to certify it. Unit: roundings of the pair. Bench: `cargo bench-impacts`.
    pub(crate) const OVERLAP: f64 = 32.0;

    /// Growth of that overlap from attempt to attempt. Unit: factor. Bench: `cargo bench-impacts`.
    pub(crate) const OVERLAP_GROWTH: f64 = 6.0;

    /// Growth of the share of the ball behind a portal from attempt to attempt. Unit: factor. Bench: `cargo bench-impacts`.
    pub(crate) const PORTAL_GROWTH: f64 = 8.0;

    /// Attempts to certify an overlap: straight motion. Unit: attempts. Bench: `cargo bench-impacts`.
    pub(crate) const STRAIGHT_OVERLAP_TRIES: u32 = 2;

    /// Attempts to certify an overlap: capsules that a probe found close. Unit: attempts. Bench: `cargo bench-impacts`.
    pub(crate) const PROBE_OVERLAP_TRIES: u32 = 2;

    /// Attempts to certify an overlap: features of rotating polytopes. More are useless, since other features will meet. Unit: attempts. Bench: `cargo bench-impacts`.
    pub(crate) const FEATURE_OVERLAP_TRIES: u32 = 2;

    /// Attempts to certify an overlap: all other rotating bodies. Unit: attempts. Bench: `cargo bench-impacts`.
    pub(crate) const OVERLAP_TRIES: u32 = 4;

    /// Newton steps on the time of a prediction, at most. Unit: steps. Bench: `cargo bench-impacts`.
    pub(crate) const TIME_ROUNDS: u32 = 16;

    /// The gap that a prediction aims at. Unit: roundings of the pair. Bench: `cargo bench-impacts`.
    pub(crate) const AIM: f64 = 4.0;

    /// Below this the gap of a prediction is computed from heights, as in a proof. Unit: roundings of the pair. Bench: `cargo bench-impacts`.
    pub(crate) const HEIGHTS_WITHIN: f64 = 256.0;

    /// Waypoints that a prediction keeps; with more links, a distance query after the first one is as good. Unit: waypoints. Bench: `cargo bench-impacts`.
    pub(crate) const WAYPOINTS: usize = 6;

    /// No prediction with fewer queries left than this: it may use some of them. Unit: queries. Bench: `cargo bench-impacts`.
    pub(crate) const PREDICTION_STEPS: u32 = 8;

    /// Probes of the features of rotating polytopes, at most. Unit: queries. Bench: `cargo bench-impacts`.
    pub(crate) const FEATURE_PROBES: u32 = 6;

    /// The first probe of features is where this part of the gap along the line of centers is left. Unit: relative. Bench: `cargo bench-impacts`.
    pub(crate) const FEATURE_START: f64 = 0.25;

    /// Distance queries for straight polytopes without a portal, at most. Unit: queries. Bench: `cargo bench-impacts`.
    pub(crate) const DISTANCE_PROBES: usize = 4;

    /// Rounds of the search for the closest features of capsules, at most; two or three are usual. Unit: rounds. Bench: `cargo bench-impacts`.
    pub(crate) const CAPSULE_ROUNDS: u32 = 6;

    /// Support points until there is a portal, at most. Unit: points. Bench: `cargo bench-impacts`.
    pub(crate) const PORTAL_PROBES: u32 = 12;

    /// Support points to advance a portal, at most. Unit: points. Bench: `cargo bench-impacts`.
    pub(crate) const PORTAL_ROUNDS: u32 = 24;

    /// Advances of a portal in doubles, where single precision does not distinguish two faces. Unit: points. Bench: `cargo bench-impacts`.
    pub(crate) const PORTAL_EXACT_ROUNDS: u32 = 24;

    /// A portal of polytopes is final in single precision if no more of D is beyond it. Unit: size of the pair. Bench: `cargo bench-impacts`.
    pub(crate) const PORTAL_TOLERANCE: f32 = 1e-5;

    /// A portal of curved bodies is passed to Newton's method if no more of D is beyond it. Unit: size of the pair. Bench: `cargo bench-impacts`.
    pub(crate) const PORTAL_TOLERANCE_CURVED: f32 = 3e-3;

    /// Rounds of Newton's method on the normal of a portal; 4 or 5 are usual. Unit: rounds. Bench: `cargo bench-impacts`.
    pub(crate) const NEWTON_ROUNDS: u32 = 12;

    /// D may deviate from a plane by this between directions that count as adjacent. Unit: size of the pair. Bench: `cargo bench-impacts`.
    pub(crate) const NEWTON_FLATNESS: f64 = 1e-14;

    /// A line of the surface counts with one end only if its ends differ more in height. Unit: its length. Bench: `cargo bench-impacts`.
    pub(crate) const NEWTON_LINE_TILT: f64 = 0.01;

    /// A smaller change of the direction ends Newton's method. Unit: relative. Bench: `cargo bench-impacts`.
    pub(crate) const NEWTON_STEP: f64 = 1e-9;

    /// Discs are tried if the cosine of their normal and the direction is at least this. Unit: cosine. Bench: `cargo bench-impacts`.
    pub(crate) const DISC_COSINE: f64 = 0.98;

    /// Steps on the direction of curved bodies at the first moment, where it is only the line of centers. Unit: steps. Bench: `cargo bench-impacts`.
    pub(crate) const CURVED_FIRST_STEPS: u32 = 10;

    /// Steps on the direction of curved bodies at each later moment. Unit: steps. Bench: `cargo bench-impacts`.
    pub(crate) const CURVED_STEPS: u32 = 8;

    /// Distance of points from facing each other at which time is stepped, at the first moment. Unit: the gap. Bench: `cargo bench-impacts`.
    pub(crate) const CURVED_FIRST_TOLERANCE: f64 = 0.6;

    /// Distance of points from facing each other at which time is stepped, at later moments. Unit: the gap. Bench: `cargo bench-impacts`.
    pub(crate) const CURVED_TOLERANCE: f64 = 0.3;

    /// Distance of points that are to meet from facing each other. Unit: size of the pair. Bench: `cargo bench-impacts`.
    pub(crate) const CURVED_PRECISION: f64 = 2e-13;

    /// Extrapolation of a rotating direction, at most. Unit: radians. Bench: `cargo bench-impacts`.
    pub(crate) const CURVED_EXTRAPOLATION: f64 = 0.3;

    /// Attempts with the flat end of a body: one that is left again is not worth more. Unit: attempts. Bench: `cargo bench-impacts`.
    pub(crate) const CURVED_CAPS: u32 = 4;

    /// Slices of an interval in the search for a closest approach. Meshes and compounds, whose hulls and boxes are closer than their parts, may end with a
    /// wider bracket. Unit: slices. Bench: `turning_meshes_take_bounded_work`.
    pub(crate) const MAX_SLICES: usize = 128;

    /// Distance queries of all slices together. A wider bracket stays as it is then. Unit: queries. Bench: `turning_meshes_take_bounded_work`.
    pub(crate) const APPROACH_STEPS: u32 = 4 * MAX_STEPS;

    /// Polytopes with more vertices are bounded by heights across an axis, too. Unit: vertices. Bench: `cargo bench-impacts`.
    pub const RING_VERTICES: usize = 256;

    /// Rotation of a body in one motion segment of free flight. Unit: radians. Bench: `a_free_symmetric_top_precesses_as_the_closed_form_says`.
    pub const FREE_STEP: f64 = 0.01;
}

/// Penetration depth of solids.
pub(crate) mod depth {
    /// Violation of a half-space that a nearest point may have. Unit: size of the pair. Bench: `cargo bench-depth`.
    pub const TOLERANCE: f64 = 2e-14;
    /// Depth from which a point counts as inside a sum; above [`TOLERANCE`], or a node would be divided by the same facets again. Unit: size of the pair. Bench:
    /// `cargo bench-depth`.
    pub const INSIDE: f64 = 1e-13;
    /// Gaps that a free translation is given, in this order, until the oracle confirms it. Planes are moved in by about 1.3e-13, and a distance query resolves a gap
    /// of 6e-14. Unit: size of the pair. Bench: `cargo bench-depth`.
    pub const PUSH_OFF_GAPS: [f64; 3] = [3e-13, 1.2e-12, 1e-11];
    /// Longest displacement that gives a free translation such a gap. Unit: size of the pair. Bench: `cargo bench-depth`.
    pub const PUSH_OFF_RADIUS: f64 = 1e-9;
    /// Limits the places that the search for this displacement visits. Unit: places. Bench: `cargo bench-depth`.
    pub const PUSH_OFF_PLACES: usize = 200;
    /// Lengths added to a translation until it is proved free. Unit: size of the pair. Bench: `cargo bench-depth`.
    pub const NUDGES: [f64; 5] = [0.0, 2e-13, 1e-12, 1e-11, 1e-10];
    /// Limits the bisection of a ray between a place that is not free and one that is. Unit: distance queries. Bench: `cargo bench-depth`.
    pub const BISECTIONS: usize = 40;
    /// Width at which this bisection stops. Unit: size of the pair. Bench: `cargo bench-depth`.
    pub const BISECTION_WIDTH: f64 = 1e-12;
    /// Limits the conservative advancement of A along a straight escape. Unit: distance queries. Bench: `slow_a_cavity_is_free_for_any_and_not_outside`.
    pub const ESCAPE_STEPS: usize = 100;
    /// Stuck places from which a ray is bisected. Unit: places. Bench: `cargo bench-depth`.
    pub const STUCK_PLACES: usize = 8;
    /// Facet tests that the search by facets alone may spend before boxes, divided by the expected facets of a sum. Unit: facets. Bench: `cargo bench-depth`.
    pub const FACET_TESTS: f64 = 40_000.0;
    /// Least and most nodes of the search by facets alone; bars of grates need some hundred. Unit: nodes. Bench: `cargo bench-depth`.
    pub const FACET_NODES: [f64; 2] = [150.0, 1000.0];
    /// Sums that compete to divide a node; the one with the fewest children wins. Unit: sums. Bench: `cargo bench-depth`.
    pub const COMPETING_SUMS: usize = 2;
    /// Sums, by the margin of their boxes, among which a search for a sum around a point stops once it has one. Unit: sums. Bench: `cargo bench-depth`.
    pub const FIRST_SUMS: usize = 8;
    /// Nodes between two dives for an upper bound. Unit: nodes. Bench: `cargo bench-depth`.
    pub const DIVE_PERIOD: usize = 12;
    /// Limits the length of a dive. Unit: facets. Bench: `cargo bench-depth`.
    pub const DIVE_LENGTH: usize = 48;
    /// Open nodes above which the search by facets over all of space gives up for boxes. Unit: nodes. Bench: `cargo bench-depth`.
    pub const MAX_OPEN_NODES: usize = 400;
    /// Limits the rounds of the dual ascent. Unit: exchanges. Bench: `cargo bench-depth`.
    pub const ASCENT_ROUNDS: usize = 64;
    /// Facets of the sums that meet a box, up to which the box is searched by facets whatever its size. Doubled after a search that ended soon, halved
    /// after one that did not. Unit: facets. Bench: `cargo bench-depth`.
    pub const FEW_FACETS: f64 = 30_000.0;
    /// Limits the search by facets in a large box. Unit: nodes. Bench: `cargo bench-depth`.
    pub const LARGE_BOX_NODES: usize = 12;
    /// Limits the search by facets in a medium box. Unit: nodes. Bench: `cargo bench-depth`.
    pub const MEDIUM_BOX_NODES: usize = 64;
    /// Half-width below which a box is medium. Unit: upper bound of the depth. Bench: `cargo bench-depth`.
    pub const MEDIUM_BOX: f64 = 0.12;
    /// Half-width below which a box is small, and searched to the end: where many sums meet in a corner, halving does not end. Unit: upper bound of the
    /// depth. Bench: `cargo bench-depth`.
    pub const SMALL_BOX: f64 = 0.004;
    /// Sums around a box whose facets may prove its bound. Unit: sums. Bench: `cargo bench-depth`.
    pub const SUMS_AROUND_BOX: usize = 8;
    /// Limits the boxes around cavities that one search tries. Unit: boxes. Bench: `slow_a_cavity_is_free_for_any_and_not_outside`.
    pub const MAX_VOIDS: usize = 6;
    /// Limits the growth of such a box. Unit: rounds over its six sides. Bench: `slow_a_cavity_is_free_for_any_and_not_outside`.
    pub const VOID_GROWTHS: usize = 60;
    /// Limits the search for a gap in one side. Unit: nodes. Bench: `slow_a_cavity_is_free_for_any_and_not_outside`.
    pub const VOID_SIDE_NODES: usize = 120;
    /// Reflections of the vector that separates a point from a sum before its facets are built. Unit: support pairs. Bench: `cargo bench-depth`.
    pub const REFLECTIONS: usize = 8;
    /// Grid steps from the middle to the border of a cube face, whose points are the directions of an inscribed polytope. Unit: steps. Bench: `cargo bench-depth`.
    pub const INSCRIBED_STEPS: i32 = 4;

    /// The search by witness hulls.
    pub(crate) mod witness {
        /// Work of a free test. Unit: looks. Bench: `cargo bench-depth`.
        pub const FREE_WORK: usize = 20;
        /// Work of a list of near triangles. Unit: looks. Bench: `cargo bench-depth`.
        pub const PAIRS_WORK: usize = 10;
        /// Work of the tests of two hulls. Unit: looks. Bench: `cargo bench-depth`.
        pub const HULL_WORK: usize = 4;
        /// Samples whose ratings take as long as a look. Unit: samples. Bench: `cargo bench-depth`.
        pub const RATINGS_PER_LOOK: usize = 32;
        /// Free tests of a slide toward the origin. Unit: tests. Bench: `cargo bench-depth`.
        pub const SLIDES: usize = 6;
        /// The most half-spaces of a round of a descent. Unit: half-spaces. Bench: `cargo bench-depth`.
        pub const NEAR_PAIRS: usize = 200;
        /// The most pairs of triangles that a list of near pairs, or of crossing ones, compares. Unit: pairs. Bench: `cargo bench-depth`.
        pub const VISITED_PAIRS: usize = 1500;
        /// Pairs of triangles that are compared in the time of a look. Unit: pairs. Bench: `cargo bench-depth`.
        pub const PAIRS_PER_LOOK: usize = 10;
        /// The most crossing pairs of triangles from which seeds are chosen. Unit: pairs. Bench: `cargo bench-depth`.
        pub const CROSSINGS: usize = 200;
        /// Each time after this number of levels crossings are seeds, even where a sample leads into both bodies. Unit: levels. Bench: `cargo bench-depth`.
        pub const CROSSING_LEVELS: u32 = 3;
        /// Depth of a climb from which its end is remembered by the cell. Unit: size of the pair. Bench: `cargo bench-depth`.
        pub const LEAST_HINT: f64 = 1e-7;
        /// Level from which every fourth one is tested for a free place just beyond the inner plane. Unit: levels. Bench: `cargo bench-depth`.
        pub const DEEP_LEVEL: u32 = 16;
        /// First trust radius of a descent. Unit: length of the first translation. Bench: `cargo bench-depth`.
        pub const FIRST_TRUST: f64 = 0.02;
        /// Rounds of the first descents. Unit: rounds. Bench: `cargo bench-depth`.
        pub const FIRST_ROUNDS: usize = 10;
        /// Gap that a descent leaves between triangles. Unit: size of the pair. Bench: `cargo bench-depth`.
        pub const DESCENT_GAP: f64 = 1e-12;
        /// Rounds of a descent. Unit: rounds. Bench: `cargo bench-depth`.
        pub const DESCENT_ROUNDS: usize = 20;
        /// Separations by direction from which the first descents start. Unit: directions. Bench: `cargo bench-depth`.
        pub const FIRST_DIRECTIONS: usize = 4;
        /// Largest share of the work for the upper bound, once the search runs. Unit: looks of the search for certificates. Bench: `cargo bench-depth`.
        pub const UPPER_SHARE: f64 = 0.4;
        /// Share of the work for the upper bound below which a place beside the best one is tried. Unit: looks of the search for certificates. Bench: `cargo
        /// bench-depth`.
        pub const DISTURBED_SHARE: f64 = 0.15;
        /// How far such a place is from the best one. Unit: upper bound. Bench: `cargo bench-depth`.
        pub const DISTURBANCES: [f64; 3] = [0.3, 0.1, 0.03];
        /// The first width of the bracket that the search aims at; each next one is a tenth. Unit: upper bound. Bench: `cargo bench-depth`.
        pub const FIRST_PART: f64 = 0.1;
        /// The narrowest bracket that it aims at. Unit: upper bound. Bench: `cargo bench-depth`.
        pub const NARROWEST: f64 = 1e-9;
        /// A search that has no certificate by then is given up. Unit: nodes. Bench: `cargo bench-depth`.
        pub const NODES_WITHOUT_CERTIFICATE: usize = 100;
        /// Looks of a climb at the middle of a frustum. Unit: looks. Bench: `cargo bench-depth`.
        pub const MIDDLE_LOOKS: usize = 8;
        /// Looks of a climb at a corner. Unit: looks. Bench: `cargo bench-depth`.
        pub const CORNER_LOOKS: usize = 4;
        /// First step of a climb. Unit: steps of the grid. Bench: `cargo bench-depth`.
        pub const REACH: f64 = 1.0;
        /// Gain of a look below which a climb ends. Unit: value of the model. Bench: `cargo bench-depth`.
        pub const LEAST_GAIN: f64 = 0.03;
        /// Depth below which gains are measured in this. Unit: size of the pair. Bench: `cargo bench-depth`.
        pub const LEAST_DEPTH: f64 = 1e-11;
        /// Limits the exchanges of the quadratic program. Unit: exchanges. Bench: `cargo bench-depth`.
        pub const EXCHANGES: usize = 40;
        /// Halvings of a step at one visit. Unit: steps. Bench: `cargo bench-depth`.
        pub const HALVINGS: usize = 5;
        /// Steps below this part of the width of a cell are not tried. Unit: width of the outer face. Bench: `cargo bench-depth`.
        pub const LEAST_STEP: f64 = 0.35;
        /// A cell that advances by less is split. Unit: width of the outer face. Bench: `cargo bench-depth`.
        pub const LEAST_ADVANCE: f64 = 0.7;
        /// Seeds that a frustum is tried with. Unit: seeds. Bench: `cargo bench-depth`.
        pub const SEEDS: usize = 5;
        /// Ends of climbs that a cell remembers. Unit: seeds. Bench: `cargo bench-depth`.
        pub const HINTS: usize = 3;
        /// Distance below which two of them are one. Unit: steps of the grid. Bench: `cargo bench-depth`.
        pub const HINTS_APART: f64 = 0.3;
        /// Samples of a body. Unit: samples. Bench: `cargo bench-depth`.
        pub const SAMPLES: usize = 320;
        /// Shares of the way from outer to inner corners that inner points take. Unit: ways. Bench: `cargo bench-depth`.
        pub const INNER_SHARES: [f64; 5] = [0.5, 1.0, 0.0, 0.75, 0.25];
    }
}

/// Convex decomposition.
pub(crate) mod decompose {
    /// The bounding box of a piece with more faces is removed first, so that its faces only cut what is near it. Unit: faces. Bench: `cargo
    /// test -p clearance-lab --test main decompose`.
    pub const MANY_FACES: usize = 12;

    /// The most pieces of a small mesh, and the fewest that are tried of a large one. Unit: pieces. Bench: `cargo bench-depth`.
    pub const INNER_PIECES: [usize; 2] = [6, 48];

    /// Triangles that the search for inner pieces visits, about. Unit: triangles. Bench: `cargo bench-depth`.
    pub const INNER_TRIANGLES: usize = 200_000;

    /// The most faces of an inner piece: a sum of two pieces has as many as the product. Unit: faces. Bench: `cargo bench-depth`.
    pub const INNER_FACES: usize = 120;

    /// A plane is moved inward by these parts of its distance, in this order, until a piece has at most [`INNER_FACES`]. Unit: distance of the
    /// plane from the middle. Bench: `cargo bench-depth`.
    pub const INSET_PLANES: [f64; 4] = [0.0, 0.01, 0.04, 0.15];

    /// Seeds along the longest side of the bounding box of the solid. Unit: seeds. Bench: `cargo bench-depth`.
    pub const INNER_SEEDS: usize = 14;

    /// Rounds in which the metric of a piece is that of the piece before. Unit: rounds. Bench: `cargo bench-depth`.
    pub const INNER_ROUNDS: usize = 3;

    /// Seeds behind triangles, where the solid may be thin. Unit: seeds. Bench: `cargo bench-depth`.
    pub const SEEDS_BEHIND: usize = 200;

    /// Rounds in which the metric of a cell is that of the cell before. Unit: rounds. Bench: `cargo test -p clearance-lab --test main
    /// decompose`.
    pub const GROWTH_ROUNDS: usize = 4;

    /// A solid with more planes is cut and not grown. Unit: planes. Bench: `cargo bench-depth`.
    pub const FEW_PLANES: usize = 200;

    /// A solid with more triangles is not grown, which visits all triangles for every piece. Unit: triangles. Bench: `cargo bench-depth`.
    pub const FEW_TRIANGLES: usize = 20_000;

    /// Pieces into which a solid is cut, at most. Unit: pieces. Bench: `cargo bench-depth`.
    pub const MAX_CUT_PIECES: usize = 400;

    /// Corners are moved inward by these parts of their distance from the middle of a piece, in this order, until the piece is proved to be
    /// inside. Unit: distance from the middle. Bench: `cargo bench-depth`.
    pub const INSET_CORNERS: [f64; 4] = [1e-13, 1e-12, 1e-10, 1e-8];

    /// Planes that compete for a cut. Unit: planes. Bench: `cargo bench-depth`.
    pub const CUTS_TRIED: usize = 64;

    /// Corners are moved by these parts of their distance from the middle, in this order, until they are proved to be on the right side. Unit:
    /// distance from the middle. Bench: `cargo test -p clearance-lab --test main decompose`.
    pub const CORNER_MOVES: [f64; 6] = [0.0, 1e-15, 1e-14, 1e-12, 1e-10, 1e-7];

    /// Cells along the longest side of a mesh whose pieces are approximate. Unit: cells. Bench: `python bench/decompose.py`.
    pub const CELLS_ALONG: usize = 64;
    /// Planes along each axis that a cut chooses from, at least. Unit: planes. Bench: `python bench/decompose.py`.
    pub const CUTS_ALONG: usize = 24;
    /// Limits the search for the point of a piece that is farthest from the mesh. Unit: boxes. Bench: `python bench/decompose.py`.
    pub const CONCAVITY_BOXES: usize = 6000;
}

/// Rays.
pub(crate) mod cast {
    /// Points deeper inside a mesh that are tried as a start. Unit: points. Bench: `cargo bench-rays`.
    pub const INSIDE_TRIES: i32 = 6;

    /// Steps of the search for a chord; where the line is tangent, a step halves the remainder. Unit: steps. Bench: `cargo bench-rays`.
    pub const CHORD_STEPS: usize = 60;

    /// Points deeper inside a shape that are tried. Unit: points. Bench: `cargo bench-rays`.
    pub const INTERIOR_TRIES: i32 = 8;

    /// A wider bracket is computed again with twice the digits: that of a ray from a thousand sizes away. Unit: radius of the shape. Bench:
    /// `cargo bench-rays`.
    pub const LOOSE: f64 = 1e-11;
}

/// Evidence.
#[cfg(feature = "proof")]
pub(crate) mod proof {
    /// Budget of a search for a proof by cells of directions, larger than that of the engine, since evidence is not a hot path. Unit: bounds of
    /// cells. Bench: `cargo test -p clearance-io --test main proof`.
    pub const CELL_WORK: u32 = 40_000;

    /// Budget of the search for the least height of an ellipsoid. Unit: evaluations. Bench: `cargo test -p clearance-io --test main proof`.
    pub const ELLIPSOID_WORK: u32 = 1000;

    /// Pairs of parts that are queried for two that meet. Unit: pairs. Bench: `cargo test -p clearance-io --test main proof`.
    pub const MAX_MEETINGS: usize = 4096;

    /// Rounds of GJK between two sets of parts. Unit: rounds. Bench: `cargo test -p clearance-io --test main proof`.
    pub const SET_ROUNDS: usize = 16;

    /// Corners of a surface around the origin. Surfaces with a proof have 40 to 200; around an axis that two solids of revolution share, no
    /// number suffices. Unit: corners. Bench: `cargo test -p clearance-io --test main proof`.
    pub const SURFACE_CORNERS: usize = 320;
}

/// Engines of convex pairs.
pub(crate) mod convex {
    /// Steps of a V-Clip march after which a search by GJK from scratch is cheaper. Unit: steps. Bench: `cargo bench-pairs`. No track is
    /// longer and no row moves up to 200; with 20, the disk and the sphere at 25 degrees hand one call in a hundred to GJK and lose 4 %.
    pub const MARCH_STEPS: u32 = 60;

    /// Polytopes with at most this many vertices together do not restart a march: their marches are short. Unit: vertices. Bench: `cargo
    /// bench-pairs`. The cube and the icosahedron never would, even with 0; the sphere at 25 degrees takes twice as long without restarts.
    pub const RESTART_VERTICES: usize = 64;

    /// Radius of curvature that `Separation::follow` assumes for a shape. Unit: bounding radii of the shape. Bench: `cargo bench-worlds`.
    pub const FOLLOW: f64 = 1.6;

    /// Lines whose angle has a smaller squared sine start from the middle of the first: rounding moves their crossing too far. Unit: squared
    /// sine. Bench: `cargo bench-pairs`.
    pub const CROSSING_SINE_SQUARED: f64 = 1e-10;

    /// Roundings by which a witness may be outside its box before another one is computed. Unit: roundings of the pair. Bench: `cargo
    /// bench-pairs`.
    pub const WITNESS_SLACK: f64 = 4.0;

    /// Rounds of the search for witnesses. Unit: rounds. Bench: `cargo bench-pairs`.
    pub const WITNESS_ROUNDS: u32 = 16;

    /// Rounds over the coordinates of a step that left the box. Unit: rounds. Bench: `cargo bench-pairs`.
    pub const CUBOID_SWEEPS: u32 = 1;

    /// Rounds of Newton's method on a cap. Unit: rounds. Bench: `cargo bench-pairs`.
    pub const CAP_ROUNDS: u32 = 6;

    /// Work of the search about the most promising axis before others are tried. Unit: bounds of cells. Bench: `cargo bench-pairs`.
    pub const CELL_FIRST_WORK: u32 = 2500;

    /// Work of the search about each other axis. Unit: bounds of cells. Bench: `cargo bench-pairs`.
    pub const CELL_OTHER_WORK: u32 = 2000;

    /// Work of the best search when it is resumed, since none has reached the goal. Unit: bounds of cells. Bench: `cargo bench-pairs`.
    pub const CELL_LAST_WORK: u32 = 13_500;

    /// Wider brackets that an ellipsoid is to prove, in this order, where nothing proves the goal; needles count as segments then. Unit: scale
    /// of the pair. Bench: `cargo bench-pairs`.
    pub const ELLIPSOID_GOALS: [f64; 4] = [4e-11, 4e-10, 4e-9, 1.5e-7];

    /// Work of a search that shows where the height is least, before ellipsoids are tried. Unit: bounds of cells. Bench: `cargo bench-pairs`.
    pub const CELL_PROBE_WORK: u32 = 1100;

    /// Rounds of Newton's method for the turn of an ellipsoid. Unit: rounds. Bench: `cargo bench-pairs`.
    pub const TURN_ROUNDS: u32 = 30;

    /// Rounds of Newton's method on the foot. Unit: rounds. Bench: `cargo bench-pairs`.
    pub const FOOT_ROUNDS: u32 = 20;

    /// Vertices of a surface after which the pair counts as nearly symmetric: other surfaces close with fewer. Unit: vertices. Bench: `cargo
    /// bench-pairs`.
    pub const CAP_VERTICES: usize = 80;

    /// The relative error of |v| at which GJK and the closed searches of cuboids and curved shapes end; the ε of the paper. Unit: relative.
    /// Bench: `cargo bench-pairs`.
    pub const RELATIVE: f64 = 4.0 * f64::EPSILON;

    /// Rounds of the f32 prefilter; the engine goes on from there. Unit: rounds. Bench: `cargo bench-pairs`.
    pub const PREFILTER_ROUNDS: u32 = 24;

    /// Kinks that a Newton step takes in or leaves. Unit: changes. Bench: `cargo bench-impacts`.
    pub const KINK_CHANGES: u32 = 8;

    /// Points that are off the axis by a smaller part of the height have no cap below them. Unit: height. Bench: `cargo bench-impacts`.
    pub const CAP_OFFSET: f64 = 0.05;

    /// The product of the curvatures of an edge is zero, or at most this part of the square of their sum. Unit: relative. Bench: `cargo
    /// bench-impacts`.
    pub const FLAT: f64 = 1e-12;

    /// Rounds without a separating direction, after which overlap is the better guess. Unit: rounds. Bench: `cargo bench-pairs`.
    pub const MAX_OVERLAPPING: u32 = 5;

    /// Rounds that hardly narrowed the bracket, after which a search is given up. Unit: rounds. Bench: `cargo bench-pairs`.
    pub const MAX_STRIKES: u32 = 5;

    /// Rounds that look for a cap. Among thousands of random pairs, later ones found none. Unit: rounds. Bench: `cargo bench-pairs`.
    pub const FACE_ROUNDS: u32 = 2;

    /// Steps of the test in single precision. Nearly all pairs that are apart need fewer; overlapping ones should not wait. Unit: steps. Bench:
    /// `cargo bench-vector`.
    pub const SEPARATING_STEPS: u32 = 5;

    /// Cost of two support points. Unit: quarter steps of a march. Bench: `cargo bench-pairs`.
    pub const SUPPORT_COST: u8 = 3 * 4;

    /// Assumed cost of a start from the line of centres that was not tried yet. Unit: quarter steps of a march. Bench: `cargo bench-pairs`.
    pub const PRIOR_COST: u8 = 5 * 4;

    /// Longer marches count as this long, so that a single one does not decide. Unit: quarter steps of a march. Bench: `cargo bench-pairs`.
    pub const LONGEST_MARCH: u8 = 16 * 4;
}

/// Polytopes and their support tables.
pub(crate) mod shape {
    /// Faces with more sides than this have a `Hub`, which finds the nearest side by a table. Unit: sides. Bench: `cargo bench-pairs`.
    pub const FEW_SIDES: usize = 8;

    /// Polytopes with at most this many vertices are scanned; larger ones get a table. Unit: vertices. Bench: `cargo bench-support`.
    pub const SCAN_VERTICES: usize = 32;
}

/// Broad phases.
pub(crate) mod broad {
    /// Width of a column. No column is narrower than the longest box of its class. Unit: mean length of the boxes of the class. Bench:
    /// `cargo bench-broad`.
    pub const COLUMN_WIDTH: f32 = 4.0;

    /// Range of the longest sides of the boxes of one class. Unit: powers of two. Bench: `cargo bench-broad`.
    pub const CLASS_OCTAVES: usize = 3;

    /// Number of largest boxes that are compared with all others instead of forming a class. Unit: boxes. Bench: `cargo bench-broad`.
    pub const GIANTS: usize = 8;

    /// A class absorbs the next finer classes if they have less than 1 / `STRAGGLERS` of all boxes. Unit: boxes per box. Bench: `cargo
    /// bench-broad`.
    pub const STRAGGLERS: usize = 16;

    /// Boxes per entry of the table of columns. Unit: boxes. Bench: `cargo bench-broad`.
    pub const PER_COLUMN: usize = 8;

    /// Batches between two checks whether the classes and the axis still fit the boxes. Unit: batches. Bench: `cargo bench-broad`.
    pub const REVIEW: u32 = 256;

    /// Enlargement of a fat box on each side. Unit: longest side of the box. Bench: `cargo bench-broad`.
    pub const FAT: f32 = 0.125;

    /// All pairs are found in one batch if more than 1 / `BATCH` of the boxes changed. Unit: boxes per changed box. Bench: `cargo
    /// bench-broad`.
    pub const BATCH: usize = 4;
}

/// Worlds and their schedules.
pub(crate) mod world {
    /// Batches of up to this size are answered by the calling thread. Unit: queries. Bench: `cargo test -p clearance --test main batch`.
    pub const FEW_QUERIES: usize = 16;

    /// Number of boxes from which several threads compute them. Unit: boxes. Bench: `cargo bench-worlds`.
    pub const MANY_BOXES: usize = 512;

    /// Boxes that a thread computes at a time. Unit: boxes. Bench: `cargo bench-worlds`.
    pub const BOXES_PER_TASK: usize = 64;

    /// Number of queries from which threads share them. Unit: queries. Bench: `cargo bench-worlds`.
    pub const MANY_QUERIES: usize = 256;

    /// Pair records that a thread processes together. Unit: records. Bench: `cargo bench-worlds`.
    pub const RECORDS_PER_TASK: usize = 32;

    /// Number of bodies changed since the last update from which a query builds a tree of them. Unit: bodies. Bench: `cargo test -p clearance --test main world_queries`.
    pub const MANY_PENDING: usize = 64;

    /// Pairs that are answered before they are returned, which bounds their memory. Unit: pairs. Bench: `cargo bench-worlds`.
    pub const SURVEY_PAIRS: usize = 1 << 13;

    /// In one time slab of the schedule a body travels by about this many radii, its own or the median one of the world if that is larger. 1.5
    /// and 5 are slower by about 10 %, 8 by 70 %. Unit: radii. Bench: `cargo bench-impacts --match world`.
    pub const SLAB_TRAVEL: f64 = 3.0;

    /// An interval has at most this many slabs of a body. Unit: slabs. Bench: `cargo bench-impacts --match world`.
    pub const MAX_SLABS: f64 = 4096.0;

    /// A slab is at most this many times as long as the interval of the call that began it. Unit: intervals. Bench: `cargo bench-impacts --match world`.
    pub const MAX_SLAB_LENGTH: f64 = 8.0;

    /// A body that is alone has slabs of up to this many times the usual travel. Unit: `SLAB_TRAVEL`. Bench: `cargo bench-impacts --match world`.
    pub const MAX_SLAB_GROWTH: f64 = 1024.0;

    /// Bodies whose slabs end within this part of the first one's slab get their next slabs together, and share the threads. Unit: slabs. Bench: `cargo
    /// bench-impacts --match world`.
    pub const SLABS_TOGETHER: f64 = 0.25;

    /// Number of searches or boxes of the schedule from which threads share them. Unit: searches. Bench: `cargo bench-impacts --match world`.
    pub const MANY_SEARCHES: usize = 32;
}
