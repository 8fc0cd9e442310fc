//! Sentences of a check beside its table: the worst pair, where it is, and a command that shows it.

use super::print::{DIGITS, interval, short, triple};
use super::print_until::TIME_DIGITS;
use super::state::State;
use super::undecided::Doubt;
use super::until::{Meeting, Timeline};
use super::{Found, Report};
use crate::args::{CheckArgs, SceneArgs};
use crate::output::printable;
use clearance::math::DVec3;
use clearance::{Impact, Status};
use clearance_io::Witness;
use std::path::Path;

/// The worst pair of a check in a sentence, if there is one.
pub fn worst(report: &Report) -> Option<String> {
    report.listed().first().map(|found| about(report, found))
}

/// A pair in a sentence.
pub fn about(report: &Report, found: &Found) -> String {
    match (found.state(), found.doubt) {
        (State::Overlap, _) => match why_open(found) {
            Some(why) => format!("{} Its depth is open: {why}.", overlap(report, found)),
            None => overlap(report, found),
        },
        (_, Some(doubt)) => undecided(report, found, doubt),
        _ => gap(report, found),
    }
}

/// Why the depth of an overlap is shown with both ends, if that is known.
fn why_open(found: &Found) -> Option<&'static str> {
    let depth = found.depth?;
    let [least, most] = [depth.lower, depth.upper].map(|end| short(end, DIGITS));
    if least == most {
        return None;
    }
    Some(match depth.end? {
        "nodes" => "the search used up its nodes, and --nodes gives it more",
        "seconds" => "its time was over",
        "no_interior" => "a body has no interior, since its surface is open or flat",
        "crosses_itself" => "the surface of a body crosses itself, and sheets inside of it keep the bounds apart",
        _ => "no more could be proved",
    })
}

/// Why the pair is undecided, and what can be done about it.
fn undecided(report: &Report, found: &Found, doubt: Doubt) -> String {
    let [a, b] = names(report, found);
    let sentence = doubt.sentence([&a, &b]);
    match doubt {
        Doubt::InsideA | Doubt::InsideB => {
            format!("Undecided: {sentence}; --fill-holes closes it, --surfaces says that it encloses nothing.")
        }
        Doubt::OutOfSteps => format!("Undecided: {sentence}; a shorter --until takes fewer."),
    }
}

/// The worst pair of a check over time.
pub fn worst_of(timeline: &Timeline) -> Option<String> {
    timeline.listed().first().and_then(|meeting| about_meeting(&timeline.report, meeting))
}

/// A pair of bodies that move in a sentence.
pub fn about_meeting(report: &Report, meeting: &Meeting) -> Option<String> {
    let Meeting { start, impact } = meeting;
    let [a, b] = names(report, start);
    if let (State::Undecided, Some(doubt)) = (meeting.state(), start.doubt) {
        return Some(undecided(report, start, doubt));
    }
    Some(match impact {
        Impact::Touching(_) => format!("{} at the start.", overlap(report, start).trim_end_matches('.')),
        Impact::Hit(hit) => {
            let time = short(hit.lower, TIME_DIGITS);
            let place = triple(0.5 * (hit.point_a + hit.point_b), DIGITS);
            let verb = if hit.is_proved() { "collide" } else { "graze each other" };
            format!("First: {a} and {b} {verb} at {time} s near {place}.")
        }
        // It has a doubt.
        Impact::Undecided(_) => return None,
        Impact::Clear(approach) => {
            let proved = interval(approach.upper, approach.lower, approach.upper);
            format!("Closest: {a} and {b} come to {} ({proved}).", short(approach.upper, DIGITS))
        }
    })
}

fn overlap(report: &Report, found: &Found) -> String {
    let [a, b] = names(report, found);
    let Witness { distance, lower, upper, .. } = found.shown();
    let way_out = match found.depth.filter(|depth| depth.upper.is_finite() && depth.upper > 0.0) {
        Some(depth) => format!("; {a} comes free by {}", triple(depth.translation.into(), DIGITS)),
        None => String::new(),
    };
    // A bracket that may also be a gap is a touch; an overlap without end has no number.
    let depth = match distance {
        _ if lower == 0.0 || upper > 0.0 => "touch".to_owned(),
        _ if distance.is_infinite() => "overlap".to_owned(),
        _ if found.status != Status::Converged && short(lower, DIGITS) != short(upper, DIGITS) => {
            format!("overlap by {} to {}", short(-upper, DIGITS), short(-lower, DIGITS))
        }
        _ => format!("overlap by {} ({})", short(-distance, DIGITS), interval(-distance, -upper, -lower)),
    };
    format!("Worst: {a} and {b} {depth} near {}{way_out}.", place(found))
}

fn gap(report: &Report, found: &Found) -> String {
    let [a, b] = names(report, found);
    let Witness { distance, lower, upper, .. } = found.shown();
    let proved = interval(distance, lower, upper);
    format!("Closest: {a} and {b} are {} ({proved}) apart near {}.", short(distance, DIGITS), place(found))
}

fn names(report: &Report, found: &Found) -> [String; 2] {
    found.bodies.map(|body| printable(&report.names[body as usize]))
}

/// Between the two witnesses.
fn place(found: &Found) -> String {
    let [a, b] = [found.witness.point_a, found.witness.point_b].map(DVec3::from);
    triple(0.5 * (a + b), DIGITS)
}

/// "To see it: clearance view cell.json --margin 0.05", or where the page is.
pub fn way_to_look(args: &CheckArgs) -> String {
    if let Some(page) = &args.report {
        return format!("To see it: open {} in a browser.", pasted(page));
    }
    let scene = &args.scene;
    let mut words = vec!["To see it: clearance view".to_owned()];
    words.extend(scene.inputs.iter().map(|input| pasted(input)));
    words.extend(options(scene, args.margin()));
    let flags = [(scene.surfaces, "--surfaces"), (scene.fill_holes, "--fill-holes"), (scene.skip_bad, "--skip-bad")];
    words.extend(flags.into_iter().filter(|(is_set, _)| *is_set).map(|(_, flag)| flag.to_owned()));
    words.join(" ")
}

/// " --scene cell.json --until 2": the scene and the options that say which check `clearance verify` demands. The built-in scene is not a
/// file, so its evidence is verified without a scene.
pub fn demand(args: &CheckArgs) -> String {
    let scene = &args.scene;
    if scene.inputs.is_empty() {
        return String::new();
    }
    let inputs = scene.inputs.iter().map(|input| format!("--scene {}", pasted(input)));
    inputs.chain(options(scene, args.margin())).map(|word| format!(" {word}")).collect()
}

/// The options that say what is checked, and how.
fn options(scene: &SceneArgs, margin: Option<f64>) -> Vec<String> {
    let number = |flag: &str, value: Option<f64>| value.map(|value| format!("--{flag} {value}"));
    let mut words = Vec::new();
    words.extend(number("margin", margin));
    words.extend(number("until", scene.until));
    words.extend(number("scale", scene.scale));
    words.extend(scene.allow.iter().map(|folder| format!("--allow {}", pasted(folder))));
    words.extend(scene.rules.iter().map(|rule| format!("--rule {}", printable(&quoted(&rule.to_string())))));
    words.extend(scene.hull.then(|| "--hull".to_owned()));
    words.extend(scene.unit.map(|unit| format!("--unit {}", unit.symbol())));
    words
}

/// A path that can be pasted into a shell, as a terminal may see it.
pub fn pasted(path: &Path) -> String {
    printable(&quoted(&path.display().to_string()))
}

/// A text that can be pasted into a shell.
fn quoted(text: &str) -> String {
    let is_plain = |c: char| c.is_alphanumeric() || "/._-+,:@%=".contains(c);
    if !text.is_empty() && text.chars().all(is_plain) {
        text.to_owned()
    } else {
        format!("'{}'", text.replace('\'', "'\\''"))
    }
}
