//! `clearance simulate`: the summary, the recording, the page, and refusals.

use crate::common::{empty_folder, run_in, run_with};
use clearance_sim::Recording;

#[test]
fn a_bullet_bounces_off_a_wall() {
    let run = run_with("bullet", &[], &["simulate", "bullet", "--seconds", "0.5", "--json"], "");
    let found: serde_json::Value = serde_json::from_str(&run.stdout).unwrap_or_else(|error| panic!("{error} {run:?}"));
    assert_eq!((run.exit, &found["events"], &found["mode"]), (0, &1.into(), &"event".into()), "{run:?}");
    assert!(found["poses"]["bullet"]["translation"][0].as_f64().unwrap() < 0.0);
    assert_eq!((&found["worst_penetration"], &found["stopped"]), (&0.0.into(), &serde_json::Value::Null));
    assert!((found["start"]["energy"].as_f64().unwrap() - found["end"]["energy"].as_f64().unwrap()).abs() < 1e-9);
}

/// The proved time stops the bullet: its overlap is not seen at the end of a step.
#[test]
fn penalty_mode_tells_how_it_found_the_time_of_collision() {
    let arguments = ["simulate", "bullet", "--mode", "penalty", "--seconds", "0.2", "--json"];
    let run = run_with("penalty", &[], &arguments, "");
    let found: serde_json::Value = serde_json::from_str(&run.stdout).unwrap_or_else(|error| panic!("{error} {run:?}"));
    let times = &found["collision_times"];
    assert_eq!((&times["by_cubics"], &times["by_bisection"], &times["by_proof"]), (&0.into(), &0.into(), &1.into()));
    assert!(found["steps"].as_u64().unwrap() > 20 && found["events"] == 1, "{found}");
    assert!(found["end"]["energy"].as_f64().unwrap() <= found["start"]["energy"].as_f64().unwrap());
}

#[test]
fn a_recording_is_read_back_and_a_page_plays_it() {
    let arguments = ["simulate", "--seconds", "0.4", "-o", "cradle.jsonl", "--report", "cradle.html"];
    let folder = empty_folder("recorded");
    let run = run_in(&folder, &arguments, b"");
    assert_eq!(run.exit, 0, "{run:?}");
    assert!(run.stdout.starts_with("cradle: 7 bodies, 0.4 s in mode event\n"), "{run:?}");
    let text = std::fs::read(folder.join("cradle.jsonl")).unwrap();
    let recording = Recording::read(&text[..]).unwrap();
    assert_eq!((recording.bodies.len(), recording.frames.len()), (7, 25));
    let page = std::fs::read_to_string(folder.join("cradle.html")).unwrap();
    assert!(page.contains("Simulation: cradle") && page.contains("\"track\""));
    for (bad, sentence) in [
        ("{\"format\":\"clearance-recording/2\",\"bodies\":[],\"rate\":60.0}", "line 1 of the recording: format is"),
        ("", "line 1 of the recording: the file is empty"),
        (
            "{\"format\":\"clearance-recording/1\",\"bodies\":[\"a\"],\"rate\":60.0}\n{\"time\":0.0,\"poses\":[]}",
            "line 2 of the recording: the first frame",
        ),
    ] {
        let error = Recording::read(bad.as_bytes()).unwrap_err().to_string();
        assert!(error.starts_with(sentence), "{error}");
    }
}

#[test]
fn unknown_scenes_and_bad_numbers_are_refused() {
    let run = run_with("unknown", &[], &["simulate", "moon"], "");
    assert!(run.exit == 2 && run.stderr.contains("\"moon\" is neither a built-in scene (cradle, "), "{run:?}");
    let run = run_with("zero", &[], &["simulate", "--seconds", "0"], "");
    assert!(run.exit == 2 && run.stderr.contains("must be a number above 0"), "{run:?}");
    let run = run_with("missing", &[], &["simulate", "none.json"], "");
    assert!(run.exit == 2 && run.stderr.contains("none.json"), "{run:?}");
}
