//! The claims of the five papers: figures, tables and statements, one line each.

/// A figure, table or claim of a paper.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Claim {
    /// Its number: the letter of the paper, and the number of the claim.
    pub number: &'static str,
    /// Its place in the paper.
    pub section: &'static str,
    /// The claim.
    pub text: &'static str,
}

const fn claim(number: &'static str, section: &'static str, text: &'static str) -> Claim {
    Claim { number, section, text }
}

/// All claims, paper by paper.
pub const CLAIMS: &[Claim] = &[
    claim(
        "V1",
        "6.1, fig. 9",
        "Cube: operations per call grow slowly with the degrees per call. V-Clip and Lin-Canny are level, Lin-Canny with a slight edge at high coherence; Enhanced GJK takes 50 to 100 % more",
    ),
    claim("V2", "6.1, fig. 10", "Icosahedron: as for the cube"),
    claim(
        "V3",
        "6.1, fig. 11",
        "Disk with faces of 60 sides: V-Clip takes the fewest at all levels of coherence; Lin-Canny starts well and quickly has the most",
    ),
    claim(
        "V4",
        "6.1, fig. 12",
        "Sphere of 642 vertices: V-Clip and Lin-Canny lead at first; Enhanced GJK overtakes Lin-Canny fairly quickly, and V-Clip at low coherence (below 25 degrees)",
    ),
    claim("V5", "6.1", "Additions and multiplications are at least 98 % of all operations, for all three"),
    claim("V6", "6.1", "Closest points cost Enhanced GJK about 16 operations more"),
    claim(
        "V7",
        "6.2",
        "A million calls against the least of the three, warning at 1e-6: V-Clip none; Enhanced GJK 11 (at most 1.6e-4) with tolerance 1e-5 and none with 1e-7; Lin-Canny 208 (at most 1e-2), 88 tuned",
    ),
    claim(
        "V8",
        "6.2, alg. 10",
        "100,000 degenerate trials of two cubes: Lin-Canny cycles in 4489, tuned in 37 (22 very wrong); Enhanced GJK none with 1e-7 and 175 false zeros with 1e-8; V-Clip none",
    ),
    claim(
        "V9",
        "1.3, 3.1",
        "No tolerance anywhere; divisions only in clip-edge, where the divisor is never smaller than the dividend",
    ),
    claim(
        "V10",
        "4.1, fig. 8",
        "Penetration is reported with its witness in the same almost constant time; an edge through a face is much more common than a vertex inside",
    ),
    claim("V11", "1.2", "Almost constant time per call"),
    claim(
        "V12",
        "2.2, fig. 2",
        "Every solid arrow of the state diagram makes the distance between features smaller, and every dashed arrow leaves it",
    ),
    claim("V13", "1.4", "Hierarchies of hulls for bodies that are not convex"),
    claim("V14", "7", "V-Clip has never cycled nor reported a detectably incorrect answer"),
    claim(
        "V15",
        "5.3, alg. 6",
        "Line 6 of the vertex-face state, as printed, finds an edge that points toward the face",
    ),
    claim(
        "V16",
        "4.1",
        "If bodies penetrate a small amount relative to their sizes, the witness pair is an edge and a face",
    ),
    claim("V17", "1.3", "The code of V-Clip is significantly simpler than that of Lin-Canny"),
    claim(
        "G1",
        "4, fig. 4",
        "The simulation of I-COLLIDE over density: ISA-GJK about five times faster than Lin-Canny",
    ),
    claim("G2", "4, fig. 5", "The same over translational velocity"),
    claim("G3", "4, fig. 6", "The same over rotational velocity"),
    claim("G4", "4", "Lin-Canny now and then misses a collision that ISA-GJK finds; differences are minimal"),
    claim("G5", "5", "Quadrics: the mean number of iterations is O(-log eps)"),
    claim("G6", "5", "Polytopes: fewer iterations than quadrics, whatever their complexity and however small eps"),
    claim(
        "G7",
        "5",
        "Terminates for polytopes of sizes that differ by orders of magnitude, whatever eps; original GJK now and then does not",
    ),
    claim("G8", "4, theorem 2", "Johnson's subalgorithm looks at 2^n subsets instead of 2^(n+1) - 1"),
    claim("G9", "4", "Dot products are cached: n + 1 new ones per iteration; determinants likewise"),
    claim(
        "G10",
        "4, fig. 2",
        "The separating-axis form needs fewer iterations than the distance, and the kept axis ends most coherent calls in the first",
    ),
    claim("G11", "5", "The gain of a backup procedure is negligible"),
    claim(
        "G12",
        "3",
        "Support mappings of boxes, spheres, cones, cylinders, polytopes, and of affine images (theorem 1)",
    ),
    claim(
        "G13",
        "5",
        "Where |v| is large its rounding error is of the size of an absolute tolerance, so that searches may not end; with a relative tolerance they do",
    ),
    claim("G14", "2", "The bound delta is not monotonic in the iterations; mu, the greatest so far, is often tighter"),
    claim(
        "G15",
        "4",
        "An iteration of the separating-axis form is significantly cheaper than one of the distance: it needs no |v|, and so no root",
    ),
    claim(
        "G16",
        "4, fig. 2",
        "ISA-GJK takes almost constant time per frame for convex objects of any complexity, and for quadrics, where coherence is high",
    ),
    claim(
        "G17",
        "5, fig. 3",
        "Searches without the stop on a repeated point loop in two ways: the same support point in each iteration, or two that alternate",
    ),
    claim(
        "S1",
        "6.2.1, fig. 6.3",
        "Pairs that do not collide, n = 500: over 95 % within three steps for all shapes, over 99 % of ellipsoids within four",
    ),
    claim("S2", "1.3, 3.2", "About 99 % within four steps, nearly independent of shape and complexity"),
    claim("S3", "6.2.1, fig. 6.4", "All tests: over 80 % within three steps"),
    claim("S4", "6.2.1", "Supporting vertices reoccur in less than 0.1 % of the tests of pairs that do not collide"),
    claim(
        "S5",
        "6.2.1, fig. 6.5",
        "The most steps, n = 10 to 1000: about 22 for ellipsoids, 20 to 40 for plates, 25 to 55 for rods",
    ),
    claim("S6", "6.2.1", "So many steps in at most 0.01 % of tests"),
    claim("S7", "6.2.1", "Similar curves for other n"),
    claim(
        "S8",
        "6.2.2, figs. 6.6, 6.7",
        "Over speed: separating vectors grow slightly, closest features substantially; Gilbert's algorithm alone beats closest features where speed or n is high",
    ),
    claim("S9", "6.2.2, figs. 6.8, 6.9", "Over rotation: as over speed"),
    claim("S10", "6.2.2, figs. 6.10, 6.11", "Over density: separating vectors are fastest throughout"),
    claim("S11", "6.2.2", "Nearly 28 times faster than I-COLLIDE at n = 500 and a speed of 20 % of the radius"),
    claim("S12", "1.2", "At least ten times faster where n is more than 200"),
    claim("S13", "1.2", "More efficient than I-COLLIDE in all situations"),
    claim("S14", "6.2.2", "The combined algorithm needs only a little more than separating vectors alone"),
    claim("S15", "3.8", "The greedy step (3.2) is slightly faster than the conservative one (3.5) in most cases"),
    claim("S16", "3.2", "Two disjoint balls: one reflection at most"),
    claim(
        "S17",
        "3.7, figs. 3.6, 3.7",
        "A long strip and a point: the conservative step needs two, the greedy one more; for circles it is the other way round",
    ),
    claim("S18", "3.3", "Visit stamps save about a third of the dot products"),
    claim("S19", "3.4, 3.5", "A table of 8 by 16 directions, and a first vector from the centres, shorten searches"),
    claim("S20", "3.7, 3.8, 4.3", "Lemmas 2, 5, 7 (convergence), 3, 8 (termination), 4 and 6"),
    claim("S21", "5.3, lemma 9", "Supporting vertices in O(log n) with O(n) preprocessing and space"),
    claim("S22", "4.2.2", "Half-planes give better vectors than a hemisphere, at a larger overhead"),
    claim("S23", "5.4", "The improved Gilbert algorithm takes a constant number of iterations"),
    claim("S24", "5.6", "Two oriented boxes in less than 200 operations; trees of convex pieces"),
    claim("S25", "6.2, figs. 6.1, 6.2", "Snapshots: 500 bodies of 20 vertices, 100 bodies of 1000"),
    claim("S26", "6.1", "Less memory than I-COLLIDE"),
    claim(
        "S27",
        "3.7, 3.8, (3.9)",
        "Any mix alpha of both steps finds a separating vector; how to choose it for the fewest steps is not known, and the greedy end is taken, since it is slightly faster than the conservative one in most cases",
    ),
    claim("S28", "3.5", "The larger the table of directions, the more quickly a supporting vertex is found"),
    claim(
        "S29",
        "5.4",
        "Improved Gilbert with the hierarchy: the first expected O(log n) algorithm for the closest points",
    ),
    claim("S30", "4.4", "Separating vectors with the hierarchy: O((log n + log m + k) k)"),
    claim(
        "S31",
        "3.4, fig. 3.4",
        "The line of centres is the first vector, since a separating vector is likely to be close to it; contact points of the boxes are another choice",
    ),
    claim(
        "T1",
        "2.2, table 1",
        "Coherent hashing against plain: coins 6.2, bowling 7.0, rattleback 6.0, part feeder chute 7.2 times faster",
    ),
    claim("T2", "2.1, figs. 2, 3", "The example on a line: the close pairs are just (C, D) and (C, E)"),
    claim("T3", "2.1, lemma 1", "No more resolutions than ceil(log of largest over smallest box, base beta/alpha)"),
    claim("T4", "2.1, theorem 1", "Buckets looked at per box: O(beta^d log R)"),
    claim("T5", "2.1, theorem 2", "All close pairs in O(n + c)"),
    claim("T6", "2.1, theorem 3", "Boxes farther apart than sqrt(d)/alpha times the larger size are never close"),
    claim("T7", "2.2, fig. 4", "Eight coins and a floor: pairs of the narrow phase, 36 without a broad phase"),
    claim("T8", "2.3, fig. 6", "Crowded coordinates: O(n^2) exchanges in sorting; hashing is not hurt"),
    claim("T9", "2.3", "No hashing culls as many pairs as sorting coordinates"),
    claim(
        "T10",
        "3.2, fig. 10",
        "Lin-Canny over 1 to 20 degrees per call: sixteen times the facets cost 15 % more at one degree",
    ),
    claim("T11", "3.2", "From a few hundred to over 20,000 facets there is hardly any slowdown"),
    claim("T12", "3.2", "A satellite passes O(sqrt N) features on an orbit"),
    claim("T13", "2, fig. 1", "Swept boxes: ballistic arcs with their apex, sampled paths, fixed bodies exactly"),
    claim("T14", "4", "A bullet and a thin wall: fixed steps miss the collision, the schedule never does"),
    claim(
        "T15",
        "4, fig. 11",
        "The schedule has all collisions in order, with fewer checks than fixed steps of 1/30 s",
    ),
    claim("T16", "4", "The other variant: estimates, and rollback where they were wrong"),
    claim("T17", "3.3", "Enhanced GJK takes 50 to 100 % more operations than V-Clip"),
    claim("T18", "3.4", "Hierarchies of hulls: n·m calls become one where the hulls are apart"),
    claim(
        "T19",
        "2.1",
        "The closer beta is to 1, the fewer cells are checked for a box; the closer alpha is to 1, the better the hash resolves; the larger beta/alpha, the fewer resolutions are needed",
    ),
    claim("T20", "2.2", "The coherent variant has exactly the close pairs of the original, and stores more labels"),
    claim(
        "P1",
        "6.2, table 2a",
        "Interlocked tori (2000 faces, 67 pieces each): culled 31.2, 96.7 and 98.3 % at levels 3, 5 and 7; the estimate falls from 0.99 to 0.50",
    ),
    claim("P2", "6.2, table 2b", "Touching tori: culled 98.4 and 99.9 % at levels 3 and 7; the estimate stays at 0.29"),
    claim(
        "P3",
        "6.2, table 2c",
        "Grates (444 and 1134 faces, 169 and 409 pieces): culled 0, 96.9 and 99.9 % at levels 3, 7 and 9; the estimate falls from 6.41 to 0.63",
    ),
    claim(
        "P4",
        "6.2, table 2d",
        "Letters (144 and 152 faces, 42 and 43 pieces): culled 50.0, 56.2 and 97.6 % at levels 2, 4 and 6; the estimate falls from 0.06 to 0.01",
    ),
    claim("P5", "6.3, table 3", "Without acceleration 4 h, 4 h, 177 h and 7 min; with it 3.7, 0.3, 1.9 and 0.4 s"),
    claim("P6", "5.3, 6.4", "The bound falls from level to level, and is always an upper one"),
    claim("P7", "5.1, lemma 5.1", "Culling changes no answer"),
    claim(
        "P8",
        "6.1, 6.4",
        "128 by 128 pixels on the way and 256 by 256 at the end are enough; the error falls with the resolution",
    ),
    claim("P9", "4.3, 5", "As many passes as sums suffice: O(n^4) at worst"),
    claim("P10", "3.3, 7.1, fig. 1", "For C and I a local penetration depth is wrong, the global one right"),
    claim(
        "P11",
        "4.1, fig. 7",
        "A wrinkled torus: patches, and the hierarchy of hulls with original and virtual faces",
    ),
    claim("P12", "7.2, fig. 9", "200 letters and digits over ramps and funnels, two minutes a frame"),
    claim("P13", "7.2, fig. 10", "Ten digits in a bowl, 18 seconds a frame; local methods fail for some pairs"),
    claim(
        "P14",
        "7.2",
        "Cubic time stepping needs fewer iterations than bisection, extrapolation, linear and quadratic interpolation",
    ),
    claim("P15", "7.1", "Penalty forces F = (k d) n"),
    claim("P16", "6.2", "Time depends on how much is culled; shallow, coherent penetration is fast"),
    claim(
        "P17",
        "4.3.1",
        "After k passes the front includes all of the boundary that rays reach with k - 1 hops or fewer",
    ),
];
