//! Findings from run to run: identifiers, what has become of them, groups, and the BCF file.

use crate::common::{Run, empty_folder, run_in};
use clearance_lab::Rng;
use serde_json::{Value, json};
use std::collections::{BTreeMap, BTreeSet};
use std::fs;
use std::io::Read;
use std::path::Path;

type Ball = (String, [f64; 3]);

/// Balls of radius 0.6 by name.
fn scene(balls: &[Ball]) -> Value {
    let body =
        |(name, at): &Ball| json!({"name": name, "shape": {"sphere": {"radius": 0.6}}, "pose": {"translation": at}});
    json!({"format": "clearance-scene/1", "bodies": balls.iter().map(body).collect::<Vec<_>>()})
}

fn check(folder: &Path, scene: &Value, args: &[&str]) -> Run {
    fs::write(folder.join("s.json"), scene.to_string()).expect("a test can write files");
    run_in(folder, &[&["check", "s.json", "--json"], args].concat(), b"")
}

fn report(run: &Run) -> Value {
    serde_json::from_str(&run.stdout).unwrap_or_else(|error| panic!("{error}: {run:?}"))
}

/// A field of each pair, by the names of the two bodies in alphabetical order.
fn field(report: &Value, list: &str, field: &str) -> BTreeMap<[String; 2], String> {
    let pairs = report[list].as_array().expect("a list").iter();
    let names = |pair: &Value| {
        let mut names = ["a", "b"].map(|side| pair[side].as_str().expect("a name").to_owned());
        names.sort();
        names
    };
    pairs.map(|pair| (names(pair), pair[field].as_str().unwrap_or("-").to_owned())).collect()
}

/// The depth of every pair of balls that overlap.
fn depths(balls: &[Ball]) -> BTreeMap<[String; 2], f64> {
    let mut depths = BTreeMap::new();
    for (i, (a, at_a)) in balls.iter().enumerate() {
        for (b, at_b) in &balls[i + 1..] {
            let apart = (0..3).map(|axis| (at_a[axis] - at_b[axis]).powi(2)).sum::<f64>().sqrt();
            if apart < 1.2 {
                let mut names = [a.clone(), b.clone()];
                names.sort();
                depths.insert(names, 1.2 - apart);
            }
        }
    }
    depths
}

#[test]
fn the_life_of_findings_is_right_on_every_step_of_200_changed_scenes() {
    let folder = empty_folder("findings life");
    let mut random = Rng::with_seed(36);
    let mut below = |n: usize| random.usize(0..n);
    let (mut lives, mut steps) = (BTreeSet::new(), 0);
    for first in 0..40 {
        let place = |below: &mut dyn FnMut(usize) -> usize| [0, 1, 2].map(|_| below(4) as f64);
        let mut balls: Vec<Ball> = (0..8).map(|i| (format!("ball {first} {i}"), place(&mut below))).collect();
        let mut last: Option<BTreeMap<[String; 2], f64>> = None;
        for step in 0..6 {
            let option = ["--baseline", "last.json"];
            let run = check(&folder, &scene(&balls), if last.is_some() { &option } else { &[] });
            let found = report(&run);
            let now = depths(&balls);
            assert_eq!(field(&found, "pairs", "state").len(), now.len(), "{}", run.stdout);
            if let Some(last) = &last {
                steps += 1;
                // Only depths that differ by more than rounding are proved to differ.
                let life = |pair: &[String; 2], depth: f64| match last.get(pair) {
                    None => "new",
                    Some(old) if depth > old + 1e-6 => "worse",
                    Some(old) if depth < old - 1e-6 => "changed",
                    Some(_) => "persistent",
                };
                let wanted: BTreeMap<_, _> =
                    now.iter().map(|(pair, &depth)| (pair.clone(), life(pair, depth).to_owned())).collect();
                assert_eq!(field(&found, "pairs", "life"), wanted, "scene {first}, step {step}");
                let names: BTreeSet<&str> = balls.iter().map(|(name, _)| name.as_str()).collect();
                let resolved = last.keys().filter(|pair| !now.contains_key(*pair)).map(|pair| {
                    let is_there = pair.iter().all(|name| names.contains(name.as_str()));
                    (pair.clone(), if is_there { "clear" } else { "gone" }.to_owned())
                });
                assert_eq!(field(&found, "resolved", "reason"), resolved.collect(), "scene {first}, step {step}");
                let is_failure = wanted.values().any(|life| life == "new" || life == "worse");
                assert_eq!(run.exit, i32::from(is_failure), "scene {first}, step {step}");
                lives.extend(wanted.into_values());
            }
            fs::write(folder.join("last.json"), &run.stdout).expect("a test can write files");
            last = Some(now);
            // A ball moves, comes or goes, or nothing changes but the order.
            match below(5) {
                0 => balls[0].1[below(3)] += 0.125,
                1 => balls.push((format!("ball {first} {}", 8 + step), place(&mut below))),
                2 => drop(balls.remove(below(balls.len() - 1) + 1)),
                3 => balls[0].1 = place(&mut below),
                _ => balls.reverse(),
            }
        }
    }
    assert_eq!(steps, 200);
    assert_eq!(lives, ["changed", "new", "persistent", "worse"].map(str::to_owned).into());
}

#[test]
fn accepted_findings_stay_accepted_until_they_are_worse() {
    let folder = empty_folder("findings accepted");
    let at = |x: f64| scene(&[("a".into(), [0.0; 3]), ("b".into(), [x, 0.0, 0.0]), ("c".into(), [9.0, 0.0, 0.0])]);
    let first = check(&folder, &at(1.0), &[]);
    assert_eq!(first.exit, 1);
    fs::write(folder.join("last.json"), &first.stdout).unwrap();
    // The page may name the two in either order.
    let review = json!({"format": "clearance-review/1", "title": "s.json", "findings": [
        {"a": "b", "b": "a", "status": "accepted", "comment": "a weld"}]});
    fs::write(folder.join("review.json"), review.to_string()).unwrap();
    let run = check(&folder, &at(1.0), &["--baseline", "last.json", "--review", "review.json"]);
    let pair = &report(&run)["pairs"][0];
    assert_eq!((run.exit, &pair["life"], &pair["review"]["comment"]), (0, &json!("persistent"), &json!("a weld")));
    fs::write(folder.join("last.json"), &run.stdout).unwrap();
    // The next run knows it from the last one.
    for (x, exit, is_accepted) in [(1.0, 0, true), (1.125, 0, true), (0.875, 1, false)] {
        let run = check(&folder, &at(x), &["--baseline", "last.json"]);
        let pair = report(&run)["pairs"][0].clone();
        assert_eq!((run.exit, pair["review"]["status"] == "accepted"), (exit, is_accepted), "{x}: {pair}");
    }
    let table = run_in(&folder, &["check", "s.json", "--baseline", "last.json"], b"");
    assert!(table.stdout.contains("OVERLAP (worse)"), "{}", table.stdout);
    assert!(
        table.stdout.contains("Since last.json: 0 new, 1 worse, 0 changed, 0 persistent, 0 resolved."),
        "{}",
        table.stdout
    );
}

#[test]
fn an_undecided_pair_is_worse_than_an_accepted_gap_and_never_passes() {
    let folder = empty_folder("findings undecided");
    let cup = "v 0 0 0\nv 4 0 0\nv 4 4 0\nv 0 4 0\nv 0 0 4\nv 4 0 4\nv 4 4 4\nv 0 4 4\n\
               f 4 3 2 1\nf 1 2 6 5\nf 2 3 7 6\nf 3 4 8 7\nf 4 1 5 8\n";
    fs::write(folder.join("cup.obj"), cup).unwrap();
    let with_pea = |z: f64| {
        json!({"format": "clearance-scene/1", "bodies": [
            {"name": "cup", "shape": {"mesh": {"file": "cup.obj"}}},
            {"name": "pea", "shape": {"sphere": {"radius": 0.5}}, "pose": {"translation": [2, 2, z]}}]})
    };
    let run = check(&folder, &with_pea(5.0), &["--fail-within", "3"]);
    assert_eq!((run.exit, &report(&run)["pairs"][0]["kind"]), (1, &json!("too close")));
    let accepted =
        run.stdout.replace("\"kind\":\"too close\"", "\"kind\":\"too close\",\"review\":{\"status\":\"accepted\"}");
    assert_ne!(accepted, run.stdout);
    fs::write(folder.join("last.json"), accepted).unwrap();
    let run = check(&folder, &with_pea(2.0), &["--fail-within", "3", "--baseline", "last.json"]);
    let pair = report(&run)["pairs"][0].clone();
    assert_eq!((run.exit, &pair["life"], pair.get("review")), (1, &json!("worse"), None), "{pair}");
    fs::write(folder.join("last.json"), &run.stdout).unwrap();
    let run = check(&folder, &with_pea(2.0), &["--fail-within", "3", "--baseline", "last.json"]);
    assert_eq!((run.exit, &report(&run)["pairs"][0]["life"]), (3, &json!("persistent")));
}

#[test]
fn a_bad_baseline_is_refused_with_a_sentence() {
    let folder = empty_folder("findings bad");
    let balls = scene(&[("a".into(), [0.0; 3]), ("b".into(), [1.0, 0.0, 0.0]), ("c".into(), [0.5, 0.0, 0.0])]);
    let whole = check(&folder, &balls, &[]).stdout;
    let short = check(&folder, &balls, &["--limit", "1"]).stdout;
    let review = |text: &str| {
        fs::write(folder.join("last.json"), &whole).unwrap();
        fs::write(folder.join("review.json"), text).unwrap();
        check(&folder, &balls, &["--baseline", "last.json", "--review", "review.json"])
    };
    for (last, fault) in [
        ("nothing", "is not what `clearance check --json` writes"),
        ("{\"format\":\"clearance-check/9\",\"pairs\":[]}", "has the format \"clearance-check/9\""),
        (&short, "lists 1 of 3 findings; write it without --limit"),
        (&whole.replace("\"state\":\"overlap\"", "\"state\":\"odd\""), "is \"odd\", which is none"),
    ] {
        fs::write(folder.join("last.json"), last).unwrap();
        let run = check(&folder, &balls, &["--baseline", "last.json"]);
        assert_eq!((run.exit, run.stdout.as_str()), (2, ""), "{fault}");
        assert!(run.stderr.contains(fault), "{fault}\n{}", run.stderr);
    }
    let run = check(&folder, &balls, &["--baseline", "missing.json"]);
    assert!(run.exit == 2 && run.stderr.contains("missing.json"), "{run:?}");
    let run = review("{\"format\":\"clearance-review/1\",\"findings\":[{\"a\":\"a\",\"b\":\"z\",\"status\":\"fix\"}]}");
    assert!(
        run.exit == 2 && run.stderr.contains("is about \"a\" and \"z\", which the baseline does not have"),
        "{run:?}"
    );
    let run = review("{\"format\":\"clearance-review/2\",\"findings\":[]}");
    assert!(run.exit == 2 && run.stderr.contains("has the format \"clearance-review/2\""), "{run:?}");
}

#[test]
fn identifiers_follow_the_guid_of_a_body_and_not_its_name() {
    let folder = empty_folder("findings ids");
    let named = |names: [&str; 2], guid: Option<&str>| {
        let mut scene = scene(&[(names[0].into(), [0.0; 3]), (names[1].into(), [1.0, 0.0, 0.0])]);
        if let Some(guid) = guid {
            scene["bodies"][0]["guid"] = json!(guid);
        }
        report(&check(&folder, &scene, &[]))["pairs"][0]["id"].as_str().unwrap().to_owned()
    };
    assert_eq!(named(["x", "y"], None), named(["y", "x"], None));
    assert_ne!(named(["x", "y"], None), named(["x", "z"], None));
    assert_eq!(named(["x", "y"], Some("0abc")), named(["renamed", "y"], Some("0abc")));
    assert_ne!(named(["x", "y"], Some("0abc")), named(["x", "y"], Some("1abc")));
    // A guid that looks like a name is not that name.
    assert_ne!(named(["x", "y"], Some("x")), named(["x", "y"], None));
}

#[test]
fn findings_are_grouped_by_body_place_layer_and_rule() {
    let folder = empty_folder("findings groups");
    let balls = [("hub", 0.0), ("p", 1.0), ("q", -1.0), ("far 1", 50.0), ("far 2", 51.0)];
    let mut scene = scene(&balls.map(|(name, x)| (name.to_owned(), [x, 0.0, 0.0])));
    scene["bodies"][1]["layer"] = json!("piping");
    scene["rules"] = json!(["far.* check", ".* check"]);
    let groups = |by: &str| {
        let found = report(&check(&folder, &scene, &["--cluster", by]));
        let clusters = found["clusters"].as_array().unwrap().iter();
        let size =
            |cluster: &Value| (cluster["name"].as_str().unwrap().to_owned(), cluster["findings"].as_u64().unwrap());
        let by_pair = field(&found, "pairs", "cluster");
        assert!(by_pair.values().all(|name| name != "-"));
        clusters.map(size).collect::<Vec<_>>()
    };
    assert_eq!(groups("body"), [("hub".into(), 2), ("far 1".into(), 1)]);
    assert_eq!(groups("place"), [("near (0.5, 0, 0)".into(), 2), ("near (50.5, 0, 0)".into(), 1)]);
    assert_eq!(groups("layer"), [("no layer / no layer".into(), 2), ("no layer / piping".into(), 1)]);
    assert_eq!(groups("rule"), [(".* check".into(), 3)]);
    let table = run_in(&folder, &["check", "s.json", "--cluster", "body"], b"");
    assert!(table.stdout.contains("2 groups: hub (2 findings), far 1 (1 finding)."), "{}", table.stdout);
}

#[test]
fn the_bcf_file_has_a_topic_a_camera_and_a_picture_for_each_finding() {
    let folder = empty_folder("findings bcf");
    let mut scene = scene(&[("a <1>".into(), [0.0; 3]), ("b".into(), [1.0, 0.0, 0.0]), ("c".into(), [0.0, 1.0, 0.0])]);
    scene["unit"] = json!("mm");
    scene["bodies"][1]["guid"] = json!("2O2Fr$t4X7Zf8NOew3FLOH");
    let run = check(&folder, &scene, &["--bcf", "clashes.bcf"]);
    assert_eq!(run.exit, 1, "{run:?}");
    let read = || {
        let mut zip = zip::ZipArchive::new(fs::File::open(folder.join("clashes.bcf")).unwrap()).unwrap();
        let mut files = BTreeMap::new();
        for index in 0..zip.len() {
            let mut file = zip.by_index(index).unwrap();
            let mut bytes = Vec::new();
            file.read_to_end(&mut bytes).unwrap();
            files.insert(file.name().unwrap().into_owned(), bytes);
        }
        files
    };
    let files = read();
    let pairs = report(&run)["pairs"].as_array().unwrap().len();
    assert_eq!((pairs, files.len()), (2, 2 + 3 * 2), "{:?}", files.keys());
    let text = |name: &str| String::from_utf8(files[name].clone()).unwrap();
    assert!(
        text("bcf.version").contains("VersionId=\"3.0\"")
            && text("extensions.xml").contains("<TopicType>Clash</TopicType>")
    );
    let mut titles = BTreeSet::new();
    for name in files.keys().filter(|name| name.ends_with("/markup.bcf")) {
        let (topic, markup) = (name.split('/').next().unwrap(), text(name));
        assert!(
            markup.contains(&format!("<Topic Guid=\"{topic}\" TopicType=\"Clash\" TopicStatus=\"Open\">")),
            "{markup}"
        );
        let title = markup.split("<Title>").nth(1).unwrap().split("</Title>").next().unwrap().to_owned();
        let picture = &files[&format!("{topic}/snapshot.png")];
        assert!(picture.starts_with(b"\x89PNG\r\n\x1a\n") && picture.len() > 1000);
        let view = text(&format!("{topic}/viewpoint.bcfv"));
        assert!(
            view.contains("<PerspectiveCamera>") && view.contains("<AuthoringToolId>a &lt;1&gt;</AuthoringToolId>"),
            "{view}"
        );
        assert_eq!(view.contains("IfcGuid=\"2O2Fr$t4X7Zf8NOew3FLOH\""), title.contains(" b:"), "{title}");
        // Millimetres are metres in the file.
        let eye = |axis: &str| -> f64 {
            let tail = view.split("<CameraViewPoint>").nth(1).unwrap().split(&format!("<{axis}>")).nth(1).unwrap();
            tail.split('<').next().unwrap().parse().unwrap()
        };
        assert!(["X", "Y", "Z"].iter().all(|axis| eye(axis).abs() < 0.01), "{view}");
        titles.insert(title);
    }
    assert_eq!(titles, ["a &lt;1&gt; and b: protruding", "a &lt;1&gt; and c: protruding"].map(str::to_owned).into());
    // The next run writes the same topics.
    let names: Vec<String> = files.keys().cloned().collect();
    check(&folder, &scene, &["--bcf", "clashes.bcf"]);
    assert_eq!(read().into_keys().collect::<Vec<_>>(), names);
    let refused = check(&folder, &scene, &["--bcf", "clashes.txt"]);
    assert!(refused.exit == 2 && refused.stderr.contains("name a file ending in .bcf"), "{refused:?}");
    let nowhere = check(&folder, &scene, &["--bcf", "no/such/folder.bcf"]);
    assert!(nowhere.exit == 2 && nowhere.stderr.contains("cannot be written"), "{nowhere:?}");
}
