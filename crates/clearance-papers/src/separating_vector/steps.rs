//! Figures 6.3 to 6.5: the number of vectors of a search; the choice of step and collision test; the cost of local search.

use crate::row::{Cell, Row, Table, Verdict};
use crate::separating_vector::lemmas::{add_all, margins};
use crate::separating_vector::local_search::{self, Beginning, FirstVector, Searches};
use crate::separating_vector::scene::{Kind, Setting, record};
use crate::separating_vector::vector_steps::{Steps, largest, mean, run, within};
use crate::{Effort, timed};
use clearance::internals::narrow::separating_vector::{Conservative, Greedy, HalfPlanes, Hemisphere};

/// The size of the figures' bodies.
const USUAL: usize = 500;

/// The thesis's setting: 500 bodies of a kind.
fn setting(kind: Kind, vertices: usize, effort: Effort) -> Setting {
    let (bodies, frames) = effort.pick((120, 100), (500, 100));
    Setting { bodies, frames, ..Setting::usual(kind, vertices, true) }
}

/// Searches about bodies of a kind and size.
struct Measured {
    kind: Kind,
    vertices: usize,
    steps: Steps,
}

fn sum(steps: &[u32]) -> f64 {
    steps.iter().map(|&count| f64::from(count)).sum()
}

impl Measured {
    fn new(kind: Kind, vertices: usize, effort: Effort) -> Self {
        Self::of(&setting(kind, vertices, effort))
    }

    fn of(setting: &Setting) -> Self {
        let recording = record(setting, 63);
        Self { kind: setting.kind, vertices: setting.vertices, steps: run::<Hemisphere, _>(&recording, &Greedy) }
    }

    /// Per cent of the searches of pairs that are apart, within `most` steps.
    fn apart(&self, most: usize) -> f64 {
        100.0 * within(&self.steps.apart, most)
    }

    fn all(&self, most: usize) -> f64 {
        100.0 * within(&self.steps.all, most)
    }

    /// Per cent of the searches of pairs that are apart in which a pair of vertices came up again.
    fn repeats(&self) -> f64 {
        100.0 * f64::from(self.steps.repeats) / sum(&self.steps.apart).max(1.0)
    }
}

pub(super) fn searches(effort: Effort) -> Vec<Row> {
    let sizes: &[usize] = effort.pick(&[10, 50, 500], &[10, 20, 50, 100, 200, 500, 1000]);
    let all: Vec<Measured> =
        Kind::THREE.iter().flat_map(|&kind| sizes.iter().map(move |&n| Measured::new(kind, n, effort))).collect();
    let usual: Vec<&Measured> = all.iter().filter(|found| found.vertices == USUAL).collect();
    let sweep = Sweep::new(effort);
    vec![
        figure_63(&usual),
        four_steps(&all, &sweep),
        figure_64(&usual),
        reoccurrences(&all, &sweep),
        figure_65(&all),
        tails(&all),
        other_sizes(&all),
    ]
}

/// Parameters that the thesis does not print: the thinness of its rods and plates, and the density of its scenes.
struct Sweep {
    table: Table,
    /// Rods: the most within four steps, and the least share of searches with reoccurring vertices, over all settings.
    rods: [f64; 2],
}

impl Sweep {
    fn new(effort: Effort) -> Self {
        let columns =
            ["shape", "length or width over thickness", "density", "within four steps (%)", "vertices reoccur (%)"];
        let mut table = Table::new("sweep", &columns);
        let mut rods = [0.0_f64, f64::INFINITY];
        let (slenderness, densities): (&[f64], &[f64]) =
            effort.pick((&[3.0, 30.0], &[0.05]), (&[2.0, 3.0, 5.0, 10.0, 30.0, 50.0], &[0.01, 0.05, 0.2]));
        for kind in [Kind::Rods, Kind::Plates] {
            for (&slenderness, &density) in slenderness.iter().flat_map(|s| densities.iter().map(move |d| (s, d))) {
                let (bodies, frames) = effort.pick((60, 60), (120, 60));
                let usual = Setting::usual(kind, USUAL, true);
                let found = Measured::of(&Setting { bodies, frames, slenderness, density, ..usual });
                if kind == Kind::Rods {
                    rods = [rods[0].max(found.apart(4)), rods[1].min(found.repeats())];
                }
                let numbers = [slenderness, density, found.apart(4), found.repeats()];
                table.push([Cell::from(kind.name())].into_iter().chain(numbers.map(Into::into)).collect());
            }
        }
        Self { table, rods }
    }
}

/// The share of searches within N steps, by shape.
fn curves(name: &'static str, usual: &[&Measured], of: impl Fn(&Measured, usize) -> f64) -> Table {
    let mut table = Table::new(name, &["steps", "ellipsoids (%)", "rods (%)", "plates (%)"]);
    for most in 1..=12 {
        let mut row = vec![(most as f64).into()];
        row.extend(usual.iter().map(|found| of(found, most).into()));
        table.push(row);
    }
    table
}

fn figure_63(usual: &[&Measured]) -> Row {
    let table = curves("within", usual, Measured::apart);
    let three = usual.iter().map(|found| found.apart(3)).fold(f64::INFINITY, f64::min);
    let four = usual[0].apart(4);
    let mut row = Row::new(
        "S1",
        Verdict::of(three > 94.0 && four > 99.0, three > 90.0 && four > 98.0),
        "The rule allows one point less than the sentence. Rods are on the edge of it, in a short run more than in a long one, since more of its pairs are new. Rods \
         and plates are cylinders with points drawn from all of their surface, ten times as long or as wide as thick; the thesis does not say how \
         thin its own are, nor how dense its scene is (here a twentieth of the volume).",
    );
    for found in usual {
        row = row
            .value(format!("{}: tests of pairs that are apart", found.kind.name()), sum(&found.steps.apart), "")
            .value(format!("{}: within three steps", found.kind.name()), found.apart(3), "%")
            .value(format!("{}: within four steps", found.kind.name()), found.apart(4), "%");
    }
    row.figure(table.figure(
        "Figure 6.3: tests of pairs that do not collide, n = 500",
        0,
        &[1, 2, 3],
        "% within so many steps",
        [false; 2],
    ))
    .table(table)
}

fn figure_64(usual: &[&Measured]) -> Row {
    let table = curves("within", usual, Measured::all);
    let least = usual.iter().map(|found| found.all(3)).fold(f64::INFINITY, f64::min);
    let mut row = Row::new("S3", Verdict::of(least > 80.0, least > 70.0), "");
    for found in usual {
        row = row
            .value(format!("{}: tests", found.kind.name()), sum(&found.steps.all), "")
            .value(
                format!("{}: of pairs that collide", found.kind.name()),
                sum(&found.steps.all) - sum(&found.steps.apart),
                "",
            )
            .value(format!("{}: within three steps", found.kind.name()), found.all(3), "%");
    }
    row.figure(table.figure("Figure 6.4: all tests, n = 500", 0, &[1, 2, 3], "% within so many steps", [false; 2]))
        .table(table)
}

/// A column for each shape, a row for each size.
fn by_size(name: &'static str, unit: &str, all: &[Measured], of: impl Fn(&Measured) -> f64) -> Table {
    let columns = ["ellipsoids", "rods", "plates"].map(|kind| format!("{kind}{unit}"));
    let mut table = Table::new(name, &["vertices", &columns[0], &columns[1], &columns[2]]);
    let of_first: Vec<usize> =
        all.iter().filter(|found| found.kind == Kind::THREE[0]).map(|found| found.vertices).collect();
    for vertices in of_first {
        let mut row = vec![(vertices as f64).into()];
        row.extend(all.iter().filter(|found| found.vertices == vertices).map(|found| of(found).into()));
        table.push(row);
    }
    table
}

fn four_steps(all: &[Measured], sweep: &Sweep) -> Row {
    let table = by_size("within_four", " (%)", all, |found| found.apart(4));
    let least = all.iter().map(|found| found.apart(4)).fold(f64::INFINITY, f64::min);
    let mean = all.iter().map(|found| found.apart(4)).sum::<f64>() / all.len() as f64;
    Row::new(
        "S2",
        Verdict::of(least >= 98.0, mean >= 96.0),
        "So for ellipsoids and plates of many vertices; rods, and bodies of few vertices, take longer. That is so however thin they are and however dense the scene is, which the thesis does not print.",
    )
    .value("within four steps, the mean of shapes and sizes", mean, "%")
    .value("within four steps, the least of them", least, "%")
    .value("rods at their best, over thinness and density", sweep.rods[0], "%")
    .table(sweep.table.clone())
    .figure(table.figure(
        "Pairs that do not collide: within four steps",
        0,
        &[1, 2, 3],
        "% within four steps",
        [true, false],
    ))
    .table(table)
}

fn reoccurrences(all: &[Measured], sweep: &Sweep) -> Row {
    let table = by_size("reoccurrences", " (%)", all, Measured::repeats);
    let of = |kind: Kind| {
        all.iter().find(|found| found.kind == kind && found.vertices == USUAL).map_or(f64::NAN, Measured::repeats)
    };
    let [ellipsoids, rods, plates] = Kind::THREE.map(of);
    Row::new(
        "S4",
        Verdict::of(ellipsoids < 0.1 && rods < 0.1 && plates < 0.1, ellipsoids < 0.2),
        "As seldom, or nearly, for ellipsoids; rods have them far more often, whatever their number of vertices, however thin they are and however dense the scene is, and plates in between.",
    )
    .value("ellipsoids, n = 500", ellipsoids, "%")
    .value("rods, n = 500", rods, "%")
    .value("plates, n = 500", plates, "%")
    .value("rods at their best, over thinness and density", sweep.rods[1], "%")
    .figure(table.figure("Tests of pairs that do not collide in which vertices reoccur", 0, &[1, 2, 3], "% of tests", [true, true]))
    .table(table)
}

fn figure_65(all: &[Measured]) -> Row {
    let table = by_size("most", "", all, |found| largest(&found.steps.all) as f64);
    let of = |kind: Kind| {
        let most = |found: &Measured| largest(&found.steps.all) as f64;
        let sizes: Vec<f64> = all.iter().filter(|found| found.kind == kind).map(most).collect();
        [sizes[0], sizes[sizes.len() - 1]]
    };
    let [ellipsoids, rods, plates] = Kind::THREE.map(of);
    let near = |measured: f64, paper: f64| (0.8..=1.25).contains(&(measured / paper));
    let is_in_order = rods[1] >= plates[1] && plates[1] >= ellipsoids[1] && rods[1] > rods[0];
    Row::new(
        "S5",
        Verdict::of(near(ellipsoids[1], 22.0) && near(plates[1], 40.0) && near(rods[1], 55.0), is_in_order),
        "Fewer, in the thesis's order: rods take most, ellipsoids fewest, and rods and plates take the more the more vertices they have. The longest search depends on how many there are and on how thin the bodies are, which the thesis does not say.",
    )
    .value("ellipsoids, fewest vertices", ellipsoids[0], "steps")
    .value("ellipsoids, most vertices", ellipsoids[1], "steps")
    .value("rods, fewest vertices", rods[0], "steps")
    .value("rods, most vertices", rods[1], "steps")
    .value("plates, fewest vertices", plates[0], "steps")
    .value("plates, most vertices", plates[1], "steps")
    .figure(table.figure("Figure 6.5: the most steps", 0, &[1, 2, 3], "steps", [true, false]))
    .table(table)
}

fn tails(all: &[Measured]) -> Row {
    // All sizes of a shape together: rare cases need many searches.
    let longest = all.iter().map(|found| largest(&found.steps.all)).max().unwrap_or(0);
    let mut table = Table::new("tails", &["steps", "ellipsoids (%)", "rods (%)", "plates (%)"]);
    let beyond = |kind: Kind, least: usize| {
        let of_kind = || all.iter().filter(|found| found.kind == kind);
        let (some, whole) = of_kind().fold((0.0, 0.0), |(some, whole), found| {
            (some + sum(found.steps.all.get(least - 1..).unwrap_or(&[])), whole + sum(&found.steps.all))
        });
        100.0 * some / whole.max(1.0)
    };
    for least in 1..=longest {
        let mut row = vec![(least as f64).into()];
        row.extend(Kind::THREE.map(|kind| beyond(kind, least).into()));
        table.push(row);
    }
    // As many as the thesis's longest searches have, over its sizes.
    let [ellipsoids, rods, plates] =
        [(Kind::Ellipsoids, 22), (Kind::Rods, 25), (Kind::Plates, 20)].map(|(kind, k)| beyond(kind, k));
    let most = ellipsoids.max(rods).max(plates);
    Row::new(
        "S6",
        Verdict::of(most <= 0.01, most <= 0.1),
        "Counted is what takes as many steps as the thesis's longest search of any size, or more.",
    )
    .value("ellipsoids: 22 steps or more", ellipsoids, "%")
    .value("rods: 25 steps or more", rods, "%")
    .value("plates: 20 steps or more", plates, "%")
    .value("tests", all.iter().map(|found| sum(&found.steps.all)).sum(), "")
    .figure(table.figure("Searches that take so many steps or more", 0, &[1, 2, 3], "% of tests", [false, true]))
    .table(table)
}

fn other_sizes(all: &[Measured]) -> Row {
    let table = by_size("within_three", " (%)", all, |found| found.apart(3));
    let spread = |least: usize| {
        let of = |kind: Kind| {
            let shares =
                all.iter().filter(|found| found.kind == kind && found.vertices >= least).map(|found| found.apart(3));
            let (low, high) =
                shares.fold((f64::INFINITY, 0.0_f64), |(low, high), share| (low.min(share), high.max(share)));
            high - low
        };
        Kind::THREE.map(of).into_iter().fold(0.0, f64::max)
    };
    Row::new(
        "S7",
        Verdict::of(spread(0) <= 5.0, spread(50) <= 5.0),
        "The rule is five points of a hundred between the fewest and the most vertices.",
    )
    .value("within three steps: largest difference between sizes of a shape", spread(0), "% of tests")
    .value("the same from 50 vertices on", spread(50), "% of tests")
    .figure(table.figure(
        "Pairs that do not collide: within three steps",
        0,
        &[1, 2, 3],
        "% within three steps",
        [true, false],
    ))
    .table(table)
}

/// Steps (3.2) and (3.5); the hemisphere and the half-planes.
pub(super) fn choices(effort: Effort) -> Vec<Row> {
    let mut steps = Table::new(
        "steps",
        &[
            "shape",
            "greedy, apart",
            "conservative, apart",
            "greedy, all",
            "conservative, all",
            "greedy (ns)",
            "conservative (ns)",
        ],
    );
    let mut tests = Table::new(
        "searches",
        &["shape", "hemisphere, all", "half-planes, all", "hemisphere (ns)", "half-planes (ns)"],
    );
    let (mut fewer, mut ratios, mut longer) = (0, Vec::new(), 0.0_f64);
    for kind in Kind::THREE {
        let recording = record(&setting(kind, effort.pick(100, USUAL), effort), 64);
        let greedy = run::<Hemisphere, _>(&recording, &Greedy);
        let conservative = run::<Hemisphere, _>(&recording, &Conservative);
        let half_planes = run::<HalfPlanes, _>(&recording, &Greedy);
        fewer += usize::from(mean(&greedy.apart) < mean(&conservative.apart));
        ratios.push(mean(&conservative.apart) / mean(&greedy.apart));
        longer = longer.max(mean(&half_planes.all) / mean(&greedy.all));
        steps.push(vec![
            kind.name().into(),
            mean(&greedy.apart).into(),
            mean(&conservative.apart).into(),
            mean(&greedy.all).into(),
            mean(&conservative.all).into(),
            greedy.nanoseconds.into(),
            conservative.nanoseconds.into(),
        ]);
        tests.push(vec![
            kind.name().into(),
            mean(&greedy.all).into(),
            mean(&half_planes.all).into(),
            greedy.nanoseconds.into(),
            half_planes.nanoseconds.into(),
        ]);
    }
    let sets = effort.pick(2000, 50_000);
    let room = margins(sets);
    let mut seconds = [f64::INFINITY; 2];
    let mut added = 0;
    for _ in 0..3 {
        let (count, of_hemisphere) = timed(|| add_all::<Hemisphere>(sets));
        let (_, of_half_planes) = timed(|| add_all::<HalfPlanes>(sets));
        seconds = [seconds[0].min(of_hemisphere), seconds[1].min(of_half_planes)];
        added = count;
    }
    let nanoseconds = seconds.map(|seconds| 1e9 * seconds / added.max(1) as f64);
    let overhead = nanoseconds[1] / nanoseconds[0];
    vec![
        Row::new(
            "S15",
            Verdict::of(fewer == 3, fewer > 0),
            "Steps of pairs that are apart are what is compared: a step costs the same by either rule.",
        )
        .value("shapes for which greedy takes fewer steps", fewer as f64, "of 3")
        .value("ellipsoids: conservative / greedy", ratios[0], "")
        .value("rods: conservative / greedy", ratios[1], "")
        .value("plates: conservative / greedy", ratios[2], "")
        .table(steps),
        Row::new(
            "S22",
            Verdict::of(room.mean[1] > room.mean[0] && overhead > 1.0, room.mean[1] > room.mean[0]),
            "Better: the least height of the vectors above the plane, on random sets of up to eight of a cone. Searches as a whole differ little, since \
             the normal is asked about only when vertices reoccur.",
        )
        .value("sets of vectors", room.sets as f64, "")
        .value("least height, hemisphere", room.mean[0], "")
        .value("least height, half-planes", room.mean[1], "")
        .value("sets in which the hemisphere's is higher", room.better[0] as f64, "")
        .value("sets in which the half-planes' is higher", room.better[1] as f64, "")
        .time("time per vector, hemisphere", nanoseconds[0], "ns")
        .time("time per vector, half-planes", nanoseconds[1], "ns")
        .value("steps of searches, half-planes / hemisphere, at most", longer, "")
        .table(tests),
    ]
}

/// Visit stamps; the table and the first vector.
pub(super) fn local_searches(effort: Effort) -> Vec<Row> {
    let sizes: &[usize] = effort.pick(&[20, 500], &[20, 100, 500, 1000]);
    let mut stamps = Table::new(
        "stamps",
        &["vertices", "searches", "walks", "steps per walk", "products per walk", "with stamps", "saved (%)"],
    );
    let mut first = Table::new(
        "new_pairs",
        &[
            "vertices",
            "first vector",
            "first vertices",
            "searches",
            "vectors per search",
            "steps of walks per search",
            "products per search",
        ],
    );
    let (mut products, mut spared, mut most) = (0.0, 0.0, 0.0_f64);
    let (mut vectors, mut walked) = (Vec::new(), Vec::new());
    // By first vector: the share of searches that it ends, of all searches of pairs that are apart.
    let mut at_once = [[0_u64; 2]; 3];
    for &vertices in sizes {
        let recording = record(&setting(Kind::Mixed, vertices, effort), 65);
        use FirstVector::{Boxes, Centers, XAxis};
        for (vector, from_table) in [(Centers, true), (Centers, false), (XAxis, true), (XAxis, false), (Boxes, true)] {
            let found = local_search::run(&recording, Beginning { vector, from_table });
            let Searches { count, vectors: asked, walks, apart, at_once: separated } = found[0];
            if let Some(place) = [Centers, Boxes, XAxis].iter().position(|known| *known == vector && from_table) {
                at_once[place] = [at_once[place][0] + separated, at_once[place][1] + apart];
            }
            let per = |sum: u64| sum as f64 / count.max(1) as f64;
            first.push(vec![
                (vertices as f64).into(),
                match vector {
                    Centers => "centres",
                    Boxes => "contact of boxes",
                    XAxis => "x axis",
                }
                .into(),
                if from_table { "table" } else { "vertex 0" }.into(),
                (count as f64).into(),
                per(asked).into(),
                per(walks.steps).into(),
                per(walks.stamped).into(),
            ]);
            vectors.push(per(asked));
            walked.push(per(walks.steps));
            // The thesis's own beginning, all searches; and the longest walks there are.
            let (name, all) = match (vector, from_table) {
                (Centers, true) => {
                    let mut all = walks;
                    all += found[1].walks;
                    products += all.products as f64;
                    spared += (all.products - all.stamped) as f64;
                    ("all", all)
                }
                (Centers, false) => ("of new pairs, from vertex 0", walks),
                _ => continue,
            };
            let per = |sum: u64| sum as f64 / all.walks.max(1) as f64;
            let saved = 100.0 * (1.0 - all.stamped as f64 / all.products as f64);
            most = most.max(saved);
            stamps.push(vec![
                (vertices as f64).into(),
                name.into(),
                (all.walks as f64).into(),
                per(all.steps).into(),
                per(all.products).into(),
                per(all.stamped).into(),
                saved.into(),
            ]);
        }
    }
    let saved = 100.0 * spared / products;
    // Of five beginnings per size: centres and table, centres only, table only, neither, boxes and table.
    let is_shorter = vectors.chunks(5).zip(walked.chunks(5)).map(|(v, w)| (v[0] < v[2], w[0] < w[1]));
    let (by_centers, by_table) = is_shorter.fold((0, 0), |(c, t), (x, y)| (c + usize::from(x), t + usize::from(y)));
    let last = vectors.len() - 5;
    let boxes = vectors[last + 4];
    let [of_centers, of_boxes, of_axis] = at_once.map(|[some, all]| 100.0 * some as f64 / all.max(1) as f64);
    vec![
        Row::new(
            "S18",
            Verdict::of((25.0..=45.0).contains(&saved), saved > 10.0),
            "Walks of separating-vector searches over a mixed scene, S, p and q kept from frame to frame; the same walks are counted with stamps and \
             without. What is saved is the more the longer a walk is.",
        )
        .value("scalar products saved", saved, "%")
        .value("most, where walks are longest", most, "%")
        .table(stamps),
        Row::new(
            "S19",
            Verdict::of(by_centers == sizes.len() && by_table == sizes.len(), by_centers + by_table > 0),
            "Searches of pairs whose boxes did not overlap before. The x axis and the first vertex stand for a beginning without knowledge.",
        )
        .value("sizes for which the centres' vector saves vectors", by_centers as f64, "")
        .value("sizes for which the table saves steps", by_table as f64, "")
        .value("sizes", sizes.len() as f64, "")
        .value("vectors per search, from the centres, largest size", vectors[last], "")
        .value("vectors per search, from the x axis, largest size", vectors[last + 2], "")
        .value("vectors per search, from the contact of the boxes, largest size", boxes, "")
        .value("steps of walks, from the table, largest size", walked[last], "")
        .value("steps of walks, from vertex 0, largest size", walked[last + 1], "")
        .table(first),
        Row::new(
            "S31",
            Verdict::of(of_centers > 50.0 && of_centers > of_axis, of_centers > of_axis),
            "New pairs that are apart whose first vector separates already. The rule reads \"likely\" as more than half of them.",
        )
        .value("settled by the line of centres", of_centers, "%")
        .value("settled by the contact of the boxes (three cases)", of_boxes, "%")
        .value("settled by the x axis", of_axis, "%"),
    ]
}
