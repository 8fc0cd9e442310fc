//! Rules of a check: which pairs are checked, with which margin, and which contacts are meant.

use crate::common::{Run, empty_folder, run_in, run_with};
use serde_json::{Value, json};
use std::collections::BTreeSet;
use std::fs;

/// Two pipes, a wall that one of them goes through, a bolt that is 0.01 deep in the wall, and a lamp 0.3 from the other pipe.
fn plant() -> Value {
    let ball = |radius: f64| json!({"sphere": {"radius": radius}});
    let body = |name: &str, layer: &str, shape: Value, x: f64, y: f64| json!({"name": name, "layer": layer, "shape": shape, "pose": {"translation": [x, y, 0]}});
    let wall = json!({"cuboid": {"half_extents": [0.1, 5, 5]}});
    json!({"format": "clearance-scene/1", "bodies": [
        body("pipe 1", "piping", json!({"capsule": {"radius": 0.1, "half_height": 2, "axis": "x"}}), 0.0, 0.0),
        body("pipe 2", "piping", ball(0.5), 3.0, 0.0),
        body("wall", "building", wall, 0.0, 0.0),
        body("bolt", "steel", ball(0.2), 0.29, 3.0),
        body("lamp", "light", ball(0.1), 3.0, 0.9)]})
}

fn with_rules(rules: &[&str]) -> Value {
    let mut scene = plant();
    scene["rules"] = json!(rules);
    scene
}

fn check(name: &str, scene: &Value, args: &[&str]) -> Run {
    run_with(name, &[("s.json", &scene.to_string())], &[&["check", "s.json"], args].concat(), "")
}

fn report(run: &Run) -> Value {
    serde_json::from_str(&run.stdout).unwrap_or_else(|error| panic!("{error}: {run:?}"))
}

fn pairs(report: &Value) -> BTreeSet<String> {
    let name = |pair: &Value| format!("{}, {}", pair["a"].as_str().unwrap(), pair["b"].as_str().unwrap());
    report["pairs"].as_array().unwrap().iter().map(name).collect()
}

#[test]
fn rules_of_the_scene_and_of_the_command_line_decide_which_contacts_are_found() {
    let without = report(&check("rules none", &plant(), &["--json"]));
    assert_eq!(pairs(&without), BTreeSet::from(["pipe 1, wall".into(), "wall, bolt".into()]));
    assert!(without.get("rules").is_none());
    for (rules, options, wanted, exit) in [
        (&["pipe.* : wall ignore"][..], &[][..], &["wall, bolt"][..], 1),
        (&["pipe.* : wall ignore"], &["--rule", "layer:steel allow"], &[], 0),
        (&["layer:steel : wall allow 0.02"], &[], &["pipe 1, wall"], 1),
        // The bolt is 0.01 deep.
        (&["bolt allow 0.009"], &["--rule", "pipe.* ignore"], &["wall, bolt"], 1),
        (&["pipe 2 : .* check"], &[], &[], 0),
        // The last rule that matches decides.
        (&["wall ignore", "wall : bolt check"], &[], &["wall, bolt"], 1),
        (&["wall : bolt check", "wall ignore"], &[], &[], 0),
        (&[".* ignore"], &["--rule", "file:s\\.json check"], &["pipe 1, wall", "wall, bolt"], 1),
    ] {
        let run = check("rules which", &with_rules(rules), &[&["--json"], options].concat());
        let found = report(&run);
        assert_eq!(pairs(&found), wanted.iter().map(|&pair| pair.to_owned()).collect(), "{rules:?} {options:?}");
        assert_eq!(run.exit, exit, "{rules:?} {options:?}");
        let texts: Vec<&str> = found["rules"].as_array().unwrap().iter().map(|r| r["rule"].as_str().unwrap()).collect();
        assert_eq!(texts, [rules, &options.iter().skip(1).step_by(2).copied().collect::<Vec<_>>()].concat());
    }
}

#[test]
fn a_margin_of_a_rule_is_demanded_of_its_pairs_only() {
    let rules = [".* : lamp margin 0.5", "wall ignore"];
    let run = check("rules margin", &with_rules(&rules), &["--json"]);
    let found = report(&run);
    assert_eq!((run.exit, pairs(&found)), (1, BTreeSet::from(["pipe 2, lamp".into()])));
    assert_eq!((&found["too_close"], &found["rules"][0]["too_close"]), (&json!(1), &json!(1)));
    assert_eq!((&found["checked"], &found["rules"][1]["taken_out"]), (&json!(6), &json!(4)));
    // 0.3 is enough for 0.25; --margin lists other pairs and not those of the rule.
    let rules = [".* : lamp margin 0.25", "wall ignore"];
    let run = check("rules less", &with_rules(&rules), &["--json", "--margin", "1.1"]);
    assert_eq!((run.exit, pairs(&report(&run))), (0, BTreeSet::from(["pipe 1, pipe 2".into()])));
}

#[test]
fn the_terminal_says_what_each_rule_did() {
    let rules = ["wall : pipe.* ignore", "wall : bolt allow", "crane.* ignore", "lamp : pipe 2 margin 0.5"];
    let run = check("rules words", &with_rules(&rules), &[]);
    for line in [
        "The rule \"wall : pipe.* ignore\" took out 2 pairs.",
        "The rule \"wall : bolt allow\" took out 1 pair.",
        "The rule \"crane.* ignore\" matches no pair.",
        "5 bodies, 8 pairs checked, 0 overlaps, 1 closer than the margin of a rule (distances in scene units)",
    ] {
        assert!(run.stdout.contains(line), "{line}\n{}", run.stdout);
    }
    assert_eq!(run.exit, 1);
}

#[test]
fn rules_hold_for_bodies_that_move() {
    let mut scene = with_rules(&["bolt allow", "pipe 1 : wall ignore"]);
    scene["bodies"][1]["motion"] = json!({"linear": {"velocity": [-1, 0, 0]}});
    let run = check("rules until", &scene, &["--json", "--until", "4"]);
    let found = report(&run);
    assert_eq!(pairs(&found), BTreeSet::from(["pipe 1, pipe 2".into(), "pipe 2, wall".into()]));
    let run = check("rules until allowed", &scene, &["--json", "--until", "4", "--rule", "pipe 2 allow"]);
    assert_eq!((run.exit, pairs(&report(&run))), (0, BTreeSet::new()));
    let run = check("rules until depth", &scene, &["--until", "4", "--rule", "pipe 2 allow 1"]);
    assert_eq!(run.exit, 2);
    assert!(run.stderr.contains("the rule \"pipe 2 allow 1\" allows a depth, but --until"), "{}", run.stderr);
}

#[test]
fn evidence_of_a_check_with_rules_is_bound_to_them() {
    let folder = empty_folder("rules evidence");
    fs::write(folder.join("s.json"), with_rules(&["pipe.* : wall ignore", "lamp margin 0.5"]).to_string()).unwrap();
    let run = |args: &[&str]| run_in(&folder, args, b"");
    let option = ["--rule", "layer:steel allow"];
    let made = run(&[&["check", "s.json", "--proof", "e.jsonl"], &option[..]].concat());
    assert!(
        made.stdout.contains("clearance verify --scene s.json --rule 'layer:steel allow' e.jsonl"),
        "{}",
        made.stdout
    );
    let verify = |option: &[&str]| run(&[&["verify", "--strict", "--scene", "s.json"], option, &["e.jsonl"]].concat());
    let right = verify(&option);
    assert_eq!(right.exit, 0, "{right:?}");
    assert!(right.stdout.contains("8 pairs of the scene"), "{}", right.stdout);
    // Without the scene the header says which pairs there are.
    assert_eq!(run(&["verify", "--strict", "e.jsonl"]).exit, 0);
    for wrong in [&[][..], &["--rule", "layer:steel ignore"]] {
        let run = verify(wrong);
        assert_eq!(run.exit, 2, "{run:?}");
        assert!(run.stdout.contains("the rules are not those of the scene"), "{}", run.stdout);
    }
    // A header that ignores more pairs than its rules say does not fit its lines.
    let text = fs::read_to_string(folder.join("e.jsonl")).unwrap();
    fs::write(folder.join("e.jsonl"), text.replace("pipe.* : wall ignore", "pipe.* : lamp ignore")).unwrap();
    assert_eq!(run(&["verify", "e.jsonl"]).exit, 2);
}

#[test]
fn bad_rules_are_refused_with_a_sentence() {
    let run = check("rules bad", &with_rules(&["pipe : wall"]), &[]);
    assert_eq!(run.exit, 2);
    assert!(run.stderr.contains("s.json, line 1, column ") && run.stderr.contains("rules[0]"), "{}", run.stderr);
    assert!(run.stderr.contains("has no action; end it with ignore, check, allow"), "{}", run.stderr);
    let run = check("rules bad option", &plant(), &["--rule", "pipe( ignore"]);
    assert_eq!(run.exit, 2);
    assert!(
        run.stderr.contains("the rule \"pipe( ignore\" has the pattern \"pipe(\", which is wrong"),
        "{}",
        run.stderr
    );
    let many = vec!["a ignore"; 129];
    let run = check("rules many", &with_rules(&many), &[]);
    assert_eq!(run.exit, 2);
    assert!(run.stderr.contains("there are 129 rules, but at most 128"), "{}", run.stderr);
}
