//! The committed hashes of many answers: see `clearance_lab::fingerprint`.

use clearance_lab::fingerprint::{SHORT, lines, written};

const COMMITTED: &str = include_str!("../fingerprint.txt");

/// The file is valid for x86-64 with glibc: positions are drawn with functions of the platform.
#[test]
#[cfg_attr(not(all(target_arch = "x86_64", target_env = "gnu")), ignore = "the hashes are those of x86-64 with glibc")]
fn answers_are_the_committed_bits() {
    let found = written(&lines(SHORT));
    let changed: Vec<&str> = found.lines().filter(|line| !COMMITTED.lines().any(|other| other == *line)).collect();
    assert!(
        found == COMMITTED,
        "the answers of {changed:?} have changed; if that is meant, say why in the commit and write the new hashes with \
         `cargo run --release -p clearance-lab --bin fingerprint -- --write`"
    );
}

/// The hashes of one kind of queries for 1, 2 and 8 threads are the same.
#[test]
fn answers_do_not_depend_on_the_number_of_threads() {
    let hashes = |what: &str| -> Vec<&str> {
        COMMITTED
            .lines()
            .filter_map(|line| line.split_once(' '))
            .filter(|(_, name)| name.starts_with(what))
            .map(|(hash, _)| hash)
            .collect()
    };
    for what in ["batches, ", "worlds, ", "impacts of worlds, "] {
        let found = hashes(what);
        assert!(found.len() == 3 && found.iter().all(|hash| *hash == found[0]), "{what}: {found:?}");
    }
}
