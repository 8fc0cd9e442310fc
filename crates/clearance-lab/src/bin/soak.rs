//! `cargo xtask soak`: runs pairs through every engine for the given time, and checks every answer.

use clearance_lab::soak::{LIGHT, Plan, Tally, run};
use indicatif::{ProgressBar, ProgressDrawTarget, ProgressStyle};
use std::process::ExitCode;
use std::time::{Duration, Instant};

const USAGE: &str = "usage: cargo xtask soak [--minutes N] [--threads T] [--seed S] [--exact K] [--pair K]

  --minutes N   how long, 20 by default; fractions are fine
  --threads T   how many threads, all cores by default
  --seed S      which pairs; drawn from the clock by default, and printed
  --exact K     one pair in K goes before the exact checker, 16 by default; 0 for none
  --pair K      only the pair of that number, as a failure names it";

fn main() -> ExitCode {
    let plan = match plan(std::env::args().skip(1)) {
        Ok(plan) => plan,
        Err(sentence) => {
            eprintln!("error: {sentence}\n\n{USAGE}");
            return ExitCode::from(2);
        }
    };
    println!("seed {}, {} threads, {:.1} minutes", plan.seed, plan.threads, plan.time.as_secs_f64() / 60.0);
    let start = Instant::now();
    let bar = ProgressBar::with_draw_target(Some(plan.time.as_secs()), ProgressDrawTarget::stderr());
    let style = ProgressStyle::with_template("{bar:40} {elapsed}/{len}s {msg}");
    bar.set_style(style.expect("a valid template"));
    let tally = run(&plan, |queries, failures| {
        bar.set_position(start.elapsed().as_secs());
        bar.set_message(format!("{queries} queries, {failures} pairs refuted"));
    });
    bar.finish_and_clear();
    print(&tally, start.elapsed());
    if tally.failures == 0 { ExitCode::SUCCESS } else { ExitCode::FAILURE }
}

fn plan(mut arguments: impl Iterator<Item = String>) -> Result<Plan, String> {
    let clock = std::time::SystemTime::now().duration_since(std::time::UNIX_EPOCH).map_or(0, |time| time.as_secs());
    let cores = std::thread::available_parallelism().map_or(1, usize::from);
    let mut plan =
        Plan { seed: clock, threads: cores, time: Duration::from_secs(1200), pairs: u64::MAX, exact: 16, only: None };
    while let Some(flag) = arguments.next() {
        let value = arguments.next().ok_or(format!("{flag} needs a value"))?;
        let number =
            |text: &str| text.parse::<u64>().map_err(|_| format!("{flag} is {text}, but must be a whole number"));
        match flag.as_str() {
            "--minutes" => {
                let minutes = value.parse::<f64>().ok().filter(|m| *m > 0.0 && *m < 1e6);
                let minutes = minutes.ok_or(format!("--minutes is {value}, but must be a positive number"))?;
                plan.time = Duration::from_secs_f64(60.0 * minutes);
            }
            "--threads" => plan.threads = number(&value)?.clamp(1, 1024) as usize,
            "--seed" => plan.seed = number(&value)?,
            "--exact" => plan.exact = number(&value)?,
            "--pair" => plan.only = Some(number(&value)?),
            _ => return Err(format!("{flag} is unknown")),
        }
    }
    Ok(plan)
}

fn print(tally: &Tally, time: Duration) {
    let Tally { pairs, queries, .. } = tally;
    println!("{pairs} pairs, {queries} queries in {:.0} s", time.as_secs_f64());
    for (engine, count) in &tally.engines {
        println!("  {engine:<12} {count:>12} queries");
    }
    let [proved, first, undecided, rest] = tally.exact;
    println!(
        "exact checker: {} pairs, {proved} with all answers proved, {first} with the first, {undecided} undecided, {rest} not \
         to be asked; {} answers proved",
        tally.exact.iter().sum::<u64>(),
        tally.proved
    );
    println!("\n{:<24} {:>10} {:>10} {:>10}", "kinds", "pairs", "open", "undecided");
    for (kinds, [pairs, open, undecided]) in &tally.kinds {
        println!("{kinds:<24} {pairs:>10} {open:>10} {undecided:>10}");
    }
    if !tally.examples.is_empty() {
        println!("\nthe first bracket of each kind that is open by more than 1e-10 of the scale:");
        for (what, example) in &tally.examples {
            println!("\n{what}: {example}");
        }
    }
    for failure in &tally.refuted {
        println!("\nREFUTED {failure}");
    }
    let Tally { open, undecided, failures, wide: [wide, very_wide], heavy, most_work, .. } = tally;
    println!(
        "\n{wide} brackets wider than 1e-10 of the size, {very_wide} wider than 1e-6; {heavy} answers about convex shapes took more than \
         {LIGHT} support points and functions, the most {most_work}"
    );
    println!("\n{failures} pairs refuted, {undecided} answers undecided, {open} brackets open, of {queries} queries");
}
