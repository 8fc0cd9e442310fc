//! Prints the tables of the V-Clip paper's experiments: `cargo run --release -p clearance-lab --bin experiments`.

use clearance_lab::experiments;
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
    ExitCode::SUCCESS
}
