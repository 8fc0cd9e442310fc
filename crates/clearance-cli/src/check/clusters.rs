//! Groups of findings that belong together: those of one body, of one place, of two layers, or of one rule.

use clap::ValueEnum;
use clearance::math::DVec3;
use serde::Serialize;
use std::collections::{BTreeMap, BinaryHeap, HashMap};

/// How findings are grouped.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub enum GroupBy {
    /// The body with the most findings takes all of its findings, then the next
    Body,
    /// Findings that are connected by steps of a twentieth of the size of the scene
    Place,
    /// The layers of the two bodies
    Layer,
    /// The rule that decides about the pair
    Rule,
}

/// The properties by which a finding is grouped.
#[derive(Debug, Clone)]
pub struct Item {
    /// Its two bodies.
    pub bodies: [u32; 2],
    /// Between its two points.
    pub place: DVec3,
    /// The layers of its bodies.
    pub layers: [Option<String>; 2],
    /// Its rule.
    pub rule: Option<String>,
}

/// A group in the output.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct Cluster {
    pub name: String,
    pub findings: u64,
}

/// The name of the group of each finding; `size` is that of the scene. The findings are sorted, worst first.
pub fn assign(by: GroupBy, items: &[Item], names: &[String], size: f64) -> Vec<String> {
    match by {
        GroupBy::Body => by_body(items, names),
        GroupBy::Place => by_place(items, size / 20.0),
        GroupBy::Layer => items.iter().map(layers).collect(),
        GroupBy::Rule => items.iter().map(|item| item.rule.clone().unwrap_or_else(|| "no rule".into())).collect(),
    }
}

/// The groups with their sizes, largest first.
pub fn count<'a>(names: impl Iterator<Item = &'a str>) -> Vec<Cluster> {
    let mut counts: BTreeMap<&str, u64> = BTreeMap::new();
    names.for_each(|name| *counts.entry(name).or_default() += 1);
    let mut clusters: Vec<Cluster> =
        counts.into_iter().map(|(name, findings)| Cluster { name: name.to_owned(), findings }).collect();
    clusters.sort_by_key(|cluster| std::cmp::Reverse(cluster.findings));
    clusters
}

fn layers(item: &Item) -> String {
    let mut names = item.layers.each_ref().map(|layer| layer.as_deref().unwrap_or("no layer"));
    names.sort_unstable();
    format!("{} / {}", names[0], names[1])
}

/// A greedy cover of the findings by bodies.
fn by_body(items: &[Item], names: &[String]) -> Vec<String> {
    let mut of_body: HashMap<u32, Vec<usize>> = HashMap::new();
    for (index, item) in items.iter().enumerate() {
        item.bodies.into_iter().for_each(|body| of_body.entry(body).or_default().push(index));
    }
    // The first name of equal counts comes first, so that the order of the input does not matter.
    let name = |body: u32| std::cmp::Reverse(names[body as usize].as_str());
    let mut queue: BinaryHeap<_> = of_body.iter().map(|(&body, found)| (found.len(), name(body), body)).collect();
    let mut assigned: Vec<Option<u32>> = vec![None; items.len()];
    while let Some((count, _, body)) = queue.pop() {
        let open: Vec<usize> = of_body[&body].iter().copied().filter(|&index| assigned[index].is_none()).collect();
        if open.len() < count {
            // Others have taken some of its findings since it was counted.
            if !open.is_empty() {
                queue.push((open.len(), name(body), body));
            }
            continue;
        }
        open.into_iter().for_each(|index| assigned[index] = Some(body));
    }
    let text = |body: Option<u32>| body.map_or_else(String::new, |body| names[body as usize].clone());
    assigned.into_iter().map(text).collect()
}

/// Connected components of findings whose places are in the same cell of a grid of this step, or in neighbouring ones, and at most the step apart.
fn by_place(items: &[Item], step: f64) -> Vec<String> {
    let step = if step > 0.0 && step.is_finite() { step } else { 1.0 };
    let cell = |place: DVec3| (place / step).floor().to_array().map(|x| x.clamp(-1e15, 1e15) as i64);
    let mut cells: HashMap<[i64; 3], Vec<usize>> = HashMap::new();
    for (index, item) in items.iter().enumerate() {
        cells.entry(cell(item.place)).or_default().push(index);
    }
    // The component of a finding is named by its first finding, the worst.
    let mut component: Vec<Option<usize>> = vec![None; items.len()];
    for first in 0..items.len() {
        let mut queue = vec![first];
        while let Some(index) = queue.pop() {
            if component[index].is_some() {
                continue;
            }
            component[index] = Some(first);
            let [x, y, z] = cell(items[index].place);
            let around = (0..27).map(|i| [x + i % 3 - 1, y + i / 3 % 3 - 1, z + i / 9 - 1]);
            for near in around.filter_map(|cell| cells.get(&cell)).flatten() {
                if component[*near].is_none() && items[*near].place.distance(items[index].place) <= step {
                    queue.push(*near);
                }
            }
        }
    }
    let name = |first: usize| format!("near {}", super::print::triple(items[first].place, super::print::DIGITS));
    component.into_iter().map(|first| first.map_or_else(String::new, name)).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn item(bodies: [u32; 2], x: f64) -> Item {
        Item { bodies, place: DVec3::new(x, 0.0, 0.0), layers: [Some("b".into()), None], rule: None }
    }

    #[test]
    fn the_body_with_the_most_findings_takes_them_all() {
        let names: Vec<String> = ["pipe", "wall", "duct", "beam"].map(str::to_owned).to_vec();
        let items = [[0, 1], [0, 2], [0, 3], [1, 2], [1, 3]].map(|bodies| item(bodies, 0.0));
        let found = assign(GroupBy::Body, &items, &names, 1.0);
        // Pipe and wall have three findings each; the first name wins, and the wall keeps two.
        assert_eq!(found, ["pipe", "pipe", "pipe", "wall", "wall"]);
        assert_eq!(count(found.iter().map(String::as_str))[0], Cluster { name: "pipe".into(), findings: 3 });
        let backwards: Vec<Item> = items.iter().rev().cloned().collect();
        let mut again = assign(GroupBy::Body, &backwards, &names, 1.0);
        again.reverse();
        assert_eq!(found, again);
    }

    #[test]
    fn places_are_connected_by_short_steps() {
        let items: Vec<Item> = [0.0, 0.9, 1.8, 5.0, 5.5, 9.0].map(|x| item([0, 1], x)).to_vec();
        let found = assign(GroupBy::Place, &items, &["a".into(), "b".into()], 20.0);
        let same = |i: usize, j: usize| found[i] == found[j];
        assert!(same(0, 1) && same(1, 2) && same(3, 4) && !same(2, 3) && !same(4, 5), "{found:?}");
        assert_eq!(found[2], "near (0, 0, 0)");
    }

    #[test]
    fn layers_are_named_in_one_order() {
        let mut swapped = item([0, 1], 0.0);
        swapped.layers.reverse();
        let found = assign(GroupBy::Layer, &[item([0, 1], 0.0), swapped], &[], 1.0);
        assert_eq!(found, ["b / no layer", "b / no layer"]);
    }
}
