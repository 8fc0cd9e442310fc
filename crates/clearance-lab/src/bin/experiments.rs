//! Prints the tables of the papers' experiments: `cargo run --release -p clearance-lab --bin experiments`.

use clearance::Engine;
use clearance_lab::experiments::{coherence, degeneracy, hashing, simulation};
use std::process::ExitCode;

fn main() -> ExitCode {
    let quick = match std::env::args().skip(1).collect::<Vec<_>>()[..] {
        [] => false,
        [ref only] if only == "--quick" => true,
        _ => {
            eprintln!("error: the only argument there is is --quick; leave it out to run the experiments in full");
            return ExitCode::from(2);
        }
    };
    let (size, trials) = if quick { (coherence::Size::QUICK, 100) } else { (coherence::Size::FULL, 100_000) };
    let mut rows = Vec::new();
    for (name, points) in coherence::shapes() {
        for degrees in [0.0, 1.0, 2.0, 5.0, 10.0, 15.0, 20.0, 25.0] {
            rows.push(coherence::run(name, &points, degrees, size));
        }
    }
    println!("{}", coherence::table(&rows));
    let reports =
        degeneracy::SETTINGS.map(|setting| ("vclip", setting, degeneracy::run(Engine::VClip, setting, trials)));
    println!("{}", degeneracy::table(&reports));
    let (frames, passes, counts): (_, _, &[usize]) =
        if quick { (200, 1, &[250]) } else { (4000, 5, &[250, 500, 1000, 2000, 4000]) };
    println!("{}", hashing::table(frames, passes));
    println!("{}", hashing::clusters(if quick { 5 } else { 50 }, counts));
    println!("{}", simulation::tables(quick));
    ExitCode::SUCCESS
}
