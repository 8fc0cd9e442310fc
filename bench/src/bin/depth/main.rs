//! The depth of solids: the benchmarks of the penetration-depth paper, with proven brackets.
//!
//! `cargo bench-depth [POSES] [--match NAME] [--width PART]` prints, for each case, the number of pieces of the solids and the time to make them,
//! once. For the queries it prints the median and the largest of milliseconds, nodes, sums and width of the bracket. The required width is 1e-6 of
//! the size. Times are CPU times of one thread. The paper's own times, for an estimate without bounds on a processor of 2002, stand beside them.

//!
//! With `MODELS=folder` it takes real models instead (`models.rs`).

mod models;

use clearance::Pose;
use clearance::depth::{DepthBudget, depth};
use clearance_lab::Rng;
use clearance_lab::solids::{OverlapCase, overlap_cases};
use cpu_time::ThreadTime;

fn main() {
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    let after = |flag: &str| arguments.iter().position(|a| a == flag).and_then(|i| arguments.get(i + 1));
    let poses = arguments.first().and_then(|text| text.parse().ok()).unwrap_or(40);
    if let Some(folder) = std::env::var_os("MODELS") {
        let part = after("--part").and_then(|text| text.split_once('/'));
        let part = part.and_then(|(part, parts)| Some([part.parse().ok()?, parts.parse().ok().filter(|&n| n > 0)?]));
        return models::measure(folder.as_ref(), poses, part.unwrap_or([0, 1]));
    }
    let width = after("--width").and_then(|text| text.parse().ok()).unwrap_or(1e-6);
    println!(
        "{:<17} {:>8} {:>9} | {:>17} | {:>12} {:>11} | {:>19} | {:>8}",
        "", "pieces", "once, ms", "ms per query", "nodes", "sums", "width / size", "paper, s"
    );
    for case in overlap_cases() {
        if after("--match").is_none_or(|part| case.name.contains(part.as_str())) {
            measure(&case, poses, width);
        }
    }
}

fn measure(case: &OverlapCase, poses: usize, width: f64) {
    let [a, b] = &case.shapes;
    let mut rng = Rng::with_seed(17);
    let mut ask = |nodes: usize| {
        let budget = DepthBudget { width: width * case.size, nodes, ..DepthBudget::default() };
        let pose = case.pose(&mut rng);
        let start = ThreadTime::now();
        let found = depth(a, Pose::IDENTITY, b, pose, budget);
        (1e3 * start.elapsed().as_secs_f64(), found)
    };
    // With a budget of no nodes the query only makes the pieces.
    let (once, first) = ask(0);
    let answers: Vec<_> = (0..poses).map(|_| ask(DepthBudget::default().nodes)).collect();
    let both = |mut numbers: Vec<f64>| {
        numbers.sort_by(f64::total_cmp);
        [numbers[numbers.len() / 2], numbers[numbers.len() - 1]]
    };
    let time = both(answers.iter().map(|(ms, _)| *ms).collect());
    let nodes = both(answers.iter().map(|(_, found)| found.cost.nodes as f64).collect());
    let sums = both(answers.iter().map(|(_, found)| found.cost.sums as f64).collect());
    let width = both(answers.iter().map(|(_, found)| found.width() / case.size).collect());
    let paper = match case.name {
        "interlocked tori" => "3.7",
        "touching tori" => "0.3",
        "letters" => "0.4",
        "grates" => "1.9",
        _ => "",
    };
    let pieces = first.cost.pieces.map(|count| count.to_string()).join("+");
    println!(
        "{:<17} {pieces:>8} {once:>9.0} | {:>8.2} {:>8.2} | {:>6} {:>5} {:>5} {:>5} | {:>9.1e} {:>9.1e} | {paper:>8}",
        case.name, time[0], time[1], nodes[0], nodes[1], sums[0], sums[1], width[0], width[1]
    );
}
