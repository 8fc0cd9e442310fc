//! Section 2: hashing, coherent and plain, and what its lemma and theorems say; coordinate sorting beside it.

use super::exponent;
use super::{CoherentHash, PlainHash};
use crate::Effort;
use crate::row::{Cell, Row, Table, Verdict};
use crate::two_phase::hashing::{self, trembling};
use crate::two_phase::line::{EXAMPLE, Ladder};
use crate::two_phase::scenes::{BoxKind, SCENES};
use crate::two_phase::tiles;
use crate::two_phase::tiling::{Form, PrintedHash, Tiling};
use clearance::broad::BroadPhase;
use clearance::internals::broad::SweepPrune;
use clearance_lab::Rng;

pub(super) fn scenes(effort: Effort) -> Vec<Row> {
    let frames = effort.pick(3000, 10_000);
    let mut table = Table::new(
        "scenes",
        &[
            "scene",
            "bodies",
            "paper's ratio",
            "buckets, plain (per update)",
            "buckets, coherent (per update)",
            "ratio of buckets",
            "time, plain (ns)",
            "time, coherent (ns)",
            "ratio of times",
            "ratio of buckets, tight boxes",
            "ratio of times, tight boxes",
            "time, plain as printed (ns)",
            "time, coherent as printed (ns)",
            "ratio of times, as printed",
        ],
    );
    let mut culled = Table::new("pairs", &["scene", "all pairs", "close (per frame)", "overlapping (per frame)"]);
    let (mut least_buckets, mut least_time) = (f64::INFINITY, f64::INFINITY);
    let mut is_culling_less = true;
    let (mut rows, mut by_scene) = (Vec::new(), Vec::new());
    // Of the printed hash: frames with other close pairs, frames compared, labels of both forms.
    let (mut differing, mut compared, mut stored, mut is_storing_more) = (0, 0, [0; 2], true);
    let mut printed_ratios: Vec<f64> = Vec::new();
    let (mut spins, mut totals) = ([0.0; 2], [0.0; 2]);
    for scene in &SCENES {
        let is_top = scene.name == "rattleback top";
        // It takes its time to turn back.
        let frames = if is_top { 2 * frames } else { frames };
        let recording = scene.record(frames);
        if is_top {
            spins = [1, frames].map(|frame| recording.spin(1, frame).z);
        }
        let tracks = recording.tracks(BoxKind::Grown);
        let measure = |tracks: &_| {
            let [[plain, _], [coherent, _]] = hashing::work(tracks);
            let passes = effort.pick(3, 5);
            let slow = hashing::time::<PlainHash>(tracks, passes).as_nanos() as f64;
            let fast = hashing::time::<CoherentHash>(tracks, passes).as_nanos() as f64;
            [plain, coherent, plain / coherent, slow, fast, slow / fast]
        };
        // A body that stays in its tiles has no ratio.
        let cell = |value: f64| if value.is_finite() { value.into() } else { Cell::from("none looked at") };
        let grown = measure(&tracks);
        let tight = measure(&recording.tracks(BoxKind::Tight));
        (least_buckets, least_time) = (least_buckets.min(grown[2]), least_time.min(grown[5]));
        by_scene.push(grown[5]);
        let mut row = vec![scene.name.into(), (tracks[0].len() as f64).into(), scene.paper.into()];
        row.extend(grown.map(cell));
        row.extend([tight[2], tight[5]].map(cell));
        let (different, labels, [plain, coherent]) = hashing::printed(&tracks, effort.pick(3, 5));
        (differing, printed_ratios) = (differing + different, [printed_ratios, vec![plain / coherent]].concat());
        is_storing_more &= labels[1] >= labels[0];
        stored = [stored[0] + labels[0], stored[1] + labels[1]];
        compared += tracks.len().div_ceil(10);
        row.extend([plain, coherent, plain / coherent].map(cell));
        table.push(row);

        let mut hash = CoherentHash::default();
        let mut frame_table = Table::new("frames", &["time (ms)", "all pairs", "close", "boxes overlap"]);
        let (bodies, mut close, mut overlapping) = (tracks[0].len(), 0, 0);
        let all = bodies * (bodies - 1) / 2;
        for (frame, boxes) in tracks.iter().enumerate() {
            boxes.iter().zip(0..).for_each(|(bounds, slot)| hash.set(slot, bounds));
            hash.update();
            let (now, meet) = (hash.finder().close_pairs().len(), hash.pairs().len());
            is_culling_less &= meet <= now;
            (close, overlapping) = (close + now, overlapping + meet);
            if frame % 10 == 0 {
                frame_table.push(vec![
                    (frame as f64).into(),
                    (all as f64).into(),
                    (now as f64).into(),
                    (meet as f64).into(),
                ]);
            }
        }
        let each = |count: usize| count as f64 / tracks.len() as f64;
        totals = [totals[0] + each(close), totals[1] + each(overlapping)];
        is_culling_less &= bodies == 2 || overlapping < close;
        culled.push(vec![scene.name.into(), (all as f64).into(), each(close).into(), each(overlapping).into()]);
        if scene.name == "coins" {
            rows.push(
                Row::new(
                    "T7",
                    Verdict::of(all == 36 && each(close) <= 18.0, each(close) < 36.0),
                    "Narrow-phase pairs, a frame each millisecond. The paper's picture is of one instant, and its count cannot be read from the text.",
                )
                .value("pairs without a broad phase", all as f64, "")
                .value("close pairs, mean per frame", each(close), "")
                .value("pairs whose boxes overlap, mean per frame", each(overlapping), "")
                .figure(frame_table.figure("Eight coins and a floor", 0, &[1, 2, 3], "pairs", [false, false]))
                .table(frame_table),
            );
        }
    }
    let least_printed = printed_ratios.iter().copied().fold(f64::INFINITY, f64::min);
    rows.push(
        Row::new(
            "T1",
            // The table compares both forms as printed. That of the product is beside it.
            Verdict::of(least_printed >= 6.0, least_buckets >= 6.0 && least_time.min(least_printed) > 1.2),
            "Integrated motions of our own: bodies collide at one point at a time and pins are cylinders; the rattleback rolls without slipping and reverses. Boxes are \
             those of figure 1, a look each millisecond. Coherent hashing visits far fewer buckets. As printed, with close pairs as its answer, it is compared with the plain form in the paper's terms; the hash of the product also sets all boxes and compares the close pairs again in \
             both forms, which is most of what is left of its time.",
        )
        .value("least ratio of buckets", least_buckets, "")
        .time("least ratio of times, as printed", least_printed, "")
        .time("coins: ratio of times, as printed", printed_ratios[0], "")
        .time("bowling: ratio of times, as printed", printed_ratios[1], "")
        .time("rattleback: ratio of times, as printed", printed_ratios[2], "")
        .time("chute: ratio of times, as printed", printed_ratios[3], "")
        .time("least ratio of times", least_time, "")
        .time("coins: ratio of times", by_scene[0], "")
        .time("bowling: ratio of times", by_scene[1], "")
        .time("rattleback: ratio of times", by_scene[2], "")
        .time("chute: ratio of times", by_scene[3], "")
        .value("rattleback: first spin", spins[0], "rad/s")
        .value("rattleback: last spin", spins[1], "rad/s")
        .table(table),
    );
    rows.push(
        Row::new(
            "T9",
            Verdict::of(is_culling_less, false),
            "Sorting leaves exactly the pairs whose boxes overlap; hashing those that share a tile. Our hashes compare the boxes of these before they report them.",
        )
        .value("close pairs per frame, all scenes", totals[0], "")
        .value("overlapping pairs per frame, all scenes", totals[1], "")
        .table(culled),
    );
    rows.push(
        Row::new(
            "T20",
            Verdict::of(differing == 0 && is_storing_more, differing == 0),
            "The printed hash in both forms, over the frames of the four scenes; a test compares both with definition 1 for other values of alpha and beta.",
        )
        .value("frames compared", compared as f64, "")
        .value("frames with other close pairs", differing as f64, "")
        .value("labels stored, plain", stored[0] as f64, "")
        .value("labels stored, coherent", stored[1] as f64, ""),
    );
    rows
}

/// Section 2.1: what alpha and beta are traded for.
pub(super) fn trade_offs(effort: Effort) -> Vec<Row> {
    let all = tiles::boxes(&mut Rng::with_seed(19), effort.pick(1000, 10_000), 256.0);
    let sizes: Vec<f64> = all.iter().map(tiles::size).collect();
    let columns =
        ["alpha", "beta", "resolutions", "buckets per box and resolution", "buckets per box", "close pairs per box"];
    let mut table = Table::new("choices", &columns);
    let [alphas, betas] = [[0.125, 0.25, 0.5], [1.0, 2.0, 4.0]];
    // By alpha, then beta.
    let found = alphas.map(|alpha| {
        betas.map(|beta| {
            let tiling = Tiling::of_sizes(alpha, beta, &sizes);
            let mut hash = PrintedHash::new(Form::Plain, tiling.clone(), &sizes);
            hash.update(&all);
            let each = |count: f64| count / all.len() as f64;
            // A box is looked up at its resolution and at all coarser ones.
            let levels: f64 = sizes.iter().map(|&size| (tiling.resolution(size) + 1) as f64).sum();
            let row = [
                alpha,
                beta,
                tiling.resolutions() as f64,
                hash.buckets() as f64 / levels,
                each(hash.buckets() as f64),
                each(hash.close_count() as f64),
            ];
            table.push(row.map(Into::into).to_vec());
            row
        })
    });
    // Fewer cells where beta is closer to 1; fewer close pairs where alpha is; fewer resolutions where beta / alpha is larger.
    let cells = found.iter().all(|of| of.windows(2).all(|pair| pair[0][3] < pair[1][3]));
    let resolves = (0..3).all(|k| found.windows(2).all(|pair| pair[1][k][5] < pair[0][k][5]));
    // The sentence says nothing of equal ratios.
    let by_ratio: Vec<[f64; 2]> = found.iter().flatten().map(|row| [row[1] / row[0], row[2]]).collect();
    let needs = by_ratio.iter().all(|a| by_ratio.iter().all(|b| a[0] >= b[0] || a[1] >= b[1]));
    let holding = [cells, resolves, needs].iter().filter(|&&holds| holds).count();
    vec![
        Row::new(
            "T19",
            Verdict::of(holding == 3, holding > 0),
            "Boxes of which the largest is two hundred times the smallest, at constant density; the printed hash, plain. The first sentence is about the cells of a resolution: with alpha fixed, a beta closer to 1 also means more \
             resolutions.",
        )
        .value("of the three sentences, those that hold for all choices", holding as f64, "")
        .value("close pairs per box, alpha 0.5 and beta 1", found[2][0][5], "")
        .value("close pairs per box, alpha 0.125 and beta 1", found[0][0][5], "")
        .value("buckets per box and resolution, alpha 0.25 and beta 1", found[1][0][3], "")
        .value("buckets per box and resolution, alpha 0.25 and beta 4", found[1][2][3], "")
        .table(table),
    ]
}

/// The example of figures 2 and 3.
pub(super) fn line(_: Effort) -> Vec<Row> {
    let ladder = Ladder { ratio: 2.0, finest: 1.0 };
    let close = ladder.close(&EXAMPLE);
    let mut table = Table::new("labels", &["tile length", "tile", "figure 2", "figure 3"]);
    let own = ladder.labels(&EXAMPLE, false);
    for (tile, number, labels) in ladder.labels(&EXAMPLE, true) {
        let plain = own.iter().find(|(size, place, _)| *size == tile && *place == number).map_or("", |found| &found.2);
        table.push(vec![tile.into(), (number as f64).into(), plain.into(), labels.as_str().into()]);
    }
    let mut pairs = Table::new("close", &["first", "second"]);
    close.iter().for_each(|[a, b]| pairs.push(vec![a.to_string().as_str().into(), b.to_string().as_str().into()]));
    let tiles = EXAMPLE.map(|segment| ladder.tile(&segment));
    let mut lengths = tiles.to_vec();
    lengths.sort_by(f64::total_cmp);
    lengths.dedup();
    let has_resolutions = tiles == [1.0, 1.0, 8.0, 1.0, 2.0, 4.0];
    let is_right = close == [['C', 'D'], ['C', 'E']];
    vec![
        Row::new(
            "T2",
            Verdict::of(has_resolutions && is_right, is_right),
            "Places of the six boxes are our own, such that all that the text says of them holds; alpha is a half as in the figure. On other boxes the product's hash, with alpha a quarter, is \
             held to the same definition by a test.",
        )
        .value("resolutions in use", lengths.len() as f64, "")
        .value("close pairs", close.len() as f64, "")
        .table(table)
        .table(pairs),
    ]
}

pub(super) fn theorems(effort: Effort) -> Vec<Row> {
    vec![lemma_1(effort), theorem_1(effort), theorem_2(effort), theorem_3(effort)]
}

fn lemma_1(effort: Effort) -> Row {
    let mut rng = Rng::with_seed(1);
    let worlds = effort.pick(300, 3000);
    let (mut over, mut excess, mut over_printed) = (0, 0, 0);
    let mut table = Table::new(
        "worlds",
        &["largest over smallest", "resolutions as printed", "resolutions of the product's hash", "lemma 1"],
    );
    for world in 0..worlds {
        let ratio = 4f64.powf(7.0 * rng.f64());
        let mut all = tiles::boxes(&mut rng, 60, ratio);
        // A unit that is no power of two.
        let unit = 4f64.powf(rng.f64());
        all.iter_mut().for_each(|b| (b.min, b.max) = (b.min * unit, b.max * unit));
        let [found, bound] = tiles::resolutions(&all);
        let sizes: Vec<f64> = all.iter().map(tiles::size).collect();
        let printed = Tiling::of_sizes(0.25, 1.0, &sizes).resolutions();
        over_printed += usize::from(printed > bound);
        (over, excess) = (over + usize::from(found > bound), excess.max(found.saturating_sub(bound)));
        if world < 100 {
            let sizes = all.iter().map(tiles::size);
            let (low, high) = sizes.fold((f64::INFINITY, 0.0_f64), |(low, high), s| (low.min(s), high.max(s)));
            table.push(vec![
                (high / low).into(),
                (printed as f64).into(),
                (found as f64).into(),
                (bound as f64).into(),
            ]);
        }
    }
    Row::new(
        "T3",
        Verdict::of(over_printed == 0, excess <= 1),
        "The lemma puts the first resolution at the smallest box, as the printed hash does. Those of the product's hash are powers of four wherever the boxes are, so that boxes can come and go: that is one more where the smallest and \
         the largest box are on different sides of a power.",
    )
    .value("worlds", worlds as f64, "")
    .value("worlds with more resolutions than the lemma has", over_printed as f64, "")
    .value("the same with the product's hash", over as f64, "")
    .value("most above it with the product's hash", excess as f64, "")
    .table(table)
}

fn theorem_1(effort: Effort) -> Row {
    let mut table = Table::new("buckets", &["R", "resolutions", "buckets per box, mean", "most", "8 per resolution"]);
    let mut holds = true;
    let (mut last, mut last_resolutions) = (0.0, 0.0);
    for power in 0..=6 {
        let ratio = 4f64.powi(power);
        let mut all = tiles::boxes(&mut Rng::with_seed(4), effort.pick(500, 5000), ratio);
        // Sizes of one are at the edge of a resolution.
        all.iter_mut().for_each(|b| (b.min, b.max) = (0.9 * b.min, 0.9 * b.max));
        let [resolutions, mean, most] = tiles::buckets(&all);
        holds &= most <= 8.0 * resolutions;
        (last, last_resolutions) = (mean / resolutions, resolutions);
        table.push(vec![ratio.into(), resolutions.into(), mean.into(), most.into(), (8.0 * resolutions).into()]);
    }
    Row::new(
        "T4",
        Verdict::of(holds, false),
        "With beta = 1 a box overlaps at most (beta + 1)³ = 8 tiles of a resolution, and few of the coarser ones are looked up for it.",
    )
    .value("buckets per box, R = 4096", last * last_resolutions, "")
    .value("resolutions, R = 4096", last_resolutions, "")
    .value("buckets per box and resolution, R = 4096", last, "")
    .value("most of them that there can be", 8.0, "per box and resolution")
    .figure(table.figure("Buckets looked at for a box", 0, &[2, 3, 4], "buckets", [true, false]))
    .table(table)
}

fn theorem_2(effort: Effort) -> Row {
    let counts: &[usize] =
        effort.pick(&[500, 1000, 2000, 4000, 8000], &[500, 1000, 2000, 4000, 8000, 16_000, 32_000, 64_000]);
    let mut table = Table::new("growth", &["n", "c", "n + c", "buckets", "labels read", "work"]);
    let mut points = Vec::new();
    for &count in counts {
        let [close, buckets, read] = tiles::growth(count);
        let (size, work) = (count as f64 + close, buckets + read);
        points.push([size, work]);
        table.push(vec![(count as f64).into(), close.into(), size.into(), buckets.into(), read.into(), work.into()]);
    }
    let slope = exponent(&points);
    Row::new(
        "T5",
        Verdict::of((0.9..1.1).contains(&slope), slope < 1.3),
        "Boxes at constant density; work is the buckets that plain hashing looks at and the labels it reads there.",
    )
    .value("work grows with n + c to the power of", slope, "")
    .figure(table.figure("Work of plain hashing", 2, &[5], "buckets and labels", [true, true]))
    .table(table)
}

fn theorem_3(effort: Effort) -> Row {
    let bound = 4.0 * 3f64.sqrt();
    let frames = effort.pick(60, 600);
    let [kept, farthest] = tiles::farthest(frames, false);
    let [changing, farthest_changing] = tiles::farthest(frames, true);
    let [kept_printed, farthest_printed] = tiles::farthest_printed(frames);
    Row::new(
        "T6",
        Verdict::of(farthest_printed <= bound && farthest <= bound, farthest <= bound),
        "Boxes that keep the size of their resolution, as the theorem has it, are within the bound, in the printed hash and in the product's. In the product's a box that shrinks keeps its coarser tiles until they are sixteen times its size, so that it \
         does not go back and forth: then the bound is four times as large.",
    )
    .value("sqrt(3)/alpha", bound, "sizes")
    .value("close pairs of the printed hash", kept_printed, "")
    .value("farthest of them, as printed", farthest_printed, "sizes")
    .value("close pairs, sizes kept", kept, "")
    .value("farthest of them", farthest, "sizes")
    .value("close pairs, sizes changing", changing, "")
    .value("farthest of them, sizes changing", farthest_changing, "sizes")
}

pub(super) fn crowded(effort: Effort) -> Vec<Row> {
    let counts: &[usize] = effort.pick(&[125, 250, 500, 1000], &[250, 500, 1000, 2000, 4000]);
    let frames = effort.pick(6, 30);
    let columns = ["exchanges, spread", "exchanges, crowded", "buckets, spread", "buckets, crowded"];
    let mut table = Table::new("trembling", &[&["parts"], &columns[..]].concat());
    let mut curves: [Vec<[f64; 2]>; 4] = Default::default();
    for &count in counts {
        let mut row = [0.0; 4];
        for (k, is_crowded) in [false, true].into_iter().enumerate() {
            let tracks = trembling(count, is_crowded, frames);
            let mut sweep = SweepPrune::default();
            for boxes in &tracks {
                boxes.iter().zip(0..).for_each(|(bounds, slot)| sweep.set(slot, bounds));
                sweep.update();
            }
            row[k] = sweep.finder().exchanges() as f64 / (frames - 1) as f64;
            row[2 + k] = hashing::work(&tracks)[1][0];
        }
        curves.iter_mut().zip(row).for_each(|(curve, value)| curve.push([count as f64, value]));
        table.push([count as f64].into_iter().chain(row).map(Into::into).collect());
    }
    let powers = [0, 1, 2, 3].map(|k| exponent(&curves[k]));
    let sorting_breaks = powers[1] > 1.8 && powers[1] > powers[0] + 0.3;
    let mut row = Row::new(
        "T8",
        Verdict::of(sorting_breaks && powers[3] < 1.2, powers[1] > powers[3] + 0.3),
        "Parts that tremble by a hundredth of their size, each at a height of its own or all on a table; per update.",
    );
    for (name, power) in columns.iter().zip(powers) {
        row = row.value(format!("{name}: grow with n to the power of"), power, "");
    }
    let figure = table.figure("Crowded coordinates", 0, &[1, 2, 3, 4], "per update", [true, true]);
    vec![row.figure(figure).table(table)]
}
