//! The parts of the algorithm: lemmas and examples, the hierarchy, Gilbert's rounds, oriented boxes; and pictures and costs of the scenes.

use crate::hull_pair::{HullPair, body};
use crate::row::{Row, Table, Verdict};
use crate::separating_vector::gilbert_rounds::{Starts, every_frame, starts};
use crate::separating_vector::lemmas::{LEMMAS, balls, lemmas, strips};
use crate::separating_vector::obb_operations;
use crate::separating_vector::scene::{Kind, Setting, record};
use crate::separating_vector::support::{Hierarchy, ThesisTable};
use crate::vclip::lin_canny::LastFeatures;
use crate::{Effort, timed};
use clearance::decompose::{DecompositionBudget, decompose};
use clearance::internals::hull::convex_hull;
use clearance::internals::narrow::separating_vector::LastVector;
use clearance::math::DVec3;
use clearance::shape::Polytope;
use clearance::shape::polytope::{Edge, SidePlane};
use clearance::world::Config;
use clearance::{BodyId, Engine, Pose, Shape, World, intersects};
use clearance_lab::meshes::{glyph, torus};
use clearance_lab::swarm::{self, Response, Swarm};
use clearance_lab::{Rng, models, random};
use std::sync::Arc;

pub(super) fn lemmas_and_examples(effort: Effort) -> Vec<Row> {
    let count = effort.pick(1000, 20_000);
    let (in_space, in_plane, strips) = (balls(count, false), balls(count, true), strips(count));
    let one_reflection = in_space.most[0] <= 2;
    let mut steps = Table::new(
        "steps",
        &[
            "example",
            "examples",
            "greedy, mean",
            "conservative, mean",
            "greedy, most",
            "conservative, most",
            "greedy within two",
            "conservative within two",
        ],
    );
    for (name, found) in [("strip and point", strips), ("circles", in_plane), ("balls", in_space)] {
        let mut row = vec![name.into(), (found.examples as f64).into()];
        row.extend(found.means().map(Into::into));
        row.extend(found.most.map(|most| f64::from(most).into()));
        row.extend(found.within_two.map(|count| (count as f64).into()));
        steps.push(row);
    }
    let of_strips = strips.within_two[1] == strips.examples && strips.means()[0] > strips.means()[1];
    let of_circles = in_plane.most[0] <= 2 && in_plane.means()[1] > in_plane.means()[0];
    let held = lemmas(effort.pick(6000, 60_000));
    let mut table = Table::new("lemmas", &["lemma", "cases", "broken"]);
    for (lemma, held) in LEMMAS.into_iter().zip(held) {
        table.push(vec![f64::from(lemma).into(), (held.cases as f64).into(), (held.broken as f64).into()]);
    }
    let broken: u64 = held.iter().map(|held| held.broken).sum();
    let fewest = held.iter().map(|held| held.cases).min().unwrap_or(0);
    vec![
        Row::new("S16", Verdict::of(one_reflection, false), "From any first vector; a second vector is the one reflection.")
            .value("pairs of balls", in_space.examples as f64, "")
            .value("most vectors asked about", f64::from(in_space.most[0]), ""),
        Row::new(
            "S17",
            Verdict::of(of_strips && of_circles, of_strips || of_circles),
            "The strip is a hundred times as long as thick, points are beside it, and the first vector is the line of centres; circles begin with any vector.",
        )
        .value("strip: conservative within two steps", 100.0 * strips.within_two[1] as f64 / strips.examples as f64, "%")
        .value("strip: greedy within two steps", 100.0 * strips.within_two[0] as f64 / strips.examples as f64, "%")
        .value("strip: greedy, mean steps", strips.means()[0], "")
        .value("circles: greedy, most steps", f64::from(in_plane.most[0]), "")
        .value("circles: conservative, mean steps", in_plane.means()[1], "")
        .table(steps),
        Row::new(
            "S20",
            Verdict::of(broken == 0 && fewest > 100, broken == 0),
            "Every step of searches of random hulls, rods and plates, apart and overlapping; broken means by more than rounding. Lemma 9 is S21.",
        )
        .value("cases", held.iter().map(|held| held.cases as f64).sum(), "")
        .value("cases of the rarest lemma", fewest as f64, "")
        .value("cases in which a lemma does not hold", broken as f64, "")
        .table(table),
    ]
}

pub(super) fn hierarchy(effort: Effort) -> Vec<Row> {
    let sizes: &[usize] = effort.pick(&[100, 1000, 10_000], &[100, 300, 1000, 3000, 10_000, 30_000, 100_000]);
    let mut rng = Rng::with_seed(53);
    let mut table = Table::new(
        "hierarchy",
        &["vertices", "levels", "looked at per query", "build (µs per vertex)", "bytes per vertex", "wrong"],
    );
    let (mut looked, mut build, mut bytes, mut wrong) = (Vec::new(), Vec::new(), Vec::new(), 0);
    for &count in sizes {
        let hull = convex_hull(&models::random_ellipsoid(&mut rng, count)).expect("points");
        let vertices = hull.vertex_count() as f64;
        let (hierarchy, mut seconds) = timed(|| Hierarchy::new(&hull));
        for _ in 0..2 {
            seconds = seconds.min(timed(|| Hierarchy::new(&hull)).1);
        }
        let queries = 2000;
        let (mut sum, mut bad) = (0_u64, 0);
        for query in 0..queries {
            let direction = random::direction(&mut rng);
            let found = hierarchy.search(direction);
            sum += u64::from(found.looked_at);
            if query % 50 == 0 {
                let top = hull.vertices().iter().map(|v| v.dot(direction)).fold(f64::NEG_INFINITY, f64::max);
                bad += u32::from(found.height != top);
            }
        }
        looked.push(sum as f64 / f64::from(queries));
        build.push(1e6 * seconds / vertices);
        bytes.push(hierarchy.bytes() as f64 / vertices);
        wrong += bad;
        let [looked, build, bytes] = [&looked, &build, &bytes].map(|all| all[all.len() - 1]);
        table.push(vec![
            vertices.into(),
            (hierarchy.level_count() as f64).into(),
            looked.into(),
            build.into(),
            bytes.into(),
            f64::from(bad).into(),
        ]);
    }
    let last = sizes.len() - 1;
    let decades = (sizes[last] as f64 / sizes[0] as f64).log10();
    let per_decade = (looked[last] - looked[0]) / decades;
    let (slower, larger) = (build[last] / build[0], bytes[last] / bytes[0]);
    vec![
        Row::new(
            "S21",
            Verdict::of(wrong == 0 && per_decade < 20.0 && larger < 1.3 && slower < 8.0, wrong == 0 && per_decade < 20.0),
            "Vertices looked at grow by a constant for every tenfold n; memory per vertex is the same; the time to build, per vertex, grows only by what a \
             larger body misses in the caches.",
        )
        .value("looked at, fewest vertices", looked[0], "")
        .value("looked at, most vertices", looked[last], "")
        .value("more for ten times as many vertices", per_decade, "")
        .time("time to build per vertex, most / fewest vertices", slower, "")
        .value("bytes per vertex, most / fewest vertices", larger, "")
        .value("answers that are not the farthest vertex", f64::from(wrong), "")
        .figure(table.figure("Vertices looked at", 0, &[2], "per query", [true, false]))
        .figure(table.figure("Time to build", 0, &[3], "µs of processor time per vertex", [true, false]))
        .figure(table.figure("Memory", 0, &[4], "bytes per vertex", [true, false]))
        .table(table),
    ]
}

pub(super) fn gilbert(effort: Effort) -> Vec<Row> {
    let sizes: &[usize] = effort.pick(&[20, 100, 1000], &[20, 50, 100, 200, 500, 1000]);
    let mut table = Table::new(
        "rounds",
        &["vertices", "calls", "cold, mean", "cold, most", "warm, mean", "warm, most", "warm, steps of local search"],
    );
    let mut from = Table::new(
        "starts",
        &[
            "vertices",
            "collisions",
            "with reoccurring pairs",
            "from nothing",
            "from the last two",
            "reoccurring, else the last two",
            "the last two and reoccurring",
        ],
    );
    let (mut cold_means, mut warm_means) = (Vec::new(), Vec::new());
    let mut sums = [0.0; 4];
    for &vertices in sizes {
        let (bodies, frames) = effort.pick((40, 60), (100, 150));
        let recording = record(&Setting { bodies, frames, ..Setting::usual(Kind::Mixed, vertices, true) }, 67);
        let [cold, warm] = every_frame(&recording);
        cold_means.push(cold.mean());
        warm_means.push(warm.mean());
        table.push(vec![
            (vertices as f64).into(),
            f64::from(warm.count()).into(),
            cold.mean().into(),
            (cold.most() as f64).into(),
            warm.mean().into(),
            (warm.most() as f64).into(),
            warm.climbs().into(),
        ]);
        let Starts { collisions, with_reoccurring, rounds } = starts(&recording);
        sums.iter_mut().zip(&rounds).for_each(|(sum, rounds)| *sum += rounds.mean() * f64::from(rounds.count()));
        let mut row = vec![(vertices as f64).into(), f64::from(collisions).into(), f64::from(with_reoccurring).into()];
        row.extend(rounds.iter().map(|rounds| rounds.mean().into()));
        from.push(row);
    }
    let grown = |means: &[f64]| means[means.len() - 1] / means[0];
    vec![
        Row::new(
            "S23",
            Verdict::of(grown(&warm_means) < 1.5 && grown(&cold_means) < 1.5, grown(&warm_means) < 4.0),
            "Pairs of mixed bodies that are apart, in every frame: from nothing, and from the simplex of the frame before. Rounds grow with the number of \
             vertices, though far slower than it.",
        )
        .value("warm, fewest vertices", warm_means[0], "rounds")
        .value("warm, most vertices", warm_means[warm_means.len() - 1], "rounds")
        .value("cold, fewest vertices", cold_means[0], "rounds")
        .value("cold, most vertices", cold_means[cold_means.len() - 1], "rounds")
        .value("vertices, most / fewest", sizes[sizes.len() - 1] as f64 / sizes[0] as f64, "")
        .value("collision appears: rounds from the last two pairs / from nothing", sums[1] / sums[0], "")
        .value("the same from up to four that reoccur, as in the thesis", sums[2] / sums[0], "")
        .value("the same from the last two and those that reoccur, as in the library", sums[3] / sums[0], "")
        .figure(table.figure("Rounds of the improved Gilbert algorithm", 0, &[2, 4], "rounds, mean", [true, false]))
        .table(table)
        .table(from),
    ]
}

pub(super) fn oriented_boxes(effort: Effort) -> Vec<Row> {
    let found = obb_operations::run(effort.pick(5000, 100_000));
    let trees = hierarchies(effort.pick(40, 1000));
    let is_right = found.wrong == 0 && trees.wrong == 0;
    vec![
        Row::new(
            "S24",
            Verdict::of(found.most < 200 && is_right && trees.calls < trees.pairs, is_right),
            "All fifteen axes, absolute values counted, with B's axes and middle known in those of A; how they come there is the tree's business, and is \
             counted apart. The trees are `HullPair`: separating vectors for the hulls of letters, each with a ring of triangles that is not decomposed, for which there are oriented boxes at the leaf.",
        )
        .value("tests", f64::from(found.tests[0]), "")
        .value("most operations", f64::from(found.most), "")
        .value("mean", found.mean[0], "")
        .value("mean where boxes are apart", found.mean[1], "")
        .value("change of frame before it", f64::from(found.change_of_frame), "")
        .value("tests that are wrong", f64::from(found.wrong), "")
        .value("trees: poses", f64::from(trees.poses), "")
        .value("trees: poses at which they meet", f64::from(trees.met), "")
        .value("trees: calls per pose", trees.calls, "")
        .value("trees: pairs of leaves", trees.pairs, "")
        .value("trees: tests of oriented boxes per pose", trees.box_tests, "")
        .value("trees: answers other than by all pairs of leaves", f64::from(trees.wrong), ""),
    ]
}

/// Two trees of hulls with a shell each, at some poses.
struct Trees {
    poses: u32,
    met: u32,
    wrong: u32,
    calls: f64,
    pairs: f64,
    box_tests: f64,
}

fn hierarchies(poses: u32) -> Trees {
    let ring = Arc::new(torus(12, 6, 1.0, 0.3).mesh());
    let letters = ['C', 'T'].map(|letter| decompose(&glyph(letter).mesh(), DecompositionBudget::default()).outer);
    let leaves = letters.clone().map(|pieces| {
        let pieces = pieces.into_iter().map(|piece| Shape::Polytope(Arc::new(piece)));
        pieces.chain([Shape::Mesh(Arc::clone(&ring))]).collect::<Vec<_>>()
    });
    let bodies = letters.map(|pieces| body(pieces, &[Arc::clone(&ring)]));
    let mut pair = HullPair::new(&bodies[0], &bodies[1], Engine::SeparatingVector);
    let reach: f64 = bodies.iter().map(|body| body.tree().shape(0).bounding_radius()).sum();
    let mut rng = Rng::with_seed(24);
    let (mut met, mut wrong) = (0, 0);
    for _ in 0..poses {
        let pose = Pose::new(random::direction(&mut rng) * reach * rng.f64(), random::rotation(&mut rng));
        let found = pair.intersects(Pose::IDENTITY, pose);
        let truth = leaves[0].iter().any(|a| leaves[1].iter().any(|b| intersects(a, Pose::IDENTITY, b, pose)));
        met += u32::from(found);
        wrong += u32::from(found != truth);
    }
    let each = |count: u64| count as f64 / f64::from(poses);
    let pairs = (leaves[0].len() * leaves[1].len()) as f64;
    Trees { poses, met, wrong, calls: each(pair.calls()), pairs, box_tests: each(pair.box_tests()) }
}

/// Figures 6.1 and 6.2: a scene after some frames, seen along z.
pub(super) fn snapshots(effort: Effort) -> Vec<Row> {
    let mut row_tables = Vec::new();
    let (mut outside, mut met, mut counts) = (0, 0, Vec::new());
    for (name, bodies, vertices) in [("many_bodies", 500, 20), ("many_vertices", 100, 1000)] {
        let setting = swarm::Setting {
            bodies,
            vertices,
            kind: swarm::Kind::Mixture,
            response: Response::Reverse,
            ..swarm::Setting::USUAL
        };
        let mut swarm = Swarm::new(&setting, 61);
        let mut world = World::new(Config::default());
        let insert = |body: usize| world.insert(swarm.shapes()[swarm.shape_of(body)].clone(), swarm.pose(body));
        let ids: Vec<BodyId> = (0..swarm.len()).map(insert).collect();
        for frame in 0..effort.pick(10, 100) {
            swarm.step();
            for (body, &id) in ids.iter().enumerate() {
                world.set_pose(id, swarm.pose(body));
            }
            let started: Vec<_> = world.update().started().to_vec();
            // Bodies that overlap from the start have not met.
            if frame > 0 {
                met += started.len();
                started.iter().for_each(|[a, b]| swarm.meet(a.slot() as usize, b.slot() as usize));
            }
        }
        let mut table = Table::new(name, &["x", "ellipsoids", "rods", "plates"]);
        for body in 0..swarm.len() {
            let at = swarm.pose(body).translation();
            outside += usize::from(!(at.min_element() >= 0.0 && at.max_element() <= swarm.side()));
            let mut row = vec![at.x.into(), "".into(), "".into(), "".into()];
            row[1 + swarm.shape_of(body) % 3] = at.y.into();
            table.push(row);
        }
        counts.push((swarm.len(), swarm.shapes().iter().map(|shape| hull_of(shape).vertex_count()).min().unwrap_or(0)));
        row_tables.push((table, format!("{bodies} bodies of {vertices} vertices")));
    }
    let is_as_asked = counts == [(500, 20), (100, 1000)];
    let mut row = Row::new(
        "S25",
        Verdict::of(is_as_asked && outside == 0 && met > 0, false),
        "The places of the bodies' centres, seen along z; the thesis's pictures are of their surfaces.",
    )
    .value("bodies outside of the cube", outside as f64, "")
    .value("collisions on the way", met as f64, "");
    for (table, title) in row_tables {
        row = row.figure(table.figure(&title, 0, &[1, 2, 3], "y", [false; 2]).scattered()).table(table);
    }
    vec![row]
}

fn hull_of(shape: &clearance::Shape) -> &Polytope {
    match shape {
        clearance::Shape::Polytope(hull) => hull,
        _ => panic!("a swarm has hulls only"),
    }
}

/// The data of a hull for the separating vector: vertices, their neighbours, the table of starts.
fn bytes_of_vertices(hull: &Polytope) -> usize {
    let neighbors: usize = (0..hull.vertex_count() as u32).map(|v| hull.neighbors(v).len()).sum();
    let list = 4 * (hull.vertex_count() + 1) + 4 * neighbors;
    size_of::<DVec3>() * hull.vertex_count() + list + size_of::<ThesisTable>()
}

/// The data of a hull for closest features: vertices, edges and faces with their boundaries, and the planes of their Voronoi regions.
fn bytes_of_features(hull: &Polytope) -> usize {
    let corners: usize = (0..hull.face_count() as u32).map(|f| hull.face(f).vertices.len()).sum();
    let vertices = size_of::<DVec3>() * hull.vertex_count() + 4 * (hull.vertex_count() + 1) + 4 * 2 * hull.edge_count();
    // Directions are the normals of the planes at a vertex and at the ends of an edge.
    let edges = (size_of::<Edge>() + size_of::<DVec3>() + size_of::<f64>()) * hull.edge_count();
    let faces =
        (size_of::<DVec3>() + size_of::<f64>() + 4) * hull.face_count() + (4 + 4 + size_of::<SidePlane>()) * corners;
    vertices + edges + faces
}

pub(super) fn memory(effort: Effort) -> Vec<Row> {
    let points = 2 * size_of::<DVec3>();
    // Section 6.1: vector and vertices, or features; and the closest points.
    let pair = [size_of::<LastVector>() + points, size_of::<LastFeatures>() + points];
    let mut table = Table::new(
        "bytes",
        &[
            "vertices",
            "body, separating vectors",
            "body, closest features",
            "pairs of a frame",
            "scene, separating vectors",
            "scene, closest features",
        ],
    );
    let mut ratios = Vec::new();
    for &vertices in effort.pick(&[20, 500][..], &[10, 20, 50, 100, 200, 500, 1000][..]) {
        let setting = Setting { bodies: 100, frames: 20, ..Setting::usual(Kind::Mixed, vertices, true) };
        let recording = record(&setting, 26);
        let hulls = recording.hulls();
        let of_bodies = [bytes_of_vertices, bytes_of_features]
            .map(|bytes| hulls.iter().map(|hull| bytes(hull)).sum::<usize>() as f64);
        let pairs = recording.queries.len() as f64 / setting.frames as f64;
        let whole = [0, 1].map(|i| of_bodies[i] + pairs * pair[i] as f64);
        ratios.push(whole[1] / whole[0]);
        let per_body = of_bodies.map(|bytes| bytes / hulls.len() as f64);
        table.push(vec![
            (vertices as f64).into(),
            per_body[0].into(),
            per_body[1].into(),
            pairs.into(),
            whole[0].into(),
            whole[1].into(),
        ]);
    }
    let least = ratios.iter().copied().fold(f64::INFINITY, f64::min);
    vec![
        Row::new(
            "S26",
            Verdict::of(least > 1.0, ratios.iter().any(|&ratio| ratio > 1.0)),
            "What each algorithm reads, in the library's formats. A pair takes more with separating vectors, a body takes less. The product's hulls have \
             all of it, since any engine may be asked.",
        )
        .value("a pair, separating vectors", pair[0] as f64, "bytes")
        .value("a pair, closest features", pair[1] as f64, "bytes")
        .value("scene of 100 bodies, closest features / separating vectors, fewest vertices", ratios[0], "")
        .value("the same, most vertices", ratios[ratios.len() - 1], "")
        .figure(table.figure("Memory of a scene of 100 bodies", 0, &[4, 5], "bytes", [true, true]))
        .table(table),
    ]
}
