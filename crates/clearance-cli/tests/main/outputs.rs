//! Files that the program writes: whole or not at all, and nobody else's.

use crate::common::{empty_folder, program, run_in};
use crate::outcomes::box_obj;
use std::fs;
use std::path::Path;

/// The names in a folder, sorted.
fn names(folder: &Path) -> Vec<String> {
    let mut names: Vec<String> =
        fs::read_dir(folder).unwrap().map(|entry| entry.unwrap().file_name().into_string().unwrap()).collect();
    names.sort_unstable();
    names
}

#[test]
fn a_hull_does_not_overwrite_the_mesh_that_it_is_made_of() {
    let folder = empty_folder("hull over its input");
    let text = box_obj([0.0; 3], [1.0; 3], 0);
    fs::write(folder.join("part.obj"), &text).unwrap();
    for command in ["hull", "decompose"] {
        for output in ["part.obj", "./part.obj"] {
            let run = run_in(&folder, &[command, "part.obj", "-o", output], b"");
            assert!(run.exit == 2 && run.stderr.contains("is the mesh that is read; name another file"), "{run:?}");
            assert_eq!(fs::read_to_string(folder.join("part.obj")).unwrap(), text);
        }
    }
}

#[cfg(unix)]
#[test]
fn files_beside_the_output_stay_and_nothing_is_left() {
    use std::os::unix::fs::{PermissionsExt, symlink};
    let folder = empty_folder("outputs beside others");
    fs::write(folder.join("part.obj"), box_obj([0.0; 3], [1.0; 3], 0)).unwrap();
    // These were clobbered by fixed names of unfinished files.
    for name in ["page.html.part", "p.jsonl.part"] {
        fs::write(folder.join(name), "mine").unwrap();
    }
    // A page behind a link, which nobody else may read.
    fs::create_dir(folder.join("pages")).unwrap();
    fs::write(folder.join("pages/real.html"), "old").unwrap();
    fs::set_permissions(folder.join("pages/real.html"), fs::Permissions::from_mode(0o600)).unwrap();
    symlink("pages/real.html", folder.join("page.html")).unwrap();
    // A link to a file that is not there yet.
    symlink("pages/new.jsonl", folder.join("p.jsonl")).unwrap();
    let args = ["check", "part.obj", "--report", "page.html", "--proof", "p.jsonl"];
    assert_eq!(run_in(&folder, &args, b"").exit, 0);
    assert!(folder.join("page.html").is_symlink() && folder.join("p.jsonl").is_symlink());
    assert!(fs::read_to_string(folder.join("pages/real.html")).unwrap().contains("clearance-report/1"));
    let mode = |name: &str| fs::metadata(folder.join(name)).unwrap().permissions().mode() & 0o777;
    assert_eq!(mode("pages/real.html"), 0o600);
    // A new file is for whom the mask of the process says.
    fs::write(folder.join("plain"), "").unwrap();
    assert_eq!(mode("pages/new.jsonl"), mode("plain"));
    for name in ["page.html.part", "p.jsonl.part"] {
        assert_eq!(fs::read_to_string(folder.join(name)).unwrap(), "mine");
    }
    assert_eq!(
        names(&folder),
        ["p.jsonl", "p.jsonl.part", "page.html", "page.html.part", "pages", "part.obj", "plain"]
    );
    assert_eq!(names(&folder.join("pages")), ["new.jsonl", "real.html"]);
}

/// A file size limit stands for a full disk: writing fails in the middle.
#[cfg(target_os = "linux")]
#[test]
fn a_full_disk_leaves_the_old_file_as_it_was() {
    let folder = empty_folder("a full disk");
    let many: String = (0..3000).map(|i| format!("v {} {} {}\n", i % 10, i / 10 % 10, f64::from(i).sqrt())).collect();
    fs::write(folder.join("part.obj"), many).unwrap();
    for name in ["hull.obj", "page.html", "p.jsonl"] {
        fs::write(folder.join(name), "old").unwrap();
    }
    let limited = |args: &str| {
        let program = env!("CARGO_BIN_EXE_clearance");
        // Signals of the limit are errors of the write then.
        let script = format!("trap '' XFSZ; ulimit -f 1; exec '{program}' {args}");
        std::process::Command::new("bash").args(["-c", &script]).current_dir(&folder).output().unwrap()
    };
    for args in ["hull part.obj -o hull.obj", "check --report page.html", "check --proof p.jsonl"] {
        let output = limited(args);
        assert_eq!(output.status.code(), Some(2), "{args}: {output:?}");
    }
    for name in ["hull.obj", "page.html", "p.jsonl"] {
        assert_eq!(fs::read_to_string(folder.join(name)).unwrap(), "old", "{name}");
    }
    assert_eq!(names(&folder), ["hull.obj", "p.jsonl", "page.html", "part.obj"]);
}

/// Evidence goes to a file that is begun before the check; a slow reader of the scene keeps it unfinished.
#[cfg(target_os = "linux")]
#[test]
fn a_signal_removes_what_is_unfinished() {
    use std::process::{Command, Stdio};
    for signal in ["INT", "TERM"] {
        let folder = empty_folder(&format!("signal {signal}"));
        fs::write(folder.join("p.jsonl"), "old").unwrap();
        // A pipe that nobody writes to: the program waits for its scene, with the file of the evidence begun.
        assert!(Command::new("mkfifo").arg(folder.join("s.json")).status().unwrap().success());
        let args = ["check", "s.json", "--proof", "p.jsonl"];
        let mut child =
            program(&args).current_dir(&folder).stdout(Stdio::null()).stderr(Stdio::null()).spawn().unwrap();
        let start = std::time::Instant::now();
        while names(&folder).len() < 3 && start.elapsed().as_secs() < 60 {
            std::thread::sleep(std::time::Duration::from_millis(20));
        }
        assert_eq!(names(&folder).len(), 3, "an unfinished file is there");
        let id = child.id().to_string();
        assert!(Command::new("kill").args([&format!("-{signal}"), &id]).status().unwrap().success());
        assert_eq!(child.wait().unwrap().code(), Some(130));
        assert_eq!(names(&folder), ["p.jsonl", "s.json"]);
        assert_eq!(fs::read_to_string(folder.join("p.jsonl")).unwrap(), "old");
    }
}
