//! Every case of `suite/bad`, through the program and through the reading library.

use crate::common::{empty_folder, run_in, suite};
use clearance_io::{Definitions, Folder, Scene, is_mesh_name, read_mesh};
use serde_json::Value;
use std::fs;
use std::path::{Path, PathBuf};

/// The cases of one file, each with the folder it runs in.
fn cases(file: &str, front_end: &str) -> Vec<(Value, PathBuf)> {
    let text = fs::read_to_string(suite().join("bad").join(file)).unwrap();
    let cases: Vec<Value> = serde_json::from_str(&text).unwrap();
    cases
        .into_iter()
        .filter_map(|case| {
            let folder = empty_folder(&format!("{front_end} {file} {}", case["name"].as_str().unwrap()));
            let files = case["files"].as_object().unwrap();
            let all_there = files.iter().all(|(name, content)| lay_out(&folder.join(name), content));
            all_there.then_some((case, folder))
        })
        .collect()
}

/// Makes a file, a folder or a link; false where the system has no links.
fn lay_out(path: &Path, content: &Value) -> bool {
    if content["directory"] == true {
        fs::create_dir(path).unwrap();
    } else if let Some(target) = content["link"].as_str() {
        #[cfg(unix)]
        {
            // The target must exist, or the link is merely broken.
            let outside = path.parent().unwrap().parent().unwrap().join("outside.obj");
            fs::write(&outside, "v 0 0 0\n").unwrap();
            std::os::unix::fs::symlink(target, path).unwrap();
        }
        #[cfg(not(unix))]
        return target.is_empty();
    } else {
        fs::write(path, bytes(content)).unwrap();
    }
    true
}

/// A text, or the bytes of `{"hex": …}`.
fn bytes(content: &Value) -> Vec<u8> {
    let Some(hex) = content["hex"].as_str() else { return content.as_str().unwrap_or_default().into() };
    let digits: Vec<u32> = hex.chars().map(|c| c.to_digit(16).unwrap()).collect();
    digits.chunks_exact(2).map(|pair| (pair[0] << 4 | pair[1]) as u8).collect()
}

fn args(case: &Value) -> Vec<&str> {
    case["args"].as_array().unwrap().iter().map(|arg| arg.as_str().unwrap()).collect()
}

#[test]
fn the_program_refuses_with_one_sentence_and_prints_nothing_else() {
    let mut count = 0;
    for file in ["scenes.json", "meshes.json", "streams.json"] {
        for (case, folder) in cases(file, "program") {
            count += 1;
            let name = &case["name"];
            let run = run_in(&folder, &args(&case), &bytes(&case["stdin"]));
            assert_eq!(run.exit, case["exit"].as_i64().unwrap() as i32, "{name}: {run:?}");
            let Some(sentence) = case["stderr"].as_str() else {
                check_stream(&case, &run.stdout);
                assert_eq!(run.stderr, "", "{name}");
                continue;
            };
            assert_eq!(run.stdout, "", "{name}");
            assert!(run.stderr.starts_with("error: ") && run.stderr.contains(sentence), "{name}: {}", run.stderr);
            assert_eq!(run.stderr.matches('\n').count(), 1, "{name}: {}", run.stderr);
        }
    }
    assert!(count >= 25, "only {count} cases");
}

/// The stream goes on: every line has its answer, and exactly one is the error.
fn check_stream(case: &Value, stdout: &str) {
    let name = &case["name"];
    let answers: Vec<Value> = stdout.lines().map(|line| serde_json::from_str(line).unwrap()).collect();
    let ids: Vec<Value> =
        answers.iter().map(|answer| answer.get("id").map_or(Value::Null, |id| id.to_string().into())).collect();
    assert_eq!(Value::from(ids), case["answers"], "{name}: {stdout}");
    let errors: Vec<&str> = stdout.lines().filter(|line| line.contains("\"error\"")).collect();
    assert_eq!(errors.len(), 1, "{name}: {stdout}");
    assert!(errors[0].contains(case["stdout"].as_str().unwrap()), "{name}: {stdout}");
}

#[test]
fn the_library_refuses_with_the_same_sentence() {
    for file in ["scenes.json", "meshes.json"] {
        for (case, folder) in cases(file, "library") {
            let [_, input] = args(&case)[..] else { continue };
            let path = folder.join(input);
            let error = match path.extension().and_then(|extension| extension.to_str()) {
                Some("json") => Scene::read(&path).err(),
                _ if is_mesh_name(&path) => read_mesh(&path).err(),
                _ => continue,
            };
            let error = error.unwrap_or_else(|| panic!("{} was accepted", case["name"])).to_string();
            // The library is given the whole path here, so the place begins with it.
            let sentence = case["stderr"].as_str().unwrap();
            assert!(error.contains(sentence), "{}: {error}", case["name"]);
        }
    }
    for (case, folder) in cases("streams.json", "library") {
        let Ok(text) = String::from_utf8(bytes(&case["stdin"])) else { continue };
        let folder = Folder::new(folder);
        let mut definitions = Definitions::new();
        let errors: Vec<String> = (1..)
            .zip(text.lines())
            .filter_map(|(number, line)| definitions.read(line, number, &folder).err())
            .map(|line| serde_json::to_string(&line.error.to_string()).unwrap())
            .collect();
        // Valid input that is not available yet is for the program to refuse.
        if let [error] = &errors[..] {
            assert!(error.contains(case["stdout"].as_str().unwrap()), "{}: {error}", case["name"]);
        }
    }
}
