//! Real robots: the folder of the unpacked wheel `example-robot-data` is in `CLEARANCE_ROBOTS`. Without it these tests say so and end.

use clearance_robot::{Checker, Edge, EdgeOptions, Options, Robot};
use std::fs;
use std::path::{Path, PathBuf};

/// The URDFs below a folder.
fn urdfs(folder: &Path, found: &mut Vec<PathBuf>) {
    for entry in fs::read_dir(folder).unwrap() {
        let path = entry.unwrap().path();
        if path.is_dir() {
            urdfs(&path, found);
        } else if path.extension().is_some_and(|ending| ending == "urdf") {
            found.push(path);
        }
    }
}

/// The folder `share` of the wheel, which has the package `example-robot-data`.
fn wheel() -> Option<PathBuf> {
    let folder = std::env::var_os("CLEARANCE_ROBOTS").map(PathBuf::from);
    if folder.is_none() {
        println!(
            "CLEARANCE_ROBOTS does not name a folder with the wheel example-robot-data; real robots are not tested"
        );
    }
    folder.map(|folder| folder.join("cmeel.prefix/share"))
}

#[test]
fn every_robot_of_the_wheel_loads_or_is_refused_with_file_and_line() {
    let Some(share) = wheel() else { return };
    let mut files = Vec::new();
    urdfs(&share, &mut files);
    assert_eq!(files.len(), 69);
    let options = Options { package_dirs: vec![share], ..Options::default() };
    for file in files {
        match Robot::load(&file, None, &options) {
            Ok(robot) => {
                let q = robot.random_configuration(1);
                assert!(robot.clearance(&q, None).unwrap().is_none_or(|found| found.lower <= found.upper), "{file:?}");
            }
            Err(error) => {
                let sentence = error.to_string();
                println!("{sentence}");
                assert!(sentence.starts_with(&format!("{}, line ", file.display())), "{sentence}");
            }
        }
    }
}

#[test]
fn no_edge_of_the_panda_that_is_called_free_has_a_sample_in_contact() {
    let Some(share) = wheel() else { return };
    let options = Options { package_dirs: vec![share.clone()], ..Options::default() };
    let folder = share.join("example-robot-data/robots/panda_description");
    let robot = Robot::load(&folder.join("urdf/panda.urdf"), Some(&folder.join("srdf/panda.srdf")), &options).unwrap();
    let mut checker = Checker::new(&robot, None);
    for seed in 0..200 {
        let [from, to] = [2 * seed, 2 * seed + 1].map(|seed| robot.random_configuration(seed));
        let edge = checker.edge(&from, &to, &EdgeOptions::default()).unwrap();
        let end = match edge {
            Edge::Free(_) => 1.0,
            Edge::Contact(contact) => contact.lower,
            Edge::Undecided { from, .. } => from,
        };
        for sample in 0..=300 {
            let share = end * f64::from(sample) / 300.0;
            let q: Vec<f64> = from.iter().zip(&to).map(|(from, to)| from + share * (to - from)).collect();
            let found = checker.clearance(&q).unwrap().unwrap();
            assert!(end == 0.0 || found.upper > 0.0, "{edge:?}: {found:?}");
        }
    }
}
