//! Figures about real robots: which URDFs load, poses for a comparison, time per configuration and per proved edge.
//!
//! ```sh
//! pip download --no-deps example-robot-data     # then unpack the wheel
//! cargo run --release -p clearance-robot --example figures -- load FOLDER
//! cargo run --release -p clearance-robot --example figures -- edges robot.urdf robot.srdf FOLDER 1000
//! ```

use clearance_robot::{Checker, Collides, Edge, EdgeOptions, Error, Options, Robot};
use std::path::{Path, PathBuf};
use std::time::Instant;

type Failure = Box<dyn std::error::Error>;

fn main() -> Result<(), Failure> {
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    let words: Vec<&str> = arguments.iter().map(String::as_str).collect();
    match words[..] {
        ["load", folder] => load(Path::new(folder)),
        ["poses", urdf, packages, count] => poses(&robot(urdf, "-", packages)?, count.parse()?),
        ["configurations", urdf, srdf, packages, count] => configurations(&robot(urdf, srdf, packages)?, count.parse()?),
        ["verdicts", urdf, srdf, packages, count] => verdicts(&robot(urdf, srdf, packages)?, count.parse()?),
        ["edges", urdf, srdf, packages, count] => edges(&robot(urdf, srdf, packages)?, count.parse()?),
        ["samples", urdf, srdf, packages, count, step] => {
            samples(&robot(urdf, srdf, packages)?, count.parse()?, step.parse()?)
        }
        _ => Err("give load FOLDER, or poses, verdicts, configurations, edges or samples with their arguments; see the head of this file".into()),
    }
}

fn robot(urdf: &str, srdf: &str, packages: &str) -> Result<Robot, Error> {
    let options = Options { package_dirs: vec![PathBuf::from(packages)], ..Options::default() };
    Robot::load(Path::new(urdf), (srdf != "-").then_some(Path::new(srdf)), &options)
}

/// Loads every URDF below a folder, which is also the package folder.
fn load(folder: &Path) -> Result<(), Failure> {
    let mut files = Vec::new();
    urdfs(folder, &mut files)?;
    files.sort();
    let options = Options { package_dirs: vec![folder.to_path_buf()], ..Options::default() };
    let mut loaded = 0;
    for file in &files {
        let start = Instant::now();
        match Robot::load(file, None, &options) {
            Ok(robot) => {
                loaded += 1;
                let shells = robot.notes().len();
                println!(
                    "{}: {} links, {} values, {} pairs, {shells} notes, {:.1} s",
                    file.display(),
                    robot.link_names().len(),
                    robot.dof(),
                    robot.checked_pairs().len(),
                    start.elapsed().as_secs_f64()
                );
            }
            Err(error) => println!("REFUSED {error}"),
        }
    }
    println!("{loaded} of {} URDFs load", files.len());
    Ok(())
}

fn urdfs(folder: &Path, files: &mut Vec<PathBuf>) -> Result<(), Failure> {
    for entry in std::fs::read_dir(folder)? {
        let path = entry?.path();
        if path.is_dir() {
            urdfs(&path, files)?;
        } else if path.extension().is_some_and(|ending| ending == "urdf") {
            files.push(path);
        }
    }
    Ok(())
}

/// Prints random configurations and the poses of all links, a line of JSON each.
fn poses(robot: &Robot, count: u64) -> Result<(), Failure> {
    println!("{{\"joints\": {:?}, \"links\": {:?}}}", robot.joint_names(), robot.link_names());
    for seed in 0..count {
        let q = robot.random_configuration(seed);
        let poses: Vec<_> = robot.forward_kinematics(&q)?.iter().map(clearance::Pose::to_array).collect();
        println!("{{\"q\": {q:?}, \"poses\": {poses:?}}}");
    }
    Ok(())
}

/// Prints the checked pairs of links, then random configurations with the clearance and the verdict, a line of JSON each.
fn verdicts(robot: &Robot, count: u64) -> Result<(), Failure> {
    let names = robot.link_names();
    let pairs: Vec<_> = robot.checked_pairs().iter().map(|pair| pair.map(|link| names[link])).collect();
    println!("{{\"joints\": {:?}, \"pairs\": {pairs:?}}}", robot.joint_names());
    let mut checker = Checker::new(robot, None);
    for seed in 0..count {
        let q = robot.random_configuration(seed);
        let verdict = match checker.in_collision(&q)? {
            Collides::No => "no",
            Collides::Yes(_) => "yes",
            Collides::Unknown(_) => "unknown",
        };
        let found = checker.clearance(&q)?.ok_or("no pair is checked")?;
        println!(
            "{{\"q\": {q:?}, \"verdict\": {verdict:?}, \"lower\": {:?}, \"upper\": {:?}}}",
            found.lower, found.upper
        );
    }
    Ok(())
}

/// Time per configuration, the least of five passes.
fn configurations(robot: &Robot, count: u64) -> Result<(), Failure> {
    let all: Vec<_> = (0..count).map(|seed| robot.random_configuration(seed)).collect();
    let mut checker = Checker::new(robot, None);
    let (mut least, mut colliding, mut unknown) = ([f64::INFINITY; 2], 0, 0);
    for _ in 0..5 {
        let start = Instant::now();
        let answers: Vec<_> = all.iter().map(|q| checker.in_collision(q)).collect::<Result<_, _>>()?;
        least[0] = least[0].min(start.elapsed().as_secs_f64());
        colliding = answers.iter().filter(|answer| matches!(answer, Collides::Yes(_))).count();
        unknown = answers.iter().filter(|answer| matches!(answer, Collides::Unknown(_))).count();
        let start = Instant::now();
        for q in &all {
            checker.clearance(q)?;
        }
        least[1] = least[1].min(start.elapsed().as_secs_f64());
    }
    let [yes_no, distance] = least.map(|seconds| seconds / count as f64 * 1e6);
    println!(
        "{count} configurations: {colliding} collide, {unknown} unknown; {yes_no:.2} us yes or no, {distance:.2} us clearance"
    );
    Ok(())
}

/// Free configurations of a robot, by number.
fn free(robot: &Robot, checker: &mut Checker, count: u64) -> Result<Vec<Vec<f64>>, Error> {
    let mut found = Vec::new();
    let mut seed = 0;
    while found.len() < count as usize && seed < 1000 * count {
        let q = robot.random_configuration(seed);
        if checker.in_collision(&q)? == Collides::No {
            found.push(q);
        }
        seed += 1;
    }
    Ok(found)
}

/// Time per edge between free configurations a fifth of the way to each other, the least of five passes.
fn edges(robot: &Robot, count: u64) -> Result<(), Failure> {
    let mut checker = Checker::new(robot, None);
    let ends = free(robot, &mut checker, count + 1)?;
    let edges: Vec<_> = ends.windows(2).map(|pair| (pair[0].clone(), part(&pair[0], &pair[1], 0.2))).collect();
    let mut times = vec![f64::INFINITY; edges.len()];
    let mut answers = Vec::new();
    for _ in 0..5 {
        answers.clear();
        for (time, (from, to)) in times.iter_mut().zip(&edges) {
            let start = Instant::now();
            answers.push(checker.edge(from, to, &EdgeOptions::default())?);
            *time = time.min(start.elapsed().as_secs_f64());
        }
    }
    let proved: Vec<&Edge> = answers.iter().filter(|edge| edge.free() == Some(true)).collect();
    let contacts = answers.iter().filter(|edge| edge.free() == Some(false)).count();
    let tests: u64 = proved.iter().map(|edge| if let Edge::Free(free) = edge { free.tests } else { 0 }).sum();
    let mut free_times: Vec<f64> =
        times.iter().zip(&answers).filter(|(_, edge)| edge.free() == Some(true)).map(|(time, _)| *time * 1e6).collect();
    free_times.sort_by(f64::total_cmp);
    let at = |share: f64| free_times.get((share * free_times.len() as f64) as usize).copied().unwrap_or(f64::NAN);
    println!(
        "{} edges: {} free, {contacts} with a contact, {} undecided; per free edge {:.1} us median, {:.1} us 95 %, {:.1} tests",
        edges.len(),
        proved.len(),
        edges.len() - proved.len() - contacts,
        at(0.5),
        at(0.95),
        tests as f64 / proved.len().max(1) as f64
    );
    Ok(())
}

/// Every edge that is called free, sampled; every first contact, too.
fn samples(robot: &Robot, count: u64, step: f64) -> Result<(), Failure> {
    let mut checker = Checker::new(robot, None);
    let ends = free(robot, &mut checker, count + 1)?;
    let (mut free, mut contacts, mut undecided, mut sampled, mut wrong) = (0_u64, 0_u64, 0_u64, 0_u64, 0_u64);
    for pair in ends.windows(2) {
        let (from, to) = (&pair[0], &part(&pair[0], &pair[1], 0.3));
        let edge = checker.edge(from, to, &EdgeOptions::default())?;
        let end = match &edge {
            Edge::Free(_) => 1.0,
            Edge::Contact(contact) => contact.lower,
            Edge::Undecided { from, .. } => *from,
        };
        match edge.free() {
            Some(true) => free += 1,
            Some(false) => contacts += 1,
            None => undecided += 1,
        }
        let widest = from.iter().zip(to).map(|(one, other)| (other - one).abs()).fold(0.0, f64::max);
        let steps = (widest / step.to_radians()).ceil().max(1.0) as u64;
        let mut least = f64::INFINITY;
        for number in 0..=steps {
            let at = end * number as f64 / steps as f64;
            if let Some(found) = checker.clearance(&part(from, to, at))? {
                least = least.min(found.upper);
            }
            sampled += 1;
        }
        if least < 0.0 || matches!(&edge, Edge::Free(free) if free.lower > least) {
            wrong += 1;
            println!("WRONG {edge:?}: a sample has {least:e}: {from:?} {to:?}");
        }
    }
    println!(
        "{free} free, {contacts} with a contact, {undecided} undecided; {sampled} samples, {wrong} edges contradicted"
    );
    Ok(())
}

fn part(from: &[f64], to: &[f64], share: f64) -> Vec<f64> {
    from.iter().zip(to).map(|(from, to)| from + share * (to - from)).collect()
}
