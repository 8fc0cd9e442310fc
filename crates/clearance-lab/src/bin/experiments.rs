//! Prints the tables of the papers' experiments: `cargo run --release -p clearance-lab --bin experiments`.

use clearance_lab::experiments::{self, hashing, multi_body, penetration, scheduling, simulation, vector_steps};
use std::process::ExitCode;

fn main() -> ExitCode {
    let is_quick = match std::env::args().skip(1).collect::<Vec<_>>()[..] {
        [] => false,
        [ref only] if only == "--quick" => true,
        _ => {
            eprintln!("error: the only argument there is is --quick; leave it out to run the experiments in full");
            return ExitCode::from(2);
        }
    };
    println!("{}", experiments::run(is_quick).tables());
    let (frames, passes, counts): (_, _, &[usize]) =
        if is_quick { (200, 1, &[250]) } else { (4000, 5, &[250, 500, 1000, 2000, 4000]) };
    println!("{}", hashing::table(frames, passes));
    println!("{}", hashing::clusters(if is_quick { 5 } else { 50 }, counts));
    println!("{}", vector_steps::table(is_quick));
    println!("{}", vector_steps::choices(is_quick));
    println!("{}", multi_body::tables(is_quick));
    println!("{}", simulation::tables(is_quick));
    let (sizes, seconds): (&[usize], _) = if is_quick { (&[60], 3.0) } else { (&[100, 300, 1000], 10.0) };
    let rows: Vec<_> =
        sizes.iter().flat_map(|&bodies| [0.5, 2.0].map(|speed| scheduling::run(bodies, speed, seconds, 14))).collect();
    println!("{}", scheduling::table(&rows, seconds));
    // `clearance reproduce penetration-depth --quick` is the short form of these.
    if !is_quick {
        println!("{}", penetration::table(&penetration::all(false)));
        println!("{}", penetration::accuracy_table());
    }
    ExitCode::SUCCESS
}
