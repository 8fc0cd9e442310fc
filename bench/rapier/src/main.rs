//! Simulations of Clearance beside rapier's, on the same scenes in one process: the section *Simulations* of COMPARE.md.
//!
//! `cargo bench-rapier [SCENE] [--only ENGINE] [--passes N] [--seconds S] [--length L] [--markdown FILE]`. All engines take 60 frames per second on one thread. The time is that of the processor
//! for the frames alone, the least of the passes, which take turns. After each frame of the first pass the library measures all overlaps,
//! with proofs. With the variable `FRAMES` the energy and the penetration of each frame are printed.

use clearance_rapier::{Engine, EngineKind, Record, Watch, scenes};
use clearance_sim::Scene;
use cpu_time::ProcessTime;
use std::fmt::Write as _;
use std::fs;

/// A scene of the table.
struct Row {
    name: &'static str,
    scene: Scene,
    seconds: u32,
    /// The size of a typical body, which penetrations are set against.
    length: f64,
    /// rapier's `length_unit`.
    unit: f64,
    /// The least height of centres, from which energies are measured.
    floor: f64,
    has_event: bool,
}

fn rows() -> Vec<Row> {
    let of = |name, scene, seconds, [length, floor]: [f64; 2], has_event| Row {
        name,
        scene,
        seconds,
        length,
        unit: length,
        floor,
        has_event,
    };
    vec![
        of("coins", clearance_sim::scenes::coins(), 3, [0.02, 0.001], true),
        of("bowling", clearance_sim::scenes::bowling(), 4, [0.2, 0.1], true),
        of("bullet", clearance_sim::scenes::bullet(), 1, [0.01, 0.0], true),
        of("pyramid of 210 boxes", scenes::pyramid(20), 5, [1.0, 0.5], false),
        of("500 stones in a bowl", scenes::bowl(500), 5, [0.4, 0.15], false),
    ]
}

fn main() {
    // Before the first use of the pool.
    rayon_on_one_thread();
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    let after = |name: &str| arguments.iter().position(|text| text == name).and_then(|i| arguments.get(i + 1));
    let passes: u32 = after("--passes").and_then(|text| text.parse().ok()).unwrap_or(3);
    let seconds: Option<u32> = after("--seconds").and_then(|text| text.parse().ok());
    let length: Option<f64> = after("--length").and_then(|text| text.parse().ok());
    let file = after("--markdown");
    let only = after("--only");
    let wanted = arguments.first().filter(|text| !text.starts_with("--"));
    let mut table = String::from(
        "| scene | engine | ms per simulated second | worst penetration | part of the size | at the end | missed | energy rise | asleep |\n|---|---|---:|---:|---:|---:|---:|---:|---:|\n",
    );
    let changed = |row: Row| Row { seconds: seconds.unwrap_or(row.seconds), unit: length.unwrap_or(row.unit), ..row };
    for row in
        rows().into_iter().map(changed).filter(|row| wanted.is_none_or(|wanted| row.name.contains(wanted.as_str())))
    {
        let start = table.len();
        measure(&row, passes, |kind| only.is_none_or(|only| kind.name().contains(only.as_str())), &mut table);
        print!("{}", &table[start..]);
    }
    if let Some(file) = file {
        put(file, &table);
    }
}

/// rapier runs on one thread, and times are those of the processor.
fn rayon_on_one_thread() {
    rayon::ThreadPoolBuilder::new().num_threads(1).build_global().expect("the first use of the pool");
}

fn measure(row: &Row, passes: u32, is_wanted: impl Fn(EngineKind) -> bool, table: &mut String) {
    let mut kinds = vec![EngineKind::Steps];
    kinds.extend(row.has_event.then_some(EngineKind::Event));
    kinds.extend([EngineKind::Rapier, EngineKind::RapierOnClearance]);
    kinds.retain(|&kind| is_wanted(kind));
    let is_loud = std::env::var_os("FRAMES").is_some();
    let mut times = vec![f64::INFINITY; kinds.len()];
    let mut records: Vec<Option<Record>> = vec![None; kinds.len()];
    for pass in 0..passes {
        for (k, &kind) in kinds.iter().enumerate() {
            let mut engine = Engine::new(kind, &row.scene, row.unit);
            let mut watch = (pass == 0).then(|| Watch::new(&row.scene, &engine, row.floor));
            let mut time = 0.0;
            for frame in 1..=row.seconds * 60 {
                let start = ProcessTime::now();
                let is_going = engine.advance(frame);
                time += start.elapsed().as_secs_f64();
                if !is_going {
                    println!("{}: {} gave up in frame {frame}", row.name, kind.name());
                    time = f64::INFINITY;
                    break;
                }
                if let Some(watch) = &mut watch {
                    watch.see(&engine);
                    if is_loud {
                        println!("{frame} {:.6e} {:.3e}", engine.energy(), watch.record().penetration_at_end);
                    }
                }
            }
            times[k] = times[k].min(time);
            if let Some(watch) = watch {
                records[k] = Some(watch.record().clone());
            }
        }
    }
    for ((kind, time), record) in kinds.iter().zip(times).zip(records) {
        let record = record.unwrap_or_default();
        let _ = writeln!(
            table,
            "| {} | {} | {:.2} | {} | {} | {} | {} | {} | {} |",
            row.name,
            kind.name(),
            1e3 * time / f64::from(row.seconds),
            metres(record.penetration),
            metres(record.penetration / row.length),
            metres(record.penetration_at_end),
            record.missed,
            metres(record.rise),
            record.sleeping,
        );
    }
}

fn metres(value: f64) -> String {
    if value == 0.0 { "0".into() } else { format!("{value:.1e}") }
}

/// Replaces the table between the anchors of its section.
fn put(file: &str, table: &str) {
    let (begin, end) = ("<!-- ANCHOR: rapier -->\n", "<!-- ANCHOR_END: rapier -->");
    let text = fs::read_to_string(file).expect("a file that can be read");
    let from = text.find(begin).expect("the anchor of the section") + begin.len();
    let until = from + text[from..].find(end).expect("the end of the section");
    // Behind the prose of the section.
    let head = text[from..until].find("| scene |").map_or(until, |at| from + at);
    let text = format!("{}{table}\n{}", &text[..head], &text[until..]);
    fs::write(file, text).expect("a file that can be written");
}
