//! The result about a robot, as text and as JSON.

use super::{Asked, Checked, State};
use crate::output::printable;
use clearance_io::counted;
use clearance_robot::{Edge, RobotClearance};
use serde_json::{Value, json};
use std::io::{self, Write};

/// Edges that the text lists. Limit: a screen; JSON has all.
const LISTED: usize = 20;

pub fn text(out: &mut impl Write, checked: &Checked) -> io::Result<()> {
    let robot = &checked.robot;
    let named = |count: usize, one: &str, many: &str| counted(count as u64, one, many);
    writeln!(
        out,
        "{}: {}, {}, {} of links checked, {}",
        printable(robot.name()),
        named(robot.dof(), "joint", "joints"),
        named(robot.link_names().len(), "link", "links"),
        named(robot.checked_pairs().len(), "pair", "pairs"),
        named(checked.scene.bodies.len(), "obstacle", "obstacles"),
    )?;
    for note in &checked.notes {
        writeln!(out, "note: {}", printable(note))?;
    }
    match &checked.asked {
        Asked::Configuration { q, found } => {
            outside(out, checked, q, "the configuration")?;
            let Some(found) = found else { return writeln!(out, "free: no pair is checked") };
            let [a, b] = checked.names(found.parts).map(printable);
            let (distance, lower, upper) = (found.distance, found.lower, found.upper);
            match checked.state() {
                State::Contact => {
                    writeln!(out, "CONTACT: {a} and {b} overlap by {:.6} ({:.6} to {:.6})", -distance, -upper, -lower)
                }
                State::Undecided => {
                    writeln!(out, "UNDECIDED: {a} and {b} come as close as rounding ({lower:e} to {upper:e})")
                }
                State::TooClose => writeln!(out, "TOO CLOSE: {distance:.6} between {a} and {b} (at least {lower:.6})"),
                State::Free => writeln!(out, "free: clearance {distance:.6} between {a} and {b} (at least {lower:.6})"),
            }
        }
        Asked::Path { waypoints, edges } => {
            for (number, q) in waypoints.iter().enumerate() {
                outside(out, checked, q, &format!("waypoint {}", number + 1))?;
            }
            let total = waypoints.len().saturating_sub(1).max(1);
            let first = edges.len().saturating_sub(LISTED);
            if first > 0 {
                writeln!(out, "edges 1 to {first} are free")?;
            }
            for (number, edge) in edges.iter().enumerate().skip(first) {
                writeln!(out, "edge {}: {}", number + 1, sentence(checked, edge))?;
            }
            let lower = checked.lower();
            match checked.state() {
                State::Free => {
                    writeln!(out, "free: {} proved, clearance at least {lower:.6}", named(total, "edge", "edges"))
                }
                State::TooClose => {
                    let margin = checked.fail_within.unwrap_or(0.0);
                    writeln!(out, "TOO CLOSE: a clearance of {margin} is not proved on edge {}", worst(edges, margin))
                }
                State::Contact => writeln!(out, "CONTACT on edge {} of {total}", edges.len()),
                State::Undecided => writeln!(out, "UNDECIDED on edge {} of {total}", edges.len()),
            }
        }
    }
}

/// The first edge that does not prove a clearance, counted from 1.
fn worst(edges: &[Edge], margin: f64) -> usize {
    1 + edges.iter().position(|edge| !matches!(edge, Edge::Free(free) if free.lower >= margin)).unwrap_or(0)
}

fn outside(out: &mut impl Write, checked: &Checked, q: &[f64], whose: &str) -> io::Result<()> {
    let (names, outside) = (checked.robot.joint_names(), checked.robot.outside_limits(q));
    if outside.is_empty() {
        return Ok(());
    }
    let joints: Vec<String> = outside.iter().map(|&joint| printable(names[joint])).collect();
    writeln!(out, "note: {whose} is outside the limits of {}, and is checked all the same", joints.join(", "))
}

fn sentence(checked: &Checked, edge: &Edge) -> String {
    match edge {
        Edge::Free(free) => format!("free, clearance {:.6} to {:.6}", free.lower, free.upper),
        Edge::Contact(contact) => {
            let [a, b] = checked.names(contact.found.parts).map(printable);
            format!("CONTACT of {a} and {b} at {:.7} to {:.7} of it", contact.lower, contact.upper)
        }
        Edge::Undecided { from, parts, .. } => {
            let [a, b] = checked.names(*parts).map(printable);
            format!("UNDECIDED from {from:.7} of it on, for {a} and {b}")
        }
    }
}

pub fn json(checked: &Checked) -> Value {
    let robot = &checked.robot;
    let mut value = json!({
        "format": "clearance-robot/1",
        "robot": robot.name(),
        "joints": robot.joint_names(),
        "links": robot.link_names().len(),
        "obstacles": checked.scene.bodies.iter().map(|body| &body.name).collect::<Vec<_>>(),
        "pairs": robot.checked_pairs().len(),
        "notes": checked.notes,
        "fail_within": checked.fail_within,
        "state": checked.state().name(),
    });
    match &checked.asked {
        Asked::Configuration { q, found } => {
            let outside: Vec<&str> =
                robot.outside_limits(q).into_iter().map(|joint| robot.joint_names()[joint]).collect();
            value["configuration"] = json!(q);
            value["outside_limits"] = json!(outside);
            value["clearance"] = found.as_ref().map_or(Value::Null, |found| clearance(checked, found));
        }
        Asked::Path { waypoints, edges } => {
            value["waypoints"] = json!(waypoints.len());
            value["lower"] = json!(checked.lower());
            value["edges"] = edges.iter().map(|edge| of_edge(checked, edge)).collect();
        }
    }
    value
}

fn clearance(checked: &Checked, found: &RobotClearance) -> Value {
    json!({
        "distance": found.distance,
        "lower": found.lower,
        "upper": found.upper,
        "parts": checked.names(found.parts),
        "point_a": found.point_a.to_array(),
        "point_b": found.point_b.to_array(),
        "normal": found.normal.to_array(),
    })
}

fn of_edge(checked: &Checked, edge: &Edge) -> Value {
    match edge {
        Edge::Free(free) => {
            json!({"free": true, "lower": free.lower, "upper": free.upper, "at": free.at, "free_until": 1.0})
        }
        Edge::Contact(contact) => {
            let mut found = clearance(checked, &contact.found);
            found["from"] = json!(contact.lower);
            found["to"] = json!(contact.upper);
            json!({"free": false, "free_until": contact.lower, "contact": found})
        }
        Edge::Undecided { from, parts, .. } => {
            json!({"free": null, "free_until": from, "undecided": checked.names(*parts)})
        }
    }
}
