//! The summary of the tables in `bench/tables`: for each table and query the least, the median and the largest ratio to a peer.
//!
//! `cargo bench-summary COMPARE.md` reads the tables and writes their summary into its section of the file. It measures nothing.

#[path = "../section.rs"]
mod section;

use std::fmt::Write as _;
use std::path::Path;
use std::process::ExitCode;

/// A section of a file in `bench/tables`, and its name in the summary.
const TABLES: [(&str, &str, &str); 5] = [
    ("pairs.md", "speed", "Convex pairs"),
    ("meshes.md", "meshes", "Meshes"),
    ("meshes.md", "real-meshes", "Real meshes"),
    ("motion.md", "impacts", "Times of impact"),
    ("motion.md", "rays", "Rays"),
];

/// Peers that are other engines of Clearance itself: RAPID's trees, and the search from a kept front.
const OURS: [&str; 2] = ["RAPID", "kept"];

/// The ratios of one query to one peer.
#[derive(Debug, PartialEq)]
struct Ratios {
    query: String,
    peer: String,
    values: Vec<f64>,
}

fn main() -> ExitCode {
    let Some(file) = std::env::args().nth(1) else {
        eprintln!("usage: cargo bench-summary FILE");
        return ExitCode::from(2);
    };
    match body().and_then(|body| section::write(Path::new(&file), "summary", &body)) {
        Ok(()) => ExitCode::SUCCESS,
        Err(sentence) => {
            eprintln!("error: {sentence}");
            ExitCode::FAILURE
        }
    }
}

/// The section with a row for each query and peer.
fn body() -> Result<String, String> {
    let folder = Path::new("bench/tables");
    let mut out = String::from(
        "## Summary of the speed\n\nWritten by `cargo bench-summary COMPARE.md` from the tables in `bench/tables`, which name their commands. The ratio is the time of the peer \
         divided by that of\nClearance, for each row of a table.\n\n\
         | table | query | beside | rows | least | median | most | rows below 1 |\n|---|---|---|---:|---:|---:|---:|---:|\n",
    );
    for (file, name, title) in TABLES {
        let path = folder.join(file);
        let text = std::fs::read_to_string(&path).map_err(|error| format!("{}: {error}", path.display()))?;
        let found = section_of(&text, name).map(ratios).filter(|found| !found.is_empty());
        for Ratios { query, peer, mut values } in found.ok_or(format!("{} has no ratios in {name}", path.display()))? {
            values.sort_by(f64::total_cmp);
            let (least, median, most) = (values[0], values[values.len() / 2], values[values.len() - 1]);
            let below = values.iter().filter(|value| **value < 1.0).count();
            let [least, median, most] = [least, median, most].map(shown);
            let _ = writeln!(
                out,
                "| [{title}](bench/tables/{file}) | {query} | {peer} | {} | {least} | {median} | {most} | {below} |",
                values.len()
            );
        }
    }
    Ok(out)
}

fn shown(ratio: f64) -> String {
    match ratio {
        ..10.0 => format!("{ratio:.2}"),
        ..100.0 => format!("{ratio:.1}"),
        _ => format!("{ratio:.0}"),
    }
}

fn section_of<'t>(text: &'t str, name: &str) -> Option<&'t str> {
    let from = text.find(&format!("<!-- ANCHOR: {name} -->"))?;
    Some(&text[from..from + text[from..].find(&format!("<!-- ANCHOR_END: {name} -->"))?])
}

/// The ratios of all tables of a section, in Markdown or as printed.
fn ratios(text: &str) -> Vec<Ratios> {
    let mut all = Vec::new();
    for block in text.split("\n\n") {
        let lines: Vec<&str> = block.lines().filter(|line| !line.starts_with("```")).collect();
        if block.starts_with('|') {
            markdown(&lines, &mut all);
        } else if let Some(head) = lines.iter().position(|line| line.contains("  ratio")) {
            printed(&lines, head, &mut all);
        }
    }
    all
}

/// A table in Markdown: a ratio is in a column "times as fast" behind the time of its peer. Rows are divided by a column "query", or each ratio has
/// the name of our column.
fn markdown(lines: &[&str], all: &mut Vec<Ratios>) {
    let cells =
        |line: &str| -> Vec<String> { line.trim_matches('|').split('|').map(|cell| cell.trim().to_owned()).collect() };
    let head = cells(lines[0]);
    let query = head.iter().position(|cell| cell == "query");
    let column = |k: usize| head[k].split(", ").next().unwrap_or_default().to_owned();
    for row in lines.iter().skip(2).map(|line| cells(line)) {
        for k in (2..head.len()).filter(|&k| head[k] == "times as fast") {
            let name = query.map_or_else(|| column(k - 2), |query| row[query].clone());
            add(all, name, column(k - 1), row.get(k).map_or("", String::as_str));
        }
    }
}

/// A table as it is printed: a title, a line of headings, and rows, whose numbers behind the first bar are in the order of the headings.
fn printed(lines: &[&str], head: usize, all: &mut Vec<Ratios>) {
    let behind = |line: &str| line.split_once('|').map(|(_, rest)| rest.replace('|', "  ")).unwrap_or_default();
    let names: Vec<String> =
        behind(lines[head]).split("  ").map(str::trim).filter(|name| !name.is_empty()).map(str::to_owned).collect();
    let title = if head > 0 { lines[head - 1] } else { lines[head].split("  ").next().unwrap_or_default() };
    let title = title.split([',', ';', ':']).next().unwrap_or_default();
    for row in &lines[head + 1..] {
        let numbers = behind(row);
        let numbers: Vec<&str> = numbers.split_whitespace().collect();
        let mut ours = String::new();
        for k in (2..names.len()).filter(|&k| names[k] == "ratio") {
            if names[k - 2] != "ratio" {
                ours.clone_from(&names[k - 2]);
            }
            let query = if ours == "ours" { title.to_owned() } else { format!("{title}: {ours}") };
            add(all, query, names[k - 1].clone(), numbers.get(k).copied().unwrap_or_default());
        }
    }
}

/// Adds a number; an empty cell or a dash is none, and [`OURS`] are no peers.
fn add(all: &mut Vec<Ratios>, query: String, peer: String, number: &str) {
    let Ok(value) = number.parse::<f64>() else { return };
    if OURS.contains(&peer.as_str()) {
        return;
    }
    match all.iter_mut().find(|ratios| ratios.query == query && ratios.peer == peer) {
        Some(ratios) => ratios.values.push(value),
        None => all.push(Ratios { query, peer, values: vec![value] }),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn ratios_are_found_in_both_forms() {
        let table = "| pair | query | Clearance, ns | parry, ns | times as fast | f32, ns | times as fast |\n|---|---|---:|---:|---:|---:|---:|\n\
                     | a | distance | 2 | 4 | 2.0 | 6 | 3.0 |\n| b | distance | 2 | 1 | 0.5 | – | – |\n| c | depth | 1 | 1 | 1.0 | 2 | 2.0 |";
        let text = "```text\nstraight, us per query\n      |  ours   parry  ratio |  hits\nballs |  2.0     1.0    0.5 |   300\n```\n\n\
                    ns per ray   hits |  ours | cast_ray  ratio | with normal  ratio |\nball 3   |  1.0 |  2.0  2.00 |   3.0  3.00 |";
        let found = ratios(&format!("words\n\n{table}\n\n{text}"));
        let wanted = [
            ("distance", "parry", vec![2.0, 0.5]),
            ("distance", "f32", vec![3.0]),
            ("depth", "parry", vec![1.0]),
            ("depth", "f32", vec![2.0]),
            ("straight", "parry", vec![0.5]),
            ("ns per ray", "cast_ray", vec![2.0]),
            ("ns per ray", "with normal", vec![3.0]),
        ];
        let wanted = wanted.map(|(query, peer, values)| Ratios { query: query.into(), peer: peer.into(), values });
        assert_eq!(found, wanted);
    }
}
